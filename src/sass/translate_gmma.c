// Products of warp groups: HGMMA, IGMMA, BGMMA, QGMMA, and what they are waited for with. Fragments and
// descriptors are PTX's: ptxas 12.9 loads them as they come. Shared-memory operands of both matrices
// stand in four uniform registers, A's descriptor first; where A is in registers these are there all the
// same, and B's is in the upper two.
#include "sass/translator.h"

enum {
    FORM_SHARED = 4,
    DESCRIPTORS = 4,
    NO_GROUP = 7,
    TURNED_A = 61,
    TURNED_B = 62,
    NEG_B = 63,
    NEG_A = 72
};

static struct opnd upper_half(struct opnd o) {
    o.words = 2;
    if (o.kind == OPND_UGPR) o.reg += 2;
    return o;
}

// Sums as many words as they take: all of them have a place, and D is C's unless C is the zero register.
static void sums(struct translator *t, uint32_t words) {
    const uint32_t d = tr_field(t, 16, 8), c = tr_field(t, 64, 8);
    if (d == MAX_GPRS - 1 && c == d) return; // see dropped
    if (d + words > MAX_GPRS - 1u) tr_refuse(t, "names sums behind the last register");
    t->m->dst[0] = (struct opnd){.kind = OPND_GPR, .words = (uint8_t)words, .reg = d};
    if (c == MAX_GPRS - 1) return; // nothing is added to
    if (c != d) tr_refuse(t, "adds to other registers than its own");
    t->m->src[2] = t->m->dst[0];
}

// A product whose sums go to the zero register: ptxas writes one (of URZ and URZ) where products have to
// be serialised, for what it closes.
static void dropped(struct translator *t, bool commits) {
    const struct minst was = *t->m;
    *t->m =
        (struct minst){.guard = was.guard, .guard_not = was.guard_not, .target = -1, .reconv = -1};
    tr_op(t, commits ? OP_GMMACOMMIT : OP_NOP, OPC_CTRL, ITYPE_NONE);
}

// What all have: operands, groups; `signs`, `turns`: whether fields say so.
static void product(struct translator *t, enum op_class klass, enum isa_type d, enum isa_type a,
                    uint32_t columns, bool signs, bool turns) {
    struct minst *const m = t->m;
    tr_op(t, OP_GMMA, klass, d);
    m->stype = (uint8_t)a;
    m->vec = (uint8_t)(columns / 8);
    sums(t, columns / (d == ITYPE_F16 ? 4 : 2));
    if (t->form == FORM_SHARED) {
        const struct opnd both = tr_ureg(t, 24, DESCRIPTORS);
        m->src[0] = both;
        m->src[0].words = 2;
        m->src[1] = upper_half(both);
        if (turns && tr_bit(t, TURNED_A)) m->sub |= GMMA_A_TURNED;
    } else {
        m->src[0] = tr_reg(t, 24, 4);
        m->src[1] = upper_half(tr_ureg(t, 32, DESCRIPTORS));
        m->sub |= GMMA_A_REGS;
    }
    if (turns && tr_bit(t, TURNED_B)) m->sub |= GMMA_B_TURNED;
    if (signs && tr_bit(t, NEG_A)) m->src[0].mods = OPND_NEG;
    if (signs && tr_bit(t, NEG_B)) m->src[1].mods = OPND_NEG;
    tr_counts_sum(t);
    const bool commits = tr_field(t, 84, 3) != NO_GROUP;
    if (commits) m->sub |= GMMA_COMMITS;
    if (m->dst[0].kind == OPND_NONE) dropped(t, commits);
}
static void sparse(struct translator *t, uint32_t selector) {
    t->m->aux = (uint16_t)(GMMA_SPARSE | selector << GMMA_SELECTOR_AT);
    t->m->src[3] = tr_reg(t, 40, 1);
}

