// OpenCL C for NVPTX: the few built-in functions that the kernels here use, over clang's builtins,
// so that one text compiles for PoCL and for the simulated GPU. Given to clang with -include, in
// place of its own OpenCL headers, which only declare what a vendor's library defines.
#ifndef NVPTX_H
#define NVPTX_H

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;
typedef float float4 __attribute__((ext_vector_type(4)));
typedef uint uint4 __attribute__((ext_vector_type(4)));

#define OVERLOAD static inline __attribute__((overloadable, always_inline))

#define BY_DIMENSION(name, register)                                                               \
    OVERLOAD size_t name(uint d) {                                                                 \
        return d == 0   ? (uint)__nvvm_read_ptx_sreg_##register##_x()                              \
               : d == 1 ? (uint)__nvvm_read_ptx_sreg_##register##_y()                              \
                        : (uint)__nvvm_read_ptx_sreg_##register##_z();                             \
    }
BY_DIMENSION(get_local_id, tid)
BY_DIMENSION(get_local_size, ntid)
BY_DIMENSION(get_group_id, ctaid)
BY_DIMENSION(get_num_groups, nctaid)
OVERLOAD size_t get_global_id(uint d) {
    return get_group_id(d) * get_local_size(d) + get_local_id(d);
}
OVERLOAD size_t get_global_size(uint d) {
    return get_num_groups(d) * get_local_size(d);
}

#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define barrier(flags) __syncthreads()

// __sync and not __atomic, which some clangs turn into calls of a library.
#define ATOMIC_IN(space)                                                                           \
    OVERLOAD uint atomic_add(volatile space uint *p, uint v) {                                     \
        return __sync_fetch_and_add(p, v);                                                         \
    }                                                                                              \
    OVERLOAD uint atomic_xor(volatile space uint *p, uint v) {                                     \
        return __sync_fetch_and_xor(p, v);                                                         \
    }                                                                                              \
    OVERLOAD uint atomic_max(volatile space uint *p, uint v) {                                     \
        return __sync_fetch_and_umax(p, v);                                                        \
    }                                                                                              \
    OVERLOAD uint atomic_cmpxchg(volatile space uint *p, uint old, uint v) {                       \
        return __sync_val_compare_and_swap(p, old, v);                                             \
    }
ATOMIC_IN(__global)
ATOMIC_IN(__local)

OVERLOAD float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
OVERLOAD double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
OVERLOAD float sqrt(float a) { return __builtin_sqrtf(a); }
OVERLOAD double sqrt(double a) { return __builtin_sqrt(a); }
OVERLOAD float fabs(float a) { return __builtin_fabsf(a); }
OVERLOAD double fabs(double a) { return __builtin_fabs(a); }
OVERLOAD float fmin(float a, float b) { return __builtin_fminf(a, b); }
OVERLOAD float fmax(float a, float b) { return __builtin_fmaxf(a, b); }
OVERLOAD float floor(float a) { return __builtin_floorf(a); }
OVERLOAD float ceil(float a) { return __builtin_ceilf(a); }
OVERLOAD float trunc(float a) { return __builtin_truncf(a); }
OVERLOAD float rint(float a) { return __builtin_rintf(a); }

OVERLOAD float native_rsqrt(float a) { return __nvvm_rsqrt_approx_f(a); }
OVERLOAD float native_recip(float a) { // older clangs have no builtin for it
    float r;
    __asm__("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}
OVERLOAD float native_sin(float a) { return __nvvm_sin_approx_f(a); }
OVERLOAD float native_cos(float a) { return __nvvm_cos_approx_f(a); }
OVERLOAD float native_exp2(float a) { return __nvvm_ex2_approx_f(a); }
OVERLOAD float native_log2(float a) { return __nvvm_lg2_approx_f(a); }

OVERLOAD uint popcount(uint a) { return (uint)__builtin_popcount(a); }
OVERLOAD uint clz(uint a) { return a ? (uint)__builtin_clz(a) : 32; }
OVERLOAD uint mul_hi(uint a, uint b) { return (uint)__nvvm_mulhi_ui(a, b); }
OVERLOAD int mul_hi(int a, int b) { return __nvvm_mulhi_i(a, b); }
OVERLOAD ulong mul_hi(ulong a, ulong b) { // clang 14's builtin takes 128-bit numbers in OpenCL
    ulong r;
    __asm__("mul.hi.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b));
    return r;
}
OVERLOAD uint rotate(uint a, uint n) { // not two shifts: clang 14 drops their `& 31` for sm_20
    const ulong wide = (ulong)a << (n & 31);
    return (uint)wide | (uint)(wide >> 32);
}
OVERLOAD int min(int a, int b) { return a < b ? a : b; }
OVERLOAD int max(int a, int b) { return a > b ? a : b; }

OVERLOAD uint as_uint(float a) { return __builtin_bit_cast(uint, a); }
OVERLOAD float as_float(uint a) { return __builtin_bit_cast(float, a); }

// OpenCL's saturating conversions are PTX's cvt from float to integer.
OVERLOAD int convert_int_sat_rte(float a) { return __nvvm_f2i_rn(a); }
OVERLOAD int convert_int_sat_rtz(float a) { return __nvvm_f2i_rz(a); }
OVERLOAD int convert_int_sat_rtn(float a) { return __nvvm_f2i_rm(a); }
OVERLOAD uint convert_uint_sat_rtp(float a) { return (uint)__nvvm_f2ui_rp(a); }
OVERLOAD float convert_float_rtp(int a) { return __nvvm_i2f_rp(a); }
OVERLOAD float convert_float_rtz(uint a) { // clang 14 optimises its builtin into round-to-nearest
    float r;
    __asm__("cvt.rz.f32.u32 %0, %1;" : "=f"(r) : "r"(a));
    return r;
}
#endif
