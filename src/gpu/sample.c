// Sampling of launches that are alike (sample.h); of the blocks of one: sample_inside.c.
//
// A group are launches of one kernel and block whose grids are about as large and fill the chip as many times. It has strata,
// a quarter of an octave of warp instructions each and an eighth of the lanes that were active: launches can differ in
// their work, as those of a search whose front grows and shrinks. How much work a launch is is known when it has been
// computed, so whether to simulate it is decided from those before it: when the strata that the last RECENT ones fell
// into are all known well enough.
//
// Caches hear what launches without time touch only while a launch that will be simulated may be near: as many launches
// before it as fill L2 anew (lead_of), and of a large launch only the last blocks. Groups are looked at together, those early
// whose turn would come soon, so that this happens rarely. All other launches run as fast as without sampling. A launch that
// is simulated when caches have not heard of all since the last one of its group is no sample, like the first one.
//
// How narrow an interval has to be depends on what the group is of the run (error_of): a kernel that takes a hundredth of all
// cycles may be off by ten times the error that was asked for. Two samples can be enough, whose interval is never narrow.
// A look that finds what was expected is followed by one at AGAIN times its ordinal; one that does not by one soon, as are those at a
// group that is most of the run.
//
// What a stratum knows is a line: cycles a warp instruction by the ordinal of the launch, as caches fill, programs change
// and work shrinks within a stratum. A trend that is told from noise is followed half way: it may go on or have ended.
#include "gpu/module.h"
#include "activity/mem.h"
#include "gpu/sample_int.h"
#include "isa/image.h"

#include <math.h>
#include <stdlib.h>

enum {
    LEAST_LAUNCHES = 2, // simulated of those that are alike
    FEW_LAUNCHES = 4,   // fewer say too little of how they differ
    FIRST_AGAIN = 16,   // ordinal at which launches are looked at again
    AGAIN = 4,          // ... then at so many times the ordinal where they were as expected and less than half of all cycles
    AGAIN_SOON = 2,     // ... and otherwise
    JOINS = 2,          // of JOINS_OF parts of it: from there on they are together with others
    JOINS_OF = 3,
    LEAD_OF = 4,        // no more of them are heard before than one of so many
    RECENT = 8,         // launches whose strata have to be known
    SAMPLES = 8,        // launches of a stratum that count: the last ones
    OUTLIES = 8,        // so many times better known is the mean without a first sample that does not count
    BINS_AN_OCTAVE = 4, // of warp instructions
    LANE_BIN = 4,       // lanes of a warp instruction
    MOST_WAY = 2,       // bins to a stratum that tells how the ratio changes with the work
    PATIENCE = 64,      // launches in which the second one of a group may come
    TURNS_BEHIND = 2,   // of L2, by its misses, that make what was in it before irrelevant
    LOOKS_BEHIND = 8,   // ... by its accesses
    MANY_WAVES = 16,    // times that a grid fills the chip from which on the last, partial one is little of it
};

// Half of the interval, as a part of its cycles, of a launch that was simulated behind some that caches have not heard of
// (assumed; one that found two thirds of what it reads in L2, where a whole run has none of it, took 8 % less:
// tests/gpu/test_sample.c).
#define STALE_HALF 0.2

// Standard deviation of launches that are alike, as a part of their cycles, that is assumed at least where FEW_LAUNCHES were not
// simulated (assumed; launches of the perceptron in docs/performance.md differ by 0.1 to 0.4 %).
#define FEW_DEVIATION 0.005

// A first sample that is slower than the others by less, as a part of them, counts.
#define COLD 0.02

// Of cycles: no interval is narrower. Launches can differ with a period that looks at every 8th, 16th ... do not see.
#define LEAST_HALF 0.001

// ---- a line through the last samples ------------------------------------------------------------
double sample_student(uint32_t freedom) {
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                               2.306,  2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
                               2.131,  2.120, 2.110, 2.101, 2.093, 2.086};
    if (freedom == 0) return INFINITY;
    return freedom <= WW_COUNT(t) ? t[freedom - 1] : 1.96 + 2.5 / freedom;
}

