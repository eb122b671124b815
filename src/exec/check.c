// The optional memory checks: reads of bytes never written, and races in shared memory (of
// blocks in global memory: check_grid.c).
//
// Each byte of shared memory has a shadow: whether it was written, and who last wrote and read it.
// Two accesses of different threads race when at least one writes, nothing puts them in an order
// (order.c), and they are not both of a kind that may meet: atomics, relaxed, acquire and release
// accesses; and volatile ones, where the load is of a loop that waits for it.
#include "exec/barrier.h"
#include "exec/check.h"
#include "exec/check_cluster.h"
#include "exec/check_grid.h"
#include "exec/early.h"
#include "exec/mem.h"
#include "isa/op.h"

static size_t shared_shadow(const struct exec_launch *l) {
    return bits_align_up(
        sizeof(struct exec_shared_check) + l->shared_bytes * sizeof(struct byte_shadow), 64);
}

static size_t fences_at(const struct exec_launch *l) {
    const bool local = l->args.options.check_uninitialised;
    return bits_align_up(
        shared_shadow(l) + (local ? (size_t)l->warps * l->local_words * WARP_LANES : 0), 64);
}
static size_t early_at(const struct exec_launch *l) {
    return bits_align_up(fences_at(l) + (size_t)l->warps * WARP_LANES * sizeof(uint32_t), 64);
}
static size_t order_at(const struct exec_launch *l) {
    return early_at(l) + (l->args.options.check_races ? bits_align_up(l->warps * sizeof(struct early_warp), 64) : 0);
}

static size_t others_at(const struct exec_launch *l) {
    return bits_align_up(order_at(l) + (l->args.options.check_races ? order_bytes(l) : 0), 64);
}

static size_t grid_at(const struct exec_launch *l) {
    return bits_align_up(others_at(l) + check_cluster_bytes(l), 64);
}

size_t check_bytes(const struct exec_launch *l) {
    const struct exec_options *o = &l->args.options;
    if (!o->check_races && !o->check_uninitialised) return 0;
    return grid_at(l) + check_grid_bytes(l);
}
void check_cta_init(struct exec_cta *c, void *memory) {
    const struct exec_options *o = &c->launch->args.options;
    const size_t at = order_at(c->launch);
    c->check = memory;
    memset(memory, 0, at);
    c->check->uninitialised = o->check_uninitialised;
    c->check->local = (uint8_t *)memory + shared_shadow(c->launch);
    c->check->fence = (uint32_t *)(void *)((uint8_t *)memory + fences_at(c->launch));
    check_cluster_init(c->check, c->launch, (uint8_t *)memory + others_at(c->launch));
    check_grid_init(c->check, c->launch, (uint8_t *)memory + grid_at(c->launch));
    if (!o->check_races) return;
    c->check->early = (struct early_warp *)(void *)((uint8_t *)memory + early_at(c->launch));
    c->check->order = (struct order *)(void *)((uint8_t *)memory + at);
    order_init(c->check->order, c->launch);
}

static bool is_barrier_op(const struct xinst *x) {
    return x->op == OP_SYNCS || x->op == OP_PHASECHK || x->op == OP_ARRIVES;
}
static bool is_atomic(const struct xinst *x) { return x->op == OP_ATOM || is_barrier_op(x); }
static bool is_strong(const struct xinst *x, bool is_store) {
    const uint32_t waits = is_store ? MF_VOLATILE : X_WAITS;
    return is_atomic(x) || x->flags & (MF_STRONG | waits);
}
// Threads that arrive at a barrier in memory meet those that look at its phase, in its second word.
static uint32_t word_of_order(const struct xinst *x) {
    return is_barrier_op(x) || (x->op == OP_ATOM && x->sub >= MATOM_ARRIVE) ? 4 : 0;
}
static uint16_t thread_of(const struct exec_warp *w, uint32_t lane) {
    return (uint16_t)(w->warp_in_cta * WARP_LANES + lane);
}
static bool unordered(const struct exec_warp *w, uint32_t lane, uint32_t tick, uint16_t other) {
    return tick && !order_known(w->cta->check->order, w, lane, other, tick);
}
static bool race(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane,
                 uint64_t at, const char *what, uint16_t other, const char *did) {
    const uint32_t warp = other / WARP_LANES;
    if (warp == w->warp_in_cta)
        return found(e, w, x, FAULT_RACE, lane, at, x->bytes,
                     "shared-memory race: lane %u of warp %u %s the byte at offset 0x%llx, which "
                     "lane %u %s with no bar.warp.sync (__syncwarp) between",
                     lane, warp, what, (unsigned long long)at, other % WARP_LANES, did);
    return found(e, w, x, FAULT_RACE, lane, at, x->bytes,
                 "shared-memory race: warp %u %s the byte at offset 0x%llx, which warp %u %s with "
                 "no barrier between",
                 w->warp_in_cta, what, (unsigned long long)at, warp, did);
}

