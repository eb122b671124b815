// What lowering makes of 64-bit and sub-word PTX computes what PTX says: small kernels run on a
// machine of one thread that knows the word operations, against C.
#include "test_lower.h"

enum { MEMORY = 4096, OUT = 1024, IN = 256 };

struct cpu {
    const struct mfunc *f;
    uint32_t gpr[512][4];
    bool pred[64], carry;
    uint8_t c0[256], memory[MEMORY];
    const char *unknown;
};

static uint64_t value(const struct cpu *c, const struct opnd *o) {
    uint64_t v = 0;
    switch (o->kind) {
    case OPND_GPR:
        v = c->gpr[o->reg][o->sub];
        if (o->words > 1) v |= (uint64_t)c->gpr[o->reg][o->sub + 1] << 32;
        break;
    case OPND_IMM: v = o->imm; break;
    case OPND_CONST:
        memcpy(&v, (o->bank == CB_LITERAL ? c->f->literals.at : c->c0) + o->reg, 4 * o->words);
        break;
    case OPND_PRED:
        if (o->reg == VPRED_CARRY) return c->carry;
        return (o->reg == VPRED_TRUE || c->pred[o->reg]) != !!(o->mods & OPND_NOT);
    default: break;
    }
    if (o->mods & OPND_NOT) v = ~v;
    return o->words < 2 ? (uint32_t)v : v;
}

static void put(struct cpu *c, const struct opnd *o, uint64_t v) {
    if (o->kind == OPND_PRED) {
        if (o->reg != VPRED_TRUE) c->pred[o->reg] = v & 1;
    } else if (o->kind == OPND_GPR) {
        for (unsigned w = 0; w < o->words && w < 2; w++)
            c->gpr[o->reg][o->sub + w] = (uint32_t)(v >> 32 * w);
    }
}

static uint64_t extend(uint64_t v, unsigned bits, bool is_signed) {
    if (bits >= 64) return v;
    v &= (1ull << bits) - 1;
    return is_signed && v >> (bits - 1) ? v | ~0ull << bits : v;
}

static uint64_t with_carry(struct cpu *c, const struct minst *m, uint32_t a, uint32_t b, bool neg_a,
                           bool neg_b) {
    const uint64_t cf = isa_takes_carry(m) ? c->carry : neg_a || neg_b;
    const uint64_t r = (uint64_t)(neg_a ? ~a : a) + (neg_b ? ~b : b) + cf;
    if (isa_leaves_carry(m)) c->carry = r >> 32 & 1;
    return (uint32_t)r;
}

static uint64_t product(const struct minst *m, uint64_t a, uint64_t b) {
    const unsigned bits = isa_type_bits((enum isa_type)m->type);
    const bool s = isa_type_is_signed((enum isa_type)m->type);
    const uint64_t p = extend(a, bits, s) * extend(b, bits, s);
    if (bits == 16) return m->flags & MF_HI ? (uint32_t)p >> 16 : (uint32_t)p;
    return m->flags & MF_HI ? p >> 32 : (uint32_t)p;
}

static uint32_t permute(uint64_t pair, uint32_t selector) {
    uint32_t r = 0;
    for (unsigned k = 0; k < 4; k++)
        r |= (uint32_t)(pair >> 8 * (selector >> 4 * k & 7) & 0xff) << 8 * k;
    return r;
}

static void memory(struct cpu *c, const struct minst *m) {
    const unsigned bits = isa_type_bits((enum isa_type)m->type) * (m->vec ? m->vec : 1);
    const uint64_t at =
        ((m->src[0].kind ? value(c, &m->src[0]) : 0) + (uint64_t)m->offset) % MEMORY;
    const uint8_t *const from = m->op == OP_LDC ? c->c0 : c->memory;
    if (m->op == OP_ST) {
        uint32_t w[4] = {0};
        if (m->src[1].kind == OPND_IMM)
            memcpy(w, &m->src[1].imm, 8);
        else
            memcpy(w, &c->gpr[m->src[1].reg][m->src[1].sub], 4 * m->src[1].words);
        memcpy(c->memory + at, w, bits / 8);
        return;
    }
    if (bits >= 32) {
        memcpy(&c->gpr[m->dst[0].reg][m->dst[0].sub], from + at, bits / 8);
    } else {
        uint32_t v = 0;
        memcpy(&v, from + at, bits / 8);
        put(c, &m->dst[0], extend(v, bits, isa_type_is_signed((enum isa_type)m->type)));
    }
}

