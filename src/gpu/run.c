// The quantum loop (mem.h, exec.h, sm.h say what a quantum is). One round:
//
//   CTAs of the running kernels go to SMs with room: oldest kernel first, one CTA an SM in each
//     pass over the SMs, as the hardware's distributor does. All of a round start in its first
//     cycle: a CTA that ends within a quantum is replaced half a quantum later on average.
//   SM phase, any thread: a group of SMs (mostly one) takes the replies of the quantum before and runs
//     alone. SMs of a group run on one thread, as they may share a front end (front_end_group.c).
//   Then, beside each other: stores and atomics of all SMs are committed in their fixed order (the
//     caller's thread), and every partition runs its quantum (any thread). Neither reads what the
//     other writes.
//   The network's serial step.
//
// Quanta lie on a grid that begins where a kernel starts on an idle GPU; when nothing can happen in
// the next ones, whole quanta are left out, so leaving them out changes nothing. A kernel ends when
// its last CTA has; a kernel alone ends when also its stores are acknowledged.
#include "activity/mem.h"
#include "activity/sm.h"
#include "gpu/cluster.h"
#include "gpu/device.h"
#include "gpu/module.h"
#include "gpu/sample.h"
#include "exec/functional.h"
#include "exec/round.h"
#include "exec/wait.h"
#include "isa/image.h"

#include <assert.h>
#include <stdlib.h>

enum {
    STUCK_QUANTA = 8,     // quiet quanta with nothing under way that make a deadlock
    PROGRESS_QUANTA = 64, // between looks at the host's clock
    // Cycles of a kernel before warps that spin for ever are looked for; then twice as many each
    // time.
    FIRST_SPIN_LOOK = 1 << 17,
};
#define PROGRESS_SECONDS 0.2

// ---- beginning ------------------------------------------------------------------------------
// The barrier of cooperative groups' grid lies in memory that the launch brings: its address is in
// %envreg1 (high half) and %envreg2, its counter in the second word (as nvcc 13's PTX uses them).
enum { WORKSPACE_BYTES = 64 };
static enum ww_status make_workspace(struct gpu *g, struct flight *r, struct diags *d) {
    if (!r->launch.cooperative || !r->kernel->image->uses_grid_sync) return WW_OK;
    const enum ww_status s = gpu_malloc(g, WORKSPACE_BYTES, "grid barrier", d, &r->workspace);
    if (s != WW_OK) return s;
    memset(devmem_host(g->memory, r->workspace, WORKSPACE_BYTES), 0, WORKSPACE_BYTES);
    devmem_mark_written(g->memory, r->workspace, WORKSPACE_BYTES);
    return WW_OK;
}

static enum ww_status begin_exec(struct gpu *g, struct flight *r, struct diags *d) {
    const enum ww_status s = make_workspace(g, r, d);
    if (s != WW_OK) return s;
    const struct gpu_launch *l = &r->launch;
    const struct gpu_module *m = r->kernel->module;
    const struct exec_launch_args args = {
        .grid = {l->grid[0], l->grid[1], l->grid[2]},
        .block = {l->block[0], l->block[1], l->block[2]},
        .cluster = {l->cluster[0], l->cluster[1], l->cluster[2]},
        .dynamic_shared = l->dynamic_shared,
        .params = r->launch.params,
        .const_segment = m->const_base,
        .const_bytes = m->const_bytes,
        .max_warps_hint = g->config.sm.max_warps,
        .options = g->options.exec,
        .callbacks = &g->exec_callbacks,
        .sm_count = g->config.sm_count,
        .grid_id = r->result.id,
        .clock_hz = g->config.clocks.core_mhz * 1e6,
        .clock_ticks = (uint32_t)(g->config.clocks.hot_mhz / g->config.clocks.core_mhz + 0.5),
        .envreg = {[1] = (uint32_t)(r->workspace >> 32), [2] = (uint32_t)r->workspace},
    };
    return g->source->launch_create(r->kernel->image, g->memory, &args, d, &r->exec);
}

static void fault_with_diags(struct gpu *g, struct flight *r, enum ww_status s,
                             const struct diags *d) {
    char text[1024];
    diags_first(d, text, sizeof text);
    device_fault(g, s, text);
    flight_finish(g, r, s, text);
}

