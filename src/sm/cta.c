// CTAs and their warps come and go. A CTA takes the lowest free warp slots in order of its warps'
// numbers, or with sm.sub_core_step those of the sub-cores that are its warps' turn; its memory is
// one of the blocks that sm_bind made. A warp is gone when it has no live lane, and drained when no
// result is on its way to it any more; its CTA's slot is free when all its warps are drained.
#include "activity/sm.h"
#include "sm/group_int.h"
#include "sm/sm_state.h"
#include "sm/wheel.h"

static void residents_change(struct sm *s, uint64_t t) {
    s->act.c[ACT_warp_slots_cycles] += bits_count64(s->v.resident) * (t - s->res.since);
    s->act.c[ACT_cta_slots_cycles] += s->res.n_ctas * (t - s->res.since);
    s->act.c[ACT_rf_granted_cycles] += s->res.regs_used * (t - s->res.since);
    s->res.since = t;
}

bool sm_can_take(const struct sm *s, uint32_t slot) {
    const struct kernel_slot *const ks = &s->res.kernel[slot];
    const struct sm_kernel *const k = ks->kernel;
    return k != NULL && !s->faulted && ks->free_blocks != 0 && s->res.n_ctas < s->c.max_ctas &&
           s->res.warps_used + k->n_warps <= s->c.max_warps &&
           s->res.threads_used + k->n_warps * WARP_LANES <= s->c.max_threads &&
           s->res.regs_used + k->cta_registers <= s->c.registers &&
           s->res.shared_used + k->cta_shared <= s->c.shared_bytes;
}

static uint32_t least(uint32_t n, uint32_t room, uint32_t each) {
    return each != 0 && room / each < n ? room / each : n;
}
uint32_t sm_room(const struct sm *s, uint32_t slot) {
    const struct kernel_slot *const ks = &s->res.kernel[slot];
    const struct sm_kernel *const k = ks->kernel;
    if (k == NULL || s->faulted) return 0;
    uint32_t n = count_lanes(ks->free_blocks);
    n = least(n, s->c.max_ctas - s->res.n_ctas, 1);
    n = least(n, s->c.max_warps - s->res.warps_used, k->n_warps);
    n = least(n, s->c.max_threads - s->res.threads_used, k->n_warps * WARP_LANES);
    n = least(n, s->c.registers - s->res.regs_used, k->cta_registers);
    return least(n, s->c.shared_bytes - s->res.shared_used, k->cta_shared);
}
struct exec_cta *sm_cta(struct sm *s, uint32_t place) { return &s->res.cta[place].cta; }
bool sm_cta_runs(const struct sm *s, uint32_t place, uint32_t slot, uint64_t cta) {
    const struct cta_slot *const c = &s->res.cta[place];
    return c->is_used && c->kslot == slot && c->linear == cta && c->live != 0;
}
uint64_t sm_cluster_came(const struct sm *s, uint32_t place) {
    return s->res.cta[place].cluster_came;
}

static void warp_init(struct sm *s, struct cta_slot *c, uint32_t cta, uint32_t w, uint32_t number) {
    struct warp *const warp = &s->res.warp[w];
    const struct kernel_slot *const ks = &s->res.kernel[c->kslot];
    struct sm_wide_pend *const wide = ks->kernel->wide != NULL ? &s->res.wide_pend[w] : NULL;
    const uint16_t gen = (uint16_t)(warp->fetch_gen + 1);
    *warp = (struct warp){.exec = &c->cta.warps[number],
                          .runs = ks->runs,
                          .scheds = (uint8_t)(s->c.shared_warps ? (1u << s->c.schedulers) - 1
                                                                : 1u << w % s->c.schedulers),
                          .cta = (uint8_t)cta,
                          .kslot = c->kslot,
                          .wide = wide,
                          .fetch_gen = gen};
    if (wide != NULL) memset(wide, 0, sizeof *wide);
    warp->exec->lane_slot = w;
    // Local memory lies beyond every device allocation, each warp slot's apart.
    const uint64_t stride =
        bits_align_up((uint64_t)ks->kernel->image->local_bytes * WARP_LANES, 256);
    warp->exec->local_base = LOCAL_BASE + ((uint64_t)s->id * SM_MAX_WARPS + w) * stride;
    s->v.lanes[w] = warp->exec->active;
    s->v.full = (s->v.full & ~BIT64(w)) | (uint64_t)(warp->exec->active == UINT32_MAX) << w;
    const struct sm_technique *const lanes = s->tech.lanes;
    if (lanes != NULL) lanes->lanes->changed(lanes->self, &s->v, w);
}

// The slot of warp `number` of the CTA that comes: the lowest free one behind `from`, or of the
// sub-core whose turn it is. Where that one is full the next one's turn it is.
static uint32_t slot_for(const struct sm *s, uint64_t used, uint32_t from, uint32_t number) {
    if (s->c.sub_core_step == 0) {
        while (used >> from & 1) from++;
        return from;
    }
    const uint32_t first = s->res.came * s->c.sub_core_step + number;
    used |= s->c.max_warps < SM_MAX_WARPS ? ~UINT64_C(0) << s->c.max_warps : 0;
    for (uint32_t i = 0; i < s->n_subs; i++) {
        const uint64_t free = s->sub[(first + i) & (s->n_subs - 1)].warps & ~used;
        if (free != 0) return bits_first64(free);
    }
    return bits_first64(~used);
}

