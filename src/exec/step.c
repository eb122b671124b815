// One instruction of one warp, and whole kernels by such steps.
#include <stdlib.h>

#include "exec/handlers.h"
#include "exec/warp.h"

// ---- the vector level -----------------------------------------------------------------------
#define LEVEL(level)                                                                               \
    {                                                                                              \
#level, int_fns_##level, int64_fns_##level, fp32_fns_##level, fp64_fns_##level,            \
            sfu_fns_##level, half_fns_##level, cvt_fns_##level, mem_fns_##level                    \
    }
static const struct exec_level levels[] = {
#if defined(__x86_64__)
    LEVEL(v4), LEVEL(v3),
#endif
    LEVEL(base)};

static bool level_runs_here(const struct exec_level *v) {
#if defined(__x86_64__)
    // The levels by what distinguishes them (x86-64 psABI): older clangs do not know them by name.
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512cd");
    if (!strcmp(v->name, "v4")) return v4;
    if (!strcmp(v->name, "v3")) return v3;
#endif
    return !strcmp(v->name, "base");
}

// The host does not change while we run: what is found once is kept. Tests may force another.
static _Atomic(const struct exec_level *) level_in_use;

const struct exec_level *exec_level(void) {
    const struct exec_level *v = atomic_load_explicit(&level_in_use, memory_order_acquire);
    if (v) return v;
    v = levels;
    while (!level_runs_here(v)) v++;
    atomic_store_explicit(&level_in_use, v, memory_order_release);
    return v;
}
const char *exec_simd_level(void) { return exec_level()->name; }
bool exec_simd_force(const char *level) {
    if (!level) {
        atomic_store(&level_in_use, NULL);
        return true;
    }
    for (size_t k = 0; k < WW_COUNT(levels); k++) {
        if (strcmp(levels[k].name, level) || !level_runs_here(&levels[k])) continue;
        atomic_store(&level_in_use, &levels[k]);
        return true;
    }
    return false;
}

// ---- a step ---------------------------------------------------------------------------------
static inline __attribute__((always_inline)) enum exec_outcome step(struct exec_env *e,
                                                                    struct exec_warp *w) {
    const struct xinst *x = w->code + w->pc;
    const uint32_t mask = w->active & (w->pred[x->guard] ^ x->guard_xor);
    e->exec_mask = mask;
    // Straight-line code moves on first, so that handlers need not; control transfers do it all.
    w->pc += x->advance;
    simt_meet(w);
    if (ww_unlikely(!(mask | (uint32_t)!x->advance))) return EXEC_NEXT;
    return x->fn(e, w, x, mask);
}

__attribute__((hot)) enum exec_outcome exec_step(struct exec_env *e, struct exec_warp *w) {
    if (ww_unlikely(!w->live)) return EXEC_EXITED;
    return step(e, w);
}

// ---- whole kernels --------------------------------------------------------------------------
// CTAs run in waves of so many side by side, each warp for a slice at a time, so that blocks that
// wait for one another within a wave make progress, as on a machine that holds them together.
enum { WAVE_CTAS = 256, WAVE_BYTES = 256 << 20, SLICE = 4096, BARRIERS = 16 };

enum warp_state { READY, WAITING, DONE };
struct run_cta {
    struct exec_cta cta;
    uint8_t *state;             // a warp
    uint32_t left;              // warps not done
    uint32_t waiting[BARRIERS]; // warps at each barrier
    uint32_t arrived[BARRIERS]; // threads, whole warps counted
    uint32_t value[BARRIERS];   // reduction so far: count, and, or
    uint32_t expected[BARRIERS];
    uint32_t kind[BARRIERS];
};
struct run {
    struct exec_launch *l;
    struct exec_env env;
    struct run_cta *cta;
    uint8_t *memory, *states;
    uint32_t wave;
    uint64_t next, total; // CTAs
    uint64_t budget;      // instructions left
    struct exec_counts counts;
};

