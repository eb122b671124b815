// Declarations of variables, registers and parameters. Sizes are computed with care for overflow:
// the text is the user's, and `.b8 x[99999999999]` must end in a sentence.
#include "ptx/ptx_parser.h"

static const struct {
    const char *word;
    enum ptx_space space;
} spaces[] = {
    {"reg", PTX_SPACE_REG},     {"global", PTX_SPACE_GLOBAL}, {"shared", PTX_SPACE_SHARED},
    {"param", PTX_SPACE_PARAM}, {"local", PTX_SPACE_LOCAL},   {"const", PTX_SPACE_CONST},
    {"tex", PTX_SPACE_TEX},     {"sreg", PTX_SPACE_SREG},     {"shared::cta", PTX_SPACE_SHARED}};

static enum ptx_space tok_space(const struct ptx_parser *p) {
    if (p->tok.kind != PTX_TOK_WORD) return PTX_SPACE_NONE;
    for (unsigned i = 0; i < WW_COUNT(spaces); i++)
        if (ptx_tok_is(&p->tok, spaces[i].word)) return spaces[i].space;
    return PTX_SPACE_NONE;
}

static const char *space_text(enum ptx_space s) {
    for (unsigned i = 0; i < WW_COUNT(spaces); i++)
        if (spaces[i].space == s) return spaces[i].word;
    return "generic";
}

bool ptx_starts_var(const struct ptx_parser *p) { return tok_space(p) != PTX_SPACE_NONE; }

void ptx_linkage(struct ptx_parser *p, struct ptx_linkage *l) {
    for (;; ptx_advance(p)) {
        if (ptx_at_word(p, "extern"))
            l->is_extern = true;
        else if (ptx_at_word(p, "visible"))
            l->is_visible = true;
        else if (ptx_at_word(p, "weak"))
            l->is_weak = true;
        else if (ptx_at_word(p, "common"))
            l->is_common = true;
        else
            return;
    }
}

// ---- what stands before the name ----------------------------------------------

// .attribute(.managed), .attribute(.unified(1, 2))
static bool attribute(struct ptx_parser *p, struct ptx_var *v) {
    if (!ptx_expect(p, '(', "after .attribute")) return false;
    do {
        if (ptx_at_word(p, "managed"))
            v->is_managed = true;
        else if (!ptx_at_word(p, "unified"))
            return ptx_fail_here(p, "the attribute .managed or .unified");
        ptx_advance(p);
        if (!ptx_accept(p, '(')) continue;
        do {
            uint64_t id;
            if (!ptx_expr_u64(p, "an identifier", UINT64_MAX, &id)) return false;
        } while (ptx_accept(p, ','));
        if (!ptx_expect(p, ')', "after the identifiers")) return false;
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ')', "after the attributes");
}

static bool alignment(struct ptx_parser *p, uint32_t *align) {
    const struct ptx_token at = p->tok;
    uint64_t v;
    if (!ptx_expr_u64(p, "an alignment", 1u << 16, &v)) return false;
    if (!bits_is_pow2(v))
        return ptx_fail(p, at.line, at.col, "an alignment must be a power of two, not %llu",
                        (unsigned long long)v);
    *align = (uint32_t)v;
    return true;
}

// .ptr [.space] [.align n] on a parameter.
static bool pointer(struct ptx_parser *p, struct ptx_var *v) {
    v->is_ptr = true;
    v->ptr_space = tok_space(p);
    if (v->ptr_space != PTX_SPACE_NONE || ptx_at_word(p, "generic")) ptx_advance(p);
    if (!ptx_at_word(p, "align")) return true;
    ptx_advance(p);
    return alignment(p, &v->ptr_align);
}

static bool is_storable(enum ptx_type t) {
    const char class = ptx_type_class(t);
    return class != 'p' &&
           (class != 'o' || t == PTX_TEXREF || t == PTX_SAMPLERREF || t == PTX_SURFREF);
}

