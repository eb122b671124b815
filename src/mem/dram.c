// One DRAM channel and its controller: FR-FCFS over a window of requests, with every command at the
// exact clock that the timing parameters allow, and no ticking.
//
// A request passes the controller's pipeline (constant latency), waits for room in the window of
// its direction and joins its bank's list. A decision looks at the banks that have work, computes
// for each the earliest clock of the command that it needs next (column, activate, precharge), and
// takes the earliest; at the same clock columns go before rows and old requests before young. The
// choice stands until its clock, unless a new request changes what a bank needs. What a bank needs
// is kept in its slot and renewed only after something happened to it, so that a decision is a few
// branch-free instructions a bank.
//
// Reads have priority; writes gather until their window is high, then drain until it is low, or
// move when no read is there. A request that `starve` row hits have passed closes the row. All
// banks refresh every tREFI, at that clock or as soon as open rows may close. Constraints kept:
// tRCD tRP tRAS tRC tRRD tFAW tCCD_S/L tRTP tWR tWTR tRTW tRFC, one command a clock, one burst at a
// time on the data bus. Left out: power-down, per-bank refresh, the second command clock of GDDR5's
// masked writes, ordering between a read and a write of the same address (no data lives here).
//
// Sources: JEDEC JESD212 (GDDR5) and JESD79-3 (DDR3) for the constraints; Rixner et al., ISCA 2000
// for first-ready first-come first-served.
#include "mem/system.h"

#define NO_ROW UINT32_MAX
// A rank: rows after columns, then age, then the bank. A key puts the clocks to wait above it.
enum { BANK_BITS = 5, ROW_BIT = 43, WAIT_SHIFT = 44 };
// Kinds of a slot: below 8 the bank group of a column.
enum { KIND_ACTIVATE = 8, KIND_PRECHARGE, KINDS };

static inline uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }
static inline uint64_t min64(uint64_t a, uint64_t b) { return a < b ? a : b; }

bool dram_create(struct dram_channel *c, const struct dram_shape *s, struct activity *act) {
    c->s = s;
    c->act = act;
    c->bank = ww_alloc_aligned(s->banks * sizeof *c->bank);
    c->entry = ww_alloc_aligned(s->entries * sizeof *c->entry);
    c->done = ww_alloc_aligned(s->done_cap * sizeof *c->done);
    c->left = ww_alloc_aligned(s->left_cap * sizeof *c->left);
    c->slot = ww_alloc_aligned(s->banks * sizeof *c->slot);
    if (!c->bank || !c->entry || !c->done || !c->left || !c->slot) return false;
    dram_reset(c, 0);
    return true;
}

void dram_destroy(struct dram_channel *c) {
    ww_free_aligned(c->bank);
    ww_free_aligned(c->entry);
    ww_free_aligned(c->done);
    ww_free_aligned(c->left);
    ww_free_aligned(c->slot);
}

void dram_reset(struct dram_channel *c, uint64_t clock) {
    const struct dram_shape *s = c->s;
    struct dram_channel fresh = {.s = s,
                                 .act = c->act,
                                 .bank = c->bank,
                                 .entry = c->entry,
                                 .done = c->done,
                                 .left = c->left,
                                 .slot = c->slot,
                                 .next = NEVER,
                                 .cmd_ok = clock,
                                 .refresh_due = s->refi ? clock + s->refi : NEVER,
                                 .pipe_next = {NEVER, NEVER},
                                 .pipe_head = {NIL, NIL},
                                 .pipe_tail = {NIL, NIL},
                                 .accounted = clock,
                                 .open_from = clock,
                                 .close_at = clock};
    *c = fresh;
    for (uint32_t b = 0; b < s->banks; b++)
        c->bank[b] = (struct dram_bank){
            .row = NO_ROW, .hit = {NIL, NIL}, .head = {NIL, NIL}, .tail = {NIL, NIL}};
    for (uint32_t i = 0; i < s->entries; i++) c->entry[i].next = i + 1 < s->entries ? i + 1 : NIL;
}

