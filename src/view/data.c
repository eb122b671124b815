// The content of the page as JSON, from the record of a run and its account. Figures are computed
// here; the script only draws them.
#include "power/unsure.h"
#include "view/view.h"

#include "report/probe.h"
#include "sm/watch.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { PROBE_SHOWN = 2048 }; // of samples, joined where there are more
// Of copies and launches in order, of ranges, of launches with their waits over time: the page stays small.
enum { STEPS_SHOWN = 512, RANGES_SHOWN = 2000, WAITS_SHOWN = 16 };

static json_t *real(double v) { return isfinite(v) ? json_real(v) : json_null(); }
static void put(json_t *o, const char *key, double v) { json_object_set_new(o, key, real(v)); }
static void put_text(json_t *o, const char *key, const char *v) {
    json_object_set_new(o, key, v ? json_string_nocheck(v) : json_null());
}
static double ratio(double a, double b) { return b > 0 ? a / b : NAN; }
static double field(const json_t *o, const char *key) {
    return json_number_value(json_object_get(o, key));
}

// ---- what every kernel, interval and the whole run has ------------------------------------------
static json_t *slots_json(const struct activity *a) {
    json_t *o = json_object();
    for (uint32_t s = 0; s < STALL_N; s++)
        if (act_at(a, "issue_slots", s))
            put(o, stall_text((enum stall_reason)s), (double)act_at(a, "issue_slots", s));
    return o;
}

static void put_rates(json_t *o, const struct activity *a) {
    const double cycles = act_real(a, "cycles");
    put(o, "warp_instructions", act_real(a, "warp_instructions"));
    put(o, "thread_instructions", act_real(a, "thread_instructions"));
    put(o, "ipc", ratio(act_real(a, "thread_instructions"), cycles));
    put(o, "lanes", ratio(act_real(a, "thread_instructions"), act_real(a, "warp_instructions")));
    put(o, "warps", ratio(act_real(a, "warp_slots_cycles"), act_real(a, "sm_busy_cycles")));
    put(o, "l1_hit", ratio(act_real(a, "l1_read_hits"), act_real(a, "l1_reads")));
    put(o, "l2_hit", ratio(act_real(a, "l2_read_hits"), act_real(a, "l2_reads")));
    put(o, "row_hit",
        ratio(act_real(a, "dram_row_hits"),
              act_real(a, "dram_row_hits") + act_real(a, "dram_row_misses")));
    const double accesses = act_real(a, "coalescer_inputs"), shared = act_real(a, "shared_reads") +
                                                                     act_real(a, "shared_writes") +
                                                                     act_real(a, "shared_atomics");
    put(o, "transactions_an_access", ratio(act_real(a, "coalescer_transactions"), accesses));
    put(o, "passes_a_shared_access", ratio(act_real(a, "shared_passes"), shared));
}

static json_t *levels_json(const struct gpu_config *c, const struct activity *a) {
    json_t *list = json_array();
    for (int l = 0; l < PEAK_LEVELS; l++)
        json_array_append_new(list, real(peak_bytes(c, a, (enum peak_level)l)));
    return list;
}

static json_t *limits_json(const struct gpu_config *c, const struct activity *a) {
    struct peak_limit limit[PEAK_LIMITS];
    const uint32_t n = peak_limits(c, a, limit);
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++) {
        json_t *o = json_object();
        put_text(o, "name", limit[i].name);
        put(o, "share", limit[i].share);
        json_array_append_new(list, o);
    }
    return list;
}

// ---- kernels: launches of one name and shape are a row ------------------------------------------
struct group {
    const json_t *first; // launch
    uint64_t launches;
    double seconds, cycles, half_cycles, host_s, achieved_cycles;
    struct activity activity;
    struct power_usage usage;
    bool has_activity;
};

static bool same_shape(const json_t *a, const json_t *b) {
    static const char *const key[] = {"kernel", "module", "grid", "block", "dynamic_shared_bytes"};
    for (size_t i = 0; i < WW_COUNT(key); i++)
        if (!json_equal(json_object_get(a, key[i]), json_object_get(b, key[i]))) return false;
    return true;
}

