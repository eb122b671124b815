// The sampled waveform of a run: its integral is the account's energy, rails are the board's power,
// marks hold their kernels, noise is the converter's and comes from the seed. Expected values come
// from the account and from the tree.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "activity/sm.h"
#include "gpu/fields.h"
#include "power/power_gpu.h"
#include "report/probe.h"

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

static void near(double ours, double theirs) {
    if (!(fabs(ours - theirs) <= 1e-9 * fabs(theirs))) fail_msg("%.17g is not %.17g", ours, theirs);
}

static uint64_t next(uint64_t *x) {
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x >> 33;
}

// Launches at their places in the run, of which `side_by_side` run at once; the first has
// intervals.
enum { LAUNCHES = 3, PARTS = 7, COPIED = 3000000 };
struct made {
    struct model *m;
    struct arena arena;
    struct activity_kernel kernel[LAUNCHES];
    struct activity_interval part[PARTS];
    struct activity_file file;
    struct run run;
    struct account account;
};

static void count(struct model *m, struct activity *a, uint64_t cycles, uint64_t *seed) {
    memset(a, 0, sizeof *a);
    a->c[ACT_cycles] = cycles;
    a->c[ACT_sm_busy_cycles] = cycles * m->config.sms;
    a->c[ACT_warp_instructions] = cycles * (1 + next(seed) % 20);
    a->c[ACT_rf_reads] = cycles * (1 + next(seed) % 50);
    a->c[act_number("dram_reads")] = cycles * (next(seed) % 3);
}

static struct made *make_run(const char *gpu, bool side_by_side) {
    struct made *q = calloc(1, sizeof *q);
    struct diags d;
    uint64_t seed = 7;
    diags_init(&d);
    arena_init(&q->arena, NULL);
    q->m = model_of(gpu);
    const double start[LAUNCHES] = {1e-3, side_by_side ? 1.5e-3 : 3.1e-3, 6.25e-3};
    const double seconds[LAUNCHES] = {1.7e-3, 2e-3, 3.3e-5};
    q->run.launches = json_array(), q->run.copies = json_array(), q->run.errors = json_array();
    json_array_append_new(q->run.copies, json_pack("{s:s,s:f,s:f,s:f,s:i}", "kind",
                                                   "copy to the device", "start_s", 0.0, "seconds",
                                                   9e-4, "alone_s", 9e-4, "bytes", COPIED));
    for (int i = 0; i < LAUNCHES; i++) {
        struct activity_kernel *const k = &q->kernel[i];
        const uint64_t cycles = (uint64_t)(seconds[i] * q->m->config.core_hz) / PARTS * PARTS;
        *k = (struct activity_kernel){
            .name = "k", .launch = (uint64_t)i + 1, .launches = 1, .seconds = seconds[i]};
        count(q->m, &k->activity, cycles, &seed);
        if (i < 2) k->overlapped = side_by_side;
        json_array_append_new(q->run.launches,
                              json_pack("{s:i,s:s,s:f,s:f}", "id", i + 1, "kernel", "k", "start_s",
                                        start[i], "seconds", seconds[i]));
    }
    struct activity_kernel *const first = &q->kernel[0];
    const uint64_t cycles = first->activity.c[ACT_cycles];
    memset(&first->activity, 0, sizeof first->activity);
    for (uint64_t i = 0; i < PARTS; i++) {
        q->part[i].from = cycles / PARTS * i, q->part[i].to = cycles / PARTS * (i + 1);
        count(q->m, &q->part[i].activity, cycles / PARTS, &seed);
        activity_add(&first->activity, &q->part[i].activity);
    }
    first->interval = q->part, first->n_intervals = PARTS;
    q->file = (struct activity_file){.path = "f",
                                     .seconds = 7.123e-3,
                                     .copy_writes = COPIED,
                                     .kernel = q->kernel,
                                     .n = LAUNCHES};
    if (side_by_side) {
        q->file.has_total = true, q->file.busy_seconds = 2.5e-3 + seconds[2];
        for (int i = 0; i < LAUNCHES; i++) activity_add(&q->file.total, &q->kernel[i].activity);
        q->file.total.c[ACT_cycles] = (uint64_t)(q->file.busy_seconds * q->m->config.core_hz);
    }
    if (account_make(&q->arena, gpu, &q->m->config, &q->m->tree, &q->file, &d, &q->account) !=
        WW_OK) {
        diags_print(&d, stderr);
        fail();
    }
    diags_free(&d);
    return q;
}

static void drop(struct made *q) {
    json_decref(q->run.launches), json_decref(q->run.copies), json_decref(q->run.errors);
    arena_free(&q->arena);
    free(q->m);
    free(q);
}

