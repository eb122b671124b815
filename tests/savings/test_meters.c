// The meters on made-up accesses: expected numbers follow by hand from the cycles in the calls.
#include "savings/rank.h"
#include "test_view.h"

static struct activity counts(struct fake *f) {
    struct activity a = {0};
    for (uint32_t i = 0; i < f->n; i++)
        if (f->p[i]->count) f->p[i]->count(f->p[i]->self, &f->v, &a, 100000);
    return a;
}
static void rf(struct fake *f, uint32_t warp, uint32_t reg, uint64_t cycle) {
    const uint8_t r = (uint8_t)reg;
    const struct sm_row_access a = {.cycle = cycle, .warp = warp, .n = 1, .reg = &r};
    assert_int_equal(f->p[0]->rows->read(f->p[0]->self, &a), 0);
}
static void l1(struct fake *f, uint32_t place, enum cache_what what, uint64_t cycle) {
    const struct cache_event e = {
        .cycle = cycle, .array = ARRAY_L1D, .place = place, .what = (uint8_t)what};
    assert_int_equal(f->p[0]->arrays->hear(f->p[0]->self, &e), 0);
}
static void work(struct fake *f, bool begins, uint64_t cycle) {
    f->p[0]->life->work(f->p[0]->self, &f->v, begins, cycle);
}

// A view with an L1 of four lines.
static void begin(struct fake *f) {
    struct diags d;
    diags_init(&d);
    *f = (struct fake){0};
    assert_int_equal(make("meters", 2, &d, &f->set), WW_OK);
    diags_free(&d);
    const struct sm_config c = {
        .lane_groups = 2, .sfus = 1, .schedulers = 2, .l1d = {.bytes = 512, .line_bytes = 128}};
    f->sm = savings_sm_create(&f->set, &c);
    assert_non_null(f->sm);
    f->n = savings_sm_techniques(f->sm, f->p);
    assert_int_equal(f->n, 1);
}

static void registers(void **state) {
    (void)state;
    struct fake f;
    begin(&f);
    work(&f, true, 0);
    rf(&f, 3, 1, 100);
    rf(&f, 3, 1, 110);
    rf(&f, 3, 1, 150); // gaps 10 and 40: a mean of 25
    rf(&f, 3, 2, 100);
    rf(&f, 3, 2, 4100); // 4000: beyond 3000
    rf(&f, 3, 5, 77);   // once: no gap
    rf(&f, 3, 6, 200);
    rf(&f, 3, 6, 190); // planned ahead, out of order: no time in between
    struct activity a = counts(&f);
    assert_int_equal(a.c[act_number("meter_rf_gaps")], 3);
    assert_int_equal(a.c[act_number("meter_rf_gap_cycles")], 50);
    assert_int_equal(a.c[act_number("meter_rf_long_gaps")], 1);
    assert_int_equal(a.c[act_number("meter_rf_long_cycles")], 4000);
    assert_int_equal(a.c[act_number("meter_rf_bins")], 1);      // out of order
    assert_int_equal(a.c[act_number("meter_rf_bins") + 3], 1);  // 8 to 15
    assert_int_equal(a.c[act_number("meter_rf_bins") + 5], 1);  // 32 to 63
    assert_int_equal(a.c[act_number("meter_rf_bins") + 11], 1); // 2048 to 4095
    assert_int_equal(a.c[act_number("meter_rf_registers")], 0); // the SM still works
    work(&f, false, 5000);
    a = counts(&f);
    assert_int_equal(a.c[act_number("meter_rf_registers")], 2);
    assert_int_equal(a.c[act_number("meter_rf_distance")], 25);
    assert_int_equal(a.c[act_number("meter_rf_slow_registers")], 1);
    // a pause counts: of register 1 from its last access, 150, on
    work(&f, true, 1000);
    rf(&f, 3, 1, 1150); // 1000
    rf(&f, 3, 1, 1200); // 50
    rf(&f, 3, 5, 9077); // 9000 after its only access
    work(&f, false, 9100);
    a = counts(&f);
    assert_int_equal(a.c[act_number("meter_rf_gaps")], 5);
    assert_int_equal(a.c[act_number("meter_rf_registers")], 3);
    assert_int_equal(a.c[act_number("meter_rf_distance")], 25 + 525);
    assert_int_equal(a.c[act_number("meter_rf_slow_registers")], 2);
    savings_sm_destroy(f.sm);
}

