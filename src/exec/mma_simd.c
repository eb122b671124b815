// Tensor cores: products of matrices of halves.
//
// Products are exact. A unit adds four of them (HMMA.884) or eight (HMMA.1688) and the sum so far
// at once: all are aligned to the largest exponent among them and cut there, so many bits behind
// the point, towards zero; the sum of what is left is exact. A result of single precision is cut to
// 24 bits, towards zero; one of half precision is rounded to nearest even. Subnormal numbers are
// numbers. A product's exponent is the sum of its factors' (a subnormal's is -14), before the
// product is normalised; a zero has none.
//
// Sources. Fasi, Higham, Mikaitis, Pranesh (Numerical behavior of NVIDIA tensor cores, PeerJ CS
// 7:e330, 2021) found it by experiment: exact products, alignment to the largest term, truncation,
// no bits to spare on V100, one on T4. Xie, Wang, Yang, Yang (MMA-Sim, arXiv:2511.10909, and its
// code) have it bit for bit: Volta m8n8k4 adds four products with 23 bits behind the point, Turing
// m16n8k8 all eight with 24. Khattak, Mikaitis (arXiv:2512.07004, and their models of V100 and
// A100) agree, and have the least exponents of sums in half precision; Turing's is A100's
// (assumed: that adder is the same otherwise). Their 5,000 sums measured on a V100 and 5,000 on an
// A100, in each precision, come out of tests/exec/ptx/generate_mma.py's model without one bit's
// difference.
#include <math.h>

#include "exec/half_lane.h"
#include "exec/matrix.h"
#include "exec/simd.h"
#include "exec/sparse.h"

enum {
    OUTPUTS = 128, // of a step, at most
    NO_EXPONENT = -1000,
    // products that are added at once, bits behind the point, least exponent of a half-precision
    // sum
    TERMS_884 = 4,
    FRACTION_884 = 23,
    LEAST_884 = -19,
    TERMS_1688 = 8,
    FRACTION_1688 = 24,
    LEAST_1688 = -20
};

// Elements of D on their way: for each the factors, and the sum so far as single precision.
struct sums {
    float a[TERMS_1688][OUTPUTS], b[TERMS_1688][OUTPUTS];
    float c[OUTPUTS];
    uint32_t d[OUTPUTS];
};

// Exponent of a half that was widened; of zero none. Subnormals were normalised by widening.
LANE_FN int32_t factor_exponent(float f) {
    const int32_t e = (int32_t)(as_u32(f) >> 23 & 0xff) - 127;
    return e < -14 ? -14 : e;
}
LANE_FN int32_t sum_exponent(float f) {
    const int32_t e = (int32_t)(as_u32(f) >> 23 & 0xff) - 127;
    return f == 0.0f ? NO_EXPONENT : e < -126 ? -126 : e;
}
LANE_FN bool is_finite(float f) { return (as_u32(f) & 0x7f800000u) != 0x7f800000u; }
LANE_FN double two_to(int32_t e) { return as_f64((uint64_t)(e + 1023) << 52); }

// Towards zero: what a number of single precision keeps. A subnormal one has multiples of 2^-149.
LANE_FN uint32_t cut_to_single(double v) {
    const uint64_t u = as_u64(v);
    const double normal = as_f64(u & ~0x1fffffffull);
    const bool tiny = (u & 0x7fffffffffffffffull) < 0x3810000000000000ull; // below 2^-126
    // (a large number's integer is not used)
    const double small = (double)(int32_t)((tiny ? v : 0.0) * 0x1p149) * 0x1p-149;
    const float f = (float)(tiny ? small : normal);
    return v != v ? F32_NAN : as_u32(f);
}

