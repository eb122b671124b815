// One cycle of an SM. Compiled six times: with STEP_FULL 0 no technique is ever looked at and
// clusters are chosen at issue (step_plain.c), with 1 all is there (step_full.c); with STEP_MANY 1
// for several sub-cores (step_many_plain.c, step_many.c), else the compiler knows that there is
// one; with STEP_CONTROL for SMs that know readiness by control bits (step_control.c; step_many.c
// asks each); with STEP_GROUP 1 for SMs that share a front end (step_group.c), of which one
// schedules for all. Within a cycle:
//
//   1. what became known: replies of memory, transactions, results (they free registers), fetched
//      instructions, so that all of it can be used in the same cycle; the techniques' start of the
//      cycle
//   2. each scheduler, in an order that rotates with the cycle, issues at most one instruction, or
//      two of the same warp; the instruction computes here (exec_step)
//   3. fetch
//   4. the next cycle: the one after when something issued, else the first in which
//      anything happens
//
// With cluster_at entry INT and FP instructions that have issued enter their pipelines ahead of 2.
// (entry.h).
//
// An instruction that issues in cycle t reads its operands from t + read_latency on, one row a bank
// and cycle, enters its pipeline in the cycle of the last read or when the pipeline takes it, and
// its result may be used `latency` cycles after that, and write_latency more.
#ifndef STEP_GROUP
#define STEP_GROUP 0
#endif
#ifndef STEP_CONTROL
#define STEP_CONTROL(s) false
#endif
#if STEP_MANY
#define STEP_SUBS(s) ((s)->n_subs)
#else
#define STEP_SUBS(s) 1u
#endif
#define FOR_EACH_SUB(sub, s)                                                                       \
    for (struct sub_core *sub = (s)->sub; sub < (s)->sub + STEP_SUBS(s); sub++)
#define UNITS_OFTEN (1u << UNIT_INT | 1u << UNIT_FP | 1u << UNIT_LDST)

#include "sm/collect.h"
#include "sm/entry.h"
#if STEP_GROUP
#include "sm/group_int.h"
#endif
#include "sm/scoreboard.h"
#include "sm/sm_state.h"
#include "sm/units.h"
#include "sm/wheel.h"

// As sub_of.
static inline struct sub_core *step_sub(struct sm *s, uint32_t w) {
    return &s->sub[w & (STEP_SUBS(s) - 1)];
}

// A warp's number in its sub-core.
static inline uint32_t number_of(const struct sm *s, uint32_t w) {
    return STEP_MANY ? w >> s->sub_shift : w;
}

// ---- 1. events ---------------------------------------------------------------------------------
static void release(struct sm *s, uint32_t w, const struct sm_inst *in, uint64_t t) {
    struct warp *const warp = &s->res.warp[w];
    if (STEP_CONTROL(s))
        counters_release(warp, in);
    else
        scoreboard_release(warp, in, s->res.kernel[warp->kslot].kernel->wide);
    if (ww_unlikely(warp->exited)) {
        if (warp->inflight == 0) cta_warp_drained(s, w, t);
        return;
    }
    if ((s->v.decoded & ~s->v.go) >> w & 1) scoreboard_look_as(s, w, STEP_CONTROL(s));
}

// The operands of an instruction that reads them late have been read.
static void have_read(struct sm *s, uint32_t w, const struct sm_inst *in, uint64_t t) {
    struct warp *const warp = &s->res.warp[w];
    warp->inflight--;
    counters_down(warp, in->read);
    if (ww_unlikely(warp->exited)) {
        if (warp->inflight == 0) cta_warp_drained(s, w, t);
        return;
    }
    if ((s->v.decoded & ~s->v.go) >> w & 1) counters_look(s, w, t);
}

#if STEP_FULL
// Techniques hear of the rows that a result is written to, in cycles `at`, the last in cycle
// `last`; answers by how many cycles they delay it.
static uint32_t tell_write(const struct sm *s, const struct event *e, const uint64_t *at,
                           uint64_t last) {
    uint8_t reg[MAX_DST_ROWS];
    for (uint32_t i = 0; i < e->in->n_dst; i++) reg[i] = (uint8_t)(e->in->dst_first + i);
    return technique_rows(s,
                          &(struct sm_row_access){.cycle = last,
                                                  .warp = e->warp,
                                                  .n = e->in->n_dst,
                                                  .reg = reg,
                                                  .at = at,
                                                  .lanes = e->lanes,
                                                  .is_long = (e->in->flags & SI_LONG) != 0,
                                                  .values = s->res.warp[e->warp].exec->regs},
                          true);
}

