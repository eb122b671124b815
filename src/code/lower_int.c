// Integer arithmetic. 64-bit addition and the low half of a 64-bit product are words with a carry,
// as the machines do them; what has no such form is one operation and its fillers.
#include "code/lower_priv.h"

static unsigned bits_of(enum isa_type t) { return isa_type_bits(t); }

static bool is_x2(enum isa_type t) { return t == ITYPE_U16X2 || t == ITYPE_S16X2; }

// n, for a literal 2^n.
static int power_of_two(const struct opnd *o) {
    if (o->kind != OPND_IMM || o->mods || !bits_is_pow2(o->imm)) return -1;
    return (int)bits_first64(o->imm);
}

static unsigned carry_of(const struct ptx_inst *i) {
    const bool in = i->op == PTX_OP_addc || i->op == PTX_OP_subc || i->op == PTX_OP_madc;
    return (in ? CARRY_IN : 0u) | (ptx_has(i, PTX_MOD_cc) ? CARRY_OUT : 0u);
}

// add, sub, addc, subc; sub: 1 subtracts
void lower_int_add(struct lower *l, const struct ptx_inst *i, unsigned sub) {
    const enum isa_type t = lower_type(l, i, 0);
    const struct opnd d = lower_dst(l, &i->operand[0], t);
    const struct opnd a = lower_src(l, &i->operand[1], t);
    struct opnd b = lower_src(l, &i->operand[2], t);
    const unsigned carry = carry_of(i);
    if (bits_of(t) == 64) {
        lower_add64(l, d, a, b, sub, carry & CARRY_IN, carry & CARRY_OUT);
        return;
    }
    struct minst m = lower_new(l, is_x2(t) ? OP_IADD64 : OP_IADD, t);
    m.flags = ptx_has(i, PTX_MOD_sat) ? MF_SAT : 0u;
    lower_carry(&m, carry);
    if (sub && b.kind == OPND_IMM && !m.flags && !carry && !is_x2(t))
        b.imm = (uint32_t)(0 - b.imm);
    else if (sub)
        b = opnd_mod(b, OPND_NEG);
    m.dst[0] = d;
    m.src[0] = a;
    m.src[1] = b;
    if (is_x2(t))
        lower_put_cost(l, &m, LOWER_COST_ADDX2);
    else
        lower_put(l, &m);
}

// ---- products -----------------------------------------------------------------------------

static void put_mul(struct lower *l, enum isa_type t, struct opnd d, struct opnd a, struct opnd b,
                    uint32_t flags) {
    struct minst m = lower_new(l, OP_IMUL, t);
    m.flags = flags;
    m.dst[0] = d;
    m.src[0] = a;
    m.src[1] = b;
    lower_put_cost(l, &m,
                   bits_of(t) == 16        ? LOWER_COST_IMUL16
                   : !(flags & MF_HI)      ? LOWER_COST_IMUL32
                   : isa_type_is_signed(t) ? LOWER_COST_IMULHI_S32
                                           : LOWER_COST_IMULHI_U32);
}

static void put_mad(struct lower *l, enum isa_type t, struct opnd d, struct opnd a, struct opnd b,
                    struct opnd c, uint32_t flags, unsigned carry) {
    struct minst m = lower_new(l, OP_IMAD, t);
    m.flags = flags;
    lower_carry(&m, carry);
    m.dst[0] = d;
    m.src[0] = a;
    m.src[1] = b;
    m.src[2] = c;
    lower_put_cost(l, &m,
                   bits_of(t) == 16        ? LOWER_COST_IMAD16
                   : !(flags & MF_HI)      ? LOWER_COST_IMAD32
                   : isa_type_is_signed(t) ? LOWER_COST_IMADHI_S32
                                           : LOWER_COST_IMADHI_U32);
}

