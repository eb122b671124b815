// What an SM tells of a kernel besides its counters.
#ifndef WW_SM_RESULT_H
#define WW_SM_RESULT_H

#include "activity/stall.h"
#include "base/base.h"

// CTAs of this kernel that one SM holds at most, and what limits it.
struct sm_occupancy {
    uint32_t ctas, warps;
    const char *limit; // "registers", "shared memory", "warps", "CTA slots"
};
// Of a machine instruction: how often it issued, with how many lanes, and the issue slots lost to it.
struct sm_inst_counts {
    uint64_t issues, lanes, stall[STALL_N];
};
// What it asked of memory.
struct sm_inst_memory {
#define INST_MEMORY(name, unit, prose) uint64_t name;
#include "sm/inst_memory.def"
#undef INST_MEMORY
};

#endif
