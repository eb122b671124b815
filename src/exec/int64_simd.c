// 64-bit integers: pairs of registers; and division of every width.
#include "exec/simd.h"

LANE_FN uint32_t brev_word(uint32_t v) {
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
    return v >> 16 | v << 16;
}
HANDLER64(iadd64, 2, A + B)
FN(iadd64_g) {
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const uint64_t na = x->mods[0] & OPND_NEG ? ~0ull : 0, nb = x->mods[1] & OPND_NEG ? ~0ull : 0;
    LANES {
        LANE2_64;
        STORE64(((A ^ na) - na) + ((B ^ nb) - nb));
    }
    return EXEC_NEXT;
}
HANDLER64(imul64, 2, A *B)
HANDLER64(imad64, 3, A *B + C)
HANDLER64(imin64_s, 2, (int64_t)A < (int64_t)B ? A : B)
HANDLER64(imax64_s, 2, (int64_t)A > (int64_t)B ? A : B)
HANDLER64(imin64_u, 2, A < B ? A : B)
HANDLER64(imax64_u, 2, A > B ? A : B)
HANDLER64(iabs64, 1, (int64_t)A < 0 ? 0 - A : A)
HANDLER64(isad64_s, 3, ((int64_t)A < (int64_t)B ? B - A : A - B) + C)
HANDLER64(isad64_u, 3, (A < B ? B - A : A - B) + C)
HANDLER64(brev64, 1, (uint64_t)brev_word((uint32_t)A) << 32 | brev_word((uint32_t)(A >> 32)))

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
SHIFT64(shl64, B > 63 ? 0 : A << (B & 63))
SHIFT64(shr64_u, B > 63 ? 0 : A >> (B & 63))
SHIFT64(shr64_s, (uint64_t)((int64_t)A >> (B > 63 ? 63 : B)))

// High half of a 64-bit product out of four 32-bit ones.
LANE_FN uint64_t mulhi_u(uint64_t a, uint64_t b) {
    const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    const uint64_t mid = ah * bl + (al * bl >> 32), low = (uint32_t)mid + al * bh;
    return ah * bh + (mid >> 32) + (low >> 32);
}
LANE_FN uint64_t mulhi_s(uint64_t a, uint64_t b) {
    return mulhi_u(a, b) - ((int64_t)a < 0 ? b : 0) - ((int64_t)b < 0 ? a : 0);
}
HANDLER64(imulhi64_u, 2, mulhi_u(A, B))
HANDLER64(imulhi64_s, 2, mulhi_s(A, B))
HANDLER64(imadhi64_u, 3, mulhi_u(A, B) + C)
HANDLER64(imadhi64_s, 3, mulhi_s(A, B) + C)

LANE_FN uint32_t clz_pair(uint64_t v) { return v ? (uint32_t)__builtin_clzll(v) : 64; }
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
COUNT64(clz64, clz_pair(A))
COUNT64(popc64, (uint32_t)__builtin_popcountll(A))
FN(flo64) {
    UNUSED_ENV;
    SOURCES1;
    uint32_t *const pd = x_dst(w, x->d);
    const bool is_signed = x->type == ITYPE_S64, shift = x->flags & MF_SHIFTAMT;
    LANES {
        LANE1_64;
        const uint32_t z = clz_pair(is_signed && (int64_t)A < 0 ? ~A : A);
        const uint32_t r = z == 64 ? ~0u : shift ? z : 63 - z;
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

LANE_FN uint64_t bfe_long(uint64_t a, uint32_t b, uint32_t c, bool is_signed) {
    const uint32_t pos = b & 255, len = c & 255;
    const uint32_t last = pos + len - 1 > 63 ? 63 : pos + len - 1;
    const uint64_t fill = is_signed && len ? 0 - (a >> (last & 63) & 1) : 0;
    const uint64_t body = pos > 63 ? 0 : a >> (pos & 63);
    const uint32_t have = pos > 63 ? 0 : 64 - pos, n = len < have ? len : have;
    const uint64_t keep = n > 63 ? ~0ull : (1ull << (n & 63)) - 1;
    return (body & keep) | (fill & ~keep);
}
FN(bfe64) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const bool is_signed = x->type == ITYPE_S64;
    LANES {
        LANE1_64;
        STORE64(bfe_long(A, pb[i], pc[i], is_signed));
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
        const uint32_t pos = pc[i] & 255, len = pe[i] & 255;
        const uint64_t ones = len > 63 ? ~0ull : (1ull << (len & 63)) - 1;
        const uint64_t keep = pos > 63 ? 0 : ones << (pos & 63);
        STORE64((B & ~keep) | ((A << (pos & 63)) & keep));
    }
    return EXEC_NEXT;
}

// Division by zero gives all ones and leaves the dividend as remainder; the least number over -1 is
// itself, remainder 0.
LANE_FN uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool want_rem) {
    if (b == 0) return want_rem ? a : ~0ull;
    if (!is_signed) return want_rem ? a % b : a / b;
    if (b == ~0ull) return want_rem ? 0 : 0 - a;
    return want_rem ? (uint64_t)((int64_t)a % (int64_t)b) : (uint64_t)((int64_t)a / (int64_t)b);
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
            pd[i] = (uint32_t)divide(a, b, true, rem) & 0xffff;
            break;
        }
        case ITYPE_U16:
        case ITYPE_B16:
            pd[i] = (uint32_t)divide(pa[i] & 0xffff, pb[i] & 0xffff, false, rem) & 0xffff;
            break;
        default:
            x_put64(pd, i, divide(x_get64(pa, i), x_get64(pb, i), x->type == ITYPE_S64, rem));
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
ISETP64(isetp64_eq, A == B)
ISETP64(isetp64_ne, A != B)
ISETP64(isetp64_lt_s, (int64_t)A < (int64_t)B)
ISETP64(isetp64_le_s, (int64_t)A <= (int64_t)B)
ISETP64(isetp64_gt_s, (int64_t)A > (int64_t)B)
ISETP64(isetp64_ge_s, (int64_t)A >= (int64_t)B)
ISETP64(isetp64_lt_u, A < B)
ISETP64(isetp64_le_u, A <= B)
ISETP64(isetp64_gt_u, A > B)
ISETP64(isetp64_ge_u, A >= B)

const exec_fn AT_LEVEL(int64_fns)[] = {EXEC_INT64_HANDLERS(HANDLER_ROW)};
