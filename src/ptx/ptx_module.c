// A whole text: the entry point, directives at module scope, and what goes wrong.
#include "ptx/ptx_parser.h"

#include <stdlib.h>

// ---- messages ---------------------------------------------------------------

const char *ptx_show(struct ptx_parser *p, const char *text, size_t len) {
    enum { SHOWN = 120 };
    char *s = arena_alloc(&p->temp, SHOWN + 8);
    size_t n = 0;
    s[n++] = '`';
    for (size_t i = 0; i < len && n <= SHOWN; i++)
        s[n++] = text[i] < ' ' || text[i] > '~' ? '?' : text[i];
    if (len > SHOWN) n += (size_t)snprintf(s + n, 4, "...");
    s[n] = '`';
    return s;
}

const char *ptx_tok_show(struct ptx_parser *p, const struct ptx_token *t) {
    switch (t->kind) {
    case PTX_TOK_END: return "the end of the text";
    case PTX_TOK_WORD: return ptx_show(p, t->at - 1, t->len + 1);
    case PTX_TOK_STRING: return "a string";
    default: return ptx_show(p, t->at, t->len);
    }
}

static void report(struct ptx_parser *p, enum diag_severity severity, enum ww_status status,
                   uint32_t line, uint32_t col, const char *fmt, va_list ap) {
    if (p->stopped || line == p->bad_line) return; // what follows a bad token means nothing
    char text[1024];
    vsnprintf(text, sizeof text, fmt, ap);
    diag_at(p->d, severity, status, p->m->name, p->m->text, line, col, "%s", text);
    if (severity != DIAG_ERROR) return;
    if (!p->errors++) p->status = status;
    if (p->errors < PTX_MAX_ERRORS) return;
    diag_at(p->d, DIAG_NOTE, WW_OK, p->m->name, NULL, line, col,
            "there may be more errors; the first %d are shown", PTX_MAX_ERRORS);
    p->stopped = true;
    p->lex.at = p->lex.end;
}

bool ptx_fail(struct ptx_parser *p, uint32_t line, uint32_t col, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    report(p, DIAG_ERROR, WW_ERROR_SYNTAX, line, col, fmt, ap);
    va_end(ap);
    return false;
}

static void keep_refusal(struct ptx_parser *p, struct ptx_func *f, uint32_t line, uint32_t col,
                         const char *fmt, va_list ap) {
    if (f->n_refused == PTX_MAX_ERRORS || line == p->bad_line) return;
    if (!f->refused) f->refused = arena_alloc(p->arena, PTX_MAX_ERRORS * sizeof *f->refused);
    char text[1024];
    vsnprintf(text, sizeof text, fmt, ap);
    f->refused[f->n_refused++] = (struct ptx_refusal){line, col, arena_strdup(p->arena, text)};
}

bool ptx_refuse(struct ptx_parser *p, uint32_t line, uint32_t col, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (p->lazy && p->body.func)
        keep_refusal(p, p->body.func, line, col, fmt, ap);
    else
        report(p, DIAG_ERROR, WW_ERROR_UNSUPPORTED, line, col, fmt, ap);
    va_end(ap);
    return false;
}

void ptx_warn(struct ptx_parser *p, uint32_t line, uint32_t col, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    report(p, DIAG_WARNING, WW_OK, line, col, fmt, ap);
    va_end(ap);
}

bool ptx_fail_here(struct ptx_parser *p, const char *expected) {
    return ptx_fail(p, p->tok.line, p->tok.col, "expected %s, found %s", expected,
                    ptx_tok_show(p, &p->tok));
}

// Some errors are found only at the end of a function or of the text: into the order of lines.
static void sort_errors(struct diags *d, uint32_t from) {
    for (uint32_t i = from + 1; i < d->list.n; i++) {
        const struct diag e = d->list.at[i];
        if (e.severity == DIAG_NOTE) break;
        uint32_t k = i;
        for (; k > from; k--) {
            const struct diag *before = &d->list.at[k - 1];
            if (before->line < e.line || (before->line == e.line && before->col <= e.col)) break;
            d->list.at[k] = *before;
        }
        d->list.at[k] = e;
    }
}

