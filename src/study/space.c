// Tuning spaces: points of a sweep that are macros or arguments of a program of the user's own,
// beside a table of their measured times. What a tuner is for, to find the fastest configuration,
// needs an order of times and not the times themselves, so the order is what is judged.
//
// Expressions are SQL's: a macro is a column, and SQLite computes them.
#include "study/sweep.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>

// ---- the table of measured times ----------------------------------------------------------------
static enum ww_status refuse_row(const struct space_measured *m, uint32_t line, struct diags *d,
                                 const char *text) {
    return diag_add(d, WW_ERROR_CONFIG, "%s:%u: %s", m->file, line, text);
}

static int column_named(const struct space_measured *m, const char *name) {
    for (uint32_t i = 0; i < m->n_columns; i++)
        if (strcmp(m->name[i], name) == 0) return (int)i;
    return -1;
}

static bool is_macro(const struct space_measured *m, const char *name) {
    for (uint32_t i = 0; i < m->n_beside; i++)
        if (strcmp(name, m->beside[i]) == 0) return false;
    return strncmp(name, "ms_", 3) != 0 && strcmp(name, m->column) != 0;
}

// The value of an axis with this text, or the same number; new values are added to an axis that has
// its values from the table.
static int value_of(const struct sweep_axis *x, const char *text) {
    double number;
    const bool is_number = text_to_double(text, &number);
    for (uint32_t i = 0; i < x->n; i++)
        if (strcmp(x->value[i].text, text) == 0 || (is_number && x->value[i].number == number))
            return (int)i;
    return -1;
}

static enum ww_status axes_of_table(struct arena *a, struct sweep *s, struct diags *d) {
    struct space_measured *const m = &s->measured;
    for (uint32_t k = 0; k < m->n_columns; k++) {
        if (!is_macro(m, m->name[k])) continue;
        if (s->n_axes == SWEEP_MAX_AXES)
            return diag_add(d, WW_ERROR_CONFIG, "%s has more than %d columns of macros", m->file,
                            SWEEP_MAX_AXES);
        struct sweep_axis *const x = &s->axis[s->n_axes];
        *x = (struct sweep_axis){.name = m->name[k], .target = SWEEP_MACRO};
        x->value = arena_alloc(a, SWEEP_MAX_VALUES * sizeof *x->value);
        m->column_of[s->n_axes++] = k;
        for (uint32_t i = 0; i < m->n; i++) {
            const char *const text = m->text[i * m->n_columns + k];
            if (value_of(x, text) >= 0) continue;
            if (x->n == SWEEP_MAX_VALUES)
                return diag_add(d, WW_ERROR_CONFIG, "%s: the column `%s` has more than %d values",
                                m->file, x->name, SWEEP_MAX_VALUES);
            struct sweep_value *const v = &x->value[x->n++];
            *v = (struct sweep_value){.text = text, .number = NAN};
            double number;
            if (text_to_double(text, &number)) v->number = number;
        }
    }
    if (s->n_axes) return WW_OK;
    return diag_add(d, WW_ERROR_CONFIG, "%s has no column of macros", m->file);
}

static enum ww_status columns_of_axes(struct sweep *s, struct diags *d) {
    for (uint32_t k = 0; k < s->n_axes; k++) {
        const int at = column_named(&s->measured, s->axis[k].name);
        if (s->axis[k].target != SWEEP_MACRO) continue;
        if (at < 0)
            return diag_add(d, WW_ERROR_CONFIG, "%s has no column `%s`, as the macro is called",
                            s->measured.file, s->axis[k].name);
        s->measured.column_of[k] = (uint32_t)at;
    }
    return WW_OK;
}

