// What the graph interface is made of (graph.c): descriptions as lists of attributes, and what is read off them.
#ifndef WW_LIBRARIES_CUDNN_GRAPH_H
#define WW_LIBRARIES_CUDNN_GRAPH_H

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn.h"

// cudnnBackendDescriptorType_t
enum {
    KIND_POINTWISE,
    KIND_CONVOLUTION,
    KIND_ENGINE,
    KIND_CONFIG,
    KIND_HEURISTIC,
    KIND_PLAN,
    KIND_OPERATION_FORWARD = 10,
    KIND_OPERATION_FILTER,
    KIND_OPERATION_DATA,
    KIND_OPERATION_POINTWISE,
    KIND_GRAPH = 15,
    KIND_PACK,
    KIND_TENSOR,
    KIND_OPERATION_PRODUCT = 19,
    KIND_REDUCTION = 21,
    KIND_OPERATION_REDUCTION = 22,
    KIND_OPERATION_RESHAPE = 31,
    KIND_RANDOM,
    KIND_OPERATION_RANDOM,
    KIND_OPERATION_ATTENTION = 41,
    KIND_OPERATION_BAND = 44,
    KIND_OPERATION_SOFTMAX,
    KINDS
};
enum { TENSOR_ORDER_NONE = 0, TENSOR_ORDER_F16 = 2 }; // cudnnBackendTensorReordering_t
// cudnnBackendAttributeType_t
enum {
    TYPE_BOOLEAN = 2,
    TYPE_INT64 = 3,
    TYPE_FLOAT = 4,
    TYPE_DOUBLE = 5,
    TYPE_DESCRIPTOR = 15,
    TYPE_CHAR = 24,
    TYPE_FRACTION = 26,
    TYPES = 32
};
static inline size_t bytes_of_type(int type) {
    switch (type) {
    case 0: // a handle
    case TYPE_INT64:
    case TYPE_DOUBLE:
    case 6: // an address
    case TYPE_DESCRIPTOR: return 8;
    case TYPE_BOOLEAN:
    case TYPE_CHAR: return 1;
    case TYPE_FRACTION: return 16;
    default: return type >= 0 && type < TYPES ? 4 : 0; // enumerations, float, int32
    }
}
// cudnnBackendAttributeName_t
enum {
    POINTWISE_MODE = 0,
    POINTWISE_LOW = 3,
    POINTWISE_HIGH = 4,
    POINTWISE_SLOPE = 5,
    POINTWISE_ELU = 6,
    POINTWISE_SOFTPLUS = 7,
    POINTWISE_SWISH = 8,
    POINTWISE_AXIS = 9,
    CONVOLUTION_MODE = 101,
    CONVOLUTION_DILATIONS,
    CONVOLUTION_STRIDES,
    CONVOLUTION_POST_PADS,
    CONVOLUTION_PADS,
    CONVOLUTION_RANK,
    HEURISTIC_MODE = 200,
    HEURISTIC_GRAPH = 201,
    HEURISTIC_RESULTS = 202,
    CONFIG_ENGINE = 300,
    CONFIG_INTERMEDIATES = 301,
    CONFIG_KNOBS = 302,
    CONFIG_WORKSPACE = 303,
    CONFIG_SHARED = 304,
    PLAN_HANDLE = 400,
    PLAN_CONFIG = 401,
    PLAN_WORKSPACE = 402,
    PLAN_TEXT = 405,
    FORWARD_ALPHA = 700,
    FORWARD_BETA,
    FORWARD_CONVOLUTION,
    FORWARD_W,
    FORWARD_X,
    FORWARD_Y,
    DATA_ALPHA,
    DATA_BETA,
    DATA_CONVOLUTION,
    DATA_W,
    DATA_DX,
    DATA_DY,
    FILTER_ALPHA,
    FILTER_BETA,
    FILTER_CONVOLUTION,
    FILTER_DW,
    FILTER_X,
    FILTER_DY,
    POINT_FUNCTION = 750,
    POINT_X,
    POINT_B,
    POINT_Y,
    POINT_ALPHA1,
    POINT_ALPHA2,
    POINT_DX,
    POINT_DY,
    POINT_T,
    GRAPH_OPERATIONS = 801,
    GRAPH_ENGINES = 802,
    TENSOR_TYPE = 901,
    TENSOR_SIZES,
    TENSOR_STEPS,
    TENSOR_VECTOR,
    TENSOR_UID = 906,
    TENSOR_IS_VIRTUAL,
    TENSOR_IS_VALUE,
    TENSOR_ORDER,
    PACK_UIDS = 1000,
    PACK_ADDRESSES,
    PACK_WORKSPACE = 1003,
    PRODUCT_A = 1520,
    PRODUCT_B,
    PRODUCT_C,
    PRODUCT_ROWS =
        1525, // these three: fewer rows, columns, and elements of a sum than the matrices have
    PRODUCT_COLUMNS,
    PRODUCT_LENGTH,
    REDUCTION_MODE = 1600,
    REDUCTION_X = 1610,
    REDUCTION_Y,
    REDUCTION_HOW,
    RESHAPE_X = 2200,
    RESHAPE_Y,
    RANDOM_DISTRIBUTION = 2300,
    RANDOM_PROBABILITY = 2305,
    RANDOM_Y = 2310,
    RANDOM_SEED,
    RANDOM_HOW,
    RANDOM_OFFSET,
    ATTENTION_Q = 2800,
    ATTENTION_K,
    ATTENTION_V,
    ATTENTION_O,
    ATTENTION_STATS,
    ATTENTION_SCALE,
    ATTENTION_BLOCKS,
    ATTENTION_PAGES_K,
    ATTENTION_PAGES_V,
    ATTENTION_LENGTH_Q,
    ATTENTION_LENGTH_K,
    ATTENTION_GRAPH,
    ATTENTION_GRAPH_IN,
    ATTENTION_GRAPH_OUT,
    ATTENTION_SOFTMAX,
    ATTENTION_SEED,
    ATTENTION_OFFSET,
    ATTENTION_DUMP,
    ATTENTION_PROBABILITY,
    ATTENTION_UNFUSED,
    BAND_X = 3000,
    BAND_LENGTH_K,
    BAND_LENGTH_Q,
    BAND_LEFT,
    BAND_RIGHT,
    BAND_B,
    BAND_Y,
    BAND_COMPARISON,
    SOFTMAX_X = 3100,
    SOFTMAX_Y,
    // the logarithm of the sum; the largest one, the sum and what is beside the keys follow
    SOFTMAX_STATS,
    SOFTMAX_SINK = 3105,
    ENGINE_GRAPH = 1300,
    ENGINE_INDEX = 1301,
    ENGINE_KNOBS = 1302,
    ENGINE_NOTES = 1303,
    ENGINE_LAYOUTS = 1304,
    ENGINE_BEHAVIOURS = 1305
};

