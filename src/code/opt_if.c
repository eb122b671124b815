// Short branches become guards, as the machines' assemblers make them:
//
//     @p BRA over;  a; b; over:            ->   @!p a;  @!p b
//     @p BRA else;  a; BRA end; else: b;   ->   @!p a;  @p b
//
// A branch costs its own issue slot and, when lanes differ, a second pass over the code; a guarded
// instruction costs its slot. The limits below are what ptxas shows for sm_20: sides of up to seven
// instructions are guarded.
#include "code/opt.h"

enum { SIDE_LIMIT = 7, BOTH_LIMIT = 9 };

static bool may_guard(const struct minst *m, uint32_t p) {
    if (m->guard != VPRED_TRUE) return false;
    if (mop_info[m->op].flags & (OPF_BRANCH | OPF_CONVERGENT)) return false;
    if (m->op == OP_TRAP || m->op == OP_BRKPT || m->op == OP_NANOSLEEP || m->op == OP_MEMBAR || m->op == OP_CCTL ||
        m->op == OP_GRIDDEP)
        return false;
    if (m->op == OP_S2R && (m->flags & MF_VOLATILE)) return false;
    for (unsigned d = 0; d < MINST_DSTS; d++)
        if (m->dst[d].kind == OPND_PRED && m->dst[d].reg == p) return false;
    return true;
}

// Whether instructions [first, first + n) can all stand under a guard.
static bool side_fits(const struct mfunc *f, uint32_t first, uint32_t n, uint32_t p) {
    if (n > SIDE_LIMIT) return false;
    for (uint32_t i = first; i < first + n; i++)
        if (!may_guard(&f->inst.at[i], p)) return false;
    return true;
}

static void guard_side(struct mfunc *f, uint32_t first, uint32_t n, uint32_t p, bool negated) {
    for (uint32_t i = first; i < first + n; i++) {
        f->inst.at[i].guard = p;
        f->inst.at[i].guard_not = negated;
    }
}

static bool writes_sp(const struct mfunc *f, uint32_t first, uint32_t n) {
    if (!mfunc_has_sp(f)) return false;
    for (uint32_t i = first; i < first + n; i++)
        if (f->inst.at[i].dst[0].kind == OPND_GPR && f->inst.at[i].dst[0].reg == f->sp_vreg)
            return true;
    return false;
}

static bool is_plain_jump(const struct minst *m) {
    return m->op == OP_BRA && m->guard == VPRED_TRUE;
}

// Block b ends in a branch around its successor. Answers whether the branch is gone.
static bool convert(struct mfunc *f, const struct cfg *c, uint32_t b, uint8_t *dead) {
    if (b + 1 >= c->n) return false;
    const struct cfg_block *side = &c->block[b + 1];
    const struct cfg_block *next = b + 2 < c->n ? side + 1 : NULL;
    const uint32_t at = c->block[b].first + c->block[b].n - 1;
    const struct minst *bra = &f->inst.at[at];
    if (bra->op != OP_BRA || bra->guard == VPRED_TRUE || (bra->flags & MF_UNIFORM))
        return false;
    if (side->n_pred != 1) return false;
    const uint32_t last = side->first + side->n - 1;
    const uint32_t p = bra->guard;
    const bool negated = bra->guard_not;
    if (writes_sp(f, side->first, side->n)) return false;
    const uint32_t target = (uint32_t)f->label_at.at[bra->target];
    if (!minst_ends_block(&f->inst.at[last], false)) { // falls through to where the branch goes
        if (!next || target != next->first || !side_fits(f, side->first, side->n, p)) return false;
        guard_side(f, side->first, side->n, p, !negated);
        dead[at] = 1;
        return true;
    }
    if (!is_plain_jump(&f->inst.at[last])) return false;
    if ((uint32_t)f->label_at.at[f->inst.at[last].target] == target) {
        if (!side_fits(f, side->first, side->n - 1, p)) return false; // both go on to one place
        guard_side(f, side->first, side->n - 1, p, !negated);
        dead[at] = 1;
        return true;
    }
    if (b + 3 >= c->n || target != next->first) return false;
    const struct cfg_block *end = &c->block[b + 3];
    if ((uint32_t)f->label_at.at[f->inst.at[last].target] != end->first) return false;
    if (next->n_pred != 1 || side->n - 1 + next->n > BOTH_LIMIT) return false;
    if (minst_ends_block(&f->inst.at[next->first + next->n - 1], false)) return false;
    if (!side_fits(f, side->first, side->n - 1, p) || !side_fits(f, next->first, next->n, p) ||
        writes_sp(f, next->first, next->n))
        return false;
    guard_side(f, side->first, side->n - 1, p, !negated);
    guard_side(f, next->first, next->n, p, negated);
    dead[at] = dead[last] = 1;
    return true;
}

bool opt_if(struct mfunc *f, struct arena *a) {
    const struct cfg *c = cfg_build(a, f);
    uint8_t *dead = arena_alloc(a, (size_t)f->inst.n + 1);
    bool changed = false;
    for (uint32_t b = 0; b < c->n; b++) changed |= convert(f, c, b, dead);
    if (changed) edit_delete(f, dead);
    return changed;
}
