// Single lanes: where threads go (figures 4.4 and 4.6 of the dissertation as drawn, then every
// pattern against plain loops), and the state machine of each lane, by hand and against a machine
// that ticks through every cycle for each lane.
#include "exec/level.h"
#include "test_view.h"
#include "savings/lane.h"

// Lanes as the figures draw them: lane 0 is the leftmost.
static uint32_t drawn(const char *s) {
    uint32_t m = 0, lane = 0;
    for (; *s; s++) {
        if (*s == ' ') continue;
        m |= (uint32_t)(*s == '1') << lane++;
    }
    return m;
}

// ---- folding and shifting ----------------------------------------------------------------------
// Figure 4.4c: a full warp of eight lanes uses lanes 0, 1 and 4, 5 in two cycles. Figure 4.7: its
// second half-warp, threads 2, 3, 6, 7, runs on the lanes of the first.
static void folding_as_drawn(void **state) {
    (void)state;
    const uint32_t full = drawn("1111 1111");
    const struct lane_use u = lanes_use(full, full, false, true);
    assert_true(u.is_folded);
    assert_int_equal(u.first, drawn("1100 1100"));
    assert_int_equal(u.second, drawn("1100 1100"));
    const struct lane_use not = lanes_use(full, full, false, false);
    assert_false(not.is_folded);
    assert_int_equal(not.first, full);
    assert_int_equal(not.second, 0);
}

// 4.3.3: a warp one half of whose mask is idle is not folded; the upper half still runs on the
// lower lanes.
static void one_half_is_not_folded(void **state) {
    (void)state;
    const uint32_t low = drawn("1100 0100"), up = drawn("0010 0001");
    struct lane_use u = lanes_use(low, low, false, true);
    assert_true(!u.is_folded && u.is_spared);
    assert_int_equal(u.first, low);
    u = lanes_use(up, up, false, true);
    assert_true(!u.is_folded && u.is_spared);
    assert_int_equal(u.first, drawn("1000 0100"));
    assert_int_equal(u.second, 0);
    // The scheduler does not see the guard: two half-warps, of which one has nothing to do.
    u = lanes_use(up, up | low, false, true);
    assert_true(u.is_folded);
    assert_int_equal(u.first, 0);
    assert_int_equal(u.second, drawn("1000 0100"));
}

// Figure 4.6b to c, the six cycles.
static void shifting_as_drawn(void **state) {
    (void)state;
    static const char *const row[][2] = {
        {"1101 0100", "1110 1000"}, {"0111 0100", "1110 1000"}, {"0011 0101", "1100 1100"},
        {"0111 0110", "1110 1100"}, {"1111 1111", "1111 1111"}, {"1111 1111", "1111 1111"}};
    for (size_t i = 0; i < WW_COUNT(row); i++)
        assert_int_equal(lanes_shift(drawn(row[i][0])), drawn(row[i][1]));
}

static uint32_t seed = 7;
static uint32_t draw(void) {
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8 ^ seed << 16;
}

// Every thread runs exactly once, on a lane of its own quad, and no lane takes two threads at
// once.
static void every_thread_once(void **state) {
    (void)state;
    for (uint32_t n = 0; n < 200000; n++) {
        const uint32_t active = n == 0 ? UINT32_MAX : n < 65536 ? n | n << 16 : draw();
        const uint32_t threads = n & 1 ? active : active & draw();
        const bool shifts = n >> 1 & 1, folds = n >> 2 & 1;
        const struct lane_use u = lanes_use(threads, active, shifts, folds);
        for (uint32_t c = 0; c < 8; c++) {
            const uint32_t want = bits_count32(threads >> 4 * c & 15), mine = active >> 4 * c & 15;
            const uint32_t first = u.first >> 4 * c & 15, second = u.second >> 4 * c & 15;
            assert_int_equal(bits_count32(first) + bits_count32(second), want);
            if (folds) assert_int_equal((first | second) & 12, 0);
            if (!u.is_folded) assert_int_equal(second, 0);
            if (shifts && !folds) assert_int_equal(first, (1u << want) - 1); // the leftmost lanes
            if (!shifts && !folds) assert_int_equal(first & ~mine, 0);
        }
        if (u.is_spared)
            assert_true((active & LANES_UPPER) == 0 || (active & LANES_LOWER) == 0 || shifts);
    }
}

