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
// A row of D is computed at a time, sixteen columns side by side (adder.h); what that cannot is computed in
// double precision. Columns stand in the order in which registers have them: of eight the even ones, then
// the odd ones.
#include "exec/adder.h"
#include "exec/gmma.h"
#include "exec/sparse.h"
#include "exec/matrix.h"

enum {
    MOST_K = 64,     // of B's column: sparse floats or integers of 8 bits
    MOST_TERMS = 32, // of a step that are added
    FRACTION = 25,       // bits behind the point
    FRACTION_BYTES = 13, // of 8-bit floats, and of their sums in single precision
    LEAST = -133,        // the exponent that a zero counts with
    QUAD = 4             // lanes that share a row
};
static_assert(GMMA_MOST_N % ADDER_AT_ONCE == 0, "rows have room for whole vectors");

// Factors of a step: A's rows as numbers and exponents, B transposed: all columns of a k side by side.
struct factors {
    uint32_t terms, columns; // columns: whole vectors
    bool sparse;
    bool plain; // all finite, and products safe in single precision
    float a[GMMA_ROWS][MOST_TERMS];
    int16_t ea[GMMA_ROWS][MOST_TERMS];
    uint8_t at[GMMA_ROWS][MOST_TERMS]; // which k of B a term of A meets
    _Alignas(64) float b[MOST_K][GMMA_MOST_N];
    _Alignas(64) int16_t eb[MOST_K][GMMA_MOST_N];
};
// C, and D, of a row.
struct row_of_sums {
    _Alignas(64) float c[GMMA_MOST_N];
    _Alignas(64) uint32_t d[GMMA_MOST_N];
};

LANE_FN bool add_columns(const struct factors *f, uint32_t row, const struct adder *by, uint32_t terms,
                         const uint8_t *at_k, struct row_of_sums *s) {
    struct adder_terms t = {f->a[row], f->ea[row], f->b[0], f->eb[0], at_k, GMMA_MOST_N};
    adder_words odd = {0};
    for (uint32_t at = 0; at < f->columns; at += ADDER_AT_ONCE) {
        adder_add(by, &t, terms, s->c + at, s->d + at, &odd);
        t.own += ADDER_AT_ONCE;
        t.own_exponent += ADDER_AT_ONCE;
    }
    return !adder_any(&odd);
}
// False: some results are not right. A step of halves or bfloats is compiled by itself.
static bool add_plain(const struct factors *f, uint32_t row, const struct adder *by, struct row_of_sums *s) {
    if (f->sparse) return add_columns(f, row, by, by->terms, f->at[row], s);
    if (by->terms == GMMA_STEP_BYTES / 2) return add_columns(f, row, by, GMMA_STEP_BYTES / 2, NULL, s);
    return add_columns(f, row, by, by->terms, NULL, s);
}

