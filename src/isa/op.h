// Machine operations by number. Records (isa.h) and images are read without it: it is for those that
// name operations, which a new row of ops.def compiles anew.
#ifndef WW_ISA_OP_H
#define WW_ISA_OP_H

#include "isa/isa.h"

// Machine operations (ops.def: OP(name, "MNEMONIC", class, flags, operands, "prose")).
enum mop {
#define OP(name, ...) OP_##name,
#include "isa/ops.def"
#undef OP
    OP_N
};

// Fillers stand for the time of operations that are several instructions on the real machine.
static inline bool minst_is_filler(const struct minst *m) { return m->op == OP_FILLER; }
// One that runs before its operation: it stands behind it as the others do up to register
// allocation, which puts it in front.
static inline bool minst_is_lead(const struct minst *m) { return minst_is_filler(m) && m->sub; }

// Whether an access names a policy of L2 (policy.h).
static inline bool minst_has_policy(const struct minst *m) {
    const uint8_t kind = m->src[MINST_POLICY].kind;
    return (mop_info[m->op].flags & (OPF_LOAD | OPF_STORE)) != 0 &&
           (kind == OPND_GPR || kind == OPND_UGPR);
}

// Whether an addition takes a carry, leaves one, or either.
static inline unsigned isa_carry_source(const struct minst *m) {
    return m->op == OP_IADD ? 2 : m->op == OP_IMAD ? 3 : MINST_SRCS;
}
static inline bool isa_takes_carry(const struct minst *m) {
    const unsigned s = isa_carry_source(m);
    return s < MINST_SRCS && m->src[s].kind == OPND_PRED;
}
static inline bool isa_leaves_carry(const struct minst *m) {
    return isa_carry_source(m) < MINST_SRCS && m->dst[1].kind == OPND_PRED;
}
static inline bool isa_has_carry(const struct minst *m) {
    return isa_takes_carry(m) || isa_leaves_carry(m);
}

#endif
