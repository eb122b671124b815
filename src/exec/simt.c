// Divergence: a stack of (pc, reconvergence point, lanes). The top is unpacked in the warp; a
// branch whose lanes disagree leaves the meeting point on the stack, above it the lanes that did
// not jump, and goes on with those that did (taken path first, as Tesla and Fermi were measured to
// do: Wong et al., ISPASS 2010). Lanes that jump straight to the meeting point just wait there. A
// call pushes its return point and marks the callee's entry; the callee's lanes may be spread over
// entries above it. Lanes that have exited are struck off when an entry comes to the top.
#include <stdlib.h>

#include "exec/its.h"
#include "exec/log.h"
#include "exec/order.h"

static bool grow(struct exec_warp *w) {
    struct exec_launch *l = w->cta->launch;
    if (w->stack_cap >= EXEC_STACK_LIMIT) return false;
    const uint32_t cap = w->stack_cap * 4;
    struct exec_big_stack *big = malloc(sizeof *big + cap * sizeof big->entry[0]);
    if (!big) return false;
    memcpy(big->entry, w->stack, w->sp * sizeof big->entry[0]);
    big->next = atomic_load(&l->big_stacks);
    while (!atomic_compare_exchange_weak(&l->big_stacks, &big->next, big)) {
    }
    w->stack = big->entry;
    w->stack_cap = cap;
    return true;
}

// Room for n more entries; false when the warp's nesting is past the limit.
static inline bool reserve(struct exec_warp *w, uint32_t n) {
    while (ww_unlikely(w->sp + n > w->stack_cap))
        if (!grow(w)) return false;
    return true;
}
static inline void push(struct exec_warp *w, uint32_t pc, uint32_t reconv, uint32_t mask,
                        uint32_t kind) {
    w->stack[w->sp++] = (struct simt_entry){pc, reconv, mask, kind};
    w->pushes++;
}
static enum exec_outcome overflow(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                  uint32_t mask) {
    return fault_raise(e, w, x, FAULT_STACK, bits_first32(mask), 0, 0,
                       "more than %u calls and branches are open in one warp (endless recursion?)",
                       EXEC_STACK_LIMIT);
}

void simt_pop(struct exec_warp *w) {
    if (w->its) {
        its_meet(NULL, w);
        return;
    }
    do {
        if (!w->sp) {
            w->active = 0;
            return;
        }
        const struct simt_entry *t = &w->stack[--w->sp];
        w->pops++;
        w->pc = t->pc;
        w->reconv = t->reconv;
        w->active = t->mask & w->live;
        w->kind = t->kind;
    } while (!w->active || w->pc == w->reconv);
}

void simt_exit(struct exec_warp *w, uint32_t lanes) {
    order_exit(w, lanes);
    w->live &= ~lanes;
    w->active &= ~lanes;
}

static enum exec_outcome bra(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    const uint32_t next = (uint32_t)(x - w->code) + 1, rest = w->active & ~mask;
    if (!rest || !mask) {
        w->pc = mask ? x->d : next;
        simt_meet(w);
        return EXEC_NEXT;
    }
    const uint32_t meet = x->a == X_NONE ? w->reconv : x->a;
    if (!reserve(w, 2)) return overflow(e, w, x, mask);
    // With the meeting point of the entry itself the entry need not be kept.
    if (meet != w->reconv) push(w, meet, w->reconv, w->active, w->kind);
    const bool kept = meet == w->reconv;
    const uint32_t kind = kept ? w->kind : SIMT_BRANCH;
    if (x->d == meet) {
        w->active = rest;
        w->pc = next;
        w->kind = kind;
    } else if (next == meet) {
        w->active = mask;
        w->pc = x->d;
        w->kind = kind;
    } else {
        push(w, next, meet, rest, kind);
        w->active = mask;
        w->pc = x->d;
        w->kind = SIMT_BRANCH;
    }
    w->reconv = meet;
    simt_meet(w);
    return EXEC_NEXT;
}
// Without a guard all active lanes go.
static enum exec_outcome bra_all(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                 uint32_t mask) {
    (void)e, (void)mask;
    w->pc = x->d;
    simt_meet(w);
    return EXEC_NEXT;
}

// The lanes of `mask` that hold the same value as the first.
static uint32_t same_lanes(const uint32_t *v, uint32_t mask) {
    const uint32_t first = v[bits_first32(mask)];
    uint32_t same = 0;
    FOR_EACH_BIT32(i, mask) same |= (uint32_t)(v[i] == first) << i;
    return same;
}

bool simt_brx_targets(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                      uint32_t *to) {
    const struct code_image *im = w->cta->launch->im;
    const struct minst *m = x_minst(w, x);
    const struct code_table *t = m->aux < im->n_tables ? &im->tables[m->aux] : NULL;
    const uint32_t *p = x_src(w, x->b);
    FOR_EACH_BIT32(i, mask) {
        if (!t || p[i] >= t->n) {
            fault_raise(e, w, x, FAULT_BAD_BRANCH, i, 0, 0,
                        "brx.idx with index %u into a table of %u targets", p[i], t ? t->n : 0);
            return false;
        }
        to[i] = t->pc[p[i]];
    }
    return true;
}

