// Checks of what an activity file says, whatever its form.
#include "activity/stall.h"
#include "isa/op_class.h"
#include "report/activity_sink.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

static const uint64_t MOST = 1000000000000000000u; // of one counter: sums of kernels stay in range

const char *const sink_facts[] = {"format", "gpu", "core_mhz", "seconds", "missing"};
_Static_assert(WW_COUNT(sink_facts) == SINK_FACTS, "all facts are counted");

void sink_init(struct activity_sink *s, struct arena *a, const char *path, const char *text,
               const struct activity_options *o, struct diags *d, struct activity_file *out) {
    *out = (struct activity_file){.path = arena_strdup(a, path)};
    memset(s, 0, sizeof *s);
    s->arena = a, s->d = d, s->path = path, s->text = text, s->options = o, s->out = out;
    s->missing_zero = o->missing_zero;
    names_init(&s->names, a);
    for (uint32_t i = 0; i < act_rows(); i++)
        names_put(&s->names, act_row(i)->name, strlen(act_row(i)->name), (int32_t)i);
}

void sink_refuse(struct activity_sink *s, uint32_t line, const char *fmt, ...) {
    if (s->status != WW_OK) return;
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const char *p = s->text; // the caret stands under the first word of the line
    for (uint32_t i = 1; p && i < line; i++)
        if ((p = strchr(p, '\n'))) p++;
    const uint32_t col = p && line ? 1 + (uint32_t)strspn(p, " \t") : 0;
    s->status = diag_at(s->d, DIAG_ERROR, WW_ERROR_SYNTAX, s->path, s->text, line, col, "%s", text);
}

bool sink_number(struct activity_sink *s, uint32_t line, const char *what, const char *value,
                 double *out) {
    char *end;
    *out = strtod(value, &end);
    while (*end == ' ' || *end == '\t') end++;
    if (end == value || *end)
        sink_refuse(s, line, "%s is `%.60s`: expected a number", what, value);
    else if (!isfinite(*out))
        sink_refuse(s, line, "%s is `%.60s`: expected a finite number", what, value);
    else if (*out < 0)
        sink_refuse(s, line, "%s is %.60s: it cannot be negative", what, value);
    return s->status == WW_OK;
}

bool sink_fact(struct activity_sink *s, uint32_t line, const char *key, const char *value) {
    double v;
    if (strcmp(key, "format") == 0) {
        if (sink_number(s, line, "format", value, &v) && v != ACTIVITY_FORMAT)
            sink_refuse(s, line, "format %.60s is not known here: expected %d", value,
                        ACTIVITY_FORMAT);
    } else if (strcmp(key, "gpu") == 0) {
        s->out->gpu = arena_strdup(s->arena, value);
    } else if (strcmp(key, "core_mhz") == 0) {
        if (sink_number(s, line, "core_mhz", value, &v) && !(v >= 1 && v <= 1e5))
            sink_refuse(s, line, "core_mhz is %.60s: expected 1 to 100000", value);
        s->out->core_hz = v * 1e6;
    } else if (strcmp(key, "seconds") == 0) {
        if (sink_number(s, line, "seconds", value, &v)) s->out->seconds = v;
    } else if (strcmp(key, "missing") == 0) {
        if (strcmp(value, "zero") != 0)
            sink_refuse(s, line, "missing is `%.60s`: the only answer is `zero`", value);
        s->missing_zero = true;
    } else {
        return false;
    }
    return true;
}

void sink_begin(struct activity_sink *s, uint32_t line, const char *name, uint64_t launch) {
    if (s->status != WW_OK) return;
    if (!launch) launch = s->kernels.n + 1;
    s->kernel = (struct activity_kernel){
        .name = arena_strdup(s->arena, name), .launch = launch, .launches = 1, .line = line};
    memset(s->given, 0, sizeof s->given);
    s->into = &s->kernel.activity;
    s->seconds = -1;
    s->open = true;
}

