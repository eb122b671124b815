// Conversions in general. A source value is either an integer or an exact double; a destination is
// reached with one rounding. PTX ISA, cvt: float to integer clamps, NaN becomes 0 unless the source
// is f64 or the destination has 64 bits (then the integer with only its top bit set).
#include <math.h>

#include "exec/cvt.h"
#include "exec/half_lane.h"
#include "exec/soft64.h"

// Binary formats: significant bits, exponent of the last subnormal bit, exponent of the last bit of
// the greatest value, bits of the fraction field, NaN, infinity (or what stands for it), greatest
// value.
struct format {
    int digits, least, greatest, fraction;
    uint64_t nan, inf, max;
    uint8_t bits;
};
static const struct format formats[ITYPE_N] = {
    [ITYPE_F16] = {11, -24, 5, 10, 0x7fff, 0x7c00, 0x7bff, 16},
    [ITYPE_BF16] = {8, -133, 120, 7, 0x7fff, 0x7f80, 0x7f7f, 16},
    [ITYPE_TF32] = {11, -136, 117, 23, 0x7fffffff, 0x7f800000, 0x7f7fe000, 32},
    [ITYPE_F32] = {24, -149, 104, 23, F32_NAN, 0x7f800000, 0x7f7fffff, 32},
    [ITYPE_F64] = {53, -1074, 971, 52, F64_NAN, 0x7ff0000000000000ull, 0x7fefffffffffffffull, 64},
    // e4m3 has no infinity and one NaN: 448 is the greatest number.
    [ITYPE_E4M3] = {4, -9, 5, 3, 0x7f, 0x7f, 0x7e, 8},
    [ITYPE_E5M2] = {3, -16, 13, 2, 0x7f, 0x7c, 0x7b, 8},
};

static double from_e4m3(uint32_t v) {
    const uint32_t e = v >> 3 & 15, f = v & 7;
    double m = e ? ldexp((double)(8 + f), (int)e - 10) : ldexp((double)f, -9);
    if ((v & 0x7f) == 0x7f) m = (double)NAN;
    return v & 0x80 ? -m : m;
}
static bool is_float_type(uint8_t t) { return isa_type_is_float(t); }
static double as_double(const struct cvt_how *h, uint64_t v) {
    switch (h->from) {
    case ITYPE_F16: return half_widen((uint32_t)v, false);
    case ITYPE_BF16: return half_widen((uint32_t)v, true);
    case ITYPE_F32:
    case ITYPE_TF32: return (double)as_f32(flush32((uint32_t)v, h->ftz ? 0x7fffffffu : 0));
    case ITYPE_E4M3: return from_e4m3((uint32_t)v & 0xff);
    case ITYPE_E5M2: return half_widen((uint32_t)v << 8 & 0xffff, false);
    default: return as_f64(v);
    }
}
static bool sign_of(const struct cvt_how *h, uint64_t v) {
    return v >> (isa_type_bits(h->from) - 1) & 1;
}

// Sign, integer significand and exponent of a finite double.
static unsigned __int128 split(double d, int *exp) {
    const uint64_t u = as_u64(d);
    const int e = (int)(u >> 52 & 0x7ff);
    *exp = (e ? e : 1) - 1075;
    return (u & 0x000fffffffffffffull) | (uint64_t)(e != 0) << 52;
}

static uint64_t to_float(const struct cvt_how *h, bool negative, unsigned __int128 sig, int exp) {
    const struct format *f = &formats[h->to];
    const uint64_t sign = (uint64_t)negative << (f->bits - 1);
    struct soft_rounded r = soft_round(negative, sig, exp, f->digits, f->least, h->rnd);
    uint64_t bits;
    if (r.exp > f->greatest || (h->to == ITYPE_E4M3 && r.exp == f->greatest && r.sig == 15)) {
        const bool to_max = h->rnd == MRND_RZ || (h->rnd == MRND_RM && !negative) ||
                            (h->rnd == MRND_RP && negative);
        bits = to_max || h->satfinite ? f->max : f->inf;
    } else {
        // The significand's top bit adds one to the exponent field.
        const uint64_t field = r.sig >> (f->digits - 1) ? (uint64_t)(r.exp - f->least) : 0;
        bits = (field << (f->digits - 1)) + r.sig;
        bits <<= f->fraction - (f->digits - 1);
    }
    return sign | bits;
}

static uint64_t finish_float(const struct cvt_how *h, uint64_t r) {
    const struct format *f = &formats[h->to];
    const uint64_t sign = 1ull << (f->bits - 1), mag = r & (sign - 1);
    const bool nan = mag > f->inf || (h->to == ITYPE_E4M3 && mag == f->nan);
    if (h->ftz && h->to == ITYPE_F32) r = flush32((uint32_t)r, 0x7fffffffu);
    if (h->sat) {
        const uint64_t one = (uint64_t)(2 - f->digits - f->least) << f->fraction;
        if (nan || r & sign) return 0;
        return mag > one ? one : r;
    }
    if (h->relu && !nan && r & sign) return 0;
    return r;
}

