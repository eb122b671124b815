// One cycle of an SM. Compiled five times: with STEP_HOOKS 0 no policy is ever asked
// (step_plain.c), and with STEP_LISTENS besides, register rows are timed for one that only listens
// (step_rows.c); with 1 policies may switch whole pipelines off and order units (step_units.c),
// with 2 look at single lanes, order units, group and prefer warps (step_lanes.c), with 3 all of
// that and all else (step_hooked.c). Within a cycle:
//
//   1. what became known: replies of memory, transactions, results (they free registers), fetched
//      instructions, so that all of it can be used in the same cycle
//   2. each scheduler, in an order that rotates with the cycle, issues at most one instruction, or
//      two of the same warp; the instruction computes here (exec_step)
//   3. fetch
//   4. the next cycle: the one after when something issued, else the first in which
//      anything happens
//
// With cluster_at entry INT and FP instructions that have issued enter their pipelines ahead of 2.
// (entry.h; only in step_hooked.c).
//
// An instruction that issues in cycle t reads its operands from t + read_latency on, one row a bank
// and cycle, enters its pipeline in the cycle of the last read or when the pipeline takes it, and
// its result may be used `latency` cycles after that, and write_latency more.
#define STEP_OFF (STEP_HOOKS == 1 || STEP_HOOKS == 3) // whole pipelines may be off
#define STEP_LANES (STEP_HOOKS >= 2)
#define STEP_ALL (STEP_HOOKS == 3)
#define UNITS_OFTEN (1u << UNIT_INT | 1u << UNIT_FP | 1u << UNIT_LDST)
#ifndef STEP_LISTENS
#define STEP_LISTENS 0
#endif

#include "sm/collect.h"
#include "sm/entry.h"
#include "sm/scoreboard.h"
#include "sm/sm_state.h"
#include "sm/units.h"
#include "sm/wheel.h"

// ---- 1. events ---------------------------------------------------------------------------------
static void release(struct sm *s, uint32_t w, const struct sm_inst *in, uint64_t t) {
    struct warp *const W = &s->warp[w];
    scoreboard_release(W, in, s->kernel[W->kslot].kernel->wide);
    if (ww_unlikely(W->exited)) {
        if (W->inflight == 0) cta_warp_drained(s, w, t);
        return;
    }
    if ((s->v.decoded & ~s->v.go) >> w & 1) scoreboard_look(s, w);
}

// Whether a policy has register rows timed.
static inline bool has_rows(const struct sm *s) {
    return STEP_LISTENS || (STEP_ALL && s->rows != NULL);
}

static void result(struct sm *s, const struct event *e, uint64_t t) {
    uint64_t at = collect_write(s, e->in, e->warp, t, has_rows(s));
#if STEP_ALL
    if (s->hooks & HOOK_RF) {
        uint32_t extra = 0;
        for (uint32_t i = 0; i < e->in->n_dst; i++) {
            const uint32_t x = policy_rf(s, e->warp, e->in->dst_first + i, e->lanes, true, at - 1);
            extra = x > extra ? x : extra;
        }
        at += extra;
    }
#endif
    if (at > t)
        wheel_add(&s->wheel, t, at, EVENT_RELEASE, e->in, e->warp, e->lanes);
    else
        release(s, e->warp, e->in, t);
}

static void wake_warp(struct sm *s, uint32_t w) {
    s->v.wait_bar &= ~BIT64(w);
    s->v.wait_sleep &= ~BIT64(w);
    scoreboard_unblock(s, w);
}

static void events(struct sm *s, uint64_t t) {
    struct wheel *const h = &s->wheel;
    while (wheel_has(h, t)) {
        uint32_t n = wheel_take(h, t);
        while (n != NO_EVENT) {
            const struct event e = h->node[n];
            const uint32_t this = n;
            n = e.next;
            if (ww_unlikely(e.cycle > t)) { // came round early
                wheel_link(h, this, t, e.cycle);
                continue;
            }
            wheel_give(h, this);
            switch (e.kind) {
            case EVENT_RESULT: result(s, &e, t); break;
            case EVENT_RELEASE: release(s, e.warp, e.in, t); break;
            case EVENT_BRANCH:
                s->v.wait_branch &= ~BIT64(e.warp);
                scoreboard_unblock(s, e.warp);
                front_want(s, e.warp);
                break;
            case EVENT_WAKE: wake_warp(s, e.warp); break;
            case EVENT_CONSTANT: front_constants_there(s, e.warp); break;
            default: front_want(s, e.warp); break;
            }
        }
    }
}

