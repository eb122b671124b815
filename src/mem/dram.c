// One DRAM channel and its controller: FR-FCFS over a window of requests, with every command at the
// exact clock that the timing parameters allow, and no ticking.
//
// A request passes the controller's pipeline (constant latency), waits for room in the window of
// its direction and joins its bank's list. A decision looks at the banks that have work, computes
// for each the earliest clock of the command that it needs next (column, activate, precharge), and
// takes the earliest; at the same clock columns go before rows and old requests before young. The
// choice stands until its clock, unless a new request changes what a bank needs. When the data bus
// allows a column, most often several banks can give it: their ages lie side by side, and the
// oldest is found by vector instructions without a branch. What a choice is made of (the oldest of
// each bank group, the next clock of a row command) is kept until something changes it. Reads have
// priority; writes gather until their window is high, then drain until it is low, or move when no
// read is there. A request that `starve` row hits have passed closes the row. All banks refresh
// every tREFI, at that clock or as soon as open rows may close, or one after the other (rfc_one).
// Constraints kept: tRCD tRP tRAS tRC tRRD tFAW tCCD_S/L tRTP tWR tWTR tRTW tRFC tRFCSB, one command
// a clock, one burst at a time on the data bus. Left out: power-down, the second command clock of
// GDDR5's masked writes, ordering between a read and a write of the same address (no data lives
// here).
//
// Sources: JEDEC JESD212 (GDDR5) and JESD79-3 (DDR3) for the constraints; Rixner et al., ISCA 2000
// for first-ready first-come first-served.
#include "mem/system.h"

#define NO_ROW UINT32_MAX
enum { BANK_BITS = 5, AGE_BITS = 26 }; // of a rank
#define COLD __attribute__((noinline)) // keeps registers of the common way free
typedef int32_t v4 __attribute__((vector_size(16)));


bool dram_create(struct dram_channel *c, const struct dram_shape *s, struct activity *act) {
    c->s = s;
    c->act = act;
    c->bank = ww_alloc_aligned(s->banks * sizeof *c->bank);
    c->entry = ww_alloc_aligned(s->entries * sizeof *c->entry);
    c->done = ww_alloc_aligned(s->done_cap * sizeof *c->done);
    c->left = ww_alloc_aligned(s->left_cap * sizeof *c->left);
    c->lane = ww_alloc_aligned(sizeof *c->lane);
    if (!c->lane || !c->bank || !c->entry || !c->done || !c->left) return false;
    dram_reset(c, 0);
    return true;
}

void dram_destroy(struct dram_channel *c) {
    ww_free_aligned(c->bank);
    ww_free_aligned(c->entry);
    ww_free_aligned(c->done);
    ww_free_aligned(c->left);
    ww_free_aligned(c->lane);
}

void dram_reset(struct dram_channel *c, uint64_t clock) {
    const struct dram_shape *s = c->s;
    *c = (struct dram_channel){.s = s,
                               .act = c->act,
                               .bank = c->bank,
                               .entry = c->entry,
                               .done = c->done,
                               .left = c->left,
                               .lane = c->lane,
                               .epoch = clock,
                               .next = NEVER,
                               .insert_at = NEVER,
                               .cmd_ok = clock,
                               .refresh_due = !s->refi      ? NEVER
                                              : s->rfc_one ? clock + s->refi / s->banks
                                                           : clock + s->refi,
                               .free = NIL,
                               .pipe_next = {NEVER, NEVER},
                               .pipe_head = {NIL, NIL},
                               .pipe_tail = {NIL, NIL},
                               .accounted = clock,
                               .open_from = clock,
                               .close_at = clock};
    const struct dram_list none = {.hit = NIL, .head = NIL, .tail = NIL};
    for (uint32_t b = 0; b < s->banks; b++)
        c->bank[b] = (struct dram_bank){.list = {none, none}, .row = NO_ROW};
    *c->lane = (struct dram_lanes){0};
    for (uint32_t b = 0; b < DRAM_BANKS; b++) {
        c->lane->closed[b] = -1;
        c->lane->hit_rank[DIR_READ][b] = c->lane->hit_rank[DIR_WRITE][b] = INT32_MAX;
    }
}

