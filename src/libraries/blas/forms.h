// Matrices of every form that BLAS knows, as their kernels take them. Read by C and by CUDA C: the layouts are alike. A grid's third
// direction is the batch.
#ifndef WW_LIBRARIES_FORMS_H
#define WW_LIBRARIES_FORMS_H

#include <stdint.h>

#include "gemm.h"

enum form_kind { FORM_GENERAL, FORM_TRIANGULAR, FORM_SYMMETRIC, FORM_HERMITIAN };
// Where element (i, j) lies: full, i + j lead; band, `shift` + i - j + j lead; packed, the triangle's columns one behind the other.
enum form_storage { STORE_FULL, STORE_BAND, STORE_PACKED };

// op(A) of m x n. What is stored are elements with j - i <= above and i - j <= below (of A as it lies), where a triangle is stored
// with `is_upper` which.
struct form {
    struct gemm_matrix a; // a.conj: elements are taken as conjugates
    int32_t m, n;         // of op(A)
    int32_t below, above; // diagonals of op(A) that hold anything, on either side of the main one
    int32_t shift;        // of STORE_BAND
    uint32_t kind, storage;
    uint32_t is_upper; // bool: of a stored triangle
    uint32_t is_unit;  // bool: ones on the diagonal, which is not read
    uint32_t swaps;    // bool: op transposes
};

enum form_factor { // of struct forms: how its factors are to be read
    ALPHA_NARROW = 1,
    BETA_NARROW = 2
};
struct forms {
    struct form a;
    struct gemm_matrix x,
        y; // vectors (`lead` between elements, which may be negative), or matrices
    double alpha[2], beta[2];
    uint64_t alpha_at, beta_at; // device addresses of factors, or 0: the values above
    uint32_t narrow;  // enum form_factor: real numbers lie at the addresses, of complex factors
    uint32_t swaps_x; // bool, add_matrices: op transposes X
    uint32_t
        is_right; // bool, scale_lines and multiply_block: the diagonal or the triangle stands on the right
    uint32_t has_second; // bool: a rank-2 update
    int32_t from, count,
        sides; // multiply_block: rows of the triangle, and columns of X (on the right its rows)
};

#endif
