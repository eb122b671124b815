// The decoder's two halves: operands and constants (decode.c), the choice of a handler (forms.c).
#ifndef WW_EXEC_DECODE_H
#define WW_EXEC_DECODE_H

#include "exec/exec_int.h"

// The handler of an instruction whose operands are laid out already; it may touch them up (swap
// sources, fill aux8). NULL: the operation does not exist.
exec_fn choose_handler(const struct exec_launch *l, const struct minst *m, struct xinst *x);

#endif
