// Entry points of products of matrices of which one has a form: symmetric and triangular factors, updates of rank k and 2 k, sums,
// diagonals, and packed triangles.
#include "form.h"

enum { SIDE = 32 }; // of forms.cu

static bool is_op(int op) { return op >= OPERATION_N && op <= OPERATION_C; }
static bool is_side(int side) { return side == SIDE_LEFT || side == SIDE_RIGHT; }
static uint32_t bit(bool is_set, uint32_t mask) { return is_set ? mask : 0; }

// ---- updates of rank k -----------------------------------------------------------------------------------
// What the calls differ in: Hermitian ones take conjugates and leave a real diagonal; `scale_a` and `scale_b` are the factors' types.
struct update {
    const char *call;
    int type, scale_a, scale_b;
    bool is_hermitian;
    bool has_second; // alpha a b' + conj(alpha) b a', not alpha a b'
};
static blas_status real_diagonal(struct blas_handle *h, int type, struct gemm_matrix c, int n) {
    struct forms f = {.y = c};
    f.a.n = n;
    return form_each(h, type, "real_diagonal", n, &f, 1);
}
// One triangle of C := alpha op(A) op(B)' + beta C, op(A) of n x k.
static blas_status rank_k(blas_handle_t h, struct update u, int fill, int op, int64_t n, int64_t k,
                          const void *alpha, struct gemm_matrix a, struct gemm_matrix b,
                          const void *beta, struct gemm_matrix c) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    const bool swaps = blas_swaps(op);
    const int64_t rows = swaps ? k : n;
    if (!form_is_fill(fill) || !is_op(op) || k < 0 || k > INT32_MAX || !form_fits(n, c.lead) ||
        !form_fits(rows, a.lead) || !form_fits(rows, b.lead) || !alpha || !beta)
        return CUBLAS_INVALID_VALUE;
    struct gemm g = {.m = (int32_t)n,
                     .n = (int32_t)n,
                     .k = (int32_t)k,
                     .triangle = fill == FILL_LOWER ? GEMM_LOWER : GEMM_UPPER,
                     .a = a,
                     .b = b,
                     .c = c,
                     .d = c};
    if (h->pointer_mode == POINTER_DEVICE) {
        g.alpha_at = (uintptr_t)alpha;
        g.beta_at = (uintptr_t)beta;
        g.factors = bit(is_real(u.scale_a) != is_real(u.type), GEMM_ALPHA_NARROW) |
                    bit(is_real(u.scale_b) != is_real(u.type), GEMM_BETA_NARROW);
    } else {
        blas_factor(g.alpha, u.scale_a, alpha);
        blas_factor(g.beta, u.scale_b, beta);
    }
    const int other = u.is_hermitian ? OPERATION_C : OPERATION_T,
              op_a = swaps ? other : OPERATION_N, op_b = swaps ? OPERATION_N : other;
    const struct blas_types types = {u.type, u.type, u.type, false};
    struct gemm first = g;
    blas_status s = blas_product(h, u.call, op_a, op_b, &types, &first, 1);
    if (!s && u.has_second) {
        g.a = b;
        g.b = a;
        g.beta_at = 0;
        g.beta[0] = 1, g.beta[1] = 0;
        g.factors |= bit(u.is_hermitian, GEMM_ALPHA_CONJ);
        s = blas_product(h, u.call, op_a, op_b, &types, &g, 1);
    }
    return s || !u.is_hermitian ? s : real_diagonal(h, u.type, c, (int)n);
}
#define RANK_K(letter, name, T, F, type, scale, is_hermitian, suffix, N)                           \
    API(cublas##letter##name##rk_v2##suffix, blas_handle_t h, int fill, int op, N n, N k,          \
        const F *alpha, const T *a, N lda, const F *beta, T *c, N ldc) {                           \
        const struct update u = {                                                                  \
            "cublas" #letter #name "rk" #suffix, type, scale, scale, is_hermitian, false};         \
        return rank_k(h, u, fill, op, n, k, alpha, dense_one(a, lda), dense_one(a, lda), beta,     \
                      dense_one(c, ldc));                                                          \
    }                                                                                              \
    RANK_2(letter, name##r2k_v2, true, T, F, type, scale, is_hermitian, suffix, N)                 \
    RANK_2(letter, name##rkx, false, T, F, type, scale, is_hermitian, suffix, N)
#define RANK_2(letter, name, is_both, T, F, type, scale, is_hermitian, suffix, N)                  \
    API(cublas##letter##name##suffix, blas_handle_t h, int fill, int op, N n, N k, const T *alpha, \
        const T *a, N lda, const T *b, N ldb, const F *beta, T *c, N ldc) {                        \
        const struct update u = {                                                                  \
            "cublas" #letter #name #suffix, type, type, scale, is_hermitian, is_both};             \
        return rank_k(h, u, fill, op, n, k, alpha, dense_one(a, lda), dense_one(b, ldb), beta,     \
                      dense_one(c, ldc));                                                          \
    }
// Types of the matrices as arguments: only single precision's.
#define RANK_K_EX(name, F, scale, is_hermitian, suffix, N)                                         \
    API(cublasC##name##suffix, blas_handle_t h, int fill, int op, N n, N k, const F *alpha,        \
        const void *a, int type_a, N lda, const F *beta, void *c, int type_c, N ldc) {             \
        if (type_a != TYPE_C_32F || type_c != TYPE_C_32F)                                          \
            return blas_refuse("cublasC" #name #suffix,                                            \
                               "matrices of types %d and %d (cudaDataType)", type_a, type_c);      \
        const struct update u = {                                                                  \
            "cublasC" #name #suffix, TYPE_C_32F, scale, scale, is_hermitian, false};               \
        return rank_k(h, u, fill, op, n, k, alpha, dense_one(a, lda), dense_one(a, lda), beta,     \
                      dense_one(c, ldc));                                                          \
    }

// ---- symmetric and triangular factors ------------------------------------------------------------------------
// C := alpha A B + beta C or alpha B A + beta C: A is written out in full, in memory of the call's own.
static blas_status symmetric(blas_handle_t h, const char *call, int type, bool is_hermitian,
                             int side, int fill, int64_t m, int64_t n, const void *alpha,
                             struct gemm_matrix a, struct gemm_matrix b, const void *beta,
                             struct gemm_matrix c) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    const int64_t length = side == SIDE_LEFT ? m : n;
    if (!is_side(side) || !form_is_fill(fill) || !form_fits(length, a.lead) ||
        !form_fits(m, b.lead) || !form_fits(m, c.lead) || n < 0 || n > INT32_MAX || !alpha || !beta)
        return CUBLAS_INVALID_VALUE;
    if (!m || !n) return CUBLAS_SUCCESS;
    CUdeviceptr work;
    blas_status s = blas_of(
        cuMemAllocAsync(&work, (size_t)length * (size_t)length * blas_type_bytes(type), h->stream));
    if (s) return s;
    const struct gemm_matrix full = {.at = work, .lead = length};
    const struct forms f = {.a = form_symmetric(a, is_hermitian, fill, (int)length), .y = full};
    s = form_each(h, type, "form_expand", length * length, &f, 1);
    struct gemm g = {.m = (int32_t)m,
                     .n = (int32_t)n,
                     .k = (int32_t)length,
                     .a = side == SIDE_LEFT ? full : b,
                     .b = side == SIDE_LEFT ? b : full,
                     .c = c,
                     .d = c};
    blas_factors(&g, h->pointer_mode, type, alpha, beta);
    if (!s)
        s = blas_product(h, call, OPERATION_N, OPERATION_N,
                         &(struct blas_types){type, type, type, false}, &g, 1);
    const blas_status freed = blas_of(cuMemFreeAsync(work, h->stream));
    return s ? s : freed;
}
static struct gemm_matrix from(struct gemm_matrix x, int64_t i, int64_t j) {
    x.first += i + j * x.lead;
    return x;
}
// C := alpha op(A) B or alpha B op(A), A a triangle; C may be B. From one end of the triangle to the other, so that what a block of
// rows (columns on the right) is made of has not been written yet.
static blas_status triangular(blas_handle_t h, const char *call, int type, int side, int fill,
                              int op, int diagonal, int64_t m, int64_t n, const void *alpha,
                              struct gemm_matrix a, struct gemm_matrix b, struct gemm_matrix c) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    const bool is_left = side == SIDE_LEFT;
    const int64_t length = is_left ? m : n, sides = is_left ? n : m;
    if (!is_side(side) || !form_is_fill(fill) || !is_op(op) || diagonal < DIAGONAL_NON_UNIT ||
        diagonal > DIAGONAL_UNIT || !form_fits(length, a.lead) || !form_fits(m, b.lead) ||
        !form_fits(m, c.lead) || n < 0 || n > INT32_MAX || !alpha)
        return CUBLAS_INVALID_VALUE;
    if (!m || !n) return CUBLAS_SUCCESS;
    struct forms f = {.a = form_triangular(a, fill, op, diagonal, (int)length),
                      .is_right = !is_left,
                      .sides = (int32_t)sides};
    form_factors(&f, h, type, alpha, type, NULL, type);
    // op(A) is lower where its rows need those before them: then the last ones come first, and on the right the first
    const bool is_lower = f.a.above == 0, goes_up = is_lower == is_left, swaps = f.a.swaps != 0;
    blas_status s = CUBLAS_SUCCESS;
    for (int64_t done = 0; !s && done < length; done += SIDE) {
        f.count = (int32_t)(length - done < SIDE ? length - done : SIDE);
        const int64_t at = goes_up ? length - done - f.count : done,
                      // rows of B that this block of C needs beside its own
            rest = goes_up ? at : length - at - f.count, rest_at = goes_up ? 0 : at + f.count;
        f.from = (int32_t)at;
        f.x = b;
        f.y = c;
        s = form_launch(h, type, "multiply_block", (uint32_t)((sides + SIDE - 1) / SIDE), SIDE, &f,
                        1);
        if (s || !rest) continue;
        const int64_t row = is_left ? at : rest_at, column = is_left ? rest_at : at; // of op(A)
        const struct gemm_matrix off = swaps ? from(a, column, row) : from(a, row, column);
        struct gemm g = {.m = is_left ? f.count : (int32_t)m,
                         .n = is_left ? (int32_t)n : f.count,
                         .k = (int32_t)rest,
                         .a = is_left ? off : from(b, 0, rest_at),
                         .b = is_left ? from(b, rest_at, 0) : off,
                         .c = is_left ? from(c, at, 0) : from(c, 0, at),
                         .beta = {1},
                         .alpha = {f.alpha[0], f.alpha[1]},
                         .alpha_at = f.alpha_at};
        g.d = g.c;
        s = blas_product(h, call, is_left ? op : OPERATION_N, is_left ? OPERATION_N : op,
                         &(struct blas_types){type, type, type, false}, &g, 1);
    }
    return s;
}
#define FACTORS(letter, T, type, suffix, N)                                                        \
    SYMMETRIC(letter, symm, T, type, false, suffix, N)                                             \
    API(cublas##letter##trmm_v2##suffix, blas_handle_t h, int side, int fill, int op,              \
        int diagonal, N m, N n, const T *alpha, const T *a, N lda, const T *b, N ldb, T *c,        \
        N ldc) {                                                                                   \
        return triangular(h, "cublas" #letter "trmm" #suffix, type, side, fill, op, diagonal, m,   \
                          n, alpha, dense_one(a, lda), dense_one(b, ldb), dense_one(c, ldc));      \
    }
#define SYMMETRIC(letter, name, T, type, is_hermitian, suffix, N)                                  \
    API(cublas##letter##name##_v2##suffix, blas_handle_t h, int side, int fill, N m, N n,          \
        const T *alpha, const T *a, N lda, const T *b, N ldb, const T *beta, T *c, N ldc) {        \
        return symmetric(h, "cublas" #letter #name #suffix, type, is_hermitian, side, fill, m, n,  \
                         alpha, dense_one(a, lda), dense_one(b, ldb), beta, dense_one(c, ldc));    \
    }

// ---- sums and diagonals ------------------------------------------------------------------------------------------
// C := alpha op(A) + beta op(B).
static blas_status sum(blas_handle_t h, const char *call, int type, int op_a, int op_b, int64_t m,
                       int64_t n, const void *alpha, struct gemm_matrix a, const void *beta,
                       struct gemm_matrix b, struct gemm_matrix c) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!is_op(op_a) || !is_op(op_b) || n < 0 || n > INT32_MAX || !form_fits(m, c.lead) || !alpha ||
        !beta)
        return CUBLAS_INVALID_VALUE;
    // a matrix whose factor is zero may be none
    if (a.at && !form_fits(blas_swaps(op_a) ? n : m, a.lead)) return CUBLAS_INVALID_VALUE;
    if (b.at && !form_fits(blas_swaps(op_b) ? n : m, b.lead)) return CUBLAS_INVALID_VALUE;
    if ((c.at == a.at && blas_swaps(op_a)) || (c.at == b.at && blas_swaps(op_b)))
        return blas_refuse(call, "a transposed matrix in whose place the sum goes");
    const int64_t rows = blas_swaps(op_a) ? n : m, columns = blas_swaps(op_a) ? m : n;
    struct forms f = {.a = form_general(a, op_a, (int)rows, (int)columns),
                      .x = b,
                      .y = c,
                      .swaps_x = blas_swaps(op_b)};
    f.x.conj = op_b == OPERATION_C;
    form_factors(&f, h, type, alpha, type, beta, type);
    return form_each(h, type, "add_matrices", m * n, &f, 1);
}
static blas_status diagonal(blas_handle_t h, int type, int side, int64_t m, int64_t n,
                            struct gemm_matrix a, const void *x, int64_t sx, struct gemm_matrix c) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!is_side(side) || n < 0 || n > INT32_MAX || !form_fits(m, a.lead) || !form_fits(m, c.lead))
        return CUBLAS_INVALID_VALUE;
    const struct forms f = {.a = form_general(a, OPERATION_N, (int)m, (int)n),
                            .x = vector_at(x, side == SIDE_LEFT ? m : n, sx),
                            .y = c,
                            .is_right = side == SIDE_RIGHT};
    return form_each(h, type, "scale_lines", m * n, &f, 1);
}
// A triangle becomes packed, or a packed one full.
static blas_status pack(blas_handle_t h, int type, int fill, int n, struct gemm_matrix a,
                        struct gemm_matrix packed, bool unpacks) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!form_is_fill(fill) || !form_fits(n, a.lead)) return CUBLAS_INVALID_VALUE;
    struct form f = form_triangular(unpacks ? packed : a, fill, OPERATION_N, DIAGONAL_NON_UNIT, n);
    if (unpacks) f = form_packed(f);
    return form_each(h, type, "form_expand", (int64_t)n * n,
                     &(struct forms){.a = f, .y = unpacks ? a : packed}, 1);
}
#define SUMS(letter, T, type, suffix, N)                                                           \
    API(cublas##letter##geam##suffix, blas_handle_t h, int op_a, int op_b, N m, N n,               \
        const T *alpha, const T *a, N lda, const T *beta, const T *b, N ldb, T *c, N ldc) {        \
        return sum(h, "cublas" #letter "geam" #suffix, type, op_a, op_b, m, n, alpha,              \
                   dense_one(a, lda), beta, dense_one(b, ldb), dense_one(c, ldc));                 \
    }                                                                                              \
    API(cublas##letter##dgmm##suffix, blas_handle_t h, int side, N m, N n, const T *a, N lda,      \
        const T *x, N sx, T *c, N ldc) {                                                           \
        return diagonal(h, type, side, m, n, dense_one(a, lda), x, sx, dense_one(c, ldc));         \
    }
