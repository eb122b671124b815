// stencil, host: ITERATIONS launches between two buffers.
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "sizes.h"

enum { BLOCK_X = 32, BLOCK_Y = 4, TILE_X = 2 * BLOCK_X };

static const struct host_param params[] = {
    {"NX", 3, 1 << 10, "points along x"},
    {"NY", 3, 1 << 10, "points along y"},
    {"NZ", 3, 1 << 10, "points along z"},
    {"ITERATIONS", 1, 1000, "steps"},
};
static const struct host_program program = {"stencil", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// One step as a scatter: each point gives its part to those of its six neighbours that move.
static void step_grid(const double *from, double *to, const int n[3], double c0, double c1) {
    const ptrdiff_t stride[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
    const size_t count = (size_t)n[0] * n[1] * n[2];
    for (size_t i = 0; i < count; i++) to[i] = -c0 * from[i];
    for (size_t i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            const int p = (int)((ptrdiff_t)i / stride[axis] % n[axis]);
            if (p > 0) to[(ptrdiff_t)i - stride[axis]] += c1 * from[i];
            if (p < n[axis] - 1) to[(ptrdiff_t)i + stride[axis]] += c1 * from[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            const int p = (int)((ptrdiff_t)i / stride[axis] % n[axis]);
            if (p == 0 || p == n[axis] - 1) to[i] = from[i];
        }
    }
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int nx = (int)h.arg[0], ny = (int)h.arg[1], nz = (int)h.arg[2];
    const int sides[3] = {nx, ny, nz}, iterations = (int)h.arg[3];
    const size_t count = (size_t)nx * ny * nz, bytes = count * sizeof(float);
    float c0 = 1.0f / 6.0f, c1 = 1.0f / 6.0f / 6.0f;

    float *grid = host_memory(count, sizeof *grid);
    double *want[2] = {host_memory(count, sizeof(double)), host_memory(count, sizeof(double))};
    for (size_t i = 0; i < count; i++) want[0][i] = grid[i] = host_random_float(&h, -1, 1);

    CUdeviceptr from = host_upload(&h, grid, bytes), to = host_upload(&h, grid, bytes);
    const CUfunction kernel = host_kernel(&h, "stencil");
    const struct dim blocks = {((unsigned)nx + TILE_X - 1) / TILE_X,
                               ((unsigned)ny + BLOCK_Y - 1) / BLOCK_Y};
    for (int i = 0; i < iterations; i++) {
        host_launch(kernel, blocks, ((struct dim){BLOCK_X, BLOCK_Y}),
                    TILE_X * BLOCK_Y * sizeof(float), &c0, &c1, &from, &to, &nx, &ny, &nz);
        const CUdeviceptr swap = from;
        from = to;
        to = swap;
    }
    host_read(grid, from, bytes);
    for (int i = 0; i < iterations; i++)
        step_grid(want[i % 2], want[(i + 1) % 2], sides, (double)c0, (double)c1);
    // Values stay below 1 and the weights add up to 1/3, so errors shrink from step to step: seven
    // roundings of numbers below 6, weighed, are under 2^-22.
    host_check_float(&h, "grid", grid, want[iterations % 2], count, 0, 0x1p-22);

    free(grid);
    free(want[0]);
    free(want[1]);
    return host_close(&h);
}
