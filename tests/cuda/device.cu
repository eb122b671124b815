// Devices: properties, attributes, limits, occupancy, function attributes, versions.
// expect stdout ok
#include "check.h"
#include <cstring>

__constant__ int table[10];
__global__ void kernel(int *p) {
    __shared__ int s[100];
    s[threadIdx.x % 100] = table[threadIdx.x % 10];
    __syncthreads();
    p[threadIdx.x] = s[99 - threadIdx.x % 100];
}

int main() {
    int n, now, v;
    OK(cudaGetDeviceCount(&n));
    CHECK(n == 1);
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&now));
    CHECK(now == 0);
    cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    // GTX 480: 15 multiprocessors of compute capability 2.0, 1536 threads, 48 KiB, 768 KiB of L2
    CHECK(std::strstr(p.name, "480"));
    CHECK(p.major == 2 && p.minor == 0 && p.warpSize == 32);
    CHECK(p.multiProcessorCount == 15 && p.maxThreadsPerMultiProcessor == 1536);
    CHECK(p.sharedMemPerBlock == 48 << 10 && p.maxThreadsPerBlock == 1024 && p.regsPerBlock == 32768);
    CHECK(p.maxThreadsDim[0] == 1024 && p.maxThreadsDim[2] == 64 && p.l2CacheSize == 768 << 10);
    CHECK(p.totalConstMem == 65536 && p.memoryBusWidth == 384 && p.unifiedAddressing == 1);
    OK(cudaDeviceGetAttribute(&v, cudaDevAttrMultiProcessorCount, 0));
    CHECK(v == 15);
    OK(cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    CHECK(v == 48 << 10);
    IS(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 1), cudaErrorInvalidDevice);
    IS(cudaDeviceGetAttribute(&v, cudaDeviceAttr(100000), 0), cudaErrorInvalidValue);
    cudaGetLastError();
    size_t bytes;
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    OK(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
    CHECK(bytes >= 4096);
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 22));
    OK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 21));
    cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, kernel));
    CHECK(a.sharedSizeBytes == 400 && a.maxThreadsPerBlock == 1024 && a.numRegs > 0 && a.constSizeBytes >= 40);
    OK(cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1));
    OK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    int least, block;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, 512, 0));
    CHECK(n == 3); // 1536 threads
    OK(cudaOccupancyMaxPotentialBlockSize(&least, &block, kernel, 0, 0));
    CHECK(least % 15 == 0 && block >= 192);
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, 2, 256));
    CHECK(bytes > 20000 && bytes <= 24576);
    int driver, runtime;
    OK(cudaDriverGetVersion(&driver));
    OK(cudaRuntimeGetVersion(&runtime));
    CHECK(runtime / 1000 == CUDART_VERSION / 1000 && driver >= runtime / 1000 * 1000);
    char id[32];
    OK(cudaDeviceGetPCIBusId(id, 32, 0));
    OK(cudaDeviceGetByPCIBusId(&v, id));
    CHECK(v == 0);
    OK(cudaDeviceReset());
    std::puts("ok");
    return 0;
}
