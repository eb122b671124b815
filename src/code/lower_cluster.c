// What blocks of a cluster do with each other (compute capability 9.0): addresses in another block's
// shared memory, the cluster's barrier, stores that an mbarrier of their block counts.
//
// ptxas makes an address of shared memory of the block's rank and the offset in it, and so knows a
// block's own addresses by its rank. Code of ours leaves the rank out of its own, so that blocks
// without a cluster need not ask for it (exec/cluster.h); MAPA puts it in.
#include "code/lower_priv.h"

static bool refused(struct lower *l) {
    if (gen_has(l->gen, TRAIT_CLUSTER)) return false;
    const struct code_target *const t = l->f->target;
    lower_refuse(l, "it needs compute capability 9.0 (Hopper); this GPU's code is %s's%s",
                 gen_info[l->gen].name, t->others ? t->others(t->user, TRAIT_CLUSTER) : "");
    return true;
}

// mapa{.shared::cluster}.type d, a, rank; getctarank{.shared::cluster}.type d, a
static struct minst map(struct lower *l, const struct ptx_inst *i, enum mmapa what) {
    const enum isa_type t = lower_type(l, i, 0);
    struct minst m = lower_new(l, OP_MAPA, t);
    m.sub = (uint8_t)what;
    m.space = i->space == PTX_SPACE_SHARED ? SPACE_SHARED : SPACE_GENERIC;
    m.src[0] = lower_in_reg(l, lower_src(l, &i->operand[1], t));
    return m;
}
void lower_cluster_mapa(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    if (refused(l)) return;
    struct minst m = map(l, i, MMAPA_ADDRESS);
    m.dst[0] = lower_dst(l, &i->operand[0], lower_type(l, i, 0));
    m.src[1] = lower_in_reg(l, lower_src(l, &i->operand[2], ITYPE_U32));
    lower_put(l, &m);
}
void lower_cluster_rank(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    if (refused(l)) return;
    struct minst m = map(l, i, MMAPA_RANK);
    m.dst[0] = lower_dst(l, &i->operand[0], ITYPE_U32);
    lower_put(l, &m);
}

// barrier.cluster.arrive{.release, .relaxed}, barrier.cluster.wait{.acquire}
void lower_cluster_barrier(struct lower *l, const struct ptx_inst *i) {
    if (refused(l)) return;
    const bool arrives = ptx_has(i, PTX_MOD_arrive), relaxed = ptx_has(i, PTX_MOD_relaxed);
    if (arrives && !relaxed) lower_fence(l, MFENCE_GPU, MF_RELEASE);
    struct minst m = lower_new(l, OP_CBAR, ITYPE_NONE);
    m.sub = arrives ? MCBAR_ARRIVE : MCBAR_WAIT;
    lower_put(l, &m);
    if (!arrives) lower_fence(l, MFENCE_GPU, MF_ACQUIRE);
}

// st.async [a], b, [barrier]; red.async.op [a], b, [barrier]
void lower_cluster_async(struct lower *l, const struct ptx_inst *i, int op) {
    if (refused(l)) return;
    const enum isa_type t = lower_type(l, i, 0);
    const unsigned vector = i->vector > 1 ? i->vector : 1, words = lower_words(t);
    const struct ptx_operand *const o = &i->operand[1];
    const struct lower_addr a = lower_address(l, &i->operand[0], SPACE_SHARED),
                            barrier = lower_address(l, &i->operand[2], SPACE_SHARED);
    struct minst m = lower_new(l, OP_STAS, t);
    m.sub = op < 0 ? (uint8_t)MSTAS_STORE : (uint8_t)op;
    m.space = SPACE_SHARED;
    m.vec = (uint8_t)vector;
    m.src[0] = a.base;
    m.offset = a.offset;
    struct opnd part[4];
    for (unsigned k = 0; k < vector && k < 4; k++) {
        const struct ptx_operand *const e = o->kind == PTX_OPERAND_VECTOR ? &o->list[k] : o;
        const struct opnd v = lower_src(l, e, t);
        for (unsigned w = 0; w < words && k * words + w < 4; w++)
            part[k * words + w] = opnd_word(v, w);
    }
    m.src[1] = lower_gather(l, part, vector * words < 4 ? vector * words : 4);
    // The barrier's address is a register: one offset an instruction.
    if (barrier.base.kind == OPND_NONE) {
        m.src[2] = lower_in_reg(l, opnd_imm((uint64_t)barrier.offset));
    } else if (barrier.offset) {
        m.src[2] = lower_temp(l, 1);
        lower_iadd(l, m.src[2], barrier.base, opnd_imm((uint64_t)barrier.offset), 0);
    } else {
        m.src[2] = lower_in_reg(l, barrier.base);
    }
    lower_put(l, &m);
}
