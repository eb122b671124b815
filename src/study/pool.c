// Runs jobs as child processes, so many at a time. A child is `warpwatt run` with a record file;
// what it leaves goes into the store the moment it ends, so that an interruption, even a kill,
// loses only what was running. Children die with their parent (prctl), records of dead parents are
// removed.
#include "study/study.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    POOL_MAX_PROCESSES = 64,
    POOL_MAX_WORDS = 2 * STUDY_MAX_SET + 3 * STUDY_MAX_OPTIONS + 32,
    POOL_STEP_NS = 20000000
};

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- the folder of records that are being written ---------------------------------------------
// Files are named warpwatt-job-PID-N.*; those whose process is gone are nobody's.
static void sweep(const char *dir) {
    DIR *list = opendir(dir);
    if (!list) return;
    for (const struct dirent *e; (e = readdir(list));) {
        static const char head[] = "warpwatt-job-";
        if (strncmp(e->d_name, head, sizeof head - 1) != 0) continue;
        const long pid = strtol(e->d_name + sizeof head - 1, NULL, 10);
        if (pid <= 0 || kill((pid_t)pid, 0) == 0 || errno != ESRCH) continue;
        char path[4096 + 256];
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        unlink(path);
    }
    closedir(list);
}

// ---- one child --------------------------------------------------------------------------------
static volatile sig_atomic_t stopped;
static void on_signal(int signal_number) { stopped = signal_number; }

static void words_of(const struct study_host *host, const struct job *j, char **w) {
    size_t n = 0;
    const struct study_configuration *c = j->configuration;
    const char *const head[] = {host->self, "run",      "--no-progress", "--no-power",
                                "--quiet",  "--record", j->record,       "-g",
                                c->gpu,     "--size",   j->program.size};
    for (size_t i = 0; i < WW_COUNT(head); i++) w[n++] = (char *)(uintptr_t)head[i];
    for (uint32_t i = 0; i < c->n_set; i++) {
        w[n++] = (char *)(uintptr_t)"-s";
        w[n++] = (char *)(uintptr_t)c->set[i];
    }
    if (strcmp(c->policy, "none") != 0) {
        w[n++] = (char *)(uintptr_t)"-p";
        w[n++] = (char *)(uintptr_t)c->policy;
    }
    for (uint32_t i = 0; i < c->n_options; i++) w[n++] = (char *)(uintptr_t)c->option[i];
    for (uint32_t i = 0; j->row && i < j->row->n_options; i++)
        w[n++] = (char *)(uintptr_t)j->row->option[i];
    w[n++] = (char *)(uintptr_t)j->program.name;
    for (uint32_t i = 0; j->own_args && i < j->row->n_args; i++)
        w[n++] = (char *)(uintptr_t)j->row->arg[i];
    w[n] = NULL;
}

static enum ww_status start(struct arena *a, const struct study_host *host, struct job *j,
                            uint32_t number, struct diags *d) {
    const char *base =
        arena_printf(a, "%s/warpwatt-job-%d-%u", file_temporary_folder(), (int)getpid(), number);
    j->record = arena_printf(a, "%s.jsonl", base);
    j->log = arena_printf(a, "%s.log", base);
    char *words[POOL_MAX_WORDS];
    words_of(host, j, words);
    const pid_t parent = getpid();
    fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0)
        return diag_add(d, WW_ERROR_IO, "cannot start %s: %s", host->self, strerror(errno));
    if (pid == 0) {
        setpgid(0, 0); // Ctrl-C is ours to pass on
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(127);
        const int out = open(j->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (out < 0 || in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
            _exit(126);
        execv(host->self, words);
        _exit(127);
    }
    j->pid = pid;
    j->state = JOB_RUNS;
    j->started_s = now_s();
    return WW_OK;
}

// The last line that says something.
static const char *last_words(struct arena *a, const char *log) {
    struct diags quiet;
    diags_init(&quiet);
    char *text;
    size_t len;
    const char *found = "";
    if (file_read(a, log, 1 << 20, &text, &len, &quiet) == WW_OK)
        for (char *save = NULL, *l = strtok_r(text, "\n", &save); l;
             l = strtok_r(NULL, "\n", &save)) {
            const size_t indent = strspn(l, " \t");
            if (l[indent] && strspn(l + indent, "^~ ") != strlen(l + indent)) found = l + indent;
        }
    diags_free(&quiet);
    return found;
}

static void finish(struct arena *a, struct job *j, int status, struct store *store) {
    struct diags d;
    diags_init(&d);
    j->host_s = now_s() - j->started_s;
    j->pid = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        j->state = JOB_DONE;
        if (store_put(store, j, j->record, &d) != WW_OK) {
            char text[600];
            diags_first(&d, text, sizeof text);
            j->state = JOB_FAILED;
            j->code = 2;
            j->message = arena_strdup(a, text);
        }
    } else {
        j->state = JOB_FAILED;
        j->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        const char *words = last_words(a, j->log);
        j->message = *words                ? words
                     : WIFSIGNALED(status) ? arena_printf(a, "ended by signal %d", WTERMSIG(status))
                                           : arena_printf(a, "exit code %d", j->code);
    }
    unlink(j->record);
    unlink(j->log);
    diags_free(&d);
}