// ---- 2. issue ----------------------------------------------------------------------------------
// The instruction leaves the buffer; the warp stands at `ew->pc` now.
static void advance(struct sm *s, struct warp *W, uint32_t w, const struct sm_inst *in,
                    uint32_t pc, uint64_t t) {
    W->ib_n--;
    if (ww_unlikely(W->ew->pc != pc + 1)) {
        front_flush(s, w);
    } else if (W->ib_n != 0) {
        scoreboard_head(s, w, in + 1, t);
    } else {
        s->v.decoded &= ~BIT64(w);
        s->v.go &= ~BIT64(w);
    }
    front_want(s, w);
}

static void block(struct sm *s, uint64_t *wait, uint32_t w, uint32_t pc) {
    *wait |= BIT64(w);
    s->blocked |= BIT64(w);
    s->warp[w].pc_of_wait = pc;
    scoreboard_look(s, w);
}

static void branch(struct sm *s, struct warp *W, uint32_t w, const struct sm_inst *in, uint32_t pc,
                   bool has_split, uint64_t t) {
    s->act.c[ACT_divergent_branches] += has_split;
    if (s->c.branch_latency == 0) {
        advance(s, W, w, in, pc, t);
        return;
    }
    s->v.wait_branch |= BIT64(w);
    s->blocked |= BIT64(w);
    s->fetch_want &= ~BIT64(w);
    s->fetch_held &= ~BIT64(w);
    W->pc_of_wait = pc;
    advance(s, W, w, in, pc, t);
    scoreboard_look(s, w);
    wheel_add(&s->wheel, t, t + s->c.branch_latency, EVENT_BRANCH, NULL, w, 0);
}

// What a few instructions do besides computing: they make their warp wait.
static void special(struct sm *s, struct warp *W, uint32_t w, const struct sm_inst *in,
                    uint32_t pc, enum exec_outcome o, uint64_t t) {
    if (o == EXEC_BARRIER) {
        W->pc_of_wait = pc;
        barrier_arrive(s, w, t);
    } else if (o == EXEC_SLEEP) {
        const double cycles = (double)s->env.access.addr[0] * s->c.core_clock_mhz * 1e-3;
        block(s, &s->v.wait_sleep, w, pc);
        wheel_add(&s->wheel, t, t + 1 + (uint64_t)cycles, EVENT_WAKE, NULL, w, 0);
    }
    if (in->flags & SI_COMMIT) {
        const uint8_t next = (uint8_t)((W->async_now + 1) % ASYNC_GROUPS);
        if (W->async_left[next] == 0) W->async_now = next; // else the groups grow together
    }
    if ((in->flags & SI_FENCE) && in->aux != MFENCE_CTA && W->stores != 0) {
        W->fence_keep = 0;
        block(s, &s->v.wait_fence, w, pc);
    }
    if (in->flags & SI_ASYNC_WAIT) {
        if (in->aux == UINT16_MAX) {
            const uint8_t next = (uint8_t)((W->async_now + 1) % ASYNC_GROUPS);
            if (W->async_left[next] == 0) W->async_now = next;
        }
        W->async_keep = in->aux == UINT16_MAX ? 0
                        : in->aux < ASYNC_GROUPS ? (uint8_t)in->aux
                                                 : ASYNC_GROUPS - 1;
        if (lsu_async_open(W))
            block(s, &s->v.wait_fence, w, pc);
        else
            W->async_keep = UINT8_MAX;
    }
}

#if STEP_HOOKS
// The techniques' turn at the start of a cycle, and what they hold back in it.
static inline void policies_begin(struct sm *s, uint64_t t) {
#if STEP_ALL
    policy_turn_at(s);
#endif
    const bool is_due =
        (s->turn_at <= t) | ((s->n_watches | s->n_watches_idle) != 0 && policy_misses(s, t));
    if (is_due | (STEP_OFF && s->off_at <= t)) policy_turns(s, t, is_due);
#if STEP_LANES
    if ((!STEP_ALL || s->lanes != NULL) && *s->lanes_at <= t)
        s->lanes->cycle(s->lanes->self, &s->v);
#endif
}
#endif

#if STEP_LANES
static inline bool pipe_is_on(struct sm *s, uint32_t pipe) {
    if (!STEP_ALL) return true;
    return !(s->pipes_none >> pipe & 1) && (!(s->hooks & HOOK_UNIT) || policy_unit_on(s, pipe));
}

// Of `warps`, those whose lanes the pipe has on.
static inline uint64_t lanes_on(const struct sm *s, uint32_t pipe, uint64_t warps) {
    return pipe < SM_LANE_PIPES && (!STEP_ALL || s->lanes != NULL) ? warps & s->lane_pipe[pipe].on
                                                                   : warps;
}

