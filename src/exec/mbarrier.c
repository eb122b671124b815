// Barriers in shared memory, as machine code of Hopper works on them: arrivals, looks at a phase.
// Their bytes are those of isa/mbarrier.h.
#include "exec/bulk.h"
#include "exec/bulk_int.h"
#include "exec/cluster.h"
#include "isa/mbarrier.h"
#include "isa/op.h"

static uint64_t load(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

// How many arrive and how many bytes become pending, for a lane's operand.
static void counts_of(const struct xinst *x, uint32_t b, uint32_t *arrivals, int32_t *bytes) {
    switch (x->sub & MARRIVE_FORM) {
    case MARRIVE_ONE: *arrivals = 1, *bytes = 0; break;
    case MARRIVE_SOME: *arrivals = b, *bytes = 0; break;
    case MARRIVE_EXPECT: *arrivals = 1, *bytes = (int32_t)b; break;
    case MARRIVE_EXPECT_ONLY: *arrivals = 0, *bytes = (int32_t)b; break;
    case MARRIVE_COMPLETE: *arrivals = 0, *bytes = -(int32_t)b; break;
    default: *arrivals = 0, *bytes = 1; break; // MARRIVE_EXPECT_ONE
    }
    if (x->sub & MARRIVE_DROPS) *arrivals |= MBARRIER_DROPS;
}

// What a barrier of another block is told at the commit.
static const struct xinst told = {
    .op = OP_ATOM, .sub = MATOM_ARRIVE_TX, .type = ITYPE_B64, .vec = 1, .d = X_NONE, .bytes = 8};
static void tell_later(struct exec_env *e, struct exec_warp *w, uint8_t *host, uint32_t arrivals,
                       int32_t bytes) {
    const struct wide b = {{arrivals | (uint64_t)(uint32_t)bytes << 32, 0}};
    log_remote_atomic(e->log, w, &told, 1, &host, &b, &b);
}

// Lanes arrive one after another; each gets the barrier as it was before.
static enum exec_outcome arrive(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                uint32_t mask) {
    struct mem_lanes r;
    if (!mem_resolve(e, w, x, mask, x->a, x->awords, 8, true, &r)) return EXEC_FAULT;
    if (!check_reads(e, w, x, mask, &r) || !check_writes(e, w, x, mask, &r)) return EXEC_FAULT;
    const uint32_t shared = r.shared | r.remote;
    if (shared != mask)
        return fault_raise(e, w, x, FAULT_SHARED_RANGE, bits_first32(mask & ~shared), 0, 8,
                           "a barrier object lies in shared memory");
    const uint32_t *const pb = x_src(w, x->b);
    uint32_t *const pd = x->d == X_NONE ? NULL : x_dst(w, x->d);
    FOR_EACH_BIT32(i, mask) {
        uint32_t arrivals;
        int32_t bytes;
        counts_of(x, pb[i], &arrivals, &bytes);
        if (e->remote_waits &&
            (r.remote >> i & 1)) { // it wants no state (PTX ISA, mbarrier.arrive)
            tell_later(e, w, r.host[i], arrivals, bytes);
            continue;
        }
        const uint64_t old = load(r.host[i]), now = mbarrier_arrive_tx(old, arrivals, bytes);
        memcpy(r.host[i], &now, 8);
        if (pd) x_put64(pd, i, old);
    }
    e->access.kind = pd ? ACCESS_ATOMIC : ACCESS_REDUCE;
    e->access.n_dst = pd ? 2 : 0;
    e->access.is_barrier = true;
    return EXEC_MEMORY;
}

// D: the phase of the barrier is another than bit 31 of B says. A try that fails in all its lanes, at
// one barrier, may be answered later (ACCESS_WAIT); until then its answer is "not over".
static enum exec_outcome phase(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    struct mem_lanes r;
    if (!mem_resolve(e, w, x, mask, x->a, x->awords, 8, false, &r)) return EXEC_FAULT;
    if (!check_reads(e, w, x, mask, &r)) return EXEC_FAULT;
    const uint32_t *const pb = x_src(w, x->b), *const pc = x_src(w, x->c);
    const uint32_t first = mask ? bits_first32(mask) : 0;
    uint32_t over = 0;
    bool is_one = r.shared == mask;
    FOR_EACH_BIT32(i, mask) {
        over |= (uint32_t)((load(r.host[i]) >> MBARRIER_PHASE_AT) != pb[i] >> 31) << i;
        is_one &= r.host[i] == r.host[first] && pb[i] >> 31 == pb[first] >> 31;
    }
    x_set_pred(w, x->d, over, mask);
    if (!(x->sub & MPHASE_TRY) || over || !is_one || !mask) return EXEC_MEMORY;
    w->tried = (struct exec_tried){(uint32_t)e->access.addr[first], pb[first] >> 31, true};
    e->access.kind = ACCESS_WAIT;
    e->access.wait = (struct exec_wait_for){.barrier = (uint32_t)e->access.addr[first],
                                            .lanes = mask,
                                            .nanoseconds = x->sub & MPHASE_LIMIT ? pc[first] : 0,
                                            .pred = x->d,
                                            .has_limit = x->sub & MPHASE_LIMIT,
                                            .parity = pb[first] >> 31};
    return EXEC_MEMORY;
}

// The arrival of lanes at one barrier when the copies that their warp has begun (cp.async) are done.
// The lanes arrive where the first of them does unless they name others: those arrive at once.
static enum exec_outcome arrive_later(struct exec_env *e, struct exec_warp *w,
                                      const struct xinst *x, uint32_t mask) {
    struct mem_lanes r;
    if (!mem_resolve(e, w, x, mask, x->a, x->awords, 8, true, &r)) return EXEC_FAULT;
    if (!check_reads(e, w, x, mask, &r) || !check_writes(e, w, x, mask, &r)) return EXEC_FAULT;
    const uint32_t first = mask ? bits_first32(mask) : 0;
    uint32_t lanes = 0;
    FOR_EACH_BIT32(i, mask) {
        if (r.host[i] == r.host[first])
            lanes |= 1u << i;
        else
            exec_arrive_now(w->cta, (uint32_t)e->access.addr[i], 1u << i, x->sub);
    }
    e->access.kind = ACCESS_ARRIVE_LATER;
    e->access.is_barrier = true;
    e->access.wait = (struct exec_wait_for){
        .barrier = (uint32_t)e->access.addr[first], .lanes = lanes, .arrival = x->sub};
    return EXEC_MEMORY;
}

// ---- what happens later -------------------------------------------------------------------------
static bool change(struct exec_cta *c, uint32_t barrier, uint32_t arrivals, int32_t bytes) {
    if (barrier + 8ull > c->shared_bytes) return false;
    const uint64_t old = load(c->shared + barrier);
    const uint64_t now = mbarrier_arrive_tx(old, arrivals, bytes);
    memcpy(c->shared + barrier, &now, 8);
    return (old ^ now) >> MBARRIER_PHASE_AT;
}
bool exec_bulk_done(struct exec_env *e, struct exec_cta *own, const struct exec_bulk *b) {
    bool is_over = false;
    if (b->barrier == BULK_NO_BARRIER) return false;
    FOR_EACH_BIT32(rank, b->blocks) {
        struct exec_cta *const c = cluster_block(own, rank);
        if (!c || b->barrier + 8ull > c->shared_bytes) continue;
        if (c != own && e->remote_waits)
            tell_later(e, own->warps, c->shared + b->barrier, 0, -(int32_t)b->bytes);
        else if (change(c, b->barrier, 0, -(int32_t)b->bytes))
            is_over |= c == own;
    }
    return is_over;
}
static void change_old(struct exec_cta *c, uint32_t barrier) {
    if (barrier + 8ull > c->shared_bytes) return;
    const uint64_t now = mbarrier_arrive(load(c->shared + barrier), 1);
    memcpy(c->shared + barrier, &now, 8);
}
bool exec_arrive_now(struct exec_cta *c, uint32_t barrier, uint32_t lanes, enum marrives what) {
    bool is_over = false;
    FOR_EACH_BIT32(i, lanes) {
        (void)i;
        if (what == MARRIVES_OLD)
            change_old(c, barrier); // no warp of 8.0 waits but by looking again
        else
            is_over |= what == MARRIVES_BYTE ? change(c, barrier, 0, -1) : change(c, barrier, 1, 0);
    }
    return is_over;
}
bool exec_phase_over(const struct exec_cta *c, uint32_t barrier, bool was) {
    return (load(c->shared + barrier) >> MBARRIER_PHASE_AT) != was;
}
void exec_wait_answer(struct exec_warp *w, uint32_t pred, uint32_t lanes, bool is_over) {
    x_set_pred(w, pred, is_over ? UINT32_MAX : 0, lanes);
}

void exec_bulk_at_once(struct exec_env *e, struct exec_warp *w) {
    const struct exec_access *const a = &e->access;
    if (a->kind == ACCESS_ARRIVE_LATER)
        exec_arrive_now(w->cta, a->wait.barrier, a->wait.lanes, a->wait.arrival);
    if (a->kind != ACCESS_BULK) return;
    for (uint32_t i = 0; i < e->bulks->n; i++) {
        const struct exec_bulk *const b = &e->bulks->copy[i];
        if (a->deferred && b->barrier != BULK_NO_BARRIER)
            FOR_EACH_BIT32(rank, b->blocks) log_copied(e->log, w, rank, b->barrier, b->bytes);
        else
            exec_bulk_done(e, w->cta, b);
    }
}

const exec_fn mbarrier_fns[] = {
    [MBARRIER_ARRIVE] = arrive, [MBARRIER_PHASE] = phase, [MBARRIER_ARRIVE_LATER] = arrive_later};
