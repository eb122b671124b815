// One streaming multiprocessor: when each instruction is fetched, issues, reads its operands,
// executes and writes back. exec says what it computes, mem how long memory takes.
//
// An SM runs alone for a quantum (mem.h) between `sm_run` calls; everything it shares with others
// goes through its mem_port and its exec_log.
//
// For the engineer of src/gpu:
//  - sm_config has keys that came later: `read_latency`, `pending_entries` (0 means 64),
//    `shared_wide_extra` and `icache_prefetch` (default 0); what `timing` means is said at struct
//    class_timing.
//  - A quantum is: mem_system_deliver, sm_take_cta, sm_run for each SM; then exec_commit, then the
//    memory phase. A CTA may be given to an SM only after the exec_commit of the quantum in which
//    the slot became free (its registers may be owed results until then).
//  - sm_run may be skipped while sm_next_event says so and no reply or CTA comes; the time between
//    is accounted for at the next call. An SM whose load/store unit waits for credits of the
//    network answers UINT64_MAX: it is tried again by the next sm_run.
//  - ACT_sm_idle_cycles and ACT_cycles are yours: an SM does not know when a kernel runs elsewhere.
#ifndef WW_SM_H
#define WW_SM_H

#include "activity/activity.h"
#include "exec/exec.h"
#include "mem/mem.h"

enum sm_dp_pipe { DP_PIPE_DP, DP_PIPE_INT, DP_PIPE_FP };
enum sm_int_mul_pipe { INT_MUL_PIPE_INT, INT_MUL_PIPE_SFU };
enum sm_cluster_at { CLUSTER_AT_ISSUE, CLUSTER_AT_ENTRY };
enum sm_scheduler_kind {
#define SCHEDULER(id, ...) SCHED_##id,
#include "sm/scheduler.def"
    SCHED_KINDS
};
enum { SCHED_HAS_SET = 1, SCHED_HAS_GROUPS = 2, SCHED_MAY_SHARE = 4 }; // see scheduler.def
struct sm_scheduler_info {
    const char *name;
    uint32_t traits;
    const char *prose, *source;
};
extern const struct sm_scheduler_info sm_scheduler_info[SCHED_KINDS];
static inline bool sm_scheduler_is(uint32_t kind, uint32_t trait) {
    return kind < SCHED_KINDS && (sm_scheduler_info[kind].traits & trait) != 0;
}

// A dependent instruction issues `read_latency + latency + write_latency` cycles after its producer
// when no bank, collector or bus is in the way: that sum is what dependent-chain measurements give.
// For LD/ST and texture classes other than SHFL `latency` is the time before the access begins (0:
// it is part of the caches' and shared memory's latencies). CTRL's latency is the barriers': from
// the issue of the last warp that comes to one until its warps may issue. CTRL's interval, if it is
// more than 1 or with ctrl_on_lanes, is the time that it takes from the INT lanes.
struct class_timing {
    uint32_t latency;    // core cycles from operands read to result written
    uint32_t interval;   // core cycles until the pipeline takes the next warp instruction
};

enum { SM_MAX_CLUSTERS = 8, SM_MAX_SCHEDULERS = 8, SM_MAX_WARPS = 64, SM_MAX_CTAS = 32 };
enum { SM_MAX_COLLECTORS = 64, SM_MAX_COLLECTOR_QUEUE = 16 }; // of a kind

