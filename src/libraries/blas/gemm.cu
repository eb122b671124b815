// Matrix products on the lanes' own arithmetic. A block makes a tile of D; it walks along k, holds a slice of op(A) and of
// op(B) in shared memory while the next ones are on their way in registers, and each thread adds up a small tile.
#include "device.h"
#include "gemm.h"
#include "parts.h"
#include "tile.h"

template <class T> static __device__ inline T *at(const gemm_matrix &x, int batch) {
    if (x.is_list) return ((T *const *)x.at)[batch] + x.first;
    return (T *)x.at + x.first + batch * x.step;
}

// A slice of op(X) on its way from memory to shared memory: Long x Slice elements (l, k), where element (l, k) lies at
// x[k * lead + l], or where `Swap` at x[l * lead + k]. A thread brings EACH of them, in pieces of neighbours in memory.
template <class T, class A, int Long, int Slice, int Threads, bool Swap> struct slice {
    static const int EACH = Long * Slice / Threads, FIT = 16 / sizeof(T), PIECE = EACH < FIT ? EACH : FIT, PIECES = EACH / PIECE;
    static const int PAD = 16 / sizeof(A), LINE = Long + PAD, ROW = (Swap ? Slice : Long) / PIECE; // pieces of a line in memory
    struct alignas(PIECE * sizeof(T)) piece { T v[PIECE]; };
    T held[EACH];
    const T *from; // of the thread's first piece, in the slice that is brought next

    static MEMBER int index(int p) { return p * Threads + thread_x; }
    static MEMBER int l_of(int p) { return Swap ? index(p) / ROW : index(p) % ROW * PIECE; }
    static MEMBER int k_of(int p) { return Swap ? index(p) % ROW * PIECE : index(p) / ROW; }
    MEMBER void begin(const T *x, int64_t lead, int l0) {
        from = Swap ? x + (l0 + l_of(0)) * lead + k_of(0) : x + k_of(0) * lead + l0 + l_of(0);
    }
    // The next slice, of which all is there.
    MEMBER void load(int64_t lead) {
#pragma unroll
        for (int p = 0; p < PIECES; p++) {
            const piece q = *(const piece *)(from + p * (Threads / ROW) * lead);
#pragma unroll
            for (int e = 0; e < PIECE; e++) held[p * PIECE + e] = q.v[e];
        }
        from += Swap ? Slice : Slice * lead;
    }
    // Any slice: zeros beyond l_end and k_end.
    MEMBER void load(const T *x, int64_t lead, int l0, int k0, int l_end, int k_end) {
#pragma unroll
        for (int p = 0; p < PIECES; p++)
#pragma unroll
            for (int e = 0; e < PIECE; e++) {
                const int l = l0 + l_of(p) + (Swap ? 0 : e), k = k0 + k_of(p) + (Swap ? e : 0);
                held[p * PIECE + e] = T{};
                if (l < l_end && k < k_end) held[p * PIECE + e] = x[Swap ? l * lead + k : k * lead + l];
            }
    }
    MEMBER void put(A *shared, bool conj) const {
#pragma unroll
        for (int p = 0; p < PIECES; p++) {
            A *const to = shared + k_of(p) * LINE + l_of(p);
#pragma unroll
            for (int e = 0; e < PIECE; e++) to[Swap ? e * LINE : e] = conjugate(widen(held[p * PIECE + e], A{}), conj);
        }
    }
};

// GELU by its approximation with tanh, as cuBLASLt has it: tanh(x) = 1 - 2 / (exp(2 x) + 1).
template <class A> static __device__ inline A gelu(A x) {
    const A inner = A(0.7978845608028654) * (x + A(0.044715) * x * x * x);
    return A(0.5) * x * (2 - 2 / (A(__nvvm_ex2_approx_f((float)inner * 2.8853900817779268f)) + 1));
}
template <class A> static __device__ inline A after(A x, uint32_t epilogue) {
    if (epilogue & GEMM_RELU) x = x > 0 || x != x ? x : A(0);
    if (epilogue & GEMM_GELU) x = gelu(x);
    return x;
}
template <class T> static __device__ inline complex_of<T> after(complex_of<T> x, uint32_t) { return x; }

