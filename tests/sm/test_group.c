// SMs that share a front end: lock step, acknowledgements, packets by hand, parting, and that
// results are those of SMs that run alone.
#include "sm/group.h"
#include "sm/kernel.h"
#include "test_listen.h"

enum { MOST = 4 };
struct team {
    struct rig *g; // programs, and the master
    uint32_t n;
    struct sm *sm[MOST];
    struct mem_port *port[MOST];
    struct sm_group *group;
    uint64_t next, t;
    uint64_t done[MOST];
    // Heard of each SM's issues, in order.
    struct told {
        uint32_t n;
        struct sm_issue issue[1 << 15];
    } * told[MOST];
    struct sm_technique listener[MOST];
};

static struct sm_group_config links = {.power_up = 10,
                                             .break_even = 14,
                                             .link_cycles = 2,
                                             .link_um = 5000,
                                             .columns = 2,
                                             .pitch_um = 5000,
                                             .has_stage = true};

static void on_issue(void *self, const struct sm_view *v, const struct sm_issue *i) {
    (void)v;
    struct told *const x = self;
    if (x->n < WW_COUNT(x->issue)) x->issue[x->n++] = *i;
}
static const struct sm_issue_port issue_port = {.issued = on_issue};

static void on_done(void *user, uint32_t sm, uint32_t slot, uint64_t cta, uint64_t cycle) {
    (void)slot, (void)cta;
    struct team *const x = user;
    x->done[sm]++;
    x->g->done++;
    if (cycle > x->g->done_at) x->g->done_at = cycle;
}

// `latency[i]`: of SM i's memory.
static struct team *team_new(struct rig *g, uint32_t n, const uint32_t *latency) {
    struct team *const x = calloc(1, sizeof *x);
    x->g = g;
    x->n = n;
    g->im.inst = g->inst;
    g->im.n_insts = g->n;
    g->args.grid[0] = (uint32_t)g->ctas;
    if (exec_launch_create(&g->im, g->memory, &g->args, &g->d, &g->launch) != WW_OK ||
        sm_kernel_create(&g->c, &g->im, &exec_computes, g->launch, 0x08000000, &g->d, &g->kernel) !=
            WW_OK) {
        diags_print(&g->d, stderr);
        fail();
    }
    const struct sm_callbacks cb = {.cta_done = on_done, .user = x};
    for (uint32_t i = 0; i < n; i++) {
        x->port[i] = calloc(1, sizeof *x->port[i]);
        *x->port[i] = (struct mem_port){.latency = latency[i], .credits = 1000};
        assert_int_equal(
            sm_create(&g->c, i, x->port[i], &exec_computes, g->memory, &cb, &g->d, &x->sm[i]),
            WW_OK);
        x->told[i] = calloc(1, sizeof *x->told[i]);
        x->listener[i] =
            (struct sm_technique){.name = "told", .self = x->told[i], .issue = &issue_port};
        const struct sm_technique *const list = &x->listener[i];
        assert_int_equal(sm_set_techniques(x->sm[i], &list, 1, &g->d), WW_OK);
        assert_int_equal(sm_bind(x->sm[i], 0, g->kernel, &g->d), WW_OK);
    }
    assert_int_equal(sm_group_create(&links, x->sm, n, &g->d, &x->group), WW_OK);
    return x;
}

static bool all_idle(const struct team *x) {
    for (uint32_t i = 0; i < x->n; i++)
        if (!sm_is_idle(x->sm[i])) return false;
    return true;
}

// Sets of CTAs while the group shares, single ones when it does not.
static void team_dispatch(struct team *x) {
    const uint64_t ctas = x->g->ctas;
    while (sm_group_state(x->group) == SM_GROUP_SHARED && ctas - x->next >= x->n &&
           sm_group_can_take(x->group, 0))
        for (uint32_t i = 0; i < x->n; i++) sm_take_cta(x->sm[i], 0, x->next++, x->t);
    bool any = sm_group_state(x->group) == SM_GROUP_APART;
    while (any) {
        any = false;
        for (uint32_t i = 0; i < x->n && x->next < ctas; i++) {
            if (!sm_can_take(x->sm[i], 0)) continue;
            sm_take_cta(x->sm[i], 0, x->next++, x->t);
            any = true;
        }
    }
}

