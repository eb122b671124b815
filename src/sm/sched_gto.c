// Greedy then oldest (Rogers et al., MICRO 2012): stay with the warp that issued last as long as it
// is ready, then take the oldest. Age is the order in which CTAs came; warps of a CTA are as old as
// their number.
#include "sm/sm_state.h"

static uint32_t pick(const struct sm *s, uint32_t sc, uint64_t ready) {
    const uint32_t last = s->sched[sc].last;
    if (ready >> last & 1) return last;
    for (uint32_t i = 0; i < s->res.n_ctas; i++) {
        const uint64_t of_cta = ready & s->res.cta[s->res.order[i]].warps;
        if (of_cta != 0) return bits_first64(of_cta);
    }
    return bits_first64(ready);
}

const struct sched_ops sched_gto = {.pick = pick};
