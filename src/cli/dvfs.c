// `warpwatt dvfs`: a workload over clock and voltage: the energy-delay curve. Each point is a run
// of its own (a child `warpwatt run --json`), as memory's clock stays and a kernel's cycles change
// with it.
//
// All clocks of the chip (core, lanes, network, L2) move together; DRAM's does not. Where the user
// gives no voltage it is the board's at that clock (gpu_supply_at), as it is with
// `-s core.clock_mhz=` in any other command.
#include "gpu/technique.h"
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum option {
    OPT_GPU,
    OPT_SET,
    OPT_SIZE,
    OPT_CLOCK,
    OPT_VDD,
    OPT_VMIN,
    OPT_JOBS,
    OPT_OUT,
    OPT_JSON,
    OPT_POLICY,
    OPT_DB,
    OPT_N
};
static const struct cli_option option[OPT_N] = {
    [OPT_GPU] = {"--gpu", 'g', "NAME|FILE",
                 "the GPU (default " SESSION_GPU_OF_PROGRAMS
                 " for a program behind --, " SESSION_GPU " for a workload or kernel)",
                 CLI_GPU},
    [OPT_SET] = {"--set", 's', "KEY=VALUE", "override a key of the GPU file; may be repeated",
                 CLI_KEY},
    [OPT_SIZE] = {"--size", 0, "NAME", "size of a workload's input (default small)"},
    [OPT_CLOCK] = {"--clock", 0, "LIST",
                   "core clocks in MHz: 400,550,700 or LOW:HIGH:STEP (default 40 to 110 % of the "
                   "GPU's, as far as the model's supply goes)"},
    [OPT_VDD] = {"--vdd", 0, "LIST",
                 "supply in V: one for all clocks, or one a clock (default: follows the clock)"},
    [OPT_VMIN] = {"--vmin", 0, "V", "least of a supply that follows (default: the GPU file's)"},
    [OPT_JOBS] = {"--jobs", 'j', "N", "points that run at once (default 1)"},
    [OPT_OUT] = {"--out", 'o', "DIR", "write dvfs.csv and dvfs.json", CLI_FOLDER},
    [OPT_JSON] = {"--json", 0, NULL, "the table as JSON on standard output"},
    [OPT_POLICY] = {"--policy", 'p', "NAME",
                    "an energy-saving technique, as `warpwatt run` takes it", CLI_TECHNIQUE},
    [OPT_DB] = {"--db", 0, "FILE",
                "with --on slurm: where results are kept (default "
                "~/.cache/warpwatt/results.db)",
                CLI_FILE},
};

enum { MAX_POINTS = 256, MAX_ARGS = 512 };

struct point {
    double mhz, v;
    bool floor;   // the supply stopped at the floor
    bool nominal; // the GPU file's clock
    double seconds, energy_j, dynamic_j, static_j, power_w;
    pid_t pid;
};

struct sweep {
    const char *gpu, *size, *what;
    struct point point[MAX_POINTS];
    uint32_t n;
    double clock_mhz, vdd_v, dram_mhz, vmin_v, rise, limit_w; // of the GPU
    struct gpu_supply_points board;                  // as published, n 0: by `rise`
    bool given;                                      // the user gave voltages
    const char *dir;
    int best_energy, best_edp, best_ed2p;
};

static double edp(const struct point *p) { return p->energy_j * p->seconds; }
static double ed2p(const struct point *p) { return p->energy_j * p->seconds * p->seconds; }

// ---- points -------------------------------------------------------------------------------------
// "a,b,c" or "low:high:step"; answers how many, or -1 after a sentence.
static int parse_list(struct cli *c, const char *name, const char *text, double out[MAX_POINTS]) {
    char *copy = arena_strdup(&c->arena, text), *save = NULL;
    const bool range = strchr(text, ':') != NULL;
    int n = 0;
    for (char *w = strtok_r(copy, range ? ":" : ",", &save); w;
         w = strtok_r(NULL, range ? ":" : ",", &save)) {
        if (n == MAX_POINTS) return cli_usage("%s has more than %d values", name, MAX_POINTS) - 3;
        if (!text_to_double(w, &out[n]) || !(out[n] > 0 && out[n] < 1e6))
            return cli_usage("%s is `%s`: `%s` is no positive number", name, text, w) - 3;
        n++;
    }
    if (!range && n) return n;
    if (n != 3 || !(out[0] <= out[1]))
        return cli_usage("%s is `%s`: expected numbers with commas between, or LOW:HIGH:STEP", name,
                         text) -
               3;
    const double low = out[0], high = out[1], step = out[2];
    if ((high - low) / step + 1 > MAX_POINTS)
        return cli_usage("%s `%s` has more than %d values", name, text, MAX_POINTS) - 3;
    n = 0;
    for (double v = low; v <= high + 1e-6 * step && n < MAX_POINTS; v = low + ++n * step)
        out[n] = v;
    return n;
}

