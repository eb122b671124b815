// Comparison and selection: predicates (setp), numbers (set), and choosing by either.
#include "code/lower_priv.h"

// What compares two values of a type.
struct compare {
    uint16_t setp, set;
    uint8_t cost64; // of integers of two words
};

static struct compare compare_of(enum isa_type t) {
    if (lower_is_half(t)) return (struct compare){OP_HSETP, OP_HSET, 0};
    if (t == ITYPE_F64) return (struct compare){OP_DSETP, OP_FSET, 0};
    if (t == ITYPE_F32) return (struct compare){OP_FSETP, OP_FSET, 0};
    return (struct compare){OP_ISETP, OP_ISET, isa_type_bits(t) == 64};
}

// Bit types compare as unsigned ones.
static enum isa_type compared_type(enum isa_type t) {
    return isa_type_class(t) == 'b' ? lower_unsigned(t) : t;
}

static void put_compare(struct lower *l, struct minst *m, enum isa_type t, struct compare c) {
    if (c.cost64)
        lower_put_cost(l, m, LOWER_COST_ICMP64);
    else if (lower_is_half(t))
        lower_put_cost(l, m, lower_is_packed(t) ? LOWER_COST_HALF2X2 : LOWER_COST_HALF2);
    else
        lower_put(l, m);
}

// setp.cmp{.bop}{.ftz}.type p{|q}, a, b{, {!}c}
void lower_cmp_setp(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = compared_type(lower_type(l, i, 0));
    const struct compare c = compare_of(t);
    struct minst m = lower_new(l, (enum mop)c.setp, t);
    m.stype = (uint8_t)t;
    m.cmp = (uint8_t)lower_comparison(i);
    m.flags = lower_fp_flags(l, i, t) & MF_FTZ;
    m.dst[0] = lower_dst_pred(l, &i->operand[0]);
    m.dst[1] = lower_second_pred(l, &i->operand[0]);
    if (m.dst[1].kind != OPND_NONE) m.flags |= MF_CMP3;
    m.src[0] = lower_src(l, &i->operand[1], t);
    m.src[1] = lower_src(l, &i->operand[2], t);
    if (i->n_operands > 3) {
        m.bop = (uint8_t)lower_bool_op(i);
        m.src[2] = lower_src_pred(l, &i->operand[3]);
    }
    put_compare(l, &m, t, c);
}

// set.cmp{.bop}{.ftz}.dtype.stype d, a, b{, {!}c}
void lower_cmp_set(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type dt = lower_type(l, i, 0), t = compared_type(lower_type(l, i, 1));
    const struct compare c = compare_of(t);
    struct minst m = lower_new(l, (enum mop)c.set, dt);
    m.stype = (uint8_t)t;
    m.cmp = (uint8_t)lower_comparison(i);
    m.flags = (lower_fp_flags(l, i, t) & MF_FTZ) | (isa_type_is_float(dt) ? MF_BOOLF : 0u);
    if (t == ITYPE_F64) m.klass = OPC_DP_CMP;
    m.dst[0] = lower_dst(l, &i->operand[0], dt);
    m.src[0] = lower_src(l, &i->operand[1], t);
    m.src[1] = lower_src(l, &i->operand[2], t);
    if (i->n_operands > 3) {
        m.bop = (uint8_t)lower_bool_op(i);
        m.src[2] = lower_src_pred(l, &i->operand[3]);
    }
    put_compare(l, &m, t, c);
}

void lower_sel(struct lower *l, struct opnd d, struct opnd a, struct opnd b, struct opnd p) {
    if (opnd_equal(&a, &b)) {
        lower_mov(l, d, a);
        return;
    }
    struct minst m = lower_new(l, OP_SEL, ITYPE_B32);
    m.dst[0] = d;
    m.src[0] = a;
    m.src[1] = b;
    m.src[2] = p;
    if (a.kind == OPND_IMM && opnd_is_imm(&b, 0)) { // the immediate belongs in the second slot
        m.src[0] = b;
        m.src[1] = a;
        m.src[2] = opnd_mod(p, OPND_NOT);
    }
    lower_put(l, &m);
}

void lower_cmp_selp(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_type(l, i, 0);
    const struct opnd d = lower_dst(l, &i->operand[0], t);
    const struct opnd a = lower_src(l, &i->operand[1], t), b = lower_src(l, &i->operand[2], t);
    const struct opnd p = lower_src_pred(l, &i->operand[3]);
    for (unsigned w = 0; w < lower_words(t); w++)
        lower_sel(l, opnd_word(d, w), opnd_word(a, w), opnd_word(b, w), p);
}

// slct{.ftz}.dtype.ctype d, a, b, c
void lower_cmp_slct(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_type(l, i, 0), ct = lower_type(l, i, 1);
    const struct opnd d = lower_dst(l, &i->operand[0], t);
    const struct opnd a = lower_src(l, &i->operand[1], t), b = lower_src(l, &i->operand[2], t);
    const struct opnd c = lower_src(l, &i->operand[3], ct);
    for (unsigned w = 0; w < lower_words(t); w++) {
        struct minst m = lower_new(l, OP_SLCT, ITYPE_B32);
        m.stype = (uint8_t)ct;
        m.flags = ct == ITYPE_F32 ? lower_fp_flags(l, i, ct) & MF_FTZ : 0u;
        if (ct == ITYPE_F32) m.klass = OPC_FP_CMP;
        m.dst[0] = opnd_word(d, w);
        m.src[0] = opnd_word(a, w);
        m.src[1] = opnd_word(b, w);
        m.src[2] = c;
        lower_put(l, &m);
    }
}
