// An SM's connection to the network: credits, pages, the injection link, and the merging of replies.
//
// Requests lie in the SM's outbox, linked to a lane for each slice. The SM owns the outbox, the
// lane's ends and `sent`, the slice owns `taken`; the two run in different phases, so each may read
// the other's. Outbox and reply list hold as many as requests may be outstanding, so nothing is
// ever dropped. What slices have taken is used again at once: the outbox stays in the host's cache.
#include "mem/system.h"

bool buckets_create(struct buckets *b, uint32_t n) {
    b->n = n;
    b->head = ww_alloc_aligned(n * sizeof *b->head);
    b->tail = ww_alloc_aligned(n * sizeof *b->tail);
    b->used = ww_alloc_aligned((n + 63) / 64 * sizeof *b->used);
    return b->head && b->tail && b->used;
}

void buckets_destroy(struct buckets *b) {
    ww_free_aligned(b->head);
    ww_free_aligned(b->tail);
    ww_free_aligned(b->used);
}

bool marks_create(struct marks *k, uint32_t rows, uint32_t columns) {
    k->stride = (columns + 63) & ~63u;
    k->at = ww_alloc_aligned((size_t)rows * k->stride);
    return k->at != NULL;
}

bool port_create(struct mem_port *p, struct mem_system *m, uint32_t sm) {
    p->system = m;
    p->sm = sm;
    p->to = ww_alloc_aligned(m->slices * sizeof *p->to);
    p->memo = ww_alloc_aligned(sizeof *p->memo);
    p->reply = ww_alloc_aligned(MEM_PORT_OUTSTANDING * sizeof *p->reply);
    p->merge = ww_alloc_aligned(MEM_PORT_OUTSTANDING * sizeof *p->merge);
    p->unseen = ww_alloc_aligned((m->slices + 63) / 64 * sizeof *p->unseen);
    p->outbox = ww_alloc_aligned(MEM_PORT_OUTSTANDING * sizeof *p->outbox);
    if (!p->to || !p->memo || !p->reply || !p->merge || !p->unseen || !p->outbox) return false;
    p->free = p->held = p->waiting = NIL;
    if (m->tlb) p->tlb = tlb_first(m->tlb, sm);
    *p->memo = (struct port_memo){.block = NEVER};
    if (m->c.net.kind == NET_MESH) {
        p->log_mask = MEM_PORT_OUTSTANDING - 1;
        p->log = ww_alloc_aligned(MEM_PORT_OUTSTANDING * sizeof *p->log);
        if (!p->log) return false;
    }
    return buckets_create(&p->bucket, m->quantum);
}

void port_destroy(struct mem_port *p) {
    ww_free_aligned(p->to);
    ww_free_aligned(p->unseen);
    ww_free_aligned(p->outbox);
    ww_free_aligned(p->memo);
    ww_free_aligned(p->reply);
    ww_free_aligned(p->merge);
    ww_free_aligned(p->log);
    buckets_destroy(&p->bucket);
}

void port_reset(struct mem_port *p) {
    p->link_free = p->eject_free = 0;
    p->outstanding = p->reply_head = p->reply_tail = p->log_head = p->log_tail = 0;
    for (uint32_t s = 0; s < p->system->slices; s++) p->to[s].sent = 0;
    memset(p->unseen, 0, (p->system->slices + 63) / 64 * sizeof *p->unseen);
    p->free = p->held = p->waiting = NIL;
    p->last_version = 0;
    remote_reset(p);
    p->fresh = 0;
}

uint32_t net_flits(const struct net_config *c, bool data, uint32_t bytes) {
    const uint32_t n = c->control_bytes + (data ? bytes : 0);
    return n ? (n + c->flit_bytes - 1) / c->flit_bytes : 1;
}

static inline uint32_t flits(const struct mem_system *m, bool data, uint32_t bytes) {
    return m->flits[data ? bytes / 32 : 0];
}

uint32_t mem_port_flits(const struct mem_port *p, uint8_t kind, uint32_t bytes) {
    return flits(p->system, kind == MEM_WRITE || kind == MEM_ATOMIC || kind == MEM_REDUCE, bytes);
}

uint32_t mem_port_reply_flits(const struct mem_port *p, uint8_t kind, uint32_t bytes) {
    return flits(p->system, kind == MEM_READ || kind == MEM_ATOMIC, bytes);
}

// The slice of an address, of all. Asked twice for each request (may it be sent, send it), so the
// last answer is kept.
static inline uint32_t look_up(const struct mem_port *p, uint64_t addr) {
    const struct mem_map *map = &p->system->map;
    const uint64_t block = addr >> map->block_shift;
    if (block != p->memo->block) {
        const struct mem_place a = map_place(map, block << map->block_shift);
        *p->memo = (struct port_memo){
            .block = block, .local = a.local, .slice = a.partition * map->slices + a.slice};
    }
    return p->memo->slice;
}

