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
    {"BYTES", 4, 8, "of an element: 8, double precision, or 4, single"},
    {"APART", 0, 8192, "rows from where a block begins to where the next one does; 0: ELEMENTS", 1},
};
static const struct host_program program = {"roofline", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};
static const int counts[] = {0, 1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 128, 256, 512};

// Values stay finite however often they are multiplied: every factor is below one. All are exact in
// single precision.
static double value(size_t i, size_t period) { return 0.25 + (double)(i % period) / 4096; }

// The sum of a block's first thread. The kernel's is added in another order for single precision's
// sake only by rounding.
static double sum_of(unsigned block, int elements, int64_t fma_count, size_t bytes) {
    double sum = 0;
    for (int i = 0; i < elements; i++) {
        const size_t at = ((size_t)block * (size_t)elements + (size_t)i) * ROW;
        const double a = value(at, 1013), b = value(at, 769);
        double v = a - b;
        for (int64_t j = 0; j < fma_count; j++)
            v = bytes == 4 ? (double)fmaf((float)v, (float)a, -(float)b) : fma(v, a, -b);
        sum += v;
    }
    return sum;
}

// An array on the device, of either precision: what each block reads, n values, begins `apart` values behind
// the stretch of the block before. What no block reads stays as it is.
static CUdeviceptr upload(struct host *h, unsigned blocks, size_t n, size_t apart, size_t period, size_t bytes) {
    void *stretch = host_memory(n, bytes);
    const CUdeviceptr there = host_alloc(h, ((blocks - 1) * apart + n) * bytes);
    for (unsigned k = 0; k < blocks; k++) {
        for (size_t i = 0; i < n; i++) {
            if (bytes == 4) ((float *)stretch)[i] = (float)value(k * n + i, period);
            else ((double *)stretch)[i] = value(k * n + i, period);
        }
        host_write(there + k * apart * bytes, stretch, n * bytes);
    }
    free(stretch);
    return there;
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const int64_t fma_count = h.arg[0];
    const unsigned blocks = (unsigned)h.arg[1];
    const int elements = (int)h.arg[2];
    const size_t bytes = (size_t)h.arg[4];
    bool there = false;
    for (size_t i = 0; i < HOST_COUNT(counts); i++) there |= counts[i] == fma_count;
    host_require(&h, there, "FMA %lld has no kernel: 0, 1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 128, 256, 512",
                 (long long)fma_count);
    host_require(&h, elements % 2 == 0, "ELEMENTS %d is odd", elements);
    host_require(&h, bytes == 4 || bytes == 8, "BYTES %d is neither 4 nor 8", (int)bytes);

    const int apart = h.arg[5] ? (int)h.arg[5] : elements;
    host_require(&h, apart >= elements, "APART %d is less than ELEMENTS %d: blocks would read the same rows", apart, elements);

    const size_t n = (size_t)ROW * (size_t)elements, stretch = (size_t)ROW * (size_t)apart;
    const CUdeviceptr da = upload(&h, blocks, n, stretch, 1013, bytes), db = upload(&h, blocks, n, stretch, 769, bytes),
                      out = host_alloc(&h, blocks * bytes);
    char name[32];
    snprintf(name, sizeof name, "%s%d", bytes == 4 ? "single" : "roofline", (int)fma_count);
    const CUfunction f = host_kernel(&h, name);
    for (int64_t i = 0; i < h.arg[3]; i++)
        host_launch(f, (struct dim){blocks}, (struct dim){ROW}, 0, (void *)&da, (void *)&db,
                    (void *)&out, (void *)&elements, (void *)&apart);

    void *got = host_memory(blocks, bytes);
    host_read(got, out, blocks * bytes);
    double worst = 0;
    for (unsigned k = 0; k < blocks; k++) {
        const double sum = sum_of(k, elements, fma_count, bytes);
        const double ours = bytes == 4 ? (double)((float *)got)[k] : ((double *)got)[k];
        worst = fmax(worst, fabs(ours - sum) / fmax(fabs(sum), 1e-3));
    }
    host_check_that(&h, worst < (bytes == 4 ? 1e-3 : 1e-12), "a block's sum is off by %g of itself", worst);
    free(got);
    return host_close(&h);
}
