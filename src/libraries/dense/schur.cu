// Eigenvalues and right vectors of matrices that are not Hermitian. The host (form.c) makes the Hessenberg form; here rows and columns
// are scaled, steps of the implicit QR method make it triangular (squares of two rows stay where a real matrix has a pair of complex
// eigenvalues), and the vectors of the triangle are found from the last row up. The method is Francis's with two shifts for real
// matrices, so that pairs are exactly conjugate, and with one of Wilkinson's for complex ones; a column counts as apart from the next
// by the rule of Ahues and Tisseur (LAPACK Working Note 122).
#include "element.h"

typedef complex_of<R> C; // of a real matrix, too
enum { IS_REAL = sizeof(T) == sizeof(R), BULGE = IS_REAL ? 3 : 2 };

DEVICE C wide(T x) { return {re(x), im(x)}; }
DEVICE R length(C x) {
    const R a = size(x.x), b = size(x.y), most = larger(a, b);
    if (most == 0) return 0;
    return most * root(a / most * (a / most) + b / most * (b / most));
}
DEVICE R sum_of(C x) { return size(x.x) + size(x.y); }
DEVICE C root(C x) {
    const R s = length(x);
    if (s == 0) return {0, 0};
    const R t = root((size(x.x) + s) / 2);
    if (x.x >= 0) return {t, x.y / (2 * t)};
    return {size(x.y) / (2 * t), x.y < 0 ? -t : t};
}
DEVICE R floor_of(int n) { return smallest() * n / rounding(); } // what counts as nothing in a matrix near 1

// ---- scaling ----------------------------------------------------------------------------------------------
// Powers of two make each row about as long as its column (Parlett and Reinsch). values: a factor for each row, then the one of all.
extern "C" __global__ __launch_bounds__(THREADS) void scale_similar(const dense d) {
    enum { PASSES = 20 };
    T *const a = at(d.a);
    R *const scale = reals(d.values);
    const int n = d.n;
    const int64_t lead = d.a.lead;
    const double most = sizeof(R) == 4 ? 1e30 : 1e280;
    const R by = balance(a, n, n, lead);
    multiply_all(a, n, n, lead, by);
    OF_BLOCK(i, 0, n) scale[i] = 1;
    if (thread_x == 0) scale[n] = by;
    for (int pass = 0, changed = 1; changed && pass < PASSES; pass++) {
        changed = 0;
        for (int i = 0; i < n; i++) {
            double column = 0, row = 0;
            OF_BLOCK(j, 0, n) {
                if (j == i) continue;
                column += (double)square(a[j + i * lead]);
                row += (double)square(a[i + j * lead]);
            }
            double c = root(block_sum(column)), r = root(block_sum(row)), f = 1;
            const double before = c + r;
            if (!(c > 0 && r > 0 && before - before == 0)) continue;
            while (c < r / 2) f *= 2, c *= 2, r /= 2;
            while (c >= r * 2) f /= 2, c /= 2, r *= 2;
            const double now = scale[i] * f;
            if (c + r >= 0.95 * before || !(now < most && now > 1 / most)) continue;
            changed = 1;
            barrier();
            OF_BLOCK(j, 0, n) {
                if (j == i) continue;
                a[j + i * lead] = real((R)f) * a[j + i * lead];
                a[i + j * lead] = real((R)(1 / f)) * a[i + j * lead];
            }
            if (thread_x == 0) scale[i] = (R)now;
            barrier();
        }
    }
}

