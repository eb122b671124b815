// The general path of memory operations: any space, any width, generic addresses, faults, the store
// log, the optional checks. A lane at a time; the frequent cases are in mem_simd.c.
#include "exec/check_grid.h"
#include "exec/cluster.h"
#include "exec/mem.h"
#include "isa/op.h"

// ---- addresses ------------------------------------------------------------------------------
static uint64_t lane_address(const uint32_t *p, const struct xinst *x, uint32_t words,
                             uint32_t lane) {
    if (words == 2) return x_get64(p, lane) + (uint64_t)x->offset;
    return (uint32_t)((p[lane] << x_scale(x)) + (uint32_t)x->offset);
}
// With the uniform register of machine code.
static uint64_t based_address(const struct exec_warp *w, const uint32_t *p, const struct xinst *x,
                              uint32_t words, uint32_t lane) {
    const bool is_wide = x->space == SPACE_GLOBAL || x->space == SPACE_GENERIC;
    if (!is_wide) return (uint32_t)(lane_address(p, x, words, lane) + x_src(w, x->e)[lane]);
    return (words == 2 ? x_get64(p, lane) : p[lane]) + x_base(w, x, lane) + (uint64_t)x->offset;
}

static const char *space_text(uint8_t space) {
    switch (space) {
    case SPACE_SHARED: return "shared";
    case SPACE_LOCAL: return "local";
    case SPACE_CONST: return "constant";
    case SPACE_PARAM: return "parameter";
    default: return "global";
    }
}

