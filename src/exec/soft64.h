// The fused multiply-add of double precision in integers, for hosts without one, and the rounding that
// general conversions share with it. Operands and results are bit patterns; rnd is enum mrnd. NaN
// results are some NaN: callers make them canonical.
#ifndef WW_SOFT64_H
#define WW_SOFT64_H

#include <stdbool.h>
#include <stdint.h>

uint64_t soft64_fma(uint64_t a, uint64_t b, uint64_t c, uint8_t rnd);
double soft64_fma_nearest(double a, double b, double c);

// (-1)^negative * sig * 2^exp rounded to a binary format with `digits` significant bits and least
// exponent `least` (of the last subnormal bit); sig may hold a sticky bit in its lowest place. The
// result comes as an integer significand and the exponent of its last bit; overflow is for the
// caller to see.
struct soft_rounded {
    uint64_t sig;
    int exp;
};
struct soft_rounded soft_round(bool negative, unsigned __int128 sig, int exp, int digits, int least,
                               uint8_t rnd);

#endif
