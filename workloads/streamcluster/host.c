// streamcluster, host: local search of facility location. Candidates are drawn one after the other;
// each has a launch, and this side adds up what opening it and closing others would save. If that
// is more than a centre's own cost, points change over.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 512 };

static const struct host_param params[] = {
    {"POINTS", 2, 1 << 17, "points of a chunk"},
    {"DIMENSIONS", 1, 1024, "coordinates of a point"},
    {"CANDIDATES", 1, 10000, "how many to try"},
};
static const struct host_program program = {"streamcluster", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

struct point {
    float weight, cost;
    int64_t centre;
    int64_t spare[2];
};

struct state {
    int n, dimensions, centres;
    struct point *points;
    float *coordinates;     // by dimension
    int32_t *centre_number; // of points that are centres; -1: of others
};

static double cost_of(const struct state *s, size_t i, size_t to) {
    double sum = 0;
    for (size_t d = (size_t)s->dimensions; d-- > 0;) {
        const float *row = s->coordinates + d * (size_t)s->n;
        sum += pow((double)row[i] - (double)row[to], 2);
    }
    return sum * (double)s->points[i].weight;
}

static void number_centres(struct state *s) {
    s->centres = 0;
    for (int i = 0; i < s->n; i++)
        s->centre_number[i] = s->points[i].centre == i ? s->centres++ : -1;
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    struct state s = {.n = (int)h.arg[0], .dimensions = (int)h.arg[1]};
    const size_t n = (size_t)s.n, dimensions = (size_t)s.dimensions;
    s.points = host_memory(n, sizeof *s.points);
    s.coordinates = host_memory(n * dimensions, sizeof *s.coordinates);
    s.centre_number = host_memory(n, sizeof *s.centre_number);

    // Points around eight places. A centre costs what a tenth of all points cost at first.
    for (size_t i = 0; i < n; i++) {
        const uint32_t place = host_random_below(&h, 8);
        for (size_t d = 0; d < dimensions; d++)
            s.coordinates[d * n + i] =
                (float)(place * (d + 3) % 8) / 8 + host_random_float(&h, -0.1f, 0.1f);
        s.points[i].weight = 1 + (float)host_random_below(&h, 3);
    }
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        s.points[i].cost = (float)cost_of(&s, i, 0);
        total += (double)s.points[i].cost;
    }
    const double opening = total / 10;
    number_centres(&s);

    CUdeviceptr coordinates_dev =
        host_upload(&h, s.coordinates, n * dimensions * sizeof *s.coordinates);
    CUdeviceptr points_dev = host_alloc(&h, n * sizeof *s.points);
    CUdeviceptr number_dev = host_alloc(&h, n * sizeof *s.centre_number);
    CUdeviceptr switches_dev = host_alloc(&h, n);
    const CUfunction kernel = host_kernel(&h, "computeCost");
    const struct dim grid = {((unsigned)n + THREADS - 1) / THREADS};
    // As many centres as candidates could come to be, and one.
    const size_t most = (size_t)h.arg[2] + 2;
    CUdeviceptr work_dev = host_alloc(&h, n * most * sizeof(float));
    float *work = host_memory(n * most, sizeof *work), *got = host_memory(most, sizeof *got);
    float *none = host_memory(n * most, sizeof *none);
    double *want = host_memory(most, sizeof *want);
    uint8_t *switches = host_memory(n, 1), *clear = host_memory(n, 1);

    for (int64_t tried = 0; tried < h.arg[2]; tried++) {
        int64_t candidate = host_random_below(&h, (uint32_t)n);
        const size_t row = (size_t)s.centres + 1, bytes = n * row * sizeof *work;
        host_write(points_dev, s.points, n * sizeof *s.points);
        host_write(number_dev, s.centre_number, n * sizeof *s.centre_number);
        host_write(work_dev, none, bytes);
        host_write(switches_dev, clear, n);
        host_launch(kernel, grid, (struct dim){THREADS}, 0, &s.n, &s.dimensions, &candidate,
                    &points_dev, &s.centres, &coordinates_dev, &work_dev, &number_dev,
                    &switches_dev);
        host_read(work, work_dev, bytes);
        host_read(switches, switches_dev, n);

        // The sums a centre, against sums in double. A point whose costs are equal but for
        // rounding may count either way, with about nothing; a cost is good to as many roundings
        // as it has terms.
        double size = 0;
        for (size_t k = 0; k < row; k++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++) sum += (double)work[i * row + k];
            got[k] = (float)sum;
            want[k] = 0;
        }
        for (size_t i = 0; i < n; i++) {
            const double cost = cost_of(&s, i, (size_t)candidate);
            const double less = cost - (double)s.points[i].cost;
            want[less < 0 ? s.centres : s.centre_number[s.points[i].centre]] -= fabs(less);
            size += cost + (double)s.points[i].cost;
        }
        host_check_float(&h, "savings", got, want, row, 0,
                         size * ((double)dimensions + 3) * 0x1p-24);

        // A centre closes if its points lose less by moving to the candidate than it costs.
        double saved = -(opening + (double)got[s.centres]);
        uint8_t *closes = host_memory(most, 1);
        for (int k = 0; k < s.centres; k++) {
            // got[k] adds up (cost now - cost at the candidate), which is not positive.
            closes[k] = opening + (double)got[k] > 0;
            if (closes[k]) saved += opening + (double)got[k];
        }
        if (saved > 0) {
            for (size_t i = 0; i < n; i++) {
                if (!switches[i] && !closes[s.centre_number[s.points[i].centre]]) continue;
                s.points[i].cost = (float)cost_of(&s, i, (size_t)candidate);
                s.points[i].centre = candidate;
            }
            number_centres(&s);
        }
        free(closes);
    }

    free(s.points);
    free(s.coordinates);
    free(s.centre_number);
    free(work);
    free(none);
    free(got);
    free(want);
    free(switches);
    free(clear);
    return host_close(&h);
}
