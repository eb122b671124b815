// Factorisations and solutions of dense systems, column major, for batches of matrices: what cuBLAS and cuSOLVER share. `type`
// is the elements' (enum blas_type: single, double, and complex of both). Work goes to the handle's stream; nothing waits.
#ifndef WW_LIBRARIES_DENSE_H
#define WW_LIBRARIES_DENSE_H

#include "blas/blas.h"
#include "call.h"

enum { SIDE_LEFT = 0, SIDE_RIGHT = 1 };            // cublasSideMode_t
enum { FILL_LOWER = 0, FILL_UPPER = 1 };           // cublasFillMode_t
enum { DIAGONAL_NON_UNIT = 0, DIAGONAL_UNIT = 1 }; // cublasDiagType_t

// One matrix, and a batch of them by their addresses. Places of the first elements are counted from those.
static inline struct gemm_matrix dense_one(const void *at, int64_t lead) {
    return (struct gemm_matrix){.at = (uintptr_t)at, .lead = lead};
}
static inline struct gemm_matrix dense_list(const void *const *at, int64_t lead) {
    return (struct gemm_matrix){.at = (uintptr_t)at, .lead = lead, .is_list = 1};
}
static inline struct gemm_matrix dense_strided(const void *at, int64_t lead, int64_t step) {
    return (struct gemm_matrix){.at = (uintptr_t)at, .lead = lead, .step = step};
}

// A factor: real and imaginary part, or what lies at a device address that is not 0.
struct dense_factor {
    double value[2];
    uint64_t at;
};

struct dense_batch {
    struct blas_handle *h;
    const char *call; // for refusals
    int type;
    uint32_t count;
};

// c = alpha op(a) op(b) + beta c with real factors; of c only a triangle (enum gemm_triangle) where one is given.
BLAS_API blas_status dense_product(const struct dense_batch *x, int op_a, int op_b, int m, int n,
                                   int k, double alpha, struct gemm_matrix a, struct gemm_matrix b,
                                   double beta, struct gemm_matrix c, uint32_t triangle);
// b := alpha op(a)^-1 b, or alpha b op(a)^-1; b is m x n.
BLAS_API blas_status dense_triangle(const struct dense_batch *x, int side, int fill, int op,
                                    int diagonal, int m, int n, struct dense_factor alpha,
                                    struct gemm_matrix a, struct gemm_matrix b);
// An m x n matrix becomes L and U; rows are exchanged where `pivots` has an address (numbers from 1 on). info: 0, or the number
// of the first pivot that is zero.
BLAS_API blas_status dense_lu(const struct dense_batch *x, int m, int n, struct gemm_matrix a,
                              struct dense_numbers pivots, struct dense_numbers info);
BLAS_API blas_status dense_lu_solve(const struct dense_batch *x, int op, int n, int sides,
                                    struct gemm_matrix a, struct dense_numbers pivots,
                                    struct gemm_matrix b);
// a = L L^H or U^H U; info: 0, or the number of the first row whose leading minor is not positive.
BLAS_API blas_status dense_cholesky(const struct dense_batch *x, int fill, int n,
                                    struct gemm_matrix a, struct dense_numbers info);
BLAS_API blas_status dense_cholesky_solve(const struct dense_batch *x, int fill, int n, int sides,
                                          struct gemm_matrix a, struct gemm_matrix b);
// a = L D L^T or U D U^T of one triangle of a symmetric matrix, no conjugates, as LAPACK's sytrf leaves them; without an address of
// `pivots` rows stay where they are. info: 0, or the number of the first row without a pivot.
BLAS_API blas_status dense_symmetric(const struct dense_batch *x, int fill, int n,
                                     struct gemm_matrix a, struct dense_numbers pivots,
                                     struct dense_numbers info);
BLAS_API blas_status dense_symmetric_solve(const struct dense_batch *x, int fill, int n, int sides,
                                           struct gemm_matrix a, struct dense_numbers pivots,
                                           struct gemm_matrix b);
// a = Q R as LAPACK's geqrf leaves it: reflections below the diagonal, their factors in tau.
BLAS_API blas_status dense_qr(const struct dense_batch *x, int m, int n, struct gemm_matrix a,
                              struct gemm_matrix tau);
// c := op(Q) c or c op(Q), Q of the first k reflections.
BLAS_API blas_status dense_apply_q(const struct dense_batch *x, int side, int op, int m, int n,
                                   int k, struct gemm_matrix a, struct gemm_matrix tau,
                                   struct gemm_matrix c);
// The first n columns of Q (m rows) in place of its k reflections. `work` has m k elements a matrix.
BLAS_API blas_status dense_make_q(const struct dense_batch *x, int m, int n, int k,
                                  struct gemm_matrix a, struct gemm_matrix tau,
                                  struct gemm_matrix work);
