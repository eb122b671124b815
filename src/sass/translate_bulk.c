// Asynchronous copies of sm_90: barriers in shared memory, blocks of bytes, boxes of tensors.
//
// Copies take their operands from the uniform file and run once for all lanes that execute.
#include "sass/translator.h"

enum { UNIFORM_AT = 91 };

// ---- barriers (SYNCS, ARRIVES) ------------------------------------------------------------------
static void on_barrier(struct translator *t, enum mop op, enum op_class klass) {
    tr_op(t, op, klass, ITYPE_B64);
    t->m->space = SPACE_SHARED;
    t->m->vec = 1;
    t->m->flags |= MF_VOLATILE | MF_STRONG;
}

// SYNCS.ARRIVE and SYNCS.PHASECHK
void translate_syncs(struct translator *t) {
    enum { KIND_AT = 70, MODE_AT = 73, DROPS_AT = 75, COUNT_AT = 84, TRY_AT = 72, ANSWER_AT = 81 };
    enum { ARRIVES, LOOKS, PLAIN = 0, MASKED = 1, DROPS_STATE = 2 };
    static const uint8_t form[] = {MARRIVE_EXPECT,      MARRIVE_ONE,      MARRIVE_EXPECT_ONE,
                                   MARRIVE_EXPECT_ONLY, MARRIVE_COMPLETE, MARRIVE_SOME};
    const uint32_t kind = tr_field(t, KIND_AT, 2);
    if (kind == LOOKS) {
        on_barrier(t, OP_PHASECHK, OPC_MBARRIER);
        t->m->sub = tr_bit(t, TRY_AT) ? MPHASE_TRY : 0;
        t->m->dst[0] = tr_pred(t, ANSWER_AT);
        t->m->src[1] = tr_reg(t, 32, 1);
        tr_shared_address(t, 64);
        return;
    }
    on_barrier(t, OP_SYNCS, OPC_MBARRIER);
    const uint32_t mode = tr_field(t, MODE_AT, 2), count = tr_field(t, COUNT_AT, 3);
    if (kind != ARRIVES || mode > DROPS_STATE || count >= WW_COUNT(form)) {
        tr_refuse(t, "is an arrival that is not documented");
        return;
    }
    // .TMASK answers per lane what the lanes before it have done (noComplete): so does each arrival.
    t->m->sub = form[count] | (tr_bit(t, DROPS_AT) ? MARRIVE_DROPS : 0);
    t->m->src[1] = tr_reg(t, 32, 1);
    if (mode == DROPS_STATE)
        tr_ignore(t, 16, 8);
    else
        tr_dst(t, 2);
    tr_shared_address(t, 64);
}

// ARRIVES.LDGSTSBAR: when the thread's copies are done.
void translate_arrives(struct translator *t) {
    enum { COUNT_AT = 70, AS_ARRIVAL = 1, AS_BYTE = 2 };
    on_barrier(t, OP_ARRIVES, OPC_MBARRIER);
    const uint32_t what = t->gen < SASS_90 ? AS_ARRIVAL : tr_field(t, COUNT_AT, 2);
    if (what != AS_ARRIVAL && what != AS_BYTE) tr_refuse(t, "counts what is not documented");
    t->m->sub = t->gen < SASS_90 ? MARRIVES_OLD : what == AS_BYTE ? MARRIVES_BYTE : MARRIVES_ONE;
    tr_shared_address(t, 64);
}

// SYNCS.EXCH.64: the barrier's 64 bits, as mbarrier.init makes them. The old ones have no reader.
void translate_syncs_exchange(struct translator *t) {
    on_barrier(t, OP_ST, OPC_ST_SHARED);
    if (tr_field(t, 16, 8) < MAX_UGPRS - 1) tr_refuse(t, "wants the barrier's old bits");
    t->m->offset = (int32_t)(tr_field(t, 40, 24) << 8) >> 8;
    t->m->src[0] = tr_ureg(t, 24, 1);
    t->m->src[1] = tr_ureg(t, 32, 2);
}
// SYNCS.CCTL.IV: mbarrier.inval, which makes its bytes ordinary ones.
void translate_syncs_cctl(struct translator *t) {
    tr_op(t, OP_NOP, OPC_CTRL, ITYPE_NONE);
    tr_ignore(t, 72, 3);
    tr_ignore(t, 24, 8);
    tr_ignore(t, 40, 24);
    tr_ignore(t, 64, 6);
    tr_ignore(t, UNIFORM_AT, 1);
}

// ---- copies -------------------------------------------------------------------------------------
static void copy(struct translator *t, enum mop op, enum isa_type type) {
    tr_op(t, op, OPC_TMA, type);
    t->m->space = SPACE_GENERIC;
    t->m->vec = 1;
    t->m->sub = MBULK_ONCE;
    if (tr_bit(t, 76))
        t->m->src[MINST_POLICY] = tr_ureg(t, 40, 2); // a policy of L2
    else
        tr_ignore(t, 40, 6);
}

