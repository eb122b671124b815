// The inside of the miss-status holding registers, for the L2 slice, which asks for the entry of a
// line once and then does with it what it must.
#ifndef WW_MEM_MSHR_H
#define WW_MEM_MSHR_H

#include <assert.h>

#include "mem/pieces.h"

#define MSHR_NIL UINT32_MAX

struct mshr_waiter {
    uint32_t id, need, next;
};
// Most lines have one waiter, which stands in the entry: half a line of the host's cache.
struct mshr_entry {
    uint64_t line;
    uint32_t slot;               // that names it
    uint32_t first;              // the oldest waiter; MSHR_NIL: none
    uint32_t head, tail;         // list of the others
    uint16_t requested, arrived; // sectors
    uint8_t need;                // of the oldest waiter
    uint8_t hint;                // the owner's
    uint16_t count;              // of waiters
};
static_assert(sizeof(struct mshr_entry) == 32, "two entries are a line of the host's cache");
struct mshr {
    uint32_t lines, merge, used;
    uint32_t free_entry, free_waiter; // heads of the free lists; an entry's link is its `head`
    uint32_t fresh;                   // waiters from here on were never in the free list
    uint32_t mask;                    // of slot[]
    uint32_t *slot;                   // entry + 1, 0: empty
    struct mshr_entry *entry;
    struct mshr_waiter *waiter;
};

static inline uint32_t mshr_home(const struct mshr *m, uint64_t line) {
    // Multiplicative hashing with 2^64 / golden ratio (Knuth, TAOCP 6.4).
    return (uint32_t)((line * 0x9E3779B97F4A7C15u) >> 32) & m->mask;
}

// The slot of a line: its own, or the empty one where it would stand.
static inline uint32_t mshr_slot(const struct mshr *m, uint64_t line) {
    uint32_t s = mshr_home(m, line);
    while (m->slot[s] && m->entry[m->slot[s] - 1].line != line) s = (s + 1) & m->mask;
    return s;
}

// Takes a new entry for the empty slot; only while used < lines.
static inline struct mshr_entry *mshr_open(struct mshr *m, uint32_t s, uint64_t line) {
    const uint32_t e = m->free_entry;
    m->free_entry = m->entry[e].head;
    m->entry[e] = (struct mshr_entry){
        .line = line, .slot = s, .first = MSHR_NIL, .head = MSHR_NIL, .tail = MSHR_NIL};
    m->slot[s] = e + 1;
    m->used++;
    return &m->entry[e];
}

void mshr_more_waiters(struct mshr *m); // into the empty free list

// Adds a waiter; only while the entry's count < merge.
static inline void mshr_wait(struct mshr *m, struct mshr_entry *e, uint32_t sectors, uint32_t id) {
    e->count++;
    e->requested |= (uint16_t)sectors;
    if (e->first == MSHR_NIL) {
        e->first = id;
        e->need = (uint8_t)sectors;
        return;
    }
    if (ww_unlikely(m->free_waiter == MSHR_NIL)) mshr_more_waiters(m);
    const uint32_t w = m->free_waiter;
    m->free_waiter = m->waiter[w].next;
    m->waiter[w] = (struct mshr_waiter){.id = id, .need = sectors, .next = MSHR_NIL};
    if (e->tail == MSHR_NIL)
        e->head = w;
    else
        m->waiter[e->tail].next = w;
    e->tail = w;
}

// Some sectors of an entry's line came: mshr_fill.
uint32_t mshr_fill_entry(struct mshr *m, struct mshr_entry *e, uint32_t sectors, uint32_t *out);

#endif
