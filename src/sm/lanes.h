// The port for single lanes of the INT and FP pipelines: a technique knows which lanes an
// instruction needs, switches lanes off, and folds instructions (step_turn.h, step_issue.h and
// entry.c call it).
#ifndef WW_SM_LANES_H
#define WW_SM_LANES_H

#include "sm/view.h"

// What an instruction takes longer.
struct sm_delay {
    uint32_t latency;  // cycles added to its result
    uint32_t interval; // cycles that the pipeline stays closed longer
};

// What the SM reads in every cycle and the technique keeps.
struct sm_lanes {
    uint64_t on[SM_LANE_PIPES]; // by pipe: warps all of whose lanes it has on
    // By type (0 INT, 1 FP): the cycle from which on `on` may be out of date. From then on the SM
    // calls `look` before it relies on `on`.
    uint64_t look_at[2];
};

struct sm_lane_port {
    // NULL: the technique switches no lane off and has no look, wanted and find.
    struct sm_lanes *lanes;
    // look_at[type] has come and warps of the type are ready: brings `on` and look_at up to
    // v->cycle.
    void (*look)(void *self, const struct sm_view *v, uint32_t type);
    // A scheduler chose a warp that no free pipeline of its type (`free`, a bit mask, not 0) has
    // all lanes on for. Answers the cycle in which to look again. Comes as sm_gate_port.wanted
    // does.
    uint64_t (*wanted)(void *self, const struct sm_view *v, uint32_t warp, uint64_t free);
    // With sm.lane_group_at entry, in the place of `look` and `wanted`: an instruction of a warp
    // with `active` threads could enter one of the free pipelines (`free`, not 0). Answers the
    // first that has all lanes on for it, SM_PIPES when there is none; then it has asked for lanes,
    // and *again is the cycle in which to look again. The instructions that could enter ask in
    // every simulated cycle, the oldest first.
    uint32_t (*find)(void *self, const struct sm_view *v, uint32_t active, uint64_t free,
                     uint64_t *again);
    // v->lanes[warp] has changed.
    void (*changed)(void *self, const struct sm_view *v, uint32_t warp);
    // An instruction that `lanes` of a warp with `active` threads execute issues to an INT or FP
    // pipe and enters it in cycle `at`.
    struct sm_delay (*issued)(void *self, const struct sm_view *v, uint32_t active, uint32_t pipe,
                              uint32_t lanes, uint64_t at, uint32_t latency, uint32_t interval);
};

#endif
