// An instruction between its issue and its pipeline: one record for all that it meets on the way
// (operand reads, pipelines, entries to lane groups, the load/store unit, techniques).
#ifndef WW_SM_ISSUE_H
#define WW_SM_ISSUE_H

#include "sm/kernel.h"

struct issue {
    const struct sm_inst *in;
    const struct exec_access *access; // what it does to memory; NULL: nothing
    uint64_t cycle;                   // of its issue
    uint64_t operands_at;             // cycle in which its last operand is read
    uint32_t lanes;                   // that execute it: active ones whose guard holds
    uint32_t active; // lanes of its warp, before the guard; 0 in a step that asks no technique
    uint32_t pc;
    uint8_t warp, scheduler;
    bool is_second; // of a dual issue
    bool is_behind; // its sub-core hands others to the load/store unit before it
};

#endif
