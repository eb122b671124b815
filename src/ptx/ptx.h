// A PTX module as read: what the text says, resolved to symbols and types, and
// nothing of what a machine does with it. Everything lives in the module's arena.
#ifndef WW_PTX_H
#define WW_PTX_H

#include "base/base.h"

// Scalar types as PTX spells them. `bits` is the size of one element.
// name, text, bits, class (u,s,b,f,p,o)
#define PTX_TYPE_TABLE(X)                                                              \
    X(NONE, "", 0, 'o') X(U8, "u8", 8, 'u') X(U16, "u16", 16, 'u') X(U32, "u32", 32, 'u')      \
    X(U64, "u64", 64, 'u') X(S8, "s8", 8, 's') X(S16, "s16", 16, 's') X(S32, "s32", 32, 's')   \
    X(S64, "s64", 64, 's') X(B8, "b8", 8, 'b') X(B16, "b16", 16, 'b') X(B32, "b32", 32, 'b')   \
    X(B64, "b64", 64, 'b') X(B128, "b128", 128, 'b') X(F16, "f16", 16, 'f')                    \
    X(F16X2, "f16x2", 32, 'f') X(BF16, "bf16", 16, 'f') X(BF16X2, "bf16x2", 32, 'f')           \
    X(TF32, "tf32", 32, 'f') X(F32, "f32", 32, 'f') X(F64, "f64", 64, 'f')                     \
    X(F32X2, "f32x2", 64, 'f') X(U16X2, "u16x2", 32, 'u') X(S16X2, "s16x2", 32, 's')           \
    X(E4M3, "e4m3", 8, 'f') X(E5M2, "e5m2", 8, 'f') X(E4M3X2, "e4m3x2", 16, 'f')               \
    X(E5M2X2, "e5m2x2", 16, 'f') X(PRED, "pred", 1, 'p') X(TEXREF, "texref", 64, 'o')          \
    X(SAMPLERREF, "samplerref", 64, 'o') X(SURFREF, "surfref", 64, 'o') X(B1, "b1", 1, 'o')    \
    X(S4, "s4", 4, 'o') X(U4, "u4", 4, 'o') X(S2, "s2", 2, 'o') X(U2, "u2", 2, 'o')

enum ptx_type {
#define X(name, text, bits, class) PTX_##name,
    PTX_TYPE_TABLE(X)
#undef X
        PTX_TYPE_N
};
unsigned ptx_type_bits(enum ptx_type t);
char ptx_type_class(enum ptx_type t); // u s b f p, o for opaque
const char *ptx_type_text(enum ptx_type t);
static inline bool ptx_type_is_signed(enum ptx_type t) { return ptx_type_class(t) == 's'; }
static inline bool ptx_type_is_float(enum ptx_type t) { return ptx_type_class(t) == 'f'; }

// Opcodes (ptx_ops.def: PTX_OP(name, "text", min operands, max operands, support, "prose")).
enum ptx_op {
#define PTX_OP(name, ...) PTX_OP_##name,
#include "ptx/ptx_ops.def"
#undef PTX_OP
    PTX_OP_N
};
const char *ptx_op_text(enum ptx_op op);

// Modifiers: everything between dots that is not a type (ptx_mods.def: PTX_MOD(name, "text")).
// Includes state spaces (.global), comparisons (.eq), roundings (.rn), .wide, .lo, scopes, ...
enum ptx_mod {
#define PTX_MOD(name, text) PTX_MOD_##name,
#include "ptx/ptx_mods.def"
#undef PTX_MOD
    PTX_MOD_N
};
const char *ptx_mod_text(enum ptx_mod m);

enum ptx_space {
    PTX_SPACE_NONE, // generic
    PTX_SPACE_REG,
    PTX_SPACE_SREG,
    PTX_SPACE_CONST,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_LOCAL,
    PTX_SPACE_PARAM,
    PTX_SPACE_SHARED,
    PTX_SPACE_TEX
};

// Special registers (ptx_sregs.def: PTX_SREG(name, "%text", type)): tid.x is PTX_SREG_tid_x.
enum ptx_sreg {
#define PTX_SREG(name, text, type) PTX_SREG_##name,
#include "ptx/ptx_sregs.def"
#undef PTX_SREG
    PTX_SREG_N
};
const char *ptx_sreg_text(enum ptx_sreg s);
enum ptx_type ptx_sreg_type(enum ptx_sreg s);

