// cuRAND of our own: entry points by the vendor's documented interface (cuRAND 10: CUDA 11.8 to 13). Kernels are
// random/random.cu; generators of the host run the same functions here.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas/blas.h"
#include "states.h"

typedef enum {
    RAND_SUCCESS = 0,
    RAND_NOT_INITIALIZED = 101,
    RAND_ALLOCATION_FAILED = 102,
    RAND_TYPE_ERROR = 103,
    RAND_OUT_OF_RANGE = 104,
    RAND_LENGTH_NOT_MULTIPLE = 105,
    RAND_LAUNCH_FAILURE = 201,
    RAND_INITIALIZATION_FAILED = 203,
    RAND_ARCH_MISMATCH = 204,
} rand_status;

// curandOrdering_t
enum {
    ORDER_BEST = 100,
    ORDER_DEFAULT = 101,
    ORDER_SEEDED = 102,
    ORDER_LEGACY = 103,
    ORDER_DYNAMIC = 104,
    ORDER_QUASI = 201
};

// A row for each generator that is here: its number of the interface, sequences by default and in the order "legacy" (0: no
// visits in turn), results of a visit (0: as many as the kind of number has), bytes of a state.
enum generator_kind {
    XORWOW,
    MRG,
    MTGP,
    MT,
    PHILOX,
    SOBOL32,
    SOBOL64,
    SCRAMBLED32,
    SCRAMBLED64,
    GENERATORS
};
static const struct {
    int number;
    const char *name;
    uint32_t sequences, legacy, visit, state;
} generators[GENERATORS] = {
    [XORWOW] = {101, "xorwow", 4096, 4096, 0, sizeof(struct random_xorwow)},
    [MRG] = {121, "mrg", 81920, 4096, 0, sizeof(struct random_mrg)},
    [MTGP] = {141, "mtgp", 192, 64, 1, sizeof(struct random_mtgp)},
    [MT] = {142, "mt", 0, 0, 0, 4},
    [PHILOX] = {161, "philox", 65536, 65536, 4, 0},
    [SOBOL32] = {201, "sobol32", 0, 0, 1, 32 * 4},
    [SOBOL64] = {203, "sobol64", 0, 0, 1, 64 * 8},
    [SCRAMBLED32] = {202, "sobol32", 0, 0, 1, 33 * 4}, // with its constant
    [SCRAMBLED64] = {204, "sobol64", 0, 0, 1, 65 * 8},
};
static bool is_quasi(enum generator_kind k) { return k >= SOBOL32; }
static bool is_scrambled(enum generator_kind k) { return k == SCRAMBLED32 || k == SCRAMBLED64; }
static bool is_wide(enum generator_kind k) { return k == SOBOL64 || k == SCRAMBLED64; }

enum { TAG = 0x646e6172 };
struct generator {
    uint32_t tag;
    enum generator_kind kind;
    int order;
    bool is_host, is_ready;
    uint64_t seed, offset;
    uint32_t dimensions;
    CUstream stream;
    struct blas_handle *device; // context and kernels; NULL on the host
    // where the sequences are, once ready
    void *states;          // on the host
    CUdeviceptr on_device; // or on the device
    struct random_call at; // first, word, begin, skipped, sequences
    int last;              // the kind of number that was asked for last
    CUdeviceptr words;     // of MT19937 for a call
    size_t words_bytes;
    double lambda; // that the table is for; 0: none
    struct poisson_table table;
    CUdeviceptr table_on_device;
};

static bool is_generator(const struct generator *g) { return g && g->tag == TAG; }
static rand_status rand_of(int status) {
    switch (status) {
    case CUBLAS_SUCCESS: return RAND_SUCCESS;
    case CUBLAS_ALLOC_FAILED: return RAND_ALLOCATION_FAILED;
    case CUBLAS_NOT_INITIALIZED: return RAND_INITIALIZATION_FAILED;
    default: return RAND_LAUNCH_FAILURE;
    }
}

