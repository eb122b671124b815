// Exact division of 64-bit numbers by a constant that is known at creation: a high multiply, one
// compare. The estimate floor(x * floor((2^64-1)/d) / 2^64) is the quotient or one less, for any x.
#ifndef WW_BASE_FASTDIV_H
#define WW_BASE_FASTDIV_H

#include <stdint.h>

struct fastdiv {
    uint64_t d, magic;
};

static inline struct fastdiv fastdiv_of(uint64_t d) {
    return (struct fastdiv){.d = d ? d : 1, .magic = UINT64_MAX / (d ? d : 1)};
}

static inline uint64_t fastdiv_quotient(const struct fastdiv *f, uint64_t x) {
    __extension__ typedef unsigned __int128 u128;
    uint64_t q = (uint64_t)(((u128)x * f->magic) >> 64);
    return q + (x - q * f->d >= f->d);
}

static inline uint64_t fastdiv_ceil(const struct fastdiv *f, uint64_t x) {
    __extension__ typedef unsigned __int128 u128;
    const uint64_t q = (uint64_t)(((u128)x * f->magic) >> 64), rest = x - q * f->d; // below 2 d
    return q + (rest > 0) + (rest > f->d);
}

#endif
