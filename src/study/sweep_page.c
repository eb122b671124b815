// What a sweep leaves: a table as CSV and in SQLite, all of it as JSON, and one page with parallel
// coordinates and the front, which opens from a file, offline.
#include "study/run_pages.h"
#include "study/sweep.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const unit[] = {"s", "J", "mm2"};
static const char *const state_name[] = {"open", "done", "failed", "refused"};

static void csv_text(FILE *f, const char *t) {
    if (!t[strcspn(t, ",\"\n")]) {
        fputs(t, f);
        return;
    }
    fputc('"', f);
    for (; *t; t++) {
        if (*t == '"') fputc('"', f);
        fputc(*t, f);
    }
    fputc('"', f);
}

static void write_csv(FILE *f, const struct sweep *s, const struct sweep_outcome *o) {
    for (uint32_t k = 0; k < s->n_axes; k++) csv_text(f, s->axis[k].name), fputc(',', f);
    for (uint32_t i = 0; i < SWEEP_OBJECTIVES; i++)
        fprintf(f, "%s_%s,", sweep_objective_name[i], unit[i]);
    if (s->measured.file) fputs("measured_s,", f);
    fputs("generation,state,front,why\n", f);
    for (uint32_t i = 0; i < o->points.n; i++) {
        const struct sweep_point *p = &o->points.at[i];
        for (uint32_t k = 0; k < s->n_axes; k++)
            csv_text(f, s->axis[k].value[p->at[k]].text), fputc(',', f);
        for (uint32_t c = 0; c < SWEEP_OBJECTIVES; c++) {
            if (p->state == SWEEP_DONE && isfinite(p->cost[c])) fprintf(f, "%.9g", p->cost[c]);
            fputc(',', f);
        }
        if (p->measured_s > 0) fprintf(f, "%.9g", p->measured_s);
        if (s->measured.file) fputc(',', f);
        fprintf(f, "%u,%s,%d,", p->generation, state_name[p->state], p->front);
        csv_text(f, p->why ? p->why : "");
        fputc('\n', f);
    }
}

static json_t *number_or_null(double v) { return isfinite(v) ? json_real(v) : json_null(); }

static json_t *rank_json(struct arena *a, const struct sweep *s, const struct sweep_outcome *o) {
    const struct space_rank r = space_rank_of(a, s, o);
    json_t *j =
        json_pack("{s:s,s:s,s:i,s:i,s:i}", "file", s->measured.file, "column", s->measured.column,
                  "rows", (int)s->measured.n, "points", (int)r.n, "best", r.best);
    json_object_set_new(j, "spearman", number_or_null(r.spearman));
    json_object_set_new(j, "ratio", number_or_null(r.n ? r.ratio : NAN));
    json_object_set_new(j, "ratio_low", number_or_null(r.n ? r.low : NAN));
    json_object_set_new(j, "ratio_high", number_or_null(r.n ? r.high : NAN));
    json_object_set_new(j, "best_place", number_or_null(r.n ? r.best_place : NAN));
    json_object_set_new(j, "best_loss", number_or_null(r.n ? r.best_loss : NAN));
    return j;
}