// As units_choose, but only pipelines that have the lanes that the warp needs.
static inline uint32_t choose_pipe(struct sm *s, uint32_t w, uint32_t unit, uint64_t t) {
    const uint32_t first = s->v.pipe_first[unit], n = s->v.pipe_n[unit];
    if (!STEP_ALL) {
        if (first >= SM_LANE_PIPES || !s->lanes_gated) return units_choose(s, unit, t, false);
        const struct sm_lane_pipe *const x = &s->lane_pipe[first];
        const struct sm_pipe *const p = &s->v.pipe[first];
        uint64_t no = (units_later(p->free_at, t) | ~(x->on >> w)) & 1,
                 at = first + no; // as units_choose does
        for (uint32_t i = 1; i + 1 < n; i++)
            at += no &= units_later(p[i].free_at, t) | ~(x[i].on >> w);
        return (uint32_t)at;
    }
    const bool has_twin = units_has_twin(s, unit);
    uint32_t choice = SM_PIPES;
    for (uint32_t p = first; p < first + n; p++) {
        if (s->v.pipe[p].free_at > t || !pipe_is_on(s, p) || lanes_on(s, p, BIT64(w)) == 0)
            continue;
        if (choice == SM_PIPES) choice = p;
        if (!has_twin) break;
        if (!(s->pipes_none >> units_twin(p) & 1)) continue;
        choice = p;
        break;
    }
    return choice != SM_PIPES ? choice : units_choose(s, unit, t, false);
}

// The policy that looks at lanes is told of an instruction whose operands are complete in cycle
// `ready`, unless the lanes that execute it are those of the one before.
static inline struct sm_delay tell_lanes(struct sm *s, const struct sm_inst *in, uint32_t w,
                                         uint32_t pipe, uint64_t ready) {
    struct sm_lane_pipe *const x = &s->lane_pipe[pipe];
    const uint64_t enters = max64(ready, s->v.pipe[pipe].enter_at);
    const uint32_t lanes = s->env.exec_mask, latency = in->latency != 0 ? in->latency : 1;
    const uint32_t behind = x->folded & in->interval;
    if (lanes != x->lanes || behind > latency)
        return s->lanes->lanes_issue(s->lanes->self, &s->v, w, pipe, lanes, enters, latency,
                                     in->interval);
    sm_lanes_book(x, enters, behind + latency);
    return (struct sm_delay){x->latency + behind, behind};
}

#if STEP_ALL
// Cycles that the slowest of the instruction's rows takes longer to read.
static uint32_t slow_rows(struct sm *s, uint32_t w, const struct sm_inst *in, uint32_t lanes,
                          uint64_t t) {
    uint32_t extra = 0;
    for (uint32_t i = 0; i < in->n_src; i++) {
        const uint32_t x = policy_rf(s, w, in->src[i], lanes, false, t + s->c.read_latency);
        extra = x > extra ? x : extra;
    }
    return extra;
}

// Answers by how much policies delay it, `d` included.
static struct sm_delay tell_issue(struct sm *s, const struct sm_inst *in, uint32_t w, uint32_t pc,
                                  uint32_t sc, uint32_t pipe, bool is_second, struct sm_delay d,
                                  uint64_t operands_at, uint64_t t) {
    struct sm_issue i = {.cycle = t,
                         .warp = w,
                         .scheduler = sc,
                         .pc = pc,
                         .kernel_slot = s->warp[w].kslot,
                         .lanes = s->env.exec_mask,
                         .klass = in->klass,
                         .unit = in->unit,
                         .pipe = (uint8_t)pipe,
                         .is_second = is_second,
                         .latency = in->latency,
                         .interval = in->interval,
                         .operands_at = operands_at,
                         .extra_latency = d.latency,
                         .extra_interval = d.interval};
    uint32_t k = 0;
    do {
        s->on_issue.p[k]->issue(s->on_issue.p[k]->self, &s->v, &i);
    } while (++k < s->on_issue.n);
    return (struct sm_delay){i.extra_latency, i.extra_interval};
}
#endif
#endif

