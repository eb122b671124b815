// Results that are kept: what goes in comes out, and what is damaged in any place, by a changed
// field or a lost row, is named, dropped, and not there. What a record lacks is an error.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "study/study.h"

static char path[64], record[64];
static const struct study_configuration configuration = {.name = "base", .policy = "none"};

struct rig {
    struct arena arena;
    struct diags d;
    struct store *store;
    struct job job;
};

// A record as `warpwatt run --record` writes it: two launches of two kernels; the value of a
// counter is its place, so that none is 0 and none like another. `without` leaves a counter out.
static void write_record(const char *without, const char *end) {
    FILE *f = fopen(record, "w");
    assert_non_null(f);
    fputs("{\"type\":\"run\",\"format\":1}\n", f);
    for (int l = 0; l < 2; l++) {
        fprintf(f,
                "{\"type\":\"launch\",\"kernel\":\"k%d\",\"functional\":false,\"cycles\":%d,"
                "\"seconds\":%d.5,\"host_seconds\":0.25,\"activity\":{",
                l, 100 + l, l);
        const char *comma = "";
        for (uint32_t i = 0; i < act_rows(); i++) {
            if (without && strcmp(without, act_row(i)->name) == 0) continue;
            fprintf(f, "%s\"%s\":", comma, act_row(i)->name);
            if (act_row(i)->n > 1) fputc('[', f);
            for (uint32_t n = 0; n < act_row(i)->n; n++)
                fprintf(f, "%s%u", n ? "," : "", l + 7 + act_row(i)->first + n);
            if (act_row(i)->n > 1) fputc(']', f);
            comma = ",";
        }
        fputs("}}\n", f);
    }
    fputs(end, f);
    assert_int_equal(fclose(f), 0);
}
static const char whole_end[] =
    "{\"type\":\"end\",\"launches\":2,\"cycles\":300,\"kernel_cycles\":201,\"seconds\":2.5,"
    "\"kernel_seconds\":2.0,\"copies\":3,\"copied_bytes\":4096,\"copy_seconds\":0.125}\n";

static int set_up(void **state) {
    struct rig *r = calloc(1, sizeof *r);
    arena_init(&r->arena, NULL);
    diags_init(&r->d);
    snprintf(path, sizeof path, "/tmp/ww-test-store-%d.db", (int)getpid());
    snprintf(record, sizeof record, "/tmp/ww-test-store-%d.jsonl", (int)getpid());
    unlink(path);
    r->job = (struct job){.key = "0123456789abcdef",
                          .program = {.name = "hotspot", .size = "small"},
                          .configuration = &configuration,
                          .host_s = 1.75};
    struct gpu_config *const gpu = gpu_config_new(&r->arena);
    assert_int_equal(gpu_config_load("gtx480", NULL, 0, &r->d, gpu), WW_OK);
    r->job.gpu = gpu;
    assert_int_equal(store_open(path, &r->d, &r->store), WW_OK);
    *state = r;
    return 0;
}
static int tear_down(void **state) {
    struct rig *r = *state;
    store_close(r->store);
    diags_free(&r->d);
    arena_free(&r->arena);
    free(r);
    unlink(path);
    unlink(record);
    return 0;
}

static void sql(const char *text) {
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    assert_true(sqlite3_changes(db) > 0);
    sqlite3_close(db);
}

static void comes_back_whole(void **state) {
    struct rig *r = *state;
    write_record(NULL, whole_end);
    assert_int_equal(store_put(r->store, &r->job, record, &r->d), WW_OK);
    struct result got;
    assert_int_equal(store_get(r->store, &r->arena, r->job.key, &r->d, &got), WW_OK);
    assert_true(got.there);
    assert_int_equal(got.n_kernels, 3);
    assert_string_equal(got.kernel[2].name, "k1");
    assert_true(got.kernel[0].cycles == 201 && got.kernel[1].cycles == 100);
    assert_true(got.end_seconds == 2.5 && got.copies == 3 && got.host_seconds == 1.75);
    for (uint32_t i = 0; i < ACT_N; i++) {
        if (act_row_of(i) < 0) continue;
        assert_int_equal(got.kernel[1].activity.c[i], i + 7);
        assert_int_equal(got.kernel[0].activity.c[i], 2 * i + 15);
    }
    assert_int_equal(r->d.list.n, 0);
}

