// Cycle counts of arithmetic, each of which follows by hand from the configuration of the rig:
// a CTA given in cycle 0 is fetched in cycle 0, decoded in cycle 1 (decode_latency 1) and issues
// its first instruction in cycle 1. The rig's done_at is the cycle in which the last result is
// there (EXIT waits for nothing, but its warp is drained only then).
#include "test_rig.h"

// N adds, each of which needs the one before: the k-th issues at 1 + (k-1) * latency, and the last
// result is there latency cycles later: 1 + N * latency.
static void dependent_adds(void **state) {
    (void)state;
    for (uint32_t n = 1; n <= 40; n += 13) {
        struct rig *g = rig_new();
        for (uint32_t i = 0; i < n; i++) iaddi(g, 1, 1, 1);
        exit_(g);
        rig_run(g);
        assert_int_equal(g->done_at, 1 + n * 10);
        assert_int_equal(act(g, ACT_warp_instructions), n + 1);
        assert_int_equal(act(g, ACT_issue_slots + STALL_alu), (n - 1) * 9);
        // INT pipeline: n times 10 cycles, one after another.
        assert_int_equal(act(g, ACT_int_busy_cycles), n * 10);
        rig_free(g);
    }
}

// The same with two cycles between issue and the first read: each link of the chain is 12 long.
static void read_latency_is_part_of_a_chain(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.read_latency = 2;
    for (uint32_t i = 0; i < 20; i++) iaddi(g, 1, 1, 1);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 1 + 20 * 12);
    rig_free(g);
}

// Its idle periods end when an instruction is sent to it. Reads take 4 cycles: sent in 1, enters in
// 5, its result is there in 15, when the second is sent, which enters in 19 and leaves in 29.
static void idle_period_ends_when_one_is_sent(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.read_latency = 4;
    iaddi(g, 1, 1, 1);
    iaddi(g, 1, 1, 1);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 29);
    assert_int_equal(act(g, ACT_int_busy_cycles), 20);
    assert_int_equal(act(g, ACT_idle_sent), 2 * 4);
    assert_int_equal(act(g, ACT_idle_cycles), 2 * 4 + 2);
    assert_int_equal(act(g, ACT_idle_periods_int + 1), 2); // cycle 0, cycle 29
    for (uint32_t n = 2; n < ACT_IDLE_LENGTHS; n++)
        assert_int_equal(act(g, ACT_idle_periods_int + n), 0);
    rig_free(g);
}

// Moves with an interval of 4 in cycles 1, 5, 9: gaps of three cycles, though the pipeline is never
// empty. With 12 they are no bubbles.
static void bubbles_are_short_gaps(void **state) {
    (void)state;
    for (uint32_t interval = 4; interval <= 12; interval += 8) {
        struct rig *g = rig_new();
        g->c.timing[OPC_MOV].interval = interval;
        for (uint32_t i = 0; i < 3; i++) movi(g, i, i);
        exit_(g);
        rig_run(g);
        assert_int_equal(act(g, ACT_bubble_cycles), interval == 4 ? 2 * 3 : 0);
        rig_free(g);
    }
}

// Independent adds of one warp: one a cycle; the N-th issues in cycle N, its result at N + 10.
static void independent_adds_are_issue_limited(void **state) {
    (void)state;
    struct rig *g = rig_new();
    for (uint32_t i = 0; i < 30; i++) movi(g, i, i);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 30 + 10);
    rig_free(g);
}

// With an initiation interval of 3 the N-th issues at 1 + 3 (N-1); the pipeline is the limit.
static void interval_limits(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.timing[OPC_MOV].interval = 3;
    for (uint32_t i = 0; i < 30; i++) movi(g, i, i);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 1 + 3 * 29 + 10);
    assert_int_equal(act(g, ACT_issue_slots + STALL_unit_busy), 2 * 29);
    rig_free(g);
}

