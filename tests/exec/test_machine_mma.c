// Products of matrices with sixteen rows, of doubles, and of bits joined by and. Where elements lie
// is written here as PTX ISA 9.0 has it (9.7.14.5.4 to .13: groupID, threadID_in_group); small whole
// numbers make results exact, whatever the order; chosen sums show how a unit rounds.
#include "test_fp.h"

enum { ROWS = 16, COLS = 8, MOST_K = 256 };
struct matrices {
    int a[ROWS][MOST_K], b[MOST_K][COLS], c[ROWS][COLS];
};
struct shape {
    uint32_t k, bits; // of an element of A and B; 32: tf32
};

// Row and k of element i of a lane's A; k of element i of its B.
static void place_a(const struct shape *s, uint32_t lane, uint32_t i, uint32_t *row, uint32_t *k) {
    const uint32_t in_word = 32 / s->bits, word = i / in_word, group = lane >> 2, thread = lane & 3;
    *row = group + (word & 1 ? 8 : 0);
    *k = thread * in_word + i % in_word + (word >> 1) * 4 * in_word;
}
static uint32_t k_of_b(const struct shape *s, uint32_t lane, uint32_t i) {
    const uint32_t in_word = 32 / s->bits;
    return (lane & 3) * in_word + i % in_word + i / in_word * 4 * in_word;
}
typedef uint32_t encode_fn(int v);
static void put_element(struct lanes *l, uint32_t lane, const struct shape *s, uint32_t i,
                        uint32_t v) {
    const uint32_t in_word = 32 / s->bits;
    const uint32_t keep = s->bits == 32 ? ~0u : (1u << s->bits) - 1;
    l->w[i / in_word][lane] |= (v & keep) << i % in_word * s->bits;
}
static void deal(struct op_run *r, const struct matrices *m, const struct shape *s,
                 encode_fn *encode) {
    memset(&r->a, 0, sizeof r->a);
    memset(&r->b, 0, sizeof r->b);
    for (uint32_t lane = 0; lane < 32; lane++) {
        for (uint32_t i = 0; i < ROWS * s->k / 32; i++) {
            uint32_t row, k;
            place_a(s, lane, i, &row, &k);
            put_element(&r->a, lane, s, i, encode(m->a[row][k]));
        }
        for (uint32_t i = 0; i < COLS * s->k / 32; i++)
            put_element(&r->b, lane, s, i, encode(m->b[k_of_b(s, lane, i)][lane >> 2]));
    }
}
static uint32_t row_of_d(uint32_t lane, uint32_t i) { return (lane >> 2) + (i & 2 ? 8 : 0); }
static uint32_t col_of_d(uint32_t lane, uint32_t i) { return (lane & 3) * 2 + (i & 1); }

static uint32_t as_is(int v) { return (uint32_t)v; }
static uint32_t as_f16(int v) { // whole numbers below 2048
    if (!v) return 0;
    const uint32_t m = (uint32_t)abs(v), e = 31 - (uint32_t)__builtin_clz(m);
    return (v < 0 ? 0x8000u : 0) | (e + 15) << 10 | ((m << (10 - e)) & 1023);
}
static uint32_t as_f32_bits(int v) { return f32_bits((float)v); }
static uint32_t as_bf16(int v) { return f32_bits((float)v) >> 16; }

static void fill(struct matrices *m, const struct shape *s, int low, int high, uint64_t *seed) {
    const uint32_t span = (uint32_t)(high - low + 1);
    for (uint32_t k = 0; k < s->k; k++) {
        for (uint32_t i = 0; i < ROWS; i++) m->a[i][k] = low + (int)(rnd64(seed) % span);
        for (uint32_t j = 0; j < COLS; j++) m->b[k][j] = low + (int)(rnd64(seed) % span);
    }
    for (uint32_t i = 0; i < ROWS; i++)
        for (uint32_t j = 0; j < COLS; j++) m->c[i][j] = (int)(rnd64(seed) % 201) - 100;
}
static int exact(const struct matrices *m, const struct shape *s, uint32_t i, uint32_t j,
                 int sign) {
    int sum = m->c[i][j];
    for (uint32_t k = 0; k < s->k; k++) sum += sign * m->a[i][k] * m->b[k][j];
    return sum;
}

