// The supply that follows a core clock: boards' published points are the expected values, those
// that the GPU files are made of and those of boards that no file is made of.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "gpu/fields.h"
#include "gpu/gpu.h"

static void near(double got, double want, double share) {
    if (!(fabs(got - want) <= share * want)) fail_msg("%.6g is not %.6g", got, want);
}

static enum ww_status load(const char *gpu, const char *const *set, uint32_t n, char text[512],
                           struct gpu_config *c) {
    struct diags d;
    diags_init(&d);
    const enum ww_status s = gpu_config_load(gpu, set, n, &d, c);
    text[0] = 0;
    if (s != WW_OK) diags_first(&d, text, 512);
    diags_free(&d);
    return s;
}

static void loaded(const char *gpu, const char *const *set, uint32_t n, struct gpu_config *c) {
    char text[512];
    if (load(gpu, set, n, text, c) != WW_OK) fail_msg("%s", text);
}

// With its own point at a published one, a file has the board's other points. TechPowerUp's review
// of the RTX 2060, AnandTech's of the GTX Titan, Tom's Hardware's of a GTX 1080 Ti.
static void published_points(void **state) {
    (void)state;
    static const struct {
        const char *gpu;
        double own_mhz, own_v, mhz, v;
    } row[] = {{"rtx2060s", 1920, 1.068, 1620, 0.862}, {"rtx2060s", 1920, 1.068, 300, 0.718},
               {"rtx2060s", 1620, 0.862, 1920, 1.068}, {"v100", 1620, 0.862, 1920, 1.068},
               {"gtx780", 992, 1.1625, 837, 1.012},    {"gtx780", 992, 1.1625, 744, 0.95},
               {"gtx780", 837, 1.012, 992, 1.1625},    {"titanx-pascal", 1949, 1.062, 291, 0.625}};
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        struct gpu_config c;
        loaded(row[i].gpu, NULL, 0, &c);
        c.nominal = (struct gpu_nominal){row[i].own_mhz, row[i].own_v};
        near(gpu_supply_at(&c, row[i].mhz), row[i].v, 2e-4); // a tenth of a millivolt upwards
    }
}

// The law of files without points, against boards at both ends of their range under load
// (TechPowerUp; the Titan: AnandTech) and at the desktop: 4 % off on average at the lower end, 14
// at most.
static void law_of_boards(void **state) {
    (void)state;
    static const struct {
        const char *board;
        double low_mhz, low_v, high_mhz, high_v, desktop_v;
    } row[] = {{"GTX Titan", 744, 0.95, 992, 1.1625, 0.875},
               {"GTX 980", 1126, 1.075, 1253, 1.218, 0.86},
               {"GTX 1080", 1696, 0.825, 2038, 1.060, 0.625},
               {"GTX 1660 Ti", 1605, 0.850, 1920, 1.050, 0.656},
               {"RTX 2060", 1620, 0.862, 1920, 1.068, 0.718},
               {"RTX 3060 Ti", 1740, 0.875, 1965, 1.081, 0.668}};
    struct gpu_config c;
    static const char *const none[] = {"tech.volts="};
    loaded("rtx2060s", none, 1, &c);
    double off = 0, rise = 0, least = 0;
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        c.nominal = (struct gpu_nominal){row[i].high_mhz, row[i].high_v};
        const double v = gpu_supply_at(&c, row[i].low_mhz);
        near(v, row[i].low_v, 0.14);
        off += fabs(v / row[i].low_v - 1) / WW_COUNT(row);
        rise += log(row[i].high_v / row[i].low_v) / log(row[i].high_mhz / row[i].low_mhz) /
                WW_COUNT(row);
        least += row[i].desktop_v / row[i].high_v / WW_COUNT(row);
        near(gpu_supply_at(&c, 300), row[i].desktop_v, 0.13);
    }
    assert_true(off < 0.045);
    near(c.tech.volt_rise, rise, 0.05);
    near(c.tech.volt_floor, least, 0.02);
    // 40 nm, levels in the BIOS over the upper one (of a range: its middle)
    loaded("gtx480", NULL, 0, &c);
    static const double level[][4] = {
        {405, 0.950, 822, 1.006}, {405, 0.912, 810, 1.0185}, {405, 0.9, 625, 1.0}};
    for (size_t i = 0; i < WW_COUNT(level); i++) {
        c.nominal = (struct gpu_nominal){level[i][2], level[i][3]};
        near(gpu_supply_at(&c, level[i][0]), level[i][1], 0.06);
    }
}

// More clock never needs less supply, at the file's own clock it is the file's, and above the last
// point there is none.
static void rises_with_the_clock(void **state) {
    (void)state;
    struct arena a;
    struct diags d;
    struct gpu_listing *list;
    uint32_t n;
    arena_init(&a, NULL);
    diags_init(&d);
    assert_int_equal(gpu_config_list(&a, &list, &n, &d), WW_OK);
    for (uint32_t i = 0; i < n; i++) {
        struct gpu_config c;
        struct gpu_supply_points t;
        loaded(list[i].name, NULL, 0, &c);
        gpu_supply_points(&c, &t);
        const double own = c.clocks.core_mhz;
        assert_true(gpu_supply_at(&c, own) == c.tech.vdd_v);
        double last = gpu_supply_least(&c);
        bool ended = false;
        for (double mhz = 10; mhz <= 2.5 * own; mhz += own / 200) {
            const double v = gpu_supply_at(&c, mhz);
            if (v == 0) {
                assert_true(!t.n || mhz > t.mhz[t.n - 1]);
                ended = true;
                continue;
            }
            assert_false(ended);
            assert_true(v >= last - 1.01e-4 && v >= gpu_supply_least(&c));
            last = v;
        }
    }
    diags_free(&d);
    arena_free(&a);
}

