// backprop: one training step of a perceptron with one hidden layer of 16 units, the two parts that
// touch the large weight matrix. Weights are (inputs + 1) rows of 17: row and column 0 belong to
// the bias units. A 16 x 16 block has 16 inputs (rows) and the 16 hidden units (columns).
//
// layerForward multiplies inputs and weights in a tile and folds each column in a tree; the host
// adds up the blocks' partial sums. As in the original the tile goes back over the weights, which
// the host uploads anew before adjustWeights, and the tree's strides come from the special-function
// unit (2^level, exact for small integers). adjustWeights counts in double, since the learning
// constants are double literals.
#include "device.h"

#define SIDE     16
#define PITCH    (SIDE + 1)
#define LEVELS   4 // log2(SIDE)
#define ETA      0.3
#define MOMENTUM 0.3

extern "C" __global__ void layerForward(const float *in, float *weights, float *partial) {
    __shared__ float input[SIDE], tile[SIDE][SIDE];
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y, by = (int)blockIdx.y;
    const int row = SIDE * by + ty + 1;
    const int at = PITCH * row + tx + 1;

    if (tx == 0) input[ty] = in[row];
    __syncthreads();
    tile[ty][tx] = weights[at];
    __syncthreads();
    tile[ty][tx] *= input[ty];
    __syncthreads();
#ifdef WW_VOLTA // nvcc has unrolled the loop and folded the powers since, but not the remainders
#pragma unroll
    for (int level = 1; level <= LEVELS; level++) {
        const int stride = 1 << level;
        unsigned divisor = 1u << level;
#ifndef WW_EMULATE
        asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(divisor) : "f"((float)stride));
#endif
        if ((unsigned)ty % divisor == 0) tile[ty][tx] += tile[ty + stride / 2][tx];
#else
    for (int level = 1; level <= LEVELS; level++) {
        const int stride = (int)__exp2f((float)level);
        if (ty % stride == 0) tile[ty][tx] += tile[ty + stride / 2][tx];
#endif
        __syncthreads();
    }
    weights[at] = tile[ty][tx];
    __syncthreads();
    if (tx == 0) partial[by * SIDE + ty] = tile[tx][ty];
}

extern "C" __global__ void adjustWeights(const float *delta, const float *in, float *weights,
                                         float *change) {
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y, by = (int)blockIdx.y;
    const int row = SIDE * by + ty + 1, column = tx + 1;
    const int at = PITCH * row + column;

    weights[at] += ETA * delta[column] * in[row] + MOMENTUM * change[at];
    change[at] = ETA * delta[column] * in[row] + MOMENTUM * change[at];
    __syncthreads();
    if (ty == 0 && by == 0) {
        weights[column] += ETA * delta[column] + MOMENTUM * change[column];
        change[column] = ETA * delta[column] + MOMENTUM * change[column];
    }
}
