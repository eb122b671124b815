// A step of a Fourier transform as its kernels take it. Read by C and by CUDA C: the layouts are alike.
#ifndef WW_LIBRARIES_FOURIER_CALL_H
#define WW_LIBRARIES_FOURIER_CALL_H

#include <stdint.h>

enum { FOURIER_RADICES = 40 }; // factors of a length
// Complex elements of the lines that a block holds, twice, in 32 KiB of shared memory.
enum { FOURIER_HELD_32 = 2048, FOURIER_HELD_64 = 1024, FOURIER_THREADS = 256 };

// What an element is made of, and what is kept of it. `half`: the elements 0 to n/2 of n; those after are their conjugates.
enum fourier_form { FOURIER_COMPLEX, FOURIER_REAL, FOURIER_HALF };

// Numbers in memory: the kernels' own type, or halves of it of either kind.
enum fourier_width { FOURIER_OWN, FOURIER_F16, FOURIER_BF16 };

// Where lines lie: line l of extent[0] x extent[1] x extent[2] begins `step` elements on for each index, and its elements are
// `stride` apart.
struct fourier_side {
    uint64_t at;
    int64_t stride, step[3];
    uint32_t form;
    uint32_t width; // of its numbers: enum fourier_width
};

// With `turn` a line of 2 n real numbers is transformed as one of n complex ones, of which element k is the numbers 2 k and 2 k + 1;
// turns tell the halves of its spectrum, 0 to n, from one another.
struct fourier_call {
    struct fourier_side in, out;
    int64_t extent[3];
    uint64_t lines, first;                 // of them all: how many, from which on
    uint64_t table;                        // address: exp(-2 pi i k / n) for k < n
    uint64_t chirp;                        // address: exp(-pi i k k / n), or 0
    uint64_t other;                        // address: the chirp's transform
    uint64_t turn;                         // address: exp(-pi i k / n) for k <= n, or 0 (below)
    uint64_t n;                            // a line's length
    uint64_t held;                         // its length in the work area, where the rest is zero
    uint64_t done;                         // product of the radices of earlier passes
    uint32_t conj;                         // an inverse transform: conjugate before and after
    uint32_t radix_count, together, radix; // lines of a block; the radix of a pass
    uint8_t radices[FOURIER_RADICES];
};

#endif
