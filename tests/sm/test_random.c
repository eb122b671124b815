// Random programs: each scheduler cycle has one owner, counters agree with each other, and the same
// run in quanta of any length gives the same bits. With control bits no operand is read before it
// is there: a technique keeps a scoreboard of its own beside the SM, which has none.
#include "test_listen.h"

static uint32_t seed;
static uint32_t rnd(uint32_t n) { // xorshift32, reduced
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % n;
}

enum { REG_A = 26, REG_TID = 27, REG_LINE = 28, REG_BUF = 29, REG_COUNT = 30 };

static void random_inst(struct rig *g, bool memory) {
    const uint32_t d = rnd(24), a = rnd(24), b = rnd(24);
    switch (rnd(memory ? 14 : 9)) {
    case 0: movi(g, d, rnd(100)); break;
    case 1:
    case 2: iadd(g, d, a, b); break;
    case 3: fadd(g, d, a, b); break;
    case 4: {
        struct minst *m = emit(g, OP_FFMA, OPC_FP_FMA, ITYPE_F32, R(d), R(a), R(b), R(rnd(24)));
        m->rnd = MRND_RN;
        break;
    }
    case 5: mufu(g, d, a); break;
    case 6: dadd(g, d & ~1u, a & ~1u, b & ~1u); break;
    case 7:
        emit(g, OP_IADD, OPC_INT_ADD, ITYPE_U32, R(d), R(a), C(CB_LAUNCH, CB0_NTID_X), NIL());
        break;
    case 8:
        setp_lt(g, 1 + rnd(3), a, rnd(1000));
        movi(g, d, 3)->guard = 1 + rnd(3);
        break;
    case 9: load(g, SPACE_SHARED, d, REG_TID, 4 * rnd(64)); break;
    case 10: store(g, SPACE_SHARED, REG_TID, a, 4 * rnd(64)); break;
    case 11: load(g, SPACE_GLOBAL, d, rnd(2) ? REG_BUF : REG_LINE, 128 * rnd(64)); break;
    case 12: store(g, SPACE_GLOBAL, rnd(2) ? REG_BUF : REG_LINE, a, 128 * rnd(64)); break;
    default:
        if (rnd(3) == 0)
            emit(g, OP_MEMBAR, OPC_FENCE, ITYPE_U32, NIL(), NIL(), NIL(), NIL())->sub = MFENCE_GPU;
        else
            bar(g);
        break;
    }
}

// Some instructions that only the lower threads of a warp skip, without a barrier among them.
static void random_part(struct rig *g) {
    setp_lt(g, 4, REG_TID, 4 * rnd(70));
    struct minst *const b = bra(g, 0);
    const uint32_t at = g->n - 1;
    b->guard = 4;
    for (uint32_t n = 1 + rnd(8); n-- != 0;) random_inst(g, false);
    if (rnd(2)) load(g, SPACE_GLOBAL, rnd(24), REG_BUF, 128 * rnd(64));
    g->inst[at].target = g->inst[at].reconv = (int32_t)g->n;
}

// Two or four sub-cores, with a machine that shares out evenly.
static void share_out(struct sm_config *c) {
    const uint32_t n = 2u << rnd(2);
    c->sub_cores = n;
    c->shared_warps = false;
    uint32_t *const keys[] = {
        &c->schedulers, &c->lane_groups,       &c->sfus,           &c->dp_units,   &c->rf_banks,
        &c->collectors, &c->collectors_sfu, &c->collectors_mem, &c->result_bus, &c->fetch_width};
    for (size_t i = 0; i < WW_COUNT(keys); i++) *keys[i] = (*keys[i] + n - 1) / n * n;
    if (c->active_warps < c->schedulers) c->active_warps = c->schedulers;
    if (c->group_warps < c->schedulers) c->group_warps = c->schedulers;
}