LANE_FN uint32_t fused(const struct sums *s, uint32_t i, uint32_t terms, int32_t fraction,
                       int32_t least, bool half) {
    int32_t top = sum_exponent(s->c[i]);
    float p[TERMS_1688];
    double plain = (double)s->c[i];
    bool finite = is_finite(s->c[i]);
    for (uint32_t k = 0; k < terms; k++) {
        const float a = s->a[k][i], b = s->b[k][i];
        p[k] = a * b; // exact: 22 bits, and far from single precision's ends
        const int32_t e = factor_exponent(a) + factor_exponent(b);
        const int32_t has = p[k] == 0.0f ? NO_EXPONENT : e;
        top = has > top ? has : top;
        plain += (double)p[k];
        finite = finite && is_finite(a) && is_finite(b);
    }
    top = top < least ? least : top > 127 ? 127 : top;
    const double scale = two_to(fraction - top);
    int32_t sum = (int32_t)((finite ? (double)s->c[i] : 0.0) * scale);
    for (uint32_t k = 0; k < terms; k++) sum += (int32_t)((finite ? (double)p[k] : 0.0) * scale);
    const double exact = (double)sum * two_to(top - fraction);
    const double v = finite ? exact : plain;
    return half ? f16_from_f64(v) : cut_to_single(v);
}

LANE_FN void add_884(struct sums *s, uint32_t n, bool half) {
    const int32_t least = half ? LEAST_884 : -126;
    for (uint32_t i = 0; i < n; i++) s->d[i] = fused(s, i, TERMS_884, FRACTION_884, least, half);
}
// From 8.0 on the product is a routine of the compiler's, without tensor cores (ptxas 12.9): in single
// precision all four as fused multiply-adds from 0 on, and the sum last; in half precision two and
// two, added to the sum in single precision, and rounded at the end.
LANE_FN void chain_884(struct sums *s, uint32_t n, bool half) {
    for (uint32_t i = 0; i < n; i++) {
        const float first = fmaf(s->a[1][i], s->b[1][i], s->a[0][i] * s->b[0][i]);
        const float all = fmaf(s->a[3][i], s->b[3][i], fmaf(s->a[2][i], s->b[2][i], first));
        const float last = fmaf(s->a[3][i], s->b[3][i], s->a[2][i] * s->b[2][i]);
        const float sum = half ? s->c[i] + first + last : s->c[i] + all;
        s->d[i] = half ? f16_from_f64((double)sum) : sum != sum ? F32_NAN : as_u32(sum);
    }
}
LANE_FN void add_1688(struct sums *s, uint32_t n, bool half) {
    const int32_t least = half ? LEAST_1688 : -126;
    for (uint32_t i = 0; i < n; i++) s->d[i] = fused(s, i, TERMS_1688, FRACTION_1688, least, half);
}

// The halves of n registers as numbers: element e of a lane is v[e][lane].
LANE_FN void widen(const uint32_t *p, uint32_t n, float (*v)[WARP_LANES]) {
    for (uint32_t r = 0; r < n; r++) {
        LANES {
            v[2 * r][i] = f16_to_f32(p[r * WARP_LANES + i] & 0xffff);
            v[2 * r + 1][i] = f16_to_f32(p[r * WARP_LANES + i] >> 16);
        }
    }
}
// C as it comes, or as it was made: word w of a lane, and the half in it.
LANE_FN float summand(const uint32_t *p, uint32_t element, uint32_t lane, bool half) {
    if (!half) return as_f32(p[element * WARP_LANES + lane]);
    return f16_to_f32(p[element / 2 * WARP_LANES + lane] >> 16 * (element & 1) & 0xffff);
}
LANE_FN void put_results(uint32_t *pd, const struct sums *s, uint32_t elements, bool half) {
    for (uint32_t e = 0; e < elements; e += half ? 2 : 1) {
        LANES {
            const uint32_t low = s->d[e * WARP_LANES + i];
            pd[(half ? e / 2 : e) * WARP_LANES + i] =
                half ? low | s->d[(e + 1) * WARP_LANES + i] << 16 : low;
        }
    }
}

