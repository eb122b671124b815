// The generations as targets of the compiler, as a chip of each has them.
#ifndef TEST_TARGETS_H
#define TEST_TARGETS_H

#include "code/code.h"

static inline struct code_target test_target(enum target_gen gen) {
    struct code_target t = {
        .gen = gen, .max_regs = 255, .reg_alloc_unit = 1, .n_preds = 7, .max_threads_per_cta = 1024};
    if (gen == GEN_TESLA) {
        t.max_regs = 124;
        t.max_threads_per_cta = 512;
    } else if (gen == GEN_FERMI) {
        t.max_regs = 63;
    }
    return t;
}

// What a V100's compiler knows of it: 4 cycles for most, 5 for products, 6 for halves, 8 for doubles;
// memory and special functions are waited for (gpus/v100.yaml).
static inline struct code_latencies test_latencies(void) {
    struct code_latencies l = {.branch = 6};
    for (uint32_t k = 0; k < OPC_N; k++) {
        const uint8_t unit = op_class_unit[k];
        l.cycles[k] = unit == UNIT_INT || unit == UNIT_FP ? 4 : unit == UNIT_DP ? 8 : 0;
    }
    l.cycles[OPC_INT_MUL] = l.cycles[OPC_INT_MAD] = 5;
    l.cycles[OPC_HALF] = 6;
    l.cycles[OPC_CVT] = l.cycles[OPC_CVT_FP] = l.cycles[OPC_INT_BIT] = 0;
    l.cycles[OPC_MMA_884_F32] = 12;
    l.cycles[OPC_MMA_884_F16] = 15;
    return l;
}

#endif
