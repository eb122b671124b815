// pathfinder: the cheapest way down a grid of costs, a step down going to the same column or one
// beside it, row by row. A block of 256 threads keeps a row of sums in shared memory and advances
// it `steps` <= border rows; at either end one more thread a row has a neighbour missing and falls
// idle, so blocks overlap by 2 * border columns (ghost zones). At the grid's own edges the missing
// neighbour is the cell itself.
#include "device.h"

#define THREADS 256

extern "C" __global__ void pathfinder(const int *wall, const int *from, int *to, int cols,
                                      int first_row, int steps, int border) {
    __shared__ int sums[THREADS], next[THREADS];
    const int t = (int)threadIdx.x;
    const int x0 = (int)blockIdx.x * (THREADS - 2 * border) - border;
    const int x = x0 + t;

    const int left = max(0, -x0), right = min(THREADS, cols - x0) - 1;
    const int west = max(t - 1, left), east = min(t + 1, right);
    const bool in_grid = t >= left && t <= right;
    if (in_grid) sums[t] = from[x];
    __syncthreads();

    bool computed = false;
    for (int s = 0; s < steps; s++) {
        computed = in_grid && t > s && t < THREADS - 1 - s;
        if (computed)
            next[t] = min(min(sums[west], sums[t]), sums[east]) + wall[cols * (first_row + s) + x];
        __syncthreads();
        if (s == steps - 1) break;
        if (computed) sums[t] = next[t];
        __syncthreads();
    }
    if (computed && t >= border && t < THREADS - border) to[x] = next[t];
}
