// Branches and ends. A function has one RET, at its end: returns before it are branches there, so
// that lanes that return early wait for the others where the function ends.
#include "code/lower_priv.h"

void lower_ctrl_bra(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    struct minst m = lower_new(l, OP_BRA, ITYPE_NONE);
    m.flags = ptx_has(i, PTX_MOD_uni) ? MF_UNIFORM : 0u;
    m.target = i->operand[0].label;
    lower_put(l, &m);
}

// brx.idx index, targets
void lower_ctrl_brx(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    const struct opnd index = lower_in_reg(l, lower_src(l, &i->operand[0], ITYPE_U32));
    struct minst m = lower_new(l, OP_BRX, ITYPE_U32);
    m.flags = ptx_has(i, PTX_MOD_uni) ? MF_UNIFORM : 0u;
    m.aux = (uint16_t)i->operand[1].targets;
    m.src[0] = index;
    lower_put(l, &m);
}

void lower_ctrl_ret(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    if (l->f->is_entry) {
        struct minst m = lower_new(l, OP_EXIT, ITYPE_NONE);
        lower_put(l, &m);
        return;
    }
    if (l->at_index + 1 == l->fn->n_insts) return; // falls into the end
    if (l->end_label < 0) {
        l->end_label = (int32_t)l->f->label_at.n;
        vec_push(l->arena, &l->f->label_at, -1);
    }
    struct minst m = lower_new(l, OP_BRA, ITYPE_NONE);
    m.flags = ptx_has(i, PTX_MOD_uni) ? MF_UNIFORM : 0u;
    m.target = l->end_label;
    lower_put(l, &m);
}

// exit, trap, brkpt, and an empty issue slot: pmevent (a counter of the profiler)
void lower_ctrl_simple(struct lower *l, const struct ptx_inst *i, unsigned op) {
    (void)i;
    struct minst m = lower_new(l, (enum mop)op, ITYPE_NONE);
    lower_put(l, &m);
}

void lower_ctrl_griddep(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    struct minst m = lower_new(l, OP_GRIDDEP, ITYPE_NONE);
    m.sub = ptx_has(i, PTX_MOD_wait) ? MGRIDDEP_WAIT : MGRIDDEP_LAUNCH;
    lower_put(l, &m);
}

void lower_ctrl_nanosleep(struct lower *l, const struct ptx_inst *i, unsigned unused) {
    (void)unused;
    struct minst m = lower_new(l, OP_NANOSLEEP, ITYPE_U32);
    m.src[0] = lower_src(l, &i->operand[0], ITYPE_U32);
    lower_put(l, &m);
}
