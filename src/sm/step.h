// A cycle of an SM, and of SMs that share a front end: one text, which is compiled once for each
// kind of SM (struct step_kind), so that the machine code of a kind has no trace of what the kind
// lacks. Within a cycle:
//
//   1. step_arrive.h  what became known: replies of memory, transactions, results (they free
//                     registers), fetched instructions, so that all of it can be used in the same
//                     cycle; the techniques' start of the cycle
//   2. step_turn.h    each scheduler, in an order that rotates with the cycle, issues at most one
//                     instruction, or two of the same warp
//      step_issue.h   an instruction that issues: it computes (exec_step), reads operands and goes
//                     to its pipeline
//   3. step_leave.h   fetch
//   4.                the next cycle: the one after when something issued, else the first in which
//                     anything happens
//
// With lane_group_at entry INT and FP instructions that have issued enter their pipelines ahead of
// 2 (entry.h).
//
// An instruction that issues in cycle t reads its operands from t + read_latency on, one row a bank
// and cycle, enters its pipeline in the cycle of the last read or when the pipeline takes it, and
// its result may be used `latency` cycles after that, and write_latency more.
#ifndef WW_SM_STEP_H
#define WW_SM_STEP_H

#include "sm/counters.h"
#include "sm/group_int.h"
#include "sm/scoreboard.h"
#include "sm/units.h"

#define STEP_INLINE static inline __attribute__((always_inline))
// Stands once in the machine code, with all that it calls inlined. A sanitizer gains nothing from
// that and would compile twice as long.
#ifdef __SANITIZE_ADDRESS__
#define STEP_WHOLE __attribute__((noinline))
#else
#define STEP_WHOLE __attribute__((flatten, noinline))
#endif

// A constant wherever it is handed to a function of the step, all of which are inlined.
struct step_kind {
    bool full;  // there may be techniques, counts of changed bits, lane groups chosen at entry
    bool many;  // there may be several sub-cores
    bool group; // of SMs that share a front end
    const struct readiness *ready;
    // What several places call stands once in the machine code of a kind.
    bool (*issue)(struct sm *s, struct sub_core *sub, uint32_t sc, uint32_t w, bool is_second,
                  uint64_t t);
    bool (*issue_each)(struct sm_group *g, uint32_t sc, uint32_t w, bool is_second, uint64_t t);
    void (*advance)(struct sm *s, uint32_t w, const struct sm_inst *in, uint32_t pc, uint64_t t);
    void (*release)(struct sm *s, uint32_t w, const struct sm_inst *in, uint64_t t);
};

// The SMs for which a scheduler issues: one for itself, or the master ([0]) for all members of its
// group.
struct step_crew {
    struct sm *const *member;
    uint32_t n;
    struct sm_group *group; // NULL: none
};
// Of a crew or a group.
#define FOR_EACH_SM(m, c)                                                                          \
    for (struct sm *const *m##_ = (c).member, *m; m##_ < (c).member + (c).n && (m = *m##_, true);  \
         m##_++)

STEP_INLINE uint32_t step_subs(const struct step_kind *k, const struct sm *s) {
    return k->many ? s->n_subs : 1;
}
#define FOR_EACH_SUB(sub, k, s)                                                                    \
    for (struct sub_core *sub = (s)->sub; sub < (s)->sub + step_subs(k, s); sub++)

// As sub_of.
STEP_INLINE struct sub_core *step_sub(const struct step_kind *k, struct sm *s, uint32_t w) {
    return &s->sub[w & (step_subs(k, s) - 1)];
}

// A warp's number in its sub-core.
STEP_INLINE uint32_t number_of(const struct step_kind *k, const struct sm *s, uint32_t w) {
    return k->many ? w >> s->sub_shift : w;
}

#endif
