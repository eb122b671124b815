// The search for the clock that keeps a board within its power limit, on boards whose power at
// every clock is written down here: it ends at the highest step that is within, after few
// simulations.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <math.h>
#include <cmocka.h>

#include "gpu/fields.h"
#include "power/limit.h"

static void load(struct gpu_config *c, double limit_w, double step_mhz) {
    struct diags d;
    diags_init(&d);
    assert_int_equal(gpu_config_load("rtx2060s", NULL, 0, &d, c), WW_OK);
    diags_free(&d);
    c->board = (struct gpu_board){limit_w, step_mhz, 300};
}

// A board that draws `still` watts at any clock and the rest with a power of the clock.
struct board {
    double still, rest, rise;
};
static double draws(const struct board *b, double mhz) {
    return b->still + b->rest * pow(mhz / 1905, b->rise);
}

// Simulates until the search ends; answers how often.
static uint32_t simulate(struct limit_search *s, const struct board *b, enum limit_end *end) {
    uint32_t n = 0;
    do {
        const double w = draws(b, limit_mhz(s, s->step));
        assert_null(limit_at(s, s->step)); // no step twice
        *end = limit_add(s, w, b->still, 1);
        n++;
    } while (*end == LIMIT_OPEN);
    return n;
}

static void highest_step(void **state) {
    (void)state;
    static struct gpu_config c;
    uint32_t most = 0;
    load(&c, 175, 15);
    for (double rise = 0.2; rise <= 3.5; rise += 0.3)
        for (double still = 20; still <= 150; still += 26)
            for (double step = 7.5; step <= 30; step += 7.5)
                for (double rest = 10; rest <= 300; rest += 29) {
                    const struct board b = {still, rest, rise};
                    struct limit_search s;
                    enum limit_end end;
                    c.board.clock_step = step;
                    limit_begin(&s, &c);
                    const uint32_t n = simulate(&s, &b, &end);
                    uint32_t want = 0; // by trying them all
                    while (want < s.steps && draws(&b, 1905 - want * step) > 175) want++;
                    assert_int_equal(s.step, want);
                    assert_int_equal(end, draws(&b, 1905 - want * step) > 175 ? LIMIT_OVER
                                                                              : LIMIT_WITHIN);
                    assert_non_null(limit_at(&s, s.step));
                    if (n > most) most = n;
                }
    assert_in_range(most, 3, 13); // five, and what halves 214 steps
}

// A run that is within the limit, and one on a board without any, are simulated once.
static void once(void **state) {
    (void)state;
    static struct gpu_config c;
    struct limit_search s;
    load(&c, 175, 15);
    limit_begin(&s, &c);
    assert_int_equal(limit_add(&s, 175, 40, 1), LIMIT_WITHIN);
    assert_int_equal(s.step, 0);
    load(&c, 0, 15);
    limit_begin(&s, &c);
    assert_int_equal(limit_add(&s, 1e4, 40, 1), LIMIT_WITHIN);
    assert_int_equal(s.step, 0);
}

// Steps end at the least clock, and a board that was asked for less than that has none below.
static void ends(void **state) {
    (void)state;
    static struct gpu_config c;
    struct limit_search s;
    char text[64];
    load(&c, 175, 15);
    limit_begin(&s, &c);
    assert_int_equal(s.steps, 107); // (1905 - 300) / 15
    assert_string_equal(limit_key(&s, 17, text, sizeof text), "core.clock_mhz=1650");
    c.clocks.core_mhz = 210;
    limit_begin(&s, &c);
    assert_int_equal(s.steps, 0);
    assert_int_equal(limit_add(&s, 200, 40, 1), LIMIT_OVER);
    assert_int_equal(s.step, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(highest_step),
        cmocka_unit_test(once),
        cmocka_unit_test(ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
