// lbm, host: a launch a step, the two lattices changing places.
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { POPULATIONS = 19, WALL = 1, LID = 2 };

// The lattice that kernel.cu is compiled for.
enum { KNOWN_X = 120, KNOWN_Y = 120, KNOWN_Z = 80 };

static const struct host_param params[] = {
    {"X", 4, 512, "cells along x, the threads of a block"},
    {"Y", 4, 512, "cells along y"},
    {"Z", 4, 512, "cells along z"},
    {"STEPS", 1, 1000, "of time"},
};
static const struct host_program program = {"lbm", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// In the kernel's order: rest, then pairs of opposites, so that k's is ((k - 1) ^ 1) + 1.
static const int velocity[POPULATIONS][3] = {
    {0, 0, 0},  {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1},
    {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
    {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1}};
static double weight(int k) { return k == 0 ? 1.0 / 3 : k < 7 ? 1.0 / 18 : 1.0 / 36; }

// Relaxes a cell's populations by projections: density and momentum, then each population alone.
static void collide(double f[POPULATIONS], int flag, double omega) {
    if (flag & WALL) {
        for (int k = 1; k < POPULATIONS; k += 2) {
            const double first = f[k];
            f[k] = f[k + 1];
            f[k + 1] = first;
        }
        return;
    }
    double density = 0, u[3] = {0, 0, 0};
    for (int k = 0; k < POPULATIONS; k++) density += f[k];
    for (int d = 0; d < 3; d++) {
        for (int k = 0; k < POPULATIONS; k++) u[d] += velocity[k][d] * f[k] / density;
        if (flag & LID) u[d] = d == 0 ? 0.005 : d == 1 ? 0.002 : 0;
    }
    for (int k = 0; k < POPULATIONS; k++) {
        double cu = 0, uu = 0;
        for (int d = 0; d < 3; d++) {
            cu += velocity[k][d] * u[d];
            uu += u[d] * u[d];
        }
        const double rest = weight(k) * density * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * uu);
        f[k] += omega * (rest - f[k]);
    }
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const int nx = (int)h.arg[0], ny = (int)h.arg[1], nz = (int)h.arg[2];
    int row = (nx + 31) / 32 * 32, slice = row * ny;
    const int margin = slice + row + 32; // what walls send out of the box lands there
    const bool known = nx == KNOWN_X && ny == KNOWN_Y && nz <= KNOWN_Z; // to kernel.cu
    int cells = slice * (known ? KNOWN_Z : nz) + 2 * margin;
    host_require(&h, (int64_t)cells * POPULATIONS < INT32_MAX, "the box has too many cells.");
    float omega = 1.95f;

    const size_t count = (size_t)cells * POPULATIONS;
    float *lattice = host_memory(count, sizeof *lattice);
    int32_t *flags = host_memory((size_t)cells, sizeof *flags);
    for (int k = 0; k < POPULATIONS; k++)
        for (int i = 0; i < cells; i++)
            lattice[(size_t)k * (size_t)cells + (size_t)i] =
                (float)weight(k) * host_random_float(&h, 0.99f, 1.01f);
    const size_t inside = (size_t)nx * (size_t)ny * (size_t)nz;
    double(*now)[POPULATIONS] = host_memory(inside, sizeof *now);
    double(*next)[POPULATIONS] = host_memory(inside, sizeof *next);
    int32_t *flag = host_memory(inside, sizeof *flag);
    size_t *place = host_memory(inside, sizeof *place); // of a cell in a plane of the lattice
    for (size_t i = 0; i < inside; i++) {
        const int x = (int)i % nx, y = (int)i / nx % ny, z = (int)i / nx / ny;
        const bool wall = !x || !y || !z || x == nx - 1 || y == ny - 1 || z == nz - 1;
        flag[i] = wall ? WALL : z == nz - 2 ? LID : 0;
        place[i] = (size_t)(margin + x + y * row + z * slice);
        flags[place[i]] = flag[i];
        for (int k = 0; k < POPULATIONS; k++)
            now[i][k] = (double)lattice[(size_t)k * (size_t)cells + place[i]];
    }

    CUdeviceptr flags_dev = host_upload(&h, flags, (size_t)cells * sizeof *flags);
    CUdeviceptr flags_first = flags_dev + (size_t)margin * sizeof *flags;
    CUdeviceptr dev[2], first[2];
    for (int i = 0; i < 2; i++) {
        dev[i] = host_upload(&h, lattice, count * sizeof *lattice);
        first[i] = dev[i] + (size_t)margin * sizeof *lattice;
    }
    const CUfunction step =
        host_kernel(&h, known ? "performStreamCollide_kernel" : "performStreamCollide_any");
    const struct dim grid = {(unsigned)ny, (unsigned)nz}, block = {(unsigned)nx};
    for (int64_t t = 0; t < h.arg[3]; t++) {
        if (known)
            host_launch(step, grid, block, 0, &first[t % 2], &first[1 - t % 2], &flags_first, &omega);
        else
            host_launch(step, grid, block, 0, &first[t % 2], &first[1 - t % 2], &flags_first,
                        &cells, &row, &slice, &omega);
    }
    host_read(lattice, dev[h.arg[3] % 2], count * sizeof *lattice);

    // In double precision, first all collisions, then every cell fetches what moves to it.
    for (int64_t t = 0; t < h.arg[3]; t++) {
        for (size_t i = 0; i < inside; i++) collide(now[i], flag[i], (double)omega);
        for (size_t i = 0; i < inside; i++) {
            const int x = (int)i % nx, y = (int)i / nx % ny, z = (int)i / nx / ny;
            for (int k = 0; k < POPULATIONS; k++) {
                const int sx = x - velocity[k][0], sy = y - velocity[k][1], sz = z - velocity[k][2];
                const bool in = sx >= 0 && sx < nx && sy >= 0 && sy < ny && sz >= 0 && sz < nz;
                next[i][k] =
                    in ? now[((size_t)sz * (size_t)ny + (size_t)sy) * (size_t)nx + (size_t)sx][k]
                       : 0; // into a wall from outside: never seen within
            }
        }
        double(*other)[POPULATIONS] = now;
        now = next;
        next = other;
    }
    // Sums of 19 numbers below 1/3 and what they are multiplied by make an error below 2^-21 a
    // step; relaxation by 1.95 turns errors round without making them grow.
    float *got = host_memory(inside * POPULATIONS, sizeof *got);
    double *want = host_memory(inside * POPULATIONS, sizeof *want);
    size_t fluid = 0;
    for (size_t i = 0; i < inside; i++)
        for (int k = 0; k < POPULATIONS && !(flag[i] & WALL); k++) {
            got[fluid] = lattice[(size_t)k * (size_t)cells + place[i]];
            want[fluid++] = now[i][k];
        }
    host_check_float(&h, "populations of the fluid", got, want, fluid, 0,
                     0x1p-21 * (double)h.arg[3]);

    free(lattice);
    free(flags);
    free(now);
    free(next);
    free(flag);
    free(place);
    free(got);
    free(want);
    return host_close(&h);
}
