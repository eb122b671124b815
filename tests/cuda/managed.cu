// Managed memory: variables and allocations that host and device see under one address.
// expect stdout ok
#include "check.h"

__managed__ int total = 5;
__managed__ float table[64];
__device__ __managed__ struct { int a; double b; } pair = {3, 0.25};

__global__ void use(int *p, int n) {
    const int i = threadIdx.x;
    if (i < n) {
        p[i] += i;
        atomicAdd(&total, p[i]);
        table[i] = 2.0f * i;
    }
    if (i == 0) pair.b *= pair.a;
}

int main() {
    CHECK(total == 5 && pair.a == 3); // before anything has run
    int *p;
    OK(cudaMallocManaged(&p, 64 * sizeof *p));
    for (int i = 0; i < 64; i++) p[i] = 1;
    total = 7;
    OK(cudaMemset(table, 0, sizeof table));
#if CUDART_VERSION >= 13000
    const cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    OK(cudaMemAdvise(p, 64 * sizeof *p, cudaMemAdviseSetReadMostly, here));
    OK(cudaMemPrefetchAsync(p, 64 * sizeof *p, here, 0, 0));
#else
    OK(cudaMemAdvise(p, 64 * sizeof *p, cudaMemAdviseSetReadMostly, 0));
    OK(cudaMemPrefetchAsync(p, 64 * sizeof *p, 0, 0));
#endif
    use<<<1, 64>>>(p, 64);
    OK(cudaDeviceSynchronize());
    CHECK(p[0] == 1 && p[63] == 64);
    CHECK(total == 7 + 64 * 65 / 2);
    CHECK(table[63] == 126.0f && pair.b == 0.75);
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, p));
    CHECK(a.type == cudaMemoryTypeManaged && a.devicePointer == p);
    int copy;
    OK(cudaMemcpyFromSymbol(&copy, total, sizeof copy));
    CHECK(copy == total);
    OK(cudaFree(p));
    std::puts("ok");
    return 0;
}
