// What products on tensor cores share whose sums go to D by way of shared memory: the factors, what follows the sum, and stores of
// neighbours at once.
#ifndef WW_LIBRARIES_FINISH_H
#define WW_LIBRARIES_FINISH_H

#include "device.h"
#include "gemm.h"

template <class E> DEVICE E *matrix_at(const gemm_matrix &x, int batch) {
    if (x.is_list) return ((E *const *)x.at)[batch] + x.first;
    return (E *)x.at + x.first + batch * x.step;
}

// What a sum is worth: nothing where its factor is zero, whatever was summed up.
template <class A> DEVICE A times(A alpha, A sum) { return alpha == 0 ? A(0) : alpha * sum; }

// GELU by its approximation with tanh, as cuBLASLt has it: tanh(x) = 1 - 2 / (exp(2 x) + 1).
template <class X> DEVICE X gelu(X x) {
    const X inner = X(0.7978845608028654) * (x + X(0.044715) * x * x * x);
    return X(0.5) * x * (2 - 2 / (X(__nvvm_ex2_approx_f((float)inner * 2.8853900817779268f)) + 1));
}

// The end of a product that is alpha op(A) op(B) and nothing more, of a tile that lies whole in D, with pieces of four neighbours: it
// takes half the registers that any end does.
template <class A, class O> struct plain_finish {
    struct alignas(4 * sizeof(A)) sums { A v[4]; };
    struct alignas(4 * sizeof(O)) piece { O v[4]; };
    static MEMBER bool fits(const gemm &g, int batch, int m_end, int n_end) {
        return g.triangle == GEMM_ALL && !g.epilogue && !g.beta_at && g.beta[0] == 0 && m_end <= g.m && n_end <= g.n &&
               ((uint64_t)matrix_at<O>(g.d, batch) | (uint64_t)g.d.lead * sizeof(O)) % sizeof(piece) == 0;
    }
    static MEMBER void put(O *to, A alpha, const A *from) {
        const sums v = *(const sums *)from;
        piece p;
#pragma unroll
        for (int e = 0; e < 4; e += 2) narrow_2(&p.v[e], times(alpha, v.v[e]), times(alpha, v.v[e + 1]));
        *(piece *)to = p;
    }
};

// A block's part of the end of a product: A is what was summed in, O the type of C and D.
template <class A, class O> struct finish {
    enum { PIECE = 4 }; // neighbours in a column that a thread writes at once
    struct alignas(PIECE * sizeof(O)) piece { O v[PIECE]; };
    // of struct gemm, in registers: what lies in the kernel's parameters would be read again for each piece
    int m, n;
    uint32_t epilogue, triangle;
    int64_t c_lead, d_lead;
    A alpha, beta;
    const O *c, *bias;
    O *d;
    bool is_even; // pieces of C and D may be read and written whole

    MEMBER finish(const gemm &g, int batch)
        : m(g.m), n(g.n), epilogue(g.epilogue), triangle(g.triangle), c_lead(g.c.lead), d_lead(g.d.lead) {
        alpha = alpha_of(A{}, g);
        beta = beta_of(A{}, g);
        c = matrix_at<O>(g.c, batch);
        d = matrix_at<O>(g.d, batch);
        bias = (const O *)g.bias;
        is_even = triangle == GEMM_ALL && is_aligned(d, d_lead) && (beta == 0 || is_aligned(c, c_lead));
    }
    static MEMBER bool is_aligned(const O *x, int64_t lead) { return ((uint64_t)x | (uint64_t)lead * sizeof(O)) % sizeof(piece) == 0; }
    MEMBER A after(A v, int row) const {
        if (epilogue & GEMM_BIAS) v += widen(bias[row], A{});
        if (epilogue & GEMM_RELU) v = v < 0 ? A(0) : v;
        if (epilogue & GEMM_GELU) v = gelu(v);
        return v;
    }
    // PIECE sums of a column from `row` on, which lie in shared memory. Code is kept short: what a block runs once costs its fetch.
    MEMBER void put(int row, int column, const A *sum) const {
        if (row >= m || column >= n) return;
        const O *const from = c + column * c_lead + row;
        O *const to = d + column * d_lead + row;
        if (is_even && row + PIECE <= m) {
            struct alignas(PIECE * sizeof(A)) sums { A v[PIECE]; };
            sums v = *(const sums *)sum;
            piece p;
#pragma unroll
            for (int e = 0; e < PIECE; e++) v.v[e] = times(alpha, v.v[e]);
            if (beta != 0) {
                p = *(const piece *)from;
#pragma unroll
                for (int e = 0; e < PIECE; e++) v.v[e] += beta * widen(p.v[e], A{});
            }
            if (epilogue) {
#pragma unroll
                for (int e = 0; e < PIECE; e++) v.v[e] = after(v.v[e], row + e);
            }
#pragma unroll
            for (int e = 0; e < PIECE; e += 2) narrow_2(&p.v[e], v.v[e], v.v[e + 1]);
            *(piece *)to = p;
            return;
        }
#pragma unroll 1
        for (int e = 0; e < PIECE && row + e < m; e++) {
            if ((triangle == GEMM_LOWER && row + e < column) || (triangle == GEMM_UPPER && row + e > column)) continue;
            A v = times(alpha, sum[e]);
            if (beta != 0) v += beta * widen(from[e], A{});
            narrow(&to[e], after(v, row + e));
        }
    }
};

#endif
