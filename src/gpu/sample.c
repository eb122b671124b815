// Sampling of launches that are alike (sample.h); of the blocks of one: sample_inside.c.
//
// A group has strata, a quarter of an octave of warp instructions each and an eighth of the lanes that were active: launches
// of one kernel with one grid can differ in their work, as those of a search whose front grows and shrinks. How much work a
// launch is is known when it has been computed, so whether to simulate it is decided from those before it: when the
// strata that the last RECENT ones fell into are all known well enough.
#include "gpu/module.h"
#include "gpu/sample_int.h"
#include "isa/image.h"

#include <math.h>
#include <stdlib.h>

enum {
    LEAST_LAUNCHES = 4, // simulated of those that are alike
    FIRST_AGAIN = 8,    // ordinal at which launches are looked at again, then twice as often
    RECENT = 8,         // launches whose strata have to be known
    SAMPLES = 8,        // launches of a stratum that count: the last ones
    BINS_AN_OCTAVE = 4, // of warp instructions
    LANE_BIN = 4,       // lanes of a warp instruction
};

// Of cycles: no interval is narrower. Launches can differ with a period that looks at every 8th, 16th ... do not see.
#define LEAST_HALF 0.001

// ---- a ratio of two sums, y for each x ----------------------------------------------------------
static void ratio_add(struct sample_ratio *q, double x, double y) {
    q->n++;
    q->x += x, q->y += y;
    q->xx += x * x, q->xy += x * y, q->yy += y * y;
}
static double ratio_of(const struct sample_ratio *q) { return q->x > 0 ? q->y / q->x : 0; }

