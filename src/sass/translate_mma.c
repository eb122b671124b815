// Products of matrices. Which element lies where: code/mma.def; ptxas's code of mma.sync moves no
// element, so words have PTX's fragments.
#include "sass/translator.h"

static enum isa_type sum_type(bool is_single) { return is_single ? ITYPE_F32 : ITYPE_F16; }
static void sources(struct translator *t, uint32_t a, uint32_t b, uint32_t c) {
    t->m->src[0] = tr_reg(t, 24, a);
    t->m->src[1] = tr_reg(t, 32, b);
    t->m->src[2] = tr_reg(t, 64, c);
}
// From sm_86 on a predicate may say that sums begin at 0: cuBLASLt's sums of E5M2 and E4M3 for sm_89
// have UP0 = (stage != 0), and every few stages what was summed is added to others and begun anew.
static void guard(struct translator *t) {
    if (t->gen >= SASS_86) tr_counts_sum(t);
}
// Of products in which no compiled code has it.
static void no_guard(struct translator *t) {
    if (t->gen >= SASS_86 && tr_field(t, 87, 4)) tr_refuse(t, "has sums that begin by a predicate");
}

// Of a sparse A: the registers of B are twice as many, metadata and selector follow.
static void sparse(struct translator *t, uint32_t words) {
    t->m->aux |= (uint16_t)(MMA_SPARSE | tr_field(t, 48, 2) << MMA_SELECTOR_AT);
    t->m->src[1] = tr_reg(t, 32, 2 * words);
    t->m->src[3] = tr_reg(t, 40, 1);
    tr_ignore(t, 125, 1); // hint
}

void translate_hmma_884(struct translator *t) {
    if (t->gen >= SASS_90) tr_refuse(t, "is not executed");
    const bool d = tr_bit(t, 76), c = tr_bit(t, 78);
    const uint32_t step = tr_field(t, 79, 2);
    tr_op(t, OP_HMMA_884, d ? OPC_MMA_884_F32 : OPC_MMA_884_F16, sum_type(d));
    t->m->stype = (uint8_t)sum_type(c);
    if (tr_bit(t, 77)) tr_refuse(t, "clips its sums");
    if (!d && c) tr_refuse(t, "adds single precision in half precision"); // no compiled code does
    if (!d && step > 1) tr_refuse(t, "is a step that sums in half precision do not have");
    t->m->sub =
        (uint8_t)(step | (tr_bit(t, 73) ? MMA_A_COL : 0u) | (tr_bit(t, 74) ? 0u : MMA_B_ROW));
    tr_dst(t, 2);
    sources(t, 2, 2, 2);
}
// HMMA of later generations: shape and format are fields.
static void signed_by(struct translator *t, uint32_t source, uint32_t at) {
    if (tr_bit(t, at)) t->m->src[source].mods = OPND_NEG;
}
void translate_hmma(struct translator *t) {
    enum { SHAPE_1688, SHAPE_16816, SHAPE_1684, HALF = 0, TF32 = 2 };
    static const uint8_t depth[] = {8, 16, 4, 0}, depth_sparse[] = {4, 8, 0, 16}; // of A
    static const uint8_t formats[] = {ITYPE_F16, ITYPE_BF16, ITYPE_TF32, ITYPE_NONE};
    const bool is_single = tr_bit(t, 76);
    const uint32_t shape = tr_field(t, 75, 1) + 2 * tr_field(t, 78, 1), format = tr_field(t, 82, 2);
    const bool is_sparse = t->gen >= SASS_80 && tr_bit(t, 73);
    const uint32_t k = is_sparse ? depth_sparse[shape] : depth[shape];
    const uint32_t words = format == TF32 ? k / 4u : k / 8u; // of A, half
    const enum op_class single = words == 2 ? OPC_MMA_16816_F32 : OPC_MMA_1688_F32,
                        half = words == 2 ? OPC_MMA_16816_F16 : OPC_MMA_1688_F16;
    tr_op(t, OP_HMMA_16, is_single ? single : half, sum_type(is_single));
    if (!words || words > 2 || (format != HALF && !is_single)) {
        tr_refuse(t, "has a shape without a meaning");
        return;
    }
    t->m->stype = formats[format];
    t->m->sub = (uint8_t)k;
    if (t->gen >= SASS_90) t->m->aux = MMA_HOPPER;
    guard(t);
    tr_dst(t, is_single ? 4 : 2);
    sources(t, 2 * words, is_sparse ? 2 * words : words, is_single ? 4 : 2);
    if (is_sparse) sparse(t, words);
    signed_by(t, 0, 72);
    signed_by(t, 1, 63);
    const bool is_plain = !t->m->src[0].mods && !t->m->src[1].mods && !t->m->aux &&
                          t->m->src[4].kind == OPND_NONE;
    if (shape != SHAPE_1688 || format != HALF || !is_plain) return;
    t->m->op = OP_HMMA_1688;
    t->m->stype = t->m->type;
    t->m->sub = 0;
}

