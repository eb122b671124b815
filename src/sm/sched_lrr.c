// Loose round robin: of the warps that are ready, the next one behind the warp that issued last.
#include "sm/sm_state.h"

static uint32_t pick(const struct sm *s, uint32_t sc, uint64_t ready) {
    const uint64_t behind = ready & (~1ull << s->sched[sc].last);
    return bits_first64(behind != 0 ? behind : ready);
}

const struct sched_ops sched_lrr = {.pick = pick};
