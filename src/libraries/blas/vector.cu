// Vectors: element by element, and reductions in two steps whose order does not depend on time: each block leaves a sum, one
// block adds those up. The file is compiled once for each type: ELEMENT, SUM of its arithmetic, REAL of the sum's parts, RESULT of
// norms.
#include "device.h"
#include "rotate.h"
#include "vector.h"

typedef ELEMENT T;
typedef SUM A;

#define EACH(i, v) for (int64_t i = (int64_t)block_x * threads_x + thread_x; i < (v).n; i += (int64_t)blocks_x * threads_x)
enum { THREADS = 256 };

DEVICE T *element(uint64_t x, int64_t step, int64_t i) { return (T *)x + i * step; }
DEVICE A read(uint64_t x, int64_t step, int64_t i) { return widen(*element(x, step, i), A{}); }
DEVICE A alpha_of(const vector &v) { return factor(A{}, v.alpha, v.alpha_at, v.alpha_is_narrow); }

extern "C" __global__ void axpy(const vector v) {
    const A alpha = alpha_of(v);
    EACH(i, v) {
        A y = read(v.y, v.step_y, i);
        mad(&y, alpha, read(v.x, v.step_x, i));
        narrow(element(v.y, v.step_y, i), y);
    }
}
extern "C" __global__ void scal(const vector v) {
    const A alpha = alpha_of(v);
    EACH(i, v) {
        A x = {};
        mad(&x, alpha, read(v.x, v.step_x, i));
        narrow(element(v.x, v.step_x, i), x);
    }
}
extern "C" __global__ void copy(const vector v) {
    EACH(i, v) *element(v.y, v.step_y, i) = *element(v.x, v.step_x, i);
}
extern "C" __global__ void swap(const vector v) {
    EACH(i, v) {
        T *const x = element(v.x, v.step_x, i), *const y = element(v.y, v.step_y, i), old = *x;
        *x = *y;
        *y = old;
    }
}

// ---- rotations ------------------------------------------------------------------------------------
DEVICE REAL real_at(uint64_t at, double value) { return at ? (REAL)widen(*(const RESULT *)at, REAL{}) : (REAL)value; }
template <class U> DEVICE U sine_of(U, const rotation &r) { return real_at(r.sine_at, r.sine[0]); }
template <class U> DEVICE complex_of<U> sine_of(complex_of<U> zero, const rotation &r) {
    if (r.sine_is_real) return {real_at(r.sine_at, r.sine[0]), 0};
    return factor(zero, r.sine, r.sine_at, false);
}
extern "C" __global__ void rot(const rotation r) {
    const A c = real_as(A{}, real_at(r.cosine_at, r.cosine)), s = sine_of(A{}, r), less = negative(conjugate(s, true));
    EACH(i, r) {
        const A x = read(r.x, r.step_x, i), y = read(r.y, r.step_y, i);
        A to_x = {}, to_y = {};
        mad(&to_x, c, x);
        mad(&to_x, s, y);
        mad(&to_y, c, y);
        mad(&to_y, less, x);
        narrow(element(r.x, r.step_x, i), to_x);
        narrow(element(r.y, r.step_y, i), to_y);
    }
}
#ifdef HAS_MODIFIED
// The four numbers of H that `flag` does not fix.
extern "C" __global__ void rotm(const rotation r) {
    REAL p[5];
    for (int e = 0; e < 5; e++) p[e] = real_at(r.flags_at ? r.flags_at + e * sizeof(RESULT) : 0, r.flags[e]);
    if (p[0] == -2) return;
    const REAL h11 = p[0] == 0 ? 1 : p[1], h21 = p[0] == 1 ? -1 : p[2], h12 = p[0] == 1 ? 1 : p[3], h22 = p[0] == 0 ? 1 : p[4];
    EACH(i, r) {
        const REAL x = read(r.x, r.step_x, i), y = read(r.y, r.step_y, i);
        narrow(element(r.x, r.step_x, i), x * h11 + y * h12);
        narrow(element(r.y, r.step_y, i), x * h21 + y * h22);
    }
}
extern "C" __global__ void rotmg(const rotation_of r) {
    double d1 = widen(*(RESULT *)r.a, REAL{}), d2 = widen(*(RESULT *)r.b, REAL{}), x = widen(*(RESULT *)r.c, REAL{}), p[5];
    for (int e = 0; e < 5; e++) p[e] = widen(((RESULT *)r.flags)[e], REAL{});
    rotate_modified(&d1, &d2, &x, widen(*(RESULT *)r.s, REAL{}), p);
    narrow((RESULT *)r.a, (REAL)d1);
    narrow((RESULT *)r.b, (REAL)d2);
    narrow((RESULT *)r.c, (REAL)x);
    for (int e = 0; e < 5; e++) narrow((RESULT *)r.flags + e, (REAL)p[e]);
}
#endif
DEVICE void make(float *to, const double v[2]) { *to = (float)v[0]; }
DEVICE void make(double *to, const double v[2]) { *to = v[0]; }
template <class U> DEVICE void make(complex_of<U> *to, const double v[2]) { *to = {(U)v[0], (U)v[1]}; }
DEVICE void parts_of(double v[2], float x) { v[0] = x, v[1] = 0; }
DEVICE void parts_of(double v[2], double x) { v[0] = x, v[1] = 0; }
template <class U> DEVICE void parts_of(double v[2], complex_of<U> x) { v[0] = x.x, v[1] = x.y; }
extern "C" __global__ void rotg(const rotation_of r) {
    double a[2], b[2], c, s[2];
    A now;
    parts_of(a, widen(*(T *)r.a, A{}));
    parts_of(b, widen(*(T *)r.b, A{}));
    if (sizeof(A) == sizeof(REAL)) {
        rotate_real(&a[0], &b[0], &c, &s[0]);
        make(&now, b);
        narrow((T *)r.b, now);
    } else {
        rotate_complex(a, b, &c, s);
    }
    make(&now, a);
    narrow((T *)r.a, now);
    make(&now, s);
    narrow((T *)r.s, now);
    narrow((RESULT *)r.c, (REAL)c);
}

