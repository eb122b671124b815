// Barriers in shared memory: how their eight bytes hold their counts.
//
// Both layouts are those of the code that ptxas 12.9 makes of mbarrier.init, .arrive, .test_wait and
// .pending_count. Counts are stored as what they lack to a power of two, so that the arrival of the
// last one carries into the phase, which is bit 63 in both.
//
//   8.0:  bits 0..30 2^30 - the arrivals of a phase, bits 32..62 2^31 - those that are pending
//   9.0:  bits 1..20 2^20 - the arrivals of a phase, 21..42 bytes that are pending (a sign and 21
//         bits; assumed), 43..62 2^20 - arrivals that are pending
//
// An arrival is two words: how many arrive, whether they take no part in later phases
// (MBARRIER_DROPS); how many bytes become pending, or with a minus sign have come (9.0).
#ifndef WW_ISA_MBARRIER_H
#define WW_ISA_MBARRIER_H

#include "isa/isa.h"

enum {
    MBARRIER_DROPS = 1u << 24, // in the first word of an arrival
    MBARRIER_COUNTED = (1 << 20) - 1,
    MBARRIER_BYTES = (1 << 22) - 1,
    MBARRIER_EXPECTED_AT = 1, // of 9.0
    MBARRIER_BYTES_AT = 21,
    MBARRIER_PENDING_AT = 43,
    MBARRIER_PHASE_AT = 63
};

// The barrier after an arrival of 8.0. One that completes the phase begins the next.
static inline uint64_t mbarrier_arrive(uint64_t barrier, uint32_t arrivals) {
    const uint32_t all = 1u << 31, low = (uint32_t)barrier, high = (uint32_t)(barrier >> 32);
    const uint32_t sum = (high & (all - 1)) + (arrivals & MBARRIER_COUNTED);
    uint32_t next = (high & all) | (sum & (all - 1));
    if (sum >= all) next = (~high & all) | ((low + (1u << 30)) & (all - 1));
    return (uint64_t)next << 32 | low;
}

// The same of 9.0: the phase is complete when neither arrivals nor bytes are pending.
static inline uint64_t mbarrier_arrive_tx(uint64_t barrier, uint32_t arrivals, int32_t bytes) {
    const uint32_t drops = arrivals & MBARRIER_DROPS ? 1 : 0;
    uint32_t expected = (uint32_t)(barrier >> MBARRIER_EXPECTED_AT) & MBARRIER_COUNTED;
    uint32_t pending = (uint32_t)(barrier >> MBARRIER_PENDING_AT) & MBARRIER_COUNTED;
    uint32_t coming = (uint32_t)(barrier >> MBARRIER_BYTES_AT) & MBARRIER_BYTES;
    uint64_t phase = barrier >> MBARRIER_PHASE_AT;
    // 0: none is pending, which a phase that waits for bytes alone has
    const bool was_none = pending == 0;
    expected = (expected + drops * (arrivals & MBARRIER_COUNTED)) & MBARRIER_COUNTED;
    pending = (pending + (arrivals & MBARRIER_COUNTED)) & MBARRIER_COUNTED;
    coming = (coming + (uint32_t)bytes) & MBARRIER_BYTES;
    const bool is_none = pending == 0 || was_none;
    if (is_none && coming == 0) {
        phase ^= 1;
        pending = expected;
    }
    return phase << MBARRIER_PHASE_AT | (uint64_t)pending << MBARRIER_PENDING_AT |
           (uint64_t)coming << MBARRIER_BYTES_AT | (uint64_t)expected << MBARRIER_EXPECTED_AT |
           (barrier & 1);
}

#endif
