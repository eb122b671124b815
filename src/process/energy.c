// See energy.h.
#include "process/energy.h"

#include <stdlib.h>

#include "gpu/gpu.h"
#include "power/power_gpu.h"
#include "process/process.h"
#include "report/account.h"

// Made at the first question: most programs have none.
static struct model {
    const struct gpu_config *of;
    struct power_config config;
    struct power_tree tree;
    bool is_good;
} * model;

void process_energy_forget(void) {
    free(model);
    model = NULL;
}

static const struct model *model_of(const struct gpu_config *c) {
    if (model && model->of == c) return model->is_good ? model : NULL;
    process_energy_forget();
    model = c ? calloc(1, sizeof *model) : NULL;
    if (!model) return NULL;
    model->of = c;
    struct diags d;
    diags_init(&d);
    enum ww_status s = power_config_of(c, &model->config, &d);
    if (s == WW_OK) s = power_build(&model->config, &model->tree, &d);
    model->is_good = s == WW_OK;
    diags_free(&d); // the account says why there is none
    return model->is_good ? model : NULL;
}

static double idle_w(const struct model *m, const struct gpu_config *c) {
    enum { CYCLES = 1000 };
    struct activity idle = {.c = {0}};
    act_put(&idle, "cycles", CYCLES);
    act_put(&idle, "sm_idle_cycles", CYCLES * gpu_config_count(c, "sm_count"));
    struct power_usage u;
    struct diags d;
    diags_init(&d);
    const bool ok = power_run(&m->tree, &idle, CYCLES / m->config.core_hz, &u, &d) == WW_OK;
    diags_free(&d);
    return ok ? u.power_w : 0;
}

// The energy of `seconds` in which `busy_s` were kernels'.
static bool account_of(const struct model *m, const struct gpu_config *c,
                       const struct gpu_totals *t, double seconds, struct account *out,
                       struct arena *a) {
    struct activity_kernel all = {
        .name = "", .seconds = t->kernel_seconds, .activity = t->activity};
    act_put(&all.activity, "cycles", t->kernel_cycles);
    // SMs without work are in no device's totals (account_once)
    const uint64_t sms = gpu_config_count(c, "sm_count") * t->kernel_cycles,
                   busy = act_get(&all.activity, "sm_busy_cycles");
    if (!act_get(&all.activity, "sm_idle_cycles") && sms > busy)
        act_put(&all.activity, "sm_idle_cycles", sms - busy);
    const struct process_copied copied = process_copied();
    const struct activity_file file = {.path = "",
                                       .core_hz = m->config.core_hz,
                                       .seconds = seconds,
                                       .copy_writes = copied.writes,
                                       .copy_reads = copied.reads,
                                       .kernel = &all,
                                       .n = 1};
    struct diags d;
    diags_init(&d);
    const bool ok =
        account_make(a, gpu_config_name(c), &m->config, &m->tree, &file, &d, out) == WW_OK;
    diags_free(&d);
    return ok;
}

bool process_energy(struct process_energy *out) {
    struct gpu *const g = process_gpu();
    const struct gpu_config *const c = g ? gpu_config_of(g) : process_config_ahead();
    const struct model *const m = model_of(c);
    *out = (struct process_energy){.seconds = 0};
    if (!m) return false;
    out->idle_w = idle_w(m, c);
    if (!g) return true; // nothing was spent
    struct gpu_totals t;
    gpu_totals(g, &t);
    const double bytes = (double)(act_get(&t.activity, "dram_read_bytes") +
                                  act_get(&t.activity, "dram_write_bytes"));
    const double peak = gpu_config_real(c, "mem.partitions") *
                        gpu_config_real(c, "mem.dram.channels_per_partition") *
                        gpu_config_real(c, "mem.dram.bus_bits") / 8.0 *
                        gpu_config_real(c, "mem.dram.data_rate") *
                        gpu_config_real(c, "clocks.dram_mhz") * 1e6;
    out->seconds = t.seconds;
    out->kernel_s = t.kernel_seconds;
    out->dram_s = peak > 0 ? bytes / peak : 0;
    struct arena a;
    arena_init(&a, NULL);
    struct account *const account = arena_alloc(&a, sizeof *account);
    const bool ok = account_of(m, c, &t, t.seconds, account, &a);
    if (ok) out->joules = account->run.energy_j;
    arena_free(&a);
    return ok;
}