// A lane's read of shared memory: each of the two kinds of finding is said once.
static bool check_shared_read(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t lane, uint64_t first, uint32_t bytes, uint32_t tick) {
    struct exec_shared_check *c = w->cta->check;
    const bool strong = is_strong(x, false);
    const uint16_t self = thread_of(w, lane);
    bool unwritten = false, raced = false;
    for (uint64_t at = first; at < first + bytes; at++) {
        struct byte_shadow *b = &c->byte[at];
        if (c->uninitialised && !b->written && !unwritten) {
            unwritten = true;
            if (!found(e, w, x, FAULT_UNINITIALISED, lane, at, bytes,
                       "shared read of %u byte%s at offset 0x%llx, of which byte 0x%llx was never "
                       "written",
                       bytes, text_plural(bytes), (unsigned long long)first,
                       (unsigned long long)at))
                return false;
        }
        if (!tick || is_atomic(x)) continue;
        if (!raced && !(strong && b->strong) && unordered(w, lane, b->write_tick, b->writer)) {
            raced = true;
            if (!race(e, w, x, lane, at, "reads", b->writer, "wrote")) return false;
        }
        if (strong) continue;
        if (b->reader[0] / WARP_LANES != w->warp_in_cta) {
            b->read_tick[1] = b->read_tick[0];
            b->reader[1] = b->reader[0];
        }
        b->read_tick[0] = tick;
        b->reader[0] = self;
    }
    return true;
}

static bool check_global_read(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t lane, const uint8_t *host) {
    uint32_t own = 0;
    uint8_t buf[16];
    if (e->log && e->log->is_busy && log_maybe(e->log, host) &&
        !log_overlay(e->log, host, x->bytes, buf, &own))
        return true; // an atomic of this quantum: written
    const uint64_t addr = e->access.addr[lane];
    for (uint32_t k = 0; k < x->bytes; k++) {
        if (own >> k & 1 || devmem_unwritten(e->memory, addr + k, 1) == UINT64_MAX) continue;
        return found(e, w, x, FAULT_UNINITIALISED, lane, addr, x->bytes,
                     "global read of %u byte%s at 0x%llx, of which byte 0x%llx was never written",
                     x->bytes, text_plural(x->bytes), (unsigned long long)addr,
                     (unsigned long long)(addr + k));
    }
    return true;
}

// Local memory: byte k of what a lane accesses is in word k / 4, VEC_BYTES further each.
static uint8_t *local_shadow(const struct exec_warp *w, const uint8_t *host, uint32_t k,
                             uint32_t *bit) {
    const struct exec_cta *c = w->cta;
    const uint8_t *const first = (const uint8_t *)c->memory + c->launch->local_at;
    const size_t at = (size_t)(host - first) + (k / 4) * (size_t)VEC_BYTES;
    *bit = 1u << ((at & 3) + (k & 3));
    return &c->check->local[at / 4];
}
// Where in a thread's local memory `host` is.
static uint64_t local_offset(const struct exec_warp *w, const uint8_t *host, uint32_t lane) {
    const size_t at = (size_t)(host - w->local) - 4 * lane;
    return at / VEC_BYTES * 4 + at % VEC_BYTES;
}
static bool check_local_read(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t lane, const uint8_t *host) {
    for (uint32_t k = 0; k < x->bytes; k++) {
        uint32_t bit;
        if (*local_shadow(w, host, k, &bit) & bit) continue;
        const uint64_t at = local_offset(w, host, lane);
        return found(e, w, x, FAULT_UNINITIALISED, lane, at, x->bytes,
                     "local read of %u byte%s at offset 0x%llx, of which byte 0x%llx was never "
                     "written",
                     x->bytes, text_plural(x->bytes), (unsigned long long)at,
                     (unsigned long long)(at + k));
    }
    return true;
}

// Whom a warp tells something in another block may tell it to this block's warps: what the warp has
// done is taken to be known to all of the block that look at something which synchronises.
static void order_remote(const struct exec_warp *w, uint32_t lanes) {
    order_arrive(w, lanes, EXEC_CLUSTER_BARRIER);
}
static void order_heard(const struct exec_warp *w, uint32_t lanes) {
    if (w->cta->cluster) order_release(w, lanes, EXEC_CLUSTER_BARRIER);
}