// Any factors and sums.
static void add_any(const struct factors *f, uint32_t row, const struct adder *by,
                    struct row_of_sums *s) {
    for (uint32_t i = 0; i < f->columns; i++) {
        int32_t top = adder_exponent(s->c[i], -126);
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
        int64_t sum = finite ? (int32_t)((double)s->c[i] * scale) : 0; // whole: a sum of nothing but -0 is 0
        for (uint32_t k = 0; k < f->terms && finite; k++)
            sum += (int32_t)((double)f->a[row][k] * (double)f->b[f->at[row][k]][i] * scale);
        s->d[i] = adder_result(finite ? (double)sum * two_to(top - by->fraction) : plain, by);
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

// Where a column stands among those of its row.
static uint32_t place_of(uint32_t column) {
    return column / 8 * 8 + column % 2 * QUAD + column % 8 / 2;
}

static void numbers_of_a(const struct step *s, struct factors *f, struct adder_range *range) {
    enum { WORDS = GMMA_STEP_BYTES / 4 };
    const struct xinst *const x = s->x;
    const uint32_t in_word = adder_in_word(x->stype), flip = x->mods[0] & OPND_NEG ? adder_signs(x->stype) : 0;
    uint32_t word[GMMA_ROWS * WORDS];
    float v[GMMA_ROWS * WORDS];
    int16_t e[GMMA_ROWS * WORDS];
    memcpy(word, s->a, sizeof word);
    for (uint32_t part = 0; part < in_word; part++) {
        adder_widen(word, GMMA_ROWS * WORDS, flip, part, x->stype, v, e);
        *range = adder_range_of(*range, e, GMMA_ROWS * WORDS);
        for (uint32_t i = 0; i < GMMA_ROWS * WORDS; i++) {
            const uint32_t row = i / WORDS, k = i % WORDS * in_word + part;
            f->a[row][k] = v[i];
            f->ea[row][k] = e[i];
        }
    }
}
static void numbers_of_b(const struct step *s, struct factors *f, struct adder_range *range) {
    const struct xinst *const x = s->x;
    const uint8_t type = !is_byte(x->stype)     ? x->stype
                         : x->sub & GMMA_B_E5M2 ? (uint8_t)ITYPE_E5M2
                                                : (uint8_t)ITYPE_E4M3;
    const uint32_t words = s->b_bytes / 4, in_word = adder_in_word(type);
    const uint32_t flip = x->mods[1] & OPND_NEG ? adder_signs(type) : 0;
    _Alignas(64) uint32_t word[ADDER_MOST_WORDS][GMMA_MOST_N];
    for (uint32_t k = 0; k < words; k++)
        for (uint32_t i = s->columns; i % ADDER_AT_ONCE; i++) word[k][i] = flip; // zero
    for (uint32_t i = 0; i < s->columns; i++) {
        uint32_t column[ADDER_MOST_WORDS];
        memcpy(column, s->b + i * s->b_bytes, sizeof column / 2);
        if (s->sparse) memcpy(column, s->b + i * s->b_bytes, sizeof column);
        for (uint32_t k = 0; k < words; k++) word[k][place_of(i)] = column[k];
    }
    for (uint32_t k = 0; k < words * in_word; k++) {
        adder_widen(word[k / in_word], f->columns, flip, k % in_word, type, f->b[k], f->eb[k]);
        *range = adder_range_of(*range, f->eb[k], f->columns);
    }
}
static void numbers(const struct step *s, struct factors *f) {
    struct adder_range a = ADDER_NO_RANGE, b = ADDER_NO_RANGE;
    f->terms = s->terms;
    f->sparse = s->sparse;
    f->columns = (s->columns + ADDER_AT_ONCE - 1) / ADDER_AT_ONCE * ADDER_AT_ONCE;
    memcpy(f->at, s->at, sizeof f->at);
    numbers_of_a(s, f, &a);
    numbers_of_b(s, f, &b);
    f->plain = adder_fits(a, b);
}

// C of a row, and D: a quad has four even columns of eight in a register, four odd ones in the next.
static uint32_t word_of(uint32_t row, uint32_t eight) { return eight * 4 + row / 8 * 2; }
static void get_row(const uint32_t *p, uint32_t row, uint32_t columns, float *to) {
    for (uint32_t j = 0; j < columns / 8; j++)
        for (uint32_t odd = 0; odd < 2; odd++)
            memcpy(to + 8 * j + QUAD * odd, p + (word_of(row, j) + odd) * WARP_LANES + row % 8 * QUAD,
                   QUAD * sizeof *to);
}
static void put_row(uint32_t *p, uint32_t row, uint32_t columns, const uint32_t *from) {
    for (uint32_t j = 0; j < columns / 8; j++)
        for (uint32_t odd = 0; odd < 2; odd++)
            memcpy(p + (word_of(row, j) + odd) * WARP_LANES + row % 8 * QUAD, from + 8 * j + QUAD * odd,
                   QUAD * sizeof *from);
}
// Of halves a register has both.
static void get_halves(const uint32_t *p, uint32_t row, uint32_t columns, float *to) {
    for (uint32_t i = 0; i < columns; i++) {
        const uint32_t at = i % QUAD, odd = i / QUAD % 2;
        const uint32_t v = p[(word_of(row, i / 8) / 2) * WARP_LANES + row % 8 * QUAD + at];
        to[i] = f16_to_f32(v >> 16 * odd & 0xffff);
    }
}
static void put_halves(uint32_t *p, uint32_t row, uint32_t columns, const uint32_t *from) {
    for (uint32_t j = 0; j < columns / 8; j++)
        for (uint32_t i = 0; i < QUAD; i++)
            p[(word_of(row, j) / 2) * WARP_LANES + row % 8 * QUAD + i] =
                from[8 * j + i] | from[8 * j + QUAD + i] << 16;
}

FN_ONCE(gmma) {
    struct step s;
    if (!begin(e, w, x, mask, &s)) return EXEC_FAULT;
    const bool byte = is_byte(x->stype);
    const struct adder by = {.terms = s.terms,
                             .fraction = byte ? FRACTION_BYTES : FRACTION,
                             .least = LEAST,
                             .keep = byte ? ~0u << (23 - FRACTION_BYTES) : ~0u,
                             .half = x->type == ITYPE_F16};
    struct factors f;
    numbers(&s, &f);
    const uint32_t *const pc = x_src(w, x->c);
    uint32_t *const pd = x_dst(w, x->d);
    struct row_of_sums sums = {0};
    const bool adds = has_sum(&s);
    for (uint32_t row = 0; row < GMMA_ROWS; row++) {
        if (adds) (by.half ? get_halves : get_row)(pc, row, s.columns, sums.c);
        if (!f.plain || !add_plain(&f, row, &by, &sums)) add_any(&f, row, &by, &sums);
        (by.half ? put_halves : put_row)(pd, row, s.columns, sums.d);
    }
    return EXEC_NEXT;
}

// ---- integers and bits -------------------------------------------------------------------------

// Sums of 32 bits: a column of a row.
static uint32_t sum_at(uint32_t row, uint32_t column) {
    return (word_of(row, column / 8) + column % 2) * WARP_LANES + row % 8 * QUAD + column % 8 / 2;
}
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
            const int64_t c = adds ? (int32_t)pc[sum_at(row, i)] : 0;
            pd[sum_at(row, i)] = clamped(c + sum[i], x->flags & MF_SAT);
        }
    }
    return EXEC_NEXT;
}

const exec_fn AT_LEVEL(gmma_fns)[] = {EXEC_GMMA_HANDLERS(HANDLER_ROW)};
