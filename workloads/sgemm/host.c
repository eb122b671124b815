// sgemm, host: one launch.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { TILE_N = 16, TILE_K = 8, TILE_M = TILE_N * TILE_K };

static const struct host_param params[] = {
    {"M", TILE_M, 1 << 13, "rows of A, a multiple of 128"},
    {"N", TILE_N, 1 << 13, "columns of C, a multiple of 16"},
    {"K", TILE_K, 1 << 13, "columns of A, a multiple of 8"},
};
static const struct host_program program = {"sgemm", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int m = (int)h.arg[0], n = (int)h.arg[1], k = (int)h.arg[2];
    host_require(&h, m % TILE_M == 0 && n % TILE_N == 0 && k % TILE_K == 0,
                 "M must be a multiple of %d, N of %d, K of %d.", TILE_M, TILE_N, TILE_K);
    const size_t rows = (size_t)m, cols = (size_t)n, inner = (size_t)k;
    float alpha = 1.5f, beta = 0.5f;

    float *a = host_memory(rows * inner, sizeof *a), *b = host_memory(cols * inner, sizeof *b);
    float *c = host_memory(rows * cols, sizeof *c);
    double *want = host_memory(rows * cols, sizeof *want);
    for (size_t i = 0; i < rows * inner; i++) a[i] = host_random_float(&h, -1, 1);
    for (size_t i = 0; i < cols * inner; i++) b[i] = host_random_float(&h, -1, 1);
    for (size_t i = 0; i < rows * cols; i++) c[i] = host_random_float(&h, -1, 1);

    CUdeviceptr a_dev = host_upload(&h, a, rows * inner * sizeof *a);
    CUdeviceptr b_dev = host_upload(&h, b, cols * inner * sizeof *b);
    CUdeviceptr c_dev = host_upload(&h, c, rows * cols * sizeof *c);
    host_launch(
        host_kernel(&h, "sgemm"), ((struct dim){(unsigned)m / TILE_M, (unsigned)n / TILE_N}),
        ((struct dim){TILE_N, TILE_K}), 0, &a_dev, &m, &b_dev, &n, &c_dev, &m, &k, &alpha, &beta);

    // As a sum of outer products, one for each column of A.
    for (size_t i = 0; i < rows * cols; i++) want[i] = beta * (double)c[i];
    for (size_t p = 0; p < inner; p++)
        for (size_t j = 0; j < cols; j++)
            for (size_t i = 0; i < rows; i++)
                want[j * rows + i] += alpha * (double)a[p * rows + i] * b[p * cols + j];
    host_read(c, c_dev, rows * cols * sizeof *c);
    // A sum of K numbers of deviation 1/3: within 2 sqrt(K) but for one partial sum in 10^8, so a
    // rounding is at most 2^-24 of that, alpha of K roundings, and the last two.
    const double size = 2 * sqrt((double)k) + 2;
    host_check_float(&h, "C", c, want, rows * cols, 0, (1.5 * k + 2) * size * 0x1p-24);

    free(a);
    free(b);
    free(c);
    free(want);
    return host_close(&h);
}
