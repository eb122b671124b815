// The tables that come straight out of ops.def and op_class.def: one row a machine operation, one
// row an operation class. Everything that asks "what is this operation" looks here.
#include "code/code.h"

#include <assert.h>

const uint8_t op_class_unit[OPC_N] = {
#define OPC(name, unit, prose) [OPC_##name] = UNIT_##unit,
#include "code/op_class.def"
#undef OPC
};

const char *op_class_text(enum op_class c) {
    static const char *const text[] = {
#define OPC(name, unit, prose) [OPC_##name] = #name,
#include "code/op_class.def"
#undef OPC
    };
    return (unsigned)c < OPC_N ? text[c] : "?";
}

const char *op_class_prose(enum op_class c) {
    static const char *const prose_of[] = {
#define OPC(name, unit, prose) [OPC_##name] = prose,
#include "code/op_class.def"
#undef OPC
    };
    return (unsigned)c < OPC_N ? prose_of[c] : "?";
}

const char *unit_class_text(enum unit_class u) {
    static const char *const text[UNIT_N] = {
        [UNIT_NONE] = "NONE", [UNIT_INT] = "INT", [UNIT_FP] = "FP",   [UNIT_SFU] = "SFU",
        [UNIT_DP] = "DP",     [UNIT_LDST] = "LDST", [UNIT_TEX] = "TEX",
        [UNIT_TENSOR] = "TENSOR"};
    return (unsigned)u < UNIT_N ? text[u] : "?";
}

const struct mop_info mop_info[OP_N] = {
#define OP(name, mnemonic, class, opflags, meaning) \
    [OP_##name] = {.text = mnemonic, .prose = meaning, .klass = OPC_##class, .flags = opflags},
#include "code/ops.def"
#undef OP
};

// minst.op and klass are stored in 16 and 8 bits, mop_info.flags in 8.
static_assert(OP_N <= UINT16_MAX && OPC_N <= UINT8_MAX, "operation numbers fit their fields");
static_assert(OPF_COMMUTES <= UINT8_MAX, "operation flags fit their field");
static_assert(UNIT_N <= 8, "a unit is a bit in an eight-bit mask");
