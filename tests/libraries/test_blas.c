// cuBLAS and cuBLASLt of our own against sums that the host makes in long double: types, operations, sizes at and off the edges
// of tiles, batches, factors on either side, epilogues, vectors.
#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

typedef struct handle *handle_t;
int cublasCreate_v2(handle_t *), cublasDestroy_v2(handle_t), cublasSetStream_v2(handle_t, CUstream), cublasSetPointerMode_v2(handle_t, int);
int cublasGemmEx(handle_t, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int, const void *,
                 void *, int, int, int, int);
int cublasGemmStridedBatchedEx(handle_t, int, int, int, int, int, const void *, const void *, int, int, long long, const void *,
                               int, int, long long, const void *, void *, int, int, long long, int, int, int);
int cublasGemmBatchedEx(handle_t, int, int, int, int, int, const void *, const void *const *, int, int, const void *const *, int,
                        int, const void *, void *const *, int, int, int, int, int);
int cublasDgemm_v2(handle_t, int, int, int, int, int, const double *, const double *, int, const double *, int, const double *,
                   double *, int);
int cublasSgemv_v2(handle_t, int, int, int, const float *, const float *, int, const float *, int, const float *, float *, int);
int cublasZgemv_v2(handle_t, int, int, int, const void *, const void *, int, const void *, int, const void *, void *, int);
int cublasZgerc_v2(handle_t, int, int, const void *, const void *, int, const void *, int, void *, int);
int cublasSaxpy_v2(handle_t, int, const float *, const float *, int, float *, int);
int cublasZdotc_v2(handle_t, int, const void *, int, const void *, int, void *);
int cublasSnrm2_v2(handle_t, int, const float *, int, float *), cublasDasum_v2(handle_t, int, const double *, int, double *);
int cublasIsamax_v2(handle_t, int, const float *, int, int *), cublasIsamin_v2(handle_t, int, const float *, int, int *);
int cublasDswap_v2(handle_t, int, double *, int, double *, int), cublasSscal_v2(handle_t, int, const float *, float *, int);
int cublasLtMatmulDescDestroy(void *), cublasLtMatrixLayoutDestroy(void *), cublasLtMatmulDescCreate(void **, int, int), cublasLtMatmulDescSetAttribute(void *, int, const void *, size_t);
int cublasLtMatrixLayoutCreate(void **, int, uint64_t, uint64_t, int64_t);
int cublasLtMatmulAlgoInit(handle_t, int, int, int, int, int, int, int, void *), cublasLtMatmulAlgoCheck(handle_t, void *, void *, void *, void *, void *, const void *, void *),
    cublasLtMatmulAlgoGetIds(handle_t, int, int, int, int, int, int, int, int *, int *), cublasLtMatmulAlgoConfigSetAttribute(void *, int, const void *, size_t),
    cublasLtMatmulAlgoConfigGetAttribute(const void *, int, void *, size_t, size_t *);
int cublasLtMatmulAlgoGetHeuristic(handle_t, void *, void *, void *, void *, void *, void *, int, void *, int *);
int cublasLtMatmul(handle_t, void *, const void *, const void *, void *, const void *, void *, const void *, const void *, void *,
                   void *, void *, const void *, void *, size_t, void *);

enum { R32 = 0, R64 = 1, R16 = 2, I8 = 3, C32 = 4, C64 = 5, I32 = 10, BF16 = 14 };
enum { COMPUTE_16F = 64, COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32I = 72, COMPUTE_TF32 = 77 };
typedef long double complex wide;

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

static size_t bytes_of(int type) {
    return type == I8 ? 1 : type == R16 || type == BF16 ? 2 : type == R32 || type == I32 ? 4 : type == C64 ? 16 : 8;
}

// An element from a small whole number, exact in every type, and back.
static void put(void *at, int type, long i, int re, int im) {
    char *const p = (char *)at + (size_t)i * bytes_of(type);
    const float f = (float)re, fc[2] = {f, (float)im};
    const double d = re, dc[2] = {re, im};
    const int32_t n = re;
    const int8_t b = (int8_t)re;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    const uint16_t bf = (uint16_t)(bits >> 16);
    uint16_t h = 0; // |re| < 2048: sign, exponent, ten bits
    if (re) {
        int e = 0;
        frexp(fabs(d), &e);
        h = (uint16_t)((re < 0) << 15 | (e + 14) << 10 | ((int)ldexp(fabs(d), 11 - e) & 1023));
    }
    const void *const from[] = {[R32] = &f, [R64] = &d, [R16] = &h, [I8] = &b, [C32] = fc, [C64] = dc, [I32] = &n, [BF16] = &bf};
    memcpy(p, from[type], bytes_of(type));
}
static wide get(const void *at, int type, long i) {
    const char *const p = (const char *)at + (size_t)i * bytes_of(type);
    float f[2];
    double d[2];
    int32_t n;
    uint16_t h;
    uint32_t bits;
    switch (type) {
    case R32: memcpy(f, p, 4); return f[0];
    case R64: memcpy(d, p, 8); return d[0];
    case C32: memcpy(f, p, 8); return f[0] + I * f[1];
    case C64: memcpy(d, p, 16); return (wide)d[0] + I * (wide)d[1];
    case I32: memcpy(&n, p, 4); return n;
    case I8: return *(const int8_t *)p;
    case BF16:
        memcpy(&h, p, 2);
        bits = (uint32_t)h << 16;
        memcpy(f, &bits, 4);
        return f[0];
    default:
        memcpy(&h, p, 2);
        return (h >> 15 ? -1 : 1) * (h >> 10 & 31 ? ldexpl(1024 + (h & 1023), (h >> 10 & 31) - 25) : ldexpl(h & 1023, -24));
    }
}

static uint32_t seed = 1;
static int number(int most) {
    seed = seed * 1664525 + 1013904223;
    return (int)(seed >> 16) % (2 * most + 1) - most;
}

struct array {
    void *host;
    CUdeviceptr device;
    size_t bytes;
    int type;
};
static struct array fill(int type, long n, int most) {
    struct array a = {.bytes = (size_t)n * bytes_of(type) + 16, .type = type};
    a.host = calloc(1, a.bytes);
    for (long i = 0; i < n; i++) {
        const int re = number(most);
        put(a.host, type, i, re, number(most));
    }
    cuMemAlloc(&a.device, a.bytes);
    cuMemcpyHtoD(a.device, a.host, a.bytes);
    return a;
}
static void drop(struct array *a) {
    cuMemFree(a->device);
    free(a->host);
}

