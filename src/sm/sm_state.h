// The inside of an SM, shared by the files of this room and by nobody else.
//
// Time is sparse: sm_run simulates only cycles in which something may change (step.inc.h). What a
// cycle touches stands at the front of struct sm: the masks of struct sm_view (a warp slot is a
// bit), the warps (two cache lines each), the pipes, the wheel of completions. Files:
//   step.inc.h     one cycle: events, issue, fetch; compiled by step_plain.c and step_full.c
//   wheel.h        completions by cycle                 scoreboard.h  pending registers
//   collect.h      banks, collectors, result bus        units.h       pipelines
//   front.c        fetch, decode, constant operands     sched_*.c     warp schedulers
//   lsu.c          accesses, one at a time              transact.c    their transactions
//   caches.c       look-ups, misses, lines come and go  reply.c       what comes back from memory
//   cta.c          CTAs and warps come and go
//   barrier.c      barriers                             stall.c       who owns an issue slot
//   kernel.c       decoding for timing, occupancy       count.c       activity
//   technique.c    techniques and their ports           gate.c        pipelines that are off
//   entry.c        clusters chosen at entry
#ifndef WW_SM_STATE_H
#define WW_SM_STATE_H

#include <assert.h>

#include "exec/barrier.h"
#include "sm/sm.h"
#include "sm/technique.h"

#define NEVER UINT64_MAX

// ---- a decoded instruction ---------------------------------------------------------------------
enum sm_inst_flags {
    SI_BRANCH = 1 << 0, // may move the pc: the warp waits branch_latency before its next fetch
    SI_RESULT = 1 << 1, // has a destination that the scoreboard follows
    SI_MEM = 1 << 2,    // the result comes from the load/store or texture unit
    SI_LONG = 1 << 3,   // ... and may take long: two-level demotes on it
    SI_SOLO = 1 << 4,   // never part of a dual issue (control, barriers)
    SI_FILLER = 1 << 5,
    SI_BARRIER = 1 << 6,
    SI_JUMP = 1 << 7, // branch instruction proper (counted)
    SI_FENCE = 1 << 8,
    SI_COMMIT = 1 << 9, // cp.async.commit_group
    SI_ASYNC_WAIT = 1 << 10,
    SI_SHUFFLE = 1 << 11,
    SI_CHECK_PUSH = 1 << 12, // look whether the warp split
    SI_LANES = 1 << 13,      // shared memory that the lanes access themselves (shared_on_lanes)
    SI_FOLDED = 1 << 14      // ... as an operand of the one instruction that uses what is loaded
};

// One cache line. Registers 64 and up stand in sm_kernel.wide.
struct sm_inst {
    uint64_t use;        // registers 0..63 that must not be pending: sources and destinations
    uint64_t dst;        // of these, written
    uint64_t const_mask; // lines of sm_kernel.const_line that its constant operands lie in
    uint8_t src[16];     // register rows to read, each once; of the first SM_FEW_SRC, those that it
                         // lacks: rows of it
    uint16_t use_p, dst_p; // predicates 0..6; bit 8: the carry flag
    uint16_t flags;        // SI_*
    uint16_t latency, interval;
    uint8_t unit, klass;  // enum unit_class, enum op_class
    uint8_t n_src, n_dst; // register rows
    uint8_t dst_first;    // n_dst 0: one to read, if there are any
    uint8_t n_const;      // constant-bank operands
    uint16_t aux;         // minst.aux (groups of cp.async.wait), minst.sub (fences)
    uint32_t wide;        // index into sm_kernel.wide
};
enum { SM_FEW_SRC = 3 };
static_assert(sizeof(struct sm_inst) == 64, "an instruction is a cache line");

enum { MAX_DST_ROWS = 16, CARRY_BIT = 1 << 8, WIDE_WORDS = 3, MAX_CONST_LINES = 64 };
struct sm_wide {
    uint64_t use[WIDE_WORDS], dst[WIDE_WORDS];
};

