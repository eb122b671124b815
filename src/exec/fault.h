// What a kernel does wrong: the fault that ends its launch.
#ifndef WW_EXEC_FAULT_H
#define WW_EXEC_FAULT_H

#include "base/base.h"

enum exec_fault_kind {
    FAULT_NONE,
    FAULT_UNALLOCATED,
    FAULT_MISALIGNED,
    FAULT_SHARED_RANGE,
    FAULT_LOCAL_RANGE,
    FAULT_READ_ONLY,
    FAULT_FREED,
    FAULT_TRAP,
    FAULT_ASSERT,
    FAULT_STACK,
    FAULT_BAD_CALL,
    FAULT_BAD_TEXTURE,
    FAULT_UNINITIALISED,
    FAULT_RACE,
    FAULT_CONST_RANGE,
    FAULT_BARRIER,
    FAULT_BAD_BRANCH,
    FAULT_SHFL_MASK,
    FAULT_CONTROL
};
struct exec_fault {
    enum exec_fault_kind kind;
    uint32_t pc, lane, ptx_line, src_line, src_file;
    uint32_t block[3], thread[3];
    uint64_t addr;
    uint32_t bytes;
    bool is_store;
    char text[512]; // the whole sentence, like the vendor's memory checker: kernel, line, block,
                    // thread, address, nearest allocation
};

#endif
