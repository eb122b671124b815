// Happens-before among the threads of a block, by vector clocks. A warp's clock ticks with each of
// its instructions that access memory. A thread knows of each warp up to which tick what that warp
// did is done; barriers, ends of threads, and accesses that synchronise hand this knowledge on.
//
// With a stack the lanes of a warp run in step, and share what they know. So do they on a chip with
// independent threads when the PTX is for a target before sm_70: the vendor's assembler keeps such
// code in step (Volta Tuning Guide, "Independent Thread Scheduling"). Otherwise a lane knows
// something of its own, of the other lanes of its warp too, and only bar.warp.sync and barriers of
// the block order them: shuffles, votes and the like do not order memory (PTX ISA, bar.warp.sync;
// CUDA C Programming Guide, warp shuffle functions).
//
// What a barrier hands on is kept by warp, not by thread: lanes of a warp that come to a barrier at
// different times may be taken to have come at the last of them. Addresses that synchronise share
// places. Fences are taken to stand where they belong. Each of these may forgive a race; none
// invents one.
#include "exec/order.h"

#include "exec/barrier.h"
#include "exec/check.h"

enum { FLAGS = 64 }; // places for addresses that synchronise, a power of two

struct order {
    bool by_lane;
    uint32_t warps, row; // words of a row: a warp each, then, by lane, the own warp's lanes
    uint32_t open;       // barriers, a bit each, that have let go whom they held
    uint32_t *clock;     // [warps]
    uint32_t *known;     // rows: of a warp, or by lane of a lane
    uint32_t *barrier;   // [EXEC_BARRIERS + 1][warps]: what was done by those that came
    uint32_t *gone;      // [warps]: by threads that have ended
    uint32_t *flag;      // [FLAGS][warps]: by those that published at an address
    uint32_t words[];
};

static bool by_lane(const struct exec_launch *l) {
    const uint32_t target = l->im->source.target;
    return gen_has(l->im->target.gen, TRAIT_INDEPENDENT) && (!target || target >= 70);
}
static size_t words_of(const struct exec_launch *l, size_t *known) {
    const size_t n = l->warps;
    *known = by_lane(l) ? n * WARP_LANES * (n + WARP_LANES) : n * n;
    return *known + n * (1 + EXEC_BARRIERS + 1 + 1 + FLAGS);
}
size_t order_bytes(const struct exec_launch *l) {
    size_t known;
    return sizeof(struct order) + words_of(l, &known) * sizeof(uint32_t);
}
void order_init(struct order *o, const struct exec_launch *l) {
    size_t known;
    memset(o, 0, sizeof *o + words_of(l, &known) * sizeof(uint32_t));
    o->by_lane = by_lane(l);
    o->warps = l->warps;
    o->row = l->warps + (o->by_lane ? WARP_LANES : 0);
    o->clock = o->words;
    o->barrier = o->clock + o->warps;
    o->gone = o->barrier + (size_t)(EXEC_BARRIERS + 1) * o->warps;
    o->flag = o->gone + o->warps;
    o->known = o->flag + (size_t)FLAGS * o->warps;
}

static struct order *order_of(const struct exec_warp *w) {
    return ww_likely(!w->cta->check) ? NULL : w->cta->check->order;
}
static uint32_t *row_of(const struct order *o, const struct exec_warp *w, uint32_t lane) {
    const size_t i = o->by_lane ? (size_t)w->warp_in_cta * WARP_LANES + lane : w->warp_in_cta;
    return o->known + i * o->row;
}
static void join(uint32_t *restrict to, const uint32_t *restrict from, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) to[i] = to[i] > from[i] ? to[i] : from[i];
}
// One lane of each row that the lanes have.
static uint32_t rows(const struct order *o, uint32_t lanes) {
    return o->by_lane ? lanes : lanes & (0u - lanes);
}
// All that the lanes have done and know goes to `to`, a word a warp.
static void give(const struct order *o, const struct exec_warp *w, uint32_t lanes, uint32_t *to) {
    FOR_EACH_BIT32(i, rows(o, lanes)) join(to, row_of(o, w, i), o->warps);
    if (lanes) to[w->warp_in_cta] = o->clock[w->warp_in_cta];
}
static void take(const struct order *o, const struct exec_warp *w, uint32_t lanes,
                 const uint32_t *from) {
    const uint32_t own = from[w->warp_in_cta];
    FOR_EACH_BIT32(i, rows(o, lanes)) {
        uint32_t *const r = row_of(o, w, i);
        join(r, from, o->warps);
        for (uint32_t k = o->warps; k < o->row; k++) r[k] = r[k] > own ? r[k] : own;
    }
}

void order_done(const struct order *o, const struct exec_warp *w, uint32_t lanes, uint32_t *to) {
    give(o, w, lanes, to);
}

uint32_t order_tick(struct order *o, uint32_t warp) { return ++o->clock[warp]; }

bool order_known(const struct order *o, const struct exec_warp *w, uint32_t lane, uint32_t other,
                 uint32_t tick) {
    const uint32_t v = other / WARP_LANES, u = other % WARP_LANES;
    if (v != w->warp_in_cta) return row_of(o, w, lane)[v] >= tick;
    return !o->by_lane || u == lane || tick == o->clock[v] ||
           row_of(o, w, lane)[o->warps + u] >= tick;
}

static uint32_t *flag_at(const struct order *o, const uint8_t *host) {
    return o->flag + ((uintptr_t)host / 4 % FLAGS) * o->warps;
}
void order_publish(struct order *o, const struct exec_warp *w, uint32_t lane, const uint8_t *host) {
    give(o, w, 1u << lane, flag_at(o, host));
}
void order_obtain(struct order *o, const struct exec_warp *w, uint32_t lane, const uint8_t *host) {
    take(o, w, 1u << lane, flag_at(o, host));
}

void order_arrive(const struct exec_warp *w, uint32_t lanes, uint32_t id) {
    struct order *const o = order_of(w);
    if (!o) return;
    uint32_t *const b = o->barrier + (size_t)id * o->warps;
    // Those that come to the cluster's again may come before all of a phase have gone on.
    const bool is_anew = id != EXEC_CLUSTER_BARRIER && o->open >> id & 1;
    if (is_anew) memset(b, 0, o->warps * sizeof *b);
    o->open &= ~(1u << id);
    give(o, w, lanes, b);
}
// All that wait are released one after the other, before any can come again.
void order_release(const struct exec_warp *w, uint32_t lanes, uint32_t id) {
    struct order *const o = order_of(w);
    if (!o) return;
    o->open |= 1u << id;
    take(o, w, lanes, o->barrier + (size_t)id * o->warps);
    take(o, w, lanes, o->gone);
}
void order_exit(const struct exec_warp *w, uint32_t lanes) {
    struct order *const o = order_of(w);
    if (o) give(o, w, lanes, o->gone);
}
void order_meet(const struct exec_warp *w, uint32_t lanes) {
    struct order *const o = order_of(w);
    if (!o || !o->by_lane || !lanes) return;
    uint32_t *const all = row_of(o, w, bits_first32(lanes));
    FOR_EACH_BIT32(i, lanes & (lanes - 1)) join(all, row_of(o, w, i), o->row);
    FOR_EACH_BIT32(i, lanes) all[o->warps + i] = o->clock[w->warp_in_cta];
    FOR_EACH_BIT32(i, lanes & (lanes - 1)) memcpy(row_of(o, w, i), all, o->row * sizeof *all);
}
