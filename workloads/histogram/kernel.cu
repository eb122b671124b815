// histogram: how often each byte comes, with 64 bins (a byte's upper six bits) and with 256.
//
// histogram64: each of 64 threads has counters of its own, bytes in shared memory, so there are no
// atomics; a thread takes at most 240 bytes, lest a counter overflow. Counters of one bin lie side
// by side, and the order of threads in them puts the lanes of a half-warp in different banks.
// histogram256: each of six warps has counters, which its lanes share by atomic additions.
// Either writes a partial histogram a block, which a merge kernel, a block a bin, adds up.
#include "device.h"

#define THREADS64     64
#define WARPS256      6
#define THREADS256    (WARPS256 * 32)
#define MERGE_THREADS 256

DEVICE_FN void count_byte64(uint8_t *mine, unsigned bin) { mine[bin * THREADS64]++; }
DEVICE_FN void count_word64(uint8_t *mine, unsigned word) {
    count_byte64(mine, word >> 2 & 0x3fu);
    count_byte64(mine, word >> 10 & 0x3fu);
    count_byte64(mine, word >> 18 & 0x3fu);
    count_byte64(mine, word >> 26 & 0x3fu);
}

extern "C" __global__ void histogram64(unsigned *partial, const uint4 *data, unsigned count) {
    __shared__ unsigned words[THREADS64 * 64 / 4];
    uint8_t *counters = (uint8_t *)words;
    const unsigned t = threadIdx.x;
    uint8_t *mine = counters + ((t & 15) << 2 | (t & 0x30) >> 4);

    for (unsigned i = 0; i < 64 / 4; i++) words[t + i * THREADS64] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * THREADS64 + t; i < count; i += THREADS64 * gridDim.x) {
        const uint4 four = data[i];
        count_word64(mine, four.x);
        count_word64(mine, four.y);
        count_word64(mine, four.z);
        count_word64(mine, four.w);
    }
    __syncthreads();

    // One bin a thread; each starts at another word, so that banks differ.
    const uint8_t *bin = counters + t * THREADS64;
    unsigned sum = 0, at = 4 * (t & 15);
    for (unsigned i = 0; i < THREADS64 / 4; i++) {
        sum += (unsigned)bin[at] + bin[at + 1] + bin[at + 2] + bin[at + 3];
        at = (at + 4) & (THREADS64 - 1);
    }
    partial[blockIdx.x * 64 + t] = sum;
}

extern "C" __global__ void histogram256(unsigned *partial, const unsigned *data, unsigned count) {
    __shared__ unsigned counters[WARPS256 * 256];
    const unsigned t = threadIdx.x;
    unsigned *mine = counters + (t / 32) * 256;

    for (unsigned i = 0; i < 256 * WARPS256 / THREADS256; i++) counters[t + i * THREADS256] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * THREADS256 + t; i < count; i += THREADS256 * gridDim.x) {
        const unsigned word = data[i];
        atomicAdd(mine + (word & 0xffu), 1u);
        atomicAdd(mine + (word >> 8 & 0xffu), 1u);
        atomicAdd(mine + (word >> 16 & 0xffu), 1u);
        atomicAdd(mine + (word >> 24), 1u);
    }
    __syncthreads();
    for (unsigned bin = t; bin < 256; bin += THREADS256) {
        unsigned sum = 0;
        for (unsigned i = 0; i < WARPS256; i++) sum += counters[bin + i * 256];
        partial[blockIdx.x * 256 + bin] = sum;
    }
}

template <unsigned BINS>
DEVICE_FN void merge(unsigned *histogram, const unsigned *partial, unsigned count) {
    __shared__ unsigned sums[MERGE_THREADS];
    unsigned sum = 0;
    for (unsigned i = threadIdx.x; i < count; i += MERGE_THREADS)
        sum += partial[blockIdx.x + i * BINS];
    sums[threadIdx.x] = sum;
    for (unsigned half = MERGE_THREADS / 2; half > 0; half >>= 1) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) histogram[blockIdx.x] = sums[0];
}

extern "C" __global__ void mergeHistogram64(unsigned *histogram, const unsigned *partial,
                                            unsigned count) {
    merge<64>(histogram, partial, count);
}
extern "C" __global__ void mergeHistogram256(unsigned *histogram, const unsigned *partial,
                                             unsigned count) {
    merge<256>(histogram, partial, count);
}
