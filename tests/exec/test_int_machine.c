// Integer operations that only machine code of real compilers has, against sums in 128 bits and
// definitions that go bit by bit.
#include "test_ops.h"

typedef __int128 i128;
typedef unsigned __int128 u128;

// What goes in and comes out in one lane: predicates E and F (P4, P5), PSRC (P2), results P0, P1, P6.
enum { PE = 4, PF = 5, PR = 6 };
struct in {
    uint64_t a, b, c;
    bool e, f, s;
};
struct out {
    uint64_t d;
    bool p, q, r;
};
typedef void machine_fn(const struct minst *m, const struct in *in, struct out *out);

static void check_lane(const char *what, const struct minst *m, const struct op_run *r,
                       const struct in *in, const struct out *want, uint32_t i) {
    struct exec_warp *const w = warp0(r->p);
    const bool got[3] = {r->pd >> i & 1, r->pq >> i & 1, w->pred[PR] >> i & 1};
    const bool preds[3] = {want->p, want->q, want->r};
    const uint64_t keep = m->dst[0].kind != OPND_GPR ? 0
                          : m->dst[0].words == 2     ? ~0ull
                                                     : UINT32_MAX;
    bool same = ((lane64(&r->d, i) ^ want->d) & keep) == 0;
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t number[3] = {PD, PQ, PR};
        for (uint32_t d = 0; d < MINST_DSTS; d++)
            if (m->dst[d].kind == OPND_PRED && m->dst[d].reg == number[k])
                same &= got[k] == preds[k];
    }
    if (same) return;
    fail_msg("%s at %s: a %llx b %llx c %llx e %d f %d s %d gives %llx %d %d %d, not %llx %d %d %d",
             what, exec_simd_level(), (unsigned long long)in->a, (unsigned long long)in->b,
             (unsigned long long)in->c, in->e, in->f, in->s, (unsigned long long)lane64(&r->d, i),
             got[0], got[1], got[2], (unsigned long long)want->d, want->p, want->q, want->r);
}
static void check_machine(const char *what, struct minst m, machine_fn *ref, uint32_t rounds) {
    LEVELS(v) {
        uint64_t seed = 0x2468ace;
        struct op_run *r = op_new(m);
        struct exec_warp *const w = warp0(r->p);
        for (uint32_t n = 0; n < rounds; n++) {
            for (uint32_t i = 0; i < 32; i++) {
                const uint32_t k = n * 32 + i;
                set_lane64(&r->a, i, edge32(&seed, k / 24) | (uint64_t)edge32(&seed, k / 3) << 32);
                set_lane64(&r->b, i, edge32(&seed, k) | (uint64_t)edge32(&seed, k / 5) << 32);
                set_lane64(&r->c, i,
                           edge32(&seed, k / 7 + 3) | (uint64_t)edge32(&seed, k / 2) << 32);
            }
            r->psrc = (uint32_t)rnd64(&seed);
            const uint32_t e = w->pred[PE] = (uint32_t)rnd64(&seed);
            const uint32_t f = w->pred[PF] = (uint32_t)rnd64(&seed);
            w->pred[PR] = 0x5a5a5a5au;
            const uint32_t mask = pick_mask(&seed, n);
            op_step(r, mask);
            for (uint32_t i = 0; i < 32; i++) {
                const struct in in = {lane64(&r->a, i), lane64(&r->b, i), lane64(&r->c, i),
                                      e >> i & 1,       f >> i & 1,       r->psrc >> i & 1};
                const bool old = 0x5a5a5a5au >> i & 1;
                struct out want = {lane64(&r->old, i), old, old, old};
                if (mask >> i & 1) ref(&m, &in, &want);
                check_lane(what, &m, r, &in, &want, i);
            }
        }
        op_free(r);
    }
    exec_simd_force(NULL);
}