bool check_reads(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                 const struct mem_lanes *r) {
    const struct exec_shared_check *c = w->cta->check;
    if (ww_likely(!c)) return true;
    if (c->order && is_strong(x, false)) {
        order_heard(w, mask);
        check_cluster_hear(w->cta);
    }
    if (c->order && is_strong(x, false)) // an atomic too: what it sees comes before what it does
        FOR_EACH_BIT32(i, mask & (r->shared | r->global))
            order_obtain(c->order, w, i, r->host[i] + word_of_order(x));
    const uint32_t tick = c->order && mask & r->shared ? order_tick(c->order, w->warp_in_cta) : 0;
    FOR_EACH_BIT32(i, mask & r->shared)
        if (!check_shared_read(e, w, x, i, (uint64_t)(r->host[i] - w->cta->shared), x->bytes, tick) ||
            !check_cluster_own(e, w, x, i, (uint64_t)(r->host[i] - w->cta->shared), x->bytes, false, is_strong(x, false)))
            return false;
    FOR_EACH_BIT32(i, mask & r->remote)
        if (!check_cluster_other(e, w, x, i, r->host[i], false, is_strong(x, false))) return false;
    if (!c->uninitialised) return true;
    if (mask & r->remote && !e->remote_waits) {
        uint8_t *at[WARP_LANES];
        uint32_t n = 0;
        FOR_EACH_BIT32(i, mask & r->remote) at[n++] = r->host[i];
        if (!check_remote_read(e->memory, w, x, mask & r->remote, at, &e->fault)) return false;
    }
    // A reload may take up what was undefined, and is not used then.
    if (!(x->flags & MF_SPILL))
        FOR_EACH_BIT32(i, mask & r->local)
            if (!check_local_read(e, w, x, i, r->host[i])) return false;
    FOR_EACH_BIT32(i, mask & r->global)
        if (!check_global_read(e, w, x, i, r->host[i])) return false;
    return true;
}

// A lane's write of shared memory: a race is said once.
static bool check_shared_write(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t lane, uint64_t first, uint32_t bytes, uint32_t tick) {
    struct exec_shared_check *const c = w->cta->check;
    const bool strong = is_strong(x, true);
    bool raced = !tick;
    for (uint64_t at = first; at < first + bytes; at++) {
        struct byte_shadow *const b = &c->byte[at];
        b->written = true;
        if (!tick) continue;
        if (!raced) {
            const bool over =
                !(strong && b->strong) && unordered(w, lane, b->write_tick, b->writer);
            const bool second = !unordered(w, lane, b->read_tick[0], b->reader[0]);
            const bool under = unordered(w, lane, b->read_tick[second], b->reader[second]);
            raced = over || under;
            if (raced && !race(e, w, x, lane, at, "writes", over ? b->writer : b->reader[second],
                               over ? "wrote" : "read"))
                return false;
        }
        b->write_tick = tick;
        b->writer = thread_of(w, lane);
        b->strong = strong;
        b->stamp = c->stamp;
        b->is_async = false;
    }
    return true;
}

// ---- other blocks of the cluster ------------------------------------------------------------
// The shadow of the byte of some block of the cluster; NULL: none is kept.
static struct byte_shadow *remote_shadow(struct exec_cluster *k, const uint8_t *host,
                                         uint64_t *offset) {
    for (uint32_t r = 0; r < k->n; r++) {
        const struct exec_cta *const c = k->cta[r];
        if (host < c->shared || host >= c->shared + c->shared_bytes) continue;
        *offset = (uint64_t)(host - c->shared);
        return c->check && c->check->uninitialised ? &c->check->byte[*offset] : NULL;
    }
    return NULL;
}
void check_remote_written(struct exec_cluster *k, const uint8_t *host, uint32_t bytes) {
    uint64_t at;
    struct byte_shadow *const b = remote_shadow(k, host, &at);
    for (uint32_t i = 0; b && i < bytes; i++) b[i].written = true;
}
bool check_remote_read(struct devmem *m, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                       uint8_t *const *host, struct exec_fault *f) {
    if (ww_likely(!w->cta->check)) return true;
    struct exec_env env = {.memory = m};
    FOR_EACH_BIT32(i, mask) {
        uint64_t at;
        const struct byte_shadow *const b = remote_shadow(w->cta->cluster, *host++, &at);
        uint32_t k = 0;
        while (b && k < x->bytes && b[k].written) k++;
        if (!b || k == x->bytes) continue;
        if (found(&env, w, x, FAULT_UNINITIALISED, i, at, x->bytes,
                  "shared read of %u byte%s at offset 0x%llx of another block of the cluster, of "
                  "which byte 0x%llx was never written",
                  x->bytes, text_plural(x->bytes), (unsigned long long)at,
                  (unsigned long long)(at + k)))
            continue;
        *f = env.fault;
        return false;
    }
    return true;
}
static bool check_changes(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                          uint32_t mask, const struct mem_lanes *r) {
    struct exec_shared_check *c = w->cta->check;
    const uint32_t tick = c->order && mask & r->shared ? order_tick(c->order, w->warp_in_cta) : 0;
    c->stamp++;
    FOR_EACH_BIT32(i, mask & r->shared)
        if (!check_shared_write(e, w, x, i, (uint64_t)(r->host[i] - w->cta->shared), x->bytes,
                                tick) ||
            !check_cluster_own(e, w, x, i, (uint64_t)(r->host[i] - w->cta->shared), x->bytes, true, is_strong(x, true)))
            return false;
    FOR_EACH_BIT32(i, mask & r->remote)
        if (!check_cluster_other(e, w, x, i, r->host[i], true, is_strong(x, true))) return false;
    if (c->order && is_strong(x, true))
        FOR_EACH_BIT32(i, mask & (r->shared | r->global))
            order_publish(c->order, w, i, r->host[i] + word_of_order(x));
    if (c->order && mask & r->remote && is_strong(x, true)) order_remote(w, mask & r->remote);
    if (c->uninitialised && !e->remote_waits) {
        FOR_EACH_BIT32(i, mask & r->remote)
            check_remote_written(w->cta->cluster, r->host[i], x->bytes);
    }
    if (c->uninitialised)
        FOR_EACH_BIT32(i, mask & r->local)
            for (uint32_t k = 0; k < x->bytes; k++) {
                uint32_t bit;
                *local_shadow(w, r->host[i], k, &bit) |= (uint8_t)bit;
            }
    // In logged mode the commit marks global bytes.
    if (c->uninitialised && !e->log)
        FOR_EACH_BIT32(i, mask & r->global)
            devmem_mark_written(e->memory, e->access.addr[i], x->bytes);
    return true;
}
bool check_writes(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                  const struct mem_lanes *r) {
    return ww_likely(!w->cta->check) || check_changes(e, w, x, mask, r);
}

