// Readiness by control bits (isa/control.h), in the place of a scoreboard: a warp may issue when
// the stall count of its last instruction is over and the counters that its next one waits for are
// down. R. Huerta et al., "Analyzing modern NVIDIA GPU cores" (2025).
//
//   stall count   the cycle of issue and the count give ready_at. What the compiler cannot know
//                 (banks that are busy, a pipeline that still is, a technique) comes on top:
//                 hardware stops its issue stage for as long
//   counters      up at issue, down when the result is written or the operands are read. Up to 63;
//                 an instruction that would count one further waits
//
// A warp that waits for its stall count alone stands in a ring by cycle. So a result of fixed
// latency costs no event, and the host does less than for a scoreboard.
#ifndef WW_SM_COUNTERS_H
#define WW_SM_COUNTERS_H

#include "sm/collect.h"
#include "sm/ready.h"
#include "sm/wheel.h"

enum { COUNTER_MAX = 63 };

static inline void counters_stall(struct stalls *r, uint32_t w, uint64_t now, uint64_t until) {
    const uint64_t at = until - now < STALLS ? until : now + STALLS - 1;
    r->warps[at % STALLS] |= BIT64(w);
    r->bits |= BIT64(at % STALLS);
    r->all |= BIT64(w);
}

// First cycle from `from` on in which a stall count is over; NEVER: none runs.
static inline uint64_t counters_next(const struct sm *s, uint64_t from) {
    const struct stalls *const r = &s->stalls;
    if (r->bits == 0) return NEVER;
    const uint32_t k = (uint32_t)from % STALLS;
    const uint64_t ahead = k == 0 ? r->bits : r->bits >> k | r->bits << (STALLS - k);
    return from + bits_first64(ahead);
}

static inline void counters_look(struct sm *s, uint32_t w, uint64_t from) {
    struct warp *const warp = &s->res.warp[w];
    struct sm_view *const v = &s->v;
    const uint64_t bit = BIT64(w);
    s->dirty |= warp->scheds;
    s->stalls.all &= ~bit;
    if ((v->decoded & ~s->pending.any & bit) == 0) {
        v->go &= ~bit;
        v->wait_mem &= ~bit;
        v->wait_long &= ~bit;
        return;
    }
    const struct sm_inst *const in = warp->head;
    uint32_t up = (in->wait & warp->up) | (in->up & warp->full);
    if (ww_unlikely(in->has_limit) && warp->count[in->limited] > in->limit)
        up |= 1u << in->limited;
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
    warp->full &= (uint8_t) ~(1u << counter);
    if (--warp->count[counter] != 0) return;
    const uint8_t keep = (uint8_t) ~(1u << counter);
    warp->up &= keep;
    warp->up_mem &= keep;
    warp->up_long &= keep;
}

// A load from shared memory may have no counter: those behind it, which come in order, have one.
static inline bool counters_is_counted_out(const struct sm_inst *in) {
    return in->is_cached && in->write == CONTROL_NONE;
}

// A result is on its way.
static inline void counters_expect(struct warp *warp, const struct sm_inst *in) {
    warp->inflight++;
    if (in->write == CONTROL_NONE) return;
    counters_up(warp, in->write);
    if (in->flags & SI_MEM) warp->up_mem |= (uint8_t)(1u << in->write);
    if (in->flags & SI_LONG) warp->up_long |= (uint8_t)(1u << in->write);
}

static inline void counters_release(struct sm *s, struct warp *warp, const struct sm_inst *in) {
    (void)s;
    warp->inflight--;
    if (in->write != CONTROL_NONE) counters_down(warp, in->write);
}

static inline void counters_issued(struct sub_core *sub, struct warp *warp,
                                   const struct sm_inst *in, uint64_t t) {
    warp->ready_at = t + in->stall;
    sub->late = 0;
}

// An instruction that reads its operands late keeps its read counter up until they are complete.
static inline void counters_reserve(struct sm *s, const struct issue *i) {
    struct warp *const warp = &s->res.warp[i->warp];
    const struct sm_inst *const in = i->in;
    if (in->flags & SI_RESULT && !counters_is_counted_out(in)) counters_expect(warp, in);
    if (in->read == CONTROL_NONE) return;
    counters_up(warp, in->read);
    warp->inflight++;
    const uint64_t least = i->cycle + (in->flags & SI_MEM ? s->c.late_read : 1);
    wheel_add(&s->wheel, i->cycle, max64(i->operands_at, least), EVENT_READ, in, i->warp, 0);
}

static inline void counters_was_read(struct warp *warp, const struct sm_inst *in) {
    warp->inflight--;
    counters_down(warp, in->read);
}

// Of an instruction of fixed latency the warp, and in front of busy banks the issue stage, wait as
// much longer as the banks and techniques (`more`) delay it. Its result is an event only where
// techniques hear of it. An instruction that holds a counter up is none of these, whatever its class:
// compilers other than ours give counters to such classes, too.
static inline void counters_enter_fixed(struct sm *s, struct sub_core *sub, const struct issue *i,
                                        uint32_t number, uint64_t at, uint32_t more, bool is_told) {
    struct warp *const warp = &s->res.warp[i->warp];
    const struct sm_inst *const in = i->in;
    sub->late = (uint32_t)(at - i->cycle) - s->c.read_latency;
    warp->ready_at += sub->late + more;
    if (!(in->flags & SI_RESULT)) return;
    if (is_told) {
        counters_expect(warp, in);
        wheel_add(&s->wheel, i->cycle, at + in->latency + more + s->c.write_latency, EVENT_RESULT,
                  in, i->warp, i->lanes);
    }
    collect_write_fixed(&sub->collectors, in, number);
}

static inline void counters_enter(struct sm *s, struct sub_core *sub, const struct issue *i,
                                  uint32_t number, uint64_t at, uint32_t latency, bool is_told) {
    const struct sm_inst *const in = i->in;
    if (counters_is_counted_out(in))
        counters_enter_fixed(s, sub, i, number, at, latency - (in->latency == 0 ? 1 : in->latency),
                             is_told);
    else if (in->flags & SI_RESULT)
        wheel_add(&s->wheel, i->cycle, at + latency + s->c.write_latency, EVENT_RESULT, in, i->warp,
                  i->lanes);
}

// Banks have ports of their own for writes. Results of fixed latency come first there, and have
// been counted when they entered.
static inline uint64_t counters_write(struct collectors *k, const struct sm_inst *in,
                                      uint32_t number, uint64_t t, uint64_t *each) {
    if (each == NULL || !counters_is_counted_out(in))
        return collect_write(k, in, number, t, each, k->write_next);
    for (uint32_t i = 0; i < in->n_dst; i++) each[i] = t - 1;
    return t;
}

static inline void counters_hold(struct sm *s, uint32_t w, uint64_t until) {
    struct warp *const warp = &s->res.warp[w];
    if (warp->ready_at >= until) return;
    warp->ready_at = until;
    counters_look(s, w, s->v.cycle);
}

static const struct readiness ready_control = {.dependences = SM_CONTROL,
                                               .no_operands = STALL_counter,
                                               .stops_issue = true,
                                               .look = counters_look,
                                               .tick = counters_tick,
                                               .next = counters_next,
                                               .issued = counters_issued,
                                               .read = collect_cached,
                                               .reserve = counters_reserve,
                                               .enter = counters_enter,
                                               .was_read = counters_was_read,
                                               .write = counters_write,
                                               .is_counted_out = counters_is_counted_out,
                                               .hold = counters_hold,
                                               .release = counters_release};

#endif
