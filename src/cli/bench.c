// `warpwatt bench`: the simulator's own speed on a fixed set of workloads on gtx480, everything
// counted, one host thread and then two; functional mode; and one thread on v100, beside gtx480's, and on h100.
// Medians of several runs. The same goes to bench.json. With --techniques: how much slower each
// technique makes it, in user seconds of the whole program, over the two-level scheduler that they
// all run on.
#include "gpu/gpu.h"
#include "cli/bench.h"
#include "exec/level.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { MAX_RUNS = 15 };
// The first is what the others are compared with.
static const char *const technique_set[] = {"two-level",
                                            "conv-pg",
                                            "gates",
                                            "naive-blackout",
                                            "coordinated-blackout",
                                            "warped-gates",
                                            "lane-meter",
                                            "lane-pg",
                                            "lane-shifting",
                                            "warp-folding",
                                            "origami-scheduler",
                                            "folding-scheduler",
                                            "origami",
                                            "meters",
                                            "drowsy-caches",
                                            "mask-caches",
                                            "power-aware-caches",
                                            "drowsy-everywhere",
                                            "cache-decay"};
static const char *const technique_bench_set[] = {"hotspot", "matrixMul", "bfs", "BlackScholes"};
static const char *const bench_set[] = {"BlackScholes", "matrixMul", "hotspot",
                                        "reduction",    "bfs",       "nbody"};

struct sample {
    double host_s, user_s, rss_mb;
    uint64_t cycles, warp, thread, signature; // signature: all counters folded, must not vary
};

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t fold(const json_t *activity) {
    uint64_t h = 1469598103934665603u;
    for (uint32_t k = 0; k < act_rows(); k++)
        for (uint32_t n = 0; n < act_row(k)->n; n++)
            h = (h ^ run_counter_at(activity, act_row(k)->name, n)) * 1099511628211u;
    return h;
}

// `gpu`, `policies`, which code and whether it is functional from `how`.
static int run_once(struct cli *c, const struct workload *w, uint32_t threads,
                    const struct session *how, struct sample *out) {
    const char *const record = cli_temporary_name(c);
    if (!record) return cli_fail(c, WW_ERROR_IO);
    struct run_request q = {.session = {.gpu = how->gpu,
                                        .policies = how->policies,
                                        .code = how->code,
                                        .host_threads = threads,
                                        .functional = how->functional,
                                        .record = record},
                            .json = true, // the workload's own words go to stderr ...
                            .title = w->name};
    char *argv[] = {arena_strdup(&c->arena, w->program), (char *)"bench", NULL};
    const int null = dup(STDERR_FILENO);
    if (!freopen("/dev/null", "w", stderr)) return 2; // ... and from there nowhere
    struct rusage usage;
    const int status = run_child(c, &q, argv, &usage);
    fflush(stderr);
    dup2(null, STDERR_FILENO);
    close(null);
    if (status != 0) {
        unlink(record);
        return cli_usage("bench: workload %s failed; try `warpwatt run --size bench %s`", w->name,
                         w->name) -
               1;
    }
    struct run run;
    const enum ww_status s = run_read(record, &c->diags, &run);
    unlink(record);
    if (s != WW_OK) return cli_fail(c, s);
    *out = (struct sample){.rss_mb = (double)usage.ru_maxrss / 1024,
                           .user_s = (double)usage.ru_utime.tv_sec +
                                     1e-6 * (double)usage.ru_utime.tv_usec};
    size_t i;
    json_t *l;
    json_array_foreach(run.launches, i, l) {
        out->host_s += json_real_value(json_object_get(l, "host_seconds"));
        out->cycles += (uint64_t)json_integer_value(json_object_get(l, "cycles"));
        out->warp += (uint64_t)json_integer_value(json_object_get(l, "warp_instructions"));
        out->thread += (uint64_t)json_integer_value(json_object_get(l, "thread_instructions"));
    }
    json_t *total = run_total_activity(&run);
    out->signature = fold(total);
    json_decref(total);
    run_release(&run);
    return 0;
}

