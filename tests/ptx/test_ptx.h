// What the tests of the PTX reader share.
#ifndef WW_TEST_PTX_H
#define WW_TEST_PTX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "ptx/ptx.h"

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

// A whole file, with a NUL behind it; to be freed.
static inline char *test_read(const char *path, size_t *len) {
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("cannot read %s", path);
    size_t cap = 1 << 16, n = 0;
    char *text = malloc(cap);
    for (;;) {
        n += fread(text + n, 1, cap - 1 - n, f);
        if (n < cap - 1) break;
        cap *= 2;
        text = realloc(text, cap);
    }
    fclose(f);
    text[n] = 0;
    *len = n;
    return text;
}

// Parses what must be right.
static inline struct ptx_module *test_parse(const char *name, const char *text, size_t len) {
    struct diags d;
    diags_init(&d);
    struct ptx_module *m;
    const enum ww_status s = ptx_parse(name, text, len, NULL, &d, &m);
    if (s != WW_OK) {
        diags_print(&d, stderr);
        fail_msg("%s was refused: %s", name, ww_status_text(s));
    }
    assert_non_null(m);
    diags_free(&d);
    return m;
}

// Parses what must be wrong; the first error as one line into `buf`.
static inline enum ww_status test_refuse(const char *text, size_t len, char *buf, size_t size) {
    struct diags d;
    diags_init(&d);
    struct ptx_module *m;
    const enum ww_status s = ptx_parse("t", text, len, NULL, &d, &m);
    assert_null(m);
    assert_int_not_equal(s, WW_OK);
    assert_int_equal(s, diags_status(&d));
    diags_first(&d, buf, size);
    diags_free(&d);
    return s;
}

#endif