// ---- floats ---------------------------------------------------------------------------------
static void float_elements(void **state) {
    (void)state;
    static const struct {
        uint8_t type, stype;
        struct shape s;
        encode_fn *encode;
    } row[] = {
        {ITYPE_F32, ITYPE_F16, {16, 16}, as_f16},     {ITYPE_F32, ITYPE_F16, {8, 16}, as_f16},
        {ITYPE_F16, ITYPE_F16, {16, 16}, as_f16},     {ITYPE_F32, ITYPE_BF16, {16, 16}, as_bf16},
        {ITYPE_F32, ITYPE_BF16, {8, 16}, as_bf16},    {ITYPE_F32, ITYPE_TF32, {8, 32}, as_f32_bits},
        {ITYPE_F32, ITYPE_TF32, {4, 32}, as_f32_bits}};
    for (uint32_t n = 0; n < WW_COUNT(row); n++)
        for (uint32_t how = 0; how < 4; how++) {
            const bool is_half = row[n].type == ITYPE_F16, is_minus = how & 1;
            const uint8_t words = is_half ? 2 : 4;
            LEVELS(v) {
                uint64_t seed = 0x16816;
                struct matrices m;
                struct op_run *r =
                    op_new(MI(.op = OP_HMMA_16, .type = row[n].type, .stype = row[n].stype,
                              .sub = (uint8_t)row[n].s.k, .aux = how & 2 ? MMA_HOPPER : 0,
                              .dst = {{.kind = OPND_GPR, .words = words, .reg = RES}},
                              .src = {MOD(RQ(RA), is_minus ? OPND_NEG : 0),
                                      RD(RB),
                                      {.kind = OPND_GPR, .words = words, .reg = RC}}));
                for (uint32_t round = 0; round < 20; round++) {
                    fill(&m, &row[n].s, -8, 8, &seed);
                    deal(r, &m, &row[n].s, row[n].encode);
                    for (uint32_t i = 0; i < 128; i++) {
                        const int c = m.c[row_of_d(i % 32, i / 32)][col_of_d(i % 32, i / 32)];
                        uint32_t *const w = &r->c.w[is_half ? i / 64 : i / 32][i % 32];
                        if (!is_half)
                            *w = as_f32_bits(c);
                        else
                            *w = i / 32 & 1 ? *w | as_f16(c) << 16 : as_f16(c);
                    }
                    op_step(r, ~0u);
                    for (uint32_t i = 0; i < 128; i++) {
                        const uint32_t lane = i % 32, e = i / 32;
                        const int want = exact(&m, &row[n].s, row_of_d(lane, e), col_of_d(lane, e),
                                               is_minus ? -1 : 1);
                        const uint32_t got = is_half ? r->d.w[e / 2][lane] >> 16 * (e & 1) & 0xffff
                                                     : r->d.w[e][lane];
                        assert_int_equal(got, is_half ? as_f16(want) : as_f32_bits(want));
                    }
                }
                op_free(r);
            }
            exec_simd_force(NULL);
        }
}

