// Warp folding (dissertation, 4.3.1): the two half-warps of an INT or FP instruction go through the
// lower two lanes of each quad one after the other. Whether is decided for each phase: at
// its start the warps whose next instruction is INT and FP are counted (INT-Count, FP-Count); the
// type that has more is folded for the first fold_majority per cent of the phase, the other for the
// first fold_minority per cent; neither when the phase before used fold_off_at per cent of all
// issue slots. A folded instruction counts for fold_slots of them: "the two sub-warps" go "over two
// different issue cycles" (4.3.3). Counted once, a phase that folds everything and is full has used
// half of its slots.
//
// The text leaves open where in a phase the folding part lies (here: first, since the decision
// falls at its start), what equal counts mean (here: as before), and what the first phase of an
// SM's work does (here: it does not fold, nothing has been counted).
//
// What folding does to lanes and times is done by lanes.c, which has the lanes.
#include "savings/lane.h"
#include "savings/savings_int.h"
#include "sm/config.h"

enum { // numbers of its own counters, from the first
    OWN_folded,
    OWN_fold_spared = OWN_folded + 2,
    OWN_fold_cycles = OWN_fold_spared + 2,
    OWN_fold_phases = OWN_fold_cycles + 2,
    OWN_fold_phases_off,
};

struct folding {
    struct lanes *lanes;
    uint32_t phase, slots_of, off_at; // options: cycles; slots of a folded instruction; per cent
    uint32_t part[2]; // of a phase, per cent: of the type with fewer warps, with more
    uint32_t slots;   // issue slots in `interval` cycles
    uint32_t interval;
    uint32_t majority;      // type that has more warps: 0 INT, 1 FP
    uint64_t since, issued; // the phase began; sm_view.issued then
    uint64_t folded;        // before it
    uint64_t phases, phases_off;
    struct sm_clock_port clock;
};

static uint64_t folded_so_far(const struct folding *f) {
    return lanes_folded(f->lanes, 0) + lanes_folded(f->lanes, 1);
}

static void epoch(void *self, const struct sm_view *v, uint64_t t) {
    struct folding *const f = self;
    const uint64_t slots = (t - f->since) * f->slots / f->interval;
    const uint64_t halves = (f->slots_of - 1) * (folded_so_far(f) - f->folded);
    const uint64_t issued = v->issued - f->issued + halves;
    const bool is_full = f->off_at <= 100 && issued * 100 >= slots * f->off_at;
    const uint32_t n[LANE_TYPES] = {bits_count64(savings_active(v, UNIT_INT)),
                                    bits_count64(savings_active(v, UNIT_FP))};
    if (n[0] != n[1]) f->majority = n[1] > n[0];
    uint64_t to[LANE_TYPES];
    for (uint32_t type = 0; type < LANE_TYPES; type++)
        to[type] = is_full ? t : t + (uint64_t)f->phase * f->part[type == f->majority] / 100;
    f->phases++;
    f->phases_off += is_full;
    f->since = t;
    f->issued = v->issued;
    f->folded = folded_so_far(f);
    lanes_fold_in(f->lanes, t, to);
}

static void work(void *self, const struct sm_view *v, bool begins, uint64_t t) {
    (void)begins;
    struct folding *const f = self;
    f->since = t;
    f->issued = v->issued;
    f->folded = folded_so_far(f);
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v, (void)now;
    uint64_t *const c = savings_own(a, SAVINGS_warp_folding);
    const struct folding *const f = self;
    c[OWN_fold_phases] += f->phases;
    c[OWN_fold_phases_off] += f->phases_off;
}

static const struct sm_life_port life = {.work = work};

static enum ww_status check(const struct savings *s, const struct sm_config *c, struct diags *d) {
    return lanes_check(s, c, "warp-folding", d);
}

static bool make(struct savings_sm *s, void *self, struct sm_technique *t) {
    struct folding *const f = self;
    f->lanes = savings_lanes(s);
    f->phase = savings_value(&s->set, "phase");
    f->slots_of = savings_value(&s->set, "fold_slots");
    f->off_at = savings_value(&s->set, "fold_off_at");
    f->part[0] = savings_value(&s->set, "fold_minority");
    f->part[1] = savings_value(&s->set, "fold_majority");
    f->slots = s->c->schedulers * (s->c->max_issues_per_warp > 1 ? 2 : 1);
    f->interval = s->c->scheduler_interval > 1 ? s->c->scheduler_interval : 1;
    f->clock = (struct sm_clock_port){.epoch_cycles = f->phase, .epoch = epoch};
    t->clock = &f->clock;
    return true;
}

// ---- what it is --------------------------------------------------------------------------------
// clang-format off
static const struct act_own counters[] = {
    {.at = OWN_folded, .n = 2, .name = "folded", .unit = "warp instructions", .component = "exu",
     .prose = "warp folding: of these, INT and FP, issued as two half-warps",
     .free = "its second half-warp pays at shift_logic_uses; its threads at thread_by_class"},
    {.at = OWN_fold_spared, .n = 2, .name = "fold_spared",
     .unit = "warp instructions", .component = "exu",
     .prose = "warp folding: of these, issued while folding was on, but with a half that had no "
              "active thread",
     .free = "a part of lane_issues"},
    {.at = OWN_fold_cycles, .n = 2, .name = "fold_cycles", .unit = "SM cycles", .component = "exu",
     .prose = "warp folding: cycles in which folding of INT, of FP was on", .free = "time"},
    {.at = OWN_fold_phases, .name = "fold_phases", .unit = "phases", .component = "exu",
     .prose = "warp folding: phases that began",
     .free = "a comparison of two counters, in the figure of the shift logic"},
    {.at = OWN_fold_phases_off, .name = "fold_phases_off", .unit = "phases", .component = "exu",
     .prose = "warp folding: of these, without folding because the phase before used most issue "
              "slots",
     .free = "a part of fold_phases"},
};
// clang-format on

// clang-format off
static const struct savings_option options[] = {
    {.name = "fold_minority", .value = 70, .high = 100, .unit = "per cent",
     .what = "of a phase in which the type with fewer warps is folded (aggressive)",
     .source = "dissertation, 4.3.1.1"},
    {.name = "fold_majority", .value = 40, .high = 100, .unit = "per cent",
     .what = "of a phase in which the type with more warps is folded (conservative)",
     .source = "dissertation, 4.3.1.1"},
    {.name = "fold_off_at", .value = 90, .high = 101, .unit = "per cent",
     .what = "of all issue slots used in the phase before: from there on nothing is folded; 101: "
             "never so", .source = "dissertation, 4.3.1.1"},
    {.name = "fold_slots", .value = 2, .low = 1, .high = 2, .unit = "slots",
     .what = "that a folded instruction counts for there, one a half-warp",
     .source = "dissertation, 4.3.1 and 4.3.3: the half-warps are scheduled over two different "
               "issue cycles"},
    {.name = "eager_gating", .value = 1, .high = 1, .unit = "",
     .what = "where folding is on, the lanes that it frees go off in their first idle cycle",
     .source = "dissertation, 4.3.3"},
};
// clang-format on

const struct savings_part part_warp_folding = {
    .name = "warp-folding",
    .what = "for a part of each phase INT and FP instructions run as two half-warps, one after "
            "the other, on the lower half of the lanes",
    .paper = "Abdel-Majeed's dissertation (2016), 4.3.1",
    .counters = {PART_ROWS(counters)},
    .options = {PART_ROWS(options)},
    .uses = {&part_phases, &part_shift},
    .check = check,
    .state_bytes = sizeof(struct folding),
    .ports = {.life = &life, .count = count},
    .make = make,
};