// One lane's host address. Where it lies goes to *space, what the timing model shall see to *seen.
struct lane_place {
    uint8_t *host;
    uint64_t seen;
    uint8_t space;
    bool is_remote; // of another block's shared memory
};
// Shared memory of block `rank` of the cluster, at an offset in it.
static bool place_shared(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                         uint32_t lane, uint64_t addr, uint32_t rank, uint64_t at, uint32_t bytes,
                         const char *verb, struct lane_place *out) {
    struct exec_cta *const own = w->cta, *const cta = cluster_block(own, rank);
    if (!cta) {
        fault_raise(e, w, x, FAULT_SHARED_RANGE, lane, addr, bytes,
                    "shared %s of %u byte%s in block %u of the cluster, which has %u block%s", verb,
                    bytes, text_plural(bytes), rank, own->cluster ? own->cluster->n : 1,
                    text_plural(own->cluster ? own->cluster->n : 1));
        return false;
    }
    out->is_remote = cta != own;
    if (out->is_remote && own->cluster->gone >> rank & 1) {
        fault_raise(e, w, x, FAULT_SHARED_RANGE, lane, addr, bytes,
                    "shared %s of %u byte%s at offset 0x%llx of block %u of the cluster, which has "
                    "ended",
                    verb, bytes, text_plural(bytes), (unsigned long long)at, rank);
        return false;
    }
    if (at + bytes > cta->shared_bytes || at + bytes < at) {
        fault_raise(e, w, x, FAULT_SHARED_RANGE, lane, addr, bytes,
                    "shared %s of %u byte%s at offset 0x%llx, but the block has %u byte%s of "
                    "shared memory",
                    verb, bytes, text_plural(bytes), (unsigned long long)at, cta->shared_bytes,
                    text_plural(cta->shared_bytes));
        return false;
    }
    out->host = cta->shared + at;
    out->seen = at | (uint64_t)(out->is_remote ? rank : 0) << 32;
    return true;
}
static bool place_lane(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                       uint32_t lane, uint64_t addr, uint32_t bytes, bool is_store,
                       struct lane_place *out) {
    struct exec_cta *cta = w->cta;
    const struct exec_launch *l = cta->launch;
    uint8_t space = x->space;
    uint64_t at = addr;
    uint32_t rank = cta->rank;
    if (space == SPACE_SHARED && at >> CLUSTER_RANK_AT && at <= UINT32_MAX) {
        rank = cluster_rank_of(cta, (uint32_t)at);
        at &= CLUSTER_OFFSET;
    } else if (space == SPACE_SHARED && cta->window) { // the first block of a cluster, from another
        rank = cluster_rank_of(cta, (uint32_t)at);
    } else if (space == SPACE_GENERIC && addr >> 32 == EXEC_CLUSTER_WINDOW_HIGH) {
        space = SPACE_SHARED;
        rank = (uint32_t)addr >> CLUSTER_RANK_AT;
        at = addr & CLUSTER_OFFSET;
    } else if (space == SPACE_GENERIC) {
        space = SPACE_GLOBAL;
        if (addr < EXEC_WINDOW_END && addr >= EXEC_SHARED_WINDOW) {
            if (addr < EXEC_LOCAL_WINDOW) {
                space = SPACE_SHARED;
                at = addr - EXEC_SHARED_WINDOW;
            } else if (addr < EXEC_PARAM_WINDOW) {
                space = SPACE_LOCAL;
                at = addr - EXEC_LOCAL_WINDOW;
            } else {
                space = SPACE_PARAM;
                at = addr - EXEC_PARAM_WINDOW;
            }
        }
    }
    out->space = space;
    out->seen = at;
    out->is_remote = false;
    const char *verb = is_store ? "write" : "read";
    if (at & (bytes - 1)) {
        fault_raise(e, w, x, FAULT_MISALIGNED, lane, addr, bytes,
                    "%s %s of %u bytes at 0x%llx, which is not a multiple of %u", space_text(space),
                    verb, bytes, (unsigned long long)addr, bytes);
        return false;
    }
    switch (space) {
    case SPACE_SHARED: return place_shared(e, w, x, lane, addr, rank, at, bytes, verb, out);
    case SPACE_LOCAL:
        if (at + bytes > 4ull * l->local_words || at + bytes < at) {
            fault_raise(
                e, w, x, l->im->needs_stack ? FAULT_STACK : FAULT_LOCAL_RANGE, lane, addr, bytes,
                "local %s of %u byte%s at offset 0x%llx, but a thread has %u bytes of local "
                "memory%s",
                verb, bytes, text_plural(bytes), (unsigned long long)at, 4 * l->local_words,
                l->im->needs_stack ? " (the stack is full: cudaLimitStackSize sets its size)" : "");
            return false;
        }
        out->host = w->local + at / 4 * VEC_BYTES + 4 * lane + (at & 3);
        out->seen = w->local_base + at / 4 * VEC_BYTES + 4 * lane + (at & 3);
        return true;
    case SPACE_PARAM:
        if (is_store || at + bytes > l->cb0_bytes || at + bytes < at) {
            fault_raise(e, w, x, is_store ? FAULT_READ_ONLY : FAULT_CONST_RANGE, lane, addr, bytes,
                        "parameter %s of %u byte%s at offset 0x%llx, %s %u bytes of parameters",
                        verb, bytes, text_plural(bytes), (unsigned long long)at,
                        is_store ? "which are read only; the launch has" : "but the launch has",
                        l->cb0_bytes);
            return false;
        }
        out->host = l->cb0 + at;
        return true;
    case SPACE_CONST:
        if (is_store || at + bytes > l->args.const_bytes || at + bytes < at) {
            fault_raise(e, w, x, is_store ? FAULT_READ_ONLY : FAULT_CONST_RANGE, lane, addr, bytes,
                        "constant %s of %u byte%s at offset 0x%llx, but the module has %llu bytes "
                        "of constants, read only",
                        verb, bytes, text_plural(bytes), (unsigned long long)at,
                        (unsigned long long)l->args.const_bytes);
            return false;
        }
        out->host = devmem_host(e->memory, l->args.const_segment + at, bytes);
        return out->host != NULL;
    default:
        if (!env_range(e, addr, bytes)) {
            struct devmem_range r;
            const bool freed = devmem_nearest(e->memory, addr, &r) && addr >= r.first &&
                               addr - r.first < r.bytes &&
                               (r.is_freed || (e->log && log_has_freed(e->log, r.first)));
            fault_raise(e, w, x, freed ? FAULT_FREED : FAULT_UNALLOCATED, lane, addr, bytes,
                        "global %s of %u byte%s at 0x%llx, which is in %s allocation", verb, bytes,
                        text_plural(bytes), (unsigned long long)addr,
                        freed ? "a freed" : "no live");
            return false;
        }
        if (is_store && !env_may_write(e, addr, bytes)) {
            fault_raise(e, w, x, FAULT_READ_ONLY, lane, addr, bytes,
                        "global write of %u byte%s at 0x%llx, which is mapped for reading alone",
                        bytes, text_plural(bytes), (unsigned long long)addr);
            return false;
        }
        out->host = range_host(&e->range, addr);
        return true;
    }
}

