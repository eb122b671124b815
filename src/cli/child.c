// A program as a child of `warpwatt run`: the libraries that it finds, the signals that reach it,
// and its end. The two end together, whichever of them a signal is sent to:
//   a key (Ctrl-C, Ctrl-\)  reaches both by the terminal. The program decides; we wait for it.
//   INT, TERM, HUP, QUIT to us  are passed on to the program and to all that it started. What is
//               not gone after PATIENCE_MS is killed.
//   KILL to us  the kernel sends TERM to the program (PR_SET_PDEATHSIG), and every process that has
//               opened the GPU watches us (src/process/watch.c).
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    PATIENCE_MS =
        700, // assumed: long beside a quantum and the writing of an account, below a second
    STEP_MS = 10,
    MAX_PROCESSES = 4096
};

static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

const char *run_library_folder(struct cli *c) {
    const char *const candidates[] = {"", "/../lib/warpwatt", "/../lib"};
    for (size_t i = 0; i < WW_COUNT(candidates); i++) {
        const char *dir = arena_printf(&c->arena, "%s%s", c->exe_dir, candidates[i]);
        if (access(arena_printf(&c->arena, "%s/libcuda.so.1", dir), R_OK) == 0) return dir;
    }
    diag_add(&c->diags, WW_ERROR_IO,
             "cannot find libcuda.so.1 beside %s/warpwatt; is the build complete?", c->exe_dir);
    return NULL;
}

// `first` comes before all else that the variable lists; a bench asks for it once a run.
static void list_first(struct cli *c, const char *variable, const char *first) {
    const char *const old = getenv(variable);
    const size_t n = strlen(first);
    if (old && strncmp(old, first, n) == 0 && (!old[n] || old[n] == ':')) return;
    setenv(variable,
           arena_printf(&c->arena, "%s%s%s", first, old && *old ? ":" : "", old ? old : ""), 1);
}

// ---- signals ------------------------------------------------------------------------------------
// The signals to wait for: those that end a run and are not ignored (nohup, jobs of a shell in the
// background), and a child's end.
static sigset_t signals_to_wait_for(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < WW_COUNT(ends); i++) {
        struct sigaction now;
        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&set, ends[i]);
    }
    return set;
}

// The processes that descend from `pid`, parents first.
static uint32_t descendants(pid_t pid, pid_t *list, uint32_t n) {
    const uint32_t from = n;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    FILE *f = fopen(path, "r");
    int child;
    while (f && n < MAX_PROCESSES && fscanf(f, "%d", &child) == 1) list[n++] = child;
    if (f) fclose(f);
    const uint32_t to = n;
    for (uint32_t i = from; i < to; i++) n = descendants(list[i], list, n);
    return n;
}

// Ours are all that descend from us: orphans become our children (PR_SET_CHILD_SUBREAPER). Answers
// how many there are.
static uint32_t signal_all(int number) {
    static pid_t list[MAX_PROCESSES];
    const uint32_t n = descendants(getpid(), list, 0);
    for (uint32_t i = 0; i < n; i++) kill(list[i], number);
    return n;
}

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool has_ended(pid_t pid, int *status, struct rusage *usage) {
    pid_t got;
    while ((got = wait4(pid, status, WNOHANG, usage)) < 0 && errno == EINTR) {
    }
    return got != 0;
}

// Waits for the program's end and passes signals on; answers the last one that came, or 0.
static int wait_for_end(pid_t pid, const sigset_t *set, int *status, struct rusage *usage) {
    int number = 0;
    int64_t deadline = INT64_MAX;
    while (!has_ended(pid, status, usage)) {
        siginfo_t info;
        const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
        const int got =
            deadline == INT64_MAX ? sigwaitinfo(set, &info) : sigtimedwait(set, &info, &step);
        if (got > 0 && got != SIGCHLD) {
            number = got;
            if (info.si_code != SI_KERNEL) {
                signal_all(got);
                if (deadline == INT64_MAX) deadline = now_ms() + PATIENCE_MS;
            }
        }
        if (now_ms() > deadline) signal_all(SIGKILL);
    }
    // what the program had started
    while (deadline != INT64_MAX && signal_all(now_ms() > deadline ? SIGKILL : 0) > 0) {
        if (wait4(-1, NULL, WNOHANG, NULL) > 0) continue;
        nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
    }
    return number;
}

