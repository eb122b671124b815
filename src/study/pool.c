// Runs the jobs of a list that the store lacks, on a backend (pool.h), and shows how far they are.
#include "study/pool.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <time.h>

const struct pool_backend *const pool_backends[] = {&pool_local, &pool_slurm};
const size_t pool_backends_n = WW_COUNT(pool_backends);

double pool_now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static volatile sig_atomic_t stopped;
static void on_signal(int signal_number) { stopped = signal_number; }
bool pool_stopped(void) { return stopped != 0; }

// What a job is, behind words that say where its results go.
static void job_words(const struct job *j, size_t n, char *w[POOL_MAX_WORDS]) {
    const struct study_configuration *c = j->configuration;
    w[n++] = (char *)(uintptr_t) "-g";
    w[n++] = (char *)(uintptr_t)c->gpu;
    if (!j->program.n_words) { // a program of the user's own has no size
        w[n++] = (char *)(uintptr_t) "--size";
        w[n++] = (char *)(uintptr_t)j->program.size;
    }
    for (uint32_t i = 0; i < c->n_set; i++) {
        w[n++] = (char *)(uintptr_t) "-s";
        w[n++] = (char *)(uintptr_t)c->set[i];
    }
    if (strcmp(c->policy, "none") != 0) {
        w[n++] = (char *)(uintptr_t) "-p";
        w[n++] = (char *)(uintptr_t)c->policy;
    }
    for (uint32_t i = 0; i < c->n_options; i++) w[n++] = (char *)(uintptr_t)c->option[i];
    for (uint32_t i = 0; j->row && i < j->row->n_options; i++)
        w[n++] = (char *)(uintptr_t)j->row->option[i];
    for (uint32_t i = 0; i < j->program.n_words; i++)
        w[n++] = (char *)(uintptr_t)j->program.word[i];
    if (!j->program.n_words) w[n++] = (char *)(uintptr_t)j->program.name;
    for (uint32_t i = 0; j->own_args && i < j->row->n_args; i++)
        w[n++] = (char *)(uintptr_t)j->row->arg[i];
    w[n] = NULL;
}

void pool_words(const struct study_host *host, const struct job *j, const char *record,
                char *w[POOL_MAX_WORDS]) {
    const char *const head[] = {host->self, "run",      "--no-progress", "--no-power",
                                "--quiet",  "--record", record};
    for (size_t i = 0; i < WW_COUNT(head); i++) w[i] = (char *)(uintptr_t)head[i];
    job_words(j, WW_COUNT(head), w);
}

const char *const *pool_page_words(struct arena *a, const struct job *j) {
    char *w[POOL_MAX_WORDS];
    job_words(j, 0, w);
    size_t n = 0;
    while (w[n]) n++;
    const char **const words = arena_alloc(a, (n + 1) * sizeof *words);
    for (size_t i = 0; i <= n; i++) words[i] = w[i] ? arena_strdup(a, w[i]) : NULL;
    return words;
}

// ---- progress ---------------------------------------------------------------------------------
static const char *title(const struct job *j, char *buf, size_t size) {
    if (strcmp(j->configuration->name, gpu_config_name(j->gpu)) == 0 || !*j->configuration->name)
        snprintf(buf, size, "%s on %s", j->program.name, gpu_config_name(j->gpu));
    else
        snprintf(buf, size, "%s on %s (%s)", j->program.name, gpu_config_name(j->gpu),
                 j->configuration->name);
    return buf;
}

static void time_text(double s, char *buf, size_t size) {
    if (s < 90)
        snprintf(buf, size, "%.0f s", s);
    else if (s < 5400)
        snprintf(buf, size, "%.0f min", s / 60);
    else
        snprintf(buf, size, "%.1f h", s / 3600);
}

