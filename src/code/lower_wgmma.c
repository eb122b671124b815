// Products of warp groups: wgmma.
//
// A product is one instruction of the machine, whose sums lie in registers side by side, as many as
// 128 of a lane. They are one virtual register, and a PTX register that a product names among its
// sums is a word of it wherever the function names it; what is named in several places is moved.
// Allocation gives such registers their places (sums.c).
#include "code/lower_priv.h"

static bool is_product(const struct ptx_inst *i) {
    return i->op == PTX_OP_wgmma && ptx_has(i, PTX_MOD_mma_async);
}

// The virtual register that holds exactly these sums; UINT32_MAX: there is none.
static uint32_t sums_of(const struct lower *l, const struct ptx_operand *d) {
    const struct lower_reg *const first = lower_reg_of(l, &d->list[0]);
    for (uint32_t k = 0; k < d->n; k++) {
        const struct lower_reg *const r = lower_reg_of(l, &d->list[k]);
        if (!r->is_sum || r->vreg != first->vreg || r->sub != k) return UINT32_MAX;
    }
    return l->f->vreg_words.at[first->vreg] == d->n ? first->vreg : UINT32_MAX;
}

void lower_wgmma_sums(struct lower *l) {
    for (uint32_t i = 0; i < l->fn->n_insts; i++) {
        if (!is_product(&l->fn->insts[i])) continue;
        const struct ptx_operand *const d = &l->fn->insts[i].operand[0];
        bool is_free = true;
        for (uint32_t k = 0; k < d->n; k++) is_free &= !lower_reg_of(l, &d->list[k])->is_sum;
        if (!is_free) continue;
        const struct opnd sums = lower_temp(l, d->n);
        for (uint32_t k = 0; k < d->n; k++) {
            struct lower_reg *const r = &l->reg[d->list[k].reg];
            if (r->is_sum) continue; // named twice: moved
            r->vreg = sums.reg;
            r->sub = (uint8_t)k;
            r->is_sum = true;
        }
    }
}

static enum op_class class_of(enum isa_type a) {
    switch (a) {
    case ITYPE_TF32: return OPC_GMMA_TF32;
    case ITYPE_E4M3:
    case ITYPE_E5M2: return OPC_GMMA_8;
    case ITYPE_S8: return OPC_GMMA_INT;
    case ITYPE_B1: return OPC_GMMA_BITS;
    default: return OPC_GMMA_16;
    }
}

static bool is_literal(const struct ptx_inst *i, int8_t operand, int64_t v) {
    return operand >= 0 && i->operand[operand].imm == v;
}

// The last instruction, if it is a product whose group a commit may close.
static struct minst *last_product(struct lower *l) {
    if (l->at_index == 0 || !is_product(&l->fn->insts[l->at_index - 1])) return NULL;
    for (uint32_t k = 0; k < l->fn->n_labels; k++)
        if (l->fn->labels[k].inst == l->at_index) return NULL;
    struct minst *const m = l->f->inst.n ? &l->f->inst.at[l->f->inst.n - 1] : NULL;
    return m && m->op == OP_GMMA && m->guard == VPRED_TRUE && !(m->sub & GMMA_COMMITS) ? m : NULL;
}

static void plain(struct lower *l, enum mop op, unsigned aux) {
    struct minst m = lower_new(l, op, ITYPE_NONE);
    m.aux = (uint16_t)aux;
    lower_put(l, &m);
}

