// Technology tables, circuits and arrays: ranges, monotony, a small array by hand, and CACTI 6.5's
// published outputs.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "power/array.h"
#include "power/declared.h"
#include "power/dram.h"

static struct tech at(double node, enum tech_type type, double vdd, double kelvin) {
    struct diags d;
    struct tech t;
    diags_init(&d);
    assert_int_equal(tech_init(&t, node, type, vdd, kelvin, &d), WW_OK);
    diags_free(&d);
    return t;
}

static struct array build(const struct tech *t, struct array_config c) {
    struct diags d;
    struct array a;
    diags_init(&d);
    assert_int_equal(array_build(t, &c, &a, &d), WW_OK);
    diags_free(&d);
    return a;
}

static double leak(const struct array *a) { return a->leak_sub_w + a->leak_gate_w; }

static void near(double ours, double theirs, double tolerance) {
    if (!(fabs(ours / theirs - 1) <= tolerance))
        fail_msg("%g is not within %g %% of %g", ours, tolerance * 100, theirs);
}

static void table_rows(void **state) {
    (void)state;
    struct tech t = at(45, TECH_HP, 0, 340);
    near(t.vdd_v, 1.0, 1e-9);
    near(t.ioff, 5.02e-7, 1e-9);
    near(t.cg, 9.636e-16, 1e-9);
    near(t.rn, 737.809, 1e-9);
    near(at(45, TECH_HP, 0, 345).ioff, sqrt(5.02e-7 * 5.69e-7), 1e-6);
    // barrier lowering: slopes of 4 / 1.0 V x 300 / 340 and of 2 / 0.8 V at 300 K
    near(at(45, TECH_HP, 0.9, 340).ioff, 5.02e-7 * 0.70262, 1e-5);
    near(at(22, TECH_HP, 0.72, 300).ioff / at(22, TECH_HP, 0, 300).ioff, 0.81873, 1e-5);
    near(at(40, TECH_HP, 0, 300).row.vdd_v, 0.961538, 1e-5);
    assert_true(at(40, TECH_LSTP, 0, 350).ioff < at(40, TECH_LOP, 0, 350).ioff);
    assert_true(at(40, TECH_LOP, 0, 350).ioff < at(40, TECH_HP, 0, 350).ioff);
}

// Near the nominal supply DIBL is McPAT's power law; far below it stays above, and no current flows
// without a supply.
static void barrier_lowering(void **state) {
    (void)state;
    struct tech t = at(32, TECH_HP, 0, 300);
    for (double v = 0.8; v < 1.0; v += 0.05) {
        double sub, gate;
        tech_leak_at(&t, v, &sub, &gate);
        near(sub, pow(v / 0.9, 4), 0.03);
        near(sub, at(32, TECH_HP, v, 300).ioff / t.ioff, 1e-9);
        near(gate, v * v / 0.81, 1e-9);
    }
    double last = 0;
    for (double v = 0; v <= 1.1; v += 0.05) {
        double sub, gate;
        tech_leak_at(&t, v, &sub, &gate);
        assert_true(v == 0 ? sub == 0 : sub > last);
        last = sub;
    }
}

