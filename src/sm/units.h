// Execution pipelines: INT and FP of each lane group, SFUs, DP units, LD/ST, texture. A pipeline
// takes an instruction every `interval` cycles of its class. The scheduler books it at issue
// (free_at); the instruction enters when its operands are there, behind those before it (enter_at).
// Times in which a pipeline holds work are added up from these timestamps.
#ifndef WW_SM_UNITS_H
#define WW_SM_UNITS_H

#include "activity/sm.h"
#include "sm/sm_state.h"

// All bits set when `at` is later than cycle t, else none: a mask in place of a branch, since the
// host could not predict which pipelines are free.
static inline uint64_t units_later(uint64_t at, uint64_t t) { return 0 - (uint64_t)(at > t); }

// A pipeline of the unit has changed: finds the first cycle in which one of the unit's pipelines
// takes an instruction, and in which one that is on does. `has_off` is a constant of the caller:
// false where no technique can switch pipelines off.
static inline void units_refresh(struct sm *s, struct units *x, uint32_t unit, uint64_t t,
                                 bool has_off) {
    const uint32_t n = x->n[unit];
    const struct sm_pipe *const p = &s->v.pipe[x->first[unit]];
    const uint64_t *const off = &s->gates.pipe_off[x->first[unit]];
    uint64_t first = min64(p->free_at, p[n - 1].free_at);
    uint64_t on = min64(p->free_at | off[0], p[n - 1].free_at | off[n - 1]);
    for (uint32_t i = 1; i + 1 < n; i++) { // not entered with two lane groups
        first = min64(first, p[i].free_at);
        if (has_off) on = min64(on, p[i].free_at | off[i]);
    }
    x->free_at[unit] = first;
    if (has_off) x->on_free_at[unit] = on;
    x->busy = (x->busy & ~(1u << unit)) | (uint32_t)(first > t) << unit;
}

// The pipeline that an instruction of the unit takes in cycle t, in which at least one is free and
// on: the lowest-numbered, so that the others stay idle longer and can be switched off. Where
// pipelines may be off, those that order_pipes (gate.c) puts ahead come first.
static inline uint32_t units_choose(const struct sm *s, const struct units *x, uint32_t unit,
                                    uint64_t t, bool has_off) {
    const uint32_t first = x->first[unit], n = x->n[unit];
    const struct sm_pipe *const p = &s->v.pipe[first];
    if (!has_off) {
        uint32_t taken = p->free_at > t,
                 at = first + taken; // when it is taken, the second, and so on
        for (uint32_t i = 1; i + 1 < n; i++) at += taken &= p[i].free_at > t;
        return at;
    }
    const uint64_t *const off = &s->gates.pipe_off[first];
    if (ww_likely(n <= 2)) { // the leading one, or when that is taken or off the other
        const uint32_t lead = x->lead[unit];
        return first + (lead ^ (uint32_t)((p[lead].free_at | off[lead]) > t));
    }
    uint64_t takes = 0;
    for (uint32_t i = 0; i < n; i++) takes |= (uint64_t)((p[i].free_at | off[i]) <= t) << i;
    const uint64_t ahead = takes & x->ahead[unit];
    return first + bits_first64(ahead != 0 ? ahead : takes);
}

// The first cycle behind t in which a pipeline of the unit is no longer taken; NEVER: none is now.
static inline uint64_t units_next(const struct sm *s, const struct units *x, uint32_t unit,
                                  uint64_t t) {
    const uint32_t first = x->first[unit], end = first + x->n[unit];
    uint64_t next = NEVER;
    for (uint32_t p = first; p < end; p++)
        next = s->v.pipe[p].free_at > t ? min64(next, s->v.pipe[p].free_at) : next;
    return next;
}

// The pipeline of the other type in the same lane group, and whether an instruction to one closes
// the other.
static_assert(SM_PIPE_INT == 0 && (SM_PIPE_FP & (SM_PIPE_FP - 1)) == 0,
              "INT and FP differ in one bit");
static inline uint32_t units_twin(uint32_t pipe) { return pipe ^ SM_PIPE_FP; }
static inline bool units_has_twin(const struct sm *s, uint32_t unit) {
    return s->c.int_fp_shared_issue && (unit == UNIT_INT || unit == UNIT_FP);
}

// The pipeline beside it in its lane group is closed until `until`.
static inline void units_close_twin(struct sm *s, struct units *x, uint32_t unit, uint32_t pipe,
                                    uint64_t t, uint64_t until, bool has_off) {
    struct sm_pipe *const twin = &s->v.pipe[units_twin(pipe)];
    twin->free_at = max64(twin->free_at, until);
    units_refresh(s, x, UNIT_INT ^ UNIT_FP ^ unit, t, has_off);
}

