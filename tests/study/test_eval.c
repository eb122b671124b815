// Expressions, verdicts and keys over runs that were made by hand.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "activity/sm.h"
#include "study/study.h"

static const char text[] =
    "name: t\n"
    "title: T\n"
    "workloads: {a: , b: , half: {run: a, kernel: \"k1*\"}}\n"
    "groups: {ab: [a, b]}\n"
    "configurations: {one: {gpu: gtx480}, two: {set: {sm.schedulers: 1}}}\n"
    "metrics:\n"
    "  ipc: warp_instructions / cycles\n"
    "  \"two words\": 10 * ipc\n"
    "  faster: other('one', 'cycles') / cycles\n"
    "  loop: loop2 + 1\n"
    "  loop2: loop\n"
    "figures:\n"
    "  f: {series: [ipc], found: \"X\", agrees: \"average('ipc', 'ab') > 3\", x: ab}\n"
    "  g: {series: [ipc], configuration: two, x: ab, aggregates: [average, geomean]}\n"
    "published:\n"
    "  - {metric: m, workload: a, configuration: one, value: 4, unit: W, ours: cycles / 50, "
    "tolerance: 1 %, figure: g}\n"
    "  - {metric: m, workload: average, configuration: one, value: 5, ours: ipc, group: ab, "
    "tolerance: 2 points, figure: g}\n"
    "  - {metric: m, workload: b, configuration: two, value: 5, ours: ipc, tolerance: 2 points, "
    "why: {b: because}, figure: g}\n"
    "  - {metric: m, workload: b, configuration: one, value: 5, why: \"no\"}\n";

struct rig {
    struct arena arena;
    struct diags d;
    struct study s;
    const struct gpu_config *gpu[2];
    struct eval *e;
    struct result results[6]; // a one, a two, b one, b two, half one, half two
};

static struct kernel_result kernel(const char *name, double launches, double cycles,
                                   uint64_t warps) {
    struct kernel_result k = {
        .name = name, .launches = launches, .cycles = cycles, .seconds = cycles * 1e-9};
    k.activity.c[ACT_warp_instructions] = warps;
    return k;
}

static int set_up(void **state) {
    struct rig *r = calloc(1, sizeof *r);
    arena_init(&r->arena, NULL);
    diags_init(&r->d);
    assert_int_equal(
        study_parse(&r->arena, "t.yaml", arena_strdup(&r->arena, text), NULL, &r->d, &r->s), WW_OK);
    for (int i = 0; i < 2; i++) {
        const struct study_configuration *const c = &r->s.configuration.at[i];
        struct gpu_config *const gpu = gpu_config_new(&r->arena);
        assert_int_equal(gpu_config_load(c->gpu, c->set, c->n_set, &r->d, gpu), WW_OK);
        r->gpu[i] = gpu;
    }
    assert_int_equal(eval_new(&r->arena, &r->s, r->gpu, &r->d, &r->e), WW_OK);
    static struct kernel_result a1[3], a2[3], b1[2];
    a1[0] = kernel("", 3, 200, 800);
    a1[1] = kernel("k1", 2, 150, 700);
    a1[2] = kernel("other", 1, 50, 100);
    a1[0].activity.c[ACT_thread_by_class + OPC_FP_FMA] = 7;
    a1[0].activity.c[ACT_thread_by_class + OPC_INT_ADD] = 5;
    a1[0].activity.c[ACT_lanes_active + 2] = 3;
    a1[0].activity.c[ACT_lanes_active + 31] = 4;
    a1[0].activity.c[ACT_lanes_active + 32] = 5;
    a2[0] = kernel("", 3, 100, 800);
    a2[1] = kernel("k1", 2, 60, 700);
    a2[2] = kernel("other", 1, 40, 100);
    b1[0] = b1[1] = kernel("", 1, 100, 200);
    b1[1].name = "k1b";
    r->results[0] = (struct result){.there = true, .kernel = a1, .n_kernels = 3};
    r->results[1] = (struct result){.there = true, .kernel = a2, .n_kernels = 3};
    r->results[2] =
        (struct result){.there = true, .kernel = b1, .n_kernels = 2}; // b on two is not there
    r->results[4] = r->results[0];
    r->results[5] = r->results[1];
    eval_set_results(r->e, r->results, NULL);
    *state = r;
    return 0;
}

