// The front end: a fetch reads the instruction cache for one warp, brings up to fetch_instructions
// of one line, and fills the warp's buffer decode_latency cycles after the data came. Fetching goes
// round the warps whose buffer has room for a whole fetch. With fetch_streams a warp may have several fetches
// on their way, which take room in its buffer from the start (so one warp alone can issue in every
// cycle, Huerta et al. 2025); else it has one at a time. A miss goes to memory and the warp asks
// again when the line is there.
//
// With L0 caches (sm.l0_bytes) a fetch reads its sub-core's, whose misses read the instruction
// cache of the SM: the line is ready l0_miss_latency later, and the lines behind it are asked for
// too, a line a cycle, so that straight code streams (Huerta et al. 2025 find a stream buffer
// there). Left out: sub-cores do not wait for each other at the SM's cache.
//
// Constant-bank operands are looked up when their instruction becomes the next of its warp; while a
// line is on its way the warp waits (pending.h). An arithmetic instruction's hit takes no time.
//
// Lines found lately are remembered (sm.hot, sm.constants), so that most look-ups never reach the tag
// array. They are forgotten whenever the cache changes, so the answer is the array's. What differs
// is the order of least use, which remembered look-ups do not touch.
#include "activity/sm.h"
#include "sm/caches.h"
#include "sm/ready.h"
#include "sm/sm_state.h"
#include "sm/wheel.h"

void front_flush(struct sm *s, uint32_t w) {
    struct warp *const warp = &s->res.warp[w];
    struct front *const f = &sub_of(s, w)->front;
    const uint64_t bit = BIT64(w);
    s->act.c[ACT_ibuffer_flushes] += warp->ib_n;
    warp->ib_n = 0;
    s->v.decoded &= ~bit;
    s->v.go &= ~bit;
    if ((f->fetching & bit) != 0 || warp->ib_coming != 0) {
        warp->fetch_gen++;
        warp->ib_coming = 0;
        f->fetching &= ~bit;
    }
}

// Where a line is remembered.
static inline struct hot_line *icache_hot(struct sm *s, uint64_t line) {
    return &s->hot[line >> s->caches.of[CLIENT_INST].line_shift & (HOT_LINES - 1)];
}

// Words of a line from a byte on.
static uint64_t words_at(uint64_t offset, uint32_t bytes) {
    const uint64_t n = (offset % 4 + bytes + 3) / 4;
    return (n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1) << offset / 4;
}

// Asks for the lines behind one that misses too, as far as the code goes and misses find room.
static void icache_prefetch(struct sm *s, uint64_t line, uint64_t code_end, uint64_t t) {
    const struct sm_cache *const c = &s->caches.of[CLIENT_INST];
    struct cache_access a = {.cycle = t, .line = line, .sectors = c->all, .client = CLIENT_INST};
    for (uint32_t i = 0; i < s->c.icache_prefetch; i++) {
        a.line += c->line_bytes;
        if (a.line >= code_end || mshr_find(c->mshr, a.line) >= 0) continue;
        if (caches_read(&s->caches, &a)) continue;
        if (!caches_prefetch(&s->caches, &a, t)) return;
    }
}

// A fetch of `bytes` whose line is not known to be there, or that a listener is to hear of.
// `*extra`: cycles that listeners add to a hit.
enum fetch_outcome {
    FETCH_HIT,
    FETCH_MISS,
    FETCH_REFUSED, // it could not even be asked for
    FETCH_LATE     // L0 will have it: an event wakes the warp
};
static enum fetch_outcome icache_access(struct sm *s, uint32_t w, uint64_t addr, uint32_t bytes,
                                        uint64_t t, uint32_t *extra) {
    const struct sm_cache *const c = &s->caches.of[CLIENT_INST];
    const uint64_t line = addr & ~c->line_mask;
    struct cache_access a = {.cycle = t,
                             .line = line,
                             .words = words_at(addr - line, bytes),
                             .sectors = c->all,
                             .client = CLIENT_INST};
    struct hot_line *const hot = icache_hot(s, line);
    if (hot->line == line) {
        a.place = hot->place;
    } else if (caches_read(&s->caches, &a)) {
        *hot = (struct hot_line){.line = line, .place = a.place};
    } else {
        const uint32_t waiter = w | (uint32_t)s->res.warp[w].fetch_gen << 8;
        if (caches_miss(&s->caches, &a, waiter, t) == MISS_REFUSED) return FETCH_REFUSED;
        s->act.c[ACT_icache_misses]++;
        const struct sm_kernel *const k = s->res.kernel[s->res.warp[w].kslot].kernel;
        if (s->c.icache_prefetch != 0)
            icache_prefetch(
                s, line, k->code_address + (uint64_t)k->image->n_insts * s->c.instruction_bytes, t);
        return FETCH_MISS;
    }
    *extra = caches_tell(&s->caches, CACHE_READ_HIT, &a);
    return FETCH_HIT;
}

