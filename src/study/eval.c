// Expressions of a study. SQLite computes them: an expression is what may stand behind SELECT, and
// what it computes from are columns of one virtual table with one row, whose columns are the
// study's metrics, a few figures of a run, and every counter by its name. A column is computed when
// it is asked for, in the scope (workload, configuration, kernel) that holds then; functions change
// the scope for an expression of their own (kernel, other, at, average...).
#include "activity/stall.h"
#include "isa/op_class.h"
#include "gpu/technique.h"
#include "study/study.h"

#include "power/check.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <strings.h>

enum { EVAL_MAX_DEPTH = 40, EVAL_MAX_COLUMNS = 1900 };

// What a run is asked for by name. In the order of enum builtin.
#define BUILTINS(X)                                                                                \
    X(cycles, "core cycles of the kernels")                                                        \
    X(half_cycles, "half of their 95 % interval, where `run --sample` estimated some; else 0")     \
    X(half_j, "the same of energy_j, as though all of it grew with the cycles")                    \
    X(seconds, "time of the kernels")                                                              \
    X(launches, "launches of kernels")                                                             \
    X(copies, "copies between host and device")                                                    \
    X(copied_bytes, "bytes that they moved")                                                       \
    X(copy_seconds, "time that they took")                                                         \
    X(end_seconds, "time of the whole run, copies and gaps too")                                   \
    X(host_seconds, "what simulating it took")                                                     \
    X(energy_j, "energy of chip and board while kernels ran")                                      \
    X(power_w, "energy_j / seconds")                                                               \
    X(power_low_w, "power_w, the lower end of its 90 % interval (docs/power.md)")                  \
    X(power_high_w, "power_w, the upper end of its 90 % interval")                                 \
    X(core_mhz,                                                                                    \
      "core clock: the configuration's, or a lower one that keeps the board within its power "     \
      "limit")                                                                                     \
    X(i, "number of the row, in a figure over numbers")
enum builtin {
#define X(name, prose) BUILTIN_##name,
    BUILTINS(X)
#undef X
        BUILTIN_N
};
static const char *const builtin_prose[] = {
#define X(name, prose) prose,
    BUILTINS(X)
#undef X
};
static const char *const builtin_name[] = {
#define X(name, prose) #name,
    BUILTINS(X)
#undef X
};

enum column_kind { COLUMN_METRIC, COLUMN_BUILTIN, COLUMN_COUNTER };
struct column {
    const char *name;
    enum column_kind kind;
    uint32_t index;
};

struct eval {
    struct arena *arena;
    const struct study *study;
    struct power_check *circuit; // our circuit models at published points; NULL until asked for
    unsigned circuits;
    sqlite3 *db;
    const struct gpu_config *const *gpu; // [configurations]
    struct watts **watts;         // [configurations], NULL: not covered
    const char *note;
    struct column *column;
    uint32_t columns;
    bool dry, *needed;
    const struct result *results;
    const struct limited *const *limited; // [as results], NULL: of a board without a limit
    const struct study_choice *choice; // NULL: none
    struct eval_scope scope;
    double *memo; // [metrics][workloads + 1][configurations + 1]
    bool *memo_set;
    const char **memo_left_out; // [as memo]
    const char *left_out;       // what the means of this expression are without; NULL: nothing
    int depth;
    // the innermost sentence of a failure
    char error[600];
    struct mark error_at;
};

// ---- values in a scope ------------------------------------------------------------------------
struct value {
    double v;
    bool ok; // false: eval.error says why
};
static struct value number(double v) { return (struct value){v, true}; }
static struct value wrong(struct eval *e, const char *fmt, ...) WW_PRINTF(2, 3);
static struct value wrong(struct eval *e, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (!e->error[0]) vsnprintf(e->error, sizeof e->error, fmt, ap);
    va_end(ap);
    return (struct value){NAN, false};
}

// The run that the scope names; NULL when it is not there (or dry).
static const struct result *scope_result(struct eval *e, struct value *v, const char *what) {
    const struct eval_scope *s = &e->scope;
    *v = number(NAN);
    if (s->workload < 0 || s->configuration < 0) {
        *v = wrong(e,
                   "`%s` needs a run, but there is no %s here: use average(...) or at('workload', "
                   "'configuration', ...)",
                   what, s->workload < 0 ? "workload" : "configuration");
        return NULL;
    }
    const size_t at = (size_t)s->workload * e->study->configuration.n + (size_t)s->configuration;
    if (e->dry) {
        if (e->needed) e->needed[at] = true;
        *v = number(1);
        return NULL;
    }
    return e->results && e->results[at].there ? &e->results[at] : NULL;
}

static const char *scope_pattern(const struct eval *e) {
    return e->scope.kernel ? e->scope.kernel : e->study->workload.at[e->scope.workload].kernel;
}

// Sums the kernels of the scope. False when none matches.
static bool scope_kernels(struct eval *e, const struct result *r, struct kernel_result *sum) {
    const char *pattern = scope_pattern(e);
    const bool any = result_kernels(r, pattern, sum);
    if (!pattern) return any;
    if (sum->launches == 0 && !e->note) {
        char names[400] = "";
        for (uint32_t i = 1; i < r->n_kernels; i++) {
            const size_t n = strlen(names);
            snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", r->kernel[i].name);
        }
        e->note = arena_printf(e->arena, "%s ran no kernel `%s` (it ran %s)",
                               e->study->workload.at[e->scope.workload].name, pattern, names);
    }
    return sum->launches > 0;
}

// What is said of the clock of the scope's run; NULL: nothing.
static const struct limited *scope_limited(const struct eval *e) {
    const struct eval_scope *const s = &e->scope;
    if (!e->limited || s->workload < 0 || s->configuration < 0) return NULL;
    return e->limited[(size_t)s->workload * e->study->configuration.n + (size_t)s->configuration];
}

static struct value energy(struct eval *e, const char *component, int part);

