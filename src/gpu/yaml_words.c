// See yaml_words.h. libcyaml reports through a log: the complaint first, then the path from the
// inside out with the place of the event before. Where a complaint names a key, the key's own place
// is looked up in the text instead.
#include "gpu/yaml_words.h"

#include <ctype.h>
#include <stdlib.h>

static const char *behind(const char *text, const char *head) {
    const size_t n = strlen(head);
    return strncmp(text, head, n) == 0 ? text + n : NULL;
}

void yaml_listen(cyaml_log_t level, void *words, const char *fmt, va_list ap) {
    struct yaml_said *const s = &((struct yaml_words *)words)->said;
    if (level < CYAML_LOG_ERROR) return;
    char text[256];
    vsnprintf(text, sizeof text, fmt, ap);
    text[strcspn(text, "\n")] = 0;
    const char *const start = behind(text, "Load: ") ? text + 6 : text;
    const char *const field = strstr(start, "in mapping field '"), *at = strstr(start, "(line: ");
    if (!s->field[0] && strstr(start, "in sequence entry")) s->in_list = true;
    if (field && !s->field[0])
        snprintf(s->field, sizeof s->field, "%.*s", (int)strcspn(field + 18, "'"), field + 18);
    if (at && !s->line) {
        s->line = (uint32_t)strtoul(at + 7, NULL, 10);
        const char *const column = strstr(at, "column: ");
        s->col = column ? (uint32_t)strtoul(column + 8, NULL, 10) : 0;
    } else if (!s->first[0] && !field && !at && !behind(start, "Backtrace")) {
        snprintf(s->first, sizeof s->first, "%s", start);
    }
}

// The place of the `nth` line that begins with a key, or has it first in braces or behind a dash.
static bool find_key(const char *text, const char *key, int nth, uint32_t *line, uint32_t *col) {
    const size_t n = strlen(key);
    uint32_t l = 1;
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n', l++) {
        const size_t end = strcspn(p, "\n");
        for (size_t i = 0; i + n < end + 1; i++) {
            if (strncmp(p + i, key, n) != 0) continue;
            const char *const after = p + i + n;
            if (after[strspn(after, " \t\"'")] != ':') continue;
            if (i && !strchr(" \t{,\"'", p[i - 1])) continue;
            if (--nth) break;
            *line = l, *col = (uint32_t)i + 1;
            return true;
        }
    }
    return false;
}

static const char *kind(const char *word) {
    return behind(word, "MAPPING")    ? "keys with values"
           : behind(word, "SEQUENCE") ? "a list"
           : behind(word, "STRING")   ? "a text"
           : behind(word, "INT")      ? "a whole number"
           : behind(word, "UINT")     ? "a whole number"
           : behind(word, "SCALAR")   ? "a single value"
           : behind(word, "ALIAS")    ? "an alias"
                                      : "something else";
}

static enum ww_status at_key(const struct yaml_words *w, const char *key, int nth, struct diags *d,
                             const char *fmt, ...) WW_PRINTF(5, 6);
static enum ww_status at_key(const struct yaml_words *w, const char *key, int nth, struct diags *d,
                             const char *fmt, ...) {
    uint32_t line = w->said.line ? w->said.line : 1, col = w->said.col ? w->said.col : 1;
    if (*key) find_key(w->text, key, nth, &line, &col);
    char why[600];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    return diag_at(d, DIAG_ERROR, WW_ERROR_CONFIG, w->file, w->text, line, col, "%s", why);
}

static bool is_empty(const char *text) {
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        const char *const first = p + strspn(p, " \t\r");
        if (*first && *first != '#' && *first != '\n' && !behind(first, "---")) return false;
    }
    return true;
}

static enum ww_status unknown(const struct yaml_words *w, const char *key, struct diags *d) {
    const int near = text_nearest(key, w->key, w->n_keys);
    if (near >= 0)
        return at_key(w, key, 1, d, "there is no key `%s` in %s; did you mean `%s`?", key, w->what,
                      w->key[near]);
    char all[400] = "";
    for (size_t i = 0; i < w->n_keys; i++) {
        const size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", w->key[i]);
    }
    return at_key(w, key, 1, d, "there is no key `%s` in %s; keys: %s", key, w->what, all);
}

enum ww_status yaml_refuse(const struct yaml_words *w, cyaml_err_t e, struct diags *d) {
    const struct yaml_said *s = &w->said;
    if (e == CYAML_ERR_OOM)
        return diag_add(d, WW_ERROR_MEMORY, "out of memory while %s was read", w->file);
    if (is_empty(w->text))
        return diag_at(d, DIAG_ERROR, WW_ERROR_CONFIG, w->file, NULL, 1, 1,
                       "the file is empty: expected %s", w->what);
    const char *rest;
    if ((rest = behind(s->first, "Unexpected key: "))) return unknown(w, rest, d);
    if ((rest = behind(s->first, "Mapping field already seen: ")))
        return at_key(w, rest, 2, d, "`%s` stands here more than once", rest);
    if ((rest = behind(s->first, "Missing required mapping field: ")))
        return at_key(w, "", 1, d, "`%s` is missing here", rest);
    if ((rest = behind(s->first, "Expecting "))) {
        const char *const got = strstr(rest, "got event: ");
        return at_key(w, s->field, 1, d, "%s%s must be %s, not %s",
                      s->in_list ? "an entry of " : "", s->field[0] ? s->field : "the file",
                      kind(rest), got ? kind(got + 11) : "this");
    }
    if (behind(s->first, "STRING length <"))
        return at_key(w, s->field, 1, d, "%s is empty", s->field[0] ? s->field : "a text");
    if ((rest = behind(s->first, "Invalid INT value: ")) ||
        (rest = behind(s->first, "Invalid UINT value: ")))
        return at_key(w, s->field, 1, d, "%s is %s: expected a whole number", s->field, rest);
    if (behind(s->first, "Excessive entries") || behind(s->first, "Insufficient entries"))
        return at_key(w, s->field, 1, d, "%s has too %s values", s->field,
                      s->first[0] == 'E' ? "many" : "few");
    if ((rest = behind(s->first, "No anchor found for alias: ")))
        return at_key(w, "", 1, d, "the alias %s names no anchor", rest);
    if ((rest = behind(s->first, "libyaml: ")))
        return at_key(w, "", 1, d, "this is not YAML: %s", rest);
    return at_key(w, s->field, 1, d, "this is not %s: %s", w->what, cyaml_strerror(e));
}

enum ww_status yaml_one_document(const char *file, const char *text, const char *what,
                                 struct diags *d) {
    bool content = false, ended = false;
    uint32_t line = 1;
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n', line++) {
        const bool mark = behind(p, "---") && (p[3] == 0 || isspace((unsigned char)p[3]));
        const bool end = behind(p, "...") && (p[3] == 0 || isspace((unsigned char)p[3]));
        const char first = p[strspn(p, " \t\r")];
        const bool says = first && first != '\n' && first != '#' && *p != '%' && !mark && !end;
        if ((mark && content) || (says && ended))
            return diag_at(d, DIAG_ERROR, WW_ERROR_CONFIG, file, text, line, 1,
                           "a second document begins here: a file holds one, %s", what);
        content = content || says || mark;
        ended = ended || end;
    }
    return WW_OK;
}
