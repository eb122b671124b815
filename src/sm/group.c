// Groups of SMs that share a front end: they form, split and part (group.h). What a cycle of one
// does stands in step_group.c.
//
// A slave has no front end while its group shares. Its copy of a warp's next instruction stands for
// the one in the master's buffer, its scoreboard for the acknowledgement bits that the master's has
// for it: an instruction issues when the scoreboards of all members are clear. Neither counts as an
// access.
#include "activity/sm.h"
#include "sm/group_int.h"
#include "sm/ready.h"

// ---- making -------------------------------------------------------------------------------------
static uint32_t apart_um(const struct sm_group_config *c, uint32_t a, uint32_t b) {
    const int32_t n = (int32_t)c->columns,
                  x = (int32_t)(a % c->columns) - (int32_t)(b % c->columns),
                  y = (int32_t)a / n - (int32_t)b / n;
    return (uint32_t)((x < 0 ? -x : x) + (y < 0 ? -y : y)) * c->pitch_um;
}

static uint32_t cycles_for(const struct sm_group_config *c, uint32_t um) {
    const uint32_t a_cycle = c->link_cycles * c->link_um;
    return um == 0 ? 1 : (um + a_cycle - 1) / a_cycle;
}

enum ww_status sm_group_create(const struct sm_group_config *c, struct sm *const *member,
                               uint32_t n, struct diags *d, struct sm_group **out) {
    *out = NULL;
    if (n < 2 || n > SM_MAX_GROUP)
        return diag_add(d, WW_ERROR_CONFIG, "%u SMs cannot share a front end: 2 to %u can", n,
                        SM_MAX_GROUP);
    if (c->columns == 0 || c->link_cycles == 0 || c->link_um == 0)
        return diag_add(d, WW_ERROR_CONFIG, "the links of a group of SMs carry nothing");
    struct sm_group *const g = ww_alloc_aligned(sizeof *g);
    if (g == NULL) return diag_add(d, WW_ERROR_MEMORY, "no memory for a group of SMs");
    *g = (struct sm_group){.n = n, .c = *c, .forced = NEVER};
    for (uint32_t i = 0; i < n; i++) {
        struct sm *const s = member[i];
        g->member[i] = s;
        s->group = g;
        s->rank = i;
        const uint32_t um = apart_um(c, s->id, member[0]->id);
        const uint32_t delay = cycles_for(c, um);
        // The master hears of a result in a slave that follows after the way there and back.
        g->link[i] = (struct group_link){.um = um, .delay = c->follows ? 2 * delay : delay};
        if (c->has_stage) g->communicate = (uint32_t)max64(g->communicate, delay);
    }
    *out = g;
    return WW_OK;
}

void sm_group_destroy(struct sm_group *g) {
    if (g == NULL) return;
    for (uint32_t i = 0; i < g->n; i++) g->member[i]->group = NULL;
    ww_free_aligned(g);
}

enum sm_group_state sm_group_state(const struct sm_group *g) { return g->state; }
uint32_t sm_group_distance_um(const struct sm_group *g, uint32_t rank) { return g->link[rank].um; }
void sm_group_ungroup_at(struct sm_group *g, uint64_t cycle) { g->forced = cycle; }

// ---- forming ------------------------------------------------------------------------------------
// Between issue and the first operand there is the communicate stage, while the group shares.
static void add_stage(struct sm *s, int32_t cycles) {
    s->c.read_latency += (uint32_t)cycles;
    s->c.branch_latency += s->c.branch_latency == 0 ? 0 : (uint32_t)cycles;
    for (uint32_t i = 0; i < s->n_subs; i++) s->sub[i].collectors.read_latency += (uint32_t)cycles;
}

static uint64_t busy_cycles(const struct sm *s, uint64_t t) {
    return s->act.c[ACT_sm_busy_cycles] + (s->is_busy && t > s->busy_since ? t - s->busy_since : 0);
}

static void front_off(struct sm *s) {
    s->shared.front_is_off = true;
    s->act.c[ACT_front_overhead] += s->group->c.break_even;
    for (uint32_t i = 0; i < s->n_subs; i++) {
        struct front *const f = &s->sub[i].front;
        f->room = UINT32_MAX; // no warp wants a fetch
        f->want = f->held = 0;
    }
}

