// `warpwatt run --all`: every workload as a job of the study room, a row each as it ends; with
// --json an object a line instead, and nothing else on standard output.
#include "gpu/technique.h"
#include "cli/cli.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "study/study.h"

struct rows {
    struct cli *c;
    struct store *store;
    struct watts *watts;
    bool json;
    uint32_t shown;
    double instructions, seconds, host_s;
};

// One line of JSON; `k` NULL: it failed. Energy is null where the power model does not cover the
// GPU.
static void json_line(const struct job *j, const struct kernel_result *k, double host_s,
                      const double *energy_j) {
    json_t *o = json_object();
    json_object_set_new(o, "format", json_integer(1));
    json_object_set_new(o, "workload", json_string(j->program.name));
    json_object_set_new(o, "size", json_string(j->program.size));
    json_object_set_new(o, "ok", json_boolean(k != NULL));
    if (k) {
        json_object_set_new(o, "cycles", json_real(k->cycles));
        json_object_set_new(o, "thread_instructions",
                            json_integer((json_int_t)act_get(&k->activity, "thread_instructions")));
        json_object_set_new(o, "seconds", json_real(k->seconds));
        json_object_set_new(o, "energy_j", energy_j ? json_real(*energy_j) : json_null());
        json_object_set_new(o, "host_seconds", json_real(host_s));
        json_object_set_new(o, "kept", json_boolean(j->state == JOB_KEPT));
    } else {
        json_object_set_new(o, "message", json_string(j->message ? j->message : ""));
    }
    json_dumpf(o, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9));
    putchar('\n');
    json_decref(o);
}

static void row(void *user, struct job *j) {
    struct rows *t = user;
    if (!t->json && !t->shown++)
        printf("%-22s %-8s %-7s %14s %8s %12s %12s %9s\n", "workload", "size", "check", "cycles",
               "IPC", "time", "energy", "host");
    if (j->state == JOB_FAILED) {
        if (t->json)
            json_line(j, NULL, 0, NULL);
        else
            printf("%-22s %-8s %-7s %s\n", j->program.name, j->program.size, "FAILED", j->message);
        fflush(stdout);
        return;
    }
    struct arena a;
    arena_init(&a, NULL);
    struct result r;
    if (store_get(t->store, &a, j->key, &t->c->diags, &r) == WW_OK && r.there) {
        const struct kernel_result *k = &r.kernel[0];
        const double threads = act_real(&k->activity, "thread_instructions");
        struct watts_joules e;
        char energy[32] = "-";
        const bool powered = t->watts && watts_run(t->watts, &k->activity, k->seconds, 0, &e);
        const double joules = powered ? e.dynamic_j + e.static_j : 0;
        if (powered) snprintf(energy, sizeof energy, "%.4g mJ", 1e3 * joules);
        if (t->json)
            json_line(j, k, r.host_seconds, powered ? &joules : NULL);
        else
            printf("%-22s %-8s %-7s %14.0f %8.1f %9.4g us %12s %7.1f s%s\n", j->program.name,
                   j->program.size, "ok", k->cycles, k->cycles > 0 ? threads / k->cycles : 0,
                   1e6 * k->seconds, energy, r.host_seconds, j->state == JOB_KEPT ? " (kept)" : "");
        t->instructions += threads;
        t->seconds += k->seconds;
        t->host_s += r.host_seconds;
    }
    arena_free(&a);
    fflush(stdout);
}

int run_all_workloads(struct cli *c, const struct all_request *q) {
    struct study_configuration conf = {.name = "", .gpu = q->gpu, .policy = q->policy};
    if (q->n_set > STUDY_MAX_SET) return cli_usage("more than %d times --set", STUDY_MAX_SET);
    for (uint32_t i = 0; i < q->n_set; i++) conf.set[conf.n_set++] = q->set[i];
    struct gpu_config *const gpu = gpu_config_new(&c->arena);
    struct study_host host;
    const char *db = q->db;
    enum ww_status s =
        technique_configure(conf.gpu, conf.policy, conf.set, conf.n_set, &c->diags, gpu, NULL);
    if (s == WW_OK && !db) s = study_default_db(&c->arena, &c->diags, &db);
    struct pool_request pool = q->pool;
    if (s == WW_OK) s = pool_ready(c, &pool, db);
    if (s == WW_OK) s = study_host_of(c, &host);
    struct workload *list = NULL;
    uint32_t n = 0, left_out = 0;
    if (s == WW_OK) s = workloads_list(c, &list, &n);
    if (s != WW_OK) return cli_fail(c, s);
    job_list jobs = {.n = 0};
    const char *too_new = "";
    for (uint32_t i = 0; i < n && s == WW_OK; i++) {
        if (list[i].kind == WORKLOAD_MICRO) continue;
        if (list[i].kind == WORKLOAD_OF_VOLTA && gpu_config_count(gpu, "cc_major") < 7) {
            too_new = arena_printf(&c->arena, "%s%s%s", too_new, *too_new ? ", " : "", list[i].name);
            continue;
        }
        bool has = false;
        for (uint32_t k = 0; k < list[i].n_sizes; k++)
            has = has || strcmp(list[i].size[k].name, q->size) == 0;
        if (!has || !list[i].program) {
            left_out++;
            continue;
        }
        uint32_t at;
        s = job_add(&c->arena, &jobs, &host, &conf, NULL, list[i].name, q->size, &c->diags, &at);
    }
    if (s == WW_OK && !jobs.n) return cli_usage("no workload has a size `%s`", q->size);
    const char *why = NULL;
    struct rows rows = {.c = c, .json = q->json, .watts = watts_new(&c->arena, gpu, &why)};
    if (s == WW_OK) s = store_open(db, &c->diags, &rows.store);
    if (s != WW_OK) return cli_fail(c, s);
    struct pool_options o = pool.options;
    o.processes = q->processes;
    o.quiet = true;
    o.finished = row;
    o.user = &rows;
    struct pool_counts counts;
    s = pool_run(&c->arena, &jobs, &host, rows.store, &o, &c->diags, &counts);
    store_close(rows.store);
    fflush(stdout);
    if (s != WW_OK) return cli_fail(c, s);
    FILE *out = q->json ? stderr : stdout;
    fprintf(out, "\n%.4g thread instructions in %.4g s of GPU time, %.1f s of host time\n",
            rows.instructions, rows.seconds, rows.host_s);
    if (left_out)
        fprintf(out, "%u workload%s no size `%s`, or not built\n", left_out,
                left_out == 1 ? " has" : "s have", q->size);
    if (*too_new) fprintf(out, "left out, as they need compute capability 7.0: %s\n", too_new);
    const int code = pool_report(&jobs, &counts, out);
    if (c->diags.list.n) diags_print(&c->diags, stderr);
    return code;
}
