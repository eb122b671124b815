// A kernel decoded for timing (kernel.c), and what all parts of an SM count with.
#ifndef WW_SM_KERNEL_H
#define WW_SM_KERNEL_H

#include <assert.h>

#include "sm/alarm.h"
#include "sm/config.h"
#include "sm/sm.h"

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

// ---- a decoded instruction ----------------------------------------------------------------------
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
    SI_FOLDED = 1 << 14,     // ... as an operand of the one instruction that uses what is loaded
    SI_VARIES = 1 << 15,     // a branch through a table or pointer that CTAs may take differently
    SI_PRODUCT = 1 << 16,    // of a warp group (products.h): runs beside the warp
    SI_PRODUCT_COMMIT = 1 << 17,
    SI_PRODUCT_WAIT = 1 << 18,
    SI_SHARE = 1 << 19, // of the register file changes: SI_SHARE_TAKES, or gives
    SI_MORE_ROWS = 1 << 20, // reads rows beyond those of `src`: kernel_more_rows
    SI_POLICY = 1 << 21, // an access that names a policy of L2
    SI_RELEASE = 1 << 22 // a fence beyond the block that not only acquires
};

enum {
    SI_SPECIAL = SI_FENCE | SI_COMMIT | SI_ASYNC_WAIT | SI_PRODUCT | SI_PRODUCT_COMMIT | SI_PRODUCT_WAIT |
                 SI_SHARE
};

// One cache line. Registers 64 and up stand in sm_kernel.wide.
struct sm_inst {
    union {
        struct { // with a scoreboard
            uint64_t use; // registers 0..63 that must not be pending: sources and destinations
            uint64_t dst; // the destinations in `use`
        };
        struct { // with control bits (counters.h)
            uint8_t stall, write, read; // as in code_control
            uint8_t wait;               // counters that must be down
            uint8_t up;                 // counters that it holds up itself
            bool is_cached;             // reads its operands through the operand cache
            uint16_t keep;              // rows of src, a bit each, that stay in it
            uint32_t place;             // of each row in it, two bits; 3: none
            bool has_limit;             // counter `limited` must be at most `limit`
            uint8_t limited, limit;
        };
    };
    uint64_t const_mask; // lines of sm_kernel.const_line that its constant operands lie in
    uint8_t src[16];     // register rows to read, each once; of the first SM_FEW_SRC, those that it
                         // lacks: rows of it
    uint16_t use_p, dst_p; // predicates; all uniform registers as one more, all barrier registers
    uint32_t flags;        // SI_*
    uint16_t latency, interval;
    uint8_t unit, klass;  // enum unit_class, enum op_class
    uint8_t n_src, n_dst; // register rows
    uint8_t dst_first;    // n_dst 0: one to read, if there are any
    uint8_t n_const;      // constant-bank operands
    uint16_t aux;         // minst.aux (groups of cp.async.wait), minst.sub (fences), index of
                          // sm_kernel.product, of sm_kernel.more_rows
    uint32_t wide;        // index into sm_kernel.wide
};
enum { SM_FEW_SRC = 3 };
enum { SM_BULK_READ = 1 << 15 }; // aux of a wait for bulk copies: until they have been read
enum { SM_FENCE_DROPS = 0xff }; // aux of a fence that waits for nothing: lines of L1 go
static_assert(sizeof(struct sm_inst) == 64, "an instruction is a cache line");

enum { MAX_DST_ROWS = 16, WIDE_WORDS = 3, MAX_CONST_LINES = 64 };
struct sm_wide {
    uint64_t use[WIDE_WORDS], dst[WIDE_WORDS];
};

// A product of a warp group, a warp's part.
struct sm_product {
    uint32_t cycles;       // in the tensor core, once its operands come
    uint32_t shared_bytes; // that the group reads, of A and B
    uint32_t spare;        // of its cycles, in which shared memory gives it nothing
    uint16_t sums;         // registers of a lane
    uint8_t first;         // of them
    bool adds;             // reads them too
    uint8_t columns;       // in eights
};

struct sm_kernel {
    const struct code_image *image;
    struct exec_launch *launch;
    uint64_t code_address, const_address; // const_address: where c[0] is taken to lie
    struct sm_inst *inst;                 // image->n_insts
    struct sm_wide *wide;                 // NULL: no register above 63 is used
    struct sm_product *product;           // by sm_inst.aux; NULL: there are none
    struct sm_inst *more_rows;            // likewise
    uint32_t n_products, n_more_rows;
    uint64_t *const_line;
    uint32_t n_const_lines;
    uint32_t n_warps, n_threads, shared_bytes; // of a CTA
    struct sm_occupancy occupancy;
    uint32_t warp_registers, cta_registers, cta_shared; // what a CTA takes, granularity applied
    size_t cta_bytes;
    struct policy_window window; // of L2
};
// A second record with the rows that an instruction reads beyond those of its own, of which only
// what concerns rows counts; NULL: there are none.
static inline const struct sm_inst *kernel_more_rows(const struct sm_kernel *k,
                                                     const struct sm_inst *in) {
    return ww_likely((in->flags & SI_MORE_ROWS) == 0) ? NULL : &k->more_rows[in->aux];
}
enum { CONST_BANK_STRIDE = 0x10000 }; // c[n] lies at const_address + n * this
static inline uint64_t kernel_const_line(const struct sm_config *c, const struct sm_kernel *k,
                                         uint32_t bank, uint64_t offset) {
    return (k->const_address + (uint64_t)bank * CONST_BANK_STRIDE + offset) &
           ~(uint64_t)(c->constant.line_bytes - 1);
}

#endif
