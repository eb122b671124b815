// The second file of linked_prints.cu.
#include "check.h"
#include <cassert>

static __device__ int own = 100;
static __device__ __noinline__ int get() { return own; }

__device__ int second(int x) {
    printf("second %d of %d\n", x, get());
    assert(x < 8);
    return x + get();
}

__device__ __noinline__ int reverse(int v) {
    __shared__ int theirs[32];
    theirs[threadIdx.x] = v;
    __syncthreads();
    return theirs[31 - threadIdx.x];
}

static __global__ void alone() { printf("static kernel %d\n", 3 + get()); }

void run_static() {
    alone<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
}