const struct act_info *sink_row(struct activity_sink *s, uint32_t line, const char *name) {
    const int32_t i = names_get(&s->names, name, strlen(name));
    if (i >= 0) return act_row(i);
    const char **all = arena_alloc(s->arena, (act_rows() + 1) * sizeof *all);
    for (uint32_t k = 0; k < act_rows(); k++) all[k] = act_row(k)->name;
    all[act_rows()] = "seconds";
    const int near = strlen(name) < 64 ? text_nearest(name, all, act_rows() + 1) : -1;
    if (near >= 0)
        sink_refuse(s, line, "no counter `%s`; did you mean `%s`?", name, all[near]);
    else
        sink_refuse(s, line, "no counter `%.60s`: expected one of `warpwatt reference counters`",
                    name);
    return NULL;
}

// Names of an array's entries, in small letters as GPU files have them.
static uint32_t index_names(struct arena *a, const struct act_info *row, const char *names[64]) {
    uint32_t n = 0;
    const enum act_by by = act_entries((uint32_t)act_find(row->name));
    if (by == ACT_BY_CLASS)
        for (; n < OPC_N && n < 64; n++) {
            char *name = arena_strdup(a, op_class_text((enum op_class)n));
            for (char *p = name; *p; p++) *p = (char)tolower((unsigned char)*p);
            names[n] = name;
        }
    else if (by == ACT_BY_STALL)
        for (; n < STALL_N && n < 64; n++) names[n] = stall_text((enum stall_reason)n);
    return n;
}

bool sink_index(struct activity_sink *s, uint32_t line, const struct act_info *row,
                const char *index, uint32_t *out) {
    uint64_t n;
    *out = 0;
    if (*index >= '0' && *index <= '9' && text_to_u64(index, &n)) {
        if (n < row->n) {
            *out = (uint32_t)n;
            return true;
        }
        sink_refuse(s, line, "%s has no entry %.60s: expected 0 to %u", row->name, index,
                    row->n - 1);
        return false;
    }
    const char *names[64];
    const uint32_t known = index_names(s->arena, row, names);
    for (uint32_t i = 0; i < known; i++)
        if (strcasecmp(names[i], index) == 0) {
            *out = i;
            return true;
        }
    const int near = known && strlen(index) < 64 ? text_nearest(index, names, known) : -1;
    if (near >= 0)
        sink_refuse(s, line, "%s has no entry `%s`; did you mean `%s`?", row->name, index,
                    names[near]);
    else
        sink_refuse(s, line, "%s has no entry `%.60s`: expected a number from 0 to %u", row->name,
                    index, row->n - 1);
    return false;
}

void sink_count(struct activity_sink *s, uint32_t line, const struct act_info *row, uint32_t index,
                uint64_t value) {
    const uint32_t at = row->first + index;
    if (s->given[at])
        sink_refuse(s, line, "%s stands twice; the first is in line %u", row->name, s->given[at]);
    if (value > MOST)
        sink_refuse(s, line, "%s is %llu: expected at most 1e18", row->name,
                    (unsigned long long)value);
    s->given[at] = line ? line : 1;
    s->into->c[at] = value;
}

// Digits, or a whole number as strtod reads one ("1e6").
static bool count_value(struct activity_sink *s, uint32_t line, const char *name, const char *value,
                        uint64_t *out) {
    const size_t n = strspn(value, "0123456789");
    *out = 0;
    if (n && !value[n]) {
        if (n <= 19) {
            *out = strtoull(value, NULL, 10);
            return true;
        }
        sink_refuse(s, line, "%s is %.60s: expected at most 1e18", name, value);
        return false;
    }
    double v;
    if (!sink_number(s, line, name, value, &v)) return false;
    if (v != floor(v))
        sink_refuse(s, line, "%s is %.60s: expected a whole number", name, value);
    else if (v > (double)MOST)
        sink_refuse(s, line, "%s is %.60s: expected at most 1e18", name, value);
    else
        *out = (uint64_t)v;
    return s->status == WW_OK;
}

