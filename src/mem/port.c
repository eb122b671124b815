// An SM's connection to the network: credits, the injection link, and the merging of replies.
//
// Requests lie in one ring for each slice. The SM owns tail and `sent`, the slice owns head and
// `taken`; the two run in different phases, so each may read the other's. A ring holds as many
// packets as there are credits, and the reply list as many replies as requests may be outstanding,
// so nothing is ever dropped.
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

bool port_create(struct mem_port *p, struct mem_system *m, uint32_t sm) {
    const uint32_t ring = m->ring_mask + 1;
    p->system = m;
    p->sm = sm;
    p->to = ww_alloc_aligned(m->slices * sizeof *p->to);
    p->memo = ww_alloc_aligned(sizeof *p->memo);
    p->reply = ww_alloc_aligned(MEM_PORT_OUTSTANDING * sizeof *p->reply);
    p->merge = ww_alloc_aligned(MEM_PORT_OUTSTANDING * sizeof *p->merge);
    struct node *rings = ww_alloc_aligned((size_t)m->slices * ring * sizeof *rings);
    if (p->to) p->to[0].at = rings; // so that port_destroy finds it
    if (!p->to || !p->memo || !p->reply || !p->merge || !rings) {
        if (!p->to) ww_free_aligned(rings);
        return false;
    }
    for (uint32_t s = 0; s < m->slices; s++) p->to[s].at = rings + (size_t)s * ring;
    *p->memo = (struct port_memo){.block = NEVER};
    if (m->c.net.kind == NET_MESH) {
        uint32_t n = ring;
        while (n < m->slices * ring) n *= 2;
        p->log_mask = n - 1;
        p->log = ww_alloc_aligned(n * sizeof *p->log);
        if (!p->log) return false;
    }
    return buckets_create(&p->bucket, m->quantum);
}

void port_destroy(struct mem_port *p) {
    if (p->to) ww_free_aligned(p->to[0].at);
    ww_free_aligned(p->to);
    ww_free_aligned(p->memo);
    ww_free_aligned(p->reply);
    ww_free_aligned(p->merge);
    ww_free_aligned(p->log);
    buckets_destroy(&p->bucket);
}

void port_reset(struct mem_port *p) {
    p->link_free = p->eject_free = 0;
    p->outstanding = p->reply_head = p->reply_tail = p->log_head = p->log_tail = 0;
    for (uint32_t s = 0; s < p->system->slices; s++) p->to[s].from->tail = p->to[s].sent = 0;
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

bool mem_port_can_send(const struct mem_port *p, uint64_t addr, uint32_t n) {
    const struct mem_system *m = p->system;
    const struct request_ring *ring = &p->to[look_up(p, addr)];
    return ring->sent - ring->from->taken + n <= m->c.net.input_queue_flits &&
           p->outstanding < MEM_PORT_OUTSTANDING;
}

bool mem_port_can_send_two(const struct mem_port *p, uint64_t addr, uint32_t n) {
    return mem_port_can_send(p, addr, 2 * n) && p->outstanding + 1 < MEM_PORT_OUTSTANDING;
}

uint64_t mem_port_send(struct mem_port *p, uint64_t now, struct mem_request r) {
    struct mem_system *m = p->system;
    const uint32_t at = look_up(p, r.addr);
    const uint64_t low = r.addr & ((UINT64_C(1) << m->map.block_shift) - 1);
    struct request_ring *ring = &p->to[at];
    const uint32_t n = mem_port_flits(p, r.kind, r.bytes);
    const struct tick_clock *core = &m->clock.core, *net = &m->clock.net;
    uint64_t enter = clock_align(net, now * core->period);
    if (p->link_free > enter) {
        p->activity.c[ACT_net_stalls] += clock_floor(core, p->link_free - enter);
        enter = p->link_free;
    }
    p->link_free = enter + n * net->period;
    const uint64_t cycle = clock_edge(core, enter);
    if (ring->from->head == ring->from->tail) ring->from->head = ring->from->tail = 0;
    const uint32_t slot = ring->from->tail++ & m->ring_mask;
    if (p->log) // net_route_requests says when it arrives
        p->log[p->log_tail++ & p->log_mask] =
            (struct mesh_log){.enter = enter, .slice = at, .index = slot};
    ring->at[slot] =
        (struct node){.cycle = p->log ? NEVER : cycle + m->c.net.request_latency,
                      .addr = r.addr,
                      .local = p->memo->local + low,
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
                      .rounds = r.rounds ? r.rounds : 1,
                      .flits = (uint8_t)n,
                      .reply_flits = (uint8_t)mem_port_reply_flits(p, r.kind, r.bytes)};
    ring->sent += n;
    p->outstanding++;
    return cycle;
}

const struct mem_reply *mem_port_peek(const struct mem_port *p) {
    return p->reply_head == p->reply_tail ? NULL : &p->reply[p->reply_head];
}

void mem_port_pop(struct mem_port *p) {
    p->reply_head++;
    p->outstanding--;
}

uint32_t mem_port_outstanding(const struct mem_port *p) { return p->outstanding; }
struct activity *mem_port_activity(struct mem_port *p) {
    return &p->activity;
}

// Takes what reaches the SM before the end of the next quantum: by cycle, then slice.
static uint32_t gather(struct mem_port *p, uint64_t to) {
    struct mem_system *m = p->system;
    const uint64_t end = to + m->quantum;
    struct buckets *b = &p->bucket;
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->c.partitions; i++) {
        struct partition *part = &m->partition[i];
        for (uint32_t k = 0; k < m->map.slices; k++) {
            struct slice *s = &part->slice[k];
            uint32_t at = s->reply_head[p->sm];
            if (at == NIL || part->node[at].cycle >= end) continue;
            do {
                struct node *node = &part->node[at];
                const uint64_t c = node->cycle;
                const uint32_t slot = c > to ? (uint32_t)(c - to) : 0;
                p->merge[n] = (struct merge){.node = node, .next = NIL};
                if (b->used[slot >> 6] >> (slot & 63) & 1)
                    p->merge[b->tail[slot]].next = n;
                else
                    b->head[slot] = n;
                b->used[slot >> 6] |= UINT64_C(1) << (slot & 63);
                b->tail[slot] = n++;
                at = node->next;
            } while (at != NIL && part->node[at].cycle < end);
            s->reply_head[p->sm] = at;
        }
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