// ---- sums ---------------------------------------------------------------------------------------
// Adds up what the threads of a block hold; the first one has the sum.
template <class U> static __device__ inline U block_sum(U mine) {
    __shared__ U held[THREADS];
    held[thread_x] = mine;
    barrier();
    for (int half = THREADS / 2; half; half /= 2) {
        if (thread_x < half) add(&held[thread_x], held[thread_x + half]);
        barrier();
    }
    return held[0];
}
template <class U> static __device__ inline U *part(const vector &v, int i) { return (U *)(v.parts + VECTOR_PART * (uint64_t)i); }
template <class U> static __device__ inline void leave(const vector &v, U mine) {
    const U sum = block_sum(mine);
    if (thread_x == 0) *part<U>(v, block_x) = sum;
}
template <class U> static __device__ inline U sum_of_parts(const vector &v) {
    U mine = {};
    for (int i = thread_x; i < (int)v.n_parts; i += THREADS) add(&mine, *part<U>(v, i));
    return block_sum(mine);
}
static __device__ inline float size(float x) { return x < 0 ? -x : x; }
static __device__ inline double size(double x) { return x < 0 ? -x : x; }
template <class U> static __device__ inline U size(complex_of<U> x) { return size(x.x) + size(x.y); }

// Squares, in three sums: of numbers whose square would overflow (in units of 2^-600), of those whose square would vanish (of
// 2^600), and of the rest. Numbers of single precision are all of the rest.
struct squares {
    double large, rest, small;
};
static __device__ inline void add(squares *to, squares x) { to->large += x.large, to->rest += x.rest, to->small += x.small; }
static __device__ inline void add_square(squares *to, float x) { to->rest += (double)x * x; }
static __device__ inline void add_square(squares *to, double x) {
    const double s = size(x), down = 0x1p-600 * x, up = 0x1p600 * x;
    if (s > 0x1p500)
        to->large += down * down;
    else if (s < 0x1p-500)
        to->small += up * up;
    else
        to->rest += x * x; // numbers that are none, too
}
template <class U> static __device__ inline void add_square(squares *to, complex_of<U> x) { add_square(to, x.x), add_square(to, x.y); }

extern "C" __global__ void dot(const vector v) {
    A mine = {};
    EACH(i, v) mad(&mine, conjugate(read(v.x, v.step_x, i), v.conj), read(v.y, v.step_y, i));
    leave(v, mine);
}
extern "C" __global__ void dot_end(const vector v) {
    const A sum = sum_of_parts<A>(v);
    if (thread_x == 0) narrow((T *)v.out, sum);
}
extern "C" __global__ void nrm2(const vector v) {
    squares mine = {};
    EACH(i, v) add_square(&mine, read(v.x, v.step_x, i));
    leave(v, mine);
}
extern "C" __global__ void nrm2_end(const vector v) {
    const squares sum = sum_of_parts<squares>(v);
    if (thread_x) return;
    double norm = __nvvm_sqrt_rn_d(sum.rest + sum.small * 0x1p-600 * 0x1p-600);
    if (sum.large > 0)
        norm = sum.rest != sum.rest ? sum.rest : __nvvm_sqrt_rn_d(sum.large + sum.rest * 0x1p-600 * 0x1p-600) * 0x1p600;
    else if (sum.small > 0 && sum.rest == 0)
        norm = __nvvm_sqrt_rn_d(sum.small) * 0x1p-600;
    narrow((RESULT *)v.out, (REAL)norm);
}
extern "C" __global__ void asum(const vector v) {
    REAL mine = 0;
    EACH(i, v) mine += size(read(v.x, v.step_x, i));
    leave(v, mine);
}
extern "C" __global__ void asum_end(const vector v) {
    const REAL sum = sum_of_parts<REAL>(v);
    if (thread_x == 0) narrow((RESULT *)v.out, sum);
}

// ---- where the largest is -----------------------------------------------------------------------
struct place {
    REAL size;
    int64_t at; // from 1 on; 0: none
};
static __device__ inline place better(place a, place b, bool least) {
    if (!b.at || (a.at && (least ? a.size < b.size : a.size > b.size))) return a;
    return !a.at || a.size != b.size || b.at < a.at ? b : a;
}
static __device__ inline place block_best(place mine, bool least) {
    __shared__ place held[THREADS];
    held[thread_x] = mine;
    barrier();
    for (int half = THREADS / 2; half; half /= 2) {
        if (thread_x < half) held[thread_x] = better(held[thread_x], held[thread_x + half], least);
        barrier();
    }
    return held[0];
}
extern "C" __global__ void amax(const vector v) {
    place mine = {0, 0};
    EACH(i, v) mine = better(mine, place{size(read(v.x, v.step_x, i)), i + 1}, v.wants_least);
    const place best = block_best(mine, v.wants_least);
    if (thread_x == 0) *part<place>(v, block_x) = best;
}
extern "C" __global__ void amax_end(const vector v) {
    place mine = {0, 0};
    for (int i = thread_x; i < (int)v.n_parts; i += THREADS) mine = better(mine, *part<place>(v, i), v.wants_least);
    const place best = block_best(mine, v.wants_least);
    if (thread_x) return;
    if (v.is_long)
        *(int64_t *)v.out = best.at;
    else
        *(int32_t *)v.out = (int32_t)best.at;
}