// Two lane groups halve that: instructions go in pairs of cycles 1,2 4,5 7,8 ...: the N-th (N even,
// from 1) issues at 1 + 3 (N/2 - 1) + 1.
static void two_lane_groups_share_the_work(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.lane_groups = 2;
    g->c.timing[OPC_MOV].interval = 3;
    for (uint32_t i = 0; i < 30; i++) movi(g, i, i);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 2 + 3 * 14 + 10);
    assert_int_equal(act(g, ACT_int_issues), 15);
    assert_int_equal(act(g, ACT_int_issues + 1), 15);
    rig_free(g);
}

// SFU: 8 cycles between instructions, 20 to the result; INT work of a second warp fits between.
static void sfu_interval(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.timing[OPC_SFU_RCP] = (struct class_timing){.latency = 20, .interval = 8};
    for (uint32_t i = 0; i < 10; i++) mufu(g, i, 31);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 1 + 8 * 9 + 20);
    assert_int_equal(act(g, ACT_sfu_issues), 10);
    // Busy from the first entry to the last result: 8 * 9 + 20, without a gap.
    assert_int_equal(act(g, ACT_sfu_busy_cycles), 8 * 9 + 20);
    rig_free(g);
}

// Three operands in one bank of one port: reads in cycles 1, 2, 3, so the instruction enters its
// pipeline two cycles late. Banks: (register + warp) mod 4 with warp 0.
static void bank_conflict(void **state) {
    (void)state;
    const struct {
        uint32_t a, b, c, late;
    } row[] = {{1, 2, 3, 0}, {4, 8, 3, 1}, {4, 8, 12, 2}, {4, 4, 4, 0}};
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        struct rig *g = rig_new();
        g->c.rf_banks = 4;
        g->c.collector_ports = 1;
        emit(g, OP_IMAD, OPC_INT_MAD, ITYPE_U32, R(20), R(row[i].a), R(row[i].b), R(row[i].c));
        exit_(g);
        rig_run(g);
        assert_int_equal(g->done_at, 1 + row[i].late + 10);
        // The delays of the reads: one waits 1, the next 2.
        assert_int_equal(act(g, ACT_rf_bank_conflicts), row[i].late * (row[i].late + 1) / 2);
        rig_free(g);
    }
}

// The same chain through one bank of one port: a result is written in the cycle before it is due
// (cycle 10 of the first add), the next add reads in cycle 11: no conflict with latency 10.
static void bank_with_one_port_does_not_slow_a_chain(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.rf_banks = 1;
    g->c.collector_ports = 1;
    for (uint32_t i = 0; i < 10; i++) iaddi(g, 1, 1, 1);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 1 + 10 * 10);
    rig_free(g);
}

// A result bus of one: four pipelines' worth of results that are due together leave one a cycle.
// INT add (latency 10) in cycle 1, FP add (latency 9) in cycle 2: both are written in cycle 10, the
// second a cycle late: 12 instead of 11.
static void result_bus(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.result_bus = 1;
    g->c.timing[OPC_FP_ADD].latency = 9;
    iadd(g, 1, 2, 3);
    fadd(g, 4, 5, 6);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 12);
    assert_int_equal(act(g, ACT_result_bus_conflicts), 1);
    rig_free(g);
}

// One collector unit: an instruction with a conflict holds it for two cycles more, so the next may
// issue only in cycle 4 (taken in 1, its reads end in 3).
static void collector_units(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.collectors = 1;
    g->c.rf_banks = 4;
    g->c.collector_ports = 1;
    emit(g, OP_IMAD, OPC_INT_MAD, ITYPE_U32, R(20), R(4), R(8), R(12));
    movi(g, 1, 1);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 4 + 10);
    assert_int_equal(act(g, ACT_issue_slots + STALL_collector), 2);
    rig_free(g);
}