static void team_run(struct team *x) {
    struct exec_log *log[MOST];
    for (uint32_t i = 0; i < x->n; i++) log[i] = sm_log(x->sm[i]);
    while (x->g->done < x->g->ctas || !all_idle(x)) {
        team_dispatch(x);
        sm_group_run(x->group, x->t, x->t + x->g->quantum);
        struct exec_fault f;
        assert_true(exec_commit(x->g->memory, log, x->n, &f));
        uint64_t progress = 0;
        for (uint32_t i = 0; i < x->n; i++) {
            if (sm_broken(x->sm[i])) fail_msg("%s", sm_broken(x->sm[i]));
            if (sm_fault(x->sm[i])) fail_msg("%s", sm_fault(x->sm[i])->text);
            if (sm_last_progress(x->sm[i]) > progress) progress = sm_last_progress(x->sm[i]);
        }
        x->t += x->g->quantum;
        if (x->t > progress + 100000 + x->g->quantum) fail_msg("no progress");
    }
}

static uint64_t of(struct team *x, uint32_t sm, uint32_t a) {
    return sm_activity(x->sm[sm], x->g->done_at + 1)->c[a];
}

static void team_free(struct team *x) {
    struct rig *const g = x->g;
    sm_group_destroy(x->group);
    for (uint32_t i = 0; i < x->n; i++) {
        uint64_t slots = 0; // each scheduler cycle has one owner
        const struct activity *const a = sm_activity(x->sm[i], g->done_at + 1);
        for (int k = 0; k < STALL_N; k++)
            if (k != STALL_dual) slots += a->c[ACT_issue_slots + k];
        assert_int_equal(slots, a->c[ACT_sm_busy_cycles] * g->c.schedulers);
        sm_unbind(x->sm[i], 0);
        sm_destroy(x->sm[i]);
        free(x->port[i]);
        free(x->told[i]);
    }
    sm_kernel_destroy(g->kernel);
    exec_launch_destroy(g->launch);
    devmem_destroy(g->memory);
    diags_free(&g->d);
    free(g->inst);
    free(g->port);
    free(g);
    free(x);
}

static const uint32_t even[MOST] = {100, 100, 100, 100}, uneven[MOST] = {100, 130, 90, 170};

// ---- packets by hand --------------------------------------------------------------------------
// One warp: two moves, a load, a use of it, a store, exit: six instructions.
static struct rig *small(void) {
    struct rig *const g = rig_new();
    address(g, 1);
    movi(g, 2, 7);
    load(g, SPACE_GLOBAL, 3, 1, 0);
    iadd(g, 4, 3, 2);
    store(g, SPACE_GLOBAL, 1, 4, 128);
    exit_(g);
    return g;
}

static void packets(void **state) {
    (void)state;
    for (uint32_t n = 2; n <= 4; n += 2) {
        struct rig *const g = small();
        g->ctas = n;
        struct team *const x = team_new(g, n, even);
        sm_group_form(x->group, 0);
        team_run(x);
        static const uint32_t um[MOST] = {0, 5000, 5000, 10000}; // two columns of SMs
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t is_slave = i != 0;
            assert_int_equal(sm_group_distance_um(x->group, i), um[i]);
            assert_int_equal(of(x, i, ACT_cluster_inst_packets), 6 * is_slave);
            assert_int_equal(of(x, i, ACT_cluster_mask_packets), is_slave); // of the exit
            assert_int_equal(of(x, i, ACT_cluster_mem_packets), 2 * is_slave);
            assert_int_equal(of(x, i, ACT_cluster_control_packets), 0);
            assert_int_equal(of(x, i, ACT_cluster_bit_um),
                             (uint64_t)(7 * 64 + 2 * 16) * is_slave * um[i]);
            assert_int_equal(of(x, i, ACT_warp_instructions), 6);
            assert_int_equal(of(x, i, ACT_ibuffer_reads), is_slave ? 0 : 6);
            assert_int_equal(of(x, i, ACT_scoreboard_writes), is_slave ? 0 : 8);
            assert_int_equal(of(x, i, ACT_shared_scoreboard_writes), is_slave ? 0 : 8);
            assert_int_equal(of(x, i, ACT_shared_cycles), of(x, i, ACT_sm_busy_cycles));
            assert_int_equal(of(x, i, ACT_front_off_cycles),
                             is_slave * of(x, i, ACT_sm_busy_cycles));
            assert_int_equal(of(x, i, ACT_front_overhead), 14 * is_slave);
            if (is_slave) {
                assert_int_equal(of(x, i, ACT_fetches), 0);
                assert_int_equal(of(x, i, ACT_decodes), 0);
                assert_int_equal(of(x, i, ACT_scoreboard_reads), 0);
                assert_int_equal(of(x, i, ACT_scheduler_arbitrations), 0);
            }
        }
        team_free(x);
    }
}

