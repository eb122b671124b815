// CTA-aware two-level scheduling (Jog et al., OWL, ASPLOS 2013): the groups are made of whole CTAs.
// CTAs are put together in the order of their age until they hold group_warps warps. One group
// comes first; its warps issue in round robin, those of other groups only when none of it is ready.
// When every warp of it waits for something long, the group behind it becomes the first. Warps of a
// CTA, which tend to share data, so run close together.
//
// Left out of OWL: giving the first group its place back as soon as its data came (the locality-
// aware variant), other orders in other SMs, prefetching.
#include "sm/sm_state.h"

static uint32_t place_of(const struct sm *s, uint32_t slot) {
    for (uint32_t i = 0; i < s->res.n_ctas; i++)
        if (s->res.order[i] == slot) return i;
    return 0; // it has gone: the oldest
}

// Warps of the group that begins with the i-th oldest CTA; `*next`: where the one behind it begins.
static uint64_t group_at(const struct sm *s, uint32_t i, uint32_t *next) {
    uint64_t warps = 0;
    do warps |= s->res.cta[s->res.order[i]].warps;
    while (++i < s->res.n_ctas && count_warps(warps) < s->c.group_warps);
    *next = i == s->res.n_ctas ? 0 : i;
    return warps;
}

static void prepare(struct sm *s, uint32_t sc) {
    const struct sm_view *const v = &s->v;
    const uint64_t waits = v->wait_long | v->stops;
    const uint64_t can = v->mine[sc] & v->resident & ~waits;
    if (s->res.n_ctas == 0 || can == 0) return;
    uint32_t i = place_of(s, s->sched[sc].promoted);
    for (uint32_t tried = 0; tried < 2 * s->res.n_ctas; tried++) {
        uint32_t next;
        if (can & group_at(s, i, &next)) {
            s->sched[sc].promoted = s->res.order[i];
            return;
        }
        i = next;
    }
}

static uint32_t pick(const struct sm *s, uint32_t sc, uint64_t ready) {
    uint32_t i = place_of(s, s->sched[sc].promoted), next;
    uint64_t of_group = 0;
    for (uint32_t tried = 0; tried < 2 * s->res.n_ctas && of_group == 0; tried++, i = next)
        of_group = ready & group_at(s, i, &next);
    if (of_group == 0) of_group = ready;
    const uint64_t behind = of_group & (~1ull << s->sched[sc].last);
    return bits_first64(behind != 0 ? behind : of_group);
}

const struct sched_ops sched_cta_aware = {.prepare = prepare, .pick = pick};