// A collector that takes a row or two a cycle: three rows in banks of their own are there in the
// third, or in the second cycle. One row needs no more than one.
static void collector_takes_rows_in_turn(void **state) {
    (void)state;
    const struct { uint32_t reads, late; } row[] = {{0, 0}, {1, 2}, {2, 1}, {3, 0}};
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        struct rig *g = rig_new();
        g->c.collector_reads = row[i].reads;
        emit(g, OP_IMAD, OPC_INT_MAD, ITYPE_U32, R(20), R(1), R(2), R(3));
        exit_(g);
        rig_run(g);
        assert_int_equal(g->done_at, 1 + row[i].late + 10);
        assert_int_equal(act(g, ACT_rf_bank_conflicts), 0);
        rig_free(g);
    }
}

// Ten moves through one collector, read_latency 4: each holds it from its issue to the end of the
// cycle in which it enters, so the next issues five cycles later. With a place to wait in, two are
// under way: they issue in cycles 1, 2, 6, 7, 11, 12 ... If the collector is free two cycles
// earlier it is three.
static void collector_queue_and_ahead(void **state) {
    (void)state;
    const struct {
        uint32_t queue, ahead, last;
    } row[] = {
        {0, 0, 1 + 9 * 5}, {1, 0, 1 + 4 * 5 + 1}, {0, 2, 1 + 9 * 3}, {0, 4, 1 + 9}, {0, 9, 1 + 9}};
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        struct rig *g = rig_new();
        g->c.read_latency = 4;
        g->c.collectors = 1;
        g->c.collector_queue = row[i].queue;
        g->c.collector_ahead = row[i].ahead;
        for (uint32_t k = 0; k < 10; k++) movi(g, k, k);
        exit_(g);
        rig_run(g);
        assert_int_equal(g->done_at, row[i].last + 4 + 10);
        rig_free(g);
    }
}

// Two warps of an SFU instruction and a move, one collector: taken by the first SFU instruction (1
// to 5), the second (6 to 10), the moves (11, 16): the last is there in 16 + 4 + 10. With one for
// SFU alone the moves go in between: SFU 1, 6, moves 2 (of no warp yet: the first warp's next, in
// order), 7.
static void collectors_of_their_own(void **state) {
    (void)state;
    for (uint32_t own = 0; own < 2; own++) {
        struct rig *g = rig_new();
        g->c.read_latency = 4;
        g->c.collectors = 1;
        g->c.collectors_sfu = own;
        g->args.block[0] = 64;
        mufu(g, 1, 31);
        movi(g, 2, 2);
        exit_(g);
        rig_run(g);
        assert_int_equal(g->done_at, own ? 7 + 4 + 10 : 16 + 4 + 10);
        rig_free(g);
    }
    // Loads issue in 15 and 16, or the second in 20, when the first has left its collector.
    uint64_t done[2];
    for (uint32_t own = 0; own < 2; own++) {
        struct rig *g = rig_new();
        g->c.read_latency = 4;
        g->c.collectors_mem = 1 + own;
        g->args.block[0] = 64;
        address(g, 3);
        load(g, SPACE_GLOBAL, 4, 3, 0);
        exit_(g);
        rig_run(g);
        done[own] = g->done_at;
        rig_free(g);
    }
    assert_int_equal(done[0] - done[1], 4);
}

// A result may be used a cycle later, but the pipeline holds it no longer.
static void write_latency_is_part_of_a_chain(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.write_latency = 3;
    for (uint32_t i = 0; i < 20; i++) iaddi(g, 1, 1, 1);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 1 + 20 * 13);
    assert_int_equal(act(g, ACT_int_busy_cycles), 20 * 10);
    rig_free(g);
}

