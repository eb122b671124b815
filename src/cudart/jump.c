// Apart from replace.c because preload.c, which needs nothing but the C library, writes one too.
#include "cudart/jump.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void write_jump(unsigned char *at, void (*to)(void)) {
#if defined __x86_64__
    static const unsigned char code[] = {0xff, 0x25, 0, 0, 0, 0};
#else
    static const unsigned char code[] = {0x50, 0, 0, 0x58, 0, 2, 0x1f, 0xd6};
#endif
    memcpy(at, code, sizeof code);
    memcpy(at + sizeof code, &to, sizeof to);
    __builtin___clear_cache((char *)at, (char *)at + JUMP_BYTES);
}

bool jump_put(uintptr_t address, void (*to)(void)) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = address & ~(page - 1),
                    end = (address + JUMP_BYTES + page - 1) & ~(page - 1);
    if (mprotect((void *)from, end - from, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
    write_jump((unsigned char *)address, to);
    return mprotect((void *)from, end - from, PROT_READ | PROT_EXEC) == 0;
}
