// mri-q, host: magnitudes once, then a constant upload and a launch for each 1024 samples.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { PHI_THREADS = 512, Q_THREADS = 256, SAMPLES = 1024 };

static const struct host_param params[] = {
    {"SIDE", 8, 128, "voxels along each axis, a multiple of 8"},
    {"SAMPLES", 1, 1 << 16, "samples of k-space"},
};
static const struct host_program program = {"mri-q", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

struct sample {
    float kx, ky, kz, magnitude;
};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const size_t side = (size_t)h.arg[0], voxels = side * side * side, count = (size_t)h.arg[1];
    host_require(&h, side % 8 == 0, "SIDE must be a multiple of 8.");
    int n = (int)count;

    // Samples crowd at the centre of k-space, as a scan's spirals do; phases stay below 2 pi times
    // three quarters of 4 turns.
    struct sample *samples = host_memory(count, sizeof *samples);
    float *re = host_memory(count, sizeof *re), *im = host_memory(count, sizeof *im);
    float *magnitude = host_memory(count, sizeof *magnitude);
    double *want_magnitude = host_memory(count, sizeof *want_magnitude);
    double total = 0;
    for (size_t k = 0; k < count; k++) {
        const float radius = host_random_float(&h, 0, 4);
        samples[k].kx = radius * host_random_float(&h, -1, 1);
        samples[k].ky = radius * host_random_float(&h, -1, 1);
        samples[k].kz = radius * host_random_float(&h, -1, 1);
        re[k] = host_random_float(&h, -1, 1);
        im[k] = host_random_float(&h, -1, 1);
        want_magnitude[k] = pow(hypot(re[k], im[k]), 2);
        total += want_magnitude[k];
    }
    float *place[3], *q_re = host_memory(voxels, sizeof *q_re);
    float *q_im = host_memory(voxels, sizeof *q_im);
    for (int axis = 0; axis < 3; axis++) place[axis] = host_memory(voxels, sizeof *place[axis]);
    for (size_t i = 0; i < voxels; i++) {
        place[0][i] = (float)(i % side) / (float)side - 0.5f;
        place[1][i] = (float)(i / side % side) / (float)side - 0.5f;
        place[2][i] = (float)(i / side / side) / (float)side - 0.5f;
    }

    CUdeviceptr re_dev = host_upload(&h, re, count * sizeof *re);
    CUdeviceptr im_dev = host_upload(&h, im, count * sizeof *im);
    CUdeviceptr magnitude_dev = host_alloc(&h, count * sizeof *magnitude);
    host_launch(host_kernel(&h, "computePhiMag"),
                (struct dim){(unsigned)((count + PHI_THREADS - 1) / PHI_THREADS)},
                (struct dim){PHI_THREADS}, 0, &re_dev, &im_dev, &magnitude_dev, &n);
    host_read(magnitude, magnitude_dev, count * sizeof *magnitude);
    // Two products and a sum, each rounded once; all terms are positive.
    host_check_float(&h, "magnitudes", magnitude, want_magnitude, count, 0x1p-23, 0);

    CUdeviceptr place_dev[3], q_re_dev = host_upload(&h, q_re, voxels * sizeof *q_re);
    CUdeviceptr q_im_dev = host_upload(&h, q_im, voxels * sizeof *q_im);
    for (int axis = 0; axis < 3; axis++)
        place_dev[axis] = host_upload(&h, place[axis], voxels * sizeof *place[axis]);
    const CUfunction kernel = host_kernel(&h, "computeQ");
    for (size_t k = 0; k < count; k++) samples[k].magnitude = magnitude[k];
    for (size_t first = 0; first < count; first += SAMPLES) {
        int part = count - first < SAMPLES ? (int)(count - first) : SAMPLES;
        host_write_symbol(&h, "samples", samples + first, (size_t)part * sizeof *samples);
        host_launch(kernel, (struct dim){(unsigned)(voxels / Q_THREADS)}, (struct dim){Q_THREADS},
                    0, &part, &place_dev[0], &place_dev[1], &place_dev[2], &q_re_dev, &q_im_dev);
    }
    host_read(q_re, q_re_dev, voxels * sizeof *q_re);
    host_read(q_im, q_im_dev, voxels * sizeof *q_im);

    // The factors of each axis as unit complex numbers, multiplied: no phase is ever added up.
    double *want_re = host_memory(voxels, sizeof *want_re);
    double *want_im = host_memory(voxels, sizeof *want_im);
    double *turn = host_memory(6 * side, sizeof *turn); // cosines and sines along each axis
    for (size_t k = 0; k < count; k++) {
        const double wave[3] = {samples[k].kx, samples[k].ky, samples[k].kz};
        for (size_t axis = 0; axis < 3; axis++) {
            for (size_t p = 0; p < side; p++) {
                const double a =
                    2 * 3.14159265358979323846 * wave[axis] * ((double)p / (double)side - 0.5);
                turn[2 * (axis * side + p)] = cos(a);
                turn[2 * (axis * side + p) + 1] = sin(a);
            }
        }
        for (size_t z = 0; z < side; z++) {
            const double *tz = &turn[2 * (2 * side + z)];
            for (size_t y = 0; y < side; y++) {
                const double *ty = &turn[2 * (side + y)];
                const double c = tz[0] * ty[0] - tz[1] * ty[1], s = tz[0] * ty[1] + tz[1] * ty[0];
                for (size_t x = 0; x < side; x++) {
                    const double *tx = &turn[2 * x];
                    const size_t i = (z * side + y) * side + x;
                    want_re[i] += samples[k].magnitude * (c * tx[0] - s * tx[1]);
                    want_im[i] += samples[k].magnitude * (c * tx[1] + s * tx[0]);
                }
            }
        }
    }
    // A phase below 38 has rounding errors of 3 * 2^-19 at most and the approximate functions are
    // off by about 2^-20 of a turn's range; errors of samples have no common sign, but count as if
    // they had. A sum's roundings are 2^-24 of at most the total, SAMPLES times, seldom in step.
    const double allowed = total * (0x1p-17 + sqrt((double)count) * 0x1p-24);
    host_check_float(&h, "real part", q_re, want_re, voxels, 0, allowed);
    host_check_float(&h, "imaginary part", q_im, want_im, voxels, 0, allowed);

    free(samples);
    free(re);
    free(im);
    free(magnitude);
    free(want_magnitude);
    for (int axis = 0; axis < 3; axis++) free(place[axis]);
    free(q_re);
    free(q_im);
    free(want_re);
    free(want_im);
    free(turn);
    return host_close(&h);
}
