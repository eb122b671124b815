// One transaction of an access meets the caches and the network. Every look-up is counted once, in
// the cycle in which it succeeds: a transaction that must wait leaves no trace but time.
#include "sm/sm_state.h"

// ---- misses -------------------------------------------------------------------------------------
void miss_send(struct sm *s, uint64_t at, struct mem_request r) {
    s->send_at = max64(s->send_at, at); // the port takes requests in order of time
    s->act.c[ACT_net_request_lanes] += s->access_lanes;
    mem_port_send(s->port, s->send_at, r);
}

// One read from the first to the last of the sectors; what lies between comes along.
static void send_sectors(struct sm *s, enum mem_client client, uint64_t line, uint32_t sectors,
                         uint64_t at) {
    const uint32_t size = s->cache[client].sector_bytes;
    const uint32_t first = bits_first32(sectors), last = bits_last32(sectors);
    miss_send(s, at,
              (struct mem_request){.addr = line + (uint64_t)first * size,
                                   .bytes = (last - first + 1) * size,
                                   .tag = TAG_LINE,
                                   .kind = MEM_READ,
                                   .client = (uint8_t)client});
}

bool miss_add(struct sm *s, enum mem_client client, uint64_t line, uint32_t sectors,
              uint32_t waiter, uint64_t at, bool *merged) {
    struct sm_cache *const c = &s->cache[client];
    uint32_t requested;
    const bool has_room = mshr_has_room_for(c->mshr, line, &requested);
    uint32_t missing = sectors & ~requested;
    *merged = missing == 0;
    if (!has_room) return false;
    if (missing != 0) {
        const uint32_t flits = mem_port_flits(s->port, MEM_READ, c->line_bytes);
        if (!mem_port_can_send(s->port, line, flits)) return false;
    }
    if (waiter == NO_WAITER)
        mshr_expect(c->mshr, line, sectors, &missing);
    else
        mshr_add_sectors(c->mshr, line, sectors, waiter, &missing);
    if (missing != 0) send_sectors(s, client, line, missing, at);
    return true;
}

// ---- dirty lines on their way out ---------------------------------------------------------------
bool writeback_drain(struct sm *s, uint64_t t) {
    const uint32_t bytes = s->cache[CLIENT_L1D].line_bytes;
    while (s->n_writebacks != 0) {
        const uint64_t line = s->writeback[s->n_writebacks - 1];
        if (!mem_port_can_send(s->port, line, mem_port_flits(s->port, MEM_WRITE, bytes)))
            return false;
        miss_send(s, t,
                  (struct mem_request){.addr = line,
                                       .bytes = bytes,
                                       .tag = TAG_NOBODY,
                                       .kind = MEM_WRITE,
                                       .client = CLIENT_L1D});
        s->n_writebacks--;
    }
    return true;
}

void writeback_add(struct sm *s, uint64_t line, uint64_t t) {
    s->act.c[ACT_l1_writebacks]++;
    if (s->n_writebacks == WRITEBACKS) writeback_drain(s, t);
    assert(s->n_writebacks < WRITEBACKS && "misses stop while dirty lines wait");
    s->writeback[s->n_writebacks++] = line;
    writeback_drain(s, t);
}

static void victim_left(struct sm *s, const struct cache_victim *v, uint64_t t) {
    if (!v->valid) return;
    s->act.c[ACT_l1_evictions]++;
    if (v->dirty != 0) writeback_add(s, v->addr, t);
}

// ---- by path ------------------------------------------------------------------------------------
static uint32_t line_sectors(const struct sm_cache *c, const struct transaction *x) {
    if (c->sector_bytes == c->line_bytes) return 1;
    return x->sectors & c->all;
}

static uint32_t hook(struct sm *s, enum sm_array array, uint64_t line, const struct transaction *x,
                     bool is_write, bool is_hit, uint64_t t) {
    return policy_array(s, array, line, x->sectors, count_lanes(x->lanes), is_write, is_hit, false,
                        t);
}

