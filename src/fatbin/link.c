// Several PTX texts as one, for units that nvcc compiled to be linked. Texts are joined, not
// understood: of the language only the outline is known, which is directives at the beginning of a
// line, and declarations at module scope.
//
// A name without .visible, .extern, .weak or .common belongs to its unit alone: nvcc calls the
// strings of every unit `$str`. Where another unit has the same name, it is given the unit's
// number. Kernels keep their names, under which the program asks for them.
#include "fatbin/fatbin.h"

// ---- tokens -------------------------------------------------------------------------------------
enum token { TOKEN_END, TOKEN_NAME, TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_PUNCT };

struct scan {
    const char *at, *end; // what is not read yet
    const char *from;     // the token in hand: [from, at)
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '$' || c == '%';
}

static void skip_comment(struct scan *s) {
    const char *const close = s->at[1] == '/' ? "\n" : "*/";
    const char *const found = memmem(s->at + 2, (size_t)(s->end - s->at - 2), close, strlen(close));
    s->at = found ? found + strlen(close) : s->end;
}

static bool at_comment(const struct scan *s) {
    return s->end - s->at >= 2 && s->at[0] == '/' && (s->at[1] == '/' || s->at[1] == '*');
}

static enum token next(struct scan *s) {
    while (s->at < s->end) {
        if (at_comment(s))
            skip_comment(s);
        else if (*s->at > ' ')
            break;
        else
            s->at++;
    }
    s->from = s->at;
    if (s->at == s->end) return TOKEN_END;
    const char first = *s->at++;
    if (first == '"') {
        while (s->at < s->end && *s->at != '"' && *s->at != '\n') s->at++;
        if (s->at < s->end) s->at++;
        return TOKEN_STRING;
    }
    if (!is_word(first) && first != '.') return TOKEN_PUNCT;
    while (s->at < s->end && (is_word(*s->at) || (is_digit(first) && *s->at == '.'))) s->at++;
    return is_digit(first) ? TOKEN_NUMBER : first == '.' ? TOKEN_WORD : TOKEN_NAME;
}

