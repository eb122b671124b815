// Operations across the lanes of a warp, special registers, barriers.
#include "exec/bulk.h"
#include "exec/cluster.h"
#include "exec/barrier.h"
#include "exec/mem.h"
#include "exec/order.h"
#include "exec/warp.h"

// Lanes that take part: the executing ones, of the member mask when there is one. A lane that
// executes but is no member is a fault: what it would get is undefined.
static bool members_of(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                       uint32_t operand, bool has, uint32_t mask, uint32_t *out) {
    *out = mask;
    if (!has) return true;
    const uint32_t *p = x_src(w, operand);
    // An immediate is the same in all lanes.
    if (operand & X_POOL && !(mask & ~p[0])) {
        *out = mask & p[0];
        return true;
    }
    FOR_EACH_BIT32(i, mask) {
        if (p[i] >> i & 1) continue;
        fault_raise(e, w, x, FAULT_SHFL_MASK, i, 0, 0,
                    "%s by lane %u, which its own member mask 0x%08x leaves out",
                    mop_info[x->op].text, i, p[i]);
        return false;
    }
    *out = mask & p[bits_first32(mask)];
    return true;
}

static enum exec_outcome vote(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    uint32_t m;
    if (!members_of(e, w, x, x->b, x->aux8 & 1, mask, &m)) return EXEC_FAULT;
    const uint32_t p = x_pred(w, x->a) & m;
    uint32_t r = 0;
    switch (x->sub) {
    case MVOTE_ALL: r = p == m ? ~0u : 0; break;
    case MVOTE_ANY: r = p ? ~0u : 0; break;
    case MVOTE_UNI: r = p == m || !p ? ~0u : 0; break;
    default: {
        uint32_t *pd = x_dst(w, x->d);
        FOR_EACH_BIT32(i, mask) pd[i] = p;
        return EXEC_NEXT;
    }
    }
    x_set_pred(w, x->d, r, mask);
    return EXEC_NEXT;
}

static enum exec_outcome match(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    uint32_t m;
    if (!members_of(e, w, x, x->b, x->aux8 & 1, mask, &m)) return EXEC_FAULT;
    const bool wide = isa_type_bits(x->type) == 64;
    const uint32_t *pa = x_src(w, x->a);
    uint64_t v[WARP_LANES];
    FOR_EACH_BIT32(i, mask) v[i] = wide ? x_get64(pa, i) : pa[i];
    uint32_t r[WARP_LANES];
    FOR_EACH_BIT32(i, mask) {
        r[i] = 0;
        FOR_EACH_BIT32(j, m) r[i] |= (uint32_t)(v[j] == v[i]) << j;
    }
    uint32_t *pd = x->d == X_NONE ? NULL : x_dst(w, x->d);
    if (x->sub == 0) {
        if (pd) FOR_EACH_BIT32(i, mask) pd[i] = r[i];
        return EXEC_NEXT;
    }
    const bool all = r[bits_first32(mask)] == m;
    if (pd) FOR_EACH_BIT32(i, mask) pd[i] = all ? m : 0;
    x_set_pred(w, x->d1, all ? ~0u : 0, mask);
    return EXEC_NEXT;
}

static enum exec_outcome redux(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    uint32_t m;
    if (!members_of(e, w, x, x->b, x->aux8 & 1, mask, &m)) return EXEC_FAULT;
    const uint32_t *pa = x_src(w, x->a);
    uint32_t r = pa[bits_first32(m)];
    FOR_EACH_BIT32(i, m & (m - 1)) {
        const uint32_t v = pa[i];
        const bool less = x->type == ITYPE_S32 ? (int32_t)v < (int32_t)r : v < r;
        switch (x->sub) {
        case MATOM_ADD: r += v; break;
        case MATOM_MIN: r = less ? v : r; break;
        case MATOM_MAX: r = less || v == r ? r : v; break;
        case MATOM_AND: r &= v; break;
        case MATOM_OR: r |= v; break;
        default: r ^= v; break;
        }
    }
    uint32_t *pd = x_dst(w, x->d);
    const bool is_uniform = x_minst(w, x)->dst[0].kind == OPND_UGPR; // one value for all that run
    FOR_EACH_BIT32(i, is_uniform ? w->active : mask) pd[i] = r;
    return EXEC_NEXT;
}

