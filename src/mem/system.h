// The inside of the memory system: what ports, slices, channels and partitions hold. Time is kept
// in ticks, a unit so small that each clock's period is a whole number of them; DRAM channels count
// in command clocks. Ownership by phase keeps threads apart without locks:
//
//   an SM (SM phase, delivery)   its mem_port, and the `head` of reply lists addressed to it
//   a partition (memory phase)   everything else of itself, and what its slices take from SMs
//
// An SM that sends a slice its first request puts it at the head of what the slice is to take, and
// a slice that answers an SM which has no reply of it puts that at the head of what the SM is to
// take.
//
// Requests become nodes when a partition takes them from an SM's outbox and stay nodes, moving from
// list to list, until their reply has been delivered.
//
// Of the pairs of SM and slice most have nothing for each other in a quantum. Those that have are
// marked, a byte a pair, beside each other for the side that looks: bytes, since many threads
// write.
#ifndef WW_MEM_SYSTEM_H
#define WW_MEM_SYSTEM_H

#include <assert.h>

#include "activity/mem.h"
#include "mem/cache.h"
#include "base/fastdiv.h"
#include "mem/mem.h"
#include "mem/tlb.h"

#define NIL   UINT32_MAX
#define NEVER UINT64_MAX

// ---- clocks ---------------------------------------------------------------------------------
struct tick_clock {
    uint64_t period; // ticks
    struct fastdiv div;
};
// First edge of the clock at or after a tick, as a count of periods and as a tick.
static inline uint64_t clock_edge(const struct tick_clock *c, uint64_t tick) {
    return fastdiv_ceil(&c->div, tick);
}
static inline uint64_t clock_align(const struct tick_clock *c, uint64_t tick) {
    return fastdiv_ceil(&c->div, tick) * c->period;
}
static inline uint64_t clock_floor(const struct tick_clock *c, uint64_t tick) {
    return fastdiv_quotient(&c->div, tick);
}
struct mem_clocks {
    struct tick_clock core, net, l2, dram;
};

// ---- addresses ------------------------------------------------------------------------------
struct mem_map {
    uint32_t block_shift; // log2 of interleave_bytes
    uint32_t slices, channels;
    uint32_t slices_a_channel, channels_a_slice; // one of them is 1
    bool hash, channel_xor;
    struct fastdiv partitions, by_slices, by_channels_a_slice;
};
struct mem_place {
    uint32_t partition, slice; // slice within the partition
    uint64_t local;            // byte address within the slice: no holes
};
struct mem_place map_place(const struct mem_map *m, uint64_t addr);
// Channel of the partition and byte address within it, from a slice's own address.
uint64_t map_channel(const struct mem_map *m, uint32_t slice, uint64_t local, uint32_t *channel);

// ---- sorting by cycle -----------------------------------------------------------------------
// Lists by cycle of a quantum, for merging streams that are sorted already: appending in the order
// of the streams, then walking the cycles, yields (cycle, stream).
struct buckets {
    uint32_t *head, *tail;
    uint64_t *used; // bit a bucket
    uint32_t n;
};
bool buckets_create(struct buckets *b, uint32_t n);
void buckets_destroy(struct buckets *b);

// ---- ports and the network ------------------------------------------------------------------
// One line of the host's cache: everything that a request's way through a partition needs.
struct node {
    uint64_t cycle; // of its arrival; then of being ready (tick); then of its reply at the SM
    uint64_t addr;
    uint64_t local; // address within the slice
    union {
        uint64_t touched; // until its reply is sent: what the request says
        uint64_t depart;  // from then on: tick
    };
    uint32_t words, next;
    uint32_t wanting; // bit a lane
    uint16_t bytes, tag, sm;
    uint16_t piece;  // bytes taken so far
    uint8_t partial; // sectors of the 128-byte line partly written
    uint8_t kind, client, lanes;
    uint8_t flits, reply_flits;
    uint8_t rounds;      // of an atomic
    uint8_t waiting;     // pieces on their way
    uint8_t all_in : 1;  // every piece has been taken by the slice
    uint8_t hint : 3;    // enum mem_hint
    uint8_t taken;       // its reply has been delivered (the SM's to set)
    uint16_t dram_bytes; // that were read from DRAM for it, before any other wanted them
};
static_assert(sizeof(struct node) == 64, "a node is a line of the host's cache");

// The SM of a node that one half of L2 sends the other (halves.c).
enum { FAR_SM = UINT16_MAX };
static inline bool is_from_half(const struct node *n) { return n->sm == FAR_SM; }