static void few_lanes(void **state) { // thread t on lane t mod 8
    (void)state;
    assert_int_equal(lanes_of_threads(0x80000001u, 32), 0x80000001u);
    assert_int_equal(lanes_of_threads(0x80000001u, 16), 0x8001u);
    assert_int_equal(lanes_of_threads(0x00120100u, 8), 0x13u);
}

// ---- the state machine, by hand ----------------------------------------------------------------
static const struct sm_technique *lanes_of(struct fake *f) {
    for (uint32_t i = 0; i < f->n; i++)
        if (strcmp(f->p[i]->name, "lanes") == 0) return f->p[i];
    fail();
    return NULL;
}
// What an SM does with them.
static void set_lanes(struct fake *f, uint32_t warp, uint32_t lanes) {
    const struct sm_technique *const p = lanes_of(f);
    f->v.lanes[warp] = lanes;
    p->lanes->changed(p->self, &f->v, warp);
}
static struct sm_delay give(struct fake *f, uint32_t pipe, uint32_t lanes, uint64_t operands_at,
                            uint32_t latency) {
    const struct sm_technique *const p = lanes_of(f);
    const uint64_t at =
        operands_at > f->v.pipe[pipe].enter_at ? operands_at : f->v.pipe[pipe].enter_at;
    set_lanes(f, 0, lanes);
    f->v.issued++;
    return p->lanes->issued(p->self, &f->v, f->v.lanes[0], pipe, lanes, at, latency, 1);
}
static uint64_t wanted(struct fake *f, uint32_t warp, uint32_t lanes) {
    const struct sm_technique *const p = lanes_of(f);
    set_lanes(f, warp, lanes);
    return p->lanes->wanted(p->self, &f->v, warp, 1u << SM_PIPE_INT);
}
static bool is_on(struct fake *f, uint32_t lanes) {
    const struct sm_technique *const p = lanes_of(f);
    set_lanes(f, 63, lanes);
    return p->lanes->lanes->on[SM_PIPE_INT] >> 63;
}
static uint32_t not_on(const struct fake *f) {
    return savings_lanes(f->sm)->pipe[0].off | savings_lanes(f->sm)->pipe[0].waking;
}

// Lanes 0..3 work in 4..9, the others never: they go off in 5 as a unit would, those in 15. A warp
// that needs lane 4 wakes it alone, in 20, for 23; lanes 0..3 are woken in 30 after 15 cycles off.
static void each_lane_alone(void **state) {
    (void)state;
    struct fake f;
    fake_make(&f, "lane-pg gate_fp=0", 1);
    fake_cycle(&f, 2);
    give(&f, SM_PIPE_INT, 15, 4, 6);
    fake_cycle(&f, 4);
    assert_true(is_on(&f, UINT32_MAX));
    fake_cycle(&f, 5);
    assert_false(is_on(&f, 16));
    assert_true(is_on(&f, 15));
    fake_cycle(&f, 14);
    assert_true(is_on(&f, 15));
    fake_cycle(&f, 15);
    assert_false(is_on(&f, 1));
    fake_cycle(&f, 20);
    assert_int_equal(wanted(&f, 0, 16), 23);
    fake_cycle(&f, 22);
    assert_false(is_on(&f, 16));
    fake_cycle(&f, 23);
    assert_true(is_on(&f, 16));
    assert_false(is_on(&f, 32));
    fake_cycle(&f, 30); // lane 4: idle from 23, off again since 28
    assert_int_equal(wanted(&f, 0, 15), 33);
    const struct activity a = fake_count(&f, 33);
    assert_int_equal(a.c[act_number("lane_busy_cycles")], 4 * 6);
    assert_int_equal(a.c[act_number("lane_idle_cycles")], 32 * 33 - 24);
    // off: 0..3 in 15..29; 4 in 5..19 and 28..32; 27 lanes in 5..32
    assert_int_equal(a.c[act_number("lane_uncompensated")], 4 * 14 + 14 + 5 + 27 * 14);
    assert_int_equal(a.c[act_number("lane_compensated")], 4 * 1 + 1 + 27 * 14);
    assert_int_equal(a.c[act_number("lane_wakeup")], 3 * 5);
    assert_int_equal(a.c[act_number("lane_events")], 4 + 2 + 27);
    assert_int_equal(a.c[act_number("lane_wakeups")], 5);
    assert_int_equal(a.c[act_number("lane_early_wakeups")], 0);
    assert_int_equal(a.c[act_number("lane_overhead")], 33 * 14);
    assert_int_equal(a.c[act_number("lane_on_idle")], 32 * 33 - 24 - a.c[act_number("lane_uncompensated")] -
                                                a.c[act_number("lane_compensated")] - a.c[act_number("lane_wakeup")]);
    assert_int_equal(a.c[act_number("lane_idle_periods_int") + 4], 4); // before the instruction
    assert_int_equal(a.c[act_number("lane_idle_cycles") + 8], 32 * 33);
    assert_int_equal(a.c[act_number("lane_uncompensated") + 8], 0);
    savings_sm_destroy(f.sm);
}

