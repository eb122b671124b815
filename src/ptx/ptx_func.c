// Functions: header, performance directives, body, and the labelled lists that indirect calls and
// branches use. Declarations are merged with definitions: one function, one index.
#include "ptx/ptx_parser.h"

// ---- parameters -----------------------------------------------------------------

typedef VEC(struct ptx_var *) var_list;

// An array without a size takes whatever further arguments a call has: the last parameter may be
// one, and no result.
static bool check_open(struct ptx_parser *p, const var_list *list, bool results) {
    for (uint32_t k = 0; k + !results < list->n; k++) {
        const struct ptx_var *v = list->at[k];
        if (v->is_array && !v->bytes)
            return ptx_fail(p, v->line, v->col,
                            "the array `%s` has no size; only the last parameter may leave it out",
                            v->name);
    }
    return true;
}

// `( .param .u32 a, .param .u64 b )`, already at the parenthesis. `named`: the names are declared.
static bool parameters(struct ptx_parser *p, bool named, bool results, var_list *list) {
    ptx_advance(p);
    while (!ptx_at(p, ')')) {
        const struct ptx_token at = p->tok;
        struct ptx_var *v;
        if (!ptx_var_param(p, named, &v)) return false;
        if (list->n >= PTX_MAX_ARGS)
            return ptx_fail(p, at.line, at.col, "a function has more than %d parameters",
                            PTX_MAX_ARGS);
        vec_push(&p->temp, list, v);
        if (!ptx_accept(p, ',')) break;
    }
    return ptx_expect(p, ')', "after the parameters") && check_open(p, list, results);
}

static struct ptx_var **keep(struct ptx_parser *p, const var_list *list) {
    return arena_copy(p->arena, list->at, list->n * sizeof *list->at);
}

// ---- directives between header and body -----------------------------------------

static bool dimensions(struct ptx_parser *p, const char *what, uint32_t *out, unsigned n) {
    for (unsigned i = 0; i < n; i++) out[i] = 1;
    unsigned given = 0;
    do {
        uint64_t v;
        if (given == n)
            return ptx_fail(p, p->tok.line, p->tok.col, "%s has more than %u dimensions", what, n);
        if (!ptx_expr_u64(p, what, INT32_MAX, &v)) return false;
        out[given++] = (uint32_t)v;
    } while (ptx_accept(p, ','));
    return true;
}

static bool one_number(struct ptx_parser *p, const char *what, uint32_t *out) {
    uint64_t v;
    if (!ptx_expr_u64(p, what, INT32_MAX, &v)) return false;
    *out = (uint32_t)v;
    return true;
}

// Reads one directive of a header. 0: not one, 1: done, -1: error.
static int header_directive(struct ptx_parser *p, struct ptx_func *f) {
    const struct ptx_token t = p->tok;
    if (t.kind != PTX_TOK_WORD) return 0;
    if (ptx_at_word(p, "pragma")) return ptx_common_directive(p);
    uint32_t ignored;
    const struct {
        const char *word;
        uint32_t *out;
        unsigned n; // numbers at most
    } numbers[] = {{"maxntid", f->maxntid, 3},
                   {"reqntid", f->reqntid, 3},
                   {"minnctapersm", &f->minnctapersm, 1},
                   {"maxnctapersm", &f->maxnctapersm, 1},
                   {"maxnreg", &f->maxnreg, 1},
                   {"reqnctapercluster", f->reqnctapercluster, 3},
                   {"maxclusterrank", &f->maxclusterrank, 1},
                   {"abi_preserve", &ignored, 1},
                   {"abi_preserve_control", &ignored, 1}};
    for (unsigned i = 0; i < WW_COUNT(numbers); i++)
        if (ptx_at_word(p, numbers[i].word)) {
            ptx_advance(p);
            const bool ok = numbers[i].n > 1
                                ? dimensions(p, numbers[i].word, numbers[i].out, numbers[i].n)
                                : one_number(p, numbers[i].word, numbers[i].out);
            return ok ? 1 : -1;
        }
    if (ptx_at_word(p, "noreturn"))
        f->is_noreturn = true;
    else if (ptx_at_word(p, "explicitcluster"))
        f->is_explicit_cluster = true;
    else if (ptx_at_word(p, "blocksareclusters"))
        f->blocks_are_clusters = true;
    else if (!ptx_at_word(p, "unique"))
        return 0;
    ptx_advance(p);
    return 1;
}

