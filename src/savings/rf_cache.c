// A register-file cache (Gebhart et al., ISCA 2011; the dissertation compares with it in 6.6.5): a
// few entries for each warp of a two-level scheduler's active set, in front of the banks (rfc.h).
//
//   results   go into the cache, but those of memory beyond shared memory, and those that come when
//             their warp has left the active set: into the banks
//   liveness  the compiler marks last reads (code_image.last_reads): a value without one to come is
//             never written back
//   places    entry i of warp w lies in bank (i + w) mod rfc_banks; a bank has rfc_read_ports and
//             rfc_write_ports, and an access that finds them taken is later. Values that are
//             written back take a read port
//   mrf       ntv: the banks are near threshold, and an access to them takes srf_latency cycles,
//             one else
//
// Left out: a hit keeps the turn of the bank that it would have read, and a value that is written
// back takes none. Tags are checked in the cycle before the read.
#include "activity/sm.h"
#include "isa/image.h"
#include "savings/rfc.h"
#include "savings/savings_int.h"
#include "sm/config.h"

enum { // numbers of its own counters, from the first
    OWN_rfc_reads,
    OWN_rfc_writes = OWN_rfc_reads + 3,
    OWN_rfc_bypasses,
    OWN_rfc_evictions,
    OWN_rfc_flushed = OWN_rfc_evictions + 2,
    OWN_rfc_flushes = OWN_rfc_flushed + 2,
    OWN_rfc_checks,
    OWN_rfc_slow_reads,
    OWN_rfc_slow_writes,
    OWN_rfc_cycles,
    OWN_rfc_wait_cycles,
};

enum { LIVE, DEAD, FATES };
// The banks behind the cache: names of the option `mrf`, in their order.
enum { MRF_STV, MRF_NTV };

struct rf_cache {
    const struct sm_view *v;                    // of the SM; set when it gets work
    uint32_t entries, banks, ports[2], latency; // ports: read, write
    bool is_slow;
    uint32_t at_slow_file; // counter of a whole file near threshold
    uint64_t next[2][ACT_MAX_BANKS]; // next free slot of a bank's read ports, of its write ports
    uint64_t reads[RFC_READS], writes, bypasses, evicted[FATES], flushed[FATES], flushes, waits;
    uint64_t held; // warps that have entries
    struct rfc_warp warp[SM_MAX_WARPS];
    uint8_t slot_of[SM_MAX_WARPS];
    const struct code_image *image[SM_KERNEL_SLOTS];
};

// Books a port of the bank in which the entry lies, in cycle `at` or later; answers the cycle.
static uint64_t book(struct rf_cache *k, uint32_t warp, uint32_t place, bool is_write,
                     uint64_t at) {
    uint64_t *const next = &k->next[is_write][(place + warp) % k->banks];
    const uint64_t ports = k->ports[is_write];
    const uint64_t slot = at * ports > *next ? at * ports : *next;
    *next = slot + 1;
    return slot / ports;
}

// An entry is given up: answers whether it is written back.
static bool give_up(struct rf_cache *k, uint32_t warp, uint32_t place, const struct rfc_entry *e,
                    uint64_t at, uint64_t fates[FATES]) {
    const bool is_live = e->dirty != 0;
    fates[is_live ? LIVE : DEAD]++;
    if (is_live) book(k, warp, place, false, at);
    return is_live;
}

// ---- accesses ----------------------------------------------------------------------------------
static uint32_t read_rows(void *self, const struct sm_row_access *a) {
    struct rf_cache *const k = self;
    struct rfc_warp *const w = &k->warp[a->warp];
    const struct code_image *const image = k->image[k->slot_of[a->warp]];
    const uint32_t last = image != NULL && image->last_reads != NULL ? image->last_reads[a->pc] : 0;
    uint64_t planned = a->cycle, served = a->cycle;
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t place;
        const enum rfc_read where =
            rfc_read(w, k->entries, a->reg[i], a->lanes, last >> i & 1, &place);
        k->reads[where]++;
        // asked for in the cycle in which the banks are, so that ports are booked in order of time
        const uint64_t cached =
            where != RFC_MISS ? book(k, a->warp, place, false, a->cycle) : a->at[i];
        const uint64_t banked = where != RFC_HIT ? a->at[i] + k->latency - 1 : a->at[i];
        planned = a->at[i] > planned ? a->at[i] : planned;
        served = cached > served ? cached : served;
        served = banked > served ? banked : served;
    }
    k->waits += served - planned;
    return (uint32_t)(served - planned);
}

