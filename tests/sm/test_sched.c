// Order of issue under each scheduler, on schedules short enough to write down. A recording
// technique notes which warp issued when; with it the SM runs the step with techniques, so every
// order is checked against the cycle count of the step without.
#include "test_rig.h"

struct record {
    uint32_t n;
    struct { uint64_t cycle; uint32_t warp, pc; } at[512];
};
static void note(void *self, const struct sm_view *v, const struct sm_issue *i) {
    struct record *r = self;
    assert_int_equal(v->cycle, i->cycle);
    assert_true(r->n < WW_COUNT(r->at));
    r->at[r->n].cycle = i->cycle;
    r->at[r->n].warp = i->warp;
    r->at[r->n++].pc = i->pc;
}

static const struct sm_issue_port note_issues = {.issued = note};

// Runs the program that `make` writes twice, without and with the recorder.
static void record(struct rig *(*make)(void), struct record *r, uint64_t done_at) {
    struct rig *g = make();
    rig_run(g);
    assert_int_equal(g->done_at, done_at);
    rig_free(g);
    g = make();
    *r = (struct record){0};
    const struct sm_technique p = {.name = "record", .self = r, .issue = &note_issues};
    g->technique[g->n_techniques++] = &p;
    rig_run(g);
    assert_int_equal(g->done_at, done_at);
    rig_free(g);
}

static struct rig *three_warps(void) {
    struct rig *g = rig_new();
    g->args.block[0] = 96;
    for (uint32_t i = 0; i < 3; i++) movi(g, i, i);
    exit_(g);
    return g;
}
static struct rig *three_warps_gto(void) {
    struct rig *g = three_warps();
    g->c.scheduler = SCHED_GTO;
    return g;
}

// Nine moves, round robin: 0 1 2 0 1 2 ...; the last in cycle 9.
static void lrr_goes_round(void **state) {
    (void)state;
    struct record r;
    record(three_warps, &r, 9 + 10);
    assert_int_equal(r.n, 12);
    for (uint32_t i = 0; i < 12; i++) {
        assert_int_equal(r.at[i].cycle, i + 1);
        assert_int_equal(r.at[i].warp, i % 3);
    }
}

// Greedy: warp 0 to its end, then 1, then 2; the last move in cycle 11.
static void gto_stays(void **state) {
    (void)state;
    struct record r;
    record(three_warps_gto, &r, 11 + 10);
    for (uint32_t i = 0; i < 12; i++) assert_int_equal(r.at[i].warp, i / 4);
}

// Greedy then oldest: a chain of two in each of three warps. Warp 0 issues in 1 and must wait until
// 11; the oldest that is ready is 1 (cycle 2), then 2 (3). In 11 the greedy warp is 2 (ready in
// 13), so the oldest goes: 0 (its add in 11, its EXIT in 12: greedy), 1 in 13, 14, 2 in 15, 16.
static struct rig *chains_gto(void) {
    struct rig *g = rig_new();
    g->c.scheduler = SCHED_GTO;
    g->args.block[0] = 96;
    iaddi(g, 1, 1, 1);
    iaddi(g, 1, 1, 1);
    exit_(g);
    return g;
}
static void gto_takes_the_oldest(void **state) {
    (void)state;
    struct record r;
    record(chains_gto, &r, 15 + 10);
    const struct { uint32_t cycle, warp; } want[] = {{1, 0},  {2, 1},  {3, 2},  {11, 0}, {12, 0},
                                                     {13, 1}, {14, 1}, {15, 2}, {16, 2}};
    assert_int_equal(r.n, WW_COUNT(want));
    for (uint32_t i = 0; i < r.n; i++) {
        assert_int_equal(r.at[i].cycle, want[i].cycle);
        assert_int_equal(r.at[i].warp, want[i].warp);
    }
}

// Greedy then youngest: chains of four, a step of which takes two cycles, in each of three warps.
// Warps of one CTA take turns, downwards; of three CTAs the younger two share the cycles and the
// oldest waits.
static struct rig *chains_gty(void) {
    struct rig *g = rig_new();
    g->c.scheduler = SCHED_GTY;
    g->c.timing[OPC_INT_ADD].latency = 2;
    g->args.block[0] = 96;
    for (uint32_t i = 0; i < 4; i++) iaddi(g, 1, 1, 1);
    exit_(g);
    return g;
}
static struct rig *chains_gty_apart(void) {
    struct rig *g = chains_gty();
    g->args.block[0] = 32;
    g->ctas = 3;
    return g;
}
static void issues_begin(struct rig *(*make)(void), const char *warps) {
    struct record r = {0};
    struct rig *g = make();
    const struct sm_technique p = {.name = "record", .self = &r, .issue = &note_issues};
    g->technique[g->n_techniques++] = &p;
    rig_run(g);
    rig_free(g);
    for (uint32_t i = 0; warps[i] != '\0'; i++) {
        assert_int_equal(r.at[i].cycle, i + 1);
        assert_int_equal(r.at[i].warp, warps[i] - '0');
    }
}
static void gty_takes_the_youngest_cta(void **state) {
    (void)state;
    issues_begin(chains_gty, "210210210");
    issues_begin(chains_gty_apart, "2121212");
}

