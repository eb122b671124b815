// Register rows that are off, drowsy or on, on made-up schedules: expected states follow by hand
// from the cycles in the calls.
#include "activity/sm.h"
#include "test_view.h"

static void begin(struct fake *f, const char *words) {
    struct diags d;
    diags_init(&d);
    *f = (struct fake){0};
    assert_int_equal(make(words, 2, &d, &f->set), WW_OK);
    diags_free(&d);
    const struct sm_config c = {.lane_groups = 2, .sfus = 1, .schedulers = 2, .registers = 1024};
    f->sm = savings_sm_create(&f->set, &c);
    assert_non_null(f->sm);
    f->n = savings_sm_techniques(f->sm, f->p);
    if (f->p[0]->life) f->p[0]->life->work(f->p[0]->self, &f->v, true, 0);
}
// Counts up to cycle `now`, of an SM that has been busy since cycle 0.
static struct activity counts(struct fake *f, uint64_t now) {
    struct activity a = {.c = {0}};
    a.c[ACT_sm_busy_cycles] = now;
    for (uint32_t i = 0; i < f->n; i++) f->p[i]->count(f->p[i]->self, &f->v, &a, now);
    return a;
}
static void comes(struct fake *f, uint32_t w, uint32_t registers, uint64_t cycle) {
    const struct sm_warp_event e = {
        .comes = true, .warp = w, .registers = registers, .cycle = cycle};
    f->p[0]->life->warp(f->p[0]->self, &e);
}
static void goes(struct fake *f, uint32_t w, uint64_t freed, uint64_t cycle) {
    const struct sm_warp_event e = {.warp = w, .freed = freed, .cycle = cycle};
    f->p[0]->life->warp(f->p[0]->self, &e);
}
enum { NONE = 255 };
// An instruction of warp 0 that reads up to two registers, in cycles at_a and at_b, and writes one.
static uint32_t reads(struct fake *f, uint32_t a, uint64_t at_a, uint32_t b, uint64_t at_b,
                      uint32_t d, uint64_t first) {
    const uint8_t reg[2] = {(uint8_t)a, (uint8_t)b};
    const uint64_t at[2] = {at_a, at_b};
    const struct sm_row_access x = {.cycle = first,
                                    .n = (a != NONE) + (b != NONE),
                                    .reg = reg,
                                    .at = at,
                                    .lanes = UINT32_MAX,
                                    .n_dst = d != NONE,
                                    .dst_first = (uint8_t)d};
    return f->p[0]->rows->read(f->p[0]->self, &x);
}
static uint32_t writes(struct fake *f, uint32_t d, uint64_t at) {
    const uint8_t reg = (uint8_t)d;
    const struct sm_row_access x = {.cycle = at, .n = 1, .reg = &reg, .at = &at, .lanes = 1};
    return f->p[0]->rows->write(f->p[0]->self, &x);
}
static void states(struct fake *f, uint64_t now, uint64_t on, uint64_t waking, uint64_t drowsy,
                   uint64_t off) {
    const struct activity a = counts(f, now);
    assert_int_equal(a.c[act_number("row_on_cycles")], on);
    assert_int_equal(a.c[act_number("row_waking_cycles")], waking);
    assert_int_equal(a.c[act_number("row_drowsy_cycles")], drowsy);
    assert_int_equal(a.c[act_number("row_off_cycles")], off);
}

// 32 rows; warp 0 has 4 from cycle 10 on. An add of registers 0 and 1 into 2 could read in cycle
// 20; the signal comes in 19, the rows wake in 19 to 21 and are read in 22 and, behind another, 24.
static void one_instruction(void **state) {
    (void)state;
    struct fake f;
    begin(&f, "tric");
    comes(&f, 0, 4, 10);
    states(&f, 19, 0, 0, 4 * 9, 32 * 19 - 4 * 9);
    // planned in 20 and 24: the first row makes nothing late, since the second is
    assert_int_equal(reads(&f, 0, 20, 1, 24, 2, 20), 0);
    states(&f, 20, 0, 3, 4 * 10 - 3, 32 * 20 - 4 * 10); // all three wake
    states(&f, 22, 0, 9, 4 * 12 - 9, 32 * 22 - 4 * 12);
    states(&f, 23, 3, 9, 4 * 13 - 12, 32 * 23 - 4 * 13);  // all on in 22
    states(&f, 24, 5, 9, 4 * 14 - 14, 32 * 24 - 4 * 14);  // in 23 register 0 is drowsy again
    states(&f, 25, 7, 9, 4 * 15 - 16, 32 * 25 - 4 * 15);  // 1 is read in 24
    states(&f, 30, 12, 9, 4 * 20 - 21, 32 * 30 - 4 * 20); // 2 waits for its result
    assert_int_equal(writes(&f, 2, 30), 0);
    states(&f, 40, 13, 9, 4 * 30 - 22, 32 * 40 - 4 * 30);
    struct activity a = counts(&f, 40);
    assert_int_equal(a.c[act_number("row_wakes")], 3);
    assert_int_equal(a.c[act_number("row_charges")], 4);
    assert_int_equal(a.c[act_number("row_wait_cycles")], 0);
    // The warp exits in cycle 40, the last of its CTA (warp 1 never had a register) in 50.
    goes(&f, 0, 0, 40);
    goes(&f, 1, 3, 50);
    states(&f, 60, 13, 9, 4 * 41 - 22, 32 * 60 - 4 * 41);
    savings_sm_destroy(f.sm);
}

