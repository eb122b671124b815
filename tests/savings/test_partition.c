// The partitioned register file: the tables of figure 6.6, and what a pilot warp, epochs and swaps
// do on made-up schedules.
#include "activity/sm.h"
#include "savings/swap.h"
#include "test_view.h"

// Figures 6.5 and 6.6: R7, R12, R4 and R10 were used most, in this order; the first four were fast.
static void figure_6_6(void **state) {
    (void)state;
    struct swap_table t;
    swap_clear(&t, 4);
    for (uint32_t i = 0; i < 8; i++) assert_false(t.cam[i].is_valid);
    for (uint32_t r = 0; r < 100; r++) {
        assert_int_equal(swap_cam(&t, r), r);
        assert_int_equal(swap_indexed(&t, r), r);
    }
    uint16_t counter[SWAP_COUNTERS] = {3, 3, 2, 1, 40, 5, 6, 90, 7, 8, 30, 9, 70, 2};
    swap_fill(&t, counter, 14);
    static const struct {
        uint32_t reg, place;
    } want[8] = {{0, 7}, {7, 0}, {1, 12}, {12, 1}, {2, 4}, {4, 2}, {3, 10}, {10, 3}};
    assert_int_equal(t.pairs, 4);
    for (uint32_t i = 0; i < 8; i++) {
        assert_true(t.cam[i].is_valid);
        assert_int_equal(t.cam[i].reg, want[i].reg);
        assert_int_equal(t.cam[i].place, want[i].place);
    }
    // figure 6.5b, by place
    static const uint8_t holds[14] = {7, 12, 4, 10, 2, 5, 6, 0, 8, 9, 3, 11, 1, 13};
    for (uint32_t place = 0; place < 14; place++) {
        assert_int_equal(swap_cam(&t, holds[place]), place);
        assert_int_equal(swap_indexed(&t, holds[place]), place);
    }
}

// Any counters: the tables agree, every register is reachable, and the n that were used most are
// fast.
static void any_table(void **state) {
    (void)state;
    uint32_t seed = 1;
    for (uint32_t k = 0; k < 2000; k++) {
        const uint32_t n = k % 9, regs = 1 + k % 63;
        uint16_t counter[SWAP_COUNTERS] = {0};
        for (uint32_t i = 0; i < regs; i++) {
            seed = seed * 1664525u + 1013904223u;
            counter[i] = (uint16_t)((seed >> 16) % (k % 2 ? 4 : 1000));
        }
        struct swap_table t;
        swap_clear(&t, n);
        swap_fill(&t, counter, regs);
        uint64_t places = 0;
        uint32_t least_fast = UINT32_MAX, most_slow = 0;
        for (uint32_t r = 0; r < SWAP_COUNTERS; r++) {
            const uint32_t at = swap_indexed(&t, r);
            assert_int_equal(swap_cam(&t, r), at);
            assert_true(at < SWAP_COUNTERS && !(places >> at & 1));
            places |= UINT64_C(1) << at;
            if (at < n && counter[r] < least_fast) least_fast = counter[r];
            if (at >= n && counter[r] > most_slow) most_slow = counter[r];
        }
        if (n != 0) assert_true(least_fast >= most_slow);
    }
}

static void begin(struct fake *f, const char *words) {
    struct diags d;
    diags_init(&d);
    *f = (struct fake){0};
    assert_int_equal(make(words, 2, &d, &f->set), WW_OK);
    diags_free(&d);
    const struct sm_config c = {
        .lane_groups = 2, .sfus = 1, .schedulers = 2, .registers = 1024, .rf_banks = 16};
    f->sm = savings_sm_create(&f->set, &c);
    assert_non_null(f->sm);
    f->n = savings_sm_techniques(f->sm, f->p);
    for (uint32_t slot = 0; slot < 2; slot++) f->p[0]->life->kernel(f->p[0]->self, slot, NULL);
    f->p[0]->life->work(f->p[0]->self, &f->v, true, 0);
}
static struct activity counts(struct fake *f, uint64_t now) {
    struct activity a = {.c = {0}};
    a.c[ACT_sm_busy_cycles] = now;
    f->p[0]->count(f->p[0]->self, &f->v, &a, now);
    return a;
}
static void warp(struct fake *f, bool comes, uint32_t w, uint32_t slot, uint64_t cycle) {
    const struct sm_warp_event e = {
        .comes = comes, .warp = w, .kernel_slot = slot, .registers = 14, .cycle = cycle};
    f->p[0]->life->warp(f->p[0]->self, &e);
}
static uint32_t reads(struct fake *f, uint32_t w, uint32_t reg, uint64_t at) {
    const uint8_t r = (uint8_t)reg;
    const struct sm_row_access a = {.cycle = at, .warp = w, .n = 1, .reg = &r, .at = &at};
    return f->p[0]->rows->read(f->p[0]->self, &a);
}
static uint32_t writes(struct fake *f, uint32_t w, uint32_t reg, uint64_t at) {
    const uint8_t r = (uint8_t)reg;
    const struct sm_row_access a = {.cycle = at, .warp = w, .n = 1, .reg = &r, .at = &at};
    return f->p[0]->rows->write(f->p[0]->self, &a);
}