static struct probe probe_of(struct made *q, double hz, double noise, uint64_t seed) {
    const struct probe_options o = {.hz = hz, .noise = noise, .seed = seed};
    struct probe p;
    struct diags d;
    diags_init(&d);
    if (probe_make(&q->arena, &q->run, &q->account, &q->m->gpu, &o, &d, &p) != WW_OK) {
        diags_print(&d, stderr);
        fail();
    }
    diags_free(&d);
    return p;
}

static void conservation(void **state) {
    (void)state;
    static const char *const gpu[] = {"gt240-ddr3", "gtx480", "gtx580", "v100"};
    static const double hz[] = {1, 100, 31200, 1e6 / 3, 2e6};
    for (size_t g = 0; g < 2 * WW_COUNT(gpu); g++) {
        struct made *q = make_run(gpu[g / 2], g % 2 == 1);
        for (size_t h = 0; h < WW_COUNT(hz); h++) {
            const struct probe p = probe_of(q, hz[h], 0, 1);
            assert_int_equal(p.n, (uint32_t)ceil(7.123 * hz[h] / 1000 - 1e-6));
            near(p.energy_j, q->account.run.energy_j);
            double joules = 0, seconds = 0, rails = 0;
            for (uint32_t k = 0; k < p.n; k++) {
                double w = 0;
                for (uint32_t i = 0; i < p.rails; i++) w += p.rail[i].v[k] * p.rail[i].a[k];
                near(w, p.power_w[k]); // rails are the board
                joules += w * probe_period(&p, k), seconds += probe_period(&p, k);
            }
            for (uint32_t i = 0; i < p.rails; i++) rails += p.rail[i].mean_w;
            near(joules, q->account.run.energy_j);
            near(seconds, 7.123e-3);
            near(rails * 7.123e-3, q->account.run.energy_j);
        }
        drop(q);
    }
}

// Where a kernel runs its power is seen, where none runs that of the gaps; what is read between a
// kernel's marks comes to its energy as samples get short, and is that of its neighbours where it
// is shorter than a sample.
static void over_time(void **state) {
    (void)state;
    struct made *q = make_run("gt240-ddr3", false);
    const struct probe p = probe_of(q, 1e6, 0, 1);
    assert_int_equal(p.steps, LAUNCHES + 1);
    const double copied_j = q->account.copied.energy_j,
                 idle_w = (q->account.gaps.energy_j - copied_j) / q->account.gaps.seconds;
    assert_true(copied_j > 0);
    near(p.power_w[500], idle_w + copied_j / 9e-4); // while copying
    near(p.reading[0].power_w, p.step[0].energy_j / 9e-4);
    near(p.power_w[6000], idle_w); // between the second and the third
    near(p.power_w[4000], q->account.kernel[1].usage.power_w);
    for (uint32_t i = 0; i < PARTS; i++) { // the middle of each interval of the first
        struct power_usage u;
        assert_true(account_interval(&q->account, &q->kernel[0], i, &u));
        near(p.power_w[(uint32_t)(1000 + 1700 * (i + 0.5) / PARTS)], u.power_w);
    }
    for (uint32_t i = 0; i < p.steps; i++) // to a sample at either end
        assert_true(fabs(p.reading[i].energy_j - p.step[i].energy_j) <= 2 * 60 * 1e-6);
    near(p.reading[1].energy_j, q->account.kernel[0].usage.energy_j); // marks on samples
    near(p.reading[1].power_w * 1.7e-3, p.reading[1].energy_j);
    const struct probe slow = probe_of(q, 1000, 0, 1);
    const double all = q->account.kernel[2].usage.energy_j, // a thirtieth of its sample
        idle = idle_w * (1e-3 - 3.3e-5);
    near(slow.reading[3].power_w, (all + idle) / 1e-3);
    drop(q);
}

static void split(void **state) {
    (void)state;
    static const struct {
        const char *gpu;
        uint32_t rails;
        double chip; // of 200 W, of which the memory takes 30 and the link 2, on connectors
    } board[] = {{"gt240", 2, 0}, {"gtx480", 4, 168}, {"rtx2060s", 3, 168}};
    for (size_t i = 0; i < WW_COUNT(board); i++) {
        struct made *q = make_run(board[i].gpu, false);
        const struct probe p = probe_of(q, 1000, 0, 1);
        double w[PROBE_RAILS_MOST], sum = 0;
        assert_int_equal(p.rails, board[i].rails);
        probe_split(&p, 200, 2, 30, w);
        for (uint32_t k = 0; k < p.rails; k++) sum += w[k];
        near(sum, 200);
        near(w[0], 2);
        near(w[1], 198 - board[i].chip);
        if (p.rails == 4) near(w[3], 2 * w[2]); // 150 W and 75 W
        probe_split(&p, 400, 20, 100, w);       // beyond what the slot may carry
        near(w[0], 9.9);
        near(w[1], board[i].chip > 0 ? 66 : 390.1);
        drop(q);
    }
}

