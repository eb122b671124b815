// The inside of an SM, for the files of this room only: struct sm is composed of its parts, each
// with a header of its own.
//
//   residency.h  warps, CTAs, kernels     cta.c        CTAs and warps come and go
//                                         barrier.c    barriers
//   kernel.h     a decoded kernel         kernel.c     decoding for timing, occupancy
//   sub_core.h   front end                front.c      fetch, decode, constant operands
//                schedulers               sched_*.c    one a file
//                collectors, banks        collect.h
//                units (pipelines)        units.h
//                entries to lane groups      entry.c      lane groups chosen at entry
//   lsu.h        load/store unit          lsu.c        accesses, one at a time
//                                         transact.c   their transactions
//                                         reply.c      what comes back from memory
//   tma.h        bulk copies              tma.c        their engine; waits for barriers in memory
//   pending.h    what warps wait for      pending.def  a row each, beyond operands
//   caches.h     caches                   caches.c     look-ups, misses, lines come and go
//   technique.h  techniques               technique.c  their ports
//                                         gate.c       pipelines that are off
//   group.h      shared front ends        group.c      groups come and go
//                                         step_group.c who schedules in a group
//   alarm.h      what wakes an SM         wheel.h      completions by cycle
//
// Besides: step.h, a cycle (step_arrive.h, step_turn.h, step_issue.h, step_leave.h; step.c compiles
// it for each kind of SM, step_group.c for groups); watch.h, its warps cycle by cycle; issue.h, an instruction between its issue and
// its pipeline; ready.h, whether operands let a warp issue, with two bodies: scoreboard.h, pending
// registers, and counters.h, stall counts and dependence counters; stall.c, the owner of an issue
// slot; count.c, activity; toggle.c, bits that change; sm.c, making and running.
//
// Time is sparse: sm_run simulates only cycles in which something may change. What a cycle touches
// stands at the front of struct sm.
#ifndef WW_SM_STATE_H
#define WW_SM_STATE_H

#include "sm/alarm.h"
#include "sm/issue.h"
#include "sm/kernel.h"
#include "sm/lsu.h"
#include "sm/pending.h"
#include "sm/residency.h"
#include "sm/sub_core.h"
#include "sm/technique.h"
#include "sm/shared_port.h"
#include "sm/tma.h"
#include "sm/toggle.h"

// ---- events ------------------------------------------------------------------------------------
enum { WHEEL = 512 }; // cycles ahead; farther events come round again
enum event_kind {
    EVENT_RESULT,   // a result wants to be written: bank and bus
    EVENT_RELEASE,  // a result has been written
    EVENT_READ,     // operands have been read (counters.h)
    EVENT_BRANCH,   // a branch has resolved
    EVENT_WAKE,     // a sleep or a barrier's latency is over
    EVENT_CONSTANT, // a listener's extra cycles for constant operands are over
    EVENT_FETCH,    // a line of L0 is ready for a warp
    EVENT_SECOND,   // the second level has a constant line
    EVENT_LAUNCH,   // a new warp may be fetched
    EVENT_PRODUCT   // a product of a warp group is done; lanes: its group
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
    uint32_t fresh; // nodes from here on were never in the free list
    uint32_t n;
    bool is_full; // an event found no room
};

// ---- fetches on their way (front.c) ------------------------------------------------------------
// One ring for all sub-cores, in the order in which fetches are decoded. It grows only when more are
// on their way than ever before, so that what is in use stays in the host's cache.
struct fetched {
    uint64_t cycle; // in which it is decoded
    uint32_t pc;
    uint16_t gen;
    uint8_t warp, n;
};
struct fetches {
    struct fetched *ring;
    uint32_t first, n;
    uint32_t places;   // of the ring now, a power of two
    uint32_t capacity; // the most that it may have
};

// ---- lines of the instruction cache that were fetched from lately (front.c) --------------------
enum { HOT_LINES = 16 }; // a power of two
// A line's address (all bits: none) and its place in the cache.
struct hot_line {
    uint64_t line;
    uint32_t place;
};

// ---- techniques (technique.c, gate.c) -----------------------------------------------------------
// Pipelines that a technique switches off.
struct gates {
    struct sm_gate *gate;        // by pipe; the technique's, or `none`
    uint64_t more;               // pipes beyond INT and FP that may be off
    uint64_t off;                // pipes that are off in this cycle
    uint64_t pipe_off[SM_PIPES]; // by pipe: all bits when it is off, else none
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
    uint64_t lapse_at; // when lines may lapse next; ALARM_EPOCH: the earliest of all these
    bool counts_idle;  // time adds to what a technique counts while the SM holds no work
    uint32_t heard;    // arrays that a technique hears of: bit mask of enum mem_array
};

