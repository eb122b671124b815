// What stands beside a figure's values: published ones, where they are of the same thing, and how
// many digits a number is written with.
//
// A published value belongs to a cell when it is the cell's expression in the cell's configuration
// and row. A mean belongs to the row of the same mean, and only where ours is over the same
// programs: their average of one does not stand beside our average of five.
#include "study/study.h"

#include <math.h>
#include <stdlib.h>

static bool same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }
static bool starts(const char *text, const char *head) {
    return strncmp(text, head, strlen(head)) == 0;
}
static const char *mean_of(const char *workload) {
    return starts(workload, "average") ? "average" : starts(workload, "geomean") ? "geomean" : NULL;
}

// The programs of a claim's mean are the figure's rows.
static bool same_programs(const struct study *s, const struct study_claim *c,
                          const struct study_figure *g) {
    const struct study_group *group = c->group ? study_find_group(s, c->group) : NULL;
    const uint32_t n = group ? group->member.n : s->workload.n;
    if (n != g->n_rows) return false;
    for (uint32_t i = 0; i < n; i++) {
        const char *name = group ? group->member.at[i] : s->workload.at[i].name;
        bool found = false;
        for (uint32_t r = 0; r < g->n_rows && !found; r++) found = same(g->rows[r], name);
        if (!found) return false;
    }
    return true;
}

// A claim's expression as a figure of configurations writes it: over programs, where it is a mean.
static const char *over_programs(struct arena *a, const struct study_claim *c, const char *mean) {
    return c->group ? arena_printf(a, "%s('%s', '%s')", mean, c->ours, c->group)
                    : arena_printf(a, "%s('%s')", mean, c->ours);
}

// Row of the figure that the published value stands in with this series, or -1.
static int row_of(struct arena *a, const struct study *s, const struct study_figure *g,
                  const struct sheet_figure *out, uint32_t q, const struct published_row *p) {
    const struct study_claim *const c = p->claim;
    const struct study_series *const series = &g->series.at[q];
    const char *const own = c->at_configuration ? c->at_configuration : p->configuration,
                      *const mean = mean_of(p->workload);
    const char *const expr = c->series ? c->series : c->ours;
    if (g->rows_are_configurations) {
        const bool is_it = mean ? same(over_programs(a, c, mean), series->expr) ||
                                      (strpbrk(c->ours, "'") && same(c->ours, series->expr))
                                : same(g->workload, p->workload) && same(c->ours, series->expr);
        for (uint32_t r = 0; is_it && r < g->n_rows; r++)
            if (same(g->rows[r], own)) return (int)r;
        return -1;
    }
    const char *const at = series->configuration ? series->configuration : g->configuration;
    if (!same(at, own) || !same(expr, series->expr)) return -1;
    if (mean && !same_programs(s, c, g)) return -1;
    for (uint32_t r = 0; r < out->n_rows; r++)
        if (out->row[r].aggregate == (mean != NULL) &&
            same(out->row[r].name, mean ? mean : p->workload))
            return (int)r;
    return -1;
}

// The published number in the terms of the claim's `series`: `drawn`, an expression of `value`.
// Figures of configurations have `ours` itself.
static enum ww_status drawn(struct arena *a, struct eval *e, const struct study_figure *g,
                            const struct published_row *p, struct diags *d, double *out) {
    *out = p->number;
    if (!p->claim->drawn || g->rows_are_configurations || !isfinite(p->number)) return WW_OK;
    const char *const word = strstr(p->claim->drawn, "value");
    const char *const text = word ? arena_printf(a, "%.*s(%.17e)%s", (int)(word - p->claim->drawn),
                                                 p->claim->drawn, p->number, word + strlen("value"))
                                  : p->claim->drawn;
    const struct eval_scope none = {.workload = -1, .configuration = -1};
    return eval_number(e, text, p->claim->at, none, d, out);
}

enum ww_status beside_fill(struct arena *a, const struct study *s, struct eval *e,
                           const struct study_figure *g, struct diags *d,
                           struct sheet_figure *out) {
    out->holds = arena_alloc(a, s->published.n + 1);
    for (uint32_t r = 0; r < out->n_rows; r++) {
        out->row[r].theirs = arena_alloc(a, (g->series.n + 1) * sizeof(double));
        for (uint32_t q = 0; q < g->series.n; q++) out->row[r].theirs[q] = NAN;
    }
    bool own = g->rows_are_numbers; // it draws them itself, or has no such rows
    for (uint32_t q = 0; q < g->series.n; q++) own |= same(g->series.at[q].role, "published");
    for (uint32_t i = 0; !own && i < s->published.n; i++) {
        const struct published_row *const p = &s->published.at[i];
        if (!p->claim || !p->claim->ours) continue;
        for (uint32_t q = 0; q < g->series.n; q++) {
            const int r = row_of(a, s, g, out, q, p);
            if (r < 0) continue;
            const enum ww_status status = drawn(a, e, g, p, d, &out->row[r].theirs[q]);
            if (status != WW_OK) return status;
            out->holds[i] = true;
            out->has_theirs = true;
        }
    }
    return WW_OK;
}

