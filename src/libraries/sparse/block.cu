// Sparse matrices in blocks (BSR), factors on a matrix's own pattern, sparse vectors, tridiagonal systems. The file is compiled once
// for each type: ELEMENT, and SUM of what is added up.
#include "rows.h"

DEVICE T *values(const sparse_rows &a) { return (T *)a.values; }

// ---- blocks ---------------------------------------------------------------------------------------------
// c's elements row by row, from a's blocks of side x side; a.rows counts rows of blocks.
extern "C" __global__ void blocks_to_rows(const sparse s) {
    const int64_t side = s.side, square = side * side;
    EACH(e, s.a.count * square) {
        const int64_t block_row = place_of(s.a.offsets, s.a.rows + 1, e / square + 1) - 1, first = get(s.a.offsets, block_row),
                      blocks = get(s.a.offsets, block_row + 1) - first, within = e - first * square, i = within / (blocks * side),
                      rest = within % (blocks * side), block = first + rest / side, k = rest % side;
        put(s.c.column, e, get(s.a.column, block) * side + k);
        values(s.c)[e] = values(s.a)[block * square + (s.blocks_by_rows ? i * side + k : i + k * side)];
    }
}
extern "C" __global__ void blocks_to_offsets(const sparse s) {
    const int64_t side = s.side;
    EACH(r, s.a.rows * side + 1) {
        const int64_t block_row = r / side, first = get(s.a.offsets, block_row),
                      blocks = r == s.a.rows * side ? 0 : get(s.a.offsets, block_row + 1) - first;
        put(s.c.offsets, r, (first * side + r % side * blocks) * side);
    }
}
// Calls for each block of a row of blocks, of a matrix whose columns ascend: the block's column.
template <class F> DEVICE int64_t blocks_of(const sparse &s, int64_t block_row, F each) {
    int64_t column = -1, n = 0;
    for (;;) {
        int64_t next = INT64_MAX;
        for (int64_t r = block_row * s.side; r < (block_row + 1) * s.side && r < s.a.rows; r++) {
            const int64_t end = get(s.a.offsets, r + 1);
            int64_t from = get(s.a.offsets, r);
            while (from < end && get(s.a.column, from) / s.side <= column) from++;
            if (from < end && get(s.a.column, from) / s.side < next) next = get(s.a.column, from) / s.side;
        }
        if (next == INT64_MAX) return n;
        column = next;
        each(n++, column);
    }
}
extern "C" __global__ void count_blocks(const sparse s) {
    EACH(r, s.n) wide(s.offsets, r) = blocks_of(s, r, [](int64_t, int64_t) {});
}
extern "C" __global__ void rows_to_blocks(const sparse s) {
    const int64_t side = s.side, square = side * side;
    EACH(b, s.n) {
        const int64_t first = get(s.c.offsets, b);
        blocks_of(s, b, [&](int64_t n, int64_t column) {
            T *const to = values(s.c) + (first + n) * square;
            put(s.c.column, first + n, column);
            for (int64_t i = 0; i < square; i++) to[i] = T{};
            for (int64_t i = 0; i < side && b * side + i < s.a.rows; i++)
                for (int64_t e = get(s.a.offsets, b * side + i); e < get(s.a.offsets, b * side + i + 1); e++) {
                    const int64_t k = get(s.a.column, e) - column * side;
                    if (k >= 0 && k < side) to[s.blocks_by_rows ? i * side + k : i + k * side] = values(s.a)[e];
                }
        });
    }
}

