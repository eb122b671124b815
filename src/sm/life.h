// The ports for what lives when: kernels, warps and the SM's work, and time itself (technique.c and
// cta.c call them).
#ifndef WW_SM_LIFE_H
#define WW_SM_LIFE_H

#include "sm/view.h"

// A warp comes (when its CTA launches) or goes (when its last result is written).
struct sm_warp_event {
    bool comes;
    uint32_t warp, kernel_slot;
    uint32_t registers;    // of a thread
    uint32_t shared_bytes; // of its CTA, on the CTA's first and last warp, else 0
    uint64_t freed; // with the last of its CTA that goes: the CTA's warps, whose registers others
                    // may be given now; else 0
    uint64_t cycle;
};

struct sm_life_port { // each may be NULL
    // A kernel is bound to a slot, from now until the next one is.
    void (*kernel)(void *self, uint32_t slot, const struct code_image *image);
    void (*warp)(void *self, const struct sm_warp_event *e);
    // The SM gets its first CTA in `cycle`; ahead of `work`. Answers by how many cycles its warps
    // begin later; sets *is_cold where the caches of the SM hold nothing any more.
    uint32_t (*wake)(void *self, uint64_t cycle, bool *is_cold);
    // The SM gets its first CTA and is busy from `cycle` on, or has been busy up to and without it.
    // Idle times and states count in between. When it begins, all that was idle is idle since
    // `cycle`.
    void (*work)(void *self, const struct sm_view *v, bool begins, uint64_t cycle);
};

// Time is sparse: the SM simulates only cycles in which something may change. Between two simulated
// cycles nothing in the view changes, so a technique computes what happened in between from
// timestamps.
struct sm_clock_port { // each may be NULL
    // The start of every simulated cycle, before anything issues: v->cycle has moved on from
    // v->before.
    void (*cycle)(void *self, const struct sm_view *v);
    // Nothing issued, and cycles behind this one are skipped: the last look at what the view says
    // in all of them.
    void (*rest)(void *self, const struct sm_view *v);
    // Every `epoch_cycles` core cycles (0: never) while the SM holds work, ahead of `cycle`. The SM
    // simulates those cycles.
    uint32_t epoch_cycles;
    void (*epoch)(void *self, const struct sm_view *v, uint64_t cycle);
};

#endif