// ---- tokens -----------------------------------------------------------------

void ptx_advance(struct ptx_parser *p) {
    for (;;) {
        ptx_lex_next(&p->lex, &p->tok);
        if (p->tok.kind != PTX_TOK_BAD) return;
        ptx_fail(p, p->tok.line, p->tok.col, "%s", p->tok.message);
        p->bad_line = p->tok.line;
    }
}

bool ptx_accept(struct ptx_parser *p, uint8_t punct) {
    if (!ptx_at(p, punct)) return false;
    ptx_advance(p);
    return true;
}

bool ptx_expect(struct ptx_parser *p, uint8_t punct, const char *what) {
    if (ptx_accept(p, punct)) return true;
    return ptx_fail(p, p->tok.line, p->tok.col, "expected `%c` %s, found %s", punct, what,
                    ptx_tok_show(p, &p->tok));
}

char *ptx_tok_dup(struct ptx_parser *p, const struct ptx_token *t) {
    return arena_strndup(p->arena, t->at, t->len);
}

int ptx_tok_type(const struct ptx_parser *p) {
    if (p->tok.kind != PTX_TOK_WORD) return -1;
    const int32_t w = names_get(&p->words, p->tok.at, p->tok.len);
    return w >= 0 && w < PTX_WORD_MOD ? w - PTX_WORD_TYPE : -1;
}

// A statement is over at its semicolon. When that is what is missing, the next statement is known
// by its first word: a directive, a guard, an opcode or a closing brace that begins a line.
void ptx_recover(struct ptx_parser *p) {
    unsigned depth = 0;
    for (; p->tok.kind != PTX_TOK_END; ptx_advance(p)) {
        const struct ptx_token *t = &p->tok;
        if (t->first && (t->kind == PTX_TOK_WORD || ptx_at(p, '@') || ptx_at(p, '}') ||
                         (t->kind == PTX_TOK_IDENT && names_get(&p->ops, t->at, t->len) >= 0)))
            return;
        if (ptx_at(p, '{')) depth++;
        if (ptx_at(p, '}') && depth-- == 0) return;
        if (ptx_at(p, ';') && depth == 0) {
            ptx_advance(p);
            return;
        }
    }
}

// ---- directives that may stand anywhere ---------------------------------------

static bool expect_number(struct ptx_parser *p, const char *what, uint64_t max, uint64_t *out) {
    if (p->tok.kind != PTX_TOK_INT) return ptx_fail_here(p, what);
    if (p->tok.value > max)
        return ptx_fail(p, p->tok.line, p->tok.col, "%s is %llu; the limit is %llu", what,
                        (unsigned long long)p->tok.value, (unsigned long long)max);
    *out = p->tok.value;
    ptx_advance(p);
    return true;
}

// .file 1 "path" [, time, size]
static bool file_directive(struct ptx_parser *p) {
    uint64_t number = 0, ignored;
    if (!expect_number(p, "a file number", UINT32_MAX, &number)) return false;
    if (p->tok.kind != PTX_TOK_STRING) return ptx_fail_here(p, "a file name in quotes");
    vec_push(&p->temp, &p->files,
             ((struct ptx_file){.number = (uint32_t)number, .path = ptx_tok_dup(p, &p->tok)}));
    ptx_advance(p);
    while (ptx_accept(p, ','))
        if (!expect_number(p, "a number", UINT64_MAX, &ignored)) return false;
    return true;
}

