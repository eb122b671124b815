// The generations as targets of the compiler, as a chip of each has them.
#ifndef TEST_TARGETS_H
#define TEST_TARGETS_H

#include "code/code.h"

static inline struct code_target test_target(enum target_gen gen) {
    struct code_target t = {
        .gen = gen, .max_regs = 255, .n_preds = 7, .max_threads_per_cta = 1024};
    if (gen == GEN_TESLA) {
        t.max_regs = 124;
        t.max_threads_per_cta = 512;
    } else if (gen == GEN_FERMI) {
        t.max_regs = 63;
    }
    return t;
}

#endif
