// The gated pipelines of an SM: their domains, what a scheduler that wants one finds, their counts.
// When they may be switched off and woken is the rule's (conv_pg.c and others).
//
// An idle cycle is one in which the pipeline holds no work and no instruction is on its way to it
// (issued, its operands being read): a pipeline that has been issued to is not switched off. SFU
// and LD/ST, where they are gated, follow the conventional rule whatever the technique (Warped
// Gates, 3).
//
// Of a unit's lane groups the schedulers ask for the lowest-numbered that is awake or waking first.
// Two schedulers that come for the same type in one cycle ask for two lane groups.
//
// A pipeline goes off when its window is over. The SM knows that by itself (struct sm_gate) and calls
// no function; the domain is settled later, when the pipeline is wanted again or counted. Domains
// are settled in the same cycle where the rule decides on all lane groups of a type
// (gate_rule.settle), and where work comes to a pipeline that is off.
#include "savings/gating.h"
#include "activity/sm.h"
#include "savings/savings_int.h"
#include "sm/config.h"

enum { // numbers of its own counters, from the first
    OWN_gate_on_idle,
    OWN_gate_uncompensated = OWN_gate_on_idle + ACT_DOMAINS,
    OWN_gate_compensated = OWN_gate_uncompensated + ACT_DOMAINS,
    OWN_gate_wakeup = OWN_gate_compensated + ACT_DOMAINS,
    OWN_gate_events = OWN_gate_wakeup + ACT_DOMAINS,
    OWN_gate_overhead = OWN_gate_events + ACT_DOMAINS,
    OWN_gate_wakeups = OWN_gate_overhead + ACT_DOMAINS,
    OWN_gate_early_wakeups = OWN_gate_wakeups + ACT_DOMAINS,
    OWN_gate_critical_wakeups = OWN_gate_early_wakeups + ACT_DOMAINS,
    OWN_blackout_cycles = OWN_gate_critical_wakeups + ACT_DOMAINS,
};

// ---- time --------------------------------------------------------------------------------------
// First cycle in which a domain that is off may be woken.
static uint64_t may_wake(const struct gating *g, uint32_t pipe) {
    const uint64_t since = g->domain[pipe].since;
    return g->rule[g->type_of[pipe]]->has_blackout ? since + g->times.break_even : since;
}

// Settles the domain of a pipe that goes off on its own; pipes of a `ruled` type are settled
// together.
static inline void settle_alone(struct gating *g, const struct sm_view *v, uint32_t pipe,
                                uint64_t t) {
    const uint32_t type = g->type_of[pipe];
    if (g->rule[type]->settle == NULL)
        domain_settle(&g->domain[pipe], savings_idle_from(v, pipe), g->idle_detect[type], t);
}

// Tells the SM when the pipe takes instructions behind cycle t, up to which it is settled. Without
// a wakeup delay a unit that may be woken takes the instruction that wakes it, so it is off only in
// a blackout.
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

// Whether the rule has to settle a type: a pipeline of the type has gone off or is awake, or no warp
// keeps its last pipeline on any longer. The cases follow no pattern, so the code does not branch.
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

// Settles all domains that do not go off on their own up to and with cycle t.
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

// A pipeline of the type has been woken beside the only one that was on. That one is no longer the
// last, so it may go off from the next cycle on.
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
    uint64_t *const c = savings_own(a, SAVINGS_gating);
    for (uint32_t type = 0; type < GATE_TYPES; type++) {
        if (g->rule[type] == NULL) continue;
        for (uint32_t i = 0; i < g->n[type]; i++) {
            const uint32_t d = domain_of[type] + (type < 2 ? i : 0);
            const struct gate_counts *const n = &g->domain[g->first[type] + i].n;
            c[OWN_gate_uncompensated + d] += n->uncompensated;
            c[OWN_gate_compensated + d] += n->compensated;
            c[OWN_gate_wakeup + d] += n->wakeup;
            c[OWN_gate_events + d] += n->events;
            c[OWN_gate_overhead + d] += n->events * g->times.break_even;
            c[OWN_gate_wakeups + d] += n->wakeups;
            c[OWN_gate_early_wakeups + d] += n->early_wakeups;
            c[OWN_gate_critical_wakeups + d] += n->critical_wakeups;
        }
        for (uint32_t d = domain_of[type]; d < domain_of[type] + (type < 2 ? g->n[type] : 1u); d++)
            c[OWN_gate_on_idle + d] = a->c[ACT_idle_cycles + d] - c[OWN_gate_uncompensated + d] -
                                      c[OWN_gate_compensated + d] - c[OWN_gate_wakeup + d];
    }
    for (uint32_t i = 0; i < 2; i++)
        if (g->rule[i] != NULL) a->c[g->at_windows + i] += g->window_cycles[i];
    if (g->pays_counters) c[OWN_blackout_cycles] = a->c[ACT_sm_busy_cycles];
}

