// The machine instruction set: what a compiler or a decoder makes, what exec computes and what sm
// times.
// 32-bit registers in aligned pairs (64-bit values) and quads (128-bit loads), seven predicates,
// constant-bank operands, folded addresses. The same record serves before register allocation
// (virtual registers) and after it (physical ones).
#ifndef WW_ISA_H
#define WW_ISA_H

#include <assert.h>

#include "base/base.h"
#include "isa/bank0.h"
#include "isa/op_class.h"

// Types that instructions work in (type.def: TYPE(name, "text", bits, class)).
enum isa_type {
#define TYPE(name, text, bits, class) ITYPE_##name,
#include "isa/type.def"
#undef TYPE
    ITYPE_N
};
unsigned isa_type_bits(enum isa_type t);     // of one element
char isa_type_class(enum isa_type t);        // u s b f p, o for others
const char *isa_type_text(enum isa_type t);
static inline bool isa_type_is_signed(enum isa_type t) { return isa_type_class(t) == 's'; }
static inline bool isa_type_is_float(enum isa_type t) { return isa_type_class(t) == 'f'; }

// Where a memory operation reads or writes.
enum isa_space {
    SPACE_GENERIC, // the address tells
    SPACE_CONST,
    SPACE_GLOBAL,
    SPACE_LOCAL,
    SPACE_PARAM, // of the kernel, in c[0]
    SPACE_SHARED,
    SPACE_TEX,
    SPACE_N
};

// Special registers (sreg.def: SREG(name, "text", words)): SREG_tid_x.
enum isa_sreg {
#define SREG(name, text, words) SREG_##name,
#include "isa/sreg.def"
#undef SREG
    SREG_N
};
const char *isa_sreg_text(enum isa_sreg s);
unsigned isa_sreg_words(enum isa_sreg s);
static inline bool isa_sreg_is_clock(uint32_t s) {
    return s >= SREG_clock && s <= SREG_globaltimer_hi;
}

// What the row of a machine operation (ops.def) says of it but for its number (op.h), which minst.op
// carries, and its operands (operands.h).
enum mop_flags {
    OPF_BRANCH = 1,   // may change the pc other than by one
    OPF_LOAD = 2,     // reads memory
    OPF_STORE = 4,    // writes memory
    OPF_SIDE = 8,     // never dead, never moved across another such
    OPF_CONVERGENT = 16, // must see the whole warp: never moved across control flow
    OPF_COMMUTES = 32 // src[0] and src[1] may be swapped
};
struct mop_info {
    const char *text, *prose;
    uint8_t klass; // default op_class; lowering may choose another in minst.klass
    uint8_t flags;
};
extern const struct mop_info mop_info[]; // by enum mop

enum opnd_kind {
    OPND_NONE,
    OPND_GPR,   // reg (+ sub): `words` consecutive 32-bit registers
    OPND_PRED,  // reg: predicate 0..6; 7 is PT (always true; as a destination: dropped); 8..14 those
                // of the uniform datapath, 15 its PT
    OPND_IMM,   // imm
    OPND_CONST, // c[bank][reg]: `words` words at byte offset `reg`
    // What only machine code of real compilers names.
    OPND_ZERO,   // the register of zeros, as `words` of it; as a destination it drops
    OPND_UGPR,   // reg: `words` consecutive uniform registers, 0..62
    OPND_BARRIER, // reg: convergence barrier register B0..B15
    OPND_RESULT   // the word that a reducing barrier of the block leaves for B2R
};
enum opnd_mods {
    OPND_NEG = 1,
    OPND_ABS = 2,
    OPND_NOT = 4,      // abs before neg; NOT: bitwise/logical
    OPND_SCALE_AT = 3, // of an address: from this bit on the power of two that it is multiplied by
};