// Reads the operands of the warp's next instruction, before it computes, and techniques hear of it.
// Answers the cycle in which they are complete.
static uint64_t read_rows(struct sm *s, uint32_t w, const struct sm_inst *in, uint64_t t) {
    const struct warp *const warp = &s->res.warp[w];
    const struct minst *const m = &s->res.kernel[warp->kslot].kernel->image->inst[warp->exec->pc];
    const uint32_t guard = warp->exec->pred[m->guard < PRED_TRUE ? m->guard : PRED_TRUE];
    uint64_t at[WW_COUNT(in->src)];
    struct collectors *const k = &step_sub(s, w)->collectors;
    const uint64_t last = STEP_CONTROL(s) ? collect_cached(k, in, number_of(s, w), count_lanes(warp->exec->active & (m->guard_not ? ~guard : guard)), t, at)
                                          : collect_each(k, in, number_of(s, w), t, at);
    if ((in->n_src | in->n_dst) == 0) return last;
    return last + technique_rows(s,
                                 &(struct sm_row_access){.cycle = t + s->c.read_latency,
                                                         .warp = w,
                                                         .n = in->n_src,
                                                         .reg = in->src,
                                                         .at = at,
                                                         .lanes = warp->exec->active &
                                                                  (m->guard_not ? ~guard : guard),
                                                         .pc = warp->exec->pc,
                                                         .n_dst = in->n_dst,
                                                         .dst_first = in->dst_first,
                                                         .values = warp->exec->regs},
                                 false);
}
#endif

#if STEP_FULL
// A result of fixed latency, which only techniques hear of: their delay keeps the warp.
static void result_fixed(struct sm *s, const struct event *e, uint64_t t) {
    uint64_t each[MAX_DST_ROWS];
    for (uint32_t i = 0; i < e->in->n_dst; i++) each[i] = t - 1;
    const uint32_t later = e->in->n_dst != 0 ? tell_write(s, e, each, t - 1) : 0;
    release(s, e->warp, e->in, t);
    if (later != 0 && !s->res.warp[e->warp].exited) counters_hold(s, e->warp, t + later);
}
#endif

static void result(struct sm *s, const struct event *e, uint64_t t) {
    struct collectors *const k = &step_sub(s, e->warp)->collectors;
    uint64_t *const next = STEP_CONTROL(s) ? k->write_next : k->bank_next;
#if STEP_FULL
    uint64_t each[MAX_DST_ROWS];
    if (STEP_CONTROL(s) && e->in->write == CONTROL_NONE) {
        result_fixed(s, e, t);
        return;
    }
    uint64_t at = collect_write(k, e->in, number_of(s, e->warp), t, each, next);
    if (s->tech.rows.n != 0 && e->in->n_dst != 0) at += tell_write(s, e, each, at - 1);
#if STEP_GROUP
    at = group_acknowledge(s, e->in, at);
#endif
#else
    const uint64_t at = collect_write(k, e->in, number_of(s, e->warp), t, NULL, next);
#endif
    if (at > t)
        wheel_add(&s->wheel, t, at, EVENT_RELEASE, e->in, e->warp, e->lanes);
    else
        release(s, e->warp, e->in, t);
}

static void wake_warp(struct sm *s, uint32_t w) {
    s->v.wait_bar &= ~BIT64(w);
    s->v.wait_sleep &= ~BIT64(w);
    scoreboard_unblock_as(s, w, STEP_CONTROL(s));
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
            case EVENT_READ: have_read(s, e.warp, e.in, t); break;
            case EVENT_BRANCH:
                s->v.wait_branch &= ~BIT64(e.warp);
                scoreboard_unblock_as(s, e.warp, STEP_CONTROL(s));
                front_want(s, e.warp);
                break;
            case EVENT_WAKE: wake_warp(s, e.warp); break;
            case EVENT_FETCH: front_line_ready(s, e.warp); break;
            case EVENT_SECOND: reply_second(s, t); break;
            case EVENT_CONSTANT: front_constants_there(s, e.warp); break;
            default: front_want(s, e.warp); break;
            }
        }
    }
}

// ---- 2. issue ----------------------------------------------------------------------------------
// The instruction leaves the buffer; the warp stands at `exec->pc` now.
static void advance(struct sm *s, struct warp *warp, uint32_t w, const struct sm_inst *in,
                    uint32_t pc, uint64_t t) {
    warp->ib_n--;
    if (ww_unlikely(warp->exec->pc != pc + 1)) {
        front_flush(s, w);
    } else if (warp->ib_n != 0) {
        scoreboard_head_as(s, w, in + 1, t, t + 1, STEP_CONTROL(s));
    } else {
        s->v.decoded &= ~BIT64(w);
        s->v.go &= ~BIT64(w);
    }
    front_want(s, w);
}

static void block(struct sm *s, uint64_t *wait, uint32_t w, uint32_t pc) {
    *wait |= BIT64(w);
    s->blocked |= BIT64(w);
    s->res.warp[w].pc_of_wait = pc;
    scoreboard_look_as(s, w, STEP_CONTROL(s));
}

