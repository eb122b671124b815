// device.h: the language that kernels in this folder are written in.
//
// CUDA C without the vendor's headers or its math library: clang knows the address spaces, the
// barrier and the special registers; this file gives them their CUDA names and adds the functions
// that kernels call. Two sets of functions, as in CUDA:
//   __expf, __logf, ...   one or two special-function instructions, accuracy as the hardware's;
//   expf, logf, sinf, ... accurate to the stated number of units in the last place (ulp), written
//                         here as argument reduction and a polynomial. Coefficients are Chebyshev
//                         fits made for this file; errors were measured against double precision.
// Plain / and sqrtf are the correctly rounded instructions (div.rn, sqrt.rn), as nvcc has compiled
// them by default since compute capability 2.0. Multiply-adds are contracted, denormals kept.
//
// A kernel that needs dynamic shared memory says DYNAMIC_SHARED(type, name); a constant that the
// host sets is CONSTANT(type, name) or CONSTANT(type, name[size]), alone on its line. Code that
// counts on a warp running in lockstep says warp_step() between the steps: no instruction, but it
// keeps the compiler from moving memory accesses across and tells the CPU emulation in
// tests/workloads (which replaces the first part of this file) where the steps end. A texture is
// TEXTURE(name), alone on its line, bound by host_bind_linear or host_bind_image and read by
// tex_1d_f32(name, i), tex_2d_u32(name, x, y) and so on.
//
// nvcc has the names of CUDA and its mathematics itself; for it this file adds what is ours alone.
#ifndef WW_DEVICE_H
#define WW_DEVICE_H

#ifdef __NVCC__
#include <stdint.h>
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#define CONSTANT(type, name)                                                                       \
    extern "C" {                                                                                   \
    __constant__ type name;                                                                        \
    }
#define DEVICE_FN    static __device__ __forceinline__
#define GLOBAL_SPACE
DEVICE_FN void block_barrier() { __syncthreads(); }
DEVICE_FN void warp_step() { asm volatile("" ::: "memory"); }
#else

#ifdef WW_EMULATE
#include "emulate.h"
#else

#define __global__                 __attribute__((global))
#define __device__                 __attribute__((device))
#define __shared__                 __attribute__((shared))
#define __constant__               __attribute__((constant))
#define __launch_bounds__(...)     __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__            inline __attribute__((always_inline))
#define DYNAMIC_SHARED(type, name) extern __shared__ type name[]
#define CONSTANT(type, name)                                                                       \
    extern "C" {                                                                                   \
    __constant__ type name;                                                                        \
    }
#define DEVICE_FN    static __device__ __forceinline__
// A pointer read from memory that is known to point to global memory: `float GLOBAL_SPACE *p`.
#define GLOBAL_SPACE __attribute__((address_space(1)))

typedef __UINT8_TYPE__ uint8_t;
typedef __INT8_TYPE__ int8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INT64_TYPE__ int64_t;
typedef __SIZE_TYPE__ size_t;

// ------------------------------------------------------------------- where this thread is
// Each index is a variable whose members read a special register.

#define WW_INDEX(variable, reg)                                                                    \
    struct ww_index_##reg {                                                                        \
        __declspec(property(get = get_x)) unsigned x;                                              \
        __declspec(property(get = get_y)) unsigned y;                                              \
        __declspec(property(get = get_z)) unsigned z;                                              \
        static __device__ __forceinline__ unsigned get_x() {                                       \
            return (unsigned)__nvvm_read_ptx_sreg_##reg##_x();                                     \
        }                                                                                          \
        static __device__ __forceinline__ unsigned get_y() {                                       \
            return (unsigned)__nvvm_read_ptx_sreg_##reg##_y();                                     \
        }                                                                                          \
        static __device__ __forceinline__ unsigned get_z() {                                       \
            return (unsigned)__nvvm_read_ptx_sreg_##reg##_z();                                     \
        }                                                                                          \
    };                                                                                             \
    extern const __device__ ww_index_##reg variable

