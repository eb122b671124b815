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

// Of `ready`, those of the scheduler's group. Only its first choice of a cycle among such warps
// changes groups: later ones are of what it could not have. Nothing branches here, there is no
// pattern to guess.
static uint64_t among(void *self, const struct sm_view *v, uint32_t scheduler, uint64_t ready) {
    struct warp_groups *const g = &((struct savings_sm *)self)->origami.groups;
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
    struct savings_sm *const s = self;
    struct origami *const o = &s->origami;
    const uint64_t of_sp = savings_active(v, UNIT_INT) | savings_active(v, UNIT_FP);
    const uint32_t full = bits_count64(of_sp & v->full), partial = bits_count64(of_sp) - full;
    const bool was = o->is_partial;
    bool now = full == partial ? was : partial > full;
    if (now == was && o->in_a_row >= s->set.o.group_phases && (was ? full : partial) != 0) {
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
    struct savings_sm *const s = self;
    if (!begins) return;
    s->origami.is_partial = false;
    s->origami.in_a_row = 0;
    for (uint32_t i = 0; i < SM_MAX_SCHEDULERS; i++) s->origami.groups.partial[i] = 0;
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v, (void)now;
    const struct origami *const o = &((const struct savings_sm *)self)->origami;
    a->c[ACT_group_phases] += o->phases[0];
    a->c[ACT_group_phases + 1] += o->phases[1];
    a->c[ACT_group_forced] += o->forced;
    a->c[ACT_group_switches] += o->groups.switches;
}

static const struct sm_choice_port choice = {.among = among};
static const struct sm_life_port life = {.work = work};

void origami_init(struct savings_sm *s, struct sm_technique *t) {
    for (uint32_t i = 0; i < SM_MAX_SCHEDULERS; i++)
        s->origami.groups.looked_at[i] = UINT64_MAX; // in no cycle
    s->origami.clock = (struct sm_clock_port){.epoch_cycles = s->set.o.phase, .epoch = epoch};
    *t = (struct sm_technique){.name = "origami-scheduler",
                               .self = s,
                               .choice = &choice,
                               .life = &life,
                               .clock = &s->origami.clock,
                               .count = count};
}
