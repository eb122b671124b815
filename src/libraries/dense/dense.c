// Factorisations from panel to panel (dense.h): what one block does is in dense.cu, products are gemm.cu's.
#include "dense.h"
#include "launch.h"

enum { B = DENSE_BLOCK, SIDES = 32, MOST = 65535 };

static int least(int a, int b) { return a < b ? a : b; }
static size_t real_bytes(int type) { return dense_real_bytes(type); }
static uint32_t blocks_of(int64_t all) { return dense_blocks(all); }
static uint32_t up(int64_t a, int64_t b) { return (uint32_t)((a + b - 1) / b); }
static struct gemm_matrix from(struct gemm_matrix x, int64_t i, int64_t j) {
    return dense_from(x, i, j);
}
static void advance(struct gemm_matrix *x, size_t bytes, uint32_t count) {
    x->at += x->is_list ? (uint64_t)8 * count : (uint64_t)x->step * count * bytes;
}
// A grid has at most 65,535 blocks in its third direction.
blas_status dense_launch(const struct dense_batch *x, const enum blas_module modules[4],
                         const char *name, uint32_t blocks, uint32_t threads,
                         const struct dense *d) {
    CUfunction kernel;
    const int type = x->type;
    const int which = type == TYPE_R_64F ? 1 : type == TYPE_C_32F ? 2 : type == TYPE_C_64F ? 3 : 0;
    blas_status s = blas_kernel(x->h, modules[which], name, &kernel);
    struct dense part = *d;
    const size_t bytes = blas_type_bytes(type), real = real_bytes(type);
    if (!blocks) return s;
    for (uint32_t done = 0; !s && done < x->count; done += MOST) {
        const uint32_t now = x->count - done < MOST ? x->count - done : MOST;
        s = blas_launch(kernel, (const uint32_t[3]){blocks, 1, now}, threads, &part, sizeof part,
                        x->h->stream);
        advance(&part.a, bytes, now);
        advance(&part.b, bytes, now);
        advance(&part.c, bytes, now);
        advance(&part.tau, bytes, now);
        if (part.pivots.at) part.pivots.at += (uint64_t)part.pivots.step * 4 * now;
        if (part.info.at) part.info.at += (uint64_t)part.info.step * 4 * now;
        if (part.values.at) part.values.at += (uint64_t)part.values.step * real * now;
        if (part.sorted.at) part.sorted.at += (uint64_t)part.sorted.step * real * now;
    }
    return s;
}
static blas_status launch(const struct dense_batch *x, const char *name, uint32_t blocks,
                          uint32_t threads, const struct dense *d) {
    static const enum blas_module modules[4] = {BLAS_ms, BLAS_md, BLAS_mc, BLAS_mz};
    return dense_launch(x, modules, name, blocks, threads, d);
}

blas_status dense_product(const struct dense_batch *x, int op_a, int op_b, int m, int n, int k,
                          double alpha, struct gemm_matrix a, struct gemm_matrix b, double beta,
                          struct gemm_matrix c, uint32_t triangle) {
    struct gemm g = {.m = m,
                     .n = n,
                     .k = k,
                     .triangle = triangle,
                     .a = a,
                     .b = b,
                     .c = c,
                     .d = c,
                     .alpha = {alpha},
                     .beta = {beta}};
    return blas_product(x->h, x->call, op_a, op_b,
                        &(struct blas_types){x->type, x->type, x->type, false}, &g, x->count);
}

blas_status dense_identity(const struct dense_batch *x, int m, int n, struct gemm_matrix c) {
    return launch(x, "set_identity", blocks_of((int64_t)m * n), 256,
                  &(struct dense){.m = m, .n = n, .c = c});
}
blas_status dense_copy(const struct dense_batch *x, int m, int n, bool is_adjoint,
                       struct gemm_matrix a, struct gemm_matrix c) {
    return launch(x, "copy_matrix", blocks_of((int64_t)m * n), 256,
                  &(struct dense){.m = m, .n = n, .a = a, .c = c, .is_conj = is_adjoint});
}
blas_status dense_swap_rows(const struct dense_batch *x, int n, int first, int count,
                            bool is_backward, struct gemm_matrix a, struct dense_numbers pivots) {
    return launch(x, "swap_rows", up(n, 64), 64,
                  &(struct dense){.n = n,
                                  .from = first,
                                  .count = count,
                                  .a = a,
                                  .pivots = pivots,
                                  .is_backward = is_backward});
}