// Eigenvalues of a Hermitian matrix, ascending, as real numbers; its vectors in place of a where they are wanted.
// `work`: dense_eigen_work elements a matrix, at `step` of it.
BLAS_API int64_t dense_eigen_work(int n);
BLAS_API blas_status dense_eigen(const struct dense_batch *x, bool has_vectors, int fill, int n,
                                 struct gemm_matrix a, struct dense_numbers values,
                                 struct gemm_matrix work, struct dense_numbers info);
// Singular values of an m x n matrix, descending. u (m rows, u_columns of it wanted) and v (n rows, v_columns; or its conjugate
// transposed where is_adjoint) may have no columns. a stays. `work`: dense_singular_work elements a matrix.
BLAS_API int64_t dense_singular_work(int m, int n);
BLAS_API blas_status dense_singular(const struct dense_batch *x, int m, int n, struct gemm_matrix a,
                                    struct dense_numbers values, struct gemm_matrix u,
                                    int u_columns, struct gemm_matrix v, int v_columns,
                                    bool is_adjoint, struct gemm_matrix work,
                                    struct dense_numbers info);
// Frobenius norms of a - u s v^H, one a matrix, for vectors that dense_singular found (u: m rows, v: n rows, `rank` columns of
// both). `work` is dense_singular's, whose contents are lost. The norms lie in it, as real numbers, where the answer says.
struct dense_residuals {
    blas_status status;
    struct dense_numbers norms;
};
BLAS_API struct dense_residuals dense_residual(const struct dense_batch *x, int m, int n, int rank,
                                               struct gemm_matrix a, struct gemm_matrix u,
                                               struct dense_numbers values, struct gemm_matrix v,
                                               struct gemm_matrix work);
// Eigenvalues of a matrix that need not be Hermitian, which is lost, and its right vectors in `vectors` where those are wanted
// (address 0: not), of length 1. A value's real part is at real number k `step` of `values`, its imaginary part `apart` behind it. The
// vectors of a real matrix are real: of a pair the first column is the real part of the first one's vector, the second its
// imaginary part, as LAPACK's geev has them. `work`: dense_schur_work elements. info: how many values were not found.
struct dense_complex {
    uint64_t at;
    int64_t step, apart;
};
BLAS_API int64_t dense_schur_work(int n);
BLAS_API blas_status dense_schur(const struct dense_batch *x, int n, struct gemm_matrix a,
                                 struct dense_complex values, struct gemm_matrix vectors,
                                 struct gemm_matrix work, struct dense_numbers info);
// Q^H a Q = a tridiagonal matrix, of one triangle of a Hermitian a, as LAPACK's ?sytrd leaves it: its diagonal, the line beside it,
// reflections in place of the rest. `work`: n elements.
BLAS_API blas_status dense_tridiagonal(const struct dense_batch *x, int fill, int n,
                                       struct gemm_matrix a, struct dense_numbers diagonal,
                                       struct dense_numbers line, struct gemm_matrix tau,
                                       struct gemm_matrix work);
// c := op(Q) c or c op(Q) of those reflections; and Q in their place (`work`: n n elements).
BLAS_API blas_status dense_apply_tridiagonal(const struct dense_batch *x, int side, int fill,
                                             int op, int m, int n, struct gemm_matrix a,
                                             struct gemm_matrix tau, struct gemm_matrix c);
BLAS_API blas_status dense_make_tridiagonal(const struct dense_batch *x, int fill, int n,
                                            struct gemm_matrix a, struct gemm_matrix tau,
                                            struct gemm_matrix work);
// Q^H a P = an upper bidiagonal matrix, of an a with as many rows as columns at least, as LAPACK's ?gebrd leaves it.
BLAS_API blas_status dense_bidiagonal(const struct dense_batch *x, int m, int n,
                                      struct gemm_matrix a, struct dense_numbers diagonal,
                                      struct dense_numbers line, struct gemm_matrix tau_q,
                                      struct gemm_matrix tau_p);
// An m x n part of Q, or of P^H where is_p, in place of the reflections; k: columns (or rows) of the matrix that they are of (LAPACK's
// ?orgbr). `work`: m n elements.
BLAS_API blas_status dense_make_bidiagonal(const struct dense_batch *x, bool is_p, int m, int n,
                                           int k, struct gemm_matrix a, struct gemm_matrix tau,
                                           struct gemm_matrix work);
// Small steps that calls are made of.
BLAS_API blas_status dense_identity(const struct dense_batch *x, int m, int n,
                                    struct gemm_matrix c);
BLAS_API blas_status dense_copy_triangle(const struct dense_batch *x, int fill, int n,
                                         struct gemm_matrix a, struct gemm_matrix c);
// The other triangle of a Hermitian matrix, from the one that holds it.
BLAS_API blas_status dense_fill_triangle(const struct dense_batch *x, int fill, int n,
                                         struct gemm_matrix a);
BLAS_API blas_status dense_swap_rows(const struct dense_batch *x, int n, int from, int count,
                                     bool is_backward, struct gemm_matrix a,
                                     struct dense_numbers pivots);
BLAS_API blas_status dense_copy(const struct dense_batch *x, int m, int n, bool is_adjoint,
                                struct gemm_matrix a, struct gemm_matrix c);

#endif
