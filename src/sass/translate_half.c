// Pairs of halves (f16, bf16). Sources: PTX ISA 9.0; what words say, encoding.def; what of a source
// is meant, and results in single precision: ptxas's conversions between f16 and f32, and yuzu's
// shader recompiler (half_floating_point_helper.cpp), for Maxwell's words of the same names.
#include "sass/translate_float.h"

enum { SIGNS = TR_NEG | TR_ABS };
// Where a source's signs and the halves that are meant stand.
struct half_place {
    uint8_t neg, abs, pick; // pick 0: both halves, each in its place
};
static const struct half_place at_a = {72, 73, 74}, at_32 = {63, 62, 60}, at_64 = {84, 83, 81};

static uint8_t signs(struct translator *t, struct half_place p) {
    return (uint8_t)((tr_bit(t, p.neg) ? OPND_NEG : 0) | (tr_bit(t, p.abs) ? OPND_ABS : 0));
}
static void pick(struct translator *t, uint32_t source, struct half_place p) {
    if (p.pick) t->m->aux |= (uint16_t)(tr_field(t, p.pick, 2) << 2 * source);
}
// The source is at that place unless it is an immediate, which has no signs.
static void finish(struct translator *t, uint32_t source, struct half_place p) {
    struct opnd *const o = &t->m->src[source];
    if (o->kind == OPND_IMM) return;
    o->mods = signs(t, p);
    pick(t, source, p);
}
static struct half_place whole(struct half_place p, bool has_picks) {
    if (!has_picks) p.pick = 0;
    return p;
}
static void half_a(struct translator *t, bool has_picks) {
    t->m->src[0] = tr_a(t, 1, 0);
    finish(t, 0, whole(at_a, has_picks));
}
static void half_b2(struct translator *t) {
    t->m->src[1] = tr_b2(t, 1, 0);
    finish(t, 1, at_32);
}
// B and C of three: by the form either may stand in bits 64 to 71.
static void half_bc(struct translator *t, bool has_picks) {
    const bool is_b_late = t->form == 2 || t->form == 3 || t->form == 7;
    t->m->src[1] = tr_b(t, 1, 0);
    t->m->src[2] = tr_c(t, 1, 0);
    finish(t, 1, whole(is_b_late ? at_64 : at_32, has_picks));
    finish(t, 2, whole(is_b_late ? at_32 : at_64, has_picks));
}

// ---- arithmetic -------------------------------------------------------------------------------
static void arithmetic(struct translator *t, enum mop op, enum isa_type type) {
    tr_op(t, op, OPC_HALF, type);
    if (tr_bit(t, 78)) {
        t->m->stype = (uint8_t)type;
        t->m->type = ITYPE_F32;
    }
    tr_flag(t, 77, MF_SAT);
    tr_flush(t);
    tr_dst(t, 1);
}
// FMZ, FTZ and OOB are two bits, of which tr_flush has read one.
static void zeros_win(struct translator *t) {
    if (!tr_bit(t, 76)) return;
    if (tr_bit(t, 80)) {
        t->m->aux |= MHALF_OOB;
        t->m->flags &= ~(uint32_t)MF_FTZ;
        return;
    }
    t->m->aux |= MHALF_ZERO;
    t->m->flags |= MF_FTZ;
}
static enum isa_type pair_type(struct translator *t, uint32_t since) {
    return t->gen >= since && tr_bit(t, 85) ? ITYPE_BF16X2 : ITYPE_F16X2;
}
void translate_hadd2(struct translator *t) {
    arithmetic(t, OP_HADD, pair_type(t, SASS_90));
    half_a(t, true);
    half_b2(t);
}
void translate_hmul2(struct translator *t) {
    arithmetic(t, OP_HMUL, pair_type(t, SASS_90));
    half_a(t, true);
    half_b2(t);
    zeros_win(t);
}
static void relu(struct translator *t) {
    if (t->gen < SASS_75 || !tr_bit(t, 79)) return;
    t->m->flags |= MF_RELU;
    const struct opnd p = tr_pred_not(t, 87);
    if (p.reg != PRED_TRUE || p.mods) tr_refuse(t, "clips by a predicate");
}
void translate_hfma2(struct translator *t) {
    arithmetic(t, OP_HFMA, pair_type(t, SASS_80));
    if (t->gen >= SASS_80) relu(t);
    half_a(t, true);
    half_bc(t, true);
    // B.H0_NH1: ptxas 13.0 makes of __hcmadd(a, b, c) a.H0_H0 * b + c and to that adds
    // a.H1_H1 * b.H0_NH1, so that -H1 stands in the low half.
    if (t->gen >= SASS_86 && tr_bit(t, 86)) t->m->aux |= MHALF_CROSSED;
    zeros_win(t);
}
// In the tensor unit's path: no half of a source can be chosen.
void translate_hfma2_mma(struct translator *t) {
    tr_op(t, OP_HFMA, OPC_HALF, pair_type(t, SASS_80));
    if (t->gen < SASS_90 && tr_bit(t, 78)) {
        t->m->stype = t->m->type;
        t->m->type = ITYPE_F32;
    }
    tr_flag(t, 77, MF_SAT);
    tr_flush(t);
    tr_dst(t, 1);
    relu(t);
    half_a(t, false);
    half_bc(t, false);
    zeros_win(t);
}
void translate_hmnmx2(struct translator *t) {
    tr_op(t, OP_HMNMX, OPC_HALF, pair_type(t, SASS_80));
    tr_flush(t);
    tr_flag(t, 81, MF_NAN);
    tr_dst(t, 1);
    half_a(t, true);
    half_b2(t);
    if (t->gen >= SASS_86) tr_xorsign(t);
    tr_minimum(t);
}

// ---- comparisons ------------------------------------------------------------------------------
static bool names_single(const struct translator *t) {
    for (uint32_t k = 0; k < 2; k++)
        if ((t->m->aux >> 2 * k & 3) == MHALF_F32) return true;
    return false;
}
static enum isa_type compared(struct translator *t) {
    return t->gen >= SASS_90 && tr_bit(t, 65) ? ITYPE_BF16X2 : ITYPE_F16X2;
}
static void compared_sources(struct translator *t) {
    tr_flush(t);
    half_a(t, true);
    half_b2(t);
    if (names_single(t)) tr_refuse(t, "compares single precision with halves");
    tr_joined(t, 69);
}
void translate_hset2(struct translator *t) {
    const enum isa_type type = compared(t);
    uint32_t code;
    tr_op(t, OP_HSET, OPC_HALF, tr_bit(t, 71) ? type : ITYPE_U32);
    t->m->stype = (uint8_t)type;
    if (!tr_comparison(t, &code)) tr_refuse(t, "compares nothing");
    tr_dst(t, 1);
    compared_sources(t);
}
// Without H_AND each half has a predicate of its own, so that always is no turned never.
void translate_hsetp2(struct translator *t) {
    uint32_t code;
    tr_op(t, OP_HSETP, OPC_HALF, compared(t));
    t->m->stype = t->m->type;
    if (!tr_comparison(t, &code)) tr_refuse(t, "compares nothing");
    t->m->dst[0] = tr_pred(t, 81);
    t->m->dst[1] = tr_pred(t, 84);
    compared_sources(t);
    if (tr_bit(t, 71)) t->m->aux |= MHALF_AND;
}