// ---- making ------------------------------------------------------------------------------------
static const struct sm_life_port life = {.work = work};
static const struct sm_issue_port issue_port = {.issued = issued};

struct gating *savings_gating(struct savings_sm *s) {
    return s->state[SAVINGS_gating];
}

const struct gate_rule *gating_rule(const struct savings *s) {
    FOR_EACH_BIT32(m, s->mechanisms)
        if (savings_part(m)->gate_rule != NULL) return savings_part(m)->gate_rule;
    return NULL;
}

static enum ww_status check(const struct savings *s, const struct sm_config *c, struct diags *d) {
    const bool sfu = savings_value(s, "gate_sfu"), ldst = savings_value(s, "gate_ldst");
    if (!savings_value(s, "gate_int") && !savings_value(s, "gate_fp") && !sfu && !ldst)
        return diag_add(
            d, WW_ERROR_CONFIG,
            "gate_int, gate_fp, gate_sfu and gate_ldst are all 0: nothing is left to gate");
    if (ldst && c->shared_on_lanes)
        return diag_add(d, WW_ERROR_CONFIG,
                        "gate_ldst does not go with sm.shared_on_lanes: there the lanes read "
                        "shared memory through LD/ST without asking for it");
    return WW_OK;
}

// Where lanes are gated, INT and FP are theirs.
static bool is_there(const struct savings *s) {
    return gating_rule(s) != NULL || savings_value(s, "gate_sfu") || savings_value(s, "gate_ldst");
}

static bool make(struct savings_sm *s, void *self, struct sm_technique *t) {
    struct gating *const g = self;
    const struct savings *const o = &s->set;
    const struct gate_rule *const rule = gating_rule(o);
    const bool whole = rule != NULL;
    const struct {
        bool is_gated;
        const struct gate_rule *rule;
        uint32_t first, n;
    } row[] = {
        [GATE_TYPE_INT] = {whole && savings_value(o, "gate_int"), rule, SM_PIPE_INT,
                           s->c->lane_groups},
        [GATE_TYPE_FP] = {whole && savings_value(o, "gate_fp"), rule, SM_PIPE_FP, s->c->lane_groups},
        [GATE_TYPE_SFU] = {savings_value(o, "gate_sfu"), &rule_conv_pg, SM_PIPE_SFU, s->c->sfus},
        [GATE_TYPE_LDST] = {savings_value(o, "gate_ldst"), &rule_conv_pg, SM_PIPE_LDST, 1},
    };
    g->times =
        (struct gate_times){savings_value(o, "break_even"), savings_value(o, "wakeup_delay")};
    for (uint32_t i = 0; i < GATE_TYPES; i++) {
        if (!row[i].is_gated) continue;
        g->rule[i] = row[i].rule;
        g->first[i] = (uint8_t)row[i].first;
        g->n[i] = (uint8_t)row[i].n;
        g->idle_detect[i] = savings_value(o, "idle_detect");
        g->pipes_of[i] = ((1ull << row[i].n) - 1) << row[i].first;
        g->pipes |= g->pipes_of[i];
        if (g->rule[i]->settle != NULL) {
            g->ruled |= 1u << i;
            g->of_rule |= g->pipes_of[i];
        }
        for (uint32_t k = 0; k < row[i].n; k++) g->type_of[row[i].first + k] = (uint8_t)i;
    }
    g->pays_counters = whole && rule->has_blackout && !savings_has(o, SAVINGS_gates);
    g->at_windows = act_number("idle_detect_cycles");
    for (uint32_t i = 0; i < SM_PIPES; i++)
        g->gate[i] = (struct sm_gate){UINT64_MAX, SM_GATE_NEVER};
    g->told = g->times.wakeup_delay == 0 ? g->pipes : g->pipes_of[GATE_TYPE_LDST];
    for (uint32_t i = GATE_TYPE_INT; i <= GATE_TYPE_FP; i++)
        g->counts_active |= g->rule[i] != NULL && g->rule[i]->counts_active;
    g->port = (struct sm_gate_port){.gate = g->gate, .pipes = g->pipes, .wanted = wanted};
    g->clock = (struct sm_clock_port){.cycle = cycle, .rest = g->counts_active ? rest : NULL};
    if (g->times.wakeup_delay == 0) t->issue = &issue_port;
    t->gate = &g->port;
    t->clock = &g->clock;
    return true;
}

