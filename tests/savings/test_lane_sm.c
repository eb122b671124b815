// Lane techniques in a whole SM, on random divergent programs: results do not change, every thread
// executes once, nothing executes on a lane that is off, busy and idle times of lanes are those
// that a witness notes down cycle by cycle, every idle cycle of a lane has exactly one state.
#include "../sm/test_rig.h"
#include "savings/savings.h"
#include "savings/lane.h"

enum { WARPS = 16, WORDS = WARPS * 32 };
static uint32_t seed;
static uint32_t draw(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static void some_work(struct rig *g, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t d = draw(8), a = draw(8), b = draw(8);
        switch (draw(7)) {
        case 0:
        case 1:
        case 2: iadd(g, d, a, b); break;
        case 3:
        case 4: fadd(g, d, a, b); break;
        case 5: mufu(g, d, a); break;
        default: load(g, SPACE_GLOBAL, d, 10, 4096 * (1 + draw(3))); break;
        }
        if (draw(6) == 0) g->inst[g->n - 1].guard = 1; // by a guard of its own
    }
}

// Machines: Fermi, Kepler, one with pipelines of 16 lanes; each with lane groups chosen at issue
// or, if AT_ENTRY is added, at entry.
enum { FERMI, KEPLER, SIXTEEN_LANES, AT_ENTRY };
static struct rig *program(uint32_t number, uint32_t scheduler, uint32_t machine) {
    seed = number;
    const uint32_t kind = machine % AT_ENTRY;
    struct rig *g = rig_new();
    struct sm_config *const c = &g->c;
    c->schedulers = kind == KEPLER ? 4 : 2;
    c->lane_groups = kind == KEPLER ? 6 : kind == SIXTEEN_LANES ? 1 : 2;
    c->issue_width = c->max_issues_per_warp = kind == KEPLER ? 2 : 1;
    c->int_fp_shared_issue = draw(2);
    c->scheduler = scheduler;
    c->active_warps = 12;
    c->group_warps = 8;
    c->read_latency = draw(4);
    c->timing[OPC_SFU_RCP].interval = 4;
    if (kind == SIXTEEN_LANES)
        for (uint32_t i = OPC_MOV; i < OPC_SFU_RCP; i++) c->timing[i].interval = 2; // 16 lanes
    if (machine >= AT_ENTRY) {
        c->lane_group_at = LANE_GROUP_AT_ENTRY;
        c->collector_ahead = number % 3;
        c->read_latency += 2;
        c->collectors = 3 + number;
    }
    g->args.block[0] = WORDS / 2 - (number & 1 ? 20 : 0);
    g->ctas = 2;
    s2r(g, 10, SREG_tid_x);
    s2r(g, 11, SREG_ctaid_x);
    emit(g, OP_IMAD, OPC_INT_MAD, ITYPE_U32, R(10), R(11), IMM(WORDS / 2), R(10));
    emit(g, OP_IMAD, OPC_INT_MAD, ITYPE_U32, R(12), R(10), IMM(2654435761u), R(10)); // scattered
    iadd(g, 10, 10, 10);
    iadd(g, 10, 10, 10);
    address(g, 11);
    iadd(g, 10, 10, 11);
    for (uint32_t i = 0; i < 8; i++) iaddi(g, i, 10, i);
    for (uint32_t i = 0; i < 12; i++) {
        emit(g, OP_IMAD, OPC_INT_MAD, ITYPE_U32, R(12), R(12), IMM(1664525), R(10));
        setp_lt(g, 1, 12, draw(UINT32_MAX >> 8) << 8);
        const bool diverges = draw(3) != 0;
        const uint32_t at = g->n;
        if (diverges) bra(g, 0);
        some_work(g, 3 + draw(12));
        if (diverges) {
            g->inst[at].guard = 1;
            g->inst[at].target = g->inst[at].reconv = (int32_t)g->n;
        }
        some_work(g, 1 + draw(4));
        if (i == 6) bar(g);
    }
    for (uint32_t i = 0; i < 8; i++) store(g, SPACE_GLOBAL, 10, i, 4096 * (4 + i));
    exit_(g);
    return g;
}

