// Meters: what the papers measured to find out what a technique could save. They change no cycle.
//
// Registers (dissertation, 5.2): the cycles between two accesses, reads or writes, to the same
// register of the register file: the row of a warp slot, whichever warp holds it at the time.
// "Cycles elapsed" is all the paper says, so those that the SM pauses between launches count. A
// register's distance is the mean of the gaps that end while the SM is busy without a pause, from
// its last access before on; registers of more than FAR cycles stay out of the average, as in the
// paper, and a first access has none. Accesses of instructions that need no unit (a branch by a
// register) are not seen.
//
// Cache lines (Power-aware L1 and L2 caches, 3): how often each place for a line was accessed, and
// the cycles between two accesses to it. A hit is an access; a miss is one when its line comes. The
// count goes on over launches: what a place held before does not matter to its cells.
//
// A kernel's first warp in an SM, the pilot of the dissertation's 6.3, is compared with all others
// that have run there when the SM pauses or the kernel leaves: the rank correlation of how often
// each register was accessed, and how many of the four used most are the same.
#include "isa/isa.h"
#include "savings/place.h"
#include "savings/rank.h"
#include "savings/savings_int.h"
#include "sm/config.h"

enum { // numbers of its own counters, from the first
    OWN_meter_rf_gaps,
    OWN_meter_rf_gap_cycles,
    OWN_meter_rf_long_gaps,
    OWN_meter_rf_long_cycles,
    OWN_meter_rf_bins,
    OWN_meter_pilots = OWN_meter_rf_bins + ACT_METER_BINS,
    OWN_meter_pilot_ranks,
    OWN_meter_pilot_agree,
    OWN_meter_pilot_top,
    OWN_meter_rf_registers,
    OWN_meter_rf_distance,
    OWN_meter_rf_slow_registers,
    OWN_meter_l1_reached,
    OWN_meter_l1_gaps = OWN_meter_l1_reached + ACT_METER_BINS,
    OWN_meter_l1_gap_cycles = OWN_meter_l1_gaps + ACT_METER_BINS,
    OWN_meter_l2_reached,
    OWN_meter_l2_gaps = OWN_meter_l2_reached + ACT_METER_BINS,
    OWN_meter_l2_gap_cycles = OWN_meter_l2_gaps + ACT_METER_BINS,
    OWN_meter_l1_near_gaps,
    OWN_meter_l1_near_cycles,
    OWN_meter_l2_near_gaps,
    OWN_meter_l2_near_cycles,
    OWN_meter_l2_accesses,
    OWN_meter_l2_words,
    OWN_meter_l2_lanes,
};

enum { FAR = 3000 }; // cycles: dissertation, 5.2, figure 5.2

// A row's gaps add up to the time from its first access to its last, so it takes no sum to know
// their mean: only the last access and their number.
#define NEVER (1ull << 63) // any cycle less this is no gap of at most FAR cycles
struct meters {
    struct row {
        uint64_t last;  // cycle of the last access; NEVER: there was none
        uint64_t gaps;  // of at most FAR cycles that are not summed up yet
        uint64_t begin; // where the gaps that are not summed up yet begin
        uint64_t far;   // of these, those of more than FAR cycles
    } row[MAX_GPRS][SM_MAX_WARPS];
    struct usage { // of registers, by a kernel's warps
        uint64_t all[MAX_GPRS], pilots[MAX_GPRS];
        uint32_t others; // warps besides the pilot
        uint8_t pilot;   // NO_WARP: none yet, or it has gone
        bool has_pilot;
    } usage[SM_KERNEL_SLOTS];
    uint8_t slot_of[SM_MAX_WARPS];
    uint64_t pilots, ranks, agree, top; // compared; sum of correlations; of `top` registers
    uint64_t bins[ACT_METER_BINS];      // gaps, by power of two
    uint32_t used;                      // registers below this were accessed
    uint64_t gaps, cycles; // summed up: gaps of at most FAR cycles, the cycles of all gaps
    uint64_t long_gaps, long_cycles;    // of more than FAR
    uint64_t registers, distance, slow; // those that are not far, their means, those that are
    uint64_t l1_reached[ACT_METER_BINS], l1_gaps[ACT_METER_BINS], l1_gap_cycles;
    uint64_t l1_near_gaps, l1_near_cycles;
    uint32_t l1_lines;
    struct place *l1;
};

