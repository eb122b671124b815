// The table of layouts (mma.def).
#include "code/mma.h"

#define W(...)                                                                                     \
    { __VA_ARGS__ }
static const struct mma_layout layouts[] = {
#define MMA_LAYOUT(unit_, op_, shape_, matrix_, kind_, order_, lane_row_, lane_col_, row_, col_)   \
    {.unit = MMA_##unit_,                                                                          \
     .matrix = MMA_##matrix_,                                                                      \
     .kind = kind_,                                                                                \
     .order = MMA_##order_,                                                                        \
     .op = PTX_OP_##op_,                                                                           \
     .shape = PTX_MOD_##shape_,                                                                    \
     .lane_row = lane_row_,                                                                        \
     .lane_col = lane_col_,                                                                        \
     .row = row_,                                                                                  \
     .col = col_,                                                                                  \
     .bits = sizeof((uint8_t[])row_)},
#include "code/mma.def"
#undef MMA_LAYOUT
};

const struct mma_layout *mma_layout_find(enum mma_unit unit, enum ptx_op op, enum ptx_mod shape,
                                         enum mma_matrix matrix, unsigned kind, bool is_col) {
    for (size_t k = 0; k < WW_COUNT(layouts); k++) {
        const struct mma_layout *const m = &layouts[k];
        if (m->op != op || m->shape != shape || m->matrix != matrix || m->kind != kind) continue;
        if (m->unit != MMA_ANY && m->unit != unit) continue;
        if (m->order == MMA_any || (m->order == MMA_col) == is_col) return m;
    }
    return NULL;
}
