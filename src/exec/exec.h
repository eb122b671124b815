// What every instruction computes. A warp's register is 32 contiguous words; a handler is a loop
// over 32 lanes. Nothing here knows a cycle: the caller decides when a warp steps, and gets back
// what the step did to memory, so that it can time it.
//
// Order of memory (DESIGN.md, "One order of memory"): within a quantum an SM sees its own global
// stores (its exec_log) and otherwise memory as it stood at the quantum's start. `exec_commit`
// applies the logs of all SMs in order of SM and issue; global atomics compute there and write
// their old values into the waiting warps' registers. Without a log (functional runs of one block)
// stores and atomics take effect at once.
#ifndef WW_EXEC_H
#define WW_EXEC_H

#include <assert.h>

#include "code/code.h"

enum { WARP_LANES = 32, EXEC_MAX_STACK = 64 };

// ---- device memory --------------------------------------------------------------------------
// One flat, lazily backed range of device addresses. Everything lies below 4 GB when the simulated
// GPU has at most 3 GB, so that 32-bit PTX works.
enum exec_windows {
    EXEC_SHARED_WINDOW = 0x01000000, // generic addresses of shared memory: window + offset
    EXEC_LOCAL_WINDOW = 0x02000000,  // of local memory
    EXEC_PARAM_WINDOW = 0x04000000, // of kernel parameters (cvta.param): offsets in c[0], read only
    EXEC_WINDOW_END = 0x05000000,
    EXEC_GLOBAL_BASE = 0x10000000
};
struct devmem; // opaque: allocations, backing, textures

struct devmem_range {
    uint64_t first, bytes;
    const char *name;
    bool is_freed;
};

// `bytes` of device memory (mmap'd without reserve). NULL when the host refuses.
struct devmem *devmem_create(uint64_t bytes);
void devmem_destroy(struct devmem *m);
// 256-byte aligned (or `align` if larger). 0 when out of memory. `name` for messages, may be NULL.
uint64_t devmem_alloc(struct devmem *m, uint64_t bytes, uint64_t align, const char *name);
// The allocation at addr is the program's, which is to free it, as device code's malloc always is.
void devmem_own(struct devmem *m, uint64_t addr);
// Later allocations do not touch each other while memory allows, so that one past the end of an array
// is in none. Addresses, and with them cycles, are others then.
void devmem_keep_apart(struct devmem *m);
bool devmem_free(struct devmem *m, uint64_t addr); // false: no live allocation starts there
// From now on only addresses below `reach` are given out (4 GB, for code whose pointers have 32
// bits). False: something that is allocated lies beyond.
bool devmem_reach(struct devmem *m, uint64_t reach);
uint64_t devmem_free_bytes(const struct devmem *m);
// Host address of a live device range, or NULL if any byte of it is outside one live allocation.
uint8_t *devmem_host(const struct devmem *m, uint64_t addr, uint64_t bytes);
// Live allocations, and the i-th in order of address. False: it is not the program's.
uint32_t devmem_count(const struct devmem *m);
bool devmem_owned(const struct devmem *m, uint32_t i, struct devmem_range *out);
bool devmem_find(const struct devmem *m, uint64_t addr,
                 struct devmem_range *out); // live, holding addr
bool devmem_nearest(const struct devmem *m, uint64_t addr,
                    struct devmem_range *out); // live or freed