enum ww_status flight_begin(struct gpu *g, struct flight *r, uint32_t slot) {
    struct diags d;
    diags_init(&d);
    enum ww_status s = begin_exec(g, r, &d);
    if (s == WW_OK)
        s = sm_kernel_create(&g->config.sm, r->kernel->image, g->source, r->exec, r->kernel->code_address, &d,
                             &r->timed);
    if (s == WW_OK) sm_kernel_set_window(r->timed, &r->launch.window);
    if (s == WW_OK) r->cluster = g->source->cluster_blocks ? g->source->cluster_blocks(r->exec) : 0;
    uint32_t bound = 0;
    for (; s == WW_OK && bound < g->config.sm_count; bound++) {
        if (!g->n_running) sm_flush(g->sm[bound], g->now);
        s = sm_bind(g->sm[bound], slot, r->timed, &d);
        g->side[bound].done[slot] = g->side[bound].last_done[slot] = 0;
    }
    if (s != WW_OK) {
        for (uint32_t i = 0; i + 1 < bound; i++) sm_unbind(g->sm[i], slot);
        fault_with_diags(g, r, s, &d);
    } else {
        r->slot = slot;
        r->starts_at = g->now + g->config.launch_latency_cycles;
        if (r->ready_from) r->starts_at = g->now > r->ready_from ? g->now : r->ready_from;
        r->host_start = host_seconds();
    }
    diags_free(&d);
    return s;
}

// A kernel whose caches are to be warm runs config.warm_launches times before the run that counts.
void flight_rehearse(struct gpu *g, struct flight *r) {
    r->before_it = devmem_copy(g->memory);
    if (!r->before_it) {
        device_fault(g, WW_ERROR_MEMORY, "out of memory for a copy of device memory");
        return;
    }
    r->rehearsals = g->config.warm_launches;
    g->rehearsing = r;
}

// The memory system may still have had work (writes on their way to DRAM) when the last kernel
// ended; it does that now, before time goes on without it.
static void catch_up_memory(struct gpu *g) {
    while (g->mem_now < g->now) {
        const uint64_t next = mem_system_next_event(g->mem, g->mem_now);
        if (next >= g->now) break;
        const uint64_t from = next > g->mem_now ? next : g->mem_now;
        const uint64_t to = from + g->quantum < g->now ? from + g->quantum : g->now;
        for (uint32_t i = 0; i < g->config.mem.partitions; i++)
            mem_system_run_partition(g->mem, i, from, to);
        mem_system_run_serial(g->mem, from, to);
        for (uint32_t i = 0; i < g->config.sm_count; i++) mem_system_deliver(g->mem, i, from, to);
        g->mem_now = to;
    }
    g->mem_now = g->delivered = g->now;
}

static void start_runs(struct gpu *g) {
    uint32_t on = 0;
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++) on += g->slots[i] && g->slots[i]->started;
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++) {
        struct flight *r = g->slots[i];
        if (!r || r->started || r->starts_at > g->now) continue;
        if (!on) {
            catch_up_memory(g);
            // What DRAM refreshed since the last kernel is none of this one's.
            mem_system_account(g->mem, g->now);
            if (g->config.cold_launches) mem_system_forget(g->mem, g->now);
            g->grid_from = g->busy_from = g->now;
            g->next_sm = 0;
            g->quanta = 0;
            g->quiet = 0;
            g->busy_first = r;
        }
        r->started = true;
        r->last_dispatch = g->now;
        r->spin_look = FIRST_SPIN_LOOK;
        result_begin(g, r);
        sample_begin(g, r);
        front_end_group_form(g);
        on++;
    }
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++) // who runs beside whom
        if (g->slots[i] && g->slots[i]->started && on - 1 > g->slots[i]->result.overlapped)
            g->slots[i]->result.overlapped = on - 1;
}

// ---- dispatch -------------------------------------------------------------------------------
static struct flight *oldest_after(const struct gpu *g, uint64_t id) {
    struct flight *best = NULL;
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++) {
        struct flight *r = g->slots[i];
        if (r && r->started && r->result.id > id && (!best || r->result.id < best->result.id))
            best = r;
    }
    return best;
}

uint32_t run_give_cta(struct gpu *g, struct flight *r, uint32_t i, uint64_t cta) {
    if (g->timeline) timeline_cta_begins(g, i, r, cta);
    const uint32_t place = sm_take_cta(g->sm[i], r->slot, cta, g->now);
    r->next_cta++;
    g->side[i].next = 0;
    r->last_dispatch = g->now;
    return place;
}