// d = a * b in full, from 32 bits to 64.
static void wide_mul(struct lower *l, enum isa_type t, struct opnd d, struct opnd a,
                     struct opnd b) {
    int n = power_of_two(&b);
    if (n < 0 && (n = power_of_two(&a)) >= 0) {
        const struct opnd factor = a;
        a = b;
        b = factor;
    }
    const struct opnd src[2] = {a, b};
    const struct opnd to = lower_dst_begin(l, d, src, 2);
    if (n == 0) {
        lower_mov(l, opnd_word(to, 0), a);
        if (isa_type_is_signed(t))
            lower_shift(l, OP_SHR, t, opnd_word(to, 1), a, 31);
        else
            lower_mov(l, opnd_word(to, 1), opnd_imm(0));
    } else if (n > 0 && n < 32 && !(n == 31 && isa_type_is_signed(t))) {
        lower_shift(l, OP_SHL, t, opnd_word(to, 0), a, (unsigned)n);
        lower_shift(l, OP_SHR, t, opnd_word(to, 1), a, 32u - (unsigned)n);
    } else {
        put_mul(l, t, opnd_word(to, 0), a, b, 0);
        put_mul(l, t, opnd_word(to, 1), a, b, MF_HI);
    }
    lower_dst_end(l, d, to);
}

static bool keeps_carry(const struct lower *l) {
    return l->carry_live && l->carry_live[l->at_index];
}

// The low word of a product is written before the last reads of its sources: where d is one of
// them it goes through a register of its own.
static struct opnd low_word(struct lower *l, struct opnd d, const struct opnd *src, unsigned n) {
    for (unsigned k = 0; k < n; k++)
        if (opnd_same_reg(d, src[k])) return lower_temp(l, 1);
    return opnd_word(d, 0);
}

// Low 64 bits of a product: low by low in full, and both cross products into the high word.
static void low_mul64(struct lower *l, struct opnd d, struct opnd a, struct opnd b) {
    const int n = power_of_two(&b);
    if (n >= 0) {
        lower_shl64(l, d, a, (unsigned)n);
        return;
    }
    const struct opnd src[2] = {a, b};
    const struct opnd low = low_word(l, d, src, 2);
    const struct opnd hi = lower_temp(l, 1), cross = lower_temp(l, 1);
    put_mul(l, ITYPE_U32, low, opnd_word(a, 0), opnd_word(b, 0), 0);
    put_mul(l, ITYPE_U32, hi, opnd_word(a, 0), opnd_word(b, 0), MF_HI);
    put_mad(l, ITYPE_U32, cross, opnd_word(a, 0), opnd_word(b, 1), hi, 0, CARRY_NONE);
    put_mad(l, ITYPE_U32, opnd_word(d, 1), opnd_word(a, 1), opnd_word(b, 0), cross, 0, CARRY_NONE);
    lower_mov(l, opnd_word(d, 0), low);
}

static void put_mul64_hi(struct lower *l, enum isa_type t, struct opnd d, struct opnd a,
                         struct opnd b) {
    struct minst m = lower_new(l, OP_IMUL64, t);
    m.flags = MF_HI;
    m.dst[0] = d;
    m.src[0] = a;
    m.src[1] = b;
    lower_put_cost(l, &m, LOWER_COST_IMULHI64);
}

void lower_int_mul(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_type(l, i, 0);
    const bool wide = ptx_has(i, PTX_MOD_wide), hi = ptx_has(i, PTX_MOD_hi);
    const struct opnd a = lower_src(l, &i->operand[1], t), b = lower_src(l, &i->operand[2], t);
    if (bits_of(t) == 64) {
        const struct opnd d = lower_dst(l, &i->operand[0], t);
        if (hi)
            put_mul64_hi(l, t, d, a, b);
        else
            low_mul64(l, d, a, b);
        return;
    }
    if (bits_of(t) == 32 && wide) {
        wide_mul(l, t, lower_dst(l, &i->operand[0], ITYPE_U64), a, b);
        return;
    }
    const struct opnd d = lower_dst(l, &i->operand[0], wide ? ITYPE_U32 : t);
    const int n = power_of_two(&b);
    if (!hi && !wide && n >= 0)
        lower_shift(l, OP_SHL, ITYPE_B32, d, a, (unsigned)n);
    else
        put_mul(l, t, d, a, b, hi ? MF_HI : 0u);
}

