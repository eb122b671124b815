// Sums of tensor cores, one by one: a reference in whole numbers and long doubles beside products of halves and bfloats with
// sixteen rows, at every vector level. Operands are random, near each other, far apart, subnormal, zero, the largest, infinite
// and not a number, alone and mixed, so that all ways through the simulator's code are taken.
//
// The rules are those of the sources that src/exec/mma_simd.c names: exact products; they and the sum so far cut, towards zero,
// at so many bits behind the largest exponent among them (a product's is the sum of its factors', a subnormal factor's that
// of the least normal number); an exact sum; single precision towards zero, half precision to nearest even.
#include "test_fp.h"

enum { ROWS = 16, COLS = 8, MOST_K = 16, NONE = -100000 };

struct unit {
    uint32_t terms;
    int fraction, least_single, least_half;
};
static const struct unit ampere = {8, 24, -132, -20}, hopper = {16, 25, -133, -21};

struct number {
    long double v;
    int e; // NONE: of a zero
    bool finite;
};
// Of a format with so many bits of exponent and fraction.
static struct number number_of(uint32_t bits, int exponent, int fraction) {
    const int bias = (1 << (exponent - 1)) - 1, field = (int)(bits >> fraction) & ((1 << exponent) - 1);
    const uint32_t m = bits & ((1u << fraction) - 1);
    const long double sign = bits >> (exponent + fraction) & 1 ? -1 : 1;
    if (field == (1 << exponent) - 1)
        return (struct number){m ? (long double)NAN : sign * (long double)INFINITY, 0, false};
    const int e = (field ? field : 1) - bias;
    const long double v = ldexpl((long double)m + (field ? (long double)(1u << fraction) : 0), e - fraction);
    return (struct number){sign * v, v == 0 ? NONE : e, true};
}
static uint32_t nearest_half(long double v) {
    const uint32_t sign = signbit(v) ? 0x8000 : 0;
    const long double m = fabsl(v);
    int e = 0;
    if (m == 0) return sign;
    frexpl(m, &e);
    e = e - 1 < -14 ? -14 : e - 1;
    const uint32_t n = (uint32_t)nearbyintl(ldexpl(m, 10 - e)); // 1024 to 2048, fewer of a subnormal
    const uint32_t h = ((uint32_t)(e + 14) << 10) + n;
    return sign | (h > 0x7c00 ? 0x7c00 : h);
}
static uint32_t cut_single(long double v) {
    const uint32_t sign = signbit(v) ? 0x80000000u : 0;
    const long double m = fabsl(v);
    int e = 0;
    if (m == 0) return sign;
    frexpl(m, &e);
    if (e > 128) return sign | 0x7f800000;
    e = e - 1 < -126 ? -126 : e - 1;
    const uint32_t n = (uint32_t)truncl(ldexpl(m, 23 - e));
    return sign | (((uint32_t)(e + 126) << 23) + n);
}
static uint32_t sum_of(const struct unit *u, const struct number *a, const struct number *b, uint32_t terms, uint32_t c,
                       bool half) {
    const struct number sum = half ? number_of(c, 5, 10) : number_of(c, 8, 23);
    // What goes in as a half is a number of single precision to the adder, where it is no subnormal.
    int top = sum.e, normal = 0;
    if (half && sum.e != NONE && sum.finite) frexpl(sum.v, &normal), top = normal - 1;
    long double any = sum.v;
    bool finite = sum.finite;
    for (uint32_t k = 0; k < terms; k++) {
        const int e = a[k].e == NONE || b[k].e == NONE ? NONE : a[k].e + b[k].e;
        top = e > top ? e : top;
        any += a[k].v * b[k].v;
        finite = finite && a[k].finite && b[k].finite;
    }
    if (!finite) {
        const uint32_t inf = half ? 0x7c00 : 0x7f800000, sign = signbit(any) ? (half ? 0x8000 : 0x80000000u) : 0;
        return isnan(any) ? (half ? 0x7fff : 0x7fffffff) : sign | inf;
    }
    const int least = half ? u->least_half : u->least_single;
    top = top < least ? least : top;
    int64_t all = (int64_t)truncl(ldexpl(sum.v, u->fraction - top));
    for (uint32_t k = 0; k < terms; k++) all += (int64_t)truncl(ldexpl(a[k].v * b[k].v, u->fraction - top));
    const long double exact = ldexpl((long double)all, top - u->fraction);
    return half ? nearest_half(exact) : cut_single(exact);
}

