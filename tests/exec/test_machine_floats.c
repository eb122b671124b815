// Floats as machine code of real compilers has them: products whose zeros win and that are scaled,
// selections, sums over quads, the check of a quotient, minima of doubles, functions of turns and of
// high words, halves of which a part is meant, conversions of parts. References compute with wider
// formats of the host, or from what PTX says of the instruction that ptxas makes of the word.
#include "test_fp.h"

static uint32_t modified(const struct minst *m, uint32_t k, uint32_t v) {
    if (m->src[k].mods & OPND_ABS) v &= 0x7fffffff;
    if (m->src[k].mods & OPND_NEG) v ^= 0x80000000u;
    return m->flags & MF_FTZ ? flush_(v) : v;
}
static uint32_t canonical(const struct minst *m, float f) {
    if (isnan(f)) return 0x7fffffff;
    return m->flags & MF_FTZ ? flush_(f32_bits(f)) : f32_bits(f);
}

// One operation over operands that matter, at all levels, with all and some lanes.
typedef uint32_t float_ref(const struct minst *m, uint32_t lane, uint32_t a, uint32_t b, uint32_t c,
                           uint32_t predicate);
static void check_floats(const char *what, struct minst m, float_ref *ref, uint32_t rounds) {
    LEVELS(v) {
        uint64_t seed = 0xf10a7;
        struct op_run *r = op_new(m);
        for (uint32_t n = 0; n < rounds; n++) {
            for (uint32_t i = 0; i < 32; i++) {
                r->a.w[0][i] = fp32(&seed, n < 32 ? n : 99);
                r->b.w[0][i] = fp32(&seed, n < 32 ? i : 99);
                r->c.w[0][i] = fp32(&seed, 99);
            }
            r->psrc = (uint32_t)rnd64(&seed);
            const uint32_t mask = pick_mask(&seed, n);
            op_step(r, mask);
            for (uint32_t i = 0; i < 32; i++) {
                if (!(mask >> i & 1)) {
                    assert_int_equal(r->d.w[0][i], r->old.w[0][i]);
                    continue;
                }
                const uint32_t a = r->a.w[0][i], b = r->b.w[0][i], c = r->c.w[0][i];
                const uint32_t want = ref(&m, i, a, b, c, r->psrc >> i & 1);
                if (r->d.w[0][i] != want)
                    fail_msg("%s at %s: lane %u, %08x %08x %08x gives %08x, not %08x", what,
                             exec_simd_level(), i, a, b, c, r->d.w[0][i], want);
            }
        }
        op_free(r);
    }
    exec_simd_force(NULL);
}

// ---- products -------------------------------------------------------------------------------
static bool is_zero(uint32_t v) { return (v << 1) == 0; }
static uint32_t scaled_product(const struct minst *m, uint32_t lane, uint32_t a, uint32_t b,
                               uint32_t c, uint32_t p) {
    (void)lane, (void)c, (void)p;
    a = modified(m, 0, a), b = modified(m, 1, b);
    if (m->aux & MPRODUCT_ZERO && (is_zero(a) || is_zero(b))) return 0;
    const int by = m->aux & MPRODUCT_SCALE ? (int)(m->aux & MPRODUCT_SCALE) - 4 : 0;
    const long double exact = ldexpl((long double)bits_f32(a) * bits_f32(b), by);
    return canonical(m, WITH_ROUNDING(float, m->rnd, (float)exact));
}
static uint32_t zero_wins_fma(const struct minst *m, uint32_t lane, uint32_t a, uint32_t b,
                              uint32_t c, uint32_t p) {
    (void)lane, (void)p;
    a = modified(m, 0, a), b = modified(m, 1, b), c = modified(m, 2, c);
    const bool wins = is_zero(a) || is_zero(b);
    const float x = wins ? 0 : bits_f32(a), y = wins ? 0 : bits_f32(b), z = bits_f32(c);
    return canonical(m, WITH_ROUNDING(float, m->rnd, fmaf(x, y, z)));
}
static void products(void **state) {
    (void)state;
    static const uint8_t modes[] = {MRND_RN, MRND_RZ, MRND_RM, MRND_RP};
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t aux = 1; aux < 16; aux += 2)
            check_floats("FMUL",
                         MI(.op = OP_FMUL, .type = ITYPE_F32, .rnd = modes[k], .aux = (uint16_t)aux,
                            .flags = aux & MPRODUCT_ZERO ? MF_FTZ : 0, .dst = {R(RES)},
                            .src = {R(RA), NEG(R(RB))}),
                         scaled_product, 80);
    for (uint32_t k = 0; k < 3; k++)
        check_floats("FFMA",
                     MI(.op = OP_FFMA, .type = ITYPE_F32, .rnd = modes[k], .aux = MPRODUCT_ZERO,
                        .flags = MF_FTZ, .dst = {R(RES)}, .src = {ABS(R(RA)), R(RB), NEG(R(RC))}),
                     zero_wins_fma, 200);
}

