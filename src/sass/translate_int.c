// Integers, logic, shifts, comparisons. What words say: encoding.def. What they compute: PTX ISA 9.0
// through the code that ptxas makes of it, and Mesa's folding of NVIDIA's instructions
// (src/nouveau/compiler/nak/ir.rs), which its authors run against hardware. Where a word is a sum,
// a move or a shift in the form of another operation it becomes the plain one.
#include "sass/translator.h"

// ---- helpers ----------------------------------------------------------------------------------
// The last source of a word that has two.
static struct opnd second(struct translator *t, uint32_t signs) {
    return t->in->guard_uniform ? tr_b(t, 1, signs) : tr_b2(t, 1, signs);
}
// A predicate result, none where it is PT; a predicate source, none where it is the neutral one.
static struct opnd result(struct translator *t, uint32_t lo) {
    const struct opnd p = tr_pred(t, lo);
    return pred_is_true(p.reg) ? tr_none() : p;
}
static struct opnd unless(struct opnd p, bool neutral) {
    return pred_is_true(p.reg) && !(p.mods & OPND_NOT) == neutral ? tr_none() : p;
}
static struct opnd carry(struct translator *t, uint32_t lo) {
    return unless(tr_pred_not(t, lo), false);
}
static bool is_number(const struct opnd *o, uint32_t v) {
    return (o->kind == OPND_IMM && o->imm == v) || (v == 0 && o->kind == OPND_ZERO);
}
static enum isa_type sign_at(struct translator *t, uint32_t at) {
    return tr_bit(t, at) ? ITYPE_S32 : ITYPE_U32;
}
static void one_source(struct translator *t, enum mop op, enum op_class klass, uint32_t signs) {
    tr_op(t, op, klass, ITYPE_U32);
    tr_dst(t, 1);
    t->m->src[0] = second(t, signs);
}
static void two_sources(struct translator *t, enum mop op, enum op_class klass,
                        enum isa_type type) {
    tr_op(t, op, klass, type);
    tr_dst(t, 1);
    t->m->src[0] = tr_a(t, 1, 0);
    t->m->src[1] = second(t, 0);
}
static void three_sources(struct translator *t, enum mop op, enum op_class klass,
                          enum isa_type type) {
    tr_op(t, op, klass, type);
    tr_dst(t, 1);
    t->m->src[0] = tr_a(t, 1, 0);
    t->m->src[1] = tr_b(t, 1, 0);
    t->m->src[2] = tr_c(t, 1, 0);
}

// ---- sums -------------------------------------------------------------------------------------
enum { EXTENDED_AT = 74 }; // .X: carries enter, and a minus sign is a complement

void translate_iadd3(struct translator *t) {
    struct minst *const m = t->m;
    const bool has_carry = tr_bit(t, EXTENDED_AT);
    const uint32_t signs = has_carry ? TR_NOT : TR_NEG;
    tr_op(t, OP_IADD3, OPC_INT_ADD, ITYPE_U32);
    tr_dst(t, 1);
    m->dst[1] = result(t, 81);
    m->dst[2] = result(t, 84);
    m->src[0] = tr_a(t, 1, signs);
    m->src[1] = tr_b(t, 1, signs);
    m->src[2] = tr_c(t, 1, signs);
    if (!has_carry) return;
    m->src[3] = carry(t, 87);
    m->src[4] = carry(t, 77);
    if (m->src[3].kind != OPND_NONE) return;
    m->src[3] = m->src[4];
    m->src[4] = tr_none();
}

void translate_lea(struct translator *t) {
    struct minst *const m = t->m;
    const bool has_carry = tr_bit(t, EXTENDED_AT), high = tr_bit(t, 80);
    const uint32_t signs = has_carry ? TR_NOT : TR_NEG;
    tr_op(t, OP_LEA, OPC_INT_ADD, ITYPE_U32);
    tr_dst(t, 1);
    m->sub = (uint8_t)tr_field(t, 75, 5);
    m->dst[1] = result(t, 81);
    const bool extends = high && tr_bit(t, 73), is_pair = high && !extends;
    m->src[0] = tr_a(t, 1, signs);
    m->src[1] = is_pair ? tr_b(t, 1, signs) : second(t, signs);
    if (is_pair) m->src[2] = tr_c(t, 1, 0);
    if (high) m->flags |= MF_HI;
    if (has_carry) m->src[3] = carry(t, 87);
}