// ---- a witness ---------------------------------------------------------------------------------
enum { CYCLES = 60000 };
static uint32_t held[LANE_PIPES][CYCLES]; // lanes that hold work, by cycle
struct witness {
    struct savings_sm *sm;
    const struct sm_lane_port *port; // the technique's own
    uint64_t threads, folded, last;
};
static struct witness *witness; // of the run: the port's functions have the technique's state
static void saw_issue(void *self, const struct sm_view *v, const struct sm_issue *i) {
    (void)v;
    ((struct witness *)self)->threads += bits_count32(i->lanes);
}
static struct sm_delay saw_lanes(void *self, const struct sm_view *v, uint32_t active,
                                 uint32_t pipe, uint32_t threads, uint64_t enter, uint32_t latency,
                                 uint32_t interval) {
    struct witness *const w = witness;
    assert_int_equal(threads & ~active, 0);
    const struct sm_delay d =
        w->port->issued(self, v, active, pipe, threads, enter, latency, interval);
    const struct lanes *const l = savings_lanes(w->sm);
    const uint32_t type = pipe >= SM_PIPE_FP, index = type ? pipe - SM_PIPE_FP + 8u : pipe;
    // Told apart from what lanes.c does by the latency alone: folded is what takes longer.
    const uint32_t stages = l->folds || l->shifts ? 2 : 0;
    const bool folded = d.latency > stages;
    assert_int_equal(d.latency, stages + (folded ? interval : 0));
    assert_int_equal(d.interval, folded ? interval : 0);
    w->folded += folded;
    uint32_t used = 0, halves[2] = {0, 0};
    for (uint32_t c = 0; c < 8; c++) { // in each quad, thread by thread
        uint32_t place = 0;
        for (uint32_t t = 0; t < 4; t++) {
            if (!(threads >> (4 * c + t) & 1)) continue;
            uint32_t lane = l->shifts ? place++ : t, half = 0;
            if (folded) half = lane / 2;
            const bool folds_now = v->cycle >= l->fold[type].from && v->cycle < l->fold[type].to;
            if (folds_now && lane >= 2) lane -= 2;
            halves[half] |= 1u << (4 * c + lane) % l->width;
        }
    }
    used = halves[0] | halves[1];
    assert_int_equal((l->pipe[index].off | l->pipe[index].waking) & used, 0);
    const uint64_t from = enter + (stages != 0);
    for (uint32_t half = 0; half < 2; half++)
        for (uint64_t t = from; t < from + latency; t++) {
            const uint64_t at = t + half * d.interval;
            assert_true(at < CYCLES);
            held[index][at] |= halves[half];
            if (at > w->last) w->last = at;
        }
    return d;
}

struct outcome {
    uint8_t memory[4096 * 12];
    struct activity a;
};
static void compare(const struct witness *w, const struct activity *a, uint64_t begins,
                    uint64_t ends) {
    const struct lanes *const l = savings_lanes(w->sm);
    uint64_t periods[2][ACT_IDLE_LENGTHS] = {{0}};
    for (uint32_t index = 0; index < LANE_PIPES; index++) {
        uint64_t busy = 0, all = 0;
        if (l->pipes >> index & 1) {
            for (uint32_t lane = 0; lane < l->width; lane++) {
                uint64_t idle = 0;
                for (uint64_t t = begins; t <= ends; t++) {
                    const bool works = t < ends && (held[index][t] >> lane & 1);
                    busy += works;
                    if (works || t == ends) {
                        if (idle != 0) periods[index / 8][idle < 63 ? idle : 63] += l->weight;
                        idle = 0;
                    } else {
                        idle++;
                    }
                }
            }
            all = (ends - begins) * l->width;
        }
        assert_int_equal(a->c[act_number("lane_busy_cycles") + index], busy * l->weight);
        assert_int_equal(a->c[act_number("lane_idle_cycles") + index], (all - busy) * l->weight);
        const uint64_t states = a->c[act_number("lane_on_idle") + index] +
                                a->c[act_number("lane_uncompensated") + index] +
                                a->c[act_number("lane_compensated") + index] + a->c[act_number("lane_wakeup") + index];
        assert_int_equal(states, l->type_gated[0] ? (all - busy) * l->weight : 0);
        assert_true(a->c[act_number("lane_on_idle") + index] <= all * l->weight); // not below zero
        assert_true(a->c[act_number("lane_wakeups") + index] <= a->c[act_number("lane_events") + index]);
        assert_int_equal(a->c[act_number("lane_overhead") + index], 14 * a->c[act_number("lane_events") + index]);
    }
    for (uint32_t n = 1; n < ACT_IDLE_LENGTHS; n++) {
        assert_int_equal(a->c[act_number("lane_idle_periods_int") + n], periods[0][n]);
        assert_int_equal(a->c[act_number("lane_idle_periods_fp") + n], periods[1][n]);
    }
    assert_int_equal(a->c[act_number("folded")] + a->c[act_number("folded") + 1], w->folded);
    assert_int_equal(a->c[ACT_thread_instructions], w->threads);
}

