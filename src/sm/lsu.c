// The load/store unit (and, as a second instance, the texture unit): accesses in order of issue.
//
// An access enters the queue at issue. Its addresses are generated agu_lanes a cycle once its
// operands are read. When it is first in line and the unit is free it takes the banks of shared
// memory for its passes, or hands out one transaction a cycle and port (transact.c); a transaction
// that finds no miss register, no credit of the network and no line holds up everything behind it.
// What it waits for afterwards stands in the pending-request table (struct mem_op): the number of
// answers still to come and the cycle at which the last known one is there.
//
// Fully coalesced 32-bit accesses and conflict-free shared ones are recognised here, so that the
// general coalescer runs only where there is something to find out.
#include "activity/sm.h"
#include "sm/ready.h"
#include "sm/sm_state.h"
#include "sm/units.h"
#include "sm/wheel.h"

// ---- shapes of accesses -------------------------------------------------------------------------
// Lane i accesses addr[0] + 4 i.
static bool is_sequential(const uint64_t *addr) {
    uint64_t differ = 0;
    for (uint32_t i = 0; i < WARP_LANES; i++) differ |= addr[i] ^ (addr[0] + 4 * i);
    return differ == 0;
}
static bool is_uniform(const uint64_t *addr) {
    uint64_t differ = 0;
    for (uint32_t i = 0; i < WARP_LANES; i++) differ |= addr[i] ^ addr[0];
    return differ == 0;
}

// Passes through the banks. `*places`: of sub-cores, different words of 32 bits or wider ones; 0: not
// known yet.
static uint32_t passes_of(const struct sm *s, const struct exec_access *a, uint32_t mask,
                          uint32_t *portions, uint32_t *places) {
    const struct sm_config *const c = &s->c;
    const uint32_t a_pass = c->shared_lanes_a_pass;
    *portions = 1;
    *places = 0;
    if (a_pass < WARP_LANES) {
        *portions = 0;
        for (uint32_t i = 0; i < WARP_LANES; i += a_pass)
            *portions += ((mask >> i) & ((1u << a_pass) - 1)) != 0;
    } else if (a->bytes == 4 && c->shared_bank_bytes == 4 && c->shared_banks >= 32 &&
               !c->shared_one_broadcast) {
        if (mask == UINT32_MAX && is_sequential(a->addr)) {
            *places = WARP_LANES;
            return 1;
        }
        if (mask == UINT32_MAX && is_uniform(a->addr)) {
            *places = 1;
            return 1;
        }
        if (s->n_subs > 1) { // which count places: words that lie close together have banks of their own
            uint32_t span;
            *places = shared_spread(a->addr, mask, 4, &span);
            if (span <= c->shared_banks) return mask != 0;
        }
    }
    const struct shared_shape shape = {.banks = c->shared_banks,
                                       .bank_bytes = c->shared_bank_bytes,
                                       .lanes_a_pass = a_pass,
                                       .one_broadcast = c->shared_one_broadcast,
                                       .wide_extra = c->shared_wide_extra,
                                       .pairs = c->shared_pairs && a->kind == ACCESS_LOAD};
    return shared_access_passes(&shape, a->addr, mask, a->bytes);
}

// Most lanes that want the same word: an atomic serves them in rounds, one after another.
static uint32_t atomic_rounds(const struct exec_access *a, uint32_t mask) {
    enum { SLOTS = 64 };
    uint64_t word[SLOTS];
    uint8_t n[SLOTS] = {0};
    uint32_t most = 0;
    FOR_EACH_BIT32(lane, mask) {
        uint32_t i = (uint32_t)(a->addr[lane] >> 2) % SLOTS;
        while (n[i] != 0 && word[i] != a->addr[lane]) i = (i + 1) % SLOTS;
        word[i] = a->addr[lane];
        if (++n[i] > most) most = n[i];
    }
    return most;
}

// Different 32-bit words of constant memory, and the lines that they lie in.
static uint32_t words_and_lines(const struct exec_access *a, uint64_t base, uint64_t line_mask,
                                struct lsu_entry *e) {
    const uint64_t touched = a->bytes > 4 ? (UINT64_C(1) << a->bytes / 4) - 1 : 1; // of a lane
    uint64_t word[WARP_LANES];
    uint32_t words = 0;
    FOR_EACH_BIT32(lane, a->mask) {
        const uint64_t addr = a->addr[lane] + base, line = addr & ~line_mask;
        uint32_t i = 0;
        while (i < e->n && e->tx[i].addr != line) i++;
        if (i == e->n) e->tx[e->n++] = (struct transaction){.addr = line};
        e->tx[i].lanes |= 1u << lane;
        e->tx[i].touched |= touched << (addr & line_mask) / 4;
        for (i = 0; i < words && word[i] != addr; i++) continue;
        if (i == words) word[words++] = addr;
    }
    return words;
}

