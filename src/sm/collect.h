// Operand collection and write-back, in sparse time: nothing is arbitrated cycle by cycle. Every
// register bank serves its reads and writes in the order of their coming, `collector_ports` a
// cycle, so an access gets the bank's next free slot, and an instruction's operands are there when
// its last row has been read. An instruction holds a collector unit from its issue to the cycle in
// which it enters its pipeline, or to collector_ahead cycles before; with a collector_queue some
// more may be between the two. SFU, and LD/ST with texture, may have units of their own. A unit may
// be bound to take collector_reads rows a cycle; then its rows ask for their banks in that order. A
// result asks for its banks and for the result bus in the cycle before it is due; if one is taken
// it is late.
//
// Register r of the warp in slot w lies in bank (r + w) mod rf_banks, so that the same register of
// neighbouring warps does not collide. A register named twice by an instruction is read once.
//
// Left out: writes do not overtake reads that asked before them; nothing is forwarded past the
// register file.
#ifndef WW_SM_COLLECT_H
#define WW_SM_COLLECT_H

#include "sm/sm_state.h"

// Pools of units: for all, for SFU, for memory. A byte each in collectors_used and its fellows,
// whose top bit is set, by collectors_bias, when the pool is full.
enum { COLLECTOR_POOLS = 3, COLLECTOR_TOP_BITS = 0x808080 };

static inline void collect_init(struct sm *s) {
    const struct sm_config *const c = &s->c;
    const uint32_t size[COLLECTOR_POOLS] = {c->collectors, c->collectors_sfu, c->collectors_mem};
    for (uint32_t i = 0; i < COLLECTOR_POOLS; i++)
        if (size[i] != 0) s->collectors_bias |= (128 - size[i] - c->collector_queue) << 8 * i;
    const uint32_t of_sfu = c->collectors_sfu != 0 ? 1u << 8 : 1,
                   of_mem = c->collectors_mem != 0 ? 1u << 16 : 1;
    for (uint32_t u = 0; u < UNIT_N; u++) s->collector_of[u] = 1;
    s->collector_of[UNIT_NONE] = 0;
    s->collector_of[UNIT_SFU] = of_sfu;
    s->collector_of[UNIT_LDST] = s->collector_of[UNIT_TEX] = of_mem;
    for (uint32_t i = 0; i < WW_COUNT(s->read_after); i++)
        s->read_after[i] = (uint8_t)(c->collector_reads == 0 ? 0 : i / c->collector_reads);
}

// Books a slot of a bank at `cycle` or later and answers the cycle.
static inline uint64_t collect_bank(struct sm *s, uint32_t bank, uint64_t cycle) {
    if (ww_likely(s->c.collector_ports == 1)) {
        const uint64_t at = max64(cycle, s->bank_next[bank]);
        s->bank_next[bank] = at + 1;
        return at;
    }
    const uint64_t ports = s->c.collector_ports;
    const uint64_t slot = max64(cycle * ports, s->bank_next[bank]);
    s->bank_next[bank] = slot + 1;
    return slot / ports;
}

// Reads the operands of an instruction that issues in cycle t; answers the cycle of the last read,
// and in `each` of each. collect_operands does the same without `each`, faster.
static inline uint64_t collect_each(struct sm *s, const struct sm_inst *in, uint32_t w, uint64_t t,
                                    uint64_t *each) {
    const uint64_t first = t + s->c.read_latency;
    uint64_t last = first;
    for (uint32_t i = 0; i < in->n_src; i++) {
        const uint32_t bank = s->bank_of[in->src[i] + w];
        const uint64_t from = first + s->read_after[i];
        each[i] = collect_bank(s, bank, from);
        s->act.c[ACT_rf_bank_reads + bank]++;
        s->act.c[ACT_rf_bank_conflicts] += each[i] - from;
        last = max64(last, each[i]);
    }
    return last;
}

