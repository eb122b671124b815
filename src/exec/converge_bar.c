// Independent threads that meet at barrier registers: the machine code of compute capability 7.0
// and later, as NVIDIA's compiler makes it. Sixteen registers B0 to B15 hold lanes. BSSY puts the
// active lanes into one; at BSYNC its lanes wait until all have come, have ended (EXIT), have left
// (BREAK) or have yielded; then they go on together and the register is empty. BMOV saves and
// restores a register, so that calls and nested regions may use it again. Calls and returns are
// jumps to an address in registers and touch no barrier register.
//
// A barrier register is held lane by lane: each lane has the members that it entered with. Where
// hardware has one mask a warp, all members of a region hold the same; but two groups of lanes that
// are in different regions with the same register do not disturb each other, whatever turns they
// take, and at the same BSYNC neither. BREAK and meeting change the copies of all members.
//
// A lane that comes to BSYNC and is in no region of that register passes. Nothing but the rules
// above lets lanes go: lanes that wait for each other at different registers are a deadlock, which
// the caller is told (EXEC_STUCK), and a member that spins keeps the others waiting unless it
// yields. Which of several paths has its turn is not published; its.c says ours.
//
// WARPSYNC.EXCLUSIVE and .COLLECTIVE. ptxas writes the one in front of an operation of a warp whose
// mask is not constant, and the other where lanes have parted (BRA.DIV), an ENDCOLLECTIVE behind it;
// no word of the operation says which lanes take part, and no result of it is masked. So those of one
// mask must run alone. What a COLLECTIVE encloses has the same registers at all its places in a
// kernel, and names where to go on: lanes that come to several places meet at one of them, and each
// goes on behind its own. Lanes are taken to be at one operation if these words are equal.
//
// Sources: US patent 10,067,768 B2, "Execution of divergent threads using a convergence barrier"
// (participation mask, blocked and yielded threads, when a barrier clears: claim 1); Mesa's NAK
// (MIT), operands of BSSY, BSYNC, BREAK, BMOV and their predicate; CUDA C Programming Guide 13,
// independent thread scheduling; for what words say, src/sass/encoding.def.
#include "exec/converge_bar.h"

#include "base/simd.h"
#include "exec/converge_flow.h"
#include "exec/its.h"
#include "exec/order.h"
#include "exec/warp.h"
#include "isa/op.h"
#include "isa/system_call.h"

struct bars {
    struct its its;
    uint32_t lanes[BAR_REGISTERS][WARP_LANES]; // by register and lane: the members that it knows
    uint32_t target[WARP_LANES];               // by lane: of its WARPSYNC.COLLECTIVE
};
static_assert(offsetof(struct bars, its) == 0, "a warp points to the part that all bodies share");

static uint32_t *members_at(const struct exec_warp *w, uint32_t n) {
    struct bars *const b = (struct bars *)(void *)w->its;
    return b->lanes[n % BAR_REGISTERS];
}
// Lanes of `mask` that are in a region of the register, and all lanes of those regions.
static uint32_t joined(const uint32_t *m, uint32_t mask) {
    uint32_t in = 0;
    LANES in |= m[i] & lane_bit[i];
    return in & mask;
}
static uint32_t region(const uint32_t *m, uint32_t mask) {
    const uint32_t in = joined(m, mask);
    uint32_t all = 0;
    LANES all |= LANE_IN(in) ? m[i] : 0;
    return all;
}
static void take_out(uint32_t *m, uint32_t lanes) {
    const uint32_t from = region(m, lanes);
    LANES {
        const uint32_t left = LANE_IN(from) ? m[i] & ~lanes : m[i];
        m[i] = LANE_IN(lanes) ? 0 : left;
    }
}

// ---- meeting --------------------------------------------------------------------------------

