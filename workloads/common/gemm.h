// gemm.h: what the hosts of matrix products on tensor cores share: halves, and a check that takes a
// product of matrices and vectors only.
//
// Elements are small whole numbers, so that all products and sums are exact in floats, in any
// order. Then D = A B + C exactly if D r = A (B r) + C r for vectors r of random whole numbers but
// for a chance of one in their range a vector (R. Freivalds 1979), which costs the square of what
// the product does.
#ifndef WW_WORKLOAD_GEMM_H
#define WW_WORKLOAD_GEMM_H

#include "host.h"

// A matrix, by rows or by columns, in halves or in floats.
struct gemm_matrix {
    size_t rows, columns;
    bool by_columns;
    const uint16_t *half; // one of the two
    const float *real;
};

// The half of a whole number from -2047 to 2047.
static inline uint16_t gemm_half(int value) {
    if (!value) return 0;
    const unsigned sign = value < 0 ? 0x8000u : 0, size = (unsigned)(value < 0 ? -value : value);
    const unsigned e = 31u - (unsigned)__builtin_clz(size);
    return (uint16_t)(sign | (e + 15) << 10 | (size << (10 - e) & 0x3ffu));
}
static inline int64_t gemm_whole(uint16_t half) {
    if (!(half & 0x7fffu)) return 0;
    const int e = (half >> 10 & 31) - 25, mantissa = 1024 | (half & 1023);
    const int size = e < 0 ? mantissa >> -e : mantissa << e;
    return half & 0x8000u ? -size : size;
}

// `count` random halves from -most to most.
static inline uint16_t *gemm_random(struct host *h, size_t count, int most) {
    uint16_t *out = host_memory(count, sizeof *out);
    for (size_t i = 0; i < count; i++)
        out[i] = gemm_half((int)host_random_below(h, (uint32_t)(2 * most + 1)) - most);
    return out;
}

// to += factor * matrix * vector
static inline void gemm_apply(const struct gemm_matrix *m, const int64_t *vector, int64_t factor,
                              int64_t *to) {
    for (size_t outer = 0; outer < (m->by_columns ? m->columns : m->rows); outer++) {
        for (size_t inner = 0; inner < (m->by_columns ? m->rows : m->columns); inner++) {
            const size_t at = outer * (m->by_columns ? m->rows : m->columns) + inner;
            const size_t i = m->by_columns ? inner : outer, j = m->by_columns ? outer : inner;
            const int64_t element = m->half ? gemm_whole(m->half[at]) : (int64_t)m->real[at];
            to[i] += factor * element * vector[j];
        }
    }
}

// D = alpha A B + beta C (C: NULL for none), by two vectors, and all of D whole.
static inline void gemm_check(struct host *h, const struct gemm_matrix *a,
                              const struct gemm_matrix *b, const struct gemm_matrix *c,
                              const struct gemm_matrix *d, int64_t alpha, int64_t beta) {
    size_t broken = 0;
    for (size_t i = 0; i < d->rows * d->columns; i++)
        broken += !(d->real[i] == (float)(int64_t)d->real[i]);
    host_check_that(h, broken == 0, "%zu elements of D are no whole numbers.", broken);
    if (broken) return;
    int64_t *r = host_memory(d->columns, sizeof *r), *inner = host_memory(b->rows, sizeof *inner);
    int64_t *want = host_memory(d->rows, sizeof *want), *got = host_memory(d->rows, sizeof *got);
    size_t wrong = 0;
    for (int round = 0; round < 2; round++) {
        for (size_t j = 0; j < d->columns; j++) r[j] = 1 + (int64_t)host_random_below(h, 1 << 16);
        for (size_t i = 0; i < b->rows; i++) inner[i] = 0;
        for (size_t i = 0; i < d->rows; i++) want[i] = got[i] = 0;
        gemm_apply(b, r, 1, inner);
        gemm_apply(a, inner, alpha, want);
        if (c) gemm_apply(c, r, beta, want);
        gemm_apply(d, r, 1, got);
        for (size_t i = 0; i < d->rows; i++) wrong += want[i] != got[i];
    }
    host_check_that(h, wrong == 0, "%zu rows of D are wrong.", wrong);
    free(r);
    free(inner);
    free(want);
    free(got);
}

#endif
