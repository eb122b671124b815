// Several files, linked with -rdc=true: device functions and variables across them.
// expect stdout ok
#include "check.h"
#include "linked.h"

__device__ int steps = 2;
extern __constant__ int offsets[4];

__global__ void walk(int *out) { out[threadIdx.x] = advance(threadIdx.x) + offsets[threadIdx.x]; }

int main() {
    int *d, h[4];
    OK(cudaMalloc(&d, sizeof h));
    walk<<<1, 4>>>(d);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++) CHECK(h[i] == i + 2 * 3 + 100 * i);
    set_offset(2, 77);
    const int seven = 7;
    OK(cudaMemcpyToSymbol(steps, &seven, sizeof seven));
    walk<<<1, 4>>>(d);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[1] == 1 + 21 + 100 && h[2] == 2 + 21 + 77);
    other_kernel(d);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 8 && h[3] == 11);
    std::puts("ok");
    return 0;
}
