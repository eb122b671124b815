// Sweeps: the file, designs of experiments, and the search for a front whose shape is known.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "study/sweep.h"

static struct arena arena;
static struct diags diags;

static enum ww_status parse(const char *text, struct sweep *s) {
    diags_free(&diags);
    diags_init(&diags);
    return sweep_parse(&arena, "dir/some.yaml", arena_strdup(&arena, text), &diags, s);
}

static void check_file(void **state) {
    (void)state;
    struct sweep *s = arena_alloc(&arena, sizeof *s);
    assert_int_equal(parse("gpu: gtx780\nworkloads: [a, b]\nset: {sm.schedulers: 2}\n"
                           "axes:\n"
                           "  sm.l1d.bytes: [16384, 32768]\n"
                           "  core.clock_mhz: {from: 400, to: 700, step: 100}\n"
                           "  lanes: {from: 8, to: 64, times: 2}\n"
                           "  policy: [none, warped-gates]\n"
                           "  l1: {small: {x.a: 1, x.b: 2}, big: {x.a: 3}}\n"
                           "  options: [[], [--max-cycles, 10]]\n"
                           "method: latin\npoints: 7\nobjectives: [time, area]\n",
                           s),
                     WW_OK);
    assert_string_equal(s->name, "some");
    assert_int_equal(s->n_workloads, 2);
    assert_int_equal(s->n_axes, 6);
    assert_string_equal(s->axis[0].value[1].set[0], "sm.l1d.bytes=32768");
    assert_int_equal(s->axis[1].n, 4);
    assert_string_equal(s->axis[1].value[3].text, "700");
    assert_int_equal(s->axis[2].n, 4);
    assert_string_equal(s->axis[2].value[3].set[0], "lanes=64");
    assert_int_equal(s->axis[3].target, SWEEP_POLICY);
    assert_int_equal(s->axis[4].target, SWEEP_NAMED);
    assert_string_equal(s->axis[4].value[0].set[1], "x.b=2");
    assert_int_equal(s->axis[5].value[0].n_words, 0);
    assert_string_equal(s->axis[5].value[1].word[1], "10");
    assert_true(s->objective[SWEEP_TIME] && !s->objective[SWEEP_ENERGY] &&
                s->objective[SWEEP_AREA]);
    assert_int_equal(s->points, 7);
}

static void check_refusals(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
        uint32_t line;
    } bad[] = {
        {"workloads: [a]\naxis: {x: [1]}\n", "did you mean `axes`", 2},
        {"workloads: [a]\naxes: {x: 1}\n", "`x` must be a list", 2},
        {"workloads: [a]\naxes:\n  x: [1, 1]\n", "value `1` twice", 3},
        {"workloads: [a]\naxes:\n  x: []\n", "no value", 3},
        {"workloads: [a]\naxes:\n  x: {from: 3, to: 1, step: 1}\n", "goes up", 3},
        {"workloads: [a]\naxes: {x: [1]}\nmethod: guess\n", "full, random, latin, search", 3},
        {"workloads: [a]\naxes: {x: [1]}\npoints: 0\n", "whole number from 1", 3},
        {"axes: {x: [1]}\n", "`workloads`, or an axis `workload`", 1},
        {"workloads: [a]\naxes: {workload: [b]}\n", "not both", 1},
        {"workloads: [a\n", "", 0},
    };
    for (size_t i = 0; i < WW_COUNT(bad); i++) {
        struct sweep *s = arena_alloc(&arena, sizeof *s);
        assert_int_not_equal(parse(bad[i].text, s), WW_OK);
        char text[600], place[40];
        diags_first(&diags, text, sizeof text);
        if (!strstr(text, bad[i].says)) fail_msg("%s: %s", bad[i].text, text);
        snprintf(place, sizeof place, "some.yaml:%u:", bad[i].line);
        if (bad[i].line && !strstr(text, place)) fail_msg("%s: %s", bad[i].text, text);
    }
}

static void check_designs(void **state) {
    (void)state;
    struct sweep *s = arena_alloc(&arena, sizeof *s);
    assert_int_equal(parse("workloads: [a]\nseed: 5\npoints: 12\naxes:\n"
                           "  x: {from: 1, to: 12, step: 1}\n"
                           "  y: {from: 1, to: 4, step: 1}\n"
                           "  z: [a, b, c]\n",
                           s),
                     WW_OK);
    sweep_points full = {.n = 0}, latin = {.n = 0}, random = {.n = 0}, again = {.n = 0};
    assert_int_equal(sweep_full(&arena, s, &diags, &full), WW_OK);
    assert_int_equal(full.n, 12 * 4 * 3);
    assert_int_equal(full.at[1].at[2], 1); // the last axis turns fastest
    sweep_latin(&arena, s, &latin);
    assert_int_equal(latin.n, 12);
    for (uint32_t k = 0; k < 3; k++) { // every value is met as often as every other
        uint32_t met[12] = {0};
        for (uint32_t i = 0; i < latin.n; i++) met[latin.at[i].at[k]]++;
        for (uint32_t v = 0; v < s->axis[k].n; v++) assert_int_equal(met[v], 12 / s->axis[k].n);
    }
    sweep_random(&arena, s, &random);
    sweep_random(&arena, s, &again);
    assert_int_equal(random.n, 12);
    assert_memory_equal(random.at, again.at, 12 * sizeof *random.at);
    for (uint32_t i = 0; i < 12; i++)
        for (uint32_t k = 0; k < i; k++)
            assert_memory_not_equal(random.at[i].at, random.at[k].at, sizeof random.at[i].at);
    s->points = 1000; // more than there are: all of them
    sweep_points all = {.n = 0};
    sweep_random(&arena, s, &all);
    assert_int_equal(all.n, 144);
    assert_int_equal(parse("workloads: [a]\naxes: {x: {from: 1, to: 200, step: 1}, "
                           "y: {from: 1, to: 200, step: 1}, z: {from: 1, to: 200, step: 1}}\n",
                           s),
                     WW_OK);
    sweep_points many = {.n = 0};
    assert_int_equal(sweep_full(&arena, s, &diags, &many), WW_ERROR_CONFIG);
}

