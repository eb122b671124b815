// Entry points of a matrix of any form with vectors: products, solutions, updates.
#include <stdio.h>
#include <string.h>

#include "form.h"

enum { THREADS = 256, SIDE = 32, MOST = 65535 }; // of forms.cu; blocks of a grid's third direction

enum blas_module form_module(int type) {
    return type == TYPE_R_64F   ? BLAS_ed
           : type == TYPE_C_32F ? BLAS_ec
           : type == TYPE_C_64F ? BLAS_ez
                                : BLAS_es;
}
static void advance(struct gemm_matrix *x, int type, uint32_t count) {
    x->at += x->is_list ? (uint64_t)8 * count
                        : (uint64_t)(x->step * (int64_t)count) * blas_type_bytes(type);
}
blas_status form_launch(struct blas_handle *h, int type, const char *name, uint32_t blocks,
                        uint32_t threads, const struct forms *f, uint32_t count) {
    CUfunction kernel;
    struct forms part = *f;
    blas_status s = blas_kernel(h, form_module(type), name, &kernel);
    for (uint32_t done = 0; !s && blocks && done < count; done += MOST) {
        const uint32_t now = count - done < MOST ? count - done : MOST;
        s = blas_launch(kernel, (const uint32_t[3]){blocks, 1, now}, threads, &part, sizeof part,
                        h->stream);
        advance(&part.a.a, type, now);
        advance(&part.x, type, now);
        advance(&part.y, type, now);
    }
    return s;
}
blas_status form_each(struct blas_handle *h, int type, const char *name, int64_t elements,
                      const struct forms *f, uint32_t count) {
    const int64_t blocks = (elements + THREADS - 1) / THREADS;
    return form_launch(h, type, name, (uint32_t)(blocks > MOST ? MOST : blocks), THREADS, f, count);
}
void form_factors(struct forms *f, const struct blas_handle *h, int type, const void *alpha,
                  int scale_a, const void *beta, int scale_b) {
    if (h->pointer_mode == POINTER_DEVICE) {
        f->alpha_at = (uintptr_t)alpha;
        f->beta_at = (uintptr_t)beta;
        if (is_real(scale_a) != is_real(type)) f->narrow |= ALPHA_NARROW;
        if (is_real(scale_b) != is_real(type)) f->narrow |= BETA_NARROW;
        return;
    }
    blas_factor(f->alpha, scale_a, alpha);
    if (beta) blas_factor(f->beta, scale_b, beta);
}

// ---- products: y = alpha op(A) x + beta y -------------------------------------------------------------
static blas_status multiply(struct blas_handle *h, int type, struct form a, const void *alpha,
                            struct gemm_matrix x, const void *beta, struct gemm_matrix y,
                            int64_t count) {
    if (!alpha || !beta || !x.lead || !y.lead || count < 0 || count > INT32_MAX)
        return CUBLAS_INVALID_VALUE;
    struct forms f = {.a = a, .x = x, .y = y};
    form_factors(&f, h, type, alpha, type, beta, type);
    // threads that are neighbours follow the columns of what is stored
    const int rows = a.swaps ? THREADS / SIDE : SIDE;
    return form_launch(h, type, a.swaps ? "form_product_t" : "form_product_n",
                       (uint32_t)((a.m + rows - 1) / rows), THREADS, &f, (uint32_t)count);
}
static bool is_op(int op) { return op >= OPERATION_N && op <= OPERATION_C; }