static struct value builtin(struct eval *e, enum builtin b) {
    if (b == BUILTIN_energy_j) return energy(e, "", 2);
    if (b == BUILTIN_power_low_w) return energy(e, "", 4);
    if (b == BUILTIN_power_high_w) return energy(e, "", 5);
    if (b == BUILTIN_core_mhz && e->scope.configuration >= 0 && e->scope.workload < 0)
        return number(gpu_config_real(e->gpu[e->scope.configuration], "clocks.core_mhz"));
    if (b == BUILTIN_i)
        return e->scope.element
                   ? number(e->scope.element - 1)
                   : wrong(e, "`i` is the row's number, and the rows here are no numbers");
    struct value v;
    const struct result *r = scope_result(e, &v, builtin_name[b]);
    if (!r) return v;
    struct kernel_result k;
    if (!scope_kernels(e, r, &k)) return number(NAN);
    switch (b) {
    case BUILTIN_cycles: return number(k.cycles);
    case BUILTIN_half_cycles: return number(k.half_cycles);
    case BUILTIN_half_j: {
        const struct value j = energy(e, "", 2);
        return j.ok ? number(j.v * k.half_cycles / k.cycles) : j;
    }
    case BUILTIN_seconds: return number(k.seconds);
    case BUILTIN_launches: return number(k.launches);
    case BUILTIN_copies: return number(r->copies);
    case BUILTIN_copied_bytes: return number(r->copied_bytes);
    case BUILTIN_copy_seconds: return number(r->copy_seconds);
    case BUILTIN_end_seconds: return number(r->end_seconds);
    case BUILTIN_host_seconds: return number(r->host_seconds);
    case BUILTIN_core_mhz: {
        const struct limited *const l = scope_limited(e);
        return number(l ? l->core_mhz
                        : gpu_config_real(e->gpu[e->scope.configuration], "clocks.core_mhz"));
    }
    case BUILTIN_power_w: {
        const struct value j = energy(e, "", 2);
        return j.ok ? number(j.v / k.seconds) : j;
    }
    default: return number(NAN);
    }
}

static struct value counter(struct eval *e, uint32_t row, int64_t element) {
    struct value v;
    const struct result *r = scope_result(e, &v, act_row(row)->name);
    if (!r) return v;
    struct kernel_result k;
    if (!scope_kernels(e, r, &k)) return number(NAN);
    double sum = 0;
    for (uint32_t i = 0; i < act_row(row)->n; i++)
        if (element < 0 || element == (int64_t)i)
            sum += (double)k.activity.c[act_row(row)->first + i];
    return number(sum);
}

// ---- power ------------------------------------------------------------------------------------
static struct value component_of(struct eval *e, const char *name, const struct watts **w,
                                 int *component) {
    const int c = e->scope.configuration;
    if (c < 0)
        return wrong(e, "energy and area need a configuration, and there is none here: use "
                        "other('configuration', ...)");
    const struct limited *const l = scope_limited(e);
    *w = l ? l->watts : e->watts[c];
    *component = -1;
    if (!*w) return number(NAN);
    *component = watts_component(*w, name);
    if (*component >= 0) return number(0);
    const char *names[128];
    size_t n = 0;
    for (; n < WW_COUNT(names) && watts_name(*w, (int)n); n++) names[n] = watts_name(*w, (int)n);
    const int near = text_nearest(name, names, n);
    if (near >= 0)
        return wrong(e, "the power model of %s has no component `%s`; did you mean `%s`?",
                     gpu_config_name(e->gpu[c]), name, names[near]);
    return wrong(e, "the power model of %s has no component `%s`; `warpwatt chip -g %s` lists them",
                 gpu_config_name(e->gpu[c]), name, gpu_config_name(e->gpu[c]));
}

// part 0: dynamic, 1: static, 2: both, 3: leakage through gates; ends of the interval of the power:
// 4, 5
static struct value energy(struct eval *e, const char *component, int part) {
    const struct watts *w = NULL;
    int at;
    struct value v = component_of(e, component, &w, &at);
    if (!v.ok) return v;
    const struct result *r = scope_result(e, &v, "energy");
    if (!r || at < 0) return v;
    struct kernel_result k;
    struct watts_joules j;
    if (!scope_kernels(e, r, &k) || !watts_run(w, &k.activity, k.seconds, at, &j))
        return number(NAN);
    const double all_j = j.dynamic_j + j.static_j;
    const double of[] = {j.dynamic_j, j.static_j, all_j, j.gate_j, j.low_w, j.high_w};
    return number(of[part]);
}

static struct value figure_of(struct eval *e, const char *component, enum watts_figure what) {
    const struct watts *w = NULL;
    int at;
    const struct value v = component_of(e, component, &w, &at);
    return v.ok && at >= 0 ? number(watts_of(w, at, what)) : v.ok ? number(NAN) : v;
}

// ---- expressions ------------------------------------------------------------------------------
static struct value run_expr(struct eval *e, const char *expr);

// `names` and `name`, which stands in it once.
static const char *with_name(struct arena *a, const char *names, const char *name) {
    const size_t n = strlen(name);
    for (const char *p = names; p && (p = strstr(p, name)); p += n) {
        const bool begins = p == names || (p >= names + 2 && memcmp(p - 2, ", ", 2) == 0);
        if (begins && (p[n] == 0 || p[n] == ',')) return names;
    }
    return names ? arena_printf(a, "%s, %s", names, name) : name;
}

// `names` and those of `more`, which commas divide.
static const char *with_names(struct arena *a, const char *names, const char *more) {
    while (more && *more) {
        const char *const end = strstr(more, ", ");
        const int n = end ? (int)(end - more) : (int)strlen(more);
        names = with_name(a, names, arena_printf(a, "%.*s", n, more));
        more = end ? end + 2 : NULL;
    }
    return names;
}

static struct value metric(struct eval *e, uint32_t index) {
    const struct study_metric *m = &e->study->metric.at[index];
    const size_t nc = e->study->configuration.n + 1, nw = e->study->workload.n + 1;
    const size_t at = ((size_t)index * nw + (size_t)(e->scope.workload + 1)) * nc +
                      (size_t)(e->scope.configuration + 1);
    const bool plain = !e->scope.kernel && !e->scope.element;
    if (plain && e->memo_set[at]) {
        e->left_out = with_names(e->arena, e->left_out, e->memo_left_out[at]);
        return number(e->memo[at]);
    }
    const char *const before = e->left_out;
    e->left_out = NULL;
    const struct value v = run_expr(e, m->expr);
    const char *const own = e->left_out;
    e->left_out = with_names(e->arena, before, own);
    if (!v.ok && !e->error_at.line) e->error_at = m->at;
    if (v.ok && plain) {
        e->memo[at] = v.v;
        e->memo_left_out[at] = own;
        e->memo_set[at] = true;
    }
    return v;
}

