// cuSOLVER of our own, its dense part: LU, Cholesky, QR, eigenvalues, singular values (src/libraries/dense). Types and numbers
// are those of the vendor's documented interface (cuSOLVER 10, 11 and 12).
#include "dense/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    SOLVER_SUCCESS = 0,
    SOLVER_NOT_INITIALIZED = 1,
    SOLVER_ALLOC_FAILED = 2,
    SOLVER_INVALID_VALUE = 3,
    SOLVER_EXECUTION_FAILED = 6,
    SOLVER_INTERNAL_ERROR = 7,
    SOLVER_NOT_SUPPORTED = 9
} solver_status;

static solver_status solver_of(blas_status s) {
    switch (s) {
    case CUBLAS_SUCCESS: return SOLVER_SUCCESS;
    case CUBLAS_NOT_INITIALIZED: return SOLVER_NOT_INITIALIZED;
    case CUBLAS_ALLOC_FAILED: return SOLVER_ALLOC_FAILED;
    case CUBLAS_INVALID_VALUE: return SOLVER_INVALID_VALUE;
    case CUBLAS_NOT_SUPPORTED: return SOLVER_NOT_SUPPORTED;
    case CUBLAS_INTERNAL_ERROR: return SOLVER_INTERNAL_ERROR;
    default: return SOLVER_EXECUTION_FAILED;
    }
}
#define API(name, ...)                                                                             \
    BLAS_API solver_status name(__VA_ARGS__);                                                      \
    solver_status name(__VA_ARGS__)
// Names of a type's calls: orthogonal and symmetric of real matrices, unitary and Hermitian of complex ones.
#define EACH_TYPE(ROWS)                                                                            \
    ROWS(S, or, sy, TYPE_R_32F)                                                                    \
    ROWS(D, or, sy, TYPE_R_64F)                                                                    \
    ROWS(C, un, he, TYPE_C_32F)                                                                    \
    ROWS(Z, un, he, TYPE_C_64F)

// ---- handles and settings -------------------------------------------------------------------------------------
API(cusolverDnCreate, blas_handle_t *h) {
    return h ? solver_of(blas_handle_new(h)) : SOLVER_INVALID_VALUE;
}
API(cusolverDnDestroy, blas_handle_t h) { return solver_of(blas_handle_delete(h)); }
API(cusolverDnSetStream, blas_handle_t h, CUstream stream) {
    if (!blas_is_handle(h)) return SOLVER_NOT_INITIALIZED;
    h->stream = stream;
    return SOLVER_SUCCESS;
}
API(cusolverDnGetStream, blas_handle_t h, CUstream *stream) {
    if (!blas_is_handle(h)) return SOLVER_NOT_INITIALIZED;
    if (!stream) return SOLVER_INVALID_VALUE;
    *stream = h->stream;
    return SOLVER_SUCCESS;
}
static const int version[3] = {LIBRARY_MAJOR, 0, 0};
API(cusolverGetVersion, int *out) {
    if (!out) return SOLVER_INVALID_VALUE;
    *out = version[0] * 1000;
    return SOLVER_SUCCESS;
}
API(cusolverGetProperty, int which, int *out) {
    if (which < 0 || which > 2 || !out) return SOLVER_INVALID_VALUE;
    *out = version[which];
    return SOLVER_SUCCESS;
}
// Every sum here is made in one order.
API(cusolverDnSetDeterministicMode, blas_handle_t h, int mode) {
    (void)mode;
    return blas_is_handle(h) ? SOLVER_SUCCESS : SOLVER_NOT_INITIALIZED;
}
API(cusolverDnGetDeterministicMode, blas_handle_t h, int *mode) {
    if (!blas_is_handle(h) || !mode) return SOLVER_INVALID_VALUE;
    *mode = 1;
    return SOLVER_SUCCESS;
}
// Settings of Jacobi's method: it goes on until rotations are below the rounding of the type, and always sorts.
struct settings {
    double tolerance;
    int sweeps, sorts;
};
#define SETTINGS(Name, name)                                                                       \
    API(cusolverDnCreate##Name##Info, struct settings **out) {                                     \
        if (!out) return SOLVER_INVALID_VALUE;                                                     \
        *out = calloc(1, sizeof **out);                                                            \
        return *out ? SOLVER_SUCCESS : SOLVER_ALLOC_FAILED;                                        \
    }                                                                                              \
    API(cusolverDnDestroy##Name##Info, struct settings *s) {                                       \
        free(s);                                                                                   \
        return SOLVER_SUCCESS;                                                                     \
    }                                                                                              \
    API(cusolverDnX##name##SetTolerance, struct settings *s, double tolerance) {                   \
        if (!s) return SOLVER_INVALID_VALUE;                                                       \
        s->tolerance = tolerance;                                                                  \
        return SOLVER_SUCCESS;                                                                     \
    }                                                                                              \
    API(cusolverDnX##name##SetMaxSweeps, struct settings *s, int sweeps) {                         \
        if (!s || sweeps < 1) return SOLVER_INVALID_VALUE;                                         \
        s->sweeps = sweeps;                                                                        \
        return SOLVER_SUCCESS;                                                                     \
    }                                                                                              \
    API(cusolverDnX##name##SetSortEig, struct settings *s, int sorts) {                            \
        if (!s) return SOLVER_INVALID_VALUE;                                                       \
        s->sorts = sorts;                                                                          \
        return SOLVER_SUCCESS;                                                                     \
    }
