// A study of tuning spaces: sweeps of kernels whose configurations were measured, all on one page, each with the
// rank correlation of ours and the measured times, where our best stands in the whole measured table, and
// a drawing. The drawings are in the page itself, which therefore needs no script.
#include "study/sweep.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

struct space {
    const struct study_space *of;
    struct sweep *sweep;
    struct sweep_outcome outcome;
    struct space_rank rank;
};

// The goal: Spearman's correlation, and the part of the measured table in which our best lies, %.
static const double goal_spearman = 0.9, goal_place = 5;

static void escaped(FILE *f, const char *t) {
    for (; *t; t++) {
        if (*t == '<')
            fputs("&lt;", f);
        else if (*t == '>')
            fputs("&gt;", f);
        else if (*t == '&')
            fputs("&amp;", f);
        else if (*t == '"')
            fputs("&quot;", f);
        else
            fputc(*t, f);
    }
}

// ---- a drawing ----------------------------------------------------------------------------------
enum { SIDE = 260, LEFT = 56, TOP = 14, BELOW = 44 };

// Our time over the measured one, both as logarithms, with the line on which they are equal.
static void draw(FILE *f, const struct space *p) {
    double low = INFINITY, high = 0;
    for (uint32_t i = 0; i < p->outcome.points.n; i++) {
        const struct sweep_point *const q = &p->outcome.points.at[i];
        if (q->state != SWEEP_DONE) continue;
        low = fmin(low, fmin(q->measured_s, q->cost[SWEEP_TIME]));
        high = fmax(high, fmax(q->measured_s, q->cost[SWEEP_TIME]));
    }
    const double span = log(high / low) > 0 ? log(high / low) : 1;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<path d=\"M%d %d V%d H%d M%d %d L%d %d\" fill=\"none\" stroke=\"#bbbbbb\"/>\n",
            LEFT + SIDE + 14, TOP + SIDE + BELOW, LEFT, TOP, TOP + SIDE, LEFT + SIDE, LEFT,
            TOP + SIDE, LEFT + SIDE, TOP);
    for (int i = 0; i <= 2; i++) {
        const double at = low * exp(span * i / 2) * 1e3;
        fprintf(f,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%.3g</text>"
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.3g</text>\n",
                LEFT + SIDE * i / 2, TOP + SIDE + 16, at, LEFT - 4, TOP + SIDE - SIDE * i / 2 + 4,
                at);
    }
    fprintf(f,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">measured, ms</text>"
            "<text x=\"%d\" y=\"%d\">ours, ms</text>\n",
            LEFT + SIDE / 2, TOP + SIDE + 34, LEFT + 6, TOP + 10);
    for (uint32_t i = 0; i < p->outcome.points.n; i++) {
        const struct sweep_point *const q = &p->outcome.points.at[i];
        if (q->state != SWEEP_DONE || !(q->measured_s > 0)) continue;
        const bool best = (int)i == p->rank.best;
        fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\" fill-opacity=\"%s\"/>\n",
                LEFT + SIDE * log(q->measured_s / low) / span,
                TOP + SIDE - SIDE * log(q->cost[SWEEP_TIME] / low) / span, best ? "4" : "2.6",
                best ? "#c2410c" : "#33508f", best ? "1" : "0.6");
    }
    fputs("</svg>\n", f);
}

// ---- the page -----------------------------------------------------------------------------------
static bool meets(const struct space *p) {
    return p->rank.spearman >= goal_spearman && p->rank.best_place <= goal_place;
}

static const char *looked_at(const struct space *p) {
    return p->of->looked_at ? p->of->looked_at : "never looked at";
}

static void best_text(FILE *f, const struct space *p) {
    const struct sweep *const s = p->sweep;
    for (uint32_t k = 0; k < s->n_axes; k++)
        fprintf(f, "%s%s=%s", k ? " " : "", s->axis[k].name,
                s->axis[k].value[p->outcome.points.at[p->rank.best].at[k]].text);
}