// ---- caches (caches.h) -------------------------------------------------------------------------
enum { WRITEBACKS_WAIT = 32 }; // misses and stores wait while so many dirty lines do
struct caches {
    struct sm_cache {
        struct cache *tags; // NULL: there is none
        struct mshr *mshr;
        uint64_t line_mask;                                 // of an address within its line
        uint32_t line_bytes, line_shift, sector_bytes, all; // all: mask of a line's sectors
        uint32_t hit_latency, ports;
        uint8_t array; // enum mem_array: L1's for textures that it caches
    } of[CLIENT_N];
    struct mem_port *port;
    uint64_t send_at;          // the port takes requests in order of time
    uint64_t sent, sent_bytes; // requests so far, and what they move
    uint64_t *writeback;       // dirty lines that wait for credits
    uint32_t n_writebacks, writebacks_room;
    // Constant lines on their way from the second level, the oldest first. There is room for as many
    // as may miss at once; second_room 0: there is no second level.
    uint64_t *second;
    uint32_t second_first, second_n, second_room;
    bool is_broken;                // a dirty line found no room in `writeback`
    uint32_t *waiter;              // those that mshr_fill answers: room for one line's
    struct activity *act;          // the SM's counters
    const struct techniques *tech; // that listen
};

// ---- the SM ------------------------------------------------------------------------------------
struct scheduler {
    uint64_t next;             // first cycle of its next turn
    uint64_t since;            // cycles from here on are still to be charged to the held reason
    uint8_t reason;            // the held one: enum stall_reason (stall.c)
    uint8_t blamed;            // warp that it was found at
    struct inst_stalls *blame; // counts of the instruction that it was found at; NULL: of none
    uint8_t last;              // warp that issued last
    uint8_t promoted;          // two-level: promoted last; fetch groups: the first group;
                               // CTA-aware: slot of the group's first CTA
    uint64_t full_set;         // two-level: an active set without a free place; all bits: not known
    uint32_t active_cap;       // two-level: places in its set
};

// Constant lines of each kernel, a bit each (sm_kernel.const_line), and warps that wait for some
// (front.c).
struct constants {
    uint64_t retry;                  // warps whose miss found no room: they ask again after a reply
    uint64_t known[SM_KERNEL_SLOTS]; // lines that are in the constant cache
    uint64_t ok[SM_KERNEL_SLOTS];    // the same, or none while a technique hears of each look-up
};

// Idle periods of a pipeline that have ended; by length they are counted in sm.act.
struct pipe_idle {
    uint64_t cycles, sent; // sent: cycles with an instruction on its way
};

// What an SM counts while its group shares a front end (group.c).
struct shared_counts {
    bool is_on;        // the group shares
    bool front_is_off; // this SM is a slave
    // What had been counted when sharing began: busy cycles, scoreboard checks, flushes, results.
    uint64_t busy_at, checks_at, flushes_at, results_at;
    uint64_t instructions, results; // issued in lock step; of them, those with a result
};

// A ring by cycle of warps that wait for nothing but their stall count (counters.h): in the slot of
// the cycle in which it is over.
enum { STALLS = 64 };
struct stalls {
    uint64_t bits; // slots that hold warps
    uint64_t all;  // warps in any slot
    uint64_t warps[STALLS];
};

struct sm {
    struct sm_view v;
    struct pending pending;
    struct alarms alarms;
    uint64_t progress; // last cycle in which an instruction issued or a reply came
    uint32_t
        lanes_cycles;   // for which an INT instruction closes its twin, the FP pipeline (units.h)
    uint32_t dirty;     // schedulers (bit mask) that must find anew why they issue nothing
    bool is_busy;       // it holds a CTA, since cycle busy_since
    uint64_t awake_at;  // warps begin behind this cycle
    bool is_two_level;  // its schedulers have an active set
    bool faulted;       // it has stopped: its program faulted, or
    const char *broken; // what the SM found wrong with itself; NULL: nothing
    bool closes;        // the last CTA has gone in this cycle
    bool pairs;         // a scheduler may issue two instructions of a warp in a turn
    uint64_t busy_since;
    const struct readiness *ready;
    uint64_t (*step)(struct sm *s, uint64_t t); // simulates cycle t; answers the next one

