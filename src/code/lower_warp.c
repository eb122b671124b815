// Instructions of a whole warp or block: barriers, votes, exchanges.
#include "code/lower_priv.h"

// bar.{sync,arrive}, barrier.{sync,arrive}: a{, b}; bar.red.op: d, a{, b}, {!}c; bar.warp.sync mask
void lower_warp_bar(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const struct ptx_operand *const o = i->operand;
    if (ptx_has(i, PTX_MOD_warp)) {
        struct minst m = lower_new(l, OP_WARPSYNC, ITYPE_U32);
        m.src[0] = i->n_operands ? lower_src(l, &o[0], ITYPE_U32) : opnd_imm(UINT32_MAX);
        lower_put(l, &m);
        return;
    }
    if (ptx_has(i, PTX_MOD_cluster)) {
        lower_cluster_barrier(l, i);
        return;
    }
    struct minst m = lower_new(l, OP_BAR, ITYPE_U32);
    m.src[0] = opnd_imm(0);
    if (!ptx_has(i, PTX_MOD_red)) {
        m.sub = ptx_has(i, PTX_MOD_arrive) ? MBAR_ARRIVE : MBAR_SYNC;
        if (i->n_operands > 0) m.src[0] = lower_src(l, &o[0], ITYPE_U32);
        if (i->n_operands > 1) m.src[1] = lower_src(l, &o[1], ITYPE_U32);
        lower_put(l, &m);
        return;
    }
    const unsigned n = i->n_operands;
    if (n < 3) {
        lower_refuse(l, "a reducing barrier has a result, a barrier and a predicate");
        return;
    }
    const bool popc = ptx_has(i, PTX_MOD_popc);
    m.sub = popc ? MBAR_RED_POPC : ptx_has(i, PTX_MOD_and) ? MBAR_RED_AND : MBAR_RED_OR;
    m.dst[0] = popc ? lower_dst(l, &o[0], ITYPE_U32) : lower_dst_pred(l, &o[0]);
    m.src[0] = lower_src(l, &o[1], ITYPE_U32);
    if (n > 3) m.src[1] = lower_src(l, &o[2], ITYPE_U32);
    m.src[2] = lower_plain_pred(l, lower_src_pred(l, &o[n - 1]));
    lower_put(l, &m);
}

// vote.{all,any,uni}.pred p, {!}a; vote.ballot.b32 d, {!}a; with .sync a member mask
void lower_warp_vote(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    struct minst m = lower_new(l, OP_VOTE, ITYPE_B32);
    m.sub = ptx_has(i, PTX_MOD_all)   ? MVOTE_ALL
            : ptx_has(i, PTX_MOD_any) ? MVOTE_ANY
            : ptx_has(i, PTX_MOD_uni) ? MVOTE_UNI
                                      : MVOTE_BALLOT;
    m.dst[0] = m.sub == MVOTE_BALLOT ? lower_dst(l, &i->operand[0], ITYPE_B32)
                                     : lower_dst_pred(l, &i->operand[0]);
    m.src[0] = lower_src_pred(l, &i->operand[1]);
    if (i->n_operands > 2) m.src[1] = lower_src(l, &i->operand[2], ITYPE_B32);
    lower_put(l, &m);
}

// match.any.sync.type d, a, mask; match.all.sync.type d{|p}, a, mask
void lower_warp_match(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const enum isa_type t = lower_type(l, i, 0);
    struct minst m = lower_new(l, OP_MATCH, t);
    m.sub = ptx_has(i, PTX_MOD_all);
    m.dst[0] = lower_dst(l, &i->operand[0], ITYPE_B32);
    m.dst[1] = lower_second_pred(l, &i->operand[0]);
    m.src[0] = lower_in_reg(l, lower_src(l, &i->operand[1], t));
    m.src[1] = lower_src(l, &i->operand[2], ITYPE_B32);
    lower_put_cost(l, &m, LOWER_COST_MATCH);
}

void lower_warp_redux(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    static const struct {
        uint16_t mod;
        uint8_t op;
    } table[] = {{PTX_MOD_add, MATOM_ADD}, {PTX_MOD_min, MATOM_MIN}, {PTX_MOD_max, MATOM_MAX},
                 {PTX_MOD_and, MATOM_AND}, {PTX_MOD_or, MATOM_OR},   {PTX_MOD_xor, MATOM_XOR}};
    const enum isa_type t = lower_type(l, i, 0);
    struct minst m = lower_new(l, OP_REDUX, t);
    for (size_t k = 0; k < WW_COUNT(table); k++)
        if (ptx_has(i, (enum ptx_mod)table[k].mod)) m.sub = table[k].op;
    m.flags = (ptx_has(i, PTX_MOD_abs) ? MF_ABS : 0u) | (ptx_has(i, PTX_MOD_NaN) ? MF_NAN : 0u);
    m.dst[0] = lower_dst(l, &i->operand[0], t);
    m.src[0] = lower_in_reg(l, lower_src(l, &i->operand[1], t));
    m.src[1] = lower_src(l, &i->operand[2], ITYPE_B32);
    lower_put_cost(l, &m, LOWER_COST_REDUX);
}

// shfl{.sync}.mode.b32 d{|p}, a, b, c{, mask}
void lower_warp_shfl(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    struct minst m = lower_new(l, OP_SHFL, ITYPE_B32);
    m.sub = ptx_has(i, PTX_MOD_up)     ? MSHFL_UP
            : ptx_has(i, PTX_MOD_down) ? MSHFL_DOWN
            : ptx_has(i, PTX_MOD_bfly) ? MSHFL_BFLY
                                       : MSHFL_IDX;
    m.dst[0] = lower_dst(l, &i->operand[0], ITYPE_B32);
    m.dst[1] = lower_second_pred(l, &i->operand[0]);
    for (unsigned s = 0; s + 1 < i->n_operands && s < 4; s++)
        m.src[s] = lower_src(l, &i->operand[s + 1], ITYPE_B32);
    m.src[0] = lower_in_reg(l, m.src[0]);
    lower_put_cost(l, &m, LOWER_COST_SHFL);
}

void lower_warp_activemask(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    struct minst m = lower_new(l, OP_ACTIVEMASK, ITYPE_B32);
    m.dst[0] = lower_dst(l, &i->operand[0], ITYPE_B32);
    lower_put(l, &m);
}

// elect.sync d|p, mask
void lower_warp_elect(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    struct minst m = lower_new(l, OP_ELECT, ITYPE_B32);
    m.dst[0] = lower_dst(l, &i->operand[0], ITYPE_B32);
    m.dst[1] = lower_second_pred(l, &i->operand[0]);
    m.src[0] = lower_src(l, &i->operand[1], ITYPE_B32);
    lower_put_cost(l, &m, LOWER_COST_ELECT);
}