// ---- L0 ----------------------------------------------------------------------------------------
static inline uint64_t *l0_known(struct l0_cache *l, const struct sm_cache *c, uint64_t line) {
    return &l->known[line >> c->line_shift & (L0_KNOWN - 1)];
}

// The line takes a place in L0, to be ready in a cycle.
static uint32_t l0_take(struct sm *s, struct l0_cache *l, uint64_t line, uint64_t ready,
                        bool is_ahead) {
    const struct cache_answer r = cache_fill(l->tags, line, 1);
    if (r.has_victim) {
        uint64_t *const known = l0_known(l, &s->caches.of[CLIENT_INST], r.victim);
        if (*known == r.victim) *known = NEVER;
    }
    l->line[r.place] = (struct l0_line){.ready = ready, .is_ahead = is_ahead};
    s->act.c[ACT_l0_misses]++;
    return r.place;
}

// The l0_ahead lines behind a line come too: from the instruction cache into L0, and what that cache
// lacks from memory into it, as far as the code goes and misses find room.
static void l0_go_ahead(struct sm *s, struct l0_cache *l, uint32_t w, uint64_t line, uint64_t t) {
    const struct sm_cache *const c = &s->caches.of[CLIENT_INST];
    const struct sm_kernel *const k = s->res.kernel[s->res.warp[w].kslot].kernel;
    const uint64_t end = k->code_address + (uint64_t)k->image->n_insts * s->c.instruction_bytes;
    struct cache_access a = {.cycle = t, .line = line, .sectors = c->all, .client = CLIENT_INST};
    for (uint32_t i = 1; i <= s->c.l0_ahead; i++) {
        a.line += c->line_bytes;
        if (a.line >= end) return;
        if (cache_place_of(l->tags, a.line) != CACHE_NOWHERE) continue;
        if (caches_read(&s->caches, &a))
            l0_take(s, l, a.line, t + s->c.l0_miss_latency + i, true);
        else if (mshr_find(c->mshr, a.line) < 0 && !caches_prefetch(&s->caches, &a, t))
            return;
    }
}

static enum fetch_outcome l0_access(struct sm *s, struct l0_cache *l, uint32_t w, uint64_t addr,
                                    uint32_t bytes, uint64_t t) {
    const struct sm_cache *const c = &s->caches.of[CLIENT_INST];
    const uint64_t line = addr & ~c->line_mask;
    uint64_t *const known = l0_known(l, c, line);
    if (*known == line) return FETCH_HIT;
    uint32_t place = cache_read(l->tags, line, 1).place;
    const uint64_t bit = BIT64(w);
    const bool came = (l->came & bit) != 0 && l->awaited[w] == line;
    l->came &= ~bit;
    // A fetch takes the line that it waited for as it comes, even when another line has taken its
    // place since.
    if (came && (place == CACHE_NOWHERE || l->line[place].ready > t)) return FETCH_HIT;
    bool goes_ahead = true;
    if (place == CACHE_NOWHERE) {
        uint32_t extra = 0;
        const enum fetch_outcome o = icache_access(s, w, addr, bytes, t, &extra);
        if (o == FETCH_REFUSED) return o;
        if (o == FETCH_MISS) {
            l0_go_ahead(s, l, w, line, t);
            return o;
        }
        place = l0_take(s, l, line, t + s->c.l0_miss_latency + extra, false);
    } else {
        goes_ahead = l->line[place].is_ahead;
        l->line[place].is_ahead = false;
    }
    const uint64_t ready = l->line[place].ready;
    if (goes_ahead) l0_go_ahead(s, l, w, line, t);
    if (ready <= t) {
        *known = line;
        return FETCH_HIT;
    }
    if ((l->late & bit) == 0) {
        l->late |= bit;
        l->awaited[w] = line;
        wheel_add(&s->wheel, t, ready, EVENT_FETCH, NULL, w, 0);
    }
    return FETCH_LATE;
}

void front_line_ready(struct sm *s, uint32_t w) {
    struct l0_cache *const l = &sub_of(s, w)->front.l0;
    l->late &= ~BIT64(w);
    l->came |= BIT64(w);
    front_want(s, w);
}