// Transactions of 32-bit accesses that need no search: a whole line in order, or one word for all.
static bool plain_shape(uint32_t kind, const uint64_t *addr, struct transaction *out) {
    if (kind < COALESCE_LINE128) return false;
    const bool is_line = kind == COALESCE_LINE128 || kind == COALESCE_LINE128_WARP;
    const uint64_t first = addr[0];
    const uint32_t word = (uint32_t)(first % 128) / 4;
    if (word == 0 && is_sequential(addr))
        *out = (struct transaction){.addr = first,
                                    .touched = UINT32_MAX,
                                    .lanes = UINT32_MAX,
                                    .words = UINT32_MAX,
                                    .bytes = 128,
                                    .sectors = 0xf,
                                    .full_sectors = 0xf};
    else if (is_uniform(addr))
        *out = (struct transaction){.addr = is_line ? first & ~127ull : first & ~31ull,
                                    .touched = 1u << (is_line ? word : word % 8),
                                    .lanes = UINT32_MAX,
                                    .words = 1u << word,
                                    .bytes = is_line ? 128 : 32,
                                    .sectors = (uint8_t)(1u << word / 8)};
    else
        return false;
    return true;
}

static uint16_t coalesced(struct sm *s, uint32_t kind, const struct exec_access *a,
                          struct lsu_entry *e) {
    const uint32_t mask = a->mask & ~a->mask2; // the others went to shared memory
    s->act.c[ACT_coalescer_inputs]++;
    uint32_t n = 0;
    if (a->space == SPACE_LOCAL && a->bytes > 4) { // a lane's words lie 128 bytes apart
        uint64_t addr[WARP_LANES];
        for (uint32_t at = 0; at < a->bytes; at += 4) {
            FOR_EACH_BIT32(lane, mask) addr[lane] = a->addr[lane] + at / 4 * 128;
            n += coalesce((enum coalesce_kind)kind, addr, mask, 4, e->tx + n);
        }
    } else if (a->bytes == 4 && mask == UINT32_MAX && plain_shape(kind, a->addr, e->tx)) {
        n = 1;
    } else if (mask != 0) {
        n = coalesce((enum coalesce_kind)kind, a->addr, mask, a->bytes, e->tx);
    }
    s->act.c[ACT_coalescer_transactions] += n;
    return (uint16_t)n;
}

// ---- operations in flight -----------------------------------------------------------------------
static uint16_t op_new(struct sm *s, uint32_t w, const struct sm_inst *in, uint32_t lanes) {
    const uint16_t i = s->lsu.op_free;
    struct mem_op *const o = &s->lsu.op[i];
    s->lsu.op_free = o->next;
    s->lsu.ops_used++;
    s->act.c[ACT_pending_table_writes]++;
    *o = (struct mem_op){.in = in, .warp = (uint8_t)w, .lanes = lanes};
    return i;
}

static void work_done(struct sm *s, enum pending_kind kind, uint32_t w, uint32_t group) {
    if (pending_done(&s->pending, &s->v, kind, w, group)) s->ready->look(s, w, s->v.cycle);
}

static void op_finish(struct sm *s, uint16_t i, uint64_t t) {
    struct mem_op *const o = &s->lsu.op[i];
    struct warp *const warp = &s->res.warp[o->warp];
    if (o->in->flags & SI_RESULT)
        wheel_add(&s->wheel, t, max64(o->done_at, t), EVENT_RESULT, o->in, o->warp, o->lanes);
    if (o->flags & OP_ASYNC) {
        o->flags = 0;
        warp->inflight--;
        work_done(s, PENDING_copies, o->warp, o->group);
        if (ww_unlikely(s->tma.arrivals != 0)) tma_op_done(s, i, t);
        if (warp->exited && warp->inflight == 0) cta_warp_drained(s, o->warp, t);
    }
    o->next = s->lsu.op_free;
    s->lsu.op_free = i;
    s->lsu.ops_used--;
}

