// Arena, names, diagnostics, text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base.h"

static void names_hold_many(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    struct names m;
    names_init(&m, &a);
    assert_int_equal(names_get(&m, "x", 1), -1);
    for (int i = 0; i < 5000; i++) {
        char *k = arena_printf(&a, "name%d", i);
        names_put(&m, k, strlen(k), i);
    }
    for (int i = 0; i < 5000; i++) {
        char *k = arena_printf(&a, "name%d", i);
        assert_int_equal(names_get(&m, k, strlen(k)), i);
    }
    assert_int_equal(names_get(&m, "name5000", 8), -1);
    arena_free(&a);
}

struct failing {
    int left;
};
static void *failing_realloc(void *user, void *old, size_t size) {
    struct failing *f = user;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return f->left-- > 0 ? realloc(old, size) : NULL;
}

static void arena_jumps_when_memory_is_out(void **state) {
    (void)state;
    for (int n = 0; n < 4; n++) {
        struct failing f = {.left = n};
        const struct ww_allocator al = {.realloc_fn = failing_realloc, .user = &f};
        struct arena a;
        arena_init(&a, &al);
        jmp_buf out;
        a.oom = &out;
        volatile int made = 0;
        if (setjmp(out) == 0) {
            for (;;) {
                arena_alloc(&a, 100000);
                made++;
            }
        }
        assert_int_equal(made, n);
        arena_free(&a);
    }
}

static void diag_has_line_and_caret(void **state) {
    (void)state;
    struct diags d;
    diags_init(&d);
    diag_at(&d, DIAG_ERROR, WW_ERROR_SYNTAX, "a.ptx", "one\ntwo three\n", 2, 5, "found %s",
            "three");
    char buf[100];
    diags_first(&d, buf, sizeof buf);
    assert_string_equal(buf, "a.ptx:2:5: found three");
    assert_string_equal(d.list.at[0].source, "two three");
    assert_int_equal(diags_status(&d), WW_ERROR_SYNTAX);
    assert_int_equal(ww_status_exit_code(diags_status(&d)), 2);
    diags_free(&d);
}

static void numbers(void **state) {
    (void)state;
    uint64_t v;
    assert_true(text_to_u64("0x10", &v) && v == 16);
    assert_true(text_to_u64("4k", &v) && v == 4096);
    assert_false(text_to_u64("4kB", &v));
    assert_true(text_to_bytes("49152", &v) && v == 49152);
    assert_true(text_to_bytes("48k", &v) && v == 49152);
    assert_true(text_to_bytes("48KB", &v) && v == 49152);
    assert_true(text_to_bytes("48KiB", &v) && v == 49152);
    assert_true(text_to_bytes("2MB", &v) && v == 2u << 20);
    assert_true(text_to_bytes("16GB", &v) && v == 16ull << 30);
    assert_true(text_to_bytes("12B", &v) && v == 12);
    assert_true(text_to_bytes("0x1B", &v) && v == 27);
    static const char *const no_bytes[] = {"",    "B",    "KB",    "iB",   "12iB", "48Kb", "48 KB",
                                           "48b", "4KBB", "4TB",   "-1B",  "4KiiB"};
    for (size_t i = 0; i < WW_COUNT(no_bytes); i++)
        assert_false(text_to_bytes(no_bytes[i], &v));
    assert_false(text_to_bytes("999999999999999999999999999999999KB", &v));
    assert_true(text_to_u64("0b101", &v) && v == 5);
    assert_true(text_to_u64("010", &v) && v == 10); // YAML 1.2, and people
    assert_true(text_to_u64("0", &v) && v == 0);
    assert_false(text_to_u64("0x-1", &v));
    assert_false(text_to_u64("0b-1", &v));
    assert_false(text_to_u64("0b", &v));
    assert_false(text_to_u64("-1", &v));
    assert_false(text_to_u64("12x", &v));
    assert_false(text_to_u64("99999999999999999999", &v));
    const char *const names[] = {"hotspot", "bfs", "nbody"};
    assert_int_equal(text_nearest("hotspt", names, 3), 0);
    assert_int_equal(text_nearest("zzzzzzz", names, 3), -1);
    assert_int_equal(text_nearest("bsf", names, 3), 1); // neighbours swapped
}

