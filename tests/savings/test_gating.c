// The power-gating state machines. First schedules that are short enough to follow by hand, then
// long random ones against a machine that ticks through every cycle as the paper draws it
// (MICRO-46, figure 2c and section 5), while ours is asked in a few cycles only.
#include "activity/sm.h"
#include "test_view.h"
#include "savings/gating.h"

// ---- by hand -----------------------------------------------------------------------------------
// Idle from 0; idle-detect 5: on in 0..4, off from 5; break-even 14: compensated from 19.
static void conventional(void **state) {
    (void)state;
    struct fake f;
    fake_make(&f, "conv-pg", 1);
    for (uint64_t t = 0; t < 5; t++) {
        fake_cycle(&f, t);
        assert_true(fake_on(&f, SM_PIPE_INT));
    }
    fake_cycle(&f, 5);
    assert_false(fake_on(&f, SM_PIPE_INT));
    fake_cycle(&f, 12); // woken in 12: seven cycles off, none of them compensated; on in 15
    assert_int_equal(fake_want(&f, UNIT_INT, 1u << SM_PIPE_INT), 15);
    fake_cycle(&f, 14);
    assert_false(fake_on(&f, SM_PIPE_INT));
    fake_cycle(&f, 15);
    assert_true(fake_on(&f, SM_PIPE_INT));
    f.v.pipe[SM_PIPE_INT].busy_until = 25; // an instruction works until 24
    fake_cycle(&f, 29);
    assert_true(fake_on(&f, SM_PIPE_INT));
    fake_cycle(&f, 30); // five idle cycles later
    assert_false(fake_on(&f, SM_PIPE_INT));
    fake_cycle(&f, 50); // 20 cycles off, 6 of them compensated
    assert_int_equal(fake_want(&f, UNIT_INT, 1u << SM_PIPE_INT), 53);
    const struct activity a = fake_count(&f, 60); // on from 53, off from 58: two more
    assert_int_equal(a.c[act_number("gate_uncompensated")], 7 + 14 + 2);
    assert_int_equal(a.c[act_number("gate_compensated")], 6);
    assert_int_equal(a.c[act_number("gate_wakeup")], 6);
    assert_int_equal(a.c[act_number("gate_events")], 3);
    assert_int_equal(a.c[act_number("gate_wakeups")], 2);
    assert_int_equal(a.c[act_number("gate_early_wakeups")], 1);
    assert_int_equal(a.c[act_number("gate_critical_wakeups")], 0);
    savings_sm_destroy(f.sm);
}

// Off from 5 on; wanted in 8, but dark until 19; the wakeup then is critical; a later one is not.
static void blackout(void **state) {
    (void)state;
    struct fake f;
    fake_make(&f, "naive-blackout", 1);
    fake_cycle(&f, 8);
    assert_int_equal(fake_want(&f, UNIT_INT, 1u << SM_PIPE_INT), 19);
    fake_cycle(&f, 18);
    assert_int_equal(fake_want(&f, UNIT_INT, 1u << SM_PIPE_INT), 19);
    fake_cycle(&f, 19);
    assert_int_equal(fake_want(&f, UNIT_INT, 1u << SM_PIPE_INT), 22);
    fake_cycle(&f, 22);
    assert_true(fake_on(&f, SM_PIPE_INT));
    f.v.pipe[SM_PIPE_INT].busy_until = 30; // off from 35, dark until 49
    fake_cycle(&f, 50);
    assert_int_equal(fake_want(&f, UNIT_INT, 1u << SM_PIPE_INT), 53);
    const struct activity a = fake_count(&f, 53);
    assert_int_equal(a.c[act_number("gate_uncompensated")], 28);
    assert_int_equal(a.c[act_number("gate_compensated")], 1);
    assert_int_equal(a.c[act_number("gate_early_wakeups")], 0);
    assert_int_equal(a.c[act_number("gate_critical_wakeups")], 1);
    savings_sm_destroy(f.sm);
}

