// results.sqlite: a run as one database, to query or to load into a table of any language
// (docs/results.md describes every table and column). Written beside and put in place whole.
#include "isa/op_class.h"
#include "view/view.h"

#include "base/sum.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

enum { DATABASE_FORMAT = 1 };

static const char *const tables[] = {
    "create table meta(key text primary key, value)",
    "create table run(title text, program text, gpu text, product text, sms integer, "
    "core_clock_mhz real, complete integer, status text, seconds real, kernel_seconds real, "
    "cycles integer, warp_instructions integer, thread_instructions integer, energy_j real, "
    "dynamic_j real, static_j real, gaps_j real, half_cycles real, half_j real)",
    "create table how(key text primary key, value text)",
    "create table savings(unit text, measure text, value real, primary key(unit, measure)) "
    "without rowid",
    "create table steps(step integer primary key, method text, times integer, launch integer, "
    "stream integer, bytes integer, start_s real, end_s real, seconds real, energy_j real, "
    "power_w real, dynamic_j real, static_j real)",
    "create table ranges(range integer primary key, parent integer, depth integer, name text, "
    "path text, times integer, launches integer, untimed integer, copies integer, bytes integer, "
    "cycles integer, warp_instructions integer, seconds real, copy_s real, energy_j real, "
    "dynamic_j real, static_j real, own_s real, own_j real)",
    "create table launches(launch integer primary key, launches integer, kernel text, module text, "
    "grid_x integer, grid_y integer, grid_z integer, block_x integer, block_y integer, "
    "block_z integer, registers integer, shared_bytes integer, local_bytes integer, "
    "functional integer, status integer, start_s real, seconds real, cycles integer, "
    "warp_instructions integer, thread_instructions integer, achieved_warps real, "
    "occupancy_warps integer, occupancy_limit text, energy_j real, dynamic_j real, static_j real, "
    "half_cycles real, half_j real)",
    "create table counters(launch integer, counter text, idx integer, value integer, "
    "primary key(launch, counter, idx)) without rowid",
    "create table components(launch integer, component text, parent text, dynamic_j real, "
    "static_j real, leak_sub_j real, leak_gate_j real, primary key(launch, component)) "
    "without rowid",
    "create table instructions(code integer, kernel text, pc integer, text text, class text, "
    "ptx_line integer, src_file text, src_line integer, issues integer, lanes integer, "
    "dynamic_j real, static_j real"
#define INST_MEMORY(name, unit, prose) ", " #name " integer"
#include "sm/inst_memory.def"
#undef INST_MEMORY
    ", primary key(code, pc)) without rowid",
    "create table stalls(code integer, pc integer, reason text, slots integer, "
    "primary key(code, pc, reason)) without rowid",
    "create view lines as select code, kernel, src_file, src_line, sum(issues) as issues, "
    "sum(lanes) as lanes, sum(dynamic_j) as dynamic_j, sum(static_j) as static_j"
#define INST_MEMORY(name, unit, prose) ", sum(" #name ") as " #name
#include "sm/inst_memory.def"
#undef INST_MEMORY
    " from instructions where src_line > 0 group by code, src_file, src_line",
    "create table idle(code integer primary key, kernel text, launches integer, seconds real, "
    "idle_j real)",
    "create table warps(launch integer, sm integer, warp integer, from_cycle integer, to_cycle "
    "integer, state text, pc integer, lanes integer, cta integer, warp_in_cta integer, "
    "primary key(launch, warp, from_cycle, pc)) without rowid",
    "create table intervals(launch integer, from_cycle integer, to_cycle integer, seconds real, "
    "energy_j real, dynamic_j real, static_j real, primary key(launch, from_cycle)) without rowid",
    "create table interval_counters(launch integer, from_cycle integer, counter text, idx integer, "
    "value integer, primary key(launch, from_cycle, counter, idx)) without rowid",
};

struct writer {
    sqlite3 *db;
    int code; // first error of SQLite, or SQLITE_OK
};

static void run_sql(struct writer *w, const char *sql) {
    if (w->code == SQLITE_OK) w->code = sqlite3_exec(w->db, sql, NULL, NULL, NULL);
}