void lsu_part_done(struct sm *s, uint16_t op, uint64_t done_at, uint64_t t) {
    struct mem_op *const o = &s->lsu.op[op];
    o->done_at = max64(o->done_at, done_at);
    if (--o->left == 0 && (o->flags & OP_ISSUED)) op_finish(s, op, t);
}

void lsu_store_acked(struct sm *s, uint32_t w) { work_done(s, PENDING_stores, w, 0); }

// ---- acceptance ---------------------------------------------------------------------------------
static uint32_t agu_cycles(const struct sm *s, uint32_t mask) {
    const uint32_t lanes = s->c.agu_lanes;
    if (lanes >= WARP_LANES || mask == 0) return 1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < WARP_LANES; i += lanes) n += ((mask >> i) & ((1u << lanes) - 1)) != 0;
    return n;
}

// Tells listeners of shared memory. CTAs of a kernel lie one behind the other, those of kernels
// that share the SM on top of each other.
static uint32_t tell_shared(struct sm *s, uint32_t w, const struct exec_access *a, uint32_t mask,
                            uint64_t t) {
    const struct cta_slot *const c = &s->res.cta[s->res.warp[w].cta];
    const uint64_t base = (uint64_t)c->block * s->res.kernel[c->kslot].kernel->cta_shared;
    uint64_t addr[WARP_LANES];
    FOR_EACH_BIT32(lane, mask) addr[lane] = base + a->addr[lane];
    const bool is_read =
        a->kind != ACCESS_STORE && a->kind != ACCESS_ATOMIC && a->kind != ACCESS_REDUCE;
    return technique_array(&s->tech,
                           &(struct cache_event){.cycle = t,
                                                 .place = CACHE_NOWHERE,
                                                 .lanes = mask,
                                                 .what = is_read ? CACHE_READ_HIT : CACHE_WRITE_HIT,
                                                 .array = ARRAY_SHARED,
                                                 .client = CLIENT_L1D,
                                                 .lane_bytes = a->bytes,
                                                 .lane_addr = addr});
}

// Bank cycles and latency of the shared-memory part of an access.
static void shared_part(struct sm *s, uint32_t w, const struct exec_access *a, uint32_t mask,
                        struct lsu_entry *e, uint64_t t) {
    const struct sm_config *const c = &s->c;
    uint64_t *const n = s->act.c;
    const bool is_atomic = a->kind == ACCESS_ATOMIC || a->kind == ACCESS_REDUCE;
    uint32_t portions, places;
    const uint32_t passes = passes_of(s, a, mask, &portions, &places);
    e->bank_cycles = (passes * c->shared_pass_cycles + 1) / 2;
    e->bank_latency = c->shared_latency;
    if (passes > portions)
        e->bank_latency += c->shared_replay_cycles != 0
                               ? (passes - portions) * c->shared_replay_cycles
                               : ((passes - portions) * c->shared_pass_cycles + 1) / 2;
    if (is_atomic) {
        // On these chips an atomic is a loop of instructions: load and lock, operate, store and
        // unlock, again for lanes that found the lock taken (cuobjdump shows LDSLK and STSUL). What
        // was measured is how long a warp is at it; the pipe is busy only for the load and the
        // store of each round (later rounds have fewer lanes: no conflicts assumed), and other
        // warps go on between. Not counted: the loop's issue slots, and warps that meet at one
        // lock.
        const uint32_t rounds = atomic_rounds(a, mask), agu = agu_cycles(s, mask);
        const uint32_t once = (c->shared_pass_cycles + 1) / 2;
        e->bank_cycles = 2 * ((e->bank_cycles > agu ? e->bank_cycles : agu) +
                              (rounds - 1) * (once > agu ? once : agu));
        e->bank_latency += rounds * c->shared_atomic_cycles;
    }
    if (e->bank_cycles == 0) e->bank_cycles = 1;
    shared_port_take(&s->shared_port, e->bank_cycles, t);
    n[is_atomic                 ? ACT_shared_atomics
      : a->kind == ACCESS_STORE ? ACT_shared_writes
                                : ACT_shared_reads]++;
    n[ACT_shared_lanes] += count_lanes(mask);
    if (s->n_subs > 1) {
        const uint32_t words = a->bytes > 4 ? a->bytes / 4 : 1;
        if (places == 0) places = shared_places(a->addr, mask, a->bytes > 4 ? a->bytes : 4);
        n[ACT_shared_words] += words * places;
        n[ACT_shared_lane_words] += words * count_lanes(mask);
    }
    n[ACT_shared_passes] += passes;
    n[ACT_shared_conflicts] += passes > portions ? passes - portions : 0;
    struct sm_inst_memory *const asked = asked_by(&s->res, w, e->in);
    if (ww_unlikely(asked != NULL)) {
        asked->passes += passes;
        asked->conflicts += passes > portions ? passes - portions : 0;
    }
    if (ww_unlikely(s->tech.heard >> ARRAY_SHARED & 1))
        e->bank_latency += tell_shared(s, w, a, mask, t);
}

