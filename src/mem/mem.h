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

#include "base/base.h"
#include "mem/event.h"

struct activity;
struct mem_config;

// ---- requests and replies -------------------------------------------------------------------
// What a request says of its lines' priority in L2: they go first, last, like others; it leaves their
// priority and age alone; their data go without being written back; their priority is normal again.
enum mem_hint {
    MEM_HINT_NONE,
    MEM_HINT_FIRST,
    MEM_HINT_LAST,
    MEM_HINT_NORMAL,
    MEM_HINT_UNCHANGED,
    MEM_HINT_DISCARD, // of MEM_PREFETCH, as the next
    MEM_HINT_DEMOTE
};
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
    uint8_t hint;     // enum mem_hint
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

// Shared memory of other SMs (remote.c). An access is a packet there, and its answer a reply like
// others, whose `tag` is the access's; it never comes in the quantum in which the access was sent.
struct mem_remote {
    uint32_t sm;             // where to
    uint32_t there, back;    // bytes of data that the network carries
    uint32_t passes;         // through the banks of that SM
    uint16_t tag;
    bool asks;               // the lanes' addresses go there by themselves (net.sm_request_bytes)
};
bool mem_port_can_reach(const struct mem_port *p);
void mem_port_reach(struct mem_port *p, uint64_t now, const struct mem_remote *r);

struct mem_system;
enum ww_status mem_system_create(const struct mem_config *c, uint32_t n_sms, double core_clock_mhz,
                                 struct diags *d, struct mem_system **out);
void mem_system_destroy(struct mem_system *m);
uint32_t mem_quantum_cycles(const struct mem_system *m);
// By how many cycles accesses from and to this SM's shared memory take longer than the least.
void mem_system_place_sm(struct mem_system *m, uint32_t sm, uint32_t cycles);
// Beside which half of L2 an SM lies, 0 or 1 (l2_far_latency); until then pairs of SMs take turns.
void mem_system_put_beside(struct mem_system *m, uint32_t sm, uint32_t half);
uint32_t mem_tlb_sms(const struct mem_config *c); // that share an L1 TLB; 0: there are no TLBs
struct mem_port *mem_system_port(struct mem_system *m, uint32_t sm);
// Memory phase of one partition for core cycles [from, to). Partitions may run on any threads.
void mem_system_run_partition(struct mem_system *m, uint32_t partition, uint64_t from, uint64_t to);
// Counts what DRAM did up to a core cycle in which nothing is on its way: its clocks, and the
// refreshes that were due. Changes no time: they would be counted with the next quantum.
void mem_system_account(struct mem_system *m, uint64_t cycle);
// The serial step; after all partitions ran, before any SM's delivery.
void mem_system_run_serial(struct mem_system *m, uint64_t from, uint64_t to);
// The same of what SMs sent each other in the quantum. Needed only when there are clusters.
void mem_system_run_remote(struct mem_system *m, uint64_t from, uint64_t to);
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
// Lines that go last may take so many bytes of L2, as whole ways of each set, rounded up; those beyond are
// like others. At first that is all of it. And: lines that go last are like others from now on.
void mem_system_set_aside(struct mem_system *m, uint64_t bytes);
void mem_system_reset_priorities(struct mem_system *m);
// Work without time touched 4-byte words (a mask; of loads the sector of each counts) of the 128-byte line at `addr`, from an
// SM: L2 and TLBs know it from cycle `now` on as if it had been timed (warm.c). No quantum may be under way. Counts nothing.
void mem_system_warm(struct mem_system *m, uint32_t sm, uint64_t addr, uint32_t words, bool writes,
                     uint64_t now);
// Drops all L2 lines while nothing is on its way (between kernels), as of a core cycle. Counts nothing.
void mem_system_forget(struct mem_system *m, uint64_t cycle);
// For tests and deadlock reports: what waits where.
void mem_system_describe(const struct mem_system *m, FILE *out);
// NULL, or in what way the memory system contradicts itself: an error of the simulator.
const char *mem_system_broken(const struct mem_system *m);

#endif
