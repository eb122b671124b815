// Tri-modal register rows (dissertation, 5.3). A row is a register of a warp, 128 bytes; it is off
// while no warp has it, else drowsy, and on while an instruction needs it:
//
//   comes     with its CTA a warp gets as many rows as its threads have registers: off to drowsy
//   wakes     all rows that an instruction reads or writes, when it issues and takes its collector
//   waking    row_wakeup cycles, in which the row leaks as when it is on; it can be accessed in the
//             cycle after
//   read      a row that is read is drowsy from the next cycle on (read-aggressive)
//   written   a row that will be written stays on up to the cycle in which it is
//   (write-conservative) goes      rows of a CTA are off when the last result of its last warp is
//   written
//
// The signal that wakes rows leaves row_hidden cycles before the first cycle in which they could be
// read, and row_ahead cycles before that if the scheduler knows what it will choose; what is left
// of row_wakeup makes the operands late. A row that is still on when the signal comes stays on.
//
// The text leaves open what a read does that the bank serves after its warp has gone (a store's,
// behind others): here the row goes off after it. Rows that rounding grants a CTA beyond its
// registers hold nothing and are off.
//
// A row's state follows from a few timestamps, since its times on come in the order of issue.
#include "isa/isa.h"
#include "savings/savings_int.h"

struct span {
    uint64_t from, until;
}; // of cycles, without `until`
struct row {
    // On, waking included: its newest time, and the one before that. Both may lie ahead: what
    // issues now is read some cycles later.
    struct span on, before;
    uint64_t awake;  // it may be accessed from this cycle on
    uint64_t begin;  // allocated since, or (of a warp that has gone) off since
    bool is_pending; // it is on until a result is written
};

struct tric {
    uint64_t wakeup, lead; // cycles; lead: from the signal to the first read
    uint64_t rows;         // of the register file
    uint64_t on, waking;   // row cycles of times that are over
    uint64_t allocated;    // row cycles of warps that have gone
    uint64_t wakes, charges, waits;
    uint64_t last_off;           // the last row of a warp that has gone goes off in this cycle
    uint32_t n[SM_MAX_WARPS];    // rows of a warp that is there; 0: there is none
    uint32_t high[SM_MAX_WARPS]; // rows that warps in this slot have had
    struct row row[SM_MAX_WARPS][MAX_GPRS];
};

