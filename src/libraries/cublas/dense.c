// Triangular systems, LU, QR and least squares of batches.
#include "form.h"

#include <stdlib.h>

#define EACH_TYPE(ROWS)                                                                            \
    ROWS(S, TYPE_R_32F)                                                                            \
    ROWS(D, TYPE_R_64F)                                                                            \
    ROWS(C, TYPE_C_32F)                                                                            \
    ROWS(Z, TYPE_C_64F)

static struct dense_factor factor_of(const struct blas_handle *h, int type, const void *alpha) {
    struct gemm g = {.m = 0};
    blas_factors(&g, h->pointer_mode, type, alpha, alpha);
    return (struct dense_factor){{g.alpha[0], g.alpha[1]}, g.alpha_at};
}
static bool fits(int m, int n, int64_t lead) { return m >= 0 && n >= 0 && lead >= (m > 1 ? m : 1); }

static blas_status triangle(blas_handle_t h, const char *call, int type, int side, int fill, int op,
                            int diagonal, int64_t m, int64_t n, const void *alpha,
                            struct gemm_matrix a, struct gemm_matrix b, int64_t count) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!alpha || side < SIDE_LEFT || side > SIDE_RIGHT || fill < FILL_LOWER || fill > FILL_UPPER ||
        op < OPERATION_N || op > OPERATION_C || diagonal < DIAGONAL_NON_UNIT ||
        diagonal > DIAGONAL_UNIT || m < 0 || n < 0 || count < 0 || m > INT32_MAX || n > INT32_MAX ||
        count > INT32_MAX || !fits((int)m, (int)n, b.lead) || a.lead < (side == SIDE_LEFT ? m : n))
        return CUBLAS_INVALID_VALUE;
    const struct dense_batch x = {h, call, type, (uint32_t)count};
    if (!count) return CUBLAS_SUCCESS;
    return dense_triangle(&x, side, fill, op, diagonal, (int)m, (int)n, factor_of(h, type, alpha),
                          a, b);
}
#define TRIANGLES(letter, type, suffix, N)                                                         \
    API(cublas##letter##trsm_v2##suffix, blas_handle_t h, int side, int fill, int op,              \
        int diagonal, N m, N n, const void *alpha, const void *a, N lda, void *b, N ldb) {         \
        return triangle(h, "cublas" #letter "trsm_v2" #suffix, type, side, fill, op, diagonal, m,  \
                        n, alpha, dense_one(a, lda), dense_one(b, ldb), 1);                        \
    }                                                                                              \
    API(cublas##letter##trsmBatched##suffix, blas_handle_t h, int side, int fill, int op,          \
        int diagonal, N m, N n, const void *alpha, const void *const *a, N lda, void *const *b,    \
        N ldb, N count) {                                                                          \
        return triangle(h, "cublas" #letter "trsmBatched" #suffix, type, side, fill, op, diagonal, \
                        m, n, alpha, dense_list(a, lda), dense_list((const void *const *)b, ldb),  \
                        count);                                                                    \
    }
#define TRIANGLES_OF(letter, type)                                                                 \
    TRIANGLES(letter, type, , int)                                                                 \
    TRIANGLES(letter, type, _64, int64_t)
EACH_TYPE(TRIANGLES_OF)

// ---- LU -----------------------------------------------------------------------------------------------------
static struct dense_numbers numbers(const int *at, int64_t step) {
    return (struct dense_numbers){(uintptr_t)at, step};
}

