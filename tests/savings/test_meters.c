// The meters on made-up accesses: expected numbers follow by hand from the cycles in the calls.
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
        .clusters = 2, .sfus = 1, .schedulers = 2, .l1d = {.bytes = 512, .line_bytes = 128}};
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
    assert_int_equal(a.c[ACT_meter_rf_gaps], 3);
    assert_int_equal(a.c[ACT_meter_rf_gap_cycles], 50);
    assert_int_equal(a.c[ACT_meter_rf_long_gaps], 1);
    assert_int_equal(a.c[ACT_meter_rf_registers], 0); // the SM still works
    work(&f, false, 5000);
    a = counts(&f);
    assert_int_equal(a.c[ACT_meter_rf_registers], 2);
    assert_int_equal(a.c[ACT_meter_rf_distance], 25);
    assert_int_equal(a.c[ACT_meter_rf_slow_registers], 1);
    // a pause counts: of register 1 from its last access, 150, on
    work(&f, true, 1000);
    rf(&f, 3, 1, 1150); // 1000
    rf(&f, 3, 1, 1200); // 50
    rf(&f, 3, 5, 9077); // 9000 after its only access
    work(&f, false, 9100);
    a = counts(&f);
    assert_int_equal(a.c[ACT_meter_rf_gaps], 5);
    assert_int_equal(a.c[ACT_meter_rf_registers], 3);
    assert_int_equal(a.c[ACT_meter_rf_distance], 25 + 525);
    assert_int_equal(a.c[ACT_meter_rf_slow_registers], 2);
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
    assert_int_equal(a.c[ACT_meter_l1_reached], 2);     // places 0 and 2, once or more
    assert_int_equal(a.c[ACT_meter_l1_reached + 1], 1); // place 2 twice or more
    assert_int_equal(a.c[ACT_meter_l1_reached + 2], 1); // and four times
    assert_int_equal(a.c[ACT_meter_l1_reached + 3], 0);
    assert_int_equal(a.c[ACT_meter_l1_gaps + 3], 1); // 10
    assert_int_equal(a.c[ACT_meter_l1_gaps + 6], 1); // 64
    assert_int_equal(a.c[ACT_meter_l1_gaps + 9], 1); // 1000
    assert_int_equal(a.c[ACT_meter_l1_gap_cycles], 1074);
    savings_sm_destroy(f.sm);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(registers), cmocka_unit_test(lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