// Cycles a warp instruction by ordinal, least squares.
struct line {
    uint32_t n;
    double mean, slope;  // of the ratio; its change from one launch to the next
    double middle, span; // of the ordinals: mean, sum of squares about it
    double first, last;
    double deviation; // of a sample from the line, from the mean where no trend is told
    double student;   // of the degrees of freedom that are left
    bool is_trend;    // the slope is told from noise
};
static struct line line_through(const double *at, const double *ratio, uint32_t n) {
    struct line q = {.n = n, .first = at[0], .last = at[n - 1], .student = INFINITY};
    for (uint32_t i = 0; i < n; i++) q.mean += ratio[i] / n, q.middle += at[i] / n;
    double flat = 0, both = 0;
    for (uint32_t i = 0; i < n; i++) {
        const double x = at[i] - q.middle, y = ratio[i] - q.mean;
        q.span += x * x, both += x * y, flat += y * y;
    }
    if (n < 2) return q;
    q.slope = both / q.span;
    if (n > 2) {
        const double about = fmax(flat - q.slope * both, 0) / (n - 2);
        q.is_trend = fabs(q.slope) > sample_student(n - 2) * sqrt(about / q.span);
        if (q.is_trend) q.deviation = sqrt(about), q.student = sample_student(n - 2);
    }
    if (!q.is_trend) q.deviation = sqrt(flat / (n - 1)), q.student = sample_student(n - 1);
    if (n < FEW_LAUNCHES) q.deviation = fmax(q.deviation, FEW_DEVIATION * q.mean);
    return q;
}
// At the ordinal of a launch behind the samples.
static double line_at(const struct line *q, double at) {
    return q->is_trend ? q->mean + q->slope * (q->last - q->middle + (at - q->last) / 2) : q->mean;
}
// Half of the interval of the line there: of its samples, and of a trend that goes on or ends, or that is not told from noise.
static double line_half(const struct line *q, double at) {
    const double far = q->is_trend ? at - q->middle : 0;
    const double run = q->is_trend ? at - q->last : q->last - q->first;
    const double spread = q->span > 0 ? far * far / q->span : 0;
    return hypot(q->student * q->deviation * sqrt(1.0 / q->n + spread), fabs(q->slope) * run / 2);
}

static uint64_t scaled(uint64_t count, double by) { return (uint64_t)((double)count * by + 0.5); }

// ---- strata -------------------------------------------------------------------------------------
struct stratum {
    struct stratum *next;
    int32_t work, lanes;           // bins
    double at[SAMPLES], ratio[SAMPLES]; // of the last ones, in their order: ordinal, cycles a warp instruction
    uint32_t n;
    struct line line;         // through them
    struct activity activity; // of all that were learned
    uint32_t launches;        // in it
    // Of launches that were estimated from it: halves of intervals in common, squares of those of their own.
    double common, own;
    double course; // of them, half of the interval by SAMPLE_COURSE
    double inside; // of activity, cycles of launches of which only stretches were simulated
    uint8_t *code; // of each line of its code: where the last one that was simulated left it (sm_has_code)
    uint32_t lines;
    // Of every instruction, of the launches in `activity`; NULL: not counted. An image of another size begins anew.
    struct sm_inst_counts *inst;
    struct sm_inst_memory *memory;
    uint32_t n_insts;
};
struct sample_group {
    struct sample_group *next;
    const struct gpu_kernel *kernel;
    const char *name; // of the kernel, whose place another may come to take
    uint32_t block[3], cluster[3], shared;
    uint32_t grid[4]; // bins of its sides; times that it fills the chip
    uint64_t launches, again_at;
    bool is_look;  // its last launch is simulated though it was known
    double cycles; // of all of them, simulated or estimated
    struct stratum *strata;
    const struct stratum *recent[RECENT]; // a ring by `seen`
    uint64_t seen;                        // launches but the first
    uint64_t last;   // its last launch, of sample.launches
    uint64_t period; // how many it came after the one before; 0: it has had one
    bool is_known;   // all of `recent` are, for the launch that comes next
    uint64_t lead;   // its launches in a row that caches have to hear before it is looked at
    uint64_t heard;  // its launches in a row that they have, with all between; 0: not all since `last`
};

