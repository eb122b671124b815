// What kernels of layers share: the element type T and the type A of sums, of which a module is compiled for each pair, sums of
// a block in an order that does not depend on time, and functions of one number.
#ifndef WW_LIBRARIES_DNN_ELEMENT_H
#define WW_LIBRARIES_DNN_ELEMENT_H

#include "../blas/device.h"

typedef ELEMENT T;
typedef SUM A;
enum { THREADS = 256 };

#define EACH(i, all) for (int64_t i = (int64_t)block_x * threads_x + thread_x; i < (all); i += (int64_t)blocks_x * threads_x)

static __device__ inline A get(uint64_t at, int64_t i) { return widen(((const T *)at)[i], A{}); }
static __device__ inline void put(uint64_t at, int64_t i, A v, double alpha, double beta) {
    v *= (A)alpha;
    if (beta != 0) v += (A)beta * get(at, i);
    narrow(&((T *)at)[i], v);
}
static __device__ inline A &sum_at(uint64_t at, int i) { return ((A *)at)[i]; }

static __device__ A block_sum(A mine) {
    __shared__ A held[THREADS];
    barrier(); // of the sum before
    held[thread_x] = mine;
    barrier();
    for (int half = THREADS / 2; half; half /= 2) {
        if (thread_x < half) held[thread_x] += held[thread_x + half];
        barrier();
    }
    return held[0];
}

// ---- functions of one number ----------------------------------------------------------------------
// Single precision by the machine's own exponentials and logarithms; double by series, to a few units in the last place.
static __device__ inline float exponential(float x) { return __nvvm_ex2_approx_f(x * 1.4426950408889634f); }
static __device__ inline float logarithm(float x) { return __nvvm_lg2_approx_f(x) * 0.6931471805599453f; }
static __device__ inline float square_root(float x) { return __nvvm_sqrt_rn_f(x); }
static __device__ inline double square_root(double x) { return __nvvm_sqrt_rn_d(x); }
static __device__ double exponential(double x) {
    if (x > 709.8) return __builtin_inf();
    if (x < -745.2) return 0;
    const double n = __nvvm_floor_d(x * 1.4426950408889634 + 0.5);
    const double r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10; // ln 2 in two parts
    double sum = 1;
    for (int k = 14; k >= 1; k--) sum = 1 + sum * r / k;
    const int half = (int)n / 2, rest = (int)n - half; // in two steps, so that tiny results are rounded once
    return sum * __builtin_bit_cast(double, (uint64_t)(half + 1023) << 52) *
           __builtin_bit_cast(double, (uint64_t)(rest + 1023) << 52);
}
static __device__ double logarithm(double x) {
    if (x <= 0) return x == 0 ? -__builtin_inf() : __builtin_nan("");
    if (x > 1.7976931348623157e308 || x != x) return x;
    int e = 0;
    if (x < 2.2250738585072014e-308) x *= 0x1p54, e = -54;
    uint64_t u = __builtin_bit_cast(uint64_t, x);
    e += (int)(u >> 52) - 1023;
    double m = __builtin_bit_cast(double, (u & 0xfffffffffffffull) | 0x3ff0000000000000ull);
    if (m > 1.4142135623730951) m /= 2, e++;
    const double s = (m - 1) / (m + 1), ss = s * s; // ln m = 2 (s + s^3 / 3 + ...), |s| < 0.172
    double sum = 0;
    for (int k = 21; k >= 3; k -= 2) sum = (sum + 1.0 / k) * ss;
    return e * 0.6931471805599453 + 2 * s * (1 + sum);
}
static __device__ inline A tangent(A x) {
    // near 0 the exponentials would cancel
    if (x < (A)0.04 && x > (A)-0.04) return x * (1 + x * x * ((A)-1 / 3 + x * x * ((A)2 / 15 - x * x * (A)(17.0 / 315))));
    return 1 - 2 / (exponential(2 * x) + 1);
}
static __device__ inline A sigmoid(A x) { return 1 / (1 + exponential(-x)); }

#endif
