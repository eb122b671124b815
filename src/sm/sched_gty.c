// Greedy then youngest (Huerta et al., "Analyzing modern NVIDIA GPU cores", 2025): stay with the warp
// that issued last as long as it is ready, then take a warp of the youngest CTA that has a ready
// one. A stall count, a counter or a yield bit makes it give way, so the compiler guides the choice.
// Age is the order in which CTAs came. Warps of one CTA take turns: of five warps a sub-core, each a
// chain of products, an RTX 3500 (Ada) issues 0.63 instructions a cycle when they are of five CTAs,
// since one waits for the other four, and 1.01 when they are of one (github JatinKhare/cuda-course at
// 1099011, module20).
#include "sm/sm_state.h"

// Which CTA is the youngest with a ready warp follows no pattern, so nothing branches on it.
static uint32_t pick(const struct sm *s, uint32_t sc, uint64_t ready) {
    const uint32_t last = s->sched[sc].last;
    if (ready >> last & 1) return last;
    uint32_t ctas = 0; // a bit each, the youngest highest
    for (uint32_t i = 0; i < s->res.n_ctas; i++)
        ctas |= (uint32_t)((ready & s->res.warps_of[i]) != 0) << i;
    const uint64_t of_cta = ready & s->res.warps_of[bits_last32(ctas)];
    const uint64_t before = of_cta & (BIT64(last) - 1);
    return bits_last64(before != 0 ? before : of_cta);
}

const struct sched_ops sched_gty = {.pick = pick};
