// Predicates as data: logic of three, bits of words, votes.
#include "sass/translator.h"

// ---- logic ------------------------------------------------------------------------------------
void translate_plop3(struct translator *t) {
    struct minst *const m = t->m;
    tr_op(t, OP_PLOP3, OPC_INT_CMP, ITYPE_PRED);
    m->dst[0] = tr_pred(t, 81);
    m->dst[1] = tr_pred(t, 84);
    if (pred_is_true(m->dst[1].reg)) m->dst[1] = tr_none();
    m->src[0] = tr_pred_not(t, 87);
    m->src[1] = tr_pred_not(t, 77);
    m->src[2] = tr_pred_not(t, 68);
    if (t->gen >= SASS_75 && tr_bit(t, 67) && !t->in->guard_uniform)
        m->src[2].reg += PRED_UNIFORM; // the third one alone may be of the uniform file
    m->sub = (uint8_t)(tr_field(t, 72, 5) << 3 | tr_field(t, 64, 3));
    m->aux = (uint16_t)tr_field(t, 16, 8);
}

// The same of signs of words.
void translate_plop3_sign(struct translator *t) {
    struct minst *const m = t->m;
    tr_op(t, OP_PLOP3S, OPC_INT_CMP, ITYPE_B32);
    m->dst[0] = tr_pred(t, 81);
    m->dst[1] = tr_pred(t, 84);
    if (pred_is_true(m->dst[1].reg)) m->dst[1] = tr_none();
    m->src[0] = tr_a(t, 1, 0);
    m->src[1] = tr_b(t, 1, 0);
    m->src[2] = tr_c(t, 1, 0);
    m->sub = (uint8_t)tr_field(t, 72, 8);
    m->aux = (uint16_t)tr_field(t, 16, 8);
}

// ---- bits of words ----------------------------------------------------------------------------
static void as_bits(struct translator *t, enum mop op) {
    struct minst *const m = t->m;
    const bool is_uniform = t->in->guard_uniform;
    tr_op(t, op, OPC_MOV, ITYPE_B32);
    if (t->form != 4) tr_refuse(t, "chooses predicates by a register");
    m->sub = (uint8_t)tr_field(t, 76, 2);
    m->src[0] = is_uniform ? tr_ureg(t, 24, 1) : tr_reg(t, 24, 1);
    const uint32_t which = tr_field(t, 32, 32);
    // Not documented: what bits beyond the seven predicates name.
    if (which & ~0x7fu && !(op == OP_R2PM && which == 255))
        tr_refuse(t, "names more than seven predicates");
    m->src[1] = tr_imm(which & 0x7f, 1);
    m->aux = is_uniform ? PRED_UNIFORM : 0;
}
void translate_p2r(struct translator *t) {
    as_bits(t, OP_P2RM);
    tr_dst(t, 1);
}
void translate_r2p(struct translator *t) { as_bits(t, OP_R2PM); }

// ---- votes ------------------------------------------------------------------------------------
// Of the executing lanes. A word gets the lanes that hold, whatever is asked of them.
void translate_vote(struct translator *t) {
    static const uint8_t mode[] = {MVOTE_ALL, MVOTE_ANY, MVOTE_UNI, MVOTE_UNI};
    struct minst *const m = t->m;
    tr_op(t, OP_VOTED, OPC_WARP, ITYPE_PRED);
    tr_dst(t, 1);
    m->dst[1] = tr_pred(t, 81);
    m->sub = mode[tr_field(t, 72, 2)];
    m->src[0] = tr_pred_not(t, 87);
    const bool has_word = m->dst[0].kind != OPND_ZERO, has_pred = !pred_is_true(m->dst[1].reg);
    if (has_word && has_pred) return;
    m->op = OP_VOTE;
    if (has_word)
        m->sub = MVOTE_BALLOT;
    else
        m->dst[0] = m->dst[1];
    m->dst[1] = tr_none();
}
