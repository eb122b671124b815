// A register file in two partitions (dissertation, chapter 6): of each warp frf_registers registers
// are in the fast one (FRF), the others in the slow one near threshold (SRF). Each bank is split,
// so that a bank still serves one access at a time.
//
//   pilot     the first warp of a kernel in this SM counts its accesses to registers; when it has
//             gone, the registers that it used most are the fast ones (swap.h), for all warps of
//             the kernel. Before that, the first ones are. A kernel that is bound anew starts anew,
//             and each kernel slot has counters, pilot and table of its own
//   swap      registers of warps that run at that moment change places then: of each pair and warp
//             two rows are read and two written, a row a bank and access; accesses wait for it
//   adaptive  the fast partition is slower and takes less energy in an epoch after one in which
//             fewer than frf_threshold instructions issued
//
// An access takes srf_latency, frf_low_latency or, in the fast partition at full speed, one cycle.
// It makes the operand, or the result, later by what it takes beyond one; banks take the next
// access meanwhile. Without fast registers and a pilot this is the whole file near threshold.
#include <assert.h>

#include "activity/sm.h"
#include "savings/savings_int.h"
#include "savings/swap.h"
#include "sm/config.h"

enum { // numbers of its own counters, from the first
    OWN_partition_reads,
    OWN_partition_writes = OWN_partition_reads + 4,
    OWN_partition_cycles = OWN_partition_writes + 4,
    OWN_slow_file_cycles,
    OWN_partition_wait_cycles,
    OWN_frf_low_cycles,
    OWN_partition_swaps,
    OWN_swap_table_reads,
    OWN_pilot_accesses,
    OWN_pilots,
    OWN_pilot_cycles,
};

enum part { FRF_HIGH, FRF_LOW, SRF, WHOLE_SLOW };
static_assert((int)FRF_HIGH == FILE_FAST && (int)FRF_LOW == FILE_FAST_LOW &&
                  (int)SRF == FILE_SLOW && (int)WHOLE_SLOW == FILE_ALL_SLOW,
              "counters by part are priced as files of worth.h");
enum { NO_WARP = 255 };

struct partition {
    uint32_t n, latency[4], banks, threshold;
    bool has_pilot, is_adaptive, is_low;
    uint64_t reads[4], writes[4];
    uint64_t swaps, swapped_at; // pairs of rows; accesses wait until this cycle
    uint64_t lookups, counted, waits, low_cycles, low_since, issued;
    uint64_t pilot_cycles, pilots;
    uint8_t slot_of[SM_MAX_WARPS], registers[SM_MAX_WARPS];
    uint64_t resident;
    struct pilot {
        bool profile_mask;
        uint8_t warp;
        uint64_t since;
        uint16_t counter[SWAP_COUNTERS];
        struct swap_table table;
    } pilot[SM_KERNEL_SLOTS];
    struct sm_clock_port clock;
};

// ---- accesses ----------------------------------------------------------------------------------
static enum part part_of(struct partition *k, uint32_t warp, uint32_t reg) {
    struct pilot *const p = &k->pilot[k->slot_of[warp]];
    if (k->n == 0) return WHOLE_SLOW;
    if (p->profile_mask && p->warp == warp) {
        swap_count(p->counter, reg);
        k->counted++;
    }
    k->lookups += !p->profile_mask;
    if (swap_indexed(&p->table, reg) >= k->n) return SRF;
    return k->is_low ? FRF_LOW : FRF_HIGH;
}

static uint32_t access_rows(struct partition *k, const struct sm_row_access *a, uint64_t *count) {
    uint64_t planned = a->cycle, served = a->cycle;
    for (uint32_t i = 0; i < a->n; i++) {
        const enum part part = part_of(k, a->warp, a->reg[i]);
        count[part]++;
        const uint64_t at = a->at[i] > k->swapped_at ? a->at[i] : k->swapped_at;
        const uint64_t done = at + k->latency[part] - 1;
        planned = a->at[i] > planned ? a->at[i] : planned;
        served = done > served ? done : served;
    }
    if (a->n == 0) return 0;
    k->waits += served - planned;
    return (uint32_t)(served - planned);
}

static uint32_t read_rows(void *self, const struct sm_row_access *a) {
    return access_rows(self, a, ((struct partition *)self)->reads);
}

static uint32_t write_rows(void *self, const struct sm_row_access *a) {
    return access_rows(self, a, ((struct partition *)self)->writes);
}

// ---- the pilot ---------------------------------------------------------------------------------
static void kernel(void *self, uint32_t slot, const struct code_image *image) {
    (void)image;
    struct partition *const k = self;
    struct pilot *const p = &k->pilot[slot];
    *p = (struct pilot){.profile_mask = k->has_pilot, .warp = NO_WARP};
    swap_clear(&p->table, k->n);
}

