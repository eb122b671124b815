// Jobs on a cluster, by Slurm's own commands: sbatch, squeue, scancel.
//
// Jobs are bundled (runs of similar length, so many seconds of work together), a bundle is an
// element of a job array, and an element is `warpwatt worker FILE` (worker.c). All meet in one
// folder, the spool, which every machine sees:
//
//   KEY.ticket       "BATCH ELEMENT ATTEMPT": where a job was last sent to
//   BATCH/N.json     what element N runs; BATCH/N.log: what it said; BATCH/id: the array's number
//   KEY.jsonl, .time the record of a run that ended well and its host seconds, put there whole
//   KEY.failed, .log why a run failed ("CODE sentence"), and what it said
//
// Workers only add files of their own. The command that waits is the collector: it alone reads them
// into the store, which therefore never sees two writers, nor a network file system under its
// locks. It can be left at any moment; the tickets tell the next one where all jobs are. A ticket
// is written before sbatch is called, and the array has the batch's name: an array whose number was
// lost with its command is found by that name.
//
// An element that is gone from the queue, or ended there, with no result in the spool was lost: its
// runs are sent again, each alone, so that one that kills its element does not take others along.
#include "report/report.h"
#include "study/pool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ARRAY_MAX = 1000,   // elements of an array: Slurm's own default limit (MaxArraySize 1001)
    BUNDLE_MAX = 64,    // runs of an element
    UNKNOWN_BUNDLE = 8, // runs of an element when no run's time is known
    TOOL_SECONDS = 20,  // for sbatch, squeue and scancel to answer
    ASK_SECONDS = 2,    // between two questions to the controller
    GRACE_SECONDS = 3,  // for files to show after their element ended
    FULL_SECONDS = 5    // before a full queue is asked again
};

struct ticket {
    char batch[64];
    uint32_t element, attempt; // attempt: how often it was sent
    double gone_s;             // since when the element has ended; 0: it has not
    const char *why;           // it ended
};

struct slurm {
    const char *spool;
    struct ticket *ticket; // of each job of the list
    struct names by_key;
    int lock;
    uint32_t chunk; // elements of the next array
    double full_until, asked;
    bool told_full;
};

// ---- Slurm's commands -------------------------------------------------------------------------
struct answer {
    char *out, *err; // in the pool's arena
    int status;      // exit code; 128: killed, 127: not there
};

static char *text_of(struct arena *a, int fd) {
    const off_t n = lseek(fd, 0, SEEK_END);
    char *text = arena_alloc(a, (size_t)(n > 0 ? n : 0) + 1);
    const ssize_t got = n > 0 ? pread(fd, text, (size_t)n, 0) : 0;
    text[got > 0 ? got : 0] = 0;
    close(fd);
    return text;
}

static bool ask(struct pool *p, const char *const *words, struct answer *out) {
    const int fd[2] = {memfd_create("out", MFD_CLOEXEC), memfd_create("err", MFD_CLOEXEC)};
    if (fd[0] < 0 || fd[1] < 0) {
        diag_add(p->d, WW_ERROR_IO, "cannot start %s: %s", words[0], strerror(errno));
        return false;
    }
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        if (dup2(fd[0], 1) < 0 || dup2(fd[1], 2) < 0) _exit(126);
        execvp(words[0], (char *const *)(uintptr_t)words);
        _exit(127);
    }
    int status = 0;
    const double start = pool_now_s();
    while (pid > 0 && waitpid(pid, &status, WNOHANG) == 0) {
        // sbatch would go on asking a full queue for minutes
        char text[256] = "";
        if (pread(fd[1], text, sizeof text - 1, 0) < 0) text[0] = 0;
        if (strstr(text, "sleeping and retrying") || pool_now_s() - start > TOOL_SECONDS)
            kill(-pid, SIGKILL);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    out->out = text_of(p->arena, fd[0]);
    out->err = text_of(p->arena, fd[1]);
    out->status = pid < 0 ? 127 : WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return true;
}

