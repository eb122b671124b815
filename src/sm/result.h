// What an SM tells of a kernel besides its counters.
#ifndef WW_SM_RESULT_H
#define WW_SM_RESULT_H

#include "activity/stall.h"
#include "base/base.h"

// What limits how many CTAs one SM holds.
#define SM_LIMITS(X)                                                                               \
    X(WARPS, "warps")                                                                              \
    X(THREADS, "threads")                                                                          \
    X(REGISTERS, "registers")                                                                      \
    X(SHARED, "shared memory")                                                                     \
    X(CTAS, "CTA slots")
enum sm_limit {
#define X(name, text) SM_LIMIT_##name,
    SM_LIMITS(X)
#undef X
        SM_LIMIT_N
};

// CTAs of a kernel that one SM holds at most, and what limits it.
struct sm_occupancy {
    uint32_t ctas, warps;
    const char *limit;       // the first of those that allow fewest
    uint32_t of[SM_LIMIT_N]; // CTAs that each would allow alone; UINT32_MAX: none of it is taken
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
