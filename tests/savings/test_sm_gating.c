// Gating of whole SMs, schedules by hand: off before the first CTA, on for a while behind the last one,
// cold and late when it was off, and every cycle in one state.
#include "activity/sm.h"
#include "savings/part.h"
#include "test_view.h"

static const struct sm_technique *find(struct fake *f) {
    for (uint32_t i = 0; i < f->n; i++)
        if (f->p[i]->life != NULL && f->p[i]->life->wake != NULL) return f->p[i];
    fail_msg("no technique is asked when an SM gets its first CTA");
    return NULL;
}

// sm_idle_detect 200, sm_wakeup 100, sm_break_even 14.
//
//   0..999 off | 1000 first CTA, late by 100 | idle from 3000 | 3150 a CTA: still on |
//   idle from 4000, off from 4200 | 5000 a CTA, late | idle from 6000
static struct activity follow(struct fake *f, uint64_t now) {
    struct activity a = {0};
    static const struct {
        uint64_t from, to;
        uint32_t late;
    } work[] = {{1000, 3000, 100}, {3150, 4000, 0}, {5000, 6000, 100}};
    const struct sm_technique *const t = find(f);
    for (uint32_t i = 0; i < WW_COUNT(work) && work[i].from <= now; i++) {
        bool is_cold = false;
        assert_int_equal(t->life->wake(t->self, work[i].from, &is_cold), work[i].late);
        assert_int_equal(is_cold, work[i].late != 0);
        t->life->work(t->self, &f->v, true, work[i].from);
        const uint64_t to = work[i].to < now ? work[i].to : now;
        a.c[ACT_sm_busy_cycles] += to - work[i].from;
        if (work[i].to <= now) t->life->work(t->self, &f->v, false, work[i].to);
    }
    t->count(t->self, &f->v, &a, now);
    savings_part(SAVINGS_sm_gating)->close(&f->set, NULL, 1, 0, now, &a);
    return a;
}

static void by_hand(void **state) {
    (void)state;
    static const struct {
        uint64_t now, on_idle, off, wakeups;
    } row[] = {
        {1000, 0, 1000, 1},   // before its first CTA
        {2000, 0, 1000, 1},   // at work
        {3100, 100, 1000, 1}, // on without work
        {3500, 150, 1000, 1}, // the next CTA came in time
        {4150, 150 + 150, 1000, 1},
        {4200, 150 + 200, 1000, 1},
        {4201, 150 + 200, 1001, 1}, // off
        {5500, 150 + 200, 1800, 2},
        {6050, 150 + 200 + 50, 1800, 2},
        {9000, 150 + 200 + 200, 1800 + 2800, 2},
    };
    for (uint32_t i = 0; i < WW_COUNT(row); i++) {
        struct fake f;
        fake_make(&f, "sm-gating", 2);
        // what fake_make began is undone by a new state
        savings_sm_destroy(f.sm);
        const struct sm_config c = {.lane_groups = 2, .sfus = 1, .schedulers = 2};
        f.sm = savings_sm_create(&f.set, &c);
        f.n = savings_sm_techniques(f.sm, f.p);
        const struct activity a = follow(&f, row[i].now);
        assert_int_equal(a.c[act_number("sm_gate_on_idle")], row[i].on_idle);
        assert_int_equal(a.c[act_number("sm_gate_off")], row[i].off);
        assert_int_equal(a.c[act_number("sm_gate_wakeups")], row[i].wakeups);
        assert_int_equal(a.c[act_number("sm_gate_overhead")], 14 * row[i].wakeups);
        assert_int_equal(a.c[act_number("sm_gate_waking")], 100 * row[i].wakeups);
        assert_int_equal(a.c[ACT_sm_busy_cycles] + row[i].on_idle + row[i].off, row[i].now);
        savings_sm_destroy(f.sm);
    }
}

// An SM that never gets a CTA is off all the time, and pays nothing.
static void never(void **state) {
    (void)state;
    struct activity a = {0};
    savings_part(SAVINGS_sm_gating)->close(NULL, NULL, 3, 0, 500, &a);
    assert_int_equal(a.c[act_number("sm_gate_off")], 1500);
    // A kernel that ended before the window was over: no cycle is counted twice.
    a = (struct activity){0};
    a.c[ACT_sm_busy_cycles] = 450;
    a.c[act_number("sm_gate_on_idle")] = 200;
    savings_part(SAVINGS_sm_gating)->close(NULL, NULL, 1, 0, 500, &a);
    assert_int_equal(a.c[act_number("sm_gate_on_idle")], 50);
    assert_int_equal(a.c[act_number("sm_gate_off")], 0);
}

static void refusals(void **state) {
    (void)state;
    static const char *const words[] = {"sm-gating drowsy-lines", "cache-decay sm-gating"};
    for (uint32_t i = 0; i < WW_COUNT(words); i++) {
        struct diags d;
        struct savings s;
        char text[512];
        diags_init(&d);
        assert_int_equal(make(words[i], 2, &d, &s), WW_ERROR_CONFIG);
        diags_first(&d, text, sizeof text);
        assert_non_null(strstr(text, "each saves what lines of caches leak"));
        diags_free(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(never),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
