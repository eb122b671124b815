// A scheduler's turn (step.h): which of its warps issues, for a crew of one SM or of a group. A
// warp of a group issues when every member could issue it; the master's scheduler and techniques
// choose.
#ifndef WW_SM_STEP_TURN_H
#define WW_SM_STEP_TURN_H

#include "activity/sm.h"
#include "sm/entry.h"
#include "sm/step.h"

#define UNITS_OFTEN (1u << UNIT_INT | 1u << UNIT_FP | 1u << UNIT_LDST)

// ---- warps that find what they need ------------------------------------------------------------
// Of `warps`, those for INT and FP that none of the free pipes has all lanes for. What is on in
// free pipes changes too often to branch on it.
STEP_INLINE uint64_t lack_lanes(const struct step_kind *k, struct sm *s, const struct units *u,
                                uint64_t warps, uint64_t t) {
    const struct sm_technique *const x = s->tech.lanes;
    const struct sm_lanes *const l = s->tech.gated_lanes;
    const struct sm_pipe *const p = s->v.pipe;
    for (uint32_t type = 0; type < 2; type++) // which lanes are on has to be known now
        if ((l->look_at[type] <= t) & ((warps & s->v.needs[UNIT_INT + type]) != 0))
            x->lanes->look(x->self, &s->v, type);
    uint64_t on_int = 0, on_fp = 0;
    const uint32_t first = k->many ? u->first[UNIT_INT] : SM_PIPE_INT;
    for (uint32_t i = first; i < first + u->n[UNIT_INT]; i++) {
        on_int |= l->on[i] & ~units_later(p[i].free_at, t);
        on_fp |= l->on[SM_PIPE_FP + i] & ~units_later(p[SM_PIPE_FP + i].free_at, t);
    }
    return warps & ((s->v.needs[UNIT_INT] & ~on_int) | (s->v.needs[UNIT_FP] & ~on_fp));
}
static_assert(UNIT_FP == UNIT_INT + 1, "types of lanes: INT, FP");

// Of `warps`, those that no pipeline of their unit that is on takes.
STEP_INLINE uint64_t lack_pipes(const struct sm *s, const struct units *x, uint64_t warps,
                                uint64_t t) {
    uint64_t off = (s->v.needs[UNIT_INT] & units_later(x->on_free_at[UNIT_INT], t)) |
                   (s->v.needs[UNIT_FP] & units_later(x->on_free_at[UNIT_FP], t));
    if (ww_unlikely(s->gates.more != 0))
        for (uint32_t u = UNIT_FP + 1; u < UNIT_N; u++)
            off |= s->v.needs[u] & units_later(x->on_free_at[u], t);
    return warps & off;
}
// Of `warps`, all ready, those whose unit takes an instruction in cycle t, or (`*held`) would if a
// technique did not hold it back. When none is left, `*why` is the reason.
STEP_INLINE uint64_t with_unit(const struct step_kind *k, struct sm *s, struct sub_core *sub,
                               uint64_t warps, uint64_t t, enum stall_reason *why, uint64_t *held) {
    struct units *const x = &sub->units;
    const uint64_t *const needs = s->v.needs, *const free_at = x->free_at;
    // no: of units all of whose pipelines are taken; off: ... that are on
    uint64_t no = (needs[UNIT_INT] & units_later(free_at[UNIT_INT], t)) |
                  (needs[UNIT_FP] & units_later(free_at[UNIT_FP], t)) |
                  (needs[UNIT_LDST] & units_later(free_at[UNIT_LDST], t));
    FOR_EACH_BIT32(u, x->busy & ~UNITS_OFTEN) {
        const uint64_t is_taken = units_later(free_at[u], t);
        no |= needs[u] & is_taken;
        x->busy &= ~((uint32_t)~is_taken & 1u << u);
    }
    const uint64_t at_entry = k->full ? entry_needs(s) : 0;
    no &= ~at_entry;
    *held = 0;
    *why = STALL_unit_busy;
    if (s->c.dp_blocks_issue) {
        if (sub->dp) return 0;
        if (sub->issues != 0) no |= needs[UNIT_DP];
    }
    uint64_t left = warps & ~no;
    if (left == 0) return 0;
    if (ww_unlikely(collect_is_full(&sub->collectors, t))) {
        *why = STALL_collector;
        left = collect_takes(&sub->collectors, needs, left);
        if (left == 0) return 0;
    }
    if (ww_unlikely(lsu_queue_is_full(&s->lsu.ldst, t) || lsu_ops_are_full(&s->lsu))) {
        if (left & needs[UNIT_LDST]) *why = STALL_lsu_full;
        left &= ~needs[UNIT_LDST];
    }
    if (ww_unlikely(memory_way_room(sub) > t)) {
        if (left & needs[UNIT_LDST]) *why = STALL_lsu_full;
        left &= ~needs[UNIT_LDST];
    }
    if (left & needs[UNIT_TEX]) {
        if (ww_unlikely(lsu_queue_is_full(&s->lsu.tex, t) || lsu_ops_are_full(&s->lsu))) {
            *why = STALL_lsu_full;
            left &= ~needs[UNIT_TEX];
        }
    }
    if (!k->full) return left;
    if (s->tech.gate != NULL) *held = lack_pipes(s, x, left & ~at_entry, t);
    if (s->tech.gated_lanes != NULL && s->c.lane_group_at == LANE_GROUP_AT_ISSUE)
        *held |= lack_lanes(k, s, x, left & ~*held, t);
    return left;
}