void front_forget_lines(struct sm *s) {
    memset(s->hot, 0xff, sizeof s->hot);
    for (uint32_t i = 0; i < s->n_subs; i++) {
        struct l0_cache *const l = &s->sub[i].front.l0;
        if (l->tags == NULL) continue;
        cache_invalidate(l->tags);
        memset(l->known, 0xff, sizeof l->known);
        l->came = 0;
    }
}

uint32_t front_has_line(const struct sm *s, uint64_t line) {
    uint32_t has = 0;
    for (uint32_t i = 0; i < s->n_subs; i++) {
        const struct l0_cache *const l = &s->sub[i].front.l0;
        has |= (uint32_t)(l->tags && cache_place_of(l->tags, line) != CACHE_NOWHERE) << i;
    }
    return has;
}
// Remembered places may be another line's by now.
void front_warm_line(struct sm *s, uint64_t line, uint32_t sub_cores) {
    memset(s->hot, 0xff, sizeof s->hot);
    FOR_EACH_BIT32(i, sub_cores) {
        struct l0_cache *const l = &s->sub[i].front.l0;
        if (!l->tags) continue;
        l->line[cache_fill(l->tags, line, 1).place] = (struct l0_line){0};
        memset(l->known, 0xff, sizeof l->known);
    }
}

static inline struct fetched *place_of(const struct fetches *k, uint32_t i) {
    return &k->ring[(k->first + i) & (k->places - 1)];
}

// Twice as many places for fetches on their way; all places are taken.
static void widen(struct fetches *k) {
    const uint32_t n = k->places - k->first; // from the first one to the ring's end
    memmove(&k->ring[2 * k->places - n], &k->ring[k->first], n * sizeof *k->ring);
    k->first = 2 * k->places - n;
    k->places *= 2;
}

// A fetch joins those on their way, ahead of fetches that are decoded later: there are such when a
// technique has delayed a hit.
static inline void add_fetched(struct sm *s, struct fetched x) {
    struct fetches *const k = &s->fetches;
    if (ww_unlikely(k->n == k->places)) widen(k);
    uint32_t i = k->n++;
    for (; i != 0 && ww_unlikely(place_of(k, i - 1)->cycle > x.cycle); i--)
        *place_of(k, i) = *place_of(k, i - 1);
    *place_of(k, i) = x;
    s->alarms.at[ALARM_DECODE] = min64(s->alarms.at[ALARM_DECODE], x.cycle);
}

// False: the fetch has not taken place: the line could not even be asked for, or is late.
static bool fetch_one(struct sm *s, struct front *f, uint32_t w, uint64_t t) {
    struct warp *const warp = &s->res.warp[w];
    const struct sm_kernel *k = s->res.kernel[warp->kslot].kernel;
    const uint64_t bit = BIT64(w);
    const uint32_t taken = warp->ib_n + warp->ib_coming, pc = warp->exec->pc + taken;
    f->want &= ~bit;
    if (pc >= k->image->n_insts) return true; // behind the last exit: nothing to bring
    const uint64_t addr = k->code_address + (uint64_t)pc * s->c.instruction_bytes;
    uint32_t n = k->image->n_insts - pc;
    if (n > s->c.fetch_instructions) n = s->c.fetch_instructions;
    if (n > s->c.ibuffer_entries - taken) n = s->c.ibuffer_entries - taken;
    const struct sm_cache *const c = &s->caches.of[CLIENT_INST];
    enum fetch_outcome outcome = FETCH_HIT;
    uint32_t extra = 0;
    if (c->tags != NULL) {
        const uint64_t line = addr & ~c->line_mask;
        const uint32_t left = (uint32_t)(line + c->line_bytes - addr), one = s->c.instruction_bytes;
        if (n * one > left && left >= one) n = left / one;
        if (f->l0.tags != NULL)
            outcome = l0_access(s, &f->l0, w, addr, n * one, t);
        else if (ww_unlikely(icache_hot(s, line)->line != line || s->tech.heard >> ARRAY_INST & 1))
            outcome = icache_access(s, w, addr, n * s->c.instruction_bytes, t, &extra);
    }
    if (outcome == FETCH_REFUSED) { // no register or no credit: again when something came back
        f->held |= bit;
        return false;
    }
    if (outcome == FETCH_LATE) return false;
    s->act.c[ACT_fetches]++;
    if (outcome == FETCH_MISS || !s->c.fetch_streams) f->fetching |= bit;
    if (outcome == FETCH_MISS) return true;
    warp->ib_coming = (uint8_t)(warp->ib_coming + n);
    front_want(s, w);
    // Fetches of a sub-core are decoded in their order.
    f->decoded_at = max64(f->decoded_at, t + s->c.icache.hit_latency + s->c.decode_latency + extra);
    add_fetched(s, (struct fetched){.cycle = f->decoded_at,
                                    .pc = pc,
                                    .warp = (uint8_t)w,
                                    .n = (uint8_t)n,
                                    .gen = warp->fetch_gen});
    return true;
}

