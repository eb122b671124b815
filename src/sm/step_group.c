// Groups of SMs that share a front end (group.h): who schedules for whom. A cycle of a group that
// shares, or that has just stopped to:
//
//   1. in each member what became known (step.h); what the master decoded stands in the slaves too
//   2. the master's schedulers choose among the warps that every member can issue, and all members
//      issue the instruction, each on its own warp. After a branch the members' masks are compared
//   3. the master fetches
//
// The master's links carry one packet in each of their cycles; an instruction issues only if its
// packet leaves within the cycle. A branch's second packet waits for a slot that is free.
#include "activity/sm.h"
#include "sm/step_kind.h"

// ---- 1. what the slaves get of the master's front end -----------------------------------------
static void follow_decoding(struct sm_group *g, uint64_t t) {
    const struct sm *const master = g->member[0];
    for (uint32_t i = 1; i < g->n; i++) {
        struct sm *const s = g->member[i];
        FOR_EACH_BIT64(b, master->v.decoded & ~s->v.decoded & s->v.resident) {
            const uint32_t w = (uint32_t)b;
            s->res.warp[w].ib_n = master->res.warp[w].ib_n;
            ready_head(s->ready, s, w, master->res.warp[w].head, t, t);
        }
    }
}

// ---- 2. the master's turn ----------------------------------------------------------------------
uint64_t group_ready(struct sm_group *g, uint64_t own) {
    uint64_t ready = own;
    FOR_EACH_SM(m, *g) ready &= m->v.go;
    g->member[0]->act.c[ACT_cluster_waits] += own != 0 && ready == 0;
    return ready;
}

void group_follow_stall(struct sm_group *g, uint32_t sc, uint64_t t) {
    for (uint32_t i = 1; i < g->n; i++) stall_follow(g->member[i], sc, g->member[0], t);
}

// A scheduler of the master sees what its scoreboard knows of all members.
void group_prepare(struct sm_group *g, uint32_t sc) {
    struct sm *const s = g->member[0];
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

// ---- links -------------------------------------------------------------------------------------
bool group_link_takes(const struct sm_group *g, uint64_t t) {
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
        sm_break(g->member[0], "SMs that share a front end parted at a branch without a hint");
        return true;
    }
    return parts;
}

// All members issue the next instruction of warp w. False: a program faulted.
STEP_INLINE bool issue_each(const struct step_kind *k, struct sm_group *g, uint32_t sc, uint32_t w,
                            bool is_second, uint64_t t) {
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
            sm_break(master, "SMs that share a front end are not at the same instruction");
            return false;
        }
        warp->ib_n = (uint8_t)ib_n;
        s->shared.instructions++;
        s->shared.results += (in->flags & SI_RESULT) != 0;
        if (i != 0 && in->unit != UNIT_NONE && (in->flags & (SI_MEM | SI_RESULT)) == SI_MEM)
            group_sent(g, i, ACT_cluster_mem_packets, 1, MEM_PACKET);
        if (!k->issue(s, step_sub(k, s, sc), sc, w, is_second, t)) return false;
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

// ---- ramp -------------------------------------------------------------------------------------
static bool is_drained(const struct sm_group *g) {
    FOR_EACH_SM(m, *g) {
        for (uint32_t i = 0; i < m->res.n_ctas; i++) {
            FOR_EACH_BIT64(w, m->res.cta[m->res.order[i]].left)
                if (m->res.warp[w].inflight != 0) return false;
        }
    }
    return true;
}

static void hold_all(struct sm_group *g, uint64_t t) {
    FOR_EACH_SM(m, *g)
        for (uint32_t sc = 0; sc < m->c.schedulers; sc++)
            stall_hold(m, sc, STALL_policy, m->v.mine[sc] & m->v.resident, t);
}

// ---- the cycle --------------------------------------------------------------------------------
STEP_INLINE void cycle(const struct step_kind *k, struct sm_group *g, uint64_t t) {
    FOR_EACH_SM(m, *g) arrive(k, m, t);
    bool issued = false;
    if (g->state == SM_GROUP_SHARED && g->forced <= t) sm_group_ungroup(g, t);
    if (g->state == SM_GROUP_SHARED) {
        follow_decoding(g, t);
        if (g->n_masks != 0) masks_leave(g, t);
        // When masks took all slots, the next cycle has some.
        const struct step_crew crew = {.member = g->member, .n = g->n, .group = g};
        issued = turns(k, crew, t) || !group_link_takes(g, t);
    } else {
        hold_all(g, t);
    }
    FOR_EACH_SM(m, *g) {
        leave(k, m, issued, t);
        if (g->state == SM_GROUP_SHARED && m->rank != 0) group_freeze(m);
        m->alarms.wake = next_cycle(k, m, issued, t);
    }
    if (g->state != SM_GROUP_RAMP) return;
    if (t >= g->ramp_end) {
        if (is_drained(g)) group_part(g, t + 1);
        return;
    }
    struct sm *const s = g->member[0];
    s->alarms.wake = min64(s->alarms.wake, g->ramp_end);
}

#define GROUP_KIND(name, readiness)                                                                \
    STEP_WHOLE static bool issue_each_##name(struct sm_group *g, uint32_t sc, uint32_t w,          \
                                             bool is_second, uint64_t t);                          \
    STEP_KIND(name, readiness, .full = true, .many = true, .group = true,                          \
              .issue_each = issue_each_##name)                                                     \
    static bool issue_each_##name(struct sm_group *g, uint32_t sc, uint32_t w, bool is_second,     \
                                  uint64_t t) {                                                    \
        return issue_each(&name, g, sc, w, is_second, t);                                          \
    }                                                                                              \
    STEP_WHOLE static void cycle_##name(struct sm_group *g, uint64_t t) { cycle(&name, g, t); }
GROUP_KIND(group_scoreboard, scoreboard)
GROUP_KIND(group_control, control)

void step_cycle_group(struct sm_group *g, uint64_t t) {
    if (g->member[0]->ready->dependences == SM_CONTROL)
        cycle_group_control(g, t);
    else
        cycle_group_scoreboard(g, t);
}