static void share(struct sm *s, uint64_t cycle) {
    s->is_summed = false;
    s->shared.is_on = true;
    s->shared.busy_at = busy_cycles(s, cycle);
    s->shared.checks_at = s->act.c[ACT_scoreboard_reads];
    s->shared.flushes_at = s->act.c[ACT_ibuffer_flushes];
    s->shared.results_at = s->shared.results;
    if (s->rank != 0 && !s->group->c.sets_only) front_off(s);
}

// A cycle of the `ungroup_within` behind this one, by splitmix64 (Steele, Lea and Flood 2014) of
// the group's number and the cycle, so that a run is a function of its configuration alone.
static uint64_t draw_forced(const struct sm_group *g, uint64_t cycle) {
    if (g->c.ungroup_within == 0) return NEVER;
    uint64_t z = (cycle + 1) * 0x9e3779b97f4a7c15u + g->member[0]->id;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return cycle + 1 + (z ^ z >> 31) % g->c.ungroup_within;
}

void sm_group_form(struct sm_group *g, uint64_t cycle) {
    if (g->state == SM_GROUP_RAMP) return;
    for (uint32_t i = 0; i < g->n; i++)
        if (g->member[i]->res.n_ctas != 0 || !sm_is_idle(g->member[i])) return;
    g->forced = draw_forced(g, cycle);
    if (g->state == SM_GROUP_SHARED) return;
    g->state = SM_GROUP_SHARED;
    g->link_free = 0;
    g->n_masks = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        g->link[i].ack_free = 0;
        add_stage(g->member[i], (int32_t)g->communicate);
        share(g->member[i], cycle);
    }
}

// ---- ending -------------------------------------------------------------------------------------
// The counts of the time in which the SM shared, up to cycle t.
static void add_shared(const struct sm *s, uint64_t *c, uint64_t t) {
    const uint64_t busy = busy_cycles(s, t) - s->shared.busy_at;
    c[ACT_shared_cycles] += busy;
    if (s->rank != 0) {
        c[ACT_front_off_cycles] += busy;
        return;
    }
    c[ACT_shared_scoreboard_reads] += s->act.c[ACT_scoreboard_reads] - s->shared.checks_at;
    c[ACT_shared_scoreboard_writes] += 2 * (s->shared.results - s->shared.results_at);
}

void group_count(const struct sm *s, struct activity *a, uint64_t now) {
    uint64_t *const c = a->c;
    if (s->group->c.sets_only) return;
    if (s->shared.is_on) add_shared(s, c, now);
    if (s->rank == 0) {
        c[ACT_master_cycles] += busy_cycles(s, now);
        return;
    }
    // Read, and its destinations noted, in the master.
    c[ACT_shared_instructions] += s->shared.instructions;
    c[ACT_ibuffer_reads] -= s->shared.instructions;
    c[ACT_scoreboard_writes] -= 2 * s->shared.results;
}

// The set of which the CTA in slot `at` is one: finished in all members, or not yet.
bool group_cta_is_done(const struct sm *s, uint32_t at) {
    for (uint32_t i = 0; i < s->group->n; i++)
        if (s->group->member[i]->res.cta[at].left != 0) return false;
    return true;
}

// The slave's warps lose the instructions that they had by way of the master.
static void forget_heads(struct sm *s) {
    FOR_EACH_BIT64(b, s->v.resident) {
        const uint32_t w = (uint32_t)b;
        s->res.warp[w].ib_n = 0;
        for (uint32_t u = 0; u < UNIT_N; u++) s->v.needs[u] &= ~BIT64(w);
        if (pending_has(&s->pending, PENDING_constant, w)) front_constants_there(s, w);
        front_flush(s, w);
        s->ready->look(s, w, s->v.cycle);
    }
}

static void end_sets(struct sm_group *g, uint64_t t) {
    g->state = SM_GROUP_APART;
    for (uint32_t i = 0; i < g->n; i++) g->member[i]->shared.is_on = false;
    for (uint32_t i = 0; i < g->n; i++) cta_finish_drained(g->member[i], t);
}

