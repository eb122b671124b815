// The power model's part of the public header, warpwatt.h: no simulation, only counts.
#include <stdlib.h>

#include "gpu/fields.h"
#include "gpu/gpu.h"
#include "power/power_gpu.h"
#include "warpwatt.h"

struct ww_power {
    struct gpu_config gpu;
    struct power_config config;
    struct power_tree tree;
    struct activity activity;
    struct power_usage usage;
    double peak_w;
};

// Builds the model of p->gpu when `s` is WW_OK. Answers p in *out, or frees it and leaves the
// sentences of `d` in `error`.
static enum ww_status build(struct ww_power *p, enum ww_status s, struct diags *d, char *error,
                            size_t error_size, ww_power **out) {
    if (!s) s = power_config_of(&p->gpu, &p->config, d);
    if (!s) s = power_build(&p->config, &p->tree, d);
    if (!s) s = power_peak(&p->config, &p->peak_w, d);
    if (s && error && error_size) {
        FILE *f = fmemopen(error, error_size, "w");
        if (f) {
            diags_print(d, f);
            fclose(f); // ends the text with a zero, cut where it must be
            error[error_size - 1] = 0;
        }
    }
    diags_free(d);
    if (s) {
        free(p);
        p = NULL;
    }
    *out = p;
    return s;
}

static struct ww_power *begin(struct diags *d, char *error, size_t error_size, enum ww_status *s) {
    if (error && error_size) *error = 0;
    diags_init(d);
    struct ww_power *p = calloc(1, sizeof *p);
    *s = p ? WW_OK : diag_add(d, WW_ERROR_MEMORY, "out of memory");
    return p;
}

enum ww_status ww_power_open(const char *gpu, const char *const *overrides, uint32_t override_count,
                             char *error, size_t error_size, ww_power **out) {
    struct diags d;
    enum ww_status s;
    struct ww_power *p = begin(&d, error, error_size, &s);
    if (!s) s = gpu_config_load(gpu, overrides, override_count, &d, &p->gpu);
    return build(p, s, &d, error, error_size, out);
}

enum ww_status ww_power_of_gpu(const ww_gpu *gpu, char *error, size_t error_size, ww_power **out) {
    struct diags d;
    enum ww_status s;
    struct ww_power *p = begin(&d, error, error_size, &s);
    if (!s) p->gpu = *gpu_api_config(gpu);
    return build(p, s, &d, error, error_size, out);
}

void ww_power_close(ww_power *p) { free(p); }

enum ww_status ww_power_count(ww_power *p, const char *counter, uint32_t index, uint64_t value) {
    int row = act_find(counter);
    if (row < 0 || index >= act_row(row)->n) return WW_ERROR_USAGE;
    p->activity.c[act_row(row)->first + index] = value;
    return WW_OK;
}

enum ww_status ww_power_run(ww_power *p, double seconds) {
    struct diags d;
    diags_init(&d);
    enum ww_status s = power_run(&p->tree, &p->activity, seconds, &p->usage, &d);
    diags_free(&d);
    return s;
}

enum ww_status ww_power_run_result(ww_power *p, const ww_gpu *gpu, size_t i) {
    const struct gpu_result *r = gpu_api_result(gpu, i);
    if (!r || !(r->seconds > 0)) return WW_ERROR_USAGE;
    p->activity = r->activity;
    return ww_power_run(p, r->seconds);
}

double ww_power_peak(const ww_power *p) { return p->peak_w; }

size_t ww_power_parts(const ww_power *p) { return (size_t)p->tree.components; }

enum ww_status ww_power_part_get(const ww_power *p, size_t i, struct ww_power_part *part) {
    if (i >= (size_t)p->tree.components) return WW_ERROR_USAGE;
    const struct power_component *c = &p->tree.component[i];
    const struct ww_power_part full = {
        .size = part->size,
        .name = c->name,
        .parent = c->parent < 0 ? NULL : p->tree.component[c->parent].name,
        .model = c->prose,
        .basis = power_basis_name(c->basis),
        .count = c->count,
        .area_mm2 = c->all_area_mm2,
        .leakage_w = c->all_leak_sub_w + c->all_leak_gate_w,
        .constant_w = c->all_constant_w,
        .peak_w = c->all_peak_w,
        .dynamic_j = p->usage.all_dynamic_j[i],
        .static_j = p->usage.all_static_j[i],
        .gate_leakage_w = c->all_leak_gate_w,
        .gate_leakage_j = p->usage.all_leak_gate_j[i],
    };
    memcpy(part, &full, part->size < sizeof full ? part->size : sizeof full);
    return WW_OK;
}
