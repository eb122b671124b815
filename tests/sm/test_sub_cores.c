// Sub-cores (sm.sub_cores): what they have of their own, and what they share. Expected differences
// of time are counted by hand from the intervals that stand here.
#include "test_rig.h"

enum { SUBS = 4, SFU_INTERVAL = 4, DP_INTERVAL = 3 };

// Four schedulers, lane groups and SFUs: those of one sub-core, or one for each of four.
static struct rig *machine(uint32_t sub_cores) {
    struct rig *g = rig_new();
    struct sm_config *c = &g->c;
    c->sub_cores = sub_cores;
    c->schedulers = c->lane_groups = c->sfus = c->dp_units = SUBS;
    c->timing[OPC_SFU_RCP] = (struct class_timing){.latency = 10, .interval = SFU_INTERVAL};
    return g;
}

// Of five warps the first and the last, both of sub-core 0 of four, do `n` SFU instructions each.
static uint64_t two_of_one(uint32_t sub_cores, uint32_t n) {
    struct rig *g = machine(sub_cores);
    g->args.block[0] = 5 * WARP_LANES;
    s2r(g, 1, SREG_tid_x);
    setp_lt(g, 0, 1, WARP_LANES);
    struct minst *first = bra(g, 0);
    setp_lt(g, 0, 1, 4 * WARP_LANES);
    struct minst *middle = bra(g, 0);
    first->guard = middle->guard = 0;
    first->target = first->reconv = (int32_t)g->n;
    for (uint32_t i = 0; i < n; i++) mufu(g, 2 + i % 16, 30);
    middle->target = middle->reconv = (int32_t)g->n;
    exit_(g);
    const uint64_t cycles = rig_run(g);
    rig_free(g);
    return cycles;
}

// Four more instructions of two warps are eight: in turn on the one SFU of their sub-core, or four
// at a time on four SFUs.
static void test_warps_keep_to_their_sub_core(void **state) {
    (void)state;
    assert_int_equal(two_of_one(SUBS, 68) - two_of_one(SUBS, 64), 8 * SFU_INTERVAL);
    assert_int_equal(two_of_one(1, 68) - two_of_one(1, 64), 8 * SFU_INTERVAL / 4);
}

// Four warps, each of a sub-core of its own, with `n` instructions each.
static uint64_t one_of_each(uint32_t n, bool is_store) {
    struct rig *g = machine(SUBS);
    g->args.block[0] = SUBS * WARP_LANES;
    g->im.shared_bytes = 4096;
    g->c.lsu_queue = 64;
    s2r(g, 1, SREG_laneid);
    emit(g, OP_SHL, OPC_INT_SHIFT, ITYPE_U32, R(2), R(1), IMM(2), NIL());
    for (uint32_t i = 0; i < n; i++) {
        if (is_store)
            store(g, SPACE_SHARED, 2, 1, 0);
        else
            iaddi(g, 3 + i % 16, 1, i);
    }
    exit_(g);
    const uint64_t cycles = rig_run(g);
    rig_free(g);
    return cycles;
}

// An INT pipeline each: eight more additions are eight cycles. One load/store unit for all: eight
// more stores of four warps are 32.
static void test_only_memory_is_shared(void **state) {
    (void)state;
    assert_int_equal(one_of_each(24, false) - one_of_each(16, false), 8);
    assert_int_equal(one_of_each(24, true) - one_of_each(16, true), SUBS * 8);
}

// `warps` warps, each of a sub-core of its own, with `n` stores to shared memory each, of which a
// sub-core hands over one in `interval` cycles.
static uint64_t handed_over(uint32_t warps, uint32_t n, uint32_t interval) {
    struct rig *g = machine(SUBS);
    g->args.block[0] = warps * WARP_LANES;
    g->im.shared_bytes = 4096;
    g->c.lsu_queue = 64;
    g->c.memory_interval = interval;
    g->c.memory_queue = 5;
    s2r(g, 1, SREG_laneid);
    emit(g, OP_SHL, OPC_INT_SHIFT, ITYPE_U32, R(2), R(1), IMM(2), NIL());
    for (uint32_t i = 0; i < n; i++) store(g, SPACE_SHARED, 2, 1, 0);
    exit_(g);
    const uint64_t cycles = rig_run(g);
    rig_free(g);
    return cycles;
}

// One sub-core alone: four cycles each. Four of them fill the shared stage, which takes one a cycle:
// as many cycles, and no sub-core holds up the others.
static void test_a_sub_core_hands_over_one_in_four_cycles(void **state) {
    (void)state;
    assert_int_equal(handed_over(1, 24, 1) - handed_over(1, 16, 1), 8);
    assert_int_equal(handed_over(1, 24, 4) - handed_over(1, 16, 4), 4 * 8);
    assert_int_equal(handed_over(SUBS, 24, 4) - handed_over(SUBS, 16, 4), SUBS * 8);
    assert_int_equal(handed_over(SUBS, 24, 8) - handed_over(SUBS, 16, 8), 8 * 8);
}

