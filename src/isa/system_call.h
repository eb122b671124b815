// System calls of machine code: functions that no file defines and the driver answers (vprintf,
// malloc, free, __assertfail; of the device's runtime, a handle of the whole grid, and waiting by it). A loader gives each a code address of its own, beyond any image; a
// jump to it (OP_JUMP) does the call for the lanes that jump and goes on where their return address
// says. Arguments stand in R4 and the registers behind it, values of 64 bits in even pairs; the
// result in R4, or R4 and R5; the return address in R20 and R21.
#ifndef WW_ISA_SYSTEM_CALL_H
#define WW_ISA_SYSTEM_CALL_H

#include "isa/image.h"

enum { SYSTEM_CALL_BYTES = 16 }; // as an instruction
#define SYSTEM_CALL_FIRST 0xfff00000u
static inline uint64_t system_call_address(enum msyscall c) {
    return SYSTEM_CALL_FIRST + (uint64_t)SYSTEM_CALL_BYTES * c;
}
// Whether a code address means a call, and which.
static inline bool system_call_at(uint64_t address, enum msyscall *out) {
    if (address < SYSTEM_CALL_FIRST || address > system_call_address(MSYS_N - 1) ||
        address % SYSTEM_CALL_BYTES)
        return false;
    *out = (enum msyscall)((address - SYSTEM_CALL_FIRST) / SYSTEM_CALL_BYTES);
    return true;
}
// The instructions that do a call: whoever makes an image puts them behind its code, at `first`, and where they
// are into code_image.system_call. Answers how many they are. Waiting for the grid changes R4 to R9, P0 and P1.
enum { SYSTEM_CALL_INSTS = 32 }; // at most
uint32_t system_call_code(enum msyscall c, uint32_t first, struct minst inst[SYSTEM_CALL_INSTS],
                          struct code_control control[SYSTEM_CALL_INSTS]);
// By the name of the symbol that a file leaves undefined.
static inline bool system_call_named(const char *name, enum msyscall *out) {
    static const char *const names[] = {[MSYS_VPRINTF] = "vprintf",
                                        [MSYS_MALLOC] = "malloc",
                                        [MSYS_FREE] = "free",
                                        [MSYS_ASSERTFAIL] = "__assertfail",
                                        [MSYS_GRID_HANDLE] =
                                            "__cuda_syscall_CGS_get_intrinsic_handle",
                                        [MSYS_GRID_WAIT] = "__cuda_syscall_CGS_sync"};
    for (uint32_t c = 0; c < WW_COUNT(names); c++) {
        if (strcmp(name, names[c]) != 0) continue;
        *out = (enum msyscall)c;
        return true;
    }
    return false;
}

#endif
