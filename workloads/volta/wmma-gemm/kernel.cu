// wmma-gemm: D = alpha A B + beta C on tensor cores, in the way of the sample cudaTensorCoreGemm: A
// by rows and B by columns in halves, C and D by rows in floats.
//
// A block of eight warps makes tiles of 128 x 128, one after the other, as many blocks as the grid
// has from one tile to its next. The tile's part of C comes through shared memory into the warps'
// sums. Then, for each chunk of 64 columns of A and rows of B, four warps bring 128 rows of A into
// shared memory and four 128 columns of B, 16 bytes a lane, and each warp multiplies: two by four
// products of 16 x 16, in four steps of depth 16. A row of a chunk is 16 halves longer in shared
// memory than it has to be, so that rows begin in different banks. The sums leave through shared
// memory, too, so that lines of D are written whole.
//
// The sums hold C times beta / alpha until the end, when all is multiplied by alpha.
#include "device.h"

#define M          16 // of one product, in all three directions
#define WARPS      8
#define TILE       128 // rows and columns of a block's tile
#define ROWS       2   // products of a warp: rows,
#define COLUMNS    4   // and columns
#define CHUNK      64  // depth of what is staged at once
#define PITCH      (CHUNK + 16)
#define VECTOR     8 // halves in 16 bytes
#define ROW_LANES  (CHUNK / VECTOR)
#define COPY_ROWS  (32 / ROW_LANES) // rows that a warp copies at once
#define WARP_LINES (TILE / WARPS)   // of C and D, that a warp copies

DYNAMIC_SHARED(bytes16, staged);

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    wmmaGemm(const bytes16 *a, const bytes16 *b, const bytes16 *c, bytes16 *d, int m, int n, int k,
             float alpha, float beta) {
    uint16_t *halves = (uint16_t *)staged;
    float *floats = (float *)staged;
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    const int row = warp / 2 * ROWS * M,
              column = warp % 2 * COLUMNS * M; // of the warp, in the tile
    const uint16_t *const a_part = halves + row * PITCH, *const b_part =
                                                             halves + (TILE + column) * PITCH;
    const int across = n / TILE, tiles = m / TILE * across;
    const int depth = k / VECTOR, width = n / 4; // of a row, in 16 bytes
    const float ratio = beta / alpha;

    // The lane's place when it copies: the first four warps are A's, the others B's.
    const int line = warp % (WARPS / 2) * (TILE / (WARPS / 2)) + lane / ROW_LANES;
    bytes16 *const to =
        staged + ((warp < WARPS / 2 ? 0 : TILE) + line) * (PITCH / VECTOR) + lane % ROW_LANES;

    for (int tile = (int)blockIdx.x; tile < tiles; tile += (int)gridDim.x) {
        const int i0 = tile / across * TILE, j0 = tile % across * TILE;
        const int at = (i0 + warp * WARP_LINES) * width + j0 / 4 + lane;
        bytes16 *const part = staged + warp * WARP_LINES * (TILE / 4) + lane;
#pragma unroll
        for (int i = 0; i < WARP_LINES; i++) part[i * (TILE / 4)] = c[at + i * width];
        __syncthreads();
        wmma_float sum[ROWS][COLUMNS];
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
#pragma unroll
            for (int j = 0; j < COLUMNS; j++) {
                wmma_load_c_row(sum[i][j], floats + (row + i * M) * TILE + column + j * M, TILE);
#pragma unroll
                for (int w = 0; w < 8; w++) sum[i][j].word[w] *= ratio;
            }
        }
        __syncthreads();

        const bytes16 *from =
            (warp < WARPS / 2 ? a + i0 * depth : b + j0 * depth) + line * depth + lane % ROW_LANES;
#pragma unroll 1
        for (int chunk = 0; chunk < k / CHUNK; chunk++, from += ROW_LANES) {
#pragma unroll
            for (int i = 0; i < 2 * TILE / (WARPS * COPY_ROWS); i++)
                to[i * COPY_ROWS * (PITCH / VECTOR)] = from[i * COPY_ROWS * depth];
            __syncthreads();
#pragma unroll
            for (int step = 0; step < CHUNK; step += M) {
                wmma_half left[ROWS], right[COLUMNS];
#pragma unroll
                for (int i = 0; i < ROWS; i++) {
                    wmma_load_a_row(left[i], a_part, i * M * PITCH + step, PITCH);
#pragma unroll
                    for (int j = 0; j < COLUMNS; j++) {
                        if (i == 0) wmma_load_b_col(right[j], b_part, j * M * PITCH + step, PITCH);
                        wmma_row_col(sum[i][j], left[i], right[j]);
                    }
                }
            }
            __syncthreads();
        }

#pragma unroll
        for (int i = 0; i < ROWS; i++) {
#pragma unroll
            for (int j = 0; j < COLUMNS; j++) {
#pragma unroll
                for (int w = 0; w < 8; w++) sum[i][j].word[w] *= alpha;
                wmma_store_row(floats + (row + i * M) * TILE + column + j * M, sum[i][j], TILE);
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < WARP_LINES; i++) d[at + i * width] = part[i * (TILE / 4)];
        __syncthreads();
    }
}
