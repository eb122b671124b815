// Results that are kept, in an SQLite file: a job's times, its kernels, their counters. A job goes
// in whole, in one transaction, or not at all, so the file is good after a kill at any moment;
// several studies may use one file at a time.
#include "study/study.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "report/report.h"

enum { STORE_FORMAT = 1, STORE_WAIT_MS = 60000 };

struct store {
    sqlite3 *db;
    const char *path;
};

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS job(key TEXT PRIMARY KEY, workload TEXT, size TEXT, gpu TEXT,"
    " configuration TEXT, policy TEXT, host_s REAL, copies INTEGER, copied_bytes INTEGER, copy_s "
    "REAL,"
    " end_s REAL, made TEXT DEFAULT CURRENT_TIMESTAMP) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS kernel(key TEXT, at INTEGER, name TEXT, launches INTEGER,"
    " cycles INTEGER, seconds REAL, PRIMARY KEY(key, at)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS counter(key TEXT, kernel INTEGER, name TEXT, element INTEGER,"
    " value INTEGER, PRIMARY KEY(key, kernel, name, element)) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS job_by_name ON job(workload, size, gpu);";

static enum ww_status complain(const struct store *s, struct diags *d) {
    return diag_add(d, WW_ERROR_IO, "the results file %s: %s", s->path, sqlite3_errmsg(s->db));
}

static bool run_sql(struct store *s, const char *sql) {
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static int64_t one_number(struct store *s, const char *sql) {
    sqlite3_stmt *q = NULL;
    int64_t v = -1;
    if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        v = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return v;
}

enum ww_status store_open(const char *path, struct diags *d, struct store **out) {
    struct store *s = calloc(1, sizeof *s);
    if (!s) return diag_add(d, WW_ERROR_MEMORY, "out of memory for the results file");
    s->path = path;
    enum ww_status status = WW_OK;
    if (sqlite3_open(*path ? path : ":memory:", &s->db) != SQLITE_OK) {
        status = complain(s, d);
    } else {
        sqlite3_busy_timeout(s->db, STORE_WAIT_MS);
        const int64_t format = one_number(s, "PRAGMA user_version");
        if (format < 0)
            status = complain(s, d);
        else if (format != 0 && format != STORE_FORMAT)
            status = diag_add(d, WW_ERROR_IO,
                              "the results file %s has format %lld, this version reads %d: remove "
                              "it or name another with --db",
                              path, (long long)format, STORE_FORMAT);
        else if (!run_sql(s, "BEGIN IMMEDIATE") || !run_sql(s, schema) ||
                 !run_sql(s, "PRAGMA user_version = 1") || !run_sql(s, "COMMIT"))
            status = complain(s, d);
    }
    if (status != WW_OK) {
        store_close(s);
        return status;
    }
    *out = s;
    return WW_OK;
}

void store_close(struct store *s) {
    if (!s) return;
    sqlite3_close(s->db);
    free(s);
}

static sqlite3_stmt *prepare(struct store *s, const char *sql, const char *key) {
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK) return NULL;
    if (key) sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC);
    return q;
}

bool store_has(struct store *s, const char *key) {
    sqlite3_stmt *q = prepare(s, "SELECT 1 FROM job WHERE key = ?1", key);
    const bool there = q && sqlite3_step(q) == SQLITE_ROW;
    sqlite3_finalize(q);
    return there;
}

double store_estimate(struct store *s, const struct job *j) {
    sqlite3_stmt *q = prepare(s,
                              "SELECT host_s FROM job WHERE workload = ?1 AND size = ?2 AND gpu = "
                              "?3 ORDER BY made DESC LIMIT 1",
                              j->program.name);
    double v = 0;
    if (q) {
        sqlite3_bind_text(q, 2, j->program.size, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 3, j->gpu.name, -1, SQLITE_STATIC);
        if (sqlite3_step(q) == SQLITE_ROW) v = sqlite3_column_double(q, 0);
    }
    sqlite3_finalize(q);
    return v;
}

