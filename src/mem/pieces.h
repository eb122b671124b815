// Pieces that SMs use too: tag arrays, miss-status holding registers, coalescing, passes of shared
// memory.
#ifndef WW_MEM_PIECES_H
#define WW_MEM_PIECES_H

#include "base/base.h"
#include "mem/config.h"
#include "mem/event.h"

// A tag array: presence and state of lines. `cache_*` in cache.c. Two ways to live with misses:
// allocate on fill (read misses, an MSHR remembers, cache_fill takes a victim), or allocate on miss
// (cache_reserve takes the victim at once; the line answers CACHE_PENDING until it is filled).
// `sectors` are bits within the line; a cache without sectors has bit 0 alone.
struct cache;
enum cache_result { CACHE_HIT, CACHE_MISS, CACHE_PENDING /* line is on its way */, CACHE_FULL };
// What every call answers.
struct cache_answer {
    uint64_t victim;      // address of the line that went, if `has_victim`
    uint32_t place;       // index of the line, below cache_lines; CACHE_NOWHERE: it has none. A
                          // victim's place is the new line's
    uint8_t result;       // enum cache_result
    uint8_t victim_dirty; // its dirty sectors
    bool has_victim;      // a line went (clean or dirty)
};
// NULL when memory is out or the shape is impossible (cache_config_wrong says why).
struct cache *cache_create(const struct cache_config *c);
void cache_destroy(struct cache *c);
// NULL, or a sentence that says why no such cache can be.
const char *cache_config_wrong(const struct cache_config *c);
// Looks up `sectors` (bit mask within the line) for a read: HIT (updates replacement state),
// PENDING (reserved) or MISS.
struct cache_answer cache_read(struct cache *c, uint64_t line_addr, uint32_t sectors);
// Sectors have come: they become valid, in a line of their own if there was none. HIT: the line was
// there; MISS: it took a place; FULL: every line of its set is reserved, the data passes by.
struct cache_answer cache_fill(struct cache *c, uint64_t line_addr, uint32_t sectors);
// A store, by the cache's policy: write_evict drops the line (HIT: it was there); write_back marks
// a present line dirty; write-through touches it. Never allocates: a write-allocate cache that
// answers MISS is given the line with cache_write_line.
struct cache_answer cache_write(struct cache *c, uint64_t line_addr, uint32_t sectors);
// The policies by name, for a cache that serves two (Fermi's L1: global evicts, local writes back).
// cache_write_line makes the sectors valid and dirty and allocates the line where it is absent:
// HIT, MISS (allocated) or FULL (every line of its set is reserved).
struct cache_answer cache_write_line(struct cache *c, uint64_t line_addr, uint32_t sectors);
// A store that goes through a cache which allocates on writes: the sectors that it writes whole are
// valid afterwards, nothing is dirty. HIT: the line was there; MISS: it took a place; FULL.
struct cache_answer cache_write_past(struct cache *c, uint64_t line_addr, uint32_t whole);
// Drops a line: HIT (it was there: it is the victim) or MISS.
struct cache_answer cache_evict_line(struct cache *c, uint64_t line_addr);
// Takes a line for a miss before its data comes: MISS (reserved), PENDING (was already), HIT, FULL.
struct cache_answer cache_reserve(struct cache *c, uint64_t line_addr);
void cache_invalidate(struct cache *c);
// From now on new lines take the first n ways of their set only (1 at least, all at most). What
// lies in the others stays until it is dropped or the cache is emptied.
void cache_open_ways(struct cache *c, uint32_t n);
uint32_t cache_lines(const struct cache *c);
// The place of a line, or CACHE_NOWHERE. Changes nothing.
uint32_t cache_place_of(const struct cache *c, uint64_t line_addr);
uint32_t cache_set_at(const struct cache *c, uint64_t line_addr);
// Sectors that are there at a place, or at CACHE_NOWHERE: none.
uint32_t cache_valid_at(const struct cache *c, uint32_t place);
// Empties a place, unless its data is on its way: HIT with the line that left it, else MISS.
struct cache_answer cache_drop(struct cache *c, uint32_t place);
bool cache_is_dirty(const struct cache *c, uint32_t place); // any sector of the line there
// Words of a line (bit a 4-byte word, from its start) and its sectors, each from the other: the
// sectors that hold any of the words; all words of the sectors.
uint32_t cache_sectors_of(const struct cache *c, uint64_t words);
uint64_t cache_words_of(const struct cache *c, uint32_t sectors);