// ---- other blocks of the grid -----------------------------------------------------------------
// A volatile load or store of global memory may synchronise, as those that say so.
void check_global(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lanes, uint32_t bytes,
                  bool is_store, const uint8_t *data) {
    const struct exec_shared_check *const c = w->cta->check;
    if (ww_likely(!c) || !c->order || !lanes) return;
    const bool strong = is_atomic(x) || x->flags & (MF_STRONG | MF_VOLATILE) || (x->op == OP_LD && x->cop == MCOP_CV);
    const enum grid_access kind = is_atomic(x) ? GRID_ATOMIC : is_store ? GRID_WRITE : GRID_READ;
    check_grid_access(e, w, x, lanes, bytes, kind, strong, order_tick(c->order, w->warp_in_cta), data);
}

// ---- the asynchronous proxy -----------------------------------------------------------------
// Bulk copies look at shared memory through another proxy than loads and stores: what a thread has
// stored is there for them only behind a fence.proxy.async of that thread, or of the one that begins
// the copy (PTX ISA 9.0, async proxy). Fences and stores are compared by stamps, which grow with
// every store that the block makes.
void check_proxy_fence(struct exec_warp *w, uint32_t lanes) {
    struct exec_shared_check *const c = w->cta->check;
    if (ww_likely(!c) || !c->order) return;
    c->stamp++;
    FOR_EACH_BIT32(i, lanes) c->fence[thread_of(w, i)] = c->stamp;
}

static bool check_proxy(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                        uint32_t lane, uint32_t first, uint32_t bytes) {
    const struct exec_shared_check *const c = w->cta->check;
    const uint32_t self = c->fence[thread_of(w, lane)];
    for (uint32_t at = first; at < first + bytes; at++) {
        const struct byte_shadow *const b = &c->byte[at];
        if (!b->write_tick || b->is_async || b->stamp < self || b->stamp < c->fence[b->writer])
            continue;
        return found(e, w, x, FAULT_RACE, lane, at, bytes,
                     "shared-memory race: a bulk copy reads the byte at offset 0x%x, which warp %u "
                     "stored with no fence.proxy.async between",
                     at, b->writer / WARP_LANES);
    }
    return true;
}

bool check_bulk(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane,
                const struct bulk_span *s) {
    struct exec_shared_check *const c = w->cta->check;
    if (ww_likely(!c)) return true;
    const uint32_t tick = c->order ? order_tick(c->order, w->warp_in_cta) : 0;
    c->stamp++;
    if (s->reads) {
        if (!check_shared_read(e, w, x, lane, s->read_at, s->bytes, tick)) return false;
        if (tick && !check_proxy(e, w, x, lane, s->read_at, s->bytes)) return false;
    }
    if (s->writes) {
        if (!check_shared_write(e, w, x, lane, s->write_at, s->bytes, tick)) return false;
        for (uint32_t k = 0; k < s->bytes; k++) c->byte[s->write_at + k].is_async = true;
    }
    // Who waits for the barrier sees the copy.
    if (c->order && s->barrier != UINT32_MAX)
        order_publish(c->order, w, lane, w->cta->shared + s->barrier + 4);
    return true;
}
