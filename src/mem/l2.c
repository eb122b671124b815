// An L2 slice: network port, tags, miss registers, atomic unit, reply port; or, without tags (a GPU
// or a client without L2), the way straight to DRAM.
//
// Requests are served in order. Each line of a request takes one use of the tag port, `ports` a
// cycle; data leaves hit_latency after it is there, be it a hit or a fill, so a miss costs
// hit_latency, the controller and DRAM. A request that finds no miss register, no room in its
// channel's queues or too long a queue of replies waits at the head, and all behind it.
//
// Writes allocate without a fill: a line remembers the words that it knows, a sector can be read
// when all of its words are, and a dirty sector goes to DRAM by byte mask, whole or not. A read of
// a sector that is partly known fetches it. Atomics need their sectors readable, then hold the
// slice's atomic unit for `l2_atomic_cycles` a 32-byte sector and round: lanes that want the same
// word take turns.
//
// A read miss may bring a whole block of `fetch_bytes` (the lines of 64 bytes that Jia et al. found in
// the L2 of Volta and Turing). Of the dirty lines of a set the oldest is cleaned when they are more
// than `dirty_ways`, as long as DRAM's write queue has room: US patent 9,639,466 describes such
// a count and threshold of a set, and that its least recently used dirty line goes first.
//
// An L2 of two halves is told of in halves.c.
//
// Left out: contention between fills and look-ups for the tag port, parity of banks within a slice.
#include "mem/mshr.h"
#include "mem/system.h"

enum { SECTOR32 = 32, WORD = 4 };

static inline bool is_atomic(const struct node *n) {
    return n->kind == MEM_ATOMIC || n->kind == MEM_REDUCE;
}
static inline bool is_cached(const struct mem_system *m, const struct node *n) {
    return m->cached >> n->client & 1;
}

// ---- replies --------------------------------------------------------------------------------
// Clocks that a slice's port rests behind so many flits.
static uint32_t rests_behind(const struct mem_system *m, struct slice *s, uint32_t flits) {
    const uint32_t run = m->c.net.reply_run;
    if (run == 0) return 0;
    s->run += flits;
    const uint32_t rests = s->run / run;
    s->run %= run;
    return rests;
}

static void emit(struct partition *p, uint32_t si, uint32_t at, uint64_t ready) {
    struct mem_system *m = p->m;
    struct slice *s = &p->slice[si];
    struct node *n = &p->node[at];
    const struct tick_clock *net = &m->clock.net, *core = &m->clock.core;
    uint64_t depart = clock_align(net, ready);
    uint64_t *act = p->act.c;
    if (s->out_free > depart) {
        act[ACT_net_stalls] += clock_floor(core, s->out_free - depart);
        depart = s->out_free;
    }
    s->out_free = depart + (n->reply_flits + rests_behind(m, s, n->reply_flits)) * net->period;
    n->depart = depart;
    const bool crossed = m->far_ticks && (si & 1) != m->port[n->sm].half; // there and back: writes, atomics
    n->cycle = m->c.net.kind == NET_MESH ? NEVER
                                         : clock_edge(core, depart) + m->c.net.reply_latency +
                                               (crossed ? m->c.l2_far_latency : 0);
    n->next = NIL;
    const uint32_t slice = p->index * m->map.slices + si;
    struct reply_list *const list = replies_of(m, n->sm, slice);
    if (list->head == NIL) {
        list->head = at;
        marks_row(&m->replied, n->sm)[slice] = 1;
    } else {
        p->node[list->tail].next = at;
    }
    list->tail = at;
    partition_sent(s, at);
    act[ACT_net_reply_packets]++;
    act[ACT_net_reply_flits] += n->reply_flits;
    if (m->c.net.kind == NET_CROSSBAR) act[ACT_net_hops] += n->reply_flits;
}

void l2_flush_atomics(struct partition *p, uint32_t si, uint64_t tick) {
    struct slice *s = &p->slice[si];
    while (s->atomic_head != NIL && p->node[s->atomic_head].cycle <= tick) {
        const uint32_t at = s->atomic_head;
        s->atomic_head = p->node[at].next;
        emit(p, si, at, p->node[at].cycle);
    }
}

// Every piece of the request is there: what remains is the atomic operation and the way out.
static void finish(struct partition *p, uint32_t si, uint32_t at, uint64_t tick) {
    struct mem_system *m = p->m;
    struct slice *s = &p->slice[si];
    struct node *n = &p->node[at];
    if (ww_unlikely(is_from_half(n))) {
        halves_answer(p, si, at, tick);
        return;
    }
    const uint64_t pipeline = is_cached(m, n) ? m->hit_ticks : 0;
    if (is_atomic(n)) {
        s->atomic_free =
            max64(tick, s->atomic_free) + n->bytes / SECTOR32 * n->rounds * m->atomic_ticks;
        n->cycle = s->atomic_free + pipeline;
        n->next = NIL;
        if (s->atomic_head == NIL)
            s->atomic_head = at;
        else
            p->node[s->atomic_tail].next = at;
        s->atomic_tail = at;
        return;
    }
    if (s->atomic_head != NIL) l2_flush_atomics(p, si, tick + pipeline);
    emit(p, si, at, tick + pipeline);
}

