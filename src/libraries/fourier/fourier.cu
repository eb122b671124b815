// Fourier transforms: T. G. Stockham's order, in which each pass reads with one stride and writes with another and nothing is
// left to sort; radices 2, 3, 4, 5 and 7. A short line goes through all passes in shared memory (`line`), a long one through
// memory (`gather`, `pass`..., `scatter`). A length with another prime factor is a convolution with a chirp (L. I. Bluestein):
// gather and scatter multiply by it, and `multiply` is the convolution. The file is compiled for float and double: REAL, HELD.
#include "../blas/device.h"
#include "call.h"

typedef REAL real;
typedef complex_of<REAL> element;

#define EACH(i, count) for (uint64_t i = (uint64_t)block_x * (uint64_t)threads_x + (uint64_t)thread_x; i < (count); i += (uint64_t)blocks_x * (uint64_t)threads_x)

static __device__ inline element times(element a, element b) { return element{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
static __device__ inline element plus(element a, element b) { return element{a.x + b.x, a.y + b.y}; }
static __device__ inline element minus(element a, element b) { return element{a.x - b.x, a.y - b.y}; }

// ---- elements in memory -----------------------------------------------------------------------------
static __device__ inline int64_t start(const fourier_call &c, const fourier_side &s, uint64_t line) {
    const uint64_t l = c.first + line, inner = l / (uint64_t)c.extent[2];
    return (int64_t)(l % (uint64_t)c.extent[2]) * s.step[2] + (int64_t)(inner % (uint64_t)c.extent[1]) * s.step[1] +
           (int64_t)(inner / (uint64_t)c.extent[1]) * s.step[0];
}
// A number, or an element of two, at a place that is counted in either.
DEVICE real number_at(const fourier_side &s, int64_t i) {
    if (s.width == FOURIER_F16) return (real)widen(((const f16 *)s.at)[i], 0.f);
    if (s.width == FOURIER_BF16) return (real)widen(((const bf16 *)s.at)[i], 0.f);
    return ((const real *)s.at)[i];
}
DEVICE void put_number(const fourier_side &s, int64_t i, real x) {
    if (s.width == FOURIER_F16)
        narrow(&((f16 *)s.at)[i], (float)x);
    else if (s.width == FOURIER_BF16)
        narrow(&((bf16 *)s.at)[i], (float)x);
    else
        ((real *)s.at)[i] = x;
}
DEVICE element element_at(const fourier_side &s, int64_t i) {
    if (s.width == FOURIER_OWN) return ((const element *)s.at)[i];
    return element{number_at(s, 2 * i), number_at(s, 2 * i + 1)};
}
DEVICE void put_element(const fourier_side &s, int64_t i, element x) {
    if (s.width == FOURIER_OWN) {
        ((element *)s.at)[i] = x;
        return;
    }
    put_number(s, 2 * i, x.x);
    put_number(s, 2 * i + 1, x.y);
}
DEVICE element conjugated(element x) { return element{x.x, -x.y}; }

static __device__ inline element load(const fourier_call &c, uint64_t line, uint64_t k) {
    const int64_t from = start(c, c.in, line), stride = c.in.stride;
    if (c.turn && c.in.form == FOURIER_REAL) {
        const int64_t at = from + 2 * (int64_t)k * stride;
        return element{number_at(c.in, at), number_at(c.in, at + stride)};
    }
    if (c.in.form == FOURIER_REAL) return element{number_at(c.in, from + (int64_t)k * stride), 0};
    if (c.turn) { // of the half of a spectrum: even numbers' elements, and i times odd ones'
        element x = element_at(c.in, from + (int64_t)k * stride), y = element_at(c.in, from + (int64_t)(c.n - k) * stride);
        if (k == 0) x.y = y.y = 0; // of real numbers these are zero, whatever is there
        y.y = -y.y;
        const element even = plus(x, y), odd = times(minus(x, y), conjugated(((const element *)c.turn)[k]));
        const element z = {even.x - odd.y, even.y + odd.x};
        return c.conj ? conjugated(z) : z;
    }
    const bool is_mirrored = c.in.form == FOURIER_HALF && 2 * k > c.n;
    element x = element_at(c.in, from + (int64_t)(is_mirrored ? c.n - k : k) * stride);
    if ((c.conj != 0) != is_mirrored) x.y = -x.y;
    return x;
}
// Elements that a line's results have: one more of the half of a spectrum.
DEVICE uint64_t results(const fourier_call &c) { return c.n + (c.turn && c.out.form == FOURIER_HALF); }
// Result k, of what `at` says of the transform's elements.
template <class At> DEVICE void store(const fourier_call &c, uint64_t line, uint64_t k, At at) {
    const int64_t to = start(c, c.out, line), stride = c.out.stride;
    if (c.turn && c.out.form == FOURIER_HALF) {
        const element x = at(k == c.n ? 0 : k), y = conjugated(at(k == 0 || k == c.n ? 0 : c.n - k));
        const element even = plus(x, y), odd = times(minus(x, y), ((const element *)c.turn)[k]);
        put_element(c.out, to + (int64_t)k * stride, element{(real)0.5 * (even.x + odd.y), (real)0.5 * (even.y - odd.x)});
        return;
    }
    element x = at(k);
    if (c.conj) x.y = -x.y;
    if (c.out.form != FOURIER_REAL) {
        if (c.out.form == FOURIER_COMPLEX || 2 * k <= c.n) put_element(c.out, to + (int64_t)k * stride, x);
    } else if (c.turn) {
        put_number(c.out, to + 2 * (int64_t)k * stride, x.x);
        put_number(c.out, to + (2 * (int64_t)k + 1) * stride, x.y);
    } else {
        put_number(c.out, to + (int64_t)k * stride, x.x);
    }
}

// ---- butterflies --------------------------------------------------------------------------------------
static __device__ inline void transform_2(element *x) {
    const element a = x[0];
    x[0] = plus(a, x[1]);
    x[1] = minus(a, x[1]);
}
static __device__ inline void transform_4(element *x) {
    const element a = plus(x[0], x[2]), b = minus(x[0], x[2]), c = plus(x[1], x[3]), d = minus(x[1], x[3]);
    x[0] = plus(a, c);
    x[2] = minus(a, c);
    x[1] = element{b.x + d.y, b.y - d.x}; // b - i d
    x[3] = element{b.x - d.y, b.y + d.x};
}
// cos and sin of 2 pi m / R, for m up to R / 2
template <int R> struct angle;
template <> struct angle<3> {
    static constexpr double c[] = {1, -0.5}, s[] = {0, 0.86602540378443864676};
};
template <> struct angle<5> {
    static constexpr double c[] = {1, 0.30901699437494742410, -0.80901699437494742410},
                            s[] = {0, 0.95105651629515357212, 0.58778525229247312917};
};
template <> struct angle<7> {
    static constexpr double c[] = {1, 0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624},
                            s[] = {0, 0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048};
};
// An odd radix: x[m] and x[R - m] by their sum and difference.
template <int R> static __device__ inline void transform_odd(element *x) {
    element sum[R / 2 + 1], difference[R / 2 + 1];
    const element first = x[0];
#pragma unroll
    for (int m = 1; m <= R / 2; m++) {
        sum[m] = plus(x[m], x[R - m]);
        difference[m] = minus(x[m], x[R - m]);
        x[0] = plus(x[0], sum[m]);
    }
#pragma unroll
    for (int k = 1; k <= R / 2; k++) {
        element even = first, odd = {0, 0};
#pragma unroll
        for (int m = 1; m <= R / 2; m++) {
            const int turn = k * m % R, near = turn > R / 2 ? R - turn : turn;
            const real c = (real)angle<R>::c[near], s = (real)(turn > R / 2 ? -angle<R>::s[near] : angle<R>::s[near]);
            even.x += sum[m].x * c;
            even.y += sum[m].y * c;
            odd.x += difference[m].x * s;
            odd.y += difference[m].y * s;
        }
        x[k] = element{even.x + odd.y, even.y - odd.x}; // even - i odd
        x[R - k] = element{even.x - odd.y, even.y + odd.x};
    }
}
template <int R> static __device__ inline void transform(element *x) {
    if (R == 2)
        transform_2(x);
    else if (R == 4)
        transform_4(x);
    else
        transform_odd<R == 3 || R == 5 || R == 7 ? R : 3>(x);
}

// Butterfly j of n / R of a pass: elements j + q n / R, after `done` of the length are transformed.
template <int R>
static __device__ inline void butterfly(const element *from, element *to, const element *table, uint32_t n, uint32_t done, uint32_t j) {
    const uint32_t k = j % done, stride = n / R, turn = k * (stride / done);
    element x[R];
#pragma unroll
    for (int q = 0; q < R; q++) x[q] = from[j + (uint32_t)q * stride];
    if (k) {
#pragma unroll
        for (int q = 1; q < R; q++) x[q] = times(x[q], table[(uint32_t)q * turn]);
    }
    transform<R>(x);
    const uint32_t at = (j - k) * R + k;
#pragma unroll
    for (int q = 0; q < R; q++) to[at + (uint32_t)q * done] = x[q];
}
// `count` lines of n elements, one after another.
template <int R>
static __device__ inline void pass_of(const element *from, element *to, const element *table, uint32_t n, uint32_t done, uint64_t count,
                                      uint64_t first, uint64_t step) {
    const uint32_t each = n / R;
    for (uint64_t b = first; b < count * each; b += step) {
        const uint64_t line = b / each;
        butterfly<R>(from + line * n, to + line * n, table, n, done, (uint32_t)(b - line * each));
    }
}
static __device__ inline void any_pass(int radix, const element *from, element *to, const element *table, uint32_t n, uint32_t done,
                                       uint64_t count, uint64_t first, uint64_t step) {
    switch (radix) {
    case 2: pass_of<2>(from, to, table, n, done, count, first, step); break;
    case 3: pass_of<3>(from, to, table, n, done, count, first, step); break;
    case 4: pass_of<4>(from, to, table, n, done, count, first, step); break;
    case 5: pass_of<5>(from, to, table, n, done, count, first, step); break;
    case 7: pass_of<7>(from, to, table, n, done, count, first, step); break;
    }
}

// ---- kernels --------------------------------------------------------------------------------------------
// A block takes `together` lines. Neighbouring threads take neighbouring elements of a line, or neighbouring lines where a
// line's elements lie apart.
extern "C" __global__ void line(const fourier_call c) {
    __shared__ element held[2][HELD];
    const uint32_t n = (uint32_t)c.n;
    for (uint64_t from = (uint64_t)block_x * c.together; from < c.lines; from += (uint64_t)blocks_x * c.together) {
        const uint32_t count = c.lines - from < c.together ? (uint32_t)(c.lines - from) : c.together;
        element *a = held[0], *b = held[1];
        for (uint32_t i = (uint32_t)thread_x; i < count * n; i += FOURIER_THREADS) {
            const uint32_t l = c.in.stride == 1 ? i / n : i % count, k = c.in.stride == 1 ? i % n : i / count;
            a[l * n + k] = load(c, from + l, k);
        }
        barrier();
        uint32_t done = 1;
        for (uint32_t r = 0; r < c.radix_count; r++) {
            any_pass(c.radices[r], a, b, (const element *)c.table, n, done, count, (uint64_t)thread_x, FOURIER_THREADS);
            barrier();
            done *= c.radices[r];
            element *const swap = a;
            a = b;
            b = swap;
        }
        const uint32_t all = (uint32_t)results(c);
        for (uint32_t i = (uint32_t)thread_x; i < count * all; i += FOURIER_THREADS) {
            const uint32_t l = c.out.stride == 1 ? i / all : i % count, k = c.out.stride == 1 ? i % all : i / count;
            store(c, from + l, k, [&](uint64_t e) { return a[l * n + e]; });
        }
        barrier();
    }
}
// From where lines lie to the work area c.out.at, and back from c.in.at.
extern "C" __global__ void gather(const fourier_call c) {
    EACH(i, c.lines * c.held) {
        const uint64_t l = i / c.held, k = i % c.held;
        element x = {0, 0};
        if (k < c.n) {
            x = load(c, l, k);
            if (c.chirp) x = times(x, ((const element *)c.chirp)[k]);
        }
        ((element *)c.out.at)[i] = x;
    }
}
extern "C" __global__ void scatter(const fourier_call c) {
    const uint64_t all = results(c);
    EACH(i, c.lines * all) {
        const uint64_t l = i / all;
        store(c, l, i % all, [&](uint64_t e) {
            const element x = ((const element *)c.in.at)[l * c.held + e];
            if (!c.chirp) return x;
            return times(conjugated(x), ((const element *)c.chirp)[e]); // the last transform was an inverse one
        });
    }
}
extern "C" __global__ void pass(const fourier_call c) {
    any_pass((int)c.radix, (const element *)c.in.at, (element *)c.out.at, (const element *)c.table, (uint32_t)c.n, (uint32_t)c.done,
             c.lines, (uint64_t)block_x * (uint64_t)threads_x + (uint64_t)thread_x, (uint64_t)blocks_x * (uint64_t)threads_x);
}
// The product with the chirp's transform, conjugated for an inverse transform by a forward one, and its 1 / n.
extern "C" __global__ void multiply(const fourier_call c) {
    EACH(i, c.lines * c.n) {
        element *const at = (element *)c.out.at + i;
        const element x = times(*at, ((const element *)c.other)[i % c.n]);
        const real share = 1 / (real)c.n;
        *at = element{x.x * share, -x.y * share};
    }
}
