// Sampling inside a launch (sample.h): stretches of its blocks are simulated, those between them computed without time.
//
//   blocks  |head.|count.......|  without time  |settle|count.......|  without time  | ... |settle|count.......|end|
//
// The gap's blocks are computed between two quanta, while those of the stretch before it go on: the chip stays full, and
// no time passes. A stretch begins with a wave of blocks that is not counted, in which those of before the gap end; its cycles
// are no time of the launch, as it can take a quarter more (cfd; perhaps L1 lacks what its neighbours would have left): it takes what the gap's blocks take. The
// last one reaches the end of the grid, so that the end in which the chip empties is simulated. So is the begin, the
// head: until L2 has replaced all that it holds TURNS times, if that is soon (caches that fill and do not yet write back
// make a launch of much memory traffic faster at first). Caches hear what a gap's last blocks touch, as many as fill L2
// anew, one wave at least.
//
// Blocks of a kernel that can wait for others (a load that orders memory, an atomic that answers) might wait for one
// that is on the chip. There no more blocks start when a stretch has ended, and the gap follows when the chip is empty;
// what emptying and filling it take is no time of the launch either.
//
// The cycles of a gap are its warp instructions times the mean of the ratios of the stretches before and behind it, so
// that a trend along the grid is followed. The interval is that of a systematic sample by successive differences (Wolter,
// Introduction to Variance Estimation, 2007, chapter 8): a trend or noise between stretches widens it. Where the
// stretches differ more than the error that was asked for allows, the gaps that follow are shorter, or there are none. Beside it
// stands SAMPLE_COURSE of the cycles: a launch takes one of many courses, and a gap leads it into another.
#include "activity/mem.h"
#include "gpu/sample_int.h"
#include "exec/functional.h"
#include "gpu/module.h"
#include "isa/image.h"
#include "isa/op.h"

#include <math.h>

enum {
    LEAST_COUNT = 3,
    MOST_COUNT = 8, // waves of a stretch that are counted
    A_COUNT = 512,  // waves of a grid for each
    LONG = 50000,  // warp instructions of an SM that are enough for a stretch: of long waves it counts fewer
    AROUND = 2,    // waves of blocks that a stretch takes beside them
    LEAST = 4,     // stretches of a launch
    FEW = 5,       // where waves are LONG
    USUAL = 8,     // where they are not and it is long enough
    KNOWN = 3,     // stretches before their differences say how many are needed
    TURNS = 2,     // of L2 in the head
    MOST_HEAD = 8, // a head is no more than this part of a grid
};
enum { OFF, HEAD, FILLS, COUNTS, DRAINS };

bool sample_may_wait(const struct code_image *im) {
    for (uint32_t i = 0; i < im->n_insts; i++) {
        const struct minst *const m = &im->inst[i];
        const bool is_global = m->space != SPACE_SHARED && m->space != SPACE_LOCAL;
        if (is_global && ((m->op == OP_ATOM && m->dst[0].kind != OPND_NONE) ||
                          (m->op == OP_LD && m->flags & (MF_VOLATILE | MF_STRONG))))
            return true;
    }
    return false;
}

// Stretches of so many waves, with gaps of at least their length.
static uint64_t stretches_that_fit(const struct flight *r, uint64_t count) {
    return r->n_ctas / r->inside.wave / (2 * (count + AROUND));
}

void sample_begin(struct gpu *g, struct flight *r) {
    const uint64_t wave = (uint64_t)r->result.occupancy.ctas * g->config.sm_count;
    r->last_cta = r->n_ctas;
    r->inside = (struct sample_inside){.wave = wave, .phase = OFF};
    if (!g->sample || r->launch.cooperative || r->rehearsals || r->cluster) return;
    if (stretches_that_fit(r, 1) < LEAST) return;
    r->inside.drains = sample_may_wait(r->kernel->image);
    r->inside.phase = HEAD;
    r->inside.until = wave;
    memset(&g->sample->counted, 0, sizeof g->sample->counted);
    memset(&g->sample->between, 0, sizeof g->sample->between);
    device_activity_sum(g, &g->sample->begin);
}

bool sample_has_gaps(const struct flight *r) {
    return r->inside.skipped != 0 || r->inside.phase == DRAINS;
}

static uint64_t blocks_done(const struct gpu *g, const struct flight *r) {
    uint64_t done = 0;
    for (uint32_t i = 0; i < g->config.sm_count; i++) done += g->side[i].done[r->slot];
    return done;
}

// A wave of the head has ended: blocks by which the head does, at the rate at which L2 replaces lines.
static uint64_t head_ends(struct gpu *g, const struct flight *r, uint64_t done) {
    struct activity now;
    device_activity_sum(g, &now);
    activity_sub(&now, &g->sample->begin);
    const double lines = (double)mem_system_slices(g->mem) * mem_system_l2_lines(g->mem);
    const double misses = (double)(now.c[ACT_l2_read_misses] + now.c[ACT_l2_write_misses]);
    const double blocks = TURNS * lines / fmax(misses, 1) * (double)done;
    return blocks < (double)r->n_ctas / MOST_HEAD ? (uint64_t)blocks : done;
}

