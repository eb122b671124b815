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

// The rows (or columns) of a tile of `Long` that are a thread's: EACH of them, in pieces of sixteen bytes. Pieces of neighbouring
// threads lie together, so that a warp reads its banks without conflict.
template <class A, int Long, int Each> struct share {
    static const int PIECE = 16 / sizeof(A), STRIDE = Long / Each * PIECE;
    static MEMBER int at(int thread, int i) { return i / PIECE * STRIDE + thread * PIECE + i % PIECE; }
    static MEMBER void take(A to[Each], const A *line, int thread) {
        struct alignas(16) quad { A v[PIECE]; };
#pragma unroll
        for (int i = 0; i < Each; i += PIECE) {
            const quad q = *(const quad *)(line + at(thread, i));
#pragma unroll
            for (int e = 0; e < PIECE; e++) to[i + e] = q.v[e];
        }
    }
};

// Adds the products of a slice to a thread's EM x EN sums.
template <class A, int K, int EM, int EN, class ShareM, class ShareN>
DEVICE void multiply(A sum[EM][EN], const A *a, int a_line, int tm, const A *b, int b_line, int tn) {
#pragma unroll
    for (int k = 0; k < K; k++) {
        A x[EM], y[EN];
        ShareM::take(x, a + k * a_line, tm);
        ShareN::take(y, b + k * b_line, tn);
#pragma unroll
        for (int i = 0; i < EM; i++)
#pragma unroll
            for (int j = 0; j < EN; j++) mad(&sum[i][j], x[i], y[j]);
    }
}

#endif
