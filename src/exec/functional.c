// Whole kernels without time, on any number of host threads with the same results.
//
// The blocks that are resident are dealt to groups, whose number does not depend on the host. Time
// is cut into rounds; in a round every group runs alone, on any thread, with a store log: it sees
// its own stores, and otherwise memory as it stood at the round's start. Then the logs are
// committed in the order of the groups. So a round is to a group what a quantum is to an SM
// (exec.h, "Order of memory"), and racing atomics are in the order: round, group, turn. New blocks
// are dealt at the start of a round, in order of their numbers, to the groups in order; blocks that
// end in the round that they begin in therefore act in order of their numbers.
//
// In a group a block runs for so many instructions a warp, its warps in turns; then the next block
// does. A warp whose atomic has a result waits for the end of the round. Turns are short, so that
// warps of a block that race stay near each other, as on a GPU; blocks take turns rarely, as a
// block's registers fill a cache. A launch of one block needs no log: its stores and atomics take
// effect at once.
//
// Blocks of a cluster stand in places beside each other of one group, begin together, and leave
// their places together. What they do in each other's shared memory takes effect at once.
#include <stdlib.h>

#include "exec/barrier.h"
#include "exec/bulk.h"
#include "exec/functional.h"
#include "exec/log.h"
#include "exec/native.h"
#include "exec/step.h"
#include "exec/wait.h"

enum {
    RESIDENT = 256, // blocks at once: those may wait for one another
    RESIDENT_BYTES = 256 << 20,
    TURN = 64,    // instructions of a warp before the block's next has its turn, and what is left of
                  // a straight line
    ROUND = 4096, // of a warp in a round, and what is left of a turn
    LOG_LIMIT = 128 << 10, // bytes of a group's log that end its round
    LOOK_LIMIT = 8 << 20,  // of what the check of races is told
    MAX_BATCH = 4096,      // blocks dealt to a group in a round
    PHASES = 64,           // of a cluster's barrier in a round, at most
    FIRST_LOOK = 32, // rounds before warps that spin for ever are looked for, then twice as many
};

enum warp_state { READY, WAITING, HELD /* until the round ends */, DONE };
struct run_cta {
    struct exec_cta cta;
    uint8_t *state;             // a warp
    uint32_t left;              // warps not done; 0: the place is free
    struct exec_barrier bar[EXEC_BARRIERS];
    struct exec_cluster cluster; // of the first of its blocks
};
enum group_end { GROUP_WENT_ON, GROUP_FAULTED, GROUP_MET_LIMIT };
struct group {
    _Alignas(64) struct exec_env env;
    struct run_cta *cta; // [run.places]
    uint8_t *memory;
    uint64_t next, end; // blocks dealt and not begun
    uint64_t budget;    // instructions that it may run in this round
    struct exec_counts counts;
    uint64_t *touch;    // [EXEC_TOUCHES], a ring; NULL: nothing is gathered
    uint64_t touches;   // in this round
    struct native *native; // lines of the launch that are compiled; NULL: none are
    struct native_line *lines;
    uint32_t live; // places that hold a block
    bool moved;
    enum group_end how;
};
// What groups work with. A launch leaves it to the next: fresh pages from the host would cost a
// short launch more than its instructions do.
struct exec_groups {
    struct group group[EXEC_GROUPS];
    struct exec_log *log[EXEC_GROUPS];
    struct run_cta *cta;
    uint8_t *bytes, *states;
    size_t cap_cta, cap_bytes, cap_states;
    uint64_t *touch; // [EXEC_GROUPS * EXEC_TOUCHES]; NULL before a crew wants to hear
    struct native *native;
};
struct wave {
    struct exec_launch *l;
    struct devmem *memory;
    const volatile int *stop;
    struct exec_groups *kept;
    struct group *group;               // [n_groups]
    struct exec_log *log[EXEC_GROUPS]; // NULL in a launch of one block
    struct run_cta *cta;
    uint32_t n_groups, places; // of a group
    uint32_t cluster;          // blocks
    bool has_clusters;
    uint64_t next, total;      // blocks
    uint64_t batch;            // blocks that a group may be dealt in a round
    uint64_t budget;           // instructions left
    uint32_t rounds, look;     // since the beginning; at which warps that spin are looked for
};

