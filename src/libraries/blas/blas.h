// cuBLAS and cuBLASLt of our own: types and numbers of the vendor's documented interface (cuBLAS of CUDA 11.8, 12 and 13),
// and what the libraries here share: handles, kernels, refusals. Calls are made of the CUDA driver's API; kernels are gemm.cu,
// vector.cu and those of fourier and random.
#ifndef WW_LIBRARIES_BLAS_H
#define WW_LIBRARIES_BLAS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda.h"
#include "gemm.h"
#include "vector.h"

#define BLAS_API __attribute__((visibility("default")))

// The minor version that every library here calls itself by, behind the major one of its name. Programs ask for at least the
// one that they were compiled for (JAX for cuBLAS 12.1 and cuSPARSE 12.1), so it is the highest that fits the vendor's numbers:
// 1,000 for a major version, 100 for a minor one.
enum { LIBRARY_MINOR = 9 };

typedef enum {
    CUBLAS_SUCCESS = 0,
    CUBLAS_NOT_INITIALIZED = 1,
    CUBLAS_ALLOC_FAILED = 3,
    CUBLAS_INVALID_VALUE = 7,
    CUBLAS_ARCH_MISMATCH = 8,
    CUBLAS_MAPPING_ERROR = 11,
    CUBLAS_EXECUTION_FAILED = 13,
    CUBLAS_INTERNAL_ERROR = 14,
    CUBLAS_NOT_SUPPORTED = 15,
    CUBLAS_LICENSE_ERROR = 16
} blas_status;

// cudaDataType
enum blas_type {
    TYPE_R_32F = 0,
    TYPE_R_64F = 1,
    TYPE_R_16F = 2,
    TYPE_R_8I = 3,
    TYPE_C_32F = 4,
    TYPE_C_64F = 5,
    TYPE_R_32I = 10,
    TYPE_R_16BF = 14,
    TYPE_R_8F_E4M3 = 28,
    TYPE_R_8F_E5M2 = 29
};
// cublasComputeType_t
enum blas_compute {
    COMPUTE_16F = 64,
    COMPUTE_16F_PEDANTIC = 65,
    COMPUTE_32F = 68,
    COMPUTE_32F_PEDANTIC = 69,
    COMPUTE_64F = 70,
    COMPUTE_64F_PEDANTIC = 71,
    COMPUTE_32I = 72,
    COMPUTE_32I_PEDANTIC = 73,
    COMPUTE_32F_FAST_16F = 74,
    COMPUTE_32F_FAST_16BF = 75,
    COMPUTE_32F_FAST_TF32 = 77
};
enum blas_operation { OPERATION_N = 0, OPERATION_T = 1, OPERATION_C = 2, OPERATION_CONJG = 3 };
enum { POINTER_HOST = 0, POINTER_DEVICE = 1 };
enum { MATH_TF32 = 3 }; // cublasMath_t: products of single precision may be TF32's

// ---- kernels ------------------------------------------------------------------------------------
// A module of kernels for each row of modules.def, loaded into a handle's context when the first of its kernels runs.
enum blas_module {
#define MODULE(name) BLAS_##name,
#include "modules.inc"
#undef MODULE
    BLAS_MODULES
};

enum { BLAS_PARTS = 256 }; // blocks of a reduction, each of which leaves one sum

typedef struct blas_handle {
    uint32_t tag;
    CUstream stream;
    int pointer_mode, math_mode, atomics_mode, sm_target;
    uint32_t sms, capability; // capability: major and minor as one number, 70
    CUcontext context;        // that it was made in
    pthread_mutex_t lock;     // of `module` and `was_recorded`
    CUmodule module[BLAS_MODULES];
    bool was_recorded;        // a graph may have kernels of the modules
    CUdeviceptr parts;        // VECTOR_PART bytes of each of BLAS_PARTS + 1 sums
    struct blas_rooms *rooms; // where products leave the sums of parts (room.h)
} * blas_handle_t;