// Integer products in the SFU, branches in an INT pipeline: what is counted, and that they meet
// there. Products in FP, conversions in the SFU.
static void products_in_sfu_and_control_in_int(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.int_mul_pipe = INT_MUL_PIPE_SFU;
    g->c.timing[OPC_INT_MAD].interval = 3;
    for (uint32_t i = 0; i < 5; i++)
        emit(g, OP_IMAD, OPC_INT_MAD, ITYPE_U32, R(i), R(20), R(21), R(22));
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 1 + 4 * 3 + 10);
    assert_int_equal(act(g, ACT_sfu_issues), 5);
    assert_int_equal(act(g, ACT_int_issues), 0);
    rig_free(g);
    g = rig_new(); // in FP, beside the additions of INT: one of each a cycle, with two a turn
    g->c.int_mul_pipe = INT_MUL_PIPE_FP;
    for (uint32_t i = 0; i < 5; i++)
        emit(g, OP_IMAD, OPC_INT_MAD, ITYPE_U32, R(i), R(20), R(21), R(22));
    exit_(g);
    rig_run(g);
    assert_int_equal(act(g, ACT_fp_issues), 5);
    assert_int_equal(act(g, ACT_int_issues), 0);
    rig_free(g);
    for (uint32_t on = 0; on < 2; on++) { // conversions and counts of bits: four cycles in the SFU
        g = rig_new();
        g->c.cvt_pipe = on ? CVT_PIPE_SFU : CVT_PIPE_LANES;
        g->c.timing[OPC_INT_BIT].interval = 4;
        for (uint32_t i = 0; i < 5; i++) {
            emit(g, OP_POPC, OPC_INT_BIT, ITYPE_U32, R(2 * i), R(20), NIL(), NIL());
            iaddi(g, 2 * i + 1, 21, 1);
        }
        exit_(g);
        rig_run(g);
        assert_int_equal(act(g, ACT_sfu_issues), on ? 5 : 0);
        assert_int_equal(act(g, ACT_int_issues), on ? 5 : 10);
        // In one pipeline each addition waits for the count before it: 5 * (4 + 1) cycles, the last
        // addition in the 25th; with two the counts alone make 1 + 4 * 4 and it comes a cycle
        // later.
        assert_int_equal(g->done_at, on ? 18 + 10 : 25 + 10);
        rig_free(g);
    }
    for (uint32_t on = 0; on < 2; on++) {
        g = rig_new();
        g->c.schedulers = 2;
        g->c.ctrl_on_lanes = on;
        g->args.block[0] = 64;
        bra(g, 1); // both in cycle 1, or one in each of two cycles in the only pipeline
        exit_(g);
        rig_run(g);
        assert_int_equal(act(g, ACT_int_issues), on ? 2 : 0);
        assert_int_equal(act(g, ACT_issue_slots + STALL_unit_busy), on);
        rig_free(g);
    }
}

// Two schedulers, two warps, two lane groups: both warps run as if alone.
static void two_schedulers(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.schedulers = 2;
    g->c.lane_groups = 2;
    g->args.block[0] = 64;
    for (uint32_t i = 0; i < 30; i++) movi(g, i, i);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 30 + 10);
    rig_free(g);
    // One scheduler: 60 moves, one a cycle; the two EXITs come at most one before the last move.
    g = rig_new();
    g->args.block[0] = 64;
    for (uint32_t i = 0; i < 30; i++) movi(g, i, i);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 60 + 10);
    rig_free(g);
}

// Three warps of 30 moves, two schedulers. Of its own warps the first scheduler has two, 60 moves
// one a cycle. From one pool each cycle takes two of the three in turn: the 90th move is in
// cycle 45. A lone warp gives one a cycle either way.
static void warps_of_all_schedulers(void **state) {
    (void)state;
    const struct {
        uint32_t threads;
        bool shared;
        uint64_t last;
    } row[] = {{96, false, 60}, {96, true, 45}, {32, true, 30}};
    for (size_t r = 0; r < WW_COUNT(row); r++) {
        for (uint32_t scheduler = SCHED_LRR; scheduler <= SCHED_TWO_LEVEL; scheduler += 2) {
            struct rig *g = rig_new();
            g->c.schedulers = g->c.lane_groups = 2;
            g->c.scheduler = scheduler;
            g->c.active_warps = 8;
            g->c.shared_warps = row[r].shared;
            g->args.block[0] = row[r].threads;
            for (uint32_t i = 0; i < 30; i++) movi(g, i, i);
            exit_(g);
            rig_run(g);
            assert_int_equal(g->done_at, row[r].last + 10);
            rig_free(g);
        }
    }
}

