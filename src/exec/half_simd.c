// f16, f16x2, bf16 and bf16x2. Scalars live in low halves; their upper halves are written as zero.
#include "exec/half_lane.h"
#include "exec/sfu_lane.h"

enum half_op { HALF_ADD, HALF_MUL, HALF_FMA };
LANE_FN uint32_t half_compute(enum half_op op, uint32_t a, uint32_t b, uint32_t c, bool bf) {
    const double da = half_widen(a, bf), db = half_widen(b, bf);
    double r;
    switch (op) {
    case HALF_ADD: r = add_odd(da, db); break;
    case HALF_MUL: r = da * db; break;
    default: r = add_odd(da * db, half_widen(c, bf)); break;
    }
    return half_from_f64(r, bf);
}
#define HALF_HANDLER(name, op, bf_)                                                                \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES3;                                                                                  \
        struct hmode m = hmode_of(x, x->type);                                                     \
        m.bf = bf_;                                                                                \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        uint32_t low[32], high[32];                                                                \
        for (uint32_t part = 0; part < 2; part++) {                                                \
            uint32_t *const out = part ? high : low;                                               \
            LANES {                                                                                \
                const uint32_t a = half_source(pa[i], &m, 0, part);                                \
                const uint32_t b = half_source(pb[i], &m, 1, part);                                \
                const uint32_t c = half_source(pc[i], &m, 2, part);                                \
                out[i] = half_result(half_compute(op, a, b, c, bf_), &m);                          \
            }                                                                                      \
        }                                                                                          \
        const uint32_t top = m.packed ? ~0u : 0;                                                   \
        LANES {                                                                                    \
            const uint32_t r = low[i] | (high[i] << 16 & top);                                     \
            pd[i] = PICK(r, pd[i]);                                                                \
        }                                                                                          \
        return EXEC_NEXT;                                                                          \
    }
HALF_HANDLER(hadd, HALF_ADD, false)
HALF_HANDLER(hmul, HALF_MUL, false)
HALF_HANDLER(hfma, HALF_FMA, false)
HALF_HANDLER(hadd_bf, HALF_ADD, true)
HALF_HANDLER(hmul_bf, HALF_MUL, true)
HALF_HANDLER(hfma_bf, HALF_FMA, true)

