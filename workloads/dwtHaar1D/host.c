// dwtHaar1D, host: launches until one sum is left, the blocks' sums being the next one's signal.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { MAX_THREADS = 512, MAX_LEVELS = 10, BANKS = 16 };

static const struct host_param params[] = {
    {"ELEMENTS", 2, 1 << 24, "elements of the signal, a power of two"},
};
static const struct host_program program = {"dwtHaar1D", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    unsigned n = (unsigned)h.arg[0];
    host_require(&h, !(n & (n - 1)), "ELEMENTS must be a power of two.");
    const size_t count = n, bytes = count * sizeof(float);

    float *signal = host_memory(count, sizeof *signal);
    for (size_t i = 0; i < count; i++) // a wave under noise
        signal[i] = sinf((float)i * 0.01f) + host_random_float(&h, -0.5f, 0.5f);

    CUdeviceptr from = host_upload(&h, signal, bytes), sums = host_alloc(&h, bytes);
    CUdeviceptr out = host_alloc(&h, bytes);
    const unsigned init_threads = n < MAX_THREADS ? n : MAX_THREADS;
    float zero = 0;
    host_launch(host_kernel(&h, "initValue"), (struct dim){n / init_threads},
                (struct dim){init_threads}, 0, &out, &zero, &n);
    const CUfunction kernel = host_kernel(&h, "dwtHaar1D");
    unsigned left = n;
    while (left > 1) {
        unsigned half = left / 2, levels = 1;
        const unsigned threads = half < MAX_THREADS ? half : MAX_THREADS;
        while (levels < MAX_LEVELS && 1u << levels <= threads) levels++;
        host_launch(kernel, (struct dim){half / threads}, (struct dim){threads},
                    (2 * threads + 2 * threads / BANKS + 1) * (unsigned)sizeof(float), &from, &out,
                    &sums, &levels, &half);
        left = half / threads;
        const CUdeviceptr swap = from;
        from = sums;
        sums = swap;
    }
    float *got = host_memory(count, sizeof *got);
    host_read(got, out, bytes);
    host_read(got, from, sizeof *got); // the one sum comes first

    // From sums over intervals: each coefficient is the difference of two, scaled.
    double *before = host_memory(count + 1, sizeof *before);
    double *want = host_memory(count, sizeof *want);
    int levels = 0;
    for (size_t i = 0; i < count; i++) before[i + 1] = before[i] + signal[i];
    for (size_t length = 2; length <= count; length *= 2, levels++) {
        for (size_t i = 0; i < count / length; i++) {
            const double *p = before + i * length;
            want[count / length + i] =
                (2 * p[length / 2] - p[0] - p[length]) / sqrt((double)length);
        }
    }
    want[0] = before[count] / sqrt((double)n);
    // A level's values are below 1.5 * sqrt(2)^level and are rounded three times (the constant's
    // own error is one); noise and wave keep them far below.
    host_check_float(&h, "coefficients", got, want, count, 0,
                     levels * 3 * 0x1p-24 * 1.5 * sqrt((double)n));

    free(signal);
    free(got);
    free(before);
    free(want);
    return host_close(&h);
}