// Work for a lane that is off is said, and not before.
static void work_for_a_lane_that_is_off(void **state) {
    (void)state;
    struct fake f;
    fake_make(&f, "lane-pg gate_fp=0", 1);
    fake_cycle(&f, 2);
    give(&f, SM_PIPE_INT, 15, 4, 6);
    fake_cycle(&f, 20);
    assert_false(is_on(&f, 16));
    assert_null(savings_sm_wrong(f.sm));
    give(&f, SM_PIPE_INT, 16, 20, 6);
    assert_non_null(strstr(savings_sm_wrong(f.sm), "a lane that was off was given work"));
    savings_sm_destroy(f.sm);
}

// A phase of folding by hand. Woken in 295, all INT lanes are on from 298. At 300, one INT warp and
// two FP warps are there: FP is the majority and folds in 300..419, INT in 300..509. A folded
// instruction of 6 cycles whose operands are there in 304 is in the shift stage in 304, its halves
// on the lower lanes in 305..310 and 306..311.
static void a_phase(void **state) {
    (void)state;
    struct fake f;
    fake_make(&f, "lane-pg warp-folding idle_detect=7", 1);
    f.v.active = f.v.decoded = 7;
    f.v.needs[UNIT_INT] = 1;
    f.v.needs[UNIT_FP] = 6;
    struct sm_delay d;
    fake_cycle(&f, 295);
    assert_int_equal(wanted(&f, 0, UINT32_MAX), 298);
    fake_cycle(&f, 299); // nothing counted yet: not folded, but the two stages are there
    d = give(&f, SM_PIPE_INT, UINT32_MAX, 300, 6);
    assert_int_equal(d.latency, 2);
    assert_int_equal(d.interval, 0);
    fake_cycle(&f, 300);
    assert_int_equal(savings_lanes(f.sm)->fold[0].to, 300 + 210);
    assert_int_equal(savings_lanes(f.sm)->fold[1].to, 300 + 120);
    fake_cycle(&f, 302);
    f.v.pipe[SM_PIPE_INT].enter_at = 304;
    d = give(&f, SM_PIPE_INT, UINT32_MAX, 303, 6);
    assert_int_equal(d.latency, 3);
    assert_int_equal(d.interval, 1);
    // Upper lanes: in use in 301..306, off in their first idle cycle, 307 (eager). Lower lanes go
    // on.
    fake_cycle(&f, 306);
    assert_int_equal(not_on(&f), 0);
    fake_cycle(&f, 307);
    assert_int_equal(not_on(&f), LANES_UPPER);
    fake_cycle(&f, 318); // lower lanes: idle from 312, not yet for 7 cycles
    assert_int_equal(not_on(&f), LANES_UPPER);
    assert_true(is_on(&f, UINT32_MAX)); // it would be folded
    fake_cycle(&f, 319);
    assert_int_equal(not_on(&f), UINT32_MAX);
    fake_cycle(&f, 509);
    // Still folding: the lower lanes only, for 512; the warp needs others when folding ends, in
    // 510.
    assert_int_equal(wanted(&f, 0, UINT32_MAX), 510);
    assert_int_equal(not_on(&f), UINT32_MAX);
    // The lower ones are on; folding has ended: now the upper ones are wanted too.
    fake_cycle(&f, 512);
    assert_int_equal(not_on(&f), LANES_UPPER);
    assert_false(is_on(&f, UINT32_MAX));
    assert_int_equal(wanted(&f, 0, UINT32_MAX), 515);
    fake_cycle(&f, 515);
    assert_true(is_on(&f, UINT32_MAX));
    const struct activity a = fake_count(&f, 516);
    assert_int_equal(a.c[act_number("lane_issues")], 2);
    assert_int_equal(a.c[act_number("folded")], 1);
    assert_int_equal(a.c[act_number("fold_cycles")], 210);
    assert_int_equal(a.c[act_number("fold_cycles") + 1], 120);
    assert_int_equal(a.c[act_number("shift_logic_uses")], 3);
    assert_int_equal(a.c[act_number("lane_busy_cycles")], 16 * 11 + 16 * 6); // lower 301..311, upper 301..306
    assert_int_equal(a.c[act_number("lane_idle_periods_int") + 63], 32); // 0..300
    assert_int_equal(a.c[act_number("lane_events")], 32 + 32);          // in 7; upper 307, lower 319
    assert_int_equal(a.c[act_number("lane_uncompensated")], 64 * 14);
    assert_int_equal(a.c[act_number("lane_compensated")], // 7..294, 319..508, 307..511
                     32 * (288 - 14) + 16 * (190 - 14) + 16 * (205 - 14));
    assert_int_equal(a.c[act_number("lane_wakeup")], 3 * (32 + 16 + 16));
    savings_sm_destroy(f.sm);
}