static blas_status lu(blas_handle_t h, const char *call, int type, int n, const void *const *a,
                      int lda, int *pivots, int *info, int count) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!fits(n, n, lda) || count < 0 || !info) return CUBLAS_INVALID_VALUE;
    const struct dense_batch x = {h, call, type, (uint32_t)count};
    return count && n ? dense_lu(&x, n, n, dense_list(a, lda), numbers(pivots, n), numbers(info, 1))
                      : CUBLAS_SUCCESS;
}
static blas_status lu_solve(blas_handle_t h, const char *call, int type, int op, int n, int sides,
                            const void *const *a, int lda, const int *pivots, const void *const *b,
                            int ldb, int *info, int count) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!info) return CUBLAS_INVALID_VALUE;
    *info = op < OPERATION_N || op > OPERATION_C ? -1
            : n < 0                              ? -2
            : sides < 0                          ? -3
            : lda < n                            ? -5
            : ldb < n                            ? -8
            : count < 0                          ? -10
                                                 : 0;
    if (*info) return CUBLAS_INVALID_VALUE;
    const struct dense_batch x = {h, call, type, (uint32_t)count};
    return count && n && sides ? dense_lu_solve(&x, op, n, sides, dense_list(a, lda),
                                                numbers(pivots, n), dense_list(b, ldb))
                               : CUBLAS_SUCCESS;
}
// The inverse: the identity's rows exchanged, and solved for.
static blas_status lu_inverse(blas_handle_t h, const char *call, int type, int n,
                              const void *const *a, int lda, const int *pivots,
                              const void *const *c, int ldc, int *info, int count) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!fits(n, n, lda) || !fits(n, n, ldc) || count < 0 || !info) return CUBLAS_INVALID_VALUE;
    const struct dense_batch x = {h, call, type, (uint32_t)count};
    if (!count || !n) return CUBLAS_SUCCESS;
    blas_status s = blas_of(cuMemsetD32Async((uintptr_t)info, 0, (size_t)count, h->stream));
    if (!s) s = dense_identity(&x, n, n, dense_list(c, ldc));
    return s ? s
             : dense_lu_solve(&x, OPERATION_N, n, n, dense_list(a, lda), numbers(pivots, n),
                              dense_list(c, ldc));
}

// The inverses of small matrices, which stay as they are: their factors lie in memory of the call's own.
static blas_status inverse(blas_handle_t h, const char *call, int type, int n, const void *const *a,
                           int lda, const void *const *c, int ldc, int *info, int count) {
    enum { LARGEST = 32 }; // the documented bound
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!fits(n, n, lda) || !fits(n, n, ldc) || count < 0 || !info || n > LARGEST)
        return CUBLAS_INVALID_VALUE;
    if (!count || !n) return CUBLAS_SUCCESS;
    const struct dense_batch x = {h, call, type, (uint32_t)count};
    const size_t square = (size_t)n * (size_t)n, bytes = square * blas_type_bytes(type);
    CUdeviceptr work;
    blas_status s =
        blas_of(cuMemAllocAsync(&work, (bytes + 4 * (size_t)n + 12) * (size_t)count, h->stream));
    if (s) return s;
    const struct gemm_matrix lu_of = {.at = work, .lead = n, .step = (int64_t)square};
    const struct dense_numbers pivots = {work + (bytes + 7) / 8 * 8 * (size_t)count, n};
    s = dense_copy(&x, n, n, false, dense_list(a, lda), lu_of);
    if (!s) s = dense_lu(&x, n, n, lu_of, pivots, numbers(info, 1));
    if (!s) s = dense_identity(&x, n, n, dense_list(c, ldc));
    if (!s) s = dense_lu_solve(&x, OPERATION_N, n, n, lu_of, pivots, dense_list(c, ldc));
    const blas_status freed = blas_of(cuMemFreeAsync(work, h->stream));
    return s ? s : freed;
}

