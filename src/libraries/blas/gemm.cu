// Matrix products on the lanes' own arithmetic. A block makes a tile of D; it walks along k, holds a slice of op(A) and of
// op(B) in shared memory while the next ones are on their way in registers, and each thread adds up a small tile.
#include "device.h"
#include "gemm.h"

template <class T> static __device__ inline T *at(const gemm_matrix &x, int batch) {
    if (x.is_list) return ((T *const *)x.at)[batch];
    return (T *)x.at + batch * x.step;
}

// A tile of `Long` x `Slice` elements of op(X), whose element (l, k) lies at x[k * lead + l], or where `Swap` at x[l * lead + k].
// Neighbouring threads take neighbours in memory.
template <class T, class A, int Long, int Slice, int Threads, bool Swap> struct tile {
    static const int PAD = 16 / sizeof(A) ? 16 / sizeof(A) : 1, LINE = Long + PAD, EACH = Long * Slice / Threads;
    T held[EACH];

    static __device__ inline int l_of(int i) { return Swap ? i / Slice : i % Long; }
    static __device__ inline int k_of(int i) { return Swap ? i % Slice : i / Long; }

    __device__ inline void load(const T *x, int64_t lead, int l0, int k0, int l_end, int k_end) {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int i = e * Threads + thread_x, l = l0 + l_of(i), k = k0 + k_of(i);
            held[e] = T{};
            if (l < l_end && k < k_end) held[e] = x[Swap ? l * lead + k : k * lead + l];
        }
    }
    __device__ inline void put(A *shared, bool conj) const {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int i = e * Threads + thread_x;
            shared[k_of(i) * LINE + l_of(i)] = conjugate(widen(held[e], A{}), conj);
        }
    }
};

// `N` neighbours in shared memory, sixteen bytes at a time.
template <class A, int N> static __device__ inline void take(A *to, const A *from) {
    struct alignas(16) quad { A v[16 / sizeof(A)]; };
    const int each = 16 / sizeof(A);
#pragma unroll
    for (int i = 0; i < N / each; i++) {
        const quad q = ((const quad *)from)[i];
#pragma unroll
        for (int e = 0; e < each; e++) to[i * each + e] = q.v[e];
    }
}

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

template <class T, class A, class O, int M, int N, int K, int EM, int EN, bool SwapA, bool SwapB>
static __device__ __attribute__((always_inline)) inline void product(const gemm &g) {
    const int threads_m = M / EM, threads = threads_m * (N / EN);
    typedef tile<T, A, M, K, threads, SwapA> tile_a;
    typedef tile<T, A, N, K, threads, SwapB> tile_b;
    alignas(16) __shared__ A a_slice[K * tile_a::LINE];
    alignas(16) __shared__ A b_slice[K * tile_b::LINE];
    const int m0 = block_x * M, n0 = g.first_column + block_y * N, batch = block_z;
    const int tm = thread_x % threads_m * EM, tn = thread_x / threads_m * EN;
    const T *const a = at<T>(g.a, batch), *const b = at<T>(g.b, batch);
    tile_a ta;
    tile_b tb;
    A sum[EM][EN] = {};
    ta.load(a, g.a.lead, m0, 0, g.m, g.k);
    tb.load(b, g.b.lead, n0, 0, g.n, g.k);
    for (int k0 = 0; k0 < g.k; k0 += K) {
        ta.put(a_slice, g.a.conj);
        tb.put(b_slice, g.b.conj);
        barrier();
        if (k0 + K < g.k) {
            ta.load(a, g.a.lead, m0, k0 + K, g.m, g.k);
            tb.load(b, g.b.lead, n0, k0 + K, g.n, g.k);
        }
#pragma unroll
        for (int k = 0; k < K; k++) {
            A x[EM], y[EN];
            take<A, EM>(x, a_slice + k * tile_a::LINE + tm);
            take<A, EN>(y, b_slice + k * tile_b::LINE + tn);
#pragma unroll
            for (int i = 0; i < EM; i++)
#pragma unroll
                for (int j = 0; j < EN; j++) mad(&sum[i][j], x[i], y[j]);
        }
        barrier();
    }

    const A alpha = factor(A{}, g.alpha, g.alpha_at, g.factors_are_half);
    const A beta = factor(A{}, g.beta, g.beta_at, g.factors_are_half);
    const O *const c = at<O>(g.c, batch), *const bias = (const O *)g.bias;
    O *const d = at<O>(g.d, batch);
#pragma unroll
    for (int j = 0; j < EN; j++)
#pragma unroll
        for (int i = 0; i < EM; i++) {
            const int64_t row = m0 + tm + i, column = n0 + tn + j;
            if (row >= g.m || column >= g.n) continue;
            A v = {};
            mad(&v, alpha, sum[i][j]);
            // C is not read where its factor is zero: it may hold anything
            if (!is_zero(beta)) mad(&v, beta, widen(c[column * g.c.lead + row], A{}));
            if (g.epilogue & GEMM_BIAS) add(&v, widen(bias[row], A{}));
            narrow(&d[column * g.d.lead + row], after(v, g.epilogue));
        }
}

// The file is compiled once for each pair of types: IN of A and B, SUM, OUT of C and D. A kernel for each of A and B as they
// lie or swapped (n, t); `small` makes more blocks of a product than `big`.
#define KERNEL(NAME, M, N, K, EM, EN, SWAP_A, SWAP_B)                                              \
    extern "C" __global__ __launch_bounds__(M / EM * (N / EN)) void NAME(const gemm g) {           \
        product<IN, SUM, OUT, M, N, K, EM, EN, SWAP_A, SWAP_B>(g);                                 \
    }
#define KERNELS(SIZE, M, N, K, EM, EN)                                                             \
    KERNEL(gemm_##SIZE##_nn, M, N, K, EM, EN, false, true)                                         \
    KERNEL(gemm_##SIZE##_nt, M, N, K, EM, EN, false, false)                                        \
    KERNEL(gemm_##SIZE##_tn, M, N, K, EM, EN, true, true)                                          \
    KERNEL(gemm_##SIZE##_tt, M, N, K, EM, EN, true, false)
#ifdef WIDE_SUM // of eight bytes or more: half the tile's side
KERNELS(big, 64, 64, 8, 4, 4)
#else
KERNELS(big, 128, 128, 8, 8, 8)
#endif
KERNELS(small, 32, 32, 16, 4, 4)
