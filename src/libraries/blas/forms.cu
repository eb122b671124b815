// Matrices of every form that BLAS knows (full, band, packed; general, triangular, symmetric, Hermitian) with vectors: products,
// solutions, updates; and steps of products of matrices: a form written out in full, one block of a triangle, sums, diagonals. The
// file is compiled once for each type: ELEMENT, and REAL of its parts.
#include "device.h"
#include "forms.h"

typedef ELEMENT T;
typedef REAL R;
enum { THREADS = 256, SIDE = 32 };

#define EACH(e, n) for (int64_t e = (int64_t)block_x * threads_x + thread_x; e < (n); e += (int64_t)blocks_x * threads_x)

// ---- elements -------------------------------------------------------------------------------------------
template <class U> DEVICE U drop_imaginary(U x) { return x; }
template <class U> DEVICE complex_of<U> drop_imaginary(complex_of<U> x) { return {x.x, 0}; }
DEVICE T one() { return value(T{}, (const double[2]){1, 0}); }
template <class U> DEVICE U product_of(U a, U b) { return a * b; }
template <class U> DEVICE complex_of<U> product_of(complex_of<U> a, complex_of<U> b) {
    complex_of<U> r = {};
    mad(&r, a, b);
    return r;
}
DEVICE T minus(T a, T b) {
    T r = a;
    const T less = value(T{}, (const double[2]){-1, 0});
    mad(&r, less, b);
    return r;
}
template <class U> DEVICE U quotient(U a, U b) { return a / b; }
// By the larger part of the divisor first (Smith), so that no square overflows.
template <class U> DEVICE complex_of<U> quotient(complex_of<U> a, complex_of<U> b) {
    const U bx = b.x < 0 ? -b.x : b.x, by = b.y < 0 ? -b.y : b.y;
    if (bx >= by) {
        const U r = b.y / b.x, d = b.x + b.y * r;
        return {(a.x + a.y * r) / d, (a.y - a.x * r) / d};
    }
    const U r = b.x / b.y, d = b.x * r + b.y;
    return {(a.x * r + a.y) / d, (a.y * r - a.x) / d};
}

template <class E> DEVICE E *batch_of(const gemm_matrix &x) {
    if (x.is_list) return ((E *const *)x.at)[block_z] + x.first;
    return (E *)x.at + x.first + block_z * x.step;
}
// Where element (i, j) of A as it lies is.
DEVICE int64_t place(const form &f, int64_t i, int64_t j) {
    if (f.storage == STORE_FULL) return i + j * f.a.lead;
    if (f.storage == STORE_BAND) return f.shift + i - j + j * f.a.lead;
    const int64_t n = f.n; // packed matrices are square
    return f.is_upper ? i + j * (j + 1) / 2 : i + (2 * n - j - 1) * j / 2;
}
// Element (i, j) of op(A), which must be among those that hold something.
DEVICE T take(const form &f, const T *a, int i, int j) {
    if (f.kind <= FORM_TRIANGULAR) {
        if (f.is_unit && i == j) return one();
        const T v = f.swaps ? a[place(f, j, i)] : a[place(f, i, j)];
        return conjugate(v, f.a.conj);
    }
    const bool is_other = f.is_upper ? i > j : i < j;
    const T v = is_other ? a[place(f, j, i)] : a[place(f, i, j)];
    if (f.kind == FORM_SYMMETRIC) return v;
    return i == j ? drop_imaginary(v) : conjugate(v, is_other != (f.a.conj != 0));
}
DEVICE int first_of(const form &f, int i) { return i > f.below ? i - f.below : 0; }
DEVICE int end_of(const form &f, int i) {
    const int64_t end = (int64_t)i + f.above + 1;
    return end < f.n ? (int)end : f.n;
}
DEVICE T alpha_of(const forms &f) { return factor(T{}, f.alpha, f.alpha_at, f.narrow & ALPHA_NARROW); }
DEVICE T beta_of(const forms &f) { return factor(T{}, f.beta, f.beta_at, f.narrow & BETA_NARROW); }

