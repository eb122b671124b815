// Products of matrices. Which element lies where: code/mma.def; ptxas's code of mma.sync moves no
// element, so words have PTX's fragments.
#include "sass/translator.h"

static enum isa_type sum_type(bool is_single) { return is_single ? ITYPE_F32 : ITYPE_F16; }
static void sources(struct translator *t, uint32_t a, uint32_t b, uint32_t c) {
    t->m->src[0] = tr_reg(t, 24, a);
    t->m->src[1] = tr_reg(t, 32, b);
    t->m->src[2] = tr_reg(t, 64, c);
}
// From sm_86 on a predicate may say that sums begin at 0.
static void no_guard(struct translator *t) {
    if (t->gen >= SASS_86 && tr_field(t, 87, 4)) tr_refuse(t, "has sums that begin by a predicate");
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
void translate_hmma(struct translator *t) {
    enum { SHAPE_1688 = 0 };
    const bool is_single = tr_bit(t, 76);
    const uint32_t shape = tr_field(t, 75, 1) + 2 * tr_field(t, 78, 1);
    tr_op(t, OP_HMMA_1688, is_single ? OPC_MMA_1688_F32 : OPC_MMA_1688_F16, sum_type(is_single));
    t->m->stype = t->m->type;
    if (shape != SHAPE_1688) tr_refuse(t, "has a shape that is not executed");
    if (tr_field(t, 82, 2)) tr_refuse(t, "is of another format than f16");
    if (tr_bit(t, 72) || tr_bit(t, 63)) tr_refuse(t, "has a minus sign");
    if (t->gen >= SASS_80 && tr_bit(t, 73)) tr_refuse(t, "is of a sparse matrix");
    no_guard(t);
    tr_dst(t, is_single ? 4 : 2);
    sources(t, 2, 1, is_single ? 4 : 2);
}
void translate_imma(struct translator *t) {
    enum { SHAPE_8816, SHAPE_8832 = 2 };
    const uint32_t shape = tr_field(t, 75, 1) + 2 * tr_field(t, 85, 2);
    const bool is_4 = tr_bit(t, 83), is_8832 = shape == SHAPE_8832;
    tr_op(t, is_8832 ? OP_IMMA_8832 : OP_IMMA_8816, is_8832 ? OPC_MMA_8832 : OPC_MMA_8816,
          ITYPE_S32);
    if (shape != SHAPE_8816 && !is_8832) tr_refuse(t, "has a shape that is not executed");
    if (is_4 != is_8832 || tr_bit(t, 84) != is_4) tr_refuse(t, "mixes widths");
    if (t->gen >= SASS_80 && tr_bit(t, 72)) tr_refuse(t, "is of a sparse matrix");
    t->m->sub =
        (uint8_t)((tr_bit(t, 76) ? MMA_A_SIGNED : 0u) | (tr_bit(t, 78) ? MMA_B_SIGNED : 0u));
    if (tr_bit(t, 82)) t->m->flags |= MF_SAT;
    tr_ignore(t, 74, 1); // B by columns, the only way there is
    no_guard(t);
    tr_dst(t, 2);
    sources(t, 1, 1, 2);
}
void translate_bmma(struct translator *t) {
    tr_op(t, OP_BMMA_88128, OPC_MMA_88128, ITYPE_S32);
    if (tr_field(t, 75, 2)) tr_refuse(t, "has a shape that is not executed");
    if (tr_field(t, 77, 2)) tr_refuse(t, "joins bits by and");
    tr_ignore(t, 74, 1);
    tr_dst(t, 2);
    sources(t, 1, 1, 2);
}
