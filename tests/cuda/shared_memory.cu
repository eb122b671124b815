// Dynamic shared memory beyond 48 KB: to be asked for, up to what the chip has; what it lacks is the
// error that the driver gives, and a sentence. Occupancy follows.
// expect stdout ok
// expect stderr bytes of shared memory; 
// expect stderr which the kernel must ask for first
// expect stderr 2 launches refused
// expect exit 3
#include "check.h"

extern __shared__ int room[];
__global__ void reverse(int *out, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) room[i] = i;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = room[n - 1 - i];
}
__global__ void small(int *out) {
    __shared__ int s[256];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[255 - threadIdx.x];
}

int main() {
    int most, an_sm, blocks, threads, *p;
    OK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    OK(cudaDeviceGetAttribute(&an_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    OK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    CHECK(most >= 65536 && most == an_sm);
    OK(cudaMalloc(&p, most));
    reverse<<<1, 256, 49156>>>(p, 12289); // nobody asked
    IS(cudaGetLastError(), cudaErrorInvalidValue);
    IS(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 4), cudaErrorInvalidValue);
    cudaGetLastError();
    OK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    OK(cudaFuncSetAttribute(reverse, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
    cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, reverse));
    CHECK(a.maxDynamicSharedSizeBytes == most);
    for (int bytes : {49156, 65536, most}) {
        reverse<<<2, 256, bytes>>>(p, bytes / 4);
        OK(cudaGetLastError());
        int h[2];
        OK(cudaMemcpy(h, p, 8, cudaMemcpyDeviceToHost));
        CHECK(h[0] == bytes / 4 - 1 && h[1] == bytes / 4 - 2);
    }
    reverse<<<1, 256, most + 4>>>(p, 1);
    IS(cudaGetLastError(), cudaErrorInvalidValue);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 256, most));
    CHECK(blocks == 1);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 256, most / 4));
    CHECK(blocks == 4);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 256, 0));
    CHECK(blocks == threads / 256);
    size_t left;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&left, reverse, 2, 256));
    CHECK(left == size_t(an_sm / 2));
    small<<<1, 256>>>(p);
    OK(cudaDeviceSynchronize());
    std::puts("ok");
    return 0;
}
