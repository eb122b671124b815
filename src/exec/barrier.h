// A barrier of a CTA, with time and without: it counts threads, and a warp counts whole (as
// hardware counts). Without a count of its own it waits for all warps that have not ended. `arrive`
// counts without waiting. A reducing barrier combines the predicates of the lanes that came.
#ifndef WW_EXEC_BARRIER_H
#define WW_EXEC_BARRIER_H

#include "isa/isa.h"
#include "exec/exec.h"

enum { EXEC_BARRIERS = 16 }; // of a CTA
// Where warps wait for the barrier of their cluster, which counts elsewhere (exec_cluster_opens).
enum { EXEC_CLUSTER_BARRIER = EXEC_BARRIERS };

// All zero: no warp has come. Which warps wait is the caller's to know.
struct exec_barrier {
    uint32_t threads;  // that came
    uint32_t expected; // 0: all warps that have not ended
    uint32_t popc;     // lanes that came with a true predicate
    bool differs, any; // a lane came with a false predicate; with a true one
};

// Whether a warp, which waits or not, has lanes at barrier `id`.
static inline bool exec_barrier_has(const struct exec_warp *w, bool waits, uint32_t id) {
    return w->its ? w->bar_waits >> id & 1 : waits && w->bar_id == id;
}
// The warp's step answered EXEC_BARRIER. True: it waits; false: it only counts.
static inline bool exec_barrier_arrive(struct exec_barrier *b, const struct exec_warp *w) {
    b->threads += WARP_LANES - w->bar_less;
    if (w->bar_threads != 0) b->expected = w->bar_threads;
    b->popc += bits_count32(w->bar_value);
    b->differs |= w->bar_value != w->bar_mask;
    b->any |= w->bar_value != 0;
    return w->bar_flow ? w->bar_flow == EXEC_WAITS : w->bar_kind != MBAR_ARRIVE;
}

// Threads that must come, with so many warps of the CTA that have not ended.
static inline uint32_t exec_barrier_needs(const struct exec_barrier *b, uint32_t live_warps) {
    return b->expected != 0 ? b->expected : live_warps * WARP_LANES;
}
// Enough have come: the caller gives each waiting warp exec_barrier_value by exec_barrier_release,
// and the barrier is all zero again.
static inline bool exec_barrier_opens(const struct exec_barrier *b, uint32_t live_warps) {
    return b->threads != 0 && b->threads >= exec_barrier_needs(b, live_warps);
}
// What a warp that came with this kind (enum mbar) gets.
static inline uint32_t exec_barrier_value(const struct exec_barrier *b, uint32_t kind) {
    switch (kind) {
    case MBAR_RED_POPC: return b->popc;
    case MBAR_RED_AND: return !b->differs;
    default: return b->any;
    }
}

#endif
