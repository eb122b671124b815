// From a PTX module to machine code for one architecture generation.
//   lower_*   (lower.c and its tables): PTX instructions to machine instructions, virtual registers
//   opt_*     copy propagation, constant operands, folded addresses, dead code
//   cfg_*     blocks, dominators, post-dominators, reconvergence
//   live_*    liveness
//   ra_*      allocation to real registers, spilling
//   image_*   layout and linking of a kernel with the functions it can reach
//   control_* stall counts and dependence counters, for machines without a scoreboard
//   disasm_*  printing
#ifndef WW_CODE_H
#define WW_CODE_H

#include "code/isa.h"

enum target_gen {
#define GENERATION(id, ...) GEN_##id,
#include "code/generation.def"
    GEN_N
};
enum gen_trait {
#define TRAIT(id, text) TRAIT_##id,
#include "code/generation.def"
    TRAIT_N
};
// Columns of lower_cost.def, and behind them those of lower_cost_later.def.
enum gen_costs { COSTS_TESLA, COSTS_FERMI, COSTS_KEPLER, COSTS_PASCAL, COSTS_VOLTA, COSTS_N };
struct generation {
    const char *name;
    uint32_t cc_first, cc_last; // compute capabilities, before the dot
    uint32_t registers;         // of a thread that instructions can name
    enum gen_costs costs;
    uint32_t traits; // a bit each
    const char *source;
};
extern const struct generation gen_info[GEN_N];
extern const char *const gen_trait_texts[TRAIT_N];
static inline bool gen_has(enum target_gen gen, enum gen_trait t) {
    return gen_info[gen].traits >> t & 1;
}