static bool load_l1(struct sm *s, struct lsu_entry *e, const struct transaction *x, uint64_t t) {
    struct sm_cache *const c = &s->cache[CLIENT_L1D];
    struct mem_op *const o = &s->op[e->op];
    const uint64_t line = x->addr & ~c->line_mask;
    const uint32_t sectors = line_sectors(c, x);
    if (cache_read(c->tags, line, sectors) == CACHE_HIT) {
        s->act.c[ACT_l1_reads]++;
        s->act.c[ACT_l1_read_hits]++;
        const uint32_t extra = hook(s, SM_ARRAY_L1D, line, x, false, true, t);
        o->done_at = max64(o->done_at, t + c->hit_latency + extra);
        return true;
    }
    if (s->n_writebacks > WRITEBACKS / 2 && !writeback_drain(s, t)) return false;
    bool merged;
    if (!miss_add(s, CLIENT_L1D, line, sectors, e->op, t + s->c.l1_miss_extra, &merged))
        return false;
    s->act.c[ACT_l1_reads]++;
    s->act.c[merged ? ACT_l1_read_merges : ACT_l1_read_misses]++;
    hook(s, SM_ARRAY_L1D, line, x, false, false, t);
    o->left++;
    return true;
}

static bool bypass(struct sm *s, struct lsu_entry *e, const struct transaction *x, uint64_t t) {
    const uint8_t kind = e->path == PATH_ATOMIC ? MEM_ATOMIC : MEM_READ;
    if (!mem_port_can_send(s->port, x->addr, mem_port_flits(s->port, kind, x->bytes))) return false;
    if (e->path == PATH_ATOMIC && s->cache[CLIENT_L1D].tags != NULL)
        cache_evict_line(s->cache[CLIENT_L1D].tags, x->addr & ~s->cache[CLIENT_L1D].line_mask);
    miss_send(s, t,
              (struct mem_request){.addr = x->addr,
                                   .bytes = x->bytes,
                                   .tag = (uint16_t)(TAG_OP | e->op),
                                   .kind = kind,
                                   .client = CLIENT_L1D,
                                   .lanes = (uint8_t)count_lanes(x->lanes),
                                   .rounds = kind == MEM_ATOMIC ? e->rounds : 0});
    if (kind == MEM_ATOMIC) s->op[e->op].flags |= OP_ATOMIC;
    s->op[e->op].left++;
    return true;
}

static bool store(struct sm *s, struct lsu_entry *e, const struct transaction *x, uint64_t t) {
    const uint8_t kind = e->path == PATH_REDUCE ? MEM_REDUCE : MEM_WRITE;
    if (!mem_port_can_send(s->port, x->addr, mem_port_flits(s->port, kind, x->bytes))) return false;
    struct sm_cache *const c = &s->cache[CLIENT_L1D];
    const bool is_cached = e->space == PTX_SPACE_LOCAL ? s->c.l1d_local : s->c.l1d_global;
    if (c->tags != NULL && is_cached) {
        const uint64_t line = x->addr & ~c->line_mask;
        const bool evicts = s->c.l1d.write_evict || kind == MEM_REDUCE;
        const bool hit = evicts ? cache_evict_line(c->tags, line)
                                : cache_write(c->tags, line, line_sectors(c, x)) == CACHE_HIT;
        s->act.c[ACT_l1_writes]++;
        s->act.c[ACT_l1_write_hits] += hit;
        s->act.c[ACT_l1_evictions] += hit && evicts;
        hook(s, SM_ARRAY_L1D, line, x, true, hit, t);
    }
    miss_send(s, t,
              (struct mem_request){.addr = x->addr,
                                   .bytes = x->bytes,
                                   .byte_mask_sectors = x->sectors & ~x->full_sectors,
                                   .words = x->words,
                                   .tag = (uint16_t)(TAG_STORE | e->warp),
                                   .kind = kind,
                                   .client = CLIENT_L1D,
                                   .lanes = (uint8_t)count_lanes(x->lanes),
                                   .rounds = kind == MEM_REDUCE ? e->rounds : 0});
    s->warp[e->warp].stores++;
    return true;
}

// Local memory lives in L1 and is written back.
static bool store_local(struct sm *s, const struct transaction *x, uint64_t t) {
    struct sm_cache *const c = &s->cache[CLIENT_L1D];
    const uint64_t line = x->addr & ~c->line_mask;
    if (s->n_writebacks > WRITEBACKS / 2 && !writeback_drain(s, t)) return false;
    struct cache_victim v;
    const bool hit = cache_write_line(c->tags, line, line_sectors(c, x), &v) == CACHE_HIT;
    s->act.c[ACT_l1_writes]++;
    s->act.c[ACT_l1_write_hits] += hit;
    hook(s, SM_ARRAY_L1D, line, x, true, hit, t);
    victim_left(s, &v, t);
    return true;
}

