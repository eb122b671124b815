// Bitwise logic, shifts and permutations; logic of predicates.
#include "code/lower_priv.h"

void lower_psetp(struct lower *l, enum mlogic f, struct opnd d, struct opnd a, struct opnd b) {
    struct minst m = lower_new(l, OP_PSETP, ITYPE_PRED);
    m.sub = (uint8_t)f;
    m.dst[0] = d;
    m.src[0] = a;
    m.src[1] = b;
    lower_put(l, &m);
}

struct opnd lower_plain_pred(struct lower *l, struct opnd p) {
    if (!(p.mods & OPND_NOT)) return p;
    const struct opnd t = lower_temp_pred(l);
    lower_psetp(l, MLOGIC_AND, t, p, opnd_none());
    return t;
}

// and, or, xor of 16, 32, 64 bits or predicates
void lower_logic_two(struct lower *l, const struct ptx_inst *i, unsigned f) {
    const enum isa_type t = lower_type(l, i, 0);
    if (t == ITYPE_PRED) {
        lower_psetp(l, (enum mlogic)f, lower_dst_pred(l, &i->operand[0]),
                    lower_src_pred(l, &i->operand[1]), lower_src_pred(l, &i->operand[2]));
        return;
    }
    const struct opnd d = lower_dst(l, &i->operand[0], t);
    const struct opnd a = lower_src(l, &i->operand[1], t), b = lower_src(l, &i->operand[2], t);
    for (unsigned w = 0; w < lower_words(t); w++)
        lower_logic(l, (enum mlogic)f, opnd_word(d, w), opnd_word(a, w), opnd_word(b, w));
}

static void put_not(struct lower *l, struct opnd d, struct opnd a) {
    if (a.kind == OPND_IMM) {
        lower_mov(l, d, opnd_imm(~a.imm));
        return;
    }
    struct minst m = lower_new(l, OP_LOP, ITYPE_B32);
    m.sub = MLOGIC_PASS_B;
    m.dst[0] = d;
    m.src[0] = opnd_imm(0);
    m.src[1] = opnd_mod(a, OPND_NOT);
    lower_put(l, &m);
}

void lower_logic_not(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_type(l, i, 0);
    if (t == ITYPE_PRED) {
        lower_psetp(l, MLOGIC_AND, lower_dst_pred(l, &i->operand[0]),
                    opnd_mod(lower_src_pred(l, &i->operand[1]), OPND_NOT), opnd_none());
        return;
    }
    const struct opnd d = lower_dst(l, &i->operand[0], t), a = lower_src(l, &i->operand[1], t);
    for (unsigned w = 0; w < lower_words(t); w++) put_not(l, opnd_word(d, w), opnd_word(a, w));
}

// d = a == 0 ? 1 : 0
void lower_logic_cnot(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_unsigned(lower_type(l, i, 0));
    const struct opnd d = lower_dst(l, &i->operand[0], t), p = lower_temp_pred(l);
    struct minst m = lower_new(l, OP_ISETP, t);
    m.cmp = MCMP_EQ;
    m.dst[0] = p;
    m.src[0] = lower_in_reg(l, lower_src(l, &i->operand[1], t));
    m.src[1] = lower_words(t) == 2 ? opnd_imm64(0) : opnd_imm(0);
    if (lower_words(t) == 2)
        lower_put_cost(l, &m, LOWER_COST_ICMP64);
    else
        lower_put(l, &m);
    lower_sel(l, opnd_word(d, 0), opnd_imm(1), opnd_imm(0), p);
    if (lower_words(t) == 2) lower_mov(l, opnd_word(d, 1), opnd_imm(0));
}

// ---- three-input logic --------------------------------------------------------------------

// How many two-input operations (inputs free to be inverted, in any order) compute the table.
static unsigned lop3_steps(unsigned lut) {
    static const uint8_t in[3] = {0xf0, 0xcc, 0xaa};
    for (unsigned x = 0; x < 3; x++) {
        for (unsigned y = 0; y < 3; y++) {
            if (y == x) continue;
            const unsigned z = 3 - x - y;
            for (unsigned n = 0; n < 16; n++) {
                const unsigned vx = in[x] ^ (n & 1 ? 0xffu : 0), vy = in[y] ^ (n & 2 ? 0xffu : 0);
                const unsigned vz = in[z] ^ (n & 4 ? 0xffu : 0), flip = n & 8 ? 0xffu : 0;
                const unsigned two[4] = {vx & vy, vx | vy, vx ^ vy, vx};
                for (unsigned f = 0; f < 4; f++) {
                    const unsigned v = (two[f] ^ flip) & 0xff;
                    if (v == lut) return 1;
                    if (f == 3) continue;
                    if (((v & vz) & 0xff) == lut || ((v | vz) & 0xff) == lut ||
                        ((v ^ vz) & 0xff) == lut)
                        return 2;
                }
            }
        }
    }
    return lut == 0 || lut == 0xff ? 1 : 3;
}

