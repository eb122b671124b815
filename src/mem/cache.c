// Tag arrays: presence, sectors, dirtiness and replacement of lines; no data. All state lies in
// flat arrays made at creation. Set index: low bits of the line number, or the xor of all its
// chunks of that width ("hashed"); any number of sets is possible, a power of two is faster.
//
// Replacement is exact LRU, or a fixed pseudo-random sequence in which one way of a set is taken
// half of the time and the others share the rest: what Mei & Chu (TPDS 2017) measured on Fermi's
// L1 (4 ways: 1/2 for one way, 1/6 for each other). With `even_random` the sequence takes every way
// as often. Empty ways go first; reserved ones never.
#include "mem/cache.h"

enum {
    CACHE_MAX_SECTORS = 8,  // bits in a sector mask
    CACHE_MAX_LINE = 256,   // bytes: a bit a 4-byte word in a mask of 64
    CACHE_MAX_WAYS = 1024,  // of a set
    CACHE_SCANNED_WAYS = 16 // sets of more ways are not scanned for a line: see cache_index
};
// Start of the fixed sequence; any odd number does (xorshift32 must not start at 0).
#define CACHE_SEED 0x2545F491u

const char *cache_config_wrong(const struct cache_config *c) {
    const uint32_t sector = c->sector_bytes ? c->sector_bytes : c->line_bytes;
    if (!bits_is_pow2(c->line_bytes) || c->line_bytes > CACHE_MAX_LINE)
        return "line_bytes must be a power of two up to 256";
    if (!bits_is_pow2(sector) || sector < 4 || sector > c->line_bytes)
        return "sector_bytes must be a power of two from 4 to line_bytes";
    if (c->line_bytes / sector > CACHE_MAX_SECTORS) return "a line has more than 8 sectors";
    if (c->ways == 0) return "ways must not be 0";
    if (c->ways > CACHE_MAX_WAYS) return "more than 1024 ways";
    if (c->bytes == 0 || c->bytes % (c->line_bytes * c->ways))
        return "bytes must be a multiple of line_bytes times ways";
    if (c->write_back && c->write_evict) return "write_back and write_evict exclude each other";
    return NULL;
}

// ---- the index ------------------------------------------------------------------------------
static struct cache_index *index_create(const struct cache *c) {
    struct cache_index *const x = ww_alloc_aligned(sizeof *x);
    if (!x) return NULL;
    const uint32_t bits = bits_last32(c->lines) + 1; // one or two buckets a line
    x->shift = 64 - bits;
    x->words = (c->ways + 63) / 64;
    x->bucket = ww_alloc_aligned(((size_t)1 << bits) * sizeof *x->bucket);
    x->next = ww_alloc_aligned(c->lines * sizeof *x->next);
    if (!c->lru) x->empty = ww_alloc_aligned((size_t)c->sets * x->words * sizeof *x->empty);
    return x;
}

static void index_destroy(struct cache_index *x) {
    if (!x) return;
    ww_free_aligned(x->bucket);
    ww_free_aligned(x->next);
    ww_free_aligned(x->empty);
    ww_free_aligned(x);
}

static void index_clear(struct cache *c) {
    struct cache_index *const x = c->index;
    memset(x->bucket, 0, ((size_t)1 << (64 - x->shift)) * sizeof *x->bucket);
    for (uint32_t i = 0; x->empty && i < c->sets * x->words; i++) {
        const uint32_t left = c->ways - i % x->words * 64;
        x->empty[i] = left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
    }
}

static void mark_empty(struct cache *c, uint32_t at, bool is_empty) {
    if (!c->index->empty) return;
    const uint32_t set = at / c->ways, way = at - set * c->ways;
    uint64_t *const word = &c->index->empty[set * c->index->words + way / 64];
    *word = (*word & ~(UINT64_C(1) << way % 64)) | (uint64_t)is_empty << way % 64;
}

void cache_index_add(struct cache *c, uint32_t at) {
    struct cache_index *const x = c->index;
    uint16_t *const bucket = &x->bucket[cache_bucket_of(x, c->tag[at])];
    x->next[at] = *bucket;
    *bucket = (uint16_t)(at + 1);
    mark_empty(c, at, false);
}

void cache_index_remove(struct cache *c, uint32_t at) {
    struct cache_index *const x = c->index;
    uint16_t *from = &x->bucket[cache_bucket_of(x, c->tag[at])];
    while (*from != at + 1) from = &x->next[*from - 1];
    *from = x->next[at];
    mark_empty(c, at, true);
}