WW_INDEX(threadIdx, tid);
WW_INDEX(blockIdx, ctaid);
WW_INDEX(blockDim, ntid);
WW_INDEX(gridDim, nctaid);
#undef WW_INDEX
static const int warpSize = 32;

// ---------------------------------------------------------------- barriers, fences, votes
// A barrier as the instruction itself, which the compiler must take to touch any memory. Its own
// builtin will not do: clang 14 knows that the intrinsic behind it writes no variable whose address
// is never taken, and moves loads of a __shared__ scalar above the barrier.
DEVICE_FN void block_barrier() { asm volatile("bar.sync 0;" ::: "memory"); }
#define __syncthreads() block_barrier()

DEVICE_FN void warp_step() { asm volatile("" ::: "memory"); }
DEVICE_FN void __threadfence_block() { __nvvm_membar_cta(); }
DEVICE_FN void __threadfence() { __nvvm_membar_gl(); }
DEVICE_FN void __threadfence_system() { __nvvm_membar_sys(); }

DEVICE_FN unsigned __ballot(int predicate) {
    unsigned mask;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.ballot.b32 %0, p; }"
                 : "=r"(mask)
                 : "r"(predicate));
    return mask;
}
DEVICE_FN int __any(int predicate) { return __ballot(predicate) != 0; }
DEVICE_FN int __all(int predicate) { return __ballot(!predicate) == 0; }

#if __CUDA_ARCH__ >= 300
#define WW_SHUFFLE(name, mode, clamp)                                                              \
    DEVICE_FN int name(int value, int lane) {                                                      \
        int out;                                                                                   \
        asm volatile("shfl." mode ".b32 %0, %1, %2, " clamp ";"                                    \
                     : "=r"(out)                                                                   \
                     : "r"(value), "r"(lane));                                                     \
        return out;                                                                                \
    }                                                                                              \
    DEVICE_FN float name(float value, int lane) {                                                  \
        return __builtin_bit_cast(float, name(__builtin_bit_cast(int, value), lane));              \
    }
WW_SHUFFLE(__shfl, "idx", "0x1f")
WW_SHUFFLE(__shfl_up, "up", "0x0")
WW_SHUFFLE(__shfl_down, "down", "0x1f")
WW_SHUFFLE(__shfl_xor, "bfly", "0x1f")
#undef WW_SHUFFLE
#endif

DEVICE_FN float __ldg(const float *p) { return __nvvm_ldg_f(p); }
DEVICE_FN unsigned ww_lane() { return (unsigned)__nvvm_read_ptx_sreg_laneid(); }
DEVICE_FN unsigned clock32() { return (unsigned)__nvvm_read_ptx_sreg_clock(); }

// ------------------------------------------------------------------------------ textures
// Texture references, as the years of these programs had them: variables of the module that the
// host binds to memory. A fetch gives four components, those that the texels lack as the hardware
// fills them in (0, 0, 1); its type is the format's: _f32 for floats, _u32 and _s32 for integers
// of any width. Texels of linear memory (1d) are numbered, those of an image (2d) lie at x + 1/2,
// y + 1/2, so that whole numbers in a float are a texel's corner and floor to it. Fetches are not
// ordered with stores: a kernel must not write what it reads so.
template <class T, int KIND, int MODE>
struct __attribute__((device_builtin_texture_type)) ww_texture {};
#define TEXTURE(name)                                                                              \
    extern "C" {                                                                                   \
    __device__ __attribute__((used)) ww_texture<float, 1, 0> name;                                 \
    }
#define WW_FETCH(V, letter, dims, types, name, coordinates, ...)                                   \
    ({                                                                                             \
        V ww_v;                                                                                    \
        asm("tex." dims ".v4." types " {%0, %1, %2, %3}, [" #name ", " coordinates "];"            \
            : "=" letter(ww_v.x), "=" letter(ww_v.y), "=" letter(ww_v.z), "=" letter(ww_v.w)       \
            : __VA_ARGS__);                                                                        \
        ww_v;                                                                                      \
    })
