// Which of the vector levels that files *_simd.c are compiled for is in use.
#ifndef WW_EXEC_LEVEL_H
#define WW_EXEC_LEVEL_H

#include "base/base.h"

// Name of the vector level in use ("v4", "v3", "base"), and a way to force it (tests; NULL: best).
const char *exec_simd_level(void);
bool exec_simd_force(const char *level);

#endif
