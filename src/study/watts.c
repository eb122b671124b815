// The power model as a study sees it: the tree of one configuration, and what a run's counters
// cost.
#include "study/study.h"

#include <math.h>

#include "power/effect.h"
#include "power/power_gpu.h"
#include "power/unsure.h"

struct watts {
    struct power_tree tree;
    double design_w, idle_w;
};

// A second in which no SM has work.
static enum ww_status idle(struct watts *w, const struct power_config *c, struct diags *d) {
    struct activity a = {.c = {0}};
    struct power_usage use;
    act_put(&a, "cycles", (uint64_t)c->core_hz);
    act_put(&a, "sm_idle_cycles", act_get(&a, "cycles") * c->sms);
    const enum ww_status s = power_run(&w->tree, &a, 1, &use, d);
    if (s == WW_OK) w->idle_w = use.power_w;
    return s;
}

struct watts *watts_new(struct arena *a, const struct gpu_config *c, const char **why) {
    struct watts *w = arena_alloc(a, sizeof *w);
    struct diags d;
    diags_init(&d);
    struct power_config pc;
    enum ww_status s = power_config_of(c, &pc, &d);
    if (s == WW_OK) s = power_build(&pc, &w->tree, &d);
    if (s == WW_OK) s = power_peak(&pc, &w->design_w, &d);
    if (s == WW_OK) s = idle(w, &pc, &d);
    if (s != WW_OK) {
        char text[600];
        diags_first(&d, text, sizeof text);
        *why = arena_strdup(a, text);
    }
    diags_free(&d);
    return s == WW_OK ? w : NULL;
}

int watts_component(const struct watts *w, const char *name) {
    return *name ? power_find(&w->tree, name) : 0;
}

const char *watts_name(const struct watts *w, int component) {
    return component < w->tree.components ? w->tree.component[component].name : NULL;
}

bool watts_run(const struct watts *w, const struct activity *a, double seconds, int component,
               struct watts_joules *out) {
    struct power_usage use;
    struct diags d;
    diags_init(&d);
    const bool ok = power_run(&w->tree, a, seconds, &use, &d) == WW_OK;
    diags_free(&d);
    if (!ok) return false;
    const struct unsure_interval within = unsure_power(&w->tree, &use);
    *out = (struct watts_joules){use.all_dynamic_j[component], use.all_static_j[component],
                                 use.all_leak_gate_j[component], within.low, within.high};
    return true;
}

double watts_of(const struct watts *w, int component, enum watts_figure what) {
    const struct power_component *c = &w->tree.component[component];
    switch (what) {
    case WATTS_AREA_MM2: return c->all_area_mm2;
    case WATTS_LEAK_W: return c->all_leak_sub_w + c->all_leak_gate_w;
    case WATTS_GATE_LEAK_W: return c->all_leak_gate_w;
    case WATTS_PEAK_W: return c->all_peak_w;
    case WATTS_CONSTANT_W: return c->all_constant_w;
    case WATTS_DESIGN_W: return w->design_w;
    case WATTS_IDLE_W: return w->idle_w;
    }
    return NAN;
}

double watts_added_mm2(const struct watts *w, const struct activity *a, double seconds,
                       const char *component, const char *words) {
    struct power_savings s;
    power_savings(&w->tree, a, seconds, &s);
    double all = 0;
    for (uint32_t i = 0; i < w->tree.rows.areas; i++) {
        const struct savings_area *const r = w->tree.rows.area[i].is;
        if ((!*component || strcmp(component, r->component) == 0) && strstr(r->what, words))
            all += s.area_mm2[i];
    }
    return all;
}

double watts_event_j(const struct watts *w, uint32_t act) {
    return power_event_energy(&w->tree, act);
}