// "'buf' of 4096 bytes at 0x10000200 to 0x100011ff" into `text`, which is also the answer; says so
// when the allocation is freed.
const char *devmem_range_text(const struct devmem_range *r, char *text, size_t size);
// Changes whenever an allocation comes or goes; lets callers cache what devmem_find said.
uint32_t devmem_epoch(const struct devmem *m);
// With tracking on (before anything is written) every byte remembers whether it was ever written,
// for exec_options.check_uninitialised. Host writes go through devmem_host, then
// devmem_mark_written.
bool devmem_track_writes(struct devmem *m);
void devmem_mark_written(struct devmem *m, uint64_t addr, uint64_t bytes);
// Bytes that the device's own malloc may hand out (cuCtxSetLimit); 8 MB unless set.
void devmem_heap_limit(struct devmem *m, uint64_t bytes);
// Host memory that the device may address too (cuMemHostRegister, managed): appears at a device
// address of its own; unregister with devmem_free.
uint64_t devmem_map_host(struct devmem *m, void *host, uint64_t bytes);
// The same at an address of the caller's choice (unified addressing: the host's own). 0 when device
// memory or another mapping has it.
uint64_t devmem_map_host_at(struct devmem *m, void *host, uint64_t bytes, uint64_t addr);
bool devmem_is_mapped(const struct devmem *m, uint64_t addr); // lies in such memory
// What live allocations hold, and to put it back into those that still live. NULL: no memory.
struct devmem_copy *devmem_copy(const struct devmem *m);
void devmem_put_back(struct devmem *m, const struct devmem_copy *c);
void devmem_copy_free(struct devmem_copy *c);

// Textures and surfaces: a handle is what PTX's .texref address or a bindless object holds.
struct exec_texture {
    uint64_t base; // device address of texel 0 (linear or pitch memory or array)
    uint32_t width, height, depth, layers; // texels; 0 height: 1D; layers > 0: layered
    uint64_t row_pitch, slice_pitch;       // bytes
    uint8_t channels;                      // 1, 2, 4
    uint8_t channel_bits;                  // 8, 16, 32
    uint8_t channel_kind;                  // 0 unsigned, 1 signed, 2 float
    uint8_t address_mode[3];               // 0 wrap 1 clamp 2 mirror 3 border
    bool linear_filter, normalized_coords, read_as_float /* integers as [0,1] or [-1,1] */, srgb;
    bool is_linear_memory; // tex1Dfetch-style: integer coordinates, bounds by width
    bool is_cubemap;
    bool in_blocks; // caches see it block-linear (tex.c); its rows are whole blocks of 64 bytes
    float border[4];
};
uint64_t devmem_texture_new(struct devmem *m, const struct exec_texture *t); // handle, never 0
bool devmem_texture_set(struct devmem *m, uint64_t handle, const struct exec_texture *t);
const struct exec_texture *devmem_texture_get(const struct devmem *m, uint64_t handle);
void devmem_texture_free(struct devmem *m, uint64_t handle);

// ---- a launch -------------------------------------------------------------------------------
struct exec_options {
    bool check_uninitialised; // report reads of shared and global bytes never written
    bool check_races;         // report shared-memory races between barriers
    bool check_bounds;        // keep allocations apart, so that one past the end is found out
    bool check_sync;          // report barriers that only part of a warp's lanes reach, and shfl.sync
                              // from lanes outside the member mask
    bool check_leaks;         // report what the program has not freed at its end (gpu_leaks)
    struct exec_findings *findings; // what the checks find, without end; NULL: the first is a fault
};

// What the checks find: each place once, with its first occurrence in order of launch, block, warp,
// lane, so that the number of host threads changes nothing. Safe from several threads.
struct exec_findings *exec_findings_create(void); // NULL: out of memory
void exec_findings_destroy(struct exec_findings *f);
// Places; `times` gets how often the i-th came (a lane each time), answers its sentence.
uint32_t exec_findings_count(const struct exec_findings *f);
const char *exec_findings_at(struct exec_findings *f, uint32_t i, uint64_t *times);

// printf, malloc, free: `print` gets device printf output whole, in deterministic order.
struct exec_callbacks {
    void (*print)(void *user, const char *text, size_t len);
    void *user;
};

