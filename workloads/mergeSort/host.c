// mergeSort, host: the tiles, then a stage of four launches for each doubling of the segments.
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "sizes.h"

enum { TILE = 1024, SAMPLE = 128, RANK_THREADS = 256 };

static const struct host_param params[] = {
    {"ELEMENTS", TILE, 1 << 24, "pairs of key and value to sort, a multiple of 1024"},
};
static const struct host_program program = {"mergeSort", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

struct buffers {
    CUdeviceptr keys, values;
};

static void sort(struct host *h, struct buffers in, struct buffers out, unsigned n) {
    const CUfunction tiles = host_kernel(h, "mergeSortShared");
    const CUfunction sample = host_kernel(h, "generateSampleRanks");
    const CUfunction merge_ranks = host_kernel(h, "mergeRanksAndIndices");
    const CUfunction merge = host_kernel(h, "mergeElementaryIntervals");

    // A rank array holds the samples of whole pairs, also of the last.
    unsigned top = TILE, stages = 0;
    while (top < n) {
        top *= 2;
        stages++;
    }
    const size_t rank_bytes = 2 * (size_t)top / SAMPLE * sizeof(uint32_t);
    CUdeviceptr a_ranks = host_alloc(h, rank_bytes), b_ranks = host_alloc(h, rank_bytes);
    CUdeviceptr a_limits = host_alloc(h, rank_bytes), b_limits = host_alloc(h, rank_bytes);
    const struct buffers spare = {host_alloc(h, n * sizeof(uint32_t)),
                                  host_alloc(h, n * sizeof(uint32_t))};

    // Buffers alternate so that the last stage writes `out`.
    struct buffers to = stages % 2 ? spare : out, from = stages % 2 ? out : spare;
    host_launch(tiles, (struct dim){n / TILE}, (struct dim){TILE / 2}, 0, &to.keys, &to.values,
                &in.keys, &in.values);
    for (unsigned stride = TILE; stride < n; stride *= 2) {
        const struct buffers swap = from;
        from = to;
        to = swap;
        const unsigned pairs = (n + 2 * stride - 1) / (2 * stride);
        unsigned threads = pairs * (stride / SAMPLE);
        const struct dim grid = {(threads + RANK_THREADS - 1) / RANK_THREADS};
        const struct dim block = {RANK_THREADS};
        host_launch(sample, grid, block, 0, &a_ranks, &b_ranks, &from.keys, &stride, &n, &threads);
        host_launch(merge_ranks, grid, block, 0, &a_limits, &a_ranks, &stride, &n, &threads);
        host_launch(merge_ranks, grid, block, 0, &b_limits, &b_ranks, &stride, &n, &threads);
        host_launch(merge, (struct dim){n / SAMPLE}, (struct dim){SAMPLE}, 0, &to.keys, &to.values,
                    &from.keys, &from.values, &a_limits, &b_limits, &stride, &n);
    }
}

// A stable sort of another kind: by counting, 16 bits of the key a pass.
static void radix_pass(const int32_t *keys, const int32_t *values, int32_t *keys_out,
                       int32_t *values_out, unsigned n, int shift) {
    size_t *place = host_memory((1 << 16) + 1, sizeof *place);
    for (unsigned i = 0; i < n; i++) place[((uint32_t)keys[i] >> shift & 0xffff) + 1]++;
    for (unsigned d = 0; d < 1 << 16; d++) place[d + 1] += place[d];
    for (unsigned i = 0; i < n; i++) {
        const size_t to = place[(uint32_t)keys[i] >> shift & 0xffff]++;
        keys_out[to] = keys[i];
        values_out[to] = values[i];
    }
    free(place);
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const unsigned n = (unsigned)h.arg[0];
    host_require(&h, n % TILE == 0, "ELEMENTS must be a multiple of %d.", TILE);
    const size_t bytes = n * sizeof(int32_t);

    int32_t *keys = host_memory(n, sizeof *keys), *values = host_memory(n, sizeof *values);
    int32_t *want_keys = host_memory(n, sizeof *keys), *want_values = host_memory(n, sizeof *keys);
    int32_t *half_keys = host_memory(n, sizeof *keys), *half_values = host_memory(n, sizeof *keys);
    // Few enough different keys that equal ones show whether the sort is stable; some have the top
    // bit set, which an unsigned comparison must respect.
    for (unsigned i = 0; i < n; i++) {
        keys[i] = (int32_t)(host_random_below(&h, 65536) * 65537u);
        values[i] = (int32_t)i;
    }

    const struct buffers in = {host_upload(&h, keys, bytes), host_upload(&h, values, bytes)};
    const struct buffers out = {host_alloc(&h, bytes), host_alloc(&h, bytes)};
    sort(&h, in, out, n);

    radix_pass(keys, values, half_keys, half_values, n, 0);
    radix_pass(half_keys, half_values, want_keys, want_values, n, 16);
    host_read(keys, out.keys, bytes);
    host_read(values, out.values, bytes);
    host_check_int(&h, "keys", keys, want_keys, n);
    host_check_int(&h, "values", values, want_values, n);

    free(keys);
    free(values);
    free(want_keys);
    free(want_values);
    free(half_keys);
    free(half_values);
    return host_close(&h);
}