static void check_unit(struct activity_sink *s, uint32_t line, const char *name, const char *unit,
                       const char *ours) {
    if (unit && *unit && strcmp(unit, ours) != 0)
        sink_refuse(s, line, "%s is counted in `%.60s`: expected `%s`", name, unit, ours);
}

void sink_counter(struct activity_sink *s, uint32_t line, const char *name, const char *index,
                  const char *value, const char *unit) {
    if (s->status != WW_OK) return;
    if (strcmp(name, "seconds") == 0) {
        if (s->seconds >= 0)
            sink_refuse(s, line, "seconds stands twice; the first is in line %u", s->seconds_line);
        check_unit(s, line, name, unit, "s");
        double v;
        if (sink_number(s, line, name, value, &v)) s->seconds = v, s->seconds_line = line;
        return;
    }
    char head[96];
    const char *dot = strchr(name, '.');
    if (dot && !index && dot - name < (ptrdiff_t)sizeof head) {
        snprintf(head, sizeof head, "%.*s", (int)(dot - name), name);
        name = head, index = dot + 1;
    }
    const struct act_info *row = sink_row(s, line, name);
    if (!row) return;
    check_unit(s, line, name, unit, row->unit);
    uint32_t at = 0;
    uint64_t count;
    if (index && *index) {
        if (row->n == 1) {
            sink_refuse(s, line, "%s is one number: it has no entry `%.60s`", row->name, index);
            return;
        }
        if (!sink_index(s, line, row, index, &at)) return;
    } else if (row->n > 1) {
        char *words = arena_strdup(s->arena, value), *save = NULL;
        for (char *w = strtok_r(words, " \t\r\n", &save); w && s->status == WW_OK;
             w = strtok_r(NULL, " \t\r\n", &save), at++)
            if (at < row->n && count_value(s, line, name, w, &count))
                sink_count(s, line, row, at, count);
        if (at != row->n)
            sink_refuse(s, line, "%s has %u entries here: expected %u", row->name, at, row->n);
        return;
    }
    if (count_value(s, line, name, value, &count)) sink_count(s, line, row, at, count);
}

void sink_complete(struct activity_sink *s, uint32_t line, const char *what) {
    const bool *needed = s->options->needed;
    if (s->status != WW_OK || s->missing_zero || !needed) return;
    char list[512] = "";
    size_t at = 0, missing = 0;
    for (uint32_t i = 0; i < act_rows(); i++) {
        const struct act_info *row = act_row(i);
        uint32_t absent = 0;
        for (uint32_t k = 0; k < row->n; k++)
            if (needed[row->first + k] && !s->given[row->first + k]) absent++;
        if (!absent) continue;
        missing++;
        if (at + 100 > sizeof list) continue;
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", row->name);
        if (row->n > 1)
            at += (size_t)snprintf(list + at, sizeof list - at, " (%u of %u entries)", absent,
                                   row->n);
    }
    if (!missing) return;
    sink_refuse(
        s, line,
        "%s lacks %zu counter%s that energy depends on: %s%s; write %s, or say that what is "
        "missing is zero (missing=\"zero\" in the file, --missing zero)",
        what, missing, missing == 1 ? "" : "s", list, at + 100 > sizeof list ? ", ..." : "",
        missing == 1 ? "it" : "them");
}

static bool any(const struct activity *a) {
    for (uint32_t i = 0; i < ACT_N; i++)
        if (a->c[i]) return true;
    return false;
}