// 1 and products of 1.5 * 2^-24: what remains of each behind the unit's last bit, and after which k
// a sum is cut to single precision (MMA-Sim's table of generations).
static void float_sums(void **state) {
    (void)state;
    static const struct {
        bool is_hopper;
        uint8_t stype, k;
        uint32_t at; // bit k: a product there
        uint32_t want;
    } row[] = {{false, ITYPE_F16, 16, 0x0001, 0x3f800000}, // 24 bits: 1 + 2^-24 is cut
               {false, ITYPE_F16, 16, 0x0003, 0x3f800001}, // two of a group of eight
               {false, ITYPE_F16, 16, 0x0101, 0x3f800000}, // one in each
               {false, ITYPE_F16, 16, 0x0007, 0x3f800001}, // three: each is cut to 2^-24
               {true, ITYPE_F16, 16, 0x0007, 0x3f800002},  // 25 bits: 4.5 * 2^-24
               {true, ITYPE_F16, 16, 0x0101, 0x3f800001},  // a group of sixteen
               {false, ITYPE_BF16, 16, 0x0101, 0x3f800000},
               {true, ITYPE_BF16, 16, 0x0101, 0x3f800001},
               {false, ITYPE_TF32, 8, 0x0003, 0x3f800001},
               {false, ITYPE_TF32, 8, 0x0011, 0x3f800000}, // groups of four
               {true, ITYPE_TF32, 8, 0x0011, 0x3f800001}};
    for (uint32_t n = 0; n < WW_COUNT(row); n++) {
        LEVELS(v) {
            const bool is_tf32 = row[n].stype == ITYPE_TF32;
            struct op_run *r = op_new(MI(.op = OP_HMMA_16, .type = ITYPE_F32, .stype = row[n].stype,
                                         .sub = row[n].k, .aux = row[n].is_hopper ? MMA_HOPPER : 0,
                                         .dst = {RQ(RES)}, .src = {RQ(RA), RD(RB), RQ(RC)}));
            const struct shape s = {row[n].k, is_tf32 ? 32 : 16};
            // 1.5 * 2^-12 and 2^-12
            const uint32_t many = row[n].stype == ITYPE_F16 ? 0x0e00
                                  : is_tf32                 ? 0x39c00000
                                                            : 0x39c0;
            const uint32_t one = row[n].stype == ITYPE_F16 ? 0x0c00 : is_tf32 ? 0x39800000 : 0x3980;
            for (uint32_t lane = 0; lane < 32; lane++) {
                for (uint32_t i = 0; i < COLS * s.k / 32; i++)
                    put_element(&r->b, lane, &s, i, row[n].at >> k_of_b(&s, lane, i) & 1 ? one : 0);
                for (uint32_t i = 0; i < ROWS * s.k / 32; i++)
                    put_element(&r->a, lane, &s, i, many);
                for (uint32_t e = 0; e < 4; e++) r->c.w[e][lane] = 0x3f800000;
            }
            op_step(r, ~0u);
            for (uint32_t e = 0; e < 4; e++)
                for (uint32_t lane = 0; lane < 32; lane++)
                    if (r->d.w[e][lane] != row[n].want)
                        fail_msg("row %u: %08x, not %08x", n, r->d.w[e][lane], row[n].want);
            op_free(r);
        }
        exec_simd_force(NULL);
    }
}

