// Statistics of sampling (sample.h).
#include "activity/sm.h"
#include "exec/functional.h"
#include "gpu/module.h"
#include "gpu/sample.h"
#include "isa/image.h"

#include <math.h>

enum {
    LEAST_LAUNCHES = 4, // simulated of those that are alike
    LEAST_WINDOWS = 4,  // of a launch, without the one that warms up
    FIRST_AGAIN = 8,    // ordinal at which launches are looked at again, then twice as often
    AGAIN = 3,          // launches then: the first two bring caches to what they would hold
};

// ---- a ratio of two sums, y for each x ----------------------------------------------------------
static void ratio_add(struct sample_ratio *q, double x, double y) {
    q->n++;
    q->x += x, q->y += y;
    q->xx += x * x, q->xy += x * y, q->yy += y * y;
}
static double ratio_of(const struct sample_ratio *q) { return q->x > 0 ? q->y / q->x : 0; }

// Student's t, two-sided 95 %, by degrees of freedom.
static double student(uint32_t freedom) {
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                               2.306,  2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
                               2.131,  2.120, 2.110, 2.101, 2.093, 2.086};
    if (freedom == 0) return INFINITY;
    return freedom <= WW_COUNT(t) ? t[freedom - 1] : 1.96 + 2.5 / freedom;
}
// Variance of y about the ratio's line.
static double ratio_variance(const struct sample_ratio *q) {
    if (q->n < 2) return INFINITY;
    const double r = ratio_of(q), s = q->yy - 2 * r * q->xy + r * r * q->xx;
    return s > 0 ? s / (q->n - 1) : 0;
}
// Half of the interval of y of `n` items whose x are together `x`: the ratio is off by the same for all of them, and
// each varies about it.
static double ratio_half(const struct sample_ratio *q, double x, double n) {
    if (q->n < 2 || q->x <= 0) return INFINITY;
    const double v = ratio_variance(q), of_ratio = v * q->n / (q->x * q->x);
    return student(q->n - 1) * sqrt(x * x * of_ratio + n * v);
}
static bool is_narrow(const struct sample_ratio *q, uint32_t least, double error) {
    return q->n >= least && q->y > 0 && ratio_half(q, q->x, 0) <= error * q->y;
}

static uint64_t scaled(uint64_t count, double by) { return (uint64_t)((double)count * by + 0.5); }

// ---- launches that are alike --------------------------------------------------------------------
struct sample_group {
    struct sample_group *next;
    const struct gpu_kernel *kernel;
    const char *name; // of the kernel, whose place another may come to take
    uint32_t grid[3], block[3], cluster[3], shared;
    uint64_t launches, again_at;
    struct sample_ratio ratio;     // cycles for each warp instruction
    struct activity activity;      // of the launches in it
    double estimated_x, estimated; // warp instructions and number of launches that were estimated
    // Of every instruction, of the launches in `activity`; NULL: not counted. An image of another size begins anew.
    struct sm_inst_counts *inst;
    struct sm_inst_memory *memory;
    uint32_t n_insts;
};
struct sample {
    struct activity
        at[SAMPLE_WINDOWS + 1]; // the chip's counts between the windows of the launch that runs
    struct sample_group *group;
    struct arena arena;
    uint32_t again;  // launches that are simulated whatever is known of them
    bool warms;      // the one that runs brings caches to what they would hold: it is no sample
    double variance; // of estimates inside launches
};

// ---- counts of instructions -----------------------------------------------------------------------
static void inst_grow(struct sm_inst_counts *to, const struct sm_inst_counts *from, uint32_t n,
                      double by) {
    for (uint32_t k = 0; k < n; k++) {
        to[k].issues += scaled(from[k].issues, by);
        to[k].lanes += scaled(from[k].lanes, by);
        for (uint32_t i = 0; i < STALL_N; i++) to[k].stall[i] += scaled(from[k].stall[i], by);
    }
}
static void memory_grow(struct sm_inst_memory *to, const struct sm_inst_memory *from, uint32_t n,
                        double by) {
    for (uint32_t k = 0; k < n; k++) {
#define INST_MEMORY(name, unit, prose) to[k].name += scaled(from[k].name, by);
#include "sm/inst_memory.def"
#undef INST_MEMORY
    }
}
static void learn_instructions(struct arena *a, struct sample_group *q, const struct flight *r) {
    const uint32_t n = r->kernel->image->n_insts;
    if (!r->inst || !r->inst_memory) return;
    if (q->n_insts != n) {
        q->n_insts = n;
        q->inst = arena_alloc(a, n * sizeof *q->inst);
        q->memory = arena_alloc(a, n * sizeof *q->memory);
        memset(q->inst, 0, n * sizeof *q->inst);
        memset(q->memory, 0, n * sizeof *q->memory);
    }
    inst_grow(q->inst, r->inst, n, 1);
    memory_grow(q->memory, r->inst_memory, n, 1);
}
static void estimate_instructions(struct gpu *g, struct flight *r, const struct sample_group *q,
                                  double by) {
    const uint32_t n = r->kernel->image->n_insts;
    if (!q->inst || q->n_insts != n) return;
    r->inst = device_alloc(g, n * sizeof *r->inst);
    r->inst_memory = device_alloc(g, n * sizeof *r->inst_memory);
    if (!r->inst || !r->inst_memory) return; // results without it are still results
    inst_grow(r->inst, q->inst, n, by);
    memory_grow(r->inst_memory, q->memory, n, by);
    r->result.inst = r->inst;
    r->result.inst_memory = r->inst_memory;
}

