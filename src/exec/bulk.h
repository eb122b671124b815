// Copies that run beside their thread: blocks of bytes and boxes of tensors (bulk.c), arrivals at
// barriers in shared memory and waits for them (mbarrier.c).
//
// The bytes of a copy move when its instruction executes. What comes later is that it is done: then
// whoever times it, or the runner without time, has the barrier hear of it (exec_bulk_done). A
// program in which each reader waits for the barrier sees no difference.
#ifndef WW_EXEC_BULK_H
#define WW_EXEC_BULK_H

#include "exec/exec.h"
#include "isa/isa.h"

enum exec_bulk_kind { BULK_LOAD, BULK_STORE, BULK_REDUCE, BULK_SHARED, BULK_PREFETCH, BULK_FORGET };
#define BULK_NO_BARRIER UINT32_MAX

// Neighbouring bytes of global memory.
struct exec_bulk_row {
    uint64_t at;
    uint32_t bytes;
};
// What one copy of one lane does, for whoever times it.
struct exec_bulk {
    uint64_t map;           // generic address of its map
    uint32_t shared, bytes; // where in shared memory, and how much of it, the swizzle apart
    uint32_t barrier;       // offset in shared memory; BULK_NO_BARRIER: none
    uint32_t blocks;        // of the cluster whose memory and barriers these are, by rank
    uint32_t first, rows;   // of exec_bulks.row
    uint8_t kind;           // enum exec_bulk_kind
    uint8_t lane;
    bool has_map; // a box of a tensor
};
// Copies that the last ACCESS_BULK began, in order of lanes.
struct exec_bulks {
    struct exec_bulk *copy;
    struct exec_bulk_row *row;
    uint8_t *stage; // private: a box as it lies without swizzle
    uint32_t n, n_rows, cap, cap_rows, cap_stage;
};
void exec_bulks_destroy(struct exec_bulks *b); // NULL is let pass

// Without time: what the last EXEC_MEMORY of w began is done, and what it put off happens, but for bytes
// that only the next commit can tell.
void exec_bulk_at_once(struct exec_env *e, struct exec_warp *w);
// The bytes of a copy that block `own` began have come: its barriers hear of them, those of other blocks
// at the commit where blocks run beside each other. True: that ends a phase of the block's own.
bool exec_bulk_done(struct exec_env *e, struct exec_cta *own, const struct exec_bulk *b);
// The arrival that ACCESS_ARRIVE_LATER put off happens now, once for each of `lanes`. True: it ends a
// phase.
bool exec_arrive_now(struct exec_cta *c, uint32_t barrier, uint32_t lanes, enum marrives what);
// Whether the phase of the barrier at an offset has another parity than `was`.
bool exec_phase_over(const struct exec_cta *c, uint32_t barrier, bool was);
// A wait that ACCESS_WAIT left open gets its answer: predicate `pred` of these lanes.
void exec_wait_answer(struct exec_warp *w, uint32_t pred, uint32_t lanes, bool is_over);

#endif