// Which way an access to memory beyond shared memory goes, and its transactions.
// Passes of a load's data from L1 to the registers: tags are compared for the whole warp, but words
// of 8 and 16 bytes go by half and quarter warps, a line of each at a time.
static uint32_t l1_passes(const struct exec_access *a, uint32_t mask, uint32_t lines) {
    if (a->bytes <= 4 || a->space == SPACE_LOCAL) return lines;
    const uint32_t lanes = a->bytes >= 4 * WARP_LANES ? 1 : 4 * WARP_LANES / a->bytes;
    uint64_t line[WARP_LANES];
    uint32_t passes = 0;
    for (uint32_t first = 0; first < WARP_LANES; first += lanes) {
        uint32_t n = 0;
        FOR_EACH_BIT32(i, mask & ((1u << lanes) - 1) << first) {
            const uint64_t mine = a->addr[i] / 128;
            uint32_t k = 0;
            while (k < n && line[k] != mine) k++;
            if (k == n) line[n++] = mine;
        }
        passes += n;
    }
    return passes;
}

static void global_part(struct sm *s, const struct exec_access *a, struct lsu_entry *e) {
    const struct sm_config *const c = &s->c;
    const bool is_local = a->space == SPACE_LOCAL;
    const bool in_l1 =
        s->caches.of[CLIENT_L1D].tags != NULL && (is_local ? c->l1d_local : c->l1d_global);
    uint64_t *const n = s->act.c;
    switch (a->kind) {
    case ACCESS_STORE:
        e->path = is_local && in_l1 ? PATH_LOCAL_STORE : PATH_STORE;
        e->n = coalesced(s, c->coalesce_uncached, a, e);
        n[is_local ? ACT_lmem_writes : ACT_gmem_writes] += e->n;
        return;
    case ACCESS_ATOMIC:
    case ACCESS_REDUCE:
        e->path = a->kind == ACCESS_ATOMIC ? PATH_ATOMIC : PATH_REDUCE;
        e->rounds = (uint8_t)atomic_rounds(a, a->mask & ~a->mask2);
        e->n = coalesced(s, c->coalesce_uncached, a, e);
        n[ACT_gmem_writes] += e->n;
        return;
    case ACCESS_PREFETCH:
        e->path = PATH_PREFETCH;
        e->n = coalesced(s, c->coalesce_uncached, a, e);
        n[ACT_gmem_reads] += e->n;
        return;
    default: break;
    }
    const bool past_l1 = a->deferred || a->cop == MCOP_CG || a->cop == MCOP_CV;
    if (in_l1 && !past_l1) {
        e->path = PATH_L1;
        e->n = coalesced(s, c->coalesce, a, e);
        if (c->l1_pass_cycles != 0) {
            const uint32_t passes = l1_passes(a, a->mask & ~a->mask2, e->n),
                           cycles = (passes * c->l1_pass_cycles + 1) / 2;
            if (cycles > e->n) e->tail_cycles = cycles - e->n;
        }
    } else {
        e->path = PATH_BYPASS;
        e->n = coalesced(s, c->coalesce_uncached, a, e);
    }
    n[is_local ? ACT_lmem_reads : ACT_gmem_reads] += e->n;
}

