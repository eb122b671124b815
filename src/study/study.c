// The whole way of a study: what must run, running it, computing, writing.
#include "gpu/technique.h"
#include "study/pool.h"
#include "study/run_pages.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>

enum ww_status study_default_db(struct arena *a, struct diags *d, const char **path) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *base = cache && *cache ? cache
                       : home && *home ? arena_printf(a, "%s/.cache", home)
                                       : NULL;
    if (!base)
        return diag_add(
            d, WW_ERROR_IO,
            "no place for the results file: set HOME or XDG_CACHE_HOME, or name it with --db");
    const char *const dir = arena_printf(a, "%s/warpwatt", base);
    const enum ww_status s = file_make_folder(dir, d);
    if (s != WW_OK) {
        diag_at(d, DIAG_NOTE, WW_OK, NULL, NULL, 0, 0, "--db names another results file");
        return s;
    }
    *path = arena_printf(a, "%s/results.db", dir);
    return WW_OK;
}

enum ww_status study_only(struct study *s, const char *list, struct diags *d) {
    const char **const id = arena_alloc(s->arena, (s->figure.n + 1) * sizeof *id);
    bool *const keeps = arena_alloc(s->arena, (s->figure.n + 1) * sizeof *keeps);
    for (uint32_t i = 0; i < s->figure.n; i++) id[i] = s->figure.at[i].id;
    char *rest = arena_strdup(s->arena, list);
    for (char *name; (name = strsep(&rest, ","));) {
        uint32_t at = 0;
        while (at < s->figure.n && strcmp(id[at], name) != 0) at++;
        if (at < s->figure.n) {
            keeps[at] = true;
            continue;
        }
        const int near = text_nearest(name, id, s->figure.n);
        if (near >= 0)
            return diag_add(d, WW_ERROR_USAGE, "%s has no figure `%s`; did you mean `%s`?", s->name,
                            name, id[near]);
        return diag_add(d, WW_ERROR_USAGE, "%s has no figure `%s`; %s names them", s->name, name,
                        s->file);
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->figure.n; i++)
        if (keeps[i]) s->figure.at[n++] = s->figure.at[i];
    s->figure.n = n;
    s->choice.n = 0;
    for (uint32_t i = 0; i < s->published.n; i++) {
        const struct study_claim *const c = s->published.at[i].claim;
        s->published.at[i].waits = true;
        for (uint32_t k = 0; c && c->figure && k < n; k++)
            if (strcmp(c->figure, s->figure.at[k].id) == 0) s->published.at[i].waits = false;
    }
    return WW_OK;
}

struct way {
    struct arena *arena;
    const struct study *s;
    const struct study_host *host;
    const struct study_options *o;
    struct diags *d;
    const struct gpu_config **gpu; // [configurations]
    struct eval *e;
    bool *needed;
    uint32_t *job_of; // [workloads * configurations]
    job_list jobs;
    struct result *results;
    const struct limited **limited; // [as results], NULL: its board has no limit
};

static enum ww_status load_gpus(struct way *w) {
    w->gpu = arena_alloc(w->arena, (w->s->configuration.n + 1) * sizeof *w->gpu);
    for (uint32_t i = 0; i < w->s->configuration.n; i++) {
        const struct study_configuration *c = &w->s->configuration.at[i];
        struct gpu_config *const gpu = gpu_config_new(w->arena);
        const enum ww_status s =
            technique_configure(c->gpu, c->policy, c->set, c->n_set, w->d, gpu, NULL);
        w->gpu[i] = gpu;
        if (s != WW_OK) {
            diag_at(w->d, DIAG_NOTE, s, w->s->file, w->s->text, c->at.line, c->at.col,
                    "in configuration `%s`", c->name);
            return s;
        }
    }
    return WW_OK;
}

// A dry evaluation notes which runs the figures and published rows ask for.
static enum ww_status find_jobs(struct way *w, struct sheet *sheet) {
    const uint32_t nc = w->s->configuration.n;
    eval_set_dry(w->e, w->needed);
    enum ww_status s = sheet_fill(w->arena, w->s, w->e, w->d, sheet);
    if (s == WW_OK) s = eval_check_metrics(w->e, w->d);
    const bool small = strcmp(w->o->size, "small") == 0;
    for (uint32_t i = 0; i < w->s->workload.n * nc && s == WW_OK; i++) {
        if (!w->needed[i]) continue;
        const struct study_workload *q = &w->s->workload.at[i / nc];
        s = job_add(w->arena, &w->jobs, w->host, &w->s->configuration.at[i % nc], q, q->run,
                    small ? q->small : q->paper, w->d, &w->job_of[i]);
        if (s != WW_OK)
            diag_at(w->d, DIAG_NOTE, s, w->s->file, w->s->text, q->at.line, q->at.col,
                    "in workload `%s`", q->name);
    }
    return s;
}