static int by_seconds(const void *a, const void *b) {
    const double x = ((const struct sample *)a)->host_s, y = ((const struct sample *)b)->host_s;
    return x < y ? -1 : x > y;
}

static json_t *row_json(const char *name, uint32_t threads, const struct sample *s) {
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(name));
    json_object_set_new(o, "threads", json_integer(threads));
    json_object_set_new(o, "cycles", json_integer((json_int_t)s->cycles));
    json_object_set_new(o, "warp_instructions", json_integer((json_int_t)s->warp));
    json_object_set_new(o, "thread_instructions", json_integer((json_int_t)s->thread));
    json_object_set_new(o, "host_s", json_real(s->host_s));
    json_object_set_new(o, "user_s", json_real(s->user_s));
    json_object_set_new(o, "warp_instructions_per_s", json_real((double)s->warp / s->host_s));
    json_object_set_new(o, "thread_instructions_per_s", json_real((double)s->thread / s->host_s));
    json_object_set_new(o, "cycles_per_s", json_real((double)s->cycles / s->host_s));
    json_object_set_new(o, "peak_rss_mb", json_real(s->rss_mb));
    return o;
}

static const char *machine(struct cli *c) {
    struct utsname u;
    uname(&u);
    const char *model = u.machine;
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            line[strcspn(line, "\n")] = 0;
            model = arena_strdup(&c->arena, strchr(line, ':') + 2);
            break;
        }
    if (f) fclose(f);
    return arena_printf(&c->arena, "%s, %ld cores, %s vectors", model,
                        sysconf(_SC_NPROCESSORS_ONLN), exec_simd_level());
}

static const struct workload *find(const struct workload *list, uint32_t n, const char *name) {
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0 && list[i].program) return &list[i];
    return NULL;
}

static int measure(struct cli *c, const struct workload *w, uint32_t threads,
                   const struct session *how, uint32_t runs, uint64_t *signature, json_t *rows,
                   double *rate) {
    struct sample s[MAX_RUNS];
    for (uint32_t r = 0; r < runs; r++) {
        const int code = run_once(c, w, threads, how, &s[r]);
        if (code) return code;
        if (*signature && s[r].signature != *signature)
            return cli_usage("bench: %s counts differ between runs with %u threads: a bug", w->name,
                             threads) +
                   2;
        *signature = s[r].signature;
    }
    qsort(s, runs, sizeof *s, by_seconds);
    const struct sample *m = &s[runs / 2];
    *rate = (double)m->warp / m->host_s;
    printf("%-14s %7u %11llu %11llu %12llu %8.3f %8.3f %10.3f %10.1f %10.3f %8.0f\n", w->name,
           threads, (unsigned long long)m->cycles, (unsigned long long)m->warp,
           (unsigned long long)m->thread, m->host_s, m->user_s, *rate / 1e6,
           (double)m->thread / m->host_s / 1e6, (double)m->cycles / m->host_s / 1e6, m->rss_mb);
    fflush(stdout);
    json_array_append_new(rows, row_json(w->name, threads, m));
    return 0;
}