static sqlite3_stmt *prepare(struct writer *w, const char *sql) {
    sqlite3_stmt *s = NULL;
    if (w->code == SQLITE_OK) w->code = sqlite3_prepare_v2(w->db, sql, -1, &s, NULL);
    return s;
}

// One row: `kinds` has a letter a column: i (int64_t), d (double), t (text, NULL allowed). Text
// must live until the row is in.
static void insert(struct writer *w, sqlite3_stmt *s, const char *kinds, ...) {
    if (w->code != SQLITE_OK) return;
    va_list ap;
    va_start(ap, kinds);
    for (int i = 0; kinds[i]; i++) {
        switch (kinds[i]) {
        case 'i': sqlite3_bind_int64(s, i + 1, va_arg(ap, int64_t)); break;
        case 'd': sqlite3_bind_double(s, i + 1, va_arg(ap, double)); break;
        default: sqlite3_bind_text(s, i + 1, va_arg(ap, const char *), -1, SQLITE_STATIC); break;
        }
    }
    va_end(ap);
    const int code = sqlite3_step(s);
    if (code != SQLITE_DONE) w->code = code;
    sqlite3_reset(s);
}

static const char *text_of(const json_t *o, const char *key) {
    return json_string_value(json_object_get(o, key));
}
static int64_t whole(const json_t *o, const char *key) {
    return json_integer_value(json_object_get(o, key));
}
static double real(const json_t *o, const char *key) {
    return json_number_value(json_object_get(o, key));
}
static int64_t at(const json_t *o, const char *key, size_t i) {
    return json_integer_value(json_array_get(json_object_get(o, key), i));
}

static void put_run(struct writer *w, const struct view_input *in) {
    const json_t *const header = in->run->header, *const gpu = json_object_get(header, "gpu"),
                        *const end = in->run->end;
    const struct account *const p = in->power;
    int64_t cycles = 0, warps = 0, threads = 0;
    double seconds = 0;
    size_t i;
    json_t *l;
    json_array_foreach(in->run->launches, i, l) {
        cycles += whole(l, "cycles");
        warps += whole(l, "warp_instructions");
        threads += whole(l, "thread_instructions");
        seconds += real(l, "seconds");
    }
    sqlite3_stmt *s = prepare(w, "insert into meta values(?, ?)");
    insert(w, s, "ti", "format", (int64_t)DATABASE_FORMAT);
    insert(w, s, "tt", "writer", "warpwatt");
    char digits[SUM_TEXT_BYTES];
    insert(w, s, "tt", "record", sum_text(in->run->sum, digits));
    sqlite3_finalize(s);
    s = prepare(w, "insert into run values(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    insert(w, s,
           "ttttidit"
           "ddiii"
           "dddddd",
           in->title, text_of(header, "program"), text_of(gpu, "name"), text_of(gpu, "product"),
           whole(gpu, "sms"), real(gpu, "core_clock_mhz"), (int64_t)(end != NULL),
           ww_status_text(run_status(in->run)), real(end, "seconds"), seconds, cycles, warps,
           threads, p ? p->kernels.energy_j : 0.0, p ? p->kernels.all_dynamic_j[0] : 0.0,
           p ? p->kernels.all_static_j[0] : 0.0, p ? p->gaps.energy_j : 0.0,
           run_half_cycles(end), run_half_j(end, p ? p->kernels.energy_j : 0.0));
    sqlite3_finalize(s);
}

// What the run is, as its record has it: texts and numbers as such, lists and objects as JSON.
static void put_how(struct writer *w, const json_t *how) {
    sqlite3_stmt *const s = prepare(w, "insert into how values(?, ?)");
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)how, key, v) {
        char *text = json_is_string(v) ? NULL : json_dumps(v, JSON_ENCODE_ANY);
        insert(w, s, "tt", key,
               json_is_string(v) ? json_string_value(v)
               : json_is_null(v) ? NULL
                                 : text);
        free(text);
    }
    sqlite3_finalize(s);
}

static void put_measures(struct writer *w, sqlite3_stmt *s, const char *unit, const json_t *o) {
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)o, key, v) {
        if (json_is_number(v)) insert(w, s, "ttd", unit, key, json_number_value(v));
    }
}