static struct sample *sample_of(struct gpu *g) {
    if (g->sample) return g->sample;
    g->sample = device_alloc(g, sizeof *g->sample);
    if (g->sample) arena_init(&g->sample->arena, &g->allocator);
    return g->sample;
}
void sample_destroy(struct gpu *g) {
    if (!g->sample) return;
    arena_free(&g->sample->arena);
    device_free(g, g->sample);
    g->sample = NULL;
}

static struct sample_group *group_of(struct sample *s, const struct gpu_kernel *k,
                                     const struct gpu_launch *l) {
    struct sample_group *q = s->group;
    for (; q; q = q->next)
        if (q->kernel == k && strcmp(q->name, k->name) == 0 && q->shared == l->dynamic_shared &&
            memcmp(q->grid, l->grid, sizeof q->grid) == 0 &&
            memcmp(q->block, l->block, sizeof q->block) == 0 &&
            memcmp(q->cluster, l->cluster, sizeof q->cluster) == 0)
            return q;
    q = arena_alloc(&s->arena, sizeof *q);
    *q = (struct sample_group){.next = s->group,
                               .kernel = k,
                               .name = arena_strdup(&s->arena, k->name),
                               .shared = l->dynamic_shared,
                               .again_at = FIRST_AGAIN};
    memcpy(q->grid, l->grid, sizeof q->grid);
    memcpy(q->block, l->block, sizeof q->block);
    memcpy(q->cluster, l->cluster, sizeof q->cluster);
    s->group = q;
    return q;
}

void sample_forget(struct gpu *g, const struct gpu_module *m) {
    for (struct sample_group *q = g->sample ? g->sample->group : NULL; q; q = q->next)
        if (q->kernel && q->kernel->module == m) q->kernel = NULL;
}

bool sample_times(struct gpu *g, const struct order *o) {
    struct sample *const s = g->options.sample_error > 0 ? sample_of(g) : NULL;
    if (!s || o->launch.cooperative) return true;
    struct sample_group *const q = group_of(s, o->kernel, &o->launch);
    s->warms = false;
    if (++q->launches >= q->again_at && q->ratio.n >= LEAST_LAUNCHES) {
        q->again_at = 2 * q->launches;
        s->again = AGAIN;
    }
    if (s->again) {
        s->warms = s->again-- > 1;
        return true;
    }
    return !is_narrow(&q->ratio, LEAST_LAUNCHES, g->options.sample_error);
}

void sample_learn(struct gpu *g, const struct flight *r) {
    struct sample *const s = g->sample;
    if (!s || r->launch.cooperative || r->result.overlapped || r->result.status != WW_OK) return;
    struct sample_group *const q = group_of(s, r->kernel, &r->launch);
    if (s->warms && q->ratio.n >= LEAST_LAUNCHES) return; // it began with caches of another time
    if (q->launches == 1) return;                         // the first finds caches that are cold
    ratio_add(&q->ratio, (double)r->result.warp_instructions, (double)r->result.cycles);
    activity_add(&q->activity, &r->result.activity);
    learn_instructions(&s->arena, q, r);
}

double sample_half_cycles(const struct gpu *g) {
    if (!g->sample) return 0;
    double v = g->sample->variance;
    for (const struct sample_group *q = g->sample->group; q; q = q->next) {
        if (q->estimated <= 0) continue;
        const double half = ratio_half(&q->ratio, q->estimated_x, q->estimated);
        v += half * half;
    }
    return sqrt(v);
}

// The counters of `x` warp instructions, of which `from` has `of`, added to `a`.
static void extrapolate(struct activity *a, const struct activity *from, double of, double x) {
    for (uint32_t i = 0; i < ACT_N; i++)
        if (from->c[i]) a->c[i] += scaled(from->c[i], x / of);
}

// Counts that are known, and what follows from the cycles.
static void settle(const struct gpu *g, struct gpu_result *out) {
    uint64_t *const c = out->activity.c;
    const uint64_t all = out->cycles * g->config.sm_count;
    c[ACT_cycles] = out->cycles;
    c[ACT_warp_instructions] = out->warp_instructions;
    c[ACT_thread_instructions] = out->thread_instructions;
    c[ACT_cta_launches] = out->ctas;
    if (c[ACT_sm_busy_cycles] > all) c[ACT_sm_busy_cycles] = all;
    c[ACT_sm_idle_cycles] = all - c[ACT_sm_busy_cycles];
    out->seconds = (double)out->cycles / (g->config.clocks.core_mhz * 1e6);
    out->end_cycle = out->start_cycle + out->cycles;
    out->achieved_warps = c[ACT_sm_busy_cycles]
                              ? (double)c[ACT_warp_slots_cycles] / (double)c[ACT_sm_busy_cycles]
                              : 0;
}