// Sends the instruction to its pipeline. `o` says whether it accesses memory.
static void dispatch(struct sm *s, struct warp *W, uint32_t w, const struct sm_inst *in,
                     uint32_t pc, uint32_t sc, uint32_t lanes, bool is_second, enum exec_outcome o,
                     uint64_t t) {
    const uint32_t unit = in->unit;
    uint32_t latency = in->latency, interval = in->interval;
    uint64_t ready = collect_operands(s, in, w, t, has_rows(s));
#if STEP_ALL
    if (entry_takes(s, unit)) {
        if (s->hooks & HOOK_RF) ready += slow_rows(s, w, in, lanes, t);
        entry_add(s, w, in, pc, sc, is_second, ready);
        return;
    }
#endif
#if STEP_LANES
    const uint32_t pipe = choose_pipe(s, w, unit, t);
#if STEP_ALL
    if (s->hooks & HOOK_RF) ready += slow_rows(s, w, in, lanes, t);
#endif
    struct sm_delay d = {0, 0};
    if (pipe < SM_LANE_PIPES && (!STEP_ALL || s->lanes != NULL))
        d = tell_lanes(s, in, w, pipe, ready);
#if STEP_ALL
    if (s->hooks & HOOK_ISSUE) d = tell_issue(s, in, w, pc, sc, pipe, is_second, d, ready, t);
#else
    (void)pc;
    (void)sc;
    (void)is_second;
#endif
    latency += d.latency;
    interval += d.interval;
#else
    const uint32_t pipe = units_choose(s, unit, t, STEP_OFF);
    (void)pc;
    (void)sc;
    (void)is_second;
#endif
    units_book(s, unit, pipe, t, interval, STEP_OFF);
#if STEP_LANES
    if (ww_unlikely(d.interval != 0)) units_book_twin(s, unit, pipe, t, d.interval);
#endif
    if (in->flags & SI_RESULT) scoreboard_reserve(W, in, s->kernel[W->kslot].kernel->wide);
    if (o == EXEC_MEMORY && s->env.access.kind != ACCESS_FENCE) {
        collect_hold(s, unit, t, ready);
        if (in->flags & SI_LANES)
            units_hold_lanes(s, unit, pipe, t, lsu_on_lanes(s, w, in, ready, lanes, t), STEP_OFF);
        else
            lsu_accept(s, w, in, ready, lanes, t);
        return;
    }
    if (latency == 0) latency = 1;
    const uint64_t at = units_enter(s, pipe, t, ready, interval, latency, STEP_OFF);
    collect_hold(s, unit, t, at);
    if (in->flags & SI_RESULT)
        wheel_add(&s->wheel, t, at + latency + s->c.write_latency, EVENT_RESULT, in, w, lanes);
}

// With warps that all schedulers choose from: no other one takes it in this cycle, and all go on
// behind it.
static void take(struct sm *s, uint32_t w) {
    s->cycle_taken |= BIT64(w);
    s->dirty |= s->warp[w].scheds;
    for (uint32_t i = 0; i < s->c.schedulers; i++) s->sched[i].last = (uint8_t)w;
}

// Issues the next instruction of warp w. False: the program faulted.
static bool issue(struct sm *s, uint32_t sc, uint32_t w, bool is_second, uint64_t t) {
    struct warp *const W = &s->warp[w];
    const struct sm_inst *const in = W->head;
    struct exec_warp *const ew = W->ew;
    const uint32_t pc = ew->pc, pushes = ew->pushes;
    s->env.cycle = t;
    const enum exec_outcome o = exec_step(&s->env, ew);
    if (ww_unlikely(o == EXEC_FAULT)) {
        s->faulted = true;
        return false;
    }
    const uint32_t lanes = count_lanes(s->env.exec_mask);
    struct sm_inst_counts *const count = &W->counts[pc];
    count->issues++;
    count->lanes += lanes;
    s->act.c[ACT_lanes_active + lanes]++;
#if STEP_LANES
    s->v.issued++;
#endif
    s->dirty |= 1u << sc;
    s->sched[sc].last = (uint8_t)w;
    if (ww_unlikely(s->c.shared_warps)) take(s, w);
    s->v.needs[in->unit] &= ~BIT64(w);
    if (in->unit != UNIT_NONE) {
        dispatch(s, W, w, in, pc, sc, lanes, is_second, o, t);
    } else {
        collect_operands(s, in, w, t,
                         false); // read and used at once: a branch's index, a barrier's number
#if STEP_ALL
        if (s->hooks & HOOK_ISSUE)
            tell_issue(s, in, w, pc, sc, SM_PIPES, is_second, (struct sm_delay){0, 0}, t, t);
#endif
    }
    if (ww_unlikely(o == EXEC_EXITED)) {
        W->ib_n--;
        cta_warp_exited(s, w, t);
        return true;
    }
    if (in->flags & SI_BRANCH)
        branch(s, W, w, in, pc, (in->flags & SI_CHECK_PUSH) && ew->pushes != pushes, t);
    else
        advance(s, W, w, in, pc, t);
#if STEP_LANES
    if (s->v.lanes[w] != ew->active) {
        s->v.lanes[w] = ew->active;
        s->v.full = (s->v.full & ~BIT64(w)) | (uint64_t)(ew->active == UINT32_MAX) << w;
        if (!STEP_ALL || s->lanes != NULL) s->lanes->lanes_changed(s->lanes->self, &s->v, w);
    }
#endif
    if (ww_unlikely(o >= EXEC_BARRIER || (in->flags & (SI_FENCE | SI_COMMIT | SI_ASYNC_WAIT))))
        special(s, W, w, in, pc, o, t);
    return true;
}

