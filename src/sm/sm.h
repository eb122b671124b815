// One streaming multiprocessor: when each instruction is fetched, issues, reads its operands,
// executes and writes back. exec says what it computes, mem how long memory takes.
//
// An SM runs alone for a quantum (mem.h) between `sm_run` calls; everything it shares with others
// goes through its mem_port and its exec_log.
//
// What the owner of SMs (gpu) must keep to:
//  - A quantum is mem_system_deliver, sm_take_cta and sm_run for each SM, then exec_commit, then the
//    memory phase. A CTA may be given to an SM only after the exec_commit of the quantum in which
//    its slot became free, since exec_commit may still write results into the registers there.
//  - sm_run may be skipped up to the cycle that sm_next_event answers, if no reply and no CTA comes;
//    the next call accounts for the time between. An SM whose load/store unit waits for credits of
//    the network answers UINT64_MAX: the next sm_run tries again.
//  - The owner counts ACT_sm_idle_cycles and ACT_cycles, since an SM does not know when a kernel
//    runs elsewhere.
#ifndef WW_SM_H
#define WW_SM_H

#include "exec/source.h"
#include "isa/policy.h"
#include "mem/mem.h"
#include "sm/result.h"

struct code_image;
struct code_latencies;
struct register_file;
struct sm_config;
struct sm; // opaque

// What the SM asks of its owner. Called in the SM phase from any host thread, for this SM only.
struct sm_callbacks {
    void (*cta_done)(void *user, uint32_t sm, uint32_t kernel_slot, uint64_t cta, uint64_t cycle);
    void *user;
};

// Checks the configuration and builds an SM, whose instructions come from `source` (kept). All memory
// is taken here and in sm_bind.
enum ww_status sm_create(const struct sm_config *c, uint32_t id, struct mem_port *port,
                         const struct exec_source *source, struct devmem *memory,
                         const struct sm_callbacks *cb, struct diags *d, struct sm **out);
void sm_destroy(struct sm *s);
struct exec_log *sm_log(struct sm *s);

// A kernel decoded for timing: made once a launch and shared by all SMs. `l` is a launch of `source`.
struct sm_kernel;
enum ww_status sm_kernel_create(const struct sm_config *c, const struct code_image *im,
                                const struct exec_source *source, struct exec_launch *l,
                                uint64_t code_address, struct diags *d, struct sm_kernel **out);
void sm_kernel_destroy(struct sm_kernel *k);
// What its accesses say to L2 where they name no policy; before it is bound.
void sm_kernel_set_window(struct sm_kernel *k, const struct policy_window *w);
// What the compiler of control bits (isa/control.h) knows of such an SM.
void sm_code_latencies(const struct sm_config *c, struct code_latencies *out);

// Bytes of the array of L1 and shared memory that are shared memory when kernels want `wanted` of it
// (sm.l1_shared_bytes; CUDA C++ Programming Guide 12.3, 7.0: 0, 8, 16, 32, 64 or 96 KB; 8.0: also 100, 132 and
// 164; 8.6 and 8.9: 100; 9.0: 100, 132, 164, 196 and 228).
uint32_t sm_carve_out(const struct sm_config *c, uint64_t wanted);
// How such an SM grants its registers (isa/register_file.h).
struct register_file sm_register_file(const struct sm_config *c);
// CTAs of so many threads that fit; `registers`: of a thread, as the driver counts them; `shared_bytes`: static and dynamic,
// of a CTA. Rounding: file's head.
struct sm_occupancy sm_occupancy(const struct sm_config *c, uint32_t threads, uint32_t registers,
                                 uint32_t shared_bytes);
struct sm_occupancy sm_kernel_occupancy(const struct sm_config *c, const struct code_image *im,
                                        uint32_t threads, uint32_t shared_bytes);

