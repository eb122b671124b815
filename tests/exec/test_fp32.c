// Single precision: every operation in every rounding mode against the host's own modes (exec never
// changes them), special values, flushing and saturation, and the error bounds of approximations.
#include "test_fp.h"

static uint32_t mods32(uint32_t v, uint8_t mods, uint32_t flags) {
    if (mods & OPND_ABS) v &= 0x7fffffffu;
    if (mods & OPND_NEG) v ^= 0x80000000u;
    return flags & MF_FTZ ? flush_(v) : v;
}
static uint32_t finish32(uint32_t r, uint32_t flags) {
    if (nan32(r)) r = 0x7fffffffu;
    if (flags & MF_FTZ) r = flush_(r);
    if (flags & MF_SAT) {
        if (nan32(r) || r >> 31 || r == 0) return 0;
        if (r > 0x3f800000u) return 0x3f800000u;
    }
    return r;
}
static uint32_t ref_arith(const struct minst *m, uint32_t ua, uint32_t ub, uint32_t uc,
                          uint32_t ue) {
    (void)ue;
    const volatile float a = bits_f32(mods32(ua, m->src[0].mods, m->flags));
    const volatile float b = bits_f32(mods32(ub, m->src[1].mods, m->flags));
    const volatile float c = bits_f32(mods32(uc, m->src[2].mods, m->flags));
    float r;
    switch (m->op) {
    case OP_FADD: r = WITH_ROUNDING(float, m->rnd, a + b); break;
    case OP_FMUL: r = WITH_ROUNDING(float, m->rnd, a *b); break;
    case OP_FFMA: r = WITH_ROUNDING(float, m->rnd, fmaf(a, b, c)); break;
    case OP_FDIV: r = WITH_ROUNDING(float, m->rnd, a / b); break;
    case OP_FRCP: r = WITH_ROUNDING(float, m->rnd, 1.0f / a); break;
    default: r = WITH_ROUNDING(float, m->rnd, sqrtf(a)); break;
    }
    return finish32(f32_bits(r), m->flags);
}

static void check_f32(const char *what, struct minst m, ref32_fn *ref, uint32_t rounds) {
    LEVELS(v) {
        uint64_t seed = 0xabcdef;
        struct op_run *r = op_new(m);
        for (uint32_t n = 0; n < rounds; n++) {
            for (uint32_t i = 0; i < 32; i++) {
                const uint32_t k = n * 32 + i;
                r->a.w[0][i] = fp32(&seed, k / 32 < 32 ? k / 32 : k);
                r->b.w[0][i] = fp32(&seed, k / 32 < 32 ? k % 32 : k);
                r->c.w[0][i] = fp32(&seed, k / 32 < 32 ? (k + k / 32) % 37 : k);
                // Sums near cancellation.
                if ((k & 7) == 7)
                    r->c.w[0][i] = f32_bits(-bits_f32(r->a.w[0][i]) * bits_f32(r->b.w[0][i]));
                if ((k & 15) == 3)
                    r->b.w[0][i] = r->a.w[0][i] ^ 0x80000000u ^ (uint32_t)(rnd64(&seed) & 3);
            }
            const uint32_t mask = pick_mask(&seed, n);
            op_step(r, mask);
            for (uint32_t i = 0; i < 32; i++) {
                const uint32_t want = mask >> i & 1
                                          ? ref(&m, r->a.w[0][i], r->b.w[0][i], r->c.w[0][i], 0)
                                          : r->old.w[0][i];
                if (r->d.w[0][i] == want) continue;
                fail_msg("%s rnd %u flags %x at %s: a %08x b %08x c %08x gives %08x, not %08x",
                         what, m.rnd, m.flags, exec_simd_level(), r->a.w[0][i], r->b.w[0][i],
                         r->c.w[0][i], r->d.w[0][i], want);
            }
        }
        op_free(r);
    }
    exec_simd_force(NULL);
}

