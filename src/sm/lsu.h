// The load/store unit of an SM: its two queues, and the operations in flight to memory (lsu.c,
// transact.c, reply.c).
#ifndef WW_SM_LSU_H
#define WW_SM_LSU_H

#include "mem/pieces.h"
#include "sm/kernel.h"
#include "sm/view.h"

struct mem_op { // in flight
    const struct sm_inst *in;
    uint64_t done_at;
    uint32_t left;              // answers that it waits for
    uint32_t lanes;             // that executed it
    uint8_t warp, group, flags; // OP_*
    uint16_t next;              // free list
};
enum { OP_ISSUED = 1, OP_ASYNC = 2, OP_ATOMIC = 4, OP_NONE = 0xffff };
#define NO_WAITER UINT32_MAX

enum lsu_path {
    PATH_NONE,
    PATH_L1,
    PATH_BYPASS,
    PATH_STORE,
    PATH_ATOMIC,
    PATH_REDUCE,
    PATH_PREFETCH,
    PATH_CONST,
    PATH_TEX,
    PATH_LOCAL_STORE
};
enum { LSU_TRANSACTIONS = 128 }; // four words of local memory, each lane in a line of its own
struct lsu_entry {
    uint64_t ready;
    const struct sm_inst *in;
    uint16_t op, n, next; // transactions
    uint16_t aux;         // the instruction's, as flags: a store may outlive its kernel
    uint32_t flags;
    uint32_t lanes;       // that execute it
    uint8_t warp, path, space;
    uint8_t rounds; // of an atomic: most lanes that want one word
    bool started;
    bool line_was_there;   // what a store's last look-up in L1 found: shared within a line
    uint32_t start_slot;   // in lsu.start
    uint32_t bank_cycles;  // shared-memory cycles before the transactions, 0: none
    uint32_t bank_latency; // from start to the data of shared memory
    uint32_t tail_cycles;  // that the unit stays occupied after the last transaction
    uint64_t begun;        // cycle of its first transaction's turn
    uint64_t policy;       // of L2; 0: none
    const struct policy_window *window; // of its launch; NULL: none
    struct transaction tx[LSU_TRANSACTIONS];
};
// One in-order queue: LD/ST or texture. An access that touches shared memory alone, and finds no
// other in front of it that might be held up, never enters the ring: its times are known at once.
struct lsu_queue {
    struct lsu_entry *entry;
    // A ring of entries: those that wait, by `ready` where sub-cores hand them over, and behind them
    // free ones, the one that was in use last first.
    uint16_t *order;
    uint32_t capacity, first, n;
    uint32_t pipe;          // enum sm_pipe_id
    uint64_t free_at;       // the next access may start
    enum alarm alarm;       // its next step
    uint64_t blocked_since; // NEVER: not blocked
    uint64_t *start;        // when the last `queue` accesses left the queue, NEVER: still in it
    uint32_t queue, start_at;
};
static inline struct lsu_entry *lsu_queue_first(const struct lsu_queue *u) {
    return &u->entry[u->order[u->first]];
}
// The cycle from which on there is room for another access, as far as it is known; NEVER: not yet.
static inline uint64_t lsu_queue_room(const struct lsu_queue *u) { return u->start[u->start_at]; }
static inline bool lsu_queue_is_full(const struct lsu_queue *u, uint64_t t) {
    return lsu_queue_room(u) > t;
}

struct lsu {
    struct lsu_queue ldst, tex;
    struct mem_op *op;
    uint32_t n_ops, ops_used;
    uint16_t op_free;
    uint64_t banks_free_at; // of shared memory, where the lanes access it themselves
    uint64_t const_free_at; // the constants' own pipeline (const_request_cycles)
};
// No more operations may be in flight.
static inline bool lsu_ops_are_full(const struct lsu *u) { return u->ops_used == u->n_ops; }

// Tags of requests: what a reply is for.
enum {
    TAG_LINE = 0,
    TAG_OP = 1 << 12,
    TAG_STORE = 2 << 12,
    TAG_NO_ANSWER = 3 << 12,
    TAG_TMA = 4 << 12,
    TAG_KIND = 7 << 12,
    TAG_INDEX = (1 << 12) - 1
};

#endif