// The supply of a point that the user gave none for. 0 after a sentence, or without one for a clock
// of our own choice (`chosen`) that the board or the model does not reach.
static double supply_of(const struct gpu_config *g, const struct sweep *s, double mhz, double most,
                        double node_nm, bool chosen) {
    const double v = fmax(gpu_supply_at(g, mhz), 0);
    if (v > 0 && v <= most) return fmax(v, s->vmin_v);
    if (!chosen && s->board.n && !(v > 0))
        cli_usage("%g MHz is above %g MHz, where the points of the board's supply end (tech.volts "
                  "of the GPU file); give --vdd, or a lower clock",
                  mhz, s->board.mhz[s->board.n - 1]);
    else if (!chosen)
        cli_usage("%g MHz needs more than %.2f V, the most that the model knows for %g nm; "
                  "give --vdd, or a lower clock",
                  mhz, most, node_nm);
    return 0;
}

static enum ww_status plan(struct cli *c, struct sweep *s, const struct power_model *m,
                           const char *clocks, const char *vdds, double vmin) {
    double mhz[MAX_POINTS], v[MAX_POINTS];
    int n = 0, n_v = 0;
    // the file's own clock and supply, as the model's check takes them
    struct gpu_config *const g = gpu_config_copy(&c->arena, m->gpu);
    const double file_mhz = gpu_config_file_mhz(g), file_v = gpu_config_file_v(g);
    s->clock_mhz = file_mhz > 0 ? file_mhz : gpu_config_real(g, "clocks.core_mhz");
    s->dram_mhz = gpu_config_real(g, "clocks.dram_mhz");
    struct tech t;
    enum ww_status status =
        tech_init(&t, m->config.node_nm, m->config.device, file_v > 0 ? file_v : m->config.vdd_v,
                  m->config.temperature_k, &c->diags);
    if (status != WW_OK) return status;
    s->limit_w = gpu_config_real(g, "board.power_limit");
    s->vdd_v = t.vdd_v, s->rise = gpu_config_real(g, "tech.volt_rise");
    gpu_supply_points(g, &s->board);
    if (vmin > 0) // a law may go lower, points not
        gpu_config_put_real(g, "tech.volt_floor", fmin(vmin / s->vdd_v, 1));
    s->vmin_v = fmax(vmin, gpu_supply_least(g));
    if (clocks) {
        n = parse_list(c, "--clock", clocks, mhz);
        if (n < 0) return WW_ERROR_USAGE;
    } else {
        for (n = 0; n < 8; n++) mhz[n] = s->clock_mhz * (4 + n) / 10;
    }
    if (vdds && (n_v = parse_list(c, "--vdd", vdds, v)) < 0) return WW_ERROR_USAGE;
    if (n_v > 1 && n_v != n) {
        cli_usage("--vdd has %d values for %d clocks: expected one, or one a clock", n_v, n);
        return WW_ERROR_USAGE;
    }
    s->given = n_v > 0;
    for (int i = 0; i < n; i++) {
        struct point *p = &s->point[s->n++];
        *p = (struct point){.mhz = mhz[i],
                            .nominal = fabs(mhz[i] - s->clock_mhz) < 1e-6 * s->clock_mhz};
        if (n_v) {
            p->v = v[n_v > 1 ? i : 0];
            continue;
        }
        // the GPU's own clock has the GPU's own supply
        p->v = p->nominal ? s->vdd_v
                          : supply_of(g, s, mhz[i], 1.3 * t.row.vdd_v, m->config.node_nm, !clocks);
        p->floor = !p->nominal && p->v <= s->vmin_v;
        if (p->v > 0) continue;
        if (clocks) return WW_ERROR_USAGE;
        s->n--; // of our own choice: only what board and model reach
    }
    return WW_OK;
}

