// `warpwatt sweep`: a design space, point by point. The machinery is the study room's (sweep.h).
#include "cli/cli.h"

#include <math.h>

#include "study/sweep.h"

enum { OPT_OUT, OPT_JOBS, OPT_DB, OPT_PAGES, OPT_N };
static const struct cli_option option[OPT_N] = {
    [OPT_OUT] = {"--out", 'o', "DIR",
                 "where points.csv, points.db, sweep.json and index.html go (default sweep-NAME)",
                 CLI_FOLDER},
    [OPT_JOBS] = {"--jobs", 'j', "N", "runs at a time (default: one a processor)"},
    [OPT_DB] = {"--db", 0, "FILE", "where results are kept (default ~/.cache/warpwatt/results.db)",
                CLI_FILE},
    [OPT_PAGES] = {"--pages", 0, NULL, "also the page of each run on the front, in runs/ of DIR (these run again)"},
};

const struct cli_spec spec_sweep = {
    .name = "sweep",
    .form = {"[options] FILE.yaml"},
    .prose = "Runs the points of a design space (all, random ones, a Latin hypercube, or a search "
             "for the\n"
             "front of time, energy and area) and shows them; what is kept is not run again.\n"
             "docs/sweeps.md says what the file may have.",
    .part = {CLI_PART(option), CLI_POOL_PART},
    .word = CLI_FILE,
};

static void print_front(const struct sweep *s, const struct sweep_outcome *o) {
    printf("%u points: %u on the front, %u refused, %u failed; %u runs\n\n", o->points.n, o->front,
           o->refused, o->failed, o->runs);
    for (uint32_t k = 0; k < s->n_axes; k++) printf("%-20.20s ", s->axis[k].name);
    printf("%12s %12s %10s\n", "time s", "energy J", "area mm2");
    enum { SHOWN = 40 };
    uint32_t shown = 0;
    for (uint32_t i = 0; i < o->points.n && shown < SHOWN; i++) {
        const struct sweep_point *p = &o->points.at[i];
        if (!p->front) continue;
        shown++;
        for (uint32_t k = 0; k < s->n_axes; k++)
            printf("%-20.20s ", s->axis[k].value[p->at[k]].text);
        printf("%12.4g %12.4g %10.4g\n", p->cost[SWEEP_TIME], p->cost[SWEEP_ENERGY],
               p->cost[SWEEP_AREA]);
    }
    if (o->front > shown) printf("and %u more, in points.csv\n", o->front - shown);
}

// What to take: the least energy, and the least energy-delay among points that lose at most a
// hundredth of the first point's speed. Nothing without both costs.
static void print_best(const struct sweep *s, const struct sweep_outcome *o) {
    static const struct {
        const char *what;
        enum sweep_objective of;
        double slower;
    } want[] = {{"least energy", SWEEP_ENERGY, INFINITY},
                {"least energy-delay", SWEEP_OBJECTIVES, INFINITY},
                {"least energy-delay, at most 1 % slower", SWEEP_OBJECTIVES, 0.01}};
    const struct sweep_point *const first = sweep_first(o);
    if (!first || !isfinite(first->cost[SWEEP_ENERGY])) return;
    puts("\nagainst the first value of every axis");
    for (size_t i = 0; i < WW_COUNT(want); i++) {
        const int at = sweep_best(o, want[i].of, want[i].slower);
        if (at < 0) continue;
        const struct sweep_point *const p = &o->points.at[at];
        printf("  %s:", want[i].what);
        for (uint32_t k = 0; k < s->n_axes; k++)
            printf("%s %s=%s", k ? "," : "", s->axis[k].name, s->axis[k].value[p->at[k]].text);
        printf("\n      energy %+.2f %%, time %+.2f %%, area %+.2f %%\n",
               100 * (p->cost[SWEEP_ENERGY] / first->cost[SWEEP_ENERGY] - 1),
               100 * (p->cost[SWEEP_TIME] / first->cost[SWEEP_TIME] - 1),
               100 * (p->cost[SWEEP_AREA] / first->cost[SWEEP_AREA] - 1));
    }
}

