// A cycle of SMs that share a front end (group.h), or that have just stopped to:
//
//   1. in each member what became known (step.inc.h); what the master decoded stands in the slaves
//   too
//   2. the master's schedulers choose among the warps that every member can issue, and all members
//      issue the instruction, each on its own warp. After a branch the members' masks are compared
//   3. the master fetches
//
// The master's links carry one packet in each of their cycles; an instruction issues only if its
// packet leaves within the cycle. A branch's second packet waits for a slot that is free.
#define STEP_FULL  1
#define STEP_MANY  1
#define STEP_CONTROL(s) ((s)->is_control)
#define STEP_GROUP 1
#include "sm/step.inc.h"

#define FOR_EACH_MEMBER(m, g)                                                                      \
    for (struct sm *const *m##_ = (g)->member, *m;                                                 \
         m##_ < (g)->member + (g)->n && (m = *m##_, true); m##_++)

// ---- 1. what the slaves get of the master's front end -----------------------------------------
static void follow_decoding(struct sm_group *g, uint64_t t) {
    const struct sm *const master = g->member[0];
    for (uint32_t i = 1; i < g->n; i++) {
        struct sm *const s = g->member[i];
        FOR_EACH_BIT64(b, master->v.decoded & ~s->v.decoded & s->v.resident) {
            const uint32_t w = (uint32_t)b;
            s->res.warp[w].ib_n = master->res.warp[w].ib_n;
            scoreboard_head(s, w, master->res.warp[w].head, t);
        }
    }
}

// ---- 2. issue ---------------------------------------------------------------------------------
static bool link_takes(const struct sm_group *g, uint64_t t) {
    return g->link_free < (t + 1) * g->c.link_cycles;
}

static void count_packet(struct sm_group *g, uint32_t counter) {
    for (uint32_t i = 1; i < g->n; i++) group_sent(g, i, counter, 1, INST_PACKET);
}

static void take_slot(struct sm_group *g, uint64_t from) {
    g->link_free = max64(g->link_free, from) + 1;
}

// The mask of a branch that warp w issues in cycle t.
static void mask_wait(struct sm_group *g, uint32_t w, uint64_t t) {
    count_packet(g, ACT_cluster_mask_packets);
    if (g->n_masks == SM_MAX_WARPS) {
        sm_break(g->member[0], "a warp has two masks on their way");
        return;
    }
    g->mask[g->n_masks++] =
        (struct group_mask){.due = t + g->member[0]->c.branch_latency, .warp = w};
}

// Masks for which there was a slot ahead of cycle t have left, and those of warps that may issue
// leave now.
static void masks_leave(struct sm_group *g, uint64_t t) {
    const uint64_t now = t * g->c.link_cycles;
    uint32_t n = 0;
    for (; n < g->n_masks; n++) {
        const uint64_t at = max64(g->mask[n].due * g->c.link_cycles, g->link_free);
        if (at >= now) break;
        take_slot(g, at);
    }
    uint32_t left = 0;
    for (; n < g->n_masks; n++) {
        if (g->member[0]->v.go >> g->mask[n].warp & 1)
            take_slot(g, now);
        else
            g->mask[left++] = g->mask[n];
    }
    g->n_masks = left;
}

// Lock step is broken: the simulator's error.
static void break_step(struct sm_group *g, const char *what) { sm_break(g->member[0], what); }

// Members that went through the same branch: they stand at the same place, or their masks or the
// hint have said that they need not.
static bool must_part(struct sm_group *g, uint32_t w, const struct sm_inst *in,
                      const uint32_t *mask) {
    bool parts = in->flags & SI_VARIES;
    for (uint32_t i = 1; i < g->n; i++) parts |= mask[i] != mask[0];
    const struct exec_warp *const x = g->member[0]->res.warp[w].exec;
    for (uint32_t i = 1; i < g->n && !parts; i++) {
        const struct exec_warp *const y = g->member[i]->res.warp[w].exec;
        if (x->pc == y->pc && x->active == y->active && x->sp == y->sp) continue;
        break_step(g, "SMs that share a front end parted at a branch without a hint");
        return true;
    }
    return parts;
}

// All members issue the next instruction of warp w. False: a program faulted.
static bool issue_each(struct sm_group *g, uint32_t sc, uint32_t w, bool is_second, uint64_t t) {
    struct sm *const master = g->member[0];
    const struct warp *const first = &master->res.warp[w];
    const struct sm_inst *const in = first->head;
    const uint32_t pc = first->exec->pc, ib_n = first->ib_n;
    uint32_t mask[SM_MAX_GROUP];
    bool is_branch = in->flags & SI_BRANCH;
    take_slot(g, t * g->c.link_cycles);
    count_packet(g, ACT_cluster_inst_packets);
    for (uint32_t i = 0; i < g->n; i++) {
        struct sm *const s = g->member[i];
        struct warp *const warp = &s->res.warp[w];
        if (warp->head != in || warp->exec->pc != pc) {
            break_step(g, "SMs that share a front end are not at the same instruction");
            return false;
        }
        warp->ib_n = (uint8_t)ib_n;
        s->shared.instructions++;
        s->shared.results += (in->flags & SI_RESULT) != 0;
        if (i != 0 && in->unit != UNIT_NONE && (in->flags & (SI_MEM | SI_RESULT)) == SI_MEM)
            group_sent(g, i, ACT_cluster_mem_packets, 1, MEM_PACKET);
        if (!issue(s, step_sub(s, sc), sc, w, is_second, t)) return false;
        mask[i] = s->env.exec_mask;
        is_branch |= warp->exited != 0;
    }
    if (ww_likely(!is_branch)) return true;
    mask_wait(g, w, t);
    if (!must_part(g, w, in, mask)) return true;
    for (uint32_t i = 1; i < g->n; i++)
        if (mask[i] != mask[0] || (in->flags & SI_VARIES))
            group_sent(g, i, ACT_cluster_control_packets, 1, CONTROL_PACKET);
    group_split(g, t + 1);
    return true;
}

// Of `warps`, which every member could issue, those that every member finds units for; in `held` by
// member those that a technique holds back there.
static uint64_t with_units(struct sm_group *g, uint32_t sc, uint64_t warps, uint64_t t,
                           enum stall_reason *why, uint64_t *held) {
    for (uint32_t i = 0; i < g->n; i++) {
        struct sm *const s = g->member[i];
        held[i] = 0;
        if (warps != 0) warps = with_unit(s, step_sub(s, sc), warps, t, why, &held[i]);
    }
    return warps;
}

static uint64_t any_held(const struct sm_group *g, const uint64_t *held) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < g->n; i++) all |= held[i];
    return all;
}

