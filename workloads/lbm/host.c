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

// The cells in order of x, y, z, and the lattice's planes with their padding and margin.
struct box {
    int nx, ny, nz;
    int row, slice, margin, cells; // of a plane; what walls send out of the box lands in the margin
    bool known;                    // to kernel.cu
    size_t inside;
    int32_t *flag;
    size_t *place; // of a cell in a plane
};

static struct box make_box(int nx, int ny, int nz) {
    struct box b = {.nx = nx, .ny = ny, .nz = nz};
    b.row = (nx + 31) / 32 * 32;
    b.slice = b.row * ny;
    b.margin = b.slice + b.row + 32;
    b.known = nx == KNOWN_X && ny == KNOWN_Y && nz <= KNOWN_Z;
    b.cells = b.slice * (b.known ? KNOWN_Z : nz) + 2 * b.margin;
    b.inside = (size_t)nx * (size_t)ny * (size_t)nz;
    b.flag = host_memory(b.inside, sizeof *b.flag);
    b.place = host_memory(b.inside, sizeof *b.place);
    for (size_t i = 0; i < b.inside; i++) {
        const int x = (int)i % nx, y = (int)i / nx % ny, z = (int)i / nx / ny;
        const bool wall = !x || !y || !z || x == nx - 1 || y == ny - 1 || z == nz - 1;
        b.flag[i] = wall ? WALL : z == nz - 2 ? LID : 0;
        b.place[i] = (size_t)(b.margin + x + y * b.row + z * b.slice);
    }
    return b;
}

// What moves into a cell in a step; 0 into a wall from outside: never seen within.
static void fetch(const struct box *b, size_t i, double (*now)[POPULATIONS], double *next) {
    const int x = (int)i % b->nx, y = (int)i / b->nx % b->ny, z = (int)i / b->nx / b->ny;
    for (int k = 0; k < POPULATIONS; k++) {
        const int sx = x - velocity[k][0], sy = y - velocity[k][1], sz = z - velocity[k][2];
        const bool in = sx >= 0 && sx < b->nx && sy >= 0 && sy < b->ny && sz >= 0 && sz < b->nz;
        const size_t source =
            in ? ((size_t)sz * (size_t)b->ny + (size_t)sy) * (size_t)b->nx + (size_t)sx : 0;
        next[k] = in ? now[source][k] : 0;
    }
}

// All steps in double precision from a lattice as the GPU starts with: first all collisions, then
// every cell fetches what moves to it.
static double (*simulate(const struct box *b, const float *lattice, int64_t steps,
                         double omega))[POPULATIONS] {
    double(*now)[POPULATIONS] = host_memory(b->inside, sizeof *now);
    double(*next)[POPULATIONS] = host_memory(b->inside, sizeof *next);
    for (size_t i = 0; i < b->inside; i++)
        for (int k = 0; k < POPULATIONS; k++)
            now[i][k] = (double)lattice[(size_t)k * (size_t)b->cells + b->place[i]];
    for (int64_t t = 0; t < steps; t++) {
        for (size_t i = 0; i < b->inside; i++) collide(now[i], b->flag[i], omega);
        for (size_t i = 0; i < b->inside; i++) fetch(b, i, now, next[i]);
        double(*other)[POPULATIONS] = now;
        now = next;
        next = other;
    }
    free(next);
    return now;
}

// The fluid's populations. Sums of 19 numbers below 1/3 and what they are multiplied by make an
// error below 2^-21 a step; relaxation by 1.95 turns errors round without making them grow.
static void check(struct host *h, const struct box *b, const float *lattice,
                  double (*end)[POPULATIONS], int64_t steps) {
    float *got = host_memory(b->inside * POPULATIONS, sizeof *got);
    double *want = host_memory(b->inside * POPULATIONS, sizeof *want);
    size_t fluid = 0;
    for (size_t i = 0; i < b->inside; i++)
        for (int k = 0; k < POPULATIONS && !(b->flag[i] & WALL); k++) {
            got[fluid] = lattice[(size_t)k * (size_t)b->cells + b->place[i]];
            want[fluid++] = end[i][k];
        }
    host_check_float(h, "populations of the fluid", got, want, fluid, 0, 0x1p-21 * (double)steps);
    free(got);
    free(want);
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    struct box b = make_box((int)h.arg[0], (int)h.arg[1], (int)h.arg[2]);
    const int64_t steps = h.arg[3];
    host_require(&h, (int64_t)b.cells * POPULATIONS < INT32_MAX, "the box has too many cells.");
    float omega = 1.95f;

    const size_t count = (size_t)b.cells * POPULATIONS;
    float *lattice = host_memory(count, sizeof *lattice);
    int32_t *flags = host_memory((size_t)b.cells, sizeof *flags);
    for (int k = 0; k < POPULATIONS; k++)
        for (int i = 0; i < b.cells; i++)
            lattice[(size_t)k * (size_t)b.cells + (size_t)i] =
                (float)weight(k) * host_random_float(&h, 0.99f, 1.01f);
    for (size_t i = 0; i < b.inside; i++) flags[b.place[i]] = b.flag[i];

    CUdeviceptr flags_dev = host_upload(&h, flags, (size_t)b.cells * sizeof *flags);
    CUdeviceptr flags_first = flags_dev + (size_t)b.margin * sizeof *flags;
    CUdeviceptr dev[2], first[2];
    for (int i = 0; i < 2; i++) {
        dev[i] = host_upload(&h, lattice, count * sizeof *lattice);
        first[i] = dev[i] + (size_t)b.margin * sizeof *lattice;
    }
    double(*end)[POPULATIONS] = simulate(&b, lattice, steps, (double)omega);
    const CUfunction step =
        host_kernel(&h, b.known ? "performStreamCollide_kernel" : "performStreamCollide_any");
    const struct dim grid = {(unsigned)b.ny, (unsigned)b.nz}, block = {(unsigned)b.nx};
    for (int64_t t = 0; t < steps; t++) {
        if (b.known)
            host_launch(step, grid, block, 0, &first[t % 2], &first[1 - t % 2], &flags_first,
                        &omega);
        else
            host_launch(step, grid, block, 0, &first[t % 2], &first[1 - t % 2], &flags_first,
                        &b.cells, &b.row, &b.slice, &omega);
    }
    host_read(lattice, dev[steps % 2], count * sizeof *lattice);
    check(&h, &b, lattice, end, steps);

    free(lattice);
    free(flags);
    free(end);
    free(b.flag);
    free(b.place);
    return host_close(&h);
}
