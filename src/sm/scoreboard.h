// The scoreboard: which registers of a warp have a result on its way. An instruction may issue when
// none of its sources and destinations is pending (read after write and write after write; write
// after read cannot hurt, since values are computed at issue and operands are read in order).
//
// A warp is looked at again only when it issued or something of its came back: `scoreboard_look`
// keeps the warp's bits in v.go, wait_mem and wait_long up to date.
#ifndef WW_SM_SCOREBOARD_H
#define WW_SM_SCOREBOARD_H

#include "activity/sm.h"
#include "sm/collect.h"
#include "sm/ready.h"
#include "sm/wheel.h"

// Registers from 64 on, by instruction.
static inline const struct sm_wide *scoreboard_wide(const struct sm *s, const struct warp *warp) {
    return s->res.kernel[warp->kslot].kernel->wide;
}

static inline void scoreboard_reserve(struct sm *s, const struct issue *i) {
    struct warp *const warp = &s->res.warp[i->warp];
    const struct sm_inst *const in = i->in;
    if (!(in->flags & SI_RESULT)) return;
    const struct sm_wide *const wide = scoreboard_wide(s, warp);
    const uint64_t mem = in->flags & SI_MEM ? in->dst : 0;
    const uint64_t lng = in->flags & SI_LONG ? in->dst : 0;
    warp->pend |= in->dst;
    warp->pend_mem |= mem;
    warp->pend_long |= lng;
    warp->pend_p |= in->dst_p;
    warp->inflight++;
    if (ww_unlikely(warp->wide != NULL))
        for (int k = 0; k < WIDE_WORDS; k++) {
            const uint64_t d = wide[in->wide].dst[k];
            warp->wide->pend[k] |= d;
            if (in->flags & SI_MEM) warp->wide->mem[k] |= d;
            if (in->flags & SI_LONG) warp->wide->lng[k] |= d;
        }
}

static inline void scoreboard_release(struct sm *s, struct warp *warp, const struct sm_inst *in) {
    const struct sm_wide *const wide = scoreboard_wide(s, warp);
    warp->pend &= ~in->dst;
    warp->pend_mem &= ~in->dst;
    warp->pend_long &= ~in->dst;
    warp->pend_p &= (uint16_t)~in->dst_p;
    warp->inflight--;
    if (ww_unlikely(warp->wide != NULL))
        for (int i = 0; i < WIDE_WORDS; i++) {
            const uint64_t d = ~wide[in->wide].dst[i];
            warp->wide->pend[i] &= d;
            warp->wide->mem[i] &= d;
            warp->wide->lng[i] &= d;
        }
}

static inline void scoreboard_look(struct sm *s, uint32_t w, uint64_t from) {
    (void)from; // its result comes as an event, so that time alone lets no warp go on
    struct warp *const warp = &s->res.warp[w];
    struct sm_view *const v = &s->v;
    const uint64_t bit = BIT64(w);
    s->dirty |= warp->scheds;
    if ((v->decoded & ~s->pending.any & bit) == 0) {
        v->go &= ~bit;
        v->wait_mem &= ~bit;
        v->wait_long &= ~bit;
        return;
    }
    const struct sm_inst *const in = warp->head;
    s->act.c[ACT_scoreboard_reads]++;
    uint64_t hit = (warp->pend & in->use) | (uint64_t)(warp->pend_p & in->use_p);
    uint64_t mem = warp->pend_mem & in->use, lng = warp->pend_long & in->use;
    if (ww_unlikely(warp->wide != NULL)) {
        const struct sm_wide *x = &s->res.kernel[warp->kslot].kernel->wide[in->wide];
        for (int i = 0; i < WIDE_WORDS; i++) {
            hit |= warp->wide->pend[i] & x->use[i];
            mem |= warp->wide->mem[i] & x->use[i];
            lng |= warp->wide->lng[i] & x->use[i];
        }
    }
    v->go = (v->go & ~bit) | (hit == 0 ? bit : 0);
    v->wait_mem = (v->wait_mem & ~bit) | (mem != 0 ? bit : 0);
    v->wait_long = (v->wait_long & ~bit) | (lng != 0 ? bit : 0);
}

static inline void scoreboard_issued(struct sub_core *sub, struct warp *warp,
                                     const struct sm_inst *in, uint64_t t) {
    (void)sub, (void)warp, (void)in, (void)t;
}

static inline uint64_t scoreboard_read(struct collectors *k, const struct sm_inst *in,
                                       uint32_t number, uint32_t n_lanes, uint64_t t,
                                       uint64_t *each) {
    (void)n_lanes;
    return each != NULL ? collect_each(k, in, number, t, each) : collect_operands(k, in, number, t);
}

static inline void scoreboard_enter(struct sm *s, struct sub_core *sub, const struct issue *i,
                                    uint32_t number, uint64_t at, uint32_t latency, bool is_told) {
    (void)sub, (void)number, (void)is_told;
    if (i->in->flags & SI_RESULT)
        wheel_add(&s->wheel, i->cycle, at + latency + s->c.write_latency, EVENT_RESULT, i->in,
                  i->warp, i->lanes);
}

static inline uint64_t scoreboard_write(struct collectors *k, const struct sm_inst *in,
                                        uint32_t number, uint64_t t, uint64_t *each) {
    return collect_write(k, in, number, t, each, k->bank_next);
}

static inline uint64_t scoreboard_next(const struct sm *s, uint64_t from) {
    (void)s, (void)from;
    return NEVER;
}
static inline void scoreboard_tick(struct sm *s, uint64_t t) { (void)s, (void)t; }
static inline void scoreboard_was_read(struct warp *warp, const struct sm_inst *in) {
    (void)warp, (void)in;
}
static inline bool scoreboard_is_counted_out(const struct sm_inst *in) {
    (void)in;
    return false;
}

static const struct readiness ready_scoreboard = {.dependences = SM_SCOREBOARD,
                                                  .no_operands = STALL_alu,
                                                  .look = scoreboard_look,
                                                  .tick = scoreboard_tick,
                                                  .next = scoreboard_next,
                                                  .issued = scoreboard_issued,
                                                  .read = scoreboard_read,
                                                  .reserve = scoreboard_reserve,
                                                  .enter = scoreboard_enter,
                                                  .was_read = scoreboard_was_read,
                                                  .write = scoreboard_write,
                                                  .is_counted_out = scoreboard_is_counted_out,
                                                  .release = scoreboard_release};

#endif
