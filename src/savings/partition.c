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
#include "savings/savings_int.h"
#include "savings/swap.h"

enum part { FRF_HIGH, FRF_LOW, SRF, WHOLE_SLOW };
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
    const struct partition *const k = self;
    for (uint32_t i = 0; i < 4; i++) {
        a->c[ACT_partition_reads + i] += k->reads[i];
        a->c[ACT_partition_writes + i] += k->writes[i];
    }
    a->c[k->n != 0 ? ACT_partition_cycles : ACT_slow_file_cycles] += a->c[ACT_sm_busy_cycles];
    a->c[ACT_partition_swaps] += k->swaps;
    a->c[ACT_swap_table_reads] += k->lookups;
    a->c[ACT_pilot_accesses] += k->counted;
    a->c[ACT_pilots] += k->pilots;
    a->c[ACT_pilot_cycles] += k->pilot_cycles;
    a->c[ACT_partition_wait_cycles] += k->waits;
    a->c[ACT_frf_low_cycles] +=
        k->low_cycles + (k->is_low && now > k->low_since ? now - k->low_since : 0);
}

static const struct sm_row_port rows = {.read = read_rows, .write = write_rows};
static const struct sm_life_port life = {.kernel = kernel, .warp = warp, .work = work};

bool partition_init(struct savings_sm *s, struct sm_technique *t) {
    struct partition *const k = s->partition = ww_alloc_aligned(sizeof *k);
    if (k == NULL) return false;
    const struct savings_options *const o = &s->set.o;
    k->n = o->frf_registers;
    k->latency[FRF_HIGH] = 1;
    k->latency[FRF_LOW] = o->frf_low_latency;
    k->latency[SRF] = k->latency[WHOLE_SLOW] = o->srf_latency;
    k->banks = s->c.rf_banks != 0 ? s->c.rf_banks : 1;
    k->threshold = o->frf_threshold;
    k->has_pilot = o->pilot != 0 && k->n != 0;
    k->is_adaptive = o->frf_adaptive != 0 && k->n != 0;
    if (k->is_adaptive)
        k->clock = (struct sm_clock_port){.epoch_cycles = o->frf_epoch, .epoch = epoch};
    *t = (struct sm_technique){.name = "partition",
                               .self = k,
                               .rows = &rows,
                               .life = &life,
                               .clock = k->is_adaptive ? &k->clock : NULL,
                               .count = count};
    return true;
}

void partition_free(struct partition *k) { ww_free_aligned(k); }