// ---- lanes: what decisions look at ----------------------------------------------------------
static inline int32_t since(const struct dram_channel *c, uint64_t clock) {
    return clock > c->epoch ? (int32_t)(clock - c->epoch) : 0;
}

static inline int32_t rank_of(const struct dram_channel *c, uint32_t i, uint32_t b) {
    const uint64_t seq = c->entry[i].seq;
    return (int32_t)((seq > c->rank_base ? seq - c->rank_base : 0) << BANK_BITS | b);
}

static inline void renew_row(struct dram_channel *c, uint32_t b) {
    const bool is_open = c->open >> b & 1;
    c->lane->row_at[b] = since(c, is_open ? c->bank[b].pre_ok : c->bank[b].act_ok);
    c->lane->closed[b] = is_open ? 0 : -1;
    c->rows_known = false;
}

static void renew_ranks(struct dram_channel *c) {
    c->least_known = 0;
    for (uint32_t dir = 0; dir < 2; dir++) {
        FOR_EACH_BIT32(b, c->hit[dir] & ~c->opening)
        c->lane->hit_rank[dir][b] = rank_of(c, c->bank[b].list[dir].hit, b);
        FOR_EACH_BIT32(k, c->pend[dir])
        c->lane->head_rank[dir][k] = rank_of(c, c->bank[k].list[dir].head, k);
    }
}

// Keeps ages and clocks within their bits. Requests older than half of the range become equals.
static void move_ranks(struct dram_channel *c) {
    c->rank_base = c->seq - (1u << (AGE_BITS - 1));
    renew_ranks(c);
}
static COLD void move_epoch(struct dram_channel *c, uint64_t now) {
    c->epoch = now;
    for (uint32_t b = 0; b < c->s->banks; b++) renew_row(c, b);
}

// ---- hits -----------------------------------------------------------------------------------
static inline void drop_hit(struct dram_channel *c, uint32_t b, uint32_t dir) {
    if (!(c->hit[dir] >> b & 1)) return;
    c->hit[dir] &= ~(1u << b);
    c->bank[b].list[dir].hit = NIL;
    c->lane->hit_rank[dir][b] = INT32_MAX;
    c->least_known &= ~(1u << dir);
    c->rows_known = false;
}

// Entry i is the oldest for the bank's open row.
static inline void set_hit(struct dram_channel *c, uint32_t b, uint32_t dir, uint32_t i) {
    c->bank[b].list[dir].hit = i;
    c->lane->hit_rank[dir][b] = c->opening >> b & 1 ? INT32_MAX : rank_of(c, i, b);
    if (!(c->hit[dir] >> b & 1)) c->rows_known = false;
    c->hit[dir] |= 1u << b;
    c->least_known &= ~(1u << dir);
}

// tRCD is over.
static COLD void opened_up(struct dram_channel *c, uint32_t b) {
    c->opening &= ~(1u << b);
    c->least_known = 0;
    for (uint32_t dir = 0; dir < 2; dir++)
        if (c->hit[dir] >> b & 1)
            c->lane->hit_rank[dir][b] = rank_of(c, c->bank[b].list[dir].hit, b);
}

// Looks for an entry of the open row, from one on.
static void find_hit(struct dram_channel *c, uint32_t b, uint32_t dir, uint32_t from) {
    const uint32_t row = c->bank[b].row;
    uint32_t i = from;
    while (i != NIL && c->entry[i].row != row) i = c->entry[i].next;
    if (i == NIL)
        drop_hit(c, b, dir);
    else
        set_hit(c, b, dir, i);
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
    c->opening &= ~(1u << b);
    c->close_at = max64(c->close_at, t);
    c->act->c[ACT_dram_precharges]++;
    k->act_ok = max64(k->act_ok, t + c->s->rp);
    k->row = NO_ROW;
    drop_hit(c, b, DIR_READ);
    drop_hit(c, b, DIR_WRITE);
    renew_row(c, b);
}