// ---- counting open time ---------------------------------------------------------------------
static void count_open(struct dram_channel *c, uint64_t until) {
    if (until > c->open_from) {
        c->act->c[ACT_dram_open_cycles] += until - c->open_from;
        c->open_from = until;
    }
}
static void opened(struct dram_channel *c, uint32_t b, uint64_t t) {
    if (!c->open) {
        count_open(c, min64(c->close_at, t));
        c->open_from = max64(c->open_from, t);
    }
    c->open |= 1u << b;
}
static void closed(struct dram_channel *c, uint32_t b, uint64_t t) {
    struct dram_bank *k = &c->bank[b];
    c->open &= ~(1u << b);
    c->close_at = max64(c->close_at, t);
    c->act->c[ACT_dram_precharges]++;
    k->act_ok = max64(k->act_ok, t + c->s->rp);
    k->row = NO_ROW;
    k->hit[DIR_READ] = k->hit[DIR_WRITE] = NIL;
    c->hit[DIR_READ] &= ~(1u << b);
    c->hit[DIR_WRITE] &= ~(1u << b);
    c->stale |= 1u << b;
}

// ---- refresh --------------------------------------------------------------------------------
// Does the refreshes that are due at or before `now`.
static void refresh(struct dram_channel *c, uint64_t now) {
    const struct dram_shape *s = c->s;
    while (c->refresh_due <= now) {
        uint64_t t = max64(c->refresh_due, c->cmd_ok);
        if (c->open) {
            FOR_EACH_BIT32(b, c->open) t = max64(t, c->bank[b].pre_ok);
            FOR_EACH_BIT32(k, c->open) closed(c, k, t);
            c->cmd_ok = ++t;
        } else if (now - c->refresh_due >= s->refi && c->cmd_ok <= c->refresh_due) {
            // A channel that stays idle: all but the last of the refreshes leave no trace.
            const uint64_t n = (now - c->refresh_due) / s->refi;
            c->act->c[ACT_dram_refreshes] += n;
            c->refresh_due += n * s->refi;
            t = c->refresh_due;
        }
        for (uint32_t b = 0; b < s->banks; b++) t = max64(t, c->bank[b].act_ok);
        for (uint32_t b = 0; b < s->banks; b++) c->bank[b].act_ok = t + s->rfc;
        c->act->c[ACT_dram_refreshes]++;
        c->cmd_ok = t + 1;
        c->refresh_due += s->refi;
        c->stale = UINT32_MAX;
        c->picked = false;
    }
}

void dram_account(struct dram_channel *c, uint64_t clock) {
    if (c->refresh_due <= clock) refresh(c, clock);
    if (clock > c->accounted) {
        c->act->c[ACT_dram_cycles] += clock - c->accounted;
        c->accounted = clock;
    }
    count_open(c, c->open ? clock : min64(clock, c->close_at));
}

// ---- requests -------------------------------------------------------------------------------
void dram_push(struct dram_channel *c, uint64_t clock, uint32_t dir, uint64_t addr, uint32_t bursts,
               struct dram_done what) {
    const struct dram_shape *s = c->s;
    const uint32_t i = c->free;
    struct dram_entry *e = &c->entry[i];
    c->free = e->next;
    const uint64_t chunk = addr >> s->chunk_shift;
    const uint64_t rest = chunk >> s->bank_shift;
    uint32_t bank = (uint32_t)chunk & (s->banks - 1);
    const uint32_t row = (uint32_t)(rest >> s->chunks_a_row_shift) & ~(1u << 31);
    if (s->bank_hash) bank ^= row & (s->banks - 1);
    *e = (struct dram_entry){.what = what,
                             .visible = clock + s->controller_clocks,
                             .row = row,
                             .next = NIL,
                             .prev = NIL,
                             .bank = (uint8_t)bank,
                             .bursts = (uint8_t)bursts};
    if (c->pipe_tail[dir] == NIL) {
        c->pipe_head[dir] = i;
        c->pipe_next[dir] = e->visible;
    } else {
        c->entry[c->pipe_tail[dir]].next = i;
    }
    c->pipe_tail[dir] = i;
    c->piped[dir]++;
    c->queued[dir]++;
    c->act->c[ACT_mc_requests]++;
    if (e->visible < c->next) c->next = e->visible;
}

