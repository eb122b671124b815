// What gating saves, from counters made by hand: every component with the technique is the component
// without it, less what was saved, plus what was paid, and nothing else moves.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "power/power_gpu.h"
#include "power/savings.h"

static struct power_tree tree;
static struct gpu_config gpu;
static struct power_config config;

static int build(void **state) {
    (void)state;
    struct diags d;
    diags_init(&d);
    const bool ok = gpu_config_load("gtx480", NULL, 0, &d, &gpu) == WW_OK &&
                    power_config_of(&gpu, &config, &d) == WW_OK && power_build(&config, &tree, &d) == WW_OK;
    if (!ok) diags_print(&d, stderr);
    diags_free(&d);
    return ok ? 0 : -1;
}

static void close_to(double a, double b) {
    if (fabs(a - b) > 1e-12 * (fabs(a) + fabs(b)) + 1e-24) fail_msg("%.17g is not %.17g", a, b);
}

// A run of 700,000 cycles (a millisecond) of 15 SMs with two clusters.
static void fill(struct activity *a) {
    memset(a, 0, sizeof *a);
    a->c[ACT_cycles] = 700000;
    a->c[ACT_sm_busy_cycles] = 15 * 700000ull;
    a->c[ACT_warp_instructions] = 12345678;
    a->c[ACT_rf_reads] = 23456789;
    a->c[ACT_idle_cycles + ACT_INT_DOMAIN] = 5000000;
    a->c[ACT_idle_cycles + ACT_INT_DOMAIN + 1] = 6000000;
}
static void gate(struct activity *a) {
    a->c[ACT_gate_uncompensated + ACT_INT_DOMAIN] = 100000;
    a->c[ACT_gate_compensated + ACT_INT_DOMAIN + 1] = 2900000; // 3 million domain cycles off
    a->c[ACT_gate_events + ACT_INT_DOMAIN] = 30000;
    a->c[ACT_gate_overhead + ACT_INT_DOMAIN] = 14 * 30000;
    a->c[ACT_gate_compensated + ACT_FP_DOMAIN + 1] = 7000000;
    a->c[ACT_gate_compensated + ACT_LDST_DOMAIN] = 1000000;
    a->c[ACT_gate_overhead + ACT_LDST_DOMAIN] = 2000000; // more than it saved
    a->c[ACT_gates_cycles] = a->c[ACT_sm_busy_cycles];
}

static void ledger(void **state) {
    (void)state;
    static struct activity a;
    static struct power_usage without, with;
    struct diags d;
    diags_init(&d);
    fill(&a);
    assert_int_equal(power_run(&tree, &a, 1e-3, &without, &d), WW_OK);
    gate(&a);
    assert_int_equal(power_run(&tree, &a, 1e-3, &with, &d), WW_OK);
    // 15 SMs x 2 clusters x 700,000 cycles are all of INT's leakage: 21 million domain cycles.
    const int in = power_find(&tree, "int"), fp = power_find(&tree, "fp"), agu = power_find(&tree, "agu"),
              scheduler = power_find(&tree, "scheduler");
    double expected[POWER_MAX_COMPONENTS] = {0};
    expected[in] = without.static_j[in] * (14.0 * 30000 - 3000000) / 21000000;
    expected[fp] = without.static_j[fp] * -7000000 / 21000000;
    expected[agu] = without.static_j[agu] * (2000000.0 - 1000000) / (15 * 700000);
    expected[scheduler] = 1.21e-5 * 15 * 1e-3; // W, SMs, seconds
    double sum = 0;
    for (int i = 0; i < tree.components; i++) sum += expected[i];
    expected[tree.regulator] = sum * tree.regulator_loss;
    double total = 0;
    for (int i = 0; i < tree.components; i++) {
        close_to(with.static_j[i], without.static_j[i] + expected[i]);
        total += expected[i];
        double dynamic = without.dynamic_j[i];
        const double counters = 1.55e-3 * 15 * 1e-3; // all SMs were busy all the time, at 700 MHz
        if (i == scheduler) dynamic += counters;
        if (i == tree.regulator) dynamic += counters * tree.regulator_loss;
        close_to(with.dynamic_j[i], dynamic);
    }
    close_to(with.all_static_j[0], without.all_static_j[0] + total);
    assert_true(with.all_static_j[0] < without.all_static_j[0]);
    diags_free(&d);
}

static void lines(void **state) {
    (void)state;
    static struct activity a;
    struct power_savings s;
    fill(&a);
    power_savings(&tree, &a, 1e-3, &s);
    assert_false(s.any);
    gate(&a);
    a.c[ACT_idle_periods_int + 63] = 100; // 100 long ones, 11 million cycles
    power_savings(&tree, &a, 1e-3, &s);
    assert_true(s.any);
    const struct power_saving *x = &s.unit[POWER_SAVING_INT];
    close_to(x->saved_j / x->still_j, 3000000.0 / 21000000);
    close_to(x->overhead_j / x->still_j, 14.0 * 30000 / 21000000);
    close_to(x->oracle_j / x->still_j, (11000000.0 - 100 * 14) / 21000000);
    close_to(s.counters_mm2, 15 * 1210.8e-6);
    assert_true(s.unit[POWER_SAVING_LDST].is_gated && !s.unit[POWER_SAVING_SFU].is_gated);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ledger), cmocka_unit_test(lines)};
    return cmocka_run_group_tests(tests, build, NULL);
}
