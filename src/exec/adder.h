// The adder of a tensor core from compute capability 8.0 on, for sixteen results side by side.
//
// Products are exact; they and the sum so far are aligned to the largest exponent among them, cut so
// many bits behind the point, towards zero, and added exactly (mma_simd.c has the sources). Results that
// lie side by side share a factor of each product: results of a row share A's elements, results of a
// column share B's.
//
// Here everything is of 32 bits: products are exact in single precision where factors are neither large
// nor small (adder_fits), and the cut ones are integers. Some results cannot be made so: what adds to nearly
// 2^31, what lies below single precision's normal numbers, sums that were no numbers. adder_add tells, and its
// callers have those made in double precision.
#ifndef WW_EXEC_ADDER_H
#define WW_EXEC_ADDER_H

#include "exec/half_lane.h"
#include "exec/simd.h"

enum {
    ADDER_AT_ONCE = 16,   // results
    ADDER_ZERO = -8192,   // exponent of zero: below all sums of two exponents
    ADDER_SAFE = 100,     // exponents of products that single precision takes, scaled or not
    ADDER_MOST_WORDS = 16 // words along k of a sparse matrix's other one
};
typedef float adder_floats __attribute__((vector_size(4 * ADDER_AT_ONCE)));
typedef int32_t adder_words __attribute__((vector_size(4 * ADDER_AT_ONCE)));
typedef int16_t adder_shorts __attribute__((vector_size(2 * ADDER_AT_ONCE)));

LANE_FN bool is_byte(uint8_t type) { return type == ITYPE_E4M3 || type == ITYPE_E5M2; }
LANE_FN int32_t least_normal(uint8_t type) {
    return type == ITYPE_E4M3 ? -6 : type == ITYPE_E5M2 || type == ITYPE_F16 ? -14 : -126;
}
LANE_FN bool is_finite(float f) { return (as_u32(f) & 0x7f800000u) != 0x7f800000u; }
LANE_FN double two_to(int32_t e) { return as_f64((uint64_t)(e + 1023) << 52); }
LANE_FN float single_two_to(int32_t e) { return as_f32((uint32_t)(e + 127) << 23); }

// ---- factors -----------------------------------------------------------------------------------

// e5m2 is the upper byte of a half. e4m3 has no infinity and one NaN of each sign.
LANE_FN float byte_widen(uint32_t v, uint8_t type) {
    if (type == ITYPE_E5M2) return f16_to_f32(v << 8);
    const uint32_t magnitude = v & 0x7f, exponent = magnitude >> 3, fraction = magnitude & 7;
    const float normal = as_f32(magnitude * (1u << 20) + 0x3c000000u);
    const float number = exponent ? normal : (float)fraction * 0x1p-9f;
    return as_f32((magnitude == 0x7f ? F32_NAN : as_u32(number)) | (v & 0x80) << 24);
}
// Numbers that a word of `type` has, and one of them. The unit does not see tf32's low bits.
LANE_FN uint32_t adder_in_word(uint8_t type) {
    return type == ITYPE_TF32 ? 1 : is_byte(type) ? 4 : 2;
}
LANE_FN float adder_number(uint32_t v, uint32_t part, uint8_t type) {
    return type == ITYPE_TF32   ? as_f32(v & 0xffffe000u)
           : is_byte(type)      ? byte_widen(v >> 8 * part & 0xff, type)
           : type == ITYPE_BF16 ? bf16_to_f32(v >> 16 * part & 0xffff)
                                : f16_to_f32(v >> 16 * part & 0xffff);
}
// Bits that change a word's signs.
LANE_FN uint32_t adder_signs(uint8_t type) {
    return type == ITYPE_TF32 ? 0x80000000u : is_byte(type) ? 0x80808080u : 0x80008000u;
}
// Exponent of a factor: that of the format's least normal number for a smaller one; 128 of what is no
// finite number.
LANE_FN int16_t adder_exponent(float f, int32_t least) {
    const int32_t e = (int32_t)(as_u32(f) >> 23 & 0xff) - 127;
    return (int16_t)(as_u32(f) << 1 == 0 ? ADDER_ZERO : e < least ? least : e);
}
LANE_FN void adder_widen_as(const uint32_t *word, uint32_t n, uint32_t flip, uint32_t part,
                            uint8_t type, float *to, int16_t *exponent) {
    const int32_t least = least_normal(type);
    for (uint32_t i = 0; i < n; i++) {
        const float f = adder_number(word[i] ^ flip, part, type);
        to[i] = f;
        exponent[i] = adder_exponent(f, least);
    }
}
// Number `part` of each of n words, 16 or a multiple.
static void adder_widen(const uint32_t *restrict word, uint32_t n, uint32_t flip, uint32_t part,
                        uint8_t type, float *restrict to, int16_t *restrict exponent) {
    switch (type) {
    case ITYPE_F16: adder_widen_as(word, n, flip, part, ITYPE_F16, to, exponent); break;
    case ITYPE_BF16: adder_widen_as(word, n, flip, part, ITYPE_BF16, to, exponent); break;
    case ITYPE_TF32: adder_widen_as(word, n, flip, 0, ITYPE_TF32, to, exponent); break;
    case ITYPE_E4M3: adder_widen_as(word, n, flip, part, ITYPE_E4M3, to, exponent); break;
    default: adder_widen_as(word, n, flip, part, ITYPE_E5M2, to, exponent); break;
    }
}