// Two halves: does the slice's data live in the other half?
static inline bool is_far_slice(const struct mem_port *p, uint32_t slice) {
    return ww_unlikely(p->system->far_ticks != 0) && (slice & 1) != p->half;
}
// What goes to the half beside the SM, wherever its data live: reads that L2 caches. All else goes where they live.
static inline bool stays_near(const struct mem_system *m, const struct node *n) {
    if (!(m->cached >> n->client & 1)) return false;
    return n->kind == MEM_READ || (n->kind == MEM_PREFETCH && n->hint < MEM_HINT_DISCARD);
}
static inline uint32_t slice_for(const struct mem_port *p, const struct node *n) {
    const uint32_t slice = look_up(p, n->addr);
    return is_far_slice(p, slice) && stays_near(p->system, n) ? slice ^ 1 : slice;
}

static bool has_credit(const struct mem_port *p, uint32_t slice, uint32_t n) {
    const struct lane *const lane = &p->to[slice];
    return lane->sent - lane->from->taken + n <= p->system->c.net.input_queue_flits;
}
bool mem_port_can_send(const struct mem_port *p, uint64_t addr, uint32_t n) {
    const uint32_t slice = look_up(p, addr);
    if (is_far_slice(p, slice) && !has_credit(p, slice ^ 1, n)) return false;
    return has_credit(p, slice, n) && p->outstanding < MEM_PORT_OUTSTANDING;
}

bool mem_port_can_send_two(const struct mem_port *p, uint64_t addr, uint32_t n) {
    return mem_port_can_send(p, addr, 2 * n) && p->outstanding + 1 < MEM_PORT_OUTSTANDING;
}

// What the slice has taken of the lane is free.
static void see_taken(struct mem_port *p, uint32_t slice) {
    struct lane *const lane = &p->to[slice];
    const uint32_t head = lane->from->head;
    if (head == NIL) { // all of it
        p->outbox[lane->last].next = p->free;
        p->free = lane->first;
        p->unseen[slice / 64] &= ~(UINT64_C(1) << slice % 64);
        return;
    }
    while (lane->first != head) {
        struct node *const n = &p->outbox[lane->first];
        const uint32_t next = n->next;
        n->next = p->free;
        p->free = lane->first;
        lane->first = next;
    }
}

// A place for a request to the slice. What that has taken is seen now, as credits have just been
// looked at there; of the other lanes only when there is no place left.
static uint32_t take_free(struct mem_port *p, uint32_t slice) {
    if (p->unseen[slice / 64] >> slice % 64 & 1) see_taken(p, slice);
    if (p->free == NIL) {
        if (p->fresh < MEM_PORT_OUTSTANDING) return p->fresh++;
        for (uint32_t w = 0; w < (p->system->slices + 63) / 64; w++)
            FOR_EACH_BIT64(k, p->unseen[w]) see_taken(p, w * 64 + (uint32_t)k);
        assert(p->free != NIL); // fewer are outstanding
    }
    const uint32_t at = p->free;
    p->free = p->outbox[at].next;
    return at;
}

// Puts a request at the end of its lane.
static void append(struct mem_port *p, uint32_t slice, uint32_t at) {
    struct lane *const lane = &p->to[slice];
    uint64_t *const unseen = &p->unseen[slice / 64], bit = UINT64_C(1) << slice % 64;
    if (*unseen & bit)
        p->outbox[lane->last].next = at;
    else
        lane->first = at;
    lane->last = at;
    *unseen |= bit;
    if (lane->from->head != NIL) return;
    lane->from->head = at;
    marks_row(&p->system->sent, slice)[p->sm] = 1;
}

// A request enters the network in a cycle, or when the link is free.
static uint64_t enter_network(struct mem_port *p, uint64_t now, uint32_t slice, uint32_t slot) {
    struct mem_system *const m = p->system;
    struct node *const r = &p->outbox[slot];
    const struct tick_clock *core = &m->clock.core, *net = &m->clock.net;
    uint64_t enter = clock_align(net, now * core->period);
    if (p->link_free > enter) {
        p->activity.c[ACT_net_stalls] += clock_floor(core, p->link_free - enter);
        enter = p->link_free;
    }
    p->link_free = enter + r->flits * net->period;
    const uint64_t cycle = clock_edge(core, enter);
    if (p->log) // net_route_requests says when it arrives
        p->log[p->log_tail++ & p->log_mask] =
            (struct mesh_log){.enter = enter, .slice = slice, .index = slot};
    r->cycle = p->log ? NEVER : cycle + m->c.net.request_latency;
    r->next = NIL;
    append(p, slice, slot);
    return cycle;
}

