// SobolQRNG, host: direction numbers from primitive polynomials, then one launch.
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 64, DIRECTIONS = 32, MAX_DIMENSIONS = 1000 };

static const struct host_param params[] = {
    {"VECTORS", 1, 1 << 22, "elements of each dimension"},
    {"DIMENSIONS", 1, MAX_DIMENSIONS, "sequences"},
    {"BLOCKS", 1, 1 << 10, "a dimension, a power of two"},
};
static const struct host_program program = {"SobolQRNG", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// Whether x generates all non-zero residues modulo the polynomial: its powers return to 1 after
// 2^degree - 1 steps and not before.
static bool is_primitive(uint32_t polynomial, int degree) {
    const uint32_t period = (1u << degree) - 1;
    uint32_t x = 1;
    for (uint32_t i = 1; i <= period; i++) {
        x <<= 1;
        if (x >> degree) x ^= polynomial;
        if (x == 1) return i == period;
    }
    return false;
}

// Dimension 0 is van der Corput's sequence; each other one has the next primitive polynomial, first
// direction numbers drawn at random (the k-th odd and below 2^k), the rest by its recurrence.
static void make_directions(struct host *h, uint32_t *v, size_t dimensions) {
    uint32_t polynomial = 2;
    int degree = 1;
    for (int k = 0; k < DIRECTIONS; k++) v[k] = 0x80000000u >> k;
    for (size_t d = 1; d < dimensions; d++) {
        v += DIRECTIONS;
        do {
            polynomial++;
            if (polynomial >> (degree + 1)) degree++;
        } while (!is_primitive(polynomial, degree));
        for (int k = 0; k < DIRECTIONS; k++) {
            if (k < degree) {
                v[k] = (2 * host_random_below(h, 1u << k) + 1) << (31 - k);
                continue;
            }
            v[k] = v[k - degree] ^ (v[k - degree] >> degree);
            for (int j = 1; j < degree; j++)
                if (polynomial >> (degree - j) & 1) v[k] ^= v[k - j];
        }
    }
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    unsigned vectors = (unsigned)h.arg[0], dimensions = (unsigned)h.arg[1];
    const unsigned blocks = (unsigned)h.arg[2];
    host_require(&h, !(blocks & (blocks - 1)), "BLOCKS must be a power of two.");
    const size_t count = (size_t)vectors * dimensions;

    uint32_t *v = host_memory((size_t)dimensions * DIRECTIONS, sizeof *v);
    float *got = host_memory(count, sizeof *got);
    double *want = host_memory(count, sizeof *want);
    make_directions(&h, v, dimensions);

    CUdeviceptr v_dev = host_upload(&h, v, (size_t)dimensions * DIRECTIONS * sizeof *v);
    CUdeviceptr out_dev = host_alloc(&h, count * sizeof *got);
    host_launch(host_kernel(&h, "sobol"), ((struct dim){blocks, dimensions}), (struct dim){THREADS},
                0, &vectors, &v_dev, &out_dev);
    host_read(got, out_dev, count * sizeof *got);

    // One after the other: element i + 1 differs by the direction number of the lowest zero bit
    // of i. Exact but for the conversion, which is rounded once.
    for (size_t d = 0; d < dimensions; d++) {
        uint32_t x = 0;
        for (uint32_t i = 0; i < vectors; i++) {
            want[d * vectors + i] = x * 0x1p-32;
            int zero = 0;
            while (i >> zero & 1) zero++;
            x ^= v[d * DIRECTIONS + (size_t)zero];
        }
    }
    host_check_float(&h, "elements", got, want, count, 0x1p-24, 0);

    free(v);
    free(got);
    free(want);
    return host_close(&h);
}
