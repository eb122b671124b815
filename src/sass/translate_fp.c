// Single and double precision, functions of the special-function unit. Sources: PTX ISA 9.0; what
// words say, encoding.def; what compiled code of PTX instructions needs of each, for what no manual
// says.
#include "sass/translate_float.h"

// ---- fields that several opcodes share --------------------------------------------------------
uint8_t tr_rounding(struct translator *t) {
    static const uint8_t modes[] = {MRND_RN, MRND_RM, MRND_RP, MRND_RZ};
    return modes[tr_field(t, 78, 2)];
}
void tr_flag(struct translator *t, uint32_t at, enum minst_flags flag) {
    if (tr_bit(t, at)) t->m->flags |= flag;
}
void tr_flush(struct translator *t) { tr_flag(t, 80, MF_FTZ); }
// Two results, a comparison, and the predicate that joins it.
static void two_predicates(struct translator *t) {
    t->m->dst[0] = tr_pred(t, 81);
    t->m->dst[1] = tr_pred(t, 84);
}
void tr_joined(struct translator *t, uint32_t at) {
    static const uint8_t joins[] = {MBOP_AND, MBOP_OR, MBOP_XOR, MBOP_NONE};
    t->m->bop = joins[tr_field(t, at, 2)];
    t->m->src[2] = tr_pred_not(t, 87);
    if (t->m->bop != MBOP_AND || t->m->src[2].reg != PRED_TRUE || t->m->src[2].mods) return;
    t->m->bop = MBOP_NONE;
    t->m->src[2] = tr_none();
}
bool tr_comparison(struct translator *t, uint32_t *code) {
    static const uint8_t by_code[] = {MCMP_NONE, MCMP_LT,  MCMP_EQ,  MCMP_LE,  MCMP_GT,  MCMP_NE,
                                      MCMP_GE,   MCMP_NUM, MCMP_NAN, MCMP_LTU, MCMP_EQU, MCMP_LEU,
                                      MCMP_GTU,  MCMP_NEU, MCMP_GEU, MCMP_NONE};
    *code = tr_field(t, 76, 4);
    t->m->cmp = by_code[*code];
    return t->m->cmp != MCMP_NONE;
}
void tr_set_predicates(struct translator *t) {
    enum { ALWAYS = 15 };
    uint32_t code;
    two_predicates(t);
    if (tr_comparison(t, &code) || code != ALWAYS) return;
    // What is always true is what is never true, the results exchanged.
    const struct opnd first = t->m->dst[0];
    t->m->dst[0] = t->m->dst[1];
    t->m->dst[1] = first;
}
void tr_minimum(struct translator *t) {
    const struct opnd p = tr_pred_not(t, 87);
    if (p.reg != PRED_TRUE) tr_refuse(t, "chooses minimum or maximum by a predicate");
    t->m->sub = p.mods != 0; // !PT: the maximum
}

// .XORSIGN: of magnitudes, with the sign of the product. ptxas marks its sources as absolute, and the
// signs are theirs before that.
void tr_xorsign(struct translator *t) {
    tr_flag(t, 82, MF_ABS);
    if (!(t->m->flags & MF_ABS)) return;
    for (uint32_t k = 0; k < 2; k++) {
        struct opnd *const o = &t->m->src[k];
        const bool is_number = o->kind == OPND_IMM || o->kind == OPND_ZERO;
        if (!is_number && (!(o->mods & OPND_ABS) || o->mods & OPND_NEG))
            tr_refuse(t, "joins signs of what is not absolute");
        o->mods &= (uint8_t)~OPND_ABS;
    }
}

enum { SIGNS = TR_NEG | TR_ABS };