static void dispatch(struct gpu *g) {
    const uint32_t n = g->config.sm_count;
    for (struct flight *r = oldest_after(g, 0); r; r = oldest_after(g, r->result.id)) {
        if (g->front_end_group) {
            front_end_group_dispatch(g, r);
            continue;
        }
        if (r->cluster != 0) {
            clusters_dispatch(g, r);
            continue;
        }
        uint32_t idle = 0; // SMs in a row that took none
        for (uint32_t i = g->next_sm; idle < n && r->next_cta < r->last_cta;) {
            if (sm_can_take(g->sm[i], r->slot)) {
                run_give_cta(g, r, i, r->next_cta);
                g->next_sm = i + 1 == n ? 0 : i + 1;
                idle = 0;
            } else {
                idle++;
            }
            i = i + 1 == n ? 0 : i + 1;
        }
    }
}

static bool can_dispatch(const struct gpu *g) {
    for (uint32_t k = 0; k < SM_KERNEL_SLOTS; k++) {
        const struct flight *r = g->slots[k];
        if (!r || !r->started || r->next_cta == r->last_cta) continue;
        if (g->front_end_group && front_end_group_can_dispatch(g, r)) return true;
        if (g->front_end_group) continue;
        if (r->cluster != 0) {
            if (clusters_can_dispatch(g, r)) return true;
            continue;
        }
        for (uint32_t i = 0; i < g->config.sm_count; i++)
            if (sm_can_take(g->sm[i], k)) return true;
    }
    return false;
}

// ---- one quantum ----------------------------------------------------------------------------
static void run_sm(struct gpu *g, uint32_t i) {
    struct sm *s = g->sm[i];
    if (g->delivered < g->from) mem_system_deliver(g->mem, i, g->delivered, g->from);
    if (g->side[i].next == UINT64_MAX && sm_is_idle(s)) return;
    sm_run(s, g->from, g->to);
    g->side[i].next = sm_next_event(s, g->to);
    if (g->config.mem.tlb.l1_entries != 0) mem_port_release(g->ports[i], g->to);
}

static void sm_phase(void *user, uint32_t sm) { run_sm(user, sm); }

// SMs that one thread runs, though they share nothing.
static void neighbours_phase(void *user, uint32_t group) {
    struct gpu *g = user;
    const uint32_t first = group * g->group_sms, end = first + g->group_sms, n = g->config.sm_count;
    for (uint32_t i = first; i < (end < n ? end : n); i++) run_sm(g, i);
}

static void front_end_phase(void *user, uint32_t group) { front_end_group_run(user, group); }

static void memory_phase(void *user, uint32_t i) {
    struct gpu *g = user;
    mem_system_run_partition(g->mem, i, g->from, g->to);
}

static void commit(void *user) {
    struct gpu *g = user;
    g->commit_failed = !g->source->commit(g->memory, g->logs, g->config.sm_count, &g->commit_fault);
}

static void one_quantum(struct gpu *g) {
    const uint32_t groups = (g->config.sm_count + g->group_sms - 1) / g->group_sms;
    threads_fn *const phase = g->front_end_group  ? front_end_phase
                              : g->group_sms != 1 ? neighbours_phase
                                                  : sm_phase;
    threads_for(g->threads, groups, phase, NULL, g);
    g->delivered = g->from;
    threads_for(g->threads, g->config.mem.partitions, memory_phase, commit, g);
    mem_system_run_serial(g->mem, g->from, g->to);
    clusters_quantum(g);
    g->mem_now = g->now = g->to;
    g->quanta++;
    if (g->timeline) timeline_quantum(g);
}

// The next cycle in which something happens, as far as SMs, replies and memory know. An SM that
// waits for credits of the network does not know when they come.
static uint64_t next_event(struct gpu *g) {
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < g->config.sm_count; i++)
        if (g->side[i].next < next) next = g->side[i].next;
    if (next < g->now + g->quantum) return next;
    for (uint32_t i = 0; i < g->config.sm_count; i++) {
        if (g->delivered < g->now) mem_system_deliver(g->mem, i, g->delivered, g->now);
        const struct mem_reply *reply = mem_port_peek(g->ports[i]);
        if (reply && reply->cycle < next) next = reply->cycle;
    }
    g->delivered = g->now;
    const uint64_t memory = mem_system_next_event(g->mem, g->now);
    return memory < next ? memory : next;
}

// After two quanta in which nothing happened (the second has shown that no SM could do more with
// the credits that the first gave back) time moves to the quantum in which something does. Answers
// false when nothing ever will.
static bool skip_idle_quanta(struct gpu *g, uint64_t until) {
    if (g->now >= until) return true;
    const uint64_t next = next_event(g);
    if (next < g->now + g->quantum || can_dispatch(g)) {
        g->quiet = 0;
        return true;
    }
    if (++g->quiet < 2) return true;
    if (next == UINT64_MAX) return g->quiet < STUCK_QUANTA;
    const uint64_t at = next < until ? next : until;
    const uint64_t quanta = (at - g->grid_from) / g->quantum;
    g->now = g->grid_from + quanta * g->quantum;
    g->mem_now = g->delivered = g->now;
    return true;
}