// Pairs that have something for each other: a byte a pair, a row for each of those that look.
struct marks {
    uint8_t *at;
    uint32_t stride; // bytes a row: whole lines of the host's cache
};
bool marks_create(struct marks *k, uint32_t rows, uint32_t columns);
static inline uint8_t *marks_row(const struct marks *k, uint32_t row) {
    return k->at + (size_t)row * k->stride;
}
// The first marked of columns [from, n); n: none.
static inline uint32_t marks_next(const uint8_t *row, uint32_t from, uint32_t n) {
    const uint8_t *const at = from < n ? memchr(row + from, 1, n - from) : NULL;
    return at ? (uint32_t)(at - row) : n;
}

// Requests of one SM to one slice, in order, linked through the SM's outbox: the slice takes at
// intake.head, and what it has taken is free again when the SM has seen it.
struct lane {
    uint32_t sent;        // flits
    uint32_t first, last; // [first, last]: sent and not free yet, if the SM's `unseen` says so
    struct intake *from;  // what the slice has taken
};
// An SM's connection to other SMs (remote.c). Times in ticks of a 1024th of a core cycle.
struct remote_port {
    struct remote_sent {
        uint64_t cycle;
        struct mem_remote what;
        uint32_t next; // of the same cycle
    } * sent;        // in this quantum
    struct mem_reply *came; // by cycle: [came_head, came_tail)
    uint32_t n_sent, came_head, came_tail, outstanding;
    uint64_t out_free, in_free, banks_free;
    uint32_t far; // cycles
};
bool remote_create(struct mem_system *m);
void remote_destroy(struct mem_system *m);
void remote_reset(struct mem_port *p);

struct mem_port {
    struct mem_system *system;
    uint32_t sm;
    uint64_t link_free;  // tick at which the injection link is free
    uint64_t eject_free; // tick at which the ejection port is free
    uint32_t outstanding;
    // Requests whose page is not known: from a cycle on, in its order; and with a cycle to come.
    uint32_t held, held_last, waiting, waiting_last;
    uint32_t last_page, last_version; // of the last access, and its L1 TLB's version
    uint8_t half;                     // of L2, beside which the SM lies
    struct tlb_array *tlb;            // NULL: there are none
    struct lane *to;      // [slice of all]
    uint64_t *unseen;     // bit a slice: the lane has requests that are not free yet
    struct node *outbox;  // requests that slices have not taken, and free ones
    uint32_t free, fresh; // fresh: from here on they were never in the free list
    struct port_memo {
        uint64_t block; // of the last address looked up
        uint64_t local; // where it starts in its slice
        uint32_t slice; // of all
    } * memo;
    struct mem_reply *reply; // delivered, by cycle: [reply_head, reply_tail)
    uint32_t reply_head, reply_tail;
    struct merge {
        struct node *node;
        uint32_t next;
    } * merge;             // replies of one delivery
    struct buckets bucket; // of `merge`, by cycle
    // NET_MESH: what was pushed and is not routed yet, in order.
    struct mesh_log {
        uint64_t enter;
        uint32_t slice, index;
    } * log;
    uint32_t log_head, log_tail, log_mask;
    struct remote_port remote;
    struct activity activity;
};
// A port accepts no more than this many requests that are not answered yet. Not a model of
// anything: only room for its replies, beyond what an SM's own tables can have outstanding.
enum { MEM_PORT_OUTSTANDING = 2048 };

struct net_mesh {
    uint32_t width, height, nodes;
    uint32_t *router_of;  // [SMs, then slices]
    uint64_t *free_at[2]; // [router * 4 + direction]: requests, replies
};
// What serial steps of remote.c work with.
struct net_remote {
    struct buckets bucket; // of what was sent, by cycle
    double ticks_a_byte;
};
void net_route_requests(struct mem_system *m, uint64_t to);
void net_route_replies(struct mem_system *m, uint64_t to);
bool net_mesh_create(struct mem_system *m);
void net_mesh_destroy(struct net_mesh *n);
void net_mesh_reset(struct net_mesh *n);
uint32_t net_flits(const struct net_config *c, bool data, uint32_t bytes);