static uint64_t round_integral(double d, uint8_t rnd, unsigned __int128 *out, bool *negative) {
    double r;
    switch (rnd) {
    case MRND_RM: r = floor(d); break;
    case MRND_RP: r = ceil(d); break;
    case MRND_RZ: r = trunc(d); break;
    case MRND_RNA: r = round(d); break;
    default: r = rint(d); break;
    }
    int exp;
    const unsigned __int128 sig = split(r, &exp);
    *negative = as_u64(d) >> 63;
    *out = exp >= 0    ? (exp > 70 ? ~(unsigned __int128)0 >> 1 : sig << exp)
           : -exp > 60 ? 0
                       : sig >> -exp;
    return as_u64(r);
}

static uint64_t extend_to(uint8_t t, uint64_t v) {
    const unsigned drop = 64 - isa_type_bits(t);
    return isa_type_is_signed(t) ? (uint64_t)((int64_t)(v << drop) >> drop) : v << drop >> drop;
}
static uint64_t clamp_to(uint8_t t, bool negative, unsigned __int128 mag) {
    const unsigned bits = isa_type_bits(t);
    if (isa_type_is_signed(t)) {
        const uint64_t top = 1ull << (bits - 1);
        if (negative) return 0 - (mag > top ? top : (uint64_t)mag);
        return mag >= top ? top - 1 : (uint64_t)mag;
    }
    const uint64_t all = bits == 64 ? ~0ull : (1ull << bits) - 1;
    return negative ? 0 : mag > all ? all : (uint64_t)mag;
}

uint64_t cvt_value(const struct cvt_how *h, uint64_t v) {
    if (!is_float_type(h->from)) {
        v = extend_to(h->from, v);
        const bool negative = isa_type_is_signed(h->from) && (int64_t)v < 0;
        const uint64_t mag = negative ? 0 - v : v;
        if (is_float_type(h->to)) return finish_float(h, to_float(h, negative, mag, 0));
        return extend_to(h->to, h->sat ? clamp_to(h->to, negative, mag) : v);
    }
    const double d = as_double(h, v);
    if (!is_float_type(h->to)) {
        const unsigned bits = isa_type_bits(h->to);
        if (d != d) {
            const bool is_top = (h->from == ITYPE_F64 || bits == 64) != h->other_nan;
            return is_top ? extend_to(h->to, 1ull << (bits - 1)) : 0;
        }
        unsigned __int128 mag;
        bool negative;
        round_integral(d, h->rnd, &mag, &negative);
        return extend_to(h->to, clamp_to(h->to, negative, isinf(d) ? ~(unsigned __int128)0 : mag));
    }
    const struct format *f = &formats[h->to];
    if (d != d) { // canonical, but for f64 which keeps the payload
        if (h->sat) return 0;
        if (h->to == ITYPE_F64)
            return h->from == ITYPE_F64 ? v | 1ull << 51 : as_u64(d) | 1ull << 51;
        return f->nan;
    }
    const bool negative = sign_of(h, v);
    if (isinf(d)) {
        const uint64_t sign = (uint64_t)negative << (f->bits - 1);
        return finish_float(h, sign | (h->satfinite ? f->max : f->inf));
    }
    double e = d;
    if (h->integral) {
        unsigned __int128 mag;
        bool neg;
        e = as_f64(round_integral(d, h->rnd, &mag, &neg));
    }
    int exp;
    const unsigned __int128 sig = split(e, &exp);
    return finish_float(h, to_float(h, negative, sig, exp));
}

