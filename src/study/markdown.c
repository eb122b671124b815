// A study as Markdown: a section a figure, with what the source found, a drawing where bars are
// stacked, and the table; then the published values beside ours. Drawings are SVG files in the
// folder `figures` beside the page, so that the page reads in a terminal and on a web site alike.
#include "study/study.h"

#include <math.h>
#include <stdlib.h>

// ---- words ------------------------------------------------------------------------------------
static void cell_text(FILE *f, const char *t) {
    for (; *t; t++) {
        if (*t == '|') fputc('\\', f);
        fputc(*t, f);
    }
}

static void number(FILE *f, double v, const char *unit) {
    char text[64];
    if (isfinite(v) && fabs(v) >= 1e6)
        snprintf(text, sizeof text, "%.1f M", v * 1e-6);
    else
        beside_number(text, sizeof text, v, unit);
    fputs(text, f);
}

static const char *unit_of(const struct study_figure *g, uint32_t series) {
    const char *own = g->series.at[series].unit;
    return own && *own ? own : g->unit ? g->unit : "";
}

// Whether all series have the unit that the heading can say once.
static bool same_unit(const struct study_figure *g) {
    for (uint32_t q = 1; q < g->series.n; q++)
        if (strcmp(unit_of(g, q), unit_of(g, 0)) != 0) return false;
    return true;
}

static void table(const struct sheet_figure *g, FILE *f) {
    const bool once = same_unit(g->figure);
    fputs(g->figure->rows_are_configurations ? "| configuration" : "| workload", f);
    for (uint32_t q = 0; q < g->n_series; q++) {
        fputs(" | ", f);
        cell_text(f, g->figure->series.at[q].label);
        if (!once && *unit_of(g->figure, q)) fprintf(f, ", %s", unit_of(g->figure, q));
    }
    fputs(" |\n|---", f);
    for (uint32_t q = 0; q < g->n_series; q++) fputs("|---:", f);
    fputs("|\n", f);
    for (uint32_t r = 0; r < g->n_rows; r++) {
        fputs(g->row[r].aggregate ? "| **" : "| ", f);
        cell_text(f, g->row[r].name);
        if (g->row[r].aggregate) fputs("**", f);
        for (uint32_t q = 0; q < g->n_series; q++) {
            fputs(" | ", f);
            number(f, g->row[r].value[q], unit_of(g->figure, q));
            if (isfinite(g->row[r].theirs[q])) fprintf(f, " (%.6g)", g->row[r].theirs[q]);
        }
        fputs(" |\n", f);
    }
    if (g->has_theirs) fputs("\nIn brackets: published.\n", f);
    if (g->left_out) fprintf(f, "\n%s\n", g->left_out);
    fputc('\n', f);
}

// ---- files ------------------------------------------------------------------------------------
static enum ww_status keep(const char *path, char **text, size_t *len, FILE *f, struct diags *d) {
    enum ww_status s = WW_OK;
    if (fclose(f) != 0)
        s = diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", path);
    else
        s = file_write_atomic(path, *text, *len, d);
    free(*text);
    *text = NULL;
    return s;
}

static enum ww_status draw_file(struct arena *a, const struct sheet_figure *g, const char *study,
                                const char *folder, const char **name, struct diags *d) {
    const char *dir = arena_printf(a, "%sfigures", folder);
    const enum ww_status made = file_make_folder(dir, d);
    if (made != WW_OK) return made;
    *name = arena_printf(a, "figures/%s-%s.svg", study, g->figure->id);
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f) return diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", *name);
    draw_figure(g, f);
    return keep(arena_printf(a, "%s%s", folder, *name), &text, &len, f, d);
}

static void published_table(const struct sheet *sh, FILE *f) {
    if (!sh->study->published.n) return;
    const bool choices = sh->study->choice.n > 0;
    fprintf(
        f,
        "## Published values\n\n| source | workload | configuration | what | published | ours | "
        "%sverdict | why it differs |\n|---|---|---|---|---:|---:|%s---|---|\n",
        choices ? "over the choices | " : "", choices ? "---:|" : "");
    for (uint32_t i = 0; i < sh->study->published.n; i++) {
        const struct sheet_published *p = &sh->published[i];
        fputs("| ", f);
        cell_text(f, p->row->source);
        fputs(" | ", f);
        cell_text(f, p->row->workload);
        fputs(" | ", f);
        cell_text(f, p->row->configuration);
        fputs(" | ", f);
        cell_text(f, p->row->metric);
        fprintf(f, " | %s %s | ", p->row->value, p->row->unit);
        number(f, p->ours, p->row->unit);
        if (choices) fputs(" | ", f);
        if (choices && p->by_choice && isfinite(p->low)) {
            number(f, p->low, p->row->unit);
            fputs(" to ", f);
            number(f, p->high, p->row->unit);
        }
        fprintf(f, " | %s | ", verdict_text(p->verdict));
        if (p->why && p->verdict != VERDICT_AGREES) cell_text(f, p->why);
        if (p->left_out) {
            fputs(" *Mean without ", f);
            cell_text(f, p->left_out);
            fputs("*", f);
        }
        fputs(" |\n", f);
    }
    if (choices) fputs("\nThe choices, each decided otherwise than above:\n\n", f);
    for (uint32_t i = 0; i < sh->study->choice.n; i++) {
        fprintf(f, "- %s: ", sh->study->choice.at[i].name);
        fprintf(f, "%s\n", sh->study->choice.at[i].why);
    }
}

enum ww_status markdown_write(struct arena *a, const struct sheet *sh, const char *path,
                              struct diags *d) {
    const char *slash = strrchr(path, '/');
    const char *folder = slash ? arena_strndup(a, path, (size_t)(slash + 1 - path)) : "";
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f) return diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", path);
    const struct study *s = sh->study;
    fprintf(f, "# %s\n\n", s->title);
    if (s->summary) fprintf(f, "%s\n\n", s->summary);
    fprintf(f,
            "Written by `warpwatt study %s --size %s --markdown`; the figures below are of that "
            "size.\n\n",
            s->name, sh->size);
    for (uint32_t i = 0; i < sh->n_failed; i++) fprintf(f, "- failed: %s\n", sh->failed[i]);
    enum ww_status status = WW_OK;
    for (uint32_t i = 0; i < s->figure.n && status == WW_OK; i++) {
        const struct sheet_figure *g = &sh->figure[i];
        fprintf(f, "## %s\n\n", g->figure->title);
        if (g->figure->source && *g->figure->source) fprintf(f, "After %s. ", g->figure->source);
        if (g->sentence && *g->sentence) fprintf(f, "%s ", g->sentence);
        if (g->figure->note) fprintf(f, "%s ", g->figure->note);
        if (g->n_series && same_unit(g->figure) && *unit_of(g->figure, 0))
            fprintf(f, "In %s.", unit_of(g->figure, 0));
        fputs("\n\n", f);
        if (strcmp(g->figure->kind, "stacked") == 0) {
            const char *name = NULL;
            status = draw_file(a, g, s->name, folder, &name, d);
            if (status == WW_OK) fprintf(f, "![%s](%s)\n\n", g->figure->title, name);
        }
        table(g, f);
    }
    published_table(sh, f);
    const enum ww_status kept = keep(path, &text, &len, f, d);
    return status != WW_OK ? status : kept;
}