// By hand from the data sheets' currents.
static void dram_states(void **state) {
    (void)state;
    struct dram_energy e = dram_energy(&dram_gddr5_1gb, 0);
    near(e.precharge_down_saves_w, 1.5 * 0.040, 1e-9);
    near(e.active_down_saves_w, 1.5 * 0.140, 1e-9);
    near(e.self_refresh_w, 0.090, 1e-9);
    near(e.refresh_j, 19.61e-9, 1e-3);
    struct dram_energy g = dram_energy(&dram_gddr3_1gb, 0);
    near(g.background_w - g.precharge_down_saves_w, 1.8 * 0.180, 1e-9);
    near(g.background_w + g.open_w - g.active_down_saves_w, 1.8 * 0.180, 1e-9);
    near(g.refresh_w, 1.8 * 0.220 * 54 / 3900, 1e-9);
    struct dram_energy d = dram_energy(&dram_ddr3_4gb, 0);
    near(d.activate_j, 1.5289e-9, 1e-3);
    near(d.read_j, 1.269e-9, 1e-3);
    near(d.write_j, 0.837e-9, 1e-3);
    near(d.refresh_j, 71.25e-9, 1e-3);
    near(d.refresh_w, 9.135e-3, 1e-3);
    // 120 ohm up and 120 down, 34 ohm beside one: 1.35 V over 120 + 26.49 ohm, 16 lines, 5 ns
    near(d.term_read_j, 1.35 * 1.35 / 146.494 * 16 * 5e-9, 1e-4);

    struct dram_use u = {.precharged_s = 1, .reads = 1e6};
    struct dram_parts p = dram_parts(&e, &u);
    near(p.background_j, 0.375, 1e-9);
    near(p.read_write_j, 1e6 * e.read_j, 1e-12);
    near(p.termination_j, 1e6 * e.term_read_j, 1e-12);
    assert_true(p.activate_j == 0 && p.refresh_j == 0);
    double last = INFINITY; // each deeper state draws less
    for (int s = 0; s < 5; s++) {
        struct dram_use one = {0};
        *(double *[]){&one.open_s, &one.active_down_s, &one.precharged_s, &one.precharge_down_s,
                      &one.self_refresh_s}[s] = 2;
        p = dram_parts(&e, &one);
        assert_true(p.background_j < last);
        last = p.background_j;
    }
}

static void slower_below_nominal(void **state) {
    (void)state;
    struct tech nominal = at(40, TECH_HP, 0, 350);
    near(tech_speed(&nominal), 1, 1e-12);
    double last = 0;
    for (double v = 0.5; v < 1.2; v += 0.05) {
        struct tech t = at(40, TECH_HP, v, 350);
        assert_true(tech_speed(&t) > last);
        last = tech_speed(&t);
    }
}

static void out_of_range(void **state) {
    (void)state;
    static const double bad[][3] = {{130, 0, 350},  {16, 0, 350}, {NAN, 0, 350},  {40, 0, 299},
                                    {40, 0, 401},   {40, 0, NAN}, {40, 0.2, 350}, {40, 2, 350},
                                    {40, NAN, 350}, {40, -1, 350}};
    for (unsigned i = 0; i < WW_COUNT(bad); i++) {
        struct diags d;
        struct tech t;
        diags_init(&d);
        assert_int_equal(tech_init(&t, bad[i][0], TECH_HP, bad[i][1], bad[i][2], &d),
                         WW_ERROR_CONFIG);
        assert_int_equal(d.errors, 1);
        diags_free(&d);
    }
}

static void temperature_monotone(void **state) {
    (void)state;
    static const double nodes[] = {90, 65, 45, 40, 36, 32, 28, 23, 22};
    for (unsigned n = 0; n < WW_COUNT(nodes); n++)
        for (int type = 0; type < TECH_TYPES; type++) {
            double last = 0;
            for (double k = 300; k <= 400; k += 2.5) {
                double i = at(nodes[n], (enum tech_type)type, 0, k).ioff;
                assert_true(i > last);
                last = i;
            }
        }
}

