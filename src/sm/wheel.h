// Completions by cycle: a ring of lists, one for each of the next WHEEL cycles, and a bit for each
// list that is not empty. An event farther ahead is put in the last list and comes round again.
// Events of a cycle leave in the order in which they came.
#ifndef WW_SM_WHEEL_H
#define WW_SM_WHEEL_H

#include "sm/sm_state.h"

enum { NO_EVENT = 0xffff };

static inline void wheel_link(struct wheel *h, uint32_t n, uint64_t now, uint64_t cycle) {
    const uint64_t at = ww_unlikely(cycle - now >= WHEEL) ? now + WHEEL - 1 : cycle;
    const uint32_t k = (uint32_t)at & (WHEEL - 1);
    h->node[n].next = NO_EVENT;
    if (h->bits[k / 64] >> (k % 64) & 1) {
        h->node[h->slot[k].tail].next = (uint16_t)n;
    } else {
        h->bits[k / 64] |= 1ull << (k % 64);
        h->slot[k].head = (uint16_t)n;
    }
    h->slot[k].tail = (uint16_t)n;
}

// Links nodes that were never in use into the empty free list; false: there are none (sm.c).
bool wheel_more(struct wheel *h);

// `cycle` is not before `now`; in the cycle itself only before its list is taken. sm_create made
// room for all that can be on its way; if there is none the SM is broken (sm_run).
static inline void wheel_add(struct wheel *h, uint64_t now, uint64_t cycle, enum event_kind kind,
                             const struct sm_inst *in, uint32_t warp, uint32_t lanes) {
    if (ww_unlikely(h->free == NO_EVENT) && !wheel_more(h)) {
        h->is_full = true;
        return;
    }
    const uint32_t n = h->free;
    struct event *e = &h->node[n];
    h->free = e->next;
    h->n++;
    e->cycle = cycle;
    e->in = in;
    e->kind = (uint8_t)kind;
    e->warp = (uint8_t)warp;
    e->lanes = lanes;
    wheel_link(h, n, now, cycle);
}

static inline bool wheel_has(const struct wheel *h, uint64_t cycle) {
    const uint32_t k = (uint32_t)cycle & (WHEEL - 1);
    return h->bits[k / 64] >> (k % 64) & 1;
}

// Takes the list of a cycle; walk it by node[].next and give each node back.
static inline uint32_t wheel_take(struct wheel *h, uint64_t cycle) {
    const uint32_t k = (uint32_t)cycle & (WHEEL - 1);
    h->bits[k / 64] &= ~(1ull << (k % 64));
    return h->slot[k].head;
}

static inline void wheel_give(struct wheel *h, uint32_t n) {
    h->node[n].next = (uint16_t)h->free;
    h->free = n;
    h->n--;
}

// First cycle >= from with a list.
static inline uint64_t wheel_next(const struct wheel *h, uint64_t from) {
    if (h->n == 0) return NEVER;
    const uint32_t k = (uint32_t)from & (WHEEL - 1);
    uint32_t word = k / 64;
    uint64_t bits = h->bits[word] & (~0ull << (k % 64));
    for (uint32_t i = 0; i <= WHEEL / 64; i++) {
        if (bits != 0) {
            const uint32_t found = word * 64 + bits_first64(bits);
            return from + ((found - k) & (WHEEL - 1));
        }
        word = (word + 1) % (WHEEL / 64);
        bits = h->bits[word];
    }
    return NEVER;
}

#endif