static void add_usage(struct power_usage *sum, const struct power_usage *u, int components) {
    for (int i = 0; i < components; i++) {
        sum->dynamic_j[i] += u->dynamic_j[i];
        sum->static_j[i] += u->static_j[i];
    }
    sum->all_dynamic_j[0] += u->all_dynamic_j[0];
    sum->all_static_j[0] += u->all_static_j[0];
    sum->energy_j += u->energy_j;
    sum->seconds += u->seconds;
}

static struct group *group_launches(struct arena *a, const struct view_input *in, uint32_t *n) {
    const size_t launches = json_array_size(in->run->launches);
    struct group *g = arena_alloc(a, (launches + 1) * sizeof *g);
    uint32_t at = 0;
    *n = 0;
    size_t i;
    json_t *l;
    json_array_foreach(in->run->launches, i, l) {
        uint32_t k = 0;
        while (k < *n && !same_shape(g[k].first, l)) k++;
        if (k == *n) g[(*n)++] = (struct group){.first = l};
        struct group *q = &g[k];
        q->launches += run_launches(l);
        q->seconds += field(l, "seconds");
        q->cycles += field(l, "cycles");
        q->half_cycles += run_half_cycles(l);
        q->host_s += field(l, "host_seconds");
        q->achieved_cycles += field(l, "achieved_warps") * field(l, "cycles");
        const uint64_t id = (uint64_t)json_integer_value(json_object_get(l, "id"));
        const struct account *p = in->power;
        while (p && at < p->n && p->kernel[at].kernel->launch < id) at++;
        if (!p || at >= p->n || p->kernel[at].kernel->launch != id) continue;
        activity_add(&q->activity, &p->kernel[at].kernel->activity);
        add_usage(&q->usage, &p->kernel[at].usage, p->tree->components);
        q->has_activity = true;
    }
    return g;
}

static json_t *group_json(const struct view_input *in, const struct group *g) {
    static const char *const same[] = {"kernel",          "module",          "grid",
                                       "block",           "registers",       "shared_bytes",
                                       "local_bytes",     "functional",      "occupancy_ctas",
                                       "occupancy_warps", "occupancy_limit", "code"};
    json_t *o = json_object();
    for (size_t i = 0; i < WW_COUNT(same); i++) {
        json_t *v = json_object_get(g->first, same[i]);
        if (v) json_object_set(o, same[i], v);
    }
    put(o, "launches", (double)g->launches);
    put(o, "seconds", g->seconds);
    put(o, "cycles", g->cycles);
    if (g->half_cycles > 0) put(o, "half_cycles", g->half_cycles);
    put(o, "achieved_warps", ratio(g->achieved_cycles, g->cycles));
    if (!g->has_activity) return o;
    put_rates(o, &g->activity);
    put(o, "operations", peak_operations(&g->activity));
    json_object_set_new(o, "bytes", levels_json(in->gpu, &g->activity));
    json_object_set_new(o, "limits", limits_json(in->gpu, &g->activity));
    json_object_set_new(o, "traffic", machine_traffic_json(in->gpu, &g->activity));
    json_object_set_new(o, "slots", slots_json(&g->activity));
    put(o, "energy_j", g->usage.energy_j);
    if (g->half_cycles > 0) put(o, "half_j", g->usage.energy_j * ratio(g->half_cycles, g->cycles));
    put(o, "dynamic_j", g->usage.all_dynamic_j[0]);
    put(o, "static_j", g->usage.all_static_j[0]);
    put(o, "power_w", ratio(g->usage.energy_j, g->usage.seconds));
    json_object_set_new(o, "components", account_own_json(in->power->tree, &g->usage));
    return o;
}

