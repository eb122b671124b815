// The warps of an SM over a window of cycles: what each issues and why it waits, cycle by cycle
// (`run --warps`). An SM that is watched has a step of its own (sm_state.h: `step`), so that all others
// know nothing of it.
#ifndef WW_SM_WATCH_H
#define WW_SM_WATCH_H

#include "sm/result.h"

struct sm;

// What a warp does in a cycle: the owner of an issue slot that it would be (enum stall_reason), or
enum {
    WATCH_READY = STALL_N, // its operands are there, and its scheduler chose another warp
    WATCH_DONE,            // it has ended and waits for its last results
    WATCH_STATES
};
const char *sm_watch_text(uint32_t state);
const char *sm_watch_prose(uint32_t state);

// One state of a warp, from cycle `from` up to `to`. `pc`: the instruction that it issues, or at which
// it waits. `warp`: its place in the SM.
struct sm_watch_span {
    uint64_t from, to;
    uint64_t cta;         // number in the grid
    uint32_t pc, lanes;   // lanes: that executed what was issued, or that are active
    uint16_t warp_in_cta;
    uint8_t warp, state;
};

struct sm_watch;
struct sm_watch *sm_watch_create(void); // NULL: out of memory
void sm_watch_destroy(struct sm_watch *w);
// Watches the warps of a kernel slot in cycles [from, to), from now on, before any of them is
// simulated. What was seen before is forgotten. Not for SMs that share a front end.
void sm_watch_begin(struct sm *s, struct sm_watch *w, uint32_t slot, uint64_t from, uint64_t to);
// The SM is watched no more; `end`: the first cycle that is not the kernel's.
void sm_watch_end(struct sm *s, struct sm_watch *w, uint64_t end);
// By cycle and warp; `lost`: there was no memory for all.
const struct sm_watch_span *sm_watch_spans(const struct sm_watch *w, uint32_t *n, bool *lost);

#endif
