// Published values beside ours in figures, means of rows, verdicts that could not differ, digits.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "study/study.h"

static const char text[] =
    "name: t\n"
    "title: T\n"
    "workloads: {a: , b: , c: }\n"
    "groups: {ab: [a, b]}\n"
    "configurations: {one: {gpu: gtx480}, two: {set: {sm.schedulers: 1}}}\n"
    "metrics: {speed: \"1000 / cycles\", level: \"geomean('speed - 1')\"}\n"
    "figures:\n"
    // 0: all programs; 1: two of them; 2: configurations; 3: drawn by hand; 4: a mean of three;
    // 5: means inside expressions
    "  all: {series: [{is: speed, configuration: one}, {is: speed, configuration: two}], "
    "aggregates: [average, geomean]}\n"
    "  some: {x: ab, configuration: one, series: [speed], aggregates: average}\n"
    "  table: {kind: table, x: [one, two], series: [{is: \"average('speed', 'ab')\"}, "
    "{is: \"100 * (1 - geomean('speed'))\"}]}\n"
    "  own: {configuration: one, series: [speed, {is: \"CASE WHEN speed < 3 THEN 7 END\", "
    "label: theirs, role: published}], aggregates: [average, geomean]}\n"
    "  zero: {configuration: one, series: [{is: speed - 1, label: less}], aggregates: geomean}\n"
    "  inside: {kind: table, x: [one, two], series: [{is: \"2 * geomean('speed - 1')\", label: "
    "twice}, {is: level + level, label: by name}, {is: level, label: once more}, "
    "{is: \"geomean('speed - 1', 'ab')\", label: all there}, {is: \"average('sqrt(speed - 1)')\", "
    "label: roots}]}\n"
    "published:\n"
    "  - {metric: m, workload: a, configuration: one, value: 4, ours: speed, tolerance: 1 %}\n"
    "  - {metric: m, workload: average over two, configuration: one, value: 3, ours: speed, "
    "group: ab, tolerance: 1 %}\n"
    "  - {metric: m, workload: geomean, configuration: two, value: 1, ours: \"100 * (1 - "
    "geomean('speed'))\", at_workload: a, series: speed, drawn: 1 - value / 100, tolerance: "
    "1 points}\n"
    "  - {metric: m, workload: b, configuration: one, value: 2, ours: speed, given: fitted to "
    "it, tolerance: 1 %}\n"
    "  - {metric: m, workload: geomean of less, configuration: one, value: 1.7, ours: speed - 1, "
    "tolerance: 5 %}\n";

struct rig {
    struct arena arena;
    struct diags d;
    struct study s;
    const struct gpu_config *gpu[2];
    struct eval *e;
    struct result results[6]; // a one, a two, b one, ...
    struct sheet sheet;
};

