// Power for programs: power.json, power.csv, power-intervals.csv. Energies in joules, of a
// component itself (dynamic_j, static_j) and with everything below it (all_...).
#include "report/account.h"

#include "power/unsure.h"

#include <stdlib.h>

static double ratio(double a, double b) { return b > 0 ? a / b : 0; }

static void put(json_t *o, const char *key, double v) { json_object_set_new(o, key, json_real(v)); }

static void put_interval(json_t *o, const char *key, struct unsure_interval i) {
    json_object_set_new(o, key, json_pack("[f,f]", i.low, i.high));
}

static json_t *usage_json(const struct power_tree *t, const struct power_usage *u) {
    json_t *o = json_object();
    put(o, "seconds", u->seconds);
    put(o, "energy_j", u->energy_j);
    put(o, "dynamic_j", u->all_dynamic_j[0]);
    put(o, "static_j", u->all_static_j[0]);
    put(o, "power_w", u->power_w);
    put_interval(o, "power_w_90", unsure_power(t, u));
    put_interval(o, "energy_j_90", unsure_energy(t, u));
    put(o, "dynamic_w", ratio(u->all_dynamic_j[0], u->seconds));
    put(o, "static_w", ratio(u->all_static_j[0], u->seconds));
    put(o, "leak_sub_j", u->all_leak_sub_j[0]);
    put(o, "leak_gate_j", u->all_leak_gate_j[0]);
    put(o, "constant_j", power_constant_j(u, 0));
    put(o, "leak_sub_w", ratio(u->all_leak_sub_j[0], u->seconds));
    put(o, "leak_gate_w", ratio(u->all_leak_gate_j[0], u->seconds));
    put(o, "constant_w", ratio(power_constant_j(u, 0), u->seconds));
    return o;
}

json_t *account_own_json(const struct power_tree *t, const struct power_usage *u) {
    json_t *o = json_object();
    for (int i = 0; i < t->components; i++)
        if (u->dynamic_j[i] != 0 || u->static_j[i] != 0)
            json_object_set_new(o, t->component[i].name,
                                json_pack("[f,f]", u->dynamic_j[i], u->static_j[i]));
    return o;
}

static json_t *component_json(const struct account *a, int i) {
    const struct power_component *p = &a->tree->component[i];
    const struct power_usage *u = &a->kernels;
    const double all = u->all_dynamic_j[i] + u->all_static_j[i];
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(p->name));
    json_object_set_new(
        o, "parent", p->parent < 0 ? json_null() : json_string(a->tree->component[p->parent].name));
    json_object_set_new(o, "basis", json_string(power_basis_name(p->basis)));
    json_object_set_new(o, "count", json_integer(p->count));
    put(o, "dynamic_j", u->dynamic_j[i]);
    put(o, "static_j", u->static_j[i]);
    put(o, "all_dynamic_j", u->all_dynamic_j[i]);
    put(o, "all_static_j", u->all_static_j[i]);
    put(o, "leak_sub_j", u->leak_sub_j[i]);
    put(o, "leak_gate_j", u->leak_gate_j[i]);
    put(o, "all_leak_sub_j", u->all_leak_sub_j[i]);
    put(o, "all_leak_gate_j", u->all_leak_gate_j[i]);
    put(o, "peak_dynamic_w", p->all_peak_w);
    put(o, "power_w", ratio(all, u->seconds));
    put(o, "share", ratio(all, u->energy_j));
    return o;
}

// `null` where the board has no limit.
static json_t *limit_json(const struct account *a) {
    const struct account_limit *const l = &a->limit;
    if (!(l->watts > 0)) return json_null();
    json_t *o = json_object();
    put(o, "limit_w", l->watts);
    json_object_set_new(o, "within", json_boolean(a->kernels.power_w <= l->watts));
    put(o, "core_mhz", l->mhz);
    json_object_set_new(o, "throttled", json_boolean(l->asked_mhz > 0));
    if (!(l->asked_mhz > 0)) return o;
    put(o, "asked_mhz", l->asked_mhz);
    put(o, "asked_w", l->asked_w);
    put(o, "asked_seconds", l->asked_seconds);
    put(o, "throttled_seconds", a->kernels.seconds);
    json_object_set_new(o, "launches", json_integer((json_int_t)l->launches));
    json_object_set_new(o, "launches_over", json_integer((json_int_t)l->asked_over));
    return o;
}

json_t *account_json(const struct account *a, bool kernels) {
    const struct power_usage *k = &a->kernels;
    json_t *o = json_object(), *basis = json_object(), *components = json_array();
    json_object_set_new(o, "format", json_integer(1));
    json_object_set_new(o, "gpu", json_string(a->gpu));
    json_object_set_new(o, "kernels", usage_json(a->tree, k));
    json_object_set_new(o, "gaps", usage_json(a->tree, &a->gaps));
    json_object_set_new(o, "run", usage_json(a->tree, &a->run));
    for (int i = 0; i < POWER_BASES; i++)
        put(basis, power_basis_name((enum power_basis)i), ratio(a->basis_j[i], k->energy_j));
    json_object_set_new(o, "rests_on", basis);
    json_object_set_new(o, "power_limit", limit_json(a));
    double bounds[2];
    power_rest_bounds(a->tree, k, bounds);
    json_object_set_new(o, "rest_bounds_j", json_pack("[f,f]", bounds[0], bounds[1]));
    put(o, "idle_gated_j", k->gated_j);
    put(o, "energy_per_warp_instruction_j", ratio(k->energy_j, a->warp_instructions));
    put(o, "energy_per_lane_j", ratio(k->energy_j, a->thread_instructions));
    put(o, "edp_js", k->energy_j * k->seconds);
    put(o, "ed2p_js2", k->energy_j * k->seconds * k->seconds);
    json_object_set_new(o, "overlapped", json_boolean(a->overlapped));
    for (int i = 0; i < a->tree->components; i++)
        json_array_append_new(components, component_json(a, i));
    json_object_set_new(o, "components", components);
    if (!kernels) return o;
    json_t *list = json_array();
    for (uint32_t i = 0; i < a->n; i++) {
        json_t *row = usage_json(a->tree, &a->kernel[i].usage);
        json_object_set_new(row, "kernel", json_string(a->kernel[i].kernel->name));
        json_object_set_new(row, "launch", json_integer((json_int_t)a->kernel[i].kernel->launch));
        json_object_set_new(row, "components", account_own_json(a->tree, &a->kernel[i].usage));
        json_array_append_new(list, row);
    }
    json_object_set_new(o, "launches", list);
    return o;
}

