// reduction, host: partial sums by at most 64 blocks of 256 threads, then one block of 32. Run
// CALLS times; with more than one call there is a first, unmeasured launch of the partial sums, as
// in the sample (101 and 100 launches in GPUSimPow's table 3).
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { MAX_BLOCKS = 64, THREADS = 256, LAST_THREADS = 32 };

static const struct host_param params[] = {
    {"ELEMENTS", 1, 1 << 28, "integers to add"},
    {"CALLS", 1, 1000, "times the whole sum is made"},
};
static const struct host_program program = {"reduction", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

static bool is_even_fit(unsigned n, unsigned threads) {
    return (n & (n - 1)) == 0 && n >= 2 * threads;
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    unsigned n = (unsigned)h.arg[0];
    const unsigned wanted = (n + 2 * THREADS - 1) / (2 * THREADS);
    unsigned blocks = wanted < MAX_BLOCKS ? wanted : MAX_BLOCKS;

    uint8_t *bytes = host_memory(n, 1);
    uint32_t *in = host_memory(n, sizeof *in);
    for (unsigned i = 0; i < n; i++) in[i] = bytes[i] = (uint8_t)host_random_below(&h, 256);

    CUdeviceptr in_dev = host_upload(&h, in, n * sizeof *in);
    CUdeviceptr part_dev = host_alloc(&h, blocks * sizeof(uint32_t));
    CUdeviceptr sum_dev = host_alloc(&h, sizeof(uint32_t));
    const CUfunction first =
        host_kernel(&h, is_even_fit(n, THREADS) ? "reduce256" : "reduceAny256");
    const CUfunction last =
        host_kernel(&h, is_even_fit(blocks, LAST_THREADS) ? "reduce32" : "reduceAny32");
    const int64_t calls = h.arg[1];
    for (int64_t call = calls > 1 ? -1 : 0; call < calls; call++) {
        host_launch(first, (struct dim){blocks}, (struct dim){THREADS}, 0, &in_dev, &part_dev, &n);
        if (call < 0) continue;
        host_launch(last, (struct dim){1}, (struct dim){LAST_THREADS}, 0, &part_dev, &sum_dev,
                    &blocks);
    }

    int32_t got, want;
    host_read(&got, sum_dev, sizeof got);
    // Exact: integers modulo 2^32. The reference counts how often each value comes.
    uint64_t times[256] = {0}, sum = 0;
    for (unsigned i = 0; i < n; i++) times[bytes[i]]++;
    for (unsigned v = 0; v < 256; v++) sum += v * times[v];
    want = (int32_t)(uint32_t)sum;
    host_check_int(&h, "sum", &got, &want, 1);

    free(bytes);
    free(in);
    return host_close(&h);
}