// ---- without time ---------------------------------------------------------------------------
static void on_all_threads(void *user, uint32_t n, void (*fn)(void *arg, uint32_t i), void *arg) {
    const struct gpu *g = user;
    threads_for(g->threads, n, fn, NULL, arg);
}
// What is computed without time leaves caches as if it had been simulated.
static void warm(void *user, const uint64_t *touch, uint32_t n) {
    const struct gpu *const g = user;
    for (uint32_t i = 0; i < n; i++)
        mem_system_warm(g->mem, exec_touch_sm(touch[i]), exec_touch_addr(touch[i]),
                        exec_touch_words(touch[i]), exec_touch_writes(touch[i]), g->now);
}
// Blocks [first, end), whose counts are added.
static enum ww_status compute_part(struct gpu *g, struct flight *r, uint64_t first, uint64_t end,
                                   bool is_heard, struct exec_counts *counts, struct diags *d) {
    const struct exec_crew crew = {
        .each = on_all_threads, .user = g, .groups = &g->groups, .touched = is_heard ? warm : NULL};
    const uint64_t limit = g->options.max_instructions, had = counts->warp_instructions;
    const uint64_t left = !limit ? UINT64_MAX : had < limit ? limit - had : 1;
    struct exec_fault fault = {.kind = FAULT_NONE};
    struct exec_counts part;
    const enum ww_status s = exec_run_functional_part(r->exec, first, end, g->memory, &crew, left,
                                                      g->options.stop, &part, &fault, d);
    counts->warp_instructions += part.warp_instructions;
    counts->thread_instructions += part.thread_instructions;
    r->result.fault = fault;
    return s;
}
enum ww_status run_compute(struct gpu *g, struct flight *r, uint64_t first, uint64_t end,
                           struct exec_counts *counts) {
    struct diags d;
    diags_init(&d);
    *counts = (struct exec_counts){0};
    const uint64_t heard = g->sample ? sample_heard_from(g, r, first, end) : end;
    enum ww_status s = WW_OK;
    if (heard > first) s = compute_part(g, r, first, heard, false, counts, &d);
    if (s == WW_OK && end > heard) s = compute_part(g, r, heard, end, true, counts, &d);
    if (s != WW_OK) {
        char text[1024];
        diags_first(&d, text, sizeof text);
        if (r->result.fault.kind != FAULT_NONE)
            snprintf(text, sizeof text, "%s", r->result.fault.text);
        if (g->sample) {
            const size_t n = strlen(text);
            snprintf(text + n, sizeof text - n,
                     "; sampling computed its block without time, so the launch's cycles are those of what was "
                     "simulated before");
        }
        device_fault(g, s, text[0] ? text : ww_status_text(s));
    }
    diags_free(&d);
    return s;
}
// ---- ending ---------------------------------------------------------------------------------
static enum ww_status fault_status(const struct exec_fault *f) {
    return f->kind == FAULT_TRAP || f->kind == FAULT_ASSERT ? WW_ERROR_TRAP : WW_ERROR_ACCESS;
}

static void cut_off(struct gpu *g, enum ww_status s, const struct exec_fault *f, const char *text) {
    for (uint32_t i = 0; f && i < SM_KERNEL_SLOTS; i++)
        if (g->slots[i]) g->slots[i]->result.fault = *f;
    device_fault(g, s, text);
    flight_abort_all(g, s, text);
}

// The simulator contradicts itself: notes it and answers the status.
static enum ww_status broken_text(struct gpu *g, const struct flight *r, const char *why,
                                  char *text, size_t size) {
    snprintf(text, size,
             "%s: warpwatt contradicts itself: %s. This is an error of warpwatt, not of the "
             "program: please report it with the program and the GPU file",
             r ? r->result.kernel : "the GPU", why);
    return device_fault(g, WW_ERROR_INTERNAL, text);
}

static bool check_broken(struct gpu *g) {
    const char *why = mem_system_broken(g->mem);
    for (uint32_t i = 0; i < g->config.sm_count && !why; i++) why = sm_broken(g->sm[i]);
    if (!why) return false;
    char text[512];
    broken_text(g, oldest_after(g, 0), why, text, sizeof text);
    flight_abort_all(g, WW_ERROR_INTERNAL, text);
    return true;
}