void front_fetch(struct sm *s, struct front *f, uint64_t t) {
    for (uint32_t n = 0; n < f->width && f->want != 0;) {
        if (s->fetches.n == s->fetches.capacity) return; // flushed fetches still on their way
        const uint64_t behind = f->want & (~1ull << f->last);
        const uint32_t w = bits_first64(behind != 0 ? behind : f->want);
        if (!fetch_one(s, f, w, t)) continue;
        f->last = w;
        n++;
    }
}

// Fetched instructions go into the buffers.
void front_decode(struct sm *s, uint64_t t) {
    struct fetches *const k = &s->fetches;
    while (k->n != 0 && place_of(k, 0)->cycle <= t) {
        const struct fetched x = *place_of(k, 0);
        k->first = (k->first + 1) & (k->places - 1);
        k->n--;
        struct warp *const warp = &s->res.warp[x.warp];
        if (ww_unlikely(x.gen != warp->fetch_gen)) continue; // flushed since
        if (!s->c.fetch_streams) sub_of(s, x.warp)->front.fetching &= ~BIT64(x.warp);
        warp->ib_coming = (uint8_t)(warp->ib_coming - x.n);
        s->act.c[ACT_ibuffer_writes] += x.n;
        const bool was_empty = warp->ib_n == 0;
        warp->ib_n = (uint8_t)(warp->ib_n + x.n);
        if (was_empty)
            ready_head(s->ready, s, x.warp, &s->res.kernel[warp->kslot].kernel->inst[x.pc], t, t);
        front_want(s, x.warp);
    }
    s->alarms.at[ALARM_DECODE] = k->n != 0 ? place_of(k, 0)->cycle : NEVER;
}

void front_instructions_came(struct sm *s, const uint32_t *waiter, uint32_t n) {
    memset(s->hot, 0xff, sizeof s->hot);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t w = waiter[i] & 0xff;
        if ((uint16_t)(waiter[i] >> 8) != s->res.warp[w].fetch_gen) continue;
        sub_of(s, w)->front.fetching &= ~BIT64(w);
        front_want(s, w);
    }
}

// ---- constant operands -------------------------------------------------------------------------
// An operand of a warp's next instruction in the constant cache.
static struct cache_access operand_of(const struct sm *s, uint32_t w, const struct opnd *o,
                                      uint64_t t) {
    const struct warp *const warp = &s->res.warp[w];
    const struct sm_kernel *const k = s->res.kernel[warp->kslot].kernel;
    const uint64_t line = kernel_const_line(&s->c, k, o->bank, o->reg);
    const uint64_t offset =
        k->const_address + (uint64_t)o->bank * CONST_BANK_STRIDE + o->reg - line;
    return (struct cache_access){.cycle = t,
                                 .line = line,
                                 .words = words_at(offset, o->words * 4u),
                                 .sectors = s->caches.of[CLIENT_CONST].all,
                                 .lanes = warp->exec->active,
                                 .place = CACHE_NOWHERE,
                                 .client = CLIENT_CONST};
}

bool front_constant_miss(struct sm *s, const struct cache_access *a, uint32_t waiter) {
    const uint32_t before = s->caches.second_n;
    const uint64_t at = a->cycle + s->c.const_miss_latency_extra;
    if (caches_miss(&s->caches, a, waiter, at) == MISS_REFUSED) return false;
    if (s->caches.second_n != before)
        wheel_add(&s->wheel, a->cycle, a->cycle + s->c.const_second_latency, EVENT_SECOND, NULL, 0,
                  0);
    return true;
}

static bool constant_line(struct sm *s, uint32_t w, struct cache_access *a) {
    if (caches_read(&s->caches, a)) return true;
    if (!front_constant_miss(s, a, WAITER_WARP | w)) {
        s->constants.retry |= BIT64(w);
        return false;
    }
    s->act.c[ACT_const_misses]++;
    return false;
}

