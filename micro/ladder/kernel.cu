// ladder: one class of instruction, over and over, in as many blocks and lanes as are asked for. The
// rungs of a power model: what an SM adds when it comes on, what a lane adds, what a class costs.
//
// Each kernel runs ITERATIONS times 64 instructions of its class in four independent chains, in the
// first `lanes` lanes of every warp. Classes are inline PTX, so that no compiler makes one
// instruction of several.
#include "device.h"

#define FOUR(...)    __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
#define SIXTEEN(...) FOUR(__VA_ARGS__) FOUR(__VA_ARGS__) FOUR(__VA_ARGS__) FOUR(__VA_ARGS__)

#define BODY(type, start, chain, end)                                                              \
    const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;                                     \
    type a = start, b = a, c = a, d = a;                                                           \
    if ((threadIdx.x & 31) < lanes)                                                                \
        for (int i = 0; i < iterations; i++) {                                                     \
            SIXTEEN(chain)                                                                         \
        }                                                                                          \
    out[at] = end;

extern "C" __global__ void ladderInt(int *out, int iterations, unsigned lanes, int step) {
    BODY(int, (int)at,
         asm volatile("add.s32 %0, %0, %4; add.s32 %1, %1, %4; add.s32 %2, %2, %4; add.s32 %3, %3, %4;"
                      : "+r"(a), "+r"(b), "+r"(c), "+r"(d) : "r"(step));,
         a ^ b ^ c ^ (d + 1) ^ d)
}

extern "C" __global__ void ladderFma(float *out, int iterations, unsigned lanes, float by) {
    BODY(float, (float)at,
         asm volatile("fma.rn.f32 %0, %0, %4, %4; fma.rn.f32 %1, %1, %4, %4; "
                      "fma.rn.f32 %2, %2, %4, %4; fma.rn.f32 %3, %3, %4, %4;"
                      : "+f"(a), "+f"(b), "+f"(c), "+f"(d) : "f"(by));,
         (a + b) + (c + d))
}

extern "C" __global__ void ladderSfu(float *out, int iterations, unsigned lanes, float start) {
    BODY(float, start,
         asm volatile("rsqrt.approx.f32 %0, %0; rsqrt.approx.f32 %1, %1; rsqrt.approx.f32 %2, %2; "
                      "rsqrt.approx.f32 %3, %3;"
                      : "+f"(a), "+f"(b), "+f"(c), "+f"(d));,
         (a + b) + (c + d))
}

// No two lanes of a warp meet in a bank.
extern "C" __global__ void ladderShared(int *out, int iterations, unsigned lanes, int step) {
    __shared__ int tile[1024];
    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) tile[i] = (int)i * step;
    __syncthreads();
    const volatile int *const mine = tile + threadIdx.x;
    BODY(int, 0, a = mine[0]; b = mine[256]; c = mine[512]; d = mine[768];, a + b + c + d)
}

// Streams through `words` (a power of two), a line a warp and load.
extern "C" __global__ void ladderGlobal(int *out, int iterations, unsigned lanes, const int *data,
                                        unsigned words) {
    const volatile int *const from = data;
    const unsigned threads = gridDim.x * blockDim.x;
    unsigned next = blockIdx.x * blockDim.x + threadIdx.x;
#define LOADS                                                                                      \
    a += from[next];                                                                               \
    b += from[(next + threads) & (words - 1)];                                    \
    next = (next + 2 * threads) & (words - 1);
    BODY(int, 0, LOADS, a + b + c + d)
}
