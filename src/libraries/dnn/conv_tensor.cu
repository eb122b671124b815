// Convolutions of halves as products on tensor cores (conv.h), compute capability 7.0 on, by warps: what conv.cu does, with slices of
// elements as they are, and squares that a warp multiplies (fragment.h). Sums are single precision's. From 8.0 on most are made by
// copies (conv_copies.h).
#include "../blas/fragment.h"
#include "gather.h"

// Writes a slice to shared memory, the elements of one k together.
template <class Shape, int Line> DEVICE void put(T *shared, const T held[Shape::EACH]) {
#pragma unroll
    for (int e = 0; e < Shape::EACH; e++) shared[Shape::k_of(e) * Line + Shape::l_of(e)] = held[e];
}

// A tile of M x N, of which a warp makes WM x WN squares.
template <int M, int N, int K, int WM, int WN, bool SwapA, bool SwapB> DEVICE void convolve(const conv &g) {
    const int warps_m = M / (WM * SIDE), warps = warps_m * (N / (WN * SIDE)), threads = 32 * warps, pad = 16 / sizeof(T);
    const int line_a = M + pad, line_b = N + pad;
    typedef slice_a<M, K, threads, SwapA> taken_a;
    typedef slice_b<N, K, threads, SwapB> taken_b;
    alignas(16) __shared__ T a_slice[K * line_a];
    alignas(16) __shared__ T b_slice[K * line_b];
    alignas(16) __shared__ A staged[warps][SIDE * SIDE];
    const int n0 = block_x * N, m0 = block_y * M, group = block_z % g.groups, split = block_z / g.groups;
    const int warp = thread_x / 32, lane = thread_x % 32, warp_m = warp % warps_m * WM * SIDE, warp_n = warp / warps_m * WN * SIDE;
    const int k_begin = split * g.split, k_end = g.k - k_begin < g.split ? g.k : k_begin + g.split;
    const T *const a = (const T *)g.a + group * g.a_group, *const b = (const T *)g.b + group * g.b_group;
    sums sum[WM][WN] = {};
    taken_a ta;
    taken_b tb;
    __shared__ place places[2][K];
    int next = 1;
    find_places<K>(places[0], g, k_begin);
    tb.begin(g, n0);
    barrier();
    ta.load(g, a, m0, k_begin, k_end, places[0]);
    tb.load(g, b, k_begin, k_end, places[0]);
    for (int k0 = k_begin; k0 < k_end; k0 += K) {
        put<typename taken_a::shape, line_a>(a_slice, ta.held);
        put<typename taken_b::shape, line_b>(b_slice, tb.held);
        find_places<K>(places[next], g, k0 + K);
        barrier();
        if (k0 + K < k_end) {
            ta.load(g, a, m0, k0 + K, k_end, places[next]);
            tb.load(g, b, k0 + K, k_end, places[next]);
        }
        next ^= 1;
#pragma unroll
        for (int k = 0; k < K; k += STEP) {
            fragment x[WM], y[WN];
#pragma unroll
            for (int i = 0; i < WM; i++)
                LOAD("a", "col", x[i], shared_address(a_slice + k * line_a + warp_m + i * SIDE), (uint32_t)line_a);
#pragma unroll
            for (int j = 0; j < WN; j++)
                LOAD("b", "row", y[j], shared_address(b_slice + k * line_b + warp_n + j * SIDE), (uint32_t)line_b);
#pragma unroll
            for (int i = 0; i < WM; i++)
#pragma unroll
                for (int j = 0; j < WN; j++) multiply<false, true>(&sum[i][j], x[i], y[j]);
        }
        barrier();
    }
    A *const mine = staged[warp];
    // which thread has which sum is not said: they go through shared memory, a square at a time
#pragma unroll
    for (int j = 0; j < WN; j++) {
        // a thread has one column of the square's sixteen
        const int column = n0 + warp_n + j * SIDE + lane / 2;
        const place p = place_of(g.of_n, column < g.n ? column : 0);
#pragma unroll
        for (int i = 0; i < WM; i++) {
            store(shared_address(mine), sum[i][j]);
            asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
#pragma unroll 1
            for (int r = 0; r < SIDE / 2; r++) {
                const int in_square = lane % 2 * (SIDE / 2) + r, row = m0 + warp_m + i * SIDE + in_square;
                if (row >= g.m || column >= g.n) continue;
                const A v = mine[lane / 2 * SIDE + in_square];
                if (g.splits > 1)
                    ((A *)g.part)[((int64_t)block_z * g.m + row) * g.n + column] = v;
                else
                    finish(g, group, row, p, v);
            }
            asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
        }
    }
}

#define KERNEL(NAME, M, N, K, WM, WN, SWAP_A, SWAP_B)                                              \
    extern "C" __global__ __launch_bounds__(M / (WM * SIDE) * (N / (WN * SIDE)) * 32) void NAME(const conv g) { \
        convolve<M, N, K, WM, WN, SWAP_A, SWAP_B>(g);                                              \
    }
#define KERNELS(SIZE, M, N, K, WM, WN)                                                             \
    KERNEL(conv_##SIZE##_nn, M, N, K, WM, WN, false, false)                                        \
    KERNEL(conv_##SIZE##_nt, M, N, K, WM, WN, false, true)                                         \
    KERNEL(conv_##SIZE##_tn, M, N, K, WM, WN, true, false)                                         \
    KERNEL(conv_##SIZE##_tt, M, N, K, WM, WN, true, true)
KERNELS(big, 128, 128, 32, 2, 4)
KERNELS(small, 64, 64, 32, 2, 2)