static struct value column(struct eval *e, uint32_t at) {
    const struct column *c = &e->column[at];
    switch (c->kind) {
    case COLUMN_METRIC: return metric(e, c->index);
    case COLUMN_BUILTIN: return builtin(e, (enum builtin)c->index);
    case COLUMN_COUNTER: return counter(e, c->index, -1);
    }
    return number(NAN);
}

static void explain(struct eval *e, const char *message) {
    if (e->error[0]) return;
    static const char no_column[] = "no such column: ", no_function[] = "no such function: ";
    if (strncmp(message, no_column, sizeof no_column - 1) == 0) {
        const char *name = message + sizeof no_column - 1;
        const char **names = arena_alloc(e->arena, e->columns * sizeof *names);
        for (uint32_t i = 0; i < e->columns; i++) names[i] = e->column[i].name;
        const int near = text_nearest(name, names, e->columns);
        if (near >= 0)
            wrong(e, "there is no metric or counter `%s`; did you mean `%s`?", name, names[near]);
        else
            wrong(e, "there is no metric or counter `%s`", name);
    } else if (strncmp(message, no_function, sizeof no_function - 1) == 0) {
        wrong(e, "there is no function `%s`; docs/add-a-study.md lists them",
              message + sizeof no_function - 1);
    } else {
        wrong(e, "%s", message);
    }
}

static struct value run_expr(struct eval *e, const char *expr) {
    if (++e->depth > EVAL_MAX_DEPTH) {
        e->depth--;
        return wrong(e, "metrics refer to each other in a circle");
    }
    char *sql = sqlite3_mprintf("SELECT (%s\n) FROM here", expr);
    sqlite3_stmt *q = NULL;
    const char *rest = "";
    struct value v = number(NAN);
    if (!sql || sqlite3_prepare_v2(e->db, sql, -1, &q, &rest) != SQLITE_OK || !q) {
        explain(e, sqlite3_errmsg(e->db));
        v.ok = false;
    } else if (*rest) {
        v = wrong(e, "only one expression can stand here, not `%s`", rest);
    } else if (sqlite3_step(q) != SQLITE_ROW) {
        explain(e, sqlite3_errmsg(e->db));
        v.ok = false;
    } else if (sqlite3_column_type(q, 0) == SQLITE_TEXT) {
        v = wrong(e,
                  "the value is the text '%s'; it must be a number (names of counters stand "
                  "without quotes)",
                  (const char *)sqlite3_column_text(q, 0));
    } else if (sqlite3_column_type(q, 0) != SQLITE_NULL) {
        v.v = sqlite3_column_double(q, 0);
    }
    sqlite3_finalize(q);
    sqlite3_free(sql);
    e->depth--;
    return v;
}

// ---- functions --------------------------------------------------------------------------------
static void answer(sqlite3_context *c, struct eval *e, struct value v) {
    if (!v.ok)
        sqlite3_result_error(c, e->error, -1);
    else if (isfinite(v.v))
        sqlite3_result_double(c, v.v);
    else
        sqlite3_result_null(c);
}

static const char *text_arg(sqlite3_value **arg, int n, int i) {
    const char *t = i < n ? (const char *)sqlite3_value_text(arg[i]) : NULL;
    return t ? t : "";
}

static struct value in_scope(struct eval *e, struct eval_scope s, const char *expr) {
    const struct eval_scope old = e->scope;
    e->scope = s;
    const struct value v = run_expr(e, expr);
    e->scope = old;
    return v;
}

// The configuration that the choice puts in this one's place.
static int chosen(const struct eval *e, int configuration) {
    return e->choice && configuration >= 0 ? e->choice->instead[configuration] : configuration;
}

static struct value find_scope(struct eval *e, const char *workload, const char *configuration,
                               struct eval_scope *out) {
    *out = e->scope;
    out->kernel = NULL;
    if (workload && (out->workload = study_find_workload(e->study, workload)) < 0)
        return wrong(e, "this study has no workload `%s`", workload);
    if (configuration &&
        (out->configuration = study_find_configuration(e->study, configuration)) < 0)
        return wrong(e, "this study has no configuration `%s`", configuration);
    if (configuration) out->configuration = chosen(e, out->configuration);
    if (!workload) out->kernel = e->scope.kernel;
    return number(0);
}

enum fold { FOLD_AVERAGE, FOLD_GEOMEAN, FOLD_TOTAL, FOLD_LOWEST, FOLD_HIGHEST, FOLD_COUNT };
static struct value fold(struct eval *e, enum fold how, const char *expr, const char *group_name) {
    const struct study_group *g = *group_name ? study_find_group(e->study, group_name) : NULL;
    if (*group_name && !g) return wrong(e, "this study has no group `%s`", group_name);
    double sum = 0, low = INFINITY, high = -INFINITY;
    uint32_t n = 0;
    const bool is_mean = how == FOLD_AVERAGE || how == FOLD_GEOMEAN;
    const char *without = NULL;
    for (uint32_t i = 0; i < (g ? g->member.n : e->study->workload.n); i++) {
        const struct eval_scope s = {.workload = g ? study_find_workload(e->study, g->member.at[i])
                                                   : (int)i,
                                     .configuration = e->scope.configuration,
                                     .element = e->scope.element};
        const struct value v = in_scope(e, s, expr);
        if (!v.ok) return v;
        if (!isfinite(v.v) || (how == FOLD_GEOMEAN && v.v <= 0)) {
            const char *const name = e->study->workload.at[s.workload].name;
            if (is_mean)
                without = with_name(e->arena, without,
                                    isfinite(v.v) ? arena_printf(e->arena, "%s (not above 0)", name)
                                                  : name);
            continue;
        }
        sum += how == FOLD_GEOMEAN ? log(v.v) : v.v;
        low = fmin(low, v.v);
        high = fmax(high, v.v);
        n++;
    }
    if (how == FOLD_COUNT) return number(n);
    if (!n) return number(NAN);
    e->left_out = with_names(e->arena, e->left_out, without);
    switch (how) {
    case FOLD_AVERAGE: return number(sum / n);
    case FOLD_GEOMEAN: return number(exp(sum / n));
    case FOLD_LOWEST: return number(low);
    case FOLD_HIGHEST: return number(high);
    default: return number(sum);
    }
}

