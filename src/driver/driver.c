// The singleton: start, end, lock, errors.
#include "driver/driver.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    struct driver state;
    struct arena arena;
    struct diags diags;
    struct session session;
    struct record *record;
    struct progress_line progress;
    volatile int stop;
    bool initialised, failed, ended;
    pid_t pid;
    char named[4096]; // unsupported calls that were named, with blanks around
} the = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

struct driver *driver_get(void) { return &the.state; }
struct diags *driver_diags(void) { return &the.diags; }

static void on_launch(void *user, const struct gpu_result *r) {
    (void)user;
    progress_clear(&the.progress);
    if (the.record) record_launch(the.record, r, the.session.per_sm);
}

static void on_progress(void *user, const struct gpu_progress *p) {
    (void)user;
    progress_show(&the.progress, p);
}

static void on_print(void *user, const char *text, size_t len) {
    (void)user;
    progress_clear(&the.progress);
    fwrite(text, 1, len, stdout);
    fflush(stdout);
}

static void on_log(void *user, const char *sentence) {
    (void)user;
    progress_clear(&the.progress);
    fprintf(stderr, "warpwatt: %s\n", sentence);
}

static void on_interrupt(int signal_number) {
    (void)signal_number;
    the.stop = 1;
}

static void finish(void) {
    if (!the.initialised || the.ended || getpid() != the.pid) return;
    the.ended = true;
    struct gpu_totals totals;
    if (the.state.gpu) {
        gpu_synchronize(the.state.gpu, &the.diags); // what was queued and never waited for still counts
        gpu_totals(the.state.gpu, &totals);
        progress_clear(&the.progress);
        if (the.record && record_close(the.record, &totals, &the.diags) != WW_OK)
            diags_print(&the.diags, stderr);
        the.record = NULL;
        gpu_destroy(the.state.gpu);
        the.state.gpu = NULL;
    }
    diags_free(&the.diags);
    arena_free(&the.arena);
}

