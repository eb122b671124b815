// The uniform datapath, where its words differ from those of the vector one: moves, constants, and
// what goes from registers and predicates of threads to those of the warp.
#include "sass/translator.h"

// Results of the uniform file in words that a predicate of threads guards.
static struct opnd uniform_result(struct translator *t) { return tr_ureg(t, 16, 1); }
static struct opnd uniform_pred(struct translator *t, uint32_t lo) {
    return (struct opnd){.kind = OPND_PRED, .reg = PRED_UNIFORM + tr_field(t, lo, 3)};
}

void translate_umov(struct translator *t) {
    tr_op(t, OP_MOV, OPC_UNIFORM_MOVE, ITYPE_B32);
    tr_dst(t, 1);
    t->m->src[0] = tr_b2(t, 1, 0);
}
// Pairs: compilers add to descriptors of shared memory so.
void translate_uiadd3_64(struct translator *t) {
    struct minst *const m = t->m;
    tr_op(t, OP_IADD, OPC_INT_ADD, ITYPE_U64);
    tr_dst(t, 2);
    m->src[0] = tr_a(t, 2, TR_NEG);
    m->src[1] = tr_b(t, 2, TR_NEG | TR_SIGNED);
    if (tr_c(t, 2, TR_NEG).kind != OPND_ZERO) tr_refuse(t, "adds three");
    if (tr_bit(t, 74) || tr_field(t, 81, 3) != PRED_TRUE || tr_field(t, 84, 3) != PRED_TRUE)
        tr_refuse(t, "has a carry");
}
// The value of the lowest lane, and a predicate of each lane whose own is another; with .OR it stays
// true where it was. No manual says so; code does. ptxas stores through addresses and coordinates
// that must be uniform in a loop: R2UR P, R2UR.OR P of the next word, the store, and again while P
// holds in any lane. And before an operation with a mask in a register it writes REDUX.OR UR, mask;
// R2UR P, URZ, mask; @!P BRA.DIV UR: straight on only where all lanes of all masks are here and have
// the same one.
void translate_r2ur(struct translator *t) {
    const struct opnd p = tr_pred(t, 81);
    tr_op(t, p.reg == PRED_TRUE ? OP_MOV : OP_R2UR, OPC_UNIFORM_MOVE, ITYPE_B32);
    t->m->dst[0] = uniform_result(t);
    t->m->src[0] = tr_reg(t, 24, 1);
    if (t->m->op == OP_R2UR) t->m->dst[1] = p;
    if (t->gen >= SASS_90 && tr_bit(t, 84) && t->m->op == OP_R2UR) t->m->src[1] = p;
}
void translate_voteu(struct translator *t) {
    static const uint8_t mode[] = {MVOTE_ALL, MVOTE_ANY, MVOTE_UNI, MVOTE_UNI};
    struct minst *const m = t->m;
    tr_op(t, OP_VOTED, OPC_UNIFORM_MOVE, ITYPE_PRED);
    m->dst[0] = uniform_result(t);
    m->dst[1] = uniform_pred(t, 81);
    m->sub = mode[tr_field(t, 72, 2)];
    m->src[0] = tr_pred_not(t, 87);
}

// ---- constants --------------------------------------------------------------------------------
static const struct {
    uint8_t type, words;
} size[8] = {{ITYPE_U8, 1},  {ITYPE_S8, 1},  {ITYPE_U16, 1},  {ITYPE_S16, 1},
             {ITYPE_B32, 1}, {ITYPE_B64, 2}, {ITYPE_NONE, 0}, {ITYPE_NONE, 0}};

static void load_constant(struct translator *t, struct opnd index) {
    struct minst *const m = t->m;
    const uint32_t s = tr_field(t, 73, 3);
    if (!size[s].words) {
        tr_refuse(t, "loads more than two words");
        return;
    }
    tr_dst(t, size[s].words);
    const uint32_t bank = tr_field(t, 54, 5);
    // Behind a register it has a sign.
    const bool is_plain = index.kind == OPND_NONE;
    const uint32_t field = (uint32_t)tr_field(t, 38, 16);
    const int32_t offset = is_plain ? (int32_t)field : (int16_t)field;
    if (is_plain && s >= 4) {
        tr_op(t, OP_MOV, OPC_UNIFORM_MOVE, (enum isa_type)size[s].type);
        m->src[0] = (struct opnd){.kind = OPND_CONST,
                                  .words = size[s].words,
                                  .bank = (uint8_t)bank,
                                  .reg = (uint32_t)offset};
        return;
    }
    tr_op(t, OP_LDC, OPC_LD_CONST, (enum isa_type)size[s].type);
    m->sub = (uint8_t)bank;
    m->vec = 1;
    m->space = SPACE_CONST;
    m->src[0] = index;
    m->offset = offset;
}
void translate_uldc(struct translator *t) {
    if (tr_bit(t, 91)) tr_refuse(t, "reads a bank by a handle");
    load_constant(t, tr_none());
}
void translate_uldc_at(struct translator *t) {
    tr_ignore(t, 91, 1); // the mark of words with a uniform source
    load_constant(t, tr_ureg(t, 24, 1));
}
