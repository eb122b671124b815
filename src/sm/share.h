// A warp's share of the register file while it runs (setmaxnreg). The block keeps what it was granted at
// launch: a warp that gives registers back leaves them to the block, and one that takes more waits
// until the block has them. Waiting warps get theirs in the order of their slots. The register file
// counts the block's grant throughout, so occupancy is the launch's.
#ifndef WW_SM_SHARE_H
#define WW_SM_SHARE_H

#include "sm/pending.h"
#include "sm/ready.h"

static inline bool share_take(struct sm *s, struct cta_slot *c, uint32_t w, uint32_t want) {
    const uint32_t has = s->res.share[w], lacks = want > has ? want - has : 0;
    if (lacks > c->pool) return false;
    c->pool -= lacks;
    s->res.share[w] = (uint16_t)want;
    return true;
}

// Warp w, in the instruction at `pc`, is to have `want` registers.
static inline void share_change(const struct readiness *r, struct sm *s, uint32_t w, uint32_t want,
                                uint32_t pc) {
    struct cta_slot *const c = &s->res.cta[s->res.warp[w].cta];
    if (want > s->res.share[w]) {
        s->res.wanted[w] = (uint16_t)want;
        if (!share_take(s, c, w, want)) ready_wait_in(r, s, PENDING_registers, w, pc);
        return;
    }
    c->pool += s->res.share[w] - want;
    s->res.share[w] = (uint16_t)want;
    FOR_EACH_BIT64(i, c->warps & s->pending.of[PENDING_registers])
        if (share_take(s, c, (uint32_t)i, s->res.wanted[i]))
            ready_go_on(r, s, PENDING_registers, (uint32_t)i);
}

#endif