// Two-level, an active set of two, four warps: move, load, add, EXIT.
//   1, 2      the moves of 0 and 1; 2 and 3 are ready outside of the set until 10 (8 slots)
//   11        load of 0, which then waits for memory and leaves; 2 comes in
//   12        load of 1 (round robin behind 0), which leaves; 3 comes in
//   13, 14    moves of 2, 3;  23, 24: their loads
//   112, 113  answers to 0 and 1 (sent in 12, 13): back in the set, adds; EXITs 114, 115
//   124, 125  the same for 2 and 3; EXITs 126, 127; the last result in 135
static struct rig *two_level(void) {
    struct rig *g = rig_new();
    g->c.scheduler = SCHED_TWO_LEVEL;
    g->c.active_warps = 2;
    g->args.block[0] = 128;
    address(g, 3);
    load(g, SPACE_GLOBAL, 4, 3, 0);
    iadd(g, 5, 4, 4);
    exit_(g);
    return g;
}
static void two_level_promotes(void **state) {
    (void)state;
    struct record r;
    record(two_level, &r, 135);
    const struct { uint32_t cycle, warp, pc; } want[] = {
        {1, 0, 0},   {2, 1, 0},   {11, 0, 1},  {12, 1, 1},  {13, 2, 0},  {14, 3, 0},
        {23, 2, 1},  {24, 3, 1},  {112, 0, 2}, {113, 1, 2}, {114, 0, 3}, {115, 1, 3},
        {124, 2, 2}, {125, 3, 2}, {126, 2, 3}, {127, 3, 3}};
    assert_int_equal(r.n, WW_COUNT(want));
    for (uint32_t i = 0; i < r.n; i++) {
        assert_int_equal(r.at[i].cycle, want[i].cycle);
        assert_int_equal(r.at[i].warp, want[i].warp);
        assert_int_equal(r.at[i].pc, want[i].pc);
    }
    struct rig *g = two_level();
    rig_run(g);
    assert_int_equal(act(g, ACT_two_level_promotions), 8);
    assert_int_equal(act(g, ACT_two_level_demotions), 4);
    assert_int_equal(act(g, ACT_issue_slots + STALL_pending), 8);
    rig_free(g);
}

// The same with active_waits: as long as nobody ready wants their places 0 and 1 keep them while
// they wait for memory. 2 and 3 want them in 11 and 12, so up to 24 nothing changes. From 24 on all
// four wait, and 3, which came last, keeps its place beside 2; the answers come in 112 and 113 and
// both give way.
static struct rig *two_level_waits(void) {
    struct rig *g = two_level();
    g->c.active_waits = true;
    return g;
}
static void two_level_keeps_waiting(void **state) {
    (void)state;
    struct record with, without;
    record(two_level_waits, &with, 135);
    record(two_level, &without, 135);
    assert_int_equal(with.n, without.n);
    for (uint32_t i = 0; i < with.n; i++) {
        assert_int_equal(with.at[i].cycle, without.at[i].cycle);
        assert_int_equal(with.at[i].warp, without.at[i].warp);
    }
    struct rig *g = two_level_waits();
    rig_run(g);
    // in: 0, 1 at the start; 2 and 3 for them; 0 and 1 again for 2 and 3; 2 and 3 when 0 and 1 have
    // gone
    assert_int_equal(act(g, ACT_two_level_promotions), 8);
    assert_int_equal(act(g, ACT_two_level_demotions), 4);
    // Nobody is in it before the first decode (cycle 0) and from the last EXIT on (127 to 135).
    // Without active_waits it is empty while all wait, too.
    assert_int_equal(act(g, ACT_active_set_cycles + 0), 1 + 9);
    rig_free(g);
    g = two_level();
    rig_run(g);
    assert_true(act(g, ACT_active_set_cycles + 0) > 1 + 9 + 80);
    rig_free(g);
}

// Groups of two of four warps: move, load, add, EXIT.
//   1 to 4      moves: 0 and 1, the first group; then nobody of it is ready, though it waits for
//               nothing long: 2 and 3
//   11 to 14    loads; when 0 and 1 wait for memory the second group is the first
//   112, 113    answers to 0 and 1 (sent in 12, 13): their group is the first again, and stays so
//               until its EXITs (114, 115), though 2 could add from 114 on: 116, 117, then 118, 119
static struct rig *groups(uint32_t scheduler, uint32_t ctas, uint32_t group_warps) {
    struct rig *g = rig_new();
    g->c.scheduler = scheduler;
    g->c.group_warps = group_warps;
    g->ctas = ctas;
    g->args.block[0] = 128 / ctas;
    address(g, 3);
    load(g, SPACE_GLOBAL, 4, 3, 0);
    iadd(g, 5, 4, 4);
    exit_(g);
    return g;
}
static struct rig *fetch_groups(void) { return groups(SCHED_FETCH_GROUP, 1, 2); }
static struct rig *cta_groups(void) { return groups(SCHED_CTA_AWARE, 2, 2); }
// Two CTAs make four.
static struct rig *one_cta_group(void) { return groups(SCHED_CTA_AWARE, 2, 3); }
static struct rig *one_fetch_group(void) { return groups(SCHED_FETCH_GROUP, 1, 4); }
static struct rig *no_groups(void) { return groups(SCHED_LRR, 1, 0); }

