// Rows of the encoding table. A row is an opcode (bits 0 to 8), the operand forms (bits 9 to 11) in
// which it occurs, the generations in which it holds, and its items: modifiers in the order in
// which they are printed, then operands, then what is required of bits that stand for nothing.
#ifndef WW_SASS_ROW_H
#define WW_SASS_ROW_H

#include "sass/word.h"

enum sass_item_kind {
    ITEM_END,
    ITEM_SELECT,       // the row holds only when the field has the value `low`
    ITEM_FIX,          // the field always has the value `low`; anything else is unknown
    ITEM_FIX_OR_0,     // `low` or 0
    ITEM_HIDDEN,       // a field that has a meaning and is not printed
    ITEM_FLAG,         // one bit: name[0] when set
    ITEM_FLAG_NOT,     // one bit: name[0] when clear
    ITEM_ENUM,         // field (and second field above it): name by value; "" prints nothing
    ITEM_REG,          // register
    ITEM_UREG,         // uniform register
    ITEM_B,            // second source of three, placed by the form
    ITEM_C,            // third source
    ITEM_B2,           // second source of two: never at bit 64
    ITEM_PRED,         // predicate
    ITEM_PRED_NOT,     // with its negation in the next bit
    ITEM_PRED_BACK,    // complement of the number, negation above, printed when it is not PT
    ITEM_NUMBER,       // an unsigned field
    ITEM_MEMORY,       // address: see `mode`
    ITEM_CONST,        // c[bank][reg + offset]
    ITEM_UCONST,       // c[bank][ureg + offset]
    ITEM_TARGET,       // distance in words of four bytes
    ITEM_TARGET_BYTES, // distance in bytes
    ITEM_BARRIER,
    ITEM_SPECIAL,
    ITEM_SCOREBOARD,
    ITEM_SCOREBOARDS,
    ITEM_LUT_SPLIT, // table of PLOP3: five bits at 72, three at 64
    ITEM_NAME,      // an operand that is always the same
    ITEM_NAME_MODIFIER,
    ITEM_WORD,         // an operand that is a word by value; "" is no operand
    ITEM_REG_TARGET,   // register and address
    ITEM_REG_DISTANCE, // register and distance
    ITEM_REG_NUMBER    // register and absolute address
};

// What an operand leaves out when it says nothing.
enum { OPT_ALWAYS, OPT_PT, OPT_255, OPT_ABSENT };

enum sass_mode {
    MODE_PLAIN,    // [A + offset]
    MODE_SHARED,   // [A.scale + UR + offset], sm_75 on
    MODE_UNSCALED, // the same without a scale
    MODE_GLOBAL,   // [A.64 + UR + offset], or a descriptor
    MODE_COPY_TO,  // destination of LDGSTS
    MODE_COPY_FROM,
    MODE_UNIFORM // [UR + offset]
};

// What tells apart names that one encoding has.
enum sass_quirk { QUIRK_NONE, QUIRK_IMAD };

// Bit numbers of items: 0 says that there is no such bit, for bit 0 belongs to the opcode.
enum { REUSE_EITHER = 123 }; // bit 123 or 124
struct sass_item {
    uint8_t kind;
    uint8_t lo, n;        // its field
    uint8_t lo2, n2;      // a second field, above the first one: or that of a suffix
    uint8_t neg, abs;     // bits of its signs; of B and C: in the place at bit 32 (A: at bit 24)
    uint8_t neg64, abs64; // in the place at bit 64
    uint8_t lo64, n64;    // field of the suffix there
    uint8_t type;         // of an immediate: enum sass_operand_kind
    uint8_t option;       // OPT_
    uint8_t mode;         // MODE_
    uint8_t gens;         // generations in which the item is there; 0: as the row
    uint8_t reuse;        // bit of the reuse cache
    bool complement;      // negation is a complement
    bool uniform;         // of the uniform file
    uint8_t hide;         // bit that makes the uniform register a descriptor, from sm_80 on
    uint8_t show;         // bit that makes sm_80 print the descriptor
    uint8_t wide_at;      // bit that says that the register of an address has 64 bits
    uint8_t only_bit;     // the item is there when this bit is set
    uint64_t low;         // value of ITEM_SELECT and ITEM_FIX; of OPT_ABSENT
    const char *const *name;
    const char *const *suffix; // by value of the second field
};

enum { SASS_MAX_ITEMS = 24 };
struct sass_row {
    uint16_t op;
    uint8_t forms, gens;
    uint8_t quirk;
    bool uniform; // guarded by a predicate of the uniform file; registers of B and C are uniform
    const char *name;
    struct sass_item item[SASS_MAX_ITEMS];
};

extern const struct sass_row sass_rows[]; // by opcode, then as they are tried
extern const uint32_t sass_rows_n;

// sass_decode, which says too what bits its row's fields took.
enum sass_found sass_decode_seen(struct sass_word w, uint64_t pc, uint32_t gen,
                                 struct sass_inst *out, struct sass_word *extra,
                                 struct sass_word *seen);

// Name of a special register; NULL when it has none.
const char *sass_special_name(uint32_t number, uint32_t gen);

#endif
