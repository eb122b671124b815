// Double precision against the host's rounding modes; NaN payloads, comparisons, gross reciprocals.
#include "test_fp.h"

static uint64_t mods64(uint64_t v, uint8_t mods) {
    if (mods & OPND_ABS) v &= ~(1ull << 63);
    return mods & OPND_NEG ? v ^ 1ull << 63 : v;
}
static uint64_t ref_arith(const struct minst *m, uint64_t ua, uint64_t ub, uint64_t uc,
                          uint64_t ue) {
    (void)ue;
    ua = mods64(ua, m->src[0].mods);
    ub = mods64(ub, m->src[1].mods);
    uc = mods64(uc, m->src[2].mods);
    const volatile double a = bits_f64(ua), b = bits_f64(ub), c = bits_f64(uc);
    double r;
    uint32_t n = 2;
    switch (m->op) {
    case OP_DADD: r = WITH_ROUNDING(double, m->rnd, a + b); break;
    case OP_DMUL: r = WITH_ROUNDING(double, m->rnd, a *b); break;
    case OP_DFMA:
        r = WITH_ROUNDING(double, m->rnd, fma(a, b, c));
        n = 3;
        break;
    case OP_DDIV: r = WITH_ROUNDING(double, m->rnd, a / b); break;
    case OP_DRCP:
        r = WITH_ROUNDING(double, m->rnd, 1.0 / a);
        n = 1;
        break;
    default:
        r = WITH_ROUNDING(double, m->rnd, sqrt(a));
        n = 1;
        break;
    }
    if (!isnan(r)) return f64_bits(r);
    if (nan64(ua)) return ua | 1ull << 51;
    if (n > 1 && nan64(ub)) return ub | 1ull << 51;
    if (n > 2 && nan64(uc)) return uc | 1ull << 51;
    return 0xfff8000000000000ull;
}
static void check_f64(const char *what, struct minst m, ref64_fn *ref, uint32_t rounds) {
    LEVELS(v) {
        uint64_t seed = 0xfedcba;
        struct op_run *r = op_new(m);
        for (uint32_t n = 0; n < rounds; n++) {
            for (uint32_t i = 0; i < 32; i++) {
                const uint32_t k = n * 32 + i;
                uint64_t a = fp64(&seed, k / 32 < 21 ? k / 32 : k),
                         b = fp64(&seed, k / 32 < 21 ? k % 32 : k);
                uint64_t c = fp64(&seed, k / 32 < 21 ? (k + k / 32) % 29 : k);
                if ((k & 7) == 7) c = f64_bits(-bits_f64(a) * bits_f64(b));
                if ((k & 15) == 3) b = a ^ 1ull << 63 ^ (rnd64(&seed) & 3);
                set_lane64(&r->a, i, a);
                set_lane64(&r->b, i, b);
                set_lane64(&r->c, i, c);
            }
            const uint32_t mask = pick_mask(&seed, n);
            op_step(r, mask);
            for (uint32_t i = 0; i < 32; i++) {
                const uint64_t want =
                    mask >> i & 1 ? ref(&m, lane64(&r->a, i), lane64(&r->b, i), lane64(&r->c, i), 0)
                                  : lane64(&r->old, i);
                if (lane64(&r->d, i) == want) continue;
                fail_msg(
                    "%s rnd %u at %s: a %016llx b %016llx c %016llx gives %016llx, not %016llx",
                    what, m.rnd, exec_simd_level(), (unsigned long long)lane64(&r->a, i),
                    (unsigned long long)lane64(&r->b, i), (unsigned long long)lane64(&r->c, i),
                    (unsigned long long)lane64(&r->d, i), (unsigned long long)want);
            }
        }
        op_free(r);
    }
    exec_simd_force(NULL);
}
#define ABCD RD(RA), RD(RB), RD(RC)
static void arithmetic(void **state) {
    (void)state;
    static const uint16_t ops[] = {OP_DADD, OP_DMUL, OP_DFMA, OP_DDIV, OP_DRCP, OP_DSQRT};
    for (uint32_t o = 0; o < WW_COUNT(ops); o++)
        for (uint8_t rnd = MRND_RN; rnd <= MRND_RP; rnd++) {
            struct minst m =
                MI(.op = ops[o], .type = ITYPE_F64, .rnd = rnd, .dst = {RD(RES)}, .src = {ABCD});
            check_f64(mop_info[ops[o]].text, m, ref_arith, 2500);
            m.src[0].mods = OPND_NEG;
            m.src[1].mods = OPND_ABS | OPND_NEG;
            m.src[2].mods = OPND_ABS;
            check_f64(mop_info[ops[o]].text, m, ref_arith, 300);
        }
}
static uint64_t ref_minmax(const struct minst *m, uint64_t a, uint64_t b, uint64_t c, uint64_t e) {
    (void)c, (void)e;
    if (nan64(a) && nan64(b)) return 0xfff8000000000000ull;
    if (nan64(a)) return b;
    if (nan64(b)) return a;
    const double x = bits_f64(a), y = bits_f64(b);
    if (x == y) return (a >> 63) == (m->sub == 0) ? a : (b >> 63) == (m->sub == 0) ? b : a;
    return (x < y) != m->sub ? a : b;
}
static uint64_t ref_misc(const struct minst *m, uint64_t a, uint64_t b, uint64_t c, uint64_t e) {
    (void)c, (void)e;
    if (m->op == OP_DCOPYSIGN) return (b & ~(1ull << 63)) | (a & 1ull << 63);
    return mods64(a, m->src[0].mods);
}
static void min_max_signs(void **state) {
    (void)state;
    for (uint8_t s = 0; s < 2; s++)
        check_f64("dmnmx",
                  MI(.op = OP_DMNMX, .type = ITYPE_F64, .sub = s, .dst = {RD(RES)}, .src = {ABCD}),
                  ref_minmax, 100);
    check_f64("dcopysign",
              MI(.op = OP_DCOPYSIGN, .type = ITYPE_F64, .dst = {RD(RES)}, .src = {ABCD}), ref_misc,
              60);
    for (uint8_t k = 0; k < 4; k++) {
        struct minst m = MI(.op = OP_DABSNEG, .type = ITYPE_F64, .dst = {RD(RES)}, .src = {RD(RA)});
        m.src[0].mods = k;
        check_f64("dmov", m, ref_misc, 40);
    }
}
static bool cmp_d(double a, double b, uint8_t c) {
    const bool un = isunordered(a, b);
    switch (c) {
    case MCMP_EQ: return !un && a == b;
    case MCMP_NE: return !un && a != b;
    case MCMP_LT: return !un && a < b;
    case MCMP_LE: return !un && a <= b;
    case MCMP_GT: return !un && a > b;
    case MCMP_GE: return !un && a >= b;
    case MCMP_EQU: return un || a == b;
    case MCMP_NEU: return un || a != b;
    case MCMP_LTU: return un || a < b;
    case MCMP_LEU: return un || a <= b;
    case MCMP_GTU: return un || a > b;
    case MCMP_GEU: return un || a >= b;
    case MCMP_NUM: return !un;
    default: return un;
    }
}
static void compares(void **state) {
    (void)state;
    LEVELS(v) {
        for (uint8_t c = MCMP_EQ; c <= MCMP_NAN; c++)
            for (uint8_t neg = 0; neg < 2; neg++) {
                struct minst m =
                    MI(.op = OP_DSETP, .type = ITYPE_F64, .cmp = c, .bop = MBOP_XOR,
                       .flags = MF_CMP3, .dst = {P(PD), P(PQ)}, .src = {RD(RA), RD(RB), P(PSRC)});
                m.src[0].mods = neg ? OPND_NEG : 0;
                struct minst s = MI(.op = OP_FSET, .type = ITYPE_F32, .stype = ITYPE_F64, .cmp = c,
                                    .flags = MF_BOOLF, .dst = {R(RES)}, .src = {RD(RA), RD(RB)});
                struct op_run *r = op_new(m), *q = op_new(s);
                uint64_t seed = 9;
                for (uint32_t n = 0; n < 60; n++) {
                    for (uint32_t i = 0; i < 32; i++) {
                        const uint64_t a = fp64(&seed, n < 21 ? n : 99), b = n < 21 ? fp64(&seed, i)
                                                                             : rnd64(&seed) & 1
                                                                                 ? a
                                                                                 : fp64(&seed, 99);
                        set_lane64(&r->a, i, a);
                        set_lane64(&q->a, i, a);
                        set_lane64(&r->b, i, b);
                        set_lane64(&q->b, i, b);
                    }
                    r->psrc = (uint32_t)rnd64(&seed);
                    op_step(r, ~0u);
                    op_step(q, ~0u);
                    for (uint32_t i = 0; i < 32; i++) {
                        const double a = bits_f64(lane64(&r->a, i)), b = bits_f64(lane64(&r->b, i));
                        const bool t = cmp_d(neg ? -a : a, b, c), p = r->psrc >> i & 1;
                        assert_int_equal(r->pd >> i & 1, t != p);
                        assert_int_equal(r->pq >> i & 1, (!t) != p);
                        assert_int_equal(q->d.w[0][i], cmp_d(a, b, c) ? 0x3f800000 : 0);
                    }
                }
                op_free(r);
                op_free(q);
            }
        for (uint8_t sub = 0; sub < 6; sub++) {
            struct op_run *r = op_new(MI(.op = OP_FTESTP, .type = ITYPE_F64, .sub = sub,
                                         .dst = {P(PD)}, .src = {RD(RA)}));
            uint64_t seed = 4;
            for (uint32_t n = 0; n < 40; n++) {
                for (uint32_t i = 0; i < 32; i++) set_lane64(&r->a, i, fp64(&seed, n * 32 + i));
                op_step(r, ~0u);
                for (uint32_t i = 0; i < 32; i++) {
                    const int k = fpclassify(bits_f64(lane64(&r->a, i)));
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
// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: upper words in and out, 20 bits right.
static void gross(void **state) {
    (void)state;
    static const struct {
        uint8_t sub;
        uint64_t in, out;
    } table[] = {{MUFU_RCP64, 0xfff0000000000000ull, 0x8000000000000000ull},
                 {MUFU_RCP64, 0x8000000000000001ull, 0xfff0000000000000ull},
                 {MUFU_RCP64, 0x8008000000000000ull, 0xfff0000000000000ull},
                 {MUFU_RCP64, 0x8000000000000000ull, 0xfff0000000000000ull},
                 {MUFU_RCP64, 0, 0x7ff0000000000000ull},
                 {MUFU_RCP64, 0x0008000000000000ull, 0x7ff0000000000000ull},
                 {MUFU_RCP64, 0x7ff0000000000000ull, 0},
                 {MUFU_RCP64, 0x7ff8000000000000ull, 0x7fffffff00000000ull},
                 {MUFU_RCP64, 0x3ff0000000000000ull, 0x3ff0000000000000ull},
                 {MUFU_RSQ64, 0xfff0000000000000ull, 0x7fffffff00000000ull},
                 {MUFU_RSQ64, 0x8008000000000000ull, 0xfff0000000000000ull},
                 {MUFU_RSQ64, 0x8000000000000000ull, 0xfff0000000000000ull},
                 {MUFU_RSQ64, 0, 0x7ff0000000000000ull},
                 {MUFU_RSQ64, 0x7ff0000000000000ull, 0},
                 {MUFU_RSQ64, 0xbff0000000000000ull, 0x7fffffff00000000ull},
                 {MUFU_RSQ64, 0x4010000000000000ull, 0x3fe0000000000000ull}};
    LEVELS(v) {
        for (uint32_t k = 0; k < WW_COUNT(table); k++) {
            struct op_run *r = op_new(MI(.op = OP_MUFU, .type = ITYPE_F64, .sub = table[k].sub,
                                         .flags = MF_FTZ, .dst = {RD(RES)}, .src = {RD(RA)}));
            for (uint32_t i = 0; i < 32; i++) set_lane64(&r->a, i, table[k].in);
            op_step(r, ~0u);
            if (lane64(&r->d, 3) != table[k].out)
                fail_msg("gross %u of %llx gives %llx", table[k].sub,
                         (unsigned long long)table[k].in, (unsigned long long)lane64(&r->d, 3));
            uint64_t seed = 5;
            for (uint32_t n = 0; n < 200; n++) {
                for (uint32_t i = 0; i < 32; i++)
                    set_lane64(&r->a, i,
                               (rnd64(&seed) & 0x00ffffffffffffffull) | 0x3f00000000000000ull);
                op_step(r, ~0u);
                for (uint32_t i = 0; i < 32; i++) {
                    const double a = bits_f64(lane64(&r->a, i)), g = bits_f64(lane64(&r->d, i));
                    const double t = table[k].sub == MUFU_RCP64 ? 1 / a : 1 / sqrt(a);
                    assert_true(fabs(g / t - 1) <= 0x1p-18);
                    assert_int_equal(r->d.w[0][i], 0);
                }
            }
            op_free(r);
        }
    }
    exec_simd_force(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(arithmetic),
                                       cmocka_unit_test(min_max_signs), cmocka_unit_test(compares),
                                       cmocka_unit_test(gross)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
