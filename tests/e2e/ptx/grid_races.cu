// Kernels in which blocks of a launch meet in global memory, for races_grid.sh: `ok_` has no race, `bad_`
// one. Block 0 makes what block 1 takes; the last block sums up; blocks add to a tile in the order of their numbers (split-K); all leave
// their parts to one that mends the tile (stream-K); a barrier of the grid; stores without any order.
#include "device.h"
extern "C" {
// producer block 0, consumer block 1
#define PC(name, PF, PS, RF, RS) \
__global__ void name(int *flag, int *data, int *out) { \
    volatile int *const seen = flag; \
    if (blockIdx.x == 0) { \
        data[threadIdx.x] = 7 + threadIdx.x; \
        PS; if (threadIdx.x == 0) { PF; atomicAdd(flag, 1); } \
    } else if (blockIdx.x == 1) { \
        if (threadIdx.x == 0) { while (*seen == 0) {} RF; } \
        RS; out[threadIdx.x] = data[threadIdx.x]; \
    } \
}
PC(ok_flag, __threadfence(), __syncthreads(), __threadfence(), __syncthreads())
PC(bad_no_release, , __syncthreads(), __threadfence(), __syncthreads())
PC(bad_no_acquire, __threadfence(), __syncthreads(), , __syncthreads())
PC(bad_no_barrier, __threadfence(), , __threadfence(), __syncthreads())
PC(bad_block_fence, __threadfence_block(), __syncthreads(), __threadfence(), __syncthreads())
__global__ void bad_no_flag(int *flag, int *data, int *out) {
    if (blockIdx.x == 0) data[threadIdx.x] = 7 + threadIdx.x;
    if (blockIdx.x == 1) out[threadIdx.x] = data[threadIdx.x];
}
__global__ void bad_writers(int *flag, int *data, int *out) { data[threadIdx.x] = 5 + blockIdx.x; }
__global__ void ok_alike(int *flag, int *data, int *out) { data[threadIdx.x] = 5; }
__global__ void ok_atomics(int *flag, int *data, int *out) { atomicAdd(&data[threadIdx.x], 1); }
__global__ void ok_fence_each(int *flag, int *data, int *out) { // every thread fences, then the block meets
    volatile int *const seen = flag;
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 7 + threadIdx.x;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) atomicAdd(flag, 1);
    } else if (blockIdx.x == 1) {
        if (threadIdx.x == 0) while (*seen == 0) {}
        __syncthreads();
        __threadfence();
        out[threadIdx.x] = data[threadIdx.x];
    }
}
__global__ void bad_fence_behind(int *flag, int *data, int *out) {
    volatile int *const seen = flag;
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 7 + threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0) { atomicAdd(flag, 1); __threadfence(); }
    } else if (blockIdx.x == 1) {
        if (threadIdx.x == 0) { while (*seen == 0) {} __threadfence(); }
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x];
    }
}
// the last block sums what all have stored
#define LAST(name, F) \
__global__ void name(int *flag, int *data, int *out) { \
    __shared__ int last; \
    data[blockIdx.x * blockDim.x + threadIdx.x] = 3 + blockIdx.x; \
    F; __syncthreads(); \
    if (threadIdx.x == 0) { last = atomicAdd(flag, 1) == gridDim.x - 1; F; } \
    __syncthreads(); \
    if (!last) return; \
    int sum = 0; \
    for (int b = 0; b < gridDim.x; b++) sum += data[b * blockDim.x + threadIdx.x]; \
    out[threadIdx.x] = sum; \
}
LAST(ok_last, __threadfence())
LAST(bad_last, )
// split-K: blocks add to the tile in the order of their numbers
#define SPLIT(name, F) \
__global__ void name(int *flag, int *data, int *out) { \
    volatile int *const seen = flag; \
    if (threadIdx.x == 0) while (*seen != blockIdx.x) {} \
    F; __syncthreads(); F; \
    data[threadIdx.x] += 1 + blockIdx.x; \
    __syncthreads(); \
    if (threadIdx.x == 0) { F; *(volatile int *)flag = blockIdx.x + 1; } \
}
SPLIT(ok_split, __threadfence())
SPLIT(bad_split, )
// stream-K: all but the first leave their part with a flag each, the first one mends the tile
#define FIX(name, F) \
__global__ void name(int *flag, int *data, int *out) { \
    volatile int *const seen = flag; \
    const int n = blockDim.x; \
    if (blockIdx.x > 0) { \
        data[blockIdx.x * n + threadIdx.x] = blockIdx.x; \
        F; __syncthreads(); \
        if (threadIdx.x == 0) atomicExch(&flag[blockIdx.x], 1); \
        return; \
    } \
    int sum = 9; \
    for (int b = 1; b < gridDim.x; b++) { \
        if (threadIdx.x == 0) while (seen[b] == 0) {} \
        __syncthreads(); F; \
        sum += data[b * n + threadIdx.x]; \
    } \
    out[threadIdx.x] = sum; \
}
FIX(ok_fix, __threadfence())
FIX(bad_fix, )
// a barrier of the grid between two halves
#define GRID(name, F, TURNS) \
__global__ void name(int *flag, int *data, int *out) { \
    volatile int *const seen = flag; \
    const int n = blockDim.x, at = blockIdx.x * n + threadIdx.x; \
    for (int t = 0; t < TURNS; t++) { \
        const int sum = t == 0 ? at : data[(at + n) % (n * gridDim.x) + n * gridDim.x * ((t + 1) & 1)]; \
        data[at + n * gridDim.x * (t & 1)] = sum + 1; \
        __syncthreads(); \
        if (threadIdx.x == 0) { \
            F; atomicAdd(&flag[t], 1); while (seen[t] != gridDim.x) {} F; \
        } \
        __syncthreads(); \
    } \
}
GRID(ok_grid, __threadfence(), 4)
GRID(bad_grid, , 4)
__global__ void bad_bytes(int *flag, int *data, int *out) { // neighbours in a word
    char *const c = (char *)data;
    c[threadIdx.x + 95 * blockIdx.x] = 1 + threadIdx.x;
}
__global__ void ok_bytes(int *flag, int *data, int *out) {
    char *const c = (char *)data;
    c[threadIdx.x + 96 * blockIdx.x] = 1 + threadIdx.x;
}
__global__ void bad_read_first(int *flag, int *data, int *out) { // a block reads what another then changes
    if (blockIdx.x == 0) out[threadIdx.x] = data[threadIdx.x];
    if (blockIdx.x == 1) data[threadIdx.x] = 7 + threadIdx.x;
}
// What the PTX model calls release and acquire, which need no fence beside them
__global__ void ok_release(int *flag, int *data, int *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 7 + threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0) asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
    } else if (blockIdx.x == 1) {
        int seen = 0;
        while (threadIdx.x == 0 && seen == 0)
            asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x];
    }
}
__global__ void bad_relaxed(int *flag, int *data, int *out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 7 + threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0) asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(flag), "r"(1) : "memory");
    } else if (blockIdx.x == 1) {
        int seen = 0;
        while (threadIdx.x == 0 && seen == 0)
            asm volatile("ld.relaxed.gpu.b32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        __syncthreads();
        out[threadIdx.x] = data[threadIdx.x];
    }
}
}