// Results of ordinary factors come from vectors of integers, others in double precision: a factor that is
// no number in one row of A makes the unit take the other way for all, and other rows stay as they were.
struct kind {
    uint8_t type, stype, k;
};
static uint32_t random_factors(uint64_t *seed, uint8_t stype, uint32_t spread) {
    const uint64_t r = rnd64(seed);
    const uint32_t places = (uint32_t)(rnd64(seed) % (spread + 1)), word = (uint32_t)r;
    if (rnd64(seed) % 8 == 0) return 0;
    switch (stype) {
    case ITYPE_F16: return (word & 0x83ff83ffu) | (places % 30 << 10) | (spread / 2 % 30 << 26);
    case ITYPE_BF16: return (word & 0x807f807fu) | (127 - spread / 2 + places) << 7 | 127u << 23;
    case ITYPE_TF32: return (word & 0x807fffffu) | (127 - spread / 2 + places) << 23;
    case ITYPE_E4M3: return word & 0x77777777u; // NaN is 0x7f
    default: return word & 0xbbbbbbbbu;         // infinity and NaN are 0x7c and up
    }
}
static void set_up(struct op_run *r, const struct kind *kind, uint32_t round, uint64_t *seed) {
    static const uint8_t pairs[] = {4, 8, 9, 12, 13, 14};
    static const uint32_t spreads[] = {0, 4, 10, 29};
    const uint32_t spread = spreads[round % WW_COUNT(spreads)];
    for (uint32_t e = 0; e < 4; e++)
        for (uint32_t lane = 0; lane < 32; lane++) {
            r->a.w[e][lane] = random_factors(seed, kind->stype, spread);
            r->b.w[e][lane] = random_factors(seed, kind->stype, spread);
            const float c = (float)(int32_t)rnd64(seed) * (round % 3 ? 0x1p-30f : 0x1p-46f);
            r->c.w[e][lane] = kind->type == ITYPE_F16 ? (uint32_t)rnd64(seed) & 0xbfffbfffu : f32_bits(c);
            if (round % 8 == 7) r->c.w[e][lane] = 0;
            uint32_t meta = 0;
            for (uint32_t bit = 0; bit < 32; bit += 4)
                meta |= (uint32_t)(kind->stype == ITYPE_TF32 ? (rnd64(seed) & 1 ? 14 : 4)
                                                             : pairs[rnd64(seed) % WW_COUNT(pairs)])
                        << bit;
            r->e.w[0][lane] = meta;
        }
}
static void two_ways_agree(void **state) {
    (void)state;
    static const struct kind kinds[] = {
        {ITYPE_F32, ITYPE_F16, 16}, {ITYPE_F16, ITYPE_F16, 16}, {ITYPE_F32, ITYPE_BF16, 16},
        {ITYPE_F32, ITYPE_TF32, 8}, {ITYPE_F32, ITYPE_E4M3, 32}, {ITYPE_F32, ITYPE_E5M2, 32},
        {ITYPE_F16, ITYPE_E5M2, 32}, {ITYPE_F32, ITYPE_F16, 8}};
    static const uint16_t flags[] = {0, MMA_HOPPER, MMA_SPARSE, MMA_SPARSE | MMA_HOPPER};
    uint64_t seed = 0x2ea9;
    for (uint32_t n = 0; n < WW_COUNT(kinds) * WW_COUNT(flags); n++) {
        const struct kind *const kind = &kinds[n / WW_COUNT(flags)];
        LEVELS(v) {
            struct op_run *r = op_new(MI(.op = OP_HMMA_16, .type = kind->type, .stype = kind->stype, .sub = kind->k,
                                         .aux = flags[n % WW_COUNT(flags)], .dst = {RQ(RES)},
                                         .src = {RQ(RA), RQ(RB), RQ(RC), R(RE)}));
            for (uint32_t round = 0; round < 48; round++) {
                set_up(r, kind, round, &seed);
                r->a.w[0][0] = 0;
                op_step(r, ~0u);
                const struct lanes first = r->d;
                r->a.w[0][0] = kind->stype == ITYPE_E4M3 ? 0x7f : 0x7f807c00; // of row 0
                if (kind->stype == ITYPE_TF32) r->a.w[0][0] = 0x7f800000;
                if (kind->stype == ITYPE_E5M2) r->a.w[0][0] = 0x7c;
                op_step(r, ~0u);
                for (uint32_t e = 0; e < 4; e++)
                    for (uint32_t lane = e < 2 ? 4 : 0; lane < 32 && (kind->type == ITYPE_F32 || e < 2); lane++)
                        if ((lane >= 4 || kind->type == ITYPE_F32) && r->d.w[e][lane] != first.w[e][lane])
                            fail_msg("kind %u, round %u, lane %u: %08x and %08x", n, round, lane, first.w[e][lane],
                                     r->d.w[e][lane]);
                assert_memory_not_equal(&r->d, &first, sizeof first); // row 0 differs
            }
            op_free(r);
        }
        exec_simd_force(NULL);
    }
}