// ---- DRAM -----------------------------------------------------------------------------------
enum { DIR_READ, DIR_WRITE };
struct dram_done {       // what a read was for
    uint64_t tick;       // of its data; before that the clock at which the scheduler sees it
    uint64_t line;       // L2: line number; else node
    uint32_t node, mshr; // a node that waits for it (a hint), and its miss register
    uint8_t sectors, slice;
    uint8_t client; // of the request that asked for it
    bool bypass;
};
struct dram_entry {
    _Alignas(64) struct dram_done what;
    uint64_t seq; // age, over the channel
    uint32_t row, next, prev;
    uint8_t bank, bursts;
};
static_assert(sizeof(struct dram_entry) == 64, "an entry is a line of the host's cache");
enum { DRAM_BANKS = 32, DRAM_NO_GROUP = 4 }; // banks: at most
struct dram_bank {
    _Alignas(64) uint64_t act_ok, col_ok, pre_ok; // earliest clock of each command
    struct dram_list {
        uint32_t hit;        // oldest entry for the open row
        uint32_t head, tail; // entries in order of age
    } list[2];
    uint32_t row;
    uint16_t streak; // hits that passed an older request
    bool fresh;      // activated, no burst yet
};
// Derived and checked configuration, in clocks.
struct dram_shape {
    bool one_late; // of at most four bank groups none but the last used can delay a column
    uint32_t banks, groups, group_mask, bank_shift, chunk_shift, chunks_a_row_shift;
    uint32_t burst_bytes, burst_shift, burst_clocks;
    uint32_t window[2], limit[2]; // entries that the scheduler sees; with the pipeline before it
    uint32_t write_high, write_low, starve;
    uint32_t controller_clocks;
    uint32_t latency[2]; // cl, wl
    // From a column of a direction to the next of a direction: tCCD_S, bursts that follow each
    // other on the data bus, and the bus's turns (tRTW, tWTR). And to a precharge (tRTP, tWR).
    uint32_t column_gap[2][2], precharge_gap[2];
    bool bank_hash, open_page;
    uint32_t rcd, rp, ras, rc, rrd, faw, ccd_s, ccd_l, rtp, wr, wtr, rtw, refi, rfc, rfc_one;
    uint32_t entries, done_cap, left_cap;
    uint64_t period; // of the command clock, ticks
};
struct dram_channel {
    const struct dram_shape *s;
    struct activity *act;
    struct dram_bank *bank;
    struct dram_entry *entry;
    uint64_t next;      // clock of its next action
    uint64_t cmd_ok;    // next free slot of the command bus
    uint64_t col_ok[2]; // a column of a direction, for the sake of the last one and the data bus
    uint64_t col_l[8], act_rrd, faw[4];
    uint32_t last_group;
    uint64_t refresh_due;
    uint32_t refresh_bank; // with rfc_one: the next
    uint64_t picked_at;      // the choice that stands, if picked
    uint64_t seq, rank_base; // age of the next request; age of rank 0
    // What decisions look at, bank beside bank, four to a vector. A rank is an age with the bank
    // below; clocks count from the epoch.
    uint64_t epoch;
    struct dram_lanes {
        _Alignas(64) int32_t hit_rank[2][DRAM_BANKS]; // of the oldest request for the open row, if
                                                      // there is one and tRCD is over; else most
        int32_t head_rank[2][DRAM_BANKS];             // of the oldest request
        int32_t row_at[DRAM_BANKS]; // when the bank allows its next row command: ACT or PRE
        int32_t closed[DRAM_BANKS]; // -1: that is an ACT; else 0
        // The least of hit_rank in all groups but one, and in all (DRAM_NO_GROUP).
        int32_t least_but[2][8];
    } * lane;
    uint32_t least_known; // bit a direction
    uint64_t rows_at;     // while rows_known: clock at which a row command of this mode is possible
    bool rows_known;
    uint32_t picked_bank;
    bool picked, picked_column;
    uint8_t mode;
    bool draining;
    uint32_t faw_at;
    uint32_t open, hit[2], pend[2]; // bit a bank
    uint32_t opening;               // of the open banks, those whose tRCD was not over
    uint64_t opening_from;          // no tRCD is over before that
    uint32_t count[2];              // entries that the scheduler sees
    uint64_t pipe_next[2];          // when the first entry before those is to be seen
    uint64_t insert_at;             // the earlier of them, of directions with room
    uint32_t pipe_head[2], pipe_tail[2];
    uint32_t free, fresh; // entries given back, a list; the first that was never used
    // Reads that are done, and departures from the queue: rings that slices consume. The channel
    // runs ahead of the slices, so they count what is queued at their own time.
    struct dram_done *done;
    struct dram_left {
        uint64_t tick;
        uint32_t dir;
    } * left;
    uint32_t done_head, done_tail, left_head, left_tail;
    uint32_t queued[2];                 // as the slices see it
    uint32_t claimed;                   // the next departure that no waiting slice counts on
    uint32_t columns[2], fresh_columns; // bursts since the last accounting
    // accounting of time
    uint64_t accounted, open_from, close_at;
};
bool dram_create(struct dram_channel *c, const struct dram_shape *s, struct activity *act);
void dram_destroy(struct dram_channel *c);
void dram_reset(struct dram_channel *c, uint64_t clock);
// Brings `queued` up to a tick.
static inline void dram_settle(struct dram_channel *c, uint64_t tick) {
    while (c->left_head != c->left_tail) {
        const struct dram_left *l = &c->left[c->left_head & (c->s->left_cap - 1)];
        if (l->tick > tick) break;
        c->queued[l->dir]--;
        c->left_head++;
    }
}
// Room for one more request of a direction, at the tick of the last settling.
static inline bool dram_room(const struct dram_channel *c, uint32_t dir) {
    return c->queued[dir] < c->s->limit[dir];
}
// A request enters the controller at a clock; `bursts` of one row.
void dram_push(struct dram_channel *c, uint64_t clock, uint32_t dir, uint64_t addr, uint32_t bursts,
               struct dram_done what);
