// pathfinder, host: the rows below the first, up to PYRAMID of them a launch, between two buffers.
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 256, COST_BOUND = 10 };

static const struct host_param params[] = {
    {"COLS", 1, 1 << 22, "columns of the grid"},
    {"ROWS", 2, 1 << 12, "rows of the grid"},
    {"PYRAMID", 1, 100, "rows a launch"},
};
static const struct host_program program = {"pathfinder", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// From each cell to the three below it: what a cell has is complete when its row is reached.
static void search(const int32_t *wall, int32_t *want, int cols, int rows) {
    int32_t *below = host_memory((size_t)cols, sizeof *below);
    memcpy(want, wall, (size_t)cols * sizeof *want);
    for (int y = 1; y < rows; y++) {
        for (int x = 0; x < cols; x++) below[x] = INT32_MAX;
        for (int x = 0; x < cols; x++) {
            for (int to = x ? x - 1 : 0; to <= x + 1 && to < cols; to++) {
                const int32_t sum = want[x] + wall[(size_t)y * cols + to];
                if (sum < below[to]) below[to] = sum;
            }
        }
        memcpy(want, below, (size_t)cols * sizeof *want);
    }
    free(below);
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int cols = (int)h.arg[0], pyramid = (int)h.arg[2];
    const int rows = (int)h.arg[1];
    const size_t row_bytes = (size_t)cols * sizeof(int32_t);

    int32_t *wall = host_memory((size_t)cols * rows, sizeof *wall);
    int32_t *sums = host_memory((size_t)cols, sizeof *sums);
    int32_t *want = host_memory((size_t)cols, sizeof *want);
    for (size_t i = 0; i < (size_t)cols * rows; i++)
        wall[i] = (int32_t)host_random_below(&h, COST_BOUND);

    CUdeviceptr wall_dev = host_upload(&h, wall, row_bytes * rows);
    CUdeviceptr from = host_upload(&h, wall, row_bytes), to = host_alloc(&h, row_bytes);
    const CUfunction kernel = host_kernel(&h, "pathfinder");
    const unsigned inner = (unsigned)(THREADS - 2 * pyramid);
    const struct dim grid = {((unsigned)cols + inner - 1) / inner};
    for (int row = 1; row < rows; row += pyramid) {
        int steps = rows - row < pyramid ? rows - row : pyramid;
        host_launch(kernel, grid, (struct dim){THREADS}, 0, &wall_dev, &from, &to, &cols, &row,
                    &steps, &pyramid);
        const CUdeviceptr swap = from;
        from = to;
        to = swap;
    }
    host_read(sums, from, row_bytes);
    search(wall, want, cols, rows);
    host_check_int(&h, "cheapest sums", sums, want, (size_t)cols); // integers: exact

    free(wall);
    free(sums);
    free(want);
    return host_close(&h);
}
