// dxtc: DXT1 compression. Of every square of 4 x 4 pixels remain two colours of 16 bits and two
// bits a pixel that choose one of the two or a mixture. A block of 64 threads has a square.
//
// Sixteen threads sort its colours along their principal axis (eight steps of the power method,
// ranks by counting). A good choice of the pixels' two bits then cuts that order into runs, so all
// 64 threads go through a list of such cuts (four colours: 969, three: 153, padded to whole warps),
// solve for the two colours that fit a cut best in the sense of least squares, round these to 16
// bits, and keep what has the least error. A tree finds the best of the block.
//
// Weights of a pixel by its two bits are in constant memory, at an index that differs from lane to
// lane; sums of products of weights are packed in one word.
#include "device.h"

#define THREADS 64
#define PIXELS  16
#define CUTS4   992
#define CUTS3   160

// For each of the two bits' values: how much of the first colour, and in bytes from the lowest the
// squares of the two weights and their product, in ninths (four colours) or quarters (three).
CONSTANT(float, weights4[4]);
CONSTANT(float, weights3[4]);
CONSTANT(unsigned, products4[4]);
CONSTANT(unsigned, products3[4]);

DEVICE_FN float3 operator+(float3 a, float3 b) {
    return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}
DEVICE_FN float3 operator-(float3 a, float3 b) {
    return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}
DEVICE_FN float3 operator*(float3 a, float s) { return make_float3(a.x * s, a.y * s, a.z * s); }
DEVICE_FN float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// The sum over sixteen threads in lockstep. Each gets it.
DEVICE_FN float3 sum16(float3 *sums, unsigned t, float3 mine) {
    sums[t] = mine;
    warp_step();
#pragma unroll
    for (unsigned half = PIXELS / 2; half > 0; half >>= 1) {
        float3 other = make_float3(0.0f, 0.0f, 0.0f);
        if (t < half) other = sums[t + half];
        warp_step();
        if (t < half) sums[t] = sums[t] + other;
        warp_step();
    }
    const float3 sum = sums[0];
    warp_step();
    return sum;
}

// The direction in which the colours differ most: v = M v, eight times.
DEVICE_FN float3 principal_axis(float3 diagonal, float3 beside) { // beside: xy, xz, yz
    float3 v = make_float3(1.0f, 1.0f, 1.0f);
#pragma unroll 1
    for (int i = 0; i < 8; i++) {
        const float3 w = make_float3(diagonal.x * v.x + beside.x * v.y + beside.y * v.z,
                                     beside.x * v.x + diagonal.y * v.y + beside.z * v.z,
                                     beside.y * v.x + beside.z * v.y + diagonal.z * v.z);
        const float most = fmaxf(fabsf(w.x), fmaxf(fabsf(w.y), fabsf(w.z)));
        v = w * (most > 0.0f ? 1.0f / most : 0.0f);
    }
    return v;
}

DEVICE_FN void sort_colours(const unsigned *image, float3 *colours, float3 *sums, float *along,
                            int *rank) {
    const unsigned t = threadIdx.x;
    const unsigned pixel = image[blockIdx.x * PIXELS + t];
    const float3 colour = make_float3((float)(pixel & 0xffu) * (1.0f / 255.0f),
                                      (float)(pixel >> 8 & 0xffu) * (1.0f / 255.0f),
                                      (float)(pixel >> 16 & 0xffu) * (1.0f / 255.0f));
    const float3 off = colour - sum16(sums, t, colour) * (1.0f / PIXELS);
    const float3 diagonal =
        sum16(sums, t, make_float3(off.x * off.x, off.y * off.y, off.z * off.z));
    const float3 beside = sum16(sums, t, make_float3(off.x * off.y, off.x * off.z, off.y * off.z));
    along[t] = dot(colour, principal_axis(diagonal, beside));
    warp_step();
    int place = 0;
#pragma unroll
    for (unsigned i = 0; i < PIXELS; i++) place += along[i] < along[t];
    rank[t] = place;
    warp_step();
    // Equal ones have one rank so far: in turn, each pushes the later of its rank back by one.
#pragma unroll 1
    for (unsigned i = 0; i < PIXELS - 1; i++) {
        const bool pushed = i < t && rank[i] == rank[t];
        warp_step();
        if (pushed) rank[t]++;
        warp_step();
    }
    colours[rank[t]] = colour;
}