BLAS_API bool blas_is_handle(const struct blas_handle *h);
BLAS_API blas_status blas_handle_new(struct blas_handle **out);
BLAS_API blas_status blas_handle_delete(struct blas_handle *h);
// A kernel of a module. BLAS_INTERNAL_ERROR with a sentence on standard error when the module does not load.
BLAS_API blas_status blas_kernel(struct blas_handle *h, enum blas_module module, const char *name,
                                 CUfunction *out);
// Launches with one block of parameters.
BLAS_API blas_status blas_launch(CUfunction kernel, const uint32_t grid[3], uint32_t threads,
                                 const void *params, size_t bytes, CUstream stream);
// The same of a kernel that asks for `shared` bytes of shared memory beside what it declares.
BLAS_API blas_status blas_launch_shared(CUfunction kernel, const uint32_t grid[3], uint32_t threads,
                                        uint32_t shared, const void *params, size_t bytes,
                                        CUstream stream);
BLAS_API blas_status blas_of(CUresult r);
BLAS_API const char *blas_status_name(int status);
// Refuses a call for a reason: says it once, counts it for the account, answers CUBLAS_NOT_SUPPORTED.
BLAS_API blas_status blas_refuse(const char *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// ---- products -----------------------------------------------------------------------------------
// The types of a product; `scale` is that of alpha and beta.
struct blas_types {
    int ab, cd, scale;
    bool may_round; // operands of single precision may be rounded to eleven bits
};
BLAS_API bool blas_has_product(const struct blas_types *t);
// Runs `count` products in the handle's stream, or in another. A and B are as they lie in memory, op_a and op_b say how they are taken; g holds everything else.
BLAS_API blas_status blas_product(struct blas_handle *h, const char *call, int op_a, int op_b,
                                  const struct blas_types *t, struct gemm *g, uint32_t count);
// Fills in alpha and beta from where the call's pointers lead: to values of `scale`, on the host or on the device.
BLAS_API blas_status blas_product_in(struct blas_handle *h, CUstream stream, const char *call,
                                     int op_a, int op_b, const struct blas_types *t, struct gemm *g,
                                     uint32_t count);
// Products by the kernels of hopper.cu: whether they take sizes, steps and the number of products of matrices whose lines begin at
// multiples of sixteen bytes; and their launch, in tiles of `tile_m` rows.
bool hopper_has_room(CUfunction kernel, uint32_t tile_m,
                     uint32_t splits); // for one of its clusters
bool hopper_fits(int op_a, int op_b, const struct gemm *g, uint32_t count);
blas_status hopper_launch(CUfunction kernel, CUstream stream, int op_a, int op_b, int type,
                          const struct gemm *g, uint32_t count, uint32_t tile_m);
// The same of single precision as TF32, for which matrices that are not walked along k are written down so first: the cycles that
// this is expected to take, and the launch.
double hopper_turn_cycles(const struct blas_handle *h, int op_a, int op_b, const struct gemm *g,
                          uint32_t count);
blas_status hopper_launch_turned(struct blas_handle *h, CUfunction kernel, CUstream stream,
                                 int op_a, int op_b, const struct gemm *g, uint32_t count,
                                 uint32_t tile_m);
// Products of numbers of eight bits with a fraction: types of all matrices, and device addresses of factors (0: 1) and of where the
// largest magnitude of the result goes, if anywhere. g has alpha and beta of single precision.
struct blas_eight {
    int type_a, type_b, type_c, type_d, type_bias;
    uint64_t scale_a, scale_b, scale_c, scale_d, largest;
    bool is_fast; // sums may have fewer digits than single precision
};
BLAS_API bool blas_eight_has(int type_a, int type_b, int type_c, int type_d);
BLAS_API blas_status blas_eight(struct blas_handle *h, CUstream stream, const char *call, int op_a,
                                int op_b, const struct blas_eight *e, struct gemm *g,
                                uint32_t count);
// A value of `scale` that lies on the host, as real and imaginary part.
BLAS_API void blas_factor(double to[2], int scale, const void *at);
BLAS_API void blas_factors(struct gemm *g, int pointer_mode, int scale, const void *alpha,
                           const void *beta);
BLAS_API size_t blas_type_bytes(int type); // 0: none that is known
BLAS_API bool blas_swaps(int op);          // whether an operation takes a matrix's columns for rows

#endif