static uint64_t write_row(struct rf_cache *k, const struct sm_row_access *a, uint32_t i) {
    struct rfc_warp *const w = &k->warp[a->warp];
    const bool is_active = k->v != NULL && (k->v->active >> a->warp & 1);
    if (a->is_long || a->lanes == 0 || !is_active) {
        rfc_bypass(w, k->entries, a->reg[i], a->lanes);
        k->bypasses++;
        return a->at[i] + k->latency - 1;
    }
    const uint32_t place = rfc_place(w, k->entries, a->reg[i]);
    const struct rfc_entry old = rfc_write(w, place, a->reg[i], a->lanes);
    if (old.valid != 0) give_up(k, a->warp, place, &old, a->at[i], k->evicted);
    k->writes++;
    k->held |= UINT64_C(1) << a->warp;
    return book(k, a->warp, place, true, a->at[i]);
}

static uint32_t write_rows(void *self, const struct sm_row_access *a) {
    struct rf_cache *const k = self;
    uint64_t served = a->cycle;
    for (uint32_t i = 0; i < a->n; i++) {
        const uint64_t at = write_row(k, a, i);
        served = at > served ? at : served;
    }
    k->waits += served - a->cycle;
    return (uint32_t)(served - a->cycle);
}

// ---- the active set ----------------------------------------------------------------------------
// A warp has left the active set (is_gone: it has exited, and no value of it is live).
static void flush(struct rf_cache *k, uint32_t warp, bool is_gone, uint64_t cycle) {
    struct rfc_warp *const w = &k->warp[warp];
    k->held &= ~(UINT64_C(1) << warp);
    k->flushes++;
    for (uint32_t i = 0; i < k->entries; i++) {
        if (is_gone) w->entry[i].dirty = 0;
        if (w->entry[i].valid != 0) give_up(k, warp, i, &w->entry[i], cycle, k->flushed);
    }
    *w = (struct rfc_warp){0};
}

static void cycle(void *self, const struct sm_view *v) {
    struct rf_cache *const k = self;
    const uint64_t left = k->held & ~(v->active & v->resident);
    FOR_EACH_BIT64(w, left) flush(k, (uint32_t)w, !(v->resident >> w & 1), v->cycle);
}

static void kernel(void *self, uint32_t slot, const struct code_image *image) {
    ((struct rf_cache *)self)->image[slot] = image;
}

static void warp(void *self, const struct sm_warp_event *e) {
    struct rf_cache *const k = self;
    if (e->comes)
        k->slot_of[e->warp] = (uint8_t)e->kernel_slot;
    else if (k->held >> e->warp & 1)
        flush(k, e->warp, true, e->cycle);
}

static void work(void *self, const struct sm_view *v, bool begins, uint64_t at) {
    (void)begins, (void)at;
    ((struct rf_cache *)self)->v = v;
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v, (void)now;
    uint64_t *const c = savings_own(a, SAVINGS_rf_cache);
    const struct rf_cache *const k = self;
    for (uint32_t i = 0; i < RFC_READS; i++) c[OWN_rfc_reads + i] += k->reads[i];
    for (uint32_t i = 0; i < FATES; i++) {
        c[OWN_rfc_evictions + i] += k->evicted[i];
        c[OWN_rfc_flushed + i] += k->flushed[i];
    }
    c[OWN_rfc_writes] += k->writes;
    c[OWN_rfc_bypasses] += k->bypasses;
    c[OWN_rfc_checks] += k->reads[RFC_HIT] + k->reads[RFC_MISS] + k->reads[RFC_BOTH] + k->writes;
    c[OWN_rfc_flushes] += k->flushes;
    c[OWN_rfc_wait_cycles] += k->waits;
    c[OWN_rfc_cycles] += a->c[ACT_sm_busy_cycles];
    if (!k->is_slow) return;
    a->c[k->at_slow_file] += a->c[ACT_sm_busy_cycles];
    c[OWN_rfc_slow_reads] += k->reads[RFC_MISS] + k->reads[RFC_BOTH];
    c[OWN_rfc_slow_writes] += k->bypasses + k->evicted[LIVE] + k->flushed[LIVE];
}