// The addition issues when the load of the slower memory, and its acknowledgement, have come: 150
// cycles of memory later than with the faster one, and one for the way.
static uint64_t issued_at(const struct team *x, uint32_t sm, uint32_t pc) {
    for (uint32_t i = 0; i < x->told[sm]->n; i++)
        if (x->told[sm]->issue[i].pc == pc) return x->told[sm]->issue[i].cycle;
    fail_msg("it has not issued");
    return 0;
}

static void acknowledgements(void **state) {
    (void)state;
    static const uint32_t slow_slave[] = {100, 250}, slow_master[] = {250, 100},
                          same[] = {250, 250};
    uint64_t at[3];
    const uint32_t *const each[] = {slow_slave, slow_master, same};
    for (uint32_t k = 0; k < 3; k++) {
        struct rig *const g = small();
        g->ctas = 2;
        struct team *const x = team_new(g, 2, each[k]);
        sm_group_form(x->group, 0);
        team_run(x);
        at[k] = issued_at(x, 0, 3);
        assert_int_equal(at[k], issued_at(x, 1, 3));
        if (k == 0) assert_true(of(x, 0, ACT_cluster_waits) > 0);
        team_free(x);
    }
    assert_int_equal(at[0], at[1] + 1); // the slave's acknowledgement takes a cycle
    assert_int_equal(at[2], at[0]);
}

// The slow memory of any slave is waited for.
static void every_acknowledgement(void **state) {
    (void)state;
    uint64_t first = 0;
    for (uint32_t slow = 1; slow < MOST; slow++) {
        uint32_t latency[MOST] = {100, 100, 100, 100};
        latency[slow] = 250;
        struct rig *const g = small();
        g->ctas = MOST;
        struct team *const x = team_new(g, MOST, latency);
        sm_group_form(x->group, 0);
        team_run(x);
        for (uint32_t i = 0; i < MOST; i++)
            assert_int_equal(issued_at(x, i, 3), issued_at(x, 0, 3));
        assert_true(issued_at(x, 0, 3) > issued_at(x, 0, 2) + 250);
        if (slow == 1) first = issued_at(x, 0, 3);
        assert_int_equal(issued_at(x, 0, 3), first);
        team_free(x);
    }
}

// Slaves that follow: the chain is as alone, and the master hears of a slave's load two ways later.
static void slaves_follow(void **state) {
    (void)state;
    links.has_stage = false;
    links.follows = true;
    struct rig *g = rig_new();
    movi(g, 1, 1);
    for (uint32_t i = 0; i < 3; i++) iaddi(g, 1, 1, 1);
    exit_(g);
    g->ctas = 2;
    struct team *x = team_new(g, 2, even);
    sm_group_form(x->group, 0);
    team_run(x);
    assert_int_equal(issued_at(x, 1, 3) - issued_at(x, 1, 0), 30);
    team_free(x);
    uint64_t at[2];
    for (uint32_t slow = 0; slow < 2; slow++) {
        const uint32_t latency[] = {slow ? 100 : 250, slow ? 250 : 100};
        g = small();
        g->ctas = 2;
        x = team_new(g, 2, latency);
        sm_group_form(x->group, 0);
        team_run(x);
        at[slow] = issued_at(x, 0, 3);
        team_free(x);
    }
    assert_int_equal(at[1], at[0] + 2);
    links.has_stage = true;
    links.follows = false;
}

// Links of one packet a cycle. A mask takes no instruction's place: another warp issues in the cycle
// behind a branch. But it takes a slot: nothing but branches issues in every second cycle only.
static uint64_t branches(uint32_t link_cycles, bool *next_cycle) {
    enum { N = 20 };
    links.link_cycles = link_cycles;
    struct rig *const g = rig_new();
    g->args.block[0] = 32 * 32;
    for (uint32_t i = 0; i < N; i++) bra(g, (int32_t)i + 1);
    exit_(g);
    g->ctas = 2;
    struct team *const x = team_new(g, 2, even);
    sm_group_form(x->group, 0);
    team_run(x);
    const struct told *const m = x->told[0];
    assert_int_equal(m->n, 32 * (N + 1));
    assert_int_equal(of(x, 1, ACT_cluster_mask_packets), 32 * (N + 1));
    *next_cycle = false;
    for (uint32_t i = 1; i < m->n; i++)
        *next_cycle |= m->issue[i].cycle == m->issue[i - 1].cycle + 1;
    const uint64_t took = m->issue[m->n - 1].cycle - m->issue[0].cycle;
    team_free(x);
    links.link_cycles = 2;
    return took;
}

