// Hostile input: too deep, too many, too large, cut off, or not text at all.
#include "test_ptx.h"

#include <time.h>

struct text {
    char *at;
    size_t n, cap;
};

static void put(struct text *t, const char *s, unsigned times) {
    const size_t len = strlen(s);
    while (t->n + len * times + 1 > t->cap) t->at = realloc(t->at, t->cap = t->cap * 2 + 4096);
    for (unsigned i = 0; i < times; i++, t->n += len) memcpy(t->at + t->n, s, len);
    t->at[t->n] = 0;
}

static void refused_with(struct text *t, const char *sentence) {
    struct diags d;
    diags_init(&d);
    struct ptx_module *m;
    assert_int_not_equal(ptx_parse("t", t->at, t->n, NULL, &d, &m), WW_OK);
    assert_null(m);
    bool found = false;
    for (uint32_t i = 0; i < d.list.n; i++) found |= strstr(d.list.at[i].text, sentence) != NULL;
    if (!found) fail_msg("found `%s`, expected `%s`", d.list.at[0].text, sentence);
    diags_free(&d);
    free(t->at);
    *t = (struct text){0};
}

static void depth_is_limited(void **state) {
    (void)state;
    struct text t = {0};
    put(&t, HEAD ".entry k() ", 1);
    put(&t, "{", 100000);
    refused_with(&t, "braces are nested more than 200 deep");
    put(&t, HEAD ".entry k() { .reg .b32 r; mov.u32 r, ", 1);
    put(&t, "(", 100000);
    refused_with(&t, "nested more than 200 deep");
    put(&t, HEAD ".entry k() { .reg .b32 r; mov.u32 r, ", 1);
    put(&t, "-", 100000);
    refused_with(&t, "nested more than 200 deep");
    put(&t, HEAD ".entry k() { .reg .b32 r; mov.u32 r, 1", 1);
    put(&t, "?1:1", 100000);
    refused_with(&t, "nested more than 200 deep");
    put(&t, HEAD ".global .u32 x[2] = ", 1);
    put(&t, "{", 100000);
    refused_with(&t, "nested deeper than the 1 dimensions");
    put(&t, HEAD ".global .u32 x", 1);
    put(&t, "[1]", 100000);
    refused_with(&t, "more than 8 dimensions");
    put(&t, HEAD ".entry k() { .reg .b32 r; mov.u32 r, {", 1);
    put(&t, "{", 100000);
    refused_with(&t, "expected an operand");
}

static void counts_are_limited(void **state) {
    (void)state;
    struct text t = {0};
    put(&t, HEAD ".entry k() { .reg .b32 r; add.s32 r", 1);
    put(&t, ", r", 1000);
    put(&t, "; }", 1);
    refused_with(&t, "more than 10 operands");
    put(&t, HEAD ".entry k() { .reg .b32 r; mov.b32 {r", 1);
    put(&t, ", r", 1000);
    put(&t, "}, r; }", 1);
    refused_with(&t, "more than 128 elements");
    put(&t, HEAD ".entry k() { .reg .b32 r; add", 1);
    put(&t, ".sat", 1000);
    put(&t, ".s32 r, r, r; }", 1);
    refused_with(&t, "more than 16 modifiers");
    put(&t, HEAD ".entry k() { .reg .b32 r; add", 1);
    put(&t, ".s32", 1000);
    put(&t, " r, r, r; }", 1);
    refused_with(&t, "more than 6 types");
    put(&t, HEAD ".func f() { ret; } .entry k() { .reg .b32 r; call f, (r", 1);
    put(&t, ", r", 5000);
    put(&t, "); }", 1);
    refused_with(&t, "more than 1024 arguments");
    put(&t, HEAD ".entry k(.param .u32 a", 1);
    put(&t, ", .param .u32 _", 5000);
    put(&t, ") { ret; }", 1);
    refused_with(&t, "more than 1024 parameters");
}

static void sizes_are_limited(void **state) {
    (void)state;
    static const char *const wrong[] = {
        ".global .b8 x[18446744073709551615];",
        ".global .b64 x[4294967296][4294967296];",
        ".global .b8 x[68719476736] = {1};",
        ".global .b8 x[4294967296] = {1};",
        ".global .b8 x[2][1000000000] = {{1}, {1}};",
        ".global .b8 x[-1];",
        ".global .b8 x[1.5];",
        ".global .align 0 .b8 x;",
        ".global .align 1073741824 .b8 x;",
        ".entry k() { .reg .b32 r<4294967297>; }",
        ".entry k() .maxntid 99999999999, 1 { ret; }",
        ".file 99999999999 \"x\"",
    };
    for (unsigned i = 0; i < WW_COUNT(wrong); i++) {
        char text[300], buf[400];
        snprintf(text, sizeof text, HEAD "%s", wrong[i]);
        test_refuse(text, strlen(text), buf, sizeof buf);
    }
    // Large, and right: memory follows what is written, not what is declared.
    const char *right = HEAD ".global .b8 x[30000000000]; .shared .b8 y[200000];"
                             ".entry k() { .reg .b32 r<1048576>; mov.u32 r1048575, 1; ret; }";
    struct ptx_module *m = test_parse("large", right, strlen(right));
    assert_true(m->vars[0]->bytes == 30000000000ull);
    assert_int_equal(m->funcs[0]->n_regs, 1);
    assert_true(m->arena.total_bytes < 1 << 20);
    ptx_free(m);
}

