// How long memory takes, in timing and counts only: no data lives here, and no opcode is known.
//
// Time and threads. The host runs time in quanta of `mem_quantum_cycles` core cycles. In the SM
// phase every SM runs its quantum alone: it puts requests (stamped with their cycle) into its port
// and takes replies whose cycle has come. In the memory phase every partition runs its quantum
// alone: requests of all SMs in order of (cycle at the partition's network port, SM), L2 slice,
// DRAM channel; replies get a departure cycle. Replies are then merged for each SM (in order of
// cycle, partition) through its network port's bandwidth, at the start of its next SM phase. A
// reply never reaches an SM in the quantum in which it left the partition, because the way back
// is at least a quantum long; so any number of host threads gives the same bits.
#ifndef WW_MEM_H
#define WW_MEM_H

#include "activity/activity.h"
#include "base/base.h"

// ---- configuration (filled from the GPU file; every number's source stands there) -----------
struct cache_config {
    uint32_t bytes;       // 0: the cache does not exist
    uint32_t line_bytes;
    uint32_t sector_bytes; // = line_bytes when not sectored
    uint32_t ways;
    uint32_t mshrs;       // outstanding lines
    uint32_t mshr_merge;  // requests that one line may gather
    uint32_t hit_latency; // cycles from access to data, in the clock of its owner
    uint32_t ports;       // accesses a cycle
    bool write_back;      // else write-through
    bool write_allocate;
    bool write_evict;     // Fermi's L1: a store evicts the line
    bool hashed_sets;     // xor-folded set index
    bool lru;             // else pseudo-random from a fixed sequence (Fermi's measured L1)
};

enum net_kind { NET_CROSSBAR, NET_MESH };
struct net_config {
    uint32_t kind;              // enum net_kind
    uint32_t flit_bytes;
    uint32_t request_latency;   // core cycles SM port to partition port, unloaded
    uint32_t reply_latency;     // core cycles back, unloaded (>= the quantum)
    uint32_t control_bytes;     // header of each packet
    uint32_t input_queue_flits; // at each partition: back-pressure to SMs beyond it
    uint32_t output_queue_flits;
    uint32_t mesh_width;        // NET_MESH: routers in x; rows follow from the number of nodes
    uint32_t hop_latency;       // NET_MESH: cycles a hop
    double clock_mhz;
};

enum dram_kind { DRAM_GDDR5, DRAM_GDDR3, DRAM_DDR3 };
struct dram_config {
    uint32_t kind; // enum dram_kind
    uint32_t channels_per_partition, chips_per_channel, bus_bits; // bus_bits of a channel
    uint32_t burst_length;         // transfers a burst
    uint32_t data_rate;            // transfers a command-clock cycle (GDDR5: 4, DDR3/GDDR3: 2)
    uint32_t banks, bank_groups, row_bytes; // row_bytes: of a channel
    uint32_t queue;                // entries of the FR-FCFS window
    uint32_t cl, wl, rcd, rp, ras, rc, rrd, faw, ccd_s, ccd_l, rtp, wr, wtr, rtw, refi, rfc; // command clocks
    uint32_t controller_latency;   // core cycles, front and back end together
    bool row_open_policy;          // open page; else close after use
    double clock_mhz;              // command clock
};

struct mem_config {
    uint32_t partitions;           // L2 slices with a memory controller each
    uint32_t slices_per_partition; // L2 sub-slices
    uint32_t interleave_bytes;     // consecutive bytes that stay in a partition
    bool partition_hash;           // xor-folded partition choice (Fermi: no camping) or plain modulo
    struct cache_config l2;        // of one slice; hit_latency in L2 clock
    uint32_t l2_atomic_cycles;     // an atomic unit's occupancy a 32-byte sector
    double l2_clock_mhz;
    struct net_config net;
    struct dram_config dram;
    uint32_t quantum;              // core cycles; 0: the largest that reply_latency allows
};

// ---- requests and replies -------------------------------------------------------------------
enum mem_kind { MEM_READ, MEM_WRITE, MEM_ATOMIC, MEM_REDUCE, MEM_PREFETCH };
enum mem_client { CLIENT_L1D, CLIENT_CONST, CLIENT_TEX, CLIENT_INST, CLIENT_N };

struct mem_request {
    uint64_t cycle;   // core cycle in which it enters the network
    uint64_t addr;    // device address, aligned to line or sector
    uint32_t bytes;   // touched, contiguous from addr, a multiple of 32 (transfer size)
    uint32_t byte_mask_sectors; // sectors of 32 bytes partly written (write: needs fill or mask)
    uint16_t tag;     // the SM's own; comes back in the reply
    uint8_t kind;     // enum mem_kind
    uint8_t client;   // enum mem_client
    uint8_t lanes;    // for atomics: lane operations in it
    uint8_t pad[3];
};
struct mem_reply {
    uint64_t cycle;   // core cycle in which it reaches the SM
    uint64_t addr;
    uint32_t bytes;
    uint16_t tag;
    uint8_t kind, client;
};

