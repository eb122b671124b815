// A list scheduler for basic blocks: what starts a long chain goes first, loads above all, as long
// as registers last. It is what the machines' assemblers do, and what lets a warp have several
// loads in flight.
//
// Units are operations with their fillers. Where a block of the code as it comes has more words in
// use at once than FREE_WORDS its units are first put into an order that needs as few as can be
// (sched_press.c), if those are clearly fewer.
//
// Then chains of latencies count. A region is a stretch of a block without anything that
// must stay where it is (calls, exits, clock reads, system calls) and at most REGION units long,
// which bounds both the work and how far a value can be pulled up. Within it the unit with the
// longest chain of latencies behind it goes first; when the registers in use reach the limit, the
// one that frees most. What is in use is known exactly: a register that is written again later is
// free between the last read of the old value and the write of the new one.
//
// The choice does not look ahead, so a region may end up above the limit all the same. It is tried
// again with a limit lower by the excess, a few times, and then with a window: a unit may overtake
// 31, 15, 7, 3 or at last one unit that stood before it. With no window left it stays as it was.
#include "code/opt.h"
#include "code/sched.h"

#include <assert.h>

enum { REGION = 256, WHOLE_TRIES = 4, FIRST_WINDOW = 32 };

// Registers that scheduling may fill: so many in any case, and so many more than the code needs
// anyway. Fitted to ptxas 13's counts for the same kernels; a target may say what else its compiler
// did.
enum { FREE_WORDS = 40, MORE_WORDS = 20, KEEP_CLEAR = 6 };

// On machines with control bits occupancy decides: so many words more than the code needs, and on
// from there as long as no warp fewer fits an SM, less what allocation may need beyond the words in
// use. Of the limits tried (fixed ones, 0 to 20 words more, with and without occupancy) the one
// whose counts lie nearest to those of ptxas 12.9 and 13 without costing cycles
// (docs/registers.md).
enum { MORE_AT_STEP = 8, SPARE = 2 };

// A stretch of a block that never uses more than FREE_WORDS keeps the order that it came in, which
// is as a rule good for latencies; one that does is ordered anew as a whole, or in parts of WHOLE
// units, where that takes a part in LESS_BY off, or registers would be short, and no other needs as
// many.
enum { WHOLE = 1 << 15, LESS_BY = 8 };

// What is within about one arithmetic latency of the longest chain may as well go first when it
// frees a register.
enum { NEAR_HEIGHT = 20 };

struct scheduler {
    struct sched_graph g;
    uint32_t limit;
    // of one try
    int32_t preds_before, preds, most_preds; // in use: at the start, now, at most so far
    uint32_t order[REGION];
    uint32_t waits[REGION]; // predecessors not yet placed
    uint32_t *left;         // a value's readers not yet placed
    bool *is_live;          // a value
};

// ---- choice -------------------------------------------------------------------------------------
// Whether a value is in its register once a unit has used it.
static bool is_live_after(const struct scheduler *s, const struct sched_use *u) {
    const struct sched_value *v = &s->g.value.at[u->value];
    const uint32_t left = s->left[u->value] - u->reads;
    return (s->is_live[u->value] || u->writes) && (left || v->stays);
}
// Change of the words in registers if the unit came next.
static int32_t pressure_change(const struct scheduler *s, uint32_t unit) {
    int32_t change = 0;
    const struct sched_use *u = s->g.use.at + s->g.unit.at[unit].use;
    for (uint32_t i = 0; i < s->g.unit.at[unit].n_uses; i++, u++)
        if (s->g.value.at[u->value].is_word) change += is_live_after(s, u) - s->is_live[u->value];
    return change;
}
static int32_t preds_change(const struct scheduler *s, uint32_t unit) {
    int32_t change = 0;
    const struct sched_use *u = s->g.use.at + s->g.unit.at[unit].use;
    for (uint32_t i = 0; i < s->g.unit.at[unit].n_uses; i++, u++) {
        const struct sched_value *const v = &s->g.value.at[u->value];
        if (!v->is_word && v->slot < s->g.live->pred_end)
            change += is_live_after(s, u) - s->is_live[u->value];
    }
    return change;
}
// Whether there would be no predicate for the unit's result. One instruction makes two at most.
static bool lacks_preds(const struct scheduler *s, uint32_t unit) {
    const int32_t room = (int32_t)s->g.f->target->n_preds - s->preds;
    if (room >= 2) return false;
    const int32_t change = preds_change(s, unit);
    return change > 0 && change > room;
}
static int32_t place(struct scheduler *s, uint32_t unit) {
    const int32_t change = pressure_change(s, unit);
    s->preds += preds_change(s, unit);
    if (s->preds > s->most_preds) s->most_preds = s->preds;
    const struct sched_use *u = s->g.use.at + s->g.unit.at[unit].use;
    for (uint32_t i = 0; i < s->g.unit.at[unit].n_uses; i++, u++) {
        s->is_live[u->value] = is_live_after(s, u);
        s->left[u->value] -= u->reads;
    }
    return change;
}

