// Handlers of warp.c and sys.c, and a thread's place in its block.
#ifndef WW_EXEC_WARP_H
#define WW_EXEC_WARP_H

#include "exec/exec_int.h"

enum warp_fn {
    WARP_VOTE,
    WARP_MATCH,
    WARP_REDUX,
    WARP_SHFL,
    WARP_ACTIVE,
    WARP_ELECT,
    WARP_SYNC,
    WARP_S2R,
    WARP_BAR,
    WARP_CBAR,
    WARP_GRIDDEP,
    WARP_B2R,
    WARP_TRAP,
    WARP_SLEEP,
    WARP_NOP,
    WARP_GRANT
};
// xinst.aux8 of a barrier: it has a count of threads, in b or packed in a.
enum { BAR_COUNTS = 1, BAR_PACKED = 2 };
enum sys_fn { SYS_CALL };

void warp_thread_id(const struct exec_warp *w, uint32_t lane, uint32_t id[3]);

// What a reducing barrier answered goes to the lanes that came with instruction x of kind `kind`.
void warp_barrier_result(struct exec_warp *w, const struct xinst *x, uint32_t kind, uint32_t value,
                         uint32_t lanes);

#endif
