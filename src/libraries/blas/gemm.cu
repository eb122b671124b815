// Matrix products on the lanes' own arithmetic. A block makes a tile of D; it walks along k, holds a slice of op(A) and of
// op(B) in shared memory while the next ones are on their way in registers, and each thread adds up a small tile.
#include "device.h"
#include "gemm.h"
#include "tile.h"

template <class T> static __device__ inline T *at(const gemm_matrix &x, int batch) {
    if (x.is_list) return ((T *const *)x.at)[batch] + x.first;
    return (T *)x.at + x.first + batch * x.step;
}

// A slice of op(X), whose element (l, k) lies at x[k * lead + l], or where `Swap` at x[l * lead + k].
template <class T, class A, int Long, int Slice, int Threads, bool Swap> struct slice {
    typedef slice_shape<A, Long, Slice, Threads, Swap> shape;
    T held[shape::EACH];
    MEMBER void load(const T *x, int64_t lead, int l0, int k0, int l_end, int k_end) {
#pragma unroll
        for (int e = 0; e < shape::EACH; e++) {
            const int l = l0 + shape::l_of(e), k = k0 + shape::k_of(e);
            held[e] = T{};
            if (l < l_end && k < k_end) held[e] = x[Swap ? l * lead + k : k * lead + l];
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

template <class T, class A, class O, int M, int N, int K, int EM, int EN, bool SwapA, bool SwapB>
DEVICE void product(const gemm &g) {
    const int threads_m = M / EM, threads = threads_m * (N / EN);
    slice<T, A, M, K, threads, SwapA> ta;
    slice<T, A, N, K, threads, SwapB> tb;
    typedef slice_shape<A, M, K, threads, SwapA> shape_a;
    typedef slice_shape<A, N, K, threads, SwapB> shape_b;
    alignas(16) __shared__ A a_slice[K * shape_a::LINE];
    alignas(16) __shared__ A b_slice[K * shape_b::LINE];
    const int m0 = block_x * M, n0 = g.first_column + block_y * N, batch = block_z;
    if (g.triangle == GEMM_LOWER && m0 + M <= n0) return;
    if (g.triangle == GEMM_UPPER && n0 + N <= m0) return;
    const int tm = thread_x % threads_m * EM, tn = thread_x / threads_m * EN;
    const T *const a = at<T>(g.a, batch), *const b = at<T>(g.b, batch);
    A sum[EM][EN] = {};
    ta.load(a, g.a.lead, m0, 0, g.m, g.k);
    tb.load(b, g.b.lead, n0, 0, g.n, g.k);
    for (int k0 = 0; k0 < g.k; k0 += K) {
        shape_a::put(a_slice, ta.held, g.a.conj);
        shape_b::put(b_slice, tb.held, g.b.conj);
        barrier();
        if (k0 + K < g.k) {
            ta.load(a, g.a.lead, m0, k0 + K, g.m, g.k);
            tb.load(b, g.b.lead, n0, k0 + K, g.n, g.k);
        }
        multiply<A, K, EM, EN>(sum, a_slice + tm, shape_a::LINE, b_slice + tn, shape_b::LINE);
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
            if ((g.triangle == GEMM_LOWER && row < column) || (g.triangle == GEMM_UPPER && row > column)) continue;
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