// Lanes that wait with leaf f: at its register, in its region.
static uint32_t come(const struct its *x, const struct its_leaf *f) {
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        const struct its_leaf *const g = &x->leaf[i];
        if (g->state == ITS_MEET && g->bar == f->bar && g->need & f->mask && f->need & g->mask)
            lanes |= g->mask;
    }
    return lanes;
}
// Lets those go on that wait for no lane any more.
static void open_all(struct exec_warp *w) {
    struct its *const x = w->its;
    uint32_t away = 0, opens = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        struct its_leaf *const f = &x->leaf[i];
        if (f->has_yielded) away |= f->mask;
        if (f->state == ITS_MEET) f->need = region(members_at(w, f->bar), f->mask);
    }
    for (uint32_t i = 0; i < x->n; i++) {
        const struct its_leaf *const f = &x->leaf[i];
        if (f->state == ITS_MEET && !(f->need & w->live & ~come(x, f) & ~away)) opens |= 1u << i;
    }
    FOR_EACH_BIT32(i, opens) order_meet(w, come(x, &x->leaf[i])); // for the race check
    FOR_EACH_BIT32(i, opens) {
        struct its_leaf *const f = &x->leaf[i];
        take_out(members_at(w, f->bar), f->mask);
        f->state = ITS_READY;
        f->node = -1;
        f->pc++;
        w->pops++;
    }
}
static uint32_t meets_nowhere(const struct its *x, const struct its_leaf *f) {
    (void)x, (void)f;
    return UINT32_MAX;
}
static void nothing(struct exec_warp *w) { (void)w; }
static bool never(struct exec_warp *w) {
    (void)w;
    return false;
}
static void no_turn(struct exec_warp *w, bool spins) { (void)w, (void)spins; }

// ---- lanes that run apart ---------------------------------------------------------------------

// What COLLECTIVEs enclose is the same operation on the same registers.
static bool is_same_region(const struct exec_warp *w, const struct xinst *a,
                           const struct xinst *b) {
    const struct minst *p = x_minst(w, a), *q = x_minst(w, b);
    const struct code_image *const im = w->cta->launch->im;
    const struct minst *const end = im->inst + im->n_insts;
    while (++p < end && ++q < end && p->op == q->op) {
        if (p->op == OP_ENDCOLLECTIVE) return true;
        if (p->guard != q->guard || p->guard_not != q->guard_not || p->sub != q->sub ||
            memcmp(p->dst, q->dst, sizeof p->dst) || memcmp(p->src, q->src, sizeof p->src))
            return false;
    }
    return false;
}
static bool meets(const struct exec_warp *w, const struct its_leaf *f, const struct its_leaf *g) {
    if (g->state != ITS_SYNC || g->at->op != OP_WARPSYNC || g->at->sub != f->at->sub) return false;
    if (g->need != f->need) return false;
    return g->at == f->at || (f->at->sub == MSYNC_COLLECTIVE && is_same_region(w, f->at, g->at));
}
static bool gather(struct exec_warp *w, uint32_t i) {
    struct its *const x = w->its;
    struct bars *const b = (struct bars *)(void *)x;
    uint32_t have = 0;
    for (uint32_t k = 0; k < x->n; k++)
        if (meets(w, &x->leaf[i], &x->leaf[k])) have |= x->leaf[k].mask;
    if (x->leaf[i].need & w->live & ~have) return false;
    order_meet(w, have);
    for (uint32_t k = x->n; k-- > 0;) {
        const struct its_leaf g = x->leaf[k];
        if (!meets(w, &x->leaf[i], &g)) continue;
        FOR_EACH_BIT32(lane, g.mask) b->target[lane] = g.at->d;
        if (k == i) continue;
        if (x->cur == k) x->cur = i;
        its_drop(x, k);
        if (i == x->n) i = k; // the last one has taken the place of the one that is gone
    }
    struct its_leaf *const f = &x->leaf[i];
    f->mask = have;
    f->state = ITS_READY;
    f->node = (int32_t)bits_first32(have);
    f->pc++;
    return true;
}
static const struct its_meeting meeting = {.next = meets_nowhere,
                                           .settle = nothing,
                                           .give_up = never,
                                           .ended = open_all,
                                           .gather = gather,
                                           .turn = no_turn};

// ---- control flow ---------------------------------------------------------------------------

static inline enum exec_outcome go(struct exec_warp *w, const struct xinst *x) {
    if (w->pc <= (uint32_t)(x - w->code)) its_turn(w, x->aux8);
    return EXEC_NEXT;
}
static inline enum exec_outcome part(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                     const struct paths *p, uint32_t meet) {
    (void)e, (void)meet;
    its_spread(w, p, w->its->leaf[w->its->cur].node);
    return go(w, x);
}
// A call leaves nothing behind: where it returns to stands in registers.
static enum exec_outcome enter(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask, const struct paths *p) {
    struct paths all = *p;
    return flow_jump(&(const struct flow){go, part, NULL}, e, w, x, mask, &all);
}
static const struct flow flow = {.go = go, .part = part, .enter = enter};
FLOW_HANDLERS(flow)