// Figure 4.4 as drawn, cycle by cycle: instructions that hold a lane for one cycle each enter as
// soon as the pipeline takes them, `apart` cycles apart at least. Which of eight lanes work (each
// quad does the same)?
static void draw_pipe(uint64_t x, uint32_t warps, uint64_t apart, const char *const *row,
                      uint32_t rows) {
    struct fake f;
    fake_make(&f, "lane-pg warp-folding idle_detect=100000 eager_gating=0 shift_stages=0", 1);
    f.v.active = f.v.decoded = 1;
    f.v.needs[UNIT_INT] = 1;
    fake_cycle(&f, 300);
    uint32_t lanes[16] = {0};
    uint64_t t = x;
    for (uint32_t k = 0; k < warps; k++) {
        fake_cycle(&f, t);
        const struct sm_delay d = give(&f, SM_PIPE_INT, UINT32_MAX, (uint32_t)t, 1);
        const struct lane_pipe *const p = &savings_lanes(f.sm)->pipe[0];
        for (uint32_t i = 0; i < LANE_MAX; i++) {
            const uint64_t until = p->hot >> i & 1 ? savings_lanes(f.sm)->book[0].until : p->idle_from[i];
            for (uint64_t c = t; c < until; c++) lanes[c - x] |= 1u << i;
        }
        const uint64_t taken = 1 + d.interval;
        t += taken > apart ? taken : apart;
    }
    for (uint32_t c = 0; c < rows; c++) assert_int_equal(lanes[c], drawn(row[c]) * 0x01010101u);
    for (uint32_t c = rows; c < 16; c++) assert_int_equal(lanes[c], 0);
    savings_sm_destroy(f.sm);
}
static void figure_4_4(void **state) {
    (void)state;
    static const char *const bubbles[] = {"1111 1111", "", "1111 1111", ""},
                             *const busy[] = {"1111 1111", "1111 1111", "1111 1111", "1111 1111"},
                             *const half[] = {"1100 1100", "1100 1100", "1100 1100", "1100 1100",
                                              "1100 1100", "1100 1100", "1100 1100", "1100 1100"};
    draw_pipe(510, 2, 2, bubbles, 4); // a: INT, which is the majority, folds in 300..419
    draw_pipe(310, 2, 2, half, 4); // c: the bubbles of the lower lanes have moved to the upper ones
    draw_pipe(510, 4, 1, busy, 4);    // d
    draw_pipe(310, 4, 1, half, 8);    // e: four cycles more
}

// Of 600 slots, 90 % are used by 540 instructions in a phase that does not fold, and by 270 in one
// that folds each: a half-warp has an issue cycle of its own (4.3.3). 539 and 269 are fewer.
static void halves_use_slots(void **state) {
    (void)state;
    for (uint32_t slots = 1; slots <= 2; slots++) {
        for (uint32_t n = 269; n <= 270; n++) {
            struct fake f;
            fake_make(&f, slots == 1 ? "lane-pg warp-folding fold_slots=1" : "lane-pg warp-folding",
                      1);
            f.v.active = f.v.decoded = 1;
            f.v.needs[UNIT_INT] = 1;
            fake_cycle(&f, 300);
            assert_true(savings_lanes(f.sm)->fold[0].to > 300);
            fake_cycle(&f, 310);
            assert_int_equal(wanted(&f, 0, UINT32_MAX), 313);
            fake_cycle(&f, 313);
            for (uint32_t k = 0; k < n; k++) give(&f, SM_PIPE_INT, UINT32_MAX, 313, 4);
            fake_cycle(&f, 600);
            const struct activity a = fake_count(&f, 601);
            assert_int_equal(a.c[act_number("folded")], n);
            assert_int_equal(a.c[act_number("fold_phases_off")], slots == 2 && n == 270);
            savings_sm_destroy(f.sm);
        }
    }
}

