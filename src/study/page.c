// index.html: one page that opens from a file, offline. The template (page.html, with its style and
// script) and the chart library (Chart.js, as Debian packages it) are read when the page is written
// and stand inside it; every figure has its table in plain HTML, so nothing is lost without
// scripts.
#include "study/study.h"

#include "report/template.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static void html(FILE *f, const char *t) { template_html(f, t); }

static void figure_number(FILE *f, double v, const char *unit) {
    char text[64];
    beside_number(text, sizeof text, v, unit);
    fputs(text, f);
}

static const char *unit_of(const struct study_figure *g, uint32_t series) {
    return *g->series.at[series].unit ? g->series.at[series].unit : g->unit;
}

static void badge(FILE *f, enum verdict v) {
    static const char *const kind[] = {"none", "good", "bad", "unknown", "partly", "unknown"};
    if (v != VERDICT_NONE)
        fprintf(f, "<span class=\"badge %s\">%s</span>", kind[v], verdict_text(v));
}

static void figure_heads(const struct sheet_figure *g, FILE *f) {
    const bool scatter = strcmp(g->figure->kind, "scatter") == 0;
    fprintf(f, "<thead><tr><th scope=\"col\" class=\"text\">%s</th>",
            g->figure->rows_are_numbers          ? ""
            : g->figure->rows_are_configurations ? "configuration"
                                                 : "workload");
    if (g->figure->x_value) fputs("<th scope=\"col\">x</th>", f);
    for (uint32_t q = 0; q < g->n_series; q++) {
        if (scatter) fputs("<th scope=\"col\">x</th>", f);
        fputs("<th scope=\"col\">", f);
        html(f, g->figure->series.at[q].label);
        const char *const unit = unit_of(g->figure, q);
        if (*unit && strcmp(unit, g->figure->series.at[q].label) != 0) {
            fputs(" <small>", f);
            html(f, unit);
            fputs("</small>", f);
        }
        fputs("</th>", f);
    }
    fputs("</tr></thead>", f);
}

static void figure_row(const struct sheet_figure *g, uint32_t r, FILE *f) {
    const bool scatter = strcmp(g->figure->kind, "scatter") == 0;
    const struct sheet_row *const row = &g->row[r];
    fprintf(f, "<tr%s><th scope=\"row\">", row->aggregate ? " class=\"sum\"" : "");
    html(f, row->name);
    fputs("</th>", f);
    if (g->figure->x_value) {
        fputs("<td>", f);
        figure_number(f, row->x, "x");
        fputs("</td>", f);
    }
    for (uint32_t q = 0; q < g->n_series; q++) {
        const char *const unit = unit_of(g->figure, q);
        if (scatter) {
            fputs("<td>", f);
            figure_number(f, row->xs[q], "x");
            fputs("</td>", f);
        }
        fputs("<td>", f);
        figure_number(f, row->value[q], unit);
        if (isfinite(row->theirs[q])) {
            // with the digits that the source gave
            fprintf(f, " <small class=\"theirs\">published %.6g</small>", row->theirs[q]);
        }
        fputs("</td>", f);
    }
    fputs("</tr>", f);
}

// Rows of means are the table's foot, which stays in sight where the table scrolls.
static void figure_table(const struct sheet_figure *g, FILE *f) {
    enum { LONG = 40 }; // rows; longer tables scroll
    fprintf(f, "<div class=\"scroll%s\" tabindex=\"0\"><table><caption>",
            g->n_rows > LONG ? " long" : "");
    html(f, g->figure->title);
    fputs("</caption>", f);
    figure_heads(g, f);
    fputs("<tbody>", f);
    uint32_t r = 0;
    for (; r < g->n_rows && !g->row[r].aggregate; r++) figure_row(g, r, f);
    fputs("</tbody>", f);
    if (r < g->n_rows) fputs("<tfoot>", f);
    for (uint32_t i = r; i < g->n_rows; i++) figure_row(g, i, f);
    if (r < g->n_rows) fputs("</tfoot>", f);
    fputs("</table></div>", f);
}

