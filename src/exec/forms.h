// Forms of operations: what the choice of a handler asks of an instruction (forms.def holds the
// rows).
#ifndef WW_EXEC_FORMS_H
#define WW_EXEC_FORMS_H

#include "exec/exec_int.h"
#include "isa/op.h"

// What a row may ask besides types and sub-operations. Bits 0 to 31 of a set are MF_ flags; these
// follow.
enum form_fact {
    FACT_MOD_A = 32, // source A has a modifier, and B, and C
    FACT_MOD_B,
    FACT_MOD_C,
    FACT_NEG_A, // that is, or holds, a minus sign
    FACT_NEG_B,
    FACT_MINUS_B,     // a minus sign alone
    FACT_SUB,         // the sub-operation is not 0
    FACT_AUX,         // the second one, aux
    FACT_NEAREST,     // rounds to nearest
    FACT_CARRY,       // takes or leaves a carry
    FACT_HAS_C,       // there is a source C
    FACT_DROPS,       // there is no first result
    FACT_TWO_RESULTS, // the second one is wanted
    FACT_ONE_WORD,    // the first has one word, two words
    FACT_TWO_WORDS,
    FACT_CHECKED, // the launch checks accesses
    FACT_SMALL,   // elements of a type below 32 bits
    FACT_ONE_ELEMENT,
    FACT_A_REGISTER, // the address is in a register
    FACT_A_WORD,     // of one word
    FACT_IN_GLOBAL,  // the space; generic addresses count as global
    FACT_IN_SHARED,
    FACT_IN_LOCAL,
    FACT_COPY_SIZE, // 4, 8 or 16 bytes
    FACT_ZERO_C,       // source C is the register of zeros
    FACT_HAS_E,        // there is a source E
    FACT_THIRD_RESULT, // the third one is wanted
    FACT_PLAIN_BYTES,  // source C chooses the same bytes in all lanes and spreads no sign
    FACT_HALF_MOVE,    // two halves, an immediate, are added to -0 and come out as they are
    FACT_N
};
// A form. A set of 0 is any.
struct form {
    uint64_t types, stypes;  // bits of enum isa_type
    uint64_t all, none, any; // flags and facts: all of these, none of these, at least one of these
    uint64_t subs;           // sub-operations below 64; those from there on are as bit 63
    uint16_t cmps;           // bits of enum mcmp
    uint8_t rnds;            // bits of enum mrnd
    bool is_rest;            // what no other row takes
    bool swaps;              // sources A and B change places
    bool takes_c;            // source C stands where A is expected
    bool by_mode;            // of four handlers the one of the rounding mode
    bool is_none;            // there is no such instruction
    uint8_t table;           // enum exec_table
    uint16_t handler;
};
struct forms {
    const struct form *row;
    uint32_t n;
    void (*operands)(const struct minst *m, struct xinst *x);
};
// Rows of an operation; n 0: it has none.
const struct forms *forms_of(enum mop op);

// An instruction as rows see it.
struct form_key {
    uint8_t type, stype, cmp, rnd, sub;
    uint64_t facts;
};
bool form_takes(const struct form *f, const struct form_key *k);

#endif