// ---- operands ------------------------------------------------------------------------------------
struct kind {
    uint8_t type, stype;
    uint32_t k;
    bool is_hopper;
    bool is_turing; // HMMA.1688
};
static uint32_t factor(uint64_t *seed, uint8_t type, uint32_t how) {
    const bool bf = type == ITYPE_BF16;
    const uint32_t v = (uint32_t)rnd64(seed), one = bf ? 0x3f80 : 0x3c00, step = bf ? 0x80 : 0x400;
    const uint32_t sign = v >> 16 & 0x8000, small = v % step;
    static const uint32_t special_half[] = {0, 0x8000, 1, 0x83ff, 0x0400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00};
    static const uint32_t special_bf[] = {0, 0x8000, 1, 0x807f, 0x0080, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0};
    switch (how) {
    case 0: return sign | (one + small);                                     // alike
    case 1: return sign | (one - 4 * step + v % (8 * step));                  // near
    case 2: return v >> 20 & 1 ? sign | small : sign | (one - v % (12 * step)); // subnormal and others
    case 3: return v >> 20 & 3 ? 0 : sign | (one + small);                   // mostly zeros
    case 4: return (v & 0xffff & ~(bf ? 0x4000u : 0x4000u)) | (v >> 20 & 1 ? 0x3c00 : 0); // below two
    case 5: return sign | (bf ? 0x7f7f - v % 0x400 : 0x7bff - v % 0x1000);   // the largest
    case 6: return v & 0xffff;                                               // anything
    case 7: return v >> 20 & 31 ? sign | (one + small) : (bf ? special_bf : special_half)[(v >> 25) % 10];
    default: return 0;
    }
}
static uint32_t summand(uint64_t *seed, bool half, uint32_t how) {
    const uint32_t v = (uint32_t)rnd64(seed), sign = v & 0x80000000u;
    static const uint32_t special[] = {0,          0x80000000u, 1,          0x807fffffu, 0x00800000, 0x7f7fffff,
                                       0x7f800000, 0xff800000u, 0x7fc00000, 0x3f800000};
    if (half) return how == 0 ? 0 : how == 1 ? 0x3c00 ^ (v & 0x83ff) : how == 2 ? v & 0x83ff : v & 0xffff;
    switch (how) {
    case 0: return 0;
    case 1: return sign | (0x3f800000 + (v & 0x1ffffff) - 0x1000000);
    case 2: return sign | (v & 0x7fffff);                          // subnormal
    case 3: return sign | (0x00800000 + (v & 0x1fffffff));         // small, down to the least
    case 4: return special[v % WW_COUNT(special)];
    case 5: return sign | (0x4b000000 + (v & 0x3ffffff));          // large beside products
    default: return v;
    }
}