// Double precision in the lane groups' pipelines: two of them take two a cycle, and the count is
// theirs.
static void double_precision_in_lane_groups(void **state) {
    (void)state;
    for (uint32_t pipe = DP_PIPE_INT; pipe <= DP_PIPE_FP; pipe++) {
        struct rig *g = rig_new();
        g->c.schedulers = g->c.lane_groups = 2;
        g->c.dp_units = 1;
        g->c.dp_pipe = pipe;
        g->c.dp_blocks_issue = true; // of a unit that is not there
        g->args.block[0] = 64;
        for (uint32_t i = 0; i < 5; i++) dadd(g, 2 * i, 20, 22);
        exit_(g);
        rig_run(g);
        assert_int_equal(g->done_at, 5 + 10);
        const uint32_t issues = pipe == DP_PIPE_INT ? ACT_int_issues : ACT_fp_issues;
        assert_int_equal(act(g, issues) + act(g, issues + 1), 10);
        assert_int_equal(act(g, ACT_dp_issues), 0);
        rig_free(g);
    }
}

// Fermi: a double-precision instruction takes both schedulers. Two warps of 5 independent ones:
// one a cycle, the tenth in cycle 10.
static void double_precision_blocks(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.schedulers = 2;
    g->c.dp_units = 2;
    g->c.dp_blocks_issue = true;
    g->args.block[0] = 64;
    for (uint32_t i = 0; i < 5; i++) dadd(g, 2 * i, 20, 22);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 10 + 10);
    rig_free(g);
}

// Kepler-like: two instructions of a warp a cycle, if independent and of different units.
static void dual_issue(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.issue_width = g->c.max_issues_per_warp = 2;
    g->c.dual_issue_diff_units = true;
    for (uint32_t i = 0; i < 10; i++) {
        iadd(g, i, 30, 31);
        fadd(g, 10 + i, 30, 31);
    }
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 10 + 10); // the tenth pair in cycle 10
    assert_int_equal(act(g, ACT_issue_slots + STALL_dual), 10);
    rig_free(g);
    // Same unit: singly.
    g = rig_new();
    g->c.issue_width = g->c.max_issues_per_warp = 2;
    g->c.dual_issue_diff_units = true;
    g->c.lane_groups = 2;
    for (uint32_t i = 0; i < 10; i++) iadd(g, i, 30, 31);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 10 + 10);
    assert_int_equal(act(g, ACT_issue_slots + STALL_dual), 0);
    rig_free(g);
    // Dependent: the second waits.
    g = rig_new();
    g->c.issue_width = g->c.max_issues_per_warp = 2;
    iadd(g, 1, 30, 31);
    fadd(g, 2, 1, 31);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 1 + 10 + 10);
    rig_free(g);
}

// GT200-like: a scheduler issues every fourth cycle; the N-th move at 1 + 4 (N-1).
static void scheduler_interval(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.scheduler_interval = 4;
    for (uint32_t i = 0; i < 10; i++) movi(g, i, i);
    exit_(g);
    rig_run(g);
    // The last move at 37, EXIT at 41, the last result at 47.
    assert_int_equal(g->done_at, 1 + 4 * 9 + 10);
    // Between issues, while the warp is ready; after EXIT it is gone.
    assert_int_equal(act(g, ACT_issue_slots + STALL_issuing), 3 * 10);
    rig_free(g);
}

