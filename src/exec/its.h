// Independent thread scheduling (its.c): what a warp of compute capability 7.0 and later keeps in
// place of a stack.
#ifndef WW_EXEC_ITS_H
#define WW_EXEC_ITS_H

#include "exec/barrier.h"
#include "exec/exec_int.h"

enum its_state { ITS_READY, ITS_SYNC /* for other lanes of its warp */, ITS_BAR };
// Lanes that run together.
struct its_leaf {
    uint32_t pc, mask;
    uint32_t need; // SYNC: lanes that must come
    int32_t node;  // where they meet others next; -1: nowhere
    uint8_t state, bar, kind;
    const struct xinst *at; // SYNC, BAR: the instruction
};
// Where lanes meet: the end of a branch, or the return of a call.
struct its_node {
    uint32_t pc;
    uint32_t mask; // lanes that it waits for, those that have come included; 0: not in use
    uint32_t arrived;
    uint32_t turns; // of loops that its lanes took while others waited here
    int32_t parent;
    uint32_t is_call;
};
struct its {
    uint32_t n, cur;                // the current one's pc and mask are the warp's
    uint32_t turns;                 // of loops, since it is current
    uint32_t waits;                 // nodes that lanes have come to
    bool is_blocked;                // no leaf can run
    uint8_t counted[EXEC_BARRIERS]; // threads that a barrier of the block counts of this warp
    uint32_t cap, used; // used: nodes from here on were never in use
    struct its_node *node;
    struct its_leaf leaf[WARP_LANES];
};
enum { ITS_FIRST_NODES = 32 };
static inline size_t its_bytes(void) {
    return bits_align_up(sizeof(struct its) + ITS_FIRST_NODES * sizeof(struct its_node), 64);
}

void its_init(struct its *x, uint32_t lanes);
// The current lanes stand where they meet others.
void its_meet(struct exec_env *e, struct exec_warp *w);
// Another leaf goes on, if there is one.
void its_rotate(struct exec_warp *w);
// What a barrier of the block, number w->bar_id, lets go gets `value`.
void its_release(struct exec_warp *w, uint32_t value);
// Chooses handlers for an operation that threads of a diverged warp do each for themselves; NULL:
// the same as ever.
exec_fn its_choose(const struct minst *m, struct xinst *x, exec_fn usual);
// Marks loops that wait for other threads, see its.c.
void its_mark(struct exec_launch *l);
// For the race check: marks the loads that such loops wait for (X_WAITS).
void its_mark_loads(struct exec_launch *l);

#endif
