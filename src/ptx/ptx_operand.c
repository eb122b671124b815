// One operand: a register with its parts, a constant, a name, a vector, an address; and the three
// lists of a call.
#include "ptx/ptx_parser.h"

#define EMPTY_OPERAND                                                                              \
    ((struct ptx_operand){.component = -1,                                                         \
                          .reg = -1,                                                               \
                          .reg2 = -1,                                                              \
                          .label = -1,                                                             \
                          .func = -1,                                                              \
                          .proto = -1,                                                             \
                          .targets = -1})

static void set_pending(struct ptx_parser *p, struct ptx_reading *r, struct ptx_operand *o,
                        const struct ptx_token *t, enum ptx_want want) {
    o->kind = PTX_OPERAND_PENDING;
    o->label = (int32_t)p->body.pending.n;
    r->pending = true;
    vec_push(&p->body_temp, &p->body.pending,
             ((struct ptx_pending){.name = t->at,
                                   .len = t->len,
                                   .line = t->line,
                                   .col = t->col,
                                   .want = want,
                                   .scope = p->body.scope}));
}

// ---- parts of a register ------------------------------------------------------------

_Static_assert(PTX_OP_vset4 - PTX_OP_vadd2 == 13, "the SIMD video rows follow each other");
static bool is_simd_video(unsigned op) { return op >= PTX_OP_vadd2 && op <= PTX_OP_vset4; }

// Digits behind .b or .h, highest lane first: a mask of lanes, or a lane for each.
static bool lanes(const struct ptx_token *t, bool mask, struct ptx_operand *o) {
    const bool bytes = t->at[0] == 'b';
    const uint32_t n = t->len - 1;
    if (n < 1 || n > (bytes ? 4u : 2u) || (!mask && n != (bytes ? 4u : 2u))) return false;
    for (uint32_t i = 0; i < n; i++) {
        const unsigned d = (unsigned)(t->at[1 + i] - '0');
        if (d >= (bytes ? 4u : 2u) * (mask ? 1u : 2u)) return false;
        if (mask)
            o->select |= (uint16_t)(1u << d);
        else
            o->select = (uint16_t)((unsigned)o->select << 4 | d);
    }
    o->video = mask ? PTX_VIDEO_MASK : bytes ? PTX_VIDEO_PACKED_B : PTX_VIDEO_PACKED_H;
    return true;
}

static bool video_part(const struct ptx_reading *r, unsigned index, const struct ptx_token *t,
                       struct ptx_operand *o) {
    const char c = t->at[0];
    if (c != 'b' && c != 'h') return false;
    if (is_simd_video(r->inst.op)) return lanes(t, index == 0, o);
    if (t->len != 2 || t->at[1] < '0' || t->at[1] > (c == 'b' ? '3' : '1')) return false;
    o->video = (uint8_t)((c == 'b' ? PTX_VIDEO_B0 : PTX_VIDEO_H0) + (t->at[1] - '0'));
    return true;
}

// .x or .r ... behind a vector register, .b0 ... behind one of a video instruction.
static bool part(struct ptx_parser *p, struct ptx_reading *r, unsigned index,
                 struct ptx_operand *o) {
    if (p->tok.kind != PTX_TOK_WORD) return true;
    const struct ptx_token t = p->tok;
    const unsigned elements = p->body.regs.at[o->reg].elements;
    ptx_advance(p);
    if (elements > 1 && t.len == 1) {
        static const char names[] = "xyzwrgba";
        const char *found = memchr(names, t.at[0], 8);
        const int component = found ? (int)(found - names) % 4 : 4;
        if (component < (int)elements) {
            o->component = (int8_t)component;
            return true;
        }
        return ptx_fail(p, t.line, t.col, "`%s` has %u elements; %s is none of them",
                        p->body.regs.at[o->reg].name, elements, ptx_tok_show(p, &t));
    }
    if (elements == 1 && video_part(r, index, &t, o)) return true;
    return ptx_fail(p, t.line, t.col, "register `%s` has no part %s", p->body.regs.at[o->reg].name,
                    ptx_tok_show(p, &t));
}