bool mem_resolve(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                 uint32_t operand, uint32_t words, uint32_t bytes, bool is_store,
                 struct mem_lanes *out) {
    const uint32_t *p = x_src(w, operand);
    const bool is_based = x_is_based(x);
    uint32_t of[SPACE_TEX + 1] = {0}, remote = 0;
    FOR_EACH_BIT32(i, mask) {
        struct lane_place pl;
        const uint64_t at =
            is_based ? based_address(w, p, x, words, i) : lane_address(p, x, words, i);
        if (!place_lane(e, w, x, i, at, bytes, is_store, &pl)) return false;
        out->host[i] = pl.host;
        out->space[i] = pl.space;
        e->access.addr[i] = pl.seen;
        if (pl.is_remote)
            remote |= 1u << i;
        else
            of[pl.space] |= 1u << i;
    }
    struct exec_access *a = &e->access;
    a->kind = is_store ? ACCESS_STORE : ACCESS_LOAD;
    a->cop = x->cop;
    a->bytes = (uint8_t)bytes;
    a->mask = mask & ~remote;
    a->remote = out->remote = remote;
    a->mask2 = 0;
    a->n_dst = 0;
    a->deferred = false;
    a->is_barrier = false;
    a->bank = x->space == SPACE_CONST ? CB_USER : 0;
    out->global = of[SPACE_GLOBAL];
    out->shared = of[SPACE_SHARED];
    out->local = of[SPACE_LOCAL];
    const uint32_t rest = mask & ~(out->shared | remote);
    a->space = !rest              ? SPACE_SHARED
               : of[SPACE_GLOBAL] ? SPACE_GLOBAL
               : of[SPACE_LOCAL]  ? SPACE_LOCAL
                                  : SPACE_CONST; // constants and parameters
    if (rest) a->mask2 = out->shared;
    return true;
}

// ---- bytes of a lane ------------------------------------------------------------------------
// Local memory keeps a lane's words VEC_BYTES apart.
static void read_bytes(uint8_t *buf, const uint8_t *host, uint32_t bytes, bool local) {
    if (!local || bytes <= 4) {
        memcpy(buf, host, bytes);
        return;
    }
    for (uint32_t k = 0; k < bytes; k += 4) memcpy(buf + k, host + k / 4 * VEC_BYTES, 4);
}
static void write_bytes(uint8_t *host, const uint8_t *buf, uint32_t bytes, bool local) {
    if (!local || bytes <= 4) {
        memcpy(host, buf, bytes);
        return;
    }
    for (uint32_t k = 0; k < bytes; k += 4) memcpy(host + k / 4 * VEC_BYTES, buf + k, 4);
}

void mem_unpack(struct exec_warp *w, const struct xinst *x, uint32_t lane, const uint8_t *buf) {
    if (x->d == X_NONE) return;
    uint32_t *pd = x_dst(w, x->d) + lane;
    const uint32_t element = x->bytes / x->vec;
    if (element >= 4) {
        for (uint32_t k = 0; k < x->bytes; k += 4, pd += WARP_LANES) memcpy(pd, buf + k, 4);
        return;
    }
    for (uint32_t j = 0; j < x->vec; j++, pd += WARP_LANES) {
        uint16_t h;
        if (element == 1) {
            *pd = x->type == ITYPE_S8 ? (uint32_t)(int8_t)buf[j] : buf[j];
        } else {
            memcpy(&h, buf + 2 * j, 2);
            *pd = x->type == ITYPE_S16 ? (uint32_t)(int16_t)h : h;
        }
    }
}
static void pack(const uint32_t *pb, const struct xinst *x, uint32_t lane, uint8_t *buf) {
    pb += lane;
    const uint32_t element = x->bytes / x->vec;
    for (uint32_t k = 0; k < x->bytes; pb += WARP_LANES) {
        const uint32_t n = element < 4 ? element : 4;
        memcpy(buf + k, pb, n);
        k += n;
    }
}