// Acts until its next action is at or after tick `limit`, or could be changed by what slices do
// when they hear of a read that is done or, if one of them waits for room, of a departure.
void dram_run(struct dram_channel *c, const struct tick_clock *clock, uint64_t limit,
              bool slice_waits);
// Counts elapsed time up to a clock, the bursts until now, and the refreshes of an idle channel.
void dram_account(struct dram_channel *c, uint64_t clock);

// ---- L2 slices and partitions ---------------------------------------------------------------
enum slice_block { BLOCK_NONE, BLOCK_MSHR, BLOCK_DRAM };
struct slice {
    // input
    uint32_t head, tail; // arrived requests, in order
    uint64_t in_free;    // tick at which the network's port is free
    uint64_t next;       // tick at which the head is served; NEVER: none, or blocked
    uint64_t ready;      // tick at which the head could have been served
    uint64_t port_tick;  // last tick at which the tag port was used, and how often
    uint32_t port_used;
    uint64_t blocked_at;
    uint8_t block;
    uint8_t wants;    // BLOCK_DRAM: bit a direction without room
    bool absent;      // blocked by a line that is neither here nor on its way: a new try needs no
                      // look at the tags
    uint32_t channel; // if all lines of the slice are in one channel; else NIL
    uint32_t offset;  // of its blocks among those of that channel
    // output
    uint32_t run; // flits of replies since its port rested (net.reply_run)
    uint64_t out_free;
    uint64_t late; // tick before which the head's reply cannot be ready (listeners); 0: none
    // Replies sent, in order; freed when delivered. A ring of their nodes that grows only when more are on
    // their way than ever before: known ahead, they can be prefetched.
    struct sent {
        uint32_t *node;
        uint32_t first, n;
        uint32_t places; // of the ring now, a power of two; it has room for all nodes
        uint32_t routed; // NET_MESH: how many of them
    } sent;
    // atomic unit
    uint64_t atomic_free;
    uint32_t atomic_head, atomic_tail; // replies that are not ready yet
    // tags
    struct cache *tags;
    uint64_t *words; // [line]: 4-byte words that are known, for sectors that are not wholly so
    struct mshr *mshr;
    // Two halves: of lines of the other half, and what that has answered and is on its way, by tick.
    struct mshr *far;
    uint32_t back_head, back_tail;
    uint64_t lapse_tick; // when the next lines may lapse; NEVER: no listener lets any
    struct intake {
        uint32_t head;  // in the SM's outbox: the next request to take, or NIL
        uint32_t taken; // flits that left the input queue
    } * from;           // [SM]
};
struct partition {
    bool is_broken; // data came from DRAM for which no register waits
    struct mem_system *m;
    uint32_t index;
    struct node *node;
    uint32_t nodes, free;
    uint32_t fresh;        // nodes from here on were never in the free list
    uint32_t waiters[256]; // what a fill releases
    struct slice *slice; // and behind them, with two halves, a door of each (halves.c)
    uint32_t doors;      // of slices and doors together: where they end
    uint32_t far_first;  // nodes from here on go between halves
    uint32_t far_free;
    struct dram_channel *channel;
    uint32_t last_served; // slice
    struct buckets bucket;
    struct activity act;
};

