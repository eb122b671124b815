// The value of an instruction whose operands are known: what constant folding and tests ask. The
// meaning of its operation is lane.h's, which exec's handlers use as well.
#ifndef WW_EVAL_H
#define WW_EVAL_H

#include "isa/isa.h"

// `v`: the words of the sources before their modifiers. False, and *out is left alone: the
// operation is none that is evaluated, or the instruction has a carry, predicates or more than a
// word.
bool eval_word(const struct minst *m, const uint32_t v[4], uint32_t *out);

// Selector words of a permutation's modes (enum mprmt) by the low two bits of C, nibbles from the
// low byte up; MPRMT_INDEX uses C itself.
extern const uint32_t eval_prmt_selector[7][4];

#endif
