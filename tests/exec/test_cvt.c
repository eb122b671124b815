// Conversions: every pair of types, in every mode that PTX allows, against a reference that
// compares with both neighbours in long double instead of rounding bits.
#include "test_fp.h"

static long double value_of(uint8_t t, uint64_t v, bool ftz) {
    switch (t) {
    case ITYPE_F32: {
        const uint32_t u = ftz ? flush_((uint32_t)v) : (uint32_t)v;
        return bits_f32(u);
    }
    case ITYPE_F64: return bits_f64(v);
    case ITYPE_F16:
    case ITYPE_BF16: {
        const int mant = t == ITYPE_F16 ? 10 : 7, emin = t == ITYPE_F16 ? -14 : -126;
        const int e = (int)((v & 0x7fff) >> mant), top = (0x7fff >> mant);
        const long double m = (long double)(v & ((1u << mant) - 1));
        long double r = e == top ? (m != 0 ? NAN : INFINITY)
                        : e      ? ldexpl(m + ldexpl(1, mant), emin - mant + e - 1)
                                 : ldexpl(m, emin - mant);
        return v & 0x8000 ? -r : r;
    }
    default: {
        const unsigned bits = isa_type_bits(t);
        const uint64_t m = bits == 64 ? v : v & ((1ull << bits) - 1);
        if (isa_type_is_signed(t)) return (long double)((int64_t)(m << (64 - bits)) >> (64 - bits));
        return (long double)m;
    }
    }
}
static bool is_float(uint8_t t) { return isa_type_is_float(t); }
static uint32_t float_bits_of(uint8_t t) { return isa_type_bits(t); }
static uint64_t nan_of(uint8_t t) {
    return t == ITYPE_F32 ? 0x7fffffff : t == ITYPE_F64 ? 0xfff8000000000000ull : 0x7fff;
}
static uint64_t inf_of(uint8_t t) {
    return t == ITYPE_F32   ? 0x7f800000
           : t == ITYPE_F64 ? 0x7ff0000000000000ull
           : t == ITYPE_F16 ? 0x7c00
                            : 0x7f80;
}
static long double round_to_int(long double v, uint8_t rnd) {
    switch (rnd) {
    case MRND_RZ: return truncl(v);
    case MRND_RM: return floorl(v);
    case MRND_RP: return ceill(v);
    default: {
        const long double f = floorl(v), d = v - f;
        return d < 0.5L ? f : d > 0.5L ? f + 1 : fmodl(f, 2) == 0 ? f : f + 1;
    }
    }
}
// The float of type t that v rounds to: a binary search over magnitudes as integers.
static uint64_t to_float(uint8_t t, long double v, uint8_t rnd) {
    const uint64_t sign = signbit(v) ? 1ull << (float_bits_of(t) - 1) : 0, inf = inf_of(t);
    const long double a = fabsl(v);
    if (isinf(a)) return sign | inf;
    uint64_t lo = 0, hi = inf; // value(lo) <= a < value(hi)
    while (hi - lo > 1) {
        const uint64_t mid = lo + (hi - lo) / 2;
        if (value_of(t, mid, false) <= a)
            lo = mid;
        else
            hi = mid;
    }
    const long double vl = value_of(t, lo, false);
    if (vl == a) return sign | lo;
    bool up;
    switch (rnd) {
    case MRND_RZ: up = false; break;
    case MRND_RM: up = sign != 0; break;
    case MRND_RP: up = sign == 0; break;
    default: {
        // Above the greatest number the next would be one more unit away.
        const long double gap =
            hi == inf ? vl - value_of(t, lo - 1, false) : value_of(t, hi, false) - vl;
        const long double d = a - vl;
        up = d > gap / 2 || (d == gap / 2 && (lo & 1));
        break;
    }
    }
    return sign | (up ? hi : lo);
}
static uint64_t reference(const struct minst *m, uint64_t v) {
    const uint8_t from = m->stype, to = m->type;
    const bool ftz = m->flags & MF_FTZ, sat = m->flags & MF_SAT;
    const long double x = value_of(from, v, ftz);
    const unsigned bits = isa_type_bits(to);
    if (!is_float(to)) {
        if (is_float(from)) {
            if (isnan(x)) return from == ITYPE_F64 || bits == 64 ? 1ull << (bits - 1) : 0;
        } else if (!sat) {
            return (uint64_t)(int64_t)(isa_type_is_signed(from) ? (int64_t)x
                                                                : (int64_t)(uint64_t)x);
        }
        const long double top =
            isa_type_is_signed(to) ? ldexpl(1, (int)bits - 1) - 1 : ldexpl(1, (int)bits) - 1;
        const long double low = isa_type_is_signed(to) ? -ldexpl(1, (int)bits - 1) : 0;
        long double r = is_float(from) ? round_to_int(x, m->rnd) : x;
        r = r > top ? top : r < low ? low : r;
        return r < 0 ? (uint64_t)(int64_t)r : (uint64_t)r;
    }
    uint64_t r;
    if (isnan(x)) {
        if (sat) return 0;
        if (to == ITYPE_F64) return ~0ull; // any NaN
        return nan_of(to);
    }
    long double y = x;
    if (m->flags & MF_INTRND) {
        y = round_to_int(x, m->rnd);
        if (y == 0) y = copysignl(0, x);
    }
    r = to_float(to, y, m->rnd);
    if (ftz && to == ITYPE_F32) r = flush_((uint32_t)r);
    if (sat) {
        const long double z = value_of(to, r, false);
        if (signbit(z) || z == 0) return 0;
        if (z > 1) return to_float(to, 1, MRND_RN);
    }
    if (m->flags & MF_RELU && r >> (float_bits_of(to) - 1)) return 0;
    return r;
}
static uint64_t source_value(uint8_t t, uint64_t *seed, uint32_t n) {
    switch (t) {
    case ITYPE_F32:
        if (n % 3 == 0)
            return f32_bits(
                (float)((double)(int64_t)rnd64(seed) * exp2(-(double)(rnd64(seed) % 70))));
        if (n % 3 == 1) return f32_bits((float)((int32_t)(rnd64(seed) % 2000) - 1000) / 2.0f);
        return fp32(seed, n / 3);
    case ITYPE_F64:
        if (n % 4 == 0)
            return f64_bits((double)(int64_t)rnd64(seed) * exp2(-(double)(rnd64(seed) % 70)));
        if (n % 4 == 1) return f64_bits((double)((int32_t)(rnd64(seed) % 2000) - 1000) / 2.0);
        if (n % 4 == 2)
            return f64_bits((double)bits_f32(fp32(seed, 999)) *
                            (1 + (double)(int)(rnd64(seed) % 3 - 1) * 0x1p-25));
        return fp64(seed, n / 4);
    case ITYPE_F16:
    case ITYPE_BF16: return rnd64(seed) & 0xffff;
    default: return edge64(seed, n % 400);
    }
}
static bool fits_in_half_test(uint8_t t) { return t == ITYPE_F16 || t == ITYPE_BF16; }

