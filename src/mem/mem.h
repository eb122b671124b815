// How long memory takes, in timing and counts only: no data lives here, and no opcode is known.
//
// Time and threads. The host runs time in quanta of `mem_quantum_cycles` core cycles. In the SM
// phase every SM runs its quantum alone: it puts requests (stamped with their cycle) into its port
// and takes replies whose cycle has come. In the memory phase every partition runs its quantum
// alone: requests of all SMs in order of (cycle at the slice's network port, SM; the SM that goes
// first in a tie moves on by one each quantum), L2 slice, DRAM channel; replies get a departure
// cycle. One thread then runs the serial step (a mesh routes its packets there; a crossbar has
// nothing to do). Replies are then merged for each SM (in order of cycle, slice) through its
// network port's bandwidth, at the start of its next SM phase. A reply never reaches an SM in the
// quantum in which it left the partition, because the way back is at least a quantum long; so any
// number of host threads gives the same bits. One quantum of the host, therefore:
//
//     every SM, any threads:         mem_port_can_send, mem_port_send, mem_port_peek, mem_port_pop,
//                                    then mem_port_release(port, to)
//     every partition, any threads:  mem_system_run_partition(m, p, from, to)
//     one thread:                    mem_system_run_serial(m, from, to)
//     every SM, any threads:         mem_system_deliver(m, sm, from, to)
//
// with from = the last `to` and to - from at most a quantum. When no SM has anything to do before a
// reply comes, the host may jump: from = anything up to mem_system_next_event(m, last `to`).
//
// Ports. The network's nodes are the SMs and the L2 slices: each slice has a port of its own, and
// SM and slice ports move one flit each way a network clock.
//
// TLBs (tlb.c). A request whose page is not known waits in its port and enters the network when it
// is. SMs that share an L1 TLB (mem_tlb_sms neighbours) must run on one thread.
#ifndef WW_MEM_H
#define WW_MEM_H

#include "activity/activity.h"
#include "base/base.h"
#include "mem/event.h"

// ---- configuration (filled from the GPU file; every number's source stands there) -----------
struct cache_config {
#include "base/keys_begin.h"
#define KEYS_cache
#include "mem/config.def"
#undef KEYS_cache
#include "base/keys_end.h"
};

enum net_kind { NET_CROSSBAR, NET_MESH };
struct net_config {
#include "base/keys_begin.h"
#define KEYS_net
#include "mem/config.def"
#undef KEYS_net
#include "base/keys_end.h"
    double clock_mhz;
};

struct tlb_config {
#include "base/keys_begin.h"
#define KEYS_tlb
#include "mem/config.def"
#undef KEYS_tlb
#include "base/keys_end.h"
};

enum dram_kind {
#define DRAM_KIND(id, ...) DRAM_##id,
#include "mem/dram_kind.def"
#undef DRAM_KIND
    DRAM_KINDS
};
struct dram_config {
#include "base/keys_begin.h"
#define KEYS_dram
#include "mem/config.def"
#undef KEYS_dram
#include "base/keys_end.h"
    double clock_mhz; // command clock
};

const char *dram_kind_name(uint32_t kind); // NULL: no such kind
// Fills in what is 0 from the kind, for the clock of `c`. What the kind does not know stays 0.
void dram_config_complete(struct dram_config *c);

struct mem_config {
#include "base/keys_begin.h"
#define KEYS_mem
#include "mem/config.def"
#undef KEYS_mem
#include "base/keys_end.h"
    double l2_clock_mhz;
};

// ---- requests and replies -------------------------------------------------------------------
enum mem_kind { MEM_READ, MEM_WRITE, MEM_ATOMIC, MEM_REDUCE, MEM_PREFETCH };

struct mem_request {
    uint64_t cycle;   // core cycle in which it enters the network
    uint64_t addr;    // device address, aligned to line or sector
    uint32_t bytes;   // touched, contiguous from addr, a multiple of 32 (transfer size); the
                      // request lies within an aligned block of 256 bytes, and of interleave_bytes
    uint32_t byte_mask_sectors; // 32-byte sectors of addr's 128-byte line that are partly written
                                // (a transaction's sectors & ~full_sectors); 0 for reads
    uint32_t words;   // of partly written sectors: words of the 128-byte line wholly written (a
                      // transaction's words); L2 knows by it when a sector is complete. 0: unknown
    uint64_t touched; // 4-byte words from addr on that active lanes want or write at least in part
                      // (a transaction's touched); 0: all. Changes no timing: listeners hear of it
    uint32_t wanting; // bit a lane of the warp that wants them; 0: none does (prefetches and such)
    uint16_t tag;     // the SM's own; comes back in the reply
    uint8_t kind;     // enum mem_kind
    uint8_t client;   // enum mem_client
    uint8_t lanes;    // for atomics: lane operations in it
    uint8_t rounds;   // for atomics: most lane operations on one word, which take turns (0: 1)
};
struct mem_reply {
    uint64_t cycle;   // core cycle in which it reaches the SM
    uint64_t addr;
    uint32_t bytes;
    uint16_t tag;
    uint8_t kind, client;
    uint16_t dram_bytes; // that were read from DRAM for it, before any other wanted them
};