static void groups_take_turns(void **state) {
    (void)state;
    static const struct { uint32_t cycle, warp, pc; } want[] = {
        {1, 0, 0},   {2, 1, 0},   {3, 2, 0},   {4, 3, 0},   {11, 0, 1},  {12, 1, 1},
        {13, 2, 1},  {14, 3, 1},  {112, 0, 2}, {113, 1, 2}, {114, 0, 3}, {115, 1, 3},
        {116, 2, 2}, {117, 3, 2}, {118, 2, 3}, {119, 3, 3}};
    struct rig *(*const make[])(void) = {fetch_groups, cta_groups};
    for (size_t k = 0; k < WW_COUNT(make); k++) {
        struct record r;
        record(make[k], &r, 127);
        assert_int_equal(r.n, WW_COUNT(want));
        for (uint32_t i = 0; i < r.n; i++) {
            assert_int_equal(r.at[i].cycle, want[i].cycle);
            assert_int_equal(r.at[i].warp, want[i].warp);
            assert_int_equal(r.at[i].pc, want[i].pc);
        }
    }
}
// One group of all warps is loose round robin: 2 adds in 114, before the EXITs of 0 and 1.
static void one_group_is_round_robin(void **state) {
    (void)state;
    struct rig *(*const make[])(void) = {no_groups, one_fetch_group, one_cta_group};
    for (size_t k = 0; k < WW_COUNT(make); k++) {
        struct record r;
        record(make[k], &r, 125);
        assert_int_equal(r.at[10].cycle, 114);
        assert_int_equal(r.at[10].warp, 2);
        assert_int_equal(r.at[10].pc, 2);
    }
}

// ---- ports -------------------------------------------------------------------------------------
// A technique that narrows the choice to odd warps, where there are any.
static uint64_t odd_first(void *self, const struct sm_view *v, uint32_t sc, uint64_t ready) {
    (void)self, (void)v, (void)sc;
    const uint64_t odd = ready & 0xaaaaaaaaaaaaaaaaull;
    return odd != 0 ? odd : ready;
}
static void choice_narrows(void **state) {
    (void)state;
    struct rig *g = three_warps();
    struct record r = {0};
    const struct sm_choice_port choice = {.among = odd_first};
    const struct sm_technique p = {
        .name = "odd", .self = &r, .choice = &choice, .issue = &note_issues};
    g->technique[g->n_techniques++] = &p;
    rig_run(g);
    const uint32_t want[] = {1, 1, 1, 1, 2, 0, 2, 0, 2, 0, 2, 0};
    for (uint32_t i = 0; i < 12; i++) assert_int_equal(r.at[i].warp, want[i]);
    rig_free(g);
}

// No warp may be chosen before cycle 20: the slots are the technique's. With two techniques the
// second narrows what the first has left.
static uint64_t none_yet(void *self, const struct sm_view *v, uint32_t sc, uint64_t ready) {
    (void)self, (void)sc;
    return v->cycle < 20 ? 0 : ready;
}
static uint64_t last_of_odd(void *self, const struct sm_view *v, uint32_t sc, uint64_t ready) {
    (void)v, (void)sc;
    *(bool *)self |= (ready & 0x5555555555555555ull) == 0;
    return 1ull << bits_last64(ready);
}
static void choices_of_two(void **state) {
    (void)state;
    struct rig *g = three_warps();
    g->every_cycle = true;
    struct record r = {0};
    bool has_odd_alone = false;
    const struct sm_choice_port later = {.among = none_yet}, odd = {.among = odd_first},
                                last = {.among = last_of_odd};
    const struct sm_technique t[] = {
        {.name = "later", .self = &r, .choice = &later, .issue = &note_issues},
        {.name = "odd", .choice = &odd},
        {.name = "last", .self = &has_odd_alone, .choice = &last}};
    for (size_t i = 0; i < WW_COUNT(t); i++) g->technique[g->n_techniques++] = &t[i];
    rig_run(g);
    const uint32_t want[] = {1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0};
    for (uint32_t i = 0; i < 12; i++) {
        assert_int_equal(r.at[i].warp, want[i]);
        assert_int_equal(r.at[i].cycle, 20 + i);
    }
    assert_true(has_odd_alone);
    assert_int_equal(act(g, ACT_issue_slots + STALL_policy), 19);
    rig_free(g);
}

