// Conversions. Sources: PTX ISA 9.0, cvt; what words say, encoding.def. A part of a register is a
// byte or a half by the source's type.
#include "sass/translate_float.h"

enum { SIGNS = TR_NEG | TR_ABS, PART_AT = 60 };
// Formats by their codes.
static const uint8_t floats[] = {ITYPE_NONE, ITYPE_F16,  ITYPE_F32,  ITYPE_F64,
                                 ITYPE_BF16, ITYPE_NONE, ITYPE_NONE, ITYPE_NONE};
static const uint8_t integers[] = {ITYPE_U8,  ITYPE_S8,  ITYPE_U16, ITYPE_S16,
                                   ITYPE_U32, ITYPE_S32, ITYPE_U64, ITYPE_S64};

static uint32_t words_of(uint32_t type) { return isa_type_bits((enum isa_type)type) == 64 ? 2 : 1; }
static void conversion(struct translator *t, uint32_t to, uint32_t from) {
    const bool is_wide = words_of(to) == 2 || words_of(from) == 2;
    const bool has_integer =
        !isa_type_is_float((enum isa_type)to) || !isa_type_is_float((enum isa_type)from);
    if (to == ITYPE_NONE || from == ITYPE_NONE) tr_refuse(t, "converts what has no format");
    tr_op(t, OP_CVT, is_wide ? OPC_DP_CVT : has_integer ? OPC_CVT : OPC_CVT_FP, (enum isa_type)to);
    t->m->stype = (uint8_t)from;
    tr_dst(t, words_of(to));
}
// bf16 has a bit more for its code from sm_90 on.
static uint32_t float_from(struct translator *t) {
    return floats[tr_field(t, 84, t->gen >= SASS_90 ? 3 : 2)];
}
static uint32_t whole_rounding(struct translator *t) {
    static const uint8_t modes[] = {MRND_RN, MRND_RM, MRND_RP, MRND_RZ};
    return modes[tr_field(t, 78, 2)];
}
static void float_source(struct translator *t, uint32_t from, bool has_part) {
    const bool is_half = from == ITYPE_F16 || from == ITYPE_BF16;
    const uint32_t signs = from == ITYPE_BF16 ? (uint32_t)TR_NEG : (uint32_t)SIGNS;
    if (is_half && has_part) t->m->aux |= (uint16_t)tr_bit(t, PART_AT);
    t->m->src[0] = tr_b2(t, words_of(from), signs | TR_HIGH);
}