// A loop of a counter: per trip ISETP waits for IADD (10), BRA for ISETP (10), then branch_latency
// 4 to the fetch, decode 1, issue: 25 cycles a trip. First IADD in cycle 1; the last trip ends with
// a BRA not taken: EXIT is in the buffer and issues 4 cycles later.
static void loop(void **state) {
    (void)state;
    const uint32_t trips = 7;
    struct rig *g = rig_new();
    iaddi(g, 1, 1, 1);
    setp_lt(g, 0, 1, trips);
    struct minst *b = bra(g, 0);
    b->guard = 0;
    b->reconv = 3;
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 1 + 25 * (trips - 1) + 20 + 4);
    assert_int_equal(act(g, ACT_branches), trips);
    assert_int_equal(act(g, ACT_divergent_branches), 0);
    assert_int_equal(act(g, ACT_issue_slots + STALL_control), 3 * trips);
    rig_free(g);
}

// Registers above 63 have a scoreboard too.
static void many_registers(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->im.n_regs = 250;
    iaddi(g, 200, 200, 1);
    iaddi(g, 201, 200, 1);
    iaddi(g, 100, 201, 1);
    iaddi(g, 3, 100, 1);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 1 + 4 * 10);
    rig_free(g);
}

// Predicates: a guard waits for the comparison that writes it, also of an instruction that then
// executes in no lane.
static void guards_wait(void **state) {
    (void)state;
    struct rig *g = rig_new();
    setp_lt(g, 2, 1, 0); // never
    movi(g, 3, 1)->guard = 2;
    iaddi(g, 4, 3, 1);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 1 + 3 * 10);
    assert_int_equal(act(g, ACT_lanes_active), 1);
    assert_int_equal(act(g, ACT_thread_instructions), 3 * 32);
    rig_free(g);
}

// The buffer of two with one fetch of two a cycle: a fetch in cycle t gives instructions in t + 2
// (cache 1, decode 1), which issue in t + 2 and t + 3; the buffer is empty in t + 3, which fetches
// again: two instructions every three cycles.
static void instruction_buffer(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.fetch_width = 1;
    g->c.fetch_instructions = g->c.ibuffer_entries = 2;
    g->c.icache.hit_latency = 1;
    for (uint32_t i = 0; i < 30; i++) movi(g, i, i);
    exit_(g);
    rig_run(g);
    // Pairs at 2,3 5,6 8,9 ...: the 15th pair ends at 3 + 3 * 14.
    assert_int_equal(g->done_at, 3 + 3 * 14 + 10);
    assert_int_equal(act(g, ACT_fetches), 16);
    assert_int_equal(act(g, ACT_decodes), 31);
    rig_free(g);
}

// A cold instruction cache: lines of 64 bytes hold 8 instructions. Each line's first fetch misses
// and comes 100 cycles later; the retry hits.
static void instruction_cache(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.icache = (struct cache_config){.bytes = 1024,
                                        .line_bytes = 64,
                                        .ways = 2,
                                        .mshrs = 2,
                                        .mshr_merge = 8,
                                        .hit_latency = 1,
                                        .ports = 1,
                                        .lru = true};
    g->c.fetch_instructions = 8;
    g->c.ibuffer_entries = 8;
    for (uint32_t i = 0; i < 15; i++) movi(g, i, i);
    exit_(g);
    g->port->latency = 100;
    rig_run(g);
    // Fetch 0 misses; reply at 100, fetch again at 100, issue 102..109; the buffer is empty in 109,
    // fetch misses; reply at 209, issue 211..218; the 15th move in 217.
    assert_int_equal(g->done_at, 217 + 10);
    assert_int_equal(act(g, ACT_icache_misses), 2);
    assert_int_equal(act(g, ACT_fetches), 4);
    rig_free(g);
}

