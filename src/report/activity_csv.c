// Activity as CSV: a line a counter under a line of column names, as `warpwatt run -o` writes it:
//
//     # gpu=gt240
//     launch,kernel,counter,index,value,unit,component
//     1,vecAdd,cycles,,670000,core cycles,chip
//
// `counter` and `value` must be there; a new launch number or kernel name begins a kernel. Lines of
// a `#` are comments, but for facts of the file (`# gpu=...`, `# core_mhz=...`). Fields may be
// quoted; a quoted field ends in its line.
#include "report/activity_sink.h"

enum column { LAUNCH, KERNEL, COUNTER, INDEX, VALUE, UNIT, COMPONENT, COLUMNS };
static const char *const column_name[COLUMNS] = {"launch", "kernel", "counter",  "index",
                                                 "value",  "unit",   "component"};

enum { MAX_FIELDS = 32 };

// Splits a line in place; answers how many fields, or -1 with a diagnostic.
static int split(struct activity_sink *s, uint32_t line, char *p, char *field[MAX_FIELDS]) {
    int n = 0;
    for (;;) {
        if (n == MAX_FIELDS) {
            sink_refuse(s, line, "more than %d fields in a line", MAX_FIELDS);
            return -1;
        }
        if (*p == '"') {
            char *to = field[n++] = ++p;
            while (*p && (*p != '"' || p[1] == '"')) {
                if (*p == '"') p++;
                *to++ = *p++;
            }
            if (!*p) {
                sink_refuse(s, line, "a quoted field does not end in its line");
                return -1;
            }
            p++;
            *to = 0;
            if (*p && *p != ',') {
                sink_refuse(s, line, "found text behind a quoted field: expected a comma");
                return -1;
            }
        } else {
            field[n++] = p;
            p += strcspn(p, ",");
        }
        if (!*p) return n;
        *p++ = 0;
    }
}

static bool read_columns(struct activity_sink *s, uint32_t line, char **field, int n,
                         int at[COLUMNS]) {
    for (int c = 0; c < COLUMNS; c++) at[c] = -1;
    for (int i = 0; i < n; i++) {
        int c = 0;
        while (c < COLUMNS && strcmp(field[i], column_name[c]) != 0) c++;
        if (c == COLUMNS) {
            const int near =
                strlen(field[i]) < 64 ? text_nearest(field[i], column_name, COLUMNS) : -1;
            sink_refuse(s, line, "no column `%.60s`%s%s%s", field[i],
                        near >= 0 ? "; did you mean `" : ": expected ",
                        near >= 0 ? column_name[near]
                                  : "launch, kernel, counter, index, value, unit, component",
                        near >= 0 ? "`?" : "");
            return false;
        }
        if (at[c] >= 0) {
            sink_refuse(s, line, "column %s stands twice", column_name[c]);
            return false;
        }
        at[c] = i;
    }
    for (int c = COUNTER; c <= VALUE; c += VALUE - COUNTER)
        if (at[c] < 0) sink_refuse(s, line, "there is no column `%s`", column_name[c]);
    return s->status == WW_OK;
}

static void comment(struct activity_sink *s, uint32_t line, char *p) {
    p += strspn(p, "# \t");
    char *equal = strchr(p, '=');
    if (!equal) return;
    *equal = 0;
    char *value = equal + 1;
    value[strcspn(value, " \t")] = 0;
    sink_fact(s, line, p, value); // any other word is a comment
}

static const char *get(char **field, int n, const int at[COLUMNS], enum column c) {
    return at[c] >= 0 && at[c] < n ? field[at[c]] : "";
}

static void read_row(struct activity_sink *s, uint32_t line, char **field, int n,
                     const int at[COLUMNS], const char **last) {
    const char *launch = get(field, n, at, LAUNCH), *kernel = get(field, n, at, KERNEL);
    uint64_t id = 0;
    if (*launch && (!text_to_u64(launch, &id) || !id)) {
        sink_refuse(s, line, "launch is `%.60s`: expected a whole number from 1", launch);
        return;
    }
    const bool other =
        s->open && ((*launch && id != s->kernel.launch) || strcmp(kernel, *last) != 0);
    if (other) sink_end(s, s->kernel.line);
    if (!s->open) {
        for (uint32_t i = 0; i < s->kernels.n; i++)
            if (id && s->kernels.at[i].launch == id)
                sink_refuse(s, line, "launch %llu stands twice; the first is in line %u",
                            (unsigned long long)id, s->kernels.at[i].line);
        sink_begin(s, line, kernel, id);
        *last = s->kernel.name ? s->kernel.name : "";
    }
    sink_counter(s, line, get(field, n, at, COUNTER), get(field, n, at, INDEX),
                 get(field, n, at, VALUE), get(field, n, at, UNIT));
}

enum ww_status activity_csv(struct activity_sink *s) {
    char *text = arena_strdup(s->arena, s->text), *field[MAX_FIELDS];
    int at[COLUMNS], columns = 0;
    uint32_t line = 0;
    const char *last = "";
    for (char *p = text, *next; p && s->status == WW_OK; p = next) {
        next = strchr(p, '\n');
        if (next) *next++ = 0;
        line++;
        if (line == 1 && strncmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
        p[strcspn(p, "\r")] = 0;
        if (!*p) continue;
        if (*p == '#') {
            comment(s, line, p);
            continue;
        }
        const int n = split(s, line, p, field);
        if (n < 0) break;
        if (!columns) {
            columns = n;
            if (!read_columns(s, line, field, n, at)) break;
        } else if (n != columns) {
            sink_refuse(s, line, "found %d fields: expected %d, one a column", n, columns);
        } else {
            read_row(s, line, field, n, at, &last);
        }
    }
    if (s->open) sink_end(s, s->kernel.line);
    return s->status;
}
