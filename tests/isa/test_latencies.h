// Latencies of a machine with control bits.
#ifndef TEST_LATENCIES_H
#define TEST_LATENCIES_H

#include "isa/image.h"

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
