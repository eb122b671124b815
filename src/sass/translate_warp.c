// What lanes of a warp and warps of a block do together, and dependence counters. Sources: PTX ISA
// 9.0; what words say, encoding.def; what PTX becomes, ptxas 11.8 and 12.9.
#include "sass/translator.h"

// ---- lanes of a warp --------------------------------------------------------------------------
// Members have met before (WARPSYNC): a shuffle or a match is among the lanes that execute.
void translate_shfl(struct translator *t) {
    static const uint8_t how[] = {MSHFL_IDX, MSHFL_UP, MSHFL_DOWN, MSHFL_BFLY};
    const bool has_lane = t->form == 4 || t->form == 7, has_clamp = t->form == 2 || t->form == 7;
    tr_op(t, OP_SHFL, OPC_SHFL, ITYPE_B32);
    t->m->sub = how[tr_field(t, 58, 2)];
    tr_dst(t, 1);
    t->m->dst[1] = tr_pred(t, 81);
    t->m->src[0] = tr_reg(t, 24, 1);
    t->m->src[1] = has_lane ? tr_imm(tr_field(t, 53, 5), 1) : tr_reg(t, 32, 1);
    t->m->src[2] = has_clamp ? tr_imm(tr_field(t, 40, 13), 1) : tr_reg(t, 64, 1);
}
void translate_match(struct translator *t) {
    const bool is_wide = tr_bit(t, 73), is_any = tr_bit(t, 79);
    tr_op(t, OP_MATCH, OPC_WARP, is_wide ? ITYPE_B64 : ITYPE_B32);
    t->m->sub = !is_any;
    tr_dst(t, 1);
    if (!is_any) t->m->dst[1] = tr_pred(t, 81);
    t->m->src[0] = tr_reg(t, 24, is_wide ? 2 : 1);
}
// To a uniform register; the operation is over the lanes that execute.
void translate_redux(struct translator *t) {
    static const uint8_t op[] = {MATOM_AND, MATOM_OR, MATOM_XOR, MATOM_ADD, MATOM_MIN, MATOM_MAX};
    const uint32_t n = tr_field(t, 78, 3);
    tr_op(t, OP_REDUX, OPC_WARP, tr_bit(t, 73) ? ITYPE_S32 : ITYPE_U32);
    if (n < WW_COUNT(op))
        t->m->sub = op[n];
    else
        tr_refuse(t, "is an operation that is not documented");
    t->m->dst[0] = tr_ureg(t, 16, 1);
    t->m->src[0] = tr_reg(t, 24, 1);
}

// ---- matrices ---------------------------------------------------------------------------------
void translate_ldsm(struct translator *t) {
    enum { PLAIN, TURNED, OTHER };
    static const uint8_t matrices[] = {1, 2, 4, 0};
    const uint32_t kind = tr_field(t, 78, 2), n = matrices[tr_field(t, 72, 2)];
    tr_op(t, OP_LDSM, OPC_LD_SHARED, ITYPE_B32);
    if (kind >= OTHER || !n) {
        tr_refuse(t, "loads matrices of a shape that is not executed");
        return;
    }
    t->m->space = SPACE_SHARED;
    t->m->sub = kind == TURNED;
    t->m->vec = (uint8_t)n;
    tr_dst(t, n);
    tr_shared_address(t, 32);
}
void translate_stsm(struct translator *t) {
    static const uint8_t matrices[] = {1, 2, 4, 0};
    const uint32_t n = matrices[tr_field(t, 72, 2)];
    tr_op(t, OP_STSM, OPC_ST_SHARED, ITYPE_B32);
    if (!n) {
        tr_refuse(t, "stores matrices of a shape that is not executed");
        return;
    }
    t->m->space = SPACE_SHARED;
    t->m->sub = tr_bit(t, 78);
    t->m->vec = (uint8_t)n;
    t->m->src[1] = tr_reg(t, 32, n);
    tr_shared_address(t, 64);
}
void translate_movm(struct translator *t) {
    tr_op(t, OP_MOVM, OPC_SHFL, ITYPE_B32);
    tr_dst(t, 1);
    t->m->src[0] = tr_reg(t, 24, 1);
}