// Members that hold w back ask for its unit; answers the warps that wait for it.
static uint64_t want_units(struct sm_group *g, uint32_t sc, uint32_t w, const uint64_t *held,
                           uint64_t t) {
    uint64_t waiting = BIT64(w);
    for (uint32_t i = 0; i < g->n; i++) {
        struct sm *const s = g->member[i];
        if (held[i] >> w & 1) waiting |= want_unit(s, &step_sub(s, sc)->units, w, held[i], t);
    }
    return waiting;
}

// As choose_full, by the master's techniques and scheduler.
static bool choose_for_all(struct sm_group *g, uint32_t sc, uint64_t left, const uint64_t *held,
                           uint32_t *w, uint64_t t) {
    struct sm *const s = g->member[0];
    const uint64_t back = any_held(g, held);
    while (left != 0) {
        uint64_t from = left;
        for (uint32_t i = 0; i < s->tech.n_choices && from != 0; i++)
            from = s->tech.choice[i].among(s->tech.choice[i].self, &s->v, sc, from);
        if (from == 0) return false;
        *w = s->ops->pick(s, sc, from);
        if (!(back >> *w & 1)) return true;
        left &= ~want_units(g, sc, *w, held, t);
    }
    return false;
}

static void issue_second(struct sm_group *g, uint32_t sc, uint32_t w, uint32_t first_unit,
                         uint64_t t) {
    struct sm *const s = g->member[0];
    uint64_t bit = BIT64(w) & s->v.active;
    FOR_EACH_MEMBER(m, g) bit &= m->v.go;
    if (bit == 0 || !link_takes(g, t)) return;
    const struct sm_inst *const in = s->res.warp[w].head;
    if ((in->flags & SI_SOLO) || (s->c.dual_issue_diff_units && in->unit == first_unit)) return;
    enum stall_reason why;
    uint64_t held[SM_MAX_GROUP];
    bit = with_units(g, sc, bit, t, &why, held);
    if (bit == 0) return;
    if (any_held(g, held) & bit) {
        want_units(g, sc, w, held, t);
        return;
    }
    if (!issue_each(g, sc, w, true, t)) return;
    FOR_EACH_MEMBER(m, g) m->act.c[ACT_issue_slots + STALL_dual]++;
}

// A scheduler of the master sees what its scoreboard knows of all members.
static void prepare_all(struct sm_group *g, uint32_t sc) {
    struct sm *const s = g->member[0];
    if (s->ops->prepare == NULL) return;
    const uint64_t wait_long = s->v.wait_long, wait_mem = s->v.wait_mem;
    for (uint32_t i = 1; i < g->n; i++) {
        s->v.wait_long |= g->member[i]->v.wait_long;
        s->v.wait_mem |= g->member[i]->v.wait_mem;
    }
    s->ops->prepare(s, sc);
    s->v.wait_long = wait_long;
    s->v.wait_mem = wait_mem;
    for (uint32_t i = 1; i < g->n && s->is_two_level; i++) {
        struct sm *const m = g->member[i];
        if (m->v.active == s->v.active) continue;
        m->v.active = s->v.active;
        count_active(m, m->v.cycle);
    }
}

// The master found nothing to issue: why. `own`: warps that it could issue alone.
static void find_reason(struct sm *s, uint32_t sc, uint64_t own, uint64_t ready, uint64_t t) {
    if (ready != 0)
        stall_hold(s, sc, STALL_pending, ready, t);
    else if (own != 0)
        stall_hold(s, sc, STALL_memory, own, t); // of other members
    else
        stall_classify(s, sc, t);
}