// The first line of what a command complains, without its own name in front.
static const char *complaint(struct pool *p, const struct answer *a, const char *name) {
    char *text = arena_strdup(p->arena, *a->err ? a->err : a->out);
    text[strcspn(text, "\n")] = 0;
    const size_t n = strlen(name);
    if (strncmp(text, name, n) == 0 && text[n] == ':') text += n + 1 + (text[n + 1] == ' ');
    if (strncmp(text, "error: ", 7) == 0) text += 7;
    if (*text) return text;
    return a->status == 127   ? "it is not installed (Debian: slurm-client)"
           : a->status == 128 ? "it did not answer"
                              : arena_printf(p->arena, "exit code %d", a->status);
}

// ---- files ------------------------------------------------------------------------------------
static const char *file_of(struct pool *p, const struct job *j, const char *suffix) {
    const struct slurm *s = p->state;
    return arena_printf(p->arena, "%s/%s%s", s->spool, j->key, suffix);
}

static char *read_small(struct pool *p, const char *path) {
    struct diags quiet;
    diags_init(&quiet);
    char *text = NULL;
    size_t len;
    if (file_read(p->arena, path, 1 << 20, &text, &len, &quiet) != WW_OK) text = NULL;
    diags_free(&quiet);
    return text;
}

// All files of a job go, those that a killed worker left half-written too.
static void forget(struct pool *p, const struct job *j) {
    static const char *const suffix[] = {".ticket", ".jsonl", ".time", ".failed", ".log"};
    for (size_t i = 0; i < WW_COUNT(suffix); i++) unlink(file_of(p, j, suffix[i]));
}

static enum ww_status write_ticket(struct pool *p, const struct job *j, const struct ticket *t) {
    const char *text = arena_printf(p->arena, "%s %u %u\n", t->batch, t->element, t->attempt);
    return file_write_atomic(file_of(p, j, ".ticket"), text, strlen(text), p->d);
}

static bool read_ticket(struct pool *p, const struct job *j, struct ticket *t) {
    const char *text = read_small(p, file_of(p, j, ".ticket"));
    return text && sscanf(text, "%63s %u %u", t->batch, &t->element, &t->attempt) == 3;
}

static enum ww_status look(struct pool *p);

static enum ww_status slurm_open(struct pool *p) {
    struct slurm *s = p->state = arena_alloc(p->arena, sizeof *s);
    *s = (struct slurm){.spool = p->o->spool, .chunk = ARRAY_MAX, .lock = -1};
    if (mkdir(s->spool, 0777) != 0 && errno != EEXIST)
        return diag_add(p->d, WW_ERROR_IO, "cannot make the folder %s: %s", s->spool,
                        strerror(errno));
    s->spool = realpath(s->spool, NULL);
    if (!s->spool) return diag_add(p->d, WW_ERROR_MEMORY, "out of memory for the spool's name");
    s->lock = open(arena_printf(p->arena, "%s/lock", s->spool), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->lock < 0 || flock(s->lock, LOCK_EX | LOCK_NB) != 0)
        return diag_add(p->d, WW_ERROR_IO,
                        errno == EWOULDBLOCK ? "another command collects from %s; wait for it, or "
                                               "name another folder with --spool"
                                             : "cannot lock the folder %s",
                        s->spool);
    struct answer a;
    if (!ask(p, (const char *const[]){"sbatch", "--version", NULL}, &a)) return WW_ERROR_IO;
    if (a.status != 0)
        return diag_add(p->d, WW_ERROR_USAGE, "cannot use Slurm's sbatch: %s",
                        complaint(p, &a, "sbatch"));
    names_init(&s->by_key, p->arena);
    s->ticket = arena_alloc(p->arena, (p->list->n + 1) * sizeof *s->ticket);
    memset(s->ticket, 0, (p->list->n + 1) * sizeof *s->ticket);
    for (uint32_t i = 0; i < p->list->n; i++) {
        struct job *j = &p->list->at[i];
        names_put(&s->by_key, j->key, strlen(j->key), (int32_t)i);
        if (j->state == JOB_WAITS && read_ticket(p, j, &s->ticket[i])) {
            j->state = JOB_RUNS;
            j->started_s = pool_now_s();
        }
    }
    return look(p); // results that an earlier command never came to read
}

