// Floating point: single, double, halves. Halves are computed through single precision by all three
// generations, which the cost rows HALF* say.
#include "code/lower_priv.h"

// The operation for a type: single, double, half.
struct by_type {
    uint16_t single, dual, half;
};
static enum mop choose(struct by_type ops, enum isa_type t) {
    return (enum mop)(lower_is_half(t) ? ops.half : t == ITYPE_F64 ? ops.dual : ops.single);
}

static enum lower_cost half_cost(enum isa_type t, unsigned sources) {
    static const uint8_t cost[2][4] = {
        {0, LOWER_COST_HALF1, LOWER_COST_HALF2, LOWER_COST_HALF3},
        {0, LOWER_COST_HALF1X2, LOWER_COST_HALF2X2, LOWER_COST_HALF3X2}};
    return (enum lower_cost)cost[lower_is_packed(t)][sources];
}

static void put(struct lower *l, struct minst *m, enum isa_type t, unsigned sources) {
    if (lower_is_half(t))
        lower_put_cost(l, m, half_cost(t, sources));
    else
        lower_put(l, m);
}

// An instruction on f32x2 is the same on each of both words.
static unsigned parts_of(enum isa_type t) { return t == ITYPE_F32X2 ? 2 : 1; }

// Source n in type t; of a narrower type when the instruction names one (add.f32.f16), and then
// widened first.
static struct opnd fp_src(struct lower *l, const struct ptx_inst *i, unsigned n, enum isa_type t,
                          enum isa_type narrow) {
    if (narrow == ITYPE_NONE || narrow == t) return lower_src(l, &i->operand[n], t);
    struct minst m = lower_new(l, OP_CVT, t);
    m.stype = (uint8_t)narrow;
    m.dst[0] = lower_temp(l, 1);
    m.src[0] = lower_in_reg(l, lower_src(l, &i->operand[n], narrow));
    lower_put_cost(l, &m, narrow == ITYPE_BF16 ? LOWER_COST_CVT_BF16 : LOWER_COST_CVT_FP);
    return m.dst[0];
}

static void put_parts(struct lower *l, struct minst *m, enum isa_type t, unsigned sources) {
    const struct minst whole = *m;
    for (unsigned w = 0; w < parts_of(t); w++) {
        if (t == ITYPE_F32X2) {
            *m = whole;
            m->type = ITYPE_F32;
            m->dst[0] = opnd_word(whole.dst[0], w);
            for (unsigned s = 0; s < sources; s++) m->src[s] = opnd_word(whole.src[s], w);
        }
        put(l, m, t, sources);
    }
}

// A sum or product that names no rounding may be fused (opt_fuse.c); one that widens an operand,
// which only Blackwell's assembler knows, is not.
static uint32_t may_contract(const struct ptx_inst *i, enum isa_type t, enum isa_type narrow) {
    const bool whole = narrow == ITYPE_NONE || narrow == t;
    return lower_rounding(i) == MRND_NONE && whole ? MF_CONTRACT : 0;
}

static enum mrnd rounding(const struct ptx_inst *i) {
    const enum mrnd r = lower_rounding(i);
    return r == MRND_NONE ? MRND_RN : r;
}

void lower_fp_add(struct lower *l, const struct ptx_inst *i, unsigned sub) {
    const enum isa_type t = lower_type(l, i, 0), narrow = lower_type(l, i, 1);
    struct minst m = lower_new(l, choose((struct by_type){OP_FADD, OP_DADD, OP_HADD}, t), t);
    m.rnd = (uint8_t)rounding(i);
    m.flags = lower_fp_flags(l, i, t) | may_contract(i, t, narrow);
    m.dst[0] = lower_dst(l, &i->operand[0], t);
    m.src[0] = fp_src(l, i, 1, t, narrow);
    m.src[1] = lower_src(l, &i->operand[2], t);
    if (sub) m.src[1] = opnd_mod(m.src[1], OPND_NEG);
    put_parts(l, &m, t, 2);
}