    const struct sched_ops *ops;
    struct scheduler sched[SM_MAX_SCHEDULERS];
    uint32_t n_subs; // a power of two, 1 << sub_shift
    uint32_t sub_shift;
    struct sub_core sub[SM_MAX_SUB_CORES];
    struct wheel wheel;
    struct stalls stalls;
    struct residency res;
    struct lsu lsu;
    struct shared_port shared_port;
    struct tma tma;
    struct caches caches;
    struct fetches fetches;
    struct hot_line hot[HOT_LINES]; // of the instruction cache
    struct constants constants;
    struct gates gates;
    struct techniques tech;
    struct sm_group *group; // of SMs that may share a front end, or NULL (group.h)
    uint32_t rank;          // in the group; 0: its master
    struct shared_counts shared;

    struct activity act; // what is counted directly
    struct pipe_idle idle[SM_PIPES];
    uint64_t active_since; // v.active has had active_n warps since
    uint32_t active_n;
    struct activity sum; // answer of sm_activity
    bool is_summed;      // `sum` holds until work comes: time adds nothing to it
    uint64_t sum_number; // how often it was made

    struct sm_config c;
    uint32_t id;
    struct sm_callbacks cb;
    bool every_cycle;         // sm_simulate_every_cycle
    bool counts_instructions; // sm_count_instructions
    struct toggle *toggle;    // sm_count_toggles; NULL: not counted
    struct sm_watch *watch;   // watch.h; NULL: it is not watched
    struct exec_source source;
    struct exec_env env;
};

// The sub-core of a warp, or of a scheduler.
static inline struct sub_core *sub_of(struct sm *s, uint32_t w) {
    return &s->sub[w & (s->n_subs - 1)];
}

// The SM is in a state that cannot be: it stops.
static inline void sm_break(struct sm *s, const char *what) {
    s->broken = what;
    s->faulted = true;
}

// step.c: the step, and the readiness, that know all that is asked of the SM
void step_choose(struct sm *s);

// front.c
struct cache_access;
void front_fetch(struct sm *s, struct front *f, uint64_t t);
void front_decode(struct sm *s, uint64_t t);
void front_flush(struct sm *s, uint32_t w); // empties the warp's buffer
// A line of the cache has come, for which n waiters have waited.
void front_instructions_came(struct sm *s, const uint32_t *waiter, uint32_t n);
void front_constants_came(struct sm *s, const uint32_t *waiter, uint32_t n, uint64_t t);
bool front_constants(struct sm *s, uint32_t w, uint64_t t); // false: the warp waits for some
void front_constants_there(struct sm *s, uint32_t w);       // it waits no longer
// Fetches and constants whose miss found no room: whether there are any, and they ask again.
bool front_has_refused(const struct sm *s);
void front_retry(struct sm *s, uint64_t t);
void front_forget_constants(struct sm *s); // the constant cache changes
// A line of constants is not there: asks for it; false: it could not be asked for.
bool front_constant_miss(struct sm *s, const struct cache_access *a, uint32_t waiter);
void front_line_ready(struct sm *s, uint32_t w); // of L0
void front_forget_lines(struct sm *s);           // instruction caches are emptied
uint32_t front_has_line(const struct sm *s, uint64_t line);            // bit a sub-core whose L0 has it
void front_warm_line(struct sm *s, uint64_t line, uint32_t sub_cores); // it is in their L0s
enum { WAITER_WARP = 1 << 16 }; // a waiter of a constant line that is a warp, not an operation
// The warp may have got room for a fetch.
static inline void front_want(struct sm *s, uint32_t w) {
    const struct warp *const warp = &s->res.warp[w];
    struct front *const f = &sub_of(s, w)->front;
    const uint64_t no = f->fetching | s->pending.of[PENDING_branch] | ~s->v.resident;
    const uint32_t taken = warp->ib_n + warp->ib_coming;
    const uint64_t has_room = s->c.ibuffer_entries - taken >= f->room;
    f->want |= has_room << w & ~no; // nothing branches on it
}
// The warp fetches nothing until it wants to again.
static inline void front_wait(struct front *f, uint32_t w) {
    f->want &= ~BIT64(w);
    f->held &= ~BIT64(w);
}

// lsu.c
// The window of a warp's launch (isa/policy.h), or NULL; what an access to an address says of its line, by
// its policy (0: none) or else by the window.
static inline const struct policy_window *sm_window_of(const struct sm *s, uint32_t w) {
    const struct kernel_slot *const k = &s->res.kernel[s->res.warp[w].kslot];
    return ww_likely(k->window.bytes == 0) ? NULL : &k->window;
}
static_assert((int)MEM_HINT_FIRST == PRIORITY_FIRST && (int)MEM_HINT_LAST == PRIORITY_LAST &&
                  (int)MEM_HINT_NORMAL == PRIORITY_NORMAL &&
                  (int)MEM_HINT_UNCHANGED == PRIORITY_UNCHANGED,
              "memory's hints are the priorities of policies");
