// 32- and 16-bit integer operations, logic, shifts, bit fields and comparisons. 16-bit values live
// in the low halves of registers; what stands above them is never read, and written as zero.
#include "isa/eval.h"
#include "isa/lane64.h"
#include "exec/simd.h"

// ---- moves and selections -------------------------------------------------------------------
HANDLER32(mov1, 1, A)
HANDLER64(mov2, 1, A)
FN(mov4) {
    UNUSED_ENV;
    const uint32_t *pa = x_src(w, x->a);
    uint32_t *pd = x_dst(w, x->d);
    for (uint32_t k = 0; k < x->aux8; k++, pa += 32, pd += 32) LANES pd[i] = PICK(pa[i], pd[i]);
    return EXEC_NEXT;
}
FN(sel1) {
    UNUSED_ENV;
    SOURCES2;
    const uint32_t c = x_pred(w, x->c);
    uint32_t *const pd = x_dst(w, x->d);
    LANES {
        const uint32_t r = LANE_IN(c) ? pa[i] : pb[i];
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(sel_n) {
    UNUSED_ENV;
    SOURCES2;
    const uint32_t c = x_pred(w, x->c);
    uint32_t *const pd = x_dst(w, x->d);
    for (uint32_t k = 0; k < x->aux8; k++) {
        const uint32_t *qa = pa + 32 * k, *qb = pb + 32 * k;
        uint32_t *qd = pd + 32 * k;
        LANES {
            const uint32_t r = LANE_IN(c) ? qa[i] : qb[i];
            qd[i] = PICK(r, qd[i]);
        }
    }
    return EXEC_NEXT;
}

// C >= 0 as a mask: a signed word, or a float (NaN is not, -0.0 is, subnormals flushed with FTZ).
FN(slct) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    uint32_t c = 0;
    if (x->stype == ITYPE_F32) {
        const uint32_t flush = x->flags & MF_FTZ ? 0x80000000u : 0xffffffffu;
        LANES {
            uint32_t v = pc[i];
            v = (v & 0x7f800000u) ? v : v & flush;
            c |= as_f32(v) >= 0.0f ? lane_bit[i] : 0;
        }
    } else {
        LANES c |= (int32_t)pc[i] >= 0 ? lane_bit[i] : 0;
    }
    for (uint32_t k = 0; k < x->aux8; k++) {
        const uint32_t *qa = pa + 32 * k, *qb = pb + 32 * k;
        uint32_t *qd = pd + 32 * k;
        LANES {
            const uint32_t r = LANE_IN(c) ? qa[i] : qb[i];
            qd[i] = PICK(r, qd[i]);
        }
    }
    return EXEC_NEXT;
}

FN(p2r) {
    UNUSED_ENV;
    uint32_t *const pd = x_dst(w, x->d);
    LANES {
        uint32_t r = 0;
        for (uint32_t k = 0; k < PRED_TRUE; k++) r |= LANE_IN(w->pred[k]) ? 1u << k : 0;
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(r2p) {
    UNUSED_ENV;
    SOURCES2;
    const uint32_t which = pb[0];
    for (uint32_t k = 0; k < PRED_TRUE; k++) {
        if (!(which >> k & 1)) continue;
        uint32_t t = 0;
        LANES t |= pa[i] >> k & 1 ? lane_bit[i] : 0;
        x_set_pred(w, k, t, mask);
    }
    return EXEC_NEXT;
}
FN(psetp) {
    UNUSED_ENV;
    const uint32_t a = x_pred(w, x->a), b = x_pred(w, x->b);
    uint32_t r = a;
    switch (x->sub) {
    case MLOGIC_AND: r = a & b; break;
    case MLOGIC_OR: r = a | b; break;
    case MLOGIC_XOR: r = a ^ b; break;
    default: r = x->aux8 ? b : a; break;
    }
    x_set_pred(w, x->d, r, mask);
    return EXEC_NEXT;
}

// ---- addition and multiplication ------------------------------------------------------------
HANDLER32(iadd, 2, A + B)
HANDLER32(isub, 2, A - B)
HANDLER32(imul, 2, A *B)
HANDLER32(imad, 3, A *B + C)
HANDLER32(imulhi_s, 2, lane_mulhi_s(A, B))
HANDLER32(imulhi_u, 2, lane_mulhi_u(A, B))
HANDLER32(iscadd, 2, lane_scale_add(A, B, x->sub))
FN(iscadd_g) {
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t na = x->mods[0] & OPND_NEG ? ~0u : 0, nb = x->mods[1] & OPND_NEG ? ~0u : 0;
    LANES {
        const uint32_t r =
            lane_negate(lane_scale_add(pa[i], 0, x->sub), na) + lane_negate(pb[i], nb);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

// The sum of two words and the carry `in`; its carry goes where one is asked for. The top bits of
// the summands and of the sum tell it: both are set, or one is and the sum's is not.
#define ADD_CARRY(first, second)                                                                   \
    do {                                                                                           \
        uint32_t out_[WARP_LANES] __attribute__((aligned(64)));                                    \
        LANES {                                                                                    \
            const uint32_t a_ = (first), b_ = (second), r_ = a_ + b_ + (LANE_IN(in) ? 1 : 0);      \
            out_[i] = (a_ & b_) | ((a_ | b_) & ~r_);                                               \
            pd[i] = PICK(r_, pd[i]);                                                               \
        }                                                                                          \
        if (x->d1 != X_NONE) x_set_pred(w, x->d1, lanes_signs(out_), mask);                        \
    } while (0)

// A subtrahend enters inverted, with a carry-in of one unless one is taken. The carry is the adder's,
// after a subtraction too: 1 where nothing was borrowed. NVIDIA's machines have it so, and ptxas
// folds constants so; a chain of subtractions alone cannot tell it from a borrow.
FN(iadd_g) {
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t na = x->mods[0] & OPND_NEG ? ~0u : 0, nb = x->mods[1] & OPND_NEG ? ~0u : 0;
    if (x->flags & MF_SAT) {
        LANES {
            const uint32_t r = lane_add_sat(pa[i], pb[i], na, nb);
            pd[i] = PICK(r, pd[i]);
        }
        return EXEC_NEXT;
    }
    if (na && nb) {
        LANES {
            const uint32_t r = 0u - pa[i] - pb[i];
            pd[i] = PICK(r, pd[i]);
        }
        return EXEC_NEXT;
    }
    const uint32_t in = x_pred(w, x->c);
    ADD_CARRY(pa[i] ^ na, pb[i] ^ nb);
    return EXEC_NEXT;
}
FN(iadd16) { // sums and differences of low halves; a carry makes no sense here
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t na = x->mods[0] & OPND_NEG ? ~0u : 0, nb = x->mods[1] & OPND_NEG ? ~0u : 0;
    const bool packed = x->type == ITYPE_U16X2 || x->type == ITYPE_S16X2;
    LANES {
        const uint32_t r = lane_add16(pa[i], pb[i], na, nb, packed);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

LANE_FN bool type_is16(uint8_t t) { return t == ITYPE_U16 || t == ITYPE_S16 || t == ITYPE_B16; }
LANE_FN bool type_signed(uint8_t t) {
    return t == ITYPE_S32 || t == ITYPE_S16 || t == ITYPE_S64 || t == ITYPE_S8 || t == ITYPE_S16X2;
}

// Where there is no summand C is zeros.
// Every product with an unusual width, half, modifier or carry. WIDE of 32 bits makes pairs; 16-bit
// types multiply the low halves to 32 bits.
FN(imad_g) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const bool is16 = type_is16(x->type), is_signed = type_signed(x->type);
    const bool wide = x->flags & MF_WIDE, hi = x->flags & MF_HI;
    const bool pair = wide && !is16;
    const int64_t na = x->mods[0] & OPND_NEG ? -1 : 0, nb = x->mods[1] & OPND_NEG ? -1 : 0;
    const bool nc = x->mods[2] & OPND_NEG;
    const uint32_t in = x_pred(w, x->e);
    uint32_t out = 0;
    LANES {
        const int64_t a = (lane_extend(pa[i], is16, is_signed) ^ na) - na;
        const int64_t b = (lane_extend(pb[i], is16, is_signed) ^ nb) - nb;
        const uint64_t p = (uint64_t)a * (uint64_t)b;
        uint64_t r = p;
        if (!wide && hi)
            r = is16 ? (is_signed ? (uint64_t)((int32_t)p >> 16) : (uint32_t)p >> 16) : p >> 32;
        if (!pair) r &= 0xffffffffu;
        uint64_t c = pair ? pc[i] | (uint64_t)pc[i + 32] << 32 : pc[i];
        if (nc) c = pair ? ~c : ~c & 0xffffffffu;
        const uint64_t carry = LANE_IN(in) ? 1 : 0;
        const uint64_t s = r + c + carry;
        out |= (pair ? s < r || (carry && s == r) : s >> 32) ? lane_bit[i] : 0;
        uint32_t lo = (uint32_t)s;
        if (x->flags & MF_SAT) {
            const int64_t c_signed = nc ? -(int64_t)(int32_t)pc[i] : (int32_t)pc[i];
            lo = lane_sat_s32((int32_t)(uint32_t)r + c_signed);
        }
        pd[i] = PICK(lo, pd[i]);
        if (pair) pd[i + 32] = PICK((uint32_t)(s >> 32), pd[i + 32]);
    }
    if (x->d1 != X_NONE) x_set_pred(w, x->d1, out, mask);
    return EXEC_NEXT;
}
// 32-bit products with a summand and perhaps carries: halves of addresses, as a GPU without 64-bit
// registers computes them.
#define CARRY_HANDLER(name, product)                                                               \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES3;                                                                                  \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        const uint32_t in = x_pred(w, x->e);                                                       \
        ADD_CARRY((uint32_t)(product), pc[i]);                                                     \
        return EXEC_NEXT;                                                                          \
    }
CARRY_HANDLER(imad_c, pa[i] * pb[i])
CARRY_HANDLER(imadhi_s, lane_wide_s(pa[i], pb[i]) >> 32)
CARRY_HANDLER(imadhi_u, lane_wide_u(pa[i], pb[i]) >> 32)

#define WIDE_HANDLER(name, sources, product)                                                       \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        sources;                                                                                   \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        LANES STORE64(product);                                                                    \
        return EXEC_NEXT;                                                                          \
    }
WIDE_HANDLER(imulwide_s, SOURCES2, lane_wide_s(pa[i], pb[i]))
WIDE_HANDLER(imulwide_u, SOURCES2, lane_wide_u(pa[i], pb[i]))
WIDE_HANDLER(imadwide_s, SOURCES3, lane_wide_s(pa[i], pb[i]) + (pc[i] | (uint64_t)pc[i + 32] << 32))
WIDE_HANDLER(imadwide_u, SOURCES3, lane_wide_u(pa[i], pb[i]) + (pc[i] | (uint64_t)pc[i + 32] << 32))

FN(imad24) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const bool is_signed = type_signed(x->type), hi = x->flags & MF_HI;
    const bool sat = x->flags & MF_SAT;
    const uint32_t nc = x->mods[2] & OPND_NEG ? ~0u : 0;
    LANES {
        uint32_t r = lane_mul24(pa[i], pb[i], is_signed, hi);
        const uint32_t c = lane_negate(pc[i], nc);
        r = sat ? lane_sat_s32((int64_t)(int32_t)r + (int32_t)c) : r + c;
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

HANDLER32(imin_s, 2, lane_min_s(A, B))
HANDLER32(imax_s, 2, lane_max_s(A, B))
HANDLER32(imin_u, 2, lane_min_u(A, B))
HANDLER32(imax_u, 2, lane_max_u(A, B))
FN(imnmx_g) { // 16-bit, packed 16-bit, RELU
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const bool is_signed = type_signed(x->type), is_max = x->sub != 0, relu = x->flags & MF_RELU;
    const bool packed = x->type == ITYPE_U16X2 || x->type == ITYPE_S16X2;
    const bool is16 = packed || type_is16(x->type);
    LANES {
        const uint32_t r = is16
                               ? lane_minmax16(pa[i], pb[i], is_signed, is_max, relu, packed)
                               : lane_minmax(pa[i], pb[i], is_signed, is_max, relu);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(iabs) {
    UNUSED_ENV;
    SOURCES1;
    uint32_t *const pd = x_dst(w, x->d);
    const bool is16 = type_is16(x->type);
    LANES {
        const uint32_t r = lane_abs(pa[i], is16);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(isad) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const bool is_signed = type_signed(x->type);
    if (type_is16(x->type)) {
        LANES {
            const uint32_t r = lane_sad16(pa[i], pb[i], pc[i], is_signed);
            pd[i] = PICK(r, pd[i]);
        }
        return EXEC_NEXT;
    }
    LANES {
        const uint32_t r = lane_sad(pa[i], pb[i], pc[i], is_signed);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

// ---- shifts and logic -----------------------------------------------------------------------
HANDLER32(shl, 2, lane_shl(A, B))
HANDLER32(shr_u, 2, lane_shr_u(A, B))
HANDLER32(shr_s, 2, lane_shr_s(A, B))
HANDLER32(shl16, 2, lane_shl16(A, B))
HANDLER32(shr16_u, 2, lane_shr16_u(A, B))
HANDLER32(shr16_s, 2, lane_shr16_s(A, B))
FN(shf) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const bool left = x->flags & MF_LEFT, wrap = x->flags & MF_WRAP;
    LANES {
        const uint32_t r = lane_funnel(pa[i], pb[i], pc[i], left, wrap);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
HANDLER32(and, 2, A &B)
HANDLER32(or, 2, A | B)
HANDLER32(xor, 2, A ^ B)
FN(lop_n) { // NOT on operands, any number of words
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t na = x->mods[0] & OPND_NOT ? ~0u : 0, nb = x->mods[1] & OPND_NOT ? ~0u : 0;
    for (uint32_t k = 0; k < x->aux8; k++) {
        const uint32_t *qa = pa + 32 * k, *qb = pb + 32 * k;
        uint32_t *qd = pd + 32 * k;
        LANES {
            const uint32_t a = qa[i] ^ na, b = qb[i] ^ nb;
            uint32_t r = b;
            r = x->sub == MLOGIC_AND ? a & b : r;
            r = x->sub == MLOGIC_OR ? a | b : r;
            r = x->sub == MLOGIC_XOR ? a ^ b : r;
            qd[i] = PICK(r, qd[i]);
        }
    }
    return EXEC_NEXT;
}
FN(lop3) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    uint32_t t[8];
    lane_lop3_table(t, x->sub);
    LANES {
        const uint32_t r = lane_lop3(t, pa[i], pb[i], pc[i]);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(lop3_g) { // NOT on operands, a predicate result, no word result
    UNUSED_ENV;
    SOURCES3;
    uint32_t t[8], v[32] __attribute__((aligned(64)));
    lane_lop3_table(t, x->sub);
    const uint32_t na = x->mods[0] & OPND_NOT ? ~0u : 0, nb = x->mods[1] & OPND_NOT ? ~0u : 0;
    const uint32_t nc = x->mods[2] & OPND_NOT ? ~0u : 0;
    uint32_t any = 0;
    LANES v[i] = lane_lop3(t, pa[i] ^ na, pb[i] ^ nb, pc[i] ^ nc);
    LANES any |= v[i] ? lane_bit[i] : 0;
    if (x->d != X_NONE) {
        uint32_t *const pd = x_dst(w, x->d);
        LANES pd[i] = PICK(v[i], pd[i]);
    }
    const uint32_t q = x_pred(w, x->e);
    uint32_t p = any;
    if (x->bop == MBOP_AND) p = any & q;
    if (x->bop == MBOP_OR) p = any | q;
    if (x->bop == MBOP_XOR) p = any ^ q;
    x_set_pred(w, x->d1, p, mask);
    return EXEC_NEXT;
}

// ---- bit fields -----------------------------------------------------------------------------
HANDLER32(bfe_u, 3, lane_bfe(A, B, C, false))
HANDLER32(bfe_s, 3, lane_bfe(A, B, C, true))
FN(bfi) {
    UNUSED_ENV;
    SOURCES3;
    const uint32_t *const pe = x_src(w, x->e);
    uint32_t *const pd = x_dst(w, x->d);
    LANES {
        const uint32_t r = lane_bfi(pa[i], pb[i], pc[i], pe[i]);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(flo) {
    UNUSED_ENV;
    SOURCES1;
    uint32_t *const pd = x_dst(w, x->d);
    const bool is_signed = type_signed(x->type), shift = x->flags & MF_SHIFTAMT;
    const uint32_t na = x->mods[0] & OPND_NOT ? ~0u : 0;
    LANES {
        const uint32_t r = LANE_FLO(pa[i] ^ na, is_signed, shift);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
HANDLER32(brev, 1, lane_brev(A))
HANDLER32(popc, 1, lane_popc(x->mods[0] & OPND_NOT ? ~A : A))
HANDLER32(clz, 1, lane_clz(A))
FN(fns) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    FOR_EACH_BIT32(i, mask) {
        pd[i] = lane_fns(pa[i], pb[i], pc[i]);
    }
    return EXEC_NEXT;
}

FN(prmt) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t *const modes = eval_prmt_selector[x->sub];
    const bool index = x->sub == MPRMT_INDEX;
    const uint32_t m0 = modes[0], m1 = modes[1], m2 = modes[2], m3 = modes[3];
    LANES {
        const uint32_t a = pa[i], b = pb[i], c = pc[i];
        const uint32_t m = c & 2 ? (c & 1 ? m3 : m2) : (c & 1 ? m1 : m0), s = index ? c : m;
        const uint32_t r = lane_pick_bytes(a, b, s);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(bmsk) {
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const bool wrap = x->flags & MF_WRAP;
    LANES {
        const uint32_t r = lane_bmsk(pa[i], pb[i], wrap);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(szext) {
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const bool wrap = x->flags & MF_WRAP, is_signed = type_signed(x->type);
    LANES {
        const uint32_t r = lane_szext(pa[i], pb[i], is_signed, wrap);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

// ---- dot products ---------------------------------------------------------------------------
FN(dp4a) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const bool sa = type_signed(x->type), sb = type_signed(x->stype);
    LANES {
        const uint32_t r = lane_dp4a(pa[i], pb[i], pc[i], sa, sb);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(dp2a) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const bool sa = type_signed(x->type), sb = type_signed(x->stype);
    const uint32_t first = x->flags & MF_HI ? 2 : 0;
    LANES {
        const uint32_t r = lane_dp2a(pa[i], pb[i], pc[i], sa, sb, first);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

// ---- comparisons ----------------------------------------------------------------------------
#define ISETP(name, cond)                                                                          \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES2;                                                                                  \
        return setp_finish(w, x, mask, MASK_OF(2, cond));                                          \
    }
ISETP(isetp_eq, lane_compare(MCMP_EQ, A, B, false))
ISETP(isetp_ne, lane_compare(MCMP_NE, A, B, false))
ISETP(isetp_lt_s, lane_compare(MCMP_LT, A, B, true))
ISETP(isetp_le_s, lane_compare(MCMP_LE, A, B, true))
ISETP(isetp_gt_s, lane_compare(MCMP_GT, A, B, true))
ISETP(isetp_ge_s, lane_compare(MCMP_GE, A, B, true))
ISETP(isetp_lt_u, lane_compare(MCMP_LT, A, B, false))
ISETP(isetp_le_u, lane_compare(MCMP_LE, A, B, false))
ISETP(isetp_gt_u, lane_compare(MCMP_GT, A, B, false))
ISETP(isetp_ge_u, lane_compare(MCMP_GE, A, B, false))

// Any width: values become 64-bit numbers whose signed order is the order asked for.
LANE_FN uint32_t compare_any(const struct exec_warp *w, const struct xinst *x, uint8_t type) {
    SOURCES2;
    const unsigned bits = type == ITYPE_U64 || type == ITYPE_S64 || type == ITYPE_B64 ? 64
                          : type_is16(type)                                           ? 16
                          : type == ITYPE_U8 || type == ITYPE_S8 || type == ITYPE_B8  ? 8
                                                                                      : 32;
    const bool is_signed = type_signed(type);
    if (bits == 64) {
        const uint64_t flip = is_signed ? 0 : (uint64_t)1 << 63;
        uint32_t lt = 0, eq = 0;
        LANES {
            LANE2_64;
            lt |= (int64_t)(A ^ flip) < (int64_t)(B ^ flip) ? lane_bit[i] : 0;
            eq |= A == B ? lane_bit[i] : 0;
        }
        return lane_order(x->cmp, lt, eq);
    }
    const uint32_t drop = 32 - bits, flip = is_signed ? 0 : 1u << 31;
    const uint32_t lt =
        LANES_WHERE((int32_t)((pa[i] << drop) ^ flip) < (int32_t)((pb[i] << drop) ^ flip));
    const uint32_t eq = LANES_WHERE(pa[i] << drop == pb[i] << drop);
    return lane_order(x->cmp, lt, eq);
}
FN(isetp_g) {
    UNUSED_ENV;
    return setp_finish(w, x, mask, compare_any(w, x, x->type));
}
FN(iset) {
    UNUSED_ENV;
    const uint32_t t = setp_combine(x, w, compare_any(w, x, x->stype));
    const uint32_t yes = x->flags & MF_BOOLF ? 0x3f800000u : ~0u;
    uint32_t *const pd = x_dst(w, x->d);
    LANES {
        const uint32_t r = LANE_IN(t) ? yes : 0;
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

const exec_fn AT_LEVEL(int_fns)[] = {EXEC_INT_HANDLERS(HANDLER_ROW)};