// PTX ISA, shfl: c holds the clamp in bits 4..0 and the segment mask in bits 12..8. Which lane each
// reads, and whether that is in range; out of range is a lane itself.
static void shfl_sources(uint8_t how, const uint32_t *pb, const uint32_t *pc, uint32_t *from,
                         uint32_t *ok) {
    uint32_t in[WARP_LANES];
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        const int32_t lane = (int32_t)i, b = (int32_t)(pb[i] & 31), c = (int32_t)(pc[i] & 31);
        const int32_t seg = (int32_t)(pc[i] >> 8 & 31);
        const int32_t max = (lane & seg) | (c & ~seg), min = lane & seg;
        const int32_t idx = min | (b & ~seg);
        const int32_t j = how == MSHFL_UP     ? lane - b
                          : how == MSHFL_DOWN ? lane + b
                          : how == MSHFL_BFLY ? lane ^ b
                                              : idx;
        const bool p = how == MSHFL_UP ? j >= max : j <= max;
        in[i] = p ? 1u << i : 0;
        from[i] = (uint32_t)(p ? j & 31 : lane);
    }
    for (uint32_t i = 0; i < WARP_LANES; i++) *ok |= in[i];
}
// A lane outside the reader's member mask gives 0. PTX ISA leaves the value undefined; programs rely
// on 0, which is what GPUs since Volta answer: the reduction sample of the CUDA toolkit adds up the
// lanes beyond its mask. Members that do not execute give what their register holds. Machine code has
// no mask (it has met its members before): there a lane that does not execute gives 0.
static void shfl_cut(const uint32_t *members, const uint32_t *from, uint32_t *r) {
    uint32_t all = ~0u;
    for (uint32_t i = 0; i < WARP_LANES; i++) all &= members[i];
    if (all == ~0u) return;
    for (uint32_t i = 0; i < WARP_LANES; i++) r[i] &= 0u - (members[i] >> from[i] & 1);
}
// With --check sync: lanes of `mask` that read a lane outside their member mask.
static bool shfl_check(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                       uint32_t mask, const uint32_t *members, const uint32_t *from) {
    if (ww_likely(!w->cta->launch->args.options.check_sync)) return true;
    FOR_EACH_BIT32(i, mask)
    if (!(members[i] >> from[i] & 1) &&
        !found(e, w, x, FAULT_SHFL_MASK, i, 0, 0,
               "shfl.sync by lane %u reads lane %u, which the member mask 0x%08x leaves out (it "
               "gets 0)",
               i, from[i], members[i]))
        return false;
    return true;
}
static enum exec_outcome shfl(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    uint32_t m;
    if (!members_of(e, w, x, x->e, x->aux8 & 1, mask, &m)) return EXEC_FAULT;
    const uint32_t *pa = x_src(w, x->a), *pb = x_src(w, x->b), *pc = x_src(w, x->c);
    uint32_t from[WARP_LANES], ok = 0;
    shfl_sources(x->sub, pb, pc, from, &ok);
    uint32_t r[WARP_LANES];
    for (uint32_t i = 0; i < WARP_LANES; i++) r[i] = pa[from[i]];
    if (x->aux8 & 1) {
        if (!shfl_check(e, w, x, mask, x_src(w, x->e), from)) return EXEC_FAULT;
        shfl_cut(x_src(w, x->e), from, r);
    } else if (mask != ~0u && w->cta->launch->im->is_machine_code) {
        FOR_EACH_BIT32(i, mask) r[i] &= 0u - (mask >> from[i] & 1);
    }
    uint32_t *pd = x_dst(w, x->d);
    if (mask == ~0u)
        memcpy(pd, r, sizeof r);
    else
        FOR_EACH_BIT32(i, mask) pd[i] = r[i];
    x_set_pred(w, x->d1, ok, mask);
    return EXEC_NEXT;
}