// Lanes in shared memory of other blocks of the cluster: a transaction for each of their SMs.
static void remote_part(struct sm *s, uint32_t w, const struct exec_access *a,
                        struct lsu_entry *e) {
    const struct exec_cluster *const k = s->res.warp[w].exec->cta->cluster;
    const bool is_atomic = a->kind == ACCESS_ATOMIC || a->kind == ACCESS_REDUCE;
    const bool waits = a->kind == ACCESS_LOAD || a->kind == ACCESS_ATOMIC;
    uint32_t left = a->remote;
    while (left != 0 && e->n < LSU_TRANSACTIONS) {
        const uint64_t rank = a->addr[bits_first32(left)] >> 32;
        uint32_t lanes = 0, portions, words_of;
        FOR_EACH_BIT32(i, left) lanes |= (uint32_t)(a->addr[i] >> 32 == rank) << i;
        left &= ~lanes;
        const uint32_t places = is_atomic ? count_lanes(lanes) : shared_places(a->addr, lanes, a->bytes);
        const uint32_t data = (uint32_t)bits_align_up(places * a->bytes, 32);
        uint32_t passes = passes_of(s, a, lanes, &portions, &words_of);
        if (is_atomic) passes *= atomic_rounds(a, lanes);
        e->tx[e->n++] = (struct transaction){
            .is_remote = true,
            .addr = k->cta[rank]->sm_id,
            .lanes = lanes,
            .words = a->kind == ACCESS_LOAD ? 0 : data,
            .touched = waits ? data : 0,
            .passes = (uint8_t)(passes < UINT8_MAX ? passes : UINT8_MAX)};
        // The banks of the other SM are counted by the one that asks.
        const uint32_t words = a->bytes > 4 ? a->bytes / 4 : 1;
        uint64_t *const n = s->act.c;
        n[waits ? ACT_shared_remote_reads : ACT_shared_remote_writes]++;
        n[ACT_shared_lanes] += count_lanes(lanes);
        n[ACT_shared_words] += words * places;
        n[ACT_shared_lane_words] += words * count_lanes(lanes);
        n[ACT_shared_passes] += passes;
    }
    if (e->path != PATH_NONE) return; // lanes in global memory
    e->path = a->kind == ACCESS_LOAD     ? PATH_BYPASS
              : a->kind == ACCESS_ATOMIC ? PATH_ATOMIC
              : a->kind == ACCESS_REDUCE ? PATH_REDUCE
                                         : PATH_STORE;
}

static void describe(struct sm *s, uint32_t w, const struct exec_access *a, struct lsu_entry *e,
                     uint64_t t) {
    const struct sm_kernel *const k = s->res.kernel[s->res.warp[w].kslot].kernel;
    e->n = e->next = 0;
    e->path = PATH_NONE;
    e->bank_cycles = e->bank_latency = e->tail_cycles = 0;
    e->space = a->space;
    e->started = false;
    uint32_t on_chip = a->mask2;
    if (a->kind == ACCESS_TEX) {
        e->path = PATH_TEX;
        words_and_lines(a, 0, s->caches.of[CLIENT_TEX].line_mask, e);
        s->act.c[ACT_tex_fetches] += count_lanes(a->mask);
        return;
    }
    if (a->space == SPACE_CONST || a->space == SPACE_PARAM) {
        const uint64_t bank = a->space == SPACE_CONST ? a->bank : (uint64_t)CB_LAUNCH;
        e->path = PATH_CONST;
        const uint32_t words = words_and_lines(a, k->const_address + bank * CONST_BANK_STRIDE,
                                               s->caches.of[CLIENT_CONST].line_mask, e);
        const uint32_t each = s->c.const_request_cycles > 1 ? s->c.const_request_cycles : 1;
        const uint32_t last = (words - 1) * each + 1; // cycle in which the last request goes
        e->tail_cycles = words != 0 && last > e->n ? last - e->n : 0;
        return;
    }
    if (a->space == SPACE_SHARED) {
        on_chip |= a->mask;
    } else if ((a->mask & ~a->mask2) != 0) {
        global_part(s, a, e);
    }
    if (on_chip != 0) shared_part(s, w, a, on_chip, e, t);
    if (ww_unlikely(a->remote != 0)) remote_part(s, w, a, e);
}

// What an access that has been described asks of memory beyond shared memory. Of one that nothing
// waits for this is all that is told: each of its transactions is a request to L2, but for local
// stores, which stay in L1, and for prefetches, which may be dropped.
static void tell_asked(struct sm_inst_memory *asked, const struct lsu_entry *e) {
    const bool sends = e->path == PATH_STORE || e->path == PATH_REDUCE;
    asked->accesses++;
    asked->transactions += e->n;
    for (uint32_t i = 0; sends && i < e->n; i++) {
        asked->requests++;
        asked->request_bytes += e->tx[i].bytes;
    }
}

