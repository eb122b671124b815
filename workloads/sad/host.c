// sad, host: three launches, 4x4 blocks first.
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { RANGE = 16, SIDE = 2 * RANGE + 1, POSITIONS = SIDE * SIDE, STRIDE = 1096, SHAPES = 41 };

static const struct host_param params[] = {
    {"WIDTH", 16, 1920, "of the frame, a multiple of 16"},
    {"HEIGHT", 16, 1088, "of the frame, a multiple of 16"},
};
static const struct host_program program = {"sad", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// The blocks of a macroblock in the kernels' order: width, height, left and top of each.
static void list_blocks(int block[SHAPES][4]) {
    static const int shape[7][2] = {{16, 16}, {16, 8}, {8, 16}, {8, 8}, {8, 4}, {4, 8}, {4, 4}};
    int n = 0;
    for (int s = 0; s < 7; s++) {
        const int w = shape[s][0], h = shape[s][1];
        // Below 8x8, blocks are in the order of the quarters that they are in.
        const bool by_quarter = w * h == 32;
        for (int q = 0; q < (by_quarter ? 4 : 1); q++) {
            const int size = by_quarter ? 8 : 16;
            for (int y = 0; y < size; y += h)
                for (int x = 0; x < size; x += w, n++) {
                    block[n][0] = w;
                    block[n][1] = h;
                    block[n][2] = x + q % 2 * 8;
                    block[n][3] = y + q / 2 * 8;
                }
        }
    }
}
static const int first_of[8] = {0, 1, 3, 5, 9, 17, 25, 41}; // of each shape in that list

static int inside(int x, int last) { return x < 0 ? 0 : x > last ? last : x; }

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int width = (int)h.arg[0], height = (int)h.arg[1];
    host_require(&h, width % 16 == 0 && height % 16 == 0,
                 "WIDTH and HEIGHT must be multiples of 16.");
    const size_t pixels = (size_t)width * (size_t)height, macroblocks = pixels / 256;
    const size_t sums = macroblocks * SHAPES * STRIDE;
    uint16_t *frame = host_memory(pixels, sizeof *frame);
    uint16_t *reference = host_memory(pixels, sizeof *reference);
    for (size_t i = 0; i < pixels; i++) {
        frame[i] = (uint16_t)host_random_below(&h, 256);
        reference[i] = (uint16_t)host_random_below(&h, 256);
    }

    CUdeviceptr frame_dev = host_upload(&h, frame, pixels * sizeof *frame);
    host_bind_image(&h, "reference", reference, (size_t)width, (size_t)height,
                    CU_AD_FORMAT_UNSIGNED_INT16, 1);
    CUdeviceptr sums_dev = host_alloc(&h, sums * sizeof(uint16_t));
    const unsigned across = (unsigned)width / 16, down = (unsigned)height / 16;
    const struct dim blocks = {4 * across, 4 * down}, grid = {across, down};
    const struct dim quarters = {32, 4};
    CHECK(cuMemsetD8(sums_dev, 0, sums * sizeof(uint16_t))); // no kernel writes all of the padding
    host_launch(host_kernel(&h, "mb_sad_calc"), blocks, (struct dim){61}, STRIDE * 2, &sums_dev,
                &frame_dev, &width);
    host_launch(host_kernel(&h, "larger_sad_calc_8"), grid, quarters, 0, &sums_dev);
    host_launch(host_kernel(&h, "larger_sad_calc_16"), grid, (struct dim){32}, 0, &sums_dev);
    uint16_t *out = host_memory(sums, sizeof *out);
    host_read(out, sums_dev, sums * sizeof *out);

    // Every block of every shape from its pixels. Exact.
    int block[SHAPES][4];
    list_blocks(block);
    const size_t count = macroblocks * SHAPES * POSITIONS;
    int32_t *got = host_memory(count, sizeof *got), *want = host_memory(count, sizeof *want);
    size_t n = 0;
    for (int shape = 0; shape < 7; shape++) {
        const int first = first_of[shape], many = first_of[shape + 1] - first;
        for (int i = 0; i < (int)macroblocks * many; i++) {
            const int *b = block[first + i % many];
            const int left = i / many % (int)across * 16 + b[2];
            const int top = i / many / (int)across * 16 + b[3];
            const size_t from = ((size_t)first * macroblocks + (size_t)i) * STRIDE;
            for (int at = 0; at < POSITIONS; at++, n++) {
                got[n] = out[from + (size_t)at];
                for (int y = top; y < top + b[1]; y++)
                    for (int x = left; x < left + b[0]; x++)
                        want[n] += abs(frame[y * width + x] -
                                       reference[inside(y + at / SIDE - RANGE, height - 1) * width +
                                                 inside(x + at % SIDE - RANGE, width - 1)]);
            }
        }
    }
    host_check_int(&h, "sums", got, want, count);

    free(frame);
    free(reference);
    free(out);
    free(got);
    free(want);
    return host_close(&h);
}
