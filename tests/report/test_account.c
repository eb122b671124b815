// The energy account: components sum to the total, intervals to their kernel, kernels and gaps to
// the run, two half runs to the whole; what overlapped is counted once. Expected sums are made
// here, from the tree's own rows and from integer counters, by another way than the account's.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "gpu/fields.h"
#include "activity/mem.h"
#include "activity/sm.h"
#include "power/effect.h"
#include "power/power_gpu.h"
#include "report/account.h"

struct model {
    struct gpu_config gpu;
    struct power_config config;
    struct power_tree tree;
};

static struct model *model_of(const char *gpu) {
    struct model *m = calloc(1, sizeof *m);
    struct diags d;
    diags_init(&d);
    char path[512];
    snprintf(path, sizeof path, WW_SOURCE_DIR "/gpus/%s.yaml", gpu);
    if (gpu_config_load(path, NULL, 0, &d, &m->gpu) != WW_OK ||
        power_config_of(&m->gpu, &m->config, &d) != WW_OK ||
        power_build(&m->config, &m->tree, &d) != WW_OK) {
        diags_print(&d, stderr);
        fail();
    }
    diags_free(&d);
    return m;
}

static uint64_t next(uint64_t *x) {
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x >> 33;
}

static struct activity some(const struct model *m, uint64_t seed, uint64_t most) {
    struct activity a = {.c = {0}};
    for (uint32_t i = 0; i < ACT_N; i++)
        if (act_row_of(i) >= 0) a.c[i] = next(&seed) % most;
    for (uint32_t i = 0; i < ACT_N; i++)
        if (power_effect_charges(&m->tree, i)) a.c[i] = 0; // no technique
    // no --toggle
    for (uint32_t i = ACT_toggle_reads; i <= ACT_toggle_global_bits; i++) a.c[i] = 0;
    return a;
}

static void near(double ours, double theirs) {
    if (!(fabs(ours - theirs) <= 1e-11 * fabs(theirs)))
        fail_msg("%.17g is not %.17g", ours, theirs);
}

// Energy from the tree's rows, without power_run: static watts and events, the regulator's share on
// top.
static double by_hand(const struct power_tree *t, const struct activity *a, double seconds) {
    double dynamic = 0, still = 0;
    for (int i = 0; i < t->events; i++)
        for (uint32_t k = 0; k < t->event[i].n; k++)
            dynamic += t->event[i].energy_j * (double)a->c[t->event[i].act + k];
    for (int i = 0; i < t->components; i++)
        still +=
            t->component[i].leak_sub_w + t->component[i].leak_gate_w + t->component[i].constant_w;
    return dynamic * (1 + (t->regulator >= 0 ? t->regulator_loss : 0)) + still * seconds;
}

static struct account account_of(struct arena *a, const struct model *m,
                                 const struct activity_file *f) {
    struct diags d;
    struct account out;
    diags_init(&d);
    if (account_make(a, m->gpu.name, &m->config, &m->tree, f, &d, &out) != WW_OK) {
        diags_print(&d, stderr);
        fail();
    }
    diags_free(&d);
    return out;
}

static void components(const struct power_tree *t, const struct power_usage *u) {
    double own = 0;
    for (int i = 0; i < t->components; i++) own += u->dynamic_j[i] + u->static_j[i];
    near(own, u->energy_j);
    double leaks = 0; // what leaks either way and what is constant are the static energy
    for (int i = 0; i < t->components; i++) leaks += u->leak_sub_j[i] + u->leak_gate_j[i];
    near(leaks + power_constant_j(u, 0), u->all_static_j[0]);
    struct account_group g[POWER_MAX_COMPONENTS]; // the rows that people see are the whole
    const uint32_t n = account_groups(t, g);
    double groups = 0;
    for (uint32_t i = 0; i < n; i++)
        groups += account_group_dynamic(&g[i], u) + account_group_static(&g[i], u);
    near(groups, u->energy_j);
}