// ---- pages that are not known -------------------------------------------------------------------
static inline bool is_translated(uint8_t client) {
    return client == CLIENT_L1D || client == CLIENT_TEX;
}

// When the page of an access is known; NEVER: not said yet.
static inline uint64_t page_of(struct mem_port *p, uint64_t now, uint64_t addr) {
    struct tlb *const t = p->system->tlb;
    const uint32_t page = (uint32_t)(addr >> t->l1_shift);
    p->activity.c[ACT_tlb_reads]++;
    if (page == p->last_page && p->tlb->version == p->last_version) return now;
    const uint64_t ready = tlb_look_up(t, p->sm, addr, now, p->activity.c);
    if (ready == now) {
        p->last_page = page;
        p->last_version = p->tlb->version;
    }
    return ready;
}

static void append_to(struct mem_port *p, uint32_t *first, uint32_t *last, uint32_t slot) {
    p->outbox[slot].next = NIL;
    if (*first == NIL)
        *first = slot;
    else
        p->outbox[*last].next = slot;
    *last = slot;
}

// Puts a request where it waits until a cycle.
static void hold(struct mem_port *p, uint32_t slot, uint64_t ready) {
    struct node *const box = p->outbox;
    box[slot].cycle = ready;
    if (p->held == NIL || box[p->held_last].cycle <= ready) {
        append_to(p, &p->held, &p->held_last, slot);
        return;
    }
    uint32_t *at = &p->held;
    while (box[*at].cycle <= ready) at = &box[*at].next;
    box[slot].next = *at;
    *at = slot;
}

void port_page_known(struct mem_port *p, uint32_t page, uint64_t ready) {
    const uint32_t shift = p->system->tlb->l1_shift;
    uint32_t at = p->waiting;
    p->waiting = NIL;
    while (at != NIL) {
        struct node *const r = &p->outbox[at];
        const uint32_t next = r->next;
        if (r->addr >> shift == page) {
            p->activity.c[ACT_tlb_stalls] += ready - r->cycle;
            hold(p, at, ready);
        } else {
            append_to(p, &p->waiting, &p->waiting_last, at);
        }
        at = next;
    }
}

void mem_port_release(struct mem_port *p, uint64_t to) {
    while (p->held != NIL && p->outbox[p->held].cycle < to) {
        const uint32_t slot = p->held;
        struct node *const r = &p->outbox[slot];
        p->held = r->next;
        enter_network(p, r->cycle, slice_for(p, r), slot);
    }
}

// A request asks for its page. True: it waits; false: it goes in cycle `now`.
static bool must_wait(struct mem_port *p, uint64_t *now, uint32_t slot) {
    const uint64_t ready = page_of(p, *now, p->outbox[slot].addr);
    if (ready == NEVER) {
        p->outbox[slot].cycle = *now;
        append_to(p, &p->waiting, &p->waiting_last, slot);
        return true;
    }
    p->activity.c[ACT_tlb_stalls] += ready - *now;
    if (ready <= *now + p->system->c.tlb.l2_latency) { // the L2 TLB keeps order
        *now = ready;
        return false;
    }
    hold(p, slot, ready);
    return true;
}

uint64_t mem_port_send(struct mem_port *p, uint64_t now, struct mem_request r) {
    const struct mem_system *const m = p->system;
    const uint32_t home = look_up(p, r.addr);
    const uint64_t low = r.addr & ((UINT64_C(1) << m->map.block_shift) - 1);
    const uint32_t n = mem_port_flits(p, r.kind, r.bytes);
    const uint32_t at = slice_for(p, &(struct node){.addr = r.addr, .kind = r.kind, .client = r.client, .hint = r.hint & 7u});
    const uint32_t slot = take_free(p, at);
    p->outbox[slot] =
        (struct node){.addr = r.addr,
                      .local = (p->memo->local + low) | (at != home ? FAR_LINE : 0),
                      .touched = r.touched,
                      .words = r.words,
                      .next = NIL,
                      .wanting = r.wanting,
                      .bytes = (uint16_t)r.bytes,
                      .tag = r.tag,
                      .sm = (uint16_t)p->sm,
                      .partial = (uint8_t)r.byte_mask_sectors,
                      .kind = r.kind,
                      .client = r.client,
                      .lanes = r.lanes,
                      .hint = r.hint & 7u,
                      .rounds = r.rounds ? r.rounds : 1,
                      .flits = (uint8_t)n,
                      .reply_flits = (uint8_t)mem_port_reply_flits(p, r.kind, r.bytes)};
    p->to[at].sent += n;
    p->outstanding++;
    if (p->tlb != NULL) {
        mem_port_release(p, now + 1);
        if (is_translated(r.client) && must_wait(p, &now, slot)) return NEVER;
    }
    return enter_network(p, now, at, slot);
}

