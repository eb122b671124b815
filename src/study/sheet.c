// Figures and published rows as numbers, verdicts, and the files for programs: CSV and study.json.
#include "study/study.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

const char *verdict_text(enum verdict v) {
    static const char *const text[] = {"no verdict", "agrees",  "differs",
                                       "not known",  "in part", "given"};
    return text[v];
}

// ---- filling ----------------------------------------------------------------------------------
static const char *quoted(struct arena *a, const char *expr) {
    char *out = arena_alloc(a, 2 * strlen(expr) + 1), *p = out;
    for (; *expr; expr++) {
        if (*expr == '\'') *p++ = '\'';
        *p++ = *expr;
    }
    return out;
}

struct filler {
    struct arena *arena;
    const struct study *s;
    struct eval *e;
    struct diags *d;
};

static enum ww_status cell(const struct filler *f, const struct study_figure *g,
                           const struct study_series *q, const char *row, const char *expr,
                           double *out) {
    struct eval_scope scope = {.workload = -1, .configuration = -1};
    const char *configuration = q->configuration ? q->configuration : g->configuration;
    if (g->rows_are_numbers) {
        scope.workload = study_find_workload(f->s, g->workload);
        scope.element = 1 + (uint32_t)strtoul(row, NULL, 10);
    } else if (g->rows_are_configurations) {
        scope.workload = g->workload ? study_find_workload(f->s, g->workload) : -1;
        configuration = row;
    } else if (row) {
        scope.workload = study_find_workload(f->s, row);
    }
    scope.configuration = configuration ? study_find_configuration(f->s, configuration) : -1;
    return eval_number(f->e, expr, q->at, scope, f->d, out);
}

static enum ww_status fill_figure(const struct filler *f, const struct study_figure *g,
                                  struct sheet_figure *out) {
    const uint32_t extra = (uint32_t)g->average + (uint32_t)g->geomean;
    *out = (struct sheet_figure){.figure = g, .n_rows = g->n_rows, .n_series = g->series.n};
    out->row = arena_alloc(f->arena, (g->n_rows + extra + 1) * sizeof *out->row);
    for (uint32_t r = 0; r < g->n_rows + extra; r++) {
        out->row[r].value = arena_alloc(f->arena, (g->series.n + 1) * sizeof(double));
        out->row[r].xs = arena_alloc(f->arena, (g->series.n + 1) * sizeof(double));
    }
    const char *without = NULL;
    enum ww_status s = WW_OK;
    for (uint32_t r = 0; r < g->n_rows && s == WW_OK; r++) {
        struct sheet_row *row = &out->row[r];
        row->name = g->rows[r];
        if (g->rows_are_configurations)
            row->name = f->s->configuration.at[study_find_configuration(f->s, row->name)].label;
        for (uint32_t q = 0; q < g->series.n && s == WW_OK; q++) {
            s = cell(f, g, &g->series.at[q], g->rows[r], g->series.at[q].expr, &row->value[q]);
            without = beside_without(f->arena, without, g->series.at[q].label, eval_left_out(f->e));
            if (s == WW_OK && g->series.at[q].x)
                s = cell(f, g, &g->series.at[q], g->rows[r], g->series.at[q].x, &row->xs[q]);
        }
        row->x = g->rows_are_numbers ? strtod(row->name, NULL) : NAN;
        if (s == WW_OK && g->x_value && g->series.n)
            s = cell(f, g, &g->series.at[0], g->rows[r], g->x_value, &row->x);
    }
    for (int k = 0; k < 2; k++) {
        if (!(k ? g->geomean : g->average)) continue;
        struct sheet_row *row = &out->row[out->n_rows];
        row->name = k ? "geomean" : "average";
        for (uint32_t q = 0; q < g->series.n; q++) row->value[q] = beside_mean(out, q, k);
        row->aggregate = true;
        row->x = NAN;
        out->n_rows++;
    }
    out->left_out = beside_left_out(f->arena, out);
    if (without)
        out->left_out =
            out->left_out ? arena_printf(f->arena, "%s %s", out->left_out, without) : without;
    return s != WW_OK ? s : beside_fill(f->arena, f->s, f->e, g, f->d, out);
}