// ---- running ------------------------------------------------------------------------------------
static const char *point_file(struct cli *c, const struct sweep *s, uint32_t i, const char *what) {
    return arena_printf(&c->arena, "%s/%u.%s", s->dir, i, what);
}

enum { POINT_KEYS = 5 };
// Keys of the GPU file at a point, as `KEY=VALUE`.
static void point_keys(struct cli *c, const struct point *p, const struct power_model *m,
                       const char *set[POINT_KEYS]) {
    const double core = gpu_config_real(m->gpu, "clocks.core_mhz"), f = p->mhz / core;
    const struct {
        const char *key;
        double value;
    } key[POINT_KEYS] = {
        {"clocks.core_mhz", p->mhz},
        {"clocks.hot_mhz", p->mhz * round(gpu_config_real(m->gpu, "clocks.hot_mhz") / core)},
        {"clocks.net_mhz", gpu_config_real(m->gpu, "clocks.net_mhz") * f},
        {"clocks.l2_mhz", gpu_config_real(m->gpu, "clocks.l2_mhz") * f},
        {"tech.vdd_v", p->v}};
    for (size_t a = 0; a < POINT_KEYS; a++)
        set[a] = arena_printf(&c->arena, "%s=%.10g", key[a].key, key[a].value);
}

static bool start(struct cli *c, struct sweep *s, uint32_t i, const struct power_model *m,
                  char **args, int n_args) {
    struct point *p = &s->point[i];
    char *argv[MAX_ARGS + 32];
    int n = 0;
    argv[n++] = arena_printf(&c->arena, "%s/warpwatt", c->exe_dir);
    argv[n++] = (char *)"run";
    argv[n++] = (char *)"--json";
    argv[n++] = (char *)"--no-progress";
    const char *set[POINT_KEYS];
    point_keys(c, p, m, set);
    for (int a = 0; a < n_args && args[a][0] == '-' && strcmp(args[a], "--") != 0;
         a += 2) { // the user's own options first
        argv[n++] = args[a];
        if (a + 1 < n_args) argv[n++] = args[a + 1];
    }
    const int rest = n - 4;
    for (size_t a = 0; a < POINT_KEYS; a++) {
        argv[n++] = (char *)"-s";
        argv[n++] = (char *)(uintptr_t)set[a];
    }
    argv[n++] = (char *)"--no-power-limit"; // the point's clock is the point
    for (int a = rest; a < n_args; a++) argv[n++] = args[a];
    argv[n] = NULL;
    const char *out = point_file(c, s, i, "json"), *err = point_file(c, s, i, "txt");
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        const int to = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666),
                  bad = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (to < 0 || bad < 0 || dup2(to, STDOUT_FILENO) < 0 || dup2(bad, STDERR_FILENO) < 0)
            _exit(126);
        execv(argv[0], argv);
        _exit(127);
    }
    p->pid = pid;
    return pid > 0;
}

// Reads a finished point. False with a diagnostic.
static bool finish(struct cli *c, struct sweep *s, uint32_t i, int status) {
    struct point *p = &s->point[i];
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    json_error_t e;
    json_t *o = json_load_file(point_file(c, s, i, "json"), 0, &e);
    const json_t *k = json_object_get(json_object_get(o, "power"), "kernels");
    if (code == 0 && k) {
        p->seconds = json_number_value(json_object_get(k, "seconds"));
        p->energy_j = json_number_value(json_object_get(k, "energy_j"));
        p->dynamic_j = json_number_value(json_object_get(k, "dynamic_j"));
        p->static_j = json_number_value(json_object_get(k, "static_j"));
        p->power_w = json_number_value(json_object_get(k, "power_w"));
        json_decref(o);
        return true;
    }
    const char *const reason = json_string_value(json_object_get(o, "no_power"));
    const char *const why = reason ? arena_strdup(&c->arena, reason) : NULL;
    json_decref(o);
    char *text = (char *)"";
    size_t len = 0;
    struct diags quiet;
    diags_init(&quiet);
    file_read(&c->arena, point_file(c, s, i, "txt"), 1 << 20, &text, &len, &quiet);
    diags_free(&quiet);
    while (len && text[len - 1] == '\n') text[--len] = 0;
    if (strncmp(text, "error: ", 7) == 0) text += 7, len -= 7;
    const char *last = len ? strrchr(text, '\n') : NULL;
    diag_add(&c->diags,
             code == 0   ? WW_ERROR_CONFIG
             : code == 1 ? WW_ERROR_PROGRAM
             : code == 3 ? WW_ERROR_UNSUPPORTED
             : code == 4 ? WW_ERROR_LIMIT
                         : WW_ERROR_USAGE,
             "the point of %g MHz and %.3f V %s: %.600s", p->mhz, p->v,
             code ? "failed" : "has no power",
             why && code == 0     ? why
             : !len               ? "it launched no kernel that takes time"
             : code == 2 || !last ? text
                                  : last + 1);
    return false;
}

