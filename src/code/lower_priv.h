// Inside lowering: the state of one function, and the helpers that its files share.
//
//   lower.c        entry point: one pass over the PTX instructions, labels, the end of the function
//   lower_scan.c   what one look at the function tells: definitions, carry, calls
//   lower_vars.c   where every variable lives; frames
//   lower_emit.c   machine instructions: guards, legal operands, fillers
//   lower_shared.c layouts that the image stage shares: shared memory, parameters, frames
//   lower_opnd.c   PTX operands to machine operands
//   lower_table.def one row a PTX opcode: handlers
//   lower_int.c lower_logic.c lower_cmp.c lower_fp.c lower_cvt.c lower_mov.c lower_mem.c
//   lower_ctrl.c lower_call.c lower_stack.c lower_warp.c lower_tex.c lower_video.c
//   lower_mma.c lower_mbarrier.c: the handlers
//   lower_cost.def what an operation costs on each generation
//
// Registers. A PTX register is a virtual one of as many words; predicates are virtual predicates.
// 8- and 16-bit values are kept in the low bits of a word, what stands above is undefined, and
// whoever cares extends (ops.def). Addresses are one word in 32-bit modules, in every space but
// global and generic, and on Tesla, whose machine has 32-bit addresses (its device memory lies
// below 4 GB); elsewhere a pair.
#ifndef WW_CODE_LOWER_PRIV_H
#define WW_CODE_LOWER_PRIV_H

#include "code/code.h"
#include "code/from_ptx.h"
#include "code/lower.h"

enum lower_cost {
#define LOWER_COST(name, ...) LOWER_COST_##name,
#include "code/lower_cost.def"
#undef LOWER_COST
    LOWER_COST_N
};
enum { LOWER_MAX_STEPS = 14 };
struct lower_step {
    uint8_t klass, count;
    bool side; // beside the chain: reads the sources, nothing waits for it
    bool lead; // before the operation
};
struct lower_cost_info {
    const char *name, *source;
    struct lower_step step[COSTS_PASCAL][LOWER_MAX_STEPS];
};
extern const struct lower_cost_info lower_cost_info[LOWER_COST_N];
// What differs from Kepler in the generations after it.
struct lower_cost_later {
    const char *source;
    struct lower_step step[COSTS_N - COSTS_PASCAL][LOWER_MAX_STEPS];
};
extern const struct lower_cost_later lower_cost_later[LOWER_COST_N];

// Where a variable lives.
enum lower_home {
    HOME_GLOBAL,    // value: device address
    HOME_CONST,     // offset in c[3]
    HOME_SHARED,    // offset in shared memory
    HOME_HANDLE,    // texture, sampler or surface: value is the handle
    HOME_C0,        // kernel parameter: offset in c[0]
    HOME_FRAME,     // offset in this function's frame
    HOME_KERNEL_FRAME, // module-scope .local: offset in the kernel's frame, which begins at 0
    HOME_OUT,       // argument or result of a call: offset in the callee's frame
    HOME_VREG       // argument or result of a built-in function: value is a virtual register
};
struct lower_var {
    const struct ptx_var *var;
    uint8_t home;
    uint64_t value;
};

// What the scan knows of a PTX register.
struct lower_reg {
    uint32_t vreg;     // virtual register, or virtual predicate
    uint8_t sub;       // first word in it: of sums of a warp group's product (lower_wgmma.c)
    bool is_sum;
    uint8_t words;     // 0: predicate
    uint8_t bits;      // of one element
    uint16_t mentions; // operands that name it, saturating
    bool zext, sext;   // 16-bit: every definition leaves the word zero- (sign-) extended
};

struct lower_call_site { // built by the scan, one a call instruction
    int32_t func;        // index, or -1
    int32_t syscall;     // enum msyscall, or -1
    const struct ptx_func *callee; // signature
    uint32_t *params, *results;    // offsets in the callee's frame
};

struct lower {
    struct mfunc *f;
    const struct ptx_module *m;
    const struct ptx_func *fn;
    const struct code_symbols *s;
    struct diags *d;
    struct arena *arena;
    enum target_gen gen;
    const struct ptx_inst *at; // in hand
    uint32_t at_index;
    struct lower_reg *reg;
    struct lower_var *var;     // open addressing by pointer
    uint32_t var_cap, n_vars;
    struct lower_shared own_shared;
    struct lower_call_site *site; // by instruction index; NULL without calls
    uint8_t *carry_live; // by instruction: PTX's carry will be read after it; NULL: no carry at all
    bool wide;                 // 64-bit addresses in the PTX
    bool addr64;               // and in the machine
    bool ftz;                  // every f32 instruction flushes (sm_1x)
    bool f64_as_f32;           // .target map_f64_to_f32
    bool uses_sp;
    uint32_t top_vreg;         // end of the stack where has_alloca, a multiple of 16
    int32_t end_label;         // where returns go, -1 until one is needed
    uint32_t errors;
};

