// Parts of factorisations: panels of LU, Cholesky and Householder's QR, triangles solved, reflections applied, Jacobi's rotations
// for eigenvalues and singular values. The host (dense.c) goes from panel to panel and leaves products to gemm.cu. The file is
// compiled once for each type: ELEMENT, and REAL of its parts. Names follow LAPACK's where those are shorter than a sentence.
#include "element.h"

enum { B = DENSE_BLOCK };

// ---- LU -------------------------------------------------------------------------------------------------
// A panel of `count` columns from `from` on, of an m x n matrix: rows are exchanged in the panel only. The pivot is the largest
// |re| + |im| of its column, the first of equals, as in LAPACK's i?amax.
extern "C" __global__ __launch_bounds__(THREADS) void lu_panel(const dense d) {
    __shared__ R best[THREADS];
    __shared__ int where[THREADS];
    T *const a = at(d.a);
    int32_t *const pivots = at(d.pivots), *const info = at(d.info);
    const int64_t lead = d.a.lead;
    if (d.from == 0 && thread_x == 0) *info = 0;
    for (int j = d.from; j < d.from + d.count; j++) {
        barrier();
        int pivot = j;
        if (pivots) {
            R most = -1;
            int row = j;
            OF_BLOCK(i, j, d.m) {
                const T x = a[i + j * lead];
                const R s = size(re(x)) + size(im(x));
                if (s > most) most = s, row = i;
            }
            best[thread_x] = most;
            where[thread_x] = row;
            barrier();
            for (int half = THREADS / 2; half; half /= 2) {
                if (thread_x < half) {
                    const int o = thread_x + half;
                    if (best[o] > best[thread_x] || (best[o] == best[thread_x] && where[o] < where[thread_x]))
                        best[thread_x] = best[o], where[thread_x] = where[o];
                }
                barrier();
            }
            pivot = where[0];
            if (thread_x == 0) pivots[j] = pivot + 1;
            if (pivot != j) {
                OF_BLOCK(c, d.from, d.from + d.count) {
                    const T x = a[j + c * lead];
                    a[j + c * lead] = a[pivot + c * lead];
                    a[pivot + c * lead] = x;
                }
                barrier();
            }
        }
        const T p = a[j + j * lead];
        if (is_zero(p)) {
            if (thread_x == 0 && *info == 0) *info = j + 1;
            continue;
        }
        OF_BLOCK(i, j + 1, d.m) a[i + j * lead] = a[i + j * lead] / p;
        barrier();
        const int rows = d.m - j - 1, columns = d.from + d.count - j - 1;
        OF_BLOCK(e, 0, rows * columns) {
            const int i = j + 1 + e % rows, c = j + 1 + e / rows;
            a[i + c * lead] = a[i + c * lead] - a[i + j * lead] * a[j + c * lead];
        }
    }
}
// Exchanges rows as pivots `from` to `from + count` say, forward or backward, in n columns of a; columns k to m - 1 are left out.
extern "C" __global__ void swap_rows(const dense d) {
    T *const a = at(d.a);
    const int32_t *const pivots = at(d.pivots);
    const int c = block_x * threads_x + thread_x;
    if (c >= d.n || (c >= d.k && c < d.m)) return;
    for (int e = 0; e < d.count; e++) {
        const int i = d.is_backward ? d.from + d.count - 1 - e : d.from + e, o = pivots[i] - 1;
        if (o == i) continue;
        const T x = a[i + c * d.a.lead];
        a[i + c * d.a.lead] = a[o + c * d.a.lead];
        a[o + c * d.a.lead] = x;
    }
}

