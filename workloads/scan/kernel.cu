// scan: exclusive prefix sums of batches of arrays, whose length is a power of two. Arrays of up to
// 1024 elements: scanExclusiveShared, 256 threads with four elements each, sums of fours scanned in
// shared memory after Hillis and Steele, each array's sums beside zeros so that no range test is
// needed. Longer ones: the same for pieces of 1024, then scanExclusiveShared2 over the pieces' sums
// (a gather of every 1024th element), then uniformUpdate adds those.
#include "device.h"

#define THREADS 256

// Of `size` consecutive threads' values.
DEVICE_FN unsigned scan_inclusive(unsigned value, unsigned *sums, unsigned size) {
    unsigned at = 2 * threadIdx.x - (threadIdx.x & (size - 1));
    sums[at] = 0;
    at += size;
    sums[at] = value;
    for (unsigned offset = 1; offset < size; offset <<= 1) {
        __syncthreads();
        const unsigned sum = sums[at] + sums[at - offset];
        __syncthreads();
        sums[at] = sum;
    }
    return sums[at];
}

DEVICE_FN unsigned scan_exclusive(unsigned value, unsigned *sums, unsigned size) {
    return scan_inclusive(value, sums, size) - value;
}

extern "C" __global__ void scanExclusiveShared(uint4 *out, const uint4 *in, unsigned size) {
    __shared__ unsigned sums[2 * THREADS];
    const unsigned at = blockIdx.x * THREADS + threadIdx.x;
    uint4 four = in[at];
    four.y += four.x;
    four.z += four.y;
    four.w += four.z;
    const unsigned before = scan_exclusive(four.w, sums, size / 4);
    out[at] = make_uint4(before, before + four.x, before + four.y, before + four.z);
}

extern "C" __global__ void scanExclusiveShared2(unsigned *piece_sums, const unsigned *out,
                                                const unsigned *in, unsigned count, unsigned size) {
    __shared__ unsigned sums[2 * THREADS];
    const unsigned at = blockIdx.x * THREADS + threadIdx.x;
    unsigned value = 0;
    if (at < count)
        value = out[4 * THREADS - 1 + 4 * THREADS * at] + in[4 * THREADS - 1 + 4 * THREADS * at];
    const unsigned sum = scan_exclusive(value, sums, size);
    if (at < count) piece_sums[at] = sum;
}

extern "C" __global__ void uniformUpdate(uint4 *out, const unsigned *piece_sums) {
    __shared__ unsigned before;
    const unsigned at = blockIdx.x * THREADS + threadIdx.x;
    if (threadIdx.x == 0) before = piece_sums[blockIdx.x];
    __syncthreads();
    uint4 four = out[at];
    four.x += before;
    four.y += before;
    four.z += before;
    four.w += before;
    out[at] = four;
}