// ---- what it is --------------------------------------------------------------------------------
// clang-format off
static const struct act_own counters[] = {
    {.at = OWN_gate_on_idle, .n = ACT_DOMAINS, .name = "gate_on_idle",
     .unit = "pipe cycles", .component = "exu",
     .prose = "power gating: idle cycles in which the domain was on (idle-detect)",
     .free = "state of a gated domain that leaks as without gating"},
    {.at = OWN_gate_uncompensated, .n = ACT_DOMAINS, .name = "gate_uncompensated",
     .unit = "pipe cycles", .component = "exu",
     .prose = "power gating: cycles off before the break-even time"},
    {.at = OWN_gate_compensated, .n = ACT_DOMAINS, .name = "gate_compensated",
     .unit = "pipe cycles", .component = "exu",
     .prose = "power gating: cycles off after the break-even time"},
    {.at = OWN_gate_wakeup, .n = ACT_DOMAINS, .name = "gate_wakeup",
     .unit = "pipe cycles", .component = "exu",
     .prose = "power gating: cycles in which the domain was waking",
     .free = "as gate_on_idle: it leaks as when it is on"},
    {.at = OWN_gate_events, .n = ACT_DOMAINS, .name = "gate_events",
     .unit = "events", .component = "exu",
     .prose = "power gating: times that the domain was switched off", .free = "gate_overhead pays"},
    {.at = OWN_gate_overhead, .n = ACT_DOMAINS, .name = "gate_overhead",
     .unit = "pipe cycles", .component = "exu",
     .prose = "power gating: cycles of leakage that switching off and on costs: the break-even "
              "time of each event"},
    {.at = OWN_gate_wakeups, .n = ACT_DOMAINS, .name = "gate_wakeups",
     .unit = "events", .component = "exu",
     .prose = "power gating: times that the domain was woken",
     .free = "paid with the event that switched off"},
    {.at = OWN_gate_early_wakeups, .n = ACT_DOMAINS, .name = "gate_early_wakeups",
     .unit = "events", .component = "exu",
     .prose = "power gating: of these, before the break-even time",
     .free = "a part of gate_wakeups"},
    {.at = OWN_gate_critical_wakeups, .n = ACT_DOMAINS, .name = "gate_critical_wakeups",
     .unit = "events", .component = "exu",
     .prose = "power gating: of these, in the cycle in which a blackout ended",
     .free = "a part of gate_wakeups"},
    {.at = OWN_blackout_cycles, .name = "blackout_cycles", .unit = "SM cycles",
     .component = "scheduler",
     .prose = "blackout without gates: busy SM cycles in which its counters ran"},
};
// clang-format on

// clang-format off
static const struct savings_option options[] = {
    {.name = "idle_detect", .value = 5, .high = 100000, .unit = "cycles",
     .what = "idle cycles after which a unit is switched off",
     .source = "Warped Gates, MICRO-46, 7.1"},
    {.name = "break_even", .value = 14, .low = 1, .high = 100000, .unit = "cycles",
     .what = "cycles off that pay for switching off and on",
     .source = "Warped Gates, MICRO-46, 2.2 and 7.1, after Hu et al."},
    {.name = "wakeup_delay", .value = 3, .high = 1000, .unit = "cycles",
     .what = "from waking a unit to its first instruction",
     .source = "Warped Gates, MICRO-46, 2.2, after Hu et al."},
    {.name = "gate_int", .value = 1, .high = 1, .unit = "", .what = "gate the INT pipelines",
     .source = "Warped Gates, MICRO-46, 3"},
    {.name = "gate_fp", .value = 1, .high = 1, .unit = "", .what = "gate the FP pipelines",
     .source = "Warped Gates, MICRO-46, 3"},
    {.name = "gate_sfu", .value = 0, .high = 1, .unit = "",
     .what = "gate the SFUs too, conventionally",
     .source = "Warped Gates, MICRO-46, 3: conventional gating suffices for them; its evaluation "
               "leaves them out"},
    {.name = "gate_ldst", .value = 0, .high = 1, .unit = "",
     .what = "gate the load/store unit too, conventionally",
     .source = "assumed: the papers leave it out"},
};
// clang-format on

