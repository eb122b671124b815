// nn, host: one launch, then the NEAREST smallest distances by as many scans of all of them.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

// Rodinia 2.0.1 had blocks of 16 threads, as what the papers measured; later releases have 256.
enum { THREADS = 16, GRID_X = 65535 };

static const struct host_param params[] = {
    {"RECORDS", 1, 1 << 23, "places"},
    {"NEAREST", 1, 100, "how many to find"},
};
static const struct host_program program = {"nn", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

struct place {
    float latitude, longitude;
};

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int n = (int)h.arg[0];
    const size_t count = (size_t)n, nearest = h.arg[1] < n ? (size_t)h.arg[1] : count;
    float latitude = 30, longitude = 90;

    struct place *places = host_memory(count, sizeof *places);
    float *distances = host_memory(count, sizeof *distances);
    float *found = host_memory(nearest, sizeof *found);
    double *want = host_memory(count, sizeof *want);
    for (size_t i = 0; i < count; i++) { // where hurricanes go
        places[i].latitude = host_random_float(&h, 7, 70);
        places[i].longitude = host_random_float(&h, 0, 359);
    }

    CUdeviceptr places_dev = host_upload(&h, places, count * sizeof *places);
    CUdeviceptr distances_dev = host_alloc(&h, count * sizeof *distances);
    const unsigned blocks = (unsigned)((count + THREADS - 1) / THREADS);
    const unsigned width = blocks < GRID_X ? blocks : GRID_X;
    const struct dim grid = {width, (blocks + width - 1) / width};
    host_launch(host_kernel(&h, "euclid"), grid, (struct dim){THREADS}, 0, &places_dev,
                &distances_dev, &n, &latitude, &longitude);
    host_read(distances, distances_dev, count * sizeof *distances);

    // Two subtractions, two products, a sum and a root, each rounded once. A subtraction's error is
    // that of its inputs' exact difference, so all errors are relative: 2.5 units of 2^-24 after
    // the root's halving, 4 allowed.
    for (size_t i = 0; i < count; i++)
        want[i] =
            hypot((double)latitude - places[i].latitude, (double)longitude - places[i].longitude);
    host_check_float(&h, "distances", distances, want, count, 0x1p-22, 0);

    for (size_t k = 0; k < nearest; k++) {
        size_t best = 0;
        for (size_t i = 1; i < count; i++)
            if (distances[i] < distances[best]) best = i;
        found[k] = distances[best];
        distances[best] = INFINITY;
    }
    qsort(want, count, sizeof *want, by_value);
    host_check_float(&h, "nearest", found, want, nearest, 0x1p-22, 0);

    free(places);
    free(distances);
    free(found);
    free(want);
    return host_close(&h);
}
