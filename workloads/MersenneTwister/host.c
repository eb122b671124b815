// MersenneTwister, host: two launches.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 128, WORDS = 19, MIDDLE = 9 };

static const struct host_param params[] = {
    {"TWISTERS", THREADS, 1 << 16, "generators, a multiple of 128"},
    {"EACH", 2, 1 << 16, "numbers of each, even"},
};
static const struct host_program program = {"MersenneTwister", params, HOST_COUNT(params),
                                            host_sizes, HOST_COUNT(host_sizes)};

struct twister {
    uint32_t matrix, mask_b, mask_c, seed;
};

// All words of the state at once, then as many numbers.
static void refresh(const struct twister *m, uint32_t *state) {
    for (int i = 0; i < WORDS; i++) {
        const uint32_t word = (state[i] & ~1u) + (state[(i + 1) % WORDS] & 1u);
        state[i] = state[(i + MIDDLE) % WORDS] ^ word / 2 ^ (word % 2) * m->matrix;
    }
}
static uint32_t temper(const struct twister *m, uint32_t x) {
    x = x ^ x / 4096;
    x = x ^ (x * 128 & m->mask_b);
    x = x ^ (x * 32768 & m->mask_c);
    return x ^ x / 262144;
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const size_t twisters = (size_t)h.arg[0];
    int each = (int)h.arg[1];
    host_require(&h, twisters % THREADS == 0 && each % 2 == 0,
                 "TWISTERS must be a multiple of %d, EACH must be even.", THREADS);
    const size_t count = twisters * (size_t)each;

    // Parameters are drawn at random, with the masks' usual density. (A library of numbers would
    // choose those whose period is 2^607 - 1.)
    struct twister *m = host_memory(twisters, sizeof *m);
    for (size_t i = 0; i < twisters; i++) {
        m[i].matrix = (uint32_t)host_random(&h) | 0x80000000u;
        m[i].mask_b = (uint32_t)(host_random(&h) | host_random(&h)) & 0xffffff80u;
        m[i].mask_c = (uint32_t)(host_random(&h) | host_random(&h)) & 0xffff8000u;
        m[i].seed = (uint32_t)host_random(&h);
    }
    float *got = host_memory(count, sizeof *got);
    double *want = host_memory(count, sizeof *want);

    CUdeviceptr m_dev = host_upload(&h, m, twisters * sizeof *m);
    CUdeviceptr out_dev = host_alloc(&h, count * sizeof *got);
    const struct dim grid = {(unsigned)(twisters / THREADS)}, block = {THREADS};
    host_launch(host_kernel(&h, "randomNumbers"), grid, block, 0, &m_dev, &out_dev, &each);
    host_read(got, out_dev, count * sizeof *got);

    for (size_t i = 0; i < twisters; i++) {
        uint32_t state[WORDS] = {m[i].seed};
        for (uint32_t k = 1; k < WORDS; k++)
            state[k] = (state[k - 1] ^ state[k - 1] >> 30) * 0x6c078965u + k;
        for (size_t k = 0; k < (size_t)each; k++) {
            if (k % WORDS == 0) refresh(&m[i], state);
            want[k * twisters + i] = (temper(&m[i], state[k % WORDS]) + 1.0) * 0x1p-32;
        }
    }
    // The conversion and the addition of one are rounded; the division is by a power of two.
    host_check_float(&h, "uniform numbers", got, want, count, 0x1p-23, 0);

    host_launch(host_kernel(&h, "boxMuller"), grid, block, 0, &out_dev, &each);
    for (size_t k = 0; k < (size_t)each; k += 2) {
        for (size_t i = 0; i < twisters; i++) {
            const size_t a = k * twisters + i, b = a + twisters;
            const double radius = sqrt(2 * log(1 / (double)got[a]));
            const double angle = 2 * 3.14159265358979323846 * (double)got[b];
            want[a] = radius * cos(angle);
            want[b] = radius * sin(angle);
        }
    }
    // The radius is below 6.7 and good to 2^-22; the approximate functions, of angles below 2 pi,
    // are off by up to 2^-20 and the angle's own rounding, 2^-22.
    host_read(got, out_dev, count * sizeof *got);
    host_check_float(&h, "normal numbers", got, want, count, 0x1p-22, 6.7 * 0x1p-19);

    free(m);
    free(got);
    free(want);
    return host_close(&h);
}