// Among the ready units the one that changes the pressure least; with `near`, only one that frees a
// register and is about as high as `best`, which else stays.
static uint32_t frees_most(struct scheduler *s, const uint32_t *ready, uint32_t n_ready,
                           uint32_t best, uint32_t end, bool near) {
    const uint32_t height = s->g.unit.at[ready[best]].height;
    int32_t least = INT32_MAX;
    for (uint32_t i = 0; i < n_ready; i++) {
        if (ready[i] >= end || (near && s->g.unit.at[ready[i]].height + NEAR_HEIGHT < height))
            continue;
        const int32_t change = pressure_change(s, ready[i]);
        if ((near && change >= 0) || lacks_preds(s, ready[i])) continue;
        if (change < least || (change == least && ready[i] < ready[best])) {
            least = change;
            best = i;
        }
    }
    return best;
}

// Of the ready units those may go next that are less than `window` units of the old order behind
// the first one not yet placed, which is always ready. Those whose results find no predicate wait
// while there are others.
static uint32_t choose(struct scheduler *s, const uint32_t *ready, uint32_t n_ready, int32_t room,
                       uint32_t window) {
    uint32_t first = 0;
    for (uint32_t i = 1; i < n_ready; i++)
        if (ready[i] < ready[first]) first = i;
    const uint32_t end = ready[first] + window;
    uint32_t best = lacks_preds(s, ready[first]) ? n_ready : first;
    for (uint32_t i = 0; i < n_ready; i++) {
        if (ready[i] >= end || lacks_preds(s, ready[i])) continue;
        if (best == n_ready) best = i;
        const struct sched_unit *a = &s->g.unit.at[ready[i]], *b = &s->g.unit.at[ready[best]];
        if (a->height > b->height || (a->height == b->height && ready[i] < ready[best])) best = i;
    }
    if (best == n_ready) return first;
    const int32_t needs = pressure_change(s, ready[best]);
    if (needs <= 0) return best;
    return frees_most(s, ready, n_ready, best, end, needs <= room);
}

// Fills s->order, keeping to `limit` where it can and to a window (see choose); answers the most
// words in use.
static int32_t list_schedule(struct scheduler *s, int32_t pressure, int32_t limit,
                             uint32_t window) {
    uint32_t ready[REGION], n_ready = 0, placed = 0;
    int32_t most = pressure;
    s->preds = s->preds_before;
    for (uint32_t v = 0; v < s->g.value.n; v++) {
        s->left[v] = s->g.value.at[v].readers;
        s->is_live[v] = s->g.value.at[v].enters;
    }
    s->most_preds = s->preds;
    for (uint32_t u = 0; u < s->g.unit.n; u++) {
        s->waits[u] = s->g.unit.at[u].waits;
        if (!s->waits[u]) ready[n_ready++] = u;
    }
    while (n_ready) {
        const uint32_t i = choose(s, ready, n_ready, limit - pressure, window);
        const uint32_t u = ready[i];
        ready[i] = ready[--n_ready];
        s->order[placed++] = u;
        pressure += place(s, u);
        if (pressure > most) most = pressure;
        for (int32_t e = s->g.unit.at[u].succ; e >= 0; e = s->g.edge.at[e].next)
            if (--s->waits[s->g.edge.at[e].to] == 0) ready[n_ready++] = s->g.edge.at[e].to;
    }
    return most;
}