static void go(uint32_t number, uint32_t scheduler, uint32_t machine, const struct savings *s,
               struct outcome *out) {
    struct rig *g = program(number, scheduler, machine);
    struct witness w = {0};
    const struct sm_issue_port issue = {.issued = saw_issue};
    const struct sm_technique p = {.name = "witness", .self = &w, .issue = &issue};
    struct sm_technique lanes;
    struct sm_lane_port port;
    if (s != NULL) {
        w.sm = savings_sm_create(s, &g->c);
        g->n_techniques = savings_sm_techniques(w.sm, g->technique);
        for (uint32_t i = 0; i < g->n_techniques; i++) {
            if (g->technique[i]->lanes == NULL) continue;
            lanes = *g->technique[i];
            port = *lanes.lanes;
            w.port = g->technique[i]->lanes;
            witness = &w;
            port.issued = saw_lanes;
            lanes.lanes = &port;
            g->technique[i] = &lanes;
        }
        memset(held, 0, sizeof held);
        g->technique[g->n_techniques++] = &p;
    }
    rig_run(g);
    out->a = *sm_activity(g->sm, g->done_at + 1);
    memcpy(out->memory, devmem_host(g->memory, g->buffer, sizeof out->memory), sizeof out->memory);
    const uint64_t ends = g->done_at + 1, busy = out->a.c[ACT_sm_busy_cycles];
    if (s != NULL) compare(&w, &out->a, ends - busy, ends);
    rig_free(g); // asks the technique for its counts once more
    if (s != NULL) savings_sm_destroy(w.sm);
}

static struct savings technique(uint32_t mechanisms, uint32_t phase) {
    struct savings s = {.mechanisms = mechanisms};
    for (uint32_t i = 0; savings_option_at(i).is != NULL; i++)
        s.value[i] = savings_option_at(i).is->value;
    savings_set(&s, "phase", phase); // short programs: short phases
    return s;
}

#define M(id) (1u << SAVINGS_##id)
static const uint32_t set[] = {M(lane_meter),
                               M(lane_pg),
                               M(lane_pg) | M(warp_folding),
                               M(lane_pg) | M(lane_shifting),
                               M(lane_meter) | M(warp_folding) | M(lane_shifting),
                               M(lane_pg) | M(gates) | M(origami_scheduler),
                               M(lane_pg) | M(gates) | M(origami_scheduler) | M(warp_folding) |
                                   M(lane_shifting)};

static void all_programs(uint32_t machine) {
    static struct outcome want, got;
    uint64_t events = 0, folded = 0, shifts = 0, spared = 0, partial = 0;
    for (uint32_t n = 1; n <= 8; n++) {
        const uint32_t scheduler = n % 3 == 0 ? SCHED_GTO : SCHED_TWO_LEVEL;
        go(n, scheduler, machine, NULL, &want);
        for (uint32_t i = 0; i < WW_COUNT(set); i++) {
            struct savings s = technique(set[i], 40 + 30 * (n % 4));
            if (n == 5) savings_set(&s, "wakeup_delay", 0);
            if (n == 6) savings_set(&s, "idle_detect", 0);
            go(n, scheduler, machine, &s, &got);
            assert_memory_equal(got.memory, want.memory, sizeof want.memory);
            assert_int_equal(got.a.c[ACT_warp_instructions], want.a.c[ACT_warp_instructions]);
            assert_int_equal(got.a.c[ACT_thread_instructions], want.a.c[ACT_thread_instructions]);
            if (set[i] == M(lane_meter))
                assert_int_equal(got.a.c[ACT_sm_busy_cycles], want.a.c[ACT_sm_busy_cycles]);
            events += got.a.c[act_number("lane_events")];
            folded += got.a.c[act_number("folded")];
            spared += got.a.c[act_number("fold_spared")];
            shifts += got.a.c[act_number("lane_shifts")];
            partial += got.a.c[act_number("group_phases") + 1];
        }
    }
    assert_true(events > 1000 && folded > 100 && spared > 10 && shifts > 100 && partial > 0);
}
static void fermi(void **state) {
    (void)state;
    all_programs(FERMI);
    all_programs(AT_ENTRY + FERMI);
}
static void kepler(void **state) {
    (void)state;
    all_programs(KEPLER);
    all_programs(AT_ENTRY + KEPLER);
}
static void sixteen_lanes(void **state) {
    (void)state;
    all_programs(SIXTEEN_LANES);
    all_programs(AT_ENTRY + SIXTEEN_LANES);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fermi), cmocka_unit_test(kepler),
                                       cmocka_unit_test(sixteen_lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