struct types {
    int ab, c, compute, scale;
    double error; // of one rounding of the result
};
static const struct types types[] = {
    {R32, R32, COMPUTE_32F, R32, 0x1p-23},  {R64, R64, COMPUTE_64F, R64, 0x1p-52},  {C32, C32, COMPUTE_32F, C32, 0x1p-22},
    {C64, C64, COMPUTE_64F, C64, 0x1p-51},  {R16, R16, COMPUTE_16F, R16, 0x1p-10},  {R16, R16, COMPUTE_32F, R32, 0x1p-10},
    {R16, R32, COMPUTE_32F, R32, 0x1p-23},  {BF16, BF16, COMPUTE_32F, R32, 0x1p-7}, {BF16, R32, COMPUTE_32F, R32, 0x1p-23},
    {I8, I32, COMPUTE_32I, I32, 0},         {I8, R32, COMPUTE_32F, R32, 0x1p-23},  {R32, R32, COMPUTE_TF32, R32, 0x1p-23},
};

// What an element of op(X) is: N, T, C.
static wide taken(const struct array *x, int op, long lead, long first, long i, long j) {
    const wide v = get(x->host, x->type, first + (op ? j + i * lead : i + j * lead));
    return op == 2 ? conjl(v) : v;
}

// Compares D with alpha op(A) op(B) + beta C: all inputs are small whole numbers, so that the sums are exact and only the last
// rounding is not.
static void compare(const char *what, const struct types *t, const struct array *a, int op_a, long lda, long a0, const struct array *b,
                    int op_b, long ldb, long b0, const void *before, const void *after, long ldc, long c0, int m, int n, int k,
                    wide alpha, wide beta) {
    // elements of both, k together: whole numbers, whose sums are exact in double precision
    double complex *const x = malloc(sizeof *x * (size_t)m * (size_t)k), *const y = malloc(sizeof *y * (size_t)n * (size_t)k);
    const bool is_complex = t->scale == C32 || t->scale == C64;
    for (long l = 0; l < k; l++) {
        for (long i = 0; i < m; i++) x[i * k + l] = (double complex)taken(a, op_a, lda, a0, i, l);
        for (long j = 0; j < n; j++) y[j * k + l] = (double complex)taken(b, op_b, ldb, b0, l, j);
    }
    bool is_equal = true;
    for (long j = 0; j < n && is_equal; j++)
        for (long i = 0; i < m && is_equal; i++) {
            double complex all = 0;
            double real = 0;
            if (is_complex)
                for (long l = 0; l < k; l++) all += x[i * k + l] * y[j * k + l];
            else
                for (long l = 0; l < k; l++) real += creal(x[i * k + l]) * creal(y[j * k + l]);
            const wide sum = is_complex ? (wide)all : (wide)real;
            const wide want = alpha * sum + beta * get(before, t->c, c0 + i + j * ldc), got = get(after, t->c, c0 + i + j * ldc);
            is_equal = cabsl(got - want) <= (long double)t->error * cabsl(want);
            CHECK(is_equal, "%s: %d x %d x %d, types %d %d, ops %d %d: element %ld,%ld is %Lg%+Lgi, not %Lg%+Lgi", what, m, n, k, t->ab, t->c,
                  op_a, op_b, i, j, creall(got), cimagl(got), creall(want), cimagl(want));
        }
    free(x);
    free(y);
}

// `is_even`: lines begin at multiples of sixteen bytes, so that they are read in pieces of these.
static int lead(int length, bool is_even, int odd) { return is_even ? (length + 15) / 16 * 16 + 16 * odd : length + odd; }
static void products(handle_t h, const struct types *t, int m, int n, int k, int op_a, int op_b, bool on_device, bool is_even) {
    const int lda = lead(op_a ? k : m, is_even, 1), ldb = lead(op_b ? n : k, is_even, 2), ldc = is_even ? lead(m, m % 128, 0) : m + 3;
    struct array a = fill(t->ab, (long)lda * (op_a ? m : k) + 1, 3), b = fill(t->ab, (long)ldb * (op_b ? k : n) + 1, 3),
                 c = fill(t->c, (long)ldc * n + 1, 4);
    void *const after = malloc(c.bytes);
    char alpha[16], beta[16];
    put(alpha, t->scale, 0, 2, 1);
    put(beta, t->scale, 0, -3, 2);
    const bool is_complex = t->scale == C32 || t->scale == C64;
    const wide va = is_complex ? 2 + 1 * I : 2, vb = is_complex ? -3 + 2 * I : -3;
    CUdeviceptr factors;
    cuMemAlloc(&factors, 32);
    cuMemcpyHtoD(factors, alpha, 16);
    cuMemcpyHtoD(factors + 16, beta, 16);
    cublasSetPointerMode_v2(h, on_device);
    const int s = cublasGemmEx(h, op_a, op_b, m, n, k, on_device ? (void *)factors : alpha, (void *)a.device, t->ab, lda,
                               (void *)b.device, t->ab, ldb, on_device ? (void *)(factors + 16) : beta, (void *)c.device, t->c, ldc,
                               t->compute, -1);
    CHECK(s == 0, "cublasGemmEx answers %d", s);
    cublasSetPointerMode_v2(h, 0);
    cuMemcpyDtoH(after, c.device, c.bytes);
    compare("product", t, &a, op_a, lda, 0, &b, op_b, ldb, 0, c.host, after, ldc, 0, m, n, k, va, vb);
    // what lies between the columns stays
    for (int j = 0; j < n; j++)
        for (int i = m; i < ldc && (long)j * ldc + i < (long)ldc * n; i++)
            CHECK(get(after, t->c, (long)j * ldc + i) == get(c.host, t->c, (long)j * ldc + i), "written between columns");
    cuMemFree(factors);
    free(after);
    drop(&a), drop(&b), drop(&c);
}