static void check_cvt(uint8_t to, uint8_t from, uint8_t rnd, uint32_t flags, uint32_t rounds) {
    const bool w_in = isa_type_bits(from) == 64, w_out = isa_type_bits(to) == 64;
    struct minst m = MI(.op = OP_CVT, .type = to, .stype = from, .rnd = rnd, .flags = flags,
                        .dst = {w_out ? RD(RES) : R(RES)}, .src = {w_in ? RD(RA) : R(RA)});
    LEVELS(v) {
        struct op_run *r = op_new(m);
        uint64_t seed = 31337;
        for (uint32_t n = 0; n < rounds; n++) {
            for (uint32_t i = 0; i < 32; i++) {
                set_lane64(&r->a, i, source_value(from, &seed, n * 32 + i));
                if (isa_type_bits(from) < 32)
                    r->a.w[0][i] |= 0xa5a50000u & ~((1u << isa_type_bits(from)) - 1);
            }
            const uint32_t mask = pick_mask(&seed, n);
            op_step(r, mask);
            for (uint32_t i = 0; i < 32; i++) {
                uint64_t got = lane64(&r->d, i), want;
                if (!(mask >> i & 1)) {
                    assert_int_equal(got, lane64(&r->old, i));
                    continue;
                }
                want = reference(&m, lane64(&r->a, i));
                uint64_t keep = w_out ? ~0ull : 0xffffffffu;
                if (!is_float(to) && isa_type_bits(to) < 32) { // extended to the word
                    const unsigned drop = 64 - isa_type_bits(to);
                    want = isa_type_is_signed(to) ? (uint64_t)((int64_t)(want << drop) >> drop)
                                                  : want << drop >> drop;
                } else if (fits_in_half_test(to)) {
                    keep = 0xffff;
                }
                if (to == ITYPE_F64 && want == ~0ull) {
                    assert_true(nan64(got));
                    continue;
                }
                if ((got & keep) != (want & keep))
                    fail_msg("cvt.%s.%s rnd %u flags %x at %s: %llx gives %llx, not %llx",
                             isa_type_text(to), isa_type_text(from), rnd, flags, exec_simd_level(),
                             (unsigned long long)lane64(&r->a, i), (unsigned long long)(got & keep),
                             (unsigned long long)(want & keep));
            }
        }
        op_free(r);
    }
    exec_simd_force(NULL);
}
static const uint8_t ints[] = {ITYPE_U8,  ITYPE_S8,  ITYPE_U16, ITYPE_S16,
                               ITYPE_U32, ITYPE_S32, ITYPE_U64, ITYPE_S64};
