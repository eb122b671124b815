// Two-level scheduling (Gebhart et al., ISCA 2011): only warps of a small active set may issue. A
// warp leaves it when its next instruction waits for something long (memory beyond shared memory, a
// barrier, a fence, a sleep), and a pending warp whose wait is over takes the place, the next in
// round robin. Warps that wait for an arithmetic result stay. Within the active set: loose round
// robin. The set's size is configured for the SM and dealt out evenly to its schedulers, or
// (shared_warps) they all choose from one set.
#include "sm/sm_state.h"

static void prepare(struct sm *s, uint32_t sc) {
    struct sm_view *const v = &s->v;
    const uint64_t mine = v->mine[sc] & v->resident;
    const uint64_t waits = v->wait_long | v->wait_bar | v->wait_fence | v->wait_sleep;
    const uint64_t leave = v->active & mine & waits;
    if (leave != 0) {
        v->active &= ~leave;
        s->act.c[ACT_two_level_demotions] += count_warps(leave);
    }
    const uint64_t before = v->active;
    uint8_t *const promoted = &s->sched[s->c.shared_warps ? 0 : sc].promoted;
    uint32_t room = s->active_cap[sc] - count_warps(v->active & mine);
    uint64_t may = mine & v->decoded & ~v->active & ~waits;
    while (room != 0 && may != 0) {
        const uint64_t behind = may & (~1ull << *promoted);
        const uint32_t w = bits_first64(behind != 0 ? behind : may);
        *promoted = (uint8_t)w;
        v->active |= BIT64(w);
        may &= ~BIT64(w);
        room--;
        s->act.c[ACT_two_level_promotions]++;
    }
    if ((leave | (before ^ v->active)) != 0) count_active(s, v->cycle);
}

static uint32_t pick(const struct sm *s, uint32_t sc, uint64_t ready) {
    const uint64_t behind = ready & (~1ull << s->sched[sc].last);
    return bits_first64(behind != 0 ? behind : ready);
}

const struct sched_ops sched_two_level = {.name = "two_level", .prepare = prepare, .pick = pick};
