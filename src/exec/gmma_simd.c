// Products of warp groups (GMMA): D = A * B + C, 64 rows, of which a warp computes sixteen.
//
// B, and A unless registers hold it, come from shared memory (gmma.c). Where elements lie in
// registers is what mma's matrices of sixteen rows have (PTX ISA 9.0, 9.7.15.5.1.1): lane 4 g + t has
// of A rows g and g + 8 in turns, words t and t + 4 along k; of D rows g and g + 8, columns 8 j + 2 t
// and the next.
//
// Floating point adds as mma_simd.c describes: exact products, aligned with the sum so far to the
// largest exponent, cut so many bits behind the point, added exactly. All of a step are added at
// once, since no type's step is deeper than a unit adds (MMA-Sim, arXiv:2511.10909: 16 halves or
// bfloats, 8 of tf32, 32 floats of 8 bits, which a step is long). What is left out of a sparse matrix is
// zero, and adds nothing (a unit adds as many products as of a dense one; not in MMA-Sim).
//
// A row of D is computed at a time, all its columns side by side. Products are exact in single
// precision where factors are neither large nor small; other steps are computed in double precision.
#include "exec/gmma.h"
#include "exec/sparse.h"
#include "exec/half_lane.h"
#include "exec/matrix.h"
#include "exec/simd.h"

enum {
    MOST_K = 64,     // of B's column: sparse floats or integers of 8 bits
    MOST_TERMS = 32, // of a step that are added
    NO_EXPONENT = -1000,
    FRACTION = 25,       // bits behind the point
    FRACTION_BYTES = 13, // of 8-bit floats, and of their sums in single precision
    LEAST = -133,        // the exponent that a zero counts with
    SAFE = 100           // exponents of products that single precision takes, scaled or not
};

LANE_FN double two_to(int32_t e) { return as_f64((uint64_t)(e + 1023) << 52); }
LANE_FN float single_two_to(int32_t e) { return as_f32((uint32_t)(e + 127) << 23); }
LANE_FN bool is_byte(uint8_t type) { return type == ITYPE_E4M3 || type == ITYPE_E5M2; }
LANE_FN bool is_finite(float f) { return (as_u32(f) & 0x7f800000u) != 0x7f800000u; }

