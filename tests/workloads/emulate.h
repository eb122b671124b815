// emulate.h: kernels as plain C++, so that a workload can be tested without any GPU.
//
// Takes the place of the first part of workloads/device.h. A block's threads are fibers of one CPU
// thread, run one after the other from barrier to barrier; blocks run one after the other, so
// shared memory can be static. Each thread runs on its own between barriers: code that counts on a
// warp's lockstep must say warp_step(), and a missing __syncthreads() shows as a wrong result. The
// order of threads can be turned round (WW_EMULATE_REVERSE=1), which shows more of them.
#ifndef WW_EMULATE_H
#define WW_EMULATE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define __global__
#define __device__
#define __shared__ static
#define __constant__
#define __launch_bounds__(...)
#define __forceinline__ inline
#ifndef __restrict__
#define __restrict__ __restrict
#endif
#define DYNAMIC_SHARED(type, name) type *const name = (type *)emulate_dynamic_shared
#define CONSTANT(type, name)       static type name
#define GLOBAL_SPACE
#define DEVICE_FN static inline __attribute__((unused))

struct emulate_index {
    unsigned x, y, z;
};
extern emulate_index threadIdx, blockIdx, blockDim, gridDim;
extern unsigned char *emulate_dynamic_shared;
static const int warpSize = 32;

void __syncthreads();
void warp_step();
static inline void __threadfence_block() {}
static inline void __threadfence() {}
static inline void __threadfence_system() {}

// A texture reference: what the host bound, read point by point, out of range clamped (2d) or
// zero (1d). CUtexref of emulate.cpp is a pointer to one.
struct emulate_texture {
    const void *texels;
    long long width, height; // height 0: linear memory
    unsigned format, channels;
    bool reads_integers;
};
#define TEXTURE(name) static emulate_texture name
// The texel's four components, 32 bits each.
void emulate_fetch(const emulate_texture &t, long long x, long long y, void *four);
template <class V> static inline V emulate_texel(const emulate_texture &t, float x, float y) {
    V v;
    emulate_fetch(t, (long long)__builtin_floorf(x), (long long)__builtin_floorf(y), &v);
    return v;
}
template <class V> static inline V emulate_texel(const emulate_texture &t, int i) {
    V v;
    emulate_fetch(t, i, 0, &v);
    return v;
}
#define tex_1d_f32(name, i)    emulate_texel<float4>(name, (int)(i))
#define tex_1d_s32(name, i)    emulate_texel<int4>(name, (int)(i))
#define tex_1d_u32(name, i)    emulate_texel<uint4>(name, (int)(i))
#define tex_2d_f32(name, x, y) emulate_texel<float4>(name, (float)(x), (float)(y))
#define tex_2d_s32(name, x, y) emulate_texel<int4>(name, (float)(x), (float)(y))
#define tex_2d_u32(name, x, y) emulate_texel<uint4>(name, (float)(x), (float)(y))

// One fiber runs at a time, so a read and a write are already atomic.
#define EMULATE_ATOMIC(name, T, next)                                                              \
    DEVICE_FN T name(T *p, T v) {                                                                  \
        const T old = *p;                                                                          \
        *p = (next);                                                                               \
        return old;                                                                                \
    }
EMULATE_ATOMIC(atomicAdd, int, (int)((unsigned)old + (unsigned)v))
EMULATE_ATOMIC(atomicAdd, unsigned, old + v)
EMULATE_ATOMIC(atomicAdd, float, old + v)
EMULATE_ATOMIC(atomicSub, int, (int)((unsigned)old - (unsigned)v))
EMULATE_ATOMIC(atomicMin, int, old < v ? old : v)
EMULATE_ATOMIC(atomicMin, unsigned, old < v ? old : v)
EMULATE_ATOMIC(atomicMax, int, old > v ? old : v)
EMULATE_ATOMIC(atomicMax, unsigned, old > v ? old : v)
EMULATE_ATOMIC(atomicInc, unsigned, old >= v ? 0 : old + 1)
EMULATE_ATOMIC(atomicDec, unsigned, old == 0 || old > v ? v : old - 1)
EMULATE_ATOMIC(atomicExch, int, v)
EMULATE_ATOMIC(atomicExch, unsigned, v)
EMULATE_ATOMIC(atomicAnd, int, (old & v))
EMULATE_ATOMIC(atomicOr, int, (old | v))
EMULATE_ATOMIC(atomicXor, int, (old ^ v))
DEVICE_FN int atomicCAS(int *p, int expected, int v) {
    const int old = *p;
    if (old == expected) *p = v;
    return old;
}
DEVICE_FN unsigned atomicCAS(unsigned *p, unsigned expected, unsigned v) {
    const unsigned old = *p;
    if (old == expected) *p = v;
    return old;
}

DEVICE_FN int __float_as_int(float x) {
    int i;
    memcpy(&i, &x, sizeof i);
    return i;
}
DEVICE_FN float __int_as_float(int i) {
    float x;
    memcpy(&x, &i, sizeof x);
    return x;
}
DEVICE_FN float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DEVICE_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
DEVICE_FN float sqrtf(float x) { return __builtin_sqrtf(x); }
DEVICE_FN double sqrt(double x) { return __builtin_sqrt(x); }
DEVICE_FN float rsqrtf(float x) { return (float)(1.0 / __builtin_sqrt((double)x)); }
DEVICE_FN float fabsf(float x) { return __builtin_fabsf(x); }
DEVICE_FN double fabs(double x) { return __builtin_fabs(x); }
DEVICE_FN float fminf(float a, float b) { return __builtin_fminf(a, b); }
DEVICE_FN float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
DEVICE_FN float floorf(float x) { return __builtin_floorf(x); }
DEVICE_FN float ceilf(float x) { return __builtin_ceilf(x); }
DEVICE_FN float truncf(float x) { return __builtin_truncf(x); }
DEVICE_FN float rintf(float x) { return __builtin_rintf(x); }
DEVICE_FN float __exp2f(float x) { return __builtin_exp2f(x); }
DEVICE_FN float __log2f(float x) { return __builtin_log2f(x); }
DEVICE_FN float __sinf(float x) { return __builtin_sinf(x); }
DEVICE_FN float __cosf(float x) { return __builtin_cosf(x); }
DEVICE_FN float __fdividef(float a, float b) { return a / b; }
DEVICE_FN float __frcp_rn(float x) { return 1.0f / x; }
DEVICE_FN float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
DEVICE_FN int __popc(unsigned x) { return __builtin_popcount(x); }
DEVICE_FN int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }

#endif
