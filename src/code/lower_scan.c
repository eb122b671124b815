// One look at a function before it is lowered: how often registers are named, which 16-bit ones
// always hold extended words, between which instructions PTX's carry is alive, what is called, and
// whether the stack grows.
#include "code/lower_priv.h"

static const bool has_dst[PTX_OP_N] = {
#define DST                                true
#define NO_DST                             false
#define LOWER(op, dst, on_int, on_fp, arg) [PTX_OP_##op] = dst,
#include "code/lower_table.def"
#undef LOWER
#undef DST
#undef NO_DST
};

static void count(uint16_t *n) {
    if (*n < UINT16_MAX) (*n)++;
}

static void mention(struct lower *l, const struct ptx_operand *o) {
    if (o->reg >= 0) count(&l->reg[o->reg].mentions);
    if (o->reg2 >= 0) count(&l->reg[o->reg2].mentions);
    for (uint32_t k = 0; k < o->n; k++) mention(l, &o->list[k]);
}

// How instruction i leaves the word of a 16-bit register that it writes.
static void extension(const struct lower *l, const struct ptx_inst *i, bool *zext, bool *sext) {
    const enum isa_type t = from_type(i->types[0]);
    const enum isa_type from = i->n_types > 1 ? from_type(i->types[1]) : ITYPE_NONE;
    const bool literal = i->n_operands > 1 && i->operand[i->n_operands - 1].kind == PTX_OPERAND_INT;
    const uint64_t v = literal ? (uint64_t)i->operand[i->n_operands - 1].imm & 0xffff : 0;
    enum isa_type narrow = ITYPE_NONE; // the word is the extension of this
    *zext = *sext = false;
    switch (i->op) {
    case PTX_OP_ld:
    case PTX_OP_ldu:
        if (i->vector <= 1 || isa_type_bits(t) == 8) narrow = t;
        break;
    case PTX_OP_cvt:
        if (!isa_type_is_float(from) && !ptx_has(i, PTX_MOD_sat))
            narrow = isa_type_bits(t) == 8 ? t : isa_type_bits(from) == 8 ? from : ITYPE_NONE;
        break;
    case PTX_OP_mov:
        if (literal) {
            *zext = !isa_type_is_signed(t) || v < 0x8000;
            *sext = isa_type_is_signed(t) || v < 0x8000;
        } else if (i->operand[1].kind == PTX_OPERAND_SREG) {
            *zext = lower_sreg_is_short(l, i->operand[1].sreg);
            *sext = *zext && i->operand[1].sreg <= PTX_SREG_ntid_w; // at most 1024
        }
        return;
    case PTX_OP_and:
        *zext = literal;
        *sext = literal && v < 0x8000;
        return;
    default: return;
    }
    if (narrow == ITYPE_NONE) return;
    const bool is_signed = isa_type_is_signed(narrow);
    *zext = !is_signed;
    *sext = is_signed || isa_type_bits(narrow) == 8;
}

static void define(struct lower *l, int32_t reg, bool zext, bool sext) {
    if (reg < 0) return;
    struct lower_reg *const r = &l->reg[reg];
    r->zext = r->zext && zext;
    r->sext = r->sext && sext;
}

static void definitions(struct lower *l, const struct ptx_operand *o, bool zext, bool sext) {
    if (o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_SINK) {
        define(l, o->reg, zext, sext);
        define(l, o->reg2, zext, sext);
    }
    for (uint32_t k = 0; k < o->n; k++) definitions(l, &o->list[k], zext, sext);
}

// ---- carry --------------------------------------------------------------------------------

static bool writes_carry(const struct ptx_inst *i) { return ptx_has(i, PTX_MOD_cc); }
static bool reads_carry(const struct ptx_inst *i) {
    return i->op == PTX_OP_addc || i->op == PTX_OP_subc || i->op == PTX_OP_madc;
}

// Whether the carry is alive at the start of a label's instruction.
static bool alive_at(const struct lower *l, const uint8_t *before, int32_t label) {
    return before[l->fn->labels[label].inst];
}

