// What happens to the lines of a cache, told to listeners: techniques (drowsy lines, divided word
// lines, decay) and meters. One event serves every cache of the chip, and shared memory. A cache
// without a listener makes no events, nor does one that the GPU does not have.
//
// An access is told once, in the cycle in which it succeeds: one that finds no miss register or no
// room in a queue tries again and is not told before. An SM's prefetches look into the tags of its
// caches untold; the line that they bring is told when it comes.
#ifndef WW_MEM_EVENT_H
#define WW_MEM_EVENT_H

#include "base/base.h"

enum mem_client { CLIENT_L1D, CLIENT_CONST, CLIENT_TEX, CLIENT_INST, CLIENT_N };
// The arrays of an SM have the number of their client. ARRAY_SHARED has no lines and no places.
enum mem_array {
    ARRAY_L1D = CLIENT_L1D,
    ARRAY_CONST = CLIENT_CONST,
    ARRAY_TEX = CLIENT_TEX,
    ARRAY_INST = CLIENT_INST,
    ARRAY_SHARED,
    ARRAY_L2,
    MEM_ARRAYS
};

// What happened. Extra cycles that a listener answers count where the list says so.
enum cache_what {
    CACHE_READ_HIT,   // the data comes so much later
    CACHE_READ_MISS,  // the request to the next level leaves so much later (L2: at once)
    CACHE_READ_MERGE, // what is missing was asked for before; no extra cycles
    CACHE_WRITE_HIT,  // L2: the acknowledgement comes so much later. An atomic operation in L2 that
                      // finds its sectors is told as this
    CACHE_WRITE_MISS, // the same; the line has a place if the cache allocates on writes
    CACHE_FILL,  // sectors come from the next level: the accesses that wait go on so much later
                 // (instructions and constant operands look again: told as a hit)
    CACHE_EVICT, // a line goes: a new one takes its place, a store or atomic drops it, or a
                 // listener has it lapse; no extra cycles
    CACHE_FLUSH, // all lines go, nothing is written back; no extra cycles
    CACHE_WHATS
};

#define CACHE_NOWHERE UINT32_MAX // the place of a line that is not there

struct cache_event {
    uint64_t cycle; // of the cache's own clock
    uint64_t addr;  // of the line; L2: within the slice; 0 for shared memory and CACHE_FLUSH
    uint64_t words; // bit a 4-byte word of the line. Accesses: words that active lanes want or
                    // write at least in part (of a warp's, of a fetch's; shared memory: 0);
                    // CACHE_FILL: words that come; CACHE_EVICT: words that are written back
    uint32_t place;  // index of the line, below cache_lines; CACHE_NOWHERE: it has none
    uint32_t lanes;  // bit a lane that asked for it; 0 for instructions, fills, evictions, flushes
    uint32_t set;    // that the access looks into; 0 where there is none: shared memory, CACHE_FLUSH
    uint32_t slice;  // L2: of all slices; else 0
    uint8_t sectors; // bit a sector of the line, as `words`
    uint8_t what;    // enum cache_what
    uint8_t array;   // enum mem_array
    uint8_t client;  // enum mem_client; L2: whose access it is; shared memory: CLIENT_L1D
    bool is_atomic;  // L2: the access reads and writes
    uint8_t lane_bytes;        // shared memory: that each lane accesses
    const uint64_t *lane_addr; // shared memory: where, in that of its SM; NULL: caches
};

struct cache_listener {
    void *self;
    // Answers extra cycles, of the cache's clock.
    uint32_t (*hear)(void *self, const struct cache_event *e);
    // NULL, or the cycle from which on a line is to be dropped (what is dirty is written back) if
    // nothing accesses it before: a whole number of lapse_cycles. The cache asks when these are over,
    // and tells the line's CACHE_EVICT in the cycle that was answered. A dirty line for which the
    // way down has no room stays, and is asked for again.
    uint64_t (*lapses_at)(void *self, enum mem_array array, uint32_t slice, uint32_t place);
    uint32_t lapse_cycles;
};

#endif