static void array_monotone(void **state) {
    (void)state;
    struct tech t = at(40, TECH_HP, 0, 350);
    struct array last = {0};
    for (unsigned entries = 32; entries <= 65536; entries *= 2) {
        struct array a = build(&t, (struct array_config){.entries = entries, .bits = 128});
        assert_true(a.area_mm2 > last.area_mm2 && leak(&a) > leak(&last));
        assert_true(a.read_j > last.read_j);
        last = a;
    }
    last = (struct array){0};
    for (unsigned ports = 1; ports <= 6; ports++) {
        struct array a =
            build(&t, (struct array_config){.entries = 512, .bits = 64, .rw_ports = ports});
        assert_true(a.area_mm2 > last.area_mm2 && leak(&a) > leak(&last));
        assert_true(a.read_j > last.read_j && a.write_j > last.write_j);
        last = a;
    }
    struct array_config c = {.entries = 1024, .bits = 128};
    last = (struct array){0};
    for (double v = 0.6; v <= 1.2; v += 0.05) {
        struct tech tv = at(40, TECH_HP, v, 350);
        struct array a = build(&tv, c);
        assert_true(a.read_j > last.read_j && a.write_j > last.write_j && leak(&a) > leak(&last));
        last = a;
    }
    last = (struct array){0};
    for (double v = 0.6; v <= 1.2; v += 0.05) { // for delay alone: other goals may change partition
        struct tech tv = at(40, TECH_HP, v, 350);
        struct array_config fast = {.entries = 1024, .bits = 128, .goal = {.delay = 1}};
        struct array a = build(&tv, fast);
        assert_true(last.delay_s == 0 || a.delay_s < last.delay_s);
        last = a;
    }
    last = (struct array){0};
    for (double k = 300; k <= 400; k += 10) {
        struct tech tk = at(40, TECH_HP, 0, k);
        struct array a = build(&tk, c);
        assert_true(leak(&a) > leak(&last));
        last = a;
    }
    static const double nodes[] = {90, 65, 45, 40, 32, 28, 22};
    for (unsigned n = 0; n < WW_COUNT(nodes); n++) {
        struct tech tn = at(nodes[n], TECH_HP, 0, 350);
        struct array a = build(&tn, c);
        if (n) assert_true(a.area_mm2 < last.area_mm2 && a.read_j < last.read_j);
        last = a;
    }
}

static void banks_are_copies(void **state) {
    (void)state;
    struct tech t = at(40, TECH_HP, 0, 350);
    struct array_config c = {.entries = 256, .bits = 128};
    struct array one = build(&t, c);
    c.banks = 16;
    struct array many = build(&t, c);
    near(many.area_mm2, 16 * one.area_mm2, 1e-12);
    near(leak(&many), 16 * leak(&one), 1e-12);
    near(many.read_j, one.read_j, 1e-12);
}

// 16 words of 16 bits, 90 nm HP, 300 K: one sub-array. The pieces written out with the table's
// numbers: V = 1.2, F = 0.09, cg = 1.0368e-15, cj = 1e-15, cjsw = 2.5e-16,
// cfringe + coverlap = 2.128e-16, c_local = 3.03882e-16, ioff = 3.24e-8, ig = 1.65e-8.
static void by_hand(void **state) {
    (void)state;
    struct tech t = at(90, TECH_HP, 0, 300);
    double sub, gate;
    array_cell_leak(&t, &(struct array_config){.rw_ports = 1}, &sub, &gate);
    near(sub, 1.2 * 3.24e-8 * 0.09 * (2.08 + 1.23 + 0.655), 1e-9);
    near(gate, 1.2 * 1.65e-8 * 0.09 * (2.08 + 1.23), 1e-9);
    near(circuit_gate_cap(&t, 0.1179), 0.1179 * 1.0368e-15, 1e-9);
    near(circuit_drain_cap(&t, 0.1179, 1),
         1e-15 * 0.27 * 0.1179 + 2.5e-16 * (0.1179 + 0.54) + 2 * 2.128e-16 * 0.1179, 1e-9);

    struct array_config c = {.entries = 16, .bits = 16, .goal = {.area = 1}};
    struct array a = build(&t, c);
    assert_int_equal(a.ndwl * a.ndbl, 1);
    // the same, assembled: word line, bit lines, sense amplifiers, decoder, way to the port
    double rows = 16.0 / a.nspd, columns = 16.0 * a.nspd;
    double c_word = columns * (2 * 0.1179 * 1.0368e-15 + 0.9 * 3.03882e-16);
    double c_bit = rows * (circuit_drain_cap(&t, 0.1179, 1) / 2 + 14.6 * 0.09 * 3.03882e-16);
    if (a.nspd > 1) c_bit += a.nspd * circuit_drain_cap(&t, 0.72, 1);
    struct block decode = circuit_decoder(&t, (unsigned)rows, c_word, rows * 14.6 * 0.09);
    double cg = 1.0368e-15, v2 = 1.2 * 1.2;
    double read = decode.energy_j + columns * 2 * c_bit * 0.08 * 1.2 + 16 * 1.47e-14 +
                  columns * 3 * 6 * 2.45 * 0.135 * cg * v2 + 16 * 3 * 12.5 * 0.09 * cg * v2 +
                  16 * circuit_dff(&t, NULL).energy_j;
    struct block um = circuit_wire(&t, TECH_SEMIGLOBAL, 1);
    double side = sqrt(a.area_mm2 * 1e6); // the port is at most half a side away
    assert_true(a.read_j > read &&
                a.read_j < read + 0.5 * um.energy_j * (16 + 4) * side / 2 * 1.01);
    assert_true(a.leak_sub_w > 256 * sub && a.leak_sub_w < 256 * sub * 4);
}