// Floats of 8 bits, on sm_89.
void translate_qmma(struct translator *t) {
    enum { SHAPE_16816, SHAPE_16832 };
    const bool is_single = tr_bit(t, 77);
    const uint32_t shape = tr_field(t, 75, 2),
                   words = tr_bit(t, 80) ? shape : shape == SHAPE_16832 ? 2 : 1; // of A, half
    const enum op_class single = words == 2 ? OPC_MMA_16816_F32 : OPC_MMA_1688_F32,
                        half = words == 2 ? OPC_MMA_16816_F16 : OPC_MMA_1688_F16;
    tr_op(t, OP_HMMA_16, is_single ? single : half, sum_type(is_single));
    const bool is_sparse = tr_bit(t, 80); // shapes 16832 and 16864
    if (is_sparse ? shape != SHAPE_16832 && shape != SHAPE_16832 + 1 : shape > SHAPE_16832) {
        tr_refuse(t, "has a shape without a meaning");
        return;
    }
    t->m->stype = tr_bit(t, 78) ? ITYPE_E5M2 : ITYPE_E4M3;
    if (tr_bit(t, 79)) t->m->aux |= MMA_B_E5M2;
    t->m->sub = (uint8_t)(16 * words);
    tr_ignore(t, 74, 1); // B by columns, the only way there is
    guard(t);
    tr_dst(t, is_single ? 4 : 2);
    sources(t, 2 * words, is_sparse ? 2 * words : words, is_single ? 4 : 2);
    if (is_sparse) sparse(t, words);
    signed_by(t, 0, 72);
    signed_by(t, 1, 63);
}

// ---- integers, bits ---------------------------------------------------------------------------
// Eight rows are an operation each, sixteen are one of all formats; `words` of B.
static void integers(struct translator *t, enum mop eight, enum isa_type format, bool is_16,
                     uint32_t words, enum op_class klass) {
    if (is_16) klass = words == 2 ? OPC_MMA_16832_INT : OPC_MMA_16816_INT;
    tr_op(t, is_16 ? OP_IMMA_16 : eight, klass, ITYPE_S32);
    tr_ignore(t, 74, 1); // B by columns, the only way there is
    no_guard(t);
    if (is_16) {
        t->m->stype = (uint8_t)format;
        t->m->vec = (uint8_t)words;
    }
    tr_dst(t, is_16 ? 4 : 2);
    sources(t, is_16 ? 2 * words : 1, words, is_16 ? 4 : 2);
}
void translate_imma(struct translator *t) {
    enum { SHAPE_8816, SHAPE_8832 = 2, SHAPE_16816 = 4, SHAPE_16832, SHAPE_16864 };
    static const uint8_t depth[] = {16, 0, 32, 0, 16, 32, 64, 0};
    const uint32_t shape = tr_field(t, 75, 1) + 2 * tr_field(t, 85, 2);
    const bool is_4 = tr_bit(t, 83);
    static const uint8_t depth_sparse[] = {0, 0, 0, 0, 0, 16, 32, 64}; // of A
    const bool is_16 = shape >= SHAPE_16816;
    const bool is_sparse = t->gen >= SASS_80 && tr_bit(t, 72);
    const uint32_t words = (is_sparse ? depth_sparse[shape] : depth[shape]) / (is_4 ? 32u : 16u);
    if (tr_bit(t, 84) != is_4 || !words || words > (is_16 ? 2 : 1)) {
        tr_refuse(t, is_sparse ? "has a shape without a meaning" : "mixes widths");
        return;
    }
    integers(t, is_4 ? OP_IMMA_8832 : OP_IMMA_8816, is_4 ? ITYPE_S4 : ITYPE_S8, is_16, words,
             is_4 ? OPC_MMA_8832 : OPC_MMA_8816);
    if (is_sparse) sparse(t, words);
    t->m->sub =
        (uint8_t)((tr_bit(t, 76) ? MMA_A_SIGNED : 0u) | (tr_bit(t, 78) ? MMA_B_SIGNED : 0u));
    if (tr_bit(t, 82)) t->m->flags |= MF_SAT;
}
void translate_bmma(struct translator *t) {
    enum { SHAPE_88128, SHAPE_168128, SHAPE_168256 };
    const uint32_t shape = tr_field(t, 75, 2);
    integers(t, OP_BMMA_88128, ITYPE_B1, shape != SHAPE_88128, shape == SHAPE_168256 ? 2 : 1,
             OPC_MMA_88128);
    if (tr_field(t, 77, 2)) t->m->sub = MMA_AND;
}

// ---- doubles ----------------------------------------------------------------------------------
void translate_dmma(struct translator *t) {
    enum { SIGNS = TR_NEG | TR_ABS };
    static const uint16_t classes[] = {OPC_MMA_884_F64, OPC_MMA_1684_F64, OPC_MMA_1688_F64,
                                       OPC_MMA_16816_F64};
    const uint32_t shape = t->gen >= SASS_90 ? tr_field(t, 76, 2) : 0; // 8x8x4, 16x8x4, 16x8x8, 16x8x16
    const uint32_t halves = shape == 0 ? 1 : 2, blocks = shape == 0 ? 1 : 1u << (shape - 1);
    tr_op(t, shape == 0 ? OP_DMMA : OP_DMMA_16, (enum op_class)classes[shape], ITYPE_F64);
    if (shape != 0) t->m->vec = (uint8_t)blocks;
    if (tr_field(t, 78, 2)) tr_refuse(t, "does not round to nearest");
    tr_dst(t, 4 * halves);
    t->m->src[0] = tr_a(t, 2 * halves * blocks, SIGNS);
    t->m->src[1] = tr_b(t, 2 * blocks, SIGNS);
    t->m->src[2] = tr_c(t, 4 * halves, SIGNS);
}