// .loc file line column [, function_name label [+ n], inlined_at file line column]
static bool loc_directive(struct ptx_parser *p) {
    uint64_t file = 0, line = 0, ignored;
    if (!expect_number(p, "a file number", UINT32_MAX, &file) ||
        !expect_number(p, "a line number", UINT32_MAX, &line))
        return false;
    if (p->tok.kind == PTX_TOK_INT && !p->tok.first &&
        !expect_number(p, "a column", UINT64_MAX, &ignored))
        return false;
    p->body.src_file = file <= UINT16_MAX ? (uint16_t)file : 0;
    p->body.src_line = (uint32_t)line;
    while (ptx_accept(p, ',')) {
        if (p->tok.kind != PTX_TOK_IDENT) return ptx_fail_here(p, "function_name or inlined_at");
        ptx_advance(p);
        if (p->tok.kind == PTX_TOK_IDENT && !p->tok.first) ptx_advance(p);
        int64_t offset = 0;
        if (!ptx_expr_offset(p, &offset)) return false;
        while (p->tok.kind == PTX_TOK_INT && !p->tok.first)
            if (!expect_number(p, "a number", UINT64_MAX, &ignored)) return false;
    }
    return true;
}

static bool pragma_directive(struct ptx_parser *p) {
    do {
        if (p->tok.kind != PTX_TOK_STRING) return ptx_fail_here(p, "a pragma in quotes");
        ptx_advance(p);
    } while (ptx_accept(p, ','));
    ptx_accept(p, ';');
    return true;
}

// .section .debug_info { ... }: debug sections are not read.
static bool section_directive(struct ptx_parser *p) {
    const struct ptx_token t = p->tok;
    while (p->tok.kind != PTX_TOK_END && !ptx_at(p, '{')) {
        if (p->tok.kind == PTX_TOK_PUNCT && !ptx_at(p, ','))
            return ptx_fail_here(p, "a section name and `{`");
        ptx_advance(p);
    }
    if (p->tok.kind == PTX_TOK_END || !ptx_lex_skip_braces(&p->lex))
        return ptx_fail(p, t.line, t.col, "a section has no closing brace");
    ptx_advance(p);
    return true;
}

int ptx_common_directive(struct ptx_parser *p) {
    static const struct {
        const char *word;
        bool (*read)(struct ptx_parser *p);
    } table[] = {{"loc", loc_directive},
                 {"file", file_directive},
                 {"pragma", pragma_directive},
                 {"section", section_directive}};
    for (unsigned i = 0; i < WW_COUNT(table); i++)
        if (ptx_at_word(p, table[i].word)) {
            ptx_advance(p);
            return table[i].read(p) ? 1 : -1;
        }
    return 0;
}

// ---- module scope -------------------------------------------------------------

static bool version_directive(struct ptx_parser *p) {
    const struct ptx_token t = p->tok;
    unsigned major = 0, minor = 0;
    char text[16];
    snprintf(text, sizeof text, "%.*s", (int)(t.len < 15 ? t.len : 15), t.at);
    if ((t.kind != PTX_TOK_FLOAT && t.kind != PTX_TOK_INT) || t.is_exact ||
        sscanf(text, "%3u.%3u", &major, &minor) < 1)
        return ptx_fail_here(p, "a version such as 8.0");
    if (major < 1 || minor > 9)
        return ptx_fail(p, t.line, t.col, "PTX version %s does not exist; known are 1.0 to 9.0",
                        ptx_tok_show(p, &t));
    p->m->version = major * 10 + minor;
    if (p->m->version > 90)
        ptx_warn(p, t.line, t.col, "PTX version %u.%u is newer than the 9.0 that is known here",
                 major, minor);
    ptx_advance(p);
    return true;
}

// sm_90a, compute_75, sm_100f.
static bool target_name(const struct ptx_token *t, uint32_t *number) {
    static const uint8_t known[] = {10, 11, 12, 13,  20,  21,  30,  32,  35, 37, 50,
                                    52, 53, 60, 61,  62,  70,  72,  75,  80, 86, 87,
                                    88, 89, 90, 100, 101, 103, 110, 120, 121};
    const bool is_sm = t->len > 3 && !memcmp(t->at, "sm_", 3);
    if (!is_sm && (t->len <= 8 || memcmp(t->at, "compute_", 8) != 0)) return false;
    uint32_t v = 0, i = is_sm ? 3 : 8;
    for (; i < t->len && t->at[i] >= '0' && t->at[i] <= '9' && v < 1000; i++)
        v = v * 10 + (uint32_t)(t->at[i] - '0');
    if (i < t->len && v >= 90 && (t->at[i] == 'a' || t->at[i] == 'f')) i++;
    *number = v;
    return i == t->len && v < 256 && memchr(known, (int)v, sizeof known);
}