static void batches(handle_t h) {
    const struct types *const t = &types[0];
    enum { M = 5, N = 40, K = 9, COUNT = 3 };
    struct array a = fill(R32, M * K * COUNT, 3), b = fill(R32, K * N * COUNT, 3), c = fill(R32, M * N * COUNT, 3);
    float *const after = malloc(c.bytes);
    const float alpha = 1, beta = 0;
    CHECK(!cublasGemmStridedBatchedEx(h, 0, 0, M, N, K, &alpha, (void *)a.device, R32, M, M * K, (void *)b.device, R32, K, K * N, &beta,
                                      (void *)c.device, R32, M, M * N, COUNT, COMPUTE_32F, -1), "a strided batch");
    cuMemcpyDtoH(after, c.device, c.bytes);
    for (int i = 0; i < COUNT; i++)
        compare("batch", t, &a, 0, M, i * M * K, &b, 0, K, i * K * N, c.host, after, M, i * M * N, M, N, K, alpha, beta);
    // the same, backwards, by lists of addresses
    CUdeviceptr lists, list[3][COUNT];
    for (int i = 0; i < COUNT; i++) {
        list[0][i] = a.device + 4u * M * K * (unsigned)(COUNT - 1 - i);
        list[1][i] = b.device + 4u * K * N * (unsigned)(COUNT - 1 - i);
        list[2][i] = c.device + 4u * M * N * (unsigned)i;
    }
    cuMemAlloc(&lists, sizeof list);
    cuMemcpyHtoD(lists, list, sizeof list);
    CHECK(!cublasGemmBatchedEx(h, 0, 0, M, N, K, &alpha, (void *)lists, R32, M, (void *)(lists + 24), R32, K, &beta, (void *)(lists + 48),
                               R32, M, COUNT, COMPUTE_32F, -1), "a batch of addresses");
    cuMemcpyDtoH(after, c.device, c.bytes);
    for (int i = 0; i < COUNT; i++)
        compare("list", t, &a, 0, M, (COUNT - 1 - i) * M * K, &b, 0, K, (COUNT - 1 - i) * K * N, c.host, after, M, i * M * N, M, N, K,
                alpha, beta);
    cuMemFree(lists);
    free(after);
    drop(&a), drop(&b), drop(&c);
}

// C holds NaN, its factor is zero: the result has none. k of zero: beta C alone.
static void edges(handle_t h) {
    double a[4] = {1, 2, 3, 4}, c[4] = {NAN, NAN, NAN, NAN}, alpha = 1, beta = 0;
    CUdeviceptr d;
    cuMemAlloc(&d, 64);
    cuMemcpyHtoD(d, a, 32);
    cuMemcpyHtoD(d + 32, c, 32);
    CHECK(!cublasDgemm_v2(h, 0, 0, 2, 2, 2, &alpha, (double *)d, 2, (double *)d, 2, &beta, (double *)(d + 32), 2), "a product");
    cuMemcpyDtoH(c, d + 32, 32);
    CHECK(c[0] == 7 && c[1] == 10 && c[2] == 15 && c[3] == 22, "%g %g %g %g", c[0], c[1], c[2], c[3]);
    beta = 3;
    CHECK(!cublasDgemm_v2(h, 0, 0, 2, 2, 0, &alpha, (double *)d, 2, (double *)d, 2, &beta, (double *)(d + 32), 2), "no k");
    cuMemcpyDtoH(c, d + 32, 32);
    CHECK(c[0] == 21 && c[3] == 66, "%g %g", c[0], c[3]);
    CHECK(cublasDgemm_v2(h, 0, 0, 2, 2, 2, &alpha, (double *)d, 1, (double *)d, 2, &beta, (double *)(d + 32), 2) == 7,
          "columns that overlap are taken");
    CHECK(cublasDgemm_v2(NULL, 0, 0, 2, 2, 2, &alpha, (double *)d, 2, (double *)d, 2, &beta, (double *)(d + 32), 2) == 1,
          "no handle is taken");
    cuMemFree(d);
}

static void vectors(handle_t h) {
    enum { N = 70001 };
    struct array x = fill(R32, 2 * N, 9), y = fill(R32, 3 * N, 9), u = fill(R64, N, 9), v = fill(R64, N, 9), p = fill(C64, N, 9),
                 q = fill(C64, N, 9);
    float *const fx = x.host, *const fy = y.host, *const after = malloc(y.bytes), alpha = 2, norm;
    float got;
    double sum = 0, asum;
    const double *const du = u.host;
    fx[2 * 777] = -50, fx[2 * 40000] = 50, fx[2 * 5] = 0;
    cuMemcpyHtoD(x.device, fx, x.bytes);
    for (int i = 0; i < N; i++) sum += (double)fx[2 * i] * fx[2 * i];
    norm = (float)sqrt(sum);
    CHECK(!cublasSnrm2_v2(h, N, (float *)x.device, 2, &got) && fabsf(got - norm) <= norm * 0x1p-22f, "nrm2: %g, not %g", got, norm);
    int at, first = 0;
    while (fx[2 * first] != 0) first++;
    CHECK(!cublasIsamax_v2(h, N, (float *)x.device, 2, &at) && at == 778, "amax: %d", at);
    CHECK(!cublasIsamin_v2(h, N, (float *)x.device, 2, &at) && at == first + 1, "amin: %d, not %d", at, first + 1);
    CHECK(!cublasIsamax_v2(h, 0, (float *)x.device, 2, &at) && at == 0, "amax of nothing: %d", at);
    sum = 0;
    for (int i = 0; i < N; i++) sum += fabs(du[i]);
    CHECK(!cublasDasum_v2(h, N, (double *)u.device, 1, &asum) && asum == sum, "asum: %g, not %g", asum, sum);
    CHECK(!cublasSaxpy_v2(h, N, &alpha, (float *)x.device, 2, (float *)y.device, 3), "axpy");
    cuMemcpyDtoH(after, y.device, y.bytes);
    for (int i = 0; i < 3 * N; i++)
        if (after[i] != (i % 3 ? fy[i] : fy[i] + 2 * fx[i / 3 * 2])) {
            CHECK(false, "axpy: element %d is %g", i, after[i]);
            break;
        }
    CHECK(!cublasDswap_v2(h, N, (double *)u.device, 1, (double *)v.device, 1), "swap");
    double *const back = malloc(v.bytes);
    cuMemcpyDtoH(back, v.device, v.bytes);
    CHECK(!memcmp(back, u.host, N * 8), "swap");
    double complex dot, want = 0;
    for (int i = 0; i < N; i++) want += (double complex)(conjl(get(p.host, C64, i)) * get(q.host, C64, i));
    CHECK(!cublasZdotc_v2(h, N, (void *)p.device, 1, (void *)q.device, 1, &dot) && dot == want, "dotc: %g%+gi", creal(dot), cimag(dot));
    CHECK(!cublasSscal_v2(h, N, &alpha, (float *)x.device, 2), "scal");
    cuMemcpyDtoH(after, x.device, x.bytes);
    CHECK(after[2 * 777] == -100 && after[1] == fx[1], "scal: %g %g", after[2 * 777], after[1]);
    free(back);
    free(after);
    drop(&x), drop(&y), drop(&u), drop(&v), drop(&p), drop(&q);
}