// ---- on a cluster -------------------------------------------------------------------------------
// What the points of a workload are run with, besides their clock and supply.
struct cluster_words {
    const char *workload, *size, *policy, *db;
    const char *const *overrides;
    uint32_t n_overrides;
    struct pool_request pool;
};

static enum ww_status add_points(struct cli *c, struct sweep *s, const struct power_model *m,
                                 const struct cluster_words *w, const struct study_host *host,
                                 job_list *jobs, uint32_t *job_of) {
    enum ww_status st = WW_OK;
    if (w->n_overrides + POINT_KEYS > STUDY_MAX_SET)
        return diag_add(&c->diags, WW_ERROR_USAGE, "more than %d times --set",
                        STUDY_MAX_SET - POINT_KEYS);
    for (uint32_t i = 0; i < s->n && st == WW_OK; i++) {
        struct study_configuration *conf = arena_alloc(&c->arena, sizeof *conf);
        *conf =
            (struct study_configuration){.name = arena_printf(&c->arena, "%g MHz", s->point[i].mhz),
                                         .gpu = s->gpu,
                                         .policy = w->policy,
                                         .n_set = w->n_overrides + POINT_KEYS};
        for (uint32_t k = 0; k < w->n_overrides; k++) conf->set[k] = w->overrides[k];
        point_keys(c, &s->point[i], m, conf->set + w->n_overrides);
        st =
            job_add(&c->arena, jobs, host, conf, NULL, w->workload, w->size, &c->diags, &job_of[i]);
    }
    return st;
}

// Time and energy of a point from its job's counters.
static enum ww_status read_point(struct cli *c, struct point *p, struct store *store,
                                 const struct study_configuration *conf, const char *key) {
    struct result r;
    struct gpu_config *const gpu = gpu_config_new(&c->arena);
    const char *why = "";
    enum ww_status st = store_get(store, &c->arena, key, &c->diags, &r);
    // a point's supply is no part of a job's key: the configuration is the point's own
    if (st == WW_OK)
        st = technique_configure(conf->gpu, conf->policy, conf->set, conf->n_set, &c->diags, gpu,
                                 NULL);
    if (st != WW_OK) return st;
    struct watts *watts = watts_new(&c->arena, gpu, &why);
    struct watts_joules e;
    if (!r.there || !watts || !watts_run(watts, &r.kernel[0].activity, r.kernel[0].seconds, 0, &e))
        return diag_add(&c->diags, WW_ERROR_PROGRAM, "the point of %g MHz has no power: %s", p->mhz,
                        *why ? why : "it launched no kernel that takes time");
    p->seconds = r.kernel[0].seconds;
    p->dynamic_j = e.dynamic_j;
    p->static_j = e.static_j;
    p->energy_j = e.dynamic_j + e.static_j;
    p->power_w = p->energy_j / p->seconds;
    return WW_OK;
}

// The points as jobs of a pool. Answers GO_ON when all are there, else an exit code.
enum { GO_ON = -1 };
static int run_on_cluster(struct cli *c, struct sweep *s, const struct power_model *m,
                          struct cluster_words *w) {
    struct study_host host;
    struct store *store = NULL;
    job_list jobs = {.n = 0};
    struct pool_counts counts;
    uint32_t job_of[MAX_POINTS];
    enum ww_status st = WW_OK;
    if (!w->db) st = study_default_db(&c->arena, &c->diags, &w->db);
    if (st == WW_OK) st = pool_ready(c, &w->pool, w->db);
    if (st == WW_OK) st = study_host_of(c, &host);
    if (st == WW_OK) st = add_points(c, s, m, w, &host, &jobs, job_of);
    if (st == WW_OK) st = store_open(w->db, &c->diags, &store);
    if (st == WW_OK)
        st = pool_run(&c->arena, &jobs, &host, store, &w->pool.options, &c->diags, &counts);
    if (st != WW_OK) {
        store_close(store);
        return cli_fail(c, st);
    }
    int code = pool_report(&jobs, &counts, stderr);
    if (!code && w->pool.options.action == POOL_RUN) code = GO_ON;
    for (uint32_t i = 0; i < s->n && code == GO_ON; i++) {
        struct study_configuration conf = *jobs.at[job_of[i]].configuration;
        conf.n_set -= POINT_KEYS;
        point_keys(c, &s->point[i], m, conf.set + conf.n_set);
        conf.n_set += POINT_KEYS;
        st = read_point(c, &s->point[i], store, &conf, jobs.at[job_of[i]].key);
        if (st != WW_OK) code = cli_fail(c, st);
    }
    store_close(store);
    return code;
}