double sample_student(uint32_t freedom) {
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
// Half of the interval of the ratio's y at x.
static double ratio_half(const struct sample_ratio *q, double x) {
    if (q->n < 2 || q->x <= 0) return INFINITY;
    return sample_student(q->n - 1) * x * sqrt(ratio_variance(q) * q->n) / q->x;
}

static uint64_t scaled(uint64_t count, double by) { return (uint64_t)((double)count * by + 0.5); }

// ---- strata -------------------------------------------------------------------------------------
struct stratum {
    struct stratum *next;
    int32_t work, lanes;           // bins
    double x[SAMPLES], y[SAMPLES]; // warp instructions and cycles, a ring by `learned`
    uint32_t learned;
    struct sample_ratio ratio; // cycles for each warp instruction, of those in the ring
    double drift;              // of the ratio, from the older half of them to the younger
    struct activity activity;  // of all that were learned
    // Of launches that were estimated from it: halves of intervals in common, squares of those of their own.
    double common, own;
    double course; // of them, half of the interval by SAMPLE_COURSE
    double inside; // of activity, cycles of launches of which only stretches were simulated
    // Of every instruction, of the launches in `activity`; NULL: not counted. An image of another size begins anew.
    struct sm_inst_counts *inst;
    struct sm_inst_memory *memory;
    uint32_t n_insts;
};
struct sample_group {
    struct sample_group *next;
    const struct gpu_kernel *kernel;
    const char *name; // of the kernel, whose place another may come to take
    uint32_t grid[3], block[3], cluster[3], shared;
    uint64_t launches, again_at;
    struct stratum *strata;
    const struct stratum *recent[RECENT]; // a ring by `seen`
    uint64_t seen;                        // launches but the first
};

// The last samples make the ratio, as caches fill and programs change. Where they go one way, more may follow.
static void learn_ratio(struct stratum *t, double x, double y) {
    t->x[t->learned % SAMPLES] = x, t->y[t->learned % SAMPLES] = y;
    t->learned++;
    const uint32_t n = t->learned < SAMPLES ? t->learned : SAMPLES;
    struct sample_ratio half[2] = {{0}, {0}};
    t->ratio = (struct sample_ratio){0};
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = (t->learned - n + i) % SAMPLES;
        ratio_add(&t->ratio, t->x[at], t->y[at]);
        ratio_add(&half[2 * i >= n], t->x[at], t->y[at]);
    }
    t->drift = n > 1 ? fabs(ratio_of(&half[1]) - ratio_of(&half[0])) : 0;
}
static bool is_narrow(const struct stratum *t, double error) {
    const struct sample_ratio *const q = &t->ratio;
    return q->n >= LEAST_LAUNCHES && q->y > 0 && ratio_half(q, q->x) <= error * q->y &&
           t->drift * q->x <= error * q->y;
}
// Half of the interval of a launch of x warp instructions: what all that are estimated from these samples have in common,
// and what is its own.
static double half_in_common(const struct stratum *t, double x) {
    return fmax(hypot(ratio_half(&t->ratio, x), t->drift * x),
                LEAST_HALF * ratio_of(&t->ratio) * x);
}
static double half_of_its_own(const struct stratum *t) {
    return sample_student(t->ratio.n - 1) * sqrt(ratio_variance(&t->ratio));
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

static struct stratum *stratum_of(struct sample *s, struct sample_group *q,
                                  const struct gpu_result *r) {
    const double warps = (double)(r->warp_instructions ? r->warp_instructions : 1);
    const int32_t work = (int32_t)floor(BINS_AN_OCTAVE * log2(warps) + 0.5);
    const int32_t lanes = (int32_t)((double)r->thread_instructions / warps / LANE_BIN);
    struct stratum *t = q->strata;
    while (t && (t->work != work || t->lanes != lanes)) t = t->next;
    if (t) return t;
    t = arena_alloc(&s->arena, sizeof *t);
    *t = (struct stratum){.next = q->strata, .work = work, .lanes = lanes};
    q->strata = t;
    return t;
}

// The stratum with enough launches that is most like one, by its work before its lanes.
static struct stratum *nearest(struct sample_group *q, const struct stratum *to) {
    struct stratum *best = NULL;
    int32_t least = INT32_MAX;
    for (struct stratum *t = q->strata; t; t = t->next) {
        const int32_t far = 32 * abs(t->work - to->work) + abs(t->lanes - to->lanes);
        if (t->ratio.n < 2 || far >= least) continue;
        least = far;
        best = t;
    }
    return best;
}

// ---- decisions ----------------------------------------------------------------------------------
static bool all_known(const struct sample_group *q, double error) {
    const uint64_t n = q->seen < RECENT ? q->seen : RECENT;
    for (uint64_t i = 0; i < n; i++)
        if (!is_narrow(q->recent[i], error)) return false;
    return n >= LEAST_LAUNCHES;
}
static void note(struct sample_group *q, const struct stratum *t) {
    q->recent[q->seen++ % RECENT] = t;
}

bool sample_times(struct gpu *g, const struct order *o) {
    struct sample *const s = g->options.sample_error > 0 ? sample_of(g) : NULL;
    if (!s || o->launch.cooperative) return true;
    struct sample_group *const q = group_of(s, o->kernel, &o->launch);
    const bool is_known = all_known(q, g->options.sample_error);
    if (++q->launches < q->again_at || !is_known) return !is_known;
    q->again_at = 2 * q->launches;
    return true;
}

// ---- counts -------------------------------------------------------------------------------------
void sample_grow_instructions(struct sm_inst_counts *to, const struct sm_inst_counts *from,
                              uint32_t n, double by) {
    for (uint32_t k = 0; k < n; k++) {
        to[k].issues += scaled(from[k].issues, by);
        to[k].lanes += scaled(from[k].lanes, by);
        for (uint32_t i = 0; i < STALL_N; i++) to[k].stall[i] += scaled(from[k].stall[i], by);
    }
}
void sample_grow_memory(struct sm_inst_memory *to, const struct sm_inst_memory *from, uint32_t n,
                        double by) {
    for (uint32_t k = 0; k < n; k++) {
#define INST_MEMORY(name, unit, prose) to[k].name += scaled(from[k].name, by);
#include "sm/inst_memory.def"
#undef INST_MEMORY
    }
}
static void learn_instructions(struct arena *a, struct stratum *t, const struct flight *r) {
    const uint32_t n = r->kernel->image->n_insts;
    if (!r->inst || !r->inst_memory) return;
    if (t->n_insts != n) {
        t->n_insts = n;
        t->inst = arena_alloc(a, n * sizeof *t->inst);
        t->memory = arena_alloc(a, n * sizeof *t->memory);
        memset(t->inst, 0, n * sizeof *t->inst);
        memset(t->memory, 0, n * sizeof *t->memory);
    }
    sample_grow_instructions(t->inst, r->inst, n, 1);
    sample_grow_memory(t->memory, r->inst_memory, n, 1);
}
static void estimate_instructions(struct gpu *g, struct flight *r, const struct stratum *t,
                                  double by) {
    const uint32_t n = r->kernel->image->n_insts;
    if (!t->inst || t->n_insts != n) return;
    r->inst = device_alloc(g, n * sizeof *r->inst);
    r->inst_memory = device_alloc(g, n * sizeof *r->inst_memory);
    if (!r->inst || !r->inst_memory) return; // results without it are still results
    sample_grow_instructions(r->inst, t->inst, n, by);
    sample_grow_memory(r->inst_memory, t->memory, n, by);
    r->result.inst = r->inst;
    r->result.inst_memory = r->inst_memory;
}

void sample_extrapolate(struct activity *a, const struct activity *from, double of, double x) {
    for (uint32_t i = 0; i < ACT_N; i++)
        if (from->c[i]) a->c[i] += scaled(from->c[i], x / of);
}

void sample_settle(const struct gpu *g, struct gpu_result *out) {
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

// ---- learning and estimating --------------------------------------------------------------------
void sample_learn(struct gpu *g, const struct flight *r) {
    struct sample *const s = g->sample;
    if (!s || r->launch.cooperative || r->result.overlapped || r->result.status != WW_OK) return;
    struct sample_group *const q = group_of(s, r->kernel, &r->launch);
    if (q->launches == 1) return; // the first finds caches that are cold
    struct stratum *const t = stratum_of(s, q, &r->result);
    note(q, t);
    learn_ratio(t, (double)r->result.warp_instructions, (double)r->result.cycles);
    if (r->result.estimate.is) t->inside += (double)r->result.cycles;
    activity_add(&t->activity, &r->result.activity);
    learn_instructions(&s->arena, t, r);
}

uint64_t sample_estimate(struct gpu *g, struct flight *r) {
    struct gpu_result *const out = &r->result;
    struct sample_group *const q = group_of(g->sample, r->kernel, &r->launch);
    struct stratum *const own = stratum_of(g->sample, q, out);
    struct stratum *const t = own->ratio.n >= 2 ? own : nearest(q, own);
    note(q, own);
    const double x = (double)out->warp_instructions;
    const double cycles = ratio_of(&t->ratio) * x;
    double common = half_in_common(t, x);
    // Of another stratum cycles may be as many for each instruction, or as many in all, or anything between.
    if (t != own) common += fabs(cycles - t->ratio.y / t->ratio.n);
    const double alone = half_of_its_own(t);
    const double learned = (double)t->activity.c[ACT_warp_instructions];
    const double course = SAMPLE_COURSE * t->inside / (double)t->activity.c[ACT_cycles] * cycles;
    out->cycles = (uint64_t)(cycles + 0.5);
    sample_extrapolate(&out->activity, &t->activity, learned, x);
    estimate_instructions(g, r, t, x / learned);
    out->start_s = gpu_now_s(g);
    out->functional = false;
    out->estimate =
        (struct gpu_estimate){.is = true, .half_cycles = hypot(hypot(common, alone), course)};
    t->common += common;
    t->own += alone * alone;
    t->course += course;
    sample_settle(g, out);
    return out->cycles;
}

double sample_half_cycles(const struct gpu *g) {
    if (!g->sample) return 0;
    double v = g->sample->variance, course = g->sample->course;
    for (const struct sample_group *q = g->sample->group; q; q = q->next) {
        for (const struct stratum *t = q->strata; t; t = t->next) {
            v += t->common * t->common + t->own;
            course += t->course;
        }
    }
    return hypot(sqrt(v), course);
}
