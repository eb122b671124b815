// histogram, host: both histograms of the same bytes, two launches each.
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { THREADS64 = 64, BYTES64 = 240, THREADS256 = 192, MERGE_THREADS = 256 };

static const struct host_param params[] = {
    {"BYTES", 16, 1 << 28, "bytes to count, a multiple of 16"},
    {"BLOCKS", 1, 1 << 12, "of the kernel for 256 bins"},
    {"RUNS", 1, 1000, "times both are made"},
};
static const struct host_program program = {"histogram", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

static int by_value(const void *a, const void *b) {
    return (int)*(const uint8_t *)a - (int)*(const uint8_t *)b;
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const size_t bytes = (size_t)h.arg[0];
    host_require(&h, bytes % 16 == 0, "BYTES must be a multiple of 16.");
    uint8_t *data = host_memory(bytes, 1);
    for (size_t i = 0; i < bytes; i++) data[i] = (uint8_t)host_random_below(&h, 256);

    unsigned words = (unsigned)(bytes / 4), fours = (unsigned)(bytes / 16);
    unsigned blocks64 = (unsigned)((bytes + THREADS64 * BYTES64 - 1) / (THREADS64 * BYTES64));
    unsigned blocks256 = (unsigned)h.arg[1];
    const size_t most = 64 * (size_t)blocks64 > 256 * (size_t)blocks256 ? 64 * (size_t)blocks64
                                                                        : 256 * (size_t)blocks256;
    CUdeviceptr data_dev = host_upload(&h, data, bytes);
    CUdeviceptr partial_dev = host_alloc(&h, most * sizeof(uint32_t));
    CUdeviceptr got64_dev = host_alloc(&h, 64 * sizeof(uint32_t));
    CUdeviceptr got256_dev = host_alloc(&h, 256 * sizeof(uint32_t));
    const CUfunction count64 = host_kernel(&h, "histogram64");
    const CUfunction count256 = host_kernel(&h, "histogram256");
    const CUfunction merge64 = host_kernel(&h, "mergeHistogram64");
    const CUfunction merge256 = host_kernel(&h, "mergeHistogram256");
    for (int64_t run = 0; run < h.arg[2]; run++) {
        host_launch(count64, (struct dim){blocks64}, (struct dim){THREADS64}, 0, &partial_dev,
                    &data_dev, &fours);
        host_launch(merge64, (struct dim){64}, (struct dim){MERGE_THREADS}, 0, &got64_dev,
                    &partial_dev, &blocks64);
        host_launch(count256, (struct dim){blocks256}, (struct dim){THREADS256}, 0, &partial_dev,
                    &data_dev, &words);
        host_launch(merge256, (struct dim){256}, (struct dim){MERGE_THREADS}, 0, &got256_dev,
                    &partial_dev, &blocks256);
    }
    int32_t got64[64], got256[256], want64[64] = {0}, want256[256] = {0};
    host_read(got64, got64_dev, sizeof got64);
    host_read(got256, got256_dev, sizeof got256);

    // Sorted, a value's count is how far apart its ends are. Exact.
    qsort(data, bytes, 1, by_value);
    for (size_t first = 0, i = 1; i <= bytes; i++) {
        if (i < bytes && data[i] == data[first]) continue;
        want256[data[first]] = (int32_t)(i - first);
        want64[data[first] / 4] += (int32_t)(i - first);
        first = i;
    }
    host_check_int(&h, "64 bins", got64, want64, 64);
    host_check_int(&h, "256 bins", got256, want256, 256);

    free(data);
    return host_close(&h);
}