static enum exec_outcome no_address(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                    uint32_t mask) {
    if (!mask) return flow_pass(&flow, w, x);
    return fault_raise(e, w, x, FAULT_BAD_BRANCH, bits_first32(mask), 0, 0,
                       "a return that names no register for its address");
}
static enum exec_outcome jump(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    mask &= x_pred(w, x->c);
    if (!mask) return flow_pass(&flow, w, x);
    const uint32_t *const p = x_src(w, x->a);
    const struct code_image *const im = w->cta->launch->im;
    const uint32_t n = im->n_insts;
    uint32_t to[WARP_LANES];
    FOR_EACH_BIT32(i, mask) {
        const uint64_t a =
            x->awords == 2 ? x_get64(p, i) + (uint64_t)x->offset : (uint32_t)(p[i] + x->offset);
        enum msyscall call;
        if (system_call_at(a, &call) && im->system_call[call]) {
            to[i] = im->system_call[call];
            continue;
        }
        if (a % CODE_WORD_BYTES || a / CODE_WORD_BYTES >= n)
            return fault_raise(e, w, x, FAULT_BAD_BRANCH, i, a, 0,
                               "a jump to code address 0x%llx; the code has 0x%llx bytes",
                               (unsigned long long)a, (unsigned long long)n * CODE_WORD_BYTES);
        to[i] = (uint32_t)(a / CODE_WORD_BYTES);
    }
    struct paths paths = {0};
    paths_by_target(&paths, to, mask);
    return flow_jump(&flow, e, w, x, mask, &paths);
}
static enum exec_outcome bra_if(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                uint32_t mask) {
    return flow_bra(&flow, e, w, x, mask & x_pred(w, x->c));
}
// One lane that goes takes all along (BRA.U.ANY).
static enum exec_outcome bra_any(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                 uint32_t mask) {
    return flow_bra(&flow, e, w, x, mask ? w->active : 0);
}
static enum exec_outcome bra_any_if(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                    uint32_t mask) {
    return bra_any(e, w, x, mask & x_pred(w, x->c));
}
static enum exec_outcome leave_if(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                  uint32_t mask) {
    return its_leave(e, w, x, mask & x_pred(w, x->c));
}
static enum exec_outcome branch_if_apart(struct exec_env *e, struct exec_warp *w,
                                         const struct xinst *x, uint32_t mask) {
    const uint32_t *const p = x_src(w, x->a);
    uint32_t all = 0;
    FOR_EACH_BIT32(i, mask) all |= p[i];
    const bool is_apart = all & w->live & ~mask;
    if (is_apart != (x->cmp == MCMP_NE)) return flow_pass(&flow, w, x);
    return flow_bra(&flow, e, w, x, is_apart ? w->active : mask);
}
static enum exec_outcome gather_lanes(struct exec_env *e, struct exec_warp *w,
                                      const struct xinst *x, uint32_t mask) {
    struct its *const s = w->its;
    if (!mask) return flow_pass(&flow, w, x);
    const enum exec_outcome o = warp_fns[WARP_SYNC](e, w, x, mask);
    if (o != EXEC_NEXT) return o;
    const uint32_t *const members = x_src(w, x->a);
    if (w->active & ~mask) its_add(w, flow_after(w, x), w->active & ~mask, -1);
    for (uint32_t left = mask, g; left; left &= ~g) {
        g = lanes_alike(members, left);
        if (left != mask) {
            its_add(w, w->pc, g, -1);
        } else {
            w->active = g;
            its_save(w);
        }
        struct its_leaf *const f = &s->leaf[left != mask ? s->n - 1 : s->cur];
        f->state = ITS_SYNC;
        f->at = x;
        f->need = members[bits_first32(g)];
    }
    // Those that gather take other leaves in, so that numbers of leaves change.
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = 0; k < s->n && !again; k++) {
            const struct its_leaf *const f = &s->leaf[k];
            again = f->state == ITS_SYNC && f->at == x && gather(w, k);
        }
    }
    if (s->leaf[s->cur].state == ITS_READY)
        its_rejoin(w);
    else if (!its_next(w))
        return EXEC_STUCK;
    return EXEC_NEXT;
}
static enum exec_outcome end_collective(struct exec_env *e, struct exec_warp *w,
                                        const struct xinst *x, uint32_t mask) {
    (void)e;
    const uint32_t *const target = ((struct bars *)(void *)w->its)->target;
    if (w->active & ~mask) return flow_pass(&flow, w, x);
    struct paths p = {0};
    paths_by_target(&p, target, mask);
    w->its->leaf[w->its->cur].node = -1;
    its_spread(w, &p, -1);
    return EXEC_NEXT;
}

