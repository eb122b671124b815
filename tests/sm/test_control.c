// An SM without a scoreboard: stall counts and dependence counters make a warp wait exactly as long
// as the configuration says, and the operand cache saves what it should. Differences of whole
// programs, so that their beginning and end do not count.
#include "test_rig.h"

enum { READ = 2, WRITE = 1, ADD = 3, SFU = 9, DP = 6, LATE = 14 };

static struct rig *machine(void) {
    struct rig *g = rig_new();
    g->c.dependences = SM_CONTROL;
    g->c.scheduler = SCHED_GTY;
    g->c.read_latency = READ;
    g->c.write_latency = WRITE;
    g->c.late_read = LATE;
    g->c.timing[OPC_FP_ADD].latency = g->c.timing[OPC_INT_ADD].latency = ADD;
    g->c.timing[OPC_MOV].latency = g->c.timing[OPC_FP_FMA].latency = ADD;
    g->c.timing[OPC_SFU_RCP].latency = SFU;
    g->c.timing[OPC_DP_ADD].latency = DP;
    return g;
}

enum kind { ADDS, MUFUS, DOUBLES, LONG_DOUBLES, LONE_DOUBLES };
static uint64_t chain(enum kind kind, uint32_t n) {
    struct rig *g = machine();
    if (kind == LONG_DOUBLES) g->c.timing[OPC_DP_ADD].latency = 40;
    if (kind == LONE_DOUBLES) {
        g->c.sub_cores = g->c.schedulers = g->c.lane_groups = g->c.sfus = 2;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (kind == ADDS)
            fadd(g, 2, 2, 3);
        else if (kind == MUFUS)
            mufu(g, 2, 2);
        else
            dadd(g, 2, 2, 4);
    }
    exit_(g);
    const uint64_t cycles = rig_run(g);
    // Through a counter: special functions, a unit that sub-cores share, what a stall cannot say.
    const bool counts = kind != ADDS && kind != DOUBLES;
    assert_int_equal(g->im.control[0].write != CONTROL_NONE, counts);
    assert_int_equal(act(g, ACT_issue_slots + STALL_counter) != 0, counts);
    assert_int_equal(act(g, ACT_scoreboard_reads) + act(g, ACT_scoreboard_writes), 0);
    rig_free(g);
    return cycles;
}

static void dependent_instructions_wait_their_latency(void **state) {
    (void)state;
    static const uint32_t each[] = {READ + ADD + WRITE, READ + SFU + WRITE, READ + DP + WRITE,
                                    READ + 40 + WRITE, READ + DP + WRITE};
    for (enum kind k = ADDS; k <= LONE_DOUBLES; k++)
        assert_int_equal(chain(k, 30) - chain(k, 20), 10 * each[k]);
}

static void keep_nothing(struct rig *g) {
    for (uint32_t pc = 0; pc < g->n; pc++) g->im.control[pc].reuse = 0;
}

// A pipeline that takes an instruction every `interval` cycles: the warp's next one stalls for it,
// and the cycles count for the result that the last one needs.
static uint64_t pairs(uint32_t n, uint32_t interval) {
    struct rig *g = machine();
    for (uint32_t k = 0; k < OPC_N; k++) g->c.timing[k].interval = interval;
    for (uint32_t i = 0; i < n; i++) {
        fadd(g, 2, 2, 3);
        fadd(g, 4, 5, 3);
    }
    exit_(g);
    const uint64_t cycles = rig_run(g);
    assert_int_equal(g->im.control[0].stall, interval);
    assert_int_equal(g->im.control[1].stall, READ + ADD + WRITE - interval);
    assert_int_equal(act(g, ACT_issue_slots + STALL_unit_busy), 0);
    rig_free(g);
    return cycles;
}
static void a_pipeline_s_cycles_are_stalls(void **state) {
    (void)state;
    for (uint32_t interval = 1; interval <= 3; interval++)
        assert_int_equal(pairs(30, interval) - pairs(20, interval), 10 * (READ + ADD + WRITE));
}