// The phase before used 90 % of 600 slots: no folding. 539 issues are fewer.
static void full_phases_do_not_fold(void **state) {
    (void)state;
    for (uint32_t n = 539; n <= 540; n++) {
        struct fake f;
        fake_make(&f, "lane-pg warp-folding", 1);
        f.v.active = f.v.decoded = 1;
        f.v.needs[UNIT_INT] = 1;
        fake_cycle(&f, 10);
        f.v.issued += n; // whatever their unit
        fake_cycle(&f, 300);
        const bool folds = n < 540;
        assert_int_equal(savings_lanes(f.sm)->fold[0].to > 300, folds);
        assert_int_equal(savings_lanes(f.sm)->fold[1].to > 300, folds);
        const struct activity a = fake_count(&f, 301);
        assert_int_equal(a.c[act_number("fold_phases")], 1);
        assert_int_equal(a.c[act_number("fold_phases_off")], !folds);
        savings_sm_destroy(f.sm);
    }
}

// ---- against a machine that ticks --------------------------------------------------------------
// Each lane of one pipeline by itself, cycle by cycle, as figure 2.5c draws it: it knows the cycles
// in which each lane has work, is told what is woken, and is asked for nothing but sums.
enum { TICKS = 4000 };
static struct ticking {
    bool work[TICKS + 64], kept[TICKS + 64];
    uint32_t idle, off, waking;
    bool is_off;
} tick[32];

struct ticked { uint64_t busy, idle, before, after, waking, events, wakeups; };

struct gate_knobs { uint32_t idle_detect, wakeup_delay, break_even; }; // options
// What time does to each lane, in cycle t.
static void time_passes(uint64_t t, const struct gate_knobs *o, struct ticked *n) {
    for (uint32_t l = 0; l < 32; l++) {
        struct ticking *const x = &tick[l];
        if (x->waking != 0 && --x->waking == 0) x->idle = 0;
        if (!x->is_off && x->waking == 0 && x->idle >= o->idle_detect && !x->work[t] &&
            !x->kept[t]) {
            x->is_off = true;
            x->off = 0;
            n->events++;
        }
    }
}

static void work_comes(uint64_t t, uint32_t want, uint32_t operands, uint32_t latency,
                       struct ticked *n) {
    for (uint32_t l = 0; l < 32; l++) {
        if (!(want >> l & 1)) continue;
        if (tick[l].is_off) n->wakeups++;
        tick[l].is_off = false;
        for (uint32_t k = 0; k < operands; k++) tick[l].kept[t + k] = true;
        for (uint32_t k = 0; k < latency; k++) tick[l].work[t + operands + k] = true;
    }
}

// Answers when all lanes that are wanted are on.
static uint64_t wake_lanes(uint64_t t, uint32_t want, const struct gate_knobs *o,
                           struct ticked *n) {
    uint64_t on_at = t;
    for (uint32_t l = 0; l < 32; l++) {
        struct ticking *const x = &tick[l];
        if (!(want >> l & 1)) continue;
        if (x->is_off) {
            x->is_off = false;
            x->waking = o->wakeup_delay;
            n->wakeups++;
        }
        if (x->waking != 0 && t + x->waking > on_at) on_at = t + x->waking;
    }
    for (uint32_t l = 0; l < 32; l++) // what a warp waits for stays on
        if (want >> l & 1)
            for (uint64_t k = t; k <= on_at; k++) tick[l].kept[k] = true;
    return on_at;
}

static void count_cycle(uint64_t t, const struct gate_knobs *o, struct ticked *n) {
    for (uint32_t l = 0; l < 32; l++) {
        struct ticking *const x = &tick[l];
        if (x->work[t]) {
            n->busy++;
            x->idle = 0;
            continue;
        }
        n->idle++;
        if (x->is_off) {
            if (x->off++ < o->break_even) n->before++;
            else n->after++;
        } else if (x->waking != 0) {
            n->waking++;
        } else {
            x->idle++;
        }
    }
}

