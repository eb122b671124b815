// Lane groups chosen at issue and at entry. All times follow by hand from the configuration: the
// first instruction issues in cycle 1, its operands are there read_latency later, an addition's
// result ten cycles behind its entry.
#include "test_rig.h"

static struct rig *entry_rig(uint32_t at, uint32_t read_latency) {
    struct rig *g = rig_new();
    g->c.lane_group_at = at;
    g->c.read_latency = read_latency;
    return g;
}

// Nobody is in the way: each add issues when the one before has its result, 12 cycles later.
static void dependent_adds(void **state) {
    (void)state;
    for (uint32_t ahead = 0; ahead <= 2; ahead++)
        for (uint32_t at = LANE_GROUP_AT_ISSUE; at <= LANE_GROUP_AT_ENTRY; at++) {
            struct rig *g = entry_rig(at, 2);
            g->c.collector_ahead = ahead;
            for (uint32_t i = 0; i < 20; i++) iaddi(g, 1, 1, 1);
            exit_(g);
            rig_run(g);
            assert_int_equal(g->done_at, 1 + 20 * 12);
            assert_int_equal(act(g, ACT_int_busy_cycles), 20 * 10);
            assert_int_equal(act(g, ACT_idle_sent), at == LANE_GROUP_AT_ISSUE ? 20 * 2 : 0);
            rig_free(g);
        }
}

// The pipeline takes an add every three cycles. At issue: adds in 1 and 4, the reciprocal behind
// them in 5, its result is there in 5 + 1 + 10. At entry: adds in 1 and 2, the reciprocal in 3. The
// second add enters in 2 + 3 either way, and has its result in 15.
static void independent_adds(void **state) {
    (void)state;
    for (uint32_t at = LANE_GROUP_AT_ISSUE; at <= LANE_GROUP_AT_ENTRY; at++) {
        struct rig *g = entry_rig(at, 1);
        g->c.timing[OPC_INT_ADD].interval = 3;
        iaddi(g, 1, 10, 1);
        iaddi(g, 2, 10, 1);
        mufu(g, 3, 10);
        exit_(g);
        rig_run(g);
        assert_int_equal(g->done_at, at == LANE_GROUP_AT_ISSUE ? 16 : 15);
        assert_int_equal(act(g, ACT_issue_slots + STALL_unit_busy),
                         at == LANE_GROUP_AT_ISSUE ? 2 : 0);
        assert_int_equal(act(g, ACT_int_issues), 2);
        assert_int_equal(act(g, ACT_int_busy_cycles), 13);
        rig_free(g);
    }
}

// Who has its operands goes first: three of one bank are there in 2, 3 and 4, those of the move
// (none) in 3. At issue the move goes in behind: in 5. At entry it does in 3, the other in 4.
static void who_has_operands(void **state) {
    (void)state;
    for (uint32_t at = LANE_GROUP_AT_ISSUE; at <= LANE_GROUP_AT_ENTRY; at++) {
        struct rig *g = entry_rig(at, 1);
        g->c.rf_banks = 4;
        g->c.collector_ports = 1;
        emit(g, OP_IMAD, OPC_INT_MAD, ITYPE_U32, R(20), R(4), R(8), R(12));
        movi(g, 1, 1);
        exit_(g);
        rig_run(g);
        assert_int_equal(g->done_at, at == LANE_GROUP_AT_ISSUE ? 15 : 14);
        rig_free(g);
    }
}

// Four moves, a collector, a pipeline that takes one every five cycles: they enter in 3, 8, 13
// and 18. The collector is free in the cycle after (moves issue in 1, 4, 9, 14), in the cycle
// itself (1, 3, 8, 13), or when its instruction has a place in front of the pipeline (1, 2, 3, 8:
// the third leaves it when the second enters).
static void collectors_wait(void **state) {
    (void)state;
    static const uint32_t slots[] = {2 + 4 + 4, 1 + 4 + 4, 4};
    for (uint32_t ahead = 0; ahead <= 2; ahead++) {
        struct rig *g = entry_rig(LANE_GROUP_AT_ENTRY, 2);
        g->c.collectors = 1;
        g->c.collector_ahead = ahead;
        g->c.timing[OPC_MOV].interval = 5;
        for (uint32_t i = 0; i < 4; i++) movi(g, i, i);
        exit_(g);
        rig_run(g);
        assert_int_equal(g->done_at, 18 + 10);
        assert_int_equal(act(g, ACT_issue_slots + STALL_collector), slots[ahead]);
        assert_int_equal(act(g, ACT_issue_slots + STALL_unit_busy), 0);
        rig_free(g);
    }
}