// e5m2 is the upper byte of a half. e4m3 has no infinity and one NaN of each sign.
LANE_FN float byte_widen(uint32_t v, uint8_t type) {
    if (type == ITYPE_E5M2) return f16_to_f32(v << 8);
    const uint32_t magnitude = v & 0x7f, exponent = magnitude >> 3, fraction = magnitude & 7;
    const float normal = (float)(8 + fraction) * single_two_to((int32_t)exponent - 10);
    const float value = exponent ? normal : (float)fraction * 0x1p-9f;
    const float number = magnitude == 0x7f ? as_f32(F32_NAN) : value;
    return v & 0x80 ? -number : number;
}
LANE_FN float element(const uint8_t *p, uint8_t type, bool negated) {
    uint32_t v = p[0];
    if (!is_byte(type)) v |= (uint32_t)p[1] << 8;
    if (type == ITYPE_TF32) v |= (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    const float f = type == ITYPE_TF32   ? as_f32(v & 0xffffe000u) // low bits are not seen
                    : type == ITYPE_BF16 ? bf16_to_f32(v)
                    : type == ITYPE_F16  ? f16_to_f32(v)
                                         : byte_widen(v, type);
    return negated ? -f : f;
}
static int32_t least_normal(uint8_t type) {
    return type == ITYPE_E4M3 ? -6 : type == ITYPE_E5M2 || type == ITYPE_F16 ? -14 : -126;
}
// Exponent of a factor: that of the format's least normal number for a smaller one, none for zero.
LANE_FN int32_t exponent_of(float f, int32_t least) {
    const int32_t e = (int32_t)(as_u32(f) >> 23 & 0xff) - 127;
    return f == 0.0f ? NO_EXPONENT : e < least ? least : e;
}

// Factors of a step: A's rows as numbers and exponents, B transposed: all columns of a k side by side.
struct factors {
    uint32_t terms, columns, k_of_b;
    bool plain; // all finite, and products safe in single precision
    float a[GMMA_ROWS][MOST_TERMS];
    int32_t ea[GMMA_ROWS][MOST_TERMS];
    uint8_t at[GMMA_ROWS][MOST_TERMS]; // which k of B a term of A meets
    _Alignas(64) float b[MOST_K][GMMA_MOST_N];
    _Alignas(64) int32_t eb[MOST_K][GMMA_MOST_N];
};
struct row_of_sums {
    _Alignas(64) float c[GMMA_MOST_N];
    uint32_t d[GMMA_MOST_N];
};
struct rounding {
    int32_t fraction;
    uint32_t keep; // bits of a result of single precision
    bool half;     // results are halves
};

// Towards zero: what a number of single precision keeps. A subnormal one has multiples of 2^-149.
LANE_FN uint32_t cut_to_single(double v) {
    const uint64_t u = as_u64(v);
    const bool tiny = (u & 0x7fffffffffffffffull) < 0x3810000000000000ull; // below 2^-126
    const double small = (double)(int32_t)((tiny ? v : 0.0) * 0x1p149) * 0x1p-149;
    const float f = (float)(tiny ? small : as_f64(u & ~0x1fffffffull));
    return v != v ? F32_NAN : as_u32(f);
}
LANE_FN uint32_t result_of(double v, const struct rounding *by) {
    const uint32_t single = cut_to_single(v);
    return by->half ? f16_from_f64(v) : single == F32_NAN ? single : single & by->keep;
}

// Sixteen columns at once, which stay in registers over all products; columns beyond the last are computed too.
enum { AT_ONCE = 16 };
typedef float floats __attribute__((vector_size(4 * AT_ONCE)));
typedef int32_t words __attribute__((vector_size(4 * AT_ONCE)));
static_assert(GMMA_MOST_N % AT_ONCE == 0, "rows have room for whole vectors");
// By address: vectors of 64 bytes are passed in more ways than one.
LANE_FN void raise_to(words *a, const words *b) {
    const words is = *b > *a;
    *a = (*b & is) | (*a & ~is);
}

// A row in single precision. Scaling is done in two steps, since the scale may lie beyond the format.
// Half of the products fill a sum of 32 bits at most.
static void add_plain(const struct factors *f, uint32_t row, const struct rounding *by,
                      struct row_of_sums *s) {
    for (uint32_t at = 0; at < f->columns; at += AT_ONCE) {
        words top, low, high = {0}, e;
        floats c;
        memcpy(&c, s->c + at, sizeof c);
        const words bits = (words)c, field = bits >> 23 & 0xff;
        // Of a sum, whose format is single precision, and none of zero (exponent_of).
        const words is_zero = (bits & 0x7fffffff) == 0, normal = (words){0} - 126, none = (words){0} + LEAST;
        top = field - 127;
        raise_to(&top, &normal);
        top = (is_zero & NO_EXPONENT) | (~is_zero & top);
        for (uint32_t k = 0; k < f->terms; k++) {
            words eb;
            memcpy(&eb, f->eb[f->at[row][k]] + at, sizeof eb);
            e = eb + f->ea[row][k];
            raise_to(&top, &e);
        }
        raise_to(&top, &none);
        e = by->fraction - top;
        const words part = e >> 1;
        const floats scale = (floats)((part + 127) << 23), rest = (floats)((e - part + 127) << 23); // powers of two
        const words finite = field != 0xff;
        low = __builtin_convertvector((floats)(bits & finite) * scale * rest, words);
        for (uint32_t k = 0; k < f->terms; k++) {
            floats b;
            memcpy(&b, f->b[f->at[row][k]] + at, sizeof b);
            const words product = __builtin_convertvector(f->a[row][k] * b * scale * rest, words);
            if (k & 1)
                high += product;
            else
                low += product;
        }
        int32_t l[AT_ONCE], h[AT_ONCE], from[AT_ONCE];
        memcpy(l, &low, sizeof l);
        memcpy(h, &high, sizeof h);
        memcpy(from, &top, sizeof from);
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            const double exact = ((double)l[i] + (double)h[i]) * two_to(from[i] - by->fraction), plain = (double)s->c[at + i];
            s->d[at + i] = result_of(is_finite(s->c[at + i]) ? exact : plain, by);
        }
    }
}

