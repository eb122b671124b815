// cuSOLVER of our own, its dense part: LU, Cholesky, QR, eigenvalues, singular values (src/libraries/dense). Types and numbers
// are those of the vendor's documented interface (cuSOLVER 10, 11 and 12).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cusolver.h"

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
static const int version[3] = {LIBRARY_MAJOR, LIBRARY_MINOR, 0};
API(cusolverGetVersion, int *out) {
    if (!out) return SOLVER_INVALID_VALUE;
    *out = version[0] * 1000 + version[1] * 100;
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

// Numbers of 32 bits become those of 64 bits, which pivots have where sizes have; or the low halves of those, a call's own memory.
static blas_status widen_pivots(blas_handle_t h, CUdeviceptr from, CUdeviceptr to, int64_t n) {
    if (!n || !to) return CUBLAS_SUCCESS;
    blas_status s = blas_of(cuMemsetD8Async(to, 0, 8 * (size_t)n, h->stream));
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = from,
                                .srcPitch = 4,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = to,
                                .dstPitch = 8,
                                .WidthInBytes = 4,
                                .Height = (size_t)n};
    return s ? s : blas_of(cuMemcpy2DAsync_v2(&copy, h->stream));
}
static blas_status narrow_pivots(blas_handle_t h, const int64_t *from, int64_t n,
                                 struct dense_numbers *out) {
    *out = (struct dense_numbers){0, 0};
    if (!from || !n) return CUBLAS_SUCCESS;
    CUdeviceptr at;
    blas_status s = blas_of(cuMemAllocAsync(&at, 4 * (size_t)n, h->stream));
    if (s) return s;
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = (uintptr_t)from,
                                .srcPitch = 8,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = at,
                                .dstPitch = 4,
                                .WidthInBytes = 4,
                                .Height = (size_t)n};
    s = blas_of(cuMemcpy2DAsync_v2(&copy, h->stream));
    if (s)
        cuMemFreeAsync(at, h->stream);
    else
        out->at = at;
    return s;
}
static blas_status drop_pivots(blas_handle_t h, struct dense_numbers pivots) {
    return pivots.at ? blas_of(cuMemFreeAsync(pivots.at, h->stream)) : CUBLAS_SUCCESS;
}

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
// The inverse from Cholesky's factor, in its triangle. `work`: n n elements.
static solver_status cholesky_inverse(blas_handle_t h, const char *call, int type, int fill, int n,
                                      void *a, int lda, void *work, int *info) {
    NEED(fits(n, n, lda) && is_fill(fill))
    const struct dense_batch x = {h, call, type, 1};
    const struct gemm_matrix whole = dense_one(work, n);
    blas_status s = clear(h, info, 1);
    if (s || !n) return solver_of(s);
    s = dense_identity(&x, n, n, whole);
    if (!s) s = dense_cholesky_solve(&x, fill, n, n, dense_one(a, lda), whole);
    if (!s) s = dense_copy_triangle(&x, fill, n, whole, dense_one(a, lda));
    return solver_of(s);
}
// ---- symmetric matrices -----------------------------------------------------------------------------------------
static solver_status symmetric(blas_handle_t h, const char *call, int type, int fill, int n,
                               void *a, int lda, int *pivots, int *info) {
    NEED(fits(n, n, lda) && is_fill(fill) && info)
    const struct dense_batch x = {h, call, type, 1};
    if (!n) return solver_of(clear(h, info, 1));
    return solver_of(
        dense_symmetric(&x, fill, n, dense_one(a, lda), numbers(pivots, 0), numbers(info, 0)));
}
// The inverse from those factors, in their triangle. `work`: n n elements.
static solver_status symmetric_inverse(blas_handle_t h, const char *call, int type, int fill, int n,
                                       void *a, int lda, const int *pivots, void *work, int *info) {
    NEED(fits(n, n, lda) && is_fill(fill))
    const struct dense_batch x = {h, call, type, 1};
    const struct gemm_matrix whole = dense_one(work, n);
    blas_status s = clear(h, info, 1);
    if (s || !n) return solver_of(s);
    s = dense_identity(&x, n, n, whole);
    if (!s) s = dense_symmetric_solve(&x, fill, n, n, dense_one(a, lda), numbers(pivots, 0), whole);
    if (!s) s = dense_copy_triangle(&x, fill, n, whole, dense_one(a, lda));
    return solver_of(s);
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
// Of those in ascending order some: all, the ones with numbers `from` to `to`, or the ones in (low, high].
enum range { RANGE_ALL = 1001, RANGE_NUMBERS = 1002, RANGE_VALUES = 1003 }; // cusolverEigRange_t
struct part_of {
    int range;
    double low, high;
    int64_t from, to;
};
// All are computed; where some are asked for, their number decides, which waits for the stream, and they move to the front.
static solver_status eigen_part(blas_handle_t h, const char *call, int type, int has_vectors,
                                struct part_of part, int fill, int64_t n, void *a, int64_t lda,
                                int64_t *found, void *values, void *work, int *info) {
    NEED(found && part.range >= RANGE_ALL && part.range <= RANGE_VALUES)
    if (part.range == RANGE_NUMBERS && n && (part.from < 1 || part.to < part.from || part.to > n))
        return SOLVER_INVALID_VALUE;
    const solver_status bad =
        eigen(h, call, type, has_vectors, fill, n, a, lda, values, work, info, 1);
    *found = n;
    if (bad || part.range == RANGE_ALL || !n) return bad;
    const bool is_double = type == TYPE_R_64F || type == TYPE_C_64F;
    const size_t real = is_double ? 8 : 4, bytes = blas_type_bytes(type);
    int64_t from = part.from - 1, to = part.to;
    blas_status s = CUBLAS_SUCCESS;
    if (part.range == RANGE_VALUES) {
        void *const held = malloc((size_t)n * real);
        if (!held) return SOLVER_ALLOC_FAILED;
        s = blas_of(cuMemcpyDtoHAsync_v2(held, (uintptr_t)values, (size_t)n * real, h->stream));
        if (!s) s = blas_of(cuStreamSynchronize(h->stream));
        from = to = 0;
        for (int64_t i = 0; !s && i < n; i++) {
            const double v = is_double ? ((double *)held)[i] : ((float *)held)[i];
            from += v <= part.low;
            to += v <= part.high;
        }
        free(held);
    }
    *found = to > from ? to - from : 0;
    // one after the other: places may overlap
    for (int64_t i = 0; !s && from && i < *found; i++) {
        s = blas_of(cuMemcpyDtoDAsync_v2((uintptr_t)values + (size_t)i * real,
                                         (uintptr_t)values + (size_t)(from + i) * real, real,
                                         h->stream));
        if (!s && has_vectors)
            s = blas_of(cuMemcpyDtoDAsync_v2((uintptr_t)a + (size_t)(i * lda) * bytes,
                                             (uintptr_t)a + (size_t)((from + i) * lda) * bytes,
                                             (size_t)n * bytes, h->stream));
    }
    return solver_of(s);
}
// Eigenvalues of pairs (cusolverEigType_t): a x = v b x, a b x = v x, b a x = v x. b becomes Cholesky's factor, a the vectors.
enum { PAIR_A_B = 1, PAIR_AB = 2, PAIR_BA = 3 };
static solver_status eigen_pair(blas_handle_t h, const char *call, int type, int kind,
                                int has_vectors, int fill, int n, void *a_at, int lda, void *b_at,
                                int ldb, void *values, void *work, int *info) {
    NEED(kind >= PAIR_A_B && kind <= PAIR_BA && fits(n, n, lda) && fits(n, n, ldb) && info)
    const struct dense_batch x = {h, call, type, 1};
    const struct gemm_matrix a = dense_one(a_at, lda), b = dense_one(b_at, ldb);
    const struct dense_factor one = {.value = {1}};
    if (!n) return solver_of(clear(h, info, 1));
    blas_status s = dense_cholesky(&x, fill, n, b, numbers(info, 0));
    int minor = 0;
    if (!s) s = blas_of(cuMemcpyDtoHAsync_v2(&minor, (uintptr_t)info, sizeof minor, h->stream));
    if (!s) s = blas_of(cuStreamSynchronize(h->stream));
    if (s) return solver_of(s);
    if (minor) { // b is not positive: its minor's number comes after those of a's values
        minor += n;
        return solver_of(blas_of(cuMemsetD32Async((uintptr_t)info, (unsigned)minor, 1, h->stream)));
    }
    s = dense_fill_triangle(&x, fill, n, a);
    // with b = l l^H: a becomes l^-1 a l^-H, or l^H a l; an upper factor is l^H
    const int op = fill == FILL_LOWER ? OPERATION_N : OPERATION_C,
              other = fill == FILL_LOWER ? OPERATION_C : OPERATION_N;
    if (!s && kind == PAIR_A_B) {
        s = dense_triangle(&x, SIDE_LEFT, fill, op, DIAGONAL_NON_UNIT, n, n, one, b, a);
        if (!s) s = dense_triangle(&x, SIDE_RIGHT, fill, other, DIAGONAL_NON_UNIT, n, n, one, b, a);
    } else if (!s) {
        // products with the triangle alone: it is written out among zeros
        CUdeviceptr full;
        const size_t bytes = (size_t)n * (size_t)n * blas_type_bytes(type);
        s = blas_of(cuMemAllocAsync(&full, 2 * bytes, h->stream));
        if (s) return solver_of(s);
        const struct gemm_matrix l = {.at = full, .lead = n},
                                 half = {.at = full + bytes, .lead = n};
        s = blas_of(cuMemsetD8Async(full, 0, bytes, h->stream));
        if (!s) s = dense_copy_triangle(&x, fill, n, b, l);
        if (!s) s = dense_product(&x, other, OPERATION_N, n, n, n, 1, l, a, 0, half, GEMM_ALL);
        if (!s) s = dense_product(&x, OPERATION_N, op, n, n, n, 1, half, l, 0, a, GEMM_ALL);
        const blas_status freed = blas_of(cuMemFreeAsync(full, h->stream));
        if (!s) s = freed;
    }
    if (!s)
        s = dense_eigen(&x, has_vectors, fill, n, a, numbers(values, n),
                        dense_strided(work, n, dense_eigen_work(n)), numbers(info, 0));
    // vectors of the pair: l^-H y, or l y
    if (!s && has_vectors && kind != PAIR_BA)
        s = dense_triangle(&x, SIDE_LEFT, fill, other, DIAGONAL_NON_UNIT, n, n, one, b, a);
    if (!s && has_vectors && kind == PAIR_BA) {
        CUdeviceptr full;
        const size_t bytes = (size_t)n * (size_t)n * blas_type_bytes(type);
        s = blas_of(cuMemAllocAsync(&full, 2 * bytes, h->stream));
        if (s) return solver_of(s);
        const struct gemm_matrix l = {.at = full, .lead = n}, y = {.at = full + bytes, .lead = n};
        s = blas_of(cuMemsetD8Async(full, 0, bytes, h->stream));
        if (!s) s = dense_copy_triangle(&x, fill, n, b, l);
        if (!s) s = dense_copy(&x, n, n, false, a, y);
        if (!s) s = dense_product(&x, op, OPERATION_N, n, n, n, 1, l, y, 0, a, GEMM_ALL);
        const blas_status freed = blas_of(cuMemFreeAsync(full, h->stream));
        if (!s) s = freed;
    }
    return solver_of(s);
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
    NEED(m >= n && (job_u != 'O' || job_v != 'O'))
    const bool u_in_a = job_u == 'O',
               v_in_a = job_v == 'O'; // the matrix is copied before vectors are written
    const struct singular p = {.m = m,
                               .n = n,
                               .count = 1,
                               .a = dense_one(a, lda),
                               .u = u_in_a ? dense_one(a, lda) : dense_one(u, ldu),
                               .v = v_in_a ? dense_one(a, lda) : dense_one(v, ldv),
                               .u_columns = job_u == 'A'             ? m
                                            : job_u == 'S' || u_in_a ? n
                                                                     : 0,
                               .v_columns = job_v == 'A' || job_v == 'S' || v_in_a ? n : 0,
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

// ---- solutions with refinement -----------------------------------------------------------------------------------------
// The factors are the matrix's own type's, whatever lower precision the call allows: no step of refinement follows, and the number
// of those is 0. The matrix stays.
static size_t up(size_t bytes) { return (bytes + 255) / 256 * 256; }
static size_t copy_bytes(int type, int64_t m, int64_t n) {
    return up((size_t)(m > 0 ? m : 0) * (size_t)(n > 0 ? n : 0) * blas_type_bytes(type));
}
static solver_status solve(blas_handle_t h, const char *call, int type, int64_t n, int64_t sides,
                           void *a, int64_t lda, int *pivots, void *b, int64_t ldb, void *x_at,
                           int64_t ldx, void *work, size_t bytes, int *steps, int *info) {
    NEED(fits(n, n, lda) && fits(n, sides, ldb) && fits(n, sides, ldx) && info)
    const size_t matrix = copy_bytes(type, n, n);
    if (bytes < matrix + 4 * (size_t)n || (n && !work)) return SOLVER_INVALID_VALUE;
    const struct dense_batch x = {h, call, type, 1};
    const struct gemm_matrix copy = dense_one(work, n);
    const struct dense_numbers rows = {pivots ? (uintptr_t)pivots : (uintptr_t)work + matrix, 0};
    if (steps) *steps = 0;
    if (!n) return solver_of(clear(h, info, 1));
    blas_status s = dense_copy(&x, (int)n, (int)n, false, dense_one(a, lda), copy);
    if (!s) s = dense_lu(&x, (int)n, (int)n, copy, rows, numbers(info, 0));
    if (!s && sides)
        s = dense_copy(&x, (int)n, (int)sides, false, dense_one(b, ldb), dense_one(x_at, ldx));
    if (!s && sides)
        s = dense_lu_solve(&x, OPERATION_N, (int)n, (int)sides, copy, rows, dense_one(x_at, ldx));
    return solver_of(s);
}
static size_t solve_bytes(int type, int64_t n) {
    return copy_bytes(type, n, n) + 4 * (size_t)(n > 0 ? n : 0);
}
// min |b - a x| of a matrix with at least as many rows as columns.
static size_t least_squares_bytes(int type, int64_t m, int64_t n, int64_t sides) {
    return copy_bytes(type, m, n) + copy_bytes(type, m, sides) + copy_bytes(type, n, 1);
}
static solver_status least_squares(blas_handle_t h, const char *call, int type, int64_t m,
                                   int64_t n, int64_t sides, void *a, int64_t lda, void *b,
                                   int64_t ldb, void *x_at, int64_t ldx, void *work, size_t bytes,
                                   int *steps, int *info) {
    NEED(fits(m, n, lda) && fits(m, sides, ldb) && fits(n, sides, ldx) && info)
    if (m < n) return solver_of(blas_refuse(call, "a matrix with more columns than rows"));
    if (bytes < least_squares_bytes(type, m, n, sides)) return SOLVER_INVALID_VALUE;
    const struct dense_batch x = {h, call, type, 1};
    char *const at = work;
    const struct gemm_matrix q = dense_one(at, m),
                             right = dense_one(at + copy_bytes(type, m, n), m),
                             tau = dense_one(
                                 at + copy_bytes(type, m, n) + copy_bytes(type, m, sides), 1);
    if (steps) *steps = 0;
    blas_status s = clear(h, info, 1);
    if (s || !n || !sides) return solver_of(s);
    s = dense_copy(&x, (int)m, (int)n, false, dense_one(a, lda), q);
    if (!s) s = dense_copy(&x, (int)m, (int)sides, false, dense_one(b, ldb), right);
    if (!s) s = dense_qr(&x, (int)m, (int)n, q, tau);
    if (!s)
        s = dense_apply_q(&x, SIDE_LEFT, OPERATION_C, (int)m, (int)sides, (int)n, q, tau, right);
    if (!s)
        s = dense_triangle(&x, SIDE_LEFT, FILL_UPPER, OPERATION_N, DIAGONAL_NON_UNIT, (int)n,
                           (int)sides, (struct dense_factor){.value = {1}}, q, right);
    if (!s) s = dense_copy(&x, (int)n, (int)sides, false, right, dense_one(x_at, ldx));
    return solver_of(s);
}
// Two letters: the type, and the lowest one that a call may use.
#define REFINED(pair, type)                                                                        \
    API(cusolverDn##pair##gesv_bufferSize, blas_handle_t h, int n, int sides, void *a, int lda,    \
        int *pivots, void *b, int ldb, void *x, int ldx, void *work, size_t *bytes) {              \
        (void)sides, (void)a, (void)lda, (void)pivots, (void)b, (void)ldb, (void)x, (void)ldx;     \
        (void)work;                                                                                \
        NEED(bytes)                                                                                \
        *bytes = solve_bytes(type, n);                                                             \
        return SOLVER_SUCCESS;                                                                     \
    }                                                                                              \
    API(cusolverDn##pair##gesv, blas_handle_t h, int n, int sides, void *a, int lda, int *pivots,  \
        void *b, int ldb, void *x, int ldx, void *work, size_t bytes, int *steps, int *info) {     \
        return solve(h, NAME(pair, gesv), type, n, sides, a, lda, pivots, b, ldb, x, ldx, work,    \
                     bytes, steps, info);                                                          \
    }                                                                                              \
    API(cusolverDn##pair##gels_bufferSize, blas_handle_t h, int m, int n, int sides, void *a,      \
        int lda, void *b, int ldb, void *x, int ldx, void *work, size_t *bytes) {                  \
        (void)a, (void)lda, (void)b, (void)ldb, (void)x, (void)ldx, (void)work;                    \
        NEED(bytes)                                                                                \
        *bytes = least_squares_bytes(type, m, n, sides);                                           \
        return SOLVER_SUCCESS;                                                                     \
    }                                                                                              \
    API(cusolverDn##pair##gels, blas_handle_t h, int m, int n, int sides, void *a, int lda,        \
        void *b, int ldb, void *x, int ldx, void *work, size_t bytes, int *steps, int *info) {     \
        return least_squares(h, NAME(pair, gels), type, m, n, sides, a, lda, b, ldb, x, ldx, work, \
                             bytes, steps, info);                                                  \
    }

// ---- the calls of each type -----------------------------------------------------------------------------------------
#define CALLS(L, or, sy, type, R)                                                                  \
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
    API(cusolverDn##L##sy##evdx_bufferSize, blas_handle_t h, int vectors, int range, int fill,     \
        int n, FIXED, R low, R high, int from, int to, int *found, const void *w, int *out) {      \
        (void)vectors, (void)range, (void)fill, (void)a, (void)lda, (void)low, (void)high;         \
        (void)from, (void)to, (void)found, (void)w;                                                \
        return area(h, dense_eigen_work(n), out);                                                  \
    }                                                                                              \
    API(cusolverDn##L##sy##evdx, blas_handle_t h, int vectors, int range, int fill, int n, MATRIX, \
        R low, R high, int from, int to, int *found, void *w, void *work, int size, int *info) {   \
        (void)size;                                                                                \
        int64_t all = 0;                                                                           \
        if (!found) return SOLVER_INVALID_VALUE;                                                   \
        const solver_status s =                                                                    \
            eigen_part(h, NAME(L, sy##evdx), type, vectors,                                        \
                       (struct part_of){range, (double)low, (double)high, from, to}, fill, n, a,   \
                       lda, &all, w, work, info);                                                  \
        *found = (int)all;                                                                         \
        return s;                                                                                  \
    }                                                                                              \
    API(cusolverDn##L##sy##gvd_bufferSize, blas_handle_t h, int kind, int vectors, int fill,       \
        int n, FIXED, const void *b, int ldb, const void *w, int *out) {                           \
        (void)kind, (void)vectors, (void)fill, (void)a, (void)lda, (void)b, (void)ldb, (void)w;    \
        return area(h, dense_eigen_work(n), out);                                                  \
    }                                                                                              \
    API(cusolverDn##L##sy##gvd, blas_handle_t h, int kind, int vectors, int fill, int n, MATRIX,   \
        void *b, int ldb, void *w, void *work, int size, int *info) {                              \
        (void)size;                                                                                \
        return eigen_pair(h, NAME(L, sy##gvd), type, kind, vectors, fill, n, a, lda, b, ldb, w,    \
                          work, info);                                                             \
    }                                                                                              \
    API(cusolverDn##L##sy##gvj_bufferSize, blas_handle_t h, int kind, int vectors, int fill,       \
        int n, FIXED, const void *b, int ldb, const void *w, int *out, struct settings *s) {       \
        (void)kind, (void)vectors, (void)fill, (void)a, (void)lda, (void)b, (void)ldb, (void)w;    \
        (void)s;                                                                                   \
        return area(h, dense_eigen_work(n), out);                                                  \
    }                                                                                              \
    API(cusolverDn##L##sy##gvj, blas_handle_t h, int kind, int vectors, int fill, int n, MATRIX,   \
        void *b, int ldb, void *w, void *work, int size, int *info, struct settings *s) {          \
        (void)size, (void)s;                                                                       \
        return eigen_pair(h, NAME(L, sy##gvj), type, kind, vectors, fill, n, a, lda, b, ldb, w,    \
                          work, info);                                                             \
    }                                                                                              \
    API(cusolverDn##L##potri_bufferSize, blas_handle_t h, int fill, int n, MATRIX, int *out) {     \
        (void)fill, (void)a, (void)lda;                                                            \
        return area(h, (int64_t)n * n, out);                                                       \
    }                                                                                              \
    API(cusolverDn##L##potri, blas_handle_t h, int fill, int n, MATRIX, void *work, int size,      \
        int *info) {                                                                               \
        (void)size;                                                                                \
        return cholesky_inverse(h, NAME(L, potri), type, fill, n, a, lda, work, info);             \
    }                                                                                              \
    API(cusolverDn##L##sytrf_bufferSize, blas_handle_t h, int n, MATRIX, int *out) {               \
        (void)n, (void)a, (void)lda;                                                               \
        return area(h, 1, out);                                                                    \
    }                                                                                              \
    API(cusolverDn##L##sytrf, blas_handle_t h, int fill, int n, MATRIX, int *pivots, void *work,   \
        int size, int *info) {                                                                     \
        (void)work, (void)size;                                                                    \
        return symmetric(h, NAME(L, sytrf), type, fill, n, a, lda, pivots, info);                  \
    }                                                                                              \
    API(cusolverDn##L##sytri_bufferSize, blas_handle_t h, int fill, int n, MATRIX,                 \
        const int *pivots, int *out) {                                                             \
        (void)fill, (void)a, (void)lda, (void)pivots;                                              \
        return area(h, (int64_t)n * n, out);                                                       \
    }                                                                                              \
    API(cusolverDn##L##sytri, blas_handle_t h, int fill, int n, MATRIX, const int *pivots,         \
        void *work, int size, int *info) {                                                         \
        (void)size;                                                                                \
        return symmetric_inverse(h, NAME(L, sytri), type, fill, n, a, lda, pivots, work, info);    \
    }                                                                                              \
    API(cusolverDn##L##laswp, blas_handle_t h, int n, MATRIX, int from, int to, const int *pivots, \
        int step) {                                                                                \
        NEED(is_size(n) && from >= 1 && to >= from)                                                \
        if (step != 1 && step != -1)                                                               \
            return solver_of(blas_refuse(NAME(L, laswp), "numbers of rows that lie apart"));       \
        const struct dense_batch x = {h, NAME(L, laswp), type, 1};                                 \
        return solver_of(dense_swap_rows(&x, n, from - 1, to - from + 1, step < 0,                 \
                                         dense_one(a, lda), numbers(pivots, 0)));                  \
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
#define REFINED_TO(letter, type, a, b, c, d)                                                       \
    REFINED(letter##a, type)                                                                       \
    REFINED(letter##b, type) REFINED(letter##c, type) REFINED(letter##d, type)
REFINED_TO(S, TYPE_R_32F, S, H, B, X)
REFINED_TO(D, TYPE_R_64F, D, H, B, X)
REFINED(DS, TYPE_R_64F)
REFINED_TO(C, TYPE_C_32F, C, K, E, Y)
REFINED_TO(Z, TYPE_C_64F, Z, K, E, Y)
REFINED(ZC, TYPE_C_64F)

// ---- types as arguments -----------------------------------------------------------------------------------------------

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
API(cusolverDnXsyevBatched_bufferSize, blas_handle_t h, void *p, int vectors, int fill, int64_t n,
    int type, const void *a, int64_t lda, int type_w, const void *w, int compute, size_t *device,
    size_t *host, int64_t count) {
    (void)p, (void)vectors, (void)fill, (void)a, (void)lda, (void)type_w, (void)w, (void)compute;
    if (!is_size(n) || !is_size(count)) return SOLVER_INVALID_VALUE;
    return area_bytes(h, type, dense_eigen_work((int)n) * count, device, host);
}
API(cusolverDnXsyevBatched, blas_handle_t h, void *p, int vectors, int fill, int64_t n, int type,
    void *a, int64_t lda, int type_w, void *w, int compute, AREAS, int *info, int64_t count) {
    (void)p, (void)type_w, (void)compute, (void)area_host, (void)bytes_host;
    if (!is_type(type)) return refuse_type("cusolverDnXsyevBatched", type);
    NEED(is_size(n) && is_size(count) &&
         bytes_device >= (size_t)(n ? dense_eigen_work((int)n) * count : 0) * blas_type_bytes(type))
    return eigen(h, "cusolverDnXsyevBatched", type, vectors, fill, n, a, lda, w, area_device, info,
                 (int)count);
}
API(cusolverDnXsyevdx_bufferSize, blas_handle_t h, void *p, int vectors, int range, int fill,
    int64_t n, int type, const void *a, int64_t lda, void *low, void *high, int64_t from,
    int64_t to, int64_t *found, int type_w, const void *w, int compute, size_t *device,
    size_t *host) {
    (void)p, (void)vectors, (void)range, (void)fill, (void)a, (void)lda, (void)low, (void)high;
    (void)from, (void)to, (void)found, (void)type_w, (void)w, (void)compute;
    return area_bytes(h, type, dense_eigen_work((int)n), device, host);
}
API(cusolverDnXsyevdx, blas_handle_t h, void *p, int vectors, int range, int fill, int64_t n,
    int type, void *a, int64_t lda, void *low, void *high, int64_t from, int64_t to, int64_t *found,
    int type_w, void *w, int compute, AREAS, int *info) {
    (void)p, (void)type_w, (void)compute, (void)bytes_device, (void)area_host, (void)bytes_host;
    if (!is_type(type)) return refuse_type("cusolverDnXsyevdx", type);
    struct part_of part = {.range = range, .from = from, .to = to};
    if (range == RANGE_VALUES && (!low || !high)) return SOLVER_INVALID_VALUE;
    double value[2];
    const int real = type == TYPE_R_64F || type == TYPE_C_64F ? TYPE_R_64F : TYPE_R_32F;
    if (range == RANGE_VALUES) {
        blas_factor(value, real, low);
        part.low = value[0];
        blas_factor(value, real, high);
        part.high = value[0];
    }
    return eigen_part(h, "cusolverDnXsyevdx", type, vectors, part, fill, n, a, lda, found, w,
                      area_device, info);
}
API(cusolverDnXgetrf_bufferSize, blas_handle_t h, void *p, int64_t m, int64_t n, int type,
    const void *a, int64_t lda, int compute, size_t *device, size_t *host) {
    (void)p, (void)a, (void)lda, (void)compute;
    const solver_status s = area_bytes(h, type, 1, device, host);
    if (!s) *device = up(4 * (size_t)(m < n ? m : n) + 4);
    return s;
}
API(cusolverDnXgetrf, blas_handle_t h, void *p, int64_t m, int64_t n, int type, void *a,
    int64_t lda, int64_t *pivots, int compute, AREAS, int *info) {
    (void)p, (void)compute, (void)area_host, (void)bytes_host;
    const int64_t rows = m < n ? m : n;
    if (!is_type(type)) return refuse_type("cusolverDnXgetrf", type);
    NEED(fits(m, n, lda) && info && (!pivots || bytes_device >= 4 * (size_t)rows))
    int *const narrow = pivots ? area_device : NULL;
    const solver_status s =
        lu(h, "cusolverDnXgetrf", type, (int)m, (int)n, a, (int)lda, narrow, info);
    return s ? s : solver_of(widen_pivots(h, (uintptr_t)narrow, (uintptr_t)pivots, rows));
}
API(cusolverDnXgetrs, blas_handle_t h, void *p, int op, int64_t n, int64_t sides, int type,
    const void *a, int64_t lda, const int64_t *pivots, int type_b, void *b, int64_t ldb,
    int *info) {
    (void)p;
    if (!is_type(type) || type_b != type) return refuse_type("cusolverDnXgetrs", type_b);
    NEED(fits(n, n, lda) && fits(n, sides, ldb))
    struct dense_numbers narrow;
    const blas_status had = narrow_pivots(h, pivots, n, &narrow);
    if (had) return solver_of(had);
    const solver_status s = lu_solve(h, "cusolverDnXgetrs", type, op, (int)n, (int)sides, a,
                                     (int)lda, (const int *)narrow.at, b, (int)ldb, info);
    const blas_status freed = drop_pivots(h, narrow);
    return s ? s : solver_of(freed);
}
API(cusolverDnXsytrs_bufferSize, blas_handle_t h, int fill, int64_t n, int64_t sides, int type,
    const void *a, int64_t lda, const int64_t *pivots, int type_b, void *b, int64_t ldb,
    size_t *device, size_t *host) {
    (void)fill, (void)n, (void)sides, (void)a, (void)lda, (void)pivots, (void)type_b, (void)b;
    (void)ldb;
    return area_bytes(h, type, 1, device, host);
}
API(cusolverDnXsytrs, blas_handle_t h, int fill, int64_t n, int64_t sides, int type, const void *a,
    int64_t lda, const int64_t *pivots, int type_b, void *b, int64_t ldb, AREAS, int *info) {
    NO_AREAS;
    if (!is_type(type) || type_b != type) return refuse_type("cusolverDnXsytrs", type_b);
    NEED(fits(n, n, lda) && fits(n, sides, ldb) && is_fill(fill))
    struct dense_numbers narrow;
    blas_status s = clear(h, info, 1);
    if (s || !n || !sides) return solver_of(s);
    s = narrow_pivots(h, pivots, n, &narrow);
    if (s) return solver_of(s);
    const struct dense_batch x = {h, "cusolverDnXsytrs", type, 1};
    s = dense_symmetric_solve(&x, fill, (int)n, (int)sides, dense_one(a, lda), narrow,
                              dense_one(b, ldb));
    const blas_status freed = drop_pivots(h, narrow);
    return solver_of(s ? s : freed);
}
API(cusolverDnXtrtri_bufferSize, blas_handle_t h, int fill, int diagonal, int64_t n, int type,
    void *a, int64_t lda, size_t *device, size_t *host) {
    (void)fill, (void)diagonal, (void)a, (void)lda;
    return area_bytes(h, type, n * n, device, host);
}
// The inverse of a triangle, in its place.
API(cusolverDnXtrtri, blas_handle_t h, int fill, int diagonal, int64_t n, int type, void *a,
    int64_t lda, AREAS, int *info) {
    (void)area_host, (void)bytes_host;
    if (!is_type(type)) return refuse_type("cusolverDnXtrtri", type);
    NEED(fits(n, n, lda) && is_fill(fill) &&
         bytes_device >= (size_t)(n * n) * blas_type_bytes(type))
    const struct dense_batch x = {h, "cusolverDnXtrtri", type, 1};
    const struct gemm_matrix whole = dense_one(area_device, n);
    blas_status s = clear(h, info, 1);
    if (s || !n) return solver_of(s);
    s = dense_identity(&x, (int)n, (int)n, whole);
    if (!s)
        s = dense_triangle(&x, SIDE_LEFT, fill, OPERATION_N, diagonal, (int)n, (int)n,
                           (struct dense_factor){.value = {1}}, dense_one(a, lda), whole);
    if (!s) s = dense_copy_triangle(&x, fill, (int)n, whole, dense_one(a, lda));
    return solver_of(s);
}
// One or all of the vectors of a matrix with as many rows as columns at least.
API(cusolverDnXgesvd_bufferSize, blas_handle_t h, void *p, signed char job_u, signed char job_v,
    int64_t m, int64_t n, int type, const void *a, int64_t lda, int type_s, const void *s,
    int type_u, const void *u, int64_t ldu, int type_v, const void *v, int64_t ldv, int compute,
    size_t *device, size_t *host) {
    (void)p, (void)job_u, (void)job_v, (void)a, (void)lda, (void)type_s, (void)s, (void)type_u;
    (void)u, (void)ldu, (void)type_v, (void)v, (void)ldv, (void)compute;
    if (!is_size(m) || !is_size(n)) return SOLVER_INVALID_VALUE;
    return area_bytes(h, type, dense_singular_work((int)m, (int)n), device, host);
}
API(cusolverDnXgesvd, blas_handle_t h, void *p, signed char job_u, signed char job_v, int64_t m,
    int64_t n, int type, void *a, int64_t lda, int type_s, void *s, int type_u, void *u,
    int64_t ldu, int type_v, void *v, int64_t ldv, int compute, AREAS, int *info) {
    (void)p, (void)type_s, (void)type_u, (void)type_v, (void)compute, (void)bytes_device;
    (void)area_host, (void)bytes_host;
    if (!is_type(type)) return refuse_type("cusolverDnXgesvd", type);
    if (!is_size(m) || !is_size(n)) return SOLVER_INVALID_VALUE;
    return gesvd(h, "cusolverDnXgesvd", type, job_u, job_v, (int)m, (int)n, a, (int)lda, s, u,
                 (int)ldu, v, (int)ldv, area_device, info);
}
