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
        const struct power_component *chip = &t.component[power_find(&t, "chip")];
        print_message("%-12s %.0f mm2 of %.0f, leaks %.1f W, peak %.0f W of %.0f\n", g.name,
                      chip->all_area_mm2, g.tech.die_mm2,
                      chip->all_leak_sub_w + chip->all_leak_gate_w,
                      t.component[0].all_peak_w + t.component[0].all_leak_sub_w +
                          t.component[0].all_leak_gate_w + t.component[0].all_constant_w,
                      g.tech.tdp_w);
    }
    arena_free(&a);
    diags_free(&d);
}

// Units a multiprocessor has, by the vendor: 8 and 2 (GT200 class), 32 and 4 (GF100), 192, 32 and 64
// (GK110).
static void lanes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        unsigned fp, sfu, dp;
    } row[] = {{"gt240", 8, 2, 0}, {"gtx480", 32, 4, 4}, {"gtx580", 32, 4, 4},
               {"gtx780", 192, 32, 64}};
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
        cmocka_unit_test(lanes),
        cmocka_unit_test(unknown_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