struct gate {
    struct sm_gate gate[SM_PIPES];
    uint64_t on_at;
    uint32_t asked;
};
static void gate_opens(void *self, const struct sm_view *v) {
    struct gate *p = self;
    p->gate[SM_PIPE_INT].off_from = v->cycle >= p->on_at ? UINT64_MAX : 0;
}
static uint64_t gate_wanted(void *self, const struct sm_view *v, uint32_t unit, uint64_t pipes) {
    (void)v;
    struct gate *p = self;
    assert_int_equal(unit, UNIT_INT);
    assert_int_equal(pipes, 1ull << SM_PIPE_INT);
    p->asked++;
    return p->on_at;
}
// The INT pipeline is off until cycle 50: the move issues then, 49 slots are the technique's, and
// the SM asked once and slept.
static void gated_unit(void **state) {
    (void)state;
    struct rig *g = rig_new();
    struct gate gate = {.on_at = 50};
    for (uint32_t i = 0; i < SM_PIPES; i++)
        gate.gate[i] = (struct sm_gate){UINT64_MAX, SM_GATE_NEVER};
    const struct sm_gate_port port = {
        .gate = gate.gate, .pipes = 1ull << SM_PIPE_INT, .wanted = gate_wanted};
    const struct sm_clock_port clock = {.cycle = gate_opens};
    const struct sm_technique p = {.name = "gate", .self = &gate, .gate = &port, .clock = &clock};
    g->technique[g->n_techniques++] = &p;
    movi(g, 1, 1);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 50 + 10);
    assert_int_equal(act(g, ACT_issue_slots + STALL_policy), 49);
    assert_int_equal(gate.asked, 1);
    rig_free(g);
}

// Two lane groups that take INT or FP, not both, in a cycle; two schedulers: warp 0 adds floats,
// warp 1 integers, each an addition a cycle. With a pipeline off, INT and FP go to the lane groups
// in which they are on, whichever comes first, and no scheduler asks for the one that is off. With
// all on the first turn takes lane group 0.
struct pipes {
    uint64_t off, cycle;
    uint32_t asked, pairs, first, of[2], want[2]; // of: pipe of this cycle's INT and FP
    bool is_first_low;
};
static uint64_t pipe_wanted(void *self, const struct sm_view *v, uint32_t unit, uint64_t pipes) {
    (void)v, (void)unit, (void)pipes;
    struct pipes *const p = self;
    p->asked += p->pairs != 0; // before, both may be at integers
    return UINT64_MAX;
}
static void pipe_issue(void *self, const struct sm_view *v, const struct sm_issue *i) {
    (void)v;
    struct pipes *const p = self;
    if (i->klass != OPC_INT_ADD && i->klass != OPC_FP_ADD) return;
    const uint32_t type = i->klass == OPC_FP_ADD;
    if (i->cycle != p->cycle) {
        p->cycle = i->cycle;
        p->first = type;
        p->of[type] = i->pipe;
        return;
    }
    p->of[type] = i->pipe;
    p->pairs++;
    if (p->off == 0) p->want[p->first] = p->first == 0 ? SM_PIPE_INT : SM_PIPE_FP;
    if (p->off == 0) p->want[type] = type == 0 ? SM_PIPE_INT + 1 : SM_PIPE_FP + 1;
    assert_int_equal(p->of[0], p->want[0]);
    assert_int_equal(p->of[1], p->want[1]);
}
// Two warps of 20 additions each: warp 0 of floats, warp 1 of integers.
static void floats_and_integers(struct rig *g) {
    g->args.block[0] = 64;
    s2r(g, 30, SREG_tid_x);
    setp_lt(g, 0, 30, 32);
    bra(g, 24)->guard = 0;
    for (uint32_t i = 0; i < 20; i++) iadd(g, i, 30, 30);
    exit_(g); // 23
    for (uint32_t i = 0; i < 20; i++) fadd(g, i, 30, 30);
    exit_(g);
}
static void one_side_off(void **state) {
    (void)state;
    struct pipes row[] = {
        {.off = 0},
        {.off = 1ull << (SM_PIPE_FP + 1), .want = {SM_PIPE_INT + 1, SM_PIPE_FP}},
        {.off = 1ull << SM_PIPE_FP, .want = {SM_PIPE_INT, SM_PIPE_FP + 1}},
        {.off = 1ull << SM_PIPE_INT, .want = {SM_PIPE_INT + 1, SM_PIPE_FP}},
        {.off = 1ull << (SM_PIPE_INT + 1), .want = {SM_PIPE_INT, SM_PIPE_FP + 1}},
    };
    for (size_t k = 0; k < WW_COUNT(row); k++) {
        // with an ear for what issues and without: the same pipelines
        uint64_t done_at[2], issues[2][SM_PIPES];
        for (uint32_t i = 0; i < 2; i++) {
            struct rig *g = rig_new();
            g->c.schedulers = g->c.lane_groups = 2;
            g->c.int_fp_shared_issue = true;
            struct sm_gate gate[SM_PIPES];
            for (uint32_t j = 0; j < SM_PIPES; j++)
                gate[j] = (struct sm_gate){row[k].off >> j & 1 ? 0 : UINT64_MAX, SM_GATE_NEVER};
            const struct sm_gate_port port = {
                .gate = gate, .pipes = row[k].off, .wanted = pipe_wanted};
            const struct sm_issue_port issue = {.issued = pipe_issue};
            const struct sm_technique p = {
                .name = "pipes", .self = &row[k], .gate = &port, .issue = i == 0 ? &issue : NULL};
            g->technique[g->n_techniques++] = &p;
            floats_and_integers(g);
            rig_run(g);
            done_at[i] = g->done_at;
            for (uint32_t j = 0; j < SM_PIPES; j++)
                issues[i][j] = sm_view_of(g->sm)->pipe[j].issues;
            rig_free(g);
            if (i == 1) break;
            assert_true(row[k].pairs >= 15);
            assert_int_equal(row[k].asked, 0);
            row[k].pairs = 0;
        }
        assert_int_equal(done_at[0], done_at[1]);
        assert_memory_equal(issues[0], issues[1], sizeof issues[0]);
        assert_int_equal(issues[0][SM_PIPE_FP] + issues[0][SM_PIPE_FP + 1], 20);
    }
}