// ---- vectors ----------------------------------------------------------------------------------------------
// y = alpha op(A) x + beta y. ROWS x COLUMNS threads: neighbours lie along the rows of what is stored. Neither A and x where
// alpha is zero nor y where beta is are read.
template <int ROWS> DEVICE void product(const forms &f) {
    enum { COLUMNS = THREADS / ROWS };
    __shared__ T held[THREADS];
    const int row = ROWS == SIDE ? thread_x % SIDE : thread_x / SIDE, column = ROWS == SIDE ? thread_x / SIDE : thread_x % SIDE;
    const int i = block_x * ROWS + row;
    const T *const a = batch_of<const T>(f.a.a), *const x = batch_of<const T>(f.x);
    const T alpha = alpha_of(f), beta = beta_of(f);
    T sum = {};
    if (i < f.a.m && !is_zero(alpha))
        for (int j = first_of(f.a, i) + column; j < end_of(f.a, i); j += COLUMNS) mad(&sum, take(f.a, a, i, j), x[j * f.x.lead]);
    held[row * COLUMNS + column] = sum;
    barrier();
    for (int half = COLUMNS / 2; half; half /= 2) {
        if (column < half) add(&held[row * COLUMNS + column], held[row * COLUMNS + column + half]);
        barrier();
    }
    if (column || i >= f.a.m) return;
    T *const y = batch_of<T>(f.y) + i * f.y.lead;
    T v = product_of(alpha, held[row * COLUMNS]);
    if (is_zero(alpha)) v = T{};
    if (!is_zero(beta)) mad(&v, beta, *y);
    *y = v;
}
extern "C" __global__ __launch_bounds__(THREADS) void form_product_n(const forms f) { product<SIDE>(f); }
extern "C" __global__ __launch_bounds__(THREADS) void form_product_t(const forms f) { product<THREADS / SIDE>(f); }

// op(A) x = y in place of y, A triangular: one block, an element after the other.
extern "C" __global__ __launch_bounds__(THREADS) void form_solve(const forms f) {
    __shared__ T solved;
    const T *const a = batch_of<const T>(f.a.a);
    T *const y = batch_of<T>(f.y);
    const bool is_forward = f.a.above == 0;
    const int n = f.a.m, reach = is_forward ? f.a.below : f.a.above;
    for (int e = 0; e < n; e++) {
        const int j = is_forward ? e : n - 1 - e;
        if (thread_x == 0) {
            T *const to = &y[j * f.y.lead];
            if (!f.a.is_unit) *to = quotient(*to, take(f.a, a, j, j));
            solved = *to;
        }
        barrier();
        const T s = solved;
        const int rest = n - 1 - e < reach ? n - 1 - e : reach;
        for (int o = 1 + thread_x; o <= rest; o += THREADS) {
            const int i = is_forward ? j + o : j - o;
            y[i * f.y.lead] = minus(y[i * f.y.lead], product_of(take(f.a, a, i, j), s));
        }
        barrier();
    }
}

// A := alpha x y' + A in what is stored of A; y' with conjugates where y.conj says so. With a second: + conj(alpha) y x'.
extern "C" __global__ __launch_bounds__(THREADS) void form_update(const forms f) {
    T *const a = batch_of<T>(f.a.a);
    const T *const x = batch_of<const T>(f.x), *const y = batch_of<const T>(f.y);
    const T alpha = alpha_of(f);
    const bool is_hermitian = f.a.kind == FORM_HERMITIAN;
    EACH(e, (int64_t)f.a.m * f.a.n) {
        const int i = (int)(e % f.a.m), j = (int)(e / f.a.m);
        if (f.a.kind >= FORM_SYMMETRIC && (f.a.is_upper ? i > j : i < j)) continue;
        T v = a[place(f.a, i, j)];
        if (is_hermitian && i == j) v = drop_imaginary(v);
        if (!is_zero(alpha)) {
            mad(&v, product_of(alpha, x[i * f.x.lead]), conjugate(y[j * f.y.lead], f.y.conj));
            if (f.has_second)
                mad(&v, product_of(conjugate(alpha, is_hermitian), y[i * f.y.lead]), conjugate(x[j * f.x.lead], f.y.conj));
        }
        if (is_hermitian && i == j) v = drop_imaginary(v);
        a[place(f.a, i, j)] = v;
    }
}