// Cycles from the issue of an instruction to that of one that needs its result, by class; 0: not
// known, or it varies, and the result is waited for through a counter.
struct code_latencies {
    uint8_t cycles[OPC_N];
    // Of those that are known: the unit, and for how many cycles its one pipeline then takes nothing
    // else of the warp's sub-core; 0: there are several, or that is not known.
    uint8_t unit[OPC_N], interval[OPC_N];
    uint8_t branch; // at least, from the issue of a branch to that of the warp's next instruction
    uint8_t guard;  // of a predicate to what it guards, if that is longer; at most CONTROL_MAX_STALL
};
// What the compiler must know of a machine (from the GPU file).
struct code_target {
    enum target_gen gen;
    uint32_t max_regs;        // registers a thread: Tesla 124, Fermi 63, Kepler gk110 255
    uint32_t hoist_regs;      // that starting loads early may fill; 0: see opt_sched.c
    // What an SM holds, for launch bounds; sm_registers 0: bounds limit no registers. Registers are
    // granted to a warp (to a CTA: reg_alloc_per_cta) by reg_alloc_unit, to warps by warp_alloc_unit.
    uint32_t sm_registers, reg_alloc_unit, warp_alloc_unit;
    bool reg_alloc_per_cta;
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

// Registers of those granted to a thread that its code cannot name: from Volta on two hold its program
// counter.
static inline uint32_t code_kept_registers(const struct code_target *t) {
    return gen_has(t->gen, TRAIT_INDEPENDENT) ? 2 : 0;
}

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
    VEC(uint8_t) vreg_words;   // words of virtual GPR i (1, 2, 4)
    uint32_t n_vpreds;         // virtual predicates
    VEC(int32_t) label_at;     // label id -> instruction index
    VEC(uint32_t) called;      // indices of ptx functions called directly or whose address is taken
    bool calls_indirect;
    struct branch_table {      // BRX: label ids
        int32_t *label;
        uint32_t n;
    } * tables;
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

// A function that `keeps` leaves registers from there on as they were; of predicates it keeps none.
enum { CODE_FIRST_KEPT = 16 };
// Functions, and kernels that call any, address their frames from the stack pointer.
static inline bool mfunc_has_sp(const struct mfunc *f) { return !f->is_entry || f->has_calls; }

// What an instruction tells the issue stage of its warp (TRAIT_CONTROL; control.h).
enum {
    CONTROL_COUNTERS = 6,
    CONTROL_NONE = 7,
    CONTROL_MAX_STALL = 15,
    CONTROL_REUSE_SLOTS = 3 // operands that the operand cache has places for
};
struct code_control {
    uint8_t stall; // cycles to the warp's next issue, 1 to CONTROL_MAX_STALL
    uint8_t write; // counter that it holds up until its results are written, or CONTROL_NONE
    uint8_t read;  // counter that it holds up until its operands are read, or CONTROL_NONE
    uint8_t wait;  // counters, a bit each, that must be down before it issues
    uint8_t reuse; // of src[], a bit each: registers that the operand cache keeps
    bool yield;    // the next cycle is another warp's
};

// One kernel ready to run: its code and that of all functions it can reach, one array.
struct code_image {
    struct arena arena;
    const struct ptx_module *module; // must outlive the image
    const struct ptx_func *kernel;
    const char *name;
    struct code_target target;
    struct minst *inst;          // physical registers, targets are indices
    uint32_t n_insts;
    uint32_t n_regs;             // 32-bit registers a thread, granularity not applied
    uint32_t n_preds;
    uint32_t param_bytes;
    struct code_param {
        uint32_t offset, bytes, align; // offset from CB0_PARAMS
        enum ptx_type type;            // of an element
    } *params;
    uint32_t n_params;
    uint32_t shared_bytes;       // static; dynamic shared begins at shared_dynamic
    uint32_t shared_dynamic;     // aligned offset of .extern .shared arrays
    uint32_t local_bytes; // a thread: frames of the deepest static chain, or with a stack
    bool needs_stack;     // recursion, indirect calls, alloca: local_bytes holds the configured stack
    uint32_t stack_frame_bytes;  // the kernel's own frame (first callee frame starts here)
    uint8_t *literals;           // c[2]
    uint32_t literal_bytes;
    uint32_t n_barriers;         // highest named barrier used + 1; 16 if a register names it
    bool uses_globals_by_generic, uses_texture, uses_clock, uses_grid_sync;
    struct code_table { uint32_t *pc; uint32_t n; } *tables; // BRX, by aux
    uint32_t n_tables;
    uint32_t *func_pc;           // ptx function index -> pc, UINT32_MAX when not in the image
    uint32_t n_funcs;
    struct code_block { uint32_t first, n; int32_t ipdom; uint16_t loop_depth; } *blocks;
    uint32_t n_blocks;
    // By instruction, a bit for each register that it reads, in the order of its operands, each
    // register once: no thread reads this value again once its threads have. NULL: not known.
    uint16_t *last_reads;
    struct code_control *control; // by instruction; NULL: the machine has a scoreboard
    struct code_stats {          // for the docs and `disasm`
        uint32_t spill_loads, spill_stores, spilled_regs, fillers, ptx_insts;
    } stats;
};

// A function's code address, as stored in function pointers: recognisable and never a data address.
#define CODE_FUNC_ADDRESS(index) (0x00100000u + 16u * (uint32_t)(index))

enum { CODE_STACK_BYTES = 1024 }; // default stack a thread when needs_stack

// Lowers one kernel. Refuses with diagnostics (place, instruction, reason) what has no lowering on
// this generation, and register demands that cannot be met.
enum ww_status code_build(const struct ptx_module *m, const struct ptx_func *kernel,
                          const struct code_target *t, const struct code_symbols *s,
                          uint32_t max_regs_override, uint32_t stack_bytes, struct diags *d,
                          struct code_image **out);
void code_free(struct code_image *im);

// Refuses an image that breaks a promise of the machine code with WW_ERROR_INTERNAL: the kernel, the
// instruction, what is wrong with it. code_build ends in it, so that no broken image runs.
enum ww_status image_check(const struct code_image *im, struct diags *d);

// Checks an image more closely, for tests, and writes what it finds to `out`, which may be NULL.
struct image_faults {
    uint32_t broken;    // operands, targets or tables out of range: a bug of ours
    uint32_t undefined; // reads of what some path has not written: ours or the program's
    uint32_t early;     // control bits that let an operand be read, or a result written, too early
};
struct image_faults image_verify(const struct code_image *im, FILE *out);

// -- stages, for tests; each asserts nothing about the others
void lower_func(struct mfunc *f, const struct code_symbols *s, struct diags *d); // lower.c
void opt_run(struct mfunc *f);                                                    // opt.c
void ra_run(struct mfunc *f, uint32_t max_regs, struct diags *d);                 // ra.c

// Text of one machine instruction ("IADD R2, R3, c[0x0][0x24]") into buf; of a whole image to a
// file with blocks, reconvergence points and PTX lines beside the code.
int disasm_inst(const struct code_image *im, uint32_t pc, char *buf, size_t size);
void disasm_image(const struct code_image *im, FILE *out);

#endif