// Replies of other SMs are in a list of their own.
static bool remote_is_first(const struct mem_port *p) {
    const struct remote_port *const r = &p->remote;
    if (r->came_head == r->came_tail) return false;
    return p->reply_head == p->reply_tail ||
           r->came[r->came_head].cycle < p->reply[p->reply_head].cycle;
}
const struct mem_reply *mem_port_peek(const struct mem_port *p) {
    if (ww_unlikely(remote_is_first(p))) return &p->remote.came[p->remote.came_head];
    return p->reply_head == p->reply_tail ? NULL : &p->reply[p->reply_head];
}

void mem_port_pop(struct mem_port *p) {
    if (ww_unlikely(remote_is_first(p))) {
        p->remote.came_head++;
        p->remote.outstanding--;
        return;
    }
    p->reply_head++;
    p->outstanding--;
}

uint32_t mem_port_outstanding(const struct mem_port *p) {
    return p->outstanding + p->remote.outstanding;
}
struct activity *mem_port_activity(struct mem_port *p) {
    return &p->activity;
}

// Takes what reaches the SM before the end of the next quantum: by cycle, then slice.
static uint32_t gather(struct mem_port *p, uint64_t to) {
    struct mem_system *m = p->system;
    const uint64_t end = to + m->quantum;
    struct buckets *b = &p->bucket;
    uint8_t *const marks = marks_row(&m->replied, p->sm);
    uint32_t n = 0;
    for (uint32_t s = 0; (s = marks_next(marks, s, m->slices)) < m->slices; s++)
        __builtin_prefetch(&partition_of(m, s)->node[replies_of(m, p->sm, s)->head], 1);
    for (uint32_t s = 0; (s = marks_next(marks, s, m->slices)) < m->slices; s++) {
        struct node *const nodes = partition_of(m, s)->node;
        struct reply_list *const list = replies_of(m, p->sm, s);
        uint32_t at = list->head;
        for (; at != NIL && nodes[at].cycle < end; at = nodes[at].next) {
            const uint64_t c = nodes[at].cycle;
            const uint32_t slot = c > to ? (uint32_t)(c - to) : 0;
            p->merge[n] = (struct merge){.node = &nodes[at], .next = NIL};
            if (b->used[slot >> 6] >> (slot & 63) & 1)
                p->merge[b->tail[slot]].next = n;
            else
                b->head[slot] = n;
            b->used[slot >> 6] |= UINT64_C(1) << (slot & 63);
            b->tail[slot] = n++;
        }
        list->head = at;
        if (at == NIL) marks[s] = 0;
    }
    return n;
}

void mem_system_deliver(struct mem_system *m, uint32_t sm, uint64_t from, uint64_t to) {
    (void)from;
    struct mem_port *p = &m->port[sm];
    if (!p->outstanding || !gather(p, to)) return;
    // What is left moves to the front, where the host's cache has it.
    p->reply_tail -= p->reply_head;
    memmove(p->reply, p->reply + p->reply_head, p->reply_tail * sizeof *p->reply);
    p->reply_head = 0;
    const struct tick_clock *core = &m->clock.core, *net = &m->clock.net;
    for (uint32_t w = 0; w < (p->bucket.n + 63) / 64; w++) {
        FOR_EACH_BIT64(k, p->bucket.used[w]) {
            for (uint32_t i = p->bucket.head[w * 64 + k]; i != NIL; i = p->merge[i].next) {
                struct node *n = p->merge[i].node;
                uint64_t start = clock_align(net, n->cycle * core->period);
                if (p->eject_free > start) {
                    p->activity.c[ACT_net_stalls] += clock_floor(core, p->eject_free - start);
                    start = p->eject_free;
                }
                p->eject_free = start + n->reply_flits * net->period;
                const uint64_t cycle =
                    clock_edge(core, start + (n->reply_flits - 1u) * net->period);
                p->reply[p->reply_tail++] = (struct mem_reply){.cycle = cycle,
                                                               .addr = n->addr,
                                                               .bytes = n->bytes,
                                                               .tag = n->tag,
                                                               .kind = n->kind,
                                                               .client = n->client,
                                                               .dram_bytes = n->dram_bytes};
                n->taken = 1;
            }
        }
        p->bucket.used[w] = 0;
    }
}
