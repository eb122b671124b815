// Memory accesses of whole words, the frequent case: every lane inside one allocation (or in shared
// memory), aligned, nothing of it in the store log. Whatever is different goes to mem.c, which
// starts anew and knows every case and fault.
#include "exec/log.h"
#include "exec/simd.h"

struct span {
    uint64_t first, last; // least and greatest address of an active lane
    uint64_t bits;        // or of all active addresses, for alignment
    bool run;             // lane i is at lane 0 + i * bytes
};
// Addresses of all lanes into the access record, and what they span. Inactive lanes repeat the
// first active one.
LANE_FN struct span global_addresses(struct exec_env *e, const struct exec_warp *w,
                                     const struct xinst *x, uint32_t mask) {
    const uint32_t *const pa = x_src(w, x->a);
    uint64_t *const out = e->access.addr;
    const uint64_t offset = (uint64_t)x->offset + x_base(w, x, bits_first32(mask));
    const uint32_t lead = bits_first32(mask);
    if (x->awords == 2)
        LANES out[i] = (pa[i] | (uint64_t)pa[i + 32] << 32) + offset;
    else if (x_is_based(x))
        LANES out[i] = pa[i] + offset;
    else
        LANES out[i] = (uint32_t)(pa[i] + (uint32_t)offset);
    const uint64_t a0 = out[lead];
    const uint64_t base = a0 - (uint64_t)lead * x->bytes, step = x->bytes;
    uint64_t lo = a0, hi = a0, bits = 0, apart = 0;
    LANES {
        const uint64_t a = LANE_IN(mask) ? out[i] : a0;
        const uint64_t want = LANE_IN(mask) ? base + i * step : a0;
        lo = a < lo ? a : lo;
        hi = a > hi ? a : hi;
        bits |= a;
        apart |= a ^ want;
    }
    return (struct span){lo, hi, bits, apart == 0};
}
LANE_FN void note(struct exec_env *e, const struct xinst *x, uint32_t mask, uint8_t space,
                  uint8_t kind) {
    struct exec_access *a = &e->access;
    a->space = space;
    a->kind = kind;
    a->cop = x->cop;
    a->bytes = x->bytes;
    a->mask = mask;
    a->mask2 = a->remote = 0;
    a->n_dst = kind == ACCESS_LOAD ? x->aux8 : 0;
    a->deferred = false;
    a->bank = 0;
}
// All of it in one live allocation, aligned; generic addresses below global memory are not.
LANE_FN bool in_one_range(struct exec_env *e, const struct xinst *x, const struct span *s) {
    return !(s->bits & (uint64_t)(x->bytes - 1)) && s->first >= EXEC_WINDOW_END &&
           env_range(e, s->first, s->last - s->first + x->bytes);
}
LANE_FN bool in_log(const struct exec_env *e, const struct span *s, uint32_t mask, uint32_t bytes) {
    if (!e->log || !e->log->is_busy) return false;
    if (s->last - s->first < 64 * LOG_LINE)
        return log_maybe_span(e->log, range_host(&e->range, s->first),
                              range_host(&e->range, s->last) + bytes - 1);
    FOR_EACH_BIT32(i, mask)
    if (log_maybe(e->log, range_host(&e->range, e->access.addr[i]))) return true;
    return false;
}

// Words of which some may stand in the own log. False: an atomic of this quantum changes one.
static bool load_own(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask) {
    uint32_t v[4][32];
    uint8_t *const host = e->range.host;
    const uint32_t n = x->aux8;
    FOR_EACH_BIT32(i, mask) {
        const uint8_t *const p = host + (e->access.addr[i] - e->range.first);
        uint8_t buf[16];
        memcpy(buf, p, x->bytes);
        if (log_maybe(e->log, p) && !log_overlay(e->log, p, x->bytes, buf, NULL)) return false;
        for (uint32_t k = 0; k < n; k++) memcpy(&v[k][i], buf + 4 * k, 4);
    }
    uint32_t *const pd = x_dst(w, x->d);
    for (uint32_t k = 0; k < n; k++)
        FOR_EACH_BIT32(i, mask) pd[i + 32 * k] = v[k][i];
    return true;
}

