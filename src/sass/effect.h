// What an instruction reads and writes, by register: the rows of effect.def, with what its operands
// say. For audits of control bits, and for whoever executes words.
#ifndef WW_SASS_EFFECT_H
#define WW_SASS_EFFECT_H

#include "sass/word.h"

// Kinds of instruction whose latency differs, or whose operands are read at different times.
#define SASS_CLASSES(X)                                                                            \
    X(OTHER)                                                                                       \
    X(ALU)                                                                                         \
    X(FMA)                                                                                         \
    X(WIDE) X(HALF) X(HALF_MMA) X(DOUBLE) X(MATRIX) X(SPECIAL) X(VOTE) X(UNIFORM) X(UNIFORM_LOAD)  \
        X(MOVE) X(FUNCTION) X(CONVERT) X(CONVERT_64) X(SPECIAL_LOAD) X(LOAD_GLOBAL)                \
            X(LOAD_CONSTANT) X(LOAD_LOCAL) X(LOAD_SHARED) X(STORE_GLOBAL) X(STORE_LOCAL)           \
                X(STORE_SHARED) X(SHUFFLE) X(ATOMIC) X(ATOMIC_SHARED)
enum sass_class {
#define X(name) SASS_CLASS_##name,
    SASS_CLASSES(X)
#undef X
        SASS_CLASS_N
};
const char *sass_class_name(enum sass_class c);
enum sass_class sass_class_of(struct sass_word w);

enum sass_role {
    SASS_ROLE_RESULT,
    SASS_ROLE_GUARD,
    SASS_ROLE_PREDICATE,
    SASS_ROLE_A,
    SASS_ROLE_B,
    SASS_ROLE_C,
    SASS_ROLE_ADDRESS,
    SASS_ROLE_N
};
const char *sass_role_name(enum sass_role r);

enum sass_file { SASS_FILE_R, SASS_FILE_U, SASS_FILE_P, SASS_FILE_UP, SASS_FILE_N };
// Registers of one operand; zero registers and the predicates that are always true stand in none.
struct sass_access {
    enum sass_file file;
    enum sass_role role;
    uint8_t first, n;
};
enum { SASS_MAX_ACCESSES = 2 * SASS_MAX_OPERANDS + 1 };
// Accesses of a known instruction; how many.
uint32_t sass_accesses(struct sass_word w, const struct sass_inst *in,
                       struct sass_access out[SASS_MAX_ACCESSES]);

#endif
