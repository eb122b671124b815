// histo, host: every iteration counts the same samples anew; the ranges that the first kernel found
// come back and say how many blocks the third has.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum {
    COLUMNS = 256,
    RANGE = 24576,
    SLICES = 14,
    PRESCAN_BLOCKS = 64,
    PRESCAN_THREADS = 512,
    MAIN_THREADS = 768,
    LINES = 16,
    FINAL_BLOCKS = 42,
    FINAL_THREADS = 512
};

static const struct host_param params[] = {
    {"WIDTH", 2, 1024, "columns of the image, even"},
    {"HEIGHT", 1, 1 << 14, "rows of the image"},
    {"ROWS", 1, 1 << 14, "of 256 bins each"},
    {"ITERATIONS", 1, 10000, "times the histogram is made"},
};
static const struct host_program program = {"histo", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// About normal: the sum of four uniform numbers, with deviation 1.
static float normal(struct host *h) {
    float sum = 0;
    for (int i = 0; i < 4; i++) sum += host_random_float(h, -1, 1);
    return sum * 0.8660254f;
}
static uint32_t inside(float v, uint32_t size) {
    return v < 0 ? 0 : v >= (float)size ? size - 1 : (uint32_t)v;
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const size_t width = (size_t)h.arg[0], height = (size_t)h.arg[1], count = width * height;
    host_require(&h, width % 2 == 0, "WIDTH must be even.");
    const uint32_t rows = (uint32_t)h.arg[2];
    int bins = (int)rows * COLUMNS, samples = (int)count, lines = (int)height;
    int pairs = (int)width / 2;

    // Samples around one bin, in two ranges of 24576 mostly; one of 50000 anywhere.
    uint32_t *image = host_memory(count, sizeof *image);
    const float middle = (float)rows * 0.45f + host_random_float(&h, 0, (float)rows * 0.1f);
    for (size_t i = 0; i < count; i++) {
        image[i] = inside(middle + 20 * normal(&h), rows) * COLUMNS +
                   inside(120 + 24 * normal(&h), COLUMNS);
        if (host_random_below(&h, 50000) == 0) image[i] = host_random_below(&h, (uint32_t)bins);
    }

    const size_t most_ranges = ((size_t)bins + RANGE - 1) / RANGE;
    CUdeviceptr image_dev = host_upload(&h, image, count * sizeof *image);
    CUdeviceptr places_dev = host_alloc(&h, count * sizeof *image);
    CUdeviceptr ranges_dev = host_alloc(&h, 2 * sizeof(int32_t));
    CUdeviceptr rest_dev = host_alloc(&h, (size_t)bins * sizeof(int32_t));
    CUdeviceptr partial_dev = host_alloc(&h, most_ranges * SLICES * RANGE);
    CUdeviceptr histogram_dev = host_alloc(&h, (size_t)bins);
    const CUfunction prescan = host_kernel(&h, "histo_prescan");
    const CUfunction intermediates = host_kernel(&h, "histo_intermediates");
    const CUfunction main_kernel = host_kernel(&h, "histo_main");
    const CUfunction final = host_kernel(&h, "histo_final");
    const size_t wanted = (count + 4 * PRESCAN_THREADS - 1) / (4 * PRESCAN_THREADS);
    const unsigned prescan_blocks = wanted < PRESCAN_BLOCKS ? (unsigned)wanted : PRESCAN_BLOCKS;
    int32_t ranges[2];
    for (int64_t iteration = 0; iteration < h.arg[3]; iteration++) {
        host_write(ranges_dev, (const int32_t[]){(int32_t)most_ranges, 0}, sizeof ranges);
        CHECK(cuMemsetD32(rest_dev, 0, (size_t)bins));
        host_launch(prescan, (struct dim){prescan_blocks}, (struct dim){PRESCAN_THREADS}, 0,
                    &image_dev, &samples, &bins, &ranges_dev);
        host_read(ranges, ranges_dev, sizeof ranges);
        host_launch(intermediates, (struct dim){(unsigned)(height + LINES - 1) / LINES},
                    (struct dim){(unsigned)pairs}, 0, &image_dev, &pairs, &lines, &places_dev);
        host_require(&h, ranges[0] >= 0 && ranges[0] <= ranges[1] && ranges[1] < (int)most_ranges,
                     "histo_prescan found the ranges %d to %d.", ranges[0], ranges[1]);
        const unsigned found = (unsigned)(ranges[1] - ranges[0] + 1);
        host_launch(main_kernel, ((struct dim){SLICES, found}), (struct dim){MAIN_THREADS}, 0,
                    &places_dev, &samples, &ranges[0], &ranges[1], &rest_dev, &partial_dev);
        host_launch(final, (struct dim){FINAL_BLOCKS}, (struct dim){FINAL_THREADS}, 0, &partial_dev,
                    &rest_dev, &bins, &ranges[0], &ranges[1], &histogram_dev);
    }
    uint8_t *histogram = host_memory((size_t)bins, 1);
    host_read(histogram, histogram_dev, (size_t)bins);

    // One counter a bin, wide enough. Exact.
    int32_t *got = host_memory((size_t)bins, sizeof *got);
    int32_t *want = host_memory((size_t)bins, sizeof *want);
    for (size_t i = 0; i < count; i++) want[image[i]]++;
    size_t outside = 0;
    for (size_t i = 0; i < (size_t)bins; i++) {
        if ((int)(i / RANGE) < ranges[0] || (int)(i / RANGE) > ranges[1])
            outside += (size_t)want[i];
        if (want[i] > 255) want[i] = 255;
        got[i] = histogram[i];
    }
    host_check_int(&h, "bins", got, want, (size_t)bins);
    // The guess: else the counters in shared memory would do little of the work.
    host_check_that(&h, outside <= count / 100, "%zu samples lie outside of the ranges.", outside);

    free(image);
    free(histogram);
    free(got);
    free(want);
    return host_close(&h);
}