static enum exec_outcome activemask(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                    uint32_t mask) {
    (void)e;
    uint32_t *pd = x_dst(w, x->d);
    FOR_EACH_BIT32(i, mask) pd[i] = mask;
    return EXEC_NEXT;
}
static enum exec_outcome elect(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    uint32_t m;
    if (!members_of(e, w, x, x->a, x->aux8 & 1, mask, &m)) return EXEC_FAULT;
    const uint32_t leader = bits_first32(m);
    if (x->d != X_NONE) {
        uint32_t *pd = x_dst(w, x->d);
        FOR_EACH_BIT32(i, mask) pd[i] = leader;
    }
    x_set_pred(w, x->d1, 1u << leader, mask);
    return EXEC_NEXT;
}
static enum exec_outcome warpsync(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                  uint32_t mask) {
    uint32_t m;
    if (!members_of(e, w, x, x->a, x->aux8 & 1, mask, &m)) return EXEC_FAULT;
    if (ww_likely(!w->cta->check)) return EXEC_NEXT;
    // Those that name the same members meet.
    const uint32_t *const p = x_src(w, x->a);
    for (uint32_t left = mask, group; left; left &= ~group) {
        group = 0;
        FOR_EACH_BIT32(i, left) group |= (uint32_t)(p[i] == p[bits_first32(left)]) << i;
        order_meet(w, group);
    }
    return EXEC_NEXT;
}

// ---- special registers ----------------------------------------------------------------------
static uint64_t timer_ns(const struct exec_env *e, const struct exec_warp *w) {
    const double hz = w->cta->launch->args.clock_hz;
    return hz > 0.0 ? (uint64_t)((double)e->cycle * 1e9 / hz) : e->cycle;
}

// %clock counts the fastest clock of an SM, which is what programs learn as the device's clock
// rate; published latencies of Fermi are in its ticks ([volkov]: 18 for an addition that takes 9
// cycles of the core clock).
static uint64_t clock_ticks(const struct exec_env *e, const struct exec_warp *w) {
    const uint32_t ticks = w->cta->launch->args.clock_ticks;
    return ticks ? e->cycle * ticks : e->cycle;
}

void warp_thread_id(const struct exec_warp *w, uint32_t lane, uint32_t id[3]) {
    const uint32_t *b = w->cta->launch->args.block;
    const uint32_t t = w->warp_in_cta * WARP_LANES + lane;
    id[0] = t % b[0];
    id[1] = t / b[0] % b[1];
    id[2] = t / b[0] / b[1];
}

static uint32_t cluster_size(const struct exec_launch_args *a, uint32_t axis) {
    return a->cluster[0] ? a->cluster[axis] : 1;
}

