// The process that a front end lives in: start, end, lock, signals, forks, and what is said.
//
// A record must be whole whatever the program does. Its lines are written as launches end, so a
// process that is killed leaves all that had finished; everything milder also leaves the totals:
//   exit()      ends a simulation that another thread is in at its next quantum, then closes; so do
//               quick_exit() and, under `warpwatt run`, _exit()
//   SIGINT, SIGTERM, SIGHUP, SIGQUIT  the same, and the process dies by that signal. Only with a
//               record and only where the program has no handler of its own. Outside of calls the
//               watching thread does it (watch.c).
//   `warpwatt run` is killed  the same, whatever handlers the program has
//   fork()      the child may not use the device and never touches the record
#include "process/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "process/energy.h"
#include "process/range.h"
#include "process/refuse.h"
#include "process/watch.h"
#include "report/activity_file.h"
#include "report/trace.h"

enum {
    EXIT_PATIENCE_S = 5,   // that exit() waits for a thread that does not come back
    END_PATIENCE_MS = 500, // that the watching thread waits for one: all is to end within a second
    AGAIN_MS = 300 // one signal may come twice, by the terminal or a group and by `warpwatt run`
};

enum { CALLS = 8 };

static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static struct {
    pthread_mutex_t lock;
    struct process_front front;
    struct gpu *gpu;
    struct gpu_config *config;
    struct arena arena;
    struct diags diags;
    struct session session;
    struct session_filter *filter; // NULL: every launch is timed
    bool is_profiled;              // between cuProfilerStart and cuProfilerStop
    uint32_t ranges_told;          // nodes that the record has
    struct process_copied copied;
    const struct process_listener *listener; // NULL: none
    struct record *record;
    struct trace *trace; // NULL: no timeline is wanted
    struct call {
        const char *name; // NULL: not the program's
        double from_s;
    } call[CALLS];    // under way: host functions make some of their own
    uint32_t n_calls; // those of more than there is room for have no name
    struct progress_line progress;
    volatile int stop; // what runs ends at its next quantum
    volatile sig_atomic_t signal_number;
    struct timespec signal_time; // of the first one
    atomic_int inside;           // threads in or waiting for a call
    atomic_ullong entries;
    bool initialised, failed, ended, forked, exiting;
    bool in_callback, fork_locked, has_fork_handlers, has_exit_handlers, is_watched;
    struct sigaction old_action[WW_COUNT(caught)];
    bool has_action[WW_COUNT(caught)];
    uint64_t said[256]; // hashes of refusals that were said
    uint32_t n_said;
    char named[8192]; // words of process_first_time, with blanks around
} the = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

struct gpu *process_gpu(void) {
    return the.gpu;
}
const struct gpu_config *process_config(void) { return the.config; }
const struct session *process_session(void) { return &the.session; }
struct process_copied process_copied(void) { return the.copied; }
struct diags *process_diags(void) {
    return &the.diags;
}

// ---- what the GPU tells -----------------------------------------------------------------------
// The node that work belongs to; the record has its name before it has the work.
static uint32_t range_of(uint64_t tag) {
    const uint32_t node = range_node_of((uint32_t)tag);
    while (the.ranges_told < node) {
        const struct range_node n = range_node(++the.ranges_told);
        record_range(the.record, the.ranges_told, n.parent, n.name);
    }
    return node;
}

static void on_launch(void *user, const struct gpu_result *r) {
    (void)user;
    progress_ended(&the.progress, r->warp_instructions);
    if (the.front.launch_done) the.front.launch_done(r);
    if (the.listener) the.listener->launch(r, (uint32_t)(r->tag >> 32));
    if (the.record)
        record_launch(the.record, r, session_detail(&the.session), range_of(r->tag));
}

static void on_span(void *user, const struct gpu_span *s) {
    (void)user;
    uint32_t mark[RANGE_LEVELS];
    struct trace_level level[RANGE_LEVELS];
    const uint32_t n =
        s->kind == GPU_SPAN_CTA ? 0 : range_levels_of((uint32_t)s->tag, mark);
    for (uint32_t i = 0; i < n; i++)
        level[i] = (struct trace_level){mark[i], range_node(range_node_of(mark[i])).name};
    trace_span(the.trace, s, level, n);
}