SETTINGS(Syevj, syevj)
SETTINGS(Gesvdj, gesvdj)
API(cusolverDnCreateParams, void **out) {
    if (!out) return SOLVER_INVALID_VALUE;
    *out = calloc(1, 8);
    return *out ? SOLVER_SUCCESS : SOLVER_ALLOC_FAILED;
}
API(cusolverDnDestroyParams, void *p) {
    free(p);
    return SOLVER_SUCCESS;
}
API(cusolverDnSetAdvOptions, void *p, int function, int algorithm) {
    (void)function, (void)algorithm;
    return p ? SOLVER_SUCCESS : SOLVER_INVALID_VALUE;
}

// ---- what the calls have in common --------------------------------------------------------------------------
static struct dense_numbers numbers(const void *at, int64_t step) {
    return (struct dense_numbers){(uintptr_t)at, step};
}
static bool is_type(int type) {
    return type == TYPE_R_32F || type == TYPE_R_64F || type == TYPE_C_32F || type == TYPE_C_64F;
}
static bool is_size(int64_t n) { return n >= 0 && n <= INT32_MAX; }
static bool fits(int64_t m, int64_t n, int64_t lead) {
    return is_size(m) && is_size(n) && lead >= (m > 1 ? m : 1);
}
static blas_status clear(blas_handle_t h, const int *info, uint32_t count) {
    return info ? blas_of(cuMemsetD32Async((uintptr_t)info, 0, count, h->stream)) : CUBLAS_SUCCESS;
}
// The answer of a call about its work area, in elements.
static solver_status area(blas_handle_t h, int64_t elements, int *out) {
    if (!blas_is_handle(h)) return SOLVER_NOT_INITIALIZED;
    if (!out || elements > INT32_MAX) return SOLVER_INVALID_VALUE;
    *out = elements < 1 ? 1 : (int)elements;
    return SOLVER_SUCCESS;
}
static solver_status area_bytes(blas_handle_t h, int type, int64_t elements, size_t *device,
                                size_t *host) {
    if (!blas_is_handle(h)) return SOLVER_NOT_INITIALIZED;
    if (!device || !host || !is_type(type)) return SOLVER_INVALID_VALUE;
    *device = (size_t)(elements < 1 ? 1 : elements) * blas_type_bytes(type);
    *host = 0;
    return SOLVER_SUCCESS;
}
#define NEED(condition)                                                                            \
    if (!blas_is_handle(h)) return SOLVER_NOT_INITIALIZED;                                         \
    if (!(condition)) return SOLVER_INVALID_VALUE;
static bool is_fill(int fill) { return fill == FILL_LOWER || fill == FILL_UPPER; }