// With a line of prefetch the second line comes with the first: fetch again at 100, issue 102..109,
// fetch in 109 hits, issue 111..118; the 15th move in 117.
static void instruction_prefetch(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.icache = (struct cache_config){.bytes = 1024,
                                        .line_bytes = 64,
                                        .ways = 2,
                                        .mshrs = 2,
                                        .mshr_merge = 8,
                                        .hit_latency = 1,
                                        .ports = 1,
                                        .lru = true};
    g->c.icache_prefetch = 3; // the code ends after two lines
    g->c.fetch_instructions = 8;
    g->c.ibuffer_entries = 8;
    for (uint32_t i = 0; i < 15; i++) movi(g, i, i);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 117 + 10);
    assert_int_equal(act(g, ACT_icache_misses), 1);
    assert_int_equal(g->port->n_sent, 2);
    rig_free(g);
}

// The same code behind an L0 cache, whose lines come 20 cycles after the instruction cache has
// them. Fetch 0 misses both; reply at 100, asked for again, ready at 120, issue 122..129. Alone the
// second line takes as long again: reply at 229, ready at 249, issue 251..258, the 15th move in
// 257. Asked for ahead it comes with the first and is in L0 a cycle behind it, at 121: the fetch in
// 129 hits, issue 131..138, the 15th move in 137.
static void instruction_l0(void **state) {
    (void)state;
    for (uint32_t ahead = 0; ahead < 2; ahead++) {
        struct rig *g = rig_new();
        g->c.icache = (struct cache_config){.bytes = 1024,
                                            .line_bytes = 64,
                                            .ways = 2,
                                            .mshrs = 2,
                                            .mshr_merge = 8,
                                            .hit_latency = 1,
                                            .ports = 1,
                                            .lru = true};
        g->c.l0_bytes = 128;
        g->c.l0_ways = 1;
        g->c.l0_miss_latency = 20;
        g->c.l0_ahead = ahead;
        g->c.fetch_instructions = 8;
        g->c.ibuffer_entries = 8;
        for (uint32_t i = 0; i < 15; i++) movi(g, i, i);
        exit_(g);
        rig_run(g);
        assert_int_equal(g->done_at, (ahead ? 137 : 257) + 10);
        assert_int_equal(act(g, ACT_icache_misses), ahead ? 1 : 2);
        assert_int_equal(act(g, ACT_l0_misses), 2);
        assert_int_equal(g->port->n_sent, 2);
        rig_free(g);
    }
}

// An L0 cache of two lines, and two lines asked for behind each: the second takes the place of the
// one that the warp waits for, as those of other warps do in a larger one. A fetch takes its line
// as it comes, or the warp would ask for it for ever.
static void a_fetch_takes_the_line_that_it_waited_for(void **state) {
    (void)state;
    enum { LINE = 8, LINES = 5 };
    struct rig *g = rig_new();
    g->c.icache = (struct cache_config){.bytes = 1024,
                                        .line_bytes = 64,
                                        .ways = 2,
                                        .mshrs = 8,
                                        .mshr_merge = 8,
                                        .hit_latency = 1,
                                        .ports = 1,
                                        .lru = true};
    g->c.l0_bytes = 128;
    g->c.l0_ways = 2;
    g->c.l0_miss_latency = 20;
    g->c.l0_ahead = 2;
    g->c.fetch_instructions = LINE;
    g->c.ibuffer_entries = LINE;
    for (uint32_t i = 0; i < LINES * LINE - 1; i++) movi(g, i % 16, i);
    exit_(g);
    rig_run(g);
    assert_int_equal(act(g, ACT_warp_instructions), LINES * LINE);
    rig_free(g);
}