// ---- reading ----------------------------------------------------------------------------------
enum ww_status store_get(struct store *s, struct arena *a, const char *key, struct diags *d,
                         struct result *out) {
    *out = (struct result){.there = false};
    sqlite3_stmt *q =
        prepare(s,
                "SELECT host_s, copies, copied_bytes, copy_s, end_s,"
                " (SELECT count(*) FROM kernel WHERE kernel.key = job.key) FROM job WHERE key = ?1",
                key);
    int step = q ? sqlite3_step(q) : SQLITE_ERROR;
    if (step == SQLITE_ROW) {
        out->host_seconds = sqlite3_column_double(q, 0);
        out->copies = sqlite3_column_double(q, 1);
        out->copied_bytes = sqlite3_column_double(q, 2);
        out->copy_seconds = sqlite3_column_double(q, 3);
        out->end_seconds = sqlite3_column_double(q, 4);
        out->n_kernels = (uint32_t)sqlite3_column_int(q, 5);
    }
    sqlite3_finalize(q);
    if (step == SQLITE_DONE) return WW_OK;
    if (step != SQLITE_ROW) return complain(s, d);
    out->kernel = arena_alloc(a, (out->n_kernels + 1) * sizeof *out->kernel);
    q = prepare(s,
                "SELECT at, name, launches, cycles, seconds FROM kernel WHERE key = ?1 ORDER BY at",
                key);
    while (q && (step = sqlite3_step(q)) == SQLITE_ROW) {
        const uint32_t at = (uint32_t)sqlite3_column_int(q, 0);
        if (at >= out->n_kernels) continue;
        struct kernel_result *k = &out->kernel[at];
        k->name = arena_strdup(a, (const char *)sqlite3_column_text(q, 1));
        k->launches = sqlite3_column_double(q, 2);
        k->cycles = sqlite3_column_double(q, 3);
        k->seconds = sqlite3_column_double(q, 4);
    }
    sqlite3_finalize(q);
    q = prepare(s, "SELECT kernel, name, element, value FROM counter WHERE key = ?1", key);
    while (q && (step = sqlite3_step(q)) == SQLITE_ROW) {
        const uint32_t at = (uint32_t)sqlite3_column_int(q, 0),
                       element = (uint32_t)sqlite3_column_int(q, 2);
        const int row = act_find((const char *)sqlite3_column_text(q, 1));
        if (row < 0 || at >= out->n_kernels || element >= act_info[row].n) continue;
        out->kernel[at].activity.c[act_info[row].first + element] =
            (uint64_t)sqlite3_column_int64(q, 3);
    }
    const bool ok = q && step == SQLITE_DONE;
    sqlite3_finalize(q);
    out->there = ok;
    return ok ? WW_OK : complain(s, d);
}

// ---- writing ----------------------------------------------------------------------------------
static void add_activity(struct activity *sum, const json_t *a) {
    for (uint32_t k = 0; k < act_info_n; k++)
        for (uint32_t n = 0; n < act_info[k].n; n++)
            sum->c[act_info[k].first + n] += run_counter_at(a, act_info[k].name, n);
}

// Kernels of one name are one; [0] is the whole run. Launches that were computed without time (`run
// --launches` and its like) are left out, unless all were.
static void collect(struct arena *a, const struct run *r, struct result *out) {
    out->kernel = arena_alloc(a, (json_array_size(r->launches) + 1) * sizeof *out->kernel);
    out->kernel[0].name = "";
    out->n_kernels = 1;
    size_t i;
    json_t *l;
    bool timed = false;
    json_array_foreach(r->launches, i, l) timed =
        timed || !json_is_true(json_object_get(l, "functional"));
    json_array_foreach(r->launches, i, l) {
        out->host_seconds += json_number_value(json_object_get(l, "host_seconds"));
        if (timed && json_is_true(json_object_get(l, "functional"))) continue;
        const char *name = json_string_value(json_object_get(l, "kernel"));
        uint32_t at = 1;
        while (at < out->n_kernels && strcmp(out->kernel[at].name, name) != 0) at++;
        if (at == out->n_kernels) out->kernel[out->n_kernels++].name = arena_strdup(a, name);
        const uint32_t into[2] = {0, at};
        for (int w = 0; w < 2; w++) {
            struct kernel_result *k = &out->kernel[into[w]];
            k->launches += (double)run_launches(l);
            k->cycles += json_number_value(json_object_get(l, "cycles"));
            k->seconds += json_number_value(json_object_get(l, "seconds"));
            add_activity(&k->activity, json_object_get(l, "activity"));
        }
    }
    // where kernels overlap, the run's time is not the sum of theirs
    out->kernel[0].cycles = json_number_value(json_object_get(r->end, "kernel_cycles"));
    out->kernel[0].seconds = json_number_value(json_object_get(r->end, "kernel_seconds"));
    out->copies = json_number_value(json_object_get(r->end, "copies"));
    out->copied_bytes = json_number_value(json_object_get(r->end, "copied_bytes"));
    out->copy_seconds = json_number_value(json_object_get(r->end, "copy_seconds"));
    out->end_seconds = json_number_value(json_object_get(r->end, "seconds"));
}

