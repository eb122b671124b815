// What cuSOLVER's entry points share.
#ifndef WW_LIBRARIES_CUSOLVER_H
#define WW_LIBRARIES_CUSOLVER_H

#include "blas/blas.h"

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

#endif
