// The special functions of one lane. Arguments are exact in double precision; every function is a
// polynomial there with a fixed order of multiplications and additions and no fused ones, then one
// rounding to the result's format, so it has the same bits everywhere. The coefficients are
// weighted least-squares fits brought to equal ripple (Lawson's iteration); the errors stated are
// before the final rounding. The bounds to keep are PTX ISA's for ex2, lg2, sin, cos, tanh, rcp,
// rsqrt, sqrt.
#ifndef WW_SFU_LANE_H
#define WW_SFU_LANE_H

#include "exec/fp_lane.h"

// Coefficients, the highest power's first; native_sfu.c uses them too.
#define SFU_EX2(FIRST, NEXT)                                                                       \
    FIRST(0x1.448d9880eep-13)                                                                      \
    NEXT(0x1.5f47c715d58p-10)                                                                      \
    NEXT(0x1.3b29ad57f788p-7)                                                                      \
    NEXT(0x1.c6aecf2bb2c28p-5)                                                                     \
    NEXT(0x1.ebfbe0d2e2fc8p-3)                                                                     \
    NEXT(0x1.62e430cca4f4ap-1)
#define SFU_LG2(FIRST, NEXT)                                                                       \
    FIRST(0x1.98795a840c576p-4)                                                                    \
    NEXT(-0x1.5d9596b72256ap-3)                                                                    \
    NEXT(0x1.5f8fe7b066d99p-3)                                                                     \
    NEXT(-0x1.6db78676a73f4p-3)                                                                    \
    NEXT(0x1.a3f4ace13e18dp-3)                                                                     \
    NEXT(-0x1.ec8667ddec093p-3)                                                                    \
    NEXT(0x1.2780908858a7dp-2)                                                                     \
    NEXT(-0x1.71546695d46a3p-2)                                                                    \
    NEXT(0x1.ec707e723cc7bp-2)                                                                     \
    NEXT(-0x1.71547650bb873p-1)                                                                    \
    NEXT(0x1.71547656bc4b2p+0)
#define SFU_SIN(FIRST, NEXT)                                                                       \
    FIRST(-0x1.cc9e24783p+3)                                                                       \
    NEXT(0x1.501422e0548p+5)                                                                       \
    NEXT(-0x1.32d12f805b5cp+6)                                                                     \
    NEXT(0x1.466bc06d54d98p+6)                                                                     \
    NEXT(-0x1.4abbce51d46e6p+5)                                                                    \
    NEXT(0x1.921fb544257d9p+2)
#define SFU_HALF_ROOT   0x3fe6a09e667f3bcdull // sqrt(1/2), its bits
#define SFU_TURN        0x1.45f306dc9c883p-3  // 1 / (2 pi)
#define SFU_TANH_SCALE  0x1.71547652b82fep+1  // 2 / ln 2
#define SFU_TANH_CUBE   0x1.5555555555555p-2  // 1 / 3
// A polynomial's variable q by Horner's scheme at `at`.
#define SFU_FIRST(c) double q = c;
#define SFU_NEXT(c)  q = q * at + c;

// 2^d for |d| <= 1000, relative error 2^-28.9; exact for integers.
LANE_FN double sfu_ex2(double d) {
    const double magic = 0x1.8p52, shifted = d + magic, f = d - (shifted - magic);
    const double at = f;
    SFU_EX2(SFU_FIRST, SFU_NEXT)
    const uint64_t n = as_u64(shifted) - as_u64(magic);
    return as_f64(as_u64(1.0 + f * q) + (n << 52));
}
LANE_FN double sfu_clamp(double d, double limit) {
    d = d > limit ? limit : d;
    return d < -limit ? -limit : d;
}

