// dwtHaar1D: a signal's Haar wavelet decomposition, up to ten levels a launch. A block takes two
// elements a thread; differences of neighbours, level by level, go out, sums stay in shared memory,
// in place, at indices padded by one word in sixteen, and half of the threads fall idle each level.
#include "device.h"

#define INV_SQRT_2 0.70710678118654752440f
#define PADDED(i)  ((i) + ((i) >> 4))

extern "C" __global__ void initValue(float *out, float value, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = value;
}

// `half` of the launch's elements are the first level's differences, which go to out[half ..].
extern "C" __global__ void dwtHaar1D(const float *in, float *out, float *sums, unsigned levels,
                                     unsigned half) {
    DYNAMIC_SHARED(float, shared);
    const unsigned t = threadIdx.x, threads = blockDim.x;
    const unsigned at = blockIdx.x * 2 * threads + t;

    shared[t] = in[at];
    shared[t + threads] = in[at + threads];
    __syncthreads();
    const float left = shared[2 * t], right = shared[2 * t + 1];
    __syncthreads();
    out[blockIdx.x * threads + t + half] = (left - right) * INV_SQRT_2;
    shared[PADDED(t)] = (left + right) * INV_SQRT_2;
    __syncthreads();

    unsigned active = threads / 2, apart = 1, first = 2 * t;
    for (unsigned level = 1; level < levels; level++) {
        if (t < active) {
            const unsigned a = PADDED(first), b = PADDED(first + apart);
            out[gridDim.x * active + blockIdx.x * active + t] =
                (shared[a] - shared[b]) * INV_SQRT_2;
            shared[a] = (shared[a] + shared[b]) * INV_SQRT_2;
        }
        active /= 2;
        apart *= 2;
        first *= 2;
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = shared[0];
}
