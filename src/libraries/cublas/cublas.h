// What cuBLAS's entry points share: elements that only kernels look into, declarations with their definitions, and vectors that may
// be taken backwards.
#ifndef WW_LIBRARIES_CUBLAS_H
#define WW_LIBRARIES_CUBLAS_H

#include "blas/blas.h"

struct half {
    uint16_t bits;
};
struct pair32 {
    float x, y;
};
struct pair64 {
    double x, y;
};

#define API(name, ...)                                                                             \
    BLAS_API blas_status name(__VA_ARGS__);                                                        \
    blas_status name(__VA_ARGS__)

// A vector of n elements, `step` apart: with a negative step the first one lies last, as in the reference BLAS. In a list the first
// element is counted from each address.
static inline struct gemm_matrix vector_at(const void *at, int64_t n, int64_t step) {
    return (struct gemm_matrix){
        .at = (uintptr_t)at, .lead = step, .first = step < 0 && n > 0 ? (1 - n) * step : 0};
}
static inline bool is_real(int type) { return type != TYPE_C_32F && type != TYPE_C_64F; }
// The type of an element's parts.
static inline int real_of(int type) {
    return type == TYPE_C_32F ? TYPE_R_32F : type == TYPE_C_64F ? TYPE_R_64F : type;
}

#endif
