// 32- and 16-bit integer operations, logic, shifts, bit fields and comparisons. 16-bit values live
// in the low halves of registers; what stands above them is never read, and written as zero.
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
        uint32_t r = LANE_IN(w->carry) ? 128 : 0;
        for (uint32_t k = 0; k < 7; k++) r |= LANE_IN(w->pred[k]) ? 1u << k : 0;
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(r2p) {
    UNUSED_ENV;
    SOURCES2;
    const uint32_t which = pb[0];
    for (uint32_t k = 0; k < 8; k++) {
        if (!(which >> k & 1)) continue;
        uint32_t t = 0;
        LANES t |= pa[i] >> k & 1 ? lane_bit[i] : 0;
        if (k < 7)
            x_set_pred(w, k, t, mask);
        else
            w->carry = (w->carry & ~mask) | (t & mask);
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
HANDLER32(imulhi_s, 2, (uint32_t)((uint64_t)((int64_t)(int32_t)A *(int32_t)B) >> 32))
HANDLER32(imulhi_u, 2, (uint32_t)((uint64_t)A *B >> 32))
HANDLER32(iscadd, 2, (A << (x->sub & 31)) + B)
FN(iscadd_g) {
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t na = x->mods[0] & OPND_NEG ? ~0u : 0, nb = x->mods[1] & OPND_NEG ? ~0u : 0;
    LANES {
        const uint32_t r = (((pa[i] << (x->sub & 31)) ^ na) - na) + ((pb[i] ^ nb) - nb);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

LANE_FN uint32_t sat_s32(int64_t v) {
    const int64_t top = v > INT32_MAX ? INT32_MAX : v;
    return (uint32_t)(top < INT32_MIN ? INT32_MIN : top);
}

// The sum of two words and the carry `in`; where the flag is asked for, it is the sum's carry.
// Either addition may carry, never both.
#define ADD_CARRY(first, second)                                                                   \
    do {                                                                                           \
        if (x->flags & MF_CC_OUT) {                                                                \
            uint32_t out = 0;                                                                      \
            LANES {                                                                                \
                const uint32_t a_ = (first), s_ = a_ + (second), r_ = s_ + (LANE_IN(in) ? 1 : 0);  \
                out |= ((s_ < a_) | (r_ < s_)) ? lane_bit[i] : 0;                                  \
                pd[i] = PICK(r_, pd[i]);                                                           \
            }                                                                                      \
            w->carry = (w->carry & ~mask) | (out & mask);                                          \
        } else {                                                                                   \
            LANES {                                                                                \
                const uint32_t r_ = (first) + (second) + (LANE_IN(in) ? 1 : 0);                    \
                pd[i] = PICK(r_, pd[i]);                                                           \
            }                                                                                      \
        }                                                                                          \
    } while (0)

// A subtrahend enters inverted, with a carry-in of one unless the flag is read. The flag is the
// adder's carry, after a subtraction too: 1 where nothing was borrowed. NVIDIA's machines have it so,
// and ptxas folds constants so; a chain of subtractions alone cannot tell it from a borrow.
FN(iadd_g) {
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t na = x->mods[0] & OPND_NEG ? ~0u : 0, nb = x->mods[1] & OPND_NEG ? ~0u : 0;
    if (x->flags & MF_SAT) {
        LANES {
            const int64_t a = na ? -(int64_t)(int32_t)pa[i] : (int32_t)pa[i];
            const int64_t b = nb ? -(int64_t)(int32_t)pb[i] : (int32_t)pb[i];
            const uint32_t r = sat_s32(a + b);
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
    const uint32_t in = x->flags & MF_CC_IN ? w->carry : na | nb;
    ADD_CARRY(pa[i] ^ na, pb[i] ^ nb);
    return EXEC_NEXT;
}
FN(iadd16) { // sums and differences of low halves; the flags as above make no sense here
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t na = x->mods[0] & OPND_NEG ? ~0u : 0, nb = x->mods[1] & OPND_NEG ? ~0u : 0;
    const bool packed = x->type == ITYPE_U16X2 || x->type == ITYPE_S16X2;
    LANES {
        const uint32_t a = (pa[i] ^ na) - na, b = (pb[i] ^ nb) - nb;
        uint32_t r = (a + b) & 0xffff;
        if (packed) {
            const uint32_t ah = ((pa[i] >> 16) ^ na) - na, bh = ((pb[i] >> 16) ^ nb) - nb;
            r |= (ah + bh) << 16;
        }
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

LANE_FN int64_t extend(uint32_t v, bool is16, bool is_signed) {
    if (is16) return is_signed ? (int16_t)v : (int64_t)(uint16_t)v;
    return is_signed ? (int32_t)v : (int64_t)v;
}
LANE_FN bool type_is16(uint8_t t) { return t == ITYPE_U16 || t == ITYPE_S16 || t == ITYPE_B16; }
LANE_FN bool type_signed(uint8_t t) {
    return t == ITYPE_S32 || t == ITYPE_S16 || t == ITYPE_S64 || t == ITYPE_S8 || t == ITYPE_S16X2;
}

// Every product with an unusual width, half, modifier or carry. WIDE of 32 bits makes pairs; 16-bit
// types multiply the low halves to 32 bits.
FN(imad_g) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const bool is16 = type_is16(x->type), is_signed = type_signed(x->type);
    const bool wide = x->flags & MF_WIDE, hi = x->flags & MF_HI, has_c = x->op == OP_IMAD;
    const bool pair = wide && !is16;
    const int64_t na = x->mods[0] & OPND_NEG ? -1 : 0, nb = x->mods[1] & OPND_NEG ? -1 : 0;
    const bool nc = x->mods[2] & OPND_NEG;
    const uint32_t in = x->flags & MF_CC_IN ? w->carry : nc ? ~0u : 0;
    uint32_t out = 0;
    LANES {
        const int64_t a = (extend(pa[i], is16, is_signed) ^ na) - na;
        const int64_t b = (extend(pb[i], is16, is_signed) ^ nb) - nb;
        const uint64_t p = (uint64_t)a * (uint64_t)b;
        uint64_t r = p;
        if (!wide && hi)
            r = is16 ? (is_signed ? (uint64_t)((int32_t)p >> 16) : (uint32_t)p >> 16) : p >> 32;
        if (!pair) r &= 0xffffffffu;
        uint64_t c = 0;
        if (has_c) c = pair ? pc[i] | (uint64_t)pc[i + 32] << 32 : pc[i];
        if (nc) c = pair ? ~c : ~c & 0xffffffffu;
        const uint64_t carry = has_c && LANE_IN(in) ? 1 : 0;
        const uint64_t s = r + c + carry;
        out |= (pair ? s < r || (carry && s == r) : s >> 32) ? lane_bit[i] : 0;
        uint32_t lo = (uint32_t)s;
        if (x->flags & MF_SAT) {
            const int64_t c_signed = nc ? -(int64_t)(int32_t)pc[i] : (int32_t)pc[i];
            lo = sat_s32((int32_t)(uint32_t)r + c_signed);
        }
        pd[i] = PICK(lo, pd[i]);
        if (pair) pd[i + 32] = PICK((uint32_t)(s >> 32), pd[i + 32]);
    }
    if (x->flags & MF_CC_OUT) w->carry = (w->carry & ~mask) | (out & mask);
    return EXEC_NEXT;
}
// 32-bit products with a summand and perhaps carries: halves of addresses, as a GPU without 64-bit
// registers computes them.
#define CARRY_HANDLER(name, product)                                                               \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES3;                                                                                  \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        const uint32_t in = x->flags & MF_CC_IN ? w->carry : 0;                                    \
        ADD_CARRY((uint32_t)(product), pc[i]);                                                     \
        return EXEC_NEXT;                                                                          \
    }
CARRY_HANDLER(imad_c, pa[i] * pb[i])
CARRY_HANDLER(imadhi_s, (uint64_t)((int64_t)(int32_t)pa[i] * (int32_t)pb[i]) >> 32)
CARRY_HANDLER(imadhi_u, (uint64_t)pa[i] * pb[i] >> 32)

#define WIDE_HANDLER(name, sources, product)                                                       \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        sources;                                                                                   \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        LANES STORE64(product);                                                                    \
        return EXEC_NEXT;                                                                          \
    }
WIDE_HANDLER(imulwide_s, SOURCES2, (uint64_t)((int64_t)(int32_t)pa[i] * (int32_t)pb[i]))
WIDE_HANDLER(imulwide_u, SOURCES2, (uint64_t)pa[i] * pb[i])
WIDE_HANDLER(imadwide_s, SOURCES3,
             (uint64_t)((int64_t)(int32_t)pa[i] * (int32_t)pb[i]) +
                 (pc[i] | (uint64_t)pc[i + 32] << 32))
WIDE_HANDLER(imadwide_u, SOURCES3, (uint64_t)pa[i] * pb[i] + (pc[i] | (uint64_t)pc[i + 32] << 32))

LANE_FN uint32_t mul24(uint32_t a, uint32_t b, bool is_signed, bool hi) {
    const int64_t sa = is_signed ? (int32_t)(a << 8) >> 8 : (int64_t)(a & 0xffffff);
    const int64_t sb = is_signed ? (int32_t)(b << 8) >> 8 : (int64_t)(b & 0xffffff);
    const uint64_t p = (uint64_t)(sa * sb);
    return (uint32_t)(hi ? p >> 16 : p);
}
FN(imad24) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const bool is_signed = type_signed(x->type), hi = x->flags & MF_HI;
    const bool has_c = x->op == OP_IMAD24, sat = x->flags & MF_SAT;
    const uint32_t nc = x->mods[2] & OPND_NEG ? ~0u : 0;
    LANES {
        uint32_t r = mul24(pa[i], pb[i], is_signed, hi);
        if (has_c) {
            const uint32_t c = (pc[i] ^ nc) - nc;
            r = sat ? sat_s32((int64_t)(int32_t)r + (int32_t)c) : r + c;
        }
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

HANDLER32(imin_s, 2, (int32_t)A < (int32_t)B ? A : B)
HANDLER32(imax_s, 2, (int32_t)A > (int32_t)B ? A : B)
HANDLER32(imin_u, 2, A < B ? A : B)
HANDLER32(imax_u, 2, A > B ? A : B)
LANE_FN int32_t half_of(uint32_t v, uint32_t k, bool is_signed) {
    const uint32_t h = v >> (16 * k) & 0xffff;
    return is_signed ? (int16_t)h : (int32_t)h;
}
FN(imnmx_g) { // 16-bit, packed 16-bit, RELU
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const bool is_signed = type_signed(x->type), is_max = x->sub != 0, relu = x->flags & MF_RELU;
    const bool packed = x->type == ITYPE_U16X2 || x->type == ITYPE_S16X2;
    const bool is16 = packed || type_is16(x->type);
    LANES {
        uint32_t r;
        if (is16) {
            r = 0;
            for (uint32_t k = 0; k < 2; k++) {
                const int32_t a = half_of(pa[i], k, is_signed), b = half_of(pb[i], k, is_signed);
                int32_t v = is_max ? (a > b ? a : b) : (a < b ? a : b);
                v = relu && v < 0 ? 0 : v;
                if (k == 0 || packed) r |= ((uint32_t)v & 0xffff) << (16 * k);
            }
        } else {
            const uint32_t a = pa[i], b = pb[i];
            const bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
            r = less != is_max ? a : b;
            r = relu && is_signed && (int32_t)r < 0 ? 0 : r;
        }
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
        const uint32_t a = is16 ? (uint32_t)(int16_t)pa[i] : pa[i];
        uint32_t r = (int32_t)a < 0 ? 0u - a : a;
        if (is16) r &= 0xffff;
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(isad) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const bool is16 = type_is16(x->type), is_signed = type_signed(x->type);
    LANES {
        const int64_t a = extend(pa[i], is16, is_signed), b = extend(pb[i], is16, is_signed);
        uint32_t r = (uint32_t)(a < b ? b - a : a - b) + pc[i];
        if (is16) r &= 0xffff;
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

// ---- shifts and logic -----------------------------------------------------------------------
HANDLER32(shl, 2, B > 31 ? 0 : A << (B & 31))
HANDLER32(shr_u, 2, B > 31 ? 0 : A >> (B & 31))
HANDLER32(shr_s, 2, (uint32_t)((int32_t)A >> (B > 31 ? 31 : B)))
HANDLER32(shl16, 2, B > 15 ? 0 : A << (B & 15) & 0xffff)
HANDLER32(shr16_u, 2, B > 15 ? 0 : (A & 0xffff) >> (B & 15))
HANDLER32(shr16_s, 2, (uint32_t)((int32_t)(int16_t)A >> (B > 15 ? 15 : B)) & 0xffff)
FN(shf) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const bool left = x->flags & MF_LEFT, wrap = x->flags & MF_WRAP;
    LANES {
        const uint64_t v = pa[i] | (uint64_t)pb[i] << 32;
        const uint32_t c = pc[i], n = wrap ? c & 31 : c > 32 ? 32 : c;
        const uint32_t r = (uint32_t)(left ? v << n >> 32 : v >> n);
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
// The table is indexed by the bits of a, b, c with a the highest: choose by c, b, then a.
LANE_FN uint32_t lop3_lane(const uint32_t t[8], uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t r00 = (t[1] & c) | (t[0] & ~c), r01 = (t[3] & c) | (t[2] & ~c);
    const uint32_t r10 = (t[5] & c) | (t[4] & ~c), r11 = (t[7] & c) | (t[6] & ~c);
    const uint32_t r0 = (r01 & b) | (r00 & ~b), r1 = (r11 & b) | (r10 & ~b);
    return (r1 & a) | (r0 & ~a);
}
LANE_FN void lop3_table(uint32_t t[8], uint32_t lut) {
    t[0] = 0u - (lut & 1), t[1] = 0u - (lut >> 1 & 1);
    t[2] = 0u - (lut >> 2 & 1), t[3] = 0u - (lut >> 3 & 1);
    t[4] = 0u - (lut >> 4 & 1), t[5] = 0u - (lut >> 5 & 1);
    t[6] = 0u - (lut >> 6 & 1), t[7] = 0u - (lut >> 7 & 1);
}
FN(lop3) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    uint32_t t[8];
    lop3_table(t, x->sub);
    LANES {
        const uint32_t r = lop3_lane(t, pa[i], pb[i], pc[i]);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(lop3_g) { // NOT on operands, a predicate result, no word result
    UNUSED_ENV;
    SOURCES3;
    uint32_t t[8], v[32] __attribute__((aligned(64)));
    lop3_table(t, x->sub);
    const uint32_t na = x->mods[0] & OPND_NOT ? ~0u : 0, nb = x->mods[1] & OPND_NOT ? ~0u : 0;
    const uint32_t nc = x->mods[2] & OPND_NOT ? ~0u : 0;
    uint32_t any = 0;
    LANES v[i] = lop3_lane(t, pa[i] ^ na, pb[i] ^ nb, pc[i] ^ nc);
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
LANE_FN uint32_t bfe32(uint32_t a, uint32_t b, uint32_t c, bool is_signed) {
    const uint32_t pos = b & 255, len = c & 255;
    const uint32_t last = pos + len - 1 > 31 ? 31 : pos + len - 1; // wraps only when len is 0
    const uint32_t fill = is_signed && len ? 0u - (a >> (last & 31) & 1) : 0;
    const uint32_t body = pos > 31 ? 0 : a >> (pos & 31);
    const uint32_t have = pos > 31 ? 0 : 32 - pos; // bits that body holds
    const uint32_t n = len < have ? len : have;
    const uint32_t keep = n > 31 ? ~0u : (1u << (n & 31)) - 1;
    return (body & keep) | (fill & ~keep);
}
HANDLER32(bfe_u, 3, bfe32(A, B, C, false))
HANDLER32(bfe_s, 3, bfe32(A, B, C, true))
LANE_FN uint32_t bfi32(uint32_t a, uint32_t b, uint32_t pos, uint32_t len) {
    pos &= 255;
    len &= 255;
    const uint32_t ones = len > 31 ? ~0u : (1u << (len & 31)) - 1;
    const uint32_t keep = pos > 31 ? 0 : ones << (pos & 31);
    return (b & ~keep) | ((a << (pos & 31)) & keep);
}
FN(bfi) {
    UNUSED_ENV;
    SOURCES3;
    const uint32_t *const pe = x_src(w, x->e);
    uint32_t *const pd = x_dst(w, x->d);
    LANES {
        const uint32_t r = bfi32(pa[i], pb[i], pc[i], pe[i]);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
LANE_FN uint32_t clz32(uint32_t v) { return v ? (uint32_t)__builtin_clz(v) : 32; }
FN(flo) {
    UNUSED_ENV;
    SOURCES1;
    uint32_t *const pd = x_dst(w, x->d);
    const bool is_signed = type_signed(x->type), shift = x->flags & MF_SHIFTAMT;
    LANES {
        const uint32_t a = is_signed && (int32_t)pa[i] < 0 ? ~pa[i] : pa[i], z = clz32(a);
        const uint32_t r = z == 32 ? ~0u : shift ? z : 31 - z;
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
LANE_FN uint32_t brev32(uint32_t v) {
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
    return v >> 16 | v << 16;
}
LANE_FN uint32_t popc32(uint32_t v) {
    v -= v >> 1 & 0x55555555u;
    v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
    v = (v + (v >> 4)) & 0x0f0f0f0fu;
    return v * 0x01010101u >> 24;
}
HANDLER32(brev, 1, brev32(A))
HANDLER32(popc, 1, popc32(A))
HANDLER32(clz, 1, clz32(A))
FN(fns) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    FOR_EACH_BIT32(i, mask) {
        const uint32_t bits = pa[i], base = pb[i];
        const int32_t offset = (int32_t)pc[i];
        uint32_t r = ~0u;
        if (offset == 0) {
            if (base < 32 && bits >> base & 1) r = base;
        } else {
            int64_t left = offset < 0 ? -(int64_t)offset : offset;
            for (int64_t p = base; p >= 0 && p<32; p += offset> 0 ? 1 : -1)
                if (bits >> p & 1 && --left == 0) {
                    r = (uint32_t)p;
                    break;
                }
        }
        pd[i] = r;
    }
    return EXEC_NEXT;
}

// Selector words of prmt's modes by the low two bits of c, nibbles from the low byte up; index mode
// uses c itself, with bit 3 of a nibble spreading the byte's sign.
static const uint32_t prmt_selector[7][4] = {
    [MPRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543}, [MPRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
    [MPRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333}, [MPRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
    [MPRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210}, [MPRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
};
LANE_FN uint32_t prmt_byte(uint32_t a, uint32_t b, uint32_t nibble) {
    const uint32_t from = nibble & 4 ? b : a, v = from >> ((nibble & 3) * 8) & 255;
    return nibble & 8 ? (v & 128 ? 255 : 0) : v;
}
FN(prmt) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t *const modes = prmt_selector[x->sub];
    const bool index = x->sub == MPRMT_INDEX;
    const uint32_t m0 = modes[0], m1 = modes[1], m2 = modes[2], m3 = modes[3];
    LANES {
        const uint32_t a = pa[i], b = pb[i], c = pc[i];
        const uint32_t m = c & 2 ? (c & 1 ? m3 : m2) : (c & 1 ? m1 : m0), s = index ? c : m;
        const uint32_t r = prmt_byte(a, b, s) | prmt_byte(a, b, s >> 4) << 8 |
                           prmt_byte(a, b, s >> 8) << 16 | prmt_byte(a, b, s >> 12) << 24;
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
        const uint32_t a = wrap ? pa[i] & 31 : pa[i] > 32 ? 32 : pa[i];
        const uint32_t b = wrap ? pb[i] & 31 : pb[i] > 32 ? 32 : pb[i];
        const uint32_t r = (uint32_t)((((uint64_t)1 << b) - 1) << a);
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
        const uint32_t a = pa[i], n = wrap ? pb[i] & 31 : pb[i] > 32 ? 32 : pb[i];
        const uint32_t drop = (32 - n) & 31, up = a << drop;
        uint32_t r = is_signed ? (uint32_t)((int32_t)up >> drop) : up >> drop;
        r = n == 0 ? 0 : r;
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

// ---- dot products ---------------------------------------------------------------------------
LANE_FN int32_t byte_of(uint32_t v, uint32_t k, bool is_signed) {
    const uint32_t b = v >> (8 * k) & 255;
    return is_signed ? (int8_t)b : (int32_t)b;
}
FN(dp4a) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const bool sa = type_signed(x->type), sb = type_signed(x->stype);
    LANES {
        uint32_t r = pc[i];
        for (uint32_t k = 0; k < 4; k++)
            r += (uint32_t)(byte_of(pa[i], k, sa) * byte_of(pb[i], k, sb));
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
        uint32_t r = pc[i];
        for (uint32_t k = 0; k < 2; k++)
            r += (uint32_t)half_of(pa[i], k, sa) * (uint32_t)byte_of(pb[i], first + k, sb);
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
ISETP(isetp_eq, A == B)
ISETP(isetp_ne, A != B)
ISETP(isetp_lt_s, (int32_t)A < (int32_t)B)
ISETP(isetp_le_s, (int32_t)A <= (int32_t)B)
ISETP(isetp_gt_s, (int32_t)A > (int32_t)B)
ISETP(isetp_ge_s, (int32_t)A >= (int32_t)B)
ISETP(isetp_lt_u, A < B)
ISETP(isetp_le_u, A <= B)
ISETP(isetp_gt_u, A > B)
ISETP(isetp_ge_u, A >= B)

// Any width: values become 64-bit numbers whose signed order is the order asked for.
LANE_FN uint32_t compare_any(const struct exec_warp *w, const struct xinst *x, uint8_t type) {
    SOURCES2;
    const unsigned bits = type == ITYPE_U64 || type == ITYPE_S64 || type == ITYPE_B64 ? 64
                          : type_is16(type)                                           ? 16
                          : type == ITYPE_U8 || type == ITYPE_S8 || type == ITYPE_B8  ? 8
                                                                                      : 32;
    const bool is_signed = type_signed(type);
    uint32_t lt = 0, eq = 0;
    LANES {
        uint64_t a = pa[i], b = pb[i];
        if (bits == 64) {
            a |= (uint64_t)pa[i + 32] << 32;
            b |= (uint64_t)pb[i + 32] << 32;
        }
        const unsigned drop = 64 - bits;
        a <<= drop;
        b <<= drop;
        const uint64_t flip = is_signed ? 0 : (uint64_t)1 << 63;
        lt |= (int64_t)(a ^ flip) < (int64_t)(b ^ flip) ? lane_bit[i] : 0;
        eq |= a == b ? lane_bit[i] : 0;
    }
    switch (x->cmp) {
    case MCMP_EQ:
    case MCMP_EQU: return eq;
    case MCMP_NE:
    case MCMP_NEU: return ~eq;
    case MCMP_LT:
    case MCMP_LTU: return lt;
    case MCMP_LE:
    case MCMP_LEU: return lt | eq;
    case MCMP_GT:
    case MCMP_GTU: return ~(lt | eq);
    case MCMP_GE:
    case MCMP_GEU: return ~lt;
    default: return x->cmp == MCMP_NUM ? ~0u : 0;
    }
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
