// Memory that runs out at the n-th request, whichever it is, ends in WW_ERROR_MEMORY, and
// nothing is left behind.
#include "test_ptx.h"

struct limited {
    long left, held, made;
};

static void *limited_realloc(void *user, void *old, size_t size) {
    struct limited *l = user;
    if (size == 0) {
        l->held -= old != NULL;
        free(old);
        return NULL;
    }
    if (l->left-- <= 0) return NULL;
    l->made++;
    l->held += old == NULL;
    return realloc(old, size);
}

static void fails_at_every_request(const char *path) {
    size_t len;
    char *text = test_read(path, &len);
    for (long n = 0;; n++) {
        struct limited l = {.left = n};
        const struct ww_allocator a = {.realloc_fn = limited_realloc, .user = &l};
        struct diags d;
        diags_init(&d);
        struct ptx_module *m;
        const enum ww_status s = ptx_parse(path, text, len, &a, &d, &m);
        if (s == WW_OK) {
            assert_non_null(m);
            ptx_free(m);
            assert_int_equal(l.held, 0);
            assert_true(n >= 3);
            diags_free(&d);
            break;
        }
        assert_int_equal(s, WW_ERROR_MEMORY);
        assert_int_equal(diags_status(&d), WW_ERROR_MEMORY);
        assert_null(m);
        assert_int_equal(l.held, 0);
        diags_free(&d);
    }
    free(text);
}

static void no_request_may_be_refused_unseen(void **state) {
    (void)state;
    fails_at_every_request(WW_TEST_DIR "/data/vecadd.ptx");
    fails_at_every_request(WW_TEST_DIR "/data/old_sm30.ptx");
    fails_at_every_request(WW_TEST_DIR "/data/mix_sm75.ptx");
    fails_at_every_request(WW_TEST_DIR "/data/clang_sm35_debug.ptx");
}

// An erroneous text gives back all memory too, with or without room for its own errors.
static void errors_leave_nothing(void **state) {
    (void)state;
    size_t len;
    char *text = test_read(WW_TEST_DIR "/errors/names.ptx", &len);
    struct limited l = {.left = 1 << 20};
    const struct ww_allocator a = {.realloc_fn = limited_realloc, .user = &l};
    struct diags d;
    diags_init(&d);
    struct ptx_module *m;
    assert_int_equal(ptx_parse("t", text, len, &a, &d, &m), WW_ERROR_SYNTAX);
    assert_int_equal(l.held, 0);
    assert_true(l.made > 0);
    diags_free(&d);
    free(text);
}

// Twice the text takes about twice the memory.
static void memory_is_linear(void **state) {
    (void)state;
    size_t bytes[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        const unsigned lines = k ? 20000 : 10000;
        char *text = malloc(lines * 40 + 400), *p = text;
        p += sprintf(p, HEAD ".entry k()\n{\n.reg .b32 %%r<1000>;\n");
        for (unsigned i = 0; i < lines; i++)
            p += sprintf(p, "\tadd.s32 %%r%u, %%r%u, %u;\n", i % 1000, (i + 1) % 1000, i);
        p += sprintf(p, "ret;\n}\n");
        struct ptx_module *m = test_parse("linear", text, (size_t)(p - text));
        bytes[k] = m->arena.total_bytes;
        assert_int_equal(m->funcs[0]->n_insts, lines + 1);
        assert_int_equal(m->funcs[0]->n_regs, 1000);
        ptx_free(m);
        free(text);
    }
    assert_true(bytes[1] < bytes[0] * 5 / 2);
    assert_true(bytes[1] < 16u << 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_request_may_be_refused_unseen),
        cmocka_unit_test(errors_leave_nothing),
        cmocka_unit_test(memory_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
