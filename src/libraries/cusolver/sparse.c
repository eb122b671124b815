// cuSOLVER's systems of sparse matrices: the matrix is written out in full and taken apart as a dense one, in memory of the call's own.
#include "dense/dense.h"

#include <stdlib.h>

#include "cusolver.h"
#include "sparse/call.h"

API(cusolverSpCreate, blas_handle_t *h) {
    return h ? solver_of(blas_handle_new(h)) : SOLVER_INVALID_VALUE;
}
API(cusolverSpDestroy, blas_handle_t h) { return solver_of(blas_handle_delete(h)); }
API(cusolverSpSetStream, blas_handle_t h, CUstream stream) {
    if (!blas_is_handle(h)) return SOLVER_NOT_INITIALIZED;
    h->stream = stream;
    return SOLVER_SUCCESS;
}
API(cusolverSpGetStream, blas_handle_t h, CUstream *stream) {
    if (!blas_is_handle(h)) return SOLVER_NOT_INITIALIZED;
    if (!stream) return SOLVER_INVALID_VALUE;
    *stream = h->stream;
    return SOLVER_SUCCESS;
}

// A matrix description of cuSPARSE's.
struct description {
    int type, fill, diagonal, base;
};
static enum blas_module module_of(int type) {
    return type == TYPE_R_64F   ? BLAS_pd
           : type == TYPE_C_32F ? BLAS_pc
           : type == TYPE_C_64F ? BLAS_pz
                                : BLAS_ps;
}
static blas_status run(blas_handle_t h, int type, const char *kernel, int64_t all,
                       const struct sparse *s) {
    CUfunction f;
    const int64_t blocks = (all + 255) / 256;
    const blas_status r = blas_kernel(h, module_of(type), kernel, &f);
    if (r || !blocks) return r;
    return blas_launch(f, (const uint32_t[3]){(uint32_t)(blocks > 65535 ? 65535 : blocks), 1, 1},
                       256, s, sizeof *s, h->stream);
}
static double number_at(const char *diagonal, int type, int i) {
    double v[2];
    blas_factor(v, type, diagonal + (size_t)i * blas_type_bytes(type));
    return v[0] * v[0] + v[1] * v[1];
}
enum way { BY_QR, BY_CHOLESKY };
// x = a^-1 b. *singular: the first row whose pivot is not above the tolerance, or -1; it is the host's, so the stream is waited for.
static solver_status solve(blas_handle_t h, const char *call, int type, enum way way, int n,
                           int count, const struct description *d, const void *values,
                           const int *offsets, const int *column, const void *b, double tolerance,
                           void *x_at, int *singular) {
    if (!blas_is_handle(h)) return SOLVER_NOT_INITIALIZED;
    if (!d || n < 0 || count < 0 || !singular) return SOLVER_INVALID_VALUE;
    *singular = -1;
    if (!n) return SOLVER_SUCCESS;
    const size_t bytes = blas_type_bytes(type), square = (size_t)n * (size_t)n * bytes;
    char *const diagonal = malloc((size_t)n * bytes);
    if (!diagonal) return SOLVER_ALLOC_FAILED;
    CUdeviceptr full;
    blas_status s = blas_of(cuMemAllocAsync(&full, square + (size_t)n * bytes + 16, h->stream));
    if (s) {
        free(diagonal);
        return solver_of(s);
    }
    const struct sparse write = {.a = {.rows = n,
                                       .columns = n,
                                       .count = count,
                                       .offsets = {(uintptr_t)offsets, 0, d->base},
                                       .column = {(uintptr_t)column, 0, d->base},
                                       .values = (uintptr_t)values},
                                 .y = {full, 1, n, 0, 0}};
    const struct dense_batch one = {h, call, type, 1};
    const struct gemm_matrix a = {.at = full, .lead = n}, x = dense_one(x_at, n),
                             tau = {.at = full + square, .lead = 1};
    const struct dense_numbers info = {full + square, 0};
    s = run(h, type, "fill_dense", (int64_t)n * n, &write);
    if (!s) s = run(h, type, "to_dense", count, &write);
    if (!s && way == BY_QR) s = dense_qr(&one, n, n, a, tau);
    if (!s && way == BY_CHOLESKY) s = dense_cholesky(&one, FILL_LOWER, n, a, info);
    int minor = 0;
    if (!s && way == BY_CHOLESKY)
        s = blas_of(cuMemcpyDtoHAsync_v2(&minor, info.at, sizeof minor, h->stream));
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = full,
                                .srcPitch = (size_t)(n + 1) * bytes,
                                .dstMemoryType = CU_MEMORYTYPE_HOST,
                                .dstHost = diagonal,
                                .dstPitch = bytes,
                                .WidthInBytes = bytes,
                                .Height = (size_t)n};
    if (!s) s = blas_of(cuMemcpy2DAsync_v2(&copy, h->stream));
    if (!s) s = blas_of(cuStreamSynchronize(h->stream));
    if (minor) *singular = minor - 1;
    for (int i = 0; !s && *singular < 0 && i < n; i++)
        if (!(number_at(diagonal, type, i) > tolerance * tolerance)) *singular = i;
    if (!s && *singular < 0) {
        s = dense_copy(&one, n, 1, false, dense_one(b, n), x);
        if (!s && way == BY_CHOLESKY) s = dense_cholesky_solve(&one, FILL_LOWER, n, 1, a, x);
        if (!s && way == BY_QR) s = dense_apply_q(&one, SIDE_LEFT, OPERATION_C, n, 1, n, a, tau, x);
        if (!s && way == BY_QR)
            s = dense_triangle(&one, SIDE_LEFT, FILL_UPPER, OPERATION_N, DIAGONAL_NON_UNIT, n, 1,
                               (struct dense_factor){.value = {1}}, a, x);
    }
    free(diagonal);
    const blas_status freed = blas_of(cuMemFreeAsync(full, h->stream));
    return solver_of(s ? s : freed);
}
#define SOLVE(L, R, type, name, way)                                                               \
    API(cusolverSp##L##name, blas_handle_t h, int n, int count, const struct description *d,       \
        const void *values, const int *offsets, const int *column, const void *b, R tolerance,     \
        int reorder, void *x, int *singular) {                                                     \
        (void)reorder;                                                                             \
        return solve(h, "cusolverSp" #L#name, type, way, n, count, d, values, offsets, column, b,  \
                     (double)tolerance, x, singular);                                              \
    }
#define SOLVES(L, R, type)                                                                         \
    SOLVE(L, R, type, csrlsvqr, BY_QR)                                                             \
    SOLVE(L, R, type, csrlsvchol, BY_CHOLESKY)
SOLVES(S, float, TYPE_R_32F)
SOLVES(D, double, TYPE_R_64F)
SOLVES(C, float, TYPE_C_32F)
SOLVES(Z, double, TYPE_C_64F)