// ---- refresh --------------------------------------------------------------------------------
// Does the refreshes that are due at or before `now`.
static COLD void refresh(struct dram_channel *c, uint64_t now) {
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
        for (uint32_t b = 0; b < s->banks; b++) {
            c->bank[b].act_ok = t + s->rfc;
            renew_row(c, b);
        }
        c->act->c[ACT_dram_refreshes]++;
        c->cmd_ok = t + 1;
        c->refresh_due += s->refi;
        c->picked = false;
    }
}

// The same bank by bank: the next bank's row closes as soon as it may, the others go on. A bank is
// due every tREFI, so a channel's refreshes are tREFI by the banks apart.
static COLD void refresh_one(struct dram_channel *c, uint64_t now) {
    const struct dram_shape *s = c->s;
    const uint64_t apart = s->refi / s->banks;
    while (c->refresh_due <= now) {
        if (!c->open && now - c->refresh_due >= 2 * s->refi) {
            // A channel that stays idle: what was refreshed a round ago has left no trace.
            const uint64_t n = ((now - c->refresh_due) / (apart * s->banks) - 1) * s->banks;
            c->act->c[ACT_dram_refreshes] += n;
            c->refresh_due += n * apart;
        }
        const uint32_t b = c->refresh_bank;
        uint64_t t = max64(c->refresh_due, c->cmd_ok);
        if (c->open >> b & 1) {
            t = max64(t, c->bank[b].pre_ok);
            closed(c, b, t);
        }
        c->bank[b].act_ok = max64(t, c->bank[b].act_ok) + s->rfc_one;
        renew_row(c, b);
        c->act->c[ACT_dram_refreshes]++;
        c->refresh_bank = (b + 1) & (s->banks - 1);
        c->refresh_due += apart;
        c->picked = false;
    }
}

static void count_columns(struct dram_channel *c) {
    const struct dram_shape *s = c->s;
    uint64_t *act = c->act->c;
    const uint64_t reads = c->columns[DIR_READ], writes = c->columns[DIR_WRITE];
    act[ACT_dram_bus_cycles] += (reads + writes) * s->burst_clocks;
    act[ACT_dram_reads] += reads;
    act[ACT_dram_read_bytes] += reads * s->burst_bytes;
    act[ACT_dram_writes] += writes;
    act[ACT_dram_write_bytes] += writes * s->burst_bytes;
    act[ACT_dram_row_misses] += c->fresh_columns;
    act[ACT_dram_row_hits] += reads + writes - c->fresh_columns;
    c->columns[DIR_READ] = c->columns[DIR_WRITE] = c->fresh_columns = 0;
}

static inline void refresh_due(struct dram_channel *c, uint64_t now) {
    if (c->s->rfc_one)
        refresh_one(c, now);
    else
        refresh(c, now);
}

void dram_account(struct dram_channel *c, uint64_t clock) {
    count_columns(c);
    if (c->refresh_due <= clock) refresh_due(c, clock);
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
    const bool is_fresh = c->free == NIL;
    const uint32_t i = is_fresh ? c->fresh++ : c->free;
    struct dram_entry *e = &c->entry[i];
    if (!is_fresh) c->free = e->next;
    const uint64_t chunk = addr >> s->chunk_shift;
    const uint64_t rest = chunk >> s->bank_shift;
    uint32_t bank = (uint32_t)chunk & (s->banks - 1);
    const uint32_t row = (uint32_t)(rest >> s->chunks_a_row_shift) & (NO_ROW >> 1);
    if (s->bank_hash) bank ^= row & (s->banks - 1);
    *e = (struct dram_entry){.what = what,
                             .row = row,
                             .next = NIL,
                             .prev = NIL,
                             .bank = (uint8_t)bank,
                             .bursts = (uint8_t)bursts};
    e->what.tick = clock + s->controller_clocks;
    if (c->pipe_tail[dir] == NIL) {
        c->pipe_head[dir] = i;
        c->pipe_next[dir] = e->what.tick;
    } else {
        c->entry[c->pipe_tail[dir]].next = i;
    }
    c->pipe_tail[dir] = i;
    c->queued[dir]++;
    c->act->c[ACT_mc_requests]++;
    if (e->what.tick < c->insert_at && c->count[dir] < s->window[dir]) {
        c->insert_at = e->what.tick;
        c->next = min64(c->next, e->what.tick);
    }
}

