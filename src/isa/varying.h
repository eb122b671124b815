// Branches of which CTAs of one launch may take different targets though the same lanes take them.
#ifndef WW_ISA_VARYING_H
#define WW_ISA_VARYING_H

#include "isa/image.h"

// Marks in varies[n_insts] each jump through a table and each call through a pointer whose index or
// pointer may differ between two CTAs that have come there in lock step: same lanes, same way, so
// that only data can differ. It may when memory, the CTA's number, a clock or the SM had a part in
// it; a thread's number within its CTA is the same in both. (Front-end sharing: the compiler's
// hint, Zhang and Liang, section II-D.) False: out of memory.
bool code_varying_branches(const struct code_image *im, uint8_t *varies);

#endif