static int tear_down(void **state) {
    struct rig *r = *state;
    eval_free(r->e);
    diags_free(&r->d);
    arena_free(&r->arena);
    free(r);
    return 0;
}

static double at(struct rig *r, int w, int c, const char *expr) {
    double v;
    const enum ww_status s =
        eval_number(r->e, expr, (struct mark){1, 1},
                    (struct eval_scope){.workload = w, .configuration = c}, &r->d, &v);
    if (s != WW_OK) {
        diags_print(&r->d, stderr);
        fail_msg("%s", expr);
    }
    return v;
}

static void test_values(void **state) {
    struct rig *r = *state;
    assert_float_equal(at(r, 0, 0, "ipc"), 4, 1e-12);
    assert_float_equal(at(r, 0, 0, "\"two words\" + 1"), 41, 1e-12);
    assert_float_equal(at(r, 0, 1, "faster"), 2, 1e-12);
    assert_float_equal(at(r, 0, 0, "act('thread_by_class')"), 12, 1e-12);
    assert_float_equal(at(r, 0, 0, "act('thread_by_class', 'FP_FMA')"), 7, 1e-12);
    assert_float_equal(at(r, 0, 0, "thread_by_class / 2"), 6, 1e-12);
    // 3 instructions with 2 lanes, 4 with 31, 5 with all
    assert_float_equal(at(r, 0, 0, "part('lanes_active', 0, 32)"), 12, 1e-12);
    assert_float_equal(at(r, 0, 0, "part('lanes_active', 3, 31)"), 4, 1e-12);
    assert_float_equal(at(r, 0, 0, "weighted('lanes_active', 0, 31)"), 3 * 2 + 4 * 31, 1e-12);
    assert_float_equal(at(r, 0, 0, "highest_element('lanes_active')"), 32, 1e-12);
    assert_float_equal(at(r, 0, 0, "kernel('k1', 'cycles / launches')"), 75, 1e-12);
    assert_float_equal(at(r, 0, 0, "kernel('*', 'launches')"), 3, 1e-12);
    assert_float_equal(at(r, 2, 0, "cycles"), 150, 1e-12); // a workload that is one kernel
    assert_float_equal(at(r, -1, -1, "at('b', 'one', 'ipc')"), 2, 1e-12);
    assert_float_equal(at(r, 0, 1, "config('sm.schedulers')"), 1, 1e-12);
    assert_float_equal(at(r, 0, 0, "sqrt(16) + max(1, 2)"), 6, 1e-12);
    assert_float_equal(at(r, 1, 0, "published('m', 'a')"), 4, 1e-12);
}

static void test_folds(void **state) {
    struct rig *r = *state;
    assert_float_equal(at(r, -1, 0, "average('ipc', 'ab')"), 3, 1e-12);
    assert_float_equal(at(r, -1, 0, "geomean('ipc', 'ab')"), sqrt(8), 1e-12);
    assert_float_equal(at(r, -1, 0, "total('cycles', 'ab')"), 300, 1e-12);
    assert_float_equal(at(r, -1, 0, "highest('ipc', 'ab') - lowest('ipc', 'ab')"), 2, 1e-12);
    assert_float_equal(at(r, -1, 1, "how_many('ipc', 'ab')"), 1, 1e-12);
    assert_float_equal(at(r, -1, 1, "average('ipc', 'ab')"), 8, 1e-12); // only what is there
}

static void test_missing(void **state) {
    struct rig *r = *state;
    assert_true(isnan(at(r, 1, 1, "ipc")));
    assert_true(isnan(at(r, 1, 1, "faster + 1")));
    assert_true(isnan(at(r, 0, 0, "cycles / 0")));
    assert_true(isnan(at(r, 0, 0, "kernel('nosuch', 'cycles')")));
    assert_non_null(strstr(eval_note(r->e), "nosuch"));
}

