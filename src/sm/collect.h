// Operand collection and write-back, in sparse time: nothing is arbitrated cycle by cycle. Every
// register bank serves its reads and writes in the order of their coming, `collector_ports` a
// cycle, so an access gets the bank's next free slot, and an instruction's operands are there when
// its last row has been read. An instruction holds a collector unit from its issue to the cycle in
// which it enters its pipeline, or to collector_ahead cycles before. With a collector_queue so many
// more instructions of each kind may have issued and wait for a unit. SFU, and LD/ST with texture,
// may have units of their own. A unit that takes only collector_reads rows a cycle asks for the
// banks of its rows in their order. A result asks for its banks and for the result bus in the cycle
// before it is due, and is late when one of them is taken.
//
// Register r of a sub-core's warp number w lies in its bank (r + w) mod n, n banks a sub-core, so
// that the same register of neighbouring warps does not collide. A register named twice by an
// instruction is read once.
//
// Left out: writes do not overtake reads that asked before them; nothing is forwarded past the
// register file.
#ifndef WW_SM_COLLECT_H
#define WW_SM_COLLECT_H

#include "sm/sm_state.h"

// Pools of units: for all, for SFU, for memory. Counts of units have a byte a pool (used, bias, free
// and of). The sum of `used` and `bias` has the top bit of a byte set when that pool is full.
enum { COLLECTOR_POOLS = 3, COLLECTOR_TOP_BITS = 0x808080 };

// The part of sub-core `at` of `n` (a power of two).
static inline void collect_init(struct collectors *k, const struct sm_config *c, uint32_t at,
                                uint32_t n) {
    const uint32_t size[COLLECTOR_POOLS] = {c->collectors / n, c->collectors_sfu / n,
                                            c->collectors_mem / n};
    k->ahead = c->collector_ahead;
    k->ports = c->collector_ports;
    k->by_ports = fastdiv_of(c->collector_ports);
    k->read_latency = c->read_latency;
    k->result_bus = c->result_bus / n;
    for (uint32_t i = 0; i < COLLECTOR_POOLS; i++)
        if (size[i] != 0) k->bias |= (128 - size[i] - c->collector_queue) << 8 * i;
    for (uint32_t u = 0; u < UNIT_N; u++) k->of[u] = 1;
    k->of[UNIT_NONE] = 0;
    k->of[UNIT_SFU] = size[1] != 0 ? 1u << 8 : 1;
    k->of[UNIT_LDST] = k->of[UNIT_TEX] = size[2] != 0 ? 1u << 16 : 1;
    for (uint32_t i = 0; i < WW_COUNT(k->read_after); i++)
        k->read_after[i] = (uint8_t)(c->collector_reads == 0 ? 0 : i / c->collector_reads);
    const uint32_t banks = c->rf_banks / n;
    for (uint32_t i = 0; i < WW_COUNT(k->bank_of); i++)
        k->bank_of[i] = (uint8_t)(at * banks + i % banks);
}

// Books a slot of a bank at `cycle` or later and answers the cycle.
static inline uint64_t collect_slot(const struct collectors *k, uint64_t *next, uint64_t cycle) {
    if (ww_likely(k->ports == 1)) {
        const uint64_t at = max64(cycle, *next);
        *next = at + 1;
        return at;
    }
    const uint64_t slot = max64(cycle * k->ports, *next);
    *next = slot + 1;
    return fastdiv_quotient(&k->by_ports, slot);
}
static inline uint64_t collect_bank(struct collectors *k, uint32_t bank, uint64_t cycle) {
    return collect_slot(k, &k->bank_next[bank], cycle);
}

// Reads the operands of an instruction that issues in cycle t; answers the cycle of the last read,
// and in `each` of each. collect_operands does the same without `each`, faster.
static inline uint64_t collect_each(struct collectors *k, const struct sm_inst *in, uint32_t number,
                                    uint64_t t, uint64_t *each) {
    const uint64_t first = t + k->read_latency;
    uint64_t last = first;
    for (uint32_t i = 0; i < in->n_src; i++) {
        const uint32_t bank = k->bank_of[in->src[i] + number];
        const uint64_t from = first + k->read_after[i];
        each[i] = collect_bank(k, bank, from);
        k->reads[bank]++;
        k->conflicts += each[i] - from;
        last = max64(last, each[i]);
    }
    return last;
}

// As collect_each. The number of rows changes from one instruction to the next, so the first
// SM_FEW_SRC go without a branch: each names some row (kernel.c), and one that is not read books no
// slot.
static inline uint64_t collect_operands(struct collectors *k, const struct sm_inst *in,
                                        uint32_t number, uint64_t t) {
    const uint64_t first = t + k->read_latency;
    const bool is_single = k->ports == 1;
    uint64_t last = first;
    for (uint32_t i = 0; i < SM_FEW_SRC; i++) {
        const uint32_t bank = k->bank_of[in->src[i] + number];
        const uint64_t is_read = i < in->n_src, next = k->bank_next[bank];
        const uint64_t from = first + k->read_after[i];
        const uint64_t slot = max64(is_single ? from : from * k->ports, next);
        const uint64_t at = is_single ? slot : fastdiv_quotient(&k->by_ports, slot);
        k->bank_next[bank] = is_read ? slot + 1 : next;
        k->reads[bank] += is_read;
        k->conflicts += is_read ? at - from : 0;
        last = max64(last, is_read ? at : 0);
    }
    for (uint32_t i = SM_FEW_SRC; ww_unlikely(i < in->n_src); i++) {
        const uint32_t bank = k->bank_of[in->src[i] + number];
        const uint64_t from = first + k->read_after[i];
        const uint64_t at = collect_bank(k, bank, from);
        k->reads[bank]++;
        k->conflicts += at - from;
        last = max64(last, at);
    }
    return last;
}