static void insert(struct dram_channel *c, uint32_t dir) {
    const uint32_t i = c->pipe_head[dir];
    struct dram_entry *e = &c->entry[i];
    struct dram_bank *k = &c->bank[e->bank];
    const uint32_t bit = 1u << e->bank;
    c->pipe_head[dir] = e->next;
    if (e->next == NIL) {
        c->pipe_tail[dir] = NIL;
        c->pipe_next[dir] = NEVER;
    } else {
        c->pipe_next[dir] = c->entry[e->next].visible;
    }
    c->piped[dir]--;
    e->seq = c->seq++;
    e->next = NIL;
    e->prev = k->tail[dir];
    if (k->tail[dir] == NIL)
        k->head[dir] = i;
    else
        c->entry[k->tail[dir]].next = i;
    k->tail[dir] = i;
    c->count[dir]++;
    // Whatever may change the choice undoes it.
    if (!(c->pend[dir] & bit)) {
        c->pend[dir] |= bit;
        c->stale |= bit;
        c->picked = false;
    }
    if (k->row == e->row && k->hit[dir] == NIL && k->streak < c->s->starve) {
        k->hit[dir] = i;
        k->hit_seq[dir] = e->seq;
        c->hit[dir] |= bit;
        c->stale |= bit;
        c->picked = false;
    }
    if (dir == DIR_WRITE
            ? c->count[dir] == c->s->write_high
            : c->mode == DIR_WRITE && (!c->draining || c->count[DIR_WRITE] <= c->s->write_low))
        c->picked = false;
}

static inline void insert_visible(struct dram_channel *c, uint64_t now) {
    while (c->pipe_next[DIR_READ] <= now && c->count[DIR_READ] < c->s->window[DIR_READ])
        insert(c, DIR_READ);
    while (c->pipe_next[DIR_WRITE] <= now && c->count[DIR_WRITE] < c->s->window[DIR_WRITE])
        insert(c, DIR_WRITE);
}

// ---- the choice -----------------------------------------------------------------------------
static void choose_direction(struct dram_channel *c) {
    const uint32_t reads = c->count[DIR_READ], writes = c->count[DIR_WRITE];
    const uint32_t high = c->s->write_high;
    uint8_t mode = c->mode;
    if (mode == DIR_READ) {
        if (!writes || (reads && writes < high)) return;
        mode = DIR_WRITE;
    } else if (!writes || (reads && (!c->draining || writes <= c->s->write_low))) {
        // Reads may have come while writes were plenty: then those go on, as a drain.
        mode = writes >= high ? DIR_WRITE : DIR_READ;
    } else {
        return;
    }
    c->draining = mode == DIR_WRITE && writes >= high;
    if (mode == c->mode) return;
    c->mode = mode;
    c->stale = UINT32_MAX;
}

static void renew_slots(struct dram_channel *c, uint32_t banks) {
    const uint32_t dir = c->mode;
    FOR_EACH_BIT32(b, banks) {
        const struct dram_bank *k = &c->bank[b];
        struct dram_slot *slot = &c->slot[b];
        if (c->hit[dir] >> b & 1) {
            slot->ready = k->col_ok;
            slot->kind = b & c->s->group_mask;
            slot->rank = k->hit_seq[dir] << BANK_BITS | b;
        } else {
            const bool is_open = c->open >> b & 1;
            slot->ready = is_open ? k->pre_ok : k->act_ok;
            slot->kind = is_open ? KIND_PRECHARGE : KIND_ACTIVATE;
            slot->rank = UINT64_C(1) << ROW_BIT | c->entry[k->head[dir]].seq << BANK_BITS | b;
        }
    }
}

