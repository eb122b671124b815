// CP, host: a constant upload and a launch for each 4000 atoms.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { BLOCK_X = 16, BLOCK_Y = 8, MAX_ATOMS = 4000 };

static const struct host_param params[] = {
    {"SIDE", 32, 1 << 12, "points along each axis, a multiple of 32"},
    {"ATOMS", 1, 100000, "atoms"},
};
static const struct host_program program = {"CP", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

struct atom {
    float x, y, z_squared, charge;
};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const size_t side = (size_t)h.arg[0], points = side * side, count = (size_t)h.arg[1];
    host_require(&h, side % (2 * BLOCK_X) == 0, "SIDE must be a multiple of %d.", 2 * BLOCK_X);
    float spacing = 25.6f / (float)side; // a plane of 25.6 x 25.6

    struct atom *atoms = host_memory(count, sizeof *atoms);
    for (size_t i = 0; i < count; i++) {
        const float z = host_random_float(&h, 1, 8); // never in the plane
        atoms[i] = (struct atom){host_random_float(&h, 0, 25.6f), host_random_float(&h, 0, 25.6f),
                                 z * z, host_random_float(&h, -1, 1)};
    }
    float *energy = host_memory(points, sizeof *energy);
    double *want = host_memory(points, sizeof *want);

    CUdeviceptr energy_dev = host_upload(&h, energy, points * sizeof *energy);
    const CUfunction kernel = host_kernel(&h, "cenergy");
    const struct dim grid = {(unsigned)side / (2 * BLOCK_X), (unsigned)side / BLOCK_Y};
    for (size_t first = 0; first < count; first += MAX_ATOMS) {
        int part = count - first < MAX_ATOMS ? (int)(count - first) : MAX_ATOMS;
        host_write_symbol(&h, "atoms", atoms + first, (size_t)part * sizeof *atoms);
        host_launch(kernel, grid, ((struct dim){BLOCK_X, BLOCK_Y}), 0, &part, &spacing,
                    &energy_dev);
    }
    host_read(energy, energy_dev, points * sizeof *energy);

    // Atom by atom over the plane.
    double size = 0; // what the terms of a point add up to, at most, without their signs
    for (size_t i = 0; i < count; i++) {
        for (size_t p = 0; p < points; p++) {
            const double dx = spacing * (double)(p % side) - (double)atoms[i].x;
            const double dy = spacing * (double)(p / side) - (double)atoms[i].y;
            want[p] += atoms[i].charge / hypot(hypot(dx, dy), sqrt((double)atoms[i].z_squared));
        }
        size += fabs((double)atoms[i].charge) / sqrt((double)atoms[i].z_squared);
    }
    // Coordinates below 32 and their differences are rounded by 2^-20 or less, three times, at
    // distances of at least 1; the reciprocal root is good to 2^-22; partial sums are rounded by
    // 2^-24 of what they have, which grows with the root of the number of atoms.
    host_check_float(&h, "energies", energy, want, points, 0,
                     size * (3 * 0x1p-20 + 0x1p-22 + sqrt((double)count) * 0x1p-24));

    free(atoms);
    free(energy);
    free(want);
    return host_close(&h);
}