// ---- loads and stores -----------------------------------------------------------------------
enum exec_outcome mem_load(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                           uint32_t mask) {
    struct mem_lanes r;
    if (!mem_resolve(e, w, x, mask, x->a, x->awords, x->bytes, false, &r)) return EXEC_FAULT;
    e->access.n_dst = x->aux8;
    const bool busy = e->log && e->log->is_busy && r.global;
    if (busy) {
        // A line that an own atomic of this quantum changes has its value at commit only.
        FOR_EACH_BIT32(i, r.global) {
            uint8_t buf[16];
            if (!log_maybe(e->log, r.host[i]) ||
                log_overlay(e->log, r.host[i], x->bytes, buf, NULL))
                continue;
            e->access.deferred = true;
            break;
        }
    }
    if (!check_reads(e, w, x, mask, &r)) return EXEC_FAULT;
    check_global(e, w, x, r.global, x->bytes, false, NULL);
    uint32_t late = e->access.deferred ? r.global : 0;
    if (late) log_load(e->log, w, x, late, r.host);
    if (r.remote && e->remote_waits) {
        log_remote_load(e->log, w, x, r.remote, r.host);
        late |= r.remote;
        e->access.deferred = true;
    }
    FOR_EACH_BIT32(i, mask & ~late) {
        uint8_t buf[16];
        read_bytes(buf, r.host[i], x->bytes, r.local >> i & 1);
        if (busy && (r.global >> i & 1) && log_maybe(e->log, r.host[i]))
            log_overlay(e->log, r.host[i], x->bytes, buf, NULL);
        mem_unpack(w, x, i, buf);
    }
    return EXEC_MEMORY;
}

enum exec_outcome mem_store(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                            uint32_t mask) {
    struct mem_lanes r;
    if (!mem_resolve(e, w, x, mask, x->a, x->awords, x->bytes, true, &r)) return EXEC_FAULT;
    if (!check_writes(e, w, x, mask, &r)) return EXEC_FAULT;
    const uint32_t *pb = x_src(w, x->b);
    uint8_t data[WARP_LANES * 16];
    FOR_EACH_BIT32(i, mask) pack(pb, x, i, data + 16 * i);
    check_global(e, w, x, r.global, x->bytes, true, data);
    uint32_t now = mask;
    if (e->log && r.global) {
        log_store(e->log, r.global, x->bytes, r.host, data);
        now &= ~r.global;
    }
    if (r.remote && e->remote_waits) {
        log_remote_store(e->log, w, r.remote, x->bytes, r.host, data);
        now &= ~r.remote;
    }
    FOR_EACH_BIT32(i, now) write_bytes(r.host[i], data + 16 * i, x->bytes, r.local >> i & 1);
    return EXEC_MEMORY;
}

// Lanes for which the predicate is false read zero, wherever their address points.
static enum exec_outcome load_if(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                 uint32_t mask) {
    const uint32_t reads = mask & x_pred(w, x->c);
    uint32_t *const pd = x_dst(w, x->d);
    for (uint32_t k = 0; k < x->aux8; k++)
        FOR_EACH_BIT32(i, mask & ~reads) pd[i + k * WARP_LANES] = 0;
    return reads ? mem_load(e, w, x, reads) : EXEC_NEXT;
}

bool mem_read_lane(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane,
                   uint64_t addr, uint32_t bytes, void *out) {
    struct xinst any = *x;
    any.space = SPACE_GENERIC;
    uint8_t *to = out;
    for (uint32_t k = 0; k < bytes; k++) { // a byte at a time: no alignment, any space
        struct lane_place pl;
        if (!place_lane(e, w, &any, lane, addr + k, 1, false, &pl)) return false;
        to[k] = *pl.host;
        if (pl.space == SPACE_GLOBAL && e->log && e->log->is_busy)
            log_overlay(e->log, pl.host, 1, to + k, NULL);
    }
    return true;
}

// ---- constant banks with a register index ---------------------------------------------------
enum exec_outcome mem_load_const(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                 uint32_t mask) {
    const struct exec_launch *l = w->cta->launch;
    const uint8_t *base = x->sub < CB_N ? l->bank[x->sub].at : NULL;
    const uint64_t size = base ? l->bank[x->sub].bytes : 0;
    struct exec_access *a = &e->access;
    *a = (struct exec_access){.space = SPACE_CONST,
                              .kind = ACCESS_LOAD,
                              .cop = x->cop,
                              .bytes = x->bytes,
                              .mask = mask,
                              .n_dst = x->aux8,
                              .bank = x->sub};
    const uint32_t *p = x_src(w, x->a);
    FOR_EACH_BIT32(i, mask) {
        const uint64_t at = lane_address(p, x, x->awords, i);
        a->addr[i] = at;
        if (!base || at + x->bytes > size || at + x->bytes < at)
            return fault_raise(
                e, w, x, FAULT_CONST_RANGE, i, at, x->bytes,
                "constant read of %u byte%s at c[%u][0x%llx], but that bank has %llu "
                "bytes",
                x->bytes, text_plural(x->bytes), x->sub, (unsigned long long)at,
                (unsigned long long)size);
        if (at & (x->bytes - 1))
            return fault_raise(
                e, w, x, FAULT_MISALIGNED, i, at, x->bytes,
                "constant read of %u bytes at c[%u][0x%llx], which is not a multiple "
                "of %u",
                x->bytes, x->sub, (unsigned long long)at, x->bytes);
        mem_unpack(w, x, i, base + at);
    }
    return EXEC_MEMORY;
}

