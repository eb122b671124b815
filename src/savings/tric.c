// Tri-modal register rows (dissertation, 5.3). A row is a register of a warp, 128 bytes; it is off
// while no warp has it, else drowsy, and on while an instruction needs it:
//
//   comes     with its CTA a warp gets as many rows as its threads have registers: off to drowsy
//   wakes     all rows that an instruction reads or writes, when it issues and takes its collector
//   waking    row_wakeup cycles, in which the row leaks as when it is on; it can be accessed in the
//             cycle after
//   read      a row that is read is drowsy from the next cycle on (read-aggressive)
//   written   a row that will be written stays on up to the cycle in which it is
//             (write-conservative)
//   goes      rows of a CTA are off when the last result of its last warp is written
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
#include "activity/sm.h"
#include "isa/isa.h"
#include "savings/savings_int.h"
#include "sm/config.h"

enum { // numbers of its own counters, from the first
    OWN_row_on_cycles,
    OWN_row_waking_cycles,
    OWN_row_drowsy_cycles,
    OWN_row_off_cycles,
    OWN_row_wakes,
    OWN_row_charges,
    OWN_row_wait_cycles,
};

struct span { // of cycles, without `until`
    uint64_t from, until;
};
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
    uint64_t *const c = savings_own(a, SAVINGS_tric);
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
    c[OWN_row_on_cycles] += on - waking;
    c[OWN_row_waking_cycles] += waking;
    c[OWN_row_drowsy_cycles] += allocated - on;
    c[OWN_row_off_cycles] += k->rows * a->c[ACT_sm_busy_cycles] - allocated;
    c[OWN_row_wakes] += k->wakes;
    c[OWN_row_charges] += k->charges;
    c[OWN_row_wait_cycles] += k->waits;
}

static const struct sm_row_port rows = {.read = read_rows, .write = write_rows};
static const struct sm_life_port life = {.warp = warp, .work = work};

static bool make(struct savings_sm *s, void *self, struct sm_technique *t) {
    (void)t;
    struct tric *const k = self;
    k->wakeup = savings_value(&s->set, "row_wakeup");
    k->lead = savings_value(&s->set, "row_hidden") + savings_value(&s->set, "row_ahead");
    k->rows = s->c->registers / WARP_LANES;
    return true;
}

// ---- what it is --------------------------------------------------------------------------------
// clang-format off
static const struct act_own counters[] = {
    {.at = OWN_row_on_cycles, .name = "row_on_cycles", .unit = "row cycles", .component = "rf",
     .prose = "drowsy rows: register rows that were on, in cycles in which SMs held work",
     .free = "drowsy rows: a row that is on leaks as without them"},
    {.at = OWN_row_waking_cycles, .name = "row_waking_cycles",
     .unit = "row cycles", .component = "rf",
     .prose = "drowsy rows: register rows that were waking",
     .free = "drowsy rows: a row that wakes leaks as one that is on"},
    {.at = OWN_row_drowsy_cycles, .name = "row_drowsy_cycles",
     .unit = "row cycles", .component = "rf",
     .prose = "drowsy rows: register rows that kept their data at the retention supply"},
    {.at = OWN_row_off_cycles, .name = "row_off_cycles", .unit = "row cycles", .component = "rf",
     .prose = "drowsy rows: register rows that were off, as no warp had them"},
    {.at = OWN_row_wakes, .name = "row_wakes", .unit = "rows", .component = "rf",
     .prose = "drowsy rows: times that a row was woken"},
    {.at = OWN_row_charges, .name = "row_charges", .unit = "rows", .component = "rf",
     .prose = "drowsy rows: times that a row was given to a warp and left the state off"},
    {.at = OWN_row_wait_cycles, .name = "row_wait_cycles", .unit = "cycles", .component = "rf",
     .prose = "drowsy rows: cycles by which operands and results came later, as rows were waking",
     .free = "waiting"},
};
// clang-format on

// clang-format off
static const struct savings_option options[] = {
    {.name = "row_wakeup", .value = 3, .high = 1000, .unit = "cycles",
     .what = "from waking a drowsy register row to its first access",
     .source = "dissertation, 5.5.2"},
    {.name = "row_hidden", .value = 1, .high = 100, .unit = "cycles",
     .what = "between the signal that wakes rows, when a collector is assigned, and the first "
             "cycle in which they could be read", .source = "dissertation, 5.3.2"},
    {.name = "row_ahead", .value = 0, .high = 100, .unit = "cycles",
     .what = "that the scheduler knows ahead which warp issues, so that its rows wake earlier",
     .source = "dissertation, 5.3.2: results assume none"},
};
// clang-format on

// Cells of a row are switched; decoders, sense amplifiers and wires of the banks stay on. A row
// that wakes leaks as one that is on. Given to a warp, its cells are charged as if to the full
// supply.
#define ROWS "dissertation, 5.3"
// clang-format off
static const struct savings_effect effects[] = {
    {.line = "rf", .counter = "row_off_cycles", .component = "rf_banks", .sign = SAVES,
     .price = {.kind = PRICE_CELLS_OFF, .per = PER_RF_ROW},
     .why = "cells of a row that is off do not leak", .source = ROWS},
    {.line = "rf", .counter = "row_drowsy_cycles", .component = "rf_banks", .sign = SAVES,
     .price = {.kind = PRICE_CELLS_DROWSY, .per = PER_RF_ROW},
     .why = "cells of a drowsy row leak at the retention supply", .source = ROWS},
    {.line = "rf_access", .counter = "row_wakes", .component = "rf_banks", .sign = COSTS,
     .price = {.kind = PRICE_WAKE_DROWSY, .per = PER_RF_ROW},
     .why = "a row that wakes is charged from the retention supply", .source = ROWS},
    {.line = "rf_access", .counter = "row_charges", .component = "rf_banks", .sign = COSTS,
     .price = {.kind = PRICE_WAKE_OFF, .per = PER_RF_ROW},
     .why = "a row that a warp gets is charged", .source = ROWS},
};
static const struct savings_area areas[] = {
    {.line = "rf", .counter = "row_off_cycles", .component = "rf_banks",
     .size = {.kind = SIZE_LATCHES, .per = PER_RF_ROW, .n = 2},
     .what = "state of a row: on, drowsy or off", .source = ROWS,
     .published = "about 4 % of the register file, with divided word lines and masks"},
    {.line = "rf", .counter = "row_off_cycles", .component = "rf_banks",
     .size = {.kind = SIZE_SWITCHES, .per = PER_RF_ROW, .n = 2},
     .what = "switches of a row to both supplies, a tenth of the cells' devices each (assumed)",
     .source = ROWS},
};
// clang-format on

const struct savings_part part_tric = {
    .name = "tric",
    .what = "register rows without a warp are off, allocated ones drowsy but while an instruction "
            "reads or writes them",
    .paper = "dissertation, 5.3",
    .roles = ROLE_SUPPLY,
    .counters = {PART_ROWS(counters)},
    .options = {PART_ROWS(options)},
    .effects = {PART_ROWS(effects)},
    .areas = {PART_ROWS(areas)},
    .state_bytes = sizeof(struct tric),
    .ports = {.rows = &rows, .life = &life, .count = count},
    .make = make,
};
