// A DRAM channel against a naive controller that ticks: the same policy, written as prose has it,
// with every timing rule checked against the whole history of commands.
#include <string.h>

#include "mem/system.h"
#include "test_rig.h"

enum { MAX_COMMANDS = 60000, MAX_REQUESTS = 20000 };
enum command { ACT, PRE, COL_READ, COL_WRITE, REF };
struct issued {
    uint64_t at;
    enum command what;
    uint32_t bank;
};
struct request {
    uint64_t visible;
    uint32_t dir, bank, row, bursts, id, seq;
    bool in, out;
};
struct naive {
    const struct dram_shape *s;
    struct issued log[MAX_COMMANDS];
    uint32_t n;
    struct request q[MAX_REQUESTS];
    uint32_t requests, seq, first_open; // requests before first_open are all out
    uint32_t count[2], row[DRAM_BANKS], streak[DRAM_BANKS];
    bool is_open[DRAM_BANKS], draining;
    uint32_t mode;
    uint64_t due;
    // what came out
    uint64_t done_at[MAX_REQUESTS], left_at[MAX_REQUESTS];
    uint32_t done_id[MAX_REQUESTS], dones, lefts;
};

// May a command go at t, given all that went before? One rule a line.
static bool allowed(const struct naive *d, enum command what, uint32_t bank, uint64_t t) {
    const struct dram_shape *s = d->s;
    uint32_t acts = 0;
    const uint64_t far = 4096; // longer than any rule reaches back
    for (uint32_t k = d->n; k-- > 0;) {
        const struct issued *e = &d->log[k];
        if (e->at + far < t) break;
        const uint64_t gap = t - e->at;
        const bool same = e->bank == bank, group = (e->bank ^ bank) % s->groups == 0;
        if (gap == 0) return false; // one command a clock
        const uint64_t write_end = s->latency[DIR_WRITE] + s->burst_clocks;
        if (what == ACT || what == REF) {
            if (e->what == PRE && (same || what == REF) && gap < s->rp) return false;
            if (e->what == ACT && (same || what == REF) && gap < s->rc) return false;
            if (e->what == REF && gap < s->rfc) return false;
        }
        if (what == ACT && e->what == ACT) {
            if (gap < s->rrd) return false;
            if (++acts == 4 && gap < s->faw) return false;
        }
        if (what == PRE && same) {
            if (e->what == ACT && gap < s->ras) return false;
            if (e->what == COL_READ && gap < s->rtp) return false;
            if (e->what == COL_WRITE && gap < write_end + s->wr) return false;
        }
        if (what == COL_READ || what == COL_WRITE) {
            if (same && e->what == ACT && gap < s->rcd) return false;
            if (e->what != COL_READ && e->what != COL_WRITE) continue;
            if (gap < s->ccd_s || (group && gap < s->ccd_l)) return false;
            if (what == COL_READ && e->what == COL_WRITE && gap < write_end + s->wtr) return false;
            if (what == COL_WRITE && e->what == COL_READ && gap < s->rtw) return false;
            const uint64_t data = t + s->latency[what == COL_WRITE];
            const uint64_t other = e->at + s->latency[e->what == COL_WRITE];
            if (data < other + s->burst_clocks) return false; // one burst at a time on the bus
        }
    }
    return true;
}

static void issue(struct naive *d, enum command what, uint32_t bank, uint64_t t) {
    assert_true(d->n < MAX_COMMANDS);
    d->log[d->n++] = (struct issued){t, what, bank};
}

// Oldest request of a bank and direction, of the open row if asked; NULL: none.
static struct request *oldest(struct naive *d, uint32_t bank, uint32_t dir, bool hit) {
    struct request *best = NULL;
    for (uint32_t i = d->first_open; i < d->requests; i++) {
        struct request *r = &d->q[i];
        if (!r->in || r->out || r->bank != bank || r->dir != dir) continue;
        if (hit && r->row != d->row[bank]) continue;
        if (!best || r->seq < best->seq) best = r;
    }
    return best;
}

// The refresh has come due: nothing but what it needs. True: a command went.
static void refresh(struct naive *d, uint64_t t) {
    bool open = false;
    for (uint32_t b = 0; b < d->s->banks; b++) {
        if (!d->is_open[b]) continue;
        open = true;
        if (!allowed(d, PRE, b, t)) return;
    }
    for (uint32_t b = 0; open && b < d->s->banks; b++)
        if (d->is_open[b]) {
            d->is_open[b] = false;
            issue(d, PRE, b, t);
        }
    if (open) return;
    for (uint32_t b = 0; b < d->s->banks; b++)
        if (!allowed(d, REF, b, t)) return;
    issue(d, REF, 0, t);
    d->due += d->s->refi;
}