// ---- atomics --------------------------------------------------------------------------------
enum exec_outcome mem_atomic(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    struct mem_lanes r;
    const uint32_t bytes = atomic_bytes(x);
    if (!mem_resolve(e, w, x, mask, x->a, x->awords, bytes, true, &r)) return EXEC_FAULT;
    if (!check_reads(e, w, x, mask, &r) || !check_writes(e, w, x, mask, &r)) return EXEC_FAULT;
    check_global(e, w, x, r.global, bytes, true, NULL);
    // Also an operation whose old value is dropped answers when it says whether it was done.
    e->access.kind = x->d == X_NONE && x->d1 == PRED_TRUE ? ACCESS_REDUCE : ACCESS_ATOMIC;
    e->access.n_dst = x->d == X_NONE ? 0 : x->aux8;
    struct wide b[WARP_LANES], c[WARP_LANES];
    const uint32_t *pb = x_src(w, x->b), *pc = x_src(w, x->c);
    const bool has_c = x->sub == MATOM_CAS || x->sub == MATOM_CAST;
    FOR_EACH_BIT32(i, mask) {
        b[i] = c[i] = (struct wide){{0, 0}};
        for (uint32_t k = 0; k < bytes; k += 4) {
            memcpy((uint8_t *)&b[i] + k, &pb[i + k / 4 * WARP_LANES], 4);
            if (has_c) memcpy((uint8_t *)&c[i] + k, &pc[i + k / 4 * WARP_LANES], 4);
        }
    }
    uint32_t now = mask;
    if (e->log && r.global && atom_stores(x)) {
        log_store(e->log, r.global, bytes, r.host, (const uint8_t *)b);
        now &= ~r.global;
    } else if (e->log && r.global) {
        log_atomic(e->log, w, x, r.global, r.host, b, c);
        e->access.deferred = x->d != X_NONE;
        now &= ~r.global;
    }
    if (r.remote && e->remote_waits) {
        log_remote_atomic(e->log, w, x, r.remote, r.host, b, c);
        e->access.deferred = x->d != X_NONE;
        now &= ~r.remote;
    }
    FOR_EACH_BIT32(i, now) {
        struct wide old = atomic_apply(r.host[i], x, &b[i], &c[i], r.global >> i & 1);
        if (x->sub == MATOM_CAST) old = (struct wide){{!memcmp(&old, &b[i], bytes), 0}};
        atomic_result(w, x, i, &old);
    }
    return EXEC_MEMORY;
}
// Of a generic address: the lanes that name global memory have their atomic and a true predicate,
// others have neither.
static enum exec_outcome atomic_if_global(struct exec_env *e, struct exec_warp *w,
                                          const struct xinst *x, uint32_t mask) {
    const uint32_t *const p = x_src(w, x->a);
    uint32_t is_global = 0;
    FOR_EACH_BIT32(i, mask) {
        const uint64_t at =
            x_is_based(x) ? based_address(w, p, x, x->awords, i) : lane_address(p, x, x->awords, i);
        is_global |= (uint32_t)(at >= EXEC_WINDOW_END || at < EXEC_SHARED_WINDOW) << i;
    }
    x_set_pred(w, x->d1, is_global, mask);
    return is_global ? mem_atomic(e, w, x, is_global) : EXEC_NEXT;
}

