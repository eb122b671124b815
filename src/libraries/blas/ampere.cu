// Matrix products on tensor cores from compute capability 8.0 on, whose slices come by asynchronous copies (copies.h). A block makes a
// tile of D. Lines of both matrices begin at multiples of sixteen bytes (gemm.is_even); sizes may be any. The file is compiled once
// for each type: KIND_f16, KIND_bf16, KIND_tf32, KIND_s8 or KIND_eight says which, OUT is that of C and D.
#include "copies.h"

extern __shared__ char memory[] __attribute__((aligned(128)));

template <int M, int N, int WM, int WN, int STAGES, bool SwapA, bool SwapB> DEVICE void product(const gemm &g) {
    enum { THREADS = M / WM * (N / WN) * 32 };
    typedef product_tile<M, N, WM, WN, STAGES, SwapA, SwapB, slice<M, THREADS, SwapA>, slice<N, THREADS, SwapB>> tile;
    const int m0 = block_x * M, n0 = g.first_column + block_y * N;
    if (g.triangle == GEMM_LOWER && m0 + M <= n0) return;
    if (g.triangle == GEMM_UPPER && n0 + N <= m0) return;
    A sum[tile::XS][2 * tile::YS][4] = {};
    tile t;
    const part p(g, SLICE_K);
    typename tile::slice_y sy;
    typename tile::slice_x sx;
    sy.begin(p.of<SwapA>(matrix_at<T>(g.a, p.batch), g.a.lead), g.a.lead, m0, g.m, p.k);
    sx.begin(p.of<SwapB>(matrix_at<T>(g.b, p.batch), g.b.lead), g.b.lead, n0, g.n, p.k);
    t.add_up(sum, shared_address(memory), sy, sx, p.k);
    const part then(g, SLICE_K); // the same, in no register meanwhile
    if (then.add_up<tile::XS * 2 * tile::YS * 4, tile::THREADS>(&sum[0][0][0], g)) tile::end(sum, (A *)memory, g, m0, n0, then.batch);
}

#define KERNEL(NAME, M, N, WM, WN, STAGES, SWAP_A, SWAP_B)                                         \
    extern "C" __global__ __launch_bounds__(M / WM * (N / WN) * 32) void NAME(const gemm g) {      \
        product<M, N, WM, WN, STAGES, SWAP_A, SWAP_B>(g);                                          \
    }
#if defined KIND_s8 || defined KIND_eight // `ldmatrix` turns pairs of bytes round, not bytes: k lies together in both
#define KERNELS(SIZE, ...) KERNEL(tensor_##SIZE##_tn, __VA_ARGS__, true, true)
#else
#define KERNELS(SIZE, ...)                                                                         \
    KERNEL(tensor_##SIZE##_nn, __VA_ARGS__, false, true)                                           \
    KERNEL(tensor_##SIZE##_nt, __VA_ARGS__, false, false)                                          \
    KERNEL(tensor_##SIZE##_tn, __VA_ARGS__, true, true)                                            \
    KERNEL(tensor_##SIZE##_tt, __VA_ARGS__, true, false)
#endif
KERNELS(wide, 128, 256, 64, 64, 4)
KERNELS(big, 128, 128, 64, 64, 4)
KERNELS(small, 64, 64, 32, 32, 4)
