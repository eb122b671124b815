// Barriers of a CTA: sixteen of them, counted in threads, a warp counts whole (as hardware counts).
// A barrier without a count waits for all warps that have not exited. `arrive` counts without
// waiting. A reducing barrier combines the predicates of the lanes that came. When the last has
// come, all waiting warps may issue again timing[CTRL].latency cycles later (at least one).
#include "sm/scoreboard.h"
#include "sm/sm_state.h"
#include "sm/wheel.h"

static void release(struct sm *s, struct cta_slot *c, struct barrier *b, uint64_t t) {
    const uint32_t latency = s->c.timing[OPC_CTRL].latency;
    const uint32_t value = b->kind == MBAR_RED_POPC  ? b->popc
                           : b->kind == MBAR_RED_AND ? b->all
                                                     : b->any;
    FOR_EACH_BIT64(i, b->waiting) {
        const uint32_t w = (uint32_t)i;
        exec_barrier_release(s->warp[w].ew, value);
        wheel_add(&s->wheel, t, t + (latency == 0 ? 1 : latency), EVENT_WAKE, NULL, w, 0);
    }
    s->progress = t;
    *b = (struct barrier){.all = true};
    (void)c;
}

static void check(struct sm *s, struct cta_slot *c, struct barrier *b, uint64_t t) {
    uint32_t expected = b->expected;
    if (expected == 0) {
        uint64_t live = 0;
        FOR_EACH_BIT64(w, c->left)
            if (!s->warp[w].exited) live |= BIT64(w);
        expected = bits_count64(live) * WARP_LANES;
    }
    if (b->threads >= expected && b->threads != 0) release(s, c, b, t);
}

void barrier_arrive(struct sm *s, uint32_t w, uint64_t t) {
    struct exec_warp *const ew = s->warp[w].ew;
    struct cta_slot *const c = &s->cta[s->warp[w].cta];
    struct barrier *const b = &c->bar[ew->bar_id % BARRIERS];
    const uint32_t mask = s->env.exec_mask, bits = ew->bar_value & mask;
    if (b->threads == 0) *b = (struct barrier){.all = true};
    b->threads += WARP_LANES;
    if (ew->bar_threads != 0) b->expected = (uint32_t)bits_align_up(ew->bar_threads, WARP_LANES);
    b->popc += bits_count32(bits);
    b->all &= bits == mask;
    b->any |= bits != 0;
    if (ew->bar_kind != MBAR_ARRIVE) {
        b->kind = (uint8_t)ew->bar_kind;
        b->waiting |= BIT64(w);
        s->v.wait_bar |= BIT64(w);
        s->blocked |= BIT64(w);
        scoreboard_look(s, w);
    }
    check(s, c, b, t);
}

void barrier_after_exit(struct sm *s, struct cta_slot *c, uint64_t t) {
    for (uint32_t i = 0; i < BARRIERS; i++)
        if (c->bar[i].waiting != 0) check(s, c, &c->bar[i], t);
}