// Any factors.
static void add_any(const struct factors *f, uint32_t row, const struct rounding *by,
                    struct row_of_sums *s) {
    for (uint32_t i = 0; i < f->columns; i++) {
        int32_t top = exponent_of(s->c[i], -126);
        double plain = (double)s->c[i];
        bool finite = is_finite(s->c[i]);
        for (uint32_t k = 0; k < f->terms; k++) {
            const uint32_t at = f->at[row][k];
            const int32_t e = f->ea[row][k] + f->eb[at][i];
            top = e > top ? e : top;
            plain += (double)f->a[row][k] * (double)f->b[at][i]; // exact before the sum
            finite = finite && is_finite(f->a[row][k]) && is_finite(f->b[at][i]);
        }
        top = top < LEAST ? LEAST : top;
        const double scale = two_to(by->fraction - top);
        double sum = finite ? (double)(int32_t)((double)s->c[i] * scale) : 0.0;
        for (uint32_t k = 0; k < f->terms && finite; k++)
            sum += (double)(int32_t)((double)f->a[row][k] * (double)f->b[f->at[row][k]][i] * scale);
        s->d[i] = result_of(finite ? sum * two_to(top - by->fraction) : plain, by);
    }
}

// ---- matrices ----------------------------------------------------------------------------------

struct step {
    struct exec_warp *w;
    const struct xinst *x;
    uint32_t bits, terms; // of an element; elements of A in a row
    uint8_t a[GMMA_ROWS * GMMA_STEP_BYTES];
    uint8_t b[GMMA_MOST_N * 2 * GMMA_STEP_BYTES];
    uint32_t columns, b_bytes; // of a column of B
    bool sparse;
    uint8_t at[GMMA_ROWS][MOST_TERMS];
};

static uint64_t descriptor(const struct exec_warp *w, uint32_t o) {
    return x_get64(x_src(w, o), 0);
}

// A from registers: the word of row g or g + 8, place t or t + 4.
static void a_of_registers(struct step *s) {
    const uint32_t *const p = x_src(s->w, s->x->a);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t row = lane / 4 + 8 * (k & 1), word = lane % 4 + 4 * (k >> 1);
            memcpy(s->a + row * GMMA_STEP_BYTES + 4 * word, &p[k * WARP_LANES + lane], 4);
        }
}

// Which k of B a row's elements of A meet.
static void find_places(struct step *s) {
    const struct xinst *const x = s->x;
    for (uint32_t row = 0; row < GMMA_ROWS; row++) {
        for (uint32_t k = 0; k < s->terms && s->bits > 1; k++) s->at[row][k] = (uint8_t)k;
        if (s->sparse)
            sparse_places(x_src(s->w, x->e), x->bytes >> GMMA_SELECTOR_AT & GMMA_SELECTOR, row,
                          s->bits, s->terms, s->at[row]);
    }
}

static bool fetch(struct exec_env *e, struct step *s) {
    const struct xinst *const x = s->x;
    const bool is_half = s->bits == 16;
    const struct gmma_rows b = {s->columns, s->b_bytes, s->b};
    if (!gmma_fetch(e, s->w, x, descriptor(s->w, x->b), 0, is_half && x->sub & GMMA_B_TURNED, &b))
        return false;
    if (x->sub & GMMA_A_REGS) {
        a_of_registers(s);
    } else {
        const struct gmma_rows a = {GMMA_ROWS, GMMA_STEP_BYTES, s->a};
        const uint32_t first = s->w->warp_in_cta % GMMA_GROUP * GMMA_ROWS;
        if (!gmma_fetch(e, s->w, x, descriptor(s->w, x->a), first,
                        is_half && x->sub & GMMA_A_TURNED, &a))
            return false;
    }
    find_places(s);
    return true;
}