static uint64_t uniform_sreg(const struct exec_env *e, const struct exec_warp *w, uint32_t r) {
    const struct exec_cta *c = w->cta;
    const struct exec_launch_args *a = &c->launch->args;
    if (r >= SREG_envreg0 && r <= SREG_envreg31) return a->envreg[r - SREG_envreg0];
    switch (r) {
    case SREG_ntid_x: return a->block[0];
    case SREG_ntid_y: return a->block[1];
    case SREG_ntid_z: return a->block[2];
    case SREG_ctaid_x: return c->id[0];
    case SREG_ctaid_y: return c->id[1];
    case SREG_ctaid_z: return c->id[2];
    case SREG_nctaid_x: return a->grid[0];
    case SREG_nctaid_y: return a->grid[1];
    case SREG_nctaid_z: return a->grid[2];
    case SREG_warpid: return w->lane_slot;
    case SREG_virtid: return w->lane_slot << 8; // the warp in the SM, as compiled code takes it out
    case SREG_virtcfg: return 64 << 8; // warps of an SM, as compiled code takes %nwarpid out
    case SREG_nwarpid: return 64;
    case SREG_smid: return c->sm_id;
    case SREG_nsmid: return a->sm_count ? a->sm_count : 1;
    case SREG_gridid: return a->grid_id;
    case SREG_clock: return (uint32_t)clock_ticks(e, w);
    case SREG_clock_hi: return clock_ticks(e, w) >> 32;
    case SREG_clock64: return clock_ticks(e, w);
    case SREG_globaltimer: return timer_ns(e, w);
    case SREG_globaltimer_lo: return (uint32_t)timer_ns(e, w);
    case SREG_globaltimer_hi: return timer_ns(e, w) >> 32;
    case SREG_is_explicit_cluster: return a->cluster[0] != 0;
    case SREG_clusterid_x:
    case SREG_clusterid_y:
    case SREG_clusterid_z: return c->id[r - SREG_clusterid_x] / cluster_size(a, r - SREG_clusterid_x);
    case SREG_nclusterid_x:
    case SREG_nclusterid_y:
    case SREG_nclusterid_z:
        return a->grid[r - SREG_nclusterid_x] / cluster_size(a, r - SREG_nclusterid_x);
    case SREG_cluster_ctaid_x:
    case SREG_cluster_ctaid_y:
    case SREG_cluster_ctaid_z:
        return c->id[r - SREG_cluster_ctaid_x] % cluster_size(a, r - SREG_cluster_ctaid_x);
    case SREG_cluster_nctaid_x:
    case SREG_cluster_nctaid_y:
    case SREG_cluster_nctaid_z: return cluster_size(a, r - SREG_cluster_nctaid_x);
    case SREG_shared_window_high: return EXEC_CLUSTER_WINDOW_HIGH;
    case SREG_cluster_ctarank: return c->rank;
    case SREG_cluster_nctarank:
        return cluster_size(a, 0) * cluster_size(a, 1) * cluster_size(a, 2);
    case SREG_total_smem_size:
    case SREG_aggr_smem_size: return c->shared_bytes;
    case SREG_dynamic_smem_size: return a->dynamic_shared;
    default: return 0; // performance monitors, reserved shared memory
    }
}

static enum exec_outcome s2r(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    uint32_t *pd = x_dst(w, x->d);
    const uint32_t r = x->a; // the number itself
    switch (r) {
    case SREG_tid_x:
    case SREG_tid_y:
    case SREG_tid_z: {
        const uint32_t axis = r - SREG_tid_x;
        uint32_t id[3];
        warp_thread_id(w, 0, id);
        const uint32_t *b = w->cta->launch->args.block;
        // All in one row, or rows of a power of two of threads in one plane.
        const bool in_row = id[0] + WARP_LANES <= b[0];
        const uint32_t shift = in_row ? 31 : bits_first32(b[0]), last = id[0] + WARP_LANES - 1;
        if (mask == ~0u && (in_row || b[0] == 1u << shift) && id[1] + (last >> shift) < b[1]) {
            const uint32_t low = in_row ? ~0u : b[0] - 1;
            for (uint32_t i = 0; i < WARP_LANES; i++) {
                const uint32_t at = id[0] + i;
                pd[i] = axis == 0 ? at & low : axis == 1 ? id[1] + (at >> shift) : id[2];
            }
            return EXEC_NEXT;
        }
        for (uint32_t i = 0; i < WARP_LANES; i++) {
            if (mask >> i & 1) pd[i] = id[axis];
            if (++id[0] == b[0]) {
                id[0] = 0;
                if (++id[1] == b[1]) {
                    id[1] = 0;
                    id[2]++;
                }
            }
        }
        return EXEC_NEXT;
    }
    case SREG_laneid: FOR_EACH_BIT32(i, mask) pd[i] = i; return EXEC_NEXT;
    case SREG_lanemask_eq: FOR_EACH_BIT32(i, mask) pd[i] = 1u << i; return EXEC_NEXT;
    case SREG_lanemask_le: FOR_EACH_BIT32(i, mask) pd[i] = ~0u >> (31 - i); return EXEC_NEXT;
    case SREG_lanemask_lt: FOR_EACH_BIT32(i, mask) pd[i] = (1u << i) - 1; return EXEC_NEXT;
    case SREG_lanemask_ge: FOR_EACH_BIT32(i, mask) pd[i] = ~0u << i; return EXEC_NEXT;
    case SREG_lanemask_gt: FOR_EACH_BIT32(i, mask) pd[i] = ~1u << i; return EXEC_NEXT;
    default: break;
    }
    const uint64_t v = uniform_sreg(e, w, r);
    if (x->aux8 == 2)
        FOR_EACH_BIT32(i, mask) x_put64(pd, i, v);
    else
        FOR_EACH_BIT32(i, mask) pd[i] = (uint32_t)v;
    return EXEC_NEXT;
}