uint32_t sm_take_cta(struct sm *s, uint32_t slot, uint64_t linear, uint64_t cycle) {
    if (!sm_can_take(s, slot)) {
        sm_break(s, "a CTA came for which it has no room");
        return 0;
    }
    s->is_summed = false;
    struct kernel_slot *const ks = &s->res.kernel[slot];
    const struct sm_kernel *const k = ks->kernel;
    residents_change(s, max64(cycle, s->res.since));
    if (!s->is_busy) {
        s->is_busy = true;
        s->res.came = 0;
        s->busy_since = cycle;
        count_open(s, cycle);
        if (ww_unlikely(s->tech.all.n != 0)) {
            s->awake_at = cycle + technique_wake(s, cycle);
            technique_work(s, true, cycle);
        }
        for (uint32_t i = 0; i < s->c.schedulers; i++) s->sched[i].since = cycle;
    }
    uint32_t at = 0;
    while (s->res.cta[at].is_used) at++;
    const uint32_t block = bits_first32(ks->free_blocks);
    ks->free_blocks &= ~(1u << block);
    ks->ctas++;
    struct cta_slot *const c = &s->res.cta[at];
    memset(c->bar, 0, sizeof c->bar);
    tma_cta_begins(s, at);
    c->is_used = true;
    c->has_launched = false;
    c->cluster_came = 0;
    c->kslot = (uint8_t)slot;
    c->block = (uint8_t)block;
    c->linear = linear;
    c->warps = c->left = 0;
    c->live = k->n_warps;
    c->pool = 0;
    s->source.cta_init(&c->cta, k->launch, ks->memory + block * k->cta_bytes, linear, s->id);
    s->res.warps_used += k->n_warps;
    s->res.threads_used += k->n_warps * WARP_LANES;
    s->res.regs_used += k->cta_registers;
    s->res.shared_used += k->cta_shared;
    s->act.c[ACT_cta_launches]++;
    s->act.c[ACT_warp_launches] += k->n_warps;
    s->act.c[ACT_thread_launches] += k->n_threads;
    s->act.c[ACT_thread_registers] += (uint64_t)k->n_threads * k->image->n_regs;
    s->act.c[ACT_cta_room] += k->occupancy.ctas;
    uint64_t used = 0; // in lock step whole CTAs, so that all members take the same slots
    for (uint32_t i = 0; i < SM_MAX_CTAS; i++)
        if (s->res.cta[i].is_used && i != at)
            used |= s->shared.is_on ? s->res.cta[i].warps : s->res.cta[i].left;
    const uint64_t fetches_at =
        max64(max64(cycle, s->awake_at) + s->c.cta_launch_latency, c->next_from);
    uint32_t w = 0;
    for (uint32_t number = 0; number < k->n_warps; number++) {
        w = slot_for(s, used, w, number);
        used |= BIT64(w);
        c->warps |= BIT64(w);
        c->left |= BIT64(w);
        warp_init(s, c, at, w, number);
        s->res.share[w] = (uint16_t)image_registers(k->image);
        s->v.resident |= BIT64(w);
        if (!s->is_two_level) s->v.active |= BIT64(w);
        wheel_add(&s->wheel, cycle, fetches_at, EVENT_LAUNCH, NULL, w, 0);
        if (ww_unlikely(s->tech.all.n != 0))
            technique_warp(s,
                           &(struct sm_warp_event){.comes = true,
                                                   .warp = w,
                                                   .kernel_slot = slot,
                                                   .registers = k->warp_registers,
                                                   .shared_bytes = number == 0 ? k->cta_shared : 0,
                                                   .cycle = cycle});
    }
    s->res.came++;
    s->res.order[s->res.n_ctas] = (uint8_t)at;
    s->res.warps_of[s->res.n_ctas++] = c->warps;
    if (!s->is_two_level) count_active(s, cycle);
    s->dirty = (1u << s->c.schedulers) - 1;
    s->alarms.wake = min64(s->alarms.wake, cycle);
    s->progress = max64(s->progress, cycle);
    return at;
}

// ---- grids that depend on one another ----------------------------------------------------------
void sm_grid_is_early(struct sm *s, uint32_t slot) { s->res.kernel[slot].is_early = true; }
uint64_t sm_grid_launched(const struct sm *s, uint32_t slot) { return s->res.kernel[slot].launched; }
bool sm_grid_stores(struct sm *s, uint32_t slot) {
    struct kernel_slot *const ks = &s->res.kernel[slot];
    FOR_EACH_BIT64(w, ks->storing)
        if (!pending_is_open(&s->pending.work[w][PENDING_stores], 0)) ks->storing &= ~BIT64(w);
    return ks->storing != 0;
}
void sm_grid_open(struct sm *s, uint32_t slot, uint64_t now) {
    s->res.kernel[slot].is_early = false;
    FOR_EACH_BIT64(w, s->pending.of[PENDING_grid])
        if (s->res.warp[w].kslot == slot)
            wheel_add(&s->wheel, now, now + 1, EVENT_WAKE, NULL, (uint32_t)w, 0);
    s->alarms.wake = min64(s->alarms.wake, now);
    s->progress = max64(s->progress, now);
}

