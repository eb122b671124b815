// Readiness by control bits (code/control.h), in the place of a scoreboard: a warp may issue when the
// stall count of its last instruction is over and the counters that its next one waits for are down.
// R. Huerta et al., "Analyzing modern NVIDIA GPU cores" (2025).
//
//   stall count   the cycle of issue and the count give ready_at. What the compiler cannot know (banks
//                 that are busy, a pipeline that still is, a technique) comes on top: hardware stops
//                 its issue stage for as long
//   counters      up at issue, down when the result is written or the operands are read. Up to 63; an
//                 instruction that would count one further waits
//
// A warp that waits for its stall count alone stands in a ring by cycle. So a result of fixed latency
// costs no event, and the host does less than for a scoreboard.
#ifndef WW_SM_COUNTERS_H
#define WW_SM_COUNTERS_H

#include "sm/sm_state.h"

enum { COUNTER_MAX = 63 };

static inline void counters_stall(struct stalls *r, uint32_t w, uint64_t now, uint64_t until) {
    const uint64_t at = until - now < STALLS ? until : now + STALLS - 1;
    r->warps[at % STALLS] |= BIT64(w);
    r->bits |= BIT64(at % STALLS);
    r->all |= BIT64(w);
}

// First cycle from `from` on in which a stall count is over; NEVER: none runs.
static inline uint64_t counters_next(const struct stalls *r, uint64_t from) {
    if (r->bits == 0) return NEVER;
    const uint32_t k = (uint32_t)from % STALLS;
    const uint64_t ahead = k == 0 ? r->bits : r->bits >> k | r->bits << (STALLS - k);
    return from + bits_first64(ahead);
}

// The warp's next instruction, or something that it waits for, has changed. It may issue from cycle
// `from` on.
static inline void counters_look(struct sm *s, uint32_t w, uint64_t from) {
    struct warp *const warp = &s->res.warp[w];
    struct sm_view *const v = &s->v;
    const uint64_t bit = BIT64(w);
    s->dirty |= warp->scheds;
    s->stalls.all &= ~bit;
    if ((v->decoded & ~s->blocked & bit) == 0) {
        v->go &= ~bit;
        v->wait_mem &= ~bit;
        v->wait_long &= ~bit;
        return;
    }
    const struct sm_inst *const in = warp->head;
    const uint32_t up = (in->wait & warp->up) | (in->up & warp->full);
    bool goes = up == 0;
    if (goes && warp->ready_at > from) {
        counters_stall(&s->stalls, w, s->v.cycle, warp->ready_at);
        goes = false;
    }
    v->go = (v->go & ~bit) | (uint64_t)goes << w;
    v->wait_mem = (v->wait_mem & ~bit) | (uint64_t)((up & warp->up_mem) != 0) << w;
    v->wait_long = (v->wait_long & ~bit) | (uint64_t)((up & warp->up_long) != 0) << w;
}

// Stall counts that are over in cycle t.
static inline void counters_tick(struct sm *s, uint64_t t) {
    struct stalls *const r = &s->stalls;
    const uint32_t k = (uint32_t)t % STALLS;
    if (!(r->bits >> k & 1)) return;
    const uint64_t due = r->warps[k];
    r->warps[k] = 0;
    r->bits &= ~BIT64(k);
    FOR_EACH_BIT64(w, due & r->all) counters_look(s, (uint32_t)w, t);
}

static inline void counters_up(struct warp *warp, uint32_t counter) {
    warp->up |= (uint8_t)(1u << counter);
    if (++warp->count[counter] == COUNTER_MAX) warp->full |= (uint8_t)(1u << counter);
}

static inline void counters_down(struct warp *warp, uint32_t counter) {
    warp->full &= (uint8_t)~(1u << counter);
    if (--warp->count[counter] != 0) return;
    const uint8_t keep = (uint8_t)~(1u << counter);
    warp->up &= keep;
    warp->up_mem &= keep;
    warp->up_long &= keep;
}

// A result is on its way.
static inline void counters_reserve(struct warp *warp, const struct sm_inst *in) {
    warp->inflight++;
    if (in->write == CONTROL_NONE) return;
    counters_up(warp, in->write);
    if (in->flags & SI_MEM) warp->up_mem |= (uint8_t)(1u << in->write);
    if (in->flags & SI_LONG) warp->up_long |= (uint8_t)(1u << in->write);
}

static inline void counters_release(struct warp *warp, const struct sm_inst *in) {
    warp->inflight--;
    if (in->write != CONTROL_NONE) counters_down(warp, in->write);
}

// Something that no compiler knows of keeps the warp until a cycle.
static inline void counters_hold(struct sm *s, uint32_t w, uint64_t until) {
    struct warp *const warp = &s->res.warp[w];
    if (warp->ready_at >= until) return;
    warp->ready_at = until;
    counters_look(s, w, s->v.cycle);
}

#endif