// Wakeup latency, what is hidden of it, and look-ahead: the wait of a read planned for cycle 20.
static void waits(void **state) {
    (void)state;
    static const struct {
        const char *words;
        uint32_t wait, waking;
    } row[] = {{"tric row_wakeup=0", 0, 0},
               {"tric row_wakeup=1", 0, 1},
               {"tric row_wakeup=2", 1, 2},
               {"tric row_wakeup=3", 2, 3},
               {"tric row_wakeup=7", 6, 7},
               {"tric row_wakeup=3 row_hidden=0", 3, 3},
               {"tric row_wakeup=3 row_hidden=5", 0, 3},
               {"tric row_wakeup=3 row_ahead=1", 1, 3},
               {"tric row_wakeup=3 row_ahead=2", 0, 3},
               {"tric row_wakeup=3 row_ahead=9", 0, 3}};
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        struct fake f;
        begin(&f, row[i].words);
        comes(&f, 0, 8, 1);
        assert_int_equal(reads(&f, 5, 20, NONE, 0, NONE, 20), row[i].wait);
        const struct activity a = counts(&f, 100);
        assert_int_equal(a.c[act_number("row_waking_cycles")], row[i].waking);
        assert_int_equal(a.c[act_number("row_wait_cycles")], row[i].wait);
        // on from the end of the wakeup to the read: more if it was awake early
        const uint64_t ahead = row[i].waking == 3 && i == 6 ? 3 : i == 9 ? 8 : 1;
        assert_int_equal(a.c[act_number("row_on_cycles")], i == 0 ? 2 : ahead);
        savings_sm_destroy(f.sm);
    }
}

// A row that is on stays on; one that wakes for another instruction is waited for no longer than it
// takes; one that was read is drowsy in the next cycle.
static void again(void **state) {
    (void)state;
    struct fake f;
    begin(&f, "tric");
    comes(&f, 0, 4, 1);
    assert_int_equal(reads(&f, 0, 20, NONE, 0, 1, 20), 2);    // 0 wakes 19 to 21, read in 22
    assert_int_equal(reads(&f, 0, 21, NONE, 0, NONE, 21), 1); // the same row, a cycle later
    assert_int_equal(reads(&f, 0, 22, NONE, 0, NONE, 22), 0);
    assert_int_equal(reads(&f, 0, 24, NONE, 0, NONE, 24), 0); // signal in 23, when it would fall
    struct activity a = counts(&f, 30);
    assert_int_equal(a.c[act_number("row_wakes")], 2);                  // 0 and 1
    assert_int_equal(a.c[act_number("row_on_cycles")], 3 + (30 - 22));  // 0 in 22 to 24, 1 from 22 on
    assert_int_equal(reads(&f, 0, 27, NONE, 0, NONE, 27), 2); // drowsy in 25: wakes 26 to 28
    a = counts(&f, 40);
    assert_int_equal(a.c[act_number("row_wakes")], 3);
    assert_int_equal(a.c[act_number("row_waking_cycles")], 9);
    // register 1 is read once its result is there: it is on up to and with the write
    assert_int_equal(writes(&f, 1, 40), 0);
    assert_int_equal(reads(&f, 1, 42, NONE, 0, NONE, 42), 0);
    a = counts(&f, 50);
    assert_int_equal(a.c[act_number("row_on_cycles")], 3 + 1 + (43 - 22));
    // a result that comes sooner than its row wakes is late
    assert_int_equal(reads(&f, NONE, 0, NONE, 0, 3, 60), 0);
    assert_int_equal(writes(&f, 3, 60), 2); // awake in 62
    savings_sm_destroy(f.sm);
}