static void matrix_and_vectors(handle_t h) {
    enum { M = 50, N = 37, LDA = 53 };
    struct array a = fill(R32, LDA * N, 3), x = fill(R32, 200, 3), y = fill(R32, 300, 3), z = fill(C64, LDA * N, 3),
                 p = fill(C64, 200, 3), q = fill(C64, 300, 3);
    float *const after = malloc(y.bytes), alpha = 2, beta = -1;
    for (int op = 0; op < 2; op++) {
        CHECK(!cublasSgemv_v2(h, op, M, N, &alpha, (float *)a.device, LDA, (float *)x.device, 3, &beta, (float *)y.device, 2), "gemv");
        cuMemcpyDtoH(after, y.device, y.bytes);
        for (int i = 0; i < (op ? N : M); i++) {
            wide sum = 0;
            for (int j = 0; j < (op ? M : N); j++) sum += taken(&a, op, LDA, 0, i, j) * get(x.host, R32, 3 * j);
            CHECK(after[2 * i] == (float)(2 * creall(sum) - creall(get(y.host, R32, 2 * i))), "gemv %d: %d", op, i);
        }
        cuMemcpyHtoD(y.device, y.host, y.bytes);
    }
    const double one[2] = {1, 0}, none[2] = {0, 0};
    void *const result = malloc(z.bytes);
    CHECK(!cublasZgemv_v2(h, 2, M, N, one, (void *)z.device, LDA, (void *)p.device, 1, none, (void *)q.device, 1), "gemv");
    cuMemcpyDtoH(result, q.device, q.bytes);
    for (int i = 0; i < N; i++) {
        wide sum = 0;
        for (int j = 0; j < M; j++) sum += taken(&z, 2, LDA, 0, i, j) * get(p.host, C64, j);
        CHECK(get(result, C64, i) == sum, "gemv C: %d", i);
    }
    cuMemcpyHtoD(q.device, q.host, q.bytes);
    CHECK(!cublasZgerc_v2(h, M, N, one, (void *)p.device, 2, (void *)q.device, 3, (void *)z.device, LDA), "gerc");
    cuMemcpyDtoH(result, z.device, z.bytes);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            CHECK(get(result, C64, i + j * LDA) == get(z.host, C64, i + j * LDA) + get(p.host, C64, 2 * i) * conjl(get(q.host, C64, 3 * j)),
                  "gerc %d,%d", i, j);
    free(result);
    free(after);
    drop(&a), drop(&x), drop(&y), drop(&z), drop(&p), drop(&q);
}

// D = relu(A' B + bias), as a linear layer has it: the weights' rows lie together.
static void with_epilogue(handle_t h) {
    enum { M = 40, N = 33, K = 20 };
    struct array a = fill(R32, M * K, 3), b = fill(R32, K * N, 3), c = fill(R32, M * N, 3), bias = fill(R32, M, 30);
    float *const after = malloc(c.bytes), alpha = 1, beta = 0;
    void *desc = NULL, *la = NULL, *lb = NULL, *lc = NULL;
    int found = 0, transposed = 1;
    uint32_t epilogue = 6;
    char result[128];
    CHECK(!cublasLtMatmulDescCreate(&desc, COMPUTE_32F, R32) && !cublasLtMatrixLayoutCreate(&la, R32, K, M, K) &&
              !cublasLtMatrixLayoutCreate(&lb, R32, K, N, K) && !cublasLtMatrixLayoutCreate(&lc, R32, M, N, M) &&
              !cublasLtMatmulDescSetAttribute(desc, 3, &transposed, 4) && !cublasLtMatmulDescSetAttribute(desc, 7, &epilogue, 4) &&
              !cublasLtMatmulDescSetAttribute(desc, 8, &bias.device, 8), "descriptions");
    CHECK(!cublasLtMatmulAlgoGetHeuristic(h, desc, la, lb, lc, lc, NULL, 1, result, &found) && found == 1, "no way is found");
    // an algorithm of the program's choice: its settings come back, and it is one that can run
    uint64_t algo[8], checked[12];
    int ids[2] = {-1, -1}, kept = 0;
    const int splits = 3;
    uint16_t cluster = 9;
    size_t written = 0;
    CHECK(!cublasLtMatmulAlgoGetIds(h, COMPUTE_32F, R32, R32, R32, R32, R32, 2, ids, &kept) && kept == 1 && ids[0] >= 0, "numbers of algorithms");
    CHECK(!cublasLtMatmulAlgoInit(h, COMPUTE_32F, R32, R32, R32, R32, R32, ids[0], algo) && !cublasLtMatmulAlgoConfigSetAttribute(algo, 2, &splits, 4) &&
              !cublasLtMatmulAlgoConfigSetAttribute(algo, 8, &cluster, 2),
          "an algorithm");
    CHECK(!cublasLtMatmulAlgoConfigGetAttribute(algo, 2, &kept, 4, &written) && kept == splits && written == 4 &&
              !cublasLtMatmulAlgoConfigGetAttribute(algo, 8, NULL, 0, &written) && written == 2 && cublasLtMatmulAlgoConfigGetAttribute(algo, 9, &kept, 4, &written),
          "its settings");
    CHECK(!cublasLtMatmulAlgoCheck(h, desc, la, lb, lc, lc, algo, checked) && !memcmp(algo, checked, sizeof algo), "it can run");
    CHECK(!cublasLtMatmul(h, desc, &alpha, (void *)a.device, la, (void *)b.device, lb, &beta, (void *)c.device, lc, (void *)c.device, lc,
                          result, NULL, 0, NULL), "a product");
    cuMemcpyDtoH(after, c.device, c.bytes);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            long double v = creall(get(bias.host, R32, i));
            for (int l = 0; l < K; l++) v += creall(get(a.host, R32, l + i * K) * get(b.host, R32, l + j * K));
            CHECK(after[i + j * M] == (float)(v > 0 ? v : 0), "epilogue %d,%d: %g, not %Lg", i, j, after[i + j * M], v);
        }
    epilogue = 1 | 256; // a gradient of the bias, which is not here
    cublasLtMatmulDescSetAttribute(desc, 7, &epilogue, 4);
    CHECK(cublasLtMatmulAlgoGetHeuristic(h, desc, la, lb, lc, lc, NULL, 1, result, &found) == 15 && !found, "a way is found");
    // factors of another type than the sums; a function of complex numbers; columns that overlap
    void *other = NULL, *complex_layout = NULL, *overlaps = NULL;
    epilogue = 2;
    cublasLtMatmulDescCreate(&other, COMPUTE_64F, R64);
    cublasLtMatmulDescSetAttribute(other, 3, &transposed, 4);
    CHECK(cublasLtMatmulAlgoGetHeuristic(h, other, la, lb, lc, lc, NULL, 1, result, &found) == 15 && !found, "factors of f64 are taken");
    cublasLtMatmulDescDestroy(other);
    cublasLtMatmulDescCreate(&other, COMPUTE_32F, C32);
    cublasLtMatmulDescSetAttribute(other, 7, &epilogue, 4);
    cublasLtMatrixLayoutCreate(&complex_layout, C32, 4, 4, 4);
    CHECK(cublasLtMatmulAlgoGetHeuristic(h, other, complex_layout, complex_layout, complex_layout, complex_layout, NULL, 1, result,
                                         &found) == 15 && !found, "ReLU of complex numbers is taken");
    cublasLtMatrixLayoutCreate(&overlaps, R32, M, N, -4);
    CHECK(cublasLtMatmul(h, desc, &alpha, (void *)a.device, la, (void *)b.device, lb, &beta, (void *)c.device, lc, (void *)c.device,
                         overlaps, NULL, NULL, 0, NULL) == 7, "columns that overlap are taken");
    cublasLtMatmulDescDestroy(other);
    cublasLtMatrixLayoutDestroy(complex_layout), cublasLtMatrixLayoutDestroy(overlaps);
    cublasLtMatmulDescDestroy(desc);
    cublasLtMatrixLayoutDestroy(la), cublasLtMatrixLayoutDestroy(lb), cublasLtMatrixLayoutDestroy(lc);
    free(after);
    drop(&a), drop(&b), drop(&c), drop(&bias);
}

