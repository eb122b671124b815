// Lanes of independent threads that meet at nodes. A branch makes a node, where its lanes meet
// again (its immediate post-dominator, which the compiler found), and a call makes one for its
// return. Lanes that come to their node wait there for the others of it.
//
// Meeting is worth having but no promise: a node whose missing lanes have taken PATIENCE turns of
// loops, a few of such that wait for other threads, lets go those that came; and so do all nodes
// when no leaf can run.
#include <stdlib.h>

#include "exec/converge_flow.h"
#include "exec/its.h"
#include "isa/op.h"

enum {
    PATIENCE = 65536, // turns of loops that lanes wait at a node for those that take them
    SPIN_TURN = 8192, // ... that a turn of a loop that waits is worth
    MOST_NODES = EXEC_STACK_LIMIT,
    FIRST_NODES = 32
};
// Where lanes meet: the end of a branch, or the return of a call.
struct its_node {
    uint32_t pc;
    uint32_t mask; // lanes that it waits for, those that have come included; 0: not in use
    uint32_t arrived;
    uint32_t turns; // of loops that its lanes took while others waited here
    int32_t parent;
    uint32_t is_call;
};
static_assert(sizeof(struct its) % _Alignof(struct its_node) == 0, "nodes lie behind");

// ---- nodes ----------------------------------------------------------------------------------

static uint32_t meets_next(const struct its *x, const struct its_leaf *f) {
    return f->node >= 0 && !x->node[f->node].is_call ? x->node[f->node].pc : UINT32_MAX;
}
static void set_node(struct exec_warp *w, int32_t node) {
    struct its *const x = w->its;
    x->leaf[x->cur].node = node;
    w->reconv = meets_next(x, &x->leaf[x->cur]);
}
static int32_t new_node(struct exec_warp *w, uint32_t pc, uint32_t mask, bool is_call) {
    struct its *const x = w->its;
    uint32_t i = 0;
    while (i < x->used && x->node[i].mask) i++;
    if (i == x->cap) {
        struct exec_launch *l = w->cta->launch;
        if (x->cap * 4 > MOST_NODES) return -1;
        struct exec_big_stack *big = malloc(sizeof *big + x->cap * 4 * sizeof *x->node);
        if (!big) return -1;
        struct its_node *const to = (struct its_node *)(void *)big->entry;
        memcpy(to, x->node, x->cap * sizeof *to);
        launch_keep(l, big);
        x->node = to;
        x->cap *= 4;
    }
    if (i == x->used) x->used++;
    x->node[i] = (struct its_node){
        .pc = pc, .mask = mask, .parent = x->leaf[x->cur].node, .is_call = is_call};
    w->pushes++;
    return (int32_t)i;
}
static void arrive(struct its *x, int32_t node, uint32_t lanes) {
    struct its_node *const n = &x->node[node];
    if (lanes && !n->arrived) x->waits++;
    n->arrived |= lanes;
}
// Lets those go that have come to a node; it waits on for the rest, or is no more.
static void let_go(struct exec_warp *w, int32_t node) {
    struct its *const x = w->its;
    struct its_node *const n = &x->node[node];
    const uint32_t lanes = n->arrived;
    n->mask &= ~lanes;
    n->arrived = n->turns = 0;
    x->waits--;
    w->pops++;
    its_add(w, n->pc, lanes, n->parent);
}
// Nodes that have all their lanes, of those from `node` up.
static void open_nodes(struct exec_warp *w, int32_t node) {
    struct its *const x = w->its;
    for (int32_t next; node >= 0; node = next) {
        struct its_node *const n = &x->node[node];
        next = n->parent;
        n->mask &= w->live;
        n->arrived &= w->live;
        if (n->arrived && n->arrived == n->mask) let_go(w, node);
    }
}
// The current lanes stand at their node or beyond it as often as it takes.
static void settle(struct exec_warp *w) {
    struct its *const x = w->its;
    while (x->n && w->active && w->pc == w->reconv && x->leaf[x->cur].state == ITS_READY) {
        const int32_t node = x->leaf[x->cur].node;
        arrive(x, node, w->active);
        its_drop(x, x->cur);
        w->active = 0;
        open_nodes(w, node);
        if (!its_next(w)) return;
    }
}
static void meet(struct exec_warp *w) {
    its_save(w);
    settle(w);
}
static bool give_up(struct exec_warp *w) {
    struct its *const x = w->its;
    const bool any = x->waits;
    for (uint32_t k = 0; any && k < x->used; k++)
        if (x->node[k].mask && x->node[k].arrived) let_go(w, (int32_t)k);
    return any;
}
static void ended(struct exec_warp *w) {
    struct its *const x = w->its;
    for (uint32_t k = 0; k < x->used; k++) {
        struct its_node *const n = &x->node[k];
        if (!n->mask) continue;
        n->mask &= w->live;
        if (n->arrived && n->arrived == n->mask) let_go(w, (int32_t)k);
    }
}
// Nodes that wait for the current lanes lose patience.
static void turn(struct exec_warp *w, bool spins) {
    struct its *const x = w->its;
    for (int32_t k = x->leaf[x->cur].node; x->waits && k >= 0; k = x->node[k].parent) {
        struct its_node *const n = &x->node[k];
        if (!n->arrived) continue;
        n->turns += spins ? SPIN_TURN : 1;
        if (n->turns >= PATIENCE) let_go(w, k);
    }
}
static const struct its_meeting meeting = {
    .next = meets_next, .settle = settle, .give_up = give_up, .ended = ended, .turn = turn};