FN(ld32_global) {
    const struct span s = global_addresses(e, w, x, mask);
    if (ww_unlikely(!in_one_range(e, x, &s))) return mem_load(e, w, x, mask);
    if (ww_unlikely(in_log(e, &s, mask, x->bytes))) {
        if (s.run && x->aux8 == 1 && mask == ~0u) {
            uint32_t v[32];
            memcpy(v, range_host(&e->range, s.first), VEC_BYTES);
            if (!log_overlay(e->log, range_host(&e->range, s.first), VEC_BYTES, (uint8_t *)v, NULL))
                return mem_load(e, w, x, mask);
            memcpy(x_dst(w, x->d), v, VEC_BYTES);
        } else if (!load_own(e, w, x, mask)) {
            return mem_load(e, w, x, mask);
        }
        note(e, x, mask, SPACE_GLOBAL, ACCESS_LOAD);
        return EXEC_MEMORY;
    }
    note(e, x, mask, SPACE_GLOBAL, ACCESS_LOAD);
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t n = x->aux8;
    if (s.run && n == 1 && mask == ~0u) {
        memcpy(pd, range_host(&e->range, s.first), VEC_BYTES);
        return EXEC_MEMORY;
    }
    uint8_t *const host = e->range.host;
    const uint64_t first = e->range.first;
    if (n == 1 && mask == ~0u) {
        uint32_t v[32] __attribute__((aligned(64)));
        for (uint32_t i = 0; i < 32; i++) memcpy(&v[i], host + (e->access.addr[i] - first), 4);
        memcpy(pd, v, sizeof v);
        return EXEC_MEMORY;
    }
    if (n == 1) {
        FOR_EACH_BIT32(i, mask) memcpy(&pd[i], host + (e->access.addr[i] - first), 4);
        return EXEC_MEMORY;
    }
    FOR_EACH_BIT32(i, mask) {
        uint32_t v[4];
        memcpy(v, host + (e->access.addr[i] - first), 8);
        pd[i] = v[0];
        pd[i + 32] = v[1];
        if (n == 4) {
            memcpy(v + 2, host + (e->access.addr[i] - first) + 8, 8);
            pd[i + 64] = v[2];
            pd[i + 96] = v[3];
        }
    }
    return EXEC_MEMORY;
}

// Bytes and halves, extended to a word.
LANE_FN uint32_t load_small(const uint8_t *p, uint8_t type) {
    uint16_t h;
    switch (type) {
    case ITYPE_U8:
    case ITYPE_B8: return *p;
    case ITYPE_S8: return (uint32_t)(int8_t)*p;
    case ITYPE_S16: memcpy(&h, p, 2); return (uint32_t)(int16_t)h;
    default: memcpy(&h, p, 2); return h;
    }
}
FN(ld_small_global) {
    const struct span s = global_addresses(e, w, x, mask);
    if (ww_unlikely(!in_one_range(e, x, &s)) || ww_unlikely(in_log(e, &s, mask, x->bytes)))
        return mem_load(e, w, x, mask);
    note(e, x, mask, SPACE_GLOBAL, ACCESS_LOAD);
    uint32_t *const pd = x_dst(w, x->d);
    const uint8_t *const host = e->range.host;
    const uint64_t first = e->range.first;
    FOR_EACH_BIT32(i, mask) pd[i] = load_small(host + (e->access.addr[i] - first), x->type);
    return EXEC_MEMORY;
}

FN(st32_global) {
    const struct span s = global_addresses(e, w, x, mask);
    if (ww_unlikely(!in_one_range(e, x, &s))) return mem_store(e, w, x, mask);
    const uint32_t n = x->aux8;
    const uint32_t *const pb = x_src(w, x->b);
    if (s.run && n == 1 && mask == ~0u) {
        note(e, x, mask, SPACE_GLOBAL, ACCESS_STORE);
        uint8_t *const to = range_host(&e->range, s.first);
        if (e->log)
            log_store_run(e->log, to, VEC_BYTES, pb);
        else
            memcpy(to, pb, VEC_BYTES);
        return EXEC_MEMORY;
    }
    note(e, x, mask, SPACE_GLOBAL, ACCESS_STORE);
    uint8_t *const host = e->range.host;
    const uint64_t first = e->range.first;
    if (e->log) {
        uint8_t *to[32], data[32 * 16];
        FOR_EACH_BIT32(i, mask) {
            to[i] = host + (e->access.addr[i] - first);
            for (uint32_t k = 0; k < n; k++) memcpy(data + 16 * i + 4 * k, &pb[i + 32 * k], 4);
        }
        log_store(e->log, mask, x->bytes, to, data);
        return EXEC_MEMORY;
    }
    FOR_EACH_BIT32(i, mask) {
        uint8_t *const p = host + (e->access.addr[i] - first);
        for (uint32_t k = 0; k < n; k++) memcpy(p + 4 * k, &pb[i + 32 * k], 4);
    }
    return EXEC_MEMORY;
}

