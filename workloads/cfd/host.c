// cfd, host: a step is a copy, the step factors, and three times fluxes and an update.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "sizes.h"

enum { THREADS = 192, FACES = 4, WING = -1, FAR = -2, WINDOW = 64 };
static const double ratio = 1.4, smoothing = 0.2; // of specific heats; the dissipation's part

static const struct host_param params[] = {
    {"SIDE", 2, 80, "cells are 2 SIDE^3"},
    {"STEPS", 1, 2000, "of time"},
};
static const struct host_program program = {"cfd", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

struct gas {
    double v[5]; // density, momentum, energy
};

// What the gas carries through a face: mass, momentum and energy along the normal.
static struct gas through(const struct gas *g, const double normal[3], double *fastest) {
    double along = 0, speed2 = 0;
    for (int d = 0; d < 3; d++) {
        along += g->v[1 + d] / g->v[0] * normal[d];
        speed2 += g->v[1 + d] * g->v[1 + d] / (g->v[0] * g->v[0]);
    }
    const double p = (ratio - 1) * (g->v[4] - g->v[0] * speed2 / 2);
    struct gas f;
    for (int k = 0; k < 5; k++) f.v[k] = along * g->v[k];
    for (int d = 0; d < 3; d++) f.v[1 + d] += p * normal[d];
    f.v[4] += along * p;
    *fastest = sqrt(speed2) + sqrt(ratio * p / g->v[0]);
    return f;
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const int side = (int)h.arg[0];
    const int real = 2 * side * side * side;
    int cells = (real + THREADS - 1) / THREADS * THREADS;
    const size_t n = (size_t)cells;

    // A diamond lattice: two sorts of cells, each with four of the other around it as the corners
    // of a tetrahedron. Numbers are shuffled within windows, as those of a grid maker may be.
    int32_t *number = host_memory(n, sizeof *number);
    for (int i = 0; i < cells; i++) number[i] = i;
    for (int i = 0; i < real; i++) {
        const int end = i / WINDOW * WINDOW + WINDOW;
        const int j = i + (int)host_random_below(&h, (uint32_t)((end < real ? end : real) - i));
        const int32_t held = number[i];
        number[i] = number[j];
        number[j] = held;
    }
    static const double corner[FACES][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    const float part = 0.15f;
    float *areas = host_memory(n, sizeof *areas);
    float *normals = host_memory(3 * FACES * n, sizeof *normals);
    int32_t *neighbours = host_memory(FACES * n, sizeof *neighbours);
    for (size_t i = 0; i < n; i++) areas[i] = host_random_float(&h, 0.8f, 1.2f);
    for (int i = 0; i < cells; i++) { // the padding's cells are alone in the far gas
        const int site = i / 2, sort = i % 2;
        for (int j = 0; j < FACES; j++) {
            int at[3] = {site % side, site / side % side, site / side / side};
            if (j) at[j - 1] += sort ? 1 : -1;
            const bool in = at[0] >= 0 && at[1] >= 0 && at[2] >= 0 && at[0] < side &&
                            at[1] < side && at[2] < side && i < real;
            const size_t me = (size_t)number[i] + (size_t)j * n;
            neighbours[me] = in ? number[2 * ((at[2] * side + at[1]) * side + at[0]) + !sort]
                             : i < real && at[2] < 0 ? WING
                                                     : FAR;
            for (int d = 0; d < 3; d++)
                normals[me + (size_t)(d * FACES) * n] = (float)corner[j][d] * (sort ? -part : part);
        }
    }

    // A gas with a speed of sound of one moves at 1.2 times that, slightly upwards.
    struct gas far = {{1.4, 1.4 * 1.2, 0, 1.4 * 0.1, 0}};
    far.v[4] = 1 / (ratio - 1) + 1.4 * (1.2 * 1.2 + 0.1 * 0.1) / 2;
    float far_variable[5], far_flux[12];
    for (int k = 0; k < 5; k++) {
        far_variable[k] = (float)far.v[k];
        far.v[k] = (double)far_variable[k];
    }
    for (int d = 0; d < 3; d++) {
        double normal[3] = {0, 0, 0}, unused;
        normal[d] = 1;
        const struct gas f = through(&far, normal, &unused);
        for (int k = 0; k < 4; k++) far_flux[3 * k + d] = (float)f.v[1 + k];
    }
    host_write_symbol(&h, "far_variable", far_variable, sizeof far_variable);
    host_write_symbol(&h, "far_flux", far_flux, sizeof far_flux);

    CUdeviceptr areas_dev = host_upload(&h, areas, n * sizeof *areas);
    CUdeviceptr normals_dev = host_upload(&h, normals, 3 * FACES * n * sizeof *normals);
    CUdeviceptr neighbours_dev = host_upload(&h, neighbours, FACES * n * sizeof *neighbours);
    const size_t bytes = 5 * n * sizeof(float);
    CUdeviceptr variables_dev = host_alloc(&h, bytes), old_dev = host_alloc(&h, bytes);
    CUdeviceptr sums_dev = host_alloc(&h, bytes), factors_dev = host_alloc(&h, n * sizeof(float));
    const CUfunction initialize = host_kernel(&h, "cuda_initialize_variables");
    const CUfunction factor = host_kernel(&h, "cuda_compute_step_factor");
    const CUfunction flux = host_kernel(&h, "cuda_compute_flux");
    const CUfunction update = host_kernel(&h, "cuda_time_step");
    const struct dim grid = {(unsigned)(cells / THREADS)}, block = {THREADS};
    host_launch(initialize, grid, block, 0, &cells, &variables_dev);
    for (int64_t t = 0; t < h.arg[1]; t++) {
        CHECK(cuMemcpyDtoD(old_dev, variables_dev, bytes));
        host_launch(factor, grid, block, 0, &cells, &variables_dev, &areas_dev, &factors_dev);
        for (int stage = 1; stage <= 3; stage++) {
            host_launch(flux, grid, block, 0, &cells, &neighbours_dev, &normals_dev, &variables_dev,
                        &sums_dev);
            host_launch(update, grid, block, 0, &stage, &cells, &old_dev, &variables_dev,
                        &factors_dev, &sums_dev);
        }
    }
    float *got = host_memory(5 * n, sizeof *got);
    host_read(got, variables_dev, bytes);

    // In double precision and face by face: what leaves a cell enters its neighbour.
    struct gas *now = host_memory(n, sizeof *now), *old = host_memory(n, sizeof *old);
    struct gas *sum = host_memory(n, sizeof *sum);
    double *step = host_memory(n, sizeof *step);
    for (size_t i = 0; i < n; i++) now[i] = far;
    for (int64_t t = 0; t < h.arg[1]; t++) {
        memcpy(old, now, n * sizeof *now);
        for (size_t i = 0; i < n; i++) {
            double fastest, normal[3] = {0, 0, 0};
            through(&now[i], normal, &fastest);
            step[i] = 0.5 / (sqrt((double)areas[i]) * fastest);
        }
        for (int stage = 1; stage <= 3; stage++) {
            memset(sum, 0, n * sizeof *sum);
            for (size_t face = 0; face < FACES * n; face++) {
                const size_t me = face % n;
                const int32_t other = neighbours[face];
                if (other >= 0 && (size_t)other < me) continue;
                double normal[3], mine, theirs, length = 0;
                for (int d = 0; d < 3; d++) {
                    normal[d] = (double)normals[face + (size_t)(d * FACES) * n];
                    length += normal[d] * normal[d];
                }
                const struct gas *b = other >= 0 ? &now[other] : &far;
                const struct gas f = through(&now[me], normal, &mine);
                const struct gas g = through(b, normal, &theirs);
                for (int k = 0; k < 5; k++) {
                    double out = (f.v[k] + g.v[k]) / 2;
                    if (other >= 0)
                        out += sqrt(length) * smoothing / 2 * (mine + theirs) *
                               (now[me].v[k] - b->v[k]);
                    if (other == WING) { // pressure alone, found from a gas at rest
                        struct gas rest = now[me];
                        double unused;
                        for (int d = 1; d < 4; d++) {
                            rest.v[4] -= rest.v[d] * rest.v[d] / (2 * rest.v[0]);
                            rest.v[d] = 0;
                        }
                        out = through(&rest, normal, &unused).v[k];
                    }
                    sum[me].v[k] -= out;
                    if (other >= 0) sum[other].v[k] += out;
                }
            }
            for (size_t i = 0; i < n; i++)
                for (int k = 0; k < 5; k++)
                    now[i].v[k] = old[i].v[k] + step[i] / (4 - stage) * sum[i].v[k];
        }
    }
    // A sum has some 30 terms of up to 2, each right to a few units of 2^-24 with no common sign:
    // 2^-19. A step adds less than a quarter of it, three times: below 2^-19 a step, and a
    // sixteenth of that measured, for which 2^-20 leaves room.
    double *want = host_memory(5 * n, sizeof *want);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 5; k++) want[k * n + i] = now[i].v[k];
    host_check_float(&h, "variables", got, want, 5 * n, 0, 0x1p-20 * (double)h.arg[1]);

    free(number);
    free(areas);
    free(normals);
    free(neighbours);
    free(got);
    free(now);
    free(old);
    free(sum);
    free(step);
    free(want);
    return host_close(&h);
}
