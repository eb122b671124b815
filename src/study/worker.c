// What an array element of a cluster does: the runs of one file, so many at a time. Each leaves its
// record, or why it failed, as files of its own in the spool (pool_slurm.c), put there whole by a
// rename; the store is not the worker's to touch. A run whose record is there already is left out,
// so that an element that is started again goes on where it was.
#include "study/pool.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKER_MAX = 64 };

struct worker_run {
    const char *key;
    char *words[POOL_MAX_WORDS];
    const char *record, *log, *done, *failed, *kept_log, *took;
    int pid;
    double started_s;
};

static volatile sig_atomic_t ended;
static void on_signal(int signal_number) { ended = signal_number; }

static enum ww_status complain(struct diags *d, const char *path, const char *what) {
    return diag_add(d, WW_ERROR_CONFIG, "%s: %s", path, what);
}

// Files of a run: what is being written has the host's name and this process's number.
static void name_files(struct arena *a, const char *spool, struct worker_run *r) {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    const char *mine = arena_printf(a, "%s/.%s.%s.%d", spool, r->key, host, (int)getpid());
    r->record = arena_printf(a, "%s.jsonl", mine);
    r->log = arena_printf(a, "%s.log", mine);
    r->took = arena_printf(a, "%s/%s.time", spool, r->key);
    r->done = arena_printf(a, "%s/%s.jsonl", spool, r->key);
    r->failed = arena_printf(a, "%s/%s.failed", spool, r->key);
    r->kept_log = arena_printf(a, "%s/%s.log", spool, r->key);
}

static enum ww_status read_run(struct arena *a, const char *path, const char *spool,
                               const json_t *o, struct worker_run *r, struct diags *d) {
    const json_t *words = json_object_get(o, "words");
    const char *key = json_string_value(json_object_get(o, "key"));
    const size_t n = json_array_size(words);
    if (!key || strlen(key) != JOB_KEY_DIGITS || !n || n >= POOL_MAX_WORDS)
        return complain(d, path, "a run without a key or words");
    r->key = arena_strdup(a, key);
    name_files(a, spool, r);
    for (size_t i = 0; i < n; i++) {
        const char *w = json_string_value(json_array_get(words, i));
        if (!w) return complain(d, path, "a word that is no text");
        r->words[i] = arena_strdup(a, strcmp(w, "@RECORD@") == 0 ? r->record : w);
    }
    r->words[n] = NULL;
    return WW_OK;
}

// The simulator on this machine is the one that the keys were made for.
static enum ww_status same_build(struct arena *a, const char *path, const json_t *o,
                                 struct diags *d) {
    struct study_host host = {.library = json_string_value(json_object_get(o, "library"))};
    const char *build = json_string_value(json_object_get(o, "build"));
    if (!host.library || !build) return complain(d, path, "does not name the simulator");
    const enum ww_status s = study_host_build(a, &host, d);
    if (s != WW_OK || strcmp(host.build, build) == 0) return s;
    return diag_add(d, WW_ERROR_CONFIG,
                    "%s is another build than the one that the jobs were listed with: start the "
                    "command again",
                    host.library);
}

static void write_failure(struct worker_run *r, int code, const char *why) {
    struct diags quiet;
    diags_init(&quiet);
    char text[2048];
    snprintf(text, sizeof text, "%d %s\n", code, why);
    rename(r->log, r->kept_log);
    file_write_atomic(r->failed, text, strlen(text), &quiet);
    diags_free(&quiet);
}

static bool finish(struct arena *a, struct worker_run *r, int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        struct diags quiet;
        diags_init(&quiet);
        char text[32];
        snprintf(text, sizeof text, "%.3f", pool_now_s() - r->started_s);
        const bool ok = file_write_atomic(r->took, text, strlen(text), &quiet) == WW_OK &&
                        rename(r->record, r->done) == 0;
        diags_free(&quiet);
        unlink(r->log);
        if (!ok) write_failure(r, 2, "its record cannot be put into the spool");
        return ok;
    }
    int code;
    const char *why = child_why(a, status, r->log, &code);
    write_failure(r, code, why);
    unlink(r->record);
    return false;
}

static bool start(struct worker_run *r) {
    if (access(r->done, F_OK) == 0) return false; // an earlier turn of this element did it
    unlink(r->failed);
    r->pid = child_start(r->words, r->log);
    r->started_s = pool_now_s();
    if (r->pid < 0) write_failure(r, 2, strerror(errno));
    return r->pid > 0;
}

static int run_all(struct arena *a, struct worker_run *run, uint32_t n, uint32_t processes) {
    uint32_t next = 0, running = 0;
    bool good = true;
    while (!ended) {
        while (next < n && running < processes) running += start(&run[next++]);
        if (!running && next == n) break;
        int status;
        const pid_t pid = waitpid(-1, &status, 0);
        for (uint32_t i = 0; i < next && pid > 0; i++) {
            if (run[i].pid != pid) continue;
            run[i].pid = 0;
            running--;
            if (!ended) good = finish(a, &run[i], status) && good;
        }
    }
    for (uint32_t i = 0; i < n && ended; i++) { // at the time limit, when cancelled: nothing half
        if (run[i].pid <= 0) continue;
        kill(-run[i].pid, SIGKILL);
        while (waitpid(run[i].pid, NULL, 0) < 0 && errno == EINTR) {
        }
        unlink(run[i].record);
        unlink(run[i].log);
    }
    return ended ? 4 : good ? 0 : 1;
}

int pool_worker(struct arena *a, const char *element, uint32_t processes, struct diags *d) {
    json_error_t e;
    json_t *o = json_load_file(element, 0, &e);
    const json_t *list = json_object_get(o, "runs");
    const uint32_t n = (uint32_t)json_array_size(list);
    enum ww_status s = WW_OK;
    if (!o)
        s = diag_add(d, WW_ERROR_CONFIG, "%s:%d: %s", element, e.line, e.text);
    else if (!n)
        s = complain(d, element, "no runs");
    else
        s = same_build(a, element, o, d);
    // SPOOL/BATCH/N.json
    const char *spool = element;
    for (int up = 0; up < 2 && s == WW_OK; up++) {
        const char *slash = strrchr(spool, '/');
        spool = !slash ? ".." : arena_strndup(a, spool, (size_t)(slash - spool));
    }
    struct worker_run *run = arena_alloc(a, (n + 1) * sizeof *run);
    memset(run, 0, (n + 1) * sizeof *run);
    for (uint32_t i = 0; i < n && s == WW_OK; i++)
        s = read_run(a, element, spool, json_array_get(list, i), &run[i], d);
    json_decref(o);
    if (s != WW_OK) return ww_status_exit_code(s);
    const struct sigaction act = {.sa_handler = on_signal}; // no SA_RESTART: waitpid returns
    sigaction(SIGTERM, &act, NULL);
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGCONT, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    return run_all(a, run, n, processes < 1 ? 1 : processes > WORKER_MAX ? WORKER_MAX : processes);
}
