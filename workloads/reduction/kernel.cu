// reduction: the sum of an array of integers, the seventh ("kernel 6") of the SDK's successive
// versions. A fixed number of blocks strides over the input, two elements a thread a step, then
// folds its threads' sums in shared memory; the folds are written out, and the last six, within
// one warp, have no barriers: they count on the warp's lockstep.
//
// reduce256 and reduceAny256 make a partial sum a block; reduce32 and reduceAny32, one block of one
// warp, add up the partial sums. The Any forms guard the second element of each step; the others
// need a power of two of at least two elements a thread.
#include "device.h"

template <unsigned THREADS, bool POWER_OF_TWO>
DEVICE_FN void reduce(const unsigned *in, unsigned *out, unsigned n) {
    // The folds of a warp read half a warp past its own words.
    __shared__ volatile unsigned part[THREADS > 32 ? THREADS : 64];
    const unsigned t = threadIdx.x;
    const unsigned stride = THREADS * 2 * gridDim.x;

    unsigned sum = 0;
    for (unsigned i = blockIdx.x * THREADS * 2 + t; i < n; i += stride) {
        sum += in[i];
        if (POWER_OF_TWO || i + THREADS < n) sum += in[i + THREADS];
    }
    part[t] = sum;
    __syncthreads();

    if (THREADS >= 256) {
        if (t < 128) part[t] = sum = sum + part[t + 128];
        __syncthreads();
    }
    if (THREADS >= 128) {
        if (t < 64) part[t] = sum = sum + part[t + 64];
        __syncthreads();
    }
    if (t < 32) {
#pragma unroll
        for (unsigned half = THREADS >= 64 ? 32 : 16; half > 0; half >>= 1) {
            sum += part[t + half];
            warp_step();
            part[t] = sum;
            warp_step();
        }
        if (t == 0) out[blockIdx.x] = sum;
    }
}

#define REDUCE(name, threads, power_of_two)                                                        \
    extern "C" __global__ void name(const unsigned *in, unsigned *out, unsigned n) {               \
        reduce<threads, power_of_two>(in, out, n);                                                 \
    }
REDUCE(reduce256, 256, true)
REDUCE(reduce32, 32, true)
REDUCE(reduceAny256, 256, false)
REDUCE(reduceAny32, 32, false)