// ---- products ---------------------------------------------------------------------------------
// What compilers put into the multipliers' pipeline to spare the adders': MF_AS_MAD says so.
static void as_mad(struct translator *t, enum mop op, enum op_class klass, struct opnd a,
                   struct opnd b) {
    tr_op(t, op, klass, ITYPE_U32);
    t->m->flags |= MF_AS_MAD;
    t->m->src[0] = a;
    t->m->src[1] = b;
    t->m->src[2] = tr_none();
}
static void plain_product(struct translator *t) {
    struct minst *const m = t->m;
    const struct opnd a = m->src[0], b = m->src[1], c = m->src[2];
    const bool adds = c.kind != OPND_ZERO;
    if ((is_number(&a, 0) || is_number(&b, 0)) && !c.mods)
        as_mad(t, OP_MOV, OPC_MOV, c, tr_none());
    else if (is_number(&a, 0) || is_number(&b, 0))
        as_mad(t, OP_IADD, OPC_INT_ADD, is_number(&a, 0) ? a : b, c);
    else if (is_number(&b, 1))
        as_mad(t, OP_IADD, OPC_INT_ADD, a, c);
    else if (!adds && b.kind == OPND_IMM && bits_is_pow2(b.imm))
        as_mad(t, OP_SHL, OPC_INT_SHIFT, a, tr_imm(bits_first64(b.imm), 1));
    else if (!adds) {
        m->op = OP_IMUL;
        m->src[2] = tr_none();
    }
}
void translate_imad(struct translator *t) {
    struct minst *const m = t->m;
    const bool has_carry = tr_bit(t, EXTENDED_AT);
    tr_ignore(t, 73, 1); // signs change no low word
    tr_op(t, has_carry ? OP_IMADX : OP_IMAD, OPC_INT_MAD, ITYPE_U32);
    tr_dst(t, 1);
    m->src[0] = tr_a(t, 1, 0);
    m->src[1] = tr_b(t, 1, 0);
    m->src[2] = tr_c(t, 1, has_carry ? TR_NOT : TR_NEG);
    if (has_carry)
        m->src[3] = carry(t, 87);
    else
        plain_product(t);
}
// Products of two words. C is a pair, of which IMAD.HI prints the low register: ptxas divides by
// a reciprocal that IMAD.HI refines, R3 = (R3 * R4 + R3:R2) >> 32 with R2 = 0.
static void whole_product(struct translator *t, uint32_t part) {
    struct minst *const m = t->m;
    const bool has_carry = tr_bit(t, EXTENDED_AT);
    if (t->form == 2) tr_refuse(t, "adds a number to a pair"); // Not documented: is it extended?
    tr_op(t, OP_IMADX, OPC_INT_MAD, sign_at(t, 73));
    m->flags |= part;
    tr_dst(t, part == MF_WIDE ? 2 : 1);
    m->dst[1] = result(t, 81);
    m->src[0] = tr_a(t, 1, 0);
    m->src[1] = tr_b(t, 1, 0);
    m->src[2] = tr_c(t, 2, has_carry ? TR_NOT : TR_NEG);
    if (has_carry) m->src[3] = carry(t, 87);
    if (m->dst[1].kind != OPND_NONE || m->src[3].kind != OPND_NONE || m->src[2].mods) return;
    if (m->src[2].kind == OPND_ZERO) {
        m->op = OP_IMUL;
        m->src[2] = tr_none();
    } else if (part == MF_WIDE) {
        m->op = OP_IMAD;
    }
}
void translate_imad_wide(struct translator *t) { whole_product(t, MF_WIDE); }
void translate_imad_hi(struct translator *t) { whole_product(t, MF_HI); }
void translate_idp(struct translator *t) {
    const bool of_halves = tr_bit(t, 76);
    three_sources(t, of_halves ? OP_DP2A : OP_DP4A, OPC_INT_MAD, sign_at(t, 73));
    t->m->stype = (uint8_t)sign_at(t, 74);
    if (tr_bit(t, 77)) t->m->flags |= MF_HI; // the upper two bytes of B; IDP.4A has it 0
}

// ---- logic ------------------------------------------------------------------------------------
// A table's value where its inputs are as the bits of `at`.
static uint32_t entry(uint32_t table, uint32_t at) { return table >> at & 1; }