static blas_status general(struct blas_handle *h, int type, int op, int64_t m, int64_t n,
                           const void *alpha, struct gemm_matrix a, struct gemm_matrix x,
                           const void *beta, struct gemm_matrix y, int64_t count) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!is_op(op) || !form_fits(m, a.lead) || n < 0 || n > INT32_MAX) return CUBLAS_INVALID_VALUE;
    return multiply(h, type, form_general(a, op, (int)m, (int)n), alpha, x, beta, y, count);
}
static struct gemm_matrix in_list(const void *at, int64_t n, int64_t lead) {
    struct gemm_matrix x = vector_at(at, n, lead);
    x.is_list = 1;
    return x;
}
static struct gemm_matrix in_steps(const void *at, int64_t n, int64_t lead, int64_t step) {
    struct gemm_matrix x = vector_at(at, n, lead);
    x.step = step;
    return x;
}
#define LENGTH_X (op == OPERATION_N ? n : m)
#define LENGTH_Y (op == OPERATION_N ? m : n)
#define GENERAL(letter, T, type, suffix, N)                                                        \
    API(cublas##letter##gemv_v2##suffix, blas_handle_t h, int op, N m, N n, const T *alpha,        \
        const T *a, N lda, const T *x, N sx, const T *beta, T *y, N sy) {                          \
        return general(h, type, op, m, n, alpha, dense_one(a, lda), vector_at(x, LENGTH_X, sx),    \
                       beta, vector_at(y, LENGTH_Y, sy), 1);                                       \
    }                                                                                              \
    API(cublas##letter##gemvBatched##suffix, blas_handle_t h, int op, N m, N n, const T *alpha,    \
        const T *const *a, N lda, const T *const *x, N sx, const T *beta, T *const *y, N sy,       \
        N count) {                                                                                 \
        return general(h, type, op, m, n, alpha, dense_list((const void *const *)a, lda),          \
                       in_list(x, LENGTH_X, sx), beta, in_list(y, LENGTH_Y, sy), count);           \
    }                                                                                              \
    API(cublas##letter##gemvStridedBatched##suffix, blas_handle_t h, int op, N m, N n,             \
        const T *alpha, const T *a, N lda, long long step_a, const T *x, N sx, long long step_x,   \
        const T *beta, T *y, N sy, long long step_y, N count) {                                    \
        return general(h, type, op, m, n, alpha, dense_strided(a, lda, step_a),                    \
                       in_steps(x, LENGTH_X, sx, step_x), beta, in_steps(y, LENGTH_Y, sy, step_y), \
                       count);                                                                     \
    }                                                                                              \
    API(cublas##letter##gbmv_v2##suffix, blas_handle_t h, int op, N m, N n, N below, N above,      \
        const T *alpha, const T *a, N lda, const T *x, N sx, const T *beta, T *y, N sy) {          \
        if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;                                     \
        if (!is_op(op) || m < 0 || n < 0 || m > INT32_MAX || n > INT32_MAX || below < 0 ||         \
            above < 0 || lda < below + above + 1 || below > INT32_MAX || above > INT32_MAX)        \
            return CUBLAS_INVALID_VALUE;                                                           \
        const struct form f = form_banded(form_general(dense_one(a, lda), op, (int)m, (int)n),     \
                                          (int)below, (int)above);                                 \
        return multiply(h, type, f, alpha, vector_at(x, LENGTH_X, sx), beta,                       \
                        vector_at(y, LENGTH_Y, sy), 1);                                            \
    }

// Symmetric and Hermitian.
enum { NOT_BANDED = -1 };
static blas_status symmetric(struct blas_handle *h, int type, bool is_hermitian, bool is_packed,
                             int fill, int64_t n, int64_t k, const void *alpha,
                             struct gemm_matrix a, struct gemm_matrix x, const void *beta,
                             struct gemm_matrix y) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    const bool is_banded = k != NOT_BANDED;
    if (!form_is_fill(fill) || n < 0 || n > INT32_MAX || k < NOT_BANDED || k > INT32_MAX ||
        (is_banded && a.lead < k + 1) || (!is_banded && !is_packed && !form_fits(n, a.lead)))
        return CUBLAS_INVALID_VALUE;
    struct form f = form_symmetric(a, is_hermitian, fill, (int)n);
    if (is_packed) f = form_packed(f);
    if (is_banded) {
        f = form_banded(f, (int)k, (int)k);
        f.shift = fill == FILL_UPPER ? (int)k : 0;
    }
    return multiply(h, type, f, alpha, x, beta, y, 1);
}
#define FULL(letter, name, T, type, is_hermitian, suffix, N)                                       \
    API(cublas##letter##name##mv_v2##suffix, blas_handle_t h, int fill, N n, const T *alpha,       \
        const T *a, N lda, const T *x, N sx, const T *beta, T *y, N sy) {                          \
        return symmetric(h, type, is_hermitian, false, fill, n, NOT_BANDED, alpha,                 \
                         dense_one(a, lda), vector_at(x, n, sx), beta, vector_at(y, n, sy));       \
    }
#define BANDED(letter, name, T, type, is_hermitian, suffix, N)                                     \
    API(cublas##letter##name##bmv_v2##suffix, blas_handle_t h, int fill, N n, N k, const T *alpha, \
        const T *a, N lda, const T *x, N sx, const T *beta, T *y, N sy) {                          \
        if (k < 0) return CUBLAS_INVALID_VALUE;                                                    \
        return symmetric(h, type, is_hermitian, false, fill, n, k, alpha, dense_one(a, lda),       \
                         vector_at(x, n, sx), beta, vector_at(y, n, sy));                          \
    }