// An immediate in a record that is aligned to words.
typedef uint64_t opnd_imm_bits __attribute__((aligned(4)));
struct opnd {
    uint8_t kind;
    uint8_t words; // 1, 2 or 4 (GPR, IMM, CONST), more for GMMA and DMMA_16; 0 for predicates
    uint8_t mods;
    union {
        uint8_t sub;  // GPR before allocation: first word within the virtual register; after: 0
        uint8_t bank; // CONST
    };
    union { // the kind says which
        // IMM: `words` * 32 bits, also as two words: without these clang 14 loses the upper half of
        // an operand that is passed or returned by value.
        struct {
            uint32_t low, high;
        } imm_words;
        opnd_imm_bits imm;
        uint32_t reg;      // GPR/PRED number; CONST: byte offset
    };
};
enum { OPND_MOST_WORDS = 4 }; // but for sums of GMMA and, in machine code, DMMA_16
static_assert(sizeof(struct opnd) == 12, "nine operands make most of an instruction");
// Whether they are the same, modifiers and size included.
static inline bool opnd_equal(const struct opnd *a, const struct opnd *b) {
    if (a->kind != b->kind || a->words != b->words || a->mods != b->mods) return false;
    switch (a->kind) {
    case OPND_NONE: return true;
    case OPND_IMM: return a->imm == b->imm;
    default: return a->reg == b->reg && a->sub == b->sub; // sub is bank in a CONST
    }
}
// Words [w, w + n) of an operand.
static inline struct opnd opnd_words(struct opnd o, unsigned w, unsigned n) {
    if (o.kind == OPND_GPR) o.sub = (uint8_t)(o.sub + w);
    if (o.kind == OPND_CONST) o.reg += 4 * w;
    if (o.kind == OPND_IMM) o.imm = w >= 2 ? 0 : n == 1 ? (uint32_t)(o.imm >> 32 * w) : o.imm;
    o.words = (uint8_t)n;
    return o;
}
static inline struct opnd opnd_word(struct opnd o, unsigned w) { return opnd_words(o, w, 1); }
enum { PRED_TRUE = 7, PRED_NONE = 7, MAX_PREDS = 8, MAX_GPRS = 256 };
// All predicates of a warp, its uniform ones among them; uniform and barrier registers.
enum { PRED_UNIFORM = 8, UPRED_TRUE = 15, PRED_FILE = 16, MAX_UGPRS = 64, MAX_BARRIERS = 16 };
static inline bool pred_is_true(uint32_t p) { return p == PRED_TRUE || p == UPRED_TRUE; }
// The carry of additions is a predicate that no allocation hands out: IADD and IMAD leave it in
// dst[1] and take it as the source behind their summands (isa_takes_carry). Machine code of real
// compilers has a uniform predicate of this number, and no carry of its own.
enum { PRED_CARRY = PRED_UNIFORM };
// A function that may be called through a register leaves registers from there on as they were; of
// predicates it keeps none.
enum { CODE_FIRST_KEPT = 16 };
// Before allocation predicates are numbered from 0 without end, VPRED_TRUE is PT, as an operand and
// as a guard, and VPRED_CARRY is PRED_CARRY.
#define VPRED_TRUE  UINT32_MAX
#define VPRED_CARRY (UINT32_MAX - 1)

// Constant banks. c[0]: words of the launch, then kernel parameters (bank0.h); c[2]: literals of the
// kernel; c[3]: the module's .const variables; c[4]: addresses of its variables and functions, in
// machine code that no compiler of ours made.
enum const_bank { CB_LAUNCH = 0, CB_LITERAL = 2, CB_USER = 3, CB_ADDRESS = 4, CB_N = 5 };

// Comparisons: ordered ones are false on NaN, the U ones true.
enum mcmp {
    MCMP_NONE, MCMP_EQ, MCMP_NE, MCMP_LT, MCMP_LE, MCMP_GT, MCMP_GE,
    MCMP_EQU, MCMP_NEU, MCMP_LTU, MCMP_LEU, MCMP_GTU, MCMP_GEU, MCMP_NUM, MCMP_NAN
};
enum mbop { MBOP_NONE, MBOP_AND, MBOP_OR, MBOP_XOR };
enum mrnd { MRND_NONE, MRND_RN, MRND_RZ, MRND_RM, MRND_RP, MRND_RNA };