// ---- a generator's life ---------------------------------------------------------------------------
static rand_status create(struct generator **out, int number, bool is_host) {
    if (!out) return RAND_OUT_OF_RANGE;
    if (number == 100) number = 101; // the default ones
    if (number == 200) number = 201;
    int kind = 0;
    while (kind < GENERATORS && generators[kind].number != number) kind++;
    if (kind == GENERATORS) return RAND_TYPE_ERROR;
    struct generator *const g = calloc(1, sizeof *g);
    if (!g) return RAND_ALLOCATION_FAILED;
    if (!is_host) {
        const blas_status s = blas_handle_new(&g->device);
        if (s) {
            free(g);
            return RAND_INITIALIZATION_FAILED;
        }
    }
    g->tag = TAG;
    g->kind = (enum generator_kind)kind;
    g->is_host = is_host;
    g->order = is_quasi(g->kind) ? ORDER_QUASI : ORDER_DEFAULT;
    g->dimensions = 1;
    *out = g;
    return RAND_SUCCESS;
}
BLAS_API int curandCreateGenerator(struct generator **out, int number);
int curandCreateGenerator(struct generator **out, int number) {
    return (int)create(out, number, false);
}
BLAS_API int curandCreateGeneratorHost(struct generator **out, int number);
int curandCreateGeneratorHost(struct generator **out, int number) {
    return (int)create(out, number, true);
}

static void forget_states(struct generator *g) {
    free(g->states);
    g->states = NULL;
    if (g->on_device) cuMemFree_v2(g->on_device);
    g->on_device = 0;
    g->is_ready = false;
}
BLAS_API int curandDestroyGenerator(struct generator *g);
int curandDestroyGenerator(struct generator *g) {
    if (!is_generator(g)) return RAND_NOT_INITIALIZED;
    if (g->device) cuStreamSynchronize(g->stream);
    forget_states(g);
    poisson_table_free(&g->table);
    if (g->table_on_device) cuMemFree_v2(g->table_on_device);
    if (g->words) cuMemFree_v2(g->words);
    if (g->device) blas_handle_delete(g->device);
    g->tag = 0;
    free(g);
    return RAND_SUCCESS;
}

// ---- settings -------------------------------------------------------------------------------------
BLAS_API int curandSetStream(struct generator *g, CUstream stream);
int curandSetStream(struct generator *g, CUstream stream) {
    if (!is_generator(g)) return RAND_NOT_INITIALIZED;
    g->stream = stream;
    return RAND_SUCCESS;
}
BLAS_API int curandSetPseudoRandomGeneratorSeed(struct generator *g, unsigned long long seed);
int curandSetPseudoRandomGeneratorSeed(struct generator *g, unsigned long long seed) {
    if (!is_generator(g)) return RAND_NOT_INITIALIZED;
    if (is_quasi(g->kind)) return RAND_TYPE_ERROR;
    g->seed = seed;
    forget_states(g);
    return RAND_SUCCESS;
}
BLAS_API int curandSetGeneratorOffset(struct generator *g, unsigned long long offset);
int curandSetGeneratorOffset(struct generator *g, unsigned long long offset) {
    if (!is_generator(g)) return RAND_NOT_INITIALIZED;
    if (g->kind == MT || g->kind == MTGP) return RAND_TYPE_ERROR; // documented: they have none
    g->offset = offset;
    forget_states(g);
    return RAND_SUCCESS;
}
BLAS_API int curandSetGeneratorOrdering(struct generator *g, int order);
int curandSetGeneratorOrdering(struct generator *g, int order) {
    if (!is_generator(g)) return RAND_NOT_INITIALIZED;
    if (is_quasi(g->kind) ? order != ORDER_QUASI : order < ORDER_BEST || order > ORDER_DYNAMIC)
        return RAND_OUT_OF_RANGE;
    if (g->is_host && (order == ORDER_DYNAMIC || (order == ORDER_BEST && g->kind == MT)))
        return RAND_OUT_OF_RANGE;
    if (order == ORDER_SEEDED) {
        blas_refuse("curandSetGeneratorOrdering",
                    "how CURAND_ORDERING_PSEUDO_SEEDED makes seeds of a seed is not public");
        return RAND_ARCH_MISMATCH;
    }
    g->order = order;
    forget_states(g);
    return RAND_SUCCESS;
}
BLAS_API int curandSetQuasiRandomGeneratorDimensions(struct generator *g, unsigned dimensions);
int curandSetQuasiRandomGeneratorDimensions(struct generator *g, unsigned dimensions) {
    if (!is_generator(g)) return RAND_NOT_INITIALIZED;
    if (!is_quasi(g->kind)) return RAND_TYPE_ERROR;
    if (dimensions < 1 || dimensions > SOBOL_DIMENSIONS) return RAND_OUT_OF_RANGE;
    g->dimensions = dimensions;
    forget_states(g);
    return RAND_SUCCESS;
}