static struct value published(struct eval *e, const char *name, const char *workload,
                              const char *configuration) {
    if (!*workload && e->scope.workload >= 0)
        workload = e->study->workload.at[e->scope.workload].name;
    if (!*configuration && e->scope.configuration >= 0) {
        const struct study_configuration *all = e->study->configuration.at,
                                         *c = &all[e->scope.configuration];
        configuration = e->choice && c->stands_for >= 0 ? all[c->stands_for].name : c->name;
    }
    bool known = false;
    for (uint32_t i = 0; i < e->study->published.n; i++) {
        const struct published_row *r = &e->study->published.at[i];
        if (strcmp(r->metric, name) != 0) continue;
        known = true;
        if (strcmp(r->workload, workload) == 0 && strcmp(r->configuration, configuration) == 0)
            return number(r->number);
    }
    return known ? number(NAN)
                 : wrong(e, "no published value of this study has the metric '%s'", name);
}

// An element of an array counter: by number, or by name where the elements have names (operation
// classes, owners of issue slots). -1: no such element.
static int64_t element_of(uint32_t row, sqlite3_value *v) {
    static const char *const class_name[] = {
#define OPC(name, unit, prose) #name,
#include "isa/op_class.def"
#undef OPC
    };
    const char *name = (const char *)sqlite3_value_text(v);
    if (!name || sqlite3_value_type(v) != SQLITE_TEXT) {
        const int64_t i = sqlite3_value_int64(v);
        return i >= 0 && i < act_row(row)->n ? i : -1;
    }
    const bool classes = act_entries(row) == ACT_BY_CLASS, slots = act_entries(row) == ACT_BY_STALL;
    for (uint32_t i = 0; classes && i < OPC_N; i++)
        if (strcmp(class_name[i], name) == 0) return i;
    for (uint32_t i = 0; slots && i < STALL_N; i++)
        if (strcmp(stall_text((enum stall_reason)i), name) == 0) return i;
    return -1;
}

static struct value no_element(struct eval *e, uint32_t row, sqlite3_value *v) {
    const char *name = (const char *)sqlite3_value_text(v);
    return wrong(e, "counter `%s` has no element `%s`; it has 0 to %u", act_row(row)->name,
                 name ? name : "", act_row(row)->n - 1);
}

enum histogram { HISTOGRAM_PART, HISTOGRAM_WEIGHTED, HISTOGRAM_HIGHEST };
static void histogram(sqlite3_context *c, int n, sqlite3_value **arg, enum histogram what) {
    struct eval *e = sqlite3_user_data(c);
    const char *name = text_arg(arg, n, 0);
    const int row = act_find(name);
    if (row < 0) {
        answer(c, e, wrong(e, "there is no counter `%s`", name));
        return;
    }
    const int64_t last = act_row(row)->n - 1, from = n > 1 ? sqlite3_value_int64(arg[1]) : 0,
                  to = n > 2 ? sqlite3_value_int64(arg[2]) : last;
    if (from < 0 || to > last || from > to) {
        answer(c, e,
               wrong(e, "counter `%s` has elements 0 to %lld, not %lld to %lld", name,
                     (long long)last, (long long)from, (long long)to));
        return;
    }
    double sum = 0;
    for (int64_t i = from; i <= to; i++) {
        const struct value v = counter(e, (uint32_t)row, i);
        if (!v.ok || !isfinite(v.v)) {
            answer(c, e, v);
            return;
        }
        if (what == HISTOGRAM_HIGHEST)
            sum = v.v > 0 ? (double)i : sum;
        else
            sum += what == HISTOGRAM_PART ? v.v : (double)i * v.v;
    }
    answer(c, e, number(sum));
}
static void f_part(sqlite3_context *c, int n, sqlite3_value **arg) {
    histogram(c, n, arg, HISTOGRAM_PART);
}
static void f_weighted(sqlite3_context *c, int n, sqlite3_value **arg) {
    histogram(c, n, arg, HISTOGRAM_WEIGHTED);
}
static void f_highest_element(sqlite3_context *c, int n, sqlite3_value **arg) {
    histogram(c, n, arg, HISTOGRAM_HIGHEST);
}

static void f_act(sqlite3_context *c, int n, sqlite3_value **arg) {
    struct eval *e = sqlite3_user_data(c);
    const char *name = text_arg(arg, n, 0);
    const int row = act_find(name);
    struct value v;
    if (row < 0) {
        const char **names = arena_alloc(e->arena, act_rows() * sizeof *names);
        for (uint32_t i = 0; i < act_rows(); i++) names[i] = act_row(i)->name;
        const int near = text_nearest(name, names, act_rows());
        v = near >= 0 ? wrong(e, "there is no counter `%s`; did you mean `%s`?", name, names[near])
                      : wrong(e, "there is no counter `%s`", name);
    } else if (n > 1 && element_of((uint32_t)row, arg[1]) < 0) {
        v = no_element(e, (uint32_t)row, arg[1]);
    } else {
        v = counter(e, (uint32_t)row, n > 1 ? element_of((uint32_t)row, arg[1]) : -1);
    }
    answer(c, e, v);
}

#define ENERGY_FUNCTION(name, part)                                                                \
    static void name(sqlite3_context *c, int n, sqlite3_value **arg) {                             \
        struct eval *e = sqlite3_user_data(c);                                                     \
        answer(c, e, energy(e, text_arg(arg, n, 0), part));                                        \
    }
ENERGY_FUNCTION(f_dynamic, 0)
ENERGY_FUNCTION(f_static, 1)
ENERGY_FUNCTION(f_energy, 2)
ENERGY_FUNCTION(f_gate, 3)
#define CHIP_FUNCTION(name, what)                                                                  \
    static void name(sqlite3_context *c, int n, sqlite3_value **arg) {                             \
        struct eval *e = sqlite3_user_data(c);                                                     \
        answer(c, e, figure_of(e, text_arg(arg, n, 0), what));                                     \
    }