// The larger of each two. By address: vectors of 64 bytes are passed in more ways than one. Compilers make a
// comparison and a choice of it, which take longer than what the host has.
LANE_FN void raise_to(adder_words *a, const adder_words *b) {
#if defined(__AVX512F__)
    *a = (adder_words)_mm512_max_epi32((__m512i)*a, (__m512i)*b);
#else
    const adder_words is = *b > *a;
    *a = (*b & is) | (*a & ~is);
#endif
}
LANE_FN void raise_shorts(adder_shorts *a, const adder_shorts *b) {
#if defined(__AVX2__)
    *a = (adder_shorts)_mm256_max_epi16((__m256i)*a, (__m256i)*b);
#else
    const adder_shorts is = *b > *a;
    *a = (*b & is) | (*a & ~is);
#endif
}

// The largest exponent, and the least one of what is not zero.
struct adder_range {
    int16_t most, least;
};
// With those of n factors more, a multiple of sixteen.
LANE_FN struct adder_range adder_range_of(struct adder_range r, const int16_t *exponent,
                                          uint32_t n) {
    adder_shorts most = (adder_shorts){0} + ADDER_ZERO, none = most, few = most, e;
    for (uint32_t i = 0; i < n; i += ADDER_AT_ONCE) {
        memcpy(&e, exponent + i, sizeof e);
        raise_shorts(&most, &e);
        const adder_shorts is_none = e == none;
        e = (is_none & none) | (~is_none & -e); // the least one is the negated largest one
        raise_shorts(&few, &e);
    }
    int16_t m[ADDER_AT_ONCE], f[ADDER_AT_ONCE];
    memcpy(m, &most, sizeof m);
    memcpy(f, &few, sizeof f);
    for (uint32_t i = 0; i < ADDER_AT_ONCE; i++) {
        r.most = m[i] > r.most ? m[i] : r.most;
        r.least = -f[i] < r.least ? (int16_t)-f[i] : r.least;
    }
    return r;
}
#define ADDER_NO_RANGE ((struct adder_range){ADDER_ZERO, -ADDER_ZERO})
// All are finite, and products are safe in single precision; subnormal factors lie 24 places below.
LANE_FN bool adder_fits(struct adder_range a, struct adder_range b) {
    return a.most < 128 && b.most < 128 && a.most + b.most < ADDER_SAFE &&
           a.least + b.least > -ADDER_SAFE + 48;
}

// ---- sums --------------------------------------------------------------------------------------

struct adder {
    uint32_t terms;          // products of a sum
    int32_t fraction, least; // bits behind the point; least exponent: what zeros count with
    uint32_t keep;           // bits of a result of single precision
    bool half;               // results are halves
};
// Products' factors: of each term the one that results share, and where the others stand, a row a term,
// `stride` numbers from one row to the next.
struct adder_terms {
    const float *shared;
    const int16_t *shared_exponent;
    const float *own;
    const int16_t *own_exponent;
    const uint8_t *row; // of a term; NULL: one behind the other
    uint32_t stride;
};
LANE_FN size_t adder_row(const struct adder_terms *t, uint32_t k) {
    return (size_t)(t->row != NULL ? t->row[k] : k) * t->stride;
}

// Towards zero: what a number of single precision keeps, its sign too. A subnormal one has multiples of 2^-149.
LANE_FN uint32_t cut_to_single(double v) {
    const uint64_t u = as_u64(v);
    const bool tiny = (u & 0x7fffffffffffffffull) < 0x3810000000000000ull; // below 2^-126
    const double small = (double)(int32_t)((tiny ? v : 0.0) * 0x1p149) * 0x1p-149;
    const float f = (float)(tiny ? small : as_f64(u & ~0x1fffffffull));
    const uint32_t sign = (uint32_t)(u >> 32) & 0x80000000u; // compilers differ in that of a cut zero
    return v != v ? F32_NAN : as_u32(f) | sign;
}
// What becomes of an exact sum.
LANE_FN uint32_t adder_result(double v, const struct adder *by) {
    const uint32_t single = cut_to_single(v);
    return by->half ? f16_from_f64(v) : single == F32_NAN ? single : single & by->keep;
}

LANE_FN void choose(adder_words *a, const adder_words *is, const adder_words *b) {
    *a = (*b & *is) | (*a & ~*is);
}