// Runs of all techniques take turns, so that what else the machine does meets them alike; the least
// of each counts.
static int techniques(struct cli *c, const struct workload *list, uint32_t n, const char *gpu,
                      uint32_t runs, const char *out) {
    enum { TECHNIQUES = WW_COUNT(technique_set), WORKLOADS = WW_COUNT(technique_bench_set) };
    struct sample best[TECHNIQUES][WORKLOADS];
    const uint32_t total = runs * TECHNIQUES * WORKLOADS;
    uint32_t done = 0;
    for (uint32_t k = 0; k < WORKLOADS; k++) {
        const struct workload *const w = find(list, n, technique_bench_set[k]);
        if (!w) return cli_usage("bench: workload %s was not built", technique_bench_set[k]);
        for (uint32_t r = 0; r < runs; r++) {
            for (uint32_t t = 0; t < TECHNIQUES; t++) {
                struct sample s;
                const struct session how = {.gpu = gpu, .policies = technique_set[t]};
                const int code = run_once(c, w, 1, &how, &s);
                if (code) return code;
                if (r == 0 || s.user_s < best[t][k].user_s) best[t][k] = s;
                if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%u of %u runs", ++done, total);
            }
        }
    }
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
    printf("%s; %s, one thread; user seconds over two-level's (simulated cycles over two-level's), "
           "least of %u\n\n",
           machine(c), gpu, runs);
    printf("%-20s", "technique");
    for (uint32_t k = 0; k < WORKLOADS; k++) printf(" %17s", technique_bench_set[k]);
    printf(" %17s\n", "geometric mean");
    json_t *const rows = json_array();
    for (uint32_t t = 0; t < TECHNIQUES; t++) {
        double mean[2] = {0};
        printf("%-20s", technique_set[t]);
        json_t *const row = json_pack("{s:s}", "technique", technique_set[t]);
        for (uint32_t k = 0; k <= WORKLOADS; k++) {
            double time = exp(mean[0] / WORKLOADS), cycles = exp(mean[1] / WORKLOADS);
            if (k < WORKLOADS) {
                time = best[t][k].user_s / best[0][k].user_s;
                cycles = (double)best[t][k].cycles / (double)best[0][k].cycles;
                mean[0] += log(time);
                mean[1] += log(cycles);
            }
            printf("   %6.2f (%6.3f)", time, cycles);
            json_t *const figures =
                json_pack("{s:f,s:f}", "time_ratio", time, "cycle_ratio", cycles);
            if (k < WORKLOADS) json_object_set_new(figures, "user_s", json_real(best[t][k].user_s));
            json_object_set_new(row, k < WORKLOADS ? technique_bench_set[k] : "geometric mean",
                                figures);
        }
        putchar('\n');
        json_array_append_new(rows, row);
    }
    json_t *const all =
        json_pack("{s:s,s:I,s:o}", "gpu", gpu, "runs", (json_int_t)runs, "techniques", rows);
    char *const text = json_dumps(all, JSON_INDENT(1));
    const enum ww_status s = text ? file_write_atomic(out, text, strlen(text), &c->diags)
                                  : diag_add(&c->diags, WW_ERROR_MEMORY, "out of memory");
    free(text);
    json_decref(all);
    return s != WW_OK ? cli_fail(c, s) : 0;
}

enum { OPT_RUNS, OPT_OUT, OPT_TECHNIQUES, OPT_GPU };
static const struct cli_option option[] = {
    [OPT_RUNS] = {"--runs", 'n', "N",
                  "runs of each (default 3); shown: medians, with --techniques the least"},
    [OPT_OUT] = {"--out", 'o', "FILE", "where the figures go (default bench.json)", CLI_FILE},
    [OPT_TECHNIQUES] = {"--techniques", 't', NULL, "how much slower each technique makes it"},
    [OPT_GPU] = {"--gpu", 'g', "GPU",
                 "only rows of GPU (gtx480, v100 or h100) with time; with --techniques: the GPU (default gtx480-micro46)",
                 CLI_GPU},
};

const struct cli_spec spec_bench = {
    .name = "bench",
    .form = {"[-g GPU] [--runs N] [--out FILE]", "--techniques [-g GPU] [--runs N] [--out FILE]"},
    .prose = "Speed of the simulator on a fixed set of workloads, or what each technique costs it.",
    .part = {CLI_PART(option)},
};