// ---- over time ----------------------------------------------------------------------------------
static json_t *timeline_json(const struct view_input *in, const struct view_technique *technique) {
    json_t *o = json_object(), *names = json_array(), *list = json_array();
    struct account_group group[POWER_MAX_COMPONENTS];
    const struct account *p = in->power;
    const uint32_t n = p ? account_groups(p->tree, group) : 0;
    for (uint32_t g = 0; g < n; g++)
        json_array_append_new(names, json_string(p->tree->component[group[g].component].name));
    for (uint32_t i = 0; p && i < p->n; i++) {
        const struct activity_kernel *k = p->kernel[i].kernel;
        const json_t *l = NULL, *row;
        size_t at;
        json_array_foreach(in->run->launches, at,
                           row) if ((uint64_t)json_integer_value(json_object_get(row, "id")) ==
                                    k->launch) l = row;
        const double start = field(l, "start_s");
        for (uint32_t v = 0; v < k->n_intervals; v++) {
            struct power_usage u;
            const struct activity_interval *iv = &k->interval[v];
            if (!account_interval(p, k, v, &u) || !(u.seconds > 0)) continue;
            const double each = act_get(&k->activity, "cycles")
                                    ? k->seconds / act_real(&k->activity, "cycles")
                                    : 1 / p->core_hz;
            json_t *q = json_object(), *watts = json_array();
            put_text(q, "kernel", k->name);
            put(q, "launch", (double)k->launch);
            put(q, "from_s", start + (double)iv->from * each);
            put(q, "to_s", start + (double)iv->to * each);
            put_rates(q, &iv->activity);
            struct peak_limit limit[PEAK_LIMITS];
            peak_limits(in->gpu, &iv->activity, limit);
            put(q, "issue", limit[0].share);
            put(q, "dram_bytes_per_s", peak_bytes(in->gpu, &iv->activity, PEAK_DRAM) / u.seconds);
            for (uint32_t g = 0; g < n; g++)
                json_array_append_new(watts, real((account_group_dynamic(&group[g], &u) +
                                                   account_group_static(&group[g], &u)) /
                                                  u.seconds));
            json_object_set_new(q, "watts", watts);
            if (technique->is)
                json_object_set_new(q, "technique",
                                    technique_interval_json(p, technique, &iv->activity, u.seconds));
            json_array_append_new(list, q);
        }
    }
    json_object_set_new(o, "groups", names);
    json_object_set_new(o, "intervals", list);
    return o;
}

// ---- warps that were watched --------------------------------------------------------------------
// The launch that has them: what the record says, with its kernel and code. NULL: none has.
static json_t *watched_json(const struct view_input *in) {
    size_t i;
    json_t *l;
    json_array_foreach(in->run->launches, i, l) {
        json_t *const warps = json_object_get(l, "warps");
        if (!warps) continue;
        json_t *o = json_copy(warps), *prose = json_array();
        for (uint32_t s = 0; s < json_array_size(json_object_get(warps, "states")); s++)
            json_array_append_new(prose, json_string(sm_watch_prose(s)));
        json_object_set_new(o, "prose", prose);
        json_object_set(o, "launch", json_object_get(l, "id"));
        json_object_set(o, "kernel", json_object_get(l, "kernel"));
        json_object_set(o, "code", json_object_get(l, "code"));
        return o;
    }
    return NULL;
}

// ---- waits by instruction over time --------------------------------------------------------------
// Of the launches that took longest: {launch, kernel, code, cycles, to, rows} as the record has them (gpu/waits.h).
static json_t *waits_json(const struct view_input *in) {
    const json_t *longest[WAITS_SHOWN];
    uint32_t n = 0;
    size_t i;
    json_t *l;
    json_array_foreach(in->run->launches, i, l) {
        if (!json_object_get(l, "waits")) continue;
        uint32_t at = n;
        while (at > 0 && field(longest[at - 1], "cycles") < field(l, "cycles")) at--;
        if (at == WAITS_SHOWN) continue;
        if (n < WAITS_SHOWN) n++;
        for (uint32_t k = n - 1; k > at; k--) longest[k] = longest[k - 1];
        longest[at] = l;
    }
    json_t *list = json_array();
    for (uint32_t k = 0; k < n; k++) {
        json_t *o = json_copy(json_object_get(longest[k], "waits"));
        json_object_set(o, "launch", json_object_get(longest[k], "id"));
        json_object_set(o, "kernel", json_object_get(longest[k], "kernel"));
        json_object_set(o, "code", json_object_get(longest[k], "code"));
        json_object_set(o, "cycles", json_object_get(longest[k], "cycles"));
        json_array_append_new(list, o);
    }
    return list;
}