static bool check_faults(struct gpu *g) {
    if (check_broken(g)) return true;
    const struct exec_fault *f = NULL;
    for (uint32_t i = 0; g->savings && i < g->config.sm_count; i++) {
        const char *const wrong = g->savings[i] ? savings_sm_wrong(g->savings[i]) : NULL;
        if (!wrong) continue;
        cut_off(g, WW_ERROR_INTERNAL, NULL, wrong);
        return true;
    }
    for (uint32_t i = 0; i < g->config.sm_count && !f; i++) f = sm_fault(g->sm[i]);
    if (!f && g->commit_failed) f = &g->commit_fault;
    if (!f) return false;
    const struct exec_fault copy = *f;
    g->commit_failed = false;
    cut_off(g, fault_status(&copy), &copy, copy.text);
    return true;
}

static void report_deadlock(struct gpu *g, const char *why) {
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (f) {
        const struct flight *r = oldest_after(g, 0);
        fprintf(f, "%s is deadlocked: %s\n", r ? r->result.kernel : "the GPU", why);
        for (uint32_t i = 0; i < g->config.sm_count; i++)
            if (!sm_is_idle(g->sm[i])) {
                sm_describe_waits(g->sm[i], f);
                break; // one SM is enough to see why
            }
        mem_system_describe(g->mem, f);
        fclose(f);
    }
    char shortened[sizeof g->fault_text];
    snprintf(shortened, sizeof shortened, "%s", text ? text : why);
    for (size_t n = strlen(shortened); n && shortened[n - 1] == '\n';) shortened[--n] = 0;
    free(text);
    cut_off(g, WW_ERROR_DEADLOCK, NULL, shortened);
}

// Whether all warps that are left spin or wait (exec/spin.c): the GPU is stuck.
struct spin_search {
    struct gpu *g;
    const struct exec_warp *warp; // one that spins, if any, best one that holds up its own lanes
    struct exec_spin spin;
    uint32_t warps;
};
static bool look_at_warp(void *user, struct exec_warp *w, bool waits) {
    struct spin_search *const s = user;
    struct exec_spin spin;
    s->warps++;
    if (waits) return true;
    if (!exec_spins(s->g->memory, w, s->g->now, &spin)) return false;
    if (s->warp && (s->spin.parked || !spin.parked)) return true;
    s->warp = w;
    s->spin = spin;
    return true;
}
static bool look_for_spins(struct gpu *g) {
    struct spin_search s = {.g = g};
    for (uint32_t i = 0; i < g->config.sm_count; i++)
        if (!sm_each_warp(g->sm[i], look_at_warp, &s)) return false;
    if (!s.warp) return false;
    uint64_t waiting = 0;
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++)
        if (g->slots[i]) waiting += g->slots[i]->n_ctas - g->slots[i]->next_cta;
    const struct flight *const oldest = oldest_after(g, 0);
    char spin[512], rest[128] = "", text[sizeof g->fault_text];
    exec_spin_text(s.warp, &s.spin, spin, sizeof spin);
    if (waiting)
        snprintf(rest, sizeof rest, "; %llu blocks have not begun, as those that run do not end",
                 (unsigned long long)waiting);
    snprintf(text, sizeof text,
             "%s is deadlocked: %s; none of the %u warps that are left can change memory%s",
             oldest ? oldest->result.kernel : "the GPU", spin, s.warps, rest);
    cut_off(g, WW_ERROR_DEADLOCK, NULL, text);
    return true;
}

// is_last: the host waits for the kernels alone, so that nothing else can change memory.
static bool check_limits(struct gpu *g, bool is_last) {
    const struct gpu_options *o = &g->options;
    uint64_t progress = 0;
    for (uint32_t i = 0; i < g->config.sm_count; i++) {
        const uint64_t p = sm_last_progress(g->sm[i]);
        if (p > progress) progress = p;
    }
    bool look = false;
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++) {
        struct flight *r = g->slots[i];
        if (!r || !r->started) continue;
        if (r->last_dispatch > progress) progress = r->last_dispatch;
        const uint64_t ran = g->now - r->result.start_cycle;
        char text[256];
        if (is_last && ran >= r->spin_look) {
            look = true;
            r->spin_look = 2 * ran;
        }
        if (o->max_cycles && ran >= o->max_cycles) {
            snprintf(text, sizeof text, "%s ran for %llu cycles, the limit", r->result.kernel,
                     (unsigned long long)o->max_cycles);
            cut_off(g, WW_ERROR_LIMIT, NULL, text);
            return true;
        }
        if (o->max_instructions && g->quanta % PROGRESS_QUANTA == 0) {
            uint64_t n = 0;
            for (uint32_t k = 0; k < g->config.sm_count; k++)
                n += device_activity(g, k)->c[ACT_warp_instructions] -
                     r->at_start[k].c[ACT_warp_instructions];
            if (n >= o->max_instructions) {
                snprintf(text, sizeof text, "%s issued %llu warp instructions, the limit is %llu",
                         r->result.kernel, (unsigned long long)n,
                         (unsigned long long)o->max_instructions);
                cut_off(g, WW_ERROR_LIMIT, NULL, text);
                return true;
            }
        }
    }
    if (g->now > progress && g->now - progress > g->config.deadlock_cycles) {
        char why[128];
        snprintf(why, sizeof why, "no instruction has issued and no reply come for %llu cycles",
                 (unsigned long long)(g->now - progress));
        report_deadlock(g, why);
        return true;
    }
    return look && look_for_spins(g);
}

