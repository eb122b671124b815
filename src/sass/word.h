// 128-bit machine words of compute capability 7.0 to 9.0: what a word says, taken apart by the rows
// of encoding.def. No bit is ignored: each one belongs to a field of its row, or must have the
// value that the row names (0 when it names none); a word that breaks this is unknown.
#ifndef WW_SASS_WORD_H
#define WW_SASS_WORD_H

#include "base/base.h"

struct sass_word {
    uint64_t lo, hi;
};

// Generations whose encodings differ, as bits, so that a row can hold in several.
enum sass_gen {
    SASS_70 = 1,
    SASS_72 = 2,
    SASS_75 = 4,
    SASS_80 = 8,
    SASS_86 = 16, // and 8.7
    SASS_89 = 32,
    SASS_90 = 64
};
// The generation of sm_NN; 0 when no row holds for it.
uint32_t sass_gen(uint32_t arch);

// How a word is scheduled (bits 105 to 125).
struct sass_control {
    uint8_t stall;       // cycles until the warp's next instruction
    bool yield;          // the scheduler is told to prefer another warp
    uint8_t write, read; // counters lowered at write-back, at operand read; 7: none
    uint8_t wait, reuse; // masks of counters to wait for, of operand slots to keep
};

enum sass_operand_kind {
    SASS_REG,
    SASS_UREG,
    SASS_PRED,
    SASS_UPRED,
    SASS_UNSIGNED, // number in hexadecimal digits
    SASS_SIGNED,
    SASS_F32,
    SASS_F64,   // the high word; the low one is 0
    SASS_F16X2, // a pair, the high half is printed first
    SASS_BF16X2,
    SASS_CONST,   // c[bank][reg + offset]
    SASS_MEMORY,  // [reg.wide + ureg + offset]
    SASS_TARGET,  // address of code
    SASS_BARRIER, // convergence barrier B0 to B15, and what lies behind them
    SASS_SPECIAL, // special register
    SASS_SCOREBOARD,
    SASS_SCOREBOARDS, // mask of dependence counters
    SASS_NAME         // a word
};

enum { SASS_NONE = 0xff }; // no register

struct sass_operand {
    enum sass_operand_kind kind;
    uint8_t reg, ureg; // RZ is 255, URZ 63, PT 7
    uint8_t at;        // first bit of the register's field, which says in which place it stands
    bool neg, abs, complement, reuse;
    bool spaced; // a constant of which a part is meant is printed with a blank
    bool has_ureg, has_reg, wide, unsigned_reg;
    bool descriptor, shown;
    uint8_t bank, scale; // constants; the register's factor as a power of two
    const char *suffix;  // half or byte of it that is meant; NULL: all of it
    const char *name;    // SASS_NAME, SASS_SPECIAL; what a uniform register describes, or NULL
    int64_t value;       // number, offset, address
};

enum { SASS_MAX_MODIFIERS = 12, SASS_MAX_OPERANDS = 10 };
struct sass_row;
struct sass_inst {
    const struct sass_row *row;
    const char *name;
    uint8_t guard; // predicate, 7: PT
    bool guard_not, guard_uniform;
    uint8_t n_modifiers, n_operands;
    const char *modifier[SASS_MAX_MODIFIERS];
    struct sass_operand operand[SASS_MAX_OPERANDS];
    struct sass_control control;
};

struct sass_control sass_control(struct sass_word w);

enum sass_found {
    SASS_KNOWN,
    SASS_NO_ROW,    // no row holds for this opcode, form and generation
    SASS_BAD_VALUE, // a field has a value without a meaning
    SASS_EXTRA_BITS // bits outside the row's fields are not as they should be
};
// What a word at address `pc` says. When it is not known `extra` (may be NULL) gets the bits that
// have no meaning, and `out` what was understood: its name at least, once a row was found.
enum sass_found sass_decode(struct sass_word w, uint64_t pc, uint32_t gen, struct sass_inst *out,
                            struct sass_word *extra);

enum { SASS_TEXT_SIZE = 512 };
// Writes an instruction in the notation of the vendor's disassembler, without the semicolon.
void sass_print(const struct sass_inst *in, uint32_t gen, char text[SASS_TEXT_SIZE]);
// Decodes and prints; a word that is not known becomes a sentence that names its bits.
enum sass_found sass_text(struct sass_word w, uint64_t pc, uint32_t gen, char text[SASS_TEXT_SIZE]);
// Writes control bits: counters to wait for, the counters lowered when operands are read and when
// results are written, yield, stall; a dash stands for none: `B01---- R0 W3 Y S04`. Reuse stands at
// the operands.
enum { SASS_CONTROL_SIZE = 32 };
void sass_print_control(const struct sass_control *c, char text[SASS_CONTROL_SIZE]);

#endif
