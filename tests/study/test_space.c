// Tuning spaces: the order of ours against the measured one, by hand-computed correlations, expressions over macros, texts
// for a shell, and rows drawn from a table.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "study/sweep.h"

struct fixture {
    struct arena a;
    struct diags d;
    struct sweep s;
    char table[64];
};

static void open_space(struct fixture *f, const char *table, int points) {
    arena_init(&f->a, NULL);
    diags_init(&f->d);
    snprintf(f->table, sizeof f->table, "/tmp/test_space-%d.csv", (int)getpid());
    FILE *const t = fopen(f->table, "w");
    assert_non_null(t);
    fputs(table, t);
    assert_int_equal(fclose(t), 0);
    char *const text = arena_printf(&f->a,
                                    "kernel: {source: k.ptx, grid: [1], block: [1]}\n"
                                    "measured: {file: %s, column: ms}\n"
                                    "method: random\npoints: %d\nseed: 5\n",
                                    f->table, points);
    const enum ww_status s = sweep_parse(&f->a, "space.yaml", text, &f->d, &f->s);
    if (s != WW_OK) diags_print(&f->d, stderr);
    assert_int_equal(s, WW_OK);
}
static void close_space(struct fixture *f) {
    unlink(f->table);
    diags_free(&f->d);
    arena_free(&f->a);
}

static const char table[] =
    "x,name,ms,ms_other\n1,a,10,1\n2,it's,20,1\n3,a,30,1\n4,a,40,1\n5,a,,1\n";

// Ours for the rows of the table, in its order.
static struct space_rank rank(struct fixture *f, const double *ours, uint32_t n) {
    struct sweep_outcome o = {.runs = 0};
    space_points(&f->a, &f->s, &o.points);
    assert_int_equal(o.points.n, n);
    for (uint32_t i = 0; i < n; i++) {
        o.points.at[i].state = SWEEP_DONE;
        o.points.at[i].cost[SWEEP_TIME] = ours[i];
    }
    return space_rank_of(&f->a, &f->s, &o);
}

static void test_rank(void **state) {
    (void)state;
    struct fixture f;
    open_space(&f, table, 4); // as many as are measured: in the table's order
    // one exchange of neighbours among four: 1 - 6 * 2 / (4 * 15) = 0.8
    const double swapped[] = {0.010, 0.030, 0.020, 0.040};
    struct space_rank r = rank(&f, swapped, 4);
    assert_int_equal(r.n, 4);
    assert_true(fabs(r.spearman - 0.8) < 1e-12);
    assert_int_equal(r.best, 0);
    assert_true(r.best_place == 0 && fabs(r.best_loss) < 1e-12);
    assert_true(fabs(r.low - 2.0 / 3) < 1e-9 && fabs(r.high - 1.5) < 1e-9 &&
                fabs(r.ratio - 1) < 1e-9);
    // ties share their mean rank: ours 1.5, 1.5, 3, 4 against 1 to 4: covariance 4.5 of sqrt(4.5 * 5)
    const double tied[] = {0.1, 0.1, 0.2, 0.3};
    r = rank(&f, tied, 4);
    assert_true(fabs(r.spearman - 4.5 / sqrt(4.5 * 5)) < 1e-12);
    // our best is the third of four: half of the table is faster
    const double third[] = {0.2, 0.3, 0.1, 0.4};
    r = rank(&f, third, 4);
    assert_true(r.best == 2 && r.best_place == 50 && fabs(r.best_loss - 2) < 1e-12);
    // all equal: there is no order
    const double flat[] = {1, 1, 1, 1};
    r = rank(&f, flat, 4);
    assert_true(isnan(r.spearman));
    close_space(&f);
}

static void test_points(void **state) {
    (void)state;
    struct fixture f;
    open_space(&f, table, 2);
    assert_int_equal(f.s.n_axes, 2); // ms and ms_other are no macros
    sweep_points first = {.n = 0}, again = {.n = 0};
    space_points(&f.a, &f.s, &first);
    space_points(&f.a, &f.s, &again);
    assert_int_equal(first.n, 2);
    assert_memory_equal(first.at, again.at, 2 * sizeof *first.at);
    assert_true(first.at[0].at[0] != first.at[1].at[0]);
    for (uint32_t i = 0; i < 2; i++) assert_true(first.at[i].measured_s > 0);
    assert_true(space_measured_of(&f.s, &first.at[0]) == first.at[0].measured_s);
    close_space(&f);
}

static void test_texts(void **state) {
    (void)state;
    struct fixture f;
    open_space(&f, table, 4);
    sweep_points all = {.n = 0};
    space_points(&f.a, &f.s, &all);
    const struct sweep_point *const p = &all.at[1]; // x is 2, name is it's
    double v = 0;
    static const struct {
        const char *expression;
        double value;
    } row[] = {
        {"7 / x", 3},          {"7.0 / x", 3.5}, {"ceil_div(7, x)", 4},
        {"ceil_div(8, x)", 4}, {"12", 12},       {"CASE name WHEN 'a' THEN 1 ELSE x + 3 END", 5}};
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        assert_int_equal(space_number(&f.a, &f.s, p, "grid", row[i].expression, &f.d, &v), WW_OK);
        assert_true(v == row[i].value);
    }
    assert_int_not_equal(space_number(&f.a, &f.s, p, "grid", "y", &f.d, &v), WW_OK);
    assert_int_not_equal(space_number(&f.a, &f.s, p, "grid", "name", &f.d, &v), WW_OK);
    assert_int_not_equal(space_number(&f.a, &f.s, p, "grid", "ceil_div(1, 0)", &f.d, &v), WW_OK);
    const char *text;
    assert_int_equal(space_text(&f.a, &f.s, p, "f32[{x * 8}]={name}", false, &f.d, &text), WW_OK);
    assert_string_equal(text, "f32[16]=it's");
    assert_int_equal(space_text(&f.a, &f.s, p, "cc {macros} -o {out}", true, &f.d, &text), WW_OK);
    assert_string_equal(text, "cc -Dx=2 -D'name=it'\\''s' -o {out}");
    assert_int_not_equal(space_text(&f.a, &f.s, p, "{x", false, &f.d, &text), WW_OK);
    close_space(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rank), cmocka_unit_test(test_points),
                                       cmocka_unit_test(test_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