// HMMA.884. In a quad pair lane bits 0, 1 and 4 are a row of A (a column of B), or a place in k.
struct step_884 {
    const struct xinst *x;
    bool d_half, c_half;
    uint32_t step;
};
// Row and column in the quad pair's 8x8 of element e of the step, and where C has it.
LANE_FN void place_884(const struct step_884 *s, uint32_t lane, uint32_t e, uint32_t *row,
                       uint32_t *col) {
    if (s->d_half) {
        *row = (lane & 3) + (lane >> 4) * 4;
        *col = e + 4 * s->step;
    } else {
        *row = (lane & 1) + (s->step & 1) * 2 + (lane >> 4) * 4;
        *col = (lane & 2) + e + (s->step >> 1) * 4;
    }
}
LANE_FN float c_884(const struct step_884 *s, const uint32_t *pc, uint32_t lane, uint32_t e) {
    if (s->c_half == s->d_half) return summand(pc, e, lane, s->c_half);
    uint32_t row, col;
    place_884(s, lane, e, &row, &col);
    const uint32_t pair = lane & 12;
    const uint32_t in = col & 3; // of the four columns that the step has
    if (s->c_half) return summand(pc, in, pair | (row & 3) | (row >> 2) << 4, true);
    return summand(pc, (in & 1) | (row & 2), pair | (row & 1) | (in & 2) | (row >> 2) << 4, false);
}
FN_ONCE(hmma_884) {
    if (!matrix_whole(e, w, x, mask)) return EXEC_FAULT;
    SOURCES3;
    const struct step_884 s = {x, x->type == ITYPE_F16, x->stype == ITYPE_F16, x->sub & MMA_STEP};
    float a[TERMS_884][WARP_LANES], b[TERMS_884][WARP_LANES];
    widen(pa, 2, a);
    widen(pb, 2, b);
    struct sums t;
    const bool is_chain = x->bytes & MMA_CHAIN;
    const uint32_t elements = s.d_half ? 4 : 2;
    for (uint32_t k = 0; k < elements; k++) {
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            uint32_t row, col;
            const uint32_t i = k * WARP_LANES + lane, pair = lane & 12;
            place_884(&s, lane, k, &row, &col);
            // by rows a lane has four k of a row; by columns four rows of one k
            const uint32_t row_lane = pair | (row & 3) | (row >> 2) << 4,
                           col_lane = pair | (col & 3) | (col >> 2) << 4;
            for (uint32_t m = 0; m < TERMS_884; m++) {
                t.a[m][i] =
                    x->sub & MMA_A_COL ? a[row & 3][pair | m | (row >> 2) << 4] : a[m][row_lane];
                t.b[m][i] =
                    x->sub & MMA_B_ROW ? b[col & 3][pair | m | (col >> 2) << 4] : b[m][col_lane];
            }
            t.c[i] = c_884(&s, pc, lane, k);
        }
    }
    if (is_chain)
        chain_884(&t, elements * WARP_LANES, s.d_half);
    else if (s.d_half)
        add_884(&t, elements * WARP_LANES, true);
    else
        add_884(&t, elements * WARP_LANES, false);
    put_results(x_dst(w, x->d), &t, elements, s.d_half);
    return EXEC_NEXT;
}

// HMMA.1688: lane 4 g + t has of A rows g and g + 8, k 2 t and 2 t + 1; of B k 2 t and 2 t + 1 of
// column g; of D rows g and g + 8, columns 2 t and 2 t + 1.
FN_ONCE(hmma_1688) {
    if (!matrix_whole(e, w, x, mask)) return EXEC_FAULT;
    SOURCES3;
    const bool d_half = x->type == ITYPE_F16, c_half = x->stype == ITYPE_F16;
    float a[4][WARP_LANES], b[2][WARP_LANES];
    widen(pa, 2, a);
    widen(pb, 1, b);
    struct sums t;
    for (uint32_t i = 0; i < OUTPUTS; i++) {
        const uint32_t lane = i % WARP_LANES, k = i / WARP_LANES; // element: row, column bit
        const uint32_t g = lane / 4, col = lane % 4 * 2 + (k & 1);
        for (uint32_t m = 0; m < TERMS_1688; m++) {
            t.a[m][i] = a[(k & 2) | (m & 1)][4 * g + m / 2];
            t.b[m][i] = b[m & 1][4 * col + m / 2];
        }
        t.c[i] = summand(pc, k, lane, c_half);
    }
    if (d_half)
        add_1688(&t, OUTPUTS, true);
    else
        add_1688(&t, OUTPUTS, false);
    put_results(x_dst(w, x->d), &t, 4, d_half);
    return EXEC_NEXT;
}

