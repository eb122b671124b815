// convolutionSeparable, host: two launches an iteration.
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum {
    RADIUS = 8,
    TAPS = 2 * RADIUS + 1,
    RESULTS = 8,
    ROW_X = 16,
    ROW_Y = 4,
    COL_X = 16,
    COL_Y = 8
};

static const struct host_param params[] = {
    {"WIDTH", RESULTS *ROW_X, 1 << 13, "columns of the image, a multiple of 128"},
    {"HEIGHT", RESULTS *COL_Y, 1 << 13, "rows of the image, a multiple of 64"},
    {"ITERATIONS", 1, 1000, "times the image is filtered, always the same one"},
};
static const struct host_program program = {"convolutionSeparable", params, HOST_COUNT(params),
                                            host_sizes, HOST_COUNT(host_sizes)};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int width = (int)h.arg[0], height = (int)h.arg[1];
    host_require(&h, width % (RESULTS * ROW_X) == 0 && height % (RESULTS * COL_Y) == 0,
                 "WIDTH must be a multiple of %d, HEIGHT of %d.", RESULTS * ROW_X, RESULTS * COL_Y);
    const size_t count = (size_t)width * height, bytes = count * sizeof(float);

    float taps[TAPS], *image = host_memory(count, sizeof *image);
    double *rows = host_memory(count, sizeof *rows), *want = host_memory(count, sizeof *want);
    for (int i = 0; i < TAPS; i++) taps[i] = host_random_float(&h, 0, 1);
    for (size_t i = 0; i < count; i++) image[i] = host_random_float(&h, 0, 16);

    CUdeviceptr image_dev = host_upload(&h, image, bytes);
    CUdeviceptr rows_dev = host_alloc(&h, bytes), out_dev = host_alloc(&h, bytes);
    host_write_symbol(&h, "taps", taps, sizeof taps);
    const CUfunction along_rows = host_kernel(&h, "convolutionRows");
    const CUfunction along_columns = host_kernel(&h, "convolutionColumns");
    const unsigned w = (unsigned)width, ht = (unsigned)height;
    for (int64_t i = 0; i < h.arg[2]; i++) {
        host_launch(along_rows, ((struct dim){w / (RESULTS * ROW_X), ht / ROW_Y}),
                    ((struct dim){ROW_X, ROW_Y}), 0, &rows_dev, &image_dev, &width, &width);
        host_launch(along_columns, ((struct dim){w / COL_X, ht / (RESULTS * COL_Y)}),
                    ((struct dim){COL_X, COL_Y}), 0, &out_dev, &rows_dev, &height, &width);
    }

    // Tap by tap over the whole image, columns first: the other order gives the same.
    for (int j = -RADIUS; j <= RADIUS; j++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width && y + j >= 0 && y + j < height; x++)
                rows[(size_t)y * width + x] +=
                    (double)taps[RADIUS - j] * image[(size_t)(y + j) * width + x];
    for (int j = -RADIUS; j <= RADIUS; j++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                if (x + j >= 0 && x + j < width)
                    want[(size_t)y * width + x] +=
                        taps[RADIUS - j] * rows[(size_t)y * width + x + j];
    host_read(image, out_dev, bytes);
    // All terms are positive, so errors are relative: at most 17 roundings a pass.
    host_check_float(&h, "image", image, want, count, 2 * TAPS * 0x1p-24, 0);

    free(image);
    free(rows);
    free(want);
    return host_close(&h);
}
