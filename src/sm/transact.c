// One transaction of an access meets the caches and the network. Every look-up is counted once, in
// the cycle in which it succeeds: a transaction that must wait leaves no trace but time.
#include "activity/mem.h"
#include "activity/sm.h"
#include "isa/policy.h"
#include "sm/caches.h"
#include "sm/sm_state.h"

// ---- what L2 is told of its lines ---------------------------------------------------------------
static inline uint8_t hint_of(const struct lsu_entry *e, uint64_t addr) {
    if (ww_likely(e->policy == 0 && e->window == NULL)) return MEM_HINT_NONE;
    return sm_priority(e->policy, e->window, addr);
}

// ---- by path ------------------------------------------------------------------------------------
// What a transaction wants of its line.
static struct cache_access access_of(const struct sm *s, enum mem_client client,
                                     const struct transaction *x, uint64_t t) {
    const struct sm_cache *const c = &s->caches.of[client];
    const uint32_t offset = (uint32_t)(x->addr & c->line_mask);
    struct cache_access a = {.cycle = t,
                             .line = x->addr - offset,
                             .words = x->touched << offset / 4,
                             .sectors = c->all,
                             .lanes = x->lanes,
                             .place = CACHE_NOWHERE,
                             .client = (uint8_t)client};
    if ((client == CLIENT_L1D || client == CLIENT_TEX) && c->all != 1)
        a.sectors = cache_sectors_of(c->tags, a.words);
    return a;
}

static bool load_l1(struct sm *s, struct lsu_entry *e, const struct transaction *x, uint64_t t) {
    struct mem_op *const o = &s->lsu.op[e->op];
    struct cache_access a = access_of(s, CLIENT_L1D, x, t);
    a.hint = hint_of(e, x->addr);
    const uint32_t sectors = count_lanes(a.sectors);
    if (caches_read(&s->caches, &a)) {
        s->act.c[ACT_l1_read_sectors] += sectors;
        s->act.c[ACT_l1_read_hit_sectors] += sectors;
        s->act.c[ACT_l1_reads]++;
        s->act.c[ACT_l1_read_hits]++;
        s->act.c[ACT_l1_hit_words] += caches_words(&s->caches.of[CLIENT_L1D], a.sectors);
        const uint32_t extra = caches_tell(&s->caches, CACHE_READ_HIT, &a);
        o->done_at = max64(o->done_at, t + s->caches.of[CLIENT_L1D].hit_latency + extra);
        return true;
    }
    if (s->caches.n_writebacks > WRITEBACKS_WAIT && !caches_drain(&s->caches, t)) return false;
    // Of a line that is there in part only the rest is waited for.
    a.sectors &= ~cache_valid_at(s->caches.of[CLIENT_L1D].tags, a.place);
    const uint32_t requested = mshr_requested(s->caches.of[CLIENT_L1D].mshr, a.line);
    const enum miss_outcome out = caches_miss(&s->caches, &a, e->op, t + s->c.l1_miss_extra);
    if (out == MISS_REFUSED) return false;
    s->act.c[ACT_l1_read_sectors] += sectors;
    s->act.c[ACT_l1_read_hit_sectors] += sectors - count_lanes(a.sectors & ~requested);
    s->act.c[ACT_l1_reads]++;
    s->act.c[out == MISS_MERGED ? ACT_l1_read_merges : ACT_l1_read_misses]++;
    o->left++;
    return true;
}

static bool bypass(struct sm *s, struct lsu_entry *e, const struct transaction *x, uint64_t t) {
    const uint8_t kind = e->path == PATH_ATOMIC ? MEM_ATOMIC : MEM_READ;
    if (!mem_port_can_send(s->caches.port, x->addr, mem_port_flits(s->caches.port, kind, x->bytes)))
        return false;
    const struct sm_cache *const c = &s->caches.of[CLIENT_L1D];
    if (e->path == PATH_ATOMIC && c->tags != NULL) {
        const struct cache_answer r = cache_evict_line(c->tags, x->addr & ~c->line_mask);
        caches_line_left(&s->caches, CLIENT_L1D, &r, false, t);
    }
    caches_send(&s->caches, t,
                (struct mem_request){.addr = x->addr,
                                     .bytes = x->bytes,
                                     .touched = x->touched,
                                     .wanting = x->lanes,
                                     .tag = (uint16_t)(TAG_OP | e->op),
                                     .kind = kind,
                                     .client = CLIENT_L1D,
                                     .hint = hint_of(e, x->addr),
                                     .lanes = (uint8_t)count_lanes(x->lanes),
                                     .rounds = kind == MEM_ATOMIC ? e->rounds : 0});
    if (kind == MEM_ATOMIC) s->lsu.op[e->op].flags |= OP_ATOMIC;
    s->lsu.op[e->op].left++;
    return true;
}

