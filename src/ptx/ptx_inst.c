// One instruction: guard, opcode, modifiers and types, operands.
#include "ptx/ptx_parser.h"

// ---- guard ----------------------------------------------------------------------

static bool guard(struct ptx_parser *p, struct ptx_inst *i) {
    if (!ptx_accept(p, '@')) return true;
    i->guard_not = ptx_accept(p, '!');
    const struct ptx_token t = p->tok;
    if (t.kind != PTX_TOK_IDENT) return ptx_fail_here(p, "a predicate after `@`");
    ptx_advance(p);
    const struct ptx_symbol *s = ptx_scope_find(p, t.at, t.len);
    if (!s) return ptx_scope_unknown(p, t.at, t.len, t.line, t.col);
    if (s->kind != PTX_SYM_REG || p->body.regs.at[s->index].type != PTX_PRED)
        return ptx_fail(p, t.line, t.col,
                        "%s cannot guard an instruction; expected a .pred register",
                        ptx_tok_show(p, &t));
    i->guard = s->index;
    return true;
}

// ---- modifiers and types ----------------------------------------------------------

static enum ptx_space space_of(enum ptx_mod m) {
    switch (m) {
    case PTX_MOD_const: return PTX_SPACE_CONST;
    case PTX_MOD_global: return PTX_SPACE_GLOBAL;
    case PTX_MOD_local: return PTX_SPACE_LOCAL;
    case PTX_MOD_param:
    case PTX_MOD_param_entry:
    case PTX_MOD_param_func: return PTX_SPACE_PARAM;
    case PTX_MOD_shared:
    case PTX_MOD_shared_cta:
    case PTX_MOD_shared_cluster: return PTX_SPACE_SHARED;
    default: return PTX_SPACE_NONE;
    }
}

static bool add_mod(struct ptx_parser *p, struct ptx_inst *i, enum ptx_mod m) {
    if (i->n_mods == PTX_MAX_MODS) {
        if (ptx_refused_form(i)) return true;
        return ptx_fail(p, p->tok.line, p->tok.col, "an instruction has more than %d modifiers",
                        PTX_MAX_MODS);
    }
    i->mods[i->n_mods++] = (uint16_t)m;
    i->modset[(unsigned)m / 64] |= (uint64_t)1 << ((unsigned)m % 64);
    if (i->space == PTX_SPACE_NONE) i->space = (uint8_t)space_of(m);
    if (m == PTX_MOD_v2) i->vector = 2;
    if (m == PTX_MOD_v4) i->vector = 4;
    if (m == PTX_MOD_v8) i->vector = 8;
    return true;
}

// m16n8k16, 16x128b, ...: what only matrices have.
static bool is_shape(const struct ptx_token *t) {
    return t->len >= 4 && t->at[0] == 'm' && t->at[1] >= '0' && t->at[1] <= '9' &&
           memchr(t->at, 'n', t->len);
}

// The shape of a warp group's product, of which there are too many for a name each.
static bool group_shape(const struct ptx_token *t, struct ptx_inst *i) {
    char text[24];
    unsigned n, k;
    int read = 0;
    if (t->len >= sizeof text) return false;
    memcpy(text, t->at, t->len);
    text[t->len] = 0;
    if (sscanf(text, "m64n%3uk%3u%n", &n, &k, &read) != 2 || text[read]) return false;
    i->shape_n = (uint16_t)n;
    i->shape_k = (uint16_t)k;
    return true;
}

static bool unknown_word(struct ptx_parser *p, struct ptx_inst *i) {
    if (i->op == PTX_OP_wgmma && group_shape(&p->tok, i)) return add_mod(p, i, PTX_MOD_shape);
    // mbarrier::complete_tx::bytes and the like: the first part says what it is about.
    const char *colon = memchr(p->tok.at, ':', p->tok.len);
    if (colon) {
        const int32_t w = names_get(&p->words, p->tok.at, (size_t)(colon - p->tok.at));
        struct ptx_inst with = *i;
        if (w >= PTX_WORD_MOD && add_mod(p, &with, (enum ptx_mod)(w - PTX_WORD_MOD)) &&
            ptx_refused_form(&with)) {
            *i = with;
            return true;
        }
    }
    struct ptx_inst shaped = *i;
    if (is_shape(&p->tok) && add_mod(p, &shaped, PTX_MOD_shape) && ptx_refused_form(&shaped)) {
        *i = shaped;
        return true;
    }
    if (ptx_refused_form(i))
        return add_mod(p, i, is_shape(&p->tok) ? PTX_MOD_shape : PTX_MOD_other);
    const char *near =
        p->tok.len < 60 ? ptx_nearest_word(arena_strndup(&p->temp, p->tok.at, p->tok.len)) : NULL;
    const char *op = ptx_op_text((enum ptx_op)i->op);
    if (near)
        return ptx_fail(p, p->tok.line, p->tok.col,
                        "unknown modifier %s of `%s`; did you mean `.%s`?",
                        ptx_tok_show(p, &p->tok), op, near);
    return ptx_fail(p, p->tok.line, p->tok.col, "unknown modifier %s of `%s`",
                    ptx_tok_show(p, &p->tok), op);
}

