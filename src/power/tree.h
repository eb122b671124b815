// Between the files that build the tree of components: a builder and what they put into it.
#ifndef WW_POWER_TREE_H
#define WW_POWER_TREE_H

#include "power/logic.h"
#include "power/power.h"

enum power_part_id {
    PART_none = -1,
#define PART(name, ...) PART_##name,
#include "power/parts.def"
#undef PART
    PARTS
};

struct builder {
    const struct power_config *c;
    struct power_tree *tree;
    struct diags *d;
    struct tech t;
    double core_s, sm_s; // cycles a second: of the chip, of all SMs
    enum ww_status status;
    double sm_dff_bits; // flip-flops of one SM that the clock reaches
    int at[PARTS];      // component of a part, or -1
};

// McPAT: share of devices that can be long-channel ones
#define LONG_CORE   0.8
#define LONG_UNCORE 0.82
#define LONG_CACHE  1.0

// What the devices of a chip leak of what their table says (leak_share).
static inline void tree_leak_share(const struct power_config *c, struct tech *t) {
    if (c->leak_share > 0) t->ioff *= c->leak_share, t->ig *= c->leak_share;
}
// Adds a component to the tree. `count` is how many the whole machine has.
int tree_add(struct builder *b, enum power_part_id part, unsigned count);
// Each of `n` counters from `act` on costs `energy_j` in a component.
void tree_event_n(struct builder *b, int component, uint32_t act, uint32_t n, double energy_j,
                  double peak_per_s);
void tree_event(struct builder *b, int component, uint32_t act, double energy_j, double peak_per_s);
// The event that was put last is static power for a time.
void tree_event_static(struct builder *b);
// Of the event that was put last, with divided word lines: what a part takes, what they add.
void tree_word_part(struct builder *b, double word_part_j, double word_gates_j);
// Of the last event's energy, the share that is for the front end of an SM.
void tree_front_share(struct builder *b, double share);
// Of what the front end has without SIMT stacks, its area.
double tree_front_mm2(const struct builder *b);
// What an array with divided word lines leaks beyond the same with whole ones.
void tree_word_gates(struct builder *b, int i, const struct array *divided,
                     const struct array *whole, double long_share);
// Says of every event what of it goes with data (toggle.def).
void tree_toggles(struct power_tree *tree, const struct power_config *c);
// Area and leakage of one, `times` over, for each of the component's count.
void tree_put(struct builder *b, int i, double area_mm2, double sub_w, double gate_w,
              double long_share, double times);
void tree_put_block(struct builder *b, int i, const struct block *k, double times);
struct array tree_put_array(struct builder *b, int i, struct array_config c, double long_share);
// Of a line of it, with valid and dirty bits.
unsigned tree_tag_bits(const struct power_cache *k);
// A cache of its own: tags and data.
struct array tree_put_cache(struct builder *b, int i, const struct power_cache *k, unsigned banks,
                            double long_share);
// Of the event that was put last, an access of such a cache, of which it takes `share` of a read or
// a write: what a part of a word line divided by words takes, and what dividing it adds. The cache
// itself is built undivided: the line is a technique's. `cost`: times the bare array, as in the event.
void tree_divided(struct builder *b, const struct power_cache *k, const struct array *a,
                  double reads, double writes, double cost);
// Times its bare array that an access of shared memory or L2 costs.
static inline double tree_array_cost(const struct power_config *c) {
    return c->array_cost > 0 ? c->array_cost : 1;
}
// The miss registers of a cache; an empty array where there are none.
struct array tree_put_mshrs(struct builder *b, int i, const struct power_cache *k,
                            double long_share);
// Banks of the register file of an SM: a row is a register of 32 lanes.
struct array_config tree_rf_config(const struct power_config *c);
double tree_subtree_area(const struct power_tree *tree, int root);
// Repeated global wire of a whole H-tree over a square of `area_mm2`: at level i 4^i branchings,
// each with one and a half times the side of its part, so 1.5 side (2^levels - 1).
struct block tree_clock_wire(const struct tech *t, double area_mm2, unsigned levels);
unsigned tree_log2_up(unsigned n);

void tree_build_sm(struct builder *b);      // tree_sm.c
void tree_build_ldst(struct builder *b);    // tree_ldst.c
void tree_build_sm_rest(struct builder *b); // tree_sm.c, after all that has flip-flops
void tree_build_chip(struct builder *b);    // tree_chip.c
void tree_build_board(struct builder *b);   // tree_chip.c

#endif