// A pipeline that all sub-cores share has changed: the other sub-cores see it too.
static inline void units_refresh_others(struct sm *s, const struct units *x, uint32_t unit,
                                        uint64_t t, bool has_off) {
    for (uint32_t i = 0; i < s->n_subs; i++)
        if (&s->sub[i].units != x) units_refresh(s, &s->sub[i].units, unit, t, has_off);
}
static inline bool units_is_shared(const struct sm *s, uint32_t unit) {
    return unit == UNIT_LDST || unit == UNIT_TEX || (unit == UNIT_DP && s->c.dp_units < s->n_subs);
}

static inline void units_book(struct sm *s, struct units *x, uint32_t unit, uint32_t pipe,
                              uint64_t t, uint32_t interval, bool has_off) {
    struct sm_pipe *const p = &s->v.pipe[pipe];
    p->free_at = t + interval;
    p->issues++;
    const uint64_t gap = t - p->sent_until;
    p->bubbles += gap < 10 ? gap : 0;
    p->sent_until = t + 1;
    units_refresh(s, x, unit, t, has_off);
    if (ww_unlikely(s->n_subs != 1) && units_is_shared(s, unit))
        units_refresh_others(s, x, unit, t, has_off);
    if (units_has_twin(s, unit))
        units_close_twin(s, x, unit, pipe, t, t + s->lanes_cycles, has_off);
}

// The instruction that was just booked holds the lane group's lanes for `cycles`.
static inline void units_hold_lanes(struct sm *s, struct units *x, uint32_t unit, uint32_t pipe,
                                    uint64_t t, uint32_t cycles, bool has_off) {
    s->v.pipe[pipe].free_at = t + cycles;
    units_refresh(s, x, unit, t, has_off);
    if (s->c.int_fp_shared_issue) units_close_twin(s, x, unit, pipe, t, t + cycles, has_off);
}

// The operand register that INT and FP of a lane group share stays taken for `more` cycles.
static inline void units_book_twin(struct sm *s, struct units *x, uint32_t unit, uint32_t pipe,
                                   uint64_t t, uint32_t more) {
    if (units_has_twin(s, unit)) units_close_twin(s, x, unit, pipe, t, t + 1 + more, true);
}

// Where the lengths of the pipeline's idle periods are counted: its type's; ACT_N: nowhere.
static inline uint32_t units_idle_lengths(uint32_t pipe) {
    if (pipe < SM_PIPE_FP) return ACT_idle_periods_int;
    if (pipe < SM_PIPE_SFU) return ACT_idle_periods_fp;
    if (pipe < SM_PIPE_DP) return ACT_idle_periods_sfu;
    return pipe == SM_PIPE_LDST ? ACT_idle_periods_ldst : ACT_N;
}

// An idle period of a pipeline has ended: `cycles` in which nothing was sent to it (0: there were
// none), then `on_the_way` until the instruction entered.
static inline void units_idle(struct sm *s, uint32_t pipe, uint64_t cycles, uint64_t on_the_way) {
    struct pipe_idle *const i = &s->idle[pipe];
    const uint32_t lengths = units_idle_lengths(pipe);
    if (cycles != 0 && lengths != ACT_N) s->act.c[lengths + min64(cycles, ACT_IDLE_LENGTHS - 1)]++;
    i->cycles += cycles + on_the_way;
    i->sent += on_the_way;
}

// The pipeline, which is on, holds work in [from, to) that was sent to it in cycle `sent`. Calls
// come in order of `from`.
static inline void units_hold(struct sm *s, uint32_t pipe, uint64_t sent, uint64_t from,
                              uint64_t to, bool has_off) {
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
    if (has_off) s->gates.gate[pipe].off_from = p->busy_until + s->gates.gate[pipe].window;
}

// An instruction that issued in cycle `sent`, and whose operands are complete in cycle `ready`,
// enters; answers the cycle.
static inline uint64_t units_enter(struct sm *s, uint32_t pipe, uint64_t sent, uint64_t ready,
                                   uint32_t interval, uint32_t latency, bool has_off) {
    struct sm_pipe *const p = &s->v.pipe[pipe];
    const uint64_t at = max64(ready, p->enter_at);
    p->enter_at = at + interval;
    units_hold(s, pipe, sent, at, at + latency, has_off);
    return at;
}

#endif