// ---- DRAM -----------------------------------------------------------------------------------
static inline struct dram_channel *channel_of(struct partition *p, uint32_t si, uint64_t local,
                                              uint64_t *addr) {
    const struct slice *s = &p->slice[si];
    const struct mem_map *map = &p->m->map;
    uint32_t c = s->channel;
    if (c == NIL) {
        *addr = map_channel(map, slice_behind(p, si), local, &c);
    } else {
        const uint64_t block = local >> map->block_shift;
        *addr = local + (((map->slices_a_channel - 1) * block + s->offset) << map->block_shift);
    }
    return &p->channel[c];
}

static void write_sectors(struct partition *p, uint32_t si, uint64_t line_addr, uint32_t sectors,
                          uint64_t tick) {
    uint64_t addr;
    struct dram_channel *c = channel_of(p, si, line_addr, &addr);
    dram_push(c, clock_edge(&p->m->clock.dram, tick), DIR_WRITE, addr, p->m->fetch[sectors].bursts,
              (struct dram_done){.slice = (uint8_t)si});
}

// Room for a read of a channel, if one is wanted, and for a write wherever it goes: the line that
// has to make place may live in any channel of the slice. Without it, the slice remembers what it
// wants.
static bool has_room(struct partition *p, uint32_t si, const struct dram_channel *reads,
                     bool writes) {
    struct slice *s = &p->slice[si];
    uint32_t wants = reads && !dram_room(reads, DIR_READ) ? 1u << DIR_READ : 0;
    uint32_t c = s->channel == NIL ? slice_behind(p, si) : s->channel;
    do {
        if (writes && !dram_room(&p->channel[c], DIR_WRITE)) wants |= 1u << DIR_WRITE;
        c += p->m->map.slices;
    } while (s->channel == NIL && c < p->m->map.channels);
    s->wants = (uint8_t)wants;
    return wants == 0;
}

// ---- pieces --------------------------------------------------------------------------------
// What one piece of a request touches of its line.
struct piece {
    uint64_t line_addr;
    uint32_t offset, bytes; // within the line
    uint32_t sectors;
};

static inline struct piece piece_at(const struct mem_system *m, const struct node *n) {
    const uint64_t at = n->local + n->piece;
    struct piece k = {.offset = (uint32_t)at & (m->line_bytes - 1)};
    const uint32_t left = n->bytes - n->piece, room = m->line_bytes - k.offset;
    k.line_addr = at - k.offset;
    k.bytes = left < room ? left : room;
    const uint32_t first = k.offset >> m->sector_shift;
    const uint32_t last = (k.offset + k.bytes - 1) >> m->sector_shift;
    k.sectors = (uint32_t)(((UINT64_C(2) << last) - 1) & ~((UINT64_C(1) << first) - 1));
    return k;
}

// Sectors of a line that a request touches, wherever its pieces stand.
static uint32_t sectors_in_line(const struct mem_system *m, const struct node *n, uint64_t line) {
    struct node whole = *n;
    whole.piece = line > n->local ? (uint16_t)(line - n->local) : 0;
    return piece_at(m, &whole).sectors;
}

// Words of the line that the piece of a write knows afterwards.
static uint64_t written_words(const struct node *n, const struct piece *k) {
    uint64_t words = 0;
    for (uint32_t done = 0; done < k->bytes; done += SECTOR32) {
        const uint32_t in128 = (uint32_t)(n->addr + n->piece + done) / SECTOR32 & 3;
        const uint32_t w = n->partial >> in128 & 1 ? n->words >> in128 * 8 & 0xFF : 0xFF;
        words |= (uint64_t)w << (k->offset + done) / WORD;
    }
    return words;
}

static void write_tags(struct partition *p, struct slice *s, uint32_t i, const struct node *n,
                       const struct piece *k) {
    struct cache_line *line = &s->tags->line[i];
    line->dirty |= (uint8_t)k->sectors;
    if (n->partial == 0 && p->m->sector_shift <= 5) {
        line->valid |= (uint8_t)k->sectors;
        return;
    }
    slice_know(p->m, s, i, k->sectors, written_words(n, k));
}

// ---- what listeners hear --------------------------------------------------------------------
// The words of its line that a piece of a request wants or writes.
static uint64_t touched_words(const struct node *n, const struct piece *k) {
    const uint64_t all = k->bytes >= 64 * WORD ? UINT64_MAX : (UINT64_C(1) << k->bytes / WORD) - 1;
    return ((n->touched ? n->touched >> n->piece / WORD : UINT64_MAX) & all) << k->offset / WORD;
}

