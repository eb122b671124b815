// GATES, the gating-aware two-level scheduler (Warped Gates 4): the active set is split by the type
// of the next instruction, and types issue in the order INT, LD/ST, SFU, FP, or with INT and FP
// exchanged. INT is first at the start. When no active warp is of the first type (its ACTV counter
// is 0) and some are of the last, the two change places. With Coordinated Blackout they also do
// when all units of the first type are in blackout and warps of the last are there. Optionally
// after max_switch cycles too.
//
// The paper has one set of active warps for the SM, from which each cycle's instructions are taken,
// and does not say whether its two schedulers have one order of types or one each: the option
// `priority` does. With an order of the SM counters are those of all its warps, and INT and FP
// issue together when one scheduler has none of the first type, no LD/ST and no SFU instruction
// ready. With an order of its own a scheduler counts the warps that it chooses from; where these
// are the same for all schedulers (sm.shared_warps) and their first types too, that is the SM's
// order. Double precision goes with SFU; instructions that need no unit (branches, barriers) go
// with the first type, since they lengthen no unit's busy time.
//
// A type whose units are off is passed over once it has been asked for (sm/choose.h),
// so a blackout does not stop the scheduler.
#include "savings/savings_int.h"

static const uint32_t unit_of[2] = {UNIT_INT, UNIT_FP};

static void put_first(struct savings_sm *s, uint32_t owner, uint32_t type, uint64_t t) {
    struct gates *const g = &s->gates;
    const bool opposes = s->set.o.priority == GATES_SM_OPPOSED;
    g->highest[owner] = type;
    g->switch_at[owner] = s->set.o.max_switch != 0 ? t + s->set.o.max_switch : UINT64_MAX;
    for (uint32_t i = 1; g->owners == 1 && i < s->c.schedulers; i++)
        g->highest[i] = type ^ (opposes & i & 1);
}

// Of `ready` warps, those of the foremost type that has any.
static uint64_t among(void *self, const struct sm_view *v, uint32_t scheduler, uint64_t ready) {
    const struct savings_sm *const s = self;
    const uint64_t *const n = v->needs;
    const uint64_t row[] = {n[unit_of[s->gates.highest[scheduler]]] | n[UNIT_NONE],
                            n[UNIT_LDST] | n[UNIT_TEX],
                            n[UNIT_SFU] | n[UNIT_DP]}; // and the other type
    uint64_t first = ready;
    for (uint32_t i = WW_COUNT(row); i-- > 0;)
        first = (ready & row[i]) != 0 ? ready & row[i] : first;
    return first;
}

// As long as the first type has an active warp, and a unit that is on, it stays first, but for
// max_switch.
static void look(struct savings_sm *s, const struct sm_view *v, uint32_t owner) {
    struct gates *const g = &s->gates;
    const uint32_t first = g->highest[owner], last = first ^ 1;
    const uint64_t can = savings_active_warps(v) & (g->owners == 1 ? ~0ull : v->mine[owner]);
    if ((can & v->needs[unit_of[last]]) == 0) return; // no warp to change places for
    bool change = (can & v->needs[unit_of[first]]) == 0;
    if (!change && savings_has(s, SAVINGS_COORDINATED_BLACKOUT))
        change = gating_all_in_blackout(&s->gating, v, first) &&
                 !gating_all_in_blackout(&s->gating, v, last);
    if (!change && s->set.o.max_switch != 0) change = v->cycle >= g->switch_at[owner];
    if (!change) return;
    g->switches++;
    put_first(s, owner, last, v->cycle);
}

static void cycle(void *self, const struct sm_view *v) {
    struct savings_sm *const s = self;
    look(s, v, 0);
    for (uint32_t i = 1; ww_unlikely(i < s->gates.owners); i++) look(s, v, i);
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v, (void)now;
    const struct savings_sm *const s = self;
    a->c[ACT_gates_switches] += s->gates.switches;
    a->c[ACT_gates_cycles] = a->c[ACT_sm_busy_cycles];
}

static const struct sm_choice_port choice = {.among = among};
static const struct sm_clock_port clock_port = {.cycle = cycle};

void gates_init(struct savings_sm *s, struct sm_technique *t) {
    const uint32_t priority = s->set.o.priority;
    const bool is_own = priority == GATES_SCHEDULERS || priority == GATES_SCHEDULERS_OPPOSED;
    s->gates.owners = is_own ? s->c.schedulers : 1;
    for (uint32_t i = 0; i < s->gates.owners; i++)
        put_first(s, i,
                  priority == GATES_SCHEDULERS_OPPOSED && i & 1 ? GATE_TYPE_FP : GATE_TYPE_INT, 0);
    *t = (struct sm_technique){
        .name = "gates", .self = s, .choice = &choice, .clock = &clock_port, .count = count};
}
