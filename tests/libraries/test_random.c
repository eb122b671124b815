// cuRAND of our own against published vectors and numbers of other implementations; the device against the host; moments.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

typedef struct generator *generator_t;
int curandCreateGenerator(generator_t *, int), curandCreateGeneratorHost(generator_t *, int), curandDestroyGenerator(generator_t);
int curandSetPseudoRandomGeneratorSeed(generator_t, unsigned long long), curandSetGeneratorOffset(generator_t, unsigned long long);
int curandSetGeneratorOrdering(generator_t, int), curandSetQuasiRandomGeneratorDimensions(generator_t, unsigned);
int curandGenerate(generator_t, uint32_t *, size_t), curandGenerateLongLong(generator_t, unsigned long long *, size_t);
int curandGenerateUniform(generator_t, float *, size_t), curandGenerateUniformDouble(generator_t, double *, size_t);
int curandGenerateNormal(generator_t, float *, size_t, float, float);
int curandGenerateNormalDouble(generator_t, double *, size_t, double, double);
int curandGenerateLogNormal(generator_t, float *, size_t, float, float);
int curandGenerateLogNormalDouble(generator_t, double *, size_t, double, double);
int curandGeneratePoisson(generator_t, uint32_t *, size_t, double), curandGetVersion(int *);
int curandCreatePoissonDistribution(double, CUdeviceptr *), curandDestroyDistribution(CUdeviceptr);
int curandGetDirectionVectors32(uint32_t (**)[32], int), curandGetDirectionVectors64(uint64_t (**)[64], int), curandGetScrambleConstants32(uint32_t **),
    curandGetScrambleConstants64(uint64_t **);

enum { XORWOW = 101, MRG = 121, MTGP = 141, MT = 142, PHILOX = 161, SOBOL32 = 201, SCRAMBLED32 = 202, SOBOL64 = 203, SCRAMBLED64 = 204 };
enum { SEEDED = 102, LEGACY = 103, TYPE_ERROR = 103, OUT_OF_RANGE = 104, NOT_MULTIPLE = 105, ARCH_MISMATCH = 204 };

static int failed;
#define CHECK(what, ...)                                                                           \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            failed++;                                                                              \
            printf("FAILED %s:%d: ", __FILE__, __LINE__);                                          \
            printf(__VA_ARGS__);                                                                   \
            puts("");                                                                              \
        }                                                                                          \
    } while (0)

enum { MOST = 400000 };
static CUdeviceptr device;
static void *host;
static generator_t make(int type, bool on_host) {
    generator_t g = NULL;
    CHECK(!(on_host ? curandCreateGeneratorHost : curandCreateGenerator)(&g, type), "no generator %d", type);
    return g;
}
static void *fetch(size_t bytes) {
    cuMemcpyDtoH(host, device, bytes);
    return host;
}
static const uint32_t *bits(generator_t g, size_t n) {
    CHECK(!curandGenerate(g, (uint32_t *)device, n), "curandGenerate");
    return fetch(n * 4);
}

