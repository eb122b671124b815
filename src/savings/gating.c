// The gated pipelines of an SM: their domains, what a scheduler that wants one finds, their counts.
// When they may be switched off and woken is the rule's (conv_pg.c and others).
//
// An idle cycle is one in which the pipeline holds no work and no instruction is on its way to it
// (issued, its operands being read): a pipeline that has been issued to is not switched off. SFU
// and LD/ST, where they are gated, follow the conventional rule whatever the technique (Warped
// Gates, 3).
//
// Of a unit's clusters the schedulers ask for the lowest-numbered that is awake or waking first.
// Two schedulers that come for the same type in one cycle ask for two clusters.
//
// A pipeline goes off when its window is over, the SM sees that by itself (struct sm_gate), and
// no function is called: its domain hears of it when the pipeline is wanted again, or counted. But
// where the rule then looks at all clusters of a type (gate_rule.settle), and where work comes to a
// pipeline that is off, the domains are told in the same cycle.
#include "savings/savings_int.h"

// ---- time --------------------------------------------------------------------------------------
// First cycle in which a domain that is off may be woken.
static uint64_t may_wake(const struct gating *g, uint32_t pipe) {
    const uint64_t since = g->domain[pipe].since;
    return g->rule[g->type_of[pipe]]->has_blackout ? since + g->times.break_even : since;
}

// What time alone has done to a domain of its own; the others are settled with all of their type.
static inline void settle_alone(struct gating *g, const struct sm_view *v, uint32_t pipe,
                                uint64_t t) {
    const uint32_t type = g->type_of[pipe];
    if (g->rule[type]->settle == NULL)
        domain_settle(&g->domain[pipe], savings_idle_from(v, pipe), g->idle_detect[type], t);
}

// Tells the SM what holds behind cycle t, up to which all has been settled. Without a wakeup delay
// a unit that may be woken takes the instruction that wakes it: it is off in a blackout only.
static void show(struct gating *g, const struct sm_view *v, uint32_t pipe, uint64_t t) {
    const struct gate_domain *const d = &g->domain[pipe];
    const uint32_t type = g->type_of[pipe];
    struct sm_gate *const x = &g->gate[pipe];
    if (ww_unlikely(g->times.wakeup_delay == 0)) {
        const bool is_off = d->state == GATE_OFF && may_wake(g, pipe) > v->cycle;
        *x = (struct sm_gate){is_off ? 0 : UINT64_MAX, SM_GATE_NEVER};
        return;
    }
    const bool is_kept = (g->kept >> type & 1) != 0, is_on = d->state == GATE_ON;
    const uint32_t window = g->idle_detect[type];
    const uint64_t idle_from = savings_idle_from(v, pipe);
    uint64_t due = domain_due_idle(d, idle_from, window);
    due = max64(due, g->rule[type]->settle != NULL ? t + 1 : 0);
    due = (is_kept | (idle_from == DOMAIN_NEVER)) ? UINT64_MAX : due;
    x->window = is_kept ? SM_GATE_NEVER : window;
    x->off_from = due & (0 - (uint64_t)is_on);
}

// Whether the rule has to look at a type: one of its pipelines has gone off or is awake, or no warp
// is left that keeps the last one on. Which of these it is follows no pattern, so nothing branches
// on it.
static inline bool has_changed(const struct gating *g, uint32_t type, uint64_t t) {
    const struct sm_gate *const x = &g->gate[g->first[type]];
    const uint32_t n = g->n[type];
    // off_from is 0 where a pipeline is not on (show): 0 - 1 is later than any cycle.
    bool is_off = (x[0].off_from - 1 < t) | (x[n - 1].off_from - 1 < t);
    for (uint32_t i = 1; i + 1 < n; i++) is_off |= x[i].off_from - 1 < t;
    const bool is_left = ((g->kept >> type & 1) != 0) & (g->actv[type] == 0);
    return is_off | is_left | (g->type_at[type] <= t);
}

// Domains whose rule looks at all of a type.
static void settle_types(struct gating *g, const struct sm_view *v, uint64_t t) {
    for (uint32_t type = GATE_TYPE_INT; type <= GATE_TYPE_FP; type++) {
        if (!(g->ruled >> type & 1) || !has_changed(g, type, t)) continue;
        g->kept &= ~(1u << type);
        const uint64_t on_at = g->rule[type]->settle(g, v, type, t);
        g->type_at[type] = g->times.wakeup_delay == 0 ? 0 : on_at; // 0: in every cycle
        for (uint32_t p = g->first[type]; p < g->first[type] + (uint32_t)g->n[type]; p++)
            show(g, v, p, t);
    }
}