// Energy of a run is that of its counters over its time, whatever the model says.
static void test_energy(void **state) {
    struct rig *r = *state;
    const double all = at(r, 0, 0, "energy_j");
    assert_true(all > 0);
    assert_float_equal(at(r, 0, 0, "(dynamic_j() + static_j()) / energy_j"), 1, 1e-12);
    assert_float_equal(at(r, 0, 0, "power_w * seconds / energy_j"), 1, 1e-12);
    assert_float_equal(at(r, 0, 0, "static_j() / ((leak_w() + constant_w()) * seconds)"), 1, 1e-9);
    assert_float_equal(at(r, 0, 0, "dynamic_j('fp') / (7 * event_j('thread_by_class', 'FP_FMA'))"),
                       1, 1e-6);
    assert_true(at(r, -1, 0, "area_mm2('sm') / area_mm2()") > 0.1);
}

static void refuse(struct rig *r, int w, int c, const char *expr, const char *sentence) {
    struct diags d;
    diags_init(&d);
    double v;
    char first[700];
    assert_int_equal(eval_number(r->e, expr, (struct mark){3, 7},
                                 (struct eval_scope){.workload = w, .configuration = c}, &d, &v),
                     WW_ERROR_CONFIG);
    diags_first(&d, first, sizeof first);
    if (!strstr(first, sentence)) fail_msg("%s: %s", expr, first);
    assert_int_equal(d.list.n, 1);
    diags_free(&d);
}

static void test_refusals(void **state) {
    struct rig *r = *state;
    refuse(r, 0, 0, "ipcc", "did you mean `ipc`");
    refuse(r, 0, 0, "\"ipcc\"", "no metric or counter `ipcc`"); // not a text by SQLite's old habit
    refuse(r, 0, 0, "'ipc'", "must be a number");
    refuse(r, 0, 0, "act('warp_instruction')", "did you mean `warp_instructions`");
    refuse(r, 0, 0, "act('thread_by_class', 'FP_FMAA')", "no element `FP_FMAA`");
    refuse(r, 0, 0, "part('lanes_active', 30, 33)", "elements 0 to 32, not 30 to 33");
    refuse(r, 0, 0, "weighted('no_such', 0, 1)", "there is no counter `no_such`");
    refuse(r, 0, 0, "act('warp_instructions', 1)", "no element `1`");
    refuse(r, 0, 0, "loop", "in a circle");
    refuse(r, 0, 0, "1) FROM here; SELECT (2", "only one expression");
    refuse(r, 0, 0, "other('three', 'ipc')", "no configuration `three`");
    refuse(r, 0, 0, "average('ipc', 'abc')", "no group `abc`");
    refuse(r, -1, 0, "ipc", "needs a run");
    refuse(r, -1, -1, "area_mm2()", "need a configuration");
    refuse(r, 0, 0, "energy('registers')", "has no component `registers`");
    // 256 KB at 7 nm and 0.45 V is declared: what the paper printed
    assert_float_equal(at(r, -1, -1, "circuit('MRF', '7nm FinFET', 'access energy')"), 14.9, 1e-6);
    refuse(r, 0, 0, "circuit('MRF', '8nm', 'access energy')", "no circuit model");
    // design power: below all peaks and leakage at once, above the leakage that is there anyway
    assert_true(at(r, 0, 0, "design_w()") > at(r, 0, 0, "leak_w() + constant_w()"));
    assert_true(at(r, 0, 0, "design_w() / config('power.peak_duty')") > at(r, 0, 0, "peak_w()"));
    // without work: leakage, constants and a share of the clocks
    assert_true(at(r, 0, 0, "idle_w()") > at(r, 0, 0, "leak_w() + constant_w()"));
    assert_true(at(r, 0, 0, "idle_w()") < at(r, 0, 0, "design_w()"));
    refuse(r, 0, 0, "config('sm.colour')", "no key `sm.colour`");
    refuse(r, 0, 0, "i", "no numbers");
    refuse(r, 0, 0, "published('n')", "no published value");
}

static void test_dry(void **state) {
    struct rig *r = *state;
    bool needed[6] = {false};
    eval_set_dry(r->e, needed);
    at(r, 0, 1, "faster");
    assert_true(needed[0] && needed[1]);
    assert_false(needed[2] || needed[3] || needed[4] || needed[5]);
    at(r, -1, 0, "average('ipc', 'ab') + area_mm2()");
    assert_true(needed[2]);
    assert_false(needed[3] || needed[4] || needed[5]);
}

