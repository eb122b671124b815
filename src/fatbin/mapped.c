#include "fatbin/mapped.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

bool memory_is_mapped(const void *p, uint64_t bytes) {
    enum { PAGES = 4096 };
    unsigned char in_core[PAGES]; // what mincore(2) says beside: nobody asks
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), at = (uint64_t)(uintptr_t)p;
    if (bytes > UINT64_MAX - page - at) return false;
    const uint64_t end = at + bytes;
    for (uint64_t from = at / page * page; from < end; from += PAGES * page) {
        const uint64_t most = PAGES * page, left = end - from;
        void *const first = (char *)(uintptr_t)from;
        if (mincore(first, (size_t)(left < most ? left : most), in_core) != 0) return false;
    }
    return true;
}