static double mean_of(const double *x, uint32_t n) {
    double mean = 0;
    for (uint32_t i = 0; i < n; i++) mean += x[i] / n;
    return mean;
}
// Squared standard error of the mean of n samples, but for a factor (MSER: White, An effective truncation heuristic for
// bias reduction in simulation output, Simulation 69(6), 1997).
static double marginal_error(const double *x, uint32_t n) {
    const double mean = mean_of(x, n);
    double squares = 0;
    for (uint32_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    return squares / n / n;
}
// Whether the first of n samples is slower than the others, as one that finds cold caches is, and their mean is known much better
// without it. A faster one shows that launches grow slower.
static bool is_first_cold(const double *x, uint32_t n) {
    const double others = mean_of(x + 1, n - 1);
    return x[0] - others > COLD * others &&
           OUTLIES * marginal_error(x + 1, n - 1) < marginal_error(x, n);
}
static void drop_first(struct stratum *t) {
    t->n--;
    memmove(t->at, t->at + 1, t->n * sizeof *t->at);
    memmove(t->ratio, t->ratio + 1, t->n * sizeof *t->ratio);
}
static void learn_ratio(struct stratum *t, double at, double ratio) {
    if (t->n == SAMPLES) drop_first(t);
    t->at[t->n] = at, t->ratio[t->n++] = ratio;
    // The first one can have been cold still: in a program's first round each kernel finds data that nothing has touched.
    const bool is_early = t->launches < SAMPLES && t->n > LEAST_LAUNCHES;
    if (is_early && is_first_cold(t->ratio, t->n)) drop_first(t);
    t->line = line_through(t->at, t->ratio, t->n);
}
static bool is_narrow(const struct stratum *t, double at, double error) {
    return t->n >= LEAST_LAUNCHES && line_half(&t->line, at) <= error * line_at(&t->line, at);
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

// Quarters of an octave.
static int32_t bin_of(double x) { return (int32_t)floor(BINS_AN_OCTAVE * log2(x) + 0.5); }

static struct sample_group *group_of(struct gpu *g, const struct gpu_kernel *k,
                                     const struct gpu_launch *l, uint32_t ctas_an_sm) {
    struct sample *const s = g->sample;
    uint32_t grid[4];
    double waves = 1;
    for (uint32_t i = 0; i < 3; i++) {
        grid[i] = (uint32_t)bin_of(l->grid[i]);
        waves *= l->grid[i];
    }
    waves = ceil(waves / ((double)ctas_an_sm * g->config.sm_count));
    grid[3] = waves < MANY_WAVES ? (uint32_t)waves : MANY_WAVES;
    struct sample_group *q = s->group;
    for (; q; q = q->next)
        if (q->kernel == k && strcmp(q->name, k->name) == 0 && q->shared == l->dynamic_shared &&
            memcmp(q->grid, grid, sizeof grid) == 0 &&
            memcmp(q->block, l->block, sizeof q->block) == 0 &&
            memcmp(q->cluster, l->cluster, sizeof q->cluster) == 0)
            return q;
    q = arena_alloc(&s->arena, sizeof *q);
    *q = (struct sample_group){.next = s->group,
                               .kernel = k,
                               .name = arena_strdup(&s->arena, k->name),
                               .shared = l->dynamic_shared,
                               .again_at = FIRST_AGAIN};
    memcpy(q->grid, grid, sizeof q->grid);
    memcpy(q->block, l->block, sizeof q->block);
    memcpy(q->cluster, l->cluster, sizeof q->cluster);
    s->group = q;
    return q;
}

void sample_forget(struct gpu *g, const struct gpu_module *m) {
    for (struct sample_group *q = g->sample ? g->sample->group : NULL; q; q = q->next)
        if (q->kernel && q->kernel->module == m) q->kernel = NULL;
}

static double work_of(const struct gpu_result *r) {
    return r->warp_instructions ? (double)r->warp_instructions : 1;
}
static struct stratum *stratum_of(struct sample *s, struct sample_group *q,
                                  const struct gpu_result *r) {
    const double warps = work_of(r);
    const int32_t work = bin_of(warps);
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
        if (t->n < 2 || far >= least) continue;
        least = far;
        best = t;
    }
    return best;
}

// ---- decisions ----------------------------------------------------------------------------------
static double l2_lines(const struct gpu *g) {
    return (double)mem_system_slices(g->mem) * mem_system_l2_lines(g->mem);
}
// What the cycles of a group may be off by, as a part of them: more where they are few of all. Of parts w of all that are
// off by error / sqrt(w) each, independently, all are off by `error`.
static double error_of(const struct gpu *g, const struct sample_group *q) {
    return g->options.sample_error * sqrt(g->sample->cycles / fmax(q->cycles, 1));
}
static bool all_known(const struct sample_group *q, double error) {
    const uint64_t n = q->seen < RECENT ? q->seen : RECENT;
    for (uint64_t i = 0; i < n; i++)
        if (!is_narrow(q->recent[i], (double)q->launches + 1, error)) return false;
    return n >= LEAST_LAUNCHES;
}
// Launches of a group, as those of a stratum are, that replace what L2 holds. One where it would not be replaced from one
// look to the next: then it stays as it is.
static uint64_t lead_of(const struct gpu *g, const struct sample_group *q,
                        const struct stratum *t) {
    const double misses =
        (double)(t->activity.c[ACT_l2_read_misses] + t->activity.c[ACT_l2_write_misses]);
    const double all = ceil(TURNS_BEHIND * l2_lines(g) * (double)t->launches / fmax(misses, 1));
    if (all > (double)q->again_at) return 1;
    return all < (double)(q->again_at / LEAD_OF) ? (uint64_t)all : q->again_at / LEAD_OF;
}
// What a launch of it was is known, and learned.
static void note(struct gpu *g, struct sample_group *q, const struct stratum *t) {
    q->recent[q->seen++ % RECENT] = t;
    q->is_known = all_known(q, error_of(g, q));
    q->lead = lead_of(g, q, t);
}
// Whether its next launch may come soon.
static bool is_near(const struct sample *s, const struct sample_group *q) {
    return q->kernel && s->launches - q->last <= (q->period ? 2 * q->period : PATIENCE);
}
// Whether it is looked at again soon, and whether it is if another group is.
static bool is_due(const struct sample_group *q) { return q->launches + q->lead >= q->again_at; }
static bool may_join(const struct sample_group *q) {
    return JOINS_OF * (q->launches + q->lead) >= JOINS * q->again_at;
}
// What groups there are, and what their next launches will be, has changed.
static void listen(struct sample *s) {
    bool unknown = false, due = false, joins = false;
    for (const struct sample_group *q = s->group; q; q = q->next) {
        if (!is_near(s, q)) continue;
        unknown |= !q->is_known;
        due |= is_due(q);
        joins |= may_join(q);
    }
    s->looks = due || (s->looks && joins);
    s->listens = unknown || s->looks;
}

bool sample_times(struct gpu *g, const struct order *o) {
    struct sample *const s = g->options.sample_error > 0 ? sample_of(g) : NULL;
    if (!s || o->launch.cooperative) return true;
    struct sample_group *const q = group_of(g, o->kernel, &o->launch, o->occupancy.ctas);
    q->launches++;
    s->launches++;
    q->period = q->last ? s->launches - q->last : 0;
    const bool was_silent = s->silent_at && s->silent_at + PATIENCE > s->launches;
    q->heard = (q->last ? s->silent_at >= q->last : was_silent) ? 0 : q->heard + 1;
    q->last = s->launches;
    const bool joins = s->looks && JOINS_OF * q->launches >= JOINS * q->again_at;
    const bool looks = q->launches >= q->again_at || (joins && q->heard >= q->lead);
    q->is_look = looks && q->is_known;
    if (q->is_look) q->again_at = (2 * q->cycles > s->cycles ? AGAIN_SOON : AGAIN) * q->launches;
    listen(s);
    return looks || !q->is_known;
}

double sample_blocks_to_fill(const struct gpu *g, const struct activity *a, double blocks) {
    const double misses = (double)(a->c[ACT_l2_read_misses] + a->c[ACT_l2_write_misses]);
    const double looks = (double)(a->c[ACT_l2_reads] + a->c[ACT_l2_writes] + a->c[ACT_l2_atomics]);
    return l2_lines(g) * blocks *
           fmin(TURNS_BEHIND / fmax(misses, 1), LOOKS_BEHIND / fmax(looks, 1));
}
uint64_t sample_heard_from(struct gpu *g, const struct flight *r, uint64_t first, uint64_t end) {
    double n = INFINITY;
    if (r->started) {
        n = sample_gap_to_fill(g, r);
    } else if (r->is_estimated && !g->sample->listens) {
        g->sample->silent_at = g->sample->launches;
        return end;
    } else if (r->is_estimated && !sample_may_wait(r->kernel->image)) {
        const struct sample_group *const q =
            group_of(g, r->kernel, &r->launch, r->result.occupancy.ctas);
        const struct stratum *const t = q->recent[(q->seen - 1) % RECENT];
        if (t->launches)
            n = sample_blocks_to_fill(g, &t->activity, (double)t->activity.c[ACT_cta_launches]);
    }
    if (n >= (double)(end - first)) return first;
    const uint64_t at = end - (uint64_t)ceil(n);
    const uint32_t cluster = g->source->cluster_blocks ? g->source->cluster_blocks(r->exec) : 0;
    return cluster ? at - (at - first) % cluster : at;
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

// Code that it leaves in the instruction caches: what SM 0, which has its first block, has of it.
static uint32_t lines_of_code(const struct gpu *g, const struct gpu_kernel *k) {
    const uint64_t line = g->config.sm.icache.line_bytes, first = k->code_address / line * line;
    const uint64_t bytes = (uint64_t)k->image->n_insts * g->config.sm.instruction_bytes;
    return line ? (uint32_t)((k->code_address + bytes - first + line - 1) / line) : 0;
}
static void learn_code(struct gpu *g, struct stratum *t, const struct gpu_kernel *k) {
    const uint32_t n = lines_of_code(g, k);
    if (t->lines != n) t->code = arena_alloc(&g->sample->arena, n * sizeof *t->code);
    t->lines = n;
    for (uint32_t i = 0; i < n; i++)
        t->code[i] = sm_has_code(g->sm[0], k->code_address + (uint64_t)i * g->config.sm.icache.line_bytes);
}
static void leave_code(struct gpu *g, const struct stratum *t, const struct flight *r) {
    if (t->lines != lines_of_code(g, r->kernel)) return;
    for (uint32_t i = 0; i < g->config.sm_count && i < r->n_ctas; i++)
        sm_warm_code(g->sm[i], r->kernel->code_address, t->code, t->lines);
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
static void add_cycles(struct sample *s, struct sample_group *q, double cycles) {
    q->cycles += cycles;
    s->cycles += cycles;
}
// Whether a launch of a stratum took what its like let expect.
static bool is_expected(const struct stratum *t, double at, double ratio) {
    if (t->n < LEAST_LAUNCHES) return false;
    const double half = hypot(line_half(&t->line, at), t->line.student * t->line.deviation);
    return fabs(ratio - line_at(&t->line, at)) <= half;
}
void sample_learn(struct gpu *g, const struct flight *r) {
    struct sample *const s = g->sample;
    if (!s || r->launch.cooperative || r->result.overlapped || r->result.status != WW_OK) return;
    const double cycles = (double)r->result.cycles;
    struct sample_group *const q =
        group_of(g, r->kernel, &r->launch, r->result.occupancy.ctas);
    add_cycles(s, q, cycles);
    if (q->launches == 1 || !q->heard) { // caches are cold, or not as they would be
        if (!q->heard) s->variance += STALE_HALF * STALE_HALF * cycles * cycles;
        return;
    }
    struct stratum *const t = stratum_of(s, q, &r->result);
    const double at = (double)q->launches, ratio = cycles / work_of(&r->result);
    if (q->is_look && !is_expected(t, at, ratio)) q->again_at = AGAIN_SOON * q->launches;
    learn_ratio(t, at, ratio);
    note(g, q, t);
    // Behind others without time it takes another course than in a whole run.
    if (s->has_estimates && !r->result.estimate.is) {
        const double half = fmax(SAMPLE_COURSE * cycles, 2 * t->line.deviation * work_of(&r->result));
        s->variance += half * half;
    }
    if (r->result.estimate.is) t->inside += cycles;
    activity_add(&t->activity, &r->result.activity);
    t->launches++;
    learn_code(g, t, r->kernel);
    learn_instructions(&s->arena, t, r);
}

// Warp instructions of a launch of those that were learned, in bins.
static double work_learned(const struct stratum *t) {
    return BINS_AN_OCTAVE * log2((double)t->activity.c[ACT_warp_instructions] / t->launches);
}
// What the ratio of a launch of x warp instructions is beside that of its stratum: on the way to the next stratum, by what the
// nearest one of other work says.
static double ratio_on_the_way(const struct sample_group *q, const struct stratum *t, double x) {
    const struct stratum *other = NULL;
    int32_t least = INT32_MAX;
    for (const struct stratum *s = q->strata; s; s = s->next) {
        const int32_t far = abs(s->work - t->work);
        if (far == 0 || far > MOST_WAY || far >= least || s->n < LEAST_LAUNCHES || s->lanes != t->lanes) continue;
        least = far;
        other = s;
    }
    if (!other) return 0;
    const double from = work_learned(t), apart = work_learned(other) - from;
    const double way = BINS_AN_OCTAVE * log2(x) - from;
    if (fabs(apart) < 0.5 || fabs(way) > 1) return 0;
    return (other->line.mean - t->line.mean) * way / apart;
}

uint64_t sample_estimate(struct gpu *g, struct flight *r) {
    struct gpu_result *const out = &r->result;
    struct sample_group *const q = group_of(g, r->kernel, &r->launch, out->occupancy.ctas);
    struct stratum *const own = stratum_of(g->sample, q, out);
    struct stratum *const t = own->n >= 2 ? own : nearest(q, own);
    const double x = work_of(out), at = (double)q->launches;
    const double way = t == own ? ratio_on_the_way(q, t, x) : 0;
    const double cycles = (line_at(&t->line, at) + way) * x;
    add_cycles(g->sample, q, cycles);
    note(g, q, own);
    double common = fmax(hypot(line_half(&t->line, at), way / 2) * x, LEAST_HALF * cycles);
    // Of another stratum cycles may be as many for each instruction, or as many in all, or anything between.
    const double of_learned = (double)t->activity.c[ACT_warp_instructions] / t->launches;
    if (t != own) common += fabs(cycles - line_at(&t->line, at) * of_learned);
    const double alone = t->line.student * t->line.deviation * x;
    const double learned = (double)t->activity.c[ACT_warp_instructions];
    const double course = SAMPLE_COURSE * t->inside / (double)t->activity.c[ACT_cycles] * cycles;
    out->cycles = (uint64_t)(cycles + 0.5);
    sample_extrapolate(&out->activity, &t->activity, learned, x);
    estimate_instructions(g, r, t, x / learned);
    leave_code(g, t, r);
    out->start_s = gpu_now_s(g);
    out->functional = false;
    out->estimate =
        (struct gpu_estimate){.is = true, .half_cycles = hypot(hypot(common, alone), course)};
    t->common += common;
    t->own += alone * alone;
    t->course += course;
    g->sample->has_estimates = true;
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
