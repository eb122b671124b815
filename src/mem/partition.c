// A partition's quantum: takes what its SMs sent, then runs from event to event. Events of slices
// are a read that comes back from DRAM and the head of an input; the earliest goes first, fills
// before inputs, and slices take turns. Before a slice acts at a tick, the channels have done all
// up to that tick; and since what a slice sends reaches a channel's scheduler no sooner than the
// controller's latency later, channels run that far ahead at one go. The result is that of strict
// order of time. Everything an event touches belongs to the partition.
#include "mem/system.h"

// A slice's number, of all.
static inline uint32_t index_of(const struct partition *p, uint32_t si) {
    return p->index * p->m->map.slices + si;
}

bool partition_create(struct partition *p, struct mem_system *m, uint32_t index) {
    const struct mem_config *c = &m->c;
    p->m = m;
    p->index = index;
    // Requests that can be here at once: those with credits, those that wait for a line or for
    // DRAM, and replies that have not been fetched; when all are in use the rings wait.
    const uint64_t merged = (uint64_t)c->l2.mshrs * c->l2.mshr_merge;
    uint64_t n = (uint64_t)m->map.slices * ((uint64_t)m->sms * c->net.input_queue_flits +
                                            (merged < 8192 ? merged : 8192)) +
                 (uint64_t)m->map.channels * m->dram.entries + 4096;
    const uint64_t most = (uint64_t)m->sms * MEM_PORT_OUTSTANDING;
    if (n > most) n = most;
    p->far_first = (uint32_t)n;
    p->nodes = p->far_first + halves_nodes(m);
    p->doors = m->far_ticks ? 2 * m->map.slices : m->map.slices;
    p->node = ww_alloc_aligned(p->nodes * sizeof *p->node);
    p->slice = ww_alloc_aligned(p->doors * sizeof *p->slice);
    p->channel = ww_alloc_aligned(m->map.channels * sizeof *p->channel);
    if (!p->node || !p->slice || !p->channel || !buckets_create(&p->bucket, m->quantum))
        return false;
    for (uint32_t i = 0; i < m->map.slices; i++) {
        struct slice *s = &p->slice[i];
        s->channel = m->map.channels_a_slice == 1 ? i % m->map.channels : NIL;
        s->offset = i / m->map.channels;
        s->lapse_tick = NEVER;
        s->from = ww_alloc_aligned(m->sms * sizeof *s->from);
        s->sent.places = 1;
        uint64_t places = 1;
        while (places < p->nodes) places *= 2;
        s->sent.node = ww_alloc_aligned(places * sizeof *s->sent.node);
        if (!s->from || !s->sent.node) return false;
        if (!c->l2.bytes) continue;
        s->tags = cache_create(&c->l2);
        s->mshr = mshr_create(c->l2.mshrs, c->l2.mshr_merge);
        if (!s->tags || !s->mshr) return false;
        s->words = ww_alloc_aligned(cache_lines(s->tags) * sizeof *s->words);
        if (!s->words) return false;
    }
    for (uint32_t i = 0; i < m->map.channels; i++)
        if (!dram_create(&p->channel[i], &m->dram, &p->act)) return false;
    if (!halves_create(p)) return false;
    partition_reset(p, 0);
    return true;
}

void partition_destroy(struct partition *p) {
    for (uint32_t i = 0; p->slice && i < p->m->map.slices; i++) {
        struct slice *s = &p->slice[i];
        ww_free_aligned(s->from);
        ww_free_aligned(s->sent.node);
        ww_free_aligned(s->words);
        cache_destroy(s->tags);
        mshr_destroy(s->mshr);
    }
    halves_destroy(p);
    for (uint32_t i = 0; p->channel && i < p->m->map.channels; i++) dram_destroy(&p->channel[i]);
    ww_free_aligned(p->node);
    ww_free_aligned(p->slice);
    ww_free_aligned(p->channel);
    buckets_destroy(&p->bucket);
}

void partition_reset(struct partition *p, uint64_t clock) {
    struct mem_system *m = p->m;
    p->free = NIL;
    p->fresh = 0;
    p->last_served = 0;
    for (uint32_t i = 0; i < m->map.slices; i++) {
        struct slice *s = &p->slice[i];
        s->head = s->tail = NIL;
        s->sent.first = s->sent.n = s->sent.routed = 0;
        s->atomic_head = s->atomic_tail = NIL;
        s->in_free = s->out_free = s->atomic_free = s->ready = s->port_tick = s->late = 0;
        s->next = s->blocked_at = NEVER;
        s->port_used = s->run = 0;
        s->block = BLOCK_NONE;
        const uint32_t at = index_of(p, i);
        for (uint32_t k = 0; k < m->sms; k++) {
            *replies_of(m, k, at) = (struct reply_list){.head = NIL, .tail = NIL};
            s->from[k] = (struct intake){.head = NIL};
            marks_row(&m->replied, k)[at] = 0;
        }
        memset(marks_row(&m->sent, at), 0, m->sms);
        if (!s->tags) continue;
        cache_invalidate(s->tags);
        mshr_clear(s->mshr);
        memset(s->words, 0, cache_lines(s->tags) * sizeof *s->words);
    }
    halves_reset(p);
    for (uint32_t i = 0; i < m->map.channels; i++) dram_reset(&p->channel[i], clock);
}