// Sectors of its line that a store writes whole.
static uint32_t whole_sectors(const struct cache *tags, const struct transaction *x,
                              const struct cache_access *a) {
    const uint64_t line = (UINT64_C(1) << 32) - 1; // words of 128 bytes (config_rules.def)
    return a->sectors & ~cache_sectors_of(tags, ~(uint64_t)x->words & line);
}

// A global store looks its line up in an L1 that stores go through. By policy a present line goes
// or is updated, and an absent one takes a place, unless a miss has asked for it. All transactions
// of the instruction in one line count as its first: a warp's access to a line is one look-up.
static void store_into_l1(struct sm *s, struct lsu_entry *e, const struct transaction *x,
                          bool evicts, uint64_t t) {
    const struct sm_cache *const c = &s->caches.of[CLIENT_L1D];
    struct cache_access a = access_of(s, CLIENT_L1D, x, t);
    const bool again = e->next != 0 && (e->tx[e->next - 1].addr & ~c->line_mask) == a.line;
    const bool allocates = s->c.l1d.write_allocate && !s->c.l1d.write_back && !evicts;
    struct cache_answer r;
    bool hit;
    if (!allocates) {
        r = evicts ? cache_evict_line(c->tags, a.line) : cache_write(c->tags, a.line, a.sectors);
        hit = r.result == CACHE_HIT;
        s->act.c[ACT_l1_evictions] += hit && evicts;
    } else if (cache_place_of(c->tags, a.line) == CACHE_NOWHERE &&
               mshr_find(c->mshr, a.line) >= 0) {
        r = (struct cache_answer){.place = CACHE_NOWHERE, .result = CACHE_PENDING};
        hit = true;
    } else {
        r = cache_write_past(c->tags, a.line, whole_sectors(c->tags, x, &a));
        hit = again ? e->line_was_there : r.result == CACHE_HIT;
        s->act.c[ACT_l1_evictions] += r.has_victim;
    }
    e->line_was_there = hit;
    a.place = r.place;
    s->act.c[ACT_l1_writes]++;
    s->act.c[ACT_l1_write_sectors] += count_lanes(a.sectors);
    s->act.c[ACT_l1_write_hits] += hit;
    if (hit) s->act.c[ACT_l1_write_hit_sectors] += count_lanes(a.sectors);
    caches_tell(&s->caches, hit ? CACHE_WRITE_HIT : CACHE_WRITE_MISS, &a);
    caches_line_left(&s->caches, CLIENT_L1D, &r, allocates, t);
}

static bool store(struct sm *s, struct lsu_entry *e, const struct transaction *x, uint64_t t) {
    const uint8_t kind = e->path == PATH_REDUCE ? MEM_REDUCE : MEM_WRITE;
    if (!mem_port_can_send(s->caches.port, x->addr, mem_port_flits(s->caches.port, kind, x->bytes)))
        return false;
    const struct sm_cache *const c = &s->caches.of[CLIENT_L1D];
    const bool is_cached = e->space == SPACE_LOCAL ? s->c.l1d_local : s->c.l1d_global;
    if (c->tags != NULL && is_cached) {
        if (s->c.l1d.write_allocate && s->caches.n_writebacks > WRITEBACKS_WAIT &&
            !caches_drain(&s->caches, t))
            return false;
        store_into_l1(s, e, x, s->c.l1d.write_evict || kind == MEM_REDUCE, t);
    }
    caches_send(&s->caches, t,
                (struct mem_request){.addr = x->addr,
                                     .bytes = x->bytes,
                                     .byte_mask_sectors = x->sectors & ~(uint32_t)x->full_sectors,
                                     .words = x->words,
                                     .touched = x->touched,
                                     .wanting = x->lanes,
                                     .tag = (uint16_t)(TAG_STORE | e->warp),
                                     .kind = kind,
                                     .client = CLIENT_L1D,
                                     .hint = hint_of(e, x->addr),
                                     .lanes = (uint8_t)count_lanes(x->lanes),
                                     .rounds = kind == MEM_REDUCE ? e->rounds : 0});
    pending_add(&s->pending, PENDING_stores, e->warp);
    return true;
}