// From the GPU file. "Core cycle" is the scheduler's clock (GTX 480: 700 MHz, half of the hot
// clock; a 16-lane double-clocked cluster takes a warp instruction a core cycle). Where a chip
// issues a warp over several cycles (GT200: 8 lanes, 4 hot cycles) the intervals say so.
struct sm_config {
    uint32_t gen;               // enum target_gen
    uint32_t max_warps, max_ctas, max_threads, registers, shared_bytes;
    uint32_t reg_alloc_unit;    // registers granted at once ...
    bool reg_alloc_per_cta;     // ... to a CTA (Tesla) or to a warp (Fermi, Kepler)
    uint32_t warp_alloc_unit;   // warps of a CTA are rounded up to this
    uint32_t shared_alloc_unit; // bytes
    uint32_t static_shared_overhead; // bytes each CTA takes for parameters (Tesla)
    // front end
    uint32_t fetch_width;       // warps fetched a cycle
    uint32_t fetch_instructions; // instructions a fetch brings (ibuffer entries)
    uint32_t ibuffer_entries;   // a warp
    uint32_t instruction_bytes; // of a machine instruction in memory
    uint32_t decode_latency;    // fetch hit to issue-ready
    struct cache_config icache;
    bool icache_flush;          // a launch empties the instruction cache, as it does the others
    uint32_t icache_prefetch;   // lines behind a missing one that are asked for with it
    // issue
    uint32_t schedulers;
    uint32_t scheduler;         // enum sm_scheduler_kind
    uint32_t issue_width;       // instructions a scheduler may issue a cycle from one warp
    uint32_t scheduler_interval; // core cycles between issues of one scheduler (Fermi: 1)
    uint32_t active_warps;      // two-level: size of the active set, per SM
    bool active_waits;          // two-level: places that no other warp wants are held by warps that
                                // wait for memory
    bool shared_warps;          // a scheduler chooses among all warps of the SM, not among its own;
                                // a warp issues to one of them a cycle
    uint32_t group_warps;       // fetch groups: warps of a group, per SM; CTA-aware: CTAs are put
                                // together until they hold as many
    uint32_t max_issues_per_warp; // dual issue: 1 or 2
    bool dual_issue_diff_units; // both instructions of a dual issue need different units
    bool dp_blocks_issue;       // a double-precision issue takes both schedulers (Fermi)
    uint32_t branch_latency;    // issue of a branch to next fetch of that warp
    // register file and operand collection
    uint32_t rf_banks;          // 32-lane rows interleaved: bank = (register + warp) mod banks
    uint32_t read_latency;      // core cycles from issue to the first operand's read, 0 or more
    uint32_t collectors;        // units
    uint32_t collectors_sfu;    // units for SFU; 0: of `collectors`
    uint32_t collectors_mem;    // for LD/ST and texture
    uint32_t collector_queue;   // instructions that may wait for a unit of each kind
    uint32_t collector_reads;   // rows that a unit takes a cycle; 0: any number
    uint32_t collector_ahead;   // core cycles before its instruction enters in which a unit is free
    uint32_t collector_ports;   // reads a bank serves a cycle (1: single-ported)
    uint32_t result_bus;        // results written a cycle
    uint32_t write_latency;     // core cycles from the pipeline's end to dependent instructions
    // execution
    uint32_t clusters;          // SP clusters, each with an INT and a FP pipeline
    uint32_t cluster_at;        // when an INT or FP instruction's is chosen: enum sm_cluster_at
    bool int_fp_shared_issue;   // a cluster takes INT or FP, not both: while an addition's interval
                                // lasts (Fermi: a cycle; Tesla: two, eight lanes do both)
    bool shared_on_lanes; // shared memory is an operand of the lanes' instructions (Tesla): an
                          // access holds them for as long as it holds the banks
    uint32_t sfus, dp_units;    // pipelines (warp wide; intervals say how wide in truth)
    uint32_t dp_pipe;           // enum sm_dp_pipe: pipelines that compute in double precision
    uint32_t int_mul_pipe;      // enum sm_int_mul_pipe: pipelines of integer products and quotients
    bool ctrl_on_lanes; // branches and barriers take an INT pipeline; an exit leaves nothing behind
    struct class_timing timing[OPC_N];
    // load/store
    uint32_t lsu_queue;         // accesses waiting
    uint32_t pending_entries;   // memory instructions in flight (pending-request table), 0: 64
    uint32_t agu_lanes;         // addresses generated a core cycle
    uint32_t coalesce;          // enum coalesce_kind for cached loads
    uint32_t coalesce_uncached; // for stores and uncached loads
    uint32_t shared_banks, shared_bank_bytes, shared_lanes_a_pass;
    bool shared_one_broadcast;
    uint32_t shared_latency;    // access to data, without conflict
    uint32_t shared_pass_cycles; // half core cycles that one pass keeps the banks (2: a core cycle)
    uint32_t shared_replay_cycles; // core cycles that each pass beyond the first adds to an
                                   // access's latency; 0: the time of a pass
    uint32_t shared_wide_extra; // passes more for each half-warp of a 128-bit access (Fermi: 1)
    uint32_t shared_atomic_cycles; // core cycles of a round of atomics; lanes that want the same
                                   // word come in rounds of their own, one after another
    struct cache_config l1d;    // bytes 0: none (GT240), or loads bypass it
    bool l1d_global;            // global loads are cached in L1
    bool l1d_local;
    struct cache_config constant, texture;
    uint32_t const_miss_latency_extra;
    uint32_t texture_latency;   // pipeline of the texture unit around its cache
    uint32_t l1_miss_extra;     // core cycles between L1 miss detection and network entry
    uint32_t reply_extra;       // core cycles between network exit and write-back
    uint32_t atomic_extra;
    uint32_t cta_launch_latency; // core cycles from dispatch to first fetch
    double core_clock_mhz;
};