// A thread that has made no call of CUDA works in the handle's context.
static void *in_a_thread(void *user) {
    handle_t const h = user;
    float alpha = 2, norm = 1;
    CHECK(!cublasSscal_v2(h, 0, &alpha, NULL, 1) && !cublasSnrm2_v2(h, 0, NULL, 1, &norm) && norm == 0, "in a thread");
    return NULL;
}

// Products of lines that begin at multiples of sixteen bytes: whole tiles of each size, and parts of tiles in each direction.
static void even_products(handle_t h, bool all) {
    static const int sizes[][3] = {{128, 201, 77}, {67, 80, 33}, {190, 120, 140}};
    for (size_t t = 4; t < sizeof types / sizeof *types; t++)
        for (int i = 0; i < 3; i++)
            for (int ops = 0; ops < 4; ops++)
                if (types[t].scale != R16 && (all || bytes_of(types[t].ab) == 2) && (i == 0 || ops % 3 || types[t].c == types[t].ab))
                    products(h, &types[t], sizes[i][0], sizes[i][1], sizes[i][2], ops % 2, ops / 2, ops % 2, true);
}

// Single precision where TF32 is allowed: each element of A, taken once, is as near as eleven bits allow. Cut off it would not be.
static void roundings(handle_t h, int m, int n, int k) {
    float *const a = calloc((size_t)m * (size_t)k, 4), *const b = calloc((size_t)n * (size_t)k, 4), *const d = malloc(4 * (size_t)m * (size_t)n);
    CUdeviceptr da, db, dd;
    const float alpha = 1, beta = 0;
    cuMemAlloc(&da, 4 * (size_t)m * (size_t)k), cuMemAlloc(&db, 4 * (size_t)n * (size_t)k), cuMemAlloc(&dd, 4 * (size_t)m * (size_t)n);
    for (int i = 0; i < m * k; i++) a[i] = ldexpf(1 + (float)number(32767) / 65536, number(9)) * (i % 3 ? 1 : -1);
    for (int ops = 0; ops < 4; ops++) {
        const int op_a = ops % 2, op_b = ops / 2;
        for (int j = 0; j < n; j++) // column j takes element j of k
            for (int l = 0; l < k; l++) b[op_b ? j + l * n : l + j * k] = l == j % k;
        cuMemcpyHtoD(da, a, 4 * (size_t)m * (size_t)k), cuMemcpyHtoD(db, b, 4 * (size_t)n * (size_t)k);
        CHECK(!cublasGemmEx(h, op_a, op_b, m, n, k, &alpha, (void *)da, R32, op_a ? k : m, (void *)db, R32, op_b ? n : k, &beta, (void *)dd,
                            R32, m, COMPUTE_TF32, -1), "a product of TF32");
        cuMemcpyDtoH(d, dd, 4 * (size_t)m * (size_t)n);
        int cut = 0, wrong = 0;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                const float x = a[op_a ? j % k + i * k : i + j % k * m], got = d[i + j * m];
                int e;
                frexpf(x, &e);
                wrong += fabsf(got - x) > ldexpf(1, e - 12) || ldexpf(got, 11 - e) != rintf(ldexpf(got, 11 - e));
                cut += got != x;
            }
        CHECK(!wrong, "%d x %d x %d, ops %d %d: %d elements are not the nearest of eleven bits", m, n, k, op_a, op_b, wrong);
        CHECK(cut, "%d x %d x %d, ops %d %d: nothing is rounded", m, n, k, op_a, op_b);
    }
    cuMemFree(da), cuMemFree(db), cuMemFree(dd);
    free(a), free(b), free(d);
}

