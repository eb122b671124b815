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

OVERLOAD size_t get_local_linear_id(void) {
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
OVERLOAD size_t get_global_linear_id(void) {
    const size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
                 z = get_global_id(2) - get_global_offset(2);
    return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

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

// ---- functions whose single precision libclc computes with too large an error ------------------------
// OpenCL 1.2 (7.4) allows 16 ulp for both; libclc 14 has 43 and more. In double precision, then rounded.
static inline float erfc_of(float x) { return (float)erfc((double)x); }
// The gamma function from 0.5 on by Lanczos' series with g = 7 and nine terms (coefficients: P. Godfrey, 2001).
static inline double gamma_above(double x) {
    const double z = x - 1, t = z + 7.5;
    const double sum = 0.99999999999980993 + 676.5203681218851 / (z + 1) - 1259.1392167224028 / (z + 2) +
                       771.32342877765313 / (z + 3) - 176.61502916214059 / (z + 4) + 12.507343278686905 / (z + 5) -
                       0.13857109526572012 / (z + 6) + 9.9843695780195716e-6 / (z + 7) + 1.5056327351493116e-7 / (z + 8);
    return 2.5066282746310005 * pow(t, z + 0.5) * exp(-t) * sum;
}
static inline float gamma_of(float x) {
    if (x == 0) return copysign(INFINITY, x);
    if (x < 0 && x == floor(x)) return NAN; // minus infinity too
    if (x >= 0.5f) return x > 36 ? x + INFINITY : (float)gamma_above(x);
    if (x < -50) return fmod(floor(x), 2.0f) == 0 ? 0.0f : -0.0f; // below the least denormal
    return (float)(M_PI / (sinpi((double)x) * gamma_above(1 - (double)x)));
}
FOR_VECTORS1(erfc, erfc_of)
FOR_VECTORS1(tgamma, gamma_of)

// ---- atomics of 64 bits -------------------------------------------------------------------------
// The functions of cl_khr_int64_base_atomics and cl_khr_int64_extended_atomics as the instructions of PTX that they are.
#define ATOM(name, word, where, space, type)                                                       \
    OVERLOAD type name(volatile space type *p, type v) {                                           \
        type r;                                                                                    \
        __asm__ volatile("atom." where "." word " %0, [%1], %2;" : "=l"(r) : "l"(p), "l"(v) : "memory"); \
        return r;                                                                                  \
    }
#define ATOMS(space, where, type, sign)                                                            \
    ATOM(atom_add, "add.u64", where, space, type)                                                  \
    OVERLOAD type atom_sub(volatile space type *p, type v) { return atom_add(p, (type)-v); }       \
    OVERLOAD type atom_inc(volatile space type *p) { return atom_add(p, (type)1); }                \
    OVERLOAD type atom_dec(volatile space type *p) { return atom_add(p, (type)-1); }               \
    ATOM(atom_xchg, "exch.b64", where, space, type)                                                \
    ATOM(atom_min, "min." sign "64", where, space, type)                                           \
    ATOM(atom_max, "max." sign "64", where, space, type)                                           \
    ATOM(atom_and, "and.b64", where, space, type)                                                  \
    ATOM(atom_or, "or.b64", where, space, type)                                                    \
    ATOM(atom_xor, "xor.b64", where, space, type)                                                  \
    OVERLOAD type atom_cmpxchg(volatile space type *p, type wanted, type v) {                      \
        type r;                                                                                    \
        __asm__ volatile("atom." where ".cas.b64 %0, [%1], %2, %3;"                                \
                         : "=l"(r) : "l"(p), "l"(wanted), "l"(v) : "memory");                      \
        return r;                                                                                  \
    }
ATOMS(__global, "global", long, "s")
ATOMS(__global, "global", ulong, "u")
ATOMS(__local, "shared", long, "s")
ATOMS(__local, "shared", ulong, "u")

// ---- whole numbers ------------------------------------------------------------------------------
#define FOR_TYPES(X) X(char) X(uchar) X(short) X(ushort) X(int) X(uint) X(long) X(ulong)
#define MAD_HI(type) OVERLOAD type mad_hi(type a, type b, type c) { return mul_hi(a, b) + c; }
#define CTZ(type)                                                                                  \
    OVERLOAD type ctz(type x) { return (type)popcount((type)(~x & (type)(x - (type)1))); }
#define SIZES(X, type) X(type) X(type##2) X(type##3) X(type##4) X(type##8) X(type##16)
#define MAD_HIS(type) SIZES(MAD_HI, type)
#define CTZS(type)    SIZES(CTZ, type)
FOR_TYPES(MAD_HIS)
FOR_TYPES(CTZS)

// The shifts that the back end of clang 14 makes of a rotation of 64 bits want an amount below 64, which it must not know.
static inline uint below_64(ulong n) {
    uint r;
    __asm__("and.b32 %0, %1, 63;" : "=r"(r) : "r"((uint)n));
    return r;
}
OVERLOAD ulong rotate(ulong x, ulong n) {
    const uint k = below_64(n);
    return x << k | x >> (64 - k);
}
OVERLOAD long rotate(long x, long n) { return (long)rotate((ulong)x, (ulong)n); }
#define ROTATE(type)                                                                               \
    OVERLOAD type##2 rotate(type##2 x, type##2 n) { return (type##2)(rotate(x.x, n.x), rotate(x.y, n.y)); } \
    OVERLOAD type##3 rotate(type##3 x, type##3 n) { return (type##3)(rotate(x.xy, n.xy), rotate(x.z, n.z)); } \
    OVERLOAD type##4 rotate(type##4 x, type##4 n) { return (type##4)(rotate(x.lo, n.lo), rotate(x.hi, n.hi)); } \
    OVERLOAD type##8 rotate(type##8 x, type##8 n) { return (type##8)(rotate(x.lo, n.lo), rotate(x.hi, n.hi)); } \
    OVERLOAD type##16 rotate(type##16 x, type##16 n) { return (type##16)(rotate(x.lo, n.lo), rotate(x.hi, n.hi)); }
ROTATE(long)
ROTATE(ulong)

#define SMOOTHSTEP(type)                                                                           \
    OVERLOAD type smoothstep(double a, double b, type x) {                                         \
        const type t = clamp((x - a) / (b - a), 0.0, 1.0);                                         \
        return t * t * (3.0 - 2.0 * t);                                                            \
    }
SMOOTHSTEP(double2) SMOOTHSTEP(double3) SMOOTHSTEP(double4) SMOOTHSTEP(double8) SMOOTHSTEP(double16)

// ---- copies of a group: vectors of three, which lie as those of four do ------------------------------
#define COPY3(type, to, from)                                                                      \
    OVERLOAD event_t async_work_group_copy(to type##4 *a, const from type##4 *b, size_t n, event_t e); \
    OVERLOAD event_t async_work_group_strided_copy(to type##4 *a, const from type##4 *b, size_t n, size_t stride, event_t e); \
    OVERLOAD event_t async_work_group_copy(to type##3 *a, const from type##3 *b, size_t n, event_t e) { \
        return async_work_group_copy((to type##4 *)a, (const from type##4 *)b, n, e);              \
    }                                                                                              \
    OVERLOAD event_t async_work_group_strided_copy(to type##3 *a, const from type##3 *b, size_t n, size_t stride, event_t e) { \
        return async_work_group_strided_copy((to type##4 *)a, (const from type##4 *)b, n, stride, e); \
    }
#define COPIES3(type)                                                                              \
    COPY3(type, __local, __global)                                                                 \
    COPY3(type, __global, __local)                                                                 \
    OVERLOAD void prefetch(const __global type##3 *p, size_t n) {}
FOR_TYPES(COPIES3)
COPIES3(float)
COPIES3(double)

// ---- images -------------------------------------------------------------------------------------
// image.c writes the same. A kernel's image is the address of one; a sampler is its bits. OpenCL C lets neither be looked into,
// so the functions stand here under the names that clang calls.
typedef struct {
    ulong texture[32];
    ulong surface, address;
    uint size[4];
    uint order, type, channels, channel_bytes;
} descriptor;
typedef __global const descriptor *image;
typedef __constant char *sampler;
enum { R = 0x10B0, A, RG, RA, RGB, RGBA, BGRA, ARGB, INTENSITY, LUMINANCE }; // cl_channel_order
enum { SNORM8 = 0x10D0, SNORM16, UNORM8, UNORM16 };                          // cl_channel_type, the fractions
enum { HALF = 0x10DD, FLOAT32 };

sampler make_sampler(int bits) __asm__("__translate_sampler_initializer");
sampler make_sampler(int bits) { return (sampler)(ulong)(uint)bits; }

static inline ulong texture_of(image m, sampler s) {
    const uint bits = (uint)(ulong)s;
    return m->texture[(bits & 15) | (bits >> 1 & 16)];
}
// Without a sampler: nearest, coordinates of texels, no care for what is outside.
static inline ulong texture_plain(image m) { return m->texture[0]; }

// Channels where the image's order has them; what it lacks is 0, and 1 for the last.
#define ORDERED(type, t, one, m)                                                                   \
    (m->order == RGBA        ? t                                                                   \
     : m->order == R         ? (type)(t.x, 0, 0, one)                                              \
     : m->order == A         ? (type)(0, 0, 0, t.x)                                                \
     : m->order == RG        ? (type)(t.x, t.y, 0, one)                                            \
     : m->order == RA        ? (type)(t.x, 0, 0, t.y)                                              \
     : m->order == BGRA      ? t.zyxw                                                              \
     : m->order == ARGB      ? t.yzwx                                                              \
     : m->order == LUMINANCE ? (type)(t.x, t.x, t.x, one)                                          \
                             : (type)(t.x))

// One texel: the instruction, its constraint of results, its coordinates.
#define FETCH(type, r, t, geometry, suffix, out, at, ...)                                          \
    __asm__("tex." geometry ".v4." suffix " {%0, %1, %2, %3}, [%4, " at "];"                       \
            : "=" out(r.x), "=" out(r.y), "=" out(r.z), "=" out(r.w)                               \
            : "l"(t), __VA_ARGS__)
// By geometry: the mangled image, coordinates of float and int, how they stand in the instruction.
#define READS(name, type, one, result, out)                                                        \
    READ(name, type, one, result, out, image1d, "1d", float, f, "f32", "{%5}", "f"(c))             \
    READ(name, type, one, result, out, image1d, "1d", int, i, "s32", "{%5}", "r"(c))               \
    READ(name, type, one, result, out, image2d, "2d", float2, Dv2_f, "f32", "{%5, %6}", "f"(c.x), "f"(c.y)) \
    READ(name, type, one, result, out, image2d, "2d", int2, Dv2_i, "s32", "{%5, %6}", "r"(c.x), "r"(c.y)) \
    READ(name, type, one, result, out, image3d, "3d", float4, Dv4_f, "f32", "{%5, %6, %7, %7}", "f"(c.x), "f"(c.y), "f"(c.z)) \
    READ(name, type, one, result, out, image3d, "3d", int4, Dv4_i, "s32", "{%5, %6, %7, %7}", "r"(c.x), "r"(c.y), "r"(c.z)) \
    READ(name, type, one, result, out, image1d_array, "a1d", float2, Dv2_f, "f32", "{%5, %6}", "r"(layer(c.y, m)), "f"(c.x)) \
    READ(name, type, one, result, out, image1d_array, "a1d", int2, Dv2_i, "s32", "{%5, %6}", "r"(c.y), "r"(c.x)) \
    READ(name, type, one, result, out, image2d_array, "a2d", float4, Dv4_f, "f32", "{%5, %6, %7, %7}", "r"(layer(c.z, m)), "f"(c.x), "f"(c.y)) \
    READ(name, type, one, result, out, image2d_array, "a2d", int4, Dv4_i, "s32", "{%5, %6, %7, %7}", "r"(c.z), "r"(c.x), "r"(c.y))
static inline int layer(float z, image m) {
    const int n = (int)__builtin_rintf(z), last = (int)m->size[3] - 1;
    return n < 0 ? 0 : n > last ? last : n;
}
#define STRING_(x) #x
#define STRING(x) STRING_(x)
#define JOIN_(a, b, c, d) a##_##b##_##c##_##d
#define JOIN(a, b, c, d) JOIN_(a, b, c, d)
// Lengths of names in mangled ones.
#define N_image1d 14ocl_image1d_ro
#define N_image2d 14ocl_image2d_ro
#define N_image3d 14ocl_image3d_ro
#define N_image1d_array 20ocl_image1d_array_ro
#define N_image2d_array 20ocl_image2d_array_ro
#define N_read_imagef 11read_imagef
#define N_read_imagei 11read_imagei
#define N_read_imageui 12read_imageui
#define READ(name, type, one, result, out, kind, geometry, ctype, cname, cword, at, ...)           \
    type JOIN(name, kind, cname, s)(image m, sampler s, ctype c) __asm__("_Z" STRING(N_##name) STRING(N_##kind) "11ocl_sampler" #cname); \
    type JOIN(name, kind, cname, s)(image m, sampler s, ctype c) {                                 \
        type t;                                                                                    \
        FETCH(type, t, texture_of(m, s), geometry, result "." cword, out, at, __VA_ARGS__);        \
        return ORDERED(type, t, one, m);                                                           \
    }                                                                                              \
    type JOIN(name, kind, cname, p)(image m, ctype c) __asm__("_Z" STRING(N_##name) STRING(N_##kind) #cname); \
    type JOIN(name, kind, cname, p)(image m, ctype c) {                                            \
        type t;                                                                                    \
        FETCH(type, t, texture_plain(m), geometry, result "." cword, out, at, __VA_ARGS__);        \
        return ORDERED(type, t, one, m);                                                           \
    }
READS(read_imagef, float4, 1.0f, "f32", "f")
READS(read_imagei, int4, 1, "s32", "r")
READS(read_imageui, uint4, 1, "u32", "r")

// ---- writes -------------------------------------------------------------------------------------
// A texel in the image's order and format, as the words that a surface store takes (OpenCL 1.2, 8.3).
static inline uint round_to(float v, float scale, float low) {
    const float clamped = v != v ? 0 : v < low ? low : v > 1 ? 1 : v;
    return (uint)(int)__builtin_rintf(clamped * scale);
}
static inline uint word_of(float v, uint type) {
    switch (type) {
    case UNORM8: return round_to(v, 255, 0);
    case UNORM16: return round_to(v, 65535, 0);
    case SNORM8: return round_to(v, 127, -1);
    case SNORM16: return round_to(v, 32767, -1);
    case HALF: {
        ushort h;
        __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(v));
        return h;
    }
    default: return as_uint(v);
    }
}
static inline uint4 words_of_floats(float4 v, image m) {
    return (uint4)(word_of(v.x, m->type), word_of(v.y, m->type), word_of(v.z, m->type), word_of(v.w, m->type));
}
static inline uint4 words_of_ints(int4 v, image m) {
    const int most = m->channel_bytes == 1 ? 127 : m->channel_bytes == 2 ? 32767 : 0x7fffffff;
    return as_uint4(clamp(v, -most - 1, most));
}
static inline uint4 words_of_uints(uint4 v, image m) {
    const uint most = m->channel_bytes == 1 ? 255 : m->channel_bytes == 2 ? 65535 : 0xffffffff;
    return min(v, most);
}
static inline uint4 in_order(uint4 v, image m) {
    return m->order == BGRA ? v.zyxw : m->order == ARGB ? v.wxyz : m->order == A ? v.wxyz : m->order == RA ? v.xwyz : v;
}
// `at`: the coordinates behind the surface; x counts bytes.
#define STORE_AS(geometry, vector, bits, list, at, ...)                                            \
    __asm__ volatile("sust.b." geometry vector bits ".trap [%0, " at "], " list ";" ::"l"(m->surface), __VA_ARGS__ : "memory")
#define STORE(geometry, at, ...)                                                                   \
    switch (m->channels * 8 + m->channel_bytes) {                                                  \
    case 9: STORE_AS(geometry, "", ".b8", "%4", at, __VA_ARGS__, "h"((ushort)w.x)); break;         \
    case 10: STORE_AS(geometry, "", ".b16", "%4", at, __VA_ARGS__, "h"((ushort)w.x)); break;       \
    case 12: STORE_AS(geometry, "", ".b32", "%4", at, __VA_ARGS__, "r"(w.x)); break;               \
    case 17: STORE_AS(geometry, ".v2", ".b8", "{%4, %5}", at, __VA_ARGS__, "h"((ushort)w.x), "h"((ushort)w.y)); break; \
    case 18: STORE_AS(geometry, ".v2", ".b16", "{%4, %5}", at, __VA_ARGS__, "h"((ushort)w.x), "h"((ushort)w.y)); break; \
    case 20: STORE_AS(geometry, ".v2", ".b32", "{%4, %5}", at, __VA_ARGS__, "r"(w.x), "r"(w.y)); break; \
    case 33: STORE_AS(geometry, ".v4", ".b8", "{%4, %5, %6, %7}", at, __VA_ARGS__, "h"((ushort)w.x), "h"((ushort)w.y), "h"((ushort)w.z), "h"((ushort)w.w)); break; \
    case 34: STORE_AS(geometry, ".v4", ".b16", "{%4, %5, %6, %7}", at, __VA_ARGS__, "h"((ushort)w.x), "h"((ushort)w.y), "h"((ushort)w.z), "h"((ushort)w.w)); break; \
    case 36: STORE_AS(geometry, ".v4", ".b32", "{%4, %5, %6, %7}", at, __VA_ARGS__, "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w)); break; \
    }
#define WRITE(name, type, words, mangled, id, ctype, cname, vname, geometry, at, x, y, z)          \
    void JOIN(name, id, cname, w)(image m, ctype c, type v) __asm__("_Z" name_length_##name #name mangled #cname vname); \
    void JOIN(name, id, cname, w)(image m, ctype c, type v) {                                      \
        const uint4 w = in_order(words(v, m), m);                                                  \
        STORE(geometry, at, "r"((int)(x) * (int)(m->channels * m->channel_bytes)), "r"(y), "r"(z)) \
    }
#define name_length_write_imagef "12"
#define name_length_write_imagei "12"
#define name_length_write_imageui "13"
#define WRITES(name, type, words, v2, v4)                                                          \
    WRITE(name, type, words, "14ocl_image1d_wo", image1d, int, i, v2, "1d", "{%1}", c, 0, 0)       \
    WRITE(name, type, words, "14ocl_image2d_wo", image2d, int2, Dv2_i, v2, "2d", "{%1, %2}", c.x, c.y, 0) \
    WRITE(name, type, words, "14ocl_image3d_wo", image3d, int4, Dv4_i, v4, "3d", "{%1, %2, %3, %3}", c.x, c.y, c.z) \
    WRITE(name, type, words, "20ocl_image1d_array_wo", image1d_array, int2, Dv2_i, v2, "a1d", "{%2, %1}", c.x, c.y, 0) \
    WRITE(name, type, words, "20ocl_image2d_array_wo", image2d_array, int4, Dv4_i, v4, "a2d", "{%3, %1, %2, %2}", c.x, c.y, c.z)
WRITES(write_imagef, float4, words_of_floats, "Dv4_f", "Dv4_f")
WRITES(write_imagei, int4, words_of_ints, "Dv4_i", "S0_")
WRITES(write_imageui, uint4, words_of_uints, "Dv4_j", "Dv4_j")

// ---- images of a buffer -------------------------------------------------------------------------
// They lie in device memory as they are, and have no sampler.
static inline uint channel_of(image m, int at, uint c) {
    const __global uchar *p = (const __global uchar *)m->address + ((ulong)at * m->channels + c) * m->channel_bytes;
    return m->channel_bytes == 1 ? *p : m->channel_bytes == 2 ? *(const __global ushort *)p : *(const __global uint *)p;
}
static inline float float_of(uint bits, uint type) {
    switch (type) {
    case UNORM8: return bits / 255.0f;
    case UNORM16: return bits / 65535.0f;
    case SNORM8: return max((char)bits / 127.0f, -1.0f);
    case SNORM16: return max((short)bits / 32767.0f, -1.0f);
    case HALF: {
        float f;
        __asm__("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"((ushort)bits));
        return f;
    }
    default: return as_float(bits);
    }
}
static inline int int_of(uint bits, image m) {
    return m->channel_bytes == 1 ? (char)bits : m->channel_bytes == 2 ? (short)bits : (int)bits;
}
static inline bool is_inside(image m, int at) { return at >= 0 && (uint)at < m->size[0]; }
static inline uint4 channels_of(image m, int at) {
    uint4 w = 0;
    if (!is_inside(m, at)) return w;
    w.x = channel_of(m, at, 0);
    if (m->channels > 1) w.y = channel_of(m, at, 1);
    if (m->channels > 2) w.z = channel_of(m, at, 2), w.w = channel_of(m, at, 3);
    return w;
}
float4 read_buffer_f(image m, int at) __asm__("_Z11read_imagef21ocl_image1d_buffer_roi");
float4 read_buffer_f(image m, int at) {
    const uint4 w = channels_of(m, at);
    const float4 t = (float4)(float_of(w.x, m->type), float_of(w.y, m->type), float_of(w.z, m->type), float_of(w.w, m->type));
    return ORDERED(float4, t, 1.0f, m);
}
int4 read_buffer_i(image m, int at) __asm__("_Z11read_imagei21ocl_image1d_buffer_roi");
int4 read_buffer_i(image m, int at) {
    const uint4 w = channels_of(m, at);
    const int4 t = (int4)(int_of(w.x, m), int_of(w.y, m), int_of(w.z, m), int_of(w.w, m));
    return ORDERED(int4, t, 1, m);
}
uint4 read_buffer_u(image m, int at) __asm__("_Z12read_imageui21ocl_image1d_buffer_roi");
uint4 read_buffer_u(image m, int at) {
    const uint4 t = channels_of(m, at);
    return ORDERED(uint4, t, 1, m);
}
static inline void put_channel(image m, int at, uint c, uint bits) {
    __global uchar *const p = (__global uchar *)m->address + ((ulong)at * m->channels + c) * m->channel_bytes;
    if (m->channel_bytes == 1) *p = (uchar)bits;
    else if (m->channel_bytes == 2) *(__global ushort *)p = (ushort)bits;
    else *(__global uint *)p = bits;
}
static inline void put_channels(image m, int at, uint4 w) {
    if (!is_inside(m, at)) return;
    put_channel(m, at, 0, w.x);
    if (m->channels > 1) put_channel(m, at, 1, w.y);
    if (m->channels > 2) put_channel(m, at, 2, w.z), put_channel(m, at, 3, w.w);
}
#define WRITE_BUFFER(name, length, type, mangled, words)                                           \
    void name##_buffer(image m, int at, type v) __asm__("_Z" length #name "21ocl_image1d_buffer_woi" mangled); \
    void name##_buffer(image m, int at, type v) { put_channels(m, at, in_order(words(v, m), m)); }
WRITE_BUFFER(write_imagef, "12", float4, "Dv4_f", words_of_floats)
WRITE_BUFFER(write_imagei, "12", int4, "Dv4_i", words_of_ints)
WRITE_BUFFER(write_imageui, "13", uint4, "Dv4_j", words_of_uints)

// ---- what kernels ask of images -----------------------------------------------------------------
#define ASK(type, name, length, kind, value)                                                       \
    type JOIN(name, kind, asked, q)(image m) __asm__("_Z" length #name #kind);                     \
    type JOIN(name, kind, asked, q)(image m) { return value; }
#define ASK_ALL(kind)                                                                              \
    ASK(int, get_image_width, "15", kind, (int)m->size[0])                                         \
    ASK(int, get_image_channel_data_type, "27", kind, (int)m->type)                                \
    ASK(int, get_image_channel_order, "23", kind, (int)m->order)
#define ASK_PLANE(kind) ASK(int, get_image_height, "16", kind, (int)m->size[1])
#define ASK_DIM2(kind)  ASK(int2, get_image_dim, "13", kind, (int2)((int)m->size[0], (int)m->size[1]))
#define ASK_DIM3(kind)                                                                             \
    ASK(int, get_image_depth, "15", kind, (int)m->size[2])                                         \
    ASK(int4, get_image_dim, "13", kind, (int4)((int)m->size[0], (int)m->size[1], (int)m->size[2], 0))
#define ASK_ARRAY(kind) ASK(size_t, get_image_array_size, "20", kind, m->size[3])
#define BOTH(what, kind) what(kind##_ro) what(kind##_wo)
BOTH(ASK_ALL, 14ocl_image1d) BOTH(ASK_ALL, 21ocl_image1d_buffer)
BOTH(ASK_ALL, 14ocl_image2d) BOTH(ASK_PLANE, 14ocl_image2d) BOTH(ASK_DIM2, 14ocl_image2d)
BOTH(ASK_ALL, 14ocl_image3d) BOTH(ASK_PLANE, 14ocl_image3d) BOTH(ASK_DIM3, 14ocl_image3d)
BOTH(ASK_ALL, 20ocl_image1d_array) BOTH(ASK_ARRAY, 20ocl_image1d_array)
BOTH(ASK_ALL, 20ocl_image2d_array) BOTH(ASK_PLANE, 20ocl_image2d_array) BOTH(ASK_DIM2, 20ocl_image2d_array)
BOTH(ASK_ARRAY, 20ocl_image2d_array)