// ---- what moves no data ---------------------------------------------------------------------
static enum exec_outcome prefetch(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                  uint32_t mask) {
    struct exec_access *a = &e->access;
    *a = (struct exec_access){
        .space = SPACE_GLOBAL, .kind = ACCESS_PREFETCH, .cop = x->cop, .bytes = 4};
    const uint32_t *p = x_src(w, x->a);
    FOR_EACH_BIT32(i, mask) { // an address that no load could have is let pass without a word
        const uint64_t at = lane_address(p, x, x->awords, i);
        if (!env_range(e, at, 1)) continue;
        a->addr[i] = at & ~3ull;
        a->mask |= 1u << i;
    }
    return a->mask ? EXEC_MEMORY : EXEC_NEXT;
}
static enum exec_outcome fence(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    if (x->sub != MFENCE_CTA) check_grid_fence(e, w, mask, x->flags);
    e->access = (struct exec_access){
        .space = SPACE_GLOBAL, .kind = ACCESS_FENCE, .cop = x->sub, .mask = mask};
    return EXEC_MEMORY;
}
// Machine code makes an acquire of it: a load, and behind it the lines of L1 go.
static enum exec_outcome cctl(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask) {
    if (x->sub) check_grid_fence(e, w, mask, MF_ACQUIRE);
    return EXEC_NEXT;
}
static uint64_t window_of(const struct exec_warp *w, uint8_t space, uint64_t *size) {
    *size = EXEC_LOCAL_WINDOW - EXEC_SHARED_WINDOW;
    switch (space) {
    case SPACE_SHARED: return EXEC_SHARED_WINDOW;
    case SPACE_LOCAL: *size = EXEC_PARAM_WINDOW - EXEC_LOCAL_WINDOW; return EXEC_LOCAL_WINDOW;
    case SPACE_PARAM: *size = EXEC_WINDOW_END - EXEC_PARAM_WINDOW; return EXEC_PARAM_WINDOW;
    case SPACE_CONST:
        *size = w->cta->launch->args.const_bytes;
        return w->cta->launch->args.const_segment;
    default: *size = 0; return 0;
    }
}
// Of shared memory of any block of the cluster; others' blocks have their own window.
static enum exec_outcome cvta_cluster(struct exec_warp *w, const struct xinst *x, uint32_t mask) {
    const uint32_t *const pa = x_src(w, x->a);
    uint32_t *const pd = x_dst(w, x->d);
    const struct exec_cta *const c = w->cta;
    FOR_EACH_BIT32(i, mask) {
        const uint64_t a = x->awords == 2 ? x_get64(pa, i) : pa[i];
        const uint32_t low = (uint32_t)a, rank = cluster_rank_of(c, low);
        if (!(x->sub & MCVTA_TO))
            x_put64(pd, i, low >> CLUSTER_RANK_AT
                               ? EXEC_CLUSTER_WINDOW |
                                     (rank << CLUSTER_RANK_AT | (low & CLUSTER_OFFSET))
                               : EXEC_SHARED_WINDOW + low);
        else if (a >> 32 == EXEC_CLUSTER_WINDOW_HIGH)
            x_put64(pd, i, cluster_address(c, low >> CLUSTER_RANK_AT, low));
        else
            x_put64(pd, i, (uint32_t)(low - EXEC_SHARED_WINDOW));
    }
    return EXEC_NEXT;
}
static enum exec_outcome cvta(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    (void)e;
    if (x->sub & MCVTA_CLUSTER) return cvta_cluster(w, x, mask);
    uint64_t size;
    const uint64_t window = window_of(w, x->space, &size);
    const uint64_t add = x->sub ? 0 - window : window;
    const uint32_t *pa = x_src(w, x->a);
    uint32_t *pd = x_dst(w, x->d);
    FOR_EACH_BIT32(i, mask) {
        const uint64_t r = (x->awords == 2 ? x_get64(pa, i) : pa[i]) + add;
        if (x->aux8 == 2)
            x_put64(pd, i, r);
        else
            pd[i] = (uint32_t)r;
    }
    return EXEC_NEXT;
}
static enum exec_outcome isspace_(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                  uint32_t mask) {
    (void)e;
    const uint32_t *pa = x_src(w, x->a);
    uint32_t t = 0;
    uint64_t size;
    const uint64_t first = window_of(w, x->space, &size);
    FOR_EACH_BIT32(i, mask) {
        const uint64_t a = lane_address(pa, x, x->awords, i);
        const bool is_cluster = a >> 32 == EXEC_CLUSTER_WINDOW_HIGH;
        const bool is_own = (uint32_t)a >> CLUSTER_RANK_AT == w->cta->rank;
        const bool in = is_cluster ? x->space == SPACE_SHARED && (x->sub & MCVTA_CLUSTER || is_own)
                        : x->space == SPACE_GLOBAL
                            ? a >= EXEC_WINDOW_END || a < EXEC_SHARED_WINDOW
                            : a >= first && a - first < size;
        t |= (uint32_t)in << i;
    }
    x_set_pred(w, x->d, t, mask);
    return EXEC_NEXT;
}

