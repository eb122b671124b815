// The power-gating state machine of one domain: anything that has its own sleep transistor and
// works in busy periods (a pipeline, a lane). Hu et al., ISLPED 2004; Warped Gates, MICRO-46,
// figure 2c:
//
//   on --(idle for idle_detect cycles)--> uncompensated --(break_even cycles off)--> compensated
//    ^                                         |                                         |
//    +------(wakeup_delay cycles)---- wakeup <-+-----------------------------------------+
//
// A domain that has been idle in cycles [i, i + idle_detect) is off from cycle i + idle_detect on,
// so an idle period of idle_detect cycles or fewer is never gated. The first break_even cycles off
// are uncompensated, later ones compensated. Woken in cycle w, it is waking in [w, w +
// wakeup_delay), leaks and does no work, and is on from then, for a cycle at least; its idle cycles
// count from there.
//
// Nothing ticks: a domain remembers the cycle of its last change. A caller settles a domain up to a
// cycle before it reads the state; settling does what time alone has done since.
#ifndef WW_SAVINGS_DOMAIN_H
#define WW_SAVINGS_DOMAIN_H

#include "base/base.h"

#define DOMAIN_NEVER UINT64_MAX

struct gate_times {
    uint32_t break_even, wakeup_delay; // core cycles
};

enum gate_state { GATE_ON, GATE_OFF, GATE_WAKING };

struct gate_counts {
    uint64_t uncompensated, compensated, wakeup; // cycles
    uint64_t events, wakeups;                    // switched off, woken
    uint64_t early_wakeups;                      // of these, before the break-even time
    uint64_t critical_wakeups;                   // of these, in the cycle in which a blackout ended
};

struct gate_domain {
    uint64_t since;      // on: idle cycles count from here; off, waking: first cycle of the state
    uint64_t on_at;      // waking: first cycle on
    uint64_t not_before; // it is not switched off before this cycle
    enum gate_state state;
    struct gate_counts n;
};


// On and idle since `t`.
static inline void domain_begin(struct gate_domain *d, uint64_t t) {
    d->state = GATE_ON;
    d->since = d->not_before = t;
}

static inline void domain_gate(struct gate_domain *d, uint64_t t) {
    d->state = GATE_OFF;
    d->since = t;
    d->n.events++;
}

// A waking domain whose time has come is on. Those cycles follow no pattern, so the code does not
// branch.
static inline void domain_awake(struct gate_domain *d, uint64_t t) {
    const bool is_on = (d->state == GATE_WAKING) & (d->on_at <= t);
    const uint64_t mask = 0 - (uint64_t)is_on;
    d->n.wakeup += (d->on_at - d->since) & mask;
    d->state = is_on ? GATE_ON : d->state;
    d->since = is_on ? d->on_at : d->since;
    // It stays on in the first cycle, for which it was woken.
    d->not_before = max64(d->not_before, (d->on_at + 1) & mask);
}

// First cycle in which a domain that is on, and without work since `idle_from`, will have been idle
// long enough.
static inline uint64_t domain_due_idle(const struct gate_domain *d, uint64_t idle_from,
                                       uint32_t idle_detect) {
    return max64(max64(idle_from, d->since) + idle_detect, d->not_before);
}

// The same of any domain (idle_from DOMAIN_NEVER: it has work).
static inline uint64_t domain_due(const struct gate_domain *d, uint64_t idle_from,
                                  uint32_t idle_detect) {
    if (d->state != GATE_ON || idle_from == DOMAIN_NEVER) return DOMAIN_NEVER;
    return domain_due_idle(d, idle_from, idle_detect);
}

// What time alone does to a domain up to and with cycle t.
static inline void domain_settle(struct gate_domain *d, uint64_t idle_from, uint32_t idle_detect,
                                 uint64_t t) {
    domain_awake(d, t);
    const uint64_t due = domain_due(d, idle_from, idle_detect);
    if (due <= t) domain_gate(d, due);
}

static inline void domain_add_off(struct gate_domain *d, const struct gate_times *p, uint64_t t) {
    const uint64_t off = t - d->since;
    const uint64_t before = off < p->break_even ? off : p->break_even;
    d->n.uncompensated += before;
    d->n.compensated += off - before;
}

// An off domain begins to wake in cycle t; answers the first cycle in which it is on.
static inline uint64_t domain_wake(struct gate_domain *d, const struct gate_times *p, uint64_t t) {
    domain_add_off(d, p, t);
    d->n.wakeups++;
    d->n.early_wakeups += t < d->since + p->break_even;
    d->state = GATE_WAKING;
    d->since = t;
    d->on_at = t + p->wakeup_delay;
    domain_awake(d, t);
    return d->on_at;
}

// Nothing is counted from cycle t on; the domain is left on.
static inline void domain_end(struct gate_domain *d, const struct gate_times *p, uint64_t t) {
    if (d->state == GATE_OFF && t > d->since) domain_add_off(d, p, t);
    if (d->state == GATE_WAKING) d->n.wakeup += (d->on_at < t ? d->on_at : t) - d->since;
    domain_begin(d, t);
}

#endif