static void remove_folder(struct pool *p, const char *dir) {
    DIR *list = opendir(dir);
    if (!list) return;
    for (const struct dirent *e; (e = readdir(list));)
        if (e->d_name[0] != '.') unlink(arena_printf(p->arena, "%s/%s", dir, e->d_name));
    closedir(list);
    rmdir(dir);
}

// Folders of batches that no ticket names go, but those whose logs a message just named; and what
// workers of runs that are over left half-written.
static void clean(struct pool *p) {
    struct slurm *s = p->state;
    DIR *list = opendir(s->spool);
    if (!list) return;
    struct names used;
    names_init(&used, p->arena);
    for (uint32_t i = 0; i < p->list->n; i++)
        if (p->list->at[i].state == JOB_FAILED && *s->ticket[i].batch)
            names_put(&used, s->ticket[i].batch, strlen(s->ticket[i].batch), 1);
    for (const struct dirent *e; (e = readdir(list));) {
        const char *dot = strchr(e->d_name, '.');
        struct ticket t;
        const char *text = dot && strcmp(dot, ".ticket") == 0
                               ? read_small(p, arena_printf(p->arena, "%s/%s", s->spool, e->d_name))
                               : NULL;
        if (text && sscanf(text, "%63s", t.batch) == 1)
            names_put(&used, arena_strdup(p->arena, t.batch), strlen(t.batch), 1);
    }
    rewinddir(list);
    for (const struct dirent *e; (e = readdir(list));) {
        const char *path = arena_printf(p->arena, "%s/%s", s->spool, e->d_name);
        const int32_t job = e->d_name[0] == '.' && strlen(e->d_name) > JOB_KEY_DIGITS
                                ? names_get(&s->by_key, e->d_name + 1, JOB_KEY_DIGITS)
                                : -1;
        unsigned long long at;
        int pid, end = 0;
        if (job >= 0 && p->list->at[job].state != JOB_RUNS)
            unlink(path);
        else if (sscanf(e->d_name, "%llu-%d%n", &at, &pid, &end) == 2 && !e->d_name[end] &&
                 names_get(&used, e->d_name, strlen(e->d_name)) < 0)
            remove_folder(p, path);
    }
    closedir(list);
}

static void slurm_close(struct pool *p) {
    struct slurm *s = p->state;
    if (!s) return;
    if (s->ticket) clean(p);
    if (s->lock >= 0) close(s->lock);
    if (s->spool != p->o->spool) free((char *)(uintptr_t)s->spool);
}

// ---- sending ----------------------------------------------------------------------------------
struct order {
    uint32_t job;
    double estimate_s;
    uint32_t attempt;
};

static int by_length(const void *x, const void *y) {
    const struct order *a = x, *b = y;
    if (a->estimate_s != b->estimate_s) return a->estimate_s < b->estimate_s ? 1 : -1;
    return a->job < b->job ? -1 : a->job > b->job;
}

// Waiting jobs, those of similar length side by side, each with the number of its bundle.
static uint32_t bundle(struct pool *p, struct order *order, uint32_t n, uint32_t *element) {
    const double target = p->o->bundle_s;
    double known = 0;
    uint32_t n_known = 0;
    for (uint32_t i = 0; i < n; i++)
        if (order[i].estimate_s > 0) known += order[i].estimate_s, n_known++;
    const double mean = n_known ? known / n_known : target / UNKNOWN_BUNDLE;
    for (uint32_t i = 0; i < n; i++)
        if (!(order[i].estimate_s > 0)) order[i].estimate_s = mean;
    qsort(order, n, sizeof *order, by_length);
    uint32_t elements = 0, runs = 0;
    double work = 0;
    bool alone = false;
    for (uint32_t i = 0; i < n; i++) {
        const bool lone = order[i].attempt > 0;
        if (!i || lone || alone || runs == BUNDLE_MAX || !(target > 0) ||
            work + order[i].estimate_s > target)
            elements++, runs = 0, work = 0;
        element[i] = elements - 1;
        work += order[i].estimate_s;
        runs++;
        alone = lone;
    }
    return elements;
}

static json_t *run_json(struct pool *p, const struct job *j) {
    char *words[POOL_MAX_WORDS];
    pool_words(p->host, j, "@RECORD@", words);
    json_t *list = json_array();
    for (char **w = words; *w; w++) json_array_append_new(list, json_string(*w));
    return json_pack("{s:s,s:o}", "key", j->key, "words", list);
}

