// histo: a large histogram, 256 columns of bins, that saturates at 255. Most samples lie close
// together, so counters of the bins in question fit in shared memory as bytes, RANGE at a time.
//
// histo_prescan: which ranges those are, guessed from a part of the samples: the mean and ten times
// the deviation either way, a guess a block, joined by atomics.
// histo_intermediates: a sample as its range and its place there, packed in a word.
// histo_main: blocks in rows by range; each goes over a share of all samples and counts those of
// its range in shared memory, four counters in a word. An addition that fills a byte carries into
// the next; since the word before the addition says exactly which bytes that changed, the thread
// writes the difference to the bin's entry in `rest`, an integer a bin in global memory. The first
// row of blocks also counts there what lies outside of all ranges, unless the bin is full already.
// histo_final: adds up the blocks' counters and `rest`, and saturates.
#include "device.h"

#define RANGE           24576 // bins, a byte each
#define SLICES          14    // blocks of a range
#define PRESCAN_THREADS 512
#define MAIN_THREADS    768
#define LINES           16 // of the image, that a thread of histo_intermediates has
#define EACH            4  // samples that a thread of histo_prescan has

extern "C" __global__ void histo_prescan(const unsigned *samples, int count, int bins,
                                         int *ranges) {
    __shared__ float means[PRESCAN_THREADS], squares[PRESCAN_THREADS];
    const int t = (int)threadIdx.x;
    const int threads = (int)(gridDim.x * blockDim.x), step = max(count / (EACH * threads), 1);
    const int from = (int)(blockIdx.x * blockDim.x) + t;
    float sum = 0.0f, square = 0.0f;
#pragma unroll 1
    for (int i = 0; i < EACH; i++)
        sum += (float)samples[min((from + i * threads) * step, count - 1)];
    sum *= 1.0f / EACH;
#pragma unroll 1
    for (int i = 0; i < EACH; i++) {
        const float off = (float)samples[min((from + i * threads) * step, count - 1)] - sum;
        square += off * off;
    }
    means[t] = sum;
    squares[t] = square;
#pragma unroll
    for (int half = PRESCAN_THREADS / 2; half >= 32; half >>= 1) {
        __syncthreads();
        if (t < half) {
            means[t] += means[t + half];
            squares[t] += squares[t + half];
        }
    }
    if (t >= 32) return;
#pragma unroll
    for (int half = 16; half > 0; half >>= 1) {
        warp_step();
        float mean = 0.0f;
        square = 0.0f;
        if (t < half) {
            mean = means[t + half];
            square = squares[t + half];
        }
        warp_step();
        if (t < half) {
            means[t] += mean;
            squares[t] += square;
        }
    }
    if (t > 0) return;
    // A thread's own mean takes a degree of freedom from its EACH samples.
    const float mean = means[0] / (float)blockDim.x;
    const float deviation = sqrtf(squares[0] / (float)((EACH - 1) * blockDim.x));
    const int low = (int)fmaxf(mean - 10.0f * deviation, 0.0f);
    const int high = min((int)(mean + 10.0f * deviation), bins - 1);
    atomicMin(ranges, low / RANGE);
    atomicMax(ranges + 1, high / RANGE);
}

DEVICE_FN unsigned place_of(unsigned bin) { return bin / RANGE << 16 | bin % RANGE; }

// Two samples of a line at a time; `pairs` of them are a line.
extern "C" __global__ void histo_intermediates(const uint2 *samples, int pairs, int lines,
                                               unsigned *places) {
    const int first = (int)blockIdx.x * LINES;
    uint2 *const out = (uint2 *)places;
#pragma unroll
    for (int k = 0; k < LINES; k++) {
        const int at = (first + k) * pairs + (int)threadIdx.x;
        if (first + k < lines) {
            const uint2 two = samples[at];
            out[at] = make_uint2(place_of(two.x), place_of(two.y));
        }
    }
}

extern "C" __global__ void histo_main(const unsigned *places, int count, int first, int last,
                                      int *rest, unsigned *partial) {
    __shared__ unsigned counters[RANGE / 4];
    const int mine = first + (int)blockIdx.y;
    for (int i = (int)threadIdx.x; i < RANGE / 4; i += MAIN_THREADS) counters[i] = 0;
    __syncthreads();

    for (int i = (int)(blockIdx.x * MAIN_THREADS + threadIdx.x); i < count;
         i += SLICES * MAIN_THREADS) {
        const int range = (int)(places[i] >> 16);
        const int place = (int)(places[i] & 0xffffu), bin = range * RANGE + place;
        if (range == mine) {
            const int byte = place & 3;
            const unsigned before = atomicAdd(&counters[place >> 2], 1u << (8 * byte));
            // Byte k went from 255 to 0 and byte k + 1 took one that is not its own.
            for (int k = byte; k < 4 && (before >> (8 * k) & 0xffu) == 0xffu; k++) {
                atomicAdd(&rest[bin - byte + k], 256);
                if (k < 3) atomicAdd(&rest[bin - byte + k + 1], -1);
            }
        } else if (blockIdx.y == 0 && (range < first || range > last)) {
            if (rest[bin] < 255) atomicAdd(&rest[bin], 1);
        }
    }
    __syncthreads();
    unsigned *out = partial + ((int)blockIdx.y * SLICES + (int)blockIdx.x) * (RANGE / 4);
    for (int i = (int)threadIdx.x; i < RANGE / 4; i += MAIN_THREADS) out[i] = counters[i];
}

// Bytes 0 and 2, and 1 and 3, of a word added to sums of 16 bits.
struct ww_pairs {
    unsigned even, odd;
};
DEVICE_FN void add_bytes(ww_pairs *sum, unsigned word) {
    sum->even += word & 0x00ff00ffu;
    sum->odd += word >> 8 & 0x00ff00ffu;
}
DEVICE_FN unsigned saturated(ww_pairs sum, int4 rest) {
    const unsigned b0 = (unsigned)min((int)(sum.even & 0xffffu) + rest.x, 255);
    const unsigned b1 = (unsigned)min((int)(sum.odd & 0xffffu) + rest.y, 255);
    const unsigned b2 = (unsigned)min((int)(sum.even >> 16) + rest.z, 255);
    const unsigned b3 = (unsigned)min((int)(sum.odd >> 16) + rest.w, 255);
    return b3 << 24 | b2 << 16 | b1 << 8 | b0;
}

// Sixteen bins a thread at a time. Partial sums are at most 14 * 255.
extern "C" __global__ void histo_final(const uint4 *partial, const int4 *rest, int bins, int first,
                                       int last, uint4 *histogram) {
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < bins / 16;
         i += (int)(gridDim.x * blockDim.x)) {
        ww_pairs x = {0, 0}, y = {0, 0}, z = {0, 0}, w = {0, 0};
        const int range = i / (RANGE / 16);
        if (range >= first && range <= last) {
            const uint4 *at =
                partial + (range - first) * SLICES * (RANGE / 16) + (i - range * (RANGE / 16));
#pragma unroll
            for (int k = 0; k < SLICES; k++) {
                const uint4 four = at[k * (RANGE / 16)];
                add_bytes(&x, four.x);
                add_bytes(&y, four.y);
                add_bytes(&z, four.z);
                add_bytes(&w, four.w);
            }
        }
        uint4 out;
        out.x = saturated(x, rest[4 * i]);
        out.y = saturated(y, rest[4 * i + 1]);
        out.z = saturated(z, rest[4 * i + 2]);
        out.w = saturated(w, rest[4 * i + 3]);
        histogram[i] = out;
    }
}
