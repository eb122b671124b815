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
// A type whose units are off is passed over once it has been asked for (sm/choose.h),
// so a blackout does not stop the scheduler.
#include "savings/savings_int.h"

static const uint32_t unit_of[2] = {UNIT_INT, UNIT_FP};

static void put_first(struct savings_sm *s, uint32_t type, uint64_t t) {
    s->gates.highest = type;
    s->gates.switch_at = s->set.o.max_switch != 0 ? t + s->set.o.max_switch : UINT64_MAX;
}

// Of `ready` warps, those of the foremost type that has any.
static uint64_t among(void *self, const struct sm_view *v, uint32_t scheduler, uint64_t ready) {
    (void)scheduler;
    const struct savings_sm *const s = self;
    const uint64_t *const n = v->needs;
    const uint64_t row[] = {n[unit_of[s->gates.highest]] | n[UNIT_NONE], n[UNIT_LDST] | n[UNIT_TEX],
                            n[UNIT_SFU] | n[UNIT_DP]}; // and the other type
    uint64_t first = ready;
    for (uint32_t i = WW_COUNT(row); i-- > 0;)
        first = (ready & row[i]) != 0 ? ready & row[i] : first;
    return first;
}

// As long as the first type has an active warp, and a unit that is on, it stays first, but for
// max_switch.
static void cycle(void *self, const struct sm_view *v) {
    struct savings_sm *const s = self;
    struct gates *const g = &s->gates;
    const uint32_t first = g->highest, last = first ^ 1;
    if (savings_active(v, unit_of[last]) == 0) return; // no warp to change places for
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

static const struct sm_choice_port choice = {.among = among};
static const struct sm_clock_port clock_port = {.cycle = cycle};

void gates_init(struct savings_sm *s, struct sm_technique *t) {
    put_first(s, GATE_TYPE_INT, 0);
    *t = (struct sm_technique){
        .name = "gates", .self = s, .choice = &choice, .clock = &clock_port, .count = count};
}
