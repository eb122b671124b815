// Sparse matrices: which elements of a row of A are there, as metadata says (PTX ISA 9.0, 9.7.14.6.1 and
// 9.7.15.6.2). Elements come in chunks of four units, of which two are there, and a chunk has four
// bits: the places of both, the lower one first. A unit is an element of 8 or 16 bits, two of 4 bits,
// or half of one of tf32. Whose registers have which chunks is what PTX's figures show, written here
// as CUTLASS 4 writes it (ELayout_64x16, _64x32, _64x64): of a quad's lanes one, a pair or all give
// metadata.
//
//   one, a pair   lane 4 g + selector, or its first and second one: four chunks each of row g in the lower half
//                 of the word, of row g + 8 in the upper half
//   all           lane 4 g + h + 2 q: eight chunks of row g + 8 h, quarter q of the words
#ifndef WW_EXEC_SPARSE_H
#define WW_EXEC_SPARSE_H

#include "exec/exec_int.h"

// Places in B's k of the `terms` elements of row `row` (below 16) that A has. `units` of a row in
// all: 16, 32 or 64. `in_unit`: elements (4 bits: 2, else 1); tf32: each element is two units.
static inline void sparse_places(const uint32_t *meta, uint32_t selector, uint32_t row,
                                 uint32_t bits, uint32_t terms, uint8_t *at) {
    const uint32_t group = row % 8, half = row / 8;
    const uint32_t chunks = bits == 32 ? terms : bits == 4 ? terms / 4 : terms / 2;
    for (uint32_t c = 0; c < chunks; c++) {
        uint32_t lane, bit;
        if (chunks == 16) {
            lane = 4 * group + half + 2 * (c / 8);
            bit = 4 * (c % 8);
        } else {
            lane = 4 * group + (chunks == 4 ? selector : 2 * selector + c / 4) % 4;
            bit = 4 * (c % 4) + 16 * half;
        }
        const uint32_t two = meta[lane] >> bit & 15;
        const uint32_t first = 4 * c + (two & 3), second = 4 * c + (two >> 2);
        if (bits == 32) {
            at[c] = (uint8_t)(first / 2);
        } else if (bits == 4) {
            for (uint32_t k = 0; k < 2; k++) {
                at[4 * c + k] = (uint8_t)(2 * first + k);
                at[4 * c + 2 + k] = (uint8_t)(2 * second + k);
            }
        } else {
            at[2 * c] = (uint8_t)first;
            at[2 * c + 1] = (uint8_t)second;
        }
    }
}

#endif
