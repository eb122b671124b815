// The forms of bits.def, one by one.
#ifndef MEASURE_BITS_H
#define MEASURE_BITS_H
#include "measure.h"

enum { BITS_FIRST = 256 }; // results that are kept as they are

struct form {
    const char *name; // as the pattern reads
    const char *body; // PTX with $d, $a, ...
    char result;      // kinds of operands.c
    char operands[5];
    int needs; // compute capability
};
void bits_forms(void (*each)(void *to, const struct form *form), void *to);
// Four columns: points, points of a block, the hash of all, those of the blocks.
void bits_blocks(struct sheet *s, const uint64_t *results, unsigned points, unsigned block);

void bits_kernels(struct kernels *list);
void bits_run(struct kit *k);
void sweep_kernels(struct kernels *list);
void sweep_run(struct kit *k);

#endif