blas_status dense_copy_triangle(const struct dense_batch *x, int fill, int n, struct gemm_matrix a,
                                struct gemm_matrix c) {
    return launch(x, "copy_triangle", blocks_of((int64_t)n * n), 256,
                  &(struct dense){.n = n, .a = a, .c = c, .is_upper = fill == FILL_UPPER});
}
blas_status dense_fill_triangle(const struct dense_batch *x, int fill, int n,
                                struct gemm_matrix a) {
    return launch(x, "fill_triangle", blocks_of((int64_t)n * n), 256,
                  &(struct dense){.n = n, .a = a, .is_upper = fill == FILL_UPPER});
}

// ---- triangles --------------------------------------------------------------------------------------------
blas_status dense_triangle(const struct dense_batch *x, int side, int fill, int op, int diagonal,
                           int m, int n, struct dense_factor alpha, struct gemm_matrix a,
                           struct gemm_matrix b) {
    const bool is_left = side == SIDE_LEFT, swaps = blas_swaps(op), is_lower = fill == FILL_LOWER;
    const int length = is_left ? m : n, sides = is_left ? n : m;
    blas_status s = CUBLAS_SUCCESS;
    if (!m || !n) return s;
    if (alpha.at || alpha.value[0] != 1 || alpha.value[1] != 0)
        s = launch(x, "scale_all", blocks_of((int64_t)m * n), 256,
                   &(struct dense){.m = m,
                                   .n = n,
                                   .b = b,
                                   .alpha = {alpha.value[0], alpha.value[1]},
                                   .alpha_at = alpha.at});
    // The rows of t x = b, t = op(a) on the left, its transposed on the right: t is lower where it goes forward.
    struct dense d = {.n = sides,
                      .a_i = is_left == !swaps ? 1 : a.lead,
                      .a_k = is_left == !swaps ? a.lead : 1,
                      .b_i = is_left ? 1 : b.lead,
                      .b_j = is_left ? b.lead : 1,
                      .is_forward = is_left == (is_lower != swaps),
                      .is_unit = diagonal == DIAGONAL_UNIT,
                      .is_conj = op == OPERATION_C};
    for (int done = 0; !s && done < length; done += B) {
        d.count = least(B, length - done);
        const int at = d.is_forward ? done : length - done - d.count,
                  rest = length - done - d.count, to = d.is_forward ? at + d.count : 0;
        d.a = from(a, at, at);
        d.b = is_left ? from(b, at, 0) : from(b, 0, at);
        s = launch(x, "solve_block", up(sides, SIDES), SIDES, &d);
        if (s || !rest) continue;
        // what is solved leaves the rest
        const struct gemm_matrix off = is_left == !swaps ? from(a, to, at) : from(a, at, to);
        s = is_left ? dense_product(x, op, OPERATION_N, rest, n, d.count, -1, off, d.b, 1,
                                    from(b, to, 0), GEMM_ALL)
                    : dense_product(x, OPERATION_N, op, m, rest, d.count, -1, d.b, off, 1,
                                    from(b, 0, to), GEMM_ALL);
    }
    return s;
}

// ---- LU ---------------------------------------------------------------------------------------------------
static const struct dense_factor one = {.value = {1, 0}};