static void figure_section(const struct sheet_figure *g, FILE *f) {
    const struct study_figure *q = g->figure;
    const bool chart = strcmp(q->kind, "table") != 0;
    fprintf(f, "<section id=\"%s\"><h2>", q->id);
    html(f, q->title);
    fputs("</h2><p class=\"meta\">", f);
    html(f, q->source);
    fputs("</p><p class=\"finding\">", f);
    badge(f, g->verdict);
    fputc(' ', f);
    html(f, g->sentence ? g->sentence : "");
    fputs("</p>", f);
    if (q->note) {
        fputs("<p class=\"note\">", f);
        html(f, q->note);
        fputs("</p>", f);
    }
    fprintf(f, "<div class=\"pair%s\">", chart && g->n_series <= 4 ? "" : " stack");
    if (chart) {
        fprintf(f, "<div class=\"chart\"><canvas role=\"img\" data-figure=\"%s\" aria-label=\"",
                q->id);
        html(f, q->title);
        fputs("; the table holds its values\"></canvas></div>", f);
    }
    figure_table(g, f);
    fputs("</div>", f);
    if (g->left_out) {
        fputs("<p class=\"note\">", f);
        html(f, g->left_out);
        fputs("</p>", f);
    }
    fprintf(f, "<p class=\"meta\"><a href=\"%s.csv\">%s.csv</a></p></section>", q->id, q->id);
}

static void td(FILE *f, const char *text) {
    fputs("<td class=\"text\">", f);
    html(f, text);
    fputs("</td>", f);
}

static void offset(FILE *f, double v, const char *unit) {
    if (v > 0) fputc('+', f);
    figure_number(f, v, unit);
}

// From the least to the most that a main value is under the study's choices.
static void interval(FILE *f, const struct sheet_published *p) {
    fputs("<td>", f);
    if (p->by_choice && isfinite(p->low)) {
        figure_number(f, p->low, p->row->unit);
        fputs(" to ", f);
        figure_number(f, p->high, p->row->unit);
    }
    fputs("</td>", f);
}

static void choices_list(const struct study *s, FILE *f) {
    if (!s->choice.n) return;
    fputs("<p>Over the choices: the least and the most that a value is when one thing that the "
          "source "
          "leaves open is decided otherwise.</p><ul>",
          f);
    for (uint32_t i = 0; i < s->choice.n; i++) {
        fputs("<li><strong>", f);
        html(f, s->choice.at[i].name);
        fputs("</strong>: ", f);
        html(f, s->choice.at[i].why);
        fputs("</li>", f);
    }
    fputs("</ul>", f);
}

static void published_section(const struct sheet *sh, FILE *f) {
    if (!sh->study->published.n) return;
    fputs("<section id=\"published\"><h2>Ours beside the published values</h2><div "
          "class=\"scroll\" tabindex=\"0\"><table><caption>Published "
          "values and ours</caption><thead><tr><th scope=\"col\" class=\"text\">source</th><th "
          "scope=\"col\" class=\"text\">workload</th><th scope=\"col\" "
          "class=\"text\">configuration</th><th scope=\"col\" class=\"text\">metric</th><th "
          "scope=\"col\">published</th><th scope=\"col\">ours</th>",
          f);
    if (sh->study->choice.n) fputs("<th scope=\"col\">over the choices</th>", f);
    fputs("<th scope=\"col\" class=\"text\">unit</th>"
          "<th scope=\"col\">off by</th><th scope=\"col\" class=\"text\">verdict</th><th "
          "scope=\"col\" class=\"text\">why</th></tr></thead><tbody>",
          f);
    for (uint32_t i = 0; i < sh->study->published.n; i++) {
        const struct sheet_published *p = &sh->published[i];
        fputs("<tr>", f);
        td(f, p->row->source);
        td(f, p->row->workload);
        td(f, p->row->configuration);
        td(f, p->row->metric);
        fputs("<td>", f);
        html(f, p->row->value);
        fputs("</td><td>", f);
        figure_number(f, p->ours, p->row->unit);
        fputs("</td>", f);
        if (sh->study->choice.n) interval(f, p);
        td(f, p->row->unit);
        fputs("<td>", f);
        if (isfinite(p->off) && p->row->claim->absolute)
            offset(f, p->off, p->row->unit);
        else if (isfinite(p->off))
            fprintf(f, "%+.1f %%", 100 * p->off);
        else
            fputs("–", f);
        fputs("</td><td class=\"text\">", f);
        badge(f, p->verdict);
        fputs("</td>", f);
        fputs("<td class=\"text\">", f);
        if (p->why && p->verdict != VERDICT_AGREES) html(f, p->why);
        if (p->left_out) {
            fputs(" <em>Mean without ", f);
            html(f, p->left_out);
            fputs("</em>", f);
        }
        fputs("</td></tr>", f);
    }
    fputs("</tbody></table></div>", f);
    choices_list(sh->study, f);
    fputs("<p class=\"meta\"><a href=\"published.csv\">published.csv</a>, <a "
          "href=\"metrics.csv\">metrics.csv</a>, "
          "<a href=\"study.json\">study.json</a></p></section>",
          f);
}