// Each sub-core has a quarter of the banks. Warps 0 and 4 are numbers 0 and 1 of sub-core 0: their
// register 0 lies in its first and second bank; warp 1's in the first of the next eight.
static void test_banks(void **state) {
    (void)state;
    struct rig *g = machine(SUBS);
    g->args.block[0] = 5 * WARP_LANES;
    movi(g, 0, 7);
    exit_(g);
    rig_run(g);
    const uint64_t *writes = &sm_activity(g->sm, g->done_at + 1)->c[ACT_rf_bank_writes];
    const uint32_t banks[] = {0, 8, 16, 24, 1};
    for (uint32_t b = 0; b < 32; b++) {
        uint64_t expected = 0;
        for (uint32_t i = 0; i < WW_COUNT(banks); i++) expected += banks[i] == b;
        assert_int_equal(writes[b], expected);
    }
    rig_free(g);
}

// Four warps, each of a sub-core of its own, with `n` additions of double precision each.
static uint64_t doubles(uint32_t dp_units, uint32_t n) {
    struct rig *g = machine(SUBS);
    g->args.block[0] = SUBS * WARP_LANES;
    g->c.dp_units = dp_units;
    g->c.timing[OPC_DP_ADD] = (struct class_timing){.latency = 10, .interval = DP_INTERVAL};
    for (uint32_t i = 0; i < n; i++) dadd(g, 2 * (i % 8), 20, 22);
    exit_(g);
    const uint64_t cycles = rig_run(g);
    assert_int_equal(act(g, ACT_dp_issues), SUBS * n);
    rig_free(g);
    return cycles;
}

// Eight more of each: side by side on units of their own, in turn on the one of all.
static void test_a_lone_dp_unit_is_shared(void **state) {
    (void)state;
    assert_int_equal(doubles(SUBS, 40) - doubles(SUBS, 32), 8 * DP_INTERVAL);
    assert_int_equal(doubles(1, 40) - doubles(1, 32), SUBS * 8 * DP_INTERVAL);
}

// Four CTAs of four warps, of which the first has `n` SFU instructions and the others none.
static uint64_t first_warps(uint32_t step, uint32_t n) {
    struct rig *g = machine(SUBS);
    g->c.sub_core_step = step;
    g->args.grid[0] = (uint32_t)(g->ctas = SUBS);
    g->args.block[0] = SUBS * WARP_LANES;
    s2r(g, 1, SREG_tid_x);
    setp_lt(g, 0, 1, WARP_LANES);
    struct minst *const others = bra(g, 0);
    others->guard = 0;
    others->guard_not = true;
    for (uint32_t i = 0; i < n; i++) mufu(g, 2 + i % 16, 30);
    others->target = others->reconv = (int32_t)g->n;
    exit_(g);
    const uint64_t cycles = rig_run(g);
    rig_free(g);
    return cycles;
}

// Four more instructions of four first warps are 16, all on one SFU; or four on each, when the first
// warps of CTAs lie one sub-core further on; or eight on each of two.
static void test_ctas_begin_further_on(void **state) {
    (void)state;
    assert_int_equal(first_warps(0, 68) - first_warps(0, 64), 16 * SFU_INTERVAL);
    assert_int_equal(first_warps(1, 68) - first_warps(1, 64), 4 * SFU_INTERVAL);
    assert_int_equal(first_warps(2, 68) - first_warps(2, 64), 8 * SFU_INTERVAL);
    assert_int_equal(first_warps(3, 68) - first_warps(3, 64), 4 * SFU_INTERVAL);
}

// What does not share out evenly is refused.
static void test_refused(void **state) {
    (void)state;
    struct rig *g = machine(SUBS);
    const struct {
        uint32_t *key, value;
    } bad[] = {{&g->c.sub_cores, 3},  {&g->c.sub_cores, 8},   {&g->c.schedulers, 2},
               {&g->c.max_warps, 46}, {&g->c.lane_groups, 2}, {&g->c.sfus, 1},
               {&g->c.dp_units, 2},   {&g->c.rf_banks, 30},   {&g->c.collectors, 6},
               {&g->c.result_bus, 1}, {&g->c.fetch_width, 1}};
    for (size_t i = 0; i < WW_COUNT(bad); i++) {
        const uint32_t good = *bad[i].key;
        *bad[i].key = bad[i].value;
        struct sm *sm = NULL;
        assert_int_equal(sm_create(&g->c, 0, g->port, &exec_computes, g->memory, NULL, &g->d, &sm),
                         WW_ERROR_CONFIG);
        *bad[i].key = good;
    }
    g->c.shared_warps = true;
    struct sm *sm = NULL;
    assert_int_equal(sm_create(&g->c, 0, g->port, &exec_computes, g->memory, NULL, &g->d, &sm),
                     WW_ERROR_CONFIG);
    g->c.shared_warps = false;
    exit_(g);
    rig_run(g);
    rig_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_warps_keep_to_their_sub_core),
        cmocka_unit_test(test_only_memory_is_shared),
        cmocka_unit_test(test_a_sub_core_hands_over_one_in_four_cycles),
        cmocka_unit_test(test_banks),
        cmocka_unit_test(test_ctas_begin_further_on),
        cmocka_unit_test(test_a_lone_dp_unit_is_shared),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
