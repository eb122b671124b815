// matrixMul: C = A B in 16 x 16 tiles. A block makes one tile of C; it walks along a row of A's
// tiles and a column of B's, holds one of each in shared memory, and every thread adds 16 products
// to its element a step. In the inner loop a row of threads reads one word of A's tile (a
// broadcast) and 16 neighbouring words of B's.
#include "device.h"

#define TILE 16

extern "C" __global__ void matrixMul(const float *a, const float *b, float *c, int inner,
                                     int cols) {
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    const int row = (int)blockIdx.y * TILE + ty;
    const int col = (int)blockIdx.x * TILE + tx;

    float sum = 0.0f;
    for (int k0 = 0; k0 < inner; k0 += TILE) {
        a_tile[ty][tx] = a[row * inner + k0 + tx];
        b_tile[ty][tx] = b[(k0 + ty) * cols + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) sum += a_tile[ty][k] * b_tile[k][tx];
        __syncthreads();
    }
    c[row * cols + col] = sum;
}