// ---- single precision -------------------------------------------------------------------------
static void arithmetic(struct translator *t, enum mop op, enum op_class klass) {
    tr_op(t, op, klass, ITYPE_F32);
    t->m->rnd = tr_rounding(t);
    tr_flag(t, 77, MF_SAT);
    tr_flush(t);
    tr_dst(t, 1);
    t->m->src[0] = tr_a(t, 1, SIGNS);
}
// FMZ flushes as FTZ does, and zero times anything is zero (yuzu's shader recompiler, modifiers.h;
// the product of Direct3D 9).
static void zeros_win(struct translator *t) {
    if (!tr_bit(t, 76)) return;
    t->m->aux |= MPRODUCT_ZERO;
    t->m->flags |= MF_FTZ;
}
void translate_fadd(struct translator *t) {
    arithmetic(t, OP_FADD, OPC_FP_ADD);
    t->m->src[1] = tr_b2(t, 1, SIGNS);
}
void translate_fmul(struct translator *t) {
    enum { UNSCALED = 4 };
    arithmetic(t, OP_FMUL, OPC_FP_MUL);
    t->m->src[1] = tr_b2(t, 1, SIGNS);
    const uint32_t scale = tr_field(t, 84, 3);
    if (scale != UNSCALED) t->m->aux = (uint16_t)scale;
    zeros_win(t);
}
void translate_ffma(struct translator *t) {
    arithmetic(t, OP_FFMA, OPC_FP_FMA);
    t->m->src[1] = tr_b(t, 1, SIGNS);
    t->m->src[2] = tr_c(t, 1, SIGNS);
    zeros_win(t);
}
void translate_fswzadd(struct translator *t) {
    tr_op(t, OP_FSWZADD, OPC_FP_ADD, ITYPE_F32);
    t->m->rnd = tr_rounding(t);
    tr_flush(t);
    tr_ignore(t, 77, 1); // NDV: lanes of a quad need not agree
    tr_dst(t, 1);
    t->m->src[0] = tr_a(t, 1, 0);
    t->m->src[1] = tr_reg(t, 64, 1);
    t->m->sub = (uint8_t)tr_field(t, 32, 8);
}
void translate_fsel(struct translator *t) {
    tr_op(t, OP_FSEL, OPC_MOV, ITYPE_F32);
    tr_flush(t);
    tr_dst(t, 1);
    t->m->src[0] = tr_a(t, 1, SIGNS);
    t->m->src[1] = tr_b2(t, 1, SIGNS);
    t->m->src[2] = tr_pred_not(t, 87);
}
void translate_fmnmx(struct translator *t) {
    tr_op(t, OP_FMNMX, OPC_FP_CMP, ITYPE_F32);
    tr_flush(t);
    if (t->gen >= SASS_80) tr_flag(t, 81, MF_NAN);
    tr_dst(t, 1);
    t->m->src[0] = tr_a(t, 1, SIGNS);
    t->m->src[1] = tr_b2(t, 1, SIGNS);
    if (t->gen >= SASS_86) tr_xorsign(t);
    tr_minimum(t);
}
void translate_fsetp(struct translator *t) {
    tr_op(t, OP_FSETP, OPC_FP_CMP, ITYPE_F32);
    t->m->stype = ITYPE_F32;
    tr_flush(t);
    tr_set_predicates(t);
    t->m->src[0] = tr_a(t, 1, SIGNS);
    t->m->src[1] = tr_b2(t, 1, SIGNS);
    tr_joined(t, 74);
}
void translate_fset(struct translator *t) {
    uint32_t code;
    tr_op(t, OP_FSET, OPC_FP_CMP, ITYPE_F32);
    t->m->stype = ITYPE_F32;
    t->m->flags |= MF_BOOLF;
    tr_flush(t);
    if (!tr_comparison(t, &code)) tr_refuse(t, "compares nothing");
    tr_dst(t, 1);
    t->m->src[0] = tr_a(t, 1, SIGNS);
    t->m->src[1] = tr_b2(t, 1, SIGNS);
    tr_joined(t, 74);
}
void translate_fchk(struct translator *t) {
    tr_op(t, OP_FCHK, OPC_SFU_RCP, ITYPE_F32);
    t->m->dst[0] = tr_pred(t, 81);
    t->m->src[0] = tr_a(t, 1, SIGNS);
    t->m->src[1] = tr_b2(t, 1, SIGNS);
}

