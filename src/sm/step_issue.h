// What an instruction does when it issues (step.h): it computes, reads its operands and goes to its
// pipeline; its warp goes on to the next one, or waits.
#ifndef WW_SM_STEP_ISSUE_H
#define WW_SM_STEP_ISSUE_H

#include "activity/sm.h"
#include "sm/caches.h"
#include "sm/entry.h"
#include "sm/products.h"
#include "sm/share.h"
#include "sm/step.h"

// ---- what becomes of the warp ------------------------------------------------------------------
// The instruction leaves the buffer; the warp stands at `exec->pc` now.
STEP_INLINE void step_advance(const struct readiness *r, struct sm *s, uint32_t w,
                              const struct sm_inst *in, uint32_t pc, uint64_t t) {
    struct warp *const warp = &s->res.warp[w];
    warp->ib_n--;
    if (ww_unlikely(warp->exec->pc != pc + 1)) {
        front_flush(s, w);
    } else if (warp->ib_n != 0) {
        ready_head(r, s, w, in + 1, t, t + 1);
    } else {
        s->v.decoded &= ~BIT64(w);
        s->v.go &= ~BIT64(w);
    }
    front_want(s, w);
}

STEP_INLINE void branch(const struct step_kind *k, struct sm *s, uint32_t w,
                        const struct sm_inst *in, uint32_t pc, bool has_split, uint64_t t) {
    s->act.c[ACT_divergent_branches] += has_split;
    if (s->c.branch_latency == 0) {
        k->advance(s, w, in, pc, t);
        return;
    }
    pending_begin(&s->pending, &s->v, PENDING_branch, w);
    s->pending.pc[w] = pc;
    front_wait(&step_sub(k, s, w)->front, w);
    k->advance(s, w, in, pc, t);
    k->ready->look(s, w, t);
    wheel_add(&s->wheel, t, t + s->c.branch_latency, EVENT_BRANCH, NULL, w, 0);
}

// The warp waits until all but `keep` groups of the work beside it are done, if they are not.
STEP_INLINE void wait_for_work(const struct step_kind *k, struct sm *s, enum pending_kind kind,
                               uint32_t w, uint32_t keep, uint32_t pc) {
    if (pending_must_wait(&s->pending, kind, w, keep)) ready_wait_in(k->ready, s, kind, w, pc);
}

// What a few instructions do besides computing: they make their warp wait.
STEP_INLINE void special(const struct step_kind *k, struct sm *s, uint32_t w,
                         const struct sm_inst *in, uint32_t pc, enum exec_outcome o, uint64_t t) {
    if (o == EXEC_BARRIER) {
        barrier_arrive(s, w, pc, t);
    } else if (o == EXEC_STUCK) { // until a barrier lets lanes of it go
        ready_wait_in(k->ready, s, PENDING_barrier, w, pc);
    } else if (o == EXEC_GRID_LAUNCH) {
        struct cta_slot *const c = &s->res.cta[s->res.warp[w].cta];
        s->res.kernel[c->kslot].launched += !c->has_launched;
        c->has_launched = true;
    } else if (o == EXEC_GRID_WAIT) {
        if (s->res.kernel[s->res.warp[w].kslot].is_early)
            ready_wait_in(k->ready, s, PENDING_grid, w, pc);
    } else if (o == EXEC_SLEEP) {
        const double cycles = (double)s->env.access.addr[0] * s->c.core_clock_mhz * 1e-3;
        ready_wait_in(k->ready, s, PENDING_sleep, w, pc);
        if (s->env.access.kind == ACCESS_WAIT)
            tma_sleep(s, w, &s->env.access.wait, t + 1 + (uint64_t)cycles);
        else
            wheel_add(&s->wheel, t, t + 1 + (uint64_t)cycles, EVENT_WAKE, NULL, w, 0);
    }
    if ((in->flags & SI_FENCE) && in->aux == SM_FENCE_DROPS)
        caches_drop_clean(&s->caches, CLIENT_L1D, t);
    else if ((in->flags & SI_FENCE) && in->aux != MFENCE_CTA)
        wait_for_work(k, s, PENDING_stores, w, 0, pc);
    if ((in->flags & SI_RELEASE) && s->c.fence_latency != 0) {
        ready_wait_in(k->ready, s, PENDING_fence, w, pc);
        wheel_add(&s->wheel, t, t + s->c.fence_latency, EVENT_WAKE, NULL, w, 0);
    }
    if (in->klass == OPC_TMA) { // bulk copies have groups of their own
        if (in->flags & SI_COMMIT) {
            pending_close(&s->pending, PENDING_bulk, w);
            pending_close(&s->pending, PENDING_bulk_read, w);
        }
        if (in->flags & SI_ASYNC_WAIT)
            wait_for_work(k, s, in->aux & SM_BULK_READ ? PENDING_bulk_read : PENDING_bulk, w,
                          (in->aux & (SM_BULK_READ - 1u)) + 1u, pc);
        return;
    }
    const bool waits_for_all = (in->flags & SI_ASYNC_WAIT) && in->aux == UINT16_MAX;
    if (waits_for_all || (in->flags & SI_COMMIT)) pending_close(&s->pending, PENDING_copies, w);
    if (in->flags & SI_PRODUCT) products_begin(s, step_sub(k, s, w), w, in, number_of(k, s, w), t);
    if (in->flags & SI_PRODUCT_COMMIT) pending_close(&s->pending, PENDING_products, w);
    if (in->flags & SI_SHARE) share_change(k->ready, s, w, in->aux, pc);
    if (in->flags & SI_PRODUCT_WAIT)
        wait_for_work(k, s, PENDING_products, w, in->aux + 1u, pc);
    if (in->flags & SI_ASYNC_WAIT) // the open group need never be done
        wait_for_work(k, s, PENDING_copies, w, waits_for_all ? 1 : in->aux + 1u, pc);
    // Machine code has one counter for both kinds of groups.
    if ((in->flags & SI_ASYNC_WAIT) && in->klass == OPC_CTRL)
        wait_for_work(k, s, PENDING_bulk_read, w, in->aux + 1u, pc);
}