#if STEP_LANES
// Of `warps`, those for INT and FP that none of the free pipes has all lanes for. What is on in
// free pipes changes too often to branch on it.
static inline uint64_t lack_lanes(const struct sm *s, uint64_t warps, uint64_t t) {
    const struct sm_pipe *const p = s->v.pipe;
    const struct sm_lane_pipe *const x = s->lane_pipe;
    uint64_t on_int = (x[SM_PIPE_INT].on & ~units_later(p[SM_PIPE_INT].free_at, t)) |
                      (x[SM_PIPE_INT + 1].on & ~units_later(p[SM_PIPE_INT + 1].free_at, t));
    uint64_t on_fp = (x[SM_PIPE_FP].on & ~units_later(p[SM_PIPE_FP].free_at, t)) |
                     (x[SM_PIPE_FP + 1].on & ~units_later(p[SM_PIPE_FP + 1].free_at, t));
    for (uint32_t i = 2; i < s->c.clusters; i++) {
        on_int |= x[SM_PIPE_INT + i].on & ~units_later(p[SM_PIPE_INT + i].free_at, t);
        on_fp |= x[SM_PIPE_FP + i].on & ~units_later(p[SM_PIPE_FP + i].free_at, t);
    }
    return warps & ((s->v.needs[UNIT_INT] & ~on_int) | (s->v.needs[UNIT_FP] & ~on_fp));
}

// The same where pipes may be off, of any unit.
static uint64_t lack_in(struct sm *s, uint32_t u, uint64_t warps, uint64_t t) {
    const uint32_t first = s->v.pipe_first[u], end = first + s->v.pipe_n[u];
    for (uint32_t p = first; warps != 0 && p < end; p++)
        if (s->v.pipe[p].free_at <= t && pipe_is_on(s, p)) warps &= ~lanes_on(s, p, warps);
    return warps;
}

// Some of `warps` are for INT or FP: which lanes are on has to be known now.
static inline void look_at_lanes(struct sm *s, uint64_t warps, uint64_t t) {
    const uint64_t *const at = s->lanes_look_at;
    if ((at[0] <= t) & ((warps & s->v.needs[UNIT_INT]) != 0))
        s->lanes->lanes_look(s->lanes->self, &s->v, 0);
    if ((at[1] <= t) & ((warps & s->v.needs[UNIT_FP]) != 0))
        s->lanes->lanes_look(s->lanes->self, &s->v, 1);
}

// The same of all units that must be asked pipe by pipe.
static inline uint64_t lack_pipes(struct sm *s, uint64_t warps, uint64_t t) {
    const uint64_t *const needs = s->v.needs;
    if (s->lanes_gated) look_at_lanes(s, warps, t);
    if (!STEP_ALL) return s->lanes_gated ? lack_lanes(s, warps, t) : 0;
    const uint32_t all = (1u << UNIT_N) - (2u << UNIT_NONE);
    const uint32_t ask = s->hooks & HOOK_UNIT ? all
                         : s->lanes != NULL   ? 1u << UNIT_INT | 1u << UNIT_FP
                                              : 0;
    uint64_t lack = 0;
    FOR_EACH_BIT32(u, ask) lack |= lack_in(s, u, warps & needs[u], t);
    return lack;
}
#endif

#if STEP_OFF
// Of warps for units beyond INT and FP, those for which no pipeline that is on takes an
// instruction.
static __attribute__((noinline)) uint64_t off_more(const struct sm *s, uint64_t t) {
    uint64_t off = 0;
    for (uint32_t u = UNIT_FP + 1; u < UNIT_N; u++)
        off |= s->v.needs[u] & units_later(s->on_free_at[u], t);
    return off;
}
#endif

// Of `warps`, all ready, those whose unit takes an instruction in cycle t, or (`*held`) would if a
// technique did not hold it back. When none is left, `*why` is the reason.
static inline __attribute__((always_inline)) uint64_t
with_unit(struct sm *s, uint64_t warps, uint64_t t, enum stall_reason *why, uint64_t *held) {
    struct sm_view *const v = &s->v;
    const uint64_t *const needs = v->needs, *const free_at = v->unit_free_at;
    // no: of units all of whose pipelines are taken; off: ... that are on
    uint64_t no = (needs[UNIT_INT] & units_later(free_at[UNIT_INT], t)) |
                  (needs[UNIT_FP] & units_later(free_at[UNIT_FP], t)) |
                  (needs[UNIT_LDST] & units_later(free_at[UNIT_LDST], t));
    FOR_EACH_BIT32(u, s->units_busy & ~UNITS_OFTEN) {
        const uint64_t is_taken = units_later(free_at[u], t);
        no |= needs[u] & is_taken;
        s->units_busy &= ~((uint32_t)~is_taken & 1u << u);
    }
    const uint64_t at_entry = STEP_ALL ? entry_needs(s) : 0;
    no &= ~at_entry;
    *held = 0;
    *why = STALL_unit_busy;
    if (s->c.dp_blocks_issue) {
        if (s->cycle_dp) return 0;
        if (s->cycle_issues != 0) no |= needs[UNIT_DP];
    }
    uint64_t left = warps & ~no;
    if (left == 0) return 0;
    if (ww_unlikely(collect_full(s) != 0)) {
        *why = STALL_collector;
        left = collect_takes(s, left);
        if (left == 0) return 0;
    }
    if (ww_unlikely(lsu_is_full(&s->lsu, t) || s->ops_used == s->n_ops)) {
        if (left & needs[UNIT_LDST]) *why = STALL_lsu_full;
        left &= ~needs[UNIT_LDST];
    }
    if (left & needs[UNIT_TEX]) {
        if (ww_unlikely(lsu_is_full(&s->tex, t) || s->ops_used == s->n_ops)) {
            *why = STALL_lsu_full;
            left &= ~needs[UNIT_TEX];
        }
    }
#if STEP_OFF
    uint64_t off = (needs[UNIT_INT] & units_later(s->on_free_at[UNIT_INT], t)) |
                   (needs[UNIT_FP] & units_later(s->on_free_at[UNIT_FP], t));
    if (ww_unlikely(s->gates_more != 0)) off |= off_more(s, t);
    *held = left & off & ~at_entry;
#endif
#if STEP_LANES
    *held |= lack_pipes(s, left & ~*held & ~at_entry, t);
#endif
    return left;
}