// ---- a block --------------------------------------------------------------------------------
static void start_cta(struct wave *r, struct group *g, uint32_t place) {
    struct run_cta *c = &g->cta[place];
    const uint64_t id = exec_cluster_cta(r->l, g->next++);
    const uint32_t sms = r->l->args.sm_count ? r->l->args.sm_count : 1;
    exec_cta_init(&c->cta, r->l, g->memory + place * r->l->cta_bytes, id, (uint32_t)(id % sms));
    memset(c->state, READY, c->cta.n_warps);
    memset(c->bar, 0, sizeof c->bar);
    c->left = c->cta.n_warps;
    g->live++;
}

// Lets the warps at barrier b go when enough threads have come.
static void try_release(struct run_cta *c, uint32_t b) {
    struct exec_barrier *const bar = &c->bar[b];
    if (!exec_barrier_opens(bar, c->left)) return;
    for (uint32_t k = 0; k < c->cta.n_warps; k++) {
        struct exec_warp *w = &c->cta.warps[k];
        if (!exec_barrier_has(w, c->state[k] == WAITING, b)) continue;
        w->bar_id = b;
        exec_barrier_release(w, exec_barrier_value(bar, w->bar_kind));
        if (c->state[k] == WAITING) c->state[k] = READY;
    }
    *bar = (struct exec_barrier){0};
}
static void arrive(struct run_cta *c, uint32_t k) {
    struct exec_warp *w = &c->cta.warps[k];
    if (w->bar_id == EXEC_CLUSTER_BARRIER) {
        if (w->bar_flow == EXEC_WAITS) c->state[k] = WAITING;
        return;
    }
    if (exec_barrier_arrive(&c->bar[w->bar_id], w)) c->state[k] = WAITING;
    try_release(c, w->bar_id);
}

// ---- what is touched ------------------------------------------------------------------------
static void touch(struct group *g, uint64_t line, uint32_t sm, uint32_t sectors, bool writes) {
    g->touch[g->touches++ % EXEC_TOUCHES] = exec_touch(line, sm, sectors, writes);
}
static void touch_bytes(struct group *g, uint64_t at, uint64_t bytes, uint32_t sm, bool writes) {
    for (uint64_t end = at + bytes, next; at < end; at = next) {
        next = (at | 127) + 1;
        const uint32_t from = (uint32_t)(at & 127) >> 5;
        const uint32_t to = next <= end ? 3 : (uint32_t)((end - 1) & 127) >> 5;
        touch(g, at >> 7, sm, (2u << to) - (1u << from), writes);
    }
}
// Of a line. A store that writes a sector in part is told from one that writes it whole: who loads it next has to fetch it.
static void touch_words(struct group *g, uint64_t line, uint32_t sm, uint32_t words, bool stores,
                        bool writes) {
    uint32_t whole = 0;
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t w = words >> 8 * k & 0xFF;
        if (w == 0xFF || (w != 0 && !stores)) whole |= 1u << k;
        else if (w != 0) g->touch[g->touches++ % EXEC_TOUCHES] = exec_touch_part(line, sm, k, w, writes);
    }
    if (whole) touch(g, line, sm, whole, writes);
}
// Lines in the order of lanes; neighbours that touch one line are one. Local memory is left out, as it stays in L1.
static void touch_lanes(struct group *g, const struct exec_access *a, uint32_t sm) {
    const bool stores = a->kind == ACCESS_STORE;
    const bool writes = stores || a->kind == ACCESS_ATOMIC || a->kind == ACCESS_REDUCE;
    uint64_t line = UINT64_MAX;
    uint32_t words = 0;
    FOR_EACH_BIT32(lane, a->mask & ~a->mask2) {
        const uint64_t at = a->addr[lane];
        const uint32_t from = (uint32_t)(at & 127) >> 2;
        const uint32_t to = (uint32_t)((at + a->bytes - 1) & 127) >> 2;
        if (at >> 7 != line) {
            if (words) touch_words(g, line, sm, words, stores, writes);
            line = at >> 7;
            words = 0;
        }
        words |= (uint32_t)((UINT64_C(2) << to) - (UINT64_C(1) << (from < to ? from : to)));
    }
    if (words) touch_words(g, line, sm, words, stores, writes);
}
static __attribute__((noinline)) void note_touched(struct exec_env *e, const struct exec_warp *w) {
    struct group *const g = (struct group *)(void *)e; // its first member
    const struct exec_access *const a = &g->env.access;
    const uint32_t sm = w->cta->sm_id;
    if (a->kind == ACCESS_BULK) {
        const struct exec_bulks *const b = g->env.bulks;
        for (uint32_t i = 0; b && i < b->n; i++) {
            const struct exec_bulk *const k = &b->copy[i];
            if (k->kind == BULK_SHARED || k->kind == BULK_FORGET) continue;
            const bool writes = k->kind == BULK_STORE || k->kind == BULK_REDUCE;
            for (uint32_t r = k->first; r < k->first + k->rows; r++)
                touch_bytes(g, b->row[r].at, b->row[r].bytes, sm, writes);
        }
    } else if ((a->space == SPACE_GLOBAL || a->kind == ACCESS_TEX) && a->kind <= ACCESS_ASYNC_COPY &&
               a->kind != ACCESS_FENCE) {
        touch_lanes(g, a, sm);
    }
}