static void csv_name(FILE *f, const char *name) {
    if (!strpbrk(name, ",\"\n")) {
        fputs(name, f);
        return;
    }
    fputc('"', f);
    for (; *name; name++) {
        if (*name == '"') fputc('"', f);
        fputc(*name, f);
    }
    fputc('"', f);
}

static void csv_usage(const struct account *a, const char *launch, const char *kernel,
                      const struct power_usage *u, FILE *f) {
    for (int i = 0; i < a->tree->components; i++) {
        const struct power_component *p = &a->tree->component[i];
        fprintf(f, "%s,", launch);
        csv_name(f, kernel);
        fprintf(f, ",%s,%s,%s,%.9g,%.12g,%.12g,%.12g,%.12g,%.9g,%.12g,%.12g\n", p->name,
                p->parent < 0 ? "" : a->tree->component[p->parent].name, power_basis_name(p->basis),
                u->seconds, u->dynamic_j[i], u->static_j[i], u->all_dynamic_j[i],
                u->all_static_j[i], ratio(u->all_dynamic_j[i] + u->all_static_j[i], u->seconds),
                u->leak_sub_j[i], u->leak_gate_j[i]);
    }
}

void account_csv(const struct account *a, FILE *f) {
    fputs("launch,kernel,component,parent,basis,seconds,dynamic_j,static_j,all_dynamic_j,all_"
          "static_j,all_power_w,leak_sub_j,leak_gate_j\n",
          f);
    for (uint32_t i = 0; i < a->n; i++) {
        char launch[24];
        snprintf(launch, sizeof launch, "%llu", (unsigned long long)a->kernel[i].kernel->launch);
        csv_usage(a, launch, a->kernel[i].kernel->name, &a->kernel[i].usage, f);
    }
    if (a->gaps.seconds > 0) csv_usage(a, "", "(gaps)", &a->gaps, f);
}

void account_intervals_csv(const struct account *a, FILE *f) {
    struct account_group group[POWER_MAX_COMPONENTS];
    const uint32_t n = account_groups(a->tree, group);
    fputs("launch,kernel,from_cycle,to_cycle,seconds,energy_j,power_w,dynamic_w,static_w", f);
    for (uint32_t g = 0; g < n; g++)
        fprintf(f, ",%s_w", a->tree->component[group[g].component].name);
    fputc('\n', f);
    for (uint32_t i = 0; i < a->n; i++) {
        const struct activity_kernel *k = a->kernel[i].kernel;
        for (uint32_t v = 0; v < k->n_intervals; v++) {
            const struct activity_interval *iv = &k->interval[v];
            struct power_usage u;
            if (!account_interval(a, k, v, &u)) continue; // of no cycles
            const double s = u.seconds;
            fprintf(f, "%llu,", (unsigned long long)k->launch);
            csv_name(f, k->name);
            fprintf(f, ",%llu,%llu,%.9g,%.12g,%.9g,%.9g,%.9g", (unsigned long long)iv->from,
                    (unsigned long long)iv->to, s, u.energy_j, u.power_w, u.all_dynamic_j[0] / s,
                    u.all_static_j[0] / s);
            for (uint32_t g = 0; g < n; g++)
                fprintf(
                    f, ",%.9g",
                    (account_group_dynamic(&group[g], &u) + account_group_static(&group[g], &u)) /
                        s);
            fputc('\n', f);
        }
    }
}

// ---- the directory ------------------------------------------------------------------------------
static enum ww_status through_memory(const char *dir, const char *name, const struct account *a,
                                     void (*write)(const struct account *, FILE *),
                                     struct diags *d) {
    char path[4096], *text = NULL;
    size_t len = 0;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = open_memstream(&text, &len);
    if (!f) return diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", path);
    write(a, f);
    enum ww_status s = WW_OK;
    if (fclose(f) != 0) s = diag_add(d, WW_ERROR_MEMORY, "out of memory for %s", path);
    if (s == WW_OK) s = file_write_atomic(path, text, len, d);
    free(text);
    return s;
}

static void write_json(const struct account *a, FILE *f) {
    json_t *o = account_json(a, true);
    json_dumpf(o, f, JSON_INDENT(1));
    fputc('\n', f);
    json_decref(o);
}

enum ww_status account_write(const struct account *a, const char *dir, struct diags *d) {
    const enum ww_status made = file_make_folder(dir, d);
    if (made != WW_OK) return made;
    bool intervals = false;
    for (uint32_t i = 0; i < a->n; i++) intervals = intervals || a->kernel[i].kernel->n_intervals;
    enum ww_status s = through_memory(dir, "power.json", a, write_json, d);
    if (s == WW_OK) s = through_memory(dir, "power.csv", a, account_csv, d);
    if (s == WW_OK && intervals)
        s = through_memory(dir, "power-intervals.csv", a, account_intervals_csv, d);
    return s;
}