static void random_caches(struct sm_config *c) {
    if (rnd(3) != 0) {
        c->l1d = (struct cache_config){.bytes = 4096,
                                       .line_bytes = 128,
                                       .ways = 4,
                                       .mshrs = 1 + rnd(8),
                                       .mshr_merge = 1 + rnd(4),
                                       .hit_latency = 1 + rnd(40),
                                       .ports = 1,
                                       .write_evict = true,
                                       .lru = rnd(2)};
        c->l1d.sector_bytes = 32u << rnd(3);
        c->l1d_global = c->l1d_local = true;
        c->l1_miss_extra = rnd(5);
        c->reply_extra = rnd(5);
    }
    if (rnd(2))
        c->icache = c->constant = (struct cache_config){.bytes = 2048,
                                                        .line_bytes = 32u << rnd(4),
                                                        .sector_bytes = 32,
                                                        .ways = 2,
                                                        .mshrs = 1 + rnd(4),
                                                        .mshr_merge = 1 + rnd(8),
                                                        .hit_latency = 1,
                                                        .ports = 1,
                                                        .lru = true};
}

static struct rig *random_rig(uint32_t which, bool memory) {
    struct rig *g = rig_new();
    struct sm_config *c = &g->c;
    seed = which * 2654435761u + 12345;
    c->schedulers = 1u << rnd(3);
    c->scheduler = rnd(3);
    c->active_warps = c->schedulers * (1 + rnd(6));
    c->lane_groups = 1 + rnd(4);
    c->rf_banks = 1u << rnd(6);
    c->collector_ports = 1 + rnd(3);
    c->collectors = 1 + rnd(16);
    c->result_bus = 1 + rnd(4);
    c->read_latency = rnd(3);
    c->branch_latency = rnd(8);
    c->fetch_width = 1 + rnd(2);
    c->fetch_instructions = 1 + rnd(2);
    c->ibuffer_entries = c->fetch_instructions * (1 + rnd(2));
    c->fetch_streams = which / 2 % 2;
    c->tensor_read_cycles = 1 + which % 3;
    c->scheduler_interval = 1 + rnd(3) / 2;
    c->issue_width = c->max_issues_per_warp = 1 + rnd(2);
    c->dual_issue_diff_units = rnd(2);
    c->dp_blocks_issue = rnd(2);
    c->int_fp_shared_issue = rnd(2);
    c->dp_pipe = which % 3;
    c->shared_warps = which % 2 && c->scheduler != SCHED_GTO;
    c->lsu_queue = 1 + rnd(8);
    c->active_waits = rnd(2);
    c->collectors_sfu = rnd(4);
    c->collectors_mem = rnd(4);
    c->collector_queue = rnd(3);
    c->collector_reads = rnd(3);
    c->collector_ahead = rnd(4);
    c->write_latency = rnd(3);
    c->int_mul_pipe = rnd(3);
    c->cvt_pipe = c->int_mul_pipe & 1;
    c->ctrl_on_lanes = rnd(2);
    if (which % 3 == 1) {
        c->lane_group_at = LANE_GROUP_AT_ENTRY;
        c->collector_ahead %= 3;
        c->read_latency += 2;
    }
    if (which % 5 == 2 && c->lane_group_at == LANE_GROUP_AT_ISSUE) {
        c->dependences = SM_CONTROL;
        c->late_read = rnd(20);
        c->shared_warps = false;
        c->issue_width = c->max_issues_per_warp = 1;
        if (rnd(2)) c->scheduler = SCHED_GTY;
    }
    c->agu_lanes = 8u << rnd(3);
    c->pending_entries = 1 + rnd(20);
    for (int i = 0; i < OPC_N; i++) {
        if (c->timing[i].latency != 0) c->timing[i].latency = 1 + rnd(i == OPC_DP_ADD ? 700 : 20);
        c->timing[i].interval = 1 + rnd(4) * rnd(2);
    }
    if (memory) random_caches(c);
    if (which % 4 == 3) share_out(c);
    g->port->credits = memory ? 1 + rnd(20) : 1;
    g->args.block[0] = 32 * (1 + rnd(6)) - rnd(2) * rnd(32);
    g->ctas = 1 + rnd(3);
    g->im.shared_bytes = 4096;
    s2r(g, REG_TID, SREG_tid_x);
    address(g, REG_BUF);
    emit(g, OP_SHL, OPC_INT_SHIFT, ITYPE_U32, R(REG_A), R(REG_TID), IMM(7), NIL());
    emit(g, OP_SHL, OPC_INT_SHIFT, ITYPE_U32, R(REG_TID), R(REG_TID), IMM(2), NIL());
    iadd(g, REG_LINE, REG_A, REG_BUF);
    iadd(g, REG_BUF, REG_TID, REG_BUF);
    const int32_t start = (int32_t)g->n;
    const uint32_t length = 10 + rnd(60);
    const bool parts = memory && which % 10 == 7; // threads of their own, under control bits
    if (parts) g->im.target.gen = GEN_VOLTA;
    for (uint32_t i = 0; i < length; i++) {
        if (parts && i % 6 == 5)
            random_part(g);
        else
            random_inst(g, memory);
    }
    iaddi(g, REG_COUNT, REG_COUNT, 1);
    setp_lt(g, 0, REG_COUNT, 5 + rnd(10));
    struct minst *b = bra(g, start);
    b->guard = 0;
    b->reconv = (int32_t)g->n;
    exit_(g);
    return g;
}

