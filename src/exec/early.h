// Sums of a warp group's products (GMMA) that are touched before they were waited for: a finding of
// --check races (early.c).
#ifndef WW_EXEC_EARLY_H
#define WW_EXEC_EARLY_H

#include "exec/exec_int.h"

enum {
    EARLY_GROUPS = 8
}; // closed ones that are told apart: a wait names seven at most in machine code
struct early_warp {
    // Registers, a bit each, that products of a group write: 0 the open one, then from the youngest on.
    uint64_t sums[1 + EARLY_GROUPS][MAX_GPRS / 64];
};
// Instructions that touch such registers look first. False: no memory.
bool early_choose(struct exec_launch *l);

#endif
