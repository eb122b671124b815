// Drawings and LaTeX tables of a figure made by hand: each mark stands where its value says.
#include "study/study.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

// The drawing: 200 pixels high from 34 down, 420 wide from 40 on (bars: 9 a series and 6 between rows).
static double value[3][2] = {{1, 2}, {NAN, 0.5}, {2, 1}}, theirs[3][2] = {{1.5, NAN}, {NAN, NAN}, {NAN, NAN}},
              places[3][2] = {{0, 5}, {5, NAN}, {10, 10}};
static struct study_figure figure(const char *kind) {
    static struct study_series series[2] = {{.label = "one & two", .unit = ""}, {.label = "b_2", .unit = "%"}};
    struct study_figure f = {.id = "f", .title = "T", .kind = kind, .unit = "J"};
    f.series.at = series;
    f.series.n = 2;
    return f;
}
static struct sheet_figure sheet_of(const struct study_figure *f) {
    static struct sheet_row row[3];
    static const char *const name[] = {"a<b", "c", "mean"};
    for (uint32_t r = 0; r < 3; r++)
        row[r] = (struct sheet_row){name[r], r == 2, 5.0 * r, value[r], places[r], theirs[r]};
    return (struct sheet_figure){.figure = f, .row = row, .n_rows = 3, .n_series = 2, .has_theirs = true};
}
static char *drawing(const struct study_figure *f) {
    const struct sheet_figure g = sheet_of(f);
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_true(draw_figure(&g, out));
    fclose(out);
    assert_memory_equal(text, "<svg ", 5);
    assert_string_equal(text + len - 7, "</svg>\n");
    return text;
}
static void has(const char *text, const char *what) {
    if (!strstr(text, what)) fail_msg("no %s in\n%s", what, text);
}
static uint32_t count(const char *text, const char *what) {
    uint32_t n = 0;
    for (const char *p = text; (p = strstr(p, what)); p++) n++;
    return n;
}

static void bars(void **state) {
    (void)state;
    struct study_figure f = figure("bars");
    char *t = drawing(&f); // 0 to 2: 100 pixels for 1
    has(t, "<rect x=\"46\" y=\"134.0\" width=\"8\" height=\"100.0\" fill=\"#33508f\"/>");
    has(t, "<rect x=\"55\" y=\"34.0\" width=\"8\" height=\"200.0\" fill=\"#5f8fd3\"/>");
    has(t, "<rect x=\"79\" y=\"184.0\" width=\"8\" height=\"50.0\" fill=\"#5f8fd3\"/>"); // the second row's second
    has(t, "<path d=\"M45 84.0 h10\" stroke=\"black\"");                                  // 1.5, published
    assert_int_equal(count(t, "width=\"8\""), 5);                                         // a NAN has none
    has(t, "a&lt;b");
    has(t, "one &amp; two");
    free(t);
    f.log_scale = true; // 0.1 to 10: 100 pixels a power of ten
    double *const two = &value[0][1], was = *two;
    *two = 10;
    t = drawing(&f);
    has(t, "<rect x=\"46\" y=\"134.0\" width=\"8\" height=\"100.0\"");
    has(t, "<rect x=\"55\" y=\"34.0\" width=\"8\" height=\"200.0\"");
    *two = -1; // has no place, and leaves the others theirs
    free(t);
    t = drawing(&f);
    assert_int_equal(count(t, "width=\"8\""), 4);
    *two = was;
    free(t);
}

static void lines_and_points(void **state) {
    (void)state;
    struct study_figure f = figure("lines");
    f.x_value = "i";
    char *t = drawing(&f); // places 0, 5, 10 of 420 pixels; the first series has a gap
    has(t, "<circle cx=\"40.0\" cy=\"134.0\" r=\"3\" fill=\"#33508f\"/>");
    has(t, "d=\"M40.0 34.0 L250.0 184.0 L460.0 134.0 \" stroke=\"#5f8fd3\"/>");
    has(t, "d=\"M40.0 134.0 \" stroke=\"#33508f\"/>");
    has(t, "d=\"M460.0 34.0 \" stroke=\"#33508f\"/>");
    has(t, "<rect x=\"37.0\" y=\"81.0\" width=\"6\" height=\"6\" fill=\"none\" stroke=\"#33508f\"/>"); // 1.5, published
    free(t);
    f = figure("scatter");
    t = drawing(&f);
    assert_int_equal(count(t, "<circle"), 4); // of six, a NAN among values and one among places
    assert_int_equal(count(t, " L"), 0);
    free(t);
}

static void tables_have_no_drawing(void **state) {
    (void)state;
    struct study_figure f = figure("table");
    const struct sheet_figure g = sheet_of(&f);
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_false(draw_figure(&g, out));
    fclose(out);
    assert_int_equal(len, 0);
    free(text);
}

static void latex(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    struct diags d;
    diags_init(&d);
    struct study_figure f = figure("bars");
    struct sheet_figure g = sheet_of(&f);
    struct study s = {.name = "s"};
    s.figure.at = &f;
    s.figure.n = 1;
    const struct sheet sheet = {.study = &s, .figure = &g};
    char dir[] = "/tmp/ww-draw-XXXXXX", *text;
    size_t len;
    assert_non_null(mkdtemp(dir));
    bool converts;
    assert_int_equal(paper_write(&a, &sheet, dir, &converts, &d), WW_OK);
    assert_int_equal(file_read(&a, arena_printf(&a, "%s/f.tex", dir), 4096, &text, &len, &d), WW_OK);
    assert_string_equal(text, "% T\n\\begin{tabular}{lrr}\n\\toprule\nworkload & one \\& two [J] & b\\_2 [\\%] \\\\\n\\midrule\n"
                              "a\\textless{}b & 1 (1.5) & 2.0 \\\\\nc & -- & 0.50 \\\\\n\\midrule\nmean & 2 & 1.0 \\\\\n"
                              "\\bottomrule\n\\end{tabular}\n");
    static const char *const made[] = {"f.tex", "f.svg", "f.pdf", "f.png"};
    for (size_t i = 0; i < WW_COUNT(made); i++) {
        const char *const path = arena_printf(&a, "%s/%s", dir, made[i]);
        assert_int_equal(access(path, R_OK) == 0, i < 2 || converts);
        unlink(path);
    }
    assert_int_equal(rmdir(dir), 0);
    diags_free(&d);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bars), cmocka_unit_test(lines_and_points),
                                       cmocka_unit_test(tables_have_no_drawing), cmocka_unit_test(latex)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