// .v2 or .v4 of a declaration; .v8 belongs to instructions only.
static bool vector(struct ptx_parser *p, struct ptx_var *v) {
    if (v->vector != 1)
        return ptx_fail(p, p->tok.line, p->tok.col, "a declaration has two vectors, .v%u and %s",
                        v->vector, ptx_tok_show(p, &p->tok));
    if (ptx_at_word(p, "v8"))
        return ptx_fail(p, p->tok.line, p->tok.col, "a variable is a vector of 2 or 4, not of 8");
    v->vector = ptx_at_word(p, "v2") ? 2 : 4;
    ptx_advance(p);
    return true;
}

// Words from the state space up to the first name.
static bool prefix(struct ptx_parser *p, struct ptx_var *v) {
    const struct ptx_token start = p->tok;
    v->space = tok_space(p);
    v->vector = 1;
    v->count = 1;
    v->reg = -1;
    v->function = p->body.func ? p->body.index : -1;
    ptx_advance(p);
    if (v->space == PTX_SPACE_CONST && ptx_accept(p, '[')) { // .const[2]: banks of ISA 1.x and 2.x
        uint64_t bank;
        if (!ptx_expr_u64(p, "a constant bank", 10, &bank) ||
            !ptx_expect(p, ']', "after the constant bank"))
            return false;
    }
    while (p->tok.kind == PTX_TOK_WORD) {
        const int type = ptx_tok_type(p);
        if (type >= 0) {
            if (v->type)
                return ptx_fail(p, p->tok.line, p->tok.col,
                                "a declaration has two types, .%s and "
                                "%s",
                                ptx_type_text(v->type), ptx_tok_show(p, &p->tok));
            v->type = (enum ptx_type)type;
            ptx_advance(p);
        } else if (ptx_at_word(p, "v2") || ptx_at_word(p, "v4") || ptx_at_word(p, "v8")) {
            if (!vector(p, v)) return false;
        } else if (ptx_at_word(p, "align")) {
            ptx_advance(p);
            if (!alignment(p, &v->align)) return false;
        } else if (ptx_at_word(p, "attribute")) {
            ptx_advance(p);
            if (!attribute(p, v)) return false;
        } else if (ptx_at_word(p, "ptr") && v->space == PTX_SPACE_PARAM) {
            ptx_advance(p);
            if (!pointer(p, v)) return false;
        } else {
            return ptx_fail_here(p, "a type such as .u32");
        }
    }
    if (!v->type)
        return ptx_fail(p, p->tok.line, p->tok.col, "expected a type such as .u32 before %s",
                        ptx_tok_show(p, &p->tok));
    if (v->space == PTX_SPACE_TEX) v->type = PTX_TEXREF;
    const bool fits =
        v->space == PTX_SPACE_REG ? ptx_type_class(v->type) != 'o' : is_storable(v->type);
    if (!fits)
        return ptx_fail(p, start.line, start.col, "a .%s variable cannot have type .%s",
                        space_text(v->space), ptx_type_text(v->type));
    if (v->vector > 1 && v->type == PTX_PRED)
        return ptx_fail(p, start.line, start.col, "predicates come one by one, not as vectors");
    if (v->vector * ptx_type_bits(v->type) > 128) // PTX ISA 5.4.2, Vectors
        return ptx_fail(p, start.line, start.col,
                        "a vector of %u .%s is larger than 16 bytes, the limit of a vector",
                        v->vector, ptx_type_text(v->type));
    return true;
}

// ---- name, dimensions, size -----------------------------------------------------

static bool dimensions(struct ptx_parser *p, struct ptx_var *v, uint64_t *dims, unsigned *n) {
    *n = 0;
    while (ptx_at(p, '[')) {
        const struct ptx_token at = p->tok;
        ptx_advance(p);
        if (*n == PTX_MAX_DIMS)
            return ptx_fail(p, at.line, at.col, "an array has more than %d dimensions",
                            PTX_MAX_DIMS);
        uint64_t size = 0;
        if (ptx_at(p, ']')) {
            if (*n)
                return ptx_fail(p, at.line, at.col,
                                "only the first dimension of an array may be left out");
            v->unsized = true;
        } else if (!ptx_expr_u64(p, "an array size", PTX_MAX_VAR_BYTES, &size)) {
            return false;
        }
        if (!ptx_expect(p, ']', "after an array size")) return false;
        dims[(*n)++] = size;
        v->is_array = true;
    }
    return true;
}