blas_status dense_lu(const struct dense_batch *x, int m, int n, struct gemm_matrix a,
                     struct dense_numbers pivots, struct dense_numbers info) {
    blas_status s = CUBLAS_SUCCESS;
    for (int j = 0; !s && j < least(m, n); j += B) {
        const int count = least(B, least(m, n) - j), next = j + count;
        const struct dense d = {
            .m = m, .n = n, .from = j, .count = count, .a = a, .pivots = pivots, .info = info};
        s = launch(x, "lu_panel", 1, 256, &d);
        if (!s && pivots.at && n > count) {
            struct dense w = d; // all columns but the panel's
            w.k = j;
            w.m = next;
            s = launch(x, "swap_rows", up(n, 64), 64, &w);
        }
        if (s || next >= n) continue;
        s = dense_triangle(x, SIDE_LEFT, FILL_LOWER, OPERATION_N, DIAGONAL_UNIT, count, n - next,
                           one, from(a, j, j), from(a, j, next));
        if (!s && next < m)
            s = dense_product(x, OPERATION_N, OPERATION_N, m - next, n - next, count, -1,
                              from(a, next, j), from(a, j, next), 1, from(a, next, next), GEMM_ALL);
    }
    return s;
}
blas_status dense_lu_solve(const struct dense_batch *x, int op, int n, int sides,
                           struct gemm_matrix a, struct dense_numbers pivots,
                           struct gemm_matrix b) {
    blas_status s = CUBLAS_SUCCESS;
    if (op == OPERATION_N && pivots.at) s = dense_swap_rows(x, sides, 0, n, false, b, pivots);
    const int first = op == OPERATION_N ? FILL_LOWER : FILL_UPPER;
    for (int i = 0; !s && i < 2; i++) {
        const int fill = i == 0 ? first : first == FILL_LOWER ? FILL_UPPER : FILL_LOWER;
        s = dense_triangle(x, SIDE_LEFT, fill, op,
                           fill == FILL_LOWER ? DIAGONAL_UNIT : DIAGONAL_NON_UNIT, n, sides, one, a,
                           b);
    }
    if (!s && op != OPERATION_N && pivots.at) s = dense_swap_rows(x, sides, 0, n, true, b, pivots);
    return s;
}

// ---- Cholesky ---------------------------------------------------------------------------------------------
blas_status dense_cholesky(const struct dense_batch *x, int fill, int n, struct gemm_matrix a,
                           struct dense_numbers info) {
    blas_status s = CUBLAS_SUCCESS;
    const bool is_upper = fill == FILL_UPPER;
    for (int j = 0; !s && j < n; j += B) {
        const int count = least(B, n - j), next = j + count, rest = n - next;
        const struct dense d = {
            .from = j, .count = count, .a = a, .info = info, .is_upper = is_upper};
        s = launch(x, "cholesky_block", 1, 256, &d);
        if (s || !rest) continue;
        const struct gemm_matrix corner = from(a, j, j),
                                 side = is_upper ? from(a, j, next) : from(a, next, j);
        s = is_upper ? dense_triangle(x, SIDE_LEFT, fill, OPERATION_C, DIAGONAL_NON_UNIT, count,
                                      rest, one, corner, side)
                     : dense_triangle(x, SIDE_RIGHT, fill, OPERATION_C, DIAGONAL_NON_UNIT, rest,
                                      count, one, corner, side);
        if (!s)
            s = dense_product(x, is_upper ? OPERATION_C : OPERATION_N,
                              is_upper ? OPERATION_N : OPERATION_C, rest, rest, count, -1, side,
                              side, 1, from(a, next, next), is_upper ? GEMM_UPPER : GEMM_LOWER);
    }
    return s;
}
blas_status dense_cholesky_solve(const struct dense_batch *x, int fill, int n, int sides,
                                 struct gemm_matrix a, struct gemm_matrix b) {
    const int first = fill == FILL_UPPER ? OPERATION_C : OPERATION_N;
    const blas_status s =
        dense_triangle(x, SIDE_LEFT, fill, first, DIAGONAL_NON_UNIT, n, sides, one, a, b);
    return s ? s
             : dense_triangle(x, SIDE_LEFT, fill, first == OPERATION_N ? OPERATION_C : OPERATION_N,
                              DIAGONAL_NON_UNIT, n, sides, one, a, b);
}

// ---- symmetric matrices -------------------------------------------------------------------------------------
blas_status dense_symmetric(const struct dense_batch *x, int fill, int n, struct gemm_matrix a,
                            struct dense_numbers pivots, struct dense_numbers info) {
    return launch(
        x, "symmetric_factors", 1, 256,
        &(struct dense){
            .n = n, .a = a, .pivots = pivots, .info = info, .is_upper = fill == FILL_UPPER});
}
blas_status dense_symmetric_solve(const struct dense_batch *x, int fill, int n, int sides,
                                  struct gemm_matrix a, struct dense_numbers pivots,
                                  struct gemm_matrix b) {
    return launch(
        x, "symmetric_solve", (uint32_t)sides, 256,
        &(struct dense){.n = n, .a = a, .b = b, .pivots = pivots, .is_upper = fill == FILL_UPPER});
}

