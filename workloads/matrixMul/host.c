// matrixMul, host: the same product CALLS times, as the sample does to measure it.
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { TILE = 16 };

static const struct host_param params[] = {
    {"ROWS", TILE, 1 << 14, "rows of A and C, a multiple of 16"},
    {"INNER", TILE, 1 << 14, "columns of A and rows of B, a multiple of 16"},
    {"COLS", TILE, 1 << 14, "columns of B and C, a multiple of 16"},
    {"CALLS", 1, 1000, "launches"},
    {"DATA", 0, 4, "0 random, 1 zeros, 2 half zeros, 3 sorted, 4 one value", .optional = 1},
};
static const struct host_program program = {"matrixMul", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// Row by row of A, adding multiples of rows of B, in double.
static void multiply(const float *a, const float *b, double *c, int rows, int inner, int cols) {
    for (int r = 0; r < rows; r++) {
        double *out = c + (size_t)r * cols;
        for (int k = 0; k < inner; k++) {
            const double factor = a[(size_t)r * inner + k];
            const float *from = b + (size_t)k * cols;
            for (int j = 0; j < cols; j++) out[j] += factor * from[j];
        }
    }
}

enum data { DATA_RANDOM, DATA_ZEROS, DATA_SPARSE, DATA_SORTED, DATA_SAME };

static int ascending(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void fill(struct host *h, float *x, size_t n, enum data data) {
    for (size_t i = 0; i < n; i++) x[i] = host_random_float(h, 0, 1);
    for (size_t i = 0; i < n; i++) {
        if (data == DATA_ZEROS) x[i] = 0;
        if (data == DATA_SAME) x[i] = x[0];
        if (data == DATA_SPARSE && host_random_float(h, 0, 1) < 0.5f) x[i] = 0;
    }
    if (data == DATA_SORTED) qsort(x, n, sizeof *x, ascending);
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int rows = (int)h.arg[0], inner = (int)h.arg[1], cols = (int)h.arg[2];
    host_require(&h, rows % TILE == 0 && inner % TILE == 0 && cols % TILE == 0,
                 "ROWS, INNER and COLS must be multiples of %d.", TILE);
    const size_t a_count = (size_t)rows * inner, b_count = (size_t)inner * cols,
                 c_count = (size_t)rows * cols;

    float *a = host_memory(a_count, sizeof *a);
    float *b = host_memory(b_count, sizeof *b);
    float *c = host_memory(c_count, sizeof *c);
    double *want = host_memory(c_count, sizeof *want);
    fill(&h, a, a_count, (enum data)h.arg[4]);
    fill(&h, b, b_count, (enum data)h.arg[4]);

    CUdeviceptr a_dev = host_upload(&h, a, a_count * sizeof *a);
    CUdeviceptr b_dev = host_upload(&h, b, b_count * sizeof *b);
    CUdeviceptr c_dev = host_alloc(&h, c_count * sizeof *c);
    const CUfunction kernel = host_kernel(&h, "matrixMul");
    const struct dim grid = {(unsigned)cols / TILE, (unsigned)rows / TILE};
    for (int64_t call = 0; call < h.arg[3]; call++)
        host_launch(kernel, grid, ((struct dim){TILE, TILE}), 0, &a_dev, &b_dev, &c_dev, &inner,
                    &cols);
    host_read(c, c_dev, c_count * sizeof *c);

    // A sum of n products of positive numbers, one rounding an addition and at most one a product,
    // is off by less than (n + 1) 2^-24 of itself.
    multiply(a, b, want, rows, inner, cols);
    host_check_float(&h, "C", c, want, c_count, (inner + 1) * 0x1p-24, 0);

    free(a);
    free(b);
    free(c);
    free(want);
    return host_close(&h);
}
