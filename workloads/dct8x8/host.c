// dct8x8, host: the image there, quantised, and back: the naive way, the fast one, and the fast one
// in 16-bit integers (once, as in the sample).
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { SIDE = 8, TILE_X = 32, TILE_Y = 16, WHOLE_TILE = 32 };

static const struct host_param params[] = {
    {"WIDTH", TILE_X, 1 << 13, "columns of the image, a multiple of 32"},
    {"HEIGHT", WHOLE_TILE, 1 << 13, "rows of the image, a multiple of 32"},
    {"RUNS", 1, 1000, "times each transform is made"},
};
static const struct host_program program = {"dct8x8", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// Each square's coefficients, or pixels from them, as sums of 64 products.
static void transform(const float *in, double *out, size_t width, size_t height, bool forward) {
    double wave[SIDE][SIDE];
    for (int f = 0; f < SIDE; f++)
        for (int x = 0; x < SIDE; x++)
            wave[f][x] = (f ? 0.5 : sqrt(0.125)) * cos((2 * x + 1) * f * acos(-1.0) / 16);
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            const float *square = in + (y - y % SIDE) * width + x - x % SIDE;
            double sum = 0;
            for (size_t i = 0; i < SIDE; i++)
                for (size_t j = 0; j < SIDE; j++)
                    sum +=
                        square[i * width + j] * (forward ? wave[y % SIDE][i] * wave[x % SIDE][j]
                                                         : wave[i][y % SIDE] * wave[j][x % SIDE]);
            out[y * width + x] = sum;
        }
    }
}

// All runs of one transform. The naive kernels read their input as a texture.
static void launch(struct host *h, CUfunction kernel, struct dim grid, struct dim block, bool naive,
                   const float *in, CUdeviceptr in_dev, CUdeviceptr out_dev) {
    int width = (int)h->arg[0];
    if (naive)
        host_bind_image(h, "image", in, (size_t)width, (size_t)h->arg[1], CU_AD_FORMAT_FLOAT, 1);
    for (int64_t run = 0; run < h->arg[2]; run++) {
        if (naive)
            host_launch(kernel, grid, block, 0, &out_dev, &width);
        else
            host_launch(kernel, grid, block, 0, &in_dev, &out_dev, &width);
    }
}

static void compare(struct host *h, const char *what, const int16_t *whole, const float *in,
                    bool forward, double allowed, float *got, double *want) {
    const size_t w = (size_t)h->arg[0], height = (size_t)h->arg[1];
    for (size_t i = 0; i < w * height; i++) got[i] = whole[i];
    transform(in, want, w, height, forward);
    host_check_float(h, what, got, want, w * height, 0, allowed);
}