// ---- sixteen rows, and formats with a wide exponent -------------------------------------------
// Compute capability 8.0 and later: a unit adds so many products and the sum at once, with so many
// bits behind the point; the sum of a group is the summand of the next. Sums of floats of 8 bits keep
// 13 bits behind the point, in single precision too. Sources: MMA-Sim, which has A100, RTX 40 and
// H100 bit for bit; Khattak, Mikaitis (arXiv:2512.07004) for the least exponents. 70,000 sums that
// the latter measured on an A100, an Ada and an H100 (halves with sums of both precisions, bfloat,
// tf32; on Ada e4m3 and e5m2) come out of tests/exec/ptx/generate_mma.py's model without one bit's
// difference.
struct adder {
    uint32_t terms;
    int32_t fraction, least;    // least exponent of all terms: what a zero counts with
    int32_t normal_a, normal_b; // exponents of the factors' least normal numbers
    uint32_t keep;              // bits of a result of single precision
};
enum { MOST_K = 32, FRACTION_BYTES = 13, ROWS = 16 };
LANE_FN bool is_byte(uint8_t type) { return type == ITYPE_E4M3 || type == ITYPE_E5M2; }
LANE_FN uint8_t type_of_b(const struct xinst *x) {
    if (!is_byte(x->stype)) return x->stype;
    return x->bytes & MMA_B_E5M2 ? ITYPE_E5M2 : ITYPE_E4M3;
}
LANE_FN int32_t least_normal(uint8_t type) {
    return type == ITYPE_E4M3 ? -6 : type == ITYPE_E5M2 || type == ITYPE_F16 ? -14 : -126;
}
LANE_FN struct adder adder_of(const struct xinst *x) {
    const bool is_hopper = x->bytes & MMA_HOPPER;
    struct adder a = {is_hopper ? 16 : 8,     is_hopper ? 25 : 24,        is_hopper ? -133 : -132,
                      least_normal(x->stype), least_normal(type_of_b(x)), ~0u};
    if (x->stype == ITYPE_TF32) a.terms /= 2;
    if (is_byte(x->stype)) {
        a.terms *= 2;
        a.fraction = FRACTION_BYTES;
        a.keep <<= 23 - FRACTION_BYTES;
    }
    if (x->type == ITYPE_F16) a.least = is_hopper ? -21 : LEAST_1688;
    if (a.terms > x->sub) a.terms = x->sub;
    return a;
}
struct wide_sums {
    double a[MOST_K][OUTPUTS], b[MOST_K][OUTPUTS];
    double c[OUTPUTS];
    uint32_t d[OUTPUTS];
};
LANE_FN int32_t exponent_above(double v, int32_t least) {
    const int32_t e = (int32_t)(as_u64(v) >> 52 & 0x7ff) - 1023;
    return v == 0.0 ? NO_EXPONENT : e < least ? least : e;
}
LANE_FN bool is_finite_64(double v) {
    return (as_u64(v) & 0x7ff0000000000000ull) != 0x7ff0000000000000ull;
}
LANE_FN double fused_wide(const struct wide_sums *s, uint32_t i, const struct adder *by,
                          uint32_t from) {
    int32_t top = exponent_above(s->c[i], -126);
    double plain = s->c[i];
    bool finite = is_finite_64(plain);
    for (uint32_t k = 0; k < by->terms; k++) {
        const double a = s->a[from + k][i], b = s->b[from + k][i];
        const int32_t e = exponent_above(a, by->normal_a) + exponent_above(b, by->normal_b);
        top = e > top ? e : top;
        plain += a * b; // exact before the sum
        finite = finite && is_finite_64(a) && is_finite_64(b);
    }
    top = top < by->least ? by->least : top > 300 ? 300 : top;
    const double scale = two_to(by->fraction - top);
    double sum = (double)(int32_t)((finite ? s->c[i] : 0.0) * scale);
    for (uint32_t k = 0; k < by->terms; k++) {
        const double p = s->a[from + k][i] * s->b[from + k][i];
        sum += (double)(int32_t)((finite ? p : 0.0) * scale);
    }
    return finite ? sum * two_to(top - by->fraction) : plain;
}

