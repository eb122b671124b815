// transpose, host: one variant, CALLS times.
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "sizes.h"

enum { TILE = 16 };

static const char *const variants[] = {"transpose", "transposeNaive", "transposeCoalesced",
                                       "transposeDiagonal"};

static const struct host_param params[] = {
    {"ROWS", 1, 1 << 14, "rows of the input"},
    {"COLS", 1, 1 << 14, "columns of the input"},
    {"CALLS", 1, 1000, "launches"},
    {"VARIANT", 0, HOST_COUNT(variants) - 1,
     "0 padded tile, 1 straight, 2 unpadded tile, 3 diagonal order"},
};
static const struct host_program program = {"transpose", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int rows = (int)h.arg[0], cols = (int)h.arg[1];
    const size_t count = (size_t)rows * cols, bytes = count * sizeof(int32_t);

    // Words that are all different; the kernel moves them as floats, so they are compared as bits
    // and kept below the pattern of the first NaN.
    int32_t *in = host_memory(count, sizeof *in);
    int32_t *out = host_memory(count, sizeof *out);
    int32_t *want = host_memory(count, sizeof *want);
    for (size_t i = 0; i < count; i++) in[i] = (int32_t)i + 0x3f000000;

    CUdeviceptr in_dev = host_upload(&h, in, bytes);
    CUdeviceptr out_dev = host_alloc(&h, bytes);
    const CUfunction kernel = host_kernel(&h, variants[h.arg[3]]);
    const struct dim grid = {((unsigned)cols + TILE - 1) / TILE,
                             ((unsigned)rows + TILE - 1) / TILE};
    for (int64_t call = 0; call < h.arg[2]; call++)
        host_launch(kernel, grid, ((struct dim){TILE, TILE}), 0, &out_dev, &in_dev, &cols, &rows);
    host_read(out, out_dev, bytes);

    size_t next = 0;
    for (int x = 0; x < cols; x++)
        for (int y = 0; y < rows; y++) want[next++] = in[(size_t)y * cols + x];
    host_check_int(&h, "out", out, want, count);

    free(in);
    free(out);
    free(want);
    return host_close(&h);
}
