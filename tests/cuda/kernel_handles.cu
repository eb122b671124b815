// A cudaKernel_t is a CUkernel: the driver launches what the runtime names, and the other way round.
// expect stdout runtime's handle in the driver: 21
// expect stdout driver's kernel in the runtime: 15
// expect stdout names: add add
// expect stdout parameter 1: at 8, 4 bytes
// expect stdout kernels: 1
// expect stdout dynamic shared memory: 3000, of the kernel set later: 3000
// expect stdout cooperative: 9
#include "check.h"

#include <cuda.h>
#include <string.h>

__global__ void add(unsigned *sum, unsigned n) { atomicAdd(sum, n); }

static const char ptx[] = ".version 6.3\n.target sm_30\n.address_size 64\n"
                          ".visible .entry plus(.param .u64 p, .param .u32 n) {\n"
                          "  .reg .u32 %r0; .reg .u64 %d0; ld.param.u64 %d0, [p];\n"
                          "  ld.param.u32 %r0, [n]; red.global.add.u32 [%d0], %r0; ret;\n}\n";

template <typename F> static F entry(const char *name) {
    void *p = nullptr;
    cudaDriverEntryPointQueryResult found;
    OK(cudaGetDriverEntryPointByVersion(name, &p, 12000, cudaEnableDefault, &found));
    return (F)p;
}

static unsigned *sum;
static unsigned taken() {
    unsigned n;
    OK(cudaMemcpy(&n, sum, 4, cudaMemcpyDeviceToHost));
    OK(cudaMemset(sum, 0, 4));
    return n;
}

int main() {
    OK(cudaMalloc(&sum, 4));
    OK(cudaMemset(sum, 0, 4));
    unsigned n = 3;
    void *args[] = {&sum, &n};
    cudaKernel_t k;
    OK(cudaGetKernel(&k, (const void *)add));
    auto launch = entry<decltype(&cuLaunchKernel)>("cuLaunchKernel");
    if (launch((CUfunction)(void *)k, 1, 1, 1, 7, 1, 1, 0, nullptr, args, nullptr)) return 2;
    printf("runtime's handle in the driver: %u\n", taken());

    CUlibrary l;
    CUkernel kernel;
    auto load = entry<decltype(&cuLibraryLoadData)>("cuLibraryLoadData");
    auto get = entry<decltype(&cuLibraryGetKernel)>("cuLibraryGetKernel");
    if (load(&l, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0) || get(&kernel, l, "plus")) return 3;
    OK(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(5), args, 0, 0));
    printf("driver's kernel in the runtime: %u\n", taken());

    const char *by_address, *by_handle;
    OK(cudaFuncGetName(&by_address, (const void *)add));
    OK(cudaFuncGetName(&by_handle, (const void *)k));
    printf("names: %s %s\n", strstr(by_address, "add") ? "add" : by_address,
           strstr(by_handle, "add") ? "add" : by_handle);
    size_t offset, bytes;
    OK(cudaFuncGetParamInfo((const void *)add, 1, &offset, &bytes));
    printf("parameter 1: at %zu, %zu bytes\n", offset, bytes);

    cudaLibrary_t library;
    cudaKernel_t all[4];
    unsigned count;
    OK(cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cudaLibraryGetKernelCount(&count, library));
    OK(cudaLibraryEnumerateKernels(all, 4, library));
    printf("kernels: %u\n", count);

    cudaFuncAttributes a;
    OK(cudaFuncSetAttribute((const void *)all[0], cudaFuncAttributeMaxDynamicSharedMemorySize, 3000));
    OK(cudaFuncGetAttributes(&a, (const void *)all[0]));
    const int first = a.maxDynamicSharedSizeBytes;
    OK(cudaKernelSetAttributeForDevice(all[0], cudaFuncAttributeMaxDynamicSharedMemorySize, 1000, 0));
    OK(cudaFuncGetAttributes(&a, (const void *)all[0]));
    printf("dynamic shared memory: %d, of the kernel set later: %d\n", first,
           a.maxDynamicSharedSizeBytes);
    OK(cudaLaunchCooperativeKernel((const void *)all[0], dim3(1), dim3(3), args, 0, 0));
    printf("cooperative: %u\n", taken());
    OK(cudaLibraryUnload(library));
    return 0;
}
