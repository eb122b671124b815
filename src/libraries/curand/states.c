// First states: a linear generator jumps by a power of the matrix of one step.
#include "states.h"

#include <assert.h>

#include <stdlib.h>
#include <string.h>

// ---- XORWOW: 160 bits, over GF(2) -----------------------------------------------------------------
enum { BITS = 160 };
struct bit_matrix {
    uint32_t column[BITS][5]; // what each bit becomes
};
static void bit_apply(const struct bit_matrix *m, uint32_t v[5]) {
    uint32_t sum[5] = {0};
    for (unsigned i = 0; i < BITS; i++)
        if (v[i / 32] >> i % 32 & 1)
            for (int k = 0; k < 5; k++) sum[k] ^= m->column[i][k];
    memcpy(v, sum, sizeof sum);
}
static void bit_square(struct bit_matrix *m) {
    const struct bit_matrix once = *m;
    for (int i = 0; i < BITS; i++) bit_apply(&once, m->column[i]);
}
static void bit_step(struct bit_matrix *m) {
    for (unsigned i = 0; i < BITS; i++) {
        struct random_xorwow s = {.d = 0};
        s.v[i / 32] = 1u << i % 32;
        random_xorwow_next(&s);
        memcpy(m->column[i], s.v, sizeof s.v);
    }
}

void states_xorwow(struct random_xorwow *out, uint32_t sequences, uint64_t seed, uint64_t offset) {
    // how a seed becomes a state: curand_init's numbers (curand_kernel.h)
    const uint32_t low = 1099087573u * ((uint32_t)seed ^ 0xaad26b49),
                   high = 2591861531u * ((uint32_t)(seed >> 32) ^ 0xf7dcefdd);
    struct random_xorwow s = {
        .v = {123456789 + low, 362436069 ^ low, 521288629 + high, 88675123 ^ high, 5783321 + low},
        .d = 6615241 + high + low};
    struct bit_matrix m;
    bit_step(&m);
    const uint64_t each = offset / sequences;
    for (int k = 0; k < 67; k++) { // in the end m jumps 2^67
        if (k < 64 && each >> k & 1) bit_apply(&m, s.v);
        bit_square(&m);
    }
    s.d += 362437 * (uint32_t)each;
    for (uint32_t t = 0; t < sequences; t++) {
        out[t] = s;
        if (t < offset % sequences) random_xorwow_next(&out[t]);
        bit_apply(&m, s.v); // d has period 2^32: a jump leaves it
    }
}

// ---- MRG32k3a: two vectors of three numbers, modulo a prime each ----------------------------------
struct mrg_matrix {
    uint64_t at[3][3];
};
static void mrg_apply(const struct mrg_matrix *m, uint32_t v[3], uint32_t modulus) {
    uint64_t sum[3];
    for (int i = 0; i < 3; i++) {
        sum[i] = 0;
        for (int k = 0; k < 3; k++) sum[i] = (sum[i] + m->at[i][k] * v[k] % modulus) % modulus;
    }
    for (int i = 0; i < 3; i++) v[i] = (uint32_t)sum[i];
}
static void mrg_square(struct mrg_matrix *m, uint32_t modulus) {
    const struct mrg_matrix once = *m;
    for (int j = 0; j < 3; j++) {
        uint32_t column[3] = {(uint32_t)once.at[0][j], (uint32_t)once.at[1][j],
                              (uint32_t)once.at[2][j]};
        mrg_apply(&once, column, modulus);
        for (int i = 0; i < 3; i++) m->at[i][j] = column[i];
    }
}