// ---- QR ---------------------------------------------------------------------------------------------------
blas_status dense_qr(const struct dense_batch *x, int m, int n, struct gemm_matrix a,
                     struct gemm_matrix tau) {
    blas_status s = CUBLAS_SUCCESS;
    for (int j = 0; !s && j < least(m, n); j++) {
        const struct dense d = {.m = m, .n = n, .from = j, .a = a, .tau = tau};
        s = launch(x, "reflect", 1, 256, &d);
        if (!s) s = launch(x, "apply_reflection", (uint32_t)(n - j - 1), m - j > 64 ? 256 : 32, &d);
    }
    return s;
}
blas_status dense_apply_q(const struct dense_batch *x, int side, int op, int m, int n, int k,
                          struct gemm_matrix a, struct gemm_matrix tau, struct gemm_matrix c) {
    const bool is_right = side == SIDE_RIGHT, is_adjoint = op != OPERATION_N;
    if (!k) return CUBLAS_SUCCESS;
    return launch(x, "apply_reflections", (uint32_t)(is_right ? m : n),
                  (is_right ? n : m) > 64 ? 256 : 32,
                  &(struct dense){
                      .m = m,
                      .n = n,
                      .k = k,
                      .a = a,
                      .c = c,
                      .tau = tau,
                      .is_right = is_right,
                      .is_conj = is_adjoint,
                      .is_forward = is_right !=
                                    is_adjoint}); // the first one is next to c in Q^H c and in c Q
}
blas_status dense_make_q(const struct dense_batch *x, int m, int n, int k, struct gemm_matrix a,
                         struct gemm_matrix tau, struct gemm_matrix work) {
    work.lead = m;
    blas_status s = dense_copy(x, m, k, false, a, work);
    if (!s) s = dense_identity(x, m, n, a);
    return s ? s : dense_apply_q(x, SIDE_LEFT, OPERATION_N, m, n, k, work, tau, a);
}

// ---- eigenvalues and singular values ------------------------------------------------------------------------
// The work area holds the vectors, a rotation for each pair of columns (two reals and an element, at most two elements), and
// as many real numbers as rows.
int64_t dense_eigen_work(int n) { return (int64_t)n * n + 4 * (int64_t)n + 4; }
blas_status dense_eigen(const struct dense_batch *x, bool has_vectors, int fill, int n,
                        struct gemm_matrix a, struct dense_numbers values, struct gemm_matrix work,
                        struct dense_numbers info) {
    if (!n) return CUBLAS_SUCCESS;
    struct gemm_matrix vectors = work, turns = work;
    vectors.lead = n;
    turns.first += (int64_t)n * n;
    // real numbers of the work area begin behind the rotations; they are half as long where elements are complex
    const size_t bytes = blas_type_bytes(x->type), real = real_bytes(x->type);
    const struct dense_numbers found = {work.at +
                                            (uint64_t)((int64_t)n * n + 3 * (int64_t)n + 4) * bytes,
                                        work.step * (int64_t)(bytes / real)};
    blas_status s = launch(x, "fill_triangle", blocks_of((int64_t)n * n), 256,
                           &(struct dense){.n = n, .a = a, .is_upper = fill == FILL_UPPER});
    if (!s && has_vectors) s = dense_identity(x, n, n, vectors);
    if (!s)
        s = launch(x, "jacobi_eigen", 1, 256,
                   &(struct dense){.n = n,
                                   .a = a,
                                   .b = vectors,
                                   .c = turns,
                                   .info = info,
                                   .has_vectors = has_vectors});
    if (!s)
        s = launch(x, "take_diagonal", 1, 256, &(struct dense){.n = n, .a = a, .values = found});
    if (!s)
        s = launch(x, "sort_columns", (uint32_t)n, 32,
                   &(struct dense){.m = n,
                                   .n = n,
                                   .a = vectors,
                                   .c = a,
                                   .values = found,
                                   .sorted = values,
                                   .has_vectors = has_vectors});
    return s;
}

