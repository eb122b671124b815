// Double precision. A NaN result carries the payload of the first NaN operand, quieted; an invalid
// operation makes 0xfff8000000000000. Directed rounding is the host's; a host without a fused
// multiply-add has soft64.c.
#include <math.h>

#include "exec/fp_lane.h"
#include "exec/round.h"
#include "exec/soft64.h"

#define DA as_f64(A)
#define DB as_f64(B)
#define DC as_f64(C)

LANE_FN bool is_nan64(uint64_t v) { return (v & 0x7fffffffffffffffull) > 0x7ff0000000000000ull; }
LANE_FN uint64_t canon64(double r, uint64_t a, uint64_t b, uint64_t c) {
    const uint64_t quiet = 0x0008000000000000ull;
    uint64_t n = F64_NAN;
    n = is_nan64(c) ? c | quiet : n;
    n = is_nan64(b) ? b | quiet : n;
    n = is_nan64(a) ? a | quiet : n;
    return r != r ? n : as_u64(r);
}
LANE_FN double fma64(double a, double b, double c) {
#if HOST_HAS_FMA
    return __builtin_fma(a, b, c);
#else
    return soft64_fma_nearest(a, b, c);
#endif
}

HANDLER64(dadd, 2, canon64(DA + DB, A, B, 0))
HANDLER64(dmul, 2, canon64(DA *DB, A, B, 0))
HANDLER64(dfma, 3, canon64(fma64(DA, DB, DC), A, B, C))
HANDLER64(ddiv, 2, canon64(DA / DB, A, B, 0))
HANDLER64(drcp, 1, canon64(1.0 / DA, A, 0, 0))
HANDLER64(dsqrt, 1, canon64(__builtin_sqrt(DA), A, 0, 0))

struct dmode {
    uint64_t and_mask[3], xor_mask[3];
};
LANE_FN struct dmode dmode_of(const struct xinst *x) {
    struct dmode m;
    for (uint32_t k = 0; k < 3; k++) {
        m.and_mask[k] = x->mods[k] & OPND_ABS ? 0x7fffffffffffffffull : ~0ull;
        m.xor_mask[k] = x->mods[k] & OPND_NEG ? 0x8000000000000000ull : 0;
    }
    return m;
}
#define DSOURCE(p, k) ((((p)[i] | (uint64_t)(p)[i + 32] << 32) & m.and_mask[k]) ^ m.xor_mask[k])
#define GENERAL64(name, n, body)                                                                   \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES##n;                                                                                \
        const struct dmode m = dmode_of(x);                                                        \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        LANES {                                                                                    \
            GENERAL64_LANE##n;                                                                     \
            STORE64(body);                                                                         \
        }                                                                                          \
        return EXEC_NEXT;                                                                          \
    }
#define GENERAL64_LANE1 const uint64_t A = DSOURCE(pa, 0)
#define GENERAL64_LANE2 GENERAL64_LANE1, B = DSOURCE(pb, 1)
#define GENERAL64_LANE3 GENERAL64_LANE2, C = DSOURCE(pc, 2)
GENERAL64(dadd_g, 2, canon64(DA + DB, A, B, 0))
GENERAL64(dmul_g, 2, canon64(DA *DB, A, B, 0))
GENERAL64(dfma_g, 3, canon64(fma64(DA, DB, DC), A, B, C))
GENERAL64(ddiv_g, 2, canon64(DA / DB, A, B, 0))
GENERAL64(drcp_g, 1, canon64(1.0 / DA, A, 0, 0))
GENERAL64(dsqrt_g, 1, canon64(__builtin_sqrt(DA), A, 0, 0))
GENERAL64(dmov, 1, A)

LANE_FN uint64_t dminmax(uint64_t a, uint64_t b, bool is_max) {
    const double fa = as_f64(a), fb = as_f64(b);
    const bool less = fa < fb || (fa == fb && (a >> 63) > (b >> 63));
    uint64_t r = less != is_max ? a : b;
    r = is_nan64(a) ? (is_nan64(b) ? F64_NAN : b) : is_nan64(b) ? a : r;
    return r;
}
GENERAL64(dmin, 2, dminmax(A, B, false))
GENERAL64(dmax, 2, dminmax(A, B, true))
HANDLER64(dcopysign, 2, (B & 0x7fffffffffffffffull) | (A & 0x8000000000000000ull))

#define DIRECTED64(name)                                                                           \
    FN_ONCE(name##_r) {                                                                            \
        const uint32_t old = round_begin(x->rnd);                                                  \
        const enum exec_outcome o = x_##name##_g(e, w, x, mask);                                   \
        round_end(old);                                                                            \
        return o;                                                                                  \
    }