void states_mrg(struct random_mrg *out, uint32_t sequences, uint64_t seed, uint64_t offset) {
    struct mrg_matrix a = {{{0, 1, 0}, {0, 0, 1}, {RANDOM_MRG_A - 810728, 1403580, 0}}};
    struct mrg_matrix b = {{{0, 1, 0}, {0, 0, 1}, {RANDOM_MRG_B - 1370589, 0, 527612}}};
    struct random_mrg s = {{12345, 12345, 12345}, {12345, 12345, 12345}};
    if (seed) { // how a seed becomes a state: curand_init's numbers (curand_kernel.h)
        const uint64_t x = (uint32_t)seed ^ 0x55555555, y = (uint32_t)(seed >> 32) ^ 0xaaaaaaaa;
        for (int i = 0; i < 3; i++) {
            s.a[i] = (uint32_t)((i == 1 ? y : x) * 12345 % RANDOM_MRG_A);
            s.b[i] = (uint32_t)((i == 1 ? x : y) * 12345 % RANDOM_MRG_B);
        }
    }
    const uint64_t each = offset / sequences;
    for (int k = 0; k < 76; k++) { // in the end a and b jump 2^76
        if (k < 64 && each >> k & 1) {
            mrg_apply(&a, s.a, RANDOM_MRG_A);
            mrg_apply(&b, s.b, RANDOM_MRG_B);
        }
        mrg_square(&a, RANDOM_MRG_A);
        mrg_square(&b, RANDOM_MRG_B);
    }
    for (uint32_t t = 0; t < sequences; t++) {
        out[t] = s;
        if (t < offset % sequences) random_mrg_next(&out[t]);
        mrg_apply(&a, s.a, RANDOM_MRG_A);
        mrg_apply(&b, s.b, RANDOM_MRG_B);
    }
}

// ---- MT19937 --------------------------------------------------------------------------------------
void states_mt(uint32_t out[RANDOM_MT], uint32_t seed) {
    out[0] = seed;
    for (uint32_t i = 1; i < RANDOM_MT; i++)
        out[i] = 1812433253u * (out[i - 1] ^ out[i - 1] >> 30) + i;
}

// ---- MTGP32 ---------------------------------------------------------------------------------------
static const struct {
    uint32_t far, left, right, table[4], tempering[4];
} generator[] = {
#define MTGP(far, left, right, a, b, c, d, e, f, g, h)                                             \
    {far, left, right, {a, b, c, d}, {e, f, g, h}},
#include "random/mtgp.def"
#undef MTGP
};
void states_mtgp(struct random_mtgp *out, uint32_t sequences, uint64_t seed) {
    for (uint32_t t = 0; t < sequences; t++) {
        struct random_mtgp *const p = &out[t];
        *p = (struct random_mtgp){
            .far = generator[t].far, .left = generator[t].left, .right = generator[t].right};
        for (int i = 0; i < 16; i++)
            for (int k = 0; k < 4; k++)
                if (i >> k & 1) {
                    p->table[i] ^= generator[t].table[k];
                    p->tempering[i] ^= generator[t].tempering[k];
                }
        // words begin as one byte, repeated; the second one is hidden
        const uint32_t hidden = p->table[4] ^ p->table[8] << 16;
        uint32_t byte = hidden + (hidden >> 16);
        byte = (byte + (byte >> 8)) & 0xff;
        for (uint32_t i = 0; i < RANDOM_MTGP; i++) p->s[i] = byte * 0x01010101u;
        p->s[0] = (uint32_t)(seed ^ seed >> 32) + t + 1;
        p->s[1] = hidden;
        for (uint32_t i = 1; i < RANDOM_MTGP; i++)
            p->s[i] ^= 1812433253u * (p->s[i - 1] ^ p->s[i - 1] >> 30) + i;
    }
}

// ---- Sobol ----------------------------------------------------------------------------------------
static const struct {
    uint32_t polynomial;
    char m[40]; // the digits of sobol.def
} primitive[] = {
#define DIM(polynomial, m) {polynomial, m},
#include "random/sobol.def"
#undef DIM
};
static_assert(sizeof primitive / sizeof *primitive + 1 == SOBOL_DIMENSIONS, "all dimensions");