// One SM's connection. Rings of fixed size; the SM may push while credits last: of
// `input_queue_flits` flits for each pair of SM and slice. Credits come back at quantum boundaries,
// when the slice has taken the request from its input queue.
struct mem_port;
// Flits of a request's packet and of its reply's: header, and data where the direction carries it
// (writes, atomics and reductions to memory; reads and atomics back).
uint32_t mem_port_flits(const struct mem_port *p, uint8_t kind, uint32_t bytes);
uint32_t mem_port_reply_flits(const struct mem_port *p, uint8_t kind, uint32_t bytes);
bool mem_port_can_send(const struct mem_port *p, uint64_t addr, uint32_t flits);
// The same for two packets of as many flits each.
bool mem_port_can_send_two(const struct mem_port *p, uint64_t addr, uint32_t flits);
// Reserves the SM's injection link: answers the cycle (>= now) at which the packet enters. Only
// after mem_port_can_send with the packet's flits; `now` never goes back. UINT64_MAX: when its page
// is known.
uint64_t mem_port_send(struct mem_port *p, uint64_t now, struct mem_request r);
// Lets requests enter the network whose pages are known before `to`, the end of the quantum. Needed
// only when mem_tlb_sms is not 0.
void mem_port_release(struct mem_port *p, uint64_t to);
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
uint32_t mem_tlb_sms(const struct mem_config *c); // that share an L1 TLB; 0: there are no TLBs
struct mem_port *mem_system_port(struct mem_system *m, uint32_t sm);
// Memory phase of one partition for core cycles [from, to). Partitions may run on any threads.
void mem_system_run_partition(struct mem_system *m, uint32_t partition, uint64_t from, uint64_t to);
// The serial step; after all partitions ran, before any SM's delivery.
void mem_system_run_serial(struct mem_system *m, uint64_t from, uint64_t to);
// Merges replies for one SM; after all partitions ran, before its SM phase. Any threads.
void mem_system_deliver(struct mem_system *m, uint32_t sm, uint64_t from, uint64_t to);
// The next cycle >= now at which anything in the memory system happens; UINT64_MAX if it is empty.
// Nothing is lost or late if the quanta that end at or before it are not run.
uint64_t mem_system_next_event(const struct mem_system *m, uint64_t now);
// Counts of a partition (L2, DRAM, network ports of its slices) and of an SM's port (net_stalls).
struct activity *mem_system_activity(struct mem_system *m, uint32_t partition);
struct activity *mem_port_activity(struct mem_port *p);
uint32_t mem_system_partitions(const struct mem_system *m);
// Where an address lives: the slice (partition * slices_per_partition + slice of it).
uint32_t mem_system_slice_of(const struct mem_system *m, uint64_t addr);
// Bytes a second that all DRAM data buses together can move.
double mem_config_peak_bandwidth(const struct mem_config *c);
// Has a listener hear of all that happens in L2. Slices call it from different threads: what it
// writes must be the slice's own. WW_ERROR_LIMIT: there are MEM_MAX_LISTENERS already, or one has
// lines lapse and so does this one.
enum { MEM_MAX_LISTENERS = 8 };
// Cycles of the L2 clock up to a core cycle; as many core cycles as so many of the L2 clock take.
uint64_t mem_system_l2_cycle(const struct mem_system *m, uint64_t core_cycle);
uint64_t mem_system_core_cycles(const struct mem_system *m, uint64_t l2_cycles);
enum ww_status mem_system_listen(struct mem_system *m, const struct cache_listener *l);
uint32_t mem_system_slices(const struct mem_system *m);
uint32_t mem_system_l2_lines(const struct mem_system *m); // of a slice
// Writes back or drops all L2 lines (between programs), closes rows. Counts nothing.
void mem_system_reset(struct mem_system *m);
// Drops all L2 lines while nothing is on its way (between kernels), as of a core cycle. Counts nothing.
void mem_system_forget(struct mem_system *m, uint64_t cycle);
// For tests and deadlock reports: what waits where.
void mem_system_describe(const struct mem_system *m, FILE *out);
// NULL, or in what way the memory system contradicts itself: an error of the simulator.
const char *mem_system_broken(const struct mem_system *m);

