// Integer operations that only machine code of real compilers has: sums of three with carries that
// are predicates, shifted sums, shifts of pairs by counts of any size, predicates as bits.
//
// Sources of what carries are: Mesa, src/nouveau/compiler/nak/ir.rs, whose folding its authors run
// against hardware: a negated word enters as its complement and one, so that zero, negated, carries;
// and ptxas's code for PTX's add.cc, sub.cc and mad, whose results PTX defines.
#include "exec/simd.h"

#define COMPLEMENT(k) (x->mods[k] & (OPND_NEG | OPND_NOT) ? ~0u : 0)
#define MINUS(k)      (x->mods[k] & OPND_NEG ? 1u : 0)

// The carry of a + b, and perhaps of a one more, as the top bit of a word: both top bits are set,
// or one is and that of the sum r is not.
#define CARRY_OF(a, b, r) (((a) & (b)) | (((a) | (b)) & ~(r)))

// ---- sums of three --------------------------------------------------------------------------
HANDLER32(iadd3, 3, A + B + C)

// What is added beside the three words: of carries and of the ones of negated words.
LANE_FN uint32_t more_of(uint32_t ones, uint32_t in, uint32_t in2, uint32_t i) {
    return ones + (LANE_IN(in) ? 1 : 0) + (LANE_IN(in2) ? 1 : 0);
}
FN(iadd3_x) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t na = COMPLEMENT(0), nb = COMPLEMENT(1), nc = COMPLEMENT(2);
    const uint32_t ones = MINUS(0) + MINUS(1) + MINUS(2);
    const uint32_t in = x_pred(w, x->e), in2 = x_pred(w, x->f);
    LANES {
        const uint32_t r = (pa[i] ^ na) + (pb[i] ^ nb) + (pc[i] ^ nc) + more_of(ones, in, in2, i);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(iadd3_c) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t na = COMPLEMENT(0), nb = COMPLEMENT(1), nc = COMPLEMENT(2);
    const uint32_t ones = MINUS(0) + MINUS(1) + MINUS(2);
    const uint32_t in = x_pred(w, x->e), in2 = x_pred(w, x->f);
    uint32_t once[WARP_LANES] __attribute__((aligned(64)));
    uint32_t twice[WARP_LANES] __attribute__((aligned(64)));
    LANES {
        const uint32_t a = pa[i] ^ na, b = pb[i] ^ nb, c = pc[i] ^ nc, ab = a + b, abc = ab + c;
        const uint32_t more = more_of(ones, in, in2, i), r = abc + more;
        const uint32_t c0 = CARRY_OF(a, b, ab), c1 = CARRY_OF(ab, c, abc);
        const uint32_t c2 = CARRY_OF(abc, more, r);
        once[i] = c0 | c1 | c2;
        twice[i] = (c0 & c1) | (c0 & c2) | (c1 & c2);
        pd[i] = PICK(r, pd[i]);
    }
    x_set_pred(w, x->d1, lanes_signs(once), mask);
    x_set_pred(w, x->d2, lanes_signs(twice), mask);
    return EXEC_NEXT;
}

// ---- shifted sums ---------------------------------------------------------------------------
// The word above A: C, or A's sign.
#define ABOVE (extends ? (uint32_t)((int32_t)pa[i] >> 31) : pc[i])
#define LEA_HI(more)                                                                               \
    UNUSED_ENV;                                                                                    \
    SOURCES3;                                                                                      \
    uint32_t *const pd = x_dst(w, x->d);                                                           \
    const uint32_t n = x->sub & 31;                                                                \
    const bool extends = x->aux8;                                                                  \
    LANES {                                                                                        \
        const uint32_t r = lane_shift_up(pa[i], ABOVE, n) + pb[i] + (more);                        \
        pd[i] = PICK(r, pd[i]);                                                                    \
    }                                                                                              \
    return EXEC_NEXT

FN(lea_hi) { LEA_HI(0); }
FN(lea_hi_x) {
    const uint32_t in = x_pred(w, x->e);
    LEA_HI(LANE_IN(in) ? 1 : 0);
}
FN(lea_c) {
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    uint32_t out[WARP_LANES] __attribute__((aligned(64)));
    LANES {
        const uint32_t a = lane_scale_add(pa[i], 0, x->sub), b = pb[i], r = a + b;
        out[i] = CARRY_OF(a, b, r);
        pd[i] = PICK(r, pd[i]);
    }
    x_set_pred(w, x->d1, lanes_signs(out), mask);
    return EXEC_NEXT;
}
FN(lea_g) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t n = x->sub & 31, na = COMPLEMENT(0), nb = COMPLEMENT(1);
    const uint32_t ones = MINUS(0) + MINUS(1), in = x_pred(w, x->e);
    const bool extends = x->aux8, high = x->flags & MF_HI;
    uint32_t out[WARP_LANES] __attribute__((aligned(64)));
    LANES {
        const uint32_t a = (high ? lane_shift_up(pa[i], ABOVE, n) : pa[i] << n) ^ na;
        const uint32_t b = pb[i] ^ nb, s = a + b, more = more_of(ones, in, 0, i), r = s + more;
        out[i] = CARRY_OF(a, b, s) | CARRY_OF(s, more, r);
        pd[i] = PICK(r, pd[i]);
    }
    x_set_pred(w, x->d1, lanes_signs(out), mask);
    return EXEC_NEXT;
}

