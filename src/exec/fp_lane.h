// Single-precision building blocks of one lane: flushing, exact sums, fused multiply-add. Everything
// is plain arithmetic in the host's round-to-nearest mode with a fixed order of operations, so the
// bits are the same on every host and vector level.
#ifndef WW_FP_LANE_H
#define WW_FP_LANE_H

#include <math.h>

#include "exec/simd.h"

LANE_FN uint32_t canon32(float f) { return f != f ? F32_NAN : as_u32(f); }

// Subnormals become zeros of the same sign where `fz` (0x7fffffff or 0) says so.
LANE_FN uint32_t flush32(uint32_t v, uint32_t fz) { return (v & 0x7f800000u) ? v : v & ~fz; }

// How a general handler treats its sources and result; loop invariants, as masks.
struct fmode {
    uint32_t and_mask[3], xor_mask[3]; // ABS and NEG of each source
    uint32_t fz;                       // flush mask
    uint32_t sat;                      // all ones: clamp to [0, 1]
    uint32_t rz, rm, rp;               // all ones: round so
};
LANE_FN struct fmode fmode_of(const struct xinst *x) {
    struct fmode m;
    for (uint32_t k = 0; k < 3; k++) {
        m.and_mask[k] = x->mods[k] & OPND_ABS ? 0x7fffffffu : ~0u;
        m.xor_mask[k] = x->mods[k] & OPND_NEG ? 0x80000000u : 0;
    }
    m.fz = x->flags & MF_FTZ ? 0x7fffffffu : 0;
    m.sat = x->flags & MF_SAT ? ~0u : 0;
    m.rz = x->rnd == MRND_RZ ? ~0u : 0;
    m.rm = x->rnd == MRND_RM ? ~0u : 0;
    m.rp = x->rnd == MRND_RP ? ~0u : 0;
    return m;
}
LANE_FN uint32_t fsource(uint32_t v, const struct fmode *m, uint32_t k) {
    return flush32((v & m->and_mask[k]) ^ m->xor_mask[k], m->fz);
}
// NaN becomes +0 under saturation, as everywhere in PTX.
LANE_FN uint32_t fresult(uint32_t r, const struct fmode *m) {
    r = flush32(r, m->fz);
    const float f = as_f32(r);
    const uint32_t low = f > 0.0f ? r : 0, s = f > 1.0f ? 0x3f800000u : low;
    return (s & m->sat) | (r & ~m->sat);
}

// s + e == a + b exactly (Knuth), whatever the order of magnitudes; NaN e for infinities.
LANE_FN double two_sum(double a, double b, double *e) {
    const double s = a + b, t = s - a;
    *e = (a - (s - t)) + (b - t);
    return s;
}
// a + b rounded to odd: a later rounding to 51 bits or fewer is as if done once.
LANE_FN double add_odd(double a, double b) {
    double e;
    const double s = two_sum(a, b, &e);
    const uint64_t u = as_u64(s);
    const uint64_t up = e > 0.0 ? 1 : 0, down = e < 0.0 ? 1 : 0; // neither when e is NaN
    const uint64_t apart = (as_u64(e) ^ u) >> 63;
    const uint64_t even = ~u & (up | down);
    return as_f64(u + (even & (1 - apart)) - (even & apart));
}

#if defined(__FMA__) || defined(__aarch64__)
#define HOST_HAS_FMA 1
#else
#define HOST_HAS_FMA 0
#endif

// The fused multiply-add of single precision. The product is exact in double precision.
LANE_FN float fma32(float a, float b, float c) {
#if HOST_HAS_FMA
    return __builtin_fmaf(a, b, c);
#else
    return (float)add_odd((double)a * (double)b, (double)c);
#endif
}

#if !HOST_HAS_FMA
// A nearest result f and what the exact one has more (only its sign counts): the neighbour that a
// directed mode asks for.
LANE_FN uint32_t direct32(float f, double more, const struct fmode *m) {
    // The sign as a float: comparisons and choices stay in lanes of one width.
    const double d = more > 0.0 ? 1.0 : 0.0, sign = more < 0.0 ? -1.0 : d;
    const float way = (float)sign;
    const uint32_t u = as_u32(f);
    const uint32_t negative = 0u - (u >> 31), nonzero = (u << 1) != 0 ? ~0u : 0;
    const uint32_t above = way > 0.0f ? ~0u : 0, below = way < 0.0f ? ~0u : 0;
    // One unit towards plus or minus infinity; from zero to the least number.
    const uint32_t from_zero_up = 1u, from_zero_down = 0x80000001u;
    const uint32_t up = ((u + 1 + 2 * negative) & nonzero) | (from_zero_up & ~nonzero);
    const uint32_t down = ((u - 1 - 2 * negative) & nonzero) | (from_zero_down & ~nonzero);
    const uint32_t inward = ((above & negative) | (below & ~negative)) & nonzero & m->rz;
    const uint32_t go_up = above & m->rp, go_down = below & m->rm;
    uint32_t r = u - (inward & 1u);
    r = (r & ~go_up) | (up & go_up);
    r = (r & ~go_down) | (down & go_down);
    return f != f ? F32_NAN : r;
}
// An exact zero sum of terms with signs a and b (bit 31) is -0 when rounding down unless both are
// +.
LANE_FN uint32_t zero_down(uint32_t r, double s, double e, uint32_t a, uint32_t b,
                           const struct fmode *m) {
    const double any = s != 0.0 ? 1.0 : e != 0.0 ? 1.0 : 0.0;
    const uint32_t zero = (float)any == 0.0f ? m->rm : 0;
    return (r & ~zero) | ((a | b) & 0x80000000u & zero);
}
LANE_FN uint32_t ffma_rnd(uint32_t ua, uint32_t ub, uint32_t uc, const struct fmode *m) {
    double e;
    const double p = (double)as_f32(ua) * (double)as_f32(ub);
    const double s = two_sum(p, (double)as_f32(uc), &e);
    const float f = (float)s;
    const uint32_t r = direct32(f, (s - (double)f) + e, m);
    return zero_down(r, s, e, ua ^ ub, uc, m);
}
#endif

#endif