// ld.const[2].u32: the bank changes nothing, since all banks are one space here.
static bool constant_bank(struct ptx_parser *p) {
    if (!ptx_at(p, '[') || p->tok.at[-1] != 't') return true;
    ptx_advance(p);
    uint64_t bank;
    return ptx_expr_u64(p, "a constant bank", 10, &bank) &&
           ptx_expect(p, ']', "after the constant bank");
}

static bool words(struct ptx_parser *p, struct ptx_reading *r) {
    struct ptx_inst *i = &r->inst;
    while (p->tok.kind == PTX_TOK_WORD) {
        r->text_len = (uint32_t)(p->tok.at + p->tok.len - r->text);
        const int32_t w = names_get(&p->words, p->tok.at, p->tok.len);
        bool ok = true;
        if (w < 0) {
            ok = unknown_word(p, i);
        } else if (w >= PTX_WORD_MOD) {
            ok = add_mod(p, i, (enum ptx_mod)(w - PTX_WORD_MOD));
        } else if (i->n_types < PTX_MAX_TYPES) {
            i->types[i->n_types++] = (uint8_t)(w - PTX_WORD_TYPE);
        } else if (!ptx_refused_form(i)) {
            ok = ptx_fail(p, p->tok.line, p->tok.col, "an instruction has more than %d types",
                          PTX_MAX_TYPES);
        }
        if (!ok) return false;
        ptx_advance(p);
        if (w == PTX_WORD_MOD + PTX_MOD_const && !constant_bank(p)) return false;
    }
    return true;
}

// ---- operands -----------------------------------------------------------------------

static bool operands(struct ptx_parser *p, struct ptx_reading *r) {
    struct ptx_inst *i = &r->inst;
    if (i->op == PTX_OP_call) return ptx_operand_call(p, r);
    if (ptx_at(p, ';')) return true;
    do {
        if (i->n_operands == PTX_MAX_OPERANDS)
            return ptx_fail(p, p->tok.line, p->tok.col, "an instruction has more than %d operands",
                            PTX_MAX_OPERANDS);
        r->want = i->op == PTX_OP_bra                         ? PTX_WANT_LABEL
                  : i->op == PTX_OP_brx && i->n_operands == 1 ? PTX_WANT_LIST
                                                              : PTX_WANT_ADDRESS;
        if (!ptx_operand_read(p, r, i->n_operands)) return false;
        i->n_operands++;
    } while (ptx_accept(p, ','));
    return true;
}

static bool unknown_opcode(struct ptx_parser *p, const struct ptx_token *t) {
    const char *near = t->len < 60 ? ptx_nearest_op(arena_strndup(&p->temp, t->at, t->len)) : NULL;
    if (near)
        return ptx_fail(p, t->line, t->col, "unknown instruction %s; did you mean `%s`?",
                        ptx_tok_show(p, t), near);
    return ptx_fail(p, t->line, t->col, "unknown instruction %s", ptx_tok_show(p, t));
}

static void finish(struct ptx_parser *p, struct ptx_reading *r) {
    struct ptx_body *b = &p->body;
    struct ptx_inst *i = &r->inst;
    i->operand = arena_copy(p->arena, r->ops, i->n_operands * sizeof *r->ops);
    if (r->pending) vec_push(&p->body_temp, &b->pending_insts, b->insts.n);
    if (i->op == PTX_OP_call)
        vec_push(&p->temp, &p->calls,
                 ((struct ptx_call_site){.func = b->index, .inst = b->insts.n}));
    vec_push(&p->body_temp, &b->insts, *i);
}

bool ptx_instruction(struct ptx_parser *p) {
    struct ptx_reading r;
    r.inst = (struct ptx_inst){.guard = -1, .vector = 1};
    r.pending = false;
    r.n_sums = 0;
    if (!guard(p, &r.inst)) return false;
    const struct ptx_token t = p->tok;
    if (t.kind != PTX_TOK_IDENT) return ptx_fail_here(p, "an instruction");
    const int32_t op = names_get(&p->ops, t.at, t.len);
    if (op < 0) return unknown_opcode(p, &t);
    r.inst.op = (uint16_t)op;
    r.inst.loc = (struct ptx_loc){
        .line = t.line, .col = t.col, .src_line = p->body.src_line, .src_file = p->body.src_file};
    r.text = t.at;
    r.text_len = t.len;
    ptx_advance(p);
    if (!words(p, &r)) return false;
    if (ptx_check_refused(p, &r)) {
        ptx_recover(p); // its operands may be of a kind that is not known here
        return true;
    }
    if (!operands(p, &r) || !ptx_expect(p, ';', "after an instruction")) return false;
    if (!ptx_check_inst(p, &r)) return true;
    ptx_operand_sums(p, &r);
    finish(p, &r);
    return true;
}
