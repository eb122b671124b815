// A front end that is not CUDA's: the process keeps its GPU, record, exits, signals and forks all the
// same. Each case runs in a child, which ends in its own way; the record says what is left of it.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "gpu/gpu.h"
#include "process/process.h"

static const char ptx[] =
    ".version 4.2\n.target sm_20\n.address_size 64\n"
    ".visible .entry quick() { ret; }\n"
    ".visible .entry endless() {\n  again: bra again;\n}\n"
    ".visible .entry wide() .reqntid 64 { ret; }\n";

static unsigned opened, done, forked;
static void on_open(struct gpu *g) { opened += g == process_gpu(); }
static void on_done(const struct gpu_result *r) { done += r->status == WW_OK; }
static void on_fork(void) { forked++; }

static struct gpu_kernel *kernel_of(const char *name) {
    static struct gpu_module *m;
    struct gpu_kernel *k = NULL;
    if (!m && gpu_module_load(process_gpu(), "m", ptx, strlen(ptx), NULL, process_diags(), &m))
        _exit(90);
    if (gpu_kernel_find(m, name, process_diags(), &k) != WW_OK) _exit(91);
    return k;
}
static void launch(const char *name) {
    const struct gpu_launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    process_enter();
    process_report(gpu_launch(process_gpu(), NULL, kernel_of(name), &l, process_diags(), NULL), true);
    process_leave();
}
static void wait_for_gpu(void) {
    process_enter();
    process_report(gpu_synchronize(process_gpu(), process_diags()), false);
    process_leave();
}
static void set_up(void) {
    static const struct process_front front = {
        .opened = on_open, .launch_done = on_done, .forked = on_fork};
    if (process_open(&front) != PROCESS_OPEN || process_open(&front) != PROCESS_OPEN) _exit(92);
    launch("quick");
    wait_for_gpu();
    if (opened != 1 || done != 1) _exit(93);
}

static void leaves_work(void) {
    set_up();
    launch("quick"); // it is done at the exit
    exit(3);
}
static void is_refused(void) {
    set_up();
    for (int i = 0; i < 5; i++) launch("wide");
    if (!process_first_time("word") || process_first_time("word")) _exit(94);
    exit(0);
}
static void forks(void) {
    set_up();
    const pid_t pid = fork();
    if (pid == 0) {
        static const struct process_front front = {.opened = on_open};
        _exit(forked == 1 && process_open(&front) == PROCESS_FORKED ? 0 : 1);
    }
    int status;
    if (waitpid(pid, &status, 0) != pid || status) _exit(95);
    launch("quick");
    exit(0);
}
static void is_terminated(void) {
    set_up();
    launch("endless");
    raise(SIGTERM); // in code of its own
    for (;;) pause();
}

static void check(void (*run)(void), int status_wanted, size_t launches, uint64_t refused) {
    char path[] = "/tmp/warpwatt-process-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    unlink(path);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        setenv("WARPWATT_RECORD", path, 1);
        setenv("WARPWATT_GPU", WW_SOURCE_DIR "/gpus/gtx480.yaml", 1);
        run();
        _exit(99);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), status_wanted);
    struct diags d;
    struct run r;
    diags_init(&d);
    assert_int_equal(run_read(path, &d, &r), WW_OK);
    assert_int_equal(json_array_size(r.launches), launches);
    assert_int_equal(run_refused(&r), refused);
    assert_int_equal(r.processes, 1);
    assert_int_equal(r.cut_off, 0);
    assert_non_null(r.end);
    run_release(&r);
    diags_free(&d);
    record_remove(path);
}

static void what_is_queued_counts(void **state) {
    (void)state;
    check(leaves_work, 3, 2, 0);
}
static void refusals_are_counted(void **state) {
    (void)state;
    check(is_refused, 0, 1, 5);
}
static void a_child_has_no_gpu(void **state) {
    (void)state;
    check(forks, 0, 2, 0);
}
static void a_signal_leaves_the_account(void **state) {
    (void)state;
    check(is_terminated, -SIGTERM, 1, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_queued_counts),
        cmocka_unit_test(refusals_are_counted),
        cmocka_unit_test(a_child_has_no_gpu),
        cmocka_unit_test(a_signal_leaves_the_account),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
