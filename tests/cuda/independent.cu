// Threads of a warp that make progress against each other, warp-wide operations with masks, and atomics
// that came with compute capability 6.0 and 7.0.
// expect stdout ok
#include "check.h"
#include <cuda_fp16.h>

// Lanes of one warp take a lock in turn: on a stack of paths this never ends.
__global__ void lock(int *mutex, int *count) {
    while (atomicCAS(mutex, 0, 1) != 0)
        ;
    *count = *(volatile int *)count + 1;
    __threadfence();
    atomicExch(mutex, 0);
}
// Half of a warp waits for what the other half writes.
__global__ void hand_over(volatile int *flag, int *out) {
    if (threadIdx.x < 16) {
        while (!*flag) __nanosleep(20);
        out[threadIdx.x] = *flag;
    } else if (threadIdx.x == 31) {
        *flag = 7;
    }
}
__global__ void masks(unsigned *out) {
    __shared__ unsigned s[32];
    const unsigned lane = threadIdx.x;
    if (lane % 2) {
        const unsigned odd = 0xaaaaaaaau;
        s[lane] = lane;
        __syncwarp(odd);
        out[lane] = s[lane ^ 2] + __shfl_sync(odd, lane, 5) + __popc(__ballot_sync(odd, lane > 15));
    } else {
        out[lane] = __match_any_sync(0x55555555u, lane / 8);
    }
    __syncwarp();
    int all;
    const unsigned same = __match_all_sync(0xffffffffu, lane / 32, &all);
    if (lane == 0) out[32] = same, out[33] = all, out[34] = __activemask();
}
__global__ void atoms(double *d, __half2 *h2, __half *h, unsigned long long *u, unsigned short *c) {
    atomicAdd(d, 0.5);
    atomicAdd(h2, __floats2half2_rn(1, 2));
    atomicAdd(h, __float2half(1));
    atomicMax(u, 1ull << 40 | threadIdx.x);
    atomicAdd_block(u + 1, 1ull);
    atomicAdd_system(u + 2, 2ull);
    if (threadIdx.x % 32 == 0) { // a CAS of 16 bits beside a neighbour
        unsigned short old = *c, seen;
        while ((seen = atomicCAS(c, old, (unsigned short)(old + 1))) != old) old = seen;
    }
}

int main() {
    int *m, h[64] = {};
    OK(cudaMalloc(&m, 4096));
    OK(cudaMemset(m, 0, 4096));
    lock<<<3, 64>>>(m, m + 1);
    OK(cudaMemcpy(h, m, 8, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 0 && h[1] == 192);
    hand_over<<<1, 32>>>(m + 2, m + 16);
    OK(cudaMemcpy(h, m + 16, 64, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++) CHECK(h[i] == 7);
    unsigned o[35];
    masks<<<1, 32>>>((unsigned *)m);
    OK(cudaMemcpy(o, m, sizeof o, cudaMemcpyDeviceToHost));
    for (unsigned l = 1; l < 32; l += 2) CHECK(o[l] == (l ^ 2) + 5 + 8);
    for (unsigned l = 0; l < 32; l += 2) CHECK(o[l] == 0x55u << l / 8 * 8);
    CHECK(o[32] == 0xffffffffu && o[33] == 1);
    OK(cudaMemset(m, 0, 4096));
    auto *u = (unsigned long long *)(m + 16);
    atoms<<<4, 64>>>((double *)m, (__half2 *)(m + 4), (__half *)(m + 5), u, (unsigned short *)(m + 6) + 1);
    OK(cudaDeviceSynchronize());
    double d;
    __half2 h2;
    __half one;
    unsigned long long w[3];
    unsigned short c[2];
    OK(cudaMemcpy(&d, m, 8, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&h2, m + 4, 4, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&one, m + 5, 2, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(w, u, 24, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(c, m + 6, 4, cudaMemcpyDeviceToHost));
    CHECK(d == 128 && __low2float(h2) == 256 && __high2float(h2) == 512 && __half2float(one) == 256);
    CHECK(w[0] == (1ull << 40 | 63) && w[1] == 256 && w[2] == 512 && c[0] == 0 && c[1] == 8);
    std::puts("ok");
    return 0;
}
