// Calls to the policies of an SM, in their order. Only reached when there are any.
#include "sm/sm_state.h"
#include "sm/units.h"

// Epochs and `cycle` in the order of the policies, so that each finds what those before it have
// done.
static void epochs(struct sm *s, uint64_t t) {
    s->epoch_at = NEVER;
    for (uint32_t i = 0; i < s->n_policies; i++) {
        const struct sm_policy *const p = s->policy[i];
        while (s->epoch_next[i] <= t) {
            if (p->epoch != NULL) p->epoch(p->self, &s->v, s->epoch_next[i]);
            s->epoch_next[i] += p->epoch_cycles;
        }
        if (p->cycle != NULL) p->cycle(p->self, &s->v);
        s->epoch_at = min64(s->epoch_at, s->epoch_next[i]);
    }
}

// Which pipelines of a unit are on, and which of these an instruction tries first: the
// lowest-numbered. But where INT and FP of a cluster cannot take one in the same cycle, a cluster
// whose other pipeline is off comes first: the other scheduler's instruction, if it is of the other
// type, then finds its own where it is on.
static inline void order_pipes(struct sm *s, uint32_t unit, uint64_t none) {
    const uint32_t first = s->v.pipe_first[unit], n = s->v.pipe_n[unit];
    for (uint32_t i = 0; i < n; i++) s->pipe_off[first + i] = 0 - (none >> (first + i) & 1);
    const uint64_t ahead =
        units_has_twin(s, unit) ? none >> units_twin(first) & ((1ull << n) - 1) : 0;
    s->pipes_ahead[unit] = (uint32_t)ahead;
    s->pipe_lead[unit] = ahead == 2;
    s->on_free_at[unit] = s->v.unit_free_at[unit];
    if (n != 0) units_refresh(s, unit, s->v.cycle, true);
}

// Beyond the units of the pipelines that changed, those of their twins.
static void pipes_change(struct sm *s, uint64_t none) {
    const uint64_t changed = s->pipes_none ^ none,
                   sp = s->unit_pipes[UNIT_INT] | s->unit_pipes[UNIT_FP];
    s->pipes_none = none;
    if (ww_likely((changed & sp) != 0)) {
        order_pipes(s, UNIT_INT, none);
        order_pipes(s, UNIT_FP, none);
    }
    if (ww_unlikely((changed & ~sp) != 0))
        for (uint32_t u = UNIT_FP + 1; u < UNIT_N; u++)
            if (changed & s->unit_pipes[u]) order_pipes(s, u, none);
}

void policy_pipes_new(struct sm *s) {
    s->pipes_none = 0;
    for (uint32_t u = UNIT_NONE + 1; u < UNIT_N; u++) order_pipes(s, u, 0);
}

// Beyond the units that a policy watches, it has a turn while one of them has no pipeline on. The
// numbers of watches never fall: the loops over them are then as long every time.
static void watch(struct sm *s) {
    uint32_t n = 0, n_idle = 0;
    for (uint32_t i = 0; i < s->n_turns; i++) {
        struct sm_turn *const p = &s->turn[i];
        const uint32_t without = *p->without;
        if (p->idle != NULL) {
            p->units |= without;
            FOR_EACH_BIT32(u, p->units) {
                s->watch_idle[n_idle].warps = &s->v.needs[u];
                s->watch_idle[n_idle++].at =
                    without >> u & 1 ? &s->v.pipe[p->idle[u]].busy_until : &s->all;
            }
            continue;
        }
        const uint32_t with = *p->with;
        const bool is_late = with != UNIT_NONE && *p->at <= s->v.cycle;
        p->watched_at = is_late ? *p->at : NEVER;
        if (is_late) {
            s->watch[n].warps = &s->none;
            s->watch[n++].with = &s->v.needs[with];
            continue;
        }
        FOR_EACH_BIT32(u, without) {
            s->watch[n].warps =
                (s->unit_pipes[u] & ~s->pipes_none) == 0 ? &s->none : &s->v.needs[u];
            s->watch[n++].with = with != UNIT_NONE ? &s->v.needs[with] : &s->all;
        }
    }
    for (uint32_t i = n; i < s->n_watches; i++) s->watch[i].with = &s->none;
    s->n_watches = n > s->n_watches ? n : s->n_watches;
    s->n_watches_idle = n_idle;
}

// Behind the policies' turns: when the next ones are, what they watch, what is off in cycle t.
static void plan(struct sm *s, uint64_t t) {
    const uint64_t none = policy_off_next(s, t, &s->off_at);
    if (none != s->pipes_none) pipes_change(s, none);
    watch(s);
    policy_turn_at(s);
}