// The table in two inputs p and q (bit 2, 1, 0: A, B, C), `rest` being zero or of no effect: four
// bits, p the higher input; 16 where the third input matters.
static uint32_t in_two(uint32_t table, uint32_t p, uint32_t q, uint32_t rest, bool is_zero) {
    uint32_t two = 0;
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t at = (k >> 1 & 1) * p + (k & 1) * q, v = entry(table, at);
        if (!is_zero && v != entry(table, at + rest)) return 16;
        two |= v << k;
    }
    return two;
}
static bool plain_logic(struct translator *t, uint32_t two, struct opnd p, struct opnd q) {
    enum { AND = 8, OR = 14, XOR = 6, AND_NOT = 4, FIRST = 12, LAST = 10, NONE = 0 };
    struct minst *const m = t->m;
    if (two == AND_NOT && q.kind == OPND_IMM) {
        q = tr_imm((uint32_t)~q.imm, 1);
        two = AND;
    }
    switch (two) {
    case AND: m->sub = MLOGIC_AND; break;
    case OR: m->sub = MLOGIC_OR; break;
    case XOR: m->sub = MLOGIC_XOR; break;
    case FIRST:
    case LAST:
    case NONE: m->sub = 0; break;
    default: return false;
    }
    const bool moves = two == FIRST || two == LAST || two == NONE;
    m->op = moves ? OP_MOV : OP_LOP;
    m->src[0] = two == LAST ? q : two == NONE ? (struct opnd){.kind = OPND_ZERO, .words = 1} : p;
    m->src[1] = moves ? tr_none() : q;
    m->src[2] = tr_none();
    return true;
}
// A table of two inputs is an operation with a handler of its own.
static void simplify_logic(struct translator *t, uint32_t table) {
    static const uint8_t input[3] = {4, 2, 1}; // of A, B, C
    static const uint8_t pair[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
    const struct opnd src[3] = {t->m->src[0], t->m->src[1], t->m->src[2]};
    for (uint32_t i = 0; i < WW_COUNT(pair); i++) {
        const uint8_t *const k = pair[i];
        const uint32_t two =
            in_two(table, input[k[0]], input[k[1]], input[k[2]], is_number(&src[k[2]], 0));
        if (two < 16 && plain_logic(t, two, src[k[0]], src[k[1]])) return;
    }
}
void translate_lop3(struct translator *t) {
    struct minst *const m = t->m;
    const uint32_t table = tr_field(t, 72, 8);
    const bool is_and = tr_bit(t, 80);
    const struct opnd with = tr_pred_not(t, 87);
    three_sources(t, OP_LOP3, OPC_INT_LOGIC, ITYPE_B32);
    m->sub = (uint8_t)table;
    m->dst[1] = result(t, 81);
    if (m->dst[1].kind == OPND_NONE) {
        if (m->dst[0].kind != OPND_ZERO) simplify_logic(t, table);
        return;
    }
    if (m->dst[0].kind == OPND_ZERO) m->dst[0] = tr_none();
    m->src[3] = unless(with, is_and);
    if (m->src[3].kind != OPND_NONE) m->bop = is_and ? MBOP_AND : MBOP_OR;
}
void translate_prmt(struct translator *t) {
    struct minst *const m = t->m;
    three_sources(t, OP_PRMT, OPC_INT_LOGIC, ITYPE_B32);
    const struct opnd selector = m->src[1]; // it comes before the second word
    m->src[1] = m->src[2];
    m->src[2] = selector;
    if (!t->in->guard_uniform) m->sub = (uint8_t)tr_field(t, 72, 3); // in the order of enum mprmt
}

// ---- shifts -----------------------------------------------------------------------------------
enum shift { SHIFT_S64, SHIFT_U64, SHIFT_S32, SHIFT_U32 };

// A count that is known; where it lies below 32 pairs and words shift alike.
static void known_count(struct translator *t, struct opnd *count, uint32_t bits) {
    if (count->kind == OPND_ZERO) *count = tr_imm(0, 1);
    if (count->kind != OPND_IMM) return;
    const uint32_t n = (uint32_t)count->imm;
    *count = tr_imm(t->m->flags & MF_WRAP ? n & (bits - 1) : n > bits ? bits : n, 1);
    t->m->flags &= ~(uint32_t)MF_WRAP;
}
void translate_shf(struct translator *t) {
    static const uint8_t type[] = {ITYPE_S64, ITYPE_U64, ITYPE_S32, ITYPE_U32};
    struct minst *const m = t->m;
    three_sources(t, OP_SHFX, OPC_INT_SHIFT, ITYPE_NONE);
    m->type = type[tr_field(t, 73, 2)];
    const bool left = !tr_bit(t, 76), high = tr_bit(t, 80), is_signed = isa_type_is_signed(m->type);
    m->flags |= (left ? MF_LEFT : 0u) | (tr_bit(t, 75) ? MF_WRAP : 0u) | (high ? MF_HI : 0u);
    const uint32_t bits = isa_type_bits(m->type);
    known_count(t, &m->src[1], bits);
    const struct opnd low = m->src[0], count = m->src[1], top = m->src[2];
    const bool is_known = count.kind == OPND_IMM, wraps = m->flags & MF_WRAP;
    if (is_known ? count.imm > 32 : bits == 64) return;
    if (!wraps && left && !high) { // of the low word alone
        tr_op(t, OP_SHL, OPC_INT_SHIFT, ITYPE_B32);
        m->src[1] = count;
        m->src[2] = tr_none();
        m->flags = 0;
    } else if (!wraps && !left && high) { // of the high word alone
        tr_op(t, OP_SHR, OPC_INT_SHIFT, is_signed ? ITYPE_S32 : ITYPE_U32);
        m->src[0] = top;
        m->src[2] = tr_none();
        m->flags = 0;
    } else if (left == high) {
        tr_op(t, OP_SHF, OPC_INT_SHIFT, ITYPE_B32);
        m->src[0] = low;
        m->src[1] = top;
        m->src[2] = count;
        m->flags &= ~(uint32_t)MF_HI;
    }
}
static void extend_or_mask(struct translator *t, enum mop op, enum isa_type type) {
    two_sources(t, op, OPC_INT_SHIFT, type);
    if (tr_bit(t, 75)) t->m->flags |= MF_WRAP;
}
void translate_sgxt(struct translator *t) { extend_or_mask(t, OP_SZEXT, sign_at(t, 73)); }
void translate_bmsk(struct translator *t) { extend_or_mask(t, OP_BMSK, ITYPE_B32); }

// ---- comparisons and choices ------------------------------------------------------------------
// How a comparison meets the predicate in bits 87 to 90; `none` where that changes nothing.
static void combine(struct translator *t) {
    static const uint8_t bop[] = {MBOP_AND, MBOP_OR, MBOP_XOR, MBOP_NONE};
    const uint32_t how = tr_field(t, 74, 2);
    t->m->src[2] = unless(tr_pred_not(t, 87), how == 0);
    t->m->bop = t->m->src[2].kind == OPND_NONE ? MBOP_NONE : bop[how];
}
void translate_isetp(struct translator *t) {
    static const uint8_t cmp[] = {MCMP_NAN, MCMP_LT, MCMP_EQ, MCMP_LE,
                                  MCMP_GT,  MCMP_NE, MCMP_GE, MCMP_NUM}; // never and always: F, T
    struct minst *const m = t->m;
    const bool of_high_words = tr_bit(t, 72);
    tr_op(t, of_high_words ? OP_ISETPX : OP_ISETP, OPC_INT_CMP, sign_at(t, 73));
    m->cmp = cmp[tr_field(t, 76, 3)];
    m->dst[0] = tr_pred(t, 81);
    m->dst[1] = result(t, 84);
    if (m->dst[1].kind != OPND_NONE) m->flags |= MF_CMP3;
    m->src[0] = tr_a(t, 1, 0);
    m->src[1] = second(t, 0);
    combine(t);
    if (of_high_words) m->src[3] = tr_pred_not(t, 68);
}
void translate_sel(struct translator *t) {
    two_sources(t, OP_SEL, OPC_MOV, ITYPE_B32);
    t->m->src[2] = tr_pred_not(t, 87);
}
static void minimum_or_maximum(struct translator *t, enum isa_type type) {
    struct minst *const m = t->m;
    two_sources(t, OP_IMNMX, OPC_INT_ADD, type);
    const struct opnd is_min = tr_pred_not(t, 87);
    if (pred_is_true(is_min.reg)) {
        m->sub = is_min.mods & OPND_NOT ? 1 : 0;
    } else {
        m->op = OP_IMNMXP;
        m->src[2] = is_min;
    }
}
void translate_imnmx(struct translator *t) { minimum_or_maximum(t, sign_at(t, 73)); }
// Hopper's: types in the order of the encoding; halves side by side are added and compared apart.
static enum isa_type video_type(struct translator *t) {
    static const uint8_t type[] = {ITYPE_U32, ITYPE_S32, ITYPE_U16X2, ITYPE_S16X2};
    return (enum isa_type)type[tr_field(t, 72, 2)];
}
static void relu(struct translator *t) {
    if (tr_bit(t, 76)) t->m->flags |= MF_RELU;
}
void translate_viadd(struct translator *t) {
    struct minst *const m = t->m;
    two_sources(t, OP_IADD, OPC_INT_ADD, tr_bit(t, 73) ? ITYPE_U16X2 : ITYPE_U32);
    m->flags |= MF_AS_MAD; // [ptxas] 4 cycles from and to products, 5 from and to additions
    m->src[1] = second(t, TR_NEG);
}
void translate_vimnmx(struct translator *t) {
    minimum_or_maximum(t, video_type(t));
    relu(t);
    const bool is_word = t->m->type == ITYPE_U32 || t->m->type == ITYPE_S32;
    if (t->m->op == OP_IMNMXP && (t->m->flags & MF_RELU || !is_word))
        tr_refuse(t, "chooses halves by a predicate");
}
static void three_with_minimum(struct translator *t, enum mop op, uint32_t signs) {
    struct minst *const m = t->m;
    tr_op(t, op, OPC_INT_ADD, video_type(t));
    tr_dst(t, 1);
    m->src[0] = tr_a(t, 1, 0);
    m->src[1] = tr_b(t, 1, signs);
    m->src[2] = tr_c(t, 1, signs);
    m->src[3] = tr_pred_not(t, 87);
    relu(t);
}
void translate_vimnmx3(struct translator *t) { three_with_minimum(t, OP_IMNMX3, 0); }
void translate_viaddmnmx(struct translator *t) {
    three_with_minimum(t, OP_IADDMNMX, TR_NEG);
    const bool is_packed = t->m->type == ITYPE_U16X2 || t->m->type == ITYPE_S16X2;
    if (is_packed && (t->m->src[1].mods || t->m->src[2].mods))
        tr_refuse(t, "negates halves"); // Not documented: whether each of them
}
void translate_iabs(struct translator *t) {
    one_source(t, OP_IABS, OPC_INT_ADD, 0);
    t->m->type = ITYPE_S32;
}
void translate_vabsdiff(struct translator *t) {
    three_sources(t, OP_ISAD, OPC_INT_ADD, sign_at(t, 73));
}
// Bytes one by one; with ACC their sum is added to C.
void translate_vabsdiff4(struct translator *t) {
    enum { A_BYTES = 03210, B_BYTES = 07654, ALL_FOUR = 15 };
    struct minst *const m = t->m;
    three_sources(t, OP_VIDEO, OPC_VIDEO, ITYPE_U32);
    if (result(t, 81).kind != OPND_NONE) tr_refuse(t, "has a predicate result");
    const bool adds = tr_bit(t, 75), is_signed = tr_bit(t, 73);
    m->stype = is_signed ? ITYPE_S32 : ITYPE_U32; // differences are unsigned
    m->aux = MVIDEO_ABSDIFF;
    m->vec = 4;
    if (!adds) m->src[2] = tr_none();
    m->src[3] = tr_imm((uint64_t)A_BYTES << VIDEO_ASEL | (uint64_t)B_BYTES << VIDEO_BSEL |
                           (uint64_t)ALL_FOUR << VIDEO_MASK |
                           (uint64_t)is_signed << VIDEO_BSIGNED |
                           (uint64_t)(adds ? VIDEO_OP2_ADD : VIDEO_OP2_NONE) << VIDEO_OP2,
                       2);
}

// ---- bits -------------------------------------------------------------------------------------
void translate_flo(struct translator *t) {
    one_source(t, OP_FLO, OPC_INT_BIT, TR_NOT);
    t->m->type = (uint8_t)sign_at(t, 73);
    if (tr_bit(t, 74)) t->m->flags |= MF_SHIFTAMT;
    // Not documented: which values make it true.
    if (result(t, 81).kind != OPND_NONE) tr_refuse(t, "has a predicate result");
}
void translate_popc(struct translator *t) { one_source(t, OP_POPC, OPC_INT_BIT, TR_NOT); }
void translate_brev(struct translator *t) { one_source(t, OP_BREV, OPC_INT_BIT, 0); }