#define PACKED(letter, name, T, type, is_hermitian, suffix, N)                                     \
    API(cublas##letter##name##pmv_v2##suffix, blas_handle_t h, int fill, N n, const T *alpha,      \
        const T *a, const T *x, N sx, const T *beta, T *y, N sy) {                                 \
        return symmetric(h, type, is_hermitian, true, fill, n, NOT_BANDED, alpha, dense_one(a, 1), \
                         vector_at(x, n, sx), beta, vector_at(y, n, sy));                          \
    }

// ---- triangles -------------------------------------------------------------------------------------------
// x := op(A) x, of a copy of x.
static blas_status multiply_triangle(struct blas_handle *h, int type, const struct form *a,
                                     struct gemm_matrix x) {
    const size_t bytes = blas_type_bytes(type);
    CUdeviceptr copy;
    blas_status s = blas_of(cuMemAllocAsync(&copy, (size_t)a->m * bytes, h->stream));
    if (s) return s;
    const struct gemm_matrix old = {.at = copy, .lead = 1};
    struct forms f = {.a = form_general(x, OPERATION_N, 1, a->m), .y = old};
    f.y.lead = 1;
    // a row of n columns, x.lead apart
    s = form_each(h, type, "form_expand", a->m, &f, 1);
    f = (struct forms){.a = *a, .x = old, .y = x, .alpha = {1}};
    const int rows = a->swaps ? THREADS / SIDE : SIDE;
    if (!s)
        s = form_launch(h, type, a->swaps ? "form_product_t" : "form_product_n",
                        (uint32_t)((a->m + rows - 1) / rows), THREADS, &f, 1);
    const blas_status freed = blas_of(cuMemFreeAsync(copy, h->stream));
    return s ? s : freed;
}
static blas_status triangular(struct blas_handle *h, int type, bool solves, bool is_packed,
                              int fill, int op, int diagonal, int64_t n, int64_t k,
                              struct gemm_matrix a, struct gemm_matrix x) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    const bool is_banded = k != NOT_BANDED;
    if (!form_is_fill(fill) || !is_op(op) || diagonal < DIAGONAL_NON_UNIT ||
        diagonal > DIAGONAL_UNIT || n < 0 || n > INT32_MAX || k > INT32_MAX || !x.lead ||
        (is_banded && a.lead < k + 1) || (!is_banded && !is_packed && !form_fits(n, a.lead)))
        return CUBLAS_INVALID_VALUE;
    if (!n) return CUBLAS_SUCCESS;
    struct form f = form_triangular(a, fill, op, diagonal, (int)n);
    if (is_packed) f = form_packed(f);
    if (is_banded) f = fill == FILL_UPPER ? form_banded(f, 0, (int)k) : form_banded(f, (int)k, 0);
    if (!solves) return multiply_triangle(h, type, &f, x);
    return form_launch(h, type, "form_solve", 1, THREADS, &(struct forms){.a = f, .y = x}, 1);
}
#define TRIANGULAR(letter, T, type, verb, solves, suffix, N)                                       \
    API(cublas##letter##tr##verb##_v2##suffix, blas_handle_t h, int fill, int op, int diagonal,    \
        N n, const T *a, N lda, T *x, N sx) {                                                      \
        return triangular(h, type, solves, false, fill, op, diagonal, n, NOT_BANDED,               \
                          dense_one(a, lda), vector_at(x, n, sx));                                 \
    }                                                                                              \
    API(cublas##letter##tb##verb##_v2##suffix, blas_handle_t h, int fill, int op, int diagonal,    \
        N n, N k, const T *a, N lda, T *x, N sx) {                                                 \
        if (k < 0) return CUBLAS_INVALID_VALUE;                                                    \
        return triangular(h, type, solves, false, fill, op, diagonal, n, k, dense_one(a, lda),     \
                          vector_at(x, n, sx));                                                    \
    }                                                                                              \
    API(cublas##letter##tp##verb##_v2##suffix, blas_handle_t h, int fill, int op, int diagonal,    \
        N n, const T *a, T *x, N sx) {                                                             \
        return triangular(h, type, solves, true, fill, op, diagonal, n, NOT_BANDED,                \
                          dense_one(a, 1), vector_at(x, n, sx));                                   \
    }

