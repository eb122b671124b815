// Half precision and bfloat16 of one lane. Values widen exactly; sums and fused products are made
// in double precision rounded to odd, then rounded once to the format.
#ifndef WW_HALF_LANE_H
#define WW_HALF_LANE_H

#include "exec/fp_lane.h"

LANE_FN float f16_to_f32(uint32_t h) {
    const uint32_t sign = (h & 0x8000u) << 16, v = h & 0x7fffu;
    const uint32_t wide = (v << 13) + 0x38000000u;
    const float tiny = (float)v * 0x1p-24f; // subnormals and zero
    const uint32_t big = (v << 13) | 0x7f800000u;
    const uint32_t high = v < 0x7c00u ? wide : big, r = v < 0x0400u ? as_u32(tiny) : high;
    return as_f32(r | sign);
}
LANE_FN float bf16_to_f32(uint32_t h) { return as_f32(h << 16); }
LANE_FN double half_widen(uint32_t h, bool bf) {
    return (double)(bf ? bf16_to_f32(h & 0xffff) : f16_to_f32(h & 0xffff));
}

// Nearest even value of a format with `digits` bits and least exponent `least` (of its lowest
// normal number): adding and subtracting 1.5 * 2^(52 + place of the last bit) leaves just those
// bits.
LANE_FN double round_places(double d, int digits, int least) {
    const int64_t e = (int64_t)(as_u64(d) >> 52 & 0x7ff) - 1023;
    const int64_t place = (e < least ? least : e) - (digits - 1);
    const double magic = as_f64((uint64_t)(place + 52 + 1023) << 52 | 1ull << 51);
    return (d + magic) - magic;
}
LANE_FN uint32_t f16_from_f64(double d) {
    const uint32_t sign = (uint32_t)(as_u64(d) >> 48) & 0x8000u;
    const double m = as_f64(as_u64(d) & 0x7fffffffffffffffull);
    const float f = (float)round_places(m > 65536.0 ? 65536.0 : m, 11, -14); // 65536 is infinity
    const uint32_t tiny = (uint32_t)(int32_t)((f < 1.0f ? f : 0.0f) * 0x1p24f);
    const uint32_t wide = (as_u32(f) - 0x38000000u) >> 13;
    const uint32_t h = (f < 0x1p-14f ? tiny : wide) | sign;
    return f != f ? 0x7fffu : h;
}
LANE_FN uint32_t bf16_from_f64(double d) {
    const uint32_t sign = (uint32_t)(as_u64(d) >> 48) & 0x8000u;
    const double m = as_f64(as_u64(d) & 0x7fffffffffffffffull);
    const float f = (float)round_places(m > 0x1p128 ? 0x1p128 : m, 8, -126);
    return f != f ? 0x7fffu : as_u32(f) >> 16 | sign;
}
LANE_FN uint32_t half_from_f64(double d, bool bf) {
    return bf ? bf16_from_f64(d) : f16_from_f64(d);
}

// From float to half, directed: the nearest value, then a step towards the source or past it.
LANE_FN uint32_t step_half(uint32_t h, double is, double want, uint8_t rnd) {
    const bool negative = h >> 15 & 1;
    const bool outward = rnd == MRND_RP   ? !negative && is < want
                         : rnd == MRND_RM ? negative && is > want
                                          : false;
    const bool inward = rnd == MRND_RP   ? negative && is < want
                        : rnd == MRND_RM ? !negative && is > want
                                         : (negative ? is < want : is > want);
    return h + outward - inward;
}
LANE_FN uint32_t half_directed(double d, bool bf, uint8_t rnd) {
    const uint32_t h = half_from_f64(d, bf);
    return step_half(h, half_widen(h, bf), d, rnd);
}

struct hmode {
    uint32_t and_mask[3], xor_mask[3];
    uint32_t fz;        // bits that remain of a subnormal: 0x8000 or all
    uint32_t sat, relu; // all ones or zero
    uint8_t from[3][2]; // lowest bit of what the low, the high part of each source is
    bool bf, packed;
};
LANE_FN bool type_packed(uint8_t t) { return t == ITYPE_F16X2 || t == ITYPE_BF16X2; }
LANE_FN bool type_bf(uint8_t t) { return t == ITYPE_BF16 || t == ITYPE_BF16X2; }
LANE_FN struct hmode hmode_of(const struct xinst *x, uint8_t type) {
    struct hmode m;
    for (uint32_t k = 0; k < 3; k++) {
        m.and_mask[k] = x->mods[k] & OPND_ABS ? 0x7fff7fffu : ~0u;
        m.xor_mask[k] = x->mods[k] & OPND_NEG ? 0x80008000u : 0;
        const uint32_t pick = (uint32_t)x->bytes >> 2 * k & 3;
        m.from[k][0] = pick == MHALF_HIGH ? 16 : 0;
        m.from[k][1] = pick == MHALF_LOW ? 0 : 16;
    }
    m.bf = type_bf(type);
    m.packed = type_packed(type);
    m.fz = x->flags & MF_FTZ ? 0x8000u : 0xffffu;
    m.sat = x->flags & MF_SAT ? ~0u : 0;
    m.relu = x->flags & MF_RELU ? ~0u : 0;
    return m;
}
LANE_FN uint32_t half_inf(bool bf) { return bf ? 0x7f80u : 0x7c00u; }
LANE_FN uint32_t half_flush(uint32_t h, const struct hmode *m) {
    return h & half_inf(m->bf) ? h : h & m->fz;
}
LANE_FN uint32_t half_source(uint32_t v, const struct hmode *m, uint32_t k, uint32_t part) {
    const uint32_t u = (v & m->and_mask[k]) ^ m->xor_mask[k];
    return half_flush(u >> m->from[k][part] & 0xffff, m);
}
LANE_FN bool half_is_nan(uint32_t h, bool bf) { return (h & 0x7fffu) > half_inf(bf); }
LANE_FN uint32_t half_result(uint32_t h, const struct hmode *m) {
    h = half_flush(h, m);
    const uint32_t one = m->bf ? 0x3f80u : 0x3c00u, inf = half_inf(m->bf);
    uint32_t s = h > one ? one : h;
    s = h > inf ? 0 : s;                              // NaN and everything negative
    const uint32_t clip = h - 0x8000u <= inf ? 0 : h; // negative but no NaN
    h = (s & m->sat) | (h & ~m->sat);
    return (clip & m->relu) | (h & ~m->relu);
}

#endif