static bool set_size(struct ptx_parser *p, struct ptx_var *v, const uint64_t *dims, unsigned n) {
    const uint64_t element = ptx_type_bits(v->type) / 8 * v->vector;
    const uint64_t limit = v->space == PTX_SPACE_GLOBAL ? PTX_MAX_VAR_BYTES : INT32_MAX;
    v->count = 1;
    bool overflow = false;
    for (unsigned i = v->unsized ? 1 : 0; i < n; i++)
        overflow |= __builtin_mul_overflow(v->count, dims[i], &v->count);
    overflow |= __builtin_mul_overflow(v->count, element, &v->bytes);
    if (overflow || v->bytes > limit)
        return ptx_fail(p, v->line, v->col,
                        "`%s` is larger than %llu bytes, the limit of a .%s variable", v->name,
                        (unsigned long long)limit, space_text(v->space));
    if (v->unsized) v->count = v->bytes = 0;
    if (!v->align) v->align = (uint32_t)element;
    return true;
}

static bool name_and_size(struct ptx_parser *p, struct ptx_var *v, uint64_t *dims, unsigned *n) {
    if (p->tok.kind != PTX_TOK_IDENT) return ptx_fail_here(p, "a name");
    v->name = ptx_tok_dup(p, &p->tok);
    v->line = p->tok.line;
    v->col = p->tok.col;
    ptx_advance(p);
    return dimensions(p, v, dims, n) && set_size(p, v, dims, *n);
}

// ---- registers --------------------------------------------------------------------

// `%r<10>`: the count. No operators here, since `>` ends the range.
static bool range(struct ptx_parser *p, const char *what, unsigned max, uint32_t *count) {
    ptx_advance(p);
    if (p->tok.kind != PTX_TOK_INT)
        return ptx_fail_here(p, arena_printf(&p->temp, "a number of %s", what));
    if (p->tok.value > max)
        return ptx_fail(p, p->tok.line, p->tok.col,
                        "a range of %llu %s is too large; the limit is %u",
                        (unsigned long long)p->tok.value, what, max);
    *count = (uint32_t)p->tok.value;
    ptx_advance(p);
    return ptx_expect(p, '>', arena_printf(&p->temp, "after the number of %s", what));
}

bool ptx_var_reg(struct ptx_parser *p, const struct ptx_token *name, struct ptx_symbol s) {
    s.index = (int32_t)p->body.regs.n;
    if (!ptx_scope_declare(p, name, s)) return false;
    if (s.kind == PTX_SYM_REG)
        ptx_scope_new_reg(p, name->at, name->len, (enum ptx_type)s.type, s.elements);
    return true;
}

static bool reg_decl(struct ptx_parser *p, const struct ptx_var *v) {
    do {
        const struct ptx_token name = p->tok;
        struct ptx_symbol s = {
            .kind = PTX_SYM_REG, .type = (uint8_t)v->type, .elements = v->vector};
        if (name.kind != PTX_TOK_IDENT) return ptx_fail_here(p, "a register name");
        ptx_advance(p);
        if (ptx_at(p, '<')) {
            s.kind = PTX_SYM_RANGE;
            if (!range(p, "registers", PTX_MAX_RANGE, &s.count)) return false;
        }
        if (!p->body.func)
            vec_push(&p->temp, &p->module_regs,
                     ((struct ptx_module_reg){.name = name, .symbol = s}));
        else if (!ptx_var_reg(p, &name, s))
            return false;
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ';', "after the registers");
}

// ---- variables --------------------------------------------------------------------