enum { NO_WARP = 255, TOP = 4 };
enum { RANK_UNIT = 1000000 }; // a correlation of 1; -1 is 0

// Planned cycles may come out of order by a few.
static void access_row(struct meters *m, uint32_t warp, uint32_t reg, uint64_t cycle) {
    struct row *const r = &m->row[reg][warp];
    struct usage *const u = &m->usage[m->slot_of[warp]];
    u->all[reg]++;
    u->pilots[reg] += u->pilot == warp;
    if (ww_likely(cycle - r->last <= FAR)) {
        m->bins[place_bin(cycle - r->last)]++;
        r->last = cycle;
        r->gaps++;
    } else if (r->last == NEVER) {
        r->begin = r->last = cycle;
        if (reg >= m->used) m->used = reg + 1;
    } else if (cycle < r->last) {
        m->bins[0]++;
        r->gaps++;
    } else {
        m->bins[place_bin(cycle - r->last)]++;
        r->far++;
        m->long_gaps++;
        m->long_cycles += cycle - r->last;
        r->last = cycle;
    }
}

static uint32_t access_rows(void *self, const struct sm_row_access *a) {
    for (uint32_t i = 0; i < a->n; i++) access_row(self, a->warp, a->reg[i], a->cycle);
    return 0;
}

// ---- the pilot and the others ------------------------------------------------------------------
static void compare(struct meters *m, struct usage *u) {
    uint64_t own[MAX_GPRS], other[MAX_GPRS];
    uint32_t n = 0;
    for (uint32_t reg = 0; reg < MAX_GPRS; reg++) {
        if (u->all[reg] == 0) continue;
        own[n] = u->pilots[reg];
        other[n++] = u->all[reg] - u->pilots[reg];
    }
    const double r = u->others != 0 ? rank_correlation(own, other, n) : NAN;
    if (!isnan(r)) {
        m->pilots++;
        m->ranks += (uint64_t)lround((r + 1) / 2 * RANK_UNIT);
        m->agree += rank_agree(own, other, n, TOP);
        m->top += n < TOP ? n : TOP;
    }
    *u = (struct usage){.pilot = NO_WARP};
}

static void kernel(void *self, uint32_t slot, const struct code_image *image) {
    (void)image;
    compare(self, &((struct meters *)self)->usage[slot]);
}

static void warp(void *self, const struct sm_warp_event *e) {
    struct meters *const m = self;
    struct usage *const u = &m->usage[e->kernel_slot];
    if (!e->comes) {
        if (u->pilot == e->warp) u->pilot = NO_WARP;
        return;
    }
    m->slot_of[e->warp] = (uint8_t)e->kernel_slot;
    if (u->has_pilot)
        u->others++;
    else
        u->pilot = (uint8_t)e->warp;
    u->has_pilot = true;
}

// The SM pauses: every register's mean is known, and what comes begins anew.
static void work(void *self, const struct sm_view *v, bool begins, uint64_t cycle) {
    (void)v, (void)cycle;
    struct meters *const m = self;
    if (begins) return;
    for (uint32_t slot = 0; slot < SM_KERNEL_SLOTS; slot++)
        if (m->usage[slot].has_pilot) compare(m, &m->usage[slot]);
    for (uint32_t reg = 0; reg < m->used; reg++) {
        for (uint32_t w = 0; w < SM_MAX_WARPS; w++) {
            struct row *const r = &m->row[reg][w];
            const uint64_t n = r->gaps + r->far;
            if (n == 0) continue;
            const uint64_t sum = r->last - r->begin, mean = (sum + n / 2) / n;
            m->gaps += r->gaps;
            m->cycles += sum;
            r->begin = r->last;
            r->gaps = r->far = 0;
            if (mean <= FAR) {
                m->registers++;
                m->distance += mean;
            } else {
                m->slow++;
            }
        }
    }
}