// ---- selections, sums over quads ------------------------------------------------------------
static uint32_t selection(const struct minst *m, uint32_t lane, uint32_t a, uint32_t b, uint32_t c,
                          uint32_t p) {
    (void)lane, (void)c;
    return (p != 0) != (m->src[2].mods == OPND_NOT) ? modified(m, 0, a) : modified(m, 1, b);
}
static uint32_t quad_sum(const struct minst *m, uint32_t lane, uint32_t a, uint32_t b, uint32_t c,
                         uint32_t p) {
    (void)c, (void)p;
    const float x = bits_f32(modified(m, 0, a)), y = bits_f32(modified(m, 1, b));
    const float first[] = {x, x, -x, 0}, second[] = {y, -y, y, y};
    return canonical(m, WITH_ROUNDING(float, m->rnd, first[lane % 4] + second[lane % 4]));
}
static void selections(void **state) {
    (void)state;
    check_floats(
        "FSEL",
        MI(.op = OP_FSEL, .type = ITYPE_F32, .dst = {R(RES)}, .src = {R(RA), R(RB), P(PSRC)}),
        selection, 60);
    check_floats("FSEL.FTZ",
                 MI(.op = OP_FSEL, .type = ITYPE_F32, .flags = MF_FTZ, .dst = {R(RES)},
                    .src = {NEG(R(RA)), ABS(R(RB)), NOT(P(PSRC))}),
                 selection, 60);
    // lanes of a quad: A + B, A - B, B - A, B
    check_floats("FSWZADD",
                 MI(.op = OP_FSWZADD, .type = ITYPE_F32, .sub = 0x1b, .dst = {R(RES)},
                    .src = {R(RA), R(RB)}),
                 quad_sum, 100);
    check_floats("FSWZADD.FTZ.RM",
                 MI(.op = OP_FSWZADD, .type = ITYPE_F32, .sub = 0x1b, .rnd = MRND_RM,
                    .flags = MF_FTZ, .dst = {R(RES)}, .src = {R(RA), R(RB)}),
                 quad_sum, 100);
}

// ---- quotients ------------------------------------------------------------------------------
// Where the check lets it, what ptxas makes of div.rn.f32 gives the IEEE quotient, whichever of five
// neighbours the reciprocal's approximation is; but of a divisor whose fraction is all ones it must
// be the nearest.
static void quotients(void **state) {
    (void)state;
    LEVELS(v) {
        uint64_t seed = 0xd1f;
        struct op_run *r =
            op_new(MI(.op = OP_FCHK, .type = ITYPE_F32, .dst = {P(PD)}, .src = {R(RA), R(RB)}));
        uint32_t easy = 0;
        for (uint32_t n = 0; n < 3000; n++) {
            for (uint32_t i = 0; i < 32; i++) {
                r->a.w[0][i] = fp32(&seed, n < 32 ? n : 99);
                r->b.w[0][i] = fp32(&seed, n < 32 ? i : 99);
            }
            const uint32_t mask = pick_mask(&seed, n);
            op_step(r, mask);
            assert_int_equal(r->pd & ~mask, 0x5a5a5a5au & ~mask);
            for (uint32_t i = 0; i < 32; i++) {
                if (!(mask >> i & 1) || r->pd >> i & 1) continue;
                const float a = bits_f32(r->a.w[0][i]), b = bits_f32(r->b.w[0][i]);
                const bool is_ones = (r->b.w[0][i] & 0x7fffff) == 0x7fffff;
                const uint32_t wrong = is_ones ? 2 : (uint32_t)(rnd64(&seed) % 5);
                float y = bits_f32(f32_bits(1.0f / b) + wrong - 2);
                const float e = fmaf(-b, y, 1.0f);
                y = fmaf(y, e, y);
                float q = a * y;
                q = fmaf(y, fmaf(-b, q, a), q);
                if (f32_bits(q) != f32_bits(a / b))
                    fail_msg("%a / %a: %a, not %a", (double)a, (double)b, (double)q,
                             (double)(a / b));
                easy++;
            }
        }
        assert_true(easy > 10000);
        op_free(r);
    }
    exec_simd_force(NULL);
}