static struct activity run(uint32_t which, bool memory, uint64_t quantum, uint64_t *done_at) {
    struct rig *g = random_rig(which, memory);
    g->quantum = quantum;
    g->counts_instructions = true;
    rig_run(g);
    *done_at = g->done_at;
    const struct activity a = *sm_activity(g->sm, g->done_at + 1);
    // What is counted twice agrees.
    uint64_t reads = 0, writes = 0, lanes = 0, by_class = 0, stalls = 0, stall_sum = 0;
    for (int i = 0; i < ACT_MAX_BANKS; i++) {
        reads += a.c[ACT_rf_bank_reads + i];
        writes += a.c[ACT_rf_bank_writes + i];
    }
    for (uint64_t i = 0; i <= 32; i++) lanes += i * a.c[ACT_lanes_active + i];
    for (int i = 0; i < OPC_N; i++) by_class += a.c[ACT_warp_by_class + i];
    assert_int_equal(reads, a.c[ACT_rf_reads]);
    assert_int_equal(writes, a.c[ACT_rf_writes]);
    assert_int_equal(lanes, a.c[ACT_thread_instructions]);
    assert_int_equal(by_class, a.c[ACT_warp_instructions]);
    assert_int_equal(a.c[ACT_warp_instructions],
                     a.c[ACT_issue_slots + STALL_issued] + a.c[ACT_issue_slots + STALL_dual]);
    struct sm_inst_counts *const n = calloc(g->n, sizeof *n);
    sm_add_inst_counts(g->sm, 0, n);
    for (uint32_t pc = 0; pc < g->n; pc++)
        for (int r = 0; r < STALL_N; r++) stalls += n[pc].stall[r];
    for (int r = STALL_dual + 1; r < STALL_N; r++)
        if (r != STALL_no_warp) stall_sum += a.c[ACT_issue_slots + r];
    free(n);
    assert_int_equal(stalls, stall_sum); // every stall cycle is charged to an instruction
    rig_free(g);
    return a;
}

static void quanta_do_not_matter(void **state) {
    (void)state;
    for (uint32_t which = 0; which < 150; which++) {
        for (int memory = 0; memory < 2; memory++) {
            // Answers take 100 cycles, so no quantum may be longer when there are any.
            static const uint64_t quanta[2][4] = {{1000000, 1, 7, 333}, {100, 1, 7, 50}};
            uint64_t want_at, at;
            const struct activity want = run(which, memory, quanta[memory][0], &want_at);
            for (int k = 1; k < 4; k++) {
                const struct activity got = run(which, memory, quanta[memory][k], &at);
                if (at != want_at || memcmp(&want, &got, sizeof want) != 0)
                    fail_msg("program %u (memory %d) differs with a quantum of %llu: %llu, %llu",
                             which, memory, (unsigned long long)quanta[memory][k],
                             (unsigned long long)want_at, (unsigned long long)at);
            }
        }
    }
}

