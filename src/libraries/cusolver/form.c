// cuSOLVER's Householder forms (gebrd, sytrd, hetrd and what is made of their reflections) and eigenvalues of matrices that are not
// Hermitian (geev). Types and numbers are those of the vendor's documented interface.
#include "cusolver.h"

// ---- bidiagonal -----------------------------------------------------------------------------------------------
// As documented, of matrices with as many rows as columns at least.
static solver_status bidiagonal(blas_handle_t h, const char *call, int type, int m, int n, void *a,
                                int lda, void *d, void *e, void *tau_q, void *tau_p, int *info) {
    NEED(fits(m, n, lda) && m >= n)
    const struct dense_batch x = {h, call, type, 1};
    const blas_status s = clear(h, info, 1);
    if (s || !n) return solver_of(s);
    return solver_of(dense_bidiagonal(&x, m, n, dense_one(a, lda), numbers(d, 0), numbers(e, 0),
                                      dense_one(tau_q, n), dense_one(tau_p, n)));
}
static solver_status make_bidiagonal(blas_handle_t h, const char *call, int type, int side, int m,
                                     int n, int k, void *a, int lda, const void *tau, void *work,
                                     int *info) {
    NEED(fits(m, n, lda) && is_size(k) && (side == SIDE_LEFT || side == SIDE_RIGHT))
    // Q has no more columns than rows, P^H no more rows than columns; a whole one where there are reflections enough
    const int less = m < k ? m : k, thin = n < k ? n : k;
    if (side == SIDE_LEFT ? n > m || n < less : m > n || m < thin) return SOLVER_INVALID_VALUE;
    const struct dense_batch x = {h, call, type, 1};
    const blas_status s = clear(h, info, 1);
    if (s || !m || !n) return solver_of(s);
    return solver_of(dense_make_bidiagonal(&x, side == SIDE_RIGHT, m, n, k, dense_one(a, lda),
                                           dense_one(tau, k), dense_one(work, m)));
}

// ---- tridiagonal ----------------------------------------------------------------------------------------------
static solver_status tridiagonal(blas_handle_t h, const char *call, int type, int fill, int n,
                                 void *a, int lda, void *d, void *e, void *tau, void *work,
                                 int *info) {
    NEED(fits(n, n, lda) && is_fill(fill))
    const struct dense_batch x = {h, call, type, 1};
    const blas_status s = clear(h, info, 1);
    if (s || !n) return solver_of(s);
    return solver_of(dense_tridiagonal(&x, fill, n, dense_one(a, lda), numbers(d, 0), numbers(e, 0),
                                       dense_one(tau, n), dense_one(work, n)));
}
static solver_status make_tridiagonal(blas_handle_t h, const char *call, int type, int fill, int n,
                                      void *a, int lda, const void *tau, void *work, int *info) {
    NEED(fits(n, n, lda) && is_fill(fill))
    const struct dense_batch x = {h, call, type, 1};
    const blas_status s = clear(h, info, 1);
    if (s || !n) return solver_of(s);
    return solver_of(dense_make_tridiagonal(&x, fill, n, dense_one(a, lda), dense_one(tau, n),
                                            dense_one(work, n)));
}
static solver_status apply_tridiagonal(blas_handle_t h, const char *call, int type, int side,
                                       int fill, int op, int m, int n, const void *a, int lda,
                                       const void *tau, void *c, int ldc, int *info) {
    const int rows = side == SIDE_LEFT ? m : n;
    NEED(fits(rows, rows, lda) && fits(m, n, ldc) && is_fill(fill) &&
         (side == SIDE_LEFT || side == SIDE_RIGHT) && op >= OPERATION_N && op <= OPERATION_C &&
         (op != OPERATION_T || type == TYPE_R_32F || type == TYPE_R_64F))
    const struct dense_batch x = {h, call, type, 1};
    const blas_status s = clear(h, info, 1);
    if (s) return solver_of(s);
    return solver_of(dense_apply_tridiagonal(&x, side, fill, op, m, n, dense_one(a, lda),
                                             dense_one(tau, rows), dense_one(c, ldc)));
}

