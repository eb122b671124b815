// Two-level scheduling by fetch groups (Narasiman et al., MICRO-44, 2011): warps are divided into
// groups of fixed size, in the order of their slots, and one group comes first: its warps issue in
// round robin, and a warp of another group only when none of it is ready, the groups in turn. When
// every warp of the first group waits for something long (memory beyond shared memory, a barrier, a
// fence, a sleep), the next group that has work becomes the first. So groups come to their long
// waits at different times, and one covers another's. The group's size is configured for the SM;
// each scheduler has its share of every group.
#include "sm/sm_state.h"

static uint32_t slots_of_group(const struct sm *s) {
    const uint32_t n = s->c.group_warps / s->c.schedulers * s->c.schedulers;
    return n < SM_MAX_WARPS ? n : SM_MAX_WARPS;
}
static uint64_t group_mask(uint32_t group, uint32_t slots) {
    const uint64_t ones = slots >= 64 ? ~0ull : (1ull << slots) - 1;
    return group * slots >= 64 ? 0 : ones << group * slots;
}

static void prepare(struct sm *s, uint32_t sc) {
    const struct sm_view *const v = &s->v;
    const uint64_t waits = v->wait_long | v->stops;
    const uint64_t can = v->mine[sc] & v->resident & ~waits;
    const uint32_t slots = slots_of_group(s), groups = (s->c.max_warps + slots - 1) / slots;
    uint32_t g = s->sched[sc].promoted;
    for (uint32_t i = 0; i < groups; i++, g = g + 1 == groups ? 0 : g + 1) {
        if ((can & group_mask(g, slots)) == 0) continue;
        s->sched[sc].promoted = (uint8_t)g;
        return;
    }
}

static uint32_t pick(const struct sm *s, uint32_t sc, uint64_t ready) {
    const uint32_t slots = slots_of_group(s), groups = (s->c.max_warps + slots - 1) / slots;
    uint32_t g = s->sched[sc].promoted;
    uint64_t of_group = ready & group_mask(g, slots);
    while (of_group == 0) {
        g = g + 1 == groups ? 0 : g + 1;
        of_group = ready & group_mask(g, slots);
    }
    const uint64_t behind = of_group & (~1ull << s->sched[sc].last);
    return bits_first64(behind != 0 ? behind : of_group);
}

const struct sched_ops sched_fetch_group = {.prepare = prepare, .pick = pick};
