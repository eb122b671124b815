// kmeans, host: the points are transposed once; then, each iteration, centres go to the device, a
// launch finds the nearest, and this side makes the means of what belongs together. Ends when no
// more than a thousandth of the points changed, or after ITERATIONS.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 256, CENTRE_WORDS = 1088 };

static const struct host_param params[] = {
    {"POINTS", 1, 1 << 20, "points"},
    {"FEATURES", 1, 34, "numbers of a point"},
    {"CLUSTERS", 1, 32, "centres"},
    {"ITERATIONS", 1, 500, "at most"},
};
static const struct host_program program = {"kmeans", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

static double squared_distance(const float *a, const float *b, size_t features) {
    double sum = 0;
    for (size_t f = 0; f < features; f++) sum += pow((double)a[f] - (double)b[f], 2);
    return sum;
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int n = (int)h.arg[0], features = (int)h.arg[1], clusters = (int)h.arg[2];
    const size_t points = (size_t)n, width = (size_t)features;

    // Clouds about as many places as there are clusters, of unlike sizes.
    float *data = host_memory(points * width, sizeof *data);
    float centres[CENTRE_WORDS] = {0}, clouds[CENTRE_WORDS];
    for (int i = 0; i < clusters * features; i++) clouds[i] = host_random_float(&h, 0, 8);
    for (size_t i = 0; i < points; i++) {
        const uint32_t first = host_random_below(&h, (uint32_t)clusters);
        const size_t cloud = host_random_below(&h, first + 1);
        for (size_t f = 0; f < width; f++)
            data[i * width + f] = clouds[cloud * width + f] + host_random_float(&h, -1, 1);
    }
    for (size_t c = 0; c < (size_t)clusters; c++)
        memcpy(centres + c * width, data + host_random_below(&h, (uint32_t)n) * width,
               width * sizeof *centres);

    int32_t *nearest = host_memory(points, sizeof *nearest);
    int32_t *before = host_memory(points, sizeof *before);
    float *chosen = host_memory(points, sizeof *chosen);
    double *least = host_memory(points, sizeof *least);
    memset(before, 0xff, points * sizeof *before);
    CUdeviceptr data_dev = host_upload(&h, data, points * width * sizeof *data);
    CUdeviceptr turned_dev = host_alloc(&h, points * width * sizeof *data);
    CUdeviceptr nearest_dev = host_alloc(&h, points * sizeof *nearest);
    const unsigned blocks = (unsigned)((points + THREADS - 1) / THREADS);
    host_launch(host_kernel(&h, "transposeFeatures"), (struct dim){blocks}, (struct dim){THREADS},
                0, &data_dev, &turned_dev, &n, &features);

    const CUfunction kernel = host_kernel(&h, "findNearest");
    const unsigned side = (unsigned)ceil(sqrt(blocks));
    host_bind_linear(&h, "by_feature", turned_dev, points * width * sizeof *data,
                     CU_AD_FORMAT_FLOAT, 1);
    for (int64_t iteration = 0; iteration < h.arg[3]; iteration++) {
        host_write_symbol(&h, "centres", centres, sizeof centres);
        host_launch(kernel, ((struct dim){side, side}), (struct dim){THREADS}, 0, &features, &n,
                    &clusters, &nearest_dev);
        host_read(nearest, nearest_dev, points * sizeof *nearest);

        // A point half-way between two centres may go to either, so distances are compared, not
        // names. The device's are sums of at most 34 positive terms, each rounded three times or
        // fewer, its choice is off by that twice; what is compared is rounded once to float.
        size_t changes = 0, wild = 0;
        for (size_t i = 0; i < points; i++) {
            changes += nearest[i] != before[i];
            least[i] = HUGE_VAL;
            for (size_t c = (size_t)clusters; c-- > 0;)
                least[i] =
                    fmin(least[i], squared_distance(data + i * width, centres + c * width, width));
            if (nearest[i] < 0 || nearest[i] >= clusters) nearest[i] = 0, wild++;
            chosen[i] = (float)squared_distance(data + i * width,
                                                centres + (size_t)nearest[i] * width, width);
        }
        host_check_that(&h, wild == 0, "%zu points belong to no centre.", wild);
        host_check_float(&h, "distances", chosen, least, points, 2 * (features + 3) * 0x1p-23,
                         0x1p-60);
        memcpy(before, nearest, points * sizeof *before);
        if (changes <= points / 1000) break;

        double sums[CENTRE_WORDS] = {0};
        size_t members[CENTRE_WORDS] = {0};
        for (size_t i = 0; i < points; i++) {
            members[nearest[i]]++;
            for (size_t f = 0; f < width; f++)
                sums[(size_t)nearest[i] * width + f] += data[i * width + f];
        }
        for (size_t i = 0; i < (size_t)clusters * width; i++)
            if (members[i / width]) centres[i] = (float)(sums[i] / (double)members[i / width]);
    }

    free(data);
    free(nearest);
    free(before);
    free(chosen);
    free(least);
    return host_close(&h);
}