enum { MAX_COLUMNS = 64 };
enum ww_status space_read_measured(struct arena *a, struct sweep *s, struct diags *d) {
    struct space_measured *const m = &s->measured;
    char *text, *field[MAX_COLUMNS + 1], *save = NULL;
    size_t len;
    enum ww_status status = file_read(a, m->file, 64 << 20, &text, &len, d);
    if (status != WW_OK) return status;
    char *const head = strtok_r(text, "\r\n", &save);
    if (!head) return diag_add(d, WW_ERROR_CONFIG, "%s is empty", m->file);
    m->n_columns = text_split_csv(head, field, MAX_COLUMNS + 1);
    if (m->n_columns > MAX_COLUMNS) return refuse_row(m, 1, d, "more than 64 columns");
    const char **const name = arena_alloc(a, m->n_columns * sizeof *name);
    for (uint32_t i = 0; i < m->n_columns; i++) name[i] = field[i];
    m->name = name;
    const int column = column_named(m, m->column);
    if (column < 0) {
        const int near = text_nearest(m->column, name, m->n_columns);
        return diag_add(d, WW_ERROR_CONFIG, "%s has no column `%s`%s%s%s", m->file, m->column,
                        near < 0 ? "" : "; did you mean `", near < 0 ? "" : name[near],
                        near < 0 ? "" : "`?");
    }
    VEC(const char *) cells = {0};
    VEC(double) seconds = {0};
    uint32_t line = 1;
    for (char *l; (l = strtok_r(NULL, "\r\n", &save));) {
        line++;
        if (text_split_csv(l, field, MAX_COLUMNS + 1) != m->n_columns)
            return refuse_row(m, line, d, "a row must have as many fields as the first line");
        for (uint32_t i = 0; i < m->n_columns; i++) vec_push(a, &cells, field[i]);
        double v = NAN;
        if (*field[column] && (!text_to_double(field[column], &v) || !(v > 0)))
            return diag_add(d, WW_ERROR_CONFIG,
                            "%s:%u: `%s` is `%s`; it must be a time above 0, or nothing", m->file,
                            line, m->column, field[column]);
        vec_push(a, &seconds, v * m->unit_s);
    }
    m->text = cells.at, m->seconds = seconds.at, m->n = (uint32_t)seconds.n;
    uint32_t there = 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (!isnan(m->seconds[i])) there++;
    if (!there)
        return diag_add(d, WW_ERROR_CONFIG, "%s has no row with a `%s`", m->file, m->column);
    return s->n_axes ? columns_of_axes(s, d) : axes_of_table(a, s, d);
}

// Whether a row of the table is this point's.
static bool is_row(const struct sweep *s, const struct sweep_point *p, uint32_t row) {
    const struct space_measured *const m = &s->measured;
    for (uint32_t k = 0; k < s->n_axes; k++) {
        const struct sweep_axis *const x = &s->axis[k];
        if (x->target != SWEEP_MACRO) continue;
        if (value_of(x, m->text[row * m->n_columns + m->column_of[k]]) != (int)p->at[k])
            return false;
    }
    return true;
}

double space_measured_of(const struct sweep *s, const struct sweep_point *p) {
    for (uint32_t i = 0; i < s->measured.n; i++)
        if (!isnan(s->measured.seconds[i]) && is_row(s, p, i)) return s->measured.seconds[i];
    return 0;
}

void space_points(struct arena *a, const struct sweep *s, sweep_points *out) {
    const struct space_measured *const m = &s->measured;
    uint32_t *const row = arena_alloc(a, (m->n + 1) * sizeof *row), n = 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (!isnan(m->seconds[i])) row[n++] = i;
    const uint32_t want = s->method == SWEEP_RANDOM && s->points < n ? s->points : n;
    struct sweep_random r = sweep_seed(s->seed);
    for (uint32_t i = 0; i < want; i++) {
        if (want < n) { // the next of a shuffle (Fisher and Yates)
            const uint32_t j = i + sweep_below(&r, n - i), t = row[i];
            row[i] = row[j];
            row[j] = t;
        }
        struct sweep_point p = {.state = SWEEP_OPEN, .measured_s = m->seconds[row[i]]};
        for (uint32_t k = 0; k < s->n_axes; k++)
            p.at[k] =
                (uint16_t)value_of(&s->axis[k], m->text[row[i] * m->n_columns + m->column_of[k]]);
        vec_push(a, out, p);
    }
}