// ---- barriers and the rest ------------------------------------------------------------------
static enum exec_outcome bar(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    enum { COUNT_AT = 16, COUNT_MASK = 0xfff, ID_MASK = 0xf }; // of a word that holds both
    const uint32_t lead = bits_first32(mask);
    uint32_t id = x_src(w, x->a)[lead], threads = x->aux8 & BAR_COUNTS ? x_src(w, x->b)[lead] : 0;
    if (x->aux8 & BAR_PACKED) {
        threads = id >> COUNT_AT & COUNT_MASK;
        id &= ID_MASK;
    }
    if (id > 15)
        return fault_raise(e, w, x, FAULT_BARRIER, lead, id, 0,
                           "barrier %u, but a block has barriers 0 to 15", id);
    // A packed count of 0 is that of a barrier without one, which ptxas makes so where lanes have parted (grid.sync).
    if (threads % WARP_LANES || (threads == 0 && x->aux8 && !(x->aux8 & BAR_PACKED)))
        return fault_raise(e, w, x, FAULT_BARRIER, lead, id, 0,
                           "barrier %u for %u threads, which is not a multiple of the warp size",
                           id, threads);
    if (threads > bits_align_up(w->cta->n_threads, WARP_LANES))
        return fault_raise(e, w, x, FAULT_BARRIER, lead, id, 0,
                           "barrier %u for %u threads, but the block has %u", id, threads,
                           w->cta->n_threads);
    // A warp arrives whole, so that a barrier inside a branch counts lanes that never came to it.
    if (ww_unlikely(mask != w->live) && w->cta->launch->args.options.check_sync && !w->its &&
        !found(e, w, x, FAULT_BARRIER, lead, id, 0,
               "barrier %u reached by %u of the %u threads that are left of warp %u (lanes 0x%08x)",
               id, bits_count32(mask), bits_count32(w->live), w->warp_in_cta, mask))
        return EXEC_FAULT;
    w->bar_id = id;
    w->bar_threads = threads;
    w->bar_kind = x->sub;
    w->bar_value = x->sub >= MBAR_RED_POPC ? x_pred(w, x->c) & mask : 0;
    w->bar_mask = mask;
    w->bar_dst = x;
    order_arrive(w, mask, id);
    return EXEC_BARRIER;
}

// Threads of their own wait by its.c, which asks whether they must.
static enum exec_outcome cluster_bar(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                     uint32_t mask) {
    const uint32_t again = mask & w->cluster_came;
    const bool waits = x->sub == MCBAR_WAIT;
    if (ww_unlikely(!waits && again) && w->cta->launch->args.options.check_sync &&
        !found(e, w, x, FAULT_BARRIER, bits_first32(again), 0, 0,
               "barrier.cluster.arrive by lanes 0x%08x of warp %u, which have arrived and not waited",
               again, w->warp_in_cta))
        return EXEC_FAULT;
    w->bar_id = EXEC_CLUSTER_BARRIER;
    w->bar_threads = w->bar_value = 0;
    w->bar_kind = waits ? MBAR_SYNC : MBAR_ARRIVE;
    w->bar_mask = mask;
    w->bar_less = WARP_LANES;
    w->bar_flow = EXEC_GOES_ON;
    w->bar_dst = x;
    if (waits) return EXEC_BARRIER;
    order_arrive(w, mask, EXEC_CLUSTER_BARRIER);
    cluster_arrive(w, mask);
    return EXEC_BARRIER;
}

