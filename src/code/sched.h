// What scheduling knows of a stretch of a block: its units, the order that they must keep among
// themselves and the values that they use. opt_sched.c says how it goes on from there.
#ifndef WW_CODE_SCHED_H
#define WW_CODE_SCHED_H

#include "code/edit.h"
#include "code/live.h"

// An operation with its fillers.
struct sched_unit {
    uint32_t first, n; // instructions
    uint32_t waits;    // edges that lead to it
    int32_t succ;      // first edge
    uint32_t height;
    uint32_t use, n_uses; // of values
};
// What a slot holds from one write of it to the next: a slot is free between a value's last read
// and the next value's write.
struct sched_value {
    uint32_t slot;
    uint32_t readers; // units of the region that read it
    bool is_word;     // of a register, not a predicate
    bool enters;      // live at the region's start
    bool stays;       // live at its end
};
struct sched_use {
    uint32_t value;
    bool reads, writes;
    bool starts; // writes it first
};
struct sched_edge {
    uint32_t to, latency;
    int32_t next;
};

struct sched_graph {
    struct mfunc *f;
    struct arena *arena;
    const struct live *live;
    VEC(struct sched_unit) unit;
    VEC(struct sched_edge) edge;
    VEC(struct sched_value) value;
    VEC(struct sched_use) use;
    bool *live_after;          // a slot: live behind the region
    struct live_pressure most; // in use at once in the order that the code has
    // while it is built; of a slot, valid when stamp == epoch
    uint32_t *stamp, epoch;
    int32_t *writer;               // last unit that wrote the slot
    int32_t *readers;              // list of units that read it since
    uint32_t *holds;               // its value
    const struct slot_set *enters; // what is live at the region's start
    VEC(struct sched_reader {
        uint32_t unit;
        int32_t next;
    })
    reader;
    // accesses of memory since the last one that stands between all others, and that one
    VEC(uint32_t) loads;
    VEC(uint32_t) stores;
    int32_t last_between, last_convergent;
};

void sched_graph_init(struct sched_graph *g, struct mfunc *f, struct arena *a,
                      const struct live *l);
// Gathers the units of a block that end before `end`, backwards to what must stay where it is, to
// the block's start or to `most` of them. Answers where they begin; g->unit holds them in order.
uint32_t sched_gather(struct sched_graph *g, uint32_t block_first, uint32_t end, uint32_t most);
// Skips back from `end` over what must stay, keeping `now` up to date. Answers where that begins.
uint32_t sched_skip_walls(const struct sched_graph *g, uint32_t block_first, uint32_t end,
                          struct slot_set *now);
// Steps `now`, what is live behind the units over instructions [first, end), back to their start;
// then makes edges and values.
void sched_build(struct sched_graph *g, uint32_t first, uint32_t end, struct slot_set *now);
// The units' longest chains of latencies to the end.
void sched_heights(struct sched_graph *g);
// Puts the instructions from `first` on into the order of units that `order` holds.
void sched_rearrange(struct sched_graph *g, uint32_t first, const uint32_t *order);

// sched_press.c: puts the units' numbers into `order` so that few words are in use at once,
// whatever that does to latencies; answers how many.
uint32_t sched_few_words(const struct sched_graph *g, uint32_t *order);

#endif