static inline uint64_t threads_of(uint32_t mask) {
    return ww_likely(mask == ~0u) ? WARP_LANES : bits_count32(mask);
}
// How many instructions from the warp's next one on only go on to the one behind them, with the
// same lanes: none moves the pc, and the last is not in front of where lanes meet.
static inline uint32_t straight(const struct exec_warp *w) {
    const uint32_t control = w->cta->launch->control[w->pc], meets = w->reconv - 1;
    const uint32_t end = meets >= w->pc && meets < control ? meets : control;
    return end - w->pc;
}
// A turn that runs: what it has run so far, what the last instruction did.
struct turn {
    struct native_run run;
    enum exec_outcome outcome;
};
static inline bool goes_on(const struct turn *t, const struct exec_env *e) {
    return ww_likely(t->outcome == EXEC_NEXT) ||
           (t->outcome == EXEC_MEMORY && !step_ends_turn(&e->access));
}
// One instruction of any kind.
static inline void run_step(struct exec_env *e, struct exec_warp *w, struct turn *t) {
    t->outcome = step(e, w);
    t->run.n++;
    t->run.threads += threads_of(e->exec_mask);
    if (ww_unlikely(e->heard != NULL) && t->outcome == EXEC_MEMORY) e->heard(e, w);
}
// `most` instructions of a straight line, or fewer if one of them ends the turn.
static inline void run_straight(struct exec_env *e, struct exec_warp *w, uint32_t most,
                                struct turn *t) {
    const uint32_t active = w->active;
    const struct xinst *const first = w->code + w->pc, *const end = first + most, *x = first;
    uint32_t pc = w->pc;
    t->outcome = EXEC_NEXT;
    while (x != end) {
        const struct xinst *const now = x++;
        const uint32_t mask = active & (w->pred[now->guard] ^ now->guard_xor);
        w->pc = ++pc;
        if (ww_unlikely(!mask)) continue;
        t->run.threads += threads_of(mask);
        t->outcome = now->fn(e, w, now, mask);
        if (ww_unlikely(e->heard != NULL) && t->outcome == EXEC_MEMORY) e->heard(e, w);
        if (!goes_on(t, e)) break;
    }
    t->run.n += (uint32_t)(x - first);
}
// A straight line of so many instructions, by the host's own code where there is some (native.h);
// what that leaves to handlers they do. The instruction behind belongs to it where that stands in front
// of where lanes meet, if the turn may have one more: the host's own code may or may not run that one,
// and a turn has to end at the same place either way.
static inline void run_line(struct group *g, struct exec_warp *w, uint32_t length, bool one_more,
                            struct turn *t) {
    struct exec_env *const e = &g->env;
    uint32_t end = w->pc + length;
    bool meets = one_more && w->reconv == end + 1;
    const enum native_lanes lanes = w->active == ~0u ? NATIVE_ALL_LANES : NATIVE_SOME_LANES;
    do {
        const uint32_t pc = w->pc, most = end - pc + meets;
        const native_fn fn = g->native ? native_code(g->native, g->lines, pc, lanes) : NULL;
        uint32_t o = NATIVE_NAN;
        if (ww_likely(fn != NULL) && g->lines[pc].length <= most) {
            t->run.went_on = t->run.at_end = 0;
            o = fn(e, w, &t->run);
            if (ww_unlikely(o == NATIVE_NAN)) native_met_nan(&g->lines[t->run.line], lanes);
            if (t->run.at_end) {
                t->outcome = EXEC_NEXT;
                return;
            }
            if (t->run.went_on) { // the straight line where the warp is now
                end = w->pc + straight(w);
                meets = w->reconv == end + 1;
            }
        }
        if (ww_likely(o != NATIVE_NAN))
            t->outcome = (enum exec_outcome)o;
        else
            run_straight(e, w, end - w->pc, t);
        if (w->pc == w->reconv) {
            converge_met(w);
            return;
        }
    } while (w->pc < end && goes_on(t, e));
    if (!meets || w->pc != end || !goes_on(t, e)) return;
    run_step(e, w, t);
}
// A warp's turn, of at most so many instructions: how many it ran. It ends with a straight line.
static uint32_t run_warp(struct group *g, struct run_cta *c, uint32_t k, uint64_t most) {
    struct exec_env *e = &g->env;
    struct exec_warp *w = &c->cta.warps[k];
    struct turn t = {.outcome = EXEC_NEXT, .run.limit = most < NATIVE_ROOM ? 0 : TURN};
    while (t.run.n < TURN && t.run.n < most && goes_on(&t, e)) {
        const uint32_t line = straight(w);
        const uint64_t left = most - t.run.n;
        if (line) {
            run_line(g, w, line < left ? line : (uint32_t)left, line < left, &t);
        } else {
            run_step(e, w, &t);
        }
    }
    const enum exec_outcome o = t.outcome;
    const uint32_t n = t.run.n;
    e->cycle += n;
    g->counts.warp_instructions += n;
    g->counts.thread_instructions += t.run.threads;
    switch (o) {
    case EXEC_MEMORY:
        exec_bulk_at_once(e, w);
        if (e->access.deferred) c->state[k] = HELD;
        break;
    case EXEC_BARRIER: arrive(c, k); break;
    case EXEC_SLEEP: c->state[k] = HELD; break;
    case EXEC_EXITED:
        c->state[k] = DONE;
        c->left--;
        for (uint32_t b = 0; b < EXEC_BARRIERS; b++) try_release(c, b);
        break;
    case EXEC_STUCK: c->state[k] = WAITING; break;
    case EXEC_FAULT: g->how = GROUP_FAULTED; break;
    default: break;
    }
    return n;
}