static const char *why_of(const struct study_claim *c, const char *workload) {
    for (uint32_t i = 0; i < c->why_of.n; i++)
        if (strcmp(c->why_of.at[i].name, workload) == 0) return c->why_of.at[i].text;
    return c->why;
}

static bool starts(const char *text, const char *head) {
    return strncmp(text, head, strlen(head)) == 0;
}

// A value that was not asked for stays unknown: its mean would be of those programs alone that
// other figures run.
static bool asked(const struct study *s, const struct sheet *sh, uint32_t i) {
    bool is = !s->published.at[i].waits;
    for (uint32_t k = 0; k < s->figure.n; k++) is |= sh->figure[k].holds[i];
    return is;
}

static enum ww_status fill_published(const struct filler *f, const struct published_row *p,
                                     bool is_asked, struct sheet_published *out) {
    const struct study_claim *c = p->claim;
    *out = (struct sheet_published){
        .row = p, .ours = NAN, .off = NAN, .low = NAN, .high = NAN, .verdict = VERDICT_MISSING};
    if (!c) {
        out->why = "this study has no expression for it";
        return WW_OK;
    }
    out->why = why_of(c, p->workload);
    if (!c->ours) {
        out->verdict = VERDICT_NONE;
        return WW_OK;
    }
    if (!is_asked) return WW_OK;
    const char *expr = c->ours;
    const struct eval_scope scope = {
        .workload = study_find_workload(f->s, c->at_workload ? c->at_workload : p->workload),
        .configuration = study_find_configuration(f->s, c->at_configuration ? c->at_configuration
                                                                            : p->configuration)};
    if (scope.workload < 0 && (starts(p->workload, "average") || starts(p->workload, "geomean"))) {
        const char *fold = starts(p->workload, "average") ? "average" : "geomean";
        expr = c->group ? arena_printf(f->arena, "%s('%s', '%s')", fold, quoted(f->arena, expr),
                                       quoted(f->arena, c->group))
                        : arena_printf(f->arena, "%s('%s')", fold, quoted(f->arena, expr));
    }
    enum ww_status s = eval_number(f->e, expr, c->at, scope, f->d, &out->ours);
    out->left_out = eval_left_out(f->e);
    if (s == WW_OK && c->main_value && f->s->choice.n)
        s = choice_fill(f->arena, f->s, f->e, expr, scope, f->d, out);
    if (s != WW_OK || !isfinite(out->ours) || !isfinite(p->number)) return s;
    out->off = c->absolute      ? out->ours - p->number
               : p->number != 0 ? out->ours / p->number - 1
                                : NAN;
    if (c->no_verdict || c->given) {
        out->verdict = c->given ? VERDICT_GIVEN : VERDICT_NONE;
        if (c->given) out->why = c->given;
        return WW_OK;
    }
    const double limit = c->tolerance * (1 + 1e-12);
    out->verdict = fabs(c->absolute ? out->off : out->ours - p->number) <=
                           (c->absolute ? limit : limit * fabs(p->number))
                       ? VERDICT_AGREES
                       : VERDICT_DIFFERS;
    return WW_OK;
}

static const char *full_stop(struct arena *a, const char *text) {
    const size_t n = strlen(text);
    return n && strchr(".!?", text[n - 1]) ? text : arena_printf(a, "%s.", text);
}

// Whether a published value decides on a figure: it names it, or stands in one of its cells.
static bool decides(const struct sheet_published *p, const struct sheet_figure *g, uint32_t i) {
    const struct study_claim *const c = p->row->claim;
    if (!c || !c->ours || c->no_verdict || c->given) return false;
    return g->holds[i] || (c->figure && strcmp(c->figure, g->figure->id) == 0);
}