// Fills s->order with one that never has more than `allowed` words in use, nor more predicates than
// there are or the code had in use as it came; false: none was found.
static bool find_order(struct scheduler *s, int32_t pressure, int32_t allowed) {
    const uint32_t there = s->g.f->target->n_preds;
    const int32_t preds = (int32_t)(s->g.most.preds > there ? s->g.most.preds : there);
    int32_t limit = (int32_t)s->limit;
    for (unsigned tries = 0; tries < WHOLE_TRIES; tries++) {
        const int32_t most = list_schedule(s, pressure, limit, REGION);
        if (most <= allowed && s->most_preds <= preds) return true;
        if (most <= allowed) break; // another limit would not help
        limit -= most - allowed;
    }
    for (uint32_t window = FIRST_WINDOW; window > 1; window /= 2)
        if (list_schedule(s, pressure, allowed, window) <= allowed && s->most_preds <= preds)
            return true;
    return false;
}

// ---- blocks -------------------------------------------------------------------------------------
// Schedules the units over instructions [first, end); `now` holds what is live behind them and is
// stepped back over the region in its old order.
static void schedule_region(struct scheduler *s, uint32_t first, uint32_t end,
                            struct slot_set *now) {
    struct sched_graph *const g = &s->g;
    sched_build(g, first, end, now);
    if (g->unit.n < 3) return;
    sched_heights(g);
    s->left = arena_alloc(g->arena, g->value.n * sizeof *s->left);
    s->is_live = arena_alloc(g->arena, g->value.n * sizeof *s->is_live);
    int32_t pressure = 0;
    s->preds_before = 0;
    for (uint32_t j = 0; j < now->n; j++) {
        const uint32_t slot = now->dense[j];
        pressure += slot < g->live->n_words;
        s->preds_before += slot >= g->live->pred_base && slot < g->live->pred_end;
    }
    const uint32_t allowed = g->most.words > s->limit ? g->most.words : s->limit;
    if (find_order(s, pressure, (int32_t)allowed)) sched_rearrange(g, first, s->order);
}

static void schedule_block(struct scheduler *s, const struct cfg_block *b, struct slot_set *now) {
    uint32_t end = b->first + b->n;
    while (end > b->first) {
        const uint32_t first = sched_gather(&s->g, b->first, end, REGION);
        if (s->g.unit.n) schedule_region(s, first, end, now);
        end = sched_skip_walls(&s->g, b->first, first, now);
    }
}

static bool is_short(const struct code_target *t, uint32_t words) {
    return words + KEEP_CLEAR > t->max_regs;
}

// A stretch of code that could be ordered anew: the words it uses as it is and would use then.
struct stretch {
    uint32_t first, n; // instructions
    uint32_t most, few;
    const uint32_t *order; // of instructions, counted from `first`
};
struct stretches {
    VEC(struct stretch) list;
    uint32_t need; // words that some stretch uses whatever is done
};

static const uint32_t *instructions_in_order(const struct sched_graph *g, const uint32_t *order,
                                             uint32_t first, uint32_t n) {
    uint32_t *const inst = arena_alloc(g->arena, n * sizeof *inst), at = 0;
    for (uint32_t i = 0; i < g->unit.n; i++) {
        const struct sched_unit *const u = &g->unit.at[order[i]];
        for (uint32_t k = 0; k < u->n; k++) inst[at++] = u->first + k - first;
    }
    return inst;
}

