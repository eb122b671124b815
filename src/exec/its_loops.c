// Which loops wait for other threads: those of which a branch hangs on an atomic or a volatile load
// in them. Others have their turn at once when such a loop goes round.
#include "exec/its.h"

// Registers and predicates that hold what another thread may change, or what was made of that.
struct taint {
    uint64_t reg[4];
    uint32_t pred;
};
static bool has_taint(const struct taint *t, const struct opnd *o) {
    if (o->kind == OPND_PRED) return o->reg < PRED_TRUE && t->pred >> o->reg & 1;
    for (uint32_t k = 0; o->kind == OPND_GPR && k < o->words; k++)
        if (t->reg[(o->reg + k) / 64] >> (o->reg + k) % 64 & 1) return true;
    return false;
}
static void set_taint(struct taint *t, const struct opnd *o, bool on, bool clear) {
    if (o->kind == OPND_PRED && o->reg < PRED_TRUE) {
        if (on) t->pred |= 1u << o->reg;
        if (!on && clear) t->pred &= ~(1u << o->reg);
    }
    for (uint32_t k = 0; o->kind == OPND_GPR && k < o->words; k++) {
        uint64_t *const r = &t->reg[(o->reg + k) / 64], bit = 1ull << (o->reg + k) % 64;
        if (on) *r |= bit;
        if (!on && clear) *r &= ~bit;
    }
}
// A load that asks memory each time.
static bool reads_anew(const struct minst *m) {
    return m->op == OP_LD && (m->flags & MF_VOLATILE || m->cop == MCOP_CV);
}
// Whether a branch of the loop [first, last] hangs on an atomic or a volatile load in it.
static bool waits_for_others(const struct code_image *im, uint32_t first, uint32_t last) {
    struct taint t = {0};
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = first; i <= last; i++) {
            const struct minst *const m = &im->inst[i];
            if (m->flags & MF_FILLER) continue;
            const bool fresh = (m->op == OP_ATOM && m->dst[0].kind != OPND_NONE) || reads_anew(m);
            bool on = fresh;
            for (uint32_t k = 0; k < 4; k++) on |= has_taint(&t, &m->src[k]);
            const struct opnd guard = {.kind = OPND_PRED, .reg = m->guard};
            if ((m->op == OP_BRA || m->op == OP_EXIT) && has_taint(&t, &guard)) return true;
            const bool clear = m->guard >= PRED_TRUE;
            set_taint(&t, &m->dst[0], on, clear);
            set_taint(&t, &m->dst[1], on, clear);
        }
    }
    return false;
}
void its_mark(struct exec_launch *l) {
    const struct code_image *const im = l->im;
    for (uint32_t i = 0; i < im->n_insts; i++) {
        const struct minst *const m = &im->inst[i];
        if (m->op != OP_BRA || m->target < 0 || (uint32_t)m->target > i) continue;
        l->code[i].aux8 = waits_for_others(im, (uint32_t)m->target, i);
    }
}

void its_mark_loads(struct exec_launch *l) {
    const struct code_image *const im = l->im;
    for (uint32_t i = 0; i < im->n_insts; i++) {
        const struct minst *const m = &im->inst[i];
        if (m->op != OP_BRA || m->target < 0 || (uint32_t)m->target > i) continue;
        if (!waits_for_others(im, (uint32_t)m->target, i)) continue;
        for (uint32_t k = (uint32_t)m->target; k < i; k++)
            if (reads_anew(&im->inst[k])) l->code[k].flags |= X_WAITS;
    }
}