static void against_ticks_at_level(void) {
    static const char *const with[] = {
        "lane-pg gate_fp=0", "lane-pg gate_fp=0 wakeup_delay=0 idle_detect=2",
        "lane-pg gate_fp=0 idle_detect=1 break_even=3 wakeup_delay=7"};
    for (uint32_t round = 0; round < 30; round++) {
        struct fake f;
        fake_make(&f, with[round % 3], 1);
        const struct gate_knobs knobs = {savings_value(&f.set, "idle_detect"),
                                         savings_value(&f.set, "wakeup_delay"),
                                         savings_value(&f.set, "break_even")};
        const struct gate_knobs *const o = &knobs;
        memset(tick, 0, sizeof tick);
        struct ticked n = {0};
        uint64_t wait_until = 0, pipe_free = 0;
        uint32_t want = 0;
        for (uint64_t t = 0; t < TICKS; t++) {
            time_passes(t, o, &n);
            // Ours is asked in some cycles only: when a warp is there.
            const bool comes = want == 0 && draw() % 23 == 0;
            if (comes) want = draw() % 3 == 0 ? UINT32_MAX : draw() & draw();
            if (want != 0 && t >= wait_until && t >= pipe_free) {
                fake_cycle(&f, t);
                bool all = true;
                for (uint32_t l = 0; l < 32; l++)
                    if (want >> l & 1) all &= !tick[l].is_off && tick[l].waking == 0;
                if (o->wakeup_delay == 0) all = true;
                assert_int_equal(is_on(&f, want), all);
                if (all) {
                    const uint32_t operands = draw() % 4, latency = 1 + draw() % 9;
                    give(&f, SM_PIPE_INT, want, (uint32_t)t + operands, latency);
                    pipe_free = t + operands + 1;
                    work_comes(t, want, operands, latency, &n);
                    want = 0;
                } else {
                    wait_until = wanted(&f, 0, want);
                    assert_int_equal(wait_until, wake_lanes(t, want, o, &n));
                }
            }
            count_cycle(t, o, &n);
        }
        const struct activity a = fake_count(&f, TICKS);
        assert_int_equal(a.c[act_number("lane_busy_cycles")], n.busy);
        assert_int_equal(a.c[act_number("lane_idle_cycles")], n.idle);
        assert_int_equal(a.c[act_number("lane_uncompensated")], n.before);
        assert_int_equal(a.c[act_number("lane_compensated")], n.after);
        assert_int_equal(a.c[act_number("lane_wakeup")], n.waking);
        assert_int_equal(a.c[act_number("lane_events")], n.events);
        assert_int_equal(a.c[act_number("lane_wakeups")], n.wakeups);
        assert_true(n.events > 100 && n.before > 0 && n.after > 0);
        savings_sm_destroy(f.sm);
    }
}
static void against_ticks(void **state) {
    (void)state;
    static const char *const level[] = {NULL, "base", "v3", "v4"};
    for (size_t i = 0; i < WW_COUNT(level); i++)
        if (exec_simd_force(level[i])) against_ticks_at_level();
    exec_simd_force(NULL);
}

// Cycles are kept as 32 bits: far more of them than that between two looks, and before a count.
static void long_idle(void **state) {
    (void)state;
    const uint64_t at = 6000000000, now = 11000000000;
    struct fake f;
    fake_make(&f, "lane-pg gate_fp=0", 1);
    fake_cycle(&f, 2);
    give(&f, SM_PIPE_INT, 15, 4, 6);
    fake_cycle(&f, 4);
    fake_cycle(&f, at);
    assert_false(is_on(&f, 1));
    assert_int_equal(wanted(&f, 0, 15), at + 3);
    const struct activity a = fake_count(&f, now);
    assert_int_equal(a.c[act_number("lane_busy_cycles")], 4 * 6);
    assert_int_equal(a.c[act_number("lane_idle_cycles")], 32 * now - 24);
    // off: 0..3 from 15 to at, and from at + 8 on; the others from 5 on
    assert_int_equal(a.c[act_number("lane_uncompensated")], (4 + 4 + 28) * 14);
    assert_int_equal(a.c[act_number("lane_compensated")],
                     4 * (at - 15 - 14) + 4 * (now - (at + 8) - 14) + 28 * (now - 5 - 14));
    assert_int_equal(a.c[act_number("lane_wakeup")], 3 * 4);
    assert_int_equal(a.c[act_number("lane_events")], 32 + 4);
    assert_int_equal(a.c[act_number("lane_wakeups")], 4);
    fake_cycle(&f, now);
    assert_int_equal(wanted(&f, 0, UINT32_MAX), now + 3);
    fake_cycle(&f, now + 3);
    give(&f, SM_PIPE_INT, UINT32_MAX, now + 3, 6);
    const struct activity b = fake_count(&f, now + 4);
    assert_int_equal(b.c[act_number("lane_idle_cycles")], 32 * (now + 3) - 24);
    assert_int_equal(b.c[act_number("lane_idle_periods_int") + 63], 32);
    savings_sm_destroy(f.sm);
}