// ---- doubles --------------------------------------------------------------------------------
static void minima(void **state) {
    (void)state;
    for (uint8_t max = 0; max < 2; max++) {
        LEVELS(v) {
            uint64_t seed = 0x313;
            struct op_run *r = op_new(MI(.op = OP_DSETP_MNMX, .type = ITYPE_F64, .sub = max,
                                         .dst = {P(PD), P(PQ)}, .src = {RD(RA), NEG(RD(RB))}));
            for (uint32_t n = 0; n < 200; n++) {
                for (uint32_t i = 0; i < 32; i++) {
                    set_lane64(&r->a, i, fp64(&seed, n < 21 ? n : 99));
                    set_lane64(&r->b, i, fp64(&seed, n < 21 ? i : 99));
                }
                const uint32_t mask = pick_mask(&seed, n);
                op_step(r, mask);
                for (uint32_t i = 0; i < 32; i++) {
                    if (!(mask >> i & 1)) {
                        assert_int_equal((r->pd ^ 0x5a5a5a5au) >> i & 1, 0);
                        continue;
                    }
                    const double a = bits_f64(lane64(&r->a, i));
                    const double b = -bits_f64(lane64(&r->b, i));
                    const bool both = isnan(a) && isnan(b), takes_a = r->pd >> i & 1;
                    assert_int_equal(r->pq >> i & 1, both);
                    const double least = a < b ? a : b, most = a < b ? b : a;
                    const double of_two = max ? most : least;
                    const double want = isnan(a) ? b : isnan(b) ? a : of_two;
                    const double got = takes_a ? a : b;
                    if (both) {
                        assert_false(takes_a);
                    } else if (a == 0 && b == 0) { // -0 is below +0
                        assert_int_equal(!!signbit(got),
                                         max ? signbit(a) && signbit(b) : signbit(a) || signbit(b));
                    } else if (!(got == want)) {
                        fail_msg("%a %a takes %a", a, b, got);
                    }
                }
            }
            op_free(r);
        }
        exec_simd_force(NULL);
    }
}

// ---- functions ------------------------------------------------------------------------------
// The unit's results lie within 2^-21 of it, which with ptxas's multiplication by 1 / (2 pi) keeps
// PTX ISA's bound of sin.approx near zero.
static uint32_t turned(const struct minst *m, uint32_t a) {
    const uint32_t v = modified(m, 0, a);
    const double x = (double)bits_f32(v);
    if (!isfinite(x)) return 0x7fffffff;
    const double turn = x - rint(x), pi2 = 0x1.921fb54442d18p+2;
    if (m->sub == MUFU_SIN_TURN && is_zero(v)) return v;
    const double exact = m->sub == MUFU_SIN_TURN ? sin(turn * pi2) : cos(turn * pi2);
    return f32_bits((float)exact);
}
static void turns(void **state) {
    (void)state;
    static const uint8_t subs[] = {MUFU_SIN_TURN, MUFU_COS_TURN};
    for (uint32_t k = 0; k < 2; k++) {
        LEVELS(v) {
            uint64_t seed = 0x71;
            const struct minst m = MI(.op = OP_MUFU, .type = ITYPE_F32, .sub = subs[k],
                                      .flags = MF_FTZ, .dst = {R(RES)}, .src = {R(RA)});
            struct op_run *r = op_new(m);
            for (uint32_t n = 0; n < 400; n++) {
                for (uint32_t i = 0; i < 32; i++) r->a.w[0][i] = fp32(&seed, n ? 99 : i);
                op_step(r, ~0u);
                for (uint32_t i = 0; i < 32; i++) {
                    const uint32_t want = turned(&m, r->a.w[0][i]), got = r->d.w[0][i];
                    const double apart = fabs((double)bits_f32(want) - (double)bits_f32(got));
                    if (got != want && !(apart < 0x1p-21))
                        fail_msg("%08x gives %08x, not %08x", r->a.w[0][i], got, want);
                }
            }
            op_free(r);
        }
        exec_simd_force(NULL);
    }
}
static void high_words(void **state) {
    (void)state;
    for (uint8_t root = 0; root < 2; root++) {
        LEVELS(v) {
            uint64_t seed = 0x64;
            struct op_run *r =
                op_new(MI(.op = OP_MUFU, .type = ITYPE_F32, .sub = root ? MUFU_RSQ64H : MUFU_RCP64H,
                          .flags = MF_FTZ, .dst = {R(RES)}, .src = {R(RA)}));
            for (uint32_t n = 0; n < 400; n++) {
                for (uint32_t i = 0; i < 32; i++)
                    r->a.w[0][i] = (uint32_t)(fp64(&seed, n ? 99 : i) >> 32);
                const uint32_t mask = pick_mask(&seed, n);
                op_step(r, mask);
                for (uint32_t i = 0; i < 32; i++) {
                    uint32_t a = r->a.w[0][i];
                    if (!(mask >> i & 1)) continue;
                    if (!(a & 0x7ff00000)) a &= 0x80000000u;
                    const double x = bits_f64((uint64_t)a << 32), y = root ? 1 / sqrt(x) : 1 / x;
                    const double got = bits_f64((uint64_t)r->d.w[0][i] << 32);
                    if (isnan(y))
                        assert_true(isnan(got));
                    else if (!(f64_bits(y) & 0x7ff0000000000000ull))
                        assert_true(got == 0 && signbit(got) == signbit(y));
                    else if (isinf(y))
                        assert_true(got == y);
                    else if (!(fabs(got - y) <= fabs(y) * 0x1p-20))
                        fail_msg("%a gives %a, not %a", x, got, y);
                }
            }
            op_free(r);
        }
        exec_simd_force(NULL);
    }
}

