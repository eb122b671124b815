// What `compare` advises: of the configurations that lose at most a hundredth of the first one's
// speed, the one with the least energy-delay, if it saves a thousandth; with what it saves and
// where, and what it costs in time and area. The numbers are a figure of the comparison, so that
// CSV, JSON and page have them too.
#include "cli/cli.h"

#include <math.h>

#include "study/study.h"

static const double SLOWER_AT_MOST = 1.01;  // of the first configuration's time
static const double SAVES_AT_LEAST = 0.999; // of its energy-delay: less is no reason to change

enum column {
    SUM_ENERGY,
    SUM_TIME,
    SUM_EDP,
    SUM_LEAST,
    SUM_MOST,
    SUM_EXU,
    SUM_RF,
    SUM_SM,
    SUM_CHIP,
    SUM_REST,
    SUM_BOARD,
    SUM_MM2,
    SUM_MM2_SHARE,
    SUM_N
};
// Expressions over metrics of the comparison (cli/study.c), for a configuration.
static const struct {
    const char *is, *label, *unit;
} column[SUM_N] = {
    [SUM_ENERGY] = {"geomean('energy_ratio')", "energy", "ratio"},
    [SUM_TIME] = {"geomean('time_ratio')", "time", "ratio"},
    [SUM_EDP] = {"geomean('edp_ratio')", "energy-delay product", "ratio"},
    [SUM_LEAST] = {"average('saved_low')", "least saved", "%"},
    [SUM_MOST] = {"average('saved_high')", "most saved", "%"},
    [SUM_EXU] = {"average('saved_exu')", "execution", "%"},
    [SUM_RF] = {"average('saved_rf')", "registers", "%"},
    [SUM_SM] = {"average('saved_sm')", "other SM", "%"},
    [SUM_CHIP] = {"average('saved_chip')", "other chip", "%"},
    [SUM_REST] = {"average('saved_rest')", "rest of die", "%"},
    [SUM_BOARD] = {"average('saved_board')", "board", "%"},
    [SUM_MM2] = {"chip_mm2 - other('BASE', 'chip_mm2')", "area added", "mm2"},
    [SUM_MM2_SHARE] = {"100 * (chip_mm2 / other('BASE', 'chip_mm2') - 1)", "more area", "%"}};

// In the place of BASE the first configuration's name, in SQL's and in YAML's quotes.
static void write_expression(FILE *f, const char *is, const char *base) {
    const char *const at = strstr(is, "BASE");
    if (!at) {
        fputs(is, f);
        return;
    }
    fprintf(f, "%.*s%s%s", (int)(at - is), is, base, at + 4);
}

void recommend_metrics(FILE *f) {
    fputs("  chip_mm2: {is: \"area_mm2('chip') + coalesce(highest('added_mm2()'), 0)\", unit: "
          "mm2}\n",
          f);
}

void recommend_figure(FILE *f, const char *const *name, uint32_t n) {
    fprintf(f, "  summary:\n    kind: table\n    title: \"Each configuration against the first: "
               "means of the workloads\"\n    x: [");
    for (uint32_t i = 1; i < n; i++) {
        fputs(i > 1 ? ", \"" : "\"", f);
        for (const char *t = name[i]; *t; t++) {
            if (*t == '"' || *t == '\\') fputc('\\', f);
            fputc(*t, f);
        }
        fputc('"', f);
    }
    fputs("]\n    series:\n", f);
    for (uint32_t c = 0; c < SUM_N; c++) {
        fputs("      - {is: \"", f);
        write_expression(f, column[c].is, name[0]);
        fprintf(f, "\", label: %s, unit: \"%s\"}\n", column[c].label, column[c].unit);
    }
}

static const struct sheet_figure *find_figure(const struct sheet *sh, const char *id) {
    for (uint32_t i = 0; i < sh->study->figure.n; i++)
        if (strcmp(sh->figure[i].figure->id, id) == 0) return &sh->figure[i];
    return NULL;
}

