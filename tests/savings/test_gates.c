// GATES' order of issue: figure 4 of the paper as drawn, priority switches, and what does not go
// together.
#include "test_view.h"

// ---- figure 4 ----------------------------------------------------------------------------------
// Twelve warps with one addition each, in the order INT INT FP INT FP INT INT INT INT FP FP INT;
// one issues a cycle from cycle 1 on; four cycles in its pipeline. The scheduler takes the foremost
// warp that the technique leaves it.
static const char order[] = "IIFIFIIIIFFI";
static void issue_all(bool with_gates, uint32_t at_cycle[12]) {
    struct fake f;
    fake_make(&f, with_gates ? "gates" : "", 2);
    uint64_t ready = (1u << 12) - 1;
    for (uint32_t i = 0; i < 12; i++) f.v.needs[order[i] == 'I' ? UNIT_INT : UNIT_FP] |= 1u << i;
    for (uint64_t t = 1; ready != 0; t++) {
        f.v.active = f.v.decoded = f.v.resident = ready;
        fake_cycle(&f, t);
        const uint64_t from = fake_preferred(&f, 0, ready);
        assert_true(from != 0 && (from & ~ready) == 0);
        const uint32_t w = bits_first64(from);
        at_cycle[w] = (uint32_t)t;
        ready &= ~(1ull << w);
        for (uint32_t u = 0; u < UNIT_N; u++) f.v.needs[u] &= ready;
    }
    savings_sm_destroy(f.sm);
}
// Lengths of the idle periods of a type's pipeline in cycles 1..15, as "2 1 1".
static void idle_of(char type, const uint32_t at_cycle[12], char *text) {
    bool busy[16] = {false};
    for (uint32_t i = 0; i < 12; i++)
        for (uint32_t t = at_cycle[i]; order[i] == type && t < at_cycle[i] + 4 && t < 16; t++)
            busy[t] = true;
    char *p = text;
    *p = 0;
    for (uint32_t t = 1, n = 0; t < 17; t++) {
        if (t < 16 && !busy[t]) n++;
        else if (n != 0) p += sprintf(p, "%s%u", p == text ? "" : " ", n), n = 0;
    }
}
static void figure_4(void **state) {
    (void)state;
    uint32_t at_cycle[12];
    char text[64];
    issue_all(false, at_cycle);
    idle_of('F', at_cycle, text);
    assert_string_equal(text, "2 1 1"); // "three idle periods of two, one, and one cycle(s)"
    issue_all(true, at_cycle);
    idle_of('I', at_cycle, text);
    assert_string_equal(text, "4"); // "the INT pipeline now has four consecutive idle cycles"
    idle_of('F', at_cycle, text);
    assert_string_equal(text, "8"); // "the FP pipeline has eight consecutive idle cycles"
}