// A kernel decoded for execution: handlers resolved, immediates and constants laid out as 32-lane
// vectors. Made once a launch (constants depend on it).
struct exec_launch_args {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;
    const void *params;     // image->param_bytes bytes
    uint64_t const_segment; // device address of the module's c[3], 0 none
    uint64_t const_bytes;
    uint32_t max_warps_hint;
    struct exec_options options;
    const struct exec_callbacks *callbacks;
    uint32_t sm_count; // %nsmid
    uint64_t grid_id;
    double clock_hz; // for %globaltimer
    uint32_t clock_ticks; // of %clock in a cycle: 2 where the shader clock is twice the core's
                          // (Fermi and before); 0: 1
    uint32_t envreg[32];
};
struct exec_launch;
enum ww_status exec_launch_create(const struct code_image *im, struct devmem *m,
                                  const struct exec_launch_args *a, struct diags *d,
                                  struct exec_launch **out);
void exec_launch_destroy(struct exec_launch *l);

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
    uint32_t carry;            // CC
    uint32_t pushes, pops;     // since last read by the caller; for activity
    uint32_t live;             // lanes that have not exited
    uint32_t n_deferred;       // private: results that exec_commit still owes
    uint32_t pred[8];          // lane masks; pred[7] all ones
    struct its *its;           // private: independent thread scheduling (its.c); NULL: a stack
    struct exec_cta *cta;
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
};
static_assert(offsetof(struct exec_warp, exists) == 128, "two lines of the host's cache");

enum exec_flow { EXEC_BY_KIND /* arrive goes on, others wait */, EXEC_GOES_ON, EXEC_WAITS };

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
};
// Bytes that a CTA of this launch needs; the caller gives the (64-byte aligned) block, so that
// slots can be reused without allocation. Registers and shared memory are zeroed.
size_t exec_cta_bytes(const struct exec_launch *l);
void exec_cta_init(struct exec_cta *c, struct exec_launch *l, void *memory, uint64_t linear_id,
                   uint32_t sm_id);

// ---- stepping -------------------------------------------------------------------------------
enum exec_outcome {
    EXEC_NEXT,    // computed
    EXEC_MEMORY,  // accessed memory: see exec_access
    EXEC_BARRIER, // the warp waits at a barrier until exec_barrier_release (or went on: arrive)
    EXEC_EXITED,  // no live lanes are left
    EXEC_FAULT,   // see exec_env.fault
    EXEC_SLEEP,   // nanosleep: access.addr[0] holds nanoseconds
    EXEC_STUCK    // its lanes wait for one another, or at barriers that they came to before: the warp
                  // waits until exec_barrier_release
};

// What a memory instruction did, for whoever times it.
struct exec_access {
    uint8_t space;  // PTX_SPACE_GLOBAL, SHARED, LOCAL, CONST, TEX
    uint8_t kind;   // ACCESS_*
    uint8_t cop;    // enum mcop
    uint8_t bytes;  // a lane accesses, vectors included (1..16)
    uint32_t mask;  // lanes that access; lanes not in it have no address
    uint32_t mask2; // generic accesses: lanes that went to shared (the rest went to `space`)
    uint32_t n_dst; // destination words (for write-back)
    // The result is not there before exec_commit (atomics, and loads of lines that an own atomic of
    // this quantum changes): the caller must not let anyone read it in this quantum.
    bool deferred;
    uint8_t bank;      // CONST: which bank
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
    ACCESS_ASYNC_COPY
};

enum exec_fault_kind {
    FAULT_NONE,
    FAULT_UNALLOCATED,
    FAULT_MISALIGNED,
    FAULT_SHARED_RANGE,
    FAULT_LOCAL_RANGE,
    FAULT_READ_ONLY,
    FAULT_FREED,
    FAULT_TRAP,
    FAULT_ASSERT,
    FAULT_STACK,
    FAULT_BAD_CALL,
    FAULT_BAD_TEXTURE,
    FAULT_UNINITIALISED,
    FAULT_RACE,
    FAULT_CONST_RANGE,
    FAULT_BARRIER,
    FAULT_BAD_BRANCH,
    FAULT_SHFL_MASK
};
struct exec_fault {
    enum exec_fault_kind kind;
    uint32_t pc, lane, ptx_line, src_line, src_file;
    uint32_t block[3], thread[3];
    uint64_t addr;
    uint32_t bytes;
    bool is_store;
    char text[512]; // the whole sentence, like the vendor's memory checker: kernel, line, block,
                    // thread, address, nearest allocation
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
    uint32_t exec_mask;        // lanes that executed the last instruction (active and guard)
    struct exec_range {
        uint64_t first, end;
        uint8_t *host;
        uint32_t epoch;
    } range; // private: last
             // allocation that was hit
};

