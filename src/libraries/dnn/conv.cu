// Convolutions as products (conv.h): forward, to the data, to the filters, in one to three directions of space, with groups,
// strides, dilation, and any order of elements. A block makes a tile of D as in gemm.cu; nothing is unfolded in memory.
// The file is compiled once for each type: ELEMENT, and SUM of what is added up.
#include "../blas/device.h"
#include "../blas/tile.h"
#include "conv.h"

typedef ELEMENT T;
typedef SUM A;

struct place {
    int c0, c[3];
};
DEVICE int divide(const divisor &d, int i) {
    return (int)((__nvvm_mulhi_ui(d.magic, (unsigned)i) + (unsigned)i) >> d.shift);
}
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

// A slice of A: element (m, k).
template <int Long, int Slice, int Threads, bool Swap> struct slice_a {
    typedef slice_shape<A, Long, Slice, Threads, Swap> shape;
    T held[shape::EACH];
    MEMBER void load(const conv &g, const T *x, int m0, int k0, int k_end) {
        int along_k = 0;
#pragma unroll
        for (int e = 0; e < shape::EACH; e++) {
            const int m = m0 + shape::l_of(e), k = k0 + shape::k_of(e);
            if (!Swap || e == 0) along_k = along(g.a_k, place_of(g.of_k, k)); // where swapped, all of a thread have one k
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
    MEMBER void load(const conv &g, const T *x, int k0, int k_end) {
        place p = {};
#pragma unroll
        for (int e = 0; e < shape::EACH; e++) {
            const int k = k0 + shape::k_of(e), l = Swap ? e : 0;
            if (!Swap || e == 0) p = place_of(g.of_k, k);
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

template <int M, int N, int K, int EM, int EN, bool SwapA, bool SwapB>
DEVICE void convolve(const conv &g) {
    const int threads_n = N / EN, threads = threads_n * (M / EM);
    slice_a<M, K, threads, SwapA> ta;
    slice_b<N, K, threads, SwapB> tb;
    typedef typename slice_a<M, K, threads, SwapA>::shape shape_a;
    typedef typename slice_b<N, K, threads, SwapB>::shape shape_b;
    alignas(16) __shared__ A a_slice[K * shape_a::LINE];
    alignas(16) __shared__ A b_slice[K * shape_b::LINE];
    const int n0 = block_x * N, m0 = block_y * M, group = block_z % g.groups, split = block_z / g.groups;
    const int tn = thread_x % threads_n, tm = thread_x / threads_n;
    typedef share<A, M, EM> share_m;
    typedef share<A, N, EN> share_n;
    const int k_begin = split * g.split, k_end = g.k - k_begin < g.split ? g.k : k_begin + g.split;
    const T *const a = (const T *)g.a + group * g.a_group, *const b = (const T *)g.b + group * g.b_group;
    A sum[EM][EN] = {};
    tb.begin(g, n0);
    ta.load(g, a, m0, k_begin, k_end);
    tb.load(g, b, k_begin, k_end);
    for (int k0 = k_begin; k0 < k_end; k0 += K) {
        shape_a::put(a_slice, ta.held);
        shape_b::put(b_slice, tb.held);
        barrier();
        if (k0 + K < k_end) {
            ta.load(g, a, m0, k0 + K, k_end);
            tb.load(g, b, k0 + K, k_end);
        }
        multiply<A, K, EM, EN, share_m, share_n>(sum, a_slice, shape_a::LINE, tm, b_slice, shape_b::LINE, tn);
        barrier();
    }
#pragma unroll
    for (int j = 0; j < EN; j++) {
        const int column = n0 + share_n::at(tn, j);
        if (column >= g.n) continue;
        const place p = place_of(g.of_n, column);
#pragma unroll
        for (int i = 0; i < EM; i++) {
            const int row = m0 + share_m::at(tm, i);
            if (row >= g.m) continue;
            if (g.splits > 1)
                ((A *)g.part)[((int64_t)block_z * g.m + row) * g.n + column] = sum[i][j];
            else
                finish(g, group, row, p, sum[i][j]);
        }
    }
}

// Adds up what the splits left, in their order.
extern "C" __global__ void conv_end(const conv g) {
    const int64_t all = (int64_t)g.groups * g.m * g.n;
    for (int64_t i = (int64_t)block_x * threads_x + thread_x; i < all; i += (int64_t)blocks_x * threads_x) {
        A sum = 0;
        for (int s = 0; s < g.splits; s++) sum += ((const A *)g.part)[s * all + i];
        const int64_t row = i / g.n;
        finish(g, (int)(row / g.m), (int)(row % g.m), place_of(g.of_n, (int)(i - row * g.n)), sum);
    }
}

#define KERNEL(NAME, M, N, K, EM, EN, SWAP_A, SWAP_B)                                              \
    extern "C" __global__ __launch_bounds__(M / EM * (N / EN)) void NAME(const conv g) {           \
        convolve<M, N, K, EM, EN, SWAP_A, SWAP_B>(g);                                              \
    }
#define KERNELS(SIZE, M, N, K, EM, EN)                                                             \
    KERNEL(conv_##SIZE##_nn, M, N, K, EM, EN, false, false)                                        \
    KERNEL(conv_##SIZE##_nt, M, N, K, EM, EN, false, true)                                         \
    KERNEL(conv_##SIZE##_tn, M, N, K, EM, EN, true, false)                                         \
    KERNEL(conv_##SIZE##_tt, M, N, K, EM, EN, true, true)
KERNELS(big, 64, 64, 8, 8, 4)
KERNELS(small, 32, 32, 16, 4, 4)
