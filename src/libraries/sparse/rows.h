// How kernels read sparse matrices: lists of numbers, elements, rows, dense matrices beside them. ELEMENT is the elements' type, SUM
// that of what is added up.
#ifndef WW_LIBRARIES_SPARSE_ROWS_H
#define WW_LIBRARIES_SPARSE_ROWS_H

#include "../blas/device.h"
#include "call.h"

typedef ELEMENT T;
typedef SUM A;
enum { THREADS = 256, TEAM = 32, TEAMS = THREADS / TEAM };

#define EACH(i, all) for (int64_t i = (int64_t)block_x * threads_x + thread_x; i < (all); i += (int64_t)blocks_x * threads_x)

DEVICE int64_t get(const sparse_list &l, int64_t i) { return (l.is_wide ? ((const int64_t *)l.at)[i] : ((const int32_t *)l.at)[i]) - l.base; }
DEVICE void put(const sparse_list &l, int64_t i, int64_t v) {
    if (l.is_wide)
        ((int64_t *)l.at)[i] = v + l.base;
    else
        ((int32_t *)l.at)[i] = (int32_t)(v + l.base);
}
DEVICE int64_t &wide(uint64_t at, int64_t i) { return ((int64_t *)at)[i]; }
DEVICE A value_of(const sparse_rows &a, int64_t e) {
    return conjugate(widen(((const T *)a.values)[a.order ? wide(a.order, e) : e], A{}), a.is_conj);
}
DEVICE A dense_at(const sparse_dense &x, int64_t i, int64_t j, int64_t batch) {
    return conjugate(widen(((const T *)x.at)[i * x.row + j * x.column + batch * x.batch], A{}), x.is_conj);
}
// Of an ascending list, the first place whose number is not below v.
DEVICE int64_t place_of(const sparse_list &l, int64_t n, int64_t v) {
    int64_t from = 0;
    while (n > 0) {
        const int64_t half = n / 2;
        if (get(l, from + half) < v) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from;
}
DEVICE int64_t row_of(const sparse_rows &a, int64_t e) {
    if (a.row.at) return get(a.row, e);
    return place_of(a.offsets, a.rows + 1, e + 1) - 1;
}
DEVICE void result(const sparse &s, T *to, A sum) {
    const A alpha = factor(A{}, s.alpha, s.alpha_at, false), beta = factor(A{}, s.beta, s.beta_at, false);
    A v = {};
    mad(&v, alpha, sum);
    if (!is_zero(beta)) mad(&v, beta, widen(*to, A{}));
    narrow(to, v);
}

// By squares: no part of a quotient is scaled.
static __device__ inline float quotient(float a, float b) { return a / b; }
static __device__ inline double quotient(double a, double b) { return a / b; }
template <class U> static __device__ inline complex_of<U> quotient(complex_of<U> a, complex_of<U> b) {
    const U d = b.x * b.x + b.y * b.y;
    return {(a.x * b.x + a.y * b.y) / d, (a.y * b.x - a.x * b.y) / d};
}

#endif