// The nearest colour of 5, 6 and 5 bits: as a colour, and packed.
DEVICE_FN float3 rounded(float3 c, unsigned *packed) {
    const float r = rintf(__saturatef(c.x) * 31.0f), g = rintf(__saturatef(c.y) * 63.0f);
    const float b = rintf(__saturatef(c.z) * 31.0f);
    *packed = (unsigned)(int)r << 11 | (unsigned)(int)g << 5 | (unsigned)(int)b;
    return make_float3(r * (1.0f / 31.0f), g * (1.0f / 63.0f), b * (1.0f / 31.0f));
}

// Least squares for one cut. The error lacks the squares of the colours themselves, which all cuts
// have alike; it is not a number where one run has all the pixels.
DEVICE_FN float fit(const float3 *colours, float3 total, unsigned cut, const float *weights,
                    const unsigned *products, float unit, unsigned *first, unsigned *second) {
    float3 with_first = make_float3(0.0f, 0.0f, 0.0f);
    unsigned sums = 0;
#pragma unroll
    for (int i = 0; i < PIXELS; i++) {
        const unsigned bits = cut >> (2 * i) & 3u;
        with_first = with_first + colours[i] * weights[bits];
        sums += products[bits];
    }
    const float3 with_second = total - with_first;
    // Whole numbers, so that the determinant is exact; zero where one run has all the pixels.
    const float aa = (float)(int)(sums & 0xffu), bb = (float)(int)(sums >> 8 & 0xffu);
    const float ab = (float)(int)(sums >> 16);
    const float over = 1.0f / (unit * (aa * bb - ab * ab));
    const float3 a = rounded((with_first * bb - with_second * ab) * over, first);
    const float3 b = rounded((with_second * aa - with_first * ab) * over, second);
    return unit * (dot(a, a) * aa + dot(b, b) * bb + 2.0f * dot(a, b) * ab) -
           2.0f * (dot(a, with_first) + dot(b, with_second)) + 0.0f * over;
}

// The pixels' bits in their own order.
DEVICE_FN unsigned unsorted(unsigned cut, const int *rank) {
    unsigned bits = 0;
#pragma unroll
    for (int i = 0; i < PIXELS; i++) bits |= (cut >> (2 * rank[i]) & 3u) << (2 * i);
    return bits;
}

extern "C" __global__ void compress(const unsigned *image, const unsigned *cuts4,
                                    const unsigned *cuts3, uint2 *out) {
    __shared__ float3 colours[PIXELS], sums[PIXELS];
    __shared__ float along[PIXELS], errors[THREADS];
    __shared__ int rank[PIXELS], best_of[THREADS];
    const unsigned t = threadIdx.x;

    if (t < PIXELS) sort_colours(image, colours, sums, along, rank);
    __syncthreads();
    float3 total = make_float3(0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int i = 0; i < PIXELS; i++) total = total + colours[i];

    float least = 3.40282347e+38f;
    unsigned first = 0, second = 0, cut = 0, of_three = 0;
#pragma unroll 1
    for (unsigned i = t; i < CUTS4; i += THREADS) {
        unsigned a, b;
        const float error = fit(colours, total, cuts4[i], weights4, products4, 1.0f / 9.0f, &a, &b);
        if (error < least) {
            least = error;
            first = a;
            second = b;
            cut = cuts4[i];
        }
    }
#pragma unroll 1
    for (unsigned i = t; i < CUTS3; i += THREADS) {
        unsigned a, b;
        const float error = fit(colours, total, cuts3[i], weights3, products3, 0.25f, &a, &b);
        if (error < least) {
            least = error;
            first = a;
            second = b;
            cut = cuts3[i];
            of_three = 1;
        }
    }

    errors[t] = least;
    best_of[t] = (int)t;
#pragma unroll
    for (unsigned half = THREADS / 2; half > 0; half >>= 1) {
        __syncthreads();
        float error = 0.0f;
        int thread = 0;
        if (t < half) {
            const bool other = errors[t + half] < errors[t];
            error = other ? errors[t + half] : errors[t];
            thread = other ? best_of[t + half] : best_of[t];
        }
        __syncthreads();
        if (t < half) {
            errors[t] = error;
            best_of[t] = thread;
        }
    }
    __syncthreads();
    if ((int)t != best_of[0]) return;

    // The larger colour first says four colours; equal or smaller, three. Where no cut has a
    // number for an error (not seen), colour zero stays.
    unsigned bits = unsorted(cut, rank);
    if (of_three ? first > second : first < second) {
        const unsigned swap = first;
        first = second;
        second = swap;
        bits ^= of_three ? ~bits >> 1 & 0x55555555u : 0x55555555u;
    }
    if (!of_three && first == second) bits = 0;
    out[blockIdx.x] = make_uint2(second << 16 | first, bits);
}
