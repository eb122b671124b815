// Readiness: do a warp's operands let its next instruction issue? A port with two bodies, of which
// an SM has one (sm.dependences): scoreboard.h follows registers, counters.h follows the control
// bits that the compiler has set. The step of an SM is compiled for one of them (step.h); all other
// files go through s->ready.
#ifndef WW_SM_READY_H
#define WW_SM_READY_H

#include "sm/sm_state.h"

struct readiness {
    enum sm_dependences dependences;
    enum stall_reason no_operands; // owner of an issue slot for which no warp has its operands
    bool stops_issue;              // busy banks stop the issue stage (sub_core.late)

    // The warp's next instruction, or something that it waits for, has changed: brings v.go,
    // wait_mem and wait_long up to date. The warp may issue from cycle `from` on.
    void (*look)(struct sm *s, uint32_t w, uint64_t from);
    // Looks at the warps that time alone lets go on in cycle t.
    void (*tick)(struct sm *s, uint64_t t);
    // The first cycle from `from` on in which time alone lets a warp go on; NEVER: none.
    uint64_t (*next)(const struct sm *s, uint64_t from);

    // An instruction issues in cycle t.
    void (*issued)(struct sub_core *sub, struct warp *warp, const struct sm_inst *in, uint64_t t);
    // Its operands are read; answers the cycle of the last read, and in `each`, if that is not
    // NULL, the cycle of each. `number`: of the warp in its sub-core.
    uint64_t (*read)(struct collectors *k, const struct sm_inst *in, uint32_t number,
                     uint32_t n_lanes, uint64_t t, uint64_t *each);
    // It goes to a pipeline: what its result, or its reads, keep others from is noted.
    void (*reserve)(struct sm *s, const struct issue *i);
    // It enters its pipeline in cycle `at` for `latency` cycles; `is_told`: techniques hear of its
    // result.
    void (*enter)(struct sm *s, struct sub_core *sub, const struct issue *i, uint32_t number,
                  uint64_t at, uint32_t latency, bool is_told);
    // The operands of an instruction that reads them late have been read (EVENT_READ).
    void (*was_read)(struct warp *warp, const struct sm_inst *in);
    // A result is due in cycle t: asks for banks and bus, and answers as collect_write.
    uint64_t (*write)(struct collectors *k, const struct sm_inst *in, uint32_t number, uint64_t t,
                      uint64_t *each);
    // No warp waits for this result, since the compiler has counted out its latency: when it is
    // late, its warp is held until `until`.
    bool (*is_counted_out)(const struct sm_inst *in);
    void (*hold)(struct sm *s, uint32_t w, uint64_t until);
    // The result has been written: others may use it.
    void (*release)(struct sm *s, struct warp *warp, const struct sm_inst *in);
};

static inline void ready_prefetch(const struct warp *warp, uint32_t reg) {
    __builtin_prefetch(warp->exec->regs + reg * WARP_LANES);
    __builtin_prefetch(warp->exec->regs + reg * WARP_LANES + WARP_LANES / 2);
}

// `in` has become the next instruction of warp w: it waits for its constants first, then for its
// operands. It may issue from cycle `from` on: the one that begins, or the next when the warp has
// had its turn in this one.
static inline void ready_head(const struct readiness *r, struct sm *s, uint32_t w,
                              const struct sm_inst *in, uint64_t t, uint64_t from) {
    struct warp *const warp = &s->res.warp[w];
    warp->head = in;
    // A GPU's registers do not fit the host's nearest cache; these will be read when it issues. How
    // many there are changes from one instruction to the next: most have no more than these.
    for (uint32_t i = 0; i < SM_FEW_SRC; i++) ready_prefetch(warp, in->src[i]);
    ready_prefetch(warp, in->dst_first);
    for (uint32_t i = SM_FEW_SRC; ww_unlikely(i < in->n_src); i++) ready_prefetch(warp, in->src[i]);
    for (uint32_t i = 1; ww_unlikely(i < in->n_dst); i++) ready_prefetch(warp, in->dst_first + i);
    s->v.decoded |= BIT64(w);
    s->v.needs[in->unit] |= BIT64(w);
    if (ww_unlikely((in->const_mask & ~s->constants.ok[warp->kslot]) != 0) &&
        !front_constants(s, w, t))
        pending_begin(&s->pending, &s->v, PENDING_constant, w);
    r->look(s, w, from);
}

// The warp waits in the instruction at `pc`.
static inline void ready_wait_in(const struct readiness *r, struct sm *s, enum pending_kind kind,
                                 uint32_t w, uint32_t pc) {
    s->pending.pc[w] = pc;
    pending_begin(&s->pending, &s->v, kind, w);
    r->look(s, w, s->v.cycle);
}

// What the warp waited for is over; it may wait for something else.
static inline void ready_go_on(const struct readiness *r, struct sm *s, enum pending_kind kind,
                               uint32_t w) {
    pending_end(&s->pending, &s->v, kind, w);
    r->look(s, w, s->v.cycle);
}

#endif