static void look_at_stretch(struct sched_graph *g, uint32_t first, uint32_t end,
                            struct slot_set *now, struct stretches *s) {
    sched_build(g, first, end, now);
    const uint32_t most = g->most.words;
    uint32_t need = most;
    if (most > FREE_WORDS) {
        uint32_t *const order = arena_alloc(g->arena, g->unit.n * sizeof *order);
        const uint32_t few = sched_few_words(g, order);
        if (few + few / LESS_BY < most || (few < most && is_short(g->f->target, most))) {
            vec_push(g->arena, &s->list,
                     ((struct stretch){first, end - first, most, few,
                                       instructions_in_order(g, order, first, end - first)}));
            need = few;
        }
    }
    if (need > s->need) s->need = need;
}

static void rearrange(struct sched_graph *g, const struct stretch *s) {
    struct minst *const code = g->f->inst.at + s->first;
    const struct minst *const was = arena_copy(g->arena, code, s->n * sizeof *code);
    for (uint32_t i = 0; i < s->n; i++) code[i] = was[s->order[i]];
}

// Puts the parts of blocks that use many words into an order that uses fewer, if the function does
// not need as many anyway elsewhere. Answers whether it has changed.
static bool order_blocks(struct sched_graph *g, const struct cfg *c, struct slot_set *now) {
    struct stretches s = {.need = FREE_WORDS};
    for (uint32_t b = 0; b < c->n; b++) {
        const uint32_t start = c->block[b].first;
        live_block_end(g->live, b, now);
        for (uint32_t end = start + c->block[b].n; end > start;) {
            const uint32_t first = sched_gather(g, start, end, WHOLE);
            if (g->unit.n) look_at_stretch(g, first, end, now, &s);
            end = sched_skip_walls(g, start, first, now);
        }
    }
    bool changed = false;
    for (uint32_t i = 0; i < s.list.n; i++) {
        if (s.list.at[i].most <= s.need) continue;
        rearrange(g, &s.list.at[i]);
        changed = true;
    }
    return changed;
}

// The most words that code may use with which an SM holds as many warps as with `words`.
static uint32_t at_same_occupancy(const struct code_target *t, uint32_t words) {
    const uint32_t apart = register_file_kept(t->gen) + SPARE;
    for (uint32_t warps = t->max_threads_per_sm / REGISTER_FILE_LANES; warps > 0; warps--) {
        const uint32_t granted = register_file_share(&t->file, 1, warps);
        if (granted >= words + apart) return granted - apart;
    }
    return t->max_regs;
}

static uint32_t limit_of(const struct code_target *t, uint32_t need) {
    uint32_t limit = need + MORE_WORDS > FREE_WORDS ? need + MORE_WORDS : FREE_WORDS;
    if (gen_has(t->gen, TRAIT_CONTROL) && t->file.registers)
        limit = at_same_occupancy(t, need + MORE_AT_STEP);
    if (t->hoist_regs) limit = need > t->hoist_regs ? need : t->hoist_regs;
    if (!is_short(t, limit)) return limit;
    return t->max_regs > KEEP_CLEAR ? t->max_regs - KEEP_CLEAR : 1;
}

void opt_schedule(struct mfunc *f, struct arena *a) {
    const struct cfg *const c = cfg_build(a, f);
    struct live *live = live_build(a, f, c);
    struct scheduler *s = arena_alloc(a, sizeof *s);
    struct slot_set now;
    slot_set_init(&now, a, live->n_slots);
    if (live_max_pressure(live).words > FREE_WORDS) {
        sched_graph_init(&s->g, f, a, live);
        // what a guarded write ends depends on what stands behind it
        if (order_blocks(&s->g, c, &now)) live = live_build(a, f, c);
    }
    sched_graph_init(&s->g, f, a, live);
    s->limit = limit_of(f->target, live_max_pressure(live).words);
    for (uint32_t b = 0; b < c->n; b++) {
        live_block_end(live, b, &now);
        schedule_block(s, &c->block[b], &now);
    }
}