uint64_t sample_estimate(struct gpu *g, struct flight *r) {
    struct gpu_result *const out = &r->result;
    struct sample_group *const q = group_of(g->sample, r->kernel, &r->launch);
    const double x = (double)out->warp_instructions;
    out->cycles = (uint64_t)(ratio_of(&q->ratio) * x + 0.5);
    extrapolate(&out->activity, &q->activity, q->ratio.x, x);
    estimate_instructions(g, r, q, x / q->ratio.x);
    out->start_s = gpu_now_s(g);
    out->functional = false;
    out->estimate = (struct gpu_estimate){.is = true, .half_cycles = ratio_half(&q->ratio, x, 1)};
    q->estimated_x += x;
    q->estimated++;
    settle(g, out);
    return out->cycles;
}

// ---- the blocks of a launch ---------------------------------------------------------------------
void sample_begin(const struct gpu *g, struct flight *r) {
    const uint64_t wave = (uint64_t)r->result.occupancy.ctas * g->config.sm_count;
    r->last_cta = r->n_ctas;
    r->inside = (struct sample_inside){.wave = wave, .window_ends = UINT64_MAX};
    if (g->sample && !r->launch.cooperative && !r->rehearsals && !r->cluster &&
        r->n_ctas / wave >= 2 * LEAST_WINDOWS + 3)
        r->inside.window_ends = wave;
}

// A window has ended. Sixteen become eight of twice the length.
static void add_window(struct gpu *g, struct sample_inside *s) {
    struct activity *const at = g->sample->at;
    s->at[++s->n] = g->now;
    device_activity_sum(g, &at[s->n]);
    if (s->n == SAMPLE_WINDOWS) {
        s->n /= 2;
        s->each *= 2;
        for (uint32_t i = 1; i <= s->n; i++) {
            s->at[i] = s->at[2 * i];
            at[i] = at[2 * i];
        }
    }
    s->ratio = (struct sample_ratio){0};
    for (uint32_t i = s->n / 2; i < s->n; i++)
        ratio_add(&s->ratio,
                  (double)(at[i + 1].c[ACT_warp_instructions] - at[i].c[ACT_warp_instructions]),
                  (double)(s->at[i + 1] - s->at[i]));
}

void sample_quantum(struct gpu *g, struct flight *r) {
    struct sample_inside *const s = &r->inside;
    if (s->window_ends == UINT64_MAX) return;
    uint64_t done = 0;
    for (uint32_t i = 0; i < g->config.sm_count; i++) done += g->side[i].done[r->slot];
    if (done < s->window_ends) return;
    if (r->result.overlapped) {
        s->window_ends = UINT64_MAX;
        return;
    }
    if (!s->each) { // the first wave is over
        s->each = 1;
        s->at[0] = g->now;
        device_activity_sum(g, &g->sample->at[0]);
    } else
        add_window(g, s);
    s->window_ends = done + s->wave * s->each;
    if (r->n_ctas - r->next_cta < 2 * s->wave) // the rest would not be worth it
        s->window_ends = UINT64_MAX;
    else if (is_narrow(&s->ratio, LEAST_WINDOWS, g->options.sample_error)) {
        r->last_cta = r->next_cta;
        s->window_ends = UINT64_MAX;
    }
}

uint64_t sample_rest(struct gpu *g, struct flight *r, const struct exec_counts *rest) {
    struct gpu_result *const out = &r->result;
    struct sample_inside *const s = &r->inside;
    const double x = (double)rest->warp_instructions;
    const uint64_t more = (uint64_t)(ratio_of(&s->ratio) * x + 0.5);
    struct activity *const steady = &g->sample->at[s->n];
    activity_sub(steady, &g->sample->at[s->n / 2]);
    extrapolate(&out->activity, steady, s->ratio.x, x);
    out->estimate = (struct gpu_estimate){
        .is = true, .ctas_timed = r->last_cta, .half_cycles = ratio_half(&s->ratio, x, 0)};
    g->sample->variance += out->estimate.half_cycles * out->estimate.half_cycles;
    if (r->inst && r->inst_memory) { // of the launch so far, as windows have none of their own
        const double by = x / (double)out->warp_instructions;
        inst_grow(r->inst, r->inst, r->kernel->image->n_insts, by);
        memory_grow(r->inst_memory, r->inst_memory, r->kernel->image->n_insts, by);
    }
    out->ctas_done = r->n_ctas;
    out->warp_instructions += rest->warp_instructions;
    out->thread_instructions += rest->thread_instructions;
    out->cycles += more;
    settle(g, out);
    return more;
}