// A technique that does nothing changes nothing.
static void idle(void *self, const struct sm_view *v) {
    (void)v;
    ++*(uint64_t *)self;
}
static void techniques_change_nothing(void **state) {
    (void)state;
    for (uint32_t which = 0; which < 100; which++) {
        uint64_t want_at, calls = 0;
        const struct activity want = run(which, true, 100, &want_at);
        struct rig *g = random_rig(which, true);
        const struct sm_clock_port clock = {.cycle = idle};
        const struct sm_technique p = {.name = "idle", .self = &calls, .clock = &clock};
        g->technique[g->n_techniques++] = &p;
        rig_run(g);
        assert_int_equal(g->done_at, want_at);
        assert_memory_equal(&want, sm_activity(g->sm, g->done_at + 1), sizeof want);
        assert_true(calls > 0 && calls <= want_at + 1);
        rig_free(g);
    }
}

// A listener of all caches changes nothing, and what it hears is what was counted.
static void listeners_change_nothing(void **state) {
    (void)state;
    for (uint32_t which = 0; which < 150; which++) {
        uint64_t want_at;
        const struct activity want = run(which, true, 100, &want_at);
        struct rig *g = random_rig(which, true);
        static struct listen l;
        const struct sm_technique p = listen_technique(&l, g);
        g->technique[g->n_techniques++] = &p;
        rig_run(g);
        assert_int_equal(g->done_at, want_at);
        assert_memory_equal(&want, sm_activity(g->sm, g->done_at + 1), sizeof want);
        if (g->c.l1d.bytes != 0) {
            const uint64_t *const n = l.n[ARRAY_L1D];
            assert_int_equal(n[CACHE_READ_HIT], act(g, ACT_l1_read_hits));
            assert_int_equal(n[CACHE_READ_MISS], act(g, ACT_l1_read_misses));
            assert_int_equal(n[CACHE_READ_MERGE], act(g, ACT_l1_read_merges));
            assert_int_equal(n[CACHE_WRITE_HIT], act(g, ACT_l1_write_hits));
            assert_int_equal(n[CACHE_WRITE_HIT] + n[CACHE_WRITE_MISS], act(g, ACT_l1_writes));
            assert_int_equal(n[CACHE_FILL], act(g, ACT_l1_fills));
            assert_int_equal(n[CACHE_EVICT], act(g, ACT_l1_evictions));
        }
        if (g->c.icache.bytes != 0) {
            const uint64_t *const n = l.n[ARRAY_INST];
            assert_int_equal(n[CACHE_READ_HIT] + n[CACHE_READ_MISS] + n[CACHE_READ_MERGE],
                             act(g, ACT_fetches));
            assert_int_equal(n[CACHE_READ_MISS] + n[CACHE_READ_MERGE], act(g, ACT_icache_misses));
            const uint64_t *const k = l.n[ARRAY_CONST];
            assert_int_equal(k[CACHE_READ_HIT], act(g, ACT_const_reads));
            assert_int_equal(k[CACHE_READ_MISS] + k[CACHE_READ_MERGE], act(g, ACT_const_misses));
        }
        rig_free(g);
    }
}