// A word as a shell takes it.
static const char *shell_word(struct arena *a, const char *t) {
    if (*t && strspn(t, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+=:,/@%") == strlen(t)) return t;
    const char *out = "'";
    for (; *t; t++) out = *t == '\'' ? arena_printf(a, "%s'\\''", out) : arena_printf(a, "%s%c", out, *t);
    return arena_printf(a, "%s'", out);
}

// The words of `warpwatt run` that each value of an axis is.
static json_t *words_of_axis(struct arena *a, const struct sweep_axis *axis) {
    static const char *const option[] = {[SWEEP_GPU] = "-g", [SWEEP_POLICY] = "-p", [SWEEP_SIZE] = "--size"};
    json_t *list = json_array();
    for (uint32_t v = 0; v < axis->n; v++) {
        const struct sweep_value *const x = &axis->value[v];
        const char *words = "";
        switch (axis->target) {
        case SWEEP_GPU:
        case SWEEP_POLICY:
        case SWEEP_SIZE: words = arena_printf(a, "%s %s", option[axis->target], shell_word(a, x->text)); break;
        case SWEEP_OPTION:
            for (uint32_t i = 0; i < x->n_words; i++)
                words = arena_printf(a, "%s%s%s", words, i ? " " : "", shell_word(a, x->word[i]));
            break;
        case SWEEP_WORKLOAD:
        case SWEEP_MACRO: break;
        default:
            for (uint32_t i = 0; i < x->n_set; i++)
                words = arena_printf(a, "%s%s-s %s", words, i ? " " : "", shell_word(a, x->set[i]));
        }
        json_array_append_new(list, json_string(words));
    }
    return list;
}

// What all points have of them.
static const char *words_of_all(struct arena *a, const struct sweep *s) {
    const char *words = arena_printf(a, "-g %s", shell_word(a, s->gpu));
    if (*s->size) words = arena_printf(a, "%s --size %s", words, shell_word(a, s->size));
    if (*s->policy && strcmp(s->policy, "none") != 0) words = arena_printf(a, "%s -p %s", words, shell_word(a, s->policy));
    for (uint32_t i = 0; i < s->n_set; i++) words = arena_printf(a, "%s -s %s", words, shell_word(a, s->set[i]));
    return words;
}

static json_t *to_json(struct arena *a, const struct sweep *s, const struct sweep_outcome *o) {
    json_t *top = json_pack("{s:i,s:s,s:s,s:s,s:s,s:s,s:s,s:I}", "format", 1, "name", s->name,
                            "title", s->title, "gpu", s->gpu, "policy", s->policy, "size", s->size,
                            "method", sweep_method_name[s->method], "seed", (json_int_t)s->seed);
    json_t *axes = json_array(), *points = json_array(), *objectives = json_array(),
           *workloads = json_array();
    for (uint32_t i = 0; i < s->n_workloads; i++)
        json_array_append_new(workloads, json_string(s->workload[i]));
    for (uint32_t i = 0; i < SWEEP_OBJECTIVES; i++)
        if (s->objective[i])
            json_array_append_new(objectives, json_string(sweep_objective_name[i]));
    for (uint32_t k = 0; k < s->n_axes; k++) {
        json_t *values = json_array();
        for (uint32_t v = 0; v < s->axis[k].n; v++)
            json_array_append_new(values, json_string(s->axis[k].value[v].text));
        json_t *const axis = json_pack("{s:s,s:o}", "name", s->axis[k].name, "values", values);
        if (!s->program.there) json_object_set_new(axis, "words", words_of_axis(a, &s->axis[k]));
        json_array_append_new(axes, axis);
    }
    for (uint32_t i = 0; i < o->points.n; i++) {
        const struct sweep_point *p = &o->points.at[i];
        json_t *at = json_array();
        for (uint32_t k = 0; k < s->n_axes; k++) json_array_append_new(at, json_integer(p->at[k]));
        json_t *row = json_pack("{s:o,s:s,s:b,s:i}", "at", at, "state", state_name[p->state],
                                "front", p->front, "generation", (int)p->generation);
        for (uint32_t c = 0; c < SWEEP_OBJECTIVES; c++)
            json_object_set_new(row, sweep_objective_name[c],
                                p->state == SWEEP_DONE && isfinite(p->cost[c])
                                    ? json_real(p->cost[c])
                                    : json_null());
        if (p->measured_s > 0) json_object_set_new(row, "measured", json_real(p->measured_s));
        if (p->why) json_object_set_new(row, "why", json_string(p->why));
        json_t *const pages = json_array();
        for (uint32_t k = 0; k < p->n_pages; k++)
            if (p->page[k].is_there)
                json_array_append_new(pages, json_pack("[s,s]", p->page[k].name,
                                                       arena_printf(a, "%s/index.html", p->page[k].folder)));
        if (json_array_size(pages)) json_object_set(row, "pages", pages);
        json_decref(pages);
        json_array_append_new(points, row);
    }
    json_object_set_new(top, "workloads", workloads);
    const char *const program = s->program.source ? s->program.source : s->program.word[0];
    if (s->program.there)
        json_object_set_new(
            top, "program",
            json_string(strrchr(program, '/') ? strrchr(program, '/') + 1 : program));
    if (!s->program.there) json_object_set_new(top, "words", json_string(words_of_all(a, s)));
    if (s->measured.file) json_object_set_new(top, "measured", rank_json(a, s, o));
    json_object_set_new(top, "objectives", objectives);
    json_object_set_new(top, "axes", axes);
    json_object_set_new(top, "points", points);
    return top;
}

// ---- SQLite -----------------------------------------------------------------------------------
// Identifiers in quotes of SQL.
static const char *quoted(struct arena *a, const char *t) {
    const char *out = "\"";
    for (; *t; t++) out = arena_printf(a, *t == '"' ? "%s\"\"" : "%s%c", out, *t);
    return arena_printf(a, "%s\"", out);
}

static bool fill(struct arena *a, sqlite3 *db, const struct sweep *s,
                 const struct sweep_outcome *o) {
    const char *columns = "", *marks = "";
    for (uint32_t k = 0; k < s->n_axes; k++) {
        columns = arena_printf(a, "%s%s, ", columns, quoted(a, s->axis[k].name));
        marks = arena_printf(a, "%s?, ", marks);
    }
    const char *make = arena_printf(
        a,
        "BEGIN; DROP TABLE IF EXISTS points; CREATE TABLE points(%s"
        "time_s REAL, energy_j REAL, area_mm2 REAL, measured_s REAL, generation INTEGER, "
        "state TEXT, front INTEGER, why TEXT)",
        columns);
    sqlite3_stmt *q = NULL;
    if (sqlite3_exec(db, make, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(
            db, arena_printf(a, "INSERT INTO points VALUES(%s?, ?, ?, ?, ?, ?, ?, ?)", marks), -1,
            &q, NULL) != SQLITE_OK)
        return false;
    bool ok = true;
    for (uint32_t i = 0; i < o->points.n && ok; i++) {
        const struct sweep_point *p = &o->points.at[i];
        int at = 1;
        sqlite3_reset(q);
        sqlite3_clear_bindings(q);
        for (uint32_t k = 0; k < s->n_axes; k++, at++) {
            const struct sweep_value *v = &s->axis[k].value[p->at[k]];
            if (isfinite(v->number))
                sqlite3_bind_double(q, at, v->number);
            else
                sqlite3_bind_text(q, at, v->text, -1, SQLITE_STATIC);
        }
        for (uint32_t c = 0; c < SWEEP_OBJECTIVES; c++, at++)
            if (p->state == SWEEP_DONE) sqlite3_bind_double(q, at, p->cost[c]);
        if (p->measured_s > 0) sqlite3_bind_double(q, at, p->measured_s);
        at++;
        sqlite3_bind_int64(q, at++, p->generation);
        sqlite3_bind_text(q, at++, state_name[p->state], -1, SQLITE_STATIC);
        sqlite3_bind_int(q, at++, p->front);
        sqlite3_bind_text(q, at++, p->why ? p->why : "", -1, SQLITE_STATIC);
        ok = sqlite3_step(q) == SQLITE_DONE;
    }
    sqlite3_finalize(q);
    return ok && sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
}

static enum ww_status write_db(struct arena *a, const struct sweep *s,
                               const struct sweep_outcome *o, const char *path, struct diags *d) {
    sqlite3 *db = NULL;
    enum ww_status status = WW_OK;
    if (sqlite3_open(path, &db) != SQLITE_OK || !fill(a, db, s, o))
        status = diag_add(d, WW_ERROR_IO, "cannot write %s: %s", path, sqlite3_errmsg(db));
    sqlite3_close(db);
    return status;
}

// ---- the page ---------------------------------------------------------------------------------
static enum ww_status write_page(struct arena *a, const char *json, const struct study_host *host,
                                 const char *dir, struct diags *d) {
    static const char mark[] = "/*SWEEP*/";
    char *page;
    size_t len;
    enum ww_status s =
        file_read(a, arena_printf(a, "%s/sweep.html", host->page), 1 << 20, &page, &len, d);
    if (s != WW_OK) return s;
    char *at = strstr(page, mark);
    if (!at) return diag_add(d, WW_ERROR_INTERNAL, "sweep.html has no place for the points");
    // `</script>` in a text would end the script: `<` is written as an escape
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return diag_add(d, WW_ERROR_MEMORY, "out of memory for the page");
    fwrite(page, 1, (size_t)(at - page), f);
    for (const char *c = json; *c; c++) {
        if (*c == '<')
            fputs("\\u003c", f);
        else
            fputc(*c, f);
    }
    fputs(at + sizeof mark - 1, f);
    if (fclose(f) != 0)
        s = diag_add(d, WW_ERROR_MEMORY, "out of memory for the page");
    else
        s = file_write_atomic(arena_printf(a, "%s/index.html", dir), text, size, d);
    free(text);
    return s;
}

enum ww_status sweep_write(struct arena *a, const struct sweep *s, const struct sweep_outcome *o,
                           const struct study_host *host, const char *dir, struct diags *d) {
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return diag_add(d, WW_ERROR_IO, "cannot make the directory %s: %s", dir, strerror(errno));
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (f) write_csv(f, s, o);
    if (!f || fclose(f) != 0) return diag_add(d, WW_ERROR_MEMORY, "out of memory for points.csv");
    enum ww_status status = file_write_atomic(arena_printf(a, "%s/points.csv", dir), text, size, d);
    free(text);
    json_t *top = to_json(a, s, o);
    char *json = json_dumps(top, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(top);
    if (!json) return diag_add(d, WW_ERROR_MEMORY, "out of memory for sweep.json");
    if (status == WW_OK)
        status = file_write_atomic(arena_printf(a, "%s/sweep.json", dir), json, strlen(json), d);
    if (status == WW_OK) status = write_db(a, s, o, arena_printf(a, "%s/points.db", dir), d);
    if (status == WW_OK) status = write_page(a, json, host, dir, d);
    free(json);
    return status;
}