#define PACKS(letter, T, type)                                                                     \
    API(cublas##letter##tpttr, blas_handle_t h, int fill, int n, const T *packed, T *a, int lda) { \
        return pack(h, type, fill, n, dense_one(a, lda), dense_one(packed, 0), true);              \
    }                                                                                              \
    API(cublas##letter##trttp, blas_handle_t h, int fill, int n, const T *a, int lda, T *packed) { \
        return pack(h, type, fill, n, dense_one(a, lda), dense_one(packed, 0), false);             \
    }
PACKS(S, float, TYPE_R_32F)
PACKS(D, double, TYPE_R_64F)
PACKS(C, struct pair32, TYPE_C_32F)
PACKS(Z, struct pair64, TYPE_C_64F)

#define EVERY(letter, T, type, suffix, N)                                                          \
    RANK_K(letter, sy, T, T, type, type, false, suffix, N)                                         \
    FACTORS(letter, T, type, suffix, N)                                                            \
    SUMS(letter, T, type, suffix, N)
#define HERMITIAN(letter, T, F, type, scale, suffix, N)                                            \
    RANK_K(letter, he, T, F, type, scale, true, suffix, N)                                         \
    SYMMETRIC(letter, hemm, T, type, true, suffix, N)
#define ALL(suffix, N)                                                                             \
    EVERY(S, float, TYPE_R_32F, suffix, N)                                                         \
    EVERY(D, double, TYPE_R_64F, suffix, N)                                                        \
    EVERY(C, struct pair32, TYPE_C_32F, suffix, N)                                                 \
    EVERY(Z, struct pair64, TYPE_C_64F, suffix, N)                                                 \
    HERMITIAN(C, struct pair32, float, TYPE_C_32F, TYPE_R_32F, suffix, N)                          \
    HERMITIAN(Z, struct pair64, double, TYPE_C_64F, TYPE_R_64F, suffix, N)                         \
    RANK_K_EX(syrkEx, struct pair32, TYPE_C_32F, false, suffix, N)                                 \
    RANK_K_EX(syrk3mEx, struct pair32, TYPE_C_32F, false, suffix, N)                               \
    RANK_K_EX(herkEx, float, TYPE_R_32F, true, suffix, N)                                          \
    RANK_K_EX(herk3mEx, float, TYPE_R_32F, true, suffix, N)
ALL(, int)
ALL(_64, int64_t)