static void arithmetic(void **state) {
    (void)state;
    static const uint16_t ops[] = {OP_FADD, OP_FMUL, OP_FFMA, OP_FDIV, OP_FRCP, OP_FSQRT};
    for (uint32_t o = 0; o < WW_COUNT(ops); o++)
        for (uint8_t rnd = MRND_RN; rnd <= MRND_RP; rnd++)
            for (uint32_t f = 0; f < 4; f++) {
                const uint32_t flags = (f & 1 ? MF_FTZ : 0) | (f & 2 ? MF_SAT : 0);
                check_f32(mop_info[ops[o]].text,
                          MI(.op = ops[o], .type = ITYPE_F32, .rnd = rnd, .flags = flags,
                             .dst = {R(RES)}, .src = {ABC}),
                          ref_arith, rnd == MRND_RN && f ? 300 : 1500);
            }
}
static void modifiers(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 64; k++) {
        struct minst m =
            MI(.op = OP_FFMA, .type = ITYPE_F32, .rnd = MRND_RN, .dst = {R(RES)}, .src = {ABC});
        for (uint32_t s = 0; s < 3; s++) m.src[s].mods = (uint8_t)(k >> (2 * s) & 3);
        check_f32("ffma mods", m, ref_arith, 40);
        m.op = OP_FADD;
        m.src[2] = NONE_;
        check_f32("fadd mods", m, ref_arith, 40);
    }
}
static uint32_t ref_fmad(const struct minst *m, uint32_t ua, uint32_t ub, uint32_t uc,
                         uint32_t ue) {
    (void)ue;
    const double a = bits_f32(flush_(ua)), b = bits_f32(flush_(ub)), c = bits_f32(flush_(uc));
    double p = a * b;
    if (c == 0) { // as mul, then add
        p = bits_f32(flush_(f32_bits((float)p)));
    } else if (isfinite(p) && p != 0) { // 24 bits of the mantissa, any exponent
        int e;
        const double f = frexp(p, &e);
        p = ldexp(trunc(ldexp(f, 24)), e - 24);
    }
    const volatile long double s = (long double)p + c;
    return finish32(f32_bits((float)s), m->flags);
}
static void mad_of_tesla(void **state) {
    (void)state;
    // Operands of a narrow range, so that the long double sum is exact.
    LEVELS(v) {
        struct minst m = MI(.op = OP_FMAD, .type = ITYPE_F32, .rnd = MRND_RN, .flags = MF_FTZ,
                            .dst = {R(RES)}, .src = {ABC});
        struct op_run *r = op_new(m);
        uint64_t seed = 17;
        for (uint32_t n = 0; n < 3000; n++) {
            for (uint32_t i = 0; i < 32; i++) {
                r->a.w[0][i] = ((uint32_t)rnd64(&seed) & 0x81ffffffu) + 0x3e800000u;
                r->b.w[0][i] = ((uint32_t)rnd64(&seed) & 0x81ffffffu) + 0x3e800000u;
                r->c.w[0][i] = ((uint32_t)rnd64(&seed) & 0x83ffffffu) + 0x3d800000u;
                if (n == 0) r->a.w[0][i] = fp32(&seed, i);
                if (n == 1) r->c.w[0][i] = fp32(&seed, i);
            }
            op_step(r, ~0u);
            for (uint32_t i = 0; i < 32; i++) {
                const uint32_t want = ref_fmad(&m, r->a.w[0][i], r->b.w[0][i], r->c.w[0][i], 0);
                if (r->d.w[0][i] != want)
                    fail_msg("fmad at %s: %08x * %08x + %08x gives %08x, not %08x",
                             exec_simd_level(), r->a.w[0][i], r->b.w[0][i], r->c.w[0][i],
                             r->d.w[0][i], want);
            }
        }
        op_free(r);
    }
    exec_simd_force(NULL);
}