// ---- names --------------------------------------------------------------------------

// `%tid.x`; `%tid` is a vector of four. False when the name is no special register.
static bool special(struct ptx_parser *p, const struct ptx_token *t, struct ptx_operand *o) {
    size_t len = t->len;
    const bool dotted = p->tok.kind == PTX_TOK_WORD && p->tok.at == t->at + t->len + 1;
    if (dotted) len += 1 + p->tok.len;
    int32_t s = names_get(&p->sregs, t->at, len);
    if (s >= 0) {
        if (dotted) ptx_advance(p);
        o->kind = PTX_OPERAND_SREG;
        o->sreg = (uint8_t)s;
        return true;
    }
    char x[32];
    if (dotted || t->len > 24) return false;
    snprintf(x, sizeof x, "%.*s.x", (int)t->len, t->at);
    s = names_get(&p->sregs, x, strlen(x));
    if (s < 0) return false;
    o->kind = PTX_OPERAND_VECTOR;
    o->n = 4;
    o->list = arena_alloc(p->arena, 4 * sizeof *o->list);
    for (unsigned i = 0; i < 4; i++) {
        o->list[i] = EMPTY_OPERAND;
        o->list[i].kind = PTX_OPERAND_SREG;
        o->list[i].sreg = (uint8_t)((unsigned)s + i);
    }
    return true;
}

static void from_symbol(const struct ptx_symbol *s, struct ptx_operand *o) {
    switch ((enum ptx_symbol_kind)s->kind) {
    case PTX_SYM_REG:
        o->kind = PTX_OPERAND_REG;
        o->reg = s->index;
        return;
    case PTX_SYM_FUNC:
        o->kind = PTX_OPERAND_FUNC;
        o->func = s->index;
        return;
    case PTX_SYM_TARGETS:
        o->kind = PTX_OPERAND_TARGETS;
        o->targets = s->index;
        return;
    case PTX_SYM_PROTO:
        o->kind = PTX_OPERAND_PROTO;
        o->proto = s->index;
        return;
    default:
        o->kind = PTX_OPERAND_VAR;
        o->var = s->var;
        return;
    }
}

// `|q` behind p: the second destination.
static bool second_half(struct ptx_parser *p, struct ptx_operand *o) {
    if (!ptx_accept(p, '|')) return true;
    const struct ptx_token t = p->tok;
    if (t.kind != PTX_TOK_IDENT) return ptx_fail_here(p, "a predicate after `|`");
    ptx_advance(p);
    if (ptx_tok_is(&t, "_")) return true;
    const struct ptx_symbol *s = ptx_scope_find(p, t.at, t.len);
    if (!s) return ptx_scope_unknown(p, t.at, t.len, t.line, t.col);
    if (s->kind != PTX_SYM_REG || p->body.regs.at[s->index].type != PTX_PRED)
        return ptx_fail(p, t.line, t.col, "%s behind `|` must be a .pred register",
                        ptx_tok_show(p, &t));
    o->reg2 = s->index;
    return true;
}

// A name, already read; what follows it is read here. Offsets are the caller's.
static bool name(struct ptx_parser *p, struct ptx_reading *r, unsigned index,
                 const struct ptx_token *t, enum ptx_want want, struct ptx_operand *o) {
    if (want == PTX_WANT_LABEL) { // labels have names of their own
        set_pending(p, r, o, t, want);
        return true;
    }
    const struct ptx_symbol *s = ptx_scope_find(p, t->at, t->len);
    if (!s && t->at[0] == '%' && special(p, t, o)) return true;
    if (!s) s = ptx_global_find(p, t->at, t->len);
    if (s) {
        from_symbol(s, o);
        return o->kind != PTX_OPERAND_REG || part(p, r, index, o);
    }
    if (t->at[0] == '%') return ptx_scope_unknown(p, t->at, t->len, t->line, t->col);
    set_pending(p, r, o, t, want);
    return true;
}