#if STEP_LANES
// Asks one of `pipes` for the lanes that warp w needs, unless all have been asked for in this
// cycle. Lanes that wake for another warp may be what it lacks.
static inline void want_lanes(struct sm *s, uint32_t w, uint64_t pipes, uint64_t t) {
    const uint64_t open = pipes & ~s->lanes_claimed;
    if (open != 0) {
        const uint32_t pipe = sm_lanes_ask(s->lane_pipe, w, open);
        const struct sm_lane_pipe *const x = &s->lane_pipe[pipe];
        const uint32_t lanes = x->needed[w];
        s->lanes_claimed |= BIT64(pipe);
        if (x->asked != lanes || x->asked_on_at <= t)
            s->lanes->lanes_wanted(s->lanes->self, &s->v, pipe, lanes);
        s->policy_wake = min64(s->policy_wake, max64(x->asked_on_at, t + 1));
    }
    const uint64_t wake_at = s->lane_pipe[bits_first64(pipes)].wake_at;
    s->policy_wake = wake_at > t ? min64(s->policy_wake, wake_at) : s->policy_wake;
}
#endif

#if STEP_LANES && !STEP_ALL
// A scheduler came to warp w, one of `held`, for INT or FP: each free pipe of its type lacks lanes.
// Asks one for them; answers all warps that wait for the type.
static inline uint64_t want_unit(struct sm *s, uint32_t w, uint64_t held, uint64_t t) {
    const uint32_t is_fp = s->v.needs[UNIT_FP] >> w & 1, first = is_fp * SM_PIPE_FP;
    const struct sm_pipe *const p = &s->v.pipe[first];
    uint64_t open = (uint64_t)(p[0].free_at <= t) | (uint64_t)(p[1].free_at <= t) << 1;
    for (uint32_t i = 2; i < s->c.clusters; i++) open |= (uint64_t)(p[i].free_at <= t) << i;
    want_lanes(s, w, open << first, t);
    return held & s->v.needs[is_fp ? UNIT_FP : UNIT_INT];
}
#elif STEP_HOOKS
// A scheduler came to warp w, one of `held`: asks for its unit; answers all warps that wait for it.
static uint64_t want_unit(struct sm *s, uint32_t w, uint64_t held, uint64_t t) {
    const struct sm_view *const v = &s->v;
    const uint32_t u = s->warp[w].head->unit, first = v->pipe_first[u];
    if (!STEP_LANES && s->deaf_until[u] > t) {
        s->policy_wake = min64(s->policy_wake, s->deaf_until[u]);
        return held & v->needs[u];
    }
    uint64_t free_pipes = 0;
    for (uint32_t p = first; p < first + v->pipe_n[u]; p++)
        free_pipes |= (uint64_t)(v->pipe[p].free_at <= t) << p;
    const uint64_t ready = held & v->needs[u];
#if STEP_LANES
    uint64_t on = 0; // pipes that are on but for some lanes
    FOR_EACH_BIT64(p, free_pipes & *s->part_at)
        if (pipe_is_on(s, (uint32_t)p)) on |= BIT64(p);
    if (on != 0) {
        want_lanes(s, w, on, t);
        return ready;
    }
#endif
    s->policy_wake = min64(s->policy_wake, policy_unit_wanted(s, u, free_pipes, ready));
    return ready;
}
#endif