// ---- steps ------------------------------------------------------------------------------------------------
// A reflection of two or three rows.
struct bulge {
    T v[BULGE], tau, beta;
    int count;
};
DEVICE void bulge_make(bulge *b, T *x, int count) {
    R most = 0;
    for (int i = 0; i < count; i++) most = larger(most, larger(size(re(x[i])), size(im(x[i]))));
    b->count = count;
    b->tau = T{};
    b->beta = x[0];
    for (int i = 0; i < count; i++) b->v[i] = real(i == 0);
    if (most < smallest()) return;
    R rest = 0;
    for (int i = 0; i < count; i++) {
        x[i] = make(T{}, re(x[i]) / most, im(x[i]) / most);
        if (i) rest += square(x[i]);
    }
    if (rest == 0 && im(x[0]) == 0) return;
    const R norm = root(square(x[0]) + rest), beta = re(x[0]) >= 0 ? -norm : norm;
    for (int i = 1; i < count; i++) b->v[i] = x[i] / (x[0] - real(beta));
    b->tau = make(T{}, (beta - re(x[0])) / beta, -im(x[0]) / beta);
    b->beta = real(beta * most);
}

// The first column of (h - s)(h - t) from row l on, up to a factor, for the eigenvalues s and t of the last square of rows l to hi; or
// of (h - s) for the one nearer to the last element. `unlike`: no eigenvalues, but numbers that break a circle.
enum unlike { USUAL, UNLIKE_FIRST, UNLIKE_LAST };
template <class U> DEVICE void first_column(const U *h, int64_t lead, int l, int hi, unlike kind, U *x) {
    U a = h[hi - 1 + (hi - 1) * lead], b = h[hi - 1 + hi * lead], c = h[hi + (hi - 1) * lead], e = h[hi + hi * lead];
    if (kind != USUAL) {
        const bool is_first = kind == UNLIKE_FIRST;
        const U s = is_first ? size(h[l + 1 + l * lead]) + size(h[l + 2 + (l + 1) * lead])
                             : size(h[hi + (hi - 1) * lead]) + size(h[hi - 1 + (hi - 2) * lead]);
        a = e = (U)0.75 * s + (is_first ? h[l + l * lead] : h[hi + hi * lead]);
        b = (U)-0.4375 * s;
        c = s;
    }
    const U all = size(a) + size(b) + size(c) + size(e);
    U s_re = 0, t_re = 0, both_im = 0;
    if (all > 0) {
        a /= all, b /= all, c /= all, e /= all;
        const U middle = (a + e) / 2, less = (a - middle) * (e - middle) - b * c, off = root(size(less));
        if (less >= 0)
            s_re = t_re = middle * all, both_im = off * all;
        else {
            const U s = middle + off, t = middle - off;
            s_re = t_re = (size(s - e) <= size(t - e) ? s : t) * all;
        }
    }
    const U h00 = h[l + l * lead], h10 = h[l + 1 + l * lead], h01 = h[l + (l + 1) * lead], h11 = h[l + 1 + (l + 1) * lead],
            h21 = h[l + 2 + (l + 1) * lead], by = size(h00 - t_re) + size(both_im) + size(h10), low = by > 0 ? h10 / by : 0;
    x[0] = by > 0 ? low * h01 + (h00 - s_re) * ((h00 - t_re) / by) + both_im * (both_im / by) : 0;
    x[1] = low * (h00 + h11 - s_re - t_re);
    x[2] = low * h21;
}
template <class U> DEVICE void first_column(const complex_of<U> *h, int64_t lead, int l, int hi, unlike kind, complex_of<U> *x) {
    typedef complex_of<U> V;
    const V a = h[hi - 1 + (hi - 1) * lead], b = h[hi - 1 + hi * lead], c = h[hi + (hi - 1) * lead], e = h[hi + hi * lead];
    V shift = e;
    if (kind == UNLIKE_FIRST)
        shift = h[l + l * lead] + V{(U)0.75 * sum_of(h[l + 1 + l * lead]), 0};
    else if (kind == UNLIKE_LAST)
        shift = e + V{(U)0.75 * sum_of(c), 0};
    else {
        const V half = (U)0.5 * (a - e);
        const U all = sum_of(half) + sum_of(b) + sum_of(c);
        if (all > 0) {
            const V p = (1 / all) * half, q = ((1 / all) * b) * ((1 / all) * c);
            V r = root(p * p + q);
            if (p.x * r.x + p.y * r.y < 0) r = -r;
            if (!is_zero(p + r)) shift = e - all * (q / (p + r));
        }
    }
    x[0] = h[l + l * lead] - shift;
    x[1] = h[l + 1 + l * lead];
}