// ---- constants, vectors, addresses ----------------------------------------------------

static bool constant(struct ptx_parser *p, struct ptx_operand *o) {
    struct ptx_value v;
    if (!ptx_expr(p, &v)) return false;
    o->kind = v.is_float ? PTX_OPERAND_FLOAT : PTX_OPERAND_INT;
    o->is_f32 = v.is_f32;
    o->imm = (int64_t)v.bits;
    return true;
}

static bool simple(struct ptx_parser *p, struct ptx_reading *r, unsigned index,
                   struct ptx_operand *o);

// Where `{a}` is the same as `a`, as the vendor's assembler has it: compilers write the one value
// of a surface access or of a scalar load or store so. Atomics and arithmetic take no braces.
static bool takes_one_in_braces(const struct ptx_reading *r, const struct ptx_operand *one) {
    switch (r->inst.op) {
    case PTX_OP_suld:
    case PTX_OP_sust: return true;
    case PTX_OP_ld:
    case PTX_OP_ldu:
    case PTX_OP_st: return r->inst.vector == 1 && one->kind != PTX_OPERAND_SINK;
    case PTX_OP_mov: // which takes elements apart by bits
        return r->inst.n_types == 1 && one->kind != PTX_OPERAND_SINK &&
               (r->inst.types[0] == PTX_B16 || r->inst.types[0] == PTX_B32 ||
                r->inst.types[0] == PTX_B64);
    default: return false;
    }
}
static bool vector(struct ptx_parser *p, struct ptx_reading *r, unsigned index,
                   struct ptx_operand *o) {
    struct ptx_operand list[PTX_MAX_VECTOR];
    unsigned n = 0;
    const struct ptx_token open = p->tok;
    ptx_advance(p);
    do {
        if (n == PTX_MAX_VECTOR)
            return ptx_fail(p, open.line, open.col, "a vector has more than %d elements",
                            PTX_MAX_VECTOR);
        if (!simple(p, r, index, &list[n])) return false;
        n++;
    } while (ptx_accept(p, ','));
    if (!ptx_expect(p, '}', "after the elements of a vector")) return false;
    if (n == 1 && o == &r->ops[index] && takes_one_in_braces(r, &list[0])) {
        *o = list[0];
        return true;
    }
    o->kind = PTX_OPERAND_VECTOR;
    o->n = n;
    o->list = arena_copy(p->arena, list, n * sizeof *list);
    return true;
}

// What stands behind the texture in `[tex, {x, y}]` and `[tex, sampler, {x, y}]`.
static bool coordinates(struct ptx_parser *p, struct ptx_reading *r, unsigned index,
                        struct ptx_operand *o) {
    struct ptx_operand list[2];
    unsigned n = 0;
    while (ptx_accept(p, ',')) {
        if (n == 2) return ptx_fail_here(p, "`]`");
        list[n] = EMPTY_OPERAND;
        if (ptx_at(p, '{') ? !vector(p, r, index, &list[n]) : !simple(p, r, index, &list[n]))
            return false;
        n++;
    }
    if (!n) return true;
    struct ptx_operand *last = &list[n - 1];
    if (last->kind != PTX_OPERAND_VECTOR) { // a single coordinate
        struct ptx_operand *one = arena_copy(p->arena, last, sizeof *last);
        *last = EMPTY_OPERAND;
        last->kind = PTX_OPERAND_VECTOR;
        last->list = one;
        last->n = 1;
    }
    o->n = n;
    o->list = arena_copy(p->arena, list, n * sizeof *list);
    return true;
}

