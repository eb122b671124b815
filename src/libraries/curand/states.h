// First states of generators, made on the host.
#ifndef WW_LIBRARIES_CURAND_STATES_H
#define WW_LIBRARIES_CURAND_STATES_H

#include <stdbool.h>

#include "random/draw.h"

enum { SOBOL_DIMENSIONS = 20000 }; // that sobol.def has

// Sequence t of `sequences` begins t 2^67 words (XORWOW) or t 2^76 (MRG32k3a) on in the seed's sequence, and has skipped its
// share of `offset` results, which the sequences give in turn.
void states_xorwow(struct random_xorwow *out, uint32_t sequences, uint64_t seed, uint64_t offset);
void states_mrg(struct random_mrg *out, uint32_t sequences, uint64_t seed, uint64_t offset);
void states_mt(uint32_t out[RANDOM_MT], uint32_t seed);
// State i has the i-th parameters and seed + i + 1 (the halves of a wide seed together), as curand_mtgp32_host.h has it.
void states_mtgp(struct random_mtgp *out, uint32_t sequences, uint64_t seed);
// Directions of the first dimensions: 32 words each, or 64 double words. Scrambled ones (J. Matousek, "On the L2-discrepancy for
// anchored boxes", 1998) are multiplied by a triangle of random bits of our own for each dimension, and points begin at a random
// word instead of 0, the constants.
void states_sobol(void *out, uint32_t dimensions, bool is_wide, bool is_scrambled);
void states_sobol_constants(void *out, uint32_t dimensions, bool is_wide);

// The square histogram of a Poisson distribution: `length` columns and one more for a uniform number of exactly one.
struct poisson_table {
    uint32_t length, shift;
    double *least;
    uint32_t *other;
};
bool poisson_table_make(struct poisson_table *t, double lambda); // false: no memory
void poisson_table_free(struct poisson_table *t);

#endif
