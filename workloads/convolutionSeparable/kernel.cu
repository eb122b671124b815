// convolutionSeparable: an image filtered with the same 17 taps along rows, then along columns. A
// thread has eight results; a block first loads its tile, with a halo of one block's width at
// either end (zero beyond the image), into shared memory. The column kernel keeps its tile
// transposed with an odd pitch. Taps are in constant memory; all loops are unrolled.
#include "device.h"

#define RADIUS 8
#define TAPS   (2 * RADIUS + 1)
CONSTANT(float, taps[TAPS]);

#define RESULTS 8 // a thread
#define HALO    1 // blocks at either end
#define ROW_X   16
#define ROW_Y   4
#define COL_X   16
#define COL_Y   8

extern "C" __global__ void convolutionRows(float *out, const float *in, int width, int pitch) {
    __shared__ float tile[ROW_Y][(RESULTS + 2 * HALO) * ROW_X];
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    const int x0 = ((int)blockIdx.x * RESULTS - HALO) * ROW_X + tx;
    const int y = (int)blockIdx.y * ROW_Y + ty;
    in += y * pitch + x0;
    out += y * pitch + x0;

#pragma unroll
    for (int i = HALO; i < HALO + RESULTS; i++) tile[ty][tx + i * ROW_X] = in[i * ROW_X];
#pragma unroll
    for (int i = 0; i < HALO; i++)
        tile[ty][tx + i * ROW_X] = x0 >= -i * ROW_X ? in[i * ROW_X] : 0.0f;
#pragma unroll
    for (int i = HALO + RESULTS; i < HALO + RESULTS + HALO; i++)
        tile[ty][tx + i * ROW_X] = width - x0 > i * ROW_X ? in[i * ROW_X] : 0.0f;
    __syncthreads();

#pragma unroll
    for (int i = HALO; i < HALO + RESULTS; i++) {
        float sum = 0.0f;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++)
            sum += taps[RADIUS - j] * tile[ty][tx + i * ROW_X + j];
        out[i * ROW_X] = sum;
    }
}

extern "C" __global__ void convolutionColumns(float *out, const float *in, int height, int pitch) {
    __shared__ float tile[COL_X][(RESULTS + 2 * HALO) * COL_Y + 1];
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    const int x = (int)blockIdx.x * COL_X + tx;
    const int y0 = ((int)blockIdx.y * RESULTS - HALO) * COL_Y + ty;
    in += y0 * pitch + x;
    out += y0 * pitch + x;

#pragma unroll
    for (int i = HALO; i < HALO + RESULTS; i++) tile[tx][ty + i * COL_Y] = in[i * COL_Y * pitch];
#pragma unroll
    for (int i = 0; i < HALO; i++)
        tile[tx][ty + i * COL_Y] = y0 >= -i * COL_Y ? in[i * COL_Y * pitch] : 0.0f;
#pragma unroll
    for (int i = HALO + RESULTS; i < HALO + RESULTS + HALO; i++)
        tile[tx][ty + i * COL_Y] = height - y0 > i * COL_Y ? in[i * COL_Y * pitch] : 0.0f;
    __syncthreads();

#pragma unroll
    for (int i = HALO; i < HALO + RESULTS; i++) {
        float sum = 0.0f;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++)
            sum += taps[RADIUS - j] * tile[tx][ty + i * COL_Y + j];
        out[i * COL_Y * pitch] = sum;
    }
}
