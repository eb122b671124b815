// System calls: vprintf, malloc, free, __assertfail. Output and heap changes of an SM that logs are
// done at commit, so that they have one order; a pointer from malloc is there from then on.
#include <stdlib.h>

#include "exec/print.h"
#include "exec/warp.h"

static uint64_t argument(const struct exec_warp *w, const struct opnd *o, uint32_t at,
                         uint32_t lane) {
    const uint32_t *p = x_src(w, at);
    return o->words == 2 ? x_get64(p, lane) : p[lane];
}

static void emit(struct exec_env *e, const struct exec_launch *l, const struct print_text *t) {
    if (!t->len) return;
    if (e->log)
        log_print(e->log, l, t->at, t->len);
    else if (l->callbacks.print)
        l->callbacks.print(l->callbacks.user, t->at, t->len);
}

static enum exec_outcome print(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    const struct minst *m = x_minst(w, x);
    const uint32_t pointer = m->src[0].words == 2 ? 8 : 4;
    FOR_EACH_BIT32(i, mask) {
        struct print_text t = {0};
        uint32_t taken = 0;
        const bool ok = print_format(e, w, x, i, argument(w, &m->src[0], x->a, i),
                                     argument(w, &m->src[1], x->b, i), pointer, &t, &taken);
        if (ok) emit(e, w->cta->launch, &t);
        free(t.at);
        if (!ok) return EXEC_FAULT;
        if (x->d != X_NONE) x_dst(w, x->d)[i] = taken;
    }
    return EXEC_NEXT;
}

// As far as timing goes, malloc and free are atomics on the heap's head.
static void heap_access(struct exec_env *e, uint32_t mask, bool has_result, uint32_t words) {
    e->access = (struct exec_access){.space = SPACE_GLOBAL,
                                     .mask = mask,
                                     .bytes = 8,
                                     .kind = has_result ? ACCESS_ATOMIC : ACCESS_REDUCE,
                                     .n_dst = has_result ? words : 0};
    for (uint32_t i = 0; i < WARP_LANES; i++) e->access.addr[i] = EXEC_GLOBAL_BASE;
    e->access.deferred = e->log && has_result;
}
static enum exec_outcome heap(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    const struct minst *m = x_minst(w, x);
    const bool is_free = m->sub == MSYS_FREE;
    FOR_EACH_BIT32(i, mask) {
        const uint64_t a = argument(w, &m->src[0], x->a, i);
        if (e->log) {
            log_heap(e->log, w, x, i, is_free, a);
            if (is_free) { // it may be one of them
                e->range = (struct exec_range){0};
                memset(e->hit, 0, sizeof e->hit);
            }
        } else if (is_free) {
            if (!devmem_device_free(e->memory, a))
                return fault_raise(e, w, x, FAULT_UNALLOCATED, i, a, 0,
                                   "free() of 0x%llx, which malloc() did not return",
                                   (unsigned long long)a);
        } else if (x->d != X_NONE) {
            heap_result(w, x, i, devmem_device_malloc(e->memory, a));
        }
    }
    heap_access(e, mask, !is_free && x->d != X_NONE, m->dst[0].words);
    return EXEC_MEMORY;
}

static enum exec_outcome assert_fail(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                     uint32_t mask) {
    const struct minst *m = x_minst(w, x);
    const uint32_t lane = bits_first32(mask);
    char *text[3] = {NULL, NULL, NULL};
    const uint32_t at[3] = {x->a, x->b, x->e}, which[3] = {0, 1, 3};
    bool ok = true;
    for (uint32_t k = 0; ok && k < 3; k++) {
        const uint64_t a = argument(w, &m->src[which[k]], at[k], lane);
        if (a) ok = print_string(e, w, x, lane, a, &text[k]);
    }
    if (ok) {
        fault_raise(e, w, x, FAULT_ASSERT, lane, 0, 0, "%s:%u: %s: assertion `%s` failed",
                    text[1] ? text[1] : "?", x_src(w, x->c)[lane], text[2] ? text[2] : "?",
                    text[0] ? text[0] : "?");
    }
    for (uint32_t k = 0; k < 3; k++) free(text[k]);
    return EXEC_FAULT;
}

static enum exec_outcome call(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    switch (x->sub) {
    case MSYS_VPRINTF: return print(e, w, x, mask);
    case MSYS_ASSERTFAIL: return assert_fail(e, w, x, mask);
    default: return heap(e, w, x, mask);
    }
}
const exec_fn sys_fns[] = {[SYS_CALL] = call};