// 64-bit product plus 64-bit c, with the carries of madc.
static void mad64(struct lower *l, const struct ptx_inst *i, enum isa_type t, struct opnd d,
                  struct opnd a, struct opnd b, struct opnd c) {
    const unsigned carry = carry_of(i);
    if (ptx_has(i, PTX_MOD_hi) && !carry) {
        struct minst m = lower_new(l, OP_IMAD64, t);
        m.flags = MF_HI;
        m.dst[0] = d;
        m.src[0] = a;
        m.src[1] = b;
        m.src[2] = c;
        lower_put_cost(l, &m, LOWER_COST_IMADHI64);
        return;
    }
    if (carry || keeps_carry(l)) { // the product must leave the carry alone
        const struct opnd p = lower_temp(l, 2);
        struct minst m = lower_new(l, OP_IMUL64, t);
        m.flags = ptx_has(i, PTX_MOD_hi) ? MF_HI : 0u;
        m.dst[0] = p;
        m.src[0] = a;
        m.src[1] = b;
        lower_put_cost(l, &m, m.flags ? LOWER_COST_IMULHI64 : LOWER_COST_IMUL64);
        lower_add64(l, d, p, c, false, carry & CARRY_IN, carry & CARRY_OUT);
        return;
    }
    const struct opnd src[2] = {a, b};
    const struct opnd low = low_word(l, d, src, 2);
    const struct opnd hi = lower_temp(l, 1), cross = lower_temp(l, 1);
    put_mad(l, ITYPE_U32, low, opnd_word(a, 0), opnd_word(b, 0), opnd_word(c, 0), 0, CARRY_OUT);
    put_mad(l, ITYPE_U32, hi, opnd_word(a, 0), opnd_word(b, 0), opnd_word(c, 1), MF_HI, CARRY_IN);
    put_mad(l, ITYPE_U32, cross, opnd_word(a, 0), opnd_word(b, 1), hi, 0, CARRY_NONE);
    put_mad(l, ITYPE_U32, opnd_word(d, 1), opnd_word(a, 1), opnd_word(b, 0), cross, 0, CARRY_NONE);
    lower_mov(l, opnd_word(d, 0), low);
}

static void wide_mad(struct lower *l, enum isa_type t, struct opnd d, struct opnd a, struct opnd b,
                     struct opnd c) {
    // Where products are dear, a power of two is shifts and an addition; and a carry of the PTX's
    // own must survive.
    if (keeps_carry(l) || (!gen_has(l->gen, TRAIT_CHEAP_PRODUCT) && power_of_two(&b) >= 0)) {
        const struct opnd p = lower_temp(l, 2);
        wide_mul(l, t, p, a, b);
        lower_add64(l, d, p, c, false, false, false);
        return;
    }
    const struct opnd src[3] = {a, b, opnd_none()};
    const struct opnd to = lower_dst_begin(l, d, src, 2);
    put_mad(l, t, opnd_word(to, 0), a, b, opnd_word(c, 0), 0, CARRY_OUT);
    put_mad(l, t, opnd_word(to, 1), a, b, opnd_word(c, 1), MF_HI, CARRY_IN);
    lower_dst_end(l, d, to);
}