// A domain is a unit's share of one lane group: the integer lanes of a lane group, its
// floating-point lanes, all SFU lanes of an SM, the address units of an SM. Off (before or after
// the break-even time) it does not leak; each switching off costs its leakage over the break-even
// time, by the definition of that time; waking, it leaks as when it is on. The pipeline registers
// around the lanes stay on. A blackout without GATES pays what the paper synthesised for the counters
// of both, which is more than its own take.
#define SYNTHESIS "Warped Gates, MICRO-46, 7.5"
#define HU        "Hu et al., ISLPED 2004; Warped Gates, MICRO-46, 2.2"
// clang-format off
static const struct savings_line lines[] = {
    {.key = "int", .name = "INT", .kind = LINE_LEAKAGE, .component = "int",
     .what = "lanes of the INT pipelines"},
    {.key = "fp", .name = "FP", .kind = LINE_LEAKAGE, .component = "fp",
     .what = "lanes of the FP pipelines"},
    {.key = "sfu", .name = "SFU", .kind = LINE_LEAKAGE, .component = "sfu",
     .what = "lanes of the SFUs"},
    {.key = "ldst", .name = "LD/ST", .kind = LINE_LEAKAGE, .component = "agu",
     .what = "address units"},
};
static const struct savings_effect effects[] = {
    {.line = "int", .counter = "gate_uncompensated", .and = "gate_compensated",
     .first = ACT_INT_DOMAIN, .n = SM_MAX_LANE_GROUPS, .component = "int", .sign = SAVES,
     .price = {.kind = PRICE_LEAK, .per = PER_LANE_GROUP, .share = 1},
     .why = "a domain that is off does not leak", .source = HU},
    {.line = "int", .counter = "gate_overhead", .first = ACT_INT_DOMAIN, .n = SM_MAX_LANE_GROUPS,
     .component = "int", .sign = COSTS,
     .price = {.kind = PRICE_LEAK, .per = PER_LANE_GROUP, .share = 1},
     .why = "switching off costs the leakage of the break-even time", .source = HU},
    {.line = "fp", .counter = "gate_uncompensated", .and = "gate_compensated",
     .first = ACT_FP_DOMAIN, .n = SM_MAX_LANE_GROUPS, .component = "fp", .sign = SAVES,
     .price = {.kind = PRICE_LEAK, .per = PER_LANE_GROUP, .share = 1}, .why = "as INT", .source = HU},
    {.line = "fp", .counter = "gate_overhead", .first = ACT_FP_DOMAIN, .n = SM_MAX_LANE_GROUPS,
     .component = "fp", .sign = COSTS,
     .price = {.kind = PRICE_LEAK, .per = PER_LANE_GROUP, .share = 1}, .why = "as INT", .source = HU},
    {.line = "sfu", .counter = "gate_uncompensated", .and = "gate_compensated",
     .first = ACT_SFU_DOMAIN, .component = "sfu", .sign = SAVES,
     .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1}, .why = "as INT", .source = HU},
    {.line = "sfu", .counter = "gate_overhead", .first = ACT_SFU_DOMAIN, .component = "sfu",
     .sign = COSTS, .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1}, .why = "as INT",
     .source = HU},
    {.line = "ldst", .counter = "gate_uncompensated", .and = "gate_compensated",
     .first = ACT_LDST_DOMAIN, .component = "agu", .sign = SAVES,
     .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1}, .why = "as INT", .source = HU},
    {.line = "ldst", .counter = "gate_overhead", .first = ACT_LDST_DOMAIN, .component = "agu",
     .sign = COSTS, .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1}, .why = "as INT",
     .source = HU},
    {.line = "counters", .counter = "blackout_cycles", .component = "scheduler", .sign = COSTS,
     .price = {.kind = PRICE_JOULES, .joules = 1.55e-3 / 700e6},
     .why = "dynamic power of the counters for a cycle, GATES' among them: an upper bound",
     .source = SYNTHESIS},
    {.line = "counters", .counter = "blackout_cycles", .component = "scheduler", .sign = COSTS,
     .price = {.kind = PRICE_WATTS, .watts = 1.21e-5}, .why = "their leakage", .source = SYNTHESIS},
};
static const struct savings_area areas[] = {
    {.line = "counters", .counter = "blackout_cycles", .component = "sm",
     .size = {.kind = SIZE_COUNTS, .per = PER_SM, .n = 2 * 6},
     .what = "active warps of INT and FP: six bits each", .source = "Warped Gates, MICRO-46, 6",
     .published = "1210.8 um2 an SM, all counters"},
    {.line = "counters", .counter = "gate_on_idle", .first = ACT_INT_DOMAIN, .n = SM_MAX_LANE_GROUPS,
     .component = "int", .size = {.kind = SIZE_COUNTS, .per = PER_LANE_GROUP, .n = 4 + 4},
     .what = "idle time and time until break-even of a domain",
     .source = "Warped Gates, MICRO-46, 6"},
    {.line = "int", .counter = "gate_on_idle", .first = ACT_INT_DOMAIN, .n = SM_MAX_LANE_GROUPS,
     .component = "int", .size = {.kind = SIZE_HEADERS, .share = 0.1},
     .what = "sleep devices, a tenth of what they feed",
     .source = "assumed: the papers leave them out"},
    {.line = "counters", .counter = "gate_on_idle", .first = ACT_FP_DOMAIN, .n = SM_MAX_LANE_GROUPS,
     .component = "fp", .size = {.kind = SIZE_COUNTS, .per = PER_LANE_GROUP, .n = 4 + 4},
     .what = "idle time and time until break-even of a domain",
     .source = "Warped Gates, MICRO-46, 6"},
    {.line = "fp", .counter = "gate_on_idle", .first = ACT_FP_DOMAIN, .n = SM_MAX_LANE_GROUPS,
     .component = "fp", .size = {.kind = SIZE_HEADERS, .share = 0.1},
     .what = "sleep devices, a tenth of what they feed",
     .source = "assumed: the papers leave them out"},
    {.line = "counters", .counter = "gate_on_idle", .first = ACT_SFU_DOMAIN, .component = "sfu",
     .size = {.kind = SIZE_COUNTS, .per = PER_SM, .n = 4 + 4},
     .what = "idle time and time until break-even of a domain",
     .source = "Warped Gates, MICRO-46, 6"},
    {.line = "sfu", .counter = "gate_on_idle", .first = ACT_SFU_DOMAIN, .component = "sfu",
     .size = {.kind = SIZE_HEADERS, .share = 0.1},
     .what = "sleep devices, a tenth of what they feed",
     .source = "assumed: the papers leave them out"},
    {.line = "counters", .counter = "gate_on_idle", .first = ACT_LDST_DOMAIN, .component = "agu",
     .size = {.kind = SIZE_COUNTS, .per = PER_SM, .n = 4 + 4},
     .what = "idle time and time until break-even of a domain",
     .source = "Warped Gates, MICRO-46, 6"},
    {.line = "ldst", .counter = "gate_on_idle", .first = ACT_LDST_DOMAIN, .component = "agu",
     .size = {.kind = SIZE_HEADERS, .share = 0.1},
     .what = "sleep devices, a tenth of what they feed",
     .source = "assumed: the papers leave them out"},
};
static const struct savings_bound bounds[] = {
    {.line = "int", .periods = "idle_periods_int", .cycles = "idle_cycles", .less = "idle_sent",
     .overhead = "gate_overhead", .events = "gate_events", .first = ACT_INT_DOMAIN,
     .n = SM_MAX_LANE_GROUPS, .per = PER_LANE_GROUP},
    {.line = "fp", .periods = "idle_periods_fp", .cycles = "idle_cycles", .less = "idle_sent",
     .overhead = "gate_overhead", .events = "gate_events", .first = ACT_FP_DOMAIN,
     .n = SM_MAX_LANE_GROUPS, .per = PER_LANE_GROUP},
    {.line = "sfu", .periods = "idle_periods_sfu", .cycles = "idle_cycles", .less = "idle_sent",
     .overhead = "gate_overhead", .events = "gate_events", .first = ACT_SFU_DOMAIN, .per = PER_SM},
    {.line = "ldst", .periods = "idle_periods_ldst", .cycles = "idle_cycles", .less = "idle_sent",
     .overhead = "gate_overhead", .events = "gate_events", .first = ACT_LDST_DOMAIN, .per = PER_SM},
};
static const struct savings_shown shown[] = {
    {.line = "int", .counter = "gate_on_idle", .first = ACT_INT_DOMAIN, .n = SM_MAX_LANE_GROUPS},
    {.line = "fp", .counter = "gate_on_idle", .first = ACT_FP_DOMAIN, .n = SM_MAX_LANE_GROUPS},
    {.line = "sfu", .counter = "gate_on_idle", .first = ACT_SFU_DOMAIN},
    {.line = "ldst", .counter = "gate_on_idle", .first = ACT_LDST_DOMAIN},
};
// clang-format on

const struct savings_part part_gating = {
    .counters = {PART_ROWS(counters)},
    .options = {PART_ROWS(options)},
    .lines = {PART_ROWS(lines)},
    .effects = {PART_ROWS(effects)},
    .areas = {PART_ROWS(areas)},
    .bounds = {PART_ROWS(bounds)},
    .shown = {PART_ROWS(shown)},
    .turn = TURN_UNITS,
    .check = check,
    .is_there = is_there,
    .state_bytes = sizeof(struct gating),
    .ports = {.name = "gating", .life = &life, .count = count},
    .make = make,
};
