// Results that are kept, in an SQLite file: a job's times, its kernels, their counters. A job goes
// in whole, in one transaction, or not at all, so the file is good after a kill at any moment;
// several studies may use one file at a time.
//
// Files rot, and other programs write to them. So each job's row holds the SHA-256 of all that
// belongs to the result: its key, names and times, each kernel, and every counter of the table of
// counters, 0 or not. A counter of 0 has no row; a row that is lost, or changed, changes the sum. A
// result that does not fit its sum is named, dropped, and counts as never run.
#include "study/digest.h"
#include "study/study.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "report/report.h"

enum { STORE_FORMAT = 2, STORE_WAIT_MS = 60000 };

struct store {
    sqlite3 *db;
    const char *path;
};

// Results of an older format are of an older build too: no key asks for them any more.
static const char forget_older[] = "DROP TABLE IF EXISTS job; DROP TABLE IF EXISTS kernel;"
                                   "DROP TABLE IF EXISTS counter;";
static const char schema[] =
    "CREATE TABLE IF NOT EXISTS job(key TEXT PRIMARY KEY, workload TEXT, size TEXT, gpu TEXT,"
    " configuration TEXT, policy TEXT, host_s REAL, copies INTEGER, copied_bytes INTEGER, copy_s "
    "REAL,"
    " end_s REAL, kernels INTEGER, sum TEXT, made TEXT DEFAULT CURRENT_TIMESTAMP) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS kernel(key TEXT, at INTEGER, name TEXT, launches INTEGER,"
    " cycles INTEGER, seconds REAL, PRIMARY KEY(key, at)) WITHOUT ROWID;"
    // of kernels whose cycles sampling estimated; builds that know nothing of it leave the table alone
    "CREATE TABLE IF NOT EXISTS estimate(key TEXT, at INTEGER, half_cycles REAL, PRIMARY KEY(key, at))"
    " WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS counter(key TEXT, kernel INTEGER, name TEXT, element INTEGER,"
    " value INTEGER, PRIMARY KEY(key, kernel, name, element)) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS job_by_name ON job(workload, size, gpu);";