// What techniques saved: measures of units, of `all`, and under `technique` those of none of them.
static void put_savings(struct writer *w, const struct account *p) {
    json_t *o = p ? account_savings_json(p) : NULL, *v;
    sqlite3_stmt *const s = prepare(w, "insert into savings values(?, ?, ?)");
    const char *unit;
    put_measures(w, s, "technique", o);
    put_measures(w, s, "all", json_object_get(o, "all"));
    put_measures(w, s, "area", json_object_get(o, "area"));
    json_object_foreach(json_object_get(o, "units"), unit, v) put_measures(w, s, unit, v);
    sqlite3_finalize(s);
    json_decref(o);
}

static void bind_known(sqlite3_stmt *s, int column, double v) {
    if (isfinite(v))
        sqlite3_bind_double(s, column, v);
    else
        sqlite3_bind_null(s, column);
}

static void put_steps(struct writer *w, struct arena *a, const struct view_input *in) {
    uint32_t n;
    const struct step *const list = steps_of(a, in->run, in->power, &n);
    sqlite3_stmt *const q = prepare(w, "insert into steps values(?,?,?,?,?,?,?,?,?,?,?,?,?)");
    for (uint32_t i = 0; i < n && w->code == SQLITE_OK; i++) {
        const struct step *const s = &list[i];
        sqlite3_clear_bindings(q);
        sqlite3_bind_int64(q, 1, i);
        sqlite3_bind_text(q, 2, s->method, -1, SQLITE_STATIC);
        sqlite3_bind_int64(q, 3, (int64_t)s->times);
        if (s->is_copy) {
            sqlite3_bind_int64(q, 5, s->stream);
            sqlite3_bind_int64(q, 6, (int64_t)s->bytes);
        } else {
            sqlite3_bind_int64(q, 4, (int64_t)s->launch);
        }
        sqlite3_bind_double(q, 7, s->start_s);
        sqlite3_bind_double(q, 8, s->start_s + s->seconds);
        sqlite3_bind_double(q, 9, s->seconds);
        bind_known(q, 10, s->energy_j);
        bind_known(q, 11, s->seconds > 0 ? s->energy_j / s->seconds : NAN);
        bind_known(q, 12, s->dynamic_j);
        bind_known(q, 13, s->static_j);
        const int code = sqlite3_step(q);
        if (code != SQLITE_DONE) w->code = code;
        sqlite3_reset(q);
    }
    sqlite3_finalize(q);
}

static void put_ranges(struct writer *w, struct arena *a, const struct view_input *in) {
    uint32_t n;
    const struct range_use *const list = ranges_of(a, in->run, in->power, &n);
    sqlite3_stmt *const q =
        prepare(w, "insert into ranges values(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    for (uint32_t i = 0; i < n; i++) {
        const struct range_use *const u = &list[i];
        insert(w, q, "iiittiiiiiiiddddddd", (int64_t)u->id, (int64_t)u->parent, (int64_t)u->depth,
               u->name, u->path, (int64_t)u->times, (int64_t)u->launches, (int64_t)u->untimed,
               (int64_t)u->copies, (int64_t)u->bytes, (int64_t)u->cycles,
               (int64_t)u->warp_instructions, u->seconds, u->copy_s, u->energy_j, u->dynamic_j,
               u->static_j, u->own_s, u->own_j);
    }
    sqlite3_finalize(q);
}

static void put_counters(struct writer *w, sqlite3_stmt *s, int64_t launch,
                         const struct activity *a) {
    for (uint32_t k = 0; k < act_rows(); k++)
        for (uint32_t i = 0; i < act_row(k)->n; i++)
            if (a->c[act_row(k)->first + i])
                insert(w, s, "itii", launch, act_row(k)->name, (int64_t)i,
                       (int64_t)a->c[act_row(k)->first + i]);
}

static void put_usage(struct writer *w, sqlite3_stmt *s, int64_t launch, const struct account *p,
                      const struct power_usage *u) {
    const struct power_tree *const t = p->tree;
    for (int i = 0; i < t->components; i++)
        if (u->dynamic_j[i] != 0 || u->static_j[i] != 0)
            insert(w, s, "ittdddd", launch, t->component[i].name,
                   t->component[i].parent < 0 ? NULL : t->component[t->component[i].parent].name,
                   u->dynamic_j[i], u->static_j[i], u->leak_sub_j[i], u->leak_gate_j[i]);
}