static void branch(struct sm *s, struct warp *warp, uint32_t w, const struct sm_inst *in,
                   uint32_t pc, bool has_split, uint64_t t) {
    s->act.c[ACT_divergent_branches] += has_split;
    if (s->c.branch_latency == 0) {
        advance(s, warp, w, in, pc, t);
        return;
    }
    s->v.wait_branch |= BIT64(w);
    s->blocked |= BIT64(w);
    front_wait(&step_sub(s, w)->front, w);
    warp->pc_of_wait = pc;
    advance(s, warp, w, in, pc, t);
    scoreboard_look_as(s, w, STEP_CONTROL(s));
    wheel_add(&s->wheel, t, t + s->c.branch_latency, EVENT_BRANCH, NULL, w, 0);
}

// What a few instructions do besides computing: they make their warp wait.
static void special(struct sm *s, struct warp *warp, uint32_t w, const struct sm_inst *in,
                    uint32_t pc, enum exec_outcome o, const struct exec_access *access,
                    uint64_t t) {
    if (o == EXEC_BARRIER) {
        warp->pc_of_wait = pc;
        barrier_arrive(s, w, t);
    } else if (o == EXEC_STUCK) { // until a barrier lets lanes of it go
        block(s, &s->v.wait_bar, w, pc);
    } else if (o == EXEC_SLEEP) {
        const double cycles = (double)access->addr[0] * s->c.core_clock_mhz * 1e-3;
        block(s, &s->v.wait_sleep, w, pc);
        wheel_add(&s->wheel, t, t + 1 + (uint64_t)cycles, EVENT_WAKE, NULL, w, 0);
    }
    if (in->flags & SI_COMMIT) {
        const uint8_t next = (uint8_t)((warp->async_now + 1) % ASYNC_GROUPS);
        if (warp->async_left[next] == 0) warp->async_now = next; // else the groups grow together
    }
    if ((in->flags & SI_FENCE) && in->aux != MFENCE_CTA && warp->stores != 0) {
        warp->fence_keep = 0;
        block(s, &s->v.wait_fence, w, pc);
    }
    if (in->flags & SI_ASYNC_WAIT) {
        if (in->aux == UINT16_MAX) {
            const uint8_t next = (uint8_t)((warp->async_now + 1) % ASYNC_GROUPS);
            if (warp->async_left[next] == 0) warp->async_now = next;
        }
        warp->async_keep = in->aux == UINT16_MAX    ? 0
                           : in->aux < ASYNC_GROUPS ? (uint8_t)in->aux
                                                    : ASYNC_GROUPS - 1;
        if (lsu_async_open(warp))
            block(s, &s->v.wait_fence, w, pc);
        else
            warp->async_keep = UINT8_MAX;
    }
}

#if STEP_FULL
// The techniques' start of a cycle, and what they switch off in it.
static inline void techniques_begin(struct sm *s, uint64_t t) {
    s->alarms.at[ALARM_RETRY] = NEVER;
    if (s->tech.all.n == 0) return;
    s->v.accesses[0] = s->lsu.ldst.n;
    s->v.accesses[1] = s->lsu.tex.n;
    if (ww_unlikely(s->alarms.at[ALARM_EPOCH] <= t))
        technique_epoch(s, t);
    else
        for (uint32_t i = 0; i < s->tech.n_cycles; i++)
            s->tech.cycle[i].cycle(s->tech.cycle[i].self, &s->v);
    if (s->tech.gate != NULL) gate_look(s, t);
}

// The pipeline for warp w: as units_choose, but where lanes are switched off one that has those
// that the warp needs.
static inline uint32_t choose_pipe(const struct sm *s, const struct units *x, uint32_t w,
                                   uint32_t unit, uint64_t t) {
    const uint32_t first = x->first[unit], n = x->n[unit];
    if (first >= SM_LANE_PIPES || s->tech.gated_lanes == NULL)
        return units_choose(s, x, unit, t, true);
    const uint64_t *const on = &s->tech.gated_lanes->on[first];
    const struct sm_pipe *const p = &s->v.pipe[first];
    uint64_t no = (units_later(p->free_at, t) | ~(on[0] >> w)) & 1,
             at = first + no; // as units_choose does
    for (uint32_t i = 1; i + 1 < n; i++) at += no &= units_later(p[i].free_at, t) | ~(on[i] >> w);
    return (uint32_t)at;
}

// The technique of single lanes hears of an instruction whose operands are complete in cycle
// `ready`.
static inline struct sm_delay tell_lanes(struct sm *s, const struct sm_inst *in, uint32_t w,
                                         uint32_t lanes, uint32_t pipe, uint64_t ready) {
    const struct sm_technique *const x = s->tech.lanes;
    return x->lanes->issued(x->self, &s->v, s->v.lanes[w], pipe, lanes,
                            max64(ready, s->v.pipe[pipe].enter_at),
                            in->latency != 0 ? in->latency : 1, in->interval);
}