static inline bool has_turn(const struct sm *s, const struct sm_turn *p, uint64_t t) {
    const bool is_time = *p->at <= t;
    if (is_time && (*p->with == UNIT_NONE || s->v.needs[*p->with] != 0)) return true;
    const uint32_t without = *p->without;
    if (without == 0 && !p->p->cycle_gate) return false;
    const uint64_t off = policy_off(s, t);
    if (p->p->cycle_gate && off != s->pipes_none) return true;
    if (p->idle == NULL && *p->with != UNIT_NONE && s->v.needs[*p->with] == 0) return false;
    FOR_EACH_BIT32(u, without) {
        const bool is_missed = (policy_in_set(s) & s->v.needs[u]) == 0;
        if (p->idle != NULL ? is_missed && s->v.pipe[p->idle[u]].busy_until <= t
                            : is_missed || (s->unit_pipes[u] & ~off) == 0)
            return true;
    }
    return false;
}

void policy_turns(struct sm *s, uint64_t t, bool is_due) {
    if (ww_unlikely(s->gates_more != 0)) policy_accesses(s);
    if (!is_due && policy_off_next(s, t, &s->off_at) == s->pipes_none) return;
    if (ww_unlikely(s->epoch_at <= t)) {
        epochs(s, t);
    } else {
        for (uint32_t i = 0; i < s->n_turns; i++)
            if (s->turn[i].p->cycle_any || has_turn(s, &s->turn[i], t))
                s->turn[i].p->cycle(s->turn[i].p->self, &s->v);
    }
    plan(s, t);
}

bool policy_is_left(const struct sm *s, uint64_t next) {
    return s->turn_at < next || policy_off(s, next - 1) != s->pipes_none ||
           policy_misses(s, next - 1);
}

void policy_leave(struct sm *s, uint64_t next) {
    for (uint32_t i = 0; i < s->n_turns; i++)
        if (s->turn[i].p->leave != NULL && has_turn(s, &s->turn[i], next - 1))
            s->turn[i].p->leave(s->turn[i].p->self, &s->v);
    policy_turn_at(s);
}

uint64_t policy_next_event(struct sm *s) {
    uint64_t next = NEVER;
    for (uint32_t i = 0; i < s->on_next.n; i++)
        next = min64(next, s->on_next.p[i]->next_event(s->on_next.p[i]->self, &s->v));
    return next;
}

uint64_t policy_prefer(struct sm *s, uint32_t sc, uint64_t ready) {
    for (uint32_t i = 0; i < s->on_prefer.n && ready != 0; i++)
        ready &= s->on_prefer.p[i]->prefer(s->on_prefer.p[i]->self, &s->v, sc, ready);
    policy_turn_at(s);
    return ready;
}

bool policy_unit_on(struct sm *s, uint32_t pipe) {
    for (uint32_t i = 0; i < s->on_unit.n; i++)
        if (!s->on_unit.p[i]->unit_on(s->on_unit.p[i]->self, &s->v, pipe)) return false;
    return true;
}

uint64_t policy_unit_wanted(struct sm *s, uint32_t unit, uint64_t pipes, uint64_t ready) {
    uint64_t next = NEVER;
    for (uint32_t i = 0; i < s->on_wanted.n; i++)
        next = min64(next, s->on_wanted.p[i]->unit_wanted(s->on_wanted.p[i]->self, &s->v, unit,
                                                          pipes, ready));
    policy_turn_at(s);
    FOR_EACH_BIT64(p, s->unit_pipes[unit]) { // whose gates may have changed
        const uint64_t from = s->gate[p].off_from;
        s->off_at = min64(s->off_at, from > s->v.cycle ? from : NEVER);
    }
    s->deaf_int = s->deaf_until[UNIT_INT];
    s->deaf_fp = s->deaf_until[UNIT_FP];
    return next;
}

uint32_t policy_rf(struct sm *s, uint32_t w, uint32_t reg, uint32_t lanes, bool is_write,
                   uint64_t cycle) {
    uint32_t extra = 0;
    for (uint32_t i = 0; i < s->on_rf.n; i++)
        extra += s->on_rf.p[i]->rf_access(s->on_rf.p[i]->self, w, reg, s->bank_of[reg + w], lanes,
                                          is_write, cycle);
    return extra;
}

uint32_t policy_array(const struct sm *s, const struct cache_event *e) {
    uint32_t extra = 0;
    for (uint32_t i = 0; i < s->on_array.n; i++)
        extra += s->on_array.p[i]->array_access(s->on_array.p[i]->self, e);
    return extra;
}

void policy_warp(struct sm *s, enum sm_warp_event e, uint32_t w, uint32_t kslot, uint32_t regs,
                 uint32_t shared, uint64_t t) {
    for (uint32_t i = 0; i < s->n_policies; i++)
        if (s->policy[i]->warp != NULL)
            s->policy[i]->warp(s->policy[i]->self, e, w, kslot, regs, shared, t);
}

void policy_work(struct sm *s, bool begins, uint64_t cycle) {
    for (uint32_t i = 0; i < s->n_policies; i++)
        if (s->policy[i]->work != NULL)
            s->policy[i]->work(s->policy[i]->self, &s->v, begins, cycle);
    plan(s, cycle);
}
