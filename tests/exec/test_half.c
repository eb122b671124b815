// Half precision and bfloat16. References round exact values by counting units in the last place,
// in long double, which holds every sum and product of two halves and most fused ones exactly.
#include "test_fp.h"

struct fmt {
    int bits, emin; // significant bits, exponent of the least normal number
    uint32_t inf;
};
static const struct fmt F16 = {11, -14, 0x7c00}, BF16 = {8, -126, 0x7f80};

static long double widen(uint32_t h, const struct fmt *f) {
    const int mant = f->bits - 1, e = (int)((h & 0x7fff) >> mant);
    const uint32_t m = h & ((1u << mant) - 1);
    long double v;
    if ((h & 0x7fff) > f->inf)
        v = NAN;
    else if ((h & 0x7fff) == f->inf)
        v = INFINITY;
    else if (e == 0)
        v = ldexpl(m, f->emin - mant);
    else
        v = ldexpl((long double)m + (1u << mant), f->emin - mant + e - 1);
    return h & 0x8000 ? -v : v;
}
// Nearest even, of an exact v and what is still to be added to it (its sign decides ties).
static uint32_t narrow(long double v, long double rest, const struct fmt *f) {
    if (isnan(v)) return 0x7fff;
    const uint32_t sign = signbit(v) ? 0x8000 : 0;
    long double a = fabsl(v);
    if (sign) rest = -rest;
    if (isinf(a)) return sign | f->inf;
    if (a == 0 && rest == 0) return sign;
    int e = a == 0 ? -20000 : ilogbl(a);
    if (e < f->emin) e = f->emin;
    const long double ulp = ldexpl(1, e - f->bits + 1);
    long double n = floorl(a / ulp);
    const long double left = a - n * ulp, half = ulp / 2;
    const bool odd = fmodl(n, 2) == 1;
    if (left > half || (left == half && (rest > 0 || (rest == 0 && odd)))) n += 1;
    a = n * ulp;
    if (a >= ldexpl(1, f->bits == 11 ? 16 : 128)) return sign | f->inf;
    if (a < ldexpl(1, f->emin)) return sign | (uint32_t)n;
    int k;
    const long double fr = frexpl(a, &k);
    const uint32_t m = (uint32_t)ldexpl(fr, f->bits) & ((1u << (f->bits - 1)) - 1);
    return sign | (uint32_t)(k - f->emin) << (f->bits - 1) | m;
}
static uint32_t half_value(uint64_t *s, uint32_t n, const struct fmt *f) {
    const uint32_t e[] = {0,
                          0x8000,
                          1,
                          0x8001,
                          f->inf - 1,
                          f->inf,
                          f->inf | 0x8000,
                          f->inf + 1,
                          0x7fff,
                          0xffff,
                          f->bits == 11 ? 0x3c00u : 0x3f80u,
                          f->bits == 11 ? 0xbc00u : 0xbf80u,
                          (1u << (f->bits - 1)) - 1,
                          1u << (f->bits - 1)};
    return n < WW_COUNT(e) ? e[n] : (uint32_t)rnd64(s) & 0xffff;
}
static uint32_t flush16(uint32_t h, const struct fmt *f) { return h & f->inf ? h : h & 0x8000; }

static uint32_t reference(const struct minst *m, const struct fmt *f, uint32_t a, uint32_t b,
                          uint32_t c, bool *skip) {
    uint32_t v[3] = {a, b, c};
    for (uint32_t k = 0; k < 3; k++) {
        if (m->src[k].mods & OPND_ABS) v[k] &= 0x7fff;
        if (m->src[k].mods & OPND_NEG) v[k] ^= 0x8000;
        if (m->flags & MF_FTZ) v[k] = flush16(v[k], f);
    }
    const long double x = widen(v[0], f), y = widen(v[1], f), z = widen(v[2], f);
    uint32_t r;
    *skip = false;
    if (m->op == OP_HADD) {
        const volatile long double s = x + y, t = s - x;
        const volatile long double e = isfinite(s) ? (x - (s - t)) + (y - t) : 0;
        r = narrow(s, e, f);
    } else if (m->op == OP_HMUL) {
        r = narrow(x * y, 0, f);
    } else {
        const volatile long double p = x * y, s = p + z, t = s - p;
        const volatile long double e = isfinite(s) ? (p - (s - t)) + (z - t) : 0;
        r = narrow(s, e, f);
    }
    if (m->flags & MF_FTZ) r = flush16(r, f);
    const bool nan = (r & 0x7fff) > f->inf;
    if (m->flags & MF_SAT) {
        const uint32_t one = f->bits == 11 ? 0x3c00 : 0x3f80;
        r = nan || r >> 15 ? 0 : r > one ? one : r;
    }
    if (m->flags & MF_RELU && !nan && r >> 15) r = 0;
    return r;
}