// ---- pieces that SMs use too ----------------------------------------------------------------
// A tag array: presence and state of lines. `cache_*` in cache.c. Two ways to live with misses:
// allocate on fill (read misses, an MSHR remembers, cache_fill takes a victim), or allocate on miss
// (cache_reserve takes the victim at once; the line answers CACHE_PENDING until it is filled).
// `sectors` are bits within the line; a cache without sectors has bit 0 alone.
struct cache;
enum cache_result { CACHE_HIT, CACHE_MISS, CACHE_PENDING /* line is on its way */, CACHE_FULL };
// What every call answers.
struct cache_answer {
    uint64_t victim;      // address of the line that went, if `has_victim`
    uint32_t place;       // index of the line, below cache_lines; CACHE_NOWHERE: it has none. A
                          // victim's place is the new line's
    uint8_t result;       // enum cache_result
    uint8_t victim_dirty; // its dirty sectors
    bool has_victim;      // a line went (clean or dirty)
};
// NULL when memory is out or the shape is impossible (cache_config_wrong says why).
struct cache *cache_create(const struct cache_config *c);
void cache_destroy(struct cache *c);
// NULL, or a sentence that says why no such cache can be.
const char *cache_config_wrong(const struct cache_config *c);
// Looks up `sectors` (bit mask within the line) for a read: HIT (updates replacement state),
// PENDING (reserved) or MISS.
struct cache_answer cache_read(struct cache *c, uint64_t line_addr, uint32_t sectors);
// Sectors have come: they become valid, in a line of their own if there was none. HIT: the line was
// there; MISS: it took a place; FULL: every line of its set is reserved, the data passes by.
struct cache_answer cache_fill(struct cache *c, uint64_t line_addr, uint32_t sectors);
// A store, by the cache's policy: write_evict drops the line (HIT: it was there); write_back marks
// a present line dirty; write-through touches it. Never allocates: a write-allocate cache that
// answers MISS is given the line with cache_write_line.
struct cache_answer cache_write(struct cache *c, uint64_t line_addr, uint32_t sectors);
// The policies by name, for a cache that serves two (Fermi's L1: global evicts, local writes back).
// cache_write_line makes the sectors valid and dirty and allocates the line where it is absent:
// HIT, MISS (allocated) or FULL (every line of its set is reserved).
struct cache_answer cache_write_line(struct cache *c, uint64_t line_addr, uint32_t sectors);
// A store that goes through a cache which allocates on writes: the sectors that it writes whole are
// valid afterwards, nothing is dirty. HIT: the line was there; MISS: it took a place; FULL.
struct cache_answer cache_write_past(struct cache *c, uint64_t line_addr, uint32_t whole);
// Drops a line: HIT (it was there: it is the victim) or MISS.
struct cache_answer cache_evict_line(struct cache *c, uint64_t line_addr);
// Takes a line for a miss before its data comes: MISS (reserved), PENDING (was already), HIT, FULL.
struct cache_answer cache_reserve(struct cache *c, uint64_t line_addr);
void cache_invalidate(struct cache *c);
// From now on new lines take the first n ways of their set only (1 at least, all at most). What
// lies in the others stays until it is dropped or the cache is emptied.
void cache_open_ways(struct cache *c, uint32_t n);
uint32_t cache_lines(const struct cache *c);
// The place of a line, or CACHE_NOWHERE. Changes nothing.
uint32_t cache_place_of(const struct cache *c, uint64_t line_addr);
uint32_t cache_set_at(const struct cache *c, uint64_t line_addr);
// Sectors that are there at a place, or at CACHE_NOWHERE: none.
uint32_t cache_valid_at(const struct cache *c, uint32_t place);
// Empties a place, unless its data is on its way: HIT with the line that left it, else MISS.
struct cache_answer cache_drop(struct cache *c, uint32_t place);
// Words of a line (bit a 4-byte word, from its start) and its sectors, each from the other: the
// sectors that hold any of the words; all words of the sectors.
uint32_t cache_sectors_of(const struct cache *c, uint64_t words);
uint64_t cache_words_of(const struct cache *c, uint32_t sectors);

