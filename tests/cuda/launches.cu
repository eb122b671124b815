// cudaLaunchKernelEx with attributes: cooperative, dependent launches, priorities, pools in stream order.
// Clusters came with compute capability 9.0 and are refused before it.
// expect stdout ok
// expect exit 3
// expect stderr clusters of 2 blocks need compute capability 9.0
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void meet(int *p) {
    auto grid = cg::this_grid();
    if (threadIdx.x == 0) p[blockIdx.x] = int(blockIdx.x);
    grid.sync();
    if (threadIdx.x == 0) p[64 + blockIdx.x] = p[(blockIdx.x + 1) % gridDim.x];
}
__global__ void plain(int *p, int v) { p[threadIdx.x] = v; }

int main() {
    cudaStream_t s, low;
    int least, greatest, h[128];
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(least == 0 && greatest < 0);
    OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest));
    OK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, least));
    int *p, *q;
    OK(cudaMallocAsync(&p, sizeof h, s));
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute a[2] = {};
    c.gridDim = dim3(8), c.blockDim = dim3(64), c.stream = s, c.attrs = a, c.numAttrs = 1;
    a[0].id = cudaLaunchAttributeCooperative;
    a[0].val.cooperative = 1;
    OK(cudaLaunchKernelEx(&c, meet, p));
    OK(cudaMemcpyAsync(h, p, sizeof h, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    for (int i = 0; i < 8; i++) CHECK(h[i] == i && h[64 + i] == (i + 1) % 8);
    a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a[0].val.programmaticStreamSerializationAllowed = 1;
    a[1].id = cudaLaunchAttributePriority;
    a[1].val.priority = greatest;
    c.numAttrs = 2, c.gridDim = dim3(1);
    OK(cudaLaunchKernelEx(&c, plain, p, 9));
    // freed and asked for again in stream order
    OK(cudaFreeAsync(p, s));
    OK(cudaMallocAsync(&q, sizeof h, s));
    plain<<<1, 64, 0, s>>>(q, 4);
    OK(cudaMemcpyAsync(h, q, 256, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    CHECK(h[0] == 4 && h[63] == 4);
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = 1, a[0].val.clusterDim.y = 1, a[0].val.clusterDim.z = 1;
    c.numAttrs = 1, c.gridDim = dim3(4);
    OK(cudaLaunchKernelEx(&c, plain, q, 5)); // clusters of one block are none
    a[0].val.clusterDim.x = 2;
    CHECK(cudaLaunchKernelEx(&c, plain, q, 6) != cudaSuccess);
    cudaGetLastError();
    OK(cudaFreeAsync(q, s));
    OK(cudaDeviceSynchronize());
    int cluster = -1;
    OK(cudaDeviceGetAttribute(&cluster, cudaDevAttrClusterLaunch, 0));
    CHECK(cluster == 0);
    std::puts("ok");
    return 0;
}