static void start_cta(struct run *r, struct run_cta *c, uint32_t slot) {
    const uint64_t id = r->next++;
    const uint32_t sms = r->l->args.sm_count ? r->l->args.sm_count : 1;
    exec_cta_init(&c->cta, r->l, r->memory + slot * r->l->cta_bytes, id, (uint32_t)(id % sms));
    memset(c->state, READY, c->cta.n_warps);
    memset(c->arrived, 0, sizeof c->arrived);
    memset(c->waiting, 0, sizeof c->waiting);
    c->left = c->cta.n_warps;
}

// Lets the warps at barrier b go when enough threads have come. Without a count that is every warp
// that has not ended.
static bool try_release(struct run_cta *c, uint32_t b) {
    if (!c->arrived[b]) return false;
    const uint32_t need = c->expected[b] ? c->expected[b] : c->left * WARP_LANES;
    if (c->arrived[b] < need) return false;
    for (uint32_t k = 0; k < c->cta.n_warps && c->waiting[b]; k++) {
        struct exec_warp *w = &c->cta.warps[k];
        if (c->state[k] != WAITING || w->bar_id != b) continue;
        exec_barrier_release(w, c->value[b]);
        c->state[k] = READY;
        c->waiting[b]--;
    }
    c->arrived[b] = 0;
    return true;
}
static void arrive(struct run_cta *c, uint32_t k) {
    struct exec_warp *w = &c->cta.warps[k];
    const uint32_t b = w->bar_id, count = bits_count32(w->bar_value);
    const bool first = c->arrived[b] == 0;
    const uint32_t all = w->bar_value == w->bar_mask, any = count != 0;
    if (first) c->value[b] = w->bar_kind == MBAR_RED_AND ? 1 : 0;
    switch (w->bar_kind) {
    case MBAR_RED_POPC: c->value[b] += count; break;
    case MBAR_RED_AND: c->value[b] &= all; break;
    case MBAR_RED_OR: c->value[b] |= any; break;
    default: break;
    }
    if (first || w->bar_threads) c->expected[b] = w->bar_threads;
    c->arrived[b] += WARP_LANES;
    if (w->bar_kind != MBAR_ARRIVE) {
        c->state[k] = WAITING;
        c->waiting[b]++;
    }
    try_release(c, b);
}

// A warp for a slice. False on a fault.
static bool run_warp(struct run *r, struct run_cta *c, uint32_t k) {
    struct exec_env *e = &r->env;
    struct exec_warp *w = &c->cta.warps[k];
    uint64_t threads = 0;
    uint32_t n = 0;
    enum exec_outcome o = EXEC_NEXT;
    const uint32_t limit = r->budget < SLICE ? (uint32_t)r->budget : SLICE;
    while (n < limit) {
        o = step(e, w);
        n++;
        threads += bits_count32(e->exec_mask);
        if (o > EXEC_MEMORY) break;
    }
    e->cycle += n;
    r->budget -= n;
    r->counts.warp_instructions += n;
    r->counts.thread_instructions += threads;
    if (o == EXEC_BARRIER) arrive(c, k);
    if (o == EXEC_EXITED) {
        c->state[k] = DONE;
        c->left--;
        for (uint32_t b = 0; b < BARRIERS; b++) try_release(c, b);
    }
    return o != EXEC_FAULT;
}

static bool make_run(struct run *r) {
    const size_t bytes = r->l->cta_bytes;
    r->total = (uint64_t)r->l->args.grid[0] * r->l->args.grid[1] * r->l->args.grid[2];
    const uint64_t fit = WAVE_BYTES / bytes;
    r->wave = (uint32_t)(fit < 1 ? 1 : fit > WAVE_CTAS ? WAVE_CTAS : fit);
    if (r->wave > r->total) r->wave = (uint32_t)r->total;
    r->memory = ww_alloc_aligned(bytes * r->wave);
    r->cta = calloc(r->wave, sizeof *r->cta);
    r->states = calloc((size_t)r->wave * r->l->warps, 1);
    return r->memory && r->cta && r->states;
}