void sink_end(struct activity_sink *s, uint32_t line) {
    struct activity_kernel *k = &s->kernel;
    s->open = false;
    if (s->status != WW_OK) return;
    const char *what = *k->name ? arena_printf(s->arena, "kernel %.200s", k->name) : "the file";
    if (s->functional) {
        sink_refuse(s, line,
                    "%s was computed without time (a functional run): there is no power to "
                    "account for",
                    what);
        return;
    }
    sink_complete(s, line, what);
    const double hz = s->out->core_hz > 0 ? s->out->core_hz : s->options->core_hz;
    const double by_cycles = hz > 0 ? act_real(&k->activity, "cycles") / hz : 0;
    k->seconds = s->seconds >= 0 && !s->options->cycles_time ? s->seconds : by_cycles;
    if (s->seconds > 0 && by_cycles > 0 && s->out->core_hz > 0 &&
        fabs(s->seconds - by_cycles) > 0.01 * by_cycles)
        sink_refuse(s, s->seconds_line ? s->seconds_line : line,
                    "%s takes %g s, but its %llu cycles at %g MHz are %g s: expected the same time",
                    what, s->seconds, (unsigned long long)act_get(&k->activity, "cycles"), hz * 1e-6,
                    by_cycles);
    if (!(k->seconds > 0) && any(&k->activity))
        sink_refuse(s, line, "%s has no time: expected `seconds`, or `cycles` above 0 and a clock",
                    what);
    if (k->seconds > 1e9)
        sink_refuse(s, line, "%s takes %g s: expected at most 1e9", what, k->seconds);
    if (s->status == WW_OK) vec_push(s->arena, &s->kernels, *k);
}

enum ww_status sink_finish(struct activity_sink *s) {
    if (s->status != WW_OK) return s->status;
    struct activity_file *out = s->out;
    out->kernel = s->kernels.at;
    out->n = s->kernels.n;
    double sum = 0;
    for (uint32_t i = 0; i < out->n; i++) sum += out->kernel[i].seconds;
    if (!(sum > 0)) sink_refuse(s, 1, "no kernel took any time");
    const double busy = out->has_total ? out->busy_seconds : sum;
    if (out->seconds > 0 && out->seconds < busy * (1 - 1e-6) && !s->options->cycles_time)
        sink_refuse(s, 1, "the run takes %g s, less than its kernels' %g s", out->seconds, busy);
    return s->status;
}

// ---- entry --------------------------------------------------------------------------------------
enum ww_status activity_file_parse(struct arena *a, const char *path, const char *text, size_t len,
                                   const struct activity_options *o, struct diags *d,
                                   struct activity_file *out) {
    struct activity_sink *s = arena_alloc(a, sizeof *s);
    sink_init(s, a, path, text, o, d, out);
    if (memchr(text, 0, len)) {
        sink_refuse(s, 1, "this is no text: expected XML, CSV or JSON");
        return s->status;
    }
    const char *p = text + strspn(text, " \t\r\n\xef\xbb\xbf");
    if (!*p) {
        sink_refuse(s, 1, "the file is empty: expected XML, CSV or JSON");
        return s->status;
    }
    const enum ww_status read = *p == '<'   ? activity_xml(s, len)
                                : *p == '{' ? activity_json(s, len)
                                            : activity_csv(s);
    return read == WW_OK ? sink_finish(s) : read;
}

enum ww_status activity_file_read(struct arena *a, const char *path,
                                  const struct activity_options *o, struct diags *d,
                                  struct activity_file *out) {
    char *text;
    size_t len;
    const enum ww_status s = file_read(a, path, ACTIVITY_FILE_BYTES, &text, &len, d);
    return s == WW_OK ? activity_file_parse(a, path, text, len, o, d, out) : s;
}

const char *activity_file_gpu(struct arena *a, const char *path) {
    struct diags d;
    diags_init(&d);
    struct activity_file f = {.path = NULL};
    const struct activity_options o = {.core_hz = 1e9, .missing_zero = true};
    activity_file_read(a, path, &o, &d, &f); // what it says before an error counts
    diags_free(&d);
    return f.gpu;
}