// ---- control flow ---------------------------------------------------------------------------

static inline enum exec_outcome go(struct exec_warp *w, const struct xinst *x) {
    if (w->pc <= (uint32_t)(x - w->code)) its_turn(w, x->aux8);
    if (w->pc == w->reconv) meet(w);
    return EXEC_NEXT;
}
// A node at `pc` for the current lanes, unless theirs is there. False: no room.
static bool meet_at(struct exec_warp *w, uint32_t pc) {
    if (pc == UINT32_MAX || pc == w->reconv) return true;
    const int32_t node = new_node(w, pc, w->active, false);
    if (node >= 0) set_node(w, node);
    return node >= 0;
}
// Leaves that begin at their node have met.
static void meet_all(struct exec_warp *w) {
    struct its *const x = w->its;
    for (uint32_t i = x->n; i-- > 0;) {
        struct its_leaf *const f = &x->leaf[i];
        if (i == x->cur || f->node < 0 || f->state != ITS_READY) continue;
        if (x->node[f->node].is_call || x->node[f->node].pc != f->pc) continue;
        arrive(x, f->node, f->mask);
        its_drop(x, i);
    }
}
static inline enum exec_outcome part(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                     const struct paths *p, uint32_t pc) {
    if (!meet_at(w, pc)) return flow_no_room(e, w, x, p->lanes[0], MOST_NODES / 4);
    its_spread(w, p, w->its->leaf[w->its->cur].node);
    meet_all(w);
    return go(w, x);
}
static enum exec_outcome enter(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask, const struct paths *p) {
    const int32_t node = new_node(w, flow_after(w, x), w->active, true);
    if (node < 0) return flow_no_room(e, w, x, mask, MOST_NODES / 4);
    const uint32_t rest = w->active & ~mask;
    set_node(w, node);
    if (rest) arrive(w->its, node, rest);
    its_spread(w, p, node);
    return EXEC_NEXT;
}
static const struct flow flow = {.go = go, .part = part, .enter = enter};
FLOW_HANDLERS(flow)

static enum exec_outcome ret(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    struct its *const s = w->its;
    int32_t node = s->leaf[s->cur].node;
    while (node >= 0 && !s->node[node].is_call) node = s->node[node].parent;
    if (node < 0) return its_leave(e, w, x, mask);
    const int32_t from = s->leaf[s->cur].node;
    for (int32_t k = from; k != node; k = s->node[k].parent) s->node[k].mask &= ~mask;
    arrive(s, node, mask);
    w->pc = (uint32_t)(x - w->code) + 1;
    w->active &= ~mask;
    if (w->active) return go(w, x);
    its_drop(s, s->cur);
    open_nodes(w, from);
    if (its_next(w)) settle(w);
    return s->is_blocked ? EXEC_STUCK : EXEC_NEXT;
}

// ---- the port -------------------------------------------------------------------------------

static size_t bytes(void) { return sizeof(struct its) + FIRST_NODES * sizeof(struct its_node); }
static void begin(struct exec_warp *w, void *state) {
    its_begin(w, state, &meeting);
    w->its->cap = FIRST_NODES;
    w->its->node = (struct its_node *)(void *)(w->its + 1);
}
static uint32_t spans(const struct exec_warp *w, struct converge_span span[CONVERGE_SPANS]) {
    span[0] = its_span(w);
    span[1] = (struct converge_span){w->its->node, w->its->used * sizeof *w->its->node};
    return 2;
}

// What all lanes of the warp do together.
static bool is_matrix(const struct minst *m) {
    switch ((enum mop)m->op) {
    case OP_HMMA_884:
    case OP_HMMA_1688:
    case OP_IMMA_8816:
    case OP_IMMA_8832:
    case OP_BMMA_88128:
    case OP_HMMA_16:
    case OP_IMMA_16:
    case OP_DMMA:
    case OP_DMMA_16:
    case OP_LDSM:
    case OP_STSM:
    case OP_MOVM: return true;
    default: return false;
    }
}
static exec_fn choose(const struct minst *m, struct xinst *x, exec_fn usual) {
    static const exec_fn row[FLOW_N] = {
        [FLOW_BRA] = bra,     [FLOW_BRA_ALL] = bra_all, [FLOW_BRX] = brx,       [FLOW_CALL] = call,
        [FLOW_CALLI] = calli, [FLOW_RET] = ret,         [FLOW_EXIT] = its_leave};
    (void)usual;
    const enum flow_fn f = flow_of(m);
    if (f != FLOW_N) return row[f];
    return its_choose(m, x, is_matrix(m));
}

const struct converge converge_nodes = {.bytes = bytes,
                                        .begin = begin,
                                        .choose = choose,
                                        .meet = meet,
                                        .release = its_release,
                                        .wait = its_wait,
                                        .text = its_text,
                                        .parked = its_parked,
                                        .spans = spans,
                                        .is_independent = true};