// The pilot of a slot has gone: the table is filled, and rows of warps that run change places.
static void land(struct partition *k, uint32_t slot, uint32_t registers, uint64_t cycle) {
    struct pilot *const p = &k->pilot[slot];
    p->profile_mask = false;
    p->warp = NO_WARP;
    k->pilot_cycles += cycle + 1 - p->since;
    swap_fill(&p->table, p->counter, registers);
    uint64_t pairs = 0;
    FOR_EACH_BIT64(w, k->resident)
        if (k->slot_of[w] == slot) pairs += p->table.pairs;
    k->swaps += pairs;
    const uint64_t rounds = (4 * pairs + k->banks - 1) / k->banks;
    if (pairs != 0) k->swapped_at = cycle + 1 + rounds * k->latency[SRF];
}

static void warp(void *self, const struct sm_warp_event *e) {
    struct partition *const k = self;
    struct pilot *const p = &k->pilot[e->kernel_slot];
    if (e->comes) {
        k->slot_of[e->warp] = (uint8_t)e->kernel_slot;
        k->resident |= UINT64_C(1) << e->warp;
        if (!p->profile_mask || p->warp != NO_WARP) return;
        p->warp = (uint8_t)e->warp;
        p->since = e->cycle;
        k->pilots++;
        return;
    }
    k->resident &= ~(UINT64_C(1) << e->warp);
    if (p->profile_mask && p->warp == e->warp) land(k, e->kernel_slot, e->registers, e->cycle);
}

// ---- epochs ------------------------------------------------------------------------------------
static void set_low(struct partition *k, bool is_low, uint64_t cycle) {
    if (k->is_low) k->low_cycles += cycle - k->low_since;
    k->is_low = is_low;
    k->low_since = cycle;
}

static void epoch(void *self, const struct sm_view *v, uint64_t cycle) {
    struct partition *const k = self;
    set_low(k, v->issued - k->issued < k->threshold, cycle);
    k->issued = v->issued;
}

// An SM that gets work begins at full speed.
static void work(void *self, const struct sm_view *v, bool begins, uint64_t cycle) {
    (void)begins;
    struct partition *const k = self;
    set_low(k, false, cycle);
    k->issued = v->issued;
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v;
    uint64_t *const c = savings_own(a, SAVINGS_partition);
    const struct partition *const k = self;
    for (uint32_t i = 0; i < 4; i++) {
        c[OWN_partition_reads + i] += k->reads[i];
        c[OWN_partition_writes + i] += k->writes[i];
    }
    c[k->n != 0 ? OWN_partition_cycles : OWN_slow_file_cycles] += a->c[ACT_sm_busy_cycles];
    c[OWN_partition_swaps] += k->swaps;
    c[OWN_swap_table_reads] += k->lookups;
    c[OWN_pilot_accesses] += k->counted;
    c[OWN_pilots] += k->pilots;
    c[OWN_pilot_cycles] += k->pilot_cycles;
    c[OWN_partition_wait_cycles] += k->waits;
    c[OWN_frf_low_cycles] +=
        k->low_cycles + (k->is_low && now > k->low_since ? now - k->low_since : 0);
}

static const struct sm_row_port rows = {.read = read_rows, .write = write_rows};
static const struct sm_life_port life = {.kernel = kernel, .warp = warp, .work = work};

static bool make(struct savings_sm *s, void *self, struct sm_technique *t) {
    struct partition *const k = self;
    const struct savings *const o = &s->set;
    k->n = savings_value(o, "frf_registers");
    k->latency[FRF_HIGH] = 1;
    k->latency[FRF_LOW] = savings_value(o, "frf_low_latency");
    k->latency[SRF] = k->latency[WHOLE_SLOW] = savings_value(o, "srf_latency");
    k->banks = s->c->rf_banks != 0 ? s->c->rf_banks : 1;
    k->threshold = savings_value(o, "frf_threshold");
    k->has_pilot = savings_value(o, "pilot") != 0 && k->n != 0;
    k->is_adaptive = savings_value(o, "frf_adaptive") != 0 && k->n != 0;
    if (!k->is_adaptive) return true;
    k->clock =
        (struct sm_clock_port){.epoch_cycles = savings_value(o, "frf_epoch"), .epoch = epoch};
    t->clock = &k->clock;
    return true;
}

