// Lowering: one PTX function to machine instructions over virtual registers, in one pass. What an
// opcode becomes is its handler's business (lower_table.def, lower_priv.h); here are the registers,
// the labels and both ends of the function.
#include "code/lower_priv.h"

static const struct {
    lower_fn on_int, on_fp;
    uint16_t arg;
} rows[PTX_OP_N] = {
#define LOWER(op, dst, on_int, on_fp, arg) [PTX_OP_##op] = {lower_##on_int, lower_##on_fp, arg},
#include "code/lower_table.def"
#undef LOWER
};

enum { MAX_ERRORS = 20 }; // reported for one function

void lower_refuse(struct lower *l, const char *fmt, ...) {
    if (l->errors++ >= MAX_ERRORS) return;
    va_list args;
    va_start(args, fmt);
    char why[400];
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    if (l->at)
        diag_at(l->d, DIAG_ERROR, WW_ERROR_UNSUPPORTED, l->m->name, l->m->text, l->at->loc.line,
                l->at->loc.col, "`%s`: %s", ptx_op_text((enum ptx_op)l->at->op), why);
    else
        diag_at(l->d, DIAG_ERROR, WW_ERROR_UNSUPPORTED, l->m->name, l->m->text, l->fn->line,
                l->fn->col, "`%s`: %s", l->fn->name, why);
}

// ---- registers ----------------------------------------------------------------------------

static void make_registers(struct lower *l) {
    l->reg = arena_alloc(l->arena, (l->fn->n_regs + 1) * sizeof *l->reg);
    for (uint32_t k = 0; k < l->fn->n_regs; k++) {
        const struct ptx_reg *const p = &l->fn->regs[k];
        struct lower_reg *const r = &l->reg[k];
        r->bits = (uint8_t)isa_type_bits(from_type(p->type));
        r->zext = r->sext = r->bits == 16;
        if (p->type == PTX_PRED) {
            r->vreg = l->f->n_vpreds++;
            continue;
        }
        const unsigned words = lower_words(from_type(p->type)) * (p->elements ? p->elements : 1u);
        if (words > 4) lower_refuse(l, "register `%s` has more than 16 bytes", p->name);
        r->words = words >= 3 ? 4 : (uint8_t)words;
        r->vreg = lower_temp(l, r->words).reg;
    }
}

// ---- labels -------------------------------------------------------------------------------

struct labels { // by the instruction that they stand before
    uint32_t *next, *head;
};

static struct labels make_labels(struct lower *l) {
    const uint32_t n = l->fn->n_labels;
    struct labels s = {arena_alloc(l->arena, (n + 1) * sizeof(uint32_t)),
                       arena_alloc(l->arena, (l->fn->n_insts + 1) * sizeof(uint32_t))};
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t at = l->fn->labels[k].inst;
        s.next[k] = s.head[at];
        s.head[at] = k + 1; // 0: none
        vec_push(l->arena, &l->f->label_at, -1);
    }
    return s;
}

static bool place_labels(struct lower *l, const struct labels *s, uint32_t at) {
    for (uint32_t k = s->head[at]; k; k = s->next[k - 1])
        l->f->label_at.at[k - 1] = (int32_t)l->f->inst.n;
    return s->head[at] != 0;
}

static void make_tables(struct lower *l) {
    struct mfunc *const f = l->f;
    f->n_tables = l->fn->n_targets;
    f->tables = arena_alloc(l->arena, (f->n_tables + 1) * sizeof *f->tables);
    for (uint32_t k = 0; k < f->n_tables; k++) {
        const struct ptx_targets *const t = &l->fn->targets[k];
        if (!t->calls) f->tables[k] = (struct branch_table){t->target, t->n};
    }
}

// ---- the pass -----------------------------------------------------------------------------

static void lower_inst(struct lower *l, const struct ptx_inst *i) {
    const bool is_float = i->n_types && isa_type_is_float(from_type(i->types[0]));
    const lower_fn handler = is_float ? rows[i->op].on_fp : rows[i->op].on_int;
    if (!handler)
        lower_refuse(l, "there is no lowering for it");
    else
        handler(l, i, rows[i->op].arg);
}

static bool falls_through(const struct lower *l) {
    if (!l->f->inst.n) return true;
    const struct minst *const m = &l->f->inst.at[l->f->inst.n - 1];
    const bool ends = m->op == OP_EXIT || m->op == OP_BRA || m->op == OP_BRX;
    return !ends || m->guard != VPRED_TRUE;
}

void lower_func(struct mfunc *f, const struct code_symbols *s, struct diags *d) {
    struct lower l = {.f = f,
                      .m = f->module,
                      .fn = f->ptx,
                      .s = s,
                      .d = d,
                      .arena = f->arena,
                      .gen = f->target->gen,
                      .wide = f->module->address_size == 64,
                      .ftz = f->module->target < 20,
                      .f64_as_f32 = f->module->map_f64_to_f32,
                      .end_label = -1};
    l.addr64 = l.wide && gen_has(l.gen, TRAIT_WIDE_ADDRESS);
    f->name = l.fn->name;
    f->is_entry = l.fn->is_entry;
    f->sp_vreg = UINT32_MAX;
    make_registers(&l);
    lower_wgmma_sums(&l);
    lower_scan(&l);
    l.uses_sp = mfunc_has_sp(f);
    if (!f->shared) {
        for (uint32_t k = 0; k < l.m->n_funcs; k++)
            if (l.m->funcs[k] == l.fn) lower_layout_shared(l.arena, l.m, &k, 1, &l.own_shared);
    }
    lower_vars_init(&l);
    const struct labels labels = make_labels(&l);
    make_tables(&l);
    lower_prologue(&l);
    const uint32_t n = l.fn->n_insts;
    for (uint32_t k = 0; k < n; k++) {
        place_labels(&l, &labels, k);
        l.at = &l.fn->insts[k];
        l.at_index = k;
        lower_inst(&l, l.at);
    }
    l.at = NULL;
    const bool labelled = place_labels(&l, &labels, n);
    if (l.end_label >= 0) f->label_at.at[l.end_label] = (int32_t)f->inst.n;
    if (labelled || l.end_label >= 0 || falls_through(&l) || !f->is_entry) {
        if (n) l.at = &l.fn->insts[n - 1]; // its line, but not its guard
        struct ptx_inst last;
        if (l.at) {
            last = *l.at;
            last.guard = -1;
            l.at = &last;
        }
        lower_epilogue(&l);
    }
}
