// Leaves of a warp whose lanes run by threads of their own, see its.h.
//
// Progress. The current leaf runs until it waits or ends; then the next one that can run does, in
// turn. So does it after so many turns of a loop, at once where the loop waits for other threads
// (its_loops.c) or sleeps. Everything is counted in instructions, so that time and host threads
// change nothing.
//
// What a warp does together waits for its members: `_sync` operations with a mask, and matrices,
// which all lanes execute; bar.warp.sync at whatever place. Barriers of a block count threads:
// lanes wait there while others of their warp go on.
//
// Sources: CUDA C Programming Guide 13, independent thread scheduling (starvation-free;
// __syncthreads is enforced per thread); NVIDIA, Volta white paper. How hardware chooses among
// paths is not published; the rules above are ours.
#include "exec/its.h"

#include "exec/converge_flow.h"
#include "exec/order.h"
#include "exec/wait.h"
#include "exec/warp.h"
#include "isa/op.h"

enum { ROTATE = 16 /* turns of a loop before another leaf has its turn */ };

void its_begin(struct exec_warp *w, struct its *x, const struct its_meeting *meeting) {
    memset(x, 0, offsetof(struct its, leaf));
    x->n = 1;
    x->meeting = meeting;
    x->leaf[0] = (struct its_leaf){.mask = w->active, .node = -1};
    w->its = x;
}

// ---- leaves ---------------------------------------------------------------------------------

void its_save(struct exec_warp *w) {
    struct its_leaf *const f = &w->its->leaf[w->its->cur];
    f->pc = w->pc;
    f->mask = w->active;
}
void its_take(struct exec_warp *w, uint32_t i) {
    struct its *const x = w->its;
    struct its_leaf *const f = &x->leaf[i];
    x->cur = i;
    x->turns = 0;
    x->is_blocked = false;
    f->has_yielded = false;
    w->pc = f->pc;
    w->active = f->mask;
    w->reconv = x->meeting->next(x, f);
}
void its_add(struct exec_warp *w, uint32_t pc, uint32_t mask, int32_t node) {
    struct its *const x = w->its;
    assert(x->n < WARP_LANES);
    x->leaf[x->n++] = (struct its_leaf){.pc = pc, .mask = mask, .node = node};
    w->pushes++;
}
void its_drop(struct its *x, uint32_t i) {
    x->leaf[i] = x->leaf[--x->n];
    if (x->cur == x->n) x->cur = i;
}
void its_spread(struct exec_warp *w, const struct paths *p, int32_t node) {
    w->pc = p->pc[0];
    w->active = p->lanes[0];
    its_save(w);
    for (uint32_t k = 1; k < p->n; k++) its_add(w, p->pc[k], p->lanes[k], node);
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
            a->has_yielded &= b->has_yielded;
            if (x->cur == k) x->cur = i;
            its_drop(x, k);
        }
    }
}
static bool choose(struct exec_warp *w) {
    struct its *const x = w->its;
    merge(x);
    for (uint32_t k = 1; k <= x->n; k++) {
        const uint32_t i = (x->cur + k) % x->n;
        if (x->leaf[i].state != ITS_READY) continue;
        its_take(w, i);
        return true;
    }
    return false;
}
bool its_next(struct exec_warp *w) {
    struct its *const x = w->its;
    if (!x->n) {
        w->active = 0;
        return false;
    }
    for (uint32_t tries = 0; tries < 2; tries++)
        if (choose(w))
            return true;
        else if (!x->meeting->give_up(w))
            break;
    if (x->cur >= x->n) x->cur = 0;
    its_take(w, x->cur);
    x->is_blocked = true;
    return false;
}
void its_rejoin(struct exec_warp *w) {
    struct its *const x = w->its;
    merge(x);
    its_take(w, x->cur);
    x->meeting->settle(w);
}
void its_rotate(struct exec_warp *w) {
    struct its *const x = w->its;
    if (x->n == 1) return;
    its_save(w);
    if (choose(w)) x->meeting->settle(w);
}
void its_turn(struct exec_warp *w, bool spins) {
    struct its *const x = w->its;
    if (x->n == 1 && !x->waits) return;
    its_save(w);
    x->meeting->turn(w, spins);
    if (x->n > 1 && (spins || ++x->turns >= ROTATE)) its_rotate(w);
}
static void went(struct exec_warp *w) {
    if (w->pc != w->reconv) return;
    its_save(w);
    w->its->meeting->settle(w);
}

