// The mesh: routes and links. (The crossbar needs no state beyond its ports; see port.c, l2.c.)
//
// Routers stand in rows of mesh_width; each holds one node, an SM or an L2 slice, slices spread
// evenly among the SMs. Packets go along x first, then y (dimension order, deadlock-free). A link
// moves one flit a network clock; a packet holds each link of its way for its flits, one after the
// other, and its head moves on hop_latency core cycles after the link was free (virtual cut-through
// with buffers large enough never to hold an upstream link). Requests and replies have links of
// their own. A hop is a link; the router at the end of the way counts as one more traversal.
//
// Links are shared by all SMs and slices, so routing is the serial step of a quantum: requests in
// order of (cycle of injection, SM), replies in order of (cycle of departure, slice). Nothing
// reaches its end in the quantum in which it was sent, since both base latencies are at least one.
#include "mem/system.h"

enum { EAST, WEST, SOUTH, NORTH, DIRECTIONS };

bool net_mesh_create(struct mem_system *m) {
    struct net_mesh *n = &m->mesh;
    n->nodes = m->sms + m->slices;
    n->width = m->c.net.mesh_width;
    n->height = (n->nodes + n->width - 1) / n->width;
    const size_t links = (size_t)n->width * n->height * DIRECTIONS;
    n->router_of = ww_alloc_aligned(n->nodes * sizeof *n->router_of);
    n->free_at[0] = ww_alloc_aligned(links * sizeof(uint64_t));
    n->free_at[1] = ww_alloc_aligned(links * sizeof(uint64_t));
    if (!n->router_of || !n->free_at[0] || !n->free_at[1]) return false;
    // Slice k stands in the middle of the k-th of `slices` equal parts of the row-major order.
    uint32_t sm = 0, slice = 0;
    for (uint32_t r = 0; r < n->nodes; r++) {
        const uint32_t at = (2 * slice + 1) * n->nodes / (2 * m->slices);
        if (slice < m->slices && r >= at)
            n->router_of[m->sms + slice++] = r;
        else if (sm < m->sms)
            n->router_of[sm++] = r;
        else
            n->router_of[m->sms + slice++] = r;
    }
    return true;
}

void net_mesh_destroy(struct net_mesh *n) {
    ww_free_aligned(n->router_of);
    ww_free_aligned(n->free_at[0]);
    ww_free_aligned(n->free_at[1]);
}

void net_mesh_reset(struct net_mesh *n) {
    if (!n->router_of) return;
    const size_t links = (size_t)n->width * n->height * DIRECTIONS;
    memset(n->free_at[0], 0, links * sizeof(uint64_t));
    memset(n->free_at[1], 0, links * sizeof(uint64_t));
}

// Sends a packet's head from router to router; answers when it is there.
static uint64_t route(struct mem_system *m, uint32_t net, uint32_t from, uint32_t to,
                      uint32_t flits, uint64_t tick, struct activity *act) {
    struct net_mesh *n = &m->mesh;
    const uint64_t hop = m->c.net.hop_latency * m->clock.core.period;
    const uint64_t hold = flits * m->clock.net.period;
    uint64_t waited = 0;
    uint32_t hops = 0;
    while (from != to) {
        const uint32_t x = from % n->width, goal_x = to % n->width;
        const uint32_t direction = x < goal_x   ? EAST
                                   : x > goal_x ? WEST
                                   : from < to  ? SOUTH
                                                : NORTH;
        uint64_t *free_at = &n->free_at[net][from * DIRECTIONS + direction];
        if (*free_at > tick) {
            waited += *free_at - tick;
            tick = *free_at;
        }
        *free_at = tick + hold;
        tick += hop;
        hops++;
        from = direction == EAST    ? from + 1
               : direction == WEST  ? from - 1
               : direction == SOUTH ? from + n->width
                                    : from - n->width;
    }
    act->c[ACT_net_hops] += (uint64_t)(hops + 1) * flits;
    act->c[ACT_net_stalls] += clock_floor(&m->clock.core, waited);
    return tick;
}

void net_route_requests(struct mem_system *m, uint64_t to) {
    const uint64_t end = to * m->clock.core.period;
    for (;;) {
        uint64_t best = end;
        uint32_t sm = NIL;
        for (uint32_t i = 0; i < m->sms; i++) {
            const struct mem_port *p = &m->port[i];
            if (p->log_head == p->log_tail) continue;
            const uint64_t t = p->log[p->log_head & p->log_mask].enter;
            if (t < best) {
                best = t;
                sm = i;
            }
        }
        if (sm == NIL) return;
        struct mem_port *p = &m->port[sm];
        const struct mesh_log *l = &p->log[p->log_head++ & p->log_mask];
        struct node *r = &p->outbox[l->index];
        struct partition *part = &m->partition[l->slice / m->map.slices];
        const uint64_t there =
            route(m, 0, m->mesh.router_of[sm], m->mesh.router_of[m->sms + l->slice], r->flits, best,
                  &part->act);
        r->cycle = clock_edge(&m->clock.core, there) + m->c.net.request_latency;
    }
}

void net_route_replies(struct mem_system *m, uint64_t to) {
    const uint64_t end = to * m->clock.core.period;
    for (;;) {
        uint64_t best = end;
        uint32_t at = NIL;
        for (uint32_t i = 0; i < m->slices; i++) {
            const struct partition *p = &m->partition[i / m->map.slices];
            struct slice *s = &p->slice[i % m->map.slices];
            if (s->sent.routed == s->sent.n) continue;
            const uint64_t depart = p->node[*slice_sent(s, s->sent.routed)].depart;
            if (depart < best) {
                best = depart;
                at = i;
            }
        }
        if (at == NIL) return;
        struct partition *p = &m->partition[at / m->map.slices];
        struct slice *s = &p->slice[at % m->map.slices];
        struct node *n = &p->node[*slice_sent(s, s->sent.routed++)];
        const uint64_t there = route(m, 1, m->mesh.router_of[m->sms + at], m->mesh.router_of[n->sm],
                                     n->reply_flits, best, &p->act);
        n->cycle = clock_edge(&m->clock.core, there) + m->c.net.reply_latency;
    }
}
