// Barriers of a CTA (exec/barrier.h counts): a warp that comes to one waits; when the last has
// come, all waiting warps may issue again timing[CTRL].latency cycles later (at least one).
#include "sm/ready.h"
#include "sm/sm_state.h"
#include "sm/wheel.h"

// The warps that wait at a barrier go on in cycle `at`.
static void open_barrier(struct sm *s, struct cta_slot *c, uint32_t id, uint64_t t, uint64_t at) {
    struct barrier *const b = &c->bar[id];
    FOR_EACH_BIT64(i, b->waiting) {
        const uint32_t w = (uint32_t)i;
        struct exec_warp *const exec = s->res.warp[w].exec;
        const uint32_t pc = exec->pc;
        exec->bar_id = id;
        s->source.barrier_release(exec, exec_barrier_value(&b->count, exec->bar_kind));
        // Lanes of a warp that goes on with others, or goes on elsewhere than where it waited.
        if (ww_unlikely(exec->its != NULL)) {
            if (!pending_has(&s->pending, PENDING_barrier, w)) continue;
            if (exec->pc != pc) {
                front_flush(s, w);
                front_want(s, w);
            }
        }
        wheel_add(&s->wheel, t, at, EVENT_WAKE, NULL, w, 0);
    }
    s->progress = t;
    *b = (struct barrier){0};
}
static void open_if_complete(struct sm *s, struct cta_slot *c, uint32_t id, uint64_t t) {
    if (!exec_barrier_opens(&c->bar[id].count, c->live)) return;
    const uint32_t latency = s->c.timing[OPC_CTRL].latency;
    open_barrier(s, c, id, t, t + (latency == 0 ? 1 : latency));
}

// The owner of clusters counts who has come to theirs.
static void come_to_cluster(struct sm *s, struct cta_slot *c, uint32_t w, uint32_t pc, uint64_t t) {
    const struct exec_warp *const exec = s->res.warp[w].exec;
    c->cluster_came = t;
    if (exec->bar_kind == MBAR_ARRIVE) return;
    c->bar[EXEC_CLUSTER_BARRIER].waiting |= BIT64(w);
    if (exec->bar_flow == EXEC_WAITS) ready_wait_in(s->ready, s, PENDING_barrier, w, pc);
}
void sm_open_cluster(struct sm *s, uint32_t place, uint64_t now, uint64_t cycle) {
    struct cta_slot *const c = &s->res.cta[place];
    if (c->bar[EXEC_CLUSTER_BARRIER].waiting == 0) return;
    open_barrier(s, c, EXEC_CLUSTER_BARRIER, now, cycle > now ? cycle : now + 1);
    s->alarms.wake = s->alarms.wake < now ? s->alarms.wake : now;
}

void barrier_arrive(struct sm *s, uint32_t w, uint32_t pc, uint64_t t) {
    const struct exec_warp *const exec = s->res.warp[w].exec;
    struct cta_slot *const c = &s->res.cta[s->res.warp[w].cta];
    if (exec->bar_id == EXEC_CLUSTER_BARRIER) {
        come_to_cluster(s, c, w, pc, t);
        return;
    }
    struct barrier *const b = &c->bar[exec->bar_id % EXEC_BARRIERS];
    const bool waits = exec_barrier_arrive(&b->count, exec);
    if (waits || exec->bar_waits != 0) b->waiting |= BIT64(w);
    if (waits) ready_wait_in(s->ready, s, PENDING_barrier, w, pc);
    open_if_complete(s, c, exec->bar_id % EXEC_BARRIERS, t);
}

void barrier_after_exit(struct sm *s, struct cta_slot *c, uint64_t t) {
    for (uint32_t i = 0; i < EXEC_BARRIERS; i++)
        if (c->bar[i].waiting != 0) open_if_complete(s, c, i, t);
}