static void active(struct fake *f, uint32_t unit, uint64_t warps) {
    f->v.active |= warps;
    f->v.decoded |= warps;
    f->v.needs[unit] = warps;
}

// Two lane groups idle from 0, a warp of their type waits: the upper one goes off in 5, the lower
// one stays on however long; when the warp has left (seen in cycle 40) it goes off at once.
static void coordinated_by(const char *words, bool has_gates) {
    struct fake f;
    fake_make(&f, words, 2);
    active(&f, UNIT_INT, 4);
    fake_cycle(&f, 1);
    fake_end_of_cycle(&f);
    fake_cycle(&f, 5);
    fake_end_of_cycle(&f);
    assert_true(fake_on(&f, SM_PIPE_INT));
    assert_false(fake_on(&f, SM_PIPE_INT + 1));
    fake_cycle(&f, 39);
    fake_end_of_cycle(&f);
    assert_true(fake_on(&f, SM_PIPE_INT));
    active(&f, UNIT_INT, 0);
    fake_cycle(&f, 40);
    assert_false(fake_on(&f, SM_PIPE_INT));
    fake_end_of_cycle(&f);
    // FP has no active warp: both off, the upper in 5, the lower with it
    assert_false(fake_on(&f, SM_PIPE_FP));
    struct activity a = {0};
    a.c[ACT_sm_busy_cycles] = 60;
    for (uint32_t i = 0; i < f.n; i++)
        if (f.p[i]->count) f.p[i]->count(f.p[i]->self, &f.v, &a, 60);
    assert_int_equal(a.c[act_number("gate_uncompensated")], 14);
    assert_int_equal(a.c[act_number("gate_compensated")], 60 - 40 - 14);
    assert_int_equal(a.c[act_number("gate_compensated") + 1], 60 - 5 - 14);
    assert_int_equal(a.c[act_number("gate_compensated") + ACT_FP_DOMAIN], 60 - 5 - 14);
    // one of them has the counters of active warps
    assert_int_equal(a.c[act_number("blackout_cycles")], has_gates ? 0 : 60);
    assert_int_equal(a.c[act_number("gates_cycles")], has_gates ? 60 : 0);
    savings_sm_destroy(f.sm);
}

static void coordinated(void **state) {
    (void)state;
    coordinated_by("gates coordinated-blackout", true);
    coordinated_by("coordinated-blackout", false); // on the plain two-level scheduler
}

// The last lane group was kept on, idle, by an active warp. Another one is woken beside it in 100:
// from the cycle after on it may go off, and no earlier.
static void coordinated_beside(void **state) {
    (void)state;
    struct fake f;
    fake_make(&f, "gates coordinated-blackout", 2);
    active(&f, UNIT_INT, 4);
    fake_cycle(&f, 1);
    fake_end_of_cycle(&f);
    fake_cycle(&f, 100);
    assert_true(fake_on(&f, SM_PIPE_INT));
    assert_int_equal(fake_want(&f, UNIT_INT, 1ull << (SM_PIPE_INT + 1)), 103);
    fake_end_of_cycle(&f);
    fake_cycle(&f, 101);
    assert_false(fake_on(&f, SM_PIPE_INT));
    const struct activity a = fake_count(&f, 111);
    assert_int_equal(a.c[act_number("gate_uncompensated")], 111 - 101);
    assert_int_equal(a.c[act_number("gate_compensated")], 0);
    savings_sm_destroy(f.sm);
}

// The last lane group goes off before its idle-detect window is over: it works until 50, the other
// is off since 5, nobody is there: off in 50.
static void coordinated_at_once(void **state) {
    (void)state;
    struct fake f;
    fake_make(&f, "gates coordinated-blackout", 2);
    f.v.pipe[SM_PIPE_INT].busy_until = 50;
    fake_cycle(&f, 10);
    fake_end_of_cycle(&f);
    fake_cycle(&f, 49);
    assert_true(fake_on(&f, SM_PIPE_INT));
    assert_false(fake_on(&f, SM_PIPE_INT + 1));
    fake_end_of_cycle(&f);
    fake_cycle(&f, 60);
    assert_false(fake_on(&f, SM_PIPE_INT));
    assert_int_equal(savings_gating(f.sm)->domain[SM_PIPE_INT].since, 50);
    savings_sm_destroy(f.sm);
}