static enum ww_status fetch(struct way *w, struct store *store) {
    const uint32_t n = w->s->workload.n * w->s->configuration.n;
    struct result *by_job = arena_alloc(w->arena, (w->jobs.n + 1) * sizeof *by_job);
    for (uint32_t i = 0; i < w->jobs.n; i++) {
        const enum ww_status s = store_get(store, w->arena, w->jobs.at[i].key, w->d, &by_job[i]);
        if (s != WW_OK) return s;
    }
    for (uint32_t i = 0; i < n; i++)
        if (w->needed[i]) w->results[i] = by_job[w->job_of[i]];
    return WW_OK;
}

// The clock of each run whose board has a power limit, and its result there.
static enum ww_status limit_clocks(struct way *w, struct store *store,
                                   const struct pool_options *po, struct pool_counts *counts) {
    const uint32_t nc = w->s->configuration.n, n = w->s->workload.n * nc;
    struct limited *const run = arena_alloc(w->arena, (n + 1) * sizeof *run);
    uint32_t *const cell = arena_alloc(w->arena, (n + 1) * sizeof *cell), runs = 0;
    const bool small = strcmp(w->o->size, "small") == 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct study_workload *const q = &w->s->workload.at[i / nc];
        if (!w->needed[i] || !w->results[i].there) continue;
        if (!(gpu_config_real(w->gpu[i % nc], "board.power_limit") > 0)) continue;
        cell[runs] = i;
        run[runs++] = (struct limited){.configuration = &w->s->configuration.at[i % nc],
                                       .row = q,
                                       .workload = q->run,
                                       .size = small ? q->small : q->paper,
                                       .kernel = q->kernel,
                                       .gpu = w->gpu[i % nc],
                                       .result = w->results[i],
                                       .watts = eval_watts(w->e, i % nc)};
    }
    const enum ww_status s = limited_runs(w->arena, run, runs, w->host, store, po, !w->o->no_run,
                                          w->d, counts);
    for (uint32_t k = 0; k < runs; k++) {
        w->results[cell[k]] = run[k].result;
        w->limited[cell[k]] = &run[k];
    }
    return s;
}

static enum ww_status write_paper(struct way *w, const struct sheet *sheet) {
    bool converts;
    const enum ww_status s = paper_write(w->arena, sheet, w->o->paper, &converts, w->d);
    if (s == WW_OK && !converts)
        fprintf(stderr, "%s has SVG and LaTeX only: rsvg-convert (Debian: librsvg2-bin) makes PDF and PNG\n",
                w->o->paper);
    return s;
}

// The runs of a comparison with their figures and, where they were asked for, their pages: of each workload's
// configurations also one page of all.
static enum ww_status list_runs(struct way *w, struct sheet *sheet) {
    const uint32_t nc = w->s->configuration.n, nw = w->s->workload.n;
    sheet->run = arena_alloc(w->arena, (nw * nc + 1) * sizeof *sheet->run);
    sheet->beside = arena_alloc(w->arena, (nw + 1) * sizeof *sheet->beside);
    struct run_page *const page = arena_alloc(w->arena, (nw * nc + 1) * sizeof *page);
    uint32_t *const cell = arena_alloc(w->arena, (nw * nc + 1) * sizeof *cell), n = 0;
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < nw * nc && s == WW_OK; i++) {
        const struct eval_scope scope = {.workload = (int)(i / nc), .configuration = (int)(i % nc)};
        struct sheet_run *const r = &sheet->run[i];
        *r = (struct sheet_run){.seconds = NAN, .energy_j = NAN};
        sheet->beside[i / nc] = NULL;
        const struct mark at = w->s->workload.at[i / nc].at;
        s = eval_number(w->e, "seconds", at, scope, w->d, &r->seconds);
        if (s == WW_OK) s = eval_number(w->e, "energy_j", at, scope, w->d, &r->energy_j);
        if (!w->o->pages || !w->needed[i] || !w->results[i].there) continue;
        const struct job *const j = &w->jobs.at[w->job_of[i]];
        page[n] = (struct run_page){
            .name = run_page_name(w->arena, w->s->workload.at[i / nc].name, w->s->configuration.at[i % nc].name, i),
            .words = pool_page_words(w->arena, j),
            .key = j->key};
        cell[n++] = i;
    }
    if (s == WW_OK && n) s = run_pages_make(w->arena, w->host, page, n, w->o->out_dir, w->o->processes, w->d);
    for (uint32_t k = 0, first = 0; k < n && s == WW_OK; k++) {
        if (page[k].is_there)
            sheet->run[cell[k]].page = arena_printf(w->arena, "runs/%s/index.html", page[k].name);
        if (k + 1 < n && cell[k + 1] / nc == cell[k] / nc) continue;
        const char *const file = arena_printf(w->arena, "runs/%s.html", run_page_name(w->arena, w->s->workload.at[cell[k] / nc].name, "all", k));
        if (run_pages_beside(w->arena, w->host, &page[first], k + 1 - first, arena_printf(w->arena, "%s/%s", w->o->out_dir, file)))
            sheet->beside[cell[k] / nc] = file;
        first = k + 1;
    }
    return s;
}

