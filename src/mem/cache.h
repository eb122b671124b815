// The inside of a tag array, for the L2 slice, which keeps more state a line than SMs need.
#ifndef WW_MEM_CACHE_H
#define WW_MEM_CACHE_H

#include <assert.h>

#include "base/fastdiv.h"
#include "mem/config.h"
#include "mem/pieces.h"

#define CACHE_NO_TAG UINT64_MAX

// A set of 8 ways has its tags in one line of the host's cache and its state in another.
struct cache_line {
    uint32_t stamp;       // of its last use; larger is younger
    uint8_t valid, dirty; // bit a sector
    bool reserved;        // its data is on its way
    bool mark : 1;        // the owner's; cleared when the line is replaced
    uint8_t rank : 2;     // enum cache_rank, in the same way
};
static_assert(sizeof(struct cache_line) == 8, "eight lines are a line of the host's cache");
// Which lines of a set go before others.
enum cache_rank { CACHE_RANK_NORMAL, CACHE_RANK_FIRST, CACHE_RANK_LAST };

struct cache {
    uint32_t sets, ways, lines;
    uint32_t open; // ways of a set that new lines may take: the first ones
    uint32_t line_shift, sector_shift;
    uint32_t all;      // mask of a line's sectors
    uint32_t set_mask; // of as many bits as an index has
    uint8_t fold[6];   // shifts that fold a line number into a set index
    bool sets_pow2, hashed, lru, even_random, write_back, write_evict;
    bool has_ranks; // some line had another rank than the normal one
    uint32_t last_ways; // lines of a set that may go last
    struct fastdiv set_div;
    uint32_t clock;  // counts uses
    uint32_t random; // state of the fixed sequence
    uint64_t *tag;   // [set * ways + way]: line number, or CACHE_NO_TAG
    struct cache_line *line;
    struct cache_index *index; // where lines are, of a cache whose sets have many ways; or NULL
};

// A hash table with chains, from a line number to its place: one or two tags are looked at for all
// the ways of a set. Places are counted from 1, 0 is none.
struct cache_index {
    uint32_t shift;   // of a hashed line number, to a bucket
    uint32_t words;   // of `empty`, a set
    uint16_t *bucket; // first place of its lines
    uint16_t *next;   // [place]
    uint64_t *empty;  // [set * words]: bit a way without a line; LRU needs none
};
// The line in a place comes into the index, and leaves it.
void cache_index_add(struct cache *c, uint32_t at);
void cache_index_remove(struct cache *c, uint32_t at);

static inline uint32_t cache_bucket_of(const struct cache_index *x, uint64_t number) {
    return (uint32_t)(number * UINT64_C(0x9E3779B97F4A7C15) >>
                      x->shift); // 2^64 by the golden ratio
}

static inline uint32_t cache_set_of(const struct cache *c, uint64_t number) {
    if (c->hashed) {
        // Xor of all chunks as wide as the index: folding by halves adds chunk i + 2^k to chunk i.
        // A shift of 63 stands for one that is not needed (line numbers are below 2^63).
        for (uint32_t i = 0; i < 6; i++) number ^= number >> c->fold[i];
        number &= c->set_mask;
    }
    if (c->sets_pow2) return (uint32_t)number & c->set_mask;
    return (uint32_t)(number - fastdiv_quotient(&c->set_div, number) * c->sets);
}

static inline uint32_t cache_find_indexed(const struct cache *c, uint64_t number) {
    const struct cache_index *const x = c->index;
    uint32_t at = x->bucket[cache_bucket_of(x, number)];
    while (at != 0 && c->tag[at - 1] != number) at = x->next[at - 1];
    return at == 0 ? CACHE_NOWHERE : at - 1;
}