// ---- halves ---------------------------------------------------------------------------------
static long double half_of(uint32_t h) {
    const int e = (int)(h >> 10 & 31);
    const long double f = (long double)(h & 1023);
    const long double v = e == 31 ? (f != 0 ? NAN : INFINITY)
                          : e     ? ldexpl(f + 1024, e - 25)
                                  : ldexpl(f, -24);
    return h & 0x8000 ? -v : v;
}
static uint32_t half_from(long double v, bool to_zero) {
    const uint32_t sign = signbit(v) ? 0x8000 : 0;
    long double a = fabsl(v);
    if (isnan(v)) return 0x7fff;
    if (isinf(v)) return sign | 0x7c00;
    if (a == 0) return sign;
    int e = ilogbl(a);
    if (e < -14) e = -14;
    const long double ulp = ldexpl(1, e - 10), n = to_zero ? floorl(a / ulp) : rintl(a / ulp);
    a = n * ulp;
    if (a >= 65536) return sign | (to_zero ? 0x7bff : 0x7c00);
    if (a < 0x1p-14L) return sign | (uint32_t)ldexpl(a, 24);
    const int k = ilogbl(a);
    return sign | (uint32_t)(k + 15) << 10 | ((uint32_t)ldexpl(a, 10 - k) & 1023);
}
static long double part_of(const struct minst *m, uint32_t k, uint32_t v, uint32_t part) {
    const uint32_t pick = m->aux >> 2 * k & 3;
    const bool is_crossed = k == 1 && m->op == OP_HFMA && m->aux & MHALF_CROSSED;
    if (is_crossed) part = 1 - part;
    uint32_t h = pick == MHALF_LOW    ? v & 0xffff
                 : pick == MHALF_HIGH ? v >> 16
                                      : v >> 16 * part & 0xffff;
    uint32_t sign = 0x8000;
    if (pick == MHALF_F32) h = v, sign = 0x80000000u;
    if (m->src[k].mods & OPND_ABS) h &= ~sign;
    if (m->src[k].mods & OPND_NEG) h ^= sign;
    if (is_crossed && part == 1) h ^= sign;
    if (pick == MHALF_F32) h = half_from((long double)bits_f32(h), true);
    if (m->flags & MF_FTZ && !(h & 0x7c00)) h &= 0x8000;
    return half_of(h);
}
static long double half_value_of(const struct minst *m, const uint32_t v[3], uint32_t part) {
    const long double a = part_of(m, 0, v[0], part), b = part_of(m, 1, v[1], part);
    const bool wins = m->aux & MHALF_ZERO && (a == 0 || b == 0);
    if (m->op == OP_HADD) return a + b;
    const long double p = wins ? 0 : a * b;
    return m->op == OP_HMUL ? p : p + part_of(m, 2, v[2], part);
}
static uint32_t half_pair(const struct minst *m, uint32_t lane, uint32_t a, uint32_t b, uint32_t c,
                          uint32_t p) {
    (void)lane, (void)p;
    const uint32_t v[] = {a, b, c};
    if (m->type == ITYPE_F32) {
        const float f = (float)half_value_of(m, v, 0);
        return isnan(f) ? 0x7fffffff : f32_bits(f);
    }
    uint32_t r = 0;
    for (uint32_t part = 0; part < 2; part++) {
        uint32_t h = half_from(half_value_of(m, v, part), false);
        if (m->flags & MF_FTZ && !(h & 0x7c00)) h &= 0x8000;
        if (m->flags & MF_SAT)
            h = (h & 0x7fff) > 0x7c00 || h & 0x8000 ? 0 : h > 0x3c00 ? 0x3c00 : h;
        r |= h << 16 * part;
    }
    return r;
}
static void halves(void **state) {
    (void)state;
    static const uint8_t ops[] = {OP_HADD, OP_HMUL, OP_HFMA};
    static const uint32_t flags[] = {0, MF_FTZ, MF_SAT};
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t aux = 1; aux < 64; aux += 3)
            for (uint32_t f = 0; f < 3; f++) {
                const bool wins = ops[k] != OP_HADD && f == 1;
                struct minst m = MI(.op = ops[k], .type = ITYPE_F16X2, .flags = flags[f],
                                    .aux = (uint16_t)(aux | (wins ? MHALF_ZERO : 0u)),
                                    .dst = {R(RES)}, .src = {NEG(R(RA)), ABS(R(RB)), R(RC)});
                check_floats(mop_info[ops[k]].text, m, half_pair, 24);
                m.stype = ITYPE_F16X2;
                m.type = ITYPE_F32;
                if (f == 0) check_floats("to f32", m, half_pair, 24);
            }
}
// HFMA2 with B.H0_NH1, which complex products have.
static void crossed_halves(void **state) {
    (void)state;
    static const uint32_t flags[] = {0, MF_FTZ, MF_SAT};
    static const uint32_t of_a[] = {MHALF_BOTH, MHALF_LOW, MHALF_HIGH, MHALF_F32};
    for (uint32_t a = 0; a < 4; a++)
        for (uint32_t c = 0; c < 4; c++)
            for (uint32_t f = 0; f < 3; f++) {
                const uint32_t aux = of_a[a] | c << 4 | MHALF_CROSSED | (f == 1 ? MHALF_ZERO : 0);
                struct minst m = MI(.op = OP_HFMA, .type = ITYPE_F16X2, .flags = flags[f],
                                    .aux = (uint16_t)aux, .dst = {R(RES)},
                                    .src = {R(RA), f == 2 ? NEG(ABS(R(RB))) : R(RB), NEG(R(RC))});
                check_floats("HFMA2 H0_NH1", m, half_pair, 24);
            }
    // (2 + 3i) (5 + 7i) = -11 + 29i, the real part in the low half: what 2 gives stands in C.
    LEVELS(v) {
        const struct minst m =
            MI(.op = OP_HFMA, .type = ITYPE_F16X2, .aux = MHALF_HIGH | MHALF_CROSSED,
               .dst = {R(RES)}, .src = {R(RA), R(RB), R(RC)});
        struct op_run *r = op_new(m);
        for (uint32_t i = 0; i < 32; i++) {
            r->a.w[0][i] = 0x42004000; // 3, 2
            r->b.w[0][i] = 0x47004500; // 7, 5
            r->c.w[0][i] = 0x4b004900; // 14, 10
        }
        op_step(r, ~0u);
        for (uint32_t i = 0; i < 32; i++) assert_int_equal(r->d.w[0][i], 0x4f40c980);
        op_free(r);
    }
    exec_simd_force(NULL);
}
static void half_comparisons(void **state) {
    (void)state;
    for (uint32_t aux = 0; aux < 16; aux++) {
        if ((aux & 3) == MHALF_F32 || aux >> 2 == MHALF_F32) continue;
        for (uint32_t both = 0; both < 2; both++) {
            LEVELS(v) {
                uint64_t seed = 0x16;
                struct minst m =
                    MI(.op = OP_HSETP, .type = ITYPE_F16X2, .stype = ITYPE_F16X2, .cmp = MCMP_LE,
                       .bop = MBOP_OR, .aux = (uint16_t)(aux | (both ? MHALF_AND : 0u)),
                       .dst = {P(PD), P(PQ)}, .src = {R(RA), NEG(R(RB)), P(PSRC)});
                struct op_run *r = op_new(m);
                for (uint32_t n = 0; n < 60; n++) {
                    for (uint32_t i = 0; i < 32; i++) {
                        r->a.w[0][i] = (uint32_t)rnd64(&seed) & 0x8fff8fffu;
                        r->b.w[0][i] = n & 1 ? r->a.w[0][i] ^ 0x80008000u
                                             : (uint32_t)rnd64(&seed) | (i < 4 ? 0x7c01u : 0);
                    }
                    r->psrc = (uint32_t)rnd64(&seed);
                    op_step(r, ~0u);
                    for (uint32_t i = 0; i < 32; i++) {
                        const uint32_t a = r->a.w[0][i], b = r->b.w[0][i];
                        const bool low = part_of(&m, 0, a, 0) <= part_of(&m, 1, b, 0);
                        const bool high = part_of(&m, 0, a, 1) <= part_of(&m, 1, b, 1);
                        const bool c = r->psrc >> i & 1;
                        const bool p = (both ? low && high : low) || c;
                        const bool q = (both ? !(low && high) : high) || c;
                        assert_int_equal(r->pd >> i & 1, p);
                        assert_int_equal(r->pq >> i & 1, q);
                    }
                }
                op_free(r);
            }
            exec_simd_force(NULL);
        }
    }
}