// ---- updates -----------------------------------------------------------------------------------------------
// A := alpha x y' + A, y' with conjugates or without.
static blas_status outer(struct blas_handle *h, int type, bool conj, int64_t m, int64_t n,
                         const void *alpha, struct gemm_matrix x, struct gemm_matrix y,
                         struct gemm_matrix a) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!alpha || !form_fits(m, a.lead) || n < 0 || n > INT32_MAX || !x.lead || !y.lead)
        return CUBLAS_INVALID_VALUE;
    struct forms f = {.a = form_general(a, OPERATION_N, (int)m, (int)n), .x = x, .y = y};
    f.y.conj = conj;
    form_factors(&f, h, type, alpha, type, NULL, type);
    return form_each(h, type, "form_update", m * n, &f, 1);
}
#define OUTER(name, T, type, conj, suffix, N)                                                      \
    API(cublas##name##_v2##suffix, blas_handle_t h, N m, N n, const T *alpha, const T *x, N sx,    \
        const T *y, N sy, T *a, N lda) {                                                           \
        return outer(h, type, conj, m, n, alpha, vector_at(x, m, sx), vector_at(y, n, sy),         \
                     dense_one(a, lda));                                                           \
    }
// One triangle of A := alpha x x' + A, or with a second vector of alpha x y' + conj(alpha) y x' + A. `scale`: alpha's type.
static blas_status update(struct blas_handle *h, int type, int scale, bool is_hermitian,
                          bool is_packed, bool has_second, int fill, int64_t n, const void *alpha,
                          struct gemm_matrix x, struct gemm_matrix y, struct gemm_matrix a) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!alpha || !form_is_fill(fill) || n < 0 || n > INT32_MAX || !x.lead || !y.lead ||
        (!is_packed && !form_fits(n, a.lead)))
        return CUBLAS_INVALID_VALUE;
    struct forms f = {.a = form_symmetric(a, is_hermitian, fill, (int)n),
                      .x = x,
                      .y = y,
                      .has_second = has_second};
    if (is_packed) f.a = form_packed(f.a);
    f.y.conj = is_hermitian;
    form_factors(&f, h, type, alpha, scale, NULL, type);
    return form_each(h, type, "form_update", n * n, &f, 1);
}
#define UPDATE(letter, full, packed, T, F, type, scale, is_hermitian, suffix, N)                   \
    UPDATE_FULL(letter, full, T, F, type, scale, is_hermitian, suffix, N)                          \
    API(cublas##letter##packed##_v2##suffix, blas_handle_t h, int fill, N n, const F *alpha,       \
        const T *x, N sx, T *a) {                                                                  \
        return update(h, type, scale, is_hermitian, true, false, fill, n, alpha,                   \
                      vector_at(x, n, sx), vector_at(x, n, sx), dense_one(a, 1));                  \
    }                                                                                              \
    API(cublas##letter##packed##2_v2##suffix, blas_handle_t h, int fill, N n, const T *alpha,      \
        const T *x, N sx, const T *y, N sy, T *a) {                                                \
        return update(h, type, type, is_hermitian, true, true, fill, n, alpha,                     \
                      vector_at(x, n, sx), vector_at(y, n, sy), dense_one(a, 1));                  \
    }
#define UPDATE_FULL(letter, full, T, F, type, scale, is_hermitian, suffix, N)                      \
    API(cublas##letter##full##_v2##suffix, blas_handle_t h, int fill, N n, const F *alpha,         \
        const T *x, N sx, T *a, N lda) {                                                           \
        return update(h, type, scale, is_hermitian, false, false, fill, n, alpha,                  \
                      vector_at(x, n, sx), vector_at(x, n, sx), dense_one(a, lda));                \
    }                                                                                              \
    API(cublas##letter##full##2_v2##suffix, blas_handle_t h, int fill, N n, const T *alpha,        \
        const T *x, N sx, const T *y, N sy, T *a, N lda) {                                         \
        return update(h, type, type, is_hermitian, false, true, fill, n, alpha,                    \
                      vector_at(x, n, sx), vector_at(y, n, sy), dense_one(a, lda));                \
    }

#define EVERY(letter, T, type, suffix, N)                                                          \
    GENERAL(letter, T, type, suffix, N)                                                            \
    FULL(letter, sy, T, type, false, suffix, N)                                                    \
    TRIANGULAR(letter, T, type, mv, false, suffix, N)                                              \
    TRIANGULAR(letter, T, type, sv, true, suffix, N)
