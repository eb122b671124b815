// Which registers of a warp lie in the fast partition (dissertation, 6.3): counters of a pilot
// warp's accesses, the n registers that it used most, and the table that sends each of them to the
// place of one that it used less. Two tables say the same: one indexed by register, and a CAM of 2
// n entries.
#ifndef WW_SAVINGS_SWAP_H
#define WW_SAVINGS_SWAP_H

#include "base/base.h"

enum { SWAP_COUNTERS = 63, SWAP_MAX = 16 }; // 63 counters of two bytes; fast registers of a warp
struct swap_entry {
    uint8_t reg, place;
    bool is_valid;
};
struct swap_table {
    struct swap_entry cam[2 * SWAP_MAX];
    uint8_t place[SWAP_COUNTERS]; // by register
    uint32_t n, pairs;            // fast registers; entries of the CAM that hold something, halved
};

static inline void swap_clear(struct swap_table *t, uint32_t n) {
    *t = (struct swap_table){.n = n};
    for (uint32_t i = 0; i < SWAP_COUNTERS; i++) t->place[i] = (uint8_t)i;
}

static inline void swap_count(uint16_t *counter, uint32_t reg) {
    if (reg < SWAP_COUNTERS && counter[reg] != UINT16_MAX) counter[reg]++;
}

// Fills the table from the counters of a warp with n_regs registers. The register used most comes
// first, of two used alike the lower one; it takes the place of the lowest of the first n that is
// not itself among those used most. One that lies among the first n stays. Registers that were
// never accessed do not move.
static inline void swap_fill(struct swap_table *t, const uint16_t *counter, uint32_t n_regs) {
    const uint32_t regs = n_regs < SWAP_COUNTERS ? n_regs : SWAP_COUNTERS;
    uint8_t top[SWAP_MAX];
    uint64_t chosen = 0;
    uint32_t k = 0;
    while (k < t->n) {
        uint32_t best = SWAP_COUNTERS;
        for (uint32_t i = 0; i < regs; i++)
            if (!(chosen >> i & 1) && counter[i] != 0 &&
                (best == SWAP_COUNTERS || counter[i] > counter[best]))
                best = i;
        if (best == SWAP_COUNTERS) break;
        chosen |= UINT64_C(1) << best;
        top[k++] = (uint8_t)best;
    }
    uint32_t to = 0;
    for (uint32_t i = 0; i < k; i++) {
        if (top[i] < t->n) continue;
        while (chosen >> to & 1) to++;
        t->cam[2 * t->pairs] = (struct swap_entry){(uint8_t)to, top[i], true};
        t->cam[2 * t->pairs + 1] = (struct swap_entry){top[i], (uint8_t)to, true};
        t->pairs++;
        t->place[to] = top[i];
        t->place[top[i]] = (uint8_t)to;
        to++;
    }
}

// Where a register lies, by the one table and by the other: places below n are fast.
static inline uint32_t swap_indexed(const struct swap_table *t, uint32_t reg) {
    return reg < SWAP_COUNTERS ? t->place[reg] : reg;
}
static inline uint32_t swap_cam(const struct swap_table *t, uint32_t reg) {
    for (uint32_t i = 0; i < 2 * t->n; i++)
        if (t->cam[i].is_valid && t->cam[i].reg == reg) return t->cam[i].place;
    return reg;
}

#endif
