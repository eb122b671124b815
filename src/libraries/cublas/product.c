// Entry points of products: their arguments become one struct gemm.
#include "cublas.h"

static bool is_complex(int type) { return type == TYPE_C_32F || type == TYPE_C_64F; }

// The scale type of a compute type; -1: none that is here.
static int scale_of(int compute, int c_type) {
    switch (compute) {
    case COMPUTE_16F:
    case COMPUTE_16F_PEDANTIC: return TYPE_R_16F;
    case COMPUTE_32F:
    case COMPUTE_32F_PEDANTIC:
    case COMPUTE_32F_FAST_16F:
    case COMPUTE_32F_FAST_16BF:
    case COMPUTE_32F_FAST_TF32: return is_complex(c_type) ? TYPE_C_32F : TYPE_R_32F;
    case COMPUTE_64F:
    case COMPUTE_64F_PEDANTIC: return is_complex(c_type) ? TYPE_C_64F : TYPE_R_64F;
    case COMPUTE_32I:
    case COMPUTE_32I_PEDANTIC: return TYPE_R_32I;
    default: return -1;
    }
}

struct matrix {
    const void *at;
    int type;
    int64_t lead, step;
};

static struct gemm_matrix matrix(const struct matrix *m, bool is_list) {
    return (struct gemm_matrix){
        .at = (uintptr_t)m->at, .lead = m->lead, .step = m->step, .is_list = is_list};
}

struct call {
    const char *name;
    int op_a, op_b;
    int64_t m, n, k;
    const void *alpha, *beta;
    struct matrix a, b, c;
    int64_t count;
    bool is_list;
    int compute;
};

static bool is_lead(int64_t lead, int64_t rows) { return lead >= (rows > 1 ? rows : 1); }

static blas_status run(struct blas_handle *h, const struct call *q) {
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (q->m < 0 || q->n < 0 || q->k < 0 || q->count < 0 || !is_lead(q->c.lead, q->m) ||
        !is_lead(q->a.lead, blas_swaps(q->op_a) ? q->k : q->m) ||
        !is_lead(q->b.lead, blas_swaps(q->op_b) ? q->n : q->k))
        return CUBLAS_INVALID_VALUE;
    if (!q->alpha || !q->beta) return CUBLAS_INVALID_VALUE;
    if (q->m > INT32_MAX || q->n > INT32_MAX || q->k > INT32_MAX || q->count > INT32_MAX)
        return blas_refuse(q->name, "a side of more than 2147483647");
    if (q->a.type != q->b.type)
        return blas_refuse(q->name, "A of type %d and B of type %d (cudaDataType)", q->a.type,
                           q->b.type);
    const int scale = scale_of(q->compute, q->c.type);
    if (scale < 0) return blas_refuse(q->name, "compute type %d (cublasComputeType_t)", q->compute);
    struct gemm g = {.m = (int32_t)q->m,
                     .n = (int32_t)q->n,
                     .k = (int32_t)q->k,
                     .a = matrix(&q->a, q->is_list),
                     .b = matrix(&q->b, q->is_list),
                     .c = matrix(&q->c, q->is_list)};
    g.d = g.c;
    blas_factors(&g, h->pointer_mode, scale, q->alpha, q->beta);
    const bool may_round = q->compute == COMPUTE_32F_FAST_TF32 ||
                           (q->compute == COMPUTE_32F && h->math_mode == MATH_TF32);
    return blas_product(h, q->name, q->op_a, q->op_b,
                        &(struct blas_types){q->a.type, q->c.type, scale, may_round}, &g,
                        (uint32_t)q->count);
}

// The calls with `int` and, from CUDA 12 on, those with 64-bit sizes. T: the elements' type, as the kernels do not see it.
#define PRODUCTS(letter, T, type, compute, infix)                                                  \
    PRODUCT(letter, T, type, compute, infix, , int)                                                \
    PRODUCT(letter, T, type, compute, infix, _64, int64_t)
