// The network between SMs, over which blocks of a cluster reach each other's shared memory.
//
// A packet leaves its SM by an output port, enters the other SM by an input port, and passes that SM's
// banks; an answer with data goes the same way back. Ports move net.sm_port_bytes a cycle and a packet
// has a header. Unloaded, all of it takes net.sm_latency, and more for SMs that lie far away: latencies
// measured between all pairs of SMs of a GPC are sums of a number for each SM (181 to 213 cycles on an
// H800, HPMLL/NVIDIA-Hopper-Benchmark, DSM/Latency), so that packets seem to meet at one place.
//
// All packets of a quantum go in the serial step, in order of (cycle, SM). A packet waits for what was
// sent before it: it takes its place in the ports of its way at once, and an answer adds to the time for
// which its ports are taken, but does not hold up packets that leave before it is there. Answers are
// never lost and reach their SM in a later quantum.
//
// Left out: what the banks of an SM serve for others does not hold up its own accesses.
#include "mem/system.h"

enum { OUTSTANDING = 1024, TICKS = 1024 }; // of an SM: answers to come; of a core cycle

bool remote_create(struct mem_system *m) {
    struct net_remote *const n = &m->remote;
    n->ticks_a_byte = TICKS / m->c.net.sm_port_bytes;
    return buckets_create(&n->bucket, m->quantum);
}
static bool make_room(struct remote_port *p) {
    if (p->sent) return true;
    p->sent = ww_alloc_aligned(OUTSTANDING * sizeof *p->sent);
    p->came = ww_alloc_aligned(OUTSTANDING * sizeof *p->came);
    return p->sent && p->came;
}
void remote_destroy(struct mem_system *m) {
    buckets_destroy(&m->remote.bucket);
    for (uint32_t i = 0; m->port && i < m->sms; i++) {
        ww_free_aligned(m->port[i].remote.sent);
        ww_free_aligned(m->port[i].remote.came);
    }
}
void remote_reset(struct mem_port *p) {
    struct remote_port *const r = &p->remote;
    r->n_sent = r->came_head = r->came_tail = r->outstanding = 0;
    r->out_free = r->in_free = r->banks_free = 0;
}
void mem_system_place_sm(struct mem_system *m, uint32_t sm, uint32_t cycles) {
    m->port[sm].remote.far = cycles;
}

bool mem_port_can_reach(const struct mem_port *p) { return p->remote.outstanding < OUTSTANDING; }
void mem_port_reach(struct mem_port *p, uint64_t now, const struct mem_remote *r) {
    struct remote_port *const from = &p->remote;
    if (!make_room(from)) {
        p->system->is_out_of_memory = true;
        return;
    }
    from->sent[from->n_sent++] = (struct remote_sent){.cycle = now, .what = *r, .next = NIL};
    from->outstanding++;
}

// ---- the serial step ------------------------------------------------------------------------------
static uint64_t max_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

// A packet takes its turn at a port, from `ready` on; answers when.
static uint64_t pass(uint64_t *free, uint64_t ready, uint64_t hold) {
    const uint64_t at = max_of(*free, ready);
    *free = at + hold;
    return at;
}
// The same of an answer, which is not there yet: the port is taken for longer.
static uint64_t pass_later(uint64_t *free, uint64_t sent, uint64_t ready, uint64_t hold) {
    const uint64_t at = max_of(*free, ready);
    *free = max_of(*free, sent) + hold;
    return at;
}

static void put_reply(struct remote_port *p, struct mem_reply r) {
    if (p->came_tail == OUTSTANDING) {
        memmove(p->came, p->came + p->came_head, (p->came_tail - p->came_head) * sizeof *p->came);
        p->came_tail -= p->came_head;
        p->came_head = 0;
    }
    uint32_t at = p->came_tail++;
    for (; at > p->came_head && p->came[at - 1].cycle > r.cycle; at--)
        p->came[at] = p->came[at - 1];
    p->came[at] = r;
}

static void carry(struct mem_system *m, struct mem_port *port, const struct remote_sent *s,
                  uint64_t to) {
    enum { FLIT = 32 };
    const struct net_config *const c = &m->c.net;
    const struct mem_remote *const w = &s->what;
    struct remote_port *const a = &port->remote, *const b = &m->port[w->sm].remote;
    const uint32_t there = w->there + (w->asks ? c->sm_request_bytes : 0) + c->sm_header_bytes,
                   back = w->back ? w->back + c->sm_header_bytes : 0;
    const uint64_t hold = (uint64_t)(there * m->remote.ticks_a_byte),
                   hold_back = (uint64_t)(back * m->remote.ticks_a_byte);
    const uint64_t sent = s->cycle * TICKS;
    uint64_t at = pass(&a->out_free, sent, hold);
    at = pass(&b->in_free, at, hold);
    at = pass(&b->banks_free, at, (uint64_t)w->passes * TICKS);
    if (back) {
        at = pass_later(&b->out_free, sent, at, hold_back);
        at = pass_later(&a->in_free, sent, at, hold_back);
    }
    const uint64_t waited = at - sent, tail = back ? hold_back : hold;
    const uint64_t cycle =
        s->cycle + c->sm_latency + a->far + b->far + (waited + tail + TICKS - 1) / TICKS;
    uint64_t *const n = port->activity.c;
    n[ACT_net_sm_packets] += back != 0 ? 2 : 1;
    n[ACT_net_sm_flits] += (there + FLIT - 1) / FLIT + (back + FLIT - 1) / FLIT;
    n[ACT_net_sm_stalls] += waited / TICKS;
    put_reply(a, (struct mem_reply){.cycle = max_of(cycle, to),
                                    .bytes = w->back,
                                    .tag = w->tag,
                                    .kind = MEM_READ,
                                    .client = CLIENT_L1D});
}

void mem_system_run_remote(struct mem_system *m, uint64_t from, uint64_t to) {
    struct buckets *const b = &m->remote.bucket;
    for (uint32_t i = 0; i < m->sms; i++) {
        struct remote_port *const p = &m->port[i].remote;
        for (uint32_t k = 0; k < p->n_sent; k++) {
            const uint32_t slot = (uint32_t)(p->sent[k].cycle - from);
            const uint32_t number = i * OUTSTANDING + k;
            if (b->used[slot / 64] >> slot % 64 & 1) {
                const uint32_t tail = b->tail[slot];
                m->port[tail / OUTSTANDING].remote.sent[tail % OUTSTANDING].next = number;
            } else {
                b->head[slot] = number;
            }
            b->used[slot / 64] |= UINT64_C(1) << slot % 64;
            b->tail[slot] = number;
        }
    }
    for (uint32_t w = 0; w < (b->n + 63) / 64; w++) {
        FOR_EACH_BIT64(k, b->used[w]) {
            for (uint32_t i = b->head[w * 64 + k]; i != NIL;) {
                struct mem_port *const port = &m->port[i / OUTSTANDING];
                const struct remote_sent *const s = &port->remote.sent[i % OUTSTANDING];
                i = s->next;
                carry(m, port, s, to);
            }
        }
        b->used[w] = 0;
    }
    for (uint32_t i = 0; i < m->sms; i++) m->port[i].remote.n_sent = 0;
}