// All domains that do not go off on their own, up to and with cycle t.
static void settle(struct gating *g, const struct sm_view *v, uint64_t t) {
    if (g->ruled != 0) settle_types(g, v, t);
    FOR_EACH_BIT64(p, g->waking | g->told) {
        settle_alone(g, v, (uint32_t)p, t);
        if (g->domain[p].state == GATE_WAKING) continue;
        g->waking &= ~(1ull << p);
        show(g, v, (uint32_t)p, t);
    }
    g->settled = t;
}

static void count_active(struct gating *g, const struct sm_view *v) {
    g->actv[0] = savings_active(v, UNIT_INT);
    g->actv[1] = savings_active(v, UNIT_FP);
}

static void cycle(void *self, const struct sm_view *v) {
    struct gating *const g = self;
    if (!g->is_busy) return;
    if (g->counts_active) {
        if (v->cycle > g->settled + 1) settle(g, v, v->cycle - 1); // as the last cycle left it
        count_active(g, v);
    }
    settle(g, v, v->cycle);
}

// What the counters say in the cycles that the SM skips.
static void rest(void *self, const struct sm_view *v) { count_active(self, v); }

// ---- schedulers ask ----------------------------------------------------------------------------
// Without a blackout its end cannot be critical.
static uint64_t wake(struct gating *g, uint32_t pipe, uint64_t t) {
    struct gate_domain *const d = &g->domain[pipe];
    d->n.critical_wakeups += g->rule[g->type_of[pipe]]->has_blackout && may_wake(g, pipe) == t;
    g->gate[pipe].off_from = 0;
    g->waking |= 1ull << pipe & ~g->of_rule;
    return domain_wake(d, &g->times, t);
}

// One of the type's pipelines has been woken beside the only one that was on: that may go off, from
// the next cycle on, as if it had never been the last.
static void leave_kept(struct gating *g, const struct sm_view *v, uint32_t type) {
    if (!(g->kept >> type & 1)) return;
    if (g->times.wakeup_delay == 0) return; // the rule looks in every cycle
    g->kept &= ~(1u << type);
    FOR_EACH_BIT64(p, g->pipes_of[type]) {
        if (g->domain[p].state == GATE_ON) show(g, v, (uint32_t)p, v->cycle);
    }
}

static uint64_t wanted(void *self, const struct sm_view *v, uint32_t unit, uint64_t pipes) {
    (void)unit;
    struct gating *const g = self;
    const uint64_t t = v->cycle;
    pipes &= g->pipes;
    if (pipes == 0) return UINT64_MAX;
    const uint32_t type = g->type_of[bits_first64(pipes)];
    g->claimed &= 0 - (uint64_t)(g->claimed_at == t);
    g->claimed_at = t;
    uint64_t takes = 0, wakes = 0, again = UINT64_MAX;
    FOR_EACH_BIT64(bit, pipes) {
        const uint32_t p = (uint32_t)bit;
        settle_alone(g, v, p, t);
        const struct gate_domain *const d = &g->domain[p];
        const bool is_waking = d->state == GATE_WAKING, is_off = d->state == GATE_OFF;
        const uint64_t at = is_waking ? d->on_at : is_off ? may_wake(g, p) : UINT64_MAX;
        takes |= (uint64_t)is_waking << p;
        wakes |= (uint64_t)(is_off & (at <= t)) << p;
        again = min64(again, at > t ? at : UINT64_MAX);
    }
    takes &= ~g->claimed;
    wakes &= ~g->claimed;
    if (takes != 0) {
        g->claimed |= takes & (0 - takes);
    } else if (wakes != 0) {
        const uint32_t p = bits_first64(wakes);
        g->claimed |= 1ull << p;
        const uint64_t on_at = wake(g, p, t);
        g->type_at[type] = min64(g->type_at[type], on_at);
        leave_kept(g, v, type);
        again = min64(again, max64(on_at, t + 1));
    }
    return again;
}

