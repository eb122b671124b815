// The port for a pipeline's power: a technique switches pipelines off and on (gate.c calls it).
#ifndef WW_SM_GATE_H
#define WW_SM_GATE_H

#include "sm/view.h"

// When a pipeline goes off. It takes no instruction in cycles from `off_from` on; LD/ST and texture
// go off only while they hold no access. Work moves that: the SM sets off_from to busy_until +
// window whenever the pipeline takes an instruction. So a pipeline that has been idle for `window`
// cycles goes off without a call. For example, with a window of 5 and work up to cycle 20 it is off
// from cycle 25.
struct sm_gate {
    uint64_t off_from, window;
};
#define SM_GATE_NEVER (UINT64_MAX / 2) // a window that never ends

struct sm_gate_port {
    struct sm_gate *gate; // by enum sm_pipe_id; the technique changes them in its callbacks
    uint64_t pipes;       // bit mask of the pipelines that it may switch off
    // A scheduler chose a warp whose unit has free pipelines (`free`, a bit mask), but all of them
    // are off. Answers the cycle in which to look again (a wakeup's end), UINT64_MAX when the
    // technique waits for something else. Each scheduler asks once for each unit in every simulated
    // cycle in which that is so. With sm.lane_group_at entry the instructions that could enter a
    // pipeline ask, oldest first.
    uint64_t (*wanted)(void *self, const struct sm_view *v, uint32_t unit, uint64_t free);
};

#endif
