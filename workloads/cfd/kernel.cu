// cfd: the Euler equations of a compressible gas on an unstructured grid of cells with four
// neighbours, by finite volumes: central fluxes and a dissipation by the fastest wave, third-order
// Runge-Kutta steps. Five variables a cell, each an array of its own: own ones are coalesced, those
// of neighbours are gathered. What comes from far away is in constant memory.
#include "device.h"

#define GAMMA     1.4f
#define SMOOTHING 0.2f
#define RK        3
#define FACES     4
#define WING      -1 // in place of a neighbour: a solid wall
#define FAR       -2 // the undisturbed gas

CONSTANT(float, far_variable[5]);
CONSTANT(float, far_flux[12]); // of momentum along x, y and z, then of energy

struct vector {
    float x, y, z;
};
struct gas {
    float density, energy;
    vector momentum;
};
struct fluxes {
    vector momentum_x, momentum_y, momentum_z, energy;
};

DEVICE_FN gas load_gas(const float *variables, int cells, int i) {
    gas g;
    g.density = variables[i];
    g.momentum.x = variables[i + cells];
    g.momentum.y = variables[i + 2 * cells];
    g.momentum.z = variables[i + 3 * cells];
    g.energy = variables[i + 4 * cells];
    return g;
}
DEVICE_FN vector velocity_of(const gas &g) {
    vector v;
    v.x = g.momentum.x / g.density;
    v.y = g.momentum.y / g.density;
    v.z = g.momentum.z / g.density;
    return v;
}
DEVICE_FN float square(const vector &v) { return v.x * v.x + v.y * v.y + v.z * v.z; }
DEVICE_FN float pressure_of(const gas &g, float speed2) {
    return (GAMMA - 1.0f) * (g.energy - 0.5f * g.density * speed2);
}
DEVICE_FN float sound_of(const gas &g, float pressure) {
    return sqrtf(GAMMA * pressure / g.density);
}

DEVICE_FN fluxes fluxes_of(const gas &g, const vector &v, float pressure) {
    fluxes f;
    f.momentum_x.x = v.x * g.momentum.x + pressure;
    f.momentum_x.y = v.x * g.momentum.y;
    f.momentum_x.z = v.x * g.momentum.z;
    f.momentum_y.x = f.momentum_x.y;
    f.momentum_y.y = v.y * g.momentum.y + pressure;
    f.momentum_y.z = v.y * g.momentum.z;
    f.momentum_z.x = f.momentum_x.z;
    f.momentum_z.y = f.momentum_y.z;
    f.momentum_z.z = v.z * g.momentum.z + pressure;
    const float work = g.energy + pressure;
    f.energy.x = v.x * work;
    f.energy.y = v.y * work;
    f.energy.z = v.z * work;
    return f;
}

extern "C" __global__ void cuda_initialize_variables(int cells, float *variables) {
    const int i = (int)(blockDim.x * blockIdx.x + threadIdx.x);
#pragma unroll
    for (int j = 0; j < 5; j++) variables[i + j * cells] = far_variable[j];
}

extern "C" __global__ void cuda_compute_step_factor(int cells, const float *variables,
                                                    const float *areas, float *factors) {
    const int i = (int)(blockDim.x * blockIdx.x + threadIdx.x);
    const gas g = load_gas(variables, cells, i);
    const float speed2 = square(velocity_of(g));
    const float sound = sound_of(g, pressure_of(g, speed2));
    factors[i] = 0.5f / (sqrtf(areas[i]) * (sqrtf(speed2) + sound));
}

// Half of the normal's component times what two cells carry along that axis.
DEVICE_FN void carry(gas *sum, float half, float density, float energy, float mx, float my,
                     float mz) {
    sum->density += half * density;
    sum->energy += half * energy;
    sum->momentum.x += half * mx;
    sum->momentum.y += half * my;
    sum->momentum.z += half * mz;
}

