// Running a sweep: points become configurations, configurations with workloads become jobs of a
// pool, and what the jobs left becomes time, energy and area. A sweep that was interrupted goes on:
// a search draws the same points again, and their results are kept.
#include "gpu/technique.h"
#include "study/pool.h"
#include "study/run_pages.h"
#include "study/sweep.h"

#include <math.h>
#include <stdlib.h>

struct way {
    struct arena *arena;
    const struct sweep *s;
    const struct study_host *host;
    const struct study_options *o;
    struct diags *d;
    struct store *store;
    struct sweep_outcome *out;
    const char *programs; // folder of compiled files
};

// What a point is run with.
struct design {
    struct study_configuration configuration;
    struct study_workload row; // its options
    const char *workload[STUDY_MAX_ROWS];
    uint32_t n_workloads;
    const char *size;
    uint32_t job[STUDY_MAX_ROWS];
    struct gpu_config *gpu;
    uint64_t blocks; // of a kernel of the user's own: its whole grid
    double times;    // what its time is multiplied by
};

static const char *label(struct way *w, const struct sweep_point *p) {
    const char *text = "";
    for (uint32_t k = 0; k < w->s->n_axes; k++) {
        const struct sweep_axis *x = &w->s->axis[k];
        text = arena_printf(w->arena, "%s%s%s=%s", text, k ? " " : "", x->name,
                            x->value[p->at[k]].text);
    }
    return text;
}

// Techniques of several axes run together; `none` adds nothing.
static void add_policy(struct way *w, struct study_configuration *c, const char *policy) {
    if (strcmp(policy, "none") == 0) return;
    const bool first = strcmp(c->policy, "none") == 0;
    c->policy = first ? policy : arena_printf(w->arena, "%s+%s", c->policy, policy);
}

static enum ww_status add_sets(struct way *w, struct study_configuration *c, const char *const *set,
                               uint32_t n) {
    static const char policy[] = "policy=";
    for (uint32_t i = 0; i < n; i++) {
        if (strncmp(set[i], policy, sizeof policy - 1) == 0) {
            add_policy(w, c, set[i] + sizeof policy - 1);
            continue;
        }
        if (c->n_set == STUDY_MAX_SET)
            return diag_add(w->d, WW_ERROR_CONFIG, "a point sets more than %d keys", STUDY_MAX_SET);
        c->set[c->n_set++] = set[i];
    }
    return WW_OK;
}

static enum ww_status design_of(struct way *w, const struct sweep_point *p, struct design *g) {
    const struct sweep *s = w->s;
    *g = (struct design){.size = s->size};
    g->configuration =
        (struct study_configuration){.name = label(w, p), .gpu = s->gpu, .policy = s->policy};
    g->row = (struct study_workload){.name = "", .small = "", .paper = ""};
    memcpy(g->workload, s->workload, sizeof g->workload);
    g->n_workloads = s->n_workloads;
    enum ww_status status = add_sets(w, &g->configuration, s->set, s->n_set);
    for (uint32_t k = 0; k < s->n_axes && status == WW_OK; k++) {
        const struct sweep_value *v = &s->axis[k].value[p->at[k]];
        switch (s->axis[k].target) {
        case SWEEP_GPU: g->configuration.gpu = v->text; break;
        case SWEEP_POLICY: add_policy(w, &g->configuration, v->text); break;
        case SWEEP_SIZE: g->size = v->text; break;
        case SWEEP_WORKLOAD:
            g->workload[0] = v->text;
            g->n_workloads = 1;
            break;
        case SWEEP_OPTION:
            for (uint32_t i = 0; i < v->n_words; i++)
                g->row.option[g->row.n_options++] = v->word[i];
            break;
        case SWEEP_MACRO: break;
        default: status = add_sets(w, &g->configuration, v->set, v->n_set); break;
        }
    }
    return status;
}

static const char *first_sentence(struct way *w, const struct diags *d) {
    char text[600];
    diags_first(d, text, sizeof text);
    return arena_strdup(w->arena, text);
}

// ---- a program of the user's own ----------------------------------------------------------------
struct words {
    const char *at[STUDY_MAX_WORDS];
    uint32_t n;
};
static void push(struct words *l, const char *word) {
    if (l->n < STUDY_MAX_WORDS) l->at[l->n++] = word;
}