// ---- Cholesky -------------------------------------------------------------------------------------------
// The block of `count` columns at `from` on the diagonal, in place.
extern "C" __global__ __launch_bounds__(THREADS) void cholesky_block(const dense d) {
    __shared__ T l[B][B + 1];
    __shared__ int bad;
    T *const a = at(d.a) + d.from + d.from * d.a.lead;
    int32_t *const info = at(d.info);
    if (thread_x == 0) {
        if (d.from == 0) *info = 0;
        bad = *info;
    }
    barrier();
    if (bad) return;
    OF_BLOCK(e, 0, d.count * d.count) {
        const int i = e % d.count, j = e / d.count;
        if (i >= j) l[i][j] = d.is_upper ? conj(a[j + i * d.a.lead]) : a[i + j * d.a.lead];
    }
    barrier();
    for (int j = 0; j < d.count; j++) {
        const R p = re(l[j][j]);
        if (!(p > 0)) {
            if (thread_x == 0) *info = d.from + j + 1;
            break;
        }
        barrier();
        const R s = root(p);
        OF_BLOCK(i, j, d.count) l[i][j] = i == j ? real(s) : (1 / s) * l[i][j];
        barrier();
        const int rest = d.count - j - 1;
        OF_BLOCK(e, 0, rest * rest) {
            const int i = j + 1 + e % rest, k = j + 1 + e / rest;
            if (i >= k) l[i][k] = l[i][k] - l[i][j] * conj(l[k][j]);
        }
        barrier();
    }
    barrier();
    OF_BLOCK(e, 0, d.count * d.count) {
        const int i = e % d.count, j = e / d.count;
        if (i < j) continue;
        if (d.is_upper)
            a[j + i * d.a.lead] = conj(l[i][j]);
        else
            a[i + j * d.a.lead] = l[i][j];
    }
}

// ---- triangles ------------------------------------------------------------------------------------------
// Solves t x = b for a triangle of `count` rows, a thread for each of n right-hand sides.
enum { SIDES = 32 };
extern "C" __global__ __launch_bounds__(SIDES) void solve_block(const dense d) {
    __shared__ T t[B][B + 1];
    __shared__ T x[B][SIDES];
    const T *const a = at(d.a);
    T *const b = at(d.b);
    for (int e = thread_x; e < d.count * d.count; e += SIDES) {
        const int i = e % d.count, k = e / d.count;
        if (d.is_forward ? i >= k : i <= k) t[i][k] = conjugate(a[i * d.a_i + k * d.a_k], d.is_conj);
    }
    barrier();
    const int j = block_x * SIDES + thread_x;
    if (j >= d.n) return;
    for (int e = 0; e < d.count; e++) {
        const int i = d.is_forward ? e : d.count - 1 - e;
        T s = b[i * d.b_i + j * d.b_j];
        for (int o = 0; o < e; o++) {
            const int k = d.is_forward ? o : d.count - 1 - o;
            s = s - t[i][k] * x[k][thread_x];
        }
        if (!d.is_unit) s = s / t[i][i];
        x[i][thread_x] = s;
        b[i * d.b_i + j * d.b_j] = s;
    }
}