static int whole_way(struct way *w, struct store *store, struct sheet *sheet) {
    enum ww_status s = find_jobs(w, sheet);
    if (s != WW_OK) return ww_status_exit_code(s);
    struct pool_counts counts = {.kept = 0}, lower = {.kept = 0};
    int code = 0;
    struct pool_options po = w->o->pool;
    if (!w->o->no_run) {
        po.processes = w->o->processes;
        s = pool_run(w->arena, &w->jobs, w->host, store, &po, w->d, &counts);
        if (s != WW_OK) return ww_status_exit_code(s);
        code = pool_report(&w->jobs, &counts, stderr);
        if (counts.interrupted || po.action != POOL_RUN) return code;
    }
    if ((s = fetch(w, store)) != WW_OK) return ww_status_exit_code(s);
    if ((s = limit_clocks(w, store, &po, &lower)) != WW_OK) return ww_status_exit_code(s);
    if (lower.done + lower.kept + lower.failed)
        fprintf(stderr, "power limit: %u runs at lower clocks, %u kept from before, %u failed\n",
                lower.done, lower.kept, lower.failed);
    if (lower.interrupted) return 4;
    if (lower.failed && !code) code = 1;
    eval_set_results(w->e, w->results, w->limited);
    *sheet = (struct sheet){.size = w->o->size};
    sheet->failed = arena_alloc(w->arena, (w->jobs.n + 1) * sizeof *sheet->failed);
    for (uint32_t i = 0; i < w->jobs.n; i++)
        if (w->jobs.at[i].state == JOB_FAILED)
            sheet->failed[sheet->n_failed++] =
                arena_printf(w->arena, "%s on %s: %s", w->jobs.at[i].program.name,
                             w->jobs.at[i].configuration->name, w->jobs.at[i].message);
    s = sheet_fill(w->arena, w->s, w->e, w->d, sheet);
    sheet->compares = w->o->compares;
    if (s == WW_OK && w->o->out_dir && w->o->compares) s = list_runs(w, sheet);
    if (s == WW_OK && w->o->out_dir) s = sheet_write(w->arena, sheet, w->e, w->o->out_dir, w->d);
    if (s == WW_OK && w->o->markdown) s = markdown_write(w->arena, sheet, w->o->markdown, w->d);
    if (s == WW_OK && w->o->paper) s = write_paper(w, sheet);
    if (s == WW_OK && w->o->out_dir) s = page_write(w->arena, sheet, w->host, w->o->out_dir, w->d);
    return s != WW_OK ? ww_status_exit_code(s) : code;
}

// Of a file to write; NULL: none.
static enum ww_status make_folder_of(struct arena *a, const char *path, struct diags *d) {
    if (!path) return WW_OK;
    const char *const slash = strrchr(path, '/');
    return file_make_folder(slash ? arena_strndup(a, path, (size_t)(slash - path) + 1) : ".", d);
}

int study_run(struct arena *a, const struct study *s, const struct study_host *host,
              const struct study_options *o, struct diags *d, struct sheet *sheet) {
    const size_t n = (size_t)(s->workload.n + 1) * (s->configuration.n + 1);
    struct way w = {.arena = a, .s = s, .host = host, .o = o, .d = d};
    w.needed = arena_alloc(a, n * sizeof *w.needed);
    w.job_of = arena_alloc(a, n * sizeof *w.job_of);
    w.results = arena_alloc(a, n * sizeof *w.results);
    w.limited = arena_alloc(a, n * sizeof *w.limited);
    *sheet = (struct sheet){.size = o->size};
    struct store *store = NULL;
    enum ww_status status = load_gpus(&w);
    // where the answers go, before hours are spent on them
    if (status == WW_OK && o->out_dir) status = file_make_folder(o->out_dir, d);
    if (status == WW_OK) status = make_folder_of(a, o->markdown, d);
    if (status == WW_OK && o->paper) status = file_make_folder(o->paper, d);
    if (status == WW_OK) status = eval_new(a, s, w.gpu, d, &w.e);
    if (status == WW_OK) status = store_open(o->db, d, &store);
    const int code = status == WW_OK ? whole_way(&w, store, sheet) : ww_status_exit_code(status);
    store_close(store);
    eval_free(w.e);
    return code;
}
