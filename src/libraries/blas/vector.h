// A call on vectors as its kernels take it. Read by C and by CUDA C: the layouts are alike.
#ifndef WW_LIBRARIES_VECTOR_H
#define WW_LIBRARIES_VECTOR_H

#include <stdint.h>

enum { VECTOR_PART = 32 }; // bytes

struct vector {
    int64_t n;
    uint64_t x, y;          // device addresses
    int64_t step_x, step_y; // elements from one to the next
    uint64_t alpha_at;      // device address of the factor, or 0: the value below
    double alpha[2];
    uint64_t parts; // of a reduction: what each block leaves, VECTOR_PART bytes each
    uint64_t out;   // ... and where the result goes
    uint32_t conj, n_parts, wants_least;
    uint32_t
        alpha_is_narrow; // bool: a half lies at the address, or a real number of a complex factor
    uint32_t is_long;    // bool: a place among the elements is a number of 64 bits
};

// A rotation of two vectors: x := c x + s y, y := c y - conj(s) x; or a modified one, whose five numbers are `flags`.
struct rotation {
    int64_t n;
    uint64_t x, y;
    int64_t step_x, step_y;
    uint64_t cosine_at, sine_at, flags_at; // device addresses, or 0: the values below
    double cosine, sine[2], flags[5];
    uint32_t sine_is_real; // bool
};
// What makes one: addresses on the device, of elements and (where the kernel says so) of real numbers.
struct rotation_of {
    uint64_t a, b, c, s, flags;
};

#endif
