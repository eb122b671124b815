// Main values under named choices: which configuration takes whose place, and the interval.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "study/study.h"

#define HEAD                                                                                       \
    "name: t\n"                                                                                    \
    "title: T\n"                                                                                   \
    "workloads: [a]\n"                                                                             \
    "configurations:\n"                                                                            \
    "  one: {gpu: gtx480}\n"                                                                       \
    "  two: {gpu: gtx480, set: {sm.schedulers: 1}}\n"                                              \
    "  \"other way, one\": {gpu: gtx480, set: {sm.schedulers: 1}}\n"                               \
    "metrics: {slower: \"cycles / other('one', 'cycles')\"}\n"

static const char text[] =
    HEAD "published:\n"
         "  - {metric: m, workload: a, configuration: two, value: 4, ours: slower, main: true}\n"
         "  - {metric: m, workload: a, configuration: one, value: 4, ours: slower}\n"
         "  - {metric: p, workload: a, configuration: one, value: 4, ours: \"leak_w('rest')\", main: "
         "true}\n"
         "  - {metric: q, workload: a, configuration: two, value: 9, ours: \"published('q')\", main: "
         "true}\n"
         "choices:\n"
         "  other way: {configurations: one, why: it is not said}\n"
         "  no leak: {set: {power.rest_logic_share: 0}, why: nobody saw it}\n";

struct rig {
    struct arena arena;
    struct diags d;
    struct study s;
    const struct gpu_config *gpu[8];
    struct eval *e;
    struct result results[8];
    struct kernel_result kernel[8];
};

static struct rig *make(const char *yaml) {
    struct rig *r = calloc(1, sizeof *r);
    arena_init(&r->arena, NULL);
    diags_init(&r->d);
    if (study_parse(&r->arena, "t.yaml", arena_strdup(&r->arena, yaml), NULL, &r->d, &r->s) !=
        WW_OK)
        return r;
    assert_true(r->s.configuration.n <= WW_COUNT(r->gpu));
    for (uint32_t i = 0; i < r->s.configuration.n; i++) {
        const struct study_configuration *const c = &r->s.configuration.at[i];
        struct gpu_config *const gpu = gpu_config_new(&r->arena);
        assert_int_equal(gpu_config_load(c->gpu, c->set, c->n_set, &r->d, gpu), WW_OK);
        r->gpu[i] = gpu;
    }
    assert_int_equal(eval_new(&r->arena, &r->s, r->gpu, &r->d, &r->e), WW_OK);
    return r;
}

static void unmake(struct rig *r) {
    eval_free(r->e);
    diags_free(&r->d);
    arena_free(&r->arena);
    free(r);
}

static void ran(struct rig *r, const char *configuration, double cycles) {
    const int c = study_find_configuration(&r->s, configuration);
    assert_true(c >= 0);
    r->kernel[c] = (struct kernel_result){.name = "", .launches = 1, .cycles = cycles};
    r->results[c] = (struct result){.there = true, .kernel = &r->kernel[c], .n_kernels = 1};
}

static void test_interval(void **state) {
    (void)state;
    struct rig *r = make(text);
    // `other way, one` stands there already; `no leak` makes both
    assert_int_equal(r->s.configuration.n, 5);
    ran(r, "one", 100), ran(r, "two", 300), ran(r, "other way, one", 150);
    ran(r, "no leak, one", 100), ran(r, "no leak, two", 300);
    eval_set_results(r->e, r->results, NULL);
    struct sheet sh = {.size = "small"};
    assert_int_equal(sheet_fill(&r->arena, &r->s, r->e, &r->d, &sh), WW_OK);
    const struct sheet_published *p = sh.published;
    assert_float_equal(p[0].ours, 3, 1e-12);
    assert_float_equal(p[0].by_choice[0], 2, 1e-12); // 300 / 150
    assert_float_equal(p[0].by_choice[1], 3, 1e-12);
    assert_float_equal(p[0].low, 2, 1e-12);
    assert_float_equal(p[0].high, 3, 1e-12);
    assert_null(p[1].by_choice); // no main value
    assert_true(isnan(p[1].low));
    assert_true(p[2].ours > 1);
    assert_float_equal(p[2].by_choice[0], p[2].ours, 1e-9);
    assert_float_equal(p[2].low, 0, 1e-12);
    assert_float_equal(p[2].high, p[2].ours, 1e-12);
    assert_float_equal(p[3].low, 9, 1e-12); // a published value keeps its configuration's name
    // afterwards all is as it was
    double v;
    assert_int_equal(eval_number(r->e, "slower", (struct mark){1, 1},
                                 (struct eval_scope){.workload = 0, .configuration = 1}, &r->d, &v),
                     WW_OK);
    assert_float_equal(v, 3, 1e-12);
    unmake(r);
}

// A run that is missing under a choice leaves the interval to the others.
static void test_missing(void **state) {
    (void)state;
    struct rig *r = make(text);
    ran(r, "one", 100), ran(r, "two", 300);
    eval_set_results(r->e, r->results, NULL);
    struct sheet sh = {.size = "small"};
    assert_int_equal(sheet_fill(&r->arena, &r->s, r->e, &r->d, &sh), WW_OK);
    assert_true(isnan(sh.published[0].by_choice[0]));
    assert_float_equal(sh.published[0].low, 3, 1e-12);
    assert_float_equal(sh.published[0].high, 3, 1e-12);
    unmake(r);
}

// The runs of main values under their choices are asked for, and no others.
static void test_dry(void **state) {
    (void)state;
    struct rig *r = make(text);
    bool needed[8] = {false};
    eval_set_dry(r->e, needed);
    struct sheet sh = {.size = "small"};
    assert_int_equal(sheet_fill(&r->arena, &r->s, r->e, &r->d, &sh), WW_OK);
    for (uint32_t i = 0; i < r->s.configuration.n; i++) assert_true(needed[i]);
    unmake(r);
    r = make(HEAD "published:\n"
                  "  - {metric: m, workload: a, configuration: two, value: 4, ours: slower}\n"
                  "choices: {no leak: {set: {power.rest_logic_share: 0}, why: nobody saw it}}\n");
    assert_int_equal(r->s.configuration.n, 3); // no main value: no further configuration
    unmake(r);
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *yaml, *sentence;
    } bad[] = {
        {HEAD "choices: {x: {set: {sm.schedulers: 1}}}\n", "choice `x` needs `why`"},
        {HEAD "choices: {x: {why: y, configurations: onee}}\n", "did you mean `one`"},
        {HEAD "choices: {x: {why: y, sets: {}}}\n", "did you mean `set`"},
        {HEAD "published: [{metric: m, value: 1, ours: cycles, main: maybe}]\n", "true or false"},
    };
    for (size_t i = 0; i < WW_COUNT(bad); i++) {
        struct rig *r = make(bad[i].yaml);
        char first[700];
        diags_first(&r->d, first, sizeof first);
        if (!strstr(first, bad[i].sentence)) fail_msg("%s: %s", bad[i].yaml, first);
        unmake(r);
    }
}

int main(void) {
    setenv("WARPWATT_GPUS", WW_SOURCE_DIR "/gpus", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_interval),
                                       cmocka_unit_test(test_missing), cmocka_unit_test(test_dry),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
