// The end of a cycle (step.h): fetch, and when the next one is.
#ifndef WW_SM_STEP_LEAVE_H
#define WW_SM_STEP_LEAVE_H

#include "sm/entry.h"
#include "sm/step.h"
#include "sm/step_turn.h"

STEP_INLINE void leave(const struct step_kind *k, struct sm *s, bool issued, uint64_t t) {
    FOR_EACH_SUB(sub, k, s)
        if (sub->front.want != 0) front_fetch(s, &sub->front, t);
    if (issued) s->progress = t;
    if (ww_unlikely(s->closes)) cta_close_busy(s, t);
}

// ---- the next cycle ----------------------------------------------------------------------------
// Units (bit mask) that a ready warp may wait for: those of which a pipeline may be taken. Where a
// technique switches pipelines off beyond INT and FP, or lane groups are chosen at entry, that may
// be any unit: its free pipelines may be off while the one that is on is taken.
STEP_INLINE uint32_t units_waited_for(const struct step_kind *k, const struct sm *s,
                                      const struct units *x) {
    if (k->full && ww_unlikely(s->gates.more != 0 || s->c.lane_group_at == LANE_GROUP_AT_ENTRY))
        return (1u << UNIT_N) - (2u << UNIT_NONE);
    return x->busy | UNITS_OFTEN;
}

// When the next of the unit's pipelines takes an instruction again that does not now. Where each
// takes any, that matters only while all are taken.
STEP_INLINE uint64_t unit_next(const struct step_kind *k, const struct sm *s, const struct units *x,
                               uint32_t u, uint64_t t) {
    if (k->full) return units_next(s, x, u, t);
    return x->free_at[u] > t ? x->free_at[u] : NEVER;
}

// When one of a sub-core's warps that could issue finds what it lacks: a pipeline, a collector,
// room for an access, its scheduler's turn.
STEP_INLINE uint64_t issue_next(const struct step_kind *k, const struct sm *s, struct sub_core *sub,
                                uint64_t t) {
    const struct sm_view *const v = &s->v;
    const uint64_t ready = v->go & v->active & sub->warps;
    uint64_t next = NEVER;
    if (ready == 0) return next;
    FOR_EACH_BIT32(u, units_waited_for(k, s, &sub->units))
        if (v->needs[u] & ready) next = min64(next, unit_next(k, s, &sub->units, (uint32_t)u, t));
    if (collect_is_full(&sub->collectors, t)) next = min64(next, collect_next(&sub->collectors, t));
    const uint64_t room = lsu_queue_room(&s->lsu.ldst), tex_room = lsu_queue_room(&s->lsu.tex);
    if ((ready & v->needs[UNIT_LDST]) && room > t) next = min64(next, room);
    const uint64_t own_room = memory_way_room(sub);
    if ((ready & v->needs[UNIT_LDST]) && own_room > t) next = min64(next, own_room);
    if ((ready & v->needs[UNIT_TEX]) && tex_room > t) next = min64(next, tex_room);
    const uint32_t first = (uint32_t)(sub - s->sub);
    for (uint32_t sc = first; sc < s->c.schedulers; sc += step_subs(k, s))
        if (s->sched[sc].next > t && (ready & v->mine[sc])) next = min64(next, s->sched[sc].next);
    return next;
}

// The first cycle behind t in which anything happens.
STEP_INLINE uint64_t first_alarm(const struct step_kind *k, struct sm *s, uint64_t t) {
    struct alarms *const a = &s->alarms;
    a->at[ALARM_EVENT] = wheel_next(&s->wheel, t + 1);
    a->at[ALARM_ISSUE] = a->at[ALARM_ENTRY] = NEVER;
    a->at[ALARM_STALL] = k->ready->next(s, t + 1);
    FOR_EACH_SUB(sub, k, s) {
        if (sub->front.want != 0) return t + 1;
        a->at[ALARM_ISSUE] = min64(a->at[ALARM_ISSUE], issue_next(k, s, sub, t));
        if (k->full && sub->n_entries != 0)
            a->at[ALARM_ENTRY] = min64(a->at[ALARM_ENTRY], entry_next(s, sub, t));
    }
    const uint64_t next = max64(alarms_first(a), t + 1);
    if (k->full && s->tech.rest.n != 0 && next > t + 1) technique_rest(s);
    return next;
}

STEP_INLINE uint64_t next_cycle(const struct step_kind *k, struct sm *s, bool issued, uint64_t t) {
    if (issued) return t + 1;
    const uint64_t next = first_alarm(k, s, t);
    return ww_unlikely(s->every_cycle && s->is_busy) ? t + 1 : next;
}

#endif