// A block's warps in turns, until none can go on or they have had a round's instructions.
static void run_cta(struct group *g, struct run_cta *c) {
    uint64_t left = (uint64_t)ROUND * c->cta.n_warps;
    for (bool moved = true; moved && left && c->left && g->how == GROUP_WENT_ON;) {
        moved = false;
        for (uint32_t k = 0; k < c->cta.n_warps && left; k++) {
            if (c->state[k] != READY) continue;
            if (!g->budget) {
                g->how = GROUP_MET_LIMIT;
                return;
            }
            const uint32_t n = run_warp(g, c, k, g->budget);
            left -= n < left ? n : left;
            g->budget -= n;
            g->moved = moved = true;
            if (g->how != GROUP_WENT_ON) return;
        }
    }
}

static bool is_full(const struct exec_log *log) {
    return log && (log->len >= LOG_LIMIT || log->look_len >= LOOK_LIMIT);
}

// ---- clusters -------------------------------------------------------------------------------
// The n blocks of a cluster begin, in the places from p on.
static void start_cluster(struct wave *r, struct group *g, uint32_t p, uint32_t n) {
    struct exec_cluster *const k = &g->cta[p].cluster;
    *k = (struct exec_cluster){.n = n};
    for (uint32_t rank = 0; rank < n; rank++) {
        start_cta(r, g, p + rank);
        exec_cluster_join(k, &g->cta[p + rank].cta, rank);
    }
}
// Whether their barrier has opened; warps that wait at it go on then.
static bool cluster_goes_on(struct group *g, uint32_t p, uint32_t n) {
    if (!exec_cluster_opens(&g->cta[p].cluster)) return false;
    for (uint32_t rank = 0; rank < n; rank++) {
        struct run_cta *const c = &g->cta[p + rank];
        for (uint32_t i = 0; i < c->cta.n_warps; i++) {
            struct exec_warp *const w = &c->cta.warps[i];
            if (!exec_barrier_has(w, c->state[i] == WAITING, EXEC_CLUSTER_BARRIER)) continue;
            w->bar_id = EXEC_CLUSTER_BARRIER;
            exec_barrier_release(w, 0);
            if (c->state[i] == WAITING) c->state[i] = READY;
        }
    }
    return true;
}
// The blocks in turns, also behind each barrier of theirs, up to so many.
static void run_cluster(struct group *g, uint32_t p, uint32_t n) {
    struct exec_cluster *const k = &g->cta[p].cluster;
    for (uint32_t phases = 0; phases < PHASES && g->how == GROUP_WENT_ON; phases++) {
        for (uint32_t rank = 0; rank < n && g->how == GROUP_WENT_ON; rank++) {
            struct run_cta *const c = &g->cta[p + rank];
            if (c->left) run_cta(g, c);
            if (!c->left && !(k->gone >> rank & 1)) {
                k->gone |= 1u << rank;
                g->live--;
            }
        }
        if (!cluster_goes_on(g, p, n)) return;
    }
}
static void run_clusters(struct wave *r, struct group *g) {
    const uint32_t n = r->cluster, all = n == 32 ? ~0u : (1u << n) - 1;
    for (uint32_t p = 0; p < r->places && g->how == GROUP_WENT_ON; p += n) {
        const struct exec_cluster *const k = &g->cta[p].cluster;
        do {
            if (is_full(g->env.log)) return;
            if (k->gone == all && g->next < g->end) start_cluster(r, g, p, n);
            if (k->gone == all) break;
            run_cluster(g, p, n);
        } while (k->gone == all && g->how == GROUP_WENT_ON);
    }
}