// Local memory lives in L1 and is written back.
static bool store_local(struct sm *s, const struct transaction *x, uint64_t t) {
    struct cache_access a = access_of(s, CLIENT_L1D, x, t);
    if (s->caches.n_writebacks > WRITEBACKS_WAIT && !caches_drain(&s->caches, t)) return false;
    const struct cache_answer r =
        cache_write_line(s->caches.of[CLIENT_L1D].tags, a.line, a.sectors);
    const bool hit = r.result == CACHE_HIT;
    a.place = r.place;
    s->act.c[ACT_l1_writes]++;
    s->act.c[ACT_l1_write_sectors] += count_lanes(a.sectors);
    s->act.c[ACT_l1_write_hits] += hit;
    s->act.c[ACT_l1_evictions] += r.has_victim;
    caches_line_left(&s->caches, CLIENT_L1D, &r, true, t);
    caches_tell(&s->caches, hit ? CACHE_WRITE_HIT : CACHE_WRITE_MISS, &a);
    return true;
}

// What an instruction without a result tells L2 of whole lines.
static uint8_t hint_of_prefetch(uint16_t aux) {
    switch (aux) {
    case MPREFETCH_L2_LAST: return MEM_HINT_LAST;
    case MPREFETCH_L2_NORMAL: return MEM_HINT_NORMAL;
    case MPREFETCH_DISCARD: return MEM_HINT_DISCARD;
    case MPREFETCH_DEMOTE: return MEM_HINT_DEMOTE;
    default: return MEM_HINT_NONE;
    }
}

// A hint: dropped when there is no room.
static void prefetch(struct sm *s, struct lsu_entry *e, const struct transaction *x, uint64_t t) {
    if (e->aux == MPREFETCH_L1 && s->caches.of[CLIENT_L1D].tags != NULL && s->c.l1d_global) {
        struct cache_access a = access_of(s, CLIENT_L1D, x, t);
        a.sectors = s->caches.of[CLIENT_L1D].all;
        if (!caches_read(&s->caches, &a)) caches_prefetch(&s->caches, &a, t + s->c.l1_miss_extra);
        return;
    }
    enum { LINE = 128 }; // bytes that discard and applypriority name
    const uint8_t hint = hint_of_prefetch(e->aux);
    const bool is_line = hint == MEM_HINT_DISCARD || hint == MEM_HINT_DEMOTE;
    const uint64_t addr = is_line ? x->addr & ~(uint64_t)(LINE - 1) : x->addr;
    const uint32_t bytes = is_line ? LINE : x->bytes;
    if (!mem_port_can_send(s->caches.port, addr, mem_port_flits(s->caches.port, MEM_PREFETCH, bytes)))
        return;
    caches_send(&s->caches, t,
                (struct mem_request){.addr = addr,
                                     .bytes = bytes,
                                     .touched = is_line ? 0 : x->touched,
                                     .tag = TAG_NO_ANSWER,
                                     .kind = MEM_PREFETCH,
                                     .client = CLIENT_L1D,
                                     .hint = hint});
}

static bool load_constant(struct sm *s, struct lsu_entry *e, const struct transaction *x,
                          uint64_t t) {
    const struct sm_cache *const c = &s->caches.of[CLIENT_CONST];
    struct mem_op *const o = &s->lsu.op[e->op];
    struct cache_access a = access_of(s, CLIENT_CONST, x, t);
    const bool hit = c->tags == NULL || caches_read(&s->caches, &a);
    if (!hit && !front_constant_miss(s, &a, e->op)) return false;
    s->act.c[ACT_const_reads]++;
    s->act.c[ACT_const_misses] += !hit;
    if (hit) {
        const uint32_t extra = caches_tell(&s->caches, CACHE_READ_HIT, &a);
        o->done_at = max64(o->done_at, t + c->hit_latency + e->tail_cycles + extra);
    } else {
        o->left++;
    }
    return true;
}