void lower_fp_mul(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_type(l, i, 0);
    struct minst m = lower_new(l, choose((struct by_type){OP_FMUL, OP_DMUL, OP_HMUL}, t), t);
    m.rnd = (uint8_t)rounding(i);
    m.flags = lower_fp_flags(l, i, t) | may_contract(i, t, ITYPE_NONE);
    m.dst[0] = lower_dst(l, &i->operand[0], t);
    m.src[0] = lower_src(l, &i->operand[1], t);
    m.src[1] = lower_src(l, &i->operand[2], t);
    put_parts(l, &m, t, 2);
}

// fma, and mad, which is fused but for the f32 one of sm_1x
void lower_fp_fma(struct lower *l, const struct ptx_inst *i, unsigned fma) {
    const enum isa_type t = lower_type(l, i, 0), narrow = lower_type(l, i, 1);
    const bool truncates =
        !fma && t == ITYPE_F32 && l->m->target < 20 && lower_rounding(i) == MRND_NONE;
    struct minst m = lower_new(
        l, truncates ? OP_FMAD : choose((struct by_type){OP_FFMA, OP_DFMA, OP_HFMA}, t), t);
    m.rnd = (uint8_t)rounding(i);
    m.flags = lower_fp_flags(l, i, t);
    if (ptx_has(i, PTX_MOD_oob)) m.aux = MHALF_OOB;
    m.dst[0] = lower_dst(l, &i->operand[0], t);
    m.src[0] = fp_src(l, i, 1, t, narrow);
    m.src[1] = fp_src(l, i, 2, t, narrow);
    m.src[2] = lower_src(l, &i->operand[3], t);
    put_parts(l, &m, t, 3);
}

// neg, abs: a move with a modifier
void lower_fp_sign(struct lower *l, const struct ptx_inst *i, unsigned mod) {
    const enum isa_type t = lower_type(l, i, 0);
    struct minst m =
        lower_new(l, choose((struct by_type){OP_FABSNEG, OP_DABSNEG, OP_HABSNEG}, t), t);
    m.flags = lower_fp_flags(l, i, t) & MF_FTZ;
    m.dst[0] = lower_dst(l, &i->operand[0], t);
    m.src[0] = lower_src(l, &i->operand[1], t);
    m.src[0].mods |= (uint8_t)mod;
    if (lower_is_half(t))
        lower_put_cost(l, &m, LOWER_COST_HALF_SIGN);
    else
        lower_put(l, &m);
}

void lower_fp_minmax(struct lower *l, const struct ptx_inst *i, unsigned max) {
    const enum isa_type t = lower_type(l, i, 0);
    const unsigned sources = i->n_operands - 1u;
    struct minst m = lower_new(l, choose((struct by_type){OP_FMNMX, OP_DMNMX, OP_HMNMX}, t), t);
    m.sub = (uint8_t)max;
    m.flags = lower_fp_flags(l, i, t);
    m.dst[0] = lower_dst(l, &i->operand[0], t);
    const bool magnitudes = ptx_has(i, PTX_MOD_abs) && !(m.flags & MF_ABS); // of three operands
    for (unsigned s = 0; s < sources && s < 3; s++) {
        m.src[s] = lower_src(l, &i->operand[s + 1], t);
        if (magnitudes) m.src[s].mods |= OPND_ABS;
    }
    if (lower_is_half(t))
        lower_put_cost(l, &m, half_cost(t, 2));
    else if (sources == 3)
        lower_put_cost(l, &m, LOWER_COST_FMNMX3);
    else if (m.flags & MF_NAN)
        lower_put_cost(l, &m, LOWER_COST_FMNMX_NAN);
    else
        lower_put(l, &m);
}

// ---- division, roots, transcendentals -----------------------------------------------------

// A division's check of its dividend (FCHK), which the unit of special functions makes; and, behind
// the division, a branch over the slower way for lanes that need none, and what that way costs. It
// changes nothing: x + -0 is x. Left out: divisors and quotients at the ends of the range, which
// take the slower way too, and divisions that are guarded.
static struct opnd check_dividend(struct lower *l, struct opnd dividend) {
    if (!gen_has(l->gen, TRAIT_DIVISION_CHECK) || l->at->guard >= 0) return opnd_none();
    struct minst m = lower_new(l, OP_FSETP, ITYPE_F32);
    m.stype = ITYPE_F32;
    m.cmp = MCMP_GE;
    m.klass = OPC_SFU_RCP;
    m.dst[0] = lower_temp_pred(l);
    m.src[0] = dividend;
    m.src[0].mods = OPND_ABS;
    m.src[1] = opnd_imm(0x00800000); // the smallest normal number
    lower_put(l, &m);
    return m.dst[0];
}

