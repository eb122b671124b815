// Products of sixteen rows by eight columns, halves or bfloats, on hosts with AVX-512: the adder of adder.h with everything
// that a column needs in registers.
//
// A vector holds one number of each of the sixteen rows. A's words, two numbers along k each, and C's are turned into such
// vectors when an instruction begins, and D's are turned back when it ends. B's numbers are broadcast from memory.
//
// A term costs four operations: the product of two factors, exact in single precision; its exponent moved by the
// scale of the sum, as an addition of whole numbers; the cut, which is the conversion to a whole number; the sum. A zero whose
// exponent is moved becomes a number below one, which is cut to zero, as long as the scale is between 2^0 and 2^MOST_SCALE.
// Sums of the largest exponents need a smaller scale and are left to the general way, as are factors that are no
// finite numbers and bfloats far from one (rows_product answers false and has written nothing).
//
// Where the scale would be larger than 2^MOST_SCALE, all products are zero and C is below 2^-95: it is the result as it is.
#ifndef WW_EXEC_MMA_ROWS_H
#define WW_EXEC_MMA_ROWS_H

#include "exec/adder.h"

#if defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#define MMA_ROWS 1

enum {
    ROWS_PAIRS = 4,       // words of a row of A along eight k
    ROWS_COLUMNS = 8,     // of D
    ROWS_MOST_SCALE = 120, // exponent
    ROWS_ZERO = -16384,   // exponent of a zero factor: below all others, twice it as well
    ROWS_BIAS = 127,
    ROWS_BF16_LEAST = 127 - 45, // exponents of bfloats, with their bias, whose products are safe
    ROWS_BF16_MOST = 127 + 49,
};

// Lanes of two registers of 16 words: of lanes 4 g + t the words t and t + 1 of eight rows g each.
static const int32_t rows_of_word[2][16] __attribute__((aligned(64))) = {
    {0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29},
    {2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31}};
// Back: eight rows of words 0, 1 and of words 2, 3 as lanes 4 g + t, rows 0 to 3 and 4 to 7.
static const int32_t rows_to_lanes[2][16] __attribute__((aligned(64))) = {
    {0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27},
    {4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31}};

// Four words of sixteen rows, of which the register at `low` has rows 0 to 7 and that at `high` rows 8 to 15.
LANE_FN void rows_gather(const uint32_t *low, const uint32_t *high, __m512i out[4]) {
    for (uint32_t i = 0; i < 2; i++) {
        const __m512i at = _mm512_load_si512(rows_of_word[i]);
        const __m512i a = _mm512_permutex2var_epi32(_mm512_loadu_si512(low), at, _mm512_loadu_si512(low + 16));
        const __m512i b = _mm512_permutex2var_epi32(_mm512_loadu_si512(high), at, _mm512_loadu_si512(high + 16));
        out[2 * i] = _mm512_shuffle_i64x2(a, b, 0x44);
        out[2 * i + 1] = _mm512_shuffle_i64x2(a, b, 0xee);
    }
}
LANE_FN void rows_scatter(const __m512i in[4], uint32_t *low, uint32_t *high) {
    for (uint32_t i = 0; i < 2; i++) {
        const __m512i a = i ? _mm512_shuffle_i64x2(in[0], in[1], 0xee) : _mm512_shuffle_i64x2(in[0], in[1], 0x44);
        const __m512i b = i ? _mm512_shuffle_i64x2(in[2], in[3], 0xee) : _mm512_shuffle_i64x2(in[2], in[3], 0x44);
        uint32_t *const to = i ? high : low;
        for (uint32_t k = 0; k < 2; k++)
            _mm512_storeu_si512(to + 16 * k, _mm512_permutex2var_epi32(a, _mm512_load_si512(rows_to_lanes[k]), b));
    }
}

