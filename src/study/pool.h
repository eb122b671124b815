// What runs jobs: on this machine (pool_local.c), by Slurm (pool_slurm.c). A backend is one table
// of functions in one file and a row of `pool_backends`; all that they share (what is kept already,
// progress, signals, counts, storing results) is pool.c's.
#ifndef WW_STUDY_POOL_H
#define WW_STUDY_POOL_H

#include "study/study.h"

enum { JOB_KEY_DIGITS = JOB_KEY_BYTES - 1 };
enum { POOL_MAX_WORDS = 2 * STUDY_MAX_SET + 3 * STUDY_MAX_OPTIONS + 32 + STUDY_MAX_WORDS };

struct pool {
    struct arena *arena;
    job_list *list;
    const struct study_host *host;
    struct store *store;
    const struct pool_options *o;
    struct diags *d;
    struct pool_counts *counts;
    void *state; // the backend's own
};

// Functions answer a status with a sentence in p->d; anything but WW_OK ends the pool.
struct pool_backend {
    const char *name;
    double step_s; // between two turns in which nothing ended
    // Called once, when kept jobs are sorted out; may find jobs that an earlier command left
    // running and put them into JOB_RUNS.
    enum ww_status (*open)(struct pool *p);
    // Starts jobs that wait (JOB_WAITS), as many as there is room for; they become JOB_RUNS.
    enum ww_status (*start)(struct pool *p);
    // Looks for jobs that ended and hands each to pool_done or pool_failed, or back to JOB_WAITS.
    enum ww_status (*poll)(struct pool *p);
    // The command was interrupted or failed: ends what should not outlive it.
    void (*stop)(struct pool *p);
    // Ends jobs of the list wherever they run (--cancel).
    enum ww_status (*cancel)(struct pool *p);
    void (*close)(struct pool *p);
};
extern const struct pool_backend pool_local, pool_slurm;
extern const struct pool_backend *const pool_backends[];
extern const size_t pool_backends_n;

// The words of `warpwatt run` for a job, NULL behind the last one.
void pool_words(const struct study_host *host, const struct job *j, const char *record,
                char *words[POOL_MAX_WORDS]);
// Those of them that say what the job is, copied: behind `run -o FOLDER` (run_pages.h). NULL behind the last one.
const char *const *pool_page_words(struct arena *a, const struct job *j);
// Stores the record of a job that ended well; a record that is refused fails the job.
void pool_done(struct pool *p, struct job *j, const char *record, double host_s);
void pool_failed(struct pool *p, struct job *j, int code, const char *message);
// The next job that waits, the longest first; list->n when none does.
uint32_t pool_next(const job_list *list);
bool pool_stopped(void); // a signal asked the command to end
double pool_now_s(void);

// ---- children (child.c) -----------------------------------------------------------------------
// Starts words[0] in a process group of its own that dies with this process; output goes to `log`.
// Answers its pid, or -1 with errno.
int child_start(char *const *words, const char *log);
// Why a child failed, from its wait status and its log; `code` gets the exit code.
const char *child_why(struct arena *a, int status, const char *log, int *code);

#endif