// ---- the calls of each type -----------------------------------------------------------------------------------
#define CALLS(L, or, sy, type, R)                                                                  \
    API(cusolverDn##L##gebrd_bufferSize, blas_handle_t h, int m, int n, int *out) {                \
        (void)m, (void)n;                                                                          \
        return area(h, 1, out);                                                                    \
    }                                                                                              \
    API(cusolverDn##L##gebrd, blas_handle_t h, int m, int n, MATRIX, void *d, void *e,             \
        void *tau_q, void *tau_p, void *work, int size, int *info) {                               \
        (void)work, (void)size;                                                                    \
        return bidiagonal(h, NAME(L, gebrd), type, m, n, a, lda, d, e, tau_q, tau_p, info);        \
    }                                                                                              \
    API(cusolverDn##L## or ##gbr_bufferSize, blas_handle_t h, int side, int m, int n, int k,       \
        FIXED, const void *tau, int *out) {                                                        \
        (void)side, (void)k, (void)a, (void)lda, (void)tau;                                        \
        return area(h, (int64_t)m * n, out);                                                       \
    }                                                                                              \
    API(cusolverDn##L## or ##gbr, blas_handle_t h, int side, int m, int n, int k, MATRIX,          \
        const void *tau, void *work, int size, int *info) {                                        \
        (void)size;                                                                                \
        return make_bidiagonal(h, NAME(L, or ##gbr), type, side, m, n, k, a, lda, tau, work,       \
                               info);                                                              \
    }                                                                                              \
    API(cusolverDn##L##sy##trd_bufferSize, blas_handle_t h, int fill, int n, FIXED, const void *d, \
        const void *e, const void *tau, int *out) {                                                \
        (void)fill, (void)a, (void)lda, (void)d, (void)e, (void)tau;                               \
        return area(h, n, out);                                                                    \
    }                                                                                              \
    API(cusolverDn##L##sy##trd, blas_handle_t h, int fill, int n, MATRIX, void *d, void *e,        \
        void *tau, void *work, int size, int *info) {                                              \
        (void)size;                                                                                \
        return tridiagonal(h, NAME(L, sy##trd), type, fill, n, a, lda, d, e, tau, work, info);     \
    }                                                                                              \
    API(cusolverDn##L## or ##gtr_bufferSize, blas_handle_t h, int fill, int n, FIXED,              \
        const void *tau, int *out) {                                                               \
        (void)fill, (void)a, (void)lda, (void)tau;                                                 \
        return area(h, (int64_t)n * n, out);                                                       \
    }                                                                                              \
    API(cusolverDn##L## or ##gtr, blas_handle_t h, int fill, int n, MATRIX, const void *tau,       \
        void *work, int size, int *info) {                                                         \
        (void)size;                                                                                \
        return make_tridiagonal(h, NAME(L, or ##gtr), type, fill, n, a, lda, tau, work, info);     \
    }                                                                                              \
    API(cusolverDn##L## or ##mtr_bufferSize, blas_handle_t h, int side, int fill, int op, int m,   \
        int n, FIXED, const void *tau, const void *c, int ldc, int *out) {                         \
        (void)side, (void)fill, (void)op, (void)m, (void)n, (void)a, (void)lda, (void)tau,         \
            (void)c, (void)ldc;                                                                    \
        return area(h, 1, out);                                                                    \
    }                                                                                              \
    API(cusolverDn##L## or ##mtr, blas_handle_t h, int side, int fill, int op, int m, int n,       \
        FIXED, const void *tau, void *c, int ldc, void *work, int size, int *info) {               \
        (void)work, (void)size;                                                                    \
        return apply_tridiagonal(h, NAME(L, or ##mtr), type, side, fill, op, m, n, a, lda, tau, c, \
                                 ldc, info);                                                       \
    }
EACH_TYPE(CALLS)

// ---- eigenvalues ----------------------------------------------------------------------------------------------
// As documented: right vectors only, and of a real matrix values as complex numbers, or as all real parts and then all imaginary ones.
static bool has_geev_types(int type, int type_w, int type_v) {
    const bool is_real = type == TYPE_R_32F || type == TYPE_R_64F;
    const int complex_one = type == TYPE_R_32F   ? TYPE_C_32F
                            : type == TYPE_R_64F ? TYPE_C_64F
                                                 : type;
    return is_type(type) && type_v == type &&
           (type_w == complex_one || (is_real && type_w == type));
}
API(cusolverDnXgeev_bufferSize, blas_handle_t h, void *p, int left, int right, int64_t n, int type,
    const void *a, int64_t lda, int type_w, const void *w, int type_l, const void *l, int64_t ldl,
    int type_v, const void *v, int64_t ldv, int compute, size_t *device, size_t *host) {
    (void)p, (void)left, (void)right, (void)a, (void)lda, (void)type_w, (void)w, (void)type_l;
    (void)l, (void)ldl, (void)type_v, (void)v, (void)ldv, (void)compute;
    if (!is_size(n)) return SOLVER_INVALID_VALUE;
    return area_bytes(h, type, dense_schur_work((int)n), device, host);
}
API(cusolverDnXgeev, blas_handle_t h, void *p, int left, int right, int64_t n, int type, void *a,
    int64_t lda, int type_w, void *w, int type_l, void *l, int64_t ldl, int type_v, void *v,
    int64_t ldv, int compute, AREAS, int *info) {
    static const char call[] = "cusolverDnXgeev";
    (void)p, (void)type_l, (void)l, (void)ldl, (void)compute, (void)area_host, (void)bytes_host;
    if (!is_type(type)) return refuse_type(call, type);
    if (left) return solver_of(blas_refuse(call, "left vectors"));
    if (!has_geev_types(type, type_w, right ? type_v : type))
        return solver_of(blas_refuse(
            call, "values of type %d, vectors of type %d and a matrix of type %d (cudaDataType)",
            type_w, type_v, type));
    NEED(fits(n, n, lda) && n < 32768 && (!right || fits(n, n, ldv)) &&
         bytes_device >= (size_t)(n ? dense_schur_work((int)n) : 0) * blas_type_bytes(type))
    const blas_status s = clear(h, info, 1);
    if (s || !n) return solver_of(s);
    const struct dense_batch x = {h, call, type, 1};
    const bool is_apart = type_w == TYPE_R_32F || type_w == TYPE_R_64F;
    const struct dense_complex values = {(uintptr_t)w, is_apart ? 1 : 2, is_apart ? n : 1};
    return solver_of(dense_schur(&x, (int)n, dense_one(a, lda), values,
                                 dense_one(right ? v : NULL, ldv), dense_one(area_device, n),
                                 numbers(info, 0)));
}