struct standing {
    uint32_t ended;
    double part;     // of the work, 0 to 1
    double left_s;   // time until the end; negative: nothing is known yet
    char names[160]; // of the jobs that run
};
// Work left: what a job took before where that is known, else the mean of those that ended.
static struct standing standing_of(const job_list *list, uint32_t processes) {
    struct standing at = {.left_s = -1};
    double known = 0, done_s = 0, left = 0, all = 0;
    uint32_t n_known = 0, n_done = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        const struct job *j = &list->at[i];
        if (j->state == JOB_DONE) done_s += j->host_s, n_done++;
        if (j->estimate_s > 0) known += j->estimate_s, n_known++;
    }
    const double mean = n_done ? done_s / n_done : n_known ? known / n_known : 0;
    const double now = pool_now_s();
    for (uint32_t i = 0; i < list->n; i++) {
        const struct job *j = &list->at[i];
        const double guess = j->estimate_s > 0 ? j->estimate_s : mean;
        if (j->state == JOB_KEPT || j->state == JOB_DONE || j->state == JOB_FAILED) at.ended++;
        if (j->state == JOB_DONE) all += j->host_s;
        if (j->state == JOB_WAITS) left += guess, all += guess;
        if (j->state == JOB_RUNS) {
            const double spent = now - j->started_s;
            left += guess > spent ? guess - spent : guess * 0.1;
            all += guess > spent ? guess : spent;
            const size_t used = strlen(at.names);
            snprintf(at.names + used, sizeof at.names - used, "%s%s %s", used ? ", " : "",
                     j->program.name, gpu_config_name(j->gpu));
        }
    }
    if (mean > 0) at.left_s = left / processes;
    at.part = mean > 0 && all > 0 ? 1 - left / all
                                  : (double)at.ended / (double)list->n; // at first nothing is known
    return at;
}

// "3 of 20, 40 s left"
static void standing_text(const struct standing *at, uint32_t jobs, char *buf, size_t size) {
    char t[24];
    time_text(at->left_s, t, sizeof t);
    snprintf(buf, size, at->left_s < 0 ? "%u of %u" : "%u of %u, %s left", at->ended, jobs, t);
}

// The line of a terminal, which is drawn anew.
static void draw(const job_list *list, uint32_t processes) {
    const struct standing at = standing_of(list, processes);
    char bar[25], text[80], line[400];
    for (int i = 0; i < 24; i++) bar[i] = i < (int)(at.part * 24) ? '#' : '.';
    bar[24] = 0;
    standing_text(&at, list->n, text, sizeof text);
    snprintf(line, sizeof line, "[%s] %3.0f %%  %s  %s", bar, at.part * 100, text, at.names);
    fprintf(stderr, "\r\033[K%.78s", line);
    fflush(stderr);
}

// A log, which is no terminal, gets a line for each job that ends: how many have, and the time
// left.
static void tell(const struct pool *p, const struct job *j) {
    const struct study_host *const host = p->host;
    const struct pool_options *const o = p->o;
    if (host->terminal) fputs("\r\033[K", stderr);
    if (j->state == JOB_FAILED || (j->state == JOB_DONE && !o->quiet && !host->terminal)) {
        const struct standing at = standing_of(p->list, o->processes ? o->processes : 1);
        char name[256], text[80];
        standing_text(&at, p->list->n, text, sizeof text);
        if (j->state == JOB_FAILED)
            fprintf(stderr, "[%s] failed: %s: %s\n", text, title(j, name, sizeof name), j->message);
        else
            fprintf(stderr, "[%s] done: %s, %.1f s\n", text, title(j, name, sizeof name),
                    j->host_s);
    }
    if (o->finished) o->finished(o->user, (struct job *)(uintptr_t)j);
}

// Long jobs first: the last one to end then ends early. Unknown ones keep their order.
uint32_t pool_next(const job_list *list) {
    uint32_t best = list->n;
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i].state == JOB_WAITS &&
            (best == list->n || list->at[i].estimate_s > list->at[best].estimate_s))
            best = i;
    return best;
}

void pool_failed(struct pool *p, struct job *j, int code, const char *message) {
    j->state = JOB_FAILED;
    j->code = code;
    j->message = message;
    p->counts->failed++;
    tell(p, j);
}

void pool_done(struct pool *p, struct job *j, const char *record, double host_s) {
    struct diags d;
    diags_init(&d);
    j->host_s = host_s;
    if (store_put(p->store, j, record, &d) == WW_OK) {
        j->state = JOB_DONE;
        p->counts->done++;
        tell(p, j);
    } else {
        char text[600];
        diags_first(&d, text, sizeof text);
        pool_failed(p, j, 2, arena_strdup(p->arena, text));
    }
    diags_free(&d);
}