// How many there are changes from one instruction to the next: the first ones, which all name some
// row (kernel.c), go without a branch.
static inline uint64_t collect_operands(struct sm *s, const struct sm_inst *in, uint32_t w,
                                        uint64_t t) {
    const uint64_t first = t + s->c.read_latency;
    const bool is_single = s->c.collector_ports == 1;
    uint64_t last = first;
    for (uint32_t i = 0; ww_likely(is_single) && i < SM_FEW_SRC; i++) {
        const uint32_t bank = s->bank_of[in->src[i] + w];
        const uint64_t is_read = i < in->n_src, next = s->bank_next[bank];
        const uint64_t from = first + s->read_after[i], at = max64(from, next);
        s->bank_next[bank] = is_read ? at + 1 : next;
        s->act.c[ACT_rf_bank_reads + bank] += is_read;
        s->act.c[ACT_rf_bank_conflicts] += is_read ? at - from : 0;
        last = max64(last, is_read ? at : 0);
    }
    for (uint32_t i = is_single ? SM_FEW_SRC : 0; ww_unlikely(i < in->n_src); i++) {
        const uint32_t bank = s->bank_of[in->src[i] + w];
        const uint64_t from = first + s->read_after[i];
        const uint64_t at = collect_bank(s, bank, from);
        s->act.c[ACT_rf_bank_reads + bank]++;
        s->act.c[ACT_rf_bank_conflicts] += at - from;
        last = max64(last, at);
    }
    return last;
}

// A collector is taken in cycle t by an instruction of the unit that enters its pipeline in cycle
// `enters`.
static inline void collect_hold(struct sm *s, uint32_t unit, uint64_t t, uint64_t enters) {
    const uint64_t free = max64(min64(enters + 1, t + 255), t + 1 + s->c.collector_ahead);
    s->collectors_used += s->collector_of[unit];
    s->collector_free[(uint8_t)(free - s->c.collector_ahead)] += s->collector_of[unit];
}

// Units that have become free up to cycle t.
static inline void collect_sweep(struct sm *s, uint64_t t) {
    if (s->collectors_used != 0) {
        const uint64_t end = min64(t, s->collectors_swept + 256);
        for (uint64_t c = s->collectors_swept + 1; c <= end; c++) {
            s->collectors_used -= s->collector_free[(uint8_t)c];
            s->collector_free[(uint8_t)c] = 0;
        }
    }
    s->collectors_swept = t;
}

// The pools that have no free unit: the top bits of their bytes.
static inline uint32_t collect_full(const struct sm *s) {
    return (s->collectors_used + s->collectors_bias) & COLLECTOR_TOP_BITS;
}

// Of `warps`, those whose next instruction finds a collector or needs none.
static inline uint64_t collect_takes(const struct sm *s, uint64_t warps) {
    const uint32_t full = collect_full(s);
    for (uint32_t u = 0; u < UNIT_N; u++)
        if (s->collector_of[u] << 7 & full) warps &= ~s->v.needs[u];
    return warps;
}

static inline uint64_t collect_next(const struct sm *s, uint64_t t) {
    for (uint64_t c = t + 1; c < t + 256; c++)
        if (s->collector_free[(uint8_t)c] != 0) return c;
    return t + 1;
}

// A result due in cycle t (all its latency has passed): answers the cycle from which dependent
// instructions may issue, t unless its banks or the bus were taken in the cycle before. `each`, if
// it is not NULL: the cycles in which its rows are written.
static inline uint64_t collect_write(struct sm *s, const struct sm_inst *in, uint32_t w, uint64_t t,
                                     uint64_t *each) {
    uint64_t last = t - 1;
    for (uint32_t i = 0; i < in->n_dst; i++) {
        uint64_t at = t - 1;
        if (at > s->bus_cycle) {
            s->bus_cycle = at;
            s->bus_used = 0;
        } else {
            at = s->bus_cycle;
        }
        if (s->bus_used == s->c.result_bus) {
            at = ++s->bus_cycle;
            s->bus_used = 0;
        }
        s->bus_used++;
        const uint32_t bank = s->bank_of[in->dst_first + i + w];
        at = collect_bank(s, bank, at);
        s->act.c[ACT_rf_bank_writes + bank]++;
        if (each != NULL) each[i] = at;
        last = max64(last, at);
    }
    s->act.c[ACT_result_bus_conflicts] += last - (t - 1);
    return last + 1;
}

#endif
