// Products of warp groups: matrices in shared memory, as their descriptors say (gmma.c).
#ifndef WW_EXEC_GMMA_H
#define WW_EXEC_GMMA_H

#include "exec/exec_int.h"

enum {
    GMMA_ROWS = 16,      // of A and D, a warp's quarter of the group's 64
    GMMA_MOST_N = 256,   // columns of B and D
    GMMA_GROUP = 4,      // warps
    GMMA_STEP_BYTES = 32 // of a row of A, and of a column of B but for sparse products
};

// Rows of a matrix as a product takes them, each of so many bytes side by side along k: A's sixteen
// rows of this warp, or B's columns.
struct gmma_rows {
    uint32_t n, bytes;
    uint8_t *row; // n * bytes
};
// Fetches rows [first, first + n) of the matrix that `descriptor` describes; `turned`: elements of 16
// bits lie side by side along m or n. False: e->fault.
bool gmma_fetch(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint64_t descriptor,
                uint32_t first, bool turned, const struct gmma_rows *out);

#endif
