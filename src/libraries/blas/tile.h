// What products in tiles share: slices of two matrices in shared memory, and the sums that a thread makes of them.
#ifndef WW_LIBRARIES_TILE_H
#define WW_LIBRARIES_TILE_H

#include "device.h"

// A slice of `Long` x `Slice` elements (l, k), of which each thread brings EACH. Neighbouring threads bring neighbours along l,
// or where `Swap` along k. In shared memory the l of one k lie together.
template <class A, int Long, int Slice, int Threads, bool Swap> struct slice_shape {
    static const int PAD = 16 / sizeof(A) ? 16 / sizeof(A) : 1, LINE = Long + PAD,
                     EACH = Long * Slice / Threads;
    static MEMBER int l_of(int e) {
        return Swap ? (e * Threads + thread_x) / Slice : (e * Threads + thread_x) % Long;
    }
    static MEMBER int k_of(int e) {
        return Swap ? (e * Threads + thread_x) % Slice : (e * Threads + thread_x) / Long;
    }
    template <class T> static MEMBER void put(A *shared, const T held[EACH], bool conj = false) {
#pragma unroll
        for (int e = 0; e < EACH; e++)
            shared[k_of(e) * LINE + l_of(e)] = conjugate(widen(held[e], A{}), conj);
    }
};

// `N` neighbours in shared memory, sixteen bytes at a time.
template <class A, int N> DEVICE void take(A *to, const A *from) {
    struct alignas(16) quad {
        A v[16 / sizeof(A)];
    };
    const int each = 16 / sizeof(A);
#pragma unroll
    for (int i = 0; i < N / each; i++) {
        const quad q = ((const quad *)from)[i];
#pragma unroll
        for (int e = 0; e < each; e++) to[i * each + e] = q.v[e];
    }
}

// Adds the products of a slice to a thread's EM x EN sums.
template <class A, int K, int EM, int EN>
DEVICE void multiply(A sum[EM][EN], const A *a, int a_line, const A *b, int b_line) {
#pragma unroll
    for (int k = 0; k < K; k++) {
        A x[EM], y[EN];
        take<A, EM>(x, a + k * a_line);
        take<A, EN>(y, b + k * b_line);
#pragma unroll
        for (int i = 0; i < EM; i++)
#pragma unroll
            for (int j = 0; j < EN; j++) mad(&sum[i][j], x[i], y[j]);
    }
}

#endif