static uint32_t array_access(void *self, const struct cache_event *e) {
    struct meters *const m = self;
    const uint32_t counted = 1u << CACHE_READ_HIT | 1u << CACHE_WRITE_HIT | 1u << CACHE_FILL;
    if (e->array != ARRAY_L1D || e->place >= m->l1_lines || !(counted >> e->what & 1)) return 0;
    const struct place_counts c = {m->l1_reached, m->l1_gaps, &m->l1_gap_cycles, &m->l1_near_gaps,
                                   &m->l1_near_cycles};
    place_access(&m->l1[e->place], e->cycle, &c);
    return 0;
}

static void count(const void *self, const struct sm_view *v, struct activity *a, uint64_t now) {
    (void)v, (void)now;
    uint64_t *const c = savings_own(a, SAVINGS_meters);
    const struct meters *const m = self;
    uint64_t gaps = m->gaps, cycles = m->cycles;
    for (uint32_t reg = 0; reg < m->used; reg++) {
        for (uint32_t w = 0; w < SM_MAX_WARPS; w++) {
            gaps += m->row[reg][w].gaps;
            cycles += m->row[reg][w].last - m->row[reg][w].begin;
        }
    }
    c[OWN_meter_rf_gaps] += gaps;
    c[OWN_meter_rf_gap_cycles] += cycles - m->long_cycles;
    c[OWN_meter_rf_long_gaps] += m->long_gaps;
    c[OWN_meter_rf_long_cycles] += m->long_cycles;
    c[OWN_meter_pilots] += m->pilots;
    c[OWN_meter_pilot_ranks] += m->ranks;
    c[OWN_meter_pilot_agree] += m->agree;
    c[OWN_meter_pilot_top] += m->top;
    c[OWN_meter_rf_registers] += m->registers;
    c[OWN_meter_rf_distance] += m->distance;
    c[OWN_meter_rf_slow_registers] += m->slow;
    c[OWN_meter_l1_gap_cycles] += m->l1_gap_cycles;
    c[OWN_meter_l1_near_gaps] += m->l1_near_gaps;
    c[OWN_meter_l1_near_cycles] += m->l1_near_cycles;
    for (uint32_t i = 0; i < ACT_METER_BINS; i++) {
        c[OWN_meter_rf_bins + i] += m->bins[i];
        c[OWN_meter_l1_reached + i] += m->l1_reached[i];
        c[OWN_meter_l1_gaps + i] += m->l1_gaps[i];
    }
}

static const struct sm_row_port rows = {.read = access_rows, .write = access_rows};
static const struct sm_array_port arrays = {.arrays = 1u << ARRAY_L1D, .hear = array_access};
static const struct sm_life_port life = {.kernel = kernel, .warp = warp, .work = work};

static bool make(struct savings_sm *s, void *self, struct sm_technique *t) {
    (void)t;
    struct meters *const m = self;
    for (uint32_t reg = 0; reg < MAX_GPRS; reg++)
        for (uint32_t w = 0; w < SM_MAX_WARPS; w++)
            m->row[reg][w].begin = m->row[reg][w].last = NEVER;
    for (uint32_t slot = 0; slot < SM_KERNEL_SLOTS; slot++) m->usage[slot].pilot = NO_WARP;
    m->l1_lines = s->c->l1d.bytes != 0 ? s->c->l1d.bytes / s->c->l1d.line_bytes : 0;
    if (m->l1_lines != 0) m->l1 = ww_alloc_aligned(m->l1_lines * sizeof *m->l1);
    return m->l1_lines == 0 || m->l1 != NULL;
}

static void unmake(void *self) { ww_free_aligned(((struct meters *)self)->l1); }

// ---- L2 ----------------------------------------------------------------------------------------
struct slice {
    struct place *place;
    uint64_t *c;
};

static bool slice_make(void *self, const struct savings *s, const struct savings_l2_shape *k,
                       uint64_t *c) {
    (void)s;
    struct slice *const l = self;
    l->c = c + savings_counters(SAVINGS_meters);
    l->place = ww_alloc_aligned(k->lines * sizeof *l->place);
    return l->place != NULL;
}

static void slice_unmake(void *self) { ww_free_aligned(((struct slice *)self)->place); }