// ---- other blocks of the cluster ------------------------------------------------------------
static enum exec_outcome mapa(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    (void)e;
    const struct exec_cta *const c = w->cta;
    const uint32_t *const pa = x_src(w, x->a), *const pb = x_src(w, x->b);
    uint32_t *const pd = x_dst(w, x->d);
    const bool is_generic = x->space != SPACE_SHARED;
    FOR_EACH_BIT32(i, mask) {
        const uint64_t a = x->awords == 2 ? x_get64(pa, i) : pa[i];
        const bool is_mapped = a >> 32 == EXEC_CLUSTER_WINDOW_HIGH;
        const uint32_t low = (uint32_t)a;
        if (x->sub == MMAPA_RANK)
            pd[i] = is_mapped     ? low >> CLUSTER_RANK_AT
                    : is_generic  ? c->rank
                                  : cluster_rank_of(c, low);
        else if (!is_generic)
            pd[i] = cluster_address(c, pb[i], low);
        else
            x_put64(pd, i, EXEC_CLUSTER_WINDOW | (pb[i] << CLUSTER_RANK_AT |
                                                  ((is_mapped ? low : low - EXEC_SHARED_WINDOW) &
                                                   CLUSTER_OFFSET)));
        if (x->sub != MMAPA_RANK && !is_generic && x->aux8 == 2) pd[i + WARP_LANES] = 0;
    }
    return EXEC_NEXT;
}

// What the barrier of STAS is told: an arrival of none, for bytes that have come.
static const struct xinst told = {
    .op = OP_ATOM, .sub = MATOM_ARRIVE_TX, .type = ITYPE_B64, .vec = 1, .d = X_NONE, .bytes = 8};

static enum exec_outcome stas(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    struct mem_lanes to, barrier;
    struct xinst there = *x; // the offset and the uniform register belong to the destination
    there.offset = 0;
    there.e = X_POOL;
    if (!mem_resolve(e, w, &there, mask, x->c, 1, 8, true, &barrier)) return EXEC_FAULT;
    if (!mem_resolve(e, w, x, mask, x->a, x->awords, x->bytes, true, &to)) return EXEC_FAULT;
    if (!check_writes(e, w, x, mask, &to)) return EXEC_FAULT;
    const uint32_t *const pb = x_src(w, x->b);
    uint8_t data[WARP_LANES * 16];
    struct wide value[WARP_LANES], tells[WARP_LANES], none[WARP_LANES];
    FOR_EACH_BIT32(i, mask) {
        pack(pb, x, i, data + 16 * i);
        none[i] = value[i] = (struct wide){{0, 0}};
        memcpy(&value[i], data + 16 * i, x->bytes);
        tells[i] = (struct wide){{(uint64_t)(0u - (uint32_t)x->bytes) << 32, 0}};
    }
    const bool stores = x->sub == MSTAS_STORE;
    const uint32_t late = e->remote_waits ? to.remote : 0;
    if (late && stores) log_remote_store(e->log, w, late, x->bytes, to.host, data);
    if (late && !stores) log_remote_atomic(e->log, w, x, late, to.host, value, none);
    FOR_EACH_BIT32(i, mask & ~late) {
        if (stores)
            memcpy(to.host[i], data + 16 * i, x->bytes);
        else
            atomic_apply(to.host[i], x, &value[i], &none[i], false); // its sub is an atomic's
    }
    const uint32_t tells_late = e->remote_waits ? barrier.remote : 0;
    if (tells_late) log_remote_atomic(e->log, w, &told, tells_late, barrier.host, tells, none);
    FOR_EACH_BIT32(i, mask & ~tells_late)
        atomic_apply(barrier.host[i], &told, &tells[i], &none[i], false);
    e->access.kind = ACCESS_STORE;
    return EXEC_MEMORY;
}