// ---- sequences --------------------------------------------------------------------------------------
// Random123's kat_vectors: counter 0, key 0. NVIDIA's curand_kernel.h (CUDA 13.0) in a kernel gave the other words of
// 0x123456789abc; ISO C++ says the 10,000th word of MT19937 from seed 5489.
struct word {
    int type, order;
    unsigned long long seed, offset;
    size_t at; // which result of a call
    uint32_t value;
};
#define SEED 0x123456789abcull
static const struct word words[] = {
    {PHILOX, 101, 0, 0, 0, 0x6627e8d5},
    {PHILOX, 101, 0, 0, 1, 0xe169c58d},
    {PHILOX, 101, 0, 0, 2, 0xbc57ac4c},
    {PHILOX, 101, 0, 0, 3, 0x9b00dbd8},
    {MT, 101, 5489, 0, 0, 3499211612u},
    {MT, 101, 5489, 0, 9999, 4123659995u},
    {XORWOW, 101, SEED, 0, 0, 0xd4be75e7},
    {XORWOW, 101, SEED, 0, 1, 0xe7b0900f},
    {XORWOW, LEGACY, SEED, 0, 4095, 0x0ef8ef8f},
    {XORWOW, 101, SEED, 0, 2 * 4096 + 1, 0x73a1a445},
    {XORWOW, 101, SEED, 1000000007ull * 4096 + 7, 0, 0xd214ad6f},
    {MRG, 101, SEED, 0, 0, 0xf834951b},
    {MRG, 101, SEED, 0, 81919, 0xe37c6633},
    {MRG, LEGACY, SEED, 0, 2 * 4096 + 1, 0xede010fe},
    {MRG, 101, SEED, 1000000007ull * 81920 + 7, 0, 0x375033fd},
    {MTGP, LEGACY, SEED, 0, 0, 0x5b00d43e},
    {MTGP, LEGACY, SEED, 0, 256, 0xd564d377},
    {MTGP, LEGACY, SEED, 0, 16383, 0xf0d7b47e},
    {MTGP, LEGACY, SEED, 0, 40000, 0x6346bdf5},
    {MTGP, LEGACY, SEED, 0, 49151, 0x4e8452cf},
    {MTGP, 101, SEED, 0, 16383, 0xf0d7b47e},
    {MTGP, 101, SEED, 0, 192 * 256, 0xed3c7249}, // where the first sequence goes on: word 16384 of 64 sequences
    {PHILOX, 101, SEED, 0, 4, 0xec5cd72c},
    {PHILOX, 101, SEED, 0, 262148, 0xbcc2e48e},
    {PHILOX, LEGACY, SEED, 262143, 0, 0x16f9b70b},
    {PHILOX, LEGACY, SEED, 262144, 262140, 0xc054911a},
};
static void sequences(bool is_small) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const struct word *const w = &words[i];
        if (is_small && w->at > 5000) continue;
        generator_t g = make(w->type, false);
        CHECK(!curandSetPseudoRandomGeneratorSeed(g, w->seed) && !curandSetGeneratorOrdering(g, w->order), "settings");
        if (w->offset) CHECK(!curandSetGeneratorOffset(g, w->offset), "an offset");
        const uint32_t got = bits(g, w->at + 1)[w->at];
        CHECK(got == w->value, "generator %d, result %zu from %llu on: %08x, not %08x", w->type, w->at, w->offset, got, w->value);
        CHECK(!curandDestroyGenerator(g), "destroyed");
    }
}

// Points of SciPy's qmc.Sobol(1024, scramble=False), by dimension and index.
static void points(void) {
    static const struct {
        uint32_t dimension, index, value;
    } of[] = {{0, 5, 3758096384u}, {1, 5, 3758096384u}, {2, 7, 1610612736u}, {100, 777, 3619684352u}, {1023, 1029, 3437232128u}};
    enum { N = 64 };
    generator_t g = make(SOBOL32, false), wide = make(SOBOL64, false);
    CHECK(!curandSetQuasiRandomGeneratorDimensions(g, 1024) && !curandSetQuasiRandomGeneratorDimensions(wide, 1024), "dimensions");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const uint32_t from = of[i].index / N * N, at = of[i].dimension * N + of[i].index % N;
        curandSetGeneratorOffset(g, from);
        curandSetGeneratorOffset(wide, from);
        const uint32_t got = bits(g, 1024 * N)[at];
        CHECK(got == of[i].value, "point %u,%u: %u, not %u", of[i].dimension, of[i].index, got, of[i].value);
        CHECK(!curandGenerateLongLong(wide, (unsigned long long *)device, 1024 * N), "long");
        const uint64_t got64 = ((uint64_t *)fetch(1024 * N * 8))[at];
        CHECK(got64 >> 32 == of[i].value, "long point %u,%u: %llx", of[i].dimension, of[i].index, (unsigned long long)got64);
    }
    CHECK(curandGenerate(g, (uint32_t *)device, 1025) == NOT_MULTIPLE, "a part of a point is given");
    curandDestroyGenerator(g);
    curandDestroyGenerator(wide);
}