// ---- order and switches ------------------------------------------------------------------------
static void set(struct fake *f, uint64_t i, uint64_t fp, uint64_t ldst, uint64_t sfu) {
    f->v.needs[UNIT_INT] = i;
    f->v.needs[UNIT_FP] = fp;
    f->v.needs[UNIT_LDST] = ldst;
    f->v.needs[UNIT_SFU] = sfu;
    f->v.active = f->v.decoded = i | fp | ldst | sfu;
}
static uint64_t prefer(struct fake *f, uint64_t ready) { return fake_preferred(f, 0, ready); }
static void types_in_order(void **state) {
    (void)state;
    struct fake f;
    fake_make(&f, "gates", 2);
    set(&f, 1, 2, 4, 8);
    fake_cycle(&f, 1);
    assert_int_equal(prefer(&f, 15), 1);
    assert_int_equal(prefer(&f, 14), 4);
    assert_int_equal(prefer(&f, 10), 8);
    assert_int_equal(prefer(&f, 2), 2);
    // INT is active, though not ready: FP stays last
    fake_cycle(&f, 2);
    assert_int_equal(prefer(&f, 6), 4);
    set(&f, 0, 2, 4, 8); // no INT is active: FP first, INT last
    fake_cycle(&f, 3);
    assert_int_equal(prefer(&f, 14), 2);
    set(&f, 1, 2, 4, 8);
    fake_cycle(&f, 4); // and it stays so while FP is active
    assert_int_equal(prefer(&f, 15), 2);
    assert_int_equal(prefer(&f, 13), 4);
    assert_int_equal(prefer(&f, 1), 1);
    f.v.wait_long = 2; // a warp that waits for memory has left the active set
    fake_cycle(&f, 5);
    assert_int_equal(prefer(&f, 13), 1);
    const struct activity a = fake_count(&f, 6);
    assert_int_equal(a.c[act_number("gates_switches")], 2);
    savings_sm_destroy(f.sm);
}
// With active_waits a warp that waits for memory holds its type's place and its type's last
// lane group.
static void waiting_counts(void **state) {
    (void)state;
    for (uint32_t counts = 0; counts < 2; counts++) {
        struct fake f;
        fake_make(&f, "gates coordinated-blackout", 2);
        set(&f, 1, 2, 0, 0); // an INT warp that waits for memory, an FP warp
        f.v.resident = 3;
        f.v.active = counts ? 3 : 2;
        f.v.active_waits = counts;
        f.v.wait_long = 1;
        fake_cycle(&f, 1);
        assert_int_equal(prefer(&f, 2 | 1), counts ? 1 : 2);
        for (uint64_t t = 2; t < 9; t++) {
            fake_end_of_cycle(&f);
            fake_cycle(&f, t);
        }
        assert_false(fake_on(&f, SM_PIPE_INT + 1));
        assert_int_equal(fake_on(&f, SM_PIPE_INT), counts);
        savings_sm_destroy(f.sm);
    }
}
static void longest_time(void **state) {
    (void)state;
    struct fake f;
    fake_make(&f, "gates max_switch=100", 2);
    set(&f, 1, 2, 0, 0);
    fake_cycle(&f, 99);
    assert_int_equal(prefer(&f, 3), 1);
    fake_cycle(&f, 100);
    assert_int_equal(prefer(&f, 3), 2);
    fake_cycle(&f, 199);
    assert_int_equal(prefer(&f, 3), 2);
    fake_cycle(&f, 200);
    assert_int_equal(prefer(&f, 3), 1);
    savings_sm_destroy(f.sm);
}
// Who owns the order, two schedulers. Warps 0 and 1 (INT, FP) are the first's, 2 and 3 (INT, FP) the
// second's, or all are both's. INT is first at the start; then the first scheduler's INT warp goes,
// then both INT warps. `first`: the warps that each scheduler may choose in the three cases.
static void owners(void **state) {
    (void)state;
    static const struct { const char *words; uint32_t is_shared, first[3][2], switches; } row[] = {
        {"gates", 0, {{1, 4}, {2, 4}, {2, 8}}, 1},
        {"gates", 1, {{5, 5}, {4, 4}, {10, 10}}, 1},
        {"gates priority=sm-opposed", 0, {{1, 8}, {2, 8}, {2, 8}}, 1},
        {"gates priority=sm-opposed", 1, {{5, 10}, {4, 10}, {10, 10}}, 1},
        {"gates priority=schedulers", 0, {{1, 4}, {2, 4}, {2, 8}}, 2},
        {"gates priority=schedulers", 1, {{5, 5}, {4, 4}, {10, 10}}, 2},
        {"gates priority=schedulers-opposed", 0, {{1, 8}, {2, 8}, {2, 8}}, 1},
        {"gates priority=schedulers-opposed", 1, {{5, 10}, {4, 10}, {10, 10}}, 1},
    };
    for (uint32_t i = 0; i < WW_COUNT(row); i++) {
        struct fake f;
        fake_make(&f, row[i].words, 2);
        f.v.mine[0] = row[i].is_shared ? 15 : 3;
        f.v.mine[1] = row[i].is_shared ? 15 : 12;
        static const uint64_t ints[] = {1 | 4, 4, 0};
        for (uint32_t k = 0; k < 3; k++) {
            set(&f, ints[k], 2 | 8, 0, 0);
            fake_cycle(&f, 1 + k);
            for (uint32_t sc = 0; sc < 2; sc++)
                assert_int_equal(fake_preferred(&f, sc, (ints[k] | 10) & f.v.mine[sc]),
                                 row[i].first[k][sc]);
        }
        assert_int_equal(fake_count(&f, 4).c[act_number("gates_switches")], row[i].switches);
        savings_sm_destroy(f.sm);
    }
    // With orders of their own and a shared set both schedulers agree for good once a type has run
    // out; opposed ones of the SM never do.
    static const char *const words[] = {"gates priority=sm-opposed",
                                        "gates priority=schedulers-opposed"};
    for (uint32_t i = 0; i < 2; i++) {
        struct fake f;
        fake_make(&f, words[i], 2);
        f.v.mine[0] = f.v.mine[1] = 15;
        set(&f, 0, 10, 0, 0);
        fake_cycle(&f, 1);
        set(&f, 5, 10, 0, 0);
        fake_cycle(&f, 2);
        assert_int_equal(fake_preferred(&f, 0, 15), 10);
        assert_int_equal(fake_preferred(&f, 1, 15), i == 0 ? 5 : 10);
        savings_sm_destroy(f.sm);
    }
}
// Both INT lane groups go dark in 5 (no warp is active); an INT and an FP warp come in 8; FP is
// first because INT is dark, until the blackout is over and FP has left.
static void both_dark(void **state) {
    (void)state;
    struct fake f;
    fake_make(&f, "gates coordinated-blackout", 2);
    f.v.pipe[SM_PIPE_FP].busy_until = f.v.pipe[SM_PIPE_FP + 1].busy_until = 10;
    fake_cycle(&f, 6);
    fake_end_of_cycle(&f);
    assert_false(fake_on(&f, SM_PIPE_INT) || fake_on(&f, SM_PIPE_INT + 1));
    set(&f, 1, 2, 0, 0);
    fake_cycle(&f, 8);
    assert_int_equal(prefer(&f, 3), 2);
    set(&f, 1, 0, 0, 0);
    fake_cycle(&f, 9);
    assert_int_equal(prefer(&f, 1), 1);
    savings_sm_destroy(f.sm);
}