static bool load_texture(struct sm *s, struct lsu_entry *e, const struct transaction *x,
                         uint64_t t) {
    const struct sm_cache *const c = &s->caches.of[CLIENT_TEX];
    struct mem_op *const o = &s->lsu.op[e->op];
    struct cache_access a = access_of(s, CLIENT_TEX, x, t);
    const bool hit = c->tags != NULL && caches_read(&s->caches, &a);
    if (c->tags != NULL && !hit) a.sectors &= ~cache_valid_at(c->tags, a.place);
    if (c->tags == NULL) {
        struct transaction y = *x;
        y.bytes = 32;
        if (!bypass(s, e, &y, t)) return false;
    } else if (!hit && caches_miss(&s->caches, &a, e->op, t) == MISS_REFUSED) {
        return false;
    }
    s->act.c[ACT_tex_reads]++;
    s->act.c[hit ? ACT_tex_hits : ACT_tex_misses]++;
    if (hit) {
        if (c->array == ARRAY_L1D) s->act.c[ACT_l1_hit_words] += caches_words(c, a.sectors);
        const uint32_t extra = caches_tell(&s->caches, CACHE_READ_HIT, &a);
        o->done_at = max64(o->done_at, t + c->hit_latency + s->c.texture_latency + extra);
    } else if (c->tags != NULL) {
        o->left++;
    }
    return true;
}

// To another SM. Loads and atomics with a result wait for the answer, stores are acknowledged by it.
static bool reach(struct sm *s, struct lsu_entry *e, const struct transaction *x, uint64_t t) {
    if (!mem_port_can_reach(s->caches.port)) return false;
    const bool waits = e->op != OP_NONE;
    if (waits)
        s->lsu.op[e->op].left++;
    else
        pending_add(&s->pending, PENDING_stores, e->warp);
    const struct mem_remote r = {
        .sm = (uint32_t)x->addr,
        .there = x->words,
        .back = (uint32_t)x->touched,
        .passes = x->passes,
        .asks = waits,
        .tag = waits ? (uint16_t)(TAG_OP | e->op) : (uint16_t)(TAG_STORE | e->warp)};
    mem_port_reach(s->caches.port, t, &r);
    return true;
}

static bool transact(struct sm *s, struct lsu_entry *e, const struct transaction *x, uint64_t t) {
    if (ww_unlikely(x->is_remote)) return reach(s, e, x, t);
    switch (e->path) {
    case PATH_L1: return load_l1(s, e, x, t);
    case PATH_BYPASS:
    case PATH_ATOMIC: return bypass(s, e, x, t);
    case PATH_STORE:
    case PATH_REDUCE: return store(s, e, x, t);
    case PATH_LOCAL_STORE: return store_local(s, x, t);
    case PATH_PREFETCH: prefetch(s, e, x, t); return true;
    case PATH_CONST: return load_constant(s, e, x, t);
    case PATH_TEX: return load_texture(s, e, x, t);
    default: return true;
    }
}

// Look-ups for reads, and those that found what they wanted.
static uint64_t lookups(const uint64_t *c) {
    return c[ACT_l1_reads] + c[ACT_const_reads] + c[ACT_tex_reads];
}
static uint64_t found(const uint64_t *c) {
    return c[ACT_l1_read_hits] + c[ACT_const_reads] - c[ACT_const_misses] + c[ACT_tex_hits];
}

// The same, told to the instruction. An access that does not wait for its transactions may outlive
// its kernel: what it sends was told when it was accepted (lsu.c).
static bool transact_asked(struct sm *s, struct lsu_entry *e, const struct transaction *x,
                           uint64_t t) {
    if (e->op == OP_NONE) return transact(s, e, x, t);
    struct sm_inst_memory *const asked = asked_by(&s->res, e->warp, e->in);
    const uint64_t reads = lookups(s->act.c), hits = found(s->act.c);
    const uint64_t sent = s->caches.sent, bytes = s->caches.sent_bytes;
    const bool done = transact(s, e, x, t);
    asked->requests += s->caches.sent - sent;
    asked->request_bytes += s->caches.sent_bytes - bytes;
    asked->lookups += lookups(s->act.c) - reads;
    asked->misses += lookups(s->act.c) - reads - (found(s->act.c) - hits);
    return done;
}

bool lsu_transact(struct sm *s, struct lsu_entry *e, uint64_t t) {
    const struct transaction *const x = &e->tx[e->next];
    uint64_t *const c = s->act.c;
    const uint64_t before = c[ACT_l1_reads] + c[ACT_l1_writes];
    const uint64_t sent = s->caches.sent;
    const uint32_t lanes = count_lanes(e->lanes);
    const bool done =
        ww_unlikely(s->counts_instructions) ? transact_asked(s, e, x, t) : transact(s, e, x, t);
    c[ACT_net_request_lanes] += (s->caches.sent - sent) * lanes;
    if (c[ACT_l1_reads] + c[ACT_l1_writes] != before) {
        const uint32_t words = count_lanes(x->words);
        c[ACT_l1_lanes] += lanes;
        c[ACT_l1_words] += words != 0 ? words : 1;
    }
    return done;
}