LANE_FN __m512 rows_widen(__m256i halves) { return _mm512_cvtph_ps(halves); }
// The number in the lower or upper half of each word.
LANE_FN __m512 rows_number(__m512i words, bool upper, bool is_bf16) {
    if (is_bf16)
        return _mm512_castsi512_ps(upper ? _mm512_and_si512(words, _mm512_set1_epi32((int)0xffff0000u))
                                         : _mm512_slli_epi32(words, 16));
    return rows_widen(_mm512_cvtepi32_epi16(upper ? _mm512_srli_epi32(words, 16) : words));
}
// Exponents of the halves of words, `bias` more than they are. Sets lanes of `odd` whose numbers are left to the general way.
LANE_FN __m512i rows_exponents(__m512i words, bool is_bf16, int32_t bias, __mmask32 *odd) {
    const __m512i magnitude = _mm512_slli_epi16(words, 1);
    const __m512i field = _mm512_srli_epi16(magnitude, is_bf16 ? 8 : 11);
    const __mmask32 some = _mm512_test_epi16_mask(magnitude, magnitude);
    __m512i e = field;
    if (is_bf16) {
        const __m512i from = _mm512_sub_epi16(field, _mm512_set1_epi16(ROWS_BF16_LEAST));
        *odd |= _mm512_mask_cmpgt_epu16_mask(some, from, _mm512_set1_epi16(ROWS_BF16_MOST - ROWS_BF16_LEAST));
    } else {
        *odd |= _mm512_cmpeq_epi16_mask(field, _mm512_set1_epi16(31));
        e = _mm512_max_epi16(field, _mm512_set1_epi16(1)); // a subnormal's is the least normal number's
    }
    return _mm512_mask_add_epi16(_mm512_set1_epi16(ROWS_ZERO), some, e, _mm512_set1_epi16((short)bias));
}

// All that an instruction works on, by k of A and B.
struct rows {
    __m512 a[16];
    __m512i ea[8];              // of two numbers of each row
    float b[2][ROWS_COLUMNS][8]; // by eight k and column
    uint32_t eb[2][ROWS_COLUMNS][ROWS_PAIRS];
    __m512i d[ROWS_COLUMNS]; // single precision: C, then D
};

LANE_FN bool rows_factors(struct rows *p, const uint32_t *pa, const uint32_t *pb, uint32_t eights, bool is_bf16) {
    const int32_t bias = is_bf16 ? -127 : -15;
    __mmask32 odd = 0;
    for (uint32_t h = 0; h < eights; h++) {
        __m512i words[4];
        rows_gather(pa + 2 * h * WARP_LANES, pa + (2 * h + 1) * WARP_LANES, words);
        for (uint32_t t = 0; t < ROWS_PAIRS; t++) {
            p->a[8 * h + 2 * t] = rows_number(words[t], false, is_bf16);
            p->a[8 * h + 2 * t + 1] = rows_number(words[t], true, is_bf16);
            p->ea[ROWS_PAIRS * h + t] = rows_exponents(words[t], is_bf16, bias + ROWS_BIAS, &odd);
        }
        // Of B a lane has two numbers of a column, four lanes follow each other: they lie as they are needed.
        const uint32_t *const b = pb + h * WARP_LANES;
        for (uint32_t i = 0; i < WARP_LANES; i += 16) {
            const __m512i v = _mm512_loadu_si512(b + i);
            _mm512_storeu_si512(&p->eb[h][i / 4][0], rows_exponents(v, is_bf16, bias, &odd));
            for (uint32_t k = 0; k < 2; k++) {
                const __m256i some = k ? _mm512_extracti64x4_epi64(v, 1) : _mm512_castsi512_si256(v);
                const __m512 f = is_bf16
                                     ? _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(some), 16))
                                     : rows_widen(some);
                _mm512_storeu_ps(&p->b[h][i / 4 + 2 * k][0], f);
            }
        }
    }
    return odd == 0;
}

// What an adder is: a constant where rows_sums is compiled.
struct rows_adder {
    uint32_t eights;  // so many times eight products at once
    int32_t fraction; // bits behind the point
    int32_t least;    // least exponent of a sum of half precision
    bool half;        // results are halves, rounded to nearest
};

