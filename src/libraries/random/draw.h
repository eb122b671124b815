// Generators and distributions, once for the kernels and once for generators of the host. What a sequence is and how a word
// becomes a number is public: G. Marsaglia, "Xorshift RNGs" (XORWOW); P. L'Ecuyer, "Good parameters and implementations for
// combined multiple recursive random number generators" (MRG32k3a); J. Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3" (Philox); cuRAND's documentation, "Generator options, order", for which sequence gives which result.
#ifndef WW_LIBRARIES_RANDOM_DRAW_H
#define WW_LIBRARIES_RANDOM_DRAW_H

#include "call.h"

#ifdef __CUDA__
#define SHARED_CODE static __attribute__((device)) inline
#define ROOT32(x)   __nvvm_sqrt_rn_f(x)
#define ROOT64(x)   __nvvm_sqrt_rn_d(x)
#else
#include <math.h>
#define SHARED_CODE static inline
#define ROOT32(x)   sqrtf(x)
#define ROOT64(x)   sqrt(x)
#endif

// ---- functions ----------------------------------------------------------------------------------
// ln x = e ln 2 + 2 artanh((m - 1) / (m + 1)), m in [1/sqrt 2, sqrt 2): |f| < 0.172, so that the series ends below an ulp.
SHARED_CODE double random_ln(double x) {
    uint64_t bits;
    __builtin_memcpy(&bits, &x, 8);
    int e = (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffff) | 0x3ff0000000000000;
    double m;
    __builtin_memcpy(&m, &bits, 8);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        e++;
    }
    const double f = (m - 1) / (m + 1), g = f * f;
    double sum = 0;
    for (int k = 21; k > 1; k -= 2) sum = (sum + 1.0 / k) * g;
    // ln 2 in two parts, the first with 32 bits, so that its product with e is exact
    return e * 0.693147180369123816490 + (2 * f + (2 * f * sum + e * 1.90821492927058770002e-10));
}
SHARED_CODE float random_lnf(float x) {
    uint32_t bits;
    __builtin_memcpy(&bits, &x, 4);
    int e = (int)(bits >> 23) - 127;
    bits = (bits & 0x7fffff) | 0x3f800000;
    float m;
    __builtin_memcpy(&m, &bits, 4);
    if (m > 1.4142135f) {
        m *= 0.5f;
        e++;
    }
    const float f = (m - 1) / (m + 1), g = f * f;
    float sum = 0;
    for (int k = 9; k > 1; k -= 2) sum = (sum + 1.0f / (float)k) * g;
    return (float)e * 0.693147182f + (2 * f + 2 * f * sum);
}
// Sine and cosine of a number of turns in [0, 1]: the quarter, and a series for what is left, at most an eighth.
SHARED_CODE void random_circle(double turns, double *sine, double *cosine) {
    const int quarter = (int)(turns * 4 + 0.5);
    const double x = (turns - quarter * 0.25) * 6.283185307179586477, y = x * x;
    double s = 1, c = 1;
    for (int k = 18; k >= 2; k -= 2) {
        s = 1 - s * y / (k * (k + 1));
        c = 1 - c * y / (k * (k - 1));
    }
    s *= x;
    const double a = quarter & 1 ? c : s, b = quarter & 1 ? s : c;
    *sine = quarter & 2 ? -a : a;
    *cosine = (quarter + 1) & 2 ? -b : b;
}
SHARED_CODE void random_circlef(float turns, float *sine, float *cosine) {
    const int quarter = (int)(turns * 4 + 0.5f);
    const float x = (turns - (float)quarter * 0.25f) * 6.28318531f, y = x * x;
    float s = 1, c = 1;
    for (int k = 10; k >= 2; k -= 2) {
        s = 1 - s * y * (1.0f / (float)(k * (k + 1)));
        c = 1 - c * y * (1.0f / (float)(k * (k - 1)));
    }
    s *= x;
    const float a = quarter & 1 ? c : s, b = quarter & 1 ? s : c;
    *sine = quarter & 2 ? -a : a;
    *cosine = (quarter + 1) & 2 ? -b : b;
}
// e^x = 2^k e^r, |r| <= ln 2 / 2.
SHARED_CODE double random_exp(double x) {
    if (x > 710) x = 710;
    if (x < -746) return 0;
    const int k = (int)(x * 1.4426950408889634 + (x < 0 ? -0.5 : 0.5));
    const double r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
    double sum = 1;
    for (int i = 14; i > 0; i--) sum = 1 + sum * r / i;
    for (int i = 0; i < 2; i++) { // 2^k in two steps: either is a normal number
        const int half = i ? k - k / 2 : k / 2;
        const uint64_t bits = (uint64_t)(half + 1023) << 52;
        double power;
        __builtin_memcpy(&power, &bits, 8);
        sum *= power;
    }
    return sum;
}
// The normal distribution's quantile: M. J. Wichura, "Algorithm AS 241: the percentage points of the normal distribution",
// Applied Statistics 37, 1988 (PPND16). p in (0, 1).
SHARED_CODE double random_quantile(double p) {
    const double q = p - 0.5;
    if (q >= -0.425 && q <= 0.425) {
        const double r = 0.180625 - q * q;
        return q *
               (((((((2509.0809287301226727 * r + 33430.575583588128105) * r +
                     67265.770927008700853) *
                        r +
                    45921.953931549871457) *
                       r +
                   13731.693765509461125) *
                      r +
                  1971.5909503065514427) *
                     r +
                 133.14166789178437745) *
                    r +
                3.387132872796366608) /
               (((((((5226.495278852854561 * r + 28729.085735721942674) * r +
                     39307.89580009271061) *
                        r +
                    21213.794301586595867) *
                       r +
                   5394.1960214247511077) *
                      r +
                  687.1870074920579083) *
                     r +
                 42.313330701600911252) *
                    r +
                1);
    }
    double r = ROOT64(-random_ln(q < 0 ? p : 1 - p)), z;
    if (r <= 5) {
        r -= 1.6;
        z = (((((((7.7454501427834140764e-4 * r + 0.0227238449892691845833) * r +
                  0.24178072517745061177) *
                     r +
                 1.27045825245236838258) *
                    r +
                3.64784832476320460504) *
                   r +
               5.7694972214606914055) *
                  r +
              4.6303378461565452959) *
                 r +
             1.42343711074968357734) /
            (((((((1.05075007164441684324e-9 * r + 5.475938084995344946e-4) * r +
                  0.0151986665636164571966) *
                     r +
                 0.14810397642748007459) *
                    r +
                0.68976733498510000455) *
                   r +
               1.6763848301838038494) *
                  r +
              2.05319162663775882187) *
                 r +
             1);
    } else {
        r -= 5;
        z = (((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r +
                  0.0012426609473880784386) *
                     r +
                 0.026532189526576123093) *
                    r +
                0.29656057182850489123) *
                   r +
               1.7848265399172913358) *
                  r +
              5.4637849111641143699) *
                 r +
             6.6579046435011037772) /
            (((((((2.04426310338993978564e-15 * r + 1.4215117583164458887e-7) * r +
                  1.8463183175100546818e-5) *
                     r +
                 7.868691311456132591e-4) *
                    r +
                0.0148753612908506148525) *
                   r +
               0.13692988092273580531) *
                  r +
              0.59983220655588793769) *
                 r +
             1);
    }
    return q < 0 ? -z : z;
}