struct sm;        // opaque
struct sm_policy; // policy.h: what a technique hooks into

// What the SM asks of its owner. Called in the SM phase from any host thread, for this SM only.
struct sm_callbacks {
    void (*cta_done)(void *user, uint32_t sm, uint32_t kernel_slot, uint64_t cta, uint64_t cycle);
    void *user;
};

// Checks the configuration and builds an SM. All memory is taken here and in sm_bind.
enum ww_status sm_create(const struct sm_config *c, uint32_t id, struct mem_port *port,
                         struct devmem *memory, const struct sm_callbacks *cb, struct diags *d,
                         struct sm **out);
void sm_destroy(struct sm *s);
// Techniques that this SM runs with, called in this order; before the first CTA. Pointers are kept.
enum ww_status sm_set_policies(struct sm *s, const struct sm_policy *const *p, uint32_t n,
                               struct diags *d);
struct exec_log *sm_log(struct sm *s);

// A kernel decoded for timing: made once a launch and shared by all SMs.
struct sm_kernel;
enum ww_status sm_kernel_create(const struct sm_config *c, const struct code_image *im,
                                struct exec_launch *l, uint64_t code_address, struct diags *d,
                                struct sm_kernel **out);
void sm_kernel_destroy(struct sm_kernel *k);

// CTAs of this kernel that one SM holds at most, and what limits it.
struct sm_occupancy {
    uint32_t ctas, warps;
    const char *limit; // "registers", "shared memory", "warps", "CTA slots"
};
// `shared_bytes`: static and dynamic, of a CTA.
struct sm_occupancy sm_kernel_occupancy(const struct sm_config *c, const struct code_image *im,
                                        uint32_t threads, uint32_t shared_bytes);

// Binds a kernel to a slot (0..3: kernels that share the SM) before its CTAs come. Unbinding needs
// all its CTAs done; its per-instruction counts are gone afterwards.
enum { SM_KERNEL_SLOTS = 4 };
enum ww_status sm_bind(struct sm *s, uint32_t slot, struct sm_kernel *k, struct diags *d);
void sm_unbind(struct sm *s, uint32_t slot);
bool sm_can_take(const struct sm *s, uint32_t slot);
// `cycle` is the `from` of the sm_run that follows; not from within cta_done.
void sm_take_cta(struct sm *s, uint32_t slot, uint64_t cta, uint64_t cycle);

// SM phase: core cycles [from, to). Stops early on a fault (sm_fault answers it).
void sm_run(struct sm *s, uint64_t from, uint64_t to);
bool sm_is_idle(const struct sm *s);      // no CTA, nothing in flight
uint64_t sm_next_event(const struct sm *s, uint64_t now); // UINT64_MAX: waits for a reply or a CTA
const struct exec_fault *sm_fault(const struct sm *s);
// Last cycle in which an instruction issued or a reply came; for the deadlock detector.
uint64_t sm_last_progress(const struct sm *s);
void sm_describe_waits(const struct sm *s, FILE *out); // which warps wait for what, with PTX lines
// Between launches: L1, constant and texture caches lose their lines (as real chips do), and the
// instruction cache where icache_flush says so.
void sm_flush(struct sm *s);

// Counts so far, complete up to `now` (state times are closed at the call).
const struct activity *sm_activity(struct sm *s, uint64_t now);
// Of the counts that sm_activity gave last: two that have the same number, not 0, are equal.
uint64_t sm_activity_number(const struct sm *s);
// Per machine instruction of the kernel in `slot`: arrays of image->n_insts.
struct sm_inst_counts { uint64_t issues, lanes, stall[STALL_N]; };
const struct sm_inst_counts *sm_inst_counts(const struct sm *s, uint32_t slot);

#endif
