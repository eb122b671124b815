// The begin of a cycle (step.h): what became known by then, and its start for techniques.
#ifndef WW_SM_STEP_ARRIVE_H
#define WW_SM_STEP_ARRIVE_H

#include "sm/entry.h"
#include "sm/products.h"
#include "sm/step.h"

// Something that warp w waited for has come: it is drained, or may go on.
STEP_INLINE void step_settle(const struct readiness *r, struct sm *s, uint32_t w, uint64_t t) {
    const struct warp *const warp = &s->res.warp[w];
    if (ww_unlikely(warp->exited)) {
        if (warp->inflight == 0) cta_warp_drained(s, w, t);
        return;
    }
    if ((s->v.decoded & ~s->v.go) >> w & 1) r->look(s, w, t);
}

STEP_INLINE void step_release(const struct readiness *r, struct sm *s, uint32_t w,
                              const struct sm_inst *in, uint64_t t) {
    r->release(s, &s->res.warp[w], in);
    step_settle(r, s, w, t);
}

// The operands of an instruction that reads them late have been read.
STEP_INLINE void have_read(const struct step_kind *k, struct sm *s, uint32_t w,
                           const struct sm_inst *in, uint64_t t) {
    k->ready->was_read(&s->res.warp[w], in);
    step_settle(k->ready, s, w, t);
}

// Techniques hear of the rows that a result is written to, in cycles `at`, the last in cycle
// `last`; answers by how many cycles they delay it.
STEP_INLINE uint32_t tell_write(const struct sm *s, const struct event *e, const uint64_t *at,
                                uint64_t last) {
    uint8_t reg[MAX_DST_ROWS];
    for (uint32_t i = 0; i < e->in->n_dst; i++) reg[i] = (uint8_t)(e->in->dst_first + i);
    return technique_rows(s,
                          &(struct sm_row_access){.cycle = last,
                                                  .warp = e->warp,
                                                  .n = e->in->n_dst,
                                                  .reg = reg,
                                                  .at = at,
                                                  .lanes = e->lanes,
                                                  .is_long = (e->in->flags & SI_LONG) != 0,
                                                  .values = s->res.warp[e->warp].exec->regs},
                          true);
}

STEP_INLINE void result(const struct step_kind *k, struct sm *s, const struct event *e,
                        uint64_t t) {
    struct collectors *const c = &step_sub(k, s, e->warp)->collectors;
    uint64_t each[MAX_DST_ROWS];
    uint64_t at = k->ready->write(c, e->in, number_of(k, s, e->warp), t, k->full ? each : NULL);
    if (k->full && s->tech.rows.n != 0 && e->in->n_dst != 0) at += tell_write(s, e, each, at - 1);
    if (k->group) at = group_acknowledge(s, e->in, at);
    const bool is_counted_out = k->full && k->ready->is_counted_out(e->in);
    if (at > t && !is_counted_out) {
        wheel_add(&s->wheel, t, at, EVENT_RELEASE, e->in, e->warp, e->lanes);
        return;
    }
    k->release(s, e->warp, e->in, t);
    if (is_counted_out && at > t && !s->res.warp[e->warp].exited) k->ready->hold(s, e->warp, at);
}

STEP_INLINE void wake_warp(const struct step_kind *k, struct sm *s, uint32_t w) {
    pending_end(&s->pending, &s->v, PENDING_barrier, w);
    if (pending_has(&s->pending, PENDING_fence, w)) pending_end(&s->pending, &s->v, PENDING_fence, w);
    if (pending_has(&s->pending, PENDING_grid, w)) pending_end(&s->pending, &s->v, PENDING_grid, w);
    ready_go_on(k->ready, s, PENDING_sleep, w);
}

STEP_INLINE void events(const struct step_kind *k, struct sm *s, uint64_t t) {
    struct wheel *const h = &s->wheel;
    while (wheel_has(h, t)) {
        uint32_t n = wheel_take(h, t);
        while (n != NO_EVENT) {
            const struct event e = h->node[n];
            const uint32_t this = n;
            n = e.next;
            if (ww_unlikely(e.cycle > t)) { // came round early
                wheel_link(h, this, t, e.cycle);
                continue;
            }
            wheel_give(h, this);
            switch (e.kind) {
            case EVENT_RESULT: result(k, s, &e, t); break;
            case EVENT_RELEASE: k->release(s, e.warp, e.in, t); break;
            case EVENT_READ: have_read(k, s, e.warp, e.in, t); break;
            case EVENT_BRANCH:
                ready_go_on(k->ready, s, PENDING_branch, e.warp);
                front_want(s, e.warp);
                break;
            case EVENT_WAKE: wake_warp(k, s, e.warp); break;
            case EVENT_FETCH: front_line_ready(s, e.warp); break;
            case EVENT_SECOND: reply_second(s, t); break;
            case EVENT_PRODUCT: products_done(k->ready, s, e.warp, e.lanes, t); break;
            case EVENT_CONSTANT: front_constants_there(s, e.warp); break;
            default: front_want(s, e.warp); break;
            }
        }
    }
}

// The techniques' start of a cycle, and what they switch off in it.
STEP_INLINE void techniques_begin(struct sm *s, uint64_t t) {
    s->alarms.at[ALARM_RETRY] = NEVER;
    if (s->tech.all.n == 0) return;
    s->v.accesses[0] = s->lsu.ldst.n;
    s->v.accesses[1] = s->lsu.tex.n;
    if (ww_unlikely(s->alarms.at[ALARM_EPOCH] <= t))
        technique_epoch(s, t);
    else
        for (uint32_t i = 0; i < s->tech.n_cycles; i++)
            s->tech.cycle[i].cycle(s->tech.cycle[i].self, &s->v);
    if (s->tech.gate != NULL) gate_look(s, t);
}

STEP_INLINE void arrive(const struct step_kind *k, struct sm *s, uint64_t t) {
    s->v.before = s->v.cycle;
    s->v.cycle = t;
    if (k->full && ww_unlikely(s->tech.lapse_at <= t))
        technique_lapse(s, t); // ahead of all accesses
    if (s->alarms.at[ALARM_REPLY] <= t) reply_take(s, t);
    if (s->alarms.at[ALARM_LDST] <= t) lsu_step(s, &s->lsu.ldst, t);
    if (s->alarms.at[ALARM_TEX] <= t) lsu_step(s, &s->lsu.tex, t);
    if (ww_unlikely(s->alarms.at[ALARM_TMA] <= t)) tma_step(s, t);
    if (wheel_has(&s->wheel, t)) events(k, s, t);
    k->ready->tick(s, t);
    if (s->alarms.at[ALARM_DECODE] <= t) front_decode(s, t);
    FOR_EACH_SUB(sub, k, s) {
        sub->issues = 0;
        sub->taken = 0;
        sub->dp = false;
    }
    if (!k->full) return;
    techniques_begin(s, t);
    FOR_EACH_SUB(sub, k, s)
        if (sub->n_entries != 0) entry_step(s, sub, t);
}

#endif