// ---- special functions ------------------------------------------------------------------------
// Subnormal numbers are zeros on both sides: compiled code of functions that keep them scales its
// argument and result. Not documented: the bits; any within 2 units in the last place make IEEE
// divisions and roots right, but of a number whose fraction is all ones the reciprocal must be the
// nearest.
static const struct {
    uint8_t sub, klass;
    uint8_t half; // operation on halves; 0: none
} functions[] = {{MUFU_COS_TURN, OPC_SFU_TRIG, 0},  {MUFU_SIN_TURN, OPC_SFU_TRIG, 0},
                 {MUFU_EX2, OPC_SFU_TRIG, OP_HEX2}, {MUFU_LG2, OPC_SFU_TRIG, 0},
                 {MUFU_RCP, OPC_SFU_RCP, 0},        {MUFU_RSQ, OPC_SFU_RCP, 0},
                 {MUFU_RCP64H, OPC_SFU_RCP, 0},     {MUFU_RSQ64H, OPC_SFU_RCP, 0},
                 {MUFU_SQRT, OPC_SFU_RCP, 0},       {MUFU_TANH, OPC_SFU_TRIG, OP_HTANH}};

// Of one half of the source; the result is a half.
static void half_function(struct translator *t, uint32_t function, enum isa_type type) {
    if (!functions[function].half) tr_refuse(t, "is of halves");
    tr_op(t, (enum mop)functions[function].half, OPC_SFU_TRIG, type);
    t->m->aux = tr_bit(t, 60) ? MHALF_HIGH : MHALF_LOW;
    t->m->src[0] = tr_b2(t, 1, TR_NEG);
}
void translate_mufu(struct translator *t) {
    static const uint8_t types_75[] = {ITYPE_F32, ITYPE_F16},
                         types_90[] = {ITYPE_F32, ITYPE_F16, ITYPE_BF16, ITYPE_NONE};
    const uint32_t function = tr_field(t, 74, 4);
    if (function >= WW_COUNT(functions)) {
        tr_refuse(t, "is a function without a meaning");
        return;
    }
    uint32_t type = ITYPE_F32;
    if (t->gen >= SASS_75 && t->gen < SASS_90) type = types_75[tr_bit(t, 73)];
    if (t->gen >= SASS_90) type = types_90[tr_field(t, 72, 2)];
    tr_dst(t, 1);
    if (type != ITYPE_F32) {
        half_function(t, function, (enum isa_type)type);
        return;
    }
    tr_op(t, OP_MUFU, (enum op_class)functions[function].klass, ITYPE_F32);
    t->m->sub = functions[function].sub;
    t->m->flags |= MF_FTZ;
    t->m->src[0] = tr_b2(t, 1, SIGNS);
}

// ---- double precision -------------------------------------------------------------------------
static void arithmetic_64(struct translator *t, enum mop op, enum op_class klass) {
    tr_op(t, op, klass, ITYPE_F64);
    t->m->rnd = tr_rounding(t);
    tr_dst(t, 2);
    t->m->src[0] = tr_a(t, 2, SIGNS);
}
void translate_dadd(struct translator *t) {
    arithmetic_64(t, OP_DADD, OPC_DP_ADD);
    t->m->src[1] = tr_b2_late(t, 2, SIGNS | TR_HIGH);
}
void translate_dmul(struct translator *t) {
    arithmetic_64(t, OP_DMUL, OPC_DP_MUL);
    t->m->src[1] = tr_b2(t, 2, SIGNS | TR_HIGH);
}
void translate_dfma(struct translator *t) {
    arithmetic_64(t, OP_DFMA, OPC_DP_FMA);
    t->m->src[1] = tr_b(t, 2, SIGNS | TR_HIGH);
    t->m->src[2] = tr_c(t, 2, SIGNS | TR_HIGH);
}
// MIN and MAX stand in the place of the comparisons that are never and always true.
void translate_dsetp(struct translator *t) {
    uint32_t code;
    tr_op(t, OP_DSETP, OPC_DP_CMP, ITYPE_F64);
    t->m->stype = ITYPE_F64;
    two_predicates(t);
    t->m->src[0] = tr_a(t, 2, SIGNS);
    t->m->src[1] = tr_b2(t, 2, SIGNS | TR_HIGH);
    if (!tr_comparison(t, &code)) {
        t->m->op = OP_DSETP_MNMX;
        t->m->sub = code != 0;
    }
    tr_joined(t, 74);
    if (t->m->op == OP_DSETP_MNMX && t->m->src[2].kind != OPND_NONE)
        tr_refuse(t, "joins a minimum with a predicate");
}