// lop3.b32 d, a, b, c, lut; lop3.op.b32 d|p, a, b, c, lut, q
void lower_logic_lop3(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    uint64_t lut = 0;
    if (!lower_int_literal(&i->operand[4], &lut)) lower_refuse(l, "the table must be a literal");
    struct minst m = lower_new(l, OP_LOP3, ITYPE_B32);
    m.sub = (uint8_t)lut;
    m.dst[0] = lower_dst(l, &i->operand[0], ITYPE_B32);
    for (unsigned s = 0; s < 3; s++) m.src[s] = lower_src(l, &i->operand[s + 1], ITYPE_B32);
    if (i->n_operands > 5) {
        m.dst[1] = lower_second_pred(l, &i->operand[0]);
        m.bop = (uint8_t)lower_bool_op(i);
        m.src[3] = lower_src_pred(l, &i->operand[5]);
    }
    static const uint8_t cost[] = {0, LOWER_COST_LOP3_1, LOWER_COST_LOP3_2, LOWER_COST_LOP3_3};
    lower_put_cost(l, &m, (enum lower_cost)cost[lop3_steps(m.sub)]);
}

// ---- shifts -------------------------------------------------------------------------------

// d = (high << n) + low, where the bits of low lie below 2^n.
static void join(struct lower *l, struct opnd d, struct opnd high, unsigned n, struct opnd low) {
    if (!gen_has(l->gen, TRAIT_SCALED_ADD)) {
        const struct opnd s = lower_temp(l, 1);
        lower_shift(l, OP_SHL, ITYPE_B32, s, high, n);
        lower_logic(l, MLOGIC_OR, d, s, low);
        return;
    }
    struct minst m = lower_new(l, OP_ISCADD, ITYPE_U32);
    m.sub = (uint8_t)n;
    m.dst[0] = d;
    m.src[0] = high;
    m.src[1] = low;
    lower_put(l, &m);
}

static void funnel(struct lower *l, struct opnd d, struct opnd low, struct opnd high, unsigned n,
                   bool left) {
    struct minst m = lower_new(l, OP_SHF, ITYPE_B32);
    m.flags = MF_WRAP | (left ? MF_LEFT : 0u);
    m.dst[0] = d;
    m.src[0] = low;
    m.src[1] = high;
    m.src[2] = opnd_imm(n);
    lower_put(l, &m);
}

void lower_shl64(struct lower *l, struct opnd d, struct opnd a, unsigned n) {
    a = lower_in_reg(l, a);
    if (n == 0) {
        lower_mov(l, d, a);
    } else if (n >= 32) { // the high word first: d may be a
        lower_shift(l, OP_SHL, ITYPE_B32, opnd_word(d, 1), opnd_word(a, 0), n - 32);
        lower_mov(l, opnd_word(d, 0), opnd_imm(0));
    } else if (gen_has(l->gen, TRAIT_FUNNEL)) {
        funnel(l, opnd_word(d, 1), opnd_word(a, 0), opnd_word(a, 1), n, true);
        lower_shift(l, OP_SHL, ITYPE_B32, opnd_word(d, 0), opnd_word(a, 0), n);
    } else {
        const struct opnd cross = lower_temp(l, 1);
        lower_shift(l, OP_SHR, ITYPE_U32, cross, opnd_word(a, 0), 32 - n);
        join(l, opnd_word(d, 1), opnd_word(a, 1), n, cross);
        lower_shift(l, OP_SHL, ITYPE_B32, opnd_word(d, 0), opnd_word(a, 0), n);
    }
}

void lower_shr64(struct lower *l, enum isa_type t, struct opnd d, struct opnd a, unsigned n) {
    const enum isa_type word = isa_type_is_signed(t) ? ITYPE_S32 : ITYPE_U32;
    a = lower_in_reg(l, a);
    if (n == 0) {
        lower_mov(l, d, a);
    } else if (n >= 32) {
        lower_shift(l, OP_SHR, word, opnd_word(d, 0), opnd_word(a, 1), n - 32);
        if (word == ITYPE_S32)
            lower_shift(l, OP_SHR, word, opnd_word(d, 1), opnd_word(a, 1), 31);
        else
            lower_mov(l, opnd_word(d, 1), opnd_imm(0));
    } else {
        if (gen_has(l->gen, TRAIT_FUNNEL)) {
            funnel(l, opnd_word(d, 0), opnd_word(a, 0), opnd_word(a, 1), n, false);
        } else {
            const struct opnd low = lower_temp(l, 1);
            lower_shift(l, OP_SHR, ITYPE_U32, low, opnd_word(a, 0), n);
            join(l, opnd_word(d, 0), opnd_word(a, 1), 32 - n, low);
        }
        lower_shift(l, OP_SHR, word, opnd_word(d, 1), opnd_word(a, 1), n);
    }
}