// cuRAND 10 is that of CUDA 11.8 to 13.
static const int version[3] = {LIBRARY_MAJOR, LIBRARY_MINOR, 0};
BLAS_API int curandGetVersion(int *out);
int curandGetVersion(int *out) {
    if (!out) return RAND_OUT_OF_RANGE;
    *out = version[0] * 1000 + version[1] * 100 + version[2];
    return RAND_SUCCESS;
}
BLAS_API int curandGetProperty(int which, int *out);
int curandGetProperty(int which, int *out) {
    if (which < 0 || which > 2 || !out) return RAND_OUT_OF_RANGE;
    *out = version[which];
    return RAND_SUCCESS;
}

// ---- states ---------------------------------------------------------------------------------------
// Bytes from directions to constants.
static size_t constants_at(const struct generator *g) {
    return (size_t)g->dimensions * (is_wide(g->kind) ? 64 * 8 : 32 * 4);
}
static rand_status make_ready(struct generator *g) {
    if (g->is_ready) return RAND_SUCCESS;
    const enum generator_kind k = g->kind;
    const uint32_t sequences =
        g->order == ORDER_LEGACY ? generators[k].legacy : generators[k].sequences;
    const size_t count = is_quasi(k) ? g->dimensions : k == MT ? RANDOM_MT : sequences;
    const size_t bytes = count * generators[k].state;
    g->at =
        (struct random_call){.sequences = sequences, .dimensions = g->dimensions, .key = g->seed};
    g->last = -1;
    g->states = malloc(bytes ? bytes : 1);
    if (!g->states) return RAND_ALLOCATION_FAILED;
    switch (k) {
    case XORWOW: states_xorwow(g->states, sequences, g->seed, g->offset); break;
    case MRG: states_mrg(g->states, sequences, g->seed, g->offset); break;
    case MTGP: states_mtgp(g->states, sequences, g->seed); break;
    case MT:
        states_mt(g->states, (uint32_t)g->seed);
        g->at.first = RANDOM_MT; // all words of the state are taken: it is the seed's
        break;
    case PHILOX:
        g->at.word = g->offset / 4 / sequences * 4;
        g->at.skipped = (uint32_t)(g->offset % 4);
        break;
    case SOBOL32:
    case SOBOL64:
    case SCRAMBLED32:
    case SCRAMBLED64:
        states_sobol(g->states, g->dimensions, is_wide(k), is_scrambled(k));
        if (is_scrambled(k))
            states_sobol_constants((char *)g->states + constants_at(g), g->dimensions, is_wide(k));
        g->at.first = g->offset;
        break;
    case GENERATORS: break;
    }
    if (sequences) g->at.begin = (uint32_t)((k == PHILOX ? g->offset / 4 : g->offset) % sequences);
    if (!g->is_host && bytes) {
        CUresult r = cuMemAlloc_v2(&g->on_device, bytes);
        if (r == CUDA_SUCCESS) r = cuMemcpyHtoD_v2(g->on_device, g->states, bytes);
        free(g->states);
        g->states = NULL;
        if (r != CUDA_SUCCESS) return rand_of((int)blas_of(r));
    }
    g->is_ready = true;
    return RAND_SUCCESS;
}
BLAS_API int curandGenerateSeeds(struct generator *g);
int curandGenerateSeeds(struct generator *g) {
    return is_generator(g) ? (int)make_ready(g) : RAND_NOT_INITIALIZED;
}