// The warp leaves all masks, so that the next one in its slot begins with none of its bits set.
static void forget_warp(struct sm *s, uint32_t w) {
    struct sm_view *const v = &s->v;
    const uint64_t keep = ~BIT64(w);
    front_flush(s, w);
    for (uint32_t u = 0; u < UNIT_N; u++) v->needs[u] &= keep;
    v->resident &= keep;
    v->active &= keep;
    v->wait_mem &= keep;
    v->wait_long &= keep;
    pending_forget(&s->pending, v, w);
    front_wait(&sub_of(s, w)->front, w);
    s->constants.retry &= keep;
    s->dirty |= s->res.warp[w].scheds;
    count_active(s, v->cycle);
}

static void cta_finish(struct sm *s, uint32_t at, uint64_t t) {
    struct cta_slot *const c = &s->res.cta[at];
    struct kernel_slot *const ks = &s->res.kernel[c->kslot];
    const struct sm_kernel *const k = ks->kernel;
    residents_change(s, max64(t + 1, s->res.since)); // it was there in cycle t
    c->is_used = false;
    c->next_from = t + s->c.cta_turnover;
    ks->launched += !c->has_launched;
    ks->free_blocks |= 1u << c->block;
    ks->ctas--;
    s->res.warps_used -= k->n_warps;
    s->res.threads_used -= k->n_warps * WARP_LANES;
    s->res.regs_used -= k->cta_registers;
    s->res.shared_used -= k->cta_shared;
    uint32_t i = 0;
    while (s->res.order[i] != at) i++;
    s->res.n_ctas--;
    for (; i < s->res.n_ctas; i++) {
        s->res.order[i] = s->res.order[i + 1];
        s->res.warps_of[i] = s->res.warps_of[i + 1];
    }
    if (s->res.n_ctas == 0) s->closes = true; // busy to the end of this cycle
    if (s->cb.cta_done != NULL) s->cb.cta_done(s->cb.user, s->id, c->kslot, c->linear, t);
}

void cta_warp_drained(struct sm *s, uint32_t w, uint64_t t) {
    struct cta_slot *const c = &s->res.cta[s->res.warp[w].cta];
    c->left &= ~BIT64(w);
    const struct sm_kernel *const k = s->res.kernel[c->kslot].kernel;
    if (ww_unlikely(s->tech.all.n != 0))
        technique_warp(s, &(struct sm_warp_event){.comes = false,
                                                  .warp = w,
                                                  .kernel_slot = c->kslot,
                                                  .registers = k->warp_registers,
                                                  .shared_bytes = c->left == 0 ? k->cta_shared : 0,
                                                  .freed = c->left == 0 ? c->warps : 0,
                                                  .cycle = t});
    if (c->left != 0) return;
    const uint32_t at = s->res.warp[w].cta;
    if (ww_likely(!s->shared.is_on)) {
        cta_finish(s, at, t);
    } else if (group_cta_is_done(s, at)) {
        for (uint32_t i = 0; i < s->group->n; i++) cta_finish(s->group->member[i], at, t);
    }
}

void cta_finish_drained(struct sm *s, uint64_t t) {
    for (uint32_t at = 0; at < SM_MAX_CTAS; at++)
        if (s->res.cta[at].is_used && s->res.cta[at].left == 0) cta_finish(s, at, t);
}

void cta_close_busy(struct sm *s, uint64_t t) {
    s->closes = false;
    if (s->res.n_ctas != 0) return;
    stall_flush_all(s, t + 1);
    s->act.c[ACT_sm_busy_cycles] += t + 1 - s->busy_since;
    s->is_busy = false;
    for (uint32_t i = 0; i < s->n_subs; i++) sub_lanes_on(&s->sub[i], 0, t + 1);
    // Ahead of the closing of idle times: techniques see since when the pipelines are idle.
    if (s->tech.all.n != 0) technique_work(s, false, t + 1);
    count_close(s, t + 1);
}

void cta_warp_exited(struct sm *s, uint32_t w, uint64_t t) {
    struct warp *const warp = &s->res.warp[w];
    residents_change(s, t + 1); // it was there in cycle t
    s->act.c[ACT_simt_pushes] += warp->exec->pushes;
    s->act.c[ACT_simt_pops] += warp->exec->pops;
    warp->exec->pushes = warp->exec->pops = 0;
    warp->exited = 1;
    s->res.cta[warp->cta].live--;
    if (pending_is_open(&s->pending.work[w][PENDING_stores], 0))
        s->res.kernel[warp->kslot].storing |= BIT64(w);
    forget_warp(s, w);
    barrier_after_exit(s, &s->res.cta[warp->cta], t);
    if (warp->inflight == 0) cta_warp_drained(s, w, t);
}
