// lavaMD, host: one launch, a block a box.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { PARTICLES = 100, THREADS = 128 };

static const struct host_param params[] = {
    {"X", 1, 1024, "boxes along x"},
    {"Y", 1, 32, "boxes along y"},
    {"Z", 1, 32, "boxes along z"},
};
static const struct host_program program = {"lavaMD", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

struct place {
    double v, x, y, z;
};
struct box {
    int32_t first, neighbours;
    int32_t neighbour[26];
};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const int side[3] = {(int)h.arg[0], (int)h.arg[1], (int)h.arg[2]};
    const int box_count = side[0] * side[1] * side[2];
    const size_t count = (size_t)box_count * PARTICLES;
    double alpha = 0.5;

    struct box *boxes = host_memory((size_t)box_count, sizeof *boxes);
    struct place *places = host_memory(count, sizeof *places);
    struct place *forces = host_memory(count, sizeof *forces);
    struct place *want = host_memory(count, sizeof *want);
    double *charges = host_memory(count, sizeof *charges);
    for (int b = 0; b < box_count; b++) {
        const int at[3] = {b % side[0], b / side[0] % side[1], b / side[0] / side[1]};
        boxes[b].first = b * PARTICLES;
        for (int n = 0; n < 27; n++) {
            const int x = at[0] + n % 3 - 1, y = at[1] + n / 3 % 3 - 1, z = at[2] + n / 9 - 1;
            if (n == 13 || x < 0 || x >= side[0] || y < 0 || y >= side[1] || z < 0 || z >= side[2])
                continue;
            boxes[b].neighbour[boxes[b].neighbours++] = (z * side[1] + y) * side[0] + x;
        }
        for (size_t i = (size_t)b * PARTICLES; i < (size_t)(b + 1) * PARTICLES; i++) {
            struct place *p = &places[i];
            p->x = at[0] + (double)host_random_float(&h, 0, 1);
            p->y = at[1] + (double)host_random_float(&h, 0, 1);
            p->z = at[2] + (double)host_random_float(&h, 0, 1);
            p->v = (p->x * p->x + p->y * p->y + p->z * p->z) / 2;
            charges[i] = (double)host_random_float(&h, 0.1f, 1);
        }
    }

    CUdeviceptr boxes_dev = host_upload(&h, boxes, (size_t)box_count * sizeof *boxes);
    CUdeviceptr places_dev = host_upload(&h, places, count * sizeof *places);
    CUdeviceptr charges_dev = host_upload(&h, charges, count * sizeof *charges);
    CUdeviceptr forces_dev = host_upload(&h, forces, count * sizeof *forces);
    host_launch(host_kernel(&h, "lavaMD"), (struct dim){(unsigned)box_count}, (struct dim){THREADS},
                0, &alpha, &boxes_dev, &places_dev, &charges_dev, &forces_dev);
    host_read(forces, forces_dev, count * sizeof *forces);

    // Every pair once: boxes whose places differ by one at most, from coordinates, not from lists.
    const size_t furthest = (size_t)(side[0] * side[1] + side[0] + 1); // a later neighbour's number
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i; j < count && j / PARTICLES <= i / PARTICLES + furthest; j++) {
            const struct place *a = &places[i], *b = &places[j];
            const int p = (int)(i / PARTICLES), q = (int)(j / PARTICLES);
            if (abs(p % side[0] - q % side[0]) > 1 ||
                abs(p / side[0] % side[1] - q / side[0] % side[1]) > 1 ||
                abs(p / side[0] / side[1] - q / side[0] / side[1]) > 1)
                continue;
            const double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
            const double e = exp(-alpha * alpha * (dx * dx + dy * dy + dz * dz));
            want[i].v += charges[j] * e;
            want[i].x += charges[j] * 2 * e * dx;
            want[i].y += charges[j] * 2 * e * dy;
            want[i].z += charges[j] * 2 * e * dz;
            if (i == j) continue;
            want[j].v += charges[i] * e;
            want[j].x -= charges[i] * 2 * e * dx;
            want[j].y -= charges[i] * 2 * e * dy;
            want[j].z -= charges[i] * 2 * e * dz;
        }
    }
    // Double against double, so what is compared with zero is the difference. Squares below 3 *
    // 32^2 are rounded by 2^-42, and larger ones by as much more, which is how well an exponential
    // is known; a particle's own square is in all of its up to 2700 terms, each below 4.
    const double square = side[0] * side[0] + side[1] * side[1] + side[2] * side[2];
    const double rounding = 0x1p-42 * fmax(1, square / (3 * 32 * 32));
    float *off = host_memory(4 * count, sizeof *off);
    double *zero = host_memory(4 * count, sizeof *zero);
    for (size_t i = 0; i < count; i++) {
        off[4 * i] = (float)(forces[i].v - want[i].v);
        off[4 * i + 1] = (float)(forces[i].x - want[i].x);
        off[4 * i + 2] = (float)(forces[i].y - want[i].y);
        off[4 * i + 3] = (float)(forces[i].z - want[i].z);
    }
    host_check_float(&h, "errors of forces", off, zero, 4 * count, 0, 2700 * 4 * rounding);

    free(boxes);
    free(places);
    free(forces);
    free(want);
    free(charges);
    free(off);
    free(zero);
    return host_close(&h);
}
