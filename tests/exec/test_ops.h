// One operation at a time: an instruction is decoded and stepped over 32 lanes at every vector
// level, with all lanes, some lanes, and guards, and compared with a reference written another way.
#ifndef TEST_OPS_H
#define TEST_OPS_H

#include "test_asm.h"
#include "exec/native_int.h"

// Registers by convention: sources A, B, C, E in quads 8, 12, 16, 20; results at 24 and 28;
// predicates: P0, P1 results, P2 a source, P3 the guard.
enum { RA = 8, RB = 12, RC = 16, RE = 20, RES = 24, RES2 = 28 };
enum { PD = 0, PQ = 1, PSRC = 2, PGUARD = 3 };

struct lanes { // 128 bits a lane
    uint32_t w[4][32];
};
struct op_run {
    struct prog *p;
    struct lanes a, b, c, e, old;
    uint32_t psrc, carry;
    // results
    struct lanes d;
    uint32_t pd, pq, carry_out;
    struct native *native; // the host's own code of it; NULL: there is none
    uint32_t guard;        // what the guard's predicate holds, where there is one
    struct op_run *guarded; // the same instruction behind a guard, by the host's own code
};

static inline void put_lanes(struct prog *p, uint32_t r, const struct lanes *l, uint32_t words) {
    for (uint32_t k = 0; k < words; k++) memcpy(reg(p, r + k), l->w[k], 128);
}
static inline uint64_t lane64(const struct lanes *l, uint32_t i) {
    return l->w[0][i] | (uint64_t)l->w[1][i] << 32;
}
static inline void set_lane64(struct lanes *l, uint32_t i, uint64_t v) {
    l->w[0][i] = (uint32_t)v;
    l->w[1][i] = (uint32_t)(v >> 32);
}