// ---- from words to numbers ----------------------------------------------------------------------
// Uniform numbers are in (0, 1]: the middle of the interval that a word stands for.
SHARED_CODE float random_unit(uint32_t x) { return (float)x * 0x1p-32f + 0x1p-33f; }
SHARED_CODE double random_unit_of_two(uint32_t x, uint32_t y) {
    return (double)((uint64_t)x ^ (uint64_t)y << 21) * 0x1p-53 + 0x1p-54;
}
SHARED_CODE void random_put32(const struct random_call *c, int64_t i, uint32_t x) {
    if (i >= 0 && (uint64_t)i < c->n) ((uint32_t *)(uintptr_t)c->out)[i] = x;
}
SHARED_CODE void random_putf(const struct random_call *c, int64_t i, float x) {
    if (i >= 0 && (uint64_t)i < c->n) ((float *)(uintptr_t)c->out)[i] = x;
}
SHARED_CODE void random_putd(const struct random_call *c, int64_t i, double x) {
    if (i >= 0 && (uint64_t)i < c->n) ((double *)(uintptr_t)c->out)[i] = x;
}
SHARED_CODE void random_put_normalf(const struct random_call *c, int kind, int64_t i, float z) {
    const float x = (float)c->mean + (float)c->deviation * z;
    random_putf(c, i, kind == RANDOM_log_normal ? (float)random_exp((double)x) : x);
}
SHARED_CODE void random_put_normald(const struct random_call *c, int kind, int64_t i, double z) {
    const double x = c->mean + c->deviation * z;
    random_putd(c, i, kind == RANDOM_log_normal_double ? random_exp(x) : x);
}
SHARED_CODE void random_pair(const struct random_call *c, int kind, int64_t i, float u,
                             float turns) {
    float sine, cosine;
    const float s = ROOT32(-2 * random_lnf(u));
    random_circlef(turns, &sine, &cosine);
    random_put_normalf(c, kind, i, sine * s);
    random_put_normalf(c, kind, i + 1, cosine * s);
}
SHARED_CODE void random_wide_pair(const struct random_call *c, int kind, int64_t i, double u,
                                  double turns) {
    double sine, cosine;
    const double s = ROOT64(-2 * random_ln(u));
    random_circle(turns, &sine, &cosine);
    random_put_normald(c, kind, i, sine * s);
    random_put_normald(c, kind, i + 1, cosine * s);
}
// Poisson: a column of the square histogram, and which of its two results (G. Marsaglia, W. W. Tsang, J. Wang, "Fast generation
// of discrete random variables", J. Stat. Softw. 11, 2004).
SHARED_CODE uint32_t random_poisson(const struct random_call *c, double u) {
    const uint32_t column = (uint32_t)(u * c->length);
    return c->shift + (u < ((const double *)(uintptr_t)c->least)[column]
                           ? column
                           : ((const uint32_t *)(uintptr_t)c->other)[column]);
}
// The results of one group of words, from result i on.
SHARED_CODE void random_group(const struct random_call *c, int kind, int64_t i, const uint32_t *w) {
    switch (kind) {
    case RANDOM_bits: random_put32(c, i, w[0]); break;
    case RANDOM_uniform: random_putf(c, i, random_unit(w[0])); break;
    case RANDOM_uniform_double: random_putd(c, i, random_unit_of_two(w[0], w[1])); break;
    case RANDOM_normal:
    case RANDOM_log_normal: random_pair(c, kind, i, random_unit(w[0]), random_unit(w[1])); break;
    case RANDOM_normal_double:
    case RANDOM_log_normal_double:
        random_wide_pair(c, kind, i, random_unit_of_two(w[0], w[1]),
                         random_unit_of_two(w[2], w[3]));
        break;
    default: random_put32(c, i, random_poisson(c, w[0] * 0x1p-32 + 0x1p-32));
    }
}
SHARED_CODE int random_words_of(int kind) {
    switch (kind) {
#define KIND(name, words, results)                                                                 \
    case RANDOM_##name: return words;
        RANDOM_KINDS(KIND)
#undef KIND
    default: return 0;
    }
}
SHARED_CODE int random_results_of(int kind) {
    switch (kind) {
#define KIND(name, words, results)                                                                 \
    case RANDOM_##name: return results;
        RANDOM_KINDS(KIND)
#undef KIND
    default: return 0;
    }
}