// Index of the line, or CACHE_NOWHERE, in the set whose first way is given. Looks at all ways, when
// they are few: a loop that ends early is mispredicted.
static inline uint32_t cache_find_in(const struct cache *c, uint32_t first, uint64_t number) {
    if (c->index) return cache_find_indexed(c, number);
    const uint64_t *tag = c->tag + first;
    uint32_t at = CACHE_NOWHERE;
    for (uint32_t w = 0; w < c->ways; w++) at = tag[w] == number ? first + w : at;
    return at;
}
static inline uint32_t cache_find(const struct cache *c, uint64_t number) {
    if (c->index) return cache_find_indexed(c, number);
    return cache_find_in(c, cache_set_of(c, number) * c->ways, number);
}

// What a look-up of the line will touch is on its way into the host's cache.
static inline void cache_foresee(const struct cache *c, uint64_t number) {
    if (c->index) __builtin_prefetch(&c->index->bucket[cache_bucket_of(c->index, number)]);
    const uint32_t first = cache_set_of(c, number) * c->ways;
    __builtin_prefetch(&c->tag[first]);
    __builtin_prefetch(&c->tag[first + c->ways / 2]);
    __builtin_prefetch(&c->line[first], 1);
    __builtin_prefetch(&c->line[first + c->ways / 2], 1);
}

void cache_age(struct cache *c); // makes room for more stamps
static inline void cache_touch(struct cache *c, uint32_t i) {
    if (ww_unlikely(++c->clock == UINT32_MAX)) cache_age(c);
    c->line[i].stamp = c->clock;
}

// The way of a set that a new line takes: an empty one, else the victim of the replacement policy;
// CACHE_NOWHERE when all are reserved.
uint32_t cache_random_victim(struct cache *c, uint32_t first);
uint32_t cache_victim_indexed(struct cache *c, uint32_t first); // without LRU
uint32_t cache_victim_ranked(struct cache *c, uint32_t first);
// The line in a place, of the set that begins at `first`, gets a rank. Of a set at most last_ways go
// last: the oldest of those beyond becomes normal.
void cache_rank(struct cache *c, uint32_t first, uint32_t at, enum cache_rank rank);
void cache_reset_ranks(struct cache *c); // lines that go last are normal
static inline uint32_t cache_victim_in(struct cache *c, uint32_t first) {
    if (ww_unlikely(c->has_ranks)) return cache_victim_ranked(c, first);
    if (c->index && !c->lru) return cache_victim_indexed(c, first);
    // Empty ways have stamp 0 and so are the oldest; the least stamp is found without branches.
    uint32_t least = UINT32_MAX, at = CACHE_NOWHERE;
    for (uint32_t i = first; i < first + c->open; i++) {
        const struct cache_line *l = &c->line[i];
        const uint32_t age = l->stamp | (l->reserved ? UINT32_MAX : 0);
        at = age < least ? i : at;
        least = age < least ? age : least;
    }
    if (!c->lru && at != CACHE_NOWHERE && c->tag[at] != CACHE_NO_TAG)
        return cache_random_victim(c, first);
    return at;
}

// Puts a line into the place of a victim (CACHE_NOWHERE: there is none): MISS with the place and
// what had to go, or FULL. The new line is neither valid nor dirty.
static inline struct cache_answer cache_place_at(struct cache *c, uint32_t at, uint64_t number) {
    if (at == CACHE_NOWHERE) return (struct cache_answer){.place = at, .result = CACHE_FULL};
    const bool goes = c->tag[at] != CACHE_NO_TAG;
    const struct cache_answer a = {.victim = goes ? c->tag[at] << c->line_shift : 0,
                                   .place = at,
                                   .result = CACHE_MISS,
                                   .victim_dirty = goes ? c->line[at].dirty : 0,
                                   .has_victim = goes};
    if (c->index && goes) cache_index_remove(c, at);
    c->tag[at] = number;
    if (c->index) cache_index_add(c, at);
    c->line[at] = (struct cache_line){0};
    cache_touch(c, at);
    return a;
}

#endif