enum minst_flags {
    MF_FTZ = 1 << 0,
    MF_SAT = 1 << 1,  // float: clamp to [0,1]; integer: clamp to the type
    MF_HI = 1 << 2,   // high half of a product
    MF_WIDE = 1 << 3, // full product: destination has twice the words
    MF_NAN = 1 << 6,  // min/max propagate NaN
    MF_RELU = 1 << 7,
    MF_APPROX = 1 << 8,
    MF_FULL = 1 << 9,      // div.full
    MF_SHIFTAMT = 1 << 10, // bfind.shiftamt
    MF_WRAP = 1 << 11,     // shf.wrap; clamp otherwise
    MF_LEFT = 1 << 12,     // shf.l; shf.r otherwise
    MF_UNIFORM = 1 << 13,  // .uni
    MF_ABS = 1 << 14,      // xorsign.abs
    MF_INTRND = 1 << 15,   // cvt float to integral float
    MF_SATFINITE = 1 << 16,
    MF_VOLATILE = 1 << 17,
    MF_ACQUIRE = 1 << 18,
    MF_RELEASE = 1 << 19,
    MF_SC = 1 << 20,
    MF_BOOLF = 1 << 21, // set: destination is 1.0f / 0.0f rather than all ones / zero
    MF_NOFTZ = 1 << 23,
    MF_CMP3 = 1 << 24, // setp with two predicate results p|q
    // The function's frame size, rounded up to 16, is added to the offset (memory operations) or
    // to src[1]'s immediate (others), subtracted when that immediate is negative. image resolves
    // it when the frame's final size is known, and clears the flag.
    MF_FRAME = 1 << 25,
    MF_SPILL =
        1 << 26, // a spilled register's place in local memory, which no program wrote or reads
    MF_AS_MAD =
        1 << 27, // a move, addition or shift in the form of a multiply-add, in whose pipeline
                 // it runs (pipes.c)
    MF_STRONG = 1 << 28,   // with MF_VOLATILE: relaxed, acquire or release, which may synchronise
    MF_CONTRACT = 1 << 29, // a product or sum that may be fused with another; gone behind opt_fuse
};

// sub-operation codes
enum mufu { MUFU_RCP, MUFU_RSQ, MUFU_SQRT, MUFU_EX2, MUFU_LG2, MUFU_SIN, MUFU_COS, MUFU_TANH,
            MUFU_RCP64, MUFU_RSQ64,
            // As words say them: of turns; of the high words of doubles.
            MUFU_SIN_TURN, MUFU_COS_TURN, MUFU_RCP64H, MUFU_RSQ64H };
enum mlogic { MLOGIC_AND, MLOGIC_OR, MLOGIC_XOR, MLOGIC_PASS_B };
enum mshfl { MSHFL_UP, MSHFL_DOWN, MSHFL_BFLY, MSHFL_IDX };
enum mvote { MVOTE_ALL, MVOTE_ANY, MVOTE_UNI, MVOTE_BALLOT };
enum mprmt { MPRMT_INDEX, MPRMT_F4E, MPRMT_B4E, MPRMT_RC8, MPRMT_ECL, MPRMT_ECR, MPRMT_RC16 };
enum matom { MATOM_ADD, MATOM_MIN, MATOM_MAX, MATOM_INC, MATOM_DEC, MATOM_AND, MATOM_OR,
             MATOM_XOR, MATOM_EXCH, MATOM_CAS,
             MATOM_CAST, // CAS that answers whether it stored (1) or not (0)
             // Arrival at a barrier in memory (mbarrier.h): of 8.0, of 9.0.
             MATOM_ARRIVE, MATOM_ARRIVE_TX };
// SYNCS sub: what arrives and what becomes pending (PTX ISA, mbarrier), by the names of machine code
// A1T0, ART0, A1TR, A0TR, A0TX, A0T1; flags.
// sub of ARRIVES: an arrival, a byte that has come, an arrival at a barrier of 8.0.
enum marrives { MARRIVES_ONE, MARRIVES_BYTE, MARRIVES_OLD };
enum marrive { MARRIVE_ONE, MARRIVE_SOME, MARRIVE_EXPECT, MARRIVE_EXPECT_ONLY, MARRIVE_COMPLETE,
               MARRIVE_EXPECT_ONE, MARRIVE_FORM = 7,
               MARRIVE_DROPS = 8 /* no part in later phases */ };