// Where the fifth source is false C does not count, whatever it holds.
static void sums_begin_anew(void **state) {
    (void)state;
    for (uint32_t is_not = 0; is_not < 2; is_not++)
        for (uint32_t counts = 0; counts < 2; counts++) {
            LEVELS(v) {
                struct op_run *r =
                    op_new(MI(.op = OP_HMMA_16, .type = ITYPE_F32, .stype = ITYPE_E5M2, .sub = 32,
                              .dst = {RQ(RES)},
                              .src = {RQ(RA), RD(RB), RQ(RC), {0},
                                      MOD(P(PSRC), is_not ? OPND_NOT : 0)}));
                r->psrc = is_not != counts ? ~0u : 0;
                for (uint32_t i = 0; i < 32; i++) {
                    r->a.w[0][i] = i < 4 ? 0x3c000000 : 0; // row 0: 1.0 in every fourth k of the first half
                    r->b.w[0][i] = 0x38383838;             // 1.0 as e4m3
                    for (uint32_t e = 0; e < 4; e++)
                        r->c.w[e][i] = counts ? f32_bits(100) : 0x7fffffff;
                }
                op_step(r, ~0u);
                for (uint32_t i = 0; i < 32; i++)
                    for (uint32_t e = 0; e < 4; e++) {
                        const float sum = (e < 2 && i < 4 ? 4.0f : 0.0f) + (counts ? 100.0f : 0.0f);
                        assert_int_equal(r->d.w[e][i], f32_bits(sum));
                    }
                op_free(r);
            }
            exec_simd_force(NULL);
        }
}

// ---- integers, bits -------------------------------------------------------------------------
static void integer_elements(void **state) {
    (void)state;
    static const struct {
        uint8_t stype, vec, sub;
        struct shape s;
        int low, high;
    } row[] = {{ITYPE_S8, 1, MMA_A_SIGNED | MMA_B_SIGNED, {16, 8}, -128, 127},
               {ITYPE_S8, 2, MMA_A_SIGNED | MMA_B_SIGNED, {32, 8}, -128, 127},
               {ITYPE_S8, 2, 0, {32, 8}, 0, 255},
               {ITYPE_S4, 1, MMA_A_SIGNED | MMA_B_SIGNED, {32, 4}, -8, 7},
               {ITYPE_S4, 2, 0, {64, 4}, 0, 15},
               {ITYPE_B1, 1, MMA_AND, {128, 1}, 0, 1},
               {ITYPE_B1, 2, MMA_AND, {256, 1}, 0, 1}};
    for (uint32_t n = 0; n < WW_COUNT(row); n++) {
        uint64_t seed = 0x8832;
        struct matrices m;
        struct op_run *r =
            op_new(MI(.op = OP_IMMA_16, .type = ITYPE_S32, .stype = row[n].stype, .vec = row[n].vec,
                      .sub = row[n].sub, .dst = {RQ(RES)}, .src = {RQ(RA), RD(RB), RQ(RC)}));
        for (uint32_t round = 0; round < 20; round++) {
            fill(&m, &row[n].s, row[n].low, row[n].high, &seed);
            deal(r, &m, &row[n].s, as_is);
            for (uint32_t i = 0; i < 128; i++)
                r->c.w[i / 32][i % 32] =
                    (uint32_t)m.c[row_of_d(i % 32, i / 32)][col_of_d(i % 32, i / 32)];
            op_step(r, ~0u);
            for (uint32_t i = 0; i < 128; i++) {
                const uint32_t lane = i % 32, e = i / 32;
                assert_int_equal((int32_t)r->d.w[e][lane],
                                 exact(&m, &row[n].s, row_of_d(lane, e), col_of_d(lane, e), 1));
            }
        }
        op_free(r);
    }
}
static void integer_ends(void **state) {
    (void)state;
    for (uint32_t sat = 0; sat < 2; sat++) {
        struct op_run *r =
            op_new(MI(.op = OP_IMMA_16, .type = ITYPE_S32, .stype = ITYPE_S8, .vec = 1,
                      .flags = sat ? MF_SAT : 0, .dst = {RQ(RES)}, .src = {RD(RA), R(RB), RQ(RC)}));
        for (uint32_t i = 0; i < 32; i++) {
            r->a.w[0][i] = r->a.w[1][i] = r->b.w[0][i] = 0xffffffffu; // 16 * 255 * 255
            for (uint32_t e = 0; e < 4; e++) r->c.w[e][i] = 0x7fffffff;
        }
        op_step(r, ~0u);
        for (uint32_t e = 0; e < 4; e++)
            assert_int_equal(r->d.w[e][5], sat ? 0x7fffffff : 0x7fffffff + 16 * 255 * 255u);
        op_free(r);
    }
}

