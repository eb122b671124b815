// One instruction of one warp, for exec_step and for the loop of functional.c.
#ifndef WW_EXEC_STEP_H
#define WW_EXEC_STEP_H

#include "exec/exec_int.h"

static inline __attribute__((always_inline)) enum exec_outcome step(struct exec_env *e,
                                                                    struct exec_warp *w) {
    const struct xinst *x = w->code + w->pc;
    const uint32_t mask = w->active & (w->pred[x->guard] ^ x->guard_xor);
    e->exec_mask = mask;
    // Straight-line code moves on first, so that handlers need not; control transfers do it all.
    w->pc += x->advance;
    converge_meet(w);
    if (ww_unlikely(!(mask | (uint32_t)!x->advance))) return EXEC_NEXT;
    return x->fn(e, w, x, mask);
}

// What others may see ends a warp's turn without time: then warps that race do so store by store.
static inline bool step_ends_turn(const struct exec_access *a) {
    const bool changes = a->kind >= ACCESS_STORE && a->kind <= ACCESS_REDUCE;
    return a->deferred || a->kind >= ACCESS_BULK || (changes && a->space != SPACE_LOCAL);
}

#endif