static bool address(struct ptx_parser *p, struct ptx_reading *r, unsigned index,
                    struct ptx_operand *o) {
    const struct ptx_token open = p->tok;
    ptx_advance(p);
    if (p->tok.kind == PTX_TOK_IDENT && !ptx_tok_is(&p->tok, "WARP_SZ")) {
        const struct ptx_token base = p->tok;
        ptx_advance(p);
        if (!name(p, r, index, &base, PTX_WANT_ADDRESS, o)) return false;
        if (o->kind != PTX_OPERAND_REG && o->kind != PTX_OPERAND_VAR &&
            o->kind != PTX_OPERAND_PENDING)
            return ptx_fail(p, base.line, base.col,
                            "%s cannot be the base of an address; expected a register or variable",
                            ptx_tok_show(p, &base));
        if (!ptx_expr_offset(p, &o->imm)) return false;
        if (p->tok.kind == PTX_TOK_IDENT)
            return ptx_fail_here(p, "a constant offset, since PTX adds no two names in an address");
    } else {
        struct ptx_value v;
        if (!ptx_expr(p, &v)) return false;
        if (v.is_float)
            return ptx_fail(p, open.line, open.col, "an address cannot be a floating-point number");
        o->imm = (int64_t)v.bits;
    }
    if (!coordinates(p, r, index, o) || !ptx_expect(p, ']', "after an address")) return false;
    // A pending name becomes an address when it is known.
    if (o->kind == PTX_OPERAND_PENDING)
        p->body.pending.at[o->label].is_address = true;
    else
        o->kind = PTX_OPERAND_ADDRESS;
    return true;
}

// `a[3]` behind the name of an array: its element's address, or in an instruction that accesses
// memory its element.
static bool element(struct ptx_parser *p, const struct ptx_reading *r, struct ptx_operand *o) {
    if (!ptx_at(p, '[')) return true;
    const struct ptx_token open = p->tok;
    ptx_advance(p);
    if (p->tok.kind == PTX_TOK_IDENT && !ptx_tok_is(&p->tok, "WARP_SZ"))
        return ptx_fail_here(p, "a constant index; compute others with instructions");
    struct ptx_value v;
    if (!ptx_expr(p, &v) || !ptx_expect(p, ']', "after an index")) return false;
    const uint64_t bytes = ptx_type_bits(o->var->type) / 8 * o->var->vector;
    if (v.is_float || v.bits > PTX_MAX_VAR_BYTES)
        return ptx_fail(p, open.line, open.col, "this is no index of `%s`", o->var->name);
    o->imm = (int64_t)(v.bits * bytes);
    if (r->inst.op != PTX_OP_mov && r->inst.op != PTX_OP_cvta) o->kind = PTX_OPERAND_ADDRESS;
    return true;
}

// A whole vector register is the vector of its elements, so that later rooms see one kind.
static void spread(struct ptx_parser *p, struct ptx_operand *o) {
    const unsigned n = p->body.regs.at[o->reg].elements;
    if (n == 1 || o->component >= 0) return;
    struct ptx_operand *elements = arena_alloc(p->arena, n * sizeof *elements);
    for (unsigned i = 0; i < n; i++) {
        elements[i] = *o;
        elements[i].component = (int8_t)i;
    }
    *o = EMPTY_OPERAND;
    o->kind = PTX_OPERAND_VECTOR;
    o->list = elements;
    o->n = n;
}

// Anything but a vector or an address.
static bool simple(struct ptx_parser *p, struct ptx_reading *r, unsigned index,
                   struct ptx_operand *o) {
    *o = EMPTY_OPERAND;
    const struct ptx_token t = p->tok;
    const bool negated = (ptx_at(p, '!') || ptx_at(p, '-')) && ptx_lex_peek_name(&p->lex);
    if (negated) {
        o->not = t.punct == '!';
        o->neg = t.punct == '-';
        ptx_advance(p);
    } else if (ptx_starts_expr(p)) {
        return constant(p, o);
    }
    if (p->tok.kind != PTX_TOK_IDENT) return ptx_fail_here(p, "an operand");
    const struct ptx_token id = p->tok;
    ptx_advance(p);
    if (ptx_tok_is(&id, "_") && !negated) {
        o->kind = PTX_OPERAND_SINK;
        return second_half(p, o);
    }
    if (!name(p, r, index, &id, r->want, o)) return false;
    if (negated && o->kind != PTX_OPERAND_REG && o->kind != PTX_OPERAND_SREG)
        return ptx_fail(p, t.line, t.col, "`%c` stands before %s, which is no register", t.punct,
                        ptx_tok_show(p, &id));
    if (o->kind == PTX_OPERAND_REG) return second_half(p, o);
    if (o->kind == PTX_OPERAND_VAR && !element(p, r, o)) return false;
    if (o->kind == PTX_OPERAND_VAR || o->kind == PTX_OPERAND_PENDING)
        return ptx_expr_offset(p, &o->imm);
    return true;
}