// The figure's own expression says whether the order is the published one; the published values
// that belong to it whether the sizes are.
static enum ww_status judge(const struct filler *f, const struct sheet *sh,
                            struct sheet_figure *g) {
    uint32_t rows = 0, good = 0, missing = 0;
    double sum = 0;
    uint32_t n_off = 0;
    for (uint32_t i = 0; i < f->s->published.n; i++) {
        const struct sheet_published *p = &sh->published[i];
        if (!decides(p, g, i)) continue;
        rows++;
        good += p->verdict == VERDICT_AGREES;
        missing += p->verdict == VERDICT_MISSING;
        if (isfinite(p->off) && !p->row->claim->absolute) sum += fabs(p->off), n_off++;
    }
    const char *detail = "";
    if (rows)
        detail = arena_printf(
            f->arena, ": %u of %u published values within tolerance%s%s", good, rows,
            n_off ? arena_printf(f->arena, ", mean deviation %.1f %%", 100 * sum / n_off) : "",
            missing ? arena_printf(f->arena, ", %u without a value of ours", missing) : "");
    if (g->figure->agrees) {
        double v;
        const struct eval_scope scope = {
            .workload = -1,
            .configuration = g->figure->configuration
                                 ? study_find_configuration(f->s, g->figure->configuration)
                                 : -1};
        const enum ww_status s =
            eval_number(f->e, g->figure->agrees, g->figure->agrees_at, scope, f->d, &v);
        if (s != WW_OK) return s;
        g->verdict = !isfinite(v)                         ? VERDICT_MISSING
                     : (v != 0) != (good == rows) && rows ? VERDICT_PARTLY
                     : v == 0                             ? VERDICT_DIFFERS
                                                          : VERDICT_AGREES;
    } else if (rows) {
        g->verdict = good == rows      ? VERDICT_AGREES
                     : missing == rows ? VERDICT_MISSING
                     : good > 0        ? VERDICT_PARTLY
                                       : VERDICT_DIFFERS;
    }
    const char *found = g->figure->found ? full_stop(f->arena, g->figure->found) : "";
    const char *ours =
        g->verdict == VERDICT_AGREES    ? arena_printf(f->arena, "Ours agrees%s.", detail)
        : g->verdict == VERDICT_DIFFERS ? arena_printf(f->arena, "Ours differs%s.", detail)
        : g->verdict == VERDICT_PARTLY  ? arena_printf(f->arena, "Ours agrees in %s%s.",
                                                      !g->figure->agrees ? "part"
                                                       : good == rows     ? "size, not in order"
                                                                          : "order, not in size",
                                                       detail)
        : g->verdict == VERDICT_MISSING ? "Whether ours agrees is not known: values are missing."
                                        : "";
    const char *why = g->verdict != VERDICT_DIFFERS && g->verdict != VERDICT_PARTLY ? ""
                      : g->figure->why ? full_stop(f->arena, g->figure->why)
                                       : "The reason is not known yet.";
    g->sentence = arena_printf(f->arena, "%s%s%s%s%s", found, *found && *ours ? " " : "", ours,
                               *why ? " " : "", why);
    return WW_OK;
}

enum ww_status sheet_fill(struct arena *a, const struct study *s, struct eval *e, struct diags *d,
                          struct sheet *out) {
    const struct filler f = {a, s, e, d};
    out->study = s;
    out->figure = arena_alloc(a, (s->figure.n + 1) * sizeof *out->figure);
    out->published = arena_alloc(a, (s->published.n + 1) * sizeof *out->published);
    enum ww_status status = WW_OK;
    for (uint32_t i = 0; i < s->figure.n && status == WW_OK; i++)
        status = fill_figure(&f, &s->figure.at[i], &out->figure[i]);
    for (uint32_t i = 0; i < s->published.n && status == WW_OK; i++)
        status = fill_published(&f, &s->published.at[i], asked(s, out, i), &out->published[i]);
    for (uint32_t i = 0; i < s->figure.n && status == WW_OK; i++)
        status = judge(&f, out, &out->figure[i]);
    out->note = eval_note(e);
    return status;
}