// ---- Poisson's table on the device ------------------------------------------------------------------
// What curand_discrete.h declares, so that a program's own kernels can draw from it by curand_discrete(): the buffer begins with
// the distribution.
struct device_poisson {
    uint64_t self, m2, host_m2;
    double deviation, mean;
    uint32_t method, host_generator;
    struct {
        uint64_t histogram, host_histogram;
        uint32_t shift, length, host_generator, pad;
    } shifted;
    struct {
        uint64_t least, host_least, other, host_other;
        uint32_t host_generator, pad;
    } histogram;
};
enum { METHOD_M2 = 5 }; // curandMethod_t
static uint64_t table_least(CUdeviceptr base) { return base + sizeof(struct device_poisson); }
static uint64_t table_other(CUdeviceptr base, uint32_t length) {
    return table_least(base) + (length + 1) * sizeof(double);
}
static CUresult table_upload(const struct poisson_table *t, double lambda, CUdeviceptr *out) {
    const size_t columns = (size_t)t->length + 1;
    CUdeviceptr base = 0;
    CUresult r = cuMemAlloc_v2(&base, sizeof(struct device_poisson) +
                                          columns * (sizeof(double) + sizeof(uint32_t)));
    if (r != CUDA_SUCCESS) return r;
    struct device_poisson d = {.m2 = base + offsetof(struct device_poisson, shifted),
                               .deviation = sqrt(lambda),
                               .mean = lambda,
                               .method = METHOD_M2};
    d.shifted.histogram = base + offsetof(struct device_poisson, histogram);
    d.shifted.shift = t->shift;
    d.shifted.length = t->length;
    d.histogram.least = table_least(base);
    d.histogram.other = table_other(base, t->length);
    r = cuMemcpyHtoD_v2(base, &d, sizeof d);
    if (r == CUDA_SUCCESS)
        r = cuMemcpyHtoD_v2(d.histogram.least, t->least, columns * sizeof(double));
    if (r == CUDA_SUCCESS)
        r = cuMemcpyHtoD_v2(d.histogram.other, t->other, columns * sizeof(uint32_t));
    if (r != CUDA_SUCCESS)
        cuMemFree_v2(base);
    else
        *out = base;
    return r;
}
static bool is_lambda(double lambda) { return lambda > 0 && lambda <= 400000; } // as documented

BLAS_API int curandCreatePoissonDistribution(double lambda, CUdeviceptr *out);
int curandCreatePoissonDistribution(double lambda, CUdeviceptr *out) {
    if (!out) return RAND_NOT_INITIALIZED;
    if (!is_lambda(lambda)) return RAND_OUT_OF_RANGE;
    struct blas_handle *h; // for its context
    struct poisson_table t;
    if (blas_handle_new(&h)) return RAND_INITIALIZATION_FAILED;
    blas_handle_delete(h);
    if (!poisson_table_make(&t, lambda)) return RAND_ALLOCATION_FAILED;
    const CUresult r = table_upload(&t, lambda, out);
    poisson_table_free(&t);
    return (int)rand_of((int)blas_of(r));
}
BLAS_API int curandDestroyDistribution(CUdeviceptr distribution);
int curandDestroyDistribution(CUdeviceptr distribution) {
    return distribution && cuMemFree_v2(distribution) == CUDA_SUCCESS ? RAND_SUCCESS
                                                                      : RAND_NOT_INITIALIZED;
}
static rand_status need_table(struct generator *g, double lambda, struct random_call *c) {
    if (g->lambda != lambda) {
        if (g->device) cuStreamSynchronize(g->stream);
        poisson_table_free(&g->table);
        if (g->table_on_device) cuMemFree_v2(g->table_on_device);
        g->table_on_device = 0;
        g->lambda = 0;
        if (!poisson_table_make(&g->table, lambda)) return RAND_ALLOCATION_FAILED;
        const CUresult r =
            g->is_host ? CUDA_SUCCESS : table_upload(&g->table, lambda, &g->table_on_device);
        if (r != CUDA_SUCCESS) return rand_of((int)blas_of(r));
        g->lambda = lambda;
    }
    c->length = g->table.length;
    c->shift = g->table.shift;
    c->least = g->is_host ? (uintptr_t)g->table.least : table_least(g->table_on_device);
    c->other = g->is_host ? (uintptr_t)g->table.other : table_other(g->table_on_device, c->length);
    return RAND_SUCCESS;
}

