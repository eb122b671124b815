// mri-gridding, host: bins, sorts, gathers, sums on the device and adds what the cells had no room
// for. The reference goes the other way round: each sample hands itself out to the grid.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "sizes.h"

enum {
    BIN_THREADS = 512,
    BIN_ROOM = 32,
    SCAN_THREADS = 512,
    PAIR = 2 * SCAN_THREADS,
    SORT_THREADS = 256,
    RADIX_BITS = 4,
    DIGITS = 1 << RADIX_BITS,
    REACH = 2
};

static const struct host_param params[] = {
    {"X", 8, 256, "points of the grid, a multiple of 8"},
    {"Y", 4, 256, "a multiple of 4"},
    {"Z", 2, 256, "a multiple of 2"},
    {"SAMPLES", 1, 1 << 22, "on radial lines"},
};
static const struct host_program program = {"mri-gridding", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

struct sample {
    float real, imag, x, y, z, density;
};

// Lines from the middle of the grid in all directions, 32 samples along each: the density falls
// with the square of the distance, and each sample stands for a share that grows with it.
static void draw_samples(struct host *h, const int size[3], struct sample *s, size_t n) {
    double to[3] = {0};
    for (size_t i = 0; i < n; i++) {
        if (i % 32 == 0) {
            double length = 0;
            do {
                for (int d = 0; d < 3; d++) to[d] = (double)host_random_float(h, -1, 1);
                length = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
            } while (length > 1 || length < 0.1);
            for (int d = 0; d < 3; d++) to[d] /= length;
        }
        const double r = ((double)(i % 32) + (double)host_random_float(h, 0, 1)) / 32;
        float place[3];
        for (int d = 0; d < 3; d++) {
            place[d] = (float)(size[d] * 0.5 * (1 + r * to[d]));
            if (place[d] < 0) place[d] = 0;
            if (place[d] >= (float)size[d]) place[d] = nextafterf((float)size[d], 0);
        }
        s[i] = (struct sample){
            host_random_float(h, -1, 1), host_random_float(h, -1, 1), place[0], place[1], place[2],
            (float)(0.05 + r * r)};
    }
}

static int up(int n, int to) { return (n + to - 1) / to; }

// In place, with room for the blocks' sums padded to a power of two.
static void scan(struct host *h, CUdeviceptr data, int n, CUdeviceptr sums) {
    const int blocks = up(n, PAIR);
    int padded = 1;
    while (padded < blocks) padded *= 2;
    if (padded > 1) CHECK(cuMemsetD32(sums, 0, (size_t)padded));
    const struct dim grid = {(unsigned)blocks}, block = {SCAN_THREADS};
    host_launch(host_kernel(h, "scan_L1_kernel"), grid, block, 0, &data, &n, &sums);
    if (padded == 1) return;

    int stride[8], half[8], left[8], levels = 0; // half: threads of a block; left: elements
    for (int rest = padded, step = 1; rest > 1; levels++) {
        stride[levels] = step;
        left[levels] = rest;
        half[levels] = rest / 2 < SCAN_THREADS ? rest / 2 : SCAN_THREADS;
        rest /= 2 * half[levels];
        step *= 2 * half[levels];
    }
    const unsigned bytes = (PAIR + PAIR / 16 + 4) * sizeof(uint32_t);
    for (int l = 0; l < levels; l++) {
        const struct dim g = {(unsigned)(left[l] / (2 * half[l]))}, b = {(unsigned)half[l]};
        host_launch(host_kernel(h, "scan_inter1_kernel"), g, b, bytes, &sums, &stride[l]);
    }
    CHECK(cuMemsetD32(sums + ((size_t)padded - 1) * sizeof(uint32_t), 0, 1));
    for (int l = levels - 1; l >= 0; l--) {
        const struct dim g = {(unsigned)(left[l] / (2 * half[l]))}, b = {(unsigned)half[l]};
        host_launch(host_kernel(h, "scan_inter2_kernel"), g, b, bytes, &sums, &stride[l]);
    }
    host_launch(host_kernel(h, "uniformAdd"), grid, block, 0, &data, &n, &sums);
}

// The window by the Bessel function's series.
static double window(double d2, double beta) {
    const double t = beta * beta * (1 - d2 / (REACH * REACH)) / 4;
    double term = 1, sum = 1;
    for (int k = 1; term > sum * 1e-17; k++) {
        term *= t / (k * k);
        sum += term;
    }
    return sum;
}

// What one sample gives to every point in reach, added to sum (real, imaginary, density);
// bulk: the same of absolute values; edge: what rounding could let in or out at the rim.
static void hand_out(const struct sample *s, const int size[3], double beta, double (*sum)[3],
                     double *bulk, double *edge) {
    const double place[3] = {(double)s->x, (double)s->y, (double)s->z};
    int low[3], high[3];
    for (int d = 0; d < 3; d++) {
        low[d] = (int)ceil(fmax(place[d] - REACH - 0.01, 0));
        high[d] = (int)floor(fmin(place[d] + REACH + 0.01, size[d] - 1));
    }
    const double density = (double)s->density;
    for (int x = low[0]; x <= high[0]; x++) {
        for (int y = low[1]; y <= high[1]; y++) {
            for (int z = low[2]; z <= high[2]; z++) {
                const double d2 = (place[0] - x) * (place[0] - x) +
                                  (place[1] - y) * (place[1] - y) + (place[2] - z) * (place[2] - z);
                const size_t cell =
                    ((size_t)z * (size_t)size[1] + (size_t)y) * (size_t)size[0] + (size_t)x;
                if (edge && fabs(d2 - REACH * REACH) < 1e-5) edge[cell] += 2;
                if (d2 > REACH * REACH) continue;
                const double w = window(d2, beta) * density;
                sum[cell][0] += w * (double)s->real;
                sum[cell][1] += w * (double)s->imag;
                sum[cell][2] += w;
                if (bulk) bulk[cell] += w;
            }
        }
    }
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const int size[3] = {(int)h.arg[0], (int)h.arg[1], (int)h.arg[2]};
    host_require(&h, size[0] % 8 == 0 && size[1] % 4 == 0 && size[2] % 2 == 0,
                 "the grid is %d x %d x %d; it must be a multiple of 8 x 4 x 2.", size[0], size[1],
                 size[2]);
    int n = (int)h.arg[3], bins = size[0] * size[1] * size[2];
    const size_t count = (size_t)n, cells = (size_t)bins;
    // W. Beatty and others (IEEE TMI 24, 2005) for this window on a grid twice as fine as need be.
    const double beta = (double)(float)(3.14159265358979 * sqrt(4.0 * 4.0 / 4 * 1.5 * 1.5 - 0.8));
    const float beta2 = (float)(beta * beta);
    const int room = BIN_ROOM;
    host_write_symbol(&h, "grid_size", size, sizeof size);
    host_write_symbol(&h, "bin_room", &room, sizeof room);
    host_write_symbol(&h, "window_beta2", &beta2, sizeof beta2);

    struct sample *samples = host_memory(count, sizeof *samples);
    draw_samples(&h, size, samples, count);

    // Pairs in whole blocks of the sort; those past n have the last key of all.
    int sort_blocks = up(n, 4 * SORT_THREADS), counts = sort_blocks * DIGITS;
    const size_t padded = (size_t)sort_blocks * 4 * SORT_THREADS;
    unsigned none = (unsigned)bins;
    uint32_t *keys = host_memory(padded, sizeof *keys), *values = host_memory(padded, sizeof *keys);
    for (size_t i = 0; i < padded; i++) keys[i] = UINT32_MAX;
    const size_t pair_bytes = padded * sizeof *keys;
    CUdeviceptr samples_dev = host_upload(&h, samples, count * sizeof *samples);
    CUdeviceptr keys_dev[2] = {host_upload(&h, keys, pair_bytes), host_alloc(&h, pair_bytes)};
    CUdeviceptr values_dev[2] = {host_upload(&h, values, pair_bytes), host_alloc(&h, pair_bytes)};
    int starts = bins + 1;
    CUdeviceptr starts_dev = host_alloc(&h, (size_t)starts * sizeof(uint32_t));
    CHECK(cuMemsetD32(starts_dev, 0, (size_t)starts));
    CUdeviceptr counts_dev = host_alloc(&h, (size_t)counts * sizeof(uint32_t));
    size_t sums = 1;
    while (sums * PAIR < (size_t)(starts > counts ? starts : counts)) sums *= 2;
    CUdeviceptr sums_dev = host_alloc(&h, sums * sizeof(uint32_t));

    const struct dim by_sample = {(unsigned)up(n, BIN_THREADS)}, bin_block = {BIN_THREADS};
    host_launch(host_kernel(&h, "binning_kernel"), by_sample, bin_block, 0, &samples_dev, &n,
                &keys_dev[0], &values_dev[0], &starts_dev, &none);

    const struct dim sort_grid = {(unsigned)sort_blocks}, sort_block = {SORT_THREADS};
    for (int shift = 0; shift < 32 && none >> shift; shift += RADIX_BITS) {
        host_launch(host_kernel(&h, "splitSort"), sort_grid, sort_block, 0, &shift, &keys_dev[0],
                    &values_dev[0], &counts_dev);
        scan(&h, counts_dev, counts, sums_dev);
        host_launch(host_kernel(&h, "splitRearrange"), sort_grid, sort_block, 0, &shift,
                    &keys_dev[0], &values_dev[0], &counts_dev, &keys_dev[1], &values_dev[1]);
        const CUdeviceptr key = keys_dev[0], value = values_dev[0];
        keys_dev[0] = keys_dev[1], values_dev[0] = values_dev[1];
        keys_dev[1] = key, values_dev[1] = value;
    }
    host_read(keys, keys_dev[0], pair_bytes);
    host_read(values, values_dev[0], pair_bytes);
    int kept = 0;
    while (kept < n && keys[kept] < none) kept++;

    CUdeviceptr signal_dev = host_alloc(&h, count * 2 * sizeof(float));
    CUdeviceptr place_dev = host_alloc(&h, count * 4 * sizeof(float));
    host_launch(host_kernel(&h, "reorder_kernel"), by_sample, bin_block, 0, &samples_dev, &kept,
                &values_dev[0], &signal_dev, &place_dev);
    scan(&h, starts_dev, starts, sums_dev);

    CUdeviceptr sum_dev = host_alloc(&h, cells * 2 * sizeof(float));
    CUdeviceptr density_dev = host_alloc(&h, cells * sizeof(float));
    const struct dim grid = {(unsigned)size[0] / 8, (unsigned)(size[1] / 4 * size[2] / 2)};
    const struct dim block = {8, 4, 2};
    host_launch(host_kernel(&h, "gridding_GPU"), grid, block, 0, &signal_dev, &place_dev,
                &starts_dev, &sum_dev, &density_dev);
    float *sum = host_memory(2 * cells, sizeof *sum), *dense = host_memory(cells, sizeof *dense);
    host_read(sum, sum_dev, 2 * cells * sizeof *sum);
    host_read(dense, density_dev, cells * sizeof *dense);

    // Every sample must have come through the sort once, keys in order.
    uint8_t *seen = host_memory(count, 1);
    size_t wrong = 0;
    for (int i = 0; i < n; i++) {
        wrong += values[i] >= count || seen[values[i]]++ || (i && keys[i - 1] > keys[i]);
        if (values[i] >= count) values[i] = 0;
    }
    host_check_that(&h, !wrong, "%zu of %d sorted pairs are out of place.", wrong, n);

    double(*want)[3] = host_memory(cells, sizeof *want),
    (*rest)[3] = host_memory(cells, sizeof *rest);
    double *bulk = host_memory(cells, sizeof *bulk), *edge = host_memory(cells, sizeof *edge);
    for (size_t i = 0; i < count; i++) hand_out(&samples[i], size, beta, want, bulk, edge);
    for (int i = kept; i < n; i++) hand_out(&samples[values[i]], size, beta, rest, NULL, NULL);

    // The argument 1 - (d/reach)^2 is off by 2^-22 at most. The window's logarithm changes by 80
    // times that at the rim, by 10 times that in the middle, where the weights are that make the
    // sum: 2^-18.7. The fit is right to 2^-21, its steps and __fdividef to 2^-20, a sum's order to
    // 2^-20: together less than 2^-17 of the sum of the weights; 2^-16 is allowed. A pair at the
    // rim itself, where the window falls from 1 to nothing, may count or not. Errors are in these.
    float *error = host_memory(3 * cells, sizeof *error);
    double *none_wanted = host_memory(3 * cells, sizeof *none_wanted);
    for (size_t i = 0; i < cells; i++) {
        const double allowed = 0x1p-16 * bulk[i] + edge[i] + 1e-9;
        const double got[3] = {(double)sum[2 * i], (double)sum[2 * i + 1], (double)dense[i]};
        for (size_t c = 0; c < 3; c++)
            error[3 * i + c] = (float)((got[c] + rest[i][c] - want[i][c]) / allowed);
    }
    host_check_float(&h, "sums (real, imaginary, density), as error over allowed error", error,
                     none_wanted, 3 * cells, 0, 1);

    free(samples);
    free(keys);
    free(values);
    free(sum);
    free(dense);
    free(seen);
    free(want);
    free(rest);
    free(bulk);
    free(edge);
    free(error);
    free(none_wanted);
    return host_close(&h);
}