static enum ww_status write_json(struct pool *p, const char *path, json_t *o) {
    char *text = json_dumps(o, JSON_INDENT(1));
    json_decref(o);
    if (!text) return diag_add(p->d, WW_ERROR_MEMORY, "out of memory for %s", path);
    const enum ww_status s = file_write_atomic(path, text, strlen(text), p->d);
    free(text);
    return s;
}

// The files of a batch: one an element, and the script.
static enum ww_status write_batch(struct pool *p, const char *dir, const struct order *order,
                                  const uint32_t *element, uint32_t n) {
    if (mkdir(dir, 0777) != 0)
        return diag_add(p->d, WW_ERROR_IO, "cannot make the folder %s: %s", dir, strerror(errno));
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < n && s == WW_OK;) {
        const uint32_t e = element[i];
        json_t *runs = json_array();
        for (; i < n && element[i] == e; i++)
            json_array_append_new(runs, run_json(p, &p->list->at[order[i].job]));
        s = write_json(p, arena_printf(p->arena, "%s/%u.json", dir, e),
                       json_pack("{s:s,s:s,s:o}", "library", p->host->library, "build",
                                 p->host->build, "runs", runs));
    }
    const char *script = "#!/bin/sh\nexec ";
    for (int i = 0; i < 2; i++) { // both paths in quotes of the shell
        script = arena_printf(p->arena, "%s%s'", script, i ? " worker " : "");
        for (const char *c = i ? dir : p->host->self; *c; c++)
            script = *c == '\'' ? arena_printf(p->arena, "%s'\\''", script)
                                : arena_printf(p->arena, "%s%c", script, *c);
        script = arena_printf(p->arena, "%s'", script);
    }
    script = arena_printf(p->arena, "%s/\"$SLURM_ARRAY_TASK_ID\".json\n", script);
    if (s == WW_OK)
        s = file_write_atomic(arena_printf(p->arena, "%s/script.sh", dir), script, strlen(script),
                              p->d);
    return s;
}

// What sbatch says when there is no room now, or not for so many at once.
static bool is_full(const char *text) {
    static const char *const said[] = {"temporarily unable",
                                       "temporarily unavailable",
                                       "MaxSubmitJob",
                                       "MaxJobCount",
                                       "job submit limit",
                                       "Invalid job array",
                                       "Unable to contact slurm controller",
                                       "Socket timed out",
                                       "Unexpected message received"};
    for (size_t i = 0; i < WW_COUNT(said); i++)
        if (strcasestr(text, said[i])) return true;
    return false;
}

// Calls sbatch; *sent is false when the queue has no room, which is no error.
static enum ww_status submit(struct pool *p, const char *dir, const char *batch, uint32_t elements,
                             bool *sent) {
    struct slurm *s = p->state;
    const char **w = arena_alloc(p->arena, (16 + p->o->n_words) * sizeof *w);
    uint32_t n = 0;
    w[n++] = "sbatch";
    w[n++] = "--parsable";
    w[n++] = "--no-requeue";
    w[n++] = arena_printf(p->arena, "--job-name=warpwatt-%s", batch);
    w[n++] = arena_printf(p->arena, "--output=%s/%%a.log", dir);
    w[n++] = arena_printf(p->arena, "--array=0-%u%s%s", elements - 1, p->o->array_limit ? "%" : "",
                          p->o->array_limit ? p->o->array_limit : "");
    for (uint32_t i = 0; i < p->o->n_words; i++) w[n++] = p->o->words[i];
    w[n++] = arena_printf(p->arena, "%s/script.sh", dir);
    w[n] = NULL;
    struct answer a;
    if (!ask(p, w, &a)) return WW_ERROR_IO;
    *sent = a.status == 0;
    if (*sent) {
        a.out[strcspn(a.out, ";\n")] = 0; // ID;CLUSTER
        return file_write_atomic(arena_printf(p->arena, "%s/id", dir), a.out, strlen(a.out), p->d);
    }
    if (a.status != 128 && !is_full(a.err))
        return diag_add(p->d, WW_ERROR_USAGE, "sbatch refuses the array: %s",
                        complaint(p, &a, "sbatch"));
    // what was killed may have been taken in nonetheless: it is known by its name
    if (a.status == 128)
        ask(p,
            (const char *const[]){"scancel", "--name", arena_printf(p->arena, "warpwatt-%s", batch),
                                  NULL},
            &a);
    s->full_until = pool_now_s() + FULL_SECONDS;
    if (s->chunk > elements) s->chunk = elements;
    s->chunk = s->chunk > 1 ? s->chunk / 2 : 1;
    if (!s->told_full) fputs("the queue has no room now: waiting for it\n", stderr);
    s->told_full = true;
    return WW_OK;
}