// ---- barriers of the block --------------------------------------------------------------------
// A barrier's number, and the count of threads if it has one: of each a register or an immediate, or
// both in one register.
static void barrier_of_block(struct translator *t) {
    const uint32_t counted = t->form == 2 || t->form == 5 ? tr_field(t, 42, 12) : 0;
    switch (t->form) {
    case 1:
        t->m->src[0] = tr_reg(t, 32, 1);
        t->m->aux = 1;
        return;
    case 2: t->m->src[0] = tr_reg(t, 32, 1); break;
    case 4:
        t->m->src[0] = tr_imm(tr_field(t, 54, 4), 1);
        t->m->src[1] = tr_reg(t, 32, 1);
        return;
    default: t->m->src[0] = tr_imm(tr_field(t, 54, 4), 1);
    }
    if (counted) t->m->src[1] = tr_imm(counted, 1);
}
void translate_bar(struct translator *t) {
    enum { SYNC, ARRIVE, REDUCE };
    static const uint8_t reduction[] = {MBAR_RED_POPC, MBAR_RED_AND, MBAR_RED_OR};
    tr_op(t, OP_BAR, OPC_CTRL, ITYPE_U32);
    tr_ignore(t, 80, 1); // .DEFER_BLOCKING: nothing of it is documented
    barrier_of_block(t);
    const uint32_t kind = tr_field(t, 77, 3);
    if (kind > REDUCE) {
        tr_refuse(t, "is a barrier that is not documented");
        return;
    }
    t->m->sub = kind == ARRIVE ? MBAR_ARRIVE : MBAR_SYNC;
    if (kind != REDUCE) return;
    t->m->sub = reduction[tr_field(t, 74, 2) % WW_COUNT(reduction)];
    t->m->src[2] = tr_pred_not(t, 87);
    t->m->dst[0] = (struct opnd){.kind = OPND_RESULT, .words = 1};
}
void translate_b2r(struct translator *t) {
    enum { RESULT = 1 };
    tr_op(t, OP_B2R, OPC_CTRL, ITYPE_U32);
    if (tr_field(t, 78, 2) != RESULT) {
        tr_refuse(t, "reads a barrier's state");
        return;
    }
    tr_dst(t, 1);
    t->m->dst[1] = tr_pred(t, 81);
    t->m->src[0] = (struct opnd){.kind = OPND_RESULT, .words = 1};
}

// ---- clusters ---------------------------------------------------------------------------------
void translate_ucgabar(struct translator *t) {
    tr_op(t, OP_CBAR, OPC_CTRL, ITYPE_NONE);
    tr_ignore(t, 91, 1); // the mark of words of the uniform datapath
    t->m->sub = t->form == 6 ? MCBAR_WAIT : MCBAR_ARRIVE;
}
// griddepcontrol.launch_dependents and .wait, as ptxas writes them.
void translate_preexit(struct translator *t) {
    tr_op(t, OP_GRIDDEP, OPC_CTRL, ITYPE_NONE);
    t->m->sub = MGRIDDEP_LAUNCH;
}
void translate_acqbulk(struct translator *t) {
    tr_op(t, OP_GRIDDEP, OPC_CTRL, ITYPE_NONE);
    t->m->sub = MGRIDDEP_WAIT;
}
// One of the lanes that execute.
void translate_elect(struct translator *t) {
    tr_op(t, OP_ELECT, OPC_WARP, ITYPE_B32);
    tr_ignore(t, 85, 1); // .IGNOREKILL: lanes that a shader has killed, of which there are none
    t->m->dst[0] = tr_ureg(t, 16, 1);
    t->m->dst[1] = tr_pred(t, 81);
    const struct opnd p = tr_pred_not(t, 87);
    if (p.reg != PRED_TRUE || p.mods) tr_refuse(t, "elects among lanes of a predicate");
}

// An event of the profiler, which has no reader here.
void translate_pmtrig(struct translator *t) {
    tr_op(t, OP_NOP, OPC_CTRL, ITYPE_NONE);
    tr_ignore(t, 32, 16);
    tr_ignore(t, 87, 4);
}

// ---- dependence counters ----------------------------------------------------------------------
void translate_depbar(struct translator *t) {
    tr_op(t, OP_DEPBAR, OPC_CTRL, ITYPE_U32);
    t->m->src[0] = tr_imm(tr_field(t, 32, 6), 1);
    t->m->sub = CONTROL_NONE;
    if (!tr_bit(t, 47)) return;
    t->m->sub = (uint8_t)tr_field(t, 44, 3);
    t->m->aux = (uint16_t)tr_field(t, 38, 6);
    if (t->m->sub >= CONTROL_COUNTERS) tr_refuse(t, "names a counter that does not exist");
    // ptxas has copies into shared memory (LDGDEPBAR) counted by counter 0.
    if (t->gen >= SASS_80 && t->m->sub == 0) t->m->flags |= MF_ACQUIRE;
}
