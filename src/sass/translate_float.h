// Fields that words of floats share.
#ifndef WW_SASS_TRANSLATE_FLOAT_H
#define WW_SASS_TRANSLATE_FLOAT_H

#include "sass/translator.h"

uint8_t tr_rounding(struct translator *t);                              // enum mrnd, bits 78 and 79
void tr_flag(struct translator *t, uint32_t at, enum minst_flags flag); // set where the bit is
void tr_flush(struct translator *t);                                    // bit 80
// The comparison in bits 76 to 79, and its number; false, and none is set, where it is never (0) or
// always (15) true.
bool tr_comparison(struct translator *t, uint32_t *code);
// A comparison whose results are predicates in bits 81 to 86.
void tr_set_predicates(struct translator *t);
// What joins a comparison, in two bits from `at` on, and the predicate in bits 87 to 90: src[2],
// which is none where it says nothing.
void tr_joined(struct translator *t, uint32_t at);
// The flag in bit 82 of two sources that are there already: magnitudes, with the sign of the product.
void tr_xorsign(struct translator *t);
// Minimum or maximum, which the predicate in bits 87 to 90 says: sub.
void tr_minimum(struct translator *t);

#endif
