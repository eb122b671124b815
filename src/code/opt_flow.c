// Control flow: code that cannot be reached, jumps to jumps, jumps around jumps, jumps to the end,
// jumps to the next instruction.
#include "code/opt.h"

static uint32_t at_label(const struct mfunc *f, int32_t label) {
    return (uint32_t)f->label_at.at[label];
}

static bool is_jump(const struct minst *m) {
    return m->op == OP_BRA && m->guard == VPRED_TRUE;
}

// Where a jump to `label` ends up: follows jumps that stand alone.
static int32_t final_label(const struct mfunc *f, int32_t label) {
    for (unsigned hops = 0; hops < 16; hops++) {
        const uint32_t at = at_label(f, label);
        if (at >= f->inst.n || !is_jump(&f->inst.at[at])) break;
        label = f->inst.at[at].target;
    }
    return label;
}

static void become_exit(struct minst *m, const struct minst *exit) {
    m->op = OP_EXIT;
    m->klass = exit->klass;
    m->target = -1;
    m->flags = exit->flags;
}

// @p BRA over; BRA far; over:  ->  @!p BRA far
static bool invert_over_jump(struct mfunc *f, uint32_t i, uint8_t *dead) {
    struct minst *m = &f->inst.at[i];
    if (m->guard == VPRED_TRUE || i + 2 >= f->inst.n || !is_jump(&f->inst.at[i + 1])) return false;
    if (at_label(f, m->target) != i + 2) return false;
    for (uint32_t l = 0; l < f->label_at.n; l++) // somebody else may come to the jump
        if (f->label_at.at[l] == (int32_t)i + 1) return false;
    m->guard_not = !m->guard_not;
    m->target = f->inst.at[i + 1].target;
    dead[i + 1] = 1;
    return true;
}

static bool mend_branches(struct mfunc *f, struct arena *a) {
    uint8_t *dead = arena_alloc(a, (size_t)f->inst.n + 1);
    bool changed = false;
    for (uint32_t i = 0; i < f->inst.n; i++) {
        struct minst *m = &f->inst.at[i];
        if (dead[i] || m->op != OP_BRA) continue;
        changed |= invert_over_jump(f, i, dead);
        m->target = final_label(f, m->target);
        const uint32_t to = at_label(f, m->target);
        uint32_t next = i + 1;
        while (next < f->inst.n && dead[next]) next++;
        if (to == next) {
            dead[i] = 1;
            changed = true;
        } else if (to < f->inst.n && f->inst.at[to].op == OP_EXIT &&
                   f->inst.at[to].guard == VPRED_TRUE) {
            become_exit(m, &f->inst.at[to]);
            changed = true;
        }
    }
    for (uint32_t t = 0; t < f->n_tables; t++)
        for (uint32_t j = 0; j < f->tables[t].n; j++)
            f->tables[t].label[j] = final_label(f, f->tables[t].label[j]);
    edit_delete(f, dead);
    return changed;
}

static bool drop_unreachable(struct mfunc *f, struct arena *a) {
    const struct cfg *c = cfg_build(a, f);
    uint8_t *dead = arena_alloc(a, (size_t)f->inst.n + 1);
    bool any = false;
    for (uint32_t b = 0; b < c->n; b++) {
        if (c->block[b].rpo != UINT32_MAX) continue;
        memset(dead + c->block[b].first, 1, c->block[b].n);
        any = true;
    }
    if (any) edit_delete(f, dead);
    return any;
}

void opt_flow(struct mfunc *f, struct arena *a) {
    for (unsigned round = 0; round < 4; round++) {
        const bool dropped = drop_unreachable(f, a);
        if (!mend_branches(f, a) && !dropped) break;
    }
}