// The image in 16-bit integers. got and want are room for the comparison.
static void whole_numbers(struct host *h, const float *image, float *got, double *want) {
    int width = (int)h->arg[0];
    const size_t w = (size_t)width, height = (size_t)h->arg[1], count = w * height;
    const struct dim squares = {(unsigned)w / SIDE, (unsigned)height / SIDE};
    const struct dim tiles = {(unsigned)w / WHOLE_TILE, (unsigned)height / WHOLE_TILE};
    const struct dim block = {SIDE, WHOLE_TILE / SIDE, WHOLE_TILE / SIDE};
    int16_t *whole = host_memory(count, sizeof *whole);
    int32_t *level = host_memory(count, sizeof *level), *right = host_memory(count, sizeof *right);
    float *quantised = host_memory(count, sizeof *quantised);
    int32_t quantum[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) quantum[i] = 8 + 5 * (i / SIDE + i % SIDE);
    host_write_symbol(h, "whole_quantum", quantum, sizeof quantum);

    for (size_t i = 0; i < count; i++) whole[i] = (int16_t)image[i];
    CUdeviceptr pixels = host_upload(h, whole, count * sizeof *whole);
    CUdeviceptr coefficients = host_alloc(h, count * sizeof *whole);
    CUdeviceptr back = host_alloc(h, count * sizeof *whole);

    // Constants are off by 2^-16 at most. There: the first pass adds up eight pixels below 128 and
    // rounds to sixteenths, 1/64 + 1/32; the second multiplies that by sqrt(8) at most, adds eight
    // values below 128 sqrt(8), and rounds to integers: 0.133 + 0.044 + 0.5.
    host_launch(host_kernel(h, "shortDct"), tiles, block, 0, &pixels, &coefficients, &width);
    host_read(whole, coefficients, count * sizeof *whole);
    compare(h, "shortDct", whole, image, true, 0.68, got, want);

    // To the nearest multiple, halves away from zero.
    for (size_t i = 0; i < count; i++) {
        const int32_t unit = quantum[i / w % SIDE * SIDE + i % SIDE];
        right[i] = unit * (int32_t)lround((double)whole[i] / unit);
        quantised[i] = (float)right[i];
    }
    host_launch(host_kernel(h, "shortQuantize"), squares, ((struct dim){SIDE, SIDE}), 0,
                &coefficients, &width);
    host_read(whole, coefficients, count * sizeof *whole);
    for (size_t i = 0; i < count; i++) level[i] = whole[i];
    host_check_int(h, "shortQuantize", level, right, count);

    // Back: a square's coefficients have a root of the sum of squares below 1300, their sum of
    // magnitudes in a row is below sqrt(8) times that. First pass, rounded to eighths: 0.056 +
    // 0.0625; second: sqrt(8) times that, constants again, half: 0.335 + 0.056 + 0.5.
    host_launch(host_kernel(h, "shortIdct"), tiles, block, 0, &coefficients, &back, &width);
    host_read(whole, back, count * sizeof *whole);
    compare(h, "shortIdct", whole, quantised, false, 0.9, got, want);

    free(whole);
    free(level);
    free(right);
    free(quantised);
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int width = (int)h.arg[0];
    const int height = (int)h.arg[1];
    host_require(&h, width % WHOLE_TILE == 0 && height % WHOLE_TILE == 0,
                 "WIDTH and HEIGHT must be multiples of %d.", WHOLE_TILE);
    const size_t w = (size_t)width, count = w * (size_t)height, bytes = count * sizeof(float);

    // Slopes, an edge and a little noise, from -128 to 127; quanta grow with the frequency.
    float *image = host_memory(count, sizeof *image), *got = host_memory(count, sizeof *got);
    float *quantised = host_memory(count, sizeof *quantised);
    double *want = host_memory(count, sizeof *want);
    for (size_t i = 0; i < count; i++) {
        const float x = (float)(i % w) / (float)w, y = (float)(i / w) / (float)height;
        const float level = 60 * sinf(9 * x + 4 * y) + (x * y > 0.3f ? 50.0f : -40.0f);
        image[i] = floorf(level + host_random_float(&h, -8, 8));
    }
    float cosines[SIDE * SIDE], quantum[SIDE * SIDE];
    for (int f = 0; f < SIDE; f++) {
        for (int x = 0; x < SIDE; x++) {
            cosines[h.volta ? x * SIDE + f : f * SIDE + x] = // as the kernel has them
                (float)((f ? 0.5 : sqrt(0.125)) * cos((2 * x + 1) * f * acos(-1.0) / 16));
            quantum[f * SIDE + x] = (float)(8 + 5 * (f + x));
        }
    }

    CUdeviceptr image_dev = host_upload(&h, image, bytes);
    CUdeviceptr coefficients_dev = host_alloc(&h, bytes), back_dev = host_alloc(&h, bytes);
    host_write_symbol(&h, "cosines", cosines, sizeof cosines);
    host_write_symbol(&h, "quantum", quantum, sizeof quantum);
    const struct dim squares = {(unsigned)width / SIDE, (unsigned)height / SIDE};
    const struct dim tiles = {(unsigned)width / TILE_X, (unsigned)height / TILE_Y};
    const struct {
        const char *there, *back;
        struct dim grid, block;
    } ways[] = {{"naiveDct", "naiveIdct", squares, {SIDE, SIDE}},
                {"fastDct", "fastIdct", tiles, {SIDE, TILE_X / SIDE, TILE_Y / SIDE}}};
    // A coefficient is at most 8 * 128; two sums of eight products with constants good to 2^-24.
    const double allowed = 1024 * 20 * 0x1p-24;
    for (size_t way = 0; way < HOST_COUNT(ways); way++) {
        const CUfunction there = host_kernel(&h, ways[way].there);
        launch(&h, there, ways[way].grid, ways[way].block, way == 0, image, image_dev,
               coefficients_dev);
        host_read(got, coefficients_dev, bytes);
        transform(image, want, w, (size_t)height, true);
        host_check_float(&h, ways[way].there, got, want, count, 0, allowed);

        // Half-way between two multiples either will do: no further from one than half a quantum.
        host_launch(host_kernel(&h, "quantize"), squares, ((struct dim){SIDE, SIDE}), 0,
                    &coefficients_dev, &width);
        host_read(quantised, coefficients_dev, bytes);
        size_t wrong = 0;
        for (size_t i = 0; i < count; i++) {
            const double unit = quantum[i / w % SIDE * SIDE + i % SIDE];
            const double off = fabs((double)quantised[i] - (double)got[i]);
            wrong += fmod((double)quantised[i], unit) != 0 || !(off <= unit / 2 + 1024 * 0x1p-23);
        }
        host_check_that(&h, wrong == 0, "%zu coefficients are not rounded as they should be.",
                        wrong);

        const CUfunction back = host_kernel(&h, ways[way].back);
        launch(&h, back, ways[way].grid, ways[way].block, way == 0, quantised, coefficients_dev,
               back_dev);
        host_read(got, back_dev, bytes);
        transform(quantised, want, w, (size_t)height, false);
        host_check_float(&h, ways[way].back, got, want, count, 0, allowed);
    }

    whole_numbers(&h, image, got, want);

    free(image);
    free(got);
    free(quantised);
    free(want);
    return host_close(&h);
}