static const struct sm_row_port rows = {.read = read_rows, .write = write_rows};
static const struct sm_life_port life = {.kernel = kernel, .warp = warp, .work = work};
static const struct sm_clock_port clock_port = {.cycle = cycle};

static enum ww_status check(const struct savings *s, const struct sm_config *c, struct diags *d) {
    (void)s;
    if (c->rfc_entries != 0 && sm_scheduler_is(c->scheduler, SCHED_HAS_SET)) return WW_OK;
    return diag_add(d, WW_ERROR_CONFIG,
                    "rf-cache needs sm.rfc_entries of 1 or more and sm.scheduler two_level: it "
                    "holds registers of the warps of an active set");
}

static bool make(struct savings_sm *s, void *self, struct sm_technique *t) {
    (void)t;
    struct rf_cache *const k = self;
    k->entries = s->c->rfc_entries < RFC_MAX_ENTRIES ? s->c->rfc_entries : RFC_MAX_ENTRIES;
    k->banks = s->c->rfc_banks;
    k->ports[0] = s->c->rfc_read_ports;
    k->ports[1] = s->c->rfc_write_ports;
    k->is_slow = savings_value(&s->set, "mrf") == MRF_NTV;
    k->at_slow_file = act_number("slow_file_cycles");
    k->latency = k->is_slow ? savings_value(&s->set, "srf_latency") : 1;
    return true;
}

// ---- what it is --------------------------------------------------------------------------------
// clang-format off
static const struct act_own counters[] = {
    {.at = OWN_rfc_reads, .n = 3, .name = "rfc_reads", .unit = "warp registers", .component = "rf",
     .prose = "register-file cache: rows read there, in the banks, and in both (some lanes in "
              "each)"},
    {.at = OWN_rfc_writes, .name = "rfc_writes", .unit = "warp registers", .component = "rf",
     .prose = "register-file cache: rows written there"},
    {.at = OWN_rfc_bypasses, .name = "rfc_bypasses", .unit = "warp registers", .component = "rf",
     .prose = "register-file cache: rows written past it, into the banks: results of memory, of "
              "warps that have left the active set, and of no lane",
     .free = "rf_writes pays: a write of a bank"},
    {.at = OWN_rfc_evictions, .n = 2, .name = "rfc_evictions",
     .unit = "warp registers", .component = "rf",
     .prose = "register-file cache: entries given up for another register: written back, dropped "
              "as no lane's value is read again"},
    {.at = OWN_rfc_flushed, .n = 2, .name = "rfc_flushed",
     .unit = "warp registers", .component = "rf",
     .prose = "register-file cache: entries of warps that left the active set: written back, "
              "dropped"},
    {.at = OWN_rfc_flushes, .name = "rfc_flushes", .unit = "warps", .component = "rf",
     .prose = "register-file cache: warps that left the active set with entries",
     .free = "warps; their registers are charged"},
    {.at = OWN_rfc_checks, .name = "rfc_checks", .unit = "warp registers", .component = "rf",
     .prose = "register-file cache: rows whose tags were compared"},
    {.at = OWN_rfc_slow_reads, .name = "rfc_slow_reads",
     .unit = "warp registers", .component = "rf",
     .prose = "register-file cache: rows read in banks near threshold"},
    {.at = OWN_rfc_slow_writes, .name = "rfc_slow_writes",
     .unit = "warp registers", .component = "rf",
     .prose = "register-file cache: rows written, or written back, into banks near threshold"},
    {.at = OWN_rfc_cycles, .name = "rfc_cycles", .unit = "SM cycles", .component = "rf",
     .prose = "register-file cache: cycles in which SMs held work"},
    {.at = OWN_rfc_wait_cycles, .name = "rfc_wait_cycles", .unit = "cycles", .component = "rf",
     .prose = "register-file cache: cycles by which operands and results came later",
     .free = "waiting"},
};
// clang-format on

// clang-format off
static const struct savings_option options[] = {
    {.name = "mrf", .names = "stv ntv", .value = MRF_NTV, .unit = "",
     .what = "supply of the banks behind a register-file cache: stv, above threshold; ntv, near "
             "it, with srf_latency", .source = "dissertation, 6.6.5 and figure 6.12"},
};
// clang-format on

