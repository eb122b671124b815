// Products of numbers of eight bits with a fraction (e4m3, e5m2) as their kernels take them. Read by C and by CUDA C: the layouts are
// alike. A grid's third direction is the batch.
#ifndef WW_LIBRARIES_EIGHT_H
#define WW_LIBRARIES_EIGHT_H

#include <stdint.h>

// Of the threads of a block 2^across lie along rows: as many as there are, if that many.
enum { EIGHT_THREADS = 256, EIGHT_ACROSS = 8 };
static inline uint32_t eight_across(int64_t rows) {
    uint32_t across = 0;
    while (across < EIGHT_ACROSS && (int64_t)1 << across < rows) across++;
    return across;
}

// A matrix of bytes by columns, which becomes one of halves whose columns follow one another: every such number is a half.
struct eight_widen {
    uint64_t from, to;
    int64_t lead, step_from;
    int32_t rows, columns;
    uint32_t is_e5m2;
    uint32_t across; // eight_across of its rows
};

// A matrix of any of the types below, by columns.
enum eight_type { EIGHT_F32, EIGHT_F16, EIGHT_BF16, EIGHT_E4M3, EIGHT_E5M2 };
struct eight_matrix {
    uint64_t at;
    int64_t lead, step;
    uint32_t type;
};
// D = scale_d function(alpha scale_a scale_b sums + beta scale_c C + bias). Factors lie at addresses, or are 1 at 0. `largest`: where
// the largest magnitude before scale_d goes. Numbers beyond the largest of eight bits become that.
struct eight_finish {
    int32_t m, n;
    uint32_t across; // eight_across of m
    uint64_t sums; // single precision, columns one behind the other
    struct eight_matrix c, d;
    uint64_t bias; // an element a row
    uint32_t bias_type, epilogue;
    uint64_t alpha_at, beta_at; // or 0: the values below
    float alpha, beta;
    uint64_t scale_a, scale_b, scale_c, scale_d, largest;
};

#endif
