// nbody, host: STEPS launches between two arrays of positions.
#include <math.h>
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

static const struct host_param params[] = {
    {"BODIES", 32, 1 << 20, "bodies, a multiple of P times Q"},
    {"P", 32, 512, "bodies a block"},
    {"Q", 1, 16, "threads a body"},
    {"STEPS", 1, 1000, "time steps"},
};
static const struct host_program program = {"nbody", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

struct body {
    double pos[3], vel[3], mass;
};

// One step in double, using Newton's third law: each pair is looked at once. Returns the largest
// sum of the sizes of the pulls on one body, on which the allowed error depends.
static double step_bodies(struct body *b, size_t n, double softening2, double dt, double damping) {
    double(*acc)[3] = host_memory(n, sizeof *acc);
    double *size = host_memory(n, sizeof *size);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            double r[3], d2 = softening2;
            for (int k = 0; k < 3; k++) {
                r[k] = b[j].pos[k] - b[i].pos[k];
                d2 += r[k] * r[k];
            }
            const double inverse3 = 1 / (d2 * sqrt(d2));
            for (int k = 0; k < 3; k++) {
                acc[i][k] += b[j].mass * r[k] * inverse3;
                acc[j][k] -= b[i].mass * r[k] * inverse3;
            }
            size[i] += b[j].mass / d2;
            size[j] += b[i].mass / d2;
        }
    }
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            b[i].vel[k] = (b[i].vel[k] + acc[i][k] * dt) * damping;
            b[i].pos[k] += b[i].vel[k] * dt;
        }
        largest = fmax(largest, size[i]);
    }
    free(acc);
    free(size);
    return largest;
}

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    unsigned n = (unsigned)h.arg[0];
    const unsigned p = (unsigned)h.arg[1], q = (unsigned)h.arg[2];
    const int steps = (int)h.arg[3];
    host_require(&h, p * q <= 512 && n % (p * q) == 0,
                 "P times Q must be at most 512 and divide BODIES.");
    float dt = 0.016f, damping = 0.995f;
    const float softening2 = 0.01f;
    const size_t bytes = 4 * (size_t)n * sizeof(float);

    struct body *bodies = host_memory(n, sizeof *bodies);
    float *pos = host_memory(n, 4 * sizeof *pos), *vel = host_memory(n, 4 * sizeof *vel);
    double *want = host_memory(n, 4 * sizeof *want);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 3; k++) {
            bodies[i].pos[k] = pos[4 * i + k] = host_random_float(&h, -1, 1);
            bodies[i].vel[k] = vel[4 * i + k] = host_random_float(&h, -0.5f, 0.5f);
        }
        bodies[i].mass = pos[4 * i + 3] = host_random_float(&h, 0.5f, 1.5f) / (float)n;
        vel[4 * i + 3] = 1;
    }

    CUdeviceptr from = host_upload(&h, pos, bytes), to = host_alloc(&h, bytes);
    CUdeviceptr vel_dev = host_upload(&h, vel, bytes);
    host_write_symbol(&h, "softening_squared", &softening2, sizeof softening2);
    const CUfunction kernel = host_kernel(&h, q > 1 ? "integrateBodiesMT" : "integrateBodies");
    for (int s = 0; s < steps; s++) {
        host_launch(kernel, (struct dim){n / p}, ((struct dim){p, q}), p * q * 4 * sizeof(float),
                    &to, &from, &vel_dev, &dt, &damping, &n);
        const CUdeviceptr swap = from;
        from = to;
        to = swap;
    }
    host_read(pos, from, bytes);
    host_read(vel, vel_dev, bytes);

    // An acceleration is a sum of n pulls: n roundings, of either sign, of at most the sum of the
    // pulls' sizes, for which eight times the root of n is ample, and some 15 roundings of a pull's
    // own (rsqrt.approx counts 2 ulp, three times). That is tight enough to miss no body. Other
    // steps inherit it through dt; positions and velocities stay below 4, three roundings each.
    double pull = 0;
    for (int s = 0; s < steps; s++)
        pull = fmax(pull, step_bodies(bodies, n, (double)softening2, (double)dt, (double)damping));
    const double vel_error = steps * ((double)dt * pull * (8 * sqrt(n) + 15) + 12) * 0x1p-24;
    const double pos_error = steps * ((double)dt * vel_error + 4 * 0x1p-24);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 3; k++) want[4 * i + k] = bodies[i].pos[k];
        want[4 * i + 3] = bodies[i].mass;
    }
    host_check_float(&h, "positions", pos, want, 4 * (size_t)n, 0, pos_error);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 3; k++) want[4 * i + k] = bodies[i].vel[k];
        want[4 * i + 3] = 1;
    }
    host_check_float(&h, "velocities", vel, want, 4 * (size_t)n, 0, vel_error);

    free(bodies);
    free(pos);
    free(vel);
    free(want);
    return host_close(&h);
}