// The first of the pipeline joins the window. Whatever may change the choice undoes it.
static void insert(struct dram_channel *c, uint32_t dir) {
    const uint32_t i = c->pipe_head[dir];
    struct dram_entry *e = &c->entry[i];
    struct dram_bank *k = &c->bank[e->bank];
    struct dram_list *l = &k->list[dir];
    const uint32_t bit = 1u << e->bank;
    c->pipe_head[dir] = e->next;
    if (e->next == NIL) {
        c->pipe_tail[dir] = NIL;
        c->pipe_next[dir] = NEVER;
    } else {
        c->pipe_next[dir] = c->entry[e->next].what.tick;
    }
    e->seq = c->seq++;
    if (ww_unlikely(c->seq - c->rank_base >= 1u << AGE_BITS)) move_ranks(c);
    e->next = NIL;
    e->prev = l->tail;
    if (l->tail == NIL) {
        l->head = i;
        c->lane->head_rank[dir][e->bank] = rank_of(c, i, e->bank);
        c->pend[dir] |= bit;
        c->rows_known = false;
        c->picked = false;
    } else {
        c->entry[l->tail].next = i;
    }
    l->tail = i;
    c->count[dir]++;
    if (k->row == e->row && l->hit == NIL && k->streak < c->s->starve) {
        set_hit(c, e->bank, dir, i);
        c->picked = false;
    }
    if (dir == DIR_WRITE
            ? c->count[dir] == c->s->write_high
            : c->mode == DIR_WRITE && (!c->draining || c->count[DIR_WRITE] <= c->s->write_low))
        c->picked = false;
}

static void insert_visible(struct dram_channel *c, uint64_t now) {
    for (uint32_t dir = 0; dir < 2; dir++)
        while (c->pipe_next[dir] <= now && c->count[dir] < c->s->window[dir]) insert(c, dir);
    c->insert_at = NEVER;
    for (uint32_t dir = 0; dir < 2; dir++)
        if (c->count[dir] < c->s->window[dir])
            c->insert_at = min64(c->insert_at, c->pipe_next[dir]);
}

// ---- the choice -----------------------------------------------------------------------------
static inline void choose_direction(struct dram_channel *c) {
    const uint32_t reads = c->count[DIR_READ], writes = c->count[DIR_WRITE];
    const uint32_t high = c->s->write_high;
    if (c->mode == DIR_READ) {
        if (!writes || (reads && writes < high)) return;
        c->mode = DIR_WRITE;
    } else if (!writes || (reads && (!c->draining || writes <= c->s->write_low))) {
        // Reads may have come while writes were plenty: then those go on, as a drain.
        c->mode = writes >= high ? DIR_WRITE : DIR_READ;
    } else {
        return;
    }
    c->draining = c->mode == DIR_WRITE && writes >= high;
    c->rows_known = false;
}

static inline v4 v4_all(int32_t x) { return (v4){x, x, x, x}; }
static inline v4 v4_max(v4 x, v4 y) {
    const v4 m = x > y;
    return (x & m) | (y & ~m);
}
static inline v4 v4_min(v4 x, v4 y) {
    const v4 m = x < y;
    return (x & m) | (y & ~m);
}
static inline int32_t v4_least(v4 a) {
    const int32_t x = a[0] < a[1] ? a[0] : a[1], y = a[2] < a[3] ? a[2] : a[3];
    return x < y ? x : y;
}
static const v4 v4_first = {1, 2, 4, 8};

