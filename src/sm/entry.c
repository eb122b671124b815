// Lane groups chosen at entry (sm.lane_group_at entry). An INT or FP instruction needs no more than
// a place in a collector to issue; it chooses its lane group when all its operands are there: the
// oldest instruction that waits takes the first lane group that is free. This is GPGPU-Sim 3.2.0's
// way (shader.cc: the schedulers ask for a free slot of ID_OC_SP,
// opndcoll_rfu_t::dispatch_ready_cu, shader_core_ctx::execute), but for the order: there collectors
// take turns, here the oldest is first.
//
// With collector_ahead 2 there is a register in front of the lane groups, with a place for each: a
// collector is free when its instruction moves there, and the instruction enters from the next
// cycle on. With 0 and 1 instructions wait in their collectors, which are free in the cycle after
// they have entered or in that cycle.
//
// An instruction that could enter and finds no free pipeline that is on asks for one, the oldest
// first, in every simulated cycle. Schedulers do not ask here, and an instruction that waits keeps
// no pipeline on.
//
// An instruction without a result counts as one on its way until it has entered, so that its warp
// does not drain before.
#include "sm/entry.h"

#include "sm/collect.h"
#include "sm/ready.h"
#include "sm/units.h"
#include "sm/wheel.h"

static bool has_front(const struct sm *s) { return s->c.collector_ahead == ENTRY_AHEAD_MAX; }

void entry_add(struct sm *s, struct sub_core *sub, const struct issue *i) {
    if (i->in->flags & SI_RESULT)
        s->ready->reserve(s, i);
    else
        s->res.warp[i->warp].inflight++;
    sub->collectors.used += sub->collectors.of[i->in->unit];
    // There is room: each that waits has a collector or a place in front of the lane groups.
    if (ww_unlikely(sub->n_entries == ENTRY_MAX)) {
        sm_break(s, "more instructions wait for a lane group than there are collectors");
        return;
    }
    sub->entry[sub->n_entries++] =
        (struct entry){.i = *i, .from = has_front(s) ? i->operands_at - 1 : i->operands_at};
}

// ---- entering ----------------------------------------------------------------------------------
// The pipelines of the unit that are free.
static uint64_t free_pipes(const struct sm *s, const struct units *x, uint32_t unit, uint64_t t) {
    uint64_t is_free = 0;
    FOR_EACH_BIT64(p, x->pipes[unit]) is_free |= (uint64_t)(s->v.pipe[p].free_at <= t) << p;
    return is_free;
}

// As units_choose. SM_PIPES: none that is on is free.
static uint32_t choose(const struct sm *s, const struct units *x, uint32_t unit, uint64_t t) {
    const uint32_t first = x->first[unit];
    uint32_t takes = 0;
    for (uint32_t i = 0; i < x->n[unit]; i++)
        takes |= (uint32_t)(s->v.pipe[first + i].free_at <= t && !(s->gates.off >> (first + i) & 1))
                 << i;
    const uint32_t ahead = takes & x->ahead[unit];
    return takes == 0 ? SM_PIPES : first + bits_first32(ahead != 0 ? ahead : takes);
}

// A pipeline that is free and on, with all lanes that the instruction needs. SM_PIPES: there is
// none; if one is free, it has been asked for.
static uint32_t find(struct sm *s, const struct units *u, const struct entry *e, uint64_t t) {
    const uint32_t unit = e->i.in->unit;
    if (s->tech.gated_lanes == NULL) {
        const uint32_t pipe = choose(s, u, unit, t);
        const uint64_t is_free = pipe == SM_PIPES ? free_pipes(s, u, unit, t) : 0;
        if (is_free != 0) gate_want(s, unit, is_free);
        return pipe;
    }
    const uint64_t is_free = free_pipes(s, u, unit, t);
    if (is_free == 0) return SM_PIPES;
    const struct sm_technique *const x = s->tech.lanes;
    uint64_t again = NEVER;
    const uint32_t pipe = x->lanes->find(x->self, &s->v, e->i.active, is_free, &again);
    s->alarms.at[ALARM_RETRY] = min64(s->alarms.at[ALARM_RETRY], again);
    return pipe;
}