static bool header_directives(struct ptx_parser *p, struct ptx_func *f) {
    for (;;) {
        const int found = header_directive(p, f);
        if (found <= 0) return found == 0;
    }
}

// ---- .callprototype, .branchtargets, .calltargets -------------------------------

// `name: .callprototype (.param .b32 _) _ (.param .b64 _);`
static bool call_prototype(struct ptx_parser *p, const struct ptx_token *name) {
    struct ptx_func *f = arena_alloc(p->arena, sizeof *f);
    f->name = ptx_tok_dup(p, name);
    f->is_prototype = true;
    f->alias_of = -1;
    f->line = name->line;
    f->col = name->col;
    var_list results = {0}, params = {0};
    bool ok = !ptx_at(p, '(') || parameters(p, false, true, &results);
    if (ok && p->tok.kind != PTX_TOK_IDENT) ok = ptx_fail_here(p, "`_` in a prototype");
    if (ok) ptx_advance(p);
    ok = ok && (!ptx_at(p, '(') || parameters(p, false, false, &params));
    if (!ok || !header_directives(p, f) || !ptx_expect(p, ';', "after the prototype")) return false;
    f->results = keep(p, &results);
    f->n_results = results.n;
    f->params = keep(p, &params);
    f->n_params = params.n;
    vec_push(&p->temp, &p->protos, f);
    return ptx_scope_declare(
        p, name, (struct ptx_symbol){.kind = PTX_SYM_PROTO, .index = (int32_t)p->protos.n - 1});
}

// `name: .branchtargets a, b, c;`. Names are resolved at the end of function or module.
static bool target_list(struct ptx_parser *p, const struct ptx_token *name, bool calls) {
    VEC(struct ptx_token) names = {0};
    do {
        if (p->tok.kind != PTX_TOK_IDENT) return ptx_fail_here(p, calls ? "a function" : "a label");
        vec_push(&p->body_temp, &names, p->tok);
        ptx_advance(p);
        // `L<3>` stands for L0, L1, L2; nothing emits it.
        if (ptx_at(p, '<'))
            return ptx_refuse(p, p->tok.line, p->tok.col,
                              "a range of labels is not supported: write them one by one");
    } while (ptx_accept(p, ','));
    if (!ptx_expect(p, ';', "after the targets")) return false;
    struct ptx_targets t = {.name = ptx_tok_dup(p, name), .calls = calls, .n = names.n};
    t.target = arena_alloc(p->arena, names.n * sizeof *t.target);
    for (uint32_t i = 0; i < names.n; i++) {
        const struct ptx_token *n = &names.at[i];
        t.target[i] = -1;
        if (calls) {
            vec_push(&p->temp, &p->fixups,
                     ((struct ptx_fixup){.name = n->at,
                                         .len = n->len,
                                         .line = n->line,
                                         .col = n->col,
                                         .target = &t.target[i],
                                         .want = PTX_WANT_FUNC}));
        } else {
            vec_push(&p->body_temp, &p->body.pending,
                     ((struct ptx_pending){.name = n->at,
                                           .len = n->len,
                                           .line = n->line,
                                           .col = n->col,
                                           .want = PTX_WANT_LABEL,
                                           .scope = p->body.scope,
                                           .target = &t.target[i]}));
        }
    }
    vec_push(&p->body_temp, &p->body.targets, t);
    return ptx_scope_declare(
        p, name,
        (struct ptx_symbol){.kind = PTX_SYM_TARGETS, .index = (int32_t)p->body.targets.n - 1});
}

// ---- bodies ---------------------------------------------------------------------