static uint32_t ref_minmax(const struct minst *m, uint32_t a, uint32_t b, uint32_t c, uint32_t e) {
    (void)e;
    uint32_t v[3] = {mods32(a, m->src[0].mods, m->flags), mods32(b, m->src[1].mods, m->flags),
                     mods32(c, m->src[2].mods, m->flags)};
    const uint32_t n = m->src[2].kind ? 3 : 2;
    uint32_t sign = 0, nans = 0, best = 0;
    bool have = false;
    for (uint32_t k = 0; k < n; k++) {
        sign ^= v[k] & 0x80000000u;
        if (m->flags & MF_ABS) v[k] &= 0x7fffffffu;
        if (nan32(v[k])) {
            nans++;
            continue;
        }
        if (!have) {
            best = v[k];
            have = true;
            continue;
        }
        const float x = bits_f32(v[k]), y = bits_f32(best);
        // -0 is less than +0
        const bool less = x < y || (x == y && v[k] >> 31 && !(best >> 31));
        const bool more = x > y || (x == y && !(v[k] >> 31) && best >> 31);
        if (m->sub ? more : less) best = v[k];
    }
    if (!have || (m->flags & MF_NAN && nans)) return 0x7fffffffu;
    if (m->flags & MF_ABS) best |= sign;
    return finish32(best, m->flags);
}
static void min_max(void **state) {
    (void)state;
    static const uint32_t flags[] = {0,      MF_FTZ,          MF_NAN,
                                     MF_ABS, MF_NAN | MF_ABS, MF_NAN | MF_ABS | MF_FTZ};
    for (uint8_t sub = 0; sub < 2; sub++)
        for (uint32_t k = 0; k < WW_COUNT(flags); k++) {
            struct minst m = MI(.op = OP_FMNMX, .type = ITYPE_F32, .sub = sub, .flags = flags[k],
                                .dst = {R(RES)}, .src = {R(RA), R(RB)});
            check_f32("fmnmx", m, ref_minmax, 200);
            m.src[2] = R(RC);
            check_f32("fmnmx3", m, ref_minmax, 200);
            m.src[2] = NONE_;
            m.src[1].mods = OPND_NEG;
            check_f32("fmnmx neg", m, ref_minmax, 100);
        }
}
static uint32_t ref_mov(const struct minst *m, uint32_t a, uint32_t b, uint32_t c, uint32_t e) {
    (void)b, (void)c, (void)e;
    return mods32(a, m->src[0].mods, m->flags);
}
static uint32_t ref_copysign(const struct minst *m, uint32_t a, uint32_t b, uint32_t c,
                             uint32_t e) {
    (void)m, (void)c, (void)e;
    return f32_bits(copysignf(bits_f32(b & 0x7fffffff), bits_f32(a & 0x80000000u)));
}
static void signs(void **state) {
    (void)state;
    for (uint8_t mods = 0; mods < 4; mods++) {
        struct minst m = MI(.op = OP_FABSNEG, .type = ITYPE_F32, .dst = {R(RES)}, .src = {R(RA)});
        m.src[0].mods = mods;
        check_f32("fmov", m, ref_mov, 60);
        m.flags = MF_FTZ;
        check_f32("fmov.ftz", m, ref_mov, 60);
    }
    check_f32("copysign",
              MI(.op = OP_FCOPYSIGN, .type = ITYPE_F32, .dst = {R(RES)}, .src = {R(RA), R(RB)}),
              ref_copysign, 60);
}
static bool cmp_f(float a, float b, uint8_t c) {
    switch (c) {
    case MCMP_EQ: return a == b;
    case MCMP_NE: return islessgreater(a, b);
    case MCMP_LT: return isless(a, b);
    case MCMP_LE: return islessequal(a, b);
    case MCMP_GT: return isgreater(a, b);
    case MCMP_GE: return isgreaterequal(a, b);
    case MCMP_EQU: return isunordered(a, b) || a == b;
    case MCMP_NEU: return isunordered(a, b) || a != b;
    case MCMP_LTU: return isunordered(a, b) || a < b;
    case MCMP_LEU: return isunordered(a, b) || a <= b;
    case MCMP_GTU: return isunordered(a, b) || a > b;
    case MCMP_GEU: return isunordered(a, b) || a >= b;
    case MCMP_NUM: return !isunordered(a, b);
    default: return isunordered(a, b);
    }
}
static void compares(void **state) {
    (void)state;
    LEVELS(v) {
        for (uint8_t c = MCMP_EQ; c <= MCMP_NAN; c++)
            for (uint32_t ftz = 0; ftz < 2; ftz++) {
                struct minst m = MI(.op = OP_FSETP, .type = ITYPE_F32, .cmp = c,
                                    .flags = MF_CMP3 | (ftz ? MF_FTZ : 0), .dst = {P(PD), P(PQ)},
                                    .src = {R(RA), R(RB)});
                struct minst s =
                    MI(.op = OP_FSET, .type = ITYPE_U32, .stype = ITYPE_F32, .cmp = c,
                       .flags = ftz ? MF_FTZ : 0, .dst = {R(RES)}, .src = {R(RA), R(RB)});
                struct op_run *r = op_new(m), *q = op_new(s);
                uint64_t seed = 21;
                for (uint32_t n = 0; n < 100; n++) {
                    for (uint32_t i = 0; i < 32; i++) {
                        r->a.w[0][i] = q->a.w[0][i] = fp32(&seed, n < 32 ? n : 99);
                        r->b.w[0][i] = q->b.w[0][i] = n < 32             ? fp32(&seed, i)
                                                      : rnd64(&seed) & 1 ? r->a.w[0][i]
                                                                         : fp32(&seed, 99);
                    }
                    const uint32_t mask = pick_mask(&seed, n);
                    op_step(r, mask);
                    op_step(q, mask);
                    for (uint32_t i = 0; i < 32; i++) {
                        if (!(mask >> i & 1)) continue;
                        const uint32_t x = ftz ? flush_(r->a.w[0][i]) : r->a.w[0][i],
                                       y = ftz ? flush_(r->b.w[0][i]) : r->b.w[0][i];
                        const bool want = cmp_f(bits_f32(x), bits_f32(y), c);
                        assert_int_equal(r->pd >> i & 1, want);
                        assert_int_equal(r->pq >> i & 1, !want);
                        assert_int_equal(q->d.w[0][i], want ? ~0u : 0);
                    }
                }
                op_free(r);
                op_free(q);
            }
        for (uint8_t sub = 0; sub < 6; sub++) {
            struct op_run *r = op_new(
                MI(.op = OP_FTESTP, .type = ITYPE_F32, .sub = sub, .dst = {P(PD)}, .src = {R(RA)}));
            uint64_t seed = 4;
            for (uint32_t n = 0; n < 40; n++) {
                for (uint32_t i = 0; i < 32; i++) r->a.w[0][i] = fp32(&seed, n * 32 + i);
                op_step(r, ~0u);
                for (uint32_t i = 0; i < 32; i++) {
                    const int k = fpclassify(bits_f32(r->a.w[0][i]));
                    const bool want[] = {
                        k != FP_NAN && k != FP_INFINITE, k == FP_INFINITE, k != FP_NAN, k == FP_NAN,
                        k == FP_NORMAL || k == FP_ZERO,  k == FP_SUBNORMAL};
                    assert_int_equal(r->pd >> i & 1, want[sub]);
                }
            }
            op_free(r);
        }
    }
    exec_simd_force(NULL);
}