// PHASECHK sub: may wait for the phase; C is the most nanoseconds that it does.
enum mphase { MPHASE_TRY = 1, MPHASE_LIMIT = 2 };
// NANOSLEEP sub: for a time; that, or until the phase is over that the warp last tried to wait for.
enum msleep { MSLEEP_TIME, MSLEEP_PHASE };
// BULKCP sub: from where to where; flags. TMALDG and the like: flags alone, aux the rank.
enum mbulk { MBULK_S_G, MBULK_G_S, MBULK_S_S, MBULK_L2, MBULK_WAY = 3,
             MBULK_REDUCES = 4,   // aux holds enum matom
             MBULK_PACKED = 8,    // C holds 16 bytes' number in its low half, blocks in its high half
             MBULK_IM2COL = 16,
             MBULK_MULTICAST = 32, // to the blocks of a mask
             MBULK_ONCE = 64       // once for all lanes that execute, as a uniform instruction
};
// PREFETCH sub.
enum mprefetch { MPREFETCH_L1 = 1, MPREFETCH_L2, MPREFETCH_UNIFORM, MPREFETCH_L2_LAST, MPREFETCH_L2_NORMAL,
                 MPREFETCH_DISCARD, MPREFETCH_DEMOTE };
// CPASYNC sub: bytes at the end are zero as B's address says; E belongs to B's address, not to A's.
enum mcopy { MCOPY_ZERO_FILL = 1, MCOPY_FROM_BASE = 2 };
enum mbar { MBAR_SYNC, MBAR_ARRIVE, MBAR_RED_POPC, MBAR_RED_AND, MBAR_RED_OR };
// MAPA, CBAR, STAS (whose other subs are enum matom): what blocks of a cluster do with each other.
enum mmapa { MMAPA_ADDRESS, MMAPA_RANK };
enum mcbar { MCBAR_ARRIVE, MCBAR_WAIT };
enum mgriddep { MGRIDDEP_LAUNCH, MGRIDDEP_WAIT };
enum mstas { MSTAS_STORE = 32 };
// CVTA and ISSPACE sub: from generic; of shared memory of any block of the cluster.
enum mcvta { MCVTA_TO = 1, MCVTA_CLUSTER = 2 };
enum mfence { MFENCE_CTA, MFENCE_GPU, MFENCE_SYS };
enum mcop { MCOP_CA, MCOP_CG, MCOP_CS, MCOP_CV, MCOP_LU, MCOP_WB, MCOP_WT, MCOP_NC };
enum mtex_geom { MTEX_1D, MTEX_2D, MTEX_3D, MTEX_1D_LAYERED, MTEX_2D_LAYERED, MTEX_CUBE,
                 MTEX_CUBE_LAYERED, MTEX_2DMS, MTEX_2DMS_LAYERED };
// TXQ aux. IS_*: 1 when the handle is such an object, else 0 (istypep).
enum mtxq { MTXQ_WIDTH, MTXQ_HEIGHT, MTXQ_DEPTH, MTXQ_CHANNEL_DATA_TYPE, MTXQ_CHANNEL_ORDER,
            MTXQ_NORMALIZED_COORDS, MTXQ_ARRAY_SIZE, MTXQ_NUM_MIPMAP_LEVELS, MTXQ_NUM_SAMPLES,
            MTXQ_FILTER_MODE, MTXQ_ADDR_MODE_0, MTXQ_ADDR_MODE_1, MTXQ_ADDR_MODE_2,
            MTXQ_FORCE_UNNORMALIZED, MTXQ_MEMORY_LAYOUT, MTXQ_IS_TEXTURE, MTXQ_IS_SAMPLER,
            MTXQ_IS_SURFACE };
