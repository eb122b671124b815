// What an SM holds: warps, CTAs and the kernels that they run (cta.c, barrier.c). A warp slot has a
// number from 0 to 63, and is that bit in all masks.
#ifndef WW_SM_RESIDENCY_H
#define WW_SM_RESIDENCY_H

#include "isa/image.h"
#include "exec/barrier.h"
#include "sm/kernel.h"

// ---- a warp -------------------------------------------------------------------------------------
#define LOCAL_BASE 0x4000000000ull
struct warp {
    _Alignas(64) const struct sm_inst *head; // next instruction, when decoded
    struct exec_warp *exec;
    union {
        struct { // with a scoreboard: registers 0..63 with a result on its way
            uint64_t pend, pend_mem, pend_long;
        };
        struct {                             // with control bits (counters.h)
            uint64_t ready_at;               // it issues nothing before
            uint8_t count[CONTROL_COUNTERS]; // dependence counters
            uint8_t up;                      // those that are not 0, a bit each
            uint8_t up_mem, up_long;         // ... for memory, for memory that may take long
            uint8_t full;                    // those that can count no further
        };
    };
    struct inst_runs *runs; // of the kernel, by pc
    uint16_t pend_p;
    uint16_t inflight;  // results on their way
    uint16_t fetch_gen; // fetches of older generations are dropped
    uint8_t ib_n;       // instructions in its buffer
    uint8_t ib_coming;  // ... on their way into it
    uint8_t scheds, cta, kslot;
    uint8_t exited; // no live lane, results may still be on their way
    // second line
    struct sm_wide_pend {
        uint64_t pend[WIDE_WORDS], mem[WIDE_WORDS], lng[WIDE_WORDS];
    } * wide;
};
static_assert(sizeof(struct warp) == 128, "a warp is two cache lines");

struct barrier {
    uint64_t waiting; // warps
    struct exec_barrier count;
};

struct cta_slot {
    bool is_used;
    bool has_launched; // the grid that depends on its own may begin, as far as this CTA goes
    uint8_t kslot, block; // block: which piece of the kernel's CTA memory
    uint64_t warps, left; // left: not yet drained
    uint64_t linear;
    struct exec_cta cta;
    uint32_t live; // warps that have not exited
    uint32_t pool; // registers of a lane, warp by warp, that warps gave back (share.h)
    struct barrier bar[EXEC_BARRIERS + 1]; // the last: of its cluster
    uint64_t cluster_came;                 // cycle of the last arrival there
    uint64_t next_from; // first fetch at the earliest of the CTA that comes here next
};

// ---- a kernel in its slot -----------------------------------------------------------------------
// How often an instruction issued, and with how many lanes. Many of them share a line of the host's
// cache.
struct inst_runs {
    uint64_t issues, lanes;
};
struct kernel_slot {
    struct sm_kernel *kernel;
    // By pc. `stalls` and `asked`: NULL where they are not counted.
    struct inst_runs *runs;
    struct inst_stalls {
        uint64_t cycles[STALL_N]; // by enum stall_reason
    } * stalls;
    struct sm_inst_memory *asked;
    uint32_t runs_capacity, counts_capacity;
    uint8_t *memory;
    size_t memory_bytes;
    uint32_t free_blocks; // bit mask
    uint32_t ctas;
    struct policy_window window; // of L2, of the kernel that was bound last: its stores may outlive it
    // Programmatic dependent launch.
    bool is_early;     // grids before it are not complete: griddepcontrol.wait waits
    uint64_t launched; // its CTAs that let the grid begin that depends on it, or have ended
    uint64_t storing;  // slots of its warps that ended with stores on their way
};

struct residency {
    uint16_t share[SM_MAX_WARPS], wanted[SM_MAX_WARPS]; // registers of a lane that a warp has, waits for
    struct warp warp[SM_MAX_WARPS];
    struct cta_slot cta[SM_MAX_CTAS];
    struct kernel_slot kernel[SM_KERNEL_SLOTS];
    uint8_t order[SM_MAX_CTAS];     // slots of CTAs, the oldest first
    uint64_t warps_of[SM_MAX_CTAS]; // their warps, in the same order
    uint32_t n_ctas, came;          // CTAs that it holds; that came since it held none
    uint32_t regs_used, shared_used, warps_used, threads_used;
    uint64_t since;                 // all this has been constant since
    struct sm_wide_pend *wide_pend; // by warp
};

// What an instruction of a resident warp has asked of memory; NULL: not counted.
static inline struct sm_inst_memory *asked_by(const struct residency *r, uint32_t w,
                                              const struct sm_inst *in) {
    const struct kernel_slot *const ks = &r->kernel[r->warp[w].kslot];
    return ww_likely(ks->asked == NULL) ? NULL : &ks->asked[in - ks->kernel->inst];
}

#endif
