// How well two counts of the same things agree: Spearman's rank correlation (things counted alike
// share the mean of their ranks), and how many of the things counted most are the same.
#ifndef WW_SAVINGS_RANK_H
#define WW_SAVINGS_RANK_H

#include <math.h>

#include "base/base.h"

// Twice the mean rank of thing i among n, the smallest count first: from 1 on.
static inline uint64_t rank_twice(const uint64_t *count, uint32_t n, uint32_t i) {
    uint64_t below = 0, alike = 0;
    for (uint32_t k = 0; k < n; k++) {
        below += count[k] < count[i];
        alike += count[k] == count[i];
    }
    return 2 * below + alike + 1;
}

// From -1 to 1; NAN where one of them counts all things alike, or there is but one.
static inline double rank_correlation(const uint64_t *a, const uint64_t *b, uint32_t n) {
    double ab = 0, aa = 0, bb = 0;
    for (uint32_t i = 0; i < n; i++) {
        const double mean = n + 1.0; // of twice the ranks
        const double x = (double)rank_twice(a, n, i) - mean, y = (double)rank_twice(b, n, i) - mean;
        ab += x * y;
        aa += x * x;
        bb += y * y;
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : NAN;
}

// Things ahead of i: counted more, or as often and named before it.
static inline uint32_t rank_ahead(const uint64_t *count, uint32_t n, uint32_t i) {
    uint32_t ahead = 0;
    for (uint32_t k = 0; k < n; k++)
        ahead += count[k] > count[i] || (count[k] == count[i] && k < i);
    return ahead;
}

// Of the `top` things that each counts most, those that both do.
static inline uint32_t rank_agree(const uint64_t *a, const uint64_t *b, uint32_t n, uint32_t top) {
    uint32_t both = 0;
    for (uint32_t i = 0; i < n; i++) both += rank_ahead(a, n, i) < top && rank_ahead(b, n, i) < top;
    return both;
}

#endif
