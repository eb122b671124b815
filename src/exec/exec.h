// What every instruction computes. A warp's register is 32 contiguous words; a handler is a loop
// over 32 lanes. Nothing here knows a cycle: the caller decides when a warp steps, and gets back
// what the step did to memory, so that it can time it.
//
// Order of memory (ARCHITECTURE.md, "One order of memory"): within a quantum an SM sees its own global
// stores (its exec_log) and otherwise memory as it stood at the quantum's start. `exec_commit`
// applies the logs of all SMs in order of SM and issue; global atomics compute there and write
// their old values into the waiting warps' registers. Without a log (functional runs of one block)
// stores and atomics take effect at once.
#ifndef WW_EXEC_H
#define WW_EXEC_H

#include <assert.h>

#include "exec/fault.h"

enum { WARP_LANES = 32, EXEC_MAX_STACK = 64, EXEC_HITS = 16 };

struct devmem;
struct exec_bulks;
struct exec_launch;

// ---- state of warps and CTAs ----------------------------------------------------------------
struct simt_entry {
    uint32_t pc, reconv; // reconv UINT32_MAX: at the end of the kernel or function
    uint32_t mask;
    uint32_t kind; // SIMT_BRANCH, SIMT_CALL (pops by RET)
};
enum { SIMT_BRANCH, SIMT_CALL };

// What a warp needs to execute; the top of its SIMT stack is unpacked in pc/active/reconv. `sp` is
// how many entries lie below it.
struct exec_warp {
    // What most instructions look at: two lines of the host's cache.
    _Alignas(64) uint32_t *regs; // [n_regs][32], 64-byte aligned
    const uint8_t *base[2];      // private: registers, constant vectors
    const struct xinst *code;    // private
    uint32_t pc, active, reconv;
    uint32_t live;             // lanes that have not exited
    struct its *its;           // private: independent thread scheduling (its.c); NULL: a stack
    struct exec_cta *cta;
    uint32_t pred[16];         // lane masks; pred[7] and pred[15] all ones
    uint32_t n_deferred;       // private: results that exec_commit still owes
    uint32_t pushes, pops;     // since last read by the caller; for activity
    uint8_t *local;            // [local words][32 lanes]
    // Device address that the warp's local memory appears at, for caches: word w of lane l is at
    // local_base + 128 w + 4 l. exec_cta_init gives one by SM and warp; the caller may move it.
    uint64_t local_base;

    uint32_t exists; // lanes that exist at all (partial last warp)
    uint32_t sp, kind;
    uint32_t warp_in_cta;
    uint32_t lane_slot;       // hardware warp slot (%warpid), set by the caller
    uint32_t stack_cap;
    struct simt_entry *stack; // EXEC_MAX_STACK (grown on deep recursion)
    // barrier parameters of the last EXEC_BARRIER outcome
    uint32_t bar_id, bar_threads, bar_kind; // bar_threads 0: whole CTA; bar_kind enum mbar
    uint32_t bar_value;                     // predicate bits given to a reducing barrier
    const void *bar_dst;                    // private
    uint32_t bar_mask;                      // lanes that came, which get the barrier's result
    // With `its` barrier outcomes count a warp less so many threads, and say whether the warp waits
    // (enum exec_flow). bar_waits: barriers, a bit each, at which lanes of it wait.
    uint32_t bar_less, bar_flow, bar_waits;
    // The phase of a barrier in shared memory that the warp last tried to wait for, in vain.
    struct exec_tried {
        uint32_t barrier; // offset
        bool parity, is_there;
    } tried;
    uint32_t cluster_came; // lanes that have come to the barrier of the cluster in its phase
};
static_assert(offsetof(struct exec_warp, pred) == 64 &&
                  offsetof(struct exec_warp, n_deferred) == 128,
              "two lines of the host's cache");

enum exec_flow { EXEC_BY_KIND /* arrive goes on, others wait */, EXEC_GOES_ON, EXEC_WAITS };