// ---- approximations -------------------------------------------------------------------------
// The greatest error over dense samples of [lo, hi], absolute or relative, against long double.
typedef long double truth_fn(long double);
static long double t_rcp(long double v) { return 1 / v; }
static long double t_rsq(long double v) { return 1 / sqrtl(v); }
static double worst(uint8_t sub, truth_fn *truth, float lo, float hi, bool relative,
                    uint32_t flags) {
    struct op_run *r = op_new(MI(.op = OP_MUFU, .type = ITYPE_F32, .sub = sub, .flags = flags,
                                 .dst = {R(RES)}, .src = {R(RA)}));
    const uint32_t steps = 40000;
    double max = 0;
    uint64_t seed = 77;
    for (uint32_t n = 0; n < steps; n++) {
        for (uint32_t i = 0; i < 32; i++) {
            const double u =
                ((double)n * 32 + i + (double)(rnd64(&seed) >> 40) * 0x1p-24) / (steps * 32.0);
            r->a.w[0][i] = f32_bits((float)(lo + (hi - lo) * u));
        }
        op_step(r, ~0u);
        for (uint32_t i = 0; i < 32; i++) {
            const long double t = truth((long double)bits_f32(r->a.w[0][i]));
            const long double got = bits_f32(r->d.w[0][i]);
            long double e = fabsl(got - t);
            if (relative && t != 0) e /= fabsl(t);
            if ((double)e > max) max = (double)e;
        }
    }
    op_free(r);
    return max;
}
static void bounds(void **state) {
    (void)state;
    LEVELS(v) {
        assert_true(worst(MUFU_RCP, t_rcp, 1, 2, true, 0) <= 0x1p-23);
        assert_true(worst(MUFU_RSQ, t_rsq, 1, 4, true, 0) <= exp2(-22.9));
        assert_true(worst(MUFU_SQRT, sqrtl, 1, 4, true, 0) <= 0x1p-23);
        assert_true(worst(MUFU_EX2, exp2l, -1, 1, true, 0) <= exp2(-22.5));
        assert_true(worst(MUFU_EX2, exp2l, -126, 128, true, 0) <= exp2(-22.5));
        assert_true(worst(MUFU_LG2, log2l, 0.5f, 2, false, 0) <= exp2(-22.6));
        assert_true(worst(MUFU_LG2, log2l, 2, 1e6f, true, 0) <= exp2(-22.6));
        assert_true(worst(MUFU_LG2, log2l, 1e-38f, 0.5f, true, 0) <= exp2(-22.6));
        assert_true(worst(MUFU_SIN, sinl, -6.2831855f, 6.2831855f, false, 0) <= exp2(-20.9));
        assert_true(worst(MUFU_COS, cosl, -6.2831855f, 6.2831855f, false, 0) <= exp2(-20.9));
        assert_true(worst(MUFU_SIN, sinl, -3000, 3000, false, 0) <= exp2(-20.9));
        assert_true(worst(MUFU_TANH, tanhl, -10, 10, true, 0) <= exp2(-11));
        assert_true(worst(MUFU_TANH, tanhl, -0.02f, 0.02f, true, 0) <= exp2(-11));
    }
    exec_simd_force(NULL);
}
static void special_values(void **state) {
    (void)state;
    enum { INF = 0x7f800000, NANV = 0x7fffffff };
    static const struct {
        uint8_t sub;
        bool ftz;
        uint32_t in, out;
    } table[] = {
        {MUFU_RCP, 1, 0xff800000u, 0x80000000u},
        {MUFU_RCP, 1, 0x80000001u, 0xff800000u},
        {MUFU_RCP, 0, 0x80000000u, 0xff800000u},
        {MUFU_RCP, 0, 0, INF},
        {MUFU_RCP, 1, 1, INF},
        {MUFU_RCP, 0, INF, 0},
        {MUFU_RCP, 0, 0x7fc00000, NANV},
        {MUFU_RCP, 1, 0x7f000001, 0},
        {MUFU_RSQ, 0, 0xff800000u, NANV},
        {MUFU_RSQ, 0, 0xbf800000u, NANV},
        {MUFU_RSQ, 1, 0x80000001u, 0xff800000u},
        {MUFU_RSQ, 0, 0x80000000u, 0xff800000u},
        {MUFU_RSQ, 0, 0, INF},
        {MUFU_RSQ, 1, 1, INF},
        {MUFU_RSQ, 0, INF, 0},
        {MUFU_RSQ, 0, 0x7fc00000, NANV},
        {MUFU_SQRT, 0, 0xff800000u, NANV},
        {MUFU_SQRT, 0, 0x80000000u, 0x80000000u},
        {MUFU_SQRT, 1, 0x80000001u, 0x80000000u},
        {MUFU_SQRT, 0, 0, 0},
        {MUFU_SQRT, 1, 1, 0},
        {MUFU_SQRT, 0, INF, INF},
        {MUFU_SQRT, 0, NANV, NANV},
        {MUFU_EX2, 0, 0xff800000u, 0},
        {MUFU_EX2, 0, 0x80000001u, 0x3f800000},
        {MUFU_EX2, 0, 0x80000000u, 0x3f800000},
        {MUFU_EX2, 0, 0, 0x3f800000},
        {MUFU_EX2, 0, 1, 0x3f800000},
        {MUFU_EX2, 0, INF, INF},
        {MUFU_EX2, 0, 0xffc00000u, NANV},
        {MUFU_EX2, 0, 0x43000000, INF},
        {MUFU_EX2, 0, 0xc3150000u, 1},
        {MUFU_EX2, 1, 0xc3150000u, 0},
        {MUFU_EX2, 0, 0xc2fc0000u, 0x00800000},
        {MUFU_EX2, 0, 0x41200000, 0x44800000},
        {MUFU_LG2, 0, 0xff800000u, NANV},
        {MUFU_LG2, 0, 0xbf800000u, NANV},
        {MUFU_LG2, 1, 0x80000001u, 0xff800000u},
        {MUFU_LG2, 0, 0x80000000u, 0xff800000u},
        {MUFU_LG2, 0, 0, 0xff800000u},
        {MUFU_LG2, 1, 1, 0xff800000u},
        {MUFU_LG2, 0, INF, INF},
        {MUFU_LG2, 0, 0x7fc00000, NANV},
        {MUFU_LG2, 0, 0x3f800000, 0},
        {MUFU_LG2, 0, 1, 0xc3150000u},
        {MUFU_LG2, 0, 0x44800000, 0x41200000},
        {MUFU_SIN, 0, 0xff800000u, NANV},
        {MUFU_SIN, 0, 0x80000001u, 0x80000000u},
        {MUFU_SIN, 0, 0x80000000u, 0x80000000u},
        {MUFU_SIN, 0, 0, 0},
        {MUFU_SIN, 0, 1, 0},
        {MUFU_SIN, 0, INF, NANV},
        {MUFU_SIN, 0, 0x7fc00000, NANV},
        {MUFU_COS, 0, 0xff800000u, NANV},
        {MUFU_COS, 0, 0x80000001u, 0x3f800000},
        {MUFU_COS, 0, 0x80000000u, 0x3f800000},
        {MUFU_COS, 0, 0, 0x3f800000},
        {MUFU_COS, 0, 1, 0x3f800000},
        {MUFU_COS, 0, INF, NANV},
        {MUFU_COS, 0, 0x7fc00000, NANV},
        {MUFU_TANH, 0, 0xff800000u, 0xbf800000u},
        {MUFU_TANH, 0, 0x80000000u, 0x80000000u},
        {MUFU_TANH, 0, 0, 0},
        {MUFU_TANH, 0, 0x80000005u, 0x80000005u},
        {MUFU_TANH, 0, 5, 5},
        {MUFU_TANH, 0, INF, 0x3f800000},
        {MUFU_TANH, 0, 0x7fc00000, NANV},
    };
    LEVELS(v) {
        for (uint32_t k = 0; k < WW_COUNT(table); k++) {
            struct op_run *r =
                op_new(MI(.op = OP_MUFU, .type = ITYPE_F32, .sub = table[k].sub,
                          .flags = table[k].ftz ? MF_FTZ : 0, .dst = {R(RES)}, .src = {R(RA)}));
            for (uint32_t i = 0; i < 32; i++) r->a.w[0][i] = table[k].in;
            op_step(r, ~0u);
            if (r->d.w[0][7] != table[k].out)
                fail_msg("mufu %u of %08x gives %08x, not %08x", table[k].sub, table[k].in,
                         r->d.w[0][7], table[k].out);
            op_free(r);
        }
        // Whatever the argument, sine and cosine lie in [-1, 1].
        for (uint8_t sub = MUFU_SIN; sub <= MUFU_COS; sub++) {
            struct op_run *r = op_new(
                MI(.op = OP_MUFU, .type = ITYPE_F32, .sub = sub, .dst = {R(RES)}, .src = {R(RA)}));
            uint64_t seed = 8;
            for (uint32_t n = 0; n < 3000; n++) {
                for (uint32_t i = 0; i < 32; i++)
                    r->a.w[0][i] = (uint32_t)rnd64(&seed) & 0xff7fffffu;
                op_step(r, ~0u);
                for (uint32_t i = 0; i < 32; i++)
                    assert_true(nan32(r->d.w[0][i]) ==
                                    ((r->a.w[0][i] & 0x7fffffff) >= 0x7f800000u) &&
                                (nan32(r->d.w[0][i]) || fabsf(bits_f32(r->d.w[0][i])) <= 1.0f));
            }
            op_free(r);
        }
    }
    exec_simd_force(NULL);
}
static uint32_t ref_divfast(const struct minst *m, uint32_t a, uint32_t b, uint32_t c, uint32_t e) {
    (void)c, (void)e;
    if (m->flags & MF_FTZ) {
        a = flush_(a);
        b = flush_(b);
    }
    const uint32_t mb = b & 0x7fffffffu, sign = (a ^ b) & 0x80000000u;
    if (m->flags & MF_APPROX && mb > 0x7e800000u && mb < 0x7f800000u) {
        if ((a & 0x7fffffffu) >= 0x7f800000u) return 0x7fffffffu;
        return sign;
    }
    return finish32(f32_bits(bits_f32(a) / bits_f32(b)), m->flags);
}
static void quick_division(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 4; k++)
        check_f32("div.approx",
                  MI(.op = OP_FDIV, .type = ITYPE_F32,
                     .flags = (k & 1 ? MF_FTZ : 0) | (k & 2 ? MF_APPROX : MF_FULL), .dst = {R(RES)},
                     .src = {R(RA), R(RB)}),
                  ref_divfast, 300);
}
// Approximations must have the same bits at every level: sum them all up.
static void same_bits_everywhere(void **state) {
    (void)state;
    uint64_t sums[3][10] = {{0}};
    LEVELS(v) {
        for (uint8_t sub = MUFU_RCP; sub <= MUFU_TANH; sub++) {
            struct op_run *r = op_new(
                MI(.op = OP_MUFU, .type = ITYPE_F32, .sub = sub, .dst = {R(RES)}, .src = {R(RA)}));
            uint64_t seed = 1234;
            for (uint32_t n = 0; n < 20000; n++) {
                for (uint32_t i = 0; i < 32; i++) r->a.w[0][i] = fp32(&seed, n * 32 + i);
                op_step(r, ~0u);
                for (uint32_t i = 0; i < 32; i++)
                    sums[level_][sub] = sums[level_][sub] * 31 + r->d.w[0][i];
            }
            op_free(r);
        }
    }
    else memcpy(sums[level_], sums[0], sizeof sums[0]);
    exec_simd_force(NULL);
    for (uint32_t k = 1; k < 3; k++) assert_memory_equal(sums[k], sums[0], sizeof sums[0]);
    // On any host: these are what they were when the test was written.
    static const uint64_t golden[8] = {
        0xeadb956bf6292132ull, 0xe084bb7559da7904ull, 0x05774c945c80fa38ull, 0x8a7a2742feababa3ull,
        0x81398e23097a0ca3ull, 0xb0af991f80d1e12bull, 0x3dd0a7a3855c5236ull, 0x4c03deaadc099d97ull};
    for (uint32_t k = 0; k < 8; k++)
        if (sums[0][k] != golden[k])
            fail_msg("mufu %u sums to 0x%llx", k, (unsigned long long)sums[0][k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),     cmocka_unit_test(modifiers),
        cmocka_unit_test(mad_of_tesla),   cmocka_unit_test(min_max),
        cmocka_unit_test(signs),          cmocka_unit_test(compares),
        cmocka_unit_test(bounds),         cmocka_unit_test(special_values),
        cmocka_unit_test(quick_division), cmocka_unit_test(same_bits_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