// Fills in where and when, tells all listeners and answers the tick from which things go on.
static uint64_t tell(struct partition *p, uint32_t si, uint64_t tick, struct cache_event e) {
    const struct mem_system *m = p->m;
    e.cycle = clock_floor(&m->clock.l2, tick);
    e.slice = p->index * m->map.slices + slice_behind(p, si);
    e.array = ARRAY_L2;
    if (e.what != CACHE_FLUSH) e.set = cache_set_at(p->slice[si].tags, e.addr);
    for (uint32_t k = 0; k < m->listeners; k++)
        tick += m->listener[k].hear(m->listener[k].self, &e) * m->clock.l2.period;
    return tick;
}

static void tell_access(struct partition *p, uint32_t si, const struct node *n,
                        const struct piece *k, enum cache_what what, uint32_t place,
                        uint64_t tick) {
    if (ww_likely(!p->m->listeners)) return;
    const uint64_t late = tell(p, si, tick,
                               (struct cache_event){.addr = k->line_addr,
                                                    .words = touched_words(n, k),
                                                    .place = place,
                                                    .lanes = n->wanting,
                                                    .sectors = (uint8_t)k->sectors,
                                                    .what = (uint8_t)what,
                                                    .client = n->client,
                                                    .is_atomic = is_atomic(n)});
    if (what == CACHE_READ_MISS || what == CACHE_READ_MERGE) return;
    p->slice[si].late = max64(p->slice[si].late, late);
}

// Answers the tick at which the requests that wait go on.
static uint64_t tell_fill(struct partition *p, const struct dram_done *d, uint32_t place) {
    const struct cache *tags = p->slice[d->slice].tags;
    if (ww_likely(!p->m->listeners)) return d->tick;
    return tell(p, d->slice, d->tick,
                (struct cache_event){.addr = d->line << tags->line_shift,
                                     .words = cache_words_of(tags, d->sectors),
                                     .place = place,
                                     .sectors = (uint8_t)(d->sectors & tags->all),
                                     .what = CACHE_FILL,
                                     .client = d->client});
}

void l2_tell_flush(struct partition *p, uint32_t si, uint64_t tick) {
    if (!p->m->listeners || !p->slice[si].tags) return;
    const struct cache_event e = {
        .place = CACHE_NOWHERE, .sectors = (uint8_t)p->slice[si].tags->all, .what = CACHE_FLUSH};
    tell(p, si, tick, e);
}

// ---- priorities -----------------------------------------------------------------------------
// A request has met the line in a place. Accesses without a policy leave its priority as it is.
static inline void prioritise(struct slice *s, uint32_t place, uint8_t hint) {
    if (ww_likely(hint == MEM_HINT_NONE) || hint == MEM_HINT_UNCHANGED) return;
    static const uint8_t rank[] = {[MEM_HINT_FIRST] = CACHE_RANK_FIRST,
                                   [MEM_HINT_LAST] = CACHE_RANK_LAST,
                                   [MEM_HINT_NORMAL] = CACHE_RANK_NORMAL,
                                   [MEM_HINT_DEMOTE] = CACHE_RANK_NORMAL};
    const uint32_t first = place / s->tags->ways * s->tags->ways;
    cache_rank(s->tags, first, place, (enum cache_rank)rank[hint]);
}
static inline void touch(struct slice *s, uint32_t place, uint8_t hint) {
    if (ww_likely(hint != MEM_HINT_UNCHANGED)) cache_touch(s->tags, place);
    prioritise(s, place, hint);
}

// ---- tags -----------------------------------------------------------------------------------
// Words that a line's write-back sends of each dirty sector: all of it, or those that are known.
static uint64_t known_words(const struct slice *s, uint32_t place) {
    if (!s->tags->line[place].mark) return UINT64_MAX;
    return s->words[place] | cache_words_of(s->tags, s->tags->line[place].valid);
}

// A line has left its place: what is dirty is written back, listeners hear of it as of `told`.
static void line_left(struct partition *p, uint32_t si, const struct cache_answer *a,
                      uint64_t known, uint8_t client, uint64_t tick, uint64_t told) {
    if (a->victim_dirty) {
        p->act.c[ACT_l2_writebacks] += bits_count32(a->victim_dirty);
        write_sectors(p, si, a->victim, a->victim_dirty, tick);
    }
    if (!ww_unlikely(p->m->listeners)) return;
    tell(p, si, told,
         (struct cache_event){.addr = a->victim,
                              .words = cache_words_of(p->slice[si].tags, a->victim_dirty) & known,
                              .place = a->place,
                              .sectors = a->victim_dirty,
                              .what = CACHE_EVICT,
                              .client = client});
}

// Index of a place for the line; what had to go is written back.
static inline uint32_t place_line(struct partition *p, uint32_t si, uint32_t first, uint64_t number,
                                  uint8_t client, uint64_t tick) {
    struct slice *s = &p->slice[si];
    const uint32_t place = cache_victim_in(s->tags, first);
    const uint64_t known =
        ww_unlikely(p->m->listeners) && place != CACHE_NOWHERE ? known_words(s, place) : UINT64_MAX;
    const struct cache_answer a = cache_place_at(s->tags, place, number);
    if (!a.has_victim) return place;
    p->act.c[ACT_l2_evictions]++;
    line_left(p, si, &a, known, client, tick, tick);
    return place;
}

