// INT and FP instructions that have issued and have not entered a lane group yet, where that is
// chosen at entry (sm.lane_group_at entry; see entry.c). A plain step has no trace of this
// (step.h).
#ifndef WW_SM_ENTRY_H
#define WW_SM_ENTRY_H

#include "sm/sm_state.h"

// The instructions that choose their lane group later, by their warps: for the scheduler no SP is
// taken or off.
static inline uint64_t entry_needs(const struct sm *s) {
    return s->c.lane_group_at == LANE_GROUP_AT_ENTRY ? s->v.needs[UNIT_INT] | s->v.needs[UNIT_FP]
                                                     : 0;
}
static inline bool entry_takes(const struct sm *s, uint32_t unit) {
    return s->c.lane_group_at == LANE_GROUP_AT_ENTRY && (unit == UNIT_INT || unit == UNIT_FP);
}

// An instruction issues. When it may enter is found here.
void entry_add(struct sm *s, struct sub_core *sub, const struct issue *i);
// In each simulated cycle, behind the techniques' start of it and ahead of the schedulers: each
// instruction that can enter does.
void entry_step(struct sm *s, struct sub_core *sub, uint64_t t);
// The next cycle in which an instruction may enter, or leave its collector; NEVER: not before
// something else happens.
uint64_t entry_next(const struct sm *s, const struct sub_core *sub, uint64_t t);

#endif
