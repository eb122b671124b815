// Where the parts of one SM meet. A part knows this header and the headers of the shared parts that
// it uses, and no other part.
#ifndef WW_SAVINGS_INT_H
#define WW_SAVINGS_INT_H

#include "activity/activity.h"
#include "savings/part.h"

struct savings_sm {
    struct savings set;
    struct sm_config *c;
    void *state[SAVINGS_PARTS]; // NULL: the part does nothing here
    struct sm_technique technique[SM_MAX_TECHNIQUES];
    uint32_t n;
};

// The first of a part's own counters.
static inline uint64_t *savings_own(struct activity *a, enum savings_part_id part) {
    return a->c + savings_counters(part);
}

// Active warps whose next instruction is of the unit: what INT_ACTV and FP_ACTV count. A warp that
// waits for memory has left the active set, or is about to (but see active_waits of the SM).
static inline uint64_t savings_active_warps(const struct sm_view *v) { // of any unit
    const uint64_t in_set = v->active_waits ? v->active : v->active & ~v->wait_long;
    return in_set & v->decoded & ~v->stops;
}
static inline uint64_t savings_active(const struct sm_view *v, uint32_t unit) {
    return savings_active_warps(v) & v->needs[unit];
}

#endif