static void slower_way(struct lower *l, struct opnd is_fast, struct opnd quotient) {
    if (is_fast.kind == OPND_NONE) return;
    const int32_t over = (int32_t)l->f->label_at.n;
    vec_push(l->arena, &l->f->label_at, -1);
    struct minst bra = lower_new(l, OP_BRA, ITYPE_NONE);
    bra.guard = is_fast.reg;
    bra.target = over;
    lower_put(l, &bra);
    struct minst m = lower_new(l, OP_FADD, ITYPE_F32);
    m.dst[0] = m.src[0] = quotient;
    m.src[1] = opnd_imm(0x80000000);
    lower_put_cost(l, &m, LOWER_COST_FDIV_SLOW);
    l->f->label_at.at[over] = (int32_t)l->f->inst.n;
}

// div.{rnd,approx,full}; PTX before 1.4 had none of them: approx for f32, rn for f64
void lower_fp_div(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_type(l, i, 0);
    const enum mrnd rnd = lower_rounding(i);
    struct minst m = lower_new(l, t == ITYPE_F64 ? OP_DDIV : OP_FDIV, t);
    m.rnd = (uint8_t)(rnd == MRND_NONE ? MRND_RN : rnd);
    m.flags = lower_fp_flags(l, i, t);
    m.dst[0] = lower_dst(l, &i->operand[0], t);
    m.src[0] = lower_src(l, &i->operand[1], t);
    m.src[1] = lower_src(l, &i->operand[2], t);
    enum lower_cost cost = t == ITYPE_F64 ? LOWER_COST_DDIV : LOWER_COST_FDIV_RN;
    if (t == ITYPE_F32 && ptx_has(i, PTX_MOD_full)) {
        m.flags |= MF_FULL;
        cost = m.flags & MF_FTZ ? LOWER_COST_FDIV_FULL_FTZ : LOWER_COST_FDIV_FULL;
    } else if (t == ITYPE_F32 && rnd == MRND_NONE) {
        m.flags |= MF_APPROX;
        cost = m.flags & MF_FTZ ? LOWER_COST_FDIV_APPROX_FTZ : LOWER_COST_FDIV_APPROX;
    }
    const bool is_exact = cost == LOWER_COST_FDIV_RN;
    const struct opnd is_fast = is_exact ? check_dividend(l, m.src[0]) : opnd_none();
    lower_put_cost(l, &m, cost);
    slower_way(l, is_fast, m.dst[0]);
}

// What the special function unit costs with subnormals flushed, and without.
static const struct {
    uint8_t ftz, full;
} mufu_cost[] = {
    [MUFU_RCP] = {LOWER_COST_RCP_FTZ, LOWER_COST_RCP},
    [MUFU_RSQ] = {LOWER_COST_RCP_FTZ, LOWER_COST_RSQ},
    [MUFU_SQRT] = {LOWER_COST_SQRT_FTZ, LOWER_COST_SQRT},
    [MUFU_EX2] = {LOWER_COST_EX2_FTZ, LOWER_COST_EX2},
    [MUFU_LG2] = {LOWER_COST_LG2_FTZ, LOWER_COST_LG2},
    [MUFU_SIN] = {LOWER_COST_SINCOS, LOWER_COST_SINCOS},
    [MUFU_COS] = {LOWER_COST_SINCOS, LOWER_COST_SINCOS},
    [MUFU_TANH] = {LOWER_COST_TANH, LOWER_COST_TANH},
};