static void put_intervals(struct writer *w, sqlite3_stmt *row, sqlite3_stmt *counter,
                          const struct account *p, const struct activity_kernel *k) {
    for (uint32_t v = 0; v < k->n_intervals; v++) {
        const struct activity_interval *iv = &k->interval[v];
        struct power_usage u;
        if (!account_interval(p, k, v, &u)) continue; // of no cycles
        insert(w, row, "iiidddd", (int64_t)k->launch, (int64_t)iv->from, (int64_t)iv->to, u.seconds,
               u.energy_j, u.all_dynamic_j[0], u.all_static_j[0]);
        for (uint32_t c = 0; c < act_rows(); c++)
            for (uint32_t i = 0; i < act_row(c)->n; i++)
                if (iv->activity.c[act_row(c)->first + i])
                    insert(w, counter, "iitii", (int64_t)k->launch, (int64_t)iv->from,
                           act_row(c)->name, (int64_t)i,
                           (int64_t)iv->activity.c[act_row(c)->first + i]);
    }
}

static void put_launches(struct writer *w, const struct view_input *in) {
    sqlite3_stmt *const row = prepare(
        w, "insert into launches values(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    sqlite3_stmt *const counter = prepare(w, "insert into counters values(?,?,?,?)"),
                        *const part = prepare(w, "insert into components values(?,?,?,?,?,?,?)"),
                        *const interval = prepare(w, "insert into intervals values(?,?,?,?,?,?,?)"),
                        *const count =
                            prepare(w, "insert into interval_counters values(?,?,?,?,?)");
    const struct account *const p = in->power;
    uint32_t k = 0;
    size_t i;
    json_t *l;
    json_array_foreach(in->run->launches, i, l) {
        const int64_t id = whole(l, "id");
        while (p && k < p->n && (int64_t)p->kernel[k].kernel->launch < id) k++;
        const struct account_kernel *a =
            p && k < p->n && (int64_t)p->kernel[k].kernel->launch == id ? &p->kernel[k] : NULL;
        insert(w, row,
               "iitt"
               "iiiiii"
               "iii"
               "ii"
               "dd"
               "iii"
               "ditddddd",
               id, (int64_t)run_launches(l), text_of(l, "kernel"), text_of(l, "module"),
               at(l, "grid", 0), at(l, "grid", 1), at(l, "grid", 2), at(l, "block", 0),
               at(l, "block", 1), at(l, "block", 2), whole(l, "registers"),
               whole(l, "shared_bytes"), whole(l, "local_bytes"),
               (int64_t)json_is_true(json_object_get(l, "functional")), whole(l, "status"),
               real(l, "start_s"), real(l, "seconds"), whole(l, "cycles"),
               whole(l, "warp_instructions"), whole(l, "thread_instructions"),
               real(l, "achieved_warps"), whole(l, "occupancy_warps"),
               text_of(l, "occupancy_limit"), a ? a->usage.energy_j : 0.0,
               a ? a->usage.all_dynamic_j[0] : 0.0, a ? a->usage.all_static_j[0] : 0.0,
               run_half_cycles(l), run_half_j(l, a ? a->usage.energy_j : 0.0));
        if (!a) continue;
        put_counters(w, counter, id, &a->kernel->activity);
        put_usage(w, part, id, p, &a->usage);
        put_intervals(w, interval, count, p, a->kernel);
    }
    if (p && p->gaps.seconds > 0) put_usage(w, part, 0, p, &p->gaps); // launch 0: between kernels
    sqlite3_finalize(row);
    sqlite3_finalize(counter);
    sqlite3_finalize(part);
    sqlite3_finalize(interval);
    sqlite3_finalize(count);
}

// What warps did that were watched (--warps), a row a state.
static void put_warps(struct writer *w, const struct view_input *in) {
    enum { WARP, FROM, TO, STATE, PC, LANES, RESIDENT };
    sqlite3_stmt *const row = prepare(w, "insert into warps values(?,?,?,?,?,?,?,?,?,?)");
    size_t i, k;
    json_t *l, *s;
    json_array_foreach(in->run->launches, i, l) {
        const json_t *const watched = json_object_get(l, "warps"),
                           *const states = json_object_get(watched, "states"),
                           *const residents = json_object_get(watched, "residents");
        json_array_foreach(json_object_get(watched, "spans"), k, s) {
            int64_t v[RESIDENT + 1];
            for (size_t c = 0; c <= RESIDENT; c++) v[c] = json_integer_value(json_array_get(s, c));
            const json_t *const who = json_array_get(residents, (size_t)v[RESIDENT]);
            insert(w, row, "iiiiitiiii", whole(l, "id"), whole(watched, "sm"), v[WARP], v[FROM],
                   v[TO], json_string_value(json_array_get(states, (size_t)v[STATE])), v[PC],
                   v[LANES], (int64_t)json_integer_value(json_array_get(who, 0)),
                   (int64_t)json_integer_value(json_array_get(who, 1)));
        }
    }
    sqlite3_finalize(row);
}

static void put_codes(struct writer *w, const struct view_codes *codes) {
    sqlite3_stmt *const row = prepare(w, "insert into instructions values(?,?,?,?,?,?,?,?,?,?,?,?"
#define INST_MEMORY(name, unit, prose) ",?"
#include "sm/inst_memory.def"
#undef INST_MEMORY
                                         ")"),
                        *const stall = prepare(w, "insert into stalls values(?,?,?,?)"),
                        *const idle = prepare(w, "insert into idle values(?,?,?,?,?)");
    for (uint32_t c = 0; c < codes->n; c++) {
        const struct view_code *const code = &codes->at[c];
        const int64_t id = whole(code->source, "id");
        insert(w, idle, "itidd", id, code->kernel, (int64_t)code->launches, code->seconds,
               code->idle_j);
        for (uint32_t i = 0; i < code->n; i++) {
            const struct view_inst *const v = &code->inst[i];
            char key[16];
            snprintf(key, sizeof key, "%u", v->src_file);
            insert(w, row, "itittitiiidd"
#define INST_MEMORY(name, unit, prose) "i"
#include "sm/inst_memory.def"
#undef INST_MEMORY
                   ,
                   id, code->kernel, (int64_t)v->pc, v->text,
                   op_class_text((enum op_class)v->klass), (int64_t)v->ptx_line,
                   text_of(json_object_get(code->source, "files"), key), (int64_t)v->src_line,
                   (int64_t)v->issues, (int64_t)v->lanes, v->dynamic_j, v->static_j
#define INST_MEMORY(name, unit, prose) , (int64_t)v->memory.name
#include "sm/inst_memory.def"
#undef INST_MEMORY
            );
            for (uint32_t s = 0; s < STALL_N; s++)
                if (v->stall[s])
                    insert(w, stall, "iiti", id, (int64_t)v->pc, stall_text((enum stall_reason)s),
                           (int64_t)v->stall[s]);
        }
    }
    sqlite3_finalize(row);
    sqlite3_finalize(stall);
    sqlite3_finalize(idle);
}

enum ww_status database_write(struct arena *a, const struct view_input *in, const char *path,
                              struct diags *d) {
    const char *const tmp = arena_printf(a, "%s.tmp", path);
    unlink(tmp);
    struct writer w = {.code = SQLITE_OK};
    w.code = sqlite3_open(tmp, &w.db);
    run_sql(&w, "pragma journal_mode = off; pragma synchronous = off; begin");
    for (size_t i = 0; i < WW_COUNT(tables); i++) run_sql(&w, tables[i]);
    put_run(&w, in);
    put_how(&w, json_object_get(in->run->header, "run"));
    put_savings(&w, in->power);
    put_steps(&w, a, in);
    put_ranges(&w, a, in);
    put_launches(&w, in);
    put_warps(&w, in);
    const struct view_codes codes = blame_run(a, in);
    put_codes(&w, &codes);
    run_sql(&w, "commit");
    enum ww_status s = WW_OK;
    if (w.code != SQLITE_OK)
        s = diag_add(d, WW_ERROR_IO, "cannot write %s: %s", path, sqlite3_errmsg(w.db));
    sqlite3_close(w.db);
    errno = 0;
    if (s == WW_OK && rename(tmp, path) != 0)
        s = diag_add(d, WW_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
    if (s != WW_OK) unlink(tmp);
    return s;
}