// A register of a function: one declared by its own name, or one of a range (`%r<100>`) that the
// function uses; what a range declares and nothing names is not here. Vector registers (.v2/.v4)
// have elements > 1.
struct ptx_reg {
    const char *name;
    enum ptx_type type;
    uint8_t elements;
};

// One piece of an initialiser that holds an address: at `offset` in the variable
// stands the address of `symbol` (a module variable, or function) plus addend.
struct ptx_reloc {
    uint64_t offset;
    const char *symbol;
    int64_t addend;
    uint8_t bytes;       // 1 (mask operator 0xFF(sym) and friends), 4 or 8
    uint8_t shift;       // bits shifted right before the low `bytes` are stored
    bool generic;        // generic(sym): the generic address, not the one in its own space
    bool is_function;
    int32_t index;       // module variable or function index, resolved by the parser
};

// A variable: module scope, function scope (.shared, .local, .param) or a parameter.
struct ptx_var {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;   // element type
    uint8_t vector;       // 1, 2 or 4
    uint32_t align;       // bytes
    uint64_t count;       // elements in all dimensions; 1 for scalars
    uint64_t bytes;       // whole size
    bool unsized;         // `.extern .shared x[]` or flexible parameter array
    bool is_extern, is_visible, is_weak, is_common, is_array;
    bool is_managed;      // .attribute(.managed)
    // parameters: .ptr annotation
    bool is_ptr;
    enum ptx_space ptr_space;
    uint32_t ptr_align;
    const uint8_t *init;  // `bytes` bytes, or NULL (zeros)
    uint64_t init_bytes;  // how many were given
    struct ptx_reloc *relocs;
    uint32_t n_relocs;
    // texref/surfref/samplerref initialisers: { addr_mode_0 = wrap, filter_mode = linear, ... }
    int32_t tex_address_mode[3]; // CU_TR_ADDRESS_MODE order: 0 wrap 1 clamp 2 mirror 3 border
    int32_t tex_filter_mode;     // 0 point 1 linear
    bool tex_normalized;
    uint32_t line, col;
    int32_t function;     // owner function index, -1 at module scope
    int32_t reg;          // parameter of the old `.reg` kind (space REG): its register, else -1
};

enum ptx_operand_kind {
    PTX_OPERAND_REG,     // reg (index into function regs), component 0..3 or -1
    PTX_OPERAND_INT,     // imm (64 bits, two's complement)
    PTX_OPERAND_FLOAT,   // imm holds f64 bits; 0f literals set is_f32 and hold f32 bits
    PTX_OPERAND_SREG,    // sreg
    PTX_OPERAND_VAR,     // var (pointer), imm = offset: an address as a value, or param name
    PTX_OPERAND_FUNC,    // func: a function's address or call target (index in module)
    PTX_OPERAND_LABEL,   // label id of the function
    PTX_OPERAND_ADDRESS, // [base + imm]; base: reg, var, or neither (absolute)
    PTX_OPERAND_VECTOR,  // { a, b, c, d }: list[0..n)
    PTX_OPERAND_SINK,    // _
    PTX_OPERAND_PROTO,   // prototype label of an indirect call (proto = index)
    PTX_OPERAND_TARGETS  // .branchtargets / .calltargets label (targets = index)
};

struct ptx_operand {
    uint8_t kind;
    int8_t component; // .x .y .z .w of a vector register, or -1
    bool not;         // !p
    bool neg;         // -reg where PTX allows it (e.g. video); literals are folded
    bool is_f32;
    uint8_t video;    // 0 none, else PTX_VIDEO_*: .b0 .b1 .b2 .b3 .h0 .h1 (+ packed masks)
    uint16_t select;  // of PTX_VIDEO_MASK and _PACKED_*, see there
    uint8_t sreg;
    int32_t reg;      // register index, or -1
    int32_t reg2;     // second half of p|q, or -1
    int32_t label, func, proto, targets;
    const struct ptx_var *var; // VAR, ADDRESS with a symbol base
    int64_t imm;      // literal, or offset of an address
    struct ptx_operand *list; // VECTOR, and call's argument lists; ADDRESS of tex: see ptx_inst
    uint32_t n;
};
// The SIMD video instructions (vadd2, vadd4, ...) choose lanes. Their destination has MASK: bit i
// of `select` says that lane i is written (.h10 is 3, .b310 is 11). A source has PACKED_H (.h32:
// select holds two nibbles) or PACKED_B (.b7610: four nibbles), the lowest nibble being the source
// of lane 0; halves 0..1 and bytes 0..3 are the operand's, 2..3 and 4..7 those of the other
// operand.
enum {
    PTX_VIDEO_B0 = 1,
    PTX_VIDEO_B1,
    PTX_VIDEO_B2,
    PTX_VIDEO_B3,
    PTX_VIDEO_H0,
    PTX_VIDEO_H1,
    PTX_VIDEO_MASK,
    PTX_VIDEO_PACKED_H,
    PTX_VIDEO_PACKED_B
};