// Few tiles and long sums, of which blocks make parts: of each type, whole and ragged, alone and in a batch; with a bias and without;
// the same bits again, at once in two streams, and in graphs that were recorded in one stream and run at once in two.
static void parts(handle_t h) {
    static const int sizes[][3] = {{64, 64, 1024}, {70, 33, 1337}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int i = 0; i < 2; i++)
            if (types[t].scale != R16 || i) products(h, &types[t], sizes[i][0], sizes[i][1], sizes[i][2], i ? 0 : 1, 0, i, i == 0);
    enum { M = 48, N = 40, K = 4096, STREAMS = 2, TIMES = 3 };
    // sums that are not exact: any other order of adding up parts would show
    float *const host = malloc(4 * K * (M + N)), *const first = malloc(4 * M * N), *const again = malloc(4 * M * N);
    for (int i = 0; i < K * (M + N); i++) host[i] = (float)number(1000) / 997;
    CUdeviceptr in, out[STREAMS * TIMES];
    CUstream stream[STREAMS];
    const float alpha = 1, beta = 0;
    cuMemAlloc(&in, 4 * K * (M + N));
    cuMemcpyHtoD(in, host, 4 * K * (M + N));
    for (int i = 0; i < STREAMS; i++) cuStreamCreate(&stream[i], 1);
    for (int i = 0; i < STREAMS * TIMES; i++) {
        cuMemAlloc(&out[i], 4 * M * N);
        cublasSetStream_v2(h, stream[i % STREAMS]);
        CHECK(!cublasGemmEx(h, 1, 0, M, N, K, &alpha, (void *)in, R32, K, (void *)(in + 4 * K * M), R32, K, &beta, (void *)out[i], R32, M,
                            COMPUTE_32F, -1), "a product");
    }
    cuCtxSynchronize();
    cublasSetStream_v2(h, NULL);
    cuMemcpyDtoH(first, out[0], 4 * M * N);
    for (int i = 1; i < STREAMS * TIMES; i++) {
        cuMemcpyDtoH(again, out[i], 4 * M * N);
        CHECK(!memcmp(first, again, 4 * M * N), "product %d has other bits than the first", i);
    }
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            double sum = 0;
            for (int l = 0; l < K; l++) sum += (double)host[i * K + l] * host[K * M + j * K + l];
            CHECK(fabs(first[i + j * M] - sum) < 1e-3, "element %d,%d is %g, not %g", i, j, first[i + j * M], sum);
        }
    CUgraph graph[STREAMS];
    CUgraphExec exec[STREAMS];
    for (int i = 0; i < STREAMS; i++) { // the second one begins a row further on
        cublasSetStream_v2(h, stream[0]);
        cuStreamBeginCapture(stream[0], CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
        CHECK(!cublasGemmEx(h, 1, 0, M, N, K, &alpha, (void *)(in + (CUdeviceptr)(4 * K * i)), R32, K, (void *)(in + 4 * K * M), R32, K, &beta, (void *)out[i], R32, M,
                            COMPUTE_32F, -1), "a product that is recorded");
        cuStreamEndCapture(stream[0], &graph[i]);
        CHECK(!cuGraphInstantiate(&exec[i], graph[i], 0), "graph %d", i);
        cuMemsetD32(out[i], 0, M * N);
    }
    for (int i = 0; i < STREAMS; i++) cuGraphLaunch(exec[i], stream[i]);
    cuCtxSynchronize();
    cublasSetStream_v2(h, NULL);
    for (int i = 0; i < STREAMS; i++) {
        cuMemcpyDtoH(again, out[i], 4 * M * N);
        for (int k = 0; k < M * N; k++)
            CHECK(k % M + i == M || again[k] == first[k + i], "graph %d: element %d is %g, not %g", i, k, again[k], first[k + i]);
        cuGraphExecDestroy(exec[i]), cuGraphDestroy(graph[i]);
    }
    for (int i = 0; i < STREAMS * TIMES; i++) cuMemFree(out[i]);
    for (int i = 0; i < STREAMS; i++) cuStreamDestroy(stream[i]);
    cuMemFree(in);
    free(host), free(first), free(again);
}