DIRECTED64(dadd)
DIRECTED64(dmul)
DIRECTED64(ddiv)
DIRECTED64(drcp)
DIRECTED64(dsqrt)
#if HOST_HAS_FMA
DIRECTED64(dfma)
#else
FN(dfma_r) {
    UNUSED_ENV;
    SOURCES3;
    const struct dmode m = dmode_of(x);
    uint32_t *const pd = x_dst(w, x->d);
    FOR_EACH_BIT32(i, mask) {
        const uint64_t A = DSOURCE(pa, 0), B = DSOURCE(pb, 1), C = DSOURCE(pc, 2);
        x_put64(pd, i, canon64(as_f64(soft64_fma(A, B, C, x->rnd)), A, B, C));
    }
    return EXEC_NEXT;
}
#endif

// ---- comparisons ----------------------------------------------------------------------------
#define DSETP(name, cond)                                                                          \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES2;                                                                                  \
        return setp_finish(w, x, mask, MASK_OF(2_64, cond));                                       \
    }
DSETP(dsetp_eq, DA == DB)
DSETP(dsetp_lt, DA < DB)
DSETP(dsetp_le, DA <= DB)
DSETP(dsetp_gt, DA > DB)
DSETP(dsetp_ge, DA >= DB)
DSETP(dsetp_neu, DA != DB)

LANE_FN uint32_t compare_double(const struct exec_warp *w, const struct xinst *x) {
    SOURCES2;
    const struct dmode m = dmode_of(x);
    uint32_t lt = 0, eq = 0, gt = 0;
    LANES {
        const double a = as_f64(DSOURCE(pa, 0)), b = as_f64(DSOURCE(pb, 1));
        lt |= a < b ? lane_bit[i] : 0;
        eq |= a == b ? lane_bit[i] : 0;
        gt |= a > b ? lane_bit[i] : 0;
    }
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
FN(dsetp_g) {
    UNUSED_ENV;
    return setp_finish(w, x, mask, compare_double(w, x));
}
FN(dset) { // destination is one word
    UNUSED_ENV;
    const uint32_t t = setp_combine(x, w, compare_double(w, x));
    const uint32_t yes = x->flags & MF_BOOLF ? 0x3f800000u : ~0u;
    uint32_t *const pd = x_dst(w, x->d);
    LANES {
        const uint32_t r = LANE_IN(t) ? yes : 0;
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(ftestp64) {
    UNUSED_ENV;
    SOURCES1;
    uint32_t inf = 0, nan = 0, sub = 0;
    const uint64_t top = 0x7ff0000000000000ull;
    LANES {
        LANE1_64;
        const uint64_t v = A & 0x7fffffffffffffffull;
        inf |= v == top ? lane_bit[i] : 0;
        nan |= v > top ? lane_bit[i] : 0;
        sub |= v != 0 && v < 0x0010000000000000ull ? lane_bit[i] : 0;
    }
    const uint32_t table[] = {~(inf | nan), inf, ~nan, nan, ~(inf | nan | sub), sub};
    return setp_finish(w, x, mask, x->sub < 6 ? table[x->sub] : 0);
}

// DSETP.MIN, .MAX: which of both a minimum takes, as compiled code of min.f64 needs it: B is taken,
// and made quiet, where both are NaN.
FN(dsetp_mnmx) {
    UNUSED_ENV;
    SOURCES2;
    const struct dmode m = dmode_of(x);
    uint32_t less = 0, is_a = 0, none = 0; // a NaN loses
    LANES {
        const uint64_t a = DSOURCE(pa, 0), b = DSOURCE(pb, 1);
        const bool na = is_nan64(a), nb = is_nan64(b);
        const double fa = as_f64(a), fb = as_f64(b);
        less |= fa < fb || (fa == fb && a >> 63 > b >> 63) ? lane_bit[i] : 0;
        is_a |= nb && !na ? lane_bit[i] : 0;
        none |= na || nb ? lane_bit[i] : 0;
    }
    uint32_t both = 0;
    LANES both |= is_nan64(DSOURCE(pa, 0)) && is_nan64(DSOURCE(pb, 1)) ? lane_bit[i] : 0;
    const uint32_t first = ((x->sub ? ~less : less) & ~none) | is_a;
    x_set_pred(w, x->d, first, mask);
    x_set_pred(w, x->d1, both, mask);
    return EXEC_NEXT;
}

const exec_fn AT_LEVEL(fp64_fns)[] = {EXEC_FP64_HANDLERS(HANDLER_ROW)};
