// The error state: which errors pass, which stick, who sees them, what a reset mends.
// expect stdout ok
// expect stderr wild
// expect exit failed
#include "check.h"

__global__ void fine(int *p) { *p = 1; }
__global__ void wild(int *p) { *p = 1; }
__global__ void __launch_bounds__(64) small(int *p) { *p = 1; }

int main() {
    int *d;
    OK(cudaGetLastError());
    IS(cudaSetDevice(99), cudaErrorInvalidDevice);
    IS(cudaGetLastError(), cudaErrorInvalidDevice);
    OK(cudaGetLastError()); // taken away by asking
    OK(cudaMalloc(&d, 64));
    fine<<<1, 2048>>>(d);
    IS(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
    IS(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
    OK(cudaDeviceSynchronize()); // not of the device: it goes on
    IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
    fine<<<0, 1>>>(d);
    IS(cudaGetLastError(), cudaErrorInvalidConfiguration);
    fine<<<1, 1, 1 << 20>>>(d); // shared memory
    IS(cudaGetLastError(), cudaErrorInvalidValue);
    small<<<1, 128>>>(d); // above its launch bound
    CHECK(cudaGetLastError() != cudaSuccess);
    void *p = d;
    IS(cudaMalloc(&p, size_t(1) << 50), cudaErrorMemoryAllocation);
    IS(cudaGetLastError(), cudaErrorMemoryAllocation);
    IS(cudaMemcpy(d, &p, 4, cudaMemcpyKind(77)), cudaErrorInvalidMemcpyDirection);
    IS(cudaMemset(&p, 0, 4), cudaErrorInvalidValue);
    IS(cudaMemset(nullptr, 0, 4), cudaErrorInvalidValue);
    IS(cudaFree(reinterpret_cast<void *>(0x10)), cudaErrorInvalidValue);
    cudaGetLastError();
    int host = 0;
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, &host));
    CHECK(a.type == cudaMemoryTypeUnregistered);
    int can = 1;
    OK(cudaDeviceCanAccessPeer(&can, 0, 0));
    CHECK(can == 0);
    fine<<<1, 1>>>(d);
    OK(cudaDeviceSynchronize());
    CHECK(cudaGetErrorString(cudaErrorIllegalAddress)[0] == 'a'); // an illegal memory access ...
    wild<<<1, 1>>>(reinterpret_cast<int *>(0x40));
    OK(cudaGetLastError()); // a launch is asynchronous
    IS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    IS(cudaGetLastError(), cudaErrorIllegalAddress);
    IS(cudaGetLastError(), cudaErrorIllegalAddress); // sticks
    IS(cudaMemcpy(&host, d, 4, cudaMemcpyDeviceToHost), cudaErrorIllegalAddress);
    fine<<<1, 1>>>(d);
    IS(cudaGetLastError(), cudaErrorIllegalAddress);
    std::puts("ok");
    return 0;
}