static uint64_t ctas_done(const struct gpu *g, const struct flight *r) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < g->config.sm_count; i++) n += g->side[i].done[r->slot];
    return n;
}

// Whether stores of a run whose blocks have all ended are on their way.
static bool stores_are_out(struct gpu *g, const struct flight *r) {
    bool any = false;
    for (uint32_t i = 0; i < g->config.sm_count; i++) any |= sm_grid_stores(g->sm[i], r->slot);
    return any;
}

// The cycle in which the run ended, or 0 when it has not. A run for which a dependent one waits has
// ended when memory has its stores.
static uint64_t end_of(struct gpu *g, struct flight *r) {
    if (!r->started || r->next_cta < r->n_ctas || ctas_done(g, r) + r->inside.skipped < r->n_ctas)
        return 0;
    uint64_t end = r->result.start_cycle;
    bool alone = true;
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++)
        alone &= !g->slots[i] || g->slots[i] == r || !g->slots[i]->started;
    if (!alone && r->has_dependent) {
        const bool are_out = stores_are_out(g, r);
        r->flushes |= are_out;
        if (r->flushes) return are_out ? 0 : g->now;
    }
    for (uint32_t i = 0; i < g->config.sm_count; i++) {
        if (g->side[i].last_done[r->slot] > end) end = g->side[i].last_done[r->slot];
        if (!alone) continue;
        if (!sm_is_idle(g->sm[i]) || mem_port_outstanding(g->ports[i])) return 0;
        if (sm_last_progress(g->sm[i]) > end) end = sm_last_progress(g->sm[i]);
    }
    return end < g->now ? end + 1 : g->now;
}

// What must hold when the last kernel has ended: nothing is under way, and all was answered. NULL,
// or what does not.
static const char *not_conserved(const struct gpu *g, const struct flight *r) {
    const uint64_t *c = r->result.activity.c;
    for (uint32_t i = 0; i < g->config.sm_count; i++) {
        if (!sm_is_idle(g->sm[i])) return "an SM holds something after the last kernel";
        if (mem_port_outstanding(g->ports[i])) return "a request is still under way";
        if (!g->source->log_is_empty(g->logs[i])) return "a store was not committed";
    }
    const uint64_t simulated = r->n_ctas - r->inside.skipped;
    if (c[ACT_cta_launches] != simulated || r->result.ctas_done != simulated)
        return "not each CTA was launched and done once";
    if (c[ACT_net_request_packets] != c[ACT_net_reply_packets])
        return "not each request was answered";
    return NULL;
}

// A stretch's counts are added to the totals when its last run ends. A run that had the stretch to
// itself has them in its result already, but for the times that only results have.
static void end_stretch(struct gpu *g, const struct flight *r, bool was_alone, uint64_t end) {
    struct activity *const sum = &g->totals.activity;
    if (was_alone) {
        const uint64_t idle = sum->c[ACT_sm_idle_cycles], cycles = sum->c[ACT_cycles];
        activity_add(sum, &r->result.activity);
        sum->c[ACT_sm_idle_cycles] = idle;
        sum->c[ACT_cycles] = cycles;
    } else {
        struct activity a;
        device_activity_sum(g, &a);
        activity_sub(&a, &g->busy_before);
        result_close_lines(g, &a, end - g->busy_from, g->config.sm_count, g->config.mem.partitions);
        activity_add(sum, &a);
    }
    g->totals.kernel_cycles += end - g->busy_from;
    sum->c[ACT_cycles] += end - g->busy_from;
}

