// Single precision. Each arithmetic operation has a plain form (nearest, no modifiers: nearly all
// of a program) and a general one for modifiers, flushing, saturation and directed rounding.
#include "exec/fp_lane.h"
#include "exec/round.h"

#define FA as_f32(A)
#define FB as_f32(B)
#define FC as_f32(C)

HANDLER32(fadd, 2, canon32(FA + FB))
HANDLER32(fsub, 2, canon32(FA - FB))
HANDLER32(fmul, 2, canon32(FA *FB))
HANDLER32(ffma, 3, canon32(fma32(FA, FB, FC)))
HANDLER32(fdiv, 2, canon32(FA / FB))
HANDLER32(frcp, 1, canon32(1.0f / FA))
HANDLER32(fsqrt, 1, canon32(__builtin_sqrtf(FA)))

#define GENERAL(name, n, body)                                                                     \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES##n;                                                                                \
        const struct fmode m = fmode_of(x);                                                        \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        LANES {                                                                                    \
            GENERAL_LANE##n;                                                                       \
            const uint32_t r = fresult(body, &m);                                                  \
            pd[i] = PICK(r, pd[i]);                                                                \
        }                                                                                          \
        return EXEC_NEXT;                                                                          \
    }
#define GENERAL_LANE1 const uint32_t A = fsource(pa[i], &m, 0)
#define GENERAL_LANE2 GENERAL_LANE1, B = fsource(pb[i], &m, 1)
#define GENERAL_LANE3 GENERAL_LANE2, C = fsource(pc[i], &m, 2)

GENERAL(fadd_g, 2, canon32(FA + FB))
GENERAL(fmul_g, 2, canon32(FA *FB))
GENERAL(ffma_g, 3, canon32(fma32(FA, FB, FC)))
GENERAL(fdiv_g, 2, canon32(FA / FB))
GENERAL(frcp_g, 1, canon32(1.0f / FA))
GENERAL(fsqrt_g, 1, canon32(__builtin_sqrtf(FA)))

// Directed rounding is the host's: _p without modifiers, _r with.
#define IN_MODE(name, inner)                                                                       \
    FN_ONCE(name) {                                                                                \
        const uint32_t old = round_begin(x->rnd);                                                  \
        const enum exec_outcome o = x_##inner(e, w, x, mask);                                      \
        round_end(old);                                                                            \
        return o;                                                                                  \
    }
#define DIRECTED(name) IN_MODE(name##_p, name) IN_MODE(name##_r, name##_g)
DIRECTED(fadd)
DIRECTED(fmul)
DIRECTED(fdiv)
DIRECTED(frcp)
DIRECTED(fsqrt)
#if HOST_HAS_FMA
DIRECTED(ffma)
#else
GENERAL(ffma_r, 3, ffma_rnd(A, B, C, &m))
#define x_ffma_p x_ffma_r
#endif
GENERAL(fmov, 1, A)

// mad.f32 of sm_1x: the product's mantissa is cut to 24 bits, its exponent kept however small or
// large, and the sum is rounded to nearest; but with c a zero it is mul, then add (PTX ISA, mad).
LANE_FN uint32_t fmad1x(uint32_t a, uint32_t b, uint32_t c) {
    const double p = (double)as_f32(a) * (double)as_f32(b);
    const double cut = as_f64(as_u64(p) & ~0x1fffffffull); // of infinities and NaN: the same kind
    const double rounded = (double)as_f32(flush32(as_u32((float)p), 0x7fffffffu));
    const double product = (c << 1) == 0 ? rounded : cut;
    return canon32((float)add_odd(p == p ? product : p, (double)as_f32(c)));
}
GENERAL(fmad, 3, fmad1x(A, B, C))

// div.approx: for 2^126 < |b| < 2^128 the hardware's reciprocal is zero, so the quotient is 0, or
// NaN when a is infinite (PTX ISA, div).
LANE_FN uint32_t fdiv_fast(uint32_t a, uint32_t b) {
    const uint32_t q = canon32(as_f32(a) / as_f32(b));
    const uint32_t ma = a & 0x7fffffffu, mb = b & 0x7fffffffu;
    const uint32_t none = ma >= 0x7f800000u ? F32_NAN : (a ^ b) & 0x80000000u;
    const uint32_t large = mb - 0x7e800001u < 0x7f800000u - 0x7e800001u ? ~0u : 0;
    return (none & large) | (q & ~large);
}
GENERAL(fdiv_approx, 2, fdiv_fast(A, B))