// Only with a wakeup delay of 0 an instruction comes to a domain that is off.
static void issued(void *self, const struct sm_view *v, const struct sm_issue *i) {
    struct gating *const g = self;
    if (i->pipe >= SM_PIPES || !(g->pipes >> i->pipe & 1)) return;
    if (g->domain[i->pipe].state == GATE_OFF) wake(g, i->pipe, v->cycle);
}

// ---- what the mechanisms ask and set -----------------------------------------------------------
void gating_set_window(struct gating *g, const struct sm_view *v, uint32_t type,
                       uint32_t idle_detect, uint64_t t) {
    FOR_EACH_BIT64(p, g->pipes_of[type]) settle_alone(g, v, (uint32_t)p, v->cycle);
    for (uint32_t i = 0; i < 2; i++)
        g->window_cycles[i] += g->idle_detect[i] * (t - g->window_since);
    g->window_since = t;
    g->idle_detect[type] = idle_detect;
    FOR_EACH_BIT64(p, g->pipes_of[type]) {
        g->domain[p].not_before = max64(g->domain[p].not_before, t);
        show(g, v, (uint32_t)p, t);
        // What is on in this cycle is so all through it.
        if (g->domain[p].state == GATE_ON)
            g->gate[p].off_from = max64(g->gate[p].off_from, v->cycle + 1);
    }
}

uint64_t gating_critical(const struct gating *g, uint32_t type) {
    uint64_t n = 0;
    for (uint32_t p = g->first[type]; p < g->first[type] + (uint32_t)g->n[type]; p++)
        n += g->domain[p].n.critical_wakeups;
    return n;
}

bool gating_all_in_blackout(struct gating *g, const struct sm_view *v, uint32_t type) {
    if (g->rule[type] == NULL) return false;
    for (uint32_t p = g->first[type]; p < g->first[type] + (uint32_t)g->n[type]; p++) {
        const struct gate_domain *const d = &g->domain[p];
        settle_alone(g, v, p, v->cycle);
        if (d->state != GATE_OFF || v->cycle >= d->since + g->times.break_even) return false;
    }
    return true;
}

// ---- busy times and counts ---------------------------------------------------------------------
static void end_at(struct gating *g, uint64_t t) {
    FOR_EACH_BIT64(p, g->pipes) domain_end(&g->domain[p], &g->times, t);
    for (uint32_t i = 0; i < 2; i++)
        g->window_cycles[i] += g->idle_detect[i] * (t - g->window_since);
    g->window_since = t;
}

static void work(void *self, const struct sm_view *v, bool begins, uint64_t t) {
    struct gating *const g = self;
    g->is_busy = begins;
    g->kept = 0;
    g->waking = 0;
    for (uint32_t type = 0; type < GATE_TYPES; type++) g->type_at[type] = 0;
    if (!begins) {
        FOR_EACH_BIT64(p, g->pipes) settle_alone(g, v, (uint32_t)p, v->cycle);
        end_at(g, t);
        return;
    }
    FOR_EACH_BIT64(p, g->pipes) {
        domain_begin(&g->domain[p], t);
        show(g, v, (uint32_t)p, t);
    }
    g->window_since = t;
    g->settled = t;
    g->actv[0] = g->actv[1] = 0; // no instruction is decoded yet
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    const struct gating *g = self;
    struct gating until_now; // the open times are closed in a copy
    if (g->is_busy && now > 0) {
        until_now = *g;
        if (until_now.settled < v->cycle) until_now.settled = v->cycle;
        const uint64_t t = max64(now - 1, until_now.settled);
        settle(&until_now, v, t);
        FOR_EACH_BIT64(p, g->pipes) settle_alone(&until_now, v, (uint32_t)p, t);
        end_at(&until_now, now);
        g = &until_now;
    }
    static const uint32_t domain_of[GATE_TYPES] = {ACT_INT_DOMAIN, ACT_FP_DOMAIN, ACT_SFU_DOMAIN,
                                                   ACT_LDST_DOMAIN};
    uint64_t *const c = a->c;
    for (uint32_t type = 0; type < GATE_TYPES; type++) {
        if (g->rule[type] == NULL) continue;
        for (uint32_t i = 0; i < g->n[type]; i++) {
            const uint32_t d = domain_of[type] + (type < 2 ? i : 0);
            const struct gate_counts *const n = &g->domain[g->first[type] + i].n;
            c[ACT_gate_uncompensated + d] += n->uncompensated;
            c[ACT_gate_compensated + d] += n->compensated;
            c[ACT_gate_wakeup + d] += n->wakeup;
            c[ACT_gate_events + d] += n->events;
            c[ACT_gate_overhead + d] += n->events * g->times.break_even;
            c[ACT_gate_wakeups + d] += n->wakeups;
            c[ACT_gate_early_wakeups + d] += n->early_wakeups;
            c[ACT_gate_critical_wakeups + d] += n->critical_wakeups;
        }
        for (uint32_t d = domain_of[type]; d < domain_of[type] + (type < 2 ? g->n[type] : 1u); d++)
            c[ACT_gate_on_idle + d] = c[ACT_idle_cycles + d] - c[ACT_gate_uncompensated + d] -
                                      c[ACT_gate_compensated + d] - c[ACT_gate_wakeup + d];
    }
    for (uint32_t i = 0; i < 2; i++)
        if (g->rule[i] != NULL) c[ACT_idle_detect_cycles + i] += g->window_cycles[i];
}

