// Memory accesses of whole words, the frequent case: every lane inside one allocation (or in shared
// memory), aligned, nothing of it in the store log. Whatever is different goes to mem.c, which
// starts anew and knows every case and fault.
#include "exec/log.h"
#include "exec/simd.h"

// What a caller is told of an access. The addresses are 256 bytes a warp: they are written where a
// caller reads them.
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
LANE_FN void note_addresses(struct exec_env *e, uint64_t base, const uint32_t off[WARP_LANES]) {
    if (e->wants_no_addresses) return;
    uint64_t *const out = e->access.addr;
    LANES out[i] = base + off[i];
}

// ---- where the words of the lanes lie -------------------------------------------------------
// Lanes are looked at by halves, since blocks are often 16 threads wide.
enum { HALF = WARP_LANES / 2 };
enum shape { APART, RUN /* words that follow each other */, ONE /* the same word */ };
// Whether a half's words follow each other. Offsets of an allocation beyond 4 GB may pass 2^32 - 1 and
// go on at 0: those elements lie apart.
LANE_FN bool half_follows(const uint32_t off[HALF]) {
    return lanes_follow(off, 4) && off[HALF - 1] > off[0];
}
LANE_FN enum shape shape_of(const uint32_t off[HALF]) {
    return half_follows(off) ? RUN : lanes_follow(off, 0) ? ONE : APART;
}
// Whether all lanes' elements of so many bytes follow each other.
LANE_FN bool is_run(const uint32_t off[WARP_LANES], uint32_t bytes) {
    return lanes_follow(off, bytes) && lanes_follow(off + HALF, bytes) &&
           off[HALF] == off[0] + HALF * bytes && off[WARP_LANES - 1] > off[0];
}

// Where a lane's element is on the host. The base alone may lie in no object, or be 0.
LANE_FN uint8_t *place(uintptr_t host, uint32_t off) { return (uint8_t *)(host + off); }