// ---- sums -------------------------------------------------------------------------------------
// A source of `bits` bits as it enters a sum: complemented, and one more when it is negated.
static u128 term(const struct opnd *o, uint64_t v, unsigned bits) {
    const u128 all = ((u128)1 << bits) - 1, x = (o->kind == OPND_ZERO ? 0 : (u128)v) & all;
    return o->mods & OPND_NEG ? (~x & all) + 1 : o->mods & OPND_NOT ? ~x & all : x;
}
static bool carry_in(const struct opnd *o, const struct in *in) {
    if (o->kind == OPND_NONE) return false;
    return (o->reg == PE ? in->e : in->f) != !!(o->mods & OPND_NOT);
}
static void ref_iadd3(const struct minst *m, const struct in *in, struct out *out) {
    const u128 s = term(&m->src[0], in->a, 32) + term(&m->src[1], in->b, 32) +
                   term(&m->src[2], in->c, 32) + carry_in(&m->src[3], in) +
                   carry_in(&m->src[4], in);
    out->d = (uint32_t)s;
    out->q = s >= (u128)1 << 32;
    out->r = s >= (u128)2 << 32;
}
static void iadd3(void **state) {
    (void)state;
    static const uint8_t mods[] = {0, OPND_NEG, OPND_NOT};
    for (uint32_t k = 0; k < 27 * 16; k++) {
        const uint32_t kind = k / 27;
        struct minst m = MI(.op = OP_IADD3, .type = ITYPE_U32, .dst = {R(RES)}, .src = {ABC});
        m.src[0].mods = mods[k % 3];
        m.src[1].mods = mods[k / 3 % 3];
        m.src[2].mods = mods[k / 9 % 3];
        if (kind & 1) m.dst[1] = P(PQ);
        if (kind & 2) m.dst[2] = P(PR);
        if (kind & 4) m.src[3] = P(PE);
        if ((kind & 12) == 12) m.src[4] = NOT(P(PF));
        if ((kind & 12) == 8)
            m.src[2] = (struct opnd){.kind = OPND_ZERO, .words = 1, .mods = m.src[2].mods};
        check_machine("iadd3", m, ref_iadd3, 24);
    }
}
static void ref_lea(const struct minst *m, const struct in *in, struct out *out) {
    const uint64_t top =
        m->src[2].kind == OPND_NONE ? ((uint32_t)in->a >> 31 ? UINT32_MAX : 0) : (uint32_t)in->c;
    const u128 v = (u128)((uint32_t)in->a | top << 32) << m->sub;
    const uint64_t shifted = (uint32_t)(m->flags & MF_HI ? v >> 32 : v);
    const u128 s =
        term(&m->src[0], shifted, 32) + term(&m->src[1], in->b, 32) + carry_in(&m->src[3], in);
    out->d = (uint32_t)s;
    out->q = s >= (u128)1 << 32;
}
static void lea(void **state) {
    (void)state;
    static const uint8_t mods[] = {0, OPND_NEG, OPND_NOT};
    for (uint32_t k = 0; k < 9 * 16; k++) {
        const uint32_t kind = k / 9;
        struct minst m =
            MI(.op = OP_LEA, .type = ITYPE_U32, .dst = {R(RES)}, .src = {R(RA), R(RB)});
        m.src[0].mods = mods[k % 3];
        m.src[1].mods = mods[k / 3 % 3];
        if (kind & 1) m.flags = MF_HI;
        if ((kind & 3) == 3) m.src[2] = R(RC);
        if (kind & 4) m.dst[1] = P(PQ);
        if (kind & 8) m.src[3] = P(PE);
        for (uint32_t shift = 0; shift < 32; shift += shift == 4 || shift == 17 ? 13 : 1) {
            m.sub = (uint8_t)shift;
            check_machine("lea", m, ref_lea, 20);
        }
    }
}