// ---- LU -------------------------------------------------------------------------------------------------------
static solver_status lu(blas_handle_t h, const char *call, int type, int m, int n, void *a, int lda,
                        int *pivots, int *info) {
    NEED(fits(m, n, lda) && info)
    const struct dense_batch x = {h, call, type, 1};
    if (!m || !n) return solver_of(clear(h, info, 1));
    return solver_of(dense_lu(&x, m, n, dense_one(a, lda), numbers(pivots, 0), numbers(info, 0)));
}
static solver_status lu_solve(blas_handle_t h, const char *call, int type, int op, int n, int sides,
                              const void *a, int lda, const int *pivots, void *b, int ldb,
                              int *info) {
    NEED(fits(n, n, lda) && fits(n, sides, ldb) && op >= OPERATION_N && op <= OPERATION_C)
    const struct dense_batch x = {h, call, type, 1};
    const blas_status s = clear(h, info, 1);
    if (s || !n || !sides) return solver_of(s);
    return solver_of(
        dense_lu_solve(&x, op, n, sides, dense_one(a, lda), numbers(pivots, 0), dense_one(b, ldb)));
}
// ---- Cholesky ---------------------------------------------------------------------------------------------------
static solver_status cholesky(blas_handle_t h, const char *call, int type, int fill, int64_t n,
                              struct gemm_matrix a, int *info, int count) {
    NEED(fits(n, n, a.lead) && is_fill(fill) && info && count >= 0)
    const struct dense_batch x = {h, call, type, (uint32_t)count};
    if (!n || !count) return solver_of(count ? clear(h, info, (uint32_t)count) : CUBLAS_SUCCESS);
    return solver_of(dense_cholesky(&x, fill, (int)n, a, numbers(info, 1)));
}
static solver_status cholesky_solve(blas_handle_t h, const char *call, int type, int fill,
                                    int64_t n, int64_t sides, struct gemm_matrix a,
                                    struct gemm_matrix b, int *info, int count) {
    NEED(fits(n, n, a.lead) && fits(n, sides, b.lead) && is_fill(fill) && count >= 0)
    const struct dense_batch x = {h, call, type, (uint32_t)count};
    const blas_status s = clear(h, info, 1);
    if (s || !n || !sides || !count) return solver_of(s);
    return solver_of(dense_cholesky_solve(&x, fill, (int)n, (int)sides, a, b));
}
// ---- QR -----------------------------------------------------------------------------------------------------------
static solver_status qr(blas_handle_t h, const char *call, int type, int64_t m, int64_t n, void *a,
                        int64_t lda, void *tau, int *info) {
    NEED(fits(m, n, lda))
    const struct dense_batch x = {h, call, type, 1};
    const blas_status s = clear(h, info, 1);
    return solver_of(
        s || !m || !n ? s : dense_qr(&x, (int)m, (int)n, dense_one(a, lda), dense_one(tau, 1)));
}
static solver_status make_q(blas_handle_t h, const char *call, int type, int m, int n, int k,
                            void *a, int lda, const void *tau, void *work, int *info) {
    NEED(fits(m, n, lda) && n <= m && k >= 0 && k <= n)
    const struct dense_batch x = {h, call, type, 1};
    const blas_status s = clear(h, info, 1);
    return solver_of(s || !m || !n ? s
                                   : dense_make_q(&x, m, n, k, dense_one(a, lda), dense_one(tau, 1),
                                                  dense_one(work, m)));
}
static solver_status apply_q(blas_handle_t h, const char *call, int type, int side, int op, int m,
                             int n, int k, const void *a, int lda, const void *tau, void *c,
                             int ldc, int *info) {
    const int length = side == SIDE_LEFT ? m : n;
    NEED(fits(m, n, ldc) && fits(length, k, lda) && k <= length && op >= OPERATION_N &&
         op <= OPERATION_C)
    const struct dense_batch x = {h, call, type, 1};
    const blas_status s = clear(h, info, 1);
    return solver_of(s || !m || !n ? s
                                   : dense_apply_q(&x, side, op, m, n, k, dense_one(a, lda),
                                                   dense_one(tau, 1), dense_one(c, ldc)));
}
// ---- eigenvalues --------------------------------------------------------------------------------------------------
static solver_status eigen(blas_handle_t h, const char *call, int type, int has_vectors, int fill,
                           int64_t n, void *a, int64_t lda, void *values, void *work, int *info,
                           int count) {
    NEED(fits(n, n, lda) && is_fill(fill) && n < 32768)
    const struct dense_batch x = {h, call, type, (uint32_t)count};
    if (!n || !count) return solver_of(count ? clear(h, info, (uint32_t)count) : CUBLAS_SUCCESS);
    return solver_of(dense_eigen(
        &x, has_vectors, fill, (int)n, dense_strided(a, lda, lda * n), numbers(values, n),
        dense_strided(work, n, dense_eigen_work((int)n)), numbers(info, 1)));
}
// ---- singular values ------------------------------------------------------------------------------------------------
struct singular {
    int m, n, count;
    struct gemm_matrix a, u, v;
    int u_columns, v_columns;
    bool is_adjoint;
    struct dense_numbers values;
    void *work;
    int *info;
};
static solver_status singular(blas_handle_t h, const char *call, int type,
                              const struct singular *p) {
    NEED(fits(p->m, p->n, p->a.lead) && p->count >= 0 && p->m < 32768 && p->n < 32768)
    const struct dense_batch x = {h, call, type, (uint32_t)p->count};
    if (!p->m || !p->n || !p->count) return SOLVER_SUCCESS;
    return solver_of(dense_singular(
        &x, p->m, p->n, p->a, p->values, p->u, p->u_columns, p->v, p->v_columns, p->is_adjoint,
        dense_strided(p->work, p->m, dense_singular_work(p->m, p->n)), numbers(p->info, 1)));
}
static int least(int a, int b) { return a < b ? a : b; }
static solver_status gesvd(blas_handle_t h, const char *call, int type, signed char job_u,
                           signed char job_v, int m, int n, void *a, int lda, void *values, void *u,
                           int ldu, void *v, int ldv, void *work, int *info) {
    NEED(m >= n)
    if (job_u == 'O' || job_v == 'O')
        return solver_of(blas_refuse(call, "vectors in place of the matrix"));
    const struct singular p = {.m = m,
                               .n = n,
                               .count = 1,
                               .a = dense_one(a, lda),
                               .u = dense_one(u, ldu),
                               .v = dense_one(v, ldv),
                               .u_columns = job_u == 'A'   ? m
                                            : job_u == 'S' ? n
                                                           : 0,
                               .v_columns = job_v == 'A' || job_v == 'S' ? n : 0,
                               .is_adjoint = true,
                               .values = numbers(values, 0),
                               .work = work,
                               .info = info};
    return singular(h, call, type, &p);
}
static solver_status gesvdj(blas_handle_t h, const char *call, int type, int has_vectors,
                            bool is_thin, int m, int n, void *a, int lda, void *values, void *u,
                            int ldu, void *v, int ldv, void *work, int *info, int count) {
    const int thin = least(m, n);
    const struct singular p = {.m = m,
                               .n = n,
                               .count = count,
                               .a = dense_strided(a, lda, (int64_t)lda * n),
                               .u = dense_strided(u, ldu, (int64_t)ldu * (is_thin ? thin : m)),
                               .v = dense_strided(v, ldv, (int64_t)ldv * (is_thin ? thin : n)),
                               .u_columns = !has_vectors ? 0
                                            : is_thin    ? thin
                                                         : m,
                               .v_columns = !has_vectors ? 0
                                            : is_thin    ? thin
                                                         : n,
                               .values = numbers(values, thin),
                               .work = work,
                               .info = info};
    return singular(h, call, type, &p);
}
// Writes ||A - U S V^H|| of each matrix to the host, and waits for it. Without vectors there is none: NaN.
static solver_status residuals_of(blas_handle_t h, const char *call, int type,
                                  const struct singular *p, double *to) {
    if (!p->u_columns || !p->m || !p->n)
        for (int i = 0; i < p->count; i++) to[i] = p->u_columns ? 0 : NAN;
    if (!p->u_columns || !p->m || !p->n || !p->count) return SOLVER_SUCCESS;
    const struct dense_batch x = {h, call, type, (uint32_t)p->count};
    const struct dense_residuals r =
        dense_residual(&x, p->m, p->n, p->u_columns, p->a, p->u, p->values, p->v,
                       dense_strided(p->work, p->m, dense_singular_work(p->m, p->n)));
    if (r.status) return solver_of(r.status);
    // Each norm arrives at the place of its double, and is widened there.
    const bool is_double = type == TYPE_R_64F || type == TYPE_C_64F;
    const size_t real = is_double ? sizeof(double) : sizeof(float);
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = r.norms.at,
                                .srcPitch = (size_t)r.norms.step * real,
                                .dstMemoryType = CU_MEMORYTYPE_HOST,
                                .dstHost = to,
                                .dstPitch = sizeof *to,
                                .WidthInBytes = real,
                                .Height = (size_t)p->count};
    blas_status s = blas_of(cuMemcpy2DAsync_v2(&copy, h->stream));
    if (!s) s = blas_of(cuStreamSynchronize(h->stream));
    for (int i = 0; !s && !is_double && i < p->count; i++) {
        float norm;
        memcpy(&norm, &to[i], sizeof norm);
        to[i] = norm;
    }
    return solver_of(s);
}
// All singular values, and their vectors. Fewer of them (`rank`) are refused.
static solver_status gesvda(blas_handle_t h, const char *call, int type, int has_vectors, int rank,
                            int m, int n, const void *a, int lda, long long step_a, void *values,
                            long long step_s, void *u, int ldu, long long step_u, void *v, int ldv,
                            long long step_v, void *work, int *info, double *residuals, int count) {
    if (rank != least(m, n))
        return solver_of(blas_refuse(call, "fewer singular values than the matrix has"));
    const struct singular p = {.m = m,
                               .n = n,
                               .count = count,
                               .a = dense_strided(a, lda, step_a),
                               .u = dense_strided(u, ldu, step_u),
                               .v = dense_strided(v, ldv, step_v),
                               .u_columns = has_vectors ? rank : 0,
                               .v_columns = has_vectors ? rank : 0,
                               .values = numbers(values, step_s),
                               .work = work,
                               .info = info};
    const solver_status s = singular(h, call, type, &p);
    return s || !residuals ? s : residuals_of(h, call, type, &p, residuals);
}

