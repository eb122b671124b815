// backprop, host: the hidden layer's sums on the device, the rest of the forward pass and the
// errors here, then the new weights on the device.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { SIDE = 16, PITCH = SIDE + 1 };

static const struct host_param params[] = {
    {"INPUTS", SIDE, 1 << 20, "input units, a multiple of 16"},
};
static const struct host_program program = {"backprop", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

static double squash(double x) { return 1.0 / (1.0 + exp(-x)); }

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const size_t n = (size_t)h.arg[0], blocks = n / SIDE, count = (n + 1) * PITCH;
    host_require(&h, n % SIDE == 0, "INPUTS must be a multiple of %d.", SIDE);
    const size_t bytes = count * sizeof(float);

    float *in = host_memory(n + 1, sizeof *in);
    float *weights = host_memory(count, sizeof *weights);
    float *change = host_memory(count, sizeof *change);
    float *partial = host_memory(n, sizeof *partial);
    double *want = host_memory(count, sizeof *want);
    double *want_change = host_memory(count, sizeof *want_change);
    in[0] = 1; // the bias unit
    for (size_t i = 1; i <= n; i++) in[i] = host_random_float(&h, 0, 1);
    for (size_t i = 0; i < count; i++) {
        weights[i] = host_random_float(&h, -1, 1);
        change[i] = host_random_float(&h, -0.1f, 0.1f);
    }

    CUdeviceptr in_dev = host_upload(&h, in, (n + 1) * sizeof *in);
    CUdeviceptr weights_dev = host_upload(&h, weights, bytes);
    CUdeviceptr partial_dev = host_alloc(&h, n * sizeof *partial);
    const struct dim grid = {1, (unsigned)blocks}, block = {SIDE, SIDE};
    host_launch(host_kernel(&h, "layerForward"), grid, block, 0, &in_dev, &weights_dev,
                &partial_dev);
    host_read(partial, partial_dev, n * sizeof *partial);

    // A tree of four levels over products below 1, each rounded by at most 2^-24 of what is below
    // 16: 16 * 5 * 2^-24 at most, and the product's own rounding once.
    for (size_t b = 0; b < blocks; b++) {
        for (size_t unit = 0; unit < SIDE; unit++) {
            double sum = 0;
            for (size_t i = SIDE * b + 1; i <= SIDE * (b + 1); i++)
                sum += (double)in[i] * weights[i * PITCH + unit + 1];
            want[b * SIDE + unit] = sum;
        }
    }
    host_check_float(&h, "partial sums", partial, want, n, 0, 0x1p-17);

    // Forward through one output unit and the error back, with weights that play no other part.
    float delta[PITCH] = {0};
    double hidden[PITCH], out = 0.1;
    for (size_t unit = 1; unit < PITCH; unit++) {
        double sum = weights[unit];
        for (size_t b = 0; b < blocks; b++) sum += partial[b * SIDE + unit - 1];
        hidden[unit] = squash(sum);
        out += hidden[unit] * (0.05 * (double)unit - 0.4);
    }
    const double out_delta = squash(out) * (1 - squash(out)) * (0.9 - squash(out));
    for (size_t unit = 1; unit < PITCH; unit++)
        delta[unit] =
            (float)(hidden[unit] * (1 - hidden[unit]) * out_delta * (0.05 * (double)unit - 0.4));

    CUdeviceptr delta_dev = host_upload(&h, delta, sizeof delta);
    CUdeviceptr change_dev = host_upload(&h, change, bytes);
    host_write(weights_dev, weights, bytes);
    host_launch(host_kernel(&h, "adjustWeights"), grid, block, 0, &delta_dev, &in_dev, &weights_dev,
                &change_dev);

    for (size_t unit = 0; unit < PITCH; unit++) {
        for (size_t i = 0; i <= n; i++) {
            const size_t at = i * PITCH + unit;
            want_change[at] = 0.3 * change[at];
            if (unit)
                want_change[at] += 0.3 * (double)delta[unit] * in[i];
            else
                want_change[at] = change[at]; // the bias unit of the hidden layer has no inputs
            want[at] = weights[at] + (unit ? want_change[at] : 0);
        }
    }
    // The device rounds once to float: numbers below 2, so half of 2^-23; doubled for the sums.
    host_read(weights, weights_dev, bytes);
    host_read(change, change_dev, bytes);
    host_check_float(&h, "weights", weights, want, count, 0, 0x1p-22);
    host_check_float(&h, "changes", change, want_change, count, 0x1p-23, 0x1p-30);

    free(in);
    free(weights);
    free(change);
    free(partial);
    free(want);
    free(want_change);
    return host_close(&h);
}