// Up to three expressions as "X,Y,Z"; their product.
static enum ww_status triple(struct way *w, const struct sweep_point *p, const char *what,
                             const char *const expression[3], const char **text,
                             uint64_t *product) {
    *text = "";
    *product = 1;
    for (uint32_t i = 0; i < 3 && expression[i]; i++) {
        double v = 0;
        const enum ww_status s = space_number(w->arena, w->s, p, what, expression[i], w->d, &v);
        if (s != WW_OK) return s;
        if (!(v >= 1 && v <= UINT32_MAX))
            return diag_add(w->d, WW_ERROR_CONFIG, "%s: `%s` is `%s`, which is %g at %s",
                            w->s->file, what, expression[i], v, label(w, p));
        *text = arena_printf(w->arena, "%s%s%.0f", *text, i ? "," : "", floor(v));
        *product *= (uint64_t)v;
    }
    return WW_OK;
}

static enum ww_status kernel_words(struct way *w, const struct sweep_point *p, const char *path,
                                   struct words *l, struct design *g) {
    const struct space_program *const q = &w->s->program;
    const char *grid, *block, *word;
    uint64_t threads;
    double shared = 0, waves = 0;
    enum ww_status s = triple(w, p, "grid", q->grid, &grid, &g->blocks);
    if (s == WW_OK) s = triple(w, p, "block", q->block, &block, &threads);
    if (s == WW_OK && q->shared)
        s = space_number(w->arena, w->s, p, "shared", q->shared, w->d, &shared);
    if (s == WW_OK && q->waves)
        s = space_number(w->arena, w->s, p, "waves", q->waves, w->d, &waves);
    if (s == WW_OK && q->waves && !(waves >= 1 && waves <= 1e6))
        s = diag_add(w->d, WW_ERROR_CONFIG, "%s: `waves` is `%s`, which is %g at %s", w->s->file,
                     q->waves, waves, label(w, p));
    if (s != WW_OK) return s;
    push(l, "--grid"), push(l, grid), push(l, "--block"), push(l, block);
    if (q->entry) {
        s = space_text(w->arena, w->s, p, q->entry, false, w->d, &word);
        if (s != WW_OK) return s;
        push(l, "--entry"), push(l, word);
    }
    if (shared > 0) push(l, "--shared"), push(l, arena_printf(w->arena, "%.0f", shared));
    if (q->waves) push(l, "--waves"), push(l, arena_printf(w->arena, "%.0f", waves));
    for (uint32_t i = 0; i < q->n_words; i++) {
        s = space_text(w->arena, w->s, p, q->word[i], false, w->d, &word);
        if (s != WW_OK) return s;
        push(l, "--arg"), push(l, word);
    }
    push(l, path);
    return WW_OK;
}

static enum ww_status command_words(struct way *w, const struct sweep_point *p, const char *path,
                                    struct words *l) {
    const struct space_program *const q = &w->s->program;
    push(l, "--");
    for (uint32_t i = 0; i < q->n_words; i++) {
        const char *word;
        const enum ww_status s = space_text(w->arena, w->s, p, q->word[i], false, w->d, &word);
        if (s != WW_OK) return s;
        push(l, path && strcmp(word, "{out}") == 0 ? path : word);
    }
    return WW_OK;
}

// The job of a point whose program is the user's own.
static enum ww_status add_program(struct way *w, struct sweep_point *p,
                                  const struct space_made *made, struct design *g, job_list *jobs) {
    const struct space_program *const q = &w->s->program;
    if (made->why) {
        p->state = SWEEP_REFUSED;
        p->why = made->why;
        return WW_OK;
    }
    struct words *const l = arena_alloc(w->arena, sizeof *l);
    l->n = 0;
    const char *const code = w->out->tool.code;
    if (code) push(l, "--code"), push(l, code);
    for (uint32_t i = 0; i < g->row.n_options; i++) push(l, g->row.option[i]);
    enum ww_status s =
        q->is_command ? command_words(w, p, made->path, l) : kernel_words(w, p, made->path, l, g);
    g->times = 1;
    if (s == WW_OK && q->times)
        s = space_number(w->arena, w->s, p, "times", q->times, w->d, &g->times);
    if (s != WW_OK) return s;
    struct study_program program = {.size = "", .args = "", .word = l->at, .n_words = l->n};
    // where a compiled file lies is no part of the key: what it holds is
    for (uint32_t i = 0; i < l->n; i++)
        program.args =
            arena_printf(w->arena, "%s %s", program.args,
                         made->path && strcmp(l->at[i], made->path) == 0 ? "{out}" : l->at[i]);
    if (made->path) program.file[program.n_files++] = made->path;
    if (q->is_command && !made->path && strchr(q->word[0], '/'))
        program.file[program.n_files++] = q->word[0];
    const char *const name = q->source ? q->source : q->word[0];
    program.name = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    return job_add_program(w->arena, jobs, w->host, &g->configuration, &program, w->d, &g->job[0]);
}