// At a name with a colon behind it.
static bool label(struct ptx_parser *p) {
    const struct ptx_token name = p->tok;
    struct ptx_body *b = &p->body;
    ptx_advance(p);
    ptx_advance(p);
    if (ptx_at_word(p, "callprototype")) {
        ptx_advance(p);
        return call_prototype(p, &name);
    }
    if (ptx_at_word(p, "branchtargets") || ptx_at_word(p, "calltargets")) {
        const bool calls = ptx_at_word(p, "calltargets");
        ptx_advance(p);
        return target_list(p, &name, calls);
    }
    const int32_t old = names_get(&b->scope->labels, name.at, name.len);
    if (old >= 0)
        return ptx_fail(p, name.line, name.col, "label %s is defined twice",
                        ptx_tok_show(p, &name));
    names_put(&b->scope->labels, name.at, name.len, (int32_t)b->labels.n);
    vec_push(&p->body_temp, &b->labels,
             ((struct ptx_label){.name = ptx_tok_dup(p, &name), .inst = b->insts.n}));
    return true;
}

static bool body_directive(struct ptx_parser *p) {
    const int common = ptx_common_directive(p);
    if (common) return common > 0;
    struct ptx_linkage l = {0};
    ptx_linkage(p, &l);
    if (ptx_starts_var(p)) return ptx_var_decl(p, &l);
    return ptx_fail_here(p, "an instruction or a declaration");
}

static bool statement(struct ptx_parser *p) {
    if (ptx_accept(p, ';')) return true;
    if (p->tok.kind == PTX_TOK_WORD) return body_directive(p);
    if (p->tok.kind == PTX_TOK_IDENT && ptx_lex_peek(&p->lex) == ':') return label(p);
    if (p->tok.kind == PTX_TOK_IDENT || ptx_at(p, '@')) return ptx_instruction(p);
    return ptx_fail_here(p, "an instruction");
}

// From the opening brace past the closing one. The parameters are in the body's own scope.
static void body(struct ptx_parser *p, const struct ptx_token *open) {
    const uint32_t outside = p->body.depth - 1;
    ptx_advance(p);
    while (p->body.depth > outside) {
        if (p->tok.kind == PTX_TOK_END) {
            ptx_fail(p, open->line, open->col, "the text ends before this brace of `%s` is closed",
                     p->body.func->name);
            return;
        }
        if (ptx_at(p, '{')) {
            if (p->body.depth >= PTX_MAX_SCOPES) {
                ptx_fail(p, p->tok.line, p->tok.col, "braces are nested more than %d deep",
                         PTX_MAX_SCOPES);
                p->stopped = true;
                p->lex.at = p->lex.end;
            } else {
                ptx_scope_push(p);
            }
            ptx_advance(p);
        } else if (ptx_at(p, '}')) {
            ptx_scope_pop(p);
            ptx_advance(p);
        } else {
            const char *before = p->tok.at;
            if (statement(p)) continue;
            if (p->tok.at == before) ptx_advance(p);
            ptx_recover(p);
        }
    }
}

// ---- functions ------------------------------------------------------------------

// Whether a definition is what was declared.
static bool same_signature(struct ptx_parser *p, const struct ptx_func *old,
                           const struct ptx_func *f) {
    if (old->n_params != f->n_params || old->n_results != f->n_results)
        return ptx_fail(p, f->line, f->col,
                        "`%s` has %u parameters and %u results here, and %u and %u on line %u",
                        f->name, f->n_params, f->n_results, old->n_params, old->n_results,
                        old->line);
    for (uint32_t i = 0; i < f->n_params; i++)
        if (old->params[i]->bytes != f->params[i]->bytes)
            return ptx_fail(p, f->params[i]->line, f->params[i]->col,
                            "parameter %u of `%s` has %llu bytes here and %llu on line %u", i + 1,
                            f->name, (unsigned long long)f->params[i]->bytes,
                            (unsigned long long)old->params[i]->bytes, old->line);
    for (uint32_t i = 0; i < f->n_results; i++)
        if (old->results[i]->bytes != f->results[i]->bytes)
            return ptx_fail(p, f->results[i]->line, f->results[i]->col,
                            "the result of `%s` has %llu bytes here and %llu on line %u", f->name,
                            (unsigned long long)f->results[i]->bytes,
                            (unsigned long long)old->results[i]->bytes, old->line);
    return true;
}