// The head has ended: how long stretches are, and how many. False: too few fit.
static bool plan(struct gpu *g, struct flight *r, uint64_t done) {
    struct sample_inside *const s = &r->inside;
    struct activity now;
    device_activity_sum(g, &now);
    activity_sub(&now, &g->sample->begin);
    // What is on the chip has run no more than all of it.
    const double warps =
        (double)now.c[ACT_warp_instructions] / (double)(done + s->wave) * (double)s->wave;
    const double enough = ceil((double)LONG * g->config.sm_count / fmax(warps, 1));
    const uint64_t a = r->n_ctas / s->wave / A_COUNT;
    uint64_t count = enough < LEAST_COUNT ? (uint64_t)enough : LEAST_COUNT;
    if (a > count) count = a < MOST_COUNT ? a : MOST_COUNT;
    const uint64_t fit = stretches_that_fit(r, count);
    s->count = count * s->wave;
    const uint32_t most = count < LEAST_COUNT ? FEW : USUAL;
    s->planned = fit < most ? (uint32_t)fit : most;
    return fit >= LEAST;
}
double sample_gap_to_fill(const struct gpu *g, const struct flight *r) {
    const struct sample_inside *const s = &r->inside;
    const double blocks = (double)s->count * s->n;
    return fmax(sample_blocks_to_fill(g, &g->sample->counted, blocks), (double)s->wave);
}

// How the blocks of a gap divide into such as those of the stretch before it (0) and behind it (1), by their warp
// instructions: a grid's edges and its interior can be different work. 0.5 where both stretches are alike.
static double share_behind(const struct sample_inside *s, uint32_t behind, double a_block) {
    enum { ALIKE = 10 }; // parts of a block's work that differ by less than one of them
    const double before = s->a_block[behind - 1], far = s->a_block[behind] - before;
    if (fabs(far) * ALIKE < before) return 0.5;
    return fmin(fmax((a_block - before) / far, 0), 1);
}
// Cycles of a gap's warp instructions.
static double cost(const struct sample_inside *s, uint32_t behind, double x, double share) {
    const double a = s->a_block[behind - 1] * (1 - share), b = s->a_block[behind] * share;
    if (a + b <= 0) return x * (s->ratio[behind - 1] + s->ratio[behind]) / 2;
    return x * (s->ratio[behind - 1] * a + s->ratio[behind] * b) / (a + b);
}

// Variance of the mean of the ratios of the stretches, by successive differences of those that are alike; of all where
// none are. `freedom`: of how many.
static double mean_variance(const struct sample_inside *s, uint32_t *freedom) {
    double alike = 0, all = 0;
    uint32_t n = 0;
    for (uint32_t i = 1; i < s->n; i++) {
        const double d = s->ratio[i] - s->ratio[i - 1];
        all += d * d;
        if (share_behind(s, i, 0) != 0.5) continue;
        alike += d * d;
        n++;
    }
    *freedom = n ? n : s->n - 1;
    if (s->n < 2) return INFINITY;
    return (n ? alike / n : all / (s->n - 1)) / 2 / s->n;
}
static double mean_ratio(const struct sample_inside *s) {
    double sum = 0;
    for (uint32_t i = 0; i < s->n; i++) sum += s->ratio[i];
    return sum / s->n;
}

// Blocks of the gap that begins now: those that are left are dealt evenly to the stretches that are still needed for the
// error that was asked for. Whole waves, as long blocks end together and a broken wave would cost as much as a whole one.
// 0: it is not worth it, the rest is simulated.
static uint64_t gap_blocks(const struct gpu *g, const struct flight *r) {
    const struct sample_inside *const s = &r->inside;
    const uint64_t blocks = r->n_ctas - r->next_cta;
    double needed = s->planned;
    if (s->n >= KNOWN) {
        const double t = sample_student(s->planned - 1),
                     error = g->options.sample_error * mean_ratio(s);
        uint32_t pairs;
        needed = fmax(needed, t * t * mean_variance(s, &pairs) * s->n / (error * error));
    }
    const double part = (double)blocks / (double)r->n_ctas;
    const double wanted =
        fmax(1, ceil((needed - 1) * part - 0.25)); // the last stands at the end of the grid
    if (s->n + wanted > SAMPLE_STRETCHES) return 0;
    const uint64_t left = (uint64_t)wanted, simulated = left * (s->count + AROUND * s->wave);
    if (blocks < 2 * simulated) return 0;
    return (blocks - simulated) / left / s->wave * s->wave;
}

// ---- stretches ----------------------------------------------------------------------------------
static void begin_stretch(struct gpu *g, struct sample_inside *s, uint64_t done) {
    struct sample *const all = g->sample;
    device_activity_sum(g, &all->begin);
    if (s->n) {
        struct activity between = all->begin;
        activity_sub(&between, &all->end);
        activity_add(&all->between, &between);
        s->gap_x += (double)between.c[ACT_warp_instructions];
        s->between += g->now - s->from;
    }
    s->from = g->now;
    s->done_from = done;
}

