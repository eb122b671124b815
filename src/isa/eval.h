// The value of an integer instruction whose operands are known: what constant folding and tests ask.
// The meaning of its operation is lane.h's and lane64.h's, which exec's handlers use as well.
// Left out: floating point. Its handlers compute with the host's arithmetic in vectors and mend
// rounding, subnormals and NaNs around it (exec/round.h, exec/fp_lane.h, exec/soft64.h); nothing
// folds such operations, and until something does a second reader would only be in the way.
#ifndef WW_EVAL_H
#define WW_EVAL_H

#include "isa/isa.h"

// `v`: the words of the sources before their modifiers. False, and *out is left alone: the
// operation is none that is evaluated, or the instruction has a carry, predicates or more than a
// word.
bool eval_word(const struct minst *m, const uint32_t v[4], uint32_t *out);

// The same with sources or a result of two words: 64-bit types, whole products of words, counts of
// bits of a pair, and divisions of every width. A source of one word stands in the low half of its
// v, and so does a result of one.
bool eval_pair(const struct minst *m, const uint64_t v[4], uint64_t *out);

// The first result of ISETP, (a cmp b) bop c, in the type of `m` (8 to 64 bits). False: it is another
// operation.
bool eval_compare(const struct minst *m, uint64_t a, uint64_t b, bool c, bool *out);

// Selector words of a permutation's modes (enum mprmt) by the low two bits of C, nibbles from the
// low byte up; MPRMT_INDEX uses C itself.
extern const uint32_t eval_prmt_selector[7][4];

#endif
