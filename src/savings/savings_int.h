// Where the mechanisms of one SM meet: the gated domains and the order of types. Each mechanism
// knows this header and none of the others.
#ifndef WW_SAVINGS_INT_H
#define WW_SAVINGS_INT_H

#include "savings/domain.h"
#include "savings/lane.h"
#include "savings/savings.h"

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
extern const struct gate_rule rule_conv_pg, rule_naive_blackout, rule_coordinated_blackout;

enum { GATE_TYPE_INT, GATE_TYPE_FP, GATE_TYPE_SFU, GATE_TYPE_LDST, GATE_TYPES };

struct gating {
    bool is_busy, counts_active;
    uint32_t kept; // types (bit mask) whose rule keeps the last cluster on
    struct sm_gate gate[SM_PIPES];
    uint64_t of_rule;          // pipes whose type a rule looks at as a whole
    uint64_t waking, told; // of the others, those that are; pipes whose domains are told in every
                           // cycle what time has done
    uint64_t type_at[GATE_TYPES]; // when the first of a type that its rule looks at is awake
    uint32_t ruled;            // types (bit mask) of these: INT, FP
    uint64_t settled; // domains stand as they are at this cycle, but those that go off on their own
    uint64_t actv[2];          // the warps that INT_ACTV and FP_ACTV count
    uint64_t pipes, pipes_of[GATE_TYPES]; // that are gated
    uint64_t claimed, claimed_at; // pipes that a scheduler has asked for in a cycle, and the cycle
    struct gate_times times;
    uint32_t idle_detect[GATE_TYPES];
    const struct gate_rule *rule[GATE_TYPES]; // NULL: not gated
    uint8_t first[GATE_TYPES], n[GATE_TYPES]; // pipes
    uint8_t type_of[SM_PIPES]; // of those that are gated
    uint64_t window_since;     // idle_detect has been what it is since
    uint64_t window_cycles[2]; // idle_detect of INT and FP, summed over busy cycles before that
    struct gate_domain domain[SM_PIPES];
    struct sm_gate_port port;
    struct sm_clock_port clock;
};

// Two groups of the warps for INT and FP, those with all lanes active and those that miss one
// (origami_scheduler.c).
struct warp_groups {
    uint64_t partial[SM_MAX_SCHEDULERS];   // all bits: its group is those that miss one; else none
    uint64_t looked_at[SM_MAX_SCHEDULERS]; // cycle of its last choice among such warps
    uint64_t switches;                     // a scheduler has run out of its group
};

struct meters;       // meters.c
struct drowsy_lines; // drowsy_lines.c
struct cache_decay;  // cache_decay.c
struct mask_access;  // mask_access.c
struct tric;         // tric.c
struct partition;    // partition.c

// Accesses through divided word lines (coma.c).
struct coma {
    uint64_t reads, writes, read_lanes_spared, write_lanes_spared, instructions;
};

struct savings_sm {
    struct savings set;
    struct sm_config c;
    struct gating gating;
    struct gates {
        uint32_t owners;    // of an order of types: 1, the SM, or its schedulers
        uint32_t highest[SM_MAX_SCHEDULERS];   // by scheduler: GATE_TYPE_INT or GATE_TYPE_FP
        uint64_t switch_at[SM_MAX_SCHEDULERS]; // by owner: when max_switch is over
        uint64_t switches;
    } gates;
    struct adaptive {
        uint32_t quiet[2];    // epochs in a row within the number
        uint64_t critical[2]; // critical wakeups up to the last epoch
        struct sm_clock_port clock;
    } adaptive;
    // NULL: none
    struct meters *meters;
    struct drowsy_lines *drowsy;
    struct cache_decay *decay;
    struct mask_access *mask;
    struct tric *tric;
    struct partition *partition;
    struct coma coma;
    struct folding {
        uint32_t majority;      // type that has more warps: 0 INT, 1 FP
        uint64_t since, issued; // the phase began; sm_view.issued then
        uint64_t folded;        // before it
        uint64_t phases, phases_off;
        struct sm_clock_port clock;
    } folding;
    struct origami {
        bool is_partial;   // the group chosen for the phase: fewer than 32 threads active
        uint32_t in_a_row; // phases
        uint64_t phases[2], forced;
        struct sm_clock_port clock;
        struct warp_groups groups;
    } origami;
    struct sm_technique technique[SM_MAX_TECHNIQUES];
    uint32_t n;
    struct lanes lanes;
};

// Lanes of an INT or FP pipeline: see lane.h. A power of two.
static inline uint32_t savings_lane_width(const struct sm_config *c) {
    const uint32_t a = c->timing[OPC_INT_ADD].interval, b = c->timing[OPC_FP_ADD].interval,
                   n = a < b ? a : b;
    uint32_t width = LANE_MAX;
    while (width > 1 && width * n > LANE_MAX) width /= 2;
    return width;
}

static inline bool savings_has(const struct savings_sm *s, enum savings_mechanism m) {
    return s->set.mechanisms >> m & 1;
}

// Active warps whose next instruction is of the unit: what INT_ACTV and FP_ACTV count. A warp that
// waits for memory has left the active set, or is about to (but see active_waits of the SM).
static inline uint64_t savings_active_warps(const struct sm_view *v) { // of any unit
    const uint64_t in_set = v->active_waits ? v->active : v->active & ~v->wait_long;
    return in_set & v->decoded & ~(v->wait_bar | v->wait_fence | v->wait_sleep);
}
static inline uint64_t savings_active(const struct sm_view *v, uint32_t unit) {
    return savings_active_warps(v) & v->needs[unit];
}

// Since when a pipe has had no work.
static inline uint64_t savings_idle_from(const struct sm_view *v, uint32_t pipe) {
    if (pipe >= SM_PIPE_LDST && v->accesses[pipe - SM_PIPE_LDST] != 0) return DOMAIN_NEVER;
    return v->pipe[pipe].busy_until;
}

// gating.c
void gating_init(struct savings_sm *s, struct sm_technique *t);
void gating_set_window(struct gating *g, const struct sm_view *v, uint32_t type,
                       uint32_t idle_detect, uint64_t t);
uint64_t gating_critical(const struct gating *g, uint32_t type); // wakeups so far
bool gating_all_in_blackout(struct gating *g, const struct sm_view *v,
                            uint32_t type); // in v->cycle
// meters.c. False: out of memory.
bool meters_init(struct savings_sm *s, struct sm_technique *t);
void meters_free(struct meters *m);
// drowsy_lines.c, cache_decay.c, mask_access.c. False: out of memory.
bool drowsy_init(struct savings_sm *s, struct sm_technique *t);
void drowsy_free(struct drowsy_lines *d);
bool decay_init(struct savings_sm *s, struct sm_technique *t);
void decay_free(struct cache_decay *d);
bool mask_init(struct savings_sm *s, struct sm_technique *t);
void mask_free(struct mask_access *m);
// tric.c, coma.c. False: out of memory.
bool tric_init(struct savings_sm *s, struct sm_technique *t);
void tric_free(struct tric *k);
bool partition_init(struct savings_sm *s, struct sm_technique *t); // partition.c
void partition_free(struct partition *k);
void coma_init(struct savings_sm *s, struct sm_technique *t);
// gates.c, adaptive.c
void gates_init(struct savings_sm *s, struct sm_technique *t);
void adaptive_init(struct savings_sm *s, struct sm_technique *t);

#endif
