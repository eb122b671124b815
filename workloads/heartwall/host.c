// heartwall, host: a frame goes to the device, with sixteen bytes of constants that say which, and
// a launch follows it; places come back at the end. Each is checked against the scores of that
// frame, given the places before it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 512, MAX_POINTS = 51, ENDO_OF_51 = 20, MARGIN = 12, GRAIN = 3 };

static const struct host_param params[] = {
    {"POINTS", 1, MAX_POINTS, "on the two walls"},
    {"FRAMES", 2, 104, "of the film"},
    {"TEMPLATE", 3, 51, "its side, odd"},
    {"WINDOW", 5, 81, "its side, odd, at least as large"},
};
static const struct host_program program = {"heartwall", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// As the kernel's.
struct point {
    uint64_t model, window, scores, weighted, padded, bands, sums, squares, mask, place, found;
};
struct shape {
    int32_t rows, columns, side, window, reach, smooth, endo, frames;
};
struct moment {
    uint64_t frame;
    int32_t number, reserved;
};

// Speckle: noise on a coarse grid, smooth between; from 0.25 to 1, so that no window is all dark.
struct speckle {
    float *grain;
    size_t rows, columns;
};
static float speckle_at(const struct speckle *s, float row, float column) {
    row = fminf(fmaxf(row / GRAIN, 0), (float)(s->rows - 2));
    column = fminf(fmaxf(column / GRAIN, 0), (float)(s->columns - 2));
    const size_t r = (size_t)row, c = (size_t)column;
    const float y = row - (float)r, x = column - (float)c;
    const float *g = s->grain + r * s->columns + c;
    return (1 - y) * ((1 - x) * g[0] + x * g[1]) +
           y * ((1 - x) * g[s->columns] + x * g[s->columns + 1]);
}

// The heart beats: what was at a distance from the middle is at another, up to a tenth more, and
// the walls, two bright rings, with it.
static void make_frame(struct host *h, const struct speckle *s, float *frame, int rows, int columns,
                       int number) {
    const float beat = 1 + 0.05f * sinf(0.6f * (float)number);
    const float r0 = (float)rows / 2, c0 = (float)columns / 2, radius = 0.25f * (float)rows;
    for (int c = 0; c < columns; c++) {
        for (int r = 0; r < rows; r++) {
            const float y = ((float)r - r0) / beat, x = ((float)c - c0) / beat;
            const float distance = sqrtf(x * x + y * y) / radius;
            const float wall = fmaxf(expf(-40 * (distance - 0.7f) * (distance - 0.7f)),
                                     expf(-40 * (distance - 1.3f) * (distance - 1.3f)));
            const float v = speckle_at(s, y + r0, x + c0) * (0.6f + 0.4f * wall);
            frame[c * rows + r] = fminf(fmaxf(v + host_random_float(h, -0.02f, 0.02f), 0.25f), 1);
        }
    }
}

// ------------------------------------------------------------------------------- reference

struct reference {
    int rows, side, window, reach, smooth;
    double *model; // row after row
    double *score; // of the frame in hand, and times the mask
    double *weighted;
};

// The normalised correlation of the template with each square that overlaps the window, outside of
// which all is zero: mean and deviation of every square from its own elements.
static void score_frame(const struct reference *ref, const float *frame, int base_row,
                        int base_column, int last_row, int last_column) {
    const int side = ref->side, size = ref->window, scores = size + side - 1, n = side * side;
    double mean = 0, spread = 0;
    for (int i = 0; i < n; i++) mean += ref->model[i] / n;
    for (int i = 0; i < n; i++) spread += (ref->model[i] - mean) * (ref->model[i] - mean);
    for (int row = 0; row < scores; row++) {
        for (int column = 0; column < scores; column++) {
            double sum = 0, square = 0, product = 0;
            for (int y = 0; y < side; y++) {
                const int r = row - side + 1 + y;
                if (r < 0 || r >= size) continue;
                for (int x = 0; x < side; x++) {
                    const int c = column - side + 1 + x;
                    if (c < 0 || c >= size) continue;
                    const double v = (double)
                        frame[(base_column + c - size / 2) * ref->rows + base_row + r - size / 2];
                    sum += v;
                    square += v * v;
                    product += v * (ref->model[y * side + x] - mean);
                }
            }
            const double both = sqrt((square - sum * sum / n) * spread);
            double weight = 0;
            for (int y = row - ref->smooth / 2; y < row - ref->smooth / 2 + ref->smooth; y++)
                for (int x = column - ref->smooth / 2; x < column - ref->smooth / 2 + ref->smooth;
                     x++)
                    weight += y >= 0 && y < scores && x >= 0 && x < scores &&
                              abs(y - scores / 2 - last_row) <= ref->reach &&
                              abs(x - scores / 2 - last_column) <= ref->reach;
            // Matrices are column after column, as the device's.
            ref->score[column * scores + row] = both > 0 ? product / both : 0;
            ref->weighted[column * scores + row] =
                ref->score[column * scores + row] * weight / (ref->smooth * ref->smooth);
        }
    }
}

static void mix_model(const struct reference *ref, const float *frame, int row, int column,
                      double part) {
    const int side = ref->side;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            double *m = &ref->model[y * side + x];
            *m += part * (frame[(column + x - side / 2) * ref->rows + row + y - side / 2] - *m);
        }
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const int points = (int)h.arg[0], frames = (int)h.arg[1];
    const int side = (int)h.arg[2], size = (int)h.arg[3];
    host_require(&h, side % 2 && size % 2 && size >= side,
                 "TEMPLATE and WINDOW must be odd, WINDOW no smaller.");
    const int scores = size + side - 1, pad = size + 2 * side;
    // Room for the rings and what the windows need around them.
    const int rows = 4 * (size + MARGIN), columns = rows;
    const size_t pixels = (size_t)rows * (size_t)columns, map = (size_t)scores * (size_t)scores;
    struct shape shape = {.rows = rows,
                          .columns = columns,
                          .side = side,
                          .window = size,
                          .reach = side / 5 + 1,
                          .smooth = side / 5,
                          .endo = points * ENDO_OF_51 / MAX_POINTS,
                          .frames = frames};
    if (shape.smooth < 1) shape.smooth = 1;

    struct speckle speckle = {.rows = (size_t)rows / GRAIN + 3,
                              .columns = (size_t)columns / GRAIN + 3};
    speckle.grain = host_memory(speckle.rows * speckle.columns, sizeof *speckle.grain);
    for (size_t i = 0; i < speckle.rows * speckle.columns; i++)
        speckle.grain[i] = host_random_float(&h, 0.25f, 1);
    float *film = host_memory(pixels * (size_t)frames, sizeof *film);
    for (int f = 0; f < frames; f++)
        make_frame(&h, &speckle, film + pixels * (size_t)f, rows, columns, f);

    // Every point's matrices one after the other in one allocation each.
    const size_t of_template = 4 * (size_t)(side * side), of_window = 4 * (size_t)(size * size);
    const size_t each[] = {of_template,
                           of_window,
                           4 * map,
                           4 * map,
                           4 * (size_t)(pad * pad),
                           4 * (size_t)(scores * pad),
                           4 * map,
                           4 * map,
                           4 * map,
                           16,
                           8 * (size_t)frames};
    CUdeviceptr matrix[HOST_COUNT(each)];
    for (size_t i = 0; i < HOST_COUNT(each); i++)
        matrix[i] = host_alloc(&h, each[i] * (size_t)points);
    uint64_t table[MAX_POINTS][HOST_COUNT(each)];
    int32_t place[MAX_POINTS][4];
    for (int p = 0; p < points; p++) {
        for (size_t i = 0; i < HOST_COUNT(each); i++) table[p][i] = matrix[i] + each[i] * (size_t)p;
        const bool is_inner = p < shape.endo;
        const int k = is_inner ? p : p - shape.endo,
                  of = is_inner ? shape.endo : points - shape.endo;
        const double angle = 2 * acos(-1.0) * k / of, radius = (is_inner ? 0.7 : 1.3) * 0.25 * rows;
        place[p][0] = (int)(rows / 2 + radius * sin(angle));
        place[p][1] = (int)(columns / 2 + radius * cos(angle));
        place[p][2] = place[p][3] = 0;
    }
    host_write(matrix[9], place, 16 * (size_t)points);
    host_write_symbol(&h, "inner", table, (size_t)shape.endo * sizeof table[0]);
    host_write_symbol(&h, "outer", table + shape.endo,
                      (size_t)(points - shape.endo) * sizeof table[0]);
    host_write_symbol(&h, "common", &shape, sizeof shape);

    CUdeviceptr frame_dev = host_alloc(&h, pixels * sizeof *film);
    const CUfunction track = host_kernel(&h, "track");
    for (int f = 0; f < frames; f++) {
        host_write(frame_dev, film + pixels * (size_t)f, pixels * sizeof *film);
        const struct moment now = {.frame = frame_dev, .number = f};
        host_write_symbol(&h, "now", &now, sizeof now);
        host_launch(track, (struct dim){(unsigned)points}, (struct dim){THREADS}, 0, NULL);
    }
    int32_t *found = host_memory((size_t)points * (size_t)frames * 2, sizeof *found);
    float *got = host_memory((size_t)points * map, sizeof *got);
    host_read(found, matrix[10], each[10] * (size_t)points);
    host_read(got, matrix[2], each[2] * (size_t)points);

    struct reference ref = {rows,
                            side,
                            size,
                            shape.reach,
                            shape.smooth,
                            host_memory((size_t)(side * side), sizeof(double)),
                            host_memory((size_t)points * map, sizeof(double)),
                            host_memory(map, sizeof(double))};
    double *const score = ref.score;
    float *chosen = host_memory((size_t)points * (size_t)frames, sizeof *chosen);
    double *best = host_memory((size_t)points * (size_t)frames, sizeof *best);
    size_t lost = 0, n = 0;
    for (int p = 0; p < points; p++) {
        const int32_t *at = found + 2 * p * frames;
        int base_row = place[p][0], base_column = place[p][1];
        lost += at[0] != base_row || at[1] != base_column;
        mix_model(&ref, film, base_row, base_column, 1);
        ref.score = score + (size_t)p * map;
        int last_row = 0, last_column = 0;
        for (int f = 1; f < frames; f++) {
            const float *frame = film + pixels * (size_t)f;
            score_frame(&ref, frame, base_row, base_column, last_row, last_column);
            last_row = at[2 * f] - base_row;
            last_column = at[2 * f + 1] - base_column;
            const int i = last_row + scores / 2, j = last_column + scores / 2;
            if (i < 0 || i >= scores || j < 0 || j >= scores) {
                lost++;
                break;
            }
            best[n] = ref.weighted[0];
            for (size_t k = 1; k < map; k++) best[n] = fmax(best[n], ref.weighted[k]);
            chosen[n++] = (float)ref.weighted[j * scores + i];
            if (f % 10) continue;
            base_row += last_row;
            base_column += last_column;
            mix_model(&ref, frame, base_row, base_column, 0.13);
            last_row = last_column = 0;
        }
    }
    // Window sums are differences of running sums of up to 81 * 81 squares below 1, so good to some
    // 81 * 81 * 2^-24. Near the middle, a square's sum of squared deviations is some hundredths an
    // element; in a corner, where one element overlaps, at least 0.25^2.
    host_check_that(&h, lost == 0, "%zu points were lost.", lost);
    const double sums = (double)size * size * 0x1p-24;
    host_check_float(&h, "scores of the places found", chosen, best, n, 0,
                     4 * sums / (0.01 * side));
    host_check_float(&h, "scores of the last frame", got, score, (size_t)points * map, 0,
                     4 * sums / (0.25 * 0.25));

    free(speckle.grain);
    free(film);
    free(found);
    free(got);
    free(ref.model);
    free(score);
    free(ref.weighted);
    free(chosen);
    free(best);
    return host_close(&h);
}