// ---- the scheduler -----------------------------------------------------------------------------
static uint64_t preferred(struct fake *f, uint32_t scheduler, uint64_t ready) {
    return fake_preferred(f, scheduler, ready);
}

// Warps 0 to 3 for INT, 0 full, 1 to 3 partial; 4 for LD/ST.
static void groups(void **state) {
    (void)state;
    struct fake f;
    fake_make(&f, "gates origami-scheduler", 1);
    f.v.active = f.v.decoded = 31;
    f.v.needs[UNIT_INT] = 15;
    f.v.needs[UNIT_LDST] = 16;
    f.v.lanes[0] = UINT32_MAX;
    f.v.lanes[1] = f.v.lanes[2] = f.v.lanes[3] = UINT32_MAX >> 1;
    f.v.full = 1;
    fake_cycle(&f, 300); // three partial, one full: partial
    assert_int_equal(preferred(&f, 0, 31), 14);
    assert_int_equal(preferred(&f, 0, 16), 16); // no INT: loads have no groups
    fake_cycle(&f, 301); // none of the group is ready: the other, for this scheduler from now on
    assert_int_equal(preferred(&f, 0, 1 | 16), 1);
    fake_cycle(&f, 302);
    assert_int_equal(preferred(&f, 0, 15), 1);
    assert_int_equal(preferred(&f, 1, 15), 14);
    fake_cycle(&f, 600); // second phase of the partial ones
    assert_int_equal(preferred(&f, 0, 15), 14);
    // Asked again in a cycle, without those that wait for lanes: no change of group.
    fake_cycle(&f, 601);
    assert_int_equal(preferred(&f, 0, 15), 14);
    assert_int_equal(preferred(&f, 0, 1), 1);
    fake_cycle(&f, 602);
    assert_int_equal(preferred(&f, 0, 15), 14);
    fake_cycle(&f, 900); // M = 2 phases are over: the full one's turn
    assert_int_equal(preferred(&f, 0, 15), 1);
    fake_cycle(&f, 1200); // and back
    assert_int_equal(preferred(&f, 0, 15), 14);
    f.v.lanes[0] = 1;
    f.v.full = 0;
    fake_cycle(&f, 1500);
    fake_cycle(&f, 1800); // nobody is in the other group: nothing to force
    assert_int_equal(preferred(&f, 0, 15), 15);
    const struct activity a = fake_count(&f, 1801);
    assert_int_equal(a.c[act_number("group_phases")], 1);
    assert_int_equal(a.c[act_number("group_phases") + 1], 5);
    assert_int_equal(a.c[act_number("group_forced")], 1);
    assert_int_equal(a.c[act_number("group_switches")], 1);
    savings_sm_destroy(f.sm);
}