typedef void (*lower_fn)(struct lower *l, const struct ptx_inst *i, unsigned arg);

// ---- lower.c ------------------------------------------------------------------------------
// Refuses the instruction in hand.
void lower_refuse(struct lower *l, const char *fmt, ...) WW_PRINTF(2, 3);

// ---- lower_wgmma.c ------------------------------------------------------------------------
// Gives the sums of each product of a warp group registers side by side.
void lower_wgmma_sums(struct lower *l);

// ---- lower_scan.c -------------------------------------------------------------------------
void lower_scan(struct lower *l);

// ---- lower_vars.c -------------------------------------------------------------------------
void lower_vars_init(struct lower *l);
struct lower_var *lower_var(struct lower *l, const struct ptx_var *v); // never NULL
uint32_t lower_frame(struct lower *l, uint32_t bytes, uint32_t align); // offset
void lower_call_function(struct lower *l, uint32_t index);            // notes that it is needed

// ---- machine operands ---------------------------------------------------------------------
static inline struct opnd opnd_none(void) { return (struct opnd){.kind = OPND_NONE}; }
static inline struct opnd opnd_gpr(uint32_t vreg, unsigned words) {
    return (struct opnd){.kind = OPND_GPR, .words = (uint8_t)words, .reg = vreg};
}
static inline struct opnd opnd_pred(uint32_t vpred) {
    return (struct opnd){.kind = OPND_PRED, .reg = vpred};
}
// What an addition has to do with the carry.
enum lower_carry { CARRY_NONE = 0, CARRY_IN = 1, CARRY_OUT = 2 };
static inline void lower_carry(struct minst *m, unsigned carry) {
    if (carry & CARRY_IN) m->src[isa_carry_source(m)] = opnd_pred(VPRED_CARRY);
    if (carry & CARRY_OUT) m->dst[1] = opnd_pred(VPRED_CARRY);
}
static inline struct opnd opnd_imm(uint64_t v) { // one word
    return (struct opnd){.kind = OPND_IMM, .words = 1, .imm = (uint32_t)v};
}
static inline struct opnd opnd_imm64(uint64_t v) {
    return (struct opnd){.kind = OPND_IMM, .words = 2, .imm = v};
}
static inline struct opnd opnd_const(unsigned bank, uint64_t offset, unsigned words) {
    return (struct opnd){.kind = OPND_CONST, .words = (uint8_t)words, .bank = (uint8_t)bank,
                         .reg = (uint32_t)offset};
}
static inline struct opnd opnd_mod(struct opnd o, unsigned mods) {
    o.mods ^= (uint8_t)mods;
    return o;
}
static inline bool opnd_is_imm(const struct opnd *o, uint64_t v) {
    return o->kind == OPND_IMM && o->imm == v && !o->mods;
}
static inline bool opnd_same_reg(struct opnd a, struct opnd b) {
    return a.kind == OPND_GPR && b.kind == OPND_GPR && a.reg == b.reg;
}

// ---- lower_emit.c -------------------------------------------------------------------------
struct opnd lower_temp(struct lower *l, unsigned words);
struct opnd lower_temp_pred(struct lower *l);
// A record for the instruction in hand, with its guard and lines; then into the code, its operands
// made legal (isa_fits), long immediates moved to c[2] or to registers.
struct minst lower_new(const struct lower *l, enum mop op, enum isa_type type);
void lower_put(struct lower *l, struct minst *m);
// The same as what the table says the operation costs: class of the first, and fillers.
void lower_put_cost(struct lower *l, struct minst *m, enum lower_cost c);
void lower_put1(struct lower *l, enum mop op, enum isa_type t, struct opnd d, struct opnd a);
void lower_put2(struct lower *l, enum mop op, enum isa_type t, struct opnd d, struct opnd a,
                struct opnd b);
// One-word moves; nothing when d is a already.
void lower_mov(struct lower *l, struct opnd d, struct opnd a);
void lower_iadd(struct lower *l, struct opnd d, struct opnd a, struct opnd b, uint32_t flags);
void lower_shift(struct lower *l, enum mop op, enum isa_type t, struct opnd d, struct opnd a,
                 unsigned n);
