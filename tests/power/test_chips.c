// GPU files through the power model: every one builds, lanes follow from throughput, and what the
// model does not know is refused.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "power/power_gpu.h"

static struct gpu_config load(const char *name) {
    char path[GPU_PATH_BYTES];
    snprintf(path, sizeof path, "%s/gpus/%s.yaml", WW_SOURCE_DIR, name);
    struct gpu_config g;
    struct diags d;
    diags_init(&d);
    assert_int_equal(gpu_config_load(path, NULL, 0, &d, &g), WW_OK);
    diags_free(&d);
    return g;
}

static void every_file_builds(void **state) {
    (void)state;
    setenv("WARPWATT_GPUS", WW_SOURCE_DIR "/gpus", 1);
    struct arena a;
    struct diags d;
    struct gpu_listing *list;
    uint32_t n;
    arena_init(&a, NULL);
    diags_init(&d);
    assert_int_equal(gpu_config_list(&a, &list, &n, &d), WW_OK);
    for (uint32_t i = 0; i < n; i++) {
        struct gpu_config g = load(list[i].name);
        struct power_config c;
        struct power_tree t;
        assert_int_equal(power_config_of(&g, &c, &d), WW_OK);
        assert_int_equal(power_build(&c, &t, &d), WW_OK);
    }
    arena_free(&a);
    diags_free(&d);
}

struct chip {
    double area_mm2, peak_w, still_w;
};

static struct chip chip_of(const char *name) {
    struct gpu_config g = load(name);
    struct power_config c;
    struct power_tree t;
    struct diags d;
    struct chip k;
    diags_init(&d);
    assert_int_equal(power_config_of(&g, &c, &d), WW_OK);
    assert_int_equal(power_build(&c, &t, &d), WW_OK);
    assert_int_equal(power_peak(&c, &k.peak_w, &d), WW_OK);
    k.area_mm2 = t.component[power_find(&t, "chip")].all_area_mm2;
    const struct power_component *clock = &t.component[power_find(&t, "rest_clock")];
    k.still_w = power_still(&t, 0) - clock->all_constant_w * (1 + c.regulator_loss);
    diags_free(&d);
    print_message("%-7s %.1f mm2, peak %.1f W, static %.1f W\n", name, k.area_mm2, k.peak_w,
                  k.still_w);
    return k;
}

static void near(double ours, double theirs, double tolerance) {
    if (!(fabs(ours / theirs - 1) <= tolerance))
        fail_msg("%g is not within %g %% of %g", ours, tolerance * 100, theirs);
}

// The vendor's die areas and design powers (GPUSimPow D4.4.2, table 5; GTX 480: fpsbench, guru3d),
// and the static powers that GPUSimPow's authors measured (without clocks, so rest_clock is taken
// off). gt240 and gtx480 are what the constants are fitted to; gtx580 is a prediction.
static void published(void **state) {
    (void)state;
    struct chip small = chip_of("gt240"), fermi = chip_of("gtx480"), large = chip_of("gtx580");
    near(small.area_mm2, 139, 0.01);
    near(fermi.area_mm2, 529, 0.01);
    near(small.still_w, 17.6, 0.01);
    near(small.peak_w, 69, 0.12);
    near(fermi.peak_w, 250, 0.12);
    near(large.area_mm2, 520, 0.12);
    near(large.peak_w, 244, 0.12);
    near(large.still_w, 80, 0.12);
    near(large.area_mm2 / small.area_mm2, 3.74, 0.08);
    near(large.peak_w / small.peak_w, 3.54, 0.08);
}

// Units a multiprocessor has, by the vendor: 8 and 2 (GT200 class), 32, 4 and 16 (GF100), 192, 32
// and 64 (GK110).
static void lanes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        unsigned fp, sfu, dp;
    } row[] = {
        {"gt240", 8, 2, 0}, {"gtx480", 32, 4, 16}, {"gtx580", 32, 4, 16}, {"gtx780", 192, 32, 64}};
    for (unsigned i = 0; i < WW_COUNT(row); i++) {
        struct gpu_config g = load(row[i].name);
        struct power_config c;
        struct diags d;
        diags_init(&d);
        assert_int_equal(power_config_of(&g, &c, &d), WW_OK);
        assert_int_equal(c.int_lanes, row[i].fp);
        assert_int_equal(c.fp_lanes, row[i].fp);
        assert_int_equal(c.sfu_lanes, row[i].sfu);
        assert_int_equal(c.dp_lanes, row[i].dp);
        diags_free(&d);
    }
}

// Every counter costs energy in some chip, or free.def says why it does not; never both.
static void every_counter(void **state) {
    (void)state;
    bool paid[ACT_N] = {false};
    static const char *const name[] = {"gt240", "gtx480", "gtx780"};
    for (unsigned i = 0; i < 2 * WW_COUNT(name); i++) {
        struct gpu_config g = load(name[i / 2]);
        struct power_config c;
        struct power_tree t;
        struct diags d;
        diags_init(&d);
        assert_int_equal(power_config_of(&g, &c, &d), WW_OK);
        c.mesh = i % 2;
        assert_int_equal(power_build(&c, &t, &d), WW_OK);
        for (uint32_t k = 0; k < ACT_N; k++) paid[k] |= power_event_energy(&t, k) > 0;
        diags_free(&d);
    }
    for (uint32_t i = 0; i < act_info_n; i++) {
        bool any = false;
        for (uint32_t k = 0; k < act_info[i].n; k++) any |= paid[act_info[i].first + k];
        const char *reason = power_free_reason(act_info[i].first);
        if (any && reason) fail_msg("%s is charged and free: %s", act_info[i].name, reason);
        if (!any && !reason) fail_msg("%s costs nothing and nobody says why", act_info[i].name);
    }
}

static void unknown_memory(void **state) {
    (void)state;
    struct gpu_config g = load("gtx480");
    struct power_config c;
    struct diags d;
    diags_init(&d);
    g.mem.dram.kind = DRAM_DDR3;
    assert_int_equal(power_config_of(&g, &c, &d), WW_ERROR_CONFIG);
    assert_int_equal(d.errors, 1);
    diags_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_builds),
        cmocka_unit_test(published),
        cmocka_unit_test(lanes),
        cmocka_unit_test(every_counter),
        cmocka_unit_test(unknown_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