// ---- expressions and texts ----------------------------------------------------------------------
static void ceil_div(sqlite3_context *q, int n, sqlite3_value **v) {
    (void)n;
    const sqlite3_int64 x = sqlite3_value_int64(v[0]), y = sqlite3_value_int64(v[1]);
    if (x < 0 || y <= 0)
        sqlite3_result_null(q);
    else
        sqlite3_result_int64(q, x / y + (x % y > 0));
}

// A name in quotes of SQL, or a text in them.
static const char *quoted(struct arena *a, const char *t, char mark) {
    const char *out = arena_printf(a, "%c", mark);
    for (; *t; t++) out = arena_printf(a, *t == mark ? "%s%c%c" : "%s%c", out, *t, mark);
    return arena_printf(a, "%s%c", out, mark);
}

enum ww_status space_number(struct arena *a, const struct sweep *s, const struct sweep_point *p,
                            const char *what, const char *expression, struct diags *d,
                            double *out) {
    if (text_to_double(expression, out)) return WW_OK;
    const char *columns = "";
    for (uint32_t k = 0; k < s->n_axes; k++) {
        const struct sweep_value *const v = &s->axis[k].value[p->at[k]];
        columns = arena_printf(a, "%s%s%s AS %s", columns, k ? ", " : "",
                               isnan(v->number) ? quoted(a, v->text, '\'') : v->text,
                               quoted(a, s->axis[k].name, '"'));
    }
    sqlite3 *db = NULL;
    sqlite3_stmt *q = NULL;
    const char *const sql = arena_printf(a, "SELECT (%s) FROM (SELECT %s)", expression, columns);
    enum ww_status status = WW_OK;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
        sqlite3_create_function(db, "ceil_div", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                ceil_div, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK || sqlite3_step(q) != SQLITE_ROW)
        status = diag_add(d, WW_ERROR_CONFIG, "%s: `%s` is `%s`: %s", s->file, what, expression,
                          sqlite3_errmsg(db));
    else if (sqlite3_column_type(q, 0) != SQLITE_INTEGER &&
             sqlite3_column_type(q, 0) != SQLITE_FLOAT)
        status = diag_add(d, WW_ERROR_CONFIG, "%s: `%s` is `%s`, which is no number at %s", s->file,
                          what, expression, columns);
    else
        *out = sqlite3_column_double(q, 0);
    sqlite3_finalize(q);
    sqlite3_close(db);
    return status;
}