// Ctrl-C reaches the runs by itself (same terminal): they end, and we clean up behind them.
static void interrupted(int signal_number) { (void)signal_number; }

static bool run_all(struct cli *c, struct sweep *s, const struct power_model *m, uint32_t jobs,
                    char **args, int n_args) {
    const bool progress = isatty(STDERR_FILENO);
    const struct sigaction wait_for_runs = {.sa_handler = interrupted};
    sigaction(SIGINT, &wait_for_runs, NULL);
    uint32_t started = 0, done = 0, running = 0;
    bool ok = true;
    while (done < s->n && (ok || running)) {
        while (ok && started < s->n && running < jobs) {
            if (!start(c, s, started, m, args, n_args)) {
                diag_add(&c->diags, WW_ERROR_IO, "cannot start a run: %s", strerror(errno));
                ok = false;
                break;
            }
            started++, running++;
        }
        if (!running) break;
        if (progress) fprintf(stderr, "\r%u of %u points", done, s->n);
        int status;
        const pid_t pid = waitpid(-1, &status, 0);
        if (pid < 0 && errno == EINTR) continue;
        if (pid < 0) break;
        for (uint32_t i = 0; i < started; i++)
            if (s->point[i].pid == pid) {
                s->point[i].pid = 0;
                running--, done++;
                ok = finish(c, s, i, status) && ok;
            }
    }
    if (progress) fputs("\r                    \r", stderr);
    return ok && done == s->n;
}

// ---- showing ------------------------------------------------------------------------------------
static void choose(struct sweep *s) {
    for (uint32_t i = 1; i < s->n; i++) {
        const struct point *p = &s->point[i];
        if (p->energy_j < s->point[s->best_energy].energy_j) s->best_energy = (int)i;
        if (edp(p) < edp(&s->point[s->best_edp])) s->best_edp = (int)i;
        if (ed2p(p) < ed2p(&s->point[s->best_ed2p])) s->best_ed2p = (int)i;
    }
}

static void marks(const struct sweep *s, uint32_t i, char out[128]) {
    int n = 0;
    out[0] = 0;
#define MARK(test, text)                                                                           \
    if (test) n += snprintf(out + n, 128 - (size_t)n, "%s%s", n ? ", " : "", text)
    MARK((int)i == s->best_energy, "least energy");
    MARK((int)i == s->best_edp, "least EDP");
    MARK((int)i == s->best_ed2p, "least ED2P");
    MARK(s->point[i].nominal, "nominal");
    MARK(s->point[i].floor, "least supply");
    MARK(s->limit_w > 0 && s->point[i].power_w > s->limit_w, "over the power limit");
#undef MARK
}

static void print_table(const struct sweep *s, bool colour) {
    printf("\n%s%s%s on %s: all clocks of the chip scale, DRAM stays at %.0f MHz\n",
           colour ? "\033[1m" : "", s->what, colour ? "\033[0m" : "", s->gpu, s->dram_mhz);
    if (s->given)
        puts("supply as given\n");
    else if (s->board.n)
        printf("supply follows from %.3f V at %.0f MHz, by the board's points (tech.volts); least "
               "%.3f V\n\n",
               s->vdd_v, s->clock_mhz, s->vmin_v);
    else
        printf("supply follows from %.3f V at %.0f MHz: V ~ clock^%.2f; least %.3f V\n\n", s->vdd_v,
               s->clock_mhz, s->rise, s->vmin_v);
    printf("  %7s %7s %11s %11s %10s %7s %12s %13s\n", "MHz", "V", "time", "energy", "power",
           "static", "EDP", "ED2P");
    for (uint32_t i = 0; i < s->n; i++) {
        const struct point *p = &s->point[i];
        char b1[32], b2[32], b3[32], b4[32], mark[128];
        marks(s, i, mark);
        printf("  %7.0f %7.3f %11s %11s %8.2f W %5.0f %% %12s %13s%s%s\n", p->mhz, p->v,
               table_scaled(p->seconds, "s", b1), table_scaled(p->energy_j, "J", b2), p->power_w,
               p->energy_j > 0 ? 100 * p->static_j / p->energy_j : 0,
               table_scaled(edp(p), "J s", b3), table_scaled(ed2p(p), "J s2", b4),
               *mark ? "  " : "", mark);
    }
    putchar('\n');
}