// A file that the host has no memory for is not one that is too large.
static void files_say_what_they_lack(void **state) {
    (void)state;
#ifndef __SANITIZE_ADDRESS__ // reserves address space of its own
    char path[] = "/tmp/warpwatt-test-XXXXXX", why[512];
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && ftruncate(fd, 256 << 20) == 0);
    close(fd);
    struct arena a;
    struct diags d;
    char *text;
    size_t len;
    arena_init(&a, NULL);
    diags_init(&d);
    assert_int_equal(file_read(&a, path, 1 << 20, &text, &len, &d), WW_ERROR_IO);
    diags_first(&d, why, sizeof why);
    assert_non_null(strstr(why, "larger than 1 MB"));
    diags_free(&d);
    diags_init(&d);
    struct rlimit old;
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    const struct rlimit little = {.rlim_cur = 128 << 20, .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &little), 0);
    const enum ww_status s = file_read(&a, path, 1 << 30, &text, &len, &d);
    setrlimit(RLIMIT_AS, &old);
    assert_int_equal(s, WW_ERROR_MEMORY);
    diags_first(&d, why, sizeof why);
    assert_non_null(strstr(why, "out of memory"));
    diags_free(&d);
    arena_free(&a);
    unlink(path);
#endif
}

static void what_a_terminal_would_obey_is_shown(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    assert_string_equal(text_printable(&a, "a\tb\n\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", false),
                        "a\tb\n\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    assert_string_equal(text_printable(&a, "\x1b[31m\x7f\r\x07", false),
                        "\\x1b[31m\\x7f\\x0d\\x07");
    assert_string_equal(text_printable(&a,
                                       "\xc2\x9b"
                                       "1m \x9b \xc3 \xed",
                                       false),
                        "\\xc2\\x9b1m \\x9b \\xc3 \\xed");
    assert_string_equal(text_printable(&a, "x\x1b\xc2\x9by", true), "x???y");
    arena_free(&a);
    struct diags d;
    diags_init(&d);
    diag_at(&d, DIAG_ERROR, WW_ERROR_SYNTAX, "f\x1b.ptx", "a\x1b]b", 1, 2, "word `\x1b[2J`");
    assert_string_equal(d.list.at[0].file, "f\\x1b.ptx");
    assert_string_equal(d.list.at[0].source, "a?]b");
    assert_string_equal(d.list.at[0].text, "word `\\x1b[2J`");
    diags_free(&d);
}

static void folders_are_made_and_tried(void **state) {
    (void)state;
    struct diags d;
    diags_init(&d);
    char top[] = "/tmp/ww-test-folder-XXXXXX", path[128];
    assert_non_null(mkdtemp(top));
    snprintf(path, sizeof path, "%s/a/b/c", top);
    assert_int_equal(file_make_folder(path, &d), WW_OK);
    assert_int_equal(file_make_folder(path, &d), WW_OK);
    assert_int_equal(rmdir(path), 0); // and nothing was left in it
    assert_int_equal(file_make_folder("/dev/null", &d), WW_ERROR_IO);
    assert_int_equal(file_make_folder("/proc/nothing", &d), WW_ERROR_IO);
    assert_int_equal(file_make_folder("", &d), WW_ERROR_IO);
    diags_free(&d);
    snprintf(path, sizeof path, "%s/a/b", top);
    rmdir(path);
    snprintf(path, sizeof path, "%s/a", top);
    rmdir(path);
    assert_int_equal(rmdir(top), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_hold_many),
        cmocka_unit_test(arena_jumps_when_memory_is_out),
        cmocka_unit_test(diag_has_line_and_caret),
        cmocka_unit_test(numbers),
        cmocka_unit_test(files_say_what_they_lack),
        cmocka_unit_test(what_a_terminal_would_obey_is_shown),
        cmocka_unit_test(folders_are_made_and_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
