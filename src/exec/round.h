// The rounding mode of the host's floating-point unit around a loop over lanes.
//
// Between round_begin and round_end a handler loads registers of the warp, computes, and stores
// registers. Each change of mode is also a barrier for memory. So an operation stays between the two:
// its operands are loaded behind round_begin, and its result is stored before round_end.
//
// round_default sets the mode that handlers are written for. An entry of the simulator calls it,
// since the caller may have set another mode.
#ifndef WW_EXEC_ROUND_H
#define WW_EXEC_ROUND_H

#include "isa/isa.h"

#if defined(__x86_64__)

// MXCSR: all exceptions masked, no flushing of subnormals, rounding in bits 13 and 14 (Intel SDM
// volume 1, 10.2.3).
enum { MXCSR_DEFAULT = 0x1f80, MXCSR_DOWN = 0x2000, MXCSR_UP = 0x4000, MXCSR_ZERO = 0x6000 };

static inline uint32_t round_set(uint32_t now) {
    uint32_t old;
    __asm__ volatile("stmxcsr %0" : "=m"(old)::"memory");
    __asm__ volatile("ldmxcsr %0" ::"m"(now) : "memory");
    return old;
}
static inline uint32_t round_begin(uint8_t rnd) {
    return round_set(MXCSR_DEFAULT | (rnd == MRND_RM   ? MXCSR_DOWN
                                      : rnd == MRND_RP ? MXCSR_UP
                                      : rnd == MRND_RZ ? MXCSR_ZERO
                                                       : 0));
}
static inline void round_end(uint32_t old) {
    __asm__ volatile("ldmxcsr %0" ::"m"(old) : "memory");
}
static inline uint32_t round_default(void) { return round_set(MXCSR_DEFAULT); }

#else

#include <fenv.h>

static inline uint32_t round_set(int now) {
    const int old = fegetround();
    fesetround(now);
    __asm__ volatile("" ::: "memory");
    return (uint32_t)old;
}
static inline uint32_t round_begin(uint8_t rnd) {
    return round_set(rnd == MRND_RM   ? FE_DOWNWARD
                     : rnd == MRND_RP ? FE_UPWARD
                     : rnd == MRND_RZ ? FE_TOWARDZERO
                                      : FE_TONEAREST);
}
static inline void round_end(uint32_t old) {
    __asm__ volatile("" ::: "memory");
    fesetround((int)old);
}
static inline uint32_t round_default(void) { return round_set(FE_TONEAREST); }

#endif
#endif
