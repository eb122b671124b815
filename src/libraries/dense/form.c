// Householder's forms of matrices and eigenvalues of those that are not Hermitian, from column to column (dense.h): what one block
// does is in form.cu and schur.cu.
#include "launch.h"

enum { THREADS = 256, ROWS = 32 };
static const enum blas_module forms[4] = {BLAS_js, BLAS_jd, BLAS_jc, BLAS_jz},
                              schur[4] = {BLAS_us, BLAS_ud, BLAS_uc, BLAS_uz},
                              whole[4] = {BLAS_ms, BLAS_md, BLAS_mc, BLAS_mz};

// Column `from` of a (m rows) is reflected, and the columns behind it are, as QR does it.
static blas_status reflect_column(const struct dense_batch *x, int m, int n, int from,
                                  struct gemm_matrix a, struct gemm_matrix tau) {
    const struct dense d = {.m = m, .n = n, .from = from, .a = a, .tau = tau};
    const blas_status s = dense_launch(x, whole, "reflect", 1, THREADS, &d);
    return s ? s
             : dense_launch(x, whole, "apply_reflection", (uint32_t)(n - from - 1),
                            m - from > 64 ? THREADS : 32, &d);
}
static blas_status reflect_rows(const struct dense_batch *x, const struct dense *d) {
    return d->n ? dense_launch(x, forms, "reflect_rows", (uint32_t)((d->m + ROWS - 1) / ROWS),
                               THREADS, d)
                : CUBLAS_SUCCESS;
}

// ---- eigenvalues ------------------------------------------------------------------------------------------
// The work area holds Q, the triangle's vectors, the factors of the reflections, the values as pairs of real numbers, and those that
// rows were scaled by.
int64_t dense_schur_work(int n) { return 2 * (int64_t)n * n + 4 * (int64_t)n + 1; }

static blas_status hessenberg(const struct dense_batch *x, int n, struct gemm_matrix a,
                              struct gemm_matrix tau) {
    const struct gemm_matrix below = dense_from(a, 1, 0);
    blas_status s = CUBLAS_SUCCESS;
    for (int j = 0; !s && j < n - 1; j++) {
        s = reflect_column(x, n - 1, n, j, below, tau);
        if (!s)
            s = reflect_rows(x, &(struct dense){.m = n,
                                                .n = n - 1 - j,
                                                .from = j,
                                                .a = dense_from(below, j, j),
                                                .a_i = 1,
                                                .c = dense_from(a, 0, j + 1),
                                                .tau = tau});
    }
    return s;
}

blas_status dense_schur(const struct dense_batch *x, int n, struct gemm_matrix a,
                        struct dense_complex values, struct gemm_matrix vectors,
                        struct gemm_matrix work, struct dense_numbers info) {
    if (!n) return CUBLAS_SUCCESS;
    const bool has_vectors = vectors.at != 0;
    const size_t bytes = blas_type_bytes(x->type);
    const int64_t squares = 2 * (int64_t)n * n,
                  reals = (int64_t)(bytes / dense_real_bytes(x->type));
    struct gemm_matrix q = work, triangle = work, tau = work;
    q.lead = triangle.lead = n;
    triangle.first += (int64_t)n * n;
    tau.first += squares;
    const struct dense_numbers found = {work.at + (uint64_t)(work.first + squares + n) * bytes,
                                        work.step * reals},
                               scale = {work.at +
                                            (uint64_t)(work.first + squares + 3 * (int64_t)n) *
                                                bytes,
                                        work.step * reals};
    blas_status s = dense_launch(x, schur, "scale_similar", 1, THREADS,
                                 &(struct dense){.n = n, .a = a, .values = scale});
    if (!s) s = hessenberg(x, n, a, tau);
    if (!s && has_vectors) s = dense_identity(x, n, n, q);
    if (!s && has_vectors && n > 1)
        s = dense_apply_q(x, SIDE_LEFT, OPERATION_N, n - 1, n - 1, n - 1, dense_from(a, 1, 0), tau,
                          dense_from(q, 1, 1));
    if (!s)
        s = dense_launch(
            x, schur, "schur_steps", 1, THREADS,
            &(struct dense){
                .n = n, .a = a, .b = q, .values = found, .info = info, .has_vectors = has_vectors});
    if (!s && has_vectors)
        s = dense_launch(x, schur, "schur_vectors", (uint32_t)n, THREADS,
                         &(struct dense){.n = n, .a = a, .c = triangle, .values = found});
    if (!s && has_vectors)
        s = dense_product(x, OPERATION_N, OPERATION_N, n, n, n, 1, q, triangle, 0, vectors,
                          GEMM_ALL);
    if (!s)
        s = dense_launch(x, schur, "schur_finish", (uint32_t)n, THREADS,
                         &(struct dense){.n = n,
                                         .c = vectors,
                                         .values = found,
                                         .pivots = scale,
                                         .sorted = {values.at, 0},
                                         .b_i = values.step,
                                         .b_j = values.apart,
                                         .has_vectors = has_vectors});
    return s;
}