// What a scoreboard would know: by warp and register the cycle from which on it may be used.
struct shadow {
    const struct sm_config *c;
    uint64_t ready_at[SM_MAX_WARPS][MAX_GPRS];
    uint32_t on_the_way[SM_MAX_WARPS][MAX_GPRS];
    uint64_t reads, early;
    uint32_t state; // of random delays; 0: none
};
static uint32_t delay(struct shadow *h) {
    h->state = h->state * 1664525u + 1013904223u * (h->state != 0);
    return h->state != 0 ? (h->state >> 20) % 4 * ((h->state >> 28) % 2) : 0;
}
static uint32_t shadow_read(void *self, const struct sm_row_access *a) {
    struct shadow *const h = self;
    const uint64_t t = a->cycle - h->c->read_latency;
    for (uint32_t i = 0; i < a->n; i++)
        h->early += h->on_the_way[a->warp][a->reg[i]] != 0 || h->ready_at[a->warp][a->reg[i]] > t;
    h->reads += a->n;
    for (uint32_t i = 0; i < a->n_dst; i++) h->on_the_way[a->warp][a->dst_first + i]++;
    return delay(h);
}
static uint32_t shadow_write(void *self, const struct sm_row_access *a) {
    struct shadow *const h = self;
    const uint32_t more = delay(h);
    for (uint32_t i = 0; i < a->n; i++) {
        h->on_the_way[a->warp][a->reg[i]]--;
        h->ready_at[a->warp][a->reg[i]] = a->cycle + 1 + more;
    }
    return more;
}
static void free_unused(struct rig *g) {
    devmem_destroy(g->memory);
    diags_free(&g->d);
    free(g->inst);
    free(g->port);
    free(g);
}
static void tell_nothing(struct rig *g) {
    for (uint32_t pc = 0; pc < g->n; pc++) {
        g->im.control[pc].stall = 1;
        g->im.control[pc].wait = 0;
    }
}
static void nothing_is_read_early(void **state) {
    (void)state;
    static const struct sm_row_port port = {.read = shadow_read, .write = shadow_write};
    static struct shadow h;
    uint32_t programs = 0;
    uint64_t missed = 0, diverged = 0;
    for (uint32_t which = 2; which < 1000; which += 5) {
        for (uint32_t delays = 0; delays < 3; delays++) { // 2: without the compiler's bits

            struct rig *g = random_rig(which, true);
            if (g->c.dependences != SM_CONTROL) {
                free_unused(g);
                continue;
            }
            h = (struct shadow){.c = &g->c, .state = delays % 2 * (which + 1)};
            if (delays == 2) g->change_control = tell_nothing;
            const struct sm_technique p = {.name = "shadow", .self = &h, .rows = &port};
            g->technique[g->n_techniques++] = &p;
            rig_run(g);
            missed += delays == 2 ? h.early : 0;
            diverged += act(g, ACT_divergent_branches);
            if (delays != 2 && h.early != 0)
                fail_msg("program %u (delays %u): %llu operands too early", which, delays,
                         (unsigned long long)h.early);
            assert_true(h.reads > 0);
            programs++;
            rig_free(g);
        }
    }
    assert_true(programs > 300);
    assert_true(missed > 10000); // it can tell
    assert_true(diverged > 10000);
}

// Registers and memory are those of an SM with a scoreboard.
static void control_changes_no_result(void **state) {
    (void)state;
    enum { BYTES = 64 * 1024 };
    uint8_t *const want = malloc(BYTES), *const got = malloc(BYTES);
    for (uint32_t which = 2; which < 400; which += 5)
        for (uint32_t control = 0; control < 2; control++) {
            struct rig *g = random_rig(which, true);
            g->ctas = 1;
            g->args.block[0] = 32; // what several warps do to one word depends on when
            if (!control) g->c.dependences = SM_SCOREBOARD;
            rig_run(g);
            memcpy(control ? got : want, devmem_host(g->memory, g->buffer, BYTES), BYTES);
            if (control) assert_memory_equal(want, got, BYTES);
            rig_free(g);
        }
    free(want);
    free(got);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quanta_do_not_matter),      cmocka_unit_test(nothing_is_read_early),
        cmocka_unit_test(control_changes_no_result), cmocka_unit_test(techniques_change_nothing),
        cmocka_unit_test(listeners_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