// ---- sequences ----------------------------------------------------------------------------------
// Visit v takes a group from sequence (begin + v) mod sequences, c->first visits having been made before this call. What one
// thread does is one sequence's part of it.
SHARED_CODE uint64_t random_first_visit(const struct random_call *c, uint32_t sequence) {
    const uint64_t now = (c->begin + c->first) % c->sequences;
    return sequence >= now ? sequence - now : sequence + c->sequences - now;
}

struct random_xorwow {
    uint32_t v[5], d;
};
SHARED_CODE uint32_t random_xorwow_next(struct random_xorwow *s) {
    const uint32_t t = s->v[0] ^ s->v[0] >> 2, last = s->v[4];
    s->v[0] = s->v[1], s->v[1] = s->v[2], s->v[2] = s->v[3], s->v[3] = last;
    s->v[4] = last ^ last << 4 ^ t ^ t << 1;
    s->d += 362437;
    return s->v[4] + s->d;
}
SHARED_CODE void random_run_xorwow(const struct random_call *c, int kind, uint32_t sequence) {
    struct random_xorwow *const at = (struct random_xorwow *)(uintptr_t)c->states + sequence,
                                s = *at;
    const uint64_t results = (uint64_t)random_results_of(kind);
    for (uint64_t v = random_first_visit(c, sequence); v * results < c->n; v += c->sequences) {
        uint32_t w[4];
        for (int k = 0; k < random_words_of(kind); k++) w[k] = random_xorwow_next(&s);
        random_group(c, kind, (int64_t)(v * results), w);
    }
    *at = s;
}

