// The front end: a fetch reads the instruction cache for one warp, brings up to fetch_instructions
// of one line, and fills the warp's buffer decode_latency cycles after the data came. Fetching goes
// round the warps whose buffer has room for a whole fetch. A miss goes to memory and the warp asks
// again when the line is there.
//
// Constant-bank operands are looked up when their instruction becomes the next of its warp; while a
// line is on its way the warp waits (`wait_const`). An arithmetic instruction's hit takes no time.
//
// Lines seen lately are remembered (icache_hot, const_ok) so that most look-ups never reach the tag
// array; both are forgotten whenever the cache changes, so the answer is the array's, but for the
// order of least use among lines that are all there.
#include "sm/scoreboard.h"
#include "sm/sm_state.h"

void front_flush(struct sm *s, uint32_t w) {
    struct warp *const W = &s->warp[w];
    const uint64_t bit = BIT64(w);
    s->act.c[ACT_ibuffer_flushes] += W->ib_n;
    W->ib_n = 0;
    s->v.decoded &= ~bit;
    s->v.go &= ~bit;
    if (s->fetching & bit) {
        W->fetch_gen++;
        s->fetching &= ~bit;
    }
}

// The lines behind one that misses are asked for too, as far as there is code and room.
static void icache_prefetch(struct sm *s, uint64_t line, uint64_t code_end, uint64_t t) {
    const struct sm_cache *const c = &s->cache[CLIENT_INST];
    for (uint32_t i = 0; i < s->c.icache_prefetch; i++) {
        line += c->line_bytes;
        bool merged;
        if (line >= code_end || mshr_find(c->mshr, line) >= 0) continue;
        if (cache_read(c->tags, line, c->all) == CACHE_HIT) continue;
        if (!miss_add(s, CLIENT_INST, line, c->all, NO_WAITER, t, &merged)) return;
    }
}

// Whether the line is in the instruction cache. A miss is asked for; `*failed` when it could not
// be.
static bool icache_has(struct sm *s, uint64_t line, uint32_t w, uint64_t t, bool *failed) {
    const struct sm_cache *const c = &s->cache[CLIENT_INST];
    *failed = false;
    if (c->tags == NULL) return true;
    const uint32_t hot = (uint32_t)(line / c->line_bytes) % HOT_LINES;
    if (ww_likely(s->icache_hot[hot] == line)) return true;
    if (cache_read(c->tags, line, c->all) == CACHE_HIT) {
        s->icache_hot[hot] = line;
        return true;
    }
    const uint32_t waiter = w | (uint32_t)s->warp[w].fetch_gen << 8;
    bool merged;
    *failed = !miss_add(s, CLIENT_INST, line, c->all, waiter, t, &merged);
    if (*failed) return false;
    s->act.c[ACT_icache_misses]++;
    const struct sm_kernel *const k = s->kernel[s->warp[w].kslot].kernel;
    if (s->c.icache_prefetch != 0)
        icache_prefetch(s, line,
                        k->code_address + (uint64_t)k->image->n_insts * s->c.instruction_bytes, t);
    return false;
}

// False: the line could not even be asked for; the fetch has not taken place.
static bool fetch_one(struct sm *s, uint32_t w, uint64_t t) {
    struct warp *const W = &s->warp[w];
    const struct sm_kernel *k = s->kernel[W->kslot].kernel;
    const uint64_t bit = BIT64(w);
    const uint32_t pc = W->ew->pc + W->ib_n;
    s->fetch_want &= ~bit;
    if (pc >= k->image->n_insts) return true; // behind the last exit: nothing to bring
    const uint64_t addr = k->code_address + (uint64_t)pc * s->c.instruction_bytes;
    uint32_t n = k->image->n_insts - pc;
    if (n > s->c.fetch_instructions) n = s->c.fetch_instructions;
    if (n > s->c.ibuffer_entries - W->ib_n) n = s->c.ibuffer_entries - W->ib_n;
    uint64_t line = addr;
    if (s->cache[CLIENT_INST].tags != NULL) {
        const struct sm_cache *const c = &s->cache[CLIENT_INST];
        line = addr & ~c->line_mask;
        const uint32_t in_line = (uint32_t)(line + c->line_bytes - addr) / s->c.instruction_bytes;
        if (in_line != 0 && n > in_line) n = in_line;
    }
    bool failed;
    const bool hit = icache_has(s, line, w, t, &failed);
    if (failed) { // no register or no credit: again when something came back
        s->fetch_held |= bit;
        return false;
    }
    s->act.c[ACT_fetches]++;
    const uint32_t extra = policy_array(s, SM_ARRAY_ICACHE, line, 1, 0, false, hit, false, t);
    s->fetching |= bit;
    if (!hit) return true;
    const uint32_t at = (s->decode_first + s->decode_n) % s->decode_cap;
    const uint64_t cycle = t + s->c.icache.hit_latency + s->c.decode_latency + extra;
    s->decode[at] = (struct fetched){
        .cycle = cycle, .pc = pc, .warp = (uint8_t)w, .n = (uint8_t)n, .gen = W->fetch_gen};
    if (s->decode_n++ == 0) s->decode_at = cycle;
    return true;
}

