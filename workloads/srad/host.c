// srad, host: five launches an iteration or more; the two sums come back each time, since the
// statistics of the whole image (mean and variance) decide the next step.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 512 };

static const struct host_param params[] = {
    {"ROWS", 2, 1 << 12, "rows of the image"},
    {"COLUMNS", 2, 1 << 12, "columns of the image"},
    {"ITERATIONS", 1, 1000, "steps"},
};
static const struct host_program program = {"srad", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};
static const float step = 0.5f; // lambda

// One step, in double, on an image with a border that repeats its edge.
struct picture {
    int rows, columns;
    double *at; // (rows + 2) * (columns + 2), by rows
};
static double *pixel(const struct picture *p, int y, int x) {
    return &p->at[(size_t)(y + 1) * (size_t)(p->columns + 2) + (size_t)(x + 1)];
}
static void repeat_edges(const struct picture *p) {
    for (int y = 0; y < p->rows; y++) {
        *pixel(p, y, -1) = *pixel(p, y, 0);
        *pixel(p, y, p->columns) = *pixel(p, y, p->columns - 1);
    }
    for (int x = -1; x <= p->columns; x++) {
        *pixel(p, -1, x) = *pixel(p, 0, x);
        *pixel(p, p->rows, x) = *pixel(p, p->rows - 1, x);
    }
}
static void diffuse(const struct picture *image, const struct picture *c) {
    const double n = (double)image->rows * image->columns;
    double mean = 0, variance = 0;
    for (int y = 0; y < image->rows; y++)
        for (int x = 0; x < image->columns; x++) mean += *pixel(image, y, x) / n;
    for (int y = 0; y < image->rows; y++)
        for (int x = 0; x < image->columns; x++) variance += pow(*pixel(image, y, x) - mean, 2) / n;
    const double q0 = variance / (mean * mean);

    repeat_edges(image);
    for (int y = 0; y < image->rows; y++) {
        for (int x = 0; x < image->columns; x++) {
            const double here = *pixel(image, y, x);
            const double around[4] = {
                *pixel(image, y - 1, x) / here - 1, *pixel(image, y + 1, x) / here - 1,
                *pixel(image, y, x - 1) / here - 1, *pixel(image, y, x + 1) / here - 1};
            double sum = 0, squares = 0;
            for (int i = 0; i < 4; i++) {
                sum += around[i];
                squares += around[i] * around[i];
            }
            const double q = (squares / 2 - sum * sum / 16) / pow(1 + sum / 4, 2);
            *pixel(c, y, x) = fmin(fmax(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0), 1);
        }
    }
    repeat_edges(c);
    // Flow across each edge between two pixels, governed by the lower or right one's coefficient.
    double *flow = host_memory((size_t)image->rows * image->columns, sizeof *flow);
    for (int y = 0; y < image->rows; y++) {
        for (int x = 0; x < image->columns; x++) {
            double *here = &flow[(size_t)y * image->columns + x];
            if (y + 1 < image->rows) {
                const double f =
                    *pixel(c, y + 1, x) * (*pixel(image, y + 1, x) - *pixel(image, y, x));
                *here += f;
                here[image->columns] -= f;
            }
            if (x + 1 < image->columns) {
                const double f =
                    *pixel(c, y, x + 1) * (*pixel(image, y, x + 1) - *pixel(image, y, x));
                here[0] += f;
                here[1] -= f;
            }
        }
    }
    for (int y = 0; y < image->rows; y++)
        for (int x = 0; x < image->columns; x++)
            *pixel(image, y, x) += (double)step / 4 * flow[(size_t)y * image->columns + x];
    free(flow);
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int rows = (int)h.arg[0], columns = (int)h.arg[1], n = rows * columns;
    const int iterations = (int)h.arg[2];
    const size_t count = (size_t)n, bytes = count * sizeof(float);
    const size_t bordered = (size_t)(rows + 2) * (size_t)(columns + 2);

    // A bright ring on a dark ground under multiplicative speckle.
    float *image = host_memory(count, sizeof *image);
    double *want = host_memory(count, sizeof *want);
    struct picture p = {rows, columns, host_memory(bordered, sizeof(double))};
    struct picture c = {rows, columns, host_memory(bordered, sizeof(double))};
    for (int x = 0; x < columns; x++) {
        for (int y = 0; y < rows; y++) {
            const double r = hypot(2.0 * y / rows - 1, 2.0 * x / columns - 1);
            const float level = r > 0.4 && r < 0.7 ? 170 : 60;
            float *at = &image[(size_t)x * rows + y];
            *at = floorf(level * host_random_float(&h, 0.5f, 1.5f));
            *pixel(&p, y, x) = exp((double)*at / 255);
        }
    }
    int32_t *north = host_memory((size_t)rows, 4), *south = host_memory((size_t)rows, 4);
    int32_t *west = host_memory((size_t)columns, 4), *east = host_memory((size_t)columns, 4);
    for (int y = 0; y < rows; y++) {
        north[y] = y > 0 ? y - 1 : 0;
        south[y] = y < rows - 1 ? y + 1 : y;
    }
    for (int x = 0; x < columns; x++) {
        west[x] = x > 0 ? x - 1 : 0;
        east[x] = x < columns - 1 ? x + 1 : x;
    }

    CUdeviceptr image_dev = host_upload(&h, image, bytes);
    CUdeviceptr north_dev = host_upload(&h, north, (size_t)rows * 4);
    CUdeviceptr south_dev = host_upload(&h, south, (size_t)rows * 4);
    CUdeviceptr west_dev = host_upload(&h, west, (size_t)columns * 4);
    CUdeviceptr east_dev = host_upload(&h, east, (size_t)columns * 4);
    CUdeviceptr sums = host_alloc(&h, bytes), squares = host_alloc(&h, bytes);
    CUdeviceptr dn = host_alloc(&h, bytes), ds = host_alloc(&h, bytes);
    CUdeviceptr dw = host_alloc(&h, bytes), de = host_alloc(&h, bytes);
    CUdeviceptr coefficient = host_alloc(&h, bytes);
    const CUfunction prepare = host_kernel(&h, "prepare"), reduce = host_kernel(&h, "reduce");
    const CUfunction srad = host_kernel(&h, "srad"), srad2 = host_kernel(&h, "srad2");
    const struct dim grid = {((unsigned)n + THREADS - 1) / THREADS}, block = {THREADS};
    float lambda = step;

    host_launch(host_kernel(&h, "extract"), grid, block, 0, &image_dev, &n);
    for (int i = 0; i < iterations; i++) {
        host_launch(prepare, grid, block, 0, &image_dev, &sums, &squares, &n);
        int stride = 1;
        for (int left = n; left > 1; left = (left + THREADS - 1) / THREADS, stride *= THREADS)
            host_launch(reduce, (struct dim){((unsigned)left + THREADS - 1) / THREADS}, block, 0,
                        &left, &stride, &sums, &squares);
        float total, total_squares;
        host_read(&total, sums, sizeof total);
        host_read(&total_squares, squares, sizeof total_squares);
        const float mean = total / (float)n;
        float q0 = (total_squares / (float)n - mean * mean) / (mean * mean);
        host_launch(srad, grid, block, 0, &north_dev, &south_dev, &west_dev, &east_dev, &dn, &ds,
                    &dw, &de, &q0, &coefficient, &image_dev, &rows, &n);
        host_launch(srad2, grid, block, 0, &lambda, &south_dev, &east_dev, &dn, &ds, &dw, &de,
                    &coefficient, &image_dev, &rows, &n);
    }
    host_launch(host_kernel(&h, "compress"), grid, block, 0, &image_dev, &n);
    host_read(image, image_dev, bytes);

    for (int i = 0; i < iterations; i++) diffuse(&p, &c);
    for (int x = 0; x < columns; x++)
        for (int y = 0; y < rows; y++) want[(size_t)x * rows + y] = 255 * log(*pixel(&p, y, x));
    // In grey levels of 255. The variance is a difference of sums (about a hundredth of them), so
    // q0 is off by some 2^-16 of itself, a coefficient by as much, and a pixel by that of a step
    // of at most 0.5 * (a difference below 1) an iteration: 255 * 2^-17 each.
    host_check_float(&h, "image", image, want, count, 0, 255 * 0x1p-17 * (iterations + 1));

    free(image);
    free(want);
    free(p.at);
    free(c.at);
    free(north);
    free(south);
    free(west);
    free(east);
    return host_close(&h);
}