// ---- operands ----------------------------------------------------------------------------------
// Reads the rows of a record of the warp's next instruction, before it computes, and techniques hear
// of it. Answers the cycle in which they are complete. `n_dst`: registers that it will write.
STEP_INLINE uint64_t tell_rows(const struct step_kind *k, struct sm *s, uint32_t w,
                               const struct sm_inst *in, uint8_t n_dst, uint64_t t) {
    const struct warp *const warp = &s->res.warp[w];
    const struct minst *const m = &s->res.kernel[warp->kslot].kernel->image->inst[warp->exec->pc];
    const uint32_t guard = warp->exec->pred[m->guard < PRED_FILE ? m->guard : PRED_TRUE];
    const uint32_t lanes = warp->exec->active & (m->guard_not ? ~guard : guard);
    uint64_t at[WW_COUNT(in->src)];
    const uint64_t last = k->ready->read(&step_sub(k, s, w)->collectors, in, number_of(k, s, w),
                                         count_lanes(lanes), t, at);
    if ((in->n_src | n_dst) == 0) return last;
    return last + technique_rows(s,
                                 &(struct sm_row_access){.cycle = t + s->c.read_latency,
                                                         .warp = w,
                                                         .n = in->n_src,
                                                         .reg = in->src,
                                                         .at = at,
                                                         .lanes = lanes,
                                                         .pc = warp->exec->pc,
                                                         .n_dst = n_dst,
                                                         .dst_first = in->dst_first,
                                                         .values = warp->exec->regs},
                                 false);
}
// All of the instruction's; rows beyond its record's are a second read, which says of no result.
STEP_INLINE uint64_t tell_operands(const struct step_kind *k, struct sm *s, uint32_t w,
                                   const struct sm_inst *in, uint64_t t) {
    const uint64_t last = tell_rows(k, s, w, in, in->n_dst, t);
    const struct sm_inst *const more =
        kernel_more_rows(s->res.kernel[s->res.warp[w].kslot].kernel, in);
    const uint32_t after = step_sub(k, s, w)->collectors.read_after[WW_COUNT(in->src)];
    return more == NULL ? last : max64(last, tell_rows(k, s, w, more, 0, t + after));
}

// The same without techniques, once it has computed.
STEP_INLINE uint64_t read_operands(const struct step_kind *k, struct sm *s, struct sub_core *sub,
                                   uint32_t w, const struct sm_inst *in, uint32_t n_lanes, uint64_t t) {
    const uint32_t number = number_of(k, s, w);
    const uint64_t last = k->ready->read(&sub->collectors, in, number, n_lanes, t, NULL);
    if (ww_likely((in->flags & SI_MORE_ROWS) == 0)) return last;
    const struct sm_inst *const more =
        kernel_more_rows(s->res.kernel[s->res.warp[w].kslot].kernel, in);
    const uint64_t from = t + sub->collectors.read_after[WW_COUNT(in->src)];
    return max64(last, k->ready->read(&sub->collectors, more, number, n_lanes, from, NULL));
}

