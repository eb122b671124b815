// Barriers of a CTA (exec/barrier.h counts): a warp that comes to one waits; when the last has
// come, all waiting warps may issue again timing[CTRL].latency cycles later (at least one).
#include "sm/scoreboard.h"
#include "sm/sm_state.h"
#include "sm/wheel.h"

static void open_if_complete(struct sm *s, const struct cta_slot *c, struct barrier *b,
                             uint64_t t) {
    if (!exec_barrier_opens(&b->count, c->live)) return;
    const uint32_t latency = s->c.timing[OPC_CTRL].latency;
    FOR_EACH_BIT64(i, b->waiting) {
        const uint32_t w = (uint32_t)i;
        struct exec_warp *const exec = s->res.warp[w].exec;
        s->source.barrier_release(exec, exec_barrier_value(&b->count, exec->bar_kind));
        wheel_add(&s->wheel, t, t + (latency == 0 ? 1 : latency), EVENT_WAKE, NULL, w, 0);
    }
    s->progress = t;
    *b = (struct barrier){0};
}

void barrier_arrive(struct sm *s, uint32_t w, uint64_t t) {
    const struct exec_warp *const exec = s->res.warp[w].exec;
    struct cta_slot *const c = &s->res.cta[s->res.warp[w].cta];
    struct barrier *const b = &c->bar[exec->bar_id % EXEC_BARRIERS];
    if (exec_barrier_arrive(&b->count, exec)) {
        b->waiting |= BIT64(w);
        s->v.wait_bar |= BIT64(w);
        s->blocked |= BIT64(w);
        scoreboard_look(s, w);
    }
    open_if_complete(s, c, b, t);
}

void barrier_after_exit(struct sm *s, struct cta_slot *c, uint64_t t) {
    for (uint32_t i = 0; i < EXEC_BARRIERS; i++)
        if (c->bar[i].waiting != 0) open_if_complete(s, c, &c->bar[i], t);
}
