// Sparse matrices as their kernels take them. Read by C and by CUDA C: the layouts are alike.
#ifndef WW_LIBRARIES_SPARSE_CALL_H
#define WW_LIBRARIES_SPARSE_CALL_H

#include <stdint.h>

// A list of whole numbers of 32 or 64 bits, counted from `base` on.
struct sparse_list {
    uint64_t at;
    uint32_t is_wide; // bool
    int32_t base;
};

// A matrix by rows: elements offsets[r] to offsets[r + 1] are of row r. `order` says where an element's value lies, if it lies
// elsewhere. Elements in no order of rows have `rows` in place of offsets.
struct sparse_rows {
    int64_t rows, columns, count;
    struct sparse_list offsets, column, row;
    uint64_t order; // 64 bits each, or 0
    uint64_t values;
    uint32_t is_conj;
};

// A dense matrix: element (i, j) of matrix b lies i row + j column + b batch elements on.
struct sparse_dense {
    uint64_t at;
    int64_t row, column, batch;
    uint32_t is_conj;
};

struct sparse {
    struct sparse_rows a, b, c;
    struct sparse_dense x, y;
    int64_t n; // columns of the dense matrices, or what a kernel says
    int64_t k;
    double alpha[2], beta[2];
    uint64_t alpha_at, beta_at; // device addresses, or 0: the values above
    // lists of 64 bits in the work area
    uint64_t offsets, cursors, order, order_out, rows_out, values_out;
    uint32_t is_upper, is_unit, keys_are_rows;
    // blocks (block.cu)
    uint32_t side, blocks_by_rows; // of a block; bool: its elements lie row after row
    uint64_t flag;      // device address of a whole number: the first row without a pivot
    uint32_t has_boost; // bool: pivots below `tolerance` become `boost`
    uint64_t boost_at;
    double tolerance;
};

// Tridiagonal systems: element i of system b lies i step + b batch elements on; below[0] and above[n - 1] are not read.
struct tridiagonal {
    int64_t n, sides, systems;
    uint64_t below, middle, above; // the diagonals
    int64_t step, batch;
    uint64_t x; // right-hand sides, which become solutions: `lead` from one to the next of a system
    int64_t lead;
    uint64_t work; // 5 n elements a system: the factors
};

#endif