static json_t *sweep_json(const struct sweep *s) {
    json_t *o = json_object(), *list = json_array();
    json_object_set_new(o, "format", json_integer(1));
    json_object_set_new(o, "program", json_string(s->what));
    json_object_set_new(o, "gpu", json_string(s->gpu));
    json_object_set_new(o, "nominal",
                        json_pack("{s:f,s:f}", "core_mhz", s->clock_mhz, "vdd_v", s->vdd_v));
    if (!s->given) {
        json_t *rule = json_pack("{s:f,s:f}", "rise", s->rise, "floor_v", s->vmin_v),
               *points = json_array();
        for (uint32_t i = 0; i < s->board.n; i++)
            json_array_append_new(points, json_pack("{s:f,s:f}", "core_mhz", s->board.mhz[i],
                                                    "vdd_v", s->board.v[i]));
        json_object_set_new(rule, "points", points); // with some, `rise` says nothing
        json_object_set_new(o, "supply_rule", rule);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        const struct point *p = &s->point[i];
        json_array_append_new(
            list, json_pack("{s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:b}", "core_mhz", p->mhz,
                            "vdd_v", p->v, "seconds", p->seconds, "energy_j", p->energy_j,
                            "dynamic_j", p->dynamic_j, "static_j", p->static_j, "power_w",
                            p->power_w, "edp_js", edp(p), "ed2p_js2", ed2p(p), "floor", p->floor));
    }
    json_object_set_new(o, "points", list);
    json_object_set_new(o, "least_energy", json_integer(s->best_energy));
    json_object_set_new(o, "least_edp", json_integer(s->best_edp));
    json_object_set_new(o, "least_ed2p", json_integer(s->best_ed2p));
    return o;
}

static enum ww_status write_files(struct cli *c, const struct sweep *s, const char *dir) {
    const char *text =
        "core_mhz,vdd_v,seconds,energy_j,dynamic_j,static_j,power_w,edp_js,ed2p_js2,mark\n";
    for (uint32_t i = 0; i < s->n; i++) {
        const struct point *p = &s->point[i];
        char mark[128];
        marks(s, i, mark);
        text = arena_printf(&c->arena, "%s%.6g,%.6g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,\"%s\"\n",
                            text, p->mhz, p->v, p->seconds, p->energy_j, p->dynamic_j, p->static_j,
                            p->power_w, edp(p), ed2p(p), mark);
    }
    enum ww_status st = file_write_atomic(arena_printf(&c->arena, "%s/dvfs.csv", dir), text,
                                          strlen(text), &c->diags);
    json_t *o = sweep_json(s);
    char *json = json_dumps(o, JSON_INDENT(1));
    json_decref(o);
    if (!json) return diag_add(&c->diags, WW_ERROR_MEMORY, "out of memory for dvfs.json");
    text = arena_printf(&c->arena, "%s\n", json);
    free(json);
    if (st == WW_OK)
        st = file_write_atomic(arena_printf(&c->arena, "%s/dvfs.json", dir), text, strlen(text),
                               &c->diags);
    return st;
}

static void clean(struct cli *c, const struct sweep *s) {
    for (uint32_t i = 0; i < s->n; i++) {
        unlink(point_file(c, s, i, "json"));
        unlink(point_file(c, s, i, "txt"));
    }
    rmdir(s->dir);
}

const struct cli_spec spec_dvfs = {
    .name = "dvfs",
    .form = {"[options] WORKLOAD [ARGUMENTS]", "[options] KERNEL.ptx --entry NAME ...",
             "[options] -- PROGRAM [ARGUMENTS]"},
    .prose = "Runs it at each clock and shows time, energy, energy-delay product; of the time in "
             "kernels.",
    .part = {CLI_PART(option),
             {"for a bare kernel, as `warpwatt run` has them:", ptx_options, PTX_OPTIONS},
             CLI_POOL_PART},
    .word = CLI_WORKLOAD,
};

