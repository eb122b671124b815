// A line that is being compiled: what native.c (lines, registers, exits) and native_ops.c (what
// operations become) share.
#ifndef WW_EXEC_NATIVE_INT_H
#define WW_EXEC_NATIVE_INT_H

#include "exec/native.h"
#include "exec/native_emit.h"

// What the host's registers hold in a line. Registers of the warp lie in pairs from 0 on, lanes 0
// to 15 in the first and 16 to 31 in the second.
enum {
    WARP = RBX,
    ENV = RBP,
    REGS = R12,    // exec_warp.regs
    GUARDED = R13, // threads of guarded instructions so far
    POOL = R14,    // exec_warp.base[1]
    TABLE = R15,   // struct native_table
    PAIRS = 12,
    TEMP = 24, // six temporary vectors
    LANE_BYTES = 30, // 0, 4, 8 ... 60
    NAN_WORD = 31,   // F32_NAN
    // Masks: of the guard's lanes that are active, of active lanes; the halves beside each other.
    GUARD_MASK = 4,
    ACTIVE_MASK = 6,
    // On the stack: struct native_run, then GUARDED and predicates at the last checkpoint.
    RUN = 0,
    KEPT_GUARDED = 8,
    KEPT_PREDS = 16,
    ACTIVE_LANES = 80, // how many
    FRAME = 88
};
// Vectors and words that lines use.
struct native_table {
    _Alignas(64) uint32_t lane_bytes[16];
    uint32_t nan[16];
    uint64_t part[8], join[8]; // even elements in front of odd ones, and back
    uint32_t quads[16]; // the first of four bytes, four times, of each word
    uint32_t pick2[2][16], pick4[4][16]; // word k of elements of two words, of four
    uint32_t bit, three, seven, fifteen, sign, magnitude, exponent, exponent64, one, zero, two31; // as floats: 1, 2^31
};
extern const struct native_table native_table;
#define TABLE_WORD(name) ((struct vec){VEC_ONE, TABLE, offsetof(struct native_table, name)})

// A pair: which register of the warp it holds.
struct pair {
    uint32_t at;   // the register's place in memory, as in xinst; X_NONE: free
    uint32_t used; // when last
    bool is_dirty; // memory has an older value
    bool may_nan;  // the value may be a NaN that is not 0x7fffffff, and nobody has looked
};
// How far a line is compiled.
struct standing {
    struct emitter m;
    // Of instructions without a guard so far: threads; where not all lanes are active, instructions.
    uint32_t threads;
    // Where all registers were in memory last, and the threads until there.
    uint32_t checkpoint, checkpoint_threads;
    bool moved_guarded; // GUARDED has changed since
    uint32_t kept;      // predicates that have changed since: what they were is on the stack
    uint32_t n_exits;
    struct pair pair[PAIRS];
};
struct exit {
    uint8_t *jump;
    enum { EXIT_NAN, EXIT_HANDLER, EXIT_OUTCOME } kind;
    uint32_t pc;
    bool guarded;
    struct standing at;
};
enum { MAX_EXITS = 1024 };
struct compiler {
    struct native *native;
    const struct exec_launch *l;
    uint32_t first, pc; // of the line; that is being compiled
    uint32_t now; // counts instructions, for pair.used
    enum native_lanes lanes;
    bool guarded; // the instruction has a guard
    struct standing s;
    struct exit exit[MAX_EXITS];
};

// A source of one word: lanes 0 to 15 and 16 to 31.
struct source {
    struct vec half[2];
    uint32_t pair; // PAIRS: none, it is a constant
};
// Operand `o` of an instruction, word `word` of it.
struct source source_of(struct compiler *c, uint32_t o, uint32_t word);
// The same in registers; constants go to vectors `temp` and the next.
struct source source_in_registers(struct compiler *c, uint32_t o, uint32_t word, uint32_t temp);
// A free pair for a result. It becomes register `at` by result_is, which keeps what lanes
// outside the guard held.
uint32_t result_pair(struct compiler *c);
void result_is(struct compiler *c, uint32_t pair, uint32_t at, bool may_nan);
// The source is taken up by an operation whose result is NaN if the source is; or by another one,
// which needs to know that it is no NaN of the host.
void source_taken(struct compiler *c, const struct source *s);
void source_look(struct compiler *c, const struct source *s);
// Predicate p of the warp becomes RAX, or what it is in lanes outside the guard; RCX and RDX are lost.
void predicate_is(struct compiler *c, uint32_t p);
// Pairs to memory, looked at before.
void write_back(struct compiler *c);
// Leaves the line if mask 1 has a lane: a NaN came up.
void leave_if_nan(struct compiler *c);
// Leaves the line if the last instruction set `condition`: the handler computes what c->pc does.
void leave_if(struct compiler *c, uint32_t condition);
// The mask of lanes 16 half to 16 half + 15 that execute the instruction; 0: all do.
static inline uint32_t lanes_mask(const struct compiler *c, uint32_t half) {
    return c->guarded ? GUARD_MASK + half
           : c->lanes == NATIVE_SOME_LANES ? ACTIVE_MASK + half
                                           : 0;
}
// A result of n words, which no NaN comes of.
void results_are(struct compiler *c, const uint32_t *pair, uint32_t n, uint32_t at);
static inline uint32_t pair_half(uint32_t pair, uint32_t h) { return 2 * pair + h; }
// The word that a constant has in all lanes.
static inline uint32_t pool_word(const struct compiler *c, uint32_t o) {
    return *(const uint32_t *)(const void *)(c->l->pool - X_POOL + o);
}