// Drops the lines that a listener has lapse by now: exact, since every event of the slice comes
// here first when its tick has passed.
static void lapse_lines(struct partition *p, uint32_t si, uint64_t tick) {
    struct slice *s = &p->slice[si];
    const struct mem_system *m = p->m;
    const struct cache_listener *const l = &m->listener[m->lapses];
    const uint64_t now = clock_floor(&m->clock.l2, tick), period = l->lapse_cycles;
    const uint8_t wants = s->wants; // of a head that is blocked
    s->lapse_tick = (now / period + 1) * period * m->clock.l2.period;
    for (uint32_t i = 0; i < s->tags->lines; i++) {
        if (s->tags->tag[i] == CACHE_NO_TAG) continue;
        const uint64_t at = l->lapses_at(l->self, ARRAY_L2, p->index * m->map.slices + si, i);
        if (at > now || (s->tags->line[i].dirty && !has_room(p, si, NULL, true))) continue;
        const uint64_t known = known_words(s, i);
        const struct cache_answer a = cache_drop(s->tags, i);
        if (a.has_victim) line_left(p, si, &a, known, CLIENT_L1D, tick, at * m->clock.l2.period);
    }
    s->wants = wants;
}
static inline void lapse(struct partition *p, uint32_t si, uint64_t tick) {
    if (ww_unlikely(p->slice[si].lapse_tick <= tick)) lapse_lines(p, si, tick);
}

// ---- one piece ------------------------------------------------------------------------------
// Sectors that miss, with what else of their blocks of fetch_bytes is neither there nor on its way.
static inline uint32_t whole_blocks(const struct mem_system *m, const struct cache *tags,
                                    uint32_t place, uint32_t requested, uint32_t missing) {
    if (m->block_sectors <= 1) return missing;
    const uint32_t block = (1u << m->block_sectors) - 1;
    uint32_t sectors = 0;
    for (uint32_t at = 0; tags->all >> at; at += m->block_sectors)
        if (missing >> at & block) sectors |= block << at;
    const uint32_t valid = place == CACHE_NOWHERE ? 0 : tags->line[place].valid;
    return missing | (sectors & tags->all & ~valid & ~requested);
}

// Sectors must come from DRAM. BLOCK_NONE: they will, and the node (unless NIL) waits for them.
static enum slice_block miss(struct partition *p, uint32_t si, uint64_t number, uint64_t line_addr,
                             uint32_t missing, uint32_t place, uint32_t waiter, uint8_t client,
                             uint8_t hint, uint64_t tick, uint32_t *dram_bytes) {
    struct mem_system *m = p->m;
    struct mshr *mshr = p->slice[si].mshr;
    const uint32_t slot = mshr_slot(mshr, number);
    struct mshr_entry *e = mshr->slot[slot] ? &mshr->entry[mshr->slot[slot] - 1] : NULL;
    p->slice[si].absent = !e && place == CACHE_NOWHERE;
    if (e ? e->count >= mshr->merge : mshr->used >= mshr->lines) return BLOCK_MSHR;
    const uint32_t new = e ? missing & ~e->requested : missing;
    if (new) {
        uint64_t addr;
        struct dram_channel *c = channel_of(p, si, line_addr, &addr);
        // A fill may push a dirty line out, so both queues must have room.
        if (!has_room(p, si, c, true)) return BLOCK_DRAM;
        if (!e) e = mshr_open(mshr, slot, number);
        const uint32_t block = whole_blocks(m, p->slice[si].tags, place, e->requested, new);
        p->act.c[ACT_l2_fetched_along] += bits_count32(block & ~new);
        const struct fetch f = m->fetch[block];
        e->requested |= (uint16_t)f.sectors;
        *dram_bytes = (uint32_t)f.bursts << m->dram.burst_shift;
        dram_push(c, clock_edge(&m->clock.dram, tick), DIR_READ, addr, f.bursts,
                  (struct dram_done){.line = number,
                                     .node = waiter != NIL ? waiter : 0,
                                     .mshr = (uint32_t)(e - mshr->entry),
                                     .sectors = f.sectors,
                                     .slice = (uint8_t)si,
                                     .client = client});
    }
    if (ww_unlikely(hint != MEM_HINT_NONE)) e->hint = hint;
    if (waiter != NIL) mshr_wait(mshr, e, missing, waiter);
    return BLOCK_NONE;
}

// Sectors of a read of data or textures as profilers count them: what comes along is looked up too
// and misses, and what is on its way hits.
static void count_sectors(struct partition *p, const struct piece *k, uint32_t dram_bytes,
                          uint64_t along) {
    const uint32_t n = bits_count32(k->sectors), fetched = dram_bytes >> p->m->sector_shift;
    const uint32_t misses = fetched < n + (uint32_t)along ? fetched : n + (uint32_t)along;
    p->act.c[ACT_l2_read_sectors] += n + along;
    p->act.c[ACT_l2_read_hit_sectors] += n + along - misses;
}