static bool target_directive(struct ptx_parser *p) {
    do {
        const struct ptx_token t = p->tok;
        if (t.kind != PTX_TOK_IDENT) return ptx_fail_here(p, "a target such as sm_75");
        uint32_t number;
        if (target_name(&t, &number)) {
            p->m->target = number;
            p->m->target_at = (struct ptx_loc){.line = t.line, .col = t.col};
            p->has_target = true;
        } else if (ptx_tok_is(&t, "map_f64_to_f32")) {
            p->m->map_f64_to_f32 = true;
        } else if (ptx_tok_is(&t, "texmode_independent")) {
            p->m->texmode_independent = true;
        } else if (ptx_tok_is(&t, "debug")) {
            p->m->debug = true;
        } else if (!ptx_tok_is(&t, "texmode_unified")) {
            return ptx_fail(p, t.line, t.col,
                            "%s is no target; expected sm_10 to sm_121, debug, map_f64_to_f32, "
                            "texmode_independent or texmode_unified",
                            ptx_tok_show(p, &t));
        }
        ptx_advance(p);
    } while (ptx_accept(p, ','));
    return true;
}

static bool address_size_directive(struct ptx_parser *p) {
    const struct ptx_token t = p->tok;
    uint64_t bits = 0;
    if (!expect_number(p, "an address size", UINT32_MAX, &bits)) return false;
    if (bits != 32 && bits != 64)
        return ptx_fail(p, t.line, t.col, "an address has 32 or 64 bits, not %llu",
                        (unsigned long long)bits);
    p->m->address_size = (uint32_t)bits;
    p->has_address_size = true;
    return true;
}

// .alias this, that;
static bool alias_directive(struct ptx_parser *p) {
    const struct ptx_token alias = p->tok;
    if (alias.kind != PTX_TOK_IDENT) return ptx_fail_here(p, "the name of a function");
    ptx_advance(p);
    if (!ptx_expect(p, ',', "between an alias and its function")) return false;
    const struct ptx_token target = p->tok;
    if (target.kind != PTX_TOK_IDENT) return ptx_fail_here(p, "the name of a function");
    ptx_advance(p);
    const struct ptx_symbol *s = ptx_global_find(p, alias.at, alias.len);
    if (!s || s->kind != PTX_SYM_FUNC)
        return ptx_fail(p, alias.line, alias.col, "the alias %s was not declared as a function",
                        ptx_tok_show(p, &alias));
    vec_push(&p->temp, &p->aliases,
             ((struct ptx_alias){.alias = s->index,
                                 .name = target.at,
                                 .len = target.len,
                                 .line = target.line,
                                 .col = target.col}));
    return ptx_expect(p, ';', "after the alias");
}

static bool top_statement(struct ptx_parser *p) {
    static const struct {
        const char *word;
        bool (*read)(struct ptx_parser *p);
    } table[] = {{"version", version_directive},
                 {"target", target_directive},
                 {"address_size", address_size_directive},
                 {"alias", alias_directive}};
    if (ptx_accept(p, ';')) return true;
    if (p->tok.kind != PTX_TOK_WORD) return ptx_fail_here(p, "a directive");
    for (unsigned i = 0; i < WW_COUNT(table); i++)
        if (ptx_at_word(p, table[i].word)) {
            ptx_advance(p);
            return table[i].read(p);
        }
    const int common = ptx_common_directive(p);
    if (common) return common > 0;
    struct ptx_linkage l = {0};
    ptx_linkage(p, &l);
    if (ptx_at_word(p, "entry") || ptx_at_word(p, "func")) return ptx_func_decl(p, &l);
    if (ptx_starts_var(p)) return ptx_var_decl(p, &l);
    return ptx_fail_here(p, "a function, a variable or a directive");
}