// ---- progress ---------------------------------------------------------------------------------
static const char *title(const struct job *j, char *buf, size_t size) {
    if (strcmp(j->configuration->name, j->gpu.name) == 0 || !*j->configuration->name)
        snprintf(buf, size, "%s on %s", j->program.name, j->gpu.name);
    else
        snprintf(buf, size, "%s on %s (%s)", j->program.name, j->gpu.name, j->configuration->name);
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

// Work left: what a job took before where that is known, else the mean of those that ended.
static void draw(const job_list *list, uint32_t processes) {
    double known = 0, done_s = 0, left = 0, all = 0;
    uint32_t n_known = 0, n_done = 0, ended = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        const struct job *j = &list->at[i];
        if (j->state == JOB_DONE) done_s += j->host_s, n_done++;
        if (j->estimate_s > 0) known += j->estimate_s, n_known++;
    }
    const double mean = n_done ? done_s / n_done : n_known ? known / n_known : 0;
    char names[160] = "";
    const double now = now_s();
    for (uint32_t i = 0; i < list->n; i++) {
        const struct job *j = &list->at[i];
        const double guess = j->estimate_s > 0 ? j->estimate_s : mean;
        if (j->state == JOB_KEPT || j->state == JOB_DONE || j->state == JOB_FAILED) ended++;
        if (j->state == JOB_DONE) all += j->host_s;
        if (j->state == JOB_WAITS) left += guess, all += guess;
        if (j->state == JOB_RUNS) {
            const double spent = now - j->started_s;
            left += guess > spent ? guess - spent : guess * 0.1;
            all += guess > spent ? guess : spent;
            const size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s %s", used ? ", " : "",
                     j->program.name, j->gpu.name);
        }
    }
    const double part = mean > 0 && all > 0
                            ? 1 - left / all
                            : (double)ended / (double)list->n; // at first nothing is known
    char bar[25], time[32] = "", line[400];
    for (int i = 0; i < 24; i++) bar[i] = i < (int)(part * 24) ? '#' : '.';
    bar[24] = 0;
    if (mean > 0) {
        char t[24];
        time_text(left / processes, t, sizeof t);
        snprintf(time, sizeof time, ", %s left", t);
    }
    snprintf(line, sizeof line, "[%s] %3.0f %%  %u of %u%s  %s", bar, part * 100, ended, list->n,
             time, names);
    fprintf(stderr, "\r\033[K%.78s", line);
    fflush(stderr);
}

static void tell(const struct job *j, const struct study_host *host, const struct pool_options *o) {
    if (host->terminal) fputs("\r\033[K", stderr);
    if (j->state == JOB_FAILED || (!o->quiet && !host->terminal)) {
        char name[256];
        if (j->state == JOB_FAILED)
            fprintf(stderr, "failed: %s: %s\n", title(j, name, sizeof name), j->message);
        else if (j->state == JOB_DONE)
            fprintf(stderr, "done: %s, %.1f s\n", title(j, name, sizeof name), j->host_s);
    }
    if (o->finished) o->finished(o->user, (struct job *)(uintptr_t)j);
}

// Long jobs first: the last one to end then ends early. Unknown ones keep their order.
static uint32_t next_job(const job_list *list) {
    uint32_t best = list->n;
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i].state == JOB_WAITS &&
            (best == list->n || list->at[i].estimate_s > list->at[best].estimate_s))
            best = i;
    return best;
}