// The runs of a comparison: a row a workload, a column a configuration. The page's script writes what changes with the
// base.
static void runs_section(const struct sheet *sh, FILE *f) {
    const struct study *const s = sh->study;
    const uint32_t nc = s->configuration.n;
    bool any_page = false;
    fputs("<section id=\"runs\"><h2>Runs</h2><p class=\"tools\"><label>base of changes <select id=\"base\" disabled>", f);
    for (uint32_t q = 0; q < nc; q++) {
        fputs("<option>", f);
        html(f, s->configuration.at[q].name);
        fputs("</option>", f);
    }
    fputs("</select></label></p><div class=\"scroll\" tabindex=\"0\"><table><caption>Time and energy of each "
          "run</caption><thead><tr><th scope=\"col\" class=\"text\">workload</th>",
          f);
    for (uint32_t q = 0; q < nc; q++) {
        fputs("<th scope=\"col\">", f);
        html(f, s->configuration.at[q].name);
        fputs("</th>", f);
    }
    fputs("</tr></thead><tbody>", f);
    for (uint32_t w = 0; w < s->workload.n; w++) {
        fputs("<tr><th scope=\"row\">", f);
        html(f, s->workload.at[w].name);
        if (sh->beside[w]) fprintf(f, "<br><a href=\"%s\">beside each other</a>", sh->beside[w]);
        fputs("</th>", f);
        for (uint32_t q = 0; q < nc; q++) {
            const struct sheet_run *const r = &sh->run[w * nc + q];
            fputs("<td>", f);
            if (isfinite(r->seconds)) {
                fprintf(f, "<span data-seconds=\"%.9g\">%.4g µs</span><br>", r->seconds, 1e6 * r->seconds);
                if (isfinite(r->energy_j))
                    fprintf(f, "<span data-joules=\"%.9g\">%.4g µJ</span><br>", r->energy_j, 1e6 * r->energy_j);
            } else {
                fputs("–", f);
            }
            if (r->page) fprintf(f, "<a href=\"%s\">page</a>", r->page);
            any_page |= r->page != NULL;
            fputs("</td>", f);
        }
        fputs("</tr>", f);
    }
    fputs("</tbody></table></div>", f);
    fputs(any_page ? "<p class=\"meta\">A run's page shows where its time and energy went; runs beside each other have "
                     "their differences by component as a tree, against any of them.</p></section>"
                   : "<p class=\"meta\">With --pages each run has a page of its own here.</p></section>",
          f);
}

static void body(const struct sheet *sh, FILE *f) {
    const struct study *s = sh->study;
    fputs("<header><h1>", f);
    html(f, s->title);
    fputs("</h1><p class=\"meta\">", f);
    html(f, s->source);
    fprintf(f, "%ssize: ", *s->source ? " · " : "");
    html(f, sh->size);
    fputs(" · computed by warpwatt</p>", f);
    if (*s->summary) {
        fputs("<p>", f);
        html(f, s->summary);
        fputs("</p>", f);
    }
    if (s->published.n && strcmp(sh->size, "small") == 0)
        fputs("<p class=\"alert\">Small inputs, for a quick look: the published values are for "
              "larger ones, and a verdict here says little.</p>",
              f);
    for (uint32_t i = 0; i < sh->n_failed; i++) {
        fputs("<p class=\"alert\" role=\"alert\">Failed: ", f);
        html(f, sh->failed[i]);
        fputs("</p>", f);
    }
    if (sh->note) {
        fputs("<p class=\"alert\">", f);
        html(f, sh->note);
        fputs("</p>", f);
    }
    fputs("</header><nav aria-label=\"figures\"><ul>", f);
    if (sh->run) fputs("<li><a href=\"#runs\">Runs</a></li>", f);
    for (uint32_t i = 0; i < s->figure.n; i++) {
        fprintf(f, "<li><a href=\"#%s\">", s->figure.at[i].id);
        html(f, s->figure.at[i].title);
        fputs("</a> ", f);
        badge(f, sh->figure[i].verdict);
        fputs("</li>", f);
    }
    fputs("</ul></nav><main>", f);
    if (sh->run) runs_section(sh, f);
    for (uint32_t i = 0; i < s->figure.n; i++) figure_section(&sh->figure[i], f);
    published_section(sh, f);
    fputs("</main>", f);
}