static void tell_issued(struct sm *s, const struct sm_inst *in, uint32_t w, uint32_t lanes,
                        uint32_t pc, uint32_t sc, uint32_t pipe, bool is_second, uint64_t t) {
    technique_issued(s, &(struct sm_issue){.cycle = t,
                                           .warp = w,
                                           .scheduler = sc,
                                           .pc = pc,
                                           .kernel_slot = s->res.warp[w].kslot,
                                           .lanes = lanes,
                                           .klass = in->klass,
                                           .unit = in->unit,
                                           .pipe = (uint8_t)pipe,
                                           .is_second = is_second});
}
#endif

// What an instruction that issues does to its warp's counters. Of one that reads its operands late
// they are complete in cycle `ready`.
static void count_up(struct sm *s, struct warp *warp, uint32_t w, const struct sm_inst *in,
                     uint64_t ready, uint64_t t) {
    if (in->flags & SI_RESULT && in->write != CONTROL_NONE) counters_reserve(warp, in);
    if (in->read == CONTROL_NONE) return;
    counters_up(warp, in->read);
    warp->inflight++;
    const uint64_t least = t + (in->flags & SI_MEM ? s->c.late_read : 1);
    wheel_add(&s->wheel, t, max64(ready, least), EVENT_READ, in, w, 0);
}

// An instruction of fixed latency enters its pipeline in cycle `at`, and technique `more` cycles
// lengthen it: the warp, and in front of busy banks the issue stage, wait as much longer.
static inline void enter_fixed(struct sm *s, struct sub_core *sub, struct warp *warp, uint32_t w,
                               const struct sm_inst *in, uint32_t lanes, uint64_t at, uint32_t more,
                               uint64_t t) {
    sub->late = (uint32_t)(at - t) - s->c.read_latency;
    warp->ready_at += sub->late + more;
    if (STEP_FULL && s->tech.rows.n != 0 && (in->flags & SI_RESULT)) {
        counters_reserve(warp, in);
        wheel_add(&s->wheel, t, at + in->latency + more + s->c.write_latency, EVENT_RESULT, in, w,
                  lanes);
    }
    if (in->flags & SI_RESULT) collect_write_fixed(&sub->collectors, in, number_of(s, w));
}

// Sends the instruction, which `lanes` execute and whose operands are complete in cycle `ready`, to
// its pipeline. `access`: what it does to memory, or NULL.
static void dispatch(struct sm *s, struct sub_core *sub, struct warp *warp, uint32_t w,
                     const struct sm_inst *in, uint32_t lanes, uint32_t pc, uint32_t sc,
                     bool is_second, uint64_t ready, const struct exec_access *access, uint64_t t) {
    const uint32_t unit = in->unit;
    struct units *const x = &sub->units;
    uint32_t latency = in->latency, interval = in->interval;
#if STEP_FULL
    if (entry_takes(s, unit)) {
        entry_add(s, sub,
                  &(struct entry){.in = in,
                                  .operands_at = ready,
                                  .lanes = lanes,
                                  .pc = pc,
                                  .active = s->v.lanes[w],
                                  .warp = (uint8_t)w,
                                  .scheduler = (uint8_t)sc,
                                  .is_second = is_second});
        return;
    }
    const uint32_t pipe = choose_pipe(s, x, w, unit, t);
    struct sm_delay d = {0, 0};
    if (pipe < SM_LANE_PIPES && s->tech.lanes != NULL) d = tell_lanes(s, in, w, lanes, pipe, ready);
    if (ww_unlikely(s->tech.issue.n != 0)) tell_issued(s, in, w, lanes, pc, sc, pipe, is_second, t);
    latency += d.latency;
    interval += d.interval;
#else
    const uint32_t pipe = units_choose(s, x, unit, t, false);
    (void)pc, (void)sc, (void)is_second;
#endif
    units_book(s, x, unit, pipe, t, interval, STEP_FULL);
    // A matrix instruction may read for some cycles while nothing can follow it into its pipeline.
    if (ww_unlikely(unit == UNIT_TENSOR) && s->c.tensor_read_cycles > 1) {
        const uint64_t first = t + s->c.read_latency;
        ready -= min64(ready - first, s->c.tensor_read_cycles - 1);
    }
#if STEP_FULL
    if (ww_unlikely(d.interval != 0)) units_book_twin(s, x, unit, pipe, t, d.interval);
#endif
    if (STEP_CONTROL(s))
        count_up(s, warp, w, in, ready, t);
    else if (in->flags & SI_RESULT)
        scoreboard_reserve(warp, in, s->res.kernel[warp->kslot].kernel->wide);
    if (access != NULL) {
        collect_hold(&sub->collectors, unit, t, ready);
        const struct lsu_order order = {
            .in = in, .access = access, .operands_at = ready, .warp = w, .lanes = lanes};
        if (in->flags & SI_LANES)
            units_hold_lanes(s, x, unit, pipe, t, lsu_on_lanes(s, &order, t), STEP_FULL);
        else
            lsu_accept(s, &order, t);
        return;
    }
    if (latency == 0) latency = 1;
    const uint64_t at = units_enter(s, pipe, t, ready, interval, latency, STEP_FULL);
    collect_hold(&sub->collectors, unit, t, at);
    if (STEP_CONTROL(s) && in->is_cached)
        enter_fixed(s, sub, warp, w, in, lanes, at, latency - (in->latency == 0 ? 1 : in->latency),
                    t);
    else if (in->flags & SI_RESULT)
        wheel_add(&s->wheel, t, at + latency + s->c.write_latency, EVENT_RESULT, in, w, lanes);
}