static enum ww_status send_array(struct pool *p, const struct order *order, const uint32_t *element,
                                 uint32_t n, uint32_t elements, bool *sent) {
    struct slurm *s = p->state;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const char *batch = arena_printf(p->arena, "%lld%03ld-%d", (long long)now.tv_sec,
                                     now.tv_nsec / 1000000, (int)getpid());
    const char *dir = arena_printf(p->arena, "%s/%s", s->spool, batch);
    enum ww_status status = write_batch(p, dir, order, element, n);
    for (uint32_t i = 0; i < n && status == WW_OK; i++) {
        struct ticket *t = &s->ticket[order[i].job];
        snprintf(t->batch, sizeof t->batch, "%s", batch);
        t->element = element[i];
        t->gone_s = 0;
        struct job *j = &p->list->at[order[i].job];
        unlink(file_of(p, j, ".failed"));
        struct ticket next = *t;
        next.attempt++;
        status = write_ticket(p, j, &next);
    }
    *sent = false;
    if (status == WW_OK) status = submit(p, dir, batch, elements, sent);
    for (uint32_t i = 0; i < n; i++) {
        struct job *j = &p->list->at[order[i].job];
        struct ticket *t = &s->ticket[order[i].job];
        if (*sent) {
            t->attempt++;
            j->state = JOB_RUNS;
            j->started_s = pool_now_s();
        } else {
            unlink(file_of(p, j, ".ticket"));
        }
    }
    if (!*sent) remove_folder(p, dir);
    return status;
}

static enum ww_status slurm_start(struct pool *p) {
    struct slurm *s = p->state;
    if (pool_now_s() < s->full_until) return WW_OK;
    struct order *order = malloc((p->list->n + 1) * sizeof *order);
    uint32_t *element = malloc((p->list->n + 1) * sizeof *element);
    uint32_t n = 0;
    enum ww_status status = WW_OK;
    if (!order || !element)
        status = diag_add(p->d, WW_ERROR_MEMORY, "out of memory for the jobs of an array");
    for (uint32_t i = 0; i < p->list->n && status == WW_OK; i++)
        if (p->list->at[i].state == JOB_WAITS)
            order[n++] = (struct order){i, p->list->at[i].estimate_s, s->ticket[i].attempt};
    const uint32_t elements = n ? bundle(p, order, n, element) : 0;
    bool sent = true;
    for (uint32_t i = 0, first = 0; i < n && sent && status == WW_OK && first < elements;) {
        uint32_t end = i;
        while (end < n && element[end] < first + s->chunk) end++;
        const uint32_t count = element[end - 1] + 1 - first;
        for (uint32_t k = i; k < end; k++) element[k] -= first;
        status = send_array(p, order + i, element + i, end - i, count, &sent);
        first += count;
        i = end;
    }
    free(order);
    free(element);
    return status;
}

// ---- collecting -------------------------------------------------------------------------------
// A run that did not succeed: again, or named with its log.
static void again(struct pool *p, uint32_t i, int code, const char *why, const char *log) {
    struct slurm *s = p->state;
    struct job *j = &p->list->at[i];
    struct ticket *t = &s->ticket[i];
    t->gone_s = 0;
    if (t->attempt <= p->o->retries) {
        j->state = JOB_WAITS;
        return;
    }
    unlink(file_of(p, j, ".ticket")); // asked for once more, it begins anew
    unlink(file_of(p, j, ".failed"));
    pool_failed(p, j, code,
                arena_printf(p->arena, "%s (%u time%s; log: %s)", why, t->attempt,
                             text_plural(t->attempt), log));
}