// MRG32k3a: a number of 1 to 4,294,967,087.
struct random_mrg {
    uint32_t a[3], b[3];
};
#define RANDOM_MRG_A 4294967087u
#define RANDOM_MRG_B 4294944443u
SHARED_CODE uint32_t random_mrg_next(struct random_mrg *s) {
    const uint64_t p = (1403580ull * s->a[1] + 810728ull * (RANDOM_MRG_A - s->a[0])) % RANDOM_MRG_A;
    const uint64_t q = (527612ull * s->b[2] + 1370589ull * (RANDOM_MRG_B - s->b[0])) % RANDOM_MRG_B;
    s->a[0] = s->a[1], s->a[1] = s->a[2], s->a[2] = (uint32_t)p;
    s->b[0] = s->b[1], s->b[1] = s->b[2], s->b[2] = (uint32_t)q;
    return (uint32_t)(p > q ? p - q : p + RANDOM_MRG_A - q);
}
SHARED_CODE double random_mrg_unit(uint32_t z) {
    return z * 2.3283065498378288e-10;
} // 1 / RANDOM_MRG_A
SHARED_CODE uint32_t random_mrg_bits(uint32_t z) {
    return (uint32_t)(z * 1.000000048662);
} // to the range of 32 bits
SHARED_CODE void random_run_mrg(const struct random_call *c, int kind, uint32_t sequence) {
    struct random_mrg *const at = (struct random_mrg *)(uintptr_t)c->states + sequence, s = *at;
    const uint64_t results = (uint64_t)random_results_of(kind);
    for (uint64_t v = random_first_visit(c, sequence); v * results < c->n; v += c->sequences) {
        const int64_t i = (int64_t)(v * results);
        const uint32_t z = random_mrg_next(&s);
        const double u = random_mrg_unit(z);
        switch (kind) {
        case RANDOM_bits: random_put32(c, i, random_mrg_bits(z)); break;
        case RANDOM_uniform: random_putf(c, i, (float)u); break;
        case RANDOM_uniform_double: random_putd(c, i, u); break;
        case RANDOM_normal:
        case RANDOM_log_normal:
            random_pair(c, kind, i, (float)u, (float)random_mrg_unit(random_mrg_next(&s)));
            break;
        case RANDOM_normal_double:
        case RANDOM_log_normal_double:
            random_wide_pair(c, kind, i, u, random_mrg_unit(random_mrg_next(&s)));
            break;
        default: random_put32(c, i, random_poisson(c, random_mrg_bits(z) * 0x1p-32 + 0x1p-32));
        }
    }
    *at = s;
}