// What machine code of real compilers has beside: sources that are one half twice or a float, results
// in single precision, zeros that win in products. A float is cut to a half, towards zero: ptxas
// makes of cvt.rz.f16.f32 the sum of a float and -0.
struct wide_source {
    double v[2];
};
LANE_FN struct wide_source wide_source(const struct xinst *x, const struct hmode *m, uint32_t v,
                                       uint32_t k) {
    if (((uint32_t)x->bytes >> 2 * k & 3) != MHALF_F32) {
        const uint32_t low = half_source(v, m, k, 0), high = half_source(v, m, k, 1);
        return (struct wide_source){{half_widen(low, m->bf), half_widen(high, m->bf)}};
    }
    const uint32_t keep = x->mods[k] & OPND_ABS ? 0x7fffffffu : ~0u;
    const uint32_t flip = x->mods[k] & OPND_NEG ? 0x80000000u : 0;
    const double f = (double)as_f32((v & keep) ^ flip);
    const double h = half_widen(half_flush(half_directed(f, m->bf, MRND_RZ), m), m->bf);
    return (struct wide_source){{h, h}};
}
// The low half is the negated high half of the source, the high half its low one.
LANE_FN void cross_halves(struct hmode *m, uint32_t k) {
    m->from[k][0] = 16;
    m->from[k][1] = 0;
    m->xor_mask[k] ^= 0x80000000u;
}
// PTX ISA 9.0, fma of halves, .oob: where an operand is the NaN that fills a tensor out of bounds, whose bits
// are all ones but for the sign, the result is +0. An operand that is cut from a float is none.
LANE_FN bool out_of_bounds(const struct xinst *x, const struct hmode *m, uint32_t v, uint32_t k,
                           uint32_t part) {
    return ((uint32_t)x->bytes >> 2 * k & 3) != MHALF_F32 && half_source(v, m, k, part) == 0x7fff;
}
LANE_FN bool any_out_of_bounds(const struct xinst *x, const struct hmode *m, uint32_t a, uint32_t b,
                               uint32_t c, uint32_t part) {
    return out_of_bounds(x, m, a, 0, part) || out_of_bounds(x, m, b, 1, part) ||
           out_of_bounds(x, m, c, 2, part);
}
LANE_FN double wide_product(double a, double b, bool zero_wins) {
    const bool is_zero = zero_wins && (a == 0.0 || b == 0.0);
    return is_zero ? 0.0 : a * b;
}
LANE_FN double wide_compute(enum half_op op, double a, double b, double c, bool zero_wins) {
    switch (op) {
    case HALF_ADD: return add_odd(a, b);
    case HALF_MUL: return wide_product(a, b, zero_wins);
    default: return add_odd(wide_product(a, b, zero_wins), c);
    }
}
// Rounded once to single precision; m has its flags.
LANE_FN uint32_t wide_single(double r, const struct fmode *m, uint32_t relu) {
    const uint32_t u = fresult(canon32((float)r), m);
    return as_f32(u) < 0.0f ? u & ~relu : u;
}
#define WIDE_HANDLER(name, op)                                                                     \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES3;                                                                                  \
        const bool is_single = x->type == ITYPE_F32, zero_wins = x->bytes & MHALF_ZERO;            \
        const bool knows_bounds = x->bytes & MHALF_OOB;                                            \
        struct hmode m = hmode_of(x, is_single ? x->stype : x->type);                              \
        if (op == HALF_FMA && x->sub) cross_halves(&m, 1);                                         \
        const struct fmode f = fmode_of(x);                                                        \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        LANES {                                                                                    \
            const struct wide_source a = wide_source(x, &m, pa[i], 0);                             \
            const struct wide_source b = wide_source(x, &m, pb[i], 1);                             \
            const struct wide_source c = wide_source(x, &m, pc[i], 2);                             \
            const bool no_low = knows_bounds && any_out_of_bounds(x, &m, pa[i], pb[i], pc[i], 0);  \
            const bool no_high = knows_bounds && any_out_of_bounds(x, &m, pa[i], pb[i], pc[i], 1); \
            const double lo = wide_compute(op, a.v[0], b.v[0], c.v[0], zero_wins);                 \
            const double hi = wide_compute(op, a.v[1], b.v[1], c.v[1], zero_wins);                 \
            const double low = no_low ? 0.0 : lo, high = no_high ? 0.0 : hi;                       \
            const uint32_t single = wide_single(low, &f, m.relu);                                  \
            const uint32_t pair = half_result(half_from_f64(low, m.bf), &m) |                      \
                                  half_result(half_from_f64(high, m.bf), &m) << 16;                \
            const uint32_t r = is_single ? single : pair;                                          \
            pd[i] = PICK(r, pd[i]);                                                                \
        }                                                                                          \
        return EXEC_NEXT;                                                                          \
    }
WIDE_HANDLER(hadd_w, HALF_ADD)
WIDE_HANDLER(hmul_w, HALF_MUL)
WIDE_HANDLER(hfma_w, HALF_FMA)

#define HALF_LOOP(n, body)                                                                         \
    LANES {                                                                                        \
        uint32_t r = 0;                                                                            \
        for (uint32_t part = 0; part < 2; part++) {                                                \
            HALF_LANE##n;                                                                          \
            const uint32_t h = (body)&0xffff;                                                      \
            r |= part == 0 || m.packed ? h << (16 * part) : 0;                                     \
        }                                                                                          \
        pd[i] = PICK(r, pd[i]);                                                                    \
    }
#define HALF_LANE1 const uint32_t a = half_source(pa[i], &m, 0, part)
#define HALF_LANE2 HALF_LANE1, b = half_source(pb[i], &m, 1, part)

LANE_FN uint32_t half_minmax(uint32_t a, uint32_t b, const struct xinst *x, const struct hmode *m) {
    const bool xorsign = x->flags & MF_ABS, nan = x->flags & MF_NAN;
    const uint32_t sign = (a ^ b) & 0x8000u, keep = xorsign ? 0x7fffu : 0xffffu;
    a &= keep;
    b &= keep;
    const bool na = half_is_nan(a, m->bf), nb = half_is_nan(b, m->bf);
    // Sign and magnitude as one ordered number, -0 below +0.
    const int32_t ka = a & 0x8000u ? -1 - (int32_t)(a & 0x7fffu) : (int32_t)a;
    const int32_t kb = b & 0x8000u ? -1 - (int32_t)(b & 0x7fffu) : (int32_t)b;
    uint32_t r = (ka < kb) != (x->sub != 0) ? a : b;
    r = na ? b : nb ? a : r;
    if ((na && nb) || (nan && (na || nb))) return 0x7fffu;
    return xorsign ? r | sign : r;
}
FN(hmnmx) {
    UNUSED_ENV;
    SOURCES2;
    const struct hmode m = hmode_of(x, x->type);
    uint32_t *const pd = x_dst(w, x->d);
    HALF_LOOP(2, half_result(half_minmax(a, b, x, &m), &m))
    return EXEC_NEXT;
}
FN(hmov) {
    UNUSED_ENV;
    SOURCES1;
    const struct hmode m = hmode_of(x, x->type);
    uint32_t *const pd = x_dst(w, x->d);
    HALF_LOOP(1, half_result(a, &m))
    return EXEC_NEXT;
}
// A function of the special-function unit: exact for all that a half can say, rounded once.
LANE_FN uint32_t half_special(uint32_t a, bool bf, bool tanh) {
    const double d = half_widen(a, bf);
    if (half_is_nan(a, bf)) return 0x7fffu;
    if (tanh && !(a & 0x7fffu)) return a;
    const double r = tanh ? sfu_tanh(d) : sfu_ex2(sfu_clamp(d, 300.0));
    return half_from_f64(r, bf);
}
FN(hspecial) {
    UNUSED_ENV;
    SOURCES1;
    const struct hmode m = hmode_of(x, x->type);
    const bool tanh = x->bop;
    uint32_t *const pd = x_dst(w, x->d);
    HALF_LOOP(1, half_result(half_special(a, m.bf, tanh), &m))
    return EXEC_NEXT;
}

