// A call of the random number library as its kernels take it. Read by C and by CUDA C: the layouts are alike.
#ifndef WW_LIBRARIES_RANDOM_CALL_H
#define WW_LIBRARIES_RANDOM_CALL_H

#include <stdint.h>

// What is made of a sequence's words: KIND(name, words, results) takes so many 32-bit words and leaves so many results. Two
// words are one uniform number of 53 bits; normal numbers come in pairs (Box and Muller).
#define RANDOM_KINDS(KIND)                                                                         \
    KIND(bits, 1, 1)                                                                               \
    KIND(uniform, 1, 1)                                                                            \
    KIND(uniform_double, 2, 1)                                                                     \
    KIND(normal, 2, 2)                                                                             \
    KIND(normal_double, 4, 2)                                                                      \
    KIND(log_normal, 2, 2)                                                                         \
    KIND(log_normal_double, 4, 2)                                                                  \
    KIND(poisson, 1, 1)
enum random_kind {
#define KIND(name, words, results) RANDOM_##name,
    RANDOM_KINDS(KIND)
#undef KIND
        RANDOM_KIND_COUNT
};

struct random_call {
    uint64_t out, n;     // address and number of the results
    uint64_t states;     // address: a state for each sequence; of Sobol the directions
    uint64_t first;      // visits made before; of Sobol the index of the first point
    uint64_t word;       // Philox: words that each sequence has given before
    uint64_t key;        // Philox: the seed; Sobol: address of a constant for each dimension, or 0
    uint32_t sequences;  // visited in turn
    uint32_t begin;      // the sequence of visit 0
    uint32_t skipped;    // Philox: results of the first visit that an earlier call has taken
    uint32_t dimensions; // Sobol
    double mean, deviation;
    uint64_t least, other; // Poisson: addresses of the table's bounds and of its other results
    uint32_t length, shift;
};

#endif