// Miss-status holding registers with merging: the accesses that wait for a line. `mshr_*` in mshr.c.
struct mshr;
// A line has at most 16 sectors; waiters are numbers below UINT32_MAX.
struct mshr *mshr_create(uint32_t lines, uint32_t merge);
void mshr_destroy(struct mshr *m);
// Adds a waiter; answers the entry (>= 0), sets *is_new when a request must be sent; -1: full.
int32_t mshr_add(struct mshr *m, uint64_t line_addr, uint32_t sectors, uint32_t waiter,
                 bool *is_new);
// The same for sectored caches: *missing are the sectors that no access has asked for yet.
int32_t mshr_add_sectors(struct mshr *m, uint64_t line_addr, uint32_t sectors, uint32_t waiter,
                         uint32_t *missing);
// Asks for sectors without waiting for them (a prefetch).
int32_t mshr_expect(struct mshr *m, uint64_t line_addr, uint32_t sectors, uint32_t *missing);
// The line came: copies waiters to out (room for merge) and frees the entry.
uint32_t mshr_take(struct mshr *m, uint64_t line_addr, uint32_t *out);
// Some sectors came: copies the waiters that have all of theirs now; frees the entry when all came.
uint32_t mshr_fill(struct mshr *m, uint64_t line_addr, uint32_t sectors, uint32_t *out);
// The entry of a line, or -1; and how many more waiters it takes.
int32_t mshr_find(const struct mshr *m, uint64_t line_addr);
bool mshr_has_room(const struct mshr *m, uint64_t line_addr);
// The same, and the sectors asked for so far.
bool mshr_has_room_for(const struct mshr *m, uint64_t line_addr, uint32_t *requested);
uint32_t mshr_used(const struct mshr *m);
uint32_t mshr_requested(const struct mshr *m, uint64_t line_addr); // sectors asked for so far
void mshr_clear(struct mshr *m);

// Coalescing of one warp access to global memory. `coalesce_*` in coalesce.c.
struct transaction {
    uint64_t addr;    // aligned to its size (line or segment)
    uint64_t touched; // 4-byte words from addr on that are covered at least in part
    uint32_t lanes;   // mask of the lanes it serves
    uint32_t words;   // 4-byte words of the 128-byte line that are wholly covered
    uint16_t bytes;   // 32, 64 or 128: transfer size
    uint8_t sectors;  // 32-byte sectors of the 128-byte line that are touched
    uint8_t full_sectors; // sectors wholly written (stores)
    bool is_remote;       // to shared memory of SM `addr`; the network carries `words` bytes there and
                          // `touched` back
    uint8_t passes;       // through the banks there
};
// `bytes` a lane (1, 2, 4, 8 or 16, address aligned to it); out has room for 64 transactions, 2 a
// lane; answers how many, in the order of the first lane that each serves.
uint32_t coalesce(enum coalesce_kind kind, const uint64_t *addr, uint32_t mask, uint32_t bytes,
                  struct transaction out[64]);
// Cycles that a shared-memory access takes: 1 + conflicts. `banks` of `bank_bytes`; `lanes_a_pass`:
// 16 (half-warp, Tesla) or 32. Broadcast of the same word is free; Tesla broadcasts one word a
// pass.
uint32_t shared_passes(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t banks,
                       uint32_t bank_bytes, uint32_t lanes_a_pass, bool one_broadcast);
// The same with all that a generation may differ in.
struct shared_shape {
    uint32_t banks, bank_bytes, lanes_a_pass;
    bool one_broadcast;
    uint32_t wide_extra; // passes added to each half-warp of a 128-bit access (Fermi: 1, measured
                         // 2.64 accesses a hot clock on GTX 480; others: 0)
    bool pairs; // a wide load whose lanes come in pairs of one address fills its passes twice over
};
// Different places of `bytes` (a power of two, to which they are aligned) that the lanes want.
uint32_t shared_places(const uint64_t *addr, uint32_t mask, uint32_t bytes);
// The same; `*span`: places from the lowest to the highest, or UINT32_MAX when they lie far apart.
uint32_t shared_spread(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t *span);
uint32_t shared_access_passes(const struct shared_shape *s, const uint64_t *addr, uint32_t mask,
                              uint32_t bytes);

#endif
