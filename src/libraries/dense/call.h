// Factorisations of dense matrices as their kernels take them, column major. Read by C and by CUDA C: the layouts are alike.
// A grid's third direction is the batch.
#ifndef WW_LIBRARIES_DENSE_CALL_H
#define WW_LIBRARIES_DENSE_CALL_H

#include <stdint.h>

#include "../blas/gemm.h"

enum { DENSE_BLOCK = 32 }; // columns of a panel, rows of a triangle that is solved at once

// Integers of each matrix of a batch, `step` apart; at 0: none.
struct dense_numbers {
    uint64_t at;
    int64_t step;
};

struct dense {
    int32_t m, n, k;     // each kernel says which
    int32_t from, count; // columns (or rows) of the panel
    struct gemm_matrix a, b, c;
    struct gemm_matrix tau; // a vector
    struct dense_numbers pivots, info;
    struct dense_numbers values, sorted; // real numbers
    int64_t a_i, a_k, b_i,
        b_j; // of a triangle op(A)(i, k) and of right-hand sides (i, j): steps in elements
    uint32_t is_forward, is_unit, is_conj, is_upper, is_right, has_vectors, is_backward;
    uint32_t is_row; // vectors of reflections lie in rows, conjugate
    double alpha[2];
    uint64_t alpha_at; // device address of the factor, or 0: the value above
};

#endif