// ---- a group's round ------------------------------------------------------------------------
static void run_group(void *user, uint32_t i) {
    struct wave *r = user;
    struct group *g = &r->group[i];
    if (g->env.log) log_forget(g->env.log);
    g->moved = false;
    for (uint32_t p = 0; p < r->places; p++) {
        struct run_cta *c = &g->cta[p];
        for (uint32_t k = 0; c->left && k < c->cta.n_warps; k++)
            if (c->state[k] == HELD) c->state[k] = READY;
    }
    if (r->has_clusters) {
        run_clusters(r, g);
        return;
    }
    for (uint32_t p = 0; p < r->places && g->how == GROUP_WENT_ON; p++) {
        struct run_cta *c = &g->cta[p];
        // A block that ends at once makes place for the next.
        do {
            if (is_full(g->env.log)) return;
            if (!c->left && g->next < g->end) start_cta(r, g, p);
            if (!c->left) break;
            run_cta(g, c);
            if (!c->left) g->live--;
        } while (!c->left && g->how == GROUP_WENT_ON);
    }
}

// ---- rounds ---------------------------------------------------------------------------------
// Room for `bytes` bytes, of any content: the groups' threads, not this one, touch fresh pages
// first.
static bool grow(void **p, size_t *cap, size_t bytes) {
    if (bytes <= *cap) return true;
    free(*p);
    *p = aligned_alloc(64, bits_align_up(bytes, 64));
    *cap = *p ? bytes : 0;
    return *p;
}
static bool make_wave(struct wave *r, bool touches) {
    const struct exec_launch *l = r->l;
    struct exec_groups *kept = r->kept;
    if (!kept) return false;
    if (touches && !kept->touch) {
        kept->touch = malloc((size_t)EXEC_GROUPS * EXEC_TOUCHES * sizeof *kept->touch);
        if (!kept->touch) return false;
    }
    const uint64_t fit = RESIDENT_BYTES / l->cta_bytes;
    r->cluster = exec_cluster_blocks(l);
    r->has_clusters = r->cluster != 0;
    if (!r->cluster) r->cluster = 1;
    uint64_t resident = fit < 1 ? 1 : fit > RESIDENT ? RESIDENT : fit;
    const uint64_t left = r->total - r->next;
    if (resident > left) resident = left;
    resident = (resident + r->cluster - 1) / r->cluster; // clusters
    r->n_groups = (uint32_t)(resident < EXEC_GROUPS ? resident : EXEC_GROUPS);
    r->places = (uint32_t)((resident + r->n_groups - 1) / r->n_groups) * r->cluster;
    r->batch = r->places;
    const size_t all = (size_t)r->n_groups * r->places;
    void *cta = kept->cta, *bytes = kept->bytes, *states = kept->states;
    const bool fits = grow(&cta, &kept->cap_cta, all * sizeof *r->cta) &&
                      grow(&bytes, &kept->cap_bytes, all * l->cta_bytes) &&
                      grow(&states, &kept->cap_states, all * l->warps);
    kept->cta = cta;
    kept->bytes = bytes;
    kept->states = states;
    if (!fits) return false;
    r->group = kept->group;
    r->cta = kept->cta;
    for (size_t k = 0; k < all; k++)
        r->cta[k] = (struct run_cta){.state = kept->states + k * l->warps,
                                     .cluster.gone = (1u << r->cluster) - 1};
    if (!kept->native) kept->native = native_create();
    struct native *const native =
        kept->native && native_begin(kept->native, l, touches) ? kept->native : NULL;
    for (uint32_t i = 0; i < r->n_groups; i++) {
        struct group *g = &r->group[i];
        *g = (struct group){.env.memory = r->memory,
                            .native = native,
                            .lines = native ? native_lines(native) : NULL,
                            .env.wants_no_addresses = !touches,
                            .env.heard = touches ? note_touched : NULL,
                            .env.bulks = g->env.bulks,
                            .cta = r->cta + (size_t)i * r->places,
                            .touch = touches ? kept->touch + (size_t)i * EXEC_TOUCHES : NULL,
                            .memory = kept->bytes + (size_t)i * r->places * l->cta_bytes};
        if (left == 1) continue;
        if (!kept->log[i]) kept->log[i] = log_create(LOG_LARGE_BLOOM_WORDS);
        g->env.log = r->log[i] = kept->log[i];
        if (!g->env.log) return false;
    }
    return true;
}
void exec_groups_destroy(struct exec_groups *kept) {
    if (!kept) return;
    for (uint32_t i = 0; i < EXEC_GROUPS; i++) {
        exec_log_destroy(kept->log[i]);
        exec_bulks_destroy(kept->group[i].env.bulks);
    }
    native_destroy(kept->native);
    free(kept->touch);
    free(kept->bytes);
    free(kept->cta);
    free(kept->states);
    ww_free_aligned(kept);
}