static void masks_take_free_slots(void **state) {
    (void)state;
    bool next_cycle;
    const uint64_t wide = branches(8, &next_cycle), packets = 2 * 32 * 21;
    assert_true(wide < packets - 64);
    assert_true(branches(1, &next_cycle) >= packets - 64); // the last warps' masks may be behind
    assert_true(next_cycle);
}

// A chain of additions: the communicate stage makes each a cycle longer; the fourth is 3 later.
static void communicate_stage(void **state) {
    (void)state;
    uint64_t at[2];
    for (uint32_t shared = 0; shared < 2; shared++) {
        struct rig *const g = rig_new();
        movi(g, 1, 1);
        for (uint32_t i = 0; i < 3; i++) iaddi(g, 1, 1, 1);
        exit_(g);
        g->ctas = 2;
        struct team *const x = team_new(g, 2, even);
        if (shared) sm_group_form(x->group, 0);
        team_run(x);
        at[shared] = issued_at(x, 1, 3) - issued_at(x, 1, 0);
        team_free(x);
    }
    assert_int_equal(at[0], 30);
    assert_int_equal(at[1], 33);
}

// ---- parting ----------------------------------------------------------------------------------
// CTAs whose number is odd jump over an instruction; all store a value.
static struct rig *parting(void) {
    struct rig *const g = rig_new();
    s2r(g, 2, SREG_ctaid_x);
    movi(g, 3, 5);
    setp_lt(g, 0, 2, 1);
    struct minst *const jump = bra(g, 5);
    jump->guard = 0;
    jump->reconv = 5;
    movi(g, 3, 6);
    address(g, 1);
    emit(g, OP_SHL, OPC_INT_SHIFT, ITYPE_U32, R(2), R(2), IMM(7), NIL());
    iadd(g, 1, 1, 2);
    store(g, SPACE_GLOBAL, 1, 3, 0);
    exit_(g);
    return g;
}

static void parts_once(void **state) {
    (void)state;
    struct rig *const g = parting();
    g->ctas = 8;
    struct team *const x = team_new(g, 2, even);
    const uint64_t buffer = g->buffer;
    sm_group_form(x->group, 0);
    team_run(x);
    assert_int_equal(sm_group_state(x->group), SM_GROUP_APART);
    assert_int_equal(of(x, 0, ACT_ungroups), 1);
    assert_int_equal(of(x, 1, ACT_cluster_control_packets), 1);
    assert_true(of(x, 1, ACT_shared_cycles) < of(x, 1, ACT_sm_busy_cycles));
    assert_true(of(x, 1, ACT_fetches) > 0); // on its own again
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t *const v = (const uint32_t *)devmem_host(g->memory, buffer + 128 * i, 4);
        assert_int_equal(*v, i < 1 ? 5 : 6);
    }
    // It shares again when the next kernel starts, not before.
    sm_group_form(x->group, x->t);
    assert_int_equal(sm_group_state(x->group), SM_GROUP_SHARED);
    team_free(x);
}

// ---- the compiler's hint ------------------------------------------------------------------------
// A jump through a table of two by what `from` leaves in register 2.
enum { BY_CTA, BY_THREAD, BY_MEMORY };
static uint32_t targets[] = {7, 9};
static struct rig *table_jump(uint32_t from) {
    struct rig *const g = rig_new();
    static struct code_table table = {targets, 2};
    g->im.tables = &table;
    g->im.n_tables = 1;
    s2r(g, 4, SREG_ctaid_x);
    address(g, 1);
    emit(g, OP_SHL, OPC_INT_SHIFT, ITYPE_U32, R(5), R(4), IMM(7), NIL());
    iadd(g, 1, 1, 5);
    s2r(g, 2, from == BY_THREAD ? SREG_tid_y : SREG_ctaid_x);
    if (from == BY_MEMORY)
        load(g, SPACE_GLOBAL, 2, 1, 4096); // zero everywhere
    else
        iaddi(g, 2, 2, 0);
    struct minst *const m = emit(g, OP_BRX, OPC_CTRL, ITYPE_U32, NIL(), R(2), NIL(), NIL()); // 6
    m->reconv = 10;
    movi(g, 3, 5);
    bra(g, 10);
    movi(g, 3, 6);
    store(g, SPACE_GLOBAL, 1, 3, 0); // 10
    exit_(g);
    g->ctas = 2;
    return g;
}