// ---- tridiagonal ------------------------------------------------------------------------------------------
blas_status dense_tridiagonal(const struct dense_batch *x, int fill, int n, struct gemm_matrix a,
                              struct dense_numbers diagonal, struct dense_numbers line,
                              struct gemm_matrix tau, struct gemm_matrix work) {
    const bool is_upper = fill == FILL_UPPER;
    blas_status s = CUBLAS_SUCCESS;
    for (int j = 0; !s && j < n - 1; j++) {
        // in an upper triangle columns go from the last one to the first, and each from its diagonal up
        const int column = is_upper ? n - 1 - j : j, first = is_upper ? column - 1 : j + 1;
        const uint32_t rest = (uint32_t)(n - 1 - j);
        const struct dense d = {
            .n = n, .from = j, .a = a, .c = work, .tau = tau, .is_upper = is_upper};
        s = dense_launch(x, forms, "reflect_line", 1, THREADS,
                         &(struct dense){.n = n - 1 - j,
                                         .from = is_upper ? first : j,
                                         .a = dense_from(a, first, column),
                                         .a_i = is_upper ? -1 : 1,
                                         .tau = tau});
        if (!s) s = dense_launch(x, forms, "turn_product", rest, THREADS, &d);
        if (!s) s = dense_launch(x, forms, "turn_vector", 1, THREADS, &d);
        if (!s) s = dense_launch(x, forms, "turn_both", rest, THREADS, &d);
    }
    return s ? s
             : dense_launch(x, forms, "take_lines", dense_blocks(n), THREADS,
                            &(struct dense){.n = n,
                                            .from = !is_upper,
                                            .count = is_upper,
                                            .a = a,
                                            .sorted = diagonal,
                                            .values = line});
}
blas_status dense_apply_tridiagonal(const struct dense_batch *x, int side, int fill, int op, int m,
                                    int n, struct gemm_matrix a, struct gemm_matrix tau,
                                    struct gemm_matrix c) {
    const bool is_right = side == SIDE_RIGHT, is_adjoint = op != OPERATION_N;
    const int k = (is_right ? n : m) - 1;
    if (k < 1 || !m || !n) return CUBLAS_SUCCESS;
    if (fill == FILL_LOWER)
        return dense_apply_q(x, side, op, is_right ? m : k, is_right ? k : n, k,
                             dense_from(a, 1, 0), tau,
                             is_right ? dense_from(c, 0, 1) : dense_from(c, 1, 0));
    // Q is the last reflection times the one before it and so on
    return dense_launch(x, forms, "apply_lines", (uint32_t)(is_right ? m : n), THREADS,
                        &(struct dense){.m = is_right ? m : k,
                                        .n = is_right ? k : n,
                                        .k = k,
                                        .a = dense_from(a, 0, 1),
                                        .a_i = 1,
                                        .a_k = a.lead,
                                        .c = c,
                                        .tau = tau,
                                        .is_upper = 1,
                                        .is_right = is_right,
                                        .is_conj = is_adjoint,
                                        .is_forward = is_right == is_adjoint});
}
blas_status dense_make_tridiagonal(const struct dense_batch *x, int fill, int n,
                                   struct gemm_matrix a, struct gemm_matrix tau,
                                   struct gemm_matrix work) {
    work.lead = n;
    blas_status s = dense_copy(x, n, n, false, a, work);
    if (!s) s = dense_identity(x, n, n, a);
    return s ? s : dense_apply_tridiagonal(x, SIDE_LEFT, fill, OPERATION_N, n, n, work, tau, a);
}

// ---- bidiagonal -------------------------------------------------------------------------------------------
blas_status dense_bidiagonal(const struct dense_batch *x, int m, int n, struct gemm_matrix a,
                             struct dense_numbers diagonal, struct dense_numbers line,
                             struct gemm_matrix tau_q, struct gemm_matrix tau_p) {
    blas_status s = CUBLAS_SUCCESS;
    for (int j = 0; !s && j < n; j++) {
        s = reflect_column(x, m, n, j, a, tau_q);
        const struct dense row = {.m = m - 1 - j,
                                  .n = n - 1 - j,
                                  .from = j,
                                  .a = dense_from(a, j, j + 1),
                                  .a_i = a.lead,
                                  .c = dense_from(a, j + 1, j + 1),
                                  .tau = tau_p,
                                  .is_row = 1};
        // the last row has nothing to leave: LAPACK's factor is zero there
        if (!s && j == n - 1)
            s = blas_of(cuMemsetD8Async(tau_p.at + (uint64_t)j * blas_type_bytes(x->type), 0,
                                        blas_type_bytes(x->type), x->h->stream));
        if (s || j == n - 1) continue;
        s = dense_launch(x, forms, "reflect_line", 1, THREADS, &row);
        if (!s && row.m) s = reflect_rows(x, &row);
    }
    return s ? s
             : dense_launch(
                   x, forms, "take_lines", dense_blocks(n), THREADS,
                   &(struct dense){.n = n, .count = 1, .a = a, .sorted = diagonal, .values = line});
}
blas_status dense_make_bidiagonal(const struct dense_batch *x, bool is_p, int m, int n, int k,
                                  struct gemm_matrix a, struct gemm_matrix tau,
                                  struct gemm_matrix work) {
    // the first one leaves a row (or column) as it is where there are no more of them than the matrix has
    const bool is_behind = is_p ? k >= n : m < k;
    const int first = is_behind ? 1 : 0, side = is_p ? n : m, count = is_behind ? side - 1 : k;
    work.lead = m;
    blas_status s = dense_copy(x, m, n, false, a, work);
    if (!s) s = dense_identity(x, m, n, a);
    if (s || count < 1) return s;
    if (!is_p)
        return dense_apply_q(x, SIDE_LEFT, OPERATION_N, m - first, n - first, count,
                             dense_from(work, first, 0), tau, dense_from(a, first, first));
    // P^H is the last one's adjoint times that of the one before it and so on: the rows of a unit matrix, from the right
    return dense_launch(x, forms, "apply_lines", (uint32_t)m, THREADS,
                        &(struct dense){.m = m,
                                        .n = n,
                                        .k = count,
                                        .from = first,
                                        .a = work,
                                        .a_i = work.lead,
                                        .a_k = 1,
                                        .c = a,
                                        .tau = tau,
                                        .is_right = 1,
                                        .is_conj = 1,
                                        .is_row = 1});
}