void translate_hgmma(struct translator *t) {
    enum { BF16 = 1, TF32 = 2 };
    static const uint8_t type[] = {ITYPE_F16, ITYPE_BF16, ITYPE_TF32, ITYPE_NONE};
    const uint32_t columns = 8 * (tr_field(t, 53, 5) + 1), format = tr_field(t, 76, 2);
    const bool is_deep = tr_bit(t, 58), is_sparse = tr_bit(t, 73);
    const bool is_deep_sparse = is_sparse && tr_bit(t, 59);
    product(t, format == TF32 ? OPC_GMMA_TF32 : OPC_GMMA_16, tr_bit(t, 75) ? ITYPE_F32 : ITYPE_F16,
            (enum isa_type)type[format], columns, true, format != TF32);
    if (format == TF32) { // no fields of these
        tr_ignore(t, TURNED_A, 2);
    }
    if (format > TF32 ||
        (is_sparse ? is_deep_sparse == (format == TF32) : is_deep != (format == TF32)))
        tr_refuse(t, "has a shape without a meaning");
    if (is_sparse) sparse(t, tr_field(t, 48, 2));
}

void translate_qgmma(struct translator *t) {
    const bool is_sparse = tr_bit(t, 73);
    const uint32_t columns = 8 * (tr_field(t, 53, 5) + 1);
    if (is_sparse) tr_ignore(t, 58, 1); // always set
    product(t, OPC_GMMA_8, tr_bit(t, 75) ? ITYPE_F32 : ITYPE_F16,
            tr_bit(t, 76) ? ITYPE_E5M2 : ITYPE_E4M3, columns, true, false);
    if (tr_bit(t, 77)) t->m->sub |= GMMA_B_E5M2;
    if (is_sparse) sparse(t, 0);
}

// Of integers and bits fewer widths: 8, 16, 24, 32, then multiples of 16.
static uint32_t width_of(uint32_t code) { return code < 4 ? 8 * (code + 1) : 16 * (code - 1); }

void translate_igmma(struct translator *t) {
    const uint32_t code = tr_field(t, 53, 6);
    const bool is_sparse = tr_bit(t, 73), a = tr_bit(t, 76), b = tr_bit(t, 82);
    product(t, OPC_GMMA_INT, ITYPE_S32, ITYPE_S8, width_of(code / 3), false, false);
    t->m->sub |= (uint8_t)((a ? GMMA_A_SIGNED : 0) | (b ? GMMA_B_SIGNED : 0));
    if (tr_bit(t, 75)) t->m->flags |= MF_SAT;
    if (is_sparse) sparse(t, 0);
}

void translate_bgmma(struct translator *t) {
    product(t, OPC_GMMA_BITS, ITYPE_S32, ITYPE_B1, width_of(tr_field(t, 53, 6)), false, false);
}

void translate_warpgroup(struct translator *t) {
    enum { ARRIVE, WAIT, DEPBAR };
    switch (tr_field(t, 79, 2)) {
    case ARRIVE: tr_op(t, OP_GMMAFENCE, OPC_CTRL, ITYPE_NONE); return;
    case DEPBAR:
        tr_op(t, OP_GMMAWAIT, OPC_CTRL, ITYPE_NONE);
        t->m->aux = (uint16_t)tr_field(t, 72, 3);
        tr_ignore(t, 84, 3); // the one group counter there is
        return;
    default: tr_refuse(t, "is no form that compilers make"); // and no PTX is known to become it
    }
}

// A warp's share of registers. Compilers try until they have what they want; the simulated warp waits.
void translate_usetmaxreg(struct translator *t) {
    enum { GIVES = 5, TAKES = 6 };
    const uint32_t how = tr_field(t, 72, 3);
    tr_op(t, OP_SETMAXREG, OPC_CTRL, ITYPE_NONE);
    t->m->aux = (uint16_t)tr_field(t, 32, 10);
    t->m->sub = how == TAKES;
    if (how == TAKES)
        t->m->dst[0] = (struct opnd){.kind = OPND_PRED, .reg = PRED_UNIFORM + tr_field(t, 81, 3)};
    if (how != GIVES && how != TAKES) tr_refuse(t, "has a meaning that is not known");
}