// ---- the calls of each type -----------------------------------------------------------------------------------------
#define NAME(letter, call) "cusolverDn" #letter #call
#define MATRIX             void *a, int lda
#define FIXED              const void *a, int lda
#define CALLS(L, or, sy, type)                                                                     \
    API(cusolverDn##L##getrf_bufferSize, blas_handle_t h, int m, int n, MATRIX, int *out) {        \
        (void)m, (void)n, (void)a, (void)lda;                                                      \
        return area(h, 1, out);                                                                    \
    }                                                                                              \
    API(cusolverDn##L##getrf, blas_handle_t h, int m, int n, MATRIX, void *work, int *pivots,      \
        int *info) {                                                                               \
        (void)work;                                                                                \
        return lu(h, NAME(L, getrf), type, m, n, a, lda, pivots, info);                            \
    }                                                                                              \
    API(cusolverDn##L##getrs, blas_handle_t h, int op, int n, int sides, FIXED, const int *pivots, \
        void *b, int ldb, int *info) {                                                             \
        return lu_solve(h, NAME(L, getrs), type, op, n, sides, a, lda, pivots, b, ldb, info);      \
    }                                                                                              \
    API(cusolverDn##L##potrf_bufferSize, blas_handle_t h, int fill, int n, MATRIX, int *out) {     \
        (void)fill, (void)n, (void)a, (void)lda;                                                   \
        return area(h, 1, out);                                                                    \
    }                                                                                              \
    API(cusolverDn##L##potrf, blas_handle_t h, int fill, int n, MATRIX, void *work, int size,      \
        int *info) {                                                                               \
        (void)work, (void)size;                                                                    \
        return cholesky(h, NAME(L, potrf), type, fill, n, dense_one(a, lda), info, 1);             \
    }                                                                                              \
    API(cusolverDn##L##potrfBatched, blas_handle_t h, int fill, int n, void *const *a, int lda,    \
        int *info, int count) {                                                                    \
        return cholesky(h, NAME(L, potrfBatched), type, fill, n,                                   \
                        dense_list((const void *const *)a, lda), info, count);                     \
    }                                                                                              \
    API(cusolverDn##L##potrs, blas_handle_t h, int fill, int n, int sides, FIXED, void *b,         \
        int ldb, int *info) {                                                                      \
        return cholesky_solve(h, NAME(L, potrs), type, fill, n, sides, dense_one(a, lda),          \
                              dense_one(b, ldb), info, 1);                                         \
    }                                                                                              \
    API(cusolverDn##L##potrsBatched, blas_handle_t h, int fill, int n, int sides, void *const *a,  \
        int lda, void *const *b, int ldb, int *info, int count) {                                  \
        return cholesky_solve(h, NAME(L, potrsBatched), type, fill, n, sides,                      \
                              dense_list((const void *const *)a, lda),                             \
                              dense_list((const void *const *)b, ldb), info, count);               \
    }                                                                                              \
    API(cusolverDn##L##geqrf_bufferSize, blas_handle_t h, int m, int n, MATRIX, int *out) {        \
        (void)m, (void)n, (void)a, (void)lda;                                                      \
        return area(h, 1, out);                                                                    \
    }                                                                                              \
    API(cusolverDn##L##geqrf, blas_handle_t h, int m, int n, MATRIX, void *tau, void *work,        \
        int size, int *info) {                                                                     \
        (void)work, (void)size;                                                                    \
        return qr(h, NAME(L, geqrf), type, m, n, a, lda, tau, info);                               \
    }                                                                                              \
    API(cusolverDn##L## or ##gqr_bufferSize, blas_handle_t h, int m, int n, int k, FIXED,          \
        const void *tau, int *out) {                                                               \
        (void)n, (void)a, (void)lda, (void)tau;                                                    \
        return area(h, (int64_t)m * k, out);                                                       \
    }                                                                                              \
    API(cusolverDn##L## or ##gqr, blas_handle_t h, int m, int n, int k, MATRIX, const void *tau,   \
        void *work, int size, int *info) {                                                         \
        (void)size;                                                                                \
        return make_q(h, NAME(L, or ##gqr), type, m, n, k, a, lda, tau, work, info);               \
    }                                                                                              \
    API(cusolverDn##L## or ##mqr_bufferSize, blas_handle_t h, int side, int op, int m, int n,      \
        int k, FIXED, const void *tau, const void *c, int ldc, int *out) {                         \
        (void)side, (void)op, (void)m, (void)n, (void)k, (void)a, (void)lda, (void)tau, (void)c,   \
            (void)ldc;                                                                             \
        return area(h, 1, out);                                                                    \
    }                                                                                              \
    API(cusolverDn##L## or ##mqr, blas_handle_t h, int side, int op, int m, int n, int k, FIXED,   \
        const void *tau, void *c, int ldc, void *work, int size, int *info) {                      \
        (void)work, (void)size;                                                                    \
        return apply_q(h, NAME(L, or ##mqr), type, side, op, m, n, k, a, lda, tau, c, ldc, info);  \
    }                                                                                              \
    API(cusolverDn##L##sy##evd_bufferSize, blas_handle_t h, int vectors, int fill, int n, FIXED,   \
        const void *w, int *out) {                                                                 \
        (void)vectors, (void)fill, (void)a, (void)lda, (void)w;                                    \
        return area(h, dense_eigen_work(n), out);                                                  \
    }                                                                                              \
    API(cusolverDn##L##sy##evd, blas_handle_t h, int vectors, int fill, int n, MATRIX, void *w,    \
        void *work, int size, int *info) {                                                         \
        (void)size;                                                                                \
        return eigen(h, NAME(L, sy##evd), type, vectors, fill, n, a, lda, w, work, info, 1);       \
    }                                                                                              \
    API(cusolverDn##L##sy##evj_bufferSize, blas_handle_t h, int vectors, int fill, int n, FIXED,   \
        const void *w, int *out, struct settings *s) {                                             \
        (void)vectors, (void)fill, (void)a, (void)lda, (void)w, (void)s;                           \
        return area(h, dense_eigen_work(n), out);                                                  \
    }                                                                                              \
    API(cusolverDn##L##sy##evj, blas_handle_t h, int vectors, int fill, int n, MATRIX, void *w,    \
        void *work, int size, int *info, struct settings *s) {                                     \
        (void)size, (void)s;                                                                       \
        return eigen(h, NAME(L, sy##evj), type, vectors, fill, n, a, lda, w, work, info, 1);       \
    }                                                                                              \
    API(cusolverDn##L##sy##evjBatched_bufferSize, blas_handle_t h, int vectors, int fill, int n,   \
        FIXED, const void *w, int *out, struct settings *s, int count) {                           \
        (void)vectors, (void)fill, (void)a, (void)lda, (void)w, (void)s;                           \
        return area(h, dense_eigen_work(n) * count, out);                                          \
    }                                                                                              \
    API(cusolverDn##L##sy##evjBatched, blas_handle_t h, int vectors, int fill, int n, MATRIX,      \
        void *w, void *work, int size, int *info, struct settings *s, int count) {                 \
        (void)size, (void)s;                                                                       \
        return eigen(h, NAME(L, sy##evjBatched), type, vectors, fill, n, a, lda, w, work, info,    \
                     count);                                                                       \
    }                                                                                              \
    API(cusolverDn##L##gesvd_bufferSize, blas_handle_t h, int m, int n, int *out) {                \
        return area(h, dense_singular_work(m, n), out);                                            \
    }                                                                                              \
    API(cusolverDn##L##gesvd, blas_handle_t h, signed char job_u, signed char job_v, int m, int n, \
        MATRIX, void *s, void *u, int ldu, void *v, int ldv, void *work, int size,                 \
        void *real_work, int *info) {                                                              \
        (void)size, (void)real_work;                                                               \
        return gesvd(h, NAME(L, gesvd), type, job_u, job_v, m, n, a, lda, s, u, ldu, v, ldv, work, \
                     info);                                                                        \
    }                                                                                              \
    API(cusolverDn##L##gesvdj_bufferSize, blas_handle_t h, int vectors, int thin, int m, int n,    \
        FIXED, const void *s, const void *u, int ldu, const void *v, int ldv, int *out,            \
        struct settings *p) {                                                                      \
        (void)vectors, (void)thin, (void)a, (void)lda, (void)s, (void)u, (void)ldu, (void)v,       \
            (void)ldv, (void)p;                                                                    \
        return area(h, dense_singular_work(m, n), out);                                            \
    }                                                                                              \
    API(cusolverDn##L##gesvdj, blas_handle_t h, int vectors, int thin, int m, int n, MATRIX,       \
        void *s, void *u, int ldu, void *v, int ldv, void *work, int size, int *info,              \
        struct settings *p) {                                                                      \
        (void)size, (void)p;                                                                       \
        return gesvdj(h, NAME(L, gesvdj), type, vectors, thin, m, n, a, lda, s, u, ldu, v, ldv,    \
                      work, info, 1);                                                              \
    }                                                                                              \
    API(cusolverDn##L##gesvdjBatched_bufferSize, blas_handle_t h, int vectors, int m, int n,       \
        FIXED, const void *s, const void *u, int ldu, const void *v, int ldv, int *out,            \
        struct settings *p, int count) {                                                           \
        (void)vectors, (void)a, (void)lda, (void)s, (void)u, (void)ldu, (void)v, (void)ldv,        \
            (void)p;                                                                               \
        return area(h, dense_singular_work(m, n) * count, out);                                    \
    }                                                                                              \
    API(cusolverDn##L##gesvdjBatched, blas_handle_t h, int vectors, int m, int n, MATRIX, void *s, \
        void *u, int ldu, void *v, int ldv, void *work, int size, int *info, struct settings *p,   \
        int count) {                                                                               \
        (void)size, (void)p;                                                                       \
        return gesvdj(h, NAME(L, gesvdjBatched), type, vectors, false, m, n, a, lda, s, u, ldu, v, \
                      ldv, work, info, count);                                                     \
    }                                                                                              \
    API(cusolverDn##L##gesvdaStridedBatched_bufferSize, blas_handle_t h, int vectors, int rank,    \
        int m, int n, FIXED, long long step_a, const void *s, long long step_s, const void *u,     \
        int ldu, long long step_u, const void *v, int ldv, long long step_v, int *out,             \
        int count) {                                                                               \
        (void)vectors, (void)rank, (void)a, (void)lda, (void)step_a, (void)s, (void)step_s,        \
            (void)u, (void)ldu, (void)step_u, (void)v, (void)ldv, (void)step_v;                    \
        return area(h, dense_singular_work(m, n) * count, out);                                    \
    }                                                                                              \
    API(cusolverDn##L##gesvdaStridedBatched, blas_handle_t h, int vectors, int rank, int m, int n, \
        FIXED, long long step_a, void *s, long long step_s, void *u, int ldu, long long step_u,    \
        void *v, int ldv, long long step_v, void *work, int size, int *info, double *residuals,    \
        int count) {                                                                               \
        (void)size;                                                                                \
        return gesvda(h, NAME(L, gesvdaStridedBatched), type, vectors, rank, m, n, a, lda, step_a, \
                      s, step_s, u, ldu, step_u, v, ldv, step_v, work, info, residuals, count);    \
    }
EACH_TYPE(CALLS)

// ---- types as arguments -----------------------------------------------------------------------------------------------
#define AREAS    void *area_device, size_t bytes_device, void *area_host, size_t bytes_host
#define NO_AREAS (void)area_device, (void)bytes_device, (void)area_host, (void)bytes_host
static solver_status refuse_type(const char *call, int type) {
    return solver_of(blas_refuse(call, "elements of type %d (cudaDataType)", type));
}

API(cusolverDnXpotrf_bufferSize, blas_handle_t h, void *p, int fill, int64_t n, int type,
    const void *a, int64_t lda, int compute, size_t *device, size_t *host) {
    (void)p, (void)fill, (void)n, (void)a, (void)lda, (void)compute;
    return area_bytes(h, type, 1, device, host);
}
API(cusolverDnXpotrf, blas_handle_t h, void *p, int fill, int64_t n, int type, void *a, int64_t lda,
    int compute, AREAS, int *info) {
    (void)p, (void)compute, NO_AREAS;
    if (!is_type(type)) return refuse_type("cusolverDnXpotrf", type);
    return cholesky(h, "cusolverDnXpotrf", type, fill, n, dense_one(a, lda), info, 1);
}
API(cusolverDnXpotrs, blas_handle_t h, void *p, int fill, int64_t n, int64_t sides, int type,
    const void *a, int64_t lda, int type_b, void *b, int64_t ldb, int *info) {
    (void)p;
    if (!is_type(type) || type_b != type) return refuse_type("cusolverDnXpotrs", type_b);
    return cholesky_solve(h, "cusolverDnXpotrs", type, fill, n, sides, dense_one(a, lda),
                          dense_one(b, ldb), info, 1);
}
API(cusolverDnXgeqrf_bufferSize, blas_handle_t h, void *p, int64_t m, int64_t n, int type,
    const void *a, int64_t lda, int type_tau, const void *tau, int compute, size_t *device,
    size_t *host) {
    (void)p, (void)m, (void)n, (void)a, (void)lda, (void)type_tau, (void)tau, (void)compute;
    return area_bytes(h, type, 1, device, host);
}
API(cusolverDnXgeqrf, blas_handle_t h, void *p, int64_t m, int64_t n, int type, void *a,
    int64_t lda, int type_tau, void *tau, int compute, AREAS, int *info) {
    (void)p, (void)compute, NO_AREAS;
    if (!is_type(type) || type_tau != type) return refuse_type("cusolverDnXgeqrf", type_tau);
    return qr(h, "cusolverDnXgeqrf", type, m, n, a, lda, tau, info);
}
API(cusolverDnXsyevd_bufferSize, blas_handle_t h, void *p, int vectors, int fill, int64_t n,
    int type, const void *a, int64_t lda, int type_w, const void *w, int compute, size_t *device,
    size_t *host) {
    (void)p, (void)vectors, (void)fill, (void)a, (void)lda, (void)type_w, (void)w, (void)compute;
    return area_bytes(h, type, dense_eigen_work((int)n), device, host);
}
API(cusolverDnXsyevd, blas_handle_t h, void *p, int vectors, int fill, int64_t n, int type, void *a,
    int64_t lda, int type_w, void *w, int compute, AREAS, int *info) {
    (void)p, (void)type_w, (void)compute, (void)bytes_device, (void)area_host, (void)bytes_host;
    if (!is_type(type)) return refuse_type("cusolverDnXsyevd", type);
    return eigen(h, "cusolverDnXsyevd", type, vectors, fill, n, a, lda, w, area_device, info, 1);
}
