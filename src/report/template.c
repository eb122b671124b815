// Filling of page templates (see template.h).
#include "report/template.h"

void template_fill(const char *text, void (*put)(void *user, const char *name, FILE *f), void *user,
                   FILE *f) {
    static const char open[] = "<!--ww:", close[] = "-->";
    for (const char *p = text; *p;) {
        const char *mark = strstr(p, open), *end = mark ? strstr(mark, close) : NULL;
        if (!end) {
            fputs(p, f);
            return;
        }
        fwrite(p, 1, (size_t)(mark - p), f);
        char name[64];
        mark += strlen(open);
        snprintf(name, sizeof name, "%.*s", (int)(end - mark), mark);
        put(user, name, f);
        p = end + strlen(close);
    }
}

void template_html(FILE *f, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '&': fputs("&amp;", f); break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '"': fputs("&quot;", f); break;
        default: fputc(*text, f);
        }
    }
}

static int put_json(const char *text, size_t n, void *file) {
    FILE *f = file;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '<')
            fputs("\\u003c", f);
        else
            fputc(text[i], f);
    }
    return ferror(f) ? -1 : 0;
}

void template_json(FILE *f, const json_t *value, size_t flags) {
    json_dump_callback(value, put_json, f, flags);
}