// A write that brings a line of its own is an access to it, too. What an access wants is counted
// where it is looked up.
static uint32_t slice_hear(void *self, const struct cache_event *e) {
    const struct slice *const s = self;
    const uint32_t looked_up = 1u << CACHE_READ_HIT | 1u << CACHE_READ_MISS |
                               1u << CACHE_READ_MERGE | 1u << CACHE_WRITE_HIT |
                               1u << CACHE_WRITE_MISS;
    const uint32_t counted =
        1u << CACHE_READ_HIT | 1u << CACHE_WRITE_HIT | 1u << CACHE_WRITE_MISS | 1u << CACHE_FILL;
    if (looked_up >> e->what & 1) {
        s->c[OWN_meter_l2_accesses]++;
        s->c[OWN_meter_l2_words] += bits_count64(e->words);
        s->c[OWN_meter_l2_lanes] += bits_count32(e->lanes);
    }
    if (e->place == CACHE_NOWHERE || !(counted >> e->what & 1)) return 0;
    const struct place_counts c = {&s->c[OWN_meter_l2_reached], &s->c[OWN_meter_l2_gaps],
                                   &s->c[OWN_meter_l2_gap_cycles], &s->c[OWN_meter_l2_near_gaps],
                                   &s->c[OWN_meter_l2_near_cycles]};
    place_access(&s->place[e->place], e->cycle, &c);
    return 0;
}

static const struct savings_l2_port l2 = {.slice_bytes = sizeof(struct slice),
                                          .make = slice_make,
                                          .unmake = slice_unmake,
                                          .hear = slice_hear};