#define tex_1d_f32(name, i) WW_FETCH(float4, "f", "1d", "f32.s32", name, "{%4}", "r"((int)(i)))
#define tex_1d_s32(name, i) WW_FETCH(int4, "r", "1d", "s32.s32", name, "{%4}", "r"((int)(i)))
#define tex_1d_u32(name, i) WW_FETCH(uint4, "r", "1d", "u32.s32", name, "{%4}", "r"((int)(i)))
#define tex_2d_f32(name, x, y)                                                                     \
    WW_FETCH(float4, "f", "2d", "f32.f32", name, "{%4, %5}", "f"((float)(x)), "f"((float)(y)))
#define tex_2d_s32(name, x, y)                                                                     \
    WW_FETCH(int4, "r", "2d", "s32.f32", name, "{%4, %5}", "f"((float)(x)), "f"((float)(y)))
#define tex_2d_u32(name, x, y)                                                                     \
    WW_FETCH(uint4, "r", "2d", "u32.f32", name, "{%4, %5}", "f"((float)(x)), "f"((float)(y)))

// ------------------------------------------------------------------------------- atomics
// Each returns what was there before.

// clang-format off
DEVICE_FN int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
DEVICE_FN unsigned atomicAdd(unsigned *p, unsigned v) {
    return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v);
}
DEVICE_FN float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
DEVICE_FN int atomicSub(int *p, int v) { return __nvvm_atom_add_gen_i(p, -v); }
DEVICE_FN int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
DEVICE_FN unsigned atomicMin(unsigned *p, unsigned v) { return __nvvm_atom_min_gen_ui(p, v); }
DEVICE_FN int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
DEVICE_FN unsigned atomicMax(unsigned *p, unsigned v) { return __nvvm_atom_max_gen_ui(p, v); }
DEVICE_FN unsigned atomicInc(unsigned *p, unsigned last) { return __nvvm_atom_inc_gen_ui(p, last); }
DEVICE_FN unsigned atomicDec(unsigned *p, unsigned last) { return __nvvm_atom_dec_gen_ui(p, last); }
DEVICE_FN int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
DEVICE_FN unsigned atomicExch(unsigned *p, unsigned v) {
    return (unsigned)__nvvm_atom_xchg_gen_i((int *)p, (int)v);
}
DEVICE_FN int atomicCAS(int *p, int old, int v) { return __nvvm_atom_cas_gen_i(p, old, v); }
DEVICE_FN unsigned atomicCAS(unsigned *p, unsigned old, unsigned v) {
    return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)old, (int)v);
}
DEVICE_FN int atomicAnd(int *p, int v) { return __nvvm_atom_and_gen_i(p, v); }
DEVICE_FN int atomicOr(int *p, int v) { return __nvvm_atom_or_gen_i(p, v); }
DEVICE_FN int atomicXor(int *p, int v) { return __nvvm_atom_xor_gen_i(p, v); }

// Sixteen bytes that a lane moves at once: the compiler moves a uint4 in halves.
typedef unsigned bytes16 __attribute__((vector_size(16)));

