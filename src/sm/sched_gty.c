// Greedy then youngest (Huerta et al., "Analyzing modern NVIDIA GPU cores", 2025): stay with the warp
// that issued last as long as it is ready, then take the youngest. A stall count, a counter or a yield
// bit makes it give way, so the compiler guides the choice. Age is the order in which CTAs came; warps
// of a CTA are as old as their number.
#include "sm/sm_state.h"

static uint32_t pick(const struct sm *s, uint32_t sc, uint64_t ready) {
    const uint32_t last = s->sched[sc].last;
    if (ready >> last & 1) return last;
    for (uint32_t i = s->res.n_ctas; i-- > 0;) {
        const uint64_t of_cta = ready & s->res.cta[s->res.order[i]].warps;
        if (of_cta != 0) return bits_last64(of_cta);
    }
    return bits_last64(ready);
}

const struct sched_ops sched_gty = {.pick = pick};
