// Two files of -rdc=true that both print, assert and have variables of the same name to themselves:
// the compiler calls the strings of both `$str`. And shared memory on both sides of a call.
// expect stdout first 0 of 5
// expect stdout second 7 of 100
// expect stdout first kernel 107 5217
// expect stdout static kernel 103
#include "check.h"
#include <cassert>

__device__ int second(int x);
__device__ int reverse(int v);
void run_static();

static __device__ int own = 5;
static __device__ __noinline__ int get() { return own; }

__global__ void first(int *out) {
    __shared__ int mine[32];
    mine[threadIdx.x] = 5000;
    __syncthreads();
    if (threadIdx.x == 0) printf("first %d of %d\n", threadIdx.x, get());
    assert(get() == 5);
    const int r = reverse(200 + threadIdx.x);
    if (threadIdx.x == 0) out[0] = second(7);
    if (threadIdx.x == 14) out[1] = mine[14] + r;
}

int main() {
    int *d, h[2];
    OK(cudaMalloc(&d, sizeof h));
    first<<<1, 32>>>(d);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    std::printf("first kernel %d %d\n", h[0], h[1]);
    run_static();
    return 0;
}