struct attribute {
    int name, type;
    int64_t count;
    void *values;
};
// A description holds those that its attributes name, as the vendor's do: a program may destroy them first.
typedef struct descriptor {
    int kind;
    bool is_final;
    atomic_int holders;
    int count;
    struct attribute *attributes;
} * descriptor_t;

static inline struct attribute *find(const struct descriptor *d, int name) {
    for (int i = 0; d && i < d->count; i++)
        if (d->attributes[i].name == name) return &d->attributes[i];
    return NULL;
}
static inline descriptor_t find_descriptor(const struct descriptor *d, int name) {
    const struct attribute *const a = find(d, name);
    return a && a->type == TYPE_DESCRIPTOR && a->count ? *(descriptor_t *)a->values : NULL;
}
static inline int64_t whole(const struct descriptor *d, int name, int64_t otherwise) {
    const struct attribute *const a = find(d, name);
    if (!a || !a->count) return otherwise;
    switch (bytes_of_type(a->type)) {
    case 8: return *(const int64_t *)a->values;
    case 4: return *(const int32_t *)a->values;
    default: return *(const uint8_t *)a->values;
    }
}
static inline double real(const struct descriptor *d, int name, double otherwise) {
    const struct attribute *const a = find(d, name);
    if (!a || !a->count) return otherwise;
    return a->type == TYPE_DOUBLE  ? *(const double *)a->values
           : a->type == TYPE_FLOAT ? (double)*(const float *)a->values
                                   : otherwise;
}
static inline bool list(const struct descriptor *d, int name, int64_t *to, int64_t count) {
    const struct attribute *const a = find(d, name);
    if (!a || a->type != TYPE_INT64 || a->count < count) return false;
    memcpy(to, a->values, (size_t)count * sizeof *to);
    return true;
}