// An integer and a float of one warp in cycle 1. A lane group takes one of them a cycle: at issue
// the second waits for the scheduler's next turn, at entry both issue and the second enters a cycle
// later. With two lane groups both enter at once.
static void a_lane_group_takes_one(void **state) {
    (void)state;
    for (uint32_t at = LANE_GROUP_AT_ISSUE; at <= LANE_GROUP_AT_ENTRY; at++)
        for (uint32_t lane_groups = 1; lane_groups <= 2; lane_groups++) {
            struct rig *g = entry_rig(at, 1);
            g->c.lane_groups = lane_groups;
            g->c.int_fp_shared_issue = true;
            g->c.issue_width = g->c.max_issues_per_warp = 2;
            iadd(g, 1, 10, 11);
            fadd(g, 2, 12, 13);
            exit_(g);
            rig_run(g);
            assert_int_equal(g->done_at, lane_groups == 1 ? 13 : 12);
            const bool pairs = at == LANE_GROUP_AT_ENTRY || lane_groups == 2;
            assert_int_equal(act(g, ACT_issue_slots + STALL_dual), pairs);
            assert_int_equal(act(g, ACT_fp_issues + lane_groups - 1), 1);
            rig_free(g);
        }
}

// ---- pipelines that are off --------------------------------------------------------------------
struct gate {
    struct sm_gate gate[SM_PIPES];
    uint64_t on_at, asked_at, entered_at;
    uint32_t asked, pipe;
};
// Of the pipelines all are on but one, until cycle on_at.
static struct gate gate_of(uint32_t off, uint64_t on_at) {
    struct gate g = {.on_at = on_at};
    for (uint32_t i = 0; i < SM_PIPES; i++)
        g.gate[i] = (struct sm_gate){i == off ? 0 : UINT64_MAX, SM_GATE_NEVER};
    return g;
}
static void gate_opens(void *self, const struct sm_view *v) {
    struct gate *p = self;
    if (v->cycle >= p->on_at) p->gate[SM_PIPE_INT].off_from = UINT64_MAX;
}
static uint64_t gate_wanted(void *self, const struct sm_view *v, uint32_t unit, uint64_t pipes) {
    struct gate *p = self;
    assert_int_equal(unit, UNIT_INT);
    assert_int_equal(pipes, 1ull << SM_PIPE_INT);
    p->asked_at = v->cycle;
    p->asked++;
    return p->on_at;
}
static void gate_issue(void *self, const struct sm_view *v, const struct sm_issue *i) {
    struct gate *p = self;
    assert_int_equal(i->cycle, v->cycle);
    if (i->unit != UNIT_INT) return;
    p->entered_at = i->cycle;
    p->pipe = i->pipe;
}
static const struct sm_issue_port gate_issues = {.issued = gate_issue};
static const struct sm_clock_port gate_clock = {.cycle = gate_opens};
// Sets the technique; both outlive the run.
static void add_gate(struct rig *g, struct gate *gate, struct sm_gate_port *port,
                     struct sm_technique *t) {
    *port = (struct sm_gate_port){.gate = gate->gate, .wanted = gate_wanted};
    for (uint32_t i = 0; i < SM_PIPES; i++)
        if (gate->gate[i].off_from == 0) port->pipes |= 1ull << i;
    *t = (struct sm_technique){
        .name = "gate", .self = gate, .gate = port, .issue = &gate_issues, .clock = &gate_clock};
    g->technique[g->n_techniques++] = t;
}

// INT is off until cycle 50. The move issues in 1, asks in 3 with its operands there, once, and
// enters then.
static void off_at_entry(void **state) {
    (void)state;
    struct rig *g = entry_rig(LANE_GROUP_AT_ENTRY, 2);
    struct gate gate = gate_of(SM_PIPE_INT, 50);
    struct sm_gate_port port;
    struct sm_technique p;
    add_gate(g, &gate, &port, &p);
    movi(g, 1, 1);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 50 + 10);
    assert_int_equal(act(g, ACT_issue_slots + STALL_policy), 0);
    assert_int_equal(gate.asked_at, 3);
    assert_int_equal(gate.asked, 1);
    assert_int_equal(gate.entered_at, 50);
    rig_free(g);
}

// A branch that takes an INT pipeline and has no result: its warp exits, but is there until it has
// entered.
static void exit_waits_for_entry(void **state) {
    (void)state;
    struct rig *g = entry_rig(LANE_GROUP_AT_ENTRY, 2);
    struct gate gate = gate_of(SM_PIPE_INT, 50);
    struct sm_gate_port port;
    struct sm_technique p;
    add_gate(g, &gate, &port, &p);
    g->c.ctrl_on_lanes = true;
    bra(g, 1);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 50);
    assert_int_equal(act(g, ACT_int_issues), 1);
    rig_free(g);
}

