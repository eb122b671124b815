// Independent thread scheduling: what the two bodies of the port share whose lanes run by threads
// of their own (its_nodes.c, converge_bar.c). Lanes that run together are a leaf; a warp has one,
// or after a branch that splits it several, of which one is current.
#ifndef WW_EXEC_ITS_H
#define WW_EXEC_ITS_H

#include "exec/barrier.h"
#include "exec/converge.h"
#include "isa/op.h"

struct paths; // converge_flow.h

enum its_state {
    ITS_READY,
    ITS_SYNC, // waits for other lanes of its warp
    ITS_BAR,  // waits at a barrier of the block
    ITS_MEET  // waits at a barrier register (converge_bar.c)
};
// Lanes that run together.
struct its_leaf {
    uint32_t pc, mask;
    uint32_t need; // SYNC: lanes that must come
    int32_t
        node; // its_nodes.c: where they meet others next; converge_bar.c: the lowest of lanes that
              // run apart from others; -1: nowhere, or they do not
    uint8_t state, bar /* BAR, MEET: which */, kind;
    bool has_yielded;       // converge_bar.c: gave its turn away and has not run since
    const struct xinst *at; // SYNC, BAR, MEET: the instruction
};
struct its_node;
struct its {
    uint32_t n, cur;                // the current one's pc and mask are the warp's
    uint32_t turns;                 // of loops, since it is current
    uint32_t waits;                 // its_nodes.c: nodes that lanes have come to
    bool is_blocked;                // no leaf can run
    uint8_t counted[EXEC_BARRIERS + 1]; // threads that a barrier of the block counts of this warp
    // its_nodes.c: `used`: nodes from here on were never in use.
    uint32_t cap, used;
    struct its_node *node;
    const struct its_meeting *meeting;
    struct its_leaf leaf[WARP_LANES];
};
// How leaves of a body meet again.
struct its_meeting {
    // Where leaf f meets others next: a pc, or UINT32_MAX.
    uint32_t (*next)(const struct its *x, const struct its_leaf *f);
    // The current lanes, wherever they are, have come to where they meet others, or have not.
    void (*settle)(struct exec_warp *w);
    // No leaf can run: those go on that wait where they may give up. False: there are none.
    bool (*give_up)(struct exec_warp *w);
    // Lanes have ended: what waits for them waits no longer.
    void (*ended)(struct exec_warp *w);
    // Leaf i waits at a WARPSYNC behind which lanes of one mask run apart from others: it goes on, in
    // the same leaf as they, if all have come. NULL: there is no such instruction.
    bool (*gather)(struct exec_warp *w, uint32_t i);
    // A turn of a loop, which waits for other threads or does not, by the current lanes.
    void (*turn)(struct exec_warp *w, bool spins);
};

// A WARPSYNC whose lanes meet at whatever place, or one behind which they run apart.
static inline bool its_gathers(const struct xinst *x) {
    return x->op == OP_WARPSYNC && x->sub != MSYNC_MEET;
}
static inline bool its_meets_anywhere(const struct xinst *x) {
    return x->op == OP_WARPSYNC && x->sub == MSYNC_MEET;
}

void its_begin(struct exec_warp *w, struct its *x, const struct its_meeting *meeting);
void its_save(struct exec_warp *w);             // what the warp is to its current leaf
void its_take(struct exec_warp *w, uint32_t i); // leaf i becomes current
void its_add(struct exec_warp *w, uint32_t pc, uint32_t mask, int32_t node);
void its_drop(struct its *x, uint32_t i); // leaf i goes; the current one is some other, or none
// The current leaf waits or is gone: another becomes it. False: none can run; then the warp keeps
// the one that waited last.
bool its_next(struct exec_warp *w);
// Leaves of one place that can run become one; the current one goes on.
void its_rejoin(struct exec_warp *w);
// Another leaf goes on, if there is one.
void its_rotate(struct exec_warp *w);
// A turn of a loop: others may have theirs.
void its_turn(struct exec_warp *w, bool spins);
// The current lanes part; the first path goes on.
void its_spread(struct exec_warp *w, const struct paths *p, int32_t node);

// The handler of lanes that end.
enum exec_outcome its_leave(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                            uint32_t mask);

// The handler of what lanes do together, but for control flow; `takes_all`: the operation waits for
// all lanes. NULL: it waits for none.
exec_fn its_choose(const struct minst *m, struct xinst *x, bool takes_all);

// Of the port.
void its_release(struct exec_warp *w, uint32_t value);
bool its_wait(const struct exec_warp *w, uint32_t i, struct exec_wait *out);
void its_text(const struct exec_warp *w, char *text, size_t size);
uint32_t its_parked(const struct exec_warp *w, uint32_t *lanes);
struct converge_span its_span(const struct exec_warp *w);

// its_loops.c: marks loops that wait for other threads; for the race check the loads that such
// loops wait for (X_WAITS).
void its_mark(struct exec_launch *l);
void its_mark_loads(struct exec_launch *l);

#endif