static inline bool tensor_of(const struct descriptor *d, struct dnn_tensor *t) {
    const struct attribute *const sizes = find(d, TENSOR_SIZES);
    if (!d || d->kind != KIND_TENSOR || !sizes || sizes->count < 1 || sizes->count > DNN_AXES)
        return false;
    *t = (struct dnn_tensor){.type = (int)whole(d, TENSOR_TYPE, -1), .rank = (int)sizes->count};
    if (!list(d, TENSOR_SIZES, t->size, t->rank) || !list(d, TENSOR_STEPS, t->step, t->rank))
        return false;
    for (int i = 0; i < t->rank; i++)
        if (t->size[i] < 1) return false;
    return true;
}

// The parameters of a function, and its tensors: a, b (or NULL), y. The derivatives have dy, x and dx.
static inline bool point_of(const struct descriptor *op, struct point *p, descriptor_t tensor[3]) {
    const struct descriptor *const f = find_descriptor(op, POINT_FUNCTION);
    if (!f) return false;
    const int mode = (int)whole(f, POINTWISE_MODE, -1);
    const bool is_back = mode >= POINT_RELU_BACK;
    *p = (struct point){.mode = mode,
                        .alpha = 1,
                        .alpha_a = real(op, POINT_ALPHA1, 1),
                        .alpha_b = real(op, POINT_ALPHA2, 1)};
    p->low = real(f, POINTWISE_LOW, 0);
    p->high = real(f, POINTWISE_HIGH, HUGE_VAL);
    switch (mode) {
    case POINT_ELU:
    case POINT_ELU_BACK: p->slope = real(f, POINTWISE_ELU, 1); break;
    case POINT_SOFTPLUS:
    case POINT_SOFTPLUS_BACK: p->slope = real(f, POINTWISE_SOFTPLUS, 1); break;
    case POINT_SWISH:
    case POINT_SWISH_BACK: p->slope = real(f, POINTWISE_SWISH, 1); break;
    default: p->slope = real(f, POINTWISE_SLOPE, 0);
    }
    tensor[0] = find_descriptor(op, is_back ? POINT_DY : POINT_X);
    tensor[1] = find_descriptor(op, is_back ? POINT_X : POINT_B);
    tensor[2] = find_descriptor(op, is_back ? POINT_DX : POINT_Y);
    return tensor[0] && tensor[2] && !find_descriptor(op, POINT_T);
}
static inline bool is_point_here(int mode) {
    static const int8_t here[] = {
        POINT_ADD, POINT_MUL,   POINT_MIN,  POINT_MAX, POINT_SQRT,     POINT_ADD_SQUARE, POINT_DIV,
        POINT_SUB, POINT_ABS,   POINT_CEIL, POINT_COS, POINT_EXP,      POINT_FLOOR,      POINT_LOG,
        POINT_NEG, POINT_RSQRT, POINT_SIN,  POINT_ERF, POINT_IDENTITY, POINT_RECIPROCAL};
    for (size_t i = 0; i < sizeof here; i++)
        if (here[i] == mode) return true;
    return (mode >= POINT_RELU && mode <= POINT_GELU_TANH) ||
           (mode >= POINT_RELU_BACK && mode <= POINT_GELU_TANH_BACK);
}

// A description and all that it names, as a text (text.c) that a later process may read: but for handles. NULL: no memory. The reader
// answers NULL where the text is none of these.
char *graph_text(const struct descriptor *d);
descriptor_t graph_of_text(const char *text, size_t length);

// Graphs that have more than convolutions and functions of one or two numbers (interpret.c): whether a graph is such a one, NULL
// where it can be run, else what it asks for that is not here; and running it, with the addresses of `pack`.
bool graph_is_general(const struct descriptor *graph);
const char *graph_general_lacks(const struct descriptor *graph);
dnn_status graph_general_run(struct blas_handle *h, const struct descriptor *graph,
                             const struct descriptor *pack);

#endif
