// Where the mechanisms of one SM meet: the gated domains and the order of types. Each mechanism
// knows this header and none of the others.
#ifndef WW_SAVINGS_INT_H
#define WW_SAVINGS_INT_H

#include "activity/savings.h"
#include "savings/gating.h"
#include "savings/lane.h"
#include "savings/savings.h"

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
struct rf_cache;     // rf_cache.c

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
    struct rf_cache *rf_cache;
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
bool rf_cache_init(struct savings_sm *s, struct sm_technique *t); // rf_cache.c
void rf_cache_free(struct rf_cache *k);
void coma_init(struct savings_sm *s, struct sm_technique *t);
// gates.c, adaptive.c
void gates_init(struct savings_sm *s, struct sm_technique *t);
void adaptive_init(struct savings_sm *s, struct sm_technique *t);

#endif