// CACTI 6.5 as shipped (validation.csv, 65 nm HP, 360 K, 512-bit port). Cells and their leakage are
// the same physics: within 25 %. Its search prefers smaller mats (its goal weighs cycle time),
// whose 512-bit H-trees cost it area and, in small arrays, energy; ours keeps one or two sub-arrays
// there, and wider rows in large ones. So area is below its (0.1 to 0.7), and energy between a
// third and 1.5 times.
static void cacti(void **state) {
    (void)state;
    static const struct {
        double bytes, ns, pj, mw, mm2;
    } row[] = {
        {8192, 0.558019, 49.2188, 12.9322, 0.437143},
        {16384, 0.589623, 57.8158, 24.7671, 0.508203},
        {32768, 0.698149, 81.5853, 52.1796, 0.664852},
        {65536, 0.885893, 224.312, 120.707, 1.67509},
        {131072, 1.03673, 214.402, 229.434, 2.53868},
        {262144, 1.25884, 284.046, 417.712, 3.92425},
        {1048576, 2.17546, 646.093, 1723.58, 13.3102},
        {4194304, 3.77332, 1366.04, 6977.29, 52.0054},
    };
    struct tech t = at(65, TECH_HP, 0, 360);
    for (unsigned i = 0; i < WW_COUNT(row); i++) {
        struct array a =
            build(&t, (struct array_config){
                          .entries = (unsigned)row[i].bytes / 64, .bits = 512, .rw_ports = 1});
        near(leak(&a) * 1e3, row[i].mw, 0.25);
        double energy = a.read_j * 1e12 / row[i].pj, area = a.area_mm2 / row[i].mm2;
        double delay = a.delay_s * 1e9 / row[i].ns;
        print_message(
            "%8.0f B: delay %.2f, read energy %.2f, leakage %.2f, area %.2f of CACTI 6.5\n",
            row[i].bytes, delay, energy, leak(&a) * 1e3 / row[i].mw, area);
        assert_true(energy > 0.3 && energy < 1.5);
        assert_true(area > 0.1 && area < 0.75);
        assert_true(delay > 0.3 && delay < 1.4);
        assert_true(a.area_mm2 > row[i].bytes * 8 * 146 * 0.065 * 0.065 * 1e-6);
    }
}

