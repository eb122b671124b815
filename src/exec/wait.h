// Why warps do not end: lanes that wait for one another or at a barrier, and warps that spin.
#ifndef WW_EXEC_WAIT_H
#define WW_EXEC_WAIT_H

#include "base/base.h"

struct devmem;
struct exec_warp;

// Of a warp whose lanes wait for each other: who waits for whom, into `text`, which is also the
// answer; empty when they do not.
const char *exec_waits_text(const struct exec_warp *w, char *text, size_t size);

// The i-th of the places where lanes of a waiting warp wait for a barrier of the block. False:
// there are no more.
struct exec_wait {
    uint32_t pc, lanes, barrier;
};
bool exec_barrier_wait(const struct exec_warp *w, uint32_t i, struct exec_wait *out);

// What a warp does again and again while memory stays as it is (spin.c).
struct exec_spin {
    uint32_t pc;     // the atomic or load that it repeats
    bool has_access; // false: it asks no memory
    uint32_t lanes;  // that do
    uint32_t parked; // lanes that wait for those, and where
    uint32_t parked_pc;
    uint8_t space;
    uint64_t addr, value; // of the first of the lanes
    uint32_t bytes;       // of the value
};
// Whether the warp, alone, comes back to exactly the state that it was in before, having changed no
// memory, asked no clock and read nothing that the host may write: then it does so for ever unless
// something else changes memory. Where all warps that are left do, or wait, nothing ever will. The
// warp and memory are as before afterwards. Between quanta only.
bool exec_spins(struct devmem *m, struct exec_warp *w, uint64_t cycle, struct exec_spin *out);
// "block (0,0,0) warp 0: lanes 0xfffffffe spin at ..." into `text`, which is also the answer.
const char *exec_spin_text(const struct exec_warp *w, const struct exec_spin *s, char *text,
                           size_t size);

#endif
