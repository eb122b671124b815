// Dynamic parallelism is refused with a sentence, at the kernel that needs it; others run.
// expect stdout plain 3
// expect stdout error
// expect stderr dynamic parallelism
// expect exit failed
#include "check.h"

__global__ void child(int *p) { *p = 2; }
__global__ void parent(int *p) { child<<<1, 1>>>(p); }
__global__ void plain(int *p) { *p = 3; }

int main() {
    int *p, v = 0;
    OK(cudaMalloc(&p, 4));
    plain<<<1, 1>>>(p);
    OK(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    std::printf("plain %d\n", v);
    parent<<<1, 1>>>(p);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    std::printf("%s\n", e == cudaSuccess ? "no complaint" : "error");
    return 0;
}