enum mtex_lod { MTEX_LOD_NONE, MTEX_LOD_LEVEL, MTEX_LOD_GRAD }; // TEX aux
// SULD, SUST, SURED aux; machine code has a layer behind the other coordinates.
enum msurf_oob { MSURF_TRAP, MSURF_CLAMP, MSURF_ZERO, MSURF_OOB = 3, MSURF_LAYER_LAST = 4 };
// TEX_PARTS, TLD4_PARTS aux: the component in TEX_COMPONENT; whether the layer stands behind the other
// coordinates, and the handle, which is no coordinate, before them; which words of the result are
// wanted, a bit each.
enum mtex_parts { TEX_COMPONENT = 3, TEX_LAYER_LAST = 4, TEX_HANDLE_FIRST = 8, TEX_WANTED_AT = 8 };
// VIDEO: aux is an enum mvideo; vec is 1 (scalar: on whole words or parts of them), 2 or 4 (SIMD
// lanes). The fields of the 64-bit immediate E, as bit positions:
//   ASEL, BSEL (12 bits): scalar: enum mvideo_part. SIMD: three bits a lane,
//     lane 0 lowest: which of the eight bytes (vadd4, ...) or four halves (vadd2, ...) of the pair
//     B:A, A's lowest is 0, so that the defaults are 0 1 2 3 and 4 5 6 7 (0 1 and 2 3).
//   DSEL (4): scalar: mvideo_part where the result goes in C, the rest of C stays (no OP2 then).
//   MASK (4): SIMD: lanes of C that are replaced; others keep C.
//   OP2 (2): enum mvideo_op2, scalar: D = OP2(result, C); SIMD .add: D = C + sum over masked lanes.
//   BSIGNED (1): B's type is signed; stype is A's type; type is D's.
//   SHR (4): vmad's scale, 0, 7 or 15. PO (1): vmad's .po, plus one.
// vmad's minus signs are NEG on A, B, C (A, B: of the product; C: of the addend). flags SAT; WRAP
// for shifts; cmp for vset. C is NONE when the PTX has no third operand.
enum mvideo { MVIDEO_ADD, MVIDEO_SUB, MVIDEO_ABSDIFF, MVIDEO_MIN, MVIDEO_MAX, MVIDEO_SHL,
              MVIDEO_SHR, MVIDEO_SET, MVIDEO_MAD, MVIDEO_AVRG };
enum mvideo_part { VIDEO_WHOLE, VIDEO_B0, VIDEO_B1, VIDEO_B2, VIDEO_B3, VIDEO_H0, VIDEO_H1 };
enum mvideo_bits { VIDEO_ASEL = 0, VIDEO_BSEL = 12, VIDEO_DSEL = 24, VIDEO_MASK = 28,
                   VIDEO_OP2 = 32, VIDEO_BSIGNED = 34, VIDEO_SHR = 35, VIDEO_PO = 39 };
enum mvideo_op2 { VIDEO_OP2_NONE, VIDEO_OP2_ADD, VIDEO_OP2_MIN, VIDEO_OP2_MAX };
static inline uint32_t video_field(uint64_t e, enum mvideo_bits at, unsigned bits) {
    return (uint32_t)(e >> at) & ((1u << bits) - 1);
}
// aux of FMUL and FFMA in machine code of real compilers: the product is scaled by 2^(n - 4), n not
// 0; zero times anything is +0. Of halves: two bits a source, A's lowest, say what of it is meant;
// HSETP of both halves; a product or fused sum of a value that stands for one out of bounds is +0 (OOB).
// Of CVT: which byte or half of the source is meant, or of C; a NaN becomes what the
// types' rule does not make of it (the integer 0, or that with only its top bit set). CROSSED belongs to
// HFMA: B's halves change places, and its high one, which becomes the low one, is negated behind B's signs
// (H0_NH1, the high half named first).
enum mproduct { MPRODUCT_SCALE = 7, MPRODUCT_ZERO = 8 };
enum mhalf { MHALF_BOTH, MHALF_F32, MHALF_LOW, MHALF_HIGH, MHALF_ZERO = 64, MHALF_AND = 128, MHALF_OOB = 128,
             MHALF_CROSSED = 256 };
enum mcvt { MCVT_PART = 3, MCVT_NAN = 4 };
enum msync { MSYNC_MEET, MSYNC_EXCLUSIVE, MSYNC_COLLECTIVE };
enum mbra { MBRA_ANY = 1 }; // BRA sub: all executing lanes go where one of them wants to
enum mjump { MJUMP_BRANCH, MJUMP_CALL, MJUMP_RETURN };
enum msyscall { MSYS_VPRINTF, MSYS_MALLOC, MSYS_FREE, MSYS_ASSERTFAIL, MSYS_GRID_HANDLE, MSYS_GRID_WAIT, MSYS_N };

