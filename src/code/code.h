// From a PTX module to machine code for one architecture generation.
//   lower_*   (lower.c and its tables): PTX instructions to machine instructions, virtual registers
//   opt_*     copy propagation, constant operands, folded addresses, dead code
//   live_*    liveness
//   ra_*      allocation to real registers, spilling
//   image_*   (link.c) layout and linking of a kernel with the functions it can reach
#ifndef WW_CODE_H
#define WW_CODE_H

#include "isa/cfg.h"
#include "isa/register_file.h"
#include "ptx/ptx.h"

// What the compiler must know of a machine (from the GPU file).
struct code_target {
    enum target_gen gen;
    uint32_t max_regs;        // granted to a thread: Tesla 124, Fermi 63, Kepler gk110 255
    uint32_t hoist_regs;      // that starting loads early may fill; 0: see opt_sched.c
    // What an SM holds, for launch bounds; registers 0: bounds limit no registers.
    struct register_file file;
    uint32_t max_threads_per_sm, max_ctas_per_sm;
    uint32_t n_preds;         // 7
    uint32_t max_threads_per_cta;
    bool marks_last_reads; // images have last_reads
    struct code_latencies latencies; // TRAIT_CONTROL; all 0: right for any chip, slow on each
    // For sentences about what this generation lacks: "; -g v100 has it", or "". NULL: no GPU can
    // be named.
    const char *(*others)(void *user, enum gen_trait t);
    void *user;
};

// Where the module's variables live. addr[i] belongs to module->vars[i]: device address for global
// ones, offset in c[3] for const ones, texture/surface handle for texref/surfref/samplerref; module
// scope .shared ones are laid out by lowering and need no entry.
struct code_symbols {
    const uint64_t *addr;
    uint64_t const_base;      // device address of the module's const segment (c[3])
};

// A function in the making: virtual registers, labels. Also what is kept of it afterwards.
struct mfunc {
    struct arena *arena;
    const struct ptx_module *module;
    const struct ptx_func *ptx;
    const struct code_target *target;
    const char *name;
    bool is_entry;
    bool has_calls;
    VEC(struct minst) inst;
    VEC(uint8_t) vreg_words;   // words of virtual GPR i (1, 2, 4; more: sums of GMMA, see sums.c)
    uint32_t *sum_at;          // of sums: the first word in their block; NULL: there are none
    uint32_t sum_words;        // of that block
    uint32_t n_vpreds;         // virtual predicates
    VEC(int32_t) label_at;     // label id -> instruction index
    VEC(uint32_t) called;      // indices of ptx functions called directly or whose address is taken
    bool calls_indirect;
    struct branch_table *tables; // BRX
    uint32_t n_tables;
    // memory. A frame is addressed from the stack pointer in functions, from 0 in kernels; the
    // callee's frame begins where the caller's ends (arguments, results, locals, spills).
    uint32_t frame_bytes;      // local bytes: arguments and results (functions), locals
    uint32_t spill_bytes;      // added by ra behind frame_bytes
    uint32_t sp_vreg;          // virtual register of the stack pointer (functions and has_calls)
    bool has_alloca;           // takes more at run time, behind its frame (lower_stack.c)
    const struct lower_shared *shared; // lower.h; NULL: lower_func lays out this function's alone
    VEC(uint8_t) literals;     // c[2] content of this function, merged by image
    // The kernel's functions by their index in the module, NULL for others; NULL: none is known.
    struct mfunc *const *callee;
    // after ra
    bool allocated;            // registers are physical ones, a guard of PRED_TRUE is none
    uint32_t n_regs, n_preds;
    bool keeps; // called through a register or by itself on some way (ra_save.c)
    uint32_t takes_regs, takes_preds; // so many from 0 on may change in a call of it
    uint32_t spill_loads, spill_stores, spilled_regs;
};

// Functions, and kernels that call any, address their frames from the stack pointer.
static inline bool mfunc_has_sp(const struct mfunc *f) { return !f->is_entry || f->has_calls; }

// The registers that code of kernel `k` may name: what the kernel says of them counts more than
// `option` (0: none), as ptxas has it: .maxnreg, and launch bounds where they name CTAs too or there
// is no .maxnreg. At most t->max_regs, less those that the code cannot name (register_file_kept).
// Whether a kernel's warps change their share of registers while they run (setmaxnreg): its bounds must
// say with how many they begin.
bool code_changes_registers(const struct ptx_func *k);
uint32_t code_register_limit(const struct ptx_func *k, const struct code_target *t,
                             uint32_t option);

// Lowers one kernel. Refuses with diagnostics (place, instruction, reason) what has no lowering on
// this generation, and register demands that cannot be met.
enum ww_status code_build(const struct ptx_module *m, const struct ptx_func *kernel,
                          const struct code_target *t, const struct code_symbols *s,
                          uint32_t max_regs_override, uint32_t stack_bytes, struct diags *d,
                          struct code_image **out);

// -- stages, for tests; each asserts nothing about the others
void lower_func(struct mfunc *f, const struct code_symbols *s, struct diags *d); // lower.c
void opt_run(struct mfunc *f);                                                    // opt.c
void ra_run(struct mfunc *f, uint32_t max_regs, struct diags *d);                 // ra.c

struct cfg *cfg_build(struct arena *a, const struct mfunc *f); // edit.c

#endif