static void conservation(void **state) {
    (void)state;
    static const char *const gpu[] = {"gt240", "gtx480", "gtx580", "gtx780"};
    for (size_t g = 0; g < WW_COUNT(gpu); g++) {
        struct model *m = model_of(gpu[g]);
        struct arena a;
        arena_init(&a, NULL);
        struct activity_kernel k[3] = {{.name = "a", .launch = 1, .seconds = 1e-3},
                                       {.name = "b", .launch = 2, .seconds = 2e-3},
                                       {.name = "a", .launch = 3, .seconds = 5e-4}};
        struct activity sum = {.c = {0}};
        for (uint32_t i = 0; i < 3; i++) {
            k[i].activity = some(m, g * 7 + i, 1000000);
            activity_add(&sum, &k[i].activity);
        }
        const struct activity_file f = {.path = "f", .seconds = 5e-3, .kernel = k, .n = 3};
        const struct account c = account_of(&a, m, &f);
        near(c.kernels.energy_j,
             by_hand(&m->tree, &sum, 3.5e-3)); // kernels are the whole, cut in three
        double each = 0;
        for (uint32_t i = 0; i < 3; i++) each += c.kernel[i].usage.energy_j;
        near(each, c.kernels.energy_j);
        struct activity idle = {.c = {0}}; // 1.5 ms without a kernel
        idle.c[ACT_cycles] = (uint64_t)(1.5e-3 * m->config.core_hz + 0.5);
        idle.c[ACT_sm_idle_cycles] = idle.c[ACT_cycles] * m->config.sms;
        near(c.gaps.seconds, 1.5e-3);
        near(c.gaps.energy_j, by_hand(&m->tree, &idle, 1.5e-3));
        near(c.run.energy_j, c.kernels.energy_j + c.gaps.energy_j);
        near(c.run.seconds, 5e-3);
        components(&m->tree, &c.kernels);
        components(&m->tree, &c.run);
        double through_gates = 0;
        for (int i = 0; i < m->tree.components; i++)
            through_gates += m->tree.component[i].leak_gate_w * 5e-3;
        near(c.run.all_leak_gate_j[0], through_gates);
        for (uint32_t i = 0; i < 3; i++) components(&m->tree, &c.kernel[i].usage);
        double basis = 0;
        for (int i = 0; i < POWER_BASES; i++) basis += c.basis_j[i];
        near(basis, c.kernels.energy_j);
        arena_free(&a);
        free(m);
    }
}

// Bytes that copies move cost the memory's bursts, in the time without a kernel and nowhere else, each
// burst as the tree prices it.
static void copies(void **state) {
    (void)state;
    struct model *m = model_of("gtx480");
    struct arena a;
    arena_init(&a, NULL);
    struct activity_kernel k = {
        .name = "a", .launch = 1, .seconds = 1e-3, .activity = some(m, 1, 1000000)};
    struct activity_file f = {.path = "f", .seconds = 3e-3, .kernel = &k, .n = 1};
    const struct account none = account_of(&a, m, &f);
    f.copy_writes = 64e6, f.copy_reads = 32e6;
    const struct account c = account_of(&a, m, &f);
    assert_true(power_burst_bytes(&m->config) == 32); // 32 bits a channel, bursts of eight
    const double loss = 1 + m->tree.regulator_loss,
                 writes = loss * 2e6 * power_event_energy(&m->tree, ACT_dram_writes),
                 reads = loss * 1e6 * power_event_energy(&m->tree, ACT_dram_reads);
    near(c.gaps.energy_j - none.gaps.energy_j, writes + reads);
    near(c.copied.energy_j, writes + reads);
    near(c.copy_write_j * 64e6, writes);
    near(c.copy_read_j * 32e6, reads);
    assert_true(c.kernels.energy_j == none.kernels.energy_j);
    near(c.run.energy_j, c.kernels.energy_j + c.gaps.energy_j);
    components(&m->tree, &c.gaps);
    f.seconds = 1e-3; // no time without a kernel
    assert_true(account_of(&a, m, &f).run.energy_j == c.kernels.energy_j);
    arena_free(&a);
    free(m);
}