static void end_stretch(struct gpu *g, struct sample_inside *s, uint64_t done) {
    struct sample *const all = g->sample;
    device_activity_sum(g, &all->end);
    struct activity in = all->end;
    activity_sub(&in, &all->begin);
    activity_add(&all->counted, &in);
    const double x = (double)in.c[ACT_warp_instructions];
    s->ratio[s->n] = x > 0 ? (double)(g->now - s->from) / x : 0;
    s->a_block[s->n] = done > s->done_from ? x / (double)(done - s->done_from) : 0;
    if (s->n) {
        const double share = share_behind(s, s->n, s->gap_a_block);
        const double between = cost(s, s->n, s->gap_x, share);
        s->gap_cycles += between;
    }
    s->gaps_x += s->gap_x;
    s->gap_x = 0;
    s->n++;
    s->from = g->now;
}

static enum ww_status compute_gap(struct gpu *g, struct flight *r, uint64_t done) {
    struct sample_inside *const s = &r->inside;
    struct exec_counts counts;
    const enum ww_status status = run_compute(g, r, r->next_cta, r->next_cta + s->gap, &counts);
    s->warp_instructions += counts.warp_instructions;
    s->thread_instructions += counts.thread_instructions;
    if (status != WW_OK) return status;
    s->gap_x = (double)counts.warp_instructions;
    s->gap_a_block = s->gap_x / (double)s->gap;
    s->skipped += s->gap;
    r->next_cta += s->gap;
    r->last_cta = r->n_ctas;
    s->until = done + s->wave;
    s->phase = FILLS;
    return WW_OK;
}

enum ww_status sample_quantum(struct gpu *g, struct flight *r) {
    struct sample_inside *const s = &r->inside;
    if (s->phase == OFF) return WW_OK;
    if (r->result.overlapped) { // only before the first gap
        s->phase = OFF;
        return WW_OK;
    }
    const uint64_t done = blocks_done(g, r);
    if (s->phase == COUNTS && r->next_cta == r->n_ctas) { // what follows is the end of the launch
        end_stretch(g, s, done);
        s->phase = OFF;
    } else if (done < s->until) {
        return WW_OK;
    } else if (s->phase == HEAD && done < head_ends(g, r, done)) {
        s->until = done + s->wave;
    } else if (s->phase == HEAD && !plan(g, r, done)) {
        s->phase = OFF;
    } else if (s->phase == HEAD || s->phase == FILLS) {
        begin_stretch(g, s, done);
        s->until = done + s->count;
        s->phase = COUNTS;
    } else if (s->phase == COUNTS) {
        end_stretch(g, s, done);
        s->gap = gap_blocks(g, r);
        s->phase = !s->gap || stream_kernel_waits(g) ? OFF : DRAINS;
        if (s->phase == OFF) return WW_OK;
        if (!s->drains) return compute_gap(g, r, done);
        r->last_cta = r->next_cta;
        s->until = r->next_cta - s->skipped;
    } else { // the chip is empty
        return compute_gap(g, r, done);
    }
    return WW_OK;
}

int64_t sample_rest(struct gpu *g, struct flight *r) {
    struct gpu_result *const out = &r->result;
    struct sample_inside *const s = &r->inside;
    struct sample *const all = g->sample;
    const double counted = (double)all->counted.c[ACT_warp_instructions];
    const uint64_t simulated = out->cycles;
    const double by = (double)s->warp_instructions / (double)out->warp_instructions;
    if (s->gap_x > 0) { // no stretch has ended behind the last gap
        s->gap_cycles += s->gap_x * s->ratio[s->n - 1];
        s->gaps_x += s->gap_x;
    }
    uint32_t pairs;
    const double variance = mean_variance(s, &pairs);
    const double sampled = sample_student(pairs) * sqrt(variance) * s->gaps_x;
    out->cycles = simulated - s->between + (uint64_t)(s->gap_cycles + 0.5);
    activity_sub(&out->activity, &all->between);
    sample_extrapolate(&out->activity, &all->counted, counted, s->gaps_x);
    out->estimate =
        (struct gpu_estimate){.is = true,
                              .ctas_timed = r->n_ctas - s->skipped,
                              .half_cycles = hypot(sampled, SAMPLE_COURSE * (double)out->cycles)};
    all->variance += sampled * sampled;
    all->course += SAMPLE_COURSE * (double)out->cycles;
    if (r->inst && r->inst_memory) { // of the whole launch, as stretches have none of their own
        sample_grow_instructions(r->inst, r->inst, r->kernel->image->n_insts, by);
        sample_grow_memory(r->inst_memory, r->inst_memory, r->kernel->image->n_insts, by);
    }
    out->ctas_done = r->n_ctas;
    out->warp_instructions += s->warp_instructions;
    out->thread_instructions += s->thread_instructions;
    sample_settle(g, out);
    return (int64_t)(out->cycles - simulated);
}
