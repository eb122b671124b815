// cutlass-like, host: one launch, a block for each tile.
#include <stdlib.h>

#include "gemm.h"
#include "sizes.h"

enum { TILE = 128, CHUNK = 32, THREADS = 256, MOST = 4 };

static const struct host_param params[] = {
    {"M", TILE, 1 << 13, "rows of A, a multiple of 128"},
    {"N", 1, 1 << 13, "columns of B"},
    {"K", CHUNK, 1 << 13, "columns of A, a multiple of 32"},
};
static const struct host_program program = {"cutlass-like",         params,
                                            HOST_COUNT(params),     host_sizes,
                                            HOST_COUNT(host_sizes), .only_volta = true};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int m = (int)h.arg[0], n = (int)h.arg[1], k = (int)h.arg[2];
    host_require(&h, m % TILE == 0 && k % CHUNK == 0, "M must be a multiple of %d, K of %d.", TILE,
                 CHUNK);
    const size_t rows = (size_t)m, columns = (size_t)n, depth = (size_t)k;
    uint16_t *a = gemm_random(&h, rows * depth, MOST), *b = gemm_random(&h, columns * depth, MOST);
    float *c = host_memory(rows * columns, sizeof *c);
    CUdeviceptr a_dev = host_upload(&h, a, rows * depth * sizeof *a);
    CUdeviceptr b_dev = host_upload(&h, b, columns * depth * sizeof *b);
    CUdeviceptr c_dev = host_alloc(&h, rows * columns * sizeof *c);
    const struct dim grid = {(unsigned)m / TILE, ((unsigned)n + TILE - 1) / TILE};
    host_launch(host_kernel(&h, "gemmColumns"), grid, (struct dim){THREADS}, 0, &a_dev, &b_dev,
                &c_dev, &m, &n, &k);
    host_read(c, c_dev, rows * columns * sizeof *c);
    gemm_check(&h, &(struct gemm_matrix){rows, depth, true, a, NULL},
               &(struct gemm_matrix){depth, columns, true, b, NULL}, NULL,
               &(struct gemm_matrix){rows, columns, true, NULL, c}, 1, 0);
    free(a);
    free(b);
    free(c);
    return host_close(&h);
}