struct mem_system {
    struct mem_config c;
    struct mem_clocks clock;
    struct mem_map map;
    struct dram_shape dram;
    uint32_t sms, slices, quantum;
    uint32_t line_bytes, line_shift, sector_shift; // of L2; without L2: 128 and 32
    uint32_t block_sectors;                        // that a read miss of L2 brings
    uint32_t cached;                               // mask of clients
    uint64_t hit_ticks, queue_ticks, atomic_ticks; // hit latency; output queue; a sector's atomic
    uint64_t far_ticks;                           // between halves of L2, there and back; 0: L2 is one
    uint8_t flits[9];                              // of a packet with n * 32 bytes of data
    struct fetch {
        uint8_t bursts, sectors; // for a set of sectors: bursts, and the sectors that they bring
    } fetch[256];
    struct cache_listener listener[MEM_MAX_LISTENERS];
    uint32_t listeners, lapses; // lapses: the listener that has lines lapse; NIL: none
    struct tlb *tlb; // NULL: there are none
    struct mem_port *port;
    struct partition *partition;
    struct marks sent;    // [slice][SM]: the lane has requests to take
    struct marks replied; // [SM][slice]: so have the replies
    struct reply_list {
        uint32_t head, tail; // nodes of the slice's partition; head NIL: none
    } * replies;             // [SM][slice]: sent, and not delivered
    struct net_mesh mesh;
    struct net_remote remote;
    bool is_out_of_memory; // of packets between SMs
};

static inline uint64_t sector_words(const struct mem_system *m, uint32_t sector) {
    const uint32_t n = 1u << (m->sector_shift - 2);
    return (n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1) << sector * n;
}
// A line of L2 knows these 4-byte words too: a sector of which all are known is valid.
static inline void slice_know(const struct mem_system *m, struct slice *s, uint32_t at,
                              uint32_t sectors, uint64_t words) {
    struct cache_line *const line = &s->tags->line[at];
    if (!line->mark) s->words[at] = 0; // marked: the line has words of its own
    line->mark = true;
    s->words[at] |= words;
    FOR_EACH_BIT32(sector, sectors) {
        const uint64_t all = sector_words(m, sector);
        if ((s->words[at] & all) == all) line->valid |= (uint8_t)(1u << sector);
    }
}

static inline uint32_t *slice_sent(struct slice *s, uint32_t i) {
    return &s->sent.node[(s->sent.first + i) & (s->sent.places - 1)];
}

static inline struct partition *partition_of(const struct mem_system *m, uint32_t slice) {
    return &m->partition[fastdiv_quotient(&m->map.by_slices, slice)];
}
static inline struct reply_list *replies_of(const struct mem_system *m, uint32_t sm,
                                            uint32_t slice) {
    return &m->replies[(size_t)sm * m->slices + slice];
}

// partition.c
bool partition_create(struct partition *p, struct mem_system *m, uint32_t index);
void partition_destroy(struct partition *p);
void partition_reset(struct partition *p, uint64_t clock);
uint64_t partition_next_tick(const struct partition *p);
void partition_sent(struct slice *s, uint32_t node); // a reply has been sent
// l2.c
void l2_serve(struct partition *p, uint32_t slice, uint64_t tick);
void l2_fill(struct partition *p, const struct dram_done *d);
void l2_foresee_fill(struct partition *p, const struct dram_done *d);
void l2_schedule_head(struct partition *p, uint32_t slice);
bool l2_await_room(struct partition *p, uint32_t slice);
void l2_unblock(struct partition *p, uint32_t slice, uint64_t tick);
void l2_tell_flush(struct partition *p, uint32_t slice, uint64_t tick);
void l2_flush_atomics(struct partition *p, uint32_t slice, uint64_t tick);
// halves.c
// Lines of the other half have this bit in their address within the slice.
#define FAR_LINE (UINT64_C(1) << 46)
static inline bool is_far(uint64_t local) { return local & FAR_LINE; }
bool halves_create(struct partition *p);
void halves_destroy(struct partition *p);
void halves_reset(struct partition *p);
uint32_t halves_nodes(const struct mem_system *m); // of a partition that go between halves
enum slice_block halves_miss(struct partition *p, uint32_t slice, uint32_t at, uint64_t line_addr,
                             uint32_t missing, uint64_t tick, bool *merged);
void halves_answer(struct partition *p, uint32_t door, uint32_t at, uint64_t tick);
// The slice of a slice or of its door.
static inline uint32_t slice_behind(const struct partition *p, uint32_t si) {
    return si < p->m->map.slices ? si : si - p->m->map.slices;
}
// l2.c, for halves.c: data of the other half have come.
void l2_take_back(struct partition *p, uint32_t slice, uint64_t tick);

// port.c
bool port_create(struct mem_port *p, struct mem_system *m, uint32_t sm);
void port_destroy(struct mem_port *p);
void port_reset(struct mem_port *p);
// The page of requests that wait is known from a cycle on.
void port_page_known(struct mem_port *p, uint32_t page, uint64_t ready);

#endif