static void pick(struct dram_channel *c, uint64_t now) {
    choose_direction(c);
    const struct dram_shape *s = c->s;
    const uint32_t dir = c->mode, pend = c->pend[dir];
    c->picked = pend != 0;
    if (!pend) return;
    if (c->stale) {
        renew_slots(c, c->stale & pend);
        c->stale = 0; // a bank without work is renewed when it gets some
    }
    const uint64_t start = max64(c->cmd_ok, now);
    uint64_t from[KINDS];
    uint64_t column = max64(start, max64(c->col_s, c->dir_ok[dir]));
    column = max64(column + s->latency[dir], c->bus_free) - s->latency[dir];
    for (uint32_t g = 0; g < s->groups; g++) from[g] = max64(column, c->col_l[g]);
    from[KIND_ACTIVATE] = max64(start, max64(c->act_rrd, c->faw[c->faw_at]));
    from[KIND_PRECHARGE] = start;
    uint64_t best = UINT64_MAX;
    FOR_EACH_BIT32(b, pend) {
        const struct dram_slot *slot = &c->slot[b];
        const uint64_t t = max64(slot->ready, from[slot->kind]);
        best = min64(best, (t - start) << WAIT_SHIFT | slot->rank);
    }
    c->picked_at = start + (best >> WAIT_SHIFT);
    c->picked_bank = (uint32_t)best & ((1u << BANK_BITS) - 1);
    c->picked_column = !(best >> ROW_BIT & 1);
}

// ---- commands -------------------------------------------------------------------------------
static void find_hit(struct dram_channel *c, uint32_t b, uint32_t dir, uint32_t from) {
    struct dram_bank *k = &c->bank[b];
    uint32_t i = from;
    while (i != NIL && c->entry[i].row != k->row) i = c->entry[i].next;
    k->hit[dir] = i;
    if (i == NIL) {
        c->hit[dir] &= ~(1u << b);
    } else {
        k->hit_seq[dir] = c->entry[i].seq;
        c->hit[dir] |= 1u << b;
    }
}

static void finish(struct dram_channel *c, uint32_t b, uint32_t dir, uint64_t t) {
    const struct dram_shape *s = c->s;
    struct dram_bank *k = &c->bank[b];
    const uint32_t i = k->hit[dir];
    struct dram_entry *e = &c->entry[i];
    const uint32_t next = e->next;
    if (e->prev == NIL)
        k->head[dir] = next;
    else
        c->entry[e->prev].next = next;
    if (next == NIL)
        k->tail[dir] = e->prev;
    else
        c->entry[next].prev = e->prev;
    if (k->head[dir] == NIL) c->pend[dir] &= ~(1u << b);
    c->count[dir]--;
    c->act->c[ACT_mc_queue_cycles] += t - e->visible;
    if (dir == DIR_READ) {
        struct dram_done *d = &c->done[c->done_tail++ & (s->done_cap - 1)];
        *d = e->what;
        d->tick = (t + s->latency[DIR_READ] + s->burst_clocks) * s->period;
    }
    c->left[c->left_tail++ & (s->left_cap - 1)] =
        (struct dram_left){.tick = t * s->period, .dir = dir};
    e->next = c->free;
    c->free = i;
    find_hit(c, b, dir, next);
}

