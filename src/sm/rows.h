// The port for register rows (a row: a register of a warp, 32 words). A technique hears of each
// access and may make it slower (step_issue.h and
// step_arrive.h call it).
#ifndef WW_SM_ROWS_H
#define WW_SM_ROWS_H

#include "sm/view.h"

// The rows that one instruction reads, or writes.
struct sm_row_access {
    uint64_t cycle;   // planned: the first in which its rows may be read, the one of its last write
    uint32_t warp, n; // rows
    const uint8_t *reg; // their registers, each once
    const uint64_t *at; // the cycles in which their banks serve them
    uint32_t lanes;     // that execute (active and guard)
    uint32_t pc;        // of a read: of its instruction in the kernel's image
    bool is_long; // of a write: the result is of memory beyond shared memory, for which a two-level
                  // scheduler takes waiting warps out of its set
    // Of a read, what the instruction will write: n_dst registers from dst_first on. Each of these
    // comes again as one write.
    uint8_t n_dst, dst_first;
    // The warp's registers, 32 words each: of a read before the instruction computes, of a write
    // with the result in them.
    const uint32_t *values;
};

struct sm_row_port {
    // `read` is called when an instruction issues that reads or writes rows (n may be 0), `write`
    // when its result is written. They answer the cycles by which the slowest row delays the
    // operands, or the result; the answers of several techniques add up. An instruction that needs
    // no unit, such as a branch by a register, ignores the answer.
    uint32_t (*read)(void *self, const struct sm_row_access *a);
    uint32_t (*write)(void *self, const struct sm_row_access *a);
};

#endif