// Where elements lie: PTX ISA 9.0, 9.7.14.5.7 and .8 (m16n8k8 and m16n8k16 of 16 bits).
struct operands {
    struct number a[ROWS][MOST_K], b[COLS][MOST_K];
    uint32_t c[ROWS][COLS];
};
static void draw(struct op_run *r, struct operands *o, const struct kind *kind, uint64_t *seed) {
    const bool half = kind->type == ITYPE_F16;
    const int exponent = kind->stype == ITYPE_BF16 ? 8 : 5, fraction = 15 - exponent;
    const uint32_t how_a = (uint32_t)(rnd64(seed) >> 60) % 9, how_b = rnd64(seed) & 1 ? how_a : (uint32_t)(rnd64(seed) >> 60) % 9;
    const uint32_t how_c = (uint32_t)(rnd64(seed) >> 60) % 8;
    memset(&r->a, 0, sizeof r->a);
    memset(&r->b, 0, sizeof r->b);
    memset(&r->c, 0, sizeof r->c);
    for (uint32_t lane = 0; lane < 32; lane++) {
        const uint32_t group = lane >> 2, thread = lane & 3;
        for (uint32_t i = 0; i < kind->k / 2; i++) { // a0 to a7
            const uint32_t v = factor(seed, kind->stype, how_a);
            const uint32_t row = group + (i & 2 ? 8 : 0), k = 2 * thread + (i & 1) + (i & 4 ? 8 : 0);
            r->a.w[i / 2][lane] |= v << 16 * (i & 1);
            o->a[row][k] = number_of(v, exponent, fraction);
        }
        for (uint32_t i = 0; i < kind->k / 4; i++) { // b0 to b3
            const uint32_t v = factor(seed, kind->stype, how_b);
            r->b.w[i / 2][lane] |= v << 16 * (i & 1);
            o->b[group][2 * thread + (i & 1) + (i & 2 ? 8 : 0)] = number_of(v, exponent, fraction);
        }
        for (uint32_t i = 0; i < 4; i++) { // c0 to c3
            const uint32_t v = summand(seed, half, how_c);
            r->c.w[half ? i / 2 : i][lane] |= half ? v << 16 * (i & 1) : v;
            o->c[group + (i & 2 ? 8 : 0)][2 * thread + (i & 1)] = v;
        }
    }
}
static uint32_t expected(const struct operands *o, const struct kind *kind, uint32_t row, uint32_t column) {
    const struct unit *const u = kind->is_hopper ? &hopper : &ampere;
    const uint32_t terms = u->terms < kind->k ? u->terms : kind->k;
    uint32_t sum = o->c[row][column];
    for (uint32_t k = 0; k < kind->k; k += terms)
        sum = sum_of(u, o->a[row] + k, o->b[column] + k, terms, sum, kind->type == ITYPE_F16);
    return sum;
}

static void sums_one_by_one(void **state) {
    (void)state;
    static const struct kind kinds[] = {
        {ITYPE_F32, ITYPE_F16, 16, false}, {ITYPE_F32, ITYPE_F16, 8, false},   {ITYPE_F16, ITYPE_F16, 16, false},
        {ITYPE_F16, ITYPE_F16, 8, false},  {ITYPE_F32, ITYPE_BF16, 16, false}, {ITYPE_F32, ITYPE_BF16, 8, false},
        {ITYPE_F32, ITYPE_F16, 16, true},  {ITYPE_F32, ITYPE_F16, 8, true},    {ITYPE_F16, ITYPE_F16, 16, true},
        {ITYPE_F16, ITYPE_F16, 8, true},   {ITYPE_F32, ITYPE_BF16, 16, true},  {ITYPE_F32, ITYPE_BF16, 8, true},
        {ITYPE_F32, ITYPE_F16, 8, false, true}, {ITYPE_F16, ITYPE_F16, 8, false, true}};
    for (uint32_t n = 0; n < WW_COUNT(kinds); n++) {
        const struct kind *const kind = &kinds[n];
        const bool half = kind->type == ITYPE_F16;
        LEVELS(v) {
            uint64_t seed = 0x5a5 + n;
            struct minst m = MI(.op = OP_HMMA_16, .type = kind->type, .stype = kind->stype, .sub = (uint8_t)kind->k,
                                .aux = kind->is_hopper ? MMA_HOPPER : 0, .dst = {RQ(RES)}, .src = {RQ(RA), RD(RB), RQ(RC)});
            if (kind->is_turing) { // whose second type is C's
                m = MI(.op = OP_HMMA_1688, .type = kind->type, .stype = kind->type, .dst = {RQ(RES)},
                       .src = {RD(RA), R(RB), RQ(RC)});
            }
            struct op_run *r = op_new(m);
            for (uint32_t round = 0; round < 150; round++) {
                struct operands o;
                draw(r, &o, kind, &seed);
                op_step(r, ~0u);
                for (uint32_t i = 0; i < 4 * WARP_LANES; i++) {
                    const uint32_t lane = i % WARP_LANES, e = i / WARP_LANES;
                    const uint32_t want = expected(&o, kind, lane / 4 + (e & 2 ? 8 : 0), lane % 4 * 2 + (e & 1));
                    const uint32_t got = half ? r->d.w[e / 2][lane] >> 16 * (e & 1) & 0xffff : r->d.w[e][lane];
                    if (got != want)
                        fail_msg("kind %u, round %u, lane %u, element %u: %08x, expected %08x", n, round, lane, e, got,
                                 want);
                }
            }
            op_free(r);
        }
        exec_simd_force(NULL);
    }
}