// Four axes of 0 to 31; time falls with their sum, energy rises with the sum of squares: at a sum
// the least energy is where all four are equal, so the true front is known.
enum { SIDE = 31 };
static void judge(struct sweep_point *p) {
    double sum = 0, squares = 0;
    for (int k = 0; k < 4; k++) sum += p->at[k], squares += p->at[k] * p->at[k];
    p->cost[SWEEP_TIME] = 4 * SIDE - sum;
    p->cost[SWEEP_ENERGY] = squares;
    p->state = SWEEP_DONE;
}

static double least_energy(int sum) {
    const int low = sum / 4, more = sum % 4;
    return (4 - more) * low * low + more * (low + 1) * (low + 1);
}

// The area that a front leaves to better ones, below (4 * SIDE, 4 * SIDE^2), of the true one's.
static double quality(const sweep_points *points) {
    double mine = 0, truth = 0;
    for (int t = 0; t < 4 * SIDE; t++) {
        double best = 4.0 * SIDE * SIDE;
        for (uint32_t i = 0; i < points->n; i++)
            if (points->at[i].cost[SWEEP_TIME] <= t)
                best = fmin(best, points->at[i].cost[SWEEP_ENERGY]);
        mine += 4.0 * SIDE * SIDE - best;
        truth += 4.0 * SIDE * SIDE - least_energy(4 * SIDE - t);
    }
    return mine / truth;
}

// Points that are on the true front.
static uint32_t exact(const sweep_points *points) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < points->n; i++) {
        const double sum = 4 * SIDE - points->at[i].cost[SWEEP_TIME];
        n += points->at[i].cost[SWEEP_ENERGY] == least_energy((int)sum);
    }
    return n;
}

static void check_search(void **state) {
    (void)state;
    struct sweep *s = arena_alloc(&arena, sizeof *s);
    assert_int_equal(parse("workloads: [a]\nmethod: search\npopulation: 40\nobjectives: [time, "
                           "energy]\npoints: 1200\naxes:\n"
                           "  a: {from: 0, to: 31, step: 1}\n  b: {from: 0, to: 31, step: 1}\n"
                           "  c: {from: 0, to: 31, step: 1}\n  d: {from: 0, to: 31, step: 1}\n",
                           s),
                     WW_OK);
    struct sweep_random r = sweep_seed(s->seed);
    sweep_points all = {.n = 0}, random = {.n = 0};
    for (uint32_t g = 0; g < 30; g++) {
        sweep_points next = {.n = 0};
        evolve_next(&arena, s, &r, &all, g, &next);
        assert_int_equal(next.n, 40);
        for (uint32_t i = 0; i < next.n; i++) {
            judge(&next.at[i]);
            vec_push(&arena, &all, next.at[i]);
        }
    }
    assert_int_equal(all.n, 1200);
    for (uint32_t i = 0; i < all.n; i++)
        for (uint32_t k = 0; k < i; k++)
            assert_memory_not_equal(all.at[i].at, all.at[k].at, sizeof all.at[i].at);
    sweep_random(&arena, s, &random);
    for (uint32_t i = 0; i < random.n; i++) judge(&random.at[i]);
    const double found = quality(&all), by_chance = quality(&random);
    if (!(found > 0.97)) fail_msg("the search found %.3f of the front", found);
    if (!(by_chance < found)) fail_msg("by chance %.3f, the search %.3f", by_chance, found);
    // as many points drawn by chance hit the front a few times: the search lives on it
    if (!(exact(&all) > 10 * exact(&random)))
        fail_msg("by chance %u on the front, by the search %u", exact(&random), exact(&all));
    evolve_mark_front(s, &all);
    uint32_t front = 0;
    for (uint32_t i = 0; i < all.n; i++) {
        front += all.at[i].front;
        for (uint32_t k = 0; k < all.n && all.at[i].front; k++)
            assert_false(evolve_dominates(s, &all.at[k], &all.at[i]));
    }
    assert_true(front > 20);
    // a space that is used up gives no more points
    assert_int_equal(parse("workloads: [a]\naxes: {x: [1, 2], y: [1, 2]}\n", s), WW_OK);
    sweep_points few = {.n = 0}, none = {.n = 0};
    evolve_next(&arena, s, &r, &none, 0, &few);
    assert_int_equal(few.n, 4);
    for (uint32_t i = 0; i < few.n; i++) few.at[i].state = i ? SWEEP_DONE : SWEEP_REFUSED;
    evolve_next(&arena, s, &r, &few, 1, &none);
    assert_int_equal(none.n, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_file),
        cmocka_unit_test(check_refusals),
        cmocka_unit_test(check_designs),
        cmocka_unit_test(check_search),
    };
    arena_init(&arena, NULL);
    diags_init(&diags);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    diags_free(&diags);
    arena_free(&arena);
    return failed;
}
