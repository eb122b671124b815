// Accesses to one place for a line of a cache, as the meters count them: how often, and the cycles
// in between, both in powers of two.
#ifndef WW_SAVINGS_PLACE_H
#define WW_SAVINGS_PLACE_H

#include "activity/activity.h"

struct place {
    uint64_t last, n; // cycle of the last access; accesses
};

static inline uint32_t place_bin(uint64_t x) {
    const uint32_t bin = x < 2 ? 0 : bits_last64(x);
    return bin < ACT_METER_BINS ? bin : ACT_METER_BINS - 1;
}

// Where a cache's places are counted: runs of ACT_METER_BINS, sums.
struct place_counts {
    uint64_t *reached, *gaps, *gap_cycles, *near_gaps, *near_cycles;
};
enum { PLACE_FAR = 3000 }; // cycles: as the dissertation cuts off distances of registers (5.2)

static inline void place_access(struct place *p, uint64_t cycle, const struct place_counts *c) {
    if (p->n != 0) {
        const uint64_t gap = cycle > p->last ? cycle - p->last : 0;
        c->gaps[place_bin(gap)]++;
        *c->gap_cycles += gap;
        *c->near_gaps += gap <= PLACE_FAR;
        *c->near_cycles += gap <= PLACE_FAR ? gap : 0;
    }
    p->last = cycle;
    p->n++;
    if ((p->n & (p->n - 1)) == 0 && bits_last64(p->n) < ACT_METER_BINS)
        c->reached[bits_last64(p->n)]++;
}

#endif