// ---- means of rows ----------------------------------------------------------------------------
static bool counts(double v, bool geomean) { return isfinite(v) && !(geomean && v <= 0); }

// Of a figure with published series: rows in which a series of ours has a value and this one, a
// published one, has none. Its mean would be of other programs.
static bool lacks_rows(const struct sheet_figure *g, uint32_t series) {
    if (!same(g->figure->series.at[series].role, "published")) return false;
    for (uint32_t r = 0; r < g->n_rows; r++)
        for (uint32_t q = 0; q < g->n_series; q++)
            if (!g->row[r].aggregate && !isfinite(g->row[r].value[series]) &&
                !same(g->figure->series.at[q].role, "published") && isfinite(g->row[r].value[q]))
                return true;
    return false;
}

double beside_mean(const struct sheet_figure *g, uint32_t series, bool geomean) {
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_rows; i++) {
        const double v = g->row[i].value[series];
        if (g->row[i].aggregate || !counts(v, geomean)) continue;
        sum += geomean ? log(v) : v;
        n++;
    }
    if (n == 0 || lacks_rows(g, series)) return NAN;
    return geomean ? exp(sum / n) : sum / n;
}

// Rows that a mean left out, as a sentence; NULL: none.
static const char *left_out(struct arena *a, const struct sheet_figure *g, uint32_t series,
                            bool geomean) {
    const char *names = NULL;
    for (uint32_t r = 0; r < g->n_rows; r++) {
        const double v = g->row[r].value[series];
        if (g->row[r].aggregate || counts(v, geomean)) continue;
        const char *const one =
            arena_printf(a, "%s%s", g->row[r].name, isfinite(v) ? " (not above 0)" : "");
        names = names ? arena_printf(a, "%s, %s", names, one) : one;
    }
    return names;
}

const char *beside_left_out(struct arena *a, const struct sheet_figure *g) {
    const char *text = NULL;
    for (uint32_t k = 0; k < 2; k++) {
        if (!(k ? g->figure->geomean : g->figure->average)) continue;
        const char *const mean = k ? "geomean" : "average";
        for (uint32_t q = 0; q < g->n_series; q++) {
            const char *const label = g->figure->series.at[q].label;
            const bool is_theirs = lacks_rows(g, q);
            const char *const names = left_out(a, g, q, k);
            if (!names) continue;
            const char *const one =
                is_theirs ? arena_printf(a, "%s of %s: not given, it would be of other rows.", mean,
                                         label)
                          : arena_printf(a, "%s of %s: without %s.", mean, label, names);
            text = text ? arena_printf(a, "%s %s", text, one) : one;
        }
    }
    return text;
}

const char *beside_without(struct arena *a, const char *text, const char *series,
                           const char *programs) {
    if (!programs) return text;
    const char *const one = arena_printf(a, "Means of %s: without %s.", series, programs);
    return !text ? one : strstr(text, one) ? text : arena_printf(a, "%s %s", text, one);
}

// ---- digits ------------------------------------------------------------------------------------
static void strip(char *text) {
    if (!strchr(text, '.')) return;
    char *end = text + strlen(text);
    while (end[-1] == '0') *--end = 0;
    if (end[-1] == '.') *--end = 0;
}

// Percentages to a tenth, below one to a hundredth; ratios to a thousandth; all else to three
// digits. What would be 0 so, and is not, has its first digit.
void beside_number(char *text, size_t size, double v, const char *unit) {
    const double m = fabs(v);
    if (!isfinite(v)) {
        snprintf(text, size, "–");
        return;
    }
    const bool is_share = unit[0] == '%' || starts(unit, "points"),
               is_ratio = !is_share && (*unit == 0 || same(unit, "ratio"));
    if (m != 0 && (m >= 1e9 || m < 1e-6)) {
        snprintf(text, size, "%.3g", v);
        return;
    }
    const int order = m == 0 ? 0 : (int)floor(log10(m)); // of its first digit
    int decimals = is_share ? (m >= 0.995 ? 1 : 2) : is_ratio && order < 1 ? 3 : 2 - order;
    if (decimals < 0) decimals = 0;
    if (m != 0 && m < 0.5 * pow(10, -decimals)) decimals = -order;
    snprintf(text, size, "%.*f", decimals, v);
    if ((!is_share && !is_ratio) || m == 0) strip(text);
}