static void page(FILE *f, const struct study *s, const struct space *list, uint32_t n) {
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          f);
    escaped(f, s->title);
    fputs(
        "</title>\n<style>:root{--ink:#1d2330;--soft:#59637a;--line:#d8dce4;--back:#fff;--link:#1f5fa8;--point:#33508f}\n"
        "@media screen and (prefers-color-scheme:dark){:root{--ink:#e6e9ef;--soft:#a3adbf;--line:#3a4150;--back:#14171d;"
        "--link:#7db3ee;--point:#7fa3d8}}\n"
        "body{font:15px/1.5 system-ui,sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;color:var(--ink);"
        "background:var(--back);overflow-wrap:break-word}a{color:var(--link)}h1{font-size:1.5em}h2{font-size:1.1em;"
        "margin-top:2em}.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:13px}td,th{padding:.2em .7em;"
        "border-bottom:1px solid var(--line);text-align:right}td:first-child,th:first-child{text-align:left}"
        "p.soft{color:var(--soft)}svg{max-width:100%}svg rect{fill:var(--back)}svg text{fill:var(--ink)}"
        "svg circle[fill=\"#33508f\"]{fill:var(--point)}:focus-visible{outline:2px solid var(--link)}\n"
        "@media print{:root{color-scheme:light}body{max-width:none;margin:0;padding:0;font-size:10pt}.scroll{overflow:visible}"
        "table{font-size:7pt}td,th{padding:.1em .3em}svg,tr{break-inside:avoid}h2{break-after:avoid}}\n"
        "</style></head><body>\n<h1>",
        f);
    escaped(f, s->title);
    fputs("</h1>\n<p>", f);
    escaped(f, s->summary);
    fputs("</p>\n<p class=\"soft\">", f);
    escaped(f, s->source);
    fputs(
        "</p>\n<div class=\"scroll\" tabindex=\"0\"><table><tr><th>space</th><th>points</th><th>Spearman</th><th>faster than our best, "
        "% of the table</th><th>our best, over the points' best</th><th>ours over measured</th>"
        "<th>from</th><th>to</th><th>not run</th><th>goal</th></tr>\n",
        f);
    for (uint32_t i = 0; i < n; i++) {
        const struct space *const p = &list[i];
        fputs("<tr><td>", f);
        escaped(f, p->sweep->title);
        fprintf(f,
                "</td><td>%u</td><td>%.3f</td><td>%.2f of %u</td><td>+%.1f %%</td><td>%.3g</td>"
                "<td>%.3g</td><td>%.3g</td><td>%u</td><td>%s</td></tr>\n",
                p->rank.n, p->rank.spearman, p->rank.best_place, p->sweep->measured.n,
                100 * p->rank.best_loss, p->rank.ratio, p->rank.low, p->rank.high,
                p->outcome.refused + p->outcome.failed, meets(p) ? "met" : "missed");
    }
    fprintf(f,
            "</table></div>\n<p class=\"soft\">The goal: a rank correlation of at least %.1f, and our "
            "best among the fastest %.0f %% of the measured table.</p>\n",
            goal_spearman, goal_place);
    for (uint32_t i = 0; i < n; i++) {
        const struct space *const p = &list[i];
        fputs("<h2>", f);
        escaped(f, p->sweep->title);
        fputs("</h2>\n<p>", f);
        escaped(f, looked_at(p));
        fputs(". ", f);
        if (p->of->note) escaped(f, p->of->note);
        fprintf(f, " Seed %llu, %s, compiled: ", (unsigned long long)p->sweep->seed, p->sweep->gpu);
        escaped(f, p->outcome.tool.name);
        fputc('.', f);
        if (p->rank.best >= 0) {
            fputs(" Our best: ", f);
            best_text(f, p);
            fputc('.', f);
        }
        fprintf(f, " <a href=\"%s/index.html\">All points</a>.</p>\n", p->sweep->name);
        if (p->rank.n) draw(f, p);
    }
    fputs("</body></html>\n", f);
}

static void table(FILE *f, const struct space *list, uint32_t n) {
    fputs(
        "space,gpu,points,spearman,best_place_percent,best_loss_percent,ratio,ratio_low,ratio_high,"
        "refused,failed,rows,seed,compiled,looked_at\n",
        f);
    for (uint32_t i = 0; i < n; i++) {
        const struct space *const p = &list[i];
        fprintf(f, "%s,%s,%u,%.4f,%.3f,%.2f,%.4g,%.4g,%.4g,%u,%u,%u,%llu,\"%s\",\"%s\"\n",
                p->sweep->name, p->sweep->gpu, p->rank.n, p->rank.spearman, p->rank.best_place,
                100 * p->rank.best_loss, p->rank.ratio, p->rank.low, p->rank.high,
                p->outcome.refused, p->outcome.failed, p->sweep->measured.n,
                (unsigned long long)p->sweep->seed, p->outcome.tool.name, looked_at(p));
    }
}

