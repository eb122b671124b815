// Runs whose board keeps within its power limit: a run at the clock that its configuration asks
// for, and where that draws more, runs at lower clocks, until power/limit.h has found the one that
// the board takes. Counters are kept under the clock that they were counted at, like those of any
// other run; which clock it is follows from them and from the power model, whenever a study asks.
//
// A row of a study is one kernel or some, which a board runs over and over: the row's own power
// counts, so rows of one run may have different clocks.
#include "gpu/technique.h"
#include "power/limit.h"
#include "study/study.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>

bool result_kernels(const struct result *r, const char *pattern, struct kernel_result *sum) {
    if (!pattern) {
        if (r->n_kernels) *sum = r->kernel[0];
        return r->n_kernels > 0;
    }
    *sum = (struct kernel_result){.name = pattern};
    for (uint32_t i = 1; i < r->n_kernels; i++) {
        const struct kernel_result *k = &r->kernel[i];
        if (fnmatch(pattern, k->name, 0) != 0) continue;
        sum->launches += k->launches;
        sum->cycles += k->cycles;
        sum->half_cycles += k->half_cycles;
        sum->seconds += k->seconds;
        activity_add(&sum->activity, &k->activity);
    }
    return sum->launches > 0;
}

struct searched {
    struct limited *run;
    struct limit_search search;
    struct limited_step {
        struct result result;
        const struct watts *watts;
    } at[LIMIT_POINTS]; // by order of simulation
    uint32_t step[LIMIT_POINTS], n;
    bool open;
    const struct study_configuration *configuration; // of search.step
    const struct gpu_config *gpu;
    const struct watts *watts;
    uint32_t job;
};

// Adds what is known of the step and says whether another is to be simulated.
static bool goes_on(struct searched *q, const struct result *r, const struct watts *watts) {
    struct kernel_result k;
    struct watts_joules j;
    const uint32_t step = q->search.step;
    if (!r->there || !watts || !result_kernels(r, q->run->kernel, &k) || !(k.seconds > 0) ||
        !watts_run(watts, &k.activity, k.seconds, 0, &j)) {
        q->run->result.there &= r->there; // a clock whose run failed leaves none
        return false;
    }
    q->at[q->n] = (struct limited_step){*r, watts};
    q->step[q->n++] = step;
    const enum limit_end end = limit_add(&q->search, (j.dynamic_j + j.static_j) / k.seconds,
                                         j.static_j / k.seconds, k.seconds);
    if (end == LIMIT_OPEN) return true;
    for (uint32_t i = 0; i < q->n; i++) {
        if (q->step[i] != q->search.step) continue;
        q->run->result = q->at[i].result;
        q->run->watts = q->at[i].watts;
        q->run->core_mhz = limit_mhz(&q->search, q->search.step);
    }
    return false;
}

static enum ww_status add_step(struct arena *a, const struct study_host *host, struct searched *q,
                               job_list *jobs, struct diags *d) {
    char key[64];
    struct study_configuration *const c = arena_alloc(a, sizeof *c);
    *c = *q->run->configuration;
    c->name = arena_printf(a, "%s, %g MHz", *c->name ? c->name : c->gpu,
                           limit_mhz(&q->search, q->search.step));
    if (c->n_set == STUDY_MAX_SET)
        return diag_add(
            d, WW_ERROR_CONFIG,
            "configuration `%s` sets %d keys, which leaves no room for the clock of its "
            "board's power limit",
            q->run->configuration->name, STUDY_MAX_SET);
    c->set[c->n_set++] = arena_strdup(a, limit_key(&q->search, q->search.step, key, sizeof key));
    struct gpu_config *const gpu = gpu_config_new(a);
    enum ww_status s = technique_configure(c->gpu, c->policy, c->set, c->n_set, d, gpu, NULL);
    if (s != WW_OK) return s;
    const char *why = NULL;
    q->configuration = c;
    q->gpu = gpu;
    q->watts = watts_new(a, gpu, &why);
    return job_add(a, jobs, host, c, q->run->row, q->run->workload, q->run->size, d, &q->job);
}

enum ww_status limited_runs(struct arena *a, struct limited *run, uint32_t n,
                            const struct study_host *host, struct store *store,
                            const struct pool_options *o, bool may_run, struct diags *d,
                            struct pool_counts *counts) {
    struct searched **const q = arena_alloc(a, (n + 1) * sizeof(struct searched *));
    uint32_t open = 0;
    for (uint32_t i = 0; i < n; i++) {
        q[i] = arena_alloc(a, sizeof *q[i]);
        *q[i] = (struct searched){.run = &run[i]};
        limit_begin(&q[i]->search, run[i].gpu);
        run[i].core_mhz = q[i]->search.asked_mhz;
        q[i]->open = q[i]->search.watts > 0 && goes_on(q[i], &run[i].result, run[i].watts);
        open += q[i]->open;
    }
    enum ww_status s = WW_OK;
    while (open && s == WW_OK) {
        job_list jobs = {.n = 0};
        struct pool_counts now = {.kept = 0};
        for (uint32_t i = 0; i < n && s == WW_OK; i++)
            if (q[i]->open) s = add_step(a, host, q[i], &jobs, d);
        if (s == WW_OK && may_run) s = pool_run(a, &jobs, host, store, o, d, &now);
        counts->kept += now.kept, counts->done += now.done, counts->failed += now.failed;
        counts->left += now.left, counts->interrupted |= now.interrupted;
        if (s != WW_OK || now.interrupted) return s;
        open = 0;
        for (uint32_t i = 0; i < n && s == WW_OK; i++) {
            if (!q[i]->open) continue;
            struct result r;
            s = store_get(store, a, jobs.at[q[i]->job].key, d, &r);
            q[i]->open = s == WW_OK && goes_on(q[i], &r, q[i]->watts);
            open += q[i]->open;
        }
    }
    return s;
}