// Blocks to groups, in order. Where whole batches ended in the round before, blocks are short: the
// next batches are larger, so that a round is longer than what it costs.
static void deal(struct wave *r) {
    bool idle = true;
    for (uint32_t i = 0; i < r->n_groups; i++) {
        const struct group *g = &r->group[i];
        idle &= !g->live && g->next == g->end;
    }
    if (!idle)
        r->batch = r->places;
    else if (r->next && r->batch < MAX_BATCH)
        r->batch *= 2;
    // The last ones evenly, clusters whole.
    const uint64_t each = (r->total - r->next + r->n_groups - 1) / r->n_groups;
    const uint64_t even = (each + r->cluster - 1) / r->cluster * r->cluster;
    const uint64_t batch = idle && even < r->batch ? even : r->batch;
    for (uint32_t i = 0; i < r->n_groups && r->next < r->total; i++) {
        struct group *g = &r->group[i];
        const uint64_t has = g->live + (g->end - g->next);
        if (g->next != g->end || has >= batch) continue;
        const uint64_t room = (batch - has) / r->cluster * r->cluster;
        const uint64_t left = r->total - r->next, n = room < left ? room : left;
        g->next = r->next;
        g->end = r->next += n;
    }
}

static const char *name_of(const struct wave *r) {
    return r->l->im->name ? r->l->im->name : "kernel";
}

