// The power model through the public header, as a program of somebody else would use it: no
// simulation, no header of ours.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "warpwatt.h"

static ww_power *open_gpu(const char *name) {
    ww_power *p;
    char error[512];
    setenv("WARPWATT_GPUS", WW_SOURCE_DIR "/gpus", 1);
    if (ww_power_open(name, NULL, 0, error, sizeof error, &p) != WW_OK) fail_msg("%s", error);
    return p;
}

static struct ww_power_part part_of(const ww_power *p, const char *name) {
    struct ww_power_part part = {.size = sizeof part};
    for (size_t i = 0; ww_power_part_get(p, i, &part) == WW_OK; i++)
        if (strcmp(part.name, name) == 0) return part;
    fail_msg("no part %s", name);
    return part;
}

// A second of nothing is the static power; a million additions of a lane are 40 uJ more (GPUSimPow
// D4.4.2, 3.4), with what the regulator loses on them.
static void counts_to_joules(void **state) {
    (void)state;
    ww_power *p = open_gpu("gt240");
    assert_true(ww_power_peak(p) > 0);
    assert_int_equal(ww_power_run(p, 1), WW_OK);
    struct ww_power_part all = part_of(p, "total");
    assert_null(all.parent);
    assert_true(all.dynamic_j == 0 && all.area_mm2 > 100);
    assert_true(fabs(all.static_j - all.leakage_w - all.constant_w) < 1e-9 * all.static_j);
    double still = all.static_j;
    // int_add is the third class of op_class.def: 40 pJ less two operands and a result
    assert_int_equal(ww_power_count(p, "thread_by_class", 2, 1000000), WW_OK);
    assert_int_equal(ww_power_run(p, 2), WW_OK);
    all = part_of(p, "total");
    struct ww_power_part lanes = part_of(p, "int"), regulator = part_of(p, "regulator");
    assert_true(fabs(lanes.dynamic_j / 14.43e-6 - 1) < 1e-3);
    assert_string_equal(lanes.parent, "exu");
    assert_true(fabs(all.dynamic_j - lanes.dynamic_j - regulator.dynamic_j) < 1e-15);
    assert_true(fabs(all.static_j - 2 * still) < 1e-9 * still);
    ww_power_close(p);
}

static void refusals(void **state) {
    (void)state;
    ww_power *p = open_gpu("gtx480");
    assert_int_equal(ww_power_count(p, "no_such", 0, 1), WW_ERROR_USAGE);
    assert_int_equal(ww_power_count(p, "rf_reads", 1, 1), WW_ERROR_USAGE);
    assert_int_equal(ww_power_run(p, 0), WW_ERROR_USAGE);
    struct ww_power_part part = {.size = sizeof part};
    assert_int_equal(ww_power_part_get(p, ww_power_parts(p), &part), WW_ERROR_USAGE);
    ww_power_close(p);
    ww_power_close(NULL);
    char error[200];
    const char *set[] = {"core.vdd=0.8"};
    assert_int_equal(ww_power_open("gtx480", set, 1, error, sizeof error, &p), WW_ERROR_CONFIG);
    assert_null(p);
    assert_non_null(strstr(error, "carries"));
    char little[8];
    assert_int_equal(ww_power_open("nosuch", NULL, 0, little, sizeof little, &p), WW_ERROR_CONFIG);
    assert_true(strlen(little) < sizeof little);
    assert_int_equal(ww_power_open("nosuch", NULL, 0, NULL, 0, &p), WW_ERROR_CONFIG);
}

// A caller that was built against a shorter struct gets what it knows of.
static void older_caller(void **state) {
    (void)state;
    ww_power *p = open_gpu("gt240");
    struct ww_power_part part;
    memset(&part, 0x5a, sizeof part);
    part.size = offsetof(struct ww_power_part, dynamic_j);
    assert_int_equal(ww_power_part_get(p, 0, &part), WW_OK);
    assert_string_equal(part.name, "total");
    unsigned char after[sizeof part.dynamic_j];
    memset(after, 0x5a, sizeof after);
    assert_memory_equal(&part.dynamic_j, after, sizeof after);
    ww_power_close(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_to_joules),
        cmocka_unit_test(refusals),
        cmocka_unit_test(older_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