#define PRODUCT(letter, T, type, compute, infix, suffix, N)                                        \
    BLAS_API blas_status cublas##letter##gemm##infix##suffix(                                      \
        blas_handle_t h, int op_a, int op_b, N m, N n, N k, const T *alpha, const T *a, N lda,     \
        const T *b, N ldb, const T *beta, T *c, N ldc);                                            \
    blas_status cublas##letter##gemm##infix##suffix(                                               \
        blas_handle_t h, int op_a, int op_b, N m, N n, N k, const T *alpha, const T *a, N lda,     \
        const T *b, N ldb, const T *beta, T *c, N ldc) {                                           \
        return run(h, &(struct call){"cublas" #letter "gemm" #infix #suffix,                       \
                                     op_a,                                                         \
                                     op_b,                                                         \
                                     m,                                                            \
                                     n,                                                            \
                                     k,                                                            \
                                     alpha,                                                        \
                                     beta,                                                         \
                                     {a, type, lda, 0},                                            \
                                     {b, type, ldb, 0},                                            \
                                     {c, type, ldc, 0},                                            \
                                     1,                                                            \
                                     false,                                                        \
                                     compute});                                                    \
    }                                                                                              \
    BLAS_API blas_status cublas##letter##gemmBatched##suffix(                                      \
        blas_handle_t h, int op_a, int op_b, N m, N n, N k, const T *alpha, const T *const *a,     \
        N lda, const T *const *b, N ldb, const T *beta, T *const *c, N ldc, N count);              \
    blas_status cublas##letter##gemmBatched##suffix(                                               \
        blas_handle_t h, int op_a, int op_b, N m, N n, N k, const T *alpha, const T *const *a,     \
        N lda, const T *const *b, N ldb, const T *beta, T *const *c, N ldc, N count) {             \
        return run(h, &(struct call){"cublas" #letter "gemmBatched" #suffix,                       \
                                     op_a,                                                         \
                                     op_b,                                                         \
                                     m,                                                            \
                                     n,                                                            \
                                     k,                                                            \
                                     alpha,                                                        \
                                     beta,                                                         \
                                     {a, type, lda, 0},                                            \
                                     {b, type, ldb, 0},                                            \
                                     {c, type, ldc, 0},                                            \
                                     count,                                                        \
                                     true,                                                         \
                                     compute});                                                    \
    }                                                                                              \
    BLAS_API blas_status cublas##letter##gemmStridedBatched##suffix(                               \
        blas_handle_t h, int op_a, int op_b, N m, N n, N k, const T *alpha, const T *a, N lda,     \
        long long step_a, const T *b, N ldb, long long step_b, const T *beta, T *c, N ldc,         \
        long long step_c, N count);                                                                \
    blas_status cublas##letter##gemmStridedBatched##suffix(                                        \
        blas_handle_t h, int op_a, int op_b, N m, N n, N k, const T *alpha, const T *a, N lda,     \
        long long step_a, const T *b, N ldb, long long step_b, const T *beta, T *c, N ldc,         \
        long long step_c, N count) {                                                               \
        return run(h, &(struct call){"cublas" #letter "gemmStridedBatched" #suffix,                \
                                     op_a,                                                         \
                                     op_b,                                                         \
                                     m,                                                            \
                                     n,                                                            \
                                     k,                                                            \
                                     alpha,                                                        \
                                     beta,                                                         \
                                     {a, type, lda, step_a},                                       \
                                     {b, type, ldb, step_b},                                       \
                                     {c, type, ldc, step_c},                                       \
                                     count,                                                        \
                                     false,                                                        \
                                     compute});                                                    \
    }
PRODUCTS(S, float, TYPE_R_32F, COMPUTE_32F, _v2)
PRODUCTS(D, double, TYPE_R_64F, COMPUTE_64F, _v2)
PRODUCTS(C, struct pair32, TYPE_C_32F, COMPUTE_32F, _v2)
PRODUCTS(Z, struct pair64, TYPE_C_64F, COMPUTE_64F, _v2)
PRODUCTS(H, struct half, TYPE_R_16F, COMPUTE_16F, )