// ---- matrices -----------------------------------------------------------------------------------------------
// Y = op(A), written out; where y.lead is 0, into packed columns of the same triangle.
extern "C" __global__ __launch_bounds__(THREADS) void form_expand(const forms f) {
    const T *const a = batch_of<const T>(f.a.a);
    T *const y = batch_of<T>(f.y);
    form packed = f.a;
    packed.storage = STORE_PACKED;
    EACH(e, (int64_t)f.a.m * f.a.n) {
        const int i = (int)(e % f.a.m), j = (int)(e / f.a.m);
        const bool is_held = j - i <= f.a.above && i - j <= f.a.below;
        if (is_held) y[f.y.lead ? i + j * f.y.lead : place(packed, i, j)] = take(f.a, a, i, j);
    }
}
// Imaginary parts of a diagonal become zero.
extern "C" __global__ __launch_bounds__(THREADS) void real_diagonal(const forms f) {
    T *const y = batch_of<T>(f.y);
    EACH(i, (int64_t)f.a.n) y[i + i * f.y.lead] = drop_imaginary(y[i + i * f.y.lead]);
}
// Y = alpha op(A) X, or alpha X op(A), of rows (columns on the right) `from` on, `count` of them at most SIDE, for the triangle's
// square on its diagonal. A thread makes one column (row on the right); Y may be X.
extern "C" __global__ __launch_bounds__(SIDE) void multiply_block(const forms f) {
    __shared__ T t[SIDE][SIDE + 1];
    __shared__ T held[SIDE][SIDE];
    const T *const a = batch_of<const T>(f.a.a), *const x = batch_of<const T>(f.x);
    T *const y = batch_of<T>(f.y);
    const T alpha = alpha_of(f);
    const bool is_lower = f.a.above == 0;
    for (int e = thread_x; e < f.count * f.count; e += SIDE) {
        const int i = e % f.count, k = e / f.count;
        if ((is_lower ? i >= k : i <= k) && !is_zero(alpha)) t[i][k] = take(f.a, a, f.from + i, f.from + k);
    }
    barrier();
    const int c = block_x * SIDE + thread_x;
    if (c >= f.sides) return;
    for (int k = 0; k < f.count; k++)
        if (!is_zero(alpha)) held[k][thread_x] = f.is_right ? x[c + (f.from + k) * f.x.lead] : x[f.from + k + c * f.x.lead];
    for (int i = 0; i < f.count; i++) {
        T sum = {};
        for (int k = 0; k < f.count && !is_zero(alpha); k++) {
            // on the right element i of a row is the sum over k of x[k] op(A)(k, i)
            const int row = f.is_right ? k : i, column = f.is_right ? i : k;
            if (is_lower ? row >= column : row <= column) mad(&sum, t[row][column], held[k][thread_x]);
        }
        T *const to = f.is_right ? &y[c + (f.from + i) * f.y.lead] : &y[f.from + i + c * f.y.lead];
        *to = is_zero(alpha) ? T{} : product_of(alpha, sum);
    }
}
// Y = alpha op(A) + beta op(X): neither is read where its factor is zero. Y may be either where that is not transposed.
extern "C" __global__ __launch_bounds__(THREADS) void add_matrices(const forms f) {
    const T *const a = batch_of<const T>(f.a.a), *const x = batch_of<const T>(f.x);
    T *const y = batch_of<T>(f.y);
    const T alpha = alpha_of(f), beta = beta_of(f);
    EACH(e, (int64_t)f.a.m * f.a.n) {
        const int i = (int)(e % f.a.m), j = (int)(e / f.a.m);
        T v = {};
        if (!is_zero(alpha)) mad(&v, alpha, take(f.a, a, i, j));
        if (!is_zero(beta)) mad(&v, beta, conjugate(f.swaps_x ? x[j + i * f.x.lead] : x[i + j * f.x.lead], f.x.conj));
        y[i + j * f.y.lead] = v;
    }
}
// Y = diag(x) A, or A diag(x).
extern "C" __global__ __launch_bounds__(THREADS) void scale_lines(const forms f) {
    const T *const a = batch_of<const T>(f.a.a), *const x = batch_of<const T>(f.x);
    T *const y = batch_of<T>(f.y);
    EACH(e, (int64_t)f.a.m * f.a.n) {
        const int i = (int)(e % f.a.m), j = (int)(e / f.a.m);
        y[i + j * f.y.lead] = product_of(a[i + j * f.a.a.lead], x[(f.is_right ? j : i) * f.x.lead]);
    }
}