static void lines(void **state) {
    (void)state;
    struct fake f;
    begin(&f);
    l1(&f, CACHE_NOWHERE, CACHE_READ_MISS, 10); // a miss has no place yet
    l1(&f, 2, CACHE_FILL, 300);                 // its line comes
    l1(&f, 2, CACHE_READ_HIT, 310);
    l1(&f, 2, CACHE_WRITE_HIT, 374);
    l1(&f, 2, CACHE_READ_HIT, 1374);
    l1(&f, 0, CACHE_FILL, 400);
    l1(&f, 0, CACHE_WRITE_MISS, 500); // a write that misses touches no line
    l1(&f, 0, CACHE_EVICT, 510);      // neither do these
    l1(&f, 0, CACHE_READ_MERGE, 520);
    l1(&f, CACHE_NOWHERE, CACHE_FLUSH, 530);
    const struct activity a = counts(&f);
    assert_int_equal(a.c[act_number("meter_l1_reached")], 2);     // places 0 and 2, once or more
    assert_int_equal(a.c[act_number("meter_l1_reached") + 1], 1); // place 2 twice or more
    assert_int_equal(a.c[act_number("meter_l1_reached") + 2], 1); // and four times
    assert_int_equal(a.c[act_number("meter_l1_reached") + 3], 0);
    assert_int_equal(a.c[act_number("meter_l1_gaps") + 3], 1); // 10
    assert_int_equal(a.c[act_number("meter_l1_gaps") + 6], 1); // 64
    assert_int_equal(a.c[act_number("meter_l1_gaps") + 9], 1); // 1000
    assert_int_equal(a.c[act_number("meter_l1_gap_cycles")], 1074);
    savings_sm_destroy(f.sm);
}

// Ranks by hand. a: 1, 2.5, 2.5, 4; b: 2, 1, 3, 4. Less their means of 2.5: the products add up to
// 0.75 + 0 + 0 + 2.25, the squares to 4.5 and 5.
static void ranks(void **state) {
    (void)state;
    const uint64_t a[4] = {1, 5, 5, 9}, b[4] = {20, 10, 30, 40}, c[4] = {4, 3, 2, 1}, d[4] = {0};
    assert_float_equal(rank_correlation(a, b, 4), 3 / sqrt(4.5 * 5), 1e-12);
    assert_float_equal(rank_correlation(b, b, 4), 1, 1e-12);
    assert_float_equal(rank_correlation((uint64_t[]){1, 2, 3, 4}, c, 4), -1, 1e-12);
    assert_true(isnan(rank_correlation(a, d, 4)));
    assert_int_equal(rank_agree(a, b, 4, 2), 1); // R3 and R1; R3 and R2
    assert_int_equal(rank_agree(a, c, 4, 2), 1); // R3 and R1; R0 and R1
    assert_int_equal(rank_agree(a, b, 4, 4), 4);
}

static void come(struct fake *f, bool comes, uint32_t warp) {
    const struct sm_warp_event e = {.comes = comes, .warp = warp};
    f->p[0]->life->warp(f->p[0]->self, &e);
}

// The first warp uses R1 three times, R2 twice, R3 once; the others R1 most, R3 more than R2.
static void pilot(void **state) {
    (void)state;
    struct fake f;
    begin(&f);
    f.p[0]->life->kernel(f.p[0]->self, 0, NULL);
    work(&f, true, 0);
    for (uint32_t w = 0; w < 3; w++) come(&f, true, w);
    for (uint32_t i = 0; i < 6; i++) rf(&f, 0, i < 3 ? 1 : i < 5 ? 2 : 3, 10 + i);
    come(&f, false, 0);
    come(&f, true, 0); // another warp in its slot
    for (uint32_t i = 0; i < 9; i++) rf(&f, i % 3, i < 5 ? 1 : i < 8 ? 3 : 2, 20 + i);
    work(&f, false, 100);
    struct activity a = counts(&f);
    assert_int_equal(a.c[act_number("meter_pilots")], 1);
    assert_int_equal(a.c[act_number("meter_pilot_ranks")], 750000); // ranks 3 2 1 and 3 1 2: 0.5
    assert_int_equal(a.c[act_number("meter_pilot_agree")], 3);
    assert_int_equal(a.c[act_number("meter_pilot_top")], 3);
    work(&f, true, 200); // one warp alone is compared with none
    come(&f, true, 5);
    rf(&f, 5, 1, 210);
    work(&f, false, 300);
    assert_int_equal(counts(&f).c[act_number("meter_pilots")], 1);
    savings_sm_destroy(f.sm);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(registers), cmocka_unit_test(ranks),
                                       cmocka_unit_test(pilot), cmocka_unit_test(lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