// The earliest clock of a row command of a set of banks.
static COLD void know_rows(struct dram_channel *c, uint32_t rows) {
    const v4 *row_at = (const v4 *)(const void *)c->lane->row_at;
    const v4 *is_closed = (const v4 *)(const void *)c->lane->closed;
    const v4 act = v4_all(since(c, max64(c->act_rrd, c->faw[c->faw_at])));
    v4 least = v4_all(INT32_MAX), bit = v4_first;
    const uint32_t n = (c->s->banks + 3) / 4;
    for (uint32_t i = 0; i < n; i++, bit = bit << 4) {
        const v4 in = (v4_all((int32_t)rows) & bit) == bit;
        const v4 at = v4_max(row_at[i], is_closed[i] & act);
        least = v4_min(least, at | (~in & v4_all(INT32_MAX)));
    }
    c->rows_at = c->epoch + (uint32_t)v4_least(least);
    c->rows_known = true;
}

// A row command of a set of banks that is possible before the column found: the one for the oldest
// request among those that are possible then.
static COLD void pick_row(struct dram_channel *c, uint64_t start, uint32_t rows) {
    const v4 *row_at = (const v4 *)(const void *)c->lane->row_at;
    const v4 *is_closed = (const v4 *)(const void *)c->lane->closed;
    const v4 *rank = (const v4 *)(const void *)c->lane->head_rank[c->mode];
    c->picked_at = max64(c->rows_at, start);
    c->picked_column = false;
    const bool no_act = max64(c->act_rrd, c->faw[c->faw_at]) > c->picked_at;
    const v4 too_early = v4_all(no_act ? -1 : 0), now = v4_all(since(c, c->picked_at));
    v4 oldest = v4_all(INT32_MAX), bit = v4_first;
    const uint32_t n = (c->s->banks + 3) / 4;
    for (uint32_t i = 0; i < n; i++, bit = bit << 4) {
        const v4 in = (v4_all((int32_t)rows) & bit) == bit;
        const v4 out = (row_at[i] > now) | (is_closed[i] & too_early) | ~in;
        oldest = v4_min(oldest, rank[i] | (out & v4_all(INT32_MAX)));
    }
    c->picked_bank = (uint32_t)v4_least(oldest) & (DRAM_BANKS - 1);
}

// The least rank of open banks with hits: without one of up to four groups, and of all.
static COLD void know_least(struct dram_channel *c, uint32_t dir) {
    const v4 *rank = (const v4 *)(const void *)c->lane->hit_rank[dir], most = v4_all(INT32_MAX);
    const uint32_t n = (c->s->banks + 3) / 4;
    v4 v = rank[0]; // by bank & 3
    for (uint32_t i = 1; i < n; i++) v = v4_min(v, rank[i]);
    const v4 by1 = __builtin_shufflevector(v, v, 1, 2, 3, 0);
    const v4 by3 = __builtin_shufflevector(v, v, 3, 0, 1, 2);
    const v4 odd = v4_min(by1, by3), even = __builtin_shufflevector(v, v, 2, 3, 0, 1);
    v4 *but = (v4 *)(void *)c->lane->least_but[dir];
    but[0] = c->s->groups == 1 ? most : c->s->groups == 2 ? odd : v4_min(odd, even);
    c->lane->least_but[dir][DRAM_NO_GROUP] = v4_least(v);
    c->least_known |= 1u << dir;
}