// ---- generation -----------------------------------------------------------------------------------
static void run_on_host(const struct generator *g, const struct random_call *c, int kind) {
    const uint64_t items = c->sequences    ? c->sequences
                           : g->kind == MT ? c->n / (uint64_t)random_results_of(kind)
                                           : c->n;
    for (uint64_t i = 0; i < items; i++) switch (g->kind) {
        case XORWOW: random_run_xorwow(c, kind, (uint32_t)i); break;
        case MRG: random_run_mrg(c, kind, (uint32_t)i); break;
        case MTGP: random_run_mtgp(c, kind, (uint32_t)i); break;
        case PHILOX: random_run_philox(c, kind, (uint32_t)i); break;
        case MT: random_run_mt(c, kind, i); break;
        case SOBOL32:
        case SCRAMBLED32: random_run_sobol32(c, kind, i); break;
        case SOBOL64:
        case SCRAMBLED64: random_run_sobol64(c, kind, i); break;
        case GENERATORS: break;
        }
}
static rand_status run_on_device(struct generator *g, const struct random_call *c, const char *name,
                                 uint64_t items) {
    enum { THREADS = 64, MOST = 65535 };    // blocks as small, so that 4,096 sequences reach 64 SMs
    const bool has_block = g->kind == MTGP; // a sequence
    const uint32_t threads = has_block ? RANDOM_MTGP_ROUND : THREADS;
    const uint64_t blocks = has_block ? items : (items + THREADS - 1) / THREADS;
    CUfunction kernel;
    blas_status s = blas_kernel(g->device, BLAS_random, name, &kernel);
    if (!s)
        s = blas_launch(kernel, (const uint32_t[3]){blocks > MOST ? MOST : (uint32_t)blocks, 1, 1},
                        threads, c, sizeof *c, g->stream);
    return rand_of((int)s);
}

// The next `n` words of MT19937, into a buffer that the call frees or the generator keeps.
static rand_status mt_words(struct generator *g, uint64_t n, void **host, struct random_call *c) {
    if (g->is_host) {
        uint32_t *const state = g->states, *const out = malloc((n ? n : 1) * sizeof *out);
        if (!out) return RAND_ALLOCATION_FAILED;
        for (uint64_t i = 0; i < n; i++) {
            if (g->at.first == RANDOM_MT) {
                for (int k = 0; k < RANDOM_MT; k++)
                    state[k] = random_mt_mix(state[k], state[(k + 1) % RANDOM_MT],
                                             state[(k + RANDOM_MT_FAR) % RANDOM_MT]);
                g->at.first = 0;
            }
            out[i] = random_mt_temper(state[g->at.first++]);
        }
        *host = out;
        c->states = (uintptr_t)out;
        return RAND_SUCCESS;
    }
    if (g->words_bytes < n * 4) {
        cuStreamSynchronize(g->stream);
        if (g->words) cuMemFree_v2(g->words);
        g->words = 0;
        g->words_bytes = 0;
        if (cuMemAlloc_v2(&g->words, n * 4) != CUDA_SUCCESS) return RAND_ALLOCATION_FAILED;
        g->words_bytes = n * 4;
    }
    const struct random_call w = {
        .out = g->words, .n = n, .states = g->on_device, .first = g->at.first};
    CUfunction kernel;
    blas_status s = blas_kernel(g->device, BLAS_random, "mt_words", &kernel);
    if (!s) s = blas_launch(kernel, (const uint32_t[3]){1, 1, 1}, 256, &w, sizeof w, g->stream);
    // words of the state that are taken: 1 to 624
    if (n) g->at.first = (g->at.first + n - 1) % RANDOM_MT + 1;
    c->states = g->words;
    return rand_of((int)s);
}