// Whether row k is apart from the row above.
static __device__ bool is_apart(const T *h, int64_t lead, int k, int n, R floor) {
    const R low = magnitude(h[k + (k - 1) * lead]), high = magnitude(h[k - 1 + k * lead]), ulp = 2 * rounding();
    if (low <= floor) return true;
    const R here = magnitude(h[k + k * lead]), above = magnitude(h[k - 1 + (k - 1) * lead]);
    R around = here + above;
    if (around == 0) {
        if (k >= 2) around += size(re(h[k - 1 + (k - 2) * lead]));
        if (k + 1 < n) around += size(re(h[k + 1 + k * lead]));
    }
    if (low > ulp * around) return false;
    const R between = magnitude(h[k - 1 + (k - 1) * lead] - h[k + k * lead]), ab = larger(low, high), ba = low + high - ab,
            aa = larger(here, between), bb = here + between - aa, s = aa + ab;
    return ba * (ab / s) <= larger(floor, ulp * (bb * (aa / s)));
}

// A square of two rows from l on: a rotation that makes it triangular where its eigenvalues are real (c, s in turn[]), and those.
template <class U> DEVICE bool split(const U *h, int64_t lead, int l, U turn[2], C found[2]) {
    const U a = h[l + l * lead], b = h[l + (l + 1) * lead], c = h[l + 1 + l * lead], e = h[l + 1 + (l + 1) * lead];
    const U p = (a - e) / 2, most = larger(size(b), size(c)), least = (b < 0) == (c < 0) ? size(b) + size(c) - most : most - size(b) - size(c),
            by = larger(size(p), most), less = p / by * p + most / by * least;
    if (less < 0) {
        const U off = root(by) * root(-less);
        found[0] = {e + p, off};
        found[1] = {e + p, -off};
        return false;
    }
    const U z = p >= 0 ? p + root(by) * root(less) : p - root(by) * root(less), norm = length(C{z, c});
    turn[0] = z / norm;
    turn[1] = c / norm;
    found[0] = {e + z, 0};
    found[1] = {z == 0 ? e : e - most / z * least, 0};
    return true;
}
template <class U> DEVICE bool split(const complex_of<U> *, int64_t, int, U *, C *) { return false; }

static __device__ void apply_bulge(const bulge &b, T *h, int64_t lead, T *z, int64_t lead_z, int n, int k, int low, int first, int last) {
    OF_BLOCK(j, low, last + 1) {
        T *const x = h + k + j * lead;
        T w = x[0];
        for (int i = 1; i < b.count; i++) w = w + conj(b.v[i]) * x[i];
        w = conj(b.tau) * w;
        x[0] = x[0] - w;
        for (int i = 1; i < b.count; i++) x[i] = x[i] - b.v[i] * w;
    }
    barrier();
    const int end = k + b.count < last ? k + b.count : last; // no row below has anything there
    const int rows = end + 1 - first;
    OF_BLOCK(e, 0, rows + (z ? n : 0)) {
        T *const x = e < rows ? h + first + e + k * lead : z + (e - rows) + k * lead_z;
        const int64_t step = e < rows ? lead : lead_z;
        T w = x[0];
        for (int i = 1; i < b.count; i++) w = w + x[i * step] * b.v[i];
        w = b.tau * w;
        x[0] = x[0] - w;
        for (int i = 1; i < b.count; i++) x[i * step] = x[i * step] - w * conj(b.v[i]);
    }
    barrier();
}
static __device__ void apply_turn(const R turn[2], T *h, int64_t lead, T *z, int64_t lead_z, int n, int l, int first, int last) {
    const R c = turn[0], s = turn[1];
    OF_BLOCK(j, l, last + 1) {
        T *const x = h + l + j * lead;
        const T up = x[0], down = x[1];
        x[0] = real(c) * up + real(s) * down;
        x[1] = real(c) * down - real(s) * up;
    }
    barrier();
    const int rows = l + 2 - first;
    OF_BLOCK(e, 0, rows + (z ? n : 0)) {
        T *const x = e < rows ? h + first + e + l * lead : z + (e - rows) + l * lead_z;
        const int64_t step = e < rows ? lead : lead_z;
        const T left = x[0], right = x[step];
        x[0] = real(c) * left + real(s) * right;
        x[step] = real(c) * right - real(s) * left;
    }
    barrier();
}