static enum ww_status deadlock(const struct wave *r, struct diags *d) {
    const struct code_image *im = r->l->im;
    for (uint32_t s = 0; s < r->n_groups * r->places; s++) {
        const struct run_cta *c = &r->cta[s];
        for (uint32_t k = 0; c->left && k < c->cta.n_warps; k++) {
            if (c->state[k] != WAITING) continue;
            const struct exec_warp *w = &c->cta.warps[k];
            char text[256];
            if (exec_waits_text(w, text, sizeof text)[0])
                return diag_add(d, WW_ERROR_DEADLOCK,
                                "%s: deadlock: block (%u,%u,%u) warp %u: %s", name_of(r),
                                c->cta.id[0], c->cta.id[1], c->cta.id[2], k, text);
            struct exec_wait at;
            if (!exec_barrier_wait(w, 0, &at)) continue;
            if (at.barrier == EXEC_CLUSTER_BARRIER)
                return diag_add(d, WW_ERROR_DEADLOCK,
                                "%s: deadlock: block (%u,%u,%u) warp %u waits at the barrier of its "
                                "cluster (%s), to which %u threads have not come, and no other warp "
                                "can run",
                                name_of(r), c->cta.id[0], c->cta.id[1], c->cta.id[2], k,
                                code_place(im, at.pc).text, exec_cluster_missing(c->cta.cluster));
            const struct exec_barrier *const bar = &c->bar[at.barrier];
            return diag_add(d, WW_ERROR_DEADLOCK,
                            "%s: deadlock: block (%u,%u,%u) warp %u waits at barrier %u (%s), "
                            "where %u of %u threads have come and no other warp can run",
                            name_of(r), c->cta.id[0], c->cta.id[1], c->cta.id[2], k, at.barrier,
                            code_place(im, at.pc).text, bar->threads,
                            exec_barrier_needs(bar, c->left));
        }
    }
    return diag_add(d, WW_ERROR_DEADLOCK, "%s: deadlock", name_of(r));
}

// Whether all warps that are left spin or wait, so that nothing will ever change (spin.c).
static enum ww_status look_for_spins(struct wave *r, uint64_t cycle, struct diags *d) {
    uint64_t waiting = r->total - r->next;
    for (uint32_t i = 0; i < r->n_groups; i++) waiting += r->group[i].end - r->group[i].next;
    const struct exec_warp *warp = NULL;
    struct exec_spin shown = {0};
    uint32_t others = 0;
    for (uint32_t s = 0; s < r->n_groups * r->places; s++) {
        struct run_cta *const c = &r->cta[s];
        if (!c->left && waiting) return WW_OK; // another block may begin
        for (uint32_t k = 0; c->left && k < c->cta.n_warps; k++) {
            struct exec_spin spin;
            if (c->state[k] == DONE) continue;
            others++;
            if (c->state[k] == WAITING) continue;
            if (!exec_spins(r->memory, &c->cta.warps[k], cycle, &spin)) return WW_OK;
            if (warp && (shown.parked || !spin.parked)) continue;
            warp = &c->cta.warps[k];
            shown = spin;
        }
    }
    if (!warp) return WW_OK;
    char text[512], rest[128] = "";
    exec_spin_text(warp, &shown, text, sizeof text);
    if (waiting)
        snprintf(rest, sizeof rest, "; %llu blocks have not begun, as those that run do not end",
                 (unsigned long long)waiting);
    return diag_add(d, WW_ERROR_DEADLOCK,
                    "%s: deadlock: %s; none of the %u warps that are left can change memory%s",
                    name_of(r), text, others, rest);
}

// With a budget that one round could spend, groups run one after the other and share it.
static void run_groups(struct wave *r, const struct exec_crew *crew) {
    const uint64_t places = r->n_groups * (r->batch > r->places ? r->batch : r->places);
    const bool tight = r->budget / ((uint64_t)ROUND * r->l->warps) <= places;
    if (!tight && crew && r->n_groups > 1) {
        const uint64_t each = r->budget;
        for (uint32_t i = 0; i < r->n_groups; i++) r->group[i].budget = each;
        crew->each(crew->user, r->n_groups, run_group, r);
        for (uint32_t i = 0; i < r->n_groups; i++) r->budget -= each - r->group[i].budget;
        return;
    }
    for (uint32_t i = 0; i < r->n_groups; i++) {
        r->group[i].budget = r->budget;
        run_group(r, i);
        r->budget = r->group[i].budget;
    }
}

static enum ww_status fault(struct exec_fault *f, const struct exec_fault *what, struct diags *d) {
    const enum exec_fault_kind k = what->kind;
    *f = *what;
    return diag_add(d, k == FAULT_TRAP || k == FAULT_ASSERT ? WW_ERROR_TRAP : WW_ERROR_ACCESS, "%s",
                    what->text);
}

