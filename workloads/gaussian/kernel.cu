// gaussian: Gaussian elimination without pivoting, two launches a column. fan1 computes the column
// of multipliers, fan2 subtracts the multiples of the pivot row from all rows below it and, in its
// first column of threads, from the right-hand side. Grids cover the whole matrix each time, so
// that the later the launch the more threads leave at once.
//
// Neighbouring threads are neighbouring rows, in fan2 too: nothing coalesces. That is how the
// original has it, and fan2's blocks are 4 x 4, half a warp.
#include "device.h"

extern "C" __global__ void fan1(float *multipliers, const float *a, int size, int t) {
    const int i = (int)(threadIdx.x + blockIdx.x * blockDim.x);
    if (i >= size - 1 - t) return;
    multipliers[size * (i + t + 1) + t] = a[size * (i + t + 1) + t] / a[size * t + t];
}

extern "C" __global__ void fan2(const float *multipliers, float *a, float *b, int size, int t) {
    const int x = (int)(threadIdx.x + blockIdx.x * blockDim.x);
    const int y = (int)(threadIdx.y + blockIdx.y * blockDim.y);
    if (x >= size - 1 - t || y >= size - t) return;
    const int row = x + t + 1;
    a[size * row + y + t] -= multipliers[size * row + t] * a[size * t + y + t];
    if (y == 0) b[row] -= multipliers[size * row + t] * b[t];
}