// ---- doubles --------------------------------------------------------------------------------
static void doubles(void **state) {
    (void)state;
    uint64_t seed = 0x884;
    struct op_run *r = op_new(MI(.op = OP_DMMA, .type = ITYPE_F64, .dst = {RQ(RES)},
                                 .src = {RD(RA), NEG(RD(RB)), RQ(RC)}));
    for (uint32_t round = 0; round < 50; round++) {
        double a[8][4], b[4][8];
        for (uint32_t lane = 0; lane < 32; lane++) {
            a[lane >> 2][lane & 3] = (double)(int64_t)rnd64(&seed) * 0x1p-60;
            b[lane & 3][lane >> 2] = (double)(int64_t)rnd64(&seed) * 0x1p-50;
            set_lane64(&r->a, lane, f64_bits(a[lane >> 2][lane & 3]));
            set_lane64(&r->b, lane, f64_bits(b[lane & 3][lane >> 2]));
            for (uint32_t e = 0; e < 4; e++) r->c.w[e][lane] = (uint32_t)rnd64(&seed) & 0x43ffffff;
        }
        op_step(r, ~0u);
        for (uint32_t lane = 0; lane < 32; lane++)
            for (uint32_t e = 0; e < 2; e++) {
                double sum =
                    bits_f64(r->c.w[2 * e][lane] | (uint64_t)r->c.w[2 * e + 1][lane] << 32);
                for (uint32_t k = 0; k < 4; k++)
                    sum = fma(a[lane >> 2][k], -b[k][col_of_d(lane, e)], sum);
                assert_int_equal(r->d.w[2 * e][lane], (uint32_t)f64_bits(sum));
                assert_int_equal(r->d.w[2 * e + 1][lane], (uint32_t)(f64_bits(sum) >> 32));
            }
    }
    op_free(r);
}