// --------------------------------------------------------------------------- tensor cores
// A warp's 16 x 16 matrices, spread over its lanes as wmma has them (compute capability 7.0): A and
// B of halves, C and D of floats. Loads and stores are all lanes' together; `pitch` is in elements
// from one row to the next, or from one column to the next where the name says col. Halves lie
// `offset` of them behind `shared`; offset and pitch are constants, once loops are unrolled.
#if __CUDA_ARCH__ >= 700
struct wmma_half {
    unsigned word[8];
};
struct wmma_float {
    float word[8];
};
#define WW_SHARED_SPACE __attribute__((address_space(3)))
#define WW_WMMA_LOAD(name, matrix, layout)                                                         \
    DEVICE_FN void name(wmma_half &f, const uint16_t *shared, int offset, int pitch) {             \
        asm volatile("wmma.load." matrix ".sync.aligned." layout                                   \
                     ".m16n16k16.shared.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8+%10], %9;"       \
                     : "=r"(f.word[0]), "=r"(f.word[1]), "=r"(f.word[2]), "=r"(f.word[3]),         \
                       "=r"(f.word[4]), "=r"(f.word[5]), "=r"(f.word[6]), "=r"(f.word[7])          \
                     : "l"((const WW_SHARED_SPACE uint16_t *)shared), "i"(pitch), "i"(2 * offset)  \
                     : "memory");                                                                  \
    }
WW_WMMA_LOAD(wmma_load_a_row, "a", "row")
WW_WMMA_LOAD(wmma_load_a_col, "a", "col")
WW_WMMA_LOAD(wmma_load_b_col, "b", "col")
#undef WW_WMMA_LOAD
DEVICE_FN void wmma_load_c_row(wmma_float &f, const float *shared, int pitch) {
    asm volatile("wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, "
                 "[%8], %9;"
                 : "=f"(f.word[0]), "=f"(f.word[1]), "=f"(f.word[2]), "=f"(f.word[3]),
                   "=f"(f.word[4]), "=f"(f.word[5]), "=f"(f.word[6]), "=f"(f.word[7])
                 : "l"((const WW_SHARED_SPACE float *)shared), "r"(pitch)
                 : "memory");
}
#define WW_WMMA_STORE(name, space, address_space, layout)                                          \
    DEVICE_FN void name(float *to, const wmma_float &f, int pitch) {                               \
        asm volatile("wmma.store.d.sync.aligned." layout ".m16n16k16." space                       \
                     ".f32 [%0], {%1, %2, %3, %4, %5, %6, %7, %8}, %9;"                            \
                     :                                                                             \
                     : "l"((address_space float *)to), "f"(f.word[0]), "f"(f.word[1]),             \
                       "f"(f.word[2]), "f"(f.word[3]), "f"(f.word[4]), "f"(f.word[5]),             \
                       "f"(f.word[6]), "f"(f.word[7]), "r"(pitch)                                  \
                     : "memory");                                                                  \
    }
WW_WMMA_STORE(wmma_store_row, "shared", WW_SHARED_SPACE, "row")
WW_WMMA_STORE(wmma_store_col, "shared", WW_SHARED_SPACE, "col")
WW_WMMA_STORE(wmma_store_global_col, "global", GLOBAL_SPACE, "col")
#undef WW_WMMA_STORE
// d += A * B; the layouts are those that A and B were loaded with.
#define WW_WMMA(name, layouts)                                                                     \
    DEVICE_FN void name(wmma_float &d, const wmma_half &a, const wmma_half &b) {                   \
        asm("wmma.mma.sync.aligned." layouts ".m16n16k16.f32.f32 "                                 \
            "{%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11, %12, %13, %14, %15}, "           \
            "{%16, %17, %18, %19, %20, %21, %22, %23}, {%0, %1, %2, %3, %4, %5, %6, %7};"          \
            : "+f"(d.word[0]), "+f"(d.word[1]), "+f"(d.word[2]), "+f"(d.word[3]),                  \
              "+f"(d.word[4]), "+f"(d.word[5]), "+f"(d.word[6]), "+f"(d.word[7])                   \
            : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(a.word[4]),      \
              "r"(a.word[5]), "r"(a.word[6]), "r"(a.word[7]), "r"(b.word[0]), "r"(b.word[1]),      \
              "r"(b.word[2]), "r"(b.word[3]), "r"(b.word[4]), "r"(b.word[5]), "r"(b.word[6]),      \
              "r"(b.word[7]));                                                                     \
    }
