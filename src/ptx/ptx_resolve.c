// Names that were used before they were known: labels at the end of a function, functions and
// variables at the end of the module; and calls against what they call.
#include "ptx/ptx_parser.h"

// ---- the end of a function --------------------------------------------------------------

static int32_t find_label(const struct ptx_pending *n) {
    for (const struct ptx_scope *s = n->scope; s; s = s->parent) {
        const int32_t label = names_get(&s->labels, n->name, n->len);
        if (label >= 0) return label;
    }
    return -1;
}

static bool missing_label(struct ptx_parser *p, const struct ptx_pending *n) {
    return ptx_fail(p, n->line, n->col,
                    "label %s is not defined in `%s`, or not in a scope around "
                    "this place",
                    ptx_show(p, n->name, n->len), p->body.func->name);
}

static bool is_list(const struct ptx_symbol *s) {
    return s && (s->kind == PTX_SYM_TARGETS || s->kind == PTX_SYM_PROTO);
}

static void resolve_operand(struct ptx_parser *p, const struct ptx_inst *i, struct ptx_operand *o) {
    for (uint32_t k = 0; k < o->n; k++) resolve_operand(p, i, &o->list[k]);
    if (o->kind != PTX_OPERAND_PENDING) return;
    const struct ptx_pending n = p->body.pending.at[o->label];
    o->label = -1;
    if (n.want == PTX_WANT_LABEL) {
        o->label = find_label(&n);
        o->kind = PTX_OPERAND_LABEL;
        if (o->label < 0) missing_label(p, &n);
    } else if (n.want == PTX_WANT_LIST) {
        p->body.scope = (struct ptx_scope *)n.scope;
        const struct ptx_symbol *s = ptx_scope_find(p, n.name, n.len);
        if (!is_list(s) || (i->op == PTX_OP_brx && s->kind == PTX_SYM_PROTO)) {
            ptx_fail(p, n.line, n.col, "%s is not the label of a list of targets%s",
                     ptx_show(p, n.name, n.len), i->op == PTX_OP_call ? " or of a prototype" : "");
            return;
        }
        o->kind = s->kind == PTX_SYM_PROTO ? PTX_OPERAND_PROTO : PTX_OPERAND_TARGETS;
        if (s->kind == PTX_SYM_PROTO)
            o->proto = s->index;
        else
            o->targets = s->index;
    } else {
        o->kind = n.is_address ? PTX_OPERAND_ADDRESS : PTX_OPERAND_VAR; // or FUNC, later
        vec_push(&p->temp, &p->fixups,
                 ((struct ptx_fixup){.name = n.name,
                                     .len = n.len,
                                     .line = n.line,
                                     .col = n.col,
                                     .operand = o,
                                     .want = n.want,
                                     .inst = i}));
    }
}

void ptx_resolve_body(struct ptx_parser *p) {
    struct ptx_body *b = &p->body;
    if (p->stopped) return;
    for (uint32_t k = 0; k < b->pending.n; k++) {
        const struct ptx_pending *n = &b->pending.at[k];
        if (!n->target) continue;
        *n->target = find_label(n);
        if (*n->target < 0) missing_label(p, n);
    }
    for (uint32_t k = 0; k < b->pending_insts.n; k++) {
        struct ptx_inst *i = &b->func->insts[b->pending_insts.at[k]];
        for (unsigned o = 0; o < i->n_operands; o++) resolve_operand(p, i, &i->operand[o]);
    }
    for (uint32_t k = 0; k < b->func->n_insts; k++) {
        const struct ptx_inst *i = &b->func->insts[k];
        if (i->op != PTX_OP_brx || i->operand[1].kind != PTX_OPERAND_TARGETS) continue;
        if (b->func->targets[i->operand[1].targets].calls)
            ptx_fail(p, i->loc.line, i->loc.col, "`brx.idx` needs a .branchtargets list");
    }
}

// ---- the end of the module ----------------------------------------------------------------

static void fix_operand(struct ptx_parser *p, const struct ptx_fixup *f,
                        const struct ptx_symbol *s) {
    struct ptx_operand *o = f->operand;
    const bool is_func = s->kind == PTX_SYM_FUNC;
    if ((f->want == PTX_WANT_FUNC && !is_func) || (o->kind == PTX_OPERAND_ADDRESS && is_func)) {
        ptx_fail(p, f->line, f->col,
                 is_func ? "%s is a function; expected a variable"
                         : "%s is a variable; expected a function",
                 ptx_show(p, f->name, f->len));
        return;
    }
    if (is_func) {
        o->kind = PTX_OPERAND_FUNC;
        o->func = s->index;
    } else {
        o->var = s->var;
    }
}

static void fix_reloc(struct ptx_parser *p, const struct ptx_fixup *f, const struct ptx_symbol *s) {
    struct ptx_reloc *r = f->reloc;
    r->index = s->index;
    r->is_function = s->kind == PTX_SYM_FUNC;
    const enum ptx_space space = s->var ? s->var->space : PTX_SPACE_NONE;
    if (!r->is_function && space != PTX_SPACE_GLOBAL && space != PTX_SPACE_CONST)
        ptx_fail(p, f->line, f->col,
                 "the address of %s is not known before a launch; expected a .global or .const "
                 "variable, or a function",
                 ptx_show(p, f->name, f->len));
}