CHIP_FUNCTION(f_area, WATTS_AREA_MM2)
CHIP_FUNCTION(f_leak, WATTS_LEAK_W)
CHIP_FUNCTION(f_gate_leak, WATTS_GATE_LEAK_W)
CHIP_FUNCTION(f_peak, WATTS_PEAK_W)
CHIP_FUNCTION(f_constant, WATTS_CONSTANT_W)
CHIP_FUNCTION(f_design, WATTS_DESIGN_W)
CHIP_FUNCTION(f_idle, WATTS_IDLE_W)
static void f_added(sqlite3_context *c, int n, sqlite3_value **arg) {
    struct eval *e = sqlite3_user_data(c);
    const char *component = text_arg(arg, n, 0);
    const struct watts *w = NULL;
    int at;
    struct value v = component_of(e, component, &w, &at);
    const struct result *r = v.ok ? scope_result(e, &v, "added_mm2") : NULL;
    struct kernel_result k;
    if (r && w) v = number(scope_kernels(e, r, &k)
                               ? watts_added_mm2(w, &k.activity, k.seconds, component,
                                                  text_arg(arg, n, 1))
                               : NAN);
    answer(c, e, v);
}

// ---- a configuration beside others of its GPU
static bool same_machine(const struct study_configuration *x, const struct study_configuration *y) {
    if (strcmp(x->gpu, y->gpu) != 0 || x->n_set != y->n_set || x->n_options != y->n_options)
        return false;
    for (uint32_t i = 0; i < x->n_set; i++)
        if (strcmp(x->set[i], y->set[i]) != 0) return false;
    for (uint32_t i = 0; i < x->n_options; i++)
        if (strcmp(x->option[i], y->option[i]) != 0) return false;
    return true;
}

// The first configuration with the GPU and the keys of the scope's, with a policy (NULL: any). -1:
// none.
static int beside_it(struct eval *e, const char *policy) {
    const struct study *const s = e->study;
    const struct study_configuration *const here = &s->configuration.at[e->scope.configuration];
    for (uint32_t i = 0; i < s->configuration.n; i++) {
        const struct study_configuration *const k = &s->configuration.at[i];
        if (same_machine(here, k) && (!policy || strcmp(k->policy, policy) == 0)) return (int)i;
    }
    return -1;
}

static void f_baseline(sqlite3_context *c, int n, sqlite3_value **arg) {
    struct eval *e = sqlite3_user_data(c);
    struct eval_scope s = e->scope;
    if (s.configuration < 0) {
        answer(c, e, wrong(e, "baseline needs a configuration: use other('configuration', ...)"));
        return;
    }
    s.configuration = beside_it(e, NULL); // itself, if nothing comes before it
    answer(c, e, in_scope(e, s, text_arg(arg, n, 0)));
}

// The product of an expression over the techniques of the configuration, each in the one that runs
// it alone.
static void f_alone(sqlite3_context *c, int n, sqlite3_value **arg) {
    struct eval *e = sqlite3_user_data(c);
    struct value v = number(1);
    if (e->scope.configuration < 0)
        v = wrong(e, "alone needs a configuration: use other('configuration', ...)");
    char *list = v.ok ? arena_strdup(
                            e->arena, e->study->configuration.at[e->scope.configuration].policy)
                      : NULL;
    for (char *one; v.ok && (one = strsep(&list, "+"));) {
        struct eval_scope s = e->scope;
        s.configuration = beside_it(e, one);
        const struct value x =
            s.configuration >= 0
                ? in_scope(e, s, text_arg(arg, n, 0))
                : wrong(e, "no configuration of the same GPU and keys runs `%s` alone", one);
        v = x.ok ? number(v.v * x.v) : x;
    }
    answer(c, e, v);
}

// Whether a technique (or several, with `+` between) runs beside those of the configuration.
static void f_goes_with(sqlite3_context *c, int n, sqlite3_value **arg) {
    struct eval *e = sqlite3_user_data(c);
    if (e->scope.configuration < 0) {
        answer(c, e, wrong(e, "goes_with needs a configuration: use other('configuration', ...)"));
        return;
    }
    const struct study_configuration *const k =
        &e->study->configuration.at[e->scope.configuration];
    const bool plain = strcmp(k->policy, "none") == 0;
    const char *const other = text_arg(arg, n, 0);
    struct gpu_config *const gpu = gpu_config_new(e->arena);
    struct diags d;
    diags_init(&d);
    const bool alone = technique_configure(k->gpu, other, NULL, 0, &d, gpu, NULL) == WW_OK;
    char why[600] = "";
    if (!alone) diags_first(&d, why, sizeof why);
    diags_free(&d);
    diags_init(&d);
    const char *const both = plain ? other : arena_printf(e->arena, "%s+%s", k->policy, other);
    const bool is = technique_configure(k->gpu, both, k->set, k->n_set, &d, gpu, NULL) == WW_OK;
    diags_free(&d);
    answer(c, e, alone ? number(is) : wrong(e, "goes_with('%s'): %s", other, why));
}

#define FOLD_FUNCTION(name, how)                                                                   \
    static void name(sqlite3_context *c, int n, sqlite3_value **arg) {                             \
        struct eval *e = sqlite3_user_data(c);                                                     \
        answer(c, e, fold(e, how, text_arg(arg, n, 0), text_arg(arg, n, 1)));                      \
    }
FOLD_FUNCTION(f_average, FOLD_AVERAGE)
FOLD_FUNCTION(f_geomean, FOLD_GEOMEAN)
FOLD_FUNCTION(f_total, FOLD_TOTAL)
FOLD_FUNCTION(f_lowest, FOLD_LOWEST)
FOLD_FUNCTION(f_highest, FOLD_HIGHEST)
FOLD_FUNCTION(f_how_many, FOLD_COUNT)

static void f_config(sqlite3_context *c, int n, sqlite3_value **arg) {
    struct eval *e = sqlite3_user_data(c);
    const char *key = text_arg(arg, n, 0);
    char text[512];
    double v = NAN;
    if (e->scope.configuration < 0)
        answer(c, e, wrong(e, "config('%s') needs a configuration", key));
    else if (!gpu_config_get(e->gpu[e->scope.configuration], key, text, sizeof text))
        answer(c, e, wrong(e, "a GPU file has no key `%s`", key));
    else if (!text_to_double(text, &v))
        answer(c, e, wrong(e, "%s is `%s`, not a number", key, text));
    else
        answer(c, e, number(v));
}