// log2 of a positive finite number: exponent plus t P(t), m = 1 + t in [sqrt(1/2), sqrt(2)),
// relative error 2^-29.9 of the polynomial part.
LANE_FN double sfu_lg2(double d) {
    const uint64_t u = as_u64(d) + (0x3ff0000000000000ull - SFU_HALF_ROOT);
    const uint64_t biased = u >> 52;
    const double exponent = as_f64(0x4330000000000000ull | biased) - (0x1p52 + 1023.0);
    const double t = as_f64(as_u64(d) - (biased << 52) + 0x3ff0000000000000ull) - 1.0;
    const double at = t;
    SFU_LG2(SFU_FIRST, SFU_NEXT)
    return exponent + t * q;
}

// sin(2 pi f) for |f| <= 1/4, relative error 2^-33.
LANE_FN double sfu_sin_turn(double f) {
    const double at = f * f;
    SFU_SIN(SFU_FIRST, SFU_NEXT)
    return f * q;
}
// Fraction of a turn in [-1/2, 1/2]. Beyond 2^52 turns nothing is left of it, as of the hardware's
// fixed-point reduction.
LANE_FN double sfu_fraction(double y) {
    const double magic = 0x1.8p52;
    const double big = y < 0.0 ? -y : y;
    const double n = big < 0x1p51 ? (y + magic) - magic : y;
    return y - n;
}
LANE_FN double sfu_turns(double radians) { return sfu_fraction(radians * SFU_TURN); }

LANE_FN uint32_t sfu_ex2_32(uint32_t a) {
    const float f = as_f32(a);
    const double r = sfu_ex2(sfu_clamp((double)f, 300.0));
    return f != f ? F32_NAN : as_u32((float)r);
}
LANE_FN uint32_t sfu_lg2_32(uint32_t a) {
    const float f = as_f32(a);
    uint32_t r = as_u32((float)sfu_lg2((double)f));
    r = a == 0x7f800000u ? a : r;
    r = a > 0x7f800000u ? F32_NAN : r; // negative or NaN
    return (a << 1) == 0 ? 0xff800000u : r;
}
// Sine and cosine of radians, or of turns: ptxas multiplies by 1 / (2 pi), rounding to zero, before
// it asks the unit.
LANE_FN uint32_t sfu_sin_32(uint32_t a, bool is_turns) {
    // Subnormal arguments give zeros of their sign (PTX ISA, sin).
    const uint32_t s = flush32(a, 0x7fffffffu);
    const float f = as_f32(s);
    double t = is_turns ? sfu_fraction((double)f) : sfu_turns((double)f);
    t = t > 0.25 ? 0.5 - t : t;
    t = t < -0.25 ? -0.5 - t : t;
    uint32_t r = as_u32((float)sfu_sin_turn(t));
    r = (s << 1) == 0 ? s : r;
    return (s & 0x7fffffffu) >= 0x7f800000u ? F32_NAN : r;
}
LANE_FN uint32_t sfu_cos_32(uint32_t a, bool is_turns) {
    const float f = as_f32(a);
    const double t = is_turns ? sfu_fraction((double)f) : sfu_turns((double)f),
                 m = t < 0.0 ? -t : t;
    const uint32_t r = as_u32((float)sfu_sin_turn(0.25 - m));
    return (a & 0x7fffffffu) >= 0x7f800000u ? F32_NAN : r;
}
LANE_FN double sfu_tanh(double d) {
    const double c = sfu_clamp(d, 20.0), t = sfu_ex2(c * SFU_TANH_SCALE);
    const double far = (t - 1.0) / (t + 1.0), near = d - d * d * d * SFU_TANH_CUBE;
    const double m = d < 0.0 ? -d : d;
    return m < 0x1p-7 ? near : far;
}
LANE_FN uint32_t sfu_tanh_32(uint32_t a) {
    const float f = as_f32(a);
    const uint32_t r = as_u32((float)sfu_tanh((double)f));
    return f != f ? F32_NAN : (a << 1) == 0 ? a : r;
}
// Two roundings, within 2^-23 of the exact value.
LANE_FN uint32_t sfu_rsq_32(uint32_t a) { return canon32(1.0f / __builtin_sqrtf(as_f32(a))); }

#endif
