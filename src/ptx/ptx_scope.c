// Names of one function, scope by scope, and names of the module.
//
// `.reg .b32 %r<100000>` costs nothing: a range is remembered by its prefix, and a register
// comes into being when an instruction names it, which also gives the next rooms dense indices of
// registers that are really used.
#include "ptx/ptx_parser.h"

enum { RANGE_DIGITS = 7 }; // PTX_MAX_RANGE has seven

void ptx_scope_push(struct ptx_parser *p) {
    struct ptx_scope *s = arena_alloc(&p->body_temp, sizeof *s);
    s->parent = p->body.scope;
    names_init(&s->names, &p->body_temp);
    names_init(&s->ranges, &p->body_temp);
    names_init(&s->labels, &p->body_temp);
    p->body.scope = s;
    p->body.depth++;
}

void ptx_scope_pop(struct ptx_parser *p) {
    p->body.scope = p->body.scope->parent;
    p->body.depth--;
}

int32_t ptx_scope_new_reg(struct ptx_parser *p, const char *name, size_t len, enum ptx_type type,
                          unsigned elements) {
    vec_push(&p->body_temp, &p->body.regs,
             ((struct ptx_reg){.name = arena_strndup(p->arena, name, len),
                               .type = type,
                               .elements = (uint8_t)elements}));
    return (int32_t)p->body.regs.n - 1;
}

// The member of a range that a name is, in one scope; -1 when it is none.
static int32_t find_in_ranges(const struct ptx_body *b, const struct ptx_scope *s, const char *name,
                              size_t len) {
    uint64_t value = 0, weight = 1;
    for (size_t digits = 1; digits <= RANGE_DIGITS && digits < len; digits++) {
        const char c = name[len - digits];
        if (c < '0' || c > '9') return -1;
        value += weight * (uint64_t)(c - '0');
        weight *= 10;
        if (c == '0' && digits > 1) continue; // %r01 is no member of %r<n>
        const int32_t i = names_get(&s->ranges, name, len - digits);
        if (i < 0 || value >= b->symbols.at[i].count) continue;
        return i;
    }
    return -1;
}

static int32_t push_symbol(struct ptx_parser *p, struct ptx_symbol s) {
    vec_push(&p->body_temp, &p->body.symbols, s);
    return (int32_t)p->body.symbols.n - 1;
}

const struct ptx_symbol *ptx_scope_find(struct ptx_parser *p, const char *name, size_t len) {
    struct ptx_body *b = &p->body;
    for (struct ptx_scope *s = b->scope; s; s = s->parent) {
        const int32_t i = names_get(&s->names, name, len);
        if (i >= 0) {
            p->module_reg_used |= s->is_module;
            return &b->symbols.at[i];
        }
        if (!s->ranges.n) continue;
        const int32_t range = find_in_ranges(b, s, name, len);
        if (range < 0) continue;
        p->module_reg_used |= s->is_module;
        const struct ptx_symbol r = b->symbols.at[range];
        const int32_t reg = ptx_scope_new_reg(p, name, len, (enum ptx_type)r.type, r.elements);
        const int32_t made =
            push_symbol(p, (struct ptx_symbol){.kind = PTX_SYM_REG, .index = reg, .line = r.line});
        names_put(&s->names, name, len, made);
        return &b->symbols.at[made];
    }
    return NULL;
}

bool ptx_scope_declare(struct ptx_parser *p, const struct ptx_token *name, struct ptx_symbol s) {
    struct ptx_body *b = &p->body;
    s.line = name->line;
    struct names *map = s.kind == PTX_SYM_RANGE ? &b->scope->ranges : &b->scope->names;
    int32_t taken = names_get(map, name->at, name->len);
    if (taken < 0 && s.kind == PTX_SYM_REG) {
        taken = find_in_ranges(b, b->scope, name->at, name->len);
    }
    if (taken >= 0)
        return ptx_fail(p, name->line, name->col, "%s is declared twice; the first is on line %u",
                        ptx_tok_show(p, name), b->symbols.at[taken].line);
    names_put(map, name->at, name->len, push_symbol(p, s));
    return true;
}

const struct ptx_symbol *ptx_global_find(struct ptx_parser *p, const char *name, size_t len) {
    const int32_t i = names_get(&p->globals, name, len);
    return i < 0 ? NULL : &p->symbols.at[i];
}

struct ptx_symbol *ptx_global_declare(struct ptx_parser *p, const char *name, size_t len,
                                      struct ptx_symbol s) {
    vec_push(&p->temp, &p->symbols, s);
    names_put(&p->globals, name, len, (int32_t)p->symbols.n - 1);
    return &p->symbols.at[p->symbols.n - 1];
}

bool ptx_scope_unknown(struct ptx_parser *p, const char *name, size_t len, uint32_t line,
                       uint32_t col) {
    const char *shown = ptx_show(p, name, len);
    const bool is_reg = len > 1 && name[0] == '%';
    const struct ptx_body *b = &p->body;
    for (const struct ptx_scope *s = b->scope; s; s = s->parent)
        for (size_t n = len; n > 1 && name[n - 1] >= '0' && name[n - 1] <= '9'; n--) {
            const int32_t i = names_get(&s->ranges, name, n - 1);
            if (i < 0) continue;
            const int shown_len = n - 1 > 32 ? 32 : (int)(n - 1);
            const uint32_t count = b->symbols.at[i].count;
            return ptx_fail(p, line, col,
                            "register %s is not declared: `%.*s<%u>` on line %u ends at %.*s%u",
                            shown, shown_len, name, count, b->symbols.at[i].line, shown_len, name,
                            count ? count - 1 : 0);
        }
    if (is_reg)
        return ptx_fail(p, line, col,
                        "register %s is not declared; expected a declared register or "
                        "a special register",
                        shown);
    return ptx_fail(p, line, col, "%s is not declared; expected a register, variable or function",
                    shown);
}