// ---- shared memory: 32-bit offsets ----------------------------------------------------------
// False when a lane is out of range or misaligned.
LANE_FN bool shared_addresses(struct exec_env *e, const struct exec_warp *w, const struct xinst *x,
                              uint32_t mask, uint32_t off[32]) {
    const uint32_t *const pa = x_src(w, x->a);
    const uint32_t window = w->cta->window, scale = x_scale(x);
    const uint32_t offset = (uint32_t)x->offset + x_src(w, x->e)[bits_first32(mask)] - window;
    uint32_t hi = 0, bits = 0, above = 0;
    if (x->awords == 2) {
        LANES {
            const uint64_t a = (pa[i] | (uint64_t)pa[i + 32] << 32) + (uint64_t)x->offset - window;
            const uint64_t in = LANE_IN(mask) ? a : 0;
            off[i] = (uint32_t)in;
            above |= (uint32_t)(in >> 32);
        }
    } else {
        LANES off[i] = LANE_IN(mask) ? (pa[i] << scale) + offset : 0;
    }
    uint64_t *const out = e->access.addr;
    LANES {
        const uint32_t a = off[i];
        out[i] = a;
        hi = a > hi ? a : hi;
        bits |= a;
    }
    return !above && !(bits & (x->bytes - 1u)) && (uint64_t)hi + x->bytes <= w->cta->shared_bytes;
}
FN(ld32_shared) {
    uint32_t off[32] __attribute__((aligned(64)));
    if (ww_unlikely(!shared_addresses(e, w, x, mask, off))) return mem_load(e, w, x, mask);
    note(e, x, mask, SPACE_SHARED, ACCESS_LOAD);
    uint32_t *const pd = x_dst(w, x->d);
    const uint8_t *const host = w->cta->shared;
    const uint32_t n = x->aux8;
    if (n == 1 && mask == ~0u) {
        uint32_t v[32] __attribute__((aligned(64)));
        for (uint32_t i = 0; i < 32; i++) memcpy(&v[i], host + off[i], 4);
        memcpy(pd, v, sizeof v);
        return EXEC_MEMORY;
    }
    FOR_EACH_BIT32(i, mask)
    for (uint32_t k = 0; k < n; k++) memcpy(&pd[i + 32 * k], host + off[i] + 4 * k, 4);
    return EXEC_MEMORY;
}
FN(ld_small_shared) {
    uint32_t off[32] __attribute__((aligned(64)));
    if (ww_unlikely(!shared_addresses(e, w, x, mask, off))) return mem_load(e, w, x, mask);
    note(e, x, mask, SPACE_SHARED, ACCESS_LOAD);
    uint32_t *const pd = x_dst(w, x->d);
    FOR_EACH_BIT32(i, mask) pd[i] = load_small(w->cta->shared + off[i], x->type);
    return EXEC_MEMORY;
}
FN(st32_shared) {
    uint32_t off[32] __attribute__((aligned(64)));
    if (ww_unlikely(!shared_addresses(e, w, x, mask, off))) return mem_store(e, w, x, mask);
    note(e, x, mask, SPACE_SHARED, ACCESS_STORE);
    const uint32_t *const pb = x_src(w, x->b);
    uint8_t *const host = w->cta->shared;
    const uint32_t n = x->aux8;
    FOR_EACH_BIT32(i, mask)
    for (uint32_t k = 0; k < n; k++) memcpy(host + off[i] + 4 * k, &pb[i + 32 * k], 4);
    return EXEC_MEMORY;
}

