// 64-bit integers: pairs of registers; and division of every width.
#include "isa/lane64.h"
#include "exec/simd.h"

HANDLER64(iadd64, 2, A + B)
FN(iadd64_g) {
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const uint64_t na = x->mods[0] & OPND_NEG ? ~0ull : 0, nb = x->mods[1] & OPND_NEG ? ~0ull : 0;
    LANES {
        LANE2_64;
        STORE64(lane_negate64(A, na) + lane_negate64(B, nb));
    }
    return EXEC_NEXT;
}
HANDLER64(imul64, 2, A *B)
HANDLER64(imad64, 3, A *B + C)
HANDLER64(imin64_s, 2, lane_min64_s(A, B))
HANDLER64(imax64_s, 2, lane_max64_s(A, B))
HANDLER64(imin64_u, 2, lane_min64_u(A, B))
HANDLER64(imax64_u, 2, lane_max64_u(A, B))
HANDLER64(iabs64, 1, lane_abs64(A))
HANDLER64(isad64_s, 3, lane_sad64_s(A, B, C))
HANDLER64(isad64_u, 3, lane_sad64_u(A, B, C))
HANDLER64(brev64, 1, lane_brev64(A))

#define SHIFT64(name, expr)                                                                        \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES2;                                                                                  \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        LANES {                                                                                    \
            LANE1_64;                                                                              \
            const uint32_t B = pb[i];                                                              \
            STORE64(expr);                                                                         \
        }                                                                                          \
        return EXEC_NEXT;                                                                          \
    }
SHIFT64(shl64, lane_shl64(A, B))
SHIFT64(shr64_u, lane_shr64_u(A, B))
SHIFT64(shr64_s, lane_shr64_s(A, B))

HANDLER64(imulhi64_u, 2, lane_mulhi64_u(A, B))
HANDLER64(imulhi64_s, 2, lane_mulhi64_s(A, B))
HANDLER64(imadhi64_u, 3, lane_mulhi64_u(A, B) + C)
HANDLER64(imadhi64_s, 3, lane_mulhi64_s(A, B) + C)

#define COUNT64(name, expr)                                                                        \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES1;                                                                                  \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        LANES {                                                                                    \
            LANE1_64;                                                                              \
            const uint32_t r = (expr);                                                             \
            pd[i] = PICK(r, pd[i]);                                                                \
        }                                                                                          \
        return EXEC_NEXT;                                                                          \
    }
COUNT64(clz64, lane_clz64(A))
COUNT64(popc64, lane_popc64(A))
FN(flo64) {
    UNUSED_ENV;
    SOURCES1;
    uint32_t *const pd = x_dst(w, x->d);
    const bool is_signed = x->type == ITYPE_S64, shift = x->flags & MF_SHIFTAMT;
    LANES {
        LANE1_64;
        const uint32_t r = lane_flo64(A, is_signed, shift);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

FN(bfe64) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const bool is_signed = x->type == ITYPE_S64;
    LANES {
        LANE1_64;
        STORE64(lane_bfe64(A, pb[i], pc[i], is_signed));
    }
    return EXEC_NEXT;
}
FN(bfi64) {
    UNUSED_ENV;
    SOURCES3;
    const uint32_t *const pe = x_src(w, x->e);
    uint32_t *const pd = x_dst(w, x->d);
    LANES {
        LANE2_64;
        STORE64(lane_bfi64(A, B, pc[i], pe[i]));
    }
    return EXEC_NEXT;
}

FN(idiv32) {
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const bool rem = x->bop, is_signed = x->type == ITYPE_S32;
    // The quotient of 32-bit integers, rounded to double and truncated, is exact: a quotient that
    // is no integer lies at least 1/b >= 2^-32 below the next one, q < 2^32, and q 2^-53 < 2^-21 /
    // b.
    if (is_signed) {
        LANES {
            LANE2;
            const int32_t b = B ? (int32_t)B : 1;
            const double q = (double)(int32_t)A / (double)b;
            const int64_t t = (int64_t)q;
            const uint32_t quot = (uint32_t)t, left = A - quot * (uint32_t)b;
            const uint32_t r = B ? (rem ? left : quot) : rem ? A : ~0u;
            pd[i] = PICK(r, pd[i]);
        }
    } else {
        LANES {
            LANE2;
            const uint32_t b = B ? B : 1;
            const double q = (double)(int64_t)A / (double)(int64_t)b;
            const uint32_t quot = (uint32_t)(int64_t)q, left = A - quot * b;
            const uint32_t r = B ? (rem ? left : quot) : rem ? A : ~0u;
            pd[i] = PICK(r, pd[i]);
        }
    }
    return EXEC_NEXT;
}
FN(idiv_g) { // 8, 16 and 64 bits
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const bool rem = x->bop;
    FOR_EACH_BIT32(i, mask) {
        switch (x->type) {
        case ITYPE_S16: {
            const uint64_t a = (uint64_t)(int16_t)pa[i], b = (uint64_t)(int16_t)pb[i];
            pd[i] = (uint32_t)lane_divide(a, b, true, rem) & 0xffff;
            break;
        }
        case ITYPE_U16:
        case ITYPE_B16:
            pd[i] = (uint32_t)lane_divide(pa[i] & 0xffff, pb[i] & 0xffff, false, rem) & 0xffff;
            break;
        default:
            x_put64(pd, i, lane_divide(x_get64(pa, i), x_get64(pb, i), x->type == ITYPE_S64, rem));
            break;
        }
    }
    return EXEC_NEXT;
}

// Comparisons of pairs; hot in address arithmetic and loops over 64-bit counters.
#define ISETP64(name, cond)                                                                        \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES2;                                                                                  \
        return setp_finish(w, x, mask, MASK_OF(2_64, cond));                                       \
    }
ISETP64(isetp64_eq, lane_compare64(MCMP_EQ, A, B, false))
ISETP64(isetp64_ne, lane_compare64(MCMP_NE, A, B, false))
ISETP64(isetp64_lt_s, lane_compare64(MCMP_LT, A, B, true))
ISETP64(isetp64_le_s, lane_compare64(MCMP_LE, A, B, true))
ISETP64(isetp64_gt_s, lane_compare64(MCMP_GT, A, B, true))
ISETP64(isetp64_ge_s, lane_compare64(MCMP_GE, A, B, true))
ISETP64(isetp64_lt_u, lane_compare64(MCMP_LT, A, B, false))
ISETP64(isetp64_le_u, lane_compare64(MCMP_LE, A, B, false))
ISETP64(isetp64_gt_u, lane_compare64(MCMP_GT, A, B, false))
ISETP64(isetp64_ge_u, lane_compare64(MCMP_GE, A, B, false))

const exec_fn AT_LEVEL(int64_fns)[] = {EXEC_INT64_HANDLERS(HANDLER_ROW)};