static bool prefetch(struct sm *s, struct lsu_entry *e, const struct transaction *x, uint64_t t) {
    struct sm_cache *const c = &s->cache[CLIENT_L1D];
    bool merged;
    if (e->aux == 1 && c->tags != NULL && s->c.l1d_global) {
        const uint64_t line = x->addr & ~c->line_mask;
        if (cache_read(c->tags, line, c->all) != CACHE_HIT)
            miss_add(s, CLIENT_L1D, line, c->all, NO_WAITER, t + s->c.l1_miss_extra, &merged);
    } else if (mem_port_can_send(s->port, x->addr,
                                 mem_port_flits(s->port, MEM_PREFETCH, x->bytes))) {
        miss_send(s, t,
                  (struct mem_request){.addr = x->addr,
                                       .bytes = x->bytes,
                                       .tag = TAG_NOBODY,
                                       .kind = MEM_PREFETCH,
                                       .client = CLIENT_L1D});
    }
    return true; // a hint: dropped when there is no room
}

static bool load_constant(struct sm *s, struct lsu_entry *e, const struct transaction *x,
                          uint64_t t) {
    struct sm_cache *const c = &s->cache[CLIENT_CONST];
    struct mem_op *const o = &s->op[e->op];
    const bool hit = c->tags == NULL || cache_read(c->tags, x->addr, c->all) == CACHE_HIT;
    bool merged;
    if (!hit && !miss_add(s, CLIENT_CONST, x->addr, c->all, e->op,
                          t + s->c.const_miss_latency_extra, &merged))
        return false;
    s->act.c[ACT_const_reads]++;
    s->act.c[ACT_const_misses] += !hit;
    const uint32_t extra = hook(s, SM_ARRAY_CONST, x->addr, x, false, hit, t);
    if (hit)
        o->done_at = max64(o->done_at, t + c->hit_latency + e->tail_cycles + extra);
    else
        o->left++;
    return true;
}

static bool load_texture(struct sm *s, struct lsu_entry *e, const struct transaction *x,
                         uint64_t t) {
    struct sm_cache *const c = &s->cache[CLIENT_TEX];
    struct mem_op *const o = &s->op[e->op];
    const bool hit = c->tags != NULL && cache_read(c->tags, x->addr, c->all) == CACHE_HIT;
    bool merged;
    if (c->tags == NULL) {
        struct transaction y = *x;
        y.bytes = 32;
        if (!bypass(s, e, &y, t)) return false;
    } else if (!hit && !miss_add(s, CLIENT_TEX, x->addr, c->all, e->op, t, &merged)) {
        return false;
    }
    s->act.c[ACT_tex_reads]++;
    s->act.c[hit ? ACT_tex_hits : ACT_tex_misses]++;
    const uint32_t extra = hook(s, SM_ARRAY_TEX, x->addr, x, false, hit, t);
    if (hit)
        o->done_at = max64(o->done_at, t + c->hit_latency + s->c.texture_latency + extra);
    else if (c->tags != NULL)
        o->left++;
    return true;
}

static bool transact(struct sm *s, struct lsu_entry *e, const struct transaction *x, uint64_t t) {
    switch (e->path) {
    case PATH_L1: return load_l1(s, e, x, t);
    case PATH_BYPASS:
    case PATH_ATOMIC: return bypass(s, e, x, t);
    case PATH_STORE:
    case PATH_REDUCE: return store(s, e, x, t);
    case PATH_LOCAL_STORE: return store_local(s, x, t);
    case PATH_PREFETCH: return prefetch(s, e, x, t);
    case PATH_CONST: return load_constant(s, e, x, t);
    case PATH_TEX: return load_texture(s, e, x, t);
    default: return true;
    }
}

bool lsu_transact(struct sm *s, struct lsu_entry *e, uint64_t t) {
    const struct transaction *const x = &e->tx[e->next];
    uint64_t *const c = s->act.c;
    const uint64_t before = c[ACT_l1_reads] + c[ACT_l1_writes];
    s->access_lanes = e->lanes;
    const bool done = transact(s, e, x, t);
    s->access_lanes = 0;
    if (c[ACT_l1_reads] + c[ACT_l1_writes] != before) {
        const uint32_t words = count_lanes(x->words);
        c[ACT_l1_lanes] += e->lanes;
        c[ACT_l1_words] += words != 0 ? words : 1;
    }
    return done;
}