// ---- what it is --------------------------------------------------------------------------------
// clang-format off
static const struct act_own counters[] = {
    {.at = OWN_partition_reads, .n = 4, .name = "partition_reads",
     .unit = "warp registers", .component = "rf",
     .prose = "partitioned register file: rows read in the fast partition, there in low mode, in "
              "the slow partition, in a file that is all slow"},
    {.at = OWN_partition_writes, .n = 4, .name = "partition_writes",
     .unit = "warp registers", .component = "rf",
     .prose = "partitioned register file: rows written, likewise"},
    {.at = OWN_partition_cycles, .name = "partition_cycles", .unit = "SM cycles", .component = "rf",
     .prose = "partitioned register file: cycles in which SMs held work"},
    {.at = OWN_slow_file_cycles, .name = "slow_file_cycles", .unit = "SM cycles", .component = "rf",
     .prose = "register file near threshold: cycles in which SMs held work"},
    {.at = OWN_partition_wait_cycles, .name = "partition_wait_cycles",
     .unit = "cycles", .component = "rf",
     .prose = "partitioned register file: cycles by which operands and results came later",
     .free = "waiting"},
    {.at = OWN_frf_low_cycles, .name = "frf_low_cycles", .unit = "SM cycles", .component = "rf",
     .prose = "partitioned register file: cycles in which the fast partition was in low mode",
     .free = "a state: accesses pay by partition_reads and partition_writes"},
    {.at = OWN_partition_swaps, .name = "partition_swaps",
     .unit = "warp registers", .component = "rf",
     .prose = "partitioned register file: pairs of rows of running warps that changed places"},
    {.at = OWN_swap_table_reads, .name = "swap_table_reads", .unit = "registers", .component = "rf",
     .prose = "partitioned register file: rows looked up in the swapping table"},
    {.at = OWN_pilot_accesses, .name = "pilot_accesses", .unit = "registers", .component = "rf",
     .prose = "partitioned register file: accesses that pilot warps counted"},
    {.at = OWN_pilots, .name = "pilots", .unit = "warps", .component = "rf",
     .prose = "partitioned register file: pilot warps chosen, one a kernel and SM",
     .free = "an id and a bit"},
    {.at = OWN_pilot_cycles, .name = "pilot_cycles", .unit = "SM cycles", .component = "rf",
     .prose = "partitioned register file: cycles from the start of a pilot warp to its end, of "
              "those that have ended",
     .free = "a part of the time; counted accesses pay"},
};
// clang-format on

// clang-format off
static const struct savings_option options[] = {
    {.name = "frf_registers", .value = 4, .high = 16, .unit = "registers",
     .what = "of a warp in the fast partition; 0: the whole file is near threshold",
     .source = "dissertation, 6.6.2"},
    {.name = "pilot", .value = 1, .high = 1, .unit = "",
     .what = "a pilot warp finds the registers used most; 0: the first ones are the fast ones",
     .source = "dissertation, 6.3"},
    {.name = "frf_low_latency", .value = 2, .low = 1, .high = 100, .unit = "cycles",
     .what = "an access to the fast partition in low mode", .source = "dissertation, 6.5.2.1"},
    {.name = "frf_adaptive", .value = 1, .high = 1, .unit = "",
     .what = "the fast partition has a low mode", .source = "dissertation, 6.5.2.1"},
    {.name = "frf_epoch", .value = 50, .low = 1, .high = 1000000, .unit = "cycles",
     .what = "after which the mode is chosen", .source = "dissertation, 6.5.2.1"},
    {.name = "frf_threshold", .value = 85, .high = 1000000, .unit = "instructions",
     .what = "fewer than these issued in an epoch: the next one is in low mode",
     .source = "dissertation, 6.6.3: 85 of 400"},
};
// clang-format on