WW_WMMA(wmma_row_col, "row.col")
WW_WMMA(wmma_col_col, "col.col")
#undef WW_WMMA
#endif

// ----------------------------------------------------------- single instructions of floats

DEVICE_FN int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
DEVICE_FN float __int_as_float(int i) { return __builtin_bit_cast(float, i); }
DEVICE_FN float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
DEVICE_FN double fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
DEVICE_FN float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
DEVICE_FN double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
DEVICE_FN float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
DEVICE_FN float fabsf(float x) { return __builtin_fabsf(x); }
DEVICE_FN double fabs(double x) { return __builtin_fabs(x); }
DEVICE_FN float fminf(float a, float b) { return __nvvm_fmin_f(a, b); }
DEVICE_FN float fmaxf(float a, float b) { return __nvvm_fmax_f(a, b); }
DEVICE_FN float floorf(float x) { return __nvvm_floor_f(x); }
DEVICE_FN float ceilf(float x) { return __nvvm_ceil_f(x); }
DEVICE_FN float truncf(float x) { return __nvvm_trunc_f(x); }
DEVICE_FN float rintf(float x) { return __builtin_rintf(x); }

DEVICE_FN float __exp2f(float x) { return __nvvm_ex2_approx_f(x); }   // ex2.approx, 2 ulp
DEVICE_FN float __log2f(float x) { return __nvvm_lg2_approx_f(x); }   // lg2.approx
DEVICE_FN float __sinf(float x) { return __nvvm_sin_approx_f(x); }
DEVICE_FN float __cosf(float x) { return __nvvm_cos_approx_f(x); }
DEVICE_FN float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
DEVICE_FN float __frcp_rn(float x) { return __nvvm_rcp_rn_f(x); }
DEVICE_FN float __saturatef(float x) { return __nvvm_saturate_f(x); }

DEVICE_FN int __popc(unsigned x) { return __builtin_popcount(x); }
DEVICE_FN int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
DEVICE_FN unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
DEVICE_FN int abs(int x) { return x < 0 ? -x : x; }
DEVICE_FN int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
// clang-format on

#endif // WW_EMULATE

// ---------------------------------------------------------- from here on: for both machines

#define WW_VECTOR2(T, name)                                                                        \
    struct alignas(2 * sizeof(T)) name {                                                           \
        T x, y;                                                                                    \
    };                                                                                             \
    DEVICE_FN name make_##name(T x, T y) { return name{x, y}; }
#define WW_VECTOR4(T, name)                                                                        \
    struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) name {                                 \
        T x, y, z, w;                                                                              \
    };                                                                                             \
    DEVICE_FN name make_##name(T x, T y, T z, T w) { return name{x, y, z, w}; }
WW_VECTOR2(int, int2)
WW_VECTOR2(unsigned, uint2)
WW_VECTOR2(float, float2)
WW_VECTOR2(double, double2)
WW_VECTOR4(unsigned char, uchar4)
WW_VECTOR4(int, int4)
WW_VECTOR4(unsigned, uint4)
WW_VECTOR4(float, float4)
WW_VECTOR4(double, double4)
#undef WW_VECTOR2
#undef WW_VECTOR4
struct float3 {
    float x, y, z;
};
DEVICE_FN float3 make_float3(float x, float y, float z) { return float3{x, y, z}; }

DEVICE_FN int min(int a, int b) { return a < b ? a : b; }
DEVICE_FN int max(int a, int b) { return a > b ? a : b; }
DEVICE_FN unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
DEVICE_FN unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }

DEVICE_FN float __expf(float x) { return __exp2f(x * 1.44269504f); }
DEVICE_FN float __logf(float x) { return __log2f(x) * 0.693147181f; }
DEVICE_FN float __powf(float x, float y) { return __exp2f(y * __log2f(x)); }