// Philox: a visit takes whole blocks of four words, and leaves four results.
SHARED_CODE void random_philox(uint64_t counter, uint64_t sequence, uint64_t key, uint32_t out[4]) {
    uint32_t x[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)sequence,
                     (uint32_t)(sequence >> 32)};
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int i = 0; i < 10; i++) {
        const uint64_t p = (uint64_t)0xD2511F53 * x[0], q = (uint64_t)0xCD9E8D57 * x[2];
        x[0] = (uint32_t)(q >> 32) ^ x[1] ^ k0;
        x[1] = (uint32_t)q;
        x[2] = (uint32_t)(p >> 32) ^ x[3] ^ k1;
        x[3] = (uint32_t)p;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    for (int i = 0; i < 4; i++) out[i] = x[i];
}
SHARED_CODE void random_run_philox(const struct random_call *c, int kind, uint32_t sequence) {
    const int words = random_words_of(kind), results = random_results_of(kind);
    const uint32_t blocks = (uint32_t)(words / results); // of four words, for four results
    for (uint64_t v = random_first_visit(c, sequence); v * 4 < c->n + c->skipped;
         v += c->sequences) {
        const uint64_t past = (c->first + v) / c->sequences; // visits of this sequence before
        const uint32_t wrapped =
            c->begin + (uint32_t)((c->first + v) % c->sequences) >= c->sequences;
        uint32_t w[8];
        for (uint32_t b = 0; b < blocks; b++)
            random_philox(c->word / 4 + wrapped + past * blocks + b, sequence, c->key, w + 4 * b);
        for (int g = 0; g * results < 4; g++)
            random_group(c, kind, (int64_t)(v * 4) + g * results - c->skipped, w + g * words);
    }
}

// MT19937 (M. Matsumoto, T. Nishimura, 1998): its words are there already; visit v takes the v-th group of them.
enum { RANDOM_MT = 624, RANDOM_MT_FAR = 397 };
SHARED_CODE uint32_t random_mt_mix(uint32_t a, uint32_t b, uint32_t far) {
    return far ^ ((a & 0x80000000) | (b & 0x7fffffff)) >> 1 ^ (b & 1 ? 0x9908b0df : 0);
}
SHARED_CODE uint32_t random_mt_temper(uint32_t y) {
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680;
    y ^= y << 15 & 0xefc60000;
    return y ^ y >> 18;
}
SHARED_CODE void random_run_mt(const struct random_call *c, int kind, uint64_t visit) {
    random_group(c, kind, (int64_t)visit * random_results_of(kind),
                 (const uint32_t *)(uintptr_t)c->states + visit * (uint64_t)random_words_of(kind));
}

// Sobol: result i is point first + i % points of dimension i / points, by the Gray code (I. A. Antonov, V. M. Saleev, 1979).
SHARED_CODE void random_put_point(const struct random_call *c, int kind, uint64_t i, double u) {
    switch (kind) {
    case RANDOM_uniform: random_putf(c, (int64_t)i, (float)u); break;
    case RANDOM_uniform_double: random_putd(c, (int64_t)i, u); break;
    case RANDOM_normal:
    case RANDOM_log_normal:
        random_put_normalf(c, kind, (int64_t)i, (float)random_quantile(u));
        break;
    case RANDOM_normal_double:
    case RANDOM_log_normal_double:
        random_put_normald(c, kind, (int64_t)i, random_quantile(u));
        break;
    default: random_put32(c, (int64_t)i, random_poisson(c, u));
    }
}
// A result of one word of 32 bits.
SHARED_CODE void random_put_word(const struct random_call *c, int kind, uint64_t i, uint32_t x) {
    if (kind == RANDOM_bits)
        random_put32(c, (int64_t)i, x);
    else if (kind == RANDOM_uniform)
        random_putf(c, (int64_t)i, random_unit(x));
    else
        random_put_point(c, kind, i,
                         x * 0x1p-32 + (kind == RANDOM_uniform_double ? 0x1p-32 : 0x1p-33));
}
SHARED_CODE void random_run_sobol32(const struct random_call *c, int kind, uint64_t i) {
    const uint64_t points = c->n / c->dimensions;
    const uint32_t *const direction = (const uint32_t *)(uintptr_t)c->states + i / points * 32;
    const uint32_t at = (uint32_t)(c->first + i % points), gray = at ^ at >> 1;
    uint32_t x = c->key ? ((const uint32_t *)(uintptr_t)c->key)[i / points] : 0;
    for (int k = 0; k < 32; k++) x ^= gray >> k & 1 ? direction[k] : 0;
    random_put_word(c, kind, i, x);
}
SHARED_CODE void random_run_sobol64(const struct random_call *c, int kind, uint64_t i) {
    const uint64_t points = c->n / c->dimensions;
    const uint64_t *const direction = (const uint64_t *)(uintptr_t)c->states + i / points * 64;
    const uint64_t at = c->first + i % points, gray = at ^ at >> 1;
    uint64_t x = c->key ? ((const uint64_t *)(uintptr_t)c->key)[i / points] : 0;
    for (int k = 0; k < 64; k++) x ^= gray >> k & 1 ? direction[k] : 0;
    if (kind == RANDOM_bits)
        ((uint64_t *)(uintptr_t)c->out)[i] = x;
    else if (kind == RANDOM_uniform)
        random_putf(c, (int64_t)i, random_unit((uint32_t)(x >> 32)));
    else
        random_put_point(c, kind, i, (double)(x >> 11) * 0x1p-53 + 0x1p-54);
}

