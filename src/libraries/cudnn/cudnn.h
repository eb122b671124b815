// Descriptions that programs make for cuDNN, and what its files share.
#ifndef WW_LIBRARIES_CUDNN_H
#define WW_LIBRARIES_CUDNN_H

#include "dnn/dnn.h"

#define API(name, ...)                                                                             \
    BLAS_API dnn_status name(__VA_ARGS__);                                                         \
    dnn_status name(__VA_ARGS__)

enum {
    ACTIVATION_SIGMOID,
    ACTIVATION_RELU,
    ACTIVATION_TANH,
    ACTIVATION_CLIPPED,
    ACTIVATION_ELU,
    ACTIVATION_IDENTITY,
    ACTIVATION_SWISH
};
struct activation {
    int mode;
    double bound, swish_beta; // bound: of a clipped ReLU, ELU's factor
};
// The function of an activation, and its parameters in p; `is_back`: the derivative.
void activation_point(const struct activation *a, bool is_back, struct point *p);

enum { MATH_FMA = 3 }; // cudnnMathType_t: single precision as it is
struct convolution {
    int rank; // directions of space
    int pad[DNN_AXES], stride[DNN_AXES], dilation[DNN_AXES];
    int mode, type, groups, math, reorder; // mode: cudnnConvolutionMode_t
};
enum { MODE_CONVOLUTION, MODE_CORRELATION };

struct dropout_kind {
    double rate;
    uint64_t states, key; // states: on the device, 0: none
};
// Says that `elements` numbers of the states were drawn.
dnn_status dropout_drawn(blas_handle_t h, const struct dropout_kind *d, int64_t elements);

// Whether a type is one of those that layers have kernels for.
static inline bool is_floating_type(int type) {
    return type == DNN_FLOAT || type == DNN_DOUBLE || type == DNN_HALF || type == DNN_BFLOAT16;
}

#endif