// ---- files ------------------------------------------------------------------------------------
static void csv_text(FILE *f, const char *t) {
    if (!strpbrk(t, ",\"\n")) {
        fputs(t, f);
        return;
    }
    fputc('"', f);
    for (; *t; t++) {
        if (*t == '"') fputc('"', f);
        fputc(*t, f);
    }
    fputc('"', f);
}

static void csv_number(FILE *f, double v) {
    if (isfinite(v)) fprintf(f, "%.8g", v);
}

static void csv_figure(const struct sheet_figure *g, FILE *f) {
    const bool scatter = strcmp(g->figure->kind, "scatter") == 0;
    fputs(g->figure->rows_are_numbers          ? "i"
          : g->figure->rows_are_configurations ? "configuration"
                                               : "workload",
          f);
    if (g->figure->x_value) fputs(",x", f);
    for (uint32_t q = 0; q < g->n_series; q++) {
        const struct study_series *s = &g->figure->series.at[q];
        if (scatter) {
            fputc(',', f);
            csv_text(f, s->label);
            fputs(" x", f);
        }
        fputc(',', f);
        csv_text(f, s->label);
        if (*s->unit) fprintf(f, " [%s]", s->unit);
    }
    fputc('\n', f);
    for (uint32_t r = 0; r < g->n_rows; r++) {
        csv_text(f, g->row[r].name);
        if (g->figure->x_value) {
            fputc(',', f);
            csv_number(f, g->row[r].x);
        }
        for (uint32_t q = 0; q < g->n_series; q++) {
            if (scatter) {
                fputc(',', f);
                csv_number(f, g->row[r].xs[q]);
            }
            fputc(',', f);
            csv_number(f, g->row[r].value[q]);
        }
        fputc('\n', f);
    }
}

static void csv_published(const struct sheet *sh, FILE *f) {
    fputs(
        "study,source,workload,configuration,metric,published,unit,ours,off,verdict,why,low,high\n",
        f);
    for (uint32_t i = 0; i < sh->study->published.n; i++) {
        const struct sheet_published *p = &sh->published[i];
        const char *const texts[] = {p->row->study,         p->row->source, p->row->workload,
                                     p->row->configuration, p->row->metric, p->row->value,
                                     p->row->unit};
        for (size_t k = 0; k < WW_COUNT(texts); k++) {
            csv_text(f, texts[k]);
            fputc(',', f);
        }
        csv_number(f, p->ours);
        fputc(',', f);
        csv_number(f, p->off);
        fprintf(f, ",%s,", verdict_text(p->verdict));
        csv_text(f, p->why ? p->why : "");
        fputc(',', f);
        csv_number(f, p->low);
        fputc(',', f);
        csv_number(f, p->high);
        fputc('\n', f);
    }
}

// Every metric in every run that is there. A metric that asks for something else stays out.
static void csv_metrics(const struct sheet *sh, struct eval *e, FILE *f) {
    const struct study *s = sh->study;
    fputs("workload,configuration,metric,value,unit\n", f);
    struct diags quiet;
    diags_init(&quiet);
    for (uint32_t w = 0; w < s->workload.n; w++)
        for (uint32_t c = 0; c < s->configuration.n; c++)
            for (uint32_t m = 0; m < s->metric.n; m++) {
                double v;
                const struct eval_scope scope = {.workload = (int)w, .configuration = (int)c};
                const char *name = arena_printf(&quiet.arena, "\"%s\"", s->metric.at[m].name);
                if (eval_number(e, name, s->metric.at[m].at, scope, &quiet, &v) != WW_OK ||
                    !isfinite(v))
                    continue;
                csv_text(f, s->workload.at[w].name);
                fputc(',', f);
                csv_text(f, s->configuration.at[c].name);
                fputc(',', f);
                csv_text(f, s->metric.at[m].name);
                fprintf(f, ",%.8g,%s\n", v, s->metric.at[m].unit);
            }
    diags_free(&quiet);
}

