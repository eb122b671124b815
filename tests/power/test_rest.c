// The rest of the die at its bounds, and SMs without work that have power gates.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <math.h>
#include <cmocka.h>

#include "gpu/fields.h"
#include "activity/sm.h"
#include "power/power_gpu.h"

static struct power_config config(const char *name) {
    static struct gpu_config g;
    struct power_config c;
    struct diags d;
    diags_init(&d);
    assert_int_equal(gpu_config_load(name, NULL, 0, &d, &g), WW_OK);
    assert_int_equal(power_config_of(&g, &c, &d), WW_OK);
    diags_free(&d);
    return c;
}

static void build(const struct power_config *c, struct power_tree *t) {
    struct diags d;
    diags_init(&d);
    assert_int_equal(power_build(c, t, &d), WW_OK);
    diags_free(&d);
}

static struct power_usage run(const struct power_tree *t, const struct activity *a, double s) {
    struct power_usage u;
    struct diags d;
    diags_init(&d);
    assert_int_equal(power_run(t, a, s, &u, &d), WW_OK);
    diags_free(&d);
    return u;
}

// A tenth of a millisecond in which `busy` of the chip's SMs hold work.
static struct activity some(const struct power_config *c, unsigned busy) {
    struct activity a = {{0}};
    a.c[ACT_cycles] = (uint64_t)(c->core_hz * 1e-4);
    a.c[ACT_sm_busy_cycles] = busy * a.c[ACT_cycles];
    a.c[ACT_sm_idle_cycles] = (c->sms - busy) * a.c[ACT_cycles];
    a.c[ACT_rf_reads] = busy * 1000;
    return a;
}

static void near(double ours, double theirs) {
    if (!(fabs(ours - theirs) <= 1e-9 * fabs(theirs) + 1e-15))
        fail_msg("%.12g is not %.12g", ours, theirs);
}

// The bounds are what models with another rest of the same area say.
static void bounds(void **state) {
    (void)state;
    static const char *const gpu[] = {"gt240", "gtx480", "gtx780"};
    static struct power_tree t, full, none;
    for (size_t i = 0; i < WW_COUNT(gpu); i++) {
        struct power_config c = config(gpu[i]), most = c, least = c;
        most.rest_logic_share = 1;
        least.rest_logic_share = least.rest_clock_pj_mm2 = 0;
        least.work_chip_pj = least.work_lane_pj_mm2 = 0;
        build(&c, &t), build(&most, &full), build(&least, &none);
        const struct activity a = some(&c, c.sms / 2);
        const struct power_usage u = run(&t, &a, 1e-4);
        double j[2];
        power_rest_bounds(&t, &u, j);
        near(j[0], run(&none, &a, 1e-4).energy_j);
        near(j[1], run(&full, &a, 1e-4).energy_j);
        assert_true(j[0] < u.energy_j && u.energy_j < j[1]);
    }
}

static double leak(const struct power_tree *t, const char *name) {
    const struct power_component *p = &t->component[power_find(t, name)];
    return p->all_leak_sub_w + p->all_leak_gate_w;
}

static void gates(void **state) {
    (void)state;
    struct power_config c = config("gtx480"), g = c;
    static struct power_tree t, gated;
    assert_true(c.idle_gate == 0); // no board here has such gates
    g.idle_gate = 1;
    build(&c, &t), build(&g, &gated);
    const double loss = 1 + c.regulator_loss;
    const struct activity all = some(&c, 15), third = some(&c, 5);
    // with work everywhere only the SM that is off is spared
    near(run(&t, &all, 1e-4).energy_j - run(&gated, &all, 1e-4).energy_j,
         loss * leak(&t, "sm_off") * 1e-4);
    assert_true(leak(&gated, "sm_off") == 0);
    // two thirds of the SMs spare their leakage and the clock that they have without work
    const struct power_usage before = run(&t, &third, 1e-4), after = run(&gated, &third, 1e-4);
    const int idle = power_find(&t, "sm_idle");
    assert_true(before.dynamic_j[idle] > 0 && after.dynamic_j[idle] == 0);
    near(after.gated_j,
         leak(&t, "sm") * 1e-4 * (2.0 / 3) * (third.c[ACT_cycles] / (1e-4 * c.core_hz)));
    near(before.energy_j - after.energy_j,
         loss * (after.gated_j + before.dynamic_j[idle] + leak(&t, "sm_off") * 1e-4));
    // components add up to the whole
    double sum = 0;
    for (int i = 0; i < gated.components; i++) sum += after.dynamic_j[i] + after.static_j[i];
    near(sum, after.energy_j);
    // and two parts of a run to the run
    struct activity both = all;
    activity_add(&both, &third);
    near(run(&gated, &both, 2e-4).energy_j, run(&gated, &all, 1e-4).energy_j + after.energy_j);
    // more gates, less energy
    double last = before.energy_j;
    for (int k = 1; k <= 4; k++) {
        g.idle_gate = 0.25 * k;
        build(&g, &gated);
        const double now = run(&gated, &third, 1e-4).energy_j;
        assert_true(now < last);
        last = now;
    }
}

int main(void) {
    setenv("WARPWATT_GPUS", WW_SOURCE_DIR "/gpus", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds), cmocka_unit_test(gates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
