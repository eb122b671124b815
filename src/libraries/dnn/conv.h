// A convolution as its kernels take it: for each group a product D[m][n] = sum over k of A[m][k] B[k][n], whose B is gathered
// from a tensor in space. Read by C and by CUDA C: the layouts are alike.
//
//              m                n                              k                             A   B   D
//   forward    filter           image and place of the result  channel and place of filter   w   x   y
//   data       channel          image and place of x           filter and its place          w   dy  dx
//   filter     filter           channel and place of filter    image and place of y          dy  x   dw
#ifndef WW_LIBRARIES_CONV_H
#define WW_LIBRARIES_CONV_H

#include <stdint.h>

#include "divisor.h"

// An index of n or k: c0 is an image or a channel, c1 to c3 a place in space.
struct conv_index {
    struct divisor size[4];
    uint32_t is_inner; // bool: c0 varies fastest, else slowest
};

struct conv {
    int32_t m, n, k, groups;
    int32_t splits, split; // k is cut into `splits` of `split` each, whose sums go to `part`
    struct conv_index of_n, of_k;
    // Where B is read, in each direction of space: (n_mul c(n) + n_add + k_mul c(k)) / down, if that is whole and in 0...limit.
    int32_t n_mul[3], n_add[3], k_mul[3], limit[3];
    struct divisor down[3];
    // Steps in elements; [0] of c0, then of c1 to c3.
    int32_t a_m, a_k[4], b_n, b_k, b_space[3], d_m, d_n[4], z_m, z_n[4];
    int64_t a_group, b_group, d_group, z_group;
    uint64_t a, b, d, z, bias,
        part; // device addresses; z: beta's matrix; bias: an element for each m of each group, or 0
    double alpha, beta;
    uint32_t has_relu;
};

#endif