static void forget(struct cache *c, uint32_t at) {
    if (c->index) cache_index_remove(c, at);
    c->tag[at] = CACHE_NO_TAG;
}

// ---- life -----------------------------------------------------------------------------------
struct cache *cache_create(const struct cache_config *c) {
    if (cache_config_wrong(c)) return NULL;
    struct cache *k = ww_alloc_aligned(sizeof *k);
    if (!k) return NULL;
    const uint32_t sector = c->sector_bytes ? c->sector_bytes : c->line_bytes;
    const uint32_t sectors = c->line_bytes / sector;
    k->ways = k->open = c->ways;
    k->sets = c->bytes / c->line_bytes / c->ways;
    k->lines = k->sets * k->ways;
    k->last_ways = k->ways;
    k->line_shift = bits_first32(c->line_bytes);
    k->sector_shift = bits_first32(sector);
    k->all = (1u << sectors) - 1;
    k->sets_pow2 = bits_is_pow2(k->sets);
    const uint32_t bits = k->sets > 1 ? bits_last32(k->sets - 1) + 1 : 1;
    k->set_mask = k->sets > 1 ? (uint32_t)((UINT64_C(1) << bits) - 1) : 0;
    for (uint32_t i = 0; i < 6; i++) {
        const uint32_t shift = bits << (5 - i);
        k->fold[i] = (uint8_t)(shift < 64 ? shift : 63);
    }
    k->hashed = c->hashed_sets;
    k->lru = c->lru;
    k->even_random = c->even_random;
    k->write_back = c->write_back;
    k->write_evict = c->write_evict;
    k->set_div = fastdiv_of(k->sets);
    k->tag = ww_alloc_aligned(k->lines * sizeof *k->tag);
    k->line = ww_alloc_aligned(k->lines * sizeof *k->line);
    const bool is_indexed = k->ways > CACHE_SCANNED_WAYS && k->lines < UINT16_MAX;
    if (is_indexed) k->index = index_create(k);
    const struct cache_index *const x = k->index;
    if (!k->tag || !k->line ||
        (is_indexed && (!x || !x->bucket || !x->next || !(x->empty || k->lru)))) {
        cache_destroy(k);
        return NULL;
    }
    cache_invalidate(k);
    return k;
}

void cache_destroy(struct cache *c) {
    if (!c) return;
    ww_free_aligned(c->tag);
    ww_free_aligned(c->line);
    index_destroy(c->index);
    ww_free_aligned(c);
}

void cache_invalidate(struct cache *c) {
    for (uint32_t i = 0; i < c->lines; i++) c->tag[i] = CACHE_NO_TAG;
    memset(c->line, 0, c->lines * sizeof *c->line);
    if (c->index) index_clear(c);
    c->clock = 0;
    c->has_ranks = false;
    c->random = CACHE_SEED;
}

void cache_open_ways(struct cache *c, uint32_t n) {
    c->open = n == 0 ? 1 : n < c->ways ? n : c->ways;
}

// Stamps have run out: every set keeps its order, numbered from 1.
void cache_age(struct cache *c) {
    for (uint32_t first = 0; first < c->lines; first += c->ways) {
        uint32_t below = 0;
        for (uint32_t n = 1; n <= c->ways; n++) {
            uint32_t next = UINT32_MAX;
            for (uint32_t w = 0; w < c->ways; w++) {
                const uint32_t s = c->line[first + w].stamp;
                if (s > below && s < next) next = s;
            }
            for (uint32_t w = 0; w < c->ways; w++)
                if (c->line[first + w].stamp == next) c->line[first + w].stamp = n;
            below = next;
        }
    }
    c->clock = c->ways + 1;
}

static uint32_t next_random(struct cache *c) {
    uint32_t x = c->random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return c->random = x;
}

// The way that the fixed sequence names: any, or the middle one half of the time.
static uint32_t random_way(struct cache *c) {
    const uint32_t r = next_random(c), favourite = c->open / 2;
    if (c->even_random) return (uint32_t)((uint64_t)r * c->open >> 32);
    if (c->open == 1 || (r & 1)) return favourite;
    const uint32_t other = (r >> 1) % (c->open - 1);
    return other + (other >= favourite);
}

// The sequence moves on only when a way is taken.
uint32_t cache_random_victim(struct cache *c, uint32_t first) {
    const uint32_t before = c->random, start = random_way(c);
    for (uint32_t k = 0; k < c->open; k++) {
        const uint32_t at = first + (start + k) % c->open;
        if (!c->line[at].reserved) return at;
    }
    c->random = before;
    return CACHE_NOWHERE;
}

