// NNdigits, host: a launch a layer.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { LAYERS = 4 };

static const struct host_param params[] = {{"IMAGES", 1, 4096, "digits to read"}};
static const struct host_program program = {"NNdigits", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// Values an image has before the first layer and after each; maps, inputs of a neuron.
static const size_t values[LAYERS + 1] = {29 * 29, 6 * 13 * 13, 50 * 5 * 5, 100, 10};
static const size_t maps[LAYERS] = {6, 50, 100, 10}, inputs[LAYERS] = {25, 150, 1250, 100};

// A layer of windows, each value handed on to all the neurons that see it.
static void scatter(const double *in, int in_maps, int side, const float *w, int out_maps,
                    int out_side, double *out) {
    const int fan = 1 + 25 * in_maps;
    for (int o = 0; o < out_maps * out_side * out_side; o++)
        out[o] = (double)w[o / (out_side * out_side) * fan];
    for (int m = 0; m < in_maps; m++)
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
                for (int oy = 0; oy < out_side; oy++)
                    for (int ox = 0; ox < out_side; ox++) {
                        const int dx = x - 2 * ox, dy = y - 2 * oy;
                        if (dx < 0 || dx > 4 || dy < 0 || dy > 4) continue;
                        for (int o = 0; o < out_maps; o++)
                            out[(o * out_side + oy) * out_side + ox] +=
                                in[(m * side + y) * side + x] *
                                (double)w[o * fan + 1 + (dy * 5 + dx) * in_maps + m];
                    }
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const size_t images = (size_t)h.arg[0];
    int32_t window1[25], window2[25];
    for (int i = 0; i < 25; i++) {
        window1[i] = i / 5 * 29 + i % 5;
        window2[i] = i / 5 * 13 + i % 5;
    }
    host_write_symbol(&h, "window1", window1, sizeof window1);
    host_write_symbol(&h, "window2", window2, sizeof window2);

    float *image = host_memory(images * values[0], sizeof *image);
    for (size_t i = 0; i < images * values[0]; i++) image[i] = host_random_float(&h, -1, 1);
    float *weights[LAYERS]; // such that sums are of the order of one
    CUdeviceptr value_dev[LAYERS + 1], weights_dev[LAYERS];
    value_dev[0] = host_upload(&h, image, images * values[0] * sizeof *image);
    static const char *const names[LAYERS] = {"executeFirstLayer", "executeSecondLayer",
                                              "executeThirdLayer", "executeFourthLayer"};
    static const struct dim blocks[LAYERS] = {{13, 13, 1}, {5, 5, 1}, {1, 1, 1}, {1, 1, 1}};
    for (int l = 0; l < LAYERS; l++) {
        const size_t count = maps[l] * (1 + inputs[l]);
        const float most = (float)sqrt(3.0 / (double)inputs[l]);
        weights[l] = host_memory(count, sizeof *weights[l]);
        for (size_t i = 0; i < count; i++) weights[l][i] = host_random_float(&h, -most, most);
        weights_dev[l] = host_upload(&h, weights[l], count * sizeof *weights[l]);
        value_dev[l + 1] = host_alloc(&h, images * values[l + 1] * sizeof(float));
        const struct dim grid = {(unsigned)maps[l], (unsigned)images};
        host_launch(host_kernel(&h, names[l]), grid, blocks[l], 0, &value_dev[l], &weights_dev[l],
                    &value_dev[l + 1]);
    }
    float *got = host_memory(images * values[4], sizeof *got);
    host_read(got, value_dev[4], images * values[4] * sizeof *got);

    // In double precision, image by image.
    double *want = host_memory(images * values[4], sizeof *want);
    double *in = host_memory(values[2], sizeof *in), *out = host_memory(values[2], sizeof *out);
    for (size_t n = 0; n < images; n++) {
        for (size_t i = 0; i < values[0]; i++) in[i] = (double)image[n * values[0] + i];
        for (int l = 0; l < LAYERS; l++) {
            if (l == 0) scatter(in, 1, 29, weights[0], 6, 13, out);
            if (l == 1) scatter(in, 6, 13, weights[1], 50, 5, out);
            for (size_t o = 0; l > 1 && o < maps[l]; o++) {
                const float *w = weights[l] + o * (1 + inputs[l]);
                out[o] = (double)w[0];
                for (size_t i = inputs[l]; i-- > 0;) out[o] += in[i] * (double)w[1 + i];
            }
            for (size_t o = 0; o < values[l + 1]; o++)
                in[o] = (double)1.7159f * tanh(out[o] * 2 / 3);
        }
        for (size_t o = 0; o < values[4]; o++) want[n * values[4] + o] = in[o];
    }
    // Sums of up to 1250 terms, of the order of one, and an exponential: 2^-20 a layer, which the
    // next ones hand on with a slope of about one.
    host_check_float(&h, "outputs", got, want, images * values[4], 0, 0x1p-18);

    for (int l = 0; l < LAYERS; l++) free(weights[l]);
    free(image);
    free(got);
    free(want);
    free(in);
    free(out);
    return host_close(&h);
}
