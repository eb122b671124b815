// Matrix products on tensor cores, compute capability 7.0 on, by warps (`wmma`). A block makes a tile of D as in gemm.cu. In
// shared memory slices lie as in memory, since a warp takes its fragments from rows or from columns. The file is compiled once for
// each type: KIND_f16, KIND_bf16, KIND_s8 or KIND_tf32 says which, OUT is that of C and D.
#include "finish.h"
#include "fragment.h"
#include "parts.h"

typedef OUT O;

// A word of elements as it goes to shared memory: single precision is rounded to nearest, as the vendor's products take it.
DEVICE uint32_t rounded(uint32_t x) {
#ifdef KIND_tf32
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(x) : "f"(__builtin_bit_cast(float, x)));
#endif
    return x;
}
DEVICE uint32_t bits(float x) { return __builtin_bit_cast(uint32_t, x); }
DEVICE uint32_t bits(f16 x) { return __builtin_bit_cast(uint16_t, x.v); }
DEVICE uint32_t bits(bf16 x) { return x.v; }
DEVICE uint32_t bits(int8_t x) { return (uint8_t)x; }

// A slice of op(X) on its way: lines of what lies together in memory, l or where `Swap` k.
template <int Long, int Slice, int Threads, bool Swap> struct slice {
    static const int PIECE = 16 / sizeof(T), PIECES = Long * Slice / Threads / PIECE;
    static const int ROW = (Swap ? Slice : Long) / PIECE, LINE = (Swap ? Slice : Long) + PIECE, LINES = Swap ? Long : Slice;
    static const int IN_WORD = 4 / sizeof(T);
    struct alignas(16) piece { uint32_t w[4]; };
    piece held[PIECES];
    static MEMBER int line_of(int p) { return (p * Threads + thread_x) / ROW; }
    static MEMBER int first_of(int p) { return (p * Threads + thread_x) % ROW * PIECE; }
    const piece *from; // of the thread's first piece, in the slice that is brought next
    MEMBER void begin(const T *x, int64_t lead, int l0) {
        from = (const piece *)(x + (Swap ? (l0 + line_of(0)) * lead + first_of(0) : line_of(0) * lead + l0 + first_of(0)));
    }
    // The next slice, of which all is there.
    MEMBER void load(int64_t lead) {
        const piece *to = from;
#pragma unroll
        for (int p = 0; p < PIECES; p++) {
            held[p] = *to;
            to = (const piece *)((const T *)to + Threads / ROW * lead);
        }
        from = (const piece *)((const T *)from + (Swap ? Slice : Slice * lead));
    }
    // Any slice: zeros beyond l_end and k_end.
    MEMBER void load(const T *x, int64_t lead, int l0, int k0, int l_end, int k_end) {
#pragma unroll
        for (int p = 0; p < PIECES; p++) {
            const int line = (Swap ? l0 : k0) + line_of(p), first = (Swap ? k0 : l0) + first_of(p);
            held[p] = piece{};
#pragma unroll
            for (int e = 0; e < PIECE; e++)
                if (line < (Swap ? l_end : k_end) && first + e < (Swap ? k_end : l_end))
                    held[p].w[e / IN_WORD] |= bits(x[line * lead + first + e]) << (e % IN_WORD * 8 * sizeof(T));
        }
    }
    MEMBER void put(T *shared) const {
#pragma unroll
        for (int p = 0; p < PIECES; p++) {
            piece q;
#pragma unroll
            for (int i = 0; i < 4; i++) q.w[i] = rounded(held[p].w[i]);
            *(piece *)(shared + line_of(p) * LINE + first_of(p)) = q;
        }
    }
};

template <int M, int N, int K, int WM, int WN, bool SwapA, bool SwapB> struct product_tile {
    static const int WARPS_M = M / (WM * SIDE), WARPS = WARPS_M * (N / (WN * SIDE)), THREADS = 32 * WARPS;
    typedef slice<M, K, THREADS, SwapA> slice_a;
    typedef slice<N, K, THREADS, SwapB> slice_b;
    static const int A_SIZE = slice_a::LINES * slice_a::LINE, B_SIZE = slice_b::LINES * slice_b::LINE;
    T *a_slice, *b_slice; // two of each

    static MEMBER int warp_m() { return thread_x / 32 % WARPS_M * WM * SIDE; }
    static MEMBER int warp_n() { return thread_x / 32 / WARPS_M * WN * SIDE; }
    template <bool Whole>
    static MEMBER void load(slice_a &ta, slice_b &tb, const gemm &g, int k_end, const T *a, const T *b, int m0, int n0, int k0) {
        if (Whole) {
            ta.load(g.a.lead);
            tb.load(g.b.lead);
        } else {
            ta.load(a, g.a.lead, m0, k0, g.m, k_end);
            tb.load(b, g.b.lead, n0, k0, g.n, k_end);
        }
    }
    template <bool Whole>
    MEMBER void add_up(sums sum[WM][WN], const gemm &g, int k_end, const T *a, const T *b, int m0, int n0) const {
        slice_a ta;
        slice_b tb;
        ta.begin(a, g.a.lead, m0);
        tb.begin(b, g.b.lead, n0);
        load<Whole>(ta, tb, g, k_end, a, b, m0, n0, 0);
        ta.put(a_slice);
        tb.put(b_slice);
        barrier();
        int now = 0;
        for (int k0 = 0; k0 < k_end; k0 += K) {
            const bool goes_on = k0 + K < k_end;
            if (goes_on) load<Whole>(ta, tb, g, k_end, a, b, m0, n0, k0 + K);
            const uint32_t from_a = shared_address(a_slice + now * A_SIZE), from_b = shared_address(b_slice + now * B_SIZE);
#pragma unroll
            for (int k = 0; k < K; k += STEP) {
                fragment x[WM], y[WN];
#pragma unroll
                for (int i = 0; i < WM; i++) {
                    const int l = warp_m() + i * SIDE;
                    const uint32_t at = from_a + (uint32_t)sizeof(T) * (uint32_t)(SwapA ? l * slice_a::LINE + k : k * slice_a::LINE + l);
                    if (SwapA)
                        LOAD("a", "row", x[i], at, (uint32_t)slice_a::LINE);
                    else
                        LOAD("a", "col", x[i], at, (uint32_t)slice_a::LINE);
                }
#pragma unroll
                for (int j = 0; j < WN; j++) {
                    const int l = warp_n() + j * SIDE;
                    const uint32_t at = from_b + (uint32_t)sizeof(T) * (uint32_t)(SwapB ? l * slice_b::LINE + k : k * slice_b::LINE + l);
                    if (SwapB)
                        LOAD("b", "col", y[j], at, (uint32_t)slice_b::LINE);
                    else
                        LOAD("b", "row", y[j], at, (uint32_t)slice_b::LINE);
                }
#pragma unroll
                for (int i = 0; i < WM; i++)
#pragma unroll
                    for (int j = 0; j < WN; j++) multiply<SwapA, !SwapB>(&sum[i][j], x[i], y[j]);
            }
            now ^= 1;
            if (goes_on) {
                ta.put(a_slice + now * A_SIZE);
                tb.put(b_slice + now * B_SIZE);
            }
            barrier();
        }
    }
};