// What the cache itself takes is by the array model: an access of its banks, with their ports, over
// one of a bank of the register file, both of devices of tech.node_nm. Banks near threshold are
// those of a whole file (registers.c).
#define PARTS  "dissertation, table 6.4"
#define CACHED "Gebhart et al., ISCA 2011"
// clang-format off
static const struct savings_line lines[] = {
    {.key = "rfc", .name = "RFC", .kind = LINE_ADDED, .note = " (register-file cache)",
     .what = "the register-file cache"},
};
static const struct savings_effect effects[] = {
    {.line = "rf_access", .counter = "rfc_reads", .first = RFC_HIT, .component = "rf_banks",
     .sign = SAVES, .price = {.kind = PRICE_ACCESS, .event = "rf_reads", .share = 1},
     .why = "a hit reads no bank", .source = CACHED},
    {.line = "rf_access", .counter = "rfc_writes", .component = "rf_banks", .sign = SAVES,
     .price = {.kind = PRICE_ACCESS, .event = "rf_writes", .share = 1},
     .why = "a result in the cache writes no bank", .source = CACHED},
    {.line = "rf_access", .counter = "rfc_evictions", .and = "rfc_flushed", .component = "rf_banks",
     .sign = COSTS, .price = {.kind = PRICE_ACCESS, .event = "rf_writes", .share = 1},
     .why = "a live value is written back", .source = CACHED},
    {.line = "rf_access", .counter = "rfc_slow_reads", .component = "rf_banks", .sign = SAVES,
     .price = {.kind = PRICE_PARTS_ACCESS, .event = "rf_reads", .file = FILE_ALL_SLOW},
     .why = "banks near threshold", .source = PARTS},
    {.line = "rf_access", .counter = "rfc_slow_writes", .component = "rf_banks", .sign = SAVES,
     .price = {.kind = PRICE_PARTS_ACCESS, .event = "rf_writes", .file = FILE_ALL_SLOW},
     .why = "as a read", .source = PARTS},
    {.line = "rfc", .counter = "rfc_cycles", .component = "rf_banks", .sign = COSTS,
     .price = {.kind = PRICE_RFC_LEAK}, .why = "the cache leaks", .source = CACHED},
    {.line = "rfc", .counter = "rfc_reads", .first = RFC_HIT, .component = "rf_banks",
     .sign = COSTS, .price = {.kind = PRICE_RFC_READ, .event = "rf_reads"},
     .why = "a hit reads the cache", .source = CACHED},
    {.line = "rfc", .counter = "rfc_reads", .first = RFC_BOTH, .component = "rf_banks",
     .sign = COSTS, .price = {.kind = PRICE_RFC_READ, .event = "rf_reads"},
     .why = "as does a read of some lanes", .source = CACHED},
    {.line = "rfc", .counter = "rfc_evictions", .and = "rfc_flushed", .component = "rf_banks",
     .sign = COSTS, .price = {.kind = PRICE_RFC_READ, .event = "rf_reads"},
     .why = "and a value that is written back", .source = CACHED},
    {.line = "rfc", .counter = "rfc_writes", .component = "rf_banks", .sign = COSTS,
     .price = {.kind = PRICE_RFC_WRITE, .event = "rf_writes"}, .why = "a result is written",
     .source = CACHED},
    {.line = "rfc", .counter = "rfc_checks", .component = "rf_banks", .sign = COSTS,
     .price = {.kind = PRICE_RFC_TAGS}, .why = "tags are compared", .source = CACHED},
};
static const struct savings_area areas[] = {
    {.line = "rfc", .counter = "rfc_cycles", .component = "rf_banks", .size = {.kind = SIZE_RFC},
     .what = "banks of the register-file cache, with their ports", .source = CACHED},
};
// clang-format on

const struct savings_part part_rf_cache = {
    .name = "rf-cache",
    .what = "a cache of a few registers for each warp of the active set, in front of the banks, "
            "which may be near threshold",
    .paper = "Gebhart et al., ISCA 2011; dissertation, 6.6.5",
    .roles = ROLE_SUPPLY | ROLE_ACCESS,
    .counters = {PART_ROWS(counters)},
    .options = {PART_ROWS(options)},
    .lines = {PART_ROWS(lines)},
    .effects = {PART_ROWS(effects)},
    .areas = {PART_ROWS(areas)},
    .uses = {&part_registers},
    .wants_last_reads = true,
    .check = check,
    .state_bytes = sizeof(struct rf_cache),
    .ports = {.rows = &rows, .life = &life, .clock = &clock_port, .count = count},
    .make = make,
};
