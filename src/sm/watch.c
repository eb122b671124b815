// Watches warps (watch.h). The SM's own step simulates a cycle; what each warp did in it, and what it
// waits for until the next cycle that is simulated, is then read from the SM's state. Nothing that is
// read here is written, so that a watched SM takes the same cycles.
#include "sm/watch.h"

#include <stdlib.h>

#include "activity/sm.h"
#include "sm/ready.h"

struct sm_watch {
    uint64_t (*step)(struct sm *s, uint64_t t); // the SM's own
    uint32_t slot;
    uint64_t from, to;
    uint64_t seen; // cycles before this one are in the spans
    struct sm_watch_span *span;
    uint32_t n, capacity;
    bool lost;
    int64_t last[SM_MAX_WARPS]; // the warp's last span, -1: none
    struct {
        uint64_t duals; // that the SM had issued
        uint32_t pc[SM_MAX_WARPS];
        const struct sm_inst *head[SM_MAX_WARPS];
        uint64_t there; // warps of the kernel
        uint64_t cta[SM_MAX_WARPS];
        uint32_t in_cta[SM_MAX_WARPS], lanes[SM_MAX_WARPS];
    } before; // the cycle
};

static const char *const names[WATCH_STATES] = {
#define STALL(name, prose) [STALL_##name] = #name,
#include "activity/stall.def"
#undef STALL
    [WATCH_READY] = "ready",
    [WATCH_DONE] = "done"};
static const char *const proses[WATCH_STATES] = {
#define STALL(name, prose) [STALL_##name] = prose,
#include "activity/stall.def"
#undef STALL
    [WATCH_READY] = "its operands are there, and its scheduler chose another warp",
    [WATCH_DONE] = "it has ended and waits for its last results"};
const char *sm_watch_text(uint32_t state) { return state < WATCH_STATES ? names[state] : "?"; }
const char *sm_watch_prose(uint32_t state) { return state < WATCH_STATES ? proses[state] : "?"; }

struct sm_watch *sm_watch_create(void) { return calloc(1, sizeof(struct sm_watch)); }

void sm_watch_destroy(struct sm_watch *w) {
    if (w) free(w->span);
    free(w);
}

const struct sm_watch_span *sm_watch_spans(const struct sm_watch *w, uint32_t *n, bool *lost) {
    *n = w->n;
    *lost = w->lost;
    return w->span;
}

// ---- spans --------------------------------------------------------------------------------------
static bool has_room(struct sm_watch *w) {
    if (w->n < w->capacity) return true;
    const uint32_t capacity = w->capacity ? 2 * w->capacity : 4096;
    struct sm_watch_span *const more = realloc(w->span, capacity * sizeof *more);
    if (!more) w->lost = true;
    if (!more) return false;
    w->span = more, w->capacity = capacity;
    return true;
}

static bool goes_on(const struct sm_watch_span *a, const struct sm_watch_span *b) {
    return a->state != STALL_issued && a->state != STALL_dual && a->state == b->state &&
           a->to == b->from && a->pc == b->pc && a->cta == b->cta &&
           a->warp_in_cta == b->warp_in_cta && a->lanes == b->lanes;
}

static void put(struct sm_watch *w, struct sm_watch_span s) {
    if (s.from < w->from) s.from = w->from;
    if (s.to > w->to) s.to = w->to;
    if (s.from >= s.to) return;
    const int64_t last = w->last[s.warp];
    if (last >= 0 && goes_on(&w->span[last], &s)) {
        w->span[last].to = s.to;
        return;
    }
    if (!has_room(w)) return;
    w->last[s.warp] = w->n;
    w->span[w->n++] = s;
}

// ---- what a warp waits for ----------------------------------------------------------------------
// By the order of stall_classify, for one warp that is not ready.
static uint32_t waits_for(const struct sm *s, uint32_t w, uint32_t *pc) {
    static const uint8_t inside[] = {STALL_control, STALL_barrier, STALL_fence, STALL_sleep};
    const struct sm_view *const v = &s->v;
    const struct pending *const p = &s->pending;
    const uint64_t bit = BIT64(w);
    if (s->res.warp[w].exited) return WATCH_DONE;
    if (s->stalls.all & ~p->any & bit) return STALL_stall_count;
    if (v->decoded & ~v->go & ~v->wait_mem & ~p->any & bit) return s->ready->no_operands;
    if ((v->wait_mem | pending_by(p, STALL_memory)) & bit) return STALL_memory;
    for (size_t i = 0; i < WW_COUNT(inside); i++)
        if (pending_by(p, (enum stall_reason)inside[i]) & bit) {
            *pc = p->pc[w];
            return inside[i];
        }
    return STALL_fetch;
}

static uint32_t scheduler_of(const struct sm *s, uint32_t w) {
    for (uint32_t sc = 0; sc < s->c.schedulers; sc++)
        if (s->v.mine[sc] >> w & 1) return sc;
    return 0;
}