// The sum of products and of C, whose largest exponent of a product is `top`. Exponents here are ROWS_BIAS more than they are.
// A C of zero or a subnormal one has 0, which is below all others. Sets lanes of `odd` that are left to the general way.
LANE_FN __m512i rows_add(const __m512 *product, uint32_t terms, __m512i top, __m512i c, const struct rows_adder *by,
                         __mmask16 *odd) {
    const __m512i magnitude = _mm512_slli_epi32(c, 1);
    top = _mm512_max_epi32(top, _mm512_srli_epi32(magnitude, 24));
    if (by->half) top = _mm512_max_epi32(top, _mm512_set1_epi32(by->least + ROWS_BIAS));
    const int32_t one = by->fraction + ROWS_BIAS; // whose scale is 2^0
    *odd |= _mm512_cmpgt_epi32_mask(top, _mm512_set1_epi32(one));
    const __m512i least = _mm512_set1_epi32(one - ROWS_MOST_SCALE);
    const __mmask16 as_is = _mm512_mask_cmplt_epi32_mask(_mm512_test_epi32_mask(magnitude, magnitude), top, least);
    const __m512i scale = _mm512_slli_epi32(_mm512_sub_epi32(_mm512_set1_epi32(one), _mm512_max_epi32(top, least)), 23);
    __m512i low = _mm512_cvttps_epi32(_mm512_castsi512_ps(_mm512_add_epi32(c, scale))), high = _mm512_setzero_si512();
    for (uint32_t k = 0; k < terms; k++) {
        const __m512i term =
            _mm512_cvttps_epi32(_mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(product[k]), scale)));
        if (k & 1)
            high = _mm512_add_epi32(high, term);
        else
            low = _mm512_add_epi32(low, term);
    }
    const __m512i all = _mm512_add_epi32(low, high);
    // Eight products below 2^27 fill 31 bits with C at most, sixteen can be more.
    if (terms > 8)
        *odd |= _mm512_movepi32_mask(
            _mm512_and_si512(_mm512_xor_si512(low, all), _mm512_xor_si512(high, all)));
    const __m512i cut =
        _mm512_castps_si512(_mm512_cvt_roundepi32_ps(all, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
    __m512i r = _mm512_maskz_sub_epi32(_mm512_test_epi32_mask(all, all), cut, scale);
    if (by->half) { // rounded to odd, which the rounding to a half sees
        const __m512i back = _mm512_cvttps_epi32(_mm512_castsi512_ps(cut));
        r = _mm512_mask_or_epi32(r, _mm512_cmpneq_epi32_mask(back, all), r, _mm512_set1_epi32(1));
        r = _mm512_castps_si512(
            _mm512_cvtph_ps(_mm512_cvtps_ph(_mm512_castsi512_ps(r), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)));
    } else {
        r = _mm512_mask_mov_epi32(r, as_is, c);
    }
    return r;
}

// The sum of products [8 from, 8 (from + eights)) and of what p->d has.
LANE_FN void rows_sum(struct rows *p, uint32_t column, uint32_t from, const struct rows_adder *by, __mmask16 *odd) {
    __m512i most = _mm512_set1_epi16(2 * ROWS_ZERO);
    __m512 product[16];
    for (uint32_t h = 0; h < by->eights; h++) {
        for (uint32_t t = 0; t < ROWS_PAIRS; t++)
            most = _mm512_max_epi16(most, _mm512_add_epi16(p->ea[ROWS_PAIRS * (from + h) + t],
                                                           _mm512_set1_epi32((int)p->eb[from + h][column][t])));
        for (uint32_t k = 0; k < 8; k++)
            product[8 * h + k] = _mm512_mul_ps(p->a[8 * (from + h) + k], _mm512_set1_ps(p->b[from + h][column][k]));
    }
    const __m512i top = _mm512_max_epi32(_mm512_srai_epi32(most, 16), _mm512_srai_epi32(_mm512_slli_epi32(most, 16), 16));
    p->d[column] = rows_add(product, 8 * by->eights, top, p->d[column], by, odd);
}
LANE_FN bool rows_sums(struct rows *p, uint32_t eights, const struct rows_adder *by) {
    __mmask16 odd = 0;
    for (uint32_t from = 0; from < eights; from += by->eights)
        for (uint32_t column = 0; column < ROWS_COLUMNS; column++) rows_sum(p, column, from, by, &odd);
    return odd == 0;
}
static bool rows_sums_of(struct rows *p, uint32_t eights, bool is_hopper, bool half) {
    if (is_hopper && eights == 2)
        return half ? rows_sums(p, 2, &(struct rows_adder){2, 25, -21, true})
                    : rows_sums(p, 2, &(struct rows_adder){2, 25, 0, false});
    if (is_hopper)
        return half ? rows_sums(p, 1, &(struct rows_adder){1, 25, -21, true})
                    : rows_sums(p, 1, &(struct rows_adder){1, 25, 0, false});
    return half ? rows_sums(p, eights, &(struct rows_adder){1, 24, -20, true})
                : rows_sums(p, eights, &(struct rows_adder){1, 24, 0, false});
}

// C, of which a lane 4 g + t has columns 2 t and 2 t + 1 of rows g and g + 8.
LANE_FN void rows_summands(struct rows *p, const uint32_t *pc, bool half) {
    __m512i words[4];
    if (half) {
        rows_gather(pc, pc + WARP_LANES, words);
        for (uint32_t t = 0; t < 4; t++) {
            p->d[2 * t] = _mm512_castps_si512(rows_number(words[t], false, false));
            p->d[2 * t + 1] = _mm512_castps_si512(rows_number(words[t], true, false));
        }
        return;
    }
    for (uint32_t bit = 0; bit < 2; bit++) {
        rows_gather(pc + bit * WARP_LANES, pc + (2 + bit) * WARP_LANES, words);
        for (uint32_t t = 0; t < 4; t++) p->d[2 * t + bit] = words[t];
    }
}
LANE_FN void rows_results(const struct rows *p, uint32_t *pd, bool half) {
    __m512i words[4];
    if (half) {
        for (uint32_t t = 0; t < 4; t++) {
            const __m512 low = _mm512_castsi512_ps(p->d[2 * t]), high = _mm512_castsi512_ps(p->d[2 * t + 1]);
            enum { HOW = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }; // exact: they are halves
            words[t] = _mm512_or_si512(_mm512_cvtepu16_epi32(_mm512_cvtps_ph(low, HOW)),
                                       _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm512_cvtps_ph(high, HOW)), 16));
        }
        rows_scatter(words, pd, pd + WARP_LANES);
        return;
    }
    for (uint32_t bit = 0; bit < 2; bit++) {
        for (uint32_t t = 0; t < 4; t++) words[t] = p->d[2 * t + bit];
        rows_scatter(words, pd + bit * WARP_LANES, pd + (2 + bit) * WARP_LANES);
    }
}

