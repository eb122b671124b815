// Initial values of variables: nested braces over the dimensions of an array, constants, addresses
// of variables and functions (`a+4`, `generic(a)`, `0xFF00(f)`), and the settings of texture
// references. Bytes are collected as far as they are written; the tail is zeros.
#include "ptx/ptx_parser.h"

struct init {
    struct ptx_var *var;
    unsigned levels;
    uint64_t extent[PTX_MAX_DIMS + 2]; // scalars below one brace of that level
    uint64_t element;                  // bytes of a scalar
    uint64_t limit;                    // scalars in all
    uint8_t *bytes;
    uint64_t cap, used; // bytes
    VEC(struct ptx_reloc) relocs;
    VEC(struct ptx_token) names; // of the relocations
};

static bool take_budget(struct ptx_parser *p, const struct ptx_token *at, uint64_t bytes) {
    p->init_total += bytes;
    if (p->init_total <= PTX_MAX_INIT_BYTES + 16 * p->text_len) return true;
    return ptx_fail(p, at->line, at->col,
                    "the initialised variables have more than %llu bytes in all, far more than "
                    "their text could fill",
                    (unsigned long long)(PTX_MAX_INIT_BYTES + 16 * p->text_len));
}

static uint8_t *place(struct ptx_parser *p, struct init *in, uint64_t index) {
    const uint64_t end = (index + 1) * in->element;
    if (end > in->cap) {
        uint64_t cap = in->cap ? in->cap : 64;
        while (cap < end) cap *= 2;
        const struct ptx_token at = p->tok;
        if (!take_budget(p, &at, cap - in->cap)) return NULL;
        uint8_t *more = arena_alloc(&p->temp, cap);
        if (in->used) memcpy(more, in->bytes, in->used);
        in->bytes = more;
        in->cap = cap;
    }
    if (end > in->used) in->used = end;
    return in->bytes + index * in->element;
}

static void store(uint8_t *at, uint64_t value, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; i++) at[i] = (uint8_t)(i < 8 ? value >> (8 * i) : 0);
}

// `name`, `name + 4`, `generic(name) + 4`, or any of them behind a byte mask.
static bool address(struct ptx_parser *p, struct init *in, uint64_t index) {
    struct ptx_reloc r = {.bytes = (uint8_t)in->element, .index = -1};
    const struct ptx_token at = p->tok;
    bool masked = false;
    if (at.kind == PTX_TOK_INT) { // 0xFF00(
        masked = true;
        while (r.shift < 64 && at.value != (uint64_t)0xff << r.shift)
            r.shift = (uint8_t)(r.shift + 8);
        if (r.shift >= 64)
            return ptx_fail(p, at.line, at.col,
                            "%s is no byte mask; expected 0xFF, 0xFF00, 0xFF0000, ...",
                            ptx_tok_show(p, &at));
        r.bytes = 1;
        ptx_advance(p);
        if (!ptx_expect(p, '(', "after a byte mask")) return false;
    }
    if (p->tok.kind == PTX_TOK_IDENT && ptx_tok_is(&p->tok, "generic") &&
        ptx_lex_peek(&p->lex) == '(') {
        r.generic = true;
        ptx_advance(p);
        ptx_advance(p);
    }
    if (p->tok.kind != PTX_TOK_IDENT) return ptx_fail_here(p, "the name of a variable or function");
    const struct ptx_token name = p->tok;
    ptx_advance(p);
    if (!ptx_expr_offset(p, &r.addend)) return false;
    if (r.generic && !ptx_expect(p, ')', "after generic(name")) return false;
    if (!ptx_expr_offset(p, &r.addend)) return false;
    if (masked && !ptx_expect(p, ')', "after a masked address")) return false;
    if (masked ? in->element != 1 : in->element != 4 && in->element != 8)
        return ptx_fail(p, at.line, at.col,
                        "an address does not fit in an element of type .%s; expected %s",
                        ptx_type_text(in->var->type),
                        masked ? "an array of bytes" : "a 32- or 64-bit type, or a byte mask");
    if (!place(p, in, index)) return false;
    r.symbol = ptx_tok_dup(p, &name);
    r.offset = index * in->element;
    vec_push(&p->temp, &in->relocs, r);
    vec_push(&p->temp, &in->names, name);
    return true;
}