// A record in the spool may be damaged, as any file of a network file system. The store keeps no
// such one; the run is sent again.
static bool is_whole(struct pool *p, const struct job *j, const char **why) {
    struct diags quiet;
    struct run run;
    char text[600] = "its record was cut off";
    diags_init(&quiet);
    bool ok = run_read(file_of(p, j, ".jsonl"), &quiet, &run) == WW_OK;
    if (ok) {
        ok = run.end && run.is_sealed;
        run_release(&run);
    } else {
        diags_first(&quiet, text, sizeof text);
    }
    diags_free(&quiet);
    *why = arena_strdup(p->arena, text);
    return ok;
}

static void collect(struct pool *p, uint32_t i) {
    struct job *const j = &p->list->at[i];
    const char *const took = read_small(p, file_of(p, j, ".time")), *why;
    if (!is_whole(p, j, &why)) {
        unlink(file_of(p, j, ".jsonl"));
        again(p, i, 2, why, file_of(p, j, ".log"));
        return;
    }
    double host_s = 0;
    if (took) text_to_double(took, &host_s);
    pool_done(p, j, file_of(p, j, ".jsonl"), host_s);
    forget(p, j);
}

static void read_failure(struct pool *p, uint32_t i) {
    struct job *j = &p->list->at[i];
    char *text = read_small(p, file_of(p, j, ".failed")), *end = NULL;
    const long code = text ? strtol(text, &end, 10) : 2;
    if (end) end[strcspn(end, "\n")] = 0;
    again(p, i, (int)code, end && *end == ' ' ? end + 1 : "failed", file_of(p, j, ".log"));
}

// Whatever results lie in the spool.
static enum ww_status look(struct pool *p) {
    struct slurm *s = p->state;
    DIR *list = opendir(s->spool);
    if (!list)
        return diag_add(p->d, WW_ERROR_IO, "cannot read the folder %s: %s", s->spool,
                        strerror(errno));
    for (const struct dirent *e; (e = readdir(list));) {
        const char *dot = strchr(e->d_name, '.');
        if (!dot || dot - e->d_name != JOB_KEY_DIGITS) continue;
        const int32_t i = names_get(&s->by_key, e->d_name, JOB_KEY_DIGITS);
        if (i < 0) continue;
        struct job *j = &p->list->at[i];
        if (j->state == JOB_KEPT || j->state == JOB_DONE || j->state == JOB_FAILED) continue;
        if (strcmp(dot, ".jsonl") == 0)
            collect(p, (uint32_t)i);
        else if (strcmp(dot, ".failed") == 0 && j->state == JOB_RUNS &&
                 access(file_of(p, j, ".jsonl"), F_OK) != 0)
            read_failure(p, (uint32_t)i);
    }
    closedir(list);
    return WW_OK;
}

// ---- the queue --------------------------------------------------------------------------------
static const struct {
    const char *state, *why; // why NULL: it lives
} queue_state[] = {
    {"PENDING", NULL},
    {"RUNNING", NULL},
    {"SUSPENDED", NULL},
    {"CONFIGURING", NULL},
    {"COMPLETING", NULL},
    {"RESIZING", NULL},
    {"REQUEUED", NULL},
    {"REQUEUE_FED", NULL},
    {"REQUEUE_HOLD", NULL},
    {"SIGNALING", NULL},
    {"STAGE_OUT", NULL},
    {"STOPPED", NULL},
    {"COMPLETED", "its array element ended and left no result"},
    {"FAILED", "its array element failed"},
    {"TIMEOUT", "its array element met its time limit"},
    {"NODE_FAIL", "the node of its array element failed"},
    {"BOOT_FAIL", "the node of its array element did not start"},
    {"CANCELLED", "its array element was cancelled"},
    {"PREEMPTED", "its array element was preempted"},
    {"OUT_OF_MEMORY", "its array element had too little memory"},
    {"DEADLINE", "its array element met its deadline"},
    {"REVOKED", "its array element was revoked"},
};

