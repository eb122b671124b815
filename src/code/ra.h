// Register allocation, the parts. ra.c says how they play together.
#ifndef WW_CODE_RA_H
#define WW_CODE_RA_H

#include "code/edit.h"
#include "code/live.h"

enum ra_class { RA_GPR, RA_PRED };

enum { RA_UNCOLORED = -1, RA_SP = 1 }; // R1 is the stack pointer where there is one

// What is kept of a virtual register over the rounds of spilling. A temporary stands for a spilled
// value during a few instructions; `place` is where that value lives: a byte offset in the spill
// area, or for predicates 4 times the general register that holds it.
struct ra_home {
    uint32_t place;
    bool is_temp;
    bool pinned; // a temporary of one instruction: spilling it again would not help
};

struct ra_edge {
    uint32_t to;
    uint16_t mask; // bit 4i + j: word i here may not lie where word j there does
};

// One round's view: nodes are the virtual registers of one class; moves tie some together into a
// group, whose root stands for all. A member lies `offset` words into its root.
struct ra {
    struct mfunc *f;
    struct arena *arena;
    enum ra_class cls;
    uint32_t n_colors; // registers of the class
    bool keeps_r1;     // R1 is the stack pointer, or kept for it
    struct cfg *cfg;
    struct live *live;
    const struct ra_home *home;
    uint32_t n_homes; // registers from there on have none

    uint32_t n; // nodes
    uint8_t *words;
    bool *crosses;     // live over a call that leaves no register alone
    uint32_t *floor;   // the lowest place that calls leave alone over which it lives
    double *cost;      // of spilling it: accesses weighted by loop depth
    uint32_t *length;  // instructions over which it lives
    bool *remat;       // can be made anew from its definitions
    uint32_t pressure; // most words (or predicates) live at once

    struct ra_recipes *recipes; // ra_remake.c; NULL: not asked for

    uint32_t
        *same_guard; // a word's slot -> that of the word it may overwrite (ra_graph.c); or NULL
    // interference between registers, before grouping
    struct ra_table {
        uint64_t *key;
        uint16_t *mask;
        uint32_t n, cap;
    } table;

    // groups
    uint32_t *parent, *next_member, *last_member;
    uint8_t *offset; // within parent; within root after ra_root_of
    bool *used;      // appears in the code

    // interference between roots
    struct ra_edge *edge;
    uint32_t *edge_at; // node -> first edge; one more at the end
    int32_t *color;    // of roots
};

// How many registers of the class, from 0 on, a call may change: all are n_colors.
uint32_t ra_taken_by(const struct ra *r, const struct minst *m);

// ra_measure.c: nodes, costs, lengths, pressure; whom to spill.
void ra_measure(struct ra *r);
// Marks the cheapest registers until nowhere more than `limit` words are live; false: cannot.
bool ra_relieve(struct ra *r, uint32_t limit, bool *victim);
// Marks for each group without a colour the cheapest of itself and its neighbours; false: cannot.
bool ra_evict(struct ra *r, bool *victim);
// How often a block is likely to execute, from the loops around it.
double ra_weight_at(const struct cfg *c, uint32_t block);
// An access of local memory, counted in instructions.
enum { RA_ACCESS_COST = 4 };
uint32_t ra_node_of(const struct ra *r, uint32_t slot);
static inline bool ra_has(const struct ra *r, uint32_t slot) {
    if (r->cls == RA_GPR)
        return slot < r->live->n_words &&
               r->f->vreg_words.at[r->live->vreg_of[slot]] <= OPND_MOST_WORDS;
    return slot >= r->live->pred_base && slot < r->live->pred_end;
}
static inline bool ra_is_temp(const struct ra *r, uint32_t node) {
    return node < r->n_homes && r->home[node].is_temp;
}

enum { SUMS_ALIGN = 8 }; // words: where ptxas's code has sums begin (cubins of 9.0a)
// sums.c: joins and places the sums of products of warp groups, in a block of their own.
void ra_place_sums(struct mfunc *f);

// ra_graph.c
void ra_build_graph(struct ra *r);
void ra_coalesce(struct ra *r);
void ra_join_graph(struct ra *r); // root-level edges from table and groups
uint32_t ra_root(struct ra *r, uint32_t node, uint32_t *offset);
// A move that two nodes of the class could share: one unguarded or guarded copy of the same words.
bool ra_is_move(const struct ra *r, const struct minst *m, struct opnd *d, struct opnd *s);

// ra_color.c: colours as many as it can within n_colors; false if some root stays without.
bool ra_color(struct ra *r);
uint32_t ra_colors_used(const struct ra *r);

// ra_temps.c: registers for the fillers of long expansions, given when all else has its place.
enum { RA_FIXED_DST = 1, RA_FIXED_SRC = 2 };
struct ra_temps {
    struct mfunc *f;
    const uint32_t *place; // virtual register -> real one
    uint32_t max_regs, used;
    bool keeps_r1;
    uint8_t *fixed; // instruction -> RA_FIXED_*: dst[0], src[0] are real registers already
};
void ra_give_temps(struct mfunc *f, struct arena *scratch, void *context);

// ra_save.c: what a function that keeps registers for its callers stores first and reloads last,
// once all registers are real ones.
void ra_save(struct mfunc *f, struct arena *scratch, void *unused);

// ra_remake.c: registers that can be computed again where they are read.
void ra_find_recipes(struct ra *r);
// Instructions that make the root anew at each read; 0: it cannot be, or that does not pay.
uint32_t ra_recipe_length(const struct ra *r, uint32_t root);
// Leaves of the marked registers, where there are some, those to be made anew in one go; false:
// there are none, and the marks stay.
bool ra_can_remake(const struct ra *r, bool *victim);
void ra_remake(struct ra *r, const bool *victim);

// ra_spill.c
enum { RA_TAG_NONE, RA_TAG_RELOAD, RA_TAG_STORE };
struct ra_spill {
    VEC(struct ra_home) home; // for each register of the class
    uint8_t *tag;             // instruction -> RA_TAG_*; NULL before the first round
    uint32_t window;          // instructions over which a reloaded value stays in its register
};
// An access of the function's spill area, `place` bytes into it, unguarded, from where `at` is from.
struct minst ra_local_access(const struct mfunc *f, const struct minst *at, enum mop op,
                             uint32_t place, uint32_t words);
// Takes the marked roots and their members out of registers.
void ra_spill(struct ra *r, struct ra_spill *s, const bool *victim);

#endif
