// lud: LU decomposition in place without pivoting, in tiles of 16 x 16; three launches a step.
//   ludDiagonal    one block of 16 threads factors the tile on the diagonal;
//   ludPerimeter   a block a tile pair: 16 threads solve for a tile of the row to the right, 16 for
//                  a tile of the column below, the two halves of one warp on different paths;
//   ludInternal    a 16 x 16 block a tile of the rest subtracts the product of those two.
// L has ones on its diagonal, which are not kept.
#include "device.h"

#define TILE 16

extern "C" __global__ void ludDiagonal(float *m, int size, int offset) {
    __shared__ float tile[TILE][TILE];
    const int t = (int)threadIdx.x;
    float *corner = m + offset * size + offset;

    for (int i = 0; i < TILE; i++) tile[i][t] = corner[i * size + t];
    __syncthreads();
    for (int i = 0; i < TILE - 1; i++) {
        if (t > i) { // column i of L
            for (int j = 0; j < i; j++) tile[t][i] -= tile[t][j] * tile[j][i];
            tile[t][i] /= tile[i][i];
        }
        __syncthreads();
        if (t > i) // row i + 1 of U
            for (int j = 0; j < i + 1; j++) tile[i + 1][t] -= tile[i + 1][j] * tile[j][t];
        __syncthreads();
    }
    for (int i = 1; i < TILE; i++) corner[i * size + t] = tile[i][t];
}

extern "C" __global__ void ludPerimeter(float *m, int size, int offset) {
    __shared__ float diagonal[TILE][TILE], right[TILE][TILE], below[TILE][TILE];
    const int t = (int)threadIdx.x % TILE;
    const int away = ((int)blockIdx.x + 1) * TILE; // of this block's tiles from the diagonal
    float *corner = m + offset * size + offset;

    if (threadIdx.x < TILE) {
        for (int i = 0; i < TILE / 2; i++) diagonal[i][t] = corner[i * size + t];
        for (int i = 0; i < TILE; i++) right[i][t] = corner[i * size + away + t];
    } else {
        for (int i = TILE / 2; i < TILE; i++) diagonal[i][t] = corner[i * size + t];
        for (int i = 0; i < TILE; i++) below[i][t] = corner[(away + i) * size + t];
    }
    __syncthreads();

    if (threadIdx.x < TILE) {
        for (int i = 1; i < TILE; i++)
            for (int j = 0; j < i; j++) right[i][t] -= diagonal[i][j] * right[j][t];
    } else {
        for (int i = 0; i < TILE; i++) {
            for (int j = 0; j < i; j++) below[t][i] -= below[t][j] * diagonal[j][i];
            below[t][i] /= diagonal[i][i];
        }
    }
    __syncthreads();

    if (threadIdx.x < TILE)
        for (int i = 1; i < TILE; i++) corner[i * size + away + t] = right[i][t];
    else
        for (int i = 0; i < TILE; i++) corner[(away + i) * size + t] = below[i][t];
}

extern "C" __global__ void ludInternal(float *m, int size, int offset) {
    __shared__ float row[TILE][TILE], column[TILE][TILE];
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    const int x = offset + ((int)blockIdx.x + 1) * TILE + tx;
    const int y = offset + ((int)blockIdx.y + 1) * TILE + ty;

    row[ty][tx] = m[(offset + ty) * size + x];
    column[ty][tx] = m[y * size + offset + tx];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < TILE; i++) sum += column[ty][i] * row[i][tx];
    m[y * size + x] -= sum;
}
