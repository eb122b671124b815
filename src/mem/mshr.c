// Miss-status holding registers: an entry a line, a list of waiters an entry, found through a
// small open hash table (linear probing, backward-shift deletion). Waiters leave in the order in
// which they came; in a sectored cache each leaves when the sectors that it needs have come. The
// first waiter stands in the entry itself: most lines have no other.
#include "mem/mshr.h"

struct mshr *mshr_create(uint32_t lines, uint32_t merge) {
    if (lines == 0 || merge == 0 || lines > 1u << 20 || merge > UINT16_MAX) return NULL;
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
    m->free_waiter = MSHR_NIL;
    m->free_entry = m->fresh = 0;
    m->used = 0;
}

// Few lines have many waiters: most memory of the list is never touched.
void mshr_more_waiters(struct mshr *m) {
    enum { CHUNK = 64 };
    const uint32_t from = m->fresh, left = m->lines * m->merge - from;
    const uint32_t to = from + (left < CHUNK ? left : CHUNK);
    for (uint32_t i = from; i < to; i++) m->waiter[i].next = i + 1 < to ? i + 1 : MSHR_NIL;
    m->free_waiter = from;
    m->fresh = to;
}

int32_t mshr_find(const struct mshr *m, uint64_t line) {
    return (int32_t)m->slot[mshr_slot(m, line)] - 1;
}

uint32_t mshr_requested(const struct mshr *m, uint64_t line) {
    const int32_t e = mshr_find(m, line);
    return e < 0 ? 0 : m->entry[e].requested;
}

bool mshr_has_room_for(const struct mshr *m, uint64_t line, uint32_t *requested) {
    const int32_t e = mshr_find(m, line);
    *requested = e < 0 ? 0 : m->entry[e].requested;
    return e < 0 ? m->used < m->lines : m->entry[e].count < m->merge;
}

bool mshr_has_room(const struct mshr *m, uint64_t line) {
    uint32_t requested;
    return mshr_has_room_for(m, line, &requested);
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
    e->requested |= (uint16_t)sectors;
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

static void free_entry(struct mshr *m, struct mshr_entry *e) {
    uint32_t hole = e->slot;
    e->head = m->free_entry;
    m->free_entry = (uint32_t)(e - m->entry);
    m->used--;
    // Backward shift: pull up every follower that may stand in the hole.
    for (uint32_t at = (hole + 1) & m->mask; m->slot[at]; at = (at + 1) & m->mask) {
        struct mshr_entry *const follower = &m->entry[m->slot[at] - 1];
        const uint32_t home = mshr_home(m, follower->line);
        if (((at - home) & m->mask) >= ((at - hole) & m->mask)) {
            m->slot[hole] = m->slot[at];
            follower->slot = hole;
            hole = at;
        }
    }
    m->slot[hole] = 0;
}

// Takes a waiter out of the list; answers its id.
static uint32_t unlink_waiter(struct mshr *m, uint32_t *link) {
    const uint32_t w = *link;
    *link = m->waiter[w].next;
    m->waiter[w].next = m->free_waiter;
    m->free_waiter = w;
    return m->waiter[w].id;
}

// Those behind the oldest; the oldest that stays takes its place if that has left.
static uint32_t release_others(struct mshr *m, struct mshr_entry *e, uint32_t n, uint32_t *out) {
    e->tail = MSHR_NIL;
    for (uint32_t *link = &e->head; *link != MSHR_NIL;) {
        const struct mshr_waiter *const w = &m->waiter[*link];
        if (!(w->need & ~e->arrived)) {
            out[n++] = unlink_waiter(m, link);
        } else if (e->first == MSHR_NIL) {
            e->need = (uint8_t)w->need;
            e->first = unlink_waiter(m, link);
        } else {
            e->tail = *link;
            link = &m->waiter[*link].next;
        }
    }
    return n;
}

uint32_t mshr_fill_entry(struct mshr *m, struct mshr_entry *e, uint32_t sectors, uint32_t *out) {
    uint32_t n = 0;
    e->arrived |= (uint16_t)sectors;
    if (e->first != MSHR_NIL && !(e->need & ~e->arrived)) {
        out[n++] = e->first;
        e->first = MSHR_NIL;
    }
    if (e->head != MSHR_NIL) n = release_others(m, e, n, out);
    e->count = (uint16_t)(e->count - n);
    if ((e->requested & ~e->arrived) == 0) free_entry(m, e);
    return n;
}

uint32_t mshr_fill(struct mshr *m, uint64_t line, uint32_t sectors, uint32_t *out) {
    const uint32_t s = mshr_slot(m, line);
    return m->slot[s] ? mshr_fill_entry(m, &m->entry[m->slot[s] - 1], sectors, out) : 0;
}

uint32_t mshr_take(struct mshr *m, uint64_t line, uint32_t *out) {
    return mshr_fill(m, line, UINT32_MAX, out);
}

uint32_t mshr_used(const struct mshr *m) { return m->used; }
