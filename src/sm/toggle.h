// Bits that change on an SM's wires (sm_count_toggles): each row, result and word of data is held
// against what was on the same wires before. Counts stand under toggle_* (activity/sm_toggle.def).
//
// Wires: a register bank's read and its write side (a row of 32 lanes), the lanes of a unit (its
// results), the lanes' data side of shared memory, and that of the other memories.
// Left out: lanes that do not execute keep what they had; which of a unit's pipelines an instruction
// takes (an SM's pipelines of a unit count as one set of wires); results that memory computes.
#ifndef WW_SM_TOGGLE_H
#define WW_SM_TOGGLE_H

#include "activity/activity.h"
#include "sm/kernel.h"

struct toggle;
struct toggle *toggle_create(void); // NULL: no memory
void toggle_destroy(struct toggle *t);
// Before an instruction of the warp executes: its operands. `bank_of`: by register and warp slot.
void toggle_read(struct toggle *t, uint64_t *act, const struct sm_inst *in,
                 const struct exec_warp *ew, const uint8_t *bank_of);
// After it: its results, by the lanes that executed it, and the data of its access (NULL: none).
void toggle_written(struct toggle *t, uint64_t *act, const struct sm_inst *in,
                    const struct exec_warp *ew, const uint8_t *bank_of, uint32_t lanes,
                    const struct exec_access *access);

#endif