// ---- symmetric matrices that are not definite ------------------------------------------------------------
// Bunch and Kaufman's factors L D L^T (no conjugates) of one triangle, as LAPACK's ?sytf2 leaves them: one block, a column (or two)
// after the other. An upper triangle is a lower one whose rows and columns are counted from the end. Pivots count from 1 on;
// negative ones, two of a kind, belong to a square of two. Without pivots rows stay where they are.
extern "C" __global__ __launch_bounds__(THREADS) void symmetric_factors(const dense d) {
    const triangle a = {at(d.a), d.a.lead, d.n, d.is_upper != 0};
    int32_t *const pivots = at(d.pivots), *const info = at(d.info);
    const R share = (R)0.6403882032022076; // (1 + sqrt(17)) / 8
    const int n = d.n;
    int first_zero = 0;
    for (int k = 0, step = 1; k < n; k += step) {
        step = 1;
        int other = k; // the row that changes places
        const R here = magnitude(a(k, k));
        candidate mine = {-1, n};
        if (pivots) OF_BLOCK(i, k + 1, n) {
                const R s = magnitude(a(i, k));
                if (s > mine.size || (s == mine.size && a.at(i) < mine.at)) mine = candidate{s, a.at(i)};
            }
        const candidate column = block_largest(mine);
        const bool is_zero_column = larger(here, column.size) == 0 || here != here;
        if (is_zero_column) {
            if (!first_zero) first_zero = a.number(k);
        } else if (here < share * column.size) {
            const int most = a.at(column.at); // .at: as LAPACK counts, where equals are told apart
            mine = candidate{-1, n};
            OF_BLOCK(j, k, n) {
                if (j == most) continue;
                const R s = magnitude(j < most ? a(most, j) : a(j, most));
                if (s > mine.size) mine = candidate{s, j};
            }
            const R row = block_largest(mine).size;
            if (here < share * column.size * (column.size / row)) {
                other = most;
                if (magnitude(a(most, most)) < share * row) step = 2;
            }
        }
        const int last = k + step - 1;
        barrier();
        if (other != last) {
            OF_BLOCK(i, other + 1, n) exchange(a(i, last), a(i, other));
            OF_BLOCK(i, last + 1, other) exchange(a(i, last), a(other, i));
            if (thread_x == 0) {
                exchange(a(last, last), a(other, other));
                if (step == 2) exchange(a(k + 1, k), a(other, k));
            }
        }
        barrier();
        if (thread_x == 0 && pivots) {
            const int number = a.number(other);
            pivots[a.at(k)] = step == 1 ? number : -number;
            if (step == 2) pivots[a.at(k + 1)] = -number;
        }
        if (is_zero_column) continue;
        const int rest = n - k - step;
        if (step == 1) {
            const T by = real(1) / a(k, k);
            for (int64_t e = thread_x; e < (int64_t)rest * rest; e += threads_x) {
                const int i = (int)(e % rest) + k + 1, j = (int)(e / rest) + k + 1;
                if (i >= j) a(i, j) = a(i, j) - a(i, k) * (by * a(j, k));
            }
            barrier();
            OF_BLOCK(i, k + 1, n) a(i, k) = by * a(i, k);
        } else if (rest) {
            const T d21 = a(k + 1, k), d11 = a(k + 1, k + 1) / d21, d22 = a(k, k) / d21, by = real(1) / (d11 * d22 - real(1)) / d21;
            for (int64_t e = thread_x; e < (int64_t)rest * rest; e += threads_x) {
                const int i = (int)(e % rest) + k + 2, j = (int)(e / rest) + k + 2;
                if (i < j) continue;
                const T w = by * (d11 * a(j, k) - a(j, k + 1)), v = by * (d22 * a(j, k + 1) - a(j, k));
                a(i, j) = a(i, j) - a(i, k) * w - a(i, k + 1) * v;
            }
            barrier();
            OF_BLOCK(j, k + 2, n) {
                const T w = by * (d11 * a(j, k) - a(j, k + 1)), v = by * (d22 * a(j, k + 1) - a(j, k));
                a(j, k) = w;
                a(j, k + 1) = v;
            }
        }
        barrier();
    }
    if (thread_x == 0) *info = first_zero;
}
// Solves with those factors for one column of b (a block each), which ends in its place.
extern "C" __global__ __launch_bounds__(THREADS) void symmetric_solve(const dense d) {
    const triangle a = {at(d.a), d.a.lead, d.n, d.is_upper != 0};
    const int32_t *const pivots = at(d.pivots);
    T *const column = at(d.b) + block_x * d.b.lead;
    const int n = d.n;
#define X(i) column[a.at(i)]
    for (int k = 0; k < n;) {
        const int pivot = pivots ? pivots[a.at(k)] : a.number(k), step = pivot > 0 ? 1 : 2, last = k + step - 1;
        const int other = a.row(pivot > 0 ? pivot : -pivot);
        if (thread_x == 0 && other != last) exchange(X(last), X(other));
        barrier();
        const T x = X(k), y = X(last);
        OF_BLOCK(i, last + 1, n) {
            X(i) = X(i) - a(i, k) * x;
            if (step == 2) X(i) = X(i) - a(i, last) * y;
        }
        barrier();
        if (thread_x == 0 && step == 1) X(k) = x / a(k, k);
        if (thread_x == 0 && step == 2) {
            const T off = a(last, k), p = a(k, k) / off, q = a(last, last) / off, by = p * q - real(1), u = x / off, v = y / off;
            X(k) = (q * u - v) / by;
            X(last) = (p * v - u) / by;
        }
        barrier();
        k += step;
    }
    for (int k = n - 1; k >= 0;) {
        const int pivot = pivots ? pivots[a.at(k)] : a.number(k), step = pivot > 0 ? 1 : 2, first = k - step + 1;
        T mine = real(0), second = real(0);
        OF_BLOCK(i, k + 1, n) {
            mine = mine + a(i, k) * X(i);
            second = second + a(i, first) * X(i);
        }
        const T sum = block_total(mine), sum_first = block_total(second);
        barrier();
        if (thread_x == 0) {
            X(k) = X(k) - sum;
            if (step == 2) X(first) = X(first) - sum_first;
            const int other = a.row(pivot > 0 ? pivot : -pivot);
            if (other != k) exchange(X(k), X(other));
        }
        barrier();
        k -= step;
    }
#undef X
}
// One triangle of c becomes that of a.
extern "C" __global__ void copy_triangle(const dense d) {
    const T *const a = at(d.a);
    T *const c = at(d.c);
    ELEMENTS(e, (int64_t)d.n * d.n) {
        const int64_t i = e % d.n, j = e / d.n;
        if (d.is_upper ? i <= j : i >= j) c[i + j * d.c.lead] = a[i + j * d.a.lead];
    }
}

