// Policies of L2 as programs hold them in a register pair (createpolicy, .L2::cache_hint; in machine code
// the descriptor of memory beside an address). What ptxas 12.9 makes of createpolicy shows the fields of
// the upper word; the lower word is 0:
//
//   28  a fraction of the lines has the primary priority, the others the secondary one
//   27  lines of a range of addresses have
//   25  primary priority, two bits: 0 unchanged, 1 first, 2 last, 3 normal
//   24  secondary priority: 0 unchanged, 1 first
//   20  four bits. A fraction: sixteenths less one. A range: bits of an address within a unit, less 12
//   12  of a range: eight bits, of which the lower seven are the first unit's number
//    5  of a range: seven bits, its units
//
// A range is known modulo 128 units; the unit is the least power of two from 4 KB on of which 128 hold
// the whole. Which lines a fraction takes is not documented: a hash of the line says here.
#ifndef WW_ISA_POLICY_H
#define WW_ISA_POLICY_H

#include "base/base.h"

enum isa_priority {
    PRIORITY_NONE, // the access has no policy
    PRIORITY_FIRST,
    PRIORITY_LAST,
    PRIORITY_NORMAL,
    PRIORITY_UNCHANGED
};
enum {
    POLICY_FRACTION_AT = 28,
    POLICY_RANGE_AT = 27,
    POLICY_PRIMARY_AT = 25,
    POLICY_SECONDARY_AT = 24,
    POLICY_COUNT_AT = 20,
    POLICY_FIRST_AT = 12,
    POLICY_UNITS_AT = 5,
    POLICY_LEAST_UNIT = 12, // bits of an address
    POLICY_UNITS = 128,
    POLICY_LINE = 128 // bytes, of which a fraction is taken
};
// Primary priorities in their order of encoding.
static const uint8_t policy_primary[] = {PRIORITY_UNCHANGED, PRIORITY_FIRST, PRIORITY_LAST,
                                         PRIORITY_NORMAL};

// The upper four bits of a line's number by the golden ratio of 2^64: which sixteenth of lines it is in.
static inline uint32_t policy_sixteenth(uint64_t addr) {
    return (uint32_t)((addr / POLICY_LINE * UINT64_C(0x9E3779B97F4A7C15)) >> 60);
}

// An access property window of a launch (CUDA C++ Programming Guide 12.3, 3.2.3): what its accesses to
// [base, base + bytes) say where they name no policy. `hits` sixteenths of the lines have the priority `hit`.
struct policy_window {
    uint64_t base, bytes; // bytes 0: there is none
    uint8_t hits;         // 0 to 16
    uint8_t hit, miss;    // enum isa_priority
};
static inline enum isa_priority policy_window_priority(const struct policy_window *w, uint64_t addr) {
    if (addr - w->base >= w->bytes) return PRIORITY_NONE;
    return (enum isa_priority)(policy_sixteenth(addr) < w->hits ? w->hit : w->miss);
}

// The upper word of a policy without its count and range.
static inline uint32_t policy_of(enum isa_priority primary, bool is_range, bool others_first) {
    uint32_t code = 0;
    while (policy_primary[code] != (uint8_t)primary) code++;
    return 1u << (is_range ? POLICY_RANGE_AT : POLICY_FRACTION_AT) |
           (is_range ? 1u << POLICY_FRACTION_AT : 0) | code << POLICY_PRIMARY_AT |
           (uint32_t)others_first << POLICY_SECONDARY_AT;
}

// What a policy says of the line at an address.
static inline enum isa_priority policy_priority(uint64_t policy, uint64_t addr) {
    const uint32_t word = (uint32_t)(policy >> 32);
    if (!(word >> POLICY_FRACTION_AT & 1)) return PRIORITY_NONE;
    const uint32_t count = word >> POLICY_COUNT_AT & 15;
    bool is_primary;
    if (word >> POLICY_RANGE_AT & 1) {
        const uint32_t unit = (uint32_t)(addr >> (POLICY_LEAST_UNIT + count));
        const uint32_t behind = (unit - (word >> POLICY_FIRST_AT)) % POLICY_UNITS;
        is_primary = behind < (word >> POLICY_UNITS_AT) % POLICY_UNITS;
    } else {
        is_primary = policy_sixteenth(addr) <= count;
    }
    if (is_primary) return (enum isa_priority)policy_primary[word >> POLICY_PRIMARY_AT & 3];
    return word >> POLICY_SECONDARY_AT & 1 ? PRIORITY_FIRST : PRIORITY_UNCHANGED;
}

#endif