// The crew hears what a round touched.
static void tell_touched(struct wave *r, const struct exec_crew *crew) {
    for (uint32_t i = 0; i < r->n_groups; i++) {
        struct group *const g = &r->group[i];
        const uint64_t n = g->touches, at = n % EXEC_TOUCHES;
        if (n > EXEC_TOUCHES)
            crew->touched(crew->user, g->touch + at, (uint32_t)(EXEC_TOUCHES - at));
        crew->touched(crew->user, g->touch, (uint32_t)(n > EXEC_TOUCHES ? at : n));
        g->touches = 0;
    }
}

// The end of a round: what it did takes effect, and why the launch may be over.
static enum ww_status end_round(struct wave *r, struct exec_fault *f, struct diags *d) {
    struct exec_fault late;
    const bool committed = log_commit(r->memory, r->log, r->n_groups, &late);
    bool moved = false, limit = false;
    uint64_t cycle = 0, live = r->total - r->next;
    for (uint32_t i = 0; i < r->n_groups; i++) {
        const struct group *g = &r->group[i];
        if (g->how == GROUP_FAULTED) return fault(f, &g->env.fault, d);
        moved |= g->moved;
        limit |= g->how == GROUP_MET_LIMIT;
        live += g->live + (g->end - g->next);
        if (g->env.cycle > cycle) cycle = g->env.cycle;
    }
    if (!committed) return fault(f, &late, d);
    for (uint32_t i = 0; i < r->n_groups; i++) r->group[i].env.cycle = cycle;
    if (limit)
        return diag_add(d, WW_ERROR_LIMIT, "%s: the limit of instructions was met", name_of(r));
    if (r->stop && *r->stop)
        return diag_add(d, WW_ERROR_INTERRUPTED, "%s: interrupted", name_of(r));
    if (!live) return WW_OK;
    if (!moved) return deadlock(r, d);
    if (++r->rounds < r->look) return WW_OK;
    r->look = 2 * r->rounds;
    return look_for_spins(r, cycle, d);
}

static bool is_over(const struct wave *r) {
    bool over = r->next == r->total;
    for (uint32_t i = 0; over && i < r->n_groups; i++)
        over = !r->group[i].live && r->group[i].next == r->group[i].end;
    return over;
}

enum ww_status exec_run_functional(struct exec_launch *l, struct devmem *m,
                                   const struct exec_crew *crew, uint64_t max_instructions,
                                   const volatile int *stop, struct exec_counts *counts,
                                   struct exec_fault *f, struct diags *d) {
    const uint64_t all = (uint64_t)l->args.grid[0] * l->args.grid[1] * l->args.grid[2];
    return exec_run_functional_part(l, 0, all, m, crew, max_instructions, stop, counts, f, d);
}

enum ww_status exec_run_functional_part(struct exec_launch *l, uint64_t first, uint64_t end,
                                        struct devmem *m,
                                        const struct exec_crew *crew, uint64_t max_instructions,
                                        const volatile int *stop, struct exec_counts *counts,
                                        struct exec_fault *f, struct diags *d) {
    const bool touches = crew && crew->touched;
    struct exec_fault unwanted;
    struct exec_groups *kept = crew && crew->groups ? *crew->groups : NULL;
    if (!kept) kept = ww_alloc_aligned(sizeof *kept);
    struct wave r = {.l = l,
                     .memory = m,
                     .stop = stop,
                     .kept = kept,
                     .look = FIRST_LOOK,
                     .next = first,
                     .total = end,
                     .budget = max_instructions ? max_instructions : UINT64_MAX};
    enum ww_status s =
        make_wave(&r, touches) ? WW_OK : diag_add(d, WW_ERROR_MEMORY, "no memory for a wave of blocks");
    while (s == WW_OK && !is_over(&r)) {
        deal(&r);
        run_groups(&r, crew);
        if (touches) tell_touched(&r, crew);
        s = end_round(&r, f ? f : &unwanted, d);
    }
    if (counts) *counts = (struct exec_counts){0};
    for (uint32_t i = 0; r.group && counts && i < r.n_groups; i++) {
        counts->warp_instructions += r.group[i].counts.warp_instructions;
        counts->thread_instructions += r.group[i].counts.thread_instructions;
    }
    if (crew && crew->groups)
        *crew->groups = kept;
    else
        exec_groups_destroy(kept);
    return s;
}