// ---- the child ----------------------------------------------------------------------------------
static _Noreturn void become(char **argv, const struct run_request *q, const sigset_t *mask,
                             pid_t parent, int report) {
    sigprocmask(SIG_SETMASK, mask, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(126);
    if (q->json) dup2(STDERR_FILENO, STDOUT_FILENO); // standard output is for the account
    const int nothing = q->is_silent ? open("/dev/null", O_WRONLY) : -1;
    if (nothing >= 0) dup2(nothing, STDOUT_FILENO);
    execvp(argv[0], argv);
    const int why = errno;
    if (write(report, &why, sizeof why) < 0) _exit(126);
    _exit(127);
}

// What the child finds in its environment.
static bool prepare(struct cli *c, struct run_request *q) {
    const char *lib = run_library_folder(c);
    if (!lib) return false;
    // LD_PRELOAD and LD_AUDIT have no way to quote (ld.so(8)). Our workloads need neither.
    if (!q->is_workload && strpbrk(lib, " :\t\n")) {
        diag_add(&c->diags, WW_ERROR_CONFIG,
                 "warpwatt lies in `%s`: the dynamic loader takes no name with a space or colon in "
                 "LD_PRELOAD and LD_AUDIT, so that a program would not find the simulated GPU; put "
                 "it into a folder without",
                 lib);
        return false;
    }
    list_first(c, "LD_LIBRARY_PATH", lib);
    // the loader takes each library that warpwatt has from this folder (src/cudart/audit.c)
    list_first(c, "LD_AUDIT", arena_printf(&c->arena, "%s/libwarpwatt-audit.so", lib));
    // what the program and all that it starts load first: it puts our runtime in the place of one
    // that was linked into a program (src/cudart/preload.c)
    list_first(c, "LD_PRELOAD", arena_printf(&c->arena, "%s/libwarpwatt-preload.so", lib));
    // a program that was built with AddressSanitizer would not start behind it
    list_first(c, "ASAN_OPTIONS", "verify_asan_link_order=0");
    // NVTX 3 in a program loads the library that this names (src/libraries/nvtx)
    setenv("NVTX_INJECTION64_PATH", arena_printf(&c->arena, "%s/libnvToolsExt.so.1", lib), 1);
    // loaders of OpenCL look for platforms here: ours is the only one (src/opencl)
    setenv("OCL_ICD_VENDORS", arena_printf(&c->arena, "%s/opencl-vendors", lib), 1);
    q->session.owner = (uint32_t)getpid();
    if (session_to_env(&q->session)) return true;
    diag_add(&c->diags, WW_ERROR_MEMORY, "the environment has no room for the options");
    return false;
}

int run_child(struct cli *c, struct run_request *q, char **argv, struct rusage *usage) {
    if (!prepare(c, q)) return -1;
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) {
        diag_add(&c->diags, WW_ERROR_IO, "cannot make a pipe: %s", strerror(errno));
        return -1;
    }
    const sigset_t set = signals_to_wait_for();
    sigset_t mask;
    sigprocmask(SIG_BLOCK, &set, &mask);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t parent = getpid();
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) become(argv, q, &mask, parent, report[1]);
    close(report[1]);
    int why = pid < 0 ? errno : 0;
    const bool failed = pid < 0 || read(report[0], &why, sizeof why) == (ssize_t)sizeof why;
    close(report[0]);
    int status = 0;
    if (!failed) run_make_model(c, q); // while the child simulates
    if (pid > 0) q->ended_by = wait_for_end(pid, &set, &status, usage);
    while (sigtimedwait(&set, NULL, &(struct timespec){.tv_nsec = 0}) > 0) {
    } // more of the same
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (!failed) return status;
    diag_add(&c->diags, pid < 0 ? WW_ERROR_IO : WW_ERROR_USAGE, "cannot %s %s: %s",
             pid < 0 ? "start" : "run", argv[0], strerror(why));
    return -1;
}
