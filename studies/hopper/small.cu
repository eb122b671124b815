// A small kernel again and again, as gpu-benches' gpu-small-kernels has it within one launch: each turn scales an array of
// doubles into another, and ends when all blocks have: at a barrier that counts in a word of its own for every turn (own), or at
// one that turns its uppermost bit, as a barrier of the grid does (grid).
#include "device.h"

static __device__ void turn(double *__restrict__ a, const double *b, int n) {
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) a[i] = b[i] * 0.25;
}

extern "C" {
__global__ void own(int *count, double *a, const double *b, int n, int turns) {
    volatile int *const seen = count;
    for (int t = 0; t < turns; t++) {
        turn(a, b, n);
        __syncthreads();
        __threadfence();
        if (threadIdx.x == 0) {
            atomicAdd(&count[t], 1);
            while (seen[t] != gridDim.x) {}
        }
        __syncthreads();
    }
}
__global__ void grid(int *count, double *a, const double *b, int n, int turns) {
    volatile int *const seen = count;
    for (int t = 0; t < turns; t++) {
        turn(a, b, n);
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            const int before = atomicAdd(count, blockIdx.x == 0 ? 0x80000001 - gridDim.x : 1);
            while ((before ^ *seen) >= 0) {}
            __threadfence();
        }
        __syncthreads();
    }
}
}