// e^x, 2 ulp. x = n ln 2 + r: the power of two is exact, 2^(r / ln 2) is one ex2.approx. ln 2 is
// in two parts, so that r keeps its bits for |n| up to 2^9.
DEVICE_FN float expf(float x) {
    const float n = rintf(fminf(fmaxf(x * 1.44269504f, -252.0f), 252.0f));
    const float r = fmaf(n, -1.42860682e-6f, fmaf(n, -0.693145752f, x));
    // 2^n as two factors, since n may be past the exponents of normal numbers; where n was
    // clamped, r carries the rest to infinity or zero.
    const int half = (int)n >> 1;
    const float scale = __int_as_float((127 + half) << 23);
    const float rest = __int_as_float((127 + (int)n - half) << 23);
    return __exp2f(r * 1.44269504f) * scale * rest;
}

// ln x, 1 ulp for normal x; denormals are scaled first. x = 2^e m with m in [2/3, 4/3);
// ln m = f - f^2/2 + f^3 P(f) with f = m - 1.
DEVICE_FN float logf(float x) {
    if (!(x > 0.0f)) return x == 0.0f ? -__builtin_inff() : __builtin_nanf("");
    if (x > 3.40282347e38f) return x;
    const bool tiny = x < 1.17549435e-38f;
    const int bits = __float_as_int(tiny ? x * 8388608.0f : x);
    const int e = (bits - 0x3f2aaaab) >> 23;
    const float f = __int_as_float(bits - e * (1 << 23)) - 1.0f;
    const float n = (float)(tiny ? e - 23 : e);
    float p = -1.212558076e-01f;
    p = fmaf(p, f, 1.342574954e-01f);
    p = fmaf(p, f, -1.234619021e-01f);
    p = fmaf(p, f, 1.411830932e-01f);
    p = fmaf(p, f, -1.667014062e-01f);
    p = fmaf(p, f, 2.000378072e-01f);
    p = fmaf(p, f, -2.499998808e-01f);
    p = fmaf(p, f, 3.333331943e-01f);
    p = fmaf(p * f, f, -0.5f * f);
    return fmaf(n, 0.693147182f, fmaf(p, f, f));
}

// sin and cos, 2 ulp for |x| up to 1e5: x = q pi/2 + r with pi/2 in three parts; past that the
// remainder has lost its bits and the result is only a number in [-1, 1].
DEVICE_FN float ww_sin_reduced(float r) {
    const float t = r * r;
    const float p = fmaf(fmaf(-1.958789071e-04f, t, 8.332747966e-03f), t, -1.666666418e-01f);
    return fmaf(p * t, r, r);
}
DEVICE_FN float ww_cos_reduced(float r) {
    const float t = r * r;
    const float p = fmaf(fmaf(2.454794230e-05f, t, -1.388830249e-03f), t, 4.166666418e-02f);
    return fmaf(p * t, t, fmaf(-0.5f, t, 1.0f));
}
DEVICE_FN float ww_quadrant(float x, int *quadrant) {
    const float q = rintf(x * 0.636619772f);
    *quadrant = (int)q;
    return fmaf(q, -7.54978996e-08f, fmaf(q, -4.83751297e-04f, fmaf(q, -1.5703125f, x)));
}
DEVICE_FN float sinf(float x) {
    int q;
    const float r = ww_quadrant(x, &q);
    const float v = q & 1 ? ww_cos_reduced(r) : ww_sin_reduced(r);
    return q & 2 ? -v : v;
}
DEVICE_FN float cosf(float x) {
    int q;
    const float r = ww_quadrant(x, &q);
    const float v = q & 1 ? ww_sin_reduced(r) : ww_cos_reduced(r);
    return (q + 1) & 2 ? -v : v;
}

// x^y for x > 0; the error grows with |y ln x|, about 1 ulp a unit.
DEVICE_FN float powf(float x, float y) { return expf(y * logf(x)); }

#endif // __NVCC__
#endif // WW_DEVICE_H
