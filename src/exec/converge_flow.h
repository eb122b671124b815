// Branches and calls, said once for all bodies of the port: which lanes go where. A body says what
// happens when they do (struct flow); it hands its constant to these inlined functions, so that
// each body has handlers without a call through a pointer.
#ifndef WW_EXEC_CONVERGE_FLOW_H
#define WW_EXEC_CONVERGE_FLOW_H

#include "exec/converge.h"

// Lanes by where they go, in the order in which a body may run them: by first lane, those that
// stay last.
struct paths {
    uint32_t n;
    uint32_t pc[WARP_LANES + 1], lanes[WARP_LANES + 1];
};
void paths_add(struct paths *p, uint32_t pc, uint32_t lanes);
// One path for each target among to[lane] of the lanes in `mask`.
void paths_by_target(struct paths *p, const uint32_t *to, uint32_t mask);
// Paths of a branch by table and of an indirect call. False: e->fault says why a lane cannot go.
bool paths_of_brx(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                  struct paths *out);
bool paths_of_calli(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                    struct paths *out);

// The lanes of `mask` that hold the same value as the first of them.
uint32_t lanes_alike(const uint32_t *v, uint32_t mask);
// A fault: the body has no room for another of `most` places that wait.
enum exec_outcome flow_no_room(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask, uint32_t most);

struct flow {
    // All active lanes go on at w->pc.
    enum exec_outcome (*go)(struct exec_warp *w, const struct xinst *x);
    // The active lanes part on two paths or more, which meet at `meet`; UINT32_MAX: nowhere.
    enum exec_outcome (*part)(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              const struct paths *p, uint32_t meet);
    // The lanes of the paths are called; with the others they go on behind the call.
    enum exec_outcome (*enter)(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask, const struct paths *p);
};

#define FLOW_INLINE static inline __attribute__((always_inline)) enum exec_outcome
static inline uint32_t flow_after(const struct exec_warp *w, const struct xinst *x) {
    return (uint32_t)(x - w->code) + 1;
}
static inline uint32_t flow_meet(const struct exec_warp *w, const struct xinst *x) {
    return x->a == X_NONE ? w->reconv : x->a;
}

FLOW_INLINE flow_bra(const struct flow *f, struct exec_env *e, struct exec_warp *w,
                     const struct xinst *x, uint32_t mask) {
    const uint32_t after = flow_after(w, x), rest = w->active & ~mask;
    if (!rest || !mask) {
        w->pc = mask ? x->d : after;
        return f->go(w, x);
    }
    struct paths p;
    p.n = 2;
    p.pc[0] = x->d;
    p.lanes[0] = mask;
    p.pc[1] = after;
    p.lanes[1] = rest;
    return f->part(e, w, x, &p, flow_meet(w, x));
}
// Without a guard all active lanes go.
FLOW_INLINE flow_bra_all(const struct flow *f, struct exec_warp *w, const struct xinst *x) {
    w->pc = x->d;
    return f->go(w, x);
}
// No lane goes.
FLOW_INLINE flow_pass(const struct flow *f, struct exec_warp *w, const struct xinst *x) {
    w->pc = flow_after(w, x);
    return f->go(w, x);
}
// Lanes jump, each to its own target, and the others of the active ones go on.
FLOW_INLINE flow_jump(const struct flow *f, struct exec_env *e, struct exec_warp *w,
                      const struct xinst *x, uint32_t mask, struct paths *p) {
    const uint32_t rest = w->active & ~mask;
    if (rest) paths_add(p, flow_after(w, x), rest);
    if (p->n > 1) return f->part(e, w, x, p, flow_meet(w, x));
    w->pc = p->pc[0];
    return f->go(w, x);
}
FLOW_INLINE flow_brx(const struct flow *f, struct exec_env *e, struct exec_warp *w,
                     const struct xinst *x, uint32_t mask) {
    struct paths p = {0};
    if (!mask) return flow_pass(f, w, x);
    if (!paths_of_brx(e, w, x, mask, &p)) return EXEC_FAULT;
    return flow_jump(f, e, w, x, mask, &p);
}
FLOW_INLINE flow_call(const struct flow *f, struct exec_env *e, struct exec_warp *w,
                      const struct xinst *x, uint32_t mask) {
    const struct paths p = {1, {x->d}, {mask}};
    return mask ? f->enter(e, w, x, mask, &p) : flow_pass(f, w, x);
}
FLOW_INLINE flow_calli(const struct flow *f, struct exec_env *e, struct exec_warp *w,
                       const struct xinst *x, uint32_t mask) {
    struct paths p = {0};
    if (!mask) return flow_pass(f, w, x);
    if (!paths_of_calli(e, w, x, mask, &p)) return EXEC_FAULT;
    return f->enter(e, w, x, mask, &p);
}

// The handlers of a body whose constant is `f`, named as enum flow_fn has them.
#define FLOW_HANDLER(name, ...)                                                                    \
    static enum exec_outcome name(struct exec_env *e, struct exec_warp *w, const struct xinst *x,  \
                                  uint32_t mask) {                                                 \
        (void)e, (void)mask;                                                                       \
        return __VA_ARGS__;                                                                        \
    }
#define FLOW_HANDLERS(f)                                                                           \
    FLOW_HANDLER(bra, flow_bra(&f, e, w, x, mask))                                                 \
    FLOW_HANDLER(bra_all, flow_bra_all(&f, w, x))                                                  \
    FLOW_HANDLER(brx, flow_brx(&f, e, w, x, mask))                                                 \
    FLOW_HANDLER(call, flow_call(&f, e, w, x, mask))                                               \
    FLOW_HANDLER(calli, flow_calli(&f, e, w, x, mask))

#endif