// Finds or makes the function of that name; NULL when the name is something else's.
static struct ptx_func *enter(struct ptx_parser *p, const struct ptx_token *name, bool is_entry) {
    const struct ptx_symbol *s = ptx_global_find(p, name->at, name->len);
    if (s && s->kind != PTX_SYM_FUNC) {
        ptx_fail(p, name->line, name->col, "%s is declared twice; the first is on line %u",
                 ptx_tok_show(p, name), s->line);
        return NULL;
    }
    if (s) {
        p->body.index = s->index;
        return p->funcs.at[s->index];
    }
    struct ptx_func *f = arena_alloc(p->arena, sizeof *f);
    f->name = ptx_tok_dup(p, name);
    f->is_entry = is_entry;
    f->line = name->line;
    f->col = name->col;
    f->alias_of = -1;
    vec_push(&p->temp, &p->funcs, f);
    p->body.index = (int32_t)p->funcs.n - 1;
    ptx_global_declare(
        p, name->at, name->len,
        (struct ptx_symbol){.kind = PTX_SYM_FUNC, .index = p->body.index, .line = name->line});
    return f;
}

struct header {
    struct ptx_func *func; // in the module
    struct ptx_func read;  // what this declaration says
    bool is_repeated;      // a weak definition that is not needed: there was one
};

// From behind .entry or .func to the brace or semicolon. Parameters go into the function's scope.
static bool header(struct ptx_parser *p, struct header *h, bool is_entry) {
    var_list results = {0}, params = {0};
    if (ptx_at_word(p, "attribute")) { // .attribute(.unified(a, b))
        while (p->tok.kind != PTX_TOK_END && !ptx_at(p, ')')) ptx_advance(p);
        while (ptx_at(p, ')')) ptx_advance(p);
    }
    if (ptx_at(p, '(') && !parameters(p, true, true, &results)) return false;
    const struct ptx_token name = p->tok;
    if (name.kind != PTX_TOK_IDENT)
        return ptx_fail_here(p, is_entry ? "the name of a kernel" : "the name of a function");
    ptx_advance(p);
    h->func = enter(p, &name, is_entry);
    if (!h->func) return false;
    p->body.func = h->func;
    if (ptx_at(p, '(') && !parameters(p, true, false, &params)) return false;
    h->read = (struct ptx_func){.name = h->func->name, .line = name.line, .col = name.col};
    h->read.results = keep(p, &results);
    h->read.n_results = results.n;
    h->read.params = keep(p, &params);
    h->read.n_params = params.n;
    return header_directives(p, &h->read);
}

// What this declaration adds to the function.
static bool adopt(struct ptx_parser *p, struct header *h, const struct ptx_linkage *l,
                  bool is_entry, bool is_new) {
    struct ptx_func *f = h->func;
    const struct ptx_func *r = &h->read;
    bool defines = ptx_at(p, '{');
    if (f->is_entry != is_entry)
        return ptx_fail(p, r->line, r->col, "`%s` is a %s here and a %s on line %u", f->name,
                        is_entry ? "kernel" : "function", is_entry ? "function" : "kernel",
                        f->line);
    // units that were linked may each bring a template's code along: of weak definitions the first
    // counts, and one that is not weak before all of them
    const bool again = defines && f->has_body, yields = again && f->is_weak && !l->is_weak;
    h->is_repeated = again && l->is_weak;
    if (h->is_repeated) defines = false;
    if (again && !h->is_repeated && !yields)
        return ptx_fail(p, r->line, r->col, "`%s` is defined twice; the first is on line %u",
                        f->name, f->line);
    if (!is_new && !same_signature(p, f, r)) return false;
    if (is_new || defines) {
        for (uint32_t i = 0; i < r->n_params; i++) r->params[i]->function = p->body.index;
        for (uint32_t i = 0; i < r->n_results; i++) r->results[i]->function = p->body.index;
        f->params = r->params;
        f->results = r->results;
        f->n_params = r->n_params;
        f->n_results = r->n_results;
        f->line = r->line;
        f->col = r->col;
        memcpy(f->maxntid, r->maxntid, sizeof f->maxntid);
        memcpy(f->reqntid, r->reqntid, sizeof f->reqntid);
        f->minnctapersm = r->minnctapersm;
        f->maxnctapersm = r->maxnctapersm;
        f->maxnreg = r->maxnreg;
        memcpy(f->reqnctapercluster, r->reqnctapercluster, sizeof f->reqnctapercluster);
        f->maxclusterrank = r->maxclusterrank;
        f->is_explicit_cluster = r->is_explicit_cluster;
        f->blocks_are_clusters = r->blocks_are_clusters;
    }
    f->is_noreturn |= r->is_noreturn;
    f->is_visible |= l->is_visible;
    if (yields) f->n_refused = 0;
    f->is_weak = !yields && (f->is_weak || (l->is_weak && !h->is_repeated));
    f->is_extern = !defines && !f->has_body && (l->is_extern || f->is_extern);
    f->has_body |= defines;
    return true;
}