#define REAL_TYPE(letter, T, type, suffix, N)                                                      \
    EVERY(letter, T, type, suffix, N)                                                              \
    BANDED(letter, s, T, type, false, suffix, N)                                                   \
    PACKED(letter, s, T, type, false, suffix, N)                                                   \
    OUTER(letter##ger, T, type, false, suffix, N)                                                  \
    UPDATE(letter, syr, spr, T, T, type, type, false, suffix, N)
#define COMPLEX_TYPE(letter, T, F, type, scale, suffix, N)                                         \
    EVERY(letter, T, type, suffix, N)                                                              \
    FULL(letter, he, T, type, true, suffix, N)                                                     \
    BANDED(letter, h, T, type, true, suffix, N)                                                    \
    PACKED(letter, h, T, type, true, suffix, N)                                                    \
    OUTER(letter##geru, T, type, false, suffix, N)                                                 \
    OUTER(letter##gerc, T, type, true, suffix, N)                                                  \
    UPDATE_FULL(letter, syr, T, T, type, type, false, suffix, N)                                   \
    UPDATE(letter, her, hpr, T, F, type, scale, true, suffix, N)
#define MATRICES(suffix, N)                                                                        \
    REAL_TYPE(S, float, TYPE_R_32F, suffix, N)                                                     \
    REAL_TYPE(D, double, TYPE_R_64F, suffix, N)                                                    \
    COMPLEX_TYPE(C, struct pair32, float, TYPE_C_32F, TYPE_R_32F, suffix, N)                       \
    COMPLEX_TYPE(Z, struct pair64, double, TYPE_C_64F, TYPE_R_64F, suffix, N)
MATRICES(, int)
MATRICES(_64, int64_t)

// Halves with sums of single precision, as products with one side of one: y' = alpha x' op(A)' + beta y'.
static blas_status halves(struct blas_handle *h, const char *call, int ab, int cd, int op,
                          int64_t m, int64_t n, const void *alpha, struct gemm_matrix a,
                          struct gemm_matrix x, const void *beta, struct gemm_matrix y,
                          int64_t count) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!alpha || !beta || !is_op(op) || !form_fits(m, a.lead) || n < 0 || n > INT32_MAX ||
        count < 0 || count > INT32_MAX || !x.lead || !y.lead)
        return CUBLAS_INVALID_VALUE;
    struct gemm g = {
        .m = 1, .n = (int32_t)LENGTH_Y, .k = (int32_t)LENGTH_X, .a = x, .b = a, .c = y, .d = y};
    blas_factors(&g, h->pointer_mode, TYPE_R_32F, alpha, beta);
    return blas_product(h, call, OPERATION_N, blas_swaps(op) ? OPERATION_N : OPERATION_T,
                        &(struct blas_types){ab, cd, TYPE_R_32F, false}, &g, (uint32_t)count);
}
#define HALVES(letters, ab, cd, suffix, N)                                                         \
    API(cublas##letters##gemvBatched##suffix, blas_handle_t h, int op, N m, N n,                   \
        const float *alpha, const void *const *a, N lda, const void *const *x, N sx,               \
        const float *beta, void *const *y, N sy, N count) {                                        \
        return halves(h, "cublas" #letters "gemvBatched" #suffix, ab, cd, op, m, n, alpha,         \
                      dense_list(a, lda), in_list(x, LENGTH_X, sx), beta,                          \
                      in_list(y, LENGTH_Y, sy), count);                                            \
    }                                                                                              \
    API(cublas##letters##gemvStridedBatched##suffix, blas_handle_t h, int op, N m, N n,            \
        const float *alpha, const void *a, N lda, long long step_a, const void *x, N sx,           \
        long long step_x, const float *beta, void *y, N sy, long long step_y, N count) {           \
        return halves(h, "cublas" #letters "gemvStridedBatched" #suffix, ab, cd, op, m, n, alpha,  \
                      dense_strided(a, lda, step_a), in_steps(x, LENGTH_X, sx, step_x), beta,      \
                      in_steps(y, LENGTH_Y, sy, step_y), count);                                   \
    }
#define ALL_HALVES(suffix, N)                                                                      \
    HALVES(HSH, TYPE_R_16F, TYPE_R_16F, suffix, N)                                                 \
    HALVES(HSS, TYPE_R_16F, TYPE_R_32F, suffix, N)                                                 \
    HALVES(TST, TYPE_R_16BF, TYPE_R_16BF, suffix, N)                                               \
    HALVES(TSS, TYPE_R_16BF, TYPE_R_32F, suffix, N)
ALL_HALVES(, int)
ALL_HALVES(_64, int64_t)
