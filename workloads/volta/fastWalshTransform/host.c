// fastWalshTransform, host: launches over memory until 2048 neighbours are left, then one in shared
// memory.
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { BLOCK_LOG2 = 11, THREADS_IN_MEMORY = 256 };

static const struct host_param params[] = {
    {"LOG2", BLOCK_LOG2, 23, "logarithm of the number of elements, an odd number"},
};
static const struct host_program program = {"fastWalshTransform",   params,
                                            HOST_COUNT(params),     host_sizes,
                                            HOST_COUNT(host_sizes), .only_volta = true};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const unsigned log2 = (unsigned)h.arg[0];
    host_require(&h, log2 % 2 == 1,
                 "LOG2 must be odd: two levels go over memory at once, eleven in a block.");
    const size_t count = (size_t)1 << log2, bytes = count * sizeof(float);
    float *data = host_memory(count, sizeof *data);
    int32_t *want = host_memory(count, sizeof *want), *got = host_memory(count, sizeof *got);
    // -1, 0 or 1: sums stay below 2^24, so they are exact.
    for (size_t i = 0; i < count; i++)
        data[i] = (float)(want[i] = (int32_t)host_random_below(&h, 3) - 1);

    CUdeviceptr dev = host_upload(&h, data, bytes);
    for (unsigned left = log2; left > BLOCK_LOG2; left -= 2) {
        int stride = 1 << (left - 2);
        host_launch(host_kernel(&h, "fwtBatch2Kernel"),
                    ((struct dim){(unsigned)(count / 4 / THREADS_IN_MEMORY)}),
                    ((struct dim){THREADS_IN_MEMORY}), 0, &dev, &stride);
    }
    int block_log2 = BLOCK_LOG2;
    host_launch(host_kernel(&h, "fwtBatch1Kernel"), ((struct dim){(unsigned)(count >> BLOCK_LOG2)}),
                ((struct dim){1 << (BLOCK_LOG2 - 2)}), 0, &dev, &dev, &block_log2);
    host_read(data, dev, bytes);

    // In whole numbers, level by level from the nearest pairs on.
    for (size_t stride = 1; stride < count; stride *= 2) {
        for (size_t i = 0; i < count; i++) {
            if (i & stride) continue;
            const int32_t a = want[i], b = want[i + stride];
            want[i] = a + b;
            want[i + stride] = a - b;
        }
    }
    for (size_t i = 0; i < count; i++) got[i] = (int32_t)data[i];
    host_check_int(&h, "transform", got, want, count);
    free(data);
    free(want);
    free(got);
    return host_close(&h);
}