static int show(struct cli *c, struct sweep *s, const char *out_dir, bool json) {
    choose(s);
    const enum ww_status st = out_dir ? write_files(c, s, out_dir) : WW_OK;
    if (st != WW_OK) return cli_fail(c, st);
    if (json) {
        json_t *o = sweep_json(s);
        json_dumpf(o, stdout, JSON_INDENT(1));
        putchar('\n');
        json_decref(o);
    } else {
        print_table(s, c->colour);
    }
    return 0;
}

// What the command line asks for.
struct request {
    struct sweep *s;
    const char *overrides[SESSION_MAX_OVERRIDES], *clocks, *vdds, *out_dir;
    uint32_t n_overrides;
    uint64_t jobs;
    double vmin;
    bool json;
    char *args[MAX_ARGS]; // of the run: options with their values first
    int n_args;
    struct cli_args a;
    char *word, **rest; // a workload or kernel and what belongs to it; NULL: a program behind --
    int n_rest;
    struct cluster_words w;
};

// An option of the run: --size, --policy, those of a bare kernel, and those of a cluster.
static int take_run_option(struct cli *c, struct request *q, int o, const char *value) {
    if (o >= OPT_N + PTX_OPTIONS) {
        const enum ww_status st = pool_option(c, &q->w.pool, o - OPT_N - PTX_OPTIONS, value);
        return st == WW_OK ? GO_ON : cli_fail(c, st);
    }
    if (o == OPT_SIZE) q->w.size = value;
    if (o == OPT_POLICY) q->w.policy = value;
    q->args[q->n_args++] =
        (char *)(uintptr_t)(o < OPT_N ? option[o].name : ptx_options[o - OPT_N].name);
    q->args[q->n_args++] = arena_strdup(&c->arena, value ? value : "");
    return GO_ON;
}

static int take_option(struct cli *c, struct request *q, int o, const char *value) {
    if (q->n_args + 2 > MAX_ARGS) return cli_usage("more than %d options", MAX_ARGS / 2);
    switch (o) {
    case OPT_GPU: q->s->gpu = value; return GO_ON;
    case OPT_SET:
        if (!strchr(value, '=')) return cli_usage("--set takes KEY=VALUE, not `%s`", value);
        if (q->n_overrides == SESSION_MAX_OVERRIDES - 5)
            return cli_usage("more than %d times --set", SESSION_MAX_OVERRIDES - 5);
        q->overrides[q->n_overrides++] = value;
        return GO_ON;
    case OPT_CLOCK: q->clocks = value; return GO_ON;
    case OPT_VDD: q->vdds = value; return GO_ON;
    case OPT_VMIN:
        if (text_to_double(value, &q->vmin) && q->vmin > 0) return GO_ON;
        return cli_usage("--vmin is `%s`; it must be a voltage", value);
    case OPT_JOBS:
        if (text_to_u64(value, &q->jobs) && q->jobs >= 1 && q->jobs <= 64) return GO_ON;
        return cli_usage("--jobs is `%s`; it must be a whole number from 1 to 64", value);
    case OPT_OUT: q->out_dir = value; return GO_ON;
    case OPT_JSON: q->json = true; return GO_ON;
    case OPT_DB: q->w.db = value; return GO_ON;
    default: return take_run_option(c, q, o, value);
    }
}

static int take_words(struct cli *c, struct request *q) {
    struct cli_args *a = &q->a;
    const char *value;
    for (int o; (o = cli_next(a, &spec_dvfs, &value)) != CLI_END;) {
        if (o == CLI_STOP) return a->code;
        if (o == CLI_WORD) {
            if (q->word)
                return cli_usage("one workload or kernel at a time: `%s` is too much", value);
            q->word = a->argv[a->at - 1];
            q->rest = a->argv + a->at;
            while (a->at < a->argc && a->argv[a->at][0] != '-') a->at++, q->n_rest++;
            continue;
        }
        const int code = take_option(c, q, o, value);
        if (code != GO_ON) return code;
    }
    if (a->after_dashes && q->word)
        return cli_usage("either a workload (`%s`) or a program behind --, not both", q->word);
    if (!a->after_dashes && !q->word)
        return cli_usage("a sweep of what? a workload, KERNEL.ptx, or -- PROGRAM");
    if (a->after_dashes && a->at >= a->argc) return cli_usage("-- needs a program behind it");
    q->s->what = a->after_dashes ? a->argv[a->at] : q->word;
    return GO_ON;
}