// With warps that all schedulers choose from: no other one takes it in this cycle, and all go on
// behind it.
static void take(struct sm *s, struct sub_core *sub, uint32_t w) {
    sub->taken |= BIT64(w);
    s->dirty |= s->res.warp[w].scheds;
    for (uint32_t i = 0; i < s->c.schedulers; i++) s->sched[i].last = (uint8_t)w;
}

static inline uint64_t read_operands(const struct sm *s, struct collectors *k,
                                     const struct sm_inst *in, uint32_t number,
                                     uint32_t n_lanes, uint64_t t) {
    (void)s, (void)n_lanes; // where the kind of SM is a constant
    return STEP_CONTROL(s) ? collect_cached(k, in, number, n_lanes, t, NULL)
                           : collect_operands(k, in, number, t);
}

// Issues the next instruction of warp w. False: the program faulted.
static bool issue(struct sm *s, struct sub_core *sub, uint32_t sc, uint32_t w, bool is_second,
                  uint64_t t) {
    struct warp *const warp = &s->res.warp[w];
    const struct sm_inst *const in = warp->head;
    struct exec_warp *const exec = warp->exec;
    const uint32_t pc = exec->pc, pushes = exec->pushes;
#if STEP_FULL
    const bool is_told = s->tech.rows.n != 0;
    uint64_t ready = 0;
    if (ww_unlikely(is_told)) ready = read_rows(s, w, in, t);
    const uint8_t *const bank_of = &sub_of(s, w)->collectors.bank_of[w >> s->sub_shift];
    if (s->toggle != NULL) toggle_read(s->toggle, s->act.c, in, exec, bank_of);
#endif
    s->env.cycle = t;
    const enum exec_outcome o = s->source.step(&s->env, exec);
    if (ww_unlikely(o == EXEC_FAULT)) {
        s->faulted = true;
        return false;
    }
    const uint32_t lanes = s->env.exec_mask, n_lanes = count_lanes(lanes);
    struct inst_runs *const runs = &warp->runs[pc];
    runs->issues++;
    runs->lanes += n_lanes;
    s->act.c[ACT_lanes_active + n_lanes]++;
    if (STEP_MANY && s->n_subs > 1) sub_lanes_on(sub, n_lanes, t);
#if STEP_FULL
    s->v.issued++;
    if (s->toggle != NULL)
        toggle_written(s->toggle, s->act.c, in, exec, bank_of, lanes,
                       o == EXEC_MEMORY ? &s->env.access : NULL);
#endif
    s->dirty |= 1u << sc;
    s->sched[sc].last = (uint8_t)w;
    if (ww_unlikely(s->c.shared_warps)) take(s, sub, w);
    s->v.needs[in->unit] &= ~BIT64(w);
    if (STEP_CONTROL(s)) {
        warp->ready_at = t + in->stall;
        sub->late = 0;
    }
#if STEP_FULL
    if (!is_told) ready = read_operands(s, &sub->collectors, in, number_of(s, w), n_lanes, t);
#else
    const uint64_t ready = read_operands(s, &sub->collectors, in, number_of(s, w), n_lanes, t);
#endif
    if (in->unit != UNIT_NONE) { // else used at once: a branch's index, a barrier's number
        const bool has_access = o == EXEC_MEMORY && s->env.access.kind != ACCESS_FENCE;
        dispatch(s, sub, warp, w, in, lanes, pc, sc, is_second, ready,
                 has_access ? &s->env.access : NULL, t);
    } else {
#if STEP_FULL
        if (ww_unlikely(s->tech.issue.n != 0))
            tell_issued(s, in, w, lanes, pc, sc, SM_PIPES, is_second, t);
#endif
    }
    if (ww_unlikely(o == EXEC_EXITED)) {
        warp->ib_n--;
        cta_warp_exited(s, w, t);
        return true;
    }
    if (in->flags & SI_BRANCH)
        branch(s, warp, w, in, pc, (in->flags & SI_CHECK_PUSH) && exec->pushes != pushes, t);
    else
        advance(s, warp, w, in, pc, t);
#if STEP_FULL
    if (s->v.lanes[w] != exec->active) {
        s->v.lanes[w] = exec->active;
        s->v.full = (s->v.full & ~BIT64(w)) | (uint64_t)(exec->active == UINT32_MAX) << w;
        if (s->tech.lanes != NULL) s->tech.lanes->lanes->changed(s->tech.lanes->self, &s->v, w);
    }
#endif
    if (ww_unlikely(o >= EXEC_BARRIER || (in->flags & (SI_FENCE | SI_COMMIT | SI_ASYNC_WAIT))))
        special(s, warp, w, in, pc, o, &s->env.access, t);
    return true;
}

