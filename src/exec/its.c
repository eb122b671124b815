// Independent thread scheduling: compute capability 7.0 and later. Lanes that run together are a
// leaf; a warp has one, or after a branch that splits it several. A branch makes a node, where its
// lanes meet again (its immediate post-dominator, which the compiler found), and a call makes one
// for its return. Lanes that come to their node wait there for the others of it.
//
// Progress. The current leaf runs until it waits or ends; then the next one that can run does, in
// turn. So does it after so many turns of a loop, at once where the loop waits for other threads
// (its_mark: what ends it depends on an atomic or a volatile load in it) or sleeps. Meeting is
// worth having but no promise: a node whose missing lanes have taken PATIENCE turns of loops, a few
// of such that wait, lets go those that came; and so do all nodes when no leaf can run. Everything
// is counted in instructions, so that time and host threads change nothing.
//
// What a warp does together waits for its members: `_sync` operations with a mask, and matrices,
// which all lanes execute; bar.warp.sync at whatever place. Barriers of a block count threads:
// lanes wait there while others of their warp go on.
//
// Sources: CUDA C Programming Guide 13, independent thread scheduling (starvation-free;
// __syncthreads is enforced per thread); NVIDIA, Volta white paper. How hardware chooses among
// paths is not published; the rules above are ours.
#include "exec/its.h"

#include <stdlib.h>

#include "exec/log.h"
#include "exec/order.h"
#include "exec/wait.h"
#include "exec/warp.h"

enum {
    PATIENCE = 65536, // turns of loops that lanes wait at a node for those that take them
    SPIN_TURN = 8192, // ... that a turn of a loop that waits is worth
    ROTATE = 16,      // turns of a loop before another leaf has its turn
    MOST_NODES = EXEC_STACK_LIMIT
};

void its_init(struct its *x, uint32_t lanes) {
    memset(x, 0, offsetof(struct its, leaf));
    x->n = 1;
    x->cap = ITS_FIRST_NODES;
    x->node = (struct its_node *)(void *)(x + 1);
    x->leaf[0] = (struct its_leaf){.mask = lanes, .node = -1};
}
static_assert(sizeof(struct its) % _Alignof(struct its_node) == 0, "nodes lie behind");

// ---- leaves and nodes -----------------------------------------------------------------------