// A pipeline that goes off of itself when it has been idle for `window` cycles, and is on two
// cycles after it is wanted.
struct window {
    struct sm_gate gate[SM_PIPES];
    uint64_t on_at;
    uint32_t asked;
};
static uint64_t window_wanted(void *self, const struct sm_view *v, uint32_t unit, uint64_t pipes) {
    struct window *p = self;
    assert_int_equal(unit, UNIT_INT);
    assert_int_equal(pipes, 1u << SM_PIPE_INT);
    if (p->on_at != UINT64_MAX) return p->on_at;
    assert_true(v->cycle >= v->pipe[SM_PIPE_INT].busy_until + p->gate[SM_PIPE_INT].window);
    p->asked++;
    return p->on_at = v->cycle + 2;
}
static void window_cycle(void *self, const struct sm_view *v) {
    struct window *p = self;
    if (p->on_at > v->cycle) return;
    p->gate[SM_PIPE_INT].off_from = v->cycle + 1 + p->gate[SM_PIPE_INT].window;
    p->on_at = UINT64_MAX;
}
// Three additions, each of which waits for the one before. A window of 30 never ends between them;
// one of 0 does each time, and the result comes two cycles later.
static void goes_off(void **state) {
    (void)state;
    uint64_t done_at[2];
    for (uint32_t k = 0; k < 2; k++) {
        struct rig *g = rig_new();
        g->c.lane_groups = 1;
        struct window w = {.on_at = UINT64_MAX};
        for (uint32_t p = 0; p < SM_PIPES; p++)
            w.gate[p] = (struct sm_gate){UINT64_MAX, SM_GATE_NEVER};
        w.gate[SM_PIPE_INT].window = k == 0 ? 30 : 0;
        const struct sm_gate_port port = {
            .gate = w.gate, .pipes = 1u << SM_PIPE_INT, .wanted = window_wanted};
        const struct sm_clock_port clock = {.cycle = window_cycle};
        const struct sm_technique p = {
            .name = "window", .self = &w, .gate = &port, .clock = &clock};
        g->technique[g->n_techniques++] = &p;
        s2r(g, 1, SREG_tid_x);
        for (uint32_t i = 0; i < 3; i++) iadd(g, 1, 1, 1);
        exit_(g);
        rig_run(g);
        done_at[k] = g->done_at;
        assert_int_equal(w.asked, k == 0 ? 0 : 3);
        rig_free(g);
    }
    assert_int_equal(done_at[1], done_at[0] + 3 * 2);
}

