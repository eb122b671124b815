// Arithmetic of the elements of dense matrices, and what the threads of a block find together: for kernels that are compiled once
// for each type, ELEMENT, and REAL of its parts.
#ifndef WW_LIBRARIES_DENSE_ELEMENT_H
#define WW_LIBRARIES_DENSE_ELEMENT_H

#include "../blas/device.h"
#include "call.h"

typedef ELEMENT T;
typedef REAL R;
enum { THREADS = 256 };

// ---- arithmetic -----------------------------------------------------------------------------------------
DEVICE float root(float x) { return __nvvm_sqrt_rn_f(x); }
DEVICE double root(double x) { return __nvvm_sqrt_rn_d(x); }
template <class U> DEVICE U larger(U a, U b) { return a > b ? a : b; }
template <class U> DEVICE U size(U x) { return x < 0 ? -x : x; }
template <class U> DEVICE U re(U x) { return x; }
template <class U> DEVICE U re(complex_of<U> x) { return x.x; }
template <class U> DEVICE U im(U) { return 0; }
template <class U> DEVICE U im(complex_of<U> x) { return x.y; }
DEVICE float make(float, R x, R) { return (float)x; }
DEVICE double make(double, R x, R) { return (double)x; }
template <class U> DEVICE complex_of<U> make(complex_of<U>, R x, R y) { return complex_of<U>{(U)x, (U)y}; }
template <class U> DEVICE complex_of<U> operator+(complex_of<U> a, complex_of<U> b) { return {a.x + b.x, a.y + b.y}; }
template <class U> DEVICE complex_of<U> operator-(complex_of<U> a, complex_of<U> b) { return {a.x - b.x, a.y - b.y}; }
template <class U> DEVICE complex_of<U> operator-(complex_of<U> a) { return {-a.x, -a.y}; }
template <class U> DEVICE complex_of<U> operator*(complex_of<U> a, complex_of<U> b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
template <class U> DEVICE complex_of<U> operator*(U a, complex_of<U> b) { return {a * b.x, a * b.y}; }
// By the larger part of the divisor first (Smith), so that no square overflows.
template <class U> DEVICE complex_of<U> operator/(complex_of<U> a, complex_of<U> b) {
    if (size(b.x) >= size(b.y)) {
        const U r = b.y / b.x, d = b.x + b.y * r;
        return {(a.x + a.y * r) / d, (a.y - a.x * r) / d};
    }
    const U r = b.x / b.y, d = b.x * r + b.y;
    return {(a.x * r + a.y) / d, (a.y * r - a.x) / d};
}
DEVICE T conj(T x) { return conjugate(x, true); }
DEVICE R smallest() { return sizeof(R) == 4 ? (R)1.17549435e-38 : (R)2.2250738585072014e-308; } // normal number
DEVICE R square(T x) { return re(x) * re(x) + im(x) * im(x); }
// By the larger part, so that no square overflows or loses digits among denormal numbers.
DEVICE R absolute(T x) {
    const R a = size(re(x)), b = size(im(x));
    if (b == 0) return a;
    return a > b ? a * root(1 + b / a * (b / a)) : b * root(1 + a / b * (a / b));
}
DEVICE T real(R x) { return make(T{}, x, 0); }

DEVICE T *at(const gemm_matrix &x) {
    const int batch = block_z;
    if (x.is_list) return ((T *const *)x.at)[batch] + x.first;
    return (T *)x.at + x.first + batch * x.step;
}
DEVICE R *reals(const dense_numbers &x) { return (R *)x.at + block_z * x.step; }
DEVICE int32_t *at(const dense_numbers &x) { return x.at ? (int32_t *)x.at + block_z * x.step : nullptr; }

static __device__ double block_sum(double mine) {
    __shared__ double held[THREADS];
    barrier();
    held[thread_x] = mine;
    barrier();
    for (int half = threads_x / 2; half; half /= 2) {
        if (thread_x < half) held[thread_x] += held[thread_x + half];
        barrier();
    }
    return held[0];
}
static __device__ double block_most(double mine) {
    __shared__ double held[THREADS];
    barrier();
    held[thread_x] = mine;
    barrier();
    for (int half = threads_x / 2; half; half /= 2) {
        if (thread_x < half && held[thread_x + half] > held[thread_x]) held[thread_x] = held[thread_x + half];
        barrier();
    }
    return held[0];
}
static __device__ T block_total(T mine) {
    __shared__ T held[THREADS];
    barrier();
    held[thread_x] = mine;
    barrier();
    for (int half = threads_x / 2; half; half /= 2) {
        if (thread_x < half) held[thread_x] = held[thread_x] + held[thread_x + half];
        barrier();
    }
    return held[0];
}
#define OF_BLOCK(i, from, to) for (int i = (from) + thread_x; i < (to); i += threads_x)
#define ELEMENTS(e, all) for (int64_t e = (int64_t)block_x * threads_x + thread_x; e < (all); e += (int64_t)blocks_x * threads_x)

// ---- balance ---------------------------------------------------------------------------------------------
// A power of two that brings the largest part of an m x n matrix near 1, so that no square overflows or vanishes; 1 where nothing
// does, or where a part is no number.
static __device__ R balance(const T *a, int m, int n, int64_t lead) {
    enum { STEP = 16, STEPS = sizeof(R) == 4 ? 7 : 62 }; // at most 2^112, 2^992
    const double step = 1 << STEP;
    double mine = 0;
    OF_BLOCK(e, 0, m * n) {
        const double x = size(re(a[e % m + e / m * lead])), y = size(im(a[e % m + e / m * lead]));
        if (x > mine) mine = x;
        if (y > mine) mine = y;
    }
    double most = block_most(mine), by = 1;
    for (int i = 0; i < STEPS && most > step; i++, most /= step) by /= step;
    for (int i = 0; i < STEPS && most > 0 && most < 1 / step; i++, most *= step) by *= step;
    return (R)by;
}
DEVICE R rounding() { return sizeof(R) == 4 ? (R)5.9604645e-8 : (R)1.1102230246251565e-16; }

static __device__ void multiply_all(T *a, int m, int n, int64_t lead, R by) {
    if (by == 1) return;
    OF_BLOCK(e, 0, m * n) a[e % m + e / m * lead] = real(by) * a[e % m + e / m * lead];
    barrier();
}

// ---- triangles of symmetric matrices ------------------------------------------------------------------------
// An upper triangle is a lower one whose rows and columns are counted from the end.
struct triangle {
    T *a;
    int64_t lead;
    int n;
    bool is_upper;
    MEMBER T &operator()(int i, int j) const { // i >= j
        return is_upper ? a[(n - 1 - i) + (n - 1 - j) * lead] : a[i + j * lead];
    }
    MEMBER int number(int i) const { return is_upper ? n - i : i + 1; } // of a row, from 1 on
    MEMBER int row(int number) const { return is_upper ? n - number : number - 1; }
    MEMBER int at(int i) const { return is_upper ? n - 1 - i : i; }
};
DEVICE R magnitude(T x) { return size(re(x)) + size(im(x)); }
template <class U> DEVICE void exchange(U &a, U &b) {
    const U old = a;
    a = b;
    b = old;
}
struct candidate {
    R size;
    int at;
};
// The largest of what the threads of a block hold, the first of equals; it must not be less than zero.
static __device__ candidate block_largest(candidate mine) {
    __shared__ candidate held[THREADS];
    barrier();
    held[thread_x] = mine;
    barrier();
    for (int half = THREADS / 2; half; half /= 2) {
        if (thread_x < half) {
            const candidate other = held[thread_x + half];
            if (other.size > held[thread_x].size || (other.size == held[thread_x].size && other.at < held[thread_x].at))
                held[thread_x] = other;
        }
        barrier();
    }
    return held[0];
}

#endif
