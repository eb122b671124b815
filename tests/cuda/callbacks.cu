// Host functions and callbacks in stream order.
// expect stdout ok
#include "check.h"

__global__ void put(int *p, int v) { *p = v; }
static int seen[3], n;
static int *mapped;
static void CUDART_CB function(void *user) { seen[n++] = *mapped + *static_cast<int *>(user); }
static void CUDART_CB callback(cudaStream_t, cudaError_t e, void *user) {
    seen[n++] = e == cudaSuccess ? *mapped * *static_cast<int *>(user) : -1;
}

int main() {
    int *d, two = 2;
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaHostAlloc(&mapped, 4, cudaHostAllocMapped));
    OK(cudaHostGetDevicePointer(&d, mapped, 0));
    put<<<1, 1, 0, s>>>(d, 10);
    OK(cudaLaunchHostFunc(s, function, &two));
    put<<<1, 1, 0, s>>>(d, 20);
    OK(cudaStreamAddCallback(s, callback, &two, 0));
    put<<<1, 1, 0, s>>>(d, 30);
    OK(cudaLaunchHostFunc(s, function, &two));
    OK(cudaStreamSynchronize(s));
    CHECK(n == 3 && seen[0] == 12 && seen[1] == 40 && seen[2] == 32);
    std::puts("ok");
    return 0;
}
