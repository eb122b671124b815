// Techniques in a whole SM, on random programs of all unit types: results do not change, every idle
// cycle has exactly one state, nothing executes in a unit that is off, a blackout is never cut
// short, and the last lane group never goes off while an active warp wants one.
#include "../sm/test_rig.h"
#include "savings/savings.h"
#include "savings/gating.h"
#include "savings/savings_int.h"

enum { WARPS = 24, WORDS = WARPS * 32 };
static uint32_t seed;
static uint32_t draw(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static struct rig *program(uint32_t number, uint32_t scheduler, bool is_kepler,
                           uint32_t lane_group_at) {
    seed = number;
    struct rig *g = rig_new();
    struct sm_config *const c = &g->c;
    c->schedulers = is_kepler ? 4 : 2;
    c->lane_groups = is_kepler ? 6 : 2;
    c->issue_width = c->max_issues_per_warp = is_kepler ? 2 : 1;
    c->int_fp_shared_issue = draw(2);
    c->scheduler = scheduler;
    c->active_warps = 16;
    c->group_warps = 8;
    c->read_latency = draw(4);
    c->shared_warps = scheduler <= SCHED_TWO_LEVEL && scheduler != SCHED_GTO && number % 2 == 0;
    c->active_waits = draw(2);
    c->ctrl_on_lanes = draw(2);
    c->int_mul_pipe = draw(2);
    c->write_latency = draw(2);
    c->timing[OPC_SFU_RCP].interval = 4;
    c->timing[OPC_INT_ADD].interval = (uint16_t)(1 + number % 3);
    c->timing[OPC_FP_ADD].interval = (uint16_t)(1 + number / 2 % 2);
    if (lane_group_at == LANE_GROUP_AT_ENTRY) {
        c->lane_group_at = lane_group_at;
        c->collector_ahead = number % 3;
        c->read_latency += 2;
        c->collectors = 4 + number;
    }
    g->args.block[0] = WORDS / 2;
    g->ctas = 2;
    s2r(g, 10, SREG_tid_x);
    s2r(g, 11, SREG_ctaid_x);
    struct minst *m = emit(g, OP_IMAD, OPC_INT_MAD, ITYPE_U32, R(10), R(11), IMM(WORDS / 2), R(10));
    (void)m;
    iadd(g, 10, 10, 10); // four bytes a word
    iadd(g, 10, 10, 10);
    address(g, 11);
    iadd(g, 10, 10, 11);
    for (uint32_t i = 0; i < 8; i++) iaddi(g, i, 10, i);
    for (uint32_t i = 0; i < 120; i++) {
        const uint32_t d = draw(8), a = draw(8), b = draw(8), run = 1 + draw(5);
        switch (draw(8)) {
        case 0:
        case 1:
        case 2:
            for (uint32_t k = 0; k < run; k++) iadd(g, (d + k) % 8, a, b);
            break;
        case 3:
        case 4:
            for (uint32_t k = 0; k < run; k++) fadd(g, (d + k) % 8, a, b);
            break;
        case 5: mufu(g, d, a); break;
        case 6: load(g, SPACE_GLOBAL, d, 10, 4096 * (1 + draw(3))); break;
        default: store(g, SPACE_GLOBAL, 10, d, 4096 * 4 * (1 + draw(2))); break;
        }
        if (i == 60) bar(g);
    }
    for (uint32_t i = 0; i < 8; i++) store(g, SPACE_GLOBAL, 10, i, 4096 * 4 * (4 + i));
    exit_(g);
    return g;
}

// ---- a witness ---------------------------------------------------------------------------------
struct witness {
    struct savings_sm *sm;
    bool coordinated;
    uint64_t issues, was_dark[2]; // by type: all lane groups were off
};
static void saw_issue(void *self, const struct sm_view *v, const struct sm_issue *i) {
    struct witness *w = self;
    w->issues++;
    // Without a delay it may have been woken for this instruction.
    const bool has_delay = savings_gating(w->sm)->times.wakeup_delay != 0;
    if (i->pipe < SM_PIPE_LDST && has_delay)
        assert_true(savings_gating(w->sm)->gate[i->pipe].off_from > v->cycle);
    if (i->pipe < SM_PIPES && (savings_gating(w->sm)->pipes >> i->pipe & 1))
        assert_int_equal(savings_gating(w->sm)->domain[i->pipe].state, GATE_ON);
}
static void saw_cycle(void *self, const struct sm_view *v) {
    struct witness *w = self;
    const struct gating *const all = savings_gating(w->sm);
    if (!all->is_busy) return;
    // The SM and the domain, when it is told, agree; without a wakeup delay what may be woken
    // counts as on.
    FOR_EACH_BIT64(p, all->times.wakeup_delay != 0 ? all->pipes : 0) {
        struct gate_domain d = all->domain[p];
        const uint32_t type = all->type_of[p];
        const uint64_t idle_from = savings_idle_from(v, (uint32_t)p);
        if (all->rule[type]->settle == NULL)
            domain_settle(&d, idle_from, all->idle_detect[type], v->cycle);
        assert_int_equal(all->gate[p].off_from <= v->cycle && idle_from != DOMAIN_NEVER,
                         d.state != GATE_ON);
    }
    if (!w->coordinated) return;
    for (uint32_t type = 0; type < 2; type++) {
        const struct gating *const g = savings_gating(w->sm);
        uint32_t off = 0;
        uint64_t newest = 0;
        for (uint32_t p = g->first[type]; p < g->first[type] + (uint32_t)g->n[type]; p++) {
            off += g->domain[p].state == GATE_OFF;
            if (g->domain[p].since > newest) newest = g->domain[p].since;
        }
        const bool dark = off == g->n[type];
        // It went dark in this very cycle: nobody may be there.
        if (dark && !w->was_dark[type] && newest == v->cycle)
            assert_int_equal(savings_active(v, type == 0 ? UNIT_INT : UNIT_FP), 0);
        w->was_dark[type] = dark;
    }
}

struct outcome {
    uint8_t memory[4096 * 4 * 12];
    struct activity a;
    uint64_t cycles;
};
enum watched { ALONE, WITNESS, EVERY_CYCLE }; // what looks on; the last has each cycle simulated
static void go(uint32_t number, uint32_t scheduler, bool is_kepler, uint32_t lane_group_at,
               const struct savings *s, struct outcome *out, enum watched by) {
    struct rig *g = program(number, scheduler, is_kepler, lane_group_at);
    struct witness w = {0};
    const struct sm_issue_port issue = {.issued = saw_issue};
    const struct sm_clock_port clock = {.cycle = saw_cycle};
    const struct sm_technique p = {.name = "witness", .self = &w, .issue = &issue, .clock = &clock};
    if (s != NULL) {
        w.sm = savings_sm_create(s, &g->c);
        w.coordinated = s->mechanisms >> SAVINGS_coordinated_blackout & 1;
        g->n_techniques = savings_sm_techniques(w.sm, g->technique);
        if (by == WITNESS && savings_gating(w.sm) != NULL) g->technique[g->n_techniques++] = &p;
    }
    g->every_cycle = by == EVERY_CYCLE;
    out->cycles = rig_run(g);
    out->a = *sm_activity(g->sm, g->done_at + 1);
    memcpy(out->memory, devmem_host(g->memory, g->buffer, sizeof out->memory), sizeof out->memory);
    rig_free(g);
    if (s != NULL) savings_sm_destroy(w.sm);
}

static struct savings technique(uint32_t mechanisms, uint32_t sfu, uint32_t ldst) {
    struct savings s = {.mechanisms = mechanisms};
    for (uint32_t i = 0; savings_option_at(i).is != NULL; i++)
        s.value[i] = savings_option_at(i).is->value;
    savings_set(&s, "gate_sfu", sfu);
    savings_set(&s, "gate_ldst", ldst);
    return s;
}

#define M(id) (1u << SAVINGS_##id)
static const uint32_t set[] = {M(conv_pg),
                               M(gates),
                               M(gates) | M(conv_pg),
                               M(naive_blackout),
                               M(gates) | M(naive_blackout),
                               M(coordinated_blackout), // on any scheduler
                               M(coordinated_blackout) | M(adaptive),
                               M(gates) | M(coordinated_blackout),
                               M(gates) | M(coordinated_blackout) | M(adaptive)};

static void check(const struct outcome *x, const struct savings *s, uint32_t lane_groups) {
    const uint64_t *c = x->a.c;
    for (uint32_t d = 0; d < ACT_SFU_DOMAIN; d++) {
        const bool is_there = d % 8 < lane_groups;
        const uint64_t busy = d < 8 ? c[ACT_int_busy_cycles + d] : c[ACT_fp_busy_cycles + d - 8];
        if (is_there) assert_int_equal(c[ACT_idle_cycles + d] + busy, c[ACT_sm_busy_cycles]);
    }
    for (uint32_t d = 0; d < ACT_DOMAINS; d++) {
        const bool gated = (d < 16 && d % 8 < lane_groups) ||
                           (d == ACT_SFU_DOMAIN && savings_value(s, "gate_sfu")) ||
                           (d == ACT_LDST_DOMAIN && savings_value(s, "gate_ldst"));
        const uint64_t states = c[act_number("gate_on_idle") + d] + c[act_number("gate_uncompensated") + d] +
                                c[act_number("gate_compensated") + d] + c[act_number("gate_wakeup") + d];
        const bool any =
            gated && (s->mechanisms & (M(conv_pg) | M(naive_blackout) | M(coordinated_blackout)));
        assert_int_equal(states, any ? c[ACT_idle_cycles + d] : 0);
        assert_true(c[act_number("gate_on_idle") + d] <= c[ACT_idle_cycles + d]); // not below zero
        assert_true(c[act_number("gate_uncompensated") + d] <= 14 * c[act_number("gate_events") + d]);
        assert_true(c[act_number("gate_wakeups") + d] <= c[act_number("gate_events") + d]);
        if (d < 16 && !(s->mechanisms & M(conv_pg)))
            assert_int_equal(c[act_number("gate_early_wakeups") + d], 0);
    }
    uint64_t periods = 0, length = 0, set_cycles = 0;
    for (uint32_t i = 0; i < ACT_IDLE_LENGTHS; i++) {
        periods += c[ACT_idle_periods_int + i];
        length += i * c[ACT_idle_periods_int + i];
    }
    uint64_t idle = 0;
    for (uint32_t d = 0; d < lane_groups; d++)
        idle += c[ACT_idle_cycles + d] - c[ACT_idle_sent + d];
    assert_true(periods != 0 && length <= idle);
    // A blackout leaves no period between idle-detect and the break-even time behind it, but for
    // the last of each pipeline, which the program's end cuts.
    uint64_t middle = 0;
    for (uint32_t i = 5 + 1; i < 5 + 14; i++) middle += c[ACT_idle_periods_int + i];
    if (s->mechanisms & M(naive_blackout)) assert_true(middle <= lane_groups);
    for (uint32_t i = 0; i <= 64; i++) set_cycles += c[ACT_active_set_cycles + i];
    assert_int_equal(set_cycles, c[ACT_sm_busy_cycles]);
}

static void all_programs(bool is_kepler, uint32_t lane_group_at) {
    static struct outcome want, got;
    uint64_t events = 0, dark_wakeups = 0;
    for (uint32_t n = 1; n <= 12; n++) {
        for (uint32_t scheduler = SCHED_LRR; scheduler <= SCHED_CTA_AWARE; scheduler++) {
            const struct savings off = technique(0, 0, 0);
            go(n, scheduler, is_kepler, LANE_GROUP_AT_ISSUE, NULL, &want, WITNESS);
            check(&want, &off, is_kepler ? 6 : 2);
            for (uint32_t i = 0; i < WW_COUNT(set); i++) {
                struct savings s = technique(set[i], n & 1, n >> 1 & 1);
                if (lane_group_at == LANE_GROUP_AT_ENTRY && n % 4 == 0)
                    savings_set(&s, "wakeup_delay", 0);
                go(n, scheduler, is_kepler, lane_group_at, &s, &got, WITNESS);
                assert_memory_equal(got.memory, want.memory, sizeof want.memory);
                assert_int_equal(got.a.c[ACT_warp_instructions], want.a.c[ACT_warp_instructions]);
                check(&got, &s, is_kepler ? 6 : 2);
                events += got.a.c[act_number("gate_events")];
                dark_wakeups += got.a.c[act_number("gate_critical_wakeups")];
            }
        }
    }
    assert_true(events > 100 && dark_wakeups > 0);
}
static void fermi(void **state) {
    (void)state;
    all_programs(false, LANE_GROUP_AT_ISSUE);
}
static void kepler(void **state) {
    (void)state;
    all_programs(true, LANE_GROUP_AT_ISSUE);
}
static void fermi_at_entry(void **state) {
    (void)state;
    all_programs(false, LANE_GROUP_AT_ENTRY);
}
static void kepler_at_entry(void **state) {
    (void)state;
    all_programs(true, LANE_GROUP_AT_ENTRY);
}

static const uint32_t of_lanes[] = {
    M(lane_pg), M(lane_pg) | M(warp_folding), M(lane_pg) | M(lane_shifting),
    M(gates) | M(lane_pg) | M(warp_folding) | M(lane_shifting) | M(origami_scheduler)};
// A cycle in which nothing happens may be simulated or not: nothing depends on it.
static void every_cycle(void **state) {
    (void)state;
    static struct outcome sparse, dense;
    static const uint32_t delay[] = {3, 0, 9};
    for (uint32_t n = 1; n <= 12; n++)
        for (uint32_t k = 0; k < 4 * (WW_COUNT(set) + WW_COUNT(of_lanes)); k++) {
            const bool has_lanes = k >= 4 * WW_COUNT(set), is_kepler = k & 1, at_entry = k & 2;
            const uint32_t at = at_entry ? LANE_GROUP_AT_ENTRY : LANE_GROUP_AT_ISSUE,
                           scheduler = (n + k / 4) % 5;
            struct savings s = technique(has_lanes ? of_lanes[k / 4 - WW_COUNT(set)] : set[k / 4],
                                         n & 1, n >> 1 & 1);
            savings_set(&s, "wakeup_delay", delay[n % WW_COUNT(delay)]);
            go(n, scheduler, is_kepler, at, &s, &sparse, ALONE);
            go(n, scheduler, is_kepler, at, &s, &dense, EVERY_CYCLE);
            if (sparse.cycles != dense.cycles || memcmp(&sparse.a, &dense.a, sizeof dense.a) != 0)
                print_error(
                    "program %u, technique %u, scheduler %u, %s, at %s: %llu and %llu cycles\n", n,
                    k, scheduler, is_kepler ? "kepler" : "fermi", at_entry ? "entry" : "issue",
                    (unsigned long long)sparse.cycles, (unsigned long long)dense.cycles);
            assert_int_equal(sparse.cycles, dense.cycles);
            assert_memory_equal(&sparse.a, &dense.a, sizeof dense.a);
        }
}

// An SM that was off computes the same, a wakeup later.
static void whole_sms(void **state) {
    (void)state;
    static struct outcome want, got;
    for (uint32_t n = 1; n <= 12; n++) {
        const bool is_kepler = n & 1;
        struct savings s = technique(M(sm_gating), 0, 0);
        go(n, SCHED_LRR, is_kepler, LANE_GROUP_AT_ISSUE, NULL, &want, ALONE);
        go(n, SCHED_LRR, is_kepler, LANE_GROUP_AT_ISSUE, &s, &got, ALONE);
        assert_memory_equal(got.memory, want.memory, sizeof want.memory);
        assert_int_equal(got.cycles, want.cycles + savings_value(&s, "sm_wakeup"));
        assert_int_equal(got.a.c[act_number("sm_gate_wakeups")], 1);
        savings_set(&s, "sm_wakeup", 0);
        go(n, SCHED_LRR, is_kepler, LANE_GROUP_AT_ISSUE, &s, &got, ALONE);
        assert_int_equal(got.cycles, want.cycles);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fermi),          cmocka_unit_test(kepler),
        cmocka_unit_test(fermi_at_entry), cmocka_unit_test(kepler_at_entry),
        cmocka_unit_test(every_cycle),    cmocka_unit_test(whole_sms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