// The sums' exponents and integers of the products: half of them and c are `low`. Halves of 16 products
// below 2^27, and c below 2^26, fill 31 bits at most.
LANE_FN void adder_align(const struct adder *by, const struct adder_terms *t, uint32_t terms,
                         const float *sum, adder_words *top_out, adder_words *low_out, adder_words *high_out) {
    adder_shorts most = (adder_shorts){0} + (int16_t)ADDER_ZERO * 2, e;
    for (uint32_t k = 0; k < terms; k++) {
        memcpy(&e, t->own_exponent + adder_row(t, k), sizeof e);
        e += t->shared_exponent[k];
        raise_shorts(&most, &e);
    }
    adder_words top = __builtin_convertvector(most, adder_words), c;
    memcpy(&c, sum, sizeof c);
    // Of a sum, whose format is single precision, and none of zero.
    const adder_words field = c >> 23 & 0xff, zero = {0}, normal = zero - 126,
                      none = zero + ADDER_ZERO, least = zero + by->least, most_scale = zero + 127;
    adder_words of_c = field - 127;
    const adder_words is_zero = (c & 0x7fffffff) == 0;
    raise_to(&of_c, &normal);
    choose(&of_c, &is_zero, &none);
    raise_to(&top, &of_c);
    raise_to(&top, &least);
    // The sum is scaled in two steps: the scale may lie beyond the format. Where it does products are zero.
    const adder_words by_bits = by->fraction - top, part = by_bits >> 1, finite = field != 0xff,
                      too_much = by_bits > most_scale;
    adder_words bits = by_bits;
    choose(&bits, &too_much, &most_scale);
    const adder_floats first = (adder_floats)((part + 127) << 23),
                       rest = (adder_floats)((by_bits - part + 127) << 23),
                       scale = (adder_floats)((bits + 127) << 23);
    adder_words low = __builtin_convertvector((adder_floats)(c & finite) * first * rest, adder_words);
    adder_words high = {0};
    adder_floats f;
    for (uint32_t k = 0; k < terms / 2; k++) {
        memcpy(&f, t->own + adder_row(t, k), sizeof f);
        low += __builtin_convertvector(t->shared[k] * f * scale, adder_words);
    }
    for (uint32_t k = terms / 2; k < terms; k++) {
        memcpy(&f, t->own + adder_row(t, k), sizeof f);
        high += __builtin_convertvector(t->shared[k] * f * scale, adder_words);
    }
    *top_out = top;
    *low_out = low;
    *high_out = high;
}

// Adds all terms to each of sixteen sums; results are words, or halves in words. Lanes of `odd` whose
// results are not right are set. `terms` is by->terms, a constant where it can be one.
LANE_FN void adder_add(const struct adder *by, const struct adder_terms *t, uint32_t terms,
                       const float *sum, uint32_t *result, adder_words *odd) {
    adder_words top, low, high, c;
    adder_align(by, t, terms, sum, &top, &low, &high);
    memcpy(&c, sum, sizeof c);
    const adder_words zero = {0};
    typedef uint32_t unsigned_words __attribute__((vector_size(4 * ADDER_AT_ONCE)));
    const adder_words all = (adder_words)((unsigned_words)low + (unsigned_words)high);
    const adder_words carried = ((low ^ all) & (high ^ all)) < zero;
    const adder_words large = (all > 0x7fffff00) | (all < -0x7fffff00); // would round to 2^31
    const adder_words small = (top < by->fraction - 126) & (all != zero);
    *odd |= carried | large | small | ((c >> 23 & 0xff) == 0xff);
    // Converting rounds to nearest; away from zero it did where the number came out larger than it is.
    const adder_floats nearest = __builtin_convertvector(all, adder_floats);
    const adder_words back = __builtin_convertvector(nearest, adder_words), negative = all < zero;
    const adder_words away = ((back < all) & negative) | ((back > all) & ~negative);
    adder_words cut = (adder_words)nearest + away;
    if (by->half) cut |= (back != all) & 1; // rounded to odd, which a half's rounding sees
    adder_words places = top - by->fraction;
    const adder_words least = zero - 126;
    raise_to(&places, &least);
    const adder_floats r = (adder_floats)cut * (adder_floats)((places + 127) << 23);
    if (by->half) {
        float v[ADDER_AT_ONCE];
        memcpy(v, &r, sizeof v);
        for (uint32_t i = 0; i < ADDER_AT_ONCE; i++) result[i] = f16_from_f64((double)v[i]);
    } else {
        const adder_words kept = (adder_words)r & (int32_t)by->keep;
        memcpy(result, &kept, sizeof kept);
    }
}
LANE_FN bool adder_any(const adder_words *odd) {
    uint64_t part[sizeof *odd / 8], all = 0;
    memcpy(part, odd, sizeof part);
    for (uint32_t i = 0; i < sizeof *odd / 8; i++) all |= part[i];
    return all;
}

#endif