// The least of them but for those of groups that are late, where that may be several.
static COLD int32_t least_of_many(const struct dram_channel *c, uint32_t dir, uint64_t column) {
    int32_t least = INT32_MAX;
    FOR_EACH_BIT32(b, c->hit[dir]) {
        const int32_t rank = c->lane->hit_rank[dir][b];
        if (rank < least && c->col_l[b & c->s->group_mask] <= column) least = rank;
    }
    return least;
}
static inline int32_t least_hit(struct dram_channel *c, uint32_t dir, uint64_t column) {
    if (ww_unlikely(!c->s->one_late)) return least_of_many(c, dir, column);
    if (!(c->least_known >> dir & 1)) know_least(c, dir);
    const bool is_late = c->col_l[c->last_group] > column;
    return c->lane->least_but[dir][is_late ? c->last_group : DRAM_NO_GROUP];
}

// The earliest column of banks with hits; the oldest of the same clock.
static COLD void pick_late_column(struct dram_channel *c, uint64_t column, uint32_t hits) {
    const uint32_t dir = c->mode;
    uint64_t best = c->picked_at;
    int32_t best_rank = INT32_MAX;
    FOR_EACH_BIT32(b, hits) {
        const struct dram_bank *k = &c->bank[b];
        const uint64_t t = max64(column, max64(k->col_ok, c->col_l[b & c->s->group_mask]));
        const int32_t rank = rank_of(c, k->list[dir].hit, b);
        if (t > best || (t == best && rank > best_rank)) continue;
        best = t;
        best_rank = rank;
        c->picked_bank = b;
    }
    c->picked_at = best;
}

static inline void pick(struct dram_channel *c, uint64_t now) {
    choose_direction(c);
    const uint32_t dir = c->mode, pend = c->pend[dir], hits = c->hit[dir];
    c->picked = pend != 0;
    if (!pend) return;
    const uint64_t start = max64(c->cmd_ok, now);
    c->picked_at = NEVER;
    c->picked_column = true;
    if (hits) {
        const uint64_t column = max64(start, c->col_ok[dir]);
        bool in_time = false; // a bank opens up by the time of the column
        if (c->opening && c->opening_from <= column) {
            c->opening_from = NEVER;
            FOR_EACH_BIT32(b, c->opening) {
                const uint64_t t = c->bank[b].col_ok;
                if (t <= start) {
                    opened_up(c, b);
                } else {
                    in_time |= t <= column;
                    c->opening_from = min64(c->opening_from, t);
                }
            }
        }
        const int32_t rank = in_time ? INT32_MAX : least_hit(c, dir, column);
        if (rank != INT32_MAX) {
            c->picked_at = column;
            c->picked_bank = (uint32_t)rank & (DRAM_BANKS - 1);
        } else {
            pick_late_column(c, column, hits);
        }
    }
    if (pend != hits && c->picked_at > start) {
        const uint32_t rows = pend & ~hits;
        if (ww_unlikely(start - c->epoch > 1u << 30)) move_epoch(c, start);
        if (!c->rows_known) know_rows(c, rows);
        if (c->rows_at < c->picked_at) pick_row(c, start, rows); // columns go first
    }
}

