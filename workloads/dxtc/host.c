// dxtc, host: lists of cuts, an image in squares, one launch. What is checked is the error of the
// compressed squares against the best that an exhaustive search can do.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "sizes.h"

#define TOLERANCE (48 * 0x1p-22)
enum { SIDE = 4, PIXELS = 16, THREADS = 64, CUTS4 = 992, CUTS3 = 160 };

static const struct host_param params[] = {
    {"WIDTH", SIDE, 1 << 12, "columns of the image, a multiple of 4"},
    {"HEIGHT", SIDE, 1 << 12, "rows of the image, a multiple of 4"},
};
static const struct host_program program = {"dxtc", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// All ways to cut sixteen in a row into `runs` runs, some empty, the colours of whose pixels are
// `value`, two bits a pixel. Returns how many; the rest of the list stays zero (one run).
static unsigned list_cuts(uint32_t *list, unsigned runs, const uint32_t value[4]) {
    unsigned n = 0;
    for (unsigned a = 0; a <= PIXELS; a++) {
        for (unsigned b = a; b <= PIXELS; b++) {
            for (unsigned c = b; c <= PIXELS; c++) {
                if (runs == 3 && c != b) break;
                uint32_t cut = 0;
                for (unsigned i = 0; i < PIXELS; i++)
                    cut |= value[(i >= a) + (i >= b) + (runs == 4 && i >= c)] << (2 * i);
                list[n++] = cut;
            }
        }
    }
    return n;
}

// ------------------------------------------------------------------------------- reference

// What one square needs: its colours in order along the axis, and sums of the first k of them.
struct square {
    double colour[PIXELS][3], sum[PIXELS + 1][3], squares;
    bool tied; // two unlike colours so close along the axis that their order is not certain
};

static void sort_square(const uint32_t *pixel, struct square *s) {
    double raw[PIXELS][3], mean[3] = {0}, m[3][3] = {{0}}, v[3] = {1, 1, 1}, along[PIXELS];
    for (int i = 0; i < PIXELS; i++)
        for (int k = 0; k < 3; k++) mean[k] += raw[i][k] = (pixel[i] >> (8 * k) & 255) / 255.0;
    for (int i = 0; i < PIXELS; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                m[j][k] += (raw[i][j] - mean[j] / PIXELS) * (raw[i][k] - mean[k] / PIXELS);
    double loose = 0; // how far the device's axis may be off, in roundings
    for (int step = 0; step < 8; step++) {
        double w[3] = {0}, most = 0, size = 0;
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) w[j] += m[j][k] * v[k], size = fmax(size, fabs(m[j][k]));
            most = fmax(most, fabs(w[j]));
        }
        loose += most > 0 ? size / most : 1e9; // cancellation: few good bits are left
        for (int j = 0; j < 3; j++) v[j] = most > 0 ? w[j] / most : 0;
    }
    int order[PIXELS];
    for (int i = 0; i < PIXELS; i++) {
        along[i] = raw[i][0] * v[0] + raw[i][1] * v[1] + raw[i][2] * v[2];
        int at = i;
        for (; at > 0 && along[order[at - 1]] > along[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    s->squares = 0;
    s->tied = loose > 1e4;
    memset(s->sum[0], 0, sizeof s->sum[0]);
    for (int i = 0; i < PIXELS; i++) {
        memcpy(s->colour[i], raw[order[i]], sizeof raw[0]);
        for (int k = 0; k < 3; k++) {
            s->sum[i + 1][k] = s->sum[i][k] + s->colour[i][k];
            s->squares += s->colour[i][k] * s->colour[i][k];
        }
        // Projections are sums of three products of numbers up to 1, rounded six times to float,
        // along an axis that is itself off by some hundred roundings, more after cancellation.
        if (i && memcmp(s->colour[i], s->colour[i - 1], sizeof s->colour[i]) &&
            along[order[i]] - along[order[i - 1]] < fmax(2e-5, 8 * 0x1p-24 * loose))
            s->tied = true;
    }
}

// A colour between two steps of its five or six bits: which one the device takes is not certain
// when the quotient in single precision may lie on either side of the middle.
static bool is_halfway(double x) { return fabs(fabs(x - rint(x)) - 0.5) < 1e-3; }

// What a channel's two colours, in steps, add to the error of a cut.
static double cost(double a, double b, double aa, double bb, double ab, double x, double y,
                   double steps) {
    return (a * a * aa + b * b * bb + 2 * a * b * ab) / (steps * steps) -
           2 * (a * x + b * y) / steps;
}

// The least error of a mode by sums of runs: no list of cuts, no loop over pixels. `*halfway` says
// whether a cut that has it, or would with a colour between two steps rounded the other way, has
// such a colour.
static double best_of(const struct square *s, int runs, const double *weight, bool *halfway) {
    double best = HUGE_VAL, lowest = HUGE_VAL; // of cuts with a colour between two steps
    int end[4] = {0, 0, 0, PIXELS};
    for (end[0] = 0; end[0] <= PIXELS; end[0]++) {
        for (end[1] = end[0]; end[1] <= PIXELS; end[1]++) {
            for (end[2] = runs == 3 ? PIXELS : end[1]; end[2] <= PIXELS; end[2]++) {
                double aa = 0, bb = 0, ab = 0, error = s->squares, low = s->squares;
                double x[3] = {0}, y[3] = {0};
                bool between = false;
                for (int run = 0, from = 0; run < runs; from = end[run++]) {
                    const double w = weight[run], u = 1 - w, n = end[run] - from;
                    aa += n * w * w;
                    bb += n * u * u;
                    ab += n * w * u;
                    for (int k = 0; k < 3; k++) {
                        const double sum = s->sum[end[run]][k] - s->sum[from][k];
                        x[k] += w * sum;
                        y[k] += u * sum;
                    }
                }
                const double det = aa * bb - ab * ab;
                if (det < 1e-9) continue;
                for (int k = 0; k < 3; k++) {
                    const double steps = k == 1 ? 63 : 31;
                    const double a_at = fmin(fmax((x[k] * bb - y[k] * ab) / det, 0), 1) * steps,
                                 b_at = fmin(fmax((y[k] * aa - x[k] * ab) / det, 0), 1) * steps,
                                 a = rint(a_at), b = rint(b_at),
                                 a_too = is_halfway(a_at) ? a + copysign(1, a_at - a) : a,
                                 b_too = is_halfway(b_at) ? b + copysign(1, b_at - b) : b;
                    const double here = cost(a, b, aa, bb, ab, x[k], y[k], steps);
                    between |= is_halfway(a_at) || is_halfway(b_at);
                    error += here;
                    low += fmin(fmin(here, cost(a_too, b, aa, bb, ab, x[k], y[k], steps)),
                                fmin(cost(a, b_too, aa, bb, ab, x[k], y[k], steps),
                                     cost(a_too, b_too, aa, bb, ab, x[k], y[k], steps)));
                }
                best = fmin(best, error);
                if (between) lowest = fmin(lowest, low);
            }
        }
    }
    *halfway = lowest < best + TOLERANCE;
    return best;
}

// The error of a compressed square, decoded pixel by pixel.
static double decoded_error(const uint32_t *pixel, const uint32_t code[2]) {
    const uint32_t first = code[0] & 0xffff, second = code[0] >> 16;
    double error = 0;
    for (int i = 0; i < PIXELS; i++) {
        static const double four[4] = {1, 0, 2 / 3.0, 1 / 3.0}, three[4] = {1, 0, 0.5, 0};
        const unsigned bits = code[1] >> (2 * i) & 3;
        if (first <= second && bits == 3) return HUGE_VAL; // transparent
        const double w = first > second ? four[bits] : three[bits];
        for (int k = 0; k < 3; k++) {
            static const int shift[3] = {11, 5, 0}, top[3] = {31, 63, 31};
            const double a = (double)(first >> shift[k] & (uint32_t)top[k]) / top[k];
            const double b = (double)(second >> shift[k] & (uint32_t)top[k]) / top[k];
            const double off = w * a + (1 - w) * b - (pixel[i] >> (8 * k) & 255) / 255.0;
            error += off * off;
        }
    }
    return error;
}

// ---------------------------------------------------------------------------------- image

static uint32_t level(float v) { return v < 0 ? 0u : v > 255 ? 255u : (uint32_t)v; }

// Slopes of colour, an edge, a texture in one corner and noise; square after square.
static void make_image(struct host *h, uint32_t *image, unsigned width, unsigned height) {
    for (unsigned y = 0; y < height; y++) {
        for (unsigned x = 0; x < width; x++) {
            const float u = (float)x / (float)width, v = (float)y / (float)height;
            float r = 40 + 180 * u, g = 30 + 150 * v, b = 120 + 90 * sinf(7 * u + 3 * v);
            if (u * u + v * v < 0.3f) r = 220 - r, b *= 0.4f;
            if (u > 0.6f && v > 0.5f) g += 50 * sinf(2.1f * (float)x) * cosf(1.7f * (float)y);
            const uint32_t pixel = level(r + host_random_float(h, -9, 9)) |
                                   level(g + host_random_float(h, -9, 9)) << 8 |
                                   level(b + host_random_float(h, -9, 9)) << 16;
            const unsigned square = y / SIDE * (width / SIDE) + x / SIDE;
            image[square * PIXELS + y % SIDE * SIDE + x % SIDE] = pixel;
        }
    }
    for (unsigned i = 0; i < PIXELS; i++) image[i] = 0x00336699; // one square of one colour
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const unsigned width = (unsigned)h.arg[0], height = (unsigned)h.arg[1];
    host_require(&h, width % SIDE == 0 && height % SIDE == 0,
                 "WIDTH and HEIGHT must be multiples of 4.");
    const unsigned squares = width * height / PIXELS;
    uint32_t *image = host_memory((size_t)squares * PIXELS, sizeof *image);
    make_image(&h, image, width, height);

    // By bits: the first colour, the second, two thirds and one third of the first; a half.
    static const float weights4[4] = {1, 0, 2 / 3.0f, 1 / 3.0f}, weights3[4] = {1, 0, 0.5f, 0};
    static const uint32_t products4[4] = {0x000009, 0x000900, 0x020104, 0x020401};
    static const uint32_t products3[4] = {0x000004, 0x000400, 0x010101, 0};
    static const uint32_t along4[4] = {0, 2, 3, 1}, along3[4] = {0, 2, 1, 1};
    uint32_t cuts4[CUTS4] = {0}, cuts3[CUTS3] = {0};
    host_check_that(&h, list_cuts(cuts4, 4, along4) == 969 && list_cuts(cuts3, 3, along3) == 153,
                    "the lists of cuts are wrong.");
    host_write_symbol(&h, "weights4", weights4, sizeof weights4);
    host_write_symbol(&h, "weights3", weights3, sizeof weights3);
    host_write_symbol(&h, "products4", products4, sizeof products4);
    host_write_symbol(&h, "products3", products3, sizeof products3);

    CUdeviceptr image_dev = host_upload(&h, image, (size_t)squares * PIXELS * sizeof *image);
    CUdeviceptr cuts4_dev = host_upload(&h, cuts4, sizeof cuts4);
    CUdeviceptr cuts3_dev = host_upload(&h, cuts3, sizeof cuts3);
    CUdeviceptr out_dev = host_alloc(&h, (size_t)squares * 8);
    host_launch(host_kernel(&h, "compress"), (struct dim){squares}, (struct dim){THREADS}, 0,
                &image_dev, &cuts4_dev, &cuts3_dev, &out_dev);
    uint32_t(*code)[2] = host_memory(squares, sizeof *code);
    host_read(code, out_dev, (size_t)squares * 8);

    // The device's error is a sum of a few terms up to 48 in size and good to 2^-24 of that each,
    // so of cuts as close as 48 * 2^-22 it may take the wrong one; and it cannot be better than the
    // best. Squares where the order is uncertain, or a colour of the best cut is half-way between
    // two steps, may be off by more; there may be few of those, and they must still be within twice
    // the best.
    float *got = host_memory(squares, sizeof *got);
    double *want = host_memory(squares, sizeof *want);
    size_t tied = 0, wild = 0;
    for (unsigned i = 0; i < squares; i++) {
        struct square s;
        sort_square(image + (size_t)i * PIXELS, &s);
        bool between4, between3;
        const double best4 = best_of(&s, 4, (const double[]){1, 2 / 3.0, 1 / 3.0, 0}, &between4);
        const double best = fmin(best4, best_of(&s, 3, (const double[]){1, 0.5, 0}, &between3));
        const double error = decoded_error(image + (size_t)i * PIXELS, code[i]);
        if (s.tied || between4 || between3) {
            tied++;
            wild += !(error <= 2 * best + 1e-3);
            continue;
        }
        got[i] = (float)error;
        want[i] = best;
    }
    host_check_float(&h, "errors", got, want, squares, 0, TOLERANCE);
    host_check_that(&h, tied <= squares / 10 + 1 && wild == 0,
                    "%zu squares have an uncertain best, %zu of them a wild result.", tied, wild);

    free(image);
    free(code);
    free(got);
    free(want);
    return host_close(&h);
}