struct sm_kernel {
    const struct code_image *image;
    struct exec_launch *launch;
    uint64_t code_address, const_address; // const_address: where c[0] is taken to lie
    struct sm_inst *inst;                 // image->n_insts
    struct sm_wide *wide;                 // NULL: no register above 63 is used
    uint64_t *const_line;
    uint32_t n_const_lines;
    uint32_t n_warps, n_threads, shared_bytes; // of a CTA
    struct sm_occupancy occupancy;
    uint32_t warp_registers, cta_registers, cta_shared; // what a CTA takes, granularity applied
    size_t cta_bytes;
};
enum { CONST_BANK_STRIDE = 0x10000 }; // c[n] lies at const_address + n * this
static inline uint64_t kernel_const_line(const struct sm_config *c, const struct sm_kernel *k,
                                         uint32_t bank, uint64_t offset) {
    return (k->const_address + (uint64_t)bank * CONST_BANK_STRIDE + offset) &
           ~(uint64_t)(c->constant.line_bytes - 1);
}
uint32_t kernel_cta_registers(const struct sm_config *c, uint32_t n_regs, uint32_t n_warps);

// ---- warps and CTAs ----------------------------------------------------------------------------
#define LOCAL_BASE 0x4000000000ull
enum { ASYNC_GROUPS = 8 };
struct warp {
    _Alignas(64) const struct sm_inst *head; // next instruction, when decoded
    struct exec_warp *ew;
    uint64_t pend, pend_mem, pend_long; // registers 0..63 with a result on its way
    struct sm_inst_counts *counts;      // of the kernel, by pc
    const struct sm_inst *code;
    uint16_t pend_p;
    uint8_t ib_n; // instructions in its buffer
    uint8_t scheds, cta, kslot;
    uint16_t inflight; // results on their way
    // second line
    struct sm_wide_pend {
        uint64_t pend[WIDE_WORDS], mem[WIDE_WORDS], lng[WIDE_WORDS];
    } * wide;
    uint32_t stores;    // store and atomic requests not acknowledged, accesses not processed
    uint16_t fetch_gen; // fetches of older generations are dropped
    uint8_t exited;     // no live lane, results may still be on their way
    uint8_t async_now;  // group that cp.async adds to
    uint8_t async_keep; // waits until at most this many groups are open; UINT8_MAX: does not
    uint16_t async_left[ASYNC_GROUPS];
    uint32_t pc_of_wait; // instruction that it waits in (barrier, fence, sleep, branch)
    uint32_t fence_keep; // a fence waits until `stores` is down to this; UINT32_MAX: none waits
};
static_assert(sizeof(struct warp) == 128, "a warp is two cache lines");

struct barrier {
    uint64_t waiting; // warps
    struct exec_barrier count;
};

struct cta_slot {
    bool is_used;
    uint8_t kslot, block; // block: which piece of the kernel's CTA memory
    uint64_t warps, left; // left: not yet drained
    uint64_t linear;
    struct exec_cta cta;
    uint32_t live; // warps that have not exited
    struct barrier bar[EXEC_BARRIERS];
};

// ---- events ------------------------------------------------------------------------------------
enum { WHEEL = 512 }; // cycles ahead; farther events come round again
enum event_kind {
    EVENT_RESULT,   // a result wants to be written: bank and bus
    EVENT_RELEASE,  // a result has been written
    EVENT_BRANCH,   // a branch has resolved
    EVENT_WAKE,     // a sleep or a barrier's latency is over
    EVENT_CONSTANT, // a listener's extra cycles for constant operands are over
    EVENT_LAUNCH    // a new warp may be fetched
};
struct event {
    uint64_t cycle;
    const struct sm_inst *in;
    uint32_t lanes; // that executed it
    uint16_t next;
    uint8_t kind, warp;
};
static_assert(sizeof(struct event) == 24, "no holes");
struct wheel {
    uint64_t bits[WHEEL / 64];
    struct {
        uint16_t head, tail;
    } slot[WHEEL];
    struct event *node;
    uint32_t free, capacity;
    uint32_t n;
};

// ---- front end ---------------------------------------------------------------------------------
struct fetched {
    uint64_t cycle;
    uint32_t pc;
    uint16_t gen;
    uint8_t warp, n;
};
enum { HOT_LINES = 16 };
// A line of the instruction cache and its place; line all bits: none.
struct hot_line {
    uint64_t line;
    uint32_t place;
};

// ---- memory instructions -----------------------------------------------------------------------
struct mem_op { // in flight
    const struct sm_inst *in;
    uint64_t done_at;
    uint32_t left;              // answers that it waits for
    uint32_t lanes;             // that executed it
    uint8_t warp, group, flags; // OP_*
    uint16_t next;              // free list
};
enum { OP_ISSUED = 1, OP_ASYNC = 2, OP_ATOMIC = 4, OP_NONE = 0xffff };
#define NO_WAITER UINT32_MAX