// The arguments of `warpwatt run` behind the options that it has from here.
static int fill_args(struct cli *c, struct request *q) {
    const struct cli_args *a = &q->a;
    const int behind = a->after_dashes ? a->argc - a->at : 0;
    if (q->n_args + 2 * (int)q->n_overrides + q->n_rest + behind + 4 > MAX_ARGS)
        return cli_usage("more than %d arguments", MAX_ARGS);
    q->args[q->n_args++] = (char *)"-g";
    q->args[q->n_args++] = arena_strdup(&c->arena, q->s->gpu);
    for (uint32_t i = 0; i < q->n_overrides; i++) {
        q->args[q->n_args++] = (char *)"-s";
        q->args[q->n_args++] = arena_strdup(&c->arena, q->overrides[i]);
    }
    if (q->word) q->args[q->n_args++] = q->word;
    for (int i = 0; i < q->n_rest; i++) q->args[q->n_args++] = q->rest[i];
    if (a->after_dashes) q->args[q->n_args++] = (char *)"--";
    for (int i = 0; i < behind; i++) q->args[q->n_args++] = a->argv[a->at + i];
    return GO_ON;
}

static int run_there(struct cli *c, struct request *q, struct power_model *m) {
    const size_t len = q->word ? strlen(q->word) : 0;
    if (!q->word || q->n_rest || (len > 4 && strcmp(q->word + len - 4, ".ptx") == 0))
        return cli_usage("a cluster runs workloads at their sizes; this one runs here only");
    q->w.workload = q->word;
    q->w.overrides = q->overrides;
    q->w.n_overrides = q->n_overrides;
    return run_on_cluster(c, q->s, m, &q->w);
}

static int run_here(struct cli *c, struct request *q, struct power_model *m) {
    char *dir = arena_printf(&c->arena, "%s/warpwatt-dvfs-XXXXXX", file_temporary_folder());
    if (!mkdtemp(dir)) {
        diag_add(&c->diags, WW_ERROR_IO, "cannot make the temporary folder %s: %s", dir,
                 strerror(errno));
        return cli_fail(c, WW_ERROR_IO);
    }
    q->s->dir = dir;
    const bool ok = run_all(c, q->s, m, (uint32_t)q->jobs, q->args, q->n_args);
    clean(c, q->s);
    return ok ? GO_ON : cli_fail(c, diags_status(&c->diags));
}

int cmd_dvfs(struct cli *c, int argc, char **argv) {
    struct request *q = arena_alloc(&c->arena, sizeof *q);
    *q = (struct request){.s = arena_alloc(&c->arena, sizeof *q->s),
                          .jobs = 1,
                          .a = {.argc = argc, .argv = argv, .at = 1},
                          .w = {.size = "small", .policy = "none", .pool = POOL_DEFAULTS}};
    int code = take_words(c, q);
    if (code != GO_ON) return code;
    if (!q->s->gpu) q->s->gpu = q->a.after_dashes ? SESSION_GPU_OF_PROGRAMS : SESSION_GPU;
    struct power_model *m;
    enum ww_status st = power_model_load(c, q->s->gpu, q->overrides, q->n_overrides, &c->diags, &m);
    if (st != WW_OK) return cli_fail(c, st);
    if (plan(c, q->s, m, q->clocks, q->vdds, q->vmin) != WW_OK)
        return c->diags.errors ? cli_fail(c, diags_status(&c->diags)) : 2;
    code = fill_args(c, q);
    if (code != GO_ON) return code;
    if (q->out_dir && (st = file_make_folder(q->out_dir, &c->diags)) != WW_OK)
        return cli_fail(c, st);
    const struct pool_backend *const on = q->w.pool.options.backend;
    const bool cluster = q->w.pool.given || (on && on != pool_find("local"));
    if (q->w.db && !cluster) return cli_usage("--db goes with --on slurm");
    code = cluster ? run_there(c, q, m) : run_here(c, q, m);
    return code == GO_ON ? show(c, q->s, q->out_dir, q->json) : code;
}
