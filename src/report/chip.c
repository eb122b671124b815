// `warpwatt chip` for people and for programs.
#include "report/chip.h"

static double real(const struct gpu_config *g, const char *key) { return gpu_config_real(g, key); }
static const char *word(const struct gpu_config *g, const char *key) {
    return gpu_config_word(g, key);
}

static double own_still(const struct power_component *p) {
    return p->leak_sub_w + p->leak_gate_w + p->constant_w;
}

// Static power of components that rest on a fitted constant, and of the clock among them; what the
// regulator loses on their behalf is counted with them.
static double fitted_still(const struct power_tree *t, bool with_clock) {
    double w = 0;
    for (int i = 0; i < t->components; i++) {
        const struct power_component *p = &t->component[i];
        if (p->basis != POWER_FITTED) continue;
        if (with_clock || strcmp(p->name, "rest_clock") != 0) w += own_still(p);
    }
    return w * (1 + t->regulator_loss);
}

enum ww_status chip_report_make(const struct gpu_config *gpu, struct diags *d,
                                struct chip_report *out) {
    *out = (struct chip_report){.gpu = gpu};
    enum ww_status s = power_config_of(gpu, &out->config, d);
    if (!s) s = power_build(&out->config, &out->tree, d);
    struct power_config hot = out->config;
    if (hot.limit_k > 0) hot.temperature_k = hot.limit_k;
    struct power_tree peak;
    if (!s) s = power_build(&hot, &peak, d);
    if (!s) s = power_peak(&out->config, &out->peak_w, d);
    if (s) return s;
    const struct power_tree *t = &out->tree;
    const struct power_component *chip = &t->component[power_find(t, "chip")];
    out->area_mm2 = chip->all_area_mm2;
    out->leak_w = chip->all_leak_sub_w + chip->all_leak_gate_w;
    out->leak_gate_w = chip->all_leak_gate_w;
    out->idle_w = power_still(t, 0);
    const double clock_w =
        t->component[power_find(t, "rest_clock")].constant_w * (1 + t->regulator_loss);
    out->still_w = out->idle_w - clock_w;
    double area = 0;
    for (int i = 0; i < t->components; i++)
        if (t->component[i].basis == POWER_FITTED) area += t->component[i].area_mm2;
    out->fitted_area = area / out->area_mm2;
    out->fitted_still = fitted_still(t, false) / out->still_w;
    out->fitted_peak = fitted_still(&peak, true) / out->peak_w;
    return WW_OK;
}

static int depth_of(const struct power_tree *t, int i) {
    int depth = 0;
    while ((i = t->component[i].parent) >= 0) depth++;
    return depth;
}

// Children in the tree's order, each with all that is below it.
static void print_below(const struct power_tree *t, int i, int depth, int most, FILE *out) {
    const struct power_component *p = &t->component[i];
    fprintf(out, "%*s%-*s %6u %9.3f %10.3f %7.3f %10.3f %9.3f  %s\n", 2 * depth, "", 24 - 2 * depth,
            p->name, p->count, p->all_area_mm2, p->all_leak_sub_w, p->all_leak_gate_w,
            p->all_constant_w, p->all_peak_w, power_basis_name(p->basis));
    if (most >= 0 && depth >= most) return;
    for (int k = i + 1; k < t->components; k++)
        if (t->component[k].parent == i) print_below(t, k, depth + 1, most, out);
}

static void beside(FILE *out, const char *what, const char *unit, double ours, double theirs) {
    fprintf(out, "%-34s %9.1f", what, ours);
    if (theirs > 0)
        fprintf(out, " %9.1f %+8.1f %%  %s\n", theirs, 100 * (ours / theirs - 1), unit);
    else
        fprintf(out, " %9s %8s    %s\n", "-", "", unit);
}

void chip_report_print(const struct chip_report *r, int depth, FILE *out) {
    const struct gpu_config *g = r->gpu;
    fprintf(out, "%s (%s): %g nm, %g V, %g MHz (lanes %g MHz), %g K\n\n", word(g, "product"),
            word(g, "chip"), real(g, "tech.node_nm"), real(g, "tech.vdd_v"),
            real(g, "clocks.core_mhz"), real(g, "clocks.hot_mhz"), real(g, "tech.temperature_k"));
    fprintf(out, "%-24s %6s %9s %10s %7s %10s %9s  %s\n", "component", "count", "area mm2",
            "leakage W", "gate W", "constant W", "peak W", "basis");
    print_below(&r->tree, 0, 0, depth, out);
    fprintf(out, "\n%-34s %9s %9s %10s\n", "", "ours", "vendor", "off by");
    beside(out, "die area", "mm2", r->area_mm2, real(g, "tech.die_mm2"));
    char peak[64];
    snprintf(peak, sizeof peak, "peak at %g K, duty %.3g",
             r->config.limit_k > 0 ? r->config.limit_k : real(g, "tech.temperature_k"),
             r->tree.peak_duty);
    beside(out, peak, "W", r->peak_w, real(g, "tech.tdp_w"));
    beside(out, "static, or idle as published", "W", r->still_w, real(g, "tech.idle_w"));
    beside(out, "with the clock that always runs", "W", r->idle_w, 0);
    if (real(g, "tech.idle_w") > 0 && *word(g, "tech.idle_what"))
        fprintf(out, "(the published %g W: %s)\n", real(g, "tech.idle_w"),
                word(g, "tech.idle_what"));
    fprintf(out,
            "\nleakage: below the threshold; gate: through gate oxides; both from the device table "
            "of %g nm\n",
            real(g, "tech.node_nm"));
    fprintf(
        out,
        "\nresting on constants that the GPU file marks as fitted: %.0f %% of the area, %.0f %% of "
        "the static\npower, %.0f %% of the peak%s. %s\n",
        100 * r->fitted_area, 100 * r->fitted_still, 100 * r->fitted_peak,
        r->tree.peak_duty < 1 ? " (whose duty is fitted too)" : "",
        gpu_config_flag(g, "power.fitted_here")
            ? "They are fitted to this chip, some to others too."
            : "They are fitted to other chips: its figures are predictions.");
}