// ---- conversions of parts -------------------------------------------------------------------
static uint32_t part_to_f32(const struct minst *m, uint32_t a, uint32_t b, uint32_t c, uint32_t e) {
    (void)b, (void)c, (void)e;
    const uint32_t bits = isa_type_bits(m->stype), v = a >> (m->aux & MCVT_PART) * bits;
    switch (m->stype) {
    case ITYPE_U8: return f32_bits((float)(uint8_t)v);
    case ITYPE_S8: return f32_bits((float)(int8_t)v);
    case ITYPE_U16: return f32_bits((float)(uint16_t)v);
    case ITYPE_S16: return f32_bits((float)(int16_t)v);
    default: {
        const float f = (float)half_of(v & 0xffff);
        return isnan(f) ? 0x7fffffff : f32_bits(f);
    }
    }
}
// What a NaN becomes with and without NTZ; other values as ever.
static uint32_t nan_to_int(const struct minst *m, uint32_t a, uint32_t b, uint32_t c, uint32_t e) {
    (void)b, (void)c, (void)e;
    const float f = bits_f32(a);
    if (isnan(f)) return m->aux & MCVT_NAN ? 0x80000000u : 0;
    if (f >= 0x1p31f) return 0x7fffffff;
    return f < -0x1p31f ? 0x80000000u : (uint32_t)(int32_t)f;
}
static void conversions(void **state) {
    (void)state;
    static const uint8_t types[] = {ITYPE_U8, ITYPE_S8, ITYPE_U16, ITYPE_S16, ITYPE_F16};
    for (uint32_t k = 0; k < WW_COUNT(types); k++)
        for (uint32_t part = 0; part < 32 / isa_type_bits(types[k]); part++)
            check32("CVT",
                    MI(.op = OP_CVT, .type = ITYPE_F32, .stype = types[k], .aux = (uint16_t)part,
                       .dst = {R(RES)}, .src = {R(RA)}),
                    part_to_f32, 60);
    for (uint32_t aux = 0; aux < 8; aux += MCVT_NAN)
        check32("CVT.S32.F32",
                MI(.op = OP_CVT, .type = ITYPE_S32, .stype = ITYPE_F32, .rnd = MRND_RZ,
                   .aux = (uint16_t)aux, .dst = {R(RES)}, .src = {R(RA)}),
                nan_to_int, 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(products),
                                       cmocka_unit_test(selections),
                                       cmocka_unit_test(quotients),
                                       cmocka_unit_test(minima),
                                       cmocka_unit_test(turns),
                                       cmocka_unit_test(high_words),
                                       cmocka_unit_test(halves),
                                       cmocka_unit_test(half_comparisons),
                                       cmocka_unit_test(crossed_halves),
                                       cmocka_unit_test(conversions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
