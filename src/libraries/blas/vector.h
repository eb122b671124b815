// A call on vectors as its kernels take it. Read by C and by CUDA C: the layouts are alike.
#ifndef WW_LIBRARIES_VECTOR_H
#define WW_LIBRARIES_VECTOR_H

#include <stdint.h>

struct vector {
    int64_t n;
    uint64_t x, y;          // device addresses
    int64_t step_x, step_y; // elements from one to the next
    uint64_t alpha_at;      // device address of the factor, or 0: the value below
    double alpha[2];
    uint64_t parts; // of a reduction: a sum of each block, 16 bytes each
    uint64_t out;   // ... and where the result goes
    uint32_t conj, n_parts, wants_least;
};

#endif