// After another kind of number Philox begins with whole visits, so that no word is taken twice; the other generators keep a
// state for each sequence.
static void change_kind(struct generator *g, int kind) {
    struct random_call *const at = &g->at;
    if (g->kind != PHILOX || g->last == kind) return;
    if (g->last >= 0) {
        const uint32_t before = (uint32_t)(random_words_of(g->last) / random_results_of(g->last));
        const uint32_t after = (uint32_t)(random_words_of(kind) / random_results_of(kind));
        if (at->skipped) at->first++;
        at->skipped = 0;
        if (before != after) {
            at->word += (at->first + at->sequences - 1) / at->sequences * before * 4;
            at->first = 0;
        }
    }
    g->last = kind;
}

static int generate(struct generator *g, int kind, void *out, size_t n, double mean,
                    double deviation, bool is_wide_bits) {
#define KIND(name, words, results) #name,
    static const char *const kind_name[] = {RANDOM_KINDS(KIND)};
#undef KIND
    if (!is_generator(g)) return RAND_NOT_INITIALIZED;
    const uint64_t results = (uint64_t)random_results_of(kind);
    if (is_quasi(g->kind) ? n % g->dimensions : n % results) return RAND_LENGTH_NOT_MULTIPLE;
    if (kind == RANDOM_bits && is_wide_bits != is_wide(g->kind)) return RAND_TYPE_ERROR;
    if (kind == RANDOM_poisson && !is_lambda(mean)) return RAND_OUT_OF_RANGE;
    rand_status s = make_ready(g);
    if (s) return (int)s;
    if (!n) return RAND_SUCCESS;
    change_kind(g, kind);
    struct random_call c = g->at;
    c.out = (uintptr_t)out;
    c.n = n;
    c.states = g->is_host ? (uintptr_t)g->states : g->on_device;
    if (is_scrambled(g->kind)) c.key = c.states + constants_at(g);
    c.mean = mean;
    c.deviation = deviation;
    if (kind == RANDOM_poisson) s = need_table(g, mean, &c);
    void *words = NULL;
    if (!s && g->kind == MT)
        s = mt_words(g, n / results * (uint64_t)random_words_of(kind), &words, &c);
    if (!s && g->is_host) run_on_host(g, &c, kind);
    if (!s && !g->is_host) {
        char name[40];
        snprintf(name, sizeof name, "%s_%s", generators[g->kind].name, kind_name[kind]);
        s = run_on_device(g, &c, name, c.sequences ? c.sequences : g->kind == MT ? n / results : n);
    }
    free(words);
    if (s) return (int)s;
    if (g->kind == PHILOX) {
        g->at.first += (g->at.skipped + n) / 4;
        g->at.skipped = (uint32_t)((g->at.skipped + n) % 4);
    } else if (is_quasi(g->kind)) {
        g->at.first += n / g->dimensions;
    } else if (g->kind == MTGP) {
        g->at.first += n;
    } else if (g->kind != MT) {
        g->at.first += n / results;
    }
    return RAND_SUCCESS;
}

#define GENERATE(name, kind, T, is_wide)                                                           \
    BLAS_API int curandGenerate##name(struct generator *g, T *out, size_t n);                      \
    int curandGenerate##name(struct generator *g, T *out, size_t n) {                              \
        return generate(g, kind, out, n, 0, 0, is_wide);                                           \
    }
