// cutlass-like: C = A B on tensor cores, halves in, floats out, all three by columns (nn), as a
// library of templates composes such kernels: a block of eight warps makes one tile of 128 x 128,
// each warp a part of 64 x 32. The tiles of A and of B, 32 deep, lie in shared memory as they do in
// memory, by columns, with a pitch that keeps columns in different banks. While a chunk is
// multiplied, the next one is on its way into registers.
//
// Rows and depth fit the tiles; columns beyond the edge of B are zeroes and are not written. A tile
// that is whole goes from the sums straight to memory, any other through shared memory.
#include "device.h"

#define M       16 // of one product, in all three directions
#define WARPS   8
#define TILE    128 // rows and columns of a block's tile
#define ROWS    4   // products of a warp: rows,
#define COLUMNS 2   // and columns
#define CHUNK   32  // depth of what is staged at once
#define VECTOR  8   // halves in 16 bytes
#define PITCH_A (TILE + 16)
#define PITCH_B (CHUNK + 16)
#define EACH    (TILE * CHUNK / VECTOR / (32 * WARPS)) // vectors of either that a thread brings

// Both tiles; at the end, sixteen columns of C in floats.
#define SHARED_VECTORS ((CHUNK * PITCH_A + TILE * PITCH_B) / VECTOR)

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    gemmColumns(const bytes16 *a, const bytes16 *b, float *c, int m, int n, int k) {
    __shared__ bytes16 staged[SHARED_VECTORS];
    uint16_t *const left = (uint16_t *)staged, *const right = left + CHUNK * PITCH_A;
    const int t = (int)threadIdx.x, warp = t / 32;
    const int row = warp % 2 * ROWS * M,
              column = warp / 2 * COLUMNS * M; // of the warp, in the tile
    const uint16_t *const a_part = left + row, *const b_part = right + column * PITCH_B;
    const int i0 = (int)blockIdx.x * TILE, j0 = (int)blockIdx.y * TILE;

    // A thread's vectors: of A 16 side by side are a column, of B four.
    const int a_row = t % (TILE / VECTOR), a_column = t / (TILE / VECTOR);
    const int b_row = t % (CHUNK / VECTOR), b_column = t / (CHUNK / VECTOR);
    const bytes16 *a_from = a + (a_column * m + i0) / VECTOR + a_row;
    const bytes16 *b_from = b + (j0 + b_column) * (k / VECTOR) + b_row;
    bytes16 *const a_to = staged + a_column * (PITCH_A / VECTOR) + a_row;
    bytes16 *const b_to = staged + (CHUNK * PITCH_A + b_column * PITCH_B) / VECTOR + b_row;
    const int a_step = 32 * WARPS / (TILE / VECTOR),
              b_step = 32 * WARPS / (CHUNK / VECTOR); // columns

    bytes16 a_next[EACH], b_next[EACH];
    bool inside[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        inside[e] = j0 + b_column + e * b_step < n;
        a_next[e] = *(a_from + e * a_step * m / VECTOR);
        b_next[e] = bytes16{0, 0, 0, 0};
        if (inside[e]) b_next[e] = *(b_from + e * b_step * (k / VECTOR));
    }
    wmma_float sum[ROWS][COLUMNS];
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) {
#pragma unroll
            for (int w = 0; w < 8; w++) sum[i][j].word[w] = 0.0f;
        }
    }

#pragma unroll 1
    for (int done = 0; done < k; done += CHUNK) {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            a_to[e * a_step * (PITCH_A / VECTOR)] = a_next[e];
            b_to[e * b_step * (PITCH_B / VECTOR)] = b_next[e];
        }
        __syncthreads();
        if (done + CHUNK < k) {
            a_from += CHUNK * m / VECTOR;
            b_from += CHUNK / VECTOR;
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                a_next[e] = *(a_from + e * a_step * m / VECTOR);
                if (inside[e]) b_next[e] = *(b_from + e * b_step * (k / VECTOR));
            }
        }
#pragma unroll
        for (int step = 0; step < CHUNK; step += M) {
            wmma_half wing[ROWS], other[COLUMNS];
#pragma unroll
            for (int j = 0; j < COLUMNS; j++)
                wmma_load_b_col(other[j], b_part, j * M * PITCH_B + step, PITCH_B);
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                wmma_load_a_col(wing[i], a_part, step * PITCH_A + i * M, PITCH_A);
#pragma unroll
                for (int j = 0; j < COLUMNS; j++) wmma_col_col(sum[i][j], wing[i], other[j]);
            }
        }
        __syncthreads();
    }

    if (j0 + TILE <= n) {
#pragma unroll
        for (int i = 0; i < ROWS; i++) {
#pragma unroll
            for (int j = 0; j < COLUMNS; j++)
                wmma_store_global_col(c + (j0 + column + j * M) * m + i0 + row + i * M, sum[i][j],
                                      m);
        }
        return;
    }
    // Sixteen columns at a time, which two warps have, through shared memory.
    float *const floats = (float *)staged;
#pragma unroll
    for (int j = 0; j < TILE / M; j++) {
        if (j0 + j * M >= n) break;
        if (column / M == j / COLUMNS * COLUMNS) {
#pragma unroll
            for (int i = 0; i < ROWS; i++)
                wmma_store_col(floats + row + i * M, sum[i][j % COLUMNS], TILE);
        }
        __syncthreads();
#pragma unroll
        for (int at = 0; at < TILE * M; at += 32 * WARPS) {
            const int to = j0 + j * M + (at + t) / TILE;
            if (to < n) c[to * m + i0 + t % TILE] = floats[at + t];
        }
        __syncthreads();
    }
}