// Streams that come and go, recordings too, and many of both at once: all get the parts that the first one has, whose bits those of a
// product by a single block are not; and memory grows with what is there at once, not with what there was.
static void rooms(void) {
    enum { M = 48, N = 40, K = 4096, MANY = 24, BYTES = 4 * M * N };
    handle_t h;
    CHECK(!cublasCreate_v2(&h), "a handle of one's own");
    float *const host = malloc(4 * K * (M + N)), *const first = malloc(BYTES), *const again = malloc(BYTES);
    for (int i = 0; i < K * (M + N); i++) host[i] = (float)number(1000) / 997;
    CUdeviceptr in, out[MANY];
    CUstream stream[MANY];
    CUgraph graph[MANY];
    CUgraphExec exec[MANY];
    const float alpha = 1, beta = 0;
    size_t before = 0, after = 0, all;
    cuMemAlloc(&in, 4 * K * (M + N));
    cuMemcpyHtoD(in, host, 4 * K * (M + N));
    for (int i = 0; i < MANY; i++) cuMemAlloc(&out[i], BYTES);
#define PRODUCT(i) CHECK(!cublasGemmEx(h, 1, 0, M, N, K, &alpha, (void *)in, R32, K, (void *)(in + 4 * K * M), R32, K, &beta, (void *)out[i], R32, M, COMPUTE_32F, -1), "a product")
    for (int time = 0; time < 2; time++) {
        // one stream after the other
        for (int i = 0; i < MANY; i++) {
            cuStreamCreate(&stream[0], 1), cublasSetStream_v2(h, stream[0]);
            PRODUCT(i);
            cuStreamSynchronize(stream[0]), cuStreamDestroy(stream[0]);
        }
        if (time == 0) cuMemcpyDtoH(first, out[0], BYTES), cuMemGetInfo(&before, &all);
        // graphs of one recording after the other
        cuStreamCreate(&stream[0], 1), cublasSetStream_v2(h, stream[0]);
        for (int i = 0; i < MANY; i++) {
            cuMemsetD32(out[i], 0, M * N);
            cuStreamBeginCapture(stream[0], CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
            PRODUCT(i);
            PRODUCT(i); // in the room of the one before
            cuStreamEndCapture(stream[0], &graph[0]);
            cuGraphInstantiate(&exec[0], graph[0], 0), cuGraphDestroy(graph[0]);
            cuGraphLaunch(exec[0], stream[0]), cuGraphExecDestroy(exec[0]);
        }
        cuStreamSynchronize(stream[0]), cuStreamDestroy(stream[0]);
        for (int i = 0; i < MANY; i++) {
            cuMemcpyDtoH(again, out[i], BYTES);
            CHECK(!memcmp(first, again, BYTES), "product %d of graphs has other bits than the first", i);
        }
    }
    cuMemGetInfo(&after, &all);
    CHECK(before - after <= 2 * 160 * 1024 * 8, "%zu bytes more than after the first streams", before - after);
    // all at once: each graph has its own
    for (int i = 0; i < MANY; i++) {
        cuMemsetD32(out[i], 0, M * N);
        cuStreamCreate(&stream[i], 1), cublasSetStream_v2(h, stream[i]);
        cuStreamBeginCapture(stream[i], CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
        PRODUCT(i);
        cuStreamEndCapture(stream[i], &graph[i]);
        cuGraphInstantiate(&exec[i], graph[i], 0);
    }
    for (int i = 0; i < MANY; i++) cuGraphLaunch(exec[i], stream[i]);
    CHECK(!cublasDestroy_v2(h), "the end of the handle, which waits for all"); // before the graphs' end
    for (int i = 0; i < MANY; i++) {
        cuMemcpyDtoH(again, out[i], BYTES);
        CHECK(!memcmp(first, again, BYTES), "product %d of many has other bits than the first", i);
        cuMemsetD32(out[i], 0, M * N);
        CHECK(!cuGraphLaunch(exec[i], stream[i]) && !cuStreamSynchronize(stream[i]), "graph %d runs without its handle", i);
        cuMemcpyDtoH(again, out[i], BYTES);
        CHECK(!memcmp(first, again, BYTES), "product %d without its handle has other bits than the first", i);
        cuGraphExecDestroy(exec[i]), cuGraphDestroy(graph[i]), cuStreamDestroy(stream[i]), cuMemFree(out[i]);
    }
    cuMemFree(in);
    free(host), free(first), free(again);
}

// Numbers of eight bits with a fraction: small whole ones, whose sums are exact; scaled, with a bias, rounded to halves of single
// precision's upper kind or to eight bits, and the largest magnitude found. Sums of fewer digits (`is_fast`) hold these exactly, too.
enum { E4M3 = 28, E5M2 = 29 };
static uint8_t eight_of(int v, int type) { // of -2 to 2
    static const uint8_t e4m3[] = {0x00, 0x38, 0x40}, e5m2[] = {0x00, 0x3c, 0x40};
    const int size = v < 0 ? -v : v;
    return (uint8_t)((v < 0 ? 0x80 : 0) | (type == E4M3 ? e4m3 : e5m2)[size]);
}
static float of_e4m3(uint8_t v) {
    const int exponent = v >> 3 & 15, fraction = v & 7;
    return (v & 0x80 ? -1.f : 1.f) * (exponent ? ldexpf((float)(8 + fraction), exponent - 10) : ldexpf((float)fraction, -9));
}
static void eight_bits(handle_t h, int type_a, int type_b, int out, int m, int n, int k, int op_a, int8_t is_fast) {
    uint8_t *const a = malloc((size_t)(m * k)), *const b = malloc((size_t)(n * k));
    int *const x = malloc(sizeof(int) * (size_t)(m * k)), *const y = malloc(sizeof(int) * (size_t)(n * k)); // k together
    float *const bias = malloc(4 * (size_t)m), alpha = 1, beta = 0, scales[4] = {.5f, 2, 1, .25f}, largest = -1, most = 0;
    uint16_t *const bias16 = malloc(2 * (size_t)m);
    for (int i = 0; i < m; i++)
        for (int l = 0; l < k; l++) a[op_a ? i * k + l : i + l * m] = eight_of(x[i * k + l] = number(2), type_a);
    for (int j = 0; j < n; j++)
        for (int l = 0; l < k; l++) b[j * k + l] = eight_of(y[j * k + l] = number(2), type_b);
    for (int i = 0; i < m; i++) {
        uint32_t bits;
        bias[i] = (float)number(100);
        memcpy(&bits, &bias[i], 4);
        bias16[i] = (uint16_t)(bits >> 16);
    }
    const size_t bytes = out == E4M3 ? 1 : 4;
    CUdeviceptr da, db, dd, dbias, factors, found;
    cuMemAlloc(&da, (size_t)(m * k)), cuMemAlloc(&db, (size_t)(n * k)), cuMemAlloc(&dd, (size_t)(m * n) * bytes), cuMemAlloc(&dbias, 2 * (size_t)m);
    cuMemAlloc(&factors, 16), cuMemAlloc(&found, 4);
    cuMemcpyHtoD(da, a, (size_t)(m * k)), cuMemcpyHtoD(db, b, (size_t)(n * k)), cuMemcpyHtoD(dbias, bias16, 2 * (size_t)m);
    cuMemcpyHtoD(factors, scales, sizeof scales);
    void *desc, *la, *lb, *lc, *ld;
    const int op = op_a, epilogue = 4, bias_type = BF16;
    cublasLtMatmulDescCreate(&desc, COMPUTE_32F, R32);
    cublasLtMatmulDescSetAttribute(desc, 3, &op, sizeof op);
    cublasLtMatmulDescSetAttribute(desc, 7, &epilogue, sizeof epilogue);
    cublasLtMatmulDescSetAttribute(desc, 8, &dbias, sizeof dbias);
    cublasLtMatmulDescSetAttribute(desc, 26, &bias_type, sizeof bias_type);
    cublasLtMatmulDescSetAttribute(desc, 25, &is_fast, sizeof is_fast);
    const CUdeviceptr at[] = {factors, factors + 4, 0, out == E4M3 ? factors + 12 : 0, found};
    for (int i = 0; i < 5; i++) cublasLtMatmulDescSetAttribute(desc, 17 + i, &at[i], sizeof at[i]);
    cublasLtMatrixLayoutCreate(&la, type_a, op_a ? (uint64_t)k : (uint64_t)m, op_a ? (uint64_t)m : (uint64_t)k, op_a ? k : m);
    cublasLtMatrixLayoutCreate(&lb, type_b, (uint64_t)k, (uint64_t)n, k);
    cublasLtMatrixLayoutCreate(&lc, out == E4M3 ? BF16 : out, (uint64_t)m, (uint64_t)n, m);
    cublasLtMatrixLayoutCreate(&ld, out, (uint64_t)m, (uint64_t)n, m);
    const int status = cublasLtMatmul(h, desc, &alpha, (void *)(uintptr_t)da, la, (void *)(uintptr_t)db, lb, &beta, (void *)(uintptr_t)dd, lc,
                                      (void *)(uintptr_t)dd, ld, NULL, NULL, 0, NULL);
    CHECK(!status, "a product of eight bits: status %d", status);
    char *const got = malloc((size_t)(m * n) * bytes);
    cuMemcpyDtoH(got, dd, (size_t)(m * n) * bytes), cuMemcpyDtoH(&largest, found, 4);
    int wrong = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            int sum = 0;
            for (int l = 0; l < k; l++) sum += x[i * k + l] * y[j * k + l];
            const float v = (float)sum + bias[i], want = out == E4M3 ? v / 4 : v;
            float is;
            if (out == E4M3) is = of_e4m3((uint8_t)got[i + j * m]);
            else memcpy(&is, got + 4 * (i + j * m), 4);
            if (fabsf(v) > most) most = fabsf(v);
            // four digits: a sixteenth of the number at most, half of the smallest step
            const float off = out == E4M3 ? fmaxf(fabsf(want) / 16, 0x1p-10f) : 0;
            wrong += !(fabsf(is - want) <= off);
        }
    CHECK(!wrong, "%d of %d x %d x %d, types %d %d into %d, differ", wrong, m, n, k, type_a, type_b, out);
    CHECK(largest == most, "the largest is %g, not %g", (double)largest, (double)most);
    cublasLtMatmulDescDestroy(desc), cublasLtMatrixLayoutDestroy(la), cublasLtMatrixLayoutDestroy(lb), cublasLtMatrixLayoutDestroy(lc);
    cublasLtMatrixLayoutDestroy(ld);
    cuMemFree(da), cuMemFree(db), cuMemFree(dd), cuMemFree(dbias), cuMemFree(factors), cuMemFree(found);
    free(a), free(b), free(x), free(y), free(bias), free(bias16), free(got);
}

// Long sums of numbers between 1 and 3: the tensor core's own sums fall short of them by more the longer they are, since what is added
// loses digits; those in single precision do not. The largest relative error.
static double eight_error(handle_t h, int m, int n, int k, int8_t is_fast) {
    uint8_t *const a = malloc((size_t)(m * k)), *const b = malloc((size_t)(n * k));
    float *const got = malloc(4 * (size_t)(m * n)), alpha = 1, beta = 0;
    CUdeviceptr da, db, dd;
    void *desc, *la, *lb, *ld;
    const int op = 1;
    for (int i = 0; i < m * k; i++) a[i] = (uint8_t)(0x3c + number(4)); // e4m3 of 1 to 2
    for (int i = 0; i < n * k; i++) b[i] = (uint8_t)(0x3e + number(5)); // 1 1/8 to 2 3/4
    cuMemAlloc(&da, (size_t)(m * k)), cuMemAlloc(&db, (size_t)(n * k)), cuMemAlloc(&dd, 4 * (size_t)(m * n));
    cuMemcpyHtoD(da, a, (size_t)(m * k)), cuMemcpyHtoD(db, b, (size_t)(n * k));
    cublasLtMatmulDescCreate(&desc, COMPUTE_32F, R32);
    cublasLtMatmulDescSetAttribute(desc, 3, &op, sizeof op);
    cublasLtMatmulDescSetAttribute(desc, 25, &is_fast, sizeof is_fast);
    cublasLtMatrixLayoutCreate(&la, E4M3, (uint64_t)k, (uint64_t)m, k);
    cublasLtMatrixLayoutCreate(&lb, E4M3, (uint64_t)k, (uint64_t)n, k);
    cublasLtMatrixLayoutCreate(&ld, R32, (uint64_t)m, (uint64_t)n, m);
    CHECK(!cublasLtMatmul(h, desc, &alpha, (void *)da, la, (void *)db, lb, &beta, (void *)dd, ld, (void *)dd, ld, NULL, NULL, 0, NULL),
          "a product of eight bits");
    cuMemcpyDtoH(got, dd, 4 * (size_t)(m * n));
    double most = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int l = 0; l < k; l++) sum += (double)of_e4m3(a[i * k + l]) * (double)of_e4m3(b[j * k + l]);
            most = fmax(most, fabs(got[i + j * m] / sum - 1));
        }
    cublasLtMatmulDescDestroy(desc), cublasLtMatrixLayoutDestroy(la), cublasLtMatrixLayoutDestroy(lb), cublasLtMatrixLayoutDestroy(ld);
    cuMemFree(da), cuMemFree(db), cuMemFree(dd);
    free(a), free(b), free(got);
    return most;
}
static void eight_errors(handle_t h) {
    for (int k = 512; k <= 4096; k *= 8) {
        const double slow = eight_error(h, 128, 64, k, 0), fast = eight_error(h, 128, 64, k, 1);
        CHECK(slow < 0x1p-10, "sums of %d products of eight bits are wrong by %g of themselves", k, slow);
        CHECK(k == 512 || fast > 4 * slow, "fast sums of %d products of eight bits are wrong by %g of themselves, others by %g", k, fast, slow);
    }
}