// Every element in the queue: "BATCH ELEMENT" to its row of queue_state.
static bool ask_queue(struct pool *p, struct arena *a, struct names *elements) {
    struct answer said;
    const char *const words[] = {"squeue", "--me", "-h", "-r", "-t", "all", "-o", "%j|%K|%T", NULL};
    if (!ask(p, words, &said) || said.status != 0) return false;
    names_init(elements, a);
    char *save = NULL;
    for (char *l = strtok_r(said.out, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
        static const char head[] = "warpwatt-";
        char *element = strchr(l, '|'), *state = element ? strchr(element + 1, '|') : NULL;
        if (!state || strncmp(l, head, sizeof head - 1) != 0) continue;
        *element = ' ';
        *state++ = 0;
        int32_t row = 0;
        while ((size_t)row < WW_COUNT(queue_state) && strcmp(queue_state[row].state, state) != 0)
            row++;
        if ((size_t)row == WW_COUNT(queue_state)) row = 0; // a state we never heard of lives
        const char *key = arena_strdup(a, l + sizeof head - 1);
        names_put(elements, key, strlen(key), row);
    }
    return true;
}

// Notes which jobs' elements have ended; when their files had time to show, they were lost.
static void find_lost(struct pool *p) {
    struct slurm *s = p->state;
    struct arena a;
    struct names elements;
    arena_init(&a, NULL);
    s->asked = pool_now_s();
    const bool answered = ask_queue(p, &a, &elements);
    for (uint32_t i = 0; i < p->list->n && answered; i++) {
        struct job *j = &p->list->at[i];
        struct ticket *t = &s->ticket[i];
        if (j->state != JOB_RUNS) continue;
        char key[96];
        snprintf(key, sizeof key, "%s %u", t->batch, t->element);
        const int32_t row = names_get(&elements, key, strlen(key));
        const char *why =
            row < 0 ? "its array element is gone from the queue" : queue_state[row].why;
        if (!why) {
            t->gone_s = 0;
        } else if (t->gone_s <= 0) {
            t->gone_s = pool_now_s();
            t->why = why;
        }
    }
    arena_free(&a);
}

static enum ww_status slurm_poll(struct pool *p) {
    struct slurm *s = p->state;
    const double now = pool_now_s();
    if (now - s->asked >= ASK_SECONDS) find_lost(p);
    const enum ww_status status = look(p); // after the queue: what ended there has left its files
    for (uint32_t i = 0; i < p->list->n && status == WW_OK; i++) {
        const struct ticket *t = &s->ticket[i];
        if (p->list->at[i].state != JOB_RUNS || t->gone_s <= 0 ||
            pool_now_s() - t->gone_s < GRACE_SECONDS)
            continue;
        again(p, i, 128, t->why,
              arena_printf(p->arena, "%s/%s/%u.log", s->spool, t->batch, t->element));
    }
    return status;
}

static void slurm_stop(struct pool *p) {
    (void)p;
    fputs("the cluster goes on; --status, --wait and --cancel ask for it again\n", stderr);
}

static enum ww_status slurm_cancel(struct pool *p) {
    struct slurm *s = p->state;
    struct names seen;
    names_init(&seen, p->arena);
    for (uint32_t i = 0; i < p->list->n; i++) {
        struct job *j = &p->list->at[i];
        if (j->state != JOB_RUNS) continue;
        const char *name = arena_printf(p->arena, "warpwatt-%s", s->ticket[i].batch);
        if (names_get(&seen, name, strlen(name)) < 0) {
            names_put(&seen, name, strlen(name), 1);
            struct answer a;
            if (!ask(p, (const char *const[]){"scancel", "--me", "--name", name, NULL}, &a))
                return WW_ERROR_IO;
            if (a.status != 0)
                return diag_add(p->d, WW_ERROR_IO, "scancel: %s", complaint(p, &a, "scancel"));
        }
        forget(p, j);
        j->state = JOB_WAITS;
    }
    return WW_OK;
}

const struct pool_backend pool_slurm = {
    .name = "slurm",
    .step_s = 0.5,
    .open = slurm_open,
    .start = slurm_start,
    .poll = slurm_poll,
    .stop = slurm_stop,
    .cancel = slurm_cancel,
    .close = slurm_close,
};
