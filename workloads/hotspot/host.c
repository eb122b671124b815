// hotspot, host: ITERATIONS time steps, up to PYRAMID of them a launch, between two buffers.
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { TILE = 16 };

// The chip of the published model: silicon of half a millimetre, 16 mm wide.
static const float chip_side_m = 0.016f, chip_thickness_m = 0.0005f;
static const float heat_capacity = 1.75e6f; // J / (m3 K)
static const float conductivity = 100.0f;   // W / (m K)
static const float capacity_factor = 0.5f;
static const float max_power_density = 3.0e6f; // W / m2
static const float precision_k = 0.001f;       // the most that one step may heat a cell
static const float ambient = 80.0f;

static const struct host_param params[] = {
    {"SIDE", 16, 1 << 13, "rows and columns of the grid"},
    {"PYRAMID", 1, 7, "time steps a launch"},
    {"ITERATIONS", 1, 10000, "time steps"},
};
static const struct host_program program = {"hotspot", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

// One step over the whole grid, in double, as a sum of flows into each cell.
static void step_grid(const double *from, double *to, const float *power, int side, double rate,
                      double g_side, double g_ambient) {
    for (int y = 0; y < side; y++) {
        for (int x = 0; x < side; x++) {
            const size_t at = (size_t)y * side + x;
            const double here = from[at];
            double flow = power[at] + ((double)ambient - here) * g_ambient;
            if (x > 0) flow += (from[at - 1] - here) * g_side;
            if (x < side - 1) flow += (from[at + 1] - here) * g_side;
            if (y > 0) flow += (from[at - side] - here) * g_side;
            if (y < side - 1) flow += (from[at + side] - here) * g_side;
            to[at] = here + rate * flow;
        }
    }
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    int side = (int)h.arg[0], pyramid = (int)h.arg[1], cols = side, rows = side;
    const int iterations = (int)h.arg[2];
    const size_t count = (size_t)side * side, bytes = count * sizeof(float);

    const float cell = chip_side_m / (float)side;
    float capacity = capacity_factor * heat_capacity * chip_thickness_m * cell * cell;
    float rx = cell / (2.0f * conductivity * chip_thickness_m * cell), ry = rx;
    float rz = chip_thickness_m / (conductivity * cell * cell);
    float step = precision_k * (capacity_factor * chip_thickness_m * heat_capacity) /
                 max_power_density; // seconds

    float *temp = host_memory(count, sizeof *temp);
    float *power = host_memory(count, sizeof *power);
    double *want[2] = {host_memory(count, sizeof(double)), host_memory(count, sizeof(double))};
    const float max_power = max_power_density * cell * cell;
    for (size_t i = 0; i < count; i++) {
        want[0][i] = temp[i] = host_random_float(&h, 323, 341);
        power[i] = host_random_float(&h, 0, max_power);
    }

    CUdeviceptr power_dev = host_upload(&h, power, bytes);
    CUdeviceptr from = host_upload(&h, temp, bytes), to = host_alloc(&h, bytes);
    const CUfunction kernel = host_kernel(&h, "hotspot");
    const unsigned inner = (unsigned)(TILE - 2 * pyramid);
    const struct dim grid = {((unsigned)cols + inner - 1) / inner,
                             ((unsigned)rows + inner - 1) / inner};
    for (int done = 0; done < iterations; done += pyramid) {
        int steps = iterations - done < pyramid ? iterations - done : pyramid;
        host_launch(kernel, grid, ((struct dim){TILE, TILE}), 0, &power_dev, &from, &to, &steps,
                    &pyramid, &cols, &rows, &capacity, &rx, &ry, &rz, &step);
        const CUdeviceptr swap = from;
        from = to;
        to = swap;
    }
    host_read(temp, from, bytes);

    for (int i = 0; i < iterations; i++)
        step_grid(want[i % 2], want[(i + 1) % 2], power, side, (double)step / (double)capacity,
                  1.0 / (double)rx, 1.0 / (double)rz);
    // The scheme smooths, so errors do not grow: each step adds at most the rounding of a number
    // below 512 (2^-16) and a part of that from the flows; 2^-15 a step together.
    host_check_float(&h, "temperatures", temp, want[iterations % 2], count, 0,
                     iterations * 0x1p-15);

    free(temp);
    free(power);
    free(want[0]);
    free(want[1]);
    return host_close(&h);
}
