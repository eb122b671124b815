// mergeSort: a stable sort of 32-bit keys with 32-bit values, after Satish, Harris and Garland,
// "Designing Efficient Sorting Algorithms for Manycore GPUs" (IPDPS 2009). Four kernels:
//
//   mergeSortShared             sorts tiles of 1024 in shared memory
// and then, in stages that double the length `stride` of the sorted segments, for each pair of
// neighbouring segments A and B:
//   generateSampleRanks         takes every 128th element of A and of B and finds where it would
//                               stand in the other segment
//   mergeRanksAndIndices        sorts those positions, for A and for B in a launch each; neighbours
//                               among them cut the merged pair into intervals that hold at most 128
//                               elements of either segment
//   mergeElementaryIntervals    merges one interval a block
//
// Everywhere an element's place in a merged list is its index in its own list plus its rank in the
// other: the number of elements below it (for A) or not above it (for B), which keeps equal keys in
// order. Ranks are found by binary search. The last pair may be short, or lack its B.
#include "device.h"

#define TILE   1024
#define SAMPLE 128

// How many of the sorted list's elements are below the key, or not above it. `step` is a power of
// two, with 2 * step > length.
template <bool OR_EQUAL>
DEVICE_FN unsigned rank_in(unsigned key, const unsigned *list, unsigned length, unsigned step) {
    if (length == 0) return 0;
    unsigned rank = 0;
    for (; step > 0; step >>= 1) {
        const unsigned probe = min(rank + step, length);
        const unsigned other = list[probe - 1];
        if (OR_EQUAL ? other <= key : other < key) rank = probe;
    }
    return rank;
}

// The largest power of two in a number that is not zero.
DEVICE_FN unsigned top_bit(unsigned x) { return 0x80000000u >> __clz((int)(x | 1)); }

extern "C" __global__ void __launch_bounds__(TILE / 2)
    mergeSortShared(unsigned *keys_out, unsigned *values_out, const unsigned *keys_in,
                    const unsigned *values_in) {
    __shared__ unsigned key[TILE], value[TILE];
    const unsigned t = threadIdx.x;
    const unsigned here = blockIdx.x * TILE + t;
    key[t] = keys_in[here];
    value[t] = values_in[here];
    key[t + TILE / 2] = keys_in[here + TILE / 2];
    value[t + TILE / 2] = values_in[here + TILE / 2];

    for (unsigned stride = 1; stride < TILE; stride <<= 1) {
        const unsigned index = t & (stride - 1);
        const unsigned a = 2 * (t - index), b = a + stride; // where the thread's pair begins
        __syncthreads();
        const unsigned a_key = key[a + index], a_value = value[a + index];
        const unsigned b_key = key[b + index], b_value = value[b + index];
        const unsigned a_place = a + index + rank_in<false>(a_key, key + b, stride, stride);
        const unsigned b_place = a + index + rank_in<true>(b_key, key + a, stride, stride);
        __syncthreads();
        key[a_place] = a_key;
        value[a_place] = a_value;
        key[b_place] = b_key;
        value[b_place] = b_value;
    }

    __syncthreads();
    keys_out[here] = key[t];
    values_out[here] = value[t];
    keys_out[here + TILE / 2] = key[t + TILE / 2];
    values_out[here + TILE / 2] = value[t + TILE / 2];
}

// Where the pair of segments of one thread or block lies, and how long its two halves are.
struct pair {
    unsigned first, a_length, b_length;
};
DEVICE_FN pair pair_at(unsigned first, unsigned stride, unsigned n) {
    const unsigned a_length = min(stride, n - first);
    return pair{first, a_length, min(stride, n - first - a_length)};
}

