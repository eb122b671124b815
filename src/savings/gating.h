// Power gating of pipelines (gating.c): the domains of an SM, the rules by which they are switched.
#ifndef WW_GATING_H
#define WW_GATING_H

#include "savings/domain.h"
#include "savings/part.h"

struct gating;

// How a gating mechanism decides (conv_pg.c, naive_blackout.c, coordinated_blackout.c).
struct gate_rule {
    // Switches off the lane groups of a type (GATE_TYPE_*) that are due up to and with cycle t;
    // g->actv held in all cycles behind g->settled. A rule that keeps the only lane group that is
    // on sets the type's bit in g->kept, and decides alone when that lane group goes off. Answers
    // the cycle in which the first waking lane group is on. NULL: each lane group goes off after
    // idle_detect idle cycles of its own.
    uint64_t (*settle)(struct gating *g, const struct sm_view *v, uint32_t type, uint64_t t);
    bool has_blackout;  // what is off stays off for the break-even time
    bool counts_active; // the rule reads g->actv
};
extern const struct gate_rule rule_conv_pg; // SFUs and LD/ST follow it whatever the technique
// The rule of the mechanism that gates whole pipelines; NULL: there is none.
const struct gate_rule *gating_rule(const struct savings *s);

enum { GATE_TYPE_INT, GATE_TYPE_FP, GATE_TYPE_SFU, GATE_TYPE_LDST, GATE_TYPES };

struct gating {
    bool is_busy, counts_active;
    bool pays_counters; // of its blackout: no GATES has paid for them
    uint32_t kept; // types (bit mask) whose rule keeps the last lane group on
    struct sm_gate gate[SM_PIPES];
    // Types whose rule decides on all lane groups together (gate_rule.settle), as a bit mask; their
    // pipes; the cycle in which the first waking pipe of such a type is on.
    uint32_t ruled;
    uint64_t of_rule, type_at[GATE_TYPES];
    uint64_t waking; // pipes outside of_rule that wake
    uint64_t told;   // pipes whose domains are settled in every cycle
    uint64_t settled; // domains of `ruled` types are settled up to this cycle
    uint64_t actv[2]; // the warps that INT_ACTV and FP_ACTV count
    uint64_t pipes, pipes_of[GATE_TYPES]; // that are gated
    uint64_t claimed, claimed_at; // pipes that a scheduler has asked for in a cycle, and the cycle
    struct gate_times times;
    uint32_t idle_detect[GATE_TYPES];
    const struct gate_rule *rule[GATE_TYPES]; // NULL: not gated
    uint8_t first[GATE_TYPES], n[GATE_TYPES]; // pipes
    uint8_t type_of[SM_PIPES];                // of those that are gated
    uint64_t window_since;                    // cycle in which idle_detect was last changed
    uint64_t window_cycles[2]; // idle_detect of INT and FP, summed over busy cycles before that
    uint32_t at_windows;       // the counters of window_cycles, which are adaptive idle detect's
    struct gate_domain domain[SM_PIPES];
    struct sm_gate_port port;
    struct sm_clock_port clock;
};

// Since when a pipe has had no work.
static inline uint64_t savings_idle_from(const struct sm_view *v, uint32_t pipe) {
    if (pipe >= SM_PIPE_LDST && v->accesses[pipe - SM_PIPE_LDST] != 0) return DOMAIN_NEVER;
    return v->pipe[pipe].busy_until;
}

void gating_set_window(struct gating *g, const struct sm_view *v, uint32_t type,
                       uint32_t idle_detect, uint64_t t);
uint64_t gating_critical(const struct gating *g, uint32_t type); // wakeups so far
bool gating_all_in_blackout(struct gating *g, const struct sm_view *v,
                            uint32_t type); // in v->cycle
// The gating of an SM's techniques; NULL: nothing is gated.
struct gating *savings_gating(struct savings_sm *s);

#endif