// What the technique of single lanes adds to its times.
static struct sm_delay delay_of(struct sm *s, const struct entry *e, uint32_t pipe,
                                uint32_t latency, uint64_t t) {
    const struct sm_technique *const x = s->tech.lanes;
    if (x == NULL) return (struct sm_delay){0, 0};
    return x->lanes->issued(x->self, &s->v, e->i.active, pipe, e->i.lanes, t, latency,
                            e->i.in->interval);
}

// False: no pipeline takes it.
static bool enter(struct sm *s, struct sub_core *sub, const struct entry *e, uint64_t t) {
    const struct sm_inst *const in = e->i.in;
    const uint32_t unit = in->unit, pipe = find(s, &sub->units, e, t);
    if (pipe == SM_PIPES) return false;
    const uint32_t alone = in->latency != 0 ? in->latency : 1;
    const struct sm_delay d = delay_of(s, e, pipe, alone, t);
    const uint32_t latency = alone + d.latency, interval = in->interval + d.interval;
    if (s->tech.issue.n != 0) technique_issued(s, &e->i, pipe, t);
    units_book(s, &sub->units, unit, pipe, t, interval, true);
    if (d.interval != 0) units_book_twin(s, &sub->units, unit, pipe, t, d.interval);
    units_enter(s, pipe, t, t, interval, latency, true);
    if (s->c.collector_ahead == 0)
        collect_give(&sub->collectors, sub->collectors.of[unit], t, t + 1);
    else if (!e->is_in_front)
        sub->collectors.used -= sub->collectors.of[unit];
    if (in->flags & SI_RESULT) {
        wheel_add(&s->wheel, t, t + latency + s->c.write_latency, EVENT_RESULT, in, e->i.warp,
                  e->i.lanes);
        return true;
    }
    struct warp *const warp = &s->res.warp[e->i.warp];
    warp->inflight--;
    if (warp->exited && warp->inflight == 0) cta_warp_drained(s, e->i.warp, t);
    return true;
}

void entry_step(struct sm *s, struct sub_core *sub, uint64_t t) {
    uint32_t left = 0, in_front = 0;
    for (uint32_t i = 0; i < sub->n_entries; i++) {
        const struct entry *const e = &sub->entry[i];
        const bool may_enter = e->from <= t && e->is_in_front == has_front(s);
        if (may_enter && enter(s, sub, e, t)) continue;
        in_front += e->is_in_front;
        if (left != i) sub->entry[left] = *e;
        left++;
    }
    sub->n_entries = left;
    for (uint32_t i = 0; has_front(s) && i < left && in_front < sub->units.n[UNIT_INT]; i++) {
        struct entry *const e = &sub->entry[i];
        if (e->is_in_front || e->from > t) continue;
        e->is_in_front = true;
        e->from = t + 1;
        sub->collectors.used -= sub->collectors.of[e->i.in->unit];
        in_front++;
    }
}

// Whether instructions of the unit ask again in the next cycle. An instruction that waits for a
// pipeline to be on has asked, and ALARM_RETRY has the cycle in which it looks again. But while the
// pipeline that wakes for it is closed by an instruction of the other type, it asks for another one
// in every cycle.
static bool asks_again(const struct sm *s, const struct units *x, uint32_t unit, uint64_t t) {
    const uint64_t asked =
        s->tech.gated_lanes != NULL ? x->pipes[unit] : x->pipes[unit] & s->gates.off;
    FOR_EACH_BIT64(p, asked)
        if (s->v.pipe[p].free_at > t + 1) return true;
    return false;
}

uint64_t entry_next(const struct sm *s, const struct sub_core *sub, uint64_t t) {
    const struct units *const x = &sub->units;
    uint64_t next = NEVER;
    for (uint32_t i = 0; i < sub->n_entries; i++) {
        const struct entry *const e = &sub->entry[i];
        if (e->from > t)
            next = min64(next, e->from);
        else if (e->is_in_front == has_front(s))
            next = min64(next, asks_again(s, x, e->i.in->unit, t)
                                   ? t + 1
                                   : units_next(s, x, e->i.in->unit, t));
    }
    return next;
}
