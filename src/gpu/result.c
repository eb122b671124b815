// What came out of a launch: differences of the counters between its first dispatch and its end,
// for the chip, each SM, each partition, and each interval.
#include "activity/sm.h"
#include "code/code.h"
#include "gpu/device.h"
#include "gpu/module.h"
#include "gpu/waits.h"

// The first launch that counts; a rehearsal is none.
static void begin_watch(struct gpu *g, const struct flight *r) {
    const struct gpu_watch *const w = &g->options.watch;
    if (!g->watch || g->watched || r->rehearsals) return;
    g->watched = r->result.id;
    sm_watch_begin(g->sm[w->sm], g->watch, r->slot, r->result.start_cycle + w->from,
                   r->result.start_cycle + w->to);
}

static void end_watch(struct gpu *g, struct flight *r, uint64_t end) {
    r->result.watched = NULL;
    if (!g->watch || g->watched != r->result.id || r->rehearsals) return;
    sm_watch_end(g->sm[g->options.watch.sm], g->watch, end);
    r->result.watched = g->watch;
    r->result.watch = g->options.watch;
}

void result_begin(struct gpu *g, struct flight *r) {
    const uint32_t n = device_activity_count(g);
    r->result.start_cycle = r->interval_from = g->now;
    r->result.start_s = gpu_now_s(g);
    if (!r->at_start) r->at_start = device_alloc(g, n * sizeof *r->at_start);
    if (!r->at_number) r->at_number = device_alloc(g, n * sizeof *r->at_number);
    if (!r->spans) r->spans = device_alloc(g, n * sizeof *r->spans);
    if (!r->is_idle_span) r->is_idle_span = device_alloc(g, n * sizeof *r->is_idle_span);
    if (!r->at_start || !r->at_number || !r->spans || !r->is_idle_span) {
        device_fault(g, WW_ERROR_MEMORY, "out of memory for the counters of a launch");
        device_free(g, r->at_start);
        device_free(g, r->at_number);
        device_free(g, r->is_idle_span);
        device_free(g, r->spans);
        r->at_start = r->spans = NULL;
        r->at_number = NULL;
        r->is_idle_span = NULL;
        return;
    }
    // What an SM that has been idle since had at the start of an earlier launch is what it has now.
    for (uint32_t i = 0; i < n; i++) {
        const struct activity *a = device_activity(g, i);
        const uint64_t number = device_activity_number(g, i);
        if (!number || number != r->at_number[i]) r->at_start[i] = *a;
        r->at_number[i] = number;
    }
    const struct gpu_options *o = &g->options;
    const bool has_room = o->intervals_total == 0 || g->intervals_kept < o->intervals_total;
    r->interval_cycles = has_room ? o->interval_cycles : 0;
    if (r->interval_cycles) result_sum_at_start(g, r, &r->before);
    r->result.waits = (struct gpu_waits){.n_windows = 0};
    r->waits = r->interval_cycles && o->count_instructions ? waits_begin(r, r->interval_cycles) : NULL;
    begin_watch(g, r);
}

void result_sum_at_start(const struct gpu *g, const struct flight *r, struct activity *sum) {
    memset(sum, 0, sizeof *sum);
    for (uint32_t i = 0; r->at_start && i < device_activity_count(g); i++)
        activity_add(sum, &r->at_start[i]);
}

// SMs without a CTA are idle; only the device knows how long a kernel ran.
static void close_time(struct activity *a, uint64_t cycles, uint32_t sms) {
    const uint64_t all = cycles * sms, busy = a->c[ACT_sm_busy_cycles];
    a->c[ACT_sm_idle_cycles] = all > busy ? all - busy : 0;
}

// The same of lines that techniques put away, of so many SMs and partitions.
void result_close_lines(const struct gpu *g, struct activity *a, uint64_t cycles, uint32_t sms,
                        uint32_t partitions) {
    if (!savings_puts_away(&g->options.savings)) return;
    const uint64_t slices = (uint64_t)partitions * g->config.mem.slices_per_partition;
    savings_close(&g->options.savings, &g->config.sm, sms, slices * mem_system_l2_lines(g->mem),
                  cycles, a);
}

static void add_interval(struct gpu *g, struct flight *r, uint64_t end) {
    struct activity now;
    device_activity_sum(g, &now);
    struct gpu_interval v = {.from = r->interval_from - r->result.start_cycle,
                             .to = end - r->result.start_cycle,
                             .activity = now};
    activity_sub(&v.activity, &r->before);
    v.activity.c[ACT_cycles] = v.to - v.from;
    close_time(&v.activity, v.to - v.from, g->config.sm_count);
    result_close_lines(g, &v.activity, v.to - v.from, g->config.sm_count, g->config.mem.partitions);
    r->before = now;
    r->interval_from = end;
    vec_push(&r->arena, &r->intervals, v);
}

