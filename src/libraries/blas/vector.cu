// Vectors: element by element, and reductions in two steps whose order does not depend on time: each block leaves a sum, one
// block adds those up. The file is compiled once for each type: ELEMENT, and REAL of its parts.
#include "device.h"
#include "vector.h"

typedef ELEMENT T;

#define EACH(i, v) for (int64_t i = (int64_t)block_x * threads_x + thread_x; i < (v).n; i += (int64_t)blocks_x * threads_x)
enum { THREADS = 256 };

template <class U> static __device__ inline U *element(uint64_t x, int64_t step, int64_t i) { return (U *)x + i * step; }

extern "C" __global__ void axpy(const vector v) {
    const T alpha = factor(T{}, v.alpha, v.alpha_at, false);
    EACH(i, v) mad(element<T>(v.y, v.step_y, i), alpha, *element<T>(v.x, v.step_x, i));
}
extern "C" __global__ void scal(const vector v) {
    const T alpha = factor(T{}, v.alpha, v.alpha_at, false);
    EACH(i, v) {
        T *const x = element<T>(v.x, v.step_x, i), old = *x;
        *x = T{};
        mad(x, alpha, old);
    }
}
extern "C" __global__ void copy(const vector v) {
    EACH(i, v) *element<T>(v.y, v.step_y, i) = *element<T>(v.x, v.step_x, i);
}
extern "C" __global__ void swap(const vector v) {
    EACH(i, v) {
        T *const x = element<T>(v.x, v.step_x, i), *const y = element<T>(v.y, v.step_y, i), old = *x;
        *x = *y;
        *y = old;
    }
}

// ---- sums ---------------------------------------------------------------------------------------
// Adds up what the threads of a block hold; the first one has the sum.
template <class U> static __device__ inline U block_sum(U mine) {
    __shared__ U held[THREADS];
    held[thread_x] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half; half /= 2) {
        if (thread_x < half) add(&held[thread_x], held[thread_x + half]);
        __syncthreads();
    }
    return held[0];
}
template <class U> static __device__ inline U *part(const vector &v, int i) { return (U *)(v.parts + 16 * (uint64_t)i); }
template <class U> static __device__ inline void leave(const vector &v, U mine) {
    const U sum = block_sum(mine);
    if (thread_x == 0) *part<U>(v, block_x) = sum;
}
template <class U> static __device__ inline U sum_of_parts(const vector &v) {
    U mine = {};
    for (int i = thread_x; i < (int)v.n_parts; i += THREADS) add(&mine, *part<U>(v, i));
    return block_sum(mine);
}
static __device__ inline double square(float x) { return (double)x * x; }
static __device__ inline double square(double x) { return x * x; }
template <class U> static __device__ inline double square(complex_of<U> x) { return square(x.x) + square(x.y); }
static __device__ inline float size(float x) { return x < 0 ? -x : x; }
static __device__ inline double size(double x) { return x < 0 ? -x : x; }
template <class U> static __device__ inline U size(complex_of<U> x) { return size(x.x) + size(x.y); }

extern "C" __global__ void dot(const vector v) {
    T mine = {};
    EACH(i, v) mad(&mine, conjugate(*element<T>(v.x, v.step_x, i), v.conj), *element<T>(v.y, v.step_y, i));
    leave(v, mine);
}
extern "C" __global__ void dot_end(const vector v) {
    const T sum = sum_of_parts<T>(v);
    if (thread_x == 0) *(T *)v.out = sum;
}
extern "C" __global__ void nrm2(const vector v) {
    double mine = 0;
    EACH(i, v) mine += square(*element<T>(v.x, v.step_x, i));
    leave(v, mine);
}
extern "C" __global__ void nrm2_end(const vector v) {
    const double sum = sum_of_parts<double>(v);
    if (thread_x == 0) *(REAL *)v.out = (REAL)__nvvm_sqrt_rn_d(sum);
}
extern "C" __global__ void asum(const vector v) {
    REAL mine = 0;
    EACH(i, v) mine += size(*element<T>(v.x, v.step_x, i));
    leave(v, mine);
}
extern "C" __global__ void asum_end(const vector v) {
    const REAL sum = sum_of_parts<REAL>(v);
    if (thread_x == 0) *(REAL *)v.out = sum;
}

// ---- where the largest is -----------------------------------------------------------------------
struct place {
    REAL size;
    int32_t at; // from 1 on; 0: none
};
static __device__ inline place better(place a, place b, bool least) {
    if (!b.at || (a.at && (least ? a.size < b.size : a.size > b.size))) return a;
    return !a.at || a.size != b.size || b.at < a.at ? b : a;
}
static __device__ inline place block_best(place mine, bool least) {
    __shared__ place held[THREADS];
    held[thread_x] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half; half /= 2) {
        if (thread_x < half) held[thread_x] = better(held[thread_x], held[thread_x + half], least);
        __syncthreads();
    }
    return held[0];
}
extern "C" __global__ void amax(const vector v) {
    place mine = {0, 0};
    EACH(i, v) mine = better(mine, place{size(*element<T>(v.x, v.step_x, i)), (int32_t)(i + 1)}, v.wants_least);
    const place best = block_best(mine, v.wants_least);
    if (thread_x == 0) *part<place>(v, block_x) = best;
}
extern "C" __global__ void amax_end(const vector v) {
    place mine = {0, 0};
    for (int i = thread_x; i < (int)v.n_parts; i += THREADS) mine = better(mine, *part<place>(v, i), v.wants_least);
    const place best = block_best(mine, v.wants_least);
    if (thread_x == 0) *(int32_t *)v.out = best.at;
}