// ---- what waits for other lanes of the warp -------------------------------------------------

static exec_fn usual_of(const struct exec_warp *w, const struct xinst *x) {
    const struct exec_launch *l = w->cta->launch;
    return l->usual[x - l->code];
}
// Which operand holds the lanes that an operation waits for, as xinst has operands: 1 a, 2 b, 4 e;
// 0: it names none.
static uint32_t member_operand(uint32_t op) {
    switch ((enum mop)op) {
    case OP_ELECT:
    case OP_WARPSYNC: return 1;
    case OP_VOTE:
    case OP_MATCH:
    case OP_REDUX: return 2;
    case OP_SHFL: return 4;
    default: return 0;
    }
}
static bool names_members(const struct minst *m, const struct xinst *x) {
    const uint32_t operand = member_operand(m->op);
    return operand == 1 || (operand && x->aux8 & 1); // the old forms name none
}
// By lane, which lanes it waits for; of matrices, which all execute, NULL.
static const uint32_t *members(const struct exec_warp *w, const struct xinst *x) {
    const uint32_t operand = member_operand(x->op);
    if (!operand) return NULL;
    return x_src(w, operand == 1 ? x->a : operand == 2 ? x->b : x->e);
}
static uint32_t all_members(const uint32_t *member, uint32_t mask) {
    uint32_t all = member ? 0 : UINT32_MAX;
    if (member)
        FOR_EACH_BIT32(i, mask) all |= member[i];
    return all;
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
        g = lanes_alike(p, left);
        o = fn(e, w, x, g);
    }
    return o;
}