static bool constant(struct ptx_parser *p, struct init *in, uint64_t index) {
    const struct ptx_token at = p->tok;
    const enum ptx_type type = in->var->type;
    struct ptx_value v;
    if (!ptx_expr(p, &v)) return false;
    uint64_t bits = v.bits;
    if (type == PTX_F32 || type == PTX_F64) {
        const double d = ptx_value_double(&v);
        if (type == PTX_F32 && !v.is_f32) {
            const float f = (float)d;
            uint32_t word;
            memcpy(&word, &f, sizeof word);
            bits = word;
        } else if (type == PTX_F64 && !(v.is_float && !v.is_f32)) {
            memcpy(&bits, &d, sizeof bits);
        }
    } else if (ptx_type_is_float(type)) {
        return ptx_fail(p, at.line, at.col,
                        "a .%s variable takes no initial value; write a .b%u one with the bits",
                        ptx_type_text(type), ptx_type_bits(type));
    } else if (v.is_float && !(v.is_exact && ptx_type_class(type) == 'b' &&
                               in->element == (v.is_f32 ? 4u : 8u))) {
        return ptx_fail(p, at.line, at.col, "expected an integer for type .%s, found %s",
                        ptx_type_text(type), ptx_tok_show(p, &at));
    }
    uint8_t *to = place(p, in, index);
    if (!to) return false;
    store(to, bits, in->element);
    return true;
}

static bool scalar(struct ptx_parser *p, struct init *in, uint64_t index) {
    const bool is_address = (p->tok.kind == PTX_TOK_IDENT && !ptx_tok_is(&p->tok, "WARP_SZ")) ||
                            (p->tok.kind == PTX_TOK_INT && ptx_lex_peek(&p->lex) == '(');
    return is_address ? address(p, in, index) : constant(p, in, index);
}

static bool too_many(struct ptx_parser *p, uint64_t fit) {
    return ptx_fail(p, p->tok.line, p->tok.col, "there are too many initial values: %llu fit here",
                    (unsigned long long)fit);
}

static bool braces(struct ptx_parser *p, struct init *in, unsigned level, uint64_t base) {
    uint64_t at = base;
    const uint64_t end = base + in->extent[level];
    ptx_advance(p); // the brace
    while (!ptx_at(p, '}')) {
        if (at >= end) return too_many(p, in->extent[level]);
        if (ptx_at(p, '{')) {
            if (level + 1 >= in->levels)
                return ptx_fail(p, p->tok.line, p->tok.col,
                                "the braces are nested deeper than the %u dimensions of `%s`",
                                in->levels, in->var->name);
            const uint64_t step = in->extent[level + 1];
            if (step && (at - base) % step) at += step - (at - base) % step;
            if (at >= end) return too_many(p, in->extent[level]);
            if (!braces(p, in, level + 1, at)) return false;
            at += step;
        } else {
            if (!scalar(p, in, at)) return false;
            at++;
        }
        if (!ptx_accept(p, ',')) break;
    }
    return ptx_expect(p, '}', "after the initial values");
}