static enum exec_outcome brx(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    const uint32_t next = (uint32_t)(x - w->code) + 1, rest = w->active & ~mask;
    if (!mask) {
        w->pc = next;
        simt_meet(w);
        return EXEC_NEXT;
    }
    uint32_t to[WARP_LANES];
    if (!simt_brx_targets(e, w, x, mask, to)) return EXEC_FAULT;
    const uint32_t meet = x->a == X_NONE ? w->reconv : x->a;
    if (!reserve(w, WARP_LANES + 2)) return overflow(e, w, x, mask);
    // Groups in order of their first lane; pushed from the last, so that the first runs first.
    uint32_t pc[WARP_LANES + 1], lanes[WARP_LANES + 1], n = 0;
    for (uint32_t left = mask; left;) {
        const uint32_t g = same_lanes(to, left);
        pc[n] = to[bits_first32(g)];
        lanes[n++] = g;
        left &= ~g;
    }
    if (rest) {
        pc[n] = next;
        lanes[n++] = rest;
    }
    if (n == 1) {
        w->pc = pc[0];
        simt_meet(w);
        return EXEC_NEXT;
    }
    uint32_t kind = w->kind;
    if (meet != w->reconv) {
        push(w, meet, w->reconv, w->active, w->kind);
        kind = SIMT_BRANCH;
    }
    for (uint32_t k = n; k-- > 0;) {
        if (pc[k] == meet) continue;          // waits in the entry below
        push(w, pc[k], meet, lanes[k], kind); // the last to run stands in for the whole entry
        kind = SIMT_BRANCH;
    }
    w->pushes--; // the top is taken off at once
    simt_pop(w);
    w->pops--;
    return EXEC_NEXT;
}

// A callee's lanes; the caller waits below with all of its own, guarded-off ones included.
static enum exec_outcome enter(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask, const uint32_t *to) {
    const uint32_t next = (uint32_t)(x - w->code) + 1;
    if (!mask) {
        w->pc = next;
        simt_meet(w);
        return EXEC_NEXT;
    }
    if (!reserve(w, WARP_LANES + 2)) return overflow(e, w, x, mask);
    push(w, next, w->reconv, w->active, w->kind);
    uint32_t groups[WARP_LANES], n = 0;
    for (uint32_t left = mask; left;) {
        groups[n] = same_lanes(to, left);
        left &= ~groups[n++];
    }
    for (uint32_t k = n; k-- > 1;)
        push(w, to[bits_first32(groups[k])], UINT32_MAX, groups[k], SIMT_CALL);
    w->pc = to[bits_first32(groups[0])];
    w->reconv = UINT32_MAX;
    w->active = groups[0];
    w->kind = SIMT_CALL;
    return EXEC_NEXT;
}
static enum exec_outcome call(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    uint32_t to[WARP_LANES];
    for (uint32_t i = 0; i < WARP_LANES; i++) to[i] = x->d;
    return enter(e, w, x, mask, to);
}
bool simt_calli_targets(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                        uint32_t mask, uint32_t *to) {
    const struct code_image *im = w->cta->launch->im;
    const uint32_t *p = x_src(w, x->b);
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
    return true;
}
static enum exec_outcome calli(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    uint32_t to[WARP_LANES];
    if (!simt_calli_targets(e, w, x, mask, to)) return EXEC_FAULT;
    return enter(e, w, x, mask, to);
}

static enum exec_outcome done(struct exec_warp *w) {
    if (w->active) return EXEC_NEXT;
    simt_pop(w);
    if (w->active) return EXEC_NEXT;
    w->live = 0;
    return EXEC_EXITED;
}

static enum exec_outcome leave(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    w->pc = (uint32_t)(x - w->code) + 1;
    if (mask == w->live && e->log && w->n_deferred) {
        log_forget_warp(e->log, w);
        w->n_deferred = 0;
    }
    simt_exit(w, mask);
    if (w->active) simt_meet(w);
    return done(w);
}

static enum exec_outcome ret(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    if (mask != w->active) { // guarded: the others go on, these are struck off
        w->pc = (uint32_t)(x - w->code) + 1;
        if (!mask) {
            simt_meet(w);
            return EXEC_NEXT;
        }
    }
    bool in_call = w->kind == SIMT_CALL;
    for (uint32_t k = w->sp; !in_call && k-- > 0;) in_call = w->stack[k].kind == SIMT_CALL;
    if (!in_call) return leave(e, w, x, mask);
    // These lanes wait in no other entry of the callee.
    for (uint32_t k = w->sp; w->kind != SIMT_CALL && k-- > 0;) {
        w->stack[k].mask &= ~mask;
        if (w->stack[k].kind == SIMT_CALL) break;
    }
    w->active &= ~mask;
    if (w->active) simt_meet(w);
    return done(w);
}

const exec_fn simt_fns[] = {
    [SIMT_BRA] = bra,     [SIMT_BRA_ALL] = bra_all, [SIMT_BRX] = brx,   [SIMT_CALL_FN] = call,
    [SIMT_CALLI] = calli, [SIMT_RET] = ret,         [SIMT_EXIT] = leave};