// ---- how fast each kernel is --------------------------------------------------------------------
struct speeds {
    const struct workload *list;
    uint32_t n, runs;
    json_t *timed, *functional, *later, *code, *hopper;
    double geomean[3], functional_geomean; // logarithms; [threads]
    double later_geomean, code_geomean;    // the same of LATER, one thread; of its machine code
    double least;                          // of one thread
    double hopper_geomean;                 // of h100's two kernels with time
    double open_s, later_open_s, hopper_open_s;
};
// The GPU of the older rows, and one of today, whose SMs are of sub-cores.
static const char FIRST[] = "gtx480", LATER[] = "v100";

static int timed_speeds(struct cli *c, struct speeds *b) {
    const double count = (double)WW_COUNT(bench_set);
    uint64_t signature[WW_COUNT(bench_set)] = {0};
    for (uint32_t threads = 1; threads <= 2; threads++) {
        for (size_t i = 0; i < WW_COUNT(bench_set); i++) {
            const struct workload *w = find(b->list, b->n, bench_set[i]);
            double rate = 1;
            if (!w) return cli_usage("bench: workload %s was not built", bench_set[i]);
            const struct session how = {.gpu = FIRST};
            const int code = measure(c, w, threads, &how, b->runs, &signature[i], b->timed, &rate);
            if (code) return code;
            b->geomean[threads] += log(rate) / count;
            if (threads == 1 && rate < b->least) b->least = rate;
        }
        printf("%-14s %7u %67s %10.3f M warp instructions/s\n\n", "geometric mean", threads, "",
               exp(b->geomean[threads]) / 1e6);
    }
    return 0;
}

// One host thread; `*geomean` gets the logarithm.
static int one_thread_speeds(struct cli *c, const struct speeds *b, const struct session *how,
                             json_t *rows, double *geomean) {
    *geomean = 0;
    for (size_t i = 0; i < WW_COUNT(bench_set); i++) {
        double rate = 1;
        uint64_t any = 0;
        const int code =
            measure(c, find(b->list, b->n, bench_set[i]), 1, how, b->runs, &any, rows, &rate);
        if (code) return code;
        *geomean += log(rate) / (double)WW_COUNT(bench_set);
    }
    return 0;
}

// One host thread, with time and without: the product by specialised warps, the stream; the mean is
// of the two with time.
static int hopper_speeds(struct cli *c, struct speeds *b) {
    static const char *const name[] = {"gemm", "stream"};
    double mean = 0;
    for (uint32_t k = 0; k < 2 * WW_COUNT(name); k++) {
        const bool functional = k >= WW_COUNT(name);
        struct sample s[MAX_RUNS];
        struct bench_figures f = {0};
        for (uint32_t r = 0; r < b->runs; r++) {
            const enum ww_status status = bench_hopper(c, name[k % WW_COUNT(name)], functional, &f);
            if (status != WW_OK) return cli_fail(c, status);
            s[r] = (struct sample){.host_s = f.host_s, .user_s = f.user_s, .cycles = f.cycles,
                                   .warp = f.warp, .thread = f.thread};
        }
        qsort(s, b->runs, sizeof *s, by_seconds);
        const struct sample *const m = &s[b->runs / 2];
        const double rate = (double)m->warp / m->host_s;
        if (!functional) mean += log(rate) / (double)WW_COUNT(name);
        char title[32], more[48] = "";
        snprintf(title, sizeof title, "%s%s", name[k % WW_COUNT(name)], functional ? ", functional" : "");
        if (f.products > 0) snprintf(more, sizeof more, " %6.2f G multiply-adds/s", 1e-9 * f.products / m->host_s);
        printf("%-18s %3u %11llu %11llu %12llu %8.3f %8.3f %10.3f %10.1f%s\n", title, 1u,
               (unsigned long long)m->cycles, (unsigned long long)m->warp, (unsigned long long)m->thread, m->host_s,
               m->user_s, rate / 1e6, (double)m->thread / m->host_s / 1e6, more);
        json_t *const row = row_json(title, 1, m);
        if (f.products > 0)
            json_object_set_new(row, "products_per_s", json_real(f.products / m->host_s));
        json_array_append_new(b->hopper, row);
    }
    b->hopper_geomean = mean;
    return 0;
}