// ---- Householder ----------------------------------------------------------------------------------------
// Column `from` of an m x n matrix becomes beta and the reflection's vector, of which the first element is one (?larfg).
extern "C" __global__ __launch_bounds__(THREADS) void reflect(const dense d) {
    const int j = d.from;
    T *const a = at(d.a) + j * d.a.lead, *const tau = at(d.tau);
    const R by = balance(a + j, d.m - j, 1, d.m);
    double mine = 0;
    OF_BLOCK(i, j + 1, d.m) {
        const T x = real(by) * a[i];
        mine += (double)re(x) * re(x) + (double)im(x) * im(x);
    }
    const double below = block_sum(mine);
    const T alpha = real(by) * a[j];
    const R norm = (R)root((double)re(alpha) * re(alpha) + (double)im(alpha) * im(alpha) + below);
    if ((below == 0 && im(alpha) == 0) || norm < smallest()) { // nothing to turn, or nothing that can be divided by
        if (thread_x == 0) tau[j] = T{};
        return;
    }
    const R beta = re(alpha) >= 0 ? -norm : norm;
    const T scale = real(1) / (alpha - real(beta));
    OF_BLOCK(i, j + 1, d.m) a[i] = scale * (real(by) * a[i]);
    barrier();
    if (thread_x == 0) {
        tau[j] = make(T{}, (beta - re(alpha)) / beta, -im(alpha) / beta);
        a[j] = real(beta / by);
    }
}
// The column behind it that is the block's: minus conj(tau) v (v^H a).
extern "C" __global__ __launch_bounds__(THREADS) void apply_reflection(const dense d) {
    const int j = d.from;
    const T *const v = at(d.a) + j * d.a.lead, tau = at(d.tau)[j];
    T *const a = at(d.a) + (j + 1 + block_x) * d.a.lead;
    T mine = {};
    OF_BLOCK(i, j, d.m) mine = mine + (i == j ? a[i] : conj(v[i]) * a[i]);
    const T w = conj(tau) * block_total(mine);
    OF_BLOCK(i, j, d.m) a[i] = a[i] - (i == j ? w : v[i] * w);
}
// k reflections of a, applied to columns of c (m x n) from the left, or to rows of it from the right; each block has one.
extern "C" __global__ __launch_bounds__(THREADS) void apply_reflections(const dense d) {
    const T *const a = at(d.a), *const tau = at(d.tau);
    T *const c = at(d.c) + (d.is_right ? block_x : block_x * d.c.lead);
    const int64_t step = d.is_right ? d.c.lead : 1;
    const int length = d.is_right ? d.n : d.m;
    for (int e = 0; e < d.k; e++) {
        const int r = d.is_forward ? e : d.k - 1 - e;
        const T *const v = a + r * d.a.lead, t = conjugate(tau[r], d.is_conj);
        T mine = {};
        OF_BLOCK(i, r, length) {
            const T x = c[i * step];
            mine = mine + (i == r ? x : d.is_right ? x * v[i] : conj(v[i]) * x);
        }
        const T w = t * block_total(mine);
        OF_BLOCK(i, r, length) c[i * step] = c[i * step] - (i == r ? w : d.is_right ? w * conj(v[i]) : v[i] * w);
        barrier();
    }
}

