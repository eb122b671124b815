// What convolutions as products share: places in space, slices of A and B on their way from memory, the end of a sum. T is the
// elements' type, A that of sums.
#ifndef WW_LIBRARIES_GATHER_H
#define WW_LIBRARIES_GATHER_H

#include "../blas/device.h"
#include "../blas/tile.h"
#include "conv.h"
#include "divide.h"

struct place {
    int c0, c[3];
};
DEVICE place place_of(const conv_index &x, int i) {
    place p;
    if (x.is_inner) {
        const int q = divide(x.size[0], i);
        p.c0 = i - q * (int)x.size[0].by;
        i = q;
    }
#pragma unroll
    for (int s = 2; s >= 0; s--) {
        if (s == 0 && x.is_inner) {
            p.c[0] = i;
            break;
        }
        const int q = divide(x.size[s + 1], i);
        p.c[s] = i - q * (int)x.size[s + 1].by;
        i = q;
    }
    if (!x.is_inner) p.c0 = i;
    return p;
}
DEVICE int along(const int32_t step[4], const place &p) {
    return p.c0 * step[0] + p.c[0] * step[1] + p.c[1] * step[2] + p.c[2] * step[3];
}

// Places of the k of a slice, in shared memory: found once for all that read elements there. One slice's are read while the next
// one's are written.
template <int K> DEVICE void find_places(place to[K], const conv &g, int k0) {
    if (thread_x < K) to[thread_x] = place_of(g.of_k, k0 + thread_x);
}

// A slice of A: element (m, k). at_k: the slice's places.
template <int Long, int Slice, int Threads, bool Swap> struct slice_a {
    typedef slice_shape<A, Long, Slice, Threads, Swap> shape;
    T held[shape::EACH];
    MEMBER void load(const conv &g, const T *x, int m0, int k0, int k_end, const place *at_k) {
        int along_k = 0;
#pragma unroll
        for (int e = 0; e < shape::EACH; e++) {
            const int m = m0 + shape::l_of(e), k = k0 + shape::k_of(e);
            if (!Swap || e == 0) along_k = along(g.a_k, at_k[shape::k_of(e)]); // where swapped, all of a thread have one k
            held[e] = T{};
            if (m < g.m && k < k_end) held[e] = x[m * g.a_m + along_k];
        }
    }
};

// A slice of B: element (n, k), zero beside the tensor.
template <int Long, int Slice, int Threads, bool Swap> struct slice_b {
    typedef slice_shape<A, Long, Slice, Threads, Swap> shape;
    static const int LINES = Swap ? shape::EACH : 1; // different n of a thread
    T held[shape::EACH];
    int base[LINES], at[LINES][3];
    MEMBER void begin(const conv &g, int n0) {
#pragma unroll
        for (int l = 0; l < LINES; l++) {
            const int n = n0 + shape::l_of(l);
            const place p = place_of(g.of_n, n);
            base[l] = p.c0 * g.b_n;
#pragma unroll
            for (int s = 0; s < 3; s++) at[l][s] = p.c[s] * g.n_mul[s] + g.n_add[s];
            if (n >= g.n) at[l][2] = -(1 << 30); // beside it, whatever k adds
        }
    }
    MEMBER void load(const conv &g, const T *x, int k0, int k_end, const place *at_k) {
        place p = {};
#pragma unroll
        for (int e = 0; e < shape::EACH; e++) {
            const int k = k0 + shape::k_of(e), l = Swap ? e : 0;
            if (!Swap || e == 0) p = at_k[shape::k_of(e)];
            int offset = base[l] + p.c0 * g.b_k;
            bool is_there = k < k_end;
#pragma unroll
            for (int s = 0; s < 3; s++) {
                int i = at[l][s] + p.c[s] * g.k_mul[s];
                is_there = is_there && i >= 0;
                if (g.down[s].by > 1) { // the same for all threads
                    const int q = divide(g.down[s], i < 0 ? 0 : i);
                    is_there = is_there && q * (int)g.down[s].by == i;
                    i = q;
                }
                is_there = is_there && i < g.limit[s];
                offset += i * g.b_space[s];
            }
            held[e] = T{};
            if (is_there) held[e] = x[offset];
        }
    }
};

DEVICE void finish(const conv &g, int group, int row, const place &p, A sum) {
    A v = (A)g.alpha * sum;
    if (g.beta != 0) v += (A)g.beta * widen(((const T *)g.z + group * g.z_group)[row * g.z_m + along(g.z_n, p)], A{});
    if (g.bias) v += widen(((const T *)g.bias)[group * g.m + row], A{});
    if (g.has_relu && !(v > 0) && v == v) v = 0;
    narrow(&((T *)g.d + group * g.d_group)[row * g.d_m + along(g.d_n, p)], v);
}

#endif
