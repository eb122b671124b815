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

#include "exec/adder.h"
#include "exec/matrix.h"
#include "exec/mma_rows.h"
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
// All lanes side by side, where the host has vectors for it and the numbers allow it.
static bool quads_884(struct exec_warp *w, const struct xinst *x) {
#ifdef MMA_ROWS
    SOURCES3;
    if (x->bytes & MMA_CHAIN || x->type != x->stype) return false;
    const struct quads_step s = {x->sub & MMA_STEP, x->type == ITYPE_F16, x->sub & MMA_A_COL, x->sub & MMA_B_ROW};
    return quads_product(x_dst(w, x->d), pa, pb, pc, s);
#else
    (void)w, (void)x;
    return false;
#endif
}
FN_ONCE(hmma_884) {
    if (!matrix_whole(e, w, x, mask)) return EXEC_FAULT;
    if (quads_884(w, x)) return EXEC_NEXT;
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

// Sixteen rows side by side, where the host has vectors for them and the numbers allow it. An adder of 7.5 is one of 8.0 then:
// sums of single precision differ below 2^-126, where all are exact.
static bool rows_1688(struct exec_warp *w, const struct xinst *x) {
#ifdef MMA_ROWS
    SOURCES3;
    return x->type == x->stype && rows_product(x_dst(w, x->d), pa, pb, pc, true, 8, false, false, x->type == ITYPE_F16);
#else
    (void)w, (void)x;
    return false;
#endif
}

// HMMA.1688: lane 4 g + t has of A rows g and g + 8, k 2 t and 2 t + 1; of B k 2 t and 2 t + 1 of
// column g; of D rows g and g + 8, columns 2 t and 2 t + 1.
FN_ONCE(hmma_1688) {
    if (!matrix_whole(e, w, x, mask)) return EXEC_FAULT;
    if (rows_1688(w, x)) return EXEC_NEXT;
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
enum { MOST_K = 32, FRACTION_BYTES = 13, ROWS = 16, COLUMNS = 8 };
LANE_FN uint8_t type_of_b(const struct xinst *x) {
    if (!is_byte(x->stype)) return x->stype;
    return x->bytes & MMA_B_E5M2 ? ITYPE_E5M2 : ITYPE_E4M3;
}
LANE_FN struct adder adder_of(const struct xinst *x) {
    const bool is_hopper = x->bytes & MMA_HOPPER;
    struct adder a = {.terms = is_hopper ? 16 : 8,
                      .fraction = is_hopper ? 25 : 24,
                      .least = is_hopper ? -133 : -132,
                      .keep = ~0u,
                      .half = x->type == ITYPE_F16};
    if (x->stype == ITYPE_TF32) a.terms /= 2;
    if (is_byte(x->stype)) {
        a.terms *= 2;
        a.fraction = FRACTION_BYTES;
        a.keep <<= 23 - FRACTION_BYTES;
    }
    if (a.half) a.least = is_hopper ? -21 : LEAST_1688;
    if (a.terms > x->sub) a.terms = x->sub;
    return a;
}
// A product's factors and sums: A's rows side by side, of B a column's numbers; exact sums are made
// sixteen rows at a time (adder.h), others one by one in double precision.
struct product {
    struct adder by;
    uint32_t k;                                  // of A: as many as are there
    bool sparse, plain;                          // plain: adder_fits
    _Alignas(64) float a[MOST_K][ROWS];          // as they are there
    _Alignas(64) float spread[2 * MOST_K][ROWS]; // of a sparse matrix where they belong
    _Alignas(64) int16_t ea[MOST_K][ROWS], spread_e[2 * MOST_K][ROWS];
    float b[COLUMNS][2 * MOST_K];
    int16_t eb[COLUMNS][2 * MOST_K];
    uint8_t at[ROWS][MOST_K]; // which k of B an element of A meets
};
static void numbers_of_a(struct product *p, const struct xinst *x, const uint32_t *pa,
                         struct adder_range *range) {
    const uint32_t in_word = adder_in_word(x->stype);
    const uint32_t flip = x->mods[0] & OPND_NEG ? adder_signs(x->stype) : 0;
    for (uint32_t w = 0; w < p->k / in_word; w++) {
        uint32_t word[ROWS];
        for (uint32_t row = 0; row < ROWS; row++)
            word[row] = pa[(row / 8 + 2 * (w / 4)) * WARP_LANES + 4 * (row % 8) + w % 4];
        for (uint32_t part = 0; part < in_word; part++) {
            const uint32_t k = w * in_word + part;
            adder_widen(word, ROWS, flip, part, x->stype, p->a[k], p->ea[k]);
            *range = adder_range_of(*range, p->ea[k], ROWS);
        }
    }
}
static void numbers_of_b(struct product *p, const struct xinst *x, const uint32_t *pb,
                         struct adder_range *range) {
    const uint8_t type = type_of_b(x);
    const uint32_t in_word = adder_in_word(type), words = p->k / in_word * (p->sparse ? 2 : 1);
    const uint32_t flip = x->mods[1] & OPND_NEG ? adder_signs(type) : 0;
    for (uint32_t r = 0; r < (words + 3) / 4; r++) {
        const uint32_t in = words - 4 * r < 4 ? words - 4 * r : 4; // of a register's four words
        for (uint32_t part = 0; part < in_word; part++) {
            float v[WARP_LANES];
            int16_t e[WARP_LANES];
            adder_widen(pb + r * WARP_LANES, WARP_LANES, flip, part, type, v, e);
            *range = adder_range_of(*range, e, WARP_LANES);
            for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
                const uint32_t k = (4 * r + lane % 4) * in_word + part;
                if (lane % 4 >= in) continue;
                p->b[lane / 4][k] = v[lane];
                p->eb[lane / 4][k] = e[lane];
            }
        }
    }
}
// A sparse matrix with its zeros. False: two elements have one place, as they should not.
static bool spread_a(struct product *p) {
    memset(p->spread, 0, sizeof p->spread);
    for (uint32_t k = 0; k < 2 * p->k; k++)
        for (uint32_t row = 0; row < ROWS; row++) p->spread_e[k][row] = ADDER_ZERO;
    for (uint32_t row = 0; row < ROWS; row++) {
        uint64_t taken = 0;
        for (uint32_t k = 0; k < p->k; k++) {
            const uint32_t at = p->at[row][k];
            if (taken >> at & 1) return false;
            taken |= 1ull << at;
            p->spread[at][row] = p->a[k][row];
            p->spread_e[at][row] = p->ea[k][row];
        }
    }
    return true;
}

// One result of any factors: terms [from, from + by.terms).
static uint32_t add_any(const struct product *p, uint32_t row, uint32_t column, uint32_t from, float sum) {
    int32_t top = adder_exponent(sum, -126);
    double plain = (double)sum;
    bool finite = is_finite(sum);
    for (uint32_t k = from; k < from + p->by.terms; k++) {
        const uint32_t at = p->at[row][k];
        const float a = p->a[k][row], b = p->b[column][at];
        const int32_t e = p->ea[k][row] + p->eb[column][at];
        top = e > top ? e : top;
        plain += (double)a * (double)b; // exact before the sum
        finite = finite && is_finite(a) && is_finite(b);
    }
    top = top < p->by.least ? p->by.least : top > 300 ? 300 : top;
    const double scale = two_to(p->by.fraction - top);
    int64_t all = (int32_t)((finite ? (double)sum : 0.0) * scale); // whole: a sum of nothing but -0 is 0
    for (uint32_t k = from; k < from + p->by.terms; k++) {
        const double product = (double)p->a[k][row] * (double)p->b[column][p->at[row][k]];
        all += (int32_t)((finite ? product : 0.0) * scale);
    }
    return adder_result(finite ? (double)all * two_to(top - p->by.fraction) : plain, &p->by);
}
// Sixteen rows of a column. False: some are not right.
static bool add_plain(const struct product *p, uint32_t column, uint32_t from, const float *sum, uint32_t *d) {
    const uint32_t wide = p->sparse ? 2 : 1;
    struct adder by = p->by;
    by.terms *= wide;
    from *= wide;
    const struct adder_terms t = {p->b[column] + from,
                                  p->eb[column] + from,
                                  p->sparse ? p->spread[from] : p->a[from],
                                  p->sparse ? p->spread_e[from] : p->ea[from],
                                  NULL,
                                  ROWS};
    adder_words odd = {0};
    adder_add(&by, &t, by.terms, sum, d, &odd);
    return !adder_any(&odd);
}

// The same of HMMA_16: dense products.
static bool add_rows(struct exec_warp *w, const struct xinst *x, uint32_t mask) {
#ifdef MMA_ROWS
    const bool is_bf16 = x->stype == ITYPE_BF16, half = x->type == ITYPE_F16;
    if ((x->stype != ITYPE_F16 && !is_bf16) || x->bytes & MMA_SPARSE || x->mods[0] || x->mods[1] ||
        (x->sub != 8 && x->sub != 16))
        return false;
    SOURCES3;
    return rows_product(x_dst(w, x->d), pa, pb, pc, x_pred(w, x->f) & mask, x->sub, is_bf16, x->bytes & MMA_HOPPER,
                        half);
#else
    (void)w, (void)x, (void)mask;
    return false;
#endif
}

// Lane 4 g + t has of A rows g and g + 8 in turns, of B column g: words t, t + 4, ... of k. D and C as
// HMMA.1688.
FN_ONCE(hmma_16) {
    if (!matrix_whole(e, w, x, mask)) return EXEC_FAULT;
    if (add_rows(w, x, mask)) return EXEC_NEXT;
    SOURCES3;
    struct product p;
    p.by = adder_of(x);
    p.k = x->sub;
    p.sparse = x->bytes & MMA_SPARSE;
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t m = 0; m < p.k; m++) p.at[row][m] = (uint8_t)m;
        if (p.sparse)
            sparse_places(x_src(w, x->e), x->bytes >> MMA_SELECTOR_AT & MMA_SELECTOR, row,
                          32 / adder_in_word(x->stype), p.k, p.at[row]);
    }
    struct adder_range a = ADDER_NO_RANGE, b = ADDER_NO_RANGE;
    numbers_of_a(&p, x, pa, &a);
    numbers_of_b(&p, x, pb, &b);
    p.plain = adder_fits(a, b) && (!p.sparse || spread_a(&p));
    const bool counts = x_pred(w, x->f) & mask; // C, in all lanes alike
    struct sums out;
    for (uint32_t column = 0; column < COLUMNS; column++) {
        _Alignas(64) float sum[ROWS];
        _Alignas(64) uint32_t d[ROWS];
        const uint32_t lane = column / 2, bit = column % 2; // element: row, column bit
        for (uint32_t row = 0; row < ROWS; row++)
            sum[row] = counts ? summand(pc, row / 8 * 2 + bit, row % 8 * 4 + lane, p.by.half) : 0.0f;
        for (uint32_t from = 0; from < p.k; from += p.by.terms) {
            const bool done = p.plain && add_plain(&p, column, from, sum, d);
            for (uint32_t row = 0; row < ROWS && !done; row++) d[row] = add_any(&p, row, column, from, sum[row]);
            for (uint32_t row = 0; row < ROWS; row++) sum[row] = p.by.half ? f16_to_f32(d[row]) : as_f32(d[row]);
        }
        for (uint32_t row = 0; row < ROWS; row++)
            out.d[(row / 8 * 2 + bit) * WARP_LANES + row % 8 * 4 + lane] = d[row];
    }
    put_results(x_dst(w, x->d), &out, 4, p.by.half);
    return EXEC_NEXT;
}

const exec_fn AT_LEVEL(mma_fns)[] = {EXEC_MMA_HANDLERS(HANDLER_ROW)};
