// A matrix product as its kernels take it, D = epilogue(alpha op(A) op(B) + beta C), all column major. Read by C and by
// CUDA C: the layouts are alike.
#ifndef WW_LIBRARIES_GEMM_H
#define WW_LIBRARIES_GEMM_H

#include <stdint.h>

// What follows the sum, before it is rounded to the type of D. `bias` has an element a row.
enum gemm_epilogue { GEMM_BIAS = 1, GEMM_RELU = 2, GEMM_GELU = 4 };

// How factors that lie on the device are to be read: halves of single precision's sums, real numbers of complex ones; alpha as its
// conjugate.
enum gemm_factor { GEMM_ALPHA_NARROW = 1, GEMM_BETA_NARROW = 2, GEMM_ALPHA_CONJ = 4 };

enum gemm_triangle { GEMM_ALL, GEMM_LOWER, GEMM_UPPER };

struct gemm_matrix {
    uint64_t at;      // device address; of a list of addresses, one a product, where `is_list`
    int64_t lead;     // elements from one column to the next
    int64_t step;     // elements from one product of a batch to the next; 0 where `is_list`
    int64_t first;    // elements from the address, or from each of the list, to the first one
    uint32_t is_list; // bool
    uint32_t conj;    // bool: of complex elements
};

struct gemm {
    int32_t m, n, k;
    int32_t first_column; // of D, that the grid's first blocks make
    uint32_t epilogue;
    uint32_t is_even;  // bool: whole slices of A and B may be read in pieces of sixteen bytes
    uint32_t triangle; // of D that is made: enum gemm_triangle
    uint32_t splits;   // parts of k, each made by a block of its own (parts.h): blocks along z are these of each product
    struct gemm_matrix a, b, c, d;
    // factors: values of the scale type (real, imaginary), or where the address is not 0 what lies there
    uint64_t alpha_at, beta_at;
    uint32_t factors; // enum gemm_factor
    double alpha[2], beta[2];
    uint64_t bias; // of D's type
    uint64_t part, turns; // where there are several parts: room for their sums; a counter for each tile, 0 when no product runs
};

#endif