// Machine code has the result in a word that B2R reads, whatever the reduction.
void warp_barrier_result(struct exec_warp *w, const struct xinst *x, uint32_t kind, uint32_t value,
                         uint32_t lanes) {
    if (kind < MBAR_RED_POPC) return;
    if (kind == MBAR_RED_POPC || w->cta->launch->im->is_machine_code) {
        uint32_t *const pd = x_dst(w, x->d);
        FOR_EACH_BIT32(i, lanes) pd[i] = value;
    } else {
        x_set_pred(w, x->d, value ? ~0u : 0, lanes);
    }
}
static enum exec_outcome b2r(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    (void)e;
    const uint32_t *const pa = x_src(w, x->a);
    uint32_t *const pd = x->d == X_NONE ? NULL : x_dst(w, x->d);
    uint32_t any = 0;
    FOR_EACH_BIT32(i, mask) {
        any |= (uint32_t)(pa[i] != 0) << i;
        if (pd) pd[i] = pa[i];
    }
    x_set_pred(w, x->d1, any, mask);
    return EXEC_NEXT;
}

static enum exec_outcome trap(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    return fault_raise(e, w, x, FAULT_TRAP, bits_first32(mask), 0, 0, "trap instruction");
}
static enum exec_outcome nanosleep_(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                    uint32_t mask) {
    uint32_t ns = 0;
    const uint32_t *pa = x_src(w, x->a);
    FOR_EACH_BIT32(i, mask) ns = pa[i] > ns ? pa[i] : ns;
    // The access record's first address carries the whole number; `bytes` is too small for it.
    e->access = (struct exec_access){.mask = mask, .addr = {ns}};
    if (x->sub == MSLEEP_TIME) return EXEC_SLEEP;
    // Until a phase is over, which lanes that are elsewhere may have to end: then none sleeps.
    if (mask != w->live) return EXEC_NEXT;
    if (!w->tried.is_there) return EXEC_SLEEP;
    if (exec_phase_over(w->cta, w->tried.barrier, w->tried.parity)) return EXEC_NEXT;
    e->access.kind = ACCESS_WAIT;
    e->access.wait =
        (struct exec_wait_for){.barrier = w->tried.barrier, .parity = w->tried.parity};
    return EXEC_SLEEP;
}
// Whether there is a grid to begin or to wait for, only whoever times the warp knows: without time
// kernels run one after the other.
static enum exec_outcome griddep(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                 uint32_t mask) {
    (void)e, (void)w;
    if (!mask) return EXEC_NEXT;
    return x->sub == MGRIDDEP_WAIT ? EXEC_GRID_WAIT : EXEC_GRID_LAUNCH;
}
static enum exec_outcome nothing(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                 uint32_t mask) {
    (void)e, (void)w, (void)x, (void)mask;
    return EXEC_NEXT;
}

// Registers that a warp asks for: it waits for them (sm), and has them.
static enum exec_outcome grant(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    (void)e;
    if (x->d != X_NONE) x_set_pred(w, x->d, ~0u, mask);
    return EXEC_NEXT;
}

const exec_fn warp_fns[] = {
    [WARP_VOTE] = vote,     [WARP_MATCH] = match,       [WARP_REDUX] = redux,
    [WARP_SHFL] = shfl,     [WARP_ACTIVE] = activemask, [WARP_ELECT] = elect,
    [WARP_SYNC] = warpsync, [WARP_S2R] = s2r,           [WARP_BAR] = bar,
    [WARP_CBAR] = cluster_bar, [WARP_GRIDDEP] = griddep,
    [WARP_B2R] = b2r,       [WARP_TRAP] = trap,         [WARP_SLEEP] = nanosleep_,
    [WARP_NOP] = nothing,  [WARP_GRANT] = grant};