enum lsu_path {
    PATH_NONE,
    PATH_L1,
    PATH_BYPASS,
    PATH_STORE,
    PATH_ATOMIC,
    PATH_REDUCE,
    PATH_PREFETCH,
    PATH_CONST,
    PATH_TEX,
    PATH_LOCAL_STORE
};
enum { LSU_TRANSACTIONS = 128 }; // four words of local memory, each lane in a line of its own
struct lsu_entry {
    uint64_t ready;
    const struct sm_inst *in;
    uint16_t op, n, next; // transactions
    uint16_t flags, aux;  // the instruction's: a store may outlive its kernel
    uint32_t lanes;       // that execute it
    uint8_t warp, path, space;
    uint8_t rounds; // of an atomic: most lanes that want one word
    bool started;
    uint32_t start_slot;   // in lsu.start
    uint32_t bank_cycles;  // shared-memory cycles before the transactions, 0: none
    uint32_t bank_latency; // from start to the data of shared memory
    uint32_t tail_cycles;  // that the unit stays occupied after the last transaction
    uint64_t begun;        // cycle of its first transaction's turn
    struct transaction tx[LSU_TRANSACTIONS];
};
// One in-order unit: LD/ST or texture. An access that touches shared memory alone, and finds nobody
// in front of it that might be held up, never enters the ring: its times are known at once.
struct lsu {
    struct lsu_entry *entry; // ring
    uint32_t capacity, first, n;
    uint32_t pipe;          // enum sm_pipe_id
    uint64_t free_at;       // the next access may start
    uint64_t wake;          // cycle of its next step
    uint64_t blocked_since; // NEVER: not blocked
    uint64_t *start;        // when the last `queue` accesses left the queue, NEVER: still in it
    uint32_t queue, start_at;
};
// No room for another access in cycle t.
static inline bool lsu_is_full(const struct lsu *u, uint64_t t) {
    return u->start[u->start_at] > t;
}
// Tags of requests: what a reply is for.
enum {
    TAG_LINE = 0,
    TAG_OP = 1 << 12,
    TAG_STORE = 2 << 12,
    TAG_NOBODY = 3 << 12,
    TAG_KIND = 3 << 12,
    TAG_INDEX = (1 << 12) - 1
};

// ---- techniques (technique.c, gate.c) -----------------------------------------------------------
// Pipelines that a technique switches off.
struct gates {
    struct sm_gate *gate;        // by pipe; the technique's, or `none`
    uint64_t more;               // pipes beyond INT and FP that may be off
    uint64_t off;                // pipes that are off in this cycle
    uint64_t pipe_off[SM_PIPES]; // by pipe: all bits when it is off, else none
    uint64_t on_free_at[UNIT_N]; // earliest free_at of a unit's pipes that are on; NEVER: none
    uint32_t ahead[UNIT_N];      // of a unit's pipes, counted from its first: those that an
                                 // instruction tries before the others
    uint32_t lead[UNIT_N];       // of two, the one that it tries first: 0 or 1
    struct sm_gate none[SM_PIPES];
};
struct techniques {
    // In the order in which they were set: all, and those that have the port.
    struct sm_list {
        uint32_t n;
        const struct sm_technique *t[SM_MAX_TECHNIQUES];
    } all, issue, rows, arrays, clock, rest;
    // What is called in every cycle.
    struct {
        void (*cycle)(void *self, const struct sm_view *v);
        void *self;
    } cycle[SM_MAX_TECHNIQUES];
    struct sm_choice {
        uint64_t (*among)(void *self, const struct sm_view *v, uint32_t sc, uint64_t ready);
        void *self;
    } choice[SM_MAX_TECHNIQUES];
    uint32_t n_cycles, n_choices;
    const struct sm_technique *gate, *lanes, *lapses; // NULL: none
    const struct sm_lanes *gated_lanes;               // NULL: no technique switches lanes off
    uint64_t epoch_next[SM_MAX_TECHNIQUES];           // of `clock`
    uint64_t lapse_at; // when lines may lapse next
    uint64_t epoch_at; // earliest of all these, NEVER while the SM holds no work
    uint32_t heard; // arrays that a technique hears of: bit mask of enum mem_array
};

// ---- caches (caches.h) -------------------------------------------------------------------------
enum { WRITEBACKS = 64 };
struct caches {
    struct sm_cache {
        struct cache *tags; // NULL: there is none
        struct mshr *mshr;
        uint64_t line_mask;                     // of an address within its line
        uint32_t line_bytes, sector_bytes, all; // all: mask of a line's sectors
        uint32_t hit_latency, ports;
    } of[CLIENT_N];
    struct mem_port *port;
    uint64_t send_at;               // the port takes requests in order of time
    uint64_t sent, sent_bytes;      // requests so far, and what they move
    uint64_t writeback[WRITEBACKS]; // dirty lines that wait for credits
    uint32_t n_writebacks;
    uint32_t *waiter;              // room for one line's waiters
    struct activity *act;          // where they count
    const struct techniques *tech; // that hear of them
};

