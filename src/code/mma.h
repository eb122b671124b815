// Matrices in the registers of a warp (mma.def), for their loads and stores.
#ifndef WW_CODE_MMA_H
#define WW_CODE_MMA_H

#include "ptx/ptx.h"

enum mma_unit { MMA_ANY, MMA_H884, MMA_H1688, MMA_S32 };
enum mma_matrix { MMA_A, MMA_B, MMA_C };
enum mma_order { MMA_any, MMA_row, MMA_col };
enum { MMA_LANE_BITS = 5, MMA_ELEMENT_BITS = 5 };

struct mma_layout {
    uint8_t unit, matrix, kind, order;
    uint16_t op, shape; // enum ptx_op, enum ptx_mod
    uint8_t lane_row[MMA_LANE_BITS], lane_col[MMA_LANE_BITS];
    uint8_t row[MMA_ELEMENT_BITS], col[MMA_ELEMENT_BITS]; // of an element's bits
    uint8_t bits;                                         // of an element's number
};

// NULL: no such matrix. `unit` is the generation's, or MMA_S32 for sums of integers.
const struct mma_layout *mma_layout_find(enum mma_unit unit, enum ptx_op op, enum ptx_mod shape,
                                         enum mma_matrix matrix, unsigned kind, bool is_col);

struct mma_place {
    uint32_t row, col;
};
static inline struct mma_place mma_place(const struct mma_layout *m, uint32_t lane,
                                         uint32_t element) {
    struct mma_place p = {0, 0};
    for (uint32_t k = 0; k < MMA_LANE_BITS; k++) {
        p.row += (lane >> k & 1) * m->lane_row[k];
        p.col += (lane >> k & 1) * m->lane_col[k];
    }
    for (uint32_t k = 0; k < m->bits; k++) {
        p.row += (element >> k & 1) * m->row[k];
        p.col += (element >> k & 1) * m->col[k];
    }
    return p;
}

#endif