// ---- factors on the matrix's own pattern, columns ascending -----------------------------------------------
// The place of (row, column), or -1.
DEVICE int64_t find(const sparse_rows &a, int64_t row, int64_t column) {
    int64_t from = get(a.offsets, row), n = get(a.offsets, row + 1) - from;
    while (n > 0) {
        const int64_t half = n / 2, here = get(a.column, from + half);
        if (here == column) return from + half;
        if (here < column) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return -1;
}
DEVICE A read(const sparse_rows &a, int64_t e) { return widen(values(a)[e], A{}); }
template <class U> DEVICE double length(U x) { return x < 0 ? -x : x; }
template <class U> DEVICE double length(complex_of<U> x) { return __nvvm_sqrt_rn_d((double)x.x * x.x + (double)x.y * x.y); }
DEVICE A minus(A a, A b, A c) { // a - b c
    mad(&a, negative(b), c);
    return a;
}
DEVICE A product(A a, A b) {
    A r = {};
    mad(&r, a, b);
    return r;
}
DEVICE A number(bool is_one) { return value(A{}, (const double[2]){is_one ? 1. : 0., 0}); }
DEVICE void note(const sparse &s, int64_t row) { // rows come one after the other: the first stays
    int32_t *const flag = (int32_t *)s.flag;
    if (*flag < 0) *flag = (int32_t)row;
}
// L and U where a has elements, L with ones on its diagonal: a block alone, row after row.
extern "C" __global__ __launch_bounds__(TEAM) void incomplete_lu(const sparse s) {
    __shared__ A by;
    if (thread_x == 0) *(int32_t *)s.flag = -1;
    for (int64_t i = 0; i < s.a.rows; i++) {
        const int64_t from = get(s.a.offsets, i), end = get(s.a.offsets, i + 1);
        for (int64_t e = from; e < end; e++) {
            const int64_t k = get(s.a.column, e);
            if (k >= i) break;
            const int64_t pivot = find(s.a, k, k);
            barrier();
            if (thread_x == 0) {
                by = pivot < 0 ? A{} : quotient(read(s.a, e), read(s.a, pivot));
                if (pivot >= 0) narrow(&values(s.a)[e], by);
            }
            barrier();
            if (pivot < 0) continue;
            for (int64_t f = e + 1 + thread_x; f < end; f += TEAM) {
                const int64_t other = find(s.a, k, get(s.a.column, f));
                if (other >= 0) narrow(&values(s.a)[f], minus(read(s.a, f), by, read(s.a, other)));
            }
            barrier();
        }
        barrier();
        if (thread_x == 0) {
            const int64_t pivot = find(s.a, i, i);
            if (pivot >= 0 && s.has_boost && length(read(s.a, pivot)) <= s.tolerance) values(s.a)[pivot] = *(const T *)s.boost_at;
            if (pivot < 0 || is_zero(read(s.a, pivot))) note(s, i);
        }
        barrier();
    }
}
DEVICE float root(float x) { return __nvvm_sqrt_rn_f(x); }
DEVICE double root(double x) { return __nvvm_sqrt_rn_d(x); }
template <class U> DEVICE complex_of<U> root(complex_of<U> x) { return {root(x.x), 0}; }
DEVICE bool is_positive(float x) { return x > 0; }
DEVICE bool is_positive(double x) { return x > 0; }
template <class U> DEVICE bool is_positive(complex_of<U> x) { return x.x > 0; }
// L of L L^H where the lower triangle has elements; what lies above stays.
extern "C" __global__ __launch_bounds__(TEAM) void incomplete_cholesky(const sparse s) {
    __shared__ A held[TEAM];
    if (thread_x == 0) *(int32_t *)s.flag = -1;
    for (int64_t i = 0; i < s.a.rows; i++) {
        const int64_t from = get(s.a.offsets, i), end = get(s.a.offsets, i + 1);
        bool has_pivot = false;
        for (int64_t e = from; e < end; e++) {
            const int64_t k = get(s.a.column, e);
            if (k > i) break;
            has_pivot |= k == i;
            A sum = {};
            for (int64_t f = from + thread_x; f < e; f += TEAM) {
                const int64_t other = find(s.a, k, get(s.a.column, f));
                if (other >= 0) mad(&sum, read(s.a, f), conjugate(read(s.a, other), true));
            }
            barrier();
            held[thread_x] = sum;
            barrier();
            if (thread_x == 0) {
                A all = {};
                for (int t = 0; t < TEAM; t++) add(&all, held[t]);
                A v = read(s.a, e);
                add(&v, negative(all));
                const int64_t pivot = find(s.a, k, k);
                if (k < i)
                    v = pivot < 0 ? A{} : quotient(v, read(s.a, pivot));
                else if (is_positive(v))
                    v = root(v);
                else
                    note(s, i), v = root(v);
                narrow(&values(s.a)[e], v);
            }
            barrier();
        }
        if (thread_x == 0 && !has_pivot) note(s, i);
    }
}
// The first row of a triangle whose diagonal is missing or zero.
extern "C" __global__ void find_zero(const sparse s) {
    if (block_x || thread_x) return;
    *(int32_t *)s.flag = -1;
    for (int64_t i = 0; i < s.a.rows && !s.is_unit; i++) {
        const int64_t pivot = find(s.a, i, i);
        if (pivot < 0 || is_zero(read(s.a, pivot))) note(s, i);
    }
}

// ---- sparse vectors: a.count elements, numbers in a.column; x dense --------------------------------------------
DEVICE T *dense(const sparse &s, int64_t i) { return (T *)s.x.at + i * s.x.row; }
extern "C" __global__ void gather(const sparse s) {
    EACH(e, s.a.count) values(s.a)[e] = *dense(s, get(s.a.column, e));
}
extern "C" __global__ void scatter(const sparse s) {
    EACH(e, s.a.count) *dense(s, get(s.a.column, e)) = values(s.a)[e];
}
extern "C" __global__ void scale_dense(const sparse s) { // x = beta x
    const A beta = factor(A{}, s.beta, s.beta_at, false);
    EACH(i, s.n) {
        A v = {};
        if (!is_zero(beta)) mad(&v, beta, widen(*dense(s, i), A{}));
        narrow(dense(s, i), v);
    }
}
extern "C" __global__ void add_sparse(const sparse s) { // x += alpha a
    const A alpha = factor(A{}, s.alpha, s.alpha_at, false);
    EACH(e, s.a.count) {
        T *const to = dense(s, get(s.a.column, e));
        A v = widen(*to, A{});
        mad(&v, alpha, read(s.a, e));
        narrow(to, v);
    }
}
// a = c a + s x, x = c x - s a, at the places of a; c and s are alpha and beta.
extern "C" __global__ void rotate_sparse(const sparse s) {
    const A cosine = factor(A{}, s.alpha, s.alpha_at, false), sine = factor(A{}, s.beta, s.beta_at, false);
    EACH(e, s.a.count) {
        T *const to = dense(s, get(s.a.column, e));
        const A x = read(s.a, e), y = widen(*to, A{});
        A first = {}, second = {};
        mad(&first, cosine, x);
        mad(&first, sine, y);
        mad(&second, cosine, y);
        mad(&second, negative(sine), x);
        narrow(&values(s.a)[e], first);
        narrow(to, second);
    }
}
extern "C" __global__ __launch_bounds__(THREADS) void dot_sparse(const sparse s) {
    __shared__ A held[THREADS];
    A sum = {};
    for (int64_t e = thread_x; e < s.a.count; e += THREADS) mad(&sum, conjugate(read(s.a, e), s.a.is_conj), widen(*dense(s, get(s.a.column, e)), A{}));
    held[thread_x] = sum;
    barrier();
    for (int half = THREADS / 2; half; half /= 2) {
        if (thread_x < half) add(&held[thread_x], held[thread_x + half]);
        barrier();
    }
    if (thread_x == 0) *(A *)s.values_out = held[0];
}
// Elements larger than `tolerance` of each row are counted, and taken.
extern "C" __global__ void count_larger(const sparse s) {
    EACH(r, s.a.rows) {
        int64_t n = 0;
        for (int64_t e = get(s.a.offsets, r); e < get(s.a.offsets, r + 1); e++) n += length(read(s.a, e)) > s.tolerance;
        wide(s.offsets, r) = n;
    }
}
extern "C" __global__ void take_larger(const sparse s) {
    EACH(r, s.a.rows) {
        int64_t to = get(s.c.offsets, r);
        for (int64_t e = get(s.a.offsets, r); e < get(s.a.offsets, r + 1); e++) {
            if (!(length(read(s.a, e)) > s.tolerance)) continue;
            put(s.c.column, to, get(s.a.column, e));
            values(s.c)[to++] = values(s.a)[e];
        }
    }
}
// Elements of each row (or where keys are no rows, of each column) of a dense matrix that are not zero; n of them.
extern "C" __global__ void count_nonzero(const sparse s) {
    EACH(r, s.n) {
        int32_t n = 0;
        for (int64_t k = 0; k < s.k; k++) n += !is_zero(s.keys_are_rows ? dense_at(s.x, r, k, 0) : dense_at(s.x, k, r, 0));
        ((int32_t *)s.offsets)[r] = n;
    }
}

// ---- tridiagonal systems ---------------------------------------------------------------------------------------
// L and U with rows exchanged where that is the larger pivot (as LAPACK's ?gttrf): in the work area the multipliers, three diagonals of
// U, and whether rows were exchanged. A thread for each system.
extern "C" __global__ void tridiagonal_factors(const tridiagonal t) {
    EACH(b, t.systems) {
        const T *const below = (const T *)t.below + b * t.batch, *const middle = (const T *)t.middle + b * t.batch,
                *const above = (const T *)t.above + b * t.batch;
        T *const by = (T *)t.work + b * 5 * t.n, *const u = by + t.n, *const u1 = u + t.n, *const u2 = u1 + t.n, *const moved = u2 + t.n;
        A d = widen(middle[0], A{}), next = t.n > 1 ? widen(above[0], A{}) : A{};
        for (int64_t i = 0; i < t.n; i++) {
            const bool is_last = i + 1 == t.n;
            A l = is_last ? A{} : widen(below[(i + 1) * t.step], A{}), m = is_last ? A{} : widen(middle[(i + 1) * t.step], A{}),
              a = i + 2 < t.n ? widen(above[(i + 1) * t.step], A{}) : A{}, far = {};
            const bool swaps = length(l) > length(d);
            A first = d, first1 = next;
            if (swaps) { // the next row comes first
                first = l, first1 = m, far = a;
                l = d, m = next, a = A{};
            }
            const A f = is_last ? A{} : quotient(l, first);
            narrow(&by[i], f);
            narrow(&u[i], first);
            narrow(&u1[i], first1);
            narrow(&u2[i], far);
            narrow(&moved[i], number(swaps));
            d = minus(m, f, first1);
            next = swaps ? negative(product(f, far)) : a;
        }
    }
}
extern "C" __global__ void tridiagonal_solve(const tridiagonal t) {
    EACH(e, t.systems * t.sides) {
        const int64_t b = e / t.sides;
        T *const x = (T *)t.x + b * t.batch + e % t.sides * t.lead;
        const T *const by = (const T *)t.work + b * 5 * t.n, *const u = by + t.n, *const u1 = u + t.n, *const u2 = u1 + t.n, *const moved = u2 + t.n;
        A now = widen(x[0], A{});
        for (int64_t i = 0; i + 1 < t.n; i++) {
            A other = widen(x[(i + 1) * t.step], A{});
            if (!is_zero(widen(moved[i], A{}))) {
                const A old = now;
                now = other;
                other = old;
            }
            narrow(&x[i * t.step], now);
            now = minus(other, widen(by[i], A{}), now);
        }
        A after = {}, after2 = {};
        for (int64_t i = t.n - 1; i >= 0; i--) {
            A v = i + 1 == t.n ? now : widen(x[i * t.step], A{});
            v = minus(v, widen(u1[i], A{}), after);
            v = minus(v, widen(u2[i], A{}), after2);
            v = quotient(v, widen(u[i], A{}));
            narrow(&x[i * t.step], v);
            after2 = after;
            after = v;
        }
    }
}