// Jobs whose result is there already are kept; the others wait.
static enum ww_status sort_out(struct pool *p) {
    for (uint32_t i = 0; i < p->list->n; i++) {
        struct job *j = &p->list->at[i];
        bool kept;
        const enum ww_status s = store_has(p->store, j->key, p->d, &kept);
        if (s != WW_OK) return s;
        j->state = kept ? JOB_KEPT : JOB_WAITS;
        if (!kept) j->estimate_s = store_estimate(p->store, j);
        if (!kept) continue;
        p->counts->kept++;
        tell(p, j);
    }
    return WW_OK;
}

static bool any(const job_list *list, enum job_state state) {
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i].state == state) return true;
    return false;
}

// Turns until nothing waits or, where the command waits for them, nothing runs.
static enum ww_status turn(struct pool *p, const struct pool_backend *b) {
    const bool waits = p->o->action == POOL_RUN;
    double drawn = 0;
    for (;;) {
        enum ww_status s = stopped ? WW_OK : b->start(p);
        const uint32_t before = p->counts->done + p->counts->failed;
        if (s == WW_OK) s = b->poll(p);
        if (s != WW_OK || stopped) {
            b->stop(p);
            return s;
        }
        if (!any(p->list, JOB_WAITS) && !(waits && any(p->list, JOB_RUNS))) return WW_OK;
        if (p->host->terminal && pool_now_s() - drawn > 0.2) {
            draw(p->list, p->o->processes ? p->o->processes : 1);
            drawn = pool_now_s();
        }
        if (p->counts->done + p->counts->failed != before) continue;
        const double step = b->step_s;
        const struct timespec pause = {.tv_sec = (time_t)step,
                                       .tv_nsec = (long)(1e9 * (step - floor(step)))};
        nanosleep(&pause, NULL); // a signal ends it early
    }
}

static enum ww_status act_on(struct pool *p, const struct pool_backend *b) {
    switch (p->o->action) {
    case POOL_STATUS: return b->poll(p);
    case POOL_CANCEL: {
        const enum ww_status s = b->poll(p); // what ended is kept
        return s == WW_OK ? b->cancel(p) : s;
    }
    default: return turn(p, b);
    }
}

enum ww_status pool_run(struct arena *a, job_list *list, const struct study_host *host,
                        struct store *store, const struct pool_options *o, struct diags *d,
                        struct pool_counts *counts) {
    *counts = (struct pool_counts){.kept = 0};
    const struct pool_backend *b = o->backend ? o->backend : &pool_local;
    struct pool p = {a, list, host, store, o, d, counts, NULL};
    enum ww_status s = sort_out(&p);
    if (s != WW_OK) return s;
    struct sigaction act = {.sa_handler = on_signal}, old_int, old_term, old_hup;
    stopped = 0;
    sigaction(SIGINT, &act, &old_int);
    sigaction(SIGTERM, &act, &old_term);
    sigaction(SIGHUP, &act, &old_hup);
    s = b->open(&p);
    if (s == WW_OK) s = act_on(&p, b);
    if (host->terminal) fputs("\r\033[K", stderr);
    for (uint32_t i = 0; i < list->n; i++) {
        counts->left += list->at[i].state == JOB_WAITS;
        counts->running += list->at[i].state == JOB_RUNS;
    }
    b->close(&p);
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
    sigaction(SIGHUP, &old_hup, NULL);
    counts->interrupted = stopped != 0;
    return s;
}

const struct pool_backend *pool_find(const char *name) {
    for (size_t i = 0; i < pool_backends_n; i++)
        if (strcmp(pool_backends[i]->name, name) == 0) return pool_backends[i];
    return NULL;
}

int pool_report(const job_list *list, const struct pool_counts *c, FILE *out) {
    if (list->n)
        fprintf(out, "%u job%s: %u run, %u kept from before, %u failed%s\n", list->n,
                list->n == 1 ? "" : "s", c->done, c->kept, c->failed,
                c->interrupted ? ", interrupted" : "");
    const uint32_t left = c->left + c->running;
    if (left && c->interrupted)
        fprintf(out, "%u job%s left; the same command goes on from here\n", left,
                left == 1 ? " is" : "s are");
    else if (left)
        fprintf(out, "%u running or queued, %u not started\n", c->running, c->left);
    for (uint32_t i = 0; i < list->n; i++) {
        char name[256];
        if (list->at[i].state == JOB_FAILED)
            fprintf(out, "  failed: %s: %s\n", title(&list->at[i], name, sizeof name),
                    list->at[i].message);
    }
    return c->interrupted ? 4 : c->failed ? 1 : 0;
}