struct ptx_loc {
    uint32_t line, col;        // in the PTX text
    uint32_t src_line;         // from .loc, 0 when there is none
    uint16_t src_file;         // its .file number (see ptx_module.files), 0 none
};

enum { PTX_MAX_OPERANDS = 10, PTX_MAX_TYPES = 6, PTX_MAX_MODS = 16 };

// One instruction. Conventions of operand order: as written, destination first.
//   call: operand[0] = target (FUNC, or REG for indirect), operand[1] = VECTOR of results,
//         operand[2] = VECTOR of arguments, operand[3] = PROTO or TARGETS if indirect.
//   tex/suld/...: `[tex, {coords}]` is one ADDRESS operand whose var/reg is the texture,
//         list[0] (when a sampler is named) or list[..]: list = {coords VECTOR} or
//         {sampler operand, coords VECTOR}. A single coordinate `[tex, %r1]` is a VECTOR of one.
//   `_|p` (elect, lop3, match): a SINK whose reg2 is p; `{..}|p` (tex): a VECTOR whose reg2 is p.
//   `%tid` without .x: a VECTOR of four SREGs.
//   A vector register as a whole is the VECTOR of its elements (REG with component 0, 1, ...).
//   brx.idx: operand[0] = index register, operand[1] = TARGETS.
struct ptx_inst {
    uint16_t op; // enum ptx_op
    uint8_t n_operands, n_types, n_mods;
    uint8_t types[PTX_MAX_TYPES]; // enum ptx_type in order written
    uint16_t mods[PTX_MAX_MODS];  // enum ptx_mod in order written
    uint64_t modset[8];           // the same as a set
    int32_t guard;                // predicate register index, or -1
    bool guard_not;
    uint8_t vector;               // 1, 2, 4 or 8 (.v2/.v4/.v8)
    uint8_t space;                // enum ptx_space named in the modifiers (NONE = generic)
    uint16_t shape_n, shape_k;    // of wgmma: .m64nNkK
    struct ptx_operand *operand;  // n_operands
    struct ptx_loc loc;
};
static inline bool ptx_has(const struct ptx_inst *i, enum ptx_mod m) {
    return (i->modset[(unsigned)m / 64] >> ((unsigned)m % 64)) & 1;
}

// A product of matrices that wmma and mma know (ptx_mma.def).
enum ptx_mma_role { PTX_MMA_A, PTX_MMA_B, PTX_MMA_C, PTX_MMA_D };
struct ptx_mma {
    uint16_t op;           // PTX_OP_wmma or PTX_OP_mma
    uint16_t shape;        // enum ptx_mod
    uint8_t capability;    // compute capability, times ten
    uint64_t a, b;         // sets of types, a bit each
    uint8_t regs[4];       // of a thread: A, B, C and D of .f16, C and D otherwise
    const char *since;     // the capability in words: "8.0 (Ampere)"
    bool is_sparse;
};
static inline bool ptx_mma_is_sparse(const struct ptx_inst *i) {
    return ptx_has(i, PTX_MOD_sp) || ptx_has(i, PTX_MOD_sp_ordered_metadata);
}
// The row of a wmma or mma; NULL: there is no such form.
const struct ptx_mma *ptx_mma_find(const struct ptx_inst *i);
// Which matrix a wmma.load or wmma.store moves; of the products: D.
enum ptx_mma_role ptx_mma_role(const struct ptx_inst *i);
// Type of a matrix of the instruction, and how many registers a thread has of it.
enum ptx_type ptx_mma_type(const struct ptx_inst *i, enum ptx_mma_role role);
unsigned ptx_mma_regs(const struct ptx_mma *m, enum ptx_mma_role role, enum ptx_type t);