// Figure 4.6 as drawn: six warps in their order (a); those with fewer than 32 active threads are
// more and issue first (b); shifted, lane 3 has a new idle window of four cycles, and lane 6 one of
// four instead of three (c).
static void figure_4_6(void **state) {
    (void)state;
    static const char *const a[] = {"1101 0100", "0111 0100", "1111 1111",
                                    "0011 0101", "0111 0110", "1111 1111"};
    static const char *const b[] = {"1101 0100", "0111 0100", "0011 0101",
                                    "0111 0110", "1111 1111", "1111 1111"};
    static const char *const c[] = {"1110 1000", "1110 1000", "1100 1100",
                                    "1110 1100", "1111 1111", "1111 1111"};
    struct fake f;
    fake_make(&f, "gates origami-scheduler", 1);
    f.v.active = f.v.decoded = f.v.needs[UNIT_INT] = 63;
    for (uint32_t w = 0; w < 6; w++) {
        f.v.lanes[w] = drawn(a[w]) * 0x01010101u;
        f.v.full |= (uint64_t)(f.v.lanes[w] == UINT32_MAX) << w;
    }
    fake_cycle(&f, 300);
    uint64_t ready = 63;
    uint32_t idle_b[8] = {0}, idle_c[8] = {0};
    for (uint32_t k = 0; k < 6; k++) {
        fake_cycle(&f, 301 + k);
        const uint32_t w = bits_first64(preferred(&f, 0, ready));
        ready &= ~(1ull << w);
        assert_int_equal(f.v.lanes[w], drawn(b[k]) * 0x01010101u);
        const struct lane_use u = lanes_use(f.v.lanes[w], f.v.lanes[w], true, false);
        assert_int_equal(u.first, drawn(c[k]) * 0x01010101u);
        for (uint32_t lane = 0; lane < 8; lane++) {
            idle_b[lane] += !(f.v.lanes[w] >> lane & 1);
            idle_c[lane] += !(u.first >> lane & 1);
        }
    }
    assert_true(idle_b[3] == 0 && idle_c[3] == 4 && idle_b[6] == 3 && idle_c[6] == 4);
    savings_sm_destroy(f.sm);
}

// ---- what does not go together -----------------------------------------------------------------
static void refused_on(const char *words, struct sm_config c, const char *why) {
    struct diags d;
    diags_init(&d);
    struct savings s;
    static char text[256];
    snprintf(text, sizeof text, "%s", words);
    struct savings_request r = {.n_mechanisms = 0};
    char *save = NULL;
    for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        r.mechanism[r.n_mechanisms].name = w;
        r.mechanism[r.n_mechanisms++].where = "test";
    }
    assert_int_equal(savings_make(&r, &c, &d, &s), why ? WW_ERROR_CONFIG : WW_OK);
    char said[512] = "";
    diags_first(&d, said, sizeof said);
    if (why && strstr(said, why) == NULL) fail_msg("%s", said);
    diags_free(&d);
}
static void refused(const char *words, uint32_t interval, const char *why) {
    struct sm_config c = {.lane_groups = 2, .sfus = 1, .schedulers = 2};
    c.timing[OPC_INT_ADD].interval = c.timing[OPC_FP_ADD].interval = interval;
    refused_on(words, c, why);
}
static void refusals(void **state) {
    (void)state;
    refused("warp-folding", 1, "needs lane-pg");
    refused("warp-folding conv-pg", 1, "needs lane-pg");
    refused("lane-shifting", 1, "needs lane-pg");
    refused("origami-scheduler", 1, "needs gates");
    refused("lane-pg conv-pg", 1, "do not go together");
    refused("gates coordinated-blackout lane-pg", 1, "do not go together");
    refused("lane-pg adaptive-idle-detect", 1, "needs naive-blackout");
    refused("lane-pg warp-folding", 16, "have 2");
    refused("lane-pg lane-shifting", 16, "have 2");
    refused("lane-pg", 16, NULL);
    refused("lane-pg warp-folding", 8, NULL);
    refused("lane-meter warp-folding lane-shifting", 2, NULL);
    refused("gates origami-scheduler coordinated-blackout adaptive-idle-detect", 1, NULL);
    struct sm_config entry = {
        .lane_groups = 2, .sfus = 1, .schedulers = 2, .lane_group_at = LANE_GROUP_AT_ENTRY};
    refused_on("lane-pg warp-folding", entry, NULL);
    refused_on("gates coordinated-blackout adaptive-idle-detect", entry, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folding_as_drawn),  cmocka_unit_test(one_half_is_not_folded),
        cmocka_unit_test(shifting_as_drawn), cmocka_unit_test(every_thread_once),
        cmocka_unit_test(few_lanes),         cmocka_unit_test(each_lane_alone),
        cmocka_unit_test(work_for_a_lane_that_is_off),
        cmocka_unit_test(a_phase),           cmocka_unit_test(full_phases_do_not_fold),
        cmocka_unit_test(halves_use_slots),  cmocka_unit_test(figure_4_4),
        cmocka_unit_test(figure_4_6),        cmocka_unit_test(against_ticks),
        cmocka_unit_test(long_idle),         cmocka_unit_test(groups),
        cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