// Makes one interval of each two; of an odd number the last stays as it is.
static void join_intervals(struct flight *r) {
    const uint32_t n = r->intervals.n;
    struct gpu_interval *v = r->intervals.at;
    for (uint32_t i = 0; i < n / 2; i++) {
        v[i] = v[2 * i];
        v[i].to = v[2 * i + 1].to;
        activity_add(&v[i].activity, &v[2 * i + 1].activity);
    }
    if (n % 2) v[n / 2] = v[n - 1];
    r->intervals.n = (n + 1) / 2;
    r->interval_cycles *= 2;
}

// At the end of the quantum in which an interval is full: quanta do not depend on intervals.
void result_interval(struct gpu *g, struct flight *r) {
    if (!r->interval_cycles || g->now - r->interval_from < r->interval_cycles) return;
    add_interval(g, r, g->now);
    waits_look(g, r, g->now - r->result.start_cycle); // the sums above have completed the SMs' counts
    if (r->intervals.n == g->options.intervals_most) join_intervals(r);
}

// An interval that filled in the kernel's last quantum ends with that quantum: cut it at the
// kernel's end, so that intervals are the launch, no more.
static void trim_interval(const struct gpu *g, struct flight *r) {
    if (!r->intervals.n) return;
    struct gpu_interval *v = &r->intervals.at[r->intervals.n - 1];
    if (v->to <= r->result.cycles || v->from >= r->result.cycles) return;
    v->to = r->result.cycles;
    v->activity.c[ACT_cycles] = v->to - v->from;
    close_time(&v->activity, v->to - v->from, g->config.sm_count);
    result_close_lines(g, &v->activity, v->to - v->from, g->config.sm_count,
                       g->config.mem.partitions);
}

static void add_memory(struct sm_inst_memory *sum, const struct sm_inst_memory *m, uint32_t n) {
    for (uint32_t k = 0; m && k < n; k++) {
#define INST_MEMORY(name, unit, prose) sum[k].name += m[k].name;
#include "sm/inst_memory.def"
#undef INST_MEMORY
    }
}

static void count_instructions(struct gpu *g, struct flight *r) {
    const uint32_t n = r->kernel->image->n_insts;
    r->inst = device_alloc(g, n * sizeof *r->inst);
    r->inst_memory = device_alloc(g, n * sizeof *r->inst_memory);
    if (!r->inst || !r->inst_memory) return; // results without it are still results
    for (uint32_t i = 0; i < g->config.sm_count; i++) {
        sm_add_inst_counts(g->sm[i], r->slot, r->inst);
        add_memory(r->inst_memory, sm_inst_memory(g->sm[i], r->slot), n);
    }
    r->result.inst = r->inst;
    r->result.inst_memory = r->inst_memory;
}

void result_end(struct gpu *g, struct flight *r, uint64_t end) {
    struct gpu_result *out = &r->result;
    const uint32_t sms = g->config.sm_count, n = device_activity_count(g);
    out->end_cycle = end;
    out->cycles = end - out->start_cycle;
    out->seconds = (double)out->cycles / (g->config.clocks.core_mhz * 1e6);
    for (uint32_t i = 0; i < sms; i++) out->ctas_done += g->side[i].done[r->slot];
    end_watch(g, r, end);
    if (!r->spans) return;
    memset(&out->activity, 0, sizeof out->activity);
    for (uint32_t i = 0; i < n; i++) {
        const struct activity *a = device_activity(g, i);
        const uint64_t number = device_activity_number(g, i);
        if (number && number == r->at_number[i]) { // idle all the time
            if (!r->is_idle_span[i]) memset(&r->spans[i], 0, sizeof r->spans[i]);
            r->is_idle_span[i] = true;
            close_time(&r->spans[i], out->cycles, 1);
            if (savings_puts_away(&g->options.savings)) {
                result_close_lines(g, &r->spans[i], out->cycles, 1, 0);
                activity_add(&out->activity, &r->spans[i]);
                continue;
            }
            out->activity.c[ACT_sm_idle_cycles] += r->spans[i].c[ACT_sm_idle_cycles];
            continue;
        }
        activity_set_span(&r->spans[i], &r->at_start[i], a);
        r->is_idle_span[i] = false;
        if (i < sms) close_time(&r->spans[i], out->cycles, 1);
        result_close_lines(g, &r->spans[i], out->cycles, i < sms, i >= sms);
        activity_add(&out->activity, &r->spans[i]);
    }
    out->activity.c[ACT_cycles] = out->cycles;
    out->sm = r->spans;
    out->n_sms = sms;
    out->partition = r->spans + sms;
    out->n_partitions = n - sms;
    out->warp_instructions = out->activity.c[ACT_warp_instructions];
    out->thread_instructions = out->activity.c[ACT_thread_instructions];
    const uint64_t busy = out->activity.c[ACT_sm_busy_cycles];
    out->achieved_warps = busy ? (double)out->activity.c[ACT_warp_slots_cycles] / (double)busy : 0;
    if (r->interval_cycles && end > r->interval_from) add_interval(g, r, end);
    trim_interval(g, r);
    g->intervals_kept += r->intervals.n > 8 ? r->intervals.n : 8;
    out->interval = r->intervals.at;
    out->n_intervals = r->intervals.n;
    if (g->options.count_instructions) count_instructions(g, r);
    waits_end(r, r->inst);
}

