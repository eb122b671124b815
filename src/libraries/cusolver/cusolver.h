// What cuSOLVER's entry points share.
#ifndef WW_LIBRARIES_CUSOLVER_H
#define WW_LIBRARIES_CUSOLVER_H

#include "dense/dense.h"

typedef enum {
    SOLVER_SUCCESS = 0,
    SOLVER_NOT_INITIALIZED = 1,
    SOLVER_ALLOC_FAILED = 2,
    SOLVER_INVALID_VALUE = 3,
    SOLVER_EXECUTION_FAILED = 6,
    SOLVER_INTERNAL_ERROR = 7,
    SOLVER_NOT_SUPPORTED = 9
} solver_status;

static inline solver_status solver_of(blas_status s) {
    switch (s) {
    case CUBLAS_SUCCESS: return SOLVER_SUCCESS;
    case CUBLAS_NOT_INITIALIZED: return SOLVER_NOT_INITIALIZED;
    case CUBLAS_ALLOC_FAILED: return SOLVER_ALLOC_FAILED;
    case CUBLAS_INVALID_VALUE: return SOLVER_INVALID_VALUE;
    case CUBLAS_NOT_SUPPORTED: return SOLVER_NOT_SUPPORTED;
    case CUBLAS_INTERNAL_ERROR: return SOLVER_INTERNAL_ERROR;
    default: return SOLVER_EXECUTION_FAILED;
    }
}
#define API(name, ...)                                                                             \
    BLAS_API solver_status name(__VA_ARGS__);                                                      \
    solver_status name(__VA_ARGS__)

// Names of a type's calls: orthogonal and symmetric of real matrices, unitary and Hermitian of complex ones.
#define EACH_TYPE(ROWS)                                                                            \
    ROWS(S, or, sy, TYPE_R_32F, float)                                                             \
    ROWS(D, or, sy, TYPE_R_64F, double)                                                            \
    ROWS(C, un, he, TYPE_C_32F, float)                                                             \
    ROWS(Z, un, he, TYPE_C_64F, double)

// ---- what the calls of dense matrices have in common ------------------------------------------------------------
static inline struct dense_numbers numbers(const void *at, int64_t step) {
    return (struct dense_numbers){(uintptr_t)at, step};
}
static inline bool is_type(int type) {
    return type == TYPE_R_32F || type == TYPE_R_64F || type == TYPE_C_32F || type == TYPE_C_64F;
}
static inline bool is_size(int64_t n) { return n >= 0 && n <= INT32_MAX; }
static inline bool fits(int64_t m, int64_t n, int64_t lead) {
    return is_size(m) && is_size(n) && lead >= (m > 1 ? m : 1);
}
static inline blas_status clear(blas_handle_t h, const int *info, uint32_t count) {
    return info ? blas_of(cuMemsetD32Async((uintptr_t)info, 0, count, h->stream)) : CUBLAS_SUCCESS;
}
// The answer of a call about its work area, in elements.
static inline solver_status area(blas_handle_t h, int64_t elements, int *out) {
    if (!blas_is_handle(h)) return SOLVER_NOT_INITIALIZED;
    if (!out || elements > INT32_MAX) return SOLVER_INVALID_VALUE;
    *out = elements < 1 ? 1 : (int)elements;
    return SOLVER_SUCCESS;
}
static inline solver_status area_bytes(blas_handle_t h, int type, int64_t elements, size_t *device,
                                       size_t *host) {
    if (!blas_is_handle(h)) return SOLVER_NOT_INITIALIZED;
    if (!device || !host || !is_type(type)) return SOLVER_INVALID_VALUE;
    *device = (size_t)(elements < 1 ? 1 : elements) * blas_type_bytes(type);
    *host = 0;
    return SOLVER_SUCCESS;
}
#define NEED(condition)                                                                            \
    if (!blas_is_handle(h)) return SOLVER_NOT_INITIALIZED;                                         \
    if (!(condition)) return SOLVER_INVALID_VALUE;
static inline bool is_fill(int fill) { return fill == FILL_LOWER || fill == FILL_UPPER; }
#define NAME(letter, call) "cusolverDn" #letter #call
#define MATRIX             void *a, int lda
#define FIXED              const void *a, int lda
#define AREAS              void *area_device, size_t bytes_device, void *area_host, size_t bytes_host
#define NO_AREAS           (void)area_device, (void)bytes_device, (void)area_host, (void)bytes_host
static inline solver_status refuse_type(const char *call, int type) {
    return solver_of(blas_refuse(call, "elements of type %d (cudaDataType)", type));
}

#endif
