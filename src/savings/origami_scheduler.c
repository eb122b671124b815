// The second step of the Origami scheduler (dissertation, 4.3.2 and 4.3.3); the first, by
// instruction type, is gates. Warps for INT and FP are two groups: those with all 32 threads active
// and those with fewer. At the start of each phase the group that has more warps is chosen; after
// group_phases phases in a row it is the other's turn if that has any. A scheduler issues INT and
// FP instructions of the chosen group as long as one is ready, and then of the other.
//
// The text leaves open what the group is when a scheduler runs out of it ("it will be forced to
// switch to a different group"): here this scheduler stays with the other group until it runs out
// of that, or the phase ends. Equal numbers change nothing. A warp of the group that waits for
// lanes to wake does not make its scheduler change groups.
#include "savings/savings_int.h"

enum { // numbers of its own counters, from the first
    OWN_group_phases,
    OWN_group_forced = OWN_group_phases + 2,
    OWN_group_switches,
};

// Two groups of the warps for INT and FP, those with all lanes active and those that miss one.
struct warp_groups {
    uint64_t partial[SM_MAX_SCHEDULERS];   // all bits: its group is those that miss one; else none
    uint64_t looked_at[SM_MAX_SCHEDULERS]; // cycle of its last choice among such warps
    uint64_t switches;                     // a scheduler has run out of its group
};
struct origami {
    uint32_t group_phases; // option
    bool is_partial;       // the group chosen for the phase: fewer than 32 threads active
    uint32_t in_a_row;     // phases
    uint64_t phases[2], forced;
    struct sm_clock_port clock;
    struct warp_groups groups;
};

// Of `ready`, those of the scheduler's group. Only its first choice of a cycle among such warps
// changes groups: later ones are of what it could not have. Nothing branches here, there is no
// pattern to guess.
static uint64_t among(void *self, const struct sm_view *v, uint32_t scheduler, uint64_t ready) {
    struct warp_groups *const g = &((struct origami *)self)->groups;
    const uint64_t of_sp = ready & (v->needs[UNIT_INT] | v->needs[UNIT_FP]);
    const uint64_t mine = of_sp & (v->full ^ g->partial[scheduler]);
    const bool runs_out = (mine == 0) & (of_sp != 0),
               changes = runs_out & (g->looked_at[scheduler] != v->cycle);
    g->looked_at[scheduler] = of_sp != 0 ? v->cycle : g->looked_at[scheduler];
    g->partial[scheduler] ^= 0 - (uint64_t)changes;
    g->switches += changes;
    return (ready & ~of_sp) | mine | (of_sp & (0 - (uint64_t)runs_out));
}

static void epoch(void *self, const struct sm_view *v, uint64_t t) {
    (void)t;
    struct origami *const o = self;
    const uint64_t of_sp = savings_active(v, UNIT_INT) | savings_active(v, UNIT_FP);
    const uint32_t full = bits_count64(of_sp & v->full), partial = bits_count64(of_sp) - full;
    const bool was = o->is_partial;
    bool now = full == partial ? was : partial > full;
    if (now == was && o->in_a_row >= o->group_phases && (was ? full : partial) != 0) {
        now = !was;
        o->forced++;
    }
    o->in_a_row = now == was ? o->in_a_row + 1 : 1;
    o->is_partial = now;
    o->phases[now]++;
    for (uint32_t i = 0; i < SM_MAX_SCHEDULERS; i++) o->groups.partial[i] = now ? ~0ull : 0;
}

static void work(void *self, const struct sm_view *v, bool begins, uint64_t t) {
    (void)v, (void)t;
    struct origami *const o = self;
    if (!begins) return;
    o->is_partial = false;
    o->in_a_row = 0;
    for (uint32_t i = 0; i < SM_MAX_SCHEDULERS; i++) o->groups.partial[i] = 0;
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v, (void)now;
    uint64_t *const c = savings_own(a, SAVINGS_origami_scheduler);
    const struct origami *const o = self;
    c[OWN_group_phases] += o->phases[0];
    c[OWN_group_phases + 1] += o->phases[1];
    c[OWN_group_forced] += o->forced;
    c[OWN_group_switches] += o->groups.switches;
}

static const struct sm_choice_port choice = {.among = among};
static const struct sm_life_port life = {.work = work};

static enum ww_status check(const struct savings *s, const struct sm_config *c, struct diags *d) {
    (void)c;
    if (savings_has(s, SAVINGS_gates)) return WW_OK;
    return diag_add(d, WW_ERROR_CONFIG,
                    "origami-scheduler needs gates: it chooses among the warps of one type, and "
                    "gates chooses the type");
}

static bool make(struct savings_sm *s, void *self, struct sm_technique *t) {
    struct origami *const o = self;
    o->group_phases = savings_value(&s->set, "group_phases");
    for (uint32_t i = 0; i < SM_MAX_SCHEDULERS; i++)
        o->groups.looked_at[i] = UINT64_MAX; // in no cycle
    o->clock =
        (struct sm_clock_port){.epoch_cycles = savings_value(&s->set, "phase"), .epoch = epoch};
    t->clock = &o->clock;
    return true;
}

// ---- what it is --------------------------------------------------------------------------------
// clang-format off
static const struct act_own counters[] = {
    {.at = OWN_group_phases, .n = 2, .name = "group_phases",
     .unit = "phases", .component = "scheduler",
     .prose = "origami scheduler: phases for warps with all threads active, for those with fewer",
     .free = "a comparison of two counters, in the figure of the shift logic"},
    {.at = OWN_group_forced, .name = "group_forced", .unit = "phases", .component = "scheduler",
     .prose = "origami scheduler: phases of a group whose turn it was though it had fewer warps",
     .free = "a part of group_phases"},
    {.at = OWN_group_switches, .name = "group_switches", .unit = "events", .component = "scheduler",
     .prose = "origami scheduler: times that a scheduler found none of its group and took the "
              "other",
     .free = "a bit of state changes"},
};
// clang-format on

// clang-format off
static const struct savings_option options[] = {
    {.name = "group_phases", .value = 2, .low = 1, .high = 1000000, .unit = "phases",
     .what = "in a row for one group of warps, then it is the other's turn",
     .source = "dissertation, 4.3.3: M"},
};
// clang-format on
// clang-format off
static const struct savings_area areas[] = {
    {.line = "shift_logic", .counter = "group_phases", .n = 2, .component = "sm",
     .size = {.kind = SIZE_COUNTS, .per = PER_SM, .n = 2 * 5},
     .what = "two counters of warps by group", .source = "dissertation, 4.3.3"},
    {.line = "shift_logic", .counter = "group_phases", .n = 2, .component = "sm",
     .size = {.kind = SIZE_NANDS, .per = PER_SM, .n = 2 * 2 * 31},
     .what = "two detectors of full masks, of 31 AND gates each", .source = "dissertation, 4.3.3"},
};
// clang-format on

const struct savings_part part_origami_scheduler = {
    .name = "origami-scheduler",
    .what = "within the type that gates chose, warps with all threads active and warps with fewer "
            "issue apart, by phases",
    .paper = "Abdel-Majeed's dissertation (2016), 4.3.2 and 4.3.3",
    .counters = {PART_ROWS(counters)},
    .options = {PART_ROWS(options)},
    .areas = {PART_ROWS(areas)},
    .uses = {&part_phases},
    .check = check,
    .state_bytes = sizeof(struct origami),
    .ports = {.choice = &choice, .life = &life, .count = count},
    .make = make,
};