void lower_logic(struct lower *l, enum mlogic f, struct opnd d, struct opnd a, struct opnd b);
// d = a + b, or a - b, on pairs; carry_in and carry_out are PTX's.
void lower_add64(struct lower *l, struct opnd d, struct opnd a, struct opnd b, bool sub,
                 bool carry_in, bool carry_out);
// d = sign- or zero-extension of the low `bits` (8, 16) of a, to a word.
void lower_extend(struct lower *l, struct opnd d, struct opnd a, unsigned bits, bool is_signed);
// d = a << n, or a >> n in the signedness of t, on pairs; n < 64. (lower_logic.c)
void lower_shl64(struct lower *l, struct opnd d, struct opnd a, unsigned n);
void lower_shr64(struct lower *l, enum isa_type t, struct opnd d, struct opnd a, unsigned n);
// d (pred) = a f b, on predicates.
void lower_psetp(struct lower *l, enum mlogic f, struct opnd d, struct opnd a, struct opnd b);
// p, or a predicate that is not p: for the instructions that cannot invert (BAR, CPASYNC).
struct opnd lower_plain_pred(struct lower *l, struct opnd p);
void lower_sel(struct lower *l, struct opnd d, struct opnd a, struct opnd b, struct opnd p);
// d = high << bits | the low `bits` (8 or 16) of low; for 8, bits 16 and up are nobody's.
void lower_join(struct lower *l, struct opnd d, struct opnd low, struct opnd high, unsigned bits);
// The policy of L2 that an access names (isa/policy.h), or none. (lower_mem.c)
struct opnd lower_policy(struct lower *l, const struct ptx_inst *i);
// Writes to a multi-word `d` go through the register that begin answers, so that no source word
// is overwritten before it is read; end copies back where that was needed.
struct opnd lower_dst_begin(struct lower *l, struct opnd d, const struct opnd *src, unsigned n);
void lower_dst_end(struct lower *l, struct opnd d, struct opnd via);
struct opnd lower_literal(struct lower *l, uint64_t v, unsigned words); // in c[2]
struct opnd lower_in_reg(struct lower *l, struct opnd o); // a register with the same value

// ---- lower_opnd.c -------------------------------------------------------------------------
unsigned lower_words(enum isa_type t);
// f64 becomes f32 where the target maps it.
enum isa_type lower_type(const struct lower *l, const struct ptx_inst *i, unsigned n);
enum isa_type lower_unsigned(enum isa_type t); // of the same width; b and f types too
struct opnd lower_src(struct lower *l, const struct ptx_operand *o, enum isa_type t);
struct opnd lower_dst(struct lower *l, const struct ptx_operand *o, enum isa_type t);
// All words of a register operand, whatever the instruction's type says of them.
struct opnd lower_whole(struct lower *l, const struct ptx_operand *o);
struct opnd lower_src_pred(struct lower *l, const struct ptx_operand *o);
struct opnd lower_dst_pred(struct lower *l, const struct ptx_operand *o);
struct opnd lower_second_pred(struct lower *l, const struct ptx_operand *o); // q of p|q, or none
const struct lower_reg *lower_reg_of(const struct lower *l, const struct ptx_operand *o);
// Value of an integer literal operand.
bool lower_int_literal(const struct ptx_operand *o, uint64_t *v);
// `value`, of type t, into the register behind `o`, which may be wider: extended by type.
void lower_widen(struct lower *l, const struct ptx_operand *o, enum isa_type t, struct opnd value);
// Where a result of type t for `o` can be made; lower_widen then extends it in place.
struct opnd lower_narrow_dst(struct lower *l, const struct ptx_operand *o, enum isa_type t);
// The address of a variable as a value of `words` words.
struct opnd lower_address_of(struct lower *l, const struct ptx_var *v, int64_t offset,
                             unsigned words);
struct opnd lower_sreg(struct lower *l, enum ptx_sreg s, enum isa_type t);
// Whether it never has more than 16 bits: sizes of blocks, and of grids before ISA 2.0.
bool lower_sreg_is_short(const struct lower *l, unsigned sreg);
void lower_sreg_into(struct lower *l, enum ptx_sreg s, struct opnd d);
// A vector of n one-word operands in consecutive registers (n <= 4, rounded up to 1, 2 or 4).
struct opnd lower_gather(struct lower *l, const struct opnd *o, unsigned n);

uint16_t lower_f16_bits(double v);
uint16_t lower_bf16_bits(double v);

