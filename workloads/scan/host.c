// scan, host: the same elements as arrays of SHORT elements each, then as arrays of LONG.
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 256, PIECE = 4 * THREADS };

static const struct host_param params[] = {
    {"ELEMENTS", PIECE, 1 << 26, "in all, a multiple of 1024 and of LONG"},
    {"SHORT", 4, PIECE, "elements of a short array, a power of two"},
    {"LONG", 2 * PIECE, PIECE *THREADS, "elements of a long array, a power of two"},
};
static const struct host_program program = {"scan", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// Backwards, from each array's total.
static void scan(const int32_t *in, int32_t *out, size_t count, size_t length) {
    for (size_t first = 0; first < count; first += length) {
        uint32_t sum = 0;
        for (size_t i = 0; i < length; i++) sum += (uint32_t)in[first + i];
        for (size_t i = length; i-- > 0;) {
            sum -= (uint32_t)in[first + i];
            out[first + i] = (int32_t)sum;
        }
    }
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const size_t count = (size_t)h.arg[0];
    unsigned brief = (unsigned)h.arg[1], length = (unsigned)h.arg[2];
    host_require(&h, !(brief & (brief - 1)) && !(length & (length - 1)) && count % length == 0,
                 "SHORT and LONG must be powers of two, ELEMENTS a multiple of LONG.");

    int32_t *in = host_memory(count, sizeof *in), *got = host_memory(count, sizeof *got);
    int32_t *want = host_memory(count, sizeof *want);
    for (size_t i = 0; i < count; i++) in[i] = (int32_t)(uint32_t)host_random(&h);

    unsigned pieces = (unsigned)(count / PIECE), pieces_each = length / PIECE, whole = PIECE;
    CUdeviceptr in_dev = host_upload(&h, in, count * sizeof *in);
    CUdeviceptr out_dev = host_alloc(&h, count * sizeof *in);
    CUdeviceptr sums_dev = host_alloc(&h, pieces * sizeof *in);
    const CUfunction tiles = host_kernel(&h, "scanExclusiveShared");
    const struct dim block = {THREADS};

    host_launch(tiles, (struct dim){pieces}, block, 0, &out_dev, &in_dev, &brief);
    host_read(got, out_dev, count * sizeof *got);
    scan(in, want, count, brief);
    host_check_int(&h, "short arrays", got, want, count); // modulo 2^32: exact

    host_launch(tiles, (struct dim){pieces}, block, 0, &out_dev, &in_dev, &whole);
    host_launch(host_kernel(&h, "scanExclusiveShared2"),
                (struct dim){(pieces + THREADS - 1) / THREADS}, block, 0, &sums_dev, &out_dev,
                &in_dev, &pieces, &pieces_each);
    host_launch(host_kernel(&h, "uniformUpdate"), (struct dim){pieces}, block, 0, &out_dev,
                &sums_dev);
    host_read(got, out_dev, count * sizeof *got);
    scan(in, want, count, length);
    host_check_int(&h, "long arrays", got, want, count);

    free(in);
    free(got);
    free(want);
    return host_close(&h);
}