// ---- source -------------------------------------------------------------------------------------
static json_t *inst_json(const struct view_inst *v) {
    json_t *o = json_object(), *stalls = json_object();
    json_object_set_new(o, "pc", json_integer(v->pc));
    put_text(o, "text", v->text);
    json_object_set_new(o, "ptx", json_integer(v->ptx_line));
    json_object_set_new(o, "line", json_integer(v->src_line));
    if (v->src_file) json_object_set_new(o, "file", json_integer(v->src_file));
    json_object_set_new(o, "issues", json_integer((json_int_t)v->issues));
    json_object_set_new(o, "lanes", json_integer((json_int_t)v->lanes));
    for (uint32_t s = 0; s < STALL_N; s++)
        if (v->stall[s] && s != STALL_issued && s != STALL_dual)
            json_object_set_new(stalls, stall_text((enum stall_reason)s),
                                json_integer((json_int_t)v->stall[s]));
    json_object_set_new(o, "stalls", stalls);
#define INST_MEMORY(name, unit, prose)                                                             \
    if (v->memory.name) json_object_set_new(o, #name, json_integer((json_int_t)v->memory.name));
#include "sm/inst_memory.def"
#undef INST_MEMORY
    put(o, "dynamic_j", v->dynamic_j);
    put(o, "static_j", v->static_j);
    return o;
}

// A source file as .file names it: an absolute path, or one from the folder that the compiler ran
// in, which is looked for in the module's folder and those above it. NULL: it is not there.
static const char *find_source(struct arena *a, const char *module, const char *path) {
    if (!path) return NULL;
    if (*path == '/' || !module) return access(path, R_OK) == 0 ? path : NULL;
    for (const char *slash = module + strlen(module); slash >= module; slash--) {
        if (slash > module && *slash != '/' && *slash) continue;
        const char *at = arena_printf(a, "%.*s/%s", (int)(slash - module), module, path);
        if (access(at, R_OK) == 0) return at;
    }
    return access(path, R_OK) == 0 ? path : NULL;
}

// Lines of the CUDA source that instructions came from, where the file is there: {"12": "text"}.
static json_t *cuda_json(struct arena *a, const struct view_code *c) {
    json_t *all = json_object();
    const char *number;
    json_t *path;
    json_object_foreach(json_object_get(c->source, "files"), number, path) {
        const uint32_t file = (uint32_t)strtoul(number, NULL, 10);
        struct diags d;
        diags_init(&d);
        char *text;
        size_t len;
        bool any = false;
        for (uint32_t i = 0; i < c->n; i++) any = any || c->inst[i].src_file == file;
        const char *at = any ? find_source(a, c->module, json_string_value(path)) : NULL;
        if (!at || file_read(a, at, 4 << 20, &text, &len, &d) != WW_OK) {
            diags_free(&d);
            continue;
        }
        diags_free(&d);
        json_t *lines = json_object();
        uint32_t line = 1, last = 0;
        for (uint32_t i = 0; i < c->n; i++)
            if (c->inst[i].src_file == file && c->inst[i].src_line > last)
                last = c->inst[i].src_line;
        for (const char *p = text; *p && line <= last; line++) {
            const char *end = strchr(p, '\n');
            const size_t n = end ? (size_t)(end - p) : strlen(p);
            bool wanted = false;
            for (uint32_t i = 0; !wanted && i < c->n; i++)
                wanted = c->inst[i].src_file == file && c->inst[i].src_line == line;
            char key[16];
            snprintf(key, sizeof key, "%u", line);
            if (wanted) {
                json_t *s = json_stringn(p, n < 400 ? n : 400); // NULL where it is no UTF-8
                json_object_set_new(lines, key, s ? s : json_string("(no UTF-8)"));
            }
            p = end ? end + 1 : p + n;
        }
        json_object_set_new(all, number, lines);
    }
    return all;
}

static json_t *code_json(struct arena *a, const struct view_code *c) {
    json_t *o = json_object(), *list = json_array();
    put_text(o, "kernel", c->kernel);
    put_text(o, "module", c->module);
    json_object_set(o, "id", json_object_get(c->source, "id"));
    json_object_set(o, "ptx", json_object_get(c->source, "ptx"));
    json_object_set(o, "files", json_object_get(c->source, "files"));
    json_object_set_new(o, "cuda", cuda_json(a, c));
    put(o, "launches", (double)c->launches);
    put(o, "seconds", c->seconds);
    put(o, "dynamic_j", c->dynamic_j);
    put(o, "static_j", c->static_j);
    put(o, "idle_j", c->idle_j);
    for (uint32_t i = 0; i < c->n; i++) json_array_append_new(list, inst_json(&c->inst[i]));
    json_object_set_new(o, "instructions", list);
    return o;
}

// ---- the whole ----------------------------------------------------------------------------------
static json_t *roofs_json(const struct gpu_config *c) {
    json_t *o = json_object(), *levels = json_array();
    put(o, "operations_per_s", peak_operations_per_s(c));
    for (int l = 0; l < PEAK_LEVELS; l++) {
        json_t *q = json_object();
        put_text(q, "name", peak_level_name((enum peak_level)l));
        put(q, "bytes_per_s", peak_bytes_per_s(c, (enum peak_level)l));
        json_array_append_new(levels, q);
    }
    json_object_set_new(o, "levels", levels);
    return o;
}

static json_t *components_json(const struct account *a) {
    json_t *list = json_array();
    for (int i = 0; i < a->tree->components; i++) {
        const struct power_component *p = &a->tree->component[i];
        json_t *o = json_object();
        put_text(o, "name", p->name);
        put_text(o, "parent", p->parent < 0 ? NULL : a->tree->component[p->parent].name);
        put_text(o, "prose", p->prose);
        put_text(o, "basis", power_basis_name(p->basis));
        put(o, "dynamic_j", a->kernels.dynamic_j[i]);
        put(o, "static_j", a->kernels.static_j[i]);
        put(o, "leak_sub_j", a->kernels.leak_sub_j[i]);
        put(o, "leak_gate_j", a->kernels.leak_gate_j[i]);
        put(o, "peak_dynamic_w", p->peak_w);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *totals_json(const struct view_input *in, const struct group *g, uint32_t n) {
    json_t *o = json_object();
    struct activity *all = &(struct activity){.c = {0}};
    double cycles = 0, seconds = 0, host_s = 0;
    for (uint32_t i = 0; i < n; i++) {
        activity_add(all, &g[i].activity);
        cycles += g[i].cycles;
        seconds += g[i].seconds;
        host_s += g[i].host_s;
    }
    const bool untimed = cycles == 0; // computed without time: these have no value
    put(o, "cycles", untimed ? NAN : cycles);
    const double half = run_half_cycles(in->run->end);
    if (half > 0) put(o, "half_cycles", half);
    put(o, "seconds", untimed ? NAN : seconds);
    put(o, "run_seconds", field(in->run->end, "seconds"));
    put(o, "host_seconds", host_s);
    if (!in->power) return o;
    const struct power_usage *k = &in->power->kernels;
    put_rates(o, all);
    put(o, "energy_j", k->energy_j);
    if (half > 0) put(o, "half_j", run_half_j(in->run->end, k->energy_j));
    put(o, "dynamic_j", k->all_dynamic_j[0]);
    put(o, "static_j", k->all_static_j[0]);
    put(o, "leak_sub_j", k->all_leak_sub_j[0]);
    put(o, "leak_gate_j", k->all_leak_gate_j[0]);
    put(o, "power_w", k->power_w);
    const struct unsure_interval within = unsure_power(in->power->tree, k);
    put(o, "power_low_w", within.low);
    put(o, "power_high_w", within.high);
    put(o, "edp_js", k->energy_j * k->seconds);
    put(o, "gaps_j", in->power->gaps.energy_j);
    put(o, "gaps_s", in->power->gaps.seconds);
    json_object_set_new(o, "slots", slots_json(all));
    json_object_set_new(o, "limits", limits_json(in->gpu, all));
    json_object_set_new(o, "traffic", machine_traffic_json(in->gpu, all));
    return o;
}

json_t *view_json(struct arena *a, const struct view_input *in) {
    json_t *o = json_object(), *kernels = json_array(), *codes = json_array();
    uint32_t n;
    const struct group *g = group_launches(a, in, &n);
    const struct view_codes c = blame_run(a, in);
    json_object_set_new(o, "format", json_integer(1));
    put_text(o, "title", in->title);
    put_text(o, "name", in->name);
    put_text(o, "program", json_string_value(json_object_get(in->run->header, "program")));
    json_object_set(o, "gpu", json_object_get(in->run->header, "gpu"));
    put_text(o, "gpu_description", gpu_config_word(in->gpu, "description"));
    json_object_set_new(o, "check", json_integer(in->check));
    json_object_set_new(o, "complete", json_boolean(in->run->end && !in->unfinished));
    const enum ww_status s = run_status(in->run);
    put_text(o, "status", s == WW_OK ? NULL : ww_status_text(s));
    put_text(o, "no_power", in->no_power);
    put_text(o, "unfinished", in->unfinished);
    char limit[256];
    put_text(o, "power_limit",
             in->power ? account_limit_text(in->power, limit, sizeof limit) : NULL);
    if (json_object_get(in->run->header, "run"))
        json_object_set(o, "run", json_object_get(in->run->header, "run"));
    json_t *savings = in->power ? account_savings_json(in->power) : NULL;
    if (savings) json_object_set_new(o, "savings", savings);
    struct view_technique technique;
    json_t *const of_technique = technique_json(in, &technique);
    if (of_technique) json_object_set_new(o, "technique", of_technique);
    json_object_set_new(o, "steps", steps_json(a, in->run, in->power, STEPS_SHOWN));
    json_t *const ranges = ranges_json(a, in->run, in->power, RANGES_SHOWN);
    if (ranges) json_object_set_new(o, "ranges", ranges);
    if (in->probe) json_object_set_new(o, "probe", probe_json(in->probe, PROBE_SHOWN));
    json_object_set_new(o, "totals", totals_json(in, g, n));
    if (in->power) {
        json_object_set_new(o, "components", components_json(in->power));
        json_object_set_new(o, "places", machine_places_json(in->power->tree));
        json_t *const what_if = what_if_json(a, in);
        if (what_if) json_object_set_new(o, "what_if", what_if);
    }
    json_object_set_new(o, "roofs", roofs_json(in->gpu));
    for (uint32_t i = 0; i < n; i++) json_array_append_new(kernels, group_json(in, &g[i]));
    json_object_set_new(o, "kernels", kernels);
    json_object_set_new(o, "timeline", timeline_json(in, &technique));
    for (uint32_t i = 0; i < c.n; i++) json_array_append_new(codes, code_json(a, &c.at[i]));
    json_object_set_new(o, "codes", codes);
    json_object_set_new(o, "waits", waits_json(in));
    json_t *const watched = watched_json(in);
    if (watched) json_object_set_new(o, "watched", watched);
    put(o, "uncounted_j", c.uncounted_j);
    json_object_set_new(o, "findings", advice_json(in, &c));
    return o;
}
