// Floating-point operands that matter, and references from the host's own rounding modes.
#ifndef TEST_FP_H
#define TEST_FP_H

#include <fenv.h>
#include <math.h>

#include "test_ops.h"

static inline uint32_t fp32(uint64_t *s, uint32_t n) {
    static const uint32_t e[] = {
        0,           0x80000000u, 1,           0x80000001u, 0x007fffff,  0x807fffffu, 0x00800000,
        0x80800000u, 0x3f800000,  0xbf800000u, 0x3f800001,  0x3f7fffff,  0x7f7fffff,  0xff7fffffu,
        0x7f800000,  0xff800000u, 0x7fc00000,  0x7f800001,  0xffc12345u, 0x40000000,  0x3f000000,
        0x00400000,  0x33800000,  0x7e800000,  0x7f000000,  0x4b000000,  0x4b800000,  0x5f000000,
        0x4f000000,  0xcf000000u, 0x4effffff,  0x3effffff};
    if (n < WW_COUNT(e)) return e[n];
    const uint64_t v = rnd64(s);
    switch (v >> 60) {
    case 0:
    case 1: return e[(v >> 20) % WW_COUNT(e)];
    case 2: return (uint32_t)v & 0x807fffffu; // subnormals
    case 3:
    case 4: return ((uint32_t)v & 0x80ffffffu) | 0x3f000000u; // near one
    case 5: return ((uint32_t)v & 0x80ff0000u) | 0x3f000000u; // few bits: ties
    case 6: return ((uint32_t)v & 0x81ffffffu);               // tiny
    case 7: return ((uint32_t)v & 0x80ffffffu) | 0x7e000000u; // huge
    default: return (uint32_t)v;
    }
}
static inline uint64_t fp64(uint64_t *s, uint32_t n) {
    static const uint64_t e[] = {0,
                                 0x8000000000000000ull,
                                 1,
                                 0x8000000000000001ull,
                                 0x000fffffffffffffull,
                                 0x0010000000000000ull,
                                 0x8010000000000000ull,
                                 0x3ff0000000000000ull,
                                 0xbff0000000000000ull,
                                 0x3ff0000000000001ull,
                                 0x3fefffffffffffffull,
                                 0x7fefffffffffffffull,
                                 0xffefffffffffffffull,
                                 0x7ff0000000000000ull,
                                 0xfff0000000000000ull,
                                 0x7ff8000000000000ull,
                                 0x7ff0000000000001ull,
                                 0xfff8000000012345ull,
                                 0x4000000000000000ull,
                                 0x3fe0000000000000ull,
                                 0x0008000000000000ull};
    if (n < WW_COUNT(e)) return e[n];
    const uint64_t v = rnd64(s), u = rnd64(s);
    switch (v >> 60) {
    case 0:
    case 1: return e[v % WW_COUNT(e)];
    case 2: return u & 0x800fffffffffffffull;
    case 3:
    case 4: return (u & 0x801fffffffffffffull) | 0x3fe0000000000000ull;
    case 5: return (u & 0x801ff00000000000ull) | 0x3fe0000000000000ull;
    case 6: return u & 0x803fffffffffffffull;
    case 7: return (u & 0x801fffffffffffffull) | 0x7fc0000000000000ull;
    default: return u;
    }
}
static inline bool nan32(uint32_t v) { return (v & 0x7fffffffu) > 0x7f800000u; }
static inline bool nan64(uint64_t v) { return (v & ~(1ull << 63)) > 0x7ff0000000000000ull; }
static inline uint32_t flush_(uint32_t v) { return v & 0x7f800000u ? v : v & 0x80000000u; }

static const int fe_mode[] = {[MRND_NONE] = FE_TONEAREST,
                              [MRND_RN] = FE_TONEAREST,
                              [MRND_RZ] = FE_TOWARDZERO,
                              [MRND_RM] = FE_DOWNWARD,
                              [MRND_RP] = FE_UPWARD};

// The compiler must not move or fold these.
#define WITH_ROUNDING(type, rnd, expr)                                                             \
    ({                                                                                             \
        fesetround(fe_mode[rnd]);                                                                  \
        __asm__ volatile("" ::: "memory");                                                         \
        volatile type r_ = (expr);                                                                 \
        __asm__ volatile("" ::: "memory");                                                         \
        fesetround(FE_TONEAREST);                                                                  \
        r_;                                                                                        \
    })

#endif
