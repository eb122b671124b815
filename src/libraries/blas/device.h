// What kernels of the libraries share: CUDA C without the vendor's headers, and arithmetic of the element types.
#ifndef WW_LIBRARIES_DEVICE_H
#define WW_LIBRARIES_DEVICE_H

#include <stdint.h>

#include "gemm.h"

#define __device__           __attribute__((device))
#define __global__           __attribute__((global))
#define __shared__           __attribute__((shared))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define thread_x             ((int)__nvvm_read_ptx_sreg_tid_x())
#define block_x              ((int)__nvvm_read_ptx_sreg_ctaid_x())
#define block_y              ((int)__nvvm_read_ptx_sreg_ctaid_y())
#define block_z              ((int)__nvvm_read_ptx_sreg_ctaid_z())
#define threads_x            ((int)__nvvm_read_ptx_sreg_ntid_x())
#define blocks_x             ((int)__nvvm_read_ptx_sreg_nctaid_x())
#define blocks_y             ((int)__nvvm_read_ptx_sreg_nctaid_y())
// Written out: to clang 14 its own __syncthreads() changes no variable whose address nobody takes, and loads of shared scalars
// move in front of it.
#define barrier()            asm volatile("bar.sync 0;" ::: "memory")
// A function or a member of which nothing is left in PTX: the tiles that it is handed stay in registers.
#define MEMBER __device__ __attribute__((always_inline)) inline
#define DEVICE static MEMBER

// ---- element types ------------------------------------------------------------------------------
struct f16 {
    __fp16 v;
};
struct bf16 {
    uint16_t v;
};
template <class T> struct complex_of { T x, y; };
typedef complex_of<float> c32;
typedef complex_of<double> c64;

// Widening to what is added up in.
static __device__ inline float widen(float x, float) { return x; }
static __device__ inline double widen(double x, double) { return x; }
static __device__ inline float widen(f16 x, float) { return (float)x.v; }
static __device__ inline float widen(bf16 x, float) {
    return __builtin_bit_cast(float, (uint32_t)x.v << 16);
}
static __device__ inline float widen(int8_t x, float) { return (float)x; }
static __device__ inline int32_t widen(int8_t x, int32_t) { return x; }
static __device__ inline int32_t widen(int32_t x, int32_t) { return x; }
static __device__ inline float widen(int32_t x, float) { return (float)x; }
static __device__ inline c32 widen(c32 x, c32) { return x; }
static __device__ inline c64 widen(c64 x, c64) { return x; }

// Rounding to what is stored.
static __device__ inline void narrow(float *to, float x) { *to = x; }
static __device__ inline void narrow(double *to, double x) { *to = x; }
static __device__ inline void narrow(int32_t *to, int32_t x) { *to = x; }
static __device__ inline void narrow(f16 *to, float x) { to->v = (__fp16)x; }
static __device__ inline void narrow(bf16 *to, float x) {
    const uint32_t u = __builtin_bit_cast(uint32_t, x);
    to->v = x != x ? 0x7fff : (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
template <class T> static __device__ inline void narrow(complex_of<T> *to, complex_of<T> x) {
    *to = x;
}

// Neighbours at once, which from compute capability 8.0 on halves have an instruction for.
template <class O, class A> static __device__ inline void narrow_2(O to[2], A low, A high) {
    narrow(&to[0], low);
    narrow(&to[1], high);
}
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
static __device__ inline void narrow_2(f16 to[2], float low, float high) {
    uint32_t both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    to[0] = __builtin_bit_cast(f16, (uint16_t)both);
    to[1] = __builtin_bit_cast(f16, (uint16_t)(both >> 16));
}
static __device__ inline void narrow_2(bf16 to[2], float low, float high) {
    uint32_t both;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    to[0].v = (uint16_t)both;
    to[1].v = (uint16_t)(both >> 16);
}
#endif

template <class T> static __device__ inline void mad(T *sum, T a, T b) { *sum += a * b; }
template <class T>
static __device__ inline void mad(complex_of<T> *sum, complex_of<T> a, complex_of<T> b) {
    sum->x += a.x * b.x;
    sum->x -= a.y * b.y;
    sum->y += a.x * b.y;
    sum->y += a.y * b.x;
}
template <class T> static __device__ inline void add(T *sum, T x) { *sum += x; }
template <class T> static __device__ inline void add(complex_of<T> *sum, complex_of<T> x) {
    sum->x += x.x;
    sum->y += x.y;
}
template <class T> static __device__ inline T conjugate(T x, bool) { return x; }
template <class T> static __device__ inline complex_of<T> conjugate(complex_of<T> x, bool is_conj) {
    if (is_conj) x.y = -x.y;
    return x;
}
template <class T> static __device__ inline T negative(T x) { return -x; }
template <class T> static __device__ inline complex_of<T> negative(complex_of<T> x) { return {-x.x, -x.y}; }
template <class T> static __device__ inline T real_as(T, T x) { return x; }
template <class T> static __device__ inline complex_of<T> real_as(complex_of<T>, T x) { return {x, 0}; }
template <class T> static __device__ inline bool is_zero(T x) { return x == 0; }
template <class T> static __device__ inline bool is_zero(complex_of<T> x) {
    return x.x == 0 && x.y == 0;
}

// A factor of a call: the value that the host gave, or what lies at a device address.
static __device__ inline float value(float, const double v[2]) { return (float)v[0]; }
static __device__ inline double value(double, const double v[2]) { return v[0]; }
static __device__ inline int32_t value(int32_t, const double v[2]) { return (int32_t)v[0]; }
static __device__ inline c32 value(c32, const double v[2]) { return c32{(float)v[0], (float)v[1]}; }
static __device__ inline c64 value(c64, const double v[2]) { return c64{v[0], v[1]}; }
// What is narrow there: a half of single precision, a real number of a complex one.
template <class A> static __device__ inline A narrow_at(A zero, uint64_t) { return zero; }
static __device__ inline float narrow_at(float, uint64_t at) { return (float)((const f16 *)at)->v; }
template <class U> static __device__ inline complex_of<U> narrow_at(complex_of<U>, uint64_t at) {
    return {*(const U *)at, 0};
}
template <class A>
static __device__ inline A factor(A zero, const double v[2], uint64_t at, bool is_narrow) {
    return !at ? value(zero, v) : is_narrow ? narrow_at(zero, at) : *(const A *)at;
}
// Those of a product (struct gemm).
template <class A, class G> static __device__ inline A alpha_of(A zero, const G &g) {
    return conjugate(factor(zero, g.alpha, g.alpha_at, g.factors & GEMM_ALPHA_NARROW), g.factors & GEMM_ALPHA_CONJ);
}
template <class A, class G> static __device__ inline A beta_of(A zero, const G &g) {
    return factor(zero, g.beta, g.beta_at, g.factors & GEMM_BETA_NARROW);
}

#endif
