// The inside of a tag array, for the L2 slice, which keeps more state a line than SMs need.
#ifndef WW_MEM_CACHE_H
#define WW_MEM_CACHE_H

#include "mem/fastdiv.h"
#include "mem/mem.h"

#define CACHE_NO_TAG UINT64_MAX
#define CACHE_NONE   UINT32_MAX

struct cache_line {
    uint64_t stamp;        // of its last use; larger is younger
    uint32_t valid, dirty; // bit a sector
};

struct cache {
    uint32_t sets, ways, lines;
    uint32_t line_shift;
    uint32_t all; // mask of a line's sectors
    uint32_t set_bits;
    uint32_t last;
    bool sets_pow2, hashed, lru, write_back, write_evict;
    struct fastdiv set_div;
    uint64_t clock;  // counts uses
    uint32_t random; // state of the fixed sequence
    uint64_t *tag;   // [set * ways + way]: line number, or CACHE_NO_TAG
    struct cache_line *line;
    uint8_t *reserved; // 1: its data is on its way
};

static inline uint32_t cache_set_of(const struct cache *c, uint64_t number) {
    if (c->hashed) {
        // Xor of all chunks of set_bits bits: folding by halves adds chunk i + 2^k to chunk i.
        for (uint32_t s = 32; s >= 1; s >>= 1)
            if (c->set_bits * s < 64) number ^= number >> (c->set_bits * s);
    }
    if (c->sets_pow2) return (uint32_t)number & (c->sets - 1);
    return (uint32_t)(number - fastdiv_quotient(&c->set_div, number) * c->sets);
}

// Index of the line, or CACHE_NONE.
static inline uint32_t cache_find(const struct cache *c, uint64_t number) {
    const uint32_t first = cache_set_of(c, number) * c->ways;
    const uint64_t *tag = c->tag + first;
    for (uint32_t w = 0; w < c->ways; w++)
        if (tag[w] == number) return first + w;
    return CACHE_NONE;
}

static inline void cache_touch(struct cache *c, uint32_t i) { c->line[i].stamp = ++c->clock; }

// Takes a place for the line in its set: an empty one, else the victim of the replacement policy;
// CACHE_NONE when all are reserved. The new line is neither valid nor dirty.
uint32_t cache_place(struct cache *c, uint64_t number, struct cache_victim *v);

#endif