// MTGP32 (M. Saito, M. Matsumoto, "Variants of Mersenne Twister suitable for graphic processors", 2013): a state of 351 words, of
// which a round makes 256 more, a thread each. Sequences are visited in turn, a round each; c->first counts results. A round of which
// an earlier call took a part is made again: a state is at the first round that is not taken whole.
enum { RANDOM_MTGP = 351, RANDOM_MTGP_ROUND = 256 };
struct random_mtgp {
    uint32_t s[RANDOM_MTGP], far, left, right, table[16], tempering[16];
};
#define RANDOM_MTGP_MASK 0xfff80000u
SHARED_CODE void random_mtgp_next(const struct random_mtgp *p, const uint32_t *s, uint32_t t,
                                  uint32_t *next, uint32_t *out) {
    uint32_t x = (s[t] & RANDOM_MTGP_MASK) ^ s[t + 1], h = s[t + p->far - 1];
    x ^= x << p->left;
    const uint32_t y = x ^ s[t + p->far] >> p->right;
    *next = y ^ p->table[y & 15];
    h ^= h >> 16;
    h ^= h >> 8;
    *out = *next ^ p->tempering[h & 15];
}
// The first round of a sequence that this call takes of, counted among all sequences' rounds.
SHARED_CODE uint64_t random_mtgp_begin(const struct random_call *c, uint32_t sequence) {
    const uint64_t whole = c->first / RANDOM_MTGP_ROUND, now = whole % c->sequences;
    return whole - now + (sequence < now ? c->sequences : 0) + sequence;
}
SHARED_CODE void random_mtgp_put(const struct random_call *c, int kind, uint64_t round, uint32_t t,
                                 uint32_t word) {
    const uint64_t at = round * RANDOM_MTGP_ROUND + t;
    if (at >= c->first && at - c->first < c->n) random_put_word(c, kind, at - c->first, word);
}
SHARED_CODE int random_mtgp_is_whole(const struct random_call *c, uint64_t round) {
    return (round + 1) * RANDOM_MTGP_ROUND <= c->first + c->n;
}
#ifndef __CUDA__
static inline void random_run_mtgp(const struct random_call *c, int kind, uint32_t sequence) {
    struct random_mtgp *const p = (struct random_mtgp *)(uintptr_t)c->states + sequence;
    for (uint64_t r = random_mtgp_begin(c, sequence); r * RANDOM_MTGP_ROUND < c->first + c->n;
         r += c->sequences) {
        uint32_t next[RANDOM_MTGP_ROUND], word;
        for (uint32_t t = 0; t < RANDOM_MTGP_ROUND; t++) {
            random_mtgp_next(p, p->s, t, &next[t], &word);
            random_mtgp_put(c, kind, r, t, word);
        }
        if (!random_mtgp_is_whole(c, r)) break;
        for (int i = 0; i < RANDOM_MTGP; i++)
            p->s[i] = i + RANDOM_MTGP_ROUND < RANDOM_MTGP
                          ? p->s[i + RANDOM_MTGP_ROUND]
                          : next[i + RANDOM_MTGP_ROUND - RANDOM_MTGP];
    }
}
#endif

#endif
