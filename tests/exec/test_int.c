// Integer operations against definitions that go bit by bit or through 128-bit numbers.
#include "test_ops.h"

typedef __int128 i128;
typedef unsigned __int128 u128;

static bool sgn(uint8_t t) { return t == ITYPE_S8 || t == ITYPE_S16 || t == ITYPE_S32 || t == ITYPE_S64; }
static i128 val(uint8_t t, uint64_t v) {
    const unsigned bits = isa_type_bits(t);
    const u128 m = (u128)v & (((u128)1 << bits) - 1);
    return sgn(t) && m >> (bits - 1) ? (i128)m - ((i128)1 << bits) : (i128)m;
}
static uint64_t cut(i128 v, unsigned bits) { return (uint64_t)((u128)v & (((u128)1 << bits) - 1)); }

#define R32(name)                                                                                  \
    static uint32_t name(const struct minst *m, uint32_t a, uint32_t b, uint32_t c, uint32_t e)
#define R64(name)                                                                                  \
    static uint64_t name(const struct minst *m, uint64_t a, uint64_t b, uint64_t c, uint64_t e)
#define UNUSED (void)m, (void)a, (void)b, (void)c, (void)e

R32(ref_iadd) {
    UNUSED;
    i128 x = val(m->type, a), y = val(m->type, b);
    if (m->src[0].mods & OPND_NEG) x = -x;
    if (m->src[1].mods & OPND_NEG) y = -y;
    i128 s = x + y;
    if (m->flags & MF_SAT) s = s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s;
    return (uint32_t)cut(s, 32);
}
static void add(void **state) {
    (void)state;
    const struct minst m =
        MI(.op = OP_IADD, .type = ITYPE_S32, .dst = {R(RES)}, .src = {R(RA), R(RB)});
    check32("iadd", m, ref_iadd, 60);
    struct minst n = m;
    n.src[1].mods = OPND_NEG;
    check32("isub", n, ref_iadd, 60);
    n.flags = MF_SAT;
    check32("isub.sat", n, ref_iadd, 60);
    n.src[1].mods = 0;
    check32("iadd.sat", n, ref_iadd, 60);
    n.flags = 0;
    n.src[0].mods = OPND_NEG;
    check32("rsub", n, ref_iadd, 60);
}
// Carry chains: the carry is that of a + b, or of a + ~b + 1 where b is subtracted.
static void carry(void **state) {
    (void)state;
    LEVELS(v) {
        for (uint32_t kind = 0; kind < 64; kind++) {
            const bool sub = kind & 1, in = kind & 2, imad = kind & 4, quiet = kind & 8;
            const bool hi = kind & 16, is_signed = kind & 32;
            if (!imad && (hi || is_signed || (quiet && !in))) continue;
            struct minst m =
                MI(.op = OP_IADD, .type = ITYPE_U32, .dst = {R(RES)}, .src = {R(RA), R(RB)});
            if (imad) m = MI(.op = OP_IMAD, .type = ITYPE_U32, .dst = {R(RES)}, .src = {ABC});
            m.type = is_signed ? ITYPE_S32 : ITYPE_U32;
            m.flags = hi ? MF_HI : 0u;
            if (!quiet) m.dst[1] = P(PRED_CARRY);
            if (in) m.src[isa_carry_source(&m)] = P(PRED_CARRY);
            m.src[imad ? 2 : 1].mods = sub ? OPND_NEG : 0;
            struct op_run *r = op_new(m);
            uint64_t seed = 99;
            for (uint32_t n = 0; n < 200; n++) {
                for (uint32_t i = 0; i < 32; i++) {
                    r->a.w[0][i] = edge32(&seed, n * 32 + i);
                    r->b.w[0][i] = edge32(&seed, (n * 32 + i) / 24);
                    r->c.w[0][i] = edge32(&seed, (n * 32 + i) / 3);
                }
                r->carry = (uint32_t)rnd64(&seed);
                const uint32_t mask = pick_mask(&seed, n);
                op_step(r, mask);
                for (uint32_t i = 0; i < 32; i++) {
                    const i128 p = val(m.type, r->a.w[0][i]) * val(m.type, r->b.w[0][i]);
                    const uint64_t x = imad ? (uint32_t)(hi ? p >> 32 : p) : r->a.w[0][i];
                    const uint64_t y = imad ? r->c.w[0][i] : r->b.w[0][i];
                    const uint64_t cin = in ? r->carry >> i & 1 : 0;
                    const i128 s = sub ? (i128)x - y - (in ? 1 - (i128)cin : 0) : (i128)x + y + cin;
                    const bool out = quiet ? r->carry >> i & 1 : sub ? s >= 0 : s >> 32 != 0;
                    if (mask >> i & 1) {
                        assert_int_equal(r->d.w[0][i], (uint32_t)s);
                        assert_int_equal(r->carry_out >> i & 1, out);
                    } else {
                        assert_int_equal(r->d.w[0][i], r->old.w[0][i]);
                        assert_int_equal(r->carry_out >> i & 1, r->carry >> i & 1);
                    }
                }
            }
            op_free(r);
        }
    }
    exec_simd_force(NULL);
}

