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
#include "activity/sm.h"
#include "savings/gating.h"
#include "savings/savings_int.h"
#include "sm/config.h"

enum { // numbers of its own counters, from the first
    OWN_gates_switches,
    OWN_gates_cycles,
};

// The owner of the order of types: names of the option `priority`, in their order.
enum gates_priority { GATES_SM, GATES_SM_OPPOSED, GATES_SCHEDULERS, GATES_SCHEDULERS_OPPOSED };

struct gates {
    struct gating *coordinated; // NULL: there is no Coordinated Blackout
    uint32_t max_switch, schedulers;
    bool is_opposed;                       // one order, exchanged in every second scheduler
    uint32_t owners;                       // of an order of types: 1, the SM, or its schedulers
    uint32_t highest[SM_MAX_SCHEDULERS];   // by scheduler: GATE_TYPE_INT or GATE_TYPE_FP
    uint64_t switch_at[SM_MAX_SCHEDULERS]; // by owner: when max_switch is over
    uint64_t switches;
};

static const uint32_t unit_of[2] = {UNIT_INT, UNIT_FP};

static void put_first(struct gates *g, uint32_t owner, uint32_t type, uint64_t t) {
    g->highest[owner] = type;
    g->switch_at[owner] = g->max_switch != 0 ? t + g->max_switch : UINT64_MAX;
    for (uint32_t i = 1; g->owners == 1 && i < g->schedulers; i++)
        g->highest[i] = type ^ (g->is_opposed & i & 1);
}

// Of `ready` warps, those of the foremost type that has any.
static uint64_t among(void *self, const struct sm_view *v, uint32_t scheduler, uint64_t ready) {
    const struct gates *const g = self;
    const uint64_t *const n = v->needs;
    const uint64_t row[] = {n[unit_of[g->highest[scheduler]]] | n[UNIT_NONE],
                            n[UNIT_LDST] | n[UNIT_TEX],
                            n[UNIT_SFU] | n[UNIT_DP]}; // and the other type
    uint64_t first = ready;
    for (uint32_t i = WW_COUNT(row); i-- > 0;)
        first = (ready & row[i]) != 0 ? ready & row[i] : first;
    return first;
}

// As long as the first type has an active warp, and a unit that is on, it stays first, but for
// max_switch.
static void look(struct gates *g, const struct sm_view *v, uint32_t owner) {
    const uint32_t first = g->highest[owner], last = first ^ 1;
    const uint64_t can = savings_active_warps(v) & (g->owners == 1 ? ~0ull : v->mine[owner]);
    if ((can & v->needs[unit_of[last]]) == 0) return; // no warp to change places for
    bool change = (can & v->needs[unit_of[first]]) == 0;
    if (!change && g->coordinated != NULL)
        change = gating_all_in_blackout(g->coordinated, v, first) &&
                 !gating_all_in_blackout(g->coordinated, v, last);
    if (!change && g->max_switch != 0) change = v->cycle >= g->switch_at[owner];
    if (!change) return;
    g->switches++;
    put_first(g, owner, last, v->cycle);
}

static void cycle(void *self, const struct sm_view *v) {
    struct gates *const g = self;
    look(g, v, 0);
    for (uint32_t i = 1; ww_unlikely(i < g->owners); i++) look(g, v, i);
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v, (void)now;
    uint64_t *const c = savings_own(a, SAVINGS_gates);
    const struct gates *const g = self;
    c[OWN_gates_switches] += g->switches;
    c[OWN_gates_cycles] = a->c[ACT_sm_busy_cycles];
}

static const struct sm_choice_port choice = {.among = among};
static const struct sm_clock_port clock_port = {.cycle = cycle};

