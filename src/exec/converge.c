// Which body of the port a launch has, and what all bodies need to know of branches.
#include "exec/check_grid.h"
#include "exec/converge.h"

#include "exec/cluster.h"
#include "exec/converge_flow.h"
#include "exec/log.h"
#include "exec/order.h"
#include "isa/op.h"

const struct converge *converge_of(const struct code_image *im) {
    if (im->is_machine_code) return &converge_bars;
    return gen_has(im->target.gen, TRAIT_INDEPENDENT) ? &converge_nodes : &converge_stack;
}
void converge_met(struct exec_warp *w) { w->cta->launch->converge->meet(w); }

enum flow_fn flow_of(const struct minst *m) {
    switch ((enum mop)m->op) {
    case OP_BRA: return pred_is_true(m->guard) && !m->guard_not ? FLOW_BRA_ALL : FLOW_BRA;
    case OP_BRX: return FLOW_BRX;
    case OP_CALL: return FLOW_CALL;
    case OP_CALLI: return FLOW_CALLI;
    case OP_RET: return FLOW_RET;
    case OP_EXIT: return FLOW_EXIT;
    default: return FLOW_N;
    }
}

void converge_exit(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lanes) {
    w->pc = (uint32_t)(x - w->code) + 1;
    if (lanes == w->live && e->log && w->n_deferred) {
        log_forget_warp(e->log, w);
        w->n_deferred = 0;
    }
    check_grid_exit(e, w, lanes);
    order_exit(w, lanes);
    cluster_exit(w, lanes);
    w->live &= ~lanes;
    w->active &= ~lanes;
}

enum exec_outcome flow_no_room(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask, uint32_t most) {
    return fault_raise(e, w, x, FAULT_STACK, bits_first32(mask), 0, 0,
                       "more than %u calls and branches are open in one warp (endless recursion?)",
                       most);
}

// ---- targets --------------------------------------------------------------------------------

uint32_t lanes_alike(const uint32_t *v, uint32_t mask) {
    const uint32_t first = v[bits_first32(mask)];
    uint32_t same = 0;
    FOR_EACH_BIT32(i, mask) same |= (uint32_t)(v[i] == first) << i;
    return same;
}

void paths_add(struct paths *p, uint32_t pc, uint32_t lanes) {
    p->pc[p->n] = pc;
    p->lanes[p->n++] = lanes;
}
void paths_by_target(struct paths *p, const uint32_t *to, uint32_t mask) {
    for (uint32_t g; mask; mask &= ~g) {
        g = lanes_alike(to, mask);
        paths_add(p, to[bits_first32(g)], g);
    }
}

bool paths_of_brx(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                  struct paths *out) {
    const struct code_image *im = w->cta->launch->im;
    const struct minst *m = x_minst(w, x);
    const struct code_table *t = m->aux < im->n_tables ? &im->tables[m->aux] : NULL;
    const uint32_t *p = x_src(w, x->b);
    uint32_t to[WARP_LANES];
    FOR_EACH_BIT32(i, mask) {
        if (!t || p[i] >= t->n) {
            fault_raise(e, w, x, FAULT_BAD_BRANCH, i, 0, 0,
                        "brx.idx with index %u into a table of %u targets", p[i], t ? t->n : 0);
            return false;
        }
        to[i] = t->pc[p[i]];
    }
    paths_by_target(out, to, mask);
    return true;
}

bool paths_of_calli(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                    struct paths *out) {
    const struct code_image *im = w->cta->launch->im;
    const uint32_t *p = x_src(w, x->b);
    uint32_t to[WARP_LANES];
    FOR_EACH_BIT32(i, mask) {
        const uint64_t a = x->awords == 2 ? x_get64(p, i) : p[i];
        const uint64_t f = (a - CODE_FUNC_ADDRESS(0)) / 16;
        if (a < CODE_FUNC_ADDRESS(0) || a % 16 || f >= im->n_funcs ||
            im->func_pc[f] == UINT32_MAX) {
            fault_raise(e, w, x, FAULT_BAD_CALL, i, a, 0,
                        "call of 0x%llx, which is no function of this kernel",
                        (unsigned long long)a);
            return false;
        }
        to[i] = im->func_pc[f];
    }
    paths_by_target(out, to, mask);
    return true;
}

// ---- what the callers of exec ask -----------------------------------------------------------

void exec_barrier_release(struct exec_warp *w, uint32_t value) {
    w->cta->launch->converge->release(w, value);
}
bool exec_barrier_wait(const struct exec_warp *w, uint32_t i, struct exec_wait *out) {
    return w->cta->launch->converge->wait(w, i, out);
}
const char *exec_waits_text(const struct exec_warp *w, char *text, size_t size) {
    text[0] = 0;
    w->cta->launch->converge->text(w, text, size);
    return text;
}