// D = A B + C, or A B where C does not count; `k` is 8 or 16.
static bool rows_product(uint32_t *pd, const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, bool counts,
                         uint32_t k, bool is_bf16, bool is_hopper, bool half) {
    struct rows p;
    const uint32_t eights = k / 8;
    if (!(is_bf16 ? rows_factors(&p, pa, pb, eights, true) : rows_factors(&p, pa, pb, eights, false))) return false;
    if (counts)
        rows_summands(&p, pc, half);
    else
        for (uint32_t i = 0; i < ROWS_COLUMNS; i++) p.d[i] = _mm512_setzero_si512();
    if (!rows_sums_of(&p, eights, is_hopper, half)) return false;
    rows_results(&p, pd, half);
    return true;
}

// ---- HMMA.884: each quad pair has a product of its own, a lane two or four results of it ------------------------------
// Two registers of 32 words are 128 halves; a vector has one of them for each lane.
struct quads {
    __m512i words[4];
};
LANE_FN struct quads quads_of(const uint32_t *p) {
    struct quads q;
    for (uint32_t i = 0; i < 4; i++) q.words[i] = _mm512_loadu_si512(p + 16 * i);
    return q;
}
// Element n of each lane's four, by lanes.
LANE_FN __m512i quads_pick(const struct quads *q, __m512i n, __m512i lane) {
    const __m512i at = _mm512_add_epi16(_mm512_slli_epi16(lane, 1), _mm512_and_si512(n, _mm512_set1_epi16(1)));
    const __m512i low = _mm512_permutex2var_epi16(q->words[0], at, q->words[1]);
    const __m512i high = _mm512_permutex2var_epi16(q->words[2], at, q->words[3]);
    return _mm512_mask_mov_epi16(low, _mm512_test_epi16_mask(n, _mm512_set1_epi16(2)), high);
}
struct quads_step {
    uint32_t step;
    bool half, a_by_k, b_by_k; // D and C are halves; a lane has four k's of one place, or four places of a k
};
// Of A the rows, of B the columns at `place` and of them k.
LANE_FN __m512i quads_factor(const struct quads *q, __m512i lanes, __m512i place, uint32_t k, bool by_k) {
    const __m512i three = _mm512_set1_epi16(3), kk = _mm512_set1_epi16((short)k), in = _mm512_and_si512(place, three);
    const __m512i pair = _mm512_or_si512(_mm512_and_si512(lanes, _mm512_set1_epi16(12)),
                                         _mm512_slli_epi16(_mm512_srli_epi16(place, 2), 4));
    return by_k ? quads_pick(q, in, _mm512_or_si512(pair, kk)) : quads_pick(q, kk, _mm512_or_si512(pair, in));
}
static bool quads_product(uint32_t *pd, const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, struct quads_step s) {
    enum { TERMS = 4, BIAS = -15 };
    static const int16_t numbers[32] __attribute__((aligned(64))) = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                                                     11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                                                     22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    const struct rows_adder by = {0, 23, -19, s.half};
    const __m512i lanes = _mm512_load_si512(numbers), upper = _mm512_slli_epi16(_mm512_srli_epi16(lanes, 4), 2);
    const __m512i in_row = _mm512_and_si512(lanes, _mm512_set1_epi16(s.half ? 3 : 1));
    const __m512i row =
        _mm512_add_epi16(_mm512_add_epi16(in_row, upper), _mm512_set1_epi16((short)(s.half ? 0 : (s.step & 1) * 2)));
    const struct quads a = quads_of(pa), b = quads_of(pb);
    __m512 wide[TERMS][2];
    __m512i ea[TERMS], d[8];
    __mmask32 left = 0;
    __mmask16 odd = 0;
    for (uint32_t k = 0; k < TERMS; k++) {
        const __m512i v = quads_factor(&a, lanes, row, k, s.a_by_k);
        ea[k] = rows_exponents(v, false, BIAS + ROWS_BIAS, &left);
        wide[k][0] = rows_widen(_mm512_castsi512_si256(v));
        wide[k][1] = rows_widen(_mm512_extracti64x4_epi64(v, 1));
    }
    const uint32_t elements = s.half ? 4 : 2;
    for (uint32_t e = 0; e < elements; e++) {
        const __m512i in_column = s.half ? _mm512_setzero_si512() : _mm512_and_si512(lanes, _mm512_set1_epi16(2));
        const __m512i column =
            _mm512_add_epi16(in_column, _mm512_set1_epi16((short)(e + 4 * (s.half ? s.step : s.step >> 1))));
        __m512 product[2][TERMS];
        __m512i most = _mm512_set1_epi16(2 * ROWS_ZERO);
        for (uint32_t k = 0; k < TERMS; k++) {
            const __m512i v = quads_factor(&b, lanes, column, k, s.b_by_k);
            most = _mm512_max_epi16(most, _mm512_add_epi16(ea[k], rows_exponents(v, false, BIAS, &left)));
            product[0][k] = _mm512_mul_ps(wide[k][0], rows_widen(_mm512_castsi512_si256(v)));
            product[1][k] = _mm512_mul_ps(wide[k][1], rows_widen(_mm512_extracti64x4_epi64(v, 1)));
        }
        for (uint32_t i = 0; i < 2; i++) {
            const __m512i word = _mm512_loadu_si512(pc + (s.half ? e / 2 : e) * WARP_LANES + 16 * i);
            const __m512i c = s.half ? _mm512_castps_si512(rows_number(word, e & 1, false)) : word;
            const __m512i top = _mm512_cvtepi16_epi32(i ? _mm512_extracti64x4_epi64(most, 1) : _mm512_castsi512_si256(most));
            d[2 * e + i] = rows_add(product[i], TERMS, top, c, &by, &odd);
        }
    }
    if (left || odd) return false;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t at = i / 2 * WARP_LANES + 16 * (i & 1);
        enum { HOW = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };
        __m512i v = d[i];
        if (s.half) {
            const uint32_t e = i / 2 * 4 + (i & 1);
            v = _mm512_or_si512(
                _mm512_cvtepu16_epi32(_mm512_cvtps_ph(_mm512_castsi512_ps(d[e]), HOW)),
                _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm512_cvtps_ph(_mm512_castsi512_ps(d[e + 2]), HOW)), 16));
        }
        _mm512_storeu_si512(pd + at, v);
    }
    return true;
}
#endif

#endif
