// Which accesses of a block's threads are in an order, for the race check (order.c). Nothing is
// done unless the launch asked for that check.
#ifndef WW_EXEC_ORDER_H
#define WW_EXEC_ORDER_H

#include "exec/exec_int.h"

struct order; // of a CTA

size_t order_bytes(const struct exec_launch *l);
void order_init(struct order *o, const struct exec_launch *l);
// The warp executes an instruction that accesses memory; answers its time, which is never 0.
uint32_t order_tick(struct order *o, uint32_t warp);
// Whether what thread `other` (its number in the block) did at time `tick` of its warp is done for
// the lane: the two are the same thread, execute the instruction together, or something between
// them orders them.
bool order_known(const struct order *o, const struct exec_warp *w, uint32_t lane, uint32_t other,
                 uint32_t tick);
// An access that may order threads, at whatever address: what it does to memory is seen by those
// that come later (publish); it sees what came earlier (obtain).
void order_publish(struct order *o, const struct exec_warp *w, uint32_t lane, const uint8_t *host);
void order_obtain(struct order *o, const struct exec_warp *w, uint32_t lane, const uint8_t *host);

// What the lanes have done and know to be done, a tick for each warp of the block, is joined to `to`.
void order_done(const struct order *o, const struct exec_warp *w, uint32_t lanes, uint32_t *to);

// Lanes come to barrier `id` of the block, go on from it, end, meet at bar.warp.sync.
void order_arrive(const struct exec_warp *w, uint32_t lanes, uint32_t id);
void order_release(const struct exec_warp *w, uint32_t lanes, uint32_t id);
void order_exit(const struct exec_warp *w, uint32_t lanes);
void order_meet(const struct exec_warp *w, uint32_t lanes);

#endif
