// eigenvalues, host: a matrix of up to 512 rows goes through the kernel for small ones; any goes
// through the three for large ones, whose grids depend on what the first finds.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { SMALL = 512, LARGE = 256 };

static const struct host_param params[] = {
    {"ROWS", 2, 4096, "of the matrix"},
    {"INTERVALS", 1, LARGE, "with more than these the first kernel for large matrices ends"},
};
static const struct host_program program = {"eigenvalues", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// All eigenvalues by the QL method with Wilkinson's shifts (Bowdler, Martin, Reinsch and Wilkinson
// 1968): rotations that chase an element down the diagonal until it vanishes. Nothing is counted.
static bool ql(double *d, double *e, size_t n) { // e[i] beside d[i] and d[i + 1]; e[n - 1] = 0
    for (size_t l = 0; l < n; l++) {
        for (int sweep = 0;; sweep++) {
            size_t m = l;
            while (m + 1 < n && fabs(e[m]) > 0x1p-53 * (fabs(d[m]) + fabs(d[m + 1]))) m++;
            if (m == l) break;
            if (sweep == 100) return false;
            const double half = (d[l + 1] - d[l]) / (2 * e[l]);
            double g = d[m] - d[l] + e[l] / (half + copysign(hypot(half, 1), half));
            double s = 1, c = 1, p = 0;
            size_t i = m;
            while (i-- > l) {
                const double f = s * e[i], b = c * e[i], r = hypot(f, g);
                e[i + 1] = r;
                if (r == 0) {
                    d[i + 1] -= p;
                    e[m] = 0;
                    break;
                }
                s = f / r;
                c = g / r;
                const double back = d[i + 1] - p, turn = (d[i] - back) * s + 2 * c * b;
                p = s * turn;
                d[i + 1] = back + p;
                g = c * turn - b;
            }
            if (i + 1 > l) continue; // a rotation of nothing: once more
            d[l] -= p;
            e[l] = g;
            e[m] = 0;
        }
    }
    qsort(d, n, sizeof *d, by_size);
    return true;
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int n = (int)h.arg[0], most = (int)h.arg[1];
    const size_t rows = (size_t)n;
    float *diagonal = host_memory(rows, sizeof *diagonal);
    float *square = host_memory(rows, sizeof *square); // square[i] is beside i - 1 and i
    double *d = host_memory(rows, sizeof *d), *e = host_memory(rows, sizeof *e);
    for (size_t i = 0; i < rows; i++) {
        diagonal[i] = host_random_float(&h, -1, 1);
        const float beside = host_random_float(&h, -1, 1);
        if (i) square[i] = fmaxf(beside * beside, 1e-12f); // none is zero, so no two rows part
        d[i] = diagonal[i];
        if (i) e[i - 1] = sqrt(square[i]);
    }
    // Gershgorin's circles, and a little, since bounds are rounded.
    double least = HUGE_VAL, greatest = -HUGE_VAL;
    for (size_t i = 0; i < rows; i++) {
        const double reach = e[i] + (i ? e[i - 1] : 0);
        least = fmin(least, d[i] - reach);
        greatest = fmax(greatest, d[i] + reach);
    }
    float low = (float)least - 1e-4f, high = (float)greatest + 1e-4f, precision = 1e-5f;
    const double size = fmax(fabs(low), fabs(high));
    double *want = d; // from here on
    host_check_that(&h, ql(want, e, rows), "the reference did not come to an end.");

    // An interval is at most `precision` wide, or two units in the last place; counts of the
    // recurrence are exact for a matrix whose elements are off by a few roundings (Kahan 1966), and
    // so are its eigenvalues.
    const double allowed = 0.5 * precision + 8 * 0x1p-24 * size;
    float *got = host_memory(rows, sizeof *got);
    CUdeviceptr diagonal_dev = host_upload(&h, diagonal, rows * sizeof *diagonal);
    CUdeviceptr square_dev = host_upload(&h, square, rows * sizeof *square);
    CUdeviceptr values_dev = host_alloc(&h, rows * sizeof *got);
    if (n <= SMALL) {
        CHECK(cuMemsetD8(values_dev, 0xff, rows * sizeof *got));
        host_launch(host_kernel(&h, "bisect"), (struct dim){1}, (struct dim){SMALL}, 0,
                    &diagonal_dev, &square_dev, &n, &low, &high, &precision, &values_dev);
        host_read(got, values_dev, rows * sizeof *got);
        host_check_float(&h, "values of the small kernel", got, want, rows, 0, allowed);
    }

    CUdeviceptr list[8]; // one: left, right, below; several: left, right, below twice; starts
    for (size_t i = 0; i < HOST_COUNT(list); i++) list[i] = host_alloc(&h, 4 * (2 * LARGE + 1));
    CUdeviceptr counts_dev = host_alloc(&h, 3 * sizeof(int32_t));
    CHECK(cuMemsetD8(values_dev, 0xff, rows * sizeof *got));
    CHECK(cuMemsetD8(counts_dev, 0, 3 * sizeof(int32_t)));
    host_launch(host_kernel(&h, "bisectLarge"), (struct dim){1}, (struct dim){LARGE}, 0,
                &diagonal_dev, &square_dev, &n, &low, &high, &precision, &most, &list[0], &list[1],
                &list[2], &list[3], &list[4], &list[5], &list[6], &list[7], &counts_dev);
    int32_t counts[3]; // intervals with one, groups, whether an interval has too many
    host_read(counts, counts_dev, sizeof counts);
    host_require(&h, !counts[2],
                 "an interval has more than %d eigenvalues; ROWS is too many for INTERVALS.",
                 LARGE);
    if (counts[0])
        host_launch(host_kernel(&h, "bisectOneIntervals"),
                    (struct dim){(unsigned)(counts[0] + LARGE - 1) / LARGE}, (struct dim){LARGE}, 0,
                    &diagonal_dev, &square_dev, &n, &counts[0], &precision, &list[0], &list[1],
                    &list[2], &values_dev);
    if (counts[1])
        host_launch(host_kernel(&h, "bisectMultIntervals"), (struct dim){(unsigned)counts[1]},
                    (struct dim){LARGE}, 0, &diagonal_dev, &square_dev, &n, &precision, &list[7],
                    &list[3], &list[4], &list[5], &list[6], &values_dev);
    host_read(got, values_dev, rows * sizeof *got);
    host_check_float(&h, "values", got, want, rows, 0, allowed);

    free(diagonal);
    free(square);
    free(d);
    free(e);
    free(got);
    return host_close(&h);
}