static uint32_t reverse(uint32_t v) {
    uint32_t r = 0;
    for (unsigned k = 0; k < 32; k++) r |= (v >> k & 1) << (31 - k);
    return r;
}

static void step(struct cpu *c, const struct minst *m) {
    const uint64_t a = value(c, &m->src[0]), b = value(c, &m->src[1]), d = value(c, &m->src[2]);
    const bool neg_a = m->src[0].mods & OPND_NEG, neg_b = m->src[1].mods & OPND_NEG;
    const bool s = isa_type_is_signed((enum isa_type)m->type);
    const unsigned bits = isa_type_bits((enum isa_type)m->type);
    const struct opnd *const to = &m->dst[0];
    switch (m->op) {
    case OP_MOV: put(c, to, a); break;
    case OP_IADD: put(c, to, with_carry(c, m, (uint32_t)a, (uint32_t)b, neg_a, neg_b)); break;
    case OP_IADD64: put(c, to, neg_b ? a - b : neg_a ? b - a : a + b); break;
    case OP_IMUL: put(c, to, product(m, a, b)); break;
    case OP_IMAD:
        put(c, to, with_carry(c, m, (uint32_t)product(m, a, b), (uint32_t)d, false, false));
        break;
    case OP_IMUL64:
        put(c, to, m->flags & MF_HI ? (uint64_t)((unsigned __int128)a * b >> 64) : a * b);
        break;
    case OP_ISCADD: put(c, to, (uint32_t)(a << m->sub) + (uint32_t)b); break;
    case OP_SHL: put(c, to, b > 31 ? 0 : a << b); break;
    case OP_SHR: {
        const uint64_t v = extend(a, bits, s);
        const unsigned n = b > 31 ? 31 : (unsigned)b;
        put(c, to, s ? (uint64_t)((int64_t)v >> n) : b > 31 ? 0 : v >> n);
        break;
    }
    case OP_SHL64: put(c, to, b > 63 ? 0 : a << b); break;
    case OP_SHR64:
        put(c, to, s ? (uint64_t)((int64_t)a >> (b > 63 ? 63 : b)) : b > 63 ? 0 : a >> b);
        break;
    case OP_SHF: {
        const uint64_t pair = (b << 32) | (uint32_t)a;
        put(c, to, m->flags & MF_LEFT ? pair << d >> 32 : pair >> d);
        break;
    }
    case OP_LOP:
        put(c, to,
            m->sub == MLOGIC_AND   ? a & b
            : m->sub == MLOGIC_OR  ? a | b
            : m->sub == MLOGIC_XOR ? a ^ b
                                   : b);
        break;
    case OP_BREV: put(c, to, reverse((uint32_t)a)); break;
    case OP_POPC: put(c, to, (uint64_t)__builtin_popcountll(bits == 64 ? a : (uint32_t)a)); break;
    case OP_BFE: put(c, to, extend(a >> b, (unsigned)d, s)); break;
    case OP_PRMT: put(c, to, permute((b << 32) | (uint32_t)a, (uint32_t)d)); break;
    case OP_CVT:
        put(c, to,
            extend(a, isa_type_bits((enum isa_type)m->stype),
                   isa_type_is_signed((enum isa_type)m->stype)));
        break;
    case OP_SEL: put(c, to, value(c, &m->src[2]) ? a : b); break;
    case OP_ISETP: {
        const bool less = s ? (int64_t)extend(a, bits, s) < (int64_t)extend(b, bits, s)
                            : extend(a, bits, s) < extend(b, bits, s);
        const bool eq = extend(a, bits, s) == extend(b, bits, s);
        put(c, to,
            m->cmp == MCMP_EQ   ? eq
            : m->cmp == MCMP_NE ? !eq
            : m->cmp == MCMP_LT ? less
            : m->cmp == MCMP_GT ? !less && !eq
            : m->cmp == MCMP_LE ? less || eq
                                : !less);
        break;
    }
    case OP_LD:
    case OP_LDC:
    case OP_ST: memory(c, m); break;
    default: c->unknown = mop_info[m->op].text;
    }
}