// Two declarations of one module variable: at most one may define it.
static bool merge(struct ptx_parser *p, struct ptx_var *old, const struct ptx_var *v) {
    const bool weak = old->is_extern || v->is_extern || old->is_common || v->is_common ||
                      old->is_weak || v->is_weak;
    if (!weak)
        return ptx_fail(p, v->line, v->col, "`%s` is declared twice; the first is on line %u",
                        v->name, old->line);
    // Compilers declare what another unit defines as bytes: where one declares only, sizes must agree.
    const bool agree = ptx_type_bits(old->type) == ptx_type_bits(v->type) ||
                       ((old->is_extern || v->is_extern) && old->bytes == v->bytes);
    if (old->space != v->space || !agree)
        return ptx_fail(p, v->line, v->col, "`%s` is .%s .%s here and .%s .%s on line %u", v->name,
                        space_text(v->space), ptx_type_text(v->type), space_text(old->space),
                        ptx_type_text(old->type), old->line);
    const uint32_t align = old->align > v->align ? old->align : v->align;
    if (old->is_extern && !(v->is_extern && v->unsized)) *old = *v;
    old->align = align; // as every unit that names it was promised
    return true;
}

// A .global or .const variable in a body has its name there alone, and lives as long as the module.
static bool is_static(const struct ptx_var *v) {
    return v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST || v->space == PTX_SPACE_TEX;
}

static bool declare(struct ptx_parser *p, struct ptx_var *v, const struct ptx_token *name) {
    if (p->body.func) {
        struct ptx_symbol s = {.kind = PTX_SYM_VAR, .var = v, .index = -1};
        if (is_static(v)) s.index = (int32_t)p->vars.n;
        if (!ptx_scope_declare(p, name, s)) return false;
        if (is_static(v))
            vec_push(&p->temp, &p->vars, v);
        else
            vec_push(&p->body_temp, &p->body.vars, v);
        return true;
    }
    const struct ptx_symbol *s = ptx_global_find(p, name->at, name->len);
    if (s && s->kind == PTX_SYM_VAR) return merge(p, s->var, v);
    if (s)
        return ptx_fail(p, v->line, v->col, "`%s` is declared twice; the first is on line %u",
                        v->name, s->line);
    vec_push(&p->temp, &p->vars, v);
    ptx_global_declare(
        p, name->at, name->len,
        (struct ptx_symbol){
            .kind = PTX_SYM_VAR, .var = v, .index = (int32_t)p->vars.n - 1, .line = v->line});
    return true;
}

static bool may_have_value(enum ptx_space s) {
    return s == PTX_SPACE_GLOBAL || s == PTX_SPACE_CONST || s == PTX_SPACE_TEX;
}

// Kernel parameters of ISA before 1.4 stand in the body.
static bool old_kernel_param(struct ptx_parser *p, const struct ptx_var *v) {
    return v->space == PTX_SPACE_PARAM && p->m->version < 14 && p->body.func &&
           p->body.func->is_entry;
}

// `x<3>`: x0, x1 and x2.
static bool numbered(struct ptx_parser *p, const struct ptx_var *common) {
    const struct ptx_token name = p->tok;
    uint32_t count;
    ptx_advance(p);
    if (!range(p, "variables", PTX_MAX_NUMBERED - p->numbered, &count)) return false;
    p->numbered += count;
    for (uint32_t k = 0; k < count; k++) {
        struct ptx_var *v = arena_copy(p->arena, common, sizeof *common);
        v->name = arena_printf(p->arena, "%.*s%u", (int)name.len, name.at, k);
        v->line = name.line;
        v->col = name.col;
        struct ptx_token own = name;
        own.at = v->name;
        own.len = (uint32_t)strlen(v->name);
        if (!set_size(p, v, NULL, 0) || !declare(p, v, &own)) return false;
    }
    return true;
}