// How often a whole grid is what ran of it: both in waves, the blocks that fill the GPU once.
static double waves_of_part(const struct way *w, const struct design *g,
                            const struct kernel_result *k) {
    const double ran = (double)act_get(&k->activity, "cta_launches"),
                 room = (double)act_get(&k->activity, "cta_room");
    if (!w->s->program.waves || !(ran > 0) || !(room > 0)) return 1;
    const double fit = room / ran; // blocks on an SM
    const double sms = (double)gpu_config_count(g->gpu, "sm_count");
    const double whole = w->s->program.sms ? w->s->program.sms : sms;
    return ceil((double)g->blocks / (fit * whole)) / ceil(ran / (fit * sms));
}

// The seconds of a point's program, the whole problem's.
static double program_seconds(const struct way *w, const struct design *g, const struct result *r) {
    struct kernel_result sum;
    if (!result_kernels(r, w->s->program.pattern, &sum)) return 0;
    return sum.seconds * waves_of_part(w, g, &sum) * g->times;
}

// The jobs of a point. A configuration that the GPU file's checks refuse refuses the point; a wrong
// name of a key, a GPU or a workload, which no point can have meant, ends the sweep.
static enum ww_status add_jobs(struct way *w, struct sweep_point *p, struct design *g,
                               const struct space_made *made, job_list *jobs) {
    struct diags why;
    struct study_configuration *c = &g->configuration;
    diags_init(&why);
    g->gpu = gpu_config_new(w->arena);
    if (technique_configure(c->gpu, c->policy, c->set, c->n_set, &why, g->gpu, NULL) != WW_OK) {
        p->state = SWEEP_REFUSED;
        p->why = first_sentence(w, &why);
    }
    diags_free(&why);
    if (made) {
        g->n_workloads = 1;
        return p->state == SWEEP_OPEN ? add_program(w, p, made, g, jobs) : WW_OK;
    }
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < g->n_workloads && p->state == SWEEP_OPEN && s == WW_OK; i++)
        s = job_add(w->arena, jobs, w->host, c, &g->row, g->workload[i], g->size, w->d, &g->job[i]);
    return s;
}

// Time, energy and area of a point whose jobs have ended; means over workloads are geometric.
static enum ww_status judge(struct way *w, struct sweep_point *p, const struct design *g,
                            const job_list *jobs) {
    if (p->state != SWEEP_OPEN) return WW_OK;
    double log_s = 0, log_j = 0, added_mm2 = 0;
    const char *why = "it has no power model";
    const struct watts *watts = watts_new(w->arena, g->gpu, &why);
    const bool needs_power = w->s->objective[SWEEP_ENERGY] || w->s->objective[SWEEP_AREA];
    p->state = SWEEP_DONE;
    for (uint32_t i = 0; i < g->n_workloads && p->state == SWEEP_DONE; i++) {
        const struct job *j = &jobs->at[g->job[i]];
        struct arena a;
        arena_init(&a, NULL);
        struct result r = {.there = false};
        const enum ww_status s = store_get(w->store, &a, j->key, w->d, &r);
        struct watts_joules e = {NAN, NAN};
        const bool timed = r.there && r.kernel[0].seconds > 0;
        const bool powered =
            timed && watts && watts_run(watts, &r.kernel[0].activity, r.kernel[0].seconds, 0, &e);
        const double seconds = !timed                ? 0
                               : w->s->program.there ? program_seconds(w, g, &r)
                                                     : r.kernel[0].seconds;
        if (timed) log_s += log(seconds);
        // of a part of a grid: as much power, for the time of the whole
        if (powered) log_j += log((e.dynamic_j + e.static_j) * seconds / r.kernel[0].seconds);
        if (powered)
            added_mm2 = fmax(added_mm2, watts_added_mm2(watts, &r.kernel[0].activity,
                                                        r.kernel[0].seconds, "", ""));
        arena_free(&a);
        if (s != WW_OK) return s;
        if (timed && (powered || !needs_power)) continue;
        p->state = r.there ? SWEEP_REFUSED : SWEEP_FAILED;
        p->why = !r.there ? arena_printf(w->arena, "%s: %s", j->program.name,
                                         j->message ? j->message : "it has no result")
                 : !timed ? "it launched no kernel that takes time"
                          : why;
    }
    const int chip = watts ? watts_component(watts, "chip") : -1;
    p->cost[SWEEP_TIME] = exp(log_s / g->n_workloads);
    p->cost[SWEEP_ENERGY] = watts ? exp(log_j / g->n_workloads) : NAN;
    p->cost[SWEEP_AREA] =
        watts ? watts_of(watts, chip < 0 ? 0 : chip, WATTS_AREA_MM2) + added_mm2 : NAN;
    return WW_OK;
}