static json_t *number_or_null(double v) { return isfinite(v) ? json_real(v) : json_null(); }

static char *json_of(const struct study *s, const struct space *list, uint32_t n) {
    json_t *const spaces = json_array();
    for (uint32_t i = 0; i < n; i++) {
        const struct space *const p = &list[i];
        json_t *const o =
            json_pack("{s:s,s:s,s:s,s:i,s:i,s:i,s:b,s:s,s:s}", "name", p->sweep->name, "title",
                      p->sweep->title, "gpu", p->sweep->gpu, "points", (int)p->rank.n, "refused",
                      (int)p->outcome.refused, "failed", (int)p->outcome.failed, "meets_goal",
                      meets(p), "compiled", p->outcome.tool.name, "looked_at", looked_at(p));
        json_object_set_new(o, "spearman", number_or_null(p->rank.spearman));
        json_object_set_new(o, "best_place", number_or_null(p->rank.n ? p->rank.best_place : NAN));
        json_object_set_new(o, "best_loss", number_or_null(p->rank.n ? p->rank.best_loss : NAN));
        json_object_set_new(o, "ratio", number_or_null(p->rank.n ? p->rank.ratio : NAN));
        json_array_append_new(spaces, o);
    }
    json_t *const top = json_pack("{s:i,s:s,s:s,s:o}", "format", 1, "name", s->name, "title",
                                  s->title, "spaces", spaces);
    char *const text = json_dumps(top, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    json_decref(top);
    return text;
}

// A page of Markdown, with the drawings in the folder `figures` beside it.
static enum ww_status markdown(struct arena *a, const struct study *s, const struct space *list,
                               uint32_t n, const char *path, struct diags *d) {
    const char *const slash = strrchr(path, '/');
    const char *const folder = slash ? arena_strndup(a, path, (size_t)(slash + 1 - path)) : "";
    enum ww_status status = file_make_folder(arena_printf(a, "%sfigures", folder), d);
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f) return diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", path);
    fprintf(f, "# %s\n\n%s\n\nMeasured: %s. Written by `warpwatt study %s --markdown`.\n\n",
            s->title, s->summary, s->source, s->name);
    fputs(
        "| space | points | Spearman | faster than our best, % of the table | our best over the "
        "points' best | ours over measured | from | to | not run | compiled | looked at before |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---|\n",
        f);
    for (uint32_t i = 0; i < n; i++) {
        const struct space *const p = &list[i];
        fprintf(
            f, "| %s | %u | %.3f | %.2f of %u | +%.1f %% | %.3g | %.3g | %.3g | %u | %s | %s |\n",
            p->sweep->title, p->rank.n, p->rank.spearman, p->rank.best_place, p->sweep->measured.n,
            100 * p->rank.best_loss, p->rank.ratio, p->rank.low, p->rank.high,
            p->outcome.refused + p->outcome.failed, p->outcome.tool.name, looked_at(p));
    }
    for (uint32_t i = 0; i < n && status == WW_OK; i++) {
        const struct space *const p = &list[i];
        if (!p->rank.n) continue;
        const char *const name = arena_printf(a, "figures/%s-%s.svg", s->name, p->sweep->name);
        fprintf(f, "\n## %s\n\n%s%s![ours over measured](%s)\n", p->sweep->title,
                p->of->note ? p->of->note : "", p->of->note ? "\n\n" : "", name);
        char *image = NULL;
        size_t size = 0;
        FILE *const g = open_memstream(&image, &size);
        if (g) draw(g, p);
        if (!g || fclose(g) != 0)
            status = diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", name);
        else
            status = file_write_atomic(arena_printf(a, "%s%s", folder, name), image, size, d);
        free(image);
    }
    if (fclose(f) != 0) status = diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", path);
    if (status == WW_OK) status = file_write_atomic(path, text, len, d);
    free(text);
    return status;
}