// Blocks that run at once and reach each other's shared memory. Its owner fills it in by
// exec_cluster_join, and between quanta says who has ended.
enum { EXEC_CLUSTER_BLOCKS = 16 };
struct exec_cluster {
    uint32_t n;    // blocks
    uint32_t gone; // that had ended when the quantum began, a bit each
    struct exec_cta *cta[EXEC_CLUSTER_BLOCKS]; // by rank
};

struct exec_cta {
    struct exec_launch *launch;
    uint32_t id[3];
    uint64_t linear_id;
    uint32_t sm_id;
    uint8_t *shared; // shared_bytes + dynamic
    uint32_t shared_bytes;
    struct exec_warp *warps;
    uint32_t n_warps, n_threads;
    void *memory;                    // private: one block holds all of the CTA
    struct exec_shared_check *check; // private: shadow of memory, NULL when not checking
    struct exec_cluster *cluster;    // NULL: the block is on its own
    uint32_t rank;    // in the cluster
    uint32_t window;  // private: what its own addresses of shared memory have above the offset
    // Private: threads that neither ended nor came to the cluster's barrier in its phase; that came.
    uint32_t missing, came;
};
// Bytes that a CTA of this launch needs; the caller gives the (64-byte aligned) block, so that
// slots can be reused without allocation. Registers and shared memory are zeroed.
size_t exec_cta_bytes(const struct exec_launch *l);
void exec_cta_init(struct exec_cta *c, struct exec_launch *l, void *memory, uint64_t linear_id,
                   uint32_t sm_id);

// Clusters of a launch: blocks of one (0: blocks are on their own; those that come to a cluster's
// barrier are clusters of one), the number of the n-th block when clusters come one after the other,
// and a block that becomes the one of this rank.
uint32_t exec_cluster_blocks(const struct exec_launch *l);
uint64_t exec_cluster_cta(const struct exec_launch *l, uint64_t n);
void exec_cluster_join(struct exec_cluster *k, struct exec_cta *c, uint32_t rank);
// Between quanta: whether all threads have come to the cluster's barrier. If so its next phase has
// begun, and the caller releases the warps that wait at EXEC_CLUSTER_BARRIER.
bool exec_cluster_opens(struct exec_cluster *k);
// For reports: threads of its blocks that have neither ended nor come there.
uint32_t exec_cluster_missing(const struct exec_cluster *k);

// ---- stepping -------------------------------------------------------------------------------
enum exec_outcome {
    EXEC_NEXT,    // computed
    EXEC_MEMORY,  // accessed memory: see exec_access
    EXEC_BARRIER, // the warp waits at a barrier until exec_barrier_release (or went on: arrive)
    EXEC_EXITED,  // no live lanes are left
    EXEC_FAULT,   // see exec_env.fault
    EXEC_SLEEP,   // nanosleep: access.addr[0] holds nanoseconds
    EXEC_GRID_LAUNCH, // for its block the grid that depends on this one may begin
    EXEC_GRID_WAIT,   // it goes on when the grids before this one are complete
    EXEC_STUCK    // its lanes wait for one another, or at barriers that they came to before: the warp
                  // waits until exec_barrier_release
};

// A barrier in shared memory that lanes wait for, or arrive at later (bulk.h).
struct exec_wait_for {
    uint32_t barrier; // offset
    uint32_t lanes;
    uint32_t nanoseconds; // until the wait gives up; without a limit of the program the machine's
    uint32_t pred;        // predicate that gets the answer
    bool has_limit;
    bool parity;         // of the phase that is waited for
    uint8_t arrival;     // enum marrives
};

// The policy of L2 that the warp's next instruction names in its fifth source, a register pair: that of its
// first lane.
uint64_t exec_policy(const struct exec_warp *w);