uint32_t cache_victim_indexed(struct cache *c, uint32_t first) {
    const struct cache_index *const x = c->index;
    const uint64_t *const empty = &x->empty[first / c->ways * x->words];
    for (uint32_t w = 0; w < x->words && w * 64 < c->open; w++) {
        const uint32_t left = c->open - w * 64;
        const uint64_t open = left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
        if (empty[w] & open) return first + w * 64 + bits_first64(empty[w] & open);
    }
    return cache_random_victim(c, first);
}

// ---- ranks ----------------------------------------------------------------------------------
// The oldest line of a rank that is not reserved, or CACHE_NOWHERE.
static uint32_t oldest_of(const struct cache *c, uint32_t first, enum cache_rank rank) {
    uint32_t least = UINT32_MAX, at = CACHE_NOWHERE;
    for (uint32_t i = first; i < first + c->open; i++) {
        const struct cache_line *const l = &c->line[i];
        if (l->rank != rank || l->reserved || l->stamp >= least) continue;
        least = l->stamp;
        at = i;
    }
    return at;
}

// An empty way, the oldest line that goes first, a normal one by the policy, the oldest that goes last.
uint32_t cache_victim_ranked(struct cache *c, uint32_t first) {
    for (uint32_t i = first; i < first + c->open; i++)
        if (c->tag[i] == CACHE_NO_TAG && !c->line[i].reserved) return i;
    uint32_t at = oldest_of(c, first, CACHE_RANK_FIRST);
    if (at == CACHE_NOWHERE) at = oldest_of(c, first, CACHE_RANK_NORMAL);
    if (at == CACHE_NOWHERE) return oldest_of(c, first, CACHE_RANK_LAST);
    if (c->lru || c->line[at].rank == CACHE_RANK_FIRST) return at;
    const uint32_t start = random_way(c);
    for (uint32_t k = 0; k < c->open; k++) {
        const uint32_t i = first + (start + k) % c->open;
        if (!c->line[i].reserved && c->line[i].rank == CACHE_RANK_NORMAL) return i;
    }
    return at;
}

void cache_rank(struct cache *c, uint32_t first, uint32_t at, enum cache_rank rank) {
    c->has_ranks |= rank != CACHE_RANK_NORMAL;
    c->line[at].rank = rank & 3u;
    if (rank != CACHE_RANK_LAST) return;
    uint32_t n = 0;
    for (uint32_t i = first; i < first + c->ways; i++) n += c->line[i].rank == CACHE_RANK_LAST;
    if (n <= c->last_ways) return;
    const uint32_t oldest = oldest_of(c, first, CACHE_RANK_LAST);
    if (oldest != CACHE_NOWHERE) c->line[oldest].rank = CACHE_RANK_NORMAL;
}

void cache_reset_ranks(struct cache *c) {
    for (uint32_t i = 0; c->has_ranks && i < c->lines; i++)
        if (c->line[i].rank == CACHE_RANK_LAST) c->line[i].rank = CACHE_RANK_NORMAL;
}

static struct cache_answer answer(enum cache_result r, uint32_t place) {
    return (struct cache_answer){.place = place, .result = (uint8_t)r};
}

// The line where it is, or in a place of its own.
static struct cache_answer find_or_place(struct cache *c, uint64_t line_addr) {
    const uint64_t number = line_addr >> c->line_shift;
    const uint32_t first = cache_set_of(c, number) * c->ways;
    const uint32_t i = cache_find_in(c, first, number);
    return i != CACHE_NOWHERE ? answer(CACHE_HIT, i)
                              : cache_place_at(c, cache_victim_in(c, first), number);
}

struct cache_answer cache_read(struct cache *c, uint64_t line_addr, uint32_t sectors) {
    const uint32_t i = cache_find(c, line_addr >> c->line_shift);
    if (i == CACHE_NOWHERE) return answer(CACHE_MISS, i);
    if ((sectors & ~c->line[i].valid) == 0) {
        cache_touch(c, i);
        return answer(CACHE_HIT, i);
    }
    return answer(c->line[i].reserved ? CACHE_PENDING : CACHE_MISS, i);
}

struct cache_answer cache_fill(struct cache *c, uint64_t line_addr, uint32_t sectors) {
    const struct cache_answer a = find_or_place(c, line_addr);
    if (a.place == CACHE_NOWHERE) return a;
    c->line[a.place].valid |= (uint8_t)(sectors & c->all);
    c->line[a.place].reserved = false;
    return a;
}