// A damaged file is no matter of one result: its pages do not fit together any more.
static bool torn(const struct store *s) {
    const int code = sqlite3_errcode(s->db);
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

static enum ww_status complain(const struct store *s, struct diags *d) {
    return diag_add(d, WW_ERROR_IO, "the results file %s: %s%s", s->path, sqlite3_errmsg(s->db),
                    torn(s) ? ": remove it, or name another with --db" : "");
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
        else if (format > STORE_FORMAT)
            status = diag_add(d, WW_ERROR_IO,
                              "the results file %s has format %lld, this version reads %d: remove "
                              "it or name another with --db",
                              path, (long long)format, STORE_FORMAT);
        else if (!run_sql(s, "BEGIN IMMEDIATE") ||
                 (format != STORE_FORMAT && !run_sql(s, forget_older)) || !run_sql(s, schema) ||
                 !run_sql(s, "PRAGMA user_version = 2") || !run_sql(s, "COMMIT"))
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

double store_estimate(struct store *s, const struct job *j) {
    sqlite3_stmt *q = prepare(s,
                              "SELECT host_s FROM job WHERE workload = ?1 AND size = ?2 AND gpu = "
                              "?3 ORDER BY made DESC LIMIT 1",
                              j->program.name);
    double v = 0;
    if (q) {
        sqlite3_bind_text(q, 2, j->program.size, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 3, gpu_config_name(j->gpu), -1, SQLITE_STATIC);
        if (sqlite3_step(q) == SQLITE_ROW) v = sqlite3_column_double(q, 0);
    }
    sqlite3_finalize(q);
    return v;
}

// ---- one result, as it is kept ----------------------------------------------------------------
struct kept {
    const char *workload, *size, *gpu, *configuration, *policy;
    const char *sum;
    double host_s;
    struct result r;
};

static void sum_number(struct digest *h, double v) { digest_feed(h, &v, sizeof v); }

static bool sum_of(const char *key, const struct kept *k, char out[DIGEST_BYTES]) {
    struct digest h;
    digest_start(&h);
    const char *const text[] = {key, k->workload, k->size, k->gpu, k->configuration, k->policy};
    for (size_t i = 0; i < WW_COUNT(text); i++) digest_text(&h, text[i]);
    const double number[] = {k->host_s,         k->r.copies,      k->r.copied_bytes,
                             k->r.copy_seconds, k->r.end_seconds, k->r.n_kernels};
    for (size_t i = 0; i < WW_COUNT(number); i++) sum_number(&h, number[i]);
    for (uint32_t i = 0; i < k->r.n_kernels; i++) {
        const struct kernel_result *q = &k->r.kernel[i];
        digest_text(&h, q->name);
        sum_number(&h, q->launches);
        sum_number(&h, q->cycles);
        sum_number(&h, q->seconds);
        if (q->half_cycles > 0) sum_number(&h, q->half_cycles);
        for (uint32_t n = 0; n < act_rows(); n++) {
            digest_text(&h, act_row(n)->name);
            digest_feed(&h, &q->activity.c[act_row(n)->first],
                        act_row(n)->n * sizeof q->activity.c[0]);
        }
    }
    return digest_end(&h, out);
}

static bool drop(struct store *s, const char *key) {
    static const char *const from[] = {"DELETE FROM job WHERE key = ?1",
                                       "DELETE FROM kernel WHERE key = ?1",
                                       "DELETE FROM counter WHERE key = ?1"};
    bool ok = true;
    for (size_t i = 0; i < WW_COUNT(from) && ok; i++) {
        sqlite3_stmt *q = prepare(s, from[i], key);
        ok = q && sqlite3_step(q) == SQLITE_DONE;
        sqlite3_finalize(q);
    }
    return ok;
}

// ---- reading ----------------------------------------------------------------------------------
static const char *text_at(struct arena *a, sqlite3_stmt *q, int column) {
    const char *t = (const char *)sqlite3_column_text(q, column);
    return t ? arena_strdup(a, t) : "";
}

enum { KEPT_KERNELS = 1 << 20 }; // more are no result but damage

// Reads all rows under `key`; *there is false when there is no job.
static enum ww_status read_rows(struct store *s, struct arena *a, const char *key, struct diags *d,
                                struct kept *out, bool *there) {
    *there = false;
    sqlite3_stmt *q =
        prepare(s,
                "SELECT workload, size, gpu, configuration, policy, host_s, copies, copied_bytes,"
                " copy_s, end_s, kernels, sum FROM job WHERE key = ?1",
                key);
    int step = q ? sqlite3_step(q) : SQLITE_ERROR;
    if (step == SQLITE_ROW) {
        const char **text[] = {&out->workload, &out->size, &out->gpu, &out->configuration,
                               &out->policy};
        for (int i = 0; i < (int)WW_COUNT(text); i++) *text[i] = text_at(a, q, i);
        double *number[] = {&out->host_s, &out->r.copies, &out->r.copied_bytes,
                            &out->r.copy_seconds, &out->r.end_seconds};
        for (int i = 0; i < (int)WW_COUNT(number); i++)
            *number[i] = sqlite3_column_double(q, 5 + i);
        const int64_t kernels = sqlite3_column_int64(q, 10);
        out->r.n_kernels = kernels >= 0 && kernels <= KEPT_KERNELS ? (uint32_t)kernels : 0;
        out->sum = text_at(a, q, 11);
    }
    sqlite3_finalize(q);
    if (step == SQLITE_DONE) return WW_OK;
    if (step != SQLITE_ROW) return complain(s, d);
    *there = true;
    out->r.host_seconds = out->host_s;
    out->r.kernel = arena_alloc(a, (out->r.n_kernels + 1) * sizeof *out->r.kernel);
    for (uint32_t i = 0; i < out->r.n_kernels; i++) out->r.kernel[i].name = "";
    q = prepare(s, "SELECT at, name, launches, cycles, seconds FROM kernel WHERE key = ?1", key);
    while (q && (step = sqlite3_step(q)) == SQLITE_ROW) {
        const uint32_t at = (uint32_t)sqlite3_column_int(q, 0);
        if (at >= out->r.n_kernels) continue;
        struct kernel_result *k = &out->r.kernel[at];
        k->name = text_at(a, q, 1);
        k->launches = sqlite3_column_double(q, 2);
        k->cycles = sqlite3_column_double(q, 3);
        k->seconds = sqlite3_column_double(q, 4);
    }
    bool ok = q && step == SQLITE_DONE;
    sqlite3_finalize(q);
    q = ok ? prepare(s, "SELECT at, half_cycles FROM estimate WHERE key = ?1", key) : NULL;
    while (q && (step = sqlite3_step(q)) == SQLITE_ROW) {
        const uint32_t at = (uint32_t)sqlite3_column_int(q, 0);
        if (at < out->r.n_kernels) out->r.kernel[at].half_cycles = sqlite3_column_double(q, 1);
    }
    ok = q && step == SQLITE_DONE;
    sqlite3_finalize(q);
    q = ok ? prepare(s, "SELECT kernel, name, element, value FROM counter WHERE key = ?1", key)
           : NULL;
    while (q && (step = sqlite3_step(q)) == SQLITE_ROW) {
        const uint32_t at = (uint32_t)sqlite3_column_int(q, 0),
                       element = (uint32_t)sqlite3_column_int(q, 2);
        const char *name = (const char *)sqlite3_column_text(q, 1);
        const int row = name ? act_find(name) : -1;
        if (row < 0 || at >= out->r.n_kernels || element >= act_row(row)->n) continue;
        out->r.kernel[at].activity.c[act_row(row)->first + element] =
            (uint64_t)sqlite3_column_int64(q, 3);
    }
    ok = q && step == SQLITE_DONE;
    sqlite3_finalize(q);
    return ok ? WW_OK : complain(s, d);
}

enum ww_status store_get(struct store *s, struct arena *a, const char *key, struct diags *d,
                         struct result *out) {
    *out = (struct result){.there = false};
    struct kept k = {.sum = ""};
    bool there;
    // in one transaction: another process may keep a result meanwhile
    enum ww_status status = run_sql(s, "BEGIN") ? WW_OK : complain(s, d);
    if (status == WW_OK) status = read_rows(s, a, key, d, &k, &there);
    run_sql(s, "COMMIT");
    if (status != WW_OK || !there) return status;
    char sum[DIGEST_BYTES];
    if (!sum_of(key, &k, sum))
        return diag_add(d, WW_ERROR_INTERNAL, "SHA-256 failed for a kept result");
    if (k.r.n_kernels && strcmp(sum, k.sum) == 0) {
        *out = k.r;
        out->there = true;
        return WW_OK;
    }
    diag_at(d, DIAG_WARNING, WW_ERROR_IO, NULL, NULL, 0, 0,
            "the results file %s: the kept result of %s (size %s) on %s is damaged: it does not "
            "fit its checksum. It is dropped, and the run made again (with --no-run it is missing)",
            s->path, k.workload, k.size, k.gpu);
    return drop(s, key) ? WW_OK : complain(s, d);
}

enum ww_status store_has(struct store *s, const char *key, struct diags *d, bool *there) {
    struct arena a;
    arena_init(&a, NULL);
    struct result r;
    const enum ww_status status = store_get(s, &a, key, d, &r);
    *there = r.there;
    arena_free(&a);
    return status;
}

// ---- writing ----------------------------------------------------------------------------------
// A field that the record of a run must have. The first that is missing is remembered: what is not
// there was not counted, and is not 0.
struct fields {
    const char *missing;
};

static double need(struct fields *f, const json_t *o, const char *name) {
    const json_t *v = json_object_get(o, name);
    if (!json_is_number(v) && !f->missing) f->missing = name;
    return json_number_value(v);
}

static void add_activity(struct fields *f, struct activity *sum, const json_t *a) {
    for (uint32_t k = 0; k < act_rows(); k++) {
        const json_t *v = json_object_get(a, act_row(k)->name);
        if (act_row(k)->n == 1 ? !json_is_integer(v) : json_array_size(v) != act_row(k)->n) {
            if (!f->missing) f->missing = act_row(k)->name;
            continue;
        }
        for (uint32_t n = 0; n < act_row(k)->n; n++)
            sum->c[act_row(k)->first + n] += run_counter_at(a, act_row(k)->name, n);
    }
}

// Kernels of one name are one; [0] is the whole run. Launches that were computed without time (`run
// --launches` and its like) are left out, unless all were.
static void collect(struct arena *a, const struct run *r, struct fields *f, struct result *out) {
    out->kernel = arena_alloc(a, (json_array_size(r->launches) + 1) * sizeof *out->kernel);
    out->kernel[0].name = "";
    out->n_kernels = 1;
    size_t i;
    json_t *l;
    bool timed = false;
    uint64_t launches = 0;
    json_array_foreach(r->launches, i, l) timed =
        timed || !json_is_true(json_object_get(l, "functional"));
    json_array_foreach(r->launches, i, l) {
        launches += run_launches(l);
        out->host_seconds += need(f, l, "host_seconds");
        if (timed && json_is_true(json_object_get(l, "functional"))) continue;
        const char *name = json_string_value(json_object_get(l, "kernel"));
        if (!name) {
            f->missing = "kernel";
            return;
        }
        uint32_t at = 1;
        while (at < out->n_kernels && strcmp(out->kernel[at].name, name) != 0) at++;
        if (at == out->n_kernels) out->kernel[out->n_kernels++].name = arena_strdup(a, name);
        const uint32_t into[2] = {0, at};
        for (int w = 0; w < 2; w++) {
            struct kernel_result *k = &out->kernel[into[w]];
            k->launches += (double)run_launches(l);
            k->cycles += need(f, l, "cycles");
            k->seconds += need(f, l, "seconds");
            k->half_cycles += run_half_cycles(l);
            add_activity(f, &k->activity, json_object_get(l, "activity"));
        }
    }
    if ((double)launches != need(f, r->end, "launches") && !f->missing)
        f->missing = "one of its launches";
    // where kernels overlap, the run's time is not the sum of theirs
    out->kernel[0].cycles = need(f, r->end, "kernel_cycles");
    out->kernel[0].seconds = need(f, r->end, "kernel_seconds");
    out->kernel[0].half_cycles = run_half_cycles(r->end);
    out->copies = need(f, r->end, "copies");
    out->copied_bytes = need(f, r->end, "copied_bytes");
    out->copy_seconds = need(f, r->end, "copy_seconds");
    out->end_seconds = need(f, r->end, "seconds");
}

static bool put_counters(sqlite3_stmt *q, uint32_t kernel, const struct activity *a) {
    for (uint32_t k = 0; k < act_rows(); k++)
        for (uint32_t n = 0; n < act_row(k)->n; n++) {
            const uint64_t v = a->c[act_row(k)->first + n];
            if (!v) continue;
            sqlite3_bind_int64(q, 2, kernel);
            sqlite3_bind_text(q, 3, act_row(k)->name, -1, SQLITE_STATIC);
            sqlite3_bind_int64(q, 4, n);
            sqlite3_bind_int64(q, 5, (int64_t)v);
            if (sqlite3_step(q) != SQLITE_DONE) return false;
            sqlite3_reset(q);
        }
    return true;
}

static bool put_all(struct store *s, const struct job *j, const struct result *r) {
    const struct kept kept = {.workload = j->program.name,
                              .size = j->program.size,
                              .gpu = gpu_config_name(j->gpu),
                              .configuration = j->configuration->name,
                              .policy = j->configuration->policy,
                              .host_s = j->host_s,
                              .r = *r};
    char sum[DIGEST_BYTES];
    if (!sum_of(j->key, &kept, sum) || !drop(s, j->key)) return false;
    sqlite3_stmt *q =
        prepare(s,
                "INSERT INTO job(key, workload, size, gpu, configuration, policy, host_s, copies,"
                " copied_bytes, copy_s, end_s, kernels, sum)"
                " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                j->key);
    if (!q) return false;
    sqlite3_bind_text(q, 2, kept.workload, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 3, kept.size, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 4, kept.gpu, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 5, kept.configuration, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 6, kept.policy, -1, SQLITE_STATIC);
    sqlite3_bind_double(q, 7, kept.host_s);
    sqlite3_bind_int64(q, 8, (int64_t)r->copies);
    sqlite3_bind_int64(q, 9, (int64_t)r->copied_bytes);
    sqlite3_bind_double(q, 10, r->copy_seconds);
    sqlite3_bind_double(q, 11, r->end_seconds);
    sqlite3_bind_int64(q, 12, r->n_kernels);
    sqlite3_bind_text(q, 13, sum, -1, SQLITE_STATIC);
    bool ok = sqlite3_step(q) == SQLITE_DONE;
    sqlite3_finalize(q);
    sqlite3_stmt *k = prepare(s, "INSERT INTO kernel VALUES(?1, ?2, ?3, ?4, ?5, ?6)", j->key);
    sqlite3_stmt *c = prepare(s, "INSERT INTO counter VALUES(?1, ?2, ?3, ?4, ?5)", j->key);
    sqlite3_stmt *e = prepare(s, "INSERT OR REPLACE INTO estimate VALUES(?1, ?2, ?3)", j->key);
    ok = ok && k && c && e;
    for (uint32_t i = 0; i < r->n_kernels && ok; i++) {
        sqlite3_bind_int64(k, 2, i);
        sqlite3_bind_text(k, 3, r->kernel[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_int64(k, 4, (int64_t)r->kernel[i].launches);
        sqlite3_bind_int64(k, 5, (int64_t)r->kernel[i].cycles);
        sqlite3_bind_double(k, 6, r->kernel[i].seconds);
        ok = sqlite3_step(k) == SQLITE_DONE && put_counters(c, i, &r->kernel[i].activity);
        sqlite3_reset(k);
        if (!ok || !(r->kernel[i].half_cycles > 0)) continue;
        sqlite3_bind_int64(e, 2, i);
        sqlite3_bind_double(e, 3, r->kernel[i].half_cycles);
        ok = sqlite3_step(e) == SQLITE_DONE;
        sqlite3_reset(e);
    }
    sqlite3_finalize(k);
    sqlite3_finalize(c);
    sqlite3_finalize(e);
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
    if (!run.end || !run.is_sealed) {
        status = diag_add(d, WW_ERROR_IO, "the record of %s was cut off", j->program.name);
    } else {
        struct fields f = {NULL};
        collect(&a, &run, &f, &r);
        if (f.missing)
            status = diag_add(d, WW_ERROR_IO, "the record of %s on %s lacks `%s`", j->program.name,
                              gpu_config_name(j->gpu), f.missing);
        else if (!run_sql(s, "BEGIN IMMEDIATE") || !put_all(s, j, &r) || !run_sql(s, "COMMIT")) {
            status = complain(s, d);
            run_sql(s, "ROLLBACK");
        }
    }
    run_release(&run);
    arena_free(&a);
    return status;
}
