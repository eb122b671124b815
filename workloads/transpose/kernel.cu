// transpose: out[x][y] = in[y][x] for a matrix of `rows` rows and `cols` columns, four ways, each
// curing a fault of the one before. Blocks are 16 x 16, the width of a memory segment of the first
// machines. Numbers are those of the host's VARIANT argument:
//   0 transpose            through a shared tile padded to 17 columns: reads and writes in rows, no
//                          bank conflicts
//   1 transposeNaive       straight: writes go down a column, one segment each
//   2 transposeCoalesced   through an unpadded tile: a column of it is in one or two banks
//   3 transposeDiagonal    as 0, with blocks numbered along diagonals, so that blocks that run at
//                          the same time write to different memory partitions
#include "device.h"

#define TILE 16

extern "C" __global__ void transposeNaive(float *out, const float *in, int cols, int rows) {
    const int x = (int)(blockIdx.x * TILE + threadIdx.x);
    const int y = (int)(blockIdx.y * TILE + threadIdx.y);
    if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
}

// The block at (bx, by) through a tile whose rows are `PITCH` words apart.
template <int PITCH>
DEVICE_FN void move_tile(float *out, const float *in, int cols, int rows, int bx, int by) {
    __shared__ float tile[TILE][PITCH];
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    const int in_x = bx * TILE + tx, in_y = by * TILE + ty;
    if (in_x < cols && in_y < rows) tile[ty][tx] = in[in_y * cols + in_x];
    __syncthreads();
    const int out_x = by * TILE + tx, out_y = bx * TILE + ty;
    if (out_x < rows && out_y < cols) out[out_y * rows + out_x] = tile[tx][ty];
}

extern "C" __global__ void transposeCoalesced(float *out, const float *in, int cols, int rows) {
    move_tile<TILE>(out, in, cols, rows, (int)blockIdx.x, (int)blockIdx.y);
}

extern "C" __global__ void transpose(float *out, const float *in, int cols, int rows) {
    move_tile<TILE + 1>(out, in, cols, rows, (int)blockIdx.x, (int)blockIdx.y);
}

extern "C" __global__ void transposeDiagonal(float *out, const float *in, int cols, int rows) {
    unsigned by = blockIdx.x, bx = blockIdx.x + blockIdx.y;
    if (gridDim.x == gridDim.y) { // no division, which the first machines have in software
        if (bx >= gridDim.x) bx -= gridDim.x;
    } else {
        const unsigned linear = blockIdx.y * gridDim.x + blockIdx.x;
        by = linear % gridDim.y;
        bx = (linear / gridDim.y + by) % gridDim.x;
    }
    move_tile<TILE + 1>(out, in, cols, rows, (int)bx, (int)by);
}
