// Issue slots that were lost to each instruction, by windows of a launch (waits.h). A window has the difference of
// the instructions' counts between its two ends, as a list of what is not 0.
#include "gpu/waits.h"
#include "code/code.h"
#include "gpu/device.h"
#include "gpu/module.h"

typedef VEC(struct gpu_wait) wait_list;

struct waits {
    struct sm_inst_counts *then, *now; // [image->n_insts], at the end of the last window; room for the next
    uint64_t cycles;                   // that a window holds at least
    uint64_t from;                     // where the open window begins
    uint64_t to[WAITS_WINDOWS];
    uint32_t n_windows;
    wait_list list; // by window, instruction, reason
};

static uint32_t instructions_of(const struct flight *r) { return r->kernel->image->n_insts; }

struct waits *waits_begin(struct flight *r, uint64_t cycles) {
    const uint32_t n = instructions_of(r);
    if (n == 0) return NULL;
    struct waits *const w = arena_alloc(&r->arena, sizeof *w);
    memset(w, 0, sizeof *w);
    w->then = arena_alloc(&r->arena, n * sizeof *w->then);
    w->now = arena_alloc(&r->arena, n * sizeof *w->now);
    memset(w->then, 0, n * sizeof *w->then);
    w->cycles = cycles > (uint64_t)WAITS_CYCLES * n ? cycles : (uint64_t)WAITS_CYCLES * n;
    return w;
}

static bool stands_before(const struct gpu_wait *a, const struct gpu_wait *b) {
    return a->pc != b->pc ? a->pc < b->pc : a->reason < b->reason;
}

// One window of each two, their lists merged; of an odd number the last stays alone.
static void join_windows(struct flight *r, struct waits *w) {
    const wait_list old = w->list;
    wait_list list = {.n = 0};
    uint32_t at = 0;
    for (uint32_t k = 0; k < w->n_windows; k += 2) {
        uint32_t a = at, a_end = a;
        while (a_end < old.n && old.at[a_end].window == k) a_end++;
        uint32_t b = a_end, b_end = b;
        while (b_end < old.n && old.at[b_end].window == k + 1) b_end++;
        at = b_end;
        while (a < a_end || b < b_end) {
            const bool has_both = a < a_end && b < b_end;
            const bool is_first = b == b_end || (has_both && stands_before(&old.at[a], &old.at[b]));
            const bool is_same = has_both && !is_first && !stands_before(&old.at[b], &old.at[a]);
            struct gpu_wait x = is_first || is_same ? old.at[a] : old.at[b];
            if (is_same) x.slots += old.at[b].slots;
            a += is_first || is_same;
            b += !is_first;
            x.window = k / 2;
            vec_push(&r->arena, &list, x);
        }
        w->to[k / 2] = w->to[k + 1 < w->n_windows ? k + 1 : k];
    }
    w->n_windows = (w->n_windows + 1) / 2;
    w->list = list;
    w->cycles *= 2;
}

static void add_window(struct flight *r, struct waits *w, const struct sm_inst_counts *now, uint64_t to) {
    for (uint32_t pc = 0; pc < instructions_of(r); pc++) {
        for (uint32_t s = 0; s < STALL_N; s++) {
            const uint64_t lost = now[pc].stall[s] - w->then[pc].stall[s];
            if (lost == 0) continue;
            const struct gpu_wait x = {.window = w->n_windows, .pc = pc, .reason = s, .slots = lost};
            vec_push(&r->arena, &w->list, x);
        }
        w->then[pc] = now[pc];
    }
    w->to[w->n_windows++] = to;
    w->from = to;
    if (w->n_windows == WAITS_WINDOWS) join_windows(r, w);
}

void waits_look(struct gpu *g, struct flight *r, uint64_t cycle) {
    struct waits *const w = r->waits;
    if (w == NULL || cycle - w->from < w->cycles) return;
    memset(w->now, 0, instructions_of(r) * sizeof *w->now);
    for (uint32_t i = 0; i < g->config.sm_count; i++) sm_add_inst_counts(g->sm[i], r->slot, w->now);
    add_window(r, w, w->now, cycle);
}

void waits_end(struct flight *r, const struct sm_inst_counts *counts) {
    struct waits *const w = r->waits;
    if (w == NULL || counts == NULL) return;
    const uint64_t end = r->result.cycles;
    if (end > w->from) add_window(r, w, counts, end);
    if (w->n_windows && w->to[w->n_windows - 1] > end) w->to[w->n_windows - 1] = end; // its quantum ended behind it
    r->result.waits = (struct gpu_waits){
        .to = w->to, .n_windows = w->n_windows, .at = w->list.at, .n = w->list.n};
}