// Keys hold the simulator as it was when the jobs were listed: a build in between would put another
// one's results under them.
static enum ww_status same_simulator(const struct study_host *host, const struct stat *then,
                                     struct diags *d) {
    struct stat now;
    if (stat(host->library, &now) == 0 && now.st_ino == then->st_ino &&
        now.st_size == then->st_size && now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == then->st_mtim.tv_nsec)
        return WW_OK;
    return diag_add(d, WW_ERROR_IO,
                    "%s was built anew while jobs ran: what ended before is kept under its own "
                    "build; start again",
                    host->library);
}

enum ww_status pool_run(struct arena *a, job_list *list, const struct study_host *host,
                        struct store *store, const struct pool_options *o, struct diags *d,
                        struct pool_counts *counts) {
    *counts = (struct pool_counts){.kept = 0};
    struct stat library;
    if (stat(host->library, &library) != 0)
        return diag_add(d, WW_ERROR_IO, "cannot read %s: %s", host->library, strerror(errno));
    sweep(file_temporary_folder());
    for (uint32_t i = 0; i < list->n; i++) {
        struct job *j = &list->at[i];
        bool kept;
        const enum ww_status read = store_has(store, j->key, d, &kept);
        if (read != WW_OK) return read;
        if (kept) {
            j->state = JOB_KEPT;
            counts->kept++;
            tell(j, host, o);
        } else {
            j->state = JOB_WAITS;
            j->estimate_s = store_estimate(store, j);
        }
    }
    uint32_t processes = o->processes ? o->processes : 1;
    if (processes > POOL_MAX_PROCESSES) processes = POOL_MAX_PROCESSES;
    struct sigaction act = {.sa_handler = on_signal}, old_int, old_term, old_hup;
    stopped = 0;
    sigaction(SIGINT, &act, &old_int);
    sigaction(SIGTERM, &act, &old_term);
    sigaction(SIGHUP, &act, &old_hup);
    uint32_t running = 0;
    enum ww_status s = WW_OK;
    double drawn = 0;
    for (;;) {
        for (uint32_t next;
             s == WW_OK && !stopped && running < processes && (next = next_job(list)) < list->n;) {
            s = start(a, host, &list->at[next], next, d);
            running += s == WW_OK;
        }
        if (!running) break;
        if (stopped || s != WW_OK)
            for (uint32_t i = 0; i < list->n; i++)
                if (list->at[i].state == JOB_RUNS) kill(-list->at[i].pid, SIGKILL);
        bool ended = false;
        for (uint32_t i = 0; i < list->n; i++) {
            struct job *j = &list->at[i];
            int status;
            if (j->state != JOB_RUNS || waitpid(j->pid, &status, WNOHANG) != j->pid) continue;
            running--;
            ended = true;
            if (s == WW_OK) s = same_simulator(host, &library, d);
            // ended by us; or ended well, but on which simulator?
            if (s != WW_OK || (stopped && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))) {
                j->state = JOB_WAITS;
                unlink(j->record);
                unlink(j->log);
                continue;
            }
            finish(a, j, status, store);
            if (j->state == JOB_DONE)
                counts->done++;
            else
                counts->failed++;
            tell(j, host, o);
        }
        if (host->terminal && now_s() - drawn > 0.2) {
            draw(list, processes);
            drawn = now_s();
        }
        if (!ended) nanosleep(&(struct timespec){.tv_nsec = POOL_STEP_NS}, NULL);
    }
    if (host->terminal) fputs("\r\033[K", stderr);
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
    sigaction(SIGHUP, &old_hup, NULL);
    counts->interrupted = stopped != 0;
    for (uint32_t i = 0; i < list->n; i++) counts->left += list->at[i].state == JOB_WAITS;
    return s;
}

int pool_report(const job_list *list, const struct pool_counts *c, FILE *out) {
    if (list->n)
        fprintf(out, "%u job%s: %u run, %u kept from before, %u failed%s\n", list->n,
                list->n == 1 ? "" : "s", c->done, c->kept, c->failed,
                c->interrupted ? ", interrupted" : "");
    if (c->interrupted)
        fprintf(out, "%u job%s left; the same command goes on from here\n", c->left,
                c->left == 1 ? " is" : "s are");
    for (uint32_t i = 0; i < list->n; i++) {
        char name[256];
        if (list->at[i].state == JOB_FAILED)
            fprintf(out, "  failed: %s: %s\n", title(&list->at[i], name, sizeof name),
                    list->at[i].message);
    }
    return c->interrupted ? 4 : c->failed ? 1 : 0;
}