// e5m2 is the upper byte of a half. e4m3 has no infinity and one NaN of each sign.
LANE_FN double byte_widen(uint32_t v, uint8_t type) {
    if (type == ITYPE_E5M2) return half_widen(v << 8, false);
    const uint32_t magnitude = v & 0x7f, exponent = magnitude >> 3, fraction = magnitude & 7;
    const double normal = (double)(8 + fraction) * two_to((int32_t)exponent - 10);
    const double value = exponent ? normal : (double)fraction * 0x1p-9;
    const double number = magnitude == 0x7f ? (double)as_f32(F32_NAN) : value;
    return v & 0x80 ? -number : number;
}
// A word's numbers: four of 8 bits, two of 16, or one of tf32, whose low bits the unit does not see.
LANE_FN double number_of(uint32_t v, uint32_t part, uint8_t type, uint32_t flip) {
    const uint32_t u = v ^ flip;
    if (type == ITYPE_TF32) return (double)as_f32(u & 0xffffe000u);
    if (is_byte(type)) return byte_widen(u >> 8 * part & 0xff, type);
    return half_widen(u >> 16 * part & 0xffff, type == ITYPE_BF16);
}
// Lane 4 g + t has of A rows g and g + 8 in turns, of B column g: words t, t + 4, ... of k. D and C as
// HMMA.1688.
FN_ONCE(hmma_16) {
    if (!matrix_whole(e, w, x, mask)) return EXEC_FAULT;
    SOURCES3;
    const struct adder by = adder_of(x);
    const bool counts = x_pred(w, x->f) & mask; // C, in all lanes alike
    const bool is_half = x->type == ITYPE_F16, is_tf32 = x->stype == ITYPE_TF32;
    const uint8_t b_type = type_of_b(x);
    const uint32_t in_word = is_tf32 ? 1 : is_byte(x->stype) ? 4 : 2;
    const uint32_t sign = is_tf32 ? 0x80000000u : is_byte(x->stype) ? 0x80808080u : 0x80008000u;
    const uint32_t flip_a = x->mods[0] & OPND_NEG ? sign : 0;
    const uint32_t flip_b = x->mods[1] & OPND_NEG ? sign : 0;
    struct wide_sums s;
    uint8_t at[ROWS][MOST_K]; // which k of B a term of A meets
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t m = 0; m < x->sub; m++) at[row][m] = (uint8_t)m;
        if (x->bytes & MMA_SPARSE)
            sparse_places(x_src(w, x->e), x->bytes >> MMA_SELECTOR_AT & MMA_SELECTOR, row, 32 / in_word,
                          x->sub, at[row]);
    }
    for (uint32_t i = 0; i < OUTPUTS; i++) {
        const uint32_t lane = i % WARP_LANES, k = i / WARP_LANES; // element: row, column bit
        const uint32_t g = lane / 4, col = lane % 4 * 2 + (k & 1);
        s.c[i] = counts ? (double)summand(pc, k, lane, is_half) : 0.0;
        for (uint32_t m = 0; m < x->sub; m++) {
            const uint32_t word = m / in_word, t = word % 4, far = word / 4;
            const uint32_t n = at[g + 8 * (k >> 1)][m], other = n / in_word;
            const uint32_t a = pa[((k >> 1) + 2 * far) * WARP_LANES + 4 * g + t];
            const uint32_t b = pb[other / 4 * WARP_LANES + 4 * col + other % 4];
            s.a[m][i] = number_of(a, m % in_word, x->stype, flip_a);
            s.b[m][i] = number_of(b, n % in_word, b_type, flip_b);
        }
    }
    for (uint32_t from = 0; from < x->sub; from += by.terms) {
        for (uint32_t i = 0; i < OUTPUTS; i++) {
            const double v = fused_wide(&s, i, &by, from);
            const uint32_t single = cut_to_single(v);
            s.d[i] = is_half ? f16_from_f64(v) : single == F32_NAN ? single : single & by.keep;
            s.c[i] = (double)(is_half ? f16_to_f32(s.d[i]) : as_f32(s.d[i]));
        }
    }
    struct sums out;
    memcpy(out.d, s.d, sizeof out.d);
    put_results(x_dst(w, x->d), &out, 4, is_half);
    return EXEC_NEXT;
}

const exec_fn AT_LEVEL(mma_fns)[] = {EXEC_MMA_HANDLERS(HANDLER_ROW)};