// The workload that a configuration slows down most, from the figure of times.
static void print_slowest(const struct sheet *sh, uint32_t configuration, FILE *out) {
    const struct sheet_figure *const g = find_figure(sh, "time");
    const struct sheet_row *worst = NULL;
    for (uint32_t r = 0; g && r < g->n_rows; r++)
        if (!g->row[r].aggregate && isfinite(g->row[r].value[configuration]) &&
            (!worst || g->row[r].value[configuration] > worst->value[configuration]))
            worst = &g->row[r];
    if (worst && worst->value[configuration] > 1.0005)
        fprintf(out, "; %s loses most, %.1f %%", worst->name,
                100 * (worst->value[configuration] - 1));
}

static void print_where(const double *v, FILE *out) {
    const char *between = "  where: ";
    for (uint32_t c = SUM_EXU; c <= SUM_BOARD; c++) {
        if (!isfinite(v[c]) || fabs(v[c]) < 0.005) continue;
        fprintf(out, "%s%s %.2f %%", between, column[c].label, v[c]);
        between = ", ";
    }
    if (*between == ',') fputs(" of all energy\n", out);
}

// "saves 1.05 % of energy"; where it is the other way round, the words for that.
static void print_change(FILE *out, const char *saves, const char *takes, const char *of,
                         double percent) {
    const bool less = percent >= -0.005;
    fprintf(out, "%s %.2f %% %s%s", less ? saves : takes, fabs(percent), less ? "of " : "more ",
            of);
}

static void print_choice(const struct sheet *sh, const struct sheet_figure *g, uint32_t row,
                         FILE *out) {
    const double *const v = g->row[row].value;
    print_change(out, "  saves", "  takes", "energy", 100 * (1 - v[SUM_ENERGY]));
    fprintf(out, " (%.2f to %.2f %% less, as the fitted rest of the die draws)", v[SUM_LEAST],
            v[SUM_MOST]);
    print_change(out, ", saves", ", takes", "energy-delay", 100 * (1 - v[SUM_EDP]));
    fputc('\n', out);
    print_where(v, out);
    print_change(out, "  saves", "  takes", "time", 100 * (1 - v[SUM_TIME]));
    print_slowest(sh, row + 1, out);
    if (v[SUM_MM2] > 0)
        fprintf(out, "\n  adds %.4f mm2, %.3f %% of the chip\n", v[SUM_MM2], v[SUM_MM2_SHARE]);
    else
        fputs("\n  adds no area\n", out);
}

// The row with the least of a column among those of at most `time`; n_rows: none.
static uint32_t least(const struct sheet_figure *g, uint32_t c, double time) {
    uint32_t best = g->n_rows;
    for (uint32_t r = 0; r < g->n_rows; r++) {
        const double *const v = g->row[r].value;
        if (!isfinite(v[c]) || !(v[SUM_TIME] <= time)) continue;
        if (best == g->n_rows || v[c] < g->row[best].value[c]) best = r;
    }
    return best;
}

void recommend_print(const struct sheet *sh, const char *base, FILE *out) {
    const struct sheet_figure *const g = find_figure(sh, "summary");
    if (!g) return;
    const uint32_t any = least(g, SUM_ENERGY, INFINITY), take = least(g, SUM_EDP, SLOWER_AT_MOST);
    if (any == g->n_rows) return; // no energies
    if (take == g->n_rows)
        fprintf(out, "\nRecommended: %s stays; every other one is more than 1 %% slower\n", base);
    else if (g->row[take].value[SUM_EDP] > SAVES_AT_LEAST)
        fprintf(out,
                "\nRecommended: %s stays; no other one that is at most 1 %% slower saves 0.1 %% of "
                "energy-delay\n",
                base);
    else {
        fprintf(out, "\nRecommended: %s instead of %s\n", g->row[take].name, base);
        print_choice(sh, g, take, out);
    }
    if (any == take || g->row[any].value[SUM_ENERGY] > SAVES_AT_LEAST) return;
    fprintf(out, "Least energy, whatever it takes: %s\n", g->row[any].name);
    print_choice(sh, g, any, out);
}