// Runs `body` with %rd1, %rd2, %rd3 (and their low words %r1, %r2, %r3, low halves %rs1 ...) given;
// answers %rd0.
static uint64_t run_on(const char *body, enum target_gen gen, uint64_t a, uint64_t b, uint64_t d) {
    struct text t = {0};
    text_add(
        &t,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .align 16 .b8 kp[32])\n{\n"
        ".reg .b64 %%rd<20>;\n.reg .b32 %%r<20>;\n.reg .b16 %%rs<20>;\n.reg .pred %%p<4>;\n"
        "ld.param.u64 %%rd1, [a];\nld.param.u64 %%rd2, [b];\nld.param.u64 %%rd3, [c];\n"
        "cvt.u32.u64 %%r1, %%rd1;\ncvt.u32.u64 %%r2, %%rd2;\ncvt.u32.u64 %%r3, %%rd3;\n"
        "cvt.u16.u64 %%rs1, %%rd1;\ncvt.u16.u64 %%rs2, %%rd2;\nmov.u64 %%rd0, 0;\n"
        "mov.u64 %%rd19, %d;\n%s\nst.global.u64 [%d], %%rd0;\nexit;\n}\n",
        IN, body, OUT);
    struct lowered l;
    if (!lowered_parse(&l, "body", t.at, t.n)) diags_print(&l.d, stderr);
    assert_non_null(l.m);
    lowered_run(&l, gen);
    assert_int_equal(l.d.list.n, 0);
    struct cpu *const c = calloc(1, sizeof *c);
    c->f = &l.func[0];
    assert_true(c->f->vreg_words.n < WW_COUNT(c->gpr) && c->f->n_vpreds < WW_COUNT(c->pred));
    for (unsigned k = 0; k < WW_COUNT(c->gpr); k++)
        for (unsigned w = 0; w < 4; w++) c->gpr[k][w] = 0xdead0000u + k; // nothing starts as zero
    const uint64_t in[3] = {a, b, d};
    memcpy(c->c0 + CB0_PARAMS, in, sizeof in);
    memcpy(c->c0 + CB0_PARAMS + 32, in, 16);
    memcpy(c->memory + IN, in, sizeof in);
    for (uint32_t pc = 0; pc < c->f->inst.n; pc++) {
        const struct minst *const m = &c->f->inst.at[pc];
        if (m->op == OP_EXIT) break;
        if (minst_is_filler(m)) continue;
        if (m->guard != VPRED_TRUE && c->pred[m->guard] == m->guard_not) continue;
        step(c, m);
    }
    if (c->unknown) fail_msg("the test's machine has no %s", c->unknown);
    uint64_t r;
    memcpy(&r, c->memory + OUT, sizeof r);
    free(c);
    lowered_free(&l);
    return r;
}

static const uint64_t samples[] = {0,
                                   1,
                                   5,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   0x100000000,
                                   0x8000000000000000,
                                   0xffffffffffffffff,
                                   0x0123456789abcdef,
                                   0xfedcba9876543210,
                                   0x00008000,
                                   0xffff8080};

static void check(const char *body, uint64_t (*expect)(uint64_t a, uint64_t b, uint64_t d)) {
    for (unsigned gen = 0; gen < GEN_N; gen++) {
        for (size_t x = 0; x < WW_COUNT(samples); x++) {
            const uint64_t a = samples[x], b = samples[(x * 5 + gen + 3) % WW_COUNT(samples)],
                           d = samples[(x * 7 + 1) % WW_COUNT(samples)];
            const uint64_t got = run_on(body, (enum target_gen)gen, a, b, d);
            if (got != expect(a, b, d))
                fail_msg("generation %u: %s\n a=%llx b=%llx c=%llx: %llx, expected %llx", gen, body,
                         (unsigned long long)a, (unsigned long long)b, (unsigned long long)d,
                         (unsigned long long)got, (unsigned long long)expect(a, b, d));
        }
    }
}