#if STEP_FULL
// Of `warps`, those for INT and FP that none of the free pipes has all lanes for. What is on in
// free pipes changes too often to branch on it.
static inline uint64_t lack_lanes(struct sm *s, const struct units *u, uint64_t warps, uint64_t t) {
    const struct sm_technique *const x = s->tech.lanes;
    const struct sm_lanes *const l = s->tech.gated_lanes;
    const struct sm_pipe *const p = s->v.pipe;
    for (uint32_t type = 0; type < 2; type++) // which lanes are on has to be known now
        if ((l->look_at[type] <= t) & ((warps & s->v.needs[UNIT_INT + type]) != 0))
            x->lanes->look(x->self, &s->v, type);
    uint64_t on_int = 0, on_fp = 0;
    const uint32_t first = STEP_MANY ? u->first[UNIT_INT] : SM_PIPE_INT;
    for (uint32_t i = first; i < first + u->n[UNIT_INT]; i++) {
        on_int |= l->on[i] & ~units_later(p[i].free_at, t);
        on_fp |= l->on[SM_PIPE_FP + i] & ~units_later(p[SM_PIPE_FP + i].free_at, t);
    }
    return warps & ((s->v.needs[UNIT_INT] & ~on_int) | (s->v.needs[UNIT_FP] & ~on_fp));
}
static_assert(UNIT_FP == UNIT_INT + 1, "types of lanes: INT, FP");

// Of `warps`, those that no pipeline of their unit that is on takes.
static inline uint64_t lack_pipes(const struct sm *s, const struct units *x, uint64_t warps,
                                  uint64_t t) {
    uint64_t off = (s->v.needs[UNIT_INT] & units_later(x->on_free_at[UNIT_INT], t)) |
                   (s->v.needs[UNIT_FP] & units_later(x->on_free_at[UNIT_FP], t));
    if (ww_unlikely(s->gates.more != 0))
        for (uint32_t u = UNIT_FP + 1; u < UNIT_N; u++)
            off |= s->v.needs[u] & units_later(x->on_free_at[u], t);
    return warps & off;
}
#endif

// Of `warps`, all ready, those whose unit takes an instruction in cycle t, or (`*held`) would if a
// technique did not hold it back. When none is left, `*why` is the reason.
static inline __attribute__((always_inline)) uint64_t with_unit(struct sm *s, struct sub_core *sub,
                                                                uint64_t warps, uint64_t t,
                                                                enum stall_reason *why,
                                                                uint64_t *held) {
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
    const uint64_t at_entry = STEP_FULL ? entry_needs(s) : 0;
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
    if (left & needs[UNIT_TEX]) {
        if (ww_unlikely(lsu_queue_is_full(&s->lsu.tex, t) || lsu_ops_are_full(&s->lsu))) {
            *why = STALL_lsu_full;
            left &= ~needs[UNIT_TEX];
        }
    }
#if STEP_FULL
    if (s->tech.gate != NULL) *held = lack_pipes(s, x, left & ~at_entry, t);
    if (s->tech.gated_lanes != NULL && s->c.cluster_at == CLUSTER_AT_ISSUE)
        *held |= lack_lanes(s, x, left & ~*held, t);
#endif
    return left;
}

#if STEP_FULL
// A scheduler chose warp w, one of `held`: asks for its unit, or for its lanes, unless all free
// pipelines have been asked for lanes in this cycle. Answers all warps that wait for the unit.
static uint64_t want_unit(struct sm *s, const struct units *units, uint32_t w, uint64_t held,
                          uint64_t t) {
    const struct sm_view *const v = &s->v;
    const uint32_t u = s->res.warp[w].head->unit, first = units->first[u];
    uint64_t is_free = 0;
    for (uint32_t p = first; p < first + units->n[u]; p++)
        is_free |= (uint64_t)(v->pipe[p].free_at <= t) << p;
    const struct sm_technique *const x = s->tech.lanes;
    if (s->tech.gated_lanes != NULL && first < SM_LANE_PIPES)
        s->alarms.at[ALARM_RETRY] =
            min64(s->alarms.at[ALARM_RETRY], x->lanes->wanted(x->self, v, w, is_free));
    else
        gate_want(s, u, is_free);
    return held & v->needs[u];
}

