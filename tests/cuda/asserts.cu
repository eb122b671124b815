// A failing assert on the device: the vendor's code, which sticks, and one diagnosis.
// expect stdout ok
// expect stderr asserts.cu
// expect stderr p[threadIdx.x] < 3
// expect exit failed
#include "check.h"
#include <cassert>

__global__ void strict(int *p) {
    assert(p[threadIdx.x] < 3);
    p[threadIdx.x] = 9;
}

int main() {
    int *d, h[2] = {1, 2};
    OK(cudaMalloc(&d, sizeof h));
    OK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    strict<<<1, 2>>>(d);
    OK(cudaDeviceSynchronize());
    strict<<<1, 2>>>(d); // they are 9 now
    IS(cudaDeviceSynchronize(), cudaErrorAssert);
    IS(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost), cudaErrorAssert);
    IS(cudaGetLastError(), cudaErrorAssert);
    IS(cudaPeekAtLastError(), cudaErrorAssert); // it sticks
    IS(cudaMalloc(&d, 4), cudaErrorAssert);
    std::puts("ok");
    return 0;
}
