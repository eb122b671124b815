// The ports for choosing a warp: a technique narrows what a scheduler chooses from, and hears what
// issued (step_turn.h and technique.c call them).
#ifndef WW_SM_CHOOSE_H
#define WW_SM_CHOOSE_H

#include "sm/view.h"

struct sm_choice_port {
    // Of `ready` warps (never 0), those that the scheduler is to choose from: a subset; 0: none,
    // and the slot counts as the technique's. Warps whose pipelines are off are among them. When
    // the scheduler chooses one of those it asks for the pipeline, and then chooses again, in the
    // same cycle, without the warps of that unit. Several techniques narrow in the order in which
    // they were set.
    uint64_t (*among)(void *self, const struct sm_view *v, uint32_t scheduler, uint64_t ready);
};

// An instruction at its issue; with lane_group_at entry one for INT or FP when it enters its
// pipeline.
struct sm_issue {
    uint64_t cycle; // of issue, or entry
    uint32_t warp, scheduler, pc, kernel_slot;
    uint32_t lanes;      // that execute (active and guard)
    uint8_t klass, unit; // enum op_class, enum unit_class
    uint8_t pipe;        // enum sm_pipe_id; SM_PIPES: no pipeline
    bool is_second;      // second instruction of a dual issue
};
struct sm_issue_port {
    void (*issued)(void *self, const struct sm_view *v, const struct sm_issue *i);
};

#endif