R32(ref_imad) {
    UNUSED;
    const bool is16 = isa_type_bits(m->type) == 16;
    const i128 p = val(m->type, a) * val(m->type, b);
    const bool mad = m->op == OP_IMAD;
    i128 r = p;
    if (m->flags & MF_HI) {
        const i128 high16 =
            sgn(m->type) ? (i128)((int32_t)p >> 16) : (i128)((uint32_t)p >> 16);
        r = is16 ? high16 : p >> 32;
    }
    if (m->flags & MF_SAT) {
        r = (i128)(int32_t)(uint32_t)r + (int32_t)c;
        r = r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : r;
    } else if (mad) {
        r += c;
    }
    return (uint32_t)cut(r, 32);
}
static void multiply(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 4; k++) {
        static const uint8_t types[] = {ITYPE_S32, ITYPE_U32, ITYPE_S16, ITYPE_U16};
        for (uint32_t hi = 0; hi < 2; hi++) {
            const uint32_t f = hi ? MF_HI : 0;
            check32("imul",
                    MI(.op = OP_IMUL, .type = types[k], .flags = f, .dst = {R(RES)},
                       .src = {R(RA), R(RB)}),
                    ref_imad, 60);
            check32("imad",
                    MI(.op = OP_IMAD, .type = types[k], .flags = f, .dst = {R(RES)}, .src = {ABC}),
                    ref_imad, 60);
        }
    }
    check32(
        "mad.hi.sat",
        MI(.op = OP_IMAD, .type = ITYPE_S32, .flags = MF_HI | MF_SAT, .dst = {R(RES)}, .src = {ABC}),
        ref_imad, 200);
}
R64(ref_wide) {
    UNUSED;
    i128 r = val(m->type, (uint32_t)a) * val(m->type, (uint32_t)b);
    if (m->op == OP_IMAD) r += (m->src[2].mods & OPND_NEG) ? -(i128)c : (i128)c;
    return cut(r, 64);
}
static void multiply_wide(void **state) {
    (void)state;
    static const uint8_t types[] = {ITYPE_S32, ITYPE_U32};
    for (uint32_t k = 0; k < 2; k++) {
        struct minst m = MI(.op = OP_IMUL, .type = types[k], .flags = MF_WIDE, .dst = {RD(RES)},
                            .src = {R(RA), R(RB)});
        check64("mul.wide", m, ref_wide, 60);
        m.op = OP_IMAD;
        m.src[2] = RD(RC);
        check64("mad.wide", m, ref_wide, 60);
        m.src[2].mods = OPND_NEG;
        check64("mad.wide neg", m, ref_wide, 60);
    }
}
R32(ref_mul24) {
    UNUSED;
    const i128 x = sgn(m->type) ? (i128)((int32_t)(a << 8) >> 8) : (i128)(a & 0xffffff);
    const i128 y = sgn(m->type) ? (i128)((int32_t)(b << 8) >> 8) : (i128)(b & 0xffffff);
    const uint64_t p = cut(x * y, 48);
    uint32_t r = m->flags & MF_HI ? (uint32_t)(p >> 16) : (uint32_t)p;
    if (m->op == OP_IMAD24) {
        if (m->flags & MF_SAT) {
            const i128 s = (i128)(int32_t)r + (int32_t)c;
            return (uint32_t)(s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : (int32_t)s);
        }
        r += c;
    }
    return r;
}
static void multiply_24(void **state) {
    (void)state;
    static const uint8_t types[] = {ITYPE_S32, ITYPE_U32};
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t hi = 0; hi < 2; hi++) {
            struct minst m = MI(.op = OP_IMUL24, .type = types[k], .flags = hi ? MF_HI : 0,
                                .dst = {R(RES)}, .src = {R(RA), R(RB)});
            check32("mul24", m, ref_mul24, 60);
            m.op = OP_IMAD24;
            m.src[2] = R(RC);
            check32("mad24", m, ref_mul24, 60);
            if (k == 0 && hi) {
                m.flags |= MF_SAT;
                check32("mad24.hi.sat", m, ref_mul24, 100);
            }
        }
}
R32(ref_minmax) {
    UNUSED;
    uint32_t r = 0;
    const bool two = m->type == ITYPE_S16X2 || m->type == ITYPE_U16X2;
    const uint8_t t = m->type == ITYPE_S16X2 ? ITYPE_S16 : m->type == ITYPE_U16X2 ? ITYPE_U16 : m->type;
    const unsigned bits = isa_type_bits(t);
    for (uint32_t k = 0; k < (two ? 2 : 1); k++) {
        const i128 x = val(t, a >> (16 * k)), y = val(t, b >> (16 * k));
        i128 v = m->sub ? (x > y ? x : y) : (x < y ? x : y);
        if (m->flags & MF_RELU && v < 0) v = 0;
        r |= (uint32_t)cut(v, bits) << (16 * k);
    }
    return r;
}
static void min_max(void **state) {
    (void)state;
    static const uint8_t types[] = {ITYPE_S32, ITYPE_U32, ITYPE_S16, ITYPE_U16, ITYPE_S16X2, ITYPE_U16X2};
    for (uint32_t k = 0; k < WW_COUNT(types); k++)
        for (uint8_t sub = 0; sub < 2; sub++) {
            struct minst m = MI(.op = OP_IMNMX, .type = types[k], .sub = sub, .dst = {R(RES)},
                                .src = {R(RA), R(RB)});
            check32("imnmx", m, ref_minmax, 60);
            if (types[k] == ITYPE_S32 || types[k] == ITYPE_S16X2) {
                m.flags = MF_RELU;
                check32("imnmx.relu", m, ref_minmax, 60);
            }
        }
}
R32(ref_abs) {
    UNUSED;
    return (uint32_t)cut(val(m->type, a) < 0 ? -val(m->type, a) : val(m->type, a),
                         isa_type_bits(m->type));
}
R32(ref_sad) {
    UNUSED;
    const i128 x = val(m->type, a), y = val(m->type, b);
    return (uint32_t)cut((x < y ? y - x : x - y) + (i128)c, isa_type_bits(m->type));
}
R32(ref_scadd) {
    UNUSED;
    const uint32_t s = a << m->sub;
    return (m->src[0].mods & OPND_NEG ? -s : s) + b;
}
static void abs_sad_scadd(void **state) {
    (void)state;
    check32("iabs", MI(.op = OP_IABS, .type = ITYPE_S32, D1A(R(RES), R(RA))), ref_abs, 30);
    check32("iabs16", MI(.op = OP_IABS, .type = ITYPE_S16, D1A(R(RES), R(RA))), ref_abs, 30);
    static const uint8_t types[] = {ITYPE_S32, ITYPE_U32, ITYPE_S16, ITYPE_U16};
    for (uint32_t k = 0; k < 4; k++)
        check32("isad", MI(.op = OP_ISAD, .type = types[k], .dst = {R(RES)}, .src = {ABC}), ref_sad,
                60);
    struct minst m =
        MI(.op = OP_ISCADD, .type = ITYPE_S32, .sub = 5, .dst = {R(RES)}, .src = {R(RA), R(RB)});
    check32("iscadd", m, ref_scadd, 30);
    m.src[0].mods = OPND_NEG;
    check32("iscadd neg", m, ref_scadd, 30);
}
R32(ref_shift) {
    UNUSED;
    const unsigned bits = isa_type_bits(m->type);
    i128 v = val(m->type, a);
    for (uint32_t k = 0; k < (b > 70 ? 70 : b); k++) v = m->op == OP_SHL ? v * 2 : v >> 1;
    return (uint32_t)cut(v, bits);
}
R32(ref_shf) {
    UNUSED;
    const uint32_t n = m->flags & MF_WRAP ? c & 31 : c > 32 ? 32 : c;
    uint32_t lo = a, hi = b;
    for (uint32_t k = 0; k < n; k++) {
        if (m->flags & MF_LEFT) {
            hi = hi << 1 | lo >> 31;
            lo <<= 1;
        } else {
            lo = lo >> 1 | hi << 31;
            hi >>= 1;
        }
    }
    return m->flags & MF_LEFT ? hi : lo;
}
static void shifts(void **state) {
    (void)state;
    static const uint8_t types[] = {ITYPE_B32, ITYPE_S32, ITYPE_U32, ITYPE_B16, ITYPE_S16, ITYPE_U16};
    for (uint32_t k = 0; k < 6; k++) {
        if (k == 0 || k == 3)
            check32("shl",
                    MI(.op = OP_SHL, .type = types[k], .dst = {R(RES)}, .src = {R(RA), R(RB)}),
                    ref_shift, 60);
        check32("shr", MI(.op = OP_SHR, .type = types[k], .dst = {R(RES)}, .src = {R(RA), R(RB)}),
                ref_shift, 60);
    }
    for (uint32_t f = 0; f < 4; f++)
        check32("shf",
                MI(.op = OP_SHF, .type = ITYPE_B32,
                   .flags = (f & 1 ? MF_LEFT : 0) | (f & 2 ? MF_WRAP : 0), .dst = {R(RES)},
                   .src = {ABC}),
                ref_shf, 100);
}
R32(ref_lop) {
    UNUSED;
    if (m->src[0].mods & OPND_NOT) a = ~a;
    if (m->src[1].mods & OPND_NOT) b = ~b;
    return m->sub == MLOGIC_AND   ? a & b
           : m->sub == MLOGIC_OR  ? a | b
           : m->sub == MLOGIC_XOR ? a ^ b
                                  : b;
}
R32(ref_lop3) {
    UNUSED;
    uint32_t r = 0;
    for (uint32_t k = 0; k < 32; k++) {
        const uint32_t i = (a >> k & 1) * 4 + (b >> k & 1) * 2 + (c >> k & 1);
        r |= (uint32_t)(m->sub >> i & 1) << k;
    }
    return r;
}
static void logic(void **state) {
    (void)state;
    for (uint8_t sub = 0; sub < 4; sub++)
        for (uint8_t n = 0; n < 4; n++) {
            struct minst m = MI(.op = OP_LOP, .type = ITYPE_B32, .sub = sub, .dst = {R(RES)},
                                .src = {R(RA), R(RB)});
            if (n & 1) m.src[0].mods = OPND_NOT;
            if (n & 2) m.src[1].mods = OPND_NOT;
            check32("lop", m, ref_lop, 20);
        }
    for (uint32_t lut = 0; lut < 256; lut++)
        check32(
            "lop3",
            MI(.op = OP_LOP3, .type = ITYPE_B32, .sub = (uint8_t)lut, .dst = {R(RES)}, .src = {ABC}),
            ref_lop3, 3);
}
static void lop3_predicate(void **state) {
    (void)state;
    LEVELS(v) {
        for (uint8_t bop = MBOP_AND; bop <= MBOP_XOR; bop++)
            for (uint32_t no_word = 0; no_word < 2; no_word++) {
                struct minst m =
                    MI(.op = OP_LOP3, .type = ITYPE_B32, .sub = 0x80, .bop = bop,
                       .dst = {no_word ? NONE_ : R(RES), P(PD)}, .src = {ABC, P(PSRC)});
                struct op_run *r = op_new(m);
                uint64_t seed = 5;
                for (uint32_t n = 0; n < 20; n++) {
                    for (uint32_t i = 0; i < 32; i++) {
                        r->a.w[0][i] = rnd64(&seed) & 3;
                        r->b.w[0][i] = rnd64(&seed) & 3;
                        r->c.w[0][i] = rnd64(&seed) & 3;
                    }
                    r->psrc = (uint32_t)rnd64(&seed);
                    const uint32_t mask = pick_mask(&seed, n);
                    op_step(r, mask);
                    for (uint32_t i = 0; i < 32; i++) {
                        const uint32_t w = r->a.w[0][i] & r->b.w[0][i] & r->c.w[0][i];
                        const bool q = r->psrc >> i & 1, t = w != 0;
                        const bool want = bop == MBOP_AND  ? t && q
                                          : bop == MBOP_OR ? t || q
                                                           : t != q;
                        assert_int_equal(r->pd >> i & 1,
                                         mask >> i & 1 ? want : 0x5a5a5a5au >> i & 1);
                        assert_int_equal(r->d.w[0][i],
                                         !no_word && mask >> i & 1 ? w : r->old.w[0][i]);
                    }
                }
                op_free(r);
            }
    }
    exec_simd_force(NULL);
}
// PTX ISA's pseudo-code, bit by bit.
static uint64_t bfe_bits(uint64_t a, uint32_t b, uint32_t c, bool s, int msb) {
    const int pos = b & 0xff, len = c & 0xff;
    int last = pos + len - 1;
    if (last > msb) last = msb;
    const uint64_t fill = !s || len == 0 ? 0 : a >> last & 1;
    uint64_t d = 0;
    for (int i = 0; i <= msb; i++)
        d |= (i < len && pos + i <= msb ? a >> (pos + i) & 1 : fill) << i;
    return d;
}
static uint64_t bfi_bits(uint64_t a, uint64_t b, uint32_t c, uint32_t e, int msb) {
    const int pos = c & 0xff, len = e & 0xff;
    uint64_t f = b;
    for (int i = 0; i < len && pos + i <= msb; i++)
        f = (f & ~(1ull << (pos + i))) | (a >> i & 1) << (pos + i);
    return f;
}
R32(ref_bfe) {
    UNUSED;
    return (uint32_t)bfe_bits(a, b, c, sgn(m->type), 31);
}
R32(ref_bfi) {
    UNUSED;
    return (uint32_t)bfi_bits(a, b, c, e, 31);
}
R64(ref_bfe64) {
    UNUSED;
    return bfe_bits(a, (uint32_t)b, (uint32_t)c, sgn(m->type), 63);
}
R64(ref_bfi64) {
    UNUSED;
    return bfi_bits(a, b, (uint32_t)c, (uint32_t)e, 63);
}
static void fields(void **state) {
    (void)state;
    check32("bfe.u32", MI(.op = OP_BFE, .type = ITYPE_U32, .dst = {R(RES)}, .src = {ABC}), ref_bfe,
            400);
    check32("bfe.s32", MI(.op = OP_BFE, .type = ITYPE_S32, .dst = {R(RES)}, .src = {ABC}), ref_bfe,
            400);
    check32("bfi.b32", MI(.op = OP_BFI, .type = ITYPE_B32, .dst = {R(RES)}, .src = {ABC, R(RE)}),
            ref_bfi, 400);
    check64("bfe.u64",
            MI(.op = OP_BFE, .type = ITYPE_U64, .dst = {RD(RES)}, .src = {RD(RA), R(RB), R(RC)}),
            ref_bfe64, 400);
    check64("bfe.s64",
            MI(.op = OP_BFE, .type = ITYPE_S64, .dst = {RD(RES)}, .src = {RD(RA), R(RB), R(RC)}),
            ref_bfe64, 400);
    check64(
        "bfi.b64",
        MI(.op = OP_BFI, .type = ITYPE_B64, .dst = {RD(RES)}, .src = {RD(RA), RD(RB), R(RC), R(RE)}),
        ref_bfi64, 400);
}
static uint32_t find(uint64_t a, unsigned bits, bool s, bool shift) {
    if (s && a >> (bits - 1) & 1) a = ~a;
    for (int k = (int)bits - 1; k >= 0; k--)
        if (a >> k & 1) return shift ? bits - 1 - (uint32_t)k : (uint32_t)k;
    return ~0u;
}
R32(ref_flo) {
    UNUSED;
    return find(a, 32, sgn(m->type), m->flags & MF_SHIFTAMT);
}
R64(ref_flo64) {
    UNUSED;
    return find(a, 64, sgn(m->type), m->flags & MF_SHIFTAMT);
}
static uint64_t count(const struct minst *m, uint64_t a, unsigned bits) {
    uint32_t n = 0;
    uint64_t r = 0;
    if (m->op == OP_CLZ) {
        while (n < bits && !(a >> (bits - 1 - n) & 1)) n++;
        return n;
    }
    for (unsigned k = 0; k < bits; k++) {
        n += a >> k & 1;
        r |= (a >> k & 1) << (bits - 1 - k);
    }
    return m->op == OP_BREV ? r : n;
}
R32(ref_count) {
    UNUSED;
    return (uint32_t)count(m, a, 32);
}
R64(ref_count64) {
    UNUSED;
    return count(m, a, 64);
}
R32(ref_fns) {
    UNUSED;
    uint32_t d = 0xffffffff;
    const int32_t offset = (int32_t)c;
    if (offset == 0) {
        if (b < 32 && (a >> b & 1) == 1) d = b;
    } else {
        int64_t pos = b, n = (offset > 0 ? (int64_t)offset : -(int64_t)offset) - 1;
        const int inc = offset > 0 ? 1 : -1;
        while (pos >= 0 && pos < 32) {
            if (a >> pos & 1) {
                if (n == 0) {
                    d = (uint32_t)pos;
                    break;
                }
                n--;
            }
            pos += inc;
        }
    }
    return d;
}
static void bits(void **state) {
    (void)state;
    for (uint32_t f = 0; f < 2; f++) {
        const uint32_t flags = f ? MF_SHIFTAMT : 0;
        check32("flo.u", MI(.op = OP_FLO, .type = ITYPE_U32, .flags = flags, D1A(R(RES), R(RA))),
                ref_flo, 40);
        check32("flo.s", MI(.op = OP_FLO, .type = ITYPE_S32, .flags = flags, D1A(R(RES), R(RA))),
                ref_flo, 40);
        check64("flo.u64", MI(.op = OP_FLO, .type = ITYPE_U64, .flags = flags, D1A(R(RES), RD(RA))),
                ref_flo64, 40);
        check64("flo.s64", MI(.op = OP_FLO, .type = ITYPE_S64, .flags = flags, D1A(R(RES), RD(RA))),
                ref_flo64, 40);
    }
    static const uint16_t ops[] = {OP_BREV, OP_POPC, OP_CLZ};
    for (uint32_t k = 0; k < 3; k++) {
        check32("count", MI(.op = ops[k], .type = ITYPE_B32, D1A(R(RES), R(RA))), ref_count, 60);
        check64("count64", MI(.op = ops[k], .type = ITYPE_B64, D1A(k ? R(RES) : RD(RES), RD(RA))),
                ref_count64, 60);
    }
    check32("fns", MI(.op = OP_FNS, .type = ITYPE_B32, .dst = {R(RES)}, .src = {ABC}), ref_fns, 300);
}
R32(ref_prmt) {
    UNUSED;
    static const char *const tables[7][4] = {[MPRMT_F4E] = {"3210", "4321", "5432", "6543"},
                                             [MPRMT_B4E] = {"5670", "6701", "7012", "0123"},
                                             [MPRMT_RC8] = {"0000", "1111", "2222", "3333"},
                                             [MPRMT_ECL] = {"3210", "3211", "3222", "3333"},
                                             [MPRMT_ECR] = {"0000", "1110", "2210", "3210"},
                                             [MPRMT_RC16] = {"1010", "3232", "1010", "3232"}};
    uint8_t from[8];
    memcpy(from, &a, 4);
    memcpy(from + 4, &b, 4);
    uint8_t out[4];
    for (uint32_t k = 0; k < 4; k++) {
        if (m->sub == MPRMT_INDEX) {
            const uint32_t s = c >> (4 * k) & 15;
            out[k] = from[s & 7];
            if (s & 8) out[k] = out[k] & 0x80 ? 0xff : 0;
        } else {
            out[k] = from[tables[m->sub][c & 3][3 - k] - '0'];
        }
    }
    uint32_t r;
    memcpy(&r, out, 4);
    return r;
}
R32(ref_bmsk) {
    UNUSED;
    const uint32_t p = m->flags & MF_WRAP ? a & 31
                       : a > 32           ? 32
                                          : a,
                   n = m->flags & MF_WRAP ? b & 31
                       : b > 32           ? 32
                                          : b;
    uint32_t r = 0;
    for (uint32_t k = p; k < p + n && k < 32; k++) r |= 1u << k;
    return r;
}
R32(ref_szext) {
    UNUSED;
    const uint32_t n = m->flags & MF_WRAP ? b & 31 : b > 32 ? 32 : b;
    if (!n) return 0;
    const u128 low = (u128)a & (((u128)1 << n) - 1);
    i128 v = (i128)low;
    if (sgn(m->type) && low >> (n - 1) & 1) v -= (i128)1 << n;
    return (uint32_t)cut(v, 32);
}
static void bytes(void **state) {
    (void)state;
    for (uint8_t sub = 0; sub <= MPRMT_RC16; sub++)
        check32("prmt",
                MI(.op = OP_PRMT, .type = ITYPE_B32, .sub = sub, .dst = {R(RES)}, .src = {ABC}),
                ref_prmt, 60);
    for (uint32_t w = 0; w < 2; w++) {
        const uint32_t f = w ? MF_WRAP : 0;
        check32(
            "bmsk",
            MI(.op = OP_BMSK, .type = ITYPE_B32, .flags = f, .dst = {R(RES)}, .src = {R(RA), R(RB)}),
            ref_bmsk, 60);
        check32(
            "szext.u",
            MI(.op = OP_SZEXT, .type = ITYPE_U32, .flags = f, .dst = {R(RES)}, .src = {R(RA), R(RB)}),
            ref_szext, 60);
        check32(
            "szext.s",
            MI(.op = OP_SZEXT, .type = ITYPE_S32, .flags = f, .dst = {R(RES)}, .src = {R(RA), R(RB)}),
            ref_szext, 60);
    }
}
R32(ref_dp) {
    UNUSED;
    i128 r = c;
    if (m->op == OP_DP4A)
        for (int k = 0; k < 4; k++)
            r += val(sgn(m->type) ? ITYPE_S8 : ITYPE_U8, a >> 8 * k) *
                 val(sgn(m->stype) ? ITYPE_S8 : ITYPE_U8, b >> 8 * k);
    else
        for (int k = 0; k < 2; k++)
            r += val(sgn(m->type) ? ITYPE_S16 : ITYPE_U16, a >> 16 * k) *
                 val(sgn(m->stype) ? ITYPE_S8 : ITYPE_U8, b >> (8 * k + (m->flags & MF_HI ? 16 : 0)));
    return (uint32_t)cut(r, 32);
}
static void dots(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 4; k++) {
        struct minst m = MI(.op = OP_DP4A, .type = k & 1 ? ITYPE_S32 : ITYPE_U32,
                            .stype = k & 2 ? ITYPE_S32 : ITYPE_U32, .dst = {R(RES)}, .src = {ABC});
        check32("dp4a", m, ref_dp, 60);
        m.op = OP_DP2A;
        check32("dp2a.lo", m, ref_dp, 60);
        m.flags = MF_HI;
        check32("dp2a.hi", m, ref_dp, 60);
    }
}
R32(ref_div) {
    UNUSED;
    const unsigned n = isa_type_bits(m->type);
    const i128 x = val(m->type, a), y = val(m->type, b);
    if (y == 0) return (uint32_t)cut(m->op == OP_IREM ? x : -1, n);
    return (uint32_t)cut(m->op == OP_IREM ? x % y : x / y, n);
}
R64(ref_div64) {
    UNUSED;
    const i128 x = val(m->type, a), y = val(m->type, b);
    if (y == 0) return m->op == OP_IREM ? a : ~0ull;
    return cut(m->op == OP_IREM ? x % y : x / y, 64);
}
static void division(void **state) {
    (void)state;
    static const uint8_t types[] = {ITYPE_S32, ITYPE_U32, ITYPE_S16, ITYPE_U16};
    for (uint16_t op = OP_IDIV; op <= OP_IREM; op++) {
        for (uint32_t k = 0; k < 4; k++)
            check32("div", MI(.op = op, .type = types[k], .dst = {R(RES)}, .src = {R(RA), R(RB)}),
                    ref_div, 500);
        check64("div.s64", MI(.op = op, .type = ITYPE_S64, .dst = {RD(RES)}, .src = {RD(RA), RD(RB)}),
                ref_div64, 200);
        check64("div.u64", MI(.op = op, .type = ITYPE_U64, .dst = {RD(RES)}, .src = {RD(RA), RD(RB)}),
                ref_div64, 200);
    }
}
R64(ref_long) {
    UNUSED;
    const i128 x = val(m->type, a), y = val(m->type, b);
    switch (m->op) {
    case OP_IADD64:
        return cut((m->src[0].mods & OPND_NEG ? -x : x) + (m->src[1].mods & OPND_NEG ? -y : y), 64);
    case OP_IMUL64:
    case OP_IMAD64: {
        // High half through 32-bit limbs of magnitudes.
        const bool neg = (x < 0) != (y < 0);
        const u128 ux = (u128)(x < 0 ? -x : x), uy = (u128)(y < 0 ? -y : y);
        u128 lo = (ux & 0xffffffffu) * uy, hi = (ux >> 32) * uy + (lo >> 32);
        u128 low = (lo & 0xffffffffu) | (hi & 0xffffffffu) << 32, high = hi >> 32;
        if (neg) {
            low = (u128)(uint64_t)(~(uint64_t)low + 1);
            high = ~high + (low == 0);
        }
        const uint64_t r = (uint64_t)(m->flags & MF_HI ? high : low);
        return m->op == OP_IMAD64 ? r + c : r;
    }
    case OP_IMNMX64: return cut(m->sub ? (x > y ? x : y) : (x < y ? x : y), 64);
    case OP_IABS64: return cut(x < 0 ? -x : x, 64);
    case OP_ISAD64: return cut((x < y ? y - x : x - y) + (i128)c, 64);
    case OP_SHL64: return (uint32_t)b > 63 ? 0 : a << (uint32_t)b;
    default: {
        i128 v = x;
        for (uint32_t k = 0; k < ((uint32_t)b > 70 ? 70 : (uint32_t)b); k++) v >>= 1;
        return cut(v, 64);
    }
    }
}
static void longs(void **state) {
    (void)state;
    static const uint8_t types[] = {ITYPE_S64, ITYPE_U64};
    for (uint32_t k = 0; k < 2; k++) {
        const uint8_t t = types[k];
        struct minst m =
            MI(.op = OP_IADD64, .type = t, .dst = {RD(RES)}, .src = {RD(RA), RD(RB), RD(RC)});
        check64("iadd64", m, ref_long, 60);
        m.src[1].mods = OPND_NEG;
        check64("isub64", m, ref_long, 60);
        m.src[1].mods = 0;
        static const uint16_t ops[] = {OP_IMUL64, OP_IMAD64, OP_ISAD64, OP_IABS64};
        for (uint32_t o = 0; o < (k ? 3 : 4); o++) {
            m.op = ops[o];
            check64("long op", m, ref_long, 60);
        }
        for (uint16_t o = OP_IMUL64; o <= OP_IMAD64; o++) {
            m.op = o;
            m.flags = MF_HI;
            check64("mul.hi.64", m, ref_long, 100);
        }
        m.flags = 0;
        for (uint8_t s = 0; s < 2; s++) {
            m.op = OP_IMNMX64;
            m.sub = s;
            check64("minmax64", m, ref_long, 60);
        }
        m.src[1] = R(RB);
        m.op = OP_SHL64;
        check64("shl64", m, ref_long, 60);
        m.op = OP_SHR64;
        check64("shr64", m, ref_long, 60);
    }
}
static bool cmp_int(i128 x, i128 y, uint8_t c) {
    switch (c) {
    case MCMP_EQ: return x == y;
    case MCMP_NE: return x != y;
    case MCMP_LT: return x < y;
    case MCMP_LE: return x <= y;
    case MCMP_GT: return x > y;
    default: return x >= y;
    }
}
static void compares(void **state) {
    (void)state;
    static const uint8_t types[] = {ITYPE_S32, ITYPE_U32, ITYPE_B32, ITYPE_S16, ITYPE_U16, ITYPE_S64, ITYPE_U64};
    LEVELS(v) {
        for (uint32_t t = 0; t < WW_COUNT(types); t++)
            for (uint8_t c = MCMP_EQ; c <= MCMP_GE; c++)
                for (uint8_t bop = MBOP_NONE; bop <= MBOP_XOR; bop++)
                    for (uint32_t inv = 0; inv < 2; inv++) {
                        const bool wide = isa_type_bits(types[t]) == 64;
                        struct minst m = MI(.op = OP_ISETP, .type = types[t], .cmp = c, .bop = bop,
                                            .flags = MF_CMP3, .dst = {P(PD), P(PQ)},
                                            .src = {wide ? RD(RA) : R(RA), wide ? RD(RB) : R(RB),
                                                    bop ? P(PSRC) : NONE_});
                        if (inv && !bop) continue;
                        if (inv) m.src[2].mods = OPND_NOT;
                        struct op_run *r = op_new(m);
                        uint64_t seed = 3 + t;
                        for (uint32_t n = 0; n < 12; n++) {
                            for (uint32_t i = 0; i < 32; i++) {
                                set_lane64(&r->a, i,
                                           wide ? edge64(&seed, n * 32 + i)
                                                : edge32(&seed, n * 32 + i));
                                set_lane64(&r->b, i,
                                           rnd64(&seed) & 1 ? lane64(&r->a, i)
                                           : wide           ? edge64(&seed, 999)
                                                            : edge32(&seed, 9999));
                            }
                            r->psrc = (uint32_t)rnd64(&seed);
                            const uint32_t mask = pick_mask(&seed, n);
                            op_step(r, mask);
                            for (uint32_t i = 0; i < 32; i++) {
                                const bool x = cmp_int(val(types[t], lane64(&r->a, i)),
                                                       val(types[t], lane64(&r->b, i)), c);
                                const bool q = (r->psrc >> i & 1) != inv;
                                const bool wp = bop == MBOP_AND   ? x && q
                                                : bop == MBOP_OR  ? x || q
                                                : bop == MBOP_XOR ? x != q
                                                                  : x;
                                const bool wq = bop == MBOP_AND   ? !x && q
                                                : bop == MBOP_OR  ? !x || q
                                                : bop == MBOP_XOR ? (!x) != q
                                                                  : !x;
                                const bool in = mask >> i & 1;
                                assert_int_equal(r->pd >> i & 1, in ? wp : 0x5a5a5a5au >> i & 1);
                                assert_int_equal(r->pq >> i & 1, in ? wq : 0x5a5a5a5au >> i & 1);
                            }
                        }
                        op_free(r);
                    }
    }
    exec_simd_force(NULL);
}
R32(ref_iset) {
    UNUSED;
    return cmp_int(val(m->stype, a), val(m->stype, b), m->cmp)
               ? m->flags & MF_BOOLF ? 0x3f800000u : ~0u
               : 0;
}
R32(ref_slct) {
    UNUSED;
    if (m->stype == ITYPE_S32) return (int32_t)c >= 0 ? a : b;
    const bool nan = (c & 0x7fffffff) > 0x7f800000u, sub = !(c & 0x7f800000u);
    if (nan) return b;
    if (c == 0x80000000u || (sub && m->flags & MF_FTZ)) return a;
    return c >> 31 ? b : a;
}
static void select_set(void **state) {
    (void)state;
    for (uint8_t c = MCMP_EQ; c <= MCMP_GE; c++) {
        check32("iset",
                MI(.op = OP_ISET, .type = ITYPE_U32, .stype = ITYPE_S32, .cmp = c, .dst = {R(RES)},
                   .src = {R(RA), R(RB)}),
                ref_iset, 40);
        check32("iset.f32",
                MI(.op = OP_ISET, .type = ITYPE_F32, .stype = ITYPE_U16, .cmp = c, .flags = MF_BOOLF,
                   .dst = {R(RES)}, .src = {R(RA), R(RB)}),
                ref_iset, 40);
    }
    check32("slct.s32",
            MI(.op = OP_SLCT, .type = ITYPE_B32, .stype = ITYPE_S32, .dst = {R(RES)}, .src = {ABC}),
            ref_slct, 60);
    check32("slct.f32",
            MI(.op = OP_SLCT, .type = ITYPE_B32, .stype = ITYPE_F32, .dst = {R(RES)}, .src = {ABC}),
            ref_slct, 200);
    check32("slct.ftz",
            MI(.op = OP_SLCT, .type = ITYPE_B32, .stype = ITYPE_F32, .flags = MF_FTZ, .dst = {R(RES)},
               .src = {ABC}),
            ref_slct, 200);
}
// 16-bit operations, all pairs of a byte-like subset and every single operand.
static void exhaustive_16(void **state) {
    (void)state;
    struct op_run *r = op_new(MI(.op = OP_IABS, .type = ITYPE_S16, D1A(R(RES), R(RA))));
    struct op_run *s =
        op_new(MI(.op = OP_SHR, .type = ITYPE_S16, .dst = {R(RES)}, .src = {R(RA), I(3)}));
    struct op_run *q =
        op_new(MI(.op = OP_IDIV, .type = ITYPE_S16, .dst = {R(RES)}, .src = {R(RA), R(RB)}));
    for (uint32_t n = 0; n < 65536; n += 32) {
        for (uint32_t i = 0; i < 32; i++) {
            r->a.w[0][i] = s->a.w[0][i] = q->a.w[0][i] = (n + i) | 0xabcd0000u;
            q->b.w[0][i] = (n * 7 + i * 31) & 0xffff;
        }
        op_step(r, ~0u);
        op_step(s, ~0u);
        op_step(q, ~0u);
        for (uint32_t i = 0; i < 32; i++) {
            const int16_t v = (int16_t)(n + i), y = (int16_t)q->b.w[0][i];
            assert_int_equal(r->d.w[0][i] & 0xffff, (uint16_t)(v < 0 ? -v : v));
            assert_int_equal(s->d.w[0][i] & 0xffff, (uint16_t)(v >> 3));
            assert_int_equal(q->d.w[0][i] & 0xffff, (uint16_t)(y ? v / y : -1));
        }
    }
    op_free(r);
    op_free(s);
    op_free(q);
}