// Two schedulers want INT in one cycle: two lane groups wake; a third finds none.
static void two_schedulers_wake_two(void **state) {
    (void)state;
    struct fake f;
    fake_make(&f, "conv-pg", 2);
    fake_cycle(&f, 20);
    const uint64_t both = 3ull << SM_PIPE_INT;
    assert_int_equal(fake_want(&f, UNIT_INT, both), 23);
    assert_int_equal(savings_gating(f.sm)->domain[SM_PIPE_INT + 1].state, GATE_OFF);
    assert_int_equal(fake_want(&f, UNIT_INT, both), 23);
    assert_int_equal(savings_gating(f.sm)->domain[SM_PIPE_INT + 1].state, GATE_WAKING);
    fake_cycle(&f, 21); // one of them alone: the first is on its way already
    assert_int_equal(fake_want(&f, UNIT_INT, both), 23);
    const struct activity a = fake_count(&f, 30);
    assert_int_equal(a.c[act_number("gate_wakeups")] + a.c[act_number("gate_wakeups") + 1], 2);
    savings_sm_destroy(f.sm);
}

// More than five critical wakeups in an epoch: the window grows at once, up to 10; four epochs in a
// row without: one shorter, down to 5. FP has none and stays.
static void adaptive_window(void **state) {
    (void)state;
    struct fake f;
    fake_make(&f, "gates coordinated-blackout adaptive-idle-detect", 2);
    uint64_t t = 0;
    uint32_t want = 5;
    for (uint32_t e = 1; e <= 8; e++) {
        savings_gating(f.sm)->domain[SM_PIPE_INT].n.critical_wakeups += e == 1 ? 5 : 6; // five are allowed
        fake_cycle(&f, t += 1000);
        if (e > 1 && want < 10) want++;
        assert_int_equal(savings_gating(f.sm)->idle_detect[GATE_TYPE_INT], want);
    }
    assert_int_equal(want, 10);
    for (uint32_t e = 1; e <= 24; e++) {
        fake_cycle(&f, t += 1000);
        if (e % 4 == 0 && want > 5) want--;
        assert_int_equal(savings_gating(f.sm)->idle_detect[GATE_TYPE_INT], want);
        assert_int_equal(savings_gating(f.sm)->idle_detect[GATE_TYPE_FP], 5);
    }
    assert_int_equal(want, 5);
    // 5 for the first two epochs, then 6, 7, 8, 9, 10, 10 and four each of 10, 9, 8, 7, 6, 5
    const struct activity a = fake_count(&f, t);
    assert_int_equal(a.c[act_number("idle_detect_cycles")],
                     1000 * (5 + 5 + 6 + 7 + 8 + 9 + 10 + 10 + 4 * 45));
    assert_int_equal(a.c[act_number("idle_detect_cycles") + 1], 5 * t);
    savings_sm_destroy(f.sm);
}

// ---- against a machine that ticks --------------------------------------------------------------
struct ticking { // one unit
    enum { T_ON, T_OFF, T_WAKING } state;
    uint32_t idle, off, waking; // cycles in a row
    uint64_t uncompensated, compensated, wakeup, events, wakeups;
};
// Beginning of a cycle, before anybody wants anything.
static void tick(struct ticking *m, bool is_idle, uint32_t window) {
    if (m->state == T_WAKING && m->waking == 3) {
        m->state = T_ON;
        m->idle = 0;
    }
    if (m->state == T_ON && !is_idle) m->idle = 0;
    if (m->state == T_ON && is_idle && m->idle >= window) {
        m->state = T_OFF;
        m->off = 0;
        m->events++;
    }
}
static void wake(struct ticking *m) {
    m->state = T_WAKING;
    m->waking = 0;
    m->wakeups++;
}
static void tock(struct ticking *m, bool is_idle) { // end of the cycle: it is spent
    if (m->state == T_ON) m->idle = is_idle ? m->idle + 1 : 0;
    if (m->state == T_OFF) *(m->off++ < 14 ? &m->uncompensated : &m->compensated) += 1;
    if (m->state == T_WAKING) {
        m->waking++;
        m->wakeup++;
    }
}