void group_split(struct sm_group *g, uint64_t t) {
    g->state = SM_GROUP_RAMP;
    g->forced = NEVER;
    g->ramp_end = t + g->c.power_up;
    g->member[0]->act.c[ACT_ungroups]++;
    for (uint32_t i = 0; i < g->n; i++) {
        struct sm *const s = g->member[i];
        if (i != 0) group_freeze(s);
        add_shared(s, s->act.c, t);
        s->shared.is_on = s->shared.front_is_off = false;
        add_stage(s, -(int32_t)g->communicate);
        s->is_summed = false;
        if (i != 0) forget_heads(s);
    }
    // Sets that some members have finished end for those alone.
    for (uint32_t i = 0; i < g->n; i++) cta_finish_drained(g->member[i], t);
}

void group_part(struct sm_group *g, uint64_t t) {
    const struct sm *const master = g->member[0];
    g->state = SM_GROUP_APART;
    for (uint32_t i = 0; i < g->n; i++) {
        struct sm *const s = g->member[i];
        s->dirty = (1u << s->c.schedulers) - 1;
        s->alarms.wake = t;
        for (uint32_t k = 0; i != 0 && k < s->c.schedulers; k++) {
            s->sched[k].last = master->sched[k].last;
            s->sched[k].promoted = master->sched[k].promoted;
            s->sched[k].full_set = UINT64_MAX;
        }
        for (uint32_t k = 0; i != 0 && k < s->n_subs; k++)
            s->sub[k].front.room = master->sub[k].front.room;
        FOR_EACH_BIT64(w, s->v.resident) front_want(s, (uint32_t)w);
    }
}

void sm_group_ungroup(struct sm_group *g, uint64_t cycle) {
    if (g->state != SM_GROUP_SHARED) return;
    if (g->c.sets_only) {
        end_sets(g, cycle);
    } else {
        for (uint32_t i = 1; i < g->n; i++)
            group_sent(g, i, ACT_cluster_control_packets, 1, CONTROL_PACKET);
        group_split(g, cycle);
    }
    for (uint32_t i = 0; i < g->n; i++)
        g->member[i]->alarms.wake = min64(g->member[i]->alarms.wake, cycle);
}

// ---- running ------------------------------------------------------------------------------------
bool sm_group_can_take(const struct sm_group *g, uint32_t slot) {
    for (uint32_t i = 0; i < g->n; i++)
        if (!sm_can_take(g->member[i], slot)) return false;
    return true;
}

bool sm_group_is_idle(const struct sm_group *g) {
    for (uint32_t i = 0; i < g->n; i++)
        if (!sm_is_idle(g->member[i])) return false;
    return true;
}

static uint64_t wake_of(const struct sm_group *g) {
    uint64_t wake = NEVER;
    for (uint32_t i = 0; i < g->n; i++) wake = min64(wake, g->member[i]->alarms.wake);
    return wake;
}

static bool has_stopped(const struct sm_group *g) {
    for (uint32_t i = 0; i < g->n; i++)
        if (g->member[i]->faulted) return true;
    return false;
}

// Cycle t of members whose CTAs alone come in sets.
static void step_apart(struct sm_group *g, uint64_t t) {
    for (uint32_t i = 0; i < g->n; i++) {
        struct sm *const s = g->member[i];
        if (s->alarms.wake <= t) s->alarms.wake = s->step(s, t);
    }
    // A set that ends closes members that may sleep, or had their turn.
    for (uint32_t i = 0; i < g->n; i++)
        if (g->member[i]->closes) cta_close_busy(g->member[i], t);
}

void sm_group_run(struct sm_group *g, uint64_t from, uint64_t to) {
    if (has_stopped(g)) return;
    if (g->state != SM_GROUP_APART) {
        for (uint32_t i = 0; i < g->n; i++) sm_run_begin(g->member[i], from);
        for (uint64_t t; (t = max64(wake_of(g), from)) < to && !has_stopped(g);) {
            if (g->c.sets_only && g->state == SM_GROUP_SHARED)
                step_apart(g, t);
            else
                step_cycle_group(g, t);
            if (g->state == SM_GROUP_APART) {
                from = t;
                break;
            }
        }
        for (uint32_t i = 0; i < g->n; i++) sm_run_end(g->member[i]);
    }
    if (g->state != SM_GROUP_APART || has_stopped(g)) return;
    for (uint32_t i = 0; i < g->n; i++) sm_run(g->member[i], from, to);
}