// ---- elements -------------------------------------------------------------------------------------------
extern "C" __global__ void set_identity(const dense d) {
    T *const c = at(d.c);
    ELEMENTS(e, (int64_t)d.m * d.n) {
        const int64_t i = e % d.m, j = e / d.m;
        c[i + j * d.c.lead] = real(i == j);
    }
}
extern "C" __global__ void scale_all(const dense d) {
    T *const b = at(d.b);
    const T alpha = factor(T{}, d.alpha, d.alpha_at, false);
    ELEMENTS(e, (int64_t)d.m * d.n) {
        T *const x = &b[e % d.m + e / d.m * d.b.lead];
        *x = is_zero(alpha) ? T{} : alpha * *x;
    }
}
// c = a (m x n), or its conjugate transposed where is_conj.
extern "C" __global__ void copy_matrix(const dense d) {
    const T *const a = at(d.a);
    T *const c = at(d.c);
    ELEMENTS(e, (int64_t)d.m * d.n) {
        const int64_t i = e % d.m, j = e / d.m;
        c[d.is_conj ? j + i * d.c.lead : i + j * d.c.lead] = conjugate(a[i + j * d.a.lead], d.is_conj);
    }
}
// c = a (m x n), each column times its one of `values`.
extern "C" __global__ void scale_columns(const dense d) {
    const T *const a = at(d.a);
    T *const c = at(d.c);
    ELEMENTS(e, (int64_t)d.m * d.n) {
        const int64_t i = e % d.m, j = e / d.m;
        c[i + j * d.c.lead] = real(reals(d.values)[j]) * a[i + j * d.a.lead];
    }
}
// The other triangle of a Hermitian matrix, from the one that holds it.
extern "C" __global__ void fill_triangle(const dense d) {
    T *const a = at(d.a);
    ELEMENTS(e, (int64_t)d.n * d.n) {
        const int64_t i = e % d.n, j = e / d.n;
        if (i == j)
            a[i + j * d.a.lead] = real(re(a[i + j * d.a.lead]));
        else if (d.is_upper ? i > j : i < j)
            a[i + j * d.a.lead] = conj(a[j + i * d.a.lead]);
    }
}