static void save(struct exec_warp *w) {
    struct its_leaf *const f = &w->its->leaf[w->its->cur];
    f->pc = w->pc;
    f->mask = w->active;
}
static void take(struct exec_warp *w, uint32_t i) {
    struct its *const x = w->its;
    const struct its_leaf *const f = &x->leaf[i];
    x->cur = i;
    x->turns = 0;
    x->is_blocked = false;
    w->pc = f->pc;
    w->active = f->mask;
    w->reconv = f->node >= 0 && !x->node[f->node].is_call ? x->node[f->node].pc : UINT32_MAX;
}
static void set_node(struct exec_warp *w, int32_t node) {
    w->its->leaf[w->its->cur].node = node;
    w->reconv = w->its->node[node].is_call ? UINT32_MAX : w->its->node[node].pc;
}
static void add_leaf(struct exec_warp *w, uint32_t pc, uint32_t mask, int32_t node) {
    struct its *const x = w->its;
    assert(x->n < WARP_LANES);
    x->leaf[x->n++] = (struct its_leaf){.pc = pc, .mask = mask, .node = node};
    w->pushes++;
}
// Takes leaf i away; the current one is some other, or none.
static void drop_leaf(struct its *x, uint32_t i) {
    x->leaf[i] = x->leaf[--x->n];
    if (x->cur == x->n) x->cur = i;
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
        big->next = atomic_load(&l->big_stacks);
        while (!atomic_compare_exchange_weak(&l->big_stacks, &big->next, big)) {
        }
        x->node = to;
        x->cap *= 4;
    }
    if (i == x->used) x->used++;
    x->node[i] = (struct its_node){
        .pc = pc, .mask = mask, .parent = x->leaf[x->cur].node, .is_call = is_call};
    w->pushes++;
    return (int32_t)i;
}
static enum exec_outcome no_room(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                 uint32_t mask) {
    return fault_raise(e, w, x, FAULT_STACK, bits_first32(mask), 0, 0,
                       "more than %u calls and branches are open in one warp (endless recursion?)",
                       MOST_NODES / 4);
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
    add_leaf(w, n->pc, lanes, n->parent);
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

// ---- who goes on ----------------------------------------------------------------------------

// Leaves of one place that can run become one.
static void merge(struct its *x) {
    for (uint32_t i = 0; i < x->n; i++) {
        for (uint32_t k = x->n; k-- > i + 1;) {
            struct its_leaf *const a = &x->leaf[i], *const b = &x->leaf[k];
            if (a->state != ITS_READY || b->state != ITS_READY) continue;
            if (a->pc != b->pc || a->node != b->node) continue;
            a->mask |= b->mask;
            if (x->cur == k) x->cur = i;
            drop_leaf(x, k);
        }
    }
}
static bool choose(struct exec_warp *w) {
    struct its *const x = w->its;
    merge(x);
    for (uint32_t k = 1; k <= x->n; k++) {
        const uint32_t i = (x->cur + k) % x->n;
        if (x->leaf[i].state != ITS_READY) continue;
        take(w, i);
        return true;
    }
    return false;
}
// The current leaf waits or is gone: another becomes it. False: none can run; then the warp keeps
// the one that waited last.
static bool next(struct exec_warp *w) {
    struct its *const x = w->its;
    if (!x->n) {
        w->active = 0;
        return false;
    }
    for (uint32_t tries = 0; tries < 2; tries++) {
        if (choose(w)) return true;
        if (!x->waits) break;
        for (uint32_t k = 0; k < x->used; k++)
            if (x->node[k].mask && x->node[k].arrived) let_go(w, (int32_t)k);
    }
    if (x->cur >= x->n) x->cur = 0;
    take(w, x->cur);
    x->is_blocked = true;
    return false;
}

// The current lanes, wherever they are, stand at their node or beyond it as often as it takes.
static void settle(struct exec_warp *w) {
    struct its *const x = w->its;
    while (x->n && w->active && w->pc == w->reconv && x->leaf[x->cur].state == ITS_READY) {
        const int32_t node = x->leaf[x->cur].node;
        arrive(x, node, w->active);
        drop_leaf(x, x->cur);
        w->active = 0;
        open_nodes(w, node);
        if (!next(w)) return;
    }
}
void its_meet(struct exec_env *e, struct exec_warp *w) {
    (void)e;
    save(w);
    settle(w);
}
static enum exec_outcome went(struct exec_warp *w) {
    if (w->pc == w->reconv) its_meet(NULL, w);
    return EXEC_NEXT;
}

void its_rotate(struct exec_warp *w) {
    struct its *const x = w->its;
    if (x->n == 1) return;
    save(w);
    if (choose(w)) settle(w);
}

// A turn of a loop. Nodes that wait for these lanes lose patience.
static void turn(struct exec_warp *w, bool spins) {
    struct its *const x = w->its;
    if (x->n == 1 && !x->waits) return;
    save(w);
    for (int32_t k = x->leaf[x->cur].node; x->waits && k >= 0; k = x->node[k].parent) {
        struct its_node *const n = &x->node[k];
        if (!n->arrived) continue;
        n->turns += spins ? SPIN_TURN : 1;
        if (n->turns >= PATIENCE) let_go(w, k);
    }
    if (x->n > 1 && (spins || ++x->turns >= ROTATE)) its_rotate(w);
}

// ---- control flow ---------------------------------------------------------------------------

// A node at `pc` for the current lanes, unless theirs is there. False: no room.
static bool meet_at(struct exec_warp *w, uint32_t pc) {
    if (pc == UINT32_MAX || pc == w->reconv) return true;
    const int32_t node = new_node(w, pc, w->active, false);
    if (node >= 0) set_node(w, node);
    return node >= 0;
}
static enum exec_outcome jumped(struct exec_warp *w, const struct xinst *x) {
    if (w->pc <= (uint32_t)(x - w->code)) turn(w, x->aux8);
    return went(w);
}
static enum exec_outcome bra(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    const uint32_t after = (uint32_t)(x - w->code) + 1, rest = w->active & ~mask;
    if (!rest || !mask) {
        w->pc = mask ? x->d : after;
        return jumped(w, x);
    }
    if (!meet_at(w, x->a == X_NONE ? w->reconv : x->a)) return no_room(e, w, x, mask);
    w->active = mask;
    w->pc = x->d;
    save(w);
    add_leaf(w, after, rest, w->its->leaf[w->its->cur].node);
    if (after == w->reconv) { // those who do not jump have met
        struct its *const s = w->its;
        arrive(s, s->leaf[s->cur].node, rest);
        drop_leaf(s, s->n - 1);
    }
    return jumped(w, x);
}
static enum exec_outcome bra_all(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                 uint32_t mask) {
    (void)e, (void)mask;
    w->pc = x->d;
    return jumped(w, x);
}

// Lanes of `left` that go where the first of them goes.
static uint32_t same(const uint32_t *to, uint32_t left) {
    uint32_t lanes = 0;
    FOR_EACH_BIT32(i, left) lanes |= (uint32_t)(to[i] == to[bits_first32(left)]) << i;
    return lanes;
}
// The current lanes of `mask` go to to[lane]; the rest, if it stays, goes on at `after`.
static void scatter(struct exec_warp *w, const uint32_t *to, uint32_t mask, uint32_t rest,
                    uint32_t after) {
    const int32_t node = w->its->leaf[w->its->cur].node;
    const uint32_t first = same(to, mask);
    w->pc = to[bits_first32(first)];
    w->active = first;
    save(w);
    for (uint32_t left = mask & ~first, g; left; left &= ~g) {
        g = same(to, left);
        add_leaf(w, to[bits_first32(g)], g, node);
    }
    if (rest) add_leaf(w, after, rest, node);
}
// Leaves that begin at their node have met.
static void meet_all(struct exec_warp *w) {
    struct its *const x = w->its;
    for (uint32_t i = x->n; i-- > 0;) {
        struct its_leaf *const f = &x->leaf[i];
        if (i == x->cur || f->node < 0 || f->state != ITS_READY) continue;
        if (x->node[f->node].is_call || x->node[f->node].pc != f->pc) continue;
        arrive(x, f->node, f->mask);
        drop_leaf(x, i);
    }
}
static enum exec_outcome brx(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    uint32_t to[WARP_LANES];
    const uint32_t after = (uint32_t)(x - w->code) + 1, rest = w->active & ~mask;
    if (!mask) {
        w->pc = after;
        return went(w);
    }
    if (!simt_brx_targets(e, w, x, mask, to)) return EXEC_FAULT;
    const bool splits = rest || same(to, mask) != mask;
    if (splits && !meet_at(w, x->a == X_NONE ? w->reconv : x->a)) return no_room(e, w, x, mask);
    scatter(w, to, mask, rest, after);
    meet_all(w);
    return jumped(w, x);
}
static enum exec_outcome enter(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask, const uint32_t *to) {
    const uint32_t after = (uint32_t)(x - w->code) + 1;
    if (!mask) {
        w->pc = after;
        return went(w);
    }
    const int32_t node = new_node(w, after, w->active, true);
    if (node < 0) return no_room(e, w, x, mask);
    const uint32_t rest = w->active & ~mask;
    set_node(w, node);
    if (rest) arrive(w->its, node, rest);
    scatter(w, to, mask, 0, after);
    return EXEC_NEXT;
}
static enum exec_outcome call(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    uint32_t to[WARP_LANES];
    for (uint32_t i = 0; i < WARP_LANES; i++) to[i] = x->d;
    return enter(e, w, x, mask, to);
}
static enum exec_outcome calli(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    uint32_t to[WARP_LANES];
    if (!simt_calli_targets(e, w, x, mask, to)) return EXEC_FAULT;
    return enter(e, w, x, mask, to);
}

// ---- what waits for other lanes of the warp --------------------------------------------------

static exec_fn usual_of(const struct exec_warp *w, const struct xinst *x) {
    const struct exec_launch *l = w->cta->launch;
    return l->usual[x - l->code];
}
// Lanes that the executing lanes of `mask` wait for.
static uint32_t members(const struct exec_warp *w, const struct xinst *x, uint32_t mask) {
    uint32_t operand;
    switch (x->op) {
    case OP_VOTE:
    case OP_MATCH:
    case OP_REDUX: operand = x->b; break;
    case OP_SHFL: operand = x->e; break;
    case OP_ELECT:
    case OP_WARPSYNC: operand = x->a; break;
    default: return w->live; // matrices
    }
    const uint32_t *p = x_src(w, operand);
    uint32_t all = 0;
    FOR_EACH_BIT32(i, mask) all |= p[i];
    return all & w->live;
}
static bool per_lane(const struct xinst *x) {
    return x->op == OP_VOTE || x->op == OP_MATCH || x->op == OP_REDUX || x->op == OP_ELECT;
}
// The operation by `mask`; members of unlike masks each for themselves.
static enum exec_outcome execute(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                 uint32_t mask) {
    e->exec_mask = mask;
    const exec_fn fn = usual_of(w, x);
    if (!per_lane(x)) return fn(e, w, x, mask);
    const uint32_t *p = x_src(w, x->op == OP_ELECT ? x->a : x->b);
    enum exec_outcome o = EXEC_NEXT;
    for (uint32_t left = mask, g; left && o != EXEC_FAULT; left &= ~g) {
        g = same(p, left);
        o = fn(e, w, x, g);
    }
    return o;
}

// Leaf i and those that wait with it have all that they need: they go on. Data go between those at
// one instruction only.
static bool try_sync(struct exec_env *e, struct exec_warp *w, uint32_t i, enum exec_outcome *o) {
    struct its *const x = w->its;
    const struct xinst *const at = x->leaf[i].at;
    const bool anywhere = at->op == OP_WARPSYNC;
    uint32_t have = 0, need = 0;
    for (uint32_t k = 0; k < x->n; k++) {
        const struct its_leaf *const f = &x->leaf[k];
        if (f->state != ITS_SYNC || !(anywhere ? f->at->op == OP_WARPSYNC : f->at == at)) continue;
        if (!(f->need & x->leaf[i].mask) && k != i) continue; // another group's
        have |= f->mask;
        need |= f->need;
    }
    if (need & w->live & ~have) return false;
    const uint32_t guard = w->pred[at->guard] ^ at->guard_xor;
    if (anywhere) order_meet(w, have);
    if (!anywhere) *o = execute(e, w, at, have & guard);
    for (uint32_t k = 0; k < x->n; k++) {
        struct its_leaf *const f = &x->leaf[k];
        if (f->state != ITS_SYNC || !(f->mask & have) ||
            !(anywhere ? f->at->op == OP_WARPSYNC : f->at == at))
            continue;
        f->state = ITS_READY;
        f->pc++;
    }
    return true;
}
static enum exec_outcome sync(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    struct its *const s = w->its;
    const uint32_t need = members(w, x, mask);
    if (!(need & ~w->active)) {
        const enum exec_outcome o = mask ? execute(e, w, x, mask) : EXEC_NEXT;
        if (o == EXEC_FAULT) return o;
        w->pc++;
        if (w->pc == w->reconv) its_meet(e, w);
        return o;
    }
    save(w);
    s->leaf[s->cur].state = ITS_SYNC;
    s->leaf[s->cur].at = x;
    s->leaf[s->cur].need = need;
    enum exec_outcome o = EXEC_NEXT;
    e->exec_mask = 0; // unless all have come
    if (try_sync(e, w, s->cur, &o)) {
        if (o == EXEC_FAULT) return o;
        merge(s);
        take(w, s->cur);
        settle(w);
        return o;
    }
    if (!next(w)) return EXEC_STUCK;
    settle(w);
    return s->is_blocked ? EXEC_STUCK : EXEC_NEXT;
}

// ---- barriers of the block -------------------------------------------------------------------

// Threads that barrier `id` counts of this warp: those that wait; and for those that have ended or
// never were, when the lowest of the others waits, so that a whole warp counts 32.
static uint32_t due(const struct exec_warp *w, uint32_t id) {
    uint32_t lanes = 0;
    for (uint32_t k = 0; k < w->its->n; k++)
        if (w->its->leaf[k].state == ITS_BAR && w->its->leaf[k].bar == id)
            lanes |= w->its->leaf[k].mask;
    const uint32_t n = bits_count32(lanes);
    return lanes >> bits_first32(w->live) & 1 ? n + WARP_LANES - bits_count32(w->live) : n;
}
static void count(struct exec_warp *w, uint32_t id) {
    const uint32_t now = due(w, id);
    w->bar_less = WARP_LANES - (now - w->its->counted[id]);
    w->its->counted[id] = (uint8_t)now;
}
static enum exec_outcome bar(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    struct its *const s = w->its;
    if (!mask) {
        w->pc++;
        return went(w);
    }
    const enum exec_outcome o = usual_of(w, x)(e, w, x, mask);
    if (o == EXEC_FAULT) return o;
    w->pc++;
    if (w->active & ~mask) { // those who do not take part go on
        save(w);
        add_leaf(w, w->pc, w->active & ~mask, s->leaf[s->cur].node);
        w->active = mask;
    }
    save(w);
    if (x->sub == MBAR_ARRIVE) {
        w->bar_less = WARP_LANES - bits_count32(mask);
        if (mask >> bits_first32(w->live) & 1) w->bar_less -= WARP_LANES - bits_count32(w->live);
        w->bar_flow = EXEC_GOES_ON;
        went(w);
        return o;
    }
    struct its_leaf *const f = &s->leaf[s->cur];
    f->state = ITS_BAR;
    f->bar = (uint8_t)w->bar_id;
    f->kind = x->sub;
    f->at = x;
    w->bar_waits |= 1u << w->bar_id;
    count(w, w->bar_id);
    if (next(w)) settle(w);
    w->bar_flow = s->is_blocked ? EXEC_WAITS : EXEC_GOES_ON;
    return o;
}
void its_release(struct exec_warp *w, uint32_t value) {
    struct its *const x = w->its;
    if (!x->is_blocked) save(w);
    uint32_t lanes = 0;
    for (uint32_t k = 0; k < x->n; k++) {
        struct its_leaf *const f = &x->leaf[k];
        if (f->state != ITS_BAR || f->bar != w->bar_id) continue;
        f->state = ITS_READY;
        lanes |= f->mask;
        if (f->kind == MBAR_RED_POPC) {
            uint32_t *const pd = x_dst(w, f->at->d);
            FOR_EACH_BIT32(i, f->mask) pd[i] = value;
        } else if (f->kind >= MBAR_RED_AND) {
            x_set_pred(w, f->at->d, value ? ~0u : 0, f->mask);
        }
    }
    order_release(w, lanes, w->bar_id);
    x->counted[w->bar_id] = 0;
    w->bar_waits &= ~(1u << w->bar_id);
    w->bar_dst = NULL;
    if (!x->is_blocked) return;
    if (x->leaf[x->cur].state != ITS_READY && !choose(w)) return;
    merge(x);
    take(w, x->cur);
    settle(w);
}

// ---- ends -----------------------------------------------------------------------------------

// Lanes have ended: what waits for them waits no longer.
static enum exec_outcome ended(struct exec_env *e, struct exec_warp *w) {
    struct its *const x = w->its;
    enum exec_outcome o = EXEC_NEXT;
    for (uint32_t k = 0; k < x->used; k++) {
        struct its_node *const n = &x->node[k];
        if (!n->mask) continue;
        n->mask &= w->live;
        if (n->arrived && n->arrived == n->mask) let_go(w, (int32_t)k);
    }
    for (uint32_t k = 0; k < x->n; k++)
        if (x->leaf[k].state == ITS_SYNC && try_sync(e, w, k, &o) && o == EXEC_FAULT) return o;
    if (!w->active) {
        if (!next(w) && !x->n) return EXEC_EXITED;
        settle(w);
    }
    if (!w->live) return EXEC_EXITED;
    // A barrier that counts for the lanes that are gone.
    FOR_EACH_BIT32(id, w->bar_waits) {
        if (due(w, id) == x->counted[id]) continue;
        w->bar_id = id;
        w->bar_threads = w->bar_value = w->bar_mask = 0;
        w->bar_kind = MBAR_ARRIVE;
        count(w, id);
        w->bar_flow = x->is_blocked ? EXEC_WAITS : EXEC_GOES_ON;
        return EXEC_BARRIER;
    }
    return x->is_blocked ? EXEC_STUCK : EXEC_NEXT;
}
static enum exec_outcome leave(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    w->pc = (uint32_t)(x - w->code) + 1;
    if (!mask) return went(w);
    if (mask == w->live && e->log && w->n_deferred) {
        log_forget_warp(e->log, w);
        w->n_deferred = 0;
    }
    simt_exit(w, mask);
    if (w->active)
        went(w);
    else
        drop_leaf(w->its, w->its->cur);
    return ended(e, w);
}
static enum exec_outcome ret(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    struct its *const s = w->its;
    int32_t node = s->leaf[s->cur].node;
    while (node >= 0 && !s->node[node].is_call) node = s->node[node].parent;
    if (node < 0) return leave(e, w, x, mask);
    const int32_t from = s->leaf[s->cur].node;
    for (int32_t k = from; k != node; k = s->node[k].parent) s->node[k].mask &= ~mask;
    arrive(s, node, mask);
    w->pc = (uint32_t)(x - w->code) + 1;
    w->active &= ~mask;
    if (w->active) return went(w);
    drop_leaf(s, s->cur);
    open_nodes(w, from);
    if (next(w)) settle(w);
    return s->is_blocked ? EXEC_STUCK : EXEC_NEXT;
}
static enum exec_outcome sleeps(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                uint32_t mask) {
    const enum exec_outcome o = warp_fns[WARP_SLEEP](e, w, x, mask);
    its_rotate(w);
    return o;
}

// ---- choosing -------------------------------------------------------------------------------

exec_fn its_choose(const struct minst *m, struct xinst *x, exec_fn usual) {
    if (m->flags & MF_FILLER) return NULL;
    switch ((enum mop)m->op) {
    case OP_BRA: return usual == simt_fns[SIMT_BRA_ALL] ? bra_all : bra;
    case OP_BRX: return brx;
    case OP_CALL: return call;
    case OP_CALLI: return calli;
    case OP_RET: return ret;
    case OP_EXIT: return leave;
    case OP_NANOSLEEP: return sleeps;
    case OP_VOTE:
    case OP_MATCH:
    case OP_REDUX:
    case OP_SHFL:
        if (!(x->aux8 & 1)) return NULL; // the old form names no members
        break;
    case OP_ELECT:
    case OP_WARPSYNC:
    case OP_HMMA_884:
    case OP_HMMA_1688:
    case OP_IMMA_8816:
    case OP_IMMA_8832:
    case OP_BMMA_88128:
    case OP_LDSM:
    case OP_MOVM: break;
    case OP_BAR: x->advance = 0; return bar;
    default: return NULL;
    }
    x->advance = 0;
    return sync;
}

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
            const bool fresh =
                (m->op == OP_ATOM && m->dst[0].kind != OPND_NONE) || reads_anew(m);
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

const char *exec_waits_text(const struct exec_warp *w, char *text, size_t size) {
    text[0] = 0;
    for (uint32_t k = 0; w->its && k < w->its->n; k++) {
        const struct its_leaf *const f = &w->its->leaf[k];
        if (f->state != ITS_SYNC) continue;
        const struct minst *const m = x_minst(w, f->at);
        snprintf(text, size, "lanes 0x%08x wait at %s (PTX line %u) for lanes 0x%08x", f->mask,
                 mop_info[m->op].text, m->ptx_line, f->need & w->live & ~f->mask);
        break;
    }
    return text;
}

bool exec_barrier_wait(const struct exec_warp *w, uint32_t i, struct exec_wait *out) {
    if (!w->its) {
        const struct xinst *const x = w->bar_dst;
        if (!x || i > 0) return false;
        *out = (struct exec_wait){(uint32_t)(x - w->code), w->bar_mask, w->bar_id};
        return true;
    }
    for (uint32_t k = 0; k < w->its->n; k++) {
        const struct its_leaf *const f = &w->its->leaf[k];
        if (f->state != ITS_BAR || i-- > 0) continue;
        *out = (struct exec_wait){(uint32_t)(f->at - w->code), f->mask, f->bar};
        return true;
    }
    return false;
}
