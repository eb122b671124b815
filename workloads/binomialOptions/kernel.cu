// binomialOptions: prices of European calls by a binomial tree, a block of 256 threads an option.
// The values at a level of the tree are in global memory. A block takes them 256 at a time into
// shared memory, goes 32 levels towards the root between two buffers, by which 32 values at the
// right end lose a neighbour, and puts 224 back; then the next piece, then the next 32 levels.
//
// With WW_VOLTA as the sample of CUDA 11 has it: a block of 128 threads keeps the whole level,
// sixteen neighbouring values a thread, in registers, and each level every thread gets the value to
// the right of its own through shared memory. A thread stops where no value of its own is left.
#include "device.h"

#define THREADS 256
#define LEVELS  32 // a piece goes at once
#define PIECE   (THREADS - LEVELS)

struct option {
    float price, strike, drift; // drift: the logarithm of a step up
    float up, down;             // discounted probabilities of a step
};
#define MAX_OPTIONS 1024
CONSTANT(option, options[MAX_OPTIONS]);

#ifdef WW_VOLTA
#define EACH       16
#define IN_THREADS 128

// What the option is worth at the last level, after i steps up.
DEVICE_FN float payoff(int o, int i, int steps) {
    const float value =
        options[o].price * expf(options[o].drift * (2.0f * (float)i - (float)steps)) -
        options[o].strike;
    return i <= steps && value > 0.0f ? value : 0.0f;
}

extern "C" __global__ void __launch_bounds__(IN_THREADS)
    binomialOptions(float *result, float *, int steps) {
    __shared__ float first[IN_THREADS + 1]; // of each thread's values; the last: beyond all of them
    const int t = (int)threadIdx.x, o = (int)blockIdx.x;
    const float up = options[o].up, down = options[o].down;
    float value[EACH + 1];
#pragma unroll
    for (int j = 0; j < EACH; j++) value[j] = payoff(o, t * EACH + j, steps);
    if (t == 0) first[IN_THREADS] = payoff(o, IN_THREADS * EACH, steps);
    const int stop = max(0, t * EACH - 1);
#pragma unroll 1
    for (int i = steps; i > 0; i--) {
        first[t] = value[0];
        __syncthreads();
        value[EACH] = first[t + 1];
        __syncthreads();
        if (i > stop) {
#pragma unroll
            for (int j = 0; j < EACH; j++) value[j] = up * value[j + 1] + down * value[j];
        }
    }
    if (t == 0) result[o] = value[0];
}
#else
extern "C" __global__ void binomialOptions(float *result, float *levels, int steps) {
    __shared__ float a[THREADS + 1], b[THREADS + 1];
    const int t = (int)threadIdx.x, o = (int)blockIdx.x;
    float *level = levels + o * (steps + 16);
    const float up = options[o].up, down = options[o].down;

    for (int i = t; i <= steps; i += THREADS) {
        const float value =
            options[o].price * expf(options[o].drift * (2.0f * (float)i - (float)steps)) -
            options[o].strike;
        level[i] = value > 0.0f ? value : 0.0f;
    }
    // A short piece leaves words that are read, though nothing comes of them.
    a[t] = b[t] = 0.0f;
    if (t == 0) a[THREADS] = b[THREADS] = 0.0f;
    for (int i = steps; i > 0; i -= LEVELS) {
        for (int base = 0; base < i; base += PIECE) {
            const int start = min(THREADS - 1, i - base), end = start - LEVELS;
            __syncthreads();
            if (t <= start) a[t] = level[base + t];
            for (int k = start - 1; k >= end; k -= 2) {
                __syncthreads();
                b[t] = up * a[t + 1] + down * a[t];
                __syncthreads();
                a[t] = up * b[t + 1] + down * b[t];
            }
            __syncthreads();
            if (t <= end) level[base + t] = a[t];
        }
    }
    if (t == 0) result[o] = a[0];
}
#endif