// Eigenvalues of the Hessenberg matrix a (below it anything may lie), as pairs of real numbers in `values`; where has_vectors, a
// becomes the whole triangle and b is multiplied by what made it. info: 0, or how many eigenvalues at the front were not found.
extern "C" __global__ __launch_bounds__(THREADS) void schur_steps(const dense d) {
    enum { STEPS = 30, UNUSUAL = 10 }; // steps an eigenvalue at most, as LAPACK allows; each tenth one is unlike
    __shared__ bulge b;
    __shared__ R turn[2];
    __shared__ C pair[2];
    __shared__ int is_split;
    T *const h = at(d.a), *const z = d.has_vectors ? at(d.b) : nullptr;
    C *const found = (C *)reals(d.values);
    const int n = d.n;
    const int64_t lead = d.a.lead;
    const R floor = floor_of(n);
    double mine = 0;
    OF_BLOCK(e, 0, n * n) {
        const int i = e % n, j = e / n;
        T &x = h[i + j * lead];
        if (i > j + 1) x = T{};
        mine += (re(x) - re(x)) + (im(x) - im(x));
    }
    const double nothing = block_sum(mine); // 0, unless a part is no number
    int hi = n - 1;
    for (int steps = 0, all = 0, most = STEPS * larger(n, 10); nothing == 0 && hi >= 0 && all < most; steps++, all++) {
        mine = 0;
        OF_BLOCK(k, 1, hi + 1) if (is_apart(h, lead, k, n, floor)) mine = k;
        const int l = (int)block_most(mine), first = z ? 0 : l, last = z ? n - 1 : hi;
        if (thread_x == 0 && l > 0) h[l + (l - 1) * lead] = T{};
        barrier();
        if (l == hi) {
            if (thread_x == 0) found[hi] = wide(h[hi + hi * lead]);
            hi--, steps = -1;
            continue;
        }
        if (IS_REAL && l == hi - 1) {
            if (thread_x == 0) {
                is_split = split(h, lead, l, turn, pair);
                found[l] = pair[0];
                found[hi] = pair[1];
            }
            barrier();
            if (is_split) {
                apply_turn(turn, h, lead, z, d.b.lead, n, l, first, last);
                if (thread_x == 0) {
                    h[hi + l * lead] = T{};
                    h[l + l * lead] = real(pair[0].x);
                    h[hi + hi * lead] = real(pair[1].x);
                }
                barrier();
            }
            hi -= 2, steps = -1;
            continue;
        }
        const unlike kind = steps == 0 || steps % UNUSUAL ? USUAL : steps / UNUSUAL % 2 ? UNLIKE_FIRST : UNLIKE_LAST;
        for (int k = l; k < hi; k++) {
            if (thread_x == 0) {
                T x[BULGE];
                const int count = hi - k + 1 < BULGE ? hi - k + 1 : BULGE;
                if (k == l)
                    first_column(h, lead, l, hi, kind, x);
                else
                    for (int i = 0; i < count; i++) x[i] = h[k + i + (k - 1) * lead];
                bulge_make(&b, x, count);
                if (k > l) {
                    h[k + (k - 1) * lead] = b.beta;
                    for (int i = 1; i < count; i++) h[k + i + (k - 1) * lead] = T{};
                }
            }
            barrier();
            apply_bulge(b, h, lead, z, d.b.lead, n, k, k, first, z ? n - 1 : hi);
        }
    }
    OF_BLOCK(i, 0, hi + 1) found[i] = nothing == 0 ? wide(h[i + i * lead]) : C{(R)nothing, (R)nothing};
    if (thread_x == 0 && at(d.info)) *at(d.info) = hi + 1;
}

