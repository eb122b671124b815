// Records of a run: lines that carry checksums, processes that a seal holds together, launches that
// ended in another order than they began, copies that are added up.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "gpu/fields.h"
#include "gpu/gpu.h"
#include "base/sum.h"
#include "report/account.h"
#include "report/session.h"

static char path[64];
static struct gpu_config config;
static struct diags d;

static int set_up(void **state) {
    (void)state;
    diags_init(&d);
    snprintf(path, sizeof path, "/tmp/ww-test-record-%d.jsonl", (int)getpid());
    const enum ww_status s =
        gpu_config_load(WW_SOURCE_DIR "/gpus/gtx480.yaml", NULL, 0, &d, &config);
    return s == WW_OK ? 0 : -1;
}
static int tear_down(void **state) {
    (void)state;
    record_remove(path);
    diags_free(&d);
    return 0;
}

// A process's record with copies of one to `n` bytes.
static void write_process(uint32_t process, uint32_t n) {
    char name[RECORD_PATH_BYTES];
    const struct session session = {.how = "{\"kind\":\"kernel\"}"};
    struct record *r;
    assert_int_equal(record_open(record_path_of(path, process, name, sizeof name), &config, "test",
                                 &session, true, &d, &r),
                     WW_OK);
    for (uint32_t i = 1; i <= n; i++)
        record_copy(r, &(struct gpu_span){.kind = GPU_SPAN_COPY,
                                          .name = i % 2 ? "fill" : "copy to the host",
                                          .from_s = i,
                                          .to_s = i + 0.5,
                                          .bytes = i,
                                          .alone_s = 0.25},
                    0);
    assert_int_equal(record_close(r, &(struct gpu_totals){.launches = 0}, &d), WW_OK);
}

// Lives until the next one.
static struct arena text_arena;
static void text_of(const char *name, char **text, size_t *len) {
    arena_free(&text_arena);
    arena_init(&text_arena, NULL);
    assert_int_equal(file_read(&text_arena, name, 1 << 24, text, len, &d), WW_OK);
}

