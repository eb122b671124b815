// cutcp, host: atoms into bins, a launch for each layer of blocks; atoms that find their bin full
// are added here.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { SLOTS = 8, SIDE = 8, NEIGHBOURS = 1331, BIN = 4 }; // BIN: length of a cube's side

static const struct host_param params[] = {
    {"SIDE", BIN, 256, "of the box of atoms, along x and y, a multiple of 4"},
    {"HEIGHT", BIN, 64, "of the box, along z, a multiple of 4"},
    {"CUTOFF", 1, 16, "distance beyond which atoms do not count"},
};
static const struct host_program program = {"cutcp", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};
static const float spacing = 0.5f; // of the lattice: BIN / SIDE

struct atom {
    float x, y, z, charge;
};
struct offset {
    int32_t x, y, z;
};

static size_t place_of(int x, int y, int z, int cells) { // of a lattice point, by blocks
    const size_t block = ((size_t)(z / SIDE) * cells + y / SIDE) * cells + x / SIDE;
    return block * SIDE * SIDE * SIDE + (size_t)((z % SIDE * SIDE + y % SIDE) * SIDE + x % SIDE);
}

// The lattice's planes that an atom at `at` may reach: from *first to before *end.
static void reach(float at, double cutoff, int planes, int *first, int *end) {
    *first = (int)fmax(0, ceil(((double)at - cutoff) / (double)spacing));
    *end = (int)fmin(planes, floor(((double)at + cutoff) / (double)spacing) + 1);
}

static void add_atom(const struct atom *a, double cutoff, int cells, int layers, double *lattice) {
    int from[3], end[3];
    reach(a->x, cutoff, cells * SIDE, &from[0], &end[0]);
    reach(a->y, cutoff, cells * SIDE, &from[1], &end[1]);
    reach(a->z, cutoff, layers * SIDE, &from[2], &end[2]);
    for (int z = from[2]; z < end[2]; z++) {
        for (int y = from[1]; y < end[1]; y++) {
            for (int x = from[0]; x < end[0]; x++) {
                const double r = hypot(
                    hypot(x * (double)spacing - (double)a->x, y * (double)spacing - (double)a->y),
                    z * (double)spacing - (double)a->z);
                if (r < cutoff)
                    lattice[place_of(x, y, z, cells)] +=
                        (double)a->charge / r * pow(1 - pow(r / cutoff, 2), 2);
            }
        }
    }
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const int cells = (int)h.arg[0] / BIN, layers = (int)h.arg[1] / BIN;
    host_require(&h, h.arg[0] % BIN == 0 && h.arg[1] % BIN == 0,
                 "SIDE and HEIGHT must be multiples of %d.", BIN);
    const double cutoff = (double)h.arg[2];
    float cutoff2 = (float)(cutoff * cutoff), inv_cutoff2 = 1.0f / cutoff2, step = spacing;

    // Offsets of the cubes with any point nearer than the cut-off to a block's points.
    struct offset neighbours[NEIGHBOURS];
    int count = 0, padding = (int)ceil(cutoff / BIN);
    for (int z = -padding; z <= padding; z++) {
        for (int y = -padding; y <= padding; y++) {
            for (int x = -padding; x <= padding; x++) {
                const double dx = BIN * fmax(abs(x) - 1, 0), dy = BIN * fmax(abs(y) - 1, 0);
                const double dz = BIN * fmax(abs(z) - 1, 0);
                if (dx * dx + dy * dy + dz * dz < cutoff * cutoff)
                    neighbours[count++] = (struct offset){x, y, z};
            }
        }
    }

    // As dense as water, about a tenth of an atom a unit of volume, charges of both signs. An
    // atom stays a quarter of a step away from the lattice's planes across x.
    const size_t atoms = (size_t)(cells * cells * layers) * BIN * BIN * BIN / 10;
    int bins_x = cells + 2 * padding, bins_y = bins_x;
    const size_t bins = (size_t)bins_x * bins_y * (layers + 2 * padding);
    const size_t points = (size_t)(cells * cells * layers) * SIDE * SIDE * SIDE;
    struct atom *bin = host_memory(bins * SLOTS, sizeof *bin);
    int *filled = host_memory(bins, sizeof *filled);
    double *want = host_memory(points, sizeof *want), *extra = host_memory(points, sizeof *extra);
    for (size_t i = 0; i < atoms; i++) {
        struct atom a = {0, host_random_float(&h, 0, (float)(cells * BIN)),
                         host_random_float(&h, 0, (float)(layers * BIN)),
                         host_random_below(&h, 3) ? 0.417f : -0.834f};
        a.x = spacing * ((float)host_random_below(&h, (uint32_t)(cells * SIDE)) +
                         host_random_float(&h, 0.25f, 0.75f));
        const size_t b =
            ((size_t)((int)a.z / BIN + padding) * bins_x + (size_t)((int)a.y / BIN + padding)) *
                bins_x +
            (size_t)((int)a.x / BIN + padding);
        add_atom(&a, cutoff, cells, layers, want);
        if (filled[b] < SLOTS)
            bin[b * SLOTS + (size_t)filled[b]++] = a;
        else
            add_atom(&a, cutoff, cells, layers, extra);
    }

    CUdeviceptr bin_dev = host_upload(&h, bin, bins * SLOTS * sizeof *bin);
    CUdeviceptr lattice_dev = host_alloc(&h, points * sizeof(float));
    host_write_symbol(&h, "neighbours", neighbours, (size_t)count * sizeof *neighbours);
    const CUfunction kernel = host_kernel(&h, "cutoffPotential");
    for (int layer = 0; layer < layers; layer++)
        host_launch(kernel, ((struct dim){(unsigned)cells, (unsigned)cells}),
                    ((struct dim){SIDE, 2, SIDE}), 0, &count, &layer, &step, &cutoff2, &inv_cutoff2,
                    &padding, &bins_x, &bins_y, &bin_dev, &lattice_dev);
    float *got = host_memory(points, sizeof *got);
    host_read(got, lattice_dev, points * sizeof *got);
    for (size_t i = 0; i < points; i++) got[i] = (float)((double)got[i] + extra[i]);

    // An atom is at least 1/8 away, so the potential's slope is below 64. Coordinates up to SIDE
    // and their differences are rounded by 2^-24 of that, four times for what is nearest; the many
    // smaller terms' roundings are below that.
    host_check_float(&h, "potentials", got, want, points, 0,
                     64.0 * fmax(cells, layers) * BIN * 4 * 0x1p-24);

    free(bin);
    free(filled);
    free(want);
    free(extra);
    free(got);
    return host_close(&h);
}