// ---- products ---------------------------------------------------------------------------------
static void ref_imadx(const struct minst *m, const struct in *in, struct out *out) {
    const bool pair = m->flags & (MF_WIDE | MF_HI), is_signed = m->type == ITYPE_S32;
    const i128 a = is_signed ? (i128)(int32_t)in->a : (i128)(uint32_t)in->a;
    const i128 b = is_signed ? (i128)(int32_t)in->b : (i128)(uint32_t)in->b;
    const unsigned bits = pair ? 64 : 32;
    const u128 product = (u128)(a * b) & (((u128)1 << bits) - 1);
    const u128 s = product + term(&m->src[2], in->c, bits) + carry_in(&m->src[3], in);
    out->d = (uint64_t)(m->flags & MF_HI ? s >> 32 & UINT32_MAX : s);
    out->q = s >> bits != 0;
}
static void imadx(void **state) {
    (void)state;
    static const uint8_t mods[] = {0, OPND_NEG, OPND_NOT};
    static const uint32_t part[] = {0, MF_WIDE, MF_HI};
    for (uint32_t k = 0; k < 9 * 8; k++) {
        const uint32_t kind = k / 9;
        struct minst m = MI(.op = OP_IMADX, .dst = {R(RES)}, .src = {R(RA), R(RB), R(RC)});
        m.flags = part[k % 3];
        m.type = kind & 1 ? ITYPE_S32 : ITYPE_U32;
        if (m.flags & MF_WIDE) m.dst[0] = RD(RES);
        if (m.flags) m.src[2] = RD(RC);
        m.src[2].mods = mods[k / 3 % 3];
        if (kind & 2 && m.flags) m.dst[1] = P(PQ);
        if (kind & 4) m.src[3] = P(PE);
        check_machine("imad.x", m, ref_imadx, 60);
    }
    struct minst m = MI(.op = OP_IMAD, .type = ITYPE_U32, .dst = {R(RES)}, .src = {ABC});
    m.src[2].mods = OPND_NEG;
    check_machine("imad, minus", m, ref_imadx, 60);
}

// ---- shifts, bytes, bits ------------------------------------------------------------------------
static void ref_shf(const struct minst *m, const struct in *in, struct out *out) {
    const uint32_t bits = isa_type_bits(m->type);
    const uint64_t v = (uint32_t)in->a | (uint64_t)(uint32_t)in->c << 32;
    const uint32_t count = (uint32_t)in->b;
    uint32_t n = m->flags & MF_WRAP ? count % bits : count < bits ? count : bits;
    uint64_t r = v;
    for (; n; n--) { // one place a time
        const uint64_t sign = isa_type_is_signed(m->type) ? r & 1ull << 63 : 0;
        r = m->flags & MF_LEFT ? r << 1 : r >> 1 | sign;
    }
    out->d = m->flags & MF_HI ? r >> 32 : (uint32_t)r;
}
static void shf(void **state) {
    (void)state;
    static const uint8_t type[] = {ITYPE_U32, ITYPE_S32, ITYPE_U64, ITYPE_S64};
    for (uint32_t k = 0; k < 32; k++) {
        struct minst m = MI(.op = OP_SHFX, .dst = {R(RES)}, .src = {ABC});
        m.type = type[k % 4];
        m.flags = (k & 4 ? MF_LEFT : 0u) | (k & 8 ? MF_WRAP : 0u) | (k & 16 ? MF_HI : 0u);
        check_machine("shf", m, ref_shf, 60);
    }
}
static void ref_prmt(const struct minst *m, const struct in *in, struct out *out) {
    const uint64_t v = (uint32_t)in->a | in->b << 32;
    uint32_t r = 0;
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t s = (uint32_t)m->src[2].imm >> (4 * k) & 15, byte = v >> (8 * (s & 7)) & 255;
        r |= (s & 8 ? (byte >> 7) * 255 : byte) << (8 * k);
    }
    out->d = r;
}
static void prmt(void **state) {
    (void)state;
    static const uint32_t selector[] = {0x3210, 0x7654, 0x5410, 0x7632, 0x0123,
                                        0x1054, 0x7770, 0x8880, 0xba98, 0x12345678};
    for (uint32_t k = 0; k < WW_COUNT(selector); k++) {
        struct minst m = MI(.op = OP_PRMT, .type = ITYPE_B32, .dst = {R(RES)},
                            .src = {R(RA), R(RB), I(selector[k])});
        check_machine("prmt", m, ref_prmt, 30);
    }
}
static void ref_flo(const struct minst *m, const struct in *in, struct out *out) {
    uint32_t v = ~(uint32_t)in->a, at = UINT32_MAX;
    if (m->type == ITYPE_S32 && v >> 31) v = ~v;
    for (uint32_t k = 0; k < 32; k++)
        if (v >> k & 1) at = m->flags & MF_SHIFTAMT ? 31 - k : k;
    out->d = at;
}
static void ref_popc(const struct minst *m, const struct in *in, struct out *out) {
    (void)m;
    out->d = 32;
    for (uint32_t k = 0; k < 32; k++) out->d -= in->a >> k & 1;
}
static void complemented(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 4; k++) {
        struct minst m = MI(.op = OP_FLO, .dst = {R(RES)}, .src = {NOT(R(RA))});
        m.type = k & 1 ? ITYPE_S32 : ITYPE_U32;
        m.flags = k & 2 ? MF_SHIFTAMT : 0;
        check_machine("flo", m, ref_flo, 60);
    }
    const struct minst m =
        MI(.op = OP_POPC, .type = ITYPE_B32, .dst = {R(RES)}, .src = {NOT(R(RA))});
    check_machine("popc", m, ref_popc, 60);
}

