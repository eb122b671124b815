// The caches of an SM: one port for L1, constant, texture and instruction cache. See caches.c.
#ifndef WW_SM_CACHES_H
#define WW_SM_CACHES_H

#include "sm/sm_state.h"

// One access to a line of a cache.
struct cache_access {
    uint64_t cycle;
    uint64_t line;    // its address
    uint64_t words;   // that are wanted: bit a 4-byte word of the line
    uint32_t sectors; // that must be there: bit a sector of the line
    uint32_t lanes;   // bit a lane that it serves
    uint32_t place;   // what a look-up found: index of the line, or CACHE_NOWHERE
    uint8_t client;   // enum mem_client: which cache
    uint8_t hint;     // enum mem_hint
};

// Words of so many sectors.
static inline uint32_t caches_words(const struct sm_cache *c, uint32_t sectors) {
    return count_lanes(sectors) * (c->sector_bytes / 4);
}

// Tells listeners of the cache; answers the cycles that they add.
uint32_t caches_tell_slow(const struct caches *k, enum cache_what what,
                          const struct cache_access *a);
static inline uint32_t caches_tell(const struct caches *k, enum cache_what what,
                                   const struct cache_access *a) {
    const bool is_heard = k->tech->heard >> k->of[a->client].array & 1;
    return ww_likely(!is_heard) ? 0 : caches_tell_slow(k, what, a);
}

// Looks the line up and fills in its place. True: all sectors are there. Tells nothing: whether the
// access succeeds is known only when a miss has found room.
bool caches_read(const struct caches *k, struct cache_access *a);

enum miss_outcome { MISS_REFUSED /* no room: try again */, MISS_SENT, MISS_MERGED };
// Asks for what is not there and queues `waiter` for it; the request leaves in cycle `at`, or as
// much later as listeners say. MISS_MERGED: all of it had been asked for before.
enum miss_outcome caches_miss(struct caches *k, const struct cache_access *a, uint32_t waiter,
                              uint64_t at);
// The same without a waiter, and untold. False: no room.
bool caches_prefetch(struct caches *k, const struct cache_access *a, uint64_t at);
void caches_send(struct caches *k, uint64_t at, struct mem_request r);

// A line left its place, by a new line, a store or an atomic: tells it and, if `writes_back`, sends
// what is dirty.
void caches_line_left(struct caches *k, enum mem_client client, const struct cache_answer *r,
                      bool writes_back, uint64_t t);
// Drops the lines that technique x has lapse (arrays.h) by cycle t. True: there were some.
bool caches_lapse(struct caches *k, enum mem_client client, const struct sm_technique *x,
                  uint64_t t);
// Drops all lines in which nothing is dirty and for which nothing is on its way.
void caches_drop_clean(struct caches *k, enum mem_client client, uint64_t t);
// Dirty lines on their way out; false: some are left.
bool caches_drain(struct caches *k, uint64_t t);

// Sectors have come: puts them into their cache.
struct cache_came {
    const uint32_t *waiter; // those that have all of their sectors now; until the next fill
    uint32_t n;
    uint32_t extra; // cycles that listeners add
};
struct cache_came caches_fill(struct caches *k, const struct mem_reply *r, uint64_t t);
// Empties the cache in cycle t, writes nothing back.
void caches_flush(struct caches *k, enum mem_client client, uint64_t t);

#endif
