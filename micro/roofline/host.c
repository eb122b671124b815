// roofline, host: LAUNCHES of the kernel with FMA multiply-adds an element, BLOCKS of 256 threads.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { ROW = 256 };

static const struct host_param params[] = {
    {"FMA", 0, 512, "multiply-adds an element: 0, 1, 2, 4, a multiple of 8 to 64 but 72 and 88 on, 80, 96, 128, 256 or 512"},
    {"BLOCKS", 1, 65535, "of 256 threads; eight an SM fill a chip of 2048 threads an SM"},
    {"ELEMENTS", 2, 8192, "that a thread reads of each of two arrays; even"},
    {"LAUNCHES", 1, 1 << 20, "one behind the other"},
};
static const struct host_program program = {"roofline", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};
static const int counts[] = {0, 1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 128, 256, 512};

// Values stay finite however often they are multiplied: every factor is below one.
static double value(size_t i, size_t period) { return 0.25 + (double)(i % period) / 4096; }

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const int64_t fma_count = h.arg[0];
    const unsigned blocks = (unsigned)h.arg[1];
    const int elements = (int)h.arg[2];
    bool there = false;
    for (size_t i = 0; i < HOST_COUNT(counts); i++) there |= counts[i] == fma_count;
    host_require(&h, there, "FMA %lld has no kernel: 0, 1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 128, 256, 512",
                 (long long)fma_count);
    host_require(&h, elements % 2 == 0, "ELEMENTS %d is odd", elements);

    const size_t n = (size_t)blocks * ROW * (size_t)elements;
    double *a = host_memory(n, sizeof *a), *b = host_memory(n, sizeof *b);
    for (size_t i = 0; i < n; i++) a[i] = value(i, 1013), b[i] = value(i, 769);
    const CUdeviceptr da = host_upload(&h, a, n * sizeof *a), db = host_upload(&h, b, n * sizeof *b),
                      out = host_alloc(&h, blocks * sizeof *a);
    char name[32];
    snprintf(name, sizeof name, "roofline%d", (int)fma_count);
    const CUfunction f = host_kernel(&h, name);
    for (int64_t i = 0; i < h.arg[3]; i++)
        host_launch(f, (struct dim){blocks}, (struct dim){ROW}, 0, (void *)&da, (void *)&db,
                    (void *)&out, (void *)&elements);

    double *got = host_memory(blocks, sizeof *got);
    host_read(got, out, blocks * sizeof *got);
    double worst = 0;
    for (unsigned k = 0; k < blocks; k++) {
        double sum = 0;
        for (int i = 0; i < elements; i++) {
            const size_t at = ((size_t)k * (size_t)elements + (size_t)i) * ROW;
            double v = a[at] - b[at];
            for (int64_t j = 0; j < fma_count; j++) v = fma(v, a[at], -b[at]);
            sum += v;
        }
        worst = fmax(worst, fabs(got[k] - sum) / fmax(fabs(sum), 1e-3));
    }
    host_check_that(&h, worst < 1e-12, "a block's sum is off by %g of itself", worst);
    free(a), free(b), free(got);
    return host_close(&h);
}