void translate_f2f(struct translator *t) {
    const uint32_t from = float_from(t);
    conversion(t, floats[tr_field(t, 75, 3)], from);
    t->m->rnd = tr_rounding(t);
    tr_flush(t);
    float_source(t, from, true);
}
// NTZ says that a NaN becomes 0. Not documented so; ptxas sets it where PTX ISA's cvt has a NaN
// become 0, and leaves it out where it becomes the integer with only its top bit set.
void translate_f2i(struct translator *t) {
    const uint32_t from = float_from(t), to = integers[tr_field(t, 72, 1) + 2 * tr_field(t, 75, 2)];
    conversion(t, to, from);
    t->m->rnd = (uint8_t)whole_rounding(t);
    tr_flush(t);
    float_source(t, from, true);
    const bool makes_zero = from != ITYPE_F64 && words_of(to) == 1;
    if (tr_bit(t, 77) != makes_zero) t->m->aux |= MCVT_NAN;
}
// D: C's low half above A and B as bytes, B lowest. ptxas makes cvt.rni.u8.f32 of it with zeros for A
// and C; cuBLASLt for sm_90 packs four results, of which the first becomes B of the second word and
// the second its A, and the first word is C of the second.
void translate_f2ip(struct translator *t) {
    enum { C_HIGH = 72, NAN_TO_0 = 74, RELU = 75, SIGNED = 76 };
    // [ptxas] fixed, 4 cycles to additions
    tr_op(t, OP_CVTPACK, OPC_INT_ADD, tr_bit(t, SIGNED) ? ITYPE_S8 : ITYPE_U8);
    t->m->stype = ITYPE_F32;
    t->m->rnd = (uint8_t)whole_rounding(t);
    if (tr_bit(t, RELU)) tr_refuse(t, "makes negative values zero");
    tr_dst(t, 1);
    t->m->src[0] = tr_a(t, 1, 0);
    t->m->src[1] = tr_b(t, 1, 0);
    t->m->src[2] = tr_c(t, 1, 0);
    if (tr_bit(t, C_HIGH) && t->m->src[2].kind != OPND_ZERO) tr_refuse(t, "keeps C's high half");
    if (!tr_bit(t, NAN_TO_0)) t->m->aux |= MCVT_NAN;
}
void translate_i2f(struct translator *t) {
    const uint32_t from = integers[tr_field(t, 74, 1) + 2 * tr_field(t, 84, 2)];
    const uint32_t bits = isa_type_bits((enum isa_type)from);
    conversion(t, floats[tr_field(t, 75, t->gen >= SASS_90 ? 3 : 2)], from);
    t->m->rnd = tr_rounding(t);
    if (bits < 32) t->m->aux = (uint16_t)tr_field(t, PART_AT, bits == 8 ? 2 : 1);
    t->m->src[0] = tr_b2(t, words_of(from), TR_SIGNED);
}
void translate_frnd(struct translator *t) {
    const uint32_t from = float_from(t);
    if (floats[tr_field(t, 75, t->gen >= SASS_90 ? 3 : 2)] != from)
        tr_refuse(t, "rounds to another format");
    conversion(t, from, from);
    t->m->rnd = (uint8_t)whole_rounding(t);
    t->m->flags |= MF_INTRND;
    tr_flush(t);
    float_source(t, from, from == ITYPE_BF16);
}
void translate_i2fp(struct translator *t) {
    conversion(t, ITYPE_F32, tr_bit(t, 74) ? ITYPE_S32 : ITYPE_U32);
    t->m->klass = OPC_FP_CMP; // as F2FP
    t->m->rnd = tr_rounding(t);
    t->m->src[0] = tr_b2(t, 1, 0);
}
// ---- integers to smaller ones, clamped ---------------------------------------------------------
void translate_i2i(struct translator *t) {
    conversion(t, integers[tr_field(t, 76, 2)], ITYPE_S32);
    t->m->klass = OPC_INT_ADD; // [ptxas] fixed, 4 cycles to additions: a clamp
    t->m->flags |= MF_SAT;
    t->m->src[0] = tr_b2(t, 1, 0);
}
// Two of them below as much of C as has room (PTX ISA, cvt.pack).
void translate_i2ip(struct translator *t) {
    enum { ALL_ROOM = 0, ROOM_24 = 2, ROOM_28 = 3, SATURATES = 1 };
    static const uint8_t types[] = {ITYPE_U8, ITYPE_S8, ITYPE_U16, ITYPE_S16,
                                    ITYPE_U2, ITYPE_S2, ITYPE_U4,  ITYPE_S4};
    const uint8_t type = types[tr_field(t, 76, 3)];
    const uint32_t bits = isa_type_bits((enum isa_type)type), room = tr_field(t, 72, 2);
    tr_op(t, OP_CVTPACK, OPC_CVT, (enum isa_type)type);
    t->m->stype = ITYPE_S32;
    t->m->aux = (uint16_t)bits;
    tr_dst(t, 1);
    t->m->src[0] = tr_a(t, 1, 0);
    t->m->src[1] = tr_b(t, 1, 0);
    t->m->src[2] = tr_c(t, 1, 0);
    if (t->gen >= SASS_90 && tr_field(t, 74, 2) != SATURATES)
        tr_refuse(t, "does not clamp as cvt does");
    if (room != (bits == 4 ? ROOM_24 : bits == 2 ? ROOM_28 : ALL_ROOM))
        tr_refuse(t, "keeps another part of a word");
}

