// roofline: two arrays of doubles (or of single precision) stream by, and each pair of their elements takes N multiply-adds, so that N sets how
// many operations there are to a byte. Between the ends lies where a chip turns from its memory's limit to its lanes'.
//
// A block reads ELEMENTS rows of 256 neighbouring doubles of each array, two rows at a time, so that a thread has two
// chains of multiply-adds under way; chips are filled with as many blocks as fit, each an own stretch of both arrays that
// begins APART rows behind the one before. Only the sum of a block's first thread is stored.
#include "device.h"

enum { ROW = 256 };

template <int N, typename T> static __device__ __forceinline__ T chain(T a, T b) {
    T v = a - b;
#pragma unroll
    for (int i = 0; i < N; i++) v = v * a - b;
    return v;
}

template <int N, typename T>
static __device__ __forceinline__ void stream(const T *a, const T *b, T *out, int elements, int apart) {
    const size_t at = (size_t)blockIdx.x * ROW * (unsigned)apart + threadIdx.x;
    const T *pa = a + at, *pb = b + at;
    T sum = 0;
#pragma clang loop unroll(disable)
    for (int i = 0; i < elements; i += 2) {
        const T a0 = pa[0], b0 = pb[0], a1 = pa[ROW], b1 = pb[ROW];
        sum += chain<N>(a0, b0) + chain<N>(a1, b1);
        pa += 2 * ROW, pb += 2 * ROW;
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

#define ROOFLINE(N)                                                                                \
    extern "C" __global__ void roofline##N(const double *a, const double *b, double *out, int elements, \
                                           int apart) {                                            \
        stream<N>(a, b, out, elements, apart);                                                     \
    }                                                                                              \
    extern "C" __global__ void single##N(const float *a, const float *b, float *out, int elements, \
                                         int apart) {                                              \
        stream<N>(a, b, out, elements, apart);                                                     \
    }
ROOFLINE(0)
ROOFLINE(1)
ROOFLINE(2)
ROOFLINE(4)
ROOFLINE(8)
ROOFLINE(16)
ROOFLINE(24)
ROOFLINE(32)
ROOFLINE(40)
ROOFLINE(48)
ROOFLINE(56)
ROOFLINE(64)
ROOFLINE(80)
ROOFLINE(96)
ROOFLINE(128)
ROOFLINE(256)
ROOFLINE(512)
