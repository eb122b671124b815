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
    WARP_TRAP,
    WARP_SLEEP,
    WARP_NOP
};
enum sys_fn { SYS_CALL };

void warp_thread_id(const struct exec_warp *w, uint32_t lane, uint32_t id[3]);

#endif