static void put(const char *name, const char *text, size_t len) {
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

static enum ww_status reads(struct run *r) {
    diags_free(&d);
    diags_init(&d);
    return run_read(path, &d, r);
}

static void processes_belong_together(void **state) {
    (void)state;
    struct run r;
    write_process(1, 3);
    write_process(2, 5);
    assert_int_equal(reads(&r), WW_OK);
    assert_false(r.is_sealed);
    run_release(&r);
    assert_int_equal(record_seal(path, &d), WW_OK);
    assert_int_equal(reads(&r), WW_OK);
    assert_true(r.is_sealed && !r.is_torn);
    assert_int_equal(r.processes, 2);
    assert_int_equal(json_array_size(r.copies), 8);
    run_release(&r);
    // the second is of another run, is cut short by whole lines, or is gone
    char second[RECORD_PATH_BYTES];
    record_path_of(path, 2, second, sizeof second);
    size_t len;
    char *text;
    text_of(second, &text, &len);
    write_process(2, 4);
    assert_int_equal(reads(&r), WW_ERROR_IO);
    put(second, text, (size_t)(strchr(text, '\n') - text) + 1);
    assert_int_equal(reads(&r), WW_ERROR_IO);
    put(second, text, len);
    assert_int_equal(reads(&r), WW_OK);
    run_release(&r);
    unlink(second);
    assert_int_equal(reads(&r), WW_ERROR_IO);
}

// A process that was killed in the middle of a line: the seal takes the half off and says so.
static void half_a_line_is_taken_off(void **state) {
    (void)state;
    struct run r;
    size_t len;
    write_process(1, 3);
    char *text;
    text_of(path, &text, &len);
    put(path, text, len - 10);
    assert_int_equal(record_seal(path, &d), WW_OK);
    assert_int_equal(reads(&r), WW_OK);
    assert_true(r.is_sealed && r.is_torn);
    assert_int_equal(r.cut_off, 1);
    assert_null(r.end);
    assert_int_equal(json_array_size(r.copies), 3);
    run_release(&r);
}

// A second process that was killed before it asked the GPU for anything has lost nothing; one that had, has.
static void killed_workers_lose_nothing(void **state) {
    (void)state;
    struct run r;
    char second[RECORD_PATH_BYTES], *text;
    size_t len;
    write_process(1, 3);
    write_process(2, 1);
    text_of(record_path_of(path, 2, second, sizeof second), &text, &len);
    const size_t head = (size_t)(strchr(text, '\n') - text) + 1;
    const size_t copy = head + (size_t)(strchr(text + head, '\n') - (text + head)) + 1;
    put(second, text, head);
    assert_int_equal(reads(&r), WW_OK);
    assert_int_equal(r.cut_off, 0);
    assert_non_null(r.end);
    run_release(&r);
    put(second, text, copy);
    assert_int_equal(reads(&r), WW_OK);
    assert_int_equal(r.cut_off, 1);
    assert_null(r.end);
    run_release(&r);
    // alone it has no totals
    unlink(second);
    put(path, text, head);
    assert_int_equal(reads(&r), WW_OK);
    assert_null(r.end);
    run_release(&r);
}

// Ranges of two processes keep apart; work belongs to its own process's.
static void ranges_are_numbered_on(void **state) {
    (void)state;
    struct run r;
    for (uint32_t p = 1; p <= 2; p++) {
        char name[RECORD_PATH_BYTES];
        const struct session session = {.how = "{\"kind\":\"kernel\"}"};
        struct record *rec;
        assert_int_equal(record_open(record_path_of(path, p, name, sizeof name), &config, "test",
                                     &session, true, &d, &rec),
                         WW_OK);
        record_range(rec, 1, 0, "outer");
        record_range(rec, 2, 1, p == 1 ? "first" : "second");
        const struct gpu_span s = {.kind = GPU_SPAN_COPY, .name = "fill", .to_s = 1, .bytes = p};
        record_copy(rec, &s, 2);
        record_copy(rec, &s, 0);
        record_range_times(rec, 1, 5);
        record_range_times(rec, 2, p);
        assert_int_equal(record_close(rec, &(struct gpu_totals){.launches = 0}, &d), WW_OK);
    }
    assert_int_equal(reads(&r), WW_OK);
    struct arena a;
    arena_init(&a, NULL);
    uint32_t n;
    const struct range_use *const u = ranges_of(&a, &r, NULL, &n);
    assert_int_equal(n, 5);
    static const struct {
        const char *path;
        uint64_t times, copies, bytes;
    } want[] = {{"outer", 5, 1, 1}, {"outer/first", 1, 1, 1}, {"outer", 5, 1, 2},
                {"outer/second", 2, 1, 2}, {"(in no range)", 0, 2, 3}};
    for (uint32_t i = 0; i < n; i++) {
        assert_string_equal(u[i].path, want[i].path);
        assert_int_equal(u[i].times, want[i].times);
        assert_int_equal(u[i].copies, want[i].copies);
        assert_int_equal(u[i].bytes, want[i].bytes);
    }
    arena_free(&a);
    run_release(&r);
}

// Any byte of a record that is another is found: each one in turn, but for line ends.
static void every_byte_counts(void **state) {
    (void)state;
    struct run r;
    size_t len;
    write_process(1, 2);
    assert_int_equal(record_seal(path, &d), WW_OK);
    char *text;
    text_of(path, &text, &len);
    for (size_t i = 0; i < len; i += 7) {
        if (text[i] == '\n') continue;
        text[i] ^= 1;
        put(path, text, len);
        assert_int_not_equal(reads(&r), WW_OK);
        text[i] ^= 1;
    }
    put(path, text, len);
    assert_int_equal(reads(&r), WW_OK);
    assert_int_equal(r.sum, sum_feed(SUM_START, text, len));
    run_release(&r);
}

static void copies_are_added_up(void **state) {
    (void)state;
    enum { N = 9000, ALONE = 8192 }; // docs/results.md
    struct run r;
    write_process(1, N);
    assert_int_equal(reads(&r), WW_OK);
    assert_int_equal(json_array_size(r.copies), ALONE + 2);
    uint64_t n = 0, bytes = 0;
    double seconds = 0;
    size_t i;
    json_t *c;
    json_array_foreach(r.copies, i, c) {
        n += run_copies(c);
        bytes += (uint64_t)json_integer_value(json_object_get(c, "bytes"));
        seconds += json_number_value(json_object_get(c, "seconds"));
    }
    assert_int_equal(n, N);
    assert_int_equal(bytes, (uint64_t)N * (N + 1) / 2);
    assert_float_equal(seconds, 0.5 * N, 1e-6);
    run_release(&r);
}

// The account goes by the launches' numbers, whichever ended first.
static void launches_go_by_number(void **state) {
    (void)state;
    static const char text[] = "{\"type\":\"run\",\"format\":1}\n"
                               "{\"type\":\"launch\",\"id\":2,\"kernel\":\"b\",\"start_s\":2.0}\n"
                               "{\"type\":\"launch\",\"id\":3,\"kernel\":\"c\",\"start_s\":1.0}\n"
                               "{\"type\":\"launch\",\"id\":1,\"kernel\":\"a\",\"start_s\":3.0}\n"
                               "{\"type\":\"end\"}\n";
    put(path, text, sizeof text - 1);
    struct run r;
    assert_int_equal(reads(&r), WW_OK);
    for (size_t i = 0; i < 3; i++) {
        const char name[] = {(char)('a' + i), 0};
        assert_string_equal(
            json_string_value(json_object_get(json_array_get(r.launches, i), "kernel")), name);
    }
    struct arena a;
    arena_init(&a, NULL);
    uint32_t n;
    const struct step *const s = steps_of(&a, &r, NULL, &n); // and steps by their start
    assert_int_equal(n, 3);
    assert_string_equal(s[0].method, "c");
    assert_string_equal(s[1].method, "b");
    assert_string_equal(s[2].method, "a");
    arena_free(&a);
    run_release(&r);
}

static void newer_formats_are_refused(void **state) {
    (void)state;
    static const char text[] = "{\"type\":\"run\",\"format\":3}\n";
    put(path, text, sizeof text - 1);
    struct run r;
    char first[256];
    assert_int_equal(reads(&r), WW_ERROR_IO);
    diags_first(&d, first, sizeof first);
    assert_non_null(strstr(first, "format 3, this version reads up to 2"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(processes_belong_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(half_a_line_is_taken_off, set_up, tear_down),
        cmocka_unit_test_setup_teardown(killed_workers_lose_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ranges_are_numbered_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_byte_counts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(copies_are_added_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(launches_go_by_number, set_up, tear_down),
        cmocka_unit_test_setup_teardown(newer_formats_are_refused, set_up, tear_down)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(&text_arena);
    return failed;
}