// sub of HMMA_884: the part of D that a step makes, and the layouts of A and B; of IMMA_*: which of A
// and B is signed.
// BMMA: bits are joined by and, not by xor. aux of HMMA_16: sums are Hopper's; bytes of B are e5m2,
// else e4m3. aux of HMMA_884: fused multiply-adds one after the other.
enum mma_sub { MMA_STEP = 3, MMA_A_COL = 4, MMA_B_ROW = 8, MMA_A_SIGNED = 1, MMA_B_SIGNED = 2,
               MMA_AND = 4, MMA_HOPPER = 1, MMA_B_E5M2 = 2, MMA_CHAIN = 1,
               // aux of HMMA_16 and IMMA_16: E says which half of A's elements are there; lanes of a
               // quad that have it
               MMA_SPARSE = 4, MMA_SELECTOR_AT = 3, MMA_SELECTOR = 3 };
// sub of GMMA: A lies in registers, else in shared memory; A and B of 16 bits lie there along m and n,
// not along k; of integers, which are signed; B is e5m2, else e4m3; D's group closes (a GMMACOMMIT).
enum gmma_sub { GMMA_A_REGS = 1, GMMA_A_TURNED = 2, GMMA_B_TURNED = 4, GMMA_A_SIGNED = 8,
                GMMA_B_SIGNED = 16, GMMA_B_E5M2 = 32, GMMA_COMMITS = 64 };
// aux of GMMA: half of A's elements are there, E says which; the selector: which lanes of four give E.
enum gmma_aux { GMMA_SPARSE = 1, GMMA_SELECTOR_AT = 1, GMMA_SELECTOR = 3 };

// One machine instruction. Operand order for each operation stands in ops.def.
enum { MINST_DSTS = 3, MINST_SRCS = 6, MINST_POLICY = 4 /* source of an access: a policy of L2 */ };
struct minst {
    uint16_t op;     // enum mop (op.h)
    uint8_t klass;   // enum op_class: what it is counted as, and timed as but for MF_AS_MAD
    uint8_t type;    // enum isa_type the operation works in (destination type of CVT)
    uint8_t stype;   // source type (CVT, mixed set/slct, textures' coordinate type)
    uint8_t cmp, bop, rnd;
    uint8_t sub;     // op-specific: mufu, mlogic, lut of LOP3, mshfl, ...
    uint8_t space;   // enum isa_space of a memory operation
    uint8_t cop;     // enum mcop
    uint8_t vec;     // elements of a vector access or texture result (1, 2, 4)
    uint32_t flags;  // MF_*
    struct opnd dst[MINST_DSTS]; // [0] result, [1] second result (predicate of setp p|q, shfl, ...)
    struct opnd src[MINST_SRCS];
    uint32_t guard;  // predicate register; PRED_TRUE: none (before allocation: UINT32_MAX is none)
    int64_t offset;  // byte offset added to the address of a memory operation (to an address of one
                     // word modulo 2^32: the optimiser moves additions in here)
    int32_t target;  // BRA/CALL: label id before layout, instruction index after; -1 none
    int32_t reconv;  // BRA/BRX: instruction index where its lanes meet again; -1: at exit/return
    uint32_t ptx_line; // line in the text that the image was made from
    uint32_t src_line; // from .loc; 0 none
    uint16_t src_file; // module file number
    uint16_t aux;    // enum mvideo, vector selectors, txq query, table number of BRX/CALLI, ...
    bool guard_not;
};
static_assert(sizeof(struct minst) == 160, "two and a half cache lines");
enum { GUARD_NONE = -1 };

// The class whose pipeline, latency and interval are the instruction's.
static inline uint8_t minst_timing(const struct minst *m) {
    return m->flags & MF_AS_MAD ? (uint8_t)OPC_INT_MAD : m->klass;
}

// Whether the machine takes operand `o` as src[s] of `i`, the other sources being as they are:
// which slots hold constants and immediates, how long an immediate may be, and that there is one
// constant or immediate an instruction. A zero immediate is the zero register and goes anywhere
// but into an address. (operands.c)
bool isa_fits(const struct minst *i, unsigned s, const struct opnd *o);
// Sources 0 and 1 change places (a comparison is mirrored, a selection turned); false, and nothing
// is changed, where that cannot be said.
bool isa_commute(struct minst *i);

#endif
