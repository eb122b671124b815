// Files of results: which columns each has, writing them line by line, and checking what was
// written.
#include "measure.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FORM(file, heads, kinds, prose) {#file, heads, kinds, prose},
const struct sheet_form sheet_forms[] = {
#include "sheets.def"
};
#undef FORM
const unsigned sheet_form_count = sizeof sheet_forms / sizeof *sheet_forms;

const struct sheet_form *sheet_form_find(const char *file) {
    for (unsigned i = 0; i < sheet_form_count; i++) {
        if (strcmp(sheet_forms[i].file, file) == 0) return &sheet_forms[i];
    }
    return NULL;
}

static struct sheet open_as(struct kit *k, const char *file, const char *mode) {
    struct sheet s = {.form = sheet_form_find(file)};
    if (!s.form) die("no form of a file is called %s", file);
    struct text path = {0};
    text_add(&path, "%s/%s.csv", k->out, file);
    s.file = fopen(path.at, mode);
    if (!s.file) die("cannot write %s: %s", path.at, strerror(errno));
    text_free(&path);
    fseek(s.file, 0, SEEK_END);
    if (ftell(s.file) == 0) fprintf(s.file, "%s\n", s.form->heads);
    fflush(s.file);
    return s;
}
struct sheet sheet_open(struct kit *k, const char *file) {
    return open_as(k, file, "w");
}
struct sheet sheet_more(struct kit *k, const char *file) {
    return open_as(k, file, "a");
}

static void begin(struct sheet *s, char kind) {
    const char want = s->form->kinds[s->column];
    if (!want || (want | 0x20) != kind) {
        die("%s.csv: column %u is of kind %c, not %c", s->form->file, s->column + 1,
            want ? want : '-', kind);
    }
    if (s->column++) fputc(',', s->file);
}
void sheet_text(struct sheet *s, const char *value) {
    begin(s, 's');
    for (; *value; value++) {
        fputc(*value == ',' || *value == '\n' || *value == '\r' || *value == '"' ? ' ' : *value,
              s->file);
    }
}
void sheet_int(struct sheet *s, int64_t value) {
    begin(s, 'd');
    fprintf(s->file, "%" PRId64, value);
}
void sheet_hex(struct sheet *s, uint64_t value, int digits) {
    begin(s, 'x');
    fprintf(s->file, "%0*" PRIx64, digits, value);
}
void sheet_hexes(struct sheet *s, const char *digits) {
    begin(s, 'x');
    fputs(digits, s->file);
}
void sheet_real(struct sheet *s, double value) {
    begin(s, 'f');
    if (isfinite(value)) fprintf(s->file, "%.7g", value);
}
void sheet_none(struct sheet *s) {
    if (!s->form->kinds[s->column] || s->form->kinds[s->column] > 'Z') {
        die("%s.csv: column %u must not be empty", s->form->file, s->column + 1);
    }
    if (s->column++) fputc(',', s->file);
}
void sheet_end(struct sheet *s) {
    if (s->form->kinds[s->column])
        die("%s.csv: a line ends after column %u", s->form->file, s->column);
    fputc('\n', s->file);
    if (fflush(s->file) != 0) die("%s.csv cannot be written: %s", s->form->file, strerror(errno));
    s->column = 0;
}
void sheet_close(struct sheet *s) {
    if (fclose(s->file) != 0) die("%s.csv cannot be written: %s", s->form->file, strerror(errno));
}

// ------------------------------------------------------------------------------------ check
static bool fits(const char *value, char kind) {
    if (!*value) return kind >= 'A' && kind <= 'Z';
    char *end = NULL;
    switch (kind | 0x20) {
    case 's': return true;
    case 'x': return value[strspn(value, "0123456789abcdef ")] == 0;
    case 'd': strtoll(value, &end, 10); return *end == 0;
    default: {
        const double v = strtod(value, &end);
        return *end == 0 && isfinite(v);
    }
    }
}

static unsigned check_line(const struct sheet_form *form, char *line, unsigned number, FILE *say) {
    unsigned column = 0;
    for (char *p = line;; column++) {
        const size_t n = strcspn(p, ",");
        const bool last = p[n] == 0;
        p[n] = 0;
        if (!form->kinds[column]) {
            fprintf(say, "%s.csv:%u: more than %u columns\n", form->file, number, column);
            return 1;
        }
        if (!fits(p, form->kinds[column])) {
            fprintf(say, "%s.csv:%u: column %u is `%.40s`; its kind is %c\n", form->file, number,
                    column + 1, p, form->kinds[column]);
            return 1;
        }
        if (last) break;
        p += n + 1;
    }
    if (!form->kinds[column + 1]) return 0;
    fprintf(say, "%s.csv:%u: %u columns, not %zu\n", form->file, number, column + 1,
            strlen(form->kinds));
    return 1;
}

unsigned sheet_check(const char *folder, FILE *say) {
    unsigned faults = 0, files = 0;
    char *line = NULL;
    size_t room = 0;
    for (unsigned i = 0; i < sheet_form_count; i++) {
        const struct sheet_form *form = &sheet_forms[i];
        struct text path = {0};
        text_add(&path, "%s/%s.csv", folder, form->file);
        FILE *f = fopen(path.at, "r");
        text_free(&path);
        if (!f) continue;
        files++;
        unsigned number = 0;
        for (ssize_t n; (n = getline(&line, &room, f)) > 0;) {
            number++;
            if (line[n - 1] != '\n') {
                // A run that was killed may have left half a line; it is told but counts as no
                // fault.
                fprintf(say, "%s.csv:%u: the last line is cut short\n", form->file, number);
                break;
            }
            line[n - 1] = 0;
            if (number > 1) {
                faults += check_line(form, line, number, say);
            } else if (strcmp(line, form->heads) != 0) {
                fprintf(say, "%s.csv:1: the heads are `%s`, not `%s`\n", form->file, line,
                        form->heads);
                faults++;
            }
        }
        fclose(f);
        if (number < 2) fprintf(say, "%s.csv: no line of results\n", form->file);
    }
    free(line);
    if (!files) {
        fprintf(say, "%s holds no file of results\n", folder);
        faults++;
    }
    return faults;
}