// ---- taking requests ------------------------------------------------------------------------
// Is there a free node? There are many: those never needed are linked when the others are in use,
// so that their memory is not touched before.
static bool more_nodes(struct partition *p) {
    enum { CHUNK = 64 };
    const uint32_t from = p->fresh, left = p->far_first - from;
    if (left == 0) return false;
    const uint32_t to = from + (left < CHUNK ? left : CHUNK);
    for (uint32_t i = from; i < to; i++) p->node[i].next = i + 1 < to ? i + 1 : NIL;
    p->free = from;
    p->fresh = to;
    return true;
}

static inline bool has_node(struct partition *p) {
    return ww_likely(p->free != NIL) || more_nodes(p);
}

static inline uint32_t take_node(struct partition *p, const struct node *packet) {
    const uint32_t i = p->free;
    struct node *n = &p->node[i];
    p->free = n->next;
    *n = *packet;
    n->next = NIL;
    p->act.c[ACT_net_request_packets]++;
    p->act.c[ACT_net_request_flits] += n->flits;
    if (p->m->c.net.kind == NET_CROSSBAR) p->act.c[ACT_net_hops] += n->flits;
    return i;
}

// Takes what SM `sm` has sent the slice up to `to`, into buckets by cycle of arrival; answers how
// many.
static inline uint32_t take_lane(struct partition *p, uint32_t si, uint32_t sm, uint64_t from,
                                 uint64_t to) {
    struct mem_system *m = p->m;
    struct buckets *b = &p->bucket;
    struct intake *const intake = &p->slice[si].from[sm];
    const struct node *const outbox = m->port[sm].outbox;
    const uint64_t way = m->c.net.kind == NET_MESH ? 0 : m->c.net.request_latency;
    uint32_t head = intake->head, n = 0;
    for (; head != NIL && has_node(p); n++) {
        const struct node *r = &outbox[head];
        if (r->cycle >= to + way) break;
        const uint32_t slot = r->cycle > from + way ? (uint32_t)(r->cycle - from - way) : 0;
        const uint32_t i = take_node(p, r);
        if (b->used[slot >> 6] >> (slot & 63) & 1)
            p->node[b->tail[slot]].next = i;
        else
            b->head[slot] = i;
        b->used[slot >> 6] |= UINT64_C(1) << (slot & 63);
        b->tail[slot] = i;
        head = r->next;
    }
    intake->head = head;
    if (head == NIL) marks_row(&m->sent, index_of(p, si))[sm] = 0;
    return n;
}

// Appends to a slice's input what its SMs have sent, in order of arrival and SM; in a tie the SM
// that goes first moves on by one each quantum. With a crossbar that is all that was sent up to
// `to`: it arrives request_latency later. A mesh says itself when; here is what comes before `to`.
static void take_requests(struct partition *p, uint32_t si, uint64_t from, uint64_t to) {
    struct mem_system *m = p->m;
    struct slice *s = &p->slice[si];
    struct buckets *b = &p->bucket;
    const uint8_t *const marks = marks_row(&m->sent, index_of(p, si));
    for (uint32_t sm = 0; (sm = marks_next(marks, sm, m->sms)) < m->sms; sm++)
        __builtin_prefetch(&m->port[sm].outbox[s->from[sm].head]);
    const uint32_t first = (uint32_t)(from / m->quantum % m->sms);
    uint32_t n = 0;
    for (uint32_t sm = first; (sm = marks_next(marks, sm, m->sms)) < m->sms; sm++)
        n += take_lane(p, si, sm, from, to);
    for (uint32_t sm = 0; (sm = marks_next(marks, sm, first)) < first; sm++)
        n += take_lane(p, si, sm, from, to);
    if (!n) return;
    const bool was_empty = s->head == NIL;
    for (uint32_t w = 0; w < (b->n + 63) / 64; w++) {
        FOR_EACH_BIT64(k, b->used[w]) {
            const uint32_t slot = w * 64 + (uint32_t)k;
            if (s->head == NIL)
                s->head = b->head[slot];
            else
                p->node[s->tail].next = b->head[slot];
            s->tail = b->tail[slot];
        }
        b->used[w] = 0;
    }
    if (was_empty) l2_schedule_head(p, si);
}