static void choose_direction(struct naive *d) {
    const struct dram_shape *s = d->s;
    const uint32_t reads = d->count[0], writes = d->count[1];
    if (d->mode == DIR_READ && writes && (writes >= s->write_high || !reads)) {
        d->mode = DIR_WRITE;
        d->draining = writes >= s->write_high;
    } else if (d->mode == DIR_WRITE) {
        if (!writes || (reads && (!d->draining || writes <= s->write_low))) {
            d->mode = writes >= s->write_high ? DIR_WRITE : DIR_READ;
            d->draining = d->mode == DIR_WRITE;
        }
    }
}

static void tick(struct naive *d, uint64_t t) {
    const struct dram_shape *s = d->s;
    for (uint32_t dir = 0; dir < 2; dir++)
        for (uint32_t i = d->first_open; i < d->requests; i++) {
            struct request *r = &d->q[i];
            if (r->in || r->dir != dir) continue;
            if (r->visible > t || d->count[dir] == s->window[dir]) break;
            r->in = true;
            r->seq = d->seq++;
            d->count[dir]++;
        }
    while (d->first_open < d->requests && d->q[d->first_open].out) d->first_open++;
    if (d->due && d->due <= t) {
        refresh(d, t);
        return;
    }
    choose_direction(d); // something may have come
    struct request *column = NULL, *row = NULL;
    for (uint32_t b = 0; b < s->banks; b++) {
        struct request *first = oldest(d, b, d->mode, false);
        if (!first) continue;
        struct request *hit = d->is_open[b] ? oldest(d, b, d->mode, true) : NULL;
        if (hit && hit != first && first->row != d->row[b] && d->streak[b] >= s->starve) hit = NULL;
        if (hit) {
            if (!allowed(d, d->mode == DIR_READ ? COL_READ : COL_WRITE, b, t)) continue;
            if (!column || hit->seq < column->seq) column = hit;
        } else if (allowed(d, d->is_open[b] ? PRE : ACT, b, t)) {
            if (!row || first->seq < row->seq) row = first;
        }
    }
    if (column) {
        const uint32_t b = column->bank;
        issue(d, d->mode == DIR_READ ? COL_READ : COL_WRITE, b, t);
        if (--column->bursts == 0) {
            column->out = true;
            d->count[d->mode]--;
            d->left_at[d->lefts++] = t;
            if (d->mode == DIR_READ) {
                d->done_at[d->dones] = t + s->latency[DIR_READ] + s->burst_clocks;
                d->done_id[d->dones++] = column->id;
            }
        }
        const struct request *first = oldest(d, b, d->mode, false);
        if (first && first->row != d->row[b]) d->streak[b]++;
        choose_direction(d); // something may have left
    } else if (row && d->is_open[row->bank]) {
        issue(d, PRE, row->bank, t);
        d->is_open[row->bank] = false;
    } else if (row) {
        issue(d, ACT, row->bank, t);
        d->is_open[row->bank] = true;
        d->row[row->bank] = row->row;
        d->streak[row->bank] = 0;
    }
}