static void shared_now(struct sm *s, struct lsu_queue *u, const struct lsu_entry *e, uint64_t start,
                       uint64_t t) {
    units_hold(s, u->pipe, start, start, start + e->bank_cycles, true);
    u->free_at = start + e->bank_cycles;
    if (e->flags & SI_RESULT)
        wheel_add(&s->wheel, t, start + e->bank_latency, EVENT_RESULT, e->in, e->warp, e->lanes);
}

// On Tesla shared memory is an operand of any instruction, and loads and stores of it are moves:
// the lanes wait for its banks (Lindholm et al. 2008; envytools, Tesla CUDA ISA). A multiply-add
// with such an operand takes six hot cycles instead of four (Volkov and Demmel, SC08): a load that
// its only user can take as an operand (SI_FOLDED) costs the other two, a core cycle.
uint32_t lsu_on_lanes(struct sm *s, const struct issue *o, uint64_t t) {
    const struct exec_access *const a = o->access;
    const struct sm_inst *const in = o->in;
    struct lsu_entry e;
    s->act.c[ACT_agu_addresses] += count_lanes(a->mask);
    e.in = in;
    shared_part(s, o->warp, a, a->mask, &e, t);
    const uint64_t ready = o->operands_at + agu_cycles(s, a->mask) + in->latency;
    const uint64_t start = max64(ready, s->lsu.banks_free_at);
    s->lsu.banks_free_at = start + e.bank_cycles;
    // Schedulers issue such an access without looking at the LD/ST unit, so no technique may switch
    // that off here (savings.c refuses it).
    units_hold(s, s->lsu.ldst.pipe, start, start, start + e.bank_cycles, false);
    if (in->flags & SI_RESULT)
        wheel_add(&s->wheel, t, start + e.bank_latency, EVENT_RESULT, in, o->warp, o->lanes);
    const uint32_t hold = e.bank_cycles > in->interval ? e.bank_cycles : in->interval;
    return in->flags & SI_FOLDED && hold > 1 ? hold - 1 : hold;
}

// The entry in place `at` of the ring, the newest, moves in front of those whose sub-cores hand them
// over later than its own does. True: in front of all.
static bool overtakes_all(struct lsu_queue *u, uint32_t at) {
    const uint16_t mine = u->order[at];
    uint32_t left = u->n;
    for (; left != 0; left--) {
        const uint32_t before = at == 0 ? u->capacity - 1 : at - 1;
        const struct lsu_entry *const e = &u->entry[u->order[before]];
        if (e->started || e->ready <= u->entry[mine].ready) break;
        u->order[at] = u->order[before];
        at = before;
    }
    u->order[at] = mine;
    return left == 0;
}

void lsu_accept(struct sm *s, const struct issue *o, uint64_t t) {
    const struct exec_access *const a = o->access;
    struct lsu_queue *const u = o->in->unit == UNIT_TEX ? &s->lsu.tex : &s->lsu.ldst;
    uint32_t at = u->first + u->n;
    if (at >= u->capacity) at -= u->capacity;
    struct lsu_entry *const e = &u->entry[u->order[at]];
    e->in = o->in;
    e->flags = o->in->flags;
    e->aux = o->in->aux;
    e->warp = (uint8_t)o->warp;
    e->lanes = o->lanes;
    e->policy = a->policy;
    e->window = sm_window_of(s, o->warp);
    e->op = OP_NONE;
    const uint32_t lanes = a->mask | a->mask2 | a->remote;
    e->ready = o->operands_at + agu_cycles(s, lanes) + o->in->latency;
    s->act.c[ACT_agu_addresses] += count_lanes(lanes);
    describe(s, o->warp, a, e, t);
    e->start_slot = u->start_at;
    if (++u->start_at == u->queue) u->start_at = 0;
    if (e->path == PATH_NONE && u->n == 0 && e->bank_cycles != 0 && !o->is_behind) {
        const uint64_t start = max64(e->ready, u->free_at);
        u->start[e->start_slot] = start;
        shared_now(s, u, e, start, t);
        return;
    }
    if (e->path == PATH_STORE || e->path == PATH_REDUCE || e->path == PATH_LOCAL_STORE) {
        pending_add(&s->pending, PENDING_stores, o->warp); // until its transactions are out
    } else if (e->path != PATH_NONE && e->path != PATH_PREFETCH) {
        e->op = op_new(s, o->warp, o->in, o->lanes);
        if (a->kind == ACCESS_ASYNC_COPY) {
            struct mem_op *const op = &s->lsu.op[e->op];
            op->flags |= OP_ASYNC;
            op->group = (uint8_t)pending_add(&s->pending, PENDING_copies, o->warp);
            s->res.warp[o->warp].inflight++;
        }
    }
    if (ww_unlikely(s->counts_instructions) && e->path != PATH_NONE)
        tell_asked(asked_by(&s->res, o->warp, o->in), e);
    u->start[e->start_slot] = NEVER;
    const bool has_ways = s->c.memory_interval > 1 && u == &s->lsu.ldst;
    const bool is_first = u->n == 0 || (has_ways && overtakes_all(u, at));
    u->n++;
    if (is_first) s->alarms.at[u->alarm] = max64(e->ready, u->free_at);
}

