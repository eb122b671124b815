// The optimiser, the parts. opt.c says in what order.
#ifndef WW_CODE_OPT_H
#define WW_CODE_OPT_H

#include "code/edit.h"
#include "code/live.h"

enum { OPT_NONE = -1, OPT_MANY = -2 };

// Definitions and uses as they stand, kept up to date while one pass rewrites in place.
// Slots are numbered as in live.h: words of registers, then predicates, the carry last.
struct opt {
    struct mfunc *f;
    struct arena *arena;
    struct cfg *cfg;
    uint32_t *word_base;
    uint32_t n_vregs; // those made during the pass are beyond, and nothing is known of them
    uint32_t n_words, n_slots;
    int32_t *def;           // slot -> its only definition, OPT_NONE, OPT_MANY
    uint32_t *uses;         // slot -> operands that read it
    uint32_t *address_uses; // of those, addresses of memory operations
    // the walk: last definition of a slot in the block before the instruction in hand
    uint32_t *last, *stamp, epoch;
    uint32_t *same_as; // word slot -> an equal one found before, UINT32_MAX
    // instructions to put in before others
    struct opt_insert {
        uint32_t before;
        bool above; // of the labels there too: at the end of the block in front
        struct minst inst;
    } * insert_at;
    uint32_t n_inserts, cap_inserts;
    bool carry_crosses; // a block reads a carry that another wrote
    bool changed;
};

struct opt *opt_index(struct mfunc *f, struct arena *a);

static inline bool opt_knows(const struct opt *o, const struct opnd *x) {
    return x->kind != OPND_GPR || x->reg < o->n_vregs;
}
static inline uint32_t opt_slot(const struct opt *o, const struct opnd *x) {
    if (x->kind == OPND_PRED) return x->reg == VPRED_CARRY ? o->n_slots - 1 : o->n_words + x->reg;
    return o->word_base[x->reg] + x->sub;
}
// The instruction whose unguarded definition of `slot` is what instruction `at` sees; -1: unknown.
int32_t opt_definition(const struct opt *o, uint32_t slot, uint32_t at);
// The same of an operand's first word, if it is a register or a predicate; NULL: unknown.
const struct minst *opt_source(const struct opt *o, const struct opnd *x, uint32_t at,
                               uint32_t *from);
// Whether the operand has the same value at `at` as it had at the earlier instruction `from`, whose
// result `at` sees.
bool opt_unchanged(const struct opt *o, const struct opnd *x, uint32_t from, uint32_t at);
// Replaces source s of instruction `at`, counting uses; fillers that name it follow.
void opt_replace(struct opt *o, uint32_t at, unsigned s, struct opnd by);
// Puts a changed instruction in the place of the one at `at`.
void opt_rewrite(struct opt *o, uint32_t at, const struct minst *by);
// Counts or uncounts all uses of an instruction.
void opt_count(struct opt *o, const struct minst *m, bool add);
void opt_insert_before(struct opt *o, uint32_t at, bool above, const struct minst *m);
// The same for moves of all words of `from`, which has no modifiers, to the new register `to`.
void opt_move_before(struct opt *o, uint32_t at, bool above, struct opnd to, struct opnd from);
void opt_put_inserts(struct opt *o);
// Notes what the instruction defines: the walk over a block goes on behind it.
void opt_remember(struct opt *o, uint32_t at);

static inline bool opt_plain(const struct minst *m) {
    return m->guard == VPRED_TRUE && !(m->flags & MF_FRAME) && !minst_is_filler(m);
}
static inline bool opt_is_memory(const struct minst *m) {
    switch (m->op) {
    case OP_LD:
    case OP_ST:
    case OP_ATOM:
    case OP_PREFETCH:
    case OP_LDC: return true;
    default: return false;
    }
}

void opt_flow(struct mfunc *f, struct arena *a);     // opt_flow.c
void opt_propagate(struct opt *o, uint32_t at);      // opt_value.c
void opt_find_equal(struct opt *o);                  // opt_value.c
bool opt_combine(struct opt *o, uint32_t at);        // opt_combine.c
// A constant or immediate in a register, with its modifiers, for instruction `at`: one made before, if
// it is near or in front of the same loop. (opt_combine.c)
struct opnd opt_in_register(struct opt *o, uint32_t at, struct opnd x);
bool opt_fold_known(struct opt *o, uint32_t at);     // opt_fold.c
bool opt_fold_sum(struct opt *o, uint32_t at);       // opt_fold.c
bool opt_hoist(struct mfunc *f, struct arena *a);    // opt_hoist.c
bool opt_fuse(struct mfunc *f, struct arena *a);     // opt_fuse.c
bool opt_pair(struct mfunc *f, struct arena *a);     // opt_pair.c
bool opt_dead(struct mfunc *f, struct arena *a);     // opt_dead.c
bool opt_if(struct mfunc *f, struct arena *a);       // opt_if.c
void opt_schedule(struct mfunc *f, struct arena *a); // opt_sched.c

#endif