// ---- vectors ----------------------------------------------------------------------------------------------
// Where a vector lies: parts of a complex one beside each other, of a real matrix's pair in two columns.
struct vector {
    R *x, *y;
    int step;
    MEMBER C get(int i) const { return {x[i * step], y ? y[i * step] : 0}; }
    MEMBER void put(int i, C v) const {
        x[i * step] = v.x;
        if (y) y[i * step] = v.y;
    }
};
DEVICE vector vector_of(T *a, int64_t lead, int k, bool is_pair) {
    R *const x = (R *)(a + k * lead);
    if (!IS_REAL) return {x, x + 1, 2};
    return {x, is_pair ? (R *)(a + (k + 1) * lead) : nullptr, 1};
}
// A number that can be divided by.
DEVICE C at_least(C x, R floor) { return sum_of(x) < floor ? C{floor, 0} : x; }

// What a row, or a square of two rows, of the triangle says of a vector: y = by (t - w)^-1 s. `by` keeps y within bounds.
struct solved {
    C y[2];
    R by;
};
DEVICE R bound(C s, C divisor) {
    const R most = sizeof(R) == 4 ? (R)1e15 : (R)1e150, top = sum_of(s), low = sum_of(divisor);
    return top / most > low ? low * most / top : 1;
}
DEVICE void solve_one(solved *out, C t, C s, R floor) {
    const C e = at_least(t, floor);
    out->by = bound(s, e);
    out->y[0] = (out->by * s) / e;
}
// The largest element is the first pivot.
DEVICE void solve_two(solved *out, C e[2][2], C s[2], R floor) {
    int row = 0, column = 0;
    for (int i = 0; i < 4; i++)
        if (sum_of(e[i / 2][i % 2]) > sum_of(e[row][column])) row = i / 2, column = i % 2;
    const C p = at_least(e[row][column], floor), beside = e[row][1 - column], by = e[1 - row][column] / p,
            q = at_least(e[1 - row][1 - column] - by * beside, floor), rest = s[1 - row] - by * s[row];
    const R a = bound(rest, q), b = bound(s[row], p);
    out->by = a < b ? a : b;
    out->y[1 - column] = (out->by * rest) / q;
    out->y[column] = (out->by * s[row] - beside * out->y[1 - column]) / p;
}

