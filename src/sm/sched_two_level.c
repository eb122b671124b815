// Two-level scheduling (Gebhart et al., ISCA 2011): only warps of a small active set may issue. A
// warp leaves it when its next instruction waits for something long (memory beyond shared memory, a
// barrier, a fence, a sleep), and a pending warp whose wait is over takes the place, the next in
// round robin. Warps that wait for an arithmetic result stay. Within the active set: loose round
// robin. The set's size is configured for the SM and dealt out evenly to its schedulers, or
// (shared_warps) they all choose from one set.
//
// With active_waits the set is kept full, as in GPGPU-Sim 3.2's two-level scheduler, which takes in
// a pending warp whether its operands have come or not: what waits for memory holds a place as long
// as no other warp wants it. There one warp a cycle changes sides, here all that should.
#include "activity/sm.h"
#include "sm/sm_state.h"

// Up to `room` of the warps `may`, the next in round robin first.
static uint64_t promote(struct sm *s, uint8_t *last, uint64_t may, uint32_t room) {
    uint64_t taken = 0;
    for (; room != 0 && may != 0; room--) {
        const uint64_t behind = may & (~1ull << *last);
        const uint32_t w = bits_first64(behind != 0 ? behind : may);
        *last = (uint8_t)w;
        taken |= BIT64(w);
        may &= ~BIT64(w);
        s->act.c[ACT_two_level_promotions]++;
    }
    return taken;
}

// Of the `free` places, those that warps waiting for memory hold: warps that were in the set first
// (`held`).
static uint64_t keep_waiting(struct sm *s, uint8_t *last, uint64_t held, uint64_t waiting,
                             uint32_t free) {
    held &= waiting;
    while (count_warps(held) > free) held &= held - 1;
    return held | promote(s, last, waiting & ~held, free - count_warps(held));
}

static void prepare(struct sm *s, uint32_t sc) {
    struct sm_view *const v = &s->v;
    const uint64_t mine = v->mine[sc] & v->resident, before = v->active & mine;
    const uint64_t waits = v->wait_long | v->stops;
    const uint64_t there = mine & v->decoded, kept = before & ~waits,
                   joins = there & ~before & ~waits;
    const uint64_t waiting = s->c.active_waits ? there & v->wait_long & ~v->stops : 0;
    uint64_t *const full = &s->sched[sc].full_set;
    // Mostly no warp leaves, and none comes or there is no place: so without counting.
    const bool has_place = before != *full || (kept != before && joins != 0);
    if (ww_likely((kept | (before & waiting)) == before &&
                  (!has_place || (joins | (waiting & ~before)) == 0)))
        return;
    uint8_t *const promoted = &s->sched[s->c.shared_warps ? 0 : sc].promoted;
    const uint32_t cap = s->sched[sc].active_cap;
    uint64_t active = kept | promote(s, promoted, joins, cap - count_warps(kept));
    if (waiting != 0)
        active |= keep_waiting(s, promoted, before, waiting, cap - count_warps(active));
    *full = count_warps(active) == cap ? active : UINT64_MAX;
    if (active == before) return;
    s->act.c[ACT_two_level_demotions] += count_warps(before & ~active);
    v->active = (v->active & ~before) | active;
    count_active(s, v->cycle);
}

static uint32_t pick(const struct sm *s, uint32_t sc, uint64_t ready) {
    const uint64_t behind = ready & (~1ull << s->sched[sc].last);
    return bits_first64(behind != 0 ? behind : ready);
}

const struct sched_ops sched_two_level = {.prepare = prepare, .pick = pick};