// Miss-status holding registers with merging: the accesses that wait for a line. `mshr_*` in mshr.c.
struct mshr;
// A line has at most 16 sectors; waiters are numbers below UINT32_MAX.
struct mshr *mshr_create(uint32_t lines, uint32_t merge);
void mshr_destroy(struct mshr *m);
// Adds a waiter; answers the entry (>= 0), sets *is_new when a request must be sent; -1: full.
int32_t mshr_add(struct mshr *m, uint64_t line_addr, uint32_t sectors, uint32_t waiter,
                 bool *is_new);
// The same for sectored caches: *missing are the sectors that no access has asked for yet.
int32_t mshr_add_sectors(struct mshr *m, uint64_t line_addr, uint32_t sectors, uint32_t waiter,
                         uint32_t *missing);
// Asks for sectors without waiting for them (a prefetch).
int32_t mshr_expect(struct mshr *m, uint64_t line_addr, uint32_t sectors, uint32_t *missing);
// The line came: copies waiters to out (room for merge) and frees the entry.
uint32_t mshr_take(struct mshr *m, uint64_t line_addr, uint32_t *out);
// Some sectors came: copies the waiters that have all of theirs now; frees the entry when all came.
uint32_t mshr_fill(struct mshr *m, uint64_t line_addr, uint32_t sectors, uint32_t *out);
// The entry of a line, or -1; and how many more waiters it takes.
int32_t mshr_find(const struct mshr *m, uint64_t line_addr);
bool mshr_has_room(const struct mshr *m, uint64_t line_addr);
// The same, and the sectors asked for so far.
bool mshr_has_room_for(const struct mshr *m, uint64_t line_addr, uint32_t *requested);
uint32_t mshr_used(const struct mshr *m);
uint32_t mshr_requested(const struct mshr *m, uint64_t line_addr); // sectors asked for so far
void mshr_clear(struct mshr *m);

// Coalescing of one warp access to global memory. `coalesce_*` in coalesce.c.
enum coalesce_kind {
    COALESCE_TESLA10,  // cc 1.0/1.1: strict order, half-warps
    COALESCE_TESLA12,  // cc 1.2/1.3: half-warp segments of 32/64/128 bytes, shrunk
    COALESCE_LINE128,  // Fermi, L1 on: 128-byte lines
    COALESCE_SECTOR32, // 32-byte sectors (Kepler global, stores, L1 off); neighbours that make an
                       // aligned 64 or 128 bytes travel as one transaction
    COALESCE_LINE128_WARP, // the same two, wide words too by whole warps (Volta)
    COALESCE_SECTOR32_WARP
};
struct transaction {
    uint64_t addr;    // aligned to its size (line or segment)
    uint64_t touched; // 4-byte words from addr on that are covered at least in part
    uint32_t lanes;   // mask of the lanes it serves
    uint32_t words;   // 4-byte words of the 128-byte line that are wholly covered
    uint16_t bytes;   // 32, 64 or 128: transfer size
    uint8_t sectors;  // 32-byte sectors of the 128-byte line that are touched
    uint8_t full_sectors; // sectors wholly written (stores)
};
// `bytes` a lane (1, 2, 4, 8 or 16, address aligned to it); out has room for 64 transactions, 2 a
// lane; answers how many, in the order of the first lane that each serves.
uint32_t coalesce(enum coalesce_kind kind, const uint64_t *addr, uint32_t mask, uint32_t bytes,
                  struct transaction out[64]);
// Cycles that a shared-memory access takes: 1 + conflicts. `banks` of `bank_bytes`; `lanes_a_pass`:
// 16 (half-warp, Tesla) or 32. Broadcast of the same word is free; Tesla broadcasts one word a
// pass.
uint32_t shared_passes(const uint64_t *addr, uint32_t mask, uint32_t bytes, uint32_t banks,
                       uint32_t bank_bytes, uint32_t lanes_a_pass, bool one_broadcast);
// The same with all that a generation may differ in.
struct shared_shape {
    uint32_t banks, bank_bytes, lanes_a_pass;
    bool one_broadcast;
    uint32_t wide_extra; // passes added to each half-warp of a 128-bit access (Fermi: 1, measured
                         // 2.64 accesses a hot clock on GTX 480; others: 0)
    bool pairs; // a wide load whose lanes come in pairs of one address fills its passes twice over
};
// Different places of `bytes` (a power of two, to which they are aligned) that the lanes want.
uint32_t shared_places(const uint64_t *addr, uint32_t mask, uint32_t bytes);
uint32_t shared_access_passes(const struct shared_shape *s, const uint64_t *addr, uint32_t mask,
                              uint32_t bytes);

#endif