// Leaf i and those that wait with it, for the same lanes, have all that they need: they go on. Data
// go between those at one instruction only.
static bool try_sync(struct exec_env *e, struct exec_warp *w, uint32_t i, enum exec_outcome *o) {
    struct its *const x = w->its;
    const struct xinst *const at = x->leaf[i].at;
    const bool anywhere = its_meets_anywhere(at);
    if (its_gathers(at)) return x->meeting->gather(w, i);
    const uint32_t need = x->leaf[i].need;
    uint32_t have = 0, with = 0; // lanes; leaves
    for (uint32_t k = 0; k < x->n; k++) {
        const struct its_leaf *const f = &x->leaf[k];
        if (f->state != ITS_SYNC || f->need != need) continue;
        if (!(anywhere ? its_meets_anywhere(f->at) : f->at == at)) continue;
        have |= f->mask;
        with |= 1u << k;
    }
    if (need & w->live & ~have) return false;
    const uint32_t guard = w->pred[at->guard] ^ at->guard_xor, before = e->exec_mask;
    if (anywhere) order_meet(w, have);
    if (!anywhere) *o = execute(e, w, at, have & guard);
    e->exec_mask |= before;
    FOR_EACH_BIT32(k, with) {
        struct its_leaf *const f = &x->leaf[k];
        f->state = ITS_READY;
        f->pc++;
        if (x->meeting->gather) f->node = -1; // they run apart from others no more
    }
    return true;
}
// The current lanes wait for others, those of each mask for themselves.
static void wait_by_mask(struct exec_warp *w, const struct xinst *x, const uint32_t *member,
                         uint32_t mask) {
    struct its *const s = w->its;
    const uint32_t idle = w->active & ~mask;
    const int32_t node = s->leaf[s->cur].node;
    uint32_t first = mask && member ? lanes_alike(member, mask) : mask;
    const uint32_t rest = mask & ~first;
    w->active = first | idle; // a lane whose guard is false waits along
    its_save(w);
    struct its_leaf *f = &s->leaf[s->cur];
    for (uint32_t left = rest;; left &= ~first) {
        f->state = ITS_SYNC;
        f->at = x;
        f->need = member ? member[bits_first32(first)] : UINT32_MAX;
        if (!left) return;
        first = lanes_alike(member, left);
        its_add(w, w->pc, first, node);
        f = &s->leaf[s->n - 1];
    }
}
static enum exec_outcome sync_lanes(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                    uint32_t mask) {
    struct its *const s = w->its;
    const uint32_t *const member = members(w, x);
    if (!(all_members(member, mask) & w->live & ~w->active)) {
        const enum exec_outcome o = mask ? execute(e, w, x, mask) : EXEC_NEXT;
        if (o == EXEC_FAULT) return o;
        w->pc++;
        went(w);
        return o;
    }
    wait_by_mask(w, x, member, mask);
    enum exec_outcome o = EXEC_NEXT;
    e->exec_mask = 0; // unless all have come
    for (uint32_t k = 0; k < s->n && o != EXEC_FAULT; k++)
        if (s->leaf[k].state == ITS_SYNC && s->leaf[k].at == x) try_sync(e, w, k, &o);
    if (o == EXEC_FAULT) return o;
    if (s->leaf[s->cur].state == ITS_READY) {
        its_rejoin(w);
        return o;
    }
    if (!its_next(w)) return EXEC_STUCK;
    s->meeting->settle(w);
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
static enum exec_outcome come_to_bar(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                     uint32_t mask) {
    struct its *const s = w->its;
    if (!mask) {
        w->pc++;
        went(w);
        return EXEC_NEXT;
    }
    const enum exec_outcome o = usual_of(w, x)(e, w, x, mask);
    if (o == EXEC_FAULT) return o;
    w->pc++;
    if (w->active & ~mask) { // those who do not take part go on
        its_save(w);
        its_add(w, w->pc, w->active & ~mask, s->leaf[s->cur].node);
        w->active = mask;
    }
    its_save(w);
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
    if (its_next(w)) s->meeting->settle(w);
    w->bar_flow = s->is_blocked ? EXEC_WAITS : EXEC_GOES_ON;
    return o;
}
// ---- the barrier of the cluster --------------------------------------------------------------

// Lanes whose phase is over pass; others wait, and only they.
static enum exec_outcome come_to_cluster(struct exec_env *e, struct exec_warp *w,
                                         const struct xinst *x, uint32_t mask) {
    struct its *const s = w->its;
    const bool waits = x->sub == MCBAR_WAIT;
    const uint32_t must = waits ? mask & w->cluster_came : mask;
    if (waits && mask & ~must) order_release(w, mask & ~must, EXEC_CLUSTER_BARRIER);
    w->pc++;
    if (!must) {
        went(w);
        return EXEC_NEXT;
    }
    const enum exec_outcome o = usual_of(w, x)(e, w, x, must);
    if (!waits || o == EXEC_FAULT) {
        went(w);
        return o;
    }
    if (w->active & ~must) {
        its_save(w);
        its_add(w, w->pc, w->active & ~must, s->leaf[s->cur].node);
        w->active = must;
    }
    its_save(w);
    struct its_leaf *const f = &s->leaf[s->cur];
    f->state = ITS_BAR;
    f->bar = EXEC_CLUSTER_BARRIER;
    f->kind = MBAR_SYNC;
    f->at = x;
    w->bar_waits |= 1u << EXEC_CLUSTER_BARRIER;
    if (its_next(w)) s->meeting->settle(w);
    w->bar_flow = s->is_blocked ? EXEC_WAITS : EXEC_GOES_ON;
    return o;
}

// ---- ends -----------------------------------------------------------------------------------

// Lanes have ended: what waits for them waits no longer.
static enum exec_outcome ended(struct exec_env *e, struct exec_warp *w) {
    struct its *const x = w->its;
    enum exec_outcome o = EXEC_NEXT;
    x->meeting->ended(w);
    for (uint32_t k = 0; k < x->n; k++)
        if (x->leaf[k].state == ITS_SYNC && try_sync(e, w, k, &o) && o == EXEC_FAULT) return o;
    if (!w->active) {
        if (!its_next(w) && !x->n) return EXEC_EXITED;
        x->meeting->settle(w);
    }
    if (!w->live) return EXEC_EXITED;
    // A barrier that counts for the lanes that are gone.
    FOR_EACH_BIT32(id, w->bar_waits & ~(1u << EXEC_CLUSTER_BARRIER)) {
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
enum exec_outcome its_leave(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                            uint32_t mask) {
    if (!mask) {
        w->pc++;
        went(w);
        return EXEC_NEXT;
    }
    converge_exit(e, w, x, mask);
    if (w->active)
        went(w);
    else
        its_drop(w->its, w->its->cur);
    return ended(e, w);
}
static enum exec_outcome sleep_lanes(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                     uint32_t mask) {
    const enum exec_outcome o = warp_fns[WARP_SLEEP](e, w, x, mask);
    its_rotate(w);
    return o;
}

// ---- the port -------------------------------------------------------------------------------

exec_fn its_choose(const struct minst *m, struct xinst *x, bool takes_all) {
    if (m->op == OP_NANOSLEEP) return sleep_lanes;
    const bool is_bar = m->op == OP_BAR || m->op == OP_CBAR;
    if (!is_bar && !takes_all && !names_members(m, x)) return NULL;
    x->advance = 0;
    return m->op == OP_BAR ? come_to_bar : m->op == OP_CBAR ? come_to_cluster : sync_lanes;
}

void its_release(struct exec_warp *w, uint32_t value) {
    struct its *const x = w->its;
    if (!x->is_blocked) its_save(w);
    uint32_t lanes = 0;
    for (uint32_t k = 0; k < x->n; k++) {
        struct its_leaf *const f = &x->leaf[k];
        if (f->state != ITS_BAR || f->bar != w->bar_id) continue;
        f->state = ITS_READY;
        lanes |= f->mask;
        warp_barrier_result(w, f->at, f->kind, value, f->mask);
    }
    order_release(w, lanes, w->bar_id);
    x->counted[w->bar_id] = 0;
    w->bar_waits &= ~(1u << w->bar_id);
    w->bar_dst = NULL;
    if (!x->is_blocked) return;
    if (x->leaf[x->cur].state != ITS_READY && !choose(w)) return;
    its_rejoin(w);
}
bool its_wait(const struct exec_warp *w, uint32_t i, struct exec_wait *out) {
    for (uint32_t k = 0; k < w->its->n; k++) {
        const struct its_leaf *const f = &w->its->leaf[k];
        if (f->state != ITS_BAR || i-- > 0) continue;
        *out = (struct exec_wait){(uint32_t)(f->at - w->code), f->mask, f->bar};
        return true;
    }
    return false;
}
void its_text(const struct exec_warp *w, char *text, size_t size) {
    for (uint32_t k = 0; k < w->its->n; k++) {
        const struct its_leaf *const f = &w->its->leaf[k];
        if (f->state != ITS_SYNC && f->state != ITS_MEET) continue;
        const struct minst *const m = x_minst(w, f->at);
        const struct code_image *const im = w->cta->launch->im;
        snprintf(text, size, "lanes 0x%08x wait at %s (%s) for lanes 0x%08x", f->mask,
                 mop_info[m->op].text, code_place(im, (uint32_t)(m - im->inst)).text,
                 f->need & w->live & ~f->mask);
        return;
    }
}
// Lanes that take no part stand in several leaves; none is named.
uint32_t its_parked(const struct exec_warp *w, uint32_t *lanes) {
    (void)w, (void)lanes;
    return UINT32_MAX;
}
struct converge_span its_span(const struct exec_warp *w) {
    return (struct converge_span){w->its,
                                  offsetof(struct its, leaf) + w->its->n * sizeof w->its->leaf[0]};
}