static enum ww_status write_all(struct arena *a, const struct study *s, const struct space *list,
                                uint32_t n, const struct study_options *o, struct diags *d) {
    char *text = NULL;
    size_t len = 0;
    enum ww_status status = WW_OK;
    for (int what = 0; what < 2 && status == WW_OK; what++) {
        FILE *const f = open_memstream(&text, &len);
        if (f && what) table(f, list, n);
        if (f && !what) page(f, s, list, n);
        if (!f || fclose(f) != 0)
            status = diag_add(d, WW_ERROR_MEMORY, "out of memory for the page");
        else
            status = file_write_atomic(
                arena_printf(a, "%s/%s", o->out_dir, what ? "spaces.csv" : "index.html"), text, len,
                d);
        free(text);
        text = NULL;
    }
    char *const json = json_of(s, list, n);
    if (!json) return diag_add(d, WW_ERROR_MEMORY, "out of memory for study.json");
    if (status == WW_OK)
        status =
            file_write_atomic(arena_printf(a, "%s/study.json", o->out_dir), json, strlen(json), d);
    free(json);
    if (status == WW_OK && o->markdown) status = markdown(a, s, list, n, o->markdown, d);
    return status;
}

// One space; *whole: it came to its end.
static int run_one(struct arena *a, struct space *p, const struct study *s,
                   const struct study_host *host, const struct study_options *o, struct diags *d,
                   bool *whole) {
    char *text;
    size_t len;
    p->sweep = arena_alloc(a, sizeof *p->sweep);
    *whole = false;
    enum ww_status status = file_read(a, p->of->sweep, 4 << 20, &text, &len, d);
    if (status == WW_OK) status = sweep_parse(a, p->of->sweep, text, d, p->sweep);
    if (status == WW_OK && !p->sweep->measured.file)
        status = diag_add(d, WW_ERROR_CONFIG, "%s has no `measured` table", p->of->sweep);
    if (status != WW_OK) return ww_status_exit_code(status);
    if (p->of->points != 0 && p->of->points < p->sweep->points)
        p->sweep->points = p->of->points;
    if (o->size && strcmp(o->size, "small") == 0 && s->small_points < p->sweep->points)
        p->sweep->points = s->small_points;
    struct study_options own = *o;
    own.out_dir = arena_printf(a, "%s/%s", o->out_dir, p->sweep->name);
    int code = sweep_run(a, p->sweep, host, &own, d, &p->outcome, whole);
    if (!*whole) return code;
    p->rank = space_rank_of(a, p->sweep, &p->outcome);
    status = sweep_write(a, p->sweep, &p->outcome, host, own.out_dir, d);
    return status == WW_OK ? code : ww_status_exit_code(status);
}

int spaces_run(struct arena *a, const struct study *s, const struct study_host *host,
               const struct study_options *o, struct diags *d, FILE *lines) {
    struct space *const list = arena_alloc(a, (s->space.n + 1) * sizeof *list);
    enum ww_status status = file_make_folder(o->out_dir, d);
    int worst = status == WW_OK ? 0 : ww_status_exit_code(status);
    for (uint32_t i = 0; i < s->space.n && status == WW_OK; i++) {
        bool whole;
        list[i] = (struct space){.of = &s->space.at[i]};
        const int code = run_one(a, &list[i], s, host, o, d, &whole);
        if (!whole) return code;
        if (code > worst) worst = code;
        const struct space *const p = &list[i];
        if (lines && p->rank.n)
            fprintf(lines,
                    "%-28s %4u points, Spearman %6.3f, our best behind %5.2f %% of %u, ours over "
                    "measured %.3g (%.3g to %.3g)\n",
                    p->sweep->name, p->rank.n, p->rank.spearman, p->rank.best_place,
                    p->sweep->measured.n, p->rank.ratio, p->rank.low, p->rank.high);
        if (lines) fflush(lines);
    }
    if (status == WW_OK) status = write_all(a, s, list, s->space.n, o, d);
    if (status == WW_OK && lines) fprintf(lines, "%s/index.html\n", o->out_dir);
    return status == WW_OK ? worst : ww_status_exit_code(status);
}