static void begin(struct ptx_parser *p) {
    arena_free(&p->body_temp);
    p->body = (struct ptx_body){.index = -1};
    ptx_scope_push(p);
    if (!p->module_regs.n) return;
    for (uint32_t i = 0; i < p->module_regs.n; i++) {
        const struct ptx_module_reg *r = &p->module_regs.at[i];
        ptx_var_reg(p, &r->name, r->symbol);
    }
    p->body.scope->is_module = true;
    ptx_scope_push(p);
}

static void finish(struct ptx_parser *p) {
    struct ptx_body *b = &p->body;
    struct ptx_func *f = b->func;
    f->regs = arena_copy(p->arena, b->regs.at, b->regs.n * sizeof *f->regs);
    f->n_regs = b->regs.n;
    f->vars = arena_copy(p->arena, b->vars.at, b->vars.n * sizeof *f->vars);
    f->n_vars = b->vars.n;
    f->insts = arena_copy(p->arena, b->insts.at, b->insts.n * sizeof *f->insts);
    f->n_insts = b->insts.n;
    f->labels = arena_copy(p->arena, b->labels.at, b->labels.n * sizeof *f->labels);
    f->n_labels = b->labels.n;
    f->targets = arena_copy(p->arena, b->targets.at, b->targets.n * sizeof *f->targets);
    f->n_targets = b->targets.n;
    ptx_resolve_body(p);
}

// After an error in a header: past the semicolon or the whole body.
static void skip_function(struct ptx_parser *p) {
    while (p->tok.kind != PTX_TOK_END && !ptx_at(p, ';') && !ptx_at(p, '{')) ptx_advance(p);
    if (ptx_at(p, '{')) ptx_lex_skip_braces(&p->lex);
    if (p->tok.kind != PTX_TOK_END) ptx_advance(p);
}

bool ptx_func_decl(struct ptx_parser *p, const struct ptx_linkage *l) {
    const bool is_entry = ptx_at_word(p, "entry");
    const uint32_t known = p->funcs.n;
    struct header h = {0};
    ptx_advance(p);
    begin(p);
    bool ok = header(p, &h, is_entry) && adopt(p, &h, l, is_entry, p->funcs.n > known);
    // The compilers of 2010 wrote declarations without a semicolon.
    const bool declared = p->tok.kind == PTX_TOK_WORD && p->tok.first;
    if (ok && !declared && !ptx_at(p, '{') && !ptx_at(p, ';'))
        ok = ptx_fail_here(p, "`{` or `;` after the header of a function");
    if (!ok || h.is_repeated) {
        skip_function(p);
    } else if (ptx_at(p, '{')) {
        const struct ptx_token open = p->tok;
        body(p, &open);
        finish(p);
    } else if (!declared) {
        ptx_advance(p);
    }
    p->body.func = NULL;
    return true;
}