static inline struct op_run *op_new_behind(struct minst m, uint32_t guard) {
    struct op_run *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->p = prog_new();
    m.target = m.reconv = -1;
    m.guard = guard;
    if (!m.vec) m.vec = 1;
    r->p->inst[r->p->im.n_insts++] = m;
    emit_exit(r->p);
    prog_start(r->p);
    for (uint32_t i = 0; i < 32; i++)
        for (uint32_t k = 0; k < 4; k++) r->old.w[k][i] = 0xdead0000u + 32 * k + i;
    return r;
}
static inline struct op_run *op_new(struct minst m) { return op_new_behind(m, PRED_TRUE); }
static inline void op_free(struct op_run *r) {
    if (r->guarded) op_free(r->guarded);
    native_destroy(r->native);
    prog_free(r->p);
    free(r);
}
static inline void op_begin(struct op_run *r, uint32_t active) {
    struct prog *p = r->p;
    struct exec_warp *w = warp0(p);
    put_lanes(p, RA, &r->a, 4);
    put_lanes(p, RB, &r->b, 4);
    put_lanes(p, RC, &r->c, 4);
    put_lanes(p, RE, &r->e, 4);
    put_lanes(p, RES, &r->old, 4);
    w->pred[PD] = w->pred[PQ] = 0x5a5a5a5au;
    w->pred[PSRC] = r->psrc;
    if (p->inst[0].guard == PGUARD) w->pred[PGUARD] = r->guard;
    w->pred[PRED_CARRY] = r->carry;
    w->pc = 0;
    w->active = active;
    w->live = w->exists = ~0u;
}
static inline void op_end(struct op_run *r) {
    for (uint32_t k = 0; k < 4; k++) memcpy(r->d.w[k], reg(r->p, RES + k), 128);
    const struct exec_warp *const w = warp0(r->p);
    r->pd = w->pred[PD];
    r->pq = w->pred[PQ];
    r->carry_out = w->pred[PRED_CARRY];
}
// One word of a lane is NaN, or the upper one of a double that is infinite or NaN.
static inline bool has_nan(const struct op_run *r, uint32_t lane) {
    for (uint32_t k = 0; k < 2; k++)
        if ((r->d.w[k][lane] & 0x7fffffffu) >= 0x7ff00000u) return true;
    return (r->d.w[0][lane] & 0x7fffffffu) > 0x7f800000u;
}
// The same instruction by the host's own code: what the handler left in *want, bit by bit. Where a
// NaN comes up it has changed nothing, and lanes are looked at singly.
static inline void op_compare_native(struct op_run *r, const struct op_run *want, uint32_t active) {
    const enum native_lanes lanes = active == ~0u ? NATIVE_ALL_LANES : NATIVE_SOME_LANES;
    struct exec_warp *const w = warp0(r->p);
    const native_fn fn = native_code(r->native, native_lines(r->native), 0, lanes);
    assert_non_null(fn);
    op_begin(r, active);
    const uint32_t guard =
        active & (w->pred[r->p->launch->code[0].guard] ^ r->p->launch->code[0].guard_xor);
    struct native_run run = {0};
    const uint32_t o = fn(&r->p->env, w, &run);
    const uint64_t threads = run.threads;
    assert_int_equal(run.n, w->pc);
    op_end(r);
    if (o == NATIVE_NAN) {
        assert_int_equal(w->pc, 0);
        assert_int_equal(threads, 0);
        assert_memory_equal(&r->d, &r->old, sizeof r->d);
        assert_true(r->pd == 0x5a5a5a5au && r->pq == r->pd && r->carry_out == r->carry);
        if (active & (active - 1))
            FOR_EACH_BIT32(i, active) op_compare_native(r, want, 1u << i);
        else
            assert_true(has_nan(want, bits_first32(active)));
        return;
    }
    assert_int_equal(o, EXEC_NEXT);
    assert_int_equal(w->pc, 1);
    assert_int_equal(threads, bits_count32(guard));
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t i = 0; i < 32; i++) {
            const uint32_t is = r->d.w[k][i];
            const uint32_t was = guard >> i & 1 ? want->d.w[k][i] : r->old.w[k][i];
            if (is != was)
                fail_msg("native %s: lane %u of %08x: a %08x b %08x c %08x: word %u is %08x, not %08x",
                         mop_info[r->p->inst[0].op].text, i, guard, r->a.w[0][i], r->b.w[0][i],
                         r->c.w[0][i], k, is, was);
        }
    assert_int_equal(r->pd & guard, want->pd & guard);
    assert_int_equal(r->pq & guard, want->pq & guard);
    assert_int_equal(r->carry_out & guard, want->carry_out & guard);
    assert_int_equal((r->pd ^ 0x5a5a5a5au) & ~guard, 0);
    assert_int_equal((r->pq ^ 0x5a5a5a5au) & ~guard, 0);
    assert_int_equal((r->carry_out ^ r->carry) & ~guard, 0);
}
// Code of the host for the only instruction of r; NULL: there is none.
static inline struct native *op_native(const struct op_run *r) {
    native_force(0);
    struct native *n = native_create();
    if (n && !native_begin(n, r->p->launch, false)) {
        native_destroy(n);
        n = NULL;
    }
    native_force(NATIVE_HOT);
    return n;
}
// The same behind a guard that some of the active lanes pass, or none: lanes that do have what the
// handler left in *want.
static inline void op_compare_guarded(struct op_run *r, const struct op_run *want, uint32_t active) {
    if (!r->guarded) {
        r->guarded = op_new_behind(r->p->inst[0], PGUARD);
        r->guarded->native = op_native(r->guarded);
    }
    struct op_run *const g = r->guarded;
    if (!g->native) return;
    g->a = r->a;
    g->b = r->b;
    g->c = r->c;
    g->e = r->e;
    g->old = r->old;
    g->psrc = r->psrc;
    g->carry = r->carry;
    memcpy(warp0(g->p)->pred, warp0(r->p)->pred, sizeof warp0(g->p)->pred); // a test's own sources
    g->guard = g->guard * 1664525u + 1013904223u;
    if (g->guard % 8 == 0) g->guard = 0;
    op_compare_native(g, want, active);
}
static inline void op_step(struct op_run *r, uint32_t active) {
    struct prog *p = r->p;
    op_begin(r, active);
    const enum exec_outcome o = exec_step(&p->env, warp0(p));
    assert_true(o == EXEC_NEXT || o == EXEC_MEMORY);
    op_end(r);
    if (strcmp(exec_simd_level(), "v4") || !native_row_of(p->launch->code[0].fn)) return;
    if (!r->native) r->native = op_native(r);
    if (!r->native) return;
    const struct op_run want = *r;
    op_compare_native(r, &want, active);
    op_compare_guarded(r, &want, active);
    r->d = want.d;
    r->pd = want.pd;
    r->pq = want.pq;
    r->carry_out = want.carry_out;
}

// Values that break things, then random ones.
static inline uint32_t edge32(uint64_t *seed, uint32_t n) {
    static const uint32_t e[] = {
        0,      1,          2,           0x7f,        0x80,        0xff,        0x7fff, 0x8000,
        0xffff, 0x10000,    0x7fffffff,  0x80000000u, 0xffffffffu, 0xfffffffeu, 31,     32,
        33,     0x55555555, 0xaaaaaaaau, 0x00ffffff,  0x01000000,  0xff800000u, 63,     64};
    if (n < WW_COUNT(e) * WW_COUNT(e)) return e[n % WW_COUNT(e)];
    const uint64_t v = rnd64(seed);
    switch (v >> 60) {
    case 0: return (uint32_t)v & 63;
    case 1: return e[(v >> 8) % WW_COUNT(e)];
    case 2: return (uint32_t)v & 0xffff;
    default: return (uint32_t)v;
    }
}
static inline uint64_t edge64(uint64_t *seed, uint32_t n) {
    static const uint64_t e[] = {0,
                                 1,
                                 2,
                                 31,
                                 32,
                                 63,
                                 64,
                                 65,
                                 0xff,
                                 0xffff,
                                 0x7fffffff,
                                 0x80000000u,
                                 0xffffffffu,
                                 0x100000000ull,
                                 0x7fffffffffffffffull,
                                 0x8000000000000000ull,
                                 ~0ull,
                                 ~1ull,
                                 0x5555555555555555ull};
    if (n < WW_COUNT(e) * WW_COUNT(e)) return e[n % WW_COUNT(e)];
    const uint64_t v = rnd64(seed);
    return v >> 60 == 0 ? e[(v >> 8) % WW_COUNT(e)] : v >> 60 == 1 ? (uint32_t)v : rnd64(seed);
}
static inline uint32_t pick_mask(uint64_t *seed, uint32_t n) {
    switch (n & 3) {
    case 0:
    case 1: return ~0u;
    case 2: return (uint32_t)rnd64(seed) | 1u << (rnd64(seed) & 31);
    default: return 1u << (rnd64(seed) & 31);
    }
}