extern "C" __global__ void cuda_compute_flux(int cells, const int *neighbours, const float *normals,
                                             const float *variables, float *sums) {
    const int i = (int)(blockDim.x * blockIdx.x + threadIdx.x);
    const gas mine = load_gas(variables, cells, i);
    const vector v = velocity_of(mine);
    const float speed2 = square(v), speed = sqrtf(speed2);
    const float pressure = pressure_of(mine, speed2), sound = sound_of(mine, pressure);
    const fluxes own = fluxes_of(mine, v, pressure);
    gas sum = {0.0f, 0.0f, {0.0f, 0.0f, 0.0f}};

#pragma unroll
    for (int j = 0; j < FACES; j++) {
        const int n = neighbours[i + j * cells];
        vector normal;
        normal.x = normals[i + (j + 0 * FACES) * cells];
        normal.y = normals[i + (j + 1 * FACES) * cells];
        normal.z = normals[i + (j + 2 * FACES) * cells];
        const float length = sqrtf(square(normal));
        if (n >= 0) {
            const gas g = load_gas(variables, cells, n);
            const vector w = velocity_of(g);
            const float other2 = square(w), p = pressure_of(g, other2);
            const fluxes theirs = fluxes_of(g, w, p);
            const float smooth =
                -length * SMOOTHING * 0.5f * (speed + sqrtf(other2) + sound + sound_of(g, p));
            carry(&sum, smooth, mine.density - g.density, mine.energy - g.energy,
                  mine.momentum.x - g.momentum.x, mine.momentum.y - g.momentum.y,
                  mine.momentum.z - g.momentum.z);
            carry(&sum, -0.5f * normal.x, g.momentum.x + mine.momentum.x,
                  theirs.energy.x + own.energy.x, theirs.momentum_x.x + own.momentum_x.x,
                  theirs.momentum_y.x + own.momentum_y.x, theirs.momentum_z.x + own.momentum_z.x);
            carry(&sum, -0.5f * normal.y, g.momentum.y + mine.momentum.y,
                  theirs.energy.y + own.energy.y, theirs.momentum_x.y + own.momentum_x.y,
                  theirs.momentum_y.y + own.momentum_y.y, theirs.momentum_z.y + own.momentum_z.y);
            carry(&sum, -0.5f * normal.z, g.momentum.z + mine.momentum.z,
                  theirs.energy.z + own.energy.z, theirs.momentum_x.z + own.momentum_x.z,
                  theirs.momentum_y.z + own.momentum_y.z, theirs.momentum_z.z + own.momentum_z.z);
        } else if (n == WING) {
            sum.momentum.x -= normal.x * pressure;
            sum.momentum.y -= normal.y * pressure;
            sum.momentum.z -= normal.z * pressure;
        } else {
            carry(&sum, -0.5f * normal.x, far_variable[1] + mine.momentum.x,
                  far_flux[9] + own.energy.x, far_flux[0] + own.momentum_x.x,
                  far_flux[3] + own.momentum_y.x, far_flux[6] + own.momentum_z.x);
            carry(&sum, -0.5f * normal.y, far_variable[2] + mine.momentum.y,
                  far_flux[10] + own.energy.y, far_flux[1] + own.momentum_x.y,
                  far_flux[4] + own.momentum_y.y, far_flux[7] + own.momentum_z.y);
            carry(&sum, -0.5f * normal.z, far_variable[3] + mine.momentum.z,
                  far_flux[11] + own.energy.z, far_flux[2] + own.momentum_x.z,
                  far_flux[5] + own.momentum_y.z, far_flux[8] + own.momentum_z.z);
        }
    }
    sums[i] = sum.density;
    sums[i + cells] = sum.momentum.x;
    sums[i + 2 * cells] = sum.momentum.y;
    sums[i + 3 * cells] = sum.momentum.z;
    sums[i + 4 * cells] = sum.energy;
}

extern "C" __global__ void cuda_time_step(int stage, int cells, const float *old, float *variables,
                                          const float *factors, const float *sums) {
    const int i = (int)(blockDim.x * blockIdx.x + threadIdx.x);
    const float factor = factors[i] / (float)(RK + 1 - stage);
#pragma unroll
    for (int j = 0; j < 5; j++)
        variables[i + j * cells] = old[i + j * cells] + factor * sums[i + j * cells];
}
