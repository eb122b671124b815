// Classes of machine instructions and the units that execute them: what a GPU file gives latencies
// for, and counters and power go by. Which operation is of which class is a matter of isa.h.
#ifndef WW_ISA_OP_CLASS_H
#define WW_ISA_OP_CLASS_H

#include "base/base.h"

// Units that execute an instruction, one bit each in the scheduler's masks.
enum unit_class {
    UNIT_NONE, // consumed at issue: branches, exits, barriers, nops
    UNIT_INT,
    UNIT_FP,
    UNIT_SFU,
    UNIT_DP,
    UNIT_LDST,
    UNIT_TEX,
    UNIT_TENSOR,
    UNIT_UNIFORM, // the uniform datapath: one value a warp
    UNIT_N
};

// Classes that a GPU file gives a latency and an initiation interval for
// (op_class.def: OPC(name, unit, "prose")).
enum op_class {
#define OPC(name, unit, prose) OPC_##name,
#include "isa/op_class.def"
#undef OPC
    OPC_N
};
extern const uint8_t op_class_unit[OPC_N];
const char *op_class_text(enum op_class c);

#endif