static uint64_t min(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t max(uint64_t a, uint64_t b) { return a > b ? a : b; }

// ---- accesses ----------------------------------------------------------------------------------
// An instruction that needs the row issues; it could be read in cycle `first`.
static void wake(struct tric *k, struct row *r, uint64_t first) {
    const uint64_t b = max(first > k->lead ? first - k->lead : 0, r->begin);
    if (r->is_pending || (r->on.until != 0 && b <= r->on.until)) return; // it stays on
    k->on += r->before.until - r->before.from;
    k->waking += min(k->wakeup, r->before.until - r->before.from);
    k->wakes++;
    r->before = r->on;
    r->on.from = b;
    r->on.until = r->awake = b + k->wakeup;
}

// Its bank serves the row in cycle `at`, or when it is awake. Answers that cycle.
static uint64_t serve(struct row *r, uint64_t at) {
    const uint64_t served = max(at, r->awake);
    r->on.until = max(r->on.until, served + 1);
    return served;
}

static uint32_t read_rows(void *self, const struct sm_row_access *a) {
    struct tric *const k = self;
    uint64_t planned = a->cycle, served = a->cycle;
    for (uint32_t i = 0; i < a->n; i++) {
        struct row *const r = &k->row[a->warp][a->reg[i]];
        wake(k, r, a->cycle);
        planned = max(planned, a->at[i]);
        served = max(served, serve(r, a->at[i]));
    }
    for (uint32_t i = 0; i < a->n_dst; i++) {
        struct row *const r = &k->row[a->warp][a->dst_first + i];
        wake(k, r, a->cycle);
        r->is_pending = true;
    }
    k->waits += served - planned;
    return (uint32_t)(served - planned);
}

static uint32_t write_rows(void *self, const struct sm_row_access *a) {
    struct tric *const k = self;
    uint64_t served = a->cycle;
    for (uint32_t i = 0; i < a->n; i++) {
        struct row *const r = &k->row[a->warp][a->reg[i]];
        r->is_pending = false;
        served = max(served, serve(r, a->at[i]));
    }
    k->waits += served - a->cycle;
    return (uint32_t)(served - a->cycle);
}

// ---- warps -------------------------------------------------------------------------------------
static void come(struct tric *k, const struct sm_warp_event *e) {
    const uint32_t n = e->registers < MAX_GPRS ? e->registers : MAX_GPRS;
    k->n[e->warp] = n;
    for (uint32_t i = 0; i < n; i++) {
        struct row *const r = &k->row[e->warp][i];
        k->charges += e->cycle > r->begin || i >= k->high[e->warp];
        r->begin = max(r->begin, e->cycle); // else it is still on for the last that had it
    }
    if (n > k->high[e->warp]) k->high[e->warp] = n;
}

static void go(struct tric *k, uint32_t w, uint64_t cycle) {
    for (uint32_t i = 0; i < k->n[w]; i++) {
        struct row *const r = &k->row[w][i];
        const uint64_t end = max(cycle + 1, r->on.until);
        k->allocated += end - r->begin;
        r->begin = end;
        r->is_pending = false; // a program that faulted leaves some
        k->last_off = max(k->last_off, end);
    }
    k->n[w] = 0;
}

static void warp(void *self, const struct sm_warp_event *e) {
    struct tric *const k = self;
    if (e->comes) come(k, e);
    FOR_EACH_BIT64(w, e->freed) go(k, (uint32_t)w, e->cycle);
}

static void clip(struct span *s, uint64_t end) {
    s->until = min(s->until, end);
    s->from = min(s->from, s->until);
}

// Time counts while the SM holds work: reads that would be served later do not.
static void work(void *self, const struct sm_view *v, bool begins, uint64_t cycle) {
    (void)v;
    struct tric *const k = self;
    if (begins || k->last_off <= cycle) return;
    for (uint32_t w = 0; w < SM_MAX_WARPS; w++) {
        for (uint32_t i = 0; i < k->high[w]; i++) {
            struct row *const r = &k->row[w][i];
            if (r->begin <= cycle) continue;
            k->allocated -= r->begin - cycle;
            r->begin = cycle;
            clip(&r->on, cycle);
            clip(&r->before, cycle);
        }
    }
    k->last_off = cycle;
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v;
    const struct tric *const k = self;
    uint64_t on = k->on, waking = k->waking, allocated = k->allocated;
    for (uint32_t w = 0; w < SM_MAX_WARPS; w++) {
        for (uint32_t i = 0; i < k->high[w]; i++) {
            const struct row *const r = &k->row[w][i];
            for (uint32_t old = 0; old < 2; old++) {
                struct span s = old ? r->before : r->on;
                if (!old && r->is_pending) s.until = now;
                clip(&s, now);
                on += s.until - s.from;
                waking += min(k->wakeup, s.until - s.from);
            }
            if (i < k->n[w])
                allocated += now > r->begin ? now - r->begin : 0;
            else if (r->begin > now) // the last that had it has gone, and is still read
                allocated -= r->begin - now;
        }
    }
    a->c[ACT_row_on_cycles] += on - waking;
    a->c[ACT_row_waking_cycles] += waking;
    a->c[ACT_row_drowsy_cycles] += allocated - on;
    a->c[ACT_row_off_cycles] += k->rows * a->c[ACT_sm_busy_cycles] - allocated;
    a->c[ACT_row_wakes] += k->wakes;
    a->c[ACT_row_charges] += k->charges;
    a->c[ACT_row_wait_cycles] += k->waits;
}

static const struct sm_row_port rows = {.read = read_rows, .write = write_rows};
static const struct sm_life_port life = {.warp = warp, .work = work};

bool tric_init(struct savings_sm *s, struct sm_technique *t) {
    struct tric *const k = s->tric = ww_alloc_aligned(sizeof *k);
    if (k == NULL) return false;
    k->wakeup = s->set.o.row_wakeup;
    k->lead = s->set.o.row_hidden + s->set.o.row_ahead;
    k->rows = s->c.registers / WARP_LANES;
    *t = (struct sm_technique){
        .name = "tric", .self = k, .rows = &rows, .life = &life, .count = count};
    return true;
}

void tric_free(struct tric *k) { ww_free_aligned(k); }