// Shares of an access and of the leakage are those of table 6.4, whose partitions are 32 and 224 of
// 256 KB at 7 nm: with power.rf_node_nm 7 they are its joules, at other nodes its ratios; or, with
// power.rf_parts_model, those of the array model at the node (power/tree_sm.c). A pair that changes
// places is read and written in both partitions. The table of 2 x 4 entries of 13 bits has a copy a
// scheduler (four).
#define PARTS    "dissertation, table 6.4"
#define SWAPPING "dissertation, 6.3.1"
// clang-format off
static const struct savings_line lines[] = {
    {.key = "swaps", .name = "swaps", .kind = LINE_ADDED,
     .note = " (swapping tables, access counters)", .what = "swapping tables and access counters"},
};
static const struct savings_effect effects[] = {
    {.line = "rf", .counter = "partition_cycles", .component = "rf_banks", .sign = SAVES,
     .price = {.kind = PRICE_PARTS_LEAK, .file = FILE_LEAK_PARTED},
     .why = "both partitions leak less than the whole", .source = PARTS},
    {.line = "rf_access", .counter = "partition_reads", .first = FILE_FAST, .component = "rf_banks",
     .sign = SAVES, .price = {.kind = PRICE_PARTS_ACCESS, .event = "rf_reads", .file = FILE_FAST},
     .why = "the fast partition is small", .source = PARTS},
    {.line = "rf_access", .counter = "partition_reads", .first = FILE_FAST_LOW,
     .component = "rf_banks", .sign = SAVES,
     .price = {.kind = PRICE_PARTS_ACCESS, .event = "rf_reads", .file = FILE_FAST_LOW},
     .why = "in low mode its back gates are off", .source = PARTS},
    {.line = "rf_access", .counter = "partition_reads", .first = FILE_SLOW, .component = "rf_banks",
     .sign = SAVES, .price = {.kind = PRICE_PARTS_ACCESS, .event = "rf_reads", .file = FILE_SLOW},
     .why = "the slow partition is near threshold", .source = PARTS},
    {.line = "rf_access", .counter = "partition_reads", .first = FILE_ALL_SLOW,
     .component = "rf_banks", .sign = SAVES,
     .price = {.kind = PRICE_PARTS_ACCESS, .event = "rf_reads", .file = FILE_ALL_SLOW},
     .why = "a whole file near threshold", .source = PARTS},
    {.line = "rf_access", .counter = "partition_writes", .first = FILE_FAST,
     .component = "rf_banks", .sign = SAVES,
     .price = {.kind = PRICE_PARTS_ACCESS, .event = "rf_writes", .file = FILE_FAST},
     .why = "as a read", .source = PARTS},
    {.line = "rf_access", .counter = "partition_writes", .first = FILE_FAST_LOW,
     .component = "rf_banks", .sign = SAVES,
     .price = {.kind = PRICE_PARTS_ACCESS, .event = "rf_writes", .file = FILE_FAST_LOW},
     .why = "as a read", .source = PARTS},
    {.line = "rf_access", .counter = "partition_writes", .first = FILE_SLOW,
     .component = "rf_banks", .sign = SAVES,
     .price = {.kind = PRICE_PARTS_ACCESS, .event = "rf_writes", .file = FILE_SLOW},
     .why = "as a read", .source = PARTS},
    {.line = "rf_access", .counter = "partition_writes", .first = FILE_ALL_SLOW,
     .component = "rf_banks", .sign = SAVES,
     .price = {.kind = PRICE_PARTS_ACCESS, .event = "rf_writes", .file = FILE_ALL_SLOW},
     .why = "as a read", .source = PARTS},
    {.line = "rf_access", .counter = "partition_swaps", .component = "rf_banks", .sign = COSTS,
     .price = {.kind = PRICE_PARTS_SWAP, .event = "rf_reads"},
     .why = "a read and a write in each partition", .source = SWAPPING},
    {.line = "swaps", .counter = "partition_cycles", .component = "rf_banks", .sign = COSTS,
     .price = {.kind = PRICE_TABLE_LEAK, .entries = 32, .bits = 13},
     .why = "four copies of the swapping table leak", .source = SWAPPING},
    {.line = "swaps", .counter = "swap_table_reads", .component = "rf_banks", .sign = COSTS,
     .price = {.kind = PRICE_TABLE_READ, .entries = 8, .bits = 13}, .why = "a look-up",
     .source = SWAPPING},
    {.line = "swaps", .counter = "pilot_accesses", .component = "rf_banks", .sign = COSTS,
     .price = {.kind = PRICE_TABLE_WRITE, .entries = 63, .bits = 16},
     .why = "a counter is incremented", .source = SWAPPING},
};
static const struct savings_area areas[] = {
    {.line = "rf", .counter = "partition_cycles", .component = "rf_banks",
     .size = {.kind = SIZE_SPLIT},
     .what = "two partitions, of an eighth of the rows and of the others",
     .source = "dissertation, 6.6.2", .published = "0.214 mm2 for 0.2, under 10 %"},
    {.line = "swaps", .counter = "partition_cycles", .component = "rf_banks",
     .size = {.kind = SIZE_TABLE, .n = 32, .bits = 13}, .what = "four copies of the swapping table",
     .source = "dissertation, 6.3.1", .published = "negligible"},
    {.line = "swaps", .counter = "partition_cycles", .component = "rf_banks",
     .size = {.kind = SIZE_TABLE, .n = 63, .bits = 16}, .what = "access counters of the pilot warp",
     .source = "dissertation, 6.3.1", .published = "negligible"},
};
// clang-format on

const struct savings_part part_partition = {
    .name = "partition",
    .what = "register banks split into a fast partition and one near threshold; a pilot warp "
            "finds the registers for the fast one",
    .paper = "dissertation, chapter 6",
    .roles = ROLE_SUPPLY | ROLE_ACCESS,
    .counters = {PART_ROWS(counters)},
    .options = {PART_ROWS(options)},
    .lines = {PART_ROWS(lines)},
    .effects = {PART_ROWS(effects)},
    .areas = {PART_ROWS(areas)},
    .uses = {&part_registers},
    .state_bytes = sizeof(struct partition),
    .ports = {.rows = &rows, .life = &life, .count = count},
    .make = make,
};