static bool put_counters(sqlite3_stmt *q, uint32_t kernel, const struct activity *a) {
    for (uint32_t k = 0; k < act_info_n; k++)
        for (uint32_t n = 0; n < act_info[k].n; n++) {
            const uint64_t v = a->c[act_info[k].first + n];
            if (!v) continue;
            sqlite3_bind_int64(q, 2, kernel);
            sqlite3_bind_text(q, 3, act_info[k].name, -1, SQLITE_STATIC);
            sqlite3_bind_int64(q, 4, n);
            sqlite3_bind_int64(q, 5, (int64_t)v);
            if (sqlite3_step(q) != SQLITE_DONE) return false;
            sqlite3_reset(q);
        }
    return true;
}

static bool put_all(struct store *s, const struct job *j, const struct result *r) {
    sqlite3_stmt *q = prepare(s,
                              "INSERT OR REPLACE INTO job(key, workload, size, gpu, configuration, "
                              "policy, host_s, copies, copied_bytes, copy_s, end_s)"
                              " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                              j->key);
    if (!q) return false;
    sqlite3_bind_text(q, 2, j->program.name, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 3, j->program.size, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 4, j->gpu.name, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 5, j->configuration->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 6, j->configuration->policy, -1, SQLITE_STATIC);
    sqlite3_bind_double(q, 7, j->host_s);
    sqlite3_bind_int64(q, 8, (int64_t)r->copies);
    sqlite3_bind_int64(q, 9, (int64_t)r->copied_bytes);
    sqlite3_bind_double(q, 10, r->copy_seconds);
    sqlite3_bind_double(q, 11, r->end_seconds);
    bool ok = sqlite3_step(q) == SQLITE_DONE;
    sqlite3_finalize(q);
    sqlite3_stmt *k =
        prepare(s, "INSERT OR REPLACE INTO kernel VALUES(?1, ?2, ?3, ?4, ?5, ?6)", j->key);
    sqlite3_stmt *c =
        prepare(s, "INSERT OR REPLACE INTO counter VALUES(?1, ?2, ?3, ?4, ?5)", j->key);
    ok = ok && k && c;
    for (uint32_t i = 0; i < r->n_kernels && ok; i++) {
        sqlite3_bind_int64(k, 2, i);
        sqlite3_bind_text(k, 3, r->kernel[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_int64(k, 4, (int64_t)r->kernel[i].launches);
        sqlite3_bind_int64(k, 5, (int64_t)r->kernel[i].cycles);
        sqlite3_bind_double(k, 6, r->kernel[i].seconds);
        ok = sqlite3_step(k) == SQLITE_DONE && put_counters(c, i, &r->kernel[i].activity);
        sqlite3_reset(k);
    }
    sqlite3_finalize(k);
    sqlite3_finalize(c);
    return ok;
}

enum ww_status store_put(struct store *s, const struct job *j, const char *record,
                         struct diags *d) {
    struct run run;
    enum ww_status status = run_read(record, d, &run);
    if (status != WW_OK) return status;
    struct arena a;
    arena_init(&a, NULL);
    struct result r = {.there = true};
    if (!run.end) {
        status = diag_add(d, WW_ERROR_IO, "the record of %s was cut off", j->program.name);
    } else {
        collect(&a, &run, &r);
        if (!run_sql(s, "BEGIN IMMEDIATE") || !put_all(s, j, &r) || !run_sql(s, "COMMIT")) {
            status = complain(s, d);
            run_sql(s, "ROLLBACK");
        }
    }
    run_release(&run);
    arena_free(&a);
    return status;
}