// Types as arguments.
#define PRODUCTS_EX(suffix, N)                                                                     \
    BLAS_API blas_status cublasGemmEx##suffix(blas_handle_t h, int op_a, int op_b, N m, N n, N k,  \
                                              const void *alpha, const void *a, int type_a, N lda, \
                                              const void *b, int type_b, N ldb, const void *beta,  \
                                              void *c, int type_c, N ldc, int compute, int algo);  \
    blas_status cublasGemmEx##suffix(blas_handle_t h, int op_a, int op_b, N m, N n, N k,           \
                                     const void *alpha, const void *a, int type_a, N lda,          \
                                     const void *b, int type_b, N ldb, const void *beta, void *c,  \
                                     int type_c, N ldc, int compute, int algo) {                   \
        (void)algo;                                                                                \
        return run(h, &(struct call){"cublasGemmEx" #suffix,                                       \
                                     op_a,                                                         \
                                     op_b,                                                         \
                                     m,                                                            \
                                     n,                                                            \
                                     k,                                                            \
                                     alpha,                                                        \
                                     beta,                                                         \
                                     {a, type_a, lda, 0},                                          \
                                     {b, type_b, ldb, 0},                                          \
                                     {c, type_c, ldc, 0},                                          \
                                     1,                                                            \
                                     false,                                                        \
                                     compute});                                                    \
    }                                                                                              \
    BLAS_API blas_status cublasGemmBatchedEx##suffix(                                              \
        blas_handle_t h, int op_a, int op_b, N m, N n, N k, const void *alpha,                     \
        const void *const *a, int type_a, N lda, const void *const *b, int type_b, N ldb,          \
        const void *beta, void *const *c, int type_c, N ldc, N count, int compute, int algo);      \
    blas_status cublasGemmBatchedEx##suffix(                                                       \
        blas_handle_t h, int op_a, int op_b, N m, N n, N k, const void *alpha,                     \
        const void *const *a, int type_a, N lda, const void *const *b, int type_b, N ldb,          \
        const void *beta, void *const *c, int type_c, N ldc, N count, int compute, int algo) {     \
        (void)algo;                                                                                \
        return run(h, &(struct call){"cublasGemmBatchedEx" #suffix,                                \
                                     op_a,                                                         \
                                     op_b,                                                         \
                                     m,                                                            \
                                     n,                                                            \
                                     k,                                                            \
                                     alpha,                                                        \
                                     beta,                                                         \
                                     {a, type_a, lda, 0},                                          \
                                     {b, type_b, ldb, 0},                                          \
                                     {c, type_c, ldc, 0},                                          \
                                     count,                                                        \
                                     true,                                                         \
                                     compute});                                                    \
    }                                                                                              \
    BLAS_API blas_status cublasGemmStridedBatchedEx##suffix(                                       \
        blas_handle_t h, int op_a, int op_b, N m, N n, N k, const void *alpha, const void *a,      \
        int type_a, N lda, long long step_a, const void *b, int type_b, N ldb, long long step_b,   \
        const void *beta, void *c, int type_c, N ldc, long long step_c, N count, int compute,      \
        int algo);                                                                                 \
    blas_status cublasGemmStridedBatchedEx##suffix(                                                \
        blas_handle_t h, int op_a, int op_b, N m, N n, N k, const void *alpha, const void *a,      \
        int type_a, N lda, long long step_a, const void *b, int type_b, N ldb, long long step_b,   \
        const void *beta, void *c, int type_c, N ldc, long long step_c, N count, int compute,      \
        int algo) {                                                                                \
        (void)algo;                                                                                \
        return run(h, &(struct call){"cublasGemmStridedBatchedEx" #suffix,                         \
                                     op_a,                                                         \
                                     op_b,                                                         \
                                     m,                                                            \
                                     n,                                                            \
                                     k,                                                            \
                                     alpha,                                                        \
                                     beta,                                                         \
                                     {a, type_a, lda, step_a},                                     \
                                     {b, type_b, ldb, step_b},                                     \
                                     {c, type_c, ldc, step_c},                                     \
                                     count,                                                        \
                                     false,                                                        \
                                     compute});                                                    \
    }
PRODUCTS_EX(, int)
PRODUCTS_EX(_64, int64_t)

// Single precision's factors and sums, types of the matrices as arguments; and complex products by the names of three real ones,
// which are made of four here.
#define ONE(name, T, type_a, type_b, type_c, A, B, C, compute, suffix, N)                          \
    API(cublas##name##suffix, blas_handle_t h, int op_a, int op_b, N m, N n, N k, const T *alpha,  \
        A lda, B ldb, const T *beta, C ldc) {                                                      \
        return run(h, &(struct call){"cublas" #name #suffix,                                       \
                                     op_a,                                                         \
                                     op_b,                                                         \
                                     m,                                                            \
                                     n,                                                            \
                                     k,                                                            \
                                     alpha,                                                        \
                                     beta,                                                         \
                                     {a, type_a, lda, 0},                                          \
                                     {b, type_b, ldb, 0},                                          \
                                     {c, type_c, ldc, 0},                                          \
                                     1,                                                            \
                                     false,                                                        \
                                     compute});                                                    \
    }
#define ARGUMENTS(...) __VA_ARGS__
#define TYPED(name, T, suffix, N)                                                                  \
    ONE(name, T, type_a, type_b, type_c, ARGUMENTS(const void *a, int type_a, N),                  \
        ARGUMENTS(const void *b, int type_b, N), ARGUMENTS(void *c, int type_c, N), COMPUTE_32F,   \
        suffix, N)
#define THREE(name, T, type, compute, suffix, N)                                                   \
    ONE(name, T, type, type, type, ARGUMENTS(const T *a, N), ARGUMENTS(const T *b, N),             \
        ARGUMENTS(T *c, N), compute, suffix, N)
