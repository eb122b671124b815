// Built with --default-stream per-thread: the names that end in _ptsz and _ptds.
// expect stdout ok
#include "check.h"
#include <cooperative_groups.h>

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }

int main() {
    int *d, h[32] = {};
    OK(cudaMalloc(&d, sizeof h));
    OK(cudaMemset(d, 0, sizeof h));
    add<<<1, 32>>>(d, 4);
    OK(cudaMemcpyAsync(h, d, sizeof h, cudaMemcpyDeviceToHost, 0));
    OK(cudaStreamSynchronize(0));
    CHECK(h[31] == 4);
    int v = 3;
    void *args[] = {&d, &v};
    OK(cudaLaunchKernel((void *)add, dim3(1), dim3(32), args, 0, 0));
    OK(cudaLaunchCooperativeKernel((void *)add, dim3(1), dim3(32), args, 0, 0));
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(1), c.blockDim = dim3(32);
    OK(cudaLaunchKernelEx(&c, add, d, 10));
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 20);
    cudaEvent_t a, b;
    float ms;
    OK(cudaEventCreate(&a));
    OK(cudaEventCreate(&b));
    OK(cudaEventRecord(a));
    add<<<1, 32>>>(d, 1);
    OK(cudaEventRecord(b));
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    OK(cudaEventElapsedTime(&ms, a, b));
    CHECK(ms > 0);
    std::puts("ok");
    return 0;
}