static void two_halves(void **state) {
    (void)state;
    struct model *m = model_of("gtx480");
    struct arena a;
    arena_init(&a, NULL);
    const struct activity first = some(m, 1, 1u << 30), second = some(m, 2, 1u << 30);
    struct activity both = first;
    activity_add(&both, &second);
    struct activity_kernel whole = {.name = "k", .launch = 1, .seconds = 3e-3, .activity = both};
    struct activity_kernel half[2] = {
        {.name = "k", .launch = 1, .seconds = 1e-3, .activity = first},
        {.name = "k", .launch = 1, .seconds = 2e-3, .activity = second}};
    const struct activity_file one = {.path = "f", .kernel = &whole, .n = 1};
    const struct activity_file left = {.path = "f", .kernel = half, .n = 1},
                               right = {.path = "f", .kernel = half + 1, .n = 1};
    const struct account w = account_of(&a, m, &one), l = account_of(&a, m, &left),
                         r = account_of(&a, m, &right);
    near(w.run.energy_j, l.run.energy_j + r.run.energy_j);
    for (int i = 0; i < m->tree.components; i++)
        if (w.run.all_dynamic_j[i] > 0)
            near(w.run.all_dynamic_j[i], l.run.all_dynamic_j[i] + r.run.all_dynamic_j[i]);
    assert_true(w.gaps.seconds == 0); // the file says of no time beside kernels
    arena_free(&a);
    free(m);
}

// Two kernels side by side, each holding the other's counts, and one alone.
static void overlapped(void **state) {
    (void)state;
    struct model *m = model_of("gtx480");
    struct arena a;
    arena_init(&a, NULL);
    const struct activity x = some(m, 3, 1000000), y = some(m, 4, 1000000);
    struct activity seen = x;
    activity_add(&seen, &y);
    struct activity_kernel k[3] = {
        {.name = "x", .launch = 1, .seconds = 1e-3, .overlapped = true, .activity = seen},
        {.name = "y", .launch = 2, .seconds = 1e-3, .overlapped = true, .activity = seen},
        {.name = "z", .launch = 3, .seconds = 1e-3, .activity = x}};
    struct activity_file f = {
        .path = "f", .seconds = 2e-3, .has_total = true, .busy_seconds = 2e-3, .kernel = k, .n = 3};
    f.total = seen;
    activity_add(&f.total, &x);
    const struct account c = account_of(&a, m, &f);
    near(c.kernels.energy_j, by_hand(&m->tree, &f.total, 2e-3));
    near(c.kernel[2].usage.energy_j, by_hand(&m->tree, &x, 1e-3)); // it ran alone
    double each = 0;
    for (uint32_t i = 0; i < 3; i++) each += c.kernel[i].usage.energy_j;
    near(each, c.kernels.energy_j);
    near(c.kernel[0].usage.energy_j, c.kernel[1].usage.energy_j);
    for (uint32_t i = 0; i < 3; i++) components(&m->tree, &c.kernel[i].usage);
    assert_true(c.overlapped);
    arena_free(&a);
    free(m);
}

// Only what costs energy is asked for, and all of it.
static void needs(void **state) {
    (void)state;
    struct model *m = model_of("gt240");
    bool needed[ACT_N];
    account_needs(&m->tree, needed);
    for (uint32_t i = 0; i < ACT_N; i++) {
        struct activity one = {.c = {0}};
        const double none = by_hand(&m->tree, &one, 1);
        one.c[i] = 1000000000000;
        const bool costs = by_hand(&m->tree, &one, 1) > none;
        if (i != ACT_cycles) assert_int_equal(needed[i], costs);
    }
    assert_true(needed[ACT_cycles]);
    assert_false(needed[ACT_l2_reads]); // gt240 has no L2
    free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(conservation), cmocka_unit_test(copies),
                                       cmocka_unit_test(two_halves), cmocka_unit_test(overlapped),
                                       cmocka_unit_test(needs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