// Cycles [from, to) in which nothing issues and all stays as it is, or one cycle (`issued`: a bit each
// scheduler that issued in it).
static void put_waits(struct sm *s, struct sm_watch *w, uint64_t warps, uint64_t from, uint64_t to,
                      uint32_t issued) {
    FOR_EACH_BIT64(b, warps) {
        const uint32_t at = (uint32_t)b, sc = scheduler_of(s, at);
        const struct warp *const warp = &s->res.warp[at];
        uint32_t pc = warp->exec->pc, state;
        const bool is_ready = (s->v.go & ~s->pending.any) >> at & 1 && !warp->exited;
        if (!is_ready)
            state = waits_for(s, at, &pc);
        else if (issued >> sc & 1)
            state = WATCH_READY;
        else // its scheduler's turn failed, for this reason
            state = s->sched[sc].reason == STALL_issued ? WATCH_READY : s->sched[sc].reason;
        put(w, (struct sm_watch_span){.from = from,
                                      .to = to,
                                      .cta = s->res.cta[warp->cta].linear,
                                      .pc = pc,
                                      .lanes = warp->exec->active,
                                      .warp_in_cta = (uint16_t)warp->exec->warp_in_cta,
                                      .warp = (uint8_t)at,
                                      .state = (uint8_t)state});
    }
}

static uint64_t warps_of(const struct sm *s, uint32_t slot) {
    uint64_t warps = 0;
    for (uint32_t i = 0; i < s->res.n_ctas; i++) {
        const struct cta_slot *const c = &s->res.cta[s->res.order[i]];
        if (c->kslot == slot) warps |= c->left;
    }
    return warps;
}

// ---- a cycle ------------------------------------------------------------------------------------
static void look_before(const struct sm *s, struct sm_watch *w) {
    w->before.duals = s->act.c[ACT_issue_slots + STALL_dual];
    w->before.there = warps_of(s, w->slot);
    FOR_EACH_BIT64(b, w->before.there) {
        const struct warp *const warp = &s->res.warp[b];
        w->before.pc[b] = warp->exec->pc;
        w->before.head[b] = warp->head;
        w->before.cta[b] = s->res.cta[warp->cta].linear;
        w->before.in_cta[b] = warp->exec->warp_in_cta;
        w->before.lanes[b] = warp->exec->active;
    }
}

// The warp of each scheduler that issued in cycle t; answers these warps.
static uint64_t put_issues(struct sm *s, struct sm_watch *w, uint64_t t, uint32_t *schedulers) {
    uint64_t issued = 0;
    const bool paired = s->act.c[ACT_issue_slots + STALL_dual] != w->before.duals;
    for (uint32_t sc = 0; sc < s->c.schedulers; sc++) {
        if (s->sched[sc].reason != STALL_issued || s->sched[sc].since != t + 1) continue;
        *schedulers |= 1u << sc;
        const uint32_t at = s->sched[sc].last;
        if (!(w->before.there >> at & 1)) continue; // of another kernel
        issued |= BIT64(at);
        struct sm_watch_span span = {.from = t,
                                     .to = t + 1,
                                     .cta = w->before.cta[at],
                                     .pc = w->before.pc[at],
                                     .lanes = w->before.lanes[at],
                                     .warp_in_cta = (uint16_t)w->before.in_cta[at],
                                     .warp = (uint8_t)at,
                                     .state = STALL_issued};
        put(w, span);
        // the first of a pair is no branch, so that its warp has gone on by more than one
        const struct sm_inst *const in = &s->res.kernel[w->slot].kernel->inst[span.pc];
        if (!paired || (in->flags & (SI_SOLO | SI_BRANCH)) ||
            s->res.warp[at].exec->pc == span.pc + 1)
            continue;
        span.pc++, span.state = STALL_dual;
        put(w, span);
    }
    return issued;
}

static uint64_t step_watched(struct sm *s, uint64_t t) {
    struct sm_watch *const w = s->watch;
    if (t < w->from) {
        const uint64_t next = w->step(s, t);
        w->seen = t + 1;
        return next;
    }
    put_waits(s, w, warps_of(s, w->slot), w->seen, t, 0);
    if (t >= w->to) { // the window is over
        s->step = w->step;
        s->watch = NULL;
        w->seen = w->to;
        return s->step(s, t);
    }
    look_before(s, w);
    const uint64_t next = w->step(s, t);
    uint32_t schedulers = 0;
    const uint64_t issued = put_issues(s, w, t, &schedulers);
    put_waits(s, w, warps_of(s, w->slot) & ~issued, t, t + 1, schedulers);
    w->seen = t + 1;
    return next;
}

void sm_watch_begin(struct sm *s, struct sm_watch *w, uint32_t slot, uint64_t from, uint64_t to) {
    if (s->watch) s->step = s->watch->step;
    w->n = 0;
    w->lost = false;
    for (uint32_t i = 0; i < SM_MAX_WARPS; i++) w->last[i] = -1;
    w->slot = slot, w->from = from, w->to = to, w->seen = from;
    w->step = s->step;
    s->watch = w;
    s->step = step_watched;
}

void sm_watch_end(struct sm *s, struct sm_watch *w, uint64_t end) {
    if (s->watch != w) return;
    put_waits(s, w, warps_of(s, w->slot), w->seen, end, 0);
    s->step = w->step;
    s->watch = NULL;
}
