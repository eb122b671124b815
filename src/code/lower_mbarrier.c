// Barriers in shared memory (mbarrier). Up to 8.9 ptxas makes them of ordinary instructions and an
// arrival; so it is here, on the same bytes (isa/mbarrier.h). Hopper has instructions of its own for an
// arrival, a look at the phase, and an arrival that waits for copies.
#include "code/lower_priv.h"
#include "isa/mbarrier.h"

// ---- shared parts -------------------------------------------------------------------------
static bool refused(struct lower *l, enum gen_trait need, const char *since) {
    if (gen_has(l->gen, need)) return false;
    const struct code_target *const t = l->f->target;
    lower_refuse(l, "it needs compute capability %s; this GPU's code is %s's%s", since,
                 gen_info[l->gen].name, t->others ? t->others(t->user, need) : "");
    return true;
}
static bool counts_bytes(const struct lower *l) { return gen_has(l->gen, TRAIT_MBARRIER_TX); }

static struct minst at_barrier(struct lower *l, enum mop op, enum isa_type type,
                               const struct lower_addr *a, unsigned behind) {
    struct minst m = lower_new(l, op, type);
    m.vec = 1;
    m.space = a->space;
    m.src[0] = a->base;
    m.offset = a->offset + behind;
    m.flags = a->flags;
    return m;
}
// d = a ATOM b on the word `behind` the barrier's start; d NONE: not asked for.
static void add_word(struct lower *l, const struct lower_addr *a, unsigned behind, struct opnd b,
                     struct opnd d) {
    struct minst m = at_barrier(l, OP_ATOM, ITYPE_U32, a, behind);
    m.klass = OPC_ATOM_SHARED;
    m.sub = MATOM_ADD;
    m.src[1] = lower_in_reg(l, b);
    m.dst[0] = d;
    lower_put(l, &m);
}
// One arrival of each lane before 9.0; `state` NONE: not asked for.
static void arrive(struct lower *l, const struct lower_addr *a, struct opnd state) {
    const struct opnd o[2] = {opnd_imm(1), opnd_imm(0)};
    struct minst m = at_barrier(l, OP_ATOM, ITYPE_B64, a, 0);
    m.klass = OPC_ATOM_SHARED;
    m.sub = MATOM_ARRIVE;
    m.src[1] = lower_gather(l, o, 2);
    m.dst[0] = state;
    lower_put(l, &m);
}
// An instruction made for barriers, which orders as an atomic does.
static struct minst special(struct lower *l, enum mop op, const struct lower_addr *a) {
    struct minst m = at_barrier(l, op, ITYPE_B64, a, 0);
    m.flags |= MF_VOLATILE | MF_STRONG;
    return m;
}
// An arrival by enum marrive; `n` NONE: the form counts nothing.
static void syncs(struct lower *l, const struct lower_addr *a, unsigned form, struct opnd n,
                  struct opnd state) {
    struct minst m = special(l, OP_SYNCS, a);
    m.sub = (uint8_t)form;
    if (n.kind != OPND_NONE) m.src[1] = lower_in_reg(l, n);
    m.dst[0] = state;
    lower_put(l, &m);
}
// d = k - a, a word.
static struct opnd less(struct lower *l, uint32_t k, struct opnd a) {
    const struct opnd d = lower_temp(l, 1);
    lower_iadd(l, d, opnd_mod(lower_in_reg(l, a), OPND_NEG), opnd_imm(k), 0);
    return d;
}
static struct opnd shifted(struct lower *l, enum mop op, struct opnd a, unsigned n) {
    const struct opnd d = lower_temp(l, 1);
    lower_shift(l, op, ITYPE_U32, d, a, n);
    return d;
}
static struct lower_addr barrier_at(struct lower *l, const struct ptx_inst *i, unsigned operand) {
    return lower_address(l, &i->operand[operand], from_space(i->space));
}