// A thread takes sample `i` of A and sample `i` of B of its pair. Samples of a pair are 2 * count
// words of the rank arrays, first A's, then B's.
extern "C" __global__ void generateSampleRanks(unsigned *a_ranks, unsigned *b_ranks,
                                               const unsigned *keys, unsigned stride, unsigned n,
                                               unsigned threads) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= threads) return;
    const unsigned count = stride / SAMPLE, i = t & (count - 1), at = i * SAMPLE;
    const pair p = pair_at((t - i) * 2 * SAMPLE, stride, n);
    const unsigned *a = keys + p.first, *b = a + p.a_length;
    unsigned *a_out = a_ranks + 2 * (t - i), *b_out = b_ranks + 2 * (t - i);
    if (at < p.a_length) {
        a_out[i] = at;
        b_out[i] = rank_in<false>(a[at], b, p.b_length, top_bit(p.b_length));
    }
    if (at < p.b_length) {
        b_out[count + i] = at;
        a_out[count + i] = rank_in<true>(b[at], a, p.a_length, top_bit(p.a_length));
    }
}

// Merges the two sorted lists of ranks of a pair into its limits.
extern "C" __global__ void mergeRanksAndIndices(unsigned *limits, const unsigned *ranks,
                                                unsigned stride, unsigned n, unsigned threads) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= threads) return;
    const unsigned count = stride / SAMPLE, i = t & (count - 1);
    const pair p = pair_at((t - i) * 2 * SAMPLE, stride, n);
    const unsigned a_count = p.a_length / SAMPLE, b_count = p.b_length / SAMPLE;
    const unsigned *a = ranks + 2 * (t - i), *b = a + count;
    unsigned *out = limits + 2 * (t - i);
    if (i < a_count) out[i + rank_in<false>(a[i], b, b_count, top_bit(b_count))] = a[i];
    if (i < b_count) out[i + rank_in<true>(b[i], a, a_count, top_bit(a_count))] = b[i];
}

extern "C" __global__ void __launch_bounds__(SAMPLE)
    mergeElementaryIntervals(unsigned *keys_out, unsigned *values_out, const unsigned *keys_in,
                             const unsigned *values_in, const unsigned *a_limits,
                             const unsigned *b_limits, unsigned stride, unsigned n) {
    __shared__ unsigned key[2 * SAMPLE], value[2 * SAMPLE];
    __shared__ unsigned first, a_stride, a_begin, b_begin, a_length, b_length;
    const unsigned t = threadIdx.x;

    if (t == 0) {
        const unsigned samples = 2 * (stride / SAMPLE), i = blockIdx.x & (samples - 1);
        const pair p = pair_at((blockIdx.x - i) * SAMPLE, stride, n);
        const bool last = i + 1 == (p.a_length + p.b_length) / SAMPLE;
        first = p.first;
        a_stride = p.a_length;
        a_begin = a_limits[blockIdx.x];
        b_begin = b_limits[blockIdx.x];
        a_length = (last ? p.a_length : a_limits[blockIdx.x + 1]) - a_begin;
        b_length = (last ? p.b_length : b_limits[blockIdx.x + 1]) - b_begin;
    }
    __syncthreads();

    const unsigned a_from = first + a_begin + t, b_from = first + a_stride + b_begin + t;
    unsigned a_key = 0, a_value = 0, b_key = 0, b_value = 0;
    if (t < a_length) {
        key[t] = a_key = keys_in[a_from];
        a_value = values_in[a_from];
    }
    if (t < b_length) {
        key[SAMPLE + t] = b_key = keys_in[b_from];
        b_value = values_in[b_from];
    }
    __syncthreads();

    const unsigned a_place = t + rank_in<false>(a_key, key + SAMPLE, b_length, SAMPLE);
    const unsigned b_place = t + rank_in<true>(b_key, key, a_length, SAMPLE);
    __syncthreads();

    if (t < a_length) {
        key[a_place] = a_key;
        value[a_place] = a_value;
    }
    if (t < b_length) {
        key[b_place] = b_key;
        value[b_place] = b_value;
    }
    __syncthreads();

    const unsigned length = a_length + b_length, to = first + a_begin + b_begin;
    if (t < length) {
        keys_out[to + t] = key[t];
        values_out[to + t] = value[t];
    }
    if (t + SAMPLE < length) {
        keys_out[to + t + SAMPLE] = key[t + SAMPLE];
        values_out[to + t + SAMPLE] = value[t + SAMPLE];
    }
}