// ---- sums ---------------------------------------------------------------------------
// `%r1+4` and `x+8` as sources: ptxas takes them everywhere. They are computed in front of the
// instruction into a register of their own.

static void sum(struct ptx_parser *p, struct ptx_reading *r, struct ptx_operand *o,
                enum ptx_type type) {
    const struct ptx_place *at = &r->places[r->inst.n_operands];
    char name[32];
    const int n = snprintf(name, sizeof name, "(sum at %u:%u)", at->line, at->col);
    struct ptx_sum *s = &r->sums[r->n_sums++];
    *s = (struct ptx_sum){.of = *o, .type = (uint8_t)type};
    s->reg = ptx_scope_new_reg(p, name, (size_t)n, type, 1);
    *o = EMPTY_OPERAND;
    o->kind = PTX_OPERAND_REG;
    o->reg = s->reg;
}

static bool register_sum(struct ptx_parser *p, struct ptx_reading *r, unsigned index,
                         struct ptx_operand *o) {
    const struct ptx_token plus = p->tok;
    const enum ptx_type type = p->body.regs.at[o->reg].type;
    const unsigned bits = ptx_type_bits(type);
    if (index == 0 || o->component >= 0 || o->reg2 >= 0)
        return ptx_fail(p, plus.line, plus.col, "a constant is added to what must be a register");
    if (ptx_type_is_float(type) || (bits != 16 && bits != 32 && bits != 64))
        return ptx_fail(p, plus.line, plus.col,
                        "a constant is added to a register of type .%s; expected an integer type",
                        ptx_type_text(type));
    if (!ptx_expr_offset(p, &o->imm)) return false;
    sum(p, r, o, type);
    return true;
}

static bool takes_addresses(unsigned op) {
    return op == PTX_OP_mov || op == PTX_OP_cvta || op == PTX_OP_isspacep;
}

static enum ptx_type address_type(const struct ptx_reading *r) {
    return ptx_type_bits((enum ptx_type)r->inst.types[0]) == 64 ? PTX_U64 : PTX_U32;
}

void ptx_operand_sums(struct ptx_parser *p, const struct ptx_reading *r) {
    for (unsigned k = 0; k < r->n_sums; k++) {
        const struct ptx_sum *s = &r->sums[k];
        struct ptx_operand *o = arena_alloc(p->arena, 3 * sizeof *o);
        o[0] = o[2] = EMPTY_OPERAND;
        o[0].kind = PTX_OPERAND_REG;
        o[0].reg = s->reg;
        o[1] = s->of;
        struct ptx_inst i = {.op = PTX_OP_mov,
                             .n_operands = 2,
                             .n_types = 1,
                             .types = {s->type},
                             .guard = -1,
                             .vector = 1,
                             .operand = o,
                             .loc = r->inst.loc};
        if (s->of.kind == PTX_OPERAND_REG) {
            const unsigned bits = ptx_type_bits((enum ptx_type)s->type);
            i.op = PTX_OP_add;
            i.types[0] = bits == 64 ? PTX_U64 : bits == 32 ? PTX_U32 : PTX_U16;
            i.n_operands = 3;
            o[1].imm = 0;
            o[2].kind = PTX_OPERAND_INT;
            o[2].imm = s->of.imm;
        }
        vec_push(&p->body_temp, &p->body.insts, i);
    }
}

// ---- one operand --------------------------------------------------------------------