#if STEP_HOOKS && !STEP_LANES
// Warps for INT and FP whose unit would answer nothing new. When that is so follows no pattern.
static inline uint64_t deaf_to(const struct sm *s, uint64_t t) {
    return (s->v.needs[UNIT_INT] & units_later(s->deaf_int, t)) |
           (s->v.needs[UNIT_FP] & units_later(s->deaf_fp, t));
}

// A scheduler issues nothing, and such warps are among those that it would have come to.
static void wait_for_deaf(struct sm *s, uint64_t deaf) {
    if (deaf & s->v.needs[UNIT_INT]) s->policy_wake = min64(s->policy_wake, s->deaf_int);
    if (deaf & s->v.needs[UNIT_FP]) s->policy_wake = min64(s->policy_wake, s->deaf_fp);
}
#endif

#if STEP_HOOKS
// The scheduler's choice among `left`: in its order, or as policies prefer. Units of those of them
// that are `held` back are asked for when it comes to them, and nobody has to know which they are
// before. False: it may issue none.
static inline bool choose_hooked(struct sm *s, uint32_t sc, uint64_t left, uint64_t held,
                                 uint32_t *w, uint64_t t) {
#if STEP_LANES
    bool has_looked = false;
#else
    const uint64_t deaf = held & deaf_to(s, t);
    left &= ~deaf;
#endif
    for (;;) {
        if (left == 0) {
#if !STEP_LANES
            wait_for_deaf(s, deaf);
#endif
            return false;
        }
        uint64_t from = left;
        if (s->order != NULL) from = sm_order_first(s->order, &s->v, from);
#if STEP_LANES
        if (s->groups != NULL) from = sm_groups_first(s->groups, &s->v, sc, from, &has_looked);
        if (s->hooks & HOOK_PREFER) from = policy_prefer(s, sc, from);
        if (from == 0) return false;
#endif
        *w = s->ops->pick(s, sc, from);
        if (ww_likely(!(held >> *w & 1))) return true;
        left &= ~want_unit(s, *w, held, t);
    }
}
#endif

// The second instruction of a dual issue: the same warp's next, if it needs nothing of the first.
static void second(struct sm *s, uint32_t sc, uint32_t w, uint32_t first_unit, uint64_t t) {
    const uint64_t bit = BIT64(w) & s->v.go & s->v.active;
    if (bit == 0) return;
    const struct sm_inst *const in = s->warp[w].head;
    if (in->flags & SI_SOLO) return;
    if (s->c.dual_issue_diff_units && in->unit == first_unit) return;
    enum stall_reason why;
    uint64_t held;
    const uint64_t left = with_unit(s, bit, t, &why, &held);
#if STEP_HOOKS
    if (held != 0) want_unit(s, w, held, t);
#endif
    if ((left & ~held) == 0) return;
    if (issue(s, sc, w, true, t)) s->act.c[ACT_issue_slots + STALL_dual]++;
}

// Scheduler sc's turn. False: nothing issued, and the reason is held.
static bool schedule(struct sm *s, uint32_t sc, uint64_t t) {
    struct sm_view *const v = &s->v;
    if (s->ops->prepare != NULL) s->ops->prepare(s, sc);
    const uint64_t ready = v->go & v->mine[sc] & ~s->cycle_taken, active = ready & v->active;
    if (active == 0) {
        if (ready != 0) {
            stall_hold(s, sc, STALL_pending, ready, t);
            s->dirty |= 1u << sc;
        } else if (s->dirty >> sc & 1) {
            stall_classify(s, sc, t);
            s->dirty &= ~(1u << sc);
        }
        return false;
    }
    if (ww_unlikely(s->sched[sc].next > t)) {
        stall_hold(s, sc, STALL_issuing, active, t);
        s->dirty |= 1u << sc;
        return false;
    }
    enum stall_reason why;
    uint64_t held;
    const uint64_t left = with_unit(s, active, t, &why, &held);
#if STEP_HOOKS
    uint32_t w = 0;
    const bool chosen = choose_hooked(s, sc, left, held, &w, t);
    if (!chosen && left != 0) why = STALL_policy;
#else
    const bool chosen = left != 0;
#endif
    if (!chosen) {
        stall_hold(s, sc, why, active, t);
        s->dirty |= 1u << sc;
        return false;
    }
    s->act.c[ACT_scheduler_arbitrations]++;
    s->act.c[ACT_scheduler_ready_warps] += count_warps(left & ~held);
#if !STEP_HOOKS
    const uint32_t w = s->ops->pick(s, sc, left);
#endif
    const struct sm_inst *const in = s->warp[w].head;
    const uint32_t unit = in->unit;
    const bool may_pair = s->pairs && !(in->flags & (SI_SOLO | SI_BRANCH));
    stall_issued(s, sc, t);
    if (!issue(s, sc, w, false, t)) return true;
    s->cycle_issues++;
    s->cycle_dp |= unit == UNIT_DP;
    if (may_pair) second(s, sc, w, unit, t);
    s->sched[sc].next = t + s->c.scheduler_interval;
    return true;
}