static const struct minst *head_of(const struct sm *s, uint32_t w) {
    const struct warp *const warp = &s->res.warp[w];
    const struct sm_kernel *const k = s->res.kernel[warp->kslot].kernel;
    return &k->image->inst[warp->head - k->inst];
}

// A line that is not known to be there. The operands themselves say which lines they need.
static bool look_up_constants(struct sm *s, uint32_t w, uint64_t t) {
    const struct minst *const m = head_of(s, w);
    const uint32_t kslot = s->res.warp[w].kslot;
    const struct sm_kernel *const k = s->res.kernel[kslot].kernel;
    bool all = true;
    for (uint32_t i = 0; i < WW_COUNT(m->src); i++) {
        if (m->src[i].kind != OPND_CONST) continue;
        struct cache_access a = operand_of(s, w, &m->src[i], t);
        if (!constant_line(s, w, &a)) {
            all = false;
            continue;
        }
        for (uint32_t b = 0; b < k->n_const_lines && b < MAX_CONST_LINES - 1; b++)
            if (k->const_line[b] == a.line) s->constants.known[kslot] |= BIT64(b);
    }
    return all;
}

// All operands are there: tells of each. False: listeners keep the warp waiting.
static bool tell_constants(struct sm *s, uint32_t w, uint64_t t) {
    const struct minst *const m = head_of(s, w);
    uint32_t extra = 0;
    for (uint32_t i = 0; i < WW_COUNT(m->src); i++) {
        if (m->src[i].kind != OPND_CONST) continue;
        struct cache_access a = operand_of(s, w, &m->src[i], t);
        a.place = cache_place_of(s->caches.of[CLIENT_CONST].tags, a.line);
        const uint32_t more = caches_tell(&s->caches, CACHE_READ_HIT, &a);
        extra = more > extra ? more : extra;
    }
    if (extra != 0) wheel_add(&s->wheel, t, t + extra, EVENT_CONSTANT, NULL, w, 0);
    return extra == 0;
}

// Rarely: a line that is not known to be there, or listeners.
bool front_constants(struct sm *s, uint32_t w, uint64_t t) {
    if (s->caches.of[CLIENT_CONST].tags == NULL) return true;
    const struct warp *const warp = &s->res.warp[w];
    const bool is_known = (warp->head->const_mask & ~s->constants.known[warp->kslot]) == 0;
    if (!is_known && !look_up_constants(s, w, t)) return false;
    const bool is_heard = s->tech.heard >> ARRAY_CONST & 1;
    if (!is_heard) s->constants.ok[warp->kslot] = s->constants.known[warp->kslot];
    return !is_heard || tell_constants(s, w, t);
}

void front_constants_there(struct sm *s, uint32_t w) {
    s->constants.retry &= ~BIT64(w);
    ready_go_on(s->ready, s, PENDING_constant, w);
}

static void retry_constants(struct sm *s, uint64_t t) {
    const uint64_t retry = s->constants.retry;
    s->constants.retry = 0;
    FOR_EACH_BIT64(w, retry) {
        if (!pending_has(&s->pending, PENDING_constant, (uint32_t)w)) continue;
        if (front_constants(s, (uint32_t)w, t)) front_constants_there(s, (uint32_t)w);
    }
}

void front_constants_came(struct sm *s, const uint32_t *waiter, uint32_t n, uint64_t t) {
    front_forget_constants(s);
    // Warps ask again for all lines that they need, so the waiters leave the list first.
    for (uint32_t i = 0; i < n; i++)
        if (waiter[i] & WAITER_WARP) s->constants.retry |= BIT64(waiter[i] & 0xff);
    retry_constants(s, t);
}

void front_forget_constants(struct sm *s) {
    memset(s->constants.known, 0, sizeof s->constants.known);
    memset(s->constants.ok, 0, sizeof s->constants.ok);
}

// ---- what found no room ------------------------------------------------------------------------
void front_retry(struct sm *s, uint64_t t) {
    for (uint32_t i = 0; i < s->n_subs; i++) {
        struct front *const f = &s->sub[i].front;
        FOR_EACH_BIT64(w, f->held) front_want(s, (uint32_t)w);
        f->held = 0;
    }
    retry_constants(s, t);
}
bool front_has_refused(const struct sm *s) {
    uint64_t held = s->constants.retry;
    for (uint32_t i = 0; i < s->n_subs; i++) held |= s->sub[i].front.held;
    return held != 0;
}
