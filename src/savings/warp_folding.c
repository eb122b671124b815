// Warp folding (dissertation, 4.3.1): the two half-warps of an INT or FP instruction go through the
// lower two lanes of each 4-lane cluster one after the other. Whether is decided for each phase: at
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
// What folding does to lanes and times is done by lane_pg.c, which has the lanes.
#include "savings/savings_int.h"

static uint64_t folded_so_far(const struct savings_sm *s) {
    return lanes_folded(&s->lanes, 0) + lanes_folded(&s->lanes, 1);
}

static void epoch(void *self, const struct sm_view *v, uint64_t t) {
    struct savings_sm *const s = self;
    struct folding *const f = &s->folding;
    const struct savings_options *const o = &s->set.o;
    const struct sm_config *const c = &s->c;
    const uint64_t slots = (t - f->since) * c->schedulers * (c->max_issues_per_warp > 1 ? 2 : 1) /
                           (c->scheduler_interval > 1 ? c->scheduler_interval : 1);
    const uint64_t halves = (o->fold_slots - 1) * (folded_so_far(s) - f->folded);
    const uint64_t issued = v->issued - f->issued + halves;
    const bool is_full = o->fold_off_at <= 100 && issued * 100 >= slots * o->fold_off_at;
    const uint32_t n[LANE_TYPES] = {bits_count64(savings_active(v, UNIT_INT)),
                                    bits_count64(savings_active(v, UNIT_FP))};
    if (n[0] != n[1]) f->majority = n[1] > n[0];
    uint64_t to[LANE_TYPES];
    for (uint32_t type = 0; type < LANE_TYPES; type++) {
        const uint32_t part = type == f->majority ? o->fold_majority : o->fold_minority;
        to[type] = is_full ? t : t + (uint64_t)o->phase * part / 100;
    }
    f->phases++;
    f->phases_off += is_full;
    f->since = t;
    f->issued = v->issued;
    f->folded = folded_so_far(s);
    lanes_fold_in(&s->lanes, t, to);
}

static void work(void *self, const struct sm_view *v, bool begins, uint64_t t) {
    (void)begins;
    struct savings_sm *const s = self;
    s->folding.since = t;
    s->folding.issued = v->issued;
    s->folding.folded = folded_so_far(s);
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v, (void)now;
    const struct savings_sm *const s = self;
    a->c[ACT_fold_phases] += s->folding.phases;
    a->c[ACT_fold_phases_off] += s->folding.phases_off;
}

static const struct sm_life_port life = {.work = work};

void folding_init(struct savings_sm *s, struct sm_technique *t) {
    s->folding.clock = (struct sm_clock_port){.epoch_cycles = s->set.o.phase, .epoch = epoch};
    *t = (struct sm_technique){.name = "warp-folding",
                               .self = s,
                               .life = &life,
                               .clock = &s->folding.clock,
                               .count = count};
}