static void arithmetic(void **state) {
    (void)state;
    static const uint16_t ops[] = {OP_HADD, OP_HMUL, OP_HFMA};
    static const uint8_t types[] = {ITYPE_F16, ITYPE_F16X2, ITYPE_BF16, ITYPE_BF16X2};
    static const uint32_t flags[] = {0, MF_FTZ, MF_SAT, MF_RELU};
    LEVELS(v) {
        for (uint32_t o = 0; o < 3; o++)
            for (uint32_t t = 0; t < 4; t++)
                for (uint32_t k = 0; k < 8; k++) {
                    const struct fmt *f = t < 2 ? &F16 : &BF16;
                    struct minst m = MI(.op = ops[o], .type = types[t], .flags = flags[k & 3],
                                        .dst = {R(RES)}, .src = {ABC});
                    if (k & 4) {
                        m.src[0].mods = OPND_NEG;
                        m.src[1].mods = OPND_ABS;
                        m.src[2].mods = OPND_NEG | OPND_ABS;
                    }
                    struct op_run *r = op_new(m);
                    uint64_t seed = 44;
                    for (uint32_t n = 0; n < 400; n++) {
                        for (uint32_t i = 0; i < 32; i++) {
                            const uint32_t hi = (uint32_t)rnd64(&seed) << 16;
                            r->a.w[0][i] = hi | half_value(&seed, n < 14 ? n : 99, f);
                            r->b.w[0][i] = hi >> 3 << 16 | half_value(&seed, n < 14 ? i : 99, f);
                            r->c.w[0][i] = (uint32_t)rnd64(&seed) << 16 |
                                           half_value(&seed, n < 28 ? (n + i) % 20 : 99, f);
                        }
                        const uint32_t mask = pick_mask(&seed, n);
                        op_step(r, mask);
                        for (uint32_t i = 0; i < 32; i++) {
                            bool skip;
                            const uint32_t a = r->a.w[0][i], b = r->b.w[0][i], c = r->c.w[0][i];
                            uint32_t want =
                                reference(&m, f, a & 0xffff, b & 0xffff, c & 0xffff, &skip);
                            uint32_t got = r->d.w[0][i];
                            if (t & 1)
                                want |= reference(&m, f, a >> 16, b >> 16, c >> 16, &skip) << 16;
                            else
                                got &= 0xffff;
                            if (!(mask >> i & 1))
                                want = t & 1 ? r->old.w[0][i] : r->old.w[0][i] & 0xffff;
                            if (got != want)
                                fail_msg("%s type %u flags %x at %s: %08x %08x %08x gives %08x, "
                                         "not %08x",
                                         mop_info[ops[o]].text, types[t], m.flags,
                                         exec_simd_level(), a, b, c, got, want);
                        }
                    }
                    op_free(r);
                }
    }
    exec_simd_force(NULL);
}
// All pairs of a sum and of a product with one operand from a set.
static void exhaustive(void **state) {
    (void)state;
    static const uint32_t set[] = {0x3c01, 0x0001, 0x83ff, 0x7bff, 0x5555, 0x0400, 0x1234};
    for (uint32_t k = 0; k < WW_COUNT(set); k++)
        for (uint32_t o = 0; o < 2; o++) {
            struct minst m = MI(.op = o ? OP_HMUL : OP_HADD, .type = ITYPE_F16, .dst = {R(RES)},
                                .src = {R(RA), R(RB)});
            struct op_run *r = op_new(m);
            for (uint32_t n = 0; n < 65536; n += 32) {
                for (uint32_t i = 0; i < 32; i++) {
                    r->a.w[0][i] = n + i;
                    r->b.w[0][i] = set[k];
                }
                op_step(r, ~0u);
                for (uint32_t i = 0; i < 32; i++) {
                    bool skip;
                    assert_int_equal(r->d.w[0][i] & 0xffff,
                                     reference(&m, &F16, n + i, set[k], 0, &skip));
                }
            }
            op_free(r);
        }
}
static bool cmp_h(long double a, long double b, uint8_t c) {
    const bool un = isunordered(a, b);
    const bool t[] = {[MCMP_EQ] = a == b,
                      [MCMP_NE] = !un && a != b,
                      [MCMP_LT] = a<b, [MCMP_LE] = a <= b, [MCMP_GT] = a> b,
                      [MCMP_GE] = a >= b,
                      [MCMP_EQU] = un || a == b,
                      [MCMP_NEU] = un || a != b,
                      [MCMP_LTU] = un || a < b,
                      [MCMP_LEU] = un || a <= b,
                      [MCMP_GTU] = un || a > b,
                      [MCMP_GEU] = un || a >= b,
                      [MCMP_NUM] = !un,
                      [MCMP_NAN] = un};
    return t[c];
}
static void compares(void **state) {
    (void)state;
    static const uint8_t types[] = {ITYPE_F16, ITYPE_F16X2, ITYPE_BF16, ITYPE_BF16X2};
    static const uint8_t dest[] = {ITYPE_U16, ITYPE_U32, ITYPE_F16};
    LEVELS(v) {
        for (uint32_t t = 0; t < 4; t++)
            for (uint8_t c = MCMP_EQ; c <= MCMP_NAN; c++) {
                const struct fmt *f = t < 2 ? &F16 : &BF16;
                const bool two = t & 1;
                struct op_run *r =
                    op_new(MI(.op = OP_HSETP, .type = types[t], .cmp = c, .flags = MF_CMP3,
                              .dst = {P(PD), P(PQ)}, .src = {R(RA), R(RB)}));
                struct op_run *q[3];
                for (uint32_t k = 0; k < 3; k++)
                    q[k] = op_new(MI(.op = OP_HSET, .type = k == 2 ? types[t] : dest[k],
                                     .stype = types[t], .cmp = c, .dst = {R(RES)},
                                     .src = {R(RA), R(RB)}));
                uint64_t seed = 2;
                for (uint32_t n = 0; n < 40; n++) {
                    for (uint32_t i = 0; i < 32; i++) {
                        r->a.w[0][i] =
                            (uint32_t)rnd64(&seed) << 16 | half_value(&seed, n < 14 ? n : 99, f);
                        r->b.w[0][i] = rnd64(&seed) & 1
                                           ? r->a.w[0][i]
                                           : (uint32_t)rnd64(&seed) << 16 | half_value(&seed, i, f);
                    }
                    for (uint32_t k = 0; k < 3; k++) {
                        q[k]->a = r->a;
                        q[k]->b = r->b;
                        op_step(q[k], ~0u);
                    }
                    op_step(r, ~0u);
                    for (uint32_t i = 0; i < 32; i++) {
                        const uint32_t a = r->a.w[0][i], b = r->b.w[0][i];
                        const bool lo = cmp_h(widen(a & 0xffff, f), widen(b & 0xffff, f), c),
                                   hi = cmp_h(widen(a >> 16, f), widen(b >> 16, f), c);
                        assert_int_equal(r->pd >> i & 1, lo);
                        assert_int_equal(r->pq >> i & 1, two ? hi : !lo);
                        assert_int_equal(q[0]->d.w[0][i] & 0xffff, lo ? 0xffff : 0);
                        assert_int_equal(q[1]->d.w[0][i],
                                         two  ? (lo ? 0xffffu : 0) | (hi ? 0xffff0000u : 0)
                                         : lo ? ~0u
                                              : 0);
                        const uint32_t one = t < 2 ? 0x3c00 : 0x3f80;
                        const uint32_t want = (lo ? one : 0) | (two && hi ? one << 16 : 0);
                        assert_int_equal(two ? q[2]->d.w[0][i] : q[2]->d.w[0][i] & 0xffff, want);
                    }
                }
                op_free(r);
                for (uint32_t k = 0; k < 3; k++) op_free(q[k]);
            }
    }
    exec_simd_force(NULL);
}
static void min_max(void **state) {
    (void)state;
    static const uint32_t flags[] = {0, MF_NAN, MF_ABS, MF_NAN | MF_ABS, MF_FTZ};
    LEVELS(v) {
        for (uint32_t bf = 0; bf < 2; bf++)
            for (uint8_t sub = 0; sub < 2; sub++)
                for (uint32_t k = 0; k < 5; k++) {
                    const struct fmt *f = bf ? &BF16 : &F16;
                    struct op_run *r =
                        op_new(MI(.op = OP_HMNMX, .type = bf ? ITYPE_BF16 : ITYPE_F16, .sub = sub,
                                  .flags = flags[k], .dst = {R(RES)}, .src = {R(RA), R(RB)}));
                    uint64_t seed = 6;
                    for (uint32_t n = 0; n < 100; n++) {
                        for (uint32_t i = 0; i < 32; i++) {
                            r->a.w[0][i] = half_value(&seed, n < 14 ? n : 99, f);
                            r->b.w[0][i] = half_value(&seed, n < 14 ? i : 99, f);
                        }
                        op_step(r, ~0u);
                        for (uint32_t i = 0; i < 32; i++) {
                            uint32_t a = r->a.w[0][i], b = r->b.w[0][i];
                            if (flags[k] & MF_FTZ) a = flush16(a, f), b = flush16(b, f);
                            const uint32_t sign = (a ^ b) & 0x8000;
                            if (flags[k] & MF_ABS) a &= 0x7fff, b &= 0x7fff;
                            const long double x = widen(a, f), y = widen(b, f);
                            uint32_t want;
                            if ((isnan(x) && isnan(y)) ||
                                (flags[k] & MF_NAN && (isnan(x) || isnan(y))))
                                want = 0x7fff;
                            else {
                                if (isnan(x))
                                    want = b;
                                else if (isnan(y))
                                    want = a;
                                else if (x == y)
                                    want = sub ? a & b : a | b; // zeros differ in sign only
                                else
                                    want = (x < y) != sub ? a : b;
                                if (flags[k] & MF_ABS) want |= sign;
                            }
                            if ((r->d.w[0][i] & 0xffff) != want)
                                fail_msg("hmnmx %u %x: %04x %04x gives %04x, not %04x", sub,
                                         flags[k], r->a.w[0][i], r->b.w[0][i], r->d.w[0][i], want);
                        }
                    }
                    op_free(r);
                }
    }
    exec_simd_force(NULL);
}
// ex2.approx and tanh.approx of every half: within 2^-9.9 and 2^-10.987 (PTX ISA).
static void special_functions(void **state) {
    (void)state;
    LEVELS(v) {
        for (uint32_t bf = 0; bf < 2; bf++)
            for (uint32_t th = 0; th < 2; th++) {
                const struct fmt *f = bf ? &BF16 : &F16;
                struct op_run *r =
                    op_new(MI(.op = th ? OP_HTANH : OP_HEX2, .type = bf ? ITYPE_BF16 : ITYPE_F16,
                              .dst = {R(RES)}, .src = {R(RA)}));
                for (uint32_t n = 0; n < 65536; n += 32) {
                    for (uint32_t i = 0; i < 32; i++) r->a.w[0][i] = n + i;
                    op_step(r, ~0u);
                    for (uint32_t i = 0; i < 32; i++) {
                        const long double x = widen(n + i, f),
                                          got = widen(r->d.w[0][i] & 0xffff, f);
                        const long double t = th ? tanhl(x) : exp2l(x);
                        if (isnan(x))
                            assert_int_equal(r->d.w[0][i] & 0xffff, 0x7fff);
                        else if (narrow(t, 0, f) == f->inf)
                            assert_true(isinf(got));
                        else
                            assert_true(fabsl(got - t) <= fabsl(t) * (bf ? 0x1p-7 : exp2(-9.9)) +
                                                              ldexpl(1, f->emin - f->bits + 1));
                    }
                }
                op_free(r);
            }
    }
    exec_simd_force(NULL);
}