// Slots change hands: rows off in between, or on for a read that outlasts their warp, and none of
// it while the SM pauses.
static void hands(void **state) {
    (void)state;
    struct fake f;
    begin(&f, "tric");
    comes(&f, 0, 4, 1);
    assert_int_equal(reads(&f, 0, 20, 1, 35, NONE, 20), 0); // the bank is busy up to 34
    goes(&f, 0, 1, 24);
    comes(&f, 0, 2, 30); // both rows again: one off from 25 on, the other still on
    struct activity a = counts(&f, 50);
    assert_int_equal(a.c[act_number("row_charges")], 4 + 1);
    // 0: 1 to 24, from 30 on; 1: from 1 on; 2 and 3: 1 to 24
    const uint64_t allocated = 24 + 20 + 49 + 24 + 24;
    assert_int_equal(a.c[act_number("row_on_cycles")] + a.c[act_number("row_waking_cycles")] +
                         a.c[act_number("row_drowsy_cycles")],
                     allocated);
    assert_int_equal(a.c[act_number("row_on_cycles")], 1 + (36 - 22));
    assert_int_equal(reads(&f, 0, 60, NONE, 0, NONE, 60), 2);
    assert_int_equal(reads(&f, 1, 70, NONE, 0, NONE, 60), 0);
    goes(&f, 0, 1, 64); // the SM has no work any more; 1 is read in cycle 70
    a = counts(&f, 65);
    const uint64_t before = a.c[act_number("row_on_cycles")], off = a.c[act_number("row_off_cycles")];
    assert_int_equal(a.c[act_number("row_drowsy_cycles")] + before + a.c[act_number("row_waking_cycles")] + off,
                     32 * 65);
    f.p[0]->life->work(f.p[0]->self, &f.v, false, 65);
    a = counts(&f, 65);
    assert_int_equal(a.c[act_number("row_on_cycles")], before);
    assert_int_equal(a.c[act_number("row_off_cycles")], off);
    struct activity later = {.c = {0}};
    later.c[ACT_sm_busy_cycles] = 65;
    f.p[0]->count(f.p[0]->self, &f.v, &later, 1000);
    assert_int_equal(later.c[act_number("row_on_cycles")], before);
    assert_int_equal(later.c[act_number("row_off_cycles")], off);
    savings_sm_destroy(f.sm);
}

// Masks: three rows of a warp with five lanes that execute, and its result.
static void masks(void **state) {
    (void)state;
    struct fake f;
    begin(&f, "coma");
    const uint8_t reg[3] = {1, 2, 3};
    const uint64_t at[3] = {5, 6, 7};
    struct sm_row_access x = {.cycle = 5, .n = 3, .reg = reg, .at = at, .lanes = 0x8000000f};
    assert_int_equal(f.p[0]->rows->read(f.p[0]->self, &x), 0);
    x.n = 1;
    assert_int_equal(f.p[0]->rows->write(f.p[0]->self, &x), 0);
    x.lanes = 0;
    assert_int_equal(f.p[0]->rows->write(f.p[0]->self, &x), 0);
    const struct activity a = counts(&f, 50);
    assert_int_equal(a.c[act_number("rf_read_lanes_spared")], 3 * 27);
    assert_int_equal(a.c[act_number("rf_write_lanes_spared")], 27 + 32);
    assert_int_equal(a.c[act_number("rf_divided_reads")], 3);
    assert_int_equal(a.c[act_number("rf_divided_writes")], 2);
    assert_int_equal(a.c[act_number("mask_table_writes")], 1);
    assert_int_equal(a.c[act_number("mask_table_reads")], 5);
    assert_int_equal(a.c[act_number("divided_cycles")], 50);
    savings_sm_destroy(f.sm);
}

// The same by arrays of four lanes, of one, and of all: lanes 0 to 3 and 31 are in two arrays of
// eight, in five of 32, in one of one.
static void arrays_of(uint32_t lanes, uint32_t quiet) {
    struct fake f;
    begin(&f, "coma coma=arrays");
    savings_sm_destroy(f.sm);
    const struct sm_config c = {
        .lane_groups = 2, .sfus = 1, .schedulers = 2, .rf_array_lanes = lanes};
    f.sm = savings_sm_create(&f.set, &c);
    f.n = savings_sm_techniques(f.sm, f.p);
    const uint8_t reg[3] = {1, 2, 3};
    const uint64_t at[3] = {5, 6, 7};
    struct sm_row_access x = {.cycle = 5, .n = 3, .reg = reg, .at = at, .lanes = 0x8000000f};
    assert_int_equal(f.p[0]->rows->read(f.p[0]->self, &x), 0);
    x.n = 1;
    x.lanes = 0;
    assert_int_equal(f.p[0]->rows->write(f.p[0]->self, &x), 0);
    const struct activity a = counts(&f, 50);
    assert_int_equal(a.c[act_number("rf_read_arrays_spared")], 3 * quiet);
    assert_int_equal(a.c[act_number("rf_write_arrays_spared")], 32 / lanes);
    assert_int_equal(a.c[act_number("mask_table_reads")], 4);
    assert_int_equal(a.c[act_number("masked_array_cycles")], 50);
    assert_int_equal(a.c[act_number("rf_read_lanes_spared")], 0);
    assert_int_equal(a.c[act_number("divided_cycles")], 0);
    savings_sm_destroy(f.sm);
}
static void arrays(void **state) {
    (void)state;
    arrays_of(4, 6);
    arrays_of(1, 27);
    arrays_of(32, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_instruction), cmocka_unit_test(waits),
                                       cmocka_unit_test(again),           cmocka_unit_test(hands),
                                       cmocka_unit_test(masks),           cmocka_unit_test(arrays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