// Of `warps`, those that find their unit in every member; in `held`, by member, those that a
// technique holds back there.
STEP_INLINE uint64_t with_units(const struct step_kind *k, struct step_crew c, uint32_t sc,
                                uint64_t warps, uint64_t t, enum stall_reason *why,
                                uint64_t *held) {
    for (uint32_t i = 0; i < c.n; i++) {
        struct sm *const s = c.member[i];
        held[i] = 0;
        if (warps != 0) warps = with_unit(k, s, step_sub(k, s, sc), warps, t, why, &held[i]);
    }
    return warps;
}

STEP_INLINE uint64_t held_anywhere(struct step_crew c, const uint64_t *held) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < c.n; i++) all |= held[i];
    return all;
}

// ---- choosing ----------------------------------------------------------------------------------
// Asks for the unit of warp w in each member that holds the warp back. Answers all warps that wait
// for the unit.
STEP_INLINE uint64_t want_units(const struct step_kind *k, struct step_crew c, uint32_t sc,
                                uint32_t w, const uint64_t *held, uint64_t t) {
    uint64_t waiting = BIT64(w);
    for (uint32_t i = 0; i < c.n; i++) {
        struct sm *const s = c.member[i];
        if (held[i] >> w & 1)
            waiting |= gate_want_unit(s, &step_sub(k, s, sc)->units, w, held[i], t);
    }
    return waiting;
}

// The scheduler's choice among `left`, as the techniques narrow it. When it comes to a warp that a
// member holds back (`held`), the warp's unit is asked for, and the scheduler chooses again without
// the warps of that unit. False: it may issue none.
STEP_INLINE bool choose(const struct step_kind *k, struct step_crew c, uint32_t sc, uint64_t left,
                        const uint64_t *held, uint32_t *w, uint64_t t) {
    struct sm *const s = c.member[0];
    const uint64_t back = k->full ? held_anywhere(c, held) : 0;
    while (left != 0) {
        uint64_t from = left;
        const struct sm_choice *const choice = s->tech.choice;
        for (uint32_t i = 0; k->full && i < s->tech.n_choices && from != 0; i++)
            from = choice[i].among(choice[i].self, &s->v, sc, from);
        if (from == 0) return false;
        *w = s->ops->pick(s, sc, from);
        if (ww_likely(!(back >> *w & 1))) return true;
        left &= ~want_units(k, c, sc, *w, held, t);
    }
    return false;
}

// ---- a turn ------------------------------------------------------------------------------------
STEP_INLINE bool issue_in_all(const struct step_kind *k, struct step_crew c, uint32_t sc,
                              uint32_t w, bool is_second, uint64_t t) {
    if (k->group) return k->issue_each(c.group, sc, w, is_second, t);
    return k->issue(c.member[0], step_sub(k, c.member[0], sc), sc, w, is_second, t);
}

// The second instruction of a dual issue: the same warp's next, if it needs nothing of the first.
STEP_INLINE void second(const struct step_kind *k, struct step_crew c, uint32_t sc, uint32_t w,
                        uint32_t first_unit, uint64_t t) {
    struct sm *const s = c.member[0];
    uint64_t bit = BIT64(w) & s->v.active;
    FOR_EACH_SM(m, c) bit &= m->v.go;
    if (bit == 0 || (k->group && !group_link_takes(c.group, t))) return;
    const struct sm_inst *const in = s->res.warp[w].head;
    if (in->flags & SI_SOLO) return;
    if (s->c.dual_issue_diff_units && in->unit == first_unit) return;
    enum stall_reason why;
    uint64_t held[SM_MAX_GROUP];
    if (with_units(k, c, sc, bit, t, &why, held) == 0) return;
    if (k->full && held_anywhere(c, held) != 0) {
        want_units(k, c, sc, w, held, t);
        return;
    }
    if (!issue_in_all(k, c, sc, w, true, t)) return;
    FOR_EACH_SM(m, c) m->act.c[ACT_issue_slots + STALL_dual]++;
}

