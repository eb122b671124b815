// Execution pipelines: INT and FP of each cluster, SFUs, DP units, LD/ST, texture. A pipeline takes
// an instruction every `interval` cycles of its class. The scheduler books it at issue (free_at);
// the instruction enters when its operands are there, behind those before it (enter_at). Times in
// which a pipeline holds work are added up from these timestamps.
#ifndef WW_SM_UNITS_H
#define WW_SM_UNITS_H

#include "sm/sm_state.h"

// Earliest free_at of a unit's pipelines that are on; NEVER: none is.
static inline uint64_t units_on_free_at(const struct sm *s, uint32_t unit) {
    uint64_t first = NEVER;
    for (const uint8_t *p = s->pipes_on[unit]; *p != SM_PIPES; p++) first = min64(first, s->v.pipe[*p].free_at);
    return first;
}

// Where a technique may have switched pipelines off (`has_off`, a constant of the caller), a unit of which all
// others are taken counts as busy too; not one that is off altogether.
static inline void units_refresh(struct sm *s, uint32_t unit, uint64_t t, bool has_off) {
    const struct sm_view *v = &s->v;
    const struct sm_pipe *p = &v->pipe[v->pipe_first[unit]];
    uint64_t first = p->free_at;
    for (uint32_t i = 1; i < v->pipe_n[unit]; i++) first = min64(first, p[i].free_at);
    s->v.unit_free_at[unit] = first;
    if (has_off) {
        if (s->units_part >> unit & 1) {
            first = units_on_free_at(s, unit);
            if (first == NEVER) return; // all are
        }
        s->on_free_at[unit] = first;
    }
    if (first > t)
        s->units_busy |= 1u << unit;
    else
        s->units_busy &= ~(1u << unit);
}

// The lowest-numbered pipeline of a unit that takes an instruction in cycle t; there is one. Low
// numbers first leaves the others idle longer, which is what gating wants.
static inline uint32_t units_choose(const struct sm *s, uint32_t unit, uint64_t t) {
    uint32_t p = s->v.pipe_first[unit];
    while (s->v.pipe[p].free_at > t) p++;
    return p;
}

// The same where pipelines may be off.
static inline uint32_t units_choose_on(const struct sm *s, uint32_t unit, uint64_t t) {
    const uint8_t *p = s->pipes_on[unit];
    while (s->v.pipe[*p].free_at > t) p++;
    return *p;
}

// The pipeline of the other type in the same cluster, and whether an instruction to one closes the other.
static inline uint32_t units_twin(uint32_t unit, uint32_t pipe) {
    return unit == UNIT_INT ? pipe + (SM_PIPE_FP - SM_PIPE_INT) : pipe - (SM_PIPE_FP - SM_PIPE_INT);
}
static inline bool units_has_twin(const struct sm *s, uint32_t unit) {
    return s->c.int_fp_shared_issue && (unit == UNIT_INT || unit == UNIT_FP);
}

// The pipeline beside it in its cluster is closed until `until`.
static inline void units_close_twin(struct sm *s, uint32_t unit, uint32_t pipe, uint64_t t,
                                    uint64_t until, bool has_off) {
    struct sm_pipe *const twin = &s->v.pipe[units_twin(unit, pipe)];
    twin->free_at = max64(twin->free_at, until);
    units_refresh(s, unit == UNIT_INT ? UNIT_FP : UNIT_INT, t, has_off);
}

static inline void units_book(struct sm *s, uint32_t unit, uint32_t pipe, uint64_t t,
                              uint32_t interval, bool has_off) {
    s->v.pipe[pipe].free_at = t + interval;
    s->v.pipe[pipe].issues++;
    const uint64_t gap = t - s->idle[pipe].sent_until;
    s->idle[pipe].bubbles += gap < 10 ? gap : 0;
    s->idle[pipe].sent_until = t + 1;
    units_refresh(s, unit, t, has_off);
    if (units_has_twin(s, unit)) units_close_twin(s, unit, pipe, t, t + s->lanes_cycles, has_off);
}

// The instruction that was just booked holds the cluster's lanes for `cycles`.
static inline void units_hold_lanes(struct sm *s, uint32_t unit, uint32_t pipe, uint64_t t,
                                    uint32_t cycles, bool has_off) {
    s->v.pipe[pipe].free_at = t + cycles;
    units_refresh(s, unit, t, has_off);
    if (s->c.int_fp_shared_issue) units_close_twin(s, unit, pipe, t, t + cycles, has_off);
}

// The operand register that INT and FP of a cluster share stays taken for `more` cycles.
static inline void units_book_twin(struct sm *s, uint32_t unit, uint32_t pipe, uint64_t t, uint32_t more) {
    if (units_has_twin(s, unit)) units_close_twin(s, unit, pipe, t, t + 1 + more, true);
}

// An idle period of a pipeline has ended: `cycles` in which nothing was sent to it (0: there were none), then
// `on_the_way` until the instruction entered.
static inline void units_idle(struct sm *s, uint32_t pipe, uint64_t cycles, uint64_t on_the_way) {
    struct pipe_idle *const i = &s->idle[pipe];
    if (cycles != 0) i->n[min64(cycles, ACT_IDLE_LENGTHS - 1)]++;
    i->cycles += cycles + on_the_way;
    i->sent += on_the_way;
}

// The pipeline holds work in [from, to), which was on its way from cycle `sent` on; `from` never goes
// back.
static inline void units_hold(struct sm *s, uint32_t pipe, uint64_t sent, uint64_t from, uint64_t to) {
    struct sm_pipe *const p = &s->v.pipe[pipe];
    if (from > p->busy_until) {
        const uint64_t since = max64(sent, p->busy_until);
        units_idle(s, pipe, since - p->busy_until, from - since);
        p->busy_from = from;
        p->busy_cycles += to - from;
        p->busy_until = to;
    } else if (to > p->busy_until) {
        p->busy_cycles += to - p->busy_until;
        p->busy_until = to;
    }
}

// An instruction that issued in cycle `sent`, and whose operands are complete in cycle `ready`, enters;
// answers the cycle.
static inline uint64_t units_enter(struct sm *s, uint32_t pipe, uint64_t sent, uint64_t ready,
                                   uint32_t interval, uint32_t latency) {
    struct sm_pipe *const p = &s->v.pipe[pipe];
    const uint64_t at = max64(ready, p->enter_at);
    p->enter_at = at + interval;
    units_hold(s, pipe, sent, at, at + latency);
    return at;
}

#endif