static bool one_variable(struct ptx_parser *p, const struct ptx_var *common) {
    if (p->tok.kind == PTX_TOK_IDENT && ptx_lex_peek(&p->lex) == '<' &&
        !old_kernel_param(p, common))
        return numbered(p, common);
    const struct ptx_token name = p->tok;
    struct ptx_var *v = arena_copy(p->arena, common, sizeof *common);
    uint64_t dims[PTX_MAX_DIMS];
    unsigned n = 0;
    if (!name_and_size(p, v, dims, &n)) return false;
    if (ptx_at(p, '=')) {
        if (!may_have_value(v->space))
            return ptx_fail(p, p->tok.line, p->tok.col,
                            "a .%s variable cannot have an initial value; only .global and .const "
                            "ones can",
                            space_text(v->space));
        ptx_advance(p);
        if (!ptx_init(p, v, dims, n)) return false;
    } else if (v->unsized && !v->is_extern && v->space != PTX_SPACE_PARAM) {
        return ptx_fail(p, v->line, v->col,
                        "the array `%s` has no size; only an .extern one may leave it out",
                        v->name);
    }
    // A zero-sized dynamic array is written both `x[]` and `x[0]`.
    if (v->is_extern && v->space == PTX_SPACE_SHARED && v->is_array && !v->bytes) v->unsized = true;
    return declare(p, v, &name);
}

static void append_param(struct ptx_parser *p) {
    struct ptx_func *f = p->body.func;
    struct ptx_var **more = arena_alloc(p->arena, (f->n_params + 1) * sizeof *more);
    if (f->n_params) memcpy(more, f->params, f->n_params * sizeof *more);
    more[f->n_params++] = p->body.vars.at[--p->body.vars.n];
    f->params = more;
}

bool ptx_var_decl(struct ptx_parser *p, const struct ptx_linkage *l) {
    struct ptx_var v = {.is_extern = l->is_extern,
                        .is_visible = l->is_visible,
                        .is_weak = l->is_weak,
                        .is_common = l->is_common};
    const struct ptx_token start = p->tok;
    if (!prefix(p, &v)) return false;
    if (v.space == PTX_SPACE_REG) return reg_decl(p, &v);
    if (v.space == PTX_SPACE_PARAM && !p->body.func)
        return ptx_fail(p, start.line, start.col,
                        "a .param variable stands in a function, not at module scope");
    if (v.space == PTX_SPACE_SREG) { // a repetition of what is predefined
        while (p->tok.kind == PTX_TOK_IDENT || ptx_at(p, ',')) ptx_advance(p);
        return ptx_expect(p, ';', "after the special registers");
    }
    do {
        if (!one_variable(p, &v)) return false;
        if (old_kernel_param(p, &v)) {
            if (p->body.func->n_params >= PTX_MAX_ARGS)
                return ptx_fail(p, start.line, start.col, "a function has more than %d parameters",
                                PTX_MAX_ARGS);
            append_param(p);
        }
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ';', "after the declaration");
}

bool ptx_var_param(struct ptx_parser *p, bool named, struct ptx_var **out) {
    const enum ptx_space space = tok_space(p);
    if (space != PTX_SPACE_PARAM && space != PTX_SPACE_REG)
        return ptx_fail_here(p, "a parameter that begins with .param or .reg");
    if (space == PTX_SPACE_REG && named && p->body.func && p->body.func->is_entry)
        return ptx_fail_here(p, "`.param`, the state space of a kernel's parameters");
    struct ptx_var *v = arena_alloc(p->arena, sizeof *v);
    uint64_t dims[PTX_MAX_DIMS];
    unsigned n = 0;
    if (!prefix(p, v)) return false;
    const struct ptx_token name = p->tok;
    if (!name_and_size(p, v, dims, &n)) return false;
    *out = v;
    if (v->unsized && named && p->body.func && p->body.func->is_entry)
        return ptx_fail(p, name.line, name.col, "a kernel's parameter %s needs a size",
                        ptx_tok_show(p, &name));
    if (!named || ptx_tok_is(&name, "_")) return true;
    if (space == PTX_SPACE_REG) {
        v->reg = (int32_t)p->body.regs.n;
        return ptx_var_reg(p, &name,
                           (struct ptx_symbol){.kind = PTX_SYM_REG,
                                               .type = (uint8_t)v->type,
                                               .elements = v->vector});
    }
    return ptx_scope_declare(p, &name, (struct ptx_symbol){.kind = PTX_SYM_VAR, .var = v});
}