LANE_FN bool half_test(uint32_t a, uint32_t b, bool bf, uint8_t cmp) {
    const double da = half_widen(a, bf), db = half_widen(b, bf);
    const bool lt = da<db, eq = da == db, gt = da> db, un = !(lt || eq || gt);
    switch (cmp) {
    case MCMP_EQ: return eq;
    case MCMP_NE: return lt || gt;
    case MCMP_LT: return lt;
    case MCMP_LE: return lt || eq;
    case MCMP_GT: return gt;
    case MCMP_GE: return gt || eq;
    case MCMP_EQU: return eq || un;
    case MCMP_NEU: return !eq;
    case MCMP_LTU: return lt || un;
    case MCMP_LEU: return !gt;
    case MCMP_GTU: return gt || un;
    case MCMP_GEU: return !lt;
    case MCMP_NUM: return !un;
    case MCMP_NAN: return un;
    default: return false;
    }
}
LANE_FN uint32_t half_lanes(const struct exec_warp *w, const struct xinst *x, const struct hmode *m,
                            uint32_t part) {
    SOURCES2;
    uint32_t t = 0;
    LANES {
        const uint32_t a = half_source(pa[i], m, 0, part), b = half_source(pb[i], m, 1, part);
        t |= half_test(a, b, m->bf, x->cmp) ? lane_bit[i] : 0;
    }
    return t;
}
FN(hsetp) { // a scalar has p and its complement, a pair has one predicate each half
    UNUSED_ENV;
    const struct hmode m = hmode_of(x, x->type);
    const uint32_t low = half_lanes(w, x, &m, 0);
    if (!m.packed) return setp_finish(w, x, mask, low);
    const uint32_t high = half_lanes(w, x, &m, 1);
    if (x->bytes & MHALF_AND) return setp_finish(w, x, mask, low & high);
    const uint32_t p = setp_combine(x, w, low);
    const uint32_t q = setp_combine(x, w, high);
    x_set_pred(w, x->d, p, mask);
    x_set_pred(w, x->d1, q, mask);
    return EXEC_NEXT;
}
FN(hset) { // destination: halves as 1.0 or 0, integers as all ones or 0, or a float
    UNUSED_ENV;
    const struct hmode m = hmode_of(x, x->stype);
    const uint32_t low = setp_combine(x, w, half_lanes(w, x, &m, 0));
    const uint32_t high = m.packed ? setp_combine(x, w, half_lanes(w, x, &m, 1)) : 0;
    uint32_t *const pd = x_dst(w, x->d);
    // Of a pair of halves an integer word gets all ones or zero in each half.
    const bool wide = !m.packed && (x->type == ITYPE_U32 || x->type == ITYPE_S32 ||
                                    x->type == ITYPE_B32 || x->type == ITYPE_F32);
    const bool is_float = type_packed(x->type) || type_bf(x->type) || x->type == ITYPE_F16 ||
                          x->type == ITYPE_F32 || x->flags & MF_BOOLF;
    const uint32_t one = type_bf(x->type) ? 0x3f80u : 0x3c00u;
    const uint32_t yes = wide ? (is_float ? 0x3f800000u : ~0u) : is_float ? one : 0xffffu;
    LANES {
        uint32_t r = LANE_IN(low) ? yes : 0;
        r |= LANE_IN(high) ? yes << 16 : 0;
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

const exec_fn AT_LEVEL(half_fns)[] = {EXEC_HALF_HANDLERS(HANDLER_ROW)};