// ---- forms --------------------------------------------------------------------------------
static void init(struct lower *l, const struct ptx_inst *i) {
    const struct lower_addr a = barrier_at(l, i, 0);
    const struct opnd n = lower_src(l, &i->operand[1], ITYPE_U32);
    struct opnd o[2];
    if (counts_bytes(l)) {
        const struct opnd lacks = less(l, MBARRIER_COUNTED + 1u, n);
        o[0] = shifted(l, OP_SHL, lacks, MBARRIER_EXPECTED_AT);
        o[1] = shifted(l, OP_SHL, lacks, MBARRIER_PENDING_AT - 32);
    } else {
        o[0] = less(l, 1u << 30, n);
        o[1] = less(l, 1u << 31, n);
    }
    struct minst m = at_barrier(l, OP_ST, ITYPE_B64, &a, 0);
    m.klass = a.space == SPACE_SHARED ? OPC_ST_SHARED : OPC_ST_GENERIC;
    m.flags |= MF_VOLATILE | MF_STRONG;
    m.src[1] = lower_gather(l, o, 2);
    lower_put(l, &m);
}

// The state is the barrier before the arrival, of which only the phase and what is pending count.
static void arrival(struct lower *l, const struct ptx_inst *i, bool drops) {
    const bool partial = ptx_has(i, PTX_MOD_noComplete), expects = ptx_has(i, PTX_MOD_expect_tx);
    const struct lower_addr a = barrier_at(l, i, 1);
    const bool counted = i->n_operands > 2;
    const struct opnd n = counted ? lower_src(l, &i->operand[2], ITYPE_U32) : opnd_imm(1);
    const struct lower_reg *const r = lower_reg_of(l, &i->operand[0]);
    const bool wanted = i->operand[0].kind != PTX_OPERAND_SINK && r && r->mentions > 1;
    const struct opnd state = wanted ? lower_dst(l, &i->operand[0], ITYPE_B64) : opnd_none();
    if (!ptx_has(i, PTX_MOD_relaxed)) lower_fence(l, MFENCE_CTA, MF_RELEASE);
    if (counts_bytes(l)) {
        const unsigned form = expects ? MARRIVE_EXPECT : counted ? MARRIVE_SOME : MARRIVE_ONE;
        syncs(l, &a, form | (drops ? MARRIVE_DROPS : 0), counted ? n : opnd_none(), state);
        return;
    }
    if (expects || (counted && !partial)) {
        refused(l, TRAIT_MBARRIER_TX, "9.0 (Hopper)");
        return;
    }
    if (drops) add_word(l, &a, 0, n, opnd_none());
    if (!partial) {
        arrive(l, &a, state);
        return;
    }
    if (wanted) lower_mov(l, opnd_word(state, 0), opnd_imm(0));
    add_word(l, &a, 4, n, wanted ? opnd_word(state, 1) : opnd_none());
}

// Whether the phase of a state, or of a parity, is over: the barrier's is another then. Before 9.0 a
// wait that may suspend answers at once, as PTX allows.
static void wait(struct lower *l, const struct ptx_inst *i) {
    const struct lower_addr a = barrier_at(l, i, 1);
    const struct opnd was = ptx_has(i, PTX_MOD_parity)
                                ? shifted(l, OP_SHL, lower_src(l, &i->operand[2], ITYPE_U32), 31)
                                : opnd_word(lower_src(l, &i->operand[2], ITYPE_B64), 1);
    if (counts_bytes(l)) {
        struct minst m = special(l, OP_PHASECHK, &a);
        m.sub = ptx_has(i, PTX_MOD_try_wait) ? MPHASE_TRY : 0;
        m.src[1] = lower_in_reg(l, was);
        if (i->n_operands > 3) {
            m.sub |= MPHASE_LIMIT;
            m.src[2] = lower_in_reg(l, lower_src(l, &i->operand[3], ITYPE_U32));
        }
        m.dst[0] = lower_dst_pred(l, &i->operand[0]);
        lower_put(l, &m);
        if (!ptx_has(i, PTX_MOD_relaxed)) lower_fence(l, MFENCE_CTA, MF_ACQUIRE);
        return;
    }
    struct minst m = at_barrier(l, OP_LD, ITYPE_S32, &a, 4);
    m.klass = lower_load_class(a.space);
    m.flags |= MF_VOLATILE | MF_STRONG;
    m.dst[0] = lower_temp(l, 1);
    lower_put(l, &m);
    if (!ptx_has(i, PTX_MOD_relaxed)) lower_fence(l, MFENCE_CTA, MF_ACQUIRE);
    const struct opnd differs = lower_temp(l, 1);
    lower_logic(l, MLOGIC_XOR, differs, m.dst[0], was);
    struct minst c = lower_new(l, OP_ISETP, ITYPE_S32);
    c.cmp = MCMP_LT;
    c.dst[0] = lower_dst_pred(l, &i->operand[0]);
    c.src[0] = differs;
    c.src[1] = opnd_imm(0);
    lower_put(l, &c);
}