void lower_int_mad(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_type(l, i, 0);
    const bool wide = ptx_has(i, PTX_MOD_wide), hi = ptx_has(i, PTX_MOD_hi);
    const struct opnd a = lower_src(l, &i->operand[1], t), b = lower_src(l, &i->operand[2], t);
    if (bits_of(t) == 64 || (bits_of(t) == 32 && wide)) {
        const struct opnd d = lower_dst(l, &i->operand[0], ITYPE_U64);
        const struct opnd c = lower_src(l, &i->operand[3], bits_of(t) == 64 ? t : ITYPE_U64);
        if (bits_of(t) == 64)
            mad64(l, i, t, d, a, b, c);
        else
            wide_mad(l, t, d, a, b, c);
        return;
    }
    const enum isa_type ct = wide ? (isa_type_is_signed(t) ? ITYPE_S32 : ITYPE_U32) : t;
    const struct opnd d = lower_dst(l, &i->operand[0], ct), c = lower_src(l, &i->operand[3], ct);
    const uint32_t flags = (hi ? MF_HI : 0u) | (ptx_has(i, PTX_MOD_sat) ? MF_SAT : 0u);
    const unsigned carry = carry_of(i);
    const int n = power_of_two(&b);
    if (!flags && !carry && !wide && n >= 0 && n < 32) {
        if (!gen_has(l->gen, TRAIT_SCALED_ADD) || n == 0) {
            const struct opnd s = n ? lower_temp(l, 1) : a;
            if (n) lower_shift(l, OP_SHL, ITYPE_B32, s, a, (unsigned)n);
            lower_iadd(l, d, s, c, 0);
            return;
        }
        struct minst m = lower_new(l, OP_ISCADD, ITYPE_U32);
        m.sub = (uint8_t)n;
        m.dst[0] = d;
        m.src[0] = a;
        m.src[1] = c;
        lower_put(l, &m);
        return;
    }
    put_mad(l, t, d, a, b, c, flags, carry);
}

void lower_int_mul24(struct lower *l, const struct ptx_inst *i, unsigned mad) {
    const enum isa_type t = lower_type(l, i, 0);
    struct minst m = lower_new(l, mad ? OP_IMAD24 : OP_IMUL24, t);
    m.flags = (ptx_has(i, PTX_MOD_hi) ? MF_HI : 0u) | (ptx_has(i, PTX_MOD_sat) ? MF_SAT : 0u);
    m.dst[0] = lower_dst(l, &i->operand[0], t);
    m.src[0] = lower_src(l, &i->operand[1], t);
    m.src[1] = lower_src(l, &i->operand[2], t);
    if (mad) m.src[2] = lower_src(l, &i->operand[3], t);
    lower_put_cost(l, &m, mad ? LOWER_COST_IMAD24 : LOWER_COST_IMUL24);
}

// ---- division -----------------------------------------------------------------------------

void lower_int_div(struct lower *l, const struct ptx_inst *i, unsigned rem) {
    const enum isa_type t = lower_type(l, i, 0);
    const struct opnd d = lower_dst(l, &i->operand[0], t);
    const struct opnd a = lower_src(l, &i->operand[1], t), b = lower_src(l, &i->operand[2], t);
    const int n = power_of_two(&b);
    const bool is_signed = isa_type_is_signed(t);
    if (n >= 0 && !is_signed && bits_of(t) <= 32) { // what every assembler does
        if (rem)
            lower_logic(l, MLOGIC_AND, d, a, opnd_imm((1ull << n) - 1));
        else
            lower_shift(l, OP_SHR, t, d, a, (unsigned)n);
        return;
    }
    static const uint8_t cost[2][2] = {{LOWER_COST_IDIV_U32, LOWER_COST_IDIV_S32},
                                       {LOWER_COST_IREM_U32, LOWER_COST_IREM_S32}};
    struct minst m = lower_new(l, rem ? OP_IREM : OP_IDIV, t);
    m.dst[0] = d;
    m.src[0] = a;
    m.src[1] = b;
    lower_put_cost(l, &m,
                   bits_of(t) == 64   ? LOWER_COST_IDIV64
                   : bits_of(t) == 16 ? LOWER_COST_IDIV16
                                      : (enum lower_cost)cost[rem][is_signed]);
}

// ---- one and two sources ------------------------------------------------------------------

void lower_int_sad(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_type(l, i, 0);
    struct minst m = lower_new(l, bits_of(t) == 64 ? OP_ISAD64 : OP_ISAD, t);
    m.dst[0] = lower_dst(l, &i->operand[0], t);
    for (unsigned s = 0; s < 3; s++) m.src[s] = lower_src(l, &i->operand[s + 1], t);
    lower_put_cost(l, &m, bits_of(t) == 64 ? LOWER_COST_ISAD64 : LOWER_COST_ISAD);
}