// ---- progress -----------------------------------------------------------------------------------
// The first access leaves its entry, which is the next one to be used: entries are large, and few of them
// stay in the host's cache.
static void give_back(struct lsu_queue *u) {
    const uint32_t left = u->first;
    if (++u->first == u->capacity) u->first = 0;
    u->n--;
    uint32_t next = u->first + u->n;
    if (next >= u->capacity) next -= u->capacity;
    const uint16_t entry = u->order[left];
    u->order[left] = u->order[next];
    u->order[next] = entry;
}

static void finish(struct sm *s, struct lsu_queue *u, struct lsu_entry *e, uint64_t t) {
    if (e->path == PATH_STORE || e->path == PATH_REDUCE || e->path == PATH_LOCAL_STORE)
        lsu_store_acked(s, e->warp);
    if (e->op != OP_NONE) {
        s->lsu.op[e->op].flags |= OP_ISSUED;
        if (s->lsu.op[e->op].left == 0) op_finish(s, e->op, t);
    } else if (e->path == PATH_NONE && e->bank_cycles == 0 && (e->flags & SI_RESULT)) {
        wheel_add(&s->wheel, t, t, EVENT_RESULT, e->in, e->warp, e->lanes);
    }
    give_back(u);
}

void lsu_step(struct sm *s, struct lsu_queue *u, uint64_t t) {
    while (u->n != 0) {
        struct lsu_entry *const e = lsu_queue_first(u);
        if (!e->started) {
            uint64_t start = max64(e->ready, u->free_at);
            if (e->path == PATH_CONST) start = max64(start, s->lsu.const_free_at);
            if (start > t) {
                s->alarms.at[u->alarm] = start;
                return;
            }
            e->started = true;
            e->begun = start;
            u->start[e->start_slot] = t;
            if (e->bank_cycles != 0 && e->path == PATH_NONE) {
                shared_now(s, u, e, start, t);
                finish(s, u, e, t);
                continue;
            }
            if (e->bank_cycles != 0) { // a generic access that went both ways
                if (e->op != OP_NONE) s->lsu.op[e->op].done_at = start + e->bank_latency;
                u->free_at = e->begun = start + e->bank_cycles;
            }
        }
        if (t < e->begun) {
            s->alarms.at[u->alarm] = e->begun;
            return;
        }
        const uint32_t ports = e->path == PATH_L1 ? s->caches.of[CLIENT_L1D].ports : 1;
        for (uint32_t p = 0; p < ports && e->next < e->n; p++, e->next++) {
            if (lsu_transact(s, e, t)) continue;
            if (u->blocked_since == NEVER) u->blocked_since = t;
            s->alarms.at[u->alarm] = NEVER;
            return;
        }
        if (u->blocked_since != NEVER) {
            s->act.c[ACT_l1_stalls] += t - u->blocked_since;
            u->blocked_since = NEVER;
        }
        if (e->next < e->n) {
            s->alarms.at[u->alarm] = t + 1;
            return;
        }
        u->free_at = e->n == 0 ? max64(t, e->begun) : t + 1;
        if (e->path != PATH_CONST || s->c.const_request_cycles == 0)
            u->free_at += e->tail_cycles;
        else
            s->lsu.const_free_at = t + e->tail_cycles + s->c.const_request_cycles;
        if (u == &s->lsu.ldst) u->free_at = max64(u->free_at, e->begun + s->c.l1_access_cycles);
        units_hold(s, u->pipe, e->begun, e->begun, max64(u->free_at, t + 1), true);
        finish(s, u, e, t);
    }
    s->alarms.at[u->alarm] = NEVER;
}