static enum ww_status deadlock(const struct run *r, struct diags *d) {
    const struct code_image *im = r->l->im;
    for (uint32_t s = 0; s < r->wave; s++) {
        const struct run_cta *c = &r->cta[s];
        for (uint32_t k = 0; c->left && k < c->cta.n_warps; k++) {
            if (c->state[k] != WAITING) continue;
            const struct exec_warp *w = &c->cta.warps[k];
            const struct xinst *x = w->bar_dst;
            const uint32_t need =
                c->expected[w->bar_id] ? c->expected[w->bar_id] : c->left * WARP_LANES;
            return diag_add(d, WW_ERROR_DEADLOCK,
                            "%s: deadlock: block (%u,%u,%u) warp %u waits at barrier %u (PTX line "
                            "%u), where %u of %u threads have come and no other warp can run",
                            im->name ? im->name : "kernel", c->cta.id[0], c->cta.id[1],
                            c->cta.id[2], k, w->bar_id, x ? im->inst[x - w->code].ptx_line : 0,
                            c->arrived[w->bar_id], need);
        }
    }
    return diag_add(d, WW_ERROR_DEADLOCK, "%s: deadlock", im->name ? im->name : "kernel");
}

static enum ww_status run_all(struct run *r, const volatile int *stop, struct diags *d) {
    uint64_t live = 0;
    for (uint32_t s = 0; s < r->wave; s++) {
        r->cta[s].state = r->states + (size_t)s * r->l->warps;
        start_cta(r, &r->cta[s], s);
        live++;
    }
    while (live) {
        bool moved = false;
        for (uint32_t s = 0; s < r->wave; s++) {
            struct run_cta *c = &r->cta[s];
            for (uint32_t k = 0; c->left && k < c->cta.n_warps; k++) {
                if (c->state[k] != READY) continue;
                if (!r->budget)
                    return diag_add(d, WW_ERROR_LIMIT, "%s: the limit of instructions was met",
                                    r->l->im->name ? r->l->im->name : "kernel");
                moved = true;
                if (!run_warp(r, c, k)) return WW_ERROR_ACCESS;
            }
            if (c->left || !c->cta.n_warps) continue;
            c->cta.n_warps = 0;
            live--;
            if (r->next < r->total) {
                start_cta(r, c, s);
                live++;
                moved = true;
            }
        }
        if (stop && *stop)
            return diag_add(d, WW_ERROR_INTERRUPTED, "%s: interrupted",
                            r->l->im->name ? r->l->im->name : "kernel");
        if (!moved && live) return deadlock(r, d);
    }
    return WW_OK;
}

enum ww_status exec_run_functional(struct exec_launch *l, struct devmem *m,
                                   uint64_t max_instructions, const volatile int *stop,
                                   struct exec_counts *counts, struct exec_fault *fault,
                                   struct diags *d) {
    struct run r = {
        .l = l, .env = {.memory = m}, .budget = max_instructions ? max_instructions : UINT64_MAX};
    enum ww_status s = make_run(&r)
                           ? run_all(&r, stop, d)
                           : diag_add(d, WW_ERROR_MEMORY, "no memory for a wave of blocks");
    if (counts) *counts = r.counts;
    if (s == WW_ERROR_ACCESS) {
        const enum exec_fault_kind k = r.env.fault.kind;
        s = k == FAULT_TRAP || k == FAULT_ASSERT ? WW_ERROR_TRAP : WW_ERROR_ACCESS;
        diag_add(d, s, "%s", r.env.fault.text);
        if (fault) *fault = r.env.fault;
    }
    ww_free_aligned(r.memory);
    free(r.cta);
    free(r.states);
    return s;
}
