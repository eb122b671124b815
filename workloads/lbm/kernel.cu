// lbm: one step of a lattice Boltzmann fluid in three dimensions with 19 velocities (D3Q19), in a
// box whose lid moves. Streaming and collision are fused: a thread has a cell, reads its 19
// populations, relaxes them towards equilibrium and stores each in the neighbour it moves to. A
// wall turns what came in back. Populations are planes of their own, so that loads are coalesced
// and aligned, and the stores of those that move along x are off by one. Straight-line code, no
// shared memory.
#include "device.h"

#define CELL_WALL 1
#define CELL_LID  2

// Every population: its number, its velocity, the number of the opposite one, its weight.
// clang-format off
#define POPULATIONS(_)                                                                             \
    _(0,   0,  0,  0,  0, 1.0f / 3)                                                                \
    _(1,   1,  0,  0,  2, 1.0f / 18) _(2,  -1,  0,  0,  1, 1.0f / 18)                              \
    _(3,   0,  1,  0,  4, 1.0f / 18) _(4,   0, -1,  0,  3, 1.0f / 18)                              \
    _(5,   0,  0,  1,  6, 1.0f / 18) _(6,   0,  0, -1,  5, 1.0f / 18)                              \
    _(7,   1,  1,  0,  8, 1.0f / 36) _(8,  -1, -1,  0,  7, 1.0f / 36)                              \
    _(9,   1, -1,  0, 10, 1.0f / 36) _(10, -1,  1,  0,  9, 1.0f / 36)                              \
    _(11,  1,  0,  1, 12, 1.0f / 36) _(12, -1,  0, -1, 11, 1.0f / 36)                              \
    _(13,  1,  0, -1, 14, 1.0f / 36) _(14, -1,  0,  1, 13, 1.0f / 36)                              \
    _(15,  0,  1,  1, 16, 1.0f / 36) _(16,  0, -1, -1, 15, 1.0f / 36)                              \
    _(17,  0,  1, -1, 18, 1.0f / 36) _(18,  0, -1,  1, 17, 1.0f / 36)
// clang-format on

// A velocity times a vector without multiplying; -0 is what an addition leaves out.
template <int X, int Y, int Z> DEVICE_FN float along(float x, float y, float z) {
    const float a = X > 0 ? x : X < 0 ? -x : -0.0f;
    const float b = Y > 0 ? y : Y < 0 ? -y : -0.0f;
    const float c = Z > 0 ? z : Z < 0 ? -z : -0.0f;
    return a + b + c;
}
template <int SIGN> DEVICE_FN float signed_part(float f) {
    return SIGN > 0 ? f : SIGN < 0 ? -f : -0.0f;
}

// `from` and `to`: the first cell of the first plane; cells: of a plane, with padding and margins.
DEVICE_FN void stream_collide(const float *from, float *to, const int *flags, int cells, int row,
                              int slice, float omega) {
    const int at = (int)threadIdx.x + (int)blockIdx.x * row + (int)blockIdx.y * slice;
    const int flag = flags[at];
#define LOAD(n, x, y, z, opposite, weight) const float f##n = from[n * cells + at];
    POPULATIONS(LOAD)

    if (flag & CELL_WALL) {
#define TURN(n, x, y, z, opposite, weight)                                                         \
    to[n * cells + at + (x) + (y)*row + (z)*slice] = f##opposite;
        POPULATIONS(TURN)
        return;
    }

    float rho = -0.0f, ux = -0.0f, uy = -0.0f, uz = -0.0f;
#define SUM(n, x, y, z, opposite, weight)                                                          \
    rho += f##n;                                                                                   \
    ux += signed_part<x>(f##n);                                                                    \
    uy += signed_part<y>(f##n);                                                                    \
    uz += signed_part<z>(f##n);
    POPULATIONS(SUM)
    ux /= rho;
    uy /= rho;
    uz /= rho;
    if (flag & CELL_LID) {
        ux = 0.005f;
        uy = 0.002f;
        uz = 0.0f;
    }

    const float u2 = 1.5f * (ux * ux + uy * uy + uz * uz) - 1.0f;
    const float keep = 1.0f - omega, part = omega * rho;
#define COLLIDE(n, x, y, z, opposite, weight)                                                      \
    {                                                                                              \
        const float u = along<x, y, z>(ux, uy, uz);                                                \
        to[n * cells + at + (x) + (y)*row + (z)*slice] =                                           \
            keep * f##n + (weight)*part * (u * (4.5f * u + 3.0f) - u2);                            \
    }
    POPULATIONS(COLLIDE)
}

// The suite's program knows its lattice when it is compiled, so that a population's address is the
// cell's and a constant. This is for 120 x 120 cells and at most 80 layers; host.c has the same.
#define ROW    128
#define SLICE  (ROW * 120)
#define MARGIN (SLICE + ROW + 32)
#define CELLS  (SLICE * 80 + 2 * MARGIN)
extern "C" __global__ void performStreamCollide_kernel(const float *from, float *to,
                                                       const int *flags, float omega) {
    stream_collide(from, to, flags, CELLS, ROW, SLICE, omega);
}

// Any other lattice.
extern "C" __global__ void performStreamCollide_any(const float *from, float *to, const int *flags,
                                                    int cells, int row, int slice, float omega) {
    stream_collide(from, to, flags, cells, row, slice, omega);
}