// ---- local memory: spills and arrays, a word a lane -----------------------------------------
// All lanes at one word (spills, scalars on the stack) are one vector.
LANE_FN bool local_word(struct exec_env *e, const struct exec_warp *w, const struct xinst *x,
                        uint32_t mask, uint32_t *word) {
    const uint32_t *const pa = x_src(w, x->a);
    const uint32_t lead = bits_first32(mask);
    uint32_t apart = 0;
    LANES apart |= LANE_IN(mask) ? pa[i] ^ pa[lead] : 0;
    if (x->awords == 2) LANES apart |= LANE_IN(mask) ? pa[i + 32] : 0;
    const uint32_t at = pa[lead] + (uint32_t)x->offset + x_src(w, x->e)[lead];
    if (apart || (at & (x->bytes - 1u)) ||
        (uint64_t)at + x->bytes > 4ull * w->cta->launch->local_words)
        return false;
    *word = at / 4;
    const uint64_t device = w->local_base + (uint64_t)(at / 4) * VEC_BYTES;
    uint64_t *const out = e->access.addr;
    LANES out[i] = device + 4 * i;
    return true;
}
FN(ld32_local) {
    uint32_t word;
    if (ww_unlikely(!local_word(e, w, x, mask, &word))) return mem_load(e, w, x, mask);
    note(e, x, mask, SPACE_LOCAL, ACCESS_LOAD);
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t *const from = (const uint32_t *)(const void *)w->local + 32 * word;
    for (uint32_t k = 0; k < x->aux8; k++)
        LANES pd[i + 32 * k] = PICK(from[i + 32 * k], pd[i + 32 * k]);
    return EXEC_MEMORY;
}
FN(st32_local) {
    uint32_t word;
    if (ww_unlikely(!local_word(e, w, x, mask, &word))) return mem_store(e, w, x, mask);
    note(e, x, mask, SPACE_LOCAL, ACCESS_STORE);
    const uint32_t *const pb = x_src(w, x->b);
    uint32_t *const to = (uint32_t *)(void *)w->local + 32 * word;
    for (uint32_t k = 0; k < x->aux8; k++)
        LANES to[i + 32 * k] = PICK(pb[i + 32 * k], to[i + 32 * k]);
    return EXEC_MEMORY;
}

// Each lane at a word of its own: arrays.
LANE_FN bool local_addresses(struct exec_env *e, const struct exec_warp *w, const struct xinst *x,
                             uint32_t mask, uint32_t off[32]) {
    const uint32_t *const pa = x_src(w, x->a);
    const uint32_t offset = (uint32_t)x->offset + x_src(w, x->e)[bits_first32(mask)];
    uint32_t hi = 0, bits = 0;
    LANES off[i] = LANE_IN(mask) ? pa[i] + offset : 0;
    if (x->awords == 2) LANES bits |= LANE_IN(mask) ? pa[i + 32] : 0;
    const uint32_t above = bits;
    uint64_t *const out = e->access.addr;
    const uint64_t base = w->local_base;
    LANES {
        const uint32_t a = off[i];
        hi = a > hi ? a : hi;
        bits |= a;
        out[i] = base + (uint64_t)(a >> 2) * VEC_BYTES + 4 * i;
    }
    return !above && !(bits & (x->bytes - 1u)) &&
           (uint64_t)hi + x->bytes <= 4ull * w->cta->launch->local_words;
}
FN(ld32_local_any) {
    uint32_t off[32] __attribute__((aligned(64))), word;
    if (local_word(e, w, x, mask, &word)) return x_ld32_local(e, w, x, mask);
    if (ww_unlikely(!local_addresses(e, w, x, mask, off))) return mem_load(e, w, x, mask);
    note(e, x, mask, SPACE_LOCAL, ACCESS_LOAD);
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t *const from = (const uint32_t *)(const void *)w->local;
    for (uint32_t k = 0; k < x->aux8; k++)
        FOR_EACH_BIT32(i, mask) pd[i + 32 * k] = from[32 * (off[i] / 4 + k) + i];
    return EXEC_MEMORY;
}
FN(st32_local_any) {
    uint32_t off[32] __attribute__((aligned(64))), word;
    if (local_word(e, w, x, mask, &word)) return x_st32_local(e, w, x, mask);
    if (ww_unlikely(!local_addresses(e, w, x, mask, off))) return mem_store(e, w, x, mask);
    note(e, x, mask, SPACE_LOCAL, ACCESS_STORE);
    const uint32_t *const pb = x_src(w, x->b);
    uint32_t *const to = (uint32_t *)(void *)w->local;
    for (uint32_t k = 0; k < x->aux8; k++)
        FOR_EACH_BIT32(i, mask) to[32 * (off[i] / 4 + k) + i] = pb[i + 32 * k];
    return EXEC_MEMORY;
}