// ---- replies that were sent -----------------------------------------------------------------
void partition_sent(struct slice *s, uint32_t node) {
    struct sent *const q = &s->sent;
    if (ww_unlikely(q->n == q->places)) { // twice as many places
        const uint32_t n = q->places - q->first; // from the first one to the ring's end
        memmove(&q->node[2 * q->places - n], &q->node[q->first], n * sizeof *q->node);
        q->first = 2 * q->places - n;
        q->places *= 2;
    }
    *slice_sent(s, q->n++) = node;
}

// Their nodes lie apart, and SMs have written to them since.
static void foresee_delivered(const struct partition *p, struct slice *s) {
    enum { AHEAD = 16 };
    for (uint32_t i = 0; i < s->sent.n && i < AHEAD; i++)
        __builtin_prefetch(&p->node[*slice_sent(s, i)], 1);
}
static void free_delivered(struct partition *p, struct slice *s) {
    struct sent *const q = &s->sent;
    while (q->n != 0) {
        const uint32_t at = *slice_sent(s, 0);
        if (!p->node[at].taken) break;
        q->first = (q->first + 1) & (q->places - 1);
        q->n--;
        q->routed -= q->routed != 0; // a mesh delivers none that is not routed
        p->node[at].next = p->free;
        p->free = at;
    }
}

// ---- the loop -------------------------------------------------------------------------------
// A part of a partition that nothing connects with the rest: slices and channels [first, first +
// n). Numbers are arguments so that the common ones become constants.
struct part {
    uint32_t first, slices, channels; // with halves: slices and doors
    bool halves;
};
#define ALWAYS_INLINE static inline __attribute__((always_inline))

// Runs the channels that have something to do at or before a slice's next event (`slices`, at most
// `end`), as far ahead as slices cannot interfere.
ALWAYS_INLINE void run_channels(struct partition *p, struct part a, uint64_t slices, uint64_t end) {
    const struct mem_system *m = p->m;
    const uint64_t ahead = m->dram.controller_clocks * m->dram.period;
    bool waiting = false;
    for (uint32_t i = a.first; i < a.first + a.slices; i++)
        waiting |= p->slice[i].block == BLOCK_DRAM;
    for (uint32_t i = a.first; i < a.first + a.channels; i++) {
        struct dram_channel *c = &p->channel[i];
        uint64_t limit = slices < end && slices + ahead < end ? slices + ahead : end;
        // What another channel does may make a slice act on this one.
        for (uint32_t k = a.first; k < a.first + a.channels; k++) {
            const uint64_t t = k != i ? p->channel[k].next : NEVER;
            if (t != NEVER && t * m->dram.period + ahead < limit)
                limit = t * m->dram.period + ahead;
        }
        const uint32_t done = c->done_tail;
        dram_run(c, &m->clock.dram, limit, waiting);
        for (uint32_t k = done; k != c->done_tail; k++)
            l2_foresee_fill(p, &c->done[k & (c->s->done_cap - 1)]);
    }
    if (!waiting) return;
    for (uint32_t i = a.first; i < a.first + a.slices; i++)
        if (p->slice[i].block == BLOCK_DRAM) l2_await_room(p, i);
}

// Earliest fill, and earliest input: among slices of the same tick the one after the last served.
ALWAYS_INLINE uint64_t next_fill(struct partition *p, struct part a, struct dram_channel **from) {
    uint64_t tick = NEVER;
    for (uint32_t i = a.first; i < a.first + a.channels; i++) {
        struct dram_channel *c = &p->channel[i];
        const uint64_t at = c->done[c->done_head & (c->s->done_cap - 1)].tick;
        const uint64_t t = c->done_head == c->done_tail ? NEVER : at;
        *from = t < tick || i == a.first ? c : *from;
        tick = t < tick ? t : tick;
    }
    return tick;
}
ALWAYS_INLINE uint64_t next_input(const struct partition *p, struct part a, uint32_t *at) {
    uint64_t tick = p->slice[a.first].next;
    uint32_t best = a.first, best_behind = p->last_served == a.first;
    for (uint32_t i = a.first + 1; i < a.first + a.slices; i++) {
        const uint64_t t = p->slice[i].next;
        // Behind: it was served last, or comes before that one, so others go first.
        const uint32_t behind = i <= p->last_served;
        const bool better = (t < tick) | ((t == tick) & (behind < best_behind));
        best = better ? i : best;
        best_behind = better ? behind : best_behind;
        tick = better ? t : tick;
    }
    *at = best;
    return tick;
}
// Earliest answer of the other half.
ALWAYS_INLINE uint64_t next_back(const struct partition *p, struct part a, uint32_t *at) {
    uint64_t tick = NEVER;
    for (uint32_t i = a.first; i < a.first + a.slices; i++) {
        const uint32_t head = p->slice[i].back_head;
        if (head == NIL || p->node[head].cycle >= tick) continue;
        tick = p->node[head].cycle;
        *at = i;
    }
    return tick;
}
ALWAYS_INLINE uint64_t next_command(const struct partition *p, struct part a) {
    uint64_t clock = NEVER;
    for (uint32_t i = a.first; i < a.first + a.channels; i++)
        clock = p->channel[i].next < clock ? p->channel[i].next : clock;
    return clock == NEVER ? NEVER : clock * p->m->dram.period;
}