static void test_sheet(void **state) {
    struct rig *r = *state;
    struct sheet sh = {.size = "small"};
    assert_int_equal(sheet_fill(&r->arena, &r->s, r->e, &r->d, &sh), WW_OK);
    assert_int_equal(sh.figure[0].verdict, VERDICT_DIFFERS); // 3 is not above 3
    assert_non_null(strstr(sh.figure[0].sentence, "X. Ours differs."));
    assert_int_equal(sh.published[0].verdict, VERDICT_AGREES); // 200 / 50 is 4
    assert_int_equal(sh.published[1].verdict, VERDICT_AGREES); // 3 is 5 within 2 points, just
    assert_float_equal(sh.published[1].off, -2, 1e-12);
    assert_int_equal(sh.published[2].verdict, VERDICT_MISSING);
    assert_string_equal(sh.published[2].why, "because");
    assert_int_equal(sh.published[3].verdict, VERDICT_NONE);
    assert_int_equal(sh.figure[1].verdict, VERDICT_PARTLY); // two of three
    assert_non_null(strstr(sh.figure[1].sentence, "2 of 3 published values"));
    assert_int_equal(sh.figure[1].n_rows, 4);
    assert_float_equal(sh.figure[1].row[0].value[0], 8, 1e-12);
    assert_true(isnan(sh.figure[1].row[1].value[0]));
    assert_float_equal(sh.figure[1].row[3].value[0], 8, 1e-12);
}

// ---- keys -------------------------------------------------------------------------------------
struct files {
    char program[64];
    const char *args;
};
static enum ww_status find(void *user, const char *workload, const char *size, struct diags *d,
                           struct study_program *out) {
    const struct files *f = user;
    (void)d;
    *out = (struct study_program){
        .name = workload, .size = size, .args = f->args, .file = {f->program}, .n_files = 1};
    return WW_OK;
}

static void write_text(const char *path, const char *what) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(what, f);
    fclose(f);
}

static void key_of(struct rig *r, struct files *f, const char *build, const char *set,
                   const char *policy, char key[JOB_KEY_BYTES]) {
    struct study_host host = {.user = f, .find = find, .build = build};
    struct study_configuration *c = arena_alloc(&r->arena, sizeof *c);
    *c = (struct study_configuration){
        .name = "c", .gpu = "gtx480", .policy = policy, .set = {set}, .n_set = set ? 1 : 0};
    job_list list = {.n = 0};
    uint32_t index;
    assert_int_equal(job_add(&r->arena, &list, &host, c, NULL, "w", "small", &r->d, &index), WW_OK);
    memcpy(key, list.at[index].key, JOB_KEY_BYTES);
    assert_int_equal(strlen(key), 64);
}

static void test_keys(void **state) {
    struct rig *r = *state;
    struct files f = {.program = "/tmp/ww-test-key-XXXXXX", .args = "1 2"};
    const int fd = mkstemp(f.program);
    assert_true(fd >= 0);
    close(fd);
    write_text(f.program, "program");
    char base[JOB_KEY_BYTES], other[JOB_KEY_BYTES];
    key_of(r, &f, "b", NULL, "none", base);
#define SAME(...) (key_of(r, &f, __VA_ARGS__, other), strcmp(base, other) == 0)
    assert_true(SAME("b", NULL, "none"));
    assert_true(SAME("b", "sm_count=15", "none"));       // what it is anyhow
    assert_true(SAME("b", "power.board_w=25", "none"));  // the power model's alone
    assert_false(SAME("b", "sm_count=14", "none"));
    assert_false(SAME("b2", NULL, "none"));
    assert_false(SAME("b", NULL, "conv-pg"));
    f.args = "1 3";
    assert_false(SAME("b", NULL, "none"));
    f.args = "1 2";
    write_text(f.program, "programs");
    assert_false(SAME("b", NULL, "none"));
    write_text(f.program, "program");
    assert_true(SAME("b", NULL, "none"));
    unlink(f.program);
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {TEST(test_values), TEST(test_folds),    TEST(test_missing),
                                       TEST(test_energy), TEST(test_refusals), TEST(test_dry),
                                       TEST(test_sheet),  TEST(test_keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
