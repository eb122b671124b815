// What the checks keep of a block (check.c), private to them.
#ifndef WW_EXEC_CHECK_H
#define WW_EXEC_CHECK_H

#include "exec/order.h"

// Who last touched a byte of shared memory, by number in the block, and when (order.h). Reads: the
// last, and the last by a warp other than that one's.
struct byte_shadow {
    uint32_t write_tick, read_tick[2]; // 0 never
    uint16_t writer, reader[2];
    bool written;
    bool strong; // the write was an atomic or may synchronise
    bool is_async;  // the write was a bulk copy's
    uint32_t stamp; // of the write: see check_proxy_fence
};
struct grid_order; // check_grid.c
struct exec_shared_check {
    bool uninitialised;
    struct order *order; // NULL: races are not looked for
    uint32_t stamp;      // of the last store
    uint32_t *fence;     // stamp of a thread's last fence.proxy.async
    struct early_warp *early; // by warp; NULL: races are not looked for
    struct grid_order *grid; // NULL: races between blocks in global memory are not looked for
    struct cluster_shadow *others; // by byte; NULL: races between blocks are not looked for
    uint32_t clock;                // of the block; what it knows of others, and has been told (check_cluster.c)
    uint32_t known[EXEC_CLUSTER_BLOCKS], told[EXEC_CLUSTER_BLOCKS];
    uint8_t *local;      // four bits a lane's word of local memory: its bytes that were written
    struct byte_shadow byte[];
};

#endif