// Binds a kernel to a slot (0..3: kernels that share the SM) before its CTAs come. Unbinding needs
// all its CTAs done; its per-instruction counts are gone afterwards.
enum { SM_KERNEL_SLOTS = 4 };
enum ww_status sm_bind(struct sm *s, uint32_t slot, struct sm_kernel *k, struct diags *d);
void sm_unbind(struct sm *s, uint32_t slot);
bool sm_can_take(const struct sm *s, uint32_t slot);
// `cycle` is the `from` of the sm_run that follows; not from within cta_done.
// Answers the place that the CTA has in the SM.
uint32_t sm_take_cta(struct sm *s, uint32_t slot, uint64_t cta, uint64_t cycle);
// CTAs of the kernel that it can take one after the other.
uint32_t sm_room(const struct sm *s, uint32_t slot);
// Of the CTA in a place, of a cluster, between quanta: what it executes; whether it is CTA `cta` and
// has warps that have not ended; the cycle of its last arrival at the cluster's barrier, which opens:
// its warps that wait there go on in `cycle`, or at once. `now` is the `from` of the next sm_run.
struct exec_cta *sm_cta(struct sm *s, uint32_t place);
bool sm_cta_runs(const struct sm *s, uint32_t place, uint32_t slot, uint64_t cta);
uint64_t sm_cluster_came(const struct sm *s, uint32_t place);
void sm_open_cluster(struct sm *s, uint32_t place, uint64_t now, uint64_t cycle);
// Programmatic dependent launch (griddepcontrol), between quanta. Of the kernel in a slot: grids
// before it are not complete, so that its warps wait for them; CTAs that let the grid begin that
// depends on it, or have ended; whether stores of CTAs that have ended are on their way; the grids
// before it are complete, so that its warps go on. `now` is the `from` of the next sm_run.
void sm_grid_is_early(struct sm *s, uint32_t slot);
uint64_t sm_grid_launched(const struct sm *s, uint32_t slot);
bool sm_grid_stores(struct sm *s, uint32_t slot);
void sm_grid_open(struct sm *s, uint32_t slot, uint64_t now);

// SM phase: core cycles [from, to). Stops early on a fault (sm_fault answers it).
void sm_run(struct sm *s, uint64_t from, uint64_t to);
// Simulates, from now on, cycles in which nothing can change too. For tests: nothing depends on it.
void sm_simulate_every_cycle(struct sm *s);
bool sm_is_idle(const struct sm *s);                      // no CTA, nothing in flight
uint64_t sm_next_event(const struct sm *s, uint64_t now); // UINT64_MAX: waits for a reply or a CTA
const struct exec_fault *sm_fault(const struct sm *s);
// NULL, or in what way the SM contradicts itself: an error of the simulator. It has stopped.
const char *sm_broken(const struct sm *s);
// Last cycle in which an instruction issued or a reply came; for the deadlock detector.
uint64_t sm_last_progress(const struct sm *s);
// Its warps that have not ended, and whether they wait at a barrier of their block, until fn
// answers false, which is then the answer; so it is when a block is about to end.
bool sm_each_warp(struct sm *s, bool (*fn)(void *user, struct exec_warp *w, bool waits),
                  void *user);
void sm_describe_waits(const struct sm *s, FILE *out); // which warps wait for what, with PTX lines
// Between launches: L1, constant and texture caches lose their lines (as real chips do), and the
// instruction cache where icache_flush says so.
void sm_flush(struct sm *s, uint64_t cycle);
// The same of an SM that was off: instruction caches too.
void sm_forget_caches(struct sm *s, uint64_t cycle);

// Where the line of code at an address is: bit 0 the instruction cache, bit 1 + i the L0 of sub-core i.
uint8_t sm_has_code(const struct sm *s, uint64_t addr);
// A kernel ran without time: its n lines from an address on come into the caches that `where` names. Of caches that a technique
// listens to nothing changes. Counts nothing.
void sm_warm_code(struct sm *s, uint64_t addr, const uint8_t *where, uint32_t n);

// Counts so far, complete up to `now` (state times are closed at the call).
const struct activity *sm_activity(struct sm *s, uint64_t now);
// Of the counts that sm_activity gave last: two that have the same number, not 0, are equal.
uint64_t sm_activity_number(const struct sm *s);
// Per machine instruction of the kernel in `slot`, added to arrays of image->n_insts. Stalls and what
// instructions ask of memory are counted, from the next sm_bind on, by an SM that was told to.
void sm_count_instructions(struct sm *s);
void sm_add_inst_counts(const struct sm *s, uint32_t slot, struct sm_inst_counts *sum);
// Counts the bits that change, from now on (toggle.h). Not while the SM holds work.
enum ww_status sm_count_toggles(struct sm *s, struct diags *d);
// NULL where it is not counted.
const struct sm_inst_memory *sm_inst_memory(const struct sm *s, uint32_t slot);

#endif