// Whether it is alive behind instruction k, as far as `before` knows.
static bool alive_behind(const struct lower *l, const uint8_t *before, uint32_t k) {
    const struct ptx_inst *const i = &l->fn->insts[k];
    if (i->op == PTX_OP_bra)
        return alive_at(l, before, i->operand[0].label) || (i->guard >= 0 && before[k + 1]);
    if (i->op == PTX_OP_brx) {
        const struct ptx_targets *const t = &l->fn->targets[i->operand[1].targets];
        for (uint32_t n = 0; n < t->n; n++)
            if (alive_at(l, before, t->target[n])) return true;
        return i->guard >= 0 && before[k + 1];
    }
    return before[k + 1];
}

// Backwards over the text until nothing changes: twice, or once more for each loop around a chain
// that goes on into the next turn.
static void scan_carry(struct lower *l) {
    const uint32_t n = l->fn->n_insts;
    bool any = false;
    for (uint32_t k = 0; k < n && !any; k++) any = reads_carry(&l->fn->insts[k]);
    if (!any) return;
    l->carry_live = arena_alloc(l->arena, n);
    uint8_t *const before = arena_alloc(l->arena, n + 1ul); // alive in front of the instruction
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = n; k-- > 0;) {
            const struct ptx_inst *const i = &l->fn->insts[k];
            const bool live = alive_behind(l, before, k);
            const bool kept = live && !(writes_carry(i) && i->guard < 0);
            l->carry_live[k] = live;
            changed |= before[k] != (reads_carry(i) || kept);
            before[k] = reads_carry(i) || kept;
        }
    }
}

// ---- calls --------------------------------------------------------------------------------

static const struct ptx_func *signature(const struct lower *l, const struct ptx_inst *i,
                                        int32_t *func) {
    *func = -1;
    const struct ptx_operand *const o = i->operand;
    if (o[0].kind == PTX_OPERAND_FUNC) {
        *func = o[0].func;
        return l->m->funcs[o[0].func];
    }
    if (i->n_operands < 4) return NULL;
    if (o[3].kind == PTX_OPERAND_PROTO) return l->m->protos[o[3].proto];
    if (o[3].kind != PTX_OPERAND_TARGETS) return NULL;
    const struct ptx_targets *const t = &l->fn->targets[o[3].targets];
    return t->n ? l->m->funcs[t->target[0]] : NULL;
}

static void scan_calls(struct lower *l) {
    for (uint32_t k = 0; k < l->fn->n_insts; k++) {
        const struct ptx_inst *const i = &l->fn->insts[k];
        if (i->op != PTX_OP_call) continue;
        if (!l->site) l->site = arena_alloc(l->arena, l->fn->n_insts * sizeof *l->site);
        struct lower_call_site *const s = &l->site[k];
        s->callee = signature(l, i, &s->func);
        s->syscall = s->func >= 0 ? lower_syscall(s->callee) : -1;
        if (s->syscall < 0) l->f->has_calls = true;
        if (!s->callee) continue;
        s->params = arena_alloc(l->arena, s->callee->n_params * sizeof *s->params);
        s->results = arena_alloc(l->arena, s->callee->n_results * sizeof *s->results);
        lower_layout_call(s->callee, s->params, s->results);
    }
}

void lower_scan(struct lower *l) {
    for (uint32_t k = 0; k < l->fn->n_insts; k++) {
        const struct ptx_inst *const i = &l->fn->insts[k];
        l->f->has_alloca |=
            i->op == PTX_OP_alloca || i->op == PTX_OP_stacksave || i->op == PTX_OP_stackrestore;
        for (unsigned n = 0; n < i->n_operands; n++) mention(l, &i->operand[n]);
        if (i->guard >= 0) count(&l->reg[i->guard].mentions);
        if (i->op == PTX_OP_call && i->n_operands > 1) {
            definitions(l, &i->operand[1], false, false);
        } else if (has_dst[i->op] && i->n_operands) {
            bool zext, sext;
            extension(l, i, &zext, &sext);
            definitions(l, &i->operand[0], zext, sext);
        }
    }
    // Old-style parameters are written before the first instruction.
    for (uint32_t k = 0; k < l->fn->n_params; k++)
        if (l->fn->params[k]->space == PTX_SPACE_REG)
            define(l, l->fn->params[k]->reg, false, false);
    scan_carry(l);
    scan_calls(l);
}
