// Miss-status holding registers: an entry a line, a list of waiters an entry, found through a
// small open hash table (linear probing, backward-shift deletion). Waiters leave in the order in
// which they came; in a sectored cache each leaves when the sectors that it needs have come.
#include "mem/mem.h"

#define MSHR_NIL UINT32_MAX

struct waiter {
    uint32_t id, need, next;
};
struct entry {
    uint64_t line;
    uint32_t requested, arrived; // sectors
    uint32_t head, tail, count;
};
struct mshr {
    uint32_t lines, merge, used;
    uint32_t free_entry, free_waiter; // heads of the free lists; an entry's link is its `head`
    uint32_t mask;                    // of slot[]
    uint32_t *slot;                   // entry + 1, 0: empty
    struct entry *entry;
    struct waiter *waiter;
};

static uint32_t slot_of(const struct mshr *m, uint64_t line) {
    // Multiplicative hashing with 2^64 / golden ratio (Knuth, TAOCP 6.4).
    return (uint32_t)((line * 0x9E3779B97F4A7C15u) >> 32) & m->mask;
}

struct mshr *mshr_create(uint32_t lines, uint32_t merge) {
    if (lines == 0 || merge == 0 || lines > 1u << 20 || merge > 1u << 16) return NULL;
    struct mshr *m = ww_alloc_aligned(sizeof *m);
    if (!m) return NULL;
    uint32_t slots = 4;
    while (slots < 4 * lines) slots *= 2; // a quarter full at most: probes stay short
    m->lines = lines;
    m->merge = merge;
    m->mask = slots - 1;
    m->slot = ww_alloc_aligned(slots * sizeof *m->slot);
    m->entry = ww_alloc_aligned(lines * sizeof *m->entry);
    m->waiter = ww_alloc_aligned((size_t)lines * merge * sizeof *m->waiter);
    if (!m->slot || !m->entry || !m->waiter) {
        mshr_destroy(m);
        return NULL;
    }
    mshr_clear(m);
    return m;
}

void mshr_destroy(struct mshr *m) {
    if (!m) return;
    ww_free_aligned(m->slot);
    ww_free_aligned(m->entry);
    ww_free_aligned(m->waiter);
    ww_free_aligned(m);
}

void mshr_clear(struct mshr *m) {
    memset(m->slot, 0, (m->mask + 1) * sizeof *m->slot);
    for (uint32_t i = 0; i < m->lines; i++) m->entry[i].head = i + 1 < m->lines ? i + 1 : MSHR_NIL;
    const uint32_t n = m->lines * m->merge;
    for (uint32_t i = 0; i < n; i++) m->waiter[i].next = i + 1 < n ? i + 1 : MSHR_NIL;
    m->free_entry = m->free_waiter = 0;
    m->used = 0;
}

static uint32_t find_slot(const struct mshr *m, uint64_t line) {
    uint32_t s = slot_of(m, line);
    while (m->slot[s] && m->entry[m->slot[s] - 1].line != line) s = (s + 1) & m->mask;
    return s;
}

int32_t mshr_find(const struct mshr *m, uint64_t line) {
    return (int32_t)m->slot[find_slot(m, line)] - 1;
}

uint32_t mshr_requested(const struct mshr *m, uint64_t line) {
    const int32_t e = mshr_find(m, line);
    return e < 0 ? 0 : m->entry[e].requested;
}

bool mshr_has_room(const struct mshr *m, uint64_t line) {
    const int32_t e = mshr_find(m, line);
    return e < 0 ? m->used < m->lines : m->entry[e].count < m->merge;
}

static int32_t get_entry(struct mshr *m, uint64_t line) {
    const uint32_t s = find_slot(m, line);
    if (m->slot[s]) return (int32_t)m->slot[s] - 1;
    if (m->free_entry == MSHR_NIL) return -1;
    const uint32_t e = m->free_entry;
    m->free_entry = m->entry[e].head;
    m->entry[e] = (struct entry){.line = line, .head = MSHR_NIL, .tail = MSHR_NIL};
    m->slot[s] = e + 1;
    m->used++;
    return (int32_t)e;
}

int32_t mshr_expect(struct mshr *m, uint64_t line, uint32_t sectors, uint32_t *missing) {
    const int32_t i = get_entry(m, line);
    *missing = 0;
    if (i < 0) return -1;
    struct entry *e = &m->entry[i];
    *missing = sectors & ~e->requested;
    e->requested |= sectors;
    return i;
}

int32_t mshr_add_sectors(struct mshr *m, uint64_t line, uint32_t sectors, uint32_t waiter,
                         uint32_t *missing) {
    *missing = 0;
    if (!mshr_has_room(m, line)) return -1;
    const int32_t i = mshr_expect(m, line, sectors, missing);
    struct entry *e = &m->entry[i];
    const uint32_t w = m->free_waiter;
    m->free_waiter = m->waiter[w].next;
    m->waiter[w] = (struct waiter){.id = waiter, .need = sectors, .next = MSHR_NIL};
    if (e->tail == MSHR_NIL)
        e->head = w;
    else
        m->waiter[e->tail].next = w;
    e->tail = w;
    e->count++;
    return i;
}

int32_t mshr_add(struct mshr *m, uint64_t line, uint32_t sectors, uint32_t waiter, bool *is_new) {
    uint32_t missing;
    const int32_t i = mshr_add_sectors(m, line, sectors ? sectors : 1, waiter, &missing);
    *is_new = missing != 0;
    return i;
}

static void free_entry(struct mshr *m, uint32_t s) {
    const uint32_t e = m->slot[s] - 1;
    m->entry[e].head = m->free_entry;
    m->free_entry = e;
    m->used--;
    // Backward shift: pull up every follower that may stand in the hole.
    uint32_t hole = s;
    for (uint32_t at = (s + 1) & m->mask; m->slot[at]; at = (at + 1) & m->mask) {
        const uint32_t home = slot_of(m, m->entry[m->slot[at] - 1].line);
        if (((at - home) & m->mask) >= ((at - hole) & m->mask)) {
            m->slot[hole] = m->slot[at];
            hole = at;
        }
    }
    m->slot[hole] = 0;
}

uint32_t mshr_fill(struct mshr *m, uint64_t line, uint32_t sectors, uint32_t *out) {
    const uint32_t s = find_slot(m, line);
    if (!m->slot[s]) return 0;
    struct entry *e = &m->entry[m->slot[s] - 1];
    e->arrived |= sectors;
    uint32_t n = 0, last = MSHR_NIL;
    uint32_t *link = &e->head;
    while (*link != MSHR_NIL) {
        const uint32_t w = *link;
        if (m->waiter[w].need & ~e->arrived) {
            last = w;
            link = &m->waiter[w].next;
            continue;
        }
        out[n++] = m->waiter[w].id;
        *link = m->waiter[w].next;
        m->waiter[w].next = m->free_waiter;
        m->free_waiter = w;
    }
    e->tail = last;
    e->count -= n;
    if ((e->requested & ~e->arrived) == 0) free_entry(m, s);
    return n;
}

uint32_t mshr_take(struct mshr *m, uint64_t line, uint32_t *out) {
    return mshr_fill(m, line, UINT32_MAX, out);
}

uint32_t mshr_used(const struct mshr *m) { return m->used; }