static bool token_is(const struct scan *s, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if ((size_t)(s->at - s->from) == strlen(words[i]) &&
            memcmp(s->from, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

// ---- what a unit declares -----------------------------------------------------------------------
struct declared {
    const char *name;
    size_t len;
    bool linked; // some declaration has linkage: it is every unit's
};

struct unit {
    const char *text;
    size_t len;
    struct names names; // to declared
    VEC(struct declared) declared;
    struct names renamed; // to new_name
    VEC(const char *) new_name;
};

struct linker {
    struct arena *arena;
    struct unit *unit;
    uint32_t n;
    struct names all; // to the unit that declares the name, or MANY
};
enum { MANY = INT32_MAX };

static void declare(struct linker *k, uint32_t i, const char *name, size_t len, bool linked) {
    struct unit *const u = &k->unit[i];
    const int32_t old = names_get(&u->names, name, len);
    if (old >= 0) {
        u->declared.at[old].linked |= linked;
        return;
    }
    names_put(&u->names, name, len, (int32_t)u->declared.n);
    vec_push(k->arena, &u->declared, ((struct declared){name, len, linked}));
    const int32_t other = names_get(&k->all, name, len);
    names_put(&k->all, name, len, other < 0 ? (int32_t)i : MANY);
}

// Past what the bracket in hand opens.
static void skip_nested(struct scan *s) {
    for (uint32_t depth = 1; depth;) {
        const enum token t = next(s);
        if (t == TOKEN_END) return;
        if (t != TOKEN_PUNCT) continue;
        if (strchr("([{", *s->from)) depth++;
        if (strchr(")]}", *s->from)) depth--;
    }
}

// Declarations at module scope. A function's name is the first behind .func or .entry, its results
// in parentheses apart; a variable's is the first behind its state space and each comma.
static void read_declarations(struct linker *k, uint32_t i) {
    static const char *const linkage[] = {".visible", ".extern", ".weak", ".common"};
    static const char *const function[] = {".func", ".entry"};
    static const char *const space[] = {".global", ".const", ".shared", ".local", ".tex"};
    const struct unit *const u = &k->unit[i];
    struct scan s = {.at = u->text, .end = u->text + u->len};
    bool linked = false, awaited = false, is_variable = false;
    for (enum token t; (t = next(&s)) != TOKEN_END;) {
        const size_t len = (size_t)(s.at - s.from);
        if (t == TOKEN_WORD) {
            linked |= token_is(&s, linkage, WW_COUNT(linkage));
            const bool is_function = token_is(&s, function, WW_COUNT(function));
            if (!is_function && !token_is(&s, space, WW_COUNT(space))) continue;
            linked |= is_function && s.from[1] == 'e'; // kernels are asked for by name
            is_variable = !is_function;
            awaited = true;
        } else if (t == TOKEN_NAME && awaited) {
            const bool is_range = s.at < s.end && *s.at == '<';
            if (!is_range) declare(k, i, s.from, len, linked);
            awaited = false;
        } else if (t == TOKEN_PUNCT) {
            const char c = *s.from;
            if (strchr("([{", c)) skip_nested(&s);
            if (c == ',') awaited = is_variable;
            if (c == ';' || (c == '{' && !is_variable)) linked = awaited = is_variable = false;
        }
    }
}

// ---- names of their own -------------------------------------------------------------------------
static void rename_clashes(struct linker *k) {
    for (uint32_t i = 0; i < k->n; i++) {
        struct unit *const u = &k->unit[i];
        for (uint32_t j = 0; j < u->declared.n; j++) {
            const struct declared *const d = &u->declared.at[j];
            if (d->linked || names_get(&k->all, d->name, d->len) != MANY) continue;
            const char *name = arena_printf(k->arena, "%.*s$unit%u", (int)d->len, d->name, i);
            while (names_get(&k->all, name, strlen(name)) >= 0)
                name = arena_printf(k->arena, "%s$", name);
            names_put(&k->all, name, strlen(name), (int32_t)i);
            names_put(&u->renamed, d->name, d->len, (int32_t)u->new_name.n);
            vec_push(k->arena, &u->new_name, name);
        }
    }
}

// The unit with its new names into `out` (NULL: only its length).
static size_t put_unit(const struct unit *u, char *out) {
    size_t n = 0;
    const char *kept = u->text; // what is not copied yet
    struct scan s = {.at = u->text, .end = u->text + u->len};
    for (enum token t; u->new_name.n && (t = next(&s)) != TOKEN_END;) {
        if (t != TOKEN_NAME) continue;
        const int32_t to = names_get(&u->renamed, s.from, (size_t)(s.at - s.from));
        if (to < 0) continue;
        const char *const name = u->new_name.at[to];
        const size_t before = (size_t)(s.from - kept), len = strlen(name);
        if (out) memcpy(out + n, kept, before);
        if (out) memcpy(out + n + before, name, len);
        n += before + len;
        kept = s.at;
    }
    const size_t rest = (size_t)(u->text + u->len - kept);
    if (out && rest) memcpy(out + n, kept, rest);
    return n + rest;
}

// ---- lines --------------------------------------------------------------------------------------
enum { HEADER_VERSION, HEADER_TARGET, HEADER_ADDRESS_SIZE };
static const char *const header[] = {".version", ".target", ".address_size"};

struct line {
    const char *at;
    size_t len; // with its newline
};

static bool next_line(struct line *l, const char **p, const char *end) {
    if (*p >= end) return false;
    const char *nl = memchr(*p, '\n', (size_t)(end - *p));
    *l = (struct line){*p, nl ? (size_t)(nl - *p) + 1 : (size_t)(end - *p)};
    *p += l->len;
    return true;
}

// The line begins with this directive (blanks before it do not count).
static bool is_directive(const struct line *l, const char *word) {
    size_t i = 0, n = strlen(word);
    while (i < l->len && (l->at[i] == ' ' || l->at[i] == '\t')) i++;
    return l->len - i > n && memcmp(l->at + i, word, n) == 0 && !is_word(l->at[i + n]);
}

// Number behind a header directive: `.version 9.0` is 90, `.target sm_75` 75.
static uint32_t header_number(const struct line *l) {
    uint32_t n = 0;
    for (size_t i = 0; i < l->len && l->at[i] != ','; i++)
        if (l->at[i] >= '0' && l->at[i] <= '9') n = n * 10 + (uint32_t)(l->at[i] - '0');
    return n;
}

// Of the units' headers the whole has the newest version and the earliest target: a library may hold PTX for a later
// GPU alone, as the device runtime of CUDA 13 does (sm_121).
static bool comes_before(size_t h, const struct line *l, const struct line *other) {
    const uint32_t a = header_number(l), b = header_number(other);
    return h == HEADER_TARGET ? a < b : a > b;
}

// A unit without its header, its line table and its debug sections, which refer to .file numbers of
// their own unit.
static struct unit strip(struct arena *a, const char *text, size_t len) {
    struct unit u = {.text = arena_alloc(a, len + 1)};
    names_init(&u.names, a);
    names_init(&u.renamed, a);
    char *const out = (char *)u.text;
    struct line l;
    bool in_section = false;
    for (const char *p = text; next_line(&l, &p, text + len);) {
        bool skip = is_directive(&l, ".loc") || is_directive(&l, ".file");
        for (size_t h = 0; h < WW_COUNT(header); h++) skip |= is_directive(&l, header[h]);
        if (is_directive(&l, ".section")) in_section = true;
        skip |= in_section;
        if (in_section && memchr(l.at, '}', l.len)) in_section = false;
        if (skip) continue;
        memcpy(out + u.len, l.at, l.len);
        u.len += l.len;
    }
    return u;
}

// ---- what the driver answers --------------------------------------------------------------------
// The device runtime (libcudadevrt) ends grids that synchronise in calls that no file defines: a handle of the whole grid, which
// is the workspace that a cooperative launch has in %envreg1 and %envreg2, and waiting by it, for which the second word counts
// blocks: the first block adds what is missing to half of all numbers, the others one each, so that its highest bit changes
// when all have come. Numba's `this_grid().sync()` calls them. A call for sizes and ranks of several grids stays undefined.
static const char grid_calls[] =
    ".visible .func (.param .b64 handle) __cuda_syscall_CGS_get_intrinsic_handle(.param .b32 scope)\n"
    "{\n.reg .b32 %high, %low;\n.reg .b64 %both;\n"
    "mov.u32 %high, %envreg1;\nmov.u32 %low, %envreg2;\nmov.b64 %both, {%low, %high};\n"
    "st.param.b64 [handle], %both;\nret;\n}\n"
    ".visible .func (.param .b32 error) __cuda_syscall_CGS_sync(.param .b64 handle, .param .b32 flags)\n"
    "{\n.reg .pred %p;\n.reg .b32 %n, %k, %add, %old;\n.reg .b64 %at;\n"
    "ld.param.u64 %at, [handle];\n"
    "bar.sync 0;\n"
    "mov.u32 %n, %tid.x;\nmov.u32 %k, %tid.y;\nor.b32 %n, %n, %k;\nmov.u32 %k, %tid.z;\n"
    "or.b32 %n, %n, %k;\nsetp.ne.u32 %p, %n, 0;\n@%p bra all_here;\n"
    "mov.u32 %n, %ctaid.x;\nmov.u32 %k, %ctaid.y;\nor.b32 %n, %n, %k;\nmov.u32 %k, %ctaid.z;\n"
    "or.b32 %n, %n, %k;\nmov.u32 %add, 1;\nsetp.ne.u32 %p, %n, 0;\n@%p bra come;\n"
    "mov.u32 %n, %nctaid.x;\nmov.u32 %k, %nctaid.y;\nmul.lo.u32 %n, %n, %k;\n"
    "mov.u32 %k, %nctaid.z;\nmul.lo.u32 %n, %n, %k;\nsub.u32 %add, 0x80000001, %n;\n"
    "come:\nmembar.gl;\natom.global.add.u32 %old, [%at+4], %add;\n"
    "again:\nld.volatile.global.u32 %k, [%at+4];\nxor.b32 %k, %k, %old;\n"
    "setp.ge.s32 %p, %k, 0;\n@%p bra again;\nmembar.gl;\n"
    "all_here:\nbar.sync 0;\nst.param.b32 [error], 0;\nret;\n}\n";

static bool calls_grid(const char *text, size_t len) {
    static const char name[] = "__cuda_syscall_CGS_sync";
    return memmem(text, len, name, sizeof name - 1) != NULL;
}

enum ww_status fatbin_link(struct arena *a, const char *const *text, const size_t *len, uint32_t n,
                           struct diags *d, char **out, size_t *out_len) {
    struct line chosen[WW_COUNT(header)] = {{0}};
    struct linker k = {.arena = a, .unit = arena_alloc(a, n * sizeof *k.unit), .n = n};
    names_init(&k.all, a);
    for (uint32_t i = 0; i < n; i++) {
        struct line l;
        for (const char *p = text[i]; next_line(&l, &p, text[i] + len[i]);)
            for (size_t h = 0; h < WW_COUNT(header); h++)
                if (is_directive(&l, header[h]) && (!chosen[h].at || comes_before(h, &l, &chosen[h])))
                    chosen[h] = l;
        k.unit[i] = strip(a, text[i], len[i]);
        read_declarations(&k, i);
    }
    if (!chosen[0].at)
        return diag_add(d, WW_ERROR_SYNTAX, "none of the %u units to link has a .version line", n);
    rename_clashes(&k);
    size_t total = 1;
    for (size_t h = 0; h < WW_COUNT(header); h++) total += chosen[h].len + 1;
    bool needs_grid = false;
    for (uint32_t i = 0; i < n; i++) {
        total += put_unit(&k.unit[i], NULL) + 1;
        needs_grid |= calls_grid(text[i], len[i]);
    }
    const size_t extra = needs_grid ? sizeof grid_calls - 1 : 0;
    total += extra;
    char *o = arena_alloc(a, total);
    size_t at = 0;
    for (size_t h = 0; h < WW_COUNT(header); h++) {
        memcpy(o + at, chosen[h].at ? chosen[h].at : "", chosen[h].len);
        at += chosen[h].len;
        o[at++] = '\n';
    }
    for (uint32_t i = 0; i < n; i++) {
        at += put_unit(&k.unit[i], o + at);
        o[at++] = '\n';
    }
    memcpy(o + at, grid_calls, extra);
    at += extra;
    *out = o;
    *out_len = at;
    return WW_OK;
}