void lower_int_abs(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_type(l, i, 0);
    struct minst m = lower_new(l, bits_of(t) == 64 ? OP_IABS64 : OP_IABS, t);
    m.dst[0] = lower_dst(l, &i->operand[0], t);
    m.src[0] = lower_in_reg(l, lower_src(l, &i->operand[1], t));
    if (bits_of(t) == 64)
        lower_put_cost(l, &m, LOWER_COST_IABS64);
    else
        lower_put(l, &m);
}

void lower_int_neg(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_type(l, i, 0);
    const struct opnd d = lower_dst(l, &i->operand[0], t);
    const struct opnd a = lower_src(l, &i->operand[1], t);
    if (bits_of(t) == 64)
        lower_add64(l, d, opnd_imm64(0), a, true, false, false);
    else if (a.kind == OPND_IMM)
        lower_mov(l, d, opnd_imm((uint32_t)(0 - a.imm)));
    else
        lower_iadd(l, d, opnd_imm(0), opnd_mod(a, OPND_NEG), 0);
}

// ptxas 11.8 makes every 32-bit minimum and maximum of sm_70 so; of sm_75 it makes IMNMX.
static void split_minmax(struct lower *l, const struct ptx_inst *i, enum isa_type t, unsigned max) {
    const struct opnd d = lower_dst(l, &i->operand[0], t), p = lower_temp_pred(l);
    const struct opnd a = lower_in_reg(l, lower_src(l, &i->operand[1], t));
    const struct opnd b = lower_src(l, &i->operand[2], t);
    struct minst m = lower_new(l, OP_ISETP, t);
    m.cmp = max ? MCMP_GT : MCMP_LT;
    m.dst[0] = p;
    m.src[0] = a;
    m.src[1] = b;
    lower_put(l, &m);
    lower_sel(l, d, a, b, p);
}

void lower_int_minmax(struct lower *l, const struct ptx_inst *i, unsigned max) {
    const enum isa_type t = lower_type(l, i, 0);
    if ((t == ITYPE_S32 || t == ITYPE_U32) && !ptx_has(i, PTX_MOD_relu) &&
        gen_has(l->gen, TRAIT_SPLIT_MINMAX)) {
        split_minmax(l, i, t, max);
        return;
    }
    struct minst m = lower_new(l, bits_of(t) == 64 ? OP_IMNMX64 : OP_IMNMX, t);
    m.sub = (uint8_t)max;
    m.flags = ptx_has(i, PTX_MOD_relu) ? MF_RELU : 0u;
    m.dst[0] = lower_dst(l, &i->operand[0], t);
    m.src[0] = lower_src(l, &i->operand[1], t);
    m.src[1] = lower_src(l, &i->operand[2], t);
    if (bits_of(t) == 64)
        lower_put_cost(l, &m, LOWER_COST_IMNMX64);
    else if (is_x2(t))
        lower_put_cost(l, &m, LOWER_COST_MNMXX2);
    else
        lower_put(l, &m);
}

// popc, clz, bfind: a word from one word or two
void lower_int_bits(struct lower *l, const struct ptx_inst *i, unsigned op) {
    const enum isa_type t = lower_type(l, i, 0);
    const bool two = bits_of(t) == 64;
    const struct opnd d = lower_dst(l, &i->operand[0], ITYPE_U32);
    struct opnd a = lower_in_reg(l, lower_src(l, &i->operand[1], t));
    struct minst m = lower_new(l, (enum mop)op, t);
    if (op == OP_POPC && two) { // both words, and the sum
        const struct opnd n[2] = {lower_temp(l, 1), lower_temp(l, 1)};
        m.type = ITYPE_B32;
        for (unsigned w = 0; w < 2; w++) {
            struct minst part = m;
            part.dst[0] = n[w];
            part.src[0] = opnd_word(a, w);
            lower_put_cost(l, &part, LOWER_COST_POPC32);
        }
        lower_iadd(l, d, n[0], n[1], 0);
        return;
    }
    m.flags = ptx_has(i, PTX_MOD_shiftamt) ? MF_SHIFTAMT : 0u;
    m.dst[0] = d;
    m.src[0] = a;
    static const uint8_t cost[3][2] = {{LOWER_COST_POPC32, LOWER_COST_POPC32},
                                       {LOWER_COST_CLZ32, LOWER_COST_CLZ64},
                                       {LOWER_COST_FLO32, LOWER_COST_FLO64}};
    lower_put_cost(l, &m, (enum lower_cost)cost[op == OP_POPC ? 0 : op == OP_CLZ ? 1 : 2][two]);
}

