// Pipelines that a technique switches off (gate.h): which are off in a cycle, and which of a unit's
// pipelines an instruction tries first.
#include "sm/sm_state.h"
#include "sm/units.h"

void gate_forget(struct sm *s) {
    struct gates *const g = &s->gates;
    for (uint32_t p = 0; p < SM_PIPES; p++)
        g->none[p] = (struct sm_gate){.off_from = NEVER, .window = SM_GATE_NEVER};
    g->gate = g->none;
    g->more = 0;
}

// Finds which pipelines of a unit are on, and which of these an instruction tries first. Where INT
// and FP of a lane group cannot both take one in a cycle, those whose twin in the lane group is off
// come first: the lane groups whose twin is on stay open for an instruction of the other type.
static void order_pipes(struct sm *s, struct units *x, uint32_t unit) {
    struct gates *const g = &s->gates;
    const uint32_t first = x->first[unit], n = x->n[unit];
    for (uint32_t i = 0; i < n; i++) g->pipe_off[first + i] = 0 - (g->off >> (first + i) & 1);
    const uint64_t ahead =
        units_has_twin(s, unit) ? g->off >> units_twin(first) & ((1ull << n) - 1) : 0;
    x->ahead[unit] = (uint32_t)ahead;
    x->lead[unit] = ahead == 2;
    x->on_free_at[unit] = x->free_at[unit];
    if (n != 0) units_refresh(s, x, unit, s->v.cycle, true);
}

void gate_all_on(struct sm *s) {
    s->gates.off = 0;
    for (uint32_t i = 0; i < s->n_subs; i++)
        for (uint32_t u = UNIT_NONE + 1; u < UNIT_N; u++) order_pipes(s, &s->sub[i].units, u);
}

// The pipelines that are off in cycle t. INT and FP are looked at without a branch, whether the
// technique gates them or not, since the host could not predict which are off.
static uint64_t off_in(const struct sm *s, uint64_t t) {
    const struct sm_gate *const g = s->gates.gate;
    uint64_t off = 0;
    for (uint32_t i = 0; i < s->v.pipe_n[UNIT_INT]; i++)
        off |= (uint64_t)(g[SM_PIPE_INT + i].off_from <= t) << (SM_PIPE_INT + i) |
               (uint64_t)(g[SM_PIPE_FP + i].off_from <= t) << (SM_PIPE_FP + i);
    if (ww_likely(s->gates.more == 0)) return off;
    FOR_EACH_BIT64(p, s->gates.more) off |= (uint64_t)(g[p].off_from <= t) << p;
    for (uint32_t i = 0; i < 2; i++)
        if (s->v.accesses[i] != 0) off &= ~BIT64(SM_PIPE_LDST + i);
    return off;
}

// INT and FP are ordered together, since each depends on what is off of the other.
static void order_changed(struct sm *s, struct units *x, uint64_t changed) {
    if ((changed & (x->pipes[UNIT_INT] | x->pipes[UNIT_FP])) != 0) {
        order_pipes(s, x, UNIT_INT);
        order_pipes(s, x, UNIT_FP);
    }
    if (ww_likely(changed >> SM_LANE_PIPES == 0)) return;
    for (uint32_t u = UNIT_FP + 1; u < UNIT_N; u++)
        if (changed & x->pipes[u]) order_pipes(s, x, u);
}

static __attribute__((noinline)) void change(struct sm *s, uint64_t changed) {
    s->gates.off ^= changed;
    for (uint32_t i = 0; i < s->n_subs; i++) order_changed(s, &s->sub[i].units, changed);
}

void gate_look(struct sm *s, uint64_t t) {
    const uint64_t changed = s->gates.off ^ off_in(s, t);
    if (ww_unlikely(changed != 0)) change(s, changed);
}

void gate_want(struct sm *s, uint32_t unit, uint64_t is_free) {
    const struct sm_technique *const t = s->tech.gate;
    s->alarms.at[ALARM_RETRY] =
        min64(s->alarms.at[ALARM_RETRY], t->gate->wanted(t->self, &s->v, unit, is_free));
}

uint64_t gate_want_unit(struct sm *s, const struct units *units, uint32_t w, uint64_t held,
                        uint64_t t) {
    const struct sm_view *const v = &s->v;
    const uint32_t u = s->res.warp[w].head->unit, first = units->first[u];
    uint64_t is_free = 0;
    for (uint32_t p = first; p < first + units->n[u]; p++)
        is_free |= (uint64_t)(v->pipe[p].free_at <= t) << p;
    const struct sm_technique *const x = s->tech.lanes;
    if (s->tech.gated_lanes != NULL && first < SM_LANE_PIPES)
        s->alarms.at[ALARM_RETRY] =
            min64(s->alarms.at[ALARM_RETRY], x->lanes->wanted(x->self, v, w, is_free));
    else
        gate_want(s, u, is_free);
    return held & v->needs[u];
}