// What a page of each of the point's runs is made of.
static void note_runs(struct way *w, struct sweep_point *p, const struct design *g, const job_list *jobs) {
    p->page = arena_alloc(w->arena, (g->n_workloads + 1) * sizeof *p->page);
    for (uint32_t i = 0; i < g->n_workloads; i++) {
        const struct job *const j = &jobs->at[g->job[i]];
        p->page[p->n_pages++] = (struct run_page){.name = j->program.name,
                                                  .words = pool_page_words(w->arena, j),
                                                  .key = arena_strdup(w->arena, j->key)};
    }
}

// The pages of the front's runs.
static enum ww_status make_pages(struct way *w) {
    const sweep_points *const points = &w->out->points;
    uint32_t n = 0;
    for (uint32_t i = 0; i < points->n; i++) n += points->at[i].front ? points->at[i].n_pages : 0;
    struct run_page *const list = arena_alloc(w->arena, (n + 1) * sizeof *list);
    n = 0;
    for (uint32_t i = 0; i < points->n; i++) {
        const struct sweep_point *const p = &points->at[i];
        for (uint32_t k = 0; p->front && k < p->n_pages; k++) {
            list[n] = p->page[k];
            list[n].name = run_page_name(w->arena, arena_printf(w->arena, "point-%u", i), p->page[k].name, k);
            n++;
        }
    }
    const enum ww_status s = run_pages_make(w->arena, w->host, list, n, w->o->out_dir, w->o->processes, w->d);
    n = 0;
    for (uint32_t i = 0; i < points->n && s == WW_OK; i++) {
        const struct sweep_point *const p = &points->at[i];
        for (uint32_t k = 0; p->front && k < p->n_pages; k++, n++) {
            p->page[k].is_there = list[n].is_there;
            p->page[k].folder = arena_printf(w->arena, "runs/%s", list[n].name);
        }
    }
    return s;
}

enum { GO_ON = -1 };
// Runs points that are open and adds them to the outcome. Answers GO_ON, or an exit code.
static int run_points(struct way *w, sweep_points *points) {
    job_list jobs = {.n = 0};
    struct design *g = malloc((points->n + 1) * sizeof *g);
    enum ww_status s =
        g ? WW_OK : diag_add(w->d, WW_ERROR_MEMORY, "out of memory for the points of a sweep");
    struct space_made *made = NULL;
    if (s == WW_OK && w->s->program.there) {
        made = arena_alloc(w->arena, (points->n + 1) * sizeof *made);
        s = space_make(w->arena, w->s, w->host, &w->out->tool, w->programs, w->o->processes, points,
                       made, w->d);
    }
    for (uint32_t i = 0; i < points->n && s == WW_OK; i++) {
        struct sweep_point *const p = &points->at[i];
        if (w->s->measured.file && !w->s->draws_rows) p->measured_s = space_measured_of(w->s, p);
        s = design_of(w, p, &g[i]);
        if (s == WW_OK) s = add_jobs(w, p, &g[i], made ? &made[i] : NULL, &jobs);
    }
    struct pool_options po = w->o->pool;
    struct pool_counts counts = {.kept = 0};
    po.processes = w->o->processes;
    po.quiet = true;
    if (s == WW_OK) s = pool_run(w->arena, &jobs, w->host, w->store, &po, w->d, &counts);
    int code = GO_ON;
    if (s == WW_OK) {
        w->out->runs += counts.done;
        if (counts.interrupted || counts.left || counts.running)
            code = pool_report(&jobs, &counts, stderr);
    }
    for (uint32_t i = 0; i < points->n && s == WW_OK && code == GO_ON; i++) {
        s = judge(w, &points->at[i], &g[i], &jobs);
        if (w->o->pages && points->at[i].state == SWEEP_DONE) note_runs(w, &points->at[i], &g[i], &jobs);
        vec_push(w->arena, &w->out->points, points->at[i]);
    }
    free(g);
    return s == WW_OK ? code : ww_status_exit_code(s);
}

