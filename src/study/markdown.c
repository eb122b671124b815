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

// ---- drawings ---------------------------------------------------------------------------------
enum { BAR = 14, GAP = 6, LEFT = 40, TOP = 34, HEIGHT = 200, LABELS = 140 };

static void xml_text(FILE *f, const char *t) {
    for (; *t; t++) {
        if (*t == '<') fputs("&lt;", f);
        else if (*t == '&') fputs("&amp;", f);
        else fputc(*t, f);
    }
}

static double row_sum(const struct sheet_figure *g, uint32_t r) {
    double sum = 0;
    for (uint32_t q = 0; q < g->n_series; q++)
        if (isfinite(g->row[r].value[q])) sum += g->row[r].value[q];
    return sum;
}

static void draw(const struct sheet_figure *g, FILE *f) {
    static const char *const ink[] = {"#33508f", "#5f8fd3", "#9cc3ec", "#d9a441",
                                      "#c2603f", "#7d3c6d", "#6b9a5b", "#444444"};
    double top = 0;
    for (uint32_t r = 0; r < g->n_rows; r++) top = fmax(top, row_sum(g, r));
    if (fabs(top - 100 * round(top / 100)) < 1 && top > 50) top = 100 * round(top / 100);
    if (top <= 0) top = 1;
    uint32_t legend = LEFT;
    for (uint32_t q = 0; q < g->n_series; q++)
        legend += 30 + 7 * (uint32_t)strlen(g->figure->series.at[q].label);
    const uint32_t bars = LEFT + g->n_rows * (BAR + GAP) + GAP;
    const uint32_t width = bars > legend ? bars : legend;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, TOP + HEIGHT + LABELS);
    uint32_t x = LEFT;
    for (uint32_t q = 0; q < g->n_series; q++) {
        fprintf(f,
                "<rect x=\"%u\" y=\"8\" width=\"11\" height=\"11\" fill=\"%s\"/><text x=\"%u\" "
                "y=\"18\">",
                x, ink[q % WW_COUNT(ink)], x + 15);
        xml_text(f, g->figure->series.at[q].label);
        fputs("</text>\n", f);
        x += 30 + 7 * (uint32_t)strlen(g->figure->series.at[q].label);
    }
    for (int i = 0; i <= 4; i++) {
        const int y = TOP + HEIGHT - HEIGHT * i / 4;
        fprintf(f,
                "<path d=\"M%d %d H%u\" stroke=\"#cccccc\"/><text x=\"%d\" y=\"%d\" "
                "text-anchor=\"end\">%.3g</text>\n",
                LEFT, y, bars, LEFT - 4, y + 4, top * i / 4);
    }
    for (uint32_t r = 0; r < g->n_rows; r++) {
        const uint32_t left = LEFT + GAP + r * (BAR + GAP);
        double y = TOP + HEIGHT;
        for (uint32_t q = 0; q < g->n_series; q++) {
            const double v = g->row[r].value[q], h = isfinite(v) && v > 0 ? v / top * HEIGHT : 0;
            y -= h;
            if (h > 0)
                fprintf(f, "<rect x=\"%u\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"/>\n",
                        left, y, BAR, h, ink[q % WW_COUNT(ink)]);
        }
        fprintf(f, "<text transform=\"translate(%u %d) rotate(-60)\" text-anchor=\"end\">",
                left + BAR, TOP + HEIGHT + 12);
        xml_text(f, g->row[r].name);
        fputs("</text>\n", f);
    }
    fputs("</svg>\n", f);
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
    draw(g, f);
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
