// Text of machine instructions, also of those in the making.
#ifndef WW_ISA_DISASM_H
#define WW_ISA_DISASM_H

#include "isa/image.h"

// "@!P0 IADD.CC R2, R3, c[0x0][0x24]". Before allocation registers are V12 (word 1 of it: V12.1),
// predicates VP3, and targets label ids; afterwards targets are instruction indices. Answers the
// length that it would need, as snprintf.
int disasm_minst(const struct minst *m, bool allocated, char *buf, size_t size);

#endif