// ---- barrier registers ----------------------------------------------------------------------

static uint32_t executing(const struct exec_warp *w, const struct xinst *x, uint32_t mask) {
    return mask & x_pred(w, x->c);
}
static enum exec_outcome bssy(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    (void)e;
    const uint32_t lanes = executing(w, x, mask);
    uint32_t *const m = members_at(w, x->sub);
    if (lanes == ~0u)
        for (uint32_t i = 0; i < WARP_LANES; i++) m[i] = lanes;
    else
        FOR_EACH_BIT32(i, lanes) m[i] = lanes;
    w->pushes += lanes != 0;
    return flow_pass(&flow, w, x);
}
// Lanes of a warp that has never parted come to one region in which no other lane is: what open_all
// would do for them alone.
static bool pass_together(struct exec_warp *w, uint32_t *m, uint32_t lanes) {
    struct its *const s = w->its;
    if (s->n != 1 || lanes != w->active) return false;
    const uint32_t need = m[bits_first32(lanes)];
    uint32_t apart = 0;
    if (lanes == ~0u)
        for (uint32_t i = 0; i < WARP_LANES; i++) apart |= m[i] ^ need;
    else
        FOR_EACH_BIT32(i, lanes) apart |= m[i] ^ need;
    if (apart || need & w->live & ~lanes) return false;
    order_meet(w, lanes);
    if (lanes == ~0u)
        memset(m, 0, WARP_LANES * sizeof *m);
    else
        take_out(m, lanes);
    s->turns = 0;
    s->leaf[s->cur].has_yielded = false;
    w->pops++;
    return true;
}
static enum exec_outcome bsync(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    (void)e;
    struct its *const s = w->its;
    uint32_t *const m = members_at(w, x->sub);
    const uint32_t lanes = joined(m, executing(w, x, mask));
    s->leaf[s->cur].node = -1;
    if (!lanes || pass_together(w, m, lanes)) return flow_pass(&flow, w, x);
    const uint32_t rest = w->active & ~lanes;
    if (rest) its_add(w, flow_after(w, x), rest, -1);
    // Lanes of several regions, some in a function and others in its caller where that calls itself,
    // wait for their own.
    for (uint32_t left = lanes, g; left; left &= ~g) {
        g = lanes_alike(m, left);
        if (left != lanes) {
            its_add(w, w->pc, g, -1);
        } else {
            w->active = g;
            its_save(w);
        }
        struct its_leaf *const f = &s->leaf[left != lanes ? s->n - 1 : s->cur];
        f->state = ITS_MEET;
        f->bar = x->sub % BAR_REGISTERS;
        f->at = x;
    }
    open_all(w);
    if (s->leaf[s->cur].state == ITS_READY)
        its_rejoin(w);
    else if (!its_next(w))
        return EXEC_STUCK;
    return EXEC_NEXT;
}
static enum exec_outcome break_(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                uint32_t mask) {
    (void)e;
    take_out(members_at(w, x->sub), executing(w, x, mask));
    open_all(w);
    return flow_pass(&flow, w, x);
}
static enum exec_outcome bmov_read(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                   uint32_t mask) {
    (void)e;
    uint32_t *const m = members_at(w, x->sub);
    uint32_t *const pd = x->d == X_NONE ? NULL : x_dst(w, x->d);
    FOR_EACH_BIT32(i, mask) {
        if (pd) pd[i] = m[i];
        if (x->aux8) m[i] = 0;
    }
    return flow_pass(&flow, w, x);
}
static enum exec_outcome bmov_write(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                    uint32_t mask) {
    (void)e;
    uint32_t *const m = members_at(w, x->sub);
    const uint32_t *const pa = x_src(w, x->a);
    FOR_EACH_BIT32(i, mask) m[i] = pa[i];
    return flow_pass(&flow, w, x);
}
static enum exec_outcome yield(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    (void)e;
    flow_pass(&flow, w, x);
    if (!mask || w->its->n == 1) return EXEC_NEXT;
    w->its->leaf[w->its->cur].has_yielded = true;
    open_all(w);
    its_rotate(w);
    return EXEC_NEXT;
}