// ---- the start of a cycle, and rests -----------------------------------------------------------
struct clocks {
    uint64_t last, rested_at, epoch;
    uint32_t cycles, rests, gaps, epochs;
};
static void clock_cycle(void *self, const struct sm_view *v) {
    struct clocks *const k = self;
    // A look before each gap, and no gap without one.
    if (k->cycles != 0) {
        assert_int_equal(v->before, k->last);
        assert_int_equal(v->cycle > k->last + 1, k->rested_at == k->last);
        k->gaps += v->cycle > k->last + 1;
    }
    assert_true(v->cycle > k->last || k->cycles == 0);
    k->last = v->cycle;
    k->cycles++;
}
static void clock_rest(void *self, const struct sm_view *v) {
    struct clocks *const k = self;
    assert_int_equal(v->cycle, k->last);
    k->rested_at = v->cycle;
    k->rests++;
}
static void clock_epoch(void *self, const struct sm_view *v, uint64_t cycle) {
    struct clocks *const k = self;
    assert_int_equal(v->cycle, cycle);
    assert_true(k->last < cycle); // ahead of `cycle`
    assert_int_equal(cycle, k->epoch += 7);
    k->epochs++;
}
// Two technique of which one has epochs of 7 cycles: each is a cycle that is simulated.
static void clocks(void **state) {
    (void)state;
    for (uint32_t with_epochs = 0; with_epochs < 2; with_epochs++) {
        struct clocks k = {.rested_at = UINT64_MAX};
        struct rig *g = rig_new();
        g->c.schedulers = 1;
        floats_and_integers(g);
        const struct sm_clock_port port = {.cycle = clock_cycle,
                                           .rest = clock_rest,
                                           .epoch_cycles = with_epochs ? 7 : 0,
                                           .epoch = clock_epoch};
        const struct sm_technique t = {.name = "clock", .self = &k, .clock = &port};
        g->technique[g->n_techniques++] = &t;
        rig_run(g);
        assert_true(k.gaps >= 2 && k.rests >= k.gaps);
        assert_int_equal(k.epochs, with_epochs ? g->done_at / 7 : 0);
        rig_free(g);
    }
}

struct meter {
    uint32_t reads, writes, epochs, launches, exits, registers, kernels;
    uint64_t last_epoch;
};
static void no_change(void *self, const struct sm_view *v, uint32_t w) {
    (void)self, (void)v, (void)w;
}
static struct sm_delay fold(void *self, const struct sm_view *v, uint32_t w, uint32_t pipe,
                            uint32_t lanes, uint64_t at, uint32_t latency, uint32_t interval) {
    (void)self, (void)w, (void)latency, (void)interval;
    assert_int_equal(lanes, UINT32_MAX);
    assert_true(at >= v->cycle);
    return pipe < SM_PIPE_FP ? (struct sm_delay){3, 1} : (struct sm_delay){0, 0};
}
static uint32_t slow_rows(const struct sm_row_access *a) {
    uint32_t later = 0;
    assert_int_equal(a->lanes, UINT32_MAX);
    for (uint32_t i = 0; i < a->n; i++) later = a->reg[i] == 7 ? 2 : later;
    return later;
}
static uint32_t slow_read(void *self, const struct sm_row_access *a) {
    ((struct meter *)self)->reads += a->n;
    return slow_rows(a);
}
static uint32_t slow_write(void *self, const struct sm_row_access *a) {
    ((struct meter *)self)->writes += a->n;
    return slow_rows(a);
}
static void epoch(void *self, const struct sm_view *v, uint64_t cycle) {
    struct meter *m = self;
    (void)v;
    assert_int_equal(cycle, m->last_epoch + 25);
    m->last_epoch = cycle;
    m->epochs++;
}
static void kernel(void *self, uint32_t slot, const struct code_image *image) {
    struct meter *m = self;
    assert_int_equal(slot, 0);
    assert_true(image->n_insts == 5 && m->launches == 0);
    m->kernels++;
}
static void warp(void *self, const struct sm_warp_event *e) {
    struct meter *m = self;
    *(e->comes ? &m->launches : &m->exits) += 1;
    m->registers = e->registers;
}
// Every INT result takes 3 cycles more and the pipe is closed one more; register 7 takes 2 cycles
// more to read or write. First add: 1, written in 1 + 13 + 2 = 16; second: reads 2 late, 16 + 2 +
// 13 = 31; third: issues in 31. The move finds the pipe closed for 2 cycles: 33, its result in 46.
static void folding_and_slow_registers(void **state) {
    (void)state;
    struct rig *g = rig_new();
    struct meter m = {0};
    const struct sm_lane_port lanes = {.changed = no_change, .issued = fold};
    const struct sm_clock_port clock = {.epoch_cycles = 25, .epoch = epoch};
    const struct sm_row_port rows = {.read = slow_read, .write = slow_write};
    const struct sm_life_port life = {.kernel = kernel, .warp = warp};
    const struct sm_technique a = {.name = "fold", .self = &m, .lanes = &lanes, .clock = &clock};
    const struct sm_technique b = {.name = "rows", .self = &m, .rows = &rows, .life = &life};
    g->technique[g->n_techniques++] = &a;
    g->technique[g->n_techniques++] = &b;
    iaddi(g, 7, 1, 1);
    iaddi(g, 2, 7, 1);
    iaddi(g, 3, 2, 1);
    movi(g, 4, 1);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 16 + 2 + 13 + 2 + 13);
    assert_int_equal(m.reads, 3);
    assert_int_equal(m.writes, 4);
    assert_int_equal(m.epochs, 1); // cycle 25; the program ends in 46
    assert_int_equal(m.kernels, 1);
    assert_int_equal(m.launches, 1);
    assert_int_equal(m.exits, 1);
    assert_int_equal(m.registers, 32);
    struct diags d;
    diags_init(&d);
    const struct sm_technique *const two[] = {&a, &a};
    assert_int_equal(sm_set_techniques(g->sm, two, 2, &d), WW_ERROR_CONFIG);
    diags_free(&d);
    rig_free(g);
}