// A buffer of three instructions, a fetch of one, which is there three cycles later.
static uint64_t straight(uint32_t n, bool streams) {
    struct rig *g = machine();
    g->c.fetch_width = g->c.fetch_instructions = 1;
    g->c.ibuffer_entries = 3;
    g->c.decode_latency = 2;
    g->c.icache.hit_latency = 1;
    g->c.fetch_streams = streams;
    for (uint32_t i = 0; i < n; i++) fadd(g, 2 + i % 16, 20, 21);
    exit_(g);
    const uint64_t cycles = rig_run(g);
    rig_free(g);
    return cycles;
}
static void a_warp_s_fetches_follow_each_other(void **state) {
    (void)state;
    assert_int_equal(straight(60, true) - straight(40, true), 20);
    assert_int_equal(straight(60, false) - straight(40, false), 20 * 3);
}

// Matrix instructions, two cycles apart, of three pairs of registers: as many as the banks give in
// two cycles.
static uint64_t matrices(uint32_t n, uint32_t read_cycles) {
    struct rig *g = machine();
    g->c.tensor_units = 1;
    g->c.tensor_read_cycles = read_cycles;
    g->c.rf_banks = 2;
    g->c.collector_ports = 2;
    g->c.timing[OPC_MMA_884_F32] = (struct class_timing){.latency = 7, .interval = 2};
    g->change_control = keep_nothing;
    for (uint32_t i = 0; i < n; i++)
        emit(g, OP_HMMA_884, OPC_MMA_884_F32, ITYPE_F32, RR(2, 2), RR(4, 2), RR(6, 2), RR(2, 2));
    exit_(g);
    const uint64_t cycles = rig_run(g);
    rig_free(g);
    return cycles;
}
static void matrix_instructions_read_for_two_cycles(void **state) {
    (void)state;
    assert_int_equal(matrices(30, 2) - matrices(20, 2), 10 * (READ + 7 + WRITE));
    assert_int_equal(matrices(30, 1) - matrices(20, 1), 10 * (READ + 7 + WRITE + 1));
}

// Products of doubles of 16x8x16 read 32 rows, more than an instruction's record has: all count, in
// banks and reads. Four banks of one port give four rows a cycle, and take four of the eight results.
static uint64_t products_of_doubles(uint32_t n, uint32_t vec, uint64_t *reads) {
    struct rig *g = machine();
    g->im.n_regs = 64;
    g->c.tensor_units = 1;
    g->c.rf_banks = 4;
    g->c.collector_ports = 1;
    for (uint32_t k = OPC_MMA_1684_F64; k <= OPC_MMA_16816_F64; k++)
        g->c.timing[k] = (struct class_timing){.latency = 30, .interval = 16};
    g->change_control = keep_nothing;
    for (uint32_t i = 0; i < n; i++)
        emit(g, OP_DMMA_16, OPC_MMA_16816_F64, ITYPE_F64, RR(8, 8), RR(16, (uint8_t)(4 * vec)),
             RR(32, (uint8_t)(2 * vec)), RR(8, 8))
            ->vec = (uint8_t)vec;
    exit_(g);
    const uint64_t cycles = rig_run(g);
    *reads = act(g, ACT_rf_reads);
    uint64_t by_bank = 0;
    for (uint32_t b = 0; b < 4; b++) by_bank += act(g, ACT_rf_bank_reads + b);
    assert_int_equal(by_bank, *reads);
    assert_int_equal(act(g, ACT_collector_moves), *reads);
    assert_int_equal(act(g, ACT_rf_read_lanes), WARP_LANES * *reads);
    assert_int_equal(act(g, ACT_rf_writes), 8 * n);
    rig_free(g);
    return cycles;
}
static void rows_beyond_the_record_are_read(void **state) {
    (void)state;
    static const uint32_t rows[] = {8 + 4 + 2, 8 + 8 + 4, 8 + 16 + 8}; // of k 4, 8 and 16
    for (uint32_t i = 0; i < WW_COUNT(rows); i++) {
        uint64_t few, more;
        const uint64_t t = products_of_doubles(20, 1u << i, &few);
        const uint32_t each = READ + (rows[i] + 3) / 4 - 1 + 30 + WRITE + 8 / 4 - 1;
        assert_int_equal(products_of_doubles(30, 1u << i, &more) - t, 10 * each);
        assert_int_equal(few, 20 * rows[i]);
        assert_int_equal(more, 30 * rows[i]);
    }
}

