// Changing the list of a function's instructions: deletion, insertion, labels following along; and
// scratch memory for one pass.
#ifndef WW_CODE_EDIT_H
#define WW_CODE_EDIT_H

#include "code/code.h"

// Drops the instructions whose byte in `dead` is set. Labels move to what follows.
void edit_delete(struct mfunc *f, const uint8_t *dead);

// Rewriting in one sweep: edit_at before each old instruction (also the deleted ones), edit_put for
// everything that stays or is new, edit_finish. `tag` travels with each new instruction.
struct edit {
    struct mfunc *f;
    struct arena *arena;
    VEC(struct minst) out;
    VEC(uint8_t) tag;
    uint32_t *new_at; // old index -> new index
};
void edit_start(struct edit *e, struct mfunc *f, struct arena *scratch);
static inline void edit_at(struct edit *e, uint32_t old) { e->new_at[old] = e->out.n; }
struct minst *edit_put(struct edit *e, const struct minst *m, uint8_t tag);
void edit_finish(struct edit *e);

uint32_t edit_new_vreg(struct mfunc *f, uint8_t words);
// A literal of one or two words in c[2].
struct opnd edit_literal(struct mfunc *f, uint64_t v, unsigned words);

// Calls body with an arena of its own, freed afterwards, also when memory runs out.
void edit_with_scratch(struct mfunc *f, void (*body)(struct mfunc *, struct arena *, void *),
                       void *context);

#endif