static void nul_bytes(void **state) {
    (void)state;
    static const char good[] = HEAD ".entry k() { ret; }\n\0\0\0\0\0";
    ptx_free(test_parse("padded", good, sizeof good - 1));
    static const char bad[] = HEAD ".entry k() { \0 ret; }\n";
    char buf[300];
    test_refuse(bad, sizeof bad - 1, buf, sizeof buf);
    assert_non_null(strstr(buf, "NUL byte"));
    test_refuse("", 0, buf, sizeof buf);
    test_refuse("\0\0", 2, buf, sizeof buf);
}

// Text without a NUL behind it is not read past its end (the sanitizer watches).
static void every_prefix(void **state) {
    (void)state;
    static const char *const files[] = {"vecadd.ptx", "old_sm10.ptx", "old_sm30.ptx"};
    for (unsigned f = 0; f < WW_COUNT(files); f++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/data/%s", WW_TEST_DIR, files[f]);
        size_t len;
        char *text = test_read(path, &len);
        for (size_t n = 0; n < len; n++) {
            char *exact = malloc(n ? n : 1);
            memcpy(exact, text, n);
            struct diags d;
            diags_init(&d);
            struct ptx_module *m;
            const enum ww_status s = ptx_parse("prefix", exact, n, NULL, &d, &m);
            assert_true((s == WW_OK) == (m != NULL));
            assert_true((s == WW_OK) == (d.errors == 0));
            ptx_free(m);
            diags_free(&d);
            free(exact);
        }
        free(text);
    }
}

// Every byte of a program changed in turn to a few others.
static void every_changed_byte(void **state) {
    (void)state;
    static const char others[] = "\0\n{}()[];,.%@\"9a\xff";
    size_t len;
    char *text = test_read(WW_TEST_DIR "/data/old_sm30.ptx", &len);
    for (size_t n = 0; n < len; n++) {
        const char was = text[n];
        text[n] = others[n % (sizeof others - 1)];
        struct diags d;
        diags_init(&d);
        struct ptx_module *m;
        const enum ww_status s = ptx_parse("changed", text, len, NULL, &d, &m);
        assert_true((s == WW_OK) == (m != NULL));
        ptx_free(m);
        diags_free(&d);
        text[n] = was;
    }
    free(text);
}

// Work stays proportional to the text for inputs made to defeat that.
static void no_input_is_slow(void **state) {
    (void)state;
    struct text t = {0};
    const clock_t start = clock();
    struct diags d;
    struct ptx_module *m;
    static const struct {
        const char *head, *body, *tail;
    } shapes[] = {
        {HEAD ".entry k() {", "L: ", "}"},
        {HEAD ".entry k() { .reg .b32 r<9>;", "{ .reg .b32 r<9>; mov.u32 r1, 1; }", "}"},
        {HEAD, ".func f();", ""},
        {HEAD, ".extern .global .u32 x[];", ""},
        {HEAD ".global .u8 x[] = {", "1,", "2};"},
        {HEAD ".entry k() {", "@@\n", "}"},
        {HEAD ".entry k() {", "/**/", "}"},
        {HEAD ".entry k() {", "bra L;", "L: }"},
        {HEAD, "{", ""},
        {HEAD, "\xff", ""},
        {HEAD, "\"", ""},
        {HEAD ".section .x {", "{", ""},
    };
    for (unsigned i = 0; i < WW_COUNT(shapes); i++) {
        put(&t, shapes[i].head, 1);
        put(&t, shapes[i].body, 50000);
        put(&t, shapes[i].tail, 1);
        diags_init(&d);
        ptx_parse("slow", t.at, t.n, NULL, &d, &m);
        ptx_free(m);
        diags_free(&d);
        t.n = 0;
    }
    free(t.at);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_is_limited),  cmocka_unit_test(counts_are_limited),
        cmocka_unit_test(sizes_are_limited), cmocka_unit_test(nul_bytes),
        cmocka_unit_test(every_prefix),      cmocka_unit_test(every_changed_byte),
        cmocka_unit_test(no_input_is_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
