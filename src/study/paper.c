// A study's figures and tables for a paper: each drawing as SVG, and as PDF and PNG where rsvg-convert
// is at hand; each table, and the published values beside ours, as LaTeX (package booktabs).
#include "study/study.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

// ---- LaTeX ----------------------------------------------------------------------------------------
static void tex(FILE *f, const char *t) {
    for (; t && *t; t++) {
        if (strchr("&%$#_{}", *t)) fprintf(f, "\\%c", *t);
        else if (*t == '~') fputs("\\textasciitilde{}", f);
        else if (*t == '^') fputs("\\textasciicircum{}", f);
        else if (*t == '<') fputs("\\textless{}", f);
        else if (*t == '>') fputs("\\textgreater{}", f);
        else if (*t == '\\') fputs("\\textbackslash{}", f);
        else fputc(*t, f);
    }
}
static void tex_number(FILE *f, double v, const char *unit) {
    char text[64];
    if (!isfinite(v)) {
        fputs("--", f);
        return;
    }
    beside_number(text, sizeof text, v, unit);
    tex(f, text);
}

static const char *unit_of(const struct study_figure *g, uint32_t series) {
    const char *own = g->series.at[series].unit;
    return own && *own ? own : g->unit ? g->unit : "";
}

// Columns: a row's name, its place where it has one, each series; means below a line; published values in brackets.
static void tex_table(const struct sheet_figure *g, FILE *f) {
    const struct study_figure *const q = g->figure;
    const bool is_scatter = strcmp(q->kind, "scatter") == 0;
    fprintf(f, "%% %s\n\\begin{tabular}{l%s", q->title, q->x_value ? "r" : "");
    for (uint32_t k = 0; k < g->n_series; k++) fputs(is_scatter ? "rr" : "r", f);
    fprintf(f, "}\n\\toprule\n%s", q->rows_are_configurations ? "configuration" : q->rows_are_numbers ? "" : "workload");
    if (q->x_value) fputs(" & x", f);
    for (uint32_t k = 0; k < g->n_series; k++) {
        fputs(is_scatter ? " & x & " : " & ", f);
        tex(f, q->series.at[k].label);
        if (*unit_of(q, k)) {
            fputs(" [", f);
            tex(f, unit_of(q, k));
            fputc(']', f);
        }
    }
    fputs(" \\\\\n\\midrule\n", f);
    for (uint32_t r = 0; r < g->n_rows; r++) {
        const struct sheet_row *const row = &g->row[r];
        if (row->aggregate && r && !g->row[r - 1].aggregate) fputs("\\midrule\n", f);
        tex(f, row->name);
        if (q->x_value) fprintf(f, " & %.6g", row->x);
        for (uint32_t k = 0; k < g->n_series; k++) {
            if (is_scatter) fprintf(f, " & %.6g", row->xs[k]);
            fputs(" & ", f);
            tex_number(f, row->value[k], unit_of(q, k));
            if (isfinite(row->theirs[k])) fprintf(f, " (%.6g)", row->theirs[k]);
        }
        fputs(" \\\\\n", f);
    }
    fputs("\\bottomrule\n\\end{tabular}\n", f);
}

static void tex_published(const struct sheet *sh, FILE *f) {
    fputs("\\begin{tabular}{lllrrl}\n\\toprule\nsource & at & what & published & ours & verdict \\\\\n\\midrule\n", f);
    for (uint32_t i = 0; i < sh->study->published.n; i++) {
        const struct sheet_published *const p = &sh->published[i];
        tex(f, p->row->source);
        fputs(" & ", f);
        tex(f, p->row->workload);
        if (*p->row->workload && *p->row->configuration) fputs(", ", f);
        tex(f, p->row->configuration);
        fputs(" & ", f);
        tex(f, p->row->metric);
        fputs(" & ", f);
        tex(f, p->row->value);
        if (*p->row->unit) fputc(' ', f);
        tex(f, p->row->unit);
        fputs(" & ", f);
        tex_number(f, p->ours, p->row->unit);
        fprintf(f, " & %s \\\\\n", verdict_text(p->verdict));
    }
    fputs("\\bottomrule\n\\end{tabular}\n", f);
}

// ---- files ----------------------------------------------------------------------------------------
struct text { // a file that is being written
    char *at;
    size_t len;
    FILE *f;
};
static bool begin(struct text *t, const char *path, struct diags *d) {
    *t = (struct text){0};
    t->f = open_memstream(&t->at, &t->len);
    if (!t->f) diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", path);
    return t->f != NULL;
}
static enum ww_status finish(struct text *t, const char *path, struct diags *d) {
    enum ww_status s = WW_OK;
    if (fclose(t->f) != 0) s = diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", path);
    else s = file_write_atomic(path, t->at, t->len, d);
    free(t->at);
    return s;
}

// Whether the converter is at hand: WW_ERROR_UNSUPPORTED and no sentence where it is not.
static enum ww_status convert(const char *svg, const char *format, const char *to, struct diags *d) {
    const char *const words[] = {"rsvg-convert", "-f", format, "-o", to, svg, NULL};
    pid_t child;
    const int why = posix_spawnp(&child, words[0], NULL, NULL, (char *const *)(uintptr_t)words, environ);
    if (why == ENOENT) return WW_ERROR_UNSUPPORTED;
    if (why) return diag_add(d, WW_ERROR_IO, "cannot start rsvg-convert: %s", strerror(why));
    int state = 0;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) continue;
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
        return diag_add(d, WW_ERROR_IO, "rsvg-convert made no %s of %s", format, svg);
    return WW_OK;
}

static enum ww_status write_drawing(struct arena *a, const struct sheet_figure *g, const char *stem,
                                    bool *converts, struct diags *d) {
    static const char *const formats[] = {"pdf", "png"};
    const char *const svg = arena_printf(a, "%s.svg", stem);
    struct text t;
    if (!begin(&t, svg, d)) return WW_ERROR_MEMORY;
    if (!draw_figure(g, t.f)) { // a table has no drawing
        fclose(t.f);
        free(t.at);
        return WW_OK;
    }
    enum ww_status s = finish(&t, svg, d);
    for (size_t i = 0; s == WW_OK && *converts && i < WW_COUNT(formats); i++) {
        s = convert(svg, formats[i], arena_printf(a, "%s.%s", stem, formats[i]), d);
        if (s != WW_ERROR_UNSUPPORTED) continue;
        *converts = false;
        s = WW_OK;
    }
    return s;
}

enum ww_status paper_write(struct arena *a, const struct sheet *sh, const char *dir, bool *converts,
                           struct diags *d) {
    enum ww_status s = file_make_folder(dir, d);
    *converts = true;
    for (uint32_t i = 0; i < sh->study->figure.n && s == WW_OK; i++) {
        const struct sheet_figure *const g = &sh->figure[i];
        const char *const stem = arena_printf(a, "%s/%s", dir, g->figure->id),
                   *const path = arena_printf(a, "%s.tex", stem);
        struct text t;
        if (!begin(&t, path, d)) return WW_ERROR_MEMORY;
        tex_table(g, t.f);
        s = finish(&t, path, d);
        if (s == WW_OK) s = write_drawing(a, g, stem, converts, d);
    }
    if (s != WW_OK || !sh->study->published.n) return s;
    const char *const path = arena_printf(a, "%s/published.tex", dir);
    struct text t;
    if (!begin(&t, path, d)) return WW_ERROR_MEMORY;
    tex_published(sh, t.f);
    return finish(&t, path, d);
}
