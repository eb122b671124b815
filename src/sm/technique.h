// A technique: what takes hold of an SM to save energy, or measures it. It is a name, a state and
// the ports that it uses, each a small struct that is declared beside the code that calls it:
//
//   choose.h  which warps a scheduler chooses from; what issued
//   gate.h    whole pipelines off and on
//   lanes.h   single lanes of INT and FP pipelines
//   rows.h    reads and writes of register rows
//   arrays.h  accesses to caches and shared memory
//   life.h    kernels, warps and work come and go; the start of a cycle, epochs
//
// An SM runs several techniques, in the order in which they are set. At most one of them switches
// whole pipelines, and one has single lanes. A technique changes nothing outside of `self`: SMs run
// on different host threads, so each SM has a `self` of its own. The step of an SM without
// techniques has no trace of these ports in its machine code (step.h).
#ifndef WW_SM_TECHNIQUE_H
#define WW_SM_TECHNIQUE_H

#include "sm/arrays.h"
#include "sm/choose.h"
#include "sm/gate.h"
#include "sm/lanes.h"
#include "sm/life.h"
#include "sm/rows.h"

struct sm_technique {
    const char *name;
    void *self;
    // NULL: the technique has nothing to do with it.
    const struct sm_choice_port *choice;
    const struct sm_issue_port *issue;
    const struct sm_gate_port *gate;
    const struct sm_lane_port *lanes;
    const struct sm_row_port *rows;
    const struct sm_array_port *arrays;
    const struct sm_life_port *life;
    const struct sm_clock_port *clock;
    // Adds the technique's counts, complete up to and without `now`, to those of the SM, in which
    // its busy cycles and its idle cycles stand already. While the SM holds no work time must add
    // nothing to them, unless the technique has lines of caches lapse (arrays.h) or says
    // counts_idle.
    bool counts_idle;
    void (*count)(const void *self, const struct sm_view *v, struct activity *a, uint64_t now);
};

enum { SM_MAX_TECHNIQUES = 16 };
// Techniques that this SM runs with, called in this order; before the first CTA. Pointers are kept.
enum ww_status sm_set_techniques(struct sm *s, const struct sm_technique *const *t, uint32_t n,
                                 struct diags *d);

#endif