// Warp 0 is the pilot of its kernel: it uses R7 three times, R12 twice and R0 once; warps 1 and 2
// count nothing. When it goes in cycle 100, warps 1 and 2 have two pairs each to swap: 16 accesses
// in 16 banks are one round of 3 cycles, from 101 on. Warp 3 is of another kernel.
static void pilot(void **state) {
    (void)state;
    struct fake f;
    begin(&f, "partition frf_adaptive=0");
    for (uint32_t w = 0; w < 3; w++) warp(&f, true, w, 0, 10 + w);
    warp(&f, true, 3, 1, 15);
    assert_int_equal(reads(&f, 0, 7, 20), 2); // slow: three cycles
    assert_int_equal(reads(&f, 0, 7, 30), 2);
    assert_int_equal(writes(&f, 0, 7, 40), 2);
    assert_int_equal(reads(&f, 0, 12, 50), 2);
    assert_int_equal(writes(&f, 0, 12, 60), 2);
    assert_int_equal(reads(&f, 0, 0, 70), 0); // fast
    for (uint32_t i = 0; i < 9; i++) assert_int_equal(reads(&f, 1, 9, 71 + i), 2);
    assert_int_equal(reads(&f, 3, 7, 80), 2);
    struct activity a = counts(&f, 90);
    assert_int_equal(a.c[act_number("pilots")], 2);
    assert_int_equal(a.c[act_number("pilot_accesses")], 7); // six of warp 0, one of warp 3
    assert_int_equal(a.c[act_number("swap_table_reads")], 0);
    warp(&f, false, 0, 0, 100);
    a = counts(&f, 101);
    assert_int_equal(a.c[act_number("pilot_cycles")], 101 - 10);
    assert_int_equal(a.c[act_number("partition_swaps")], 4); // R7 with R1, R12 with R2: R0 stays
    assert_int_equal(reads(&f, 1, 7, 101), 3);     // it waits for the swap, up to 104, and is fast
    assert_int_equal(reads(&f, 1, 7, 104), 0);
    assert_int_equal(reads(&f, 2, 12, 110), 0);
    assert_int_equal(reads(&f, 2, 1, 110), 2);
    assert_int_equal(reads(&f, 2, 2, 110), 2);
    assert_int_equal(reads(&f, 2, 0, 110), 0);
    assert_int_equal(reads(&f, 2, 3, 110), 0); // not accessed, and not displaced
    assert_int_equal(reads(&f, 3, 7, 110), 2); // its own kernel's pilot still runs
    a = counts(&f, 120);
    assert_int_equal(a.c[act_number("partition_reads")], 6);
    assert_int_equal(a.c[act_number("partition_reads") + 2], 3 + 9 + 1 + 2 + 1);
    assert_int_equal(a.c[act_number("partition_writes") + 2], 2);
    assert_int_equal(a.c[act_number("swap_table_reads")], 7);
    assert_int_equal(a.c[act_number("partition_cycles")], 120);
    // the kernel is launched anew: nothing is known of it
    f.p[0]->life->kernel(f.p[0]->self, 0, NULL);
    warp(&f, true, 4, 0, 200);
    assert_int_equal(reads(&f, 4, 7, 210), 2);
    assert_int_equal(counts(&f, 220).c[act_number("pilots")], 3);
    savings_sm_destroy(f.sm);
}

// Epochs of 50 cycles: 85 instructions keep the fast partition at full speed, 84 do not.
static void adaptive(void **state) {
    (void)state;
    struct fake f;
    begin(&f, "partition pilot=0");
    assert_int_equal(f.p[0]->clock->epoch_cycles, 50);
    warp(&f, true, 0, 0, 1);
    const uint64_t issued[] = {85, 84, 0, 400, 85};
    const uint32_t late[] = {0, 1, 1, 0, 0};
    for (uint32_t i = 0; i < 5; i++) {
        f.v.issued += issued[i];
        f.p[0]->clock->epoch(f.p[0]->self, &f.v, 50 * (i + 1));
        assert_int_equal(reads(&f, 0, 2, 50 * (i + 1) + 5), late[i]);
        assert_int_equal(reads(&f, 0, 4, 50 * (i + 1) + 5), 2); // the slow one is what it is
    }
    const struct activity a = counts(&f, 300);
    assert_int_equal(a.c[act_number("frf_low_cycles")], 100);
    assert_int_equal(a.c[act_number("partition_reads")], 3);
    assert_int_equal(a.c[act_number("partition_reads") + 1], 2);
    assert_int_equal(a.c[act_number("partition_reads") + 2], 5);
    savings_sm_destroy(f.sm);
}

static void near_threshold(void **state) {
    (void)state;
    struct fake f;
    begin(&f, "partition frf_registers=0 srf_latency=4");
    warp(&f, true, 0, 0, 1);
    assert_int_equal(reads(&f, 0, 0, 5), 3);
    assert_int_equal(writes(&f, 0, 9, 8), 3);
    const struct activity a = counts(&f, 10);
    assert_true(a.c[act_number("partition_reads") + 3] == 1 && a.c[act_number("partition_writes") + 3] == 1);
    assert_true(a.c[act_number("slow_file_cycles")] == 10 && a.c[act_number("partition_cycles")] == 0);
    assert_true(a.c[act_number("pilots")] == 0 && a.c[act_number("swap_table_reads")] == 0);
    savings_sm_destroy(f.sm);
    struct diags d;
    struct savings s;
    diags_init(&d);
    assert_int_equal(make("partition tric", 2, &d, &s), WW_ERROR_CONFIG);
    assert_int_equal(make("partition coma", 2, &d, &s), WW_ERROR_CONFIG);
    diags_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(figure_6_6), cmocka_unit_test(any_table),
                                       cmocka_unit_test(pilot), cmocka_unit_test(adaptive),
                                       cmocka_unit_test(near_threshold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