// Operands of every kind, guards of both polarities.
static void operands_and_guards(void **state) {
    (void)state;
    LEVELS(v) {
        struct prog *p = prog_new();
        p->params[0] = 0x1111222233334444ull;
        const uint32_t lit = 0xcafef00d;
        memcpy(p->literals + 8, &lit, 4);
        emit(p, OP_MOV, ITYPE_B32, R(1), I(5), NONE_, NONE_);
        emit(p, OP_MOV, ITYPE_B32, R(2), C0(CB0_PARAMS, 1), NONE_, NONE_);
        emit(p, OP_MOV, ITYPE_B64, RD(4), C0(CB0_PARAMS, 2), NONE_, NONE_);
        emit(p, OP_MOV, ITYPE_B32, R(6),
             ((struct opnd){.kind = OPND_CONST, .words = 1, .bank = CB_LITERAL, .reg = 8}), NONE_,
             NONE_);
        emit(p, OP_MOV, ITYPE_B32, R(7), C0(CB0_NTID_X, 1), NONE_, NONE_);
        emit(p, OP_S2R, ITYPE_U32, R(0), NONE_, NONE_, NONE_)->aux = SREG_laneid;
        struct minst *m = emit(p, OP_ISETP, ITYPE_U32, P(1), R(0), I(16), NONE_);
        m->cmp = MCMP_LT;
        m = emit(p, OP_MOV, ITYPE_B32, R(8), I(100), NONE_, NONE_);
        m->guard = 1;
        m = emit(p, OP_MOV, ITYPE_B32, R(8), I(200), NONE_, NONE_);
        m->guard = 1;
        m->guard_not = true;
        m = emit(p, OP_MOV, ITYPE_B32, R(9), I(1), NONE_, NONE_); // never
        m->guard_not = true;
        m = emit(p, OP_SEL, ITYPE_B32, R(10), I(7), I(8), P(1));
        m = emit(p, OP_SEL, ITYPE_B64, RD(12), ID(1ull << 40), RD(4), NOT(P(1)));
        m = emit(p, OP_PSETP, ITYPE_PRED, P(2), P(1), NOT(P(PRED_TRUE)), NONE_);
        m->sub = MLOGIC_OR;
        m = emit(p, OP_PSETP, ITYPE_PRED, P(4), NOT(P(1)), NONE_, NONE_);
        emit(p, OP_P2R, ITYPE_B32, R(14), NONE_, NONE_, NONE_);
        emit(p, OP_LOP, ITYPE_B32, R(15), R(14), I(0xff), NONE_)->sub = MLOGIC_XOR;
        emit(p, OP_R2P, ITYPE_B32, NONE_, R(15), I(0x96), NONE_);
        emit(p, OP_P2R, ITYPE_B32, R(16), NONE_, NONE_, NONE_);
        emit_exit(p);
        prog_start(p);
        assert_int_equal(run_warp0(p), EXEC_EXITED);
        for (uint32_t i = 0; i < 32; i++) {
            assert_int_equal(reg(p, 1)[i], 5);
            assert_int_equal(reg(p, 2)[i], 0x33334444);
            assert_int_equal(get64(p, 4, i), 0x1111222233334444ull);
            assert_int_equal(reg(p, 6)[i], 0xcafef00d);
            assert_int_equal(reg(p, 7)[i], 32);
            assert_int_equal(reg(p, 8)[i], i < 16 ? 100 : 200);
            assert_int_equal(reg(p, 9)[i], 0);
            assert_int_equal(reg(p, 10)[i], i < 16 ? 7 : 8);
            assert_int_equal(get64(p, 12, i), i < 16 ? 0x1111222233334444ull : 1ull << 40);
            const uint32_t preds = i < 16 ? 0x06 : 0x10;
            assert_int_equal(reg(p, 14)[i], preds);
            const uint32_t other = preds ^ 0xff;
            assert_int_equal(reg(p, 16)[i], ((preds & ~0x96u) | (other & 0x96)) & 0x7f);
        }
        assert_int_equal(warp0(p)->pred[7], ~0u);
        prog_free(p);
    }
    exec_simd_force(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_and_guards),
        cmocka_unit_test(add),
        cmocka_unit_test(carry),
        cmocka_unit_test(multiply),
        cmocka_unit_test(multiply_wide),
        cmocka_unit_test(multiply_24),
        cmocka_unit_test(min_max),
        cmocka_unit_test(abs_sad_scadd),
        cmocka_unit_test(shifts),
        cmocka_unit_test(logic),
        cmocka_unit_test(lop3_predicate),
        cmocka_unit_test(fields),
        cmocka_unit_test(bits),
        cmocka_unit_test(bytes),
        cmocka_unit_test(dots),
        cmocka_unit_test(division),
        cmocka_unit_test(longs),
        cmocka_unit_test(compares),
        cmocka_unit_test(select_set),
        cmocka_unit_test(exhaustive_16),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
