// Divergence on a stack of (pc, reconvergence point, lanes). The top is unpacked in the warp; a
// branch whose lanes disagree leaves the meeting point on the stack, above it the lanes that did
// not jump, and goes on with those that did (taken path first, as Tesla and Fermi were measured to
// do: Wong et al., ISPASS 2010). Lanes that jump straight to the meeting point just wait there. A
// call pushes its return point and marks the callee's entry; the callee's lanes may be spread over
// entries above it. Lanes that have exited are struck off when an entry comes to the top.
#include <stdlib.h>

#include "exec/converge_flow.h"
#include "exec/order.h"
#include "exec/warp.h"

static bool grow(struct exec_warp *w) {
    struct exec_launch *l = w->cta->launch;
    if (w->stack_cap >= EXEC_STACK_LIMIT) return false;
    const uint32_t cap = w->stack_cap * 4;
    struct exec_big_stack *big = malloc(sizeof *big + cap * sizeof big->entry[0]);
    if (!big) return false;
    memcpy(big->entry, w->stack, w->sp * sizeof big->entry[0]);
    launch_keep(l, big);
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

// The top is done: the next entry that has live lanes comes up.
static void pop(struct exec_warp *w) {
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

static inline enum exec_outcome go(struct exec_warp *w, const struct xinst *x) {
    (void)x;
    if (ww_unlikely(w->pc == w->reconv)) pop(w);
    return EXEC_NEXT;
}
// The first path runs; those that begin at the meeting point wait in the entry for it.
static inline enum exec_outcome part(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                     const struct paths *p, uint32_t meet) {
    if (!reserve(w, p->n)) return flow_no_room(e, w, x, p->lanes[0], EXEC_STACK_LIMIT);
    uint32_t kind = w->kind;
    // With the meeting point of the entry itself the entry need not be kept.
    if (meet != w->reconv) {
        push(w, meet, w->reconv, w->active, w->kind);
        kind = SIMT_BRANCH;
    }
    uint32_t top = 0;
    while (top + 1 < p->n && p->pc[top] == meet) top++;
    for (uint32_t k = p->n; --k > top;) {
        if (p->pc[k] == meet) continue;
        push(w, p->pc[k], meet, p->lanes[k], kind); // the last to run stands in for the whole entry
        kind = SIMT_BRANCH;
    }
    w->pc = p->pc[top];
    w->active = p->lanes[top];
    w->reconv = meet;
    w->kind = kind;
    return go(w, x);
}
// A callee's lanes; the caller waits below with all of its own, guarded-off ones included.
static enum exec_outcome enter(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask, const struct paths *p) {
    if (!reserve(w, p->n)) return flow_no_room(e, w, x, mask, EXEC_STACK_LIMIT);
    push(w, flow_after(w, x), w->reconv, w->active, w->kind);
    for (uint32_t k = p->n; --k > 0;) push(w, p->pc[k], UINT32_MAX, p->lanes[k], SIMT_CALL);
    w->pc = p->pc[0];
    w->reconv = UINT32_MAX;
    w->active = p->lanes[0];
    w->kind = SIMT_CALL;
    return EXEC_NEXT;
}
static const struct flow flow = {.go = go, .part = part, .enter = enter};
FLOW_HANDLERS(flow)

static enum exec_outcome done(struct exec_warp *w) {
    if (w->active) return EXEC_NEXT;
    pop(w);
    if (w->active) return EXEC_NEXT;
    w->live = 0;
    return EXEC_EXITED;
}
static enum exec_outcome leave(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    converge_exit(e, w, x, mask);
    if (w->active) go(w, x);
    return done(w);
}
static enum exec_outcome ret(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    if (!mask) return flow_pass(&flow, w, x);
    bool in_call = w->kind == SIMT_CALL;
    for (uint32_t k = w->sp; !in_call && k-- > 0;) in_call = w->stack[k].kind == SIMT_CALL;
    if (!in_call) return leave(e, w, x, mask);
    // These lanes wait in no other entry of the callee.
    for (uint32_t k = w->sp; w->kind != SIMT_CALL && k-- > 0;) {
        w->stack[k].mask &= ~mask;
        if (w->stack[k].kind == SIMT_CALL) break;
    }
    w->active &= ~mask;
    if (w->active) flow_pass(&flow, w, x); // guarded: the others go on
    return done(w);
}

// ---- the port -------------------------------------------------------------------------------

static size_t bytes(void) { return EXEC_MAX_STACK * sizeof(struct simt_entry); }
static void begin(struct exec_warp *w, void *state) {
    w->stack = state;
    w->stack_cap = EXEC_MAX_STACK;
}
static exec_fn choose(const struct minst *m, struct xinst *x, exec_fn usual) {
    static const exec_fn row[FLOW_N + 1] = {
        [FLOW_BRA] = bra,     [FLOW_BRA_ALL] = bra_all, [FLOW_BRX] = brx,   [FLOW_CALL] = call,
        [FLOW_CALLI] = calli, [FLOW_RET] = ret,         [FLOW_EXIT] = leave};
    (void)x, (void)usual;
    return row[flow_of(m)];
}
static void release(struct exec_warp *w, uint32_t value) {
    const struct xinst *x = w->bar_dst;
    if (!x) return;
    warp_barrier_result(w, x, w->bar_kind, value, w->bar_mask);
    order_release(w, w->bar_mask, w->bar_id);
    w->bar_dst = NULL;
}
static bool wait(const struct exec_warp *w, uint32_t i, struct exec_wait *out) {
    const struct xinst *const x = w->bar_dst;
    if (!x || i > 0) return false;
    *out = (struct exec_wait){(uint32_t)(x - w->code), w->bar_mask, w->bar_id};
    return true;
}
// Lanes of a warp wait for each other by standing in entries, which no fault can come of.
static void no_text(const struct exec_warp *w, char *text, size_t size) {
    (void)w, (void)text, (void)size;
}
// Of the entries that hold them the highest: where they stand now.
static uint32_t parked(const struct exec_warp *w, uint32_t *lanes) {
    for (uint32_t k = w->sp; k-- > 0;) {
        if (!(w->stack[k].mask & *lanes)) continue;
        *lanes &= w->stack[k].mask;
        return w->stack[k].pc;
    }
    return UINT32_MAX;
}
static uint32_t spans(const struct exec_warp *w, struct converge_span span[CONVERGE_SPANS]) {
    span[0] = (struct converge_span){w->stack, w->sp * sizeof *w->stack};
    return 1;
}

const struct converge converge_stack = {.bytes = bytes,
                                        .begin = begin,
                                        .choose = choose,
                                        .meet = pop,
                                        .release = release,
                                        .wait = wait,
                                        .text = no_text,
                                        .parked = parked,
                                        .spans = spans};