static void compare(struct mem_config c, uint32_t rate, uint32_t rows, uint32_t writes,
                    uint32_t most_bursts, uint32_t seed) {
    struct rig r = rig_make(c, 1, 1000);
    struct dram_shape shape = r.m->dram;
    shape.entries = 8192;
    shape.left_cap = 16384;
    shape.done_cap = 8192;
    shape.period = 1;
    const struct tick_clock clock = {.period = 1, .div = fastdiv_of(1)};
    struct activity act = {0};
    struct dram_channel ch = {0};
    assert_true(dram_create(&ch, &shape, &act));
    struct naive *d = calloc(1, sizeof *d);
    d->s = &shape;
    d->due = shape.refi;
    uint64_t t = 0;
    uint32_t dones = 0, lefts = 0;
    const uint32_t chunk = 1u << shape.chunk_shift;
    while (t < 15000) {
        // A few requests, then both run to the clock before the next.
        const uint32_t n = rig_random(&seed) % 4;
        for (uint32_t k = 0; k < n && t < 12000 && d->requests - lefts < 300; k++) {
            const uint32_t dir = rig_random(&seed) % 100 < writes,
                           bank = rig_random(&seed) % shape.banks;
            const uint32_t row = rig_random(&seed) % rows,
                           bursts = 1 + rig_random(&seed) % most_bursts;
            const uint64_t addr =
                ((uint64_t)row << shape.chunks_a_row_shift << shape.bank_shift) * chunk +
                (uint64_t)bank * chunk;
            d->q[d->requests] =
                (struct request){.visible = t + shape.controller_clocks,
                                 .dir = dir,
                                 .row = row,
                                 .bursts = bursts,
                                 .bank = shape.bank_hash ? bank ^ (row & (shape.banks - 1)) : bank,
                                 .id = d->requests};
            dram_push(&ch, t, dir, addr, bursts, (struct dram_done){.line = d->requests});
            d->requests++;
        }
        const uint64_t until = t + 1 + rig_random(&seed) % rate;
        while (ch.next < until) dram_run(&ch, &clock, until, false);
        for (; t < until; t++) tick(d, t);
        dram_account(&ch, until - 1);
        for (; ch.done_head != ch.done_tail; ch.done_head++) {
            const struct dram_done *x = &ch.done[ch.done_head & (shape.done_cap - 1)];
            assert_true(dones < d->dones);
            assert_int_equal(x->line, d->done_id[dones]);
            assert_int_equal(x->tick, d->done_at[dones]);
            dones++;
        }
        for (; ch.left_head != ch.left_tail; ch.left_head++, lefts++)
            assert_int_equal(ch.left[ch.left_head & (shape.left_cap - 1)].tick, d->left_at[lefts]);
        assert_int_equal(dones, d->dones);
        assert_int_equal(lefts, d->lefts);
    }
    assert_int_equal(lefts, d->requests);
    assert_true(d->requests > 500);
    uint32_t count[5] = {0};
    for (uint32_t i = 0; i < d->n; i++) count[d->log[i].what]++;
    assert_int_equal(act.c[ACT_dram_activates], count[ACT]);
    assert_int_equal(act.c[ACT_dram_precharges], count[PRE]);
    assert_int_equal(act.c[ACT_dram_reads], count[COL_READ]);
    assert_int_equal(act.c[ACT_dram_writes], count[COL_WRITE]);
    assert_int_equal(act.c[ACT_dram_refreshes], count[REF]);
    dram_destroy(&ch);
    free(d);
    rig_free(&r);
}

static void as_a_controller_that_ticks(void **state) {
    (void)state;
    struct mem_config c = rig_config();
    compare(c, 12, 4, 0, 2, 1);   // reads, saturated
    compare(c, 60, 100, 0, 4, 2); // reads, rows seldom met twice
    compare(c, 12, 4, 35, 2, 3);  // and writes
    compare(c, 12, 4, 90, 4, 4);
    c.dram.queue = 8; // a narrow window
    compare(c, 20, 8, 30, 3, 5);
    c.dram.starve = 3; // an impatient one
    compare(c, 15, 3, 0, 2, 6);
    c = rig_config();
    c.dram.refi = 700, c.dram.rfc = 90;
    compare(c, 20, 6, 25, 2, 7);
    c.dram.bank_groups = 1, c.dram.banks = 8, c.dram.bank_hash = true; // a DDR3 shape
    c.dram.burst_length = 8, c.dram.data_rate = 2, c.dram.ccd_s = 4, c.dram.faw = 0;
    c.dram.cl = 9, c.dram.wl = 7, c.dram.rtw = 0;
    compare(c, 20, 5, 25, 2, 8);
    c.dram.banks = 2;
    compare(c, 40, 5, 25, 2, 9);
    c = rig_config();
    c.dram.banks = 32, c.dram.bank_groups = 8, c.dram.ccd_l = 5;
    compare(c, 12, 3, 20, 4, 10);
    c.dram.write_queue = 16, c.dram.write_high = 4, c.dram.write_low = 1;
    compare(c, 12, 3, 40, 1, 11);
}

static void auto_precharge_after_use(void **state) {
    (void)state;
    // Closed page: a second request to the row, after the first is done, activates again, and does
    // not wait for a precharge.
    struct mem_config c = rig_config();
    c.dram.row_open_policy = false;
    struct rig r = rig_make(c, 1, 1000);
    const uint64_t alone = rig_one(&r, 0, MEM_READ, 0, 32);
    assert_int_equal(rig_one(&r, 1000, MEM_READ, 32, 32), 1000 + alone);
    assert_int_equal(rig_one(&r, 2000, MEM_READ, 8 * 4096, 32), 2000 + alone);
    while (r.now < 3000) rig_memory(&r);
    assert_int_equal(rig_count(&r, ACT_dram_activates), 3);
    assert_int_equal(rig_count(&r, ACT_dram_precharges), 3);
    // Open from each ACT until ras later.
    assert_int_equal(rig_count(&r, ACT_dram_open_cycles), 3 * c.dram.ras);
    rig_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_a_controller_that_ticks),
        cmocka_unit_test(auto_precharge_after_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