// ---- instructions on their way to a cluster (entry.c) ------------------------------------------
// In collectors, waiting for one, in front of the clusters.
enum {
    ENTRY_AHEAD_MAX = 2,
    ENTRY_MAX = SM_MAX_COLLECTORS + SM_MAX_COLLECTOR_QUEUE + SM_MAX_CLUSTERS
};
struct entry {
    const struct sm_inst *in;
    uint64_t operands_at; // its operands are complete
    uint64_t from;        // it may enter, or move in front of the clusters, from this cycle on
    uint32_t lanes, pc;   // that execute
    uint32_t active;      // of the warp when it issued
    uint8_t warp, scheduler;
    bool is_second, is_in_front;
};

// ---- the SM ------------------------------------------------------------------------------------
struct kernel_slot {
    struct sm_kernel *kernel;
    struct sm_inst_counts *counts;
    uint32_t counts_capacity;
    struct sm_inst_memory *asked; // by pc; NULL: not counted
    uint32_t asked_capacity;
    uint8_t *memory;
    size_t memory_bytes;
    uint32_t free_blocks; // bit mask
    uint32_t ctas;
};

struct sm {
    struct sm_view v;
    uint64_t blocked;  // v.wait_bar | wait_fence | wait_sleep | wait_branch | wait_const
    uint64_t wake;     // next cycle to simulate
    uint64_t reply_at; // of the port's earliest reply
    uint64_t progress;
    uint64_t fetch_want, fetching;
    bool counts_memory;
    uint64_t fetch_held;    // could not ask for their line: again when something came back
    uint64_t const_retry;   // the same for constant lines
    uint32_t fetch_room;    // free entries that make a warp fetch
    uint32_t lanes_cycles;  // for which an INT instruction closes the FP pipeline, and the reverse
    uint64_t banks_free_at; // of shared memory, where the lanes access it themselves
    uint32_t dirty;         // schedulers whose held reason is out of date
    // Units whose free_at may lie ahead; INT, FP and LD/ST: always looked at.
    uint32_t units_busy;
    uint32_t fetch_last;
    bool is_busy, is_two_level, faulted;
    bool is_summed;        // `sum` holds until work comes: time adds nothing to it
    uint64_t sum_number;   // how often it was made
    bool closes;           // the last CTA has gone in this cycle
    bool pairs;            // dual issue
    bool cycle_dp;         // a double-precision instruction issued in this cycle
    uint32_t cycle_issues; // schedulers that issued in this cycle
    uint64_t cycle_taken;  // shared_warps: warps that issued in this cycle
    uint64_t busy_since;
    uint64_t retry_at; // when what was held back in this cycle is to be looked at again
    struct gates gates;
    struct techniques tech;
    bool every_cycle; // sm_simulate_every_cycle

    uint64_t long_leaves;  // all bits where warps that wait for memory leave the set, else none
    uint64_t active_since; // v.active has had active_n warps since
    uint32_t active_n;

    uint64_t (*step)(struct sm *s, uint64_t t); // step_cycle_*: with techniques or without

    // schedulers
    const struct sched_ops *ops;
    struct {
        uint64_t next;                // first cycle of its next turn
        uint64_t since;               // the held reason owns the cycles from here on
        struct sm_inst_counts *blame; // that it is charged to
        uint8_t reason;               // enum stall_reason
        uint8_t blamed;               // warp
        uint8_t last;                 // warp that issued last
        uint8_t promoted;             // two-level: promoted last; fetch groups: the first group;
                                      // CTA-aware: slot of the group's first CTA
        uint64_t full_set; // two-level: an active set without a free place; all bits: not known
    } sched[SM_MAX_SCHEDULERS];
    uint32_t active_cap[SM_MAX_SCHEDULERS];
    uint8_t cta_order[SM_MAX_CTAS]; // oldest first
    uint32_t n_ctas;

