// Grids beyond 65535 blocks in x; in y no GPU takes more. Memory that nobody touches.
// expect stdout ok
// expect stderr 1 launch refused
// expect exit 3
#include "check.h"

__global__ void count(unsigned long long *n, unsigned *far) {
    if (threadIdx.x == 0 && blockIdx.x % 1024 == 0) atomicAdd(n, 1ull);
    if (blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1) *far = blockIdx.x;
}

int main() {
    unsigned long long *n, h = 0;
    unsigned *far, last = 0;
    OK(cudaMalloc(&n, 8));
    OK(cudaMalloc(&far, 4));
    OK(cudaMemset(n, 0, 8));
    count<<<200000, 32>>>(n, far);
    OK(cudaMemcpy(&h, n, 8, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&last, far, 4, cudaMemcpyDeviceToHost));
    CHECK(h == 196 && last == 199999);
    count<<<dim3(1, 65535), 32>>>(n, far);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    count<<<dim3(1, 65536), 32>>>(n, far);
    IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
    // 8 GB that nobody touches cost nothing
    if (cudaDeviceProp p; cudaGetDeviceProperties(&p, 0) == cudaSuccess && p.totalGlobalMem > (15ull << 30)) {
        char *room;
        OK(cudaMalloc(&room, 8ull << 30));
        OK(cudaMemset(room + (8ull << 30) - 16, 5, 16));
        OK(cudaFree(room));
    }
    std::puts("ok");
    return 0;
}
