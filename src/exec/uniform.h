// Instructions that write registers or predicates of the uniform file (compute capability 7.5 on).
#ifndef WW_EXEC_UNIFORM_H
#define WW_EXEC_UNIFORM_H

#include "exec/exec_int.h"

// Gives such instructions of a decoded launch handlers that write for the whole warp. False: out of
// memory.
bool uniform_choose(struct exec_launch *l);

#endif