// ---- products -------------------------------------------------------------------------------
HANDLER32(imsub, 3, A *B - C)

FN(imadx) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t nc = COMPLEMENT(2), ones = MINUS(2), in = x_pred(w, x->e);
    LANES {
        const uint32_t r = pa[i] * pb[i] + (pc[i] ^ nc) + more_of(ones, in, 0, i);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
// The sum of a whole product and a pair: both words of it or the high one.
#define PAIR_PRODUCT(name, product)                                                                \
    FN(name) {                                                                                     \
        UNUSED_ENV;                                                                                \
        SOURCES3;                                                                                  \
        uint32_t *const pd = x_dst(w, x->d);                                                       \
        const uint64_t nc = COMPLEMENT(2) ? ~0ull : 0;                                             \
        const uint32_t ones = MINUS(2), in = x_pred(w, x->e);                                      \
        const bool wide = x->flags & MF_WIDE;                                                      \
        uint32_t out[WARP_LANES] __attribute__((aligned(64)));                                     \
        LANES {                                                                                    \
            const uint64_t c = (pc[i] | (uint64_t)pc[i + 32] << 32) ^ nc, p = (product);           \
            const uint64_t s = p + c, more = more_of(ones, in, 0, i), r = s + more;                \
            out[i] = (uint32_t)((CARRY_OF(p, c, s) | CARRY_OF(s, more, r)) >> 32);                 \
            if (wide)                                                                              \
                STORE64(r);                                                                        \
            else                                                                                   \
                pd[i] = PICK((uint32_t)(r >> 32), pd[i]);                                          \
        }                                                                                          \
        x_set_pred(w, x->d1, lanes_signs(out), mask);                                              \
        return EXEC_NEXT;                                                                          \
    }
PAIR_PRODUCT(imadx_pair_s, (uint64_t)((int64_t)(int32_t)pa[i] * (int32_t)pb[i]))
PAIR_PRODUCT(imadx_pair_u, (uint64_t)pa[i] * pb[i])

// ---- shifts, bytes ----------------------------------------------------------------------------
FN(shf_pair) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const bool wrap = x->flags & MF_WRAP, left = x->flags & MF_LEFT, high = x->flags & MF_HI;
    const bool is_signed = x->type == ITYPE_S32 || x->type == ITYPE_S64;
    const uint32_t bits = x->type == ITYPE_S64 || x->type == ITYPE_U64 ? 64 : 32;
    LANES {
        const uint32_t r = lane_shift_pair(pa[i], pc[i], pb[i], bits, wrap, left, is_signed, high);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
// A permutation whose selector is the same in all lanes and spreads no sign.
FN(prmt_same) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t s = pc[0];
    const uint32_t n[4] = {(s & 3) * 8, (s >> 4 & 3) * 8, (s >> 8 & 3) * 8, (s >> 12 & 3) * 8};
    const uint32_t *const p0 = s & 4 ? pb : pa, *const p1 = s & 0x40 ? pb : pa;
    const uint32_t *const p2 = s & 0x400 ? pb : pa, *const p3 = s & 0x4000 ? pb : pa;
    LANES {
        const uint32_t r = lane_join_bytes(p0[i], p1[i], p2[i], p3[i], n);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}

// ---- comparisons, predicates ------------------------------------------------------------------
FN(isetp_ex) {
    UNUSED_ENV;
    SOURCES2;
    const uint32_t flip = x->type == ITYPE_S32 ? 0x80000000u : 0;
    const uint32_t lt = LANES_WHERE((pa[i] ^ flip) < (pb[i] ^ flip));
    const uint32_t eq = LANES_WHERE(pa[i] == pb[i]);
    uint32_t t;
    switch (x->cmp) {
    case MCMP_NUM: return setp_finish(w, x, mask, ~0u);
    case MCMP_NAN: return setp_finish(w, x, mask, 0);
    case MCMP_EQ: t = 0; break;
    case MCMP_NE: t = ~eq; break;
    case MCMP_LT:
    case MCMP_LE: t = lt; break;
    default: t = ~(lt | eq); break;
    }
    return setp_finish(w, x, mask, t | (eq & x_pred(w, x->e)));
}
FN(plop3) {
    UNUSED_ENV;
    const uint32_t a = x_pred(w, x->a), b = x_pred(w, x->b), c = x_pred(w, x->c);
    uint32_t t[8], u[8];
    lane_lop3_table(t, x->sub);
    lane_lop3_table(u, x->stype);
    x_set_pred(w, x->d, lane_lop3(t, a, b, c), mask);
    x_set_pred(w, x->d1, lane_lop3(u, a, b, c), mask);
    return EXEC_NEXT;
}
FN(plop3_sign) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t t[8], u[8];
    uint32_t p[WARP_LANES] __attribute__((aligned(64))), q[WARP_LANES] __attribute__((aligned(64)));
    lane_lop3_table(t, x->sub);
    lane_lop3_table(u, x->stype);
    LANES {
        p[i] = lane_lop3(t, pa[i], pb[i], pc[i]);
        q[i] = lane_lop3(u, pa[i], pb[i], pc[i]);
    }
    x_set_pred(w, x->d, lanes_signs(p), mask);
    x_set_pred(w, x->d1, lanes_signs(q), mask);
    return EXEC_NEXT;
}
FN(imnmx_p) {
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t min = x_pred(w, x->c), flip = x->type == ITYPE_S32 ? 0x80000000u : 0;
    LANES {
        const uint32_t a = pa[i], b = pb[i];
        const bool less = (a ^ flip) < (b ^ flip);
        const uint32_t low = less ? a : b, high = less ? b : a;
        const uint32_t r = LANE_IN(min) ? low : high;
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
// Of three, or of a sum and another; halves side by side apart.
FN(imnmx3) {
    UNUSED_ENV;
    SOURCES3;
    uint32_t *const pd = x_dst(w, x->d);
    const bool is_packed = x->type == ITYPE_U16X2 || x->type == ITYPE_S16X2;
    const bool is_signed = x->type == ITYPE_S32 || x->type == ITYPE_S16X2;
    const bool adds = x->bop, relu = x->flags & MF_RELU;
    const uint32_t min = x_pred(w, x->e);
    const uint32_t nb = x->mods[1] & OPND_NEG ? ~0u : 0, nc = x->mods[2] & OPND_NEG ? ~0u : 0;
    LANES {
        const uint32_t a = pa[i], b = lane_negate(pb[i], nb), c = lane_negate(pc[i], nc);
        const bool is_max = !LANE_IN(min);
        uint32_t first = is_packed ? lane_add16(a, b, 0, 0, true) : a + b;
        if (!adds)
            first = is_packed ? lane_minmax16(a, b, is_signed, is_max, false, true)
                              : lane_minmax(a, b, is_signed, is_max, false);
        const uint32_t r = is_packed ? lane_minmax16(first, c, is_signed, is_max, relu, true)
                                     : lane_minmax(first, c, is_signed, is_max, relu);
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(p2r_mask) {
    UNUSED_ENV;
    SOURCES2;
    uint32_t *const pd = x_dst(w, x->d);
    const uint32_t which = pb[0] & 127, at = 8u * x->sub;
    const uint32_t *const p = w->pred + x->aux8;
    LANES {
        uint32_t r = 0;
        for (uint32_t k = 0; k < PRED_TRUE; k++) r |= LANE_IN(p[k]) ? 1u << k : 0;
        r = (pa[i] & ~(which << at)) | (r & which) << at;
        pd[i] = PICK(r, pd[i]);
    }
    return EXEC_NEXT;
}
FN(r2p_mask) {
    UNUSED_ENV;
    SOURCES2;
    const uint32_t which = pb[0] & 127, at = 8u * x->sub;
    for (uint32_t k = 0; k < PRED_TRUE; k++) {
        if (!(which >> k & 1)) continue;
        uint32_t t = 0;
        LANES t |= pa[i] >> at >> k & 1 ? lane_bit[i] : 0;
        x_set_pred(w, x->aux8 + k, t, mask);
    }
    return EXEC_NEXT;
}
FN(vote_both) {
    UNUSED_ENV;
    const uint32_t p = x_pred(w, x->a) & mask;
    uint32_t *const pd = x_dst(w, x->d);
    LANES pd[i] = PICK(p, pd[i]);
    bool t = p != 0;
    if (x->sub == MVOTE_ALL) t = p == mask;
    if (x->sub == MVOTE_UNI) t = p == mask || p == 0;
    x_set_pred(w, x->d1, t ? ~0u : 0, mask);
    return EXEC_NEXT;
}
FN(r2ur) {
    UNUSED_ENV;
    const uint32_t *const pa = x_src(w, x->a);
    const uint32_t first = pa[bits_first32(mask)], before = x_pred(w, x->b);
    uint32_t *const pd = x_dst(w, x->d);
    uint32_t others = 0;
    LANES others |= pa[i] != first ? lane_bit[i] : 0;
    LANES pd[i] = PICK(pa[i], pd[i]);
    x_set_pred(w, x->d1, others | before, mask);
    return EXEC_NEXT;
}

const exec_fn AT_LEVEL(int_machine_fns)[] = {EXEC_INT_MACHINE_HANDLERS(HANDLER_ROW)};