static void f_event(sqlite3_context *c, int n, sqlite3_value **arg) {
    struct eval *e = sqlite3_user_data(c);
    const char *name = text_arg(arg, n, 0);
    const int row = act_find(name);
    if (row < 0)
        answer(c, e, wrong(e, "there is no counter `%s`", name));
    else if (e->scope.configuration < 0)
        answer(c, e, wrong(e, "event_j('%s') needs a configuration", name));
    else if (n > 1 && element_of((uint32_t)row, arg[1]) < 0)
        answer(c, e, no_element(e, (uint32_t)row, arg[1]));
    else if (!e->watts[e->scope.configuration])
        answer(c, e, number(NAN));
    else
        answer(
            c, e,
            number(watts_event_j(e->watts[e->scope.configuration],
                                 act_row(row)->first +
                                     (n > 1 ? (uint32_t)element_of((uint32_t)row, arg[1]) : 0))));
}

static void f_kernel(sqlite3_context *c, int n, sqlite3_value **arg) {
    struct eval *e = sqlite3_user_data(c);
    struct eval_scope s = e->scope;
    s.kernel = arena_strdup(e->arena, text_arg(arg, n, 0));
    answer(c, e, in_scope(e, s, text_arg(arg, n, 1)));
}

static void f_other(sqlite3_context *c, int n, sqlite3_value **arg) {
    struct eval *e = sqlite3_user_data(c);
    struct eval_scope s;
    const struct value v = find_scope(e, NULL, text_arg(arg, n, 0), &s);
    answer(c, e, v.ok ? in_scope(e, s, text_arg(arg, n, 1)) : v);
}

static void f_at(sqlite3_context *c, int n, sqlite3_value **arg) {
    struct eval *e = sqlite3_user_data(c);
    struct eval_scope s;
    const struct value v = find_scope(e, text_arg(arg, n, 0), text_arg(arg, n, 1), &s);
    answer(c, e, v.ok ? in_scope(e, s, text_arg(arg, n, 2)) : v);
}

// Our circuit models at the point of a published value (power/check.h), by the row's names.
static struct value circuit(struct eval *e, const char *workload, const char *configuration,
                            const char *metric_name) {
    if (!e->circuit) {
        e->circuit = arena_alloc(e->arena, POWER_CHECK_MAX * sizeof *e->circuit);
        e->circuits = power_check_arrays(e->circuit);
    }
    for (unsigned i = 0; i < e->circuits; i++) {
        const struct power_check *r = &e->circuit[i];
        if (strcmp(r->workload, workload) == 0 && strcmp(r->configuration, configuration) == 0 &&
            strcmp(r->metric, metric_name) == 0)
            return number(r->ours);
    }
    return wrong(
        e, "no circuit model has '%s' of '%s' at '%s'; `warpwatt reference circuits` lists them",
        metric_name, workload, configuration);
}

static void f_circuit(sqlite3_context *c, int n, sqlite3_value **arg) {
    struct eval *e = sqlite3_user_data(c);
    answer(c, e, circuit(e, text_arg(arg, n, 0), text_arg(arg, n, 1), text_arg(arg, n, 2)));
}

static void f_published(sqlite3_context *c, int n, sqlite3_value **arg) {
    struct eval *e = sqlite3_user_data(c);
    answer(c, e, published(e, text_arg(arg, n, 0), text_arg(arg, n, 1), text_arg(arg, n, 2)));
}

// name, arguments for the page, least and most arguments, function, prose
#define FUNCTIONS(X)                                                                               \
    X("act", "counter[, element]", 1, 2, f_act,                                                    \
      "a counter of the run, or one element of it (a number, or the name of an operation class "   \
      "or a slot's owner); a scalar counter's plain name does too")                                \
    X("part", "counter, from, to", 3, 3, f_part, "elements `from` to `to` of a counter, added up") \
    X("weighted", "counter, from, to", 3, 3, f_weighted,                                           \
      "the same, each times its number: `weighted('lanes_active', 0, 32)` is the sum of lanes")    \
    X("highest_element", "counter", 1, 1, f_highest_element,                                       \
      "number of the last element that is not 0")                                                  \
    X("energy", "[component]", 0, 1, f_energy,                                                     \
      "J while kernels ran, of a component with all below it; without one: of chip and board")     \
    X("dynamic_j", "[component]", 0, 1, f_dynamic, "its dynamic part")                             \
    X("static_j", "[component]", 0, 1, f_static, "its static part: leakage and constants")         \
    X("gate_leak_j", "[component]", 0, 1, f_gate, "of its static part, leakage through gates")     \
    X("area_mm2", "[component]", 0, 1, f_area, "area; needs no run")                               \
    X("leak_w", "[component]", 0, 1, f_leak, "leakage; needs no run")                              \
    X("gate_leak_w", "[component]", 0, 1, f_gate_leak,                                             \
      "of that, leakage through gates; needs no run")                                              \
    X("peak_w", "[component]", 0, 1, f_peak, "peak dynamic power; needs no run")                   \
    X("constant_w", "[component]", 0, 1, f_constant,                                               \
      "what is always drawn beside leakage; needs no run")                                         \
    X("added_mm2", "[component[, words]]", 0, 2, f_added,                                          \
      "area of the hardware that the run's techniques add, in or beside a component, or in all, "  \
      "or that of it whose row has those words ([reference-power.md](reference-power.md))")        \
    X("goes_with", "techniques", 1, 1, f_goes_with,                                                \
      "1 where they run together with those of the configuration, 0 where they exclude each "      \
      "other; needs no run")                                                                       \
    X("design_w", "", 0, 0, f_design,                                                              \
      "what the board can draw, as a vendor's design power is meant: static power at the "         \
      "junction's limit and `power.peak_duty` of all peaks (docs/power.md); needs no run")         \
    X("idle_w", "", 0, 0, f_idle, "what chip and board draw while no SM has work; needs no run")   \
    X("event_j", "counter[, element]", 1, 2, f_event,                                              \
      "what one count costs in all components; needs no run")                                      \
    X("circuit", "item, node, metric", 3, 3, f_circuit,                                            \
      "our cells, arrays and caches at the point of a published value "                            \
      "([reference-circuits.md](reference-circuits.md)); needs no run")                            \
    X("config", "key", 1, 1, f_config, "a number of the GPU file")                                 \
    X("kernel", "name, expression", 2, 2, f_kernel,                                                \
      "of the kernels with that name or pattern (`reduce*`)")                                      \
    X("other", "configuration, expression", 2, 2, f_other, "in another configuration")             \
    X("at", "workload, configuration, expression", 3, 3, f_at, "in another run")                   \
    X("average", "expression[, group]", 1, 2, f_average,                                           \
      "over the workloads, or those of a group, in this configuration; values that are not there " \
      "are left out")                                                                              \
    X("geomean", "expression[, group]", 1, 2, f_geomean, "geometric mean of the positive ones")    \
    X("total", "expression[, group]", 1, 2, f_total, "sum")                                        \
    X("lowest", "expression[, group]", 1, 2, f_lowest, "smallest")                                 \
    X("highest", "expression[, group]", 1, 2, f_highest, "largest")                                \
    X("how_many", "expression[, group]", 1, 2, f_how_many, "workloads for which it has a value")   \
    X("baseline", "expression", 1, 1, f_baseline,                                                  \
      "in the study's first configuration with the same GPU file and keys")                        \
    X("alone", "expression", 1, 1, f_alone,                                                        \
      "the product over the techniques of the configuration, each in the configuration that runs " \
      "it alone with the same GPU file and keys")                                                  \
    X("published", "metric[, workload[, configuration]]", 1, 3, f_published,                       \
      "a published value; without the others: of this row's workload and configuration")
