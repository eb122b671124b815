// A whole launch without time.
#ifndef WW_EXEC_FUNCTIONAL_H
#define WW_EXEC_FUNCTIONAL_H

#include "base/base.h"

struct devmem;
struct exec_fault;
struct exec_launch;

// Most items that exec_run_functional has for a crew at once.
enum { EXEC_GROUPS = 16 };
// Threads that run fn(arg, i) for each i < n beside each other; returns when all are done.
struct exec_groups;
struct exec_crew {
    void (*each)(void *user, uint32_t n, void (*fn)(void *arg, uint32_t i), void *arg);
    void *user;
    // What one launch leaves to the next, NULL before the first: exec_groups_destroy frees it. May be
    // NULL: then every launch makes its own.
    struct exec_groups **groups;
};
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
// The same of the blocks from `first` on; those before it are done.
enum ww_status exec_run_functional_from(struct exec_launch *l, uint64_t first, struct devmem *m,
                                        const struct exec_crew *crew, uint64_t max_instructions,
                                        const volatile int *stop, struct exec_counts *counts,
                                        struct exec_fault *fault, struct diags *d);

#endif
