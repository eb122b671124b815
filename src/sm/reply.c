// What comes back from memory: lines for the four caches, answers to loads and atomics that went
// past L1, acknowledgements of stores.
#include "sm/caches.h"
#include "sm/sm_state.h"

// The data came from DRAM, and no earlier request had asked for it.
static void tell_missed(struct sm *s, const struct mem_reply *r, uint32_t op) {
    const struct mem_op *const o = &s->lsu.op[op];
    struct sm_inst_memory *const asked = asked_by(&s->res, o->warp, o->in);
    if (asked != NULL) asked->dram_bytes += r->dram_bytes;
}

// Texels go through the texture pipeline, wherever they were kept.
static uint32_t filter_cycles(const struct sm *s, uint32_t op) {
    return s->lsu.op[op].in->unit == UNIT_TEX ? s->c.texture_latency : 0;
}

// Sectors of a line, for whatever waits for them: operations in flight, or warps that look again.
static void take_sectors(struct sm *s, const struct mem_reply *r, uint64_t t) {
    const struct cache_came came = caches_fill(&s->caches, r, t);
    if (r->client == CLIENT_INST) {
        front_instructions_came(s, came.waiter, came.n);
        return;
    }
    const uint64_t done = t + s->c.reply_extra + came.extra;
    if (ww_unlikely(s->counts_instructions) && r->dram_bytes != 0 && came.n != 0 &&
        !(came.waiter[0] & WAITER_WARP))
        tell_missed(s, r, came.waiter[0]);
    for (uint32_t i = 0; i < came.n; i++)
        if (!(came.waiter[i] & WAITER_WARP))
            lsu_part_done(s, (uint16_t)came.waiter[i], done + filter_cycles(s, came.waiter[i]), t);
    if (r->client == CLIENT_CONST) front_constants_came(s, came.waiter, came.n, t);
}

// The line is on its way from the second level.
static bool comes_from_second(const struct caches *k, uint64_t line) {
    for (uint32_t i = 0; i < k->second_n; i++)
        if (k->second[(k->second_first + i) % k->second_room] == line) return true;
    return false;
}

// A line of the second level has come from L2 for constants: they take what they want of it. What
// the second level already sends keeps its miss until then, so that no more lines are on their way
// from there than there are misses.
static void take_second(struct sm *s, const struct mem_reply *r, uint64_t t) {
    const struct sm_cache *const c = &s->caches.of[CLIENT_CONST];
    const struct sm_cache *const big = &s->caches.of[CLIENT_INST];
    cache_fill(big->tags, r->addr, big->all);
    memset(s->hot, 0xff, sizeof s->hot);
    for (uint32_t at = 0; at < r->bytes; at += c->line_bytes) {
        struct mem_reply one = *r;
        one.addr += at;
        one.bytes = c->line_bytes;
        if (mshr_find(c->mshr, one.addr) >= 0 && !comes_from_second(&s->caches, one.addr))
            take_sectors(s, &one, t);
    }
}

void reply_second(struct sm *s, uint64_t t) {
    struct caches *const k = &s->caches;
    const struct mem_reply r = {.cycle = t,
                                .addr = k->second[k->second_first],
                                .bytes = k->of[CLIENT_CONST].line_bytes,
                                .tag = TAG_LINE,
                                .kind = MEM_READ,
                                .client = CLIENT_CONST};
    k->second_first = (k->second_first + 1) % k->second_room;
    k->second_n--;
    take_sectors(s, &r, t);
    s->progress = t;
    reply_retry(s, t);
}

static void take_one(struct sm *s, const struct mem_reply *r, uint64_t t) {
    switch (r->tag & TAG_KIND) {
    case TAG_OP: {
        const uint16_t op = r->tag & TAG_INDEX;
        if (ww_unlikely(s->counts_instructions) && r->dram_bytes != 0) tell_missed(s, r, op);
        const uint32_t extra = s->lsu.op[op].flags & OP_ATOMIC ? s->c.atomic_extra : 0;
        lsu_part_done(s, op, t + s->c.reply_extra + extra, t);
        return;
    }
    case TAG_STORE: lsu_store_acked(s, r->tag & TAG_INDEX); return;
    case TAG_TMA: tma_answer(s, r->tag & TAG_INDEX, t); return;
    case TAG_NO_ANSWER: return;
    default:
        if (r->client == CLIENT_CONST && s->caches.second_room != 0)
            take_second(s, r, t);
        else
            take_sectors(s, r, t);
        return;
    }
}

void reply_retry(struct sm *s, uint64_t t) {
    if (s->lsu.ldst.blocked_since != NEVER) s->alarms.at[ALARM_LDST] = t;
    if (s->lsu.tex.blocked_since != NEVER) s->alarms.at[ALARM_TEX] = t;
    tma_retry(s, t);
    front_retry(s, t);
    if (s->caches.n_writebacks != 0) caches_drain(&s->caches, t);
}

void reply_take(struct sm *s, uint64_t t) {
    const struct mem_reply *r;
    while ((r = mem_port_peek(s->caches.port)) != NULL && r->cycle <= t) {
        const struct mem_reply copy = *r;
        mem_port_pop(s->caches.port);
        take_one(s, &copy, t);
        s->progress = t;
    }
    s->alarms.at[ALARM_REPLY] = r != NULL ? r->cycle : NEVER;
    reply_retry(s, t);
}