static void product(struct lower *l, const struct ptx_inst *i) {
    struct ptx_wgmma f;
    ptx_wgmma_form(i, i->operand, &f);
    const struct ptx_operand *const d = &i->operand[0];
    const enum isa_type ta = from_type(f.type_a), tb = from_type(f.type_b);
    struct minst m = lower_new(l, OP_GMMA, from_type(f.type_d));
    m.stype = (uint8_t)(ta == ITYPE_U8 ? ITYPE_S8 : ta);
    m.klass = (uint8_t)class_of((enum isa_type)m.stype);
    m.vec = (uint8_t)(i->shape_n / 8);
    if (ptx_has(i, PTX_MOD_satfinite)) m.flags = MF_SAT;
    if (ta == ITYPE_S8) m.sub |= GMMA_A_SIGNED;
    if (tb == ITYPE_S8) m.sub |= GMMA_B_SIGNED;
    if (tb == ITYPE_E5M2) m.sub |= GMMA_B_E5M2;
    if (is_literal(i, f.trans_a, 1)) m.sub |= GMMA_A_TURNED;
    if (is_literal(i, f.trans_b, 1)) m.sub |= GMMA_B_TURNED;

    if (f.a_is_matrix_in_memory) {
        m.src[0] = lower_in_reg(l, lower_src(l, &i->operand[1], ITYPE_B64));
    } else {
        struct opnd a[4];
        for (unsigned k = 0; k < 4; k++) a[k] = lower_src(l, &i->operand[1].list[k], ITYPE_B32);
        m.src[0] = lower_gather(l, a, 4);
        m.sub |= GMMA_A_REGS;
    }
    m.src[1] = lower_in_reg(l, lower_src(l, &i->operand[2], ITYPE_B64));
    if (is_literal(i, f.scale_a, -1)) m.src[0].mods = OPND_NEG;
    if (is_literal(i, f.scale_b, -1)) m.src[1].mods = OPND_NEG;
    if (f.is_sparse) {
        m.src[3] = lower_in_reg(l, lower_src(l, &i->operand[f.meta], ITYPE_B32));
        m.aux = (uint16_t)(GMMA_SPARSE | (unsigned)i->operand[f.selector].imm << GMMA_SELECTOR_AT);
    }

    const uint32_t home = sums_of(l, d);
    const struct opnd sums = home == UINT32_MAX ? lower_temp(l, d->n) : opnd_gpr(home, d->n);
    const struct ptx_operand *const scale = &i->operand[f.scale_d];
    const bool adds = scale->kind != PTX_OPERAND_INT || scale->imm != 0;
    for (uint32_t k = 0; home == UINT32_MAX && adds && k < d->n; k++)
        lower_mov(l, opnd_word(sums, k), lower_src(l, &d->list[k], ITYPE_B32));
    m.dst[0] = sums;
    if (adds) m.src[2] = sums;
    if (scale->kind != PTX_OPERAND_INT) m.src[4] = lower_src_pred(l, scale);
    lower_put(l, &m);
    for (uint32_t k = 0; home == UINT32_MAX && k < d->n; k++)
        lower_mov(l, lower_dst(l, &d->list[k], ITYPE_B32), opnd_word(sums, k));
}

// wgmma.fence, .mma_async, .commit_group, .wait_group
void lower_wgmma_wgmma(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    if (!gen_has(l->gen, TRAIT_TENSOR_9)) {
        const struct code_target *const t = l->f->target;
        lower_refuse(l,
                     "it needs tensor cores of warp groups, which compute capability 9.0a (Hopper) "
                     "has; this GPU's code is %s's%s",
                     gen_info[l->gen].name, t->others ? t->others(t->user, TRAIT_TENSOR_9) : "");
        return;
    }
    struct minst *const last = last_product(l);
    if (is_product(i))
        product(l, i);
    else if (ptx_has(i, PTX_MOD_wait_group))
        plain(l, OP_GMMAWAIT, (unsigned)i->operand[0].imm);
    else if (ptx_has(i, PTX_MOD_fence))
        plain(l, OP_GMMAFENCE, 0);
    else if (last)
        last->sub |= GMMA_COMMITS;
    else
        plain(l, OP_GMMACOMMIT, 0);
}

// setmaxnreg.inc, .dec: without a register count at entry it has no meaning, and is left out as ptxas
// does (its note C7508).
void lower_wgmma_setmaxnreg(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    enum { LEAST = 24, MOST = 256, STEP = 8 };
    const int64_t n = i->operand[0].imm;
    if (!gen_has(l->gen, TRAIT_TENSOR_9)) {
        lower_refuse(
            l,
            "it needs compute capability 9.0 (Hopper): this GPU's code is %s's, where a warp's "
            "share of the register file is fixed at launch",
            gen_info[l->gen].name);
        return;
    }
    if (n < LEAST || n > MOST || n % STEP) {
        lower_refuse(l, "%lld is no number of registers: 24 to 256, a multiple of 8", (long long)n);
        return;
    }
    if (!code_changes_registers(l->fn)) return;
    struct minst m = lower_new(l, OP_SETMAXREG, ITYPE_NONE);
    m.sub = ptx_has(i, PTX_MOD_inc);
    m.aux = (uint16_t)n;
    lower_put(l, &m);
}