GENERATE(, RANDOM_bits, unsigned, false)
GENERATE(LongLong, RANDOM_bits, unsigned long long, true)
GENERATE(Uniform, RANDOM_uniform, float, false)
GENERATE(UniformDouble, RANDOM_uniform_double, double, false)
#define GENERATE_NORMAL(name, kind, T)                                                             \
    BLAS_API int curandGenerate##name(struct generator *g, T *out, size_t n, T mean, T deviation); \
    int curandGenerate##name(struct generator *g, T *out, size_t n, T mean, T deviation) {         \
        return generate(g, kind, out, n, (double)mean, (double)deviation, false);                  \
    }
GENERATE_NORMAL(Normal, RANDOM_normal, float)
GENERATE_NORMAL(NormalDouble, RANDOM_normal_double, double)
GENERATE_NORMAL(LogNormal, RANDOM_log_normal, float)
GENERATE_NORMAL(LogNormalDouble, RANDOM_log_normal_double, double)
BLAS_API int curandGeneratePoisson(struct generator *g, unsigned *out, size_t n, double lambda);
int curandGeneratePoisson(struct generator *g, unsigned *out, size_t n, double lambda) {
    return generate(g, RANDOM_poisson, out, n, lambda, 0, false);
}
BLAS_API int curandGeneratePoissonMethod(struct generator *g, unsigned *out, size_t n,
                                         double lambda, int method);
int curandGeneratePoissonMethod(struct generator *g, unsigned *out, size_t n, double lambda,
                                int method) {
    (void)method; // every method has the same distribution
    return generate(g, RANDOM_poisson, out, n, lambda, 0, false);
}

// ---- tables for a program's own kernels ---------------------------------------------------------------
// Directions and constants of all dimensions, made when the first program asks for them.
enum table {
    DIRECTIONS32,
    SCRAMBLED_DIRECTIONS32,
    DIRECTIONS64,
    SCRAMBLED_DIRECTIONS64,
    CONSTANTS32,
    CONSTANTS64,
    TABLES
};
static pthread_mutex_t tables_lock = PTHREAD_MUTEX_INITIALIZER;
static void *tables[TABLES];

static int table_of(enum table which, void **out) {
    const bool wide =
                   which == DIRECTIONS64 || which == SCRAMBLED_DIRECTIONS64 || which == CONSTANTS64,
               has_constants = which >= CONSTANTS32;
    const size_t word = wide ? 8 : 4, each = has_constants ? 1 : wide ? 64 : 32;
    pthread_mutex_lock(&tables_lock);
    if (!tables[which] && (tables[which] = malloc(SOBOL_DIMENSIONS * each * word)) != NULL) {
        if (has_constants)
            states_sobol_constants(tables[which], SOBOL_DIMENSIONS, wide);
        else
            states_sobol(tables[which], SOBOL_DIMENSIONS, wide,
                         which == SCRAMBLED_DIRECTIONS32 || which == SCRAMBLED_DIRECTIONS64);
    }
    *out = tables[which];
    pthread_mutex_unlock(&tables_lock);
    return *out ? RAND_SUCCESS : RAND_ALLOCATION_FAILED;
}
// curandDirectionVectorSet_t counts the sets from 101 on.
enum { SET_FIRST = 101 };
#define DIRECTIONS(bits, T, plain)                                                                 \
    BLAS_API int curandGetDirectionVectors##bits(T(**out)[bits], int set);                         \
    int curandGetDirectionVectors##bits(T(**out)[bits], int set) {                                 \
        if (!out || (set - SET_FIRST != (plain) && set - SET_FIRST != (plain) + 1))                \
            return RAND_OUT_OF_RANGE;                                                              \
        return table_of((enum table)(set - SET_FIRST), (void **)out);                              \
    }                                                                                              \
    BLAS_API int curandGetScrambleConstants##bits(T **out);                                        \
    int curandGetScrambleConstants##bits(T **out) {                                                \
        return out ? table_of(CONSTANTS##bits, (void **)out) : RAND_OUT_OF_RANGE;                  \
    }
DIRECTIONS(32, unsigned, DIRECTIONS32)
DIRECTIONS(64, unsigned long long, DIRECTIONS64)