// The run that ended was a rehearsal: the next begins, with memory as it was before.
static void begin_again(struct gpu *g, struct flight *r) {
    devmem_put_back(g->memory, r->before_it);
    if (!--r->rehearsals) {
        devmem_copy_free(r->before_it);
        r->before_it = NULL;
        g->rehearsing = NULL;
    }
    sm_kernel_destroy(r->timed);
    g->source->launch_destroy(r->exec);
    if (r->workspace) devmem_free(g->memory, r->workspace);
    device_free(g, r->inst);
    device_free(g, r->inst_memory);
    r->timed = NULL, r->exec = NULL, r->workspace = 0, r->inst = NULL, r->inst_memory = NULL;
    r->next_cta = r->result.ctas_done = 0;
    r->started = false;
    r->intervals.n = 0;
    const uint32_t slot = r->slot;
    if (flight_begin(g, r, slot) != WW_OK) return; // it has noted the fault
    g->slots[slot] = r;
    g->n_running++;
}

static void end_run(struct gpu *g, struct flight *r, uint64_t end) {
    uint32_t left = 0;
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++)
        left += g->slots[i] && g->slots[i] != r && g->slots[i]->started;
    result_end(g, r, end);
    for (uint32_t i = 0; i < g->config.sm_count; i++) sm_unbind(g->sm[i], r->slot);
    g->slots[r->slot] = NULL;
    g->n_running--;
    if (r->rehearsals) {
        g->busy_first = NULL;
        begin_again(g, r);
        return;
    }
    const bool is_first = g->busy_first == r,
               was_alone = is_first && !left && !r->result.overlapped;
    if (is_first) g->busy_first = NULL;
    if (is_first && !was_alone) result_sum_at_start(g, r, &g->busy_before);
    if (!left) {
        const char *const why = r->result.overlapped ? NULL : not_conserved(g, r);
        if (why) {
            char text[512];
            flight_finish(g, r, broken_text(g, r, why, text, sizeof text), g->fault_text);
            return;
        }
        if (r->inside.skipped) {
            end += (uint64_t)sample_rest(g, r);
            if (end > g->now) g->now = end;
        }
        end_stretch(g, r, was_alone, end);
    }
    sample_learn(g, r);
    flight_finish(g, r, WW_OK, NULL);
}

void flight_abort_all(struct gpu *g, enum ww_status s, const char *text) {
    bool any = false;
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++) {
        struct flight *r = g->slots[i];
        if (!r) continue;
        any = true;
        if (r->started) result_end(g, r, g->now);
    }
    if (!any) return;
    timeline_cut(g);
    struct flight *cut[SM_KERNEL_SLOTS];
    memcpy(cut, g->slots, sizeof cut);
    memset(g->slots, 0, sizeof g->slots);
    g->n_running = 0;
    for (struct gpu_stream *q = g->streams; q; q = q->next)
        for (struct work *w = q->head; w && w->kind == WORK_KERNEL && w->running; w = w->next)
            w->run = NULL;
    // SMs and queues hold warps of a kernel that is no more: they are made anew.
    device_tear_down(g);
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++)
        if (cut[i]) flight_finish(g, cut[i], s, text);
    flight_free_spares(g); // they know counts of the SMs that were
    struct diags d;
    diags_init(&d);
    if (device_build(g, &d) != WW_OK) device_fault(g, WW_ERROR_MEMORY, "out of memory for new SMs");
    diags_free(&d);
    g->mem_now = g->delivered = g->now;
}

// ---- the loop -------------------------------------------------------------------------------
static void tell_progress(struct gpu *g) {
    if (!g->options.progress || g->quanta % PROGRESS_QUANTA) return;
    const double now = host_seconds();
    if (now - g->last_progress_s < PROGRESS_SECONDS) return;
    g->last_progress_s = now;
    const struct flight *r = oldest_after(g, 0);
    if (!r) return;
    uint64_t n = 0;
    for (uint32_t i = 0; i < g->config.sm_count; i++)
        n += device_activity(g, i)->c[ACT_warp_instructions] -
             r->at_start[i].c[ACT_warp_instructions];
    const struct gpu_progress p = {.launch = r->result.id,
                                   .kernel = r->result.kernel,
                                   .ctas_done = ctas_done(g, r),
                                   .ctas = r->n_ctas,
                                   .cycles = g->now - r->result.start_cycle,
                                   .seconds = (double)(g->now - r->result.start_cycle) /
                                              (g->config.clocks.core_mhz * 1e6),
                                   .warp_instructions = n};
    g->options.progress(g->options.user, &p);
}

