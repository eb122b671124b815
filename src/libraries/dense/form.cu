// Householder's forms of a matrix, a column (or a row) at a time: Hessenberg's, tridiagonal, bidiagonal. The host (form.c) goes from
// column to column. Reflections are LAPACK's, I - tau v v^H, whose first element of v is one and is stored nowhere.
#include "element.h"

// A reflection that leaves beta of the `n` elements at a, `a_i` apart: beta and the rest of its vector take their place (?larfg).
// Where is_row, the elements are a row's: what is reflected is its adjoint.
extern "C" __global__ __launch_bounds__(THREADS) void reflect_line(const dense d) {
    T *const a = at(d.a), *const tau = at(d.tau) + d.from;
    const R by = balance(a, 1, d.n, d.a_i);
    double mine = 0;
    OF_BLOCK(i, 1, d.n) mine += (double)square(real(by) * a[i * d.a_i]);
    const double rest = block_sum(mine);
    const T alpha = conjugate(real(by) * a[0], d.is_row);
    const R norm = (R)root((double)square(alpha) + rest);
    if ((rest == 0 && im(alpha) == 0) || norm < smallest()) { // nothing to turn, or nothing that can be divided by
        if (thread_x == 0) *tau = T{};
        return;
    }
    const R beta = re(alpha) >= 0 ? -norm : norm;
    const T scale = conjugate(real(1) / (alpha - real(beta)), d.is_row);
    OF_BLOCK(i, 1, d.n) a[i * d.a_i] = scale * (real(by) * a[i * d.a_i]);
    barrier();
    if (thread_x == 0) {
        *tau = make(T{}, (beta - re(alpha)) / beta, -im(alpha) / beta);
        a[0] = real(beta / by);
    }
}

// The rows of c (m x n) times that reflection, from the right: 32 rows a block, each by eight threads.
enum { ROWS = 32, SHARES = THREADS / ROWS };
extern "C" __global__ __launch_bounds__(THREADS) void reflect_rows(const dense d) {
    __shared__ T held[THREADS];
    const T *const v = at(d.a), tau = at(d.tau)[d.from];
    const int i = block_x * ROWS + thread_x % ROWS, share = thread_x / ROWS;
    T *const c = at(d.c) + i;
    const bool is_there = i < d.m;
    T mine = {};
    for (int j = share; is_there && j < d.n; j += SHARES)
        mine = mine + (j ? c[j * d.c.lead] * conjugate(v[j * d.a_i], d.is_row) : c[0]);
    held[thread_x] = mine;
    barrier();
    T w = {};
    for (int s = 0; s < SHARES; s++) w = w + held[s * ROWS + thread_x % ROWS];
    w = w * tau;
    for (int j = share; is_there && j < d.n; j += SHARES)
        c[j * d.c.lead] = c[j * d.c.lead] - (j ? w * conjugate(v[j * d.a_i], !d.is_row) : w);
}

// k reflections, applied to columns of c (m x n) from the left, or to rows of it from the right; each block has one. Element i of
// vector e lies at i a_i + e a_k; it is one at i = e + from, and nothing lies before that, or behind it where is_upper.
extern "C" __global__ __launch_bounds__(THREADS) void apply_lines(const dense d) {
    const T *const a = at(d.a), *const tau = at(d.tau);
    T *const c = at(d.c) + (d.is_right ? block_x : block_x * d.c.lead);
    const int64_t step = d.is_right ? d.c.lead : 1;
    const int length = d.is_right ? d.n : d.m;
    for (int t = 0; t < d.k; t++) {
        const int e = d.is_forward ? t : d.k - 1 - t, one = e + d.from, first = d.is_upper ? 0 : one, end = d.is_upper ? one + 1 : length;
        const T *const v = a + e * d.a_k;
        T mine = {};
        OF_BLOCK(i, first, end) {
            const T x = c[i * step];
            // from the left v^H x, from the right x v
            mine = mine + (i == one ? x : conjugate(v[i * d.a_i], !d.is_right != !!d.is_row) * x);
        }
        const T w = conjugate(tau[e], d.is_conj) * block_total(mine);
        OF_BLOCK(i, first, end) c[i * step] = c[i * step] - (i == one ? w : conjugate(v[i * d.a_i], !!d.is_right != !!d.is_row) * w);
        barrier();
    }
}

// ---- tridiagonal forms of Hermitian matrices --------------------------------------------------------------------
// Of one triangle of a Hermitian matrix, what lies behind column `from` is turned from both sides by the reflection of that column:
// b - v w^H - w v^H, w = p - (tau p^H v / 2) v, p = tau b v. `c` holds p, then w. Rows are counted as struct triangle counts them.
DEVICE triangle triangle_of(const dense &d) { return {at(d.a), d.a.lead, d.n, d.is_upper != 0}; }
DEVICE T reflection_at(const triangle &a, int i, int j) { return i == j + 1 ? real(1) : a(i, j); }
DEVICE T tau_of(const dense &d) { return at(d.tau)[d.is_upper ? d.n - 2 - d.from : d.from]; }

extern "C" __global__ __launch_bounds__(THREADS) void turn_product(const dense d) { // a block for each row
    const triangle a = triangle_of(d);
    const int j = d.from, i = j + 1 + block_x;
    T mine = {};
    OF_BLOCK(k, j + 1, d.n) {
        const T b = i == k ? real(re(a(i, i))) : i > k ? a(i, k) : conj(a(k, i));
        mine = mine + b * reflection_at(a, k, j);
    }
    const T sum = block_total(mine);
    if (thread_x == 0) at(d.c)[i] = tau_of(d) * sum;
}
extern "C" __global__ __launch_bounds__(THREADS) void turn_vector(const dense d) { // one block
    const triangle a = triangle_of(d);
    T *const p = at(d.c);
    const int j = d.from;
    T mine = {};
    OF_BLOCK(i, j + 1, d.n) mine = mine + conj(p[i]) * reflection_at(a, i, j);
    const T by = real((R)0.5) * (tau_of(d) * block_total(mine));
    OF_BLOCK(i, j + 1, d.n) p[i] = p[i] - by * reflection_at(a, i, j);
}
extern "C" __global__ __launch_bounds__(THREADS) void turn_both(const dense d) { // a block for each column
    const triangle a = triangle_of(d);
    const T *const w = at(d.c);
    const int j = d.from, k = j + 1 + block_x;
    const T v_k = conj(reflection_at(a, k, j)), w_k = conj(w[k]);
    OF_BLOCK(i, k, d.n) {
        const T b = (i == k ? real(re(a(i, i))) : a(i, k)) - reflection_at(a, i, j) * w_k - w[i] * v_k;
        a(i, k) = i == k ? real(re(b)) : b;
    }
}
// The line beside the diagonal: `values` gets it, and the diagonal goes to `sorted`. Element i of the line is that of a with
// row i + from and column i + count.
extern "C" __global__ void take_lines(const dense d) {
    const T *const a = at(d.a);
    ELEMENTS(i, d.n) {
        reals(d.sorted)[i] = re(a[i + i * d.a.lead]);
        if (i + 1 < d.n) reals(d.values)[i] = re(a[i + d.from + (i + d.count) * d.a.lead]);
    }
}