static uint32_t seed;
static uint32_t draw(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static void compare(const struct activity *a, uint32_t d, const struct ticking *m) {
    assert_int_equal(a->c[act_number("gate_uncompensated") + d], m->uncompensated);
    assert_int_equal(a->c[act_number("gate_compensated") + d], m->compensated);
    assert_int_equal(a->c[act_number("gate_wakeup") + d], m->wakeup);
    assert_int_equal(a->c[act_number("gate_events") + d], m->events);
    assert_int_equal(a->c[act_number("gate_wakeups") + d], m->wakeups);
}

// One lane group; instructions come in bursts. Ours is asked only in cycles with an instruction.
static void one_lane_group(const char *words, bool is_blackout) {
    for (uint32_t round = 0; round < 200; round++) {
        struct fake f;
        fake_make(&f, words, 1);
        struct ticking m = {0};
        uint64_t busy_from = 0, busy_until = 0, next = draw(60), t = 0;
        bool waits = false;
        for (; t < 2000; t++) {
            const bool is_idle = t < busy_from || t >= busy_until;
            // issued but not yet there: neither machine may switch off
            tick(&m, is_idle && t >= busy_until, 5);
            if (t == next) waits = true;
            if (waits) {
                fake_cycle(&f, t);
                assert_int_equal(fake_on(&f, SM_PIPE_INT), m.state == T_ON);
                if (m.state == T_ON) {
                    waits = false;
                    next = t + 1 + (draw(3) ? draw(12) : draw(60));
                    busy_from = busy_until > t + 3 ? busy_until : t + 3;
                    busy_until = t + 3 + 1 + draw(10);
                    if (busy_until < busy_from) busy_until = busy_from;
                    f.v.pipe[SM_PIPE_INT].busy_until = busy_until;
                    m.idle = 0;
                } else {
                    fake_want(&f, UNIT_INT, 1u << SM_PIPE_INT);
                    if (m.state == T_OFF && (!is_blackout || m.off >= 14)) wake(&m);
                }
            }
            tock(&m, t >= busy_until);
        }
        const struct activity a = fake_count(&f, t);
        compare(&a, 0, &m);
        if (is_blackout) assert_int_equal(a.c[act_number("gate_early_wakeups")], 0);
        assert_true(m.events > 3);
        savings_sm_destroy(f.sm);
    }
}
static void conventional_ticks(void **state) {
    (void)state;
    seed = 1;
    one_lane_group("conv-pg", false);
}
static void naive_ticks(void **state) {
    (void)state;
    seed = 2;
    one_lane_group("naive-blackout", true);
}

// Two lane groups, coordinated. Warps of the type come into the active set, wait there, and issue.
// Ours is called in cycles in which something changed; in between the view is constant.
static void coordinated_ticks(void **state) {
    (void)state;
    seed = 3;
    uint64_t both_off = 0, stayed = 0;
    for (uint32_t round = 0; round < 200; round++) {
        struct fake f;
        fake_make(&f, "gates coordinated-blackout", 2);
        struct ticking m[2] = {{0}, {0}};
        uint64_t busy[2] = {0}, t = 0, change = 0, ready_at = 0;
        uint32_t warps = 0;
        for (; t < 2000; t++) {
            bool look = false;
            if (t == change) {
                const uint32_t more = draw(4);
                if (warps == 0 && more) ready_at = t + draw(40);
                warps = warps + more > 3 ? 3 : warps + more;
                change = t + 1 + draw(50);
                look = true;
            }
            const bool wants = warps != 0 && t >= ready_at;
            look |= wants;
            active(&f, UNIT_INT, (1u << warps) - 1);
            // the paper's rule, lane group 1 first
            for (int c = 1; c >= 0; c--) {
                const bool is_idle = t >= busy[c];
                if (m[c ^ 1].state != T_OFF || m[c].state == T_WAKING)
                    tick(&m[c], is_idle, 5);
                else
                    tick(&m[c], is_idle, warps ? UINT32_MAX : 0);
            }
            // a waking lane group that has become on in this cycle saw the other's old state: again
            if (m[1].state == T_ON && m[0].state == T_OFF && warps == 0 && t >= busy[1])
                tick(&m[1], true, 0);
            both_off += m[0].state == T_OFF && m[1].state == T_OFF;
            stayed += m[0].state == T_ON && m[1].state == T_OFF && m[0].idle > 5;
            if (look) {
                fake_cycle(&f, t);
                assert_int_equal(fake_on(&f, SM_PIPE_INT), m[0].state == T_ON);
                assert_int_equal(fake_on(&f, SM_PIPE_INT + 1), m[1].state == T_ON);
            }
            bool issued = false;
            if (wants) {
                int c = m[0].state == T_ON ? 0 : m[1].state == T_ON ? 1 : -1;
                if (c >= 0) {
                    const uint64_t until = t + 3 + 1 + draw(10);
                    if (until > busy[c]) busy[c] = until; // results leave in order
                    f.v.pipe[SM_PIPE_INT + c].busy_until = busy[c];
                    m[c].idle = 0;
                    warps--;
                    ready_at = t + 1 + draw(30);
                    issued = true;
                    // The cycle after an issue is simulated.
                    change = change > t + 1 ? t + 1 : change;
                } else {
                    fake_want(&f, UNIT_INT, 3ull << SM_PIPE_INT);
                    if (m[0].state != T_WAKING && m[1].state != T_WAKING)
                        for (c = 0; c < 2; c++)
                            if (m[c].state == T_OFF && m[c].off >= 14) {
                                wake(&m[c]);
                                break;
                            }
                }
            }
            active(&f, UNIT_INT, (1u << warps) - 1);
            if (look && !issued) fake_end_of_cycle(&f);
            for (int c = 0; c < 2; c++) tock(&m[c], t >= busy[c]);
        }
        const struct activity a = fake_count(&f, t);
        compare(&a, 0, &m[0]);
        compare(&a, 1, &m[1]);
        assert_int_equal(a.c[act_number("gate_early_wakeups")] + a.c[act_number("gate_early_wakeups") + 1], 0);
        savings_sm_destroy(f.sm);
    }
    assert_true(both_off > 1000 && stayed > 1000); // the schedules reach what they are about
}

// ---- the oracle --------------------------------------------------------------------------------
static void oracle(void **state) {
    (void)state;
    uint64_t n[ACT_IDLE_LENGTHS] = {[5] = 7, [14] = 3, [15] = 2, [40] = 1, [63] = 2};
    const uint64_t cycles = 5 * 7 + 14 * 3 + 15 * 2 + 40 + (63 + 200);
    assert_int_equal(savings_oracle(n, cycles, 14), 2 * 1 + 26 + (49 + 186));
    assert_int_equal(savings_oracle(n, cycles, 40), 23 + 160);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conventional),        cmocka_unit_test(blackout),
        cmocka_unit_test(coordinated),         cmocka_unit_test(coordinated_at_once),
        cmocka_unit_test(coordinated_beside),
        cmocka_unit_test(two_schedulers_wake_two), cmocka_unit_test(adaptive_window),
        cmocka_unit_test(conventional_ticks),  cmocka_unit_test(naive_ticks),
        cmocka_unit_test(coordinated_ticks),   cmocka_unit_test(oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
