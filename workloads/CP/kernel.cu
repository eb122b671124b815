// CP: the electrostatic potential of atoms at the points of a plane, by direct summation. All atoms
// (x, y, the square of z, charge) are in constant memory, where all threads read the same one; a
// 16 x 8 block has 32 x 8 points, two a thread, sixteen columns apart.
//
// The reciprocal root is the special-function unit's, as compilers of its time made it.
#include "device.h"

#define MAX_ATOMS 4000
#define BLOCK_X   16
#define BLOCK_Y   8
CONSTANT(float4, atoms[MAX_ATOMS]);

extern "C" __global__ void cenergy(int count, float spacing, float *energy) {
    const int x = (int)(blockIdx.x * BLOCK_X * 2 + threadIdx.x);
    const int y = (int)(blockIdx.y * BLOCK_Y + threadIdx.y);
    const int at = (int)(gridDim.x * BLOCK_X * 2) * y + x;
    const float px = spacing * (float)x, py = spacing * (float)y;

    float first = 0.0f, second = 0.0f;
    for (int i = 0; i < count; i++) {
        const float dy = py - atoms[i].y;
        const float dyz = dy * dy + atoms[i].z;
        const float dx = px - atoms[i].x;
        const float dx2 = dx + spacing * BLOCK_X;
        first += atoms[i].w * rsqrtf(dx * dx + dyz);
        second += atoms[i].w * rsqrtf(dx2 * dx2 + dyz);
    }
    energy[at] += first;
    energy[at + BLOCK_X] += second;
}
