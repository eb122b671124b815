// Entry points of vectors, and of a matrix with vectors, which are products with one side of one.
#include "blas/blas.h"
#include "blas/vector.h"

#include <stdio.h>
#include <string.h>

struct pair32 {
    float x, y;
};
struct pair64 {
    double x, y;
};

enum { THREADS = 256 }; // of vector.cu

static blas_status launch(struct blas_handle *h, enum blas_module module, const char *name,
                          uint32_t blocks, const struct vector *v) {
    CUfunction kernel;
    const blas_status s = blas_kernel(h, module, name, &kernel);
    return s ? s
             : blas_launch(kernel, (const uint32_t[3]){blocks, 1, 1}, THREADS, v, sizeof *v,
                           h->stream);
}

static uint32_t blocks_of(int64_t n) {
    const int64_t blocks = (n + THREADS - 1) / THREADS;
    return blocks > BLAS_PARTS ? BLAS_PARTS : (uint32_t)blocks;
}

static blas_status map(struct blas_handle *h, const char *call, enum blas_module module,
                       const char *name, struct vector *v, int scale, const void *alpha) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (v->n <= 0) return CUBLAS_SUCCESS;
    if (v->step_x < 0 || v->step_y < 0)
        return blas_refuse(call, "a vector that is taken backwards (a negative increment)");
    if (alpha) {
        struct gemm g = {.m = 0};
        blas_factors(&g, h->pointer_mode, scale, alpha, alpha);
        v->alpha_at = g.alpha_at;
        memcpy(v->alpha, g.alpha, sizeof v->alpha);
    }
    return launch(h, module, name, blocks_of(v->n), v);
}

// `bytes` of the result; where the call's pointers lead to the host it is waited for.
static blas_status reduce(struct blas_handle *h, const char *call, enum blas_module module,
                          const char *name, struct vector *v, void *result, size_t bytes) {
    char end[16];
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!result) return CUBLAS_INVALID_VALUE;
    if (v->step_x < 0 || v->step_y < 0)
        return blas_refuse(call, "a vector that is taken backwards (a negative increment)");
    v->parts = h->parts;
    v->n_parts = v->n > 0 ? blocks_of(v->n) : 0;
    const CUdeviceptr here = h->parts + (CUdeviceptr)16 * BLAS_PARTS;
    v->out = h->pointer_mode == POINTER_DEVICE ? (uintptr_t)result : here;
    blas_status s = v->n_parts ? launch(h, module, name, v->n_parts, v) : CUBLAS_SUCCESS;
    snprintf(end, sizeof end, "%s_end", name);
    if (s == CUBLAS_SUCCESS) s = launch(h, module, end, 1, v);
    if (s != CUBLAS_SUCCESS || h->pointer_mode == POINTER_DEVICE) return s;
    CUresult r = cuMemcpyDtoHAsync_v2(result, here, bytes, h->stream);
    if (r == CUDA_SUCCESS) r = cuStreamSynchronize(h->stream);
    return blas_of(r);
}

#define VECTOR(x_, sx, y_, sy)                                                                     \
    { .n = n, .x = (uintptr_t)(x_), .step_x = (sx), .y = (uintptr_t)(y_), .step_y = (sy) }
#define VECTORS(suffix, N)                                                                         \
    VECTOR_CALLS(S, s, float, float, TYPE_R_32F, suffix, N)                                        \
    VECTOR_CALLS(D, d, double, double, TYPE_R_64F, suffix, N)                                      \
    VECTOR_CALLS(C, c, struct pair32, float, TYPE_C_32F, suffix, N)                                \
    VECTOR_CALLS(Z, z, struct pair64, double, TYPE_C_64F, suffix, N)                               \
    DOT(Sdot, s, float, 0, suffix, N)                                                              \
    DOT(Ddot, d, double, 0, suffix, N)                                                             \
    DOT(Cdotu, c, struct pair32, 0, suffix, N)                                                     \
    DOT(Cdotc, c, struct pair32, 1, suffix, N)                                                     \
    DOT(Zdotu, z, struct pair64, 0, suffix, N)                                                     \
    DOT(Zdotc, z, struct pair64, 1, suffix, N)                                                     \
    SUM(Snrm2, nrm2, s, float, float, suffix, N)                                                   \
    SUM(Dnrm2, nrm2, d, double, double, suffix, N)                                                 \
    SUM(Scnrm2, nrm2, c, struct pair32, float, suffix, N)                                          \
    SUM(Dznrm2, nrm2, z, struct pair64, double, suffix, N)                                         \
    SUM(Sasum, asum, s, float, float, suffix, N)                                                   \
    SUM(Dasum, asum, d, double, double, suffix, N)                                                 \
    SUM(Scasum, asum, c, struct pair32, float, suffix, N)                                          \
    SUM(Dzasum, asum, z, struct pair64, double, suffix, N)
