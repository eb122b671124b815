// nw: global alignment of two sequences after Needleman and Wunsch, the matrix of scores in tiles
// of 16 x 16. Tiles on an anti-diagonal do not depend on each other, so a launch has one
// anti-diagonal of them: nwGrow up to the longest, nwShrink from there. Within a tile a block of 16
// threads walks the cells' anti-diagonals, a barrier after each.
#include "device.h"

#define TILE 16

DEVICE_FN void align_tile(const int *match, int *score, int cols, int penalty, int bx, int by) {
    __shared__ int cell[TILE + 1][TILE + 1], gain[TILE][TILE];
    const int t = (int)threadIdx.x;
    const int corner = cols * TILE * by + TILE * bx; // above and to the left of the tile's first

    if (t == 0) cell[0][0] = score[corner];
    for (int i = 0; i < TILE; i++) gain[i][t] = match[corner + cols * (i + 1) + t + 1];
    __syncthreads();
    cell[t + 1][0] = score[corner + cols * (t + 1)];
    __syncthreads();
    cell[0][t + 1] = score[corner + t + 1];
    __syncthreads();

    for (int m = 0; m < TILE; m++) {
        if (t <= m) {
            const int x = t + 1, y = m - t + 1;
            cell[y][x] = max(max(cell[y - 1][x - 1] + gain[y - 1][x - 1], cell[y][x - 1] - penalty),
                             cell[y - 1][x] - penalty);
        }
        __syncthreads();
    }
    for (int m = TILE - 2; m >= 0; m--) {
        if (t <= m) {
            const int x = t + TILE - m, y = TILE - t;
            cell[y][x] = max(max(cell[y - 1][x - 1] + gain[y - 1][x - 1], cell[y][x - 1] - penalty),
                             cell[y - 1][x] - penalty);
        }
        __syncthreads();
    }
    for (int i = 0; i < TILE; i++) score[corner + cols * (i + 1) + t + 1] = cell[i + 1][t + 1];
}

// Anti-diagonal number `tiles` - 1: tiles (0, tiles - 1) to (tiles - 1, 0).
extern "C" __global__ void nwGrow(const int *match, int *score, int cols, int penalty, int tiles) {
    const int bx = (int)blockIdx.x;
    align_tile(match, score, cols, penalty, bx, tiles - 1 - bx);
}

// The anti-diagonal of `tiles` tiles in the other half, in a matrix of `width` tiles a side.
extern "C" __global__ void nwShrink(const int *match, int *score, int cols, int penalty, int tiles,
                                    int width) {
    const int bx = (int)blockIdx.x + width - tiles;
    align_tile(match, score, cols, penalty, bx, width - 1 - (int)blockIdx.x);
}