// Slices that wait for room although none will come (another used what they counted on less).
static bool wake_forgotten(struct partition *p, struct part a, uint64_t tick) {
    bool any = false;
    for (uint32_t i = a.first; i < a.first + a.slices; i++) {
        if (p->slice[i].block != BLOCK_DRAM) continue;
        l2_unblock(p, i, tick);
        any = true;
    }
    return any;
}

ALWAYS_INLINE void run_events(struct partition *p, struct part a, uint64_t end) {
    uint64_t last = 0;
    for (;;) {
        struct dram_channel *from = NULL;
        uint32_t input_at, back_at = 0;
        const uint64_t fill = next_fill(p, a, &from), input = next_input(p, a, &input_at);
        const uint64_t back = a.halves ? next_back(p, a, &back_at) : NEVER;
        const uint64_t data = fill <= back ? fill : back;
        const uint64_t tick = data <= input ? data : input, command = next_command(p, a);
        if (command <= tick && command < end) {
            run_channels(p, a, tick, end);
            last = command > last ? command : last;
            continue;
        }
        if (tick >= end) {
            if (tick != NEVER || command != NEVER || !wake_forgotten(p, a, last)) return;
            continue;
        }
        last = tick;
        for (uint32_t i = a.first; i < a.first + a.channels; i++) dram_settle(&p->channel[i], tick);
        if (back < fill && back <= input) {
            l2_take_back(p, back_at, tick);
        } else if (fill <= input) {
            const struct dram_done d = from->done[from->done_head++ & (from->s->done_cap - 1)];
            l2_fill(p, &d);
        } else {
            p->last_served = input_at;
            l2_serve(p, input_at, tick);
        }
    }
}

void mem_system_run_partition(struct mem_system *m, uint32_t index, uint64_t from, uint64_t to) {
    struct partition *p = &m->partition[index];
    const uint64_t end = to * m->clock.core.period;
    for (uint32_t i = 0; i < m->map.slices; i++) foresee_delivered(p, &p->slice[i]);
    for (uint32_t i = 0; i < m->map.slices; i++) {
        free_delivered(p, &p->slice[i]);
        take_requests(p, i, from, to);
    }
    const uint32_t slices = m->map.slices, channels = m->map.channels;
    if (m->far_ticks) // twins ask each other
        run_events(p, (struct part){0, p->doors, channels, true}, end);
    else if (slices == channels) // each slice has a channel of its own
        for (uint32_t i = 0; i < slices; i++) run_events(p, (struct part){i, 1, 1, false}, end);
    else if (slices == 2 && channels == 1)
        run_events(p, (struct part){0, 2, 1, false}, end);
    else
        run_events(p, (struct part){0, slices, channels, false}, end);
    for (uint32_t i = 0; i < m->map.slices; i++) l2_flush_atomics(p, i, end - 1);
    for (uint32_t i = 0; i < m->map.channels; i++)
        dram_account(&p->channel[i], clock_floor(&m->clock.dram, end));
}

void mem_system_account(struct mem_system *m, uint64_t cycle) {
    const uint64_t clock = clock_floor(&m->clock.dram, cycle * m->clock.core.period);
    for (uint32_t p = 0; p < m->c.partitions; p++)
        for (uint32_t i = 0; i < m->map.channels; i++)
            dram_account(&m->partition[p].channel[i], clock);
}

uint64_t partition_next_tick(const struct partition *p) {
    const struct mem_system *m = p->m;
    uint64_t next = NEVER;
    for (uint32_t i = 0; i < m->map.channels; i++) {
        const struct dram_channel *c = &p->channel[i];
        uint64_t t = c->next == NEVER ? NEVER : c->next * c->s->period;
        if (t < next) next = t;
        if (c->done_head == c->done_tail) continue;
        t = c->done[c->done_head & (c->s->done_cap - 1)].tick;
        if (t < next) next = t;
    }
    for (uint32_t i = 0; i < p->doors; i++) {
        const struct slice *s = &p->slice[i];
        if (s->next < next) next = s->next;
        if (s->back_head != NIL && p->node[s->back_head].cycle < next) next = p->node[s->back_head].cycle;
        if (s->atomic_head != NIL && p->node[s->atomic_head].cycle < next)
            next = p->node[s->atomic_head].cycle;
    }
    return next;
}