// What lives at the line changes: the twin's copy goes.
static void forget_copy(struct partition *p, uint32_t si, const struct node *n, const struct piece *k,
                        uint64_t tick) {
    const uint32_t twin = si ^ 1;
    struct cache *const tags = p->slice[twin].tags;
    const uint32_t i = cache_find(tags, (k->line_addr | FAR_LINE) >> p->m->line_shift);
    if (i == CACHE_NOWHERE) return;
    const struct cache_answer a = cache_drop(tags, i);
    if (a.has_victim) line_left(p, twin, &a, UINT64_MAX, n->client, tick, tick);
}

// Of the twin's copy too.
static void tell_copy(struct partition *p, uint32_t si, const struct node *n, const struct piece *k,
                      uint64_t tick) {
    struct slice *const twin = &p->slice[si ^ 1];
    if (n->hint != MEM_HINT_DEMOTE) {
        forget_copy(p, si, n, k, tick);
        return;
    }
    const uint32_t i = cache_find(twin->tags, (k->line_addr | FAR_LINE) >> p->m->line_shift);
    if (i != CACHE_NOWHERE) prioritise(twin, i, n->hint);
}

// Discard and demotion look a line up and fetch nothing. What of it is dirty is not written back: the
// program has said that nothing reads it.
static void tell_line(struct partition *p, uint32_t si, const struct node *n, const struct piece *k,
                      uint64_t tick) {
    struct slice *const s = &p->slice[si];
    const uint32_t i = cache_find(s->tags, k->line_addr >> p->m->line_shift);
    if (ww_unlikely(p->m->far_ticks)) tell_copy(p, si, n, k, tick);
    if (i == CACHE_NOWHERE) return;
    if (n->hint == MEM_HINT_DEMOTE) {
        prioritise(s, i, n->hint);
        return;
    }
    s->tags->line[i].dirty = 0;
    const struct cache_answer a = cache_drop(s->tags, i);
    if (a.has_victim) line_left(p, si, &a, 0, n->client, tick, tick);
}

static enum slice_block read_piece(struct partition *p, uint32_t si, uint32_t at,
                                   const struct piece *k, uint64_t tick) {
    struct slice *s = &p->slice[si];
    struct node *n = &p->node[at];
    if (ww_unlikely(n->hint >= MEM_HINT_DISCARD)) {
        tell_line(p, si, n, k, tick);
        return BLOCK_NONE;
    }
    uint64_t *act = p->act.c;
    const uint64_t number = k->line_addr >> p->m->line_shift;
    // A second try of an absent line finds it absent.
    const bool again = s->absent && s->blocked_at != NEVER;
    const uint32_t i = again ? CACHE_NOWHERE : cache_find(s->tags, number);
    const uint32_t missing = i == CACHE_NOWHERE ? k->sectors : k->sectors & ~s->tags->line[i].valid;
    const bool atomic = is_atomic(n), prefetch = n->kind == MEM_PREFETCH;
    const uint64_t along = act[ACT_l2_fetched_along];
    uint32_t dram_bytes = 0; // 0: merged
    if (ww_unlikely(missing && is_far(k->line_addr))) {
        bool merged = false;
        const enum slice_block b = !has_room(p, si, NULL, true) // its fill may push a dirty line out
                                       ? BLOCK_DRAM
                                       : halves_miss(p, si, at, k->line_addr, missing, tick, &merged);
        if (b != BLOCK_NONE) return prefetch ? BLOCK_NONE : b;
        if (!prefetch) n->waiting++;
        tell_access(p, si, n, k, merged ? CACHE_READ_MERGE : CACHE_READ_MISS, i, tick);
        if (!merged) return BLOCK_NONE; // it is counted where its data live
    } else if (missing) {
        const enum slice_block b = miss(p, si, number, k->line_addr, missing, i,
                                        prefetch ? NIL : at, n->client, n->hint, tick, &dram_bytes);
        if (b != BLOCK_NONE && !prefetch) return b; // a prefetch without room is dropped
        if (!prefetch) n->waiting++;
        n->dram_bytes = (uint16_t)(n->dram_bytes + dram_bytes);
        tell_access(p, si, n, k, dram_bytes == 0 ? CACHE_READ_MERGE : CACHE_READ_MISS, i, tick);
    } else {
        touch(s, i, n->hint);
        tell_access(p, si, n, k, atomic ? CACHE_WRITE_HIT : CACHE_READ_HIT, i, tick);
        if (atomic) s->tags->line[i].dirty |= (uint8_t)k->sectors;
    }
    if (atomic) {
        if (ww_unlikely(p->m->far_ticks)) forget_copy(p, si, n, k, tick);
        return BLOCK_NONE;
    }
    act[ACT_l2_reads]++;
    if (n->client == CLIENT_L1D || n->client == CLIENT_TEX)
        count_sectors(p, k, dram_bytes, act[ACT_l2_fetched_along] - along);
    act[!missing ? ACT_l2_read_hits : dram_bytes == 0 ? ACT_l2_read_merges : ACT_l2_read_misses]++;
    return BLOCK_NONE;
}