// The scheduler's choice among `left`: as the techniques narrow it. Units of those of them that are
// `held` back are asked for when the scheduler comes to them. False: it may issue none.
static inline bool choose_full(struct sm *s, const struct units *units, uint32_t sc, uint64_t left,
                               uint64_t held, uint32_t *w, uint64_t t) {
    while (left != 0) {
        uint64_t from = left;
        const struct sm_choice *const choice = s->tech.choice;
        for (uint32_t i = 0; i < s->tech.n_choices && from != 0; i++)
            from = choice[i].among(choice[i].self, &s->v, sc, from);
        if (from == 0) return false;
        *w = s->ops->pick(s, sc, from);
        if (ww_likely(!(held >> *w & 1))) return true;
        left &= ~want_unit(s, units, *w, held, t);
    }
    return false;
}
#endif

#if !STEP_GROUP
// The second instruction of a dual issue: the same warp's next, if it needs nothing of the first.
static void second(struct sm *s, struct sub_core *sub, uint32_t sc, uint32_t w, uint32_t first_unit,
                   uint64_t t) {
    const uint64_t bit = BIT64(w) & s->v.go & s->v.active;
    if (bit == 0) return;
    const struct sm_inst *const in = s->res.warp[w].head;
    if (in->flags & SI_SOLO) return;
    if (s->c.dual_issue_diff_units && in->unit == first_unit) return;
    enum stall_reason why;
    uint64_t held;
    const uint64_t left = with_unit(s, sub, bit, t, &why, &held);
#if STEP_FULL
    if (held != 0) want_unit(s, &sub->units, w, held, t);
#endif
    if ((left & ~held) == 0) return;
    if (issue(s, sub, sc, w, true, t)) s->act.c[ACT_issue_slots + STALL_dual]++;
}

// Scheduler sc's turn. False: nothing issued, and the reason is held.
static bool schedule(struct sm *s, struct sub_core *sub, uint32_t sc, uint64_t t) {
    const struct sm_view *const v = &s->v;
    if (s->ops->prepare != NULL) s->ops->prepare(s, sc);
    const uint64_t ready = v->go & v->mine[sc] & ~sub->taken, active = ready & v->active;
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
        stall_hold(s, sc, STEP_CONTROL(s) ? STALL_operands : STALL_issuing, active, t);
        s->dirty |= 1u << sc;
        return false;
    }
    enum stall_reason why;
    uint64_t held;
    const uint64_t left = with_unit(s, sub, active, t, &why, &held);
#if STEP_FULL
    uint32_t w = 0;
    const bool chosen = choose_full(s, &sub->units, sc, left, held, &w, t);
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
#if !STEP_FULL
    const uint32_t w = s->ops->pick(s, sc, left);
#endif
    const struct sm_inst *const in = s->res.warp[w].head;
    const uint32_t unit = in->unit;
    const bool may_pair = s->pairs && !(in->flags & (SI_SOLO | SI_BRANCH));
    stall_issued(s, sc, t);
    if (!issue(s, sub, sc, w, false, t)) return true;
    sub->issues++;
    sub->dp |= unit == UNIT_DP;
    if (may_pair) second(s, sub, sc, w, unit, t);
    s->sched[sc].next = t + s->c.scheduler_interval + (STEP_CONTROL(s) ? sub->late : 0);
    return true;
}
#endif

// ---- 4. the next cycle -------------------------------------------------------------------------
// Units of which a pipeline may be taken. Beyond those that are, where some may be held back: one
// that is free may be off, or lack lanes, while another is taken.
static inline uint32_t units_waited_for(const struct sm *s, const struct units *x) {
    if (STEP_FULL && ww_unlikely(s->gates.more != 0 || s->c.cluster_at == CLUSTER_AT_ENTRY))
        return (1u << UNIT_N) - (2u << UNIT_NONE);
    return x->busy | UNITS_OFTEN;
}

// When the next of the unit's pipelines takes an instruction again that does not now. Where each
// takes any, that matters only while all are taken.
static inline uint64_t unit_next(const struct sm *s, const struct units *x, uint32_t u,
                                 uint64_t t) {
    if (STEP_FULL) return units_next(s, x, u, t);
    return x->free_at[u] > t ? x->free_at[u] : NEVER;
}

// When one of a sub-core's warps that could issue finds what it lacks: a pipeline, a collector,
// room for an access, its scheduler's turn.
static inline uint64_t issue_next(const struct sm *s, struct sub_core *sub, uint64_t t) {
    const struct sm_view *const v = &s->v;
    const uint64_t ready = v->go & v->active & sub->warps;
    uint64_t next = NEVER;
    if (ready == 0) return next;
    FOR_EACH_BIT32(u, units_waited_for(s, &sub->units))
        if (v->needs[u] & ready) next = min64(next, unit_next(s, &sub->units, (uint32_t)u, t));
    if (collect_is_full(&sub->collectors, t)) next = min64(next, collect_next(&sub->collectors, t));
    const uint64_t room = lsu_queue_room(&s->lsu.ldst), tex_room = lsu_queue_room(&s->lsu.tex);
    if ((ready & v->needs[UNIT_LDST]) && room > t) next = min64(next, room);
    if ((ready & v->needs[UNIT_TEX]) && tex_room > t) next = min64(next, tex_room);
    const uint32_t first = (uint32_t)(sub - s->sub);
    for (uint32_t sc = first; sc < s->c.schedulers; sc += STEP_SUBS(s))
        if (s->sched[sc].next > t && (ready & v->mine[sc])) next = min64(next, s->sched[sc].next);
    return next;
}