// What the kernels of each run were: sums over their launches.
static void csv_kernels(const struct sheet *sh, const struct eval *e, FILE *f) {
    static const char *const name[] = {ACT_NAME("cycles"),       ACT_NAME("warp_instructions"), ACT_NAME("thread_instructions"),
                                       ACT_NAME("cta_launches"), ACT_NAME("thread_launches"),   ACT_NAME("thread_registers"),
                                       ACT_NAME("cta_room")};
    fputs("workload,configuration,kernel,launches", f);
    for (size_t i = 0; i < WW_COUNT(name); i++) fprintf(f, ",%s", name[i]);
    fputc('\n', f);
    const struct study *s = sh->study;
    for (uint32_t w = 0; w < s->workload.n; w++)
        for (uint32_t c = 0; c < s->configuration.n; c++) {
            const struct result *r = eval_result(e, w, c);
            for (uint32_t k = 1; r && k < r->n_kernels; k++) {
                csv_text(f, s->workload.at[w].name);
                fputc(',', f);
                csv_text(f, s->configuration.at[c].name);
                fputc(',', f);
                csv_text(f, r->kernel[k].name);
                fprintf(f, ",%.0f", r->kernel[k].launches);
                for (size_t i = 0; i < WW_COUNT(name); i++)
                    fprintf(f, ",%llu",
                            (unsigned long long)act_get(&r->kernel[k].activity, name[i]));
                fputc('\n', f);
            }
        }
}

enum { SHEET_FORMAT = 1 }; // of study.json: raised when a reader of it would have to change

static json_t *json_number(double v) { return isfinite(v) ? json_real(v) : json_null(); }

// A figure's rows: of each its name and, by the series' label, its numbers.
static json_t *figure_rows_json(const struct sheet_figure *g) {
    json_t *rows = json_array();
    for (uint32_t i = 0; i < g->n_rows; i++) {
        json_t *r = json_object(), *values = json_object();
        json_object_set_new(r, "name", json_string(g->row[i].name));
        json_object_set_new(r, "is_mean", json_boolean(g->row[i].aggregate));
        for (uint32_t q = 0; q < g->n_series; q++)
            json_object_set_new(values, g->figure->series.at[q].label,
                                json_number(g->row[i].value[q]));
        json_object_set_new(r, "values", values);
        json_array_append_new(rows, r);
    }
    return rows;
}

static json_t *figure_units_json(const struct sheet_figure *g) {
    json_t *units = json_object();
    for (uint32_t q = 0; q < g->n_series; q++)
        json_object_set_new(units, g->figure->series.at[q].label,
                            json_string(g->figure->series.at[q].unit));
    return units;
}

