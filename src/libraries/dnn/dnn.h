// What the calls of cuDNN share: tensors as they are described, and layers launched. Types and numbers are those of the vendor's
// documented interface (cuDNN 9).
#ifndef WW_LIBRARIES_DNN_H
#define WW_LIBRARIES_DNN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blas/blas.h"
#include "conv.h"
#include "layer.h"
#include "recurrent.h"

// cudnnStatus_t
typedef enum {
    DNN_SUCCESS = 0,
    DNN_NOT_INITIALIZED = 1001,
    DNN_BAD_PARAM = 2000,
    DNN_NOT_FINALIZED = 2004,
    DNN_NOT_SUPPORTED = 3000,
    DNN_INTERNAL_ERROR = 4000,
    DNN_ALLOC_FAILED = 4003,
    DNN_EXECUTION_FAILED = 5000
} dnn_status;

// cudnnDataType_t
enum dnn_type {
    DNN_FLOAT = 0,
    DNN_DOUBLE = 1,
    DNN_HALF = 2,
    DNN_INT8 = 3,
    DNN_INT32 = 4,
    DNN_BFLOAT16 = 9
};
enum { DNN_NCHW = 0, DNN_NHWC = 1 }; // cudnnTensorFormat_t
enum { DNN_AXES = 8 };

// A tensor or filter: sizes and steps in elements, image (or filter) and channel first, as in the vendor's descriptions.
struct dnn_tensor {
    int type, format, rank;
    int64_t size[DNN_AXES], step[DNN_AXES];
};
// Packed, in the order that the format says.
void dnn_pack(struct dnn_tensor *t);
int64_t dnn_elements(const struct dnn_tensor *t);
size_t dnn_bytes(const struct dnn_tensor *t); // from the first element to behind the last
size_t dnn_type_bytes(int type);              // 0: none that is known
// A factor of a call: double for tensors of double precision, else single.
double dnn_factor(const struct dnn_tensor *t, const void *at);

dnn_status dnn_of(blas_status s);
dnn_status dnn_refuse(const char *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

enum dnn_kernel_file { DNN_CONV, DNN_LAYER, DNN_RECURRENT, DNN_CONV_TENSOR };
// Launches a kernel of the modules of a type, in blocks of 256 threads where `threads` is 0.
dnn_status dnn_launch(struct blas_handle *h, enum dnn_kernel_file file, int type, const char *name,
                      const uint32_t grid[3], uint32_t threads, const void *params, size_t bytes);
// Blocks for `all` elements, a thread each.
uint32_t dnn_blocks(int64_t all);

// ---- convolutions -----------------------------------------------------------------------------------
enum dnn_direction { DNN_FORWARD, DNN_TO_DATA, DNN_TO_FILTER };
struct dnn_conv {
    enum dnn_direction direction;
    struct dnn_tensor x, w,
        y; // of the data, the filters and the results: of the gradients where those are asked for
    int64_t pad[3], stride[3], dilation[3];
    bool is_flipped;      // a convolution proper, not a correlation
    uint64_t from[2], to; // device addresses: x and w, w and dy, or x and dy; and y, dx or dw
    double alpha, beta;
    // of a forward one: what beta is the factor of (0: `to` itself), and what is added to each channel; ReLU
    uint64_t z, bias;
    struct dnn_tensor z_like;
    bool has_relu;
    bool may_round; // elements of single precision may be rounded to eleven bits
};
// A convolution in one or two directions on tensor cores of compute capability 8.0 on (conv_copies.c), of which the work area is taken
// from the stream's memory.
bool conv_copies_takes(const struct blas_handle *h, const struct dnn_conv *c);
dnn_status conv_copies_run(struct blas_handle *h, const struct dnn_conv *c);
struct divisor dnn_divisor(int64_t by);
// NULL where it can be run, else what it asks for that is not here; `bytes` of work area make it faster, fewer will do.
const char *dnn_conv_lacks(const struct dnn_conv *c);
size_t dnn_conv_workspace(struct blas_handle *h, const struct dnn_conv *c);
dnn_status dnn_convolve(struct blas_handle *h, const struct dnn_conv *c, uint64_t workspace,
                        size_t bytes);

// ---- elements ---------------------------------------------------------------------------------------
// y = alpha f(alpha_a a, alpha_b b) + beta y, where a and b repeat along axes in which they have one element. b may be NULL.
// p holds mode, addresses and factors; tensors have at most LAYER_AXES axes.
dnn_status dnn_points(struct blas_handle *h, const char *call, struct point *p,
                      const struct dnn_tensor *a, const struct dnn_tensor *b,
                      const struct dnn_tensor *y);

#endif