static void fix(struct ptx_parser *p, const struct ptx_fixup *f) {
    const struct ptx_symbol own = {.kind = PTX_SYM_VAR, .var = f->var, .index = f->index};
    const struct ptx_symbol *s = f->var ? &own : ptx_global_find(p, f->name, f->len);
    const char *shown = s ? NULL : ptx_show(p, f->name, f->len);
    if (!s && f->want == PTX_WANT_FUNC)
        ptx_fail(p, f->line, f->col, "function %s is not declared", shown);
    else if (!s && f->reloc)
        ptx_fail(p, f->line, f->col, "%s is not declared; expected a variable or function", shown);
    else if (!s)
        ptx_fail(p, f->line, f->col,
                 "%s is not declared; expected a register, variable or function", shown);
    else if (f->operand)
        fix_operand(p, f, s);
    else if (f->reloc)
        fix_reloc(p, f, s);
    else if (s->kind != PTX_SYM_FUNC)
        ptx_fail(p, f->line, f->col, "%s is a variable; expected a function",
                 ptx_show(p, f->name, f->len));
    else
        *f->target = s->index;
}

// ---- aliases --------------------------------------------------------------------------------

static int32_t without_alias(const struct ptx_parser *p, int32_t func) {
    if (func < 0) return func;
    for (uint32_t steps = 0; steps <= p->aliases.n && p->funcs.at[func]->alias_of >= 0; steps++)
        func = p->funcs.at[func]->alias_of;
    return func;
}

static void set_aliases(struct ptx_parser *p) {
    for (uint32_t k = 0; k < p->aliases.n; k++) {
        const struct ptx_alias *a = &p->aliases.at[k];
        const struct ptx_symbol *s = ptx_global_find(p, a->name, a->len);
        if (!s || s->kind != PTX_SYM_FUNC || !p->funcs.at[s->index]->has_body) {
            ptx_fail(p, a->line, a->col, "%s is not a function with a body, so it has no aliases",
                     ptx_show(p, a->name, a->len));
            continue;
        }
        struct ptx_func *f = p->funcs.at[a->alias];
        if (f->has_body) {
            ptx_fail(p, a->line, a->col, "`%s` has a body of its own and cannot be an alias",
                     f->name);
            continue;
        }
        f->alias_of = s->index;
    }
    if (!p->aliases.n || p->errors) return;
    for (uint32_t k = 0; k < p->funcs.n; k++) {
        struct ptx_func *f = p->funcs.at[k];
        for (uint32_t i = 0; i < f->n_insts; i++)
            for (unsigned o = 0; o < f->insts[i].n_operands; o++) {
                struct ptx_operand *op = &f->insts[i].operand[o];
                if (op->kind == PTX_OPERAND_FUNC) op->func = without_alias(p, op->func);
            }
        for (uint32_t t = 0; t < f->n_targets; t++)
            for (uint32_t i = 0; f->targets[t].calls && i < f->targets[t].n; i++)
                f->targets[t].target[i] = without_alias(p, f->targets[t].target[i]);
    }
    for (uint32_t k = 0; k < p->fixups.n; k++) {
        struct ptx_reloc *r = p->fixups.at[k].reloc;
        if (r && r->is_function) r->index = without_alias(p, r->index);
    }
}

// ---- calls ----------------------------------------------------------------------------------

struct call {
    const struct ptx_func *caller, *callee;
    const struct ptx_inst *inst;
};

// What can be passed: a register, a .param variable, and as an argument a constant.
static bool may_pass(const struct ptx_operand *o, bool result) {
    if (o->kind == PTX_OPERAND_INT || o->kind == PTX_OPERAND_FLOAT) return !result;
    return o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_SINK ||
           (o->kind == PTX_OPERAND_VAR && o->var->space == PTX_SPACE_PARAM && !o->imm);
}

// One argument or result against its parameter.
static bool agrees(const struct call *c, const struct ptx_operand *o, const struct ptx_var *param,
                   uint64_t *bytes) {
    *bytes = param->bytes;
    switch (o->kind) {
    case PTX_OPERAND_VAR:
        *bytes = o->var->bytes;
        return param->unsized || o->var->bytes == param->bytes;
    case PTX_OPERAND_REG: {
        const struct ptx_reg *reg = &c->caller->regs[o->reg];
        const unsigned n = o->component >= 0 ? 1 : reg->elements;
        if (reg->type == PTX_PRED) return param->type == PTX_PRED;
        *bytes = (uint64_t)ptx_type_bits(reg->type) / 8 * n;
        return *bytes == param->bytes;
    }
    default: return true;
    }
}

