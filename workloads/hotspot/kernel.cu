// hotspot: temperatures of a chip by an explicit difference scheme, several time steps a launch. A
// block loads a 16 x 16 tile and steps it in shared memory; each step the outermost ring of the
// tile loses a neighbour and falls idle, so tiles overlap by 2 * border and a launch of `steps` <=
// border steps still gives every cell once (ghost zones, or a pyramid in time). At the edges of the
// chip a missing neighbour is the cell itself.
//
// The factor 2.0 of the second differences is a double, as in the original: a few FP64 instructions
// a step, on machines where those are scarce.
#include "device.h"

#define TILE    16
#define AMBIENT 80.0f // degrees, as the original has it

extern "C" __global__ void hotspot(const float *power, const float *temp_in, float *temp_out,
                                   int steps, int border, int cols, int rows, float capacity,
                                   float rx, float ry, float rz, float step) {
    __shared__ float now[TILE][TILE], next[TILE][TILE], heat[TILE][TILE];
    const float rate = step / capacity;
    const float gx = 1.0f / rx, gy = 1.0f / ry, gz = 1.0f / rz;

    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    const int inner = TILE - 2 * border;
    const int x0 = (int)blockIdx.x * inner - border, y0 = (int)blockIdx.y * inner - border;
    const int x = x0 + tx, y = y0 + ty;
    const int at = y * cols + x;
    if (x >= 0 && x < cols && y >= 0 && y < rows) {
        now[ty][tx] = temp_in[at];
        heat[ty][tx] = power[at];
    }
    __syncthreads();

    // The part of the tile that is on the chip, and each thread's neighbours within it.
    const int left = max(0, -x0), right = min(TILE, cols - x0) - 1;
    const int top = max(0, -y0), bottom = min(TILE, rows - y0) - 1;
    const int west = max(tx - 1, left), east = min(tx + 1, right);
    const int north = max(ty - 1, top), south = min(ty + 1, bottom);
    const bool on_chip = tx >= left && tx <= right && ty >= top && ty <= bottom;

    bool computed = false;
    for (int s = 0; s < steps; s++) {
        computed = on_chip && tx > s && tx < TILE - 1 - s && ty > s && ty < TILE - 1 - s;
        if (computed) {
            const float here = now[ty][tx];
            next[ty][tx] =
                here +
                rate * (heat[ty][tx] + (now[south][tx] + now[north][tx] - 2.0 * here) * gy +
                        (now[ty][east] + now[ty][west] - 2.0 * here) * gx + (AMBIENT - here) * gz);
        }
        __syncthreads();
        if (s == steps - 1) break;
        if (computed) now[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (computed) temp_out[at] = next[ty][tx];
}