// ---- commands -------------------------------------------------------------------------------
// The last burst of a bank's oldest hit has been asked for.
static void finish(struct dram_channel *c, uint32_t b, uint32_t dir, uint64_t t) {
    const struct dram_shape *s = c->s;
    struct dram_list *l = &c->bank[b].list[dir];
    const uint32_t i = l->hit;
    struct dram_entry *e = &c->entry[i];
    const uint32_t next = e->next;
    if (e->prev == NIL)
        l->head = next;
    else
        c->entry[e->prev].next = next;
    if (next == NIL)
        l->tail = e->prev;
    else
        c->entry[next].prev = e->prev;
    if (l->head == NIL)
        c->pend[dir] &= ~(1u << b);
    else
        c->lane->head_rank[dir][b] = rank_of(c, l->head, b);
    c->count[dir]--;
    c->act->c[ACT_mc_queue_cycles] += t - e->what.tick;
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

// Whether it was the last burst of its request.
static inline bool column(struct dram_channel *c, uint32_t b, uint64_t t) {
    const struct dram_shape *s = c->s;
    const uint32_t dir = c->mode;
    struct dram_bank *k = &c->bank[b];
    struct dram_list *l = &k->list[dir];
    struct dram_entry *e = &c->entry[l->hit];
    c->cmd_ok = t + 1;
    c->col_ok[DIR_READ] = t + s->column_gap[dir][DIR_READ];
    c->col_ok[DIR_WRITE] = t + s->column_gap[dir][DIR_WRITE];
    c->last_group = b & s->group_mask;
    c->col_l[c->last_group] = t + s->ccd_l;
    k->pre_ok = max64(k->pre_ok, t + s->precharge_gap[dir]);
    c->columns[dir]++;
    c->fresh_columns += k->fresh;
    k->fresh = false;
    const bool last = --e->bursts == 0;
    if (last) finish(c, b, dir, t);
    if (l->head != l->hit && l->head != NIL && c->entry[l->head].row != k->row &&
        ++k->streak >= s->starve)
        drop_hit(c, b, dir);
    c->lane->row_at[b] = since(c, k->pre_ok);
    if (!s->open_page && !((c->hit[DIR_READ] | c->hit[DIR_WRITE]) >> b & 1))
        closed(c, b, k->pre_ok); // auto-precharge with the last burst
    return last;
}

static void activate(struct dram_channel *c, uint32_t b, uint64_t t) {
    const struct dram_shape *s = c->s;
    struct dram_bank *k = &c->bank[b];
    opened(c, b, t);
    k->row = c->entry[k->list[c->mode].head].row;
    k->col_ok = t + s->rcd;
    k->pre_ok = t + s->ras;
    k->act_ok = t + s->rc;
    if (!c->opening) c->opening_from = k->col_ok; // others are open sooner
    c->opening |= 1u << b;
    k->fresh = true;
    k->streak = 0;
    c->act_rrd = t + s->rrd;
    c->faw[c->faw_at] = t + s->faw;
    c->faw_at = (c->faw_at + 1) & 3;
    c->cmd_ok = t + 1;
    c->act->c[ACT_dram_activates]++;
    renew_row(c, b);
    find_hit(c, b, DIR_READ, k->list[DIR_READ].head);
    find_hit(c, b, DIR_WRITE, k->list[DIR_WRITE].head);
}

// Whether a request left the queue.
static inline bool step(struct dram_channel *c, uint64_t now) {
    bool left = false;
    if (ww_unlikely(c->refresh_due <= now)) refresh_due(c, now);
    if (c->insert_at <= now) insert_visible(c, now);
    if (!c->picked) pick(c, now);
    if (c->picked && c->picked_at <= now) {
        const uint32_t b = c->picked_bank;
        if (c->picked_column) {
            left = column(c, b, now);
            if (left && c->count[c->mode] + 1 == c->s->window[c->mode])
                insert_visible(c, now); // there is room again
        } else if (c->open >> b & 1) {
            closed(c, b, now);
            c->cmd_ok = now + 1;
        } else {
            activate(c, b, now);
        }
        pick(c, now);
    }
    c->next = min64(c->insert_at, c->picked ? min64(c->picked_at, c->refresh_due) : NEVER);
    return left;
}

void dram_run(struct dram_channel *c, const struct tick_clock *clock, uint64_t limit,
              bool slice_waits) {
    const struct dram_shape *s = c->s;
    // A slice that acts at a clock is heard of controller_clocks later.
    uint64_t until = limit == NEVER ? NEVER : clock_edge(clock, limit);
    const uint64_t ahead = s->controller_clocks;
    while (c->next < until) {
        const uint64_t now = c->next;
        const uint32_t done = c->done_tail;
        if (!step(c, now)) continue;
        if (c->done_tail != done)
            until = min64(until, now + s->latency[DIR_READ] + s->burst_clocks + ahead);
        if (slice_waits) until = min64(until, now + ahead);
    }
}