static void check_list(struct ptx_parser *p, const struct call *c, const struct ptx_operand *list,
                       struct ptx_var *const *params, uint32_t n_params, const char *what) {
    const struct ptx_loc *at = &c->inst->loc;
    const char *name = c->callee->name;
    if (list->n != n_params) {
        ptx_fail(p, at->line, at->col, "`%s` has %u %s%s, found %u in this call", name, n_params,
                 what, n_params == 1 ? "" : "s", list->n);
        return;
    }
    for (uint32_t k = 0; k < list->n; k++) {
        uint64_t bytes;
        const bool result = *what == 'r';
        if (!may_pass(&list->list[k], result)) {
            ptx_fail(p, at->line, at->col,
                     "%s %u of `%s` must be a register%s or a .param variable", what, k + 1, name,
                     result ? "" : ", a constant");
            return;
        }
        if (agrees(c, &list->list[k], params[k], &bytes)) continue;
        ptx_fail(p, at->line, at->col, "%s %u of `%s` has %llu bytes, found %llu in this call",
                 what, k + 1, name, (unsigned long long)params[k]->bytes,
                 (unsigned long long)bytes);
        return;
    }
}

static void check_call(struct ptx_parser *p, const struct ptx_call_site *site) {
    const struct ptx_func *caller = p->funcs.at[site->func];
    const struct ptx_inst *i = &caller->insts[site->inst];
    const struct ptx_operand *target = &i->operand[0];
    const struct ptx_operand *via = i->n_operands > 3 ? &i->operand[3] : NULL;
    struct call c = {.caller = caller, .inst = i};
    if (target->kind == PTX_OPERAND_FUNC) {
        c.callee = p->funcs.at[target->func];
    } else if (!via || (via->kind != PTX_OPERAND_PROTO && via->kind != PTX_OPERAND_TARGETS)) {
        ptx_fail(p, i->loc.line, i->loc.col,
                 "a call through a register needs the label of a .callprototype or .calltargets");
        return;
    } else if (via->kind == PTX_OPERAND_PROTO) {
        c.callee = p->protos.at[via->proto];
    } else {
        const struct ptx_targets *t = &caller->targets[via->targets];
        if (!t->calls || !t->n) {
            ptx_fail(p, i->loc.line, i->loc.col, "`%s` is no list of functions to call", t->name);
            return;
        }
        c.callee = p->funcs.at[t->target[0]];
    }
    if (target->kind == PTX_OPERAND_REG) {
        const struct ptx_reg *reg = &caller->regs[target->reg];
        const unsigned bits = ptx_type_bits(reg->type);
        if ((bits != 32 && bits != 64) || ptx_type_class(reg->type) == 'f') {
            ptx_fail(p, i->loc.line, i->loc.col,
                     "the function to call is in register `%s` of type .%s; expected an address",
                     reg->name, ptx_type_text(reg->type));
            return;
        }
    }
    if (c.callee->is_entry) {
        ptx_fail(p, i->loc.line, i->loc.col, "`%s` is a kernel; only functions can be called",
                 c.callee->name);
        return;
    }
    check_list(p, &c, &i->operand[2], c.callee->params, c.callee->n_params, "argument");
    check_list(p, &c, &i->operand[1], c.callee->results, c.callee->n_results, "result");
}

// ---- the module -------------------------------------------------------------------------------

static void fill_module(struct ptx_parser *p) {
    struct ptx_module *m = p->m;
    m->vars = arena_copy(p->arena, p->vars.at, p->vars.n * sizeof *m->vars);
    m->n_vars = p->vars.n;
    m->funcs = arena_copy(p->arena, p->funcs.at, p->funcs.n * sizeof *m->funcs);
    m->n_funcs = p->funcs.n;
    m->protos = arena_copy(p->arena, p->protos.at, p->protos.n * sizeof *m->protos);
    m->n_protos = p->protos.n;
    m->files = arena_copy(p->arena, p->files.at, p->files.n * sizeof *m->files);
    m->n_files = p->files.n;
    if (!p->has_address_size) m->address_size = p->wide_base ? 64 : 32;
    names_init(&m->func_names, p->arena);
    names_init(&m->var_names, p->arena);
    for (uint32_t i = 0; i < m->n_funcs; i++)
        names_put(&m->func_names, m->funcs[i]->name, strlen(m->funcs[i]->name),
                  without_alias(p, (int32_t)i));
    for (uint32_t i = 0; i < m->n_vars; i++)
        if (m->vars[i]->function < 0) // others have their name in a body alone
            names_put(&m->var_names, m->vars[i]->name, strlen(m->vars[i]->name), (int32_t)i);
}

void ptx_resolve_module(struct ptx_parser *p) {
    if (p->stopped) return;
    if (p->module_reg_used && p->calls.n) {
        const struct ptx_token *t = &p->module_regs.at[0].name;
        ptx_refuse(p, t->line, t->col,
                   "registers at module scope are not supported in a text with calls, since every "
                   "function has registers of its own");
    }
    for (uint32_t i = 0; i < p->fixups.n; i++) fix(p, &p->fixups.at[i]);
    set_aliases(p);
    if (!p->errors)
        for (uint32_t i = 0; i < p->calls.n; i++) check_call(p, &p->calls.at[i]);
    fill_module(p);
}