// ---- what rows are written with (native_ops.c) ------------------------------------------------
static inline void put_shift_by(struct emitter *m, uint32_t way, uint32_t dst, struct vec from,
                                uint32_t by) {
    put_vector_imm(m, V_SHIFT_D, way, dst, from, by);
}
static inline bool is_true(uint32_t p) {
    return pred_is_true(p % PRED_FILE) && !(p & X_PRED_NOT);
}
static inline bool is_false(uint32_t p) {
    return pred_is_true(p % PRED_FILE) && (p & X_PRED_NOT);
}
// Predicate p to a word, as x_pred has it.
void put_predicate(struct compiler *c, uint32_t to, uint32_t p);
// The upper words of a's and b's products to vector `to`, whatever TEMP + 3 to 5 held.
void put_upper(struct emitter *m, enum vector_op product, uint32_t to, struct vec a, struct vec b);
// Masks 1 and 2 become predicates d and d1 (setp_finish).
void put_setp(struct compiler *c, const struct xinst *x);
// Handlers of plain forms ask for no modifiers (what some of these say is in the choice of the form);
// general ones do.
enum { GENERAL = 256 };
struct tweaks {
    bool flushes, saturates;
    uint8_t mods[3];
};
struct tweaks tweaks_of(const struct xinst *x, uint32_t kind);
// An operand as fsource has it: a modifier or flushing makes a copy in vector `temp`.
struct vec put_float_source(struct emitter *m, const struct tweaks *t, struct vec v, uint32_t k,
                            uint32_t temp);
// A result as fresult has it.
void put_float_result(struct emitter *m, const struct tweaks *t, uint32_t v);

// ---- code that all lines share -----------------------------------------------------------------
// Words at RAX + offset for each lane, whose offsets are in TEMP and the
// next vector, to the second and third behind those. Offsets lie in [RDX, RCX], both below 2^32, and
// are aligned; else the carry is set. For all lanes, or for those of masks 2 and 3.
// Mask 1: lanes, of mask k, whose offsets lie outside [RDX, RCX] or have one of the bits in `part`.
// `temp` is lost.
void put_unfit(struct emitter *m, uint32_t offset, uint32_t temp, uint32_t k, struct vec part);
struct native_shared {
    const uint8_t *leave, *load_words, *load_words_masked;
};
const struct native_shared *native_shared(const struct native *n);
bool native_is_heard(const struct native *n); // native_begin

// What an operation becomes. False: its handler is called.
typedef bool (*native_op)(struct compiler *c, const struct xinst *x, uint32_t kind);
// The row of a handler; NULL: there is none.
struct native_row {
    uint8_t table;    // enum exec_table
    uint16_t handler;
    uint16_t kind; // what the function is given
    native_op emit;
};
const struct native_row *native_row_of(exec_fn fn);

// Rows of other files: integers as machine code has them (native_machine.c), special functions
// (native_sfu.c).
// Kinds of lea, wide, compare64.
enum { LEA_HIGH = 1, LEA_IN = 2, LEA_CARRIES = 4, LEA_GENERAL = 8 };
enum { WIDE_ADDS = 256, COMPARE_SIGNED = 256 };
enum { SINE, COSINE, TURNS }; // kinds of emit_angle: bits
#define NATIVE_OPS(X)                                                                              \
    X(sum3) X(lea) X(wide) X(product_sum) X(bytes) X(predicates) X(predicate3) X(compare64)        \
    X(compare_chain) X(compare_any) X(funnel) X(absolute) X(field) X(special_register)             \
    X(power) X(logarithm) X(angle) X(tangent) X(quotient)
#define NATIVE_OP(name) bool emit_##name(struct compiler *c, const struct xinst *x, uint32_t kind);
NATIVE_OPS(NATIVE_OP)

#endif