// A constant as ptxas writes it: 0 times 0 and two halves, with either sign of the product. An immediate and a register give
// the same, and of the reference what it says.
static void constants(void **state) {
    (void)state;
    static const uint32_t halves[] = {0,      0x8000, 1,      0x83ff, 0x0400, 0x3c00, 0xbc00, 0x3f80,
                                      0x7bff, 0x7c00, 0xfc00, 0x7c01, 0x7f7f, 0x7f80, 0xff80, 0x7fc0};
    static const uint32_t flags[] = {0, MF_FTZ, MF_SAT, MF_RELU};
    LEVELS(v) {
        for (uint32_t k = 0; k < 4 * 2048; k++) {
            const uint32_t low = halves[k % 16], high = halves[k / 16 % 16], signs = k / 256 % 4, t = k / 1024 % 2;
            const struct fmt *f = t ? &BF16 : &F16;
            struct minst m = MI(.op = OP_HFMA, .type = t ? ITYPE_BF16X2 : ITYPE_F16X2, .flags = flags[k / 2048],
                                .dst = {R(RES)}, .src = {{.kind = OPND_ZERO, .words = 1}, {.kind = OPND_ZERO, .words = 1},
                                                         {.kind = OPND_IMM, .words = 1, .imm = low | high << 16}});
            m.src[0].mods = signs & 1 ? OPND_NEG : 0;
            m.src[1].mods = signs & 2 ? OPND_NEG : 0;
            struct op_run *r = op_new(m);
            op_step(r, 0xffff00ffu);
            bool skip;
            const uint32_t want = reference(&m, f, 0, 0, low, &skip) | reference(&m, f, 0, 0, high, &skip) << 16;
            if (r->d.w[0][3] != want) fail_msg("%08x of %04x %04x, signs %u", r->d.w[0][3], high, low, signs);
            assert_int_equal(r->d.w[0][9], r->old.w[0][9]);
            op_free(r);
        }
    }
    exec_simd_force(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(arithmetic), cmocka_unit_test(exhaustive),
                                       cmocka_unit_test(compares), cmocka_unit_test(min_max),
                                       cmocka_unit_test(special_functions), cmocka_unit_test(constants)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
