// The conversions that programs spend time in; cvt.c has the rest. Those that directed rounding
// changes have a form _r, which runs in the host's mode (round.h), or one a mode.
#include "exec/half_lane.h"
#include "exec/round.h"

#define DEFINE_CVT(name, body) HANDLER32(name, 1, body)
// Of a byte or a half of a word; all are exact.
FN(cvt_f32_small) {
    UNUSED_ENV;
    SOURCES1;
    const uint32_t bits = isa_type_bits(x->stype), up = 32 - bits - bits * (x->bytes & MCVT_PART);
    const uint32_t drop = 32 - bits;
    const bool is_signed = x->stype == ITYPE_S8 || x->stype == ITYPE_S16;
    uint32_t *const pd = x_dst(w, x->d);
    LANES {
        const uint32_t v = pa[i] << up;
        const int32_t n = is_signed ? (int32_t)v >> drop : (int32_t)(v >> drop);
        const uint32_t r = as_u32((float)n);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
DEFINE_CVT(cvt_f32_s32, as_u32((float)(int32_t)A))
DEFINE_CVT(cvt_f32_u32, as_u32((float)A))
DEFINE_CVT(cvt_f32_f16, canon32(f16_to_f32(A & 0xffff)))
DEFINE_CVT(cvt_f32_bf16, canon32(bf16_to_f32(A & 0xffff)))
DEFINE_CVT(cvt_f16_f32, f16_from_f64((double)as_f32(A)))
DEFINE_CVT(cvt_bf16_f32, bf16_from_f64((double)as_f32(A)))
// Two into the halves of a word: A above B.
HANDLER32(cvt_f16x2_f32, 2, f16_from_f64((double)as_f32(A)) << 16 | f16_from_f64((double)as_f32(B)))
HANDLER32(cvt_bf16x2_f32, 2, bf16_from_f64((double)as_f32(A)) << 16 | bf16_from_f64((double)as_f32(B)))

DEFINE_CVT(cvt_f16_f32_r, half_directed((double)as_f32(A), false, x->rnd))
DEFINE_CVT(cvt_bf16_f32_r, half_directed((double)as_f32(A), true, x->rnd))

// Float to integer: out of range is clamped, NaN is 0. Below 2^51 the magic number rounds to
// nearest even; a directed mode then corrects by one.
LANE_FN double to_integral(double d, uint8_t rnd) {
    const double magic = 0x1.8p52;
    const double n = (d + magic) - magic;
    switch (rnd) {
    case MRND_RN: return n;
    case MRND_RM: return n - (n > d ? 1.0 : 0.0);
    case MRND_RP: return n + (n < d ? 1.0 : 0.0);
    default: return d; // cut by the conversion
    }
}
LANE_FN uint32_t to_s32(double d, uint8_t rnd) {
    double c = d > 2147483647.0 ? 2147483647.0 : d;
    c = c < -2147483648.0 ? -2147483648.0 : c;
    c = c != c ? 0.0 : c;
    return (uint32_t)(int32_t)to_integral(c, rnd);
}
LANE_FN uint32_t to_u32(double d, uint8_t rnd) {
    double c = d > 4294967295.0 ? 4294967295.0 : d;
    c = c > 0.0 ? c : 0.0;
    // Through the signed range, which every host converts in one instruction.
    const double r = to_integral(c, rnd);
    const bool high = r >= 2147483648.0;
    const uint32_t low = (uint32_t)(int32_t)(high ? r - 2147483648.0 : r);
    return high ? low + 0x80000000u : low;
}
#define TO_INT32(to, mode, MODE) DEFINE_CVT(cvt_##to##_f32_##mode, to_##to((double)as_f32(A), MODE))
#define MODES(X, to)                                                                               \
    X(to, rz, MRND_RZ)                                                                             \
    X(to, rn, MRND_RN)                                                                             \
    X(to, rm, MRND_RM)                                                                             \
    X(to, rp, MRND_RP)
MODES(TO_INT32, s32)
MODES(TO_INT32, u32)

// To an integral float.
#define INTEGRAL(name, fn)                                                                         \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES1;                                                                                  \
        const struct fmode m = fmode_of(x);                                                        \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        LANES {                                                                                    \
            const uint32_t A = fsource(pa[i], &m, 0);                                              \
            const uint32_t r = fresult(canon32(fn(as_f32(A))), &m);                                \
            pd[i] = PICK(r, pd[i]);                                                                \
        }                                                                                          \
        return EXEC_NEXT;                                                                          \
    }
INTEGRAL(cvt_floor, __builtin_floorf)
INTEGRAL(cvt_ceil, __builtin_ceilf)
INTEGRAL(cvt_trunc, __builtin_truncf)
INTEGRAL(cvt_rint, __builtin_rintf)

#define TO_PAIR(name, body)                                                                        \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES1;                                                                                  \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        LANES {                                                                                    \
            const uint32_t A = pa[i];                                                              \
            STORE64(body);                                                                         \
        }                                                                                          \
        return EXEC_NEXT;                                                                          \
    }