// Tables of the interface give the points of scrambled generators by the Gray code; plain ones are SciPy's too, in the last dimensions
// as well. A scrambled sequence fills every box of one 64th of a line, and of the square of the first two dimensions, by its first 64
// points once, as a plain one does.
static void tables(void) {
    enum { MOST_DIMENSIONS = 20000, N = 64 };
    static const struct {
        uint32_t dimension, index, value;
    } of[] = {{100, 777, 3619684352u}, {1024, 515, 3577741312u}, {7777, 1001, 1648361472u}, {19999, 777, 2025848832u}};
    uint32_t(*plain)[32], (*mixed)[32], *constants;
    uint64_t(*plain64)[64], (*mixed64)[64], *constants64;
    CHECK(!curandGetDirectionVectors32(&plain, 101) && !curandGetDirectionVectors32(&mixed, 102) && !curandGetScrambleConstants32(&constants), "tables");
    CHECK(!curandGetDirectionVectors64(&plain64, 103) && !curandGetDirectionVectors64(&mixed64, 104) && !curandGetScrambleConstants64(&constants64),
          "tables");
    CHECK(curandGetDirectionVectors32(&plain, 103) == OUT_OF_RANGE && curandGetDirectionVectors64(&plain64, 102) == OUT_OF_RANGE, "tables of other widths");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        uint32_t x = 0;
        uint64_t x64 = 0;
        for (int k = 0; k < 32; k++)
            if ((of[i].index ^ of[i].index >> 1) >> k & 1) x ^= plain[of[i].dimension][k], x64 ^= plain64[of[i].dimension][k];
        CHECK(x == of[i].value && x64 >> 32 == x, "point %u,%u: %u, not %u", of[i].dimension, of[i].index, x, of[i].value);
    }
    generator_t g = make(SCRAMBLED32, false), wide = make(SCRAMBLED64, false);
    enum { DIMENSIONS = 300 };
    CHECK(!curandSetQuasiRandomGeneratorDimensions(g, MOST_DIMENSIONS) && curandSetQuasiRandomGeneratorDimensions(g, MOST_DIMENSIONS + 1) == OUT_OF_RANGE,
          "dimensions");
    curandSetQuasiRandomGeneratorDimensions(g, DIMENSIONS), curandSetQuasiRandomGeneratorDimensions(wide, DIMENSIONS);
    CHECK(!curandGenerate(g, (uint32_t *)device, DIMENSIONS * N), "bits");
    uint32_t *const got = malloc(DIMENSIONS * N * 4);
    memcpy(got, fetch(DIMENSIONS * N * 4), DIMENSIONS * N * 4);
    CHECK(!curandGenerateLongLong(wide, (unsigned long long *)device, DIMENSIONS * N), "bits");
    const uint64_t *const got64 = fetch(DIMENSIONS * N * 8);
    uint64_t square = 0;
    int moved = 0;
    for (uint32_t d = 0; d < DIMENSIONS; d++) {
        uint64_t line = 0;
        for (uint32_t i = 0; i < N; i++) {
            uint32_t x = constants[d];
            uint64_t x64 = constants64[d];
            for (int k = 0; k < 6; k++)
                if ((i ^ i >> 1) >> k & 1) x ^= mixed[d][k], x64 ^= mixed64[d][k];
            CHECK(got[d * N + i] == x && got64[d * N + i] == x64 && x64 >> 32 == x, "scrambled point %u,%u", d, i);
            line |= 1ull << (x >> 26);
            if (d == 1) square |= 1ull << (x >> 29 << 3 | got[i] >> 29);
        }
        moved += mixed[d][5] != plain[d][5];
        CHECK(line == UINT64_MAX, "dimension %u: boxes %llx", d, (unsigned long long)line);
    }
    CHECK(square == UINT64_MAX && moved > DIMENSIONS / 2, "boxes of the square %llx, %d directions scrambled", (unsigned long long)square, moved);
    free(got);
    curandDestroyGenerator(g), curandDestroyGenerator(wide);
}

// ---- distributions ----------------------------------------------------------------------------------
enum kind { UNIFORM, UNIFORM64, NORMAL, NORMAL64, LOG, LOG64, POISSON, POISSON_LARGE, KINDS };
static int ask(generator_t g, enum kind k, void *out, size_t n) {
    switch (k) {
    case UNIFORM: return curandGenerateUniform(g, out, n);
    case UNIFORM64: return curandGenerateUniformDouble(g, out, n);
    case NORMAL: return curandGenerateNormal(g, out, n, 2, 3);
    case NORMAL64: return curandGenerateNormalDouble(g, out, n, 2, 3);
    case LOG: return curandGenerateLogNormal(g, out, n, 0.25f, 0.5f);
    case LOG64: return curandGenerateLogNormalDouble(g, out, n, 0.25, 0.5);
    case POISSON: return curandGeneratePoisson(g, out, n, 3.5);
    default: return curandGeneratePoisson(g, out, n, 5000);
    }
}
static double at(enum kind k, const void *p, size_t i) {
    return k >= POISSON ? ((const uint32_t *)p)[i] : k % 2 ? ((const double *)p)[i] : (double)((const float *)p)[i];
}
static const struct {
    double mean, variance;
} moments[KINDS] = {{0.5, 1 / 12.}, {0.5, 1 / 12.}, {2, 9}, {2, 9}, {1.4549914146182013, 0.60128182},
                    {1.4549914146182013, 0.60128182}, {3.5, 3.5}, {5000, 5000}};