// 32-bit results of up to four 32-bit sources against ref(), over `rounds` vectors.
typedef uint32_t ref32_fn(const struct minst *m, uint32_t a, uint32_t b, uint32_t c, uint32_t e);
static inline void check32(const char *what, struct minst m, ref32_fn *ref, uint32_t rounds) {
    LEVELS(v) {
        uint64_t seed = 0x1234567;
        struct op_run *r = op_new(m);
        for (uint32_t n = 0; n < rounds; n++) {
            for (uint32_t i = 0; i < 32; i++) {
                const uint32_t k = n * 32 + i;
                r->a.w[0][i] = edge32(&seed, k / 24);
                r->b.w[0][i] = edge32(&seed, k);
                r->c.w[0][i] = edge32(&seed, k / 7 + 3);
                r->e.w[0][i] = edge32(&seed, k / 5 + 1);
                if (k < 576) r->a.w[0][i] = edge32(&seed, k / 24);
            }
            const uint32_t mask = pick_mask(&seed, n);
            op_step(r, mask);
            for (uint32_t i = 0; i < 32; i++) {
                const uint32_t want =
                    mask >> i & 1 ? ref(&m, r->a.w[0][i], r->b.w[0][i], r->c.w[0][i], r->e.w[0][i])
                                  : r->old.w[0][i];
                if (r->d.w[0][i] == want) continue;
                fail_msg("%s at %s: a %08x b %08x c %08x e %08x gives %08x, not %08x", what,
                         exec_simd_level(), r->a.w[0][i], r->b.w[0][i], r->c.w[0][i], r->e.w[0][i],
                         r->d.w[0][i], want);
            }
        }
        op_free(r);
    }
    exec_simd_force(NULL);
}
// The same with 64-bit sources and a 64-bit result.
typedef uint64_t ref64_fn(const struct minst *m, uint64_t a, uint64_t b, uint64_t c, uint64_t e);
static inline void check64(const char *what, struct minst m, ref64_fn *ref, uint32_t rounds) {
    LEVELS(v) {
        uint64_t seed = 0x7654321;
        struct op_run *r = op_new(m);
        for (uint32_t n = 0; n < rounds; n++) {
            for (uint32_t i = 0; i < 32; i++) {
                const uint32_t k = n * 32 + i;
                set_lane64(&r->a, i, edge64(&seed, k / 19));
                set_lane64(&r->b, i, edge64(&seed, k));
                set_lane64(&r->c, i, edge64(&seed, k / 7 + 3));
                set_lane64(&r->e, i, edge64(&seed, k / 5 + 1));
            }
            const uint32_t mask = pick_mask(&seed, n);
            op_step(r, mask);
            const uint64_t keep = m.dst[0].words == 1 ? 0xffffffffu : ~0ull;
            for (uint32_t i = 0; i < 32; i++) {
                const uint64_t want = mask >> i & 1 ? ref(&m, lane64(&r->a, i), lane64(&r->b, i),
                                                          lane64(&r->c, i), lane64(&r->e, i))
                                                    : lane64(&r->old, i);
                if ((lane64(&r->d, i) & keep) == (want & keep)) continue;
                fail_msg("%s at %s: a %llx b %llx c %llx e %llx gives %llx, not %llx", what,
                         exec_simd_level(), (unsigned long long)lane64(&r->a, i),
                         (unsigned long long)lane64(&r->b, i), (unsigned long long)lane64(&r->c, i),
                         (unsigned long long)lane64(&r->e, i), (unsigned long long)lane64(&r->d, i),
                         (unsigned long long)want);
            }
        }
        op_free(r);
    }
    exec_simd_force(NULL);
}
#define MI(...)   ((struct minst){__VA_ARGS__})
#define D1A(d, a) .dst = {d}, .src = {a}
#define ABC       R(RA), R(RB), R(RC)

#endif