// The odd numbers of a dimension.
static void odd_numbers(const char *digits, int degree, uint32_t m[32]) {
    for (int k = 0, bit = 0; k < degree; k++) {
        m[k] = 0;
        for (int i = 0; i < k; i++, bit++) {
            const char digit = digits[bit / 4];
            const uint32_t four = (uint32_t)(digit > '9' ? digit - 'a' + 10 : digit - '0');
            m[k] = m[k] << 1 | (four >> (3 - bit % 4) & 1);
        }
        m[k] = m[k] << 1 | 1;
    }
}
// Random words of a dimension: the finaliser of G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators",
// 2014, over a counter.
static uint64_t scramble_word(uint32_t dimension, uint32_t i) {
    uint64_t z = ((uint64_t)dimension * 65 + i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
// Each bit of a direction, from the highest on, becomes itself and some of those above it.
static void scramble(uint64_t *v, int bits, uint32_t dimension) {
    uint64_t row[64];
    for (uint32_t j = 0; j < 64; j++) {
        const uint64_t above = j ? ~(UINT64_MAX >> j) : 0;
        row[j] = (scramble_word(dimension, j) & above) | UINT64_C(1) << (63 - j);
    }
    for (int k = 0; k < bits; k++) {
        uint64_t y = 0;
        for (int j = 0; j < 64; j++) y = y << 1 | (uint64_t)__builtin_parityll(v[k] & row[j]);
        v[k] = y;
    }
}
void states_sobol(void *out, uint32_t dimensions, bool is_wide, bool is_scrambled) {
    const int bits = is_wide ? 64 : 32;
    for (uint32_t d = 0; d < dimensions; d++) {
        uint64_t v[64]; // direction k, its highest bit being bit 63
        uint32_t m[32];
        const uint32_t polynomial = d ? primitive[d - 1].polynomial : 1;
        const int degree = d ? 31 - __builtin_clz(polynomial) : 0;
        if (d) odd_numbers(primitive[d - 1].m, degree, m);
        for (int k = 0; k < bits; k++) {
            if (!d || k < degree) {
                v[k] = (d ? (uint64_t)m[k] : 1) << (63 - k);
                continue;
            }
            v[k] = v[k - degree] ^ v[k - degree] >> degree;
            for (int j = 1; j < degree; j++)
                if (polynomial >> (degree - j) & 1) v[k] ^= v[k - j];
        }
        if (is_scrambled) scramble(v, bits, d);
        for (int k = 0; k < bits; k++) {
            if (is_wide)
                ((uint64_t *)out)[(size_t)d * 64 + (size_t)k] = v[k];
            else
                ((uint32_t *)out)[(size_t)d * 32 + (size_t)k] = (uint32_t)(v[k] >> 32);
        }
    }
}
void states_sobol_constants(void *out, uint32_t dimensions, bool is_wide) {
    for (uint32_t d = 0; d < dimensions; d++) {
        const uint64_t c = scramble_word(d, 64);
        if (is_wide)
            ((uint64_t *)out)[d] = c;
        else
            ((uint32_t *)out)[d] = (uint32_t)(c >> 32);
    }
}

// ---- Poisson --------------------------------------------------------------------------------------
bool poisson_table_make(struct poisson_table *t, double lambda) {
    // 12 deviations and some for the skew hold all that a word of 32 bits, or one of 53, can ask for
    const double reach = 12 * sqrt(lambda) + 40;
    t->shift = lambda > reach ? (uint32_t)(lambda - reach) : 0;
    t->length = (uint32_t)(lambda + reach) - t->shift + 1;
    const uint32_t n = t->length;
    double *const p = malloc(n * sizeof *p);
    uint32_t *const order = malloc(n * sizeof *order);
    t->least = malloc((n + 1) * sizeof *t->least);
    t->other = malloc((n + 1) * sizeof *t->other);
    if (!p || !order || !t->least || !t->other) {
        free(p);
        free(order);
        poisson_table_free(t);
        return false;
    }
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        const double k = (double)t->shift + i;
        sum += p[i] = exp(k * log(lambda) - lambda - lgamma(k + 1));
    }
    // A. J. Walker's aliases: each column is filled up from one that holds too much. `order` has the poor columns before
    // `poor`, the rich ones from `rich` on.
    uint32_t poor = 0, rich = n;
    for (uint32_t i = 0; i < n; i++) {
        p[i] *= n / sum;
        order[p[i] < 1 ? poor++ : --rich] = i;
        t->least[i] = 1;
        t->other[i] = i;
    }
    while (poor && rich < n) {
        const uint32_t a = order[--poor], b = order[rich];
        t->least[a] = p[a];
        t->other[a] = b;
        p[b] -= 1 - p[a];
        if (p[b] < 1) {
            rich++;
            order[poor++] = b;
        }
    }
    for (uint32_t i = 0; i < n; i++) t->least[i] = (i + t->least[i]) / n;
    t->least[n] = 0;
    t->other[n] = t->other[n - 1];
    free(p);
    free(order);
    return true;
}

void poisson_table_free(struct poisson_table *t) {
    free(t->least);
    free(t->other);
    t->least = NULL;
    t->other = NULL;
}