static void unary_half(struct lower *l, const struct ptx_inst *i, enum isa_type t, unsigned f) {
    if (f != MUFU_EX2 && f != MUFU_TANH) {
        lower_refuse(l, "no form of it computes on halves");
        return;
    }
    struct minst m = lower_new(l, f == MUFU_EX2 ? OP_HEX2 : OP_HTANH, t);
    m.flags = lower_fp_flags(l, i, t);
    m.dst[0] = lower_dst(l, &i->operand[0], t);
    m.src[0] = lower_in_reg(l, lower_src(l, &i->operand[1], t));
    lower_put_cost(l, &m, lower_is_packed(t) ? LOWER_COST_HALF_SFUX2 : LOWER_COST_HALF_SFU);
}

// rcp, sqrt, rsqrt, sin, cos, lg2, ex2, tanh; approximate unless a rounding is named
void lower_fp_unary(struct lower *l, const struct ptx_inst *i, unsigned f) {
    const enum isa_type t = lower_type(l, i, 0);
    if (lower_is_half(t)) {
        unary_half(l, i, t, f);
        return;
    }
    const enum mrnd rnd = lower_rounding(i);
    const bool approx =
        ptx_has(i, PTX_MOD_approx) || f == MUFU_RSQ || (rnd == MRND_NONE && t == ITYPE_F32);
    struct minst m = lower_new(l, OP_MUFU, t);
    m.flags = lower_fp_flags(l, i, t);
    m.dst[0] = lower_dst(l, &i->operand[0], t);
    m.src[0] = lower_in_reg(l, lower_src(l, &i->operand[1], t));
    enum lower_cost cost;
    if (approx && t == ITYPE_F64) {
        m.sub = f == MUFU_RCP ? MUFU_RCP64 : MUFU_RSQ64;
        cost = f == MUFU_RCP || (m.flags & MF_FTZ) ? LOWER_COST_RCP64 : LOWER_COST_RSQ64;
    } else if (approx) {
        m.sub = (uint8_t)f;
        cost = (enum lower_cost)(m.flags & MF_FTZ ? mufu_cost[f].ftz : mufu_cost[f].full);
    } else {
        static const struct {
            uint16_t op;
            uint8_t cost;
        } exact[2][2] = {{{OP_FRCP, LOWER_COST_FRCP_RN}, {OP_FSQRT, LOWER_COST_FSQRT_RN}},
                         {{OP_DRCP, LOWER_COST_DRCP}, {OP_DSQRT, LOWER_COST_DSQRT}}};
        m.op = exact[t == ITYPE_F64][f == MUFU_SQRT].op;
        m.rnd = (uint8_t)(rnd == MRND_NONE ? MRND_RN : rnd);
        cost = (enum lower_cost)exact[t == ITYPE_F64][f == MUFU_SQRT].cost;
    }
    lower_put_cost(l, &m, cost);
}

void lower_fp_testp(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    static const uint16_t classes[] = {PTX_MOD_finite,     PTX_MOD_infinite, PTX_MOD_number,
                                      PTX_MOD_notanumber, PTX_MOD_normal,   PTX_MOD_subnormal};
    const enum isa_type t = lower_type(l, i, 0);
    struct minst m = lower_new(l, OP_FTESTP, t);
    for (unsigned k = 0; k < WW_COUNT(classes); k++)
        if (ptx_has(i, (enum ptx_mod)classes[k])) m.sub = (uint8_t)k;
    m.dst[0] = lower_dst_pred(l, &i->operand[0]);
    m.src[0] = lower_in_reg(l, lower_src(l, &i->operand[1], t));
    lower_put_cost(l, &m, t == ITYPE_F64 ? LOWER_COST_DTESTP : LOWER_COST_FTESTP);
}

void lower_fp_copysign(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_type(l, i, 0);
    struct minst m = lower_new(l, t == ITYPE_F64 ? OP_DCOPYSIGN : OP_FCOPYSIGN, t);
    m.dst[0] = lower_dst(l, &i->operand[0], t);
    m.src[0] = lower_src(l, &i->operand[1], t);
    m.src[1] = lower_src(l, &i->operand[2], t);
    lower_put_cost(l, &m, t == ITYPE_F64 ? LOWER_COST_DCOPYSIGN : LOWER_COST_FCOPYSIGN);
}
