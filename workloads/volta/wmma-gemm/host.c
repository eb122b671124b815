// wmma-gemm, host: one launch, a block for each multiprocessor, as the sample has it.
#include <stdlib.h>

#include "gemm.h"
#include "sizes.h"

enum { TILE = 128, CHUNK = 64, PITCH = CHUNK + 16, THREADS = 256, MOST = 2 };

static const struct host_param params[] = {
    {"M", TILE, 1 << 13, "rows of A, a multiple of 128"},
    {"N", TILE, 1 << 13, "columns of B, a multiple of 128"},
    {"K", CHUNK, 1 << 13, "columns of A, a multiple of 64"},
};
static const struct host_program program = {
    "wmma-gemm",       params, HOST_COUNT(params), host_sizes, HOST_COUNT(host_sizes),
    .only_volta = true};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int m = (int)h.arg[0], n = (int)h.arg[1], k = (int)h.arg[2];
    host_require(&h, m % TILE == 0 && n % TILE == 0 && k % CHUNK == 0,
                 "M and N must be multiples of %d, K of %d.", TILE, CHUNK);
    const size_t rows = (size_t)m, columns = (size_t)n, depth = (size_t)k;
    float alpha = 2, beta = 3; // so that beta / alpha is exact

    uint16_t *a = gemm_random(&h, rows * depth, MOST), *b = gemm_random(&h, columns * depth, MOST);
    float *c = host_memory(rows * columns, sizeof *c), *d = host_memory(rows * columns, sizeof *d);
    for (size_t i = 0; i < rows * columns; i++) c[i] = (float)host_random_below(&h, 16);
    CUdeviceptr a_dev = host_upload(&h, a, rows * depth * sizeof *a);
    CUdeviceptr b_dev = host_upload(&h, b, columns * depth * sizeof *b);
    CUdeviceptr c_dev = host_upload(&h, c, rows * columns * sizeof *c);
    CUdeviceptr d_dev = host_alloc(&h, rows * columns * sizeof *d);

    // The tile of floats, or a chunk of A and of B in halves, whichever is larger: 64 KB.
    const unsigned tile = TILE * TILE * sizeof(float), chunk = 2 * TILE * PITCH * sizeof(uint16_t);
    const unsigned shared = tile > chunk ? tile : chunk;
    const CUfunction kernel = host_kernel(&h, "wmmaGemm");
    CHECK(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared));
    CUdevice device;
    int blocks;
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGetAttribute(&blocks, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
    host_launch(kernel, (struct dim){(unsigned)blocks}, (struct dim){THREADS}, shared, &a_dev,
                &b_dev, &c_dev, &d_dev, &m, &n, &k, &alpha, &beta);
    host_read(d, d_dev, rows * columns * sizeof *d);

    gemm_check(&h, &(struct gemm_matrix){rows, depth, false, a, NULL},
               &(struct gemm_matrix){depth, columns, true, b, NULL},
               &(struct gemm_matrix){rows, columns, false, NULL, c},
               &(struct gemm_matrix){rows, columns, false, NULL, d}, (int64_t)alpha, (int64_t)beta);
    free(a);
    free(b);
    free(c);
    free(d);
    return host_close(&h);
}