// ---- minimum, maximum -----------------------------------------------------------------------
// -0 is less than +0. One NaN gives the other operand, two the canonical NaN; with NAN any does.
LANE_FN uint32_t fminmax(uint32_t a, uint32_t b, bool is_max, uint32_t nan) {
    // Sign and magnitude as one ordered number: -0 is one below +0.
    const int32_t ka = (int32_t)(a ^ ((0u - (a >> 31)) & 0x7fffffffu));
    const int32_t kb = (int32_t)(b ^ ((0u - (b >> 31)) & 0x7fffffffu));
    uint32_t r = is_max ? (ka > kb ? a : b) : (ka < kb ? a : b);
    const uint32_t na = (a & 0x7fffffffu) > 0x7f800000u ? ~0u : 0;
    const uint32_t nb = (b & 0x7fffffffu) > 0x7f800000u ? ~0u : 0;
    r = na ? b : r;
    r = nb ? a : r;
    const uint32_t bad = (na & nb) | (nan & (na | nb));
    return bad ? F32_NAN : r;
}
HANDLER32(fmin, 2, fminmax(A, B, false, 0))
HANDLER32(fmax, 2, fminmax(A, B, true, 0))
FN(fmnmx_g) {
    UNUSED_ENV;
    SOURCES3;
    const struct fmode m = fmode_of(x);
    uint32_t *const pd = x_dst(w, x->d);
    const bool is_max = x->sub != 0;
    const uint32_t nan = x->flags & MF_NAN ? ~0u : 0, three = x->aux8 == 3 ? ~0u : 0;
    const uint32_t mag = x->flags & MF_ABS ? 0x7fffffffu : ~0u; // xorsign.abs
    LANES {
        const uint32_t a = fsource(pa[i], &m, 0), b = fsource(pb[i], &m, 1);
        const uint32_t c = fsource(pc[i], &m, 2), sign = (a ^ b ^ (c & three)) & ~mag;
        const uint32_t two = fminmax(a & mag, b & mag, is_max, nan);
        const uint32_t all = fminmax(two, c & mag, is_max, nan);
        uint32_t r = (all & three) | (two & ~three);
        r = (r & 0x7fffffffu) > 0x7f800000u ? F32_NAN : r | sign;
        r = fresult(r, &m);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

// ---- comparisons ----------------------------------------------------------------------------
#define FSETP(name, cond)                                                                          \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES2;                                                                                  \
        return setp_finish(w, x, mask, MASK_OF(2, cond));                                          \
    }
FSETP(fsetp_eq, FA == FB)
FSETP(fsetp_lt, FA < FB)
FSETP(fsetp_le, FA <= FB)
FSETP(fsetp_gt, FA > FB)
FSETP(fsetp_ge, FA >= FB)
FSETP(fsetp_neu, FA != FB)

LANE_FN uint32_t compare_float(const struct exec_warp *w, const struct xinst *x) {
    SOURCES2;
    const struct fmode m = fmode_of(x);
    uint32_t less[WARP_LANES] __attribute__((aligned(64)));
    uint32_t same[WARP_LANES] __attribute__((aligned(64)));
    uint32_t more[WARP_LANES] __attribute__((aligned(64)));
    LANES {
        const float a = as_f32(fsource(pa[i], &m, 0)), b = as_f32(fsource(pb[i], &m, 1));
        less[i] = a < b ? ~0u : 0;
        same[i] = a == b ? ~0u : 0;
        more[i] = a > b ? ~0u : 0;
    }
    const uint32_t lt = lanes_signs(less), eq = lanes_signs(same), gt = lanes_signs(more);
    const uint32_t un = ~(lt | eq | gt);
    switch (x->cmp) {
    case MCMP_EQ: return eq;
    case MCMP_NE: return lt | gt;
    case MCMP_LT: return lt;
    case MCMP_LE: return lt | eq;
    case MCMP_GT: return gt;
    case MCMP_GE: return gt | eq;
    case MCMP_EQU: return eq | un;
    case MCMP_NEU: return ~eq;
    case MCMP_LTU: return lt | un;
    case MCMP_LEU: return ~gt;
    case MCMP_GTU: return gt | un;
    case MCMP_GEU: return ~lt;
    case MCMP_NUM: return ~un;
    case MCMP_NAN: return un;
    default: return 0;
    }
}
FN(fsetp_g) {
    UNUSED_ENV;
    return setp_finish(w, x, mask, compare_float(w, x));
}
FN(fset) {
    UNUSED_ENV;
    const uint32_t t = setp_combine(x, w, compare_float(w, x));
    const uint32_t yes = x->flags & MF_BOOLF ? 0x3f800000u : ~0u;
    uint32_t *const pd = x_dst(w, x->d);
    LANES {
        const uint32_t r = LANE_IN(t) ? yes : 0;
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

HANDLER32(fcopysign, 2, (B & 0x7fffffffu) | (A & 0x80000000u))

// Classes of testp in the order of ops.def.
enum { TEST_FINITE, TEST_INFINITE, TEST_NUMBER, TEST_NAN, TEST_NORMAL, TEST_SUBNORMAL };
FN(ftestp32) {
    UNUSED_ENV;
    SOURCES1;
    uint32_t inf = 0, nan = 0, sub = 0;
    LANES {
        const uint32_t v = pa[i] & 0x7fffffffu;
        inf |= v == 0x7f800000u ? lane_bit[i] : 0;
        nan |= v > 0x7f800000u ? lane_bit[i] : 0;
        sub |= v - 1 < 0x007fffffu ? lane_bit[i] : 0;
    }
    const uint32_t table[] = {[TEST_FINITE] = ~(inf | nan),
                              [TEST_INFINITE] = inf,
                              [TEST_NUMBER] = ~nan,
                              [TEST_NAN] = nan,
                              [TEST_NORMAL] = ~(inf | nan | sub), // zeros are normal
                              [TEST_SUBNORMAL] = sub};
    return setp_finish(w, x, mask, x->sub < 6 ? table[x->sub] : 0);
}

// ---- machine code of real compilers ---------------------------------------------------------
// A product whose zeros win over everything (FMZ): with one zero both factors are +0.
struct factors {
    uint32_t a, b;
};
LANE_FN struct factors factors_of(uint32_t a, uint32_t b, uint32_t zero_wins) {
    const uint32_t za = (a << 1) == 0 ? zero_wins : 0, zb = (b << 1) == 0 ? zero_wins : 0;
    return (struct factors){a & ~(za | zb), b & ~(za | zb)};
}
#define ZERO_WINS (x->bytes & MPRODUCT_ZERO ? ~0u : 0)
// Not documented: whether scaling by a power of two comes before the rounding, as here; subnormal
// results alone can tell.
FN(fmul_scaled) {
    UNUSED_ENV;
    SOURCES2;
    const struct fmode m = fmode_of(x);
    const uint32_t zero_wins = ZERO_WINS, by = x->bytes & MPRODUCT_SCALE;
    const double scale = by ? as_f64((uint64_t)(1023 - 4 + by) << 52) : 1.0;
    uint32_t *const pd = x_dst(w, x->d);
    LANES {
        const struct factors f =
            factors_of(fsource(pa[i], &m, 0), fsource(pb[i], &m, 1), zero_wins);
        const double product = (double)as_f32(f.a) * (double)as_f32(f.b); // exact
        const uint32_t r = fresult(canon32((float)(product * scale)), &m);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(ffma_zero) {
    UNUSED_ENV;
    SOURCES3;
    const struct fmode m = fmode_of(x);
    const uint32_t zero_wins = ZERO_WINS;
    uint32_t *const pd = x_dst(w, x->d);
    LANES {
        const struct factors f =
            factors_of(fsource(pa[i], &m, 0), fsource(pb[i], &m, 1), zero_wins);
        const uint32_t c = fsource(pc[i], &m, 2);
#if HOST_HAS_FMA
        const uint32_t r = fresult(canon32(fma32(as_f32(f.a), as_f32(f.b), as_f32(c))), &m);
#else
        const uint32_t r = fresult(ffma_rnd(f.a, f.b, c, &m), &m);
#endif
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
IN_MODE(fmul_w, fmul_scaled)
#if HOST_HAS_FMA
IN_MODE(ffma_w, ffma_zero)
#else
#define x_ffma_w x_ffma_zero
#endif

FN(fsel) {
    UNUSED_ENV;
    SOURCES2;
    const struct fmode m = fmode_of(x);
    const uint32_t first = x_pred(w, x->c);
    uint32_t *const pd = x_dst(w, x->d);
    LANES {
        const uint32_t a = fsource(pa[i], &m, 0), b = fsource(pb[i], &m, 1);
        const uint32_t r = LANE_IN(first) ? a : b;
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

// Signs by the lane's place in its quad (Mesa's NAK, OpFSwzAdd: the first lane's are the highest).
FN(swizzled) {
    UNUSED_ENV;
    SOURCES2;
    enum { MINUS_SECOND = 1, MINUS_FIRST, ONLY_SECOND };
    const struct fmode m = fmode_of(x);
    uint32_t *const pd = x_dst(w, x->d);
    LANES {
        const uint32_t how = (uint32_t)x->sub >> (6 - 2 * (i & 3)) & 3;
        const uint32_t a = fsource(pa[i], &m, 0), b = fsource(pb[i], &m, 1);
        const uint32_t first = how == MINUS_FIRST ? a ^ 0x80000000u : how == ONLY_SECOND ? 0 : a;
        const uint32_t second = how == MINUS_SECOND ? b ^ 0x80000000u : b;
        const uint32_t r = fresult(canon32(as_f32(first) + as_f32(second)), &m);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
IN_MODE(fswzadd, swizzled)

// Whether a quotient needs the way that is right everywhere. Not documented: the exact condition;
// what is asked here holds for every quotient that a reciprocal, Newton's step and two corrections
// might get wrong: exponents of either side at their ends, or far apart.
enum { FCHK_LOW = 31, FCHK_HIGH = 249, FCHK_APART = 100 };
LANE_FN bool quotient_is_hard(uint32_t a, uint32_t b) {
    const int32_t ea = (int32_t)(a >> 23 & 255), eb = (int32_t)(b >> 23 & 255);
    const int32_t apart = ea > eb ? ea - eb : eb - ea;
    return (ea < FCHK_LOW) | (ea == 255) | (eb == 0) | (eb > FCHK_HIGH) | (apart >= FCHK_APART);
}
FN(fchk) {
    UNUSED_ENV;
    SOURCES2;
    return setp_finish(w, x, mask, MASK_OF(2, quotient_is_hard(A, B)));
}

const exec_fn AT_LEVEL(fp32_fns)[] = {EXEC_FP32_HANDLERS(HANDLER_ROW)};