// ---- Jacobi ---------------------------------------------------------------------------------------------
// The rotation J = ((c, s), (-s f, c f)), f = conj(g) / |g|, that makes ((a, g), (conj(g), b)) diagonal: columns p and q become
// c p - s f q and s p + c f q. None where g is denormal: its f would not be of length one, and the rotation would scale q.
struct rotation {
    R c, s;
    T f;
};
DEVICE rotation rotation_of(R a, R b, T g) {
    const R size_g = absolute(g);
    if (size_g < smallest()) return {1, 0, real(1)};
    const R tau = (b - a) / (2 * size_g);
    const R t = (tau >= 0 ? 1 : -1) / (size(tau) + root(1 + tau * tau)), c = 1 / root(1 + t * t);
    return {c, t * c, (1 / size_g) * conj(g)};
}
DEVICE void turn(const rotation &r, T *p, T *q) {
    const T x = *p, y = r.f * *q;
    *p = r.c * x - r.s * y;
    *q = r.s * x + r.c * y;
}
// Pair `i` of a round of all columns with each other once in n - 1 rounds (n even): the last one stays, the others turn.
DEVICE void pair_of(int n, int round, int i, int *p, int *q) {
    const int turns = n - 1;
    int x = i == 0 ? n - 1 : (round + i) % turns, y = (round + turns - i) % turns;
    *p = x < y ? x : y;
    *q = x < y ? y : x;
}
enum { SWEEPS = 40 };
// Eigenvalues of a Hermitian matrix a of n rows, and its vectors in b; rotations of a round lie in c. A block for each matrix.
extern "C" __global__ __launch_bounds__(THREADS) void jacobi_eigen(const dense d) {
    T *const a = at(d.a), *const v = at(d.b);
    rotation *const turns = (rotation *)at(d.c);
    const int n = d.n, even = (n + 1) / 2 * 2, pairs = even / 2;
    const int64_t lead = d.a.lead, lead_v = d.b.lead;
    int32_t *const info = at(d.info);
    const R by = balance(a, n, n, lead);
    multiply_all(a, n, n, lead, by);
    double mine = 0;
    OF_BLOCK(e, 0, n * n) mine += (double)square(a[e % n + e / n * lead]);
    const double all = block_sum(mine);
    int sweep = 0;
    for (; sweep < SWEEPS; sweep++) {
        mine = 0;
        OF_BLOCK(e, 0, n * n) if (e % n != e / n) mine += (double)square(a[e % n + e / n * lead]);
        if (block_sum(mine) <= all * rounding() * rounding()) break;
        for (int round = 0; round < even - 1; round++) {
            OF_BLOCK(i, 0, pairs) {
                int p, q;
                pair_of(even, round, i, &p, &q);
                turns[i] = {1, 0, real(1)};
                if (q < n && !is_zero(a[p + q * lead])) turns[i] = rotation_of(re(a[p + p * lead]), re(a[q + q * lead]), a[p + q * lead]);
            }
            barrier();
            OF_BLOCK(e, 0, pairs * n) {
                int p, q;
                pair_of(even, round, e / n, &p, &q);
                if (q >= n || turns[e / n].s == 0) continue;
                turn(turns[e / n], &a[e % n + p * lead], &a[e % n + q * lead]);
                if (d.has_vectors) turn(turns[e / n], &v[e % n + p * lead_v], &v[e % n + q * lead_v]);
            }
            barrier();
            OF_BLOCK(e, 0, pairs * n) {
                int p, q;
                pair_of(even, round, e / n, &p, &q);
                if (q >= n || turns[e / n].s == 0) continue;
                rotation r = turns[e / n];
                r.f = conj(r.f);
                turn(r, &a[p + e % n * lead], &a[q + e % n * lead]);
            }
            barrier();
            OF_BLOCK(i, 0, pairs) {
                int p, q;
                pair_of(even, round, i, &p, &q);
                if (q >= n || turns[i].s == 0) continue;
                a[p + q * lead] = a[q + p * lead] = T{};
                a[p + p * lead] = real(re(a[p + p * lead]));
                a[q + q * lead] = real(re(a[q + q * lead]));
            }
            barrier();
        }
    }
    multiply_all(a, n, n, lead, 1 / by);
    if (thread_x == 0 && info) *info = sweep < SWEEPS && all - all == 0 ? 0 : n; // a matrix that has what is no number has no values
}
// Columns of a (m x n, m >= n) become orthogonal; the product of the rotations is multiplied into b (n x n). A team of 32 threads
// has a pair of columns. What of an inner product is below the rounding of the whole matrix says nothing: columns that differ from
// others by rounding alone would turn for ever.
enum { TEAM = 32, TEAMS = THREADS / TEAM };
extern "C" __global__ __launch_bounds__(THREADS) void jacobi_columns(const dense d) {
    __shared__ R norms[2][THREADS];
    __shared__ T inner[THREADS];
    __shared__ int moved;
    T *const a = at(d.a), *const v = at(d.b);
    const int n = d.n, even = (n + 1) / 2 * 2, pairs = even / 2, team = thread_x / TEAM, lane = thread_x % TEAM;
    int32_t *const info = at(d.info);
    enum { LATE = 10 }; // by then columns of a matrix of full rank have nearly come to rest
    const R by = balance(a, d.m, n, d.a.lead);
    multiply_all(a, d.m, n, d.a.lead, by);
    double mine = 0;
    OF_BLOCK(e, 0, d.m * n) mine += (double)square(a[e % d.m + e / d.m * d.a.lead]);
    const double noise = block_sum(mine) * rounding() * rounding();
    int sweep = 0;
    for (; sweep < SWEEPS; sweep++) {
        barrier();
        if (thread_x == 0) moved = 0;
        barrier();
        for (int round = 0; round < even - 1; round++)
            for (int first = 0; first < pairs; first += TEAMS) {
                int p = 0, q = n;
                if (first + team < pairs) pair_of(even, round, first + team, &p, &q);
                T *const x = a + p * d.a.lead, *const y = a + q * d.a.lead;
                R aa = 0, bb = 0;
                T g = {};
                for (int i = lane; q < n && i < d.m; i += TEAM) {
                    aa += square(x[i]);
                    bb += square(y[i]);
                    g = g + conj(x[i]) * y[i];
                }
                norms[0][thread_x] = aa;
                norms[1][thread_x] = bb;
                inner[thread_x] = g;
                barrier();
                aa = bb = 0;
                g = T{};
                for (int i = 0; i < TEAM; i++) {
                    aa += norms[0][team * TEAM + i];
                    bb += norms[1][team * TEAM + i];
                    g = g + inner[team * TEAM + i];
                }
                const double floor = sweep < LATE ? noise : noise * n * d.m;
                if (q < n && absolute(g) > 4 * rounding() * root(aa) * root(bb) && absolute(g) > floor) {
                    moved = 1;
                    const rotation r = rotation_of(aa, bb, g);
                    for (int i = lane; i < d.m; i += TEAM) turn(r, &x[i], &y[i]);
                    for (int i = lane; i < n; i += TEAM) turn(r, &v[i + p * d.b.lead], &v[i + q * d.b.lead]);
                }
                barrier();
            }
        if (!moved) break;
    }
    multiply_all(a, d.m, n, d.a.lead, 1 / by);
    if (thread_x == 0 && info) *info = sweep < SWEEPS && noise - noise == 0 ? 0 : n + 1;
}
// Norms of n columns of a, to `values`.
extern "C" __global__ __launch_bounds__(THREADS) void column_norms(const dense d) {
    const T *const a = at(d.a) + block_x * d.a.lead;
    const R by = balance(a, d.m, 1, d.m);
    double mine = 0;
    OF_BLOCK(i, 0, d.m) mine += (double)square(real(by) * a[i]);
    const double sum = block_sum(mine);
    if (thread_x == 0) reals(d.values)[block_x] = (R)(root(sum) / by);
}
// The diagonal of a, to `values`.
extern "C" __global__ void take_diagonal(const dense d) {
    const T *const a = at(d.a);
    OF_BLOCK(i, 0, d.n) reals(d.values)[i] = re(a[i + i * d.a.lead]);
}
// Columns of a (m x n) in the order of their `values`, into c: descending where is_backward. Where there is room the values go to
// `sorted`.
extern "C" __global__ void sort_columns(const dense d) {
    const R *const s = reals(d.values);
    const int j = block_x;
    int rank = 0;
    for (int i = 0; i < d.n; i++) {
        const bool before = d.is_backward ? s[i] > s[j] : s[i] < s[j];
        rank += before || (s[i] == s[j] && i < j);
    }
    if (d.has_vectors) {
        const T *const a = at(d.a) + j * d.a.lead;
        T *const c = at(d.c) + rank * d.c.lead;
        OF_BLOCK(i, 0, d.m) c[i] = a[i];
    }
    if (d.sorted.at && thread_x == 0) reals(d.sorted)[rank] = s[j];
}
// Columns of c by the phases of the diagonal of a.
extern "C" __global__ void take_phases(const dense d) {
    const int j = block_x;
    const T x = at(d.a)[j + j * d.a.lead];
    const R s = absolute(x);
    if (s < smallest()) return; // of what cannot be divided by there is none
    const T f = (1 / s) * x;
    T *const c = at(d.c) + j * d.c.lead;
    OF_BLOCK(i, 0, d.m) c[i] = f * c[i];
}