// Speeds: a 4 and 4, b 2 and 8, c 1 and 0.5.
static int set_up(void **state) {
    struct rig *r = calloc(1, sizeof *r);
    arena_init(&r->arena, NULL);
    diags_init(&r->d);
    assert_int_equal(
        study_parse(&r->arena, "t.yaml", arena_strdup(&r->arena, text), NULL, &r->d, &r->s), WW_OK);
    static const double speed[6] = {4, 4, 2, 8, 1, 0.5};
    for (uint32_t i = 0; i < 6; i++) {
        struct kernel_result *k = arena_alloc(&r->arena, sizeof *k);
        *k = (struct kernel_result){
            .name = "", .launches = 1, .cycles = 1000 / speed[i], .seconds = 1e-3};
        r->results[i] = (struct result){.there = true, .kernel = k, .n_kernels = 1};
    }
    for (int i = 0; i < 2; i++) {
        const struct study_configuration *const c = &r->s.configuration.at[i];
        struct gpu_config *const gpu = gpu_config_new(&r->arena);
        assert_int_equal(gpu_config_load(c->gpu, c->set, c->n_set, &r->d, gpu), WW_OK);
        r->gpu[i] = gpu;
    }
    assert_int_equal(eval_new(&r->arena, &r->s, r->gpu, &r->d, &r->e), WW_OK);
    eval_set_results(r->e, r->results, NULL);
    const enum ww_status s = sheet_fill(&r->arena, &r->s, r->e, &r->d, &r->sheet);
    if (s != WW_OK) diags_print(&r->d, stderr);
    assert_int_equal(s, WW_OK);
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

static void in_figures(void **state) {
    struct rig *const r = *state;
    const struct sheet_figure *const all = &r->sheet.figure[0], *const some = &r->sheet.figure[1],
                                     *const table = &r->sheet.figure[2],
                                     *const own = &r->sheet.figure[3];
    assert_float_equal(all->row[0].theirs[0], 4, 0);
    assert_true(isnan(all->row[0].theirs[1]) && isnan(all->row[1].theirs[1]));
    // The average of two is not that of three, and not beside it.
    assert_true(isnan(all->row[3].theirs[0]) && isnan(all->row[4].theirs[0]));
    assert_float_equal(some->row[2].theirs[0], 3, 0);
    assert_float_equal(some->row[0].theirs[0], 4, 0);
    // A loss of 1 % is a speed of 0.99, in the row of the geometric mean.
    assert_float_equal(all->row[4].theirs[1], 0.99, 1e-12);
    assert_true(isnan(all->row[3].theirs[1]));
    assert_float_equal(table->row[0].theirs[0], 3, 0);
    assert_float_equal(table->row[1].theirs[1], 1, 0); // the loss itself
    assert_true(isnan(table->row[1].theirs[0]) && isnan(table->row[0].theirs[1]));
    // A figure that has a published series has its own.
    assert_false(own->has_theirs);
}

static void means(void **state) {
    struct rig *const r = *state;
    const struct sheet_figure *const all = &r->sheet.figure[0], *const own = &r->sheet.figure[3],
                                     *const zero = &r->sheet.figure[4];
    assert_float_equal(all->row[3].value[0], 7.0 / 3, 1e-12);
    assert_float_equal(all->row[4].value[0], 2, 1e-12);
    assert_null(all->left_out);
    // Theirs of two programs has no mean beside ours of three.
    assert_float_equal(own->row[3].value[0], 7.0 / 3, 1e-12);
    assert_true(isnan(own->row[3].value[1]) && isnan(own->row[4].value[1]));
    assert_non_null(strstr(own->left_out, "average of theirs: not given"));
    // 3, 1 and 0: the geometric mean is without the last, and says so.
    assert_float_equal(zero->row[3].value[0], sqrt(3), 1e-12);
    assert_string_equal(zero->left_out, "geomean of less: without c (not above 0).");
}

// In expressions too: speeds less one are 3, 1 and 0 in `one`, 3, 7 and -0.5 in `two`.
static void means_inside(void **state) {
    struct rig *const r = *state;
    const struct sheet_figure *const inside = &r->sheet.figure[5];
    assert_float_equal(inside->row[0].value[0], 2 * sqrt(3), 1e-12);
    assert_float_equal(inside->row[1].value[1], 2 * sqrt(21), 1e-12);
    assert_string_equal(inside->left_out, "Means of twice: without c (not above 0). "
                                          "Means of by name: without c (not above 0). "
                                          "Means of once more: without c (not above 0). "
                                          "Means of roots: without c.");
    assert_null(r->sheet.published[0].left_out);
    assert_null(r->sheet.published[1].left_out);
    assert_string_equal(r->sheet.published[4].left_out, "c (not above 0)");
}

static void verdicts(void **state) {
    struct rig *const r = *state;
    assert_int_equal(r->sheet.published[0].verdict, VERDICT_AGREES);
    assert_int_equal(r->sheet.published[3].verdict, VERDICT_GIVEN);
    assert_string_equal(r->sheet.published[3].why, "fitted to it");
    // The figure goes by the values in its cells, as their table does; those given do not count.
    assert_int_equal(r->sheet.figure[1].verdict, VERDICT_AGREES);
    assert_non_null(strstr(r->sheet.figure[1].sentence, "2 of 2 published values"));
    assert_int_equal(r->sheet.figure[3].verdict, VERDICT_NONE);
}

static void digits(void **state) {
    (void)state;
    static const struct {
        double v;
        const char *unit, *text;
    } row[] = {{0.07545, "%", "0.08"},
               {0.00068, "%", "0.0007"},
               {31.57, "%", "31.6"},
               {-3.04, "% of all", "-3.0"},
               {0, "%", "0"},
               {1.0137, "", "1.014"},
               {0.5, "ratio", "0.500"},
               {12.345, "", "12.3"},
               {2.4049, "W", "2.4"},
               {0.0055712, "W", "0.00557"},
               {48.12, "mm2", "48.1"},
               {123456, "cycles", "123456"},
               {0.0000121, "W", "0.0000121"},
               {NAN, "W", "–"},
               {3e9, "", "3e+09"}};
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        char got[64];
        beside_number(got, sizeof got, row[i].v, row[i].unit);
        assert_string_equal(got, row[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(in_figures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(means, set_up, tear_down),
        cmocka_unit_test_setup_teardown(means_inside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(verdicts, set_up, tear_down), cmocka_unit_test(digits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