#define VECTOR_CALLS(letter, module, T, R, type, suffix, N)                                        \
    BLAS_API blas_status cublas##letter##axpy_v2##suffix(blas_handle_t h, N n, const T *alpha,     \
                                                         const T *x, N sx, T *y, N sy);            \
    blas_status cublas##letter##axpy_v2##suffix(blas_handle_t h, N n, const T *alpha, const T *x,  \
                                                N sx, T *y, N sy) {                                \
        if (!alpha) return CUBLAS_INVALID_VALUE;                                                   \
        struct vector v = VECTOR(x, sx, y, sy);                                                    \
        return map(h, "cublas" #letter "axpy" #suffix, BLAS_v##module, "axpy", &v, type, alpha);   \
    }                                                                                              \
    BLAS_API blas_status cublas##letter##scal_v2##suffix(blas_handle_t h, N n, const T *alpha,     \
                                                         T *x, N sx);                              \
    blas_status cublas##letter##scal_v2##suffix(blas_handle_t h, N n, const T *alpha, T *x,        \
                                                N sx) {                                            \
        if (!alpha) return CUBLAS_INVALID_VALUE;                                                   \
        struct vector v = VECTOR(x, sx, x, sx);                                                    \
        return map(h, "cublas" #letter "scal" #suffix, BLAS_v##module, "scal", &v, type, alpha);   \
    }                                                                                              \
    BLAS_API blas_status cublas##letter##copy_v2##suffix(blas_handle_t h, N n, const T *x, N sx,   \
                                                         T *y, N sy);                              \
    blas_status cublas##letter##copy_v2##suffix(blas_handle_t h, N n, const T *x, N sx, T *y,      \
                                                N sy) {                                            \
        struct vector v = VECTOR(x, sx, y, sy);                                                    \
        return map(h, "cublas" #letter "copy" #suffix, BLAS_v##module, "copy", &v, type, NULL);    \
    }                                                                                              \
    BLAS_API blas_status cublas##letter##swap_v2##suffix(blas_handle_t h, N n, T *x, N sx, T *y,   \
                                                         N sy);                                    \
    blas_status cublas##letter##swap_v2##suffix(blas_handle_t h, N n, T *x, N sx, T *y, N sy) {    \
        struct vector v = VECTOR(x, sx, y, sy);                                                    \
        return map(h, "cublas" #letter "swap" #suffix, BLAS_v##module, "swap", &v, type, NULL);    \
    }
#define DOT(name, module, T, is_conj, suffix, N)                                                   \
    BLAS_API blas_status cublas##name##_v2##suffix(blas_handle_t h, N n, const T *x, N sx,         \
                                                   const T *y, N sy, T *result);                   \
    blas_status cublas##name##_v2##suffix(blas_handle_t h, N n, const T *x, N sx, const T *y,      \
                                          N sy, T *result) {                                       \
        struct vector v = VECTOR(x, sx, y, sy);                                                    \
        v.conj = is_conj;                                                                          \
        return reduce(h, "cublas" #name #suffix, BLAS_v##module, "dot", &v, result,                \
                      sizeof *result);                                                             \
    }
#define SUM(name, kernel, module, T, R, suffix, N)                                                 \
    BLAS_API blas_status cublas##name##_v2##suffix(blas_handle_t h, N n, const T *x, N sx,         \
                                                   R *result);                                     \
    blas_status cublas##name##_v2##suffix(blas_handle_t h, N n, const T *x, N sx, R *result) {     \
        struct vector v = VECTOR(x, sx, x, sx);                                                    \
        return reduce(h, "cublas" #name #suffix, BLAS_v##module, #kernel, &v, result,              \
                      sizeof *result);                                                             \
    }