static void hints(void **state) {
    (void)state;
    for (uint32_t from = BY_CTA; from <= BY_MEMORY; from++) {
        struct rig *const g = table_jump(from);
        const uint64_t buffer = g->buffer;
        struct team *const x = team_new(g, 2, even);
        for (uint32_t i = 0; i < g->n;
             i++) // nothing but the jump, and that only by what may differ
            assert_int_equal((g->kernel->inst[i].flags & SI_VARIES) != 0,
                             i == 6 && from != BY_THREAD);
        sm_group_form(x->group, 0);
        team_run(x);
        assert_int_equal(of(x, 0, ACT_ungroups),
                         from != BY_THREAD); // of memory that is the same, too
        for (uint32_t i = 0; i < 2; i++) {
            const uint32_t *const v = (const uint32_t *)devmem_host(g->memory, buffer + 128 * i, 4);
            assert_int_equal(*v, from == BY_CTA && i == 1 ? 6 : 5);
        }
        team_free(x);
    }
}

// Without the hint the masks are the same and the targets are not: lock step notices.
static void a_missing_hint_is_found(void **state) {
    (void)state;
    struct rig *const g = table_jump(BY_CTA);
    struct team *const x = team_new(g, 2, even);
    g->kernel->inst[6].flags &= (uint16_t)~SI_VARIES;
    sm_group_form(x->group, 0);
    for (uint32_t i = 0; i < 2; i++) sm_take_cta(x->sm[i], 0, i, 0);
    sm_group_run(x->group, 0, 1000);
    assert_non_null(sm_broken(x->sm[0]));
    assert_non_null(strstr(sm_broken(x->sm[0]), "without a hint"));
    sm_group_destroy(x->group); // in the middle of a kernel
    for (uint32_t i = 0; i < 2; i++) {
        sm_destroy(x->sm[i]);
        free(x->port[i]);
        free(x->told[i]);
    }
    sm_kernel_destroy(g->kernel);
    exec_launch_destroy(g->launch);
    devmem_destroy(g->memory);
    diags_free(&g->d);
    free(g->inst);
    free(g->port);
    free(g);
    free(x);
}

// ---- random programs ----------------------------------------------------------------------------
static uint32_t seed;
static uint32_t rnd(uint32_t n) {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % n;
}

enum { BUFFER = 28, TID = 27, MINE = 26, WORDS = 64 };
static void random_inst(struct rig *g) {
    const uint32_t d = rnd(20), a = rnd(20), b = rnd(20);
    switch (rnd(10)) {
    case 0: movi(g, d, rnd(100)); break;
    case 1: iadd(g, d, a, b); break;
    case 2: fadd(g, d, a, b); break;
    case 3: mufu(g, d, a); break;
    case 4: load(g, SPACE_SHARED, d, TID, 512 * rnd(8)); break;
    case 5: store(g, SPACE_SHARED, TID, a, 512 * rnd(8)); break;
    case 6: load(g, SPACE_GLOBAL, d, BUFFER, 128 * rnd(WORDS)); break;
    case 7: store(g, SPACE_GLOBAL, MINE, a, 4 * rnd(8)); break;
    case 8: bar(g); break;
    default: { // a branch of some lanes, by data
        setp_lt(g, 1, a, rnd(40));
        struct minst *const m = bra(g, 0);
        m->guard = 1;
        const uint32_t at = g->n - 1, n = 1 + rnd(3);
        for (uint32_t i = 0; i < n; i++) iaddi(g, rnd(20), rnd(20), rnd(9));
        g->inst[at].target = g->inst[at].reconv = (int32_t)g->n;
        break;
    }
    }
}