static bool end_runs(struct gpu *g) {
    bool any = false;
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++) {
        struct flight *r = g->slots[i];
        const uint64_t end = r ? end_of(g, r) : 0;
        if (!end) continue;
        end_run(g, r, end);
        any = true;
    }
    return any;
}

// Whether all blocks of a run whose dependent waits have let that begin, for the first time.
static bool dependents_begin(struct gpu *g) {
    bool any = false;
    for (uint32_t k = 0; k < SM_KERNEL_SLOTS; k++) {
        struct flight *const r = g->slots[k];
        if (!r || !r->started || r->rehearsals || r->next_cta < r->n_ctas) continue;
        if (r->order->launch.event && r->order->launch.event_at_start) {
            order_tell(g, r->order, false);
            any = true;
        }
        if (!r->is_awaited) continue;
        uint64_t n = 0;
        for (uint32_t i = 0; i < g->config.sm_count; i++) n += sm_grid_launched(g->sm[i], k);
        if (n < r->n_ctas) continue;
        r->is_awaited = false;
        r->has_launched = any = true;
        order_tell(g, r->order, false);
    }
    return any;
}

// False: a block that was computed without time has faulted.
static bool sample_runs(struct gpu *g) {
    for (uint32_t i = 0; i < SM_KERNEL_SLOTS; i++) {
        struct flight *const r = g->slots[i];
        const enum ww_status s = r && r->started ? sample_quantum(g, r) : WW_OK;
        if (s == WW_OK) continue;
        flight_abort_all(g, s, g->fault_text);
        return false;
    }
    return true;
}

static void quanta(struct gpu *g, uint64_t until) {
    start_runs(g);
    do {
        dispatch(g);
        g->from = g->now;
        g->to = g->grid_from + ((g->from - g->grid_from) / g->quantum + 1) * g->quantum;
        one_quantum(g);
        if (check_faults(g)) return;
        for (uint32_t i = 0; g->options.interval_cycles && i < SM_KERNEL_SLOTS; i++)
            if (g->slots[i] && g->slots[i]->started) result_interval(g, g->slots[i]);
        if (g->sample && !sample_runs(g)) return;
        if (end_runs(g) || dependents_begin(g) || check_limits(g, until == UINT64_MAX)) return;
        if (device_should_stop(g)) return;
        tell_progress(g);
        if (!skip_idle_quanta(g, until)) {
            report_deadlock(g, "every warp waits and nothing is on its way");
            return;
        }
    } while (g->now < until);
}

// The caller may round as it likes and flush subnormals (programs built with -ffast-math do): kernels
// compute in the mode that handlers are written for.
void run_quanta(struct gpu *g, uint64_t until) {
    const uint32_t mode = round_default();
    quanta(g, until);
    round_end(mode);
}

// ---- whole launches without time --------------------------------------------------------------
// A launch that takes the time that its like took.
static void estimate(struct gpu *g, struct flight *r) {
    struct gpu_result *const out = &r->result;
    const uint64_t cycles = sample_estimate(g, r), latency = g->config.launch_latency_cycles;
    out->start_cycle += latency;
    out->end_cycle += latency;
    out->start_s += (double)latency / (g->config.clocks.core_mhz * 1e6);
    g->estimated_cycles = cycles;
    g->estimated_until = out->end_cycle;
    g->totals.kernel_cycles += cycles;
    const uint64_t idle = g->totals.activity.c[ACT_sm_idle_cycles];
    activity_add(&g->totals.activity, &out->activity);
    g->totals.activity.c[ACT_sm_idle_cycles] = idle;
}

static void functional(struct gpu *g, struct flight *r) {
    struct diags d;
    diags_init(&d);
    r->host_start = host_seconds();
    r->result.start_cycle = g->now;
    enum ww_status s = begin_exec(g, r, &d);
    if (s != WW_OK) {
        fault_with_diags(g, r, s, &d);
        diags_free(&d);
        return;
    }
    diags_free(&d);
    struct exec_counts counts;
    s = run_compute(g, r, 0, r->n_ctas, &counts);
    r->result.warp_instructions = counts.warp_instructions;
    r->result.thread_instructions = counts.thread_instructions;
    if (s == WW_OK) {
        r->result.ctas_done = r->n_ctas;
        if (r->is_estimated) estimate(g, r);
    }
    flight_finish(g, r, s, s == WW_OK ? NULL : g->fault_text);
}

void run_functional(struct gpu *g, struct flight *r) {
    const uint32_t mode = round_default();
    functional(g, r);
    round_end(mode);
}