static uint64_t next_cycle(struct sm *s, uint64_t t) {
    struct alarms *const a = &s->alarms;
    a->at[ALARM_EVENT] = wheel_next(&s->wheel, t + 1);
    a->at[ALARM_ISSUE] = a->at[ALARM_ENTRY] = NEVER;
    if (STEP_CONTROL(s)) a->at[ALARM_STALL] = counters_next(&s->stalls, t + 1);
    FOR_EACH_SUB(sub, s) {
        if (sub->front.want != 0) return t + 1;
        a->at[ALARM_ISSUE] = min64(a->at[ALARM_ISSUE], issue_next(s, sub, t));
        if (STEP_FULL && sub->n_entries != 0)
            a->at[ALARM_ENTRY] = min64(a->at[ALARM_ENTRY], entry_next(s, sub, t));
    }
    const uint64_t next = max64(alarms_first(a), t + 1);
#if STEP_FULL
    if (s->tech.rest.n != 0 && next > t + 1) technique_rest(s);
#endif
    return next;
}

static void close_busy(struct sm *s, uint64_t t) {
    s->closes = false;
    if (s->res.n_ctas != 0) return;
    stall_flush_all(s, t + 1);
    s->act.c[ACT_sm_busy_cycles] += t + 1 - s->busy_since;
    s->is_busy = false;
    FOR_EACH_SUB(sub, s) sub_lanes_on(sub, 0, t + 1);
#if STEP_FULL
    // Ahead of the closing of idle times: techniques see since when the pipelines are idle.
    technique_work(s, false, t + 1);
#endif
    count_close(s, t + 1);
}

static inline void begin(struct sm *s) {
    FOR_EACH_SUB(sub, s) {
        sub->issues = 0;
        sub->taken = 0;
        sub->dp = false;
    }
}

// What became known by cycle t, and its start for techniques.
static inline void arrive(struct sm *s, uint64_t t) {
    s->v.before = s->v.cycle;
    s->v.cycle = t;
#if STEP_FULL
    if (ww_unlikely(s->tech.lapse_at <= t)) technique_lapse(s, t); // ahead of all accesses
#endif
    if (s->alarms.at[ALARM_REPLY] <= t) reply_take(s, t);
    if (s->alarms.at[ALARM_LDST] <= t) lsu_step(s, &s->lsu.ldst, t);
    if (s->alarms.at[ALARM_TEX] <= t) lsu_step(s, &s->lsu.tex, t);
    if (wheel_has(&s->wheel, t)) events(s, t);
    if (STEP_CONTROL(s)) counters_tick(s, t);
    if (s->alarms.at[ALARM_DECODE] <= t) front_decode(s, t);
    begin(s);
#if STEP_FULL
    techniques_begin(s, t);
    FOR_EACH_SUB(sub, s)
        if (sub->n_entries != 0) entry_step(s, sub, t);
#endif
}

// What follows the schedulers' turns.
static inline void leave(struct sm *s, bool issued, uint64_t t) {
    FOR_EACH_SUB(sub, s)
        if (sub->front.want != 0) front_fetch(s, &sub->front, t);
    if (issued) s->progress = t;
    if (ww_unlikely(s->closes)) close_busy(s, t);
}

#if !STEP_GROUP
// All schedulers' turns. True: one of them issued.
static inline bool issue_all(struct sm *s, uint64_t t) {
    bool issued = false;
    const uint32_t n = s->c.schedulers;
    uint32_t sc = (uint32_t)(t % n); // it begins where the cycle says
    for (uint32_t i = 0; i < n; i++) {
        issued |= schedule(s, step_sub(s, sc), sc, t);
        if (ww_unlikely(s->faulted)) break;
        sc++;
        sc &= 0 - (uint32_t)(sc != n); // nothing branches on it
    }
    return issued;
}

uint64_t STEP_CYCLE(struct sm *s, uint64_t t) {
    arrive(s, t);
    const bool issued = (s->v.resident != 0 || s->is_busy) && issue_all(s, t);
    leave(s, issued, t);
    if (issued) return t + 1;
    const uint64_t next = next_cycle(s, t);
    return ww_unlikely(s->every_cycle && s->is_busy) ? t + 1 : next;
}
#endif
