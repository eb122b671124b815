// The race check between blocks of a launch, in global memory (check_grid.c). Nothing is done unless the launch asked for
// that check and has several blocks.
#ifndef WW_EXEC_CHECK_GRID_H
#define WW_EXEC_CHECK_GRID_H

#include "exec/log.h"
#include "exec/mem.h"

struct exec_shared_check;
struct grid_check; // of a launch

size_t check_grid_bytes(const struct exec_launch *l); // of a block
void check_grid_init(struct exec_shared_check *c, const struct exec_launch *l, void *memory);

// While a warp executes. Lanes access global memory, `bytes` each, at e->access.addr; `tick` is the warp's
// (order.h). `data` is what a store that is no atomic writes, 16 bytes a lane.
enum grid_access { GRID_READ, GRID_WRITE, GRID_ATOMIC };
void check_grid_access(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lanes, uint32_t bytes,
                       enum grid_access kind, bool strong, uint32_t tick, const uint8_t *data);
// A fence of the GPU's scope or a wider one, with its MF_ACQUIRE, MF_RELEASE, MF_SC; lanes that end.
void check_grid_fence(struct exec_env *e, struct exec_warp *w, uint32_t lanes, uint32_t flags);
void check_grid_exit(struct exec_env *e, const struct exec_warp *w, uint32_t lanes);

// At the end of a quantum or round, before what the log's records have behind `before` bytes is done: looks at what the
// log's warps did until then, from *at on, which it moves. False: *f, as the first finding ends the launch or the host has
// no memory.
bool check_grid_commit(struct devmem *m, const struct exec_log *log, size_t before, size_t *at, struct exec_fault *f);
void check_grid_destroy(struct grid_check *g);

#endif
