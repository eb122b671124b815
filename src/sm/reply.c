// What comes back from memory: lines for the four caches, answers to loads and atomics that went
// past L1, acknowledgements of stores.
#include "sm/sm_state.h"

static uint32_t sectors_of(const struct sm_cache *c, const struct mem_reply *r) {
    if (c->sector_bytes == c->line_bytes) return 1;
    const uint32_t first = (uint32_t)(r->addr & c->line_mask) / c->sector_bytes;
    const uint32_t n = r->bytes / c->sector_bytes;
    return (n >= 32 ? UINT32_MAX : (1u << n) - 1) << first & c->all;
}

static void data_line(struct sm *s, const struct mem_reply *r, uint64_t t) {
    struct sm_cache *const c = &s->cache[CLIENT_L1D];
    const uint64_t line = r->addr & ~c->line_mask;
    const uint32_t sectors = sectors_of(c, r);
    struct cache_victim v;
    cache_fill_line(c->tags, line, sectors, &v);
    s->act.c[ACT_l1_fills]++;
    s->act.c[ACT_l1_evictions] += v.valid;
    if (v.dirty != 0) writeback_add(s, v.addr, t);
    policy_array(s, SM_ARRAY_L1D, line, sectors, 0, true, false, true, t);
    const uint32_t n = mshr_fill(c->mshr, line, sectors, s->mshr_out);
    for (uint32_t i = 0; i < n; i++)
        lsu_part_done(s, (uint16_t)s->mshr_out[i], t + s->c.reply_extra, t);
}

static void constant_line(struct sm *s, const struct mem_reply *r, uint64_t t) {
    struct sm_cache *const c = &s->cache[CLIENT_CONST];
    const uint64_t line = r->addr & ~c->line_mask;
    const uint32_t sectors = sectors_of(c, r);
    struct cache_victim v;
    cache_fill_line(c->tags, line, sectors, &v);
    memset(s->const_ok, 0, sizeof s->const_ok);
    policy_array(s, SM_ARRAY_CONST, line, sectors, 0, true, false, true, t);
    const uint32_t n = mshr_fill(c->mshr, line, sectors, s->mshr_out);
    for (uint32_t i = 0; i < n; i++)
        if (!(s->mshr_out[i] & WAITER_WARP))
            lsu_part_done(s, (uint16_t)s->mshr_out[i], t + s->c.reply_extra, t);
    // Warps ask again for all lines that they need, so the waiters leave the list first.
    for (uint32_t i = 0; i < n; i++)
        if (s->mshr_out[i] & WAITER_WARP) s->const_retry |= BIT64(s->mshr_out[i] & 0xff);
    const uint64_t retry = s->const_retry;
    s->const_retry = 0;
    FOR_EACH_BIT64(w, retry) front_constant_arrived(s, (uint32_t)w, t);
}

static void texture_line(struct sm *s, const struct mem_reply *r, uint64_t t) {
    struct sm_cache *const c = &s->cache[CLIENT_TEX];
    const uint64_t line = r->addr & ~c->line_mask;
    const uint32_t sectors = sectors_of(c, r);
    struct cache_victim v;
    cache_fill_line(c->tags, line, sectors, &v);
    policy_array(s, SM_ARRAY_TEX, line, sectors, 0, true, false, true, t);
    const uint32_t n = mshr_fill(c->mshr, line, sectors, s->mshr_out);
    const uint64_t done = t + s->c.reply_extra + s->c.texture_latency;
    for (uint32_t i = 0; i < n; i++) lsu_part_done(s, (uint16_t)s->mshr_out[i], done, t);
}

static void take_one(struct sm *s, const struct mem_reply *r, uint64_t t) {
    switch (r->tag & TAG_KIND) {
    case TAG_OP: {
        const uint16_t op = r->tag & TAG_INDEX;
        const uint32_t extra = s->op[op].flags & OP_ATOMIC ? s->c.atomic_extra : 0;
        lsu_part_done(s, op, t + s->c.reply_extra + extra, t);
        return;
    }
    case TAG_STORE: lsu_store_acked(s, r->tag & TAG_INDEX); return;
    case TAG_NOBODY: return;
    default: break;
    }
    switch (r->client) {
    case CLIENT_L1D: data_line(s, r, t); return;
    case CLIENT_CONST: constant_line(s, r, t); return;
    case CLIENT_TEX: texture_line(s, r, t); return;
    default:
        front_icache_reply(s, r->addr, sectors_of(&s->cache[CLIENT_INST], r), t);
        return;
    }
}

void reply_retry(struct sm *s, uint64_t t) {
    if (s->lsu.blocked_since != NEVER) s->lsu.wake = t;
    if (s->tex.blocked_since != NEVER) s->tex.wake = t;
    FOR_EACH_BIT64(w, s->fetch_held) front_want(s, (uint32_t)w);
    s->fetch_held = 0;
    if (s->const_retry != 0) {
        const uint64_t retry = s->const_retry;
        s->const_retry = 0;
        FOR_EACH_BIT64(w, retry) front_constant_arrived(s, (uint32_t)w, t);
    }
    if (s->n_writebacks != 0) writeback_drain(s, t);
}

void reply_take(struct sm *s, uint64_t t) {
    const struct mem_reply *r;
    while ((r = mem_port_peek(s->port)) != NULL && r->cycle <= t) {
        const struct mem_reply copy = *r;
        mem_port_pop(s->port);
        take_one(s, &copy, t);
        s->progress = t;
    }
    s->reply_at = r != NULL ? r->cycle : NEVER;
    reply_retry(s, t);
}