// Zeros have no exponent, and a sum of nothing but -0 is 0, whichever way makes it: beside others, and beside a factor in
// another row and column that is left to the general way.
static void sums_of_zeros(void **state) {
    (void)state;
    static const uint8_t stypes[] = {ITYPE_F16, ITYPE_BF16, ITYPE_TF32};
    for (uint32_t n = 0; n < 2 * 2 * WW_COUNT(stypes); n++) {
        const uint8_t stype = stypes[n >> 2];
        const uint32_t minus = stype == ITYPE_TF32 ? 0x80000000u : 0x80008000u;
        const uint32_t infinite = stype == ITYPE_F16 ? 0x7c00 : stype == ITYPE_BF16 ? 0x7f80 : 0x7f800000;
        LEVELS(v) {
            struct op_run *r = op_new(MI(.op = OP_HMMA_16, .type = ITYPE_F32, .stype = stype, .sub = 8,
                                         .aux = n & 1 ? MMA_HOPPER : 0, .dst = {RQ(RES)}, .src = {RQ(RA), RD(RB), RQ(RC)}));
            memset(&r->a, 0, sizeof r->a);
            for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
                for (uint32_t i = 0; i < 2; i++) r->b.w[i][lane] = minus;
                for (uint32_t i = 0; i < 4; i++) r->c.w[i][lane] = 0x80000000u;
            }
            if (n & 2) r->a.w[0][0] = infinite; // row 0
            op_step(r, ~0u);
            for (uint32_t i = 0; i < 4 * WARP_LANES; i++) {
                const bool is_row_0 = i / WARP_LANES < 2 && i % WARP_LANES < 4;
                assert_int_equal(r->d.w[i / WARP_LANES][i % WARP_LANES], n & 2 && is_row_0 ? 0x7fffffff : 0);
            }
            op_free(r);
        }
        exec_simd_force(NULL);
    }
}

// HMMA.884, whose results of a lane depend on the step: all vector levels give what the one without vectors does, which
// gen_mma_884.ptx and gen_wmma_volta.ptx compare with fractions.
static void quads_at_every_level(void **state) {
    (void)state;
    static const struct kind kind[2] = {{ITYPE_F32, ITYPE_F16, 8}, {ITYPE_F16, ITYPE_F16, 8}};
    for (uint32_t n = 0; n < 2 * 4 * 4; n++) {
        const bool half = n & 1;
        const uint32_t step = half ? n >> 1 & 1 : n >> 1 & 3;
        const uint8_t sub = (uint8_t)(step | (n & 8 ? MMA_A_COL : 0) | (n & 16 ? MMA_B_ROW : 0));
        struct lanes first[60];
        bool is_first = true;
        LEVELS(v) {
            uint64_t seed = 0x884 + n;
            struct op_run *r = op_new(MI(.op = OP_HMMA_884, .type = kind[half].type, .stype = kind[half].type, .sub = sub,
                                         .dst = {RQ(RES)}, .src = {RD(RA), RD(RB), RQ(RC)}));
            for (uint32_t round = 0; round < WW_COUNT(first); round++) {
                struct operands o;
                draw(r, &o, &kind[half], &seed);
                for (uint32_t i = 0; i < 32; i++) { // of B a lane has two words here too
                    r->b.w[1][i] = r->b.w[0][(i * 7 + 3) % 32];
                }
                op_step(r, ~0u);
                if (is_first) first[round] = r->d;
                assert_memory_equal(&r->d, &first[round], sizeof r->d);
            }
            op_free(r);
            is_first = false;
        }
        exec_simd_force(NULL);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(sums_one_by_one), cmocka_unit_test(sums_of_zeros),
                                              cmocka_unit_test(quads_at_every_level)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