int64_t dense_singular_work(int m, int n) {
    const int64_t tall = m > n ? m : n, wide = m > n ? n : m;
    return 2 * tall * wide + 2 * wide * wide + 2 * wide;
}
blas_status dense_singular(const struct dense_batch *x, int m, int n, struct gemm_matrix a,
                           struct dense_numbers values, struct gemm_matrix u, int u_columns,
                           struct gemm_matrix v, int v_columns, bool is_adjoint,
                           struct gemm_matrix work, struct dense_numbers info) {
    const bool is_wide = m < n; // then its adjoint is taken apart, and u and v change places
    const int tall = is_wide ? n : m, wide = is_wide ? m : n;
    if (!wide) return CUBLAS_SUCCESS;
    struct gemm_matrix w = work, w2 = work, turns = work, turns2 = work, tau = work;
    w.lead = w2.lead = tall;
    turns.lead = turns2.lead = wide;
    w2.first += (int64_t)tall * wide;
    turns.first += 2 * (int64_t)tall * wide;
    turns2.first = turns.first + (int64_t)wide * wide;
    tau.first = turns2.first + (int64_t)wide * wide;
    const size_t bytes = blas_type_bytes(x->type), real = real_bytes(x->type);
    const struct dense_numbers norms = {work.at + (uint64_t)(tau.first + wide) * bytes,
                                        work.step * (int64_t)(bytes / real)};
    blas_status s = dense_copy(x, m, n, is_wide, a, w);
    if (!s) s = dense_identity(x, wide, wide, turns);
    // the rotations leave orthogonal columns: left vectors times singular values
    if (!s)
        s = launch(x, "jacobi_columns", 1, 256,
                   &(struct dense){.m = tall, .n = wide, .a = w, .b = turns, .info = info});
    if (!s)
        s = launch(x, "column_norms", (uint32_t)wide, 256,
                   &(struct dense){.m = tall, .n = wide, .a = w, .values = norms});
    struct dense sort = {.m = tall,
                         .n = wide,
                         .a = w,
                         .c = w2,
                         .values = norms,
                         .sorted = values,
                         .is_backward = 1,
                         .has_vectors = 1};
    if (!s) s = launch(x, "sort_columns", (uint32_t)wide, 32, &sort);
    sort.m = wide, sort.a = turns, sort.c = turns2, sort.sorted = (struct dense_numbers){0, 0};
    if (!s) s = launch(x, "sort_columns", (uint32_t)wide, 32, &sort);
    // Left vectors by a QR of those columns: whole and orthogonal even where singular values are zero.
    const struct gemm_matrix left = is_wide ? v : u, right = is_wide ? u : v;
    const int left_columns = is_wide ? v_columns : u_columns,
              right_columns = is_wide ? u_columns : v_columns;
    const bool left_adjoint = is_wide && is_adjoint, right_adjoint = !is_wide && is_adjoint;
    if (!s && left_adjoint)
        return blas_refuse(x->call, "adjoint vectors of a matrix with more columns than rows");
    if (!s && left_columns) {
        s = dense_qr(x, tall, wide, w2, tau);
        if (!s) s = dense_identity(x, tall, left_columns, left);
        if (!s)
            s = dense_apply_q(x, SIDE_LEFT, OPERATION_N, tall, left_columns, wide, w2, tau, left);
        if (!s)
            s = launch(x, "take_phases", (uint32_t)least(wide, left_columns), 256,
                       &(struct dense){.m = tall, .a = w2, .c = left});
    }
    if (!s && right_columns) s = dense_copy(x, wide, wide, right_adjoint, turns2, right);
    return s;
}

struct dense_residuals dense_residual(const struct dense_batch *x, int m, int n, int rank,
                                      struct gemm_matrix a, struct gemm_matrix u,
                                      struct dense_numbers values, struct gemm_matrix v,
                                      struct gemm_matrix work) {
    struct gemm_matrix left = work, scaled = work; // what is left of a, and u s behind it
    left.lead = scaled.lead = m;
    scaled.first += (int64_t)m * n;
    const size_t bytes = blas_type_bytes(x->type), real = real_bytes(x->type);
    const struct dense_numbers norms = {work.at +
                                            (uint64_t)(scaled.first + (int64_t)m * rank) * bytes,
                                        work.step * (int64_t)(bytes / real)};
    blas_status s = dense_copy(x, m, n, false, a, left);
    if (!s)
        s = launch(x, "scale_columns", blocks_of((int64_t)m * rank), 256,
                   &(struct dense){.m = m, .n = rank, .a = u, .c = scaled, .values = values});
    if (!s)
        s = dense_product(x, OPERATION_N, OPERATION_C, m, n, rank, -1, scaled, v, 1, left,
                          GEMM_ALL);
    // the norm of all elements is that of one long column
    if (!s)
        s = launch(x, "column_norms", 1, 256,
                   &(struct dense){.m = m * n, .n = 1, .a = left, .values = norms});
    return (struct dense_residuals){s, norms};
}