static void column(struct dram_channel *c, uint32_t b, uint64_t t) {
    const struct dram_shape *s = c->s;
    const uint32_t dir = c->mode;
    struct dram_bank *k = &c->bank[b];
    struct dram_entry *e = &c->entry[k->hit[dir]];
    uint64_t *act = c->act->c;
    const uint64_t data_end = t + s->latency[dir] + s->burst_clocks;
    c->cmd_ok = t + 1;
    c->stale |= 1u << b;
    c->col_s = t + s->ccd_s;
    c->col_l[b & s->group_mask] = t + s->ccd_l;
    c->bus_free = data_end;
    act[ACT_dram_bus_cycles] += s->burst_clocks;
    if (dir == DIR_READ) {
        c->dir_ok[DIR_WRITE] = t + s->rtw;
        k->pre_ok = max64(k->pre_ok, t + s->rtp);
        act[ACT_dram_reads]++;
        act[ACT_dram_read_bytes] += s->burst_bytes;
    } else {
        c->dir_ok[DIR_READ] = data_end + s->wtr;
        k->pre_ok = max64(k->pre_ok, data_end + s->wr);
        act[ACT_dram_writes]++;
        act[ACT_dram_write_bytes] += s->burst_bytes;
    }
    act[k->fresh ? ACT_dram_row_misses : ACT_dram_row_hits]++;
    k->fresh = false;
    if (--e->bursts == 0) finish(c, b, dir, t);
    const uint32_t oldest = k->head[dir];
    if (oldest != NIL && c->entry[oldest].row != k->row && ++k->streak >= s->starve) {
        k->hit[dir] = NIL;
        c->hit[dir] &= ~(1u << b);
    }
    if (!s->open_page && !((c->hit[DIR_READ] | c->hit[DIR_WRITE]) >> b & 1))
        closed(c, b, k->pre_ok); // auto-precharge with the last burst
}

static void activate(struct dram_channel *c, uint32_t b, uint64_t t) {
    const struct dram_shape *s = c->s;
    struct dram_bank *k = &c->bank[b];
    opened(c, b, t);
    k->row = c->entry[k->head[c->mode]].row;
    k->col_ok = t + s->rcd;
    k->pre_ok = t + s->ras;
    k->act_ok = t + s->rc;
    k->fresh = true;
    k->streak = 0;
    c->act_rrd = t + s->rrd;
    c->faw[c->faw_at] = t + s->faw;
    c->faw_at = (c->faw_at + 1) & 3;
    c->cmd_ok = t + 1;
    c->stale |= 1u << b;
    c->act->c[ACT_dram_activates]++;
    find_hit(c, b, DIR_READ, k->head[DIR_READ]);
    find_hit(c, b, DIR_WRITE, k->head[DIR_WRITE]);
}

static void step(struct dram_channel *c) {
    const uint64_t now = c->next;
    if (ww_unlikely(c->refresh_due <= now)) refresh(c, now);
    insert_visible(c, now);
    if (!c->picked) pick(c, now);
    if (c->picked && c->picked_at <= now) {
        const uint32_t b = c->picked_bank;
        if (c->picked_column) {
            column(c, b, now);
        } else if (c->open >> b & 1) {
            closed(c, b, now);
            c->cmd_ok = now + 1;
        } else {
            activate(c, b, now);
        }
        insert_visible(c, now);
        pick(c, now);
    }
    uint64_t next = c->picked ? min64(c->picked_at, c->refresh_due) : NEVER;
    for (uint32_t dir = 0; dir < 2; dir++)
        if (c->count[dir] < c->s->window[dir]) next = min64(next, c->pipe_next[dir]);
    c->next = next;
}

void dram_run(struct dram_channel *c, const struct tick_clock *clock, uint64_t limit,
              bool slice_waits) {
    const struct dram_shape *s = c->s;
    // A slice that acts at a clock is heard of controller_clocks later.
    uint64_t until = limit == NEVER ? NEVER : clock_edge(clock, limit);
    const uint64_t ahead = s->controller_clocks;
    while (c->next < until) {
        const uint64_t now = c->next;
        const uint32_t done = c->done_tail, left = c->left_tail;
        step(c);
        if (c->done_tail != done)
            until = min64(until, now + s->latency[DIR_READ] + s->burst_clocks + ahead);
        if (slice_waits && c->left_tail != left) until = min64(until, now + ahead);
    }
}