static void on_copy(void *user, const struct gpu_span *s) {
    (void)user;
    const struct copy_moves m = activity_copy_moves(s->name);
    the.copied.writes += m.writes * (double)s->bytes;
    the.copied.reads += m.reads * (double)s->bytes;
    if (the.listener) the.listener->copy(s, (uint32_t)(s->tag >> 32));
    if (the.record) record_copy(the.record, s, range_of(s->tag));
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
    process_say("%s", sentence);
}

void process_say(const char *fmt, ...) {
    progress_clear(&the.progress);
    va_list ap;
    va_start(ap, fmt);
    fputs("warpwatt: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
}

void process_forget(void) {
    diags_free(&the.diags);
    diags_init(&the.diags);
}

static void print_diags(void) {
    if (the.diags.list.n) {
        progress_clear(&the.progress);
        diags_print(&the.diags, stderr);
    }
}

// ---- signals -----------------------------------------------------------------------------------
static void restore_signals(void) {
    for (size_t i = 0; i < WW_COUNT(caught); i++)
        if (the.has_action[i]) sigaction(caught[i], &the.old_action[i], NULL);
    memset(the.has_action, 0, sizeof the.has_action);
}

static _Noreturn void die_by_signal(int number) {
    const struct sigaction act = {.sa_handler = SIG_DFL};
    sigaction(number, &act, NULL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    _exit(128 + number);
}

static int64_t ms_between(const struct timespec *a, const struct timespec *b) {
    return (int64_t)(b->tv_sec - a->tv_sec) * 1000 + (b->tv_nsec - a->tv_nsec) / 1000000;
}

// A second one, by a person who has waited long enough, ends the process at once.
static void on_signal(int number) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (the.signal_number) {
        if (ms_between(&the.signal_time, &now) > AGAIN_MS) die_by_signal(number);
        return;
    }
    the.signal_time = now;
    the.signal_number = number;
    the.stop = 1;
    if (the.is_watched)
        watch_wake();
    else if (atomic_load(&the.inside) == 0)
        die_by_signal(number);
}

static void catch_signals(void) {
    for (size_t i = 0; i < WW_COUNT(caught); i++) {
        struct sigaction *old = &the.old_action[i];
        if (sigaction(caught[i], NULL, old) != 0 || old->sa_handler != SIG_DFL) continue;
        const struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        the.has_action[i] = sigaction(caught[i], &act, NULL) == 0;
    }
}

void process_module_leaves(void) {
    if (the.record) record_module_gone(the.record);
}

// ---- end ---------------------------------------------------------------------------------------
static bool lock_for_exit(int64_t patience_ms) {
    if (pthread_mutex_trylock(&the.lock) == 0) return true;
    the.exiting = true;
    the.stop = 1;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += patience_ms / 1000;
    until.tv_nsec += patience_ms % 1000 * 1000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    return pthread_mutex_timedlock(&the.lock, &until) == 0;
}

static const char *claim_record(struct arena *a, const char *path);

static void write_refusal(void *record, const struct refusal *r) {
    record_refused(record, r->call, r->sentence, r->times);
}

// A process that has no GPU of its own has something to tell all the same: what was refused.
static void write_refusals_alone(void) {
    static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER; // two threads may call exit()
    if (!refusals_any() || pthread_mutex_trylock(&once) != 0) return;
    struct arena a;
    struct diags d;
    struct session session;
    struct savings savings = {0};
    struct record *record = NULL;
    arena_init(&a, NULL);
    diags_init(&d);
    enum ww_status s = session_from_env(&a, &session, &d);
    const char *const path = s == WW_OK && session.record ? claim_record(&a, session.record) : NULL;
    struct gpu_config *const config = gpu_config_new(&a);
    if (path) s = session_configure(&session, &d, config, &savings);
    if (path && s == WW_OK)
        s = record_open(path, config, program_invocation_name, &session, false, &d, &record);
    if (record) {
        refusals_each(write_refusal, record);
        s = record_close(record, &(struct gpu_totals){.launches = 0}, &d);
    }
    refusals_forget();
    if (s != WW_OK) diags_print(&d, stderr);
    diags_free(&d);
    arena_free(&a);
    pthread_mutex_unlock(&once);
}

static void finish_within(int64_t patience_ms) {
    if (!the.initialised || the.forked) {
        write_refusals_alone();
        return;
    }
    if (!lock_for_exit(patience_ms)) return;
    // asked under the lock: who is writing the totals has it, and nobody dies meanwhile
    if (the.ended) {
        pthread_mutex_unlock(&the.lock);
        return;
    }
    // What was queued and never waited for still counts. From inside a callback the GPU is busy
    // with the call that we are in: it is left as it stands.
    if (!the.in_callback && !the.stop && (!the.front.may_finish || the.front.may_finish()) &&
        gpu_synchronize(the.gpu, &the.diags) != WW_OK)
        print_diags();
    the.ended = true;
    struct gpu_totals totals;
    gpu_totals(the.gpu, &totals);
    gpu_findings(the.gpu, record_finding, the.record);
    gpu_leaks(the.gpu, record_finding, the.record);
    if (the.record) refusals_each(write_refusal, the.record);
    for (uint32_t i = 1; the.record && i <= the.ranges_told; i++)
        record_range_times(the.record, i, range_node(i).times);
    refusals_forget();
    progress_clear(&the.progress);
    process_forget();
    if (the.record && record_close(the.record, &totals, &the.diags) != WW_OK) print_diags();
    the.record = NULL;
    if (trace_close(the.trace, &the.diags) != WW_OK) print_diags();
    the.trace = NULL;
    restore_signals();
    process_energy_forget();
    if (!the.in_callback) {
        gpu_destroy(the.gpu);
        the.gpu = NULL;
    }
    session_filter_destroy(the.filter);
    the.filter = NULL;
    diags_free(&the.diags);
    arena_free(&the.arena);
    pthread_mutex_unlock(&the.lock);
}

static void finish(void) { finish_within(EXIT_PATIENCE_S * 1000); }

// _exit() runs no handlers of exits: libwarpwatt-preload.so, which has its own, calls this then.
static void finish_before_exit(void) {
    void (*before_exit)(void (*fn)(void)) = NULL;
    void *const symbol = dlsym(RTLD_DEFAULT, "warpwatt_before_exit");
    memcpy(&before_exit, &symbol, sizeof symbol);
    if (before_exit) before_exit(finish);
}

static void end_now(bool owner_is_gone) {
    the.stop = 1;
    if (owner_is_gone && !the.signal_number) {
        clock_gettime(CLOCK_MONOTONIC, &the.signal_time);
        the.signal_number = SIGTERM;
    }
    finish_within(END_PATIENCE_MS);
    die_by_signal(the.signal_number);
}

// ---- forks -------------------------------------------------------------------------------------
static void before_fork(void) {
    range_before_fork();
    the.fork_locked = pthread_mutex_trylock(&the.lock) == 0;
    refusals_before_fork();
}
static void after_fork_parent(void) {
    range_after_fork(false);
    refusals_after_fork();
    if (the.fork_locked) pthread_mutex_unlock(&the.lock);
}
static void after_fork_child(void) {
    range_after_fork(true);
    refusals_after_fork();
    refusals_forget(); // they are the parent's
    the.lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    the.n_calls = 0;
    atomic_store(&the.inside, 0);
    if (the.front.forked) the.front.forked();
    if (the.is_watched) watch_forget();
    the.is_watched = false;
    if (!the.initialised || the.ended) return;
    the.forked = true;
    the.listener = NULL;
    restore_signals();
}

// ---- start -------------------------------------------------------------------------------------
// Every process that opens the device has a record of its own: the first name that is free.
static const char *claim_record(struct arena *a, const char *path) {
    for (uint32_t p = 1; p <= RECORD_PROCESSES; p++) {
        char name[RECORD_PATH_BYTES];
        const int fd =
            open(record_path_of(path, p, name, sizeof name), O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (fd < 0 && errno == EEXIST) continue;
        if (fd >= 0) close(fd);
        return arena_strdup(a, name); // record_open says what is wrong
    }
    process_say("%d processes have written records %s: what this one launches is in none",
                RECORD_PROCESSES, path);
    return NULL;
}

static bool is_timed(void *user, uint64_t launch, const char *kernel) {
    (void)user;
    if (the.session.profiled && !the.is_profiled) return false;
    if (!session_filter_times(the.filter, launch, kernel)) return false;
    if (!the.session.nvtx) return true;
    return session_filter_range(the.filter, range_node(range_node_of(range_mark())).path);
}

void process_listen(const struct process_listener *l) { the.listener = l; }

void process_profile(bool is_on) { the.is_profiled = is_on; }

static uint64_t tag(void *user) {
    (void)user;
    const uint64_t number = the.listener ? the.listener->queued() : 0;
    return number << 32 | range_mark();
}

static enum ww_status start(void) {
    arena_init(&the.arena, NULL);
    diags_init(&the.diags);
    enum ww_status s = session_from_env(&the.arena, &the.session, &the.diags);
    struct savings savings = {0};
    the.config = gpu_config_new(&the.arena);
    if (s == WW_OK) s = session_filter_create(&the.session, &the.diags, &the.filter);
    if (s == WW_OK) s = session_configure(&the.session, &the.diags, the.config, &savings);
    if (s == WW_OK && the.session.record) process_forget(); // `warpwatt run` has said the notes
    const char *const record =
        s == WW_OK && the.session.record ? claim_record(&the.arena, the.session.record) : NULL;
    if (record)
        s = record_open(record, the.config, program_invocation_name, &the.session, true, &the.diags,
                        &the.record);
    if (s == WW_OK && record)
        s = trace_open(record, &the.session, the.config, &the.diags, &the.trace);
    if (s != WW_OK) return s;
    progress_init(&the.progress, stderr, the.session.progress);
    the.progress.expected = the.session.expected;
    struct gpu_options o;
    gpu_options_init(&o);
    session_gpu_options(&the.session, &o);
    o.savings = savings;
    if (the.filter || the.session.profiled) o.time_launch = is_timed;
    o.tag = tag;
    o.launch_done = on_launch;
    o.progress = on_progress;
    o.print = on_print;
    if (the.trace) o.span = on_span;
    o.copy_done = on_copy;
    o.log = on_log;
    o.stop = &the.stop;
    s = gpu_create(the.config, &o, &the.diags, &the.gpu);
    if (s != WW_OK) return s;
    gpu_told_config(&o.told, the.config);
    if (the.record || the.session.owner)
        the.is_watched = watch_start((pid_t)the.session.owner, end_now);
    if (the.record) catch_signals();
    return WW_OK;
}

// What the end of the process and its forks call, once; children of fork() have them too.
static void add_handlers(void) {
    if (!the.has_fork_handlers)
        the.has_fork_handlers =
            pthread_atfork(before_fork, after_fork_parent, after_fork_child) == 0;
    if (!the.has_exit_handlers) {
        atexit(finish);
        at_quick_exit(finish);
    }
    the.has_exit_handlers = true;
    finish_before_exit();
}

enum process_state process_state(void) {
    if (the.forked) return PROCESS_FORKED;
    if (the.ended || the.exiting) return PROCESS_ENDED;
    return the.failed ? PROCESS_FAILED : the.initialised ? PROCESS_OPEN : PROCESS_NEW;
}

static void fail(enum ww_status s) {
    the.failed = true;
    diags_print(&the.diags, stderr);
    if (the.record) {
        record_error(the.record, s, "the simulated GPU could not be opened", false);
        record_close(the.record, &(struct gpu_totals){.launches = 0}, &the.diags);
        the.record = NULL;
    }
    process_forget();
}

enum process_state process_open(const struct process_front *front) {
    pthread_mutex_lock(&the.lock);
    if (!the.initialised && !the.failed) {
        the.front = *front;
        const enum ww_status s = start();
        if (s == WW_OK) {
            the.initialised = true;
            add_handlers();
            if (the.front.opened) the.front.opened(the.gpu);
        } else {
            fail(s);
        }
    }
    const enum process_state state = process_state();
    pthread_mutex_unlock(&the.lock);
    return state;
}

const struct gpu_config *process_config_ahead(void) {
    static struct gpu_config *ahead;
    static bool failed;
    if (the.config && the.gpu) return the.config;
    if (ahead || failed) return ahead;
    static struct arena a;
    struct diags d;
    struct session session;
    struct savings savings = {0};
    struct gpu_told told;
    arena_init(&a, NULL);
    diags_init(&d);
    struct gpu_config *const c = gpu_config_new(&a);
    enum ww_status s = session_from_env(&a, &session, &d);
    if (s == WW_OK) s = session_configure(&session, &d, c, &savings);
    if (s == WW_OK) s = gpu_told_read(session.told, &d, &told);
    if (s == WW_OK) gpu_told_config(&told, c);
    if (s != WW_OK) diags_print(&d, stderr);
    diags_free(&d);
    failed = s != WW_OK;
    return ahead = failed ? NULL : c;
}

// ---- calls -------------------------------------------------------------------------------------
static double now_s(void) { return the.trace && the.gpu ? gpu_now_s(the.gpu) : 0; }

static void begin_call(void) {
    if (the.n_calls < CALLS) the.call[the.n_calls] = (struct call){.from_s = now_s()};
    the.n_calls++;
}

static void end_call(void) {
    the.n_calls--;
    const struct call *const c = &the.call[the.n_calls];
    if (the.trace && the.n_calls < CALLS && c->name)
        trace_call(the.trace, c->name, c->from_s, now_s());
}

void process_call(const char *name) {
    if (the.n_calls <= CALLS) the.call[the.n_calls - 1].name = name;
}

void process_lock(void) {
    atomic_fetch_add(&the.inside, 1);
    pthread_mutex_lock(&the.lock);
    begin_call();
}

void process_enter(void) {
    atomic_fetch_add_explicit(&the.entries, 1, memory_order_relaxed);
    process_lock();
}

void process_leave(void) {
    end_call();
    if (the.signal_number && !the.in_callback) {
        finish();
        die_by_signal(the.signal_number);
    }
    pthread_mutex_unlock(&the.lock);
    atomic_fetch_sub(&the.inside, 1);
}

unsigned long long process_entries(void) {
    if (atomic_load(&the.inside)) atomic_fetch_add(&the.entries, 1);
    return atomic_load(&the.entries);
}

void process_call_out(void (*fn)(void *user), void *user) {
    the.in_callback = true;
    fn(user);
    the.in_callback = false;
}
bool process_is_called_out(void) { return the.in_callback; }

// ---- what is said ------------------------------------------------------------------------------
// A refusal that was said is not said again, however often a program tries: the account counts.
static bool was_said(enum ww_status s, const char *sentence) {
    if (s != WW_ERROR_LAUNCH && s != WW_ERROR_UNSUPPORTED && s != WW_ERROR_SYNTAX) return false;
    uint64_t h = 14695981039346656037u; // FNV-1a
    for (const char *c = sentence; *c; c++) h = (h ^ (uint8_t)*c) * 1099511628211u;
    for (uint32_t i = 0; i < the.n_said; i++)
        if (the.said[i] == h) return true;
    if (the.n_said < WW_COUNT(the.said)) the.said[the.n_said++] = h;
    return false;
}

void process_report(enum ww_status s, bool is_launch) {
    char first[1024] = "";
    if (s != WW_OK) diags_first(&the.diags, first, sizeof first);
    if (!was_said(s, first)) print_diags();
    process_forget();
    const bool refused =
        s == WW_ERROR_UNSUPPORTED || s == WW_ERROR_SYNTAX || (s == WW_ERROR_LAUNCH && is_launch);
    if (refused && the.record) record_error(the.record, s, first, is_launch);
}

bool process_first_time(const char *what) {
    char word[128];
    snprintf(word, sizeof word, " %s ", what);
    pthread_mutex_lock(&the.lock);
    const bool first =
        !strstr(the.named, word) && strlen(the.named) + sizeof word < sizeof the.named;
    if (first) strcat(the.named, word);
    pthread_mutex_unlock(&the.lock);
    return first;
}

void process_refuse(const char *call, const char *sentence) {
    const enum refusal_news news = refusal_count(call, sentence);
    if (news == REFUSAL_AGAIN) return;
    process_say("%s", sentence);
    if (news != REFUSAL_FIRST) return;
    pthread_mutex_lock(&the.lock);
    if (!the.initialised || the.forked) add_handlers();
    pthread_mutex_unlock(&the.lock);
}