// The same with an operand cache in front of the banks (R. Huerta et al., "Analyzing modern NVIDIA GPU
// cores", 2025): a bank has a place for each of three operands. What an instruction finds in its
// operand's place it does not read from the bank; whatever reads through a place empties it, unless
// it says that it keeps the row. `each`, if it is not NULL: the cycle of each row.
static inline uint64_t collect_cached(struct collectors *k, const struct sm_inst *in,
                                      uint32_t number, uint32_t n_lanes, uint64_t t,
                                      uint64_t *each) {
    const uint64_t first = t + k->read_latency;
    uint64_t last = first;
    for (uint32_t i = 0; i < in->n_src; i++) {
        const uint32_t bank = k->bank_of[in->src[i] + number];
        const uint32_t place = in->place >> 2 * i & 3;
        uint64_t at = first;
        bool is_hit = false;
        if (in->is_cached && place < CONTROL_REUSE_SLOTS) {
            uint16_t *const kept = &k->kept[bank][place];
            const uint16_t row = (uint16_t)(1 + (number << 8 | in->src[i]));
            is_hit = *kept == row;
            *kept = in->keep >> i & 1 ? row : 0;
        }
        if (is_hit) {
            k->reuse_hits++;
            k->reuse_lanes += n_lanes;
        } else {
            at = collect_bank(k, bank, first + k->read_after[i]);
            k->reads[bank]++;
            k->conflicts += at - first - k->read_after[i];
        }
        if (each != NULL) each[i] = at;
        last = max64(last, at);
    }
    return last;
}

// Results of fixed latency are written when their time has come: they come first at the ports for
// writes, and what else wants to write waits (Huerta et al.). Nothing waits for them there.
static inline void collect_write_fixed(struct collectors *k, const struct sm_inst *in,
                                       uint32_t number) {
    for (uint32_t i = 0; i < in->n_dst; i++) k->writes[k->bank_of[in->dst_first + i + number]]++;
}

// Gives back the units that have become free up to cycle t. Until it is called they count as used,
// so it is called when a pool seems full.
static inline void collect_sweep(struct collectors *k, uint64_t t) {
    if (k->used != 0) {
        const uint64_t end = min64(t, k->swept + 256);
        for (uint64_t c = k->swept + 1; c <= end; c++) {
            k->used -= k->free[(uint8_t)c];
            k->free[(uint8_t)c] = 0;
        }
    }
    k->swept = t;
}

// Known in cycle t: `units` become free in cycle `at`, within 255.
static inline void collect_give(struct collectors *k, uint32_t units, uint64_t t, uint64_t at) {
    if (ww_unlikely(at > k->swept + 256)) collect_sweep(k, t);
    k->free[(uint8_t)at] += units;
}

// A collector is taken in cycle t by an instruction of the unit that enters its pipeline in cycle
// `enters`.
static inline void collect_hold(struct collectors *k, uint32_t unit, uint64_t t, uint64_t enters) {
    const uint64_t free = max64(min64(enters + 1, t + 255), t + 1 + k->ahead);
    k->used += k->of[unit];
    collect_give(k, k->of[unit], t, free - k->ahead);
}

// The pools that have no free unit: the top bits of their bytes.
static inline uint32_t collect_full(const struct collectors *k) {
    return (k->used + k->bias) & COLLECTOR_TOP_BITS;
}

// Whether a pool has no free unit in cycle t.
static inline bool collect_is_full(struct collectors *k, uint64_t t) {
    if (ww_likely(collect_full(k) == 0)) return false;
    collect_sweep(k, t);
    return collect_full(k) != 0;
}

// Of `warps`, those whose next instruction finds a collector or needs none. `needs`: warps by unit
// of their next instruction.
static inline uint64_t collect_takes(const struct collectors *k, const uint64_t needs[UNIT_N],
                                     uint64_t warps) {
    const uint32_t full = collect_full(k);
    for (uint32_t u = 0; u < UNIT_N; u++)
        if (k->of[u] << 7 & full) warps &= ~needs[u];
    return warps;
}

static inline uint64_t collect_next(const struct collectors *k, uint64_t t) {
    for (uint64_t c = t + 1; c < t + 256; c++)
        if (k->free[(uint8_t)c] != 0) return c;
    return t + 1;
}

// A result due in cycle t (all its latency has passed): answers the cycle from which dependent
// instructions may issue, t unless its banks or the bus were taken in the cycle before. `each`, if
// it is not NULL: the cycles in which its rows are written. `next`: the banks' next free slots for
// writes, bank_next where reads and writes share their ports.
static inline uint64_t collect_write(struct collectors *k, const struct sm_inst *in,
                                     uint32_t number, uint64_t t, uint64_t *each, uint64_t *next) {
    uint64_t last = t - 1;
    for (uint32_t i = 0; i < in->n_dst; i++) {
        uint64_t at = t - 1;
        if (at > k->bus_cycle) {
            k->bus_cycle = at;
            k->bus_used = 0;
        } else {
            at = k->bus_cycle;
        }
        if (k->bus_used == k->result_bus) {
            at = ++k->bus_cycle;
            k->bus_used = 0;
        }
        k->bus_used++;
        const uint32_t bank = k->bank_of[in->dst_first + i + number];
        at = collect_slot(k, &next[bank], at);
        k->writes[bank]++;
        if (each != NULL) each[i] = at;
        last = max64(last, at);
    }
    k->bus_conflicts += last - (t - 1);
    return last + 1;
}

#endif
