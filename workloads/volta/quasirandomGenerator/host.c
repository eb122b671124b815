// quasirandomGenerator, host: one launch of each kernel.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { DIMENSIONS = 3, BITS = 31, BLOCKS = 128, THREADS = 128 };

static const struct host_param params[] = {
    {"NUMBERS", 1, 1 << 24, "numbers of each of three dimensions"},
};
static const struct host_program program = {"quasirandomGenerator", params,
                                            HOST_COUNT(params),     host_sizes,
                                            HOST_COUNT(host_sizes), .only_volta = true};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    unsigned count = (unsigned)h.arg[0], seed = 0, all = DIMENSIONS * count;
    // Van der Corput's sequence; the others have random bits below the diagonal, which keeps a net.
    uint32_t matrix[DIMENSIONS * BITS];
    for (int d = 0; d < DIMENSIONS; d++) {
        for (int bit = 0; bit < BITS; bit++) {
            const uint32_t diagonal = UINT32_C(1) << (BITS - 1 - bit);
            matrix[d * BITS + bit] =
                diagonal | (d && bit ? host_random_below(&h, 1u << bit) << (BITS - bit) : 0);
        }
    }
    host_write_symbol(&h, "matrix", matrix, sizeof matrix);
    float *got = host_memory(all, sizeof *got);
    double *want = host_memory(all, sizeof *want);
    CUdeviceptr out = host_alloc(&h, all * sizeof *got), normal = host_alloc(&h, all * sizeof *got);
    host_launch(host_kernel(&h, "quasirandomGeneratorKernel"), (struct dim){BLOCKS},
                ((struct dim){THREADS, DIMENSIONS}), 0, &out, &seed, &count);
    host_launch(host_kernel(&h, "inverseCNDKernel"), (struct dim){BLOCKS}, (struct dim){THREADS}, 0,
                &normal, &all);

    // From one number to the next by the columns of all bits that change.
    host_read(got, out, all * sizeof *got);
    for (int d = 0; d < DIMENSIONS; d++) {
        uint32_t result = 0;
        for (uint32_t i = 0; i < count; i++) {
            want[d * count + i] = (double)(float)(result + 1) * 0x1p-31;
            for (uint32_t changed = i ^ (i + 1), bit = 0; changed && bit < BITS;
                 changed >>= 1, bit++)
                result ^= matrix[(uint32_t)d * BITS + bit];
        }
    }
    host_check_float(&h, "numbers", got, want, all, 0, 0);

    // The probability that a normal variable is below the result is the point again. Moro's
    // function is good to 3e-9; floats near 6 are to 2^-22, times the density, and the tails'
    // logarithms to some 2^-20.
    host_read(got, normal, all * sizeof *got);
    const uint32_t distance = UINT32_MAX / (all + 1);
    for (uint32_t i = 0; i < all; i++) {
        want[i] = ((double)(i + 1) * distance + 0.5) * 0x1p-32;
        got[i] = (float)(0.5 * erfc(-(double)got[i] / sqrt(2.0)));
    }
    host_check_float(&h, "probabilities", got, want, all, 4e-6, 2e-7);
    free(got);
    free(want);
    return host_close(&h);
}