// How ours orders the points against their measured times.
static void print_rank(struct cli *c, const struct sweep *s, const struct sweep_outcome *o) {
    if (!s->measured.file) return;
    const struct space_rank r = space_rank_of(&c->arena, s, o);
    printf("\nagainst `%s` of %s\n", s->measured.column, s->measured.file);
    if (o->tool.makes) printf("  compiled: %s\n", o->tool.name);
    if (r.best < 0) {
        puts("  no point that ran was measured");
        return;
    }
    printf("  %u points: Spearman's rank correlation %.3f; our time over the measured one %.3g "
           "(geometric mean), from %.3g to %.3g\n",
           r.n, r.spearman, r.ratio, r.low, r.high);
    printf("  our best:");
    for (uint32_t k = 0; k < s->n_axes; k++)
        printf(" %s=%s", s->axis[k].name, s->axis[k].value[o->points.at[r.best].at[k]].text);
    printf("\n      measured, %.2f %% of all %u rows are faster; it takes %.1f %% longer than the "
           "best of these points\n",
           r.best_place, s->measured.n, 100 * r.best_loss);
}

static void print_troubles(const struct sweep_outcome *o) {
    const char *last = NULL; // a sentence that many points share is said once
    for (uint32_t i = 0; i < o->points.n; i++) {
        const struct sweep_point *p = &o->points.at[i];
        if (!p->why || (last && strcmp(last, p->why) == 0)) continue;
        fprintf(stderr, "%s: %s\n", p->state == SWEEP_FAILED ? "failed" : "refused", p->why);
        last = p->why;
    }
}

int cmd_sweep(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    struct study_options o = {.processes = cli_processors()};
    struct pool_request pool = POOL_DEFAULTS;
    const char *path = NULL, *value;
    uint64_t n = 0;
    enum ww_status s = WW_OK;
    for (int opt; s == WW_OK && (opt = cli_next(&args, &spec_sweep, &value)) != CLI_END;) {
        switch (opt) {
        case CLI_STOP: return args.code;
        case CLI_WORD:
            if (path) return cli_usage("one sweep at a time: `%s` is too much", value);
            path = value;
            break;
        case OPT_OUT: o.out_dir = value; break;
        case OPT_DB: o.db = value; break;
        case OPT_PAGES: o.pages = true; break;
        case OPT_JOBS:
            if (!text_to_u64(value, &n) || n < 1 || n > 64)
                return cli_usage("--jobs is `%s`; it must be a whole number from 1 to 64", value);
            o.processes = (uint32_t)n;
            break;
        default: s = pool_option(c, &pool, opt - OPT_N, value); break;
        }
    }
    if (s == WW_OK && !path) return cli_usage("sweep needs a file; docs/sweeps.md shows one");
    char *text;
    size_t len;
    struct sweep *sweep = arena_alloc(&c->arena, sizeof *sweep);
    struct study_host host;
    struct sweep_outcome outcome;
    bool whole = false;
    if (s == WW_OK) s = file_read(&c->arena, path, 4 << 20, &text, &len, &c->diags);
    if (s == WW_OK) s = sweep_parse(&c->arena, path, text, &c->diags, sweep);
    if (s == WW_OK && !o.db) s = study_default_db(&c->arena, &c->diags, &o.db);
    if (s == WW_OK) s = pool_ready(c, &pool, o.db);
    if (s == WW_OK) s = study_host_of(c, &host);
    if (s != WW_OK) return cli_fail(c, s);
    if (!o.out_dir) o.out_dir = arena_printf(&c->arena, "sweep-%s", sweep->name);
    o.pool = pool.options;
    const int code = sweep_run(&c->arena, sweep, &host, &o, &c->diags, &outcome, &whole);
    if (whole) {
        s = sweep_write(&c->arena, sweep, &outcome, &host, o.out_dir, &c->diags);
        print_troubles(&outcome);
        if (s == WW_OK) print_front(sweep, &outcome);
        if (s == WW_OK && !sweep->program.there) print_best(sweep, &outcome);
        if (s == WW_OK) print_rank(c, sweep, &outcome);
        if (s == WW_OK) printf("\n%s/index.html\n", o.out_dir);
    }
    fflush(stdout);
    if (c->diags.list.n) diags_print(&c->diags, stderr);
    return s != WW_OK ? ww_status_exit_code(s) : code;
}