// A store's value is overwritten by the next instruction, or is not.
static uint64_t after_store(bool overwrites) {
    struct rig *g = machine();
    address(g, 1);
    movi(g, 2, 5);
    store(g, SPACE_GLOBAL, 1, 2, 0);
    movi(g, overwrites ? 2 : 3, 6);
    exit_(g);
    const uint64_t cycles = rig_run(g);
    assert_int_equal(g->im.control[2].read != CONTROL_NONE, overwrites);
    assert_int_equal(g->im.control[2].write, CONTROL_NONE);
    rig_free(g);
    return cycles;
}
static void operands_that_are_read_late_are_waited_for(void **state) {
    (void)state;
    assert_int_equal(after_store(true) - after_store(false), LATE - 1);
}

// Multiply-adds of three registers of one bank of two, which serves two rows a cycle. The sum of
// each is the next one's operand.
static uint64_t products(uint32_t n, bool keeps, uint64_t *hits, uint64_t *conflicts) {
    struct rig *g = machine();
    g->c.rf_banks = 2;
    g->c.collector_ports = 2;
    if (!keeps) g->change_control = keep_nothing;
    for (uint32_t i = 0; i < n; i++)
        emit(g, OP_FFMA, OPC_FP_FMA, ITYPE_F32, R(6), R(2), R(4), R(6))->rnd = MRND_RN;
    exit_(g);
    const uint64_t cycles = rig_run(g);
    *hits = act(g, ACT_reuse_hits);
    *conflicts = act(g, ACT_rf_bank_conflicts);
    assert_int_equal(act(g, ACT_rf_reads), 3 * n - *hits);
    assert_int_equal(act(g, ACT_rf_bank_reads) + act(g, ACT_rf_bank_reads + 1), 3 * n - *hits);
    rig_free(g);
    return cycles;
}
static void kept_operands_save_a_conflict(void **state) {
    (void)state;
    enum { EACH = READ + ADD + WRITE };
    uint64_t hits, conflicts;
    // Without the cache the third row comes a cycle later, and the warp waits for it.
    const uint64_t plain = products(20, false, &hits, &conflicts);
    assert_int_equal(hits, 0);
    assert_int_equal(conflicts, 20);
    assert_int_equal(products(30, false, &hits, &conflicts) - plain, 10 * (EACH + 1));
    // With it all but the first find two of three operands.
    const uint64_t kept = products(20, true, &hits, &conflicts);
    assert_int_equal(hits, 2 * 19);
    assert_int_equal(conflicts, 1);
    assert_int_equal(products(30, true, &hits, &conflicts) - kept, 10 * EACH);
}

// A conflict stops the issue stage: the other warp, which is ready, issues a cycle later too.
static void a_conflict_holds_the_issue_stage(void **state) {
    (void)state;
    uint64_t slots[2];
    for (uint32_t banks = 0; banks < 2; banks++) {
        struct rig *g = machine();
        g->c.rf_banks = banks == 0 ? 2 : 32;
        g->c.collector_ports = 2;
        g->args.block[0] = 2 * WARP_LANES;
        for (uint32_t i = 0; i < 10; i++) // no two after one another share an operand
            emit(g, OP_FFMA, OPC_FP_FMA, ITYPE_F32, R(24), R(2 + 6 * (i % 3)), R(4 + 6 * (i % 3)),
                 R(6 + 6 * (i % 3)))
                ->rnd = MRND_RN;
        exit_(g);
        rig_run(g);
        slots[banks] = act(g, ACT_issue_slots + STALL_operands);
        rig_free(g);
    }
    assert_true(slots[0] > 0);
    assert_int_equal(slots[1], 0);
}