void lower_logic_shift(struct lower *l, const struct ptx_inst *i, unsigned left) {
    const enum isa_type t = lower_type(l, i, 0);
    const struct opnd d = lower_dst(l, &i->operand[0], t), a = lower_src(l, &i->operand[1], t);
    const struct opnd n = lower_src(l, &i->operand[2], ITYPE_U32);
    if (isa_type_bits(t) == 64 && n.kind == OPND_IMM) {
        const bool is_signed = isa_type_is_signed(t) && !left;
        const unsigned k = n.imm < 64 ? (unsigned)n.imm : is_signed ? 63 : 64;
        if (k == 64)
            lower_mov(l, d, opnd_imm64(0));
        else if (left)
            lower_shl64(l, d, a, k);
        else
            lower_shr64(l, t, d, a, k);
        return;
    }
    const bool two = isa_type_bits(t) == 64;
    struct minst m = lower_new(l,
                               left  ? two ? OP_SHL64 : OP_SHL
                               : two ? OP_SHR64
                                     : OP_SHR,
                               left                    ? t
                               : isa_type_is_signed(t) ? t
                                                       : lower_unsigned(t));
    m.dst[0] = d;
    m.src[0] = a;
    m.src[1] = n;
    if (two)
        lower_put_cost(l, &m, LOWER_COST_SHIFT64);
    else if (opnd_is_imm(&n, 0))
        lower_mov(l, d, a);
    else
        lower_put(l, &m);
}

// shf.{l,r}.{clamp,wrap}.b32 d, a, b, c
void lower_logic_shf(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    struct minst m = lower_new(l, OP_SHF, ITYPE_B32);
    m.flags = (ptx_has(i, PTX_MOD_l) ? MF_LEFT : 0u) | (ptx_has(i, PTX_MOD_wrap) ? MF_WRAP : 0u);
    m.dst[0] = lower_dst(l, &i->operand[0], ITYPE_B32);
    for (unsigned s = 0; s < 3; s++) m.src[s] = lower_src(l, &i->operand[s + 1], ITYPE_B32);
    lower_put_cost(l, &m, m.src[2].kind == OPND_IMM ? LOWER_COST_SHF_IMM : LOWER_COST_SHF);
}

// ---- permutation --------------------------------------------------------------------------

void lower_join(struct lower *l, struct opnd d, struct opnd low, struct opnd high, unsigned bits) {
    if (!gen_has(l->gen, TRAIT_PERMUTE)) {
        const struct opnd masked = lower_temp(l, 1), shifted = lower_temp(l, 1);
        lower_logic(l, MLOGIC_AND, masked, low, opnd_imm((1ull << bits) - 1));
        lower_shift(l, OP_SHL, ITYPE_B32, shifted, high, bits);
        lower_logic(l, MLOGIC_OR, d, masked, shifted);
        return;
    }
    struct minst m = lower_new(l, OP_PRMT, ITYPE_B32);
    m.sub = MPRMT_INDEX;
    m.dst[0] = d;
    m.src[0] = low;
    m.src[1] = high;
    m.src[2] = opnd_imm(bits == 16 ? 0x5410 : 0x0040);
    lower_put_cost(l, &m, LOWER_COST_PRMT);
}

void lower_logic_prmt(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    static const struct {
        uint16_t mod;
        uint8_t sub;
    } modes[] = {{PTX_MOD_f4e, MPRMT_F4E}, {PTX_MOD_b4e, MPRMT_B4E}, {PTX_MOD_rc8, MPRMT_RC8},
                 {PTX_MOD_ecl, MPRMT_ECL}, {PTX_MOD_ecr, MPRMT_ECR}, {PTX_MOD_rc16, MPRMT_RC16}};
    struct minst m = lower_new(l, OP_PRMT, ITYPE_B32);
    for (size_t k = 0; k < WW_COUNT(modes); k++)
        if (ptx_has(i, (enum ptx_mod)modes[k].mod)) m.sub = modes[k].sub;
    m.dst[0] = lower_dst(l, &i->operand[0], ITYPE_B32);
    for (unsigned s = 0; s < 3; s++) m.src[s] = lower_src(l, &i->operand[s + 1], ITYPE_B32);
    lower_put_cost(l, &m, LOWER_COST_PRMT);
}
