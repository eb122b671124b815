// Convolutions as products (conv.h): forward, to the data, to the filters, in one to three directions of space, with groups,
// strides, dilation, and any order of elements. A block makes a tile of D as in gemm.cu; nothing is unfolded in memory.
// The file is compiled once for each type: ELEMENT, and SUM of what is added up.
#include "../blas/device.h"

typedef ELEMENT T;
typedef SUM A;
#include "gather.h"

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
    __shared__ place places[2][K];
    int next = 1;
    find_places<K>(places[0], g, k_begin);
    tb.begin(g, n0);
    barrier();
    ta.load(g, a, m0, k_begin, k_end, places[0]);
    tb.load(g, b, k_begin, k_end, places[0]);
    for (int k0 = k_begin; k0 < k_end; k0 += K) {
        shape_a::put(a_slice, ta.held);
        shape_b::put(b_slice, tb.held);
        find_places<K>(places[next], g, k0 + K);
        barrier();
        if (k0 + K < k_end) {
            ta.load(g, a, m0, k0 + K, k_end, places[next]);
            tb.load(g, b, k0 + K, k_end, places[next]);
        }
        next ^= 1;
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
