// Products of integer matrices, and what moves matrices (matrix.c).
#ifndef WW_EXEC_MATRIX_H
#define WW_EXEC_MATRIX_H

#include "exec/exec_int.h"

enum matrix_fn {
    MATRIX_8816,
    MATRIX_8832,
    MATRIX_88128,
    MATRIX_16,
    MATRIX_DOUBLE,
    MATRIX_DOUBLE_16,
    MATRIX_LOAD,
    MATRIX_STORE,
    MATRIX_TURN
};

// The instruction needs all lanes of its warp, as PTX's .aligned promises. False: e->fault.
bool matrix_whole(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t mask);

#endif