// ---- rows: when, which lanes, which values -----------------------------------------------------
struct rows {
    uint32_t n, begins, ends;
    struct {
        uint32_t reg, lanes, value;
        uint64_t cycle, served;
        bool is_write;
    } at[16];
    uint32_t asks, promised, next; // instructions told of at issue, rows they will write, the last
    uint64_t freed;
};
static void note_rows(struct rows *m, const struct sm_row_access *a, bool is_write) {
    if (!is_write) {
        m->asks++;
        m->promised += a->n_dst;
        m->next = a->dst_first;
    }
    for (uint32_t i = 0; i < a->n; i++) {
        assert_true(m->n < WW_COUNT(m->at));
        m->at[m->n].reg = a->reg[i];
        m->at[m->n].lanes = a->lanes;
        m->at[m->n].value = a->values[a->reg[i] * 32u + 3]; // of lane 3
        m->at[m->n].cycle = a->cycle;
        m->at[m->n].served = a->at[i];
        m->at[m->n++].is_write = is_write;
    }
}
static uint32_t note_read(void *self, const struct sm_row_access *a) {
    note_rows(self, a, false);
    return 0;
}
static uint32_t note_write(void *self, const struct sm_row_access *a) {
    note_rows(self, a, true);
    return 0;
}
static void busy(void *self, const struct sm_view *v, bool begins, uint64_t cycle) {
    struct rows *m = self;
    (void)v, (void)cycle;
    *(begins ? &m->begins : &m->ends) += 1;
}
// Adds issue in 1, 11 and 21, read then and write in 10, 20 and 30. The second reads its own
// destination: its value is that of before. The third runs on lanes of threads 0 to 3 only.
static void rows_and_values(void **state) {
    (void)state;
    struct rig *g = rig_new();
    struct rows m = {0};
    const struct sm_row_port rows = {.read = note_read, .write = note_write};
    const struct sm_life_port life = {.work = busy};
    const struct sm_technique p = {.name = "rows", .self = &m, .rows = &rows, .life = &life};
    g->technique[g->n_techniques++] = &p;
    iaddi(g, 7, 1, 5);
    iaddi(g, 7, 7, 6);
    iadd(g, 3, 7, 7);
    exit_(g);
    rig_run(g);
    assert_int_equal(g->done_at, 31);
    static const struct {
        uint32_t reg, value;
        uint64_t cycle;
        bool is_write;
    } want[] = {{1, 0, 1, false},  {7, 5, 10, true},   {7, 5, 11, false},
                {7, 11, 20, true}, {7, 11, 21, false}, {3, 22, 30, true}};
    assert_int_equal(m.n, WW_COUNT(want));
    for (uint32_t i = 0; i < m.n; i++) {
        assert_int_equal(m.at[i].reg, want[i].reg);
        assert_int_equal(m.at[i].value, want[i].value);
        assert_int_equal(m.at[i].cycle, want[i].cycle);
        assert_int_equal(m.at[i].served, want[i].cycle);
        assert_int_equal(m.at[i].is_write, want[i].is_write);
        assert_int_equal(m.at[i].lanes, UINT32_MAX);
    }
    assert_true(m.asks == 3 && m.promised == 3 && m.next == 3);
    assert_int_equal(m.begins, 1);
    assert_int_equal(m.ends, 1);
    rig_free(g);
}
static void note_warp(void *self, const struct sm_warp_event *e) {
    struct rows *m = self;
    if (!e->comes) m->freed = e->freed;
}
// Rows of one bank (four banks, warp 0: registers 1, 5 and 9) are read one after the other, and a
// move, which reads none, is told of too. The second of a collector's rows comes later.
static void rows_one_by_one(void **state) {
    (void)state;
    for (uint32_t in_turn = 0; in_turn < 2; in_turn++) {
        struct rig *g = rig_new();
        struct rows m = {0};
        const struct sm_row_port rows = {.read = note_read, .write = note_write};
        const struct sm_life_port life = {.warp = note_warp};
        const struct sm_technique p = {.name = "rows", .self = &m, .rows = &rows, .life = &life};
        g->technique[g->n_techniques++] = &p;
        g->c.rf_banks = 4;
        g->c.collector_reads = in_turn;
        g->c.collector_ports = 1;
        emit(g, OP_IMAD, OPC_INT_MAD, ITYPE_U32, R(2), R(1), R(5), R(in_turn ? 6 : 9));
        movi(g, 3, 1);
        exit_(g);
        rig_run(g);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(m.at[i].served, 1 + i);
            assert_int_equal(m.at[i].cycle, 1);
            assert_false(m.at[i].is_write);
        }
        assert_true(m.asks == 2 && m.promised == 2 && m.next == 3);
        assert_int_equal(m.freed, 1);
        rig_free(g);
    }
}
// Guards count: of four threads with an index below 2, two.
static void rows_of_lanes(void **state) {
    (void)state;
    struct rig *g = rig_new();
    struct rows m = {0};
    const struct sm_row_port rows = {.read = note_read, .write = note_write};
    const struct sm_technique p = {.name = "rows", .self = &m, .rows = &rows};
    g->technique[g->n_techniques++] = &p;
    g->args.block[0] = 4;
    s2r(g, 1, SREG_tid_x);
    setp_lt(g, 0, 1, 2);
    iadd(g, 2, 1, 1)->guard = 0;
    exit_(g);
    rig_run(g);
    assert_int_equal(m.n, 4);
    const uint32_t want[] = {15, 15, 3, 3}; // s2r writes, setp reads, iadd reads and writes
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(m.at[i].lanes, want[i]);
    rig_free(g);
}