static bool make(struct savings_sm *s, void *self, struct sm_technique *t) {
    (void)t;
    struct gates *const g = self;
    const uint32_t priority = savings_value(&s->set, "priority");
    const bool is_own = priority == GATES_SCHEDULERS || priority == GATES_SCHEDULERS_OPPOSED;
    if (savings_has(&s->set, SAVINGS_coordinated_blackout)) g->coordinated = savings_gating(s);
    g->max_switch = savings_value(&s->set, "max_switch");
    g->schedulers = s->c->schedulers;
    g->is_opposed = priority == GATES_SM_OPPOSED;
    g->owners = is_own ? s->c->schedulers : 1;
    for (uint32_t i = 0; i < g->owners; i++)
        put_first(g, i,
                  priority == GATES_SCHEDULERS_OPPOSED && i & 1 ? GATE_TYPE_FP : GATE_TYPE_INT, 0);
    return true;
}

// ---- what it is --------------------------------------------------------------------------------
// clang-format off
static const struct act_own counters[] = {
    {.at = OWN_gates_switches, .name = "gates_switches", .unit = "events", .component = "scheduler",
     .prose = "gates: times that INT and FP changed priority", .free = "a bit of state changes"},
    {.at = OWN_gates_cycles, .name = "gates_cycles", .unit = "SM cycles", .component = "scheduler",
     .prose = "busy SM cycles in which the added counters of gates and blackout ran"},
};
// clang-format on

// clang-format off
static const struct savings_option options[] = {
    {.name = "priority", .names = "sm sm-opposed schedulers schedulers-opposed", .value = GATES_SM,
     .unit = "",
     .what = "owner of the order of types: sm, one for all schedulers; sm-opposed, one, in which "
             "every second scheduler has INT and FP exchanged; schedulers, one for each, INT first "
             "at the start; schedulers-opposed, one for each, every second starts with FP first",
     .source = "assumed: MICRO-46, 4, has one scheduler and one order; its simulator has two "
               "scheduler objects, and the paper does not say whose the order is"},
    {.name = "max_switch", .value = 0, .high = 1000000000, .unit = "cycles",
     .what = "longest time that INT or FP stays first while the other has active warps; 0: no limit",
     .source = "Warped Gates, MICRO-46, 4: optional, no value given"},
};
// clang-format on

// The counters that gates and blackout add to an SM: synthesised in 45 nm, at 700 MHz; of SMs that
// hold work; taken as published, not scaled to the node.
#define SYNTHESIS "Warped Gates, MICRO-46, 7.5"
// clang-format off
static const struct savings_line lines[] = {
    {.key = "counters", .name = "counters", .kind = LINE_ADDED, .always = true,
     .what = "counters of gates and blackout"},
};
static const struct savings_effect effects[] = {
    {.line = "counters", .counter = "gates_cycles", .component = "scheduler", .sign = COSTS,
     .price = {.kind = PRICE_JOULES, .joules = 1.55e-3 / 700e6},
     .why = "their dynamic power for a cycle", .source = SYNTHESIS},
    {.line = "counters", .counter = "gates_cycles", .component = "scheduler", .sign = COSTS,
     .price = {.kind = PRICE_WATTS, .watts = 1.21e-5}, .why = "their leakage", .source = SYNTHESIS},
};
static const struct savings_area areas[] = {
    {.line = "counters", .counter = "gates_cycles", .component = "sm",
     .size = {.kind = SIZE_COUNTS, .per = PER_SM, .n = 2 * 6 + 4 * 6},
     .what = "active warps of INT and FP, ready ones of four types: six bits each",
     .source = "Warped Gates, MICRO-46, 6", .published = "1210.8 um2 an SM, all counters"},
};
// clang-format on

const struct savings_part part_gates = {
    .name = "gates",
    .what = "instructions issue by type: INT or FP first, LD/ST, SFU, the other of INT and FP last",
    .paper = "Warped Gates, MICRO-46, 4",
    .roles = ROLE_ORDER,
    .counters = {PART_ROWS(counters)},
    .options = {PART_ROWS(options)},
    .lines = {PART_ROWS(lines)},
    .effects = {PART_ROWS(effects)},
    .areas = {PART_ROWS(areas)},
    .turn = TURN_ORDER,
    .state_bytes = sizeof(struct gates),
    .ports = {.choice = &choice, .clock = &clock_port, .count = count},
    .make = make,
};