    // operand collection
    // Counts of collectors are a byte a pool, so that one word has them all.
    uint32_t collectors_used, collectors_bias; // bias: 128 less the pool's size
    uint64_t collectors_swept;
    uint32_t collector_free[256];  // by cycle
    uint32_t collector_of[UNIT_N]; // one unit of the pool that the instructions of a unit take from
    uint64_t bank_next[ACT_MAX_BANKS]; // next free read or write slot
    uint64_t bus_cycle;
    uint32_t bus_used;
    uint8_t bank_of[MAX_GPRS + SM_MAX_WARPS];
    // Cycles that row i of an instruction asks for its bank later.
    uint8_t read_after[sizeof(((struct sm_inst *)0)->src)];

    struct wheel wheel;
    struct fetched *decode; // ring
    uint32_t decode_first, decode_n, decode_cap;
    uint64_t decode_at; // cycle of its first entry
    struct hot_line icache_hot[HOT_LINES];
    uint64_t const_ok[SM_KERNEL_SLOTS];    // constant lines that take no look-up: those that are
                                           // known to be there, or none while a listener is to hear
    uint64_t const_known[SM_KERNEL_SLOTS]; // constant lines known to be there

    struct warp warp[SM_MAX_WARPS];
    struct activity act;                            // what is counted directly
    struct pipe_idle {                              // idle periods that have ended, by length
        uint64_t n[ACT_IDLE_LENGTHS], cycles, sent; // sent: cycles with an instruction on its way
        uint64_t sent_until;                        // the cycle after the last that was sent
        uint64_t bubbles;                           // see ACT_bubble_cycles
    } idle[SM_PIPES];

    struct lsu lsu, tex;
    struct mem_op *op;
    uint32_t n_ops, ops_used;
    uint16_t op_free;

    struct sm_config c;
    uint32_t id;
    struct sm_callbacks cb;
    struct caches caches;
    struct kernel_slot kernel[SM_KERNEL_SLOTS];
    struct cta_slot cta[SM_MAX_CTAS];
    struct sm_wide_pend *wide_pend; // by warp
    uint32_t regs_used, shared_used, warps_used, threads_used;
    uint64_t warps_since;          // v.resident has been constant since (warp_slots_cycles)
    uint64_t unit_pipes[UNIT_N];   // pipes of a unit
    struct entry entry[ENTRY_MAX]; // oldest first
    uint32_t n_entries;
    struct activity sum; // answer of sm_activity
    struct exec_env env;
};

static inline uint64_t min64(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }
#define BIT64(i) (1ull << (i))

