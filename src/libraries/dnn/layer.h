// Layers of a network but convolutions, as their kernels take them. Read by C and by CUDA C: the layouts are alike.
#ifndef WW_LIBRARIES_LAYER_H
#define WW_LIBRARIES_LAYER_H

#include <stdint.h>

enum { LAYER_AXES = 6 };

// An element of each of up to four tensors for each place of a box; a step of 0 repeats an element (broadcast).
enum point_mode { // numbers of cudnnPointwiseMode_t where that has them
    POINT_ADD = 0,
    POINT_MUL = 1,
    POINT_MIN = 2,
    POINT_MAX = 3,
    POINT_SQRT = 4,
    POINT_ADD_SQUARE = 5,
    POINT_DIV = 6,
    POINT_SUB = 9,
    POINT_ABS = 10,
    POINT_CEIL = 11,
    POINT_COS = 12,
    POINT_EXP = 13,
    POINT_FLOOR = 14,
    POINT_LOG = 15,
    POINT_NEG = 16,
    POINT_RSQRT = 17,
    POINT_SIN = 18,
    POINT_ERF = 20,
    POINT_IDENTITY = 21,
    POINT_RECIPROCAL = 22,
    POINT_RELU = 100,
    POINT_TANH = 101,
    POINT_SIGMOID = 102,
    POINT_ELU = 103,
    POINT_GELU = 104,
    POINT_SOFTPLUS = 105,
    POINT_SWISH = 106,
    POINT_GELU_TANH = 107,
    POINT_RELU_BACK = 200,
    POINT_TANH_BACK = 201,
    POINT_SIGMOID_BACK = 202,
    POINT_ELU_BACK = 203,
    POINT_GELU_BACK = 204,
    POINT_SOFTPLUS_BACK = 205,
    POINT_SWISH_BACK = 206,
    POINT_GELU_TANH_BACK = 207
};
// y = alpha f(alpha_a a, alpha_b b) + beta y. The derivatives take dy as a, and x as b.
struct point {
    int64_t all;
    int32_t size[LAYER_AXES];
    int64_t step_a[LAYER_AXES], step_b[LAYER_AXES], step_y[LAYER_AXES];
    uint64_t a, b, y; // device addresses; b may be 0
    double alpha, alpha_a, alpha_b, beta;
    double low, high, slope; // of ReLU; `slope` is ELU's, softplus's and swish's factor too
    int32_t mode;
    int32_t type_a, type_b, type_y; // cudnnDataType_t
};

// Batch normalisation of images x channels x places. Each channel (or each place of a channel, where `places` is 1 and
// `channels` counts both) is a block's.
struct norm {
    int32_t images, channels, places;
    int64_t x_image, x_channel, x_place, y_image, y_channel, y_place, d_image, d_channel,
        d_place;                          // d: of dx
    uint64_t x, y, dy, dx, z, dz;         // elements; z is added before the activation
    uint64_t scale, bias, mean, variance; // mean, variance: running ones, or 0
    uint64_t saved_mean, saved_inverse, d_scale, d_bias; // of single precision, double of double
    double alpha, beta, alpha_p, beta_p, epsilon, factor;
    uint32_t has_relu;
};

// Pooling in up to three directions of space; a thread makes an element.
enum pool_mode { POOL_MAX, POOL_MEAN_ALL, POOL_MEAN_INSIDE };
struct pool {
    int64_t all;
    int32_t mode, channels;
    int32_t in[3], out[3], window[3], pad[3], stride[3];
    int64_t x_step[5], y_step[5], dy_step[5], dx_step[5]; // image, channel, space
    uint64_t x, y, dy, dx;
    double alpha, beta;
};

// Softmax along one direction of outer x length x inner.
struct softmax {
    int32_t length, inner, is_log, has_no_max;
    int64_t step, step_outer, step_inner; // of all of its tensors
    uint64_t x, y, dy, dx;
    double alpha, beta;
};

// Sums and the like over some axes: `kept` are those of the result, `gone` those that are reduced.
struct reduce {
    int32_t mode; // cudnnReduceTensorOp_t
    int64_t kept_all, gone_all;
    int32_t kept[LAYER_AXES], gone[LAYER_AXES];
    int64_t x_kept[LAYER_AXES], x_gone[LAYER_AXES], y_kept[LAYER_AXES];
    uint64_t x, y;
    double alpha, beta;
    int32_t type_x, type_y;
};

// A spatial transformer of two directions: a grid of places (x, y) between -1 and 1 for each image, packed, and what lies there of x,
// between four elements. Steps: image, channel, row, column; dx has x's, dy has y's.
struct transform {
    int64_t all; // places of all images
    int32_t in[2], out[2], channels;
    int64_t x_step[4], y_step[4];
    uint64_t x, y, dy, dx, grid, dgrid, theta;
    double alpha, beta, alpha_grid, beta_grid;
};

// Elements that are compared, chosen and counted; steps as those of struct point. Kinds are cudnnPointwiseMode_t's, and a band of a
// matrix's last two axes: a where it is in the band, else b.
enum choice_mode {
    CHOICE_EQ = 300,
    CHOICE_NE,
    CHOICE_GT,
    CHOICE_GE,
    CHOICE_LT,
    CHOICE_LE,
    CHOICE_AND = 400,
    CHOICE_OR,
    CHOICE_NOT,
    CHOICE_INDEX = 501,
    CHOICE_SELECT = 601,
    CHOICE_BAND = 1000
};
struct selection {
    int64_t all;
    int32_t size[LAYER_AXES];
    int64_t step_a[LAYER_AXES], step_b[LAYER_AXES], step_c[LAYER_AXES], step_y[LAYER_AXES];
    uint64_t a, b, c, y;
    int32_t mode, axis;
    int32_t type_a, type_b, type_c, type_y;
    uint64_t length_q, length_k, left, right; // of a band: int32 for each image, and numbers; or 0
    int32_t type_left, type_right, comparison;
};

// Scores of attention, packed: images x heads x rows x columns, of single precision; probabilities alike.
struct attention {
    int64_t all; // rows of all heads and images
    int32_t heads, rows, columns;
    uint64_t scores, probabilities, stats, length_q, length_k; // stats and lengths may be 0
    int64_t stats_image, stats_head, stats_row;
    uint64_t seed, offset; // addresses of 64-bit numbers, or 0: nothing is dropped
    double keep;           // the share that stays, by which what stays is divided
};

// Ones with a probability, zeros else: word i of Philox's sequence decides for element i.
struct ones {
    int64_t all;
    int32_t size[LAYER_AXES];
    int64_t step_y[LAYER_AXES];
    uint64_t y, seed, offset; // addresses of 64-bit numbers
    int32_t type_y;
    double probability;
};

#endif