VECTORS(, int)
VECTORS(_64, int64_t)

// cublasIsamax_v2 and the like: the letter is a small one.
#define PLACE_CALL(letter, kind, T, least)                                                         \
    BLAS_API blas_status cublasI##letter##kind##_v2(blas_handle_t h, int n, const T *x, int sx,    \
                                                    int *result);                                  \
    blas_status cublasI##letter##kind##_v2(blas_handle_t h, int n, const T *x, int sx,             \
                                           int *result) {                                          \
        struct vector v = VECTOR(x, sx, x, sx);                                                    \
        v.wants_least = least;                                                                     \
        return reduce(h, "cublasI" #letter #kind, BLAS_v##letter, "amax", &v, result,              \
                      sizeof *result);                                                             \
    }
#define PLACE_CALLS(letter, T) PLACE_CALL(letter, amax, T, 0) PLACE_CALL(letter, amin, T, 1)
PLACE_CALLS(s, float)
PLACE_CALLS(d, double)
PLACE_CALLS(c, struct pair32)
PLACE_CALLS(z, struct pair64)

// ---- a matrix and vectors -----------------------------------------------------------------------
// y = alpha op(A) x + beta y as a row: y' = alpha x' op(A)' + beta y'. Rows may have any distance between their elements.
static blas_status matrix_vector(struct blas_handle *h, const char *call, int op, int64_t m,
                                 int64_t n, int type, const void *alpha,
                                 const struct gemm_matrix *a, const struct gemm_matrix *x,
                                 const void *beta, const struct gemm_matrix *y, int64_t count) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!alpha || !beta || m < 0 || n < 0 || count < 0 || op < 0 || op > OPERATION_C ||
        a->lead < (m > 1 ? m : 1) || !x->lead || !y->lead)
        return CUBLAS_INVALID_VALUE;
    if (m > INT32_MAX || n > INT32_MAX || count > INT32_MAX)
        return blas_refuse(call, "a side of more than 2147483647");
    if (x->lead < 0 || y->lead < 0)
        return blas_refuse(call, "a vector that is taken backwards (a negative increment)");
    struct gemm g = {.m = 1,
                     .n = (int32_t)(op ? n : m),
                     .k = (int32_t)(op ? m : n),
                     .a = *x,
                     .b = *a,
                     .c = *y,
                     .d = *y};
    blas_factors(&g, h->pointer_mode, type, alpha, beta);
    const struct blas_types types = {type, type, type, false};
    const int op_b = op == OPERATION_C ? OPERATION_CONJG : op ? OPERATION_N : OPERATION_T;
    return blas_product(h, call, OPERATION_N, op_b, &types, &g, (uint32_t)count);
}
static struct gemm_matrix plain(const void *at, int64_t lead, int64_t step) {
    return (struct gemm_matrix){.at = (uintptr_t)at, .lead = lead, .step = step};
}
static struct gemm_matrix list(const void *at, int64_t lead) {
    return (struct gemm_matrix){.at = (uintptr_t)at, .lead = lead, .is_list = 1};
}
#define GEMV(letter, T, type)                                                                      \
    BLAS_API blas_status cublas##letter##gemv_v2(blas_handle_t h, int op, int m, int n,            \
                                                 const T *alpha, const T *a, int lda, const T *x,  \
                                                 int sx, const T *beta, T *y, int sy);             \
    blas_status cublas##letter##gemv_v2(blas_handle_t h, int op, int m, int n, const T *alpha,     \
                                        const T *a, int lda, const T *x, int sx, const T *beta,    \
                                        T *y, int sy) {                                            \
        const struct gemm_matrix a_ = plain(a, lda, 0), x_ = plain(x, sx, 0),                      \
                                 y_ = plain(y, sy, 0);                                             \
        return matrix_vector(h, "cublas" #letter "gemv", op, m, n, type, alpha, &a_, &x_, beta,    \
                             &y_, 1);                                                              \
    }                                                                                              \
    BLAS_API blas_status cublas##letter##gemvBatched(                                              \
        blas_handle_t h, int op, int m, int n, const T *alpha, const T *const *a, int lda,         \
        const T *const *x, int sx, const T *beta, T *const *y, int sy, int count);                 \
    blas_status cublas##letter##gemvBatched(blas_handle_t h, int op, int m, int n, const T *alpha, \
                                            const T *const *a, int lda, const T *const *x, int sx, \
                                            const T *beta, T *const *y, int sy, int count) {       \
        const struct gemm_matrix a_ = list(a, lda), x_ = list(x, sx), y_ = list(y, sy);            \
        return matrix_vector(h, "cublas" #letter "gemvBatched", op, m, n, type, alpha, &a_, &x_,   \
                             beta, &y_, count);                                                    \
    }                                                                                              \
    BLAS_API blas_status cublas##letter##gemvStridedBatched(                                       \
        blas_handle_t h, int op, int m, int n, const T *alpha, const T *a, int lda,                \
        long long step_a, const T *x, int sx, long long step_x, const T *beta, T *y, int sy,       \
        long long step_y, int count);                                                              \
    blas_status cublas##letter##gemvStridedBatched(                                                \
        blas_handle_t h, int op, int m, int n, const T *alpha, const T *a, int lda,                \
        long long step_a, const T *x, int sx, long long step_x, const T *beta, T *y, int sy,       \
        long long step_y, int count) {                                                             \
        const struct gemm_matrix a_ = plain(a, lda, step_a), x_ = plain(x, sx, step_x),            \
                                 y_ = plain(y, sy, step_y);                                        \
        return matrix_vector(h, "cublas" #letter "gemvStridedBatched", op, m, n, type, alpha, &a_, \
                             &x_, beta, &y_, count);                                               \
    }