static void whole_text(struct ptx_parser *p) {
    ptx_advance(p);
    if (!ptx_at_word(p, "version")) ptx_fail_here(p, "`.version` at the beginning");
    while (p->tok.kind != PTX_TOK_END) {
        const char *before = p->tok.at;
        if (top_statement(p)) continue;
        if (p->tok.at == before) ptx_advance(p);
        ptx_recover(p);
        while (ptx_at(p, '}')) {
            ptx_advance(p);
            ptx_recover(p);
        }
    }
    if (!p->has_target && !p->errors)
        ptx_fail(p, 1, 1, "there is no `.target`; expected one such as `.target sm_75`");
    ptx_resolve_module(p);
}

// ---- entry points -------------------------------------------------------------

// False when memory runs out, from wherever in the parser that is.
static bool read_text(struct ptx_parser *p, const char *name, const char *text, size_t len) {
    if (setjmp(p->oom)) return false;
    p->m->name = arena_strdup(p->arena, name);
    p->m->text = arena_strndup(p->arena, text, len);
    p->text_len = len;
    ptx_tables_load(p);
    names_init(&p->globals, &p->temp);
    ptx_lex_init(&p->lex, p->m->text, len);
    whole_text(p);
    return true;
}

static enum ww_status parse(const char *name, const char *text, size_t len, bool lazy,
                            const struct ww_allocator *allocator, struct diags *d,
                            struct ptx_module **out) {
    *out = NULL;
    while (len && !text[len - 1]) len--;
    if (!name) name = "(ptx)";
    if (len > PTX_MAX_TEXT)
        return diag_add(d, WW_ERROR_LIMIT, "%s has %zu bytes; PTX of more than 1 GiB is not read",
                        name, len);
    const uint32_t first = d->list.n;
    struct arena arena;
    arena_init(&arena, allocator);
    struct ptx_module *m = arena_alloc(&arena, sizeof *m);
    struct ptx_parser *p = m ? arena_alloc(&arena, sizeof *p) : NULL;
    if (!p) {
        arena_free(&arena);
        return diag_add(d, WW_ERROR_MEMORY, "out of memory while reading %s", name);
    }
    m->arena = arena;
    p->m = m;
    p->d = d;
    p->lazy = lazy;
    p->arena = &m->arena;
    arena_init(&p->temp, allocator);
    arena_init(&p->body_temp, allocator);
    p->arena->oom = p->temp.oom = p->body_temp.oom = &p->oom;
    const bool out_of_memory = !read_text(p, name, text, len);
    arena_free(&p->body_temp);
    arena_free(&p->temp);
    sort_errors(d, first);
    const enum ww_status status = p->status;
    if (out_of_memory) diag_add(d, WW_ERROR_MEMORY, "out of memory while reading %s", name);
    if (out_of_memory || status != WW_OK) {
        ptx_free(m);
        return out_of_memory ? WW_ERROR_MEMORY : status;
    }
    m->arena.oom = NULL;
    *out = m;
    return WW_OK;
}

enum ww_status ptx_parse(const char *name, const char *text, size_t len,
                         const struct ww_allocator *allocator, struct diags *d,
                         struct ptx_module **out) {
    return parse(name, text, len, false, allocator, d, out);
}

enum ww_status ptx_parse_lazily(const char *name, const char *text, size_t len,
                                const struct ww_allocator *allocator, struct diags *d,
                                struct ptx_module **out) {
    return parse(name, text, len, true, allocator, d, out);
}

void ptx_free(struct ptx_module *m) {
    if (!m) return;
    struct arena arena = m->arena; // the module lives inside its own arena
    arena_free(&arena);
}

const struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name) {
    const int32_t i = names_get(&m->func_names, name, strlen(name));
    return i < 0 ? NULL : m->funcs[i];
}

const struct ptx_var *ptx_find_var(const struct ptx_module *m, const char *name) {
    const int32_t i = names_get(&m->var_names, name, strlen(name));
    return i < 0 ? NULL : m->vars[i];
}