static int search(struct way *w) {
    struct sweep_random r = sweep_seed(w->s->seed);
    for (uint32_t n = 0; n < w->s->generations; n++) {
        sweep_points next = {.n = 0};
        evolve_next(w->arena, w->s, &r, &w->out->points, n, &next);
        if (!next.n) break; // the space is used up
        const int code = run_points(w, &next);
        if (code != GO_ON) return code;
        if (w->host->terminal)
            fprintf(stderr, "\r\033[Kgeneration %u of %u: %u points\n", n + 1, w->s->generations,
                    w->out->points.n);
    }
    return GO_ON;
}

const struct sweep_point *sweep_first(const struct sweep_outcome *o) {
    static const struct sweep_point first;
    for (uint32_t i = 0; i < o->points.n; i++)
        if (o->points.at[i].state == SWEEP_DONE &&
            memcmp(o->points.at[i].at, first.at, sizeof first.at) == 0)
            return &o->points.at[i];
    return NULL;
}

int sweep_best(const struct sweep_outcome *o, enum sweep_objective of, double slower) {
    const struct sweep_point *const first = sweep_first(o);
    double least = INFINITY;
    int best = -1;
    for (uint32_t i = 0; i < o->points.n; i++) {
        const struct sweep_point *const p = &o->points.at[i];
        if (p->state != SWEEP_DONE) continue;
        if (isfinite(slower) &&
            (first == NULL || p->cost[SWEEP_TIME] > (1 + slower) * first->cost[SWEEP_TIME]))
            continue;
        const double cost =
            of == SWEEP_OBJECTIVES ? p->cost[SWEEP_TIME] * p->cost[SWEEP_ENERGY] : p->cost[of];
        if (!(cost < least)) continue;
        least = cost;
        best = (int)i;
    }
    return best;
}

static enum ww_status choose_tool(struct way *w) {
    struct gpu_config *const gpu = gpu_config_new(w->arena);
    const enum ww_status s = gpu_config_load(w->s->gpu, NULL, 0, w->d, gpu);
    return s != WW_OK ? s
                      : space_tool_of(w->arena, w->s, gpu_config_arch(gpu), w->d, &w->out->tool);
}

int sweep_run(struct arena *a, const struct sweep *s, const struct study_host *host,
              const struct study_options *o, struct diags *d, struct sweep_outcome *out,
              bool *whole) {
    struct way w = {a, s, host, o, d, NULL, out, arena_printf(a, "%s/programs", o->out_dir)};
    *out = (struct sweep_outcome){.runs = 0};
    *whole = false;
    sweep_points points = {.n = 0};
    enum ww_status status = store_open(o->db, d, &w.store);
    if (status == WW_OK && s->program.there) status = choose_tool(&w);
    if (s->draws_rows)
        space_points(a, s, &points);
    else if (status == WW_OK && s->method == SWEEP_FULL)
        status = sweep_full(a, s, d, &points);
    if (s->method == SWEEP_RANDOM && !s->draws_rows) sweep_random(a, s, &points);
    if (s->method == SWEEP_LATIN) sweep_latin(a, s, &points);
    int code = status != WW_OK             ? ww_status_exit_code(status)
               : s->method == SWEEP_SEARCH ? search(&w)
                                           : run_points(&w, &points);
    store_close(w.store);
    if (code != GO_ON) return code;
    *whole = true;
    evolve_mark_front(s, &out->points);
    for (uint32_t i = 0; i < out->points.n; i++) {
        out->refused += out->points.at[i].state == SWEEP_REFUSED;
        out->failed += out->points.at[i].state == SWEEP_FAILED;
        out->front += out->points.at[i].front;
    }
    if (o->pages && out->front && (status = make_pages(&w)) != WW_OK)
        return ww_status_exit_code(status);
    if (out->points.n && out->refused == out->points.n)
        return ww_status_exit_code(
            diag_add(d, WW_ERROR_CONFIG, "every point was refused: %s", out->points.at[0].why));
    return out->failed ? 1 : 0;
}