static json_t *value(double v) { return isfinite(v) ? json_real(v) : json_null(); }

static json_t *figure_json(const struct sheet_figure *g, bool compares) {
    const struct study_figure *q = g->figure;
    json_t *o = json_object(), *labels = json_array(), *aggregate = json_array(),
           *series = json_array(), *x = json_array();
    json_object_set_new(o, "id", json_string(q->id));
    json_object_set_new(o, "kind", json_string(q->kind));
    json_object_set_new(o, "unit",
                        json_string(*q->unit      ? q->unit
                                    : q->series.n ? q->series.at[0].unit
                                                  : ""));
    json_object_set_new(o, "log", json_boolean(q->log_scale));
    // of a comparison the figures of ratios have a series a configuration
    if (compares && strcmp(q->kind, "bars") == 0) json_object_set_new(o, "rebase", json_true());
    for (uint32_t r = 0; r < g->n_rows; r++) {
        json_array_append_new(labels, json_string(g->row[r].name));
        json_array_append_new(aggregate, json_boolean(g->row[r].aggregate));
        json_array_append_new(x, value(g->row[r].x));
    }
    for (uint32_t k = 0; k < g->n_series; k++) {
        json_t *one = json_object(), *y = json_array(), *xs = json_array(), *theirs = json_array();
        for (uint32_t r = 0; r < g->n_rows; r++) {
            json_array_append_new(y, value(g->row[r].value[k]));
            json_array_append_new(xs, value(g->row[r].xs[k]));
            json_array_append_new(theirs, value(g->row[r].theirs[k]));
        }
        json_object_set_new(one, "label", json_string(q->series.at[k].label));
        json_object_set_new(one, "role", json_string(q->series.at[k].role));
        json_object_set_new(one, "y", y);
        json_object_set_new(one, "x", xs);
        if (g->has_theirs)
            json_object_set_new(one, "theirs", theirs);
        else
            json_decref(theirs);
        json_array_append_new(series, one);
    }
    json_object_set_new(o, "labels", labels);
    json_object_set_new(o, "aggregate", aggregate);
    json_object_set_new(o, "series", series);
    if (q->x_value)
        json_object_set_new(o, "x", x);
    else
        json_decref(x);
    return o;
}

static json_t *data(const struct sheet *sh) {
    json_t *all = json_array();
    for (uint32_t i = 0; i < sh->study->figure.n; i++)
        json_array_append_new(all, figure_json(&sh->figure[i], sh->compares));
    return all;
}

struct parts { // of the page
    const struct sheet *sh;
    const char *chart;
};

static void put_part(void *user, const char *name, FILE *f) {
    const struct parts *p = user;
    if (strcmp(name, "title") == 0) html(f, p->sh->study->title);
    if (strcmp(name, "body") == 0) body(p->sh, f);
    if (strcmp(name, "chart") == 0) fputs(p->chart, f);
    if (strcmp(name, "data") == 0) {
        json_t *all = data(p->sh);
        template_json(f, all, JSON_COMPACT);
        json_decref(all);
    }
}

enum ww_status page_write(struct arena *a, const struct sheet *sh, const struct study_host *host,
                          const char *dir, struct diags *d) {
    char *page, *chart;
    size_t page_len, chart_len, len = 0;
    enum ww_status s =
        file_read(a, arena_printf(a, "%s/page.html", host->page), 1 << 20, &page, &page_len, d);
    if (s == WW_OK)
        s = file_read(a, arena_printf(a, "%s/chart.min.js", host->page), 8 << 20, &chart,
                      &chart_len, d);
    if (s != WW_OK) return s;
    char *text = NULL;
    FILE *f = open_memstream(&text, &len);
    if (!f) return diag_add(d, WW_ERROR_MEMORY, "out of memory for index.html");
    struct parts parts = {.sh = sh, .chart = chart};
    template_fill(page, put_part, &parts, f);
    if (fclose(f) != 0)
        s = diag_add(d, WW_ERROR_MEMORY, "out of memory for index.html");
    else
        s = file_write_atomic(arena_printf(a, "%s/index.html", dir), text, len, d);
    free(text);
    return s;
}