// The scheduler issues nothing in this cycle: why, to be found anew in the next.
STEP_INLINE bool hold(struct sm *s, uint32_t sc, enum stall_reason why, uint64_t warps,
                      uint64_t t) {
    stall_hold(s, sc, why, warps, t);
    s->dirty |= 1u << sc;
    return false;
}

// No active warp is ready. `own`: warps that this SM alone could issue; `ready`: all members.
STEP_INLINE bool none_is_ready(const struct step_kind *k, struct sm *s, uint32_t sc, uint64_t own,
                               uint64_t ready, uint64_t t) {
    if (ready != 0) return hold(s, sc, STALL_pending, ready, t);
    if (k->group && own != 0) return hold(s, sc, STALL_memory, own, t); // of other members
    if (k->group || s->dirty >> sc & 1) {
        stall_classify(s, sc, t);
        s->dirty &= ~(1u << sc);
    }
    return false;
}

// False: nothing issued, and the reason is held.
STEP_INLINE bool turn(const struct step_kind *k, struct step_crew c, uint32_t sc, uint64_t t) {
    struct sm *const s = c.member[0];
    const struct sub_core *const sub = step_sub(k, s, sc);
    if (s->ops->prepare != NULL) {
        if (k->group)
            group_prepare(c.group, sc);
        else
            s->ops->prepare(s, sc);
    }
    const uint64_t own = s->v.go & s->v.mine[sc] & ~sub->taken;
    const uint64_t ready = k->group ? group_ready(c.group, own) : own;
    const uint64_t active = ready & s->v.active;
    if (active == 0) return none_is_ready(k, s, sc, own, ready, t);
    const bool stops = k->ready->stops_issue && !k->group; // left out: members stop each other
    if (ww_unlikely(s->sched[sc].next > t))
        return hold(s, sc, stops ? STALL_operands : STALL_issuing, active, t);
    if (k->group && !group_link_takes(c.group, t)) return hold(s, sc, STALL_policy, active, t);
    enum stall_reason why = STALL_policy;
    uint64_t held[SM_MAX_GROUP];
    uint32_t w = 0;
    const uint64_t left = with_units(k, c, sc, active, t, &why, held);
    if (!choose(k, c, sc, left, held, &w, t))
        return hold(s, sc, left != 0 ? STALL_policy : why, active, t);
    s->act.c[ACT_scheduler_arbitrations]++;
    s->act.c[ACT_scheduler_ready_warps] +=
        count_warps(k->full ? left & ~held_anywhere(c, held) : left);
    const struct sm_inst *const in = s->res.warp[w].head;
    const uint32_t unit = in->unit;
    const bool may_pair = s->pairs && !(in->flags & (SI_SOLO | SI_BRANCH));
    FOR_EACH_SM(m, c) stall_issued(m, sc, t);
    if (!issue_in_all(k, c, sc, w, false, t)) return true;
    FOR_EACH_SM(m, c) {
        struct sub_core *const its = step_sub(k, m, sc);
        its->issues++;
        its->dp |= unit == UNIT_DP;
        m->sched[sc].next = t + m->c.scheduler_interval + (stops ? its->late : 0);
    }
    if (may_pair) second(k, c, sc, w, unit, t);
    return true;
}

// All schedulers' turns. True: one of them issued.
STEP_INLINE bool turns(const struct step_kind *k, struct step_crew c, uint64_t t) {
    struct sm *const s = c.member[0];
    if (s->v.resident == 0 && !s->is_busy) return false;
    bool issued = false;
    const uint32_t n = s->c.schedulers;
    uint32_t sc = (uint32_t)(t % n); // it begins where the cycle says
    for (uint32_t i = 0; i < n; i++) {
        const bool issues = turn(k, c, sc, t);
        issued |= issues;
        if (k->group && !issues) group_follow_stall(c.group, sc, t);
        if (ww_unlikely(s->faulted) || (k->group && c.group->state != SM_GROUP_SHARED)) break;
        sc++;
        sc &= 0 - (uint32_t)(sc != n); // nothing branches on it
    }
    return issued;
}

#endif