static void caches_and_cams(void **state) {
    (void)state;
    struct tech t = at(40, TECH_HP, 0, 350);
    struct array_config c = {.kind = ARRAY_CACHE,
                             .entries = 128,
                             .bits = 1024,
                             .ways = 4,
                             .tag_bits = 24,
                             .out_bits = 256};
    struct array all = build(&t, c);
    c.sequential = true;
    struct array seq = build(&t, c);
    assert_true(seq.read_j < all.read_j && seq.delay_s > all.delay_s);
    struct array ram = build(&t, (struct array_config){.entries = 512, .bits = 256});
    assert_true(leak(&seq) > leak(&ram) && seq.area_mm2 > ram.area_mm2);
    struct array_config cam = {.kind = ARRAY_CAM, .entries = 32, .bits = 32, .tag_bits = 24};
    struct array small = build(&t, cam);
    cam.entries = 64;
    struct array large = build(&t, cam);
    assert_true(small.search_j > 0 && large.search_j > 1.5 * small.search_j);
    struct diags d;
    diags_init(&d);
    c.ways = 3;
    assert_int_equal(array_build(&t, &c, &all, &d), WW_ERROR_CONFIG);
    c = (struct array_config){.entries = 0, .bits = 8};
    assert_int_equal(array_build(&t, &c, &all, &d), WW_ERROR_CONFIG);
    diags_free(&d);
}

static void circuits(void **state) {
    (void)state;
    struct tech t = at(40, TECH_HP, 0, 350);
    struct block small = circuit_crossbar(&t, 8, 8, 32), large = circuit_crossbar(&t, 16, 16, 32);
    assert_true(large.area_um2 > 2 * small.area_um2 && large.energy_j > small.energy_j);
    struct block q = circuit_queue(&t, 1000, 100), q2 = circuit_queue(&t, 2000, 100);
    near(q2.leak_sub_w, 2 * q.leak_sub_w, 1e-12);
    near(q2.energy_j, q.energy_j, 1e-12);
    struct block w = circuit_wire(&t, TECH_GLOBAL, 1000), w2 = circuit_wire(&t, TECH_GLOBAL, 2000);
    near(w2.energy_j, 2 * w.energy_j, 1e-12);
    // Keckler 2011: 240 fJ a bit and mm at 40 nm (random data); ours is of a charging transition
    print_message("global wire %.0f fJ a mm and charge, %.0f ps\n", w.energy_j * 1e15,
                  w.delay_s * 1e12);
    near(w.energy_j, 480e-15, 0.35);
    assert_true(circuit_selector(&t, 48).energy_j > circuit_selector(&t, 8).energy_j);
    assert_true(circuit_decoder(&t, 256, 1e-14, 100).energy_j >
                circuit_decoder(&t, 16, 1e-14, 100).energy_j);
}

// A cell at 300 K against the dissertation's table 2.1 (nA, HSPICE): 90 and 32 nm agree within 15
// %. At 65 nm the device table's HP transistor leaks 2.6 times theirs (2007's ITRS at 1.96e-7
// A/um), so there the published value has to be used as declared circuit data. Its 8 KB banks
// (2.9, 3.5, 5.6 mW) come with no temperature or periphery; their cells alone make 1.15, 1.64
// and 1.54 mW.
static void published_cells(void **state) {
    (void)state;
    static const struct {
        double nm, cell_na, bank_mw, tolerance;
    } row[] = {{90, 14.6, 2.9, 0.15}, {65, 22.8, 3.5, 1.7}, {32, 26.08, 5.6, 0.05}};
    for (unsigned i = 0; i < WW_COUNT(row); i++) {
        struct tech t = at(row[i].nm, TECH_HP, 0, 300);
        double sub, gate;
        array_cell_leak(&t, &(struct array_config){.rw_ports = 1}, &sub, &gate);
        struct array a = build(&t, (struct array_config){.entries = 512, .bits = 128});
        print_message("%g nm: cell %.1f nA (published %.1f), 8 KB %.2f mW (published %.1f)\n",
                      row[i].nm, (sub + gate) / t.vdd_v * 1e9, row[i].cell_na, leak(&a) * 1e3,
                      row[i].bank_mw);
        near((sub + gate) / t.vdd_v * 1e9, row[i].cell_na, row[i].tolerance);
        assert_true(leak(&a) * 1e3 > row[i].bank_mw * 0.4 && leak(&a) * 1e3 < row[i].bank_mw * 2);
    }
}