// ---- comparisons, predicates ----------------------------------------------------------------------
static bool joined(const struct minst *m, bool t, bool s) {
    switch (m->bop) {
    case MBOP_AND: return t && s;
    case MBOP_OR: return t || s;
    case MBOP_XOR: return t != s;
    default: return t;
    }
}
static void ref_isetp(const struct minst *m, const struct in *in, struct out *out) {
    const bool is_signed = m->type == ITYPE_S32;
    const int64_t a = is_signed ? (int32_t)in->a : (int64_t)(uint32_t)in->a;
    const int64_t b = is_signed ? (int32_t)in->b : (int64_t)(uint32_t)in->b;
    bool t = true;
    switch (m->cmp) {
    case MCMP_EQ: t = a == b && in->e; break;
    case MCMP_NE: t = a != b || in->e; break;
    case MCMP_LT:
    case MCMP_LE: t = a < b || (a == b && in->e); break;
    case MCMP_GT:
    case MCMP_GE: t = a > b || (a == b && in->e); break;
    default: t = m->cmp == MCMP_NUM; break;
    }
    out->p = joined(m, t, in->s);
    out->q = joined(m, !t, in->s);
}
static void isetp(void **state) {
    (void)state;
    static const uint8_t cmp[] = {MCMP_EQ, MCMP_NE, MCMP_LT,  MCMP_LE,
                                  MCMP_GT, MCMP_GE, MCMP_NUM, MCMP_NAN};
    for (uint32_t k = 0; k < 64; k++) {
        struct minst m = MI(.op = OP_ISETPX, .flags = MF_CMP3, .dst = {P(PD), P(PQ)},
                            .src = {R(RA), R(RB), P(PSRC), P(PE)});
        m.cmp = cmp[k & 7];
        m.type = k & 8 ? ITYPE_S32 : ITYPE_U32;
        m.bop = (uint8_t)(k >> 4);
        if (!m.bop) m.src[2] = NONE_;
        check_machine("isetp.ex", m, ref_isetp, 30);
    }
}
static void ref_plop3(const struct minst *m, const struct in *in, struct out *out) {
    const uint32_t at = (uint32_t)in->s << 2 | (uint32_t)!in->e << 1 | (uint32_t)in->f;
    out->p = m->sub >> at & 1;
    out->q = m->aux >> at & 1;
}
static void plop3(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 256; k++) {
        struct minst m = MI(.op = OP_PLOP3, .type = ITYPE_PRED, .dst = {P(PD), P(PQ)},
                            .src = {P(PSRC), NOT(P(PE)), P(PF)});
        m.sub = (uint8_t)k;
        m.aux = (uint16_t)(k * 37 & 255);
        check_machine("plop3", m, ref_plop3, 2);
    }
}
static void ref_plop3_sign(const struct minst *m, const struct in *in, struct out *out) {
    const uint32_t at = (in->a >> 31 & 1) << 2 | (in->b >> 31 & 1) << 1 | (in->c >> 31 & 1);
    out->p = m->sub >> at & 1;
    out->q = m->aux >> at & 1;
}
static void plop3_sign(void **state) {
    (void)state;
    for (uint32_t k = 0; k < 256; k++) {
        struct minst m = MI(.op = OP_PLOP3S, .type = ITYPE_B32, .dst = {P(PD), P(PQ)}, .src = {ABC});
        m.sub = (uint8_t)k;
        m.aux = (uint16_t)(k * 37 & 255);
        check_machine("plop3.sign", m, ref_plop3_sign, 3);
    }
}
static void ref_imnmx(const struct minst *m, const struct in *in, struct out *out) {
    const bool is_signed = m->type == ITYPE_S32;
    const int64_t a = is_signed ? (int32_t)in->a : (int64_t)(uint32_t)in->a;
    const int64_t b = is_signed ? (int32_t)in->b : (int64_t)(uint32_t)in->b;
    out->d = (uint32_t)((a < b) == in->s ? a : b);
}
static void imnmx(void **state) {
    (void)state;
    struct minst m =
        MI(.op = OP_IMNMXP, .type = ITYPE_S32, .dst = {R(RES)}, .src = {R(RA), R(RB), P(PSRC)});
    check_machine("imnmx", m, ref_imnmx, 30);
    m.type = ITYPE_U32;
    check_machine("imnmx.u32", m, ref_imnmx, 30);
}
static uint32_t of_three(const struct minst *m, uint64_t a, uint64_t b, uint64_t c, bool is_min) {
    const bool packed = m->type == ITYPE_U16X2 || m->type == ITYPE_S16X2;
    const bool is_signed = m->type == ITYPE_S32 || m->type == ITYPE_S16X2;
    const unsigned bits = packed ? 16 : 32;
    uint64_t r = 0;
    for (unsigned at = 0; at < 32; at += bits) {
        uint64_t v[3] = {a >> at, b >> at, c >> at};
        if (m->op == OP_IADDMNMX) v[0] = v[1] = v[0] + v[1];
        int64_t best = 0;
        for (uint32_t k = 0; k < 3; k++) {
            const int64_t x = is_signed ? (int64_t)(v[k] << (64 - bits)) >> (64 - bits)
                                        : (int64_t)(v[k] & ((1ull << bits) - 1));
            if (k == 0 || (is_min ? x < best : x > best)) best = x;
        }
        if (m->flags & MF_RELU && best < 0) best = 0;
        r |= ((uint64_t)best & ((1ull << bits) - 1)) << at;
    }
    return (uint32_t)r;
}
static void ref_imnmx3(const struct minst *m, const struct in *in, struct out *out) {
    const uint64_t b = m->src[1].mods & OPND_NEG ? 0 - in->b : in->b;
    const uint64_t c = m->src[2].mods & OPND_NEG ? 0 - in->c : in->c;
    out->d = of_three(m, (uint32_t)in->a, (uint32_t)b, (uint32_t)c, in->e);
}
static void imnmx3(void **state) {
    (void)state;
    static const uint8_t type[] = {ITYPE_U32, ITYPE_S32, ITYPE_U16X2, ITYPE_S16X2};
    for (uint32_t k = 0; k < 64; k++) {
        struct minst m = MI(.dst = {R(RES)}, .src = {ABC, P(PE)});
        m.type = type[k & 3];
        m.op = k & 4 ? OP_IADDMNMX : OP_IMNMX3;
        if (k & 8 && k & 1) m.flags = MF_RELU; // of signed types
        if (k & 4 && !(k & 2) && k & 16) m.src[1].mods = OPND_NEG;
        if (k & 4 && !(k & 2) && k & 32) m.src[2].mods = OPND_NEG;
        check_machine("imnmx3", m, ref_imnmx3, 30);
    }
}
static void ref_p2r(const struct minst *m, const struct in *in, struct out *out) {
    uint32_t r = (uint32_t)in->a;
    for (uint32_t k = 0; k < 7; k++) {
        if (!(m->src[1].imm >> k & 1)) continue;
        const bool p = k == PSRC ? in->s : k == PE ? in->e : in->f;
        const uint32_t bit = 1u << (8 * m->sub + k);
        r = p ? r | bit : r & ~bit;
    }
    out->d = r;
}
static void ref_r2p(const struct minst *m, const struct in *in, struct out *out) {
    const uint32_t byte = (uint32_t)in->a >> (8 * m->sub);
    if (m->src[1].imm >> PD & 1) out->p = byte >> PD & 1;
    if (m->src[1].imm >> PQ & 1) out->q = byte >> PQ & 1;
    if (m->src[1].imm >> PR & 1) out->r = byte >> PR & 1;
}
// A mask names the predicates that a check looks at: results by an instruction that has none.
static void check_written(const struct minst *m) {
    LEVELS(v) {
        uint64_t seed = 77;
        struct op_run *r = op_new(*m);
        struct exec_warp *const w = warp0(r->p);
        for (uint32_t n = 0; n < 40; n++) {
            for (uint32_t i = 0; i < 32; i++) r->a.w[0][i] = edge32(&seed, n * 32 + i);
            w->pred[PR] = 0x5a5a5a5au;
            const uint32_t mask = pick_mask(&seed, n);
            op_step(r, mask);
            for (uint32_t i = 0; i < 32; i++) {
                const bool old = 0x5a5a5a5au >> i & 1;
                const struct in in = {.a = r->a.w[0][i]};
                struct out want = {0, old, old, old};
                if (mask >> i & 1) ref_r2p(m, &in, &want);
                assert_int_equal(r->pd >> i & 1, want.p);
                assert_int_equal(r->pq >> i & 1, want.q);
                assert_int_equal(w->pred[PR] >> i & 1, want.r);
            }
            assert_int_equal(w->pred[PRED_TRUE], ~0u);
        }
        op_free(r);
    }
    exec_simd_force(NULL);
}
static void predicates_as_bits(void **state) {
    (void)state;
    for (uint32_t byte = 0; byte < 4; byte++) {
        struct minst m =
            MI(.op = OP_P2RM, .type = ITYPE_B32, .dst = {R(RES)}, .src = {R(RA), I(0)});
        m.sub = (uint8_t)byte;
        for (uint32_t which = 0; which < 128; which++) {
            if (which & ~(1u << PSRC | 1u << PE | 1u << PF)) continue;
            m.src[1] = I(which);
            check_machine("p2r", m, ref_p2r, 8);
        }
        struct minst n = MI(.op = OP_R2PM, .type = ITYPE_B32, .src = {R(RA), I(0)});
        n.sub = (uint8_t)byte;
        for (uint32_t which = 0; which < 128; which++) {
            n.src[1] = I(which);
            check_written(&n);
        }
    }
}
static void check_vote(uint8_t mode) {
    LEVELS(v) {
        uint64_t seed = 5;
        struct op_run *r = op_new(MI(.op = OP_VOTED, .type = ITYPE_PRED, .sub = mode,
                                     .dst = {R(RES), P(PQ)}, .src = {P(PSRC)}));
        for (uint32_t n = 0; n < 40; n++) {
            const uint32_t mask = pick_mask(&seed, n), random = (uint32_t)rnd64(&seed);
            r->psrc = n % 3 == 0 ? random : n % 3 == 1 ? mask | random : random & ~mask;
            op_step(r, mask);
            const uint32_t hold = r->psrc & mask;
            const bool any = hold != 0, all = hold == mask;
            const bool t = mode == MVOTE_ALL ? all : mode == MVOTE_ANY ? any : all || !any;
            for (uint32_t i = 0; i < 32; i++) {
                assert_int_equal(r->d.w[0][i], mask >> i & 1 ? hold : r->old.w[0][i]);
                assert_int_equal(r->pq >> i & 1, mask >> i & 1 ? t : 0x5a5a5a5au >> i & 1);
            }
        }
        op_free(r);
    }
    exec_simd_force(NULL);
}
static void vote(void **state) {
    (void)state;
    check_vote(MVOTE_ALL);
    check_vote(MVOTE_ANY);
    check_vote(MVOTE_UNI);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iadd3),  cmocka_unit_test(lea),   cmocka_unit_test(imadx),
        cmocka_unit_test(shf),    cmocka_unit_test(prmt),  cmocka_unit_test(complemented),
        cmocka_unit_test(isetp),  cmocka_unit_test(plop3), cmocka_unit_test(plop3_sign), cmocka_unit_test(imnmx),
        cmocka_unit_test(imnmx3), cmocka_unit_test(vote),  cmocka_unit_test(predicates_as_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