static struct rig *random_rig(uint32_t which) {
    struct rig *const g = rig_new();
    seed = which * 2654435761u + 99;
    g->c.schedulers = 1u << rnd(2);
    g->c.scheduler = rnd(SCHED_KINDS);
    g->c.group_warps = 4;
    g->c.max_issues_per_warp = g->c.issue_width = 1 + rnd(2);
    g->c.collectors = 2 + rnd(8);
    g->c.rf_banks = 1u << rnd(5);
    g->c.collector_ports = 1;
    g->c.fetch_instructions = 2;
    g->c.ibuffer_entries = 2;
    g->c.fetch_width = 1;
    g->c.result_bus = 1 + rnd(3);
    g->args.block[0] = 32 * (1 + rnd(4));
    g->args.dynamic_shared = 4096;
    g->im.n_barriers = 1;
    // each thread has 32 bytes of its own behind what all read
    s2r(g, TID, SREG_tid_x);
    s2r(g, 20, SREG_ctaid_x);
    movi(g, 21, g->args.block[0]);
    emit(g, OP_IMAD, OPC_INT_MAD, ITYPE_U32, R(22), R(20), R(21), R(TID));
    emit(g, OP_SHL, OPC_INT_SHIFT, ITYPE_U32, R(22), R(22), IMM(5), NIL());
    address(g, BUFFER);
    iaddi(g, MINE, BUFFER, 128 * WORDS + 4096);
    iadd(g, MINE, MINE, 22);
    emit(g, OP_SHL, OPC_INT_SHIFT, ITYPE_U32, R(TID), R(TID), IMM(2), NIL());
    for (uint32_t i = 0; i < 20; i++) movi(g, i, i);
    if (rnd(2)) iadd(g, 5, 5, 20); // CTAs differ
    const uint32_t n = 20 + rnd(40);
    for (uint32_t i = 0; i < n; i++) random_inst(g);
    exit_(g);
    g->ctas = 9 + rnd(8);
    return g;
}

enum { KEPT = 1 << 19 };
static void run_random(uint32_t which, uint32_t n, uint64_t forced, uint64_t quantum, bool shares,
                       uint8_t *kept, uint64_t *end) {
    struct rig *const g = random_rig(which);
    // what is left of the grid goes to SMs apart: here the grid divides
    g->ctas = g->ctas / 4 * 4;
    g->quantum = quantum;
    struct team *const x = team_new(g, n, uneven);
    if (shares) sm_group_form(x->group, 0);
    if (forced != 0) sm_group_ungroup_at(x->group, forced);
    team_run(x);
    // In lock step all issue the same instructions of the same warps in the same cycles.
    uint64_t same = 0;
    const struct told *const m = x->told[0];
    for (uint32_t i = 1; i < n && shares; i++)
        for (uint64_t k = 0; k < of(x, i, ACT_shared_instructions); k++, same++) {
            const struct sm_issue *const a = &m->issue[k], *const b = &x->told[i]->issue[k];
            assert_true(a->cycle == b->cycle && a->warp == b->warp && a->pc == b->pc &&
                        a->scheduler == b->scheduler);
        }
    if (shares && forced == 0) assert_true(same > 0);
    assert_true(of(x, 0, ACT_ungroups) <= 1);
    for (uint32_t i = 0; i < n && sm_group_state(x->group) == SM_GROUP_SHARED; i++)
        assert_int_equal(x->done[i], g->ctas / n);
    memcpy(kept, devmem_host(g->memory, g->buffer, KEPT), KEPT);
    *end = g->done_at;
    team_free(x);
}

static void random_programs(void **state) {
    (void)state;
    uint8_t *const alone = malloc(KEPT), *const shared = malloc(KEPT);
    for (uint32_t which = 0; which < 40; which++) {
        uint64_t end, first;
        const uint32_t n = 2 + which % 2 * 2;
        links.follows = which % 4 > 1;
        links.has_stage = !links.follows;
        links.link_cycles = 1 + which % 3;
        run_random(which, n, 0, 100, false, alone, &end);
        run_random(which, n, 0, 100, true, shared, &first);
        assert_memory_equal(alone, shared, KEPT);
        run_random(which, n, 0, 37, true, shared, &end); // quanta of any length
        assert_memory_equal(alone, shared, KEPT);
        seed = which + 1;
        run_random(which, n, 1 + rnd(2000), 100, true, shared, &end); // ungrouped anywhere
        assert_memory_equal(alone, shared, KEPT);
    }
    free(alone);
    free(shared);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets),
        cmocka_unit_test(acknowledgements),
        cmocka_unit_test(every_acknowledgement),
        cmocka_unit_test(communicate_stage),
        cmocka_unit_test(slaves_follow),
        cmocka_unit_test(masks_take_free_slots),
        cmocka_unit_test(parts_once),
        cmocka_unit_test(hints),
        cmocka_unit_test(a_missing_hint_is_found),
        cmocka_unit_test(random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