GEMV(S, float, TYPE_R_32F)
GEMV(D, double, TYPE_R_64F)
GEMV(C, struct pair32, TYPE_C_32F)
GEMV(Z, struct pair64, TYPE_C_64F)

// A = alpha x y' + A.
static blas_status outer(struct blas_handle *h, const char *call, int64_t m, int64_t n, int type,
                         bool conj, const void *alpha, const void *x, int64_t sx, const void *y,
                         int64_t sy, void *a, int64_t lda) {
    static const struct pair64 one64 = {1, 0};
    static const struct pair32 one32 = {1, 0};
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!alpha || m < 0 || n < 0 || lda < (m > 1 ? m : 1) || !sx || !sy)
        return CUBLAS_INVALID_VALUE;
    if (sx < 0 || sy < 0)
        return blas_refuse(call, "a vector that is taken backwards (a negative increment)");
    struct gemm g = {.m = (int32_t)m,
                     .n = (int32_t)n,
                     .k = 1,
                     .a = plain(x, sx, 0),
                     .b = plain(y, sy, 0),
                     .c = plain(a, lda, 0)};
    g.d = g.c;
    const void *const one =
        type == TYPE_R_64F || type == TYPE_C_64F ? (const void *)&one64 : &one32;
    blas_factors(&g, POINTER_HOST, type, one, one);
    blas_factors(&g, h->pointer_mode, type, alpha, one);
    g.beta_at = 0;
    const struct blas_types types = {type, type, type, false};
    return blas_product(h, call, OPERATION_T, conj ? OPERATION_CONJG : OPERATION_N, &types, &g, 1);
}
#define GER(name, T, type, conj)                                                                   \
    BLAS_API blas_status cublas##name##_v2(blas_handle_t h, int m, int n, const T *alpha,          \
                                           const T *x, int sx, const T *y, int sy, T *a, int lda); \
    blas_status cublas##name##_v2(blas_handle_t h, int m, int n, const T *alpha, const T *x,       \
                                  int sx, const T *y, int sy, T *a, int lda) {                     \
        return outer(h, "cublas" #name, m, n, type, conj, alpha, x, sx, y, sy, a, lda);            \
    }
GER(Sger, float, TYPE_R_32F, false)
GER(Dger, double, TYPE_R_64F, false)
GER(Cgeru, struct pair32, TYPE_C_32F, false)
GER(Zgeru, struct pair64, TYPE_C_64F, false)
GER(Cgerc, struct pair32, TYPE_C_32F, true)
GER(Zgerc, struct pair64, TYPE_C_64F, true)