// What the device gives is what the host gives, in one call or in several, up to the rounding of functions; and it has the
// distribution's mean and variance.
static void distributions(int type, size_t n) {
    void *const other = malloc(n * 8);
    for (enum kind k = 0; k < KINDS; k++) {
        generator_t g = make(type, false), h = make(type, true);
        const size_t each = k >= POISSON || k % 2 == 0 ? 4 : 8, first = n / 3 / 2 * 2;
        if (type < SOBOL32) {
            curandSetPseudoRandomGeneratorSeed(g, 77);
            curandSetPseudoRandomGeneratorSeed(h, 77);
        }
        CHECK(!ask(g, k, (void *)device, first) && !ask(g, k, (void *)(device + first * each), n - first), "kind %d of %d", k, type);
        CHECK(!ask(h, k, other, n), "kind %d of %d on the host", k, type);
        fetch(n * each);
        double sum = 0, square = 0, most = 0;
        for (size_t i = 0; i < n; i++) {
            const double a = at(k, host, i), b = at(k, other, i), off = fabs(a - b) / (1 + fabs(b));
            if (!(off <= most)) most = off;
            sum += a;
            square += (a - moments[k].mean) * (a - moments[k].mean);
        }
        const double bound = k >= POISSON ? 0 : k % 2 ? 0x1p-46 : 0x1p-18, mean = sum / (double)n, variance = square / (double)n;
        CHECK(most <= bound, "kind %d of %d: device and host are %g apart", k, type, most);
        const double error = 5 * sqrt(moments[k].variance / (double)n);
        CHECK(fabs(mean - moments[k].mean) < error, "kind %d of %d: mean %g", k, type, mean);
        CHECK(fabs(variance / moments[k].variance - 1) < 20 / sqrt((double)n), "kind %d of %d: variance %g", k, type, variance);
        curandDestroyGenerator(g);
        curandDestroyGenerator(h);
    }
    free(other);
}

// Numbers of curand_normal2, curand_normal2_double and so on in curand_kernel.h: seed 5, sequence 3.
static void numbers(void) {
    static const struct {
        int type;
        float normal[2], unit;
        double normal64[2], unit64;
    } of[] = {
        {XORWOW, {-0.694177389f, 1.41064477f}, 0.0545785055f, {0.50634241270818758, -1.6667926016463037}, 0.75653273341580984},
        {MRG, {0.312001735f, 0.231881127f}, 0.0151192285f, {0.56462482174078465, 1.7094776796873778}, 0.20724530269258384},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        // one call after another: each takes on where the last one left sequence 3
        generator_t g = make(of[i].type, false);
        curandSetPseudoRandomGeneratorSeed(g, 5);
        curandSetGeneratorOrdering(g, LEGACY);
        curandGenerateNormal(g, (float *)device, 2 * 4096, 0, 1);
        const float *f = fetch(8 * 4);
        CHECK(fabsf(f[6] - of[i].normal[0]) < 1e-6f && fabsf(f[7] - of[i].normal[1]) < 1e-6f, "%g %g", f[6], f[7]);
        curandGenerateNormalDouble(g, (double *)device, 2 * 4096, 0, 1);
        const double *d = fetch(8 * 8);
        CHECK(fabs(d[6] - of[i].normal64[0]) < 1e-14 && fabs(d[7] - of[i].normal64[1]) < 1e-14, "%.17g %.17g", d[6], d[7]);
        curandGenerateUniformDouble(g, (double *)device, 4096);
        d = fetch(4 * 8);
        CHECK(d[3] == of[i].unit64, "%.17g, not %.17g", d[3], of[i].unit64);
        curandGenerateUniform(g, (float *)device, 4096);
        f = fetch(4 * 4);
        CHECK(f[3] == of[i].unit, "%.9g, not %.9g", f[3], of[i].unit);
        curandDestroyGenerator(g);
    }
    // MTGP32, by curand_normal and so on after three rounds of 64 sequences: one word for each; half a round breaks nothing
    generator_t m = make(MTGP, false);
    curandSetPseudoRandomGeneratorSeed(m, SEED);
    curandSetGeneratorOrdering(m, LEGACY);
    enum { ROUND = 64 * 256 };
    CHECK(!curandGenerate(m, (uint32_t *)device, 2 * ROUND + 100) && !curandGenerate(m, (uint32_t *)device, ROUND - 100), "bits in two calls");
    CHECK(!curandGenerateNormal(m, (float *)device, ROUND, 0, 1), "normal");
    const float *const mf = fetch(ROUND * 4);
    CHECK(fabsf(mf[0] + 0.868708074f) < 1e-6f && fabsf(mf[ROUND - 1] + 0.232185766f) < 1e-6f, "%.9g %.9g", mf[0], mf[ROUND - 1]);
    CHECK(!curandGenerateNormalDouble(m, (double *)device, ROUND, 0, 1), "normal");
    const double *const md = fetch(ROUND * 8);
    CHECK(fabs(md[0] + 1.5552063977596704) < 1e-14 && fabs(md[ROUND - 1] + 0.38090785463733845) < 1e-14, "%.17g %.17g", md[0], md[ROUND - 1]);
    CHECK(!curandGenerateUniform(m, (float *)device, ROUND) && ((float *)fetch(ROUND * 4))[5] == 0.629580855f, "uniform");
    CHECK(!curandGenerateUniformDouble(m, (double *)device, ROUND) && ((double *)fetch(ROUND * 8))[5] == 0.75298649584874511, "uniform");
    CHECK(curandSetGeneratorOffset(m, 1) == TYPE_ERROR, "an offset of MTGP32");
    curandDestroyGenerator(m);
    // the normal quantile, by SciPy's ndtri: points 1/2 and 3/4 of Sobol's first dimension and a later one
    generator_t g = make(SOBOL64, false);
    curandGenerateNormalDouble(g, (double *)device, 4, 0, 1);
    const double *const d = fetch(32);
    CHECK(fabs(d[1]) < 1e-15 && fabs(d[2] - 0.6744897501960817) < 1e-14 && fabs(d[0] + 8.292361075813595) < 1e-13, "%.17g %.17g %.17g",
          d[0], d[1], d[2]);
    curandDestroyGenerator(g);
}