// A line of the set has become dirty: the oldest beyond those that may be is written back.
static void clean_oldest(struct partition *p, uint32_t si, uint32_t first, uint64_t tick) {
    struct slice *const s = &p->slice[si];
    const struct cache *const tags = s->tags;
    uint32_t dirty = 0, oldest = CACHE_NOWHERE, least = UINT32_MAX;
    for (uint32_t i = first; i < first + tags->ways; i++) {
        const struct cache_line *const l = &tags->line[i];
        dirty += l->dirty != 0;
        const uint32_t age = l->dirty != 0 ? l->stamp : UINT32_MAX;
        oldest = age < least ? i : oldest;
        least = age < least ? age : least;
    }
    if (dirty <= p->m->c.l2.dirty_ways) return;
    const uint8_t wants = s->wants; // of a head that is blocked
    if (has_room(p, si, NULL, true)) {
        struct cache_line *const l = &tags->line[oldest];
        p->act.c[ACT_l2_writebacks] += bits_count32(l->dirty);
        write_sectors(p, si, tags->tag[oldest] << tags->line_shift, l->dirty, tick);
        l->dirty = 0;
    }
    s->wants = wants;
}

static enum slice_block write_piece(struct partition *p, uint32_t si, const struct node *n,
                                    const struct piece *k, uint64_t tick) {
    struct mem_system *m = p->m;
    struct slice *s = &p->slice[si];
    const uint64_t number = k->line_addr >> m->line_shift;
    const uint32_t first = cache_set_of(s->tags, number) * s->tags->ways;
    uint32_t i = cache_find_in(s->tags, first, number);
    const bool hit = i != CACHE_NOWHERE, back = m->c.l2.write_back;
    const bool through = !back || (!hit && !m->c.l2.write_allocate);
    if ((!hit || through) && !has_room(p, si, NULL, true)) return BLOCK_DRAM;
    if (!hit && m->c.l2.write_allocate) i = place_line(p, si, first, number, n->client, tick);
    if (i != CACHE_NOWHERE) {
        const bool was_clean = s->tags->line[i].dirty == 0;
        write_tags(p, s, i, n, k);
        if (!back) s->tags->line[i].dirty = 0;
        touch(s, i, n->hint);
        if (was_clean && m->c.l2.dirty_ways != 0) clean_oldest(p, si, first, tick);
    }
    if (ww_unlikely(m->far_ticks)) forget_copy(p, si, n, k, tick);
    tell_access(p, si, n, k, hit ? CACHE_WRITE_HIT : CACHE_WRITE_MISS, i, tick);
    if (through) write_sectors(p, si, k->line_addr, k->sectors, tick);
    p->act.c[ACT_l2_writes]++;
    p->act.c[ACT_l2_write_sectors] += bits_count32(k->sectors);
    p->act.c[hit ? ACT_l2_write_hits : ACT_l2_write_misses]++;
    return BLOCK_NONE;
}

static enum slice_block bypass_piece(struct partition *p, uint32_t si, uint32_t at,
                                     const struct piece *k, uint64_t tick) {
    struct node *n = &p->node[at];
    if (n->kind == MEM_PREFETCH) return BLOCK_NONE;
    uint64_t addr;
    struct dram_channel *c = channel_of(p, si, k->line_addr, &addr);
    const uint64_t clock = clock_edge(&p->m->clock.dram, tick);
    const uint32_t first = k->offset >> p->m->dram.burst_shift;
    const uint32_t last = (k->offset + k->bytes - 1) >> p->m->dram.burst_shift;
    addr += k->offset;
    if (n->kind == MEM_WRITE) {
        if (!has_room(p, si, NULL, true)) return BLOCK_DRAM;
        dram_push(c, clock, DIR_WRITE, addr, last - first + 1,
                  (struct dram_done){.slice = (uint8_t)si});
        return BLOCK_NONE;
    }
    if (!has_room(p, si, c, is_atomic(n))) return BLOCK_DRAM;
    dram_push(c, clock, DIR_READ, addr, last - first + 1,
              (struct dram_done){.line = at, .slice = (uint8_t)si, .bypass = true});
    n->waiting++;
    n->dram_bytes = (uint16_t)(n->dram_bytes + ((last - first + 1) << p->m->dram.burst_shift));
    return BLOCK_NONE;
}

// ---- the head of the input ------------------------------------------------------------------
// The tick, at or after `tick`, at which the tag port is free.
static uint64_t port_slot(const struct mem_system *m, const struct slice *s, uint64_t tick) {
    uint64_t t = clock_align(&m->clock.l2, tick);
    if (t <= s->port_tick) {
        t = s->port_tick;
        if (s->port_used >= m->c.l2.ports) t += m->clock.l2.period;
    }
    return t;
}

