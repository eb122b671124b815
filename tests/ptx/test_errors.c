// The programs of errors/: each says in trailing comments, `// error 12:5 text`, what is wrong
// with it and where. All errors must be reported, in order, and no other.
#include "test_ptx.h"

#include <dirent.h>

struct expectation {
    unsigned line, col;
    char text[400];
};

static unsigned read_expectations(const char *text, struct expectation *out, unsigned max) {
    unsigned n = 0;
    for (const char *p = text; (p = strstr(p, "// error ")) && n < max;) {
        p += strlen("// error ");
        int used = 0;
        if (sscanf(p, "%u:%u %n", &out[n].line, &out[n].col, &used) != 2) continue;
        p += used;
        const size_t len = strcspn(p, "\n");
        snprintf(out[n].text, sizeof out[n].text, "%.*s", (int)len, p);
        n++;
    }
    return n;
}

static void check_file(const char *path) {
    size_t len;
    char *text = test_read(path, &len);
    static struct expectation want[64];
    const unsigned n = read_expectations(text, want, 64);
    struct diags d;
    diags_init(&d);
    struct ptx_module *m;
    const enum ww_status s = ptx_parse(path, text, len, NULL, &d, &m);
    assert_null(m);
    assert_int_not_equal(s, WW_OK);
    unsigned k = 0;
    for (unsigned i = 0; i < d.list.n; i++) {
        const struct diag *e = &d.list.at[i];
        if (e->severity != DIAG_ERROR) continue;
        if (k >= n) fail_msg("%s:%u:%u: unexpected: %s", path, e->line, e->col, e->text);
        if (e->line != want[k].line || e->col != want[k].col || strcmp(e->text, want[k].text) != 0)
            fail_msg("%s:%u:%u: found\n%s\nexpected at %u:%u\n%s", path, e->line, e->col, e->text,
                     want[k].line, want[k].col, want[k].text);
        assert_string_equal(e->file, path);
        k++;
    }
    if (k < n) fail_msg("%s:%u:%u: not found: %s", path, want[k].line, want[k].col, want[k].text);
    assert_int_not_equal(n, 0);
    diags_free(&d);
    free(text);
}

static void every_error_has_its_place_and_sentence(void **state) {
    (void)state;
    DIR *dir = opendir(WW_TEST_DIR "/errors");
    assert_non_null(dir);
    unsigned files = 0;
    for (const struct dirent *e; (e = readdir(dir));) {
        const size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 4, ".ptx") != 0) continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/errors/%s", WW_TEST_DIR, e->d_name);
        check_file(path);
        files++;
    }
    closedir(dir);
    assert_true(files >= 15);
}

static void status_tells_unsupported_from_malformed(void **state) {
    (void)state;
    char buf[300];
    const char *text = HEAD ".entry k() { tcgen05.fence::before_thread_sync; }";
    assert_int_equal(test_refuse(text, strlen(text), buf, sizeof buf), WW_ERROR_UNSUPPORTED);
    text = HEAD ".entry k() { add.s32 %r1, %r2; }";
    assert_int_equal(test_refuse(text, strlen(text), buf, sizeof buf), WW_ERROR_SYNTAX);
}

static void twenty_errors_are_enough(void **state) {
    (void)state;
    size_t len;
    char *text = test_read(WW_TEST_DIR "/errors/many.ptx", &len);
    struct diags d;
    diags_init(&d);
    struct ptx_module *m;
    ptx_parse("many", text, len, NULL, &d, &m);
    assert_int_equal(d.errors, 20);
    assert_int_equal(d.list.at[d.list.n - 1].severity, DIAG_NOTE);
    diags_free(&d);
    free(text);
}

static void source_and_caret_come_along(void **state) {
    (void)state;
    const char *text = HEAD ".entry k()\n{\n\tret;\n\tbra L;\n}\n";
    struct diags d;
    diags_init(&d);
    struct ptx_module *m;
    ptx_parse("t.ptx", text, strlen(text), NULL, &d, &m);
    assert_int_equal(d.list.n, 1);
    assert_string_equal(d.list.at[0].source, "\tbra L;");
    assert_int_equal(d.list.at[0].line, 7);
    assert_int_equal(d.list.at[0].col, 6);
    diags_free(&d);
}

// Errors of an earlier text in the same list are not this one's.
static void diagnostics_may_be_shared(void **state) {
    (void)state;
    struct diags d;
    diags_init(&d);
    struct ptx_module *m;
    assert_int_equal(ptx_parse("a", "x", 1, NULL, &d, &m), WW_ERROR_SYNTAX);
    const char *good = HEAD ".entry k() { ret; }";
    assert_int_equal(ptx_parse("b", good, strlen(good), NULL, &d, &m), WW_OK);
    ptx_free(m);
    const char *bad = HEAD ".entry k() { multimem %r1; }";
    assert_int_equal(ptx_parse("c", bad, strlen(bad), NULL, &d, &m), WW_ERROR_UNSUPPORTED);
    diags_free(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_has_its_place_and_sentence),
        cmocka_unit_test(status_tells_unsupported_from_malformed),
        cmocka_unit_test(twenty_errors_are_enough),
        cmocka_unit_test(source_and_caret_come_along),
        cmocka_unit_test(diagnostics_may_be_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