// A NaN keeps its payload's upper bits, as the widening of every host does.
LANE_FN uint64_t widen_f32(uint32_t a) {
    const double d = (double)as_f32(a);
    const uint64_t nan = (uint64_t)(a & 0x80000000u) << 32 | 0x7ff8000000000000ull |
                         (uint64_t)(a & 0x007fffffu) << 29;
    return d != d ? nan : as_u64(d);
}
TO_PAIR(cvt_f64_f32, widen_f32(A))
TO_PAIR(cvt_f64_s32, as_u64((double)(int32_t)A))
TO_PAIR(cvt_f64_u32, as_u64((double)A))

#define FROM_PAIR(name, body)                                                                      \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES1;                                                                                  \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        LANES {                                                                                    \
            LANE1_64;                                                                              \
            const uint32_t r = (body);                                                             \
            pd[i] = PICK(r, pd[i]);                                                                \
        }                                                                                          \
        return EXEC_NEXT;                                                                          \
    }
FROM_PAIR(cvt_f32_f64, canon32((float)as_f64(A)))
FROM_PAIR(cvt_f32_s64, as_u32((float)(int64_t)A))
FROM_PAIR(cvt_f32_u64, as_u32((float)A))
HANDLER64(cvt_f64_s64, 1, as_u64((double)(int64_t)A))
HANDLER64(cvt_f64_u64, 1, as_u64((double)A))
// In the host's mode. Compilers make conversions from unsigned integers of sums, whose zero is
// negative when rounding down.
#define DIRECTED_CVT(DEFINE, name, zero, body)                                                     \
    DEFINE(name##_in_mode, A == zero ? 0 : (body))                                                 \
    FN(name) {                                                                                     \
        const uint32_t old = round_begin(x->rnd);                                                  \
        const enum exec_outcome o = x_##name##_in_mode(e, w, x, mask);                             \
        round_end(old);                                                                            \
        return o;                                                                                  \
    }
#define DEFINE_CVT64(name, body) HANDLER64(name, 1, body)
DIRECTED_CVT(DEFINE_CVT, cvt_f32_s32_r, 0, as_u32((float)(int32_t)A))
DIRECTED_CVT(DEFINE_CVT, cvt_f32_u32_r, 0, as_u32((float)A))
DIRECTED_CVT(FROM_PAIR, cvt_f32_s64_r, 0, as_u32((float)(int64_t)A))
DIRECTED_CVT(FROM_PAIR, cvt_f32_u64_r, 0, as_u32((float)A))
DIRECTED_CVT(FROM_PAIR, cvt_f32_f64_r, 0, canon32((float)as_f64(A)))
DIRECTED_CVT(DEFINE_CVT64, cvt_f64_s64_r, 0, as_u64((double)(int64_t)A))
DIRECTED_CVT(DEFINE_CVT64, cvt_f64_u64_r, 0, as_u64((double)A))

// Double precision to an integral double; a NaN keeps its payload.
#define INTEGRAL64(name, fn)                                                                       \
    HANDLER64(name, 1, as_f64(A) != as_f64(A) ? A | 1ull << 51 : as_u64(fn(as_f64(A))))
INTEGRAL64(cvt_floor64, __builtin_floor)
INTEGRAL64(cvt_ceil64, __builtin_ceil)
INTEGRAL64(cvt_trunc64, __builtin_trunc)
INTEGRAL64(cvt_rint64, __builtin_rint)
// To 64 bits: clamped, NaN is the integer with only its top bit set.
LANE_FN uint64_t to_s64(double d) {
    const uint64_t low = 0x8000000000000000ull;
    const bool high = d >= 0x1p63, in = d >= -0x1p63 && !high;
    const int64_t v = (int64_t)(in ? d : 0.0);
    return in ? (uint64_t)v : high ? ~low : low;
}
LANE_FN uint64_t to_u64(double d) {
    const bool high = d >= 0x1p64, in = d > 0.0 && !high;
    const double c = in ? d : 0.0;
    const uint64_t v =
        c >= 0x1p63 ? (uint64_t)(int64_t)(c - 0x1p63) + (1ull << 63) : (uint64_t)(int64_t)c;
    return d != d ? 1ull << 63 : high ? ~0ull : v;
}
LANE_FN double integral_of(double d, uint8_t rnd) {
    switch (rnd) {
    case MRND_RN: return __builtin_rint(d);
    case MRND_RM: return __builtin_floor(d);
    case MRND_RP: return __builtin_ceil(d);
    default: return d;
    }
}
#define TO_INT64(to, mode, MODE)                                                                   \
    HANDLER64(cvt_##to##_f64_##mode, 1, to_##to(integral_of(as_f64(A), MODE)))                     \
    TO_PAIR(cvt_##to##_f32_##mode, to_##to(integral_of((double)as_f32(A), MODE)))
MODES(TO_INT64, s64)
MODES(TO_INT64, u64)
// From double precision NaN is the integer with only its top bit set (PTX ISA, cvt).
LANE_FN uint32_t to_s32_from64(uint64_t a, uint8_t rnd) {
    const double d = as_f64(a);
    return d != d ? 0x80000000u : to_s32(d, rnd);
}
LANE_FN uint32_t to_u32_from64(uint64_t a, uint8_t rnd) {
    const double d = as_f64(a);
    return d != d ? 0x80000000u : to_u32(d, rnd);
}
#define TO_INT32_FROM64(to, mode, MODE) FROM_PAIR(cvt_##to##_f64_##mode, to_##to##_from64(A, MODE))
MODES(TO_INT32_FROM64, s32)
MODES(TO_INT32_FROM64, u32)

// Integer to integer without saturation: the source's bits, extended by its sign.
FN(cvt_int) {
    UNUSED_ENV;
    SOURCES1;
    uint32_t *const pd = x_dst(w, x->d);
    const unsigned from = isa_type_bits(x->stype), drop = from < 32 ? 32 - from : 0;
    const bool is_signed = x->stype == ITYPE_S8 || x->stype == ITYPE_S16 || x->stype == ITYPE_S32;
    const uint32_t keep = x->aux8; // 0: 32 bits or more; else bits of the destination
    const uint32_t cut = keep ? (1u << keep) - 1 : ~0u;
    if (is_signed) {
        LANES {
            const uint32_t r = (uint32_t)((int32_t)(pa[i] << drop) >> drop) & cut;
            pd[i] = PICK(r, pd[i]);
        }
    } else {
        LANES {
            const uint32_t r = pa[i] << drop >> drop & cut;
            pd[i] = PICK(r, pd[i]);
        }
    }
    return EXEC_NEXT;
}
FN(cvt_int_pair) { // to 64 bits
    UNUSED_ENV;
    SOURCES1;
    uint32_t *const pd = x_dst(w, x->d);
    const unsigned from = isa_type_bits(x->stype), drop = from < 32 ? 32 - from : 0;
    const bool is_signed = x->stype == ITYPE_S8 || x->stype == ITYPE_S16 || x->stype == ITYPE_S32;
    if (is_signed) {
        LANES {
            const int32_t v = (int32_t)(pa[i] << drop) >> drop;
            STORE64((uint64_t)(int64_t)v);
        }
    } else {
        LANES STORE64((uint64_t)(pa[i] << drop >> drop));
    }
    return EXEC_NEXT;
}

const exec_fn AT_LEVEL(cvt_fns)[] = {EXEC_CVT_HANDLERS(HANDLER_ROW)};