// Probabilities of Poisson's numbers: chi squared over 0 to 12, with 12 degrees of freedom.
static void poisson(size_t n) {
    generator_t g = make(PHILOX, false);
    double count[14] = {0}, p = exp(-3.5), rest = 1, chi = 0;
    curandGeneratePoisson(g, (uint32_t *)device, n, 3.5);
    const uint32_t *const x = fetch(n * 4);
    for (size_t i = 0; i < n; i++) count[x[i] < 13 ? x[i] : 13]++;
    for (int k = 0; k < 13; k++) {
        chi += (count[k] - p * (double)n) * (count[k] - p * (double)n) / (p * (double)n);
        rest -= p;
        p *= 3.5 / (k + 1);
    }
    chi += (count[13] - rest * (double)n) * (count[13] - rest * (double)n) / (rest * (double)n);
    CHECK(chi < 40, "chi squared is %g", chi);
    CHECK(curandGeneratePoisson(g, (uint32_t *)device, 4, 0) == OUT_OF_RANGE, "lambda of 0");
    CUdeviceptr table;
    CHECK(!curandCreatePoissonDistribution(3.5, &table) && !curandDestroyDistribution(table), "a table");
    curandDestroyGenerator(g);
}

static void refusals(void) {
    generator_t g = make(XORWOW, false);
    int v = 0;
    CHECK(curandGenerateNormal(g, (float *)device, 3, 0, 1) == NOT_MULTIPLE, "half a pair");
    CHECK(curandGenerateLongLong(g, (unsigned long long *)device, 4) == TYPE_ERROR, "long words of XORWOW");
    CHECK(curandSetQuasiRandomGeneratorDimensions(g, 2) == TYPE_ERROR, "dimensions of XORWOW");
    CHECK(curandSetGeneratorOrdering(g, 201) == OUT_OF_RANGE, "an order of quasi random numbers");
    CHECK(!curandGetVersion(&v) && v == 10900, "version %d", v);
    CHECK(!curandDestroyGenerator(g), "destroyed");
    CHECK(curandCreateGenerator(&g, 7) == TYPE_ERROR, "a generator 7");
    CHECK(curandDestroyGenerator(NULL) == 101, "nothing is destroyed");
}

// With `refused`: one that is not here. With another argument: the short part.
int main(int argc, char **argv) {
    generator_t g;
    if (argc > 1 && !strcmp(argv[1], "refused")) return curandCreateGenerator(&g, XORWOW) || curandSetGeneratorOrdering(g, SEEDED) != ARCH_MISMATCH;
    const bool is_small = argc > 1;
    const size_t n = is_small ? 2000 : 30000;
    if (curandCreateGenerator(&g, XORWOW)) return puts("no generator"), 1;
    curandDestroyGenerator(g);
    host = malloc(MOST * 8);
    cuMemAlloc(&device, MOST * 8);
    sequences(is_small);
    numbers();
    refusals();
    if (!is_small) {
        points();
        tables();
        poisson(200000);
        static const int types[] = {XORWOW, MRG, MTGP, MT, PHILOX, SOBOL32, SOBOL64, SCRAMBLED32, SCRAMBLED64};
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) distributions(types[i], n);
    }
    return failed ? 1 : 0;
}