// ---- what it is --------------------------------------------------------------------------------
// clang-format off
static const struct act_own counters[] = {
    {.at = OWN_meter_rf_gaps, .name = "meter_rf_gaps", .unit = "gaps", .component = "rf",
     .prose = "meters: times between two accesses to the same register of a warp slot, 3000 "
              "cycles at most",
     .free = "a measurement, no hardware"},
    {.at = OWN_meter_rf_gap_cycles, .name = "meter_rf_gap_cycles",
     .unit = "cycles", .component = "rf",
     .prose = "meters: their sum", .free = "a measurement, no hardware"},
    {.at = OWN_meter_rf_long_gaps, .name = "meter_rf_long_gaps", .unit = "gaps", .component = "rf",
     .prose = "meters: longer ones", .free = "a measurement, no hardware"},
    {.at = OWN_meter_rf_long_cycles, .name = "meter_rf_long_cycles",
     .unit = "cycles", .component = "rf",
     .prose = "meters: their sum", .free = "a measurement, no hardware"},
    {.at = OWN_meter_rf_bins, .n = ACT_METER_BINS, .name = "meter_rf_bins",
     .unit = "gaps", .component = "rf",
     .prose = "meters: times between two accesses to the same register of a warp slot, 2^n cycles "
              "or more and less than 2^(n+1)",
     .free = "a measurement, no hardware"},
    {.at = OWN_meter_pilots, .name = "meter_pilots", .unit = "warps", .component = "rf",
     .prose = "meters: first warps of a kernel in an SM that were compared with all others there, "
              "each time that an SM was busy",
     .free = "a measurement, no hardware"},
    {.at = OWN_meter_pilot_ranks, .name = "meter_pilot_ranks",
     .unit = "millionths", .component = "rf",
     .prose = "meters: their rank correlation with the others' accesses by register, from 0 (-1) "
              "to 1000000 (1)",
     .free = "a measurement, no hardware"},
    {.at = OWN_meter_pilot_agree, .name = "meter_pilot_agree",
     .unit = "registers", .component = "rf",
     .prose = "meters: of the four registers that they used most those that the others did too",
     .free = "a measurement, no hardware"},
    {.at = OWN_meter_pilot_top, .name = "meter_pilot_top", .unit = "registers", .component = "rf",
     .prose = "meters: of how many", .free = "a measurement, no hardware"},
    {.at = OWN_meter_rf_registers, .name = "meter_rf_registers",
     .unit = "registers", .component = "rf",
     .prose = "meters: registers of warp slots that were accessed every 3000 cycles or oftener, "
              "counted each time that an SM was busy, from the access before that on",
     .free = "a measurement, no hardware"},
    {.at = OWN_meter_rf_distance, .name = "meter_rf_distance", .unit = "cycles", .component = "rf",
     .prose = "meters: mean cycles between their accesses, summed over them",
     .free = "a measurement, no hardware"},
    {.at = OWN_meter_rf_slow_registers, .name = "meter_rf_slow_registers",
     .unit = "registers", .component = "rf",
     .prose = "meters: registers accessed less often", .free = "a measurement, no hardware"},
    {.at = OWN_meter_l1_reached, .n = ACT_METER_BINS, .name = "meter_l1_reached",
     .unit = "lines", .component = "l1",
     .prose = "meters: places for lines in L1 that were accessed 2^n times or more",
     .free = "a measurement, no hardware"},
    {.at = OWN_meter_l1_gaps, .n = ACT_METER_BINS, .name = "meter_l1_gaps",
     .unit = "gaps", .component = "l1",
     .prose = "meters: times between two accesses to a place in L1, 2^n cycles or more and less "
              "than 2^(n+1)",
     .free = "a measurement, no hardware"},
    {.at = OWN_meter_l1_gap_cycles, .name = "meter_l1_gap_cycles",
     .unit = "cycles", .component = "l1",
     .prose = "meters: their sum", .free = "a measurement, no hardware"},
    {.at = OWN_meter_l2_reached, .n = ACT_METER_BINS, .name = "meter_l2_reached",
     .unit = "lines", .component = "l2",
     .prose = "meters: places for lines in L2 that were accessed 2^n times or more",
     .free = "a measurement, no hardware"},
    {.at = OWN_meter_l2_gaps, .n = ACT_METER_BINS, .name = "meter_l2_gaps",
     .unit = "gaps", .component = "l2",
     .prose = "meters: times between two accesses to a place in L2, in powers of two",
     .free = "a measurement, no hardware"},
    {.at = OWN_meter_l2_gap_cycles, .name = "meter_l2_gap_cycles",
     .unit = "cycles", .component = "l2",
     .prose = "meters: their sum", .free = "a measurement, no hardware"},
    {.at = OWN_meter_l1_near_gaps, .name = "meter_l1_near_gaps", .unit = "gaps", .component = "l1",
     .prose = "meters: of the gaps of places in L1, those of 3000 cycles at most",
     .free = "a measurement, no hardware"},
    {.at = OWN_meter_l1_near_cycles, .name = "meter_l1_near_cycles",
     .unit = "cycles", .component = "l1",
     .prose = "meters: their sum", .free = "a measurement, no hardware"},
    {.at = OWN_meter_l2_near_gaps, .name = "meter_l2_near_gaps", .unit = "gaps", .component = "l2",
     .prose = "meters: of the gaps of places in L2, those of 3000 cycles at most",
     .free = "a measurement, no hardware"},
    {.at = OWN_meter_l2_near_cycles, .name = "meter_l2_near_cycles",
     .unit = "cycles", .component = "l2",
     .prose = "meters: their sum", .free = "a measurement, no hardware"},
    {.at = OWN_meter_l2_accesses, .name = "meter_l2_accesses",
     .unit = "accesses", .component = "l2",
     .prose = "meters: lines of L2 that requests looked up", .free = "a measurement, no hardware"},
    {.at = OWN_meter_l2_words, .name = "meter_l2_words", .unit = "words", .component = "l2",
     .prose = "meters: 4-byte words of these that active threads (or fetches) wanted",
     .free = "a measurement, no hardware"},
    {.at = OWN_meter_l2_lanes, .name = "meter_l2_lanes", .unit = "lanes", .component = "l2",
     .prose = "meters: active lanes that wanted something of them (instruction fetches have none)",
     .free = "a measurement, no hardware"},
};
// clang-format on

const struct savings_part part_meters = {
    .name = "meters",
    .what = "no technique: measures the time between accesses to registers and to lines of L1 and "
            "L2",
    .paper = "dissertation, 5.2; Power-aware L1 and L2 caches, 3",
    .counters = {PART_ROWS(counters)},
    .state_bytes = sizeof(struct meters),
    .ports = {.rows = &rows, .arrays = &arrays, .life = &life, .count = count},
    .make = make,
    .unmake = unmake,
    .l2 = &l2,
};
