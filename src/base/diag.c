// Diagnostics: one sentence each, with the place, the source line and a caret.
#include "base/base.h"

int ww_status_exit_code(enum ww_status s) {
    static const int code[] = {
#define X(name, exit_code, text) exit_code,
        WW_STATUS_TABLE(X)
#undef X
    };
    return (unsigned)s < WW_STATUS_N ? code[s] : 4;
}

const char *ww_status_text(enum ww_status s) {
    static const char *const text[] = {
#define X(name, exit_code, sentence) sentence,
        WW_STATUS_TABLE(X)
#undef X
    };
    return (unsigned)s < WW_STATUS_N ? text[s] : "unknown status";
}

void diags_init(struct diags *d) {
    *d = (struct diags){.errors = 0};
    arena_init(&d->arena, NULL);
}

void diags_free(struct diags *d) {
    arena_free(&d->arena);
    *d = (struct diags){.errors = 0};
}

static char *source_line(struct arena *a, const char *src, uint32_t line) {
    if (!src || !line) return NULL;
    const char *p = src;
    for (uint32_t i = 1; i < line; i++) {
        p = strchr(p, '\n');
        if (!p) return NULL;
        p++;
    }
    size_t n = strcspn(p, "\r\n");
    if (n > 200) n = 200;
    return text_printable(a, arena_strndup(a, p, n), true);
}

static void add(struct diags *d, struct diag entry) {
    entry.text = text_printable(&d->arena, entry.text, false);
    if (entry.severity == DIAG_ERROR) d->errors++;
    vec_push(&d->arena, &d->list, entry);
}

static char *format(struct arena *a, const char *fmt, va_list ap) {
    char buf[2048];
    vsnprintf(buf, sizeof buf, fmt, ap);
    return arena_strdup(a, buf);
}

enum ww_status diag_at(struct diags *d, enum diag_severity severity, enum ww_status status,
                       const char *file, const char *src, uint32_t line, uint32_t col,
                       const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char *text = format(&d->arena, fmt, ap);
    va_end(ap);
    add(d, (struct diag){.severity = severity,
                         .status = status,
                         .file = file ? text_printable(&d->arena, file, false) : NULL,
                         .line = line,
                         .col = col,
                         .text = text,
                         .source = source_line(&d->arena, src, line)});
    return status;
}

enum ww_status diag_add(struct diags *d, enum ww_status status, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char *text = format(&d->arena, fmt, ap);
    va_end(ap);
    add(d, (struct diag){.severity = DIAG_ERROR, .status = status, .text = text});
    return status;
}

static const char *severity_name(enum diag_severity s) {
    static const char *const name[] = {"error", "warning", "note"};
    return name[s];
}

static void print_head(const struct diag *e, char *buf, size_t size) {
    if (e->file && e->line)
        snprintf(buf, size, "%s:%u:%u: ", e->file, e->line, e->col);
    else if (e->file)
        snprintf(buf, size, "%s: ", e->file);
    else
        buf[0] = 0;
}

void diags_print(const struct diags *d, FILE *out) {
    for (uint32_t i = 0; i < d->list.n; i++) {
        const struct diag *e = &d->list.at[i];
        char head[512];
        print_head(e, head, sizeof head);
        fprintf(out, "%s%s: %s\n", head, severity_name(e->severity), e->text);
        if (!e->source) continue;
        fprintf(out, "    %s\n", e->source);
        if (!e->col || e->col > strlen(e->source) + 1) continue;
        fputs("    ", out);
        for (uint32_t c = 1; c < e->col; c++) fputc(e->source[c - 1] == '\t' ? '\t' : ' ', out);
        fputs("^\n", out);
    }
}

enum ww_status diags_status(const struct diags *d) {
    for (uint32_t i = 0; i < d->list.n; i++)
        if (d->list.at[i].severity == DIAG_ERROR) return d->list.at[i].status;
    return WW_OK;
}

void diags_first(const struct diags *d, char *buf, size_t size) {
    buf[0] = 0;
    for (uint32_t i = 0; i < d->list.n; i++) {
        const struct diag *e = &d->list.at[i];
        if (e->severity != DIAG_ERROR) continue;
        char head[512];
        print_head(e, head, sizeof head);
        snprintf(buf, size, "%s%s", head, e->text);
        return;
    }
}