// What a memory instruction did, for whoever times it.
struct exec_access {
    uint8_t space;  // SPACE_GLOBAL, SHARED, LOCAL, CONST, TEX
    uint8_t kind;   // ACCESS_*
    uint8_t cop;    // enum mcop
    uint8_t bytes;  // a lane accesses, vectors included (1..16)
    uint32_t mask;  // lanes that access; lanes not in it have no address
    uint32_t mask2; // generic accesses: lanes that went to shared (the rest went to `space`)
    uint32_t remote; // lanes that went to another block's shared memory, which are in no other mask;
                     // their address has the block's rank in its upper word
    uint32_t n_dst; // destination words (for write-back)
    // The result is not there before exec_commit (atomics, and loads of lines that an own atomic of
    // this quantum changes): the caller must not let anyone read it in this quantum.
    bool deferred;
    uint8_t bank;      // CONST: which bank
    bool is_barrier;   // an arrival at a barrier in shared memory: who waits for it may go on
    struct exec_wait_for wait; // of ACCESS_WAIT and ACCESS_ARRIVE_LATER
    uint64_t policy; // of L2 (isa/policy.h); 0: none. Whoever times the access sets it
    uint64_t addr[32]; // global, local, tex, param: device address; shared: CTA offset; const: bank
                       // offset
};
enum {
    ACCESS_LOAD,
    ACCESS_STORE,
    ACCESS_ATOMIC /* has a result */,
    ACCESS_REDUCE,
    ACCESS_TEX,
    ACCESS_PREFETCH,
    ACCESS_FENCE,
    ACCESS_ASYNC_COPY,
    ACCESS_BULK,        // began copies: exec_env.bulks
    ACCESS_WAIT,        // a phase is not over: whoever times it may answer later (exec_wait_answer),
                        // or leave it at that
    ACCESS_ARRIVE_LATER // an arrival for when the warp's copies are done (exec_arrive_now)
};

// A log of global stores and atomics of one SM in one quantum.
struct exec_log;
struct exec_log *exec_log_create(void);
void exec_log_destroy(struct exec_log *log);
bool exec_log_is_empty(const struct exec_log *log);
// Applies the logs of all SMs in order and empties them. Returns false and fills `fault` if an
// atomic faults (device printf output is emitted here as well, in the same order).
bool exec_commit(struct devmem *m, struct exec_log *const *logs, uint32_t n, struct exec_fault *f);

// One SM's view for executing.
struct exec_env {
    struct devmem *memory;
    struct exec_log *log; // NULL: direct mode
    uint64_t cycle;       // for %clock; the caller keeps it up to date
    struct exec_fault fault;
    struct exec_access access; // of the last EXEC_MEMORY
    struct exec_bulks *bulks;  // of the last ACCESS_BULK; the caller's to destroy
    // The caller reads no access.addr of loads, stores and atomics: it may hold anything then.
    bool wants_no_addresses;
    // Hears of each access to global memory that runs without time; NULL: nobody does.
    void (*heard)(struct exec_env *e, const struct exec_warp *w);
    bool remote_waits; // other blocks of a cluster run beside this one: what goes to their memory
                       // does so at the commit
    uint32_t exec_mask;        // lanes that executed the last instruction (active and guard)
    // private: the allocation that was hit last
    struct exec_range {
        uint64_t first, end;
        uint8_t *host;
        uint32_t epoch;
        bool is_guarded; // some of it is read only
    } range;
    // private: that which an instruction hit last, by its place in the code modulo their number
    struct exec_range hit[EXEC_HITS];
};

// Executes the instruction at w->pc and moves the warp on (branch, reconvergence, exit included).
enum exec_outcome exec_step(struct exec_env *e, struct exec_warp *w);

// All warps that a barrier waits for have come: reductions get their results.
// `value` is the combined result (count for popc, 0/1 for and/or). w->bar_id is the barrier.
void exec_barrier_release(struct exec_warp *w, uint32_t value);
#endif
