// The caches of an SM, L1, constant, texture and instruction cache alike: look-ups, misses on their
// way to the network, lines that come and lines that go, and what listeners hear of all that.
// What waits for a line, and what it does with it, stands with its unit (transact.c, front.c,
// reply.c).
#include "sm/caches.h"
#include "activity/sm.h"
#include "sm/sm_state.h"

// ---- listeners ----------------------------------------------------------------------------------
uint32_t caches_tell_slow(const struct caches *k, enum cache_what what,
                          const struct cache_access *a) {
    const struct cache *const tags = k->of[a->client].tags;
    if (tags == NULL) return 0;
    const uint32_t sectors = what == CACHE_FILL ? a->sectors : cache_sectors_of(tags, a->words);
    return technique_array(k->tech, &(struct cache_event){.cycle = a->cycle,
                                                          .addr = a->line,
                                                          .words = a->words,
                                                          .place = a->place,
                                                          .lanes = a->lanes,
                                                          .set = cache_set_at(tags, a->line),
                                                          .sectors = (uint8_t)sectors,
                                                          .what = (uint8_t)what,
                                                          .array = k->of[a->client].array,
                                                          .client = a->client});
}

void caches_flush(struct caches *k, enum mem_client client, uint64_t t) {
    const struct sm_cache *const c = &k->of[client];
    if (c->tags == NULL || c->array != client) return; // emptied as the other's
    cache_invalidate(c->tags);
    if (!(k->tech->heard >> client & 1)) return;
    technique_array(k->tech, &(struct cache_event){.cycle = t,
                                                   .place = CACHE_NOWHERE,
                                                   .sectors = (uint8_t)c->all,
                                                   .what = CACHE_FLUSH,
                                                   .array = (uint8_t)client,
                                                   .client = (uint8_t)client});
}

// ---- look-ups -----------------------------------------------------------------------------------
bool caches_read(const struct caches *k, struct cache_access *a) {
    const struct cache_answer r = cache_read(k->of[a->client].tags, a->line, a->sectors);
    a->place = r.place;
    return r.result == CACHE_HIT;
}

// ---- misses -------------------------------------------------------------------------------------
void caches_send(struct caches *k, uint64_t at, struct mem_request r) {
    k->send_at = max64(k->send_at, at); // the port takes requests in order of time
    k->sent++;
    k->sent_bytes += r.bytes;
    mem_port_send(k->port, k->send_at, r);
}

// One read from the first to the last of the sectors.
static void send_sectors(struct caches *k, const struct cache_access *a, uint32_t size,
                         uint32_t sectors, uint64_t at) {
    const uint32_t first = bits_first32(sectors), n = bits_last32(sectors) - first + 1;
    const uint64_t wanted = a->words >> first * size / 4;
    caches_send(k, at,
                (struct mem_request){.addr = a->line + (uint64_t)first * size,
                                     .bytes = n * size,
                                     .touched = wanted & (UINT64_MAX >> (64 - n * size / 4)),
                                     .wanting = a->lanes,
                                     .tag = TAG_LINE,
                                     .kind = MEM_READ,
                                     .client = a->client,
                                     .hint = a->hint});
}

// A read for each run of sectors. Of a line of 128 bytes and sectors of 32 there are two at most;
// where there is no room for two, or could be more, what lies between comes along.
static void send_runs(struct caches *k, const struct cache_access *a, uint32_t sectors,
                      uint64_t at) {
    const uint32_t first = bits_first32(sectors);
    const uint32_t run = sectors & ~(sectors + (1u << first)), rest = sectors & ~run;
    const struct sm_cache *const c = &k->of[a->client];
    if (rest == 0 || c->line_bytes / c->sector_bytes > 4 ||
        !mem_port_can_send_two(k->port, a->line,
                               mem_port_flits(k->port, MEM_READ, c->line_bytes))) {
        send_sectors(k, a, c->sector_bytes, sectors, at);
        return;
    }
    send_sectors(k, a, c->sector_bytes, run, at);
    send_sectors(k, a, c->sector_bytes, rest, at);
}