static void pending(struct lower *l, const struct ptx_inst *i) {
    const struct opnd high = opnd_word(lower_src(l, &i->operand[1], ITYPE_B64), 1);
    struct opnd lacks = lower_temp(l, 1);
    uint32_t all = 1u << 31;
    if (counts_bytes(l)) {
        all = MBARRIER_COUNTED + 1u;
        lower_logic(l, MLOGIC_AND, lacks,
                    shifted(l, OP_SHR, lower_in_reg(l, high), MBARRIER_PENDING_AT - 32),
                    opnd_imm(MBARRIER_COUNTED));
    } else {
        lower_logic(l, MLOGIC_AND, lacks, lower_in_reg(l, high), opnd_imm(all - 1));
    }
    lower_mov(l, lower_dst(l, &i->operand[0], ITYPE_U32), less(l, all, lacks));
}

void lower_mbarrier_mbarrier(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const bool expects = ptx_has(i, PTX_MOD_expect_tx), tries = ptx_has(i, PTX_MOD_try_wait);
    if (refused(l, TRAIT_MBARRIER, "8.0 (Ampere)")) return;
    if ((expects || tries || ptx_has(i, PTX_MOD_complete_tx)) &&
        refused(l, TRAIT_MBARRIER_TX, "9.0 (Hopper)"))
        return;
    if (ptx_has(i, PTX_MOD_init)) {
        init(l, i);
    } else if (ptx_has(i, PTX_MOD_arrive) || ptx_has(i, PTX_MOD_arrive_drop)) {
        arrival(l, i, ptx_has(i, PTX_MOD_arrive_drop));
    } else if (tries || ptx_has(i, PTX_MOD_test_wait)) {
        wait(l, i);
    } else if (ptx_has(i, PTX_MOD_pending_count)) {
        pending(l, i);
    } else if (!ptx_has(i, PTX_MOD_inval)) { // which makes its bytes ordinary ones
        const struct lower_addr a = barrier_at(l, i, 0);
        const struct opnd n = lower_src(l, &i->operand[1], ITYPE_U32);
        syncs(l, &a, expects ? MARRIVE_EXPECT_ONLY : MARRIVE_COMPLETE, n, opnd_none());
    }
}

// cp.async.mbarrier.arrive{.noinc}: the thread arrives once its copies are done. Without .noinc the
// arrival is one more than the barrier counts on: on 9.0 it counts as a byte, as in the code of ptxas.
// Before 9.0 it takes the arrival back beforehand.
void lower_mbarrier_copies(struct lower *l, const struct ptx_inst *i) {
    if (refused(l, TRAIT_MBARRIER, "8.0 (Ampere)")) return;
    const struct lower_addr a = barrier_at(l, i, 0);
    const bool counts = !ptx_has(i, PTX_MOD_noinc);
    const bool has_bytes = counts_bytes(l);
    if (counts && has_bytes) syncs(l, &a, MARRIVE_EXPECT_ONE, opnd_none(), opnd_none());
    if (counts && !has_bytes) add_word(l, &a, 4, opnd_imm(0u - 1u), opnd_none());
    struct minst m = special(l, OP_ARRIVES, &a);
    m.sub = !has_bytes ? MARRIVES_OLD : counts ? MARRIVES_BYTE : MARRIVES_ONE;
    lower_put(l, &m);
}
