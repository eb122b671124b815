// scalarProd, host: one launch, at most 128 blocks of 256 threads.
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { BLOCKS = 128, THREADS = 256 };

static const struct host_param params[] = {
    {"PAIRS", 1, 1 << 16, "pairs of vectors"},
    {"ELEMENTS", 1, 1 << 20, "elements of a vector"},
};
static const struct host_program program = {"scalarProd", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int pairs = (int)h.arg[0], elements = (int)h.arg[1];
    const size_t count = (size_t)pairs * elements;
    host_require(&h, count < (size_t)1 << 31, "PAIRS * ELEMENTS must stay below 2^31.");

    float *a = host_memory(count, sizeof *a);
    float *b = host_memory(count, sizeof *b);
    float *out = host_memory((size_t)pairs, sizeof *out);
    double *want = host_memory((size_t)pairs, sizeof *want);
    for (size_t i = 0; i < count; i++) {
        a[i] = host_random_float(&h, 0, 1);
        b[i] = host_random_float(&h, 0, 1);
    }

    CUdeviceptr a_dev = host_upload(&h, a, count * sizeof *a);
    CUdeviceptr b_dev = host_upload(&h, b, count * sizeof *b);
    CUdeviceptr out_dev = host_alloc(&h, (size_t)pairs * sizeof *out);
    const struct dim grid = {pairs < BLOCKS ? (unsigned)pairs : BLOCKS};
    host_launch(host_kernel(&h, "scalarProd"), grid, (struct dim){THREADS}, 0, &out_dev, &a_dev,
                &b_dev, &pairs, &elements);
    host_read(out, out_dev, (size_t)pairs * sizeof *out);

    for (int p = 0; p < pairs; p++)
        for (size_t i = (size_t)p * elements; i < ((size_t)p + 1) * elements; i++)
            want[p] += (double)a[i] * (double)b[i];
    // Positive terms: an element meets elements / 1024 additions in its partial sum, one product
    // and ten folds, each off by at most 2^-24 of the sum.
    const double roundings = elements / 1024 + 1 + 1 + 10;
    host_check_float(&h, "products", out, want, (size_t)pairs, roundings * 0x1p-24, 0);

    free(a);
    free(b);
    free(out);
    free(want);
    return host_close(&h);
}