// One SM's connection. Rings of fixed size; the SM may push while credits last. Credits come back
// at quantum boundaries, when the partition has taken the request from its input queue.
struct mem_port;
bool mem_port_can_send(const struct mem_port *p, uint64_t addr, uint32_t flits);
// Reserves the SM's injection link: answers the cycle (>= now) at which the packet enters.
uint64_t mem_port_send(struct mem_port *p, uint64_t now, struct mem_request r);
// Earliest reply, or NULL. Pop when its cycle has come.
const struct mem_reply *mem_port_peek(const struct mem_port *p);
void mem_port_pop(struct mem_port *p);
// Requests sent and not yet answered or acknowledged (writes get an acknowledgement reply too).
uint32_t mem_port_outstanding(const struct mem_port *p);

struct mem_system;
enum ww_status mem_system_create(const struct mem_config *c, uint32_t n_sms, double core_clock_mhz,
                                 struct diags *d, struct mem_system **out);
void mem_system_destroy(struct mem_system *m);
uint32_t mem_quantum_cycles(const struct mem_system *m);
struct mem_port *mem_system_port(struct mem_system *m, uint32_t sm);
// Memory phase of one partition for core cycles [from, to). Partitions may run on any threads.
void mem_system_run_partition(struct mem_system *m, uint32_t partition, uint64_t from, uint64_t to);
// Merges replies for one SM; after all partitions ran, before its SM phase. Any threads.
void mem_system_deliver(struct mem_system *m, uint32_t sm, uint64_t from, uint64_t to);
// The next cycle >= now at which anything in the memory system happens; UINT64_MAX if it is empty.
uint64_t mem_system_next_event(const struct mem_system *m, uint64_t now);
// Counts of a partition (L2, DRAM, network ports) and of an SM's port.
struct activity *mem_system_activity(struct mem_system *m, uint32_t partition);
// Writes back or drops all L2 lines (between programs), closes rows. Counts nothing.
void mem_system_reset(struct mem_system *m);
// For tests and deadlock reports: what waits where.
void mem_system_describe(const struct mem_system *m, FILE *out);

// ---- pieces that SMs use too ----------------------------------------------------------------
// A tag array: presence and state of lines. `cache_*` in cache.c.
struct cache;
enum cache_result { CACHE_HIT, CACHE_MISS, CACHE_PENDING /* line is on its way */, CACHE_FULL };
struct cache *cache_create(const struct cache_config *c);
void cache_destroy(struct cache *c);
// Looks up `sectors` (bit mask within the line) for a read; a hit updates replacement state.
enum cache_result cache_read(struct cache *c, uint64_t line_addr, uint32_t sectors);
// Marks sectors as valid (fill); answers the victim's address if a dirty line had to go, else 0,
// and its dirty sectors in *dirty.
uint64_t cache_fill(struct cache *c, uint64_t line_addr, uint32_t sectors, uint32_t *dirty);
enum cache_result cache_write(struct cache *c, uint64_t line_addr, uint32_t sectors); // by policy
void cache_invalidate(struct cache *c);

// Miss-status holding registers with merging: who waits for a line. `mshr_*` in mshr.c.
struct mshr;
struct mshr *mshr_create(uint32_t lines, uint32_t merge);
void mshr_destroy(struct mshr *m);
// Adds a waiter; answers the entry (>= 0), sets *is_new when a request must be sent; -1: full.
int32_t mshr_add(struct mshr *m, uint64_t line_addr, uint32_t sectors, uint32_t waiter, bool *is_new);
// The line came: copies waiters to out (room for merge) and frees the entry.
uint32_t mshr_take(struct mshr *m, uint64_t line_addr, uint32_t *out);
uint32_t mshr_used(const struct mshr *m);

// Coalescing of one warp access to global memory. `coalesce_*` in coalesce.c.
enum coalesce_kind {
    COALESCE_TESLA10,  // cc 1.0/1.1: strict order, half-warps
    COALESCE_TESLA12,  // cc 1.2/1.3: half-warp segments of 32/64/128 bytes, shrunk
    COALESCE_LINE128,  // Fermi, L1 on: 128-byte lines
    COALESCE_SECTOR32  // 32-byte sectors (Kepler global, stores, L1 off)
};
struct transaction {
    uint64_t addr;    // aligned to its size (line or segment)
    uint32_t bytes;   // 32, 64 or 128: transfer size
    uint32_t lanes;   // lanes it serves
    uint32_t sectors; // 32-byte sectors of the 128-byte line that are touched
    uint32_t full_sectors; // sectors wholly written (stores)
};
// `bytes` a lane; out has room for 64 transactions a... 2 a lane; answers how many, in address order
// of first lane served.
uint32_t coalesce(enum coalesce_kind kind, const uint64_t *addr, uint32_t mask, uint32_t bytes,
                  struct transaction out[64]);
// Cycles that a shared-memory access takes: 1 + conflicts. `banks` of `bank_bytes`; `lanes_a_pass`:
// 16 (half-warp, Tesla) or 32. Broadcast of the same word is free; Tesla broadcasts one word a pass.
uint32_t shared_passes(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t banks,
                       uint32_t bank_bytes, uint32_t lanes_a_pass, bool one_broadcast);

#endif