// A word from place(host, off[i]) for each lane.
LANE_FN void load_words(uint32_t *pd, uintptr_t host, const uint32_t off[WARP_LANES],
                        uint32_t mask) {
    if (!ALL_LANES) {
        FOR_EACH_BIT32(i, mask) memcpy(&pd[i], place(host, off[i]), 4);
        return;
    }
    for (uint32_t h = 0; h < WARP_LANES; h += HALF) {
        uint32_t v[HALF] __attribute__((aligned(64)));
        switch (shape_of(off + h)) {
        case RUN: memcpy(v, place(host, off[h]), sizeof v); break;
        case ONE: {
            uint32_t one;
            memcpy(&one, place(host, off[h]), 4);
            for (uint32_t i = 0; i < HALF; i++) v[i] = one;
            break;
        }
        default:
            for (uint32_t i = 0; i < HALF; i++) memcpy(&v[i], place(host, off[h + i]), 4);
            break;
        }
        memcpy(pd + h, v, sizeof v);
    }
}
// Elements of n words each.
LANE_FN void load_vectors(uint32_t *pd, uintptr_t host, const uint32_t off[WARP_LANES],
                          uint32_t mask, uint32_t n) {
    if (!ALL_LANES) {
        for (uint32_t k = 0; k < n; k++)
            FOR_EACH_BIT32(i, mask) memcpy(&pd[i + 32 * k], place(host, off[i]) + 4 * k, 4);
        return;
    }
    uint32_t v[4 * WARP_LANES] __attribute__((aligned(64)));
    if (off[0] == off[HALF] && lanes_follow(off, 0) && lanes_follow(off + HALF, 0)) {
        memcpy(v, place(host, off[0]), 4ul * n);
        for (uint32_t k = 0; k < n; k++) LANES pd[i + 32 * k] = v[k];
        return;
    }
    if (is_run(off, 4 * n))
        memcpy(v, place(host, off[0]), (size_t)VEC_BYTES * n);
    else
        for (uint32_t i = 0; i < WARP_LANES; i++) memcpy(v + n * i, place(host, off[i]), 4ul * n);
    for (uint32_t k = 0; k < n; k++) LANES pd[i + 32 * k] = v[n * i + k];
}
LANE_FN void load_elements(uint32_t *pd, uintptr_t host, const uint32_t off[WARP_LANES],
                           uint32_t mask, uint32_t n) {
    switch (n) {
    case 1: load_words(pd, host, off, mask); break;
    case 2: load_vectors(pd, host, off, mask, 2); break;
    default: load_vectors(pd, host, off, mask, 4); break;
    }
}
// The elements of all lanes, one behind the other.
LANE_FN void pack_elements(uint8_t *to, const uint32_t *pb, uint32_t n) {
    uint32_t v[4 * WARP_LANES] __attribute__((aligned(64)));
    if (n == 2)
        for (uint32_t k = 0; k < 2; k++) LANES v[2 * i + k] = pb[i + 32 * k];
    else
        for (uint32_t k = 0; k < 4; k++) LANES v[4 * i + k] = pb[i + 32 * k];
    memcpy(to, v, (size_t)VEC_BYTES * n);
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
LANE_FN void load_smalls(uint32_t *pd, uintptr_t host, const uint32_t off[WARP_LANES],
                         uint32_t mask, const struct xinst *x) {
    if (ALL_LANES && is_run(off, x->bytes)) {
        uint16_t h[WARP_LANES];
        uint8_t b[WARP_LANES];
        if (x->bytes == 1)
            memcpy(b, place(host, off[0]), sizeof b);
        else
            memcpy(h, place(host, off[0]), sizeof h);
        switch (x->type) {
        case ITYPE_U8:
        case ITYPE_B8: LANES pd[i] = b[i]; break;
        case ITYPE_S8: LANES pd[i] = (uint32_t)(int8_t)b[i]; break;
        case ITYPE_S16: LANES pd[i] = (uint32_t)(int16_t)h[i]; break;
        default: LANES pd[i] = h[i]; break;
        }
        return;
    }
    if (x->bytes == 1 && x->type != ITYPE_S8)
        FOR_EACH_BIT32(i, mask) pd[i] = *place(host, off[i]);
    else
        FOR_EACH_BIT32(i, mask) pd[i] = load_small(place(host, off[i]), x->type);
}

// ---- global memory --------------------------------------------------------------------------
// Addresses as a base that the lanes share and 32 bits of each. False: their upper words differ.
LANE_FN bool global_offsets(const struct exec_warp *w, const struct xinst *x, uint32_t mask,
                            uint64_t *base, uint32_t off[WARP_LANES]) {
    const uint32_t *const pa = x_src(w, x->a);
    const uint32_t lead = ALL_LANES ? 0 : bits_first32(mask);
    const uint64_t offset = (uint64_t)x->offset + x_base(w, x, lead);
    if (x->awords == 2) {
        const uint32_t high = pa[lead + 32];
        *base = ((uint64_t)high << 32) + offset;
        LANES off[i] = pa[i];
        return !(LANES_WHERE(pa[i + 32] != high) & mask);
    }
    const bool is_based = x_is_based(x);
    const uint32_t more = is_based ? 0 : (uint32_t)offset;
    *base = is_based ? offset : 0;
    LANES off[i] = pa[i] + more;
    return true;
}
// Whether all of it lies, aligned, in an allocation, which is live while its epoch lasts. (A base
// that is not aligned by itself is left to mem.c.)
LANE_FN bool in_range(const struct exec_env *e, const struct exec_range *r, const struct xinst *x,
                      uint32_t mask, uint64_t base, const uint32_t off[WARP_LANES]) {
    // Of what is added to the base, what the allocation allows: [least, most].
    const int64_t before = (int64_t)(r->first - base);
    const int64_t most = (int64_t)(r->end - base - x->bytes);
    const int64_t least = before < 0 ? 0 : before;
    if (r->epoch != devmem_epoch_of(e->memory) || most < least || least > UINT32_MAX) return false;
    const uint32_t low = (uint32_t)least, high = most > UINT32_MAX ? UINT32_MAX : (uint32_t)most;
    const uint32_t part = x->bytes - 1u;
    return !((uint32_t)base & part) && !(lanes_unfit(off, low, high, part) & mask);
}
// Where exec_env.hit keeps what an instruction hit last.
LANE_FN uint32_t hit_of(const struct exec_warp *w, const struct xinst *x) {
    return (uint32_t)(x - w->code) % EXEC_HITS;
}
// Makes the allocation of all lanes the one that was hit last. Generic addresses below global
// memory lie in none.
LANE_FN bool find_range(struct exec_env *e, const struct xinst *x, uint32_t mask, uint64_t base,
                        const uint32_t off[WARP_LANES]) {
    const uint32_t lead = off[bits_first32(mask)];
    uint32_t least = lead, most = lead, bits = (uint32_t)base;
    LANES {
        const uint32_t o = LANE_IN(mask) ? off[i] : lead;
        least = o < least ? o : least;
        most = o > most ? o : most;
        bits |= o;
    }
    return !(bits & (x->bytes - 1u)) && base + least >= EXEC_WINDOW_END &&
           env_find_range(e, base + least, (uint64_t)most - least + x->bytes);
}
// Where the access goes: on the host, and what each lane adds. False: see mem.c.
LANE_FN bool global_access(struct exec_env *e, const struct exec_warp *w, const struct xinst *x,
                           uint32_t mask, uintptr_t *host, uint32_t off[WARP_LANES]) {
    uint64_t base;
    if (ww_unlikely(!global_offsets(w, x, mask, &base, off))) return false;
    struct exec_range *const r = &e->hit[hit_of(w, x)];
    if (ww_unlikely(!in_range(e, r, x, mask, base, off))) {
        if (!find_range(e, x, mask, base, off)) return false;
        *r = e->range;
    }
    note_addresses(e, base, off);
    *host = (uintptr_t)r->host + (uintptr_t)(base - r->first);
    return true;
}
// The same of what writes. Memory of which some is read only is left to mem.c.
LANE_FN bool global_write(struct exec_env *e, const struct exec_warp *w, const struct xinst *x,
                          uint32_t mask, uintptr_t *host, uint32_t off[WARP_LANES]) {
    return global_access(e, w, x, mask, host, off) && !ww_unlikely(e->hit[hit_of(w, x)].is_guarded);
}

// Whether a byte of the access may stand in the own log. Many kernels write to other allocations
// than they read.
LANE_FN bool in_log(const struct exec_env *e, const struct exec_warp *w, const struct xinst *x,
                    uintptr_t host, const uint32_t off[WARP_LANES], uint32_t mask) {
    if (!e->log || !e->log->is_busy) return false;
    const struct exec_range *const r = &e->hit[hit_of(w, x)];
    const uint64_t first = (uint64_t)(uintptr_t)r->host, bytes = r->end - r->first;
    if (e->log->high < first || e->log->low >= first + bytes) return false;
    if (ALL_LANES && is_run(off, x->bytes))
        return log_maybe_span(e->log, place(host, off[0]),
                              place(host, off[0]) + WARP_LANES * x->bytes - 1);
    FOR_EACH_BIT32(i, mask)
        if (log_maybe(e->log, place(host, off[i]))) return true;
    return false;
}
// Words of which some may stand in the own log. False: an atomic of this quantum changes one.
static bool load_own(struct exec_env *e, const struct xinst *x, uint32_t *pd, uintptr_t host,
                     const uint32_t off[WARP_LANES], uint32_t mask) {
    if (x->aux8 == 1 && mask == ~0u && x->bytes == 4 && is_run(off, 4)) {
        uint32_t v[WARP_LANES];
        memcpy(v, place(host, off[0]), sizeof v);
        if (!log_overlay(e->log, place(host, off[0]), sizeof v, (uint8_t *)v, NULL)) return false;
        memcpy(pd, v, sizeof v);
        return true;
    }
    uint32_t v[4][WARP_LANES];
    const uint32_t n = x->aux8;
    FOR_EACH_BIT32(i, mask) {
        const uint8_t *const p = place(host, off[i]);
        uint8_t buf[16];
        memcpy(buf, p, x->bytes);
        if (log_maybe(e->log, p) && !log_overlay(e->log, p, x->bytes, buf, NULL)) return false;
        if (x->bytes < 4)
            v[0][i] = load_small(buf, x->type);
        else
            for (uint32_t k = 0; k < n; k++) memcpy(&v[k][i], buf + 4 * k, 4);
    }
    for (uint32_t k = 0; k < n; k++)
        FOR_EACH_BIT32(i, mask) pd[i + 32 * k] = v[k][i];
    return true;
}

FN(ld32_global) {
    uint32_t off[WARP_LANES] __attribute__((aligned(64)));
    uintptr_t host;
    if (ww_unlikely(!global_access(e, w, x, mask, &host, off))) return mem_load(e, w, x, mask);
    uint32_t *const pd = x_dst(w, x->d);
    if (ww_likely(!in_log(e, w, x, host, off, mask)))
        load_elements(pd, host, off, mask, x->aux8);
    else if (!load_own(e, x, pd, host, off, mask))
        return mem_load(e, w, x, mask);
    note(e, x, mask, SPACE_GLOBAL, ACCESS_LOAD);
    return EXEC_MEMORY;
}
FN(ld_small_global) {
    uint32_t off[WARP_LANES] __attribute__((aligned(64)));
    uintptr_t host;
    if (ww_unlikely(!global_access(e, w, x, mask, &host, off))) return mem_load(e, w, x, mask);
    uint32_t *const pd = x_dst(w, x->d);
    if (ww_likely(!in_log(e, w, x, host, off, mask)))
        load_smalls(pd, host, off, mask, x);
    else if (!load_own(e, x, pd, host, off, mask))
        return mem_load(e, w, x, mask);
    note(e, x, mask, SPACE_GLOBAL, ACCESS_LOAD);
    return EXEC_MEMORY;
}

// What goes to memory, or to the log if there is one: bytes that follow each other; each lane's.
LANE_FN void store_run(struct exec_env *e, uint8_t *to, const void *from, uint32_t bytes) {
    if (e->log)
        log_store_run(e->log, to, bytes, from);
    else
        memcpy(to, from, bytes);
}
LANE_FN void store_lanes(struct exec_env *e, const struct xinst *x, uint32_t mask, uintptr_t host,
                         const uint32_t off[WARP_LANES], const uint32_t *pb) {
    const uint32_t n = x->bytes < 4 ? 1 : x->aux8, part = x->bytes < 4 ? x->bytes : 4;
    if (e->log) {
        uint8_t *to[WARP_LANES], data[WARP_LANES * 16];
        FOR_EACH_BIT32(i, mask) {
            to[i] = place(host, off[i]);
            for (uint32_t k = 0; k < n; k++) memcpy(data + 16 * i + 4 * k, &pb[i + 32 * k], 4);
        }
        log_store(e->log, mask, x->bytes, to, data);
        return;
    }
    FOR_EACH_BIT32(i, mask)
        for (uint32_t k = 0; k < n; k++) memcpy(place(host, off[i]) + 4 * k, &pb[i + 32 * k], part);
}
FN(st32_global) {
    uint32_t off[WARP_LANES] __attribute__((aligned(64)));
    uintptr_t host;
    if (ww_unlikely(!global_write(e, w, x, mask, &host, off))) return mem_store(e, w, x, mask);
    note(e, x, mask, SPACE_GLOBAL, ACCESS_STORE);
    const uint32_t *const pb = x_src(w, x->b);
    const uint32_t n = x->aux8;
    if (ALL_LANES && is_run(off, x->bytes)) {
        uint8_t v[4 * VEC_BYTES];
        if (n > 1) pack_elements(v, pb, n);
        store_run(e, place(host, off[0]), n > 1 ? v : (const uint8_t *)pb, VEC_BYTES * n);
    } else if (ALL_LANES && n == 1 && half_follows(off) && half_follows(off + HALF)) {
        store_run(e, place(host, off[0]), pb, VEC_BYTES / 2);
        store_run(e, place(host, off[HALF]), pb + HALF, VEC_BYTES / 2);
    } else {
        store_lanes(e, x, mask, host, off, pb);
    }
    return EXEC_MEMORY;
}
FN(st_small_global) {
    uint32_t off[WARP_LANES] __attribute__((aligned(64)));
    uintptr_t host;
    if (ww_unlikely(!global_write(e, w, x, mask, &host, off))) return mem_store(e, w, x, mask);
    note(e, x, mask, SPACE_GLOBAL, ACCESS_STORE);
    const uint32_t *const pb = x_src(w, x->b);
    if (ALL_LANES && is_run(off, x->bytes)) {
        uint16_t h[WARP_LANES];
        uint8_t b[WARP_LANES];
        LANES b[i] = (uint8_t)pb[i];
        LANES h[i] = (uint16_t)pb[i];
        store_run(e, place(host, off[0]), x->bytes == 1 ? b : (const uint8_t *)h,
                  WARP_LANES * x->bytes);
    } else {
        store_lanes(e, x, mask, host, off, pb);
    }
    return EXEC_MEMORY;
}

// ---- shared memory: 32-bit offsets ----------------------------------------------------------
// False when a lane is out of range or misaligned.
LANE_FN bool shared_access(struct exec_env *e, const struct exec_warp *w, const struct xinst *x,
                           uint32_t mask, uint32_t off[WARP_LANES]) {
    const uint32_t *const pa = x_src(w, x->a);
    const uint32_t window = w->cta->window, scale = x_scale(x);
    const uint32_t lead = ALL_LANES ? 0 : bits_first32(mask);
    const uint32_t offset = (uint32_t)x->offset + x_src(w, x->e)[lead] - window;
    uint32_t above = 0;
    if (x->awords == 2) {
        const uint64_t more = (uint64_t)x->offset - window;
        above = LANES_WHERE(((pa[i] | (uint64_t)pa[i + 32] << 32) + more) >> 32 != 0);
        LANES off[i] = pa[i] + (uint32_t)more;
    } else {
        LANES off[i] = (pa[i] << scale) + offset;
    }
    if (w->cta->shared_bytes < x->bytes) return false;
    note_addresses(e, 0, off);
    const uint32_t most = w->cta->shared_bytes - x->bytes, part = x->bytes - 1u;
    return !((above | lanes_unfit(off, 0, most, part)) & mask);
}
FN(ld32_shared) {
    uint32_t off[WARP_LANES] __attribute__((aligned(64)));
    if (ww_unlikely(!shared_access(e, w, x, mask, off))) return mem_load(e, w, x, mask);
    note(e, x, mask, SPACE_SHARED, ACCESS_LOAD);
    load_elements(x_dst(w, x->d), (uintptr_t)w->cta->shared, off, mask, x->aux8);
    return EXEC_MEMORY;
}
FN(ld_small_shared) {
    uint32_t off[WARP_LANES] __attribute__((aligned(64)));
    if (ww_unlikely(!shared_access(e, w, x, mask, off))) return mem_load(e, w, x, mask);
    note(e, x, mask, SPACE_SHARED, ACCESS_LOAD);
    load_smalls(x_dst(w, x->d), (uintptr_t)w->cta->shared, off, mask, x);
    return EXEC_MEMORY;
}
FN(st32_shared) {
    uint32_t off[WARP_LANES] __attribute__((aligned(64)));
    if (ww_unlikely(!shared_access(e, w, x, mask, off))) return mem_store(e, w, x, mask);
    note(e, x, mask, SPACE_SHARED, ACCESS_STORE);
    const uint32_t *const pb = x_src(w, x->b);
    const uintptr_t host = (uintptr_t)w->cta->shared;
    const uint32_t n = x->aux8;
    if (ALL_LANES && n == 1 && half_follows(off) && half_follows(off + HALF)) {
        memcpy(place(host, off[0]), pb, VEC_BYTES / 2);
        memcpy(place(host, off[HALF]), pb + HALF, VEC_BYTES / 2);
        return EXEC_MEMORY;
    }
    FOR_EACH_BIT32(i, mask)
        for (uint32_t k = 0; k < n; k++) memcpy(place(host, off[i]) + 4 * k, &pb[i + 32 * k], 4);
    return EXEC_MEMORY;
}
FN(st_small_shared) {
    uint32_t off[WARP_LANES] __attribute__((aligned(64)));
    if (ww_unlikely(!shared_access(e, w, x, mask, off))) return mem_store(e, w, x, mask);
    note(e, x, mask, SPACE_SHARED, ACCESS_STORE);
    const uint32_t *const pb = x_src(w, x->b);
    const uintptr_t host = (uintptr_t)w->cta->shared;
    if (x->bytes == 1)
        FOR_EACH_BIT32(i, mask) *place(host, off[i]) = (uint8_t)pb[i];
    else
        FOR_EACH_BIT32(i, mask) memcpy(place(host, off[i]), &pb[i], 2);
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
    if (e->wants_no_addresses) return true;
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
    const uint32_t offset = (uint32_t)x->offset, part = x->bytes - 1u;
    if (ww_unlikely(!base || size < x->bytes)) return mem_load_const(e, w, x, mask);
    const uint32_t most = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size - x->bytes;
    uint32_t off[WARP_LANES] __attribute__((aligned(64)));
    LANES off[i] = pa[i] + offset;
    if (ww_unlikely(lanes_unfit(off, 0, most, part) & mask)) return mem_load_const(e, w, x, mask);
    note_addresses(e, 0, off);
    note(e, x, mask, SPACE_CONST, ACCESS_LOAD);
    e->access.bank = x->sub;
    load_elements(x_dst(w, x->d), (uintptr_t)base, off, mask, x->aux8);
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
FN_ONCE(atom32_global) {
    uint32_t off[WARP_LANES] __attribute__((aligned(64)));
    uintptr_t host;
    if (ww_unlikely(!global_write(e, w, x, mask, &host, off))) return mem_atomic(e, w, x, mask);
    const bool wanted = x->d != X_NONE;
    note(e, x, mask, SPACE_GLOBAL, wanted ? ACCESS_ATOMIC : ACCESS_REDUCE);
    e->access.n_dst = wanted;
    uint8_t *to[32];
    FOR_EACH_BIT32(i, mask) to[i] = place(host, off[i]);
    if (e->log && atom_stores(x)) {
        uint8_t data[16 * WARP_LANES];
        const uint32_t *const pb = x_src(w, x->b);
        FOR_EACH_BIT32(i, mask) memcpy(data + 16 * i, &pb[i], 4);
        log_store(e->log, mask, 4, to, data);
    } else if (e->log) {
        e->access.deferred = wanted;
        log_atomic32(e->log, w, x, mask, to, x_src(w, x->b), x_src(w, x->c));
    } else {
        atomics_now(w, x, mask, to, true);
    }
    return EXEC_MEMORY;
}
FN_ONCE(atom32_shared) {
    uint32_t off[32] __attribute__((aligned(64)));
    if (ww_unlikely(!shared_access(e, w, x, mask, off))) return mem_atomic(e, w, x, mask);
    const bool wanted = x->d != X_NONE;
    note(e, x, mask, SPACE_SHARED, wanted ? ACCESS_ATOMIC : ACCESS_REDUCE);
    e->access.n_dst = wanted;
    uint8_t *to[32];
    FOR_EACH_BIT32(i, mask) to[i] = w->cta->shared + off[i];
    atomics_now(w, x, mask, to, false);
    return EXEC_MEMORY;
}
// Compare and swap of machine code, which answers whether it stored: each lane sees those before it.
FN_ONCE(cast32_shared) {
    uint32_t off[32] __attribute__((aligned(64)));
    if (ww_unlikely(!shared_access(e, w, x, mask, off))) return mem_atomic(e, w, x, mask);
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