static bool begin(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask,
                  struct step *s) {
    if (!matrix_whole(e, w, x, mask)) return false;
    s->w = w;
    s->x = x;
    s->bits = isa_type_bits(x->stype);
    if (x->stype == ITYPE_TF32) s->bits = 32;
    s->terms = GMMA_STEP_BYTES * 8 / s->bits;
    s->columns = 8u * x->vec;
    s->sparse = x->bytes & GMMA_SPARSE;
    s->b_bytes = s->sparse ? 2 * GMMA_STEP_BYTES : GMMA_STEP_BYTES;
    return fetch(e, s);
}

// Whether C counts: the predicate F.
static bool has_sum(const struct step *s) { return x_pred(s->w, s->x->f) != 0; }

static void numbers(const struct step *s, struct factors *f) {
    const struct xinst *const x = s->x;
    const uint8_t b_type = !is_byte(x->stype)     ? x->stype
                           : x->sub & GMMA_B_E5M2 ? (uint8_t)ITYPE_E5M2
                                                  : (uint8_t)ITYPE_E4M3;
    const bool minus_a = x->mods[0] & OPND_NEG, minus_b = x->mods[1] & OPND_NEG;
    const int32_t least_a = least_normal(x->stype), least_b = least_normal(b_type);
    const uint32_t bytes = s->bits / 8;
    int32_t most_a = NO_EXPONENT, most_b = NO_EXPONENT, few_a = -NO_EXPONENT, few_b = -NO_EXPONENT;
    f->terms = s->terms;
    f->columns = s->columns;
    f->k_of_b = s->b_bytes / bytes;
    f->plain = true;
    for (uint32_t k = 0; k < f->k_of_b; k++)
        for (uint32_t i = f->columns; i % AT_ONCE; i++) f->b[k][i] = 0, f->eb[k][i] = NO_EXPONENT;
    for (uint32_t row = 0; row < GMMA_ROWS; row++)
        for (uint32_t k = 0; k < f->terms; k++) {
            const float a = element(s->a + row * GMMA_STEP_BYTES + k * bytes, x->stype, minus_a);
            const int32_t e = exponent_of(a, least_a);
            f->a[row][k] = a;
            f->ea[row][k] = e;
            f->at[row][k] = s->at[row][k];
            f->plain = f->plain && is_finite(a);
            most_a = e > most_a ? e : most_a;
            few_a = e < few_a && e != NO_EXPONENT ? e : few_a;
        }
    for (uint32_t k = 0; k < f->k_of_b; k++)
        for (uint32_t i = 0; i < f->columns; i++) {
            const float b = element(s->b + i * s->b_bytes + k * bytes, b_type, minus_b);
            const int32_t e = exponent_of(b, least_b);
            f->b[k][i] = b;
            f->eb[k][i] = e;
            f->plain = f->plain && is_finite(b);
            most_b = e > most_b ? e : most_b;
            few_b = e < few_b && e != NO_EXPONENT ? e : few_b;
        }
    // (subnormal factors lie 24 places below at most)
    f->plain = f->plain && most_a + most_b < SAFE && few_a + few_b > -SAFE + 48;
}

// C of a row, all columns; D of a row. Of halves a word has two columns.
static uint32_t sum_at(const uint32_t *p, uint32_t row, uint32_t column, bool half) {
    const uint32_t lane = row % 8 * 4 + column % 8 / 2;
    const uint32_t word = column / 8 * (half ? 2 : 4) + row / 8 * (half ? 1 : 2);
    if (!half) return p[(word + column % 2) * WARP_LANES + lane];
    return p[word * WARP_LANES + lane] >> 16 * (column % 2) & 0xffff;
}
static float number_at(const uint32_t *p, uint32_t row, uint32_t column, bool half) {
    const uint32_t v = sum_at(p, row, column, half);
    return half ? f16_to_f32(v) : as_f32(v);
}
static void put_at(uint32_t *p, uint32_t row, uint32_t column, bool half, uint32_t v) {
    const uint32_t lane = row % 8 * 4 + column % 8 / 2;
    const uint32_t word = column / 8 * (half ? 2 : 4) + row / 8 * (half ? 1 : 2);
    if (!half) {
        p[(word + column % 2) * WARP_LANES + lane] = v;
        return;
    }
    uint32_t *const at = &p[word * WARP_LANES + lane];
    *at = column % 2 ? (*at & 0xffffu) | v << 16 : (*at & 0xffff0000u) | v;
}