// A constant line's way to L2 leads through the second level, the instruction cache's array: what it
// has comes after a time of its own, what it lacks is read from L2 as its whole line.
static void ask_second(struct caches *k, const struct cache_access *a, uint64_t at) {
    const struct sm_cache *const big = &k->of[CLIENT_INST];
    const uint64_t line = a->line & ~big->line_mask;
    k->act->c[ACT_const_second_reads]++;
    if (cache_read(big->tags, line, big->all).result == CACHE_HIT) {
        k->act->c[ACT_const_second_hits]++;
        k->second[(k->second_first + k->second_n++) % k->second_room] = a->line;
        return;
    }
    struct cache_access whole = *a;
    whole.line = line;
    whole.words <<= (a->line - line) / 4;
    send_sectors(k, &whole, big->line_bytes, big->all, at);
}

static enum miss_outcome ask(struct caches *k, const struct cache_access *a, uint32_t waiter,
                             uint64_t at, bool is_told) {
    struct sm_cache *const c = &k->of[a->client];
    uint32_t requested;
    const bool has_room = mshr_has_room_for(c->mshr, a->line, &requested);
    uint32_t missing = a->sectors & ~requested;
    if (!has_room) return MISS_REFUSED;
    const bool by_second = a->client == CLIENT_CONST && k->second_room != 0;
    if (missing != 0) {
        const uint32_t flits = mem_port_flits(k->port, MEM_READ, c->line_bytes);
        if (!mem_port_can_send(k->port, a->line, flits)) return MISS_REFUSED;
    }
    const enum miss_outcome out = missing == 0 ? MISS_MERGED : MISS_SENT;
    uint32_t extra = 0;
    if (is_told) extra = caches_tell(k, out == MISS_SENT ? CACHE_READ_MISS : CACHE_READ_MERGE, a);
    if (waiter == NO_WAITER)
        mshr_expect(c->mshr, a->line, a->sectors, &missing);
    else
        mshr_add_sectors(c->mshr, a->line, a->sectors, waiter, &missing);
    if (missing != 0 && by_second)
        ask_second(k, a, at + extra);
    else if (missing != 0)
        send_runs(k, a, missing, at + extra);
    return out;
}

enum miss_outcome caches_miss(struct caches *k, const struct cache_access *a, uint32_t waiter,
                              uint64_t at) {
    return ask(k, a, waiter, at, true);
}

bool caches_prefetch(struct caches *k, const struct cache_access *a, uint64_t at) {
    return ask(k, a, NO_WAITER, at, false) != MISS_REFUSED;
}

// ---- lines that go ------------------------------------------------------------------------------
bool caches_drain(struct caches *k, uint64_t t) {
    const uint32_t bytes = k->of[CLIENT_L1D].line_bytes;
    while (k->n_writebacks != 0) {
        const uint64_t line = k->writeback[k->n_writebacks - 1];
        if (!mem_port_can_send(k->port, line, mem_port_flits(k->port, MEM_WRITE, bytes)))
            return false;
        caches_send(k, t,
                    (struct mem_request){.addr = line,
                                         .bytes = bytes,
                                         .tag = TAG_NO_ANSWER,
                                         .kind = MEM_WRITE,
                                         .client = CLIENT_L1D});
        k->n_writebacks--;
    }
    return true;
}

// There is room: misses and stores wait while more than WRITEBACKS_WAIT lines do, and behind that
// each line on its way to the cache takes the place of at most one.
static void write_back(struct caches *k, uint64_t line, uint64_t t) {
    k->act->c[ACT_l1_writebacks]++;
    if (ww_unlikely(k->n_writebacks == k->writebacks_room)) {
        k->is_broken = true;
        return;
    }
    k->writeback[k->n_writebacks++] = line;
    caches_drain(k, t);
}