void lower_int_brev(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_type(l, i, 0);
    const struct opnd d = lower_dst(l, &i->operand[0], t);
    const struct opnd a = lower_in_reg(l, lower_src(l, &i->operand[1], t));
    const unsigned words = lower_words(t);
    const struct opnd to = words == 2 ? lower_dst_begin(l, d, &a, 1) : d;
    for (unsigned w = 0; w < words; w++) {
        struct minst m = lower_new(l, OP_BREV, ITYPE_B32);
        m.dst[0] = opnd_word(to, w);
        m.src[0] = opnd_word(a, words - 1 - w);
        lower_put_cost(l, &m, LOWER_COST_BREV32);
    }
    lower_dst_end(l, d, to);
}

// fns d, mask, base, offset; bmsk d, a, b; szext d, a, b
void lower_int_three(struct lower *l, const struct ptx_inst *i, unsigned op) {
    const enum isa_type t = lower_type(l, i, 0);
    struct minst m = lower_new(l, (enum mop)op, t);
    m.flags = ptx_has(i, PTX_MOD_wrap) ? MF_WRAP : 0u;
    m.dst[0] = lower_dst(l, &i->operand[0], t);
    for (unsigned s = 0; s + 1 < i->n_operands; s++)
        m.src[s] = lower_src(l, &i->operand[s + 1], ITYPE_B32);
    lower_put_cost(l, &m,
                   op == OP_FNS    ? LOWER_COST_FNS
                   : op == OP_BMSK ? LOWER_COST_BMSK
                                   : LOWER_COST_SZEXT);
}

// bfe d, a, b, c; bfi f, a, b, c, d: positions and lengths are words
void lower_int_field(struct lower *l, const struct ptx_inst *i, unsigned op) {
    const enum isa_type t = lower_type(l, i, 0);
    const unsigned values = op == OP_BFE ? 1 : 2;
    struct minst m = lower_new(l, (enum mop)op, t);
    m.dst[0] = lower_dst(l, &i->operand[0], t);
    bool in_regs = false;
    for (unsigned s = 0; s + 1 < i->n_operands; s++) {
        m.src[s] = lower_src(l, &i->operand[s + 1], s < values ? t : ITYPE_U32);
        in_regs = in_regs || (s >= values && m.src[s].kind != OPND_IMM);
    }
    static const uint8_t cost[2][3] = {{LOWER_COST_BFE32, LOWER_COST_BFE32_REG, LOWER_COST_BFE64},
                                       {LOWER_COST_BFI32, LOWER_COST_BFI32_REG, LOWER_COST_BFI64}};
    lower_put_cost(l, &m, (enum lower_cost)cost[op == OP_BFI][bits_of(t) == 64 ? 2 : in_regs]);
}

// dp4a.atype.btype d, a, b, c; dp2a.{lo,hi}.atype.btype
void lower_int_dot(struct lower *l, const struct ptx_inst *i, unsigned op) {
    struct minst m = lower_new(l, (enum mop)op, lower_type(l, i, 0));
    m.stype = (uint8_t)lower_type(l, i, 1);
    m.flags = ptx_has(i, PTX_MOD_hi) ? MF_HI : 0u;
    m.dst[0] = lower_dst(l, &i->operand[0], ITYPE_U32);
    for (unsigned s = 0; s < 3; s++) m.src[s] = lower_src(l, &i->operand[s + 1], ITYPE_U32);
    lower_put_cost(l, &m, op == OP_DP4A ? LOWER_COST_DP4A : LOWER_COST_DP2A);
}
