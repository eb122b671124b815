// Memory in all shapes: pitched, boxes, pinned, mapped, registered, pools; fills and copies between them.
// expect stdout ok
#include "check.h"
#include <cstring>

__global__ void add(int *p, int n) {
    if (threadIdx.x < n) p[threadIdx.x] += 1;
}

int main() {
    // pitched
    char *d, h[5][7];
    size_t pitch;
    OK(cudaMallocPitch(&d, &pitch, 7, 5));
    OK(cudaMemset2D(d, pitch, 'a', 7, 5));
    OK(cudaMemset2DAsync(d + pitch + 2, pitch, 'b', 3, 2));
    OK(cudaMemcpy2D(h, 7, d, pitch, 7, 5, cudaMemcpyDeviceToHost));
    CHECK(!std::memcmp(h[0], "aaaaaaa", 7) && !std::memcmp(h[1], "aabbbaa", 7) && !std::memcmp(h[3], "aaaaaaa", 7));
    OK(cudaFree(d));
    // a box
    cudaPitchedPtr b;
    unsigned char box[3][4][8], back[2][2][2];
    for (int i = 0; i < 96; i++) (&box[0][0][0])[i] = (unsigned char)i;
    OK(cudaMalloc3D(&b, make_cudaExtent(8, 4, 3)));
    cudaMemcpy3DParms m = {};
    m.srcPtr = make_cudaPitchedPtr(box, 8, 8, 4);
    m.dstPtr = b;
    m.extent = make_cudaExtent(8, 4, 3);
    m.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&m));
    cudaPitchedPtr one = b;
    one.ptr = (char *)b.ptr + b.pitch * 4; // second slice
    OK(cudaMemset3D(one, 200, make_cudaExtent(3, 1, 1)));
    m = {};
    m.srcPtr = b;
    m.srcPos = make_cudaPos(2, 0, 1);
    m.dstPtr = make_cudaPitchedPtr(back, 2, 2, 2);
    m.extent = make_cudaExtent(2, 2, 2);
    m.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&m));
    CHECK(back[0][0][0] == 200 && back[0][0][1] == 35 && back[0][1][0] == 42 && back[1][1][1] == 75);
    OK(cudaFree(b.ptr));
    // pinned and mapped
    int *p, *dp, own[64];
    OK(cudaHostAlloc(&p, sizeof own, cudaHostAllocMapped));
    OK(cudaHostGetDevicePointer(&dp, p, 0));
    for (int i = 0; i < 64; i++) p[i] = i;
    add<<<1, 64>>>(dp, 64);
    OK(cudaDeviceSynchronize());
    CHECK(p[0] == 1 && p[63] == 64);
    unsigned flags;
    OK(cudaHostGetFlags(&flags, p));
    CHECK(flags & cudaHostAllocMapped);
    OK(cudaFreeHost(p));
    // registered
    for (int i = 0; i < 64; i++) own[i] = 2 * i;
    OK(cudaHostRegister(own, sizeof own, cudaHostRegisterMapped));
    OK(cudaHostGetDevicePointer(&dp, own, 0));
    add<<<1, 64>>>(dp, 64);
    OK(cudaDeviceSynchronize());
    CHECK(own[63] == 127);
    OK(cudaHostUnregister(own));
    // in stream order, from pools
    cudaStream_t s;
    int *q, v[16] = {};
    OK(cudaStreamCreate(&s));
    OK(cudaMallocAsync(&q, sizeof v, s));
    OK(cudaMemsetAsync(q, 0, sizeof v, s));
    add<<<1, 16, 0, s>>>(q, 16);
    OK(cudaMemcpyAsync(v, q, sizeof v, cudaMemcpyDefault, s));
    OK(cudaFreeAsync(q, s));
    OK(cudaStreamSynchronize(s));
    CHECK(v[0] == 1 && v[15] == 1);
    cudaMemPool_t pool;
    unsigned long long keep = 1 << 20;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    keep = 0;
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    CHECK(keep == 1 << 20);
    OK(cudaMallocFromPoolAsync(&q, 64, pool, s));
    OK(cudaFreeAsync(q, s));
    size_t free_bytes, total;
    OK(cudaMemGetInfo(&free_bytes, &total));
    CHECK(free_bytes <= total && total > 1 << 20);
    // device to device, host to host
    int *x, *y, w[4] = {1, 2, 3, 4}, z[4] = {};
    OK(cudaMalloc(&x, 16));
    OK(cudaMalloc(&y, 16));
    OK(cudaMemcpy(x, w, 16, cudaMemcpyDefault));
    OK(cudaMemcpy(y, x, 16, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpyPeer(x, 0, y, 0, 16));
    OK(cudaMemcpy(z, x, 16, cudaMemcpyDeviceToHost));
    CHECK(!std::memcmp(w, z, 16));
    std::memset(z, 0, 16);
    OK(cudaMemcpy(z, w, 16, cudaMemcpyHostToHost));
    CHECK(z[3] == 4);
    std::puts("ok");
    return 0;
}
