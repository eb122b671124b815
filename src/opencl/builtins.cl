// Built-in functions of OpenCL C that libclc 14 lacks for this target, or has in a form that the NVPTX back end of clang 14
// does not take. Compiled to bitcode when warpwatt is built, linked in front of libclc.
#define OVERLOAD __attribute__((overloadable))
#define ASM1(word, a) ({ float r_; __asm__(word " %0, %1;" : "=f"(r_) : "f"(a)); r_; })

// ---- work items ---------------------------------------------------------------------------------
// Set by launches (kernel.c); their definitions are added to PTX (compiler.c).
extern __constant uint ww_offset[3];
extern __constant uint ww_dimensions;

OVERLOAD size_t get_global_offset(uint d) { return d < 3 ? ww_offset[d] : 0; }
OVERLOAD uint get_work_dim(void) { return ww_dimensions; }
// A dimension that a launch does not have has one item with the number 0, and so for more than three.
#define BY_DIMENSION(name, register, otherwise)                                                    \
    OVERLOAD size_t name(uint d) {                                                                 \
        return d == 0   ? (uint)__nvvm_read_ptx_sreg_##register##_x()                              \
               : d == 1 ? (uint)__nvvm_read_ptx_sreg_##register##_y()                              \
               : d == 2 ? (uint)__nvvm_read_ptx_sreg_##register##_z()                              \
                        : otherwise;                                                               \
    }
BY_DIMENSION(get_local_id, tid, 0)
BY_DIMENSION(get_local_size, ntid, 1)
BY_DIMENSION(get_group_id, ctaid, 0)
BY_DIMENSION(get_num_groups, nctaid, 1)
OVERLOAD size_t get_enqueued_local_size(uint d) { return get_local_size(d); }
OVERLOAD size_t get_global_id(uint d) {
    return (uint)((uint)get_group_id(d) * (uint)get_local_size(d) + (uint)get_local_id(d)) + get_global_offset(d);
}
OVERLOAD size_t get_global_size(uint d) { return (uint)((uint)get_num_groups(d) * (uint)get_local_size(d)); }

// ---- approximations -----------------------------------------------------------------------------
// PTX's .approx instructions, as the vendor's compiler uses for native_ (Programming Guide of OpenCL for CUDA).
#define LOG2_E 1.44269504088896340736f
#define LN_2   0.69314718055994530942f
#define LOG2_10 3.32192809488736234787f
#define LOG10_2 0.30102999566398119521f
static inline float approx_sin(float x) { return ASM1("sin.approx.f32", x); }
static inline float approx_cos(float x) { return ASM1("cos.approx.f32", x); }
static inline float approx_exp2(float x) { return ASM1("ex2.approx.f32", x); }
static inline float approx_log2(float x) { return ASM1("lg2.approx.f32", x); }
static inline float approx_rcp(float x) { return ASM1("rcp.approx.f32", x); }
static inline float approx_rsqrt(float x) { return ASM1("rsqrt.approx.f32", x); }
static inline float approx_sqrt(float x) { return ASM1("sqrt.approx.f32", x); }
static inline float approx_tan(float x) { return approx_sin(x) * approx_rcp(approx_cos(x)); }
static inline float approx_exp(float x) { return approx_exp2(x * LOG2_E); }
static inline float approx_exp10(float x) { return approx_exp2(x * LOG2_10); }
static inline float approx_log(float x) { return approx_log2(x) * LN_2; }
static inline float approx_log10(float x) { return approx_log2(x) * LOG10_2; }
static inline float approx_div(float x, float y) {
    float r;
    __asm__("div.approx.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    return r;
}
static inline float approx_powr(float x, float y) { return approx_exp2(y * approx_log2(x)); }

#define FOR_VECTORS1(name, f)                                                                      \
    OVERLOAD float name(float x) { return f(x); }                                                  \
    OVERLOAD float2 name(float2 x) { return (float2)(f(x.x), f(x.y)); }                            \
    OVERLOAD float3 name(float3 x) { return (float3)(f(x.x), f(x.y), f(x.z)); }                    \
    OVERLOAD float4 name(float4 x) { return (float4)(name(x.lo), name(x.hi)); }                    \
    OVERLOAD float8 name(float8 x) { return (float8)(name(x.lo), name(x.hi)); }                    \
    OVERLOAD float16 name(float16 x) { return (float16)(name(x.lo), name(x.hi)); }
#define FOR_VECTORS2(name, f)                                                                      \
    OVERLOAD float name(float x, float y) { return f(x, y); }                                      \
    OVERLOAD float2 name(float2 x, float2 y) { return (float2)(f(x.x, y.x), f(x.y, y.y)); }        \
    OVERLOAD float3 name(float3 x, float3 y) { return (float3)(f(x.x, y.x), f(x.y, y.y), f(x.z, y.z)); } \
    OVERLOAD float4 name(float4 x, float4 y) { return (float4)(name(x.lo, y.lo), name(x.hi, y.hi)); } \
    OVERLOAD float8 name(float8 x, float8 y) { return (float8)(name(x.lo, y.lo), name(x.hi, y.hi)); } \
    OVERLOAD float16 name(float16 x, float16 y) { return (float16)(name(x.lo, y.lo), name(x.hi, y.hi)); }
FOR_VECTORS1(native_sin, approx_sin)
FOR_VECTORS1(native_cos, approx_cos)
FOR_VECTORS1(native_tan, approx_tan)
FOR_VECTORS1(native_exp, approx_exp)
FOR_VECTORS1(native_exp2, approx_exp2)
FOR_VECTORS1(native_exp10, approx_exp10)
FOR_VECTORS1(native_log, approx_log)
FOR_VECTORS1(native_log2, approx_log2)
FOR_VECTORS1(native_log10, approx_log10)
FOR_VECTORS1(native_recip, approx_rcp)
FOR_VECTORS1(native_rsqrt, approx_rsqrt)
FOR_VECTORS1(native_sqrt, approx_sqrt)
FOR_VECTORS2(native_divide, approx_div)
FOR_VECTORS2(native_powr, approx_powr)
