// Matrices of every form, and what is done with them by the kernels of forms.cu.
#ifndef WW_LIBRARIES_FORM_H
#define WW_LIBRARIES_FORM_H

#include "blas/forms.h"
#include "cublas.h"
#include "dense/dense.h"

static inline struct form form_general(struct gemm_matrix a, int op, int m, int n) {
    const bool swaps = blas_swaps(op);
    a.conj = op == OPERATION_C || op == OPERATION_CONJG;
    return (struct form){.a = a,
                         .m = swaps ? n : m,
                         .n = swaps ? m : n,
                         .below = INT32_MAX,
                         .above = INT32_MAX,
                         .swaps = swaps};
}
// op(A) of a triangle: which of its sides holds anything depends on both.
static inline struct form form_triangular(struct gemm_matrix a, int fill, int op, int diagonal,
                                          int n) {
    struct form f = form_general(a, op, n, n);
    f.kind = FORM_TRIANGULAR;
    f.is_upper = fill == FILL_UPPER;
    f.is_unit = diagonal == DIAGONAL_UNIT;
    *((fill == FILL_UPPER) != (f.swaps != 0) ? &f.below : &f.above) = 0;
    return f;
}
static inline struct form form_symmetric(struct gemm_matrix a, bool is_hermitian, int fill, int n) {
    struct form f = form_general(a, OPERATION_N, n, n);
    f.kind = is_hermitian ? FORM_HERMITIAN : FORM_SYMMETRIC;
    f.is_upper = fill == FILL_UPPER;
    return f;
}
// The same with `below` and `above` diagonals of A in bands; packed.
static inline struct form form_banded(struct form f, int below, int above) {
    f.storage = STORE_BAND;
    f.shift = above;
    if (f.kind == FORM_TRIANGULAR) f.shift = f.is_upper ? above : 0;
    f.below = f.swaps ? above : below;
    f.above = f.swaps ? below : above;
    return f;
}
static inline struct form form_packed(struct form f) {
    f.storage = STORE_PACKED;
    return f;
}

enum blas_module form_module(int type);
// Runs a kernel of forms.cu on `blocks` blocks for each of `count` members of a batch.
blas_status form_launch(struct blas_handle *h, int type, const char *name, uint32_t blocks,
                        uint32_t threads, const struct forms *f, uint32_t count);
// ... a thread an element.
blas_status form_each(struct blas_handle *h, int type, const char *name, int64_t elements,
                      const struct forms *f, uint32_t count);
// Fills in alpha and beta from where the call's pointers lead; beta may be NULL. `scale_a`, `scale_b`: their types.
void form_factors(struct forms *f, const struct blas_handle *h, int type, const void *alpha,
                  int scale_a, const void *beta, int scale_b);
static inline bool form_fits(int64_t n, int64_t lead) {
    return n >= 0 && n <= INT32_MAX && lead >= (n > 1 ? n : 1);
}
static inline bool form_is_fill(int fill) { return fill == FILL_LOWER || fill == FILL_UPPER; }

#endif