void front_fetch(struct sm *s, uint64_t t) {
    for (uint32_t n = 0; n < s->c.fetch_width && s->fetch_want != 0;) {
        if (s->decode_n == s->decode_cap) return; // flushed fetches still on their way
        const uint64_t behind = s->fetch_want & (~1ull << s->fetch_last);
        const uint32_t w = bits_first64(behind != 0 ? behind : s->fetch_want);
        if (!fetch_one(s, w, t)) continue;
        s->fetch_last = w;
        n++;
    }
}

void front_decode(struct sm *s, uint64_t t) {
    while (s->decode_n != 0 && s->decode[s->decode_first].cycle <= t) {
        const struct fetched f = s->decode[s->decode_first];
        if (++s->decode_first == s->decode_cap) s->decode_first = 0;
        s->decode_n--;
        struct warp *const W = &s->warp[f.warp];
        if (f.gen != W->fetch_gen) continue; // flushed since
        s->fetching &= ~BIT64(f.warp);
        s->act.c[ACT_ibuffer_writes] += f.n;
        const bool was_empty = W->ib_n == 0;
        W->ib_n = (uint8_t)(W->ib_n + f.n);
        assert(W->ib_n <= s->c.ibuffer_entries);
        if (was_empty) scoreboard_head(s, f.warp, &W->code[f.pc], t);
        front_want(s, f.warp);
    }
    s->decode_at = s->decode_n != 0 ? s->decode[s->decode_first].cycle : NEVER;
}

void front_icache_reply(struct sm *s, uint64_t addr, uint32_t sectors, uint64_t t) {
    const struct sm_cache *const c = &s->cache[CLIENT_INST];
    const uint64_t line = addr & ~c->line_mask;
    struct cache_victim v;
    cache_fill_line(c->tags, line, sectors, &v);
    memset(s->icache_hot, 0xff, sizeof s->icache_hot);
    policy_array(s, SM_ARRAY_ICACHE, line, sectors, 0, true, false, true, t);
    const uint32_t n = mshr_fill(c->mshr, line, sectors, s->mshr_out);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t w = s->mshr_out[i] & 0xff;
        if ((uint16_t)(s->mshr_out[i] >> 8) != s->warp[w].fetch_gen) continue;
        s->fetching &= ~BIT64(w);
        front_want(s, w);
    }
}

// ---- constant operands -------------------------------------------------------------------------
static bool constant_line(struct sm *s, uint32_t w, uint64_t line, uint64_t t) {
    const struct sm_cache *const c = &s->cache[CLIENT_CONST];
    if (cache_read(c->tags, line, c->all) == CACHE_HIT) return true;
    bool merged;
    if (!miss_add(s, CLIENT_CONST, line, c->all, WAITER_WARP | w,
                  t + s->c.const_miss_latency_extra, &merged)) {
        s->const_retry |= BIT64(w);
        return false;
    }
    s->act.c[ACT_const_misses]++;
    return false;
}

// Rarely: a line that is not known to be there. The operands themselves say which lines they need.
bool front_constants(struct sm *s, uint32_t w, uint64_t t) {
    if (s->cache[CLIENT_CONST].tags == NULL) return true;
    const struct warp *const W = &s->warp[w];
    const struct sm_kernel *const k = s->kernel[W->kslot].kernel;
    const struct minst *const m = &k->image->inst[W->head - W->code];
    bool all = true;
    for (uint32_t i = 0; i < WW_COUNT(m->src); i++) {
        if (m->src[i].kind != OPND_CONST) continue;
        const uint64_t line = kernel_const_line(&s->c, k, m->src[i].bank, m->src[i].reg);
        if (!constant_line(s, w, line, t)) {
            all = false;
            continue;
        }
        for (uint32_t b = 0; b < k->n_const_lines && b < MAX_CONST_LINES - 1; b++)
            if (k->const_line[b] == line) s->const_ok[W->kslot] |= BIT64(b);
    }
    return all;
}

void front_constant_arrived(struct sm *s, uint32_t w, uint64_t t) {
    if (!(s->v.wait_const & BIT64(w))) return;
    if (!front_constants(s, w, t)) return;
    s->v.wait_const &= ~BIT64(w);
    s->const_retry &= ~BIT64(w);
    scoreboard_unblock(s, w);
}
