// What gating saves, from counters made by hand: every component with the technique is the
// component without it, less what was saved, plus what was paid, and nothing else moves.
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
                    power_config_of(&gpu, &config, &d) == WW_OK &&
                    power_build(&config, &tree, &d) == WW_OK;
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
    const int in = power_find(&tree, "int"), fp = power_find(&tree, "fp"),
              agu = power_find(&tree, "agu"), scheduler = power_find(&tree, "scheduler");
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

// Single lanes: 32 lane cycles are a pipe cycle; the shift stages leak by their area and cost 0.64
// mW a lane for a cycle of each pass.
static void single_lanes(void **state) {
    (void)state;
    static struct activity a;
    static struct power_usage without, with;
    struct power_savings s;
    struct diags d;
    diags_init(&d);
    fill(&a);
    assert_int_equal(power_run(&tree, &a, 1e-3, &without, &d), WW_OK);
    a.c[ACT_lane_idle_cycles] = 32 * 11000000ull;
    a.c[ACT_lane_busy_cycles + 1] = 32 * 10000000ull;
    a.c[ACT_lane_uncompensated] = 32 * 100000ull + 16;
    a.c[ACT_lane_compensated + 1] = 32 * 2900000ull - 16;
    a.c[ACT_lane_events] = 32 * 30000;
    a.c[ACT_lane_overhead] = 32 * 30000 * 14;
    a.c[ACT_lane_compensated + 8] = 32 * 7000000ull;
    a.c[ACT_lane_idle_periods_int + 63] = 3200; // of single lanes
    a.c[ACT_shift_logic_cycles] = a.c[ACT_sm_busy_cycles];
    a.c[ACT_shift_logic_uses] = 5000000;
    assert_int_equal(power_run(&tree, &a, 1e-3, &with, &d), WW_OK);
    power_savings(&tree, &a, 1e-3, &s);
    const struct power_saving *const x = &s.unit[POWER_SAVING_INT];
    assert_true(x->by_lanes && x->is_gated && !s.unit[POWER_SAVING_SFU].by_lanes);
    close_to(x->oracle_j / x->still_j, (11000000.0 - 100 * 14) / 21000000);
    close_to(s.logic_mm2, 0.055); // a GTX 480
    const int in = power_find(&tree, "int"), fp = power_find(&tree, "fp");
    const double logic = 0.055 / 32.7;
    close_to(with.static_j[in],
             without.static_j[in] * (1 - 3000000.0 / 21000000 + 14.0 * 30000 / 21000000 + logic));
    close_to(with.static_j[fp], without.static_j[fp] * (1 - 7000000.0 / 21000000 + logic));
    close_to(with.dynamic_j[in], without.dynamic_j[in] + 5000000 * 32 * 0.64e-3 / 700e6);
    close_to(with.dynamic_j[fp], without.dynamic_j[fp]);
    double sum[2] = {0, 0};
    for (int i = 0; i < tree.components; i++) {
        if (i == tree.regulator) continue;
        if (i != in && i != fp) close_to(with.static_j[i], without.static_j[i]);
        sum[0] += without.static_j[i];
        sum[1] += with.static_j[i];
    }
    close_to(with.static_j[tree.regulator] - without.static_j[tree.regulator],
             (sum[1] - sum[0]) * tree.regulator_loss);
    diags_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ledger), cmocka_unit_test(lines),
                                       cmocka_unit_test(single_lanes)};
    return cmocka_run_group_tests(tests, build, NULL);
}