// ---- pairs of floats ---------------------------------------------------------------------------
// Two of f32, A the high one. MERGE_C keeps C's high half instead: where C is RZ it is the 0 that A,
// RZ too, becomes.
enum { MERGES = 78 };
static void pair_of(struct translator *t) {
    enum { C_AT = 64, C_HALF = 72, RZ = 255 };
    t->m->src[0] = tr_reg(t, 24, 1);
    t->m->src[1] = tr_b(t, 1, 0);
    if (tr_bit(t, MERGES) && tr_field(t, C_AT, 8) != RZ)
        tr_refuse(t, "keeps another register's half");
    if (t->gen >= SASS_89)
        tr_ignore(t, C_HALF, 1); // which of C's halves, where nothing of C is kept
}
// Formats of 8 bits, from sm_89 on: pairs of f32 or of halves become pairs of them, below a half of C; or
// pairs of them become halves.
static void to_eight_bits(struct translator *t, uint32_t type) {
    enum { FROM_F32, FROM_F16, C_AT = 64, C_HALF = 72 };
    const uint32_t from = tr_field(t, 73, 2);
    conversion(t, type, from == FROM_F16 ? ITYPE_F16X2 : ITYPE_F32);
    if (type != ITYPE_E5M2X2 && type != ITYPE_E4M3X2)
        tr_refuse(t, "packs what is no pair of bytes");
    if (from > FROM_F16) tr_refuse(t, "converts what has no format");
    tr_ignore(t, MERGES, 1); // there is always room for a half of C
    t->m->src[0] = tr_reg(t, 24, 1);
    t->m->src[1] = tr_b(t, 1, 0);
    t->m->src[2] = tr_reg(t, C_AT, 1);
    t->m->aux = (uint16_t)tr_bit(t, C_HALF);
    if (from == FROM_F32) return;
    if (t->m->src[0].kind != OPND_ZERO || tr_bit(t, 88))
        tr_refuse(t, "takes parts of two registers");
    t->m->src[0] = t->m->src[1];
    t->m->src[1] = tr_none();
}
static void eight_bits(struct translator *t) {
    enum { PACK, UNPACK, PACK_8 };
    static const uint8_t to[] = {ITYPE_F16X2,  ITYPE_BF16X2, ITYPE_NONE, ITYPE_TF32,
                                 ITYPE_E5M2X2, ITYPE_E4M3X2, ITYPE_NONE, ITYPE_NONE};
    static const uint8_t from[] = {ITYPE_NONE, ITYPE_NONE, ITYPE_E5M2X2, ITYPE_E4M3X2};
    const uint32_t kind = tr_field(t, 89, 2),
                   type = to[tr_field(t, 76, 1) + 2 * tr_field(t, 86, 2)];
    if (kind >= PACK_8) {
        if (kind > PACK_8) tr_refuse(t, "is a conversion that is not documented");
        to_eight_bits(t, type);
        return;
    }
    if (kind == UNPACK && tr_bit(t, 78)) { // one float, which no half stands beside
        if (type != ITYPE_TF32) tr_refuse(t, "converts what has no format");
        conversion(t, ITYPE_TF32, ITYPE_F32);
        t->m->src[0] = tr_b(t, 1, 0);
        return;
    }
    conversion(t, type, kind == PACK ? (uint32_t)ITYPE_F32 : from[tr_field(t, 73, 2)]);
    if (kind == PACK) {
        pair_of(t);
        return;
    }
    if (type != ITYPE_F16X2) tr_refuse(t, "unpacks to another format than f16");
    t->m->aux = tr_bit(t, 88);
    t->m->src[0] = tr_b(t, 1, 0);
}
// Two floats become a pair: A the high half.
void translate_f2fp(struct translator *t) {
    enum { TO_ZERO = 3 };
    if (t->gen >= SASS_89) {
        eight_bits(t);
    } else {
        conversion(t, tr_bit(t, 76) ? ITYPE_BF16X2 : ITYPE_F16X2, ITYPE_F32);
        pair_of(t);
    }
    t->m->rnd = tr_field(t, 79, 3) == TO_ZERO ? MRND_RZ : MRND_RN;
    enum { UNPACKS = 1 };
    if (t->gen < SASS_89 || tr_field(t, 89, 2) != UNPACKS) tr_flag(t, 77, MF_SATFINITE);
    if (t->gen >= SASS_80) t->m->klass = OPC_FP_CMP; // the ALU's, of a latency that compilers know
    tr_flag(t, 75, MF_RELU);
}