// A tile of M x N sums, of EM x EN a thread. Warps have 8 x 4 threads of it, so that what they read of a slice is as little as can be.
template <class T, class A, int M, int N, int K, int EM, int EN, bool SwapA, bool SwapB> struct product_tile {
    static const int THREADS_M = M / EM, THREADS = THREADS_M * (N / EN);
    typedef slice<T, A, M, K, THREADS, SwapA> slice_a;
    typedef slice<T, A, N, K, THREADS, SwapB> slice_b;
    typedef share<A, M, EM> share_m;
    typedef share<A, N, EN> share_n;
    A *a_slice, *b_slice; // two of each: one is filled while the other is read
    static const int A_LINES = K * slice_a::LINE, B_LINES = K * slice_b::LINE;

    static MEMBER int tm() { return thread_x / 32 % (THREADS_M / 8) * 8 + thread_x % 8; }
    static MEMBER int tn() { return thread_x / 32 / (THREADS_M / 8) * 4 + thread_x % 32 / 8; }
    template <bool Whole>
    MEMBER void add_up(A sum[EM][EN], const gemm &g, int k_end, const T *a, const T *b, int m0, int n0) const {
        slice_a ta;
        slice_b tb;
        ta.begin(a, g.a.lead, m0);
        tb.begin(b, g.b.lead, n0);
        load<Whole>(ta, tb, g, k_end, a, b, m0, n0, 0);
        ta.put(a_slice, g.a.conj);
        tb.put(b_slice, g.b.conj);
        barrier();
        int now = 0;
        for (int k0 = 0; k0 < k_end; k0 += K) {
            const bool goes_on = k0 + K < k_end;
            if (goes_on) load<Whole>(ta, tb, g, k_end, a, b, m0, n0, k0 + K);
            multiply<A, K, EM, EN, share_m, share_n>(sum, a_slice + now * A_LINES, slice_a::LINE, tm(), b_slice + now * B_LINES,
                                                     slice_b::LINE, tn());
            now ^= 1;
            if (goes_on) {
                ta.put(a_slice + now * A_LINES, g.a.conj);
                tb.put(b_slice + now * B_LINES, g.b.conj);
            }
            barrier();
        }
    }
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
};

template <class T, class A, class O, int M, int N, int K, int EM, int EN, bool SwapA, bool SwapB>
DEVICE void product(const gemm &g) {
    typedef product_tile<T, A, M, N, K, EM, EN, SwapA, SwapB> tile;
    alignas(16) __shared__ A a_slice[2 * tile::A_LINES];
    alignas(16) __shared__ A b_slice[2 * tile::B_LINES];
    const int m0 = block_x * M, n0 = g.first_column + block_y * N;
    if (g.triangle == GEMM_LOWER && m0 + M <= n0) return;
    if (g.triangle == GEMM_UPPER && n0 + N <= m0) return;
    // large tiles leave no registers for parts of k
    const bool cuts = M <= 32;
    const part p = cuts ? part(g, K) : part(g);
    const int batch = p.batch;
    const T *const a = p.of<SwapA>(at<T>(g.a, batch), g.a.lead), *const b = p.of<SwapB>(at<T>(g.b, batch), g.b.lead);
    A sum[EM][EN] = {};
    const tile t = {a_slice, b_slice};
    if (g.is_even && m0 + M <= g.m && n0 + N <= g.n && g.k % K == 0 && g.k)
        t.template add_up<true>(sum, g, p.k, a, b, m0, n0);
    else
        t.template add_up<false>(sum, g, p.k, a, b, m0, n0);
    if (cuts && !p.add_up<EM * EN, tile::THREADS>(&sum[0][0], g)) return;

    const A alpha = alpha_of(A{}, g);
    const A beta = beta_of(A{}, g);
    const O *const c = at<O>(g.c, batch), *const bias = (const O *)g.bias;
    O *const d = at<O>(g.d, batch);
#pragma unroll
    for (int j = 0; j < EN; j++)
#pragma unroll
        for (int i = 0; i < EM; i++) {
            const int64_t row = m0 + tile::share_m::at(tile::tm(), i), column = n0 + tile::share_n::at(tile::tn(), j);
            if (row >= g.m || column >= g.n) continue;
            if ((g.triangle == GEMM_LOWER && row < column) || (g.triangle == GEMM_UPPER && row > column)) continue;
            A v = {};
            // neither A and B nor C are read where their factor is zero: they may hold anything
            if (!is_zero(alpha)) mad(&v, alpha, sum[i][j]);
            if (!is_zero(beta)) mad(&v, beta, widen(c[column * g.c.lead + row], A{}));
            if (g.epilogue & GEMM_BIAS) add(&v, widen(bias[row], A{}));
            narrow(&d[column * g.d.lead + row], after(v, g.epilogue));
        }
}

// The file is compiled once for each pair of types: IN of A and B, SUM, OUT of C and D. A kernel for each of A and B as they
// lie or swapped (n, t); `small` makes more blocks of a product than `big`.
#define KERNEL(NAME, M, N, K, EM, EN, SWAP_A, SWAP_B)                                              \
    extern "C" __global__ __launch_bounds__(M / EM * (N / EN), LEAST) void NAME(const gemm g) {    \
        product<IN, SUM, OUT, M, N, K, EM, EN, SWAP_A, SWAP_B>(g);                                 \
    }
#define KERNELS(SIZE, M, N, K, EM, EN)                                                             \
    KERNEL(gemm_##SIZE##_nn, M, N, K, EM, EN, false, true)                                         \
    KERNEL(gemm_##SIZE##_nt, M, N, K, EM, EN, false, false)                                        \
    KERNEL(gemm_##SIZE##_tn, M, N, K, EM, EN, true, true)                                          \
    KERNEL(gemm_##SIZE##_tt, M, N, K, EM, EN, true, false)
enum { LEAST = 2 }; // blocks that a multiprocessor should hold
#ifdef WIDE_SUM // of eight bytes or more: half the tile's side
KERNELS(big, 64, 64, 8, 4, 4)
#else
KERNELS(big, 128, 128, 8, 8, 8)
#endif
KERNELS(small, 32, 32, 16, 4, 4)