#define CASE(name, text, expression)                                                               \
    static uint64_t name##_value(uint64_t a, uint64_t b, uint64_t d) {                             \
        (void)a, (void)b, (void)d;                                                                 \
        return (uint64_t)(expression);                                                             \
    }                                                                                              \
    static void name(void **state) {                                                               \
        (void)state;                                                                               \
        check(text, name##_value);                                                                 \
    }
#define LO(x) ((uint32_t)(x))

CASE(add64, "add.s64 %rd0, %rd1, %rd2;", a + b)
CASE(sub64, "sub.s64 %rd0, %rd1, %rd2;", a - b)
CASE(sub64_imm, "sub.s64 %rd0, %rd1, 0x123456789a;", a - 0x123456789aull)
CASE(add64_in_place, "mov.u64 %rd0, %rd1;\nadd.u64 %rd0, %rd0, %rd0;", a + a)
CASE(neg64, "neg.s64 %rd0, %rd1;", 0 - a)
CASE(mul64, "mul.lo.s64 %rd0, %rd1, %rd2;", a *b)
CASE(mul64_in_place, "mov.u64 %rd0, %rd1;\nmul.lo.u64 %rd0, %rd2, %rd0;", a *b)
CASE(mul64_power, "mul.lo.s64 %rd0, %rd1, 4096;", a * 4096)
CASE(mad64, "mad.lo.s64 %rd0, %rd1, %rd2, %rd3;", a *b + d)
CASE(mad64_in_place, "mov.u64 %rd0, %rd3;\nmad.lo.s64 %rd0, %rd0, %rd2, %rd0;", d *b + d)
CASE(mul_wide_s, "mul.wide.s32 %rd0, %r1, %r2;", (int64_t)(int32_t)a *(int32_t)b)
CASE(mul_wide_u, "mul.wide.u32 %rd0, %r1, %r2;", (uint64_t)LO(a) * LO(b))
CASE(mul_wide_s_4, "mul.wide.s32 %rd0, %r1, 4;", (int64_t)(int32_t)a * 4)
CASE(mul_wide_u_8, "mul.wide.u32 %rd0, %r1, 8;", (uint64_t)LO(a) * 8)
CASE(mul_wide_s_1, "mul.wide.s32 %rd0, %r1, 1;", (int64_t)(int32_t)a)
CASE(mad_wide_s, "mad.wide.s32 %rd0, %r1, %r2, %rd3;",
     (uint64_t)((int64_t)(int32_t)a *(int32_t)b) + d)
CASE(mad_wide_4, "mad.wide.u32 %rd0, %r1, 4, %rd3;", (uint64_t)LO(a) * 4 + d)
CASE(mul_wide_16, "{ .reg .b32 %t; mul.wide.s16 %t, %rs1, %rs2; cvt.u64.u32 %rd0, %t; }",
     LO((int16_t)a *(int16_t)b))
CASE(shl_3, "shl.b64 %rd0, %rd1, 3;", a << 3)
CASE(shl_32, "mov.u64 %rd0, %rd1;\nshl.b64 %rd0, %rd0, 32;", a << 32)
CASE(shl_45, "mov.u64 %rd0, %rd1;\nshl.b64 %rd0, %rd0, 45;", a << 45)
CASE(shl_64, "shl.b64 %rd0, %rd1, 64;", 0)
CASE(shl_in_place, "mov.u64 %rd0, %rd1;\nshl.b64 %rd0, %rd0, 7;", a << 7)
CASE(shr_u_3, "shr.u64 %rd0, %rd1, 3;", a >> 3)
CASE(shr_u_40, "shr.u64 %rd0, %rd1, 40;", a >> 40)
CASE(shr_s_9, "mov.u64 %rd0, %rd1;\nshr.s64 %rd0, %rd0, 9;", (int64_t)a >> 9)
CASE(shr_s_33, "mov.u64 %rd0, %rd1;\nshr.s64 %rd0, %rd0, 33;", (int64_t)a >> 33)
CASE(shr_s_99, "shr.s64 %rd0, %rd1, 99;", (int64_t)a >> 63)
CASE(shl_reg, "shl.b64 %rd0, %rd1, %r2;", LO(b) > 63 ? 0 : a << LO(b))
CASE(and_imm, "and.b64 %rd0, %rd1, 0xffffffff0000fff0;", a & 0xffffffff0000fff0ull)
CASE(or_not, "not.b64 %rd4, %rd2;\nor.b64 %rd0, %rd1, %rd4;", a | ~b)
CASE(brev64, "mov.u64 %rd0, %rd1;\nbrev.b64 %rd0, %rd0;",
     (uint64_t)reverse(LO(a)) << 32 | reverse(LO(a >> 32)))
CASE(popc64, "popc.b64 %r4, %rd1;\ncvt.u64.u32 %rd0, %r4;", __builtin_popcountll(a))
CASE(selp64, "setp.lt.s32 %p1, %r1, %r2;\nselp.b64 %rd0, %rd3, 77, %p1;",
     (int32_t)a < (int32_t)b ? d : 77)
CASE(selp_literals, "setp.lt.s32 %p1, %r1, %r2;\nselp.b64 %rd0, 5, -1, %p1;",
     (int32_t)a < (int32_t)b ? 5 : ~0ull)
CASE(cnot64, "cnot.b64 %rd0, %rd1;", a == 0)
CASE(literal_first, "setp.gt.s32 %p1, 100, %r1;\nselp.b64 %rd0, 1, 0, %p1;", 100 > (int32_t)a)
// carries
CASE(chain96,
     "add.cc.u32 %r4, %r1, %r2;\naddc.cc.u32 %r5, %r2, %r3;\naddc.u32 %r6, 0, 0;\n"
     "add.u32 %r5, %r5, %r6;\nmov.b64 %rd0, {%r4, %r5};",
     LO(LO(a) + LO(b)) | (((uint64_t)LO(b) + LO(d) + (((uint64_t)LO(a) + LO(b)) >> 32)) +
                          (((uint64_t)LO(b) + LO(d) + (((uint64_t)LO(a) + LO(b)) >> 32)) >> 32))
                             << 32)
CASE(borrow, "sub.cc.u32 %r4, %r1, %r2;\nsubc.u32 %r5, %r3, 7;\nmov.b64 %rd0, {%r4, %r5};",
     LO(LO(a) - LO(b)) | (uint64_t)LO(LO(d) - 7 - (LO(a) < LO(b))) << 32)
CASE(no_borrow_is_a_carry,
     "sub.cc.u32 %r4, %r1, %r2;\naddc.u32 %r5, 0, 0;\nmov.b64 %rd0, {%r4, %r5};",
     LO(LO(a) - LO(b)) | (uint64_t)(LO(a) >= LO(b)) << 32)
CASE(carry_is_no_borrow,
     "add.cc.u32 %r4, %r1, %r2;\nsubc.u32 %r5, 0, 0;\nmov.b64 %rd0, {%r4, %r5};",
     LO(LO(a) + LO(b)) | ((uint64_t)LO(a) + LO(b) > 0xffffffff ? 0 : 0xffffffffull << 32))
CASE(subtracted_literal_is_no_sum,
     "sub.cc.u32 %r4, %r1, 0;\naddc.cc.u32 %r5, %r2, 0;\nsubc.u32 %r6, 9, 9;\n"
     "add.u32 %r5, %r5, %r6;\nmov.b64 %rd0, {%r4, %r5};",
     LO(a) | (uint64_t)LO(LO(b) + 1 + (LO(b) == 0xffffffff ? 0 : -1)) << 32)
CASE(carry_survives_add64,
     "add.cc.u32 %r4, %r1, %r2;\nadd.s64 %rd4, %rd1, %rd2;\n"
     "mad.wide.u32 %rd4, %r1, %r2, %rd4;\nmad.lo.s64 %rd4, %rd1, %rd2, %rd4;\naddc.u32 %r5, 0, 0;\n"
     "cvt.u64.u32 %rd5, %r5;\nadd.u64 %rd0, %rd4, %rd5;",
     a + b + (uint64_t)LO(a) * LO(b) + a * b + (((uint64_t)LO(a) + LO(b)) >> 32))
CASE(mad_chain,
     "mad.lo.cc.u32 %r4, %r1, %r2, %r3;\nmadc.hi.u32 %r5, %r1, %r2, 0;\nmov.b64 %rd0, {%r4, %r5};",
     (uint64_t)LO(a) * LO(b) + LO(d))
CASE(add64_cc, "add.cc.u64 %rd4, %rd1, %rd2;\naddc.u64 %rd0, %rd3, 0;", d + (a + b < a))
// sub-word values
CASE(s16_to_64, "cvt.s64.s16 %rd0, %rs1;", (int64_t)(int16_t)a)
CASE(u16_to_64, "cvt.u64.u16 %rd0, %rs1;", (uint16_t)a)
CASE(s8_of_32, "cvt.s8.s32 %r4, %r1;\ncvt.s64.s32 %rd0, %r4;", (int64_t)(int8_t)a)
CASE(u8_of_32, "cvt.u8.u32 %r4, %r1;\ncvt.u64.u32 %rd0, %r4;", (uint8_t)a)
CASE(u16_of_s8, "cvt.u16.s8 %rs3, %rs1;\ncvt.u64.u16 %rd0, %rs3;", (uint16_t)(int8_t)a)
CASE(u16_of_s8_wide, "cvt.u16.s8 %r4, %rs1;\ncvt.u64.u32 %rd0, %r4;", (uint16_t)(int8_t)a)
CASE(s16_of_u16_wide, "cvt.s16.u16 %r4, %rs1;\ncvt.s64.s32 %rd0, %r4;", (int64_t)(int16_t)a)
CASE(s32_to_u64, "cvt.u64.s32 %rd0, %r1;", (int64_t)(int32_t)a)
CASE(u32_in_64, "cvt.u32.u64 %rd0, %rd1;", LO(a))
CASE(shr_u16, "add.u16 %rs3, %rs1, %rs2;\nshr.u16 %rs3, %rs3, 3;\ncvt.u64.u16 %rd0, %rs3;",
     (uint16_t)((uint16_t)(a + b) >> 3))
CASE(setp_s16, "sub.s16 %rs3, %rs1, %rs2;\nsetp.lt.s16 %p1, %rs3, 0;\nselp.b64 %rd0, 1, 2, %p1;",
     (int16_t)(uint16_t)(a - b) < 0 ? 1 : 2)
CASE(unpack16, "mov.b64 {%rs3, %rs4, %rs5, %rs6}, %rd1;\nmov.b64 %rd0, {%rs6, %rs5, %rs4, %rs3};",
     a << 48 | (a & 0xffff0000) << 16 | (a >> 16 & 0xffff0000) | a >> 48)
CASE(swap_words, "mov.u64 %rd0, %rd1;\nmov.b64 {%r4, %r5}, %rd0;\nmov.b64 %rd0, {%r5, %r4};",
     a << 32 | a >> 32)
CASE(
    repack_in_place,
    "mov.u64 %rd0, %rd1;\n{ .reg .b32 %u<2>; mov.b64 {%u0, %u1}, %rd0; mov.b64 %rd0, {%u1, %u1}; }",
    (a >> 32) << 32 | a >> 32)
CASE(load_v4_u8,
     "ld.global.v4.u8 {%rs3, %rs4, %rs5, %rs6}, [%rd19];\ncvt.u64.u16 %rd4, %rs3;\n"
     "cvt.u64.u16 %rd5, %rs4;\ncvt.u64.u16 %rd6, %rs5;\ncvt.u64.u16 %rd7, %rs6;\nadd.u64 %rd0, "
     "%rd4, %rd5;\n"
     "add.u64 %rd0, %rd0, %rd6;\nadd.u64 %rd0, %rd0, %rd7;",
     (uint64_t)(uint8_t)a + (uint8_t)(a >> 8) + (uint8_t)(a >> 16) + (uint8_t)(a >> 24))
CASE(load_v2_s8,
     "ld.global.v2.s8 {%rs3, %rs4}, [%rd19];\ncvt.s64.s16 %rd4, %rs3;\n"
     "cvt.s64.s16 %rd5, %rs4;\nadd.u64 %rd0, %rd4, %rd5;",
     (int64_t)(int8_t)a + (int8_t)(a >> 8))
CASE(load_s8_wide, "ld.global.s8 %rd0, [%rd19+1];", (int64_t)(int8_t)(a >> 8))
CASE(load_u16_wide, "ld.global.u16 %r4, [%rd19+2];\ncvt.u64.u32 %rd0, %r4;", (uint16_t)(a >> 16))
CASE(load_v4_u16,
     "ld.global.v4.u16 {%rs3, %rs4, %rs5, %rs6}, [%rd19];\nst.global.v4.u16 [%rd19], {%rs6, %rs4, "
     "%rs5, %rs3};\n"
     "ld.global.u64 %rd0, [%rd19];",
     (a & 0x0000ffffffff0000ull) | a >> 48 | a << 48)
CASE(store_bytes, "st.global.v2.u8 [%rd19], {%rs2, %rs1};\nld.global.u64 %rd0, [%rd19];",
     (a & ~0xffffull) | (uint8_t)b | (a & 0xff) << 8)
CASE(param_v4_u8, "ld.param.v4.u8 {%rs3, %rs4, %rs5, %rs6}, [kp+4];\ncvt.u64.u16 %rd0, %rs5;",
     (uint8_t)(a >> 48))
CASE(param_u16, "ld.param.u16 %rs3, [kp+2];\ncvt.u64.u16 %rd0, %rs3;", (uint16_t)(a >> 16))
CASE(param_v2_u64, "ld.param.v2.u64 {%rd4, %rd5}, [kp];\nsub.u64 %rd0, %rd4, %rd5;", a - b)

int main(void) {
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test(name)
        T(add64),           T(sub64),          T(sub64_imm),      T(add64_in_place),
        T(neg64),           T(mul64),          T(mul64_in_place), T(mul64_power),
        T(mad64),           T(mad64_in_place), T(mul_wide_s),     T(mul_wide_u),
        T(mul_wide_s_4),    T(mul_wide_u_8),   T(mul_wide_s_1),   T(mad_wide_s),
        T(mad_wide_4),      T(mul_wide_16),    T(shl_3),          T(shl_32),
        T(shl_45),          T(shl_64),         T(shl_in_place),   T(shr_u_3),
        T(shr_u_40),        T(shr_s_9),        T(shr_s_33),       T(shr_s_99),
        T(shl_reg),         T(and_imm),        T(or_not),         T(brev64),
        T(popc64),          T(selp64),         T(selp_literals),  T(cnot64),
        T(literal_first),   T(chain96),        T(borrow),         T(no_borrow_is_a_carry), T(carry_is_no_borrow), T(subtracted_literal_is_no_sum),
        T(carry_survives_add64),
        T(mad_chain),       T(add64_cc),       T(s16_to_64),      T(u16_to_64),
        T(s8_of_32),        T(u8_of_32),       T(u16_of_s8),      T(u16_of_s8_wide),
        T(s16_of_u16_wide), T(s32_to_u64),     T(u32_in_64),      T(shr_u16),
        T(setp_s16),        T(unpack16),       T(swap_words),     T(repack_in_place),
        T(load_v4_u8),      T(load_v2_s8),     T(load_s8_wide),   T(load_u16_wide),
        T(load_v4_u16),     T(store_bytes),    T(param_v4_u8),    T(param_u16),
        T(param_v2_u64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