FN_ONCE(gmma) {
    struct step s;
    if (!begin(e, w, x, mask, &s)) return EXEC_FAULT;
    const bool half = x->type == ITYPE_F16, adds = has_sum(&s);
    const bool byte = is_byte(x->stype);
    const struct rounding by = {.fraction = byte ? FRACTION_BYTES : FRACTION,
                                .keep = byte ? ~0u << (23 - FRACTION_BYTES) : ~0u,
                                .half = half};
    struct factors f;
    numbers(&s, &f);
    const uint32_t *const pc = x_src(w, x->c);
    uint32_t *const pd = x_dst(w, x->d);
    for (uint32_t row = 0; row < GMMA_ROWS; row++) {
        struct row_of_sums sums;
        for (uint32_t i = 0; i < s.columns; i++)
            sums.c[i] = adds ? number_at(pc, row, i, half) : 0.0f;
        for (uint32_t i = s.columns; i % AT_ONCE; i++) sums.c[i] = 0;
        (f.plain ? add_plain : add_any)(&f, row, &by, &sums);
        for (uint32_t i = 0; i < s.columns; i++) put_at(pd, row, i, half, sums.d[i]);
    }
    return EXEC_NEXT;
}

// ---- integers and bits -------------------------------------------------------------------------

static int32_t byte_of(uint8_t v, bool is_signed) { return is_signed ? (int8_t)v : v; }
static uint32_t clamped(int64_t sum, bool sat) {
    if (sat && sum > INT32_MAX) return INT32_MAX;
    if (sat && sum < INT32_MIN) return 0x80000000u;
    return (uint32_t)sum;
}
static int32_t joined_bits(const uint8_t *a, const uint8_t *b) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < GMMA_STEP_BYTES; k += 8) {
        uint64_t x, y;
        memcpy(&x, a + k, 8);
        memcpy(&y, b + k, 8);
        n += (uint32_t)__builtin_popcountll(x & y);
    }
    return (int32_t)n;
}
FN_ONCE(gmma_int) {
    struct step s;
    if (!begin(e, w, x, mask, &s)) return EXEC_FAULT;
    const bool adds = has_sum(&s), sa = x->sub & GMMA_A_SIGNED, sb = x->sub & GMMA_B_SIGNED;
    int32_t b[MOST_K][GMMA_MOST_N], sum[GMMA_MOST_N];
    for (uint32_t i = 0; i < s.columns && s.bits == 8; i++)
        for (uint32_t k = 0; k < s.b_bytes; k++) b[k][i] = byte_of(s.b[i * s.b_bytes + k], sb);
    const uint32_t *const pc = x_src(w, x->c);
    uint32_t *const pd = x_dst(w, x->d);
    for (uint32_t row = 0; row < GMMA_ROWS; row++) {
        const uint8_t *const a = s.a + row * GMMA_STEP_BYTES;
        for (uint32_t i = 0; i < s.columns; i++) sum[i] = 0;
        for (uint32_t i = 0; i < s.columns && s.bits == 1; i++)
            sum[i] = joined_bits(a, s.b + i * s.b_bytes);
        for (uint32_t k = 0; k < s.terms && s.bits == 8; k++) {
            const int32_t factor = byte_of(a[k], sa), *const other = b[s.at[row][k]];
            for (uint32_t i = 0; i < s.columns; i++) sum[i] += factor * other[i];
        }
        for (uint32_t i = 0; i < s.columns; i++) {
            const int64_t c = adds ? (int32_t)sum_at(pc, row, i, false) : 0;
            put_at(pd, row, i, false, clamped(c + sum[i], x->flags & MF_SAT));
        }
    }
    return EXEC_NEXT;
}

const exec_fn AT_LEVEL(gmma_fns)[] = {EXEC_GMMA_HANDLERS(HANDLER_ROW)};