// Lane group 0 is off. Of two moves in cycle 1 the first enters lane group 1 in cycle 2, the second
// finds none that is free and on, asks for lane group 0 and enters lane group 1 a cycle later. One
// move alone asks for nothing.
static void who_is_on_comes_first(void **state) {
    (void)state;
    for (uint32_t n = 1; n <= 2; n++) {
        struct rig *g = entry_rig(LANE_GROUP_AT_ENTRY, 1);
        g->c.lane_groups = 2;
        g->c.issue_width = g->c.max_issues_per_warp = 2;
        struct gate gate = gate_of(SM_PIPE_INT, UINT64_MAX);
        struct sm_gate_port port;
        struct sm_technique p;
        add_gate(g, &gate, &port, &p);
        for (uint32_t i = 0; i < n; i++) movi(g, i, i);
        exit_(g);
        rig_run(g);
        assert_int_equal(g->done_at, 2 + (n - 1) + 10);
        assert_int_equal(gate.pipe, SM_PIPE_INT + 1);
        assert_int_equal(gate.asked, n - 1);
        if (n == 2) assert_int_equal(gate.asked_at, 2);
        assert_int_equal(act(g, ACT_int_issues + 1), n);
        rig_free(g);
    }
}

// FP of lane group 1 is off, and a lane group takes one instruction a cycle: the integer, though
// first, goes to lane group 1, so that the float of the same cycle finds its pipeline on. None
// asks.
static void lane_groups_whose_twin_is_off_come_first(void **state) {
    (void)state;
    struct rig *g = entry_rig(LANE_GROUP_AT_ENTRY, 1);
    g->c.lane_groups = 2;
    g->c.int_fp_shared_issue = true;
    g->c.issue_width = g->c.max_issues_per_warp = 2;
    struct gate gate = gate_of(SM_PIPE_FP + 1, UINT64_MAX);
    struct sm_gate_port port;
    struct sm_technique p;
    add_gate(g, &gate, &port, &p);
    iadd(g, 1, 10, 11);
    fadd(g, 2, 12, 13);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 2 + 10);
    assert_int_equal(gate.pipe, SM_PIPE_INT + 1);
    assert_int_equal(gate.asked, 0);
    rig_free(g);
}

// Rows that take three cycles longer to read: the adds of 1 and 2 have their operands in 5 and 6.
static uint32_t slow_read(void *self, const struct sm_row_access *a) {
    (void)self, (void)a;
    return 3;
}
static uint32_t same_write(void *self, const struct sm_row_access *a) {
    (void)self, (void)a;
    return 0;
}
static void rows_delay(void **state) {
    (void)state;
    struct rig *g = entry_rig(LANE_GROUP_AT_ENTRY, 1);
    const struct sm_row_port rows = {.read = slow_read, .write = same_write};
    const struct sm_technique p = {.name = "slow", .rows = &rows};
    g->technique[g->n_techniques++] = &p;
    iaddi(g, 1, 10, 1);
    iaddi(g, 2, 10, 1);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 6 + 10);
    rig_free(g);
}

// ---- what does not go together -----------------------------------------------------------------
static void refusals(void **state) {
    (void)state;
    static const struct { uint32_t read_latency, ahead; bool on_lanes; const char *why; } row[] = {
        {0, 0, false, "needs a read_latency of 1"},
        {1, 2, false, "of 2 with collector_ahead 2"},
        {3, 3, false, "collector_ahead 0 to 2"},
        {3, 0, true, "does not go with shared_on_lanes"},
    };
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        struct rig *g = entry_rig(LANE_GROUP_AT_ENTRY, row[i].read_latency);
        g->c.collector_ahead = row[i].ahead;
        g->c.shared_on_lanes = row[i].on_lanes;
        struct sm *sm;
        assert_int_equal(sm_create(&g->c, 0, g->port, &exec_computes, g->memory, NULL, &g->d, &sm),
                         WW_ERROR_CONFIG);
        char said[256] = "";
        diags_first(&g->d, said, sizeof said);
        if (strstr(said, row[i].why) == NULL) fail_msg("said '%s'", said);
        g->c.lane_group_at = LANE_GROUP_AT_ISSUE; // then it does
        movi(g, 1, 1);
        exit_(g);
        rig_run(g);
        rig_free(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_adds),
        cmocka_unit_test(independent_adds),
        cmocka_unit_test(who_has_operands),
        cmocka_unit_test(collectors_wait),
        cmocka_unit_test(a_lane_group_takes_one),
        cmocka_unit_test(off_at_entry),
        cmocka_unit_test(exit_waits_for_entry),
        cmocka_unit_test(who_is_on_comes_first),
        cmocka_unit_test(lane_groups_whose_twin_is_off_come_first),
        cmocka_unit_test(rows_delay),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
