// The scoreboard: which registers of a warp have a result on its way. An instruction may issue when
// none of its sources and destinations is pending (read after write and write after write; write
// after read cannot hurt, since values are computed at issue and operands are read in order).
//
// A warp is looked at again only when it issued or something of its came back: `scoreboard_look`
// keeps the warp's bits in v.go, wait_mem and wait_long up to date.
#ifndef WW_SM_SCOREBOARD_H
#define WW_SM_SCOREBOARD_H

#include "sm/counters.h"
#include "sm/sm_state.h"

static inline void scoreboard_reserve(struct warp *warp, const struct sm_inst *in,
                                      const struct sm_wide *wide) {
    const uint64_t mem = in->flags & SI_MEM ? in->dst : 0;
    const uint64_t lng = in->flags & SI_LONG ? in->dst : 0;
    warp->pend |= in->dst;
    warp->pend_mem |= mem;
    warp->pend_long |= lng;
    warp->pend_p |= in->dst_p;
    warp->inflight++;
    if (ww_unlikely(warp->wide != NULL))
        for (int i = 0; i < WIDE_WORDS; i++) {
            const uint64_t d = wide[in->wide].dst[i];
            warp->wide->pend[i] |= d;
            if (in->flags & SI_MEM) warp->wide->mem[i] |= d;
            if (in->flags & SI_LONG) warp->wide->lng[i] |= d;
        }
}

static inline void scoreboard_release(struct warp *warp, const struct sm_inst *in,
                                      const struct sm_wide *wide) {
    warp->pend &= ~in->dst;
    warp->pend_mem &= ~in->dst;
    warp->pend_long &= ~in->dst;
    warp->pend_p &= (uint16_t)~in->dst_p;
    warp->inflight--;
    if (ww_unlikely(warp->wide != NULL))
        for (int i = 0; i < WIDE_WORDS; i++) {
            const uint64_t d = ~wide[in->wide].dst[i];
            warp->wide->pend[i] &= d;
            warp->wide->mem[i] &= d;
            warp->wide->lng[i] &= d;
        }
}

// The warp's next instruction, or something that it waits for, has changed. `is_control` stands for
// s->is_control, and is a constant where a cycle is compiled for one of the two.
static inline void scoreboard_look_as(struct sm *s, uint32_t w, bool is_control) {
    if (is_control) {
        counters_look(s, w, s->v.cycle);
        return;
    }
    struct warp *const warp = &s->res.warp[w];
    struct sm_view *const v = &s->v;
    const uint64_t bit = BIT64(w);
    s->dirty |= warp->scheds;
    if ((v->decoded & ~s->blocked & bit) == 0) {
        v->go &= ~bit;
        v->wait_mem &= ~bit;
        v->wait_long &= ~bit;
        return;
    }
    const struct sm_inst *const in = warp->head;
    s->act.c[ACT_scoreboard_reads]++;
    uint64_t hit = (warp->pend & in->use) | (uint64_t)(warp->pend_p & in->use_p);
    uint64_t mem = warp->pend_mem & in->use, lng = warp->pend_long & in->use;
    if (ww_unlikely(warp->wide != NULL)) {
        const struct sm_wide *x = &s->res.kernel[warp->kslot].kernel->wide[in->wide];
        for (int i = 0; i < WIDE_WORDS; i++) {
            hit |= warp->wide->pend[i] & x->use[i];
            mem |= warp->wide->mem[i] & x->use[i];
            lng |= warp->wide->lng[i] & x->use[i];
        }
    }
    v->go = (v->go & ~bit) | (hit == 0 ? bit : 0);
    v->wait_mem = (v->wait_mem & ~bit) | (mem != 0 ? bit : 0);
    v->wait_long = (v->wait_long & ~bit) | (lng != 0 ? bit : 0);
}

static inline void scoreboard_look(struct sm *s, uint32_t w) {
    scoreboard_look_as(s, w, s->is_control);
}

static inline void scoreboard_prefetch(const struct warp *warp, uint32_t reg) {
    __builtin_prefetch(warp->exec->regs + reg * WARP_LANES);
    __builtin_prefetch(warp->exec->regs + reg * WARP_LANES + WARP_LANES / 2);
}

// The head of the buffer has become the instruction at the warp's pc: it waits for its constants
// first, then for its operands. From cycle `from` on it may issue: the one that begins, or the next
// when the warp has had its turn in this one.
static inline void scoreboard_head_as(struct sm *s, uint32_t w, const struct sm_inst *in,
                                      uint64_t t, uint64_t from, bool is_control) {
    struct warp *const warp = &s->res.warp[w];
    warp->head = in;
    // A GPU's registers do not fit the host's nearest cache; these will be read when it issues. How
    // many there are changes from one instruction to the next: most have no more than these.
    for (uint32_t i = 0; i < SM_FEW_SRC; i++) scoreboard_prefetch(warp, in->src[i]);
    scoreboard_prefetch(warp, in->dst_first);
    for (uint32_t i = SM_FEW_SRC; ww_unlikely(i < in->n_src); i++)
        scoreboard_prefetch(warp, in->src[i]);
    for (uint32_t i = 1; ww_unlikely(i < in->n_dst); i++)
        scoreboard_prefetch(warp, in->dst_first + i);
    s->v.decoded |= BIT64(w);
    s->v.needs[in->unit] |= BIT64(w);
    if (ww_unlikely((in->const_mask & ~s->constants.ok[warp->kslot]) != 0) &&
        !front_constants(s, w, t)) {
        s->v.wait_const |= BIT64(w);
        s->blocked |= BIT64(w);
    }
    if (is_control)
        counters_look(s, w, from);
    else
        scoreboard_look_as(s, w, false);
}

static inline void scoreboard_head(struct sm *s, uint32_t w, const struct sm_inst *in, uint64_t t) {
    scoreboard_head_as(s, w, in, t, t, s->is_control);
}

// Takes waits off a warp: `mask` is one of the wait_ masks' bits. The other waits stay.
static inline void scoreboard_unblock_as(struct sm *s, uint32_t w, bool is_control) {
    const struct sm_view *v = &s->v;
    const uint64_t all =
        v->wait_bar | v->wait_fence | v->wait_sleep | v->wait_branch | v->wait_const;
    s->blocked = (s->blocked & ~BIT64(w)) | (all & BIT64(w));
    scoreboard_look_as(s, w, is_control);
}

static inline void scoreboard_unblock(struct sm *s, uint32_t w) {
    scoreboard_unblock_as(s, w, s->is_control);
}

#endif
