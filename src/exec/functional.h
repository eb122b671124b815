// A whole launch without time.
#ifndef WW_EXEC_FUNCTIONAL_H
#define WW_EXEC_FUNCTIONAL_H

#include "base/base.h"

struct devmem;
struct exec_fault;
struct exec_launch;

// Most items that exec_run_functional has for a crew at once.
enum { EXEC_GROUPS = 16 };
// A line of 128 bytes of global memory or of a texture that an instruction touched, for whoever keeps caches warm: its
// number (40 bits), the block's SM (12 bits), whether it was written, and which of its 32 words: those of whole sectors of 32
// bytes (4 bits), or some of one sector (its number, 8 bits).
static inline uint64_t exec_touch(uint64_t line, uint32_t sm, uint32_t sectors, bool writes) {
    return line << 24 | (uint64_t)(sm & 0xFFF) << 12 | (uint64_t)(sectors & 0xF) << 2 | writes;
}
static inline uint64_t exec_touch_part(uint64_t line, uint32_t sm, uint32_t sector, uint32_t words,
                                       bool writes) {
    return exec_touch(line, sm, sector & 3, writes) | (uint64_t)(words & 0xFF) << 4 | 2;
}
static inline uint64_t exec_touch_addr(uint64_t touch) { return touch >> 24 << 7; }
static inline uint32_t exec_touch_sm(uint64_t touch) { return (uint32_t)(touch >> 12) & 0xFFF; }
static inline uint32_t exec_touch_words(uint64_t touch) {
    const uint32_t low = (uint32_t)touch >> 2;
    if (touch & 2) return (low >> 2 & 0xFF) << (low & 3) * 8;
    return (low & 1 ? 0xFFu : 0) | (low & 2 ? 0xFF00u : 0) | (low & 4 ? 0xFF0000u : 0) |
           (low & 8 ? 0xFF000000u : 0);
}
static inline bool exec_touch_writes(uint64_t touch) { return touch & 1; }
// Threads that run fn(arg, i) for each i < n beside each other; returns when all are done.
struct exec_groups;
struct exec_crew {
    void (*each)(void *user, uint32_t n, void (*fn)(void *arg, uint32_t i), void *arg);
    void *user;
    // What one launch leaves to the next, NULL before the first: exec_groups_destroy frees it. May be
    // NULL: then every launch makes its own.
    struct exec_groups **groups;
    // Hears at the end of a round what its groups touched, in their order and, within one, in order of
    // time: the last EXEC_TOUCHES of a round. NULL: nothing is gathered.
    void (*touched)(void *user, const uint64_t *touch, uint32_t n);
};
enum { EXEC_TOUCHES = 1 << 15 };
void exec_groups_destroy(struct exec_groups *g);
// A whole launch, functionally (functional.c says in which order), on the crew's threads or, where
// it is NULL, on this one: the results are the same. Counts warp and thread instructions. Detects
// deadlock (all warps wait) with a sentence in `d`.
struct exec_counts {
    uint64_t warp_instructions, thread_instructions;
};
enum ww_status exec_run_functional(struct exec_launch *l, struct devmem *m,
                                   const struct exec_crew *crew, uint64_t max_instructions,
                                   const volatile int *stop, struct exec_counts *counts,
                                   struct exec_fault *fault, struct diags *d);
// The same of the blocks from `first` to before `end`; those before `first` are done.
enum ww_status exec_run_functional_part(struct exec_launch *l, uint64_t first, uint64_t end,
                                        struct devmem *m,
                                        const struct exec_crew *crew, uint64_t max_instructions,
                                        const volatile int *stop, struct exec_counts *counts,
                                        struct exec_fault *fault, struct diags *d);

#endif