// Three warps of two CTAs: the last CTA's warp goes first, then the highest number, and each goes
// on as long as it is ready.
struct order {
    uint32_t n, warp[64];
};
static void hear(void *self, const struct sm_view *v, const struct sm_issue *i) {
    (void)v;
    struct order *const o = self;
    if (o->n < WW_COUNT(o->warp)) o->warp[o->n++] = i->warp;
}
static void greedy_then_youngest(void **state) {
    (void)state;
    struct rig *g = machine();
    struct order o = {0};
    static const struct sm_issue_port port = {.issued = hear};
    const struct sm_technique p = {.name = "order", .self = &o, .issue = &port};
    g->technique[g->n_techniques++] = &p;
    g->args.block[0] = 2 * WARP_LANES;
    g->ctas = 2;
    for (uint32_t i = 0; i < 3; i++) movi(g, i, i); // independent: a stall of one
    exit_(g);
    rig_run(g);
    // All are decoded in the same cycle or two; whoever begins stays for all its four instructions.
    assert_int_equal(o.n, 4 * 4);
    for (uint32_t i = 0; i < o.n; i++) assert_int_equal(o.warp[i], o.warp[i / 4 * 4]);
    // Of those that are left the youngest: CTA 1 (warps 2, 3) before CTA 0.
    uint32_t order[4];
    for (uint32_t i = 0; i < 4; i++) order[i] = o.warp[4 * i];
    for (uint32_t i = 2; i < 4; i++) assert_true(order[i] < order[i - 1]);
    rig_free(g);
}

// More loads in flight on a counter than it can count: the next one waits.
static void one_counter_for_all(struct rig *g) { // as a careless compiler would
    for (uint32_t pc = 1; pc + 1 < g->n; pc++)
        g->im.control[pc] = (struct code_control){.stall = 1, .write = 0, .read = CONTROL_NONE};
}
static void counters_are_not_overrun(void **state) {
    (void)state;
    struct rig *g = machine();
    enum { LOADS = 100 };
    g->c.pending_entries = g->c.lsu_queue = 500;
    g->port->latency = 3000;
    g->im.n_regs = 128;
    g->change_control = one_counter_for_all;
    address(g, 1);
    for (uint32_t i = 0; i < LOADS; i++) load(g, SPACE_GLOBAL, 2 + i, 1, 4 * (i % 64));
    exit_(g);
    rig_make(g);
    sm_take_cta(g->sm, 0, 0, 0);
    sm_run(g->sm, 0, 2900); // before the first answer
    assert_int_equal(sm_activity(g->sm, 2900)->c[ACT_issue_slots + STALL_issued], 1 + 63);
    struct exec_log *log = sm_log(g->sm);
    struct exec_fault f;
    for (uint64_t t = 2900; g->done == 0 && t < 100000; t += 100) {
        sm_run(g->sm, t, t + 100);
        assert_true(exec_commit(g->memory, &log, 1, &f));
    }
    assert_int_equal(g->done, 1);
    assert_int_equal(act(g, ACT_issue_slots + STALL_issued), LOADS + 2);
    rig_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_instructions_wait_their_latency),
        cmocka_unit_test(a_pipeline_s_cycles_are_stalls),
        cmocka_unit_test(a_warp_s_fetches_follow_each_other),
        cmocka_unit_test(matrix_instructions_read_for_two_cycles),
        cmocka_unit_test(rows_beyond_the_record_are_read),
        cmocka_unit_test(operands_that_are_read_late_are_waited_for),
        cmocka_unit_test(kept_operands_save_a_conflict),
        cmocka_unit_test(a_conflict_holds_the_issue_stage),
        cmocka_unit_test(greedy_then_youngest),
        cmocka_unit_test(counters_are_not_overrun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