// A product of a warp group (ptx_wgmma.c). Operands that a form lacks are -1.
struct ptx_wgmma {
    uint8_t type_d, type_a, type_b;
    bool is_sparse, a_is_matrix_in_memory;
    uint8_t regs_d;
    int8_t meta, selector, scale_d, scale_a, scale_b, trans_a, trans_b; // operand numbers
    uint8_t n_operands;
};
// False: there is no such shape and types. Reads the kind of operand 1 when operands are there.
bool ptx_wgmma_form(const struct ptx_inst *i, const struct ptx_operand *operands,
                    struct ptx_wgmma *out);

struct ptx_label {
    const char *name;
    uint32_t inst; // the instruction that it stands before; n_insts = end of function
};

struct ptx_targets { // .branchtargets / .calltargets
    const char *name;
    int32_t *target; // label ids (branch) or function indices (call)
    uint32_t n;
    bool calls;
};

// What a body holds that is not supported (ptx_parse_lazily).
struct ptx_refusal {
    uint32_t line, col;
    const char *text;
};

struct ptx_func {
    const char *name;
    bool is_entry, is_visible, is_extern, is_weak, has_body, is_noreturn;
    bool is_prototype;           // .callprototype: only params matter
    struct ptx_var **params, **results; // in order
    uint32_t n_params, n_results;
    struct ptx_reg *regs;
    uint32_t n_regs;
    struct ptx_var **vars;       // local .shared/.local/.param variables (nested scopes flattened)
    uint32_t n_vars;
    struct ptx_inst *insts;
    uint32_t n_insts;
    struct ptx_label *labels;
    uint32_t n_labels;
    struct ptx_targets *targets;
    uint32_t n_targets;
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnctapersm, maxnreg; // 0 = not given
    // Clusters: their blocks in three dimensions, the most blocks; 0 = not given.
    uint32_t reqnctapercluster[3], maxclusterrank;
    bool is_explicit_cluster, blocks_are_clusters;
    uint32_t line, col;
    struct ptx_refusal *refused; // not empty: the function cannot be lowered
    uint32_t n_refused;
    int32_t alias_of;            // `.alias this, that`: index of that; else -1. Operands, targets,
                                 // relocations and ptx_find_func already mean that.
};

struct ptx_file {
    uint32_t number;
    const char *path;
};

struct ptx_module {
    struct arena arena;
    const char *name;   // file name for diagnostics
    const char *text;   // the source, kept for carets
    uint32_t version;   // major * 10 + minor
    uint32_t target;    // sm_XY as XY
    struct ptx_loc target_at;
    bool map_f64_to_f32, texmode_independent, debug;
    uint32_t address_size; // 32 or 64; without .address_size: 64 when a 64-bit register is the
                           // base of an address (ISA before 2.3 had no such line), else 32
    struct ptx_var **vars; // module scope
    uint32_t n_vars;
    struct ptx_func **funcs; // entries and functions; declarations are merged with definitions
    uint32_t n_funcs;
    struct ptx_func **protos;
    uint32_t n_protos;
    struct ptx_file *files;
    uint32_t n_files;
    struct names func_names, var_names; // for ptx_find_func and ptx_find_var
};

// Reads PTX text. On success *out is a module to be freed with ptx_free; on failure the
// diagnostics say where and why, and nothing is left behind. Instructions that parse but are not
// supported (tensor-core and newer) are refused here, each with its place and a reason, before
// anything runs: status WW_ERROR_UNSUPPORTED. `text` need not end in NUL; trailing NULs (as fat
// binaries have them) are ignored. Never crashes on any input; recursion depth is limited.
enum ww_status ptx_parse(const char *name, const char *text, size_t len,
                         const struct ww_allocator *allocator, struct diags *d,
                         struct ptx_module **out);
// The same, but what is not supported inside a function is kept with it (ptx_func.refused) in place
// of an error: a module may hold kernels that nobody launches. Who lowers the function says it.
enum ww_status ptx_parse_lazily(const char *name, const char *text, size_t len,
                                const struct ww_allocator *allocator, struct diags *d,
                                struct ptx_module **out);
void ptx_free(struct ptx_module *m);
const struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name);
const struct ptx_var *ptx_find_var(const struct ptx_module *m, const char *name);

#endif