// Machine code's ZFILL: how far an address lies behind a multiple of the size is how many bytes at
// the end are zero. The multiples go to vectors that nothing reads; answers where.
static uint32_t zero_fill(struct exec_warp *w, const struct xinst *x, uint32_t *words,
                          uint32_t mask, uint32_t *size) {
    const uint32_t at = w->cta->launch->im->n_regs * VEC_BYTES;
    const uint32_t *const p = x_src(w, x->b);
    uint32_t *const scratch = x_dst(w, at);
    FOR_EACH_BIT32(i, mask) {
        const uint64_t a =
            x_is_based(x) ? based_address(w, p, x, *words, i) : lane_address(p, x, *words, i);
        const uint32_t behind = (uint32_t)a & (x->bytes - 1u);
        size[i] = x->bytes - behind;
        x_put64(scratch, i, a - behind);
    }
    *words = 2;
    return at;
}

// cp.async: the bytes move at once, the group operations only take time. A source size (or a
// predicate that says "ignore the source") zeroes the rest.
static enum exec_outcome cp_async(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                  uint32_t mask) {
    struct mem_lanes to, from;
    struct xinst there = *x; // the offset belongs to the destination
    const struct minst *m = x_minst(w, x);
    const bool is_machine = w->cta->launch->im->is_machine_code;
    const bool is_base_of_source = x->sub & MCOPY_FROM_BASE;
    there.space = SPACE_SHARED;
    if (is_machine) there.offset = (int32_t)x->offset;
    if (is_base_of_source) there.e = X_POOL;
    if (!mem_resolve(e, w, &there, mask, x->a, m->src[0].words, x->bytes, true, &to))
        return EXEC_FAULT;
    there.space = SPACE_GLOBAL;
    there.offset = is_machine ? x->offset >> 32 : 0;
    there.e = is_base_of_source ? x->e : X_POOL;
    uint32_t size[WARP_LANES], reading = 0;
    FOR_EACH_BIT32(i, mask) {
        size[i] = x->bytes;
        if (m->src[2].kind == OPND_PRED)
            size[i] = x_pred(w, x->c) >> i & 1 ? 0 : x->bytes;
        else if (m->src[2].kind != OPND_NONE)
            size[i] = x_src(w, x->c)[i] < x->bytes ? x_src(w, x->c)[i] : x->bytes;
        if (size[i]) reading |= 1u << i;
    }
    uint32_t source = x->b, words = m->src[1].words;
    if (is_machine && x->sub & MCOPY_ZERO_FILL) {
        source = zero_fill(w, &there, &words, reading, size);
        there.offset = 0;
        there.e = X_POOL;
    }
    if (!mem_resolve(e, w, &there, reading, source, words, x->bytes, false, &from))
        return EXEC_FAULT;
    if (!check_writes(e, w, x, mask, &to)) return EXEC_FAULT;
    check_global(e, w, x, reading & from.global, x->bytes, false, NULL);
    FOR_EACH_BIT32(i, mask) {
        uint8_t buf[16] = {0};
        if (size[i]) {
            memcpy(buf, from.host[i], size[i]);
            if (e->log && e->log->is_busy) log_overlay(e->log, from.host[i], size[i], buf, NULL);
        }
        memcpy(to.host[i], buf, x->bytes);
    }
    e->access.kind = ACCESS_ASYNC_COPY;
    e->access.space = SPACE_GLOBAL;
    e->access.mask = reading;
    return reading ? EXEC_MEMORY : EXEC_NEXT;
}
static enum exec_outcome group(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    (void)e, (void)w, (void)x, (void)mask;
    return EXEC_NEXT;
}

const exec_fn mem_fns[] = {[MEM_LOAD] = mem_load,
                           [MEM_STORE] = mem_store,
                           [MEM_CONST] = mem_load_const,
                           [MEM_ATOMIC] = mem_atomic,
                           [MEM_PREFETCH] = prefetch,
                           [MEM_FENCE] = fence,
                           [MEM_CCTL] = cctl,
                           [MEM_CVTA] = cvta,
                           [MEM_ISSPACE] = isspace_,
                           [MEM_CPASYNC] = cp_async,
                           [MEM_GROUP] = group,
                           [MEM_LOAD_IF] = load_if,
                           [MEM_ATOMIC_IF_GLOBAL] = atomic_if_global,
                           [MEM_MAPA] = mapa,
                           [MEM_STAS] = stas};