// Handles and matrices live until the program ends: the sanitizers look for wrong accesses here, not for leaks.
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return 1; }

// With an argument: `small` products only, those of whole `tiles` of tensor cores, those of `even`
// lines, of all types or of `halves`, of numbers of `eight` bits, or those whose sums are made in `parts` (with another word: with numbers of eight bits, too).
int main(int argc, char **argv) {
    handle_t h;
    static const int sizes[][3] = {{1, 1, 1}, {3, 5, 7}, {33, 65, 17}, {128, 192, 64}, {130, 129, 40}};
    const size_t n = argc > 1 && !strcmp(argv[1], "small") ? 3 : sizeof sizes / sizeof *sizes;
    if (cublasCreate_v2(&h)) return puts("no handle"), 1;
    if (argc > 1 && (!strcmp(argv[1], "even") || !strcmp(argv[1], "halves"))) {
        even_products(h, !strcmp(argv[1], "even"));
        eight_bits(h, E4M3, E5M2, R32, 20, 17, 35, 0, 1);
        eight_bits(h, E5M2, E4M3, E4M3, 48, 32, 64, 1, 0);
        if (!strcmp(argv[1], "halves")) {
            eight_bits(h, E4M3, E4M3, R32, 256, 128, 160, 1, 1);
            eight_bits(h, E4M3, E5M2, E4M3, 240, 130, 64, 1, 1);
            eight_bits(h, E5M2, E4M3, R32, 256, 112, 64, 1, 1);
            products(h, &types[9], 250, 120, 200, 1, 0, false, true); // bytes by wgmma
            for (int ops = 0; ops < 4; ops++) // so TF32, where it is not in the right order written down so first
                products(h, &types[11], 250, 203, 1500 + 45 * ops, ops % 2, ops / 2, ops % 2, true);
            roundings(h, 256, 256, 1024);
        } else
            roundings(h, 128, 128, 64);
        return failed ? 1 : 0;
    }
    if (argc > 1 && !strcmp(argv[1], "eight")) {
        eight_bits(h, E4M3, E4M3, R32, 256, 128, 160, 1, 0);
        eight_bits(h, E4M3, E5M2, E4M3, 240, 130, 64, 1, 0);
        eight_bits(h, E5M2, E4M3, R32, 255, 112, 2064, 1, 0);
        eight_bits(h, E4M3, E4M3, R32, 300, 129, 320, 1, 1);
        eight_bits(h, E4M3, E5M2, R32, 20, 17, 48, 0, 0);
        eight_errors(h);
        return failed ? 1 : 0;
    }
    if (argc > 1 && !strcmp(argv[1], "parts")) {
        parts(h), rooms();
        if (argc > 2) eight_bits(h, E4M3, E5M2, E4M3, 100, 60, 2000, 1, 1);
        return failed ? 1 : 0;
    }
    // what the lanes make is the same on each GPU
    for (size_t t = argc > 1 && !strcmp(argv[1], "tiles") ? 4 : 0; t < sizeof types / sizeof *types; t++)
        for (size_t i = argc > 1 && !strcmp(argv[1], "tiles") ? 3 : 0; i < n; i++)
            for (int ops = 0; ops < 9; ops++)
                if (i < 3 || ops == 1 || ops == 3 || ops == 8)
                    products(h, &types[t], sizes[i][0], sizes[i][1], sizes[i][2], ops % 3, ops / 3, (ops + (int)i) % 2, sizes[i][0] % 64 == 0);
    if (argc > 1 && !strcmp(argv[1], "tiles")) return failed ? 1 : 0;
    batches(h);
    edges(h);
    vectors(h);
    matrix_and_vectors(h);
    with_epilogue(h);
    pthread_t thread;
    pthread_create(&thread, NULL, in_a_thread, h);
    pthread_join(thread, NULL);
    CHECK(!cublasDestroy_v2(h), "the handle stays");
    return failed ? 1 : 0;
}
