// Whatever a process does, the record of its run is whole: ends of all kinds, signals, forks. Each
// case is a child: this program again, with the case's name as its argument.
#include "driver_test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static const char ptx[] = PTX(".visible .entry quick() { ret; }\n"
                              // The clock may tell any loop to end: this one is not proven to spin.
                              ".visible .entry endless() {\n  .reg .u32 %r<2>;\n  .reg .pred %p;\n"
                              "  again: mov.u32 %r1, %clock;\n  setp.ne.u32 %p, %r1, 1;\n"
                              "  @%p bra again;\n  ret;\n}\n");

// ---- cases, in the child -----------------------------------------------------------------------
static CUmodule module;
static void launch(const char *name) { OK(run(kernel(module, name), 1, 32, NULL)); }

static void set_up(void) {
    start();
    module = load(ptx);
    launch("quick");
    OK(cuCtxSynchronize());
}

static void say_ready(void) { // to the parent, which sends a signal then
    CHECK(write(STDOUT_FILENO, "!", 1) == 1);
}

static void case_returns(void) {
    set_up();
    launch("quick"); // nobody waits for it, and it still counts
}
static void case_exits(void) {
    set_up();
    launch("quick");
    exit(3);
}
static void *wait_for_ever(void *unused) {
    CUcontext c;
    (void)unused;
    OK(cuCtxCreate(&c, 0, 0));
    cuCtxSynchronize();
    return NULL;
}
static void case_exits_while_another_waits(void) {
    pthread_t t;
    set_up();
    launch("endless");
    CHECK(pthread_create(&t, NULL, wait_for_ever, NULL) == 0);
    usleep(200000);
    exit(4);
}
static void leave(void *unused) {
    (void)unused;
    exit(5);
}
static void case_exits_in_a_host_function(void) {
    set_up();
    OK(cuLaunchHostFunc(NULL, leave, NULL));
    launch("quick");
    cuCtxSynchronize();
}
static void case_leaves_at_once(void) {
    set_up();
    _exit(6);
}
static void case_aborts(void) {
    set_up();
    abort();
}
static void case_forks(void) {
    CUdeviceptr p;
    int status;
    set_up();
    const pid_t pid = fork();
    if (pid == 0) {
        IS(cuMemAlloc(&p, 4), CUDA_ERROR_NOT_INITIALIZED);
        IS(cuCtxSynchronize(), CUDA_ERROR_NOT_INITIALIZED);
        IS(cuInit(0), CUDA_ERROR_NOT_INITIALIZED);
        exit(0); // runs what exits run
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    launch("quick");
    OK(cuCtxSynchronize());
}
static void case_forks_before(void) {
    int status;
    const pid_t pid = fork();
    if (pid == 0) usleep(300000);
    set_up();
    if (pid == 0) exit(0);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}
static void case_runs_for_ever(void) {
    set_up();
    launch("endless");
    say_ready();
    cuCtxSynchronize();
    exit(7);
}
static void case_does_nothing_for_ever(void) {
    set_up();
    say_ready();
    for (;;) pause();
}
static volatile sig_atomic_t caught;
static void catch (int number) { caught = number; }
static void case_has_a_handler(void) {
    signal(SIGINT, catch);
    set_up();
    say_ready();
    while (!caught) usleep(1000);
    launch("quick");
    OK(cuCtxSynchronize());
}

static void case_leaves_quickly(void) {
    set_up();
    launch("quick");
    quick_exit(8);
}
static void case_ignores_signals(void) {
    signal(SIGTERM, SIG_IGN);
    case_runs_for_ever();
}

// ---- what the parent expects -------------------------------------------------------------------
enum { NO_SIGNAL = 0 };
static const struct expected {
    const char *name;
    void (*run)(void);
    int sends;   // signal that it gets when it is ready
    int code;    // exit status, or
    int dies_by; // signal
    unsigned launches, cut_off, ends;
    unsigned records; // of processes; 0: 1
    bool twice;       // the signal comes again at once, as from a group and from `warpwatt run`
    bool loses_owner; // the process that it was started for ends
} cases[] = {
    {"returns", case_returns, .launches = 2, .ends = 1},
    {"exits", case_exits, .code = 3, .launches = 2, .ends = 1},
    {"exits while another waits", case_exits_while_another_waits, .code = 4, .launches = 2,
     .cut_off = 1, .ends = 1},
    {"exits in a host function", case_exits_in_a_host_function, .code = 5, .launches = 1,
     .ends = 1},
    {"leaves at once", case_leaves_at_once, .code = 6, .launches = 1},
    {"aborts", case_aborts, .dies_by = SIGABRT, .launches = 1},
    {"forks", case_forks, .launches = 2, .ends = 1},
    {"forks before", case_forks_before, .launches = 1, .ends = 1, .records = 2},
    {"interrupted", case_runs_for_ever, .sends = SIGINT, .dies_by = SIGINT, .launches = 2,
     .cut_off = 1, .ends = 1},
    {"terminated", case_runs_for_ever, .sends = SIGTERM, .dies_by = SIGTERM, .launches = 2,
     .cut_off = 1, .ends = 1},
    {"interrupted in host code", case_does_nothing_for_ever, .sends = SIGINT, .dies_by = SIGINT,
     .launches = 1, .ends = 1},
    {"hung up in host code", case_does_nothing_for_ever, .sends = SIGHUP, .dies_by = SIGHUP,
     .launches = 1, .ends = 1},
    {"asked to quit", case_runs_for_ever, .sends = SIGQUIT, .dies_by = SIGQUIT, .launches = 2,
     .cut_off = 1, .ends = 1},
    {"signalled twice", case_runs_for_ever, .sends = SIGTERM, .twice = true, .dies_by = SIGTERM,
     .launches = 2, .cut_off = 1, .ends = 1},
    {"leaves quickly", case_leaves_quickly, .code = 8, .launches = 2, .ends = 1},
    {"loses its owner", case_ignores_signals, .loses_owner = true, .dies_by = SIGTERM,
     .launches = 2, .cut_off = 1, .ends = 1},
    {"loses its owner in host code", case_does_nothing_for_ever, .loses_owner = true,
     .dies_by = SIGTERM, .launches = 1, .ends = 1},
    {"ignores signals", case_ignores_signals, .sends = SIGINT, .dies_by = SIGINT, .launches = 2,
     .cut_off = 1, .ends = 1},
    {"has a handler", case_has_a_handler, .sends = SIGINT, .launches = 2, .ends = 1},
};

static char record[256];

static void check_record(const struct expected *e, const char *path) {
    static char line[1 << 20];
    unsigned heads = 0, launches = 0, cut_off = 0, ends = 0;
    FILE *f = fopen(path, "r");
    CHECK(f);
    while (fgets(line, sizeof line, f)) {
        const size_t n = strlen(line);
        CHECK(n > 2 && line[0] == '{' && line[n - 2] == '}' && line[n - 1] == '\n'); // whole lines
        heads += strstr(line, "\"type\":\"run\"") != NULL;
        ends += strstr(line, "\"type\":\"end\"") != NULL;
        if (!strstr(line, "\"type\":\"launch\"")) continue;
        launches++;
        cut_off += !strstr(line, "\"status\":0");
    }
    fclose(f);
    if (launches != e->launches || cut_off != e->cut_off || ends != e->ends || heads != 1)
        printf("%s: %u heads, %u launches (%u cut off), %u ends\n", e->name, heads, launches,
               cut_off, ends);
    CHECK(heads == 1 && launches == e->launches && cut_off == e->cut_off && ends == e->ends);
}

// Of the processes of a run, in the order in which they open the GPU.
static const char *record_of(unsigned i) {
    static char path[512];
    snprintf(path, sizeof path, "%s", record);
    if (i) snprintf(path, sizeof path, "%s.%u", record, i + 1);
    return path;
}

static void try(const char *self, const struct expected *e) {
    int ready[2], status;
    char byte;
    CHECK(pipe(ready) == 0);
    for (unsigned i = 0; i < 3; i++) unlink(record_of(i));
    const pid_t owner = e->loses_owner ? fork() : 0;
    if (e->loses_owner && owner == 0) {
        for (;;) pause();
    }
    const time_t began = time(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(ready[1], STDOUT_FILENO);
        close(ready[0]);
        close(ready[1]);
        setenv("WARPWATT_RECORD", record, 1);
        char number[16];
        snprintf(number, sizeof number, "%d", (int)owner);
        if (owner) setenv("WARPWATT_OWNER", number, 1);
        execl(self, self, e->name, (char *)NULL);
        _exit(127);
    }
    close(ready[1]);
    if (e->sends || e->loses_owner) {
        CHECK(read(ready[0], &byte, 1) == 1 && byte == '!');
        usleep(150000);
        kill(owner ? owner : pid, owner ? SIGKILL : e->sends);
        if (e->twice) kill(pid, e->sends);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    char rest[512];
    const ssize_t n = read(ready[0], rest, sizeof rest - 1); // of a failed check
    close(ready[0]);
    const bool good = e->dies_by ? WIFSIGNALED(status) && WTERMSIG(status) == e->dies_by
                                 : WIFEXITED(status) && WEXITSTATUS(status) == e->code;
    if (!good) printf("%s: wait status 0x%x %.*s\n", e->name, status, (int)(n > 0 ? n : 0), rest);
    CHECK(good);
    CHECK(time(NULL) - began < 30);
    const unsigned records = e->records ? e->records : 1;
    for (unsigned i = 0; i < records; i++) check_record(e, record_of(i));
    CHECK(access(record_of(records), F_OK) != 0);
    if (owner) CHECK(waitpid(owner, NULL, 0) == owner);
}

int main(int argc, char **argv) {
    for (size_t i = 0; i < COUNT(cases) && argc == 2; i++) {
        if (strcmp(argv[1], cases[i].name) != 0) continue;
        cases[i].run();
        return 0;
    }
    if (argc != 1) return 2;
    char folder[] = "/tmp/warpwatt-test-XXXXXX";
    CHECK(mkdtemp(folder));
    snprintf(record, sizeof record, "%s/record", folder);
    for (size_t i = 0; i < COUNT(cases); i++) try("/proc/self/exe", &cases[i]);
    for (unsigned i = 0; i < 3; i++) unlink(record_of(i));
    CHECK(rmdir(folder) == 0);
    return 0;
}
