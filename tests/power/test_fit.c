// The six fitted constants of the GPU files, computed from what they are fitted to
// (docs/power.md): each file holds them to the digits that are written there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <math.h>
#include <cmocka.h>

#include "gpu/fields.h"
#include "activity/mem.h"
#include "activity/sm.h"
#include "power/power_gpu.h"

static struct power_config config(const char *name) {
    static struct gpu_config g[8]; // names stay where configurations point
    static unsigned n;
    struct gpu_config *const k = &g[n++ % WW_COUNT(g)];
    struct power_config c;
    struct diags d;
    diags_init(&d);
    assert_int_equal(gpu_config_load(name, NULL, 0, &d, k), WW_OK);
    assert_int_equal(power_config_of(k, &c, &d), WW_OK);
    diags_free(&d);
    return c;
}

static void build(const struct power_config *c, struct power_tree *t) {
    struct diags d;
    diags_init(&d);
    assert_int_equal(power_build(c, t, &d), WW_OK);
    diags_free(&d);
}

static double area(const struct power_config *c) {
    static struct power_tree t;
    build(c, &t);
    return t.component[power_find(&t, "chip")].all_area_mm2;
}

// Static power as it was measured: without clocks.
static double still(const struct power_config *c) {
    static struct power_tree t;
    build(c, &t);
    const struct power_component *const clock = &t.component[power_find(&t, "rest_clock")];
    return power_still(&t, 0) - clock->all_constant_w * (1 + c->regulator_loss);
}

// The report's board while it copied, table 2: two copies of 16 MiB at 22.496 and 22.411 W, 8.275
// and 7.977 ms.
static double copying(const struct power_config *c) {
    static struct power_tree t;
    struct activity a = {{0}};
    struct power_usage use;
    struct diags d;
    const double seconds = (8.275e-3 + 7.977e-3) / 2;
    build(c, &t);
    diags_init(&d);
    a.c[ACT_cycles] = (uint64_t)(c->core_hz * seconds);
    a.c[ACT_sm_idle_cycles] = c->sms * a.c[ACT_cycles];
    a.c[ACT_dram_writes] = (16 << 20) / 32;
    assert_int_equal(power_run(&t, &a, seconds, &use, &d), WW_OK);
    diags_free(&d);
    return use.power_w;
}

static double peak(const struct power_config *c) {
    double w;
    struct diags d;
    diags_init(&d);
    assert_true(c->peak_duty == 1);
    assert_int_equal(power_peak(c, &w, &d), WW_OK);
    diags_free(&d);
    return w;
}

// Where the straight line through f(a) and f(b) is `want`.
static double line(double a, double fa, double b, double fb, double want) {
    return a + (want - fa) * (b - a) / (fb - fa);
}

static void holds(const char *key, double fitted, double of_file, double digit) {
    print_message("%-18s fitted %.5g, in the files %g\n", key, fitted, of_file);
    if (fabs(fitted - of_file) > 0.51 * digit) fail_msg("%s is %g", key, of_file);
}

static void constants(void **state) {
    (void)state;
    const struct power_config small = config("gt240"), board = config("gt240-ddr3"),
                              large = config("gtx480");
    struct power_config s = small, l = large, b = board;
    // Two areas of the rest: dies of 139 and 529 mm2. Both are linear in both.
    double at[3][2];
    for (int i = 0; i < 3; i++) {
        s.rest_chip_mm2 = l.rest_chip_mm2 = i == 1;
        s.rest_lane_mm2 = l.rest_lane_mm2 = i == 2;
        at[i][0] = area(&s), at[i][1] = area(&l);
    }
    const double cs = at[1][0] - at[0][0], cl = at[1][1] - at[0][1], ls = at[2][0] - at[0][0],
                 ll = at[2][1] - at[0][1], ds = 139 - at[0][0], dl = 529 - at[0][1];
    // the chip's clock tree grows with the root of the area: hence not to the last digit
    holds("rest_chip_mm2", (ds * ll - dl * ls) / (cs * ll - cl * ls), small.rest_chip_mm2, 0.2);
    holds("rest_lane_mm2", (cs * dl - cl * ds) / (cs * ll - cl * ls), small.rest_lane_mm2, 0.002);
    // The share of it that leaks: 17.6 W of static power on the board with DDR3.
    b.rest_logic_share = 0;
    const double none = still(&b);
    b.rest_logic_share = 1;
    holds("rest_logic_share", line(0, none, 1, still(&b), 17.6), board.rest_logic_share, 0.01);
    // Its clock: 22.45 W while copying.
    b = board;
    b.rest_clock_pj_mm2 = 0;
    const double quiet = copying(&b);
    b.rest_clock_pj_mm2 = 100;
    holds("rest_clock_pj_mm2", line(0, quiet, 100, copying(&b), 22.45), board.rest_clock_pj_mm2,
          0.1);
    // What runs while SMs have work, once a chip and for each SM: design powers of 69 and 250 W,
    // where all components have their peaks at once. Linear in both.
    double w[3][2];
    s = small, l = large;
    for (int i = 0; i < 3; i++) {
        s.work_chip_pj = l.work_chip_pj = i == 1 ? 1000 : 0;
        s.work_lane_pj_mm2 = l.work_lane_pj_mm2 = i == 2 ? 10 : 0;
        w[i][0] = peak(&s), w[i][1] = peak(&l);
    }
    const double ps = (w[1][0] - w[0][0]) / 1000, pl = (w[1][1] - w[0][1]) / 1000,
                 qs = (w[2][0] - w[0][0]) / 10, ql = (w[2][1] - w[0][1]) / 10, vs = 69 - w[0][0],
                 vl = 250 - w[0][1];
    holds("work_chip_pj", (vs * ql - vl * qs) / (ps * ql - pl * qs), small.work_chip_pj, 10);
    holds("work_lane_pj_mm2", (ps * vl - pl * vs) / (ps * ql - pl * qs), small.work_lane_pj_mm2,
          0.1);
}

// The other files have them from these.
static void same_everywhere(void **state) {
    (void)state;
    const struct power_config a = config("gt240");
    static const char *const other[] = {"gt240-ddr3",  "gtx480",         "gtx580",        "gtx780",
                                        "gtx480-16sm", "gtx480-micro46", "gtx480-ptxplus"};
    for (size_t i = 0; i < WW_COUNT(other); i++) {
        const struct power_config b = config(other[i]);
        assert_true(a.rest_chip_mm2 == b.rest_chip_mm2 && a.rest_lane_mm2 == b.rest_lane_mm2 &&
                    a.rest_logic_share == b.rest_logic_share &&
                    a.rest_clock_pj_mm2 == b.rest_clock_pj_mm2 && a.peak_duty == b.peak_duty &&
                    a.work_chip_pj == b.work_chip_pj && a.work_lane_pj_mm2 == b.work_lane_pj_mm2);
    }
}

int main(void) {
    setenv("WARPWATT_GPUS", WW_SOURCE_DIR "/gpus", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(constants),
                                       cmocka_unit_test(same_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