// A bar.warp.sync whose lanes ptxas knows to be together, or that BRA.CONV has led around the
// WARPSYNC, is a NOP, and no other NOP of its code was seen that is executed: it orders its lanes.
static enum exec_outcome nop(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    (void)e;
    order_meet(w, mask);
    return flow_pass(&flow, w, x);
}

exec_fn bar_choose(enum bar_fn f, struct xinst *x) {
    static const exec_fn row[BAR_FNS] = {
        [BAR_BSSY] = bssy,           [BAR_BSYNC] = bsync,       [BAR_BREAK] = break_,
        [BAR_READ] = bmov_read,      [BAR_WRITE] = bmov_write,  [BAR_YIELD] = yield,
        [BAR_DIV] = branch_if_apart, [BAR_JUMP] = jump,         [BAR_NOP] = nop,
        [BAR_GATHER] = gather_lanes, [BAR_END] = end_collective};
    x->advance = 0;
    return row[f];
}

static enum bar_fn bar_fn_of(const struct minst *m) {
    switch (m->op) {
    case OP_BSSY: return BAR_BSSY;
    case OP_BSYNC: return BAR_BSYNC;
    case OP_BREAK: return BAR_BREAK;
    case OP_BMOV: return m->dst[0].kind == OPND_BARRIER ? BAR_WRITE : BAR_READ;
    case OP_YIELD: return BAR_YIELD;
    case OP_BRA_DIV: return BAR_DIV;
    case OP_JUMP: return BAR_JUMP;
    case OP_WARPSYNC: return m->sub == MSYNC_MEET ? BAR_FNS : BAR_GATHER;
    case OP_ENDCOLLECTIVE: return BAR_END;
    case OP_NOP: return BAR_NOP;
    default: return BAR_FNS;
    }
}

// ---- the port -------------------------------------------------------------------------------

static size_t bytes(void) { return sizeof(struct bars); }
static void begin(struct exec_warp *w, void *state) {
    struct bars *const b = state;
    its_begin(w, &b->its, &meeting);
    memset(b->lanes, 0, sizeof b->lanes);
    memset(b->target, 0, sizeof b->target);
}
static void met(struct exec_warp *w) { (void)w; }
static uint32_t spans(const struct exec_warp *w, struct converge_span span[CONVERGE_SPANS]) {
    struct bars *const b = (struct bars *)(void *)w->its;
    span[0] = its_span(w);
    span[1] = (struct converge_span){b->lanes, sizeof *b - offsetof(struct bars, lanes)};
    return 2;
}
// Machine code names the lanes that it waits for: a vote or a matrix takes those that are there.
static exec_fn choose(const struct minst *m, struct xinst *x, exec_fn usual) {
    static const exec_fn row[FLOW_N] = {
        [FLOW_BRA] = bra,     [FLOW_BRA_ALL] = bra_all, [FLOW_BRX] = brx,       [FLOW_CALL] = call,
        [FLOW_CALLI] = calli, [FLOW_RET] = no_address,  [FLOW_EXIT] = its_leave};
    (void)usual;
    const enum flow_fn f = flow_of(m);
    if (m->op == OP_BRA && m->sub == MBRA_ANY)
        return m->src[0].kind == OPND_PRED ? bra_any_if : bra_any;
    if (m->op == OP_BRA && m->src[0].kind == OPND_PRED) return bra_if;
    if (m->op == OP_EXIT && m->src[0].kind == OPND_PRED) return leave_if;
    if (f != FLOW_N) return row[f];
    const enum bar_fn b = bar_fn_of(m);
    if (b != BAR_FNS) return bar_choose(b, x);
    return its_choose(m, x, false);
}

const struct converge converge_bars = {.bytes = bytes,
                                       .begin = begin,
                                       .choose = choose,
                                       .meet = met,
                                       .release = its_release,
                                       .wait = its_wait,
                                       .text = its_text,
                                       .parked = its_parked,
                                       .spans = spans,
                                       .is_independent = true};