// ---- QR and least squares -----------------------------------------------------------------------------------
static blas_status qr(blas_handle_t h, const char *call, int type, int m, int n,
                      const void *const *a, int lda, const void *const *tau, int *info, int count) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!info) return CUBLAS_INVALID_VALUE;
    *info = m < 0 ? -1 : n < 0 ? -2 : lda < m ? -4 : count < 0 ? -7 : 0;
    if (*info) return CUBLAS_INVALID_VALUE;
    const struct dense_batch x = {h, call, type, (uint32_t)count};
    return count && m && n ? dense_qr(&x, m, n, dense_list(a, lda), dense_list(tau, 1))
                           : CUBLAS_SUCCESS;
}
// min |c - a x|: x over the first n rows of c. The factors of the reflections lie in memory of the call's own.
static blas_status least_squares(blas_handle_t h, const char *call, int type, int op, int m, int n,
                                 int sides, const void *const *a, int lda, const void *const *c,
                                 int ldc, int *info, int *device_info, int count) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!info) return CUBLAS_INVALID_VALUE;
    if (op != OPERATION_N || m < n)
        return blas_refuse(call, "a transposed matrix, or one with more columns than rows");
    *info = m < 0       ? -2
            : n < 0     ? -3
            : sides < 0 ? -4
            : lda < m   ? -6
            : ldc < m   ? -8
            : count < 0 ? -11
                        : 0;
    if (*info) return CUBLAS_INVALID_VALUE;
    if (!count || !n || !sides) return CUBLAS_SUCCESS;
    const struct dense_batch x = {h, call, type, (uint32_t)count};
    CUdeviceptr tau_at;
    blas_status s =
        blas_of(cuMemAlloc_v2(&tau_at, (size_t)count * (size_t)n * blas_type_bytes(type)));
    if (s) return s;
    const struct gemm_matrix tau = {.at = tau_at, .lead = 1, .step = n}, la = dense_list(a, lda),
                             lc = dense_list(c, ldc);
    if (device_info)
        s = blas_of(cuMemsetD32Async((uintptr_t)device_info, 0, (size_t)count, h->stream));
    if (!s) s = dense_qr(&x, m, n, la, tau);
    if (!s) s = dense_apply_q(&x, SIDE_LEFT, OPERATION_C, m, sides, n, la, tau, lc);
    if (!s)
        s = dense_triangle(&x, SIDE_LEFT, FILL_UPPER, OPERATION_N, DIAGONAL_NON_UNIT, n, sides,
                           (struct dense_factor){.value = {1}}, la, lc);
    cuStreamSynchronize(h->stream);
    cuMemFree_v2(tau_at);
    return s;
}
#define LISTS const void *const *
#define FACTORISATIONS(letter, type)                                                               \
    API(cublas##letter##getrfBatched, blas_handle_t h, int n, LISTS a, int lda, int *pivots,       \
        int *info, int count) {                                                                    \
        return lu(h, "cublas" #letter "getrfBatched", type, n, a, lda, pivots, info, count);       \
    }                                                                                              \
    API(cublas##letter##getrsBatched, blas_handle_t h, int op, int n, int sides, LISTS a, int lda, \
        const int *pivots, LISTS b, int ldb, int *info, int count) {                               \
        return lu_solve(h, "cublas" #letter "getrsBatched", type, op, n, sides, a, lda, pivots, b, \
                        ldb, info, count);                                                         \
    }                                                                                              \
    API(cublas##letter##getriBatched, blas_handle_t h, int n, LISTS a, int lda, const int *pivots, \
        LISTS c, int ldc, int *info, int count) {                                                  \
        return lu_inverse(h, "cublas" #letter "getriBatched", type, n, a, lda, pivots, c, ldc,     \
                          info, count);                                                            \
    }                                                                                              \
    API(cublas##letter##matinvBatched, blas_handle_t h, int n, LISTS a, int lda, LISTS c, int ldc, \
        int *info, int count) {                                                                    \
        return inverse(h, "cublas" #letter "matinvBatched", type, n, a, lda, c, ldc, info, count); \
    }                                                                                              \
    API(cublas##letter##geqrfBatched, blas_handle_t h, int m, int n, LISTS a, int lda, LISTS tau,  \
        int *info, int count) {                                                                    \
        return qr(h, "cublas" #letter "geqrfBatched", type, m, n, a, lda, tau, info, count);       \
    }                                                                                              \
    API(cublas##letter##gelsBatched, blas_handle_t h, int op, int m, int n, int sides, LISTS a,    \
        int lda, LISTS c, int ldc, int *info, int *device_info, int count) {                       \
        return least_squares(h, "cublas" #letter "gelsBatched", type, op, m, n, sides, a, lda, c,  \
                             ldc, info, device_info, count);                                       \
    }
EACH_TYPE(FACTORISATIONS)
