// GATES, the gating-aware two-level scheduler (Warped Gates 4): the active set is split by the type
// of the next instruction, and types issue in the order INT, LD/ST, SFU, FP, or with INT and FP
// exchanged. INT is first at the start. When no active warp is of the first type (its ACTV counter
// is 0) and some are of the last, the two change places. With Coordinated Blackout they also do
// when all units of the first type are in blackout and warps of the last are there. Optionally
// after max_switch cycles too.
//
// The paper has one set of active warps for the SM, from which each cycle's instructions are taken.
// Here each scheduler has its own warps and takes the foremost type that it has ready; order and
// counters are the SM's. So INT and FP issue together when one scheduler has none of the first
// type, no LD/ST and no SFU instruction ready. Double precision goes with SFU; instructions that
// need no unit (branches, barriers) go with the first type, since they lengthen nobody's busy time.
//
// A type whose units are off is passed over once it has been asked for (sm/policy.h: unit_wanted),
// so a blackout does not stop the scheduler.
#include "savings/savings_int.h"

static const uint32_t unit_of[2] = {UNIT_INT, UNIT_FP};

static void put_first(struct savings_sm *s, uint32_t type, uint64_t t) {
    struct gates *const g = &s->gates;
    g->highest = type;
    g->switch_at = s->set.o.max_switch != 0 ? t + s->set.o.max_switch : UINT64_MAX;
    g->first_unit = 1u << unit_of[type];
    g->last_unit = unit_of[type ^ 1];
    g->order = (struct sm_order){{{(uint8_t)unit_of[type], UNIT_NONE},
                                  {UNIT_LDST, UNIT_TEX},
                                  {UNIT_SFU, UNIT_DP}}}; // and the other type
}

// As long as the first type has an active warp, and a unit that is on, it stays first, but for
// max_switch.
static void cycle(void *self, const struct sm_view *v) {
    struct savings_sm *const s = self;
    struct gates *const g = &s->gates;
    const uint32_t first = g->highest, last = first ^ 1;
    if (savings_active(v, unit_of[last]) == 0) return; // nobody to change places for
    bool change = savings_active(v, unit_of[first]) == 0;
    if (!change && savings_has(s, SAVINGS_COORDINATED_BLACKOUT))
        change = gating_all_in_blackout(&s->gating, v, first) &&
                 !gating_all_in_blackout(&s->gating, v, last);
    if (!change && s->set.o.max_switch != 0) change = v->cycle >= g->switch_at;
    if (!change) return;
    g->switches++;
    put_first(s, last, v->cycle);
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v, (void)now;
    const struct savings_sm *const s = self;
    a->c[ACT_gates_switches] += s->gates.switches;
    a->c[ACT_gates_cycles] = a->c[ACT_sm_busy_cycles];
}

void gates_init(struct savings_sm *s, struct sm_policy *p) {
    put_first(s, GATE_TYPE_INT, 0);
    *p = (struct sm_policy){.name = "gates",
                            .self = s,
                            .cycle = cycle,
                            .cycle_at = &s->gates.switch_at,
                            .cycle_without = &s->gates.first_unit,
                            .cycle_any = true,
                            .cycle_with = &s->gates.last_unit,
                            .order = &s->gates.order,
                            .count = count};
}
