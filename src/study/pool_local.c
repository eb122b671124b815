// Jobs on this machine, so many at a time. A child is `warpwatt run` with a record file; what it
// leaves goes into the store the moment it ends, so that an interruption, even a kill, loses only
// what was running. Children die with their parent (prctl), records of dead parents are removed.
#include "study/pool.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_PROCESSES = 64 };

struct local {
    uint32_t processes, running;
    struct stat library;
};

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

static enum ww_status local_open(struct pool *p) {
    struct local *l = p->state = arena_alloc(p->arena, sizeof *l);
    l->processes = p->o->processes ? p->o->processes : 1;
    if (l->processes > MAX_PROCESSES) l->processes = MAX_PROCESSES;
    sweep(file_temporary_folder());
    if (stat(p->host->library, &l->library) == 0) return WW_OK;
    return diag_add(p->d, WW_ERROR_IO, "cannot read %s: %s", p->host->library, strerror(errno));
}

static enum ww_status start_one(struct pool *p, struct job *j, uint32_t number) {
    const char *base = arena_printf(p->arena, "%s/warpwatt-job-%d-%u", file_temporary_folder(),
                                    (int)getpid(), number);
    j->record = arena_printf(p->arena, "%s.jsonl", base);
    j->log = arena_printf(p->arena, "%s.log", base);
    char *words[POOL_MAX_WORDS];
    pool_words(p->host, j, j->record, words);
    j->pid = child_start(words, j->log);
    if (j->pid < 0)
        return diag_add(p->d, WW_ERROR_IO, "cannot start %s: %s", p->host->self, strerror(errno));
    j->state = JOB_RUNS;
    j->started_s = pool_now_s();
    return WW_OK;
}

static enum ww_status local_start(struct pool *p) {
    struct local *l = p->state;
    for (uint32_t next; l->running < l->processes && (next = pool_next(p->list)) < p->list->n;) {
        const enum ww_status s = start_one(p, &p->list->at[next], next);
        if (s != WW_OK) return s;
        l->running++;
    }
    return WW_OK;
}

// Keys hold the simulator as it was when the jobs were listed: a build in between would put another
// one's results under them.
static enum ww_status same_simulator(struct pool *p) {
    const struct local *l = p->state;
    struct stat now;
    if (stat(p->host->library, &now) == 0 && now.st_ino == l->library.st_ino &&
        now.st_size == l->library.st_size && now.st_mtim.tv_sec == l->library.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == l->library.st_mtim.tv_nsec)
        return WW_OK;
    return diag_add(p->d, WW_ERROR_IO,
                    "%s was built anew while jobs ran: what ended before is kept under its own "
                    "build; start again",
                    p->host->library);
}

static void remove_files(const struct job *j) {
    unlink(j->record);
    unlink(j->log);
}

static enum ww_status local_poll(struct pool *p) {
    struct local *l = p->state;
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < p->list->n; i++) {
        struct job *j = &p->list->at[i];
        int status, code;
        if (j->state != JOB_RUNS || waitpid(j->pid, &status, WNOHANG) != j->pid) continue;
        l->running--;
        j->pid = 0;
        if (s == WW_OK) s = same_simulator(p);
        const bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (s != WW_OK || (pool_stopped() && !good)) { // ended well, but on which simulator?
            j->state = JOB_WAITS;
        } else if (good) {
            pool_done(p, j, j->record, pool_now_s() - j->started_s);
        } else {
            const char *why = child_why(p->arena, status, j->log, &code);
            pool_failed(p, j, code, why);
        }
        remove_files(j);
    }
    return s;
}

static void local_stop(struct pool *p) {
    for (uint32_t i = 0; i < p->list->n; i++) {
        struct job *j = &p->list->at[i];
        int status;
        if (j->state != JOB_RUNS) continue;
        kill(-j->pid, SIGKILL);
        while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR) {
        }
        remove_files(j);
        j->state = JOB_WAITS;
    }
}

static enum ww_status local_cancel(struct pool *p) {
    return diag_add(p->d, WW_ERROR_USAGE,
                    "nothing to cancel: jobs on this machine end with their command");
}

static void local_close(struct pool *p) { (void)p; }

const struct pool_backend pool_local = {
    .name = "local",
    .step_s = 0.02,
    .open = local_open,
    .start = local_start,
    .poll = local_poll,
    .stop = local_stop,
    .cancel = local_cancel,
    .close = local_close,
};