// ---- caches ------------------------------------------------------------------------------------
struct drowsy {
    uint32_t n[CACHE_WHATS];
};
static uint32_t wake_line(void *self, const struct cache_event *e) {
    struct drowsy *d = self;
    d->n[e->what]++;
    return e->what == CACHE_READ_HIT ? 5 : 0;
}
// L1 hits take 5 cycles more.
static void cache_hooks(void **state) {
    (void)state;
    struct rig *g = rig_new();
    g->c.l1d = (struct cache_config){.bytes = 16384, .line_bytes = 128, .ways = 4, .mshrs = 8,
                                     .mshr_merge = 4, .hit_latency = 40, .ports = 1,
                                     .write_evict = true, .lru = true};
    g->c.l1d_global = true;
    struct drowsy d = {0};
    const struct sm_array_port arrays = {.arrays = 1u << ARRAY_L1D, .hear = wake_line};
    const struct sm_technique p = {.name = "drowsy", .self = &d, .arrays = &arrays};
    g->technique[g->n_techniques++] = &p;
    address(g, 3);
    load(g, SPACE_GLOBAL, 4, 3, 0);
    iadd(g, 5, 3, 4);
    load(g, SPACE_GLOBAL, 6, 5, 0);
    store(g, SPACE_GLOBAL, 3, 3, 0);
    exit_(g);
    rig_run(g);
    // Load in 11, sent 12, there 112; add 112; load 122, access 123, hit 40 + 5.
    assert_int_equal(g->done_at, 123 + 45);
    static const uint32_t n[CACHE_WHATS] = {[CACHE_READ_HIT] = 1,
                                            [CACHE_READ_MISS] = 1,
                                            [CACHE_FILL] = 1,
                                            [CACHE_WRITE_HIT] = 1,
                                            [CACHE_EVICT] = 1}; // by the store
    assert_memory_equal(d.n, n, sizeof n);
    rig_free(g);
}

// A technique hears of the arrays that it names.
static uint32_t count_array(void *self, const struct cache_event *e) {
    ((uint32_t *)self)[e->array]++;
    return 0;
}
static void chosen_arrays(void **state) {
    (void)state;
    static const uint32_t arrays[] = {UINT32_MAX, 1u << ARRAY_SHARED, 1u << ARRAY_L1D};
    for (uint32_t k = 0; k < WW_COUNT(arrays); k++) {
        struct rig *g = rig_new();
        uint32_t n[MEM_ARRAYS] = {0};
        const struct sm_array_port port = {.arrays = arrays[k], .hear = count_array};
        const struct sm_technique p = {.name = "arrays", .self = n, .arrays = &port};
        g->technique[g->n_techniques++] = &p;
        g->im.shared_bytes = 128;
        movi(g, 3, 0);
        load(g, SPACE_SHARED, 4, 3, 0);
        exit_(g);
        rig_run(g);
        assert_int_equal(n[ARRAY_SHARED], k < 2);
        assert_int_equal(n[ARRAY_L1D], 0);
        rig_free(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lrr_goes_round),
        cmocka_unit_test(gto_stays),
        cmocka_unit_test(gto_takes_the_oldest),
        cmocka_unit_test(gty_takes_the_youngest_cta),
        cmocka_unit_test(two_level_promotes),
        cmocka_unit_test(two_level_keeps_waiting),
        cmocka_unit_test(groups_take_turns),
        cmocka_unit_test(one_group_is_round_robin),
        cmocka_unit_test(choice_narrows),
        cmocka_unit_test(gated_unit),
        cmocka_unit_test(one_side_off),
        cmocka_unit_test(goes_off),
        cmocka_unit_test(choices_of_two),
        cmocka_unit_test(clocks),
        cmocka_unit_test(folding_and_slow_registers),
        cmocka_unit_test(rows_and_values),
        cmocka_unit_test(rows_of_lanes),
        cmocka_unit_test(rows_one_by_one),
        cmocka_unit_test(cache_hooks),
        cmocka_unit_test(chosen_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