struct cache_answer cache_evict_line(struct cache *c, uint64_t line_addr) {
    const uint32_t i = cache_find(c, line_addr >> c->line_shift);
    if (i == CACHE_NOWHERE) return answer(CACHE_MISS, i);
    struct cache_answer a = answer(CACHE_HIT, i);
    a.victim = line_addr;
    a.victim_dirty = c->line[i].dirty;
    a.has_victim = true;
    // A reserved line keeps its place for the data to come; what was valid in it goes.
    const bool reserved = c->line[i].reserved;
    if (!reserved) forget(c, i);
    c->line[i] =
        (struct cache_line){.stamp = reserved ? c->line[i].stamp : 0, .reserved = reserved};
    return a;
}

struct cache_answer cache_write(struct cache *c, uint64_t line_addr, uint32_t sectors) {
    if (c->write_evict) return cache_evict_line(c, line_addr);
    const uint32_t i = cache_find(c, line_addr >> c->line_shift);
    if (i == CACHE_NOWHERE) return answer(CACHE_MISS, i);
    if (c->line[i].reserved) return answer(CACHE_PENDING, i);
    if (c->write_back) {
        c->line[i].valid |= (uint8_t)(sectors & c->all);
        c->line[i].dirty |= (uint8_t)(sectors & c->all);
    } else if (sectors & ~c->line[i].valid) {
        return answer(CACHE_MISS, i);
    }
    cache_touch(c, i);
    return answer(CACHE_HIT, i);
}

struct cache_answer cache_write_line(struct cache *c, uint64_t line_addr, uint32_t sectors) {
    const struct cache_answer a = find_or_place(c, line_addr);
    if (a.place == CACHE_NOWHERE) return a;
    c->line[a.place].valid |= (uint8_t)(sectors & c->all);
    c->line[a.place].dirty |= (uint8_t)(sectors & c->all);
    cache_touch(c, a.place);
    return a;
}

struct cache_answer cache_write_past(struct cache *c, uint64_t line_addr, uint32_t whole) {
    const struct cache_answer a = find_or_place(c, line_addr);
    if (a.place == CACHE_NOWHERE) return a;
    c->line[a.place].valid |= (uint8_t)(whole & c->all);
    cache_touch(c, a.place);
    return a;
}

struct cache_answer cache_reserve(struct cache *c, uint64_t line_addr) {
    struct cache_answer a = find_or_place(c, line_addr);
    if (a.result == CACHE_HIT && c->line[a.place].reserved) a.result = CACHE_PENDING;
    if (a.result == CACHE_MISS) c->line[a.place].reserved = true;
    return a;
}

uint32_t cache_lines(const struct cache *c) { return c->lines; }
uint32_t cache_valid_at(const struct cache *c, uint32_t place) {
    return place == CACHE_NOWHERE ? 0 : c->line[place].valid;
}

uint32_t cache_place_of(const struct cache *c, uint64_t line_addr) {
    return cache_find(c, line_addr >> c->line_shift);
}

uint32_t cache_set_at(const struct cache *c, uint64_t line_addr) {
    return cache_set_of(c, line_addr >> c->line_shift);
}

struct cache_answer cache_drop(struct cache *c, uint32_t place) {
    if (c->tag[place] == CACHE_NO_TAG || c->line[place].reserved)
        return answer(CACHE_MISS, CACHE_NOWHERE);
    struct cache_answer a = answer(CACHE_HIT, place);
    a.victim = c->tag[place] << c->line_shift;
    a.victim_dirty = c->line[place].dirty;
    a.has_victim = true;
    forget(c, place);
    c->line[place] = (struct cache_line){0};
    return a;
}

bool cache_is_dirty(const struct cache *c, uint32_t place) { return c->line[place].dirty != 0; }

static uint64_t first_sector(const struct cache *c) {
    const uint32_t words = 1u << c->sector_shift >> 2;
    return words >= 64 ? UINT64_MAX : (UINT64_C(1) << words) - 1;
}

uint32_t cache_sectors_of(const struct cache *c, uint64_t words) {
    const uint64_t one = first_sector(c);
    uint32_t sectors = 0;
    for (uint32_t i = 0; i < CACHE_MAX_SECTORS && c->all >> i & 1; i++)
        sectors |= (uint32_t)((words & one << (i << c->sector_shift >> 2)) != 0) << i;
    return sectors;
}

uint64_t cache_words_of(const struct cache *c, uint32_t sectors) {
    const uint64_t one = first_sector(c);
    uint64_t words = 0;
    FOR_EACH_BIT32(i, sectors & c->all) words |= one << (i << c->sector_shift >> 2);
    return words;
}