// ---- making ------------------------------------------------------------------------------------
static const struct sm_life_port life = {.work = work};
static const struct sm_issue_port issue_port = {.issued = issued};

void gating_init(struct savings_sm *s, struct sm_technique *t) {
    struct gating *const g = &s->gating;
    const struct savings_options *const o = &s->set.o;
    const struct gate_rule *const rule =
        savings_has(s, SAVINGS_COORDINATED_BLACKOUT) ? &rule_coordinated_blackout
        : savings_has(s, SAVINGS_NAIVE_BLACKOUT)     ? &rule_naive_blackout
                                                     : &rule_conv_pg;
    const bool whole = !savings_has(s, SAVINGS_LANE_PG); // INT and FP are not gated by lanes
    const struct {
        bool is_gated;
        const struct gate_rule *rule;
        uint32_t first, n;
    } row[] = {
        [GATE_TYPE_INT] = {o->gate_int && whole, rule, SM_PIPE_INT, s->c.clusters},
        [GATE_TYPE_FP] = {o->gate_fp && whole, rule, SM_PIPE_FP, s->c.clusters},
        [GATE_TYPE_SFU] = {o->gate_sfu, &rule_conv_pg, SM_PIPE_SFU, s->c.sfus},
        [GATE_TYPE_LDST] = {o->gate_ldst, &rule_conv_pg, SM_PIPE_LDST, 1},
    };
    g->times = (struct gate_times){o->break_even, o->wakeup_delay};
    for (uint32_t i = 0; i < GATE_TYPES; i++) {
        if (!row[i].is_gated) continue;
        g->rule[i] = row[i].rule;
        g->first[i] = (uint8_t)row[i].first;
        g->n[i] = (uint8_t)row[i].n;
        g->idle_detect[i] = o->idle_detect;
        g->pipes_of[i] = ((1ull << row[i].n) - 1) << row[i].first;
        g->pipes |= g->pipes_of[i];
        if (g->rule[i]->settle != NULL) {
            g->ruled |= 1u << i;
            g->of_rule |= g->pipes_of[i];
        }
        for (uint32_t k = 0; k < row[i].n; k++) g->type_of[row[i].first + k] = (uint8_t)i;
    }
    for (uint32_t i = 0; i < SM_PIPES; i++)
        g->gate[i] = (struct sm_gate){UINT64_MAX, SM_GATE_NEVER};
    g->told = g->times.wakeup_delay == 0 ? g->pipes : g->pipes_of[GATE_TYPE_LDST];
    g->counts_active =
        (g->rule[0] != NULL && rule->counts_active) || (g->rule[1] != NULL && rule->counts_active);
    g->port = (struct sm_gate_port){.gate = g->gate, .pipes = g->pipes, .wanted = wanted};
    g->clock = (struct sm_clock_port){.cycle = cycle, .rest = g->counts_active ? rest : NULL};
    *t = (struct sm_technique){.name = "gating",
                               .self = g,
                               .issue = o->wakeup_delay == 0 ? &issue_port : NULL,
                               .gate = &g->port,
                               .life = &life,
                               .clock = &g->clock,
                               .count = count};
}