static inline uint8_t sm_priority(uint64_t policy, const struct policy_window *w, uint64_t addr) {
    enum isa_priority p = PRIORITY_NONE;
    if (ww_unlikely(policy != 0)) p = policy_priority(policy, addr);
    if (ww_unlikely(p == PRIORITY_NONE && w != NULL)) p = policy_window_priority(w, addr);
    return (uint8_t)p;
}

void lsu_accept(struct sm *s, const struct issue *o, uint64_t t);
// An access to shared memory by the lanes themselves: past the queue. Answers the cycles for which
// it holds them.
uint32_t lsu_on_lanes(struct sm *s, const struct issue *o, uint64_t t);
void lsu_step(struct sm *s, struct lsu_queue *u, uint64_t t);
void lsu_part_done(struct sm *s, uint16_t op, uint64_t done_at, uint64_t t); // one answer came
void lsu_store_acked(struct sm *s, uint32_t w);
// transact.c: one transaction in cycle t; false: it must wait
bool lsu_transact(struct sm *s, struct lsu_entry *e, uint64_t t);

// reply.c
void reply_second(struct sm *s, uint64_t t); // the oldest line of the second level has come
void reply_take(struct sm *s, uint64_t t);
void reply_retry(struct sm *s, uint64_t t); // credits may have come: what was refused asks again

// cta.c
void cta_begin_warp(struct sm *s, uint32_t w, uint64_t t);
void cta_close_busy(struct sm *s, uint64_t t);     // at the end of a cycle: a last CTA has gone
void cta_finish_drained(struct sm *s, uint64_t t); // CTAs that a group has kept until now
void cta_warp_exited(struct sm *s, uint32_t w, uint64_t t);
void cta_warp_drained(struct sm *s, uint32_t w, uint64_t t);

// barrier.c
void barrier_arrive(struct sm *s, uint32_t w, uint32_t pc, uint64_t t);
void barrier_after_exit(struct sm *s, struct cta_slot *c, uint64_t t);

// stall.c
void stall_flush(struct sm *s, uint32_t sc, uint64_t t); // charges the held reason up to cycle t
void stall_flush_all(struct sm *s, uint64_t t);
void stall_classify(struct sm *s, uint32_t sc, uint64_t t); // no warp of sc is ready: why
// From cycle t on; the first of `warps` is blamed.
void stall_hold(struct sm *s, uint32_t sc, enum stall_reason r, uint64_t warps, uint64_t t);
void stall_issued(struct sm *s, uint32_t sc, uint64_t t);
// The reason of the same scheduler in another SM, which stands at the same instructions.
void stall_follow(struct sm *s, uint32_t sc, const struct sm *other, uint64_t t);

// group.c
bool group_cta_is_done(const struct sm *s, uint32_t at);
void group_count(const struct sm *s, struct activity *a, uint64_t now);

// sm.c: a quantum's begin and end, for sm_run and sm_group_run
void sm_run_begin(struct sm *s, uint64_t from);
void sm_run_end(struct sm *s);

// technique.c: calls to all techniques that have the port
void technique_work(struct sm *s, bool begins, uint64_t cycle);
// The SM gets its first CTA: by how many cycles its warps begin later.
uint64_t technique_wake(struct sm *s, uint64_t cycle);
void technique_epoch(struct sm *s, uint64_t t); // a cycle in which epochs end
void technique_lapse(struct sm *s, uint64_t t); // lines of caches, ahead of all accesses of a cycle
void technique_rest(struct sm *s);
void technique_kernel(struct sm *s, uint32_t slot, const struct code_image *image);
void technique_warp(struct sm *s, const struct sm_warp_event *e);
// In cycle t, to a pipeline (SM_PIPES: to none).
void technique_issued(struct sm *s, const struct issue *i, uint32_t pipe, uint64_t t);
uint32_t technique_rows(const struct sm *s, const struct sm_row_access *a, bool is_write);
uint32_t technique_array(const struct techniques *k,
                         const struct cache_event *e); // answers extra cycles

// gate.c
void gate_forget(struct sm *s);           // no technique switches pipelines
void gate_all_on(struct sm *s);           // none is off, whatever has been before
void gate_look(struct sm *s, uint64_t t); // finds what is off in cycle t
void gate_want(struct sm *s, uint32_t unit, uint64_t is_free); // a warp's unit is off: asks for it
// A scheduler chose warp w, one of `held`: asks for its unit, or for its lanes. Answers all warps
// that wait for the unit.
uint64_t gate_want_unit(struct sm *s, const struct units *units, uint32_t w, uint64_t held,
                        uint64_t t);

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