const char *space_quoted(struct arena *a, const char *t) {
    if (*t && !t[strspn(t, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-=")])
        return t;
    const char *out = "'";
    for (; *t; t++) out = arena_printf(a, *t == '\'' ? "%s'\\''" : "%s%c", out, *t);
    return arena_printf(a, "%s'", out);
}

static const char *all_macros(struct arena *a, const struct sweep *s, const struct sweep_point *p) {
    const char *out = "";
    for (uint32_t k = 0; k < s->n_axes; k++)
        if (s->axis[k].target == SWEEP_MACRO)
            out = arena_printf(a, "%s%s-D%s", out, *out ? " " : "",
                               space_quoted(a, arena_printf(a, "%s=%s", s->axis[k].name,
                                                            s->axis[k].value[p->at[k]].text)));
    return out;
}

// What stands in braces.
static enum ww_status in_braces(struct arena *a, const struct sweep *s, const struct sweep_point *p,
                                const char *t, bool is_shell, struct diags *d, const char **out) {
    for (uint32_t k = 0; k < s->n_axes; k++)
        if (strcmp(s->axis[k].name, t) == 0) {
            const char *const text = s->axis[k].value[p->at[k]].text;
            *out = is_shell ? space_quoted(a, text) : text;
            return WW_OK;
        }
    double v = 0;
    const enum ww_status status = space_number(a, s, p, "{}", t, d, &v);
    *out = arena_printf(a, "%.15g", v);
    return status;
}

enum ww_status space_text(struct arena *a, const struct sweep *s, const struct sweep_point *p,
                          const char *text, bool is_shell, struct diags *d, const char **out) {
    *out = "";
    while (*text) {
        const size_t plain = strcspn(text, "{");
        const char *const end = text[plain] ? strchr(text + plain, '}') : NULL;
        if (text[plain] && !end)
            return diag_add(d, WW_ERROR_CONFIG, "%s: `%s` has a { without a }", s->file, text);
        *out = arena_printf(a, "%s%.*s", *out, (int)plain, text);
        if (!end) break;
        const char *const inner =
            arena_strndup(a, text + plain + 1, (size_t)(end - text) - plain - 1);
        const char *word = "";
        enum ww_status status = WW_OK;
        if (is_shell && (strcmp(inner, "out") == 0 || strcmp(inner, "source") == 0 ||
                         strcmp(inner, "include") == 0 || strcmp(inner, "arch") == 0))
            word = arena_printf(a, "{%s}", inner); // space_make's
        else if (is_shell && strcmp(inner, "macros") == 0)
            word = all_macros(a, s, p);
        else if (!is_shell && strcmp(inner, "out") == 0)
            word = "{out}";
        else
            status = in_braces(a, s, p, inner, is_shell, d, &word);
        if (status != WW_OK) return status;
        *out = arena_printf(a, "%s%s", *out, word);
        text = end + 1;
    }
    return WW_OK;
}

// ---- order --------------------------------------------------------------------------------------
struct ranked {
    double value;
    uint32_t at;
};
static int by_value(const void *x, const void *y) {
    const double a = ((const struct ranked *)x)->value, b = ((const struct ranked *)y)->value;
    return (a > b) - (a < b);
}

// The rank of each value; equal values share their mean rank.
static double *ranks(struct arena *a, const double *value, uint32_t n) {
    struct ranked *const r = arena_alloc(a, (n + 1) * sizeof *r);
    double *const rank = arena_alloc(a, (n + 1) * sizeof *rank);
    for (uint32_t i = 0; i < n; i++) r[i] = (struct ranked){value[i], i};
    qsort(r, n, sizeof *r, by_value);
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && !(r[end].value > r[i].value);) end++;
        for (uint32_t k = i; k < end; k++) rank[r[k].at] = (i + end - 1) / 2.0;
    }
    return rank;
}

static double correlation(const double *x, const double *y, uint32_t n) {
    double mx = 0, my = 0, xy = 0, xx = 0, yy = 0;
    for (uint32_t i = 0; i < n; i++) mx += x[i] / n, my += y[i] / n;
    for (uint32_t i = 0; i < n; i++) {
        xy += (x[i] - mx) * (y[i] - my);
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

struct space_rank space_rank_of(struct arena *a, const struct sweep *s,
                                const struct sweep_outcome *o) {
    struct space_rank r = {.best = -1, .low = INFINITY, .high = 0, .spearman = NAN};
    double *const ours = arena_alloc(a, (o->points.n + 1) * sizeof *ours);
    double *const theirs = arena_alloc(a, (o->points.n + 1) * sizeof *theirs);
    double log_ratio = 0, least = INFINITY;
    for (uint32_t i = 0; i < o->points.n; i++) {
        const struct sweep_point *const p = &o->points.at[i];
        if (p->state != SWEEP_DONE || !(p->measured_s > 0)) continue;
        const double ratio = p->cost[SWEEP_TIME] / p->measured_s;
        ours[r.n] = p->cost[SWEEP_TIME], theirs[r.n++] = p->measured_s;
        log_ratio += log(ratio);
        r.low = fmin(r.low, ratio), r.high = fmax(r.high, ratio);
        least = fmin(least, p->measured_s);
        if (r.best < 0 || p->cost[SWEEP_TIME] < o->points.at[r.best].cost[SWEEP_TIME])
            r.best = (int)i;
    }
    if (!r.n) return r;
    r.ratio = exp(log_ratio / r.n);
    r.spearman = correlation(ranks(a, ours, r.n), ranks(a, theirs, r.n), r.n);
    const double best = o->points.at[r.best].measured_s;
    uint32_t faster = 0, all = 0;
    for (uint32_t i = 0; i < s->measured.n; i++) {
        if (!isnan(s->measured.seconds[i])) all++;
        if (s->measured.seconds[i] < best) faster++;
    }
    r.best_place = all ? 100.0 * faster / all : NAN;
    r.best_loss = best / least - 1;
    return r;
}