// ---- what does not go together -----------------------------------------------------------------
static void refusals(void **state) {
    (void)state;
    static const struct { const char *words; uint32_t lane_groups; const char *sentence;
    } row[] = {
        {"conv-pg naive-blackout", 2,
         "conv-pg, naive-blackout do not go together: each decides alone when a unit goes off and "
         "when it may wake"},
        {"gates naive-blackout coordinated-blackout", 2,
         "naive-blackout, coordinated-blackout do not go together"},
        {"coordinated-blackout", 1, "needs two lane groups of INT and FP pipelines, the GPU has 1"},
        {"conv-pg adaptive-idle-detect", 2,
         "adaptive-idle-detect needs naive-blackout or coordinated-blackout"},
        {"conv-pgs", 2, "there is no mechanism conv-pgs; did you mean conv-pg?"},
        {"gates break_even=9", 2,
         "break_even is an option of conv-pg, naive-blackout, coordinated-blackout, lane-pg, and "
         "no such mechanism was chosen"},
        {"conv-pg brake_even=9", 2, "there is no option brake_even; did you mean break_even?"},
        {"conv-pg break_even=0", 2,
         "break_even must be a whole number from 1 to 100000 cycles, not '0'"},
        {"conv-pg break_even=x", 2, "break_even must be a whole number"},
        {"conv-pg gate_int=0 gate_fp=0", 2, "nothing is left to gate"},
        {"naive-blackout adaptive-idle-detect idle_detect=4", 2,
         "idle_detect is 4, but adaptive-idle-detect keeps it from 5 to 10"},
        {"naive-blackout adaptive-idle-detect idle_detect_min=11", 2,
         "idle_detect_min is 11, more than idle_detect_max 10"},
    };
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        struct diags d;
        struct savings s = {0};
        diags_init(&d);
        assert_int_equal(make(row[i].words, row[i].lane_groups, &d, &s), WW_ERROR_CONFIG);
        char text[512];
        diags_first(&d, text, sizeof text);
        if (strstr(text, row[i].sentence) == NULL) fail_msg("%s: said '%s'", row[i].words, text);
        assert_int_equal(d.errors, 1);
        assert_int_equal(s.mechanisms, 0);
        diags_free(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_4),     cmocka_unit_test(types_in_order),
        cmocka_unit_test(longest_time), cmocka_unit_test(waiting_counts),
        cmocka_unit_test(owners), cmocka_unit_test(both_dark),    cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