bool ptx_operand_read(struct ptx_parser *p, struct ptx_reading *r, unsigned index) {
    struct ptx_operand *o = &r->ops[index];
    r->places[index] = (struct ptx_place){.line = p->tok.line, .col = p->tok.col};
    *o = EMPTY_OPERAND;
    if (ptx_at(p, '{')) {
        // `{a,b,c,d}|p` of a texture access: p says whether its texels are in memory.
        const bool resides = index == 0 && (r->inst.op == PTX_OP_tex || r->inst.op == PTX_OP_tld4);
        return vector(p, r, index, o) && (!resides || second_half(p, o));
    }
    if (ptx_at(p, '[')) return address(p, r, index, o);
    if (!simple(p, r, index, o)) return false;
    if (o->kind == PTX_OPERAND_REG && ptx_at(p, '+')) return register_sum(p, r, index, o);
    if (o->kind == PTX_OPERAND_VAR && o->imm && !takes_addresses(r->inst.op))
        sum(p, r, o, address_type(r));
    if (o->kind == PTX_OPERAND_REG) spread(p, o);
    return true;
}

// ---- calls --------------------------------------------------------------------------

// `(a, b, c)` into a vector.
static bool list(struct ptx_parser *p, struct ptx_reading *r, unsigned index) {
    VEC(struct ptx_operand) items = {0};
    ptx_advance(p);
    r->want = PTX_WANT_ADDRESS;
    while (!ptx_at(p, ')')) {
        struct ptx_operand o;
        if (items.n == PTX_MAX_ARGS)
            return ptx_fail(p, p->tok.line, p->tok.col, "a call has more than %d arguments",
                            PTX_MAX_ARGS);
        if (!simple(p, r, index, &o)) return false;
        vec_push(&p->body_temp, &items, o);
        if (!ptx_accept(p, ',')) break;
    }
    r->ops[index].n = items.n;
    r->ops[index].list = arena_copy(p->arena, items.at, items.n * sizeof *items.at);
    return ptx_expect(p, ')', "after the arguments of a call");
}

// call (results), target, (arguments), prototype;  everything but the target may be missing.
bool ptx_operand_call(struct ptx_parser *p, struct ptx_reading *r) {
    enum { TARGET, RESULTS, ARGUMENTS, PROTOTYPE };
    for (unsigned i = 0; i < 4; i++) {
        r->ops[i] = EMPTY_OPERAND;
        r->places[i] = (struct ptx_place){.line = p->tok.line, .col = p->tok.col};
    }
    r->ops[RESULTS].kind = r->ops[ARGUMENTS].kind = PTX_OPERAND_VECTOR;
    r->inst.n_operands = 3;
    if (ptx_at(p, '(') &&
        (!list(p, r, RESULTS) || !ptx_expect(p, ',', "after the results of a call")))
        return false;
    const struct ptx_token t = p->tok;
    r->places[TARGET] = (struct ptx_place){.line = t.line, .col = t.col};
    if (t.kind != PTX_TOK_IDENT) return ptx_fail_here(p, "a function to call");
    ptx_advance(p);
    if (!name(p, r, TARGET, &t, PTX_WANT_FUNC, &r->ops[TARGET])) return false;
    const unsigned kind = r->ops[TARGET].kind;
    if (kind != PTX_OPERAND_REG && kind != PTX_OPERAND_FUNC && kind != PTX_OPERAND_PENDING)
        return ptx_fail(p, t.line, t.col, "%s cannot be called; expected a function or a register",
                        ptx_tok_show(p, &t));
    if (!ptx_accept(p, ',')) return true;
    if (ptx_at(p, '(')) {
        if (!list(p, r, ARGUMENTS)) return false;
        if (!ptx_accept(p, ',')) return true;
    }
    const struct ptx_token proto = p->tok;
    r->places[PROTOTYPE] = (struct ptx_place){.line = proto.line, .col = proto.col};
    if (proto.kind != PTX_TOK_IDENT) return ptx_fail_here(p, "the label of a prototype");
    ptx_advance(p);
    r->inst.n_operands = 4;
    return name(p, r, PROTOTYPE, &proto, PTX_WANT_LIST, &r->ops[PROTOTYPE]);
}