static const struct {
    const char *name, *arguments;
    int low, high;
    void (*function)(sqlite3_context *, int, sqlite3_value **);
    const char *prose;
} functions[] = {
#define X(name, arguments, low, high, function, prose)                                             \
    {name, arguments, low, high, function, prose},
    FUNCTIONS(X)
#undef X
};

void eval_print_reference(FILE *out) {
    fputs("# Expressions of a study\n\n"
          "What may stand in a study file where a number is computed ([add a "
          "study](add-a-study.md)): an SQL expression\n"
          "as SQLite knows it (`+ - * /`, comparisons, `AND OR NOT`, `CASE WHEN ... END`, `min(a, "
          "b)`, `max`, `abs`,\n"
          "`sqrt`, `ln`, `pow`, `coalesce`), over the names and functions below. Texts stand in "
          "single quotes. All values are\n"
          "floating-point numbers, but `1/2` of two whole literals is 0, as in C. A value that is "
          "not there (a failed run,\n"
          "a division by zero) makes what is computed from it not be there.\n\n"
          "## Names\n\n| name | what it is |\n|---|---|\n",
          out);
    for (size_t i = 0; i < BUILTIN_N; i++)
        fprintf(out, "| `%s` | %s |\n", builtin_name[i], builtin_prose[i]);
    fputs("| any [counter](reference-counters.md) | its count, elements added up |\n"
          "| any metric of the study | its expression, computed where it is asked for; a name with "
          "blanks stands in double quotes |\n\n"
          "## Functions\n\n| function | what it answers |\n|---|---|\n",
          out);
    for (size_t i = 0; i < WW_COUNT(functions); i++)
        fprintf(out, "| `%s(%s)` | %s |\n", functions[i].name, functions[i].arguments,
                functions[i].prose);
    fputs("\nComponents are those of `warpwatt chip`.\n", out);
}

// ---- the virtual table ------------------------------------------------------------------------
struct here_table {
    sqlite3_vtab base;
    struct eval *e;
};
struct here_cursor {
    sqlite3_vtab_cursor base;
    bool ended;
};

static int here_connect(sqlite3 *db, void *user, int argc, const char *const *argv,
                        sqlite3_vtab **out, char **error) {
    (void)argc, (void)argv, (void)error;
    struct eval *e = user;
    char *sql = sqlite3_mprintf("CREATE TABLE here(");
    for (uint32_t i = 0; i < e->columns; i++) {
        char *more = sqlite3_mprintf("%s%s\"%w\" REAL", sql, i ? "," : "", e->column[i].name);
        sqlite3_free(sql);
        sql = more;
    }
    char *all = sqlite3_mprintf("%s)", sql);
    sqlite3_free(sql);
    const int rc = all ? sqlite3_declare_vtab(db, all) : SQLITE_NOMEM;
    sqlite3_free(all);
    if (rc != SQLITE_OK) return rc;
    struct here_table *t = sqlite3_malloc(sizeof *t);
    if (!t) return SQLITE_NOMEM;
    *t = (struct here_table){.e = e};
    *out = &t->base;
    return SQLITE_OK;
}
static int here_disconnect(sqlite3_vtab *t) {
    sqlite3_free(t);
    return SQLITE_OK;
}
static int here_best(sqlite3_vtab *t, sqlite3_index_info *info) {
    (void)t;
    info->estimatedRows = 1;
    return SQLITE_OK;
}
static int here_open(sqlite3_vtab *t, sqlite3_vtab_cursor **out) {
    (void)t;
    struct here_cursor *c = sqlite3_malloc(sizeof *c);
    if (!c) return SQLITE_NOMEM;
    *c = (struct here_cursor){.ended = false};
    *out = &c->base;
    return SQLITE_OK;
}
static int here_close(sqlite3_vtab_cursor *c) {
    sqlite3_free(c);
    return SQLITE_OK;
}
static int here_filter(sqlite3_vtab_cursor *c, int n, const char *s, int argc,
                       sqlite3_value **argv) {
    (void)n, (void)s, (void)argc, (void)argv;
    ((struct here_cursor *)c)->ended = false;
    return SQLITE_OK;
}
static int here_next(sqlite3_vtab_cursor *c) {
    ((struct here_cursor *)c)->ended = true;
    return SQLITE_OK;
}
static int here_eof(sqlite3_vtab_cursor *c) { return ((struct here_cursor *)c)->ended; }
static int here_column(sqlite3_vtab_cursor *c, sqlite3_context *out, int i) {
    struct eval *e = ((struct here_table *)c->pVtab)->e;
    const struct value v = column(e, (uint32_t)i);
    answer(out, e, v);
    return v.ok ? SQLITE_OK : SQLITE_ERROR;
}
static int here_rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *out) {
    (void)c;
    *out = 1;
    return SQLITE_OK;
}
static const sqlite3_module here_module = {
    .xConnect = here_connect,
    .xBestIndex = here_best,
    .xDisconnect = here_disconnect,
    .xDestroy = here_disconnect,
    .xOpen = here_open,
    .xClose = here_close,
    .xFilter = here_filter,
    .xNext = here_next,
    .xEof = here_eof,
    .xColumn = here_column,
    .xRowid = here_rowid,
};