// Constants behind a second level, the instruction cache, which is 30 cycles away and has longer
// lines: the first line comes from L2 and brings its neighbour, which the second add finds there.
// Code comes at 100, the first add is decoded in 102 and issues in 202. The second is at the head
// of its warp from then on, has its line in 232 and its result 10 later.
static void constants_of_the_second_level(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.constant = (struct cache_config){.bytes = 2048,
                                          .line_bytes = 64,
                                          .ways = 2,
                                          .mshrs = 2,
                                          .mshr_merge = 8,
                                          .hit_latency = 1,
                                          .ports = 1,
                                          .lru = true};
    g->c.icache = g->c.constant;
    g->c.icache.line_bytes = 128;
    g->c.const_second_latency = 30;
    static const uint8_t params[64];
    g->im.param_bytes = sizeof params;
    g->args.params = params;
    emit(g, OP_IADD, OPC_INT_ADD, ITYPE_U32, R(1), R(2), C(CB_LAUNCH, 0), NIL());
    emit(g, OP_IADD, OPC_INT_ADD, ITYPE_U32, R(3), R(1), C(CB_LAUNCH, 64), NIL());
    exit_(g);
    rig_run(g);
    assert_int_equal(act(g, ACT_const_misses), 2);
    assert_int_equal(act(g, ACT_const_second_reads), 2);
    assert_int_equal(act(g, ACT_const_second_hits), 1);
    assert_int_equal(g->port->n_sent, 2);
    assert_int_equal(g->port->sent[1].bytes, 128);
    assert_int_equal(g->done_at, 202 + 30 + 10);
    rig_free(g);
}

// Constant operands: the line of c[0] is not there; the add waits from its decoding (1) to the
// reply (101) and issues then. The second finds the line.
static void constant_operands(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.constant = (struct cache_config){.bytes = 2048,
                                          .line_bytes = 64,
                                          .ways = 2,
                                          .mshrs = 2,
                                          .mshr_merge = 8,
                                          .hit_latency = 1,
                                          .ports = 1,
                                          .lru = true};
    emit(g, OP_IADD, OPC_INT_ADD, ITYPE_U32, R(1), R(2), C(CB_LAUNCH, CB0_NTID_X), NIL());
    emit(g, OP_IADD, OPC_INT_ADD, ITYPE_U32, R(3), R(1), C(CB_LAUNCH, CB0_NTID_Y), NIL());
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 101 + 2 * 10);
    assert_int_equal(act(g, ACT_const_misses), 1);
    assert_int_equal(act(g, ACT_const_operands), 2);
    assert_int_equal(act(g, ACT_issue_slots + STALL_memory), 100);
    rig_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_adds),
        cmocka_unit_test(read_latency_is_part_of_a_chain),
        cmocka_unit_test(idle_period_ends_when_one_is_sent),
        cmocka_unit_test(bubbles_are_short_gaps),
        cmocka_unit_test(independent_adds_are_issue_limited),
        cmocka_unit_test(interval_limits),
        cmocka_unit_test(two_lane_groups_share_the_work),
        cmocka_unit_test(sfu_interval),
        cmocka_unit_test(bank_conflict),
        cmocka_unit_test(bank_with_one_port_does_not_slow_a_chain),
        cmocka_unit_test(result_bus),
        cmocka_unit_test(collector_units),
        cmocka_unit_test(collector_takes_rows_in_turn),
        cmocka_unit_test(collector_queue_and_ahead),
        cmocka_unit_test(collectors_of_their_own),
        cmocka_unit_test(write_latency_is_part_of_a_chain),
        cmocka_unit_test(products_in_sfu_and_control_in_int),
        cmocka_unit_test(two_schedulers),
        cmocka_unit_test(warps_of_all_schedulers),
        cmocka_unit_test(double_precision_blocks),
        cmocka_unit_test(double_precision_in_lane_groups),
        cmocka_unit_test(dual_issue),
        cmocka_unit_test(scheduler_interval),
        cmocka_unit_test(loop),
        cmocka_unit_test(many_registers),
        cmocka_unit_test(guards_wait),
        cmocka_unit_test(instruction_buffer),
        cmocka_unit_test(instruction_cache),
        cmocka_unit_test(instruction_prefetch),
        cmocka_unit_test(instruction_l0),
        cmocka_unit_test(a_fetch_takes_the_line_that_it_waited_for),
        cmocka_unit_test(constants_of_the_second_level),
        cmocka_unit_test(constant_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
