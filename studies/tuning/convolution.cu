// convolution: a filter of 15 x 15 weights over an image of 4096 x 4096, of which each thread computes tile_size_x by
// tile_size_y pixels that lie a block apart. Weights are constants. A block keeps the pixels that it reads in shared memory
// (use_shmem), its rows padded where neighbours of a column would meet in a bank (use_padding).
//
// The parameters and what they mean are those of the kernel that was measured (README.md); the program is written anew.
#include "device.h"

#ifndef use_shmem
#define use_shmem 1
#endif

enum {
    IMAGE = 4096,
    FILTER = 15,
    INPUT = IMAGE + FILTER - 1, // a row of the image with its border
    BX = block_size_x,
    BY = block_size_y,
    WIDE = BX * tile_size_x, // pixels of a block
    HIGH = BY * tile_size_y,
    COLUMNS = WIDE + FILTER - 1, // that it reads
    ROWS = HIGH + FILTER - 1,
    // blocks of whole warps in x have no conflicts; of others the row below begins where the row above ends
    PADDED = use_padding && BX % 32 != 0 && (COLUMNS - BX) % 32 != 0,
    PITCH = COLUMNS + (PADDED ? (32 - (COLUMNS - BX)) & 31 : 0),
    WHOLE = IMAGE % WIDE == 0 && IMAGE % HIGH == 0 // no block reaches over the edge
};

CONSTANT(float, weight[FILTER * FILTER]);

DEVICE_FN float pixel(const float *input, int y, int x) {
#if read_only
    return __ldg(input + y * INPUT + x);
#else
    return input[y * INPUT + x];
#endif
}

extern "C" __global__ void __launch_bounds__(BX * BY) convolution(float *output, const float *input) {
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    const int left = (int)blockIdx.x * WIDE, top = (int)blockIdx.y * HIGH;
#if use_shmem
    __shared__ float tile[ROWS][PITCH];
#pragma unroll
    for (int i = ty; i < ROWS; i += BY)
#pragma unroll
        for (int j = tx; j < COLUMNS; j += BX)
            if (WHOLE || (top + i < INPUT && left + j < INPUT)) tile[i][j] = pixel(input, top + i, left + j);
    __syncthreads();
#endif
    float sum[tile_size_y][tile_size_x];
#pragma unroll
    for (int y = 0; y < tile_size_y; y++)
#pragma unroll
        for (int x = 0; x < tile_size_x; x++) sum[y][x] = 0;
#pragma unroll
    for (int i = 0; i < FILTER; i++)
#pragma unroll
        for (int j = 0; j < FILTER; j++)
#pragma unroll
            for (int y = 0; y < tile_size_y; y++)
#pragma unroll
                for (int x = 0; x < tile_size_x; x++) {
                    const int row = ty + y * BY + i, column = tx + x * BX + j;
#if use_shmem
                    const float p = tile[row][column];
#else
                    // past the edge: behind the image lie rows enough
                    const float p = pixel(input, top + row, left + column);
#endif
                    sum[y][x] += p * weight[i * FILTER + j];
                }
    // clang would move a sum that an edge may discard behind its test, away from the loads, which then all wait in registers
#pragma unroll
    for (int y = 0; y < tile_size_y; y++)
#pragma unroll
        for (int x = 0; x < tile_size_x; x++) asm volatile("" : "+f"(sum[y][x]));
#pragma unroll
    for (int y = 0; y < tile_size_y; y++)
#pragma unroll
        for (int x = 0; x < tile_size_x; x++) {
            const int row = top + ty + y * BY, column = left + tx + x * BX;
            if (WHOLE || (row < IMAGE && column < IMAGE)) output[row * IMAGE + column] = sum[y][x];
        }
}