// The same with sixteen rows, for which rows 8 to 15 stand behind rows 0 to 7: the same chain of
// fused multiply-adds, over values among which are NaNs, infinities, subnormals and both zeros.
static double edge_double(uint64_t *seed) {
    static const uint64_t edge[] = {0, 1ull << 63, 1, 0x8000000000000001u, 0x000fffffffffffffu,
                                    0x7ff0000000000000u, 0xfff0000000000000u, 0x7ff8000000000001u,
                                    0x7fefffffffffffffu, 0x3ff0000000000000u, 0xbff0000000000000u};
    const uint64_t n = rnd64(seed) % 64;
    if (n < WW_COUNT(edge)) return bits_f64(edge[n]);
    return (double)(int64_t)rnd64(seed) * (n < 40 ? 0x1p-62 : 0x1p-1060);
}
static void put_double(uint32_t *row, uint32_t lane, double v) {
    const uint64_t u = f64_bits(v);
    row[lane] = (uint32_t)u;
    row[WARP_LANES + lane] = (uint32_t)(u >> 32);
}
static uint64_t double_at(const uint32_t *row, uint32_t lane) {
    return row[lane] | (uint64_t)row[WARP_LANES + lane] << 32;
}
enum { D16 = 16, A16 = 32, B16 = 48, C16 = 56, N16 = 64, MOST_K16 = 16 };
struct doubles_16 {
    double a[ROWS][MOST_K16], b[MOST_K16][COLS], c[ROWS][COLS];
};
// Fragments as PTX ISA 9.0 has them (9.7.14.5.11 to .13).
static void deal_doubles(struct prog *p, const struct doubles_16 *m, uint32_t k) {
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t group = lane >> 2, thread = lane & 3;
        for (uint32_t i = 0; i < k / 2; i++) // a0: (g, t), a1: (g + 8, t), a2: (g, t + 4) ...
            put_double(reg(p, A16 + 2 * i), lane, m->a[group + (i & 1 ? 8 : 0)][thread + 4 * (i >> 1)]);
        for (uint32_t i = 0; i < k / 4; i++)
            put_double(reg(p, B16 + 2 * i), lane, m->b[thread + 4 * i][group]);
        for (uint32_t i = 0; i < 4; i++)
            put_double(reg(p, C16 + 2 * i), lane, m->c[row_of_d(lane, i)][col_of_d(lane, i)]);
    }
}
static void doubles_of_sixteen_rows(void **state) {
    (void)state;
    uint64_t seed = 0x16816;
    for (uint32_t k = 4; k <= MOST_K16; k *= 2)
        for (uint32_t round = 0; round < 40; round++) {
            const bool turned = round & 1, from_zero = round & 2; // signs of A and C; C is RZ
            struct opnd a = {.kind = OPND_GPR, .words = (uint8_t)k, .reg = A16},
                        b = {.kind = OPND_GPR, .words = (uint8_t)(k / 2), .reg = B16},
                        c = {.kind = from_zero ? OPND_ZERO : OPND_GPR, .words = 8, .reg = C16};
            if (turned) {
                a.mods = OPND_NEG;
                c.mods = OPND_NEG | OPND_ABS;
            }
            struct prog *const p = prog_new();
            p->im.n_regs = N16;
            p->inst[p->im.n_insts++] =
                MI(.op = OP_DMMA_16, .type = ITYPE_F64, .vec = (uint8_t)(k / 4), .guard = PRED_TRUE,
                   .target = -1, .reconv = -1,
                   .dst = {{.kind = OPND_GPR, .words = 8, .reg = D16}}, .src = {a, b, c});
            emit_exit(p);
            prog_start(p);
            struct doubles_16 m;
            for (uint32_t i = 0; i < ROWS * MOST_K16; i++) m.a[i % ROWS][i / ROWS] = edge_double(&seed);
            for (uint32_t i = 0; i < MOST_K16 * COLS; i++) m.b[i / COLS][i % COLS] = edge_double(&seed);
            for (uint32_t i = 0; i < ROWS * COLS; i++) m.c[i / COLS][i % COLS] = edge_double(&seed);
            deal_doubles(p, &m, k);
            assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_NEXT);
            for (uint32_t lane = 0; lane < 32; lane++)
                for (uint32_t e = 0; e < 4; e++) {
                    const uint32_t row = row_of_d(lane, e), col = col_of_d(lane, e);
                    double sum = from_zero ? 0 : m.c[row][col];
                    if (turned) sum = -fabs(sum);
                    for (uint32_t i = 0; i < k; i++)
                        sum = fma(turned ? -m.a[row][i] : m.a[row][i], m.b[i][col], sum);
                    const uint64_t d = double_at(reg(p, D16 + 2 * e), lane);
                    if (isnan(sum))
                        assert_true(isnan(bits_f64(d)));
                    else
                        assert_int_equal(d, f64_bits(sum));
                }
            prog_free(p);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(float_elements),
                                       cmocka_unit_test(float_sums),
                                       cmocka_unit_test(two_ways_agree),
                                       cmocka_unit_test(sums_begin_anew),
                                       cmocka_unit_test(integer_elements),
                                       cmocka_unit_test(integer_ends), cmocka_unit_test(doubles),
                                       cmocka_unit_test(doubles_of_sixteen_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