static json_t *component_json(const struct power_tree *t, int i) {
    const struct power_component *p = &t->component[i];
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(p->name));
    json_object_set_new(o, "parent",
                        p->parent < 0 ? json_null() : json_string(t->component[p->parent].name));
    json_object_set_new(o, "depth", json_integer(depth_of(t, i)));
    json_object_set_new(o, "count", json_integer(p->count));
    json_object_set_new(o, "basis", json_string(power_basis_name(p->basis)));
    json_object_set_new(o, "model", json_string(p->prose));
    const struct {
        const char *name;
        double own, all;
    } figure[] = {{"area_mm2", p->area_mm2, p->all_area_mm2},
                  {"leak_sub_w", p->leak_sub_w, p->all_leak_sub_w},
                  {"leak_gate_w", p->leak_gate_w, p->all_leak_gate_w},
                  {"constant_w", p->constant_w, p->all_constant_w},
                  {"peak_w", p->peak_w, p->all_peak_w}};
    json_t *own = json_object();
    for (size_t k = 0; k < WW_COUNT(figure); k++) {
        json_object_set_new(o, figure[k].name, json_real(figure[k].all));
        json_object_set_new(own, figure[k].name, json_real(figure[k].own));
    }
    json_object_set_new(o, "own", own);
    json_t *events = json_object();
    for (int k = 0; k < t->events; k++) {
        const struct power_event *e = &t->event[k];
        if (e->component != i || !(e->energy_j > 0)) continue;
        for (uint32_t a = 0; a < act_rows(); a++) {
            if (e->act < act_row(a)->first || e->act >= act_row(a)->first + act_row(a)->n) continue;
            char name[96];
            if (act_row(a)->n > 1 && e->n == 1)
                snprintf(name, sizeof name, "%s.%u", act_row(a)->name, e->act - act_row(a)->first);
            else
                snprintf(name, sizeof name, "%s", act_row(a)->name);
            const json_t *before = json_object_get(events, name);
            json_object_set_new(events, name, json_real(e->energy_j + json_real_value(before)));
        }
    }
    json_object_set_new(o, "energy_j", events);
    return o;
}

json_t *chip_report_json(const struct chip_report *r) {
    const struct gpu_config *g = r->gpu;
    json_t *o = json_object(), *list = json_array(), *vendor = json_object(),
           *fitted = json_object();
    json_object_set_new(o, "format", json_integer(1));
    json_object_set_new(o, "gpu", json_string(gpu_config_name(g)));
    json_object_set_new(o, "product", json_string(word(g, "product")));
    json_object_set_new(o, "chip", json_string(word(g, "chip")));
    json_object_set_new(o, "node_nm", json_real(real(g, "tech.node_nm")));
    json_object_set_new(o, "vdd_v", json_real(real(g, "tech.vdd_v")));
    json_object_set_new(o, "core_mhz", json_real(real(g, "clocks.core_mhz")));
    json_object_set_new(o, "temperature_k", json_real(real(g, "tech.temperature_k")));
    json_object_set_new(o, "limit_k", json_real(r->config.limit_k));
    json_object_set_new(o, "peak_duty", json_real(r->tree.peak_duty));
    json_object_set_new(o, "area_mm2", json_real(r->area_mm2));
    json_object_set_new(o, "leak_w", json_real(r->leak_w));
    json_object_set_new(o, "leak_gate_w", json_real(r->leak_gate_w));
    json_object_set_new(o, "static_w", json_real(r->still_w));
    json_object_set_new(o, "idle_w", json_real(r->idle_w));
    json_object_set_new(o, "peak_w", json_real(r->peak_w));
    json_object_set_new(vendor, "area_mm2", json_real(real(g, "tech.die_mm2")));
    json_object_set_new(vendor, "peak_w", json_real(real(g, "tech.tdp_w")));
    json_object_set_new(vendor, "static_or_idle_w",
                        real(g, "tech.idle_w") > 0 ? json_real(real(g, "tech.idle_w"))
                                                   : json_null());
    json_object_set_new(vendor, "static_or_idle", json_string(word(g, "tech.idle_what")));
    json_object_set_new(o, "vendor", vendor);
    json_object_set_new(fitted, "area", json_real(r->fitted_area));
    json_object_set_new(fitted, "static", json_real(r->fitted_still));
    json_object_set_new(fitted, "peak", json_real(r->fitted_peak));
    json_object_set_new(o, "fitted_share", fitted);
    json_object_set_new(o, "prediction", json_boolean(!gpu_config_flag(g, "power.fitted_here")));
    for (int i = 0; i < r->tree.components; i++)
        json_array_append_new(list, component_json(&r->tree, i));
    json_object_set_new(o, "components", list);
    return o;
}
