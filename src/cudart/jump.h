// A jump written over the first instructions of a function that is mapped.
#ifndef WW_CUDART_JUMP_H
#define WW_CUDART_JUMP_H

#include <stdbool.h>
#include <stdint.h>

enum {
#if defined __x86_64__
    JUMP_BYTES = 14 // jmp *0(%rip), then the address
#else
    JUMP_BYTES = 16 // ldr x16, .+8; br x16; then the address
#endif
};

// The function at `address`, of JUMP_BYTES or more, is `to` from now on; false: its pages cannot be
// written. No thread may be inside those bytes.
bool jump_put(uintptr_t address, void (*to)(void));

#endif