// A new head: its packet passes the network's port, flit by flit.
void l2_schedule_head(struct partition *p, uint32_t si) {
    struct mem_system *m = p->m;
    struct slice *s = &p->slice[si];
    if (s->head == NIL) {
        s->next = NEVER;
        return;
    }
    const struct node *n = &p->node[s->head];
    if (n->next != NIL) __builtin_prefetch(&p->node[n->next]); // the next head
    const struct tick_clock *net = &m->clock.net, *core = &m->clock.core;
    if (ww_unlikely(is_from_half(n))) { // not by the network
        s->ready = n->cycle;
        s->next = port_slot(m, s, s->ready);
        return;
    }
    uint64_t start = clock_align(net, n->cycle * core->period);
    if (s->in_free > start) {
        p->act.c[ACT_net_stalls] += clock_floor(core, s->in_free - start);
        start = s->in_free;
    }
    s->in_free = start + n->flits * net->period;
    s->ready = start + (n->flits - 1u) * net->period;
    s->next = port_slot(m, s, s->ready);
}

void l2_unblock(struct partition *p, uint32_t si, uint64_t tick) {
    struct slice *s = &p->slice[si];
    s->block = BLOCK_NONE;
    s->next = port_slot(p->m, s, max64(tick, s->ready));
}

// Lets a slice that waits for DRAM's queues try again at the next departure of the kind that it
// wants; each departure calls one slice. False: none is known yet.
bool l2_await_room(struct partition *p, uint32_t si) {
    const struct slice *s = &p->slice[si];
    uint32_t i = s->channel == NIL ? slice_behind(p, si) : s->channel;
    do {
        struct dram_channel *c = &p->channel[i];
        if ((int32_t)(c->claimed - c->left_head) < 0) c->claimed = c->left_head;
        while (c->claimed != c->left_tail) {
            const struct dram_left *l = &c->left[c->claimed++ & (c->s->left_cap - 1)];
            if (!(s->wants >> l->dir & 1)) continue;
            l2_unblock(p, si, l->tick);
            return true;
        }
        i += p->m->map.slices;
    } while (s->channel == NIL && i < p->m->map.channels);
    return false;
}

void l2_serve(struct partition *p, uint32_t si, uint64_t tick) {
    struct mem_system *m = p->m;
    lapse(p, si, tick);
    struct slice *s = &p->slice[si];
    const uint32_t at = s->head;
    struct node *n = &p->node[at];
    // No more replies on their way out than the pipeline and the output queue hold.
    uint64_t busy = s->out_free;
    if (is_atomic(n) && s->atomic_free + m->queue_ticks > busy)
        busy = s->atomic_free + m->queue_ticks;
    if (busy > tick + m->hit_ticks + m->queue_ticks) {
        s->next = port_slot(m, s, busy - m->hit_ticks - m->queue_ticks);
        p->act.c[ACT_net_stalls] += clock_floor(&m->clock.core, s->next - tick);
        return;
    }
    const struct piece k = piece_at(m, n);
    const bool cached = is_cached(m, n);
    const enum slice_block b = !cached                ? bypass_piece(p, si, at, &k, tick)
                               : n->kind == MEM_WRITE ? write_piece(p, si, n, &k, tick)
                                                      : read_piece(p, si, at, &k, tick);
    if (b != BLOCK_NONE) {
        if (s->blocked_at == NEVER) s->blocked_at = tick;
        s->block = (uint8_t)b;
        s->next = NEVER;
        if (b == BLOCK_DRAM) l2_await_room(p, si);
        return;
    }
    if (s->blocked_at != NEVER) {
        p->act.c[ACT_l2_stalls] += clock_floor(&m->clock.l2, tick - s->blocked_at);
        s->blocked_at = NEVER;
    }
    s->port_used = s->port_tick == tick ? s->port_used + 1 : 1;
    s->port_tick = tick;
    n->piece = (uint16_t)(n->piece + k.bytes);
    if (n->piece < n->bytes) {
        s->next = port_slot(m, s, tick);
        return;
    }
    n->all_in = 1;
    if (ww_likely(!is_from_half(n))) s->from[n->sm].taken += n->flits;
    s->head = n->next;
    if (s->head == NIL) s->tail = NIL;
    if (is_atomic(n)) {
        p->act.c[ACT_l2_atomics]++;
        p->act.c[ACT_l2_atomic_lanes] += n->lanes;
    }
    if (!n->waiting) finish(p, si, at, max64(tick, s->late));
    s->late = 0;
    l2_schedule_head(p, si);
}

// ---- data comes -----------------------------------------------------------------------------
static void piece_done(struct partition *p, uint32_t si, uint32_t at, uint64_t tick) {
    struct node *n = &p->node[at];
    if (--n->waiting == 0 && n->all_in) finish(p, si, at, tick);
}

