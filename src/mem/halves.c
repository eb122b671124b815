// An L2 of two halves, each beside half of the SMs: from the A100 on. Slices 2n and 2n + 1 of a partition lie in different
// halves and are twins. An address lives in one slice. A read goes to the half beside its SM: when the data live in the
// other half, the twin looks for a copy, and asks the slice where they live when it has none; what comes back stays as a
// copy, which competes with all other lines of the twin. Writes and atomics go where the data live, and end a copy.
//
// What this rests on: dependent loads of one SM by footprint (gpu-benches, Luo et al.). On an A100 they take the near
// latency up to half of the capacity, the mean of a far hit and a near miss from there to all of it (423 cycles; 357 and
// 475), and the mean of near and far misses beyond (569; 475 and 623); on an H100 the same (465 to 498 for 414 and 555; 649
// for 555 and 744). So a half keeps copies of the other's lines, a line's own place can lose it to copies, and a miss is
// fetched where the line lives.
//
// A slice takes the twin's questions by a door: a second slice that shares its tags, miss registers and channel and has a
// queue and a tag port of its own, so that no question waits behind a request that itself waits for the other half.
// A question is a node, which comes back as its answer; each sector of a line that is on its way was asked for once, so
// there are enough of them.
//
// Left out: the width of what lies between the halves, which was not measured apart; copies in both halves of a line that
// is being written.
#include "mem/mshr.h"
#include "mem/system.h"

enum { SECTOR32 = 32, ASKS = 8 }; // of a line at most: one a sector

bool halves_create(struct partition *p) {
    const struct mem_system *const m = p->m;
    if (!m->far_ticks) return true;
    for (uint32_t i = 0; i < m->map.slices; i++) {
        struct slice *const s = &p->slice[i], *const door = &p->slice[m->map.slices + i];
        s->far = mshr_create(m->c.l2.mshrs, m->c.l2.mshr_merge);
        if (!s->far) return false;
        *door = *s;
        door->from = NULL;
        door->sent = (struct sent){0};
        door->far = NULL;
        door->lapse_tick = NEVER;
    }
    return true;
}

void halves_destroy(struct partition *p) {
    for (uint32_t i = 0; p->slice && i < p->m->map.slices; i++) mshr_destroy(p->slice[i].far);
}

uint32_t halves_nodes(const struct mem_system *m) {
    return m->far_ticks ? m->map.slices * m->c.l2.mshrs * ASKS : 0;
}

void halves_reset(struct partition *p) {
    const struct mem_system *const m = p->m;
    p->far_free = NIL;
    for (uint32_t i = p->nodes; i-- > p->far_first;) {
        p->node[i].next = p->far_free;
        p->far_free = i;
    }
    for (uint32_t i = 0; i < p->doors; i++) {
        struct slice *const s = &p->slice[i];
        s->back_head = s->back_tail = NIL;
        if (s->far) mshr_clear(s->far);
        if (i < m->map.slices) continue;
        s->head = s->tail = s->atomic_head = s->atomic_tail = NIL;
        s->in_free = s->out_free = s->atomic_free = s->ready = s->port_tick = s->late = 0;
        s->next = s->blocked_at = NEVER;
        s->port_used = s->run = 0;
        s->block = BLOCK_NONE;
    }
}

// Asks the twin's slice for sectors of a line, from the first of a set to its last.
static void ask(struct partition *p, uint32_t si, const struct node *n, uint64_t line_addr, uint32_t sectors,
                uint64_t tick) {
    const struct mem_system *const m = p->m;
    const uint32_t first = bits_first32(sectors), last = bits_last32(sectors), at = p->far_free;
    struct node *const f = &p->node[at];
    p->far_free = f->next;
    *f = (struct node){.cycle = tick + m->far_ticks / 2, // a tick, as its answer's
                       .addr = n->addr,
                       .local = (line_addr & ~FAR_LINE) + ((uint64_t)first << m->sector_shift),
                       .next = NIL,
                       .bytes = (uint16_t)((last - first + 1) << m->sector_shift),
                       .sm = FAR_SM,
                       .kind = MEM_READ,
                       .client = n->client,
                       .hint = n->hint,
                       .rounds = 1};
    p->act.c[ACT_l2_far_sectors] += (uint64_t)f->bytes / SECTOR32;
    const uint32_t door = (si ^ 1) + m->map.slices;
    struct slice *const d = &p->slice[door];
    if (d->head == NIL) {
        d->head = d->tail = at;
        l2_schedule_head(p, door);
        return;
    }
    p->node[d->tail].next = at;
    d->tail = at;
}

// A read has missed the copy of a line of the other half. BLOCK_NONE: its data will come, and the node waits for them
// unless it is a prefetch; merged: they are on their way already.
enum slice_block halves_miss(struct partition *p, uint32_t si, uint32_t at, uint64_t line_addr, uint32_t missing,
                             uint64_t tick, bool *merged) {
    const struct mem_system *const m = p->m;
    struct slice *const s = &p->slice[si];
    struct mshr *const far = s->far;
    const struct node *const n = &p->node[at];
    const uint64_t number = line_addr >> m->line_shift;
    const uint32_t slot = mshr_slot(far, number);
    struct mshr_entry *e = far->slot[slot] ? &far->entry[far->slot[slot] - 1] : NULL;
    s->absent = false;
    *merged = false;
    if (e ? e->count >= far->merge : far->used >= far->lines) return BLOCK_MSHR;
    const uint32_t new = e ? missing & ~(uint32_t)e->requested : missing;
    if (new) {
        if (!e) e = mshr_open(far, slot, number);
        const uint32_t all = (UINT32_C(2) << bits_last32(new)) - (UINT32_C(1) << bits_first32(new));
        e->requested |= (uint16_t)all;
        ask(p, si, n, line_addr, all, tick);
    }
    *merged = new == 0;
    if (n->hint != MEM_HINT_NONE) e->hint = n->hint;
    if (n->kind != MEM_PREFETCH) mshr_wait(far, e, missing, at);
    return BLOCK_NONE;
}

// The data that a node of the twin has asked for are there at a tick: they go back.
void halves_answer(struct partition *p, uint32_t door, uint32_t at, uint64_t tick) {
    const struct mem_system *const m = p->m;
    struct node *const n = &p->node[at];
    struct slice *const s = &p->slice[slice_behind(p, door) ^ 1];
    n->cycle = tick + m->far_ticks - m->far_ticks / 2;
    // Listeners may have delayed the one before.
    uint32_t *link = &s->back_head, before = NIL;
    if (s->back_head != NIL && p->node[s->back_tail].cycle <= n->cycle) {
        before = s->back_tail;
        link = &p->node[before].next;
    }
    while (*link != NIL && p->node[*link].cycle <= n->cycle) {
        before = *link;
        link = &p->node[before].next;
    }
    n->next = *link;
    *link = at;
    if (n->next == NIL) s->back_tail = at;
}