// ---- making one -------------------------------------------------------------------------------
static void add_column(struct eval *e, const char *name, enum column_kind kind, uint32_t index) {
    for (uint32_t i = 0; i < e->columns; i++)
        if (strcasecmp(e->column[i].name, name) == 0)
            return; // a metric hides a counter of its name
    if (e->columns < EVAL_MAX_COLUMNS) e->column[e->columns++] = (struct column){name, kind, index};
}

static void forget(struct eval *e) {
    memset(e->memo_set, 0,
           e->study->metric.n * (e->study->workload.n + 1) * (e->study->configuration.n + 1) *
               sizeof *e->memo_set);
}

enum ww_status eval_new(struct arena *a, const struct study *s,
                        const struct gpu_config *const *gpus, struct diags *d, struct eval **out) {
    struct eval *e = arena_alloc(a, sizeof *e);
    *e = (struct eval){.arena = a, .study = s, .gpu = gpus, .dry = true};
    const size_t n = (size_t)(s->metric.n + 1) * (s->workload.n + 1) * (s->configuration.n + 1);
    e->memo = arena_alloc(a, n * sizeof *e->memo);
    e->memo_set = arena_alloc(a, n * sizeof *e->memo_set);
    e->memo_left_out = arena_alloc(a, n * sizeof *e->memo_left_out);
    e->column = arena_alloc(a, (EVAL_MAX_COLUMNS + 1) * sizeof *e->column);
    e->watts = arena_alloc(a, (s->configuration.n + 1) * sizeof(struct watts *));
    for (uint32_t i = 0; i < s->metric.n; i++) {
        for (uint32_t k = 0; k < i; k++)
            if (strcasecmp(s->metric.at[k].name, s->metric.at[i].name) == 0)
                return diag_at(d, DIAG_ERROR, WW_ERROR_CONFIG, s->file, s->text,
                               s->metric.at[i].at.line, s->metric.at[i].at.col,
                               "metric `%s` differs from `%s` in case only", s->metric.at[i].name,
                               s->metric.at[k].name);
        add_column(e, s->metric.at[i].name, COLUMN_METRIC, i);
    }
    for (uint32_t i = 0; i < BUILTIN_N; i++) add_column(e, builtin_name[i], COLUMN_BUILTIN, i);
    for (uint32_t i = 0; i < act_rows(); i++) add_column(e, act_row(i)->name, COLUMN_COUNTER, i);
    for (uint32_t i = 0; i < s->configuration.n; i++) {
        const char *why = NULL;
        e->watts[i] = watts_new(a, gpus[i], &why);
        if (!e->watts[i] && !e->note)
            e->note = arena_printf(a, "no energy for %s: %s", gpu_config_name(gpus[i]), why);
    }
    bool ok = sqlite3_open(":memory:", &e->db) == SQLITE_OK;
    ok = ok && sqlite3_db_config(e->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL) == SQLITE_OK;
    ok = ok && sqlite3_create_module(e->db, "here", &here_module, e) == SQLITE_OK;
    for (size_t i = 0; i < WW_COUNT(functions) && ok; i++)
        for (int k = functions[i].low; k <= functions[i].high && ok; k++)
            ok = sqlite3_create_function(e->db, functions[i].name, k, SQLITE_UTF8, e,
                                         functions[i].function, NULL, NULL) == SQLITE_OK;
    *out = e;
    if (ok) return WW_OK;
    const enum ww_status status = diag_add(
        d, WW_ERROR_INTERNAL, "SQLite cannot compute expressions: %s", sqlite3_errmsg(e->db));
    eval_free(e);
    return status;
}

const struct result *eval_result(const struct eval *e, uint32_t workload, uint32_t configuration) {
    if (e->dry || !e->results) return NULL;
    const struct result *r =
        &e->results[(size_t)workload * e->study->configuration.n + configuration];
    return r->there ? r : NULL;
}

void eval_free(struct eval *e) {
    if (e) sqlite3_close(e->db);
}

void eval_set_dry(struct eval *e, bool *needed) {
    e->dry = true;
    e->needed = needed;
    forget(e);
}

enum ww_status eval_check_metrics(struct eval *e, struct diags *d) {
    const struct study *s = e->study;
    enum ww_status status = WW_OK;
    eval_set_dry(e, NULL);
    if (!s->workload.n) return WW_OK; // no run to try them on
    for (uint32_t i = 0; i < s->metric.n && status == WW_OK; i++) {
        const struct study_metric *m = &s->metric.at[i];
        // a metric may be meant for one configuration's chip only
        for (uint32_t k = 0; k < s->configuration.n; k++) {
            const struct eval_scope scope = {.configuration = (int)k, .element = 1};
            struct diags quiet;
            double v;
            diags_init(&quiet);
            status = eval_number(e, m->expr, m->at, scope, &quiet, &v);
            diags_free(&quiet);
            if (status == WW_OK) break;
        }
        double v;
        if (status != WW_OK)
            status = eval_number(e, m->expr, m->at, (struct eval_scope){.element = 1}, d, &v);
    }
    return status;
}

void eval_set_results(struct eval *e, const struct result *results,
                      const struct limited *const *limited) {
    e->dry = false;
    e->results = results;
    e->limited = limited;
    forget(e);
}

const struct watts *eval_watts(const struct eval *e, uint32_t configuration) {
    return e->watts[configuration];
}

void eval_choose(struct eval *e, const struct study_choice *choice) {
    e->choice = choice;
    forget(e);
}

const char *eval_note(const struct eval *e) { return e->note; }
const char *eval_left_out(const struct eval *e) { return e->left_out; }

enum ww_status eval_number(struct eval *e, const char *expr, struct mark at,
                           struct eval_scope scope, struct diags *d, double *out) {
    e->error[0] = 0;
    e->error_at = (struct mark){0, 0};
    e->depth = 0;
    e->left_out = NULL;
    scope.configuration = chosen(e, scope.configuration);
    const struct value v = in_scope(e, scope, expr);
    *out = v.v;
    if (v.ok) return WW_OK;
    if (e->error_at.line) at = e->error_at;
    return diag_at(d, DIAG_ERROR, WW_ERROR_CONFIG, e->study->file, e->study->text, at.line, at.col,
                   "%s", e->error[0] ? e->error : "the expression cannot be computed");
}