// Scheduler sc's turn, as `schedule`. False: nothing issued, and the reason is held.
static bool schedule_all(struct sm_group *g, uint32_t sc, uint64_t t) {
    struct sm *const s = g->member[0];
    struct sub_core *const sub = step_sub(s, sc);
    prepare_all(g, sc);
    const uint64_t own = s->v.go & s->v.mine[sc] & ~sub->taken;
    uint64_t ready = own;
    FOR_EACH_MEMBER(m, g) ready &= m->v.go;
    s->act.c[ACT_cluster_waits] += own != 0 && ready == 0;
    const uint64_t active = ready & s->v.active;
    if (active == 0) {
        find_reason(s, sc, own, ready, t);
        return false;
    }
    if (s->sched[sc].next > t) {
        stall_hold(s, sc, STALL_issuing, active, t);
        return false;
    }
    enum stall_reason why = STALL_policy;
    uint64_t held[SM_MAX_GROUP], left = 0;
    uint32_t w = 0;
    bool chosen = false;
    if (link_takes(g, t)) {
        left = with_units(g, sc, active, t, &why, held);
        chosen = choose_for_all(g, sc, left, held, &w, t);
        if (!chosen && left != 0) why = STALL_policy;
    }
    if (!chosen) {
        stall_hold(s, sc, why, active, t);
        return false;
    }
    s->act.c[ACT_scheduler_arbitrations]++;
    s->act.c[ACT_scheduler_ready_warps] += count_warps(left & ~any_held(g, held));
    const struct sm_inst *const in = s->res.warp[w].head;
    const uint32_t unit = in->unit;
    const bool may_pair = s->pairs && !(in->flags & (SI_SOLO | SI_BRANCH));
    FOR_EACH_MEMBER(m, g) stall_issued(m, sc, t);
    if (!issue_each(g, sc, w, false, t)) return true;
    FOR_EACH_MEMBER(m, g) {
        step_sub(m, sc)->issues++;
        step_sub(m, sc)->dp |= unit == UNIT_DP;
        m->sched[sc].next = t + s->c.scheduler_interval;
    }
    if (may_pair) issue_second(g, sc, w, unit, t);
    return true;
}

static bool issue_group(struct sm_group *g, uint64_t t) {
    struct sm *const s = g->member[0];
    if (s->v.resident == 0 && !s->is_busy) return false;
    bool issued = false;
    const uint32_t n = s->c.schedulers;
    uint32_t sc = (uint32_t)(t % n);
    for (uint32_t i = 0; i < n && g->state == SM_GROUP_SHARED && !s->faulted; i++) {
        if (schedule_all(g, sc, t))
            issued = true;
        else
            for (uint32_t k = 1; k < g->n; k++) stall_follow(g->member[k], sc, s, t);
        sc = sc + 1 == n ? 0 : sc + 1;
    }
    return issued;
}

// ---- ramp -------------------------------------------------------------------------------------
static bool is_drained(const struct sm_group *g) {
    FOR_EACH_MEMBER(m, g) {
        for (uint32_t i = 0; i < m->res.n_ctas; i++) {
            FOR_EACH_BIT64(w, m->res.cta[m->res.order[i]].left)
                if (m->res.warp[w].inflight != 0) return false;
        }
    }
    return true;
}

static void hold_all(struct sm_group *g, uint64_t t) {
    FOR_EACH_MEMBER(m, g)
    for (uint32_t sc = 0; sc < m->c.schedulers; sc++)
        stall_hold(m, sc, STALL_policy, m->v.mine[sc] & m->v.resident, t);
}

void step_close(struct sm *s, uint64_t t) { close_busy(s, t); }

// ---- the cycle --------------------------------------------------------------------------------
void step_cycle_group(struct sm_group *g, uint64_t t) {
    FOR_EACH_MEMBER(m, g) arrive(m, t);
    bool issued = false;
    if (g->state == SM_GROUP_SHARED && g->forced <= t) sm_group_ungroup(g, t);
    if (g->state == SM_GROUP_SHARED) {
        follow_decoding(g, t);
        if (g->n_masks != 0) masks_leave(g, t);
        // When masks took all slots, the next cycle has some.
        issued = issue_group(g, t) || !link_takes(g, t);
    } else {
        hold_all(g, t);
    }
    FOR_EACH_MEMBER(m, g) {
        leave(m, issued, t);
        if (g->state == SM_GROUP_SHARED && m->rank != 0) group_freeze(m);
        uint64_t next = issued ? t + 1 : next_cycle(m, t);
        if (m->every_cycle && m->is_busy) next = t + 1;
        m->alarms.wake = next;
    }
    if (g->state != SM_GROUP_RAMP) return;
    if (t >= g->ramp_end) {
        if (is_drained(g)) group_part(g, t + 1);
        return;
    }
    struct sm *const s = g->member[0];
    s->alarms.wake = min64(s->alarms.wake, g->ramp_end);
}
