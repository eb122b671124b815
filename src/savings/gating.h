// Power gating of pipelines (gating.c): the domains of an SM, the rules by which they are switched.
#ifndef WW_GATING_H
#define WW_GATING_H

#include "savings/domain.h"
#include "savings/part.h"

struct gating;

// How a gating mechanism decides (conv_pg.c, naive_blackout.c, coordinated_blackout.c).
struct gate_rule {
    // Switches off what is due among the clusters of a type (GATE_TYPE_*) up to and with cycle t;
    // what g->actv says held in (g->settled, t]. Where only one is on, it sets the type's bit in
    // g->kept: when that one goes off is the rule's affair. Answers when the first that wakes is
    // on. NULL: each goes off after idle_detect idle cycles, whatever the others do.
    uint64_t (*settle)(struct gating *g, const struct sm_view *v, uint32_t type, uint64_t t);
    bool has_blackout;  // what is off stays off for the break-even time
    bool counts_active; // it looks at g->actv
};
extern const struct gate_rule rule_conv_pg; // SFUs and LD/ST follow it whatever the technique
// The rule of the mechanism that gates whole pipelines; NULL: there is none.
const struct gate_rule *gating_rule(const struct savings *s);

enum { GATE_TYPE_INT, GATE_TYPE_FP, GATE_TYPE_SFU, GATE_TYPE_LDST, GATE_TYPES };

struct gating {
    bool is_busy, counts_active;
    uint32_t kept; // types (bit mask) whose rule keeps the last cluster on
    struct sm_gate gate[SM_PIPES];
    uint64_t of_rule; // pipes whose type a rule looks at as a whole
    uint64_t waking;  // pipes outside of_rule that wake
    uint64_t told;    // pipes whose domains are told in every cycle what time has done
    uint64_t type_at[GATE_TYPES]; // when the first of a type that its rule looks at is awake
    uint32_t ruled;               // INT and FP (bit mask), where a rule looks at the type as a whole
    uint64_t settled; // domains stand as they are at this cycle, but those that go off on their own
    uint64_t actv[2]; // the warps that INT_ACTV and FP_ACTV count
    uint64_t pipes, pipes_of[GATE_TYPES]; // that are gated
    uint64_t claimed, claimed_at; // pipes that a scheduler has asked for in a cycle, and the cycle
    struct gate_times times;
    uint32_t idle_detect[GATE_TYPES];
    const struct gate_rule *rule[GATE_TYPES]; // NULL: not gated
    uint8_t first[GATE_TYPES], n[GATE_TYPES]; // pipes
    uint8_t type_of[SM_PIPES];                // of those that are gated
    uint64_t window_since;                    // idle_detect has been what it is since
    uint64_t window_cycles[2]; // idle_detect of INT and FP, summed over busy cycles before that
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