// ---- its pipeline ------------------------------------------------------------------------------
// The pipeline for warp w: as units_choose, but where lanes are switched off one that has those
// that the warp needs.
STEP_INLINE uint32_t choose_pipe(const struct step_kind *k, const struct sm *s,
                                 const struct units *x, uint32_t w, uint32_t unit, uint64_t t) {
    if (!k->full) return units_choose(s, x, unit, t, false);
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

// The technique of single lanes hears of an instruction before it goes to its pipeline.
STEP_INLINE struct sm_delay tell_lanes(struct sm *s, const struct issue *i, uint32_t pipe) {
    const struct sm_technique *const x = s->tech.lanes;
    if (pipe >= SM_LANE_PIPES || x == NULL) return (struct sm_delay){0, 0};
    return x->lanes->issued(x->self, &s->v, i->active, pipe, i->lanes,
                            max64(i->operands_at, s->v.pipe[pipe].enter_at),
                            i->in->latency != 0 ? i->in->latency : 1, i->in->interval);
}

// Where an access to memory goes.
STEP_INLINE void access_memory(const struct step_kind *k, struct sm *s, struct units *x,
                               struct issue i, uint32_t pipe, uint64_t t) {
    const struct issue order = i;
    if (ww_unlikely(i.access->kind >= ACCESS_BULK)) {
        tma_accept(s, &order, t);
        return;
    }
    if (i.in->flags & SI_LANES)
        units_hold_lanes(s, x, i.in->unit, pipe, t, lsu_on_lanes(s, &order, t), k->full);
    else
        lsu_accept(s, &order, t);
    if (ww_unlikely(s->tma.waiting != 0) && order.access->is_barrier)
        tma_look(s, s->res.warp[order.warp].cta, t);
}

STEP_INLINE void dispatch(const struct step_kind *k, struct sm *s, struct sub_core *sub,
                          struct issue i, uint64_t t) {
    const struct sm_inst *const in = i.in;
    const uint32_t unit = in->unit;
    struct units *const x = &sub->units;
    if (k->full && entry_takes(s, unit)) {
        const struct issue waits = i;
        entry_add(s, sub, &waits);
        return;
    }
    const uint32_t pipe = choose_pipe(k, s, x, i.warp, unit, t);
    struct sm_delay d = {0, 0};
    if (k->full) {
        d = tell_lanes(s, &i, pipe);
        if (ww_unlikely(s->tech.issue.n != 0)) technique_issued(s, &i, pipe, t);
    }
    uint32_t latency = in->latency + d.latency;
    const uint32_t interval = in->interval + d.interval;
    units_book(s, x, unit, pipe, t, interval, k->full);
    // A matrix instruction may read for some cycles while nothing can follow it into its pipeline.
    if (ww_unlikely(unit == UNIT_TENSOR) && s->c.tensor_read_cycles > 1) {
        const uint64_t first = t + s->c.read_latency;
        i.operands_at -= min64(i.operands_at - first, s->c.tensor_read_cycles - 1);
    }
    if (k->full && ww_unlikely(d.interval != 0)) units_book_twin(s, x, unit, pipe, t, d.interval);
    const bool has_way = unit == UNIT_LDST && s->c.memory_interval > 1;
    if (has_way) {
        const uint64_t start =
            memory_way_take(&sub->memory, s->c.memory_queue, s->c.memory_interval, i.operands_at);
        i.is_behind = start > i.operands_at;
        i.operands_at = start;
    }
    k->ready->reserve(s, &i);
    if (i.access != NULL) {
        collect_hold(&sub->collectors, unit, t, i.operands_at);
        access_memory(k, s, x, i, pipe, t);
        return;
    }
    if (latency == 0) latency = 1;
    // What comes from several sub-cores at its own times needs no order among them.
    if (has_way) s->v.pipe[pipe].enter_at = 0;
    const uint64_t at = units_enter(s, pipe, t, i.operands_at, interval, latency, k->full);
    collect_hold(&sub->collectors, unit, t, at);
    k->ready->enter(s, sub, &i, number_of(k, s, i.warp), at, latency,
                    k->full && s->tech.rows.n != 0);
}

// ---- the whole of it ---------------------------------------------------------------------------
// With warps that all schedulers choose from: no other one takes it in this cycle, and all go on
// behind it.
STEP_INLINE void take(struct sm *s, struct sub_core *sub, uint32_t w) {
    sub->taken |= BIT64(w);
    s->dirty |= s->res.warp[w].scheds;
    for (uint32_t i = 0; i < s->c.schedulers; i++) s->sched[i].last = (uint8_t)w;
}

// The lanes with which warp w goes on, for techniques.
STEP_INLINE void note_lanes(struct sm *s, uint32_t w) {
    const uint32_t active = s->res.warp[w].exec->active;
    if (s->v.lanes[w] == active) return;
    s->v.lanes[w] = active;
    s->v.full = (s->v.full & ~BIT64(w)) | (uint64_t)(active == UINT32_MAX) << w;
    if (s->tech.lanes != NULL) s->tech.lanes->lanes->changed(s->tech.lanes->self, &s->v, w);
}

// Issues the next instruction of warp w. False: the program faulted.
STEP_INLINE bool step_issue(const struct step_kind *k, struct sm *s, struct sub_core *sub,
                            uint32_t sc, uint32_t w, bool is_second, uint64_t t) {
    struct warp *const warp = &s->res.warp[w];
    const struct sm_inst *const in = warp->head;
    struct exec_warp *const exec = warp->exec;
    const uint32_t pc = exec->pc, pushes = exec->pushes;
    // Techniques hear of the rows before the instruction changes them.
    const bool is_told = k->full && s->tech.rows.n != 0;
    uint64_t operands_at = ww_unlikely(is_told) ? tell_operands(k, s, w, in, t) : 0;
    const uint8_t *const bank_of = k->full ? &sub->collectors.bank_of[number_of(k, s, w)] : NULL;
    if (k->full && s->toggle != NULL) {
        const struct sm_inst *const more = kernel_more_rows(s->res.kernel[warp->kslot].kernel, in);
        toggle_read(s->toggle, s->act.c, in, exec, bank_of);
        if (more != NULL) toggle_read(s->toggle, s->act.c, more, exec, bank_of);
    }
    s->env.cycle = t;
    // Its result may lie in the same registers.
    const uint64_t policy = ww_unlikely(in->flags & SI_POLICY) ? s->source.policy(exec) : 0;
    const enum exec_outcome o = s->source.step(&s->env, exec);
    if (o == EXEC_MEMORY) s->env.access.policy = policy;
    if (ww_unlikely(o == EXEC_FAULT)) {
        s->faulted = true;
        return false;
    }
    const uint32_t lanes = s->env.exec_mask, n_lanes = count_lanes(lanes);
    struct inst_runs *const runs = &warp->runs[pc];
    runs->issues++;
    runs->lanes += n_lanes;
    s->act.c[ACT_lanes_active + n_lanes]++;
    const bool has_lanes = in->unit != UNIT_UNIFORM;
    if (k->many && s->n_subs > 1 && has_lanes) sub_lanes_on(sub, n_lanes, t);
    if (k->full) {
        s->v.issued++;
        if (s->toggle != NULL)
            toggle_written(s->toggle, s->act.c, in, exec, bank_of, lanes,
                           o == EXEC_MEMORY ? &s->env.access : NULL);
    }
    s->dirty |= 1u << sc;
    s->sched[sc].last = (uint8_t)w;
    if (ww_unlikely(s->c.shared_warps)) take(s, sub, w);
    s->v.needs[in->unit] &= ~BIT64(w);
    k->ready->issued(sub, warp, in, t);
    if (!is_told) operands_at = read_operands(k, s, sub, w, in, n_lanes, t);
    const bool has_access = o == EXEC_MEMORY && s->env.access.kind != ACCESS_FENCE;
    const struct issue i = {.in = in,
                            .access = has_access ? &s->env.access : NULL,
                            .cycle = t,
                            .operands_at = operands_at,
                            .lanes = lanes,
                            .active = k->full ? s->v.lanes[w] : 0,
                            .pc = pc,
                            .warp = (uint8_t)w,
                            .scheduler = (uint8_t)sc,
                            .is_second = is_second};
    if (in->unit != UNIT_NONE) // else used at once: a branch's index, a barrier's number
        dispatch(k, s, sub, i, t);
    else if (k->full && ww_unlikely(s->tech.issue.n != 0))
        technique_issued(s, &i, SM_PIPES, t);
    if (ww_unlikely(o == EXEC_EXITED)) {
        warp->ib_n--;
        cta_warp_exited(s, w, t);
        return true;
    }
    if (in->flags & SI_BRANCH)
        branch(k, s, w, in, pc, (in->flags & SI_CHECK_PUSH) && exec->pushes != pushes, t);
    else
        k->advance(s, w, in, pc, t);
    if (k->full) note_lanes(s, w);
    if (ww_unlikely(o >= EXEC_BARRIER || (in->flags & SI_SPECIAL)))
        special(k, s, w, in, pc, o, t);
    return true;
}

#endif