// Executes the instruction at w->pc and moves the warp on (branch, reconvergence, exit included).
enum exec_outcome exec_step(struct exec_env *e, struct exec_warp *w);

// All warps that a barrier waits for have come: reductions get their results.
// `value` is the combined result (count for popc, 0/1 for and/or). w->bar_id is the barrier.
void exec_barrier_release(struct exec_warp *w, uint32_t value);
// Of a warp whose lanes wait for each other: who waits for whom, into `text`, which is also the
// answer; empty when they do not.
const char *exec_waits_text(const struct exec_warp *w, char *text, size_t size);

// The i-th of the places where lanes of a waiting warp wait for a barrier of the block. False:
// there are no more.
struct exec_wait {
    uint32_t pc, lanes, barrier;
};
bool exec_barrier_wait(const struct exec_warp *w, uint32_t i, struct exec_wait *out);

// What a warp does again and again while memory stays as it is (spin.c).
struct exec_spin {
    uint32_t pc;     // the atomic or load that it repeats
    bool has_access; // false: it asks no memory
    uint32_t lanes;  // that do
    uint32_t parked; // lanes that wait for those, and where
    uint32_t parked_pc;
    uint8_t space;
    uint64_t addr, value; // of the first of the lanes
    uint32_t bytes;       // of the value
};
// Whether the warp, alone, comes back to exactly the state that it was in before, having changed no
// memory, asked no clock and read nothing that the host may write: then it does so for ever unless
// something else changes memory. Where all warps that are left do, or wait, nothing ever will. The
// warp and memory are as before afterwards. Between quanta only.
bool exec_spins(struct devmem *m, struct exec_warp *w, uint64_t cycle, struct exec_spin *out);
// "block (0,0,0) warp 0: lanes 0xfffffffe spin at ..." into `text`, which is also the answer.
const char *exec_spin_text(const struct exec_warp *w, const struct exec_spin *s, char *text,
                           size_t size);

// Most items that exec_run_functional has for a crew at once.
enum { EXEC_GROUPS = 16 };
// Threads that run fn(arg, i) for each i < n beside each other; returns when all are done.
struct exec_groups;
struct exec_crew {
    void (*each)(void *user, uint32_t n, void (*fn)(void *arg, uint32_t i), void *arg);
    void *user;
    // What one launch leaves to the next, NULL before the first: exec_groups_destroy frees it. May be
    // NULL: then every launch makes its own.
    struct exec_groups **groups;
};
void exec_groups_destroy(struct exec_groups *g);
// A whole launch, functionally (functional.c says in which order), on the crew's threads or, where
// it is NULL, on this one: the results are the same. Counts warp and thread instructions. Detects
// deadlock (all warps wait) with a sentence in `d`.
struct exec_counts {
    uint64_t warp_instructions, thread_instructions;
};
enum ww_status exec_run_functional(struct exec_launch *l, struct devmem *m,
                                   const struct exec_crew *crew, uint64_t max_instructions,
                                   const volatile int *stop, struct exec_counts *counts,
                                   struct exec_fault *fault, struct diags *d);

// Name of the vector level in use ("v4", "v3", "base"), and a way to force it (tests; NULL: best).
const char *exec_simd_level(void);
bool exec_simd_force(const char *level);

#endif