// UBLKCP, UBLKRED: [first], [second], how much
static void block(struct translator *t, enum isa_type type) {
    enum { WAY_AT = 73, G_G = 0, S_G = 1, G_S = 2, S_S = 3 };
    static const uint8_t way[] = {0, MBULK_S_G, MBULK_G_S, MBULK_S_S};
    copy(t, OP_BULKCP, type);
    const uint32_t n = tr_field(t, WAY_AT, 2);
    if (n == G_G) tr_refuse(t, "copies from global to global memory");
    t->m->sub |= way[n] | MBULK_PACKED;
    // Bits 32 to 37 name where to, bits 24 to 29 where from.
    // Without a barrier the shared side is one register.
    t->m->src[0] = n == G_S ? tr_ureg(t, 24, 1) : tr_ureg(t, 32, 2);
    t->m->src[1] = tr_ureg(t, n == G_S ? 32 : 24, n == S_S ? 1 : 2);
    t->m->src[2] = tr_ureg(t, 64, 1);
}
void translate_ublkcp(struct translator *t) {
    enum { MULTICAST_AT = 75, PREFETCH_AT = 81 };
    block(t, ITYPE_B32);
    if (tr_bit(t, MULTICAST_AT)) t->m->sub |= MBULK_MULTICAST;
    tr_ignore(t, PREFETCH_AT, 3); // how much of L2's lines to fetch, and an order of such: hints
}
void translate_ublkred(struct translator *t) {
    enum { OP_AT = 87, TYPE_AT = 81, WORD = 0, LONG = 2 };
    static const uint8_t op[] = {MATOM_ADD, MATOM_MIN, MATOM_MAX, MATOM_INC,
                                 MATOM_DEC, MATOM_AND, MATOM_OR,  MATOM_XOR};
    static const uint8_t type[] = {ITYPE_U32, ITYPE_S32, ITYPE_U64, ITYPE_S64, ITYPE_F16,
                                   ITYPE_F32, ITYPE_F32, ITYPE_F64, ITYPE_BF16};
    const uint32_t n = tr_field(t, TYPE_AT, 4);
    block(t, (enum isa_type)(n < WW_COUNT(type) ? type[n] : ITYPE_U32));
    if (n >= WW_COUNT(type)) tr_refuse(t, "has a type that is not documented");
    t->m->sub |= MBULK_REDUCES;
    t->m->aux = op[tr_field(t, OP_AT, 3)];
}
void translate_ublkpf(struct translator *t) {
    copy(t, OP_BULKCP, ITYPE_B32);
    t->m->sub |= MBULK_L2 | MBULK_PACKED;
    t->m->src[0] = tr_imm(0, 2);
    t->m->src[1] = tr_ureg(t, 24, 2);
    t->m->src[2] = tr_ureg(t, 64, 1);
}

// UTMA*: [where in shared memory, barrier, coordinates], [map]
static void box(struct translator *t, enum mop op, uint32_t words_before) {
    enum { RANK_AT = 79, IM2COL_AT = 82, WORDS = 4, MOST = 5 };
    copy(t, op, ITYPE_B32);
    const uint32_t rank = tr_field(t, RANK_AT, 3) + 1;
    if (rank > MOST) tr_refuse(t, "has a rank that is not documented");
    t->m->aux = (uint16_t)rank;
    if (tr_bit(t, IM2COL_AT)) t->m->sub |= MBULK_IM2COL;
    const struct opnd all = tr_ureg(t, 32, 2);
    const uint32_t n = words_before + rank;
    t->m->src[0] = all;
    t->m->src[0].words = (uint8_t)(n < WORDS ? (n == 3 ? 4 : n) : WORDS);
    if (n > WORDS) {
        t->m->src[1] = all;
        t->m->src[1].reg += WORDS;
        t->m->src[1].words = (uint8_t)(n - WORDS == 3 ? 4 : n - WORDS);
    }
    t->m->src[2] = tr_ureg(t, 24, 2);
}
void translate_utmaldg(struct translator *t) {
    enum { MULTICAST_AT = 75 };
    box(t, OP_TMALDG, 2);
    if (t->form != 1) return;
    if (tr_bit(t, MULTICAST_AT)) t->m->sub |= MBULK_MULTICAST;
    t->m->src[3] = tr_ureg(t, 64, 1);
}
void translate_utmastg(struct translator *t) { box(t, OP_TMASTG, 1); }
void translate_utmaredg(struct translator *t) {
    static const uint8_t op[] = {MATOM_ADD, MATOM_MIN, MATOM_MAX, MATOM_INC,
                                 MATOM_DEC, MATOM_AND, MATOM_OR,  MATOM_XOR};
    box(t, OP_TMARED, 1);
    t->m->cop = op[tr_field(t, 87, 3)];
}
void translate_utmapf(struct translator *t) {
    box(t, OP_TMAPF, 0);
    if (t->form == 1) t->m->src[3] = tr_ureg(t, 64, 1);
}

// ---- groups, maps, the asynchronous proxy -------------------------------------------------------
void translate_utmacmdflush(struct translator *t) {
    tr_op(t, OP_BULKCOMMIT, OPC_FENCE, ITYPE_NONE);
}
void translate_utmacctl(struct translator *t) {
    tr_op(t, OP_TMACCTL, OPC_FENCE, ITYPE_NONE);
    t->m->sub = !tr_bit(t, 82);
    t->m->src[0] = tr_ureg(t, 24, 2);
}
void translate_fence_view(struct translator *t) {
    tr_op(t, OP_VIEWFENCE, OPC_FENCE, ITYPE_NONE);
    tr_ignore(t, 72, 1); // of shared or of global memory
}