// The rows of one GPU with time, one thread, for who works on the simulator's speed: nothing goes to a file.
static int speeds_of(struct cli *c, struct speeds *b, const char *gpu) {
    if (!strcmp(gpu, "h100")) return hopper_speeds(c, b);
    if (strcmp(gpu, FIRST) && strcmp(gpu, LATER))
        return cli_usage("bench: rows are of %s, %s and h100, not of `%s`", FIRST, LATER, gpu);
    const struct session how = {.gpu = gpu};
    return one_thread_speeds(c, b, &how, b->later, &b->later_geomean);
}

static double time_to_open(struct cli *c, const char *gpu) {
    struct gpu_config *const config = gpu_config_new(&c->arena);
    struct gpu_options o;
    struct gpu *g = NULL;
    gpu_options_init(&o);
    const double start = now_s();
    if (gpu_config_load(gpu, NULL, 0, &c->diags, config) == WW_OK)
        gpu_create(config, &o, &c->diags, &g);
    const double took = now_s() - start;
    gpu_destroy(g);
    return took;
}

static int write_speeds(struct cli *c, const struct speeds *b, const char *host, const char *out) {
    json_t *o =
        json_pack("{s:s,s:I,s:O,s:f,s:f,s:f,s:O,s:f,s:f}", "machine", host, "runs",
                  (json_int_t)b->runs, "kernels", b->timed, "geomean_warp_instructions_per_s",
                  exp(b->geomean[1]), "geomean_warp_instructions_per_s_two_threads",
                  exp(b->geomean[2]), "two_thread_speedup", exp(b->geomean[2] - b->geomean[1]),
                  "functional", b->functional, "functional_geomean_warp_instructions_per_s",
                  exp(b->functional_geomean), "open_ms", b->open_s * 1e3);
    json_object_set_new(o, LATER,
                        json_pack("{s:O,s:f,s:f,s:f}", "kernels", b->later,
                                  "geomean_warp_instructions_per_s", exp(b->later_geomean),
                                  "geomean_over_gtx480", exp(b->later_geomean - b->geomean[1]),
                                  "open_ms", b->later_open_s * 1e3));
    json_object_set_new(o, "machine_code",
                        json_pack("{s:O,s:f,s:f}", "kernels", b->code,
                                  "geomean_warp_instructions_per_s", exp(b->code_geomean),
                                  "geomean_over_compiled", exp(b->code_geomean - b->later_geomean)));
    json_object_set_new(o, "h100",
                        json_pack("{s:O,s:f,s:f,s:f}", "kernels", b->hopper, "geomean_warp_instructions_per_s",
                                  exp(b->hopper_geomean), "geomean_over_v100",
                                  exp(b->hopper_geomean - b->later_geomean), "open_ms", b->hopper_open_s * 1e3));
    char *text = json_dumps(o, JSON_INDENT(1));
    const bool written = text && file_write_atomic(out, text, strlen(text), &c->diags) == WW_OK;
    free(text);
    json_decref(o);
    return written ? 0 : cli_fail(c, WW_ERROR_IO);
}

