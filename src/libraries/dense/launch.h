// What dense.c and form.c share: how their kernels are launched.
#ifndef WW_LIBRARIES_DENSE_LAUNCH_H
#define WW_LIBRARIES_DENSE_LAUNCH_H

#include "dense.h"

// A kernel for each matrix of a batch. `modules` are those of single and double precision, real and then complex.
blas_status dense_launch(const struct dense_batch *x, const enum blas_module modules[4],
                         const char *name, uint32_t blocks, uint32_t threads,
                         const struct dense *d);

static inline size_t dense_real_bytes(int type) {
    return type == TYPE_R_64F || type == TYPE_C_64F ? 8 : 4;
}
static inline struct gemm_matrix dense_from(struct gemm_matrix x, int64_t i, int64_t j) {
    x.first += i + j * x.lead;
    return x;
}
// Blocks of 256 threads for so many elements.
static inline uint32_t dense_blocks(int64_t all) {
    return all > (int64_t)65535 * 256 ? 65535 : (uint32_t)((all + 255) / 256);
}

#endif