static json_t *sheet_json(const struct sheet *sh) {
    json_t *o = json_object(), *rows = json_array(), *figures = json_array(),
           *failed = json_array();
    json_object_set_new(o, "format", json_integer(SHEET_FORMAT));
    json_object_set_new(o, "study", json_string(sh->study->name));
    json_object_set_new(o, "title", json_string(sh->study->title));
    json_object_set_new(o, "source", json_string(sh->study->source));
    json_object_set_new(o, "size", json_string(sh->size));
    for (uint32_t i = 0; i < sh->study->published.n; i++) {
        const struct sheet_published *p = &sh->published[i];
        json_t *r = json_object();
        json_object_set_new(r, "study", json_string(p->row->study));
        json_object_set_new(r, "source", json_string(p->row->source));
        json_object_set_new(r, "workload", json_string(p->row->workload));
        json_object_set_new(r, "configuration", json_string(p->row->configuration));
        json_object_set_new(r, "metric", json_string(p->row->metric));
        json_object_set_new(r, "published",
                            isfinite(p->row->number) ? json_real(p->row->number)
                                                     : json_string(p->row->value));
        json_object_set_new(r, "unit", json_string(p->row->unit));
        json_object_set_new(r, "ours", json_number(p->ours));
        json_object_set_new(r, "verdict", json_string(verdict_text(p->verdict)));
        if (p->why) json_object_set_new(r, "why", json_string(p->why));
        if (p->left_out) json_object_set_new(r, "left_out", json_string(p->left_out));
        if (p->by_choice) {
            json_t *by = json_object();
            for (uint32_t k = 0; k < sh->study->choice.n; k++)
                json_object_set_new(by, sh->study->choice.at[k].name, json_number(p->by_choice[k]));
            json_object_set_new(r, "low", json_number(p->low));
            json_object_set_new(r, "high", json_number(p->high));
            json_object_set_new(r, "choices", by);
        }
        json_array_append_new(rows, r);
    }
    json_object_set_new(o, "results", rows);
    json_t *choices = json_object();
    for (uint32_t i = 0; i < sh->study->choice.n; i++)
        json_object_set_new(choices, sh->study->choice.at[i].name,
                            json_string(sh->study->choice.at[i].why));
    json_object_set_new(o, "choices", choices);
    for (uint32_t i = 0; i < sh->study->figure.n; i++) {
        const struct sheet_figure *g = &sh->figure[i];
        json_t *r = json_object();
        json_object_set_new(r, "id", json_string(g->figure->id));
        json_object_set_new(r, "title", json_string(g->figure->title));
        json_object_set_new(r, "source", json_string(g->figure->source));
        json_object_set_new(r, "verdict", json_string(verdict_text(g->verdict)));
        json_object_set_new(r, "sentence", json_string(g->sentence));
        json_object_set_new(r, "units", figure_units_json(g));
        json_object_set_new(r, "rows", figure_rows_json(g));
        json_array_append_new(figures, r);
    }
    json_object_set_new(o, "figures", figures);
    for (uint32_t i = 0; i < sh->n_failed; i++)
        json_array_append_new(failed, json_string_nocheck(sh->failed[i]));
    json_object_set_new(o, "failed", failed);
    return o;
}

void sheet_print_json(const struct sheet *sh, FILE *out) {
    json_t *o = sheet_json(sh);
    json_dumpf(o, out, JSON_INDENT(1));
    fputc('\n', out);
    json_decref(o);
}

enum ww_status sheet_write(struct arena *a, const struct sheet *sh, struct eval *e, const char *dir,
                           struct diags *d) {
    enum ww_status s = file_make_folder(dir, d);
    const uint32_t n = sh->study->figure.n;
    for (uint32_t i = 0; i < n + 4 && s == WW_OK; i++) {
        const char *name = i < n        ? arena_printf(a, "%s.csv", sh->study->figure.at[i].id)
                           : i == n     ? "published.csv"
                           : i == n + 1 ? "metrics.csv"
                           : i == n + 2 ? "kernels.csv"
                                        : "study.json";
        char *text = NULL;
        size_t len = 0;
        FILE *f = open_memstream(&text, &len);
        if (!f) return diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", name);
        if (i < n) {
            csv_figure(&sh->figure[i], f);
        } else if (i == n) {
            csv_published(sh, f);
        } else if (i == n + 1) {
            csv_metrics(sh, e, f);
        } else if (i == n + 2) {
            csv_kernels(sh, e, f);
        } else {
            sheet_print_json(sh, f);
        }
        if (fclose(f) != 0)
            s = diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", name);
        else
            s = file_write_atomic(arena_printf(a, "%s/%s", dir, name), text, len, d);
        free(text);
    }
    return s;
}
