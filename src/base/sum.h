// Checksums of what is kept: FNV-1a, 64 bits (Fowler, Noll, Vo). Any one byte that changes changes
// it. It finds damage, not malice.
#ifndef WW_SUM_H
#define WW_SUM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Begin with SUM_START; parts may be fed one after the other.
#define SUM_START 14695981039346656037u
static inline uint64_t sum_feed(uint64_t sum, const void *data, size_t len) {
    const uint8_t *p = data;
    for (size_t i = 0; i < len; i++) sum = (sum ^ p[i]) * 1099511628211u;
    return sum;
}

// As 16 hexadecimal digits; answers buf.
enum { SUM_TEXT_BYTES = 17 };
static inline const char *sum_text(uint64_t sum, char buf[SUM_TEXT_BYTES]) {
    snprintf(buf, SUM_TEXT_BYTES, "%016llx", (unsigned long long)sum);
    return buf;
}

#endif