template <int M, int N, int K, int WM, int WN, bool SwapA, bool SwapB> DEVICE void product(const gemm &g) {
    typedef product_tile<M, N, K, WM, WN, SwapA, SwapB> tile;
    alignas(16) __shared__ T a_slice[2 * tile::A_SIZE];
    alignas(16) __shared__ T b_slice[2 * tile::B_SIZE];
    alignas(16) __shared__ A staged[tile::WARPS][SIDE * SIDE];
    const int m0 = block_x * M, n0 = g.first_column + block_y * N;
    if (g.triangle == GEMM_LOWER && m0 + M <= n0) return;
    if (g.triangle == GEMM_UPPER && n0 + N <= m0) return;
    // large tiles leave no registers for parts of k
    const bool cuts = M <= 64;
    const part p = cuts ? part(g, K) : part(g);
    const int batch = p.batch;
    const T *const a = p.of<SwapA>(matrix_at<T>(g.a, batch), g.a.lead), *const b = p.of<SwapB>(matrix_at<T>(g.b, batch), g.b.lead);
    sums sum[WM][WN] = {};
    const tile t = {a_slice, b_slice};
    if (g.is_even && m0 + M <= g.m && n0 + N <= g.n && g.k % K == 0 && g.k)
        t.template add_up<true>(sum, g, p.k, a, b, m0, n0);
    else
        t.template add_up<false>(sum, g, p.k, a, b, m0, n0);
    if (cuts && !p.add_up<WM * WN * 8, tile::THREADS>(&sum[0][0].v[0], g)) return;

    const A alpha = alpha_of(A{}, g);
    const A beta = beta_of(A{}, g);
    const O *const c = matrix_at<O>(g.c, batch), *const bias = (const O *)g.bias;
    O *const d = matrix_at<O>(g.d, batch);
    A *const mine = staged[thread_x / 32];
    const int lane = thread_x % 32;
    // which thread has which sum is not said: they go through shared memory, a square at a time
#pragma unroll
    for (int i = 0; i < WM; i++)
#pragma unroll
        for (int j = 0; j < WN; j++) {
            store(shared_address(mine), sum[i][j]);
            asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
            for (int r = 0; r < SIDE * SIDE / 32; r++) {
                const int e = r * 32 + lane;
                const int64_t row = m0 + tile::warp_m() + i * SIDE + e % SIDE, column = n0 + tile::warp_n() + j * SIDE + e / SIDE;
                if (row >= g.m || column >= g.n) continue;
                if ((g.triangle == GEMM_LOWER && row < column) || (g.triangle == GEMM_UPPER && row > column)) continue;
                A v = times(alpha, mine[e]);
                if (beta != 0) v += beta * widen(c[column * g.c.lead + row], A{});
                if (g.epilogue & GEMM_BIAS) v += widen(bias[row], A{});
                if (g.epilogue & GEMM_RELU) v = v < 0 ? A(0) : v;
                if (g.epilogue & GEMM_GELU) v = gelu(v);
                narrow(&d[column * g.d.lead + row], v);
            }
            asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
        }
}

#define KERNEL(NAME, M, N, K, WM, WN, SWAP_A, SWAP_B)                                              \
    extern "C" __global__ __launch_bounds__(M / (WM * SIDE) * (N / (WN * SIDE)) * 32) void NAME(const gemm g) { \
        product<M, N, K, WM, WN, SWAP_A, SWAP_B>(g);                                               \
    }
#define KERNELS(SIZE, M, N, K, WM, WN)                                                             \
    KERNEL(tensor_##SIZE##_nn, M, N, K, WM, WN, false, true)                                       \
    KERNEL(tensor_##SIZE##_nt, M, N, K, WM, WN, false, false)                                      \
    KERNEL(tensor_##SIZE##_tn, M, N, K, WM, WN, true, true)                                        \
    KERNEL(tensor_##SIZE##_tt, M, N, K, WM, WN, true, false)
enum { DEEP = 64 / sizeof(T) }; // k of a slice
KERNELS(big, 128, 128, DEEP, 4, 4)
KERNELS(small, 64, 64, DEEP, 2, 2)
