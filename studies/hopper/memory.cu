// Streams of doubles and re-read buffers, shaped as gpu-benches' gpu-stream and gpu-l2-cache have them: an element a
// thread; or every thread 64 loads out of a buffer that as many blocks share.
#include "device.h"

#ifndef RUNS
#define RUNS 1
#endif
enum { SHARED_BY = RUNS < 4 ? 1 : RUNS / 4 }; // on a quarter of the GPU

extern "C" {
__global__ void init(double *a, const double *b, const double *c, long n) {
    const long i = threadIdx.x + (long)blockIdx.x * blockDim.x;
    if (i < n) a[i] = 0.25;
}
__global__ void read(double *a, const double *__restrict__ b, const double *c, long n) {
    const long i = threadIdx.x + (long)blockIdx.x * blockDim.x;
    if (i < n && b[i] == 123.0) a[i] = 1;
}
__global__ void scale(double *a, const double *__restrict__ b, const double *c, long n) {
    const long i = threadIdx.x + (long)blockIdx.x * blockDim.x;
    if (i < n) a[i] = b[i] * 1.25;
}
__global__ void triad(double *a, const double *__restrict__ b, const double *__restrict__ c, long n) {
    const long i = threadIdx.x + (long)blockIdx.x * blockDim.x;
    if (i < n) a[i] = b[i] * 1.25 + c[i];
}
__global__ void three(double *a, const double *__restrict__ b, const double *c, long n) {
    const long i = threadIdx.x + (long)blockIdx.x * blockDim.x;
    if (i > 0 && i < n - 1) a[i] = 0.5 * b[i - 1] - b[i] + 0.5 * b[i + 1];
}
__global__ void five(double *a, const double *__restrict__ b, const double *c, long n) {
    const long i = threadIdx.x + (long)blockIdx.x * blockDim.x;
    if (i > 1 && i < n - 2) a[i] = 0.25 * b[i - 2] + 0.25 * b[i - 1] - b[i] + 0.5 * b[i + 1] + 0.5 * b[i + 2];
}
// A block's tile is 64 * 1024 doubles; part i of it lies SHARED_BY parts behind part i - 1.
__global__ void again(double *a, const double *__restrict__ b) {
    enum { LOADS = 64, BLOCK = 1024 };
    double sum = 0;
    const double *const from = b + (blockIdx.x % SHARED_BY) * BLOCK * 2 + threadIdx.x;
#pragma unroll
    for (int i = 0; i < LOADS / 2; i++) {
        const double *const p = from + (long)BLOCK * 2 * SHARED_BY * i;
        sum += p[0] * p[BLOCK];
    }
    if (sum == 123.0) a[threadIdx.x] = sum;
}
}