// `told`: the cycle in which listeners hear of it.
static void line_left(struct caches *k, enum mem_client client, const struct cache_answer *r,
                      bool writes_back, uint64_t t, uint64_t told) {
    if (!r->has_victim) return;
    const uint32_t dirty = writes_back ? r->victim_dirty : 0;
    const struct sm_cache *const c = &k->of[client];
    if (ww_unlikely(k->tech->heard >> c->array & 1)) {
        technique_array(k->tech,
                        &(struct cache_event){.cycle = told,
                                              .addr = r->victim,
                                              .words = dirty ? cache_words_of(c->tags, c->all) : 0,
                                              .place = r->place,
                                              .set = cache_set_at(c->tags, r->victim),
                                              .sectors = (uint8_t)dirty,
                                              .what = CACHE_EVICT,
                                              .array = c->array,
                                              .client = (uint8_t)client});
    }
    if (dirty != 0) write_back(k, r->victim, t);
}

void caches_line_left(struct caches *k, enum mem_client client, const struct cache_answer *r,
                      bool writes_back, uint64_t t) {
    line_left(k, client, r, writes_back, t, t);
}

bool caches_lapse(struct caches *k, enum mem_client client, const struct sm_technique *x,
                  uint64_t t) {
    struct cache *const tags = k->of[client].tags;
    bool any = false;
    for (uint32_t place = 0; tags != NULL && place < cache_lines(tags); place++) {
        const uint64_t at = x->arrays->lapses_at(x->self, (enum mem_array)client, place);
        if (at > t || (k->n_writebacks > WRITEBACKS_WAIT && !caches_drain(k, t))) continue;
        const struct cache_answer r = cache_drop(tags, place);
        line_left(k, client, &r, true, t, at);
        any = any || r.has_victim;
    }
    return any;
}

void caches_drop_clean(struct caches *k, enum mem_client client, uint64_t t) {
    struct cache *const tags = k->of[client].tags;
    for (uint32_t place = 0; tags != NULL && place < cache_lines(tags); place++) {
        if (cache_is_dirty(tags, place)) continue;
        const struct cache_answer r = cache_drop(tags, place);
        line_left(k, client, &r, false, t, t);
    }
}

// ---- lines that come ----------------------------------------------------------------------------
static uint32_t sectors_in(const struct sm_cache *c, const struct mem_reply *r) {
    const uint32_t first = (uint32_t)(r->addr & c->line_mask) / c->sector_bytes;
    const uint32_t n = r->bytes / c->sector_bytes;
    return (n >= 32 ? UINT32_MAX : (1u << n) - 1) << first & c->all;
}

struct cache_came caches_fill(struct caches *k, const struct mem_reply *r, uint64_t t) {
    struct sm_cache *const c = &k->of[r->client];
    const uint64_t line = r->addr & ~c->line_mask;
    const uint32_t sectors = sectors_in(c, r);
    const struct cache_answer a = cache_fill(c->tags, line, sectors);
    if (c->array == ARRAY_L1D) {
        k->act->c[ACT_l1_fills]++;
        k->act->c[ACT_l1_fill_words] += caches_words(c, sectors);
        k->act->c[ACT_l1_evictions] += a.has_victim;
    }
    caches_line_left(k, r->client, &a, true, t);
    struct cache_came came = {.waiter = k->waiter};
    if (ww_unlikely(k->tech->heard >> c->array & 1))
        came.extra = caches_tell(k, CACHE_FILL,
                                 &(struct cache_access){.cycle = t,
                                                        .line = line,
                                                        .words = cache_words_of(c->tags, sectors),
                                                        .sectors = sectors,
                                                        .place = a.place,
                                                        .client = r->client});
    came.n = mshr_fill(c->mshr, line, sectors, k->waiter);
    return came;
}