// ---- constants by a register index ----------------------------------------------------------
FN(ldc32) {
    const uint32_t *const pa = x_src(w, x->a);
    const uint8_t *const base = w->cta->launch->bank[x->sub].at;
    const uint64_t size = w->cta->launch->bank[x->sub].bytes;
    const uint32_t offset = (uint32_t)x->offset, n = x->aux8;
    uint64_t *const out = e->access.addr;
    uint32_t off[32] __attribute__((aligned(64)));
    uint32_t hi = 0, bits = 0;
    LANES {
        const uint32_t a = LANE_IN(mask) ? pa[i] + offset : 0;
        off[i] = a;
        out[i] = a;
        hi = a > hi ? a : hi;
        bits |= a;
    }
    if (ww_unlikely(!base || bits & (x->bytes - 1u) || (uint64_t)hi + x->bytes > size))
        return mem_load_const(e, w, x, mask);
    note(e, x, mask, SPACE_CONST, ACCESS_LOAD);
    e->access.bank = x->sub;
    uint32_t *const pd = x_dst(w, x->d);
    for (uint32_t k = 0; k < n; k++)
        FOR_EACH_BIT32(i, mask) memcpy(&pd[i + 32 * k], base + off[i] + 4 * k, 4);
    return EXEC_MEMORY;
}

// ---- atomics on one word a lane -------------------------------------------------------------
// Lanes one after the other, so that lanes that meet at a word see each other.
LANE_FN void atomics_now(struct exec_warp *w, const struct xinst *x, uint32_t mask,
                         uint8_t *const *host, bool is_global) {
    const uint32_t *const pb = x_src(w, x->b), *const pc = x_src(w, x->c);
    uint32_t unused[32], *const pd = x->d == X_NONE ? unused : x_dst(w, x->d);
    FOR_EACH_BIT32(i, mask) {
        uint32_t old;
        const uint32_t b = pb[i], c = pc[i];
        memcpy(&old, host[i], 4);
        const uint32_t now = atomic32(x, old, b, c, is_global);
        memcpy(host[i], &now, 4);
        pd[i] = old;
    }
}
FN(atom32_global) {
    const struct span s = global_addresses(e, w, x, mask);
    if (ww_unlikely(!in_one_range(e, x, &s))) return mem_atomic(e, w, x, mask);
    const bool wanted = x->d != X_NONE;
    note(e, x, mask, SPACE_GLOBAL, wanted ? ACCESS_ATOMIC : ACCESS_REDUCE);
    e->access.n_dst = wanted;
    uint8_t *const host = e->range.host;
    const uint64_t first = e->range.first;
    uint8_t *to[32];
    FOR_EACH_BIT32(i, mask) to[i] = host + (e->access.addr[i] - first);
    if (e->log) {
        e->access.deferred = wanted;
        log_atomic32(e->log, w, x, mask, to, x_src(w, x->b), x_src(w, x->c));
    } else {
        atomics_now(w, x, mask, to, true);
    }
    return EXEC_MEMORY;
}
FN(atom32_shared) {
    uint32_t off[32] __attribute__((aligned(64)));
    if (ww_unlikely(!shared_addresses(e, w, x, mask, off))) return mem_atomic(e, w, x, mask);
    const bool wanted = x->d != X_NONE;
    note(e, x, mask, SPACE_SHARED, wanted ? ACCESS_ATOMIC : ACCESS_REDUCE);
    e->access.n_dst = wanted;
    uint8_t *to[32];
    FOR_EACH_BIT32(i, mask) to[i] = w->cta->shared + off[i];
    atomics_now(w, x, mask, to, false);
    return EXEC_MEMORY;
}
// Compare and swap of machine code, which answers whether it stored: each lane sees those before it.
FN(cast32_shared) {
    uint32_t off[32] __attribute__((aligned(64)));
    if (ww_unlikely(!shared_addresses(e, w, x, mask, off))) return mem_atomic(e, w, x, mask);
    note(e, x, mask, SPACE_SHARED, ACCESS_ATOMIC);
    e->access.n_dst = 1;
    const uint32_t *const pb = x_src(w, x->b), *const pc = x_src(w, x->c);
    uint32_t stored[32];
    FOR_EACH_BIT32(i, mask) {
        uint32_t old;
        memcpy(&old, w->cta->shared + off[i], 4);
        stored[i] = old == pb[i];
        if (stored[i]) memcpy(w->cta->shared + off[i], &pc[i], 4);
    }
    uint32_t *const pd = x_dst(w, x->d);
    FOR_EACH_BIT32(i, mask) pd[i] = stored[i];
    return EXEC_MEMORY;
}

const exec_fn AT_LEVEL(mem_fns)[] = {EXEC_MEM_HANDLERS(HANDLER_ROW)};