// ---- 4. the next cycle -------------------------------------------------------------------------
// Units of which a pipeline may be taken. Beyond those that are, where some may be held back: one
// that is free may be off, or lack lanes, while another is taken.
static inline uint32_t units_waited_for(const struct sm *s) {
    if (STEP_ALL || (STEP_OFF && ww_unlikely(s->gates_more != 0)))
        return (1u << UNIT_N) - (2u << UNIT_NONE);
    return s->units_busy | UNITS_OFTEN;
}

// When the next of the unit's pipelines takes an instruction again that does not now. Where each
// takes any, that matters only while all are taken.
static inline uint64_t unit_next(const struct sm *s, uint32_t u, uint64_t t) {
    if (STEP_HOOKS) return units_next(s, u, t);
    return s->v.unit_free_at[u] > t ? s->v.unit_free_at[u] : NEVER;
}

static uint64_t next_cycle(struct sm *s, uint64_t t) {
    const struct sm_view *const v = &s->v;
    if (s->fetch_want != 0) return t + 1;
    uint64_t next = min64(wheel_next(&s->wheel, t + 1), s->decode_at);
    next = min64(next, min64(s->lsu.wake, s->tex.wake));
    const uint64_t held = v->go & v->active;
    if (held != 0) {
        FOR_EACH_BIT32(u, units_waited_for(s))
            if (v->needs[u] & held) next = min64(next, unit_next(s, (uint32_t)u, t));
        if (collect_full(s) != 0) next = min64(next, collect_next(s, t));
        if (held & v->needs[UNIT_LDST]) {
            const uint64_t room = s->lsu.start[s->lsu.start_at];
            if (room > t) next = min64(next, room);
        }
        if (held & v->needs[UNIT_TEX]) {
            const uint64_t room = s->tex.start[s->tex.start_at];
            if (room > t) next = min64(next, room);
        }
        for (uint32_t sc = 0; sc < s->c.schedulers; sc++)
            if (s->sched[sc].next > t && (held & v->mine[sc]))
                next = min64(next, s->sched[sc].next);
    }
    if (STEP_ALL) next = min64(next, entry_next(s, t));
#if STEP_HOOKS
    next = min64(next, min64(s->policy_wake, s->epoch_at));
    if (s->hooks & HOOK_NEXT) next = min64(next, policy_next_event(s));
    if (s->hooks & HOOK_LEAVE && next > t + 1 && policy_is_left(s, next)) policy_leave(s, next);
#endif
    return max64(next, t + 1);
}

static void close_busy(struct sm *s, uint64_t t) {
    s->closes = false;
    if (s->n_ctas != 0) return;
    stall_flush_all(s, t + 1);
    s->act.c[ACT_sm_busy_cycles] += t + 1 - s->busy_since;
    s->is_busy = false;
#if STEP_HOOKS || STEP_LISTENS
    s->epoch_at = NEVER;
    policy_work(
        s, false,
        t + 1); // that sees since when the pipelines are idle: before their idle times are closed
#endif
    count_close(s, t + 1);
}

uint64_t STEP_CYCLE(struct sm *s, uint64_t t) {
#if STEP_HOOKS
    s->v.before = s->v.cycle;
#endif
    s->v.cycle = t;
    if (s->reply_at <= t) reply_take(s, t);
    if (s->lsu.wake <= t) lsu_step(s, &s->lsu, t);
    if (s->tex.wake <= t) lsu_step(s, &s->tex, t);
    if (wheel_has(&s->wheel, t)) events(s, t);
    if (s->decode_at <= t) front_decode(s, t);
    collect_sweep(s, t);
#if STEP_HOOKS
    s->policy_wake = NEVER;
#if STEP_ALL
    policy_accesses(s);
#endif
    policies_begin(s, t);
#endif
    if (STEP_ALL && s->n_entries != 0) entry_step(s, t);
    bool issued = false;
    if (s->v.resident != 0 || s->is_busy) {
        s->cycle_issues = 0;
        s->cycle_taken = 0;
#if STEP_LANES
        s->lanes_claimed = 0;
#endif
        s->cycle_dp = false;
        const uint32_t n = s->c.schedulers;
        uint32_t sc = (uint32_t)(t % n);
        for (uint32_t i = 0; i < n; i++) {
            issued |= schedule(s, sc, t);
            if (ww_unlikely(s->faulted)) break;
            sc++;
            sc &= 0 -
                  (uint32_t)(sc != n); // it begins where the cycle says, so nothing branches on it
        }
    }
    if (s->fetch_want != 0) front_fetch(s, t);
    if (issued) s->progress = t;
    if (ww_unlikely(s->closes)) close_busy(s, t);
    return issued ? t + 1 : next_cycle(s, t);
}