static enum ww_status start(void) {
    arena_init(&the.arena, NULL);
    diags_init(&the.diags);
    enum ww_status s = session_from_env(&the.arena, &the.session, &the.diags);
    if (s == WW_OK)
        s = gpu_config_load(the.session.gpu, the.session.overrides, the.session.n_overrides, &the.diags,
                            &the.state.config);
    if (s == WW_OK && the.session.record)
        s = record_open(the.session.record, &the.state.config, program_invocation_name, &the.diags, &the.record);
    if (s != WW_OK) return s;
    progress_init(&the.progress, stderr, the.session.progress);
    struct gpu_options o;
    gpu_options_init(&o);
    session_gpu_options(&the.session, &o);
    o.launch_done = on_launch;
    o.progress = on_progress;
    o.print = on_print;
    o.log = on_log;
    o.stop = &the.stop;
    s = gpu_create(&the.state.config, &o, &the.diags, &the.state.gpu);
    if (s != WW_OK) return s;
    struct sigaction old;
    if (the.record && sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler == SIG_DFL) {
        const struct sigaction act = {.sa_handler = on_interrupt, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
        sigaction(SIGINT, &act, NULL); // the second Ctrl-C ends at once
        sigaction(SIGTERM, &act, NULL);
    }
    the.pid = getpid();
    return WW_OK;
}

CUresult driver_init(void) {
    pthread_mutex_lock(&the.lock);
    if (!the.initialised && !the.failed) {
        const enum ww_status s = start();
        if (s == WW_OK) {
            the.initialised = true;
            atexit(finish);
        } else {
            the.failed = true;
            diags_print(&the.diags, stderr);
            if (the.record) {
                record_error(the.record, s, "the simulated GPU could not be opened");
                record_close(the.record, &(struct gpu_totals){.launches = 0}, &the.diags);
                the.record = NULL;
            }
        }
    }
    const CUresult r = the.failed ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
    pthread_mutex_unlock(&the.lock);
    return r;
}

CUresult driver_enter(const char *call, enum driver_need need) {
    (void)call;
    pthread_mutex_lock(&the.lock);
    CUresult r = CUDA_SUCCESS;
    if (the.ended)
        r = CUDA_ERROR_DEINITIALIZED;
    else if (need >= NEED_INIT && !the.initialised)
        r = CUDA_ERROR_NOT_INITIALIZED;
    else if (need >= NEED_CONTEXT && !driver_current())
        r = CUDA_ERROR_INVALID_CONTEXT;
    else if (need >= NEED_CONTEXT && the.state.sticky != CUDA_SUCCESS)
        r = the.state.sticky;
    if (r != CUDA_SUCCESS) pthread_mutex_unlock(&the.lock);
    return r;
}

CUresult driver_leave(CUresult r) {
    pthread_mutex_unlock(&the.lock);
    return r;
}

static CUresult fault_result(enum ww_status s) {
    const uint32_t n = gpu_result_count(the.state.gpu);
    const struct gpu_result *last = n ? gpu_result_at(the.state.gpu, n - 1) : NULL;
    const enum exec_fault_kind kind = last ? last->fault.kind : FAULT_NONE;
    switch (kind) {
    case FAULT_MISALIGNED: return CUDA_ERROR_MISALIGNED_ADDRESS;
    case FAULT_ASSERT: return CUDA_ERROR_ASSERT;
    case FAULT_TRAP: return CUDA_ERROR_LAUNCH_FAILED;
    case FAULT_STACK: return CUDA_ERROR_HARDWARE_STACK_ERROR;
    case FAULT_BAD_CALL:
    case FAULT_BAD_BRANCH: return CUDA_ERROR_INVALID_PC;
    case FAULT_NONE: return s == WW_ERROR_TRAP ? CUDA_ERROR_LAUNCH_FAILED : CUDA_ERROR_ILLEGAL_ADDRESS;
    default: return CUDA_ERROR_ILLEGAL_ADDRESS;
    }
}

CUresult driver_result(enum ww_status s, struct diags *d) {
    if (s == WW_OK && !d->errors) return CUDA_SUCCESS;
    if (d->list.n) {
        progress_clear(&the.progress);
        diags_print(d, stderr);
    }
    char first[1024];
    diags_first(d, first, sizeof first);
    diags_free(d);
    diags_init(d);
    switch (s) {
    case WW_OK: return CUDA_SUCCESS;
    case WW_ERROR_DEVICE_MEMORY:
    case WW_ERROR_MEMORY: return CUDA_ERROR_OUT_OF_MEMORY;
    case WW_ERROR_USAGE:
    case WW_ERROR_CONFIG:
    case WW_ERROR_LAUNCH: return CUDA_ERROR_INVALID_VALUE;
    case WW_ERROR_IO: return CUDA_ERROR_FILE_NOT_FOUND;
    case WW_ERROR_SYNTAX:
        if (the.record) record_error(the.record, s, first);
        return CUDA_ERROR_INVALID_PTX;
    case WW_ERROR_UNSUPPORTED:
        if (the.record) record_error(the.record, s, first);
        return CUDA_ERROR_INVALID_PTX;
    case WW_ERROR_ACCESS:
    case WW_ERROR_TRAP:
    case WW_ERROR_PROGRAM: return the.state.sticky = fault_result(s);
    case WW_ERROR_DEADLOCK:
    case WW_ERROR_LIMIT: return the.state.sticky = CUDA_ERROR_LAUNCH_TIMEOUT;
    case WW_ERROR_INTERRUPTED:
        // Ctrl-C: what ran is in the record; the program ends as the signal would have ended it.
        finish();
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
        return CUDA_ERROR_LAUNCH_FAILED;
    default: return CUDA_ERROR_UNKNOWN;
    }
}

CUresult driver_unsupported(const char *call) {
    pthread_mutex_lock(&the.lock);
    char word[128];
    snprintf(word, sizeof word, " %s ", call);
    if (!strstr(the.named, word) && strlen(the.named) + sizeof word < sizeof the.named) {
        strcat(the.named, word);
        fprintf(stderr, "warpwatt: %s is not supported: it answers CUDA_ERROR_NOT_SUPPORTED\n", call);
    }
    pthread_mutex_unlock(&the.lock);
    return CUDA_ERROR_NOT_SUPPORTED;
}