static const uint8_t floats[] = {ITYPE_F16, ITYPE_BF16, ITYPE_F32, ITYPE_F64};

static void int_to_int(void **state) {
    (void)state;
    for (uint32_t a = 0; a < 8; a++)
        for (uint32_t b = 0; b < 8; b++)
            for (uint32_t sat = 0; sat < 2; sat++)
                check_cvt(ints[a], ints[b], MRND_NONE, sat ? MF_SAT : 0, 40);
}
static void int_to_float(void **state) {
    (void)state;
    for (uint32_t a = 0; a < 4; a++)
        for (uint32_t b = 0; b < 8; b++)
            for (uint8_t rnd = MRND_RN; rnd <= MRND_RP; rnd++) {
                check_cvt(floats[a], ints[b], rnd, 0, 60);
                check_cvt(floats[a], ints[b], rnd, MF_SAT, 10);
            }
}
static void float_to_int(void **state) {
    (void)state;
    for (uint32_t a = 0; a < 8; a++)
        for (uint32_t b = 0; b < 4; b++)
            for (uint8_t rnd = MRND_RN; rnd <= MRND_RP; rnd++) {
                check_cvt(ints[a], floats[b], rnd, 0, 120);
                if (floats[b] == ITYPE_F32) check_cvt(ints[a], floats[b], rnd, MF_FTZ, 60);
            }
}
static void float_to_float(void **state) {
    (void)state;
    for (uint32_t a = 0; a < 4; a++)
        for (uint32_t b = 0; b < 4; b++)
            for (uint8_t rnd = MRND_RN; rnd <= MRND_RP; rnd++) {
                check_cvt(floats[a], floats[b], rnd, 0, 100);
                check_cvt(floats[a], floats[b], rnd, MF_FTZ, 60);
                check_cvt(floats[a], floats[b], rnd, MF_SAT, 60);
                check_cvt(floats[a], floats[b], rnd, MF_RELU, 30);
                if (a == b) {
                    check_cvt(floats[a], floats[b], rnd, MF_INTRND, 100);
                    check_cvt(floats[a], floats[b], rnd, MF_INTRND | MF_FTZ | MF_SAT, 60);
                }
            }
}
// Every half widens to its float and back.
static void round_trip(void **state) {
    (void)state;
    LEVELS(v) {
        for (uint32_t bf = 0; bf < 2; bf++) {
            const uint8_t h = bf ? ITYPE_BF16 : ITYPE_F16;
            struct op_run *r = op_new(MI(.op = OP_CVT, .type = ITYPE_F32, .stype = h,
                                         .rnd = MRND_RN, .dst = {R(RES)}, .src = {R(RA)}));
            struct op_run *q = op_new(MI(.op = OP_CVT, .type = h, .stype = ITYPE_F32,
                                         .rnd = MRND_RN, .dst = {R(RES)}, .src = {R(RA)}));
            for (uint32_t n = 0; n < 65536; n += 32) {
                for (uint32_t i = 0; i < 32; i++) r->a.w[0][i] = (n + i) | 0x12340000u;
                op_step(r, ~0u);
                q->a = r->d;
                op_step(q, ~0u);
                for (uint32_t i = 0; i < 32; i++) {
                    const long double x = value_of(h, n + i, false);
                    if (isnan(x)) {
                        assert_int_equal(r->d.w[0][i], 0x7fffffff);
                        assert_int_equal(q->d.w[0][i] & 0xffff, 0x7fff);
                    } else {
                        assert_int_equal(r->d.w[0][i], f32_bits((float)x));
                        assert_int_equal(q->d.w[0][i] & 0xffff, n + i);
                    }
                }
            }
            op_free(r);
            op_free(q);
        }
    }
    exec_simd_force(NULL);
}
static uint32_t once(struct minst m, uint32_t a, uint32_t b, uint32_t c) {
    struct op_run *r = op_new(m);
    for (uint32_t i = 0; i < 32; i++) {
        r->a.w[0][i] = a;
        r->b.w[0][i] = b;
        r->c.w[0][i] = c;
    }
    op_step(r, ~0u);
    const uint32_t d = r->d.w[0][9];
    op_free(r);
    return d;
}
// Two numbers of single precision into a word, beside the reference of one.
static void pairs(void **state) {
    (void)state;
    static const uint8_t to[][2] = {{ITYPE_F16X2, ITYPE_F16}, {ITYPE_BF16X2, ITYPE_BF16}};
    for (uint32_t n = 0; n < WW_COUNT(to); n++) {
        LEVELS(v) {
            uint64_t seed = 0xfa12;
            struct op_run *r = op_new(MI(.op = OP_CVT, .type = to[n][0], .stype = ITYPE_F32, .rnd = MRND_RN,
                                         .dst = {R(RES)}, .src = {R(RA), R(RB)}));
            for (uint32_t round = 0; round < 60; round++) {
                for (uint32_t i = 0; i < 32; i++) {
                    r->a.w[0][i] = fp32(&seed, round ? 1000 : i);
                    // between two halves, among them subnormal ones and the largest
                    r->b.w[0][i] = ((uint32_t)rnd64(&seed) & 0x8fffffff) | 0x30000000 | (round & 1 ? 0x1000 : 0);
                }
                op_step(r, round & 2 ? ~0u : 0x5aa5f00f);
                for (uint32_t i = 0; i < 32; i++) {
                    const uint32_t a = r->a.w[0][i], b = r->b.w[0][i];
                    const uint32_t high = nan32(a) ? 0x7fff : (uint32_t)to_float(to[n][1], bits_f32(a), MRND_RN);
                    const uint32_t low = nan32(b) ? 0x7fff : (uint32_t)to_float(to[n][1], bits_f32(b), MRND_RN);
                    if ((round & 2 ? ~0u : 0x5aa5f00f) >> i & 1) assert_int_equal(r->d.w[0][i], high << 16 | low);
                }
            }
            op_free(r);
        }
        exec_simd_force(NULL);
    }
}
static void packed(void **state) {
    (void)state;
    const uint32_t one = f32_bits(1.0f), third = f32_bits(1.0f / 3), big = f32_bits(1e6f),
                   nan = 0x7fc00000;
    struct minst m = MI(.op = OP_CVT, .type = ITYPE_F16X2, .stype = ITYPE_F32, .rnd = MRND_RN,
                        .dst = {R(RES)}, .src = {R(RA), R(RB)});
    assert_int_equal(once(m, one, third, 0), 0x3c003555);
    assert_int_equal(once(m, big, nan, 0), 0x7c007fff);
    m.rnd = MRND_RZ;
    assert_int_equal(once(m, big, f32_bits(-2.0f / 3), 0), 0x7bffb955);
    m.flags = MF_RELU;
    assert_int_equal(once(m, one, f32_bits(-2.0f / 3), 0), 0x3c000000);
    m = MI(.op = OP_CVT, .type = ITYPE_BF16X2, .stype = ITYPE_F32, .rnd = MRND_RN, .dst = {R(RES)},
           .src = {R(RA), R(RB)});
    assert_int_equal(once(m, one, third, 0), 0x3f803eab);
    // e4m3: 448 is the greatest number, there is no infinity.
    m = MI(.op = OP_CVT, .type = ITYPE_E4M3X2, .stype = ITYPE_F32, .rnd = MRND_RN,
           .flags = MF_SATFINITE, .dst = {R(RES)}, .src = {R(RA), R(RB)});
    assert_int_equal(once(m, one, f32_bits(0.5f), 0) & 0xffff, 0x3830);
    assert_int_equal(once(m, big, big ^ 0x80000000u, 0) & 0xffff, 0x7efe);
    assert_int_equal(once(m, f32_bits(448), f32_bits(464), 0) & 0xffff, 0x7e7e);
    assert_int_equal(once(m, nan, f32_bits(0x1p-9f), 0) & 0xffff, 0x7f01);
    assert_int_equal(once(m, f32_bits(0x1p-10f), f32_bits(0x1.8p-10f), 0) & 0xffff, 0x0001);
    m.type = ITYPE_E5M2X2;
    assert_int_equal(once(m, one, f32_bits(0.5f), 0) & 0xffff, 0x3c38);
    assert_int_equal(once(m, big, f32_bits(57344), 0) & 0xffff, 0x7b7b);
    assert_int_equal(once(m, nan, f32_bits(0x1p-16f), 0) & 0xffff, 0x7f01);
    // and back, every value
    m = MI(.op = OP_CVT, .type = ITYPE_F16X2, .stype = ITYPE_E4M3X2, .rnd = MRND_RN,
           .dst = {R(RES)}, .src = {R(RA)});
    struct minst back = MI(.op = OP_CVT, .type = ITYPE_E4M3X2, .stype = ITYPE_F16X2, .rnd = MRND_RN,
                           .flags = MF_SATFINITE, .dst = {R(RES)}, .src = {R(RA)});
    for (uint32_t v = 0; v < 256; v++) {
        const uint32_t e = v >> 3 & 15, f = v & 7;
        double want = e ? ldexp(1 + f / 8.0, (int)e - 7) : ldexp(f / 8.0, -6);
        if (v & 128) want = -want;
        const uint32_t h = once(m, v << 8 | (v ^ 128), 0, 0);
        if ((v & 127) == 127) {
            assert_int_equal(h, 0x7fff7fff);
            continue;
        }
        assert_true((double)value_of(ITYPE_F16, h >> 16, false) == want &&
                    (double)value_of(ITYPE_F16, h & 0xffff, false) == -want);
        assert_int_equal(once(back, h, 0, 0) & 0xffff, v << 8 | (v ^ 128));
    }
    m = MI(.op = OP_CVT, .type = ITYPE_F16X2, .stype = ITYPE_E5M2X2, .rnd = MRND_RN,
           .dst = {R(RES)}, .src = {R(RA)});
    assert_int_equal(once(m, 0x3c7c, 0, 0), 0x3c007c00);
    assert_int_equal(once(m, 0x01fc, 0, 0), 0x0100fc00);
    // tf32: ten bits of the fraction, ties away from zero
    m = MI(.op = OP_CVT, .type = ITYPE_TF32, .stype = ITYPE_F32, .rnd = MRND_RNA, .dst = {R(RES)},
           .src = {R(RA)});
    assert_int_equal(once(m, 0x3f801000, 0, 0), 0x3f802000);
    assert_int_equal(once(m, 0x3f800fff, 0, 0), 0x3f800000);
    assert_int_equal(once(m, 0xbf801000, 0, 0), 0xbf802000);
    assert_int_equal(once(m, 0x7f800000, 0, 0), 0x7f800000);
    m.rnd = MRND_RN;
    assert_int_equal(once(m, 0x3f801000, 0, 0), 0x3f800000);
}
static void packed_integers(void **state) {
    (void)state;
    struct minst m = MI(.op = OP_CVTPACK, .type = ITYPE_S16, .stype = ITYPE_S32, .flags = MF_SAT,
                        .aux = 16, .dst = {R(RES)}, .src = {R(RA), R(RB)});
    assert_int_equal(once(m, 40000, (uint32_t)-40000, 0), 0x7fff8000);
    assert_int_equal(once(m, 5, (uint32_t)-5, 0), 0x0005fffb);
    m.type = ITYPE_U16;
    assert_int_equal(once(m, 70000, (uint32_t)-1, 0), 0xffff0000);
    m = MI(.op = OP_CVTPACK, .type = ITYPE_U8, .stype = ITYPE_S32, .flags = MF_SAT, .aux = 8,
           .dst = {R(RES)}, .src = {ABC});
    assert_int_equal(once(m, 300, (uint32_t)-7, 0xabcd1234), 0x1234ff00);
    m.type = ITYPE_S8;
    assert_int_equal(once(m, 300, (uint32_t)-300, 0x1234), 0x12347f80);
    m.type = ITYPE_S4;
    m.aux = 4;
    assert_int_equal(once(m, 9, (uint32_t)-9, 0x00abcdef), 0xabcdef78);
    m.type = ITYPE_U4;
    assert_int_equal(once(m, 17, (uint32_t)-9, 0x00abcdef), 0xabcdeff0);
}
static void packed_floats(void **state) {
    (void)state;
    const uint32_t nan = 0x7fc00000, inf = 0x7f800000;
    struct minst m = MI(.op = OP_CVTPACK, .type = ITYPE_S8, .stype = ITYPE_F32, .dst = {R(RES)},
                        .src = {ABC});
    assert_int_equal(once(m, f32_bits(2.5f), f32_bits(-3.5f), 0xabcd1234), 0x123402fc);
    assert_int_equal(once(m, f32_bits(1e9f), f32_bits(-129), 0), 0x7f80);
    assert_int_equal(once(m, nan, inf, 0), 0x007f);
    m.rnd = MRND_RZ;
    assert_int_equal(once(m, f32_bits(2.9f), f32_bits(-2.9f), 0), 0x02fe);
    m.type = ITYPE_U8;
    assert_int_equal(once(m, f32_bits(-1), f32_bits(255.9f), 1), 0x000100ff);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(int_to_int),     cmocka_unit_test(int_to_float),
        cmocka_unit_test(float_to_int),   cmocka_unit_test(float_to_float),
        cmocka_unit_test(round_trip),     cmocka_unit_test(pairs), cmocka_unit_test(packed),
        cmocka_unit_test(packed_integers), cmocka_unit_test(packed_floats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
