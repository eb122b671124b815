// A sub-core: warps, the schedulers that choose among them, and all that an instruction needs up to
// its pipeline. Sub-core i of n holds warp slots and schedulers i, i + n, i + 2n, ..., and an equal
// part of lane groups, SFUs, DP units, collectors, register banks, result buses and fetches.
// Sub-cores share the load/store and texture units, a lone DP unit, the caches and nothing else.
// Chips up to Kepler have one sub-core an SM, later ones four (sm.sub_cores).
#ifndef WW_SM_SUB_CORE_H
#define WW_SM_SUB_CORE_H

#include "base/fastdiv.h"
#include "sm/issue.h"
#include "sm/view.h"

// ---- the front end (front.c) --------------------------------------------------------------------
// The sub-core's own instruction cache, in front of the SM's (front.c).
enum { L0_KNOWN = 16 }; // a power of two
struct l0_cache {
    struct cache *tags; // NULL: there is none
    struct l0_line {
        uint64_t ready;             // cycle from which on it can be read
        bool is_ahead;              // no fetch has asked for it yet
    } * line;                       // [place]
    uint64_t known[L0_KNOWN];       // lines that are there and ready, by number; all bits: none
    uint64_t late;                  // warps that an event wakes when their line is ready
    uint64_t came;                  // warps whose line was ready since they last asked
    uint64_t awaited[SM_MAX_WARPS]; // the line of a warp in either
};
struct front {
    uint64_t want;       // warps that have room for a fetch
    uint64_t fetching;   // warps that wait for one before they want another
    uint64_t held;       // could not ask for their line: again when something came back
    uint64_t decoded_at; // the newest of its fetches on their way is decoded
    uint32_t last;       // warp that was fetched for last
    uint32_t width;      // fetches a cycle
    uint32_t room;       // free entries of a buffer that make a warp fetch
    struct l0_cache l0;
};

// ---- collectors, register banks, result bus (collect.h) -----------------------------------------
struct collectors {
    // Counts of collectors are a byte a pool, so that one word has them all.
    uint32_t used, bias; // used: as of cycle `swept`; bias: 128 less the pool's size
    uint32_t free[256];  // that become free, by cycle
    uint64_t swept;      // cycle up to which they have
    uint32_t of[UNIT_N]; // one collector of the pool that the instructions of a unit take from
    uint32_t ahead;      // cycles before an instruction enters in which its collector is free
    uint32_t ports;      // accesses that a bank serves a cycle
    struct fastdiv by_ports;
    uint32_t read_latency; // issue to the first read
    uint32_t result_bus;   // rows that it carries a cycle
    uint32_t bus_used;     // in bus_cycle
    uint64_t bus_cycle;
    uint64_t bank_next[ACT_MAX_BANKS];        // next free read or write slot, by bank of the SM
    uint8_t bank_of[MAX_GPRS + SM_MAX_WARPS]; // by register plus the warp's number
    // Cycles that row i of an instruction asks for its bank later.
    uint8_t read_after[sizeof(((struct sm_inst *)0)->src) + 1];
    // The operand cache: by bank and place a warp's row, numbered from 1; 0: none.
    uint16_t kept[ACT_MAX_BANKS][CONTROL_REUSE_SLOTS];
    uint64_t write_next[ACT_MAX_BANKS]; // with it banks have a port for writes of their own
    uint64_t reuse_hits, reuse_lanes;
    // Counted: accesses by bank of the SM, cycles that they waited for banks and for the bus.
    uint64_t reads[ACT_MAX_BANKS], writes[ACT_MAX_BANKS], conflicts, bus_conflicts;
};

// ---- instructions on their way to a lane group (entry.c) ---------------------------------------
// In collectors, waiting for one, in front of the lane groups.
enum {
    ENTRY_AHEAD_MAX = 2,
    ENTRY_MAX = SM_MAX_COLLECTORS + SM_MAX_COLLECTOR_QUEUE + SM_MAX_LANE_GROUPS
};
struct entry {
    struct issue i;
    uint64_t from; // it may enter, or move in front of the lane groups, from this cycle on
    bool is_in_front;
};

// ---- execution units (units.h) ------------------------------------------------------------------
struct units {
    uint64_t free_at[UNIT_N];         // earliest free_at of a unit's pipes
    uint64_t on_free_at[UNIT_N];      // ... of those that are on (gate.h); NEVER: none
    uint8_t first[UNIT_N], n[UNIT_N]; // pipes, by unit
    uint64_t pipes[UNIT_N];           // the same as a bit mask
    uint32_t busy; // units whose free_at may lie ahead; INT, FP and LD/ST: always looked at
    // Of a unit's pipes, counted from its first: those that an instruction tries before the others;
    // of two, the one that it tries first.
    uint32_t ahead[UNIT_N], lead[UNIT_N];
};

// ---- on the way to the load/store unit ----------------------------------------------------------
// A sub-core computes addresses for one instruction in memory_interval cycles; some more wait behind
// it, and when all places are taken none issues (R. Huerta et al., "Analyzing modern NVIDIA GPU
// cores", 2025: five issue one behind the other, later ones four cycles apart).
struct memory_way {
    uint64_t start[SM_MAX_MEMORY_QUEUE]; // when the last `queue` instructions began
    uint32_t at;                         // the oldest of them
    uint64_t free_at;                    // the next one may begin
};

struct sub_core {
    uint64_t warps; // its warp slots
    struct memory_way memory;
    struct units units;
    struct front front;
    struct collectors collectors;
    // This cycle:
    uint32_t issues; // schedulers that issued
    uint32_t late;   // cycles by which banks held up what issued, and what may issue next
    bool dp;         // a double-precision instruction issued
    uint64_t taken;  // shared_warps: warps that issued
    uint64_t paid;   // of what products of warp groups owe (shared_port.h), what its own have been longer
    // ACT_lane_on_cycles up to cycle t is the sum of both, the second times t.
    uint64_t lanes_on_area, lanes_on;
    // Instructions on their way to a lane group, the oldest first.
    uint32_t n_entries;
    struct entry entry[ENTRY_MAX];
};

// The cycle from which on another instruction finds a place there.
static inline uint64_t memory_way_room(const struct sub_core *sub) {
    return sub->memory.start[sub->memory.at];
}
// An instruction whose operands are there in cycle `ready` takes a place; answers when its addresses
// are begun.
static inline uint64_t memory_way_take(struct memory_way *m, uint32_t queue, uint32_t interval,
                                       uint64_t ready) {
    const uint64_t start = max64(ready, m->free_at);
    m->free_at = start + interval;
    m->start[m->at] = start;
    if (++m->at == queue) m->at = 0;
    return start;
}

// From cycle t on so many lanes have work.
static inline void sub_lanes_on(struct sub_core *sub, uint32_t lanes, uint64_t t) {
    const uint64_t more = lanes - (lanes != 0);
    sub->lanes_on_area += (sub->lanes_on - more) * t;
    sub->lanes_on = more;
}

#endif