#define MORE(suffix, N)                                                                            \
    TYPED(SgemmEx, float, suffix, N)                                                               \
    TYPED(CgemmEx, struct pair32, suffix, N)                                                       \
    TYPED(Cgemm3mEx, struct pair32, suffix, N)                                                     \
    THREE(Cgemm3m, struct pair32, TYPE_C_32F, COMPUTE_32F, suffix, N)                              \
    THREE(Zgemm3m, struct pair64, TYPE_C_64F, COMPUTE_64F, suffix, N)                              \
    API(cublasCgemm3mBatched##suffix, blas_handle_t h, int op_a, int op_b, N m, N n, N k,          \
        const struct pair32 *alpha, const struct pair32 *const *a, N lda,                          \
        const struct pair32 *const *b, N ldb, const struct pair32 *beta, struct pair32 *const *c,  \
        N ldc, N count) {                                                                          \
        return cublasCgemmBatched##suffix(h, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c,  \
                                          ldc, count);                                             \
    }                                                                                              \
    API(cublasCgemm3mStridedBatched##suffix, blas_handle_t h, int op_a, int op_b, N m, N n, N k,   \
        const struct pair32 *alpha, const struct pair32 *a, N lda, long long step_a,               \
        const struct pair32 *b, N ldb, long long step_b, const struct pair32 *beta,                \
        struct pair32 *c, N ldc, long long step_c, N count) {                                      \
        return cublasCgemmStridedBatched##suffix(h, op_a, op_b, m, n, k, alpha, a, lda, step_a, b, \
                                                 ldb, step_b, beta, c, ldc, step_c, count);        \
    }                                                                                              \
    GROUPED(suffix, N)

// Groups of batches: sizes, operations and factors (on the host, or all of them on the device) of each group, whose members follow
// one another in the lists of addresses.
#define GROUPED(suffix, N)                                                                         \
    API(cublasGemmGroupedBatchedEx##suffix, blas_handle_t h, const int *op_a, const int *op_b,     \
        const N *m, const N *n, const N *k, const void *alpha, const void *const *a, int type_a,   \
        const N *lda, const void *const *b, int type_b, const N *ldb, const void *beta,            \
        void *const *c, int type_c, const N *ldc, N groups, const N *members, int compute) {       \
        const int scale = scale_of(compute, type_c);                                               \
        if (scale < 0)                                                                             \
            return blas_refuse("cublasGemmGroupedBatchedEx" #suffix,                               \
                               "compute type %d (cublasComputeType_t)", compute);                  \
        const size_t bytes = blas_type_bytes(scale);                                               \
        blas_status s = CUBLAS_SUCCESS;                                                            \
        for (N g = 0; !s && g < groups; g++) {                                                     \
            s = run(h, &(struct call){"cublasGemmGroupedBatchedEx" #suffix,                        \
                                      op_a[g],                                                     \
                                      op_b[g],                                                     \
                                      m[g],                                                        \
                                      n[g],                                                        \
                                      k[g],                                                        \
                                      (const char *)alpha + (size_t)g * bytes,                     \
                                      (const char *)beta + (size_t)g * bytes,                      \
                                      {a, type_a, lda[g], 0},                                      \
                                      {b, type_b, ldb[g], 0},                                      \
                                      {c, type_c, ldc[g], 0},                                      \
                                      members[g],                                                  \
                                      true,                                                        \
                                      compute});                                                   \
            a += members[g];                                                                       \
            b += members[g];                                                                       \
            c += members[g];                                                                       \
        }                                                                                          \
        return s;                                                                                  \
    }                                                                                              \
    GROUPED_OF(S, float, TYPE_R_32F, COMPUTE_32F, suffix, N)                                       \
    GROUPED_OF(D, double, TYPE_R_64F, COMPUTE_64F, suffix, N)
#define GROUPED_OF(letter, T, type, compute, suffix, N)                                            \
    API(cublas##letter##gemmGroupedBatched##suffix, blas_handle_t h, const int *op_a,              \
        const int *op_b, const N *m, const N *n, const N *k, const T *alpha, const T *const *a,    \
        const N *lda, const T *const *b, const N *ldb, const T *beta, T *const *c, const N *ldc,   \
        N groups, const N *members) {                                                              \
        return cublasGemmGroupedBatchedEx##suffix(                                                 \
            h, op_a, op_b, m, n, k, alpha, (const void *const *)a, type, lda,                      \
            (const void *const *)b, type, ldb, beta, (void *const *)c, type, ldc, groups, members, \
            compute);                                                                              \
    }
MORE(, int)
MORE(_64, int64_t)