static void damage_is_named_dropped_and_mended(void **state) {
    struct rig *r = *state;
    static const char *const damage[] = {
        "UPDATE counter SET value = value + 1 WHERE kernel = 1 AND name = 'issue_slots' AND "
        "element "
        "= 0",
        "UPDATE counter SET value = value | 1 << 40 WHERE kernel = 2 AND name = 'l2_reads'",
        ("UPDATE counter SET name = 'no_such_counter' WHERE kernel = 0 AND name = "
         "'thread_instructions'"),
        "UPDATE counter SET element = 1000 WHERE kernel = 0 AND name = 'thread_instructions'",
        "UPDATE counter SET key = 'other' WHERE kernel = 0 AND name = 'thread_instructions'",
        "DELETE FROM counter WHERE kernel = 1 AND name = 'warp_instructions'",
        "DELETE FROM counter",
        "DELETE FROM kernel WHERE at = 2",
        "DELETE FROM kernel",
        "UPDATE kernel SET cycles = cycles + 1 WHERE at = 0",
        "UPDATE kernel SET seconds = 0 WHERE at = 1",
        "UPDATE kernel SET launches = 2 WHERE at = 1",
        "UPDATE kernel SET name = 'k2' WHERE at = 1",
        "UPDATE kernel SET name = NULL WHERE at = 1",
        "UPDATE job SET end_s = 2.25",
        "UPDATE job SET copies = 4",
        "UPDATE job SET copied_bytes = 4097",
        "UPDATE job SET copy_s = 0.25",
        "UPDATE job SET host_s = 1",
        "UPDATE job SET kernels = 2",
        "UPDATE job SET kernels = -1",
        "UPDATE job SET kernels = 0",
        "UPDATE job SET workload = NULL",
        "UPDATE job SET gpu = 'gtx580'",
        "UPDATE job SET sum = NULL",
        "UPDATE job SET sum = substr(sum, 1, 63) || 'x'",
    };
    write_record(NULL, whole_end);
    for (size_t i = 0; i < WW_COUNT(damage); i++) {
        assert_int_equal(store_put(r->store, &r->job, record, &r->d), WW_OK);
        bool there = false;
        assert_int_equal(store_has(r->store, r->job.key, &r->d, &there), WW_OK);
        assert_true(there);
        assert_int_equal(r->d.list.n, 0);
        sql(damage[i]);
        assert_int_equal(store_has(r->store, r->job.key, &r->d, &there), WW_OK);
        if (there) fail_msg("not seen: %s", damage[i]);
        assert_int_equal(r->d.list.n, 1);
        assert_non_null(strstr(r->d.list.at[0].text, "is damaged"));
        assert_non_null(strstr(r->d.list.at[0].text, "(size small)"));
        diags_free(&r->d);
        diags_init(&r->d);
        assert_int_equal(store_has(r->store, r->job.key, &r->d, &there), WW_OK);
        assert_false(there);
        assert_int_equal(r->d.list.n, 0); // it was dropped: nothing is left to complain of
    }
}

static void what_a_record_lacks_is_an_error(void **state) {
    struct rig *r = *state;
    static const char *const lacking[] = {"thread_instructions", "issue_slots"};
    for (size_t i = 0; i < WW_COUNT(lacking) + 2; i++) {
        const bool counter = i < WW_COUNT(lacking);
        write_record(counter ? lacking[i] : NULL,
                     counter ? whole_end
                     : i == 2
                         ? "{\"type\":\"end\",\"launches\":3,\"cycles\":300,\"kernel_cycles\":"
                           "201,\"seconds\":2.5,\"kernel_seconds\":2.0,\"copies\":3,"
                           "\"copied_bytes\":4096,\"copy_seconds\":0.125}\n"
                         : "{\"type\":\"end\",\"launches\":2,\"cycles\":300,\"seconds\":2.5}\n");
        assert_int_equal(store_put(r->store, &r->job, record, &r->d), WW_ERROR_IO);
        const char *const want = counter ? lacking[i] : i == 2 ? "launches" : "kernel_cycles";
        assert_non_null(strstr(r->d.list.at[0].text, want));
        bool there = true;
        assert_int_equal(store_has(r->store, r->job.key, &r->d, &there), WW_OK);
        assert_false(there);
        diags_free(&r->d);
        diags_init(&r->d);
    }
}

// Format 1 had no checksums.
static void forgets_an_older_format(void **state) {
    struct rig *r = *state;
    write_record(NULL, whole_end);
    assert_int_equal(store_put(r->store, &r->job, record, &r->d), WW_OK);
    store_close(r->store);
    sql("UPDATE job SET host_s = host_s; PRAGMA user_version = 1");
    assert_int_equal(store_open(path, &r->d, &r->store), WW_OK);
    bool there = true;
    assert_int_equal(store_has(r->store, r->job.key, &r->d, &there), WW_OK);
    assert_false(there);
    store_close(r->store);
    sql("UPDATE counter SET value = 0 WHERE 0; CREATE TABLE x(y); INSERT INTO x VALUES(1);"
        "PRAGMA user_version = 3");
    assert_int_equal(store_open(path, &r->d, &r->store), WW_ERROR_IO);
    assert_non_null(strstr(r->d.list.at[0].text, "has format 3"));
    r->store = NULL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(comes_back_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damage_is_named_dropped_and_mended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_a_record_lacks_is_an_error, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forgets_an_older_format, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
