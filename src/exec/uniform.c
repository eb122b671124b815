// The uniform file: a register of it is a vector of equal words behind the kernel's own registers, a
// predicate of it a vector of equal bits, so that every handler reads them as it reads others. An
// instruction writes them once for the lanes that run together. Its operation's handler computes the
// active lanes; what the lowest of them has got becomes the value of all active ones. For sources of
// the uniform file that is what each of them gets; R2UR takes it of a vector register, whose lanes
// compilers know to be equal.
//
// Hardware has one value a warp. Lanes that have parted keep theirs here until they meet, so that it
// makes no difference when which of them have their turn: compilers use the uniform file on paths of
// a warp that has parted, where nothing makes hardware change the path.
#include <stdlib.h>

#include "isa/op.h"
#include "exec/uniform.h"

static bool is_predicate(const struct opnd *o) {
    return o->kind == OPND_PRED && o->reg >= PRED_UNIFORM && !pred_is_true(o->reg);
}
static bool writes_predicates(const struct minst *m) {
    bool any = m->op == OP_R2PM && m->aux == PRED_UNIFORM;
    for (uint32_t k = 0; k < MINST_DSTS; k++) any |= is_predicate(&m->dst[k]);
    return any;
}
static bool writes_uniform(const struct minst *m) {
    bool any = writes_predicates(m);
    for (uint32_t k = 0; k < MINST_DSTS; k++) any |= m->dst[k].kind == OPND_UGPR;
    return any;
}

static void spread_words(struct exec_warp *w, uint32_t at, uint32_t words, uint32_t lane) {
    uint32_t *v = x_dst(w, at);
    for (uint32_t k = 0; k < words; k++, v += WARP_LANES) {
        const uint32_t word = v[lane];
        FOR_EACH_BIT32(i, w->active) v[i] = word;
    }
}
// Of those that were not written all active lanes are equal already.
static void spread_predicates(struct exec_warp *w, uint32_t lane) {
    for (uint32_t k = PRED_UNIFORM; k < UPRED_TRUE; k++) {
        const uint32_t all = 0u - (w->pred[k] >> lane & 1);
        w->pred[k] = (w->pred[k] & ~w->active) | (all & w->active);
    }
}
static enum exec_outcome write_uniform(struct exec_env *e, struct exec_warp *w,
                                       const struct xinst *x, uint32_t mask) {
    const struct minst *const m = x_minst(w, x);
    const enum exec_outcome o = w->cta->launch->lane_fn[x - w->code](e, w, x, mask);
    if (o != EXEC_NEXT && o != EXEC_MEMORY) return o;
    const uint32_t lane = bits_first32(mask);
    const uint32_t at[MINST_DSTS] = {x->d, x->d1, x->d2};
    for (uint32_t k = 0; k < MINST_DSTS; k++)
        if (m->dst[k].kind == OPND_UGPR) spread_words(w, at[k], m->dst[k].words, lane);
    if (writes_predicates(m)) spread_predicates(w, lane);
    return o;
}

bool uniform_choose(struct exec_launch *l) {
    if (!l->im->is_machine_code) return true;
    for (uint32_t k = 0; k < l->im->n_insts; k++) {
        if (!writes_uniform(&l->im->inst[k])) continue;
        if (!l->lane_fn) l->lane_fn = calloc(l->im->n_insts, sizeof *l->lane_fn);
        if (!l->lane_fn) return false;
        l->lane_fn[k] = l->code[k].fn;
        l->code[k].fn = write_uniform;
    }
    return true;
}