// A miss register may have become free.
static void retry(struct partition *p, uint32_t si, uint64_t tick) {
    struct slice *s = &p->slice[si];
    if (s->absent) {
        if (s->mshr->used >= s->mshr->lines) return;
        const struct piece k = piece_at(p->m, &p->node[s->head]);
        uint64_t addr;
        if (!has_room(p, si, channel_of(p, si, k.line_addr, &addr), true)) {
            s->block = BLOCK_DRAM;
            l2_await_room(p, si);
            return;
        }
    }
    l2_unblock(p, si, tick);
}

// Data will come: what its fill will touch is on its way into the host's cache meanwhile.
void l2_foresee_fill(struct partition *p, const struct dram_done *d) {
    const struct slice *s = &p->slice[d->slice];
    if (d->bypass) {
        __builtin_prefetch(&p->node[d->line], 1);
        return;
    }
    cache_foresee(s->tags, d->line);
    __builtin_prefetch(&s->mshr->slot[mshr_home(s->mshr, d->line)], 1);
    __builtin_prefetch(&s->mshr->entry[d->mshr], 1);
    __builtin_prefetch(&p->node[d->node], 1);
}

void l2_fill(struct partition *p, const struct dram_done *d) {
    struct mem_system *m = p->m;
    const uint32_t si = slice_behind(p, d->slice);
    struct slice *s = &p->slice[si];
    if (d->bypass) {
        const uint32_t at = (uint32_t)d->line;
        const struct node *n = &p->node[at];
        if (is_atomic(n)) {
            uint64_t addr;
            struct dram_channel *c = channel_of(p, si, n->local, &addr);
            const uint32_t bytes = n->bytes + ((uint32_t)addr & (m->dram.burst_bytes - 1));
            dram_push(c, clock_edge(&m->clock.dram, d->tick), DIR_WRITE, addr,
                      (bytes + m->dram.burst_bytes - 1) >> m->dram.burst_shift,
                      (struct dram_done){.slice = (uint8_t)si});
        }
        piece_done(p, si, at, d->tick);
        return;
    }
    lapse(p, si, d->tick);
    const uint32_t first = cache_set_of(s->tags, d->line) * s->tags->ways;
    uint32_t i = cache_find_in(s->tags, first, d->line);
    if (i == CACHE_NOWHERE) i = place_line(p, si, first, d->line, d->client, d->tick);
    s->tags->line[i].valid |= (uint8_t)(d->sectors & s->tags->all);
    p->act.c[ACT_l2_fills] += bits_count32(d->sectors & s->tags->all);
    const uint64_t late = tell_fill(p, d, i);
    struct mshr_entry *const e = &s->mshr->entry[d->mshr];
    if (ww_unlikely(e->line != d->line)) { // it stays until all that it asked for has come
        p->is_broken = true;
        return;
    }
    prioritise(s, i, e->hint);
    const uint32_t n = mshr_fill_entry(s->mshr, e, d->sectors, p->waiters);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t at = p->waiters[k];
        if (is_atomic(&p->node[at]))
            s->tags->line[i].dirty |=
                (uint8_t)sectors_in_line(m, &p->node[at], d->line << m->line_shift);
        piece_done(p, si, at, late);
    }
    if (s->block == BLOCK_MSHR) retry(p, si, d->tick);
    const uint32_t door = si + m->map.slices;
    if (door < p->doors && p->slice[door].block == BLOCK_MSHR) retry(p, door, d->tick);
}

void l2_take_back(struct partition *p, uint32_t si, uint64_t tick) {
    struct mem_system *const m = p->m;
    struct slice *const s = &p->slice[si];
    lapse(p, si, tick);
    const uint32_t at = s->back_head;
    const struct node back = p->node[at];
    s->back_head = back.next;
    p->node[at].next = p->far_free;
    p->far_free = at;
    const uint64_t line = (back.local | FAR_LINE) >> m->line_shift;
    const uint32_t sectors = sectors_in_line(m, &back, back.local & ~(uint64_t)(m->line_bytes - 1));
    const uint32_t first = cache_set_of(s->tags, line) * s->tags->ways;
    uint32_t i = cache_find_in(s->tags, first, line);
    if (i == CACHE_NOWHERE) i = place_line(p, si, first, line, back.client, tick);
    s->tags->line[i].valid |= (uint8_t)sectors;
    const struct dram_done d = {
        .tick = tick, .line = line, .sectors = (uint8_t)sectors, .slice = (uint8_t)si, .client = back.client};
    const uint64_t late = tell_fill(p, &d, i);
    const uint32_t slot = s->far->slot[mshr_slot(s->far, line)];
    if (!slot) return; // an answer behind it has brought the same sectors
    struct mshr_entry *const e = &s->far->entry[slot - 1];
    prioritise(s, i, e->hint);
    const uint32_t n = mshr_fill_entry(s->far, e, sectors, p->waiters);
    if (n != 0) p->node[p->waiters[0]].dram_bytes = (uint16_t)(p->node[p->waiters[0]].dram_bytes + back.dram_bytes);
    for (uint32_t k = 0; k < n; k++) piece_done(p, si, p->waiters[k], late);
    if (s->block == BLOCK_MSHR) l2_unblock(p, si, tick);
}