// Horowitz (ISSCC 2014): 64 bits out of caches of 8 KB, 32 KB and 1 MB at 45 nm, 0.9 V: 10, 20, 100
// pJ, round numbers of whole caches with their control; ours is the arrays alone: below, by less
// than three times.
static void published_caches(void **state) {
    (void)state;
    static const double kb[] = {8, 32, 1024}, pj[] = {10, 20, 100};
    struct tech t = at(45, TECH_HP, 0.9, 350);
    for (unsigned i = 0; i < WW_COUNT(kb); i++) {
        struct array a = build(&t, (struct array_config){.kind = ARRAY_CACHE,
                                                         .entries = (unsigned)kb[i] * 16,
                                                         .bits = 512,
                                                         .ways = 4,
                                                         .tag_bits = 28,
                                                         .out_bits = 64});
        print_message("%g KB cache, 64 bits: %.1f pJ (published %g)\n", kb[i], a.read_j * 1e12,
                      pj[i]);
        assert_true(a.read_j * 1e12 > pj[i] / 3 && a.read_j * 1e12 < pj[i] * 1.3);
    }
}

static void drowsy_cell(void **state) {
    (void)state;
    // drowsy cells of the dissertation's figure 5.4: below 10 % of leakage at DRV + 250 mV
    struct tech full = at(90, TECH_HP, 0, 300), drowsy = at(90, TECH_HP, 0.37, 300);
    double sub, gate, sub_d, gate_d;
    array_cell_leak(&full, &(struct array_config){.rw_ports = 1}, &sub, &gate);
    array_cell_leak(&drowsy, &(struct array_config){.rw_ports = 1}, &sub_d, &gate_d);
    print_message("90 nm cell at 0.37 V: %.1f %% of its leakage\n",
                  100 * (sub_d + gate_d) / (sub + gate));
    assert_true((sub_d + gate_d) / (sub + gate) < 0.10);
}

// Power-aware caches, table 3: at 0.4 V a row leaks less than 8 % of what it does at 0.9 V.
static void declared_data(void **state) {
    (void)state;
    near(declared_row_leak(false, 0.9), 1, 1e-12);
    near(declared_row_leak(false, 0.4), 0.080 / 1.081, 1e-12);
    near(declared_row_leak(true, 0.4), 0.53 / 6.7, 1e-12);
    assert_true(declared_row_leak(false, 0.4) < 0.08 && declared_row_leak(true, 0.4) < 0.08);
    assert_true(isnan(declared_row_leak(false, 0.19)) && isnan(declared_row_leak(true, 0.91)));
    assert_true(isnan(declared_row_leak(true, NAN)));
    for (int l2 = 0; l2 < 2; l2++) {
        double last = 0;
        for (double v = 0.2; v < 0.9; v += 0.01) {
            assert_true(declared_row_leak(l2, v) > last);
            last = declared_row_leak(l2, v);
        }
    }
    for (unsigned i = 0; i < DECLARED_N; i++)
        assert_true(declared_info[i].value > 0 && *declared_info[i].source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_rows),
        cmocka_unit_test(out_of_range),
        cmocka_unit_test(barrier_lowering),
        cmocka_unit_test(dram_states),
        cmocka_unit_test(slower_below_nominal),
        cmocka_unit_test(temperature_monotone),
        cmocka_unit_test(array_monotone),
        cmocka_unit_test(banks_are_copies),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(cacti),
        cmocka_unit_test(caches_and_cams),
        cmocka_unit_test(circuits),
        cmocka_unit_test(published_cells),
        cmocka_unit_test(published_caches),
        cmocka_unit_test(drowsy_cell),
        cmocka_unit_test(declared_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