// All rows, or those of one GPU.
static int speeds(struct cli *c, const struct workload *list, uint32_t n, uint32_t runs,
                  const char *gpu, const char *out) {
    struct speeds b = {.list = list,
                       .n = n,
                       .runs = runs,
                       .timed = json_array(),
                       .functional = json_array(),
                       .later = json_array(),
                       .code = json_array(),
                       .hopper = json_array(),
                       .least = INFINITY};
    const char *host = machine(c);
    printf("%s; %s, all counting on; medians of %u\n\n", host, gpu ? gpu : FIRST, runs);
    printf("%-14s %7s %11s %11s %12s %8s %8s %10s %10s %10s %8s\n", "kernel", "threads", "cycles",
           "warp inst", "thread inst", "host s", "user s", "M warp/s", "M thread/s", "M cycles/s",
           "peak MB");
    int code = gpu ? speeds_of(c, &b, gpu) : timed_speeds(c, &b);
    if (!code && !gpu) {
        puts("host s: wall time of the launches; user s: processor time of the whole program, "
             "which a busy machine hardly changes\n\nfunctional mode");
        const struct session how = {.gpu = FIRST, .functional = true};
        code = one_thread_speeds(c, &b, &how, b.functional, &b.functional_geomean);
    }
    if (!code && !gpu) {
        printf("\n%s, one thread\n", LATER);
        const struct session how = {.gpu = LATER};
        code = one_thread_speeds(c, &b, &how, b.later, &b.later_geomean);
    }
    if (!code && !gpu) {
        printf("\n%s, one thread, the vendor's machine code of the same kernels\n", LATER);
        const struct session how = {.gpu = LATER, .code = "sass"};
        code = one_thread_speeds(c, &b, &how, b.code, &b.code_geomean);
    }
    if (!code && !gpu) {
        printf("\nh100, one thread, PTX: matrices by specialised warps, a stream\n");
        code = hopper_speeds(c, &b);
    }
    if (!code && !gpu) {
        b.hopper_open_s = time_to_open(c, "h100");
        b.open_s = time_to_open(c, FIRST);
        b.later_open_s = time_to_open(c, LATER);
        printf("%-14s %7u %67s %10.3f M warp instructions/s, %.2f times %s's\n", "geometric mean",
               1u, "", exp(b.later_geomean) / 1e6, exp(b.later_geomean - b.geomean[1]), FIRST);
        printf("%-14s %7u %67s %10.3f M warp instructions/s, %.2f times that of PTX\n", "machine code",
               1u, "", exp(b.code_geomean) / 1e6, exp(b.code_geomean - b.later_geomean));
        printf("%-14s %7u %67s %10.3f M warp instructions/s, %.2f times %s's\n", "h100", 1u, "",
               exp(b.hopper_geomean) / 1e6, exp(b.hopper_geomean - b.later_geomean), LATER);
        printf("\ntwo threads are %.2f times as fast as one; slowest kernel %.3f M/s; %s opens "
               "in %.1f ms, %s in %.1f ms, h100 in %.1f ms\n",
               exp(b.geomean[2] - b.geomean[1]), b.least / 1e6, FIRST, b.open_s * 1e3, LATER,
               b.later_open_s * 1e3, b.hopper_open_s * 1e3);
        code = write_speeds(c, &b, host, out);
    }
    json_decref(b.timed);
    json_decref(b.functional);
    json_decref(b.later);
    json_decref(b.code);
    json_decref(b.hopper);
    return code;
}

int cmd_bench(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    uint64_t runs = 3;
    const char *out = "bench.json", *gpu = NULL, *value = NULL;
    bool with_techniques = false;
    for (int o; (o = cli_next(&args, &spec_bench, &value)) != CLI_END;) {
        if (o == CLI_STOP) return args.code;
        if (o == CLI_WORD) return cli_usage("bench takes no word like `%s`", value);
        if (o == OPT_RUNS && (!text_to_u64(value, &runs) || runs < 1 || runs > MAX_RUNS))
            return cli_usage("--runs takes a number from 1 to %d", MAX_RUNS);
        if (o == OPT_OUT) out = value;
        if (o == OPT_TECHNIQUES) with_techniques = true;
        if (o == OPT_GPU) gpu = value;
    }
    struct workload *list;
    uint32_t n;
    const enum ww_status s = workloads_list(c, &list, &n);
    if (s != WW_OK) return cli_fail(c, s);
    if (with_techniques)
        return techniques(c, list, n, gpu ? gpu : "gtx480-micro46", (uint32_t)runs, out);
    return speeds(c, list, n, (uint32_t)runs, gpu, out);
}