// Vector block_x of the triangle a, in c, its largest part 1. Of a pair the first one is found: real part in its column, imaginary
// part in the next.
extern "C" __global__ __launch_bounds__(THREADS) void schur_vectors(const dense d) {
    __shared__ solved part;
    const T *const t = at(d.a);
    const int64_t lead = d.a.lead;
    const int n = d.n, k = block_x;
    const C w = ((const C *)reals(d.values))[k];
    if (IS_REAL && w.y < 0) return;
    const bool is_pair = IS_REAL && w.y > 0;
    const vector x = vector_of(at(d.c), d.c.lead, k, is_pair);
    const R floor = larger(2 * rounding() * sum_of(w), floor_of(n));
    C u = {1, 0}, v = {0, 0}; // the rows of the eigenvalue itself
    const int below = is_pair ? k + 1 : k;
    if (is_pair) {
        const R b = re(t[k + below * lead]), c = re(t[below + k * lead]);
        u = size(b) >= size(c) ? C{b, 0} : w - wide(t[below + below * lead]);
        v = size(b) >= size(c) ? w - wide(t[k + k * lead]) : C{c, 0};
        const R most = larger(sum_of(u), sum_of(v));
        u = {u.x / most, u.y / most};
        v = {v.x / most, v.y / most};
    }
    OF_BLOCK(i, 0, n) {
        C s = {0, 0};
        if (i == k) s = u;
        if (is_pair && i == below) s = v;
        if (i < k) s = -(wide(t[i + k * lead]) * u);
        if (i < k && is_pair) s = s - wide(t[i + below * lead]) * v;
        x.put(i, s);
    }
    barrier();
    for (int j = k - 1; j >= 0;) {
        const bool is_square = IS_REAL && j > 0 && !is_zero(t[j + (j - 1) * lead]);
        const int top = is_square ? j - 1 : j;
        if (thread_x == 0) {
            if (is_square) {
                C e[2][2], s[2] = {x.get(top), x.get(j)};
                for (int i = 0; i < 4; i++) e[i / 2][i % 2] = wide(t[top + i / 2 + (top + i % 2) * lead]);
                e[0][0] = e[0][0] - w;
                e[1][1] = e[1][1] - w;
                solve_two(&part, e, s, floor);
            } else
                solve_one(&part, wide(t[j + j * lead]) - w, x.get(j), floor);
        }
        barrier();
        const solved p = part;
        OF_BLOCK(i, 0, below + 1) {
            C s = p.by * x.get(i);
            if (i < top) {
                s = s - wide(t[i + top * lead]) * p.y[0];
                if (is_square) s = s - wide(t[i + j * lead]) * p.y[1];
            } else if (i <= j)
                s = p.y[i - top];
            x.put(i, s);
        }
        barrier();
        j = top - 1;
    }
    double mine = 0;
    OF_BLOCK(i, 0, below + 1) {
        const C s = x.get(i);
        mine = larger(mine, (double)larger(size(s.x), size(s.y)));
    }
    const R most = (R)block_most(mine);
    OF_BLOCK(i, 0, below + 1) {
        const C s = x.get(i);
        x.put(i, C{s.x / most, s.y / most});
    }
}

// Vector block_x in c, and its eigenvalue, become those of the matrix as it was before scale_similar: of length 1, the largest element
// real. Eigenvalues (`values`) go to `sorted`, `b_i` real numbers apart, imaginary parts `b_j` behind the real ones. Factors lie at pivots.
extern "C" __global__ __launch_bounds__(THREADS) void schur_finish(const dense d) {
    const int n = d.n, k = block_x;
    const C w = ((const C *)reals(d.values))[k];
    const R *const scale = reals(d.pivots), by = scale[n];
    if (thread_x == 0) {
        R *const out = reals(d.sorted) + k * d.b_i;
        out[0] = w.x / by;
        out[d.b_j] = w.y / by;
    }
    if (!d.has_vectors || (IS_REAL && w.y < 0)) return;
    const bool is_pair = IS_REAL && w.y > 0;
    const vector x = vector_of(at(d.c), d.c.lead, k, is_pair);
    double mine = 0;
    OF_BLOCK(i, 0, n) {
        const C s = scale[i] * x.get(i);
        x.put(i, s);
        mine = larger(mine, (double)larger(size(s.x), size(s.y)));
    }
    const R most = (R)block_most(mine);
    double sum = 0;
    candidate best = {0, n};
    OF_BLOCK(i, 0, n) {
        C s = x.get(i);
        s = {s.x / most, s.y / most};
        x.put(i, s);
        const R q = s.x * s.x + s.y * s.y;
        sum += (double)q;
        if (q > best.size) best = {q, i};
    }
    const R norm = (R)root(block_sum(sum));
    const int real_at = block_largest(best).at;
    C f = {1, 0};
    if (real_at < n && x.y) {
        const C s = x.get(real_at);
        const R l = length(s);
        f = {s.x / l, -s.y / l};
    }
    barrier();
    OF_BLOCK(i, 0, n) {
        C s = x.y ? f * x.get(i) : x.get(i);
        if (i == real_at && x.y) s.y = 0;
        x.put(i, {s.x / norm, s.y / norm});
    }
}
