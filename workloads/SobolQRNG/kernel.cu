// SobolQRNG: Sobol's quasi-random sequences after Bratley and Fox, a dimension a row of blocks. An
// element is the exclusive or of the direction numbers that its index's Gray code names. A thread
// makes one element from scratch, then every stride-th: with a power of two for a stride, two
// direction numbers lead from one to the next, one always the same, the other found by the lowest
// zero bit of the index.
#include "device.h"

#define DIRECTIONS 32

extern "C" __global__ void sobol(unsigned vectors, const unsigned *directions, float *out) {
    __shared__ unsigned v[DIRECTIONS];
    directions += DIRECTIONS * blockIdx.y;
    out += vectors * blockIdx.y;
    if (threadIdx.x < DIRECTIONS) v[threadIdx.x] = directions[threadIdx.x];
    __syncthreads();

    const unsigned first = threadIdx.x + blockIdx.x * blockDim.x;
    const unsigned stride = gridDim.x * blockDim.x;
    const unsigned log2_stride = (unsigned)__builtin_ffs((int)stride) - 1;
    unsigned gray = first ^ (first >> 1), x = 0;
    for (unsigned k = 0; k < log2_stride; k++) {
        x ^= (0u - (gray & 1)) & v[k]; // no branch
        gray >>= 1;
    }
    if (first < vectors) out[first] = (float)x * 0x1p-32f;

    const unsigned always = v[log2_stride - 1], low = stride - 1;
    for (unsigned i = first + stride; i < vectors; i += stride) {
        x ^= always ^ v[__builtin_ffs((int)~((i - stride) | low)) - 1];
        out[i] = (float)x * 0x1p-32f;
    }
}