// { addr_mode_0 = wrap, filter_mode = linear, normalized_coords = 1, ... }
static bool texture_settings(struct ptx_parser *p, struct ptx_var *v) {
    static const struct {
        const char *name;
        int32_t value; // in the order that the driver's interface has
    } values[] = {{"wrap", 0},          {"mirror", 2},          {"clamp_ogl", 1},
                  {"clamp_to_edge", 1}, {"clamp_to_border", 3}, {"nearest", 0},
                  {"linear", 1}};
    ptx_advance(p);
    while (!ptx_at(p, '}')) {
        const struct ptx_token key = p->tok;
        if (key.kind != PTX_TOK_IDENT) return ptx_fail_here(p, "a setting such as filter_mode");
        ptx_advance(p);
        if (!ptx_expect(p, '=', "after the name of a setting")) return false;
        int64_t value = -1;
        if (p->tok.kind == PTX_TOK_IDENT) {
            for (unsigned i = 0; i < WW_COUNT(values); i++)
                if (ptx_tok_is(&p->tok, values[i].name)) value = values[i].value;
            ptx_advance(p); // channel orders and the like are the host's business
        } else {
            uint64_t number;
            if (!ptx_expr_u64(p, "a setting", UINT32_MAX, &number)) return false;
            value = (int64_t)number;
        }
        if (key.len == 11 && !memcmp(key.at, "addr_mode_", 10)) {
            const unsigned axis = (unsigned)(key.at[10] - '0');
            if (axis > 2 || value < 0 || value > 3)
                return ptx_fail(p, key.line, key.col,
                                "%s is not set to wrap, mirror, clamp_ogl, clamp_to_edge or "
                                "clamp_to_border",
                                ptx_tok_show(p, &key));
            v->tex_address_mode[axis] = (int32_t)value;
        } else if (ptx_tok_is(&key, "filter_mode")) {
            if (value < 0 || value > 1)
                return ptx_fail(p, key.line, key.col, "`filter_mode` is not nearest or linear");
            v->tex_filter_mode = (int32_t)value;
        } else if (ptx_tok_is(&key, "normalized_coords")) {
            v->tex_normalized = value == 1;
        }
        if (!ptx_accept(p, ',')) break;
    }
    return ptx_expect(p, '}', "after the settings");
}

static bool is_opaque(enum ptx_type t) {
    return t == PTX_TEXREF || t == PTX_SAMPLERREF || t == PTX_SURFREF;
}

// The relocations move to the module; their symbols are resolved when all are known.
static void keep_relocs(struct ptx_parser *p, struct init *in) {
    struct ptx_var *v = in->var;
    v->n_relocs = in->relocs.n;
    v->relocs = arena_copy(p->arena, in->relocs.at, in->relocs.n * sizeof *v->relocs);
    for (uint32_t i = 0; i < in->relocs.n; i++) {
        const struct ptx_token *t = &in->names.at[i];
        const struct ptx_symbol *own = p->body.func ? ptx_scope_find(p, t->at, t->len) : NULL;
        const bool is_own = own && own->kind == PTX_SYM_VAR;
        vec_push(&p->temp, &p->fixups,
                 ((struct ptx_fixup){.name = t->at,
                                     .len = t->len,
                                     .line = t->line,
                                     .col = t->col,
                                     .reloc = &v->relocs[i],
                                     .var = is_own ? own->var : NULL,
                                     .index = is_own ? own->index : -1,
                                     .want = PTX_WANT_ADDRESS}));
    }
}

bool ptx_init(struct ptx_parser *p, struct ptx_var *v, const uint64_t *dims, unsigned n_dims) {
    if (is_opaque(v->type) && ptx_at(p, '{')) return texture_settings(p, v);
    const struct ptx_token at = p->tok;
    struct init in = {.var = v, .element = ptx_type_bits(v->type) / 8};
    uint64_t all[PTX_MAX_DIMS + 1];
    for (unsigned i = 0; i < n_dims; i++) all[in.levels++] = dims[i];
    if (v->vector > 1 || !in.levels) all[in.levels++] = v->vector;
    in.extent[in.levels] = 1;
    for (unsigned i = in.levels; i-- > 0;) in.extent[i] = in.extent[i + 1] * all[i];
    if (v->unsized) in.extent[0] = PTX_MAX_VAR_BYTES / in.element;
    const uint64_t row = in.levels > 1 ? in.extent[1] : 1;
    if (ptx_at(p, '{')) {
        if (!braces(p, &in, 0, 0)) return false;
    } else if (v->is_array || v->vector > 1) {
        return ptx_fail_here(p, "`{` before the initial values");
    } else if (!scalar(p, &in, 0)) {
        return false;
    }
    if (v->unsized) {
        const uint64_t scalars = in.used / in.element;
        v->count = row ? (scalars + row - 1) / row * row / v->vector : 0;
        v->bytes = v->count * v->vector * in.element;
        v->unsized = false;
    }
    v->init_bytes = in.used;
    if (!in.used) return true;
    if (!take_budget(p, &at, v->bytes)) return false;
    uint8_t *bytes = arena_alloc(p->arena, v->bytes);
    memcpy(bytes, in.bytes, in.used);
    v->init = bytes;
    keep_relocs(p, &in);
    return true;
}