// ---- handlers -------------------------------------------------------------------------------
static struct cvt_how how_of(const struct xinst *x) {
    return (struct cvt_how){.from = x->stype,
                            .to = x->type,
                            .rnd = x->rnd,
                            .ftz = x->flags & MF_FTZ,
                            .sat = x->flags & MF_SAT,
                            .integral = x->flags & MF_INTRND,
                            .satfinite = x->flags & MF_SATFINITE,
                            .relu = x->flags & MF_RELU,
                            .other_nan = x->bytes & MCVT_NAN};
}
// ABS and NEG of a floating-point or integer source.
static uint64_t modify(uint64_t v, uint8_t type, uint8_t mods) {
    const unsigned bits = isa_type_bits(type);
    if (!mods) return v;
    if (!is_float_type(type)) return mods & OPND_NEG ? 0 - v : v;
    const uint64_t sign = 1ull << (bits - 1);
    if (mods & OPND_ABS) v &= ~sign;
    return mods & OPND_NEG ? v ^ sign : v;
}
static enum exec_outcome any(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    (void)e;
    const struct cvt_how h = how_of(x);
    const bool wide_in = isa_type_bits(x->stype) == 64, wide_out = isa_type_bits(x->type) == 64;
    const uint32_t *pa = x_src(w, x->a);
    uint32_t *pd = x_dst(w, x->d);
    const uint32_t part = (x->bytes & MCVT_PART) * isa_type_bits(x->stype) % 32;
    FOR_EACH_BIT32(i, mask) {
        const uint64_t v = modify(wide_in ? x_get64(pa, i) : pa[i] >> part, x->stype, x->mods[0]);
        const uint64_t r = cvt_value(&h, v);
        if (wide_out)
            x_put64(pd, i, r);
        else
            pd[i] = (uint32_t)r;
    }
    return EXEC_NEXT;
}
// What stands above a pair of elements of so many bits: of bytes a half of C.
static uint32_t above(uint32_t c, unsigned bits, unsigned half) {
    return bits == 8 ? (c >> 16 * half) << 16 : 0;
}
// Two f32 into a pair: A high, B low.
static enum exec_outcome pair(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    (void)e;
    struct cvt_how h = how_of(x);
    h.to = x->vec; // the element, see forms.c: conversion
    const unsigned bits = isa_type_bits(h.to);
    const uint32_t *pa = x_src(w, x->a), *pb = x_src(w, x->b), *pc = x_src(w, x->c);
    uint32_t *pd = x_dst(w, x->d);
    FOR_EACH_BIT32(i, mask) {
        const uint64_t hi = cvt_value(&h, modify(pa[i], ITYPE_F32, x->mods[0]));
        const uint64_t lo = cvt_value(&h, modify(pb[i], ITYPE_F32, x->mods[1]));
        pd[i] = (uint32_t)(hi << bits | lo) | above(pc[i], bits, x->bytes & MCVT_PART);
    }
    return EXEC_NEXT;
}
// A pair, the lower or upper of a word, into a pair, element by element.
static enum exec_outcome from_pair(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                   uint32_t mask) {
    (void)e;
    struct cvt_how h = how_of(x);
    h.to = x->vec;
    h.from = x->bytes;
    const unsigned in = isa_type_bits(h.from), out = isa_type_bits(h.to);
    const uint32_t *pa = x_src(w, x->a), *pc = x_src(w, x->c);
    uint32_t *pd = x_dst(w, x->d);
    const uint32_t part = x->sub * 2 * in % 32;
    FOR_EACH_BIT32(i, mask) {
        const uint64_t lo = cvt_value(&h, pa[i] >> part & ((1u << in) - 1));
        const uint64_t hi = cvt_value(&h, pa[i] >> part >> in & ((1u << in) - 1));
        pd[i] = (uint32_t)(hi << out | lo) | above(pc[i], out, x->sub);
    }
    return EXEC_NEXT;
}
static enum exec_outcome pack(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    (void)e;
    const struct minst *m = x_minst(w, x);
    const unsigned bits = m->aux ? m->aux : isa_type_bits(x->type);
    const bool is_signed =
        isa_type_class(x->type) == 's' || x->type == ITYPE_S4 || x->type == ITYPE_S2;
    const int64_t top = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    const int64_t low = is_signed ? -(1 << (bits - 1)) : 0;
    const uint32_t keep = (1u << bits) - 1;
    const uint32_t *pa = x_src(w, x->a), *pb = x_src(w, x->b), *pc = x_src(w, x->c);
    uint32_t *pd = x_dst(w, x->d);
    FOR_EACH_BIT32(i, mask) {
        const bool s = isa_type_is_signed(x->stype);
        int64_t a = s ? (int32_t)pa[i] : (int64_t)pa[i], b = s ? (int32_t)pb[i] : (int64_t)pb[i];
        a = a > top ? top : a < low ? low : a;
        b = b > top ? top : b < low ? low : b;
        const uint32_t rest = bits < 16 ? pc[i] << (2 * bits) : 0;
        pd[i] = rest | ((uint32_t)a & keep) << bits | ((uint32_t)b & keep);
    }
    return EXEC_NEXT;
}
// Two f32 as bytes below the low half of C: A above B.
static enum exec_outcome pack_floats(struct exec_env *e, struct exec_warp *w,
                                     const struct xinst *x, uint32_t mask) {
    (void)e;
    const struct cvt_how h = how_of(x);
    const uint32_t *pa = x_src(w, x->a), *pb = x_src(w, x->b), *pc = x_src(w, x->c);
    uint32_t *pd = x_dst(w, x->d);
    FOR_EACH_BIT32(i, mask) {
        const uint32_t a = (uint8_t)cvt_value(&h, pa[i]), b = (uint8_t)cvt_value(&h, pb[i]);
        pd[i] = pc[i] << 16 | a << 8 | b;
    }
    return EXEC_NEXT;
}
const exec_fn cvt_any_fns[] = {[CVT_ANY] = any,
                               [CVT_PAIR] = pair,
                               [CVT_FROM_PAIR] = from_pair,
                               [CVT_PACK] = pack,
                               [CVT_PACK_FLOATS] = pack_floats};
