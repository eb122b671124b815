// See toggle.h. A row is compared as a whole: no branch by lane. Bits are counted in bytes of
// words, which a compiler makes vectors of.
#include "activity/sm.h"
#include "isa/isa.h"
#include "sm/toggle.h"

#include <stdlib.h>

enum { ROW = 32 };
struct toggle {
    uint32_t read[ACT_MAX_BANKS][ROW], written[ACT_MAX_BANKS][ROW];
    uint32_t result[UNIT_N][ROW];
    uint32_t shared[ROW], global[ROW];
};

struct toggle *toggle_create(void) {
    return calloc(1, sizeof(struct toggle));
}
void toggle_destroy(struct toggle *t) { free(t); }

// Bits set in each byte.
static inline uint32_t by_byte(uint32_t v) {
    v -= v >> 1 & 0x55555555u;
    v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
    return (v + (v >> 4)) & 0x0f0f0f0fu;
}

static inline uint32_t sum_of(const uint32_t bytes[4]) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 4; i++) // at most 64 a byte
        sum += (bytes[i] & 0x00ff00ffu) + (bytes[i] >> 8 & 0x00ff00ffu);
    return (sum & 0xffff) + (sum >> 16);
}

// All lanes: bits of `now` that differ from `last`, which it replaces.
static uint32_t change_all(uint32_t last[ROW], const uint32_t now[ROW]) {
    uint32_t bytes[4] = {0};
    for (uint32_t i = 0; i < ROW; i += 4)
        for (uint32_t k = 0; k < 4; k++) {
            bytes[k] += by_byte(last[i + k] ^ now[i + k]);
            last[i + k] = now[i + k];
        }
    return sum_of(bytes);
}

static uint32_t change(uint32_t last[ROW], const uint32_t now[ROW], uint32_t lanes) {
    if (lanes == UINT32_MAX) return change_all(last, now);
    uint32_t mixed[ROW];
    for (uint32_t i = 0; i < ROW; i++) {
        const uint32_t mask = 0u - (lanes >> i & 1);
        mixed[i] = (now[i] & mask) | (last[i] & ~mask);
    }
    return change_all(last, mixed);
}

static const uint32_t *row_of(const struct exec_warp *ew, uint32_t reg) {
    return ew->regs + (size_t)reg * ROW;
}

static void data_moved(uint32_t wires[ROW], uint64_t *words, uint64_t *bits,
                       const struct exec_warp *ew, uint32_t first, uint32_t rows, uint32_t lanes) {
    for (uint32_t i = 0; i < rows; i++) *bits += change(wires, row_of(ew, first + i), lanes);
    *words += (uint64_t)rows * bits_count32(lanes);
}

void toggle_read(struct toggle *t, uint64_t *act, const struct sm_inst *in,
                 const struct exec_warp *ew, const uint8_t *bank_of) {
    for (uint32_t i = 0; i < in->n_src; i++)
        act[ACT_toggle_read_bits] +=
            change_all(t->read[bank_of[in->src[i]]], row_of(ew, in->src[i]));
    act[ACT_toggle_reads] += in->n_src;
}

void toggle_written(struct toggle *t, uint64_t *act, const struct sm_inst *in,
                    const struct exec_warp *ew, const uint8_t *bank_of, uint32_t lanes,
                    const struct exec_access *access) {
    const bool is_there = access == NULL || !access->deferred;
    for (uint32_t i = 0; is_there && in->flags & SI_RESULT && i < in->n_dst; i++) {
        const uint32_t reg = in->dst_first + i;
        act[ACT_toggle_write_bits] += change(t->written[bank_of[reg]], row_of(ew, reg), lanes);
        act[ACT_toggle_writes]++;
        if (in->unit == UNIT_LDST || in->unit == UNIT_TEX) continue;
        act[ACT_toggle_result_bits + in->unit] +=
            change(t->result[in->unit], row_of(ew, reg), lanes);
        act[ACT_toggle_results + in->unit] += bits_count32(lanes);
    }
    if (access == NULL || access->deferred || access->bytes < 4) return;
    const uint32_t rows = access->bytes / 4u;
    const bool stores = access->kind == ACCESS_STORE;
    if (stores ? in->n_src < rows : access->kind != ACCESS_LOAD || in->n_dst < rows) return;
    // a store names its address first and its data last
    const uint32_t first = stores ? in->src[in->n_src - rows] : in->dst_first;
    if (access->space == SPACE_SHARED)
        data_moved(t->shared, &act[ACT_toggle_shared_words], &act[ACT_toggle_shared_bits], ew,
                   first, rows, access->mask);
    else if (access->space == SPACE_GLOBAL || access->space == SPACE_LOCAL)
        data_moved(t->global, &act[ACT_toggle_global_words], &act[ACT_toggle_global_bits], ew,
                   first, rows, access->mask & ~access->mask2);
}
