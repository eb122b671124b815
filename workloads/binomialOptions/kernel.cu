// binomialOptions: prices of European calls by a binomial tree, a block of 256 threads an option.
// The values at a level of the tree are in global memory. A block takes them 256 at a time into
// shared memory, goes 32 levels towards the root between two buffers, by which 32 values at the
// right end lose a neighbour, and puts 224 back; then the next piece, then the next 32 levels.
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