static void noise(void **state) {
    (void)state;
    struct made *q = make_run("gtx480", false);
    const struct probe exact = probe_of(q, 1e6, 0, 1), a = probe_of(q, 1e6, 1, 1),
                       again = probe_of(q, 1e6, 1, 1), b = probe_of(q, 1e6, 1, 2);
    double sum = 0, squares = 0;
    bool differs = false;
    for (uint32_t k = 0; k < a.n; k++) {
        assert_true(a.power_w[k] == again.power_w[k]);
        differs = differs || a.power_w[k] != b.power_w[k];
        const double e = a.rail[1].a[k] - exact.rail[1].a[k];
        sum += e, squares += e * e;
    }
    assert_true(differs);
    // 118 uV of random noise and a step of 160 uV, of 5 V that stand for 8 A
    const double sigma = 8.0 / 5 * sqrt(118e-6 * 118e-6 + 160e-6 * 160e-6 / 12);
    assert_true(fabs(sum / a.n) < 5 * sigma / sqrt(a.n));
    assert_true(fabs(sqrt(squares / a.n) / sigma - 1) < 0.05);
    assert_true(fabs(a.energy_j / exact.energy_j - 1) < 1e-4);
    const struct probe loud = probe_of(q, 1e6, 100, 1);
    assert_true(fabs(loud.power_w[10] - exact.power_w[10]) >
                10 * fabs(a.power_w[10] - exact.power_w[10]));
    drop(q);
}

static void options(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double hz, noise;
        uint64_t seed;
    } good[] = {{"31200Hz", 31200, 1, 1},
                {"31.2kHz", 31200, 1, 1},
                {"1MHz,seed=9", 1e6, 1, 9},
                {"5", 5, 1, 1},
                {"2e3Hz,noise=0,seed=3", 2000, 0, 3}};
    static const char *const bad[] = {
        "",           "Hz", "0", "-1Hz", "1GHz1", "2GHz", "5s", "31200Hz,seed", "1kHz,noise=-1",
        "1kHz,loud=1"};
    struct arena a;
    arena_init(&a, NULL);
    for (size_t i = 0; i < WW_COUNT(good); i++) {
        struct probe_options o = {0};
        struct diags d;
        diags_init(&d);
        assert_int_equal(probe_options_parse(&a, good[i].text, &d, &o), WW_OK);
        near(o.hz, good[i].hz);
        assert_true(o.noise == good[i].noise && o.seed == good[i].seed);
        diags_free(&d);
    }
    for (size_t i = 0; i < WW_COUNT(bad); i++) {
        struct probe_options o = {0};
        struct diags d;
        diags_init(&d);
        assert_int_equal(probe_options_parse(&a, bad[i], &d, &o), WW_ERROR_USAGE);
        diags_free(&d);
    }
    arena_free(&a);
}

static enum ww_status measured(struct arena *a, const char *text, struct probe_measured *out) {
    char path[] = "/tmp/probe-XXXXXX";
    const int fd = mkstemp(path);
    struct diags d;
    diags_init(&d);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    const enum ww_status s = probe_measured_read(a, path, 2, &d, out);
    unlink(path);
    diags_free(&d);
    return s;
}

static void a_measurement(void **state) {
    (void)state;
    struct arena a;
    struct probe_measured m;
    arena_init(&a, NULL);
    assert_int_equal(measured(&a, "seconds,watts\n2,10\n2.5,20\n", &m), WW_OK);
    assert_true(m.n == 2 && m.t_s[1] == 0.5 && m.power_w[1] == 20);
    assert_int_equal(measured(&a, "slot_w,celsius,time_ms,six_w\r\n10,50,2000,5\r\n", &m), WW_OK);
    assert_true(m.n == 1 && m.t_s[0] == 0 && m.power_w[0] == 15); // rails are added up
    assert_int_equal(measured(&a, "time_s,power_w,six_w\n2,30,5\n", &m), WW_OK);
    assert_true(m.power_w[0] == 30); // the board's own sum counts
    static const char *const bad[] = {"",
                                      "seconds\n1\n",
                                      "watts\n1\n",
                                      "seconds,watts\n",
                                      "seconds,watts\n1,x\n",
                                      "seconds,watts\n1\n",
                                      "seconds,watts\n2,1\n1,1\n"};
    for (size_t i = 0; i < WW_COUNT(bad); i++)
        assert_int_equal(measured(&a, bad[i], &m), WW_ERROR_USAGE);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conservation), cmocka_unit_test(over_time),
        cmocka_unit_test(split),        cmocka_unit_test(noise),
        cmocka_unit_test(options),      cmocka_unit_test(a_measurement)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