// Population counts where they are hot: the oldest x86-64 has no instruction for them, and a call
// of the compiler's library costs more than this.
static inline uint32_t count_lanes(uint32_t mask) {
    if (ww_likely(mask == UINT32_MAX)) return 32;
    mask -= mask >> 1 & 0x55555555u;
    mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
    return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
static inline uint32_t count_warps(uint64_t mask) {
    mask -= mask >> 1 & 0x5555555555555555u;
    mask = (mask & 0x3333333333333333u) + (mask >> 2 & 0x3333333333333333u);
    return (uint32_t)(((mask + (mask >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

// What an instruction of a resident warp has asked of memory; NULL: not counted.
static inline struct sm_inst_memory *asked_by(const struct sm *s, uint32_t w,
                                              const struct sm_inst *in) {
    const struct kernel_slot *const ks = &s->kernel[s->warp[w].kslot];
    return ww_likely(ks->asked == NULL) ? NULL : &ks->asked[in - ks->kernel->inst];
}

// step_plain.c, step_full.c: simulates cycle t; answers the next cycle.
uint64_t step_cycle_plain(struct sm *s, uint64_t t);
uint64_t step_cycle_full(struct sm *s, uint64_t t);

// front.c
void front_fetch(struct sm *s, uint64_t t);
void front_decode(struct sm *s, uint64_t t);
void front_flush(struct sm *s, uint32_t w); // empties the warp's buffer
// A line of the cache has come, for which n waiters have waited.
void front_instructions_came(struct sm *s, const uint32_t *waiter, uint32_t n);
void front_constants_came(struct sm *s, const uint32_t *waiter, uint32_t n, uint64_t t);
bool front_constants(struct sm *s, uint32_t w, uint64_t t); // false: the warp waits for some
void front_constants_there(struct sm *s, uint32_t w);       // it waits no longer
void front_constants_retry(struct sm *s, uint64_t t); // warps whose miss found no room ask again
void front_forget_constants(struct sm *s);            // the constant cache changes
enum { WAITER_WARP = 1 << 16 }; // a waiter of a constant line that is a warp, not an operation
// The warp may have got room for a fetch.
static inline void front_want(struct sm *s, uint32_t w) {
    const struct warp *const W = &s->warp[w];
    const uint64_t no = s->fetching | s->v.wait_branch | ~s->v.resident;
    if (s->c.ibuffer_entries - W->ib_n >= s->fetch_room && !(no >> w & 1))
        s->fetch_want |= BIT64(w);
}

// lsu.c
// A memory instruction that issues.
struct lsu_order {
    const struct sm_inst *in;
    const struct exec_access *access; // what it does
    uint64_t operands_at;             // cycle in which its operands have been read
    uint32_t warp, lanes;             // lanes that execute it
};
void lsu_accept(struct sm *s, const struct lsu_order *o, uint64_t t);
// An access to shared memory by the lanes themselves: past the queue. Answers the cycles for which
// it holds them.
uint32_t lsu_on_lanes(struct sm *s, const struct lsu_order *o, uint64_t t);
void lsu_step(struct sm *s, struct lsu *u, uint64_t t);
void lsu_part_done(struct sm *s, uint16_t op, uint64_t done_at, uint64_t t); // one answer came
void lsu_store_acked(struct sm *s, uint32_t w);
bool lsu_async_open(const struct warp *w);      // more groups open than it may keep
void lsu_fence_check(struct sm *s, uint32_t w); // lets a warp go on whose fence has been met
// transact.c: one transaction in cycle t; false: it must wait
bool lsu_transact(struct sm *s, struct lsu_entry *e, uint64_t t);

// reply.c
void reply_take(struct sm *s, uint64_t t);
void reply_retry(struct sm *s, uint64_t t); // credits may have come: what was refused asks again

// cta.c
void cta_begin_warp(struct sm *s, uint32_t w, uint64_t t);
void cta_warp_exited(struct sm *s, uint32_t w, uint64_t t);
void cta_warp_drained(struct sm *s, uint32_t w, uint64_t t);

// barrier.c
void barrier_arrive(struct sm *s, uint32_t w, uint64_t t);
void barrier_after_exit(struct sm *s, struct cta_slot *c, uint64_t t);

// stall.c
void stall_flush(struct sm *s, uint32_t sc, uint64_t t); // charges the held reason up to cycle t
void stall_flush_all(struct sm *s, uint64_t t);
void stall_classify(struct sm *s, uint32_t sc, uint64_t t); // no warp of sc is ready: why
// From cycle t on; the first of `warps` is blamed.
void stall_hold(struct sm *s, uint32_t sc, enum stall_reason r, uint64_t warps, uint64_t t);
void stall_issued(struct sm *s, uint32_t sc, uint64_t t);

// technique.c: calls to all techniques that have the port
void technique_work(struct sm *s, bool begins, uint64_t cycle);
void technique_cycle(struct sm *s, uint64_t t);
void technique_lapse(struct sm *s, uint64_t t); // lines of caches, ahead of all accesses of a cycle
void technique_rest(struct sm *s);
void technique_kernel(struct sm *s, uint32_t slot, const struct code_image *image);
void technique_warp(struct sm *s, const struct sm_warp_event *e);
void technique_issued(struct sm *s, const struct sm_issue *i);
uint32_t technique_rows(const struct sm *s, const struct sm_row_access *a, bool is_write);
uint32_t technique_array(const struct techniques *k,
                         const struct cache_event *e); // answers extra cycles

// gate.c
void gate_forget(struct sm *s);           // no technique switches pipelines
void gate_all_on(struct sm *s);           // none is off, whatever has been before
void gate_look(struct sm *s, uint64_t t); // finds what is off in cycle t
void gate_want(struct sm *s, uint32_t unit, uint64_t is_free); // a warp's unit is off: asks for it

// count.c: the counts of a kernel that leaves its slot; the active set has changed in cycle t; idle
// times when the SM becomes busy and when it is so no more
void count_keep(struct sm *s, uint32_t slot);
void count_active(struct sm *s, uint64_t t);
void count_open(struct sm *s, uint64_t cycle);
void count_close(struct sm *s, uint64_t cycle);

// ---- schedulers: one file each behind this interface -------------------------------------------
struct sched_ops {
    // Which warps may issue (two-level: moves between the sets); NULL: all. Changes nothing when
    // nothing changed since the last call.
    void (*prepare)(struct sm *s, uint32_t sc);
    // One of `ready` (not 0).
    uint32_t (*pick)(const struct sm *s, uint32_t sc, uint64_t ready);
};
const struct sched_ops *sched_find(uint32_t kind); // scheduler.c, of enum sm_scheduler_kind

#endif