static void edges_of_the_points(void **state) {
    (void)state;
    struct gpu_config c;
    static const char *const set[] = {"tech.volts=300:0.7 500:0.7 700:1.0 800:1.1"};
    loaded("gtx480", set, 1, &c);
    near(gpu_supply_at(&c, 600), 0.85, 1e-9); // half way
    near(gpu_supply_at(&c, 800), 1.1, 1e-9);  // the last point itself
    near(gpu_supply_at(&c, 300), 0.7, 1e-9);
    near(gpu_supply_at(&c, 1), 0.7, 1e-9); // below the first: its supply
    near(gpu_supply_least(&c), 0.7, 1e-9);
    assert_true(gpu_supply_at(&c, 800.1) == 0); // above the last: unknown
    // points that end below the file's own clock say nothing of it
    static const char *const low[] = {"tech.volts=300:0.7 500:0.8", "tech.volt_rise=2",
                                      "tech.volt_floor=0.25"};
    loaded("gtx480", low, 3, &c);
    near(gpu_supply_at(&c, 560), 0.64, 1e-9);
    near(gpu_supply_at(&c, 840), 1.44, 1e-9);
    assert_true(gpu_supply_at(&c, 1400) == 0); // 4 V
    near(gpu_supply_at(&c, 10), 0.4, 1e-9);    // no key takes less
    static const struct {
        const char *set, *says;
    } bad[] = {{"tech.volts=700", "without a colon"},
               {"tech.volts=700:1.0 seven:1.1", "no MHz:V of two numbers"},
               {"tech.volts=700:1.0 700:1.1", "clocks that do not rise"},
               {"tech.volts=700:1.0 800:0.9", "supply that falls"},
               {"tech.volts=700:10", "outside 0.4 to 2 V"},
               {"tech.volts=0:1", "outside 1 to 10000 MHz"},
               {"tech.volts=1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1 9:1 10:1 11:1 12:1 13:1 14:1 15:1 16:1 "
                "17:1",
                "more than 16 points"},
               {"tech.volt_floor=2", "volt_floor"}};
    for (size_t i = 0; i < WW_COUNT(bad); i++) {
        char text[512];
        assert_int_equal(load("gtx480", &bad[i].set, 1, text, &c), WW_ERROR_CONFIG);
        if (!strstr(text, bad[i].says)) fail_msg("'%s' does not say %s", text, bad[i].says);
    }
}

// An option, and a section `core` of a file, that change the clock take the supply with it, unless
// one names a supply. The files' own point stays what it is.
static void options_take_it_along(void **state) {
    (void)state;
    struct gpu_config c;
    static const char *const clock[] = {"core.clock_mhz=560"};
    static const char *const high[] = {"core.clock_mhz=770"};
    static const char *const same[] = {"core.clock_mhz=700"};
    static const char *const both[] = {"core.clock_mhz=560", "core.vdd=1.0"};
    static const char *const other[] = {"tech.vdd_v=1.0", "clocks.core_mhz=560"};
    static const char *const beyond[] = {"core.clock_mhz=1950"};
    loaded("gtx480", clock, 1, &c);
    near(c.tech.vdd_v, 0.9, 1e-9);
    assert_true(gpu_supply_follows(&c));
    assert_true(c.nominal.core_mhz == 700 && c.nominal.vdd_v == 1.0);
    loaded("gtx480", high, 1, &c);
    near(c.tech.vdd_v, pow(1.1, 1.2), 1e-4);
    assert_true(gpu_supply_follows(&c));
    loaded("gtx480", same, 1, &c);
    assert_true(c.tech.vdd_v == 1.0 && !gpu_supply_follows(&c));
    loaded("gtx480", both, 2, &c);
    assert_true(c.tech.vdd_v == 1.0 && !gpu_supply_follows(&c));
    loaded("gtx480", other, 1, &c);
    assert_true(c.tech.vdd_v == 1.0 && !gpu_supply_follows(&c));
    loaded("rtx2060s", beyond, 1, &c); // time is still to be had
    assert_true(c.tech.vdd_v == 1.0 && !gpu_supply_follows(&c));
    const char path[] = "test_supply_core.yaml";
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("base: gtx480\ncore:\n  clock_mhz: 560\n", f);
    fclose(f);
    loaded("./test_supply_core.yaml", NULL, 0, &c);
    near(c.tech.vdd_v, 0.9, 1e-9);
    assert_true(c.clocks.hot_mhz == 1120 && c.nominal.core_mhz == 700 && c.nominal.vdd_v == 1.0);
    remove(path);
    // a file that says clocks is another board, with the supply that it says
    f = fopen(path, "w");
    assert_non_null(f);
    fputs("base: gtx480\nclocks:\n  core_mhz: 560\n  hot_mhz: 1120\n", f);
    fclose(f);
    loaded("./test_supply_core.yaml", NULL, 0, &c);
    assert_true(c.tech.vdd_v == 1.0 && c.nominal.core_mhz == 560);
    remove(path);
}

int main(void) {
    setenv("WARPWATT_GPUS", WW_SOURCE_DIR "/gpus", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_points),      cmocka_unit_test(law_of_boards),
        cmocka_unit_test(rises_with_the_clock),  cmocka_unit_test(edges_of_the_points),
        cmocka_unit_test(options_take_it_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