// ---- keeping ----------------------------------------------------------------------------------
// A kept result is one block: the struct, then what it points to.
static struct gpu_result *keep(struct gpu *g, const struct gpu_result *r) {
    const size_t spans = (size_t)(r->n_sms + r->n_partitions) * sizeof(struct activity);
    const size_t intervals = r->n_intervals * sizeof *r->interval;
    const size_t inst = r->inst ? r->image->n_insts * sizeof *r->inst : 0;
    const size_t memory = r->inst_memory ? r->image->n_insts * sizeof *r->inst_memory : 0;
    const size_t text = r->text ? strlen(r->text) + 1 : 0;
    const size_t head = bits_align_up(sizeof *r, 16);
    char *block = device_alloc(g, head + spans + intervals + inst + memory + text);
    if (!block) return NULL;
    struct gpu_result *k = (struct gpu_result *)block;
    *k = *r;
    k->waits = (struct gpu_waits){.n_windows = 0}; // they lie in the flight's arena
    block += head;
    if (spans) {
        memcpy(block, r->sm, spans);
        k->sm = (const struct activity *)block;
        k->partition = k->sm + r->n_sms;
        block += spans;
    }
    if (intervals) {
        memcpy(block, r->interval, intervals);
        k->interval = (const struct gpu_interval *)block;
        block += intervals;
    }
    if (inst) {
        memcpy(block, r->inst, inst);
        k->inst = (const struct sm_inst_counts *)block;
        block += inst;
    }
    if (memory) {
        memcpy(block, r->inst_memory, memory);
        k->inst_memory = (const struct sm_inst_memory *)block;
        block += memory;
    }
    if (text) {
        memcpy(block, r->text, text);
        k->text = block;
    }
    return k;
}

void flight_finish(struct gpu *g, struct flight *r, enum ww_status s, const char *text) {
    struct gpu_result *out = &r->result;
    out->status = s;
    out->text = s == WW_OK ? NULL : text;
    out->host_seconds = host_seconds() - r->host_start;
    g->totals.launches++;
    g->untimed += out->functional;
    g->totals.launches_estimated += out->estimate.is;
    g->totals.launches_beside += g->sample && out->overlapped != 0;
    g->totals.warp_instructions += out->warp_instructions;
    g->totals.thread_instructions += out->thread_instructions;
    timeline_kernel(g, r);
    if (g->options.launch_done) g->options.launch_done(g->options.user, out);
    if (g->options.keep_results) {
        struct gpu_result *kept = keep(g, out);
        if (kept)
            vec_push(&g->results_arena, &g->results, kept);
        else
            device_log(g, "out of memory: the result of launch %llu is lost",
                       (unsigned long long)out->id);
    }
    flight_free(g, r);
}

uint32_t gpu_result_count(const struct gpu *g) { return g->results.n; }
const struct gpu_result *gpu_result_at(const struct gpu *g, uint32_t i) {
    return i < g->results.n ? g->results.at[i] : NULL;
}
void result_forget(struct gpu *g, const struct gpu_module *m) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->results.n; i++) {
        struct gpu_result *r = g->results.at[i];
        if (r->module == m->name)
            device_free(g, r);
        else
            g->results.at[n++] = r;
    }
    g->results.n = n;
}
void gpu_results_clear(struct gpu *g) {
    for (uint32_t i = 0; i < g->results.n; i++) device_free(g, g->results.at[i]);
    g->results.n = 0;
}
