// Miss-status holding registers: an entry a line, a list of waiters an entry, found through a
// small open hash table (linear probing, backward-shift deletion). Waiters leave in the order in
// which they came; in a sectored cache each leaves when the sectors that it needs have come.
#include "mem/mshr.h"

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

int32_t mshr_find(const struct mshr *m, uint64_t line) {
    return (int32_t)m->slot[mshr_slot(m, line)] - 1;
}

uint32_t mshr_requested(const struct mshr *m, uint64_t line) {
    const int32_t e = mshr_find(m, line);
    return e < 0 ? 0 : m->entry[e].requested;
}

bool mshr_has_room(const struct mshr *m, uint64_t line) {
    const int32_t e = mshr_find(m, line);
    return e < 0 ? m->used < m->lines : m->entry[e].count < m->merge;
}

// The entry of a line, a new one if need be; NULL: all are in use.
static struct mshr_entry *get_entry(struct mshr *m, uint64_t line) {
    const uint32_t s = mshr_slot(m, line);
    if (m->slot[s]) return &m->entry[m->slot[s] - 1];
    return m->used < m->lines ? mshr_open(m, s, line) : NULL;
}

int32_t mshr_expect(struct mshr *m, uint64_t line, uint32_t sectors, uint32_t *missing) {
    struct mshr_entry *e = get_entry(m, line);
    *missing = 0;
    if (!e) return -1;
    *missing = sectors & ~e->requested;
    e->requested |= sectors;
    return (int32_t)(e - m->entry);
}

int32_t mshr_add_sectors(struct mshr *m, uint64_t line, uint32_t sectors, uint32_t waiter,
                         uint32_t *missing) {
    struct mshr_entry *e = get_entry(m, line);
    *missing = 0;
    if (!e || e->count >= m->merge) return -1;
    *missing = sectors & ~e->requested;
    mshr_wait(m, e, sectors, waiter);
    return (int32_t)(e - m->entry);
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
        const uint32_t home = mshr_home(m, m->entry[m->slot[at] - 1].line);
        if (((at - home) & m->mask) >= ((at - hole) & m->mask)) {
            m->slot[hole] = m->slot[at];
            hole = at;
        }
    }
    m->slot[hole] = 0;
}

uint32_t mshr_fill(struct mshr *m, uint64_t line, uint32_t sectors, uint32_t *out) {
    const uint32_t s = mshr_slot(m, line);
    if (!m->slot[s]) return 0;
    struct mshr_entry *e = &m->entry[m->slot[s] - 1];
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
