// scalarProd: dot products of many pairs of vectors. A block takes every gridDim-th pair. It first
// gathers 1024 partial sums in shared memory, each over elements 1024 apart, then folds them in
// halves. With 256 threads a thread owns four of the partial sums.
#include "device.h"

#define PARTIALS 1024

extern "C" __global__ void scalarProd(float *out, const float *a, const float *b, int pairs,
                                      int elements) {
    __shared__ float partial[PARTIALS];
    for (int pair = (int)blockIdx.x; pair < pairs; pair += (int)gridDim.x) {
        const float *va = a + pair * elements, *vb = b + pair * elements;
        for (int p = (int)threadIdx.x; p < PARTIALS; p += (int)blockDim.x) {
            float sum = 0.0f;
            for (int i = p; i < elements; i += PARTIALS) sum += va[i] * vb[i];
            partial[p] = sum;
        }
        for (int half = PARTIALS / 2; half > 0; half >>= 1) {
            __syncthreads();
            for (int p = (int)threadIdx.x; p < half; p += (int)blockDim.x)
                partial[p] += partial[p + half];
        }
        if (threadIdx.x == 0) out[pair] = partial[0];
        __syncthreads(); // the last fold has read its neighbour before the next pair overwrites it
    }
}