// d (words) = the elements of a VECTOR, first lowest, which have `bits` together. (lower_mov.c)
void lower_pack(struct lower *l, struct opnd d, const struct ptx_operand *v, unsigned bits);
// The register behind `o` = the element of type t that stands at bit `at` of `from`, extended by
// its type as far as the register is wider.
void lower_extract(struct lower *l, const struct ptx_operand *o, enum isa_type t, struct opnd from,
                   unsigned at);

// ---- modifiers ----------------------------------------------------------------------------
enum mrnd lower_rounding(const struct ptx_inst *i);
enum mcmp lower_comparison(const struct ptx_inst *i);
enum mbop lower_bool_op(const struct ptx_inst *i);
// FTZ, SAT, NAN, RELU, ABS as the modifiers say, for a floating-point type.
uint32_t lower_fp_flags(const struct lower *l, const struct ptx_inst *i, enum isa_type t);

// ---- lower_mem.c --------------------------------------------------------------------------
struct lower_addr {
    struct opnd base;   // NONE, one word, or two
    int64_t offset;
    uint8_t space;      // enum isa_space; REG: the value is in `in`
    uint32_t flags;     // MF_FRAME
    struct opnd in;     // CONST operand or register that holds it (c[0], c[3], HOME_VREG)
    bool direct;        // `in` is it
};
struct lower_addr lower_address(struct lower *l, const struct ptx_operand *o, enum isa_space space);
// One access of `vec` elements of type t, `bytes` behind a.
void lower_load_at(struct lower *l, const struct ptx_inst *i, const struct lower_addr *a,
                   unsigned bytes, enum isa_type t, unsigned vec, struct opnd d);
void lower_store_at(struct lower *l, const struct ptx_inst *i, const struct lower_addr *a,
                    unsigned bytes, enum isa_type t, unsigned vec, struct opnd value);
uint8_t lower_load_class(uint8_t space); // enum op_class of a load from enum isa_space
uint8_t lower_scope(const struct ptx_inst *i); // enum mfence
void lower_fence(struct lower *l, uint8_t scope, uint32_t flags);

int lower_atom_op(const struct ptx_inst *i);   // enum matom, or -1

// ---- lower_bulk.c -------------------------------------------------------------------------
void lower_bulk_copy(struct lower *l, const struct ptx_inst *i);
// A fence of the asynchronous proxy or of maps. False: it is another.
bool lower_bulk_fence(struct lower *l, const struct ptx_inst *i);
void lower_bulk_prefetch_map(struct lower *l, const struct ptx_inst *i);

// ---- lower_mbarrier.c ---------------------------------------------------------------------
void lower_mbarrier_copies(struct lower *l, const struct ptx_inst *i);

// ---- lower_cluster.c ----------------------------------------------------------------------
void lower_cluster_barrier(struct lower *l, const struct ptx_inst *i);
// A store, or a reduction by enum matom (-1: none), that a barrier of its block counts.
void lower_cluster_async(struct lower *l, const struct ptx_inst *i, int op);

// ---- lower_stack.c ------------------------------------------------------------------------
// A place in this function's frame, or in that of the function that it calls.
enum lower_whose { FRAME_OWN, FRAME_CALLEE };
struct lower_addr lower_frame_at(const struct lower *l, enum lower_whose whose, int64_t offset);
void lower_stack_start(struct lower *l);                    // behind the stack pointer's start
void lower_stack_move(struct lower *l, enum lower_whose to); // before a call, and behind it

// ---- lower_call.c -------------------------------------------------------------------------
void lower_prologue(struct lower *l);
void lower_epilogue(struct lower *l); // stores .reg results, returns
// Which built-in an extern function is, or -1.
int lower_syscall(const struct ptx_func *f);

// ---- lower_fp.c: shared with comparison and conversion ------------------------------------------
static inline bool lower_is_half(enum isa_type t) {
    return t == ITYPE_F16 || t == ITYPE_F16X2 || t == ITYPE_BF16 || t == ITYPE_BF16X2;
}
static inline bool lower_is_packed(enum isa_type t) {
    return t == ITYPE_F16X2 || t == ITYPE_BF16X2 || t == ITYPE_U16X2 || t == ITYPE_S16X2;
}

// ---- handlers: `int_add` of the table is lower_int_add ----------------------------------------
#define LOWER(op, dst, on_int, on_fp, arg)                                       \
    void lower_##on_int(struct lower *l, const struct ptx_inst *i, unsigned a);  \
    void lower_##on_fp(struct lower *l, const struct ptx_inst *i, unsigned a);
#include "code/lower_table.def"
#undef LOWER

#endif
